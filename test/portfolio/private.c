/* Two threads that can deadlock in their first round only. Each of 5,000 rounds begins with a private lock. An
 * execution is cut off before the second thread begins, so a search that explores only what is in it has one schedule
 * and no error. */
#include <pthread.h>

static pthread_mutex_t own[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int count[2];

static void round_of(int me, pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(&own[me]);
    count[me]++;
    pthread_mutex_unlock(&own[me]);
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

static void *play(void *arg)
{
    int me = *(int *)arg;
    round_of(me, me ? &b : &a, me ? &a : &b);
    for (int i = 1; i < 5000; i++) round_of(me, &a, &b);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[2] = {0, 1};
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, play, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
