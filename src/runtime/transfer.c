/* From one descriptor to another, where one of them is the runtime's: splice, tee, sendfile. What the kernel does at
 * once is a step that takes and one that puts: that nobody sees what is under way in between is the only difference,
 * and what was taken is put also if that has to wait. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

static bool is_pipe(int fd) { return rt_file(fd) && rt_file(fd)->kind == &rt_pipe_kind; }
static size_t at_most(size_t size) { return size < PIPE_SIZE ? size : PIPE_SIZE; }

static void announce_offset(off64_t *at, uintptr_t pc)
{
    rt_call_reads(at, sizeof *at, pc);
    rt_call_writes(at, sizeof *at, pc);
}

/* `at`: where in a file of the kernel's, NULL: where its descriptor is. */
static ssize_t take(int fd, off64_t *at, char *to, size_t size, bool dont_wait, uintptr_t pc)
{
    if (rt_file(fd)) return at ? errno = ESPIPE, -1 : rt_file_read(fd, to, size, dont_wait, pc);
    rt_effect();
    rt_cycle_forget();
    announce_offset(at, pc);
    ssize_t n = at ? REAL(pread64)(fd, to, size, *at) : REAL(read)(fd, to, size);
    if (at && n > 0) *at += n;
    return n;
}

static ssize_t put(int fd, off64_t *at, const char *from, size_t size, uintptr_t pc)
{
    if (rt_file(fd)) return at ? errno = ESPIPE, -1 : rt_file_write(fd, from, size, false, pc);
    announce_offset(at, pc);
    ssize_t n = at ? REAL(pwrite64)(fd, from, size, *at) : REAL(write)(fd, from, size);
    if (at && n > 0) *at += n;
    return n;
}

/* How many bytes may be taken so that there is room for them; -1: none now, and it is not to wait. */
static ssize_t room_in(int fd, size_t size, bool dont_wait, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    dont_wait |= f && (f->status_flags & O_NONBLOCK);
    if (!f || !f->out || !dont_wait || rt_channel_has_ended(f->out)) return (ssize_t)size;
    rt_attempt(pc);
    rt_channel_step(f->out, SCHED_PEEK, 1, false, pc, "splice");
    size_t room = f->out->capacity - f->out->len;
    if (!room) return rt_try_again(), errno = EAGAIN, -1;
    return (ssize_t)(size < room ? size : room);
}

EXPORT ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
    if (!rt_file(from) && !rt_file(to)) return REAL(splice)(from, from_at, to, to_at, size, flags);
    bool dont_wait = flags & SPLICE_F_NONBLOCK;
    if (rt_file(from) && rt_file(to) && !is_pipe(from) && !is_pipe(to)) return errno = EINVAL, -1;
    ssize_t n = size ? room_in(to, at_most(size), dont_wait, CALLER) : 0;
    if (n <= 0) return n;
    char *bytes = __builtin_alloca((size_t)n);
    n = take(from, from_at, bytes, (size_t)n, dont_wait, CALLER);
    return n <= 0 ? n : put(to, to_at, bytes, (size_t)n, CALLER);
}

EXPORT ssize_t tee(int from, int to, size_t size, unsigned flags)
{
    if (!rt_file(from) && !rt_file(to)) return REAL(tee)(from, to, size, flags);
    bool dont_wait = flags & SPLICE_F_NONBLOCK;
    if (!is_pipe(from) || !is_pipe(to)) return errno = EINVAL, -1;
    ssize_t n = size ? room_in(to, at_most(size), dont_wait, CALLER) : 0;
    if (n <= 0) return n;
    char *bytes = __builtin_alloca((size_t)n);
    n = rt_file_peek(rt_file(from), bytes, (size_t)n, dont_wait, CALLER);
    return n <= 0 ? n : put(to, NULL, bytes, (size_t)n, CALLER);
}

/* What did not fit is still there. */
static void give_back(int fd, off_t *at, ssize_t size)
{
    if (at) *at -= size;
    else lseek(fd, -size, SEEK_CUR);
}

EXPORT ssize_t sendfile(int to, int from, off_t *at, size_t size)
{
    if (!rt_file(from) && !rt_file(to)) return REAL(sendfile)(to, from, at, size);
    if (rt_file(from)) return errno = EINVAL, -1;
    char *bytes = __builtin_alloca(at_most(size));
    for (size_t done = 0;;) {
        ssize_t n = done < size ? take(from, at, bytes, at_most(size - done), false, CALLER) : 0;
        if (n <= 0) return done ? (ssize_t)done : n;
        ssize_t sent = put(to, NULL, bytes, (size_t)n, CALLER);
        if (sent < n) give_back(from, at, n - (sent < 0 ? 0 : sent));
        if (sent <= 0) return done ? (ssize_t)done : sent;
        done += (size_t)sent;
        if (sent < n) return (ssize_t)done;
    }
}

ssize_t call_sendfile64(int to, int from, off64_t *at, size_t size) __asm__("sendfile64");
EXPORT ssize_t call_sendfile64(int to, int from, off64_t *at, size_t size) { return sendfile(to, from, at, size); }
