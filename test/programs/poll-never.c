/* Two threads that sleep until the other one is ready, which neither will be: nobody ever blocks.
expect: ERROR livelock: the same state comes again after \d+ steps .*\(0 preemptions
*/
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int ready[2];
static void *f(void *a)
{
    long me = (long)a;
    for (int seen = 0; !seen; nanosleep(&(struct timespec){0, 1000}, 0)) {
        pthread_mutex_lock(&m);
        seen = ready[1 - me];
        pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    ready[me] = 1;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, f, (void *)0);
    pthread_create(&b, 0, f, (void *)1);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
