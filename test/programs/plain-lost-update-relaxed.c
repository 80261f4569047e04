/* The same with relaxed accesses: a stale read is not needed for it, either. With an update in one step
 * nothing is lost.
 *
 * expect: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with --explore=dpor: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with -- fixed: VERIFIED no error in any schedule
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;
static int fixed;

static void *count(void *arg)
{
    if (fixed) {
        atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
        return arg;
    }
    int old = atomic_load_explicit(&n, memory_order_relaxed);
    atomic_store_explicit(&n, old + 1, memory_order_relaxed);
    return arg;
}

int main(int argc, char **argv)
{
    (void)argv;
    fixed = argc > 1;
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
