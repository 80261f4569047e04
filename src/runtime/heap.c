/* The program's heap: blocks one after the other, never used twice in an execution unless it needs more than the limit,
 * with red zones between them. So addresses are the same in every execution that does the same, a use after free and
 * an overflow are seen at the access, and starting anew costs as much as was used.
 *
 * state[] has a byte per 8 bytes of heap: 0 outside of blocks, 1..8 so many leading bytes are in a block, 255 freed. */
#include "runtime/internal.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { GUARD = 16, FREED = 255, FILL = 0xbe, REUSE_FROM = 1 << 30 };
enum { WRITTEN = 256 }; /* to the race detector, allocating writes to the beginning of a block */
enum origin { MALLOC, NEW, NEW_ARRAY }; /* the functions that allocated a block, or that free one */
#define HEAP_BASE ((void *)0x5e0000000000ul)
#define HEAP_SIZE (64ul << 30)

enum { MOST_CHANGED = 1 << 16, LARGE = 512 << 20 };

struct block {
    struct block *older;     /* at a lower address; all blocks of the heap are in this list */
    struct block *next_free; /* of its class, if it is to be used again */
    size_t size, capacity;   /* capacity: when it was made; at least the size */
    uint64_t pc;
    uint32_t frames, frame_count;
    uint32_t freed, live;
    uint64_t origin;
};
_Static_assert(sizeof(struct block) % 16 == 0, "blocks are aligned");

void rt_heap_init(void)
{
    if (rt.heap.base) return;
    rt.heap.base = rt_map(HEAP_BASE, HEAP_SIZE, MAP_FIXED_NOREPLACE);
    rt.heap.top = rt.heap.snapshot_top = rt.heap.base;
    rt.heap.limit = rt.heap.base + HEAP_SIZE;
    rt.heap.state = rt_map(NULL, HEAP_SIZE / 8, 0);
}

static void mark(const char *at, size_t size, bool allocated)
{
    assert_costly(at >= rt.heap.base && at + size <= rt.heap.limit);
    uint8_t *s = &rt.heap.state[(at - rt.heap.base) / 8];
    memset(s, allocated ? 8 : FREED, size / 8);
    if (size % 8) s[size / 8] = allocated ? (uint8_t)(size % 8) : FREED;
}

static int class_of(size_t size) { return 64 - __builtin_clzll(size | 1); }

/* Beyond the limit freed blocks of the same class are used again: then a use after free may go unnoticed. */
static struct block *used_again(size_t size)
{
    if (rt.heap.top - rt.heap.base < REUSE_FROM) return NULL;
    struct block **list = &rt.heap.freed[class_of(size)];
    for (; *list; list = &(*list)->next_free)
        if ((*list)->capacity >= size) {
            struct block *b = *list;
            *list = b->next_free;
            return b;
        }
    return NULL;
}

/* A block that was there at the snapshot is given out or freed. */
static void note_change(struct block *b)
{
    if (rt.heap.changed && (char *)b < rt.heap.snapshot_top && rt.heap.changed_count < MOST_CHANGED)
        rt.heap.changed[rt.heap.changed_count++] = b;
}

static void *allocate_by(enum origin origin, size_t size, size_t alignment, uintptr_t pc)
{
    if (unlikely(!rt.heap.base)) rt_heap_init();
    if (size > HEAP_SIZE / 4 || alignment > HEAP_SIZE / 4) return errno = ENOMEM, NULL;
    struct block *b = alignment <= 16 ? used_again(size) : NULL;
    if (!b) {
        uintptr_t at = (uintptr_t)rt.heap.top + sizeof(struct block);
        at = (at + alignment - 1) & ~(alignment - 1);
        char *end = (char *)((at + size + GUARD + 15) & ~15ul);
        if (end > rt.heap.limit) return errno = ENOMEM, NULL;
        rt.heap.top = end;
        b = (struct block *)at - 1;
        b->older = rt.heap.newest;
        rt.heap.newest = b;
        b->capacity = size;
    }
    assert(b->capacity >= size && (!b->older || b->older < b));
    b->size = size;
    b->pc = pc;
    b->origin = origin;
    b->freed = 0;
    b->live = 0x6c697665;
    rt_depends_on_turns();
    struct rt_stack stack = rt.recording && rt.active ? rt_stack_of(rt.self, pc) : (struct rt_stack){0};
    b->frames = stack.first;
    b->frame_count = stack.len;
    note_change(b);
    mark((char *)(b + 1), size, true);
    rt.heap.live_blocks++;
    rt.heap.live_bytes += size;
    rt_effect();
    if (rt.active && rt.check_plain && size && !rt_is_library_code(pc))
        rt_access((uintptr_t)(b + 1), size < WRITTEN ? size : WRITTEN, true, false, pc);
    return b + 1;
}

