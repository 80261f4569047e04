/* A manual-reset event in the manner of .NET's: set() wakes all who wait, reset() makes later ones wait. In the place of MRSE of Coons,
 * Musuvathi and McKinley, which is not printed. BUG=1: wait() looks at the flag before it takes the lock and does not look again, so that a
 * set() in between is lost: a deadlock. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef WAITERS
#define WAITERS 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_bool is_set;
static atomic_int passed;

static void event_set(void)
{
    pthread_mutex_lock(&lock);
    is_set = true;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void event_wait(void)
{
    if (is_set) return; /* the fast path */
    pthread_mutex_lock(&lock);
#if BUG == 1
    pthread_cond_wait(&changed, &lock);
#else
    while (!is_set) pthread_cond_wait(&changed, &lock);
#endif
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *arg)
{
    event_wait();
    passed++;
    return arg;
}

int main(void)
{
    pthread_t t[WAITERS];
    for (int i = 0; i < WAITERS; i++) pthread_create(&t[i], NULL, waiter, NULL);
    event_set();
    for (int i = 0; i < WAITERS; i++) pthread_join(t[i], NULL);
    return passed != WAITERS;
}
