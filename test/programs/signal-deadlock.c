/* A handler that takes a lock which the code it interrupts may hold.
expect: ERROR deadlock
*/
#include <pthread.h>
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void handler(int s)
{
    pthread_mutex_lock(&m);
    n += s;
    pthread_mutex_unlock(&m);
}
static void *work(void *a)
{
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    signal(SIGUSR1, handler);
    pthread_create(&t, 0, work, 0);
    pthread_kill(t, SIGUSR1);
    pthread_join(t, 0);
}
