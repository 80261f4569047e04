/* What calls on pipes and sockets return on Linux in less usual cases.
expect: VERIFIED no error in any schedule$
expect with -- reset: ERROR assertion: !"the connection was reset"
expect with -- progress: ERROR assertion: !"connect\(\) failed"
expect with -- lost: VERIFIED no error in any schedule$
flags: -w
*/
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FAILS(call, code) assert((call) == -1 && errno == (code))

static struct sockaddr_in address = {.sin_family = AF_INET};
static socklen_t size = sizeof address;
static char b[100];

static int listener(void)
{
    int s = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_port = 0;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert(!bind(s, (void *)&address, sizeof address) && !listen(s, 1));
    assert(!getsockname(s, (void *)&address, &size));
    return s;
}

static void pipes(void)
{
    int p[2];
    pipe(p);
    FAILS(lseek(p[0], 0, SEEK_SET), ESPIPE);
    FAILS(pread(p[0], b, 1, 0), ESPIPE);
    FAILS(pwrite(p[1], b, 1, 0), ESPIPE);
    close(p[0]), close(p[1]);
}

static void messages(int type)
{
    int p[2];
    socketpair(AF_UNIX, type, 0, p);
    write(p[1], "abc", 3), write(p[1], "defg", 4);
    assert(recv(p[0], b, 1, MSG_PEEK | MSG_TRUNC) == 3 && recv(p[0], b, 1, MSG_TRUNC) == 3);
    assert(recv(p[0], b, 1, 0) == 1 && b[0] == 'd');
    FAILS(listen(p[0], 1), type == SOCK_DGRAM ? EOPNOTSUPP : EINVAL);
    close(p[1]);
    if (type == SOCK_SEQPACKET) assert(recv(p[0], b, 1, MSG_TRUNC) == 0);
    close(p[0]);
}

static void unix_streams(void)
{
    int p[2], s = socket(AF_UNIX, SOCK_STREAM, 0);
    struct sockaddr_un u = {AF_UNIX, "\0heddle-test"};
    socklen_t len = sizeof u;
    FAILS(read(s, b, 1), EINVAL);
    FAILS(listen(s, 1), EINVAL);
    assert(!bind(s, (void *)&u, sizeof u));
    FAILS(connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&u, sizeof u), ECONNREFUSED);
    socketpair(AF_UNIX, SOCK_STREAM, 0, p);
    assert(!getpeername(p[0], (void *)&u, &len) && len == 2 && u.sun_family == AF_UNIX);
    FAILS(recv(p[0], b, 1, MSG_OOB), EINVAL);
    write(p[1], "ab", 2), write(p[0], "x", 1);
    close(p[1]);
    assert(read(p[0], b, 9) == 2);
    FAILS(read(p[0], b, 1), ECONNRESET);
    assert(read(p[0], b, 1) == 0);
    close(p[0]);
}

static void options(void)
{
    int s = socket(AF_INET, SOCK_STREAM, 0), value = 7;
    socklen_t len = sizeof value;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &value, sizeof value);
    setsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &value, sizeof value);
    assert(!getsockopt(s, IPPROTO_TCP, TCP_NODELAY, &value, &len) && value == 1);
    assert(!getsockopt(s, IPPROTO_TCP, TCP_KEEPIDLE, &value, &len) && value == 7);
    assert(!getsockopt(s, SOL_SOCKET, SO_REUSEADDR, &value, &len) && value == 0);
}

static int connect_slowly(int expected)
{
    int c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = -1;
    struct pollfd q = {c, POLLOUT};
    socklen_t len = sizeof error;
    FAILS(connect(c, (void *)&address, sizeof address), EINPROGRESS);
    assert(poll(&q, 1, -1) == 1 && !getsockopt(c, SOL_SOCKET, SO_ERROR, &error, &len) && error == expected);
    return c;
}

static void tcp(void)
{
    int s = listener(), c = connect_slowly(0), d = accept(s, NULL, NULL);
    assert(!connect(c, (void *)&address, sizeof address));
    FAILS(connect(c, (void *)&address, sizeof address), EISCONN);
    close(c), close(d), close(s);
    c = connect_slowly(ECONNREFUSED);
    close(c);
}

static int server_socket;

static void *serve(void *early)
{
    int d = accept(server_socket, NULL, NULL);
    if (!early) read(d, b + 50, 3);
    close(d);
    return NULL;
}

static void reset(int early)
{
    pthread_t t;
    server_socket = listener();
    pthread_create(&t, NULL, serve, early ? &t : NULL);
    int c = socket(AF_INET, SOCK_STREAM, 0);
    connect(c, (void *)&address, sizeof address);
    ssize_t n = write(c, "abc", 3);
    if (n == 3 && read(c, b, 1) == -1) assert(!"the connection was reset");
    pthread_join(t, NULL);
}

static void lost(void)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(9);
    assert(!connect(s, (void *)&address, sizeof address));
}

static void *nothing(void *x) { return x; }

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t t;
    signal(SIGPIPE, SIG_IGN);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    pipes();
    messages(SOCK_DGRAM), messages(SOCK_SEQPACKET);
    unix_streams();
    options();
    tcp();
    reset(!strcmp(how, "reset"));
    if (!strcmp(how, "lost")) lost();
    if (!strcmp(how, "progress")) {
        int s = listener(), c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (connect(c, (void *)&address, sizeof address)) assert(!"connect() failed");
    }
    return 0;
}
