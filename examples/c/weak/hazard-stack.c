/* A Treiber stack whose nodes are freed, with a hazard pointer. The reader says which node it looks at and then looks
 * whether that is still the top; the other one takes the top away and then looks at the hazard pointer. That is store
 * buffering: without sequentially consistent fences both may see the old value, and the node is freed under the reader.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif

struct node { struct node *next; int value; };
static _Atomic(struct node *) top, hazard;

static void *look(void *arg)
{
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    if (!n) return arg;
    atomic_store_explicit(&hazard, n, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    if (atomic_load_explicit(&top, memory_order_acquire) == n) assert(n->value == 7);
    atomic_store_explicit(&hazard, NULL, memory_order_release);
    return arg;
}

static void *take(void *arg)
{
    struct node *n = atomic_load_explicit(&top, memory_order_acquire);
    if (!n || !atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_acq_rel, memory_order_acquire))
        return arg;
    atomic_thread_fence(FENCE);
    if (atomic_load_explicit(&hazard, memory_order_acquire) != n) free(n);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    struct node *n = malloc(sizeof *n);
    *n = (struct node){NULL, 7};
    atomic_store_explicit(&top, n, memory_order_relaxed);
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, take, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
