/* Two critical sections of a thread belong together, and another thread comes in between. Constraints on the order
 * of owners of a mutex find the order among 21 threads.
 * expect with --explore=rff --executions=60: ERROR assertion: second == first . 1
 * expect with --explore=surw --executions=400: ERROR assertion: second == first . 1
 */
#include <assert.h>
#include <pthread.h>

enum { WRITERS = 20 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int one, two;

static void *write_both(void *arg)
{
    pthread_mutex_lock(&m);
    one = 1;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&n);
    two = 2;
    pthread_mutex_unlock(&n);
    return arg;
}

static void *look(void *arg)
{
    pthread_mutex_lock(&m);
    int first = one;
    pthread_mutex_unlock(&m);
    if (!first) return arg;
    pthread_mutex_lock(&n);
    int second = two;
    pthread_mutex_unlock(&n);
    assert(second == first + 1);
    return arg;
}

int main(void)
{
    pthread_t t[WRITERS + 1];
    for (int i = 0; i < WRITERS; i++) pthread_create(&t[i], NULL, write_both, NULL);
    pthread_create(&t[WRITERS], NULL, look, NULL);
    for (int i = 0; i <= WRITERS; i++) pthread_join(t[i], NULL);
}
