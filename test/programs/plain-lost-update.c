/* A lost update between seq_cst accesses, in a program with relaxed accesses elsewhere. With a stale read it needs no
 * preemption, but an interleaving that costs as much is easier to understand, so that is what is shown.
 *
 * expect: ERROR assertion: n == 2 at .*plain-lost-update.c:\d+ \(1 preemption, \d+ steps\)$
 * expect with --explore=cb-por: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with --explore=optimal: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with --explore=dfs: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with --explore=random: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 * expect with --explore=fair -j 1: ERROR assertion: n == 2 .* \(1 preemption, \d+ steps\)$
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n, calls;

static void *count(void *arg)
{
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
    int old = n;
    n = old + 1;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, count, NULL);
    pthread_create(&b, NULL, count, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
