/* Putting memory back: every page that the program writes to after main began gets its old contents between two
 * executions. Pages are write-protected at first; the first write to one is seen as a fault, its contents are kept, and
 * from then on it is copied back each time. So an execution costs as much as the pages it ever touches, and a page
 * costs one fault for the whole exploration. The heap above what existed at the start needs none of this. */
#include "runtime/internal.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { MAX_HOT_PAGES = 1 << 22, SMALL_PROGRAM = 64 };
extern char _edata[], _end[];

static void add_hot(char *page, char *copy)
{
    if (rt.hot_page_count == MAX_HOT_PAGES) rt_die("the program writes to too many pages");
    assert(!((uintptr_t)page & (PAGE - 1)) && copy);
    memcpy(copy, page, PAGE);
    rt.hot_pages[rt.hot_page_count++] = (struct hot_page){page, copy};
}

static void protect(char *low, char *high, bool writable)
{
    rt_syscall(SYS_mprotect, (long)low, high - low, writable ? PROT_READ | PROT_WRITE : PROT_READ, 0, 0, 0);
}

/* The kernel writes to the program's own variables when it reads a file into one, and fails on a protected page: those
 * of a program that is not large are simply always copied. */
static bool is_programs_own(const struct range *r)
{
    uintptr_t data = (uintptr_t)_edata - 1, end = (uintptr_t)_end - 1, low = (uintptr_t)r->low,
              high = (uintptr_t)r->high;
    bool has = (data >= low && data < high) || (end >= low && end < high);
    return has && r->high - r->low <= (long)(SMALL_PROGRAM * PAGE);
}

static void add_region(struct range r)
{
    if (r.low >= r.high) return;
    if (rt.region_count == MAX_REGIONS) rt_die("the program has too many mappings");
    size_t pages = (size_t)(r.high - r.low) / PAGE;
    assert(!(((uintptr_t)r.low | (uintptr_t)r.high) & (PAGE - 1)));
    struct region *g = &rt.regions[rt.region_count++];
    *g = (struct region){r, rt_map(NULL, (pages + PAGE - 1) & ~(PAGE - 1), 0), rt_map(NULL, pages * PAGE, 0)};
    if (!is_programs_own(&r)) return;
    for (size_t i = 0; i < pages; i++) {
        g->hot[i] = 1;
        add_hot(r.low + i * PAGE, g->copy + i * PAGE);
    }
}

/* Parts of r that are not the runtime's own. */
static void add_foreign(struct range r, int from)
{
    for (int i = from; i < rt.owned_count; i++) {
        struct range o = rt.owned[i];
        if (o.high <= r.low || o.low >= r.high) continue;
        if (o.low > r.low) add_foreign((struct range){r.low, o.low}, i + 1);
        r.low = o.high;
        if (r.low >= r.high) return;
    }
    add_region(r);
}

static void add_line(char *line)
{
    char *p = line;
    struct range r;
    r.low = (char *)strtoul(p, &p, 16);
    r.high = (char *)strtoul(p + 1, &p, 16);
    bool writable = p[2] == 'w' && p[4] == 'p';
    if (!writable || strstr(line, "[v")) return;
    if (r.low == rt.heap.base) r.high = rt.heap.snapshot_top;
    else if (rt_in_heap((uintptr_t)r.low)) return;
    if (rt.foreign_count == MAX_REGIONS) rt_die("the program has too many mappings");
    rt.foreign[rt.foreign_count++] = r;
}

static void read_maps(void)
{
    enum { SIZE = 1 << 26 };
    char *text = rt_map(NULL, SIZE, 0);
    long fd = rt_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0), got, len = 0;
    if (fd < 0) rt_die("cannot read /proc/self/maps");
    while ((got = rt_syscall(SYS_read, fd, (long)text + len, SIZE - 1 - len, 0, 0, 0)) > 0) len += got;
    rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    if (got < 0 || len == SIZE - 1) rt_die("cannot read all of /proc/self/maps");
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        add_line(line);
    }
}

