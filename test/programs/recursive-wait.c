/* A wait unlocks a recursive mutex once, so whoever has locked it twice keeps it.
expect: ERROR deadlock: no thread can go on \(0 preemptions, 4 steps\)
expect with --explore=optimal: ERROR deadlock
expect with --explore=cb-por: ERROR deadlock
*/
#define _GNU_SOURCE
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int is_there;
static void *gives(void *a)
{
    pthread_mutex_lock(&m);
    is_there = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, gives, 0);
    while (!is_there) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
}
