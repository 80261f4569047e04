/* Waiting for several descriptors at once, by level and by edge.
expect with -- poll: VERIFIED no error in any schedule$
expect with --verify -- poll: VERIFIED no error in any schedule$
expect with --explore=dpor -- poll: VERIFIED no error in any schedule$
expect with -- select: VERIFIED no error in any schedule$
expect with -- one: VERIFIED no error in any schedule$
expect with -- epoll: VERIFIED no error in any schedule$
expect with --verify -- epoll: VERIFIED no error in any schedule$
expect with --explore=dpor -- epoll: VERIFIED no error in any schedule$
expect with -- edge: ERROR deadlock
expect with -- drained: VERIFIED no error in any schedule$
expect with -- time-out: ERROR assertion: n
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>
static int p[2], q[2], e;
static void *write_all(void *a)
{
    write(p[1], "pp", 2);
    write(q[1], "q", 1);
    eventfd_write(e, 3);
    return a;
}
static int got_p, got_q, got_e;
static void take(int fd)
{
    char c;
    eventfd_t v;
    if (fd == p[0]) got_p += read(fd, &c, 1);
    else if (fd == q[0]) got_q += read(fd, &c, 1);
    else assert(!eventfd_read(e, &v) && (got_e += v) == 3);
}
static int complete(void) { return got_p == 2 && got_q == 1 && got_e == 3; }
static void with_poll(void)
{
    while (!complete()) {
        struct pollfd fds[] = {{p[0], POLLIN, 0}, {q[0], POLLIN, 0}, {e, POLLIN, 0}};
        assert(poll(fds, 3, -1) > 0);
        for (int i = 0; i < 3; i++)
            if (fds[i].revents & POLLIN) take(fds[i].fd);
    }
}
static void with_select(void)
{
    while (!complete()) {
        fd_set in;
        FD_ZERO(&in);
        FD_SET(p[0], &in);
        FD_SET(q[0], &in);
        FD_SET(e, &in);
        assert(select(e + 1, &in, 0, 0, 0) > 0);
        for (int fd = 0; fd <= e; fd++)
            if (FD_ISSET(fd, &in)) take(fd);
    }
}
static void with_one(void)
{
    struct pollfd fd = {e, POLLIN, 0};
    assert(poll(&fd, 1, -1) == 1 && fd.revents == POLLIN);
    take(e);
}
static void with_epoll(unsigned flags, int drains)
{
    int ep = epoll_create1(EPOLL_CLOEXEC), fds[] = {p[0], q[0], e};
    for (int i = 0; i < 3; i++) {
        struct epoll_event event = {.events = EPOLLIN | flags, .data.fd = fds[i]};
        assert(!epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &event));
        fcntl(fds[i], F_SETFL, O_NONBLOCK);
    }
    while (!complete()) {
        struct epoll_event events[3];
        int n = epoll_wait(ep, events, 3, -1);
        assert(n > 0);
        for (int i = 0; i < n; i++) {
            take(events[i].data.fd);
            if (drains && events[i].data.fd == p[0] && got_p < 2) take(p[0]);
        }
    }
    close(ep);
}
int main(int argc, char **argv)
{
    pthread_t t;
    pipe(p);
    pipe(q);
    e = eventfd(0, 0);
    pthread_create(&t, 0, write_all, 0);
    if (!strcmp(argv[1], "poll")) with_poll();
    if (!strcmp(argv[1], "select")) with_select();
    if (!strcmp(argv[1], "one")) with_one();
    if (!strcmp(argv[1], "epoll")) with_epoll(0, 0);
    if (!strcmp(argv[1], "edge")) with_epoll(EPOLLET, 0);
    if (!strcmp(argv[1], "drained")) with_epoll(EPOLLET, 1);
    if (!strcmp(argv[1], "time-out")) {
        struct pollfd fd = {e, POLLIN, 0};
        int n = poll(&fd, 1, 100);
        assert(n);
    }
    pthread_join(t, 0);
}
