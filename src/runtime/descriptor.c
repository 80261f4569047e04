/* The table of descriptors that are objects of the runtime, and what all of them have in common: steps and waiting,
 * read, write, close, dup, fcntl. Everything is forgotten at the end of an execution. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <limits.h>
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

void rt_file_step(struct word *w, bool writing, uintptr_t pc, const char *label)
{
    if (rt_is_alone()) return;
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
    if (!rt_is_alone()) rt_point_labelled(OP(GLOBAL), NULL, pc, label);
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
    if (!controls() || rt_is_alone()) return;
    struct word *w = &rt_descriptors()->paths;
    rt_attempt(pc);
    rt_file_step(w, writes, pc, label);
    if (writes) rt_word_changed(w);
}

/* Two threads that open files get different numbers, whichever paths they look at. */
void rt_open_step(bool writes, uintptr_t pc, const char *label)
{
    if (!controls() || rt_is_alone()) return;
    struct word *w = &rt_descriptors()->paths;
    rt_attempt(pc);
    rt_file_step(w, true, pc, label);
    if (writes) rt_word_changed(w);
}

/* Closing a file of the kernel gives its number back, and the next call that opens one gets the lowest free number. So
 * it is a step of the same word as opening. */
void rt_number_step(uintptr_t pc, const char *label)
{
    if (!controls() || rt_is_alone()) return;
    struct word *w = &rt_descriptors()->paths;
    rt_file_step(w, true, pc, label);
    rt_word_changed(w);
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
    if (--f->references == 0 && !f->calls && f->kind->close) f->kind->close(f);
}

/* A call that waits keeps the object, whatever becomes of the descriptor meanwhile. */
static void call_begins(struct open_file *f)
{
    rt_file_call_over();
    rt.self->in_call = f;
    f->calls++;
}

void rt_file_call_over(void)
{
    struct open_file *f = rt.self->in_call;
    rt.self->in_call = NULL;
    if (!f || --f->calls || f->references || !f->kind->close) return;
    rt_file_all(0, "close");
    f->kind->close(f);
}

/* What a number stands for is state that threads share (state.c): another thread may close the descriptor, or put
 * another one in its place, before a call takes hold of it. */
static uint64_t shared_number(int fd)
{
    return fd < 0 || fd >= MAX_FILES || !rt_state_is_shared() ? 0 : (uint64_t)&rt_descriptors()->of[fd];
}

struct open_file *rt_file_for(int fd, uintptr_t pc, const char *label)
{
    uint64_t number = shared_number(fd);
    if (number) rt_state_step(number, 0, false, pc, label), rt_access_state(number, 1, false, pc);
    return rt_file(fd);
}

/* Its number is that of /dev/null to the kernel. */
void rt_file_mode(int fd, void *stat)
{
    const struct open_file *f = rt_file(fd);
    struct stat *s = stat;
    if (!f || (!f->in && !f->out && f->kind != &rt_socket_kind)) return;
    s->st_mode = f->kind == &rt_socket_kind ? S_IFSOCK | 0777 : S_IFIFO | 0600;
    s->st_size = 0;
}

/* In a step that depends on every other. */
static void change_number(int fd, uintptr_t pc)
{
    uint64_t number = shared_number(fd);
    if (!number) return;
    if (rt_is_hot(pc)) rt_acquire(number), rt_release(number);
    rt_access_state(number, 1, true, pc);
}

static bool close_ours(int fd, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    if (!f) return false;
    rt_file_all(pc, "close");
    change_number(fd, pc);
    f = rt_file(fd);
    if (!f) return false;
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
    change_number(exactly, pc);
    f = rt_file(fd), old = exactly >= 0 ? rt_file(exactly) : NULL;
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

/* Whether a call waits is decided by another thread, perhaps. */
static void flags_step(const struct open_file *f, bool writes, uintptr_t pc, const char *label)
{
    if (!rt_state_is_shared()) return;
    rt_state_step((uint64_t)&f->status_flags, 0, writes, pc, label);
    rt_access_state((uintptr_t)&f->status_flags, 1, writes, pc);
    if (writes) rt_effect();
}

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
    int pending = rt_socket_receives(f, pc);
    if (pending) return errno = pending, -1;
    rt_touch(to, size);
    flags_step(f, false, pc, "read");
    rt_cancellation_point(true);
    call_begins(f);
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
        rt_file_call_over();
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
    int sends = rt_socket_sends(f, pc);
    if (sends) return sends == RT_DATAGRAM_LOST ? (ssize_t)size : (errno = -sends, -1);
    flags_step(f, false, pc, "write");
    rt_cancellation_point(true);
    call_begins(f);
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
        rt_file_call_over();
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
    if (rt_file_for(fd, CALLER, "read")) return rt_file_read(fd, to, size, false, CALLER);
    rt_cancellable_call(CALLER, "read");
    rt_wait_for_process(fd, POLLIN);
    rt_touch(to, size);
    rt_effect();
    rt_cycle_forget();
    rt_contents_use(fd, RT_HERE, size, false, CALLER, "read");
    ssize_t n = REAL(read)(fd, to, size);
    if (n > 0 && rt_is_program_code(CALLER)) rt_range((uintptr_t)to, (size_t)n, true, CALLER);
    return n;
}

