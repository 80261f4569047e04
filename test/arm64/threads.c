/* Threads, a mutex, a condition variable, atomics and thread-local variables: what the code that depends on the
 * processor has to get right. With -DBUG a race. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int n;
static atomic_int x;
static __thread int own = 3;
static void *f(void *a)
{
    own++;
#ifdef BUG
    n++;
    pthread_mutex_lock(&m);
#else
    pthread_mutex_lock(&m);
    n++;
#endif
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    x++;
    assert(own == 4);
    return a;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
    pthread_mutex_lock(&m);
    while (n < 3) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    while (x != 3) {}
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    printf("%d %d %d\n", n, (int)x, own);
}
