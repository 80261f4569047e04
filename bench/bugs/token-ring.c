/* Four threads in a ring each copy the value of the one before, the first one adds one; then a fifth compares.
 * Bug: each copy reads and writes under a lock, but the threads run in any order, and the values only agree in one of
 * these orders.
 * Row: CS/token_ring
 * Expect: assertion */
#include "threads.h"

enum { RING = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value[RING];
static int finished;

static void *pass(void *number)
{
    long n = (long)number;
    pthread_mutex_lock(&lock);
    value[n] = n ? value[n - 1] : (value[RING - 1] + 1) % RING;
    finished++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *compare(void *unused)
{
    pthread_mutex_lock(&lock);
    if (finished == RING) assert(value[0] == value[1] && value[1] == value[2] && value[2] == value[3]);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    for (long i = 0; i < RING; i++) start(pass, (void *)i);
    start(compare, NULL);
    join_all();
}
