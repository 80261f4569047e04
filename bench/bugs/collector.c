/* A garbage collector waits until no request is active; requests wait until the collector has finished.
 * Bug: a request that ends during a collection gives its signal before the collector waits, because the collector
 * announces itself and counts the requests in two critical sections. It then waits for a request that has gone.
 * Row: RADBench/bug3
 * Expect: deadlock */
#include "threads.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t request_ended = PTHREAD_COND_INITIALIZER, collected = PTHREAD_COND_INITIALIZER;
static int requests, collecting;

static void *request(void *unused)
{
    pthread_mutex_lock(&lock);
    while (collecting) pthread_cond_wait(&collected, &lock);
    requests++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    requests--;
    if (collecting) pthread_cond_signal(&request_ended);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *collect(void *unused)
{
    pthread_mutex_lock(&lock);
    collecting = 1;
    int active = requests;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (active) pthread_cond_wait(&request_ended, &lock);
    collecting = 0;
    pthread_cond_broadcast(&collected);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    start(request, NULL);
    start(request, NULL);
    start(collect, NULL);
    join_all();
}
