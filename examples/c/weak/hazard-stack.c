/* A Treiber stack whose nodes are freed, with hazard pointers. Whoever takes the top says first which node it looks at, and
 * then looks whether that is still the top; whoever has taken a node away looks at the hazard pointers of the others
 * before it frees it. That is store buffering: without sequentially consistent fences both may see the old value, and the
 * node is freed under a reader.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: memory, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif

enum { THREADS = 2 };
struct node { struct node *next; int value; };
static _Atomic(struct node *) top, hazard[THREADS];
static struct node *retired[THREADS];
static int sum[THREADS];

static void push(int value)
{
    struct node *n = malloc(sizeof *n);
    *n = (struct node){atomic_load_explicit(&top, memory_order_relaxed), value};
    while (!atomic_compare_exchange_weak_explicit(&top, &n->next, n, memory_order_release, memory_order_relaxed)) {}
}

/* What is on top, protected from being freed. What was protected before is no longer: hence the release. */
static struct node *protect(int me)
{
    for (;;) {
        struct node *n = atomic_load_explicit(&top, memory_order_relaxed);
        atomic_store_explicit(&hazard[me], n, memory_order_release);
        atomic_thread_fence(FENCE);
        if (atomic_load_explicit(&top, memory_order_acquire) == n) return n;
    }
}

static void retire(int me, struct node *n)
{
    atomic_thread_fence(FENCE);
    if (atomic_load_explicit(&hazard[!me], memory_order_acquire) == n) retired[me] = n;
    else free(n);
}

static int pop(int me)
{
    struct node *n = protect(me);
    while (n && !atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_relaxed, memory_order_relaxed))
        n = protect(me);
    atomic_store_explicit(&hazard[me], NULL, memory_order_release);
    if (!n) return 0;
    int value = n->value;
    retire(me, n);
    return value;
}

static void *one(void *arg)
{
    sum[0] = pop(0);
    return arg;
}

static void *two(void *arg)
{
    sum[1] = pop(1);
    push(2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    push(1);
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (atomic_load_explicit(&top, memory_order_relaxed)) sum[0] += pop(0);
    assert(sum[0] + sum[1] == 3);
    free(retired[0]);
    free(retired[1]);
    return 0;
}
