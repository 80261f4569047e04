/* Four threads at a barrier for two: any two make up a round, and which ones depends on the order of arrivals. Thread 3
 * arrives late, so that most executions begin with a round of the others.

expect with -- 0 1: ERROR assertion
expect with -- 0 3: ERROR assertion
expect with --explore=optimal -- 0 3: ERROR assertion
expect with --explore=dpor -- 1 3: ERROR assertion
expect with --explore=cb-por -- 2 3: ERROR assertion
expect with --explore=bpor -- 1 2: ERROR assertion
expect with -j2 --explore=dpor -- 2 3: ERROR assertion
expect with --explore=optimal -- 0 0: VERIFIED
expect with --explore=optimal --verify=swap -- 0 0: VERIFIED
*/
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int one, other, passed[THREADS];

static void *worker(void *arg)
{
    int i = (int)(long)arg;
    pthread_barrier_wait(&barrier);
    pthread_mutex_lock(&mutex);
    passed[i] = 1;
    int others = passed[0] + passed[1] + passed[2] + passed[3];
    assert(one == other || others != 2 || !passed[one] || !passed[other]);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *late(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return worker(arg);
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    if (argc > 2)
        one = atoi(argv[1]), other = atoi(argv[2]);
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i == 3 ? late : worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
