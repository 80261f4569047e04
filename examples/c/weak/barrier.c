/* A barrier that reverses its sense: the last one to come resets the count and turns the sense, for which the others wait.
 * Counting has to release what was done before, and acquire it for the last one, which passes it on.
 * expect with --explore=optimal: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef WEAK
#define COUNT memory_order_release
#else
#define COUNT memory_order_acq_rel
#endif

enum { THREADS = 2, ROUNDS = 2 };
static atomic_int arrived, sense;
static int part[ROUNDS][THREADS];

static void wait_for_all(int turn)
{
    if (atomic_fetch_add_explicit(&arrived, 1, COUNT) == THREADS - 1) {
        atomic_store_explicit(&arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&sense, turn, memory_order_release);
    }
    while (atomic_load_explicit(&sense, memory_order_acquire) != turn) {}
}

static void *work(void *arg)
{
    int me = arg != NULL;
    for (int i = 0; i < ROUNDS; i++) {
        part[i][me] = 1 + i;
        wait_for_all((i + 1) % 2);
        assert(part[i][!me] == 1 + i);
    }
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
