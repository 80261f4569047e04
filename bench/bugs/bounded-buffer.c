/* A bounded buffer with one condition variable for producers and consumers.
 * Bug: put() and get() wake one waiting thread, which can be of the wrong kind. Then everybody waits.
 * Row: Inspect_benchmarks/boundedBuffer -DPRODUCERS=3 -DCONSUMERS=3 -DITEMS=4 -DSIZE=2
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int used;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == SIZE) pthread_cond_wait(&changed, &lock);
        used++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == 0) pthread_cond_wait(&changed, &lock);
        used--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    for (int i = 0; i < PRODUCERS; i++) start(produce, NULL);
    for (int i = 0; i < CONSUMERS; i++) start(consume, NULL);
    join_all();
}
