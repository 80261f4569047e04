/* The table of descriptors that are objects of the runtime, and what all of them have in common: steps and waiting,
 * read, write, close, dup, fcntl. Everything is forgotten at the end of an execution. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ARENA = 256 << 20 };

/* In memory of one execution: mapped once, cleared as far as it was used. */
struct descriptors *rt_descriptors(void)
{
    if (!rt.files.base) rt.files.base = rt_map(NULL, ARENA, 0);
    if (rt.files.generation != rt.generation) {
        memset(rt.files.base, 0, rt.files.used);
        rt.files.used = 0;
        rt.files.generation = rt.generation;
        rt.files.all = rt_file_memory(sizeof *rt.files.all);
    }
    return rt.files.all;
}

void *rt_file_memory(size_t size)
{
    size = (size + 63) & ~63ul;
    if (size > ARENA - rt.files.used) rt_die("the program uses too many pipes and sockets");
    assert(rt.files.base && rt.files.generation == rt.generation);
    char *p = rt.files.base + rt.files.used;
    rt.files.used += size;
    sched_known_whole(rt.known); /* whether there is something to read is not decided by a thread's own past */
    return p;
}

static bool controls(void) { return rt.active && rt.shared; }

struct open_file *rt_file(int fd)
{
    return controls() && fd >= 0 && fd < MAX_FILES ? rt_descriptors()->of[fd] : NULL;
}

/* ---- steps ---- */

/* Nobody could notice: the first thread has started no other yet, or all were joined, by it or by who was joined
 * himself. */
static bool is_alone(void)
{
    if (rt.self->id) return false;
    for (int i = 1; i < rt.thread_limit && i < rt.numbering->next; i++)
        if (set_has(rt.created, i) && !(rt.threads[i].finished && rt.threads[i].joined)) return false;
    return true;
}

void rt_file_step(struct word *w, bool writing, uintptr_t pc, const char *label)
{
    if (is_alone()) return;
    struct sched_op op = {.kind = writing ? SCHED_RMW : SCHED_READ, .object = (uint64_t)w, .count = 4};
    if (writing && w->watched) op.object2 = (uint64_t)&rt_descriptors()->activity;
    rt_point_labelled(op, NULL, pc, label);
    rt_effect();
    if (writing) rt_unchanged();
}

static bool has_changed(const struct thread *t)
{
    return ((const struct word *)t->op.object)->version != t->seen_version;
}

bool rt_file_wait(struct word *w, uint32_t seen, uint32_t seen_by_all, uintptr_t pc, const char *label)
{
    struct sched_op op = {.kind = SCHED_READ, .object = (uint64_t)w, .count = 4};
    bool waits = w->by_all == seen_by_all;
    rt.self->seen_version = seen;
    if (waits) op.flags = SCHED_SPIN;
    return rt_point_unless_broken(op, waits ? has_changed : NULL, pc, label);
}

void rt_file_all(uintptr_t pc, const char *label)
{
    if (!is_alone()) rt_point_labelled(OP(GLOBAL), NULL, pc, label);
    rt_effect();
}

void rt_word_changed(struct word *w)
{
    w->version++;
    if (w->watched) rt_descriptors()->activity.version++;
    rt.outcome.changed = true;
}

/* Whoever waits for the word looks again. */
static void wake(struct word *w)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        if (t == rt.self || !(t->op.flags & SCHED_SPIN) || t->op.object != (uint64_t)w || !t->label) continue;
        rt_need_plain_strategy();
        t->op.flags &= (uint8_t)~SCHED_SPIN;
        t->enabled = NULL;
        rt.conditional &= ~set_of(t->id);
        rt.view.next[t->id] = t->op;
    }
}

void rt_word_changed_by_all(struct word *w)
{
    struct word *activity = &rt_descriptors()->activity;
    w->version++;
    w->by_all++;
    wake(w);
    if (!w->watched || w == activity) return;
    activity->version++;
    activity->by_all++;
    wake(activity);
}