static void *allocate(size_t size, size_t alignment, uintptr_t pc)
{
    return allocate_by(MALLOC, size, alignment, pc);
}

static struct block *block_of(void *p)
{
    struct block *b = (struct block *)p - 1;
    bool plausible = rt_in_heap((uintptr_t)p) && (uintptr_t)p % 16 == 0 && (char *)b >= rt.heap.base &&
                     (char *)p <= rt.heap.top && b->live == 0x6c697665;
    return plausible ? b : NULL;
}

/* By itself: what the C library gave it gets back; the rest is from before it was known that the program is. */
static void give_back_alone(void *p)
{
    if (!rt_in_heap((uintptr_t)p)) rt.free(p);
}

static bool replaces_operators(void);

/* A program that replaces some of the operators may allocate by its own ones and free by the others. A library may have
 * operators of its own which call free(). */
static void refuse_mismatch(const struct block *b, enum origin by, uintptr_t pc)
{
    static const char *const allocated[] = {"malloc()", "new", "new[]"};
    static const char *const freed[] = {"free()", "delete", "delete[]"};
    if (b->freed || b->origin == by || rt_is_library_code(pc) || replaces_operators()) return;
    rt_find(RT_MEMORY, pc, "a block from %s is given to %s", allocated[b->origin], freed[by]);
    rt_find_block(b->pc, b + 1, b->size, (struct rt_stack){b->frames, b->frame_count});
    rt_finding_end();
}

/* After rt_give_back_point(). */
static void take_back(void *p, enum origin by, uintptr_t pc)
{
    struct block *b = block_of(p);
    if (rt.active && b) rt_refuse_stack(p, b->size, pc);
    if (rt.active && b) refuse_mismatch(b, by, pc);
    if (!b || b->freed) {
        if (!rt.active) return;
        rt_find(RT_MEMORY, pc, b ? "freeing a block that was already freed" : "freeing what malloc() did not return");
        if (b) rt_find_block(b->pc, b + 1, b->size, (struct rt_stack){b->frames, b->frame_count});
        rt_finding_end();
    }
    if (rt.active && rt.check_plain && b->size) rt_access_last((uintptr_t)p, b->size, true, pc);
    b->freed = 1;
    note_change(b);
    mark(p, b->size, false);
    rt.heap.live_blocks--;
    rt.heap.live_bytes -= b->size;
    rt_effect();
    if (rt.heap.top - rt.heap.base >= REUSE_FROM) {
        b->next_free = rt.heap.freed[class_of(b->capacity)];
        rt.heap.freed[class_of(b->capacity)] = b;
        rt_forget_range((uintptr_t)p, b->size);
    }
}

static void give_back(void *p, enum origin by, uintptr_t pc)
{
    if (!p) return;
    if (unlikely(rt.alone)) {
        give_back_alone(p);
        return;
    }
    rt_give_back_point(pc, "free");
    take_back(p, by, pc);
}

/* The nearest block to an address that is in none: the one that begins at or below it, or the next one if its beginning
 * is nearer than the end of that. */
static const struct block *nearest_block(uintptr_t address)
{
    const struct block *above = NULL, *b = rt.heap.newest;
    for (; b && (uintptr_t)(b + 1) > address; b = b->older) above = b;
    if (!b || !above) return b ? b : above;
    uintptr_t end = (uintptr_t)(b + 1) + b->size;
    return address >= end && (uintptr_t)(above + 1) - address < address - end + 1 ? above : b;
}

static void bad_access(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    const struct block *b = nearest_block(address);
    const char *what = write ? "write" : "read";
    if (!b) rt_find(RT_MEMORY, pc, "%s of %zu bytes outside of any heap block", what, size);
    else if (address < (uintptr_t)(b + 1))
        rt_find(RT_MEMORY, pc, "%s of %zu bytes, %zu before a heap block of %zu bytes", what, size,
                (size_t)((uintptr_t)(b + 1) - address), b->size);
    else if (b->freed && address < (uintptr_t)(b + 1) + b->size)
        rt_find(RT_MEMORY, pc, "%s of %zu bytes after free, %zu bytes into a block of %zu", what, size,
                (size_t)(address - (uintptr_t)(b + 1)), b->size);
    else if (address < (uintptr_t)(b + 1) + b->size)
        rt_find(RT_MEMORY, pc, "%s of %zu bytes at offset %zu of a heap block of %zu bytes", what, size,
                (size_t)(address - (uintptr_t)(b + 1)), b->size);
    else
        rt_find(RT_MEMORY, pc, "%s of %zu bytes beyond a heap block of %zu bytes, at offset %zu", what, size, b->size,
                (size_t)(address - (uintptr_t)(b + 1)));
    if (b) rt_find_block(b->pc, b + 1, b->size, (struct rt_stack){b->frames, b->frame_count});
    rt_finding_end();
}

