/* main returns while a thread is at work: what that does is seen without a preemption.
 * expect with --explore=bpor -b 0: ERROR assertion
 * expect with --explore=icb -b 0: ERROR assertion
 * expect with --explore=optimal: ERROR assertion
 * expect with --explore=cb-por -b 0: ERROR assertion
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int n;

static void *work(void *unused)
{
    assert(++n != 2);
    assert(++n != 3);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    n++;
    return 0;
}
