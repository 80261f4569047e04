/* Two condition variables.
 * expect with -b 1: bounded */
#include <pthread.h>

enum { CAPACITY = 1, ROUNDS = 2 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int count;

static void *producer(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (count == CAPACITY) pthread_cond_wait(&not_full, &mutex);
    count++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *consumer(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (count == 0) pthread_cond_wait(&not_empty, &mutex);
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&mutex);
    }
    return arg;
}

int main(void)
{
    pthread_t p, c;
    pthread_create(&c, NULL, consumer, NULL);
    pthread_create(&p, NULL, producer, NULL);
    producer(NULL);
    pthread_join(p, NULL);
    pthread_join(c, NULL);
}
