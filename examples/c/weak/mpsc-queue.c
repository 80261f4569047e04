/* A queue of many producers and one consumer: an exchange of the head, then a link from the node before. The consumer
 * follows links, so it is the link that has to release the node.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define LINK memory_order_relaxed
#else
#define LINK memory_order_release
#endif

struct node { _Atomic(struct node *) next; int value; };
static struct node stub, nodes[2];
static _Atomic(struct node *) head = &stub;

static void push(struct node *n, int value)
{
    n->value = value;
    atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&head, n, memory_order_acq_rel);
    atomic_store_explicit(&before->next, n, LINK);
}

static void *produce(void *arg)
{
    push(arg, (int)((struct node *)arg - nodes) + 1);
    return NULL;
}

static void *consume(void *arg)
{
    struct node *tail = &stub;
    for (int tries = 0; tries < 2; tries++) {
        struct node *next = atomic_load_explicit(&tail->next, memory_order_acquire);
        if (!next) continue;
        assert(next->value == 1 || next->value == 2);
        tail = next;
    }
    return arg;
}

int main(void)
{
    pthread_t a, b, c;
    pthread_create(&a, NULL, produce, &nodes[0]);
    pthread_create(&b, NULL, produce, &nodes[1]);
    pthread_create(&c, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_join(c, NULL);
    return 0;
}
