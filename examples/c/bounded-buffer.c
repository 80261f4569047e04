/* One condition variable for "not full" and "not empty", and signal instead of broadcast: a producer may wake a producer.
 * expect: deadlock, 0 preemptions */
#include <pthread.h>

enum { CAPACITY = 1, ROUNDS = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int count;

static void *producer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (count == CAPACITY) pthread_cond_wait(&changed, &mutex);
    count++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (count == 0) pthread_cond_wait(&changed, &mutex);
        count--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t p, q, r, c, d;
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&d, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    pthread_create(&q, NULL, producer, NULL);
    pthread_create(&r, NULL, producer, NULL);
    producer(NULL);
    pthread_join(p, NULL);
    pthread_join(q, NULL);
    pthread_join(r, NULL);
    pthread_join(c, NULL);
    pthread_join(d, NULL);
}
