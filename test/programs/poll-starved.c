/* A thread that polls under a lock, another that needs the lock once: no livelock, though the lock may be taken each
time the other one looks.
expect: BOUNDED no error in any schedule, where a thread yields at most 1 time more
expect with --explore=fair: BOUNDED no error in any schedule, where a thread yields at most 1 time more
*/
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int done;
static void *poll(void *a)
{
    for (;;) {
        pthread_mutex_lock(&m);
        int d = done;
        pthread_mutex_unlock(&m);
        if (d) return a;
        sched_yield();
    }
}
static void *finish(void *a)
{
    pthread_mutex_lock(&m);
    done = 1;
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, poll, 0);
    pthread_create(&b, 0, finish, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
