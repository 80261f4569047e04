/* The counter is atomic, the increment is not: read, add, write are three steps.
 * expect: assertion, 1 preemption */
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
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
