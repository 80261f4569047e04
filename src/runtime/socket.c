/* Sockets whose both ends are in the program: pairs, Unix sockets, TCP and UDP on the loopback. Addresses are a table
 * of this process: nobody outside is reached, and nobody from outside comes. A connection is there as soon as it is
 * asked for and waits to be accepted. A socket for datagrams has a channel for those that come to it; connecting it
 * says to whose channel it sends. Datagrams come in order, and none is lost but by UDP, where there is no room or
 * nobody. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>
#include <unistd.h>

#define OUTSIDE "nobody outside the process is reached"
#define URGENT "urgent data is sent like other data"

/* Taking the error depends on every other step, because the next call does not find it. */
int rt_socket_error(struct open_file *f, uintptr_t pc)
{
    if (!f->peer_error && !(f->in && f->in->reset)) return 0;
    rt_file_all(pc, "socket error");
    int error = f->in && f->in->reset ? ECONNRESET : f->peer_error;
    if (f->in) f->in->reset = false;
    f->peer_error = 0;
    return error;
}

/* There is nothing to read, and never was a connection. */
static int unconnected(struct open_file *f, uintptr_t pc)
{
    int error = rt_socket_error(f, pc);
    return error ? error : f->family == AF_UNIX && f->type == SOCK_STREAM ? EINVAL : ENOTCONN;
}

static ssize_t take(struct open_file *f, char *to, size_t size)
{
    if (!f->in) return -unconnected(f, rt.self->op_pc);
    ssize_t n = rt_channel_take(f->in, to, size);
    return n ? n : -rt_socket_error(f, rt.self->op_pc);
}

static bool sends_datagrams(const struct open_file *f) { return f->type == SOCK_DGRAM; }
static bool is_udp(const struct open_file *f) { return sends_datagrams(f) && f->family != AF_UNIX; }

/* What UDP cannot deliver is lost. */
static ssize_t outcome_of(const struct open_file *f, ssize_t n, size_t size)
{
    if (!sends_datagrams(f) || n >= 0) return n;
    if (f->family != AF_UNIX && (n == -EAGAIN || n == -EPIPE)) return (ssize_t)size;
    return n == -EPIPE ? -ECONNREFUSED : n;
}

static ssize_t put(struct open_file *f, const char *from, size_t size)
{
    if (!f->out) return sends_datagrams(f) ? -EDESTADDRREQ : -ENOTCONN;
    ssize_t result = rt_channel_put(f->out, f, from, size), n = outcome_of(f, result, size);
    if (result == -EPIPE && is_udp(f) && f->peer_len) f->peer_error = ECONNREFUSED; /* closed just now */
    int error = n == -EPIPE && f->family != AF_UNIX ? rt_socket_error(f, rt.self->op_pc) : 0;
    return error ? -error : n;
}

static int ready(const struct open_file *f)
{
    int events = 0;
    if (f->listening) return f->waiting_count ? POLLIN | POLLRDNORM : 0;
    if (!f->in) return POLLOUT | POLLHUP | (f->peer_error ? POLLIN | POLLRDNORM | POLLERR : 0);
    if (!f->out || sends_datagrams(f))
        return (f->in->len ? POLLIN | POLLRDNORM : 0) |
               (!f->out || PIPE_SIZE - f->out->len >= 4096 || !f->out->readers ? POLLOUT | POLLWRNORM : 0) |
               (f->peer_error ? POLLIN | POLLRDNORM | POLLERR : 0);
    bool ended = rt_channel_has_ended(f->in);
    if (f->in->len || ended) events |= POLLIN | POLLRDNORM;
    if (ended) events |= POLLRDHUP;
    if (f->in->reset) events |= POLLERR;
    if (!f->in->writers && !f->out->readers) events |= POLLHUP;
    if (PIPE_SIZE - f->out->len >= 4096 || rt_channel_has_ended(f->out)) events |= POLLOUT | POLLWRNORM;
    return events;
}

static struct word *word(struct open_file *f, bool writing)
{
    struct channel *c = writing ? f->out : f->in;
    return c ? &c->word : &f->word;
}

