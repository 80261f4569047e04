/* Any thread of a round may be the serial one, and exactly one is. A second round is for those that are left.

expect with -- 0: ERROR assertion
expect with -- 1: ERROR assertion
expect with -- 2: ERROR assertion
expect with --explore=optimal -- 2: ERROR assertion
expect with --explore=dpor -- 1: ERROR assertion
expect with --explore=cb-por -- 0: ERROR assertion
expect with --explore=bpor -- 2: ERROR assertion
expect with --explore=dfs -- 0: ERROR assertion
expect with -- 3: VERIFIED
expect with --explore=optimal -- 3: VERIFIED
expect with --explore=cb-por -- 3: VERIFIED
expect with --memory-model=c11 --explore=cb-por -- 3: VERIFIED
expect with -j2 --explore=dpor -- 3: VERIFIED
expect with --explore=optimal --verify=swap -- 3: VERIFIED
*/
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 3 };
static pthread_barrier_t barrier;
static int who, serial[THREADS], data[THREADS];

static void *worker(void *arg)
{
    int i = (int)(long)arg;
    data[i] = 1;
    serial[i] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
    assert(data[0] + data[1] + data[2] == THREADS);
    assert(i != who || !serial[i]);
    pthread_barrier_wait(&barrier);
    assert(serial[0] + serial[1] + serial[2] == 1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    who = argc > 1 ? atoi(argv[1]) : THREADS;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
