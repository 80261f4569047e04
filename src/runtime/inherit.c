/* What goes to a child of fork(). Pipes, pairs of sockets and eventfds are objects in the memory of this process, and
 * the child is not explored: before it is made they become the kernel's, with what is in them, under the same numbers.
 * From then on they are outside control. Sockets with an address and what else has a descriptor stay here. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(long number, long a, long b, long c, long d)
{
    long result = rt_syscall(number, a, b, c, d, 0, 0);
    if (result < 0) rt_die("a pipe, socket or eventfd cannot be handed over to a new process");
    return result;
}

/* The number stays, and so do the flags of the descriptor and of what is open there. */
static void replace(int fd, int by, int status_flags)
{
    long flags = call(SYS_fcntl, fd, F_GETFD, 0, 0);
    call(SYS_dup3, by, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0, 0);
    call(SYS_fcntl, fd, F_SETFL, status_flags & O_NONBLOCK, 0);
}

/* All descriptors of that open file. */
static void hand_over(const struct open_file *f, int by)
{
    struct descriptors *all = rt_descriptors();
    for (int fd = 0; fd < MAX_FILES; fd++) {
        if (all->of[fd] != f) continue;
        replace(fd, by, f->status_flags);
        all->of[fd] = NULL;
        all->inherited[fd] = true;
    }
}

/* Messages as they were put in. */
static void pour(struct channel *c, int into)
{
    char *room = rt_file_memory(PIPE_SIZE);
    if (c->rights) rt_die("descriptors are on their way through a socket that goes to a new process");
    while (c->len) {
        ssize_t n = rt_channel_take(c, room, PIPE_SIZE);
        assert(n >= 0);
        if (rt_syscall(SYS_write, into, (long)room, n, 0, 0, 0) != n)
            rt_die("more is in a pipe than can be handed over to a new process");
    }
}

static struct open_file *find(const struct channel *in, const struct channel *out)
{
    struct descriptors *all = rt_descriptors();
    for (int fd = 0; fd < MAX_FILES; fd++)
        if (all->of[fd] && all->of[fd]->in == in && all->of[fd]->out == out) return all->of[fd];
    return NULL;
}

/* What nobody holds any more is closed, which the other side then sees. */
static void hand_over_ends(const struct open_file *a, const struct open_file *b, const int ends[2])
{
    if (a) hand_over(a, ends[0]);
    if (b) hand_over(b, ends[1]);
    call(SYS_close, ends[0], 0, 0, 0);
    call(SYS_close, ends[1], 0, 0, 0);
}

static void hand_over_pipe(const struct open_file *f)
{
    struct channel *c = f->in ? f->in : f->out;
    int ends[2];
    call(SYS_pipe2, (long)ends, c->header ? O_DIRECT : 0, 0, 0);
    pour(c, ends[1]);
    hand_over_ends(find(c, NULL), find(NULL, c), ends);
}

static void hand_over_pair(const struct open_file *f)
{
    int ends[2];
    call(SYS_socketpair, AF_UNIX, f->type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC), 0, (long)ends);
    pour(f->in, ends[1]);
    pour(f->out, ends[0]);
    hand_over_ends(f, find(f->out, f->in), ends);
}

static void hand_over_counter(const struct open_file *f)
{
    enum { SEMAPHORE = 1 };
    int fd = (int)call(SYS_eventfd2, 0, f->semaphore ? SEMAPHORE : 0, 0, 0);
    uint64_t value = f->counter;
    if (value) call(SYS_write, fd, (long)&value, sizeof value, 0);
    hand_over(f, fd);
    call(SYS_close, fd, 0, 0, 0);
}

/* Between the ends there is nothing but the two channels, and nobody looks at it by epoll. */
static bool is_pair(const struct open_file *f)
{
    return f->kind == &rt_socket_kind && f->family == AF_UNIX && f->in && f->out && !f->listening && !f->address_len &&
           !f->peer_len;
}

static bool is_watched(const struct open_file *f)
{
    return (f->in && f->in->word.watched) || (f->out && f->out->word.watched) || f->word.watched;
}

static bool is_waited_for(const struct open_file *f)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const void *object = (const void *)rt.threads[id].op.object;
        bool is_its = object && (object == f->in || object == f->out || object == &f->word);
        if (is_its && id != rt.self->id) return true;
    }
    return false;
}

bool rt_hand_over(void)
{
    struct descriptors *all = rt_descriptors();
    bool rest = all->locks || all->sets; /* which processes would share */
    for (int fd = 0; fd < MAX_FILES; fd++) {
        const struct open_file *f = all->of[fd];
        if (!f) continue;
        bool can = f->kind == &rt_pipe_kind || f->kind == &rt_counter_kind || is_pair(f);
        if (can && (is_watched(f) || is_waited_for(f)))
            rt_die("other threads wait for a pipe, socket or eventfd that goes to a new process");
        if (f->kind == &rt_pipe_kind) hand_over_pipe(f);
        else if (f->kind == &rt_counter_kind) hand_over_counter(f);
        else if (is_pair(f)) hand_over_pair(f);
        else rest = true;
    }
    return !rest;
}

/* A thread that waits for another process stops all others. That is fine unless that one waits for one of them. */
void rt_wait_for_process(int fd, short events)
{
    enum { PATIENCE = 5 };
    if (!rt.active || !rt.shared || fd < 0 || fd >= MAX_FILES || !rt_descriptors()->inherited[fd]) return;
    bool is_last = set_equal(rt.live, set_of(rt.self->id));
    if (is_last || (rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_NONBLOCK)) return;
    struct pollfd p = {.fd = fd, .events = events};
    struct timespec most = {PATIENCE, 0};
    if (rt_syscall(SYS_ppoll, (long)&p, 1, (long)&most, 0, 0, 0) == 0)
        rt_die("a thread waits for another process, which may wait for another thread");
}
