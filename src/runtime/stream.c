/* Streams on pipes and sockets of the runtime: fdopen() makes one whose bytes come and go by way of the functions here,
 * and dprintf() writes there. The C library would lock a stream by waiting in the kernel, where a thread that has it
 * cannot give it back: it is told not to, and every call on such a stream takes the lock of flockfile() instead. */
#include "runtime/descriptor_int.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_STREAMS = 256 };
struct stream { FILE *file; int fd; uintptr_t pc; }; /* pc: of the call that is being made */

static bool has_streams(void)
{
    return rt.active && rt.shared && rt.files.generation == rt.generation && rt.files.all && rt.files.all->streams;
}

static struct stream *stream_of(const void *file)
{
    if (likely(!has_streams()) || !file) return NULL;
    for (struct stream *s = rt.files.all->streams; s < rt.files.all->streams + MAX_STREAMS; s++)
        if (s->file == file) return s;
    return NULL;
}

/* A stream's lock is held across calls only if the program asks for it: then it is a recursive mutex. */
static pthread_mutex_t *lock_of(void *f)
{
    pthread_mutex_t *m = rt_mutex_beside(f);
    m->__data.__kind = PTHREAD_MUTEX_RECURSIVE;
    return m;
}

/* Where output goes when the program begins. */
void rt_streams_init(void)
{
    for (int fd = 1; fd <= 2; fd++) {
        struct stat *s = &rt.standard[fd - 1].was;
        rt.standard[fd - 1].file = fd == 1 ? stdout : stderr;
        if (rt_syscall(SYS_fstat, fd, (long)s, 0, 0, 0, 0)) *s = (struct stat){0};
    }
}

/* Standard output or error, and it was not closed, nor led elsewhere, where the program may read it. */
static bool is_output(const void *stream)
{
    struct stat now;
    if (stream != stdout && stream != stderr) return false;
    int fd = stream == stdout ? 1 : 2;
    const struct stat *was = &rt.standard[fd - 1].was;
    if (stream != rt.standard[fd - 1].file || rt_syscall(SYS_fstat, fd, (long)&now, 0, 0, 0, 0)) return false;
    return now.st_dev == was->st_dev && now.st_ino == was->st_ino;
}

/* Two calls that only print to standard output, or standard error, commute: no thread reads what is printed there, and
 * what is left in the buffer shows in other calls only (ftell, setvbuf), which change the stream. */
static bool commutes(const void *stream, enum rt_stream_use how)
{
    return how == RT_STREAM_LOOKS || (how == RT_STREAM_PRINTS && is_output(stream));
}

/* The contents of a file on which the stream is: a call that moves the offset has read or written there. */
static void enter_file(struct rt_use *u, enum rt_stream_use how, const char *label)
{
    long size;
    bool appends;
    int fd = commutes(u->stream, how) ? -1 : REAL(fileno)(u->stream);
    uint64_t contents = fd < 0 ? 0 : rt_contents_of(fd, &appends, &size);
    if (!contents) return;
    u->writes = how != RT_STREAM_READS;
    rt_state_step(contents, 0, u->writes, u->pc, label);
    u->fd = fd;
    u->from = rt_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
}

static void leave_file(const struct rt_use *u)
{
    long size;
    bool appends;
    uint64_t contents = rt_contents_of(u->fd, &appends, &size);
    long to = rt_syscall(SYS_lseek, u->fd, 0, SEEK_CUR, 0, 0, 0), from = u->from;
    if (!contents || to == from) return;
    rt_contents_access(contents, from < to ? from : to, from < to ? to : from, u->writes, u->pc);
}

static void refuse_closed(const void *stream, uintptr_t pc)
{
    if (rt_in_heap((uintptr_t)stream)) rt_heap_check((uintptr_t)stream, 1, true, pc);
}

/* The lock of flockfile() is taken by every call on a stream of the runtime; on others, where threads share the stream
 * (state.c) or another thread has the lock. */
