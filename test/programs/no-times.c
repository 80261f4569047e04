/* A second has a thousand million nanoseconds: whoever would wait until more is told so.
expect: VERIFIED no error in any schedule
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static const struct timespec wrong = {1, 1000000000};
static void *tries(void *a)
{
    assert(pthread_mutex_timedlock(&m, &wrong) == EINVAL);
    assert(pthread_rwlock_timedrdlock(&w, &wrong) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&w, &wrong) == EINVAL);
    assert(sem_timedwait(&s, &wrong) == -1 && errno == EINVAL);
    assert(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, 0) == EINVAL);
    assert(nanosleep(&wrong, 0) == -1 && errno == EINVAL);
    pthread_mutex_lock(&other);
    assert(pthread_cond_timedwait(&c, &other, &wrong) == EINVAL);
    pthread_mutex_unlock(&other);
    assert(pthread_mutex_timedlock(&other, &wrong) == 0); /* nobody has it */
    pthread_mutex_unlock(&other);
    return a;
}
int main(void)
{
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_mutex_lock(&m);
    pthread_rwlock_wrlock(&w);
    pthread_create(&t, 0, tries, 0);
    pthread_join(t, 0);
}
