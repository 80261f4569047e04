/* Also whoever is cancelled just when its time is up has the mutex in its cleanup handlers.
expect: VERIFIED no error in any schedule
expect with --explore=icb: VERIFIED no error in any schedule
*/
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void gives_back(void *a) { (void)a, pthread_mutex_unlock(&m); }
static void *waits(void *a)
{
    struct timespec soon = {1, 0};
    pthread_mutex_lock(&m);
    pthread_cleanup_push(gives_back, 0);
    pthread_cond_timedwait(&c, &m, &soon);
    pthread_cleanup_pop(1);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    pthread_cancel(t);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
