/* Streams on pipes and sockets of the runtime: fdopen() makes one whose bytes come and go by way of the functions here,
 * and dprintf() writes there. The C library would lock a stream by waiting in the kernel, where a thread that has it
 * cannot give it back: it is told not to, and every call on such a stream takes the lock of flockfile() instead. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
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

void rt_stream_enter(void *stream, uintptr_t pc)
{
    struct stream *s = stream_of(stream);
    if (!s) return;
    flockfile(stream);
    s->pc = pc;
}

void rt_stream_leave(void *stream)
{
    if (stream_of(stream)) funlockfile(stream);
}

void rt_streams_end(void)
{
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

static struct stream *new_stream(int fd)
{
    struct descriptors *all = rt_descriptors();
    if (!all->streams) all->streams = rt_file_memory(MAX_STREAMS * sizeof *all->streams);
    for (struct stream *s = all->streams; s < all->streams + MAX_STREAMS; s++) {
        if (s->file) continue;
        s->fd = fd;
        return s;
    }
    rt_die("the program has more than 256 streams on pipes and sockets");
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
    const struct open_file *f = rt_file(fd);
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

#define LOCKED(result, name, parameters, arguments, stream) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        if (likely(!stream_of(stream))) return ((function *)rt_real(#name))arguments; \
        rt_stream_enter(stream, CALLER); \
        __typeof__(result) r = ((function *)rt_real(#name))arguments; \
        rt_stream_leave(stream); \
        return r; \
    }
LOCKED(int, fputs, (const char *a, void *b), (a, b), b)
LOCKED(int, fputc, (int a, void *b), (a, b), b)
LOCKED(int, putc, (int a, void *b), (a, b), b)
LOCKED(int, ungetc, (int a, void *b), (a, b), b)
LOCKED(size_t, fwrite, (const void *a, size_t b, size_t c, void *d), (a, b, c, d), d)
LOCKED(ssize_t, getline, (char **a, size_t *b, void *c), (a, b, c), c)
LOCKED(ssize_t, getdelim, (char **a, size_t *b, int c, void *d), (a, b, c, d), d)
LOCKED(ssize_t, __getdelim, (char **a, size_t *b, int c, void *d), (a, b, c, d), d)
LOCKED(char *, __fgets_chk, (char *a, size_t b, int c, void *d), (a, b, c, d), d)
LOCKED(size_t, __fread_chk, (void *a, size_t b, size_t c, size_t d, void *e), (a, b, c, d, e), e)
LOCKED(int, vfprintf, (void *a, const char *b, va_list c), (a, b, c), a)
LOCKED(int, __vfprintf_chk, (void *a, int b, const char *c, va_list d), (a, b, c, d), a)
LOCKED(int, vfscanf, (void *a, const char *b, va_list c), (a, b, c), a)
LOCKED(int, __isoc99_vfscanf, (void *a, const char *b, va_list c), (a, b, c), a)

/* Those with a list of arguments end in the others. */
#define WITH_LIST(name, before, last, vector, arguments) \
    int call_##name before __asm__(#name); \
    EXPORT int call_##name before \
    { \
        va_list ap; \
        va_start(ap, last); \
        rt_stream_enter(a, CALLER); \
        int n = ((__typeof__(&call_##vector))rt_real(#vector))arguments; \
        rt_stream_leave(a); \
        va_end(ap); \
        return n; \
    }
WITH_LIST(fprintf, (void *a, const char *b, ...), b, vfprintf, (a, b, ap))
WITH_LIST(__fprintf_chk, (void *a, int b, const char *c, ...), c, __vfprintf_chk, (a, b, c, ap))
WITH_LIST(fscanf, (void *a, const char *b, ...), b, vfscanf, (a, b, ap))
WITH_LIST(__isoc99_fscanf, (void *a, const char *b, ...), b, __isoc99_vfscanf, (a, b, ap))

/* The lock is the stream's, which is gone then. */
EXPORT int fclose(FILE *file)
{
    struct stream *s = stream_of(file);
    if (!s) return REAL(fclose)(file);
    rt_stream_enter(file, CALLER);
    int status = REAL(fflush)(file);
    funlockfile(file);
    return REAL(fclose)(file) || status ? EOF : 0;
}

/* Of all streams: nothing may be left to do for those here when the C library goes through its list, which it locks. */
static int flush_all(uintptr_t pc)
{
    int status = 0;
    for (int i = 0; has_streams() && i < MAX_STREAMS; i++) {
        FILE *file = rt.files.all->streams[i].file;
        if (!file || !__fpending(file)) continue;
        rt_stream_enter(file, pc);
        status |= REAL(fflush)(file);
        rt_stream_leave(file);
        if (!status) i = -1; /* others may have written meanwhile */
    }
    return status;
}

EXPORT int fflush(FILE *file)
{
    int status = file ? 0 : flush_all(CALLER);
    rt_stream_enter(file, CALLER);
    status |= REAL(fflush)(file);
    rt_stream_leave(file);
    return status;
}

/* ---- without a stream ---- */

static int print_to(int fd, const char *format, va_list ap, uintptr_t pc)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n <= 0 || n > 1 << 20) return n > 0 ? errno = ENOMEM, -1 : n;
    char *text = __builtin_alloca((size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, format, ap);
    return rt_file_write(fd, text, (size_t)n, false, pc) == n ? n : -1;
}

EXPORT int vdprintf(int fd, const char *format, va_list ap)
{
    return rt_file(fd) ? print_to(fd, format, ap, CALLER) : REAL(vdprintf)(fd, format, ap);
}

EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    int n = rt_file(fd) ? print_to(fd, format, ap, CALLER) : REAL(vdprintf)(fd, format, ap);
    va_end(ap);
    return n;
}

int call_dprintf_checked(int fd, int flag, const char *format, ...) __asm__("__dprintf_chk");
EXPORT int call_dprintf_checked(int fd, int flag, const char *format, ...)
{
    va_list ap;
    (void)flag;
    va_start(ap, format);
    int n = rt_file(fd) ? print_to(fd, format, ap, CALLER) : REAL(vdprintf)(fd, format, ap);
    va_end(ap);
    return n;
}
