/* The lock of Mellor-Crummey and Scott: a queue in which each thread waits for its own flag, which the one before it
 * clears. That store hands over the lock.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 1 preemption */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define HAND_OVER memory_order_relaxed
#else
#define HAND_OVER memory_order_release
#endif

struct waiter { _Atomic(struct waiter *) next; atomic_int waits; };
static _Atomic(struct waiter *) last;
static struct waiter waiters[2];
static int n;

static void lock(struct waiter *me)
{
    atomic_store_explicit(&me->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&me->waits, 1, memory_order_relaxed);
    struct waiter *before = atomic_exchange_explicit(&last, me, memory_order_acq_rel);
    if (!before) return;
    atomic_store_explicit(&before->next, me, memory_order_release);
    while (atomic_load_explicit(&me->waits, memory_order_acquire)) {}
}

static void unlock(struct waiter *me)
{
    struct waiter *expected = me;
    if (!atomic_load_explicit(&me->next, memory_order_acquire)) {
        if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_release, memory_order_relaxed))
            return;
        while (!atomic_load_explicit(&me->next, memory_order_acquire)) {}
    }
    struct waiter *after = atomic_load_explicit(&me->next, memory_order_acquire);
    atomic_store_explicit(&after->waits, 0, HAND_OVER);
}

static void *work(void *arg)
{
    lock(arg);
    n++;
    unlock(arg);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, &waiters[0]);
    pthread_create(&b, NULL, work, &waiters[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n == 2 ? 0 : 1;
}
