/* A failure that is certain, met while the points of --points=all are learnt.
expect with --points=all: ERROR assertion: n < 2
expect with --points=all --explore=optimal: ERROR assertion: n < 2
*/
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *f(void *a)
{
    pthread_mutex_lock(&m);
    n++;
    assert(n < 2);
    pthread_mutex_unlock(&m);
    return a;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, f, 0);
    pthread_create(&b, 0, f, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
