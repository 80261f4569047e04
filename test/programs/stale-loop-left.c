/* The same in a function with variables that nobody initialises: what the runtime left on the stack when an earlier
 * operation was executed is part of its frame, and must not be different each time. Another thread has yielded before.
 * expect with --explore=bpor: BOUNDED no error in any schedule, where
 * expect with --explore=dfs: BOUNDED no error in any schedule, where
 * expect with --explore=optimal: VERIFIED
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int x;
static int beat;

__attribute__((noinline)) static void back_off(void)
{
    char room[600];
    __asm__ volatile("" ::"r"(room) : "memory");
    sched_yield();
    __asm__ volatile("" ::"r"(room) : "memory");
}

static void *set(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}

static void *look(void *arg)
{
    for (int turn = 0; !atomic_load_explicit(&x, memory_order_relaxed); turn = !turn) {
        beat = turn;
        back_off();
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sched_yield();
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
