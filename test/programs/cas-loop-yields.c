/* A lock by a weak compare-exchange that yields when it fails: its executions repeat themselves, in weak memory, too.
 * expect: BOUNDED no error in any schedule, where
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int locked;
static int n;

static void *add(void *arg)
{
    for (int free = 0; !atomic_compare_exchange_weak_explicit(&locked, &free, 1, memory_order_acquire,
                                                              memory_order_relaxed); free = 0)
        sched_yield();
    n++;
    atomic_store_explicit(&locked, 0, memory_order_release);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
    return 0;
}
