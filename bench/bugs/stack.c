/* A stack with a lock. One thread pushes, another pops if a flag says that there is something.
 * Bug: the flag is never taken back, so the consumer pops from an empty stack if it is faster than the producer.
 * Row: CS/stack
 * Expect: assertion */
#include "threads.h"

enum { ITEMS = 5 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int items[ITEMS], top, filled;

static void *push(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        items[top++] = i;
        filled = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pop(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        if (filled) {
            assert(top > 0);
            top--;
        }
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    start(push, NULL);
    start(pop, NULL);
    join_all();
}