static void end_reading(struct open_file *f)
{
    if (f->in && f->in->readers) f->in->readers--, rt_channel_closed(f->in);
}

static void end_writing(struct open_file *f)
{
    if (f->out && f->out->writers && !sends_datagrams(f)) f->out->writers--, rt_channel_closed(f->out);
}

static void reset_peer(struct open_file *f)
{
    if (f->out && f->out->readers && !sends_datagrams(f)) f->out->reset = true;
}

static void close_socket(struct open_file *f)
{
    if (f->in && f->in->len) reset_peer(f);
    end_reading(f);
    end_writing(f);
    for (uint32_t i = 0; i < f->waiting_count; i++) reset_peer(f->waiting[i]), close_socket(f->waiting[i]);
    f->listening = false;
}

const struct file_kind rt_socket_kind = {"socket", take, put, ready, word, close_socket};

static bool controls(void) { return rt.active && rt.shared; }

static struct open_file *make(int family, int type)
{
    struct open_file *f = rt_file_new(&rt_socket_kind, O_RDWR | (type & SOCK_NONBLOCK ? O_NONBLOCK : 0));
    f->family = family;
    f->type = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (!sends_datagrams(f)) return f;
    f->in = rt_channel_new(DATAGRAMS);
    f->in->readers = f->in->writers = 1;
    return f;
}

static void join_ends(struct open_file *a, struct open_file *b)
{
    enum channel_kind kind = a->type == SOCK_STREAM ? BYTES : MESSAGES;
    if (sends_datagrams(a)) {
        a->out = b->in;
        b->out = a->in;
        return;
    }
    a->in = b->out = rt_channel_new(kind);
    a->out = b->in = rt_channel_new(kind);
    a->in->readers = a->in->writers = a->out->readers = a->out->writers = 1;
}

EXPORT int socketpair(int family, int type, int protocol, int fds[2])
{
    if (!controls()) return REAL(socketpair)(family, type, protocol, fds);
    if (family != AF_UNIX) return errno = EOPNOTSUPP, -1;
    rt_file_all(CALLER, "socketpair");
    struct open_file *a = make(family, type), *b = make(family, type);
    join_ends(a, b);
    rt_touch(fds, 2 * sizeof *fds);
    rt_call_writes(fds, 2 * sizeof *fds, CALLER);
    fds[0] = rt_file_open(a, type & SOCK_CLOEXEC);
    fds[1] = rt_file_open(b, type & SOCK_CLOEXEC);
    return fds[0] < 0 || fds[1] < 0 ? -1 : 0;
}

EXPORT int socket(int family, int type, int protocol)
{
    int kind = type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC);
    bool ours = (family == AF_UNIX || family == AF_INET || family == AF_INET6) &&
                (kind == SOCK_STREAM || kind == SOCK_DGRAM || (kind == SOCK_SEQPACKET && family == AF_UNIX));
    if (!controls() || !ours) {
        rt_note("socket", "talks to another process; what comes back does not repeat", CALLER);
        rt.used_files = true;
        return REAL(socket)(family, type, protocol);
    }
    rt_file_all(CALLER, "socket");
    return rt_file_open(make(family, type), type & SOCK_CLOEXEC);
}

/* ---- addresses ---- */

static in_port_t *port_of(void *address)
{
    struct sockaddr *a = address;
    if (a->sa_family == AF_INET) return &((struct sockaddr_in *)address)->sin_port;
    return a->sa_family == AF_INET6 ? &((struct sockaddr_in6 *)address)->sin6_port : NULL;
}

static bool is_loopback(const void *address)
{
    const struct sockaddr_in *v4 = address;
    const struct sockaddr_in6 *v6 = address;
    if (v4->sin_family == AF_INET) return ntohl(v4->sin_addr.s_addr) >> 24 == 127 || !v4->sin_addr.s_addr;
    if (v4->sin_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) || IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) ||
               IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
    return true;
}