/* From now on whoever changes the word changes `activity` as well, also those who are about to. */
void rt_word_watch(struct word *w)
{
    uint64_t activity = (uint64_t)&rt_descriptors()->activity;
    if (w->watched) return;
    w->watched = true;
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        bool changes = t->op.kind == SCHED_RMW || t->op.kind == SCHED_PUT || t->op.kind == SCHED_TAKE;
        if (t == rt.self || !changes || t->op.object != (uint64_t)w) continue;
        rt_need_plain_strategy();
        t->op.object2 = activity;
        rt.view.next[t->id] = t->op;
    }
}

/* What exists in the file system is shared like a variable: another thread may be the one who makes or removes it. */
void rt_path_step(bool writes, uintptr_t pc, const char *label)
{
    if (!controls() || is_alone()) return;
    struct word *w = &rt_descriptors()->paths;
    rt_attempt(pc);
    rt_file_step(w, writes, pc, label);
    if (writes) rt_word_changed(w);
}

void rt_path_outcome(bool good)
{
    if (!controls()) return;
    if (good) rt.self->failures = 0;
    else rt_try_again();
}

/* ---- opening and closing ---- */

struct open_file *rt_file_new(const struct file_kind *kind, int status_flags)
{
    rt_descriptors();
    struct open_file *f = rt_file_memory(sizeof *f);
    assert(!f->kind && kind); /* the memory of an execution begins as zeros */
    f->kind = kind;
    f->status_flags = status_flags;
    return f;
}

static int put_in_table(struct open_file *f, long fd)
{
    if (fd < 0) return errno = (int)-fd, -1;
    if (fd >= MAX_FILES) rt_die("the program has more than 1024 descriptors");
    rt_descriptors()->of[fd] = f;
    f->references++;
    return (int)fd;
}

/* In a step of the table, or one that depends on every other. */
int rt_file_open(struct open_file *f, bool close_on_exec)
{
    int flags = O_RDWR | (close_on_exec ? O_CLOEXEC : 0);
    rt.used_files = true;
    return put_in_table(f, rt_syscall(SYS_openat, AT_FDCWD, (long)"/dev/null", flags, 0, 0, 0));
}

void rt_file_drop(struct open_file *f)
{
    if (--f->references == 0 && f->kind->close) f->kind->close(f);
}

static bool close_ours(int fd, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    if (!f) return false;
    rt_file_all(pc, "close");
    rt.used_files = true;
    rt_descriptors()->of[fd] = NULL;
    rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    rt_file_drop(f);
    return true;
}

/* dup and the like: -2 if this is none of ours. */
static int dup_ours(int fd, int at_least, int exactly, int flags, uintptr_t pc)
{
    struct open_file *f = rt_file(fd), *old = exactly >= 0 ? rt_file(exactly) : NULL;
    if (!f && !old) return -2;
    rt_file_all(pc, "dup");
    rt.used_files = true;
    if (fd == exactly) return fd;
    int command = flags & O_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD;
    long copy = exactly >= 0 ? rt_syscall(SYS_dup3, fd, exactly, flags, 0, 0, 0)
                             : rt_syscall(SYS_fcntl, fd, command, at_least, 0, 0, 0);
    if (copy >= 0 && old) {
        rt_descriptors()->of[exactly] = NULL;
        rt_file_drop(old);
    }
    return f ? put_in_table(f, copy) : copy < 0 ? (errno = (int)-copy, -1) : (int)copy;
}

/* ---- reading and writing ---- */

/* About to read or write; false: a handler broke it off. */
static bool step(struct open_file *f, struct channel *c, enum sched_kind kind, size_t size, bool waits, uintptr_t pc,
                 const char *label)
{
    if (c) return rt_channel_step(c, kind, size, waits, pc, label);
    rt_file_step(f->kind->word(f, kind == SCHED_PUT), true, pc, label);
    return true;
}

/* A channel was waited for in the step itself: there is more to do. */
static bool wait_for_word(struct open_file *f, bool writing, uintptr_t pc, const char *label)
{
    struct word *w = f->kind->word(f, writing);
    return (writing ? f->out : f->in) || rt_file_wait(w, w->version, w->by_all, pc, label);
}

