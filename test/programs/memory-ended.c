/* Atomic operations and calls on objects on the stack of a thread that has ended, on one that main left by
pthread_exit(), and among the thread-local variables of a thread that has ended.
expect with -- none: VERIFIED no error in any schedule
expect with -- add: ERROR memory: write of 4 bytes on the stack of a thread that has ended
expect with --explore=optimal -- add: ERROR memory: write of 4 bytes on the stack of a thread that has ended
expect with -- load: ERROR memory: read of 4 bytes on the stack of a thread that has ended
expect with -- relaxed: ERROR memory: write of 4 bytes on the stack of a thread that has ended
expect with -- cas: ERROR memory: write of 4 bytes on the stack of a thread that has ended
expect with -- mutex: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- rwlock: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- cond: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- semaphore: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- barrier: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- spin: ERROR memory: write of 1 bytes on the stack of a thread that has ended
expect with -- futex: ERROR memory: read of 4 bytes on the stack of a thread that has ended
expect with -- local: ERROR memory: write of 4 bytes of a thread-local variable of a thread that has ended
expect with -- plain-local: ERROR memory: write of 4 bytes of a thread-local variable of a thread that has ended
expect with -- main: ERROR memory: write of 4 bytes on the stack of a thread that has ended
expect with -- main waits: VERIFIED no error in any schedule
expect with -- at-once: ERROR (memory|race): 
*/
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *where;
static const char *how;
static _Thread_local atomic_int own;
static _Thread_local int plain_own;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is(const char *word) { return !strcmp(how, word); }
static void *owner(void *a)
{
    union { atomic_int i; pthread_mutex_t m; pthread_rwlock_t l; pthread_cond_t c; sem_t s; pthread_barrier_t b; } u;
    memset(&u, 0, sizeof u);
    if (is("semaphore")) sem_init(&u.s, 0, 1);
    if (is("barrier")) pthread_barrier_init(&u.b, NULL, 1);
    where = is("local") ? (void *)&own : is("plain-local") ? (void *)&plain_own : (void *)&u;
    return a;
}
static void use(void *p)
{
    int e = 0;
    if (is("add") || is("local")) atomic_fetch_add((atomic_int *)p, 1);
    if (is("load")) atomic_load((atomic_int *)p);
    if (is("relaxed")) atomic_fetch_add_explicit((atomic_int *)p, 1, memory_order_relaxed);
    if (is("cas")) atomic_compare_exchange_strong((atomic_int *)p, &e, 1);
    if (is("plain-local")) *(int *)p = 1;
    if (is("mutex")) pthread_mutex_lock(p), pthread_mutex_unlock(p);
    if (is("rwlock")) pthread_rwlock_rdlock(p), pthread_rwlock_unlock(p);
    if (is("cond")) pthread_cond_signal(p);
    if (is("semaphore")) sem_post(p);
    if (is("barrier")) pthread_barrier_wait(p);
    if (is("spin")) pthread_spin_lock(p), pthread_spin_unlock(p);
    if (is("futex")) syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, 77, NULL);
}
static void *late(void *p)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    atomic_fetch_add((atomic_int *)p, 1);
    return NULL;
}
static _Atomic(int *) published;
static void *publisher(void *a)
{
    int local = 0;
    atomic_store_explicit(&published, &local, memory_order_relaxed);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t;
    atomic_int local = 0;
    how = argc > 1 ? argv[1] : "none";
    if (is("main")) {
        pthread_create(&t, NULL, late, &local);
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        if (argc > 2) pthread_join(t, NULL);
        pthread_exit(NULL);
    }
    pthread_create(&t, NULL, is("at-once") ? publisher : owner, NULL);
    if (is("at-once")) {
        int *p = atomic_load_explicit(&published, memory_order_relaxed);
        if (p) *p = 1;
    }
    pthread_join(t, NULL);
    if (!is("at-once")) use(where);
    return 0;
}
