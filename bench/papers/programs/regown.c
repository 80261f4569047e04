/* Ownership of a region passes from thread to thread; whoever has it may write, others wait and yield. In the place of RegOwn of
 * Coons, Musuvathi and McKinley, which is not printed. BUG=1: an owner that gives the region away looks whether somebody asked, and then forgets
 * to look again: two owners (the paper's exception is an assertion here). */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 2
#endif
enum { NOBODY = -1 };

static atomic_int owner = NOBODY, inside;

static void acquire(int me)
{
#if BUG == 1
    while (owner != NOBODY) sched_yield();
    owner = me;
#else
    for (int expected = NOBODY; !atomic_compare_exchange_strong(&owner, &expected, me); expected = NOBODY) sched_yield();
#endif
}

static void *user(void *arg)
{
    int me = (int)(long)arg;
    for (int i = 0; i < 2; i++) {
        acquire(me);
        int others = inside++;
        assert(others == 0);
        inside--;
        owner = NOBODY;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, user, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    return 0;
}
