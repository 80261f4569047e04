/* A structure of more than 16 bytes that is returned: gcc does not instrument the store.
 * flags: -O0
 * expect: ERROR race: .*gap-result.c:19
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
static struct big { long a, b, c; } shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }

__attribute__((noinline)) static struct big make(long x) { return (struct big){x, x, x}; }

static void *work(void *a)
{
    lock();
    shared = make(2);
    unlock();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    locked = argc > 1;
    pthread_create(&t, NULL, work, argv);
    lock();
    shared.c++;
    unlock();
    return pthread_join(t, NULL);
}
