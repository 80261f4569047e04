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
static bool mode_cuts(const char *mode) { return mode && mode[0] == 'w'; }
static int number_of(void *stream) { return stream ? REAL(fileno)(stream) : -1; }
static bool flags_write(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }

#define OPENS(result, name, parameters, arguments, text, mode, path, at, writes, cuts, number, fifo) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt_call_reads_text(text, CALLER); \
        rt_call_reads_text(mode, CALLER); \
        rt.used_files = true; \
        rt_effect(); \
        note_random(path, CALLER); \
        rt_cancellable_call(CALLER, #name); \
        long opened = (long)(fifo); \
        if (opened != RT_NO_FIFO) return (__typeof__(result))opened; \
        rt_open_step(writes, CALLER, #name); \
        if (writes) rt_undo_path(at, path, true, CALLER); \
        if (cuts) rt_contents_cut(at, path, 0, CALLER, #name); \
        else rt_metadata_use(at, path, 0, false, CALLER, #name); \
        bool is_new = writes && !rt_path_exists(at, path); \
        __typeof__(result) r = ((function *)rt_real(#name))arguments; \
        rt_path_outcome((long)r != -1 && r); \
        rt_contents_opened(number, is_new, true, CALLER); \
        return r; \
    }
OPENS(int, open, (const char *a, int b, unsigned c), (a, b, c), a, NULL, a, AT_FDCWD, flags_write(b), (b & O_TRUNC), r,
      rt_fifo_open(AT_FDCWD, a, b, CALLER))
OPENS(int, open64, (const char *a, int b, unsigned c), (a, b, c), a, NULL, a, AT_FDCWD, flags_write(b),
      (b & O_TRUNC), r, rt_fifo_open(AT_FDCWD, a, b, CALLER))
OPENS(int, openat, (int a, const char *b, int c, unsigned d), (a, b, c, d), b, NULL, b, a, flags_write(c),
      (c & O_TRUNC), r, rt_fifo_open(a, b, c, CALLER))
OPENS(int, openat64, (int a, const char *b, int c, unsigned d), (a, b, c, d), b, NULL, b, a, flags_write(c),
      (c & O_TRUNC), r, rt_fifo_open(a, b, c, CALLER))
OPENS(int, creat, (const char *a, unsigned b), (a, b), a, NULL, a, AT_FDCWD, true, true, r, RT_NO_FIFO)
OPENS(void *, fopen, (const char *a, const char *b), (a, b), a, b, a, AT_FDCWD, mode_writes(b), mode_cuts(b),
      number_of(r), rt_fifo_stream(a, b, CALLER))
OPENS(void *, fopen64, (const char *a, const char *b), (a, b), a, b, a, AT_FDCWD, mode_writes(b), mode_cuts(b),
      number_of(r), rt_fifo_stream(a, b, CALLER))
OPENS(void *, tmpfile, (void), (), NULL, NULL, "", AT_FDCWD, false, false, -1, RT_NO_FIFO)
OPENS(void *, opendir, (const char *a), (a), a, NULL, "", AT_FDCWD, false, false, -1, RT_NO_FIFO)
OPENS(void *, freopen, (const char *a, const char *b, void *c), (a, b, c), a, b, a ? a : "", AT_FDCWD,
      mode_writes(b), mode_cuts(b), number_of(r), RT_NO_FIFO)

/* Looks at what is there: may it be accessed (size 0), or what is it. */
#define ASKS(name, parameters, arguments, at, path, flags, to, size) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        rt_call_reads_text(path, CALLER); \
        rt_touch(to, size); \
        rt_path_step(false, CALLER, #name); \
        if (size) rt_stat_use(at, path, flags, CALLER, #name); \
        else rt_metadata_use(at, path, flags, false, CALLER, #name); \
        int r = ((function *)rt_real(#name))arguments; \
        rt_path_outcome(r != -1); \
        if (!r) rt_call_writes(to, size, CALLER); \
        return r; \
    }
ASKS(access, (const char *a, int b), (a, b), AT_FDCWD, a, 0, NULL, 0)
ASKS(faccessat, (int a, const char *b, int c, int d), (a, b, c, d), a, b, d & AT_SYMLINK_NOFOLLOW, NULL, 0)
ASKS(stat, (const char *a, void *b), (a, b), AT_FDCWD, a, 0, b, sizeof(struct stat))
ASKS(stat64, (const char *a, void *b), (a, b), AT_FDCWD, a, 0, b, sizeof(struct stat))
ASKS(lstat, (const char *a, void *b), (a, b), AT_FDCWD, a, AT_SYMLINK_NOFOLLOW, b, sizeof(struct stat))
ASKS(lstat64, (const char *a, void *b), (a, b), AT_FDCWD, a, AT_SYMLINK_NOFOLLOW, b, sizeof(struct stat))
ASKS(fstatat, (int a, const char *b, void *c, int d), (a, b, c, d), a, b, d, c, sizeof(struct stat))
ASKS(fstatat64, (int a, const char *b, void *c, int d), (a, b, c, d), a, b, d, c, sizeof(struct stat))
ASKS(statx, (int a, const char *b, int c, unsigned d, void *e), (a, b, c, d, e), a, b,
     c & (AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH), e, sizeof(struct statx))

/* Of an open file: no path is looked up. */
#define ASKS_OPEN(name) \
    int call_##name(int fd, void *to) __asm__(#name); \
    EXPORT int call_##name(int fd, void *to) \
    { \
        rt_touch(to, sizeof(struct stat)); \
        rt_stat_use(fd, "", AT_EMPTY_PATH, CALLER, #name); \
        int r = ((int (*)(int, void *))rt_real(#name))(fd, to); \
        if (!r) rt_call_writes(to, sizeof(struct stat), CALLER), rt_file_mode(fd, to); \
        return r; \
    }
ASKS_OPEN(fstat)
ASKS_OPEN(fstat64)

/* A library that is loaded while main() runs is unknown to the next execution, which loads it once more, elsewhere. */
EXPORT void *dlopen(const char *name, int mode)
{
    rt_call_reads_text(name, CALLER);
    void *loaded = name && rt.active && rt.shared ? REAL(dlopen)(name, RTLD_NOLOAD | RTLD_NOW) : NULL;
    void *library = REAL(dlopen)(name, mode);
    rt.used_files = true;
    if (library && !loaded && name && strcmp(name, ""))
        rt_note("dlopen", "loaded anew by every execution: link with it (-Wl,--no-as-needed -lNAME)", CALLER);
    return library;
}
