/* A lock-free stack whose pop compares only the address of the top: between reading the top and swapping it, the node may
 * have been popped, another one popped, and the first pushed again (ABA). Then the swap succeeds with a stale successor.
 * expect: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct node { _Atomic(struct node *) next; atomic_int taken; };

static struct node nodes[3];
static _Atomic(struct node *) top;

static void push(struct node *n)
{
    struct node *old = top;
    do n->next = old;
    while (!atomic_compare_exchange_strong(&top, &old, n));
}

static struct node *pop(void)
{
    struct node *old = top;
    while (old && !atomic_compare_exchange_strong(&top, &old, old->next)) {}
    return old;
}

static struct node *take(void)
{
    struct node *n = pop();
    if (n) assert(atomic_fetch_add(&n->taken, 1) == 0); /* nobody else has it */
    return n;
}

static void give(struct node *n)
{
    n->taken = 0;
    push(n);
}

static void *one(void *arg)
{
    take();
    take();
    return arg;
}

static void *other(void *arg)
{
    struct node *a = take(), *b = take();
    if (a) give(a);
    (void)b; /* kept */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (int i = 0; i < 3; i++) push(&nodes[i]);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
