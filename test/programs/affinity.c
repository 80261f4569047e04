/* A thread is told the processors that it was given, although it runs where it runs.
expect: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>

static void *work(void *arg)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(0, &set);
    assert(!pthread_setaffinity_np(pthread_self(), sizeof set, &set));
    assert(!pthread_getaffinity_np(pthread_self(), sizeof set, &set));
    assert(CPU_ISSET(0, &set) && CPU_COUNT(&set) == 1);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
