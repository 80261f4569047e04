/* The contents and offsets of regular files, as state that threads share (state.c). A file is known by device and
 * inode, so that all descriptors of it lead to the same object. The path by which it was first opened names the object,
 * because inodes differ between executions. Its bytes have a part of the address space that no
 * program uses, eight bytes of the file for each address: threads that use different parts of a file do not concern
 * each other. A read or write without an offset of its own also moves the offset of the open file, which copies of a
 * descriptor share. What else the kernel knows of a file has a place of its own beside the bytes. Standard output and
 * standard error are not looked at: no thread reads what is written there. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CONTENTS (UINT64_C(1) << 47) /* the low half of the addresses belongs to programs */
enum { FILE_BITS = 15, SIZE_BITS = 31, UNIT = 8 };
enum { METADATA = 1, FIRST_BYTE = 8 }; /* places of an object; the object itself is its address */

static char offsets[MAX_FILES]; /* their addresses stand for the offsets of open files */

/* ---- which file it is ---- */

static struct known_file *known_file(const struct stat *s)
{
    struct descriptors *all = rt_descriptors();
    for (uint32_t i = all->known_count; i-- > 0;)
        if (all->known[i].device == s->st_dev && all->known[i].inode == s->st_ino) return &all->known[i];
    return NULL;
}

static uint64_t mixed(uint64_t a, uint64_t b) { return (a * 31 + b) * 0x9e3779b97f4a7c15ull; }

/* A file that an execution makes has another inode in the next one. */
static uint64_t name_of(int fd, bool path, uintptr_t pc)
{
    char link[64], text[PATH_MAX];
    uint64_t name = mixed(pc, (uint64_t)rt.self->id);
    rt_print(link, sizeof link, "/proc/self/fd/%d", fd);
    long n = path ? rt_syscall(SYS_readlinkat, AT_FDCWD, (long)link, (long)text, sizeof text, 0, 0) : 0;
    if (n > 0) name = 0;
    for (long i = 0; i < n; i++) name = mixed(name, (unsigned char)text[i]);
    return name;
}

void rt_contents_opened(int fd, bool is_new, bool path, uintptr_t pc)
{
    struct stat s;
    if (!rt.active || !rt.shared || fd < 0 || rt_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0)) return;
    struct descriptors *all = rt_descriptors();
    struct known_file *k = S_ISREG(s.st_mode) ? known_file(&s) : NULL;
    if (!S_ISREG(s.st_mode) || (k && !is_new) || (!k && all->known_count == MAX_KNOWN)) return;
    if (!k) k = &all->known[all->known_count++];
    *k = (struct known_file){s.st_dev, s.st_ino, name_of(fd, path, pc)};
}

static uint64_t object_of(const struct stat *s)
{
    const struct known_file *k = known_file(s);
    uint64_t hash = (k ? mixed(k->name, 1) : mixed(s->st_dev, s->st_ino)) >> (64 - FILE_BITS);
    return CONTENTS + (hash << SIZE_BITS);
}

/* ---- their bytes ---- */

uint64_t rt_contents_of(int fd, bool *appends, long *size)
{
    struct stat s;
    if (fd < 0 || fd == STDOUT_FILENO || fd == STDERR_FILENO) return 0;
    if (rt_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) || !S_ISREG(s.st_mode)) return 0;
    *appends = rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0) & O_APPEND;
    *size = s.st_size;
    return object_of(&s);
}

static void access_bytes(uint64_t contents, long from, long upto, bool writes, uintptr_t pc)
{
    const long last = (1l << SIZE_BITS) - 16;
    long low = from / UNIT < last ? from / UNIT : last, high = (upto + UNIT - 1) / UNIT;
    if (high > last) high = last;
    rt_access_state(contents + FIRST_BYTE + (uint64_t)low, high > low ? (size_t)(high - low) : 1, writes, pc);
}

void rt_contents_access(uint64_t contents, long from, long upto, bool writes, uintptr_t pc)
{
    access_bytes(contents, from, upto, writes, pc);
    if (writes) rt_access_state(contents + METADATA, 1, false, pc); /* where O_APPEND is among the flags */
    rt_views_access(contents, from, upto, writes, pc);
}

/* ---- what else the kernel knows of a file: mode, owner, times, size, flags of descriptors ---- */

static bool find(int at, const char *path, int flags, struct stat *s)
{
    return rt_state_is_shared() && path && !rt_syscall(SYS_newfstatat, at, (long)path, (long)s, flags, 0, 0);
}

void rt_metadata_use(int at, const char *path, int flags, bool writes, uintptr_t pc, const char *label)
{
    struct stat s;
    if (!find(at, path, flags, &s)) return;
    rt_state_step(object_of(&s), 0, writes, pc, label);
    rt_access_state(object_of(&s) + METADATA, 1, writes, pc);
}

void rt_stat_use(int at, const char *path, int flags, uintptr_t pc, const char *label)
{
    struct stat s;
    if (!find(at, path, flags, &s)) return;
    rt_metadata_use(at, path, flags, false, pc, label);
    if (S_ISREG(s.st_mode)) access_bytes(object_of(&s), 0, s.st_size + 1, false, pc);
}

