/* What kind of synchronisation object lies at an address: a call for another kind is misuse, and so is a call on an
 * object that was destroyed. The mark is in the object itself, in bytes that no kind uses for anything else, so it is
 * restored with all memory and disappears when the program writes a static initialiser there. It depends on the
 * address: memory that is copied or left over has no mark. A spin lock has no room for one. */
#include "runtime/internal.h"

#include <semaphore.h>

enum { DESTROYED = 0x80, KIND = 0x7f };
#define HEAP_FILL 0xbebebebeu
struct marked { char used[20]; uint32_t mark; };
_Static_assert(sizeof(struct marked) <= sizeof(pthread_barrier_t) && sizeof(struct marked) <= sizeof(sem_t), "room");
_Static_assert(offsetof(pthread_mutex_t, __data.__kind) == 16 && offsetof(pthread_rwlock_t, __data.__cur_writer) >= 24,
               "members in use are elsewhere");

static const char *const names[] = {[RT_MUTEX] = "mutex", [RT_COND] = "condition variable",
                                    [RT_RWLOCK] = "reader-writer lock", [RT_SEMAPHORE] = "semaphore",
                                    [RT_BARRIER] = "barrier"};

static const size_t sizes[] = {[RT_MUTEX] = sizeof(pthread_mutex_t), [RT_COND] = sizeof(pthread_cond_t),
                               [RT_RWLOCK] = sizeof(pthread_rwlock_t), [RT_SEMAPHORE] = sizeof(sem_t),
                               [RT_BARRIER] = sizeof(pthread_barrier_t)};

static uint32_t mark_of(const void *object)
{
    uint64_t mixed = (uint64_t)object * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(mixed >> 32) & ~0xffu;
}

static uint32_t kind_at(const void *object)
{
    uint32_t mark = ((const struct marked *)object)->mark;
    return (mark & ~0xffu) == mark_of(object) && (mark & KIND) < ARRAY_LEN(names) ? mark & 0xff : RT_NO_OBJECT;
}

static void set_kind(void *object, uint32_t kind) { ((struct marked *)object)->mark = mark_of(object) | kind; }

/* For an object that the runtime makes itself. */
void rt_object_name(void *object, enum rt_object kind) { set_kind(object, kind); }

/* Semaphores and barriers have no static initialiser: one without a mark was not set up, or is a copy of another one.
 * Zeros are a semaphore to the C library. Of the others only memory of the heap that was never written to is known to
 * be none. */
static void refuse_unknown(const void *object, enum rt_object kind, uintptr_t pc)
{
    uint32_t mark = ((const struct marked *)object)->mark;
    bool is_known = kind == RT_BARRIER ? false : kind == RT_SEMAPHORE ? mark == 0 : mark != HEAP_FILL;
    if (kind_at(object) || is_known) return;
    rt_find(RT_MISUSE, pc, "using a %s that was not initialised, or is a copy of another one", names[kind]);
    rt_finding_end();
}

/* A mutex that was destroyed is refused in mutex.c, which says what the call does. */
static void refuse_other(const void *object, enum rt_object kind, uintptr_t pc)
{
    uint32_t is = kind_at(object);
    if (!is || is == kind || (kind == RT_MUTEX && is == (RT_MUTEX | DESTROYED))) return;
    if (is & DESTROYED) rt_find(RT_MISUSE, pc, "using a %s that was destroyed", names[is & KIND]);
    else rt_find(RT_MISUSE, pc, "using a %s as a %s", names[is], names[kind]);
    rt_finding_end();
}

/* A thread must not wait for ever for something that is no object, so it is looked at before. Other threads may still
 * set up an object there until it is this one's turn. */
void rt_object_enter(const void *object, enum rt_object kind, uintptr_t pc)
{
    if (unlikely(!rt.active)) return;
    rt_need_readable((uintptr_t)object, kind ? sizeof(struct marked) : sizeof(int), pc);
    rt_check_memory((uintptr_t)object, 1, true, pc);
    uint32_t is = kind ? kind_at(object) : RT_NO_OBJECT;
    if (likely(!is || is == kind || is & DESTROYED)) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, "wrong kind");
    refuse_other(object, kind, pc);
}

bool rt_object_has_mark(const void *object, enum rt_object kind)
{
    return (kind_at(object) & KIND) == (uint32_t)kind;
}

