/* The same, but no state comes twice: what everybody is about to do does, and can be repeated. Not if the limit on
steps has cut off an execution before; that is a livelock under a fair bound alone.
expect: ERROR livelock: threads give way to each other for ever, in the same \d+ steps again and again
expect with --verify: ERROR livelock
expect with -j1 --explore=fair: ERROR livelock: threads give way to each other for ever
expect with --explore=fair --max-steps=40: ERROR livelock: threads yield to each other for 40 steps
expect with -b 3: BOUNDED no error with at most 3 preemptions
expect with --explore=dfs --max-steps=40 --executions=500: UNKNOWN
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
