/* A ticket lock. Drawing a ticket may be relaxed; being served has to acquire what the one before released.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define SERVE memory_order_relaxed
#else
#define SERVE memory_order_release
#endif

static atomic_uint next, serving;
static int n;

static void *work(void *arg)
{
    unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine) {}
    n++;
    atomic_store_explicit(&serving, mine + 1, SERVE);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n == 2 ? 0 : 1;
}
