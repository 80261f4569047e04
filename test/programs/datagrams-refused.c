/* UDP to a port that nobody has: connecting succeeds, the first datagram is lost, and the next call fails with
 * ECONNREFUSED, once, as by the system.
 * expect: VERIFIED no error in any schedule$
 * expect with -- late: VERIFIED no error in any schedule$
 * expect with -- closed: VERIFIED no error in any schedule$
 * expect with -- poll: VERIFIED no error in any schedule$
 * expect with -- bug: ERROR assertion
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in there = {.sin_family = AF_INET};
static socklen_t len = sizeof there;

static int has_address(void)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    assert(!bind(s, (const struct sockaddr *)&there, sizeof there));
    return s;
}

static int connected(void)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    assert(!connect(s, (struct sockaddr *)&there, sizeof there));
    return s;
}

static void refused(int s)
{
    char c;
    assert(send(s, "a", 1, 0) == 1);
    assert(send(s, "b", 1, 0) == -1 && errno == ECONNREFUSED);
    assert(send(s, "c", 1, 0) == 1);
    assert(recv(s, &c, 1, 0) == -1 && errno == ECONNREFUSED);
    assert(recv(s, &c, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    assert(write(s, "d", 1) == 1 && sendto(s, "e", 1, 0, (struct sockaddr *)&there, sizeof there) == -1);
}

static void poll_sees(int s)
{
    struct pollfd p = {s, POLLIN, 0};
    int error;
    socklen_t size = sizeof error;
    assert(poll(&p, 1, 0) == 0 && send(s, "a", 1, 0) == 1);
    assert(poll(&p, 1, -1) == 1 && (p.revents & POLLERR));
    assert(!getsockopt(s, SOL_SOCKET, SO_ERROR, &error, &size) && error == ECONNREFUSED);
    assert(poll(&p, 1, 0) == 0);
}

static void *sends(void *a)
{
    int s = connected();
    assert(send(s, "a", 1, 0) == 1 && send(s, "b", 1, 0) == 1); /* the first may have been refused */
    return close(s), a;
}

static void *nothing(void *a) { return a; }

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    pthread_t t;
    char c;
    int s, is_bug = !strcmp(mode, "bug");
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s = has_address();
    assert(!getsockname(s, (struct sockaddr *)&there, &len));
    close(s);
    pthread_create(&t, NULL, is_bug ? sends : nothing, &t);
    if (!strcmp(mode, "late") || !strcmp(mode, "closed")) {
        int to = connected();
        s = has_address();
        assert(send(to, "a", 1, 0) == 1);
        assert(recv(s, &c, 1, 0) == 1);
        close(s);
        if (!strcmp(mode, "closed")) refused(to);
        close(to);
    } else if (is_bug) {
        close(has_address());
    } else {
        s = connected();
        if (!strcmp(mode, "poll")) poll_sees(s);
        else if (!*mode) refused(s);
        close(s);
    }
    return pthread_join(t, NULL);
}
