/* Reader-writer locks. State in the program's pthread_rwlock_t: __readers counts readers, __cur_writer is the writer's
 * number + 1, __writers counts writers that wait, where these hold readers back. Which readers hold it is known from
 * the threads' lists of held locks. */
#include "runtime/internal.h"

static bool no_writer(const pthread_rwlock_t *l) { return l->__data.__cur_writer == 0; }
static bool nobody(const pthread_rwlock_t *l) { return no_writer(l) && l->__data.__readers == 0; }
static bool may_read(const pthread_rwlock_t *l) { return no_writer(l) && !l->__data.__writers; }
static bool can_read(const struct thread *t) { return may_read((const pthread_rwlock_t *)t->op.object); }
static bool can_write(const struct thread *t) { return nobody((const pthread_rwlock_t *)t->op.object); }

/* A reader's release must be seen by writers, but not by other readers: two clocks, one beside the other. */
static uint64_t readers_clock(const pthread_rwlock_t *l) { return (uint64_t)l + 1; }

static void take_read(pthread_rwlock_t *l)
{
    l->__data.__readers++;
    if (unlikely(rt.follows_touches)) rt_audit_read_lock((uint64_t)l);
    rt_held_add((uint64_t)l);
    rt_acquire((uint64_t)l);
    rt_effect();
}

static void take_write(pthread_rwlock_t *l)
{
    l->__data.__cur_writer = rt.self->id + 1;
    rt_held_add((uint64_t)l);
    rt_acquire((uint64_t)l);
    rt_acquire(readers_clock(l));
    rt_effect();
}

/* Only one kind holds readers back: glibc's PREFER_WRITER_NP is the same as PREFER_READER_NP. */
static uint8_t flags_of(const pthread_rwlock_t *l)
{
    return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP ? SCHED_BEHIND : 0;
}

static bool writes_already(const pthread_rwlock_t *l) { return l->__data.__cur_writer == rt.self->id + 1; }

static int read_lock(pthread_rwlock_t *l, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(l, RT_RWLOCK, pc);
    if (writes_already(l)) return EDEADLK;
    rt_point(OP(RDLOCK, .object = (uint64_t)l, .flags = flags_of(l)), can_read, pc);
    take_read(l);
    return 0;
}

static int try_read_lock(pthread_rwlock_t *l, int failure, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(l, RT_RWLOCK, pc);
    rt_attempt(pc);
    rt_point(OP(TRYRDLOCK, .object = (uint64_t)l, .flags = flags_of(l)), NULL, pc);
    if (!may_read(l)) return rt_failed(), failure == ETIMEDOUT && writes_already(l) ? EDEADLK : failure;
    rt.self->failures = 0;
    take_read(l);
    return 0;
}

static int write_lock(pthread_rwlock_t *l, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(l, RT_RWLOCK, pc);
    if (writes_already(l)) return EDEADLK;
    bool waits = flags_of(l);
    if (waits) {
        rt_point(OP(WRWAIT, .object = (uint64_t)l), NULL, pc);
        l->__data.__writers++;
        rt_effect();
    }
    rt_point(OP(WRLOCK, .object = (uint64_t)l, .flags = flags_of(l)), can_write, pc);
    if (waits) l->__data.__writers--;
    take_write(l);
    return 0;
}

static int try_write_lock(pthread_rwlock_t *l, int failure, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(l, RT_RWLOCK, pc);
    rt_attempt(pc);
    rt_point(OP(TRYWRLOCK, .object = (uint64_t)l), NULL, pc);
    if (!nobody(l)) return rt_failed(), failure == ETIMEDOUT && writes_already(l) ? EDEADLK : failure;
    rt.self->failures = 0;
    take_write(l);
    return 0;
}

static bool reads(const pthread_rwlock_t *l)
{
    for (uint32_t i = 0; i < rt.self->held_count; i++)
        if (rt.self->held[i] == (uint64_t)l) return true;
    return false;
}

static int unlock(pthread_rwlock_t *l, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(l, RT_RWLOCK, pc);
    bool writer = writes_already(l);
    if (!writer && !reads(l)) {
        rt_find(RT_MISUSE, pc, "unlocking a reader-writer lock that this thread does not hold");
        rt_finding_end();
    }
    rt_point(writer ? OP(WRUNLOCK, .object = (uint64_t)l) : OP(RDUNLOCK, .object = (uint64_t)l), NULL, pc);
    if (writer) l->__data.__cur_writer = 0;
    else l->__data.__readers--;
    rt_held_remove((uint64_t)l);
    rt_release(writer ? (uint64_t)l : readers_clock(l));
    rt_effect();
    return 0;
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l) { return read_lock(l, CALLER); }
EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l) { return write_lock(l, CALLER); }
EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l) { return try_read_lock(l, EBUSY, CALLER); }
EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l) { return try_write_lock(l, EBUSY, CALLER); }
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l) { return unlock(l, CALLER); }

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, try_read_lock(l, ETIMEDOUT, CALLER));
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, try_write_lock(l, ETIMEDOUT, CALLER));
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *deadline)
{
    (void)clock;
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, try_read_lock(l, ETIMEDOUT, CALLER));
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *deadline)
{
    (void)clock;
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, try_write_lock(l, ETIMEDOUT, CALLER));
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
    int kind = PTHREAD_RWLOCK_DEFAULT_NP;
    rt_call_reads(attr, sizeof *attr, CALLER);
    if (attr) pthread_rwlockattr_getkind_np(attr, &kind);
    rt_object_init(l, RT_RWLOCK, 0, CALLER, "rwlock init");
    l->__data.__flags = (unsigned)kind;
    return 0;
}

EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
    rt_object_destroy(l, RT_RWLOCK, CALLER, "rwlock destroy");
    if (rt.active && !nobody(l)) {
        rt_find(RT_MISUSE, CALLER, "destroying a reader-writer lock that is held");
        rt_finding_end();
    }
    return 0;
}