static enum rt_object kind_of(const struct sched_op *op)
{
    switch (op->kind) {
    case SCHED_RDLOCK: case SCHED_TRYRDLOCK: case SCHED_RDUNLOCK: case SCHED_WRLOCK: case SCHED_TRYWRLOCK:
    case SCHED_WRUNLOCK: case SCHED_WRWAIT: return RT_RWLOCK;
    case SCHED_COND_WAIT: case SCHED_SIGNAL: case SCHED_BROADCAST: return RT_COND;
    case SCHED_SEM_WAIT: case SCHED_SEM_TRYWAIT: case SCHED_SEM_POST: case SCHED_SEM_READ: return RT_SEMAPHORE;
    case SCHED_BARRIER: return RT_BARRIER;
    default: return RT_NO_OBJECT;
    }
}

/* An object that was set up statically has no mark before its first use. Then another thread may be about to use it as
 * another kind, and the strategies could not tell what is possible. */
static void refuse_waiting(const void *object, enum rt_object kind, uintptr_t pc)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct sched_op *op = &rt.threads[id].op;
        if (&rt.threads[id] == rt.self || op->object != (uint64_t)object) continue;
        enum rt_object other = op->kind == SCHED_LOCK || op->kind == SCHED_TRYLOCK ? RT_MUTEX : kind_of(op);
        if (!other || other == kind) continue;
        rt_find(RT_MISUSE, pc, "using a %s as a %s", names[other], names[kind]);
        rt_finding_end();
    }
}

void rt_object_mark(void *object, enum rt_object kind, uintptr_t pc)
{
    refuse_other(object, kind, pc);
    if (kind_at(object) == kind) return;
    refuse_unknown(object, kind, pc);
    set_kind(object, kind);
    refuse_waiting(object, kind, pc);
}

/* Objects that are used have to exist. Not so those that a thread only has to leave: a condition variable may be freed
 * once its waiters were woken, and a barrier once all have arrived. To the race detector a use of one writes to it
 * atomically, so that copying it at the same time is a race. */
void rt_memory_object_used(const struct sched_op *op, uintptr_t pc)
{
    rt_check_memory(op->object, 1, true, pc);
    enum rt_object kind = kind_of(op);
    if (!kind) return;
    rt_object_mark((void *)op->object, kind, pc);
    if (rt.check_plain) rt_access(op->object, sizeof(int), true, true, pc);
}

static bool is_in_use(const void *object, uint32_t is)
{
    switch (is) {
    case RT_MUTEX:
    case RT_RWLOCK: return rt_is_held((uint64_t)object);
    case RT_COND: return set_any(rt_waiting_on(object));
    case RT_BARRIER: return rt_barrier_is_waited_for(object) || rt_stack_owner((uintptr_t)object) < 0;
    default: return false;
    }
}

/* To set up a barrier again that was not destroyed is misuse in any case; on a stack it may be another one. */
static void refuse_used(const void *object, uintptr_t pc)
{
    uint32_t is = kind_at(object);
    if (!rt.active || !is_in_use(object, is)) return;
    if (is == RT_MUTEX) rt_find(RT_MISUSE, pc, "initialising a mutex that is locked");
    else rt_find(RT_MISUSE, pc, "initialising a %s that is in use", names[is]);
    rt_finding_end();
}

/* A step, unless there never was another thread. */
static void changes(const void *object, int64_t value, uintptr_t pc, const char *label)
{
    if (!rt.active) return;
    if (rt.self->id || rt.self->children) {
        rt_point_labelled(OP(INIT, .object = (uint64_t)object, .value = value), NULL, pc, label);
        rt_effect();
    }
    rt_check_memory((uint64_t)object, 1, true, pc);
    if (rt.check_plain) rt_access((uintptr_t)object, sizeof(int), true, false, pc);
}

void rt_object_init(void *object, enum rt_object kind, int64_t value, uintptr_t pc, const char *label)
{
    if (rt.active) rt_need_readable((uintptr_t)object, kind ? sizeof(struct marked) : sizeof(int), pc);
    changes(object, value, pc, label);
    if (!kind) return;
    refuse_used(object, pc);
    memset(object, 0, sizes[kind]);
    set_kind(object, kind);
}

void rt_object_destroy(void *object, enum rt_object kind, uintptr_t pc, const char *label)
{
    rt_object_enter(object, kind, pc);
    changes(object, 0, pc, label);
    if (!kind || !rt.active) return;
    refuse_other(object, kind, pc);
    set_kind(object, kind | DESTROYED);
}
