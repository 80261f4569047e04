/* The result of inline assembly is stored without instrumentation by gcc.
 * flags: -O0
 * expect: ERROR race: .*gap-asm-result.c:19
 * expect with -- locked: VERIFIED no error in any schedule$
 */
#include <pthread.h>
static long shared;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int locked;

static void lock(void) { if (locked) pthread_mutex_lock(&m); }
static void unlock(void) { if (locked) pthread_mutex_unlock(&m); }

static long get(void) { long x; __asm__("movl $1, %k0" : "=r"(x)); return x; }

static void *work(void *a)
{
    lock();
    __asm__("movl $1, %k0" : "=r"(shared));
    unlock();
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    locked = argc > 1;
    pthread_create(&t, NULL, work, argv);
    lock();
    shared = get();
    unlock();
    return pthread_join(t, NULL);
}