void rt_contents_cut(int at, const char *path, long to, uintptr_t pc, const char *label)
{
    struct stat s;
    if (!find(at, path, 0, &s) || !S_ISREG(s.st_mode)) return;
    long from = to < s.st_size ? to : s.st_size;
    rt_state_step(object_of(&s), 0, true, pc, label);
    rt_contents_access(object_of(&s), from, to < s.st_size ? s.st_size : to, true, pc);
}

/* Of an open file: the lowest number of those that are known to share it. */
static char *offset_of(int fd)
{
    int first = fd < MAX_FILES ? rt_descriptors()->first_copy[fd] : 0;
    return &offsets[first ? first - 1 : fd % MAX_FILES];
}

void rt_offset_shared(int fd, int copy)
{
    if (!rt.active || !rt.shared || fd < 0 || copy < 0 || fd >= MAX_FILES || copy >= MAX_FILES) return;
    uint16_t *first = rt_descriptors()->first_copy;
    if (fd != copy) first[copy] = first[fd] ? first[fd] : (uint16_t)(fd + 1);
}

/* Whoever reads or writes by this number is too late afterwards. */
void rt_offset_closes(int fd, uintptr_t pc)
{
    if (rt.active && rt.shared && fd >= 0) rt_state_use(offset_of(fd), true, pc, "close");
}

void rt_offset_closed(int fd)
{
    if (rt.active && rt.shared && fd >= 0 && fd < MAX_FILES) rt_descriptors()->first_copy[fd] = 0;
}

void rt_contents_use(int fd, long offset, size_t size, bool writes, uintptr_t pc, const char *label)
{
    bool appends = false, here = offset == RT_HERE;
    long end = 0;
    if (!rt_state_is_shared()) return;
    uint64_t contents = rt_contents_of(fd, &appends, &end);
    if (!contents) return;
    char *open_file = offset_of(fd);
    rt_state_step(contents, (uint64_t)open_file, writes || here, pc, label);
    if (here) offset = rt_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);
    if (writes && appends) rt_contents_of(fd, &appends, &offset);
    rt_access_state((uintptr_t)open_file, 1, here, pc);
    long upto = offset + (long)(size < LONG_MAX / 2 ? size : LONG_MAX / 2);
    rt_contents_access(contents, offset, writes || upto <= end ? upto : end + 1, writes, pc);
}

/* ---- calls on descriptors of files that the runtime knows nothing else of ---- */

static bool has_no_offset(int fd)
{
    const struct open_file *f = rt_file(fd);
    return f && (f->kind == &rt_pipe_kind || f->kind == &rt_fifo_kind || f->kind == &rt_socket_kind);
}

