/* Whoever timed out finds the clock at the deadline, whatever it waited for.
expect: VERIFIED no error in any schedule
expect with --explore=dfs -b 2: BOUNDED no error with at most 2 preemptions
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static mtx_t plain;
static atomic_uint word;
static struct timespec deadline;

static int64_t nanoseconds(struct timespec t) { return t.tv_sec * 1000000000ll + t.tv_nsec; }

static void soon(void)
{
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
}

static void judge(int timed_out)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    assert(!timed_out || nanoseconds(now) >= nanoseconds(deadline));
}

static void *holds(void *a)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return a;
}

int main(void)
{
    struct timespec second = {1, 0};
    pthread_t t;
    sem_init(&s, 0, 0);
    mtx_init(&plain, mtx_timed);
    mtx_lock(&plain);
    pthread_rwlock_wrlock(&w);
    pthread_create(&t, 0, holds, 0);
    soon(), judge(pthread_mutex_timedlock(&m, &deadline) ? 1 : (pthread_mutex_unlock(&m), 0));
    soon(), judge(sem_timedwait(&s, &deadline) && errno == ETIMEDOUT);
    soon(), judge(pthread_timedjoin_np(t, 0, &deadline) == ETIMEDOUT ? 1 : (pthread_create(&t, 0, holds, 0), 0));
    soon(), judge(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &second, 0, 0) && errno == ETIMEDOUT);
    soon(), judge(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, 0, &deadline, 0, -1) && errno == ETIMEDOUT);
    pthread_mutex_lock(&m);
    soon(), judge(pthread_cond_timedwait(&c, &m, &deadline) == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
