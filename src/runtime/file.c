/* Files are fine: what an execution opens is closed before the next one. Reading is an effect (a loop that reads does
 * not merely wait), and the kernel must be able to write where the program wants to read to. */
#include "runtime/internal.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void note_random(const char *path, uintptr_t pc)
{
    if (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"))
        rt_note("/dev/urandom", "what is read from it does not repeat: use getrandom()", pc);
}

/* As in uncontrolled.c: parameters as wide as the C library's. */
static bool mode_writes(const char *mode) { return mode && (mode[0] != 'r' || strchr(mode, '+')); }
static bool flags_write(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }

#define OPENS(result, name, parameters, arguments, path, at, writes, fifo) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt.used_files = true; \
        rt_effect(); \
        note_random(path, CALLER); \
        long opened = (long)(fifo); \
        if (opened != RT_NO_FIFO) return (__typeof__(result))opened; \
        rt_path_step(writes, CALLER, #name); \
        if (writes) rt_undo_path(at, path, true, CALLER); \
        __typeof__(result) r = ((function *)rt_real(#name))arguments; \
        rt_path_outcome((long)r != -1 && r); \
        return r; \
    }
OPENS(int, open, (const char *a, int b, unsigned c), (a, b, c), a, AT_FDCWD, flags_write(b),
      rt_fifo_open(AT_FDCWD, a, b, CALLER))
OPENS(int, open64, (const char *a, int b, unsigned c), (a, b, c), a, AT_FDCWD, flags_write(b),
      rt_fifo_open(AT_FDCWD, a, b, CALLER))
OPENS(int, openat, (int a, const char *b, int c, unsigned d), (a, b, c, d), b, a, flags_write(c),
      rt_fifo_open(a, b, c, CALLER))
OPENS(int, openat64, (int a, const char *b, int c, unsigned d), (a, b, c, d), b, a, flags_write(c),
      rt_fifo_open(a, b, c, CALLER))
OPENS(int, creat, (const char *a, unsigned b), (a, b), a, AT_FDCWD, true, RT_NO_FIFO)
OPENS(void *, fopen, (const char *a, const char *b), (a, b), a, AT_FDCWD, mode_writes(b),
      rt_fifo_stream(a, b, CALLER))
OPENS(void *, fopen64, (const char *a, const char *b), (a, b), a, AT_FDCWD, mode_writes(b),
      rt_fifo_stream(a, b, CALLER))
OPENS(void *, tmpfile, (void), (), "", AT_FDCWD, false, RT_NO_FIFO)
OPENS(void *, opendir, (const char *a), (a), "", AT_FDCWD, false, RT_NO_FIFO)
OPENS(void *, freopen, (const char *a, const char *b, void *c), (a, b, c), a ? a : "", AT_FDCWD, mode_writes(b),
      RT_NO_FIFO)

/* Looks at what is there. */
#define ASKS(name, parameters, arguments, to, size) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        rt_touch(to, size); \
        rt_path_step(false, CALLER, #name); \
        int r = ((function *)rt_real(#name))arguments; \
        rt_path_outcome(r != -1); \
        return r; \
    }
ASKS(access, (const char *a, int b), (a, b), NULL, 0)
ASKS(faccessat, (int a, const char *b, int c, int d), (a, b, c, d), NULL, 0)
ASKS(stat, (const char *a, void *b), (a, b), b, sizeof(struct stat))
ASKS(stat64, (const char *a, void *b), (a, b), b, sizeof(struct stat))
ASKS(lstat, (const char *a, void *b), (a, b), b, sizeof(struct stat))
ASKS(lstat64, (const char *a, void *b), (a, b), b, sizeof(struct stat))
ASKS(fstatat, (int a, const char *b, void *c, int d), (a, b, c, d), c, sizeof(struct stat))
ASKS(fstatat64, (int a, const char *b, void *c, int d), (a, b, c, d), c, sizeof(struct stat))
ASKS(statx, (int a, const char *b, int c, unsigned d, void *e), (a, b, c, d, e), e, sizeof(struct statx))

/* `stream` is NULL where there is none. */
#define READS(result, name, parameters, arguments, to, size, stream) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt_touch(to, size); \
        rt_effect(); \
        rt_cycle_forget(); \
        rt_stream_enter(stream, CALLER); \
        __typeof__(result) r = ((function *)rt_real(#name))arguments; \
        rt_stream_leave(stream); \
        return r; \
    }
READS(ssize_t, pread, (int a, void *b, size_t c, long d), (a, b, c, d), b, c, NULL)
READS(ssize_t, pread64, (int a, void *b, size_t c, long d), (a, b, c, d), b, c, NULL)
READS(size_t, fread, (void *a, size_t b, size_t c, void *d), (a, b, c, d), a, b *c, d)
READS(char *, fgets, (char *a, int b, void *c), (a, b, c), a, 0, c)
READS(int, fgetc, (void *a), (a), NULL, 0, a)
READS(int, getc, (void *a), (a), NULL, 0, a)
READS(int, getchar, (void), (), NULL, 0, NULL)

/* Numbers whose state is in the C library count as an effect, too. */
READS(int, rand, (void), (), NULL, 0, NULL)
READS(long, random, (void), (), NULL, 0, NULL)

/* A stream's lock is held across calls only if the program asks for it: then it is a recursive mutex. */
static pthread_mutex_t *stream_lock(FILE *f)
{
    pthread_mutex_t *m = rt_mutex_beside(f);
    m->__data.__kind = PTHREAD_MUTEX_RECURSIVE;
    return m;
}

EXPORT void flockfile(FILE *f) { rt_mutex_lock(stream_lock(f), CALLER); }
EXPORT int ftrylockfile(FILE *f) { return rt_mutex_trylock(stream_lock(f), false, CALLER); }
EXPORT void funlockfile(FILE *f) { rt_mutex_unlock(stream_lock(f), CALLER); }

/* A library that is loaded while main() runs is unknown to the next execution, which loads it once more, elsewhere. */
EXPORT void *dlopen(const char *name, int mode)
{
    void *loaded = name && rt.active && rt.shared ? REAL(dlopen)(name, RTLD_NOLOAD | RTLD_NOW) : NULL;
    void *library = REAL(dlopen)(name, mode);
    rt.used_files = true;
    if (library && !loaded && name && strcmp(name, ""))
        rt_note("dlopen", "loaded anew by every execution: link with it (-Wl,--no-as-needed -lNAME)", CALLER);
    return library;
}