ssize_t rt_file_read(int fd, void *to, size_t size, bool dont_wait, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    if (!f->kind->take) return errno = EINVAL, -1;
    if (f->in && !f->in->header && !size) return 0;
    rt_touch(to, size);
    rt_cancellation_point(true);
    for (;;) {
        bool waits = !(dont_wait || (f->status_flags & O_NONBLOCK));
        if (!waits) rt_attempt(pc);
        ssize_t n = step(f, f->in, SCHED_TAKE, size, waits, pc, "read") ? f->kind->take(f, to, size) : -EINTR;
        if (n > 0) rt_range((uintptr_t)to, (size_t)n, true, pc);
        bool stop = n != -EAGAIN;
        if (!stop && !waits) stop = true, rt_try_again();
        else if (!stop && !wait_for_word(f, false, pc, "read")) n = -EINTR, stop = true;
        if (!stop) continue;
        rt_cancellation_point(false);
        if (n >= 0) rt.self->failures = 0;
        if (f->in && f->in->received && !rt.self->wants_rights) rt_rights_discard(&f->in->received, pc);
        return n < 0 ? (errno = (int)-n, -1) : n;
    }
}

ssize_t rt_file_write_to(struct open_file *f, const void *from, size_t size, bool dont_wait, uintptr_t pc)
{
    bool is_udp = f->type == SOCK_DGRAM && f->family != AF_UNIX;
    if (!f->kind->put) return errno = EBADF, -1;
    if (f->out && f->out->header && size + f->out->header > PIPE_SIZE) return errno = EMSGSIZE, -1;
    if (f->out && !f->out->header && !size) return 0;
    if (size) rt_range((uintptr_t)from, size, false, pc);
    rt_cancellation_point(true);
    for (size_t done = 0;;) {
        bool waits = !(dont_wait || (f->status_flags & O_NONBLOCK) || is_udp);
        size_t left = size - done;
        if (!waits) rt_attempt(pc);
        bool may = step(f, f->out, SCHED_PUT, left, waits, pc, "write");
        ssize_t n = may ? f->kind->put(f, (const char *)from + done, left) : -EINTR;
        if (n > 0) done += (size_t)n, n = done < size ? -EAGAIN : (ssize_t)done;
        bool stop = n != -EAGAIN;
        if (!stop && !waits) stop = true, rt_try_again();
        else if (!stop && !wait_for_word(f, true, pc, "write")) n = -EINTR, stop = true;
        if (!stop) continue;
        rt_cancellation_point(false);
        if (done) return rt.self->failures = 0, (ssize_t)done;
        if (n == -EPIPE && !rt.self->ignores_pipe) rt_send_to_self(SIGPIPE, pc);
        return n < 0 ? (errno = (int)-n, -1) : n;
    }
}

ssize_t rt_file_write(int fd, const void *from, size_t size, bool dont_wait, uintptr_t pc)
{
    return rt_file_write_to(rt_file(fd), from, size, dont_wait, pc);
}

/* ---- calls of the program ---- */

EXPORT ssize_t read(int fd, void *to, size_t size)
{
    if (rt_file(fd)) return rt_file_read(fd, to, size, false, CALLER);
    rt_wait_for_process(fd, POLLIN);
    rt_touch(to, size);
    rt_effect();
    rt_cycle_forget();
    return REAL(read)(fd, to, size);
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
    if (rt_file(fd)) return rt_file_write(fd, from, size, false, CALLER);
    rt_wait_for_process(fd, POLLOUT);
    return REAL(write)(fd, from, size);
}

/* Several pieces are read or written in one step: as one piece, or (more than fits) up to there. */
size_t rt_pieces_size(const struct iovec *v, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += v[i].iov_len;
    return total < PIPE_SIZE ? total : PIPE_SIZE;
}

void rt_pieces_gather(char *to, size_t size, const struct iovec *v, uintptr_t pc)
{
    for (size_t n; size; to += n, size -= n, v++) {
        n = v->iov_len < size ? v->iov_len : size;
        if (n) rt_range((uintptr_t)v->iov_base, n, false, pc);
        memcpy(to, v->iov_base, n);
    }
}

