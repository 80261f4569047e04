/* The kernel writes what the other thread reads: a system call of a function outside the tables.
 * expect: BOUNDED no error in any schedule, not fully observed: preadv2 at kernel.c:\d+ writes name
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

static char name[256];

static void *ask(void *unused)
{
    int file = open("/dev/zero", O_RDONLY);
    struct iovec to = {name, sizeof name};
    preadv2(file, &to, 1, 0, 0);
    return unused;
}

static void *look(void *unused)
{
    return name[0] == 1 ? name : unused;
}

int main(void)
{
    name[0] = 2;
    pthread_t a, b;
    pthread_create(&a, NULL, ask, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