void rt_heap_check(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (unlikely(!rt.shared)) return;
    uintptr_t end = address + size;
    for (uintptr_t a = address; a < end; a = (a | 7) + 1) {
        uint8_t valid = rt.heap.state[(a - (uintptr_t)rt.heap.base) / 8];
        uintptr_t last = (a | 7) + 1 < end ? 8 : ((end - 1) & 7) + 1;
        if (unlikely(valid > 8 || last > valid)) bad_access(address, size, write, pc);
    }
}

void rt_heap_round_up(void)
{
    rt_heap_init();
    rt.heap.top = (char *)(((uintptr_t)rt.heap.top + PAGE - 1) & ~(PAGE - 1));
}

/* The C library has the kernel write to its own blocks, which fails on protected pages. */
void rt_heap_library_blocks(const char *from, void (*visit)(char *low, char *high))
{
    for (struct block *b = rt.heap.newest; b && (char *)b >= from; b = b->older)
        if (!b->pc || rt_is_library_code(b->pc)) visit((char *)b, (char *)(b + 1) + b->size);
}

void rt_heap_snapshot(void)
{
    rt_heap_round_up();
    assert(!((uintptr_t)rt.heap.top & (PAGE - 1)) && rt.heap.top <= rt.heap.limit);
    if (!rt.heap.changed) rt.heap.changed = rt_map(NULL, sizeof *rt.heap.changed * MOST_CHANGED, 0);
    rt.heap.changed_count = 0;
    rt.heap.snapshot_top = rt.heap.top;
    rt.heap.snapshot_newest = rt.heap.newest;
    rt.heap.snapshot_blocks = rt.heap.live_blocks;
    rt.heap.snapshot_bytes = rt.heap.live_bytes;
}

static void remark(const struct block *b) { mark((const char *)(b + 1), b->size, !b->freed); }

/* Old blocks get their contents back with all other memory; here only the marks. */
static void remark_old_blocks(void)
{
    if (rt.heap.changed_count < MOST_CHANGED)
        for (uint32_t i = 0; i < rt.heap.changed_count; i++) remark(rt.heap.changed[i]);
    else
        for (const struct block *b = rt.heap.snapshot_newest; b; b = b->older) remark(b);
    rt.heap.changed_count = 0;
}

void rt_heap_reset(void)
{
    enum { KEEP = 256 << 20 };
    size_t used = (size_t)(rt.heap.top - rt.heap.snapshot_top);
    assert(rt.heap.top >= rt.heap.snapshot_top && rt.heap.snapshot_top >= rt.heap.base);
    memset(&rt.heap.state[(rt.heap.snapshot_top - rt.heap.base) / 8], 0, used / 8);
    if (used > KEEP) madvise(rt.heap.snapshot_top + KEEP, used - KEEP, MADV_DONTNEED);
    rt.heap.top = rt.heap.snapshot_top;
    rt.heap.newest = rt.heap.snapshot_newest;
    rt.heap.live_blocks = rt.heap.snapshot_blocks;
    rt.heap.live_bytes = rt.heap.snapshot_bytes;
    memset(rt.heap.freed, 0, sizeof rt.heap.freed);
    if (rt.heap.snapshot_newest) remark_old_blocks();
}

/* Blocks that are used again are in lists of free ones, and not all changes of old ones are known. */
bool rt_heap_can_move(void)
{
    return rt.heap.top - rt.heap.base < REUSE_FROM && rt.heap.changed_count < MOST_CHANGED;
}

/* After rt.heap itself and the pages that were there at the snapshot. */
void rt_heap_move(struct rt_bag *b)
{
    size_t used = (size_t)(rt.heap.top - rt.heap.snapshot_top);
    rt_bag_move(b, rt.heap.snapshot_top, used);
    rt_bag_move(b, &rt.heap.state[(rt.heap.snapshot_top - rt.heap.base) / 8], (used + 7) / 8);
    rt_bag_move(b, rt.heap.changed, sizeof *rt.heap.changed * rt.heap.changed_count);
    for (uint32_t i = 0; !b->saving && i < rt.heap.changed_count; i++) remark(rt.heap.changed[i]);
}

