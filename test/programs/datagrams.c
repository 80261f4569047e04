/* Datagrams between threads: pairs, Unix sockets with names, UDP on the loopback; who sent them, their borders, what is
sent to nobody; several pieces are one message.
expect with -- pair: VERIFIED no error in any schedule$
expect with --verify -- pair: VERIFIED no error in any schedule$
expect with -- unix: VERIFIED no error in any schedule$
expect with --explore=optimal -- unix: VERIFIED no error in any schedule$
expect with -- udp: VERIFIED no error in any schedule$
expect with --sequential -- connected: VERIFIED no error in any schedule
expect with -- late: ERROR assertion: n == 1
expect with -- two: ERROR assertion: text.0. == 'a'
expect with -- silence: ERROR deadlock: no thread can go on
*/
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct sockaddr_un here = {AF_UNIX, "/nowhere/here"}, there = {AF_UNIX, "/nowhere/there"};
static int ours, theirs, data;
static void *answer(void *a)
{
    char text[8], word[2] = "xy";
    struct sockaddr_storage from;
    socklen_t len = sizeof from;
    assert(recvfrom(theirs, text, sizeof text, 0, (struct sockaddr *)&from, &len) == 3 && !memcmp(text, "abc", 3));
    assert(data == 1);
    struct iovec parts[2] = {{word, 1}, {word + 1, 1}};
    struct msghdr m = {.msg_name = &from, .msg_namelen = len, .msg_iov = parts, .msg_iovlen = 2};
    assert(sendmsg(theirs, &m, 0) == 2);
    return a;
}
static void ask(const struct sockaddr *to, socklen_t len)
{
    char text[1];
    struct sockaddr_storage from;
    struct iovec part = {text, 1};
    struct msghdr m = {.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part, .msg_iovlen = 1};
    pthread_t t;
    pthread_create(&t, 0, answer, 0);
    data = 1;
    assert(sendto(ours, "abc", 3, 0, to, len) == 3);
    struct pollfd p = {ours, POLLIN, 0};
    assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
    assert(recvmsg(ours, &m, 0) == 1 && text[0] == 'x' && (m.msg_flags & MSG_TRUNC));
    assert(m.msg_namelen == len && from.ss_family == to->sa_family);
    pthread_join(t, 0);
}
static void names(void)
{
    ours = socket(AF_UNIX, SOCK_DGRAM, 0);
    theirs = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert(!bind(ours, (struct sockaddr *)&here, sizeof here));
    assert(!bind(theirs, (struct sockaddr *)&there, sizeof there));
}
static void *writes(void *text)
{
    assert(send(theirs, text, 1, 0) == 1);
    return 0;
}
static void *binds(void *a)
{
    names();
    return a;
}
static void pair(void)
{
    int p[2];
    char text[4];
    pthread_t t;
    assert(!socketpair(AF_UNIX, SOCK_DGRAM, 0, p));
    ours = p[0], theirs = p[1];
    pthread_create(&t, 0, writes, "b");
    assert(recv(ours, text, sizeof text, 0) == 1 && text[0] == 'b');
    pthread_join(t, 0);
    close(theirs);
    assert(send(ours, "x", 1, 0) == -1 && errno == ECONNREFUSED);
}
static void udp(int connected)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, nobody = a;
    socklen_t len = sizeof a;
    ours = socket(AF_INET, SOCK_DGRAM, 0);
    theirs = socket(AF_INET, SOCK_DGRAM, 0);
    assert(!bind(theirs, (struct sockaddr *)&a, sizeof a) && !getsockname(theirs, (struct sockaddr *)&a, &len));
    nobody.sin_port = htons(9);
    assert(sendto(ours, "lost", 4, 0, (struct sockaddr *)&nobody, sizeof nobody) == 4);
    if (!connected) {
        ask((struct sockaddr *)&a, sizeof a);
        return;
    }
    char c;
    assert(!connect(ours, (struct sockaddr *)&a, sizeof a) && write(ours, "a", 1) == 1 && write(ours, "", 0) == 0);
    assert(read(theirs, &c, 1) == 1 && c == 'a' && read(theirs, &c, 1) == 0);
}
static void two(void)
{
    int p[2];
    char text[4];
    pthread_t t, u;
    socketpair(AF_UNIX, SOCK_DGRAM, 0, p);
    ours = p[0], theirs = p[1];
    pthread_create(&t, 0, writes, "a");
    pthread_create(&u, 0, writes, "b");
    assert(read(ours, text, 4) == 1);
    assert(text[0] == 'a');
    pthread_join(t, 0);
    pthread_join(u, 0);
}
static void late(void)
{
    pthread_t t;
    int sender = socket(AF_UNIX, SOCK_DGRAM, 0);
    pthread_create(&t, 0, binds, 0);
    ssize_t n = sendto(sender, "a", 1, 0, (struct sockaddr *)&here, sizeof here);
    assert(n == 1);
    pthread_join(t, 0);
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    char c;
    if (!strcmp(how, "pair")) pair();
    if (!strcmp(how, "two")) two();
    if (!strcmp(how, "late")) late();
    if (!strcmp(how, "udp") || !strcmp(how, "connected")) udp(how[0] == 'c');
    if (!strcmp(how, "unix")) names(), ask((struct sockaddr *)&there, sizeof there);
    if (!strcmp(how, "silence")) names(), close(theirs), (void)!read(ours, &c, 1);
}