static bool same_address(struct open_file *f, int type, void *address, socklen_t len)
{
    in_port_t *mine = port_of(f->address), *theirs = port_of(address);
    if (!f->address_len || f->type != type) return false;
    if (mine && theirs) return *mine == *theirs;
    return !mine && !theirs && f->address_len == len && !memcmp(f->address, address, len);
}

static struct open_file *who_has(int type, void *address, socklen_t len, bool listening)
{
    for (int fd = 0; fd < MAX_FILES; fd++) {
        struct open_file *f = rt_descriptors()->of[fd];
        if (!f || f->kind != &rt_socket_kind || f->listening < listening) continue;
        if (same_address(f, type, address, len)) return f;
    }
    return NULL;
}

static void give_port(struct open_file *f)
{
    enum { FIRST = 40000 };
    in_port_t *port = port_of(f->address);
    if (port && !*port) *port = htons((uint16_t)(FIRST + rt_descriptors()->ports++));
}

EXPORT int bind(int fd, const struct sockaddr *address, socklen_t len)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(bind)(fd, address, len);
    if (f->kind != &rt_socket_kind || len > ADDRESS) return errno = EINVAL, -1;
    rt_file_all(CALLER, "bind");
    rt_call_reads(address, len, CALLER);
    memcpy(f->address, address, len);
    in_port_t *port = port_of(f->address);
    if ((!port || *port) && who_has(f->type, f->address, len, false)) return errno = EADDRINUSE, -1;
    f->address_len = len;
    give_port(f);
    return 0;
}

EXPORT int listen(int fd, int backlog)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(listen)(fd, backlog);
    if (f->kind != &rt_socket_kind) return errno = ENOTSOCK, -1;
    if (sends_datagrams(f)) return errno = EOPNOTSUPP, -1;
    rt_file_all(CALLER, "listen");
    if (f->in || (f->family == AF_UNIX && !f->address_len)) return errno = EINVAL, -1;
    if (!f->address_len) {
        ((struct sockaddr *)f->address)->sa_family = (sa_family_t)f->family;
        f->address_len = f->family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
        give_port(f);
    }
    f->listening = true;
    return 0;
}

static void have_own_port(struct open_file *f, const void *like, socklen_t len)
{
    if (f->address_len || f->family == AF_UNIX) return;
    memcpy(f->address, like, f->address_len = len);
    *port_of(f->address) = 0;
    give_port(f);
}

/* A connected UDP socket takes datagrams of its peer only. All addresses are of this machine, so the port tells. */
static bool takes_from(const struct open_file *to, const struct open_file *sender)
{
    const struct sockaddr_in *peer = (const void *)to->peer, *own = (const void *)sender->address;
    return !is_udp(to) || !to->peer_len || (sender->address_len && peer->sin_port == own->sin_port);
}

/* Where datagrams to the address go; NULL with an error: nowhere. */
static struct open_file *receiver(int type, unsigned char *there, socklen_t len, uintptr_t pc, int *error)
{
    struct open_file *to = who_has(type, there, len, false);
    bool is_unix = ((struct sockaddr *)there)->sa_family == AF_UNIX;
    *error = to ? 0 : is_unix ? ENOENT : ECONNREFUSED;
    if (!to && !is_loopback(there)) rt_note("connect", OUTSIDE, pc), *error = ENETUNREACH;
    return to;
}

static int connect_datagrams(struct open_file *f, unsigned char *there, socklen_t len, uintptr_t pc)
{
    int error;
    f->out = NULL;
    f->peer_len = 0;
    if (((struct sockaddr *)there)->sa_family == AF_UNSPEC) return 0;
    struct open_file *to = receiver(f->type, there, len, pc, &error);
    if (!to && (error != ECONNREFUSED || !is_udp(f))) return error;
    have_own_port(f, there, len);
    memcpy(f->peer, there, f->peer_len = len);
    if (to && takes_from(to, f)) f->out = to->in;
    return 0;
}

/* A UDP socket can be connected to an address that no socket has. What it sends there is lost, and its
 * next call learns of it: the answer to the datagram has come by then, because it does not leave the machine. */
