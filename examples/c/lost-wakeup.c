/* The flag is set and signalled without the mutex: the signal can fall between the waiter's check and its wait.
 * Two preemptions: main must be stopped before it sets the flag, and the waiter before it waits.
 * expect: deadlock, 2 preemptions */
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static atomic_int ready;

static void *waiter(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, waiter, NULL);
    ready = 1;
    pthread_cond_signal(&cond);
    pthread_join(t, NULL);
}
