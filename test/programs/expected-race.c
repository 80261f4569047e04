/* What a compare-exchange expects is plain memory, of which two threads must not make use at the same time.
 * expect: ERROR race: write of expected
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x = 1;
static int expected;

static void *try_it(void *arg)
{
    atomic_compare_exchange_strong(&x, &expected, 2);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, try_it, NULL);
    pthread_create(&b, NULL, try_it, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
