/* A system call by its number announces what it writes.
 * flags: -O1 -D_GNU_SOURCE
 * expect: ERROR race
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct timespec now;

static void *ask(void *unused)
{
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return unused;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, ask, NULL);
    now.tv_sec = 1;
    pthread_join(t, NULL);
    return 0;
}
