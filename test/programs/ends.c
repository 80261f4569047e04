/* What shutdown() does to the one who asks and to who waits, and memory that is taken away.
expect with -- read: VERIFIED no error in any schedule$
expect with --explore=dpor -- read: VERIFIED no error in any schedule$
expect with -- accept: VERIFIED no error in any schedule$
expect with -- send: VERIFIED no error in any schedule$
expect with -- poll: VERIFIED no error in any schedule$
expect with -- forgotten: VERIFIED no error in any schedule$
expect with -- unmap: ERROR race: write of memory
expect with -- protect: ERROR race: read of memory
expect with -- joined: VERIFIED no error in any schedule$
*/
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static int s[2], listening;
static char *memory;

static void *reads(void *unused)
{
    char c;
    (void)unused;
    assert(read(s[0], &c, 1) == 0);
    return NULL;
}

static void *accepts(void *unused)
{
    (void)unused;
    assert(accept(listening, NULL, NULL) == -1 && errno == EINVAL);
    return NULL;
}

static void *writes(void *unused)
{
    (void)unused;
    memory[0] = 1;
    return NULL;
}

static void *nothing(void *unused) { return unused; }

static void listen_anywhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET};
    listening = socket(AF_INET, SOCK_STREAM, 0);
    assert(!bind(listening, (struct sockaddr *)&a, sizeof a) && !listen(listening, 1));
}

static void ends_of_a_pair(int how)
{
    struct pollfd p = {.fd = s[0], .events = POLLIN | POLLRDHUP};
    char c = 0;
    shutdown(s[0], how);
    if (how == SHUT_WR) assert(send(s[0], &c, 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    else
        assert(poll(&p, 1, 0) == 1 && (p.revents & (POLLIN | POLLRDHUP)) == (POLLIN | POLLRDHUP) &&
               read(s[0], &c, 1) == 0);
}

static void forget_in_epoll(void)
{
    struct epoll_event e = {.events = EPOLLIN};
    int ep = epoll_create1(0), p[2];
    assert(!pipe(p) && !epoll_ctl(ep, EPOLL_CTL_ADD, p[0], &e));
    close(p[0]);
    assert(epoll_ctl(ep, EPOLL_CTL_DEL, p[0], NULL) == -1 && errno == EBADF);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "read";
    void *(*other)(void *) = !strcmp(what, "read")                                                           ? reads
                             : !strcmp(what, "accept")                                                       ? accepts
                             : !strcmp(what, "unmap") || !strcmp(what, "protect") || !strcmp(what, "joined") ? writes
                                                                                                             : nothing;
    pthread_t t;
    assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, s));
    listen_anywhere();
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(memory != MAP_FAILED && !pthread_create(&t, NULL, other, NULL));
    if (!strcmp(what, "read")) shutdown(s[0], SHUT_RD);
    if (!strcmp(what, "accept")) shutdown(listening, SHUT_RDWR);
    if (!strcmp(what, "send")) ends_of_a_pair(SHUT_WR);
    if (!strcmp(what, "poll")) ends_of_a_pair(SHUT_RD);
    if (!strcmp(what, "forgotten")) forget_in_epoll();
    if (!strcmp(what, "unmap")) munmap(memory, 4096);
    if (!strcmp(what, "protect")) mprotect(memory, 4096, PROT_READ);
    pthread_join(t, NULL);
    if (!strcmp(what, "joined")) assert(!mprotect(memory, 4096, PROT_READ) && !munmap(memory, 4096));
    return 0;
}