#define SEEKS(name) \
    long call_##name(int fd, long offset, int from) __asm__(#name); \
    EXPORT long call_##name(int fd, long offset, int from) \
    { \
        if (has_no_offset(fd)) return errno = ESPIPE, -1; \
        rt_effect(); \
        rt_contents_use(fd, RT_HERE, 0, false, CALLER, #name); \
        return ((__typeof__(&lseek))rt_real(#name))(fd, offset, from); \
    }
SEEKS(lseek)
SEEKS(lseek64)

/* The end of a file moves between these two offsets. */
static void resize(int fd, long to, uintptr_t pc, const char *label)
{
    bool appends;
    long end = 0;
    rt_effect();
    if (!rt_state_is_shared() || !rt_contents_of(fd, &appends, &end)) return;
    long from = to < end ? to : end;
    rt_contents_use(fd, from, (size_t)((to < end ? end : to) - from), true, pc, label);
}

#define RESIZES(name, parameters, arguments, to) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        resize(a, to, CALLER, #name); \
        return ((function *)rt_real(#name))arguments; \
    }
RESIZES(ftruncate, (int a, long b), (a, b), b)
RESIZES(ftruncate64, (int a, long b), (a, b), b)
RESIZES(fallocate, (int a, int b, long c, long d), (a, b, c, d), c + d)
RESIZES(posix_fallocate, (int a, long b, long c), (a, b, c), b + c)

#define CHANGES_FILE(name, parameters, arguments, ...) \
    int call_##name parameters __asm__(#name); \
    EXPORT int call_##name parameters \
    { \
        typedef int function parameters; \
        const uintptr_t pc = CALLER; \
        rt_effect(); \
        __VA_ARGS__; \
        rt_undo_descriptor(a, pc); \
        rt_metadata_use(a, "", AT_EMPTY_PATH, true, pc, #name); \
        return ((function *)rt_real(#name))arguments; \
    }
CHANGES_FILE(fchmod, (int a, unsigned b), (a, b), (void)0)
CHANGES_FILE(fchown, (int a, unsigned b, unsigned c), (a, b, c), (void)0)
CHANGES_FILE(futimens, (int a, const void *b), (a, b), rt_call_reads(b, 2 * sizeof(struct timespec), pc))
CHANGES_FILE(futimes, (int a, const void *b), (a, b), rt_call_reads(b, 2 * sizeof(struct timeval), pc))
CHANGES_FILE(fsetxattr, (int a, const char *b, const void *c, size_t d, int e), (a, b, c, d, e),
             rt_call_reads_text(b, pc), rt_call_reads(c, d, pc))
CHANGES_FILE(fremovexattr, (int a, const char *b), (a, b), rt_call_reads_text(b, pc))

#define READS_AT(name) \
    ssize_t call_##name(int fd, void *to, size_t size, long offset) __asm__(#name); \
    EXPORT ssize_t call_##name(int fd, void *to, size_t size, long offset) \
    { \
        if (has_no_offset(fd)) return errno = ESPIPE, -1; \
        rt_cancellable_call(CALLER, #name); \
        rt_touch(to, size); \
        rt_effect(); \
        rt_cycle_forget(); \
        rt_contents_use(fd, offset, size, false, CALLER, #name); \
        ssize_t n = ((__typeof__(&pread))rt_real(#name))(fd, to, size, offset); \
        if (n > 0 && rt_is_program_code(CALLER)) rt_range((uintptr_t)to, (size_t)n, true, CALLER); \
        return n; \
    }
READS_AT(pread)
READS_AT(pread64)

#define WRITES_AT(name) \
    ssize_t call_##name(int fd, const void *from, size_t size, long offset) __asm__(#name); \
    EXPORT ssize_t call_##name(int fd, const void *from, size_t size, long offset) \
    { \
        if (has_no_offset(fd)) return errno = ESPIPE, -1; \
        rt_cancellable_call(CALLER, #name); \
        rt_effect(); \
        rt_contents_use(fd, offset, size, true, CALLER, #name); \
        if (rt_is_program_code(CALLER)) rt_range((uintptr_t)from, size, false, CALLER); \
        return ((__typeof__(&pwrite))rt_real(#name))(fd, from, size, offset); \
    }
WRITES_AT(pwrite)
WRITES_AT(pwrite64)

/* The kernel takes a copy of the list before it waits. */
const struct iovec *rt_pieces_copy(struct iovec *to, const struct iovec *v, size_t count, uintptr_t pc)
{
    rt_call_reads(v, count * sizeof *v, pc);
    return memcpy(to, v, count * sizeof *v);
}

static size_t total(const struct iovec *v, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) size += v[i].iov_len;
    return size;
}

/* The first `size` bytes of the pieces. */
void rt_pieces_access(const struct iovec *v, int count, size_t size, bool write, uintptr_t pc)
{
    if (!rt_is_program_code(pc)) return;
    for (int i = 0; i < count && size; i++) {
        size_t n = v[i].iov_len < size ? v[i].iov_len : size;
        rt_range((uintptr_t)v[i].iov_base, n, write, pc);
        size -= n;
    }
}

ssize_t rt_pieces_read(int fd, const struct iovec *v, int count, long offset, uintptr_t pc)
{
    struct iovec copy[count > 0 && count <= MOST_PIECES ? count : 1];
    if (count < 0 || count > MOST_PIECES) return errno = EINVAL, -1;
    if (offset != RT_HERE && has_no_offset(fd)) return errno = ESPIPE, -1;
    v = rt_pieces_copy(copy, v, (size_t)count, pc);
    rt_cancellable_call(pc, "readv");
    for (int i = 0; i < count; i++) rt_touch(v[i].iov_base, v[i].iov_len);
    rt_effect();
    rt_cycle_forget();
    rt_contents_use(fd, offset, total(v, count), false, pc, "readv");
    ssize_t n = offset == RT_HERE ? REAL(readv)(fd, v, count) : REAL(preadv)(fd, v, count, offset);
    if (n > 0) rt_pieces_access(v, count, (size_t)n, true, pc);
    return n;
}

ssize_t rt_pieces_write(int fd, const struct iovec *v, int count, long offset, uintptr_t pc)
{
    struct iovec copy[count > 0 && count <= MOST_PIECES ? count : 1];
    if (count < 0 || count > MOST_PIECES) return errno = EINVAL, -1;
    if (offset != RT_HERE && has_no_offset(fd)) return errno = ESPIPE, -1;
    v = rt_pieces_copy(copy, v, (size_t)count, pc);
    rt_cancellable_call(pc, "writev");
    rt_effect();
    rt_contents_use(fd, offset, total(v, count), true, pc, "writev");
    rt_pieces_access(v, count, SIZE_MAX, false, pc);
    return offset == RT_HERE ? REAL(writev)(fd, v, count) : REAL(pwritev)(fd, v, count, offset);
}

#define PIECES_AT(name, does) \
    ssize_t call_##name(int fd, const struct iovec *v, int count, long offset) __asm__(#name); \
    EXPORT ssize_t call_##name(int fd, const struct iovec *v, int count, long offset) \
    { \
        return does(fd, v, count, offset, CALLER); \
    }
PIECES_AT(preadv, rt_pieces_read)
PIECES_AT(preadv64, rt_pieces_read)
PIECES_AT(pwritev, rt_pieces_write)
PIECES_AT(pwritev64, rt_pieces_write)
