/* One preemption and one stale read: what PCT draws for accesses finds it as surely as its change points do.
 * expect with --explore=pct --executions 20000 --seed 1: ERROR assertion
 * expect with --explore=pct --executions 20000 --seed 1 -b 0: UNKNOWN no error in the 20,000 schedules
 * expect with --memory-model=sc: VERIFIED
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int a, b;

static void *write_both(void *arg)
{
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    /* a release fence is missing */
    atomic_store_explicit(&a, 1, memory_order_relaxed);
    atomic_store_explicit(&b, 1, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
    return arg;
}

static void *read_both(void *arg)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    int one = atomic_load_explicit(&a, memory_order_relaxed), other = atomic_load_explicit(&b, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    if (!(before & 1) && atomic_load_explicit(&sequence, memory_order_relaxed) == before) assert(one == other);
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, write_both, NULL);
    pthread_create(&t, NULL, read_both, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    return 0;
}