bool rt_heap_home(uintptr_t address, struct rt_home *out)
{
    const struct block *b = rt_in_heap(address) ? nearest_block(address) : NULL;
    if (!b) return false;
    *out = (struct rt_home){.kind = RT_HOME_HEAP,
                            .address = address,
                            .pc = b->pc,
                            .stack = {b->frames, b->frame_count},
                            .size = b->size,
                            .offset = (int64_t)(address - (uintptr_t)(b + 1))};
    return true;
}

struct rt_heap_block rt_heap_block(const void *head)
{
    const struct block *b = head;
    return (struct rt_heap_block){b->older, sizeof *b, b->size, b->pc, b->freed};
}

/* At the end of an execution: a block of the program's own that nobody freed. */
void rt_heap_leaks(void)
{
    for (const struct block *b = rt.heap.newest; b && b != rt.heap.snapshot_newest; b = b->older) {
        if (b->freed || !b->pc || rt_is_library_code(b->pc)) continue;
        rt_find(RT_MEMORY, b->pc, "a block of %zu bytes is never freed", b->size);
        rt_find_block(b->pc, b + 1, b->size, (struct rt_stack){b->frames, b->frame_count});
        rt_finding_end();
    }
}

/* The pages of a large new block are given back, and are zeros when they are touched: writing to gigabytes takes
 * longer than a step may. What the snapshot has must be written to, for that is how it is known to have changed. */
static void *fresh(void *p, size_t size, int byte)
{
    if (!p) return NULL;
    char *from = p, *to = from + size;
    if (size >= LARGE && from >= rt.heap.snapshot_top) {
        char *low = (char *)(((uintptr_t)from + PAGE - 1) & ~(PAGE - 1)), *high = (char *)((uintptr_t)to & ~(PAGE - 1));
        if (!madvise(low, (size_t)(high - low), MADV_DONTNEED)) {
            memset(from, byte, (size_t)(low - from));
            from = high;
        }
    }
    memset(from, byte, (size_t)(to - from));
    return p;
}

/* No object has more bytes than PTRDIFF_MAX: the size is a negative number. calloc() refuses products that are. */
static void refuse_size(size_t size, const char *function, uintptr_t pc)
{
    if (likely(size <= PTRDIFF_MAX) || !rt.active || rt_is_library_code(pc)) return;
    rt_find(RT_MISUSE, pc, "%s: the size is negative (%zd)", function, (ssize_t)size);
    rt_finding_end();
}

EXPORT void *malloc(size_t size)
{
    refuse_size(size, "malloc()", CALLER);
    return fresh(allocate(size, 16, CALLER), size, FILL);
}
EXPORT void free(void *p) { give_back(p, MALLOC, CALLER); }
/* The C library rounds up what is no alignment, other ones fail. */
static void refuse_alignment(size_t alignment, const char *function, uintptr_t pc)
{
    if (!rt.active || rt_is_library_code(pc) || (alignment && !(alignment & (alignment - 1)))) return;
    rt_find(RT_MISUSE, pc, "%s: the alignment %zu is not a power of two", function, alignment);
    rt_finding_end();
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    refuse_alignment(alignment, "memalign()", CALLER);
    refuse_size(size, "memalign()", CALLER);
    return fresh(allocate(size, alignment < 16 ? 16 : alignment, CALLER), size, FILL);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    refuse_alignment(alignment, "aligned_alloc()", CALLER);
    refuse_size(size, "aligned_alloc()", CALLER);
    return fresh(allocate(size, alignment < 16 ? 16 : alignment, CALLER), size, FILL);
}
EXPORT void *valloc(size_t size) { return fresh(allocate(size, PAGE, CALLER), size, FILL); }
EXPORT void *pvalloc(size_t size) { return fresh(allocate((size + PAGE - 1) & ~(PAGE - 1), PAGE, CALLER), size, FILL); }

EXPORT void *calloc(size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return errno = ENOMEM, NULL;
    return fresh(allocate(total, 16, CALLER), total, 0);
}

static void *reallocate_alone(void *p, size_t size)
{
    if (!p || !rt_in_heap((uintptr_t)p)) return rt.realloc(p, size);
    size_t old = ((struct block *)p - 1)->size;
    void *moved = rt.malloc(size);
    return moved ? memcpy(moved, p, old < size ? old : size) : NULL;
}

