/* A barrier: the last one to come lets all go on. Counting has to release what was done before, and acquire it for the
 * last one, which passes it on.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define COUNT memory_order_release
#else
#define COUNT memory_order_acq_rel
#endif

enum { THREADS = 2 };
static atomic_int arrived, open;
static int part[THREADS];

static void *work(void *arg)
{
    int me = arg != NULL;
    part[me] = me + 1;
    if (atomic_fetch_add_explicit(&arrived, 1, COUNT) == THREADS - 1)
        atomic_store_explicit(&open, 1, memory_order_release);
    while (!atomic_load_explicit(&open, memory_order_acquire)) {}
    assert(part[!me] == 2 - me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &part);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
