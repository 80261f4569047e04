/* A call on an object of another kind, on one that was destroyed, and a barrier that is set up twice.
flags: -O1 -Wno-incompatible-pointer-types
expect: VERIFIED no error in any schedule
expect with -- mutex rwlock: ERROR misuse: using a mutex as a reader-writer lock
expect with -- held rwlock: ERROR misuse: using a mutex as a reader-writer lock
expect with -- mutex cond: ERROR misuse: using a mutex as a condition variable
expect with -- mutex sem: ERROR misuse: using a mutex as a semaphore
expect with -- mutex barrier: ERROR misuse: using a mutex as a barrier
expect with -- cond mutex: ERROR misuse: using a condition variable as a mutex
expect with -- rwlock mutex: ERROR misuse: using a reader-writer lock as a mutex
expect with --explore=optimal -- rwlock mutex: ERROR misuse: using a reader-writer lock as a mutex
expect with -- sem rwlock: ERROR misuse: using a semaphore as a reader-writer lock
expect with -- barrier sem: ERROR misuse: using a barrier as a semaphore
expect with -- barrier init: ERROR misuse: initialising a barrier that is in use
expect with -- gone-cond cond: ERROR misuse: using a condition variable that was destroyed
expect with -- gone-sem sem: ERROR misuse: using a semaphore that was destroyed
expect with -- gone-rwlock rwlock: ERROR misuse: using a reader-writer lock that was destroyed
expect with -- gone-sem init: VERIFIED no error in any schedule
expect with -- static mutex: ERROR misuse: using a mutex as a reader-writer lock
expect with -- stack: VERIFIED no error in any schedule
*/
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
static union {
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    pthread_rwlock_t rwlock;
    sem_t sem;
    pthread_barrier_t barrier;
} u;
static const char *first = "none", *second = "";
static int is(const char *word, const char *other) { return !strcmp(word, other); }
static void *worker(void *a)
{
    if (is(second, "mutex")) pthread_mutex_lock(&u.mutex);
    if (is(second, "rwlock")) pthread_rwlock_rdlock(&u.rwlock);
    if (is(second, "cond")) pthread_cond_signal(&u.cond);
    if (is(second, "sem")) sem_wait(&u.sem);
    if (is(second, "barrier")) pthread_barrier_wait(&u.barrier);
    if (is(second, "init")) pthread_barrier_init(&u.barrier, NULL, 1);
    return a;
}
/* Objects one after the other in the same frame. */
static __attribute__((noinline)) int uses_mutex(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    return pthread_mutex_lock(&m) || pthread_mutex_unlock(&m);
}
static __attribute__((noinline)) int uses_rwlock(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    return pthread_rwlock_rdlock(&l) || pthread_rwlock_unlock(&l);
}
static __attribute__((noinline)) int uses_barrier(void)
{
    pthread_barrier_t b;
    pthread_barrier_init(&b, NULL, 1);
    return pthread_barrier_wait(&b) != PTHREAD_BARRIER_SERIAL_THREAD;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) first = argv[1];
    if (argc > 2) second = argv[2];
    if (is(first, "mutex")) pthread_mutex_init(&u.mutex, NULL);
    if (is(first, "held")) pthread_mutex_lock(&u.mutex);
    if (is(first, "cond") || is(first, "gone-cond")) pthread_cond_init(&u.cond, NULL);
    if (is(first, "rwlock") || is(first, "gone-rwlock")) pthread_rwlock_init(&u.rwlock, NULL);
    if (is(first, "sem") || is(first, "gone-sem")) sem_init(&u.sem, 0, 1);
    if (is(first, "barrier")) pthread_barrier_init(&u.barrier, NULL, 1);
    if (is(first, "gone-cond")) pthread_cond_destroy(&u.cond);
    if (is(first, "gone-rwlock")) pthread_rwlock_destroy(&u.rwlock);
    if (is(first, "gone-sem")) sem_destroy(&u.sem);
    pthread_create(&t, NULL, worker, NULL);
    if (is(first, "static")) pthread_rwlock_rdlock(&u.rwlock); /* the worker is about to lock a mutex there */
    pthread_join(t, NULL);
    if (is(first, "stack")) return uses_mutex() || uses_rwlock() || uses_barrier() || uses_barrier() || uses_rwlock();
    return 0;
}