static void *reallocate(void *p, size_t size, uintptr_t pc)
{
    if (unlikely(rt.alone)) return reallocate_alone(p, size);
    if (!p) return fresh(allocate(size, 16, pc), size, FILL);
    rt_give_back_point(pc, "realloc");
    struct block *b = block_of(p);
    if (!b || b->freed) take_back(p, MALLOC, pc); /* reports it */
    if (!size) return take_back(p, MALLOC, pc), NULL; /* as the C library has it */
    void *moved = fresh(allocate(size, 16, pc), size, FILL);
    if (!moved) return NULL;
    memcpy(moved, p, b->size < size ? b->size : size);
    take_back(p, MALLOC, pc);
    return moved;
}

EXPORT void *realloc(void *p, size_t size)
{
    refuse_size(size, "realloc()", CALLER);
    return reallocate(p, size, CALLER);
}

EXPORT void *reallocarray(void *p, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return errno = ENOMEM, NULL;
    return reallocate(p, total, CALLER);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
    void *p = fresh(allocate(size, alignment < 16 ? 16 : alignment, CALLER), size, FILL);
    if (!p) return ENOMEM;
    rt_call_writes(out, sizeof *out, CALLER);
    *out = p;
    return 0;
}

/* C++. Without these the place of an allocation would be in the C++ library. Failing to allocate ends the program. */
#define OPERATOR_NEW(symbol, name, origin, parameters, size, alignment) \
    void *name parameters __asm__(symbol); \
    EXPORT void *name parameters \
    { \
        void *p = fresh(allocate_by(origin, size, alignment, CALLER), size, FILL); \
        if (!p) \
            rt_find(RT_CRASH, CALLER, "out of memory: operator new of %zu bytes", (size_t)(size)), rt_finding_end(); \
        return p; \
    }
OPERATOR_NEW("_Znwm", cxx_new, NEW, (size_t n), n, 16)
OPERATOR_NEW("_Znam", cxx_new_array, NEW_ARRAY, (size_t n), n, 16)
OPERATOR_NEW("_ZnwmSt11align_val_t", cxx_new_aligned, NEW, (size_t n, size_t a), n, a < 16 ? 16 : a)
OPERATOR_NEW("_ZnamSt11align_val_t", cxx_new_array_aligned, NEW_ARRAY, (size_t n, size_t a), n, a < 16 ? 16 : a)

#define OPERATOR_DELETE(symbol, name, origin, parameters) \
    void name parameters __asm__(symbol); \
    EXPORT void name parameters { give_back(p, origin, CALLER); }
OPERATOR_DELETE("_ZdlPv", cxx_delete, NEW, (void *p))
OPERATOR_DELETE("_ZdaPv", cxx_delete_array, NEW_ARRAY, (void *p))
OPERATOR_DELETE("_ZdlPvm", cxx_delete_sized, NEW, (void *p, size_t n __attribute__((unused))))
OPERATOR_DELETE("_ZdaPvm", cxx_delete_array_sized, NEW_ARRAY, (void *p, size_t n __attribute__((unused))))
OPERATOR_DELETE("_ZdlPvSt11align_val_t", cxx_delete_aligned, NEW, (void *p, size_t a __attribute__((unused))))
OPERATOR_DELETE("_ZdaPvSt11align_val_t", cxx_delete_array_aligned, NEW_ARRAY,
                (void *p, size_t a __attribute__((unused))))
OPERATOR_DELETE("_ZdlPvmSt11align_val_t", cxx_delete_sized_aligned, NEW,
                (void *p, size_t n __attribute__((unused)), size_t a __attribute__((unused))))

/* The definitions here are weak: where the program has its own, these names are the program's functions. */
static bool replaces_operators(void)
{
    const void *const all[] = {(void *)cxx_new, (void *)cxx_new_array, (void *)cxx_new_aligned,
                               (void *)cxx_new_array_aligned, (void *)cxx_delete, (void *)cxx_delete_array,
                               (void *)cxx_delete_sized, (void *)cxx_delete_array_sized, (void *)cxx_delete_aligned,
                               (void *)cxx_delete_array_aligned, (void *)cxx_delete_sized_aligned};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (rt_is_program_code((uintptr_t)all[i])) return true;
    return false;
}

EXPORT size_t malloc_usable_size(void *p)
{
    if (unlikely(rt.alone) && !rt_in_heap((uintptr_t)p)) return rt.usable_size(p);
    struct block *b = p ? block_of(p) : NULL;
    return b ? b->size : 0;
}
