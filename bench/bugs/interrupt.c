/* A thread of a portable runtime waits on a condition variable, and another one interrupts it.
 * Bug: the interrupter takes the condition variable from the waiting thread's record without its lock. The thread can
 * leave the record and start the next wait in between, so the interrupt goes to a condition variable where nobody waits.
 * Row: RADBench/bug5
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static pthread_cond_t *waits_at;
static int interrupted, ready;

static void wait_at(int number, int *until)
{
    pthread_mutex_lock(&lock);
    waits_at = &conditions[number];
    while (!*until && !interrupted) pthread_cond_wait(waits_at, &lock);
    waits_at = NULL;
    pthread_mutex_unlock(&lock);
}

static void *wait_twice(void *unused)
{
    static int never;
    wait_at(0, &ready);
    wait_at(1, &never);
    return unused;
}

static void *get_ready(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&conditions[0]);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *interrupt(void *unused)
{
    pthread_cond_t *at = waits_at;
    pthread_mutex_lock(&lock);
    interrupted = 1;
    if (at) pthread_cond_signal(at);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(wait_twice, NULL);
    start(get_ready, NULL);
    start(interrupt, NULL);
    join_all();
}