int rt_socket_sends(struct open_file *f, uintptr_t pc)
{
    if (f->kind != &rt_socket_kind || !is_udp(f)) return 0;
    int error = rt_socket_error(f, pc);
    if (error || !f->peer_len || (f->out && f->out->readers)) return -error;
    rt_file_all(pc, "send");
    struct open_file *to = who_has(f->type, f->peer, f->peer_len, false);
    if (to && takes_from(to, f)) return f->out = to->in, 0;
    f->peer_error = ECONNREFUSED;
    rt_descriptors()->has_lost = true;
    if (f->in) rt_word_changed_by_all(&f->in->word);
    return RT_DATAGRAM_LOST;
}

int rt_socket_receives(struct open_file *f, uintptr_t pc)
{
    return f->kind == &rt_socket_kind && is_udp(f) ? rt_socket_error(f, pc) : 0;
}

static int connect_to(struct open_file *f, const struct sockaddr *address, socklen_t len, uintptr_t pc)
{
    unsigned char there[ADDRESS] = {0};
    if (f->kind != &rt_socket_kind || len > ADDRESS) return EINVAL;
    rt_call_reads(address, len, pc);
    memcpy(there, address, len);
    rt_file_all(pc, "connect");
    if (sends_datagrams(f)) return connect_datagrams(f, there, len, pc);
    bool at_once = f->family != AF_UNIX && f->status_flags & O_NONBLOCK, was_connecting = f->connecting;
    int error = rt_socket_error(f, pc);
    f->connecting = false;
    if (f->in) return was_connecting ? 0 : EISCONN;
    if (error) return error;
    struct open_file *listener = who_has(f->type, there, len, true);
    if (!listener && !is_loopback(there)) return rt_note("connect", OUTSIDE, pc), ENETUNREACH;
    if (!listener && f->family == AF_UNIX) return who_has(f->type, there, len, false) ? ECONNREFUSED : ENOENT;
    if (!listener && at_once) return f->peer_error = ECONNREFUSED, EINPROGRESS;
    if (!listener || listener->waiting_count == MAX_BACKLOG) return ECONNREFUSED;
    struct open_file *server = make(f->family, f->type);
    join_ends(f, server);
    memcpy(f->peer, there, f->peer_len = len);
    memcpy(server->address, listener->address, server->address_len = listener->address_len);
    have_own_port(f, there, len);
    memcpy(server->peer, f->address, server->peer_len = f->address_len);
    listener->waiting[listener->waiting_count++] = server;
    listener->puts++;
    rt_release((uint64_t)&listener->word);
    rt_word_changed_by_all(&listener->word);
    f->connecting = at_once;
    return at_once ? EINPROGRESS : 0;
}

