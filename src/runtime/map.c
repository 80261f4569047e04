/* Memory that the program maps itself: anonymous mappings and those of files lie one after the other in a range of
 * their own, never used twice in an execution, so that addresses repeat; all are gone when the execution ends. The end
 * of the data segment (brk) is virtual. What was mapped before main() gets its contents back like all memory, but not
 * its borders. */
#include "runtime/descriptor_int.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAPS_BASE 0x5a0000000000ul
#define MAPS_SIZE (1ul << 40)
#define BREAK_SIZE (1ul << 32)
#define NOT_RESTORED "memory from before main() is not mapped as before in the next execution"

static bool controls(void) { return rt.active && rt.shared; }
static uintptr_t round_up(uintptr_t n, uintptr_t to) { return (n + to - 1) & ~(to - 1); }
static bool is_ours(const void *p) { return (uintptr_t)p - MAPS_BASE < MAPS_SIZE; }

bool rt_is_mapped(uintptr_t address) { return address - MAPS_BASE < rt.maps.used; }

void rt_maps_reset(void)
{
    if (rt.maps.used) rt_syscall(SYS_munmap, MAPS_BASE, (long)rt.maps.used, 0, 0, 0, 0);
    long most = (long)rt.maps.brk_most;
    if (most) rt_syscall(SYS_madvise, (long)rt.maps.brk_base, most, MADV_DONTNEED, 0, 0, 0);
    rt.maps.used = rt.maps.brk = rt.maps.brk_most = 0;
    rt.maps.shared_count = 0;
}

/* Large mappings begin at multiples of 2 MB, as those who ask for them like it. */
static uintptr_t place_for(size_t size)
{
    uintptr_t alignment = size >= 2 << 20 ? 2 << 20 : PAGE;
    uintptr_t at = round_up(MAPS_BASE + rt.maps.used, alignment);
    if (size > MAPS_SIZE || at + size > MAPS_BASE + MAPS_SIZE) return 0;
    rt_depends_on_turns();
    rt.maps.used = at + round_up(size, PAGE) + PAGE - MAPS_BASE; /* a hole behind it */
    return at;
}

static void *result_of(long p)
{
    if (p < 0 && p > -4096) return errno = (int)-p, MAP_FAILED;
    return (void *)p;
}

/* Files that are opened for writing are put back, those that were open before main() are not. */
static bool is_put_back(int fd)
{
    for (int i = 0; i < rt.kept_file_count; i++)
        if (rt.kept_files[i].fd == fd) return false;
    return rt.undo != NULL;
}

/* Whether the file was not mapped in this execution yet. What lies at two addresses is two things to everybody here. */
static bool is_mapped_first(int fd)
{
    struct stat s;
    int n = rt.maps.shared_count;
    if (rt_syscall(SYS_fstat, fd, (long)&s, 0, 0, 0, 0) || n == ARRAY_LEN(rt.maps.shared)) return false;
    for (int i = 0; i < n; i++)
        if (rt.maps.shared[i].device == s.st_dev && rt.maps.shared[i].inode == s.st_ino) return false;
    rt.maps.shared[rt.maps.shared_count++] = (struct shared_file){s.st_dev, s.st_ino};
    return true;
}

#define TWO_ADDRESSES "it is mapped more than once: that two addresses are one place is not known"

static void map_shared_file(int fd, bool writes, uintptr_t pc)
{
    if (writes && !is_put_back(fd)) rt_note("mmap", "what is written to the file survives executions", pc);
    if (!is_mapped_first(fd)) rt_note("mmap", TWO_ADDRESSES, pc);
}

#define MAKES_CODE "the program makes machine code, which is not observed"

/* Also of a private mapping: whether it sees what is written to the file is not specified. */
static void add_view(const void *at, size_t size, int fd, long offset, uintptr_t pc)
{
    bool appends;
    long length;
    uint64_t contents = rt_contents_of(fd, &appends, &length);
    if (!contents) return;
    struct descriptors *all = rt_descriptors();
    if (all->view_count == ARRAY_LEN(all->views)) rt_note("mmap", "so many files are mapped at a time", pc);
    else all->views[all->view_count++] = (struct view){contents, (uintptr_t)at, size, offset};
}

/* The kernel makes each call atomic: two of them do not race, but one of them and an access to the mapping do. */
void rt_views_access(uint64_t contents, long from, long upto, bool writes, uintptr_t pc)
{
    const struct descriptors *all = rt_descriptors();
    for (uint32_t i = 0; rt.check_plain && i < all->view_count; i++) {
        const struct view *v = &all->views[i];
        long low = from > v->offset ? from : v->offset, end = v->offset + (long)v->size;
        long high = upto < end ? upto : end;
        if (v->contents != contents || low >= high) continue;
        rt_access(v->at + (uintptr_t)(low - v->offset), (size_t)(high - low), writes, true, pc);
    }
}

/* A write as well, to what was accessed before and to what will be. */
static void clear_range(uintptr_t at, size_t size, uintptr_t pc)
{
    enum { MOST = 1 << 20 };
    if (!rt.check_plain || !rt_is_program_code(pc)) return;
    rt_access_last(at, size, true, pc);
    rt_access(at, size < MOST ? size : MOST, true, false, pc);
}

/* The new mapping takes the place of what the program has there. */
static void replace_mapping(void *at, size_t size, uintptr_t pc)
{
    rt_give_back_point(pc, "mmap");
    clear_range((uintptr_t)at, size, pc);
}

