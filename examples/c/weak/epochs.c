/* Reclamation by epochs, its core: a reader announces that it is inside and then reads the pointer; the writer replaces
 * the pointer and then looks whether a reader is inside. As with hazard pointers this is store buffering.
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

static _Atomic(int *) current;
static atomic_int inside;

static void *read_it(void *arg)
{
    atomic_store_explicit(&inside, 1, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    int *p = atomic_load_explicit(&current, memory_order_acquire);
    assert(*p == 1 || *p == 2);
    atomic_store_explicit(&inside, 0, memory_order_release);
    return arg;
}

static void *replace(void *arg)
{
    int *fresh = malloc(sizeof *fresh), *old = atomic_load_explicit(&current, memory_order_relaxed);
    *fresh = 2;
    atomic_store_explicit(&current, fresh, memory_order_release);
    atomic_thread_fence(FENCE);
    if (!atomic_load_explicit(&inside, memory_order_acquire)) free(old);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    int *first = malloc(sizeof *first);
    *first = 1;
    atomic_store_explicit(&current, first, memory_order_relaxed);
    pthread_create(&a, NULL, read_it, NULL);
    pthread_create(&b, NULL, replace, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