EXPORT int connect(int fd, const struct sockaddr *address, socklen_t len)
{
    struct open_file *f = rt_file_for(fd, CALLER, "connect");
    if (f) {
        int error = connect_to(f, address, len, CALLER);
        return error ? errno = error, -1 : 0;
    }
    rt_note("connect", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(connect)(fd, address, len);
}

static void tell_address(const unsigned char *from, socklen_t from_len, struct sockaddr *to, socklen_t *len,
                         uintptr_t pc)
{
    if (!to || !len) return;
    rt_call_reads(len, sizeof *len, pc);
    rt_call_writes(to, from_len < *len ? from_len : *len, pc);
    rt_call_writes(len, sizeof *len, pc);
    memcpy(to, from, from_len < *len ? from_len : *len);
    *len = from_len;
}

/* A Unix socket without an address has its family alone; another one has zeros. */
static void tell_name(const struct open_file *f, const unsigned char *from, socklen_t from_len, struct sockaddr *to,
                      socklen_t *len, uintptr_t pc)
{
    unsigned char none[ADDRESS] = {0};
    ((struct sockaddr *)none)->sa_family = (sa_family_t)f->family;
    socklen_t none_len = f->family == AF_UNIX   ? sizeof(sa_family_t)
                         : f->family == AF_INET ? sizeof(struct sockaddr_in)
                                                : sizeof(struct sockaddr_in6);
    tell_address(from_len ? from : none, from_len ? from_len : none_len, to, len, pc);
}

static int accept_here(struct open_file *f, struct sockaddr *address, socklen_t *len, int flags, uintptr_t pc)
{
    if (!f->listening) return errno = EINVAL, -1;
    rt_cancellation_point(true);
    for (;;) {
        bool dont_wait = f->status_flags & O_NONBLOCK;
        if (dont_wait) rt_attempt(pc);
        rt_file_all(pc, "accept");
        if (!f->listening) return rt_cancellation_point(false), errno = EINVAL, -1; /* it was shut down */
        if (f->waiting_count) break;
        if (dont_wait) return rt_cancellation_point(false), rt_try_again(), errno = EAGAIN, -1;
        if (!rt_file_wait(&f->word, f->word.version, f->word.by_all, pc, "accept")) return errno = EINTR, -1;
    }
    rt_cancellation_point(false);
    struct open_file *server = f->waiting[0];
    memmove(f->waiting, f->waiting + 1, --f->waiting_count * sizeof f->waiting[0]);
    rt_acquire((uint64_t)&f->word);
    rt.self->failures = 0;
    server->status_flags |= flags & SOCK_NONBLOCK ? O_NONBLOCK : 0;
    tell_name(server, server->peer, server->peer_len, address, len, pc);
    return rt_file_open(server, flags & SOCK_CLOEXEC);
}

EXPORT int accept4(int fd, struct sockaddr *address, socklen_t *len, int flags)
{
    struct open_file *f = rt_file_for(fd, CALLER, "accept4");
    if (f) return accept_here(f, address, len, flags, CALLER);
    rt_note("accept4", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(accept4)(fd, address, len, flags);
}

EXPORT int accept(int fd, struct sockaddr *address, socklen_t *len)
{
    struct open_file *f = rt_file_for(fd, CALLER, "accept");
    if (f) return accept_here(f, address, len, 0, CALLER);
    rt_note("accept", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(accept)(fd, address, len);
}

EXPORT int getsockname(int fd, struct sockaddr *address, socklen_t *len)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(getsockname)(fd, address, len);
    return tell_name(f, f->address, f->address_len, address, len, CALLER), 0;
}

EXPORT int getpeername(int fd, struct sockaddr *address, socklen_t *len)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(getpeername)(fd, address, len);
    if (sends_datagrams(f) ? !f->out && !f->peer_len : !f->in) return errno = ENOTCONN, -1;
    return tell_name(f, f->peer, f->peer_len, address, len, CALLER), 0;
}

EXPORT int shutdown(int fd, int how)
{
    struct open_file *f = rt_file_for(fd, CALLER, "shutdown");
    if (!f) return REAL(shutdown)(fd, how);
    rt_file_all(CALLER, "shutdown");
    if (!f->in && !f->listening) return errno = ENOTCONN, -1;
    if (how != SHUT_WR) end_reading(f);
    if (how != SHUT_RD) end_writing(f);
    if (f->listening && how != SHUT_WR) f->listening = false, rt_word_changed_by_all(&f->word);
    return 0;
}

static struct socket_option *find_option(struct open_file *f, int level, int name)
{
    for (uint32_t i = 0; i < f->option_count; i++)
        if (f->options[i].level == level && f->options[i].name == name) return &f->options[i];
    return NULL;
}

static bool is_switch(int level, int name)
{
    if (level == IPPROTO_TCP) return name == TCP_NODELAY;
    return level == SOL_SOCKET && (name == SO_REUSEADDR || name == SO_REUSEPORT || name == SO_KEEPALIVE ||
                                   name == SO_BROADCAST || name == SO_DONTROUTE || name == SO_OOBINLINE);
}

/* Options have no effect, but getsockopt() returns what was set. */
static void keep_option(struct open_file *f, struct socket_option new, const void *value, uintptr_t pc)
{
    struct socket_option *o = find_option(f, new.level, new.name);
    if (new.len > sizeof new.value || (!o && f->option_count == ARRAY_LEN(f->options))) {
        rt_note("setsockopt", "getsockopt() does not return this value", pc);
        return;
    }
    int number = 0;
    memcpy(new.value, value, new.len);
    memcpy(&number, value, new.len < sizeof number ? new.len : sizeof number);
    number = number != 0;
    if (is_switch(new.level, new.name)) memcpy(new.value, &number, sizeof number);
    if (!o) o = &f->options[f->option_count++];
    *o = new;
}

EXPORT int setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
    struct open_file *f = rt_file(fd);
    rt_call_reads(value, len, CALLER);
    bool limits = level == SOL_SOCKET && (name == SO_RCVTIMEO || name == SO_SNDTIMEO);
    bool is_size = level == SOL_SOCKET && (name == SO_SNDBUF || name == SO_RCVBUF);
    if (!f) return REAL(setsockopt)(fd, level, name, value, len);
    if (limits) rt_unexplored(RT_SOCKET_TIMEOUTS);
    rt_state_use(f->options, true, CALLER, "setsockopt");
    if (!is_size && value) keep_option(f, (struct socket_option){level, name, len, {0}}, value, CALLER);
    return 0;
}