static long offset_of(int fd)
{
    struct stat st;
    bool regular = rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 && S_ISREG(st.st_mode);
    bool output = fd == 1 || fd == 2;
    return regular && !output ? rt_syscall(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0) : -1;
}

/* The standard files and those that constructors opened: the program may close them. The copies come right after the
 * descriptor of the shared memory. */
static void keep_files(void)
{
    enum { HIGHEST = 4096 };
    for (int fd = 0; fd < HIGHEST; fd++) {
        long flags = fd == rt.shared_fd ? -1 : rt_syscall(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0);
        if (flags < 0) continue;
        bool taken = fd > rt.shared_fd && fd <= rt.shared_fd + MAX_KEPT_FILES;
        if (taken) rt_die("a file descriptor that heddle needs is in use");
        if (rt.kept_file_count == MAX_KEPT_FILES) rt_die("the program has more than 64 files open before main()");
        rt.kept_files[rt.kept_file_count++] = (struct kept_file){fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0, offset_of(fd)};
    }
    for (int i = 0; i < rt.kept_file_count; i++) {
        long copy = rt_syscall(SYS_dup3, rt.kept_files[i].fd, rt.shared_fd + 1 + i, O_CLOEXEC, 0, 0, 0);
        if (copy < 0) rt_die("too many open files");
    }
}

/* Another descriptor of the same file, in the place of the one that another process has, too. */
static bool own_offset(int fd, int copy, int flags)
{
    char path[32];
    rt_print(path, sizeof path, "/proc/self/fd/%d", fd);
    long how = rt_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    long own = rt_syscall(SYS_openat, AT_FDCWD, (long)path, how & (O_ACCMODE | O_APPEND), 0, 0, 0);
    if (own < 0) return false;
    rt_syscall(SYS_dup3, own, copy, O_CLOEXEC, 0, 0, 0);
    rt_syscall(SYS_dup3, own, fd, flags, 0, 0, 0);
    rt_syscall(SYS_close, own, 0, 0, 0, 0, 0);
    return true;
}

bool rt_own_offsets(void)
{
    for (int i = 0; i < rt.kept_file_count; i++) {
        const struct kept_file *k = &rt.kept_files[i];
        if (k->offset >= 0 && !own_offset(k->fd, rt.shared_fd + 1 + i, k->flags)) return false;
    }
    return true;
}

bool rt_is_own_file(int fd) { return rt.shared && fd >= rt.shared_fd && fd <= rt.shared_fd + rt.kept_file_count; }

void rt_snapshot(void)
{
    rt_heap_snapshot();
    keep_files();
    rt.snapshot_at_exit_count = rt.at_exit_count;
    memcpy(rt.snapshot_keys, rt.keys, sizeof rt.keys);
    rt.signal.changed = false;
    rt.snapshot_signal = rt.signal;
    rt.hot_pages = rt_map(NULL, sizeof *rt.hot_pages * MAX_HOT_PAGES, 0);
    rt.regions = rt_map(NULL, sizeof *rt.regions * MAX_REGIONS, 0);
    rt.foreign = rt_map(NULL, sizeof *rt.foreign * MAX_REGIONS, 0);
    rt_own_mapping((char *)&rt, sizeof rt);
    read_maps();
    for (int i = 0; i < rt.foreign_count; i++) {
        struct range r = rt.foreign[i];
        if (r.low == rt.heap.base) add_region(r);
        else add_foreign(r, 0);
    }
    for (int i = 0; i < rt.region_count; i++)
        if (!rt.regions[i].hot[0]) protect(rt.regions[i].range.low, rt.regions[i].range.high, false);
}

static void make_hot(char *low, char *high) { rt_touch(low, (size_t)(high - low)); }

