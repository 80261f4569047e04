/* A timed wait for a semaphore is a cancellation point, also if it does not have to wait.
expect: ERROR assertion: result != PTHREAD_CANCELED
*/
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *waits(void *a)
{
    struct timespec late = {1000000, 0};
    sem_timedwait(&s, &late);
    return a;
}
int main(void)
{
    pthread_t t;
    void *result;
    sem_init(&s, 0, 1);
    pthread_create(&t, 0, waits, 0);
    pthread_cancel(t);
    pthread_join(t, &result);
    assert(result != PTHREAD_CANCELED);
}
