/* 5,000 threads, one after the other; the last one is not waited for before main looks.
 * expect: ERROR race: read of count at .*threads-recycled-bug.c:24 and write at .*threads-recycled-bug.c:11
 */
#include <assert.h>
#include <pthread.h>

static int count;

static void *once(void *a)
{
    count++;
    return a;
}

int main(void)
{
    enum { THREADS = 5000 };
    pthread_t t;
    for (int i = 1; i < THREADS; i++) {
        pthread_create(&t, 0, once, 0);
        pthread_join(t, 0);
    }
    pthread_create(&t, 0, once, 0);
    assert(count < THREADS);
    pthread_join(t, 0);
}
