/* Copies of semaphores and barriers, and ones that were never initialised; copying an object while another thread
 * uses it; a spin lock after its end; destroying what a thread waits for; two mutexes with one condition variable.
 * Setting up each object, and copying one before it is used, is right (no argument).
flags: -O1
expect: VERIFIED no error in any schedule$
expect with -- semaphore: ERROR misuse: using a semaphore that was not initialised, or is a copy of another one
expect with -- barrier: ERROR misuse: using a barrier that was not initialised
expect with -- in-use: ERROR race
expect with -- lock-in-use: ERROR race
expect with -- spin: ERROR misuse: using a spin lock that was destroyed
expect with -- spin-taken: ERROR misuse: destroying a spin lock that is locked
expect with -- fresh: ERROR misuse: using a condition variable that was not initialised
expect with -- waited: ERROR misuse: destroying a semaphore for which a thread waits
expect with -- two-mutexes: ERROR misuse: waiting on a condition variable on which a thread waits with another mutex
*/
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static const char *mode = "";
static sem_t semaphore, copy;
static pthread_barrier_t barrier, other_barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER, other_lock;
static pthread_spinlock_t spin;

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_done;

static int is(const char *name) { return !strcmp(mode, name); }

static void *wait_for(void *mutex)
{
    pthread_mutex_lock(mutex);
    while (!is_done) pthread_cond_wait(&condition, mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

static void two_mutexes(void)
{
    pthread_t t;
    pthread_create(&t, NULL, wait_for, &mutexes[0]);
    wait_for(&mutexes[1]);
    pthread_join(t, NULL);
}

static void *work(void *arg)
{
    sem_wait(&semaphore);
    sem_post(&semaphore);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_spin_lock(&spin);
    if (!is("spin-taken")) pthread_spin_unlock(&spin);
    pthread_barrier_wait(&barrier);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 1) mode = argv[1];
    other_lock = lock;
    sem_init(&semaphore, 0, 1);
    pthread_barrier_init(&barrier, NULL, 1);
    pthread_spin_init(&spin, 0);
    if (is("semaphore")) copy = semaphore, sem_wait(&copy);
    if (is("barrier")) other_barrier = barrier, pthread_barrier_wait(&other_barrier);
    if (is("fresh")) pthread_cond_signal(malloc(sizeof(pthread_cond_t)));
    if (is("two-mutexes")) two_mutexes();
    if (is("waited")) sem_wait(&semaphore);
    pthread_create(&t, NULL, work, NULL);
    if (is("waited")) sem_destroy(&semaphore);
    if (is("in-use")) copy = semaphore;
    if (is("lock-in-use")) other_lock = lock;
    pthread_join(t, NULL);
    pthread_rwlock_wrlock(&other_lock);
    pthread_rwlock_unlock(&other_lock);
    pthread_spin_destroy(&spin);
    if (is("spin")) pthread_spin_lock(&spin);
    pthread_spin_init(&spin, 0);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    return 0;
}
