/* Sixteen bytes at once: clang calls libatomic for them. A lost update, and one that is not.
 * expect: ERROR assertion: now.count == 2
 * expect with --explore=optimal: ERROR assertion: now.count == 2
 * doctor: memory orders: 3 memory_order_relaxed, 3 memory_order_seq_cst
 * flags: -O1 -w
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct pair { long count, tag; };
static _Atomic struct pair pair;
static unsigned __int128 sum;

static void *add(void *arg)
{
    struct pair now = atomic_load_explicit(&pair, memory_order_relaxed);
    now.count++;
    atomic_store_explicit(&pair, now, memory_order_relaxed);
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    struct pair now = atomic_load(&pair), next = {now.count + 1, 1};
    _Bool found = atomic_compare_exchange_strong(&pair, &now, next);
    struct pair last = atomic_exchange(&pair, now);
    assert(found && last.tag == 1);
    assert(sum == 2);
    assert(now.count == 2);
    return 0;
}