struct rt_use rt_stream_enter(void *stream, enum rt_stream_use how, uintptr_t pc, const char *label)
{
    struct rt_use u = {.fd = -1};
    if (!stream || !rt.active || !rt.shared) return u;
    refuse_closed(stream, pc);
    rt_effect();
    if (how == RT_STREAM_READS || how == RT_STREAM_PRINTS) rt_cancellable_call(pc, label);
    if (how == RT_STREAM_READS) rt_cycle_forget();
    struct stream *s = stream_of(stream);
    if (!s && rt_is_alone()) return u;
    u.stream = stream;
    u.pc = pc;
    u.fills = how != RT_STREAM_LOOKS;
    pthread_mutex_t *m = lock_of(stream);
    bool taken = !rt_mutex_is_free(m) && !rt_mutex_held(m);
    if (!s && taken) rt_learn_point(pc);
    u.locked = s || taken || rt_is_hot(pc);
    if (u.locked) rt_mutex_lock(m, pc), refuse_closed(stream, pc); /* meanwhile */
    if (s) s->pc = pc;
    else rt_access_state((uintptr_t)stream, 1, !commutes(stream, how), pc), enter_file(&u, how, label);
    return u;
}

void rt_stream_leave(const struct rt_use *u)
{
    if (u->fd >= 0) leave_file(u);
    if (u->fills) rt_stream_fills(u->stream, u->pc);
    if (u->locked) rt_mutex_unlock(lock_of(u->stream), u->pc);
}

/* putc_unlocked and the like: without the lock, two of them race. */
void rt_stream_unlocked(void *stream, bool writes, uintptr_t pc)
{
    if (!stream || !rt.active || !rt.shared) return;
    refuse_closed(stream, pc);
    rt_range((uintptr_t)stream, 1, writes, pc);
}

static void lock_step(FILE *f, uintptr_t pc)
{
    if (rt_state_is_shared()) rt_access_state((uintptr_t)f, 1, true, pc);
}

EXPORT void flockfile(FILE *f)
{
    rt_mutex_lock(lock_of(f), CALLER);
    lock_step(f, CALLER);
}

EXPORT int ftrylockfile(FILE *f)
{
    int status = rt_mutex_trylock(lock_of(f), false, CALLER);
    lock_step(f, CALLER);
    return status;
}

EXPORT void funlockfile(FILE *f) { rt_mutex_unlock(lock_of(f), CALLER); }

/* A descriptor of standard output or error is about to be closed, or to lead elsewhere. */
struct rt_use rt_standard_enter(int fd, uintptr_t pc, const char *label)
{
    if (fd != 1 && fd != 2) return (struct rt_use){.fd = -1};
    return rt_stream_enter(fd == 1 ? stdout : stderr, RT_STREAM_CHANGES, pc, label);
}

/* It has: the C library would go on to write to the kernel's descriptor where it leads to a pipe of the runtime. */
void rt_standard_leave(int fd, const struct rt_use *u)
{
    if (u->stream) rt_stream_leave(u);
    if ((fd != 1 && fd != 2) || !rt.active || !rt.shared) return;
    FILE **standard = fd == 1 ? &stdout : &stderr, *own = rt_file(fd) ? fdopen(fd, "w") : NULL;
    if (own && fd == 2) setvbuf(own, NULL, _IONBF, 0);
    if (own) *standard = own;
    else if (stream_of(*standard)) *standard = rt.standard[fd - 1].file;
}

void rt_streams_end(void)
{
    if (stream_of(stdout)) stdout = rt.standard[0].file;
    if (stream_of(stderr)) stderr = rt.standard[1].file;
    if (has_streams()) rt.files.all->streams_are_over = true;
}

/* ---- what the C library calls ---- */

static ssize_t read_stream(void *cookie, char *to, size_t size)
{
    const struct stream *s = cookie;
    return rt_file(s->fd) ? rt_file_read(s->fd, to, size, false, s->pc) : read(s->fd, to, size);
}

/* 0 means that it failed. */
static ssize_t write_stream(void *cookie, const char *from, size_t size)
{
    const struct stream *s = cookie;
    if (rt.files.all->streams_are_over) return (ssize_t)size;
    ssize_t n = rt_file(s->fd) ? rt_file_write(s->fd, from, size, false, s->pc) : write(s->fd, from, size);
    return n < 0 ? 0 : n;
}

static int close_stream(void *cookie)
{
    struct stream *s = cookie;
    s->file = NULL;
    return close(s->fd);
}

/* The place of a stream follows from the number of its descriptor, which closing gives back in a step that depends on
 * every other. The first free place would depend on the order of steps that commute. */
