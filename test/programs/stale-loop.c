/* A loop that yields, does something each time and looks at an old value again and again: that does not go on for ever.
 * It is recognised by its state, whatever the runtime leaves in its own frames; see also stale-loop-*.c.
 * expect with --explore=bpor: BOUNDED no error in any schedule, where
 * expect with --explore=dfs: BOUNDED no error in any schedule, where
 * expect with --explore=optimal: VERIFIED
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int x;
static int turn;

static void *set(void *arg)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return arg;
}

static void *look(void *arg)
{
    for (turn = 0; !atomic_load_explicit(&x, memory_order_relaxed); turn = !turn) sched_yield();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
