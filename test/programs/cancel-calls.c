/* Calls that do not wait for another thread can be cancelled as well: the mutex stays locked then.
expect with -- open: ERROR deadlock
expect with -- write: ERROR deadlock
expect with --explore=dpor -- write: ERROR deadlock
expect with --explore=optimal -- write: ERROR deadlock
expect with -- pread: ERROR deadlock
expect with -- fsync: ERROR deadlock
expect with -- close: ERROR deadlock
expect with -- fopen: ERROR deadlock
expect with -- printf: ERROR deadlock
expect with -- off: VERIFIED no error in any schedule$
expect with --verify -- off: VERIFIED no error in any schedule$
expect with -- nothing: VERIFIED no error in any schedule$
*/
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char *what;

static int is(const char *name) { return !strcmp(what, name); }

static void *run(void *p)
{
    char c;
    ssize_t done = 0;
    int fd = open("/dev/null", O_RDWR);
    pthread_mutex_lock(&m);
    if (is("off")) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
    if (is("open")) open("/dev/null", O_RDONLY);
    if (is("write") || is("off")) done += write(fd, "x", 1);
    if (is("pread")) done += pread(fd, &c, 1, 0);
    if (is("fsync")) fsync(fd);
    if (is("close")) close(fd);
    if (is("fopen")) fopen("/dev/null", "r");
    if (is("printf")) printf("%zd\n", done);
    pthread_mutex_unlock(&m);
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    pthread_create(&t, 0, run, 0);
    pthread_cancel(t);
    pthread_join(t, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}
