/* Something is set up by whoever comes first. The first look is made without the lock and must acquire.
 * expect: verified
 * expect with --cflags=-DWEAK: race, 0 preemptions */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define LOOK memory_order_relaxed
#else
#define LOOK memory_order_acquire
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static int value;

static void *use(void *arg)
{
    if (!atomic_load_explicit(&done, LOOK)) {
        pthread_mutex_lock(&mutex);
        if (!atomic_load_explicit(&done, memory_order_relaxed)) {
            value = 42;
            atomic_store_explicit(&done, 1, memory_order_release);
        }
        pthread_mutex_unlock(&mutex);
    }
    assert(value == 42);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
