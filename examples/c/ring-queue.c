/* A queue in a ring, made for one producer and used by two: they can take the same slot, and an item is gone.
 * expect: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 4 };
static atomic_int slot[SLOTS];
static atomic_uint tail;

static void push(int item)
{
    unsigned at = tail;
    slot[at % SLOTS] = item;
    tail = at + 1;
}

static void *producer(void *item)
{
    push(*(int *)item);
    return NULL;
}

int main(void)
{
    static int one = 1, two = 2;
    pthread_t a, b;
    pthread_create(&a, NULL, producer, &one);
    pthread_create(&b, NULL, producer, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(slot[0] + slot[1] == 3);
}
