/* --files=virtual: what an execution does to files is undone after it. Whatever may change a path has it saved first,
 * once in an execution (journal.h). */
#include "runtime/internal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static long journal_call(long number, long a, long b, long c, long d) { return rt_syscall(number, a, b, c, d, 0, 0); }
#include "runtime/journal.h"

#define SURVIVES "what it makes is still there in the next execution"

enum { MOST_PATHS = 4096 };
struct undo { uint32_t count; uint64_t saved[MOST_PATHS]; }; /* hashes of paths; shared with forked executions */

static bool is_on(void) { return rt.active && rt.shared && rt.undo; }

void rt_undo_init(void)
{
    const struct rt_config *c = &rt.shared->config;
    if (!c->journal[0] || c->stop_at_end) return;
    rt_print(rt.journal, sizeof rt.journal, "%s", c->journal);
    rt.undo = rt_map(NULL, sizeof *rt.undo, MAP_SHARED);
}

void rt_undo_files(void)
{
    if (!rt.undo || !rt.undo->count) return;
    uint32_t count = rt.undo->count;
    rt.undo->count = 0;
    journal_undo(rt.journal, count);
}

bool rt_has_undo(void) { return rt.undo && rt.undo->count; }

static uint64_t hash_of(const char *path)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *path; path++) h = (h ^ (unsigned char)*path) * 0x100000001b3ull;
    return h;
}

/* In `out`; false: it is too long, or not known where it begins. */
static bool make_absolute(int at, const char *path, char out[JOURNAL_PATH])
{
    long n = 0;
    char link[64];
    if (path[0] != '/') {
        if (at == AT_FDCWD) strcpy(link, "/proc/self/cwd");
        else rt_print(link, sizeof link, "/proc/self/fd/%d", at);
        n = rt_syscall(SYS_readlinkat, AT_FDCWD, (long)link, (long)out, JOURNAL_PATH - 2, 0, 0);
        if (n <= 0) return false;
        out[n++] = '/';
    }
    if ((size_t)n + strlen(path) >= JOURNAL_PATH) return false;
    strcpy(out + n, path);
    return true;
}

static bool is_saved(uint64_t hash)
{
    for (uint32_t i = 0; i < rt.undo->count; i++)
        if (rt.undo->saved[i] == hash) return true;
    return false;
}

bool rt_path_exists(int at, const char *path)
{
    struct stat s;
    return !journal_call(SYS_newfstatat, at, (long)path, (long)&s, 0);
}

void rt_undo_path(int at, const char *path, bool follow, uintptr_t pc)
{
    char whole[JOURNAL_PATH];
    if (rt.active) rt_crew_outside();
    if (!is_on() || !path || !*path) return;
    bool known = make_absolute(at, path, whole);
    uint64_t hash = known ? hash_of(whole) : 0;
    if (known && is_saved(hash)) return;
    if (!known || rt.undo->count == MOST_PATHS || !journal_save(rt.journal, rt.undo->count, whole, follow)) {
        rt_note("a file", "is changed and cannot be put back: too large, or too many", pc);
        return;
    }
    rt.undo->saved[rt.undo->count++] = hash;
}

