/* The hundredth of a hundred threads does not take the lock.
   expect: ERROR race.* */
#include <assert.h>
#include <pthread.h>

enum { THREADS = 100 };

static int n;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *last)
{
    if (!last) pthread_mutex_lock(&mutex);
    n++;
    if (!last) pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, i == THREADS - 1 ? &n : NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    assert(n == THREADS);
}
