/* A pointer to something new is published, as in RCU: readers follow it and must see what it points to.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

struct config { int low, high; };
static struct config first = {1, 2}, second;
static _Atomic(struct config *) current = &first;

static void *update(void *arg)
{
    second = (struct config){3, 4};
    atomic_store_explicit(&current, &second, PUBLISH);
    return arg;
}

static void *read_it(void *arg)
{
    const struct config *c = atomic_load_explicit(&current, memory_order_consume);
    assert(c->high == c->low + 1);
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, update, NULL);
    pthread_create(&b, NULL, read_it, NULL);
    pthread_create(&c, NULL, read_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
