/* Two threads that publish a value: an interleaving shows an old value only before the flag is set, so this
 * failure needs a stale read, and is shown with it.
 *
 * expect: ERROR assertion: .* \(0 preemptions, 1 stale read, \d+ steps\)$
 * expect with --explore=optimal: ERROR assertion: .* \(0 preemptions, 1 stale read, \d+ steps\)$
 * expect with --memory-model=sc: VERIFIED no error in any schedule .interleavings only
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int data, flag;

static void *publish(void *arg)
{
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *look(void *arg)
{
    int seen = atomic_load_explicit(&flag, memory_order_relaxed);
    if (seen) assert(atomic_load_explicit(&data, memory_order_relaxed) == 1);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, publish, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
