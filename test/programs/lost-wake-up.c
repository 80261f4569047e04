/* A wake-up that is lost stays a deadlock when condition variables may also wake up by themselves.
expect: ERROR deadlock
expect with --spurious: ERROR deadlock
*/
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *waits(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, waits, 0);
    pthread_cond_signal(&c);
    pthread_join(t, 0);
}
