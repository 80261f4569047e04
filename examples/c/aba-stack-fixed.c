/* The stack of aba-stack.c with a version number beside the index of the top: a stale swap fails.
 * expect with -b 2: bounded */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { NODES = 3, NONE = 0 };
struct node { atomic_uint next; atomic_int taken; };

static struct node nodes[NODES + 1]; /* index 0: none */
static _Atomic uint64_t top;         /* version, index */

static uint64_t with_index(uint64_t old, uint32_t index) { return ((old >> 32) + 1) << 32 | index; }

static void push(uint32_t n)
{
    uint64_t old = top;
    do nodes[n].next = (uint32_t)old;
    while (!atomic_compare_exchange_strong(&top, &old, with_index(old, n)));
}

static uint32_t pop(void)
{
    uint64_t old = top;
    while ((uint32_t)old && !atomic_compare_exchange_strong(&top, &old, with_index(old, nodes[(uint32_t)old].next))) {}
    return (uint32_t)old;
}

static uint32_t take(void)
{
    uint32_t n = pop();
    if (n) assert(atomic_fetch_add(&nodes[n].taken, 1) == 0);
    return n;
}

static void give(uint32_t n)
{
    nodes[n].taken = 0;
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
    uint32_t a = take(), b = take();
    if (a) give(a);
    (void)b;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    for (uint32_t i = 1; i <= NODES; i++) push(i);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, other, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
