/* What files were before an execution changed them, in a folder: the N-th is in a file of that number, with what it
 * takes to put it back. The runtime writes it and puts files back after each execution; heddle does if the program was
 * killed. Whoever includes this says how the system is called: journal_call() returns what the kernel does. */
#ifndef HEDDLE_RUNTIME_JOURNAL_H
#define HEDDLE_RUNTIME_JOURNAL_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static long journal_call(long number, long a, long b, long c, long d);

enum journal_kind { JOURNAL_ABSENT, JOURNAL_FILE, JOURNAL_FOLDER, JOURNAL_LINK, JOURNAL_FIFO };
enum { JOURNAL_PATH = 1024, JOURNAL_MOST_BYTES = 64 << 20 };
struct journal_entry { uint32_t kind, mode; char path[JOURNAL_PATH]; };

static inline void journal_name(char out[JOURNAL_PATH], const char *folder, uint32_t number)
{
    size_t n = strlen(folder);
    memcpy(out, folder, n);
    out[n++] = '/';
    for (uint32_t digit = 1000000; digit; digit /= 10) out[n++] = (char)('0' + number / digit % 10);
    out[n] = 0;
}

static inline bool journal_copy(long from, long to)
{
    char buffer[16384];
    long n;
    while ((n = journal_call(SYS_read, from, (long)buffer, sizeof buffer, 0)) > 0)
        if (journal_call(SYS_write, to, (long)buffer, n, 0) != n) return false;
    return n == 0;
}

/* An absolute path; follow: what a symbolic link points to. False: it cannot be put back. Others than files, folders,
 * links and FIFOs are left alone. */
static inline bool journal_save(const char *folder, uint32_t number, const char *path, bool follow)
{
    struct stat s;
    struct journal_entry e = {.kind = JOURNAL_ABSENT};
    char name[JOURNAL_PATH], target[JOURNAL_PATH];
    if (strlen(path) >= sizeof e.path) return false;
    strcpy(e.path, path);
    if (!journal_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&s, follow ? 0 : AT_SYMLINK_NOFOLLOW)) {
        e.kind = S_ISREG(s.st_mode)    ? JOURNAL_FILE
                 : S_ISDIR(s.st_mode)  ? JOURNAL_FOLDER
                 : S_ISLNK(s.st_mode)  ? JOURNAL_LINK
                 : S_ISFIFO(s.st_mode) ? JOURNAL_FIFO
                                       : JOURNAL_ABSENT;
        if (e.kind == JOURNAL_ABSENT) return true;
        e.mode = s.st_mode & 07777;
        if (S_ISREG(s.st_mode) && s.st_size > JOURNAL_MOST_BYTES) return false;
    }
    journal_name(name, folder, number);
    long to = journal_call(SYS_openat, AT_FDCWD, (long)name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (to < 0) return false;
    bool good = journal_call(SYS_write, to, (long)&e, sizeof e, 0) == (long)sizeof e;
    if (e.kind == JOURNAL_LINK) {
        long n = journal_call(SYS_readlinkat, AT_FDCWD, (long)path, (long)target, sizeof target);
        good &= n > 0 && journal_call(SYS_write, to, (long)target, n, 0) == n;
    } else if (e.kind == JOURNAL_FILE) {
        long from = journal_call(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0);
        good &= from >= 0 && journal_copy(from, to);
        if (from >= 0) journal_call(SYS_close, from, 0, 0, 0);
    }
    journal_call(SYS_close, to, 0, 0, 0);
    return good;
}

static inline void journal_put_back(const struct journal_entry *e, long from)
{
    char target[JOURNAL_PATH] = {0};
    long to;
    switch (e->kind) {
    case JOURNAL_ABSENT:
        if (journal_call(SYS_unlinkat, AT_FDCWD, (long)e->path, 0, 0))
            journal_call(SYS_unlinkat, AT_FDCWD, (long)e->path, AT_REMOVEDIR, 0);
        return;
    case JOURNAL_FILE:
        to = journal_call(SYS_openat, AT_FDCWD, (long)e->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, e->mode);
        if (to < 0) return;
        journal_copy(from, to);
        journal_call(SYS_close, to, 0, 0, 0);
        return;
    case JOURNAL_FIFO: journal_call(SYS_mknodat, AT_FDCWD, (long)e->path, S_IFIFO | e->mode, 0); return;
    case JOURNAL_FOLDER: journal_call(SYS_mkdirat, AT_FDCWD, (long)e->path, e->mode, 0); return;
    case JOURNAL_LINK:
        if (journal_call(SYS_read, from, (long)target, sizeof target - 1, 0) <= 0) return;
        journal_call(SYS_unlinkat, AT_FDCWD, (long)e->path, 0, 0);
        journal_call(SYS_symlinkat, (long)target, AT_FDCWD, (long)e->path, 0);
        return;
    }
}

/* The latest first. */
static inline void journal_undo(const char *folder, uint32_t count)
{
    while (count-- > 0) {
        struct journal_entry e;
        char name[JOURNAL_PATH];
        journal_name(name, folder, count);
        long from = journal_call(SYS_openat, AT_FDCWD, (long)name, O_RDONLY | O_CLOEXEC, 0);
        if (from < 0) continue;
        e.path[0] = 0;
        long n = journal_call(SYS_read, from, (long)&e, sizeof e, 0);
        if (n == (long)sizeof e && e.path[0] == '/') journal_put_back(&e, from);
        journal_call(SYS_close, from, 0, 0, 0);
        journal_call(SYS_unlinkat, AT_FDCWD, (long)name, 0, 0);
    }
}

#endif
