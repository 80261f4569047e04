/* Calls on synchronisation objects inside atomic sections: what is possible is part of the section, a lock that is
taken stops the section until it is free.
expect: VERIFIED no error in any schedule
expect with -- mutex: VERIFIED no error in any schedule
expect with --explore=optimal -- mutex: VERIFIED no error in any schedule
expect with --explore=dpor -- mutex: VERIFIED no error in any schedule
expect with --explore=icb -- mutex: VERIFIED no error in any schedule
expect with --explore=cb-por -- mutex: VERIFIED no error in any schedule
expect with --verify -- mutex: VERIFIED no error in any schedule
expect with -- mutex bug: ERROR assertion
expect with -- mutex held: ERROR assertion
expect with --explore=optimal -- mutex held: ERROR assertion
expect with --explore=dfs -- mutex held: ERROR assertion
expect with -- rdlock: VERIFIED no error in any schedule
expect with -- wrlock: VERIFIED no error in any schedule
expect with -- spin: VERIFIED no error in any schedule
expect with -- trylock: VERIFIED no error in any schedule
expect with -- twice: ERROR deadlock
expect with --explore=icb -- semaphore: VERIFIED no error in any schedule
expect with -- semaphore: UNKNOWN the program cannot be explored: an atomic section locks, unlocks, posts or signals
expect with -- keeps: UNKNOWN the program cannot be explored: an atomic section locks
expect with --explore=icb -- keeps: VERIFIED no error in any schedule
expect with -- wait: ERROR misuse: waiting for a signal or at a barrier inside an atomic section
expect with -- barrier: ERROR misuse: waiting for a signal or at a barrier inside an atomic section
expect with -- function: VERIFIED no error in any schedule
*/
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int x, y;
static const char *how = "none", *more = "";
static int is(const char *word) { return !strcmp(how, word); }
static void lock(void)
{
    if (is("mutex") || is("keeps") || is("wait") || is("twice")) pthread_mutex_lock(&mutex);
    if (is("twice")) pthread_mutex_lock(&mutex);
    if (is("trylock")) while (pthread_mutex_trylock(&mutex)) {}
    if (is("rdlock")) pthread_rwlock_rdlock(&rwlock);
    if (is("wrlock")) pthread_rwlock_wrlock(&rwlock);
    if (is("spin")) pthread_spin_lock(&spin);
    if (is("semaphore")) sem_wait(&semaphore);
    if (is("wait")) pthread_cond_wait(&cond, &mutex);
    if (is("barrier")) pthread_barrier_wait(&barrier);
}
static void unlock(void)
{
    if (is("mutex") || is("keeps") || is("trylock")) pthread_mutex_unlock(&mutex);
    if (is("rdlock")) pthread_rwlock_unlock(&rwlock);
    if (is("wrlock")) pthread_rwlock_unlock(&rwlock);
    if (is("spin")) pthread_spin_unlock(&spin);
    if (is("semaphore")) sem_post(&semaphore);
}
__attribute__((noinline)) void __VERIFIER_atomic_step(void)
{
    pthread_mutex_lock(&mutex);
    x++, y++;
    pthread_mutex_unlock(&mutex);
}
static void *worker(void *a)
{
    if (is("function")) return __VERIFIER_atomic_step(), a;
    __VERIFIER_atomic_begin();
    x++;
    lock();
    if (!is("keeps")) unlock();
    if (strcmp(more, "bug")) y++;
    __VERIFIER_atomic_end();
    if (is("keeps")) unlock();
    return a;
}
static int differ(void)
{
    __VERIFIER_atomic_begin();
    int result = x != y;
    __VERIFIER_atomic_end();
    return result;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) how = argv[1];
    if (argc > 2) more = argv[2];
    pthread_spin_init(&spin, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 1);
    pthread_create(&t, NULL, worker, NULL);
    if (!strcmp(more, "held")) { /* the section has to wait in its middle */
        pthread_mutex_lock(&mutex);
        assert(!differ());
        pthread_mutex_unlock(&mutex);
    } else {
        assert(!differ());
    }
    if (is("mutex")) pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex);
    pthread_join(t, NULL);
    assert(x == y);
    return 0;
}
