/* Things done once: pthread_once, and the guards of C++ static local variables. To the strategies each is a mutex that
 * is held while the initialisation runs. */
#include "runtime/internal.h"

enum { NEW = 0, DONE = 2 };

static bool nobody_at_it(const struct thread *t) { return *rt_sync_owner(t->op.object) == 0; }

static void enter(uint64_t object, uintptr_t pc, const char *label)
{
    rt_point_labelled(OP(LOCK, .object = object), nobody_at_it, pc, label);
    *rt_sync_owner(object) = rt.self->id + 1;
    rt_held_add(object);
    rt_acquire(object);
    rt_effect();
}

/* Only who did the initialisation is seen by those that come later: not who came and found it done. */
static void leave(uint64_t object, bool did_it, uintptr_t pc, const char *label)
{
    rt_point_labelled(OP(UNLOCK, .object = object), NULL, pc, label);
    *rt_sync_owner(object) = 0;
    rt_held_remove(object);
    if (did_it) rt_release(object);
    rt_effect();
}

static void leave_once(uint64_t object, bool did_it, uintptr_t pc) { leave(object, did_it, pc, "once done"); }

static void begin_run(uint64_t object, uintptr_t pc, uintptr_t frame)
{
    struct thread *self = rt.self;
    if (self->once_count < ARRAY_LEN(self->once))
        self->once[self->once_count++] = (struct once_run){object, pc, frame};
}

static void end_run(uint64_t object)
{
    struct thread *self = rt.self;
    if (self->once_count && self->once[self->once_count - 1].object == object) self->once_count--;
}

int rt_once(pthread_once_t *once, void (*routine)(void), uintptr_t pc)
{
    volatile int *state = once;
    uint64_t object = (uint64_t)once;
    if (rt.active) enter(object, pc, "once");
    if (rt.active && rt.check_plain) rt_access(object, sizeof *once, true, true, pc);
    bool fresh = *state == NEW;
    if (fresh) {
        if (rt.active) begin_run(object, pc, (uintptr_t)__builtin_frame_address(0));
        routine();
        if (rt.active) end_run(object);
        *state = DONE;
    }
    if (rt.active) leave_once(object, fresh, pc);
    return 0;
}

/* An exception is caught: what was left by it half way is given up, and whoever comes next tries again. */
void *__cxa_begin_catch(void *exception);
EXPORT void *__cxa_begin_catch(void *exception)
{
    struct thread *self = rt.active ? rt.self : NULL;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    while (self && self->once_count && self->once[self->once_count - 1].frame <= here) {
        struct once_run run = self->once[--self->once_count];
        leave_once(run.object, true, run.pc);
    }
    return REAL(__cxa_begin_catch)(exception);
}

void rt_once_give_up(void)
{
    while (rt.self->once_count) {
        struct once_run run = rt.self->once[--rt.self->once_count];
        leave_once(run.object, true, run.pc);
    }
}

EXPORT int pthread_once(pthread_once_t *once, void (*routine)(void)) { return rt_once(once, routine, CALLER); }

/* The C++ ABI's guard: byte 0 says initialised. The compiler reads it before it calls. */
int __cxa_guard_acquire(char *guard);
void __cxa_guard_release(char *guard);
void __cxa_guard_abort(char *guard);

EXPORT int __cxa_guard_acquire(char *guard)
{
    volatile char *state = guard;
    if (!rt.active) return !*state;
    enter((uint64_t)guard, CALLER, "static init");
    if (!*state) return 1;
    leave((uint64_t)guard, false, CALLER, "static init done");
    return 0;
}

static void guard_leave(char *guard, bool initialised, uintptr_t pc)
{
    if (rt.active) rt_point_labelled(OP(WRITE, .object = (uint64_t)guard, .count = 1), NULL, pc, "static init set");
    rt_release((uint64_t)guard); /* the fast path sees the byte before the guard is left */
    *guard = initialised;
    if (!rt.active) return;
    rt_memory_changed((uintptr_t)guard, 1);
    leave((uint64_t)guard, true, pc, "static init done");
}

EXPORT void __cxa_guard_release(char *guard) { guard_leave(guard, true, CALLER); }
EXPORT void __cxa_guard_abort(char *guard) { guard_leave(guard, false, CALLER); }
