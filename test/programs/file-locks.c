/* Locks of open files: two threads that have opened a file each keep each other out, and two that share a descriptor do
 * not. Closing the last copy gives the lock back. Locks of the process keep out no thread.
 * expect with -- flock: VERIFIED no error in any schedule$
 * expect with -- shared: ERROR race
 * expect with -- copied: ERROR race
 * expect with -- readers: ERROR race
 * expect with -- try: VERIFIED no error in any schedule$
 * expect with -- close: VERIFIED no error in any schedule$
 * expect with -- copy-left: ERROR deadlock
 * expect with -- stream: VERIFIED no error in any schedule$
 * expect with -- deadlock: ERROR deadlock
 * expect with --explore=optimal -- deadlock: ERROR deadlock
 * expect with -- range: VERIFIED no error in any schedule$
 * expect with -- other-range: ERROR race
 * expect with -- ask: VERIFIED no error in any schedule$
 * expect with -- process: ERROR race
 * expect with --verify -- flock: VERIFIED
 * expect with --verify -- deadlock: ERROR deadlock
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
static const char *mode;
static char path[2][64];
static int data, one;

static int is(const char *other) { return !strcmp(mode, other); }

static int lock_range(int fd, int type, int command, long from)
{
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = from, .l_len = 10};
    return fcntl(fd, command, &l);
}

static int try_flock(void)
{
    int fd = open(path[0], O_RDWR);
    if (flock(fd, LOCK_EX | LOCK_NB)) assert(errno == EWOULDBLOCK);
    else data++, flock(fd, LOCK_UN);
    return close(fd);
}

static void with_stream(void)
{
    FILE *f = fopen(path[0], "r+");
    flock(fileno(f), LOCK_EX);
    data++;
    fclose(f);
}

static void with_flock(int fd)
{
    int copy = is("copy-left") ? dup(fd) : -1;
    flock(fd, is("readers") ? LOCK_SH : LOCK_EX);
    data++;
    if (!is("close") && copy < 0) flock(fd, LOCK_UN);
}

static void with_range(int fd, long id)
{
    int command = is("process") ? F_SETLKW : F_OFD_SETLKW;
    assert(!lock_range(fd, F_WRLCK, command, is("other-range") ? 10 * id : 5 * id));
    data++;
    assert(!lock_range(fd, F_UNLCK, command, is("other-range") ? 10 * id : 5 * id));
}

static void asks(int fd)
{
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 3};
    assert(!fcntl(fd, F_OFD_GETLK, &l));
    assert(l.l_type == F_UNLCK || (l.l_type == F_WRLCK && l.l_start < 10 && l.l_len == 10 && l.l_pid == -1));
    with_range(fd, 0);
}

static void both(long id)
{
    int a = open(path[id], O_RDWR), b = open(path[!id], O_RDWR);
    flock(a, LOCK_EX);
    flock(b, LOCK_EX);
    flock(b, LOCK_UN);
    flock(a, LOCK_UN);
    close(a);
    close(b);
}

static void *work(void *a)
{
    long id = (long)a;
    if (is("try")) return try_flock(), a;
    if (is("stream")) return with_stream(), a;
    if (is("deadlock")) return both(id), a;
    int fd = is("shared") ? one : is("copied") ? dup(one) : open(path[0], O_RDWR);
    if (strstr(mode, "range") || is("process")) with_range(fd, id);
    else if (is("ask")) asks(fd);
    else with_flock(fd);
    if (!is("shared")) close(fd);
    return a;
}

int main(int argc, char **argv)
{
    pthread_t t;
    mode = argc > 1 ? argv[1] : "";
    for (int i = 0; i < 2; i++) {
        snprintf(path[i], sizeof path[i], "heddle-lock-%d", i);
        close(open(path[i], O_RDWR | O_CREAT, 0600));
    }
    one = open(path[0], O_RDWR);
    pthread_create(&t, NULL, work, (void *)1);
    work(NULL);
    pthread_join(t, NULL);
    return close(one);
}
