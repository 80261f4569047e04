/* Time is up for a waiter also while another thread has the mutex. Then it is not there for the signal, and gets the
mutex behind it: what was waited for may hold although the wait timed out.
expect: ERROR assertion: status == 0 at .* \(2 preemptions, 10 steps\)
expect with --explore=optimal: ERROR assertion: status == 0 at .* \(2 preemptions, 10 steps\)
expect with --explore=icb: ERROR assertion: status == 0 at .* \(2 preemptions, 10 steps\)
expect with -b 1: BOUNDED no error with at most 1 preemption
*/
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_there;
static void *waits(void *a)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&m);
    int status = is_there ? 0 : pthread_cond_timedwait(&c, &m, &soon);
    if (is_there) assert(status == 0);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    pthread_mutex_lock(&m);
    is_there = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
