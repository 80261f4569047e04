/* The same with wide registers.
 * flags: -O2 -mavx2
 * expect: ERROR race: .*gap-avx.c:19
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
typedef int wide __attribute__((vector_size(32)));static wide shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }



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
    shared = (wide){1};
    unlock();
    return pthread_join(t, NULL);
}
