/* Peterson's lock. The store of `turn` and the look at the other flag have to be in one order for both threads.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define LOOK memory_order_acquire
#else
#define LOOK memory_order_seq_cst
#endif

static atomic_int wants[2], turn;
static int n;

static void *enter(void *arg)
{
    int me = arg != NULL, other = !me;
    atomic_store(&wants[me], 1);
    atomic_store(&turn, other);
    while (atomic_load_explicit(&wants[other], LOOK) && atomic_load(&turn) == other) {}
    n++;
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
