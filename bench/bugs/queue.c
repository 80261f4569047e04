/* A queue with a lock. One thread adds ITEMS numbers, another takes them, and flags say who may go on.
 * Bug: the flags are set while the lock is free. The consumer can see the flag of the last round and take an item from
 * an empty queue.
 * Row: CS/queue
 * Expect: assertion */
#include "threads.h"

enum { ITEMS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS], head, tail, may_take, may_add = 1;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (may_add) {
            items[tail++] = i;
            may_add = 0;
        }
        pthread_mutex_unlock(&lock);
        may_take = 1;
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (may_take) {
            assert(head < tail);
            assert(items[head] <= i);
            head++;
            may_take = 0;
        }
        pthread_mutex_unlock(&lock);
        may_add = 1;
    }
    return unused;
}

int main(void)
{
    start(produce, NULL);
    start(consume, NULL);
    join_all();
}