static struct stream *new_stream(int fd)
{
    struct descriptors *all = rt_descriptors();
    if (!all->streams) all->streams = rt_file_memory(MAX_STREAMS * sizeof *all->streams);
    for (int i = 0; i < MAX_STREAMS; i++) {
        struct stream *s = &all->streams[(fd + i) % MAX_STREAMS];
        if (s->file) continue;
        s->fd = fd;
        return s;
    }
    rt_die("the program has more than 256 streams on pipes and sockets");
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
    const struct open_file *f = rt_file(fd);
    rt_call_reads_text(mode, CALLER);
    if (!f) return REAL(fdopen)(fd, mode);
    int way = f->status_flags & O_ACCMODE, wanted = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    if (!strchr("rwa", mode[0]) || (way != O_RDWR && way != wanted)) return errno = EINVAL, NULL;
    struct stream *s = new_stream(fd);
    cookie_io_functions_t calls = {read_stream, write_stream, NULL, close_stream};
    s->file = fopencookie(s, mode, calls);
    if (s->file) __fsetlocking(s->file, FSETLOCKING_BYCALLER);
    return s->file;
}

EXPORT int fileno(FILE *file)
{
    const struct stream *s = stream_of(file);
    return s ? s->fd : REAL(fileno)(file);
}

/* ---- calls on streams ---- */

/* The lock is the stream's, which is gone then. What was written is in the file before that. Giving back the lock is
 * the last step, so that the end of the stream is in order with all other calls on it. */
EXPORT int fclose(FILE *file)
{
    rt_cancellable_call(CALLER, "fclose");
    struct rt_use u = rt_stream_enter(file, RT_STREAM_CHANGES, CALLER, "fclose");
    if (!u.stream) return rt_stream_forget(file), REAL(fclose)(file);
    int fd = u.fd, status = REAL(fflush)(file);
    if (!stream_of(file)) rt_locks_close(fd, CALLER, "fclose"), rt_number_step(CALLER, "fclose");
    rt_stream_leave(&u);
    rt_offset_closed(fd);
    rt_stream_forget(file);
    return REAL(fclose)(file) || status ? EOF : 0;
}

static int flush(FILE *file, uintptr_t pc)
{
    enum rt_stream_use how = __freading(file) ? RT_STREAM_LOOKS : RT_STREAM_PRINTS;
    struct rt_use u = rt_stream_enter(file, how, pc, "fflush");
    int status = REAL(fflush)(file);
    rt_stream_leave(&u);
    return status;
}

/* The next stream of the C library's list of all streams, in the order of addresses: while this thread waits for one,
 * other threads may open and close streams. */
static FILE *stream_behind(const FILE *last)
{
    FILE **all = dlsym(RTLD_DEFAULT, "_IO_list_all"), *next = NULL;
    for (FILE *f = all ? *all : NULL; f; f = f->_chain)
        if (f > last && (!next || f < next)) next = f;
    return next;
}

/* All streams: the C library would wait for the lock of each, also where nothing is left to be written. */
static int flush_all(uintptr_t pc)
{
    int status = 0;
    for (FILE *f = NULL; (f = stream_behind(f));) status |= flush(f, pc);
    return status ? EOF : 0;
}

EXPORT int fflush(FILE *file)
{
    if (file) return flush(file, CALLER);
    return rt.active && rt.shared ? flush_all(CALLER) : REAL(fflush)(NULL);
}

/* ---- without a stream ---- */

static int vprint_real(char *to, size_t size, const char *format, va_list ap)
{
    return ((__typeof__(&vsnprintf))rt_real_once(CALL_vsnprintf, "vsnprintf"))(to, size, format, ap);
}

/* The text is written at once. */
int rt_print_to(int fd, const char *format, va_list ap, uintptr_t pc)
{
    va_list again;
    va_copy(again, ap);
    int n = vprint_real(NULL, 0, format, again);
    va_end(again);
    if (n <= 0 || n > 1 << 20) return n > 0 ? errno = ENOMEM, -1 : n;
    char *text = __builtin_alloca((size_t)n + 1);
    vprint_real(text, (size_t)n + 1, format, ap);
    return rt_file_write(fd, text, (size_t)n, false, pc) == n ? n : -1;
}
