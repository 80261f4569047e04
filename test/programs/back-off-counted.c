/* The same, but no state comes twice: what outlives the limit is a livelock under a fair bound alone.
expect with --explore=fair --max-steps=300: ERROR livelock: threads yield to each other for 300 steps
expect with --explore=dfs --max-steps=300 --executions=500: UNKNOWN
*/
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int wants[2], rounds;
static void *enter(void *a)
{
    long me = (long)a;
    for (;;) {
        wants[me] = 1;
        rounds++;
        if (!wants[1 - me]) break;
        wants[me] = 0;
        sched_yield();
    }
    wants[me] = 0;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, enter, (void *)0);
    pthread_create(&b, 0, enter, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
