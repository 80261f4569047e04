/* A lock for readers and writers, taken by weak compare-exchanges that may fail for no reason: such a failure is no
 * round of a loop in which nothing has changed.
 * expect with --spurious: VERIFIED no error in any schedule
 * expect with --spurious --explore=dpor: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int users; /* -1: a writer */
static int data;

static void *write_it(void *arg)
{
    int none = 0;
    while (!atomic_compare_exchange_weak_explicit(&users, &none, -1, memory_order_acquire, memory_order_relaxed))
        none = 0;
    data++;
    atomic_store_explicit(&users, 0, memory_order_release);
    return arg;
}

static void *read_it(void *arg)
{
    int n = atomic_load_explicit(&users, memory_order_relaxed);
    do {
        while (n < 0) n = atomic_load_explicit(&users, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&users, &n, n + 1, memory_order_acquire, memory_order_relaxed));
    assert(data <= 1);
    atomic_fetch_sub_explicit(&users, 1, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_it, NULL);
    pthread_create(&b, NULL, read_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
