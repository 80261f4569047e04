/* The frame of a matrix factorisation: the owner of the diagonal block works first, and a barrier lets the others go on.
 * Bug: main prints the result when its own part is finished, and does not wait for the others.
 * Row: Splash2/lu
 * Expect: assertion */
#include "threads.h"

enum { THREADS = 3, STEPS = 2 };

static pthread_barrier_t step;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int diagonal[STEPS], finished;

static void *factor(void *number)
{
    long n = (long)number;
    for (int k = 0; k < STEPS; k++) {
        if (k % THREADS == n) diagonal[k] = 1;
        pthread_barrier_wait(&step);
        assert(diagonal[k]);
    }
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&step, NULL, THREADS);
    for (long i = 1; i < THREADS; i++) start(factor, (void *)i);
    factor((void *)0L);
    pthread_mutex_lock(&lock);
    assert(finished == THREADS);
    pthread_mutex_unlock(&lock);
    join_all();
}
