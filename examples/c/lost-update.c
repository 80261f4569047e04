/* Two threads increment a counter without making the increment atomic.
 * expect: race, 0 preemptions
 * expect with --races=explore: assertion, 1 preemption */
#include <assert.h>
#include <pthread.h>

static int n;

static void *increment(void *arg)
{
    n++;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, increment, NULL);
    pthread_create(&b, NULL, increment, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n == 2);
}
