/* What a compare-exchange expects lies in the heap, where it is written when it fails: that is no waiting.
 * expect: VERIFIED
 * expect with --explore=optimal: VERIFIED
 * expect with --memory-model=sc: VERIFIED
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node { struct node *next; };
static _Atomic(struct node *) top;

static void push(void)
{
    struct node *n = malloc(sizeof *n);
    n->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed)) {}
}

static void take_all(void)
{
    struct node *n = atomic_exchange_explicit(&top, NULL, memory_order_acquire), *next;
    for (; n; n = next) {
        next = n->next;
        free(n);
    }
}

static void *one(void *arg)
{
    push();
    return arg;
}

static void *two(void *arg)
{
    take_all();
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    push();
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    take_all();
    return 0;
}
