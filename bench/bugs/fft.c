/* The frame of a Fourier transform: each thread works on its rows, and all meet at a barrier between two phases.
 * Bug: main works as one of the threads and does not wait for the others at the end.
 * Row: Splash2/fft
 * Expect: assertion */
#include "threads.h"

enum { THREADS = 2, ROWS = 2 };

static pthread_barrier_t phase;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rows[THREADS * ROWS], finished;

static void *transform(void *number)
{
    long n = (long)number;
    for (int i = 0; i < ROWS; i++) rows[n * ROWS + i] = (int)n;
    pthread_barrier_wait(&phase);
    for (int i = 0; i < ROWS; i++) rows[n * ROWS + i] += rows[(n + 1) % THREADS * ROWS + i] >= 0;
    pthread_mutex_lock(&lock);
    finished++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_barrier_init(&phase, NULL, THREADS);
    start(transform, (void *)1L);
    transform((void *)0L);
    pthread_mutex_lock(&lock);
    assert(finished == THREADS);
    pthread_mutex_unlock(&lock);
    join_all();
}
