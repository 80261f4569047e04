/* The work-stealing deque of Chase and Lev with the memory orders published for C11 (Le, Pop, Cohen, Nardelli 2013). The
 * fence in take() orders the store of `bottom` before the load of `top`; with a weaker one the owner and a thief may
 * both get the last item.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif

enum { ROOM = 4, EMPTY = 0 };
static atomic_int top, bottom, items[ROOM], taken[ROOM];

static void push(int x)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed);
    atomic_store_explicit(&items[b % ROOM], x, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&bottom, b + 1, memory_order_relaxed);
}

static int take(void)
{
    int b = atomic_load_explicit(&bottom, memory_order_relaxed) - 1, x = EMPTY;
    atomic_store_explicit(&bottom, b, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    int t = atomic_load_explicit(&top, memory_order_relaxed);
    if (t <= b) {
        x = atomic_load_explicit(&items[b % ROOM], memory_order_relaxed);
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
    int x = atomic_load_explicit(&items[t % ROOM], memory_order_relaxed);
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
    pthread_create(&a, NULL, own, NULL);
    pthread_create(&b, NULL, rob, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
