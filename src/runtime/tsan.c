/* The calls that gcc and clang emit with -fsanitize=thread for plain memory accesses, functions and C++ objects. */
#include "runtime/internal.h"


#define ACCESS(name, size, write) \
    void __tsan_##name(void *a); \
    EXPORT void __tsan_##name(void *a) { rt_plain((uintptr_t)a, size, write, CALLER); }
#define ACCESS_PC(name, size, write) \
    void __tsan_##name##_pc(void *a, void *pc); \
    EXPORT void __tsan_##name##_pc(void *a, void *pc) { rt_plain((uintptr_t)a, size, write, (uintptr_t)pc); }
#define VOLATILE(name, size, write) \
    void __tsan_##name(void *a); \
    EXPORT void __tsan_##name(void *a) \
    { \
        if (rt.volatile_is_atomic) rt_volatile((uintptr_t)a, size, write, CALLER); \
        else rt_plain((uintptr_t)a, size, write, CALLER); \
    }
/* A compound access (x++ seen as one by clang) is a read and then a write. */
#define READ_WRITE(name, size) \
    void __tsan_##name(void *a); \
    EXPORT void __tsan_##name(void *a) \
    { \
        rt_plain((uintptr_t)a, size, false, CALLER); \
        rt_plain((uintptr_t)a, size, true, CALLER); \
    }
#define SIZES(X, prefix, write) \
    X(prefix##1, 1, write) X(prefix##2, 2, write) X(prefix##4, 4, write) X(prefix##8, 8, write) X(prefix##16, 16, write)

SIZES(ACCESS, read, false)
SIZES(ACCESS, write, true)
SIZES(ACCESS_PC, read, false)
SIZES(ACCESS_PC, write, true)
SIZES(ACCESS, unaligned_read, false)
SIZES(ACCESS, unaligned_write, true)
SIZES(VOLATILE, volatile_read, false)
SIZES(VOLATILE, volatile_write, true)
SIZES(VOLATILE, unaligned_volatile_read, false)
SIZES(VOLATILE, unaligned_volatile_write, true)
READ_WRITE(read_write1, 1)
READ_WRITE(read_write2, 2)
READ_WRITE(read_write4, 4)
READ_WRITE(read_write8, 8)
READ_WRITE(read_write16, 16)
READ_WRITE(unaligned_read_write1, 1)
READ_WRITE(unaligned_read_write2, 2)
READ_WRITE(unaligned_read_write4, 4)
READ_WRITE(unaligned_read_write8, 8)
READ_WRITE(unaligned_read_write16, 16)

void __tsan_init(void);
void __tsan_read_range(void *a, unsigned long size);
void __tsan_write_range(void *a, unsigned long size);
void __tsan_read_range_pc(void *a, unsigned long size, void *pc);
void __tsan_write_range_pc(void *a, unsigned long size, void *pc);
void __tsan_vptr_read(void **vptr);
void __tsan_vptr_update(void **vptr, void *value);
void __tsan_func_entry(void *pc);
void __tsan_func_exit(void);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);

EXPORT void __tsan_init(void) {}
EXPORT void __tsan_read_range(void *a, unsigned long size) { rt_range((uintptr_t)a, size, false, CALLER); }
EXPORT void __tsan_write_range(void *a, unsigned long size) { rt_range((uintptr_t)a, size, true, CALLER); }
EXPORT void __tsan_read_range_pc(void *a, unsigned long n, void *pc)
{
    rt_range((uintptr_t)a, n, false, (uintptr_t)pc);
}
EXPORT void __tsan_write_range_pc(void *a, unsigned long n, void *pc)
{
    rt_range((uintptr_t)a, n, true, (uintptr_t)pc);
}
EXPORT void __tsan_vptr_read(void **vptr) { rt_plain((uintptr_t)vptr, sizeof *vptr, false, CALLER); }

/* Destructors write the same pointer again; that alone is no race. */
EXPORT void __tsan_vptr_update(void **vptr, void *value)
{
    if (*vptr != value) rt_plain((uintptr_t)vptr, sizeof *vptr, true, CALLER);
}

/* Frames below the one that calls are gone, whether they said so or were left by longjmp. */
static void drop_dead_frames(struct thread *t, uintptr_t frame)
{
    while (t->call_count && t->calls[t->call_count - 1].frame <= frame) t->call_count--;
}

/* Functions named __VERIFIER_atomic_... are atomic sections as a whole; heddle has looked up where they are. */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static inline bool is_atomic_function(uintptr_t pc)
{
    return rt.shared && unlikely(rt.shared->atomic_functions.count) && rt_is_in(&rt.shared->atomic_functions, pc);
}

/* Nothing protects what lies below a stack whose place or size the program chose, and a large frame passes over the
 * pages that protect the others, into the stack of another thread. A thread may also run on a stack of the program. */
static void check_stack(const struct thread *t, uintptr_t frame, uintptr_t pc)
{
    uintptr_t high = (uintptr_t)(t->given_high ? t->given_high : t->stack_high);
    uintptr_t low = t->given_high ? (uintptr_t)t->given_low : t->floor;
    bool is_there = t->given_high ? frame >= low - PAGE : rt_stack_owner(frame) >= 0;
    if (!is_there) return;
    rt_find(RT_CRASH, pc, "stack overflow: the thread was given %zu bytes", (size_t)(high - low));
    rt_finding_end();
}

EXPORT void __tsan_func_entry(void *pc)
{
    if (unlikely(!rt.active)) return;
    struct thread *t = rt.self;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (unlikely(t->makes_ready)) rt_ready_acquire();
    if (unlikely(rt.audits_call)) rt_audit_entered((uintptr_t)pc, frame);
    drop_dead_frames(t, frame);
    rt_note_depth(t, frame);
    if (unlikely(frame < t->floor)) check_stack(t, frame, (uintptr_t)pc);
    if (likely(t->call_count < MAX_CALLS))
        t->calls[t->call_count++] = (struct call){(uintptr_t)pc, frame, CALLER, *(uintptr_t *)frame};
    if (is_atomic_function(CALLER)) __VERIFIER_atomic_begin();
}

/* Others may have pointers into the frame that ends here: from its frame pointer, which is that of its entry, down to
 * this function. */
static void end_frame(struct thread *t, uintptr_t here, uintptr_t frame_pointer, uintptr_t pc)
{
    while (t->call_count && t->calls[t->call_count - 1].frame < here) t->call_count--;
    if (!t->call_count) return;
    const struct call *c = &t->calls[t->call_count - 1];
    if (c->frame_pointer != frame_pointer) return;
    bool is_inner = t->call_count > 1 && c[-1].frame < frame_pointer; /* it has no frame pointer of its own */
    rt_frame_ends(here, is_inner ? c[-1].frame : frame_pointer, pc);
}

EXPORT void __tsan_func_exit(void)
{
    if (unlikely(!rt.active)) return;
    struct thread *t = rt.self;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (is_atomic_function(CALLER)) __VERIFIER_atomic_end();
    if (unlikely(t->visited_to || (rt.shared && rt.shared->hot_in_use)))
        end_frame(t, here, *(const uintptr_t *)here, CALLER);
    drop_dead_frames(t, here);
}

EXPORT void __tsan_ignore_thread_begin(void) {}
EXPORT void __tsan_ignore_thread_end(void) {}
