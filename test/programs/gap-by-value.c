/* A structure that is passed by value is copied without instrumentation.
 * flags: -O0
 * expect: ERROR race: .*gap-by-value.c:19
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
static struct big { long a, b, c, d; } shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }

__attribute__((noinline)) static long last(struct big b) { return b.d; }

static void *work(void *a)
{
    lock();
    (void)last(shared);
    unlock();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    locked = argc > 1;
    pthread_create(&t, NULL, work, argv);
    lock();
    shared.d = 1;
    unlock();
    return pthread_join(t, NULL);
}
