/* A wait says that the mutex was left by one who ended; nobody gets what was given up.
expect with --spurious=0: VERIFIED no error in any schedule
expect with --spurious=0 --explore=optimal: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_mutex_t m;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *leaves(void *a)
{
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    return a;
}
static void *tries(void *a) { return pthread_mutex_trylock(&m) == ENOTRECOVERABLE ? a : &m; }
int main(void)
{
    struct timespec soon = {1, 0};
    pthread_t t;
    pthread_mutexattr_t robust;
    void *result;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&m, &robust);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, leaves, 0);
    int status = pthread_cond_wait(&c, &m);
    assert(status == EOWNERDEAD && pthread_mutex_consistent(&m) == 0);
    pthread_join(t, 0);
    pthread_create(&t, 0, leaves, 0);
    status = pthread_cond_timedwait(&c, &m, &soon);
    assert(status == EOWNERDEAD || status == ETIMEDOUT);
    if (status == ETIMEDOUT) {
        pthread_mutex_unlock(&m);
        pthread_join(t, 0);
        status = pthread_mutex_lock(&m);
        assert(status == EOWNERDEAD);
    } else pthread_join(t, 0);
    pthread_mutex_unlock(&m); /* given up */
    pthread_create(&t, 0, tries, 0);
    status = pthread_mutex_lock(&m);
    assert(status == ENOTRECOVERABLE && pthread_mutex_trylock(&m) == ENOTRECOVERABLE);
    pthread_join(t, &result);
    assert(result == 0);
}
