/* A barrier that is initialised when there are threads already.
 * expect: VERIFIED
 * expect with --explore=optimal: VERIFIED
 * expect with --explore=cb-por: VERIFIED
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_barrier_t barrier;
static sem_t ready;
static atomic_int arrived;

static void *work(void *unused)
{
    sem_wait(&ready);
    arrived++;
    pthread_barrier_wait(&barrier);
    assert(arrived == 2);
    return unused;
}

int main(void)
{
    pthread_t t[2];
    sem_init(&ready, 0, 0);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, work, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 2; i++) sem_post(&ready);
    for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
