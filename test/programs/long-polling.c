/* A thread that polls for thousands of steps: cuts are nested as deep as the execution is long.
expect with --explore=cb-por --executions=2: UNKNOWN no error in the 2 schedules explored
*/
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *a)
{
    sleep(60);
    pthread_mutex_lock(&m);
    n++;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    for (int done = 0; !done; sched_yield()) {
        pthread_mutex_lock(&m);
        done = n == 2;
        pthread_mutex_unlock(&m);
    }
    pthread_join(a, 0);
    pthread_join(b, 0);
}
