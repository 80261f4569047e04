/* Blocks that one thread allocates and another frees, with ALLOCATE and FREE of a library. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *shared;
static int n;
static void *f(void *a)
{
    char *p = ALLOCATE(100);
    memset(p, 1, 100);
#ifndef BUG
    pthread_mutex_lock(&lock);
#endif
    if (shared) FREE(shared);
    shared = p;
    n++;
#ifndef BUG
    pthread_mutex_unlock(&lock);
#endif
    return a;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    f(0);
    pthread_join(t, 0);
    assert(n == 2 && shared[99] == 1);
    FREE(shared);
}
