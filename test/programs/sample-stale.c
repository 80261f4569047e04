/* Message passing without release and acquire among other messages: the read of the data takes an old write. A
 * constraint of reads-from feedback names the write that a load takes, also in weak memory.
 * expect with --explore=rff --executions=100: ERROR assertion: data
 * expect with --explore=surw --executions=400: ERROR assertion: data
 * expect with --explore=rff --executions=100 --memory-model=sc: UNKNOWN no error in the 100 schedules
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int value, flag, other;

static void *send(void *arg)
{
    for (int i = 1; i <= 6; i++) atomic_store_explicit(&other, i, memory_order_relaxed);
    atomic_store_explicit(&value, 1, memory_order_relaxed);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return arg;
}

static void *receive(void *arg)
{
    for (int i = 0; i < 6; i++) atomic_load_explicit(&other, memory_order_relaxed);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        int data = atomic_load_explicit(&value, memory_order_relaxed);
        assert(data);
    }
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, send, NULL);
    pthread_create(&u, NULL, receive, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
}
