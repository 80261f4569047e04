/* A parallel compressor of a later version: a consumer waits for blocks until the producer says that it has finished.
 * Bug: the producer sets the flag and signals without the lock. The consumer can read the flag, lose the signal, and
 * wait for ever.
 * Row: NEW/pbzip2-1.1.13
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int blocks, all_produced;

static void *produce(void *unused)
{
    pthread_mutex_lock(&lock);
    blocks++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    all_produced = 1;
    pthread_cond_signal(&changed);
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (blocks == 0 && !all_produced) pthread_cond_wait(&changed, &lock);
        if (!blocks) break;
        blocks--;
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(produce, NULL);
    start(consume, NULL);
    join_all();
}
