/* Threads that write and read two places, N times each: how many executions weak memory has, and how fast they are run. */
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 2
#endif
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif

static atomic_int x, y;

static void *one(void *arg)
{
    for (int i = 1; i <= N; i++) {
        atomic_store_explicit(&x, i, ORDER);
        atomic_load_explicit(&y, ORDER);
    }
    return arg;
}

static void *two(void *arg)
{
    for (int i = 1; i <= N; i++) {
        atomic_store_explicit(&y, i, ORDER);
        atomic_load_explicit(&x, ORDER);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
