/* A loop that waits for two places, one of them with an exchange that changes nothing.
expect with --explore=dpor: VERIFIED no error in any schedule
expect with --explore=optimal: VERIFIED no error in any schedule
expect with --explore=cb-por -b 3: BOUNDED no error with at most 3 preemptions
expect with -b 2: BOUNDED no error with at most 2 preemptions
expect with --explore=fair --executions=20000: UNKNOWN no error in the [0-9,]+ schedules explored; stopped
*/
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static atomic_int c = 2, n = 1;
static void *worker(void *a)
{
    for (;;) {
        if (c > 1 && atomic_exchange(&n, -1) >= 0) {
            c--;
            n = 0;
            c++;
            return a;
        }
        sched_yield();
    }
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
}