void rt_pieces_scatter(const char *from, size_t size, const struct iovec *v, uintptr_t pc)
{
    for (size_t n; size; from += n, size -= n, v++) {
        n = v->iov_len < size ? v->iov_len : size;
        rt_touch(v->iov_base, n);
        if (n) rt_range((uintptr_t)v->iov_base, n, true, pc);
        memcpy(v->iov_base, from, n);
    }
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int count)
{
    if (!rt_file(fd)) {
        for (int i = 0; i < count; i++) rt_touch(v[i].iov_base, v[i].iov_len);
        rt_cycle_forget();
        return REAL(readv)(fd, v, count);
    }
    size_t size = rt_pieces_size(v, (size_t)count);
    char *all = __builtin_alloca(size + 1);
    ssize_t n = rt_file_read(fd, all, size, false, CALLER);
    if (n > 0) rt_pieces_scatter(all, (size_t)n, v, CALLER);
    return n;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
    if (!rt_file(fd)) return REAL(writev)(fd, v, count);
    size_t size = rt_pieces_size(v, (size_t)count);
    char *all = __builtin_alloca(size + 1);
    rt_pieces_gather(all, size, v, CALLER);
    return rt_file_write(fd, all, size, false, CALLER);
}

EXPORT int close(int fd)
{
    if (rt_is_own_file(fd)) return errno = EBADF, -1;
    if (close_ours(fd, CALLER)) return 0;
    if (controls() && fd >= 0 && fd < MAX_FILES) rt_descriptors()->inherited[fd] = false;
    rt.used_files = true;
    return REAL(close)(fd);
}

EXPORT int dup(int fd)
{
    int copy = dup_ours(fd, 0, -1, 0, CALLER);
    rt.used_files = true;
    return copy != -2 ? copy : REAL(dup)(fd);
}

EXPORT int dup2(int fd, int to)
{
    int copy = dup_ours(fd, 0, to, 0, CALLER);
    rt.used_files = true;
    return copy != -2 ? copy : REAL(dup2)(fd, to);
}

EXPORT int dup3(int fd, int to, int flags)
{
    int copy = dup_ours(fd, 0, to, flags, CALLER);
    rt.used_files = true;
    return copy != -2 ? copy : REAL(dup3)(fd, to, flags);
}

static int control(int fd, int command, long argument, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    switch (command) {
    case F_GETFL: return f->status_flags;
    case F_SETFL:
        f->status_flags = (f->status_flags & O_ACCMODE) | (int)(argument & ~O_ACCMODE);
        return 0;
    case F_DUPFD: return dup_ours(fd, (int)argument, -1, 0, pc);
    case F_DUPFD_CLOEXEC: return dup_ours(fd, (int)argument, -1, O_CLOEXEC, pc);
    default: return REAL(fcntl)(fd, command, argument);
    }
}

int call_fcntl(int fd, int command, long argument) __asm__("fcntl");
int call_fcntl64(int fd, int command, long argument) __asm__("fcntl64");
EXPORT int call_fcntl(int fd, int command, long argument)
{
    if (rt_file(fd)) return control(fd, command, argument, CALLER);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) rt.used_files = true;
    return REAL(fcntl)(fd, command, argument);
}
EXPORT int call_fcntl64(int fd, int command, long argument) { return call_fcntl(fd, command, argument); }

int call_ioctl(int fd, unsigned long request, void *argument) __asm__("ioctl");
EXPORT int call_ioctl(int fd, unsigned long request, void *argument)
{
    struct open_file *f = rt_file(fd);
    if (!f) return REAL(ioctl)(fd, request, argument);
    if (request == FIONBIO) {
        f->status_flags = *(int *)argument ? f->status_flags | O_NONBLOCK : f->status_flags & ~O_NONBLOCK;
        return 0;
    }
    if (request == FIONREAD && f->in) {
        rt_attempt(CALLER); /* a loop may wait for bytes to come */
        rt_channel_step(f->in, SCHED_PEEK, 0, false, CALLER, "ioctl");
        if (!(*(int *)argument = (int)f->in->len)) rt_try_again();
        return 0;
    }
    if (request == FIOCLEX || request == FIONCLEX) return 0;
    return errno = ENOTTY, -1;
}
