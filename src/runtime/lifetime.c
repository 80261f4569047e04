/* Whether the memory that the program is about to access exists: it may be unmapped, in a heap block that was freed, or
 * on the stack or among the thread-local variables of a thread that has ended. Plain accesses, atomic operations and
 * calls on synchronisation objects are all checked here. */
#include "runtime/internal.h"

/* Reads one byte. If that faults, on_fatal() in crash.c continues at rt_peek_failed, and the answer is 0. */
#if defined __x86_64__
__asm__(".text\n.globl rt_peek\n.hidden rt_peek\n.type rt_peek,@function\n"
        "rt_peek:\n    movb (%rdi), %al\n    movl $1, %eax\n    ret\n"
        ".globl rt_peek_failed\n.hidden rt_peek_failed\n"
        "rt_peek_failed:\n    xorl %eax, %eax\n    ret\n.size rt_peek,.-rt_peek\n");
#else
__asm__(".text\n.globl rt_peek\n.hidden rt_peek\n.type rt_peek,%function\n"
        "rt_peek:\n    ldrb w0, [x0]\n    mov w0, #1\n    ret\n"
        ".globl rt_peek_failed\n.hidden rt_peek_failed\n"
        "rt_peek_failed:\n    mov w0, #0\n    ret\n.size rt_peek,.-rt_peek\n");
#endif

/* Whatever other threads do while this one waits for its turn. */
bool rt_stays_readable(uintptr_t address)
{
    return rt_is_static(address) || rt_in_heap(address) || rt_stack_owner(address) >= 0;
}

bool rt_object_is_unmapped(uint64_t object) { return !rt_stays_readable(object) && !rt_peek((const void *)object); }

/* The access faults when it is executed, and not before: until then another thread may map memory there. */
void rt_need_mapped(uintptr_t address, size_t size, uintptr_t pc)
{
    if (likely(rt_peek((const void *)address) && rt_peek((const void *)(address + size - 1)))) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, "bad address");
    if (rt_peek((const void *)address) && rt_peek((const void *)(address + size - 1))) return;
    rt_find_segmentation_fault(address, pc);
    rt_finding_end();
}

static bool is_gone(int owner)
{
    const struct thread *t = &rt.threads[owner];
    return owner >= rt.thread_limit || !t->live || t->finished || t->left_stack;
}

static void note_visit(struct thread *t, uintptr_t address, size_t size)
{
    if (!t->visited_to || address < t->visited_from) t->visited_from = address;
    if (address + size > t->visited_to) t->visited_to = address + size;
}

/* Where the stack of a thread that waits ends, as far as the program uses it: frames of the runtime are below. */
static uintptr_t parked_end(const struct thread *t, uintptr_t address)
{
    struct rt_registers r;
    if (t->call_count && t->calls[t->call_count - 1].frame <= address) return address; /* in a function that it runs */
    rt_registers_parked(t, &r);
    return rt_leave_runtime(&r, t) ? r.sp : (uintptr_t)t->sp;
}

/* Below where a stack is in use now lies what functions left behind that have returned. The running thread has called
 * this function, so that all it uses is above this frame. */
static __attribute__((noinline)) void check_stack(int owner, uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    struct thread *t = &rt.threads[owner];
    const char *what = write ? "write" : "read";
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), sp = t == rt.self ? here : (uintptr_t)t->sp;
    if (likely(t == rt.self && !t->left_stack && address + size > here)) return;
    if (t != rt.self) note_visit(t, address, size);
    assert(owner >= 0 && owner < MAX_THREADS && t->id == owner);
    if (is_gone(owner)) {
        rt_find(RT_MEMORY, pc, "%s of %zu bytes on the stack of a thread that has ended", what, size);
        rt_finding_end();
    }
    if (!rt_on_own_stack(t, (const void *)sp)) return;
    if (address + size > (t == rt.self ? here : parked_end(t, address))) return;
    rt_find(RT_MEMORY, pc, "%s of %zu bytes of a function that has returned", what, size);
    rt_finding_end();
}

/* A number that was given out again belongs to a live thread, with the same memory for its variables. */
static __attribute__((noinline)) void check_thread_local(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    int id;
    FOR_EACH_THREAD(id, rt.created) {
        if (!is_gone(id) || address - rt_thread_locals(&rt.threads[id]) >= rt.locals_size) continue;
        rt_find(RT_MEMORY, pc, "%s of %zu bytes of a thread-local variable of a thread that has ended",
                write ? "write" : "read", size);
        rt_finding_end();
    }
}

void rt_check_lifetime(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (rt_in_heap(address)) rt_heap_check(address, size, write, pc);
    else if (unlikely(!rt.shared)) return;
    else if (unlikely(rt_stack_owner(address) >= 0)) check_stack(rt_stack_owner(address), address, size, write, pc);
    else if (unlikely(set_any(rt.created & ~rt.live))) check_thread_local(address, size, write, pc);
}

/* Of the running thread's stack. Whether it is a step must not depend on whether others were there already. */
static void stack_ends(uintptr_t low, uintptr_t high, uintptr_t pc)
{
    const struct thread *t = rt.self;
    uintptr_t from = low > t->visited_from ? low : t->visited_from, to = high < t->visited_to ? high : t->visited_to;
    if (from < to && rt.check_plain) rt_access_last(from, to - from, true, pc);
}

void rt_frame_ends(uintptr_t low, uintptr_t high, uintptr_t pc)
{
    rt_give_back_point(pc, "return");
    stack_ends(low, high, pc);
}

/* A race with the end of a thread is shown in the function that the thread runs. */
void rt_thread_memory_ends(void)
{
    struct thread *t = rt.self;
    uintptr_t pc = t->start ? (uintptr_t)t->start + 1 : t->calls[0].function;
    if (!rt.shared || !pc) return;
    rt_give_back_point(pc, "end of stack");
    t->left_stack = true;
    stack_ends((uintptr_t)t->stack_low, (uintptr_t)t->stack_high, pc);
    if (rt.check_plain && rt.locals_size) rt_access_last(rt_thread_locals(t), rt.locals_size, true, pc);
}