/* Pages that were written to so far change their old contents; those of the heap since then become old ones. */
void rt_snapshot_again(void)
{
    char *old_top = rt.heap.snapshot_top;
    for (size_t i = 0; i < rt.hot_page_count; i++) memcpy(rt.hot_pages[i].copy, rt.hot_pages[i].page, PAGE);
    rt_heap_snapshot();
    if (rt.heap.snapshot_top > old_top) {
        add_region((struct range){old_top, rt.heap.snapshot_top});
        protect(old_top, rt.heap.snapshot_top, false);
    }
    rt_heap_library_blocks(old_top, make_hot);
    for (int i = 0; i < rt.kept_file_count; i++) rt.kept_files[i].offset = offset_of(rt.kept_files[i].fd);
    rt.snapshot_at_exit_count = rt.at_exit_count;
    memcpy(rt.snapshot_keys, rt.keys, sizeof rt.keys);
    rt.signal.changed = rt.keys_changed = false;
    rt.snapshot_signal = rt.signal;
}

static struct region *region_of(uintptr_t address)
{
    for (int i = 0; i < rt.region_count; i++) {
        struct region *g = &rt.regions[i];
        if (address - (uintptr_t)g->range.low < (size_t)(g->range.high - g->range.low)) return g;
    }
    return NULL;
}

bool rt_page_fault(uintptr_t address)
{
    struct region *g = region_of(address);
    if (!g) return false;
    size_t n = (address - (uintptr_t)g->range.low) / PAGE;
    if (g->hot[n]) return false;
    g->hot[n] = 1;
    char *page = g->range.low + n * PAGE;
    protect(page, page + PAGE, true);
    add_hot(page, g->copy + n * PAGE);
    return true;
}

bool rt_is_cold(uintptr_t address)
{
    const struct region *g = region_of(address);
    return g && !g->hot[(address - (uintptr_t)g->range.low) / PAGE];
}

void rt_unprotect(uintptr_t low, uintptr_t high)
{
    protect((char *)low, (char *)high, true);
    for (uintptr_t page = low; page < high && rt.region_count;) {
        uintptr_t end = page;
        while (end < high && rt_is_cold(end)) end += PAGE;
        if (end > page) protect((char *)page, (char *)end, false);
        page = end + PAGE;
    }
}

void rt_touch(void *p, size_t size)
{
    if (!rt.region_count || !size) return;
    for (uintptr_t a = (uintptr_t)p & ~(PAGE - 1); a < (uintptr_t)p + size; a += PAGE) rt_page_fault(a);
}

/* All descriptors from `from` to `upto` but the runtime's own. */
static void close_between(unsigned from, unsigned upto)
{
    unsigned own = (unsigned)rt.shared_fd, own_end = own + (unsigned)rt.kept_file_count;
    if (from < own && upto >= own) {
        rt_syscall(SYS_close_range, from, own - 1, 0, 0, 0, 0);
        from = own;
    }
    if (from >= own && from <= own_end) from = own_end + 1;
    if (from <= upto) rt_syscall(SYS_close_range, from, upto, 0, 0, 0, 0);
}

static void put_files_back(void)
{
    unsigned from = 0;
    for (int i = 0; i < rt.kept_file_count; i++) {
        const struct kept_file *k = &rt.kept_files[i];
        if (rt.used_files) rt_syscall(SYS_dup3, rt.shared_fd + 1 + i, k->fd, k->flags, 0, 0, 0);
        if (k->offset >= 0) rt_syscall(SYS_lseek, k->fd, k->offset, SEEK_SET, 0, 0, 0);
        if (rt.used_files && (unsigned)k->fd > from) close_between(from, (unsigned)k->fd - 1);
        from = (unsigned)k->fd + 1;
    }
    if (rt.used_files) close_between(from, ~0u);
    rt.used_files = false;
}

void rt_reset(void)
{
    for (size_t i = 0; i < rt.hot_page_count; i++) memcpy(rt.hot_pages[i].page, rt.hot_pages[i].copy, PAGE);
    rt_threads_reset();
    rt_heap_reset();
    rt_maps_reset();
    rt_race_reset();
    rt.at_exit_count = rt.snapshot_at_exit_count;
    if (rt.keys_changed) memcpy(rt.keys, rt.snapshot_keys, sizeof rt.keys);
    rt.keys_changed = false;
    if (rt.signal.changed) rt.signal = rt.snapshot_signal;
    rt.exiting = rt.in_finding = false;
    put_files_back();
    rt_undo_files();
}
