/* What an address without a global name belongs to, when recording: a block and the pointers to it, a frame of a stack,
 * a thread's own variables. Heddle makes names of it. */
#include "runtime/internal.h"

#include <sys/auxv.h>

/* The call whose frame holds the address: the innermost one that began above it. With frame pointers, which programs
 * under test are built with, the frame of the function that called __tsan_func_entry is found from there. */
static bool stack_home(uintptr_t address, struct rt_home *out)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        if (address < (uintptr_t)t->stack_low || address >= (uintptr_t)t->stack_high) continue;
        for (uint32_t i = t->call_count; i-- > 0;) {
            if (t->calls[i].frame <= address && i > 0 && t->calls[i - 1].frame <= address) continue;
            *out = (struct rt_home){.kind = RT_HOME_STACK,
                                    .address = address,
                                    .pc = t->calls[i].function,
                                    .thread = t->id,
                                    .offset = (int64_t)(address - (t->calls[i].frame_pointer + 16))};
            return true;
        }
    }
    return false;
}

static const ElfW(Phdr) *thread_locals(void)
{
    const ElfW(Phdr) *headers = (const void *)getauxval(AT_PHDR);
    for (size_t i = 0; headers && i < getauxval(AT_PHNUM); i++)
        if (headers[i].p_type == PT_TLS) return &headers[i];
    return NULL;
}

/* The program's own thread-local variables begin before the thread pointer (x86-64), or behind what the C library has
 * there. */
void rt_locals_init(void)
{
    const ElfW(Phdr) *tls = thread_locals();
    if (!tls) return;
    rt.locals_size = tls->p_memsz;
#if defined __x86_64__
    uintptr_t align = tls->p_align ? tls->p_align : 1, first = tls->p_vaddr & (align - 1);
    rt.locals_offset = -(intptr_t)(((tls->p_memsz - first + align - 1) & ~(align - 1)) + first);
#else
    rt.locals_offset = (intptr_t)(tls->p_align > 16 ? tls->p_align : 16);
#endif
}

static bool thread_local_home(uintptr_t address, struct rt_home *out)
{
    int id;
    FOR_EACH_THREAD(id, rt.created | set_of(0)) {
        uintptr_t low = rt_thread_locals(&rt.threads[id]);
        if (address - low >= rt.locals_size) continue;
        *out = (struct rt_home){
            .kind = RT_HOME_THREAD, .address = address, .thread = id, .offset = (int64_t)(address - low)};
        return true;
    }
    return false;
}

/* From above: on a stack the oldest ones come first, which the program knows best. */
static void find_pointers(struct rt_home *home, uintptr_t block, const void *low, const void *high, size_t most)
{
    size_t found = 0;
    while (found < RT_POINTERS && home->pointers[found].at) found++;
    for (const uintptr_t *p = high; p-- > (const uintptr_t *)low && found < most;) {
        bool inside = *p == block + RT_SHARED_OBJECT && home->offset >= RT_SHARED_OBJECT;
        if (*p == block || inside) home->pointers[found++] = (struct rt_pointer){(uint64_t)p, *p - block};
    }
}

/* A block is best called by a pointer to it: a global one, one on a stack, or one in another block. */
static void find_all_pointers(struct rt_home *home)
{
    extern char __data_start[], _end[];
    enum { MOST_HEAP = 1 << 22 };
    uintptr_t block = home->address - (uintptr_t)home->offset;
    if (home->size >= sizeof home->first) home->first = *(const uint64_t *)block;
    const char *low = (const char *)(((uintptr_t)__data_start + 7) & ~7ul), *top = rt.heap.top;
    find_pointers(home, block, low, &rt, 2);
    find_pointers(home, block, &rt + 1, (const void *)((uintptr_t)_end & ~7ul), 2);
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        const char *own = (const char *)(rt_thread_locals(t) & ~7ul);
        if (rt.locals_size) find_pointers(home, block, own, own + (rt.locals_size & ~7ul), 4);
        if (t->frame >= (uintptr_t)t->stack_low && t->frame < (uintptr_t)t->stack_high)
            find_pointers(home, block, (const void *)(t->frame & ~7ul), t->stack_high, RT_POINTERS - 1);
    }
    if (top - rt.heap.base < MOST_HEAP) find_pointers(home, block, rt.heap.base, top, RT_POINTERS);
}

static void record_home(uintptr_t address, int depth)
{
    struct rt_shared *s = rt.shared;
    enum { DEEPEST = 4 };
    struct rt_home home;
    if (s->home_count == RT_MAX_HOMES || address < PAGE || address >> 47 || depth > DEEPEST) return;
    for (uint32_t i = 0; i < s->home_count; i++)
        if (s->homes[i].address == address) return;
    if (!rt_heap_home(address, &home) && !stack_home(address, &home) && !thread_local_home(address, &home)) return;
    uint32_t at = s->home_count++;
    if (home.kind == RT_HOME_HEAP) find_all_pointers(&home);
    s->homes[at] = home;
    for (size_t i = 0; i < RT_POINTERS && home.pointers[i].at; i++) record_home(home.pointers[i].at, depth + 1);
}

void rt_record_home(uintptr_t address) { record_home(address, 0); }
