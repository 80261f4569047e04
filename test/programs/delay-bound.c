/* Two increments without a lock: one is lost with a single delay, and the verdict names delays.
 * expect with --explore=delay --races=explore: ERROR assertion: n == 2
 * expect with --explore=delay --races=explore -b 0: BOUNDED no error with at most 0 delays
 * expect with --explore=delay-plain --races=explore: ERROR assertion: n == 2
 * expect with --explore=delay-plain --races=explore -b 0: BOUNDED no error with at most 0 delays
 * expect with --explore=pos --races=explore: ERROR assertion: n == 2
 * expect with --explore=pos --races=ignore --executions=20: UNKNOWN no error in the 20 schedules explored
 */
#include <assert.h>
#include <pthread.h>

static int n;

static void *increment(void *arg)
{
    n++;
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, increment, NULL);
    pthread_create(&u, NULL, increment, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    assert(n == 2);
}
