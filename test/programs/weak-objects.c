/* Store buffering beside synchronisation that does not concern it: every strategy explores weak memory there.
 * `optimal`, which knows the graphs of atomics and mutexes only, hands over to `dpor`.
 * expect with --explore=optimal -- barrier: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- semaphore: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- rwlock: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- once: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- condition: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- timed: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- trylock: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- futex: ERROR assertion: .*1 stale read
 * expect with --explore=optimal -- condition strong: VERIFIED no error in any schedule
 * expect with --explore=cb-por -- condition: ERROR assertion: .*1 stale read
 * expect with --explore=bpor -- timed: ERROR assertion: .*1 stale read
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *kind;
static bool strong;
static atomic_int x, y, word;
static int r1, r2, is_set;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void nothing(void) {}

static void wait_for_condition(bool gives, bool timed)
{
    struct timespec t = {0, 1000};
    pthread_mutex_lock(&mutex);
    if (gives) is_set = 1, pthread_cond_signal(&condition);
    else if (timed) pthread_cond_timedwait(&condition, &mutex, &t);
    while (!gives && !timed && !is_set) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void synchronise(bool gives)
{
    if (!strcmp(kind, "barrier")) pthread_barrier_wait(&barrier);
    if (!strcmp(kind, "semaphore")) gives ? sem_post(&semaphore) : sem_wait(&semaphore);
    if (!strcmp(kind, "rwlock")) pthread_rwlock_rdlock(&rwlock), pthread_rwlock_unlock(&rwlock);
    if (!strcmp(kind, "once")) pthread_once(&once, nothing);
    if (!strcmp(kind, "condition")) wait_for_condition(gives, false);
    if (!strcmp(kind, "timed")) wait_for_condition(gives, true);
    if (!strcmp(kind, "trylock") && !pthread_mutex_trylock(&mutex)) pthread_mutex_unlock(&mutex);
    if (!strcmp(kind, "futex") && gives) syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    if (!strcmp(kind, "futex") && !gives) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}

static int exchange(bool gives, atomic_int *own, atomic_int *other)
{
    synchronise(gives);
    if (strong) {
        atomic_store(own, 1);
        return atomic_load(other);
    }
    atomic_store_explicit(own, 1, memory_order_relaxed);
    return atomic_load_explicit(other, memory_order_relaxed);
}

static void *one(void *arg)
{
    r1 = exchange(true, &x, &y);
    return arg;
}

static void *two(void *arg)
{
    r2 = exchange(false, &y, &x);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t s, t;
    kind = argc > 1 ? argv[1] : "none";
    strong = argc > 2;
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 0);
    pthread_create(&s, NULL, one, NULL);
    pthread_create(&t, NULL, two, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
    assert(r1 || r2);
    return 0;
}
