/* A thread may have any name; in a counterexample it is one line, and the trace can be read again.
 * expect: ERROR assertion: n == 2
 * prints: main +T1 a\?b +T2 \?\[31m
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *increment(void *arg)
{
    int old = n;
    n = old + 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_setname_np(a, "a\nb");
    pthread_setname_np(b, "\033[31m");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
