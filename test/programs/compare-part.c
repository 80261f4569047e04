/* A compare-exchange of eight bytes and a store of four of them. The store lets it fail and commutes with the load, so
 * that the load and the compare-exchange seem to commute as well. They do not where the store comes last, which is
 * where the assertion fails.
expect: ERROR assertion: .*
expect with --explore=dpor: ERROR assertion: .*
expect with --explore=optimal: ERROR assertion: .*
expect with --explore=cb-por: ERROR assertion: .*
*/
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

static union {
    _Atomic uint64_t both;
    _Atomic uint32_t one[2];
} pair;
static int done, seen;

static void *change(void *unused)
{
    uint64_t expected = 0;
    sched_yield();
    done = atomic_compare_exchange_strong(&pair.both, &expected, 0x100000001);
    return unused;
}

static void *store(void *unused)
{
    sched_yield();
    pair.one[0] = 2;
    return unused;
}

static void *look(void *unused)
{
    sched_yield();
    seen = pair.one[1];
    return unused;
}

int main(void)
{
    void *(*const all[])(void *) = {change, store, look};
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, all[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
    assert(!done || seen);
}
