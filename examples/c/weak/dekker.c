/* The entry of Dekker's algorithm: I want to, does the other one? Only sequentially consistent fences between the two
 * keep both threads from seeing nobody.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define FENCE memory_order_acq_rel
#else
#define FENCE memory_order_seq_cst
#endif

static atomic_int wants[2];
static int n;

static void *enter(void *arg)
{
    int me = arg != NULL;
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
    atomic_thread_fence(FENCE);
    if (!atomic_load_explicit(&wants[!me], memory_order_acquire)) n++;
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, enter, NULL);
    pthread_create(&b, NULL, enter, &wants);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
