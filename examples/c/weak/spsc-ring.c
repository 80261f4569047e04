/* A ring for one producer and one consumer. The release of `tail` hands over the slot; relaxed, the consumer may see the
 * new tail and the old slot.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

enum { ROOM = 2, ITEMS = 3 };
static int slot[ROOM];
static atomic_uint head, tail;

static int push(int value)
{
    unsigned t = atomic_load_explicit(&tail, memory_order_relaxed);
    if (t - atomic_load_explicit(&head, memory_order_acquire) == ROOM) return 0;
    slot[t % ROOM] = value;
    atomic_store_explicit(&tail, t + 1, PUBLISH);
    return 1;
}

static int pop(int *value)
{
    unsigned h = atomic_load_explicit(&head, memory_order_relaxed);
    if (atomic_load_explicit(&tail, memory_order_acquire) == h) return 0;
    *value = slot[h % ROOM];
    atomic_store_explicit(&head, h + 1, memory_order_release);
    return 1;
}

static void *produce(void *arg)
{
    for (int i = 1; i <= ITEMS; i++) push(i);
    return arg;
}

static void *consume(void *arg)
{
    int value, last = 0;
    for (int i = 0; i < ITEMS; i++)
        if (pop(&value)) {
            assert(value > last);
            last = value;
        }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, produce, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