static int fixed_option(const struct open_file *f, int name)
{
    switch (name) {
    case SO_TYPE: return f->type;
    case SO_DOMAIN: return f->family;
    case SO_ACCEPTCONN: return f->listening;
    case SO_SNDBUF: case SO_RCVBUF: return PIPE_SIZE;
    default: return 0;
    }
}

EXPORT int getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(getsockopt)(fd, level, name, value, len);
    rt_call_reads(len, sizeof *len, CALLER);
    rt_state_use(f->options, false, CALLER, "getsockopt");
    const struct socket_option *set = find_option(f, level, name);
    int answer = level != SOL_SOCKET ? 0 : name == SO_ERROR ? rt_socket_error(f, CALLER) : fixed_option(f, name);
    socklen_t size = set ? set->len : sizeof answer;
    if (*len < size) return errno = EINVAL, -1;
    rt_call_writes(value, size, CALLER);
    rt_call_writes(len, sizeof *len, CALLER);
    memcpy(value, set ? (const void *)set->value : &answer, *len = size);
    return 0;
}

/* ---- sending and receiving ---- */

static ssize_t send_here(int fd, const void *from, size_t size, int flags, uintptr_t pc)
{
    if (flags & MSG_OOB) rt_note("send", URGENT, pc);
    rt.self->ignores_pipe = flags & MSG_NOSIGNAL;
    ssize_t n = rt_file_write(fd, from, size, flags & MSG_DONTWAIT, pc);
    rt.self->ignores_pipe = false;
    return n;
}

ssize_t rt_file_peek(struct open_file *f, void *to, size_t size, bool dont_wait, uintptr_t pc)
{
    bool waits = !(dont_wait || (f->status_flags & O_NONBLOCK));
    if (!f->in) return errno = unconnected(f, pc), -1;
    rt_touch(to, size);
    rt_cancellation_point(true);
    int error = rt_socket_receives(f, pc);
    if (error) return rt_cancellation_point(false), errno = error, -1;
    if (!waits) rt_attempt(pc);
    ssize_t n = rt_channel_step(f->in, SCHED_PEEK, 0, waits, pc, "recv") ? rt_channel_peek(f->in, to, size) : -EINTR;
    if (!n) n = -rt_socket_error(f, pc);
    rt_cancellation_point(false);
    if (n > 0) rt_range((uintptr_t)to, (size_t)n, true, pc);
    if (n == -EAGAIN) rt_try_again();
    else if (n >= 0) rt.self->failures = 0;
    return n < 0 ? (errno = (int)-n, -1) : n;
}

static ssize_t receive_here(int fd, void *to, size_t size, int flags, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    if (flags & MSG_OOB) return errno = sends_datagrams(f) ? EOPNOTSUPP : EINVAL, -1;
    if (flags & MSG_PEEK) return rt_file_peek(f, to, size, flags & MSG_DONTWAIT, pc);
    size_t done = 0;
    do {
        ssize_t n = rt_file_read(fd, (char *)to + done, size - done, flags & MSG_DONTWAIT, pc);
        if (n <= 0) return done ? (ssize_t)done : n;
        done += (size_t)n;
    } while ((flags & MSG_WAITALL) && done < size);
    return (ssize_t)done;
}

