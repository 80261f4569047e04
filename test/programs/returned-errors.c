/* Calls that fail, and what they return with the GNU C library on Linux.
expect: VERIFIED no error in any schedule$
flags: -w
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void *nothing(void *x) { return x; }

int main(void)
{
    pthread_t t;
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec past = {0}, wrong = {0, -1};
    struct stat st;
    sem_t s;
    int p[2];
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    pthread_rwlock_wrlock(&l);
    assert(pthread_rwlock_timedrdlock(&l, &past) == EDEADLK && pthread_rwlock_timedwrlock(&l, &past) == EDEADLK);
    pthread_rwlock_unlock(&l);
    sem_init(&s, 0, 1);
    assert(sem_timedwait(&s, &wrong) == -1 && errno == EINVAL && sem_trywait(&s) == 0);
    assert(clock_nanosleep(CLOCK_THREAD_CPUTIME_ID, 0, &past, NULL) == EINVAL);
    assert(munmap((void *)1, 4096) == -1 && errno == EINVAL);
    assert(pthread_setcancelstate(77, NULL) == EINVAL && pthread_setcanceltype(77, NULL) == EINVAL);
    free(aligned_alloc(4096, 10));
    pipe(p);
    assert(!fstat(p[0], &st) && S_ISFIFO(st.st_mode));
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    assert(!fstat(p[0], &st) && S_ISSOCK(st.st_mode));
    return 0;
}