/* The file that is open as `fd`, if it has a path. */
void rt_undo_descriptor(int fd, uintptr_t pc)
{
    char link[64], path[JOURNAL_PATH];
    if (!is_on() && !rt.active) return;
    rt_print(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = rt_syscall(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1, 0, 0);
    if (n <= 0 || path[0] != '/') return;
    path[n] = 0;
    rt_undo_path(AT_FDCWD, path, true, pc);
}

/* The file is there already, and was not before. */
static void undo_made(const char *path)
{
    char whole[JOURNAL_PATH], name[JOURNAL_PATH];
    struct journal_entry e = {.kind = JOURNAL_ABSENT};
    if (!is_on() || rt.undo->count == MOST_PATHS || !make_absolute(AT_FDCWD, path, whole)) return;
    strcpy(e.path, whole);
    journal_name(name, rt.journal, rt.undo->count);
    long to = journal_call(SYS_openat, AT_FDCWD, (long)name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    journal_call(SYS_write, to, (long)&e, sizeof e, 0);
    journal_call(SYS_close, to, 0, 0, 0);
    rt.undo->saved[rt.undo->count++] = hash_of(whole);
}

/* ---- calls that change paths and open nothing ---- */

#define CHANGES(name, parameters, arguments, ...) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        uintptr_t pc = CALLER; \
        rt_effect(); \
        rt_path_step(true, pc, #name); \
        __VA_ARGS__; \
        int r = ((function *)rt_real(#name))arguments; \
        rt_path_outcome(r != -1); \
        return r; \
    }
#define TEXT(text) rt_call_reads_text(text, pc)
#define READS(p, size) rt_call_reads(p, size, pc)
#define AT(at, path) TEXT(path), rt_undo_path(at, path, false, pc)
#define HERE(path) AT(AT_FDCWD, path)
CHANGES(unlink, (const char *a), (a), HERE(a))
CHANGES(unlinkat, (int a, const char *b, int c), (a, b, c), AT(a, b))
CHANGES(remove, (const char *a), (a), HERE(a))
CHANGES(rmdir, (const char *a), (a), HERE(a))
CHANGES(mkdir, (const char *a, unsigned b), (a, b), HERE(a))
CHANGES(mkdirat, (int a, const char *b, unsigned c), (a, b, c), AT(a, b))
CHANGES(rename, (const char *a, const char *b), (a, b), HERE(a), HERE(b))
CHANGES(renameat, (int a, const char *b, int c, const char *d), (a, b, c, d), AT(a, b), AT(c, d))
CHANGES(link, (const char *a, const char *b), (a, b), TEXT(a), HERE(b))
CHANGES(symlink, (const char *a, const char *b), (a, b), TEXT(a), HERE(b))
CHANGES(symlinkat, (const char *a, int b, const char *c), (a, b, c), TEXT(a), AT(b, c))
CHANGES(linkat, (int a, const char *b, int c, const char *d, int e), (a, b, c, d, e), TEXT(b),
        AT(c, d))
CHANGES(mknod, (const char *a, unsigned b, unsigned long c), (a, b, c), HERE(a))
#define CUTS(path, to) \
    TEXT(path), rt_undo_path(AT_FDCWD, path, true, pc), rt_contents_cut(AT_FDCWD, path, to, pc, "truncate")
CHANGES(truncate, (const char *a, long b), (a, b), CUTS(a, b))
CHANGES(truncate64, (const char *a, long b), (a, b), CUTS(a, b))
#define METADATA(at, path, flags) \
    TEXT(path), rt_undo_path(at, path, true, pc), rt_metadata_use(at, path, flags, true, pc, "metadata")
CHANGES(chmod, (const char *a, unsigned b), (a, b), METADATA(AT_FDCWD, a, 0))
CHANGES(fchmodat, (int a, const char *b, unsigned c, int d), (a, b, c, d), METADATA(a, b, d))
CHANGES(chown, (const char *a, unsigned b, unsigned c), (a, b, c), METADATA(AT_FDCWD, a, 0))
CHANGES(lchown, (const char *a, unsigned b, unsigned c), (a, b, c), METADATA(AT_FDCWD, a, AT_SYMLINK_NOFOLLOW))
CHANGES(fchownat, (int a, const char *b, unsigned c, unsigned d, int e), (a, b, c, d, e), METADATA(a, b, e))
CHANGES(utime, (const char *a, const void *b), (a, b), READS(b, 2 * sizeof(time_t)), METADATA(AT_FDCWD, a, 0))
CHANGES(utimes, (const char *a, const void *b), (a, b), READS(b, 2 * sizeof(struct timeval)), METADATA(AT_FDCWD, a, 0))
CHANGES(utimensat, (int a, const char *b, const void *c, int d), (a, b, c, d), READS(c, 2 * sizeof(struct timespec)),
        METADATA(a, b, d))
CHANGES(setxattr, (const char *a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e),
        TEXT(b), READS(c, d), METADATA(AT_FDCWD, a, 0))

/* What was made is a FIFO of this process from now on, wherever it can be found. */
static int make_fifo(int at, const char *path, mode_t mode, uintptr_t pc)
{
    rt_effect();
    rt_path_step(true, pc, "mkfifo");
    AT(at, path);
    if (rt.active && rt.shared && !is_on()) rt_note("mkfifo", SURVIVES, pc);
    int status = REAL(mkfifoat)(at, path, mode);
    rt_path_outcome(!status);
    if (!status) rt_fifo_made(at, path);
    return status;
}

EXPORT int mkfifo(const char *path, mode_t mode) { return make_fifo(AT_FDCWD, path, mode, CALLER); }
EXPORT int mkfifoat(int at, const char *path, mode_t mode) { return make_fifo(at, path, mode, CALLER); }

/* ---- files and folders with a new name ---- */

enum { LETTERS = 6 };

/* The letters tell which thread asked and how often it found the name taken, so that executions repeat themselves and
 * two threads never get the same name. */
static void fill_template(char *letters, unsigned attempt)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned name = (unsigned)rt.self->id << 20 | attempt;
    for (int i = 0; i < LETTERS; i++) letters[i] = digits[name >> 5 * (LETTERS - 1 - i) & 31];
}

static char *letters_of(char *template, int suffix)
{
    size_t len = strlen(template);
    if (suffix < 0 || len < LETTERS + (size_t)suffix) return NULL;
    char *letters = template + len - (size_t)suffix - LETTERS;
    return strncmp(letters, "XXXXXX", LETTERS) ? NULL : letters;
}

static long make_one(const char *path, int flags, bool is_folder)
{
    if (is_folder) return rt_syscall(SYS_mkdirat, AT_FDCWD, (long)path, 0700, 0, 0, 0);
    int how = (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL;
    return rt_syscall(SYS_openat, AT_FDCWD, (long)path, how, 0600, 0, 0);
}

/* The number of the file, 0 for a folder; -1: it cannot be made. */
static int make_temporary(char *template, int suffix, int flags, bool is_folder, uintptr_t pc, const char *label)
{
    enum { MOST_ATTEMPTS = 1 << 20 };
    rt.used_files = true;
    rt_crew_outside();
    rt_effect();
    rt_call_reads(template, strlen(template) + 1, pc);
    char *letters = letters_of(template, suffix);
    if (!letters) return errno = EINVAL, -1;
    rt_call_writes(letters, LETTERS, pc);
    if (!is_folder) rt_number_step(pc, label);
    rt_path_step(true, pc, label);
    long made = -EEXIST;
    for (unsigned i = 0; i < MOST_ATTEMPTS && made == -EEXIST; i++) {
        fill_template(letters, i);
        made = make_one(template, flags, is_folder);
    }
    rt_path_outcome(made >= 0);
    if (made < 0) return errno = (int)-made, -1;
    undo_made(template);
    if (!is_folder) rt_contents_opened((int)made, true, false, pc);
    return (int)made;
}

#define MAKES_FILE(name, parameters, arguments, suffix, flags) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        if (!rt.active || !rt.shared) return ((function *)rt_real(#name))arguments; \
        return make_temporary(a, suffix, flags, false, CALLER, #name); \
    }
MAKES_FILE(mkstemp, (char *a), (a), 0, 0)
MAKES_FILE(mkstemp64, (char *a), (a), 0, 0)
MAKES_FILE(mkostemp, (char *a, int b), (a, b), 0, b)
MAKES_FILE(mkostemp64, (char *a, int b), (a, b), 0, b)
MAKES_FILE(mkstemps, (char *a, int b), (a, b), b, 0)
MAKES_FILE(mkstemps64, (char *a, int b), (a, b), b, 0)
MAKES_FILE(mkostemps, (char *a, int b, int c), (a, b, c), b, c)
MAKES_FILE(mkostemps64, (char *a, int b, int c), (a, b, c), b, c)

EXPORT char *mkdtemp(char *template)
{
    if (!rt.active || !rt.shared) return REAL(mkdtemp)(template);
    return make_temporary(template, 0, 0, true, CALLER, "mkdtemp") ? NULL : template;
}

/* ---- shared memory with a name: files of a folder of its own ---- */

static void shared_memory_path(const char *name, char out[JOURNAL_PATH])
{
    rt_print(out, JOURNAL_PATH, "/dev/shm/%s", name + strspn(name, "/"));
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    char path[JOURNAL_PATH];
    bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
    rt.used_files = true;
    rt_effect();
    rt_call_reads_text(name, CALLER);
    shared_memory_path(name, path);
    rt_path_step(writes, CALLER, "shm_open");
    if (writes) rt_undo_path(AT_FDCWD, path, true, CALLER);
    if (writes && !is_on()) rt_note("shm_open", SURVIVES, CALLER);
    bool is_new = writes && !rt_path_exists(AT_FDCWD, path);
    int fd = REAL(shm_open)(name, flags, mode);
    rt_path_outcome(fd >= 0);
    rt_contents_opened(fd, is_new, true, CALLER);
    return fd;
}

EXPORT int shm_unlink(const char *name)
{
    char path[JOURNAL_PATH];
    rt_effect();
    rt_call_reads_text(name, CALLER);
    shared_memory_path(name, path);
    rt_path_step(true, CALLER, "shm_unlink");
    rt_undo_path(AT_FDCWD, path, false, CALLER);
    int status = REAL(shm_unlink)(name);
    rt_path_outcome(!status);
    return status;
}

EXPORT int memfd_create(const char *name, unsigned flags)
{
    rt.used_files = true;
    rt_effect();
    rt_call_reads_text(name, CALLER);
    rt_number_step(CALLER, "memfd_create");
    int fd = REAL(memfd_create)(name, flags);
    rt_contents_opened(fd, true, false, CALLER);
    return fd;
}