/* With MSG_TRUNC a message counts as a whole, however much room there was. */
static ssize_t counted(int fd, ssize_t n, int flags)
{
    const struct open_file *f = rt_file(fd);
    bool is_message = n >= 0 && f && f->in && f->in->header;
    return is_message && flags & MSG_TRUNC ? (ssize_t)f->in->taken.size : n;
}

#define BLOCKS "may block the whole program; what comes in does not repeat"

EXPORT ssize_t send(int fd, const void *from, size_t size, int flags)
{
    if (rt_file_for(fd, CALLER, "send")) return send_here(fd, from, size, flags, CALLER);
    rt_note("send", OUTSIDE, CALLER);
    return REAL(send)(fd, from, size, flags);
}

EXPORT ssize_t recv(int fd, void *to, size_t size, int flags)
{
    if (rt_file_for(fd, CALLER, "recv")) return counted(fd, receive_here(fd, to, size, flags, CALLER), flags);
    rt_note("recv", BLOCKS, CALLER);
    return REAL(recv)(fd, to, size, flags);
}

/* A datagram to the address. Who has it is looked up in a step of its own: opening and closing depend on every step. */
static ssize_t send_to(struct open_file *f, const void *from, size_t size, int flags, const struct sockaddr *address,
                       socklen_t len, uintptr_t pc)
{
    unsigned char there[ADDRESS] = {0};
    int error;
    if (len > ADDRESS) return errno = EINVAL, -1;
    rt_call_reads(address, len, pc);
    memcpy(there, address, len);
    if ((error = rt_socket_receives(f, pc))) return errno = error, -1;
    if (f->address_len || f->family == AF_UNIX) rt_file_step(&rt_descriptors()->table, false, pc, "sendto");
    else rt_file_all(pc, "sendto"), have_own_port(f, there, len);
    struct open_file *to = receiver(f->type, there, len, pc, &error), sender = *f;
    if (to && !takes_from(to, f)) to = NULL, error = ECONNREFUSED;
    if (!to && error == ECONNREFUSED) return (ssize_t)size; /* UDP: lost */
    if (!to) return errno = error, -1;
    sender.out = to->in;
    sender.peer_len = 0;
    return rt_file_write_to(&sender, from, size, flags & MSG_DONTWAIT, pc);
}

EXPORT ssize_t sendto(int fd, const void *from, size_t size, int flags, const struct sockaddr *to, socklen_t len)
{
    struct open_file *f = rt_file_for(fd, CALLER, "sendto");
    if (f && f->kind == &rt_socket_kind && sends_datagrams(f) && to)
        return send_to(f, from, size, flags, to, len, CALLER);
    if (f) return send_here(fd, from, size, flags, CALLER);
    rt_note("sendto", OUTSIDE, CALLER);
    return REAL(sendto)(fd, from, size, flags, to, len);
}

/* Who sent what was just received. */
static void tell_sender(const struct open_file *f, ssize_t n, struct sockaddr *from, socklen_t *len,
                        uintptr_t pc)
{
    if (!len) return;
    bool told = n >= 0 && f->in && f->in->header == DATAGRAMS;
    if (told) tell_address(f->in->taken.sender, f->in->taken.sender_len, from, len, pc);
    else rt_call_writes(len, sizeof *len, pc), *len = 0;
}

EXPORT ssize_t recvfrom(int fd, void *to, size_t size, int flags, struct sockaddr *from, socklen_t *len)
{
    struct open_file *f = rt_file_for(fd, CALLER, "recvfrom");
    if (f) {
        ssize_t n = receive_here(fd, to, size, flags, CALLER);
        tell_sender(f, n, from, len, CALLER);
        return counted(fd, n, flags);
    }
    rt_note("recvfrom", BLOCKS, CALLER);
    return REAL(recvfrom)(fd, to, size, flags, from, len);
}

