/* A queue in a ring, for several producers: each takes a slot of its own.
 * expect: verified */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 4 };
static atomic_int slot[SLOTS];
static atomic_uint tail;

static void push(int item)
{
    unsigned at = atomic_fetch_add(&tail, 1);
    slot[at % SLOTS] = item;
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
