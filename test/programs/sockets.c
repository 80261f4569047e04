/* A server and its clients in one process: pairs, Unix sockets and TCP on the loopback.
expect with -- pair: VERIFIED no error in any schedule$
expect with --verify -- pair: VERIFIED no error in any schedule$
expect with -- tcp: VERIFIED no error in any schedule$
expect with --explore=dpor -- tcp: VERIFIED no error in any schedule$
expect with -- unix: VERIFIED no error in any schedule$
expect with -b 0 -- clients: BOUNDED no error with at most 0 preemptions
expect with -- order: ERROR assertion: first == '1'
expect with --sequential -- refused: VERIFIED no error in any schedule
*/
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static struct sockaddr_in tcp = {.sin_family = AF_INET};
static struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/nowhere/heddle"};
static struct sockaddr *address = (struct sockaddr *)&tcp;
static socklen_t len = sizeof tcp;
static void *client(void *a)
{
    char answer[4];
    int fd = socket(address->sa_family, SOCK_STREAM, 0);
    assert(!connect(fd, address, len));
    assert(send(fd, a, 1, 0) == 1);
    shutdown(fd, SHUT_WR);
    assert(recv(fd, answer, sizeof answer, 0) == 1 && answer[0] == *(char *)a + 1);
    assert(recv(fd, answer, sizeof answer, 0) == 0);
    close(fd);
    return a;
}
static char serve(int listener)
{
    char c, rest;
    int fd = accept(listener, 0, 0);
    assert(fd > 0 && read(fd, &c, 1) == 1);
    assert(read(fd, &rest, 1) == 0);
    char answer = (char)(c + 1);
    assert(write(fd, &answer, 1) == 1);
    close(fd);
    return c;
}
static void *other_end(void *a)
{
    char c;
    int fd = (int)(long)a;
    assert(read(fd, &c, 1) == 1 && c == 'x');
    assert(write(fd, "y", 1) == 1);
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    char c;
    int two = !strcmp(argv[1], "clients") || !strcmp(argv[1], "order");
    if (!strcmp(argv[1], "pair")) {
        int ends[2];
        socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
        pthread_create(&t, 0, other_end, (void *)(long)ends[1]);
        assert(write(ends[0], "x", 1) == 1 && read(ends[0], &c, 1) == 1 && c == 'y');
        pthread_join(t, 0);
        return 0;
    }
    if (!strcmp(argv[1], "unix")) address = (struct sockaddr *)&local, len = sizeof local;
    int listener = socket(address->sa_family, SOCK_STREAM, 0);
    tcp.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!strcmp(argv[1], "refused")) {
        tcp.sin_port = htons(7);
        assert(connect(listener, address, len) < 0 && errno == ECONNREFUSED);
        return 0;
    }
    assert(!bind(listener, address, len) && !listen(listener, 5));
    assert(!getsockname(listener, address, &len));
    pthread_create(&t, 0, client, "1");
    if (two) pthread_create(&u, 0, client, "5");
    char first = serve(listener);
    if (two) serve(listener), pthread_join(u, 0);
    pthread_join(t, 0);
    if (!strcmp(argv[1], "order")) assert(first == '1');
}
