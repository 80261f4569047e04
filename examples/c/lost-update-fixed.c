/* A mutex around the increment.
 * expect: verified */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *increment(void *arg)
{
    pthread_mutex_lock(&mutex);
    n++;
    pthread_mutex_unlock(&mutex);
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
