/* Runs a small program over weak memory, mutexes, semaphores, rwlocks, condition variables, barriers, futexes, accesses
 * of several sizes, assumptions and early ends. There is one argument for each thread: a letter for each operation, then
 * its digits, of which the first is a place or a value and the second a memory order. What the interpreter does itself
 * is not instrumented. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <heddle.h>

unsigned char __tsan_atomic8_load(const volatile void *at, int order);
void __tsan_atomic16_store(volatile void *at, unsigned short value, int order);
unsigned __tsan_atomic32_load(const volatile void *at, int order);
void __tsan_atomic32_store(volatile void *at, unsigned value, int order);
unsigned __tsan_atomic32_fetch_add(volatile void *at, unsigned value, int order);
void __tsan_atomic_thread_fence(int order);

#define QUIET __attribute__((no_sanitize_thread))

static int place[3];
static pthread_mutex_t mutex[2];
static pthread_rwlock_t rwlock;
static pthread_cond_t condition;
static pthread_barrier_t barrier;
static sem_t semaphore;
static char **texts;

struct runner { int thread, seen; };

QUIET static void access_memory(struct runner *r, char what, int at, int order)
{
    int *p = &place[at], value = 0x0101 * (r->thread + 1);
    switch (what) {
    case 'r': r->seen = (int)__tsan_atomic32_load(p, order) & 0xff; break;
    case 'w': __tsan_atomic32_store(p, (unsigned)value, order); break;
    case 'a': r->seen = (int)__tsan_atomic32_fetch_add(p, 1, order) & 0xff; break;
    case 'b': r->seen = __tsan_atomic8_load((char *)p + 1, order); break;
    case 'h': __tsan_atomic16_store(p, (unsigned short)value, order); break;
    case 'f': __tsan_atomic_thread_fence(order); break;
    case 'Z': syscall(SYS_futex, p, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0); break;
    case 'K': syscall(SYS_futex, p, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); break;
    default: break;
    }
}

QUIET static void use_object(char what, int which)
{
    switch (what) {
    case 'L': pthread_mutex_lock(&mutex[which]); break;
    case 'U': pthread_mutex_unlock(&mutex[which]); break;
    case 'D': pthread_rwlock_rdlock(&rwlock); break;
    case 'W': pthread_rwlock_wrlock(&rwlock); break;
    case 'V': pthread_rwlock_unlock(&rwlock); break;
    case 'P': sem_post(&semaphore); break;
    case 'S': sem_wait(&semaphore); break;
    case 'C': pthread_cond_wait(&condition, &mutex[0]); break;
    case 'N': pthread_cond_signal(&condition); break;
    case 'M': pthread_cond_broadcast(&condition); break;
    case 'B': pthread_barrier_wait(&barrier); break;
    default: break;
    }
}

/* Whether the thread goes on. */
QUIET static bool decide(const struct runner *r, char what, int value)
{
    switch (what) {
    case 'T': return !pthread_mutex_trylock(&mutex[0]);
    case 'Y': return !sem_trywait(&semaphore);
    case 'A': heddle_assume(r->seen == value); return true;
    case 'E': exit(0);
    case 'X': assert(r->seen != value); return true;
    default: return true;
    }
}

QUIET static void *run(void *arg)
{
    struct runner r = {(int)(long)arg, 0};
    for (const char *p = texts[r.thread]; *p;) {
        char what = *p++;
        int first = *p >= '0' && *p <= '9' ? *p++ - '0' : 0, second = *p >= '0' && *p <= '9' ? *p++ - '0' : 0;
        access_memory(&r, what, first, second);
        use_object(what, first);
        if (!decide(&r, what, first)) break;
    }
    return NULL;
}

QUIET int main(int argc, char **argv)
{
    pthread_t thread[4];
    texts = argv + 1;
    for (int i = 0; i < 2; i++) pthread_mutex_init(&mutex[i], NULL);
    pthread_rwlock_init(&rwlock, NULL);
    pthread_cond_init(&condition, NULL);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&semaphore, 0, 1);
    for (long i = 0; i < argc - 1; i++) pthread_create(&thread[i], NULL, run, (void *)i);
    for (long i = 0; i < argc - 1; i++) pthread_join(thread[i], NULL);
    return 0;
}
