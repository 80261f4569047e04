/* A bounded buffer with a condition variable for each direction, two producers and three consumers.
 * Bug: get() waits with `if`. A consumer that was woken can find the buffer empty, if another one was faster.
 * The published program of this name is broken by no tool; ours has a bug of the kind that its authors describe.
 * Row: Inspect_benchmarks/bbuf
 * Expect: assertion */
#include "threads.h"

enum { SIZE = 2, PRODUCERS = 2, CONSUMERS = 3, PUTS = 3, GETS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int items[SIZE], first, used;

static void *produce(void *unused)
{
    for (int i = 0; i < PUTS; i++) {
        pthread_mutex_lock(&lock);
        while (used == SIZE) pthread_cond_wait(&not_full, &lock);
        items[(first + used++) % SIZE] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < GETS; i++) {
        pthread_mutex_lock(&lock);
        if (used == 0) pthread_cond_wait(&not_empty, &lock);
        assert(used > 0);
        first = (first + 1) % SIZE;
        used--;
        pthread_cond_signal(&not_full);
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
