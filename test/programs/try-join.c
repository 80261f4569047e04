/* Tried until it has ended; a time-out does not end it; without a deadline it is waited for.
expect: BOUNDED no error in any schedule, where a thread yields at most 1 time more than another
expect with --verify: BOUNDED no error in any schedule, where a thread yields at most 1 time more than another
expect with --explore=fair -j2: BOUNDED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
static int result;
static void *work(void *a) { return result = 7, a; }
int main(void)
{
    struct timespec soon = {1, 0};
    pthread_t t, u;
    pthread_create(&t, 0, work, 0);
    while (pthread_tryjoin_np(t, 0) == EBUSY) sched_yield();
    assert(result == 7);
    pthread_create(&u, 0, work, 0);
    int status = pthread_timedjoin_np(u, 0, &soon);
    assert(status == 0 || status == ETIMEDOUT);
    if (status) assert(pthread_kill(u, 0) == 0 && pthread_timedjoin_np(u, 0, 0) == 0);
    assert(result == 7);
}
