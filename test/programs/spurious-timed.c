/* A timed wait may be over before its time, without a signal.
expect with --spurious=0: VERIFIED no error in any schedule
expect: ERROR assertion: status == ETIMEDOUT
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *nothing(void *a) { return a; }
int main(void)
{
    struct timespec soon = {1, 0};
    pthread_t t;
    pthread_create(&t, 0, nothing, 0);
    pthread_mutex_lock(&m);
    int status = pthread_cond_timedwait(&c, &m, &soon);
    assert(status == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
