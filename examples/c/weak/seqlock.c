/* A sequence lock. The reader looks at the number before and after; its fence keeps the second look behind the reads of
 * the data. Without it the reader takes half of the new data for whole.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define FENCE memory_order_relaxed
#else
#define FENCE memory_order_acquire
#endif

static atomic_uint number;
static atomic_int x, y;

static void *write_both(void *arg)
{
    atomic_store_explicit(&number, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    atomic_store_explicit(&number, 2, memory_order_release);
    return arg;
}

static void *read_both(void *arg)
{
    unsigned before = atomic_load_explicit(&number, memory_order_acquire);
    int a = atomic_load_explicit(&x, memory_order_relaxed), b = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    unsigned after = atomic_load_explicit(&number, memory_order_relaxed);
    if (before == after && before % 2 == 0) assert(a == b);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, write_both, NULL);
    pthread_create(&b, NULL, read_both, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
