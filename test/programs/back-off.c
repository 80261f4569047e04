/* Two threads that give way to each other, for ever if a scheduler wants it: each round needs preemptions, so only
without a bound on them is it one execution that goes on.
expect: ERROR livelock: the same state comes again after \d+ steps
expect with --verify: ERROR livelock
expect with --explore=fair: ERROR livelock: the same state comes again after \d+ steps
expect with --explore=icb: ERROR livelock: the same state comes again after \d+ steps
expect with -b 3: BOUNDED no error with at most 3 preemptions
*/
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int wants[2];
static void *enter(void *a)
{
    long me = (long)a;
    for (;;) {
        wants[me] = 1;
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
