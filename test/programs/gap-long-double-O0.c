/* clang does not instrument long double.
 * flags: -O0
 * expect: ERROR race: .*gap-long-double-O0.c:14
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
static long double shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }

__attribute__((noinline)) static void set(long double x) { shared = x; }

static void *work(void *a)
{
    lock();
    shared += 1;
    unlock();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    locked = argc > 1;
    pthread_create(&t, NULL, work, argv);
    lock();
    set(2);
    unlock();
    return pthread_join(t, NULL);
}