EXPORT ssize_t write(int fd, const void *from, size_t size)
{
    if (rt_file_for(fd, CALLER, "write")) return rt_file_write(fd, from, size, false, CALLER);
    rt_cancellable_call(CALLER, "write");
    rt_wait_for_process(fd, POLLOUT);
    rt_contents_use(fd, RT_HERE, size, true, CALLER, "write");
    if (rt_is_program_code(CALLER)) rt_range((uintptr_t)from, size, false, CALLER);
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
    if (!rt_file_for(fd, CALLER, "readv")) return rt_pieces_read(fd, v, count, RT_HERE, CALLER);
    struct iovec copy[count > 0 && count <= MOST_PIECES ? count : 1];
    if (count < 0 || count > MOST_PIECES) return errno = EINVAL, -1;
    v = rt_pieces_copy(copy, v, (size_t)count, CALLER);
    size_t size = rt_pieces_size(v, (size_t)count);
    char *all = __builtin_alloca(size + 1);
    ssize_t n = rt_file_read(fd, all, size, false, CALLER);
    if (n > 0) rt_pieces_scatter(all, (size_t)n, v, CALLER);
    return n;
}

EXPORT ssize_t writev(int fd, const struct iovec *v, int count)
{
    if (!rt_file_for(fd, CALLER, "writev")) return rt_pieces_write(fd, v, count, RT_HERE, CALLER);
    if (count < 0 || count > MOST_PIECES) return errno = EINVAL, -1;
    rt_call_reads(v, (size_t)count * sizeof *v, CALLER);
    size_t size = rt_pieces_size(v, (size_t)count);
    char *all = __builtin_alloca(size + 1);
    rt_pieces_gather(all, size, v, CALLER);
    return rt_file_write(fd, all, size, false, CALLER);
}

static int close_here(int fd, uintptr_t pc)
{
    if (close_ours(fd, pc)) return 0;
    rt_offset_closes(fd, pc);
    rt_locks_close(fd, pc, "close");
    rt_number_step(pc, "close");
    if (controls() && fd >= 0 && fd < MAX_FILES) rt_descriptors()->inherited[fd] = false;
    rt_offset_closed(fd);
    rt.used_files = true;
    return REAL(close)(fd);
}

EXPORT int close(int fd)
{
    if (rt_is_own_file(fd)) return errno = EBADF, -1;
    rt_cancellable_call(CALLER, "close");
    struct rt_use u = rt_standard_enter(fd, CALLER, "close");
    int status = close_here(fd, CALLER), kept = errno;
    rt_standard_leave(fd, &u);
    return errno = kept, status;
}

/* Of a file of the kernel. */
static void copy_step(int copy, uintptr_t pc)
{
    if (copy == -2) rt_number_step(pc, "dup");
}

static int shares_offset(int fd, int copy)
{
    rt_offset_shared(fd, copy);
    rt_locks_copied(fd, copy);
    return copy;
}

EXPORT int dup(int fd)
{
    int copy = dup_ours(fd, 0, -1, 0, CALLER);
    copy_step(copy, CALLER);
    rt.used_files = true;
    return copy != -2 ? copy : shares_offset(fd, REAL(dup)(fd));
}

EXPORT int dup2(int fd, int to)
{
    struct rt_use u = rt_standard_enter(to, CALLER, "dup2");
    int copy = dup_ours(fd, 0, to, 0, CALLER);
    copy_step(copy, CALLER);
    rt.used_files = true;
    if (copy == -2 && fd != to) rt_locks_close(to, CALLER, "dup2");
    if (copy == -2) copy = shares_offset(fd, REAL(dup2)(fd, to));
    return rt_standard_leave(to, &u), copy;
}

EXPORT int dup3(int fd, int to, int flags)
{
    struct rt_use u = rt_standard_enter(to, CALLER, "dup3");
    int copy = dup_ours(fd, 0, to, flags, CALLER);
    copy_step(copy, CALLER);
    rt.used_files = true;
    if (copy == -2 && fd != to) rt_locks_close(to, CALLER, "dup3");
    if (copy == -2) copy = shares_offset(fd, REAL(dup3)(fd, to, flags));
    return rt_standard_leave(to, &u), copy;
}

#define LOCK_OF_PROCESS "a lock of the process: it keeps out no thread, and may block the whole program"

/* Those that belong to an open file; threads can keep each other out by them. */
static bool is_lock_of_file(int command)
{
    return command == F_OFD_SETLK || command == F_OFD_SETLKW || command == F_OFD_GETLK;
}

