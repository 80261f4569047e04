/* A library for traces: threads register themselves in a table that has a lock, and leave it again.
 * Bug: the number of registered threads is changed without the lock, so one of two changes can be lost.
 * Row: Inspect_benchmarks/ctrace-test
 * Expect: assertion */
#include "threads.h"

enum { THREADS = 2, SLOTS = 8 };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static long table[SLOTS];
static int registered;

static void *trace(void *number)
{
    long n = (long)number;
    pthread_mutex_lock(&table_lock);
    table[n] = n + 1;
    pthread_mutex_unlock(&table_lock);
    registered++;
    pthread_mutex_lock(&table_lock);
    table[n] = 0;
    pthread_mutex_unlock(&table_lock);
    registered--;
    return NULL;
}

int main(void)
{
    for (long i = 0; i < THREADS; i++) start(trace, (void *)i);
    join_all();
    assert(registered == 0);
}