static void *map(void *at, size_t size, int protection, int flags, int fd, long offset, uintptr_t pc)
{
    bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
    rt_effect();
    if (fd >= 0 && !(flags & MAP_ANONYMOUS) && (flags & MAP_SHARED)) map_shared_file(fd, protection & PROT_WRITE, pc);
    if (fixed && !is_ours(at)) rt_note("mmap", NOT_RESTORED, pc);
    else if (flags & MAP_FIXED) replace_mapping(at, size, pc);
    if (protection & PROT_EXEC) rt_note("mmap", MAKES_CODE, pc);
    if (!fixed) {
        at = (void *)place_for(size);
        if (!at || !size) return errno = size ? ENOMEM : EINVAL, MAP_FAILED;
        flags |= MAP_FIXED;
    }
    long p = rt_syscall(SYS_mmap, (long)at, (long)size, protection, flags | MAP_NORESERVE, fd, offset);
    if (p > 0 && !(flags & MAP_ANONYMOUS)) add_view((void *)p, size, fd, offset, pc);
    return result_of(p);
}

EXPORT void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (controls()) return map(at, size, protection, flags, fd, offset, CALLER);
    return result_of(rt_syscall(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset));
}

void *call_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) __asm__("mmap64");
EXPORT void *call_mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    if (controls()) return map(at, size, protection, flags, fd, offset, CALLER);
    return result_of(rt_syscall(SYS_mmap, (long)at, (long)size, protection, flags, fd, offset));
}

static int status_of(long result) { return result < 0 ? errno = (int)-result, -1 : 0; }

/* A thread that accesses it at the same time may come too late. */
static void takes_away(void *at, size_t size, bool all, const char *label, uintptr_t pc)
{
    if (controls()) rt_give_back_point(pc, label);
    if (controls() && rt.check_plain && is_ours(at)) rt_access_last((uintptr_t)at, size, all, pc);
}

EXPORT int munmap(void *at, size_t size)
{
    if ((uintptr_t)at % PAGE || !size) return errno = EINVAL, -1;
    if (controls()) rt_refuse_stack(at, size, CALLER);
    takes_away(at, size, true, "munmap", CALLER);
    if (controls() && !is_ours(at)) { /* its contents are those of every execution */
        rt_note("munmap", NOT_RESTORED, CALLER);
        return 0;
    }
    return status_of(rt_syscall(SYS_munmap, (long)at, (long)size, 0, 0, 0, 0));
}

EXPORT int mprotect(void *at, size_t size, int protection)
{
    if (controls() && protection & PROT_EXEC) rt_note("mprotect", MAKES_CODE, CALLER);
    if (controls() && !is_ours(at) && !rt_in_heap((uintptr_t)at)) {
        rt_note("mprotect", NOT_RESTORED, CALLER);
        if (protection & PROT_WRITE) return 0; /* it is, as far as the program is concerned */
    }
    if (!(protection & PROT_WRITE)) takes_away(at, size, !(protection & PROT_READ), "mprotect", CALLER);
    return status_of(rt_syscall(SYS_mprotect, (long)at, (long)size, protection, 0, 0, 0));
}

/* Pages that are given back are zeros, or what the file holds, from now on. */
EXPORT int madvise(void *at, size_t size, int advice)
{
    bool clears = advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
    if (clears) rt_effect();
    if (clears && controls()) rt_give_back_point(CALLER, "madvise");
    if (clears && controls() && is_ours(at)) clear_range((uintptr_t)at, size, CALLER);
    return status_of(rt_syscall(SYS_madvise, (long)at, (long)size, advice, 0, 0, 0));
}

EXPORT void *mremap(void *at, size_t size, size_t new_size, int flags, ...)
{
    va_list ap;
    va_start(ap, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(ap, void *) : NULL;
    va_end(ap);
    if (controls() && !to && new_size > size && (flags & MREMAP_MAYMOVE)) {
        to = (void *)place_for(new_size);
        flags |= MREMAP_FIXED;
    }
    rt_effect();
    if (controls() && !size) rt_note("mremap", TWO_ADDRESSES, CALLER);
    if (to) takes_away(at, size, true, "mremap", CALLER);
    else if (new_size < size) takes_away((char *)at + new_size, size - new_size, true, "mremap", CALLER);
    return result_of(rt_syscall(SYS_mremap, (long)at, (long)size, (long)new_size, flags, (long)to, 0));
}

/* ---- the end of the data segment ---- */

static void *break_now(void)
{
    if (!rt.maps.brk_base) rt.maps.brk_base = rt_map(NULL, BREAK_SIZE, 0);
    return rt.maps.brk_base + rt.maps.brk;
}

static char data_break; /* stands for it */

EXPORT void *sbrk(intptr_t change)
{
    rt_state_use(&data_break, change != 0, CALLER, "sbrk");
    char *old = break_now();
    if (rt.maps.brk + (uintptr_t)change > BREAK_SIZE) return errno = ENOMEM, (void *)-1;
    rt.maps.brk += (uintptr_t)change;
    if (rt.maps.brk > rt.maps.brk_most) rt.maps.brk_most = rt.maps.brk;
    return old;
}

EXPORT int brk(void *end)
{
    char *now = break_now();
    return sbrk((char *)end - now) == (void *)-1 ? -1 : 0;
}