/* The kernel rounds up to a power of two pages. Changing the capacity is a step that depends on every other. */
static int pipe_size(struct open_file *f, bool changes, long wanted, uintptr_t pc)
{
    struct channel *c = f->in ? f->in : f->out;
    if (!c || (f->kind != &rt_pipe_kind && f->kind != &rt_fifo_kind)) return errno = EBADF, -1;
    rt_file_all(pc, "fcntl");
    if (!changes) return (int)c->capacity;
    uint32_t size = PAGE;
    while (size < wanted && size < PIPE_SIZE) size *= 2;
    if (wanted < 0 || wanted > INT_MAX) return errno = EINVAL, -1;
    if (wanted > PIPE_SIZE) rt_note("fcntl", "a pipe has 65,536 bytes at most", pc);
    if (c->len > size) return errno = EBUSY, -1;
    rt_channel_resized(c, size);
    return (int)size;
}

static int control(int fd, int command, long argument, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    switch (command) {
    case F_GETFL: flags_step(f, false, pc, "fcntl"); return f->status_flags;
    case F_SETFL:
        flags_step(f, true, pc, "fcntl");
        f->status_flags = (f->status_flags & O_ACCMODE) | (int)(argument & ~O_ACCMODE);
        return 0;
    case F_GETPIPE_SZ: case F_SETPIPE_SZ: return pipe_size(f, command == F_SETPIPE_SZ, argument, pc);
    case F_DUPFD: return dup_ours(fd, (int)argument, -1, 0, pc);
    case F_DUPFD_CLOEXEC: return dup_ours(fd, (int)argument, -1, O_CLOEXEC, pc);
    default: return REAL(fcntl)(fd, command, argument);
    }
}

int call_fcntl(int fd, int command, long argument) __asm__("fcntl");
int call_fcntl64(int fd, int command, long argument) __asm__("fcntl64");
EXPORT int call_fcntl(int fd, int command, long argument)
{
    if (rt_file_for(fd, CALLER, "fcntl")) return control(fd, command, argument, CALLER);
    bool copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC, asks = command == F_GETFL;
    if (copies) rt.used_files = true, rt_number_step(CALLER, "fcntl");
    if (asks || command == F_SETFL) rt_metadata_use(fd, "", AT_EMPTY_PATH, !asks, CALLER, "fcntl");
    bool locks = command == F_SETLK || command == F_SETLKW || is_lock_of_file(command);
    if (command == F_SETLKW) rt_note("fcntl", LOCK_OF_PROCESS, CALLER);
    bool asks_lock = command == F_GETLK || command == F_OFD_GETLK;
    if (locks || asks_lock) rt_call_reads((void *)argument, sizeof(struct flock), CALLER);
    if (asks_lock) rt_touch((void *)argument, sizeof(struct flock));
    bool is_ours = controls() && is_lock_of_file(command);
    int result = is_ours ? rt_locks_control(fd, command, (struct flock *)argument, CALLER)
                         : REAL(fcntl)(fd, command, argument);
    if (asks_lock && !result) rt_call_writes((void *)argument, sizeof(struct flock), CALLER);
    return copies ? shares_offset(fd, result) : result;
}
EXPORT int call_fcntl64(int fd, int command, long argument) { return call_fcntl(fd, command, argument); }

/* What the kernel fills in: newer requests tell their size. */
static size_t written_by(unsigned long request)
{
    switch (request) {
    case FIONREAD: return sizeof(int);
    case TIOCGWINSZ: return sizeof(struct winsize);
    case TIOCGPGRP: return sizeof(pid_t);
    case TCGETS: return 36; /* the kernel's structure, smaller than the library's */
    default: return _IOC_DIR(request) & _IOC_READ ? _IOC_SIZE(request) : 0;
    }
}

int call_ioctl(int fd, unsigned long request, void *argument) __asm__("ioctl");
EXPORT int call_ioctl(int fd, unsigned long request, void *argument)
{
    struct open_file *f = rt_file_for(fd, CALLER, "ioctl");
    if (!f) {
        size_t size = written_by(request);
        if (size) rt_touch(argument, size);
        int result = REAL(ioctl)(fd, request, argument);
        if (result >= 0 && size) rt_call_writes(argument, size, CALLER);
        return result;
    }
    if (request == FIONBIO) {
        rt_call_reads(argument, sizeof(int), CALLER);
        flags_step(f, true, CALLER, "ioctl");
        f->status_flags = *(int *)argument ? f->status_flags | O_NONBLOCK : f->status_flags & ~O_NONBLOCK;
        return 0;
    }
    if (request == FIONREAD && f->in) {
        rt_attempt(CALLER); /* a loop may wait for bytes to come */
        rt_channel_step(f->in, SCHED_PEEK, 0, false, CALLER, "ioctl");
        rt_call_writes(argument, sizeof(int), CALLER);
        if (!(*(int *)argument = (int)f->in->len)) rt_try_again();
        return 0;
    }
    if (request == FIOCLEX || request == FIONCLEX) return 0;
    return errno = ENOTTY, -1;
}
