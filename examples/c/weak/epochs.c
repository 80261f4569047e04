/* Reclamation by epochs. Who is inside says in which epoch it came; the epoch goes on when all that are inside have seen it,
 * and what was taken away two epochs ago is freed. A reader announces itself and then reads the pointer; the writer
 * replaces the pointer and then looks who is inside. As with hazard pointers this is store buffering, and takes fences.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif

enum { THREADS = 2, READER = 0, WRITER = 1, INSIDE = 1, ONE = 2 };
static atomic_int epoch, local[THREADS];
static _Atomic(int *) current;

static void enter(int me)
{
    int e = atomic_load_explicit(&epoch, memory_order_relaxed);
    atomic_store_explicit(&local[me], e | INSIDE, memory_order_relaxed);
    atomic_thread_fence(FENCE);
}

static void leave(int me) { atomic_store_explicit(&local[me], 0, memory_order_release); }

static void try_to_advance(void)
{
    int e = atomic_load_explicit(&epoch, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    for (int i = 0; i < THREADS; i++) {
        int l = atomic_load_explicit(&local[i], memory_order_acquire);
        if ((l & INSIDE) && l != (e | INSIDE)) return;
    }
    atomic_compare_exchange_strong_explicit(&epoch, &e, e + ONE, memory_order_acq_rel, memory_order_relaxed);
}

static void *read_it(void *arg)
{
    enter(READER);
    int *p = atomic_load_explicit(&current, memory_order_acquire);
    assert(*p == 1 || *p == 2);
    leave(READER);
    return arg;
}

/* What is too young to be freed is returned. */
static void *replace(void *arg)
{
    int *fresh = malloc(sizeof *fresh);
    *fresh = 2;
    enter(WRITER);
    int *old = atomic_exchange_explicit(&current, fresh, memory_order_acq_rel);
    leave(WRITER);
    atomic_thread_fence(FENCE);
    int since = atomic_load_explicit(&epoch, memory_order_relaxed);
    try_to_advance();
    try_to_advance();
    if (atomic_load_explicit(&epoch, memory_order_acquire) - since < 2 * ONE) return old;
    free(old);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    void *left;
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_init(&current, first);
    pthread_create(&a, NULL, read_it, NULL);
    pthread_create(&b, NULL, replace, NULL);
    pthread_join(a, NULL);
    pthread_join(b, &left);
    free(left);
    free(atomic_load_explicit(&current, memory_order_relaxed));
    return 0;
}
