/* A copy of a small constant size that the compiler makes of moves.
 * flags: -O1
 * expect: ERROR race: .*gap-memcpy.c:19
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
static char shared[8], other[8];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }



static void *work(void *a)
{
    lock();
    __builtin_memcpy(shared, other, 8);
    unlock();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    locked = argc > 1;
    pthread_create(&t, NULL, work, argv);
    lock();
    shared[7]++;
    unlock();
    return pthread_join(t, NULL);
}
