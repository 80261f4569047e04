/* Descriptors that are sent through a socket: an end of a pipe, a file; with bytes of their own, lost by who does not
ask for them, and closed with the last who has them. With an argument the sender keeps its own copy open, and the end of
the pipe never comes.
expect: VERIFIED no error in any schedule$
expect with --verify: VERIFIED no error in any schedule$
expect with -- keeps: ERROR deadlock
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
static int pair[2], ends[2], file, keeps;
union room { struct cmsghdr head; char space[CMSG_SPACE(2 * sizeof(int))]; };
static struct msghdr message(struct iovec *v, union room *r, size_t control)
{
    return (struct msghdr){.msg_iov = v, .msg_iovlen = 1, .msg_control = control ? r : 0, .msg_controllen = control};
}
static ssize_t give(const char *text, const int *fds, int count)
{
    union room r = {0};
    struct iovec v = {(char *)text, strlen(text)};
    struct msghdr m = message(&v, &r, count ? CMSG_SPACE(count * sizeof *fds) : 0);
    r.head = (struct cmsghdr){CMSG_LEN(count * sizeof *fds), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&r.head), fds, count * sizeof *fds);
    return sendmsg(pair[0], &m, 0);
}
static int take(char *text, size_t size, int *fds)
{
    union room r = {0};
    struct iovec v = {text, size};
    struct msghdr m = message(&v, &r, sizeof r.space);
    assert(recvmsg(pair[1], &m, 0) > 0);
    if (!m.msg_controllen) return 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    assert(c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS);
    int count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    memcpy(fds, CMSG_DATA(c), count * sizeof(int));
    return count;
}
static void *receives(void *unused)
{
    int fds[2];
    char text[16] = "";
    assert(take(text, 16, fds) == 2 && !strncmp(text, "ab", 2));
    assert(pread(fds[1], text, 16, 0) == 4 && !memcmp(text, "file", 4));
    assert(write(fds[0], "x", 1) == 1);
    close(fds[0]);
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char text[16];
    int two[2];
    keeps = argc > 1;
    file = memfd_create("file", 0);
    assert(write(file, "file", 4) == 4 && !pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pthread_create(&t, 0, receives, 0);
    two[0] = ends[1], two[1] = file;
    assert(give("ab", two, 2) == 2);
    if (!keeps) close(ends[1]);
    assert(read(ends[0], text, 16) == 1 && read(ends[0], text, 16) == 0);
    pthread_join(t, 0);
    two[0] = 1000;
    assert(give("z", two, 1) < 0 && errno == EBADF);
    assert(!pipe(ends) && give("12", 0, 0) == 2 && give("34", ends + 1, 1) == 2);
    close(ends[1]);
    assert(take(text, 16, two) == 1 && !memcmp(text, "1234", 4) && write(two[0], "y", 1) == 1);
    assert(give("56", 0, 0) == 2 && give("78", two, 1) == 2 && !close(two[0]));
    assert(read(pair[1], text, 16) == 4 && !memcmp(text, "5678", 4)); /* who reads has no use for it: it is closed */
    assert(read(ends[0], text, 16) == 1 && read(ends[0], text, 16) == 0);
}