static bool is_addressed(const struct open_file *f, const struct msghdr *m)
{
    return m->msg_name && f->kind == &rt_socket_kind && sends_datagrams(f);
}

/* Where what is sent beside the bytes goes; NULL: nowhere. */
static struct channel *channel_to(const struct open_file *f, const struct msghdr *m)
{
    unsigned char there[ADDRESS] = {0};
    if (!is_addressed(f, m) || m->msg_namelen > ADDRESS) return f->family == AF_UNIX ? f->out : NULL;
    memcpy(there, m->msg_name, m->msg_namelen);
    const struct open_file *to = who_has(f->type, there, m->msg_namelen, false);
    return to && to->family == AF_UNIX ? to->in : NULL;
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags)
{
    struct open_file *f = rt_file_for(fd, CALLER, "sendmsg");
    if (!f) {
        rt_note("sendmsg", OUTSIDE, CALLER);
        return REAL(sendmsg)(fd, m, flags);
    }
    rt_call_reads(m, sizeof *m, CALLER);
    rt_call_reads(m->msg_iov, sizeof *m->msg_iov * m->msg_iovlen, CALLER);
    int error = m->msg_controllen ? rt_rights_gather(m, channel_to(f, m), CALLER) : 0;
    if (error) return errno = error, -1;
    size_t size = rt_pieces_size(m->msg_iov, m->msg_iovlen);
    char *all = __builtin_alloca(size + 1);
    rt_pieces_gather(all, size, m->msg_iov, CALLER);
    ssize_t n = is_addressed(f, m) ? send_to(f, all, size, flags, m->msg_name, m->msg_namelen, CALLER)
                                   : send_here(fd, all, size, flags, CALLER);
    if (rt.self->carries) rt_rights_discard(&rt.self->carries, CALLER); /* they were not sent */
    return n;
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
    struct open_file *f = rt_file_for(fd, CALLER, "recvmsg");
    if (!f) {
        rt_note("recvmsg", BLOCKS, CALLER);
        return REAL(recvmsg)(fd, m, flags);
    }
    rt_call_reads(m, sizeof *m, CALLER);
    if (m->msg_iovlen > MOST_PIECES) return errno = EMSGSIZE, -1;
    struct iovec copy[m->msg_iovlen + 1];
    const struct iovec *v = rt_pieces_copy(copy, m->msg_iov, m->msg_iovlen, CALLER);
    size_t size = rt_pieces_size(v, m->msg_iovlen);
    char *all = __builtin_alloca(size + 1);
    rt.self->wants_rights = true;
    ssize_t n = receive_here(fd, all, size, flags, CALLER);
    rt.self->wants_rights = false;
    if (n > 0) rt_pieces_scatter(all, (size_t)n, v, CALLER);
    rt_call_writes(&m->msg_flags, sizeof m->msg_flags, CALLER);
    m->msg_flags = f->in && f->in->header && n >= 0 && f->in->taken.size > (size_t)n ? MSG_TRUNC : 0;
    if (f->in && f->in->received) rt_rights_deliver(f->in, m, flags & MSG_CMSG_CLOEXEC, CALLER);
    else m->msg_controllen = 0;
    tell_sender(f, n, m->msg_name, m->msg_name ? &m->msg_namelen : NULL, CALLER);
    if (!m->msg_name) m->msg_namelen = 0;
    return counted(fd, n, flags);
}

/* No thread can go on. Where the system would wake one up after a time-out, or because a datagram was refused, that
 * is no deadlock. */
void rt_socket_deadlock(void)
{
    bool files = rt.files.generation == rt.generation && rt.files.all, waits = false;
    int id;
    FOR_EACH_THREAD(id, rt.live)
        waits |= rt.threads[id].in_call && rt.threads[id].in_call->kind == &rt_socket_kind;
    if (waits && rt.shared && rt.shared->unexplored >> RT_SOCKET_TIMEOUTS & 1)
        rt_die("all threads wait, one of them at a socket, and time-outs of sockets are not explored");
    if (files && rt_descriptors()->has_lost)
        rt_die("all threads wait, and a refused datagram may wake up one of them");
}
