/* 930 execution graphs in weak memory, and many more executions within rising bounds. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, z;
#define STORE(place, value) atomic_store_explicit(&place, value, memory_order_relaxed)
#define LOAD(place) atomic_load_explicit(&place, memory_order_relaxed)

static void *one(void *a)
{
    STORE(x, 1);
    LOAD(y);
    STORE(z, 1);
    LOAD(x);
    return a;
}

static void *two(void *a)
{
    STORE(y, 1);
    LOAD(z);
    STORE(x, 2);
    LOAD(y);
    return a;
}

static void *three(void *a)
{
    LOAD(x);
    STORE(z, 2);
    LOAD(y);
    LOAD(z);
    STORE(y, 2);
    return a;
}

int main(void)
{
    void *(*const work[3])(void *) = {one, two, three};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work[i], NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
