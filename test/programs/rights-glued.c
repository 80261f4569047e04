/* The system ends a read behind what was sent with descriptors. Here it goes on, and the verdict says so.
expect: BOUNDED no error in any schedule, as far as it is under control
warns: reads on behind what was sent with descriptors, where the system would stop
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
static int pair[2], ends[2];
static ssize_t give(const char *text, int fd)
{
    union { struct cmsghdr head; char space[CMSG_SPACE(sizeof(int))]; } r = {0};
    struct iovec v = {(char *)text, strlen(text)};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = &r, .msg_controllen = sizeof r};
    r.head = (struct cmsghdr){CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(&r.head), &fd, sizeof fd);
    return sendmsg(pair[0], &m, 0);
}
static void *w(void *a)
{
    assert(give("ab", ends[0]) == 2 && write(pair[0], "cd", 2) == 2);
    return a;
}
int main(void)
{
    pthread_t t;
    char x[16];
    int all = 0, reads = 0;
    assert(!pipe(ends) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    pthread_create(&t, 0, w, 0);
    while (all < 4) {
        int n = read(pair[1], x, 16);
        assert(n > 0);
        all += n;
        reads++;
    }
    pthread_join(t, 0);
    assert(reads <= 2);
}
