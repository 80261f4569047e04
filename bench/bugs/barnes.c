/* The body of an N-body simulation: threads add the masses of bodies to cells of a tree, each cell with a lock.
 * Bug: main looks at the result without waiting for the threads, because the macro that should wait is empty.
 * Row: Splash2/barnes
 * Expect: assertion */
#include "threads.h"

enum { THREADS = 2, BODIES = 3, CELLS = 2 };

static pthread_mutex_t locks[CELLS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int mass[CELLS], finished;

static void *add_bodies(void *number)
{
    for (int i = 0; i < BODIES; i++) {
        int cell = (int)((i + (long)number) % CELLS);
        pthread_mutex_lock(&locks[cell]);
        mass[cell]++;
        pthread_mutex_unlock(&locks[cell]);
    }
    pthread_mutex_lock(&count_lock);
    finished++;
    pthread_mutex_unlock(&count_lock);
    return NULL;
}

int main(void)
{
    for (long i = 0; i < THREADS; i++) start(add_bodies, (void *)i);
    pthread_mutex_lock(&count_lock);
    int seen = finished;
    pthread_mutex_unlock(&count_lock);
    assert(seen == THREADS);
    join_all();
}
