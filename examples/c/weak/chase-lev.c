/* The work-stealing deque of Chase and Lev with the memory orders published for C11 (Le, Pop, Cohen, Nardelli 2013), with
 * the array that grows. Two things that can be too weak:
 * WEAK: the fence in take() orders the store of `bottom` before the load of `top`; without that the owner and a thief may
 * both get the last item.
 * GROW: the new array was published relaxed, until a checker found that a thief may look into it before it is filled
 * (Norris, Demsky 2013).
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: assertion, 1 preemption
 * expect with --cflags=-DGROW: race, 1 preemption */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif
#ifdef GROW
#define PUBLISH memory_order_relaxed
#else
#define PUBLISH memory_order_release
#endif

enum { ITEMS = 3, EMPTY = 0 };
struct array { int room; atomic_int items[]; };
static atomic_int top, bottom, taken[ITEMS];
static _Atomic(struct array *) array;

static struct array *array_new(int room)
{
    struct array *a = malloc(sizeof *a + (size_t)room * sizeof a->items[0]);
    a->room = room;
    return a;
}

/* The old array stays: a thief may be looking into it. */
static struct array *grow(struct array *old, int t, int b)
{
    struct array *a = array_new(2 * old->room);
    for (int i = t; i < b; i++)
        atomic_init(&a->items[i % a->room], atomic_load_explicit(&old->items[i % old->room], memory_order_relaxed));
    atomic_store_explicit(&array, a, PUBLISH);
    return a;
}

static void push(int x)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed), t = atomic_load_explicit(&top, memory_order_acquire);
    struct array *a = atomic_load_explicit(&array, memory_order_relaxed);
    if (b - t == a->room) a = grow(a, t, b);
    atomic_store_explicit(&a->items[b % a->room], x, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1, x = EMPTY;
    struct array *a = atomic_load_explicit(&array, memory_order_relaxed);
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t <= b) {
        x = atomic_load_explicit(&a->items[b % a->room], memory_order_relaxed);
        if (t < b) return x;
        if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
            x = EMPTY;
    }
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
    return x;
}

static int steal(void)
{
    int t = atomic_load_explicit(&top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    int b = atomic_load_explicit(&bottom, memory_order_acquire);
    if (t >= b) return EMPTY;
    struct array *a = atomic_load_explicit(&array, memory_order_consume);
    int x = atomic_load_explicit(&a->items[t % a->room], memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, memory_order_seq_cst, memory_order_relaxed))
        return EMPTY;
    return x;
}

static void got(int x)
{
    if (x != EMPTY) assert(atomic_fetch_add_explicit(&taken[x], 1, memory_order_relaxed) == 0);
}

static void *own(void *arg)
{
    push(1);
    push(2);
    got(take());
    got(take());
    return arg;
}

static void *rob(void *arg)
{
    got(steal());
    got(steal());
    return arg;
}

int main(void)
{
    pthread_t a, b;
    atomic_init(&array, array_new(1));
    pthread_create(&a, NULL, own, NULL);
    pthread_create(&b, NULL, rob, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
