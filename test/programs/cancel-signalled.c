/* A waiter that is cancelled does not take a signal with it that another one waits for.
expect: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_there;
static void gives_back(void *a) { (void)a, pthread_mutex_unlock(&m); }
static void *waits(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cleanup_push(gives_back, 0);
    if (!is_there) pthread_cond_wait(&c, &m);
    pthread_cleanup_pop(1);
    return a;
}
int main(void)
{
    pthread_t t, u;
    void *result;
    pthread_create(&t, 0, waits, 0);
    pthread_create(&u, 0, waits, 0);
    pthread_cancel(t);
    pthread_mutex_lock(&m);
    is_there = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(t, &result);
    if (result == PTHREAD_CANCELED) pthread_join(u, 0);
}
