/* Mutexes. The state lives in the program's own pthread_mutex_t: __owner is the holder's number + 1, __count the depth
 * of a recursive one, __kind the type where the static initialisers put it, __lock marks destroyed ones. */
#include "runtime/internal.h"

enum { DESTROYED = 0x64656164, KIND_MASK = 3, ROBUST = 16 };
/* __nusers of a robust one: whether its owner has ended with it, or it was given up after that. */
enum { CONSISTENT, OWNER_DIED, GIVEN_UP };

static int kind_of(const pthread_mutex_t *m) { return m->__data.__kind & KIND_MASK; }
bool rt_mutex_is_free(const pthread_mutex_t *m) { return m->__data.__owner == 0; }
bool rt_mutex_held(const pthread_mutex_t *m) { return rt.active && m->__data.__owner == rt.self->id + 1; }
static bool is_free(const struct thread *t) { return rt_mutex_is_free((const pthread_mutex_t *)t->op.object); }

void rt_held_add(uint64_t object)
{
    struct thread *t = rt.self;
    if (t->held_count == MAX_HELD) rt_die("a thread holds more than 1024 locks");
    assert_costly(object);
    t->held[t->held_count++] = object;
}

void rt_held_remove(uint64_t object)
{
    struct thread *t = rt.self;
    assert_costly(t->held_count <= MAX_HELD);
    for (uint32_t i = t->held_count; i-- > 0;)
        if (t->held[i] == object) {
            memmove(&t->held[i], &t->held[i + 1], (t->held_count - i - 1) * sizeof t->held[0]);
            t->held_count--;
            return;
        }
}

bool rt_is_held(uint64_t object)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        for (uint32_t i = 0; i < t->held_count; i++)
            if (t->held[i] == object) return true;
    }
    return false;
}

void rt_mutex_take(pthread_mutex_t *m)
{
    assert(rt_mutex_is_free(m));
    m->__data.__owner = rt.self->id + 1;
    m->__data.__count = 1;
    rt_held_add((uint64_t)m);
    rt_acquire((uint64_t)m);
    rt_effect();
}

/* To the race detector a thread that uses a mutex writes to it atomically: copying it at the same time is a race. */
static void uses(pthread_mutex_t *m, uintptr_t pc)
{
    rt_object_mark(m, RT_MUTEX, pc);
    if (rt.check_plain) rt_access((uintptr_t)m, sizeof m->__data.__lock, true, true, pc);
}

void rt_mutex_give(pthread_mutex_t *m)
{
    m->__data.__owner = 0;
    m->__data.__count = 0;
    rt_held_remove((uint64_t)m);
    rt_release((uint64_t)m);
    rt_effect();
}

static void refuse_destroyed(const pthread_mutex_t *m, uintptr_t pc, const char *what)
{
    if (likely(m->__data.__lock != DESTROYED)) return;
    rt_find(RT_MISUSE, pc, "%s a mutex that was destroyed", what);
    rt_finding_end();
}

/* After it was taken: what the program has to know. Nobody can take what was given up. */
int rt_mutex_robust_state(pthread_mutex_t *m, uintptr_t pc)
{
    if (likely(!(m->__data.__kind & ROBUST) || m->__data.__nusers == CONSISTENT)) return 0;
    if (m->__data.__nusers == OWNER_DIED) return EOWNERDEAD;
    rt_point_labelled(OP(UNLOCK, .object = (uint64_t)m), NULL, pc, "not recoverable");
    rt_mutex_give(m);
    return ENOTRECOVERABLE;
}

/* A thread ends: its robust mutexes are given back with a mark, other ones stay locked for ever. */
void rt_give_robust_mutexes(void)
{
    struct thread *t = rt.self;
    for (uint32_t i = t->held_count; i-- > 0;) {
        pthread_mutex_t *m = (pthread_mutex_t *)t->held[i];
        if (t->held[i] >> 47 || !rt_mutex_held(m) || !(m->__data.__kind & ROBUST)) continue;
        rt_point_labelled(OP(UNLOCK, .object = (uint64_t)m), NULL, 0, "owner ends");
        m->__data.__nusers = OWNER_DIED;
        rt_mutex_give(m);
    }
}

EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
    if (!(m->__data.__kind & ROBUST) || m->__data.__nusers != OWNER_DIED || !rt_mutex_held(m)) return EINVAL;
    m->__data.__nusers = CONSISTENT;
    return 0;
}

/* A mutex that is locked has the mark of its address, unless its bytes came from another one. Other threads may still
 * set up a mutex there until it is this one's turn. */
static bool is_copy(const pthread_mutex_t *m) { return !rt_mutex_is_free(m) && !rt_object_has_mark(m, RT_MUTEX); }

static void enter(const pthread_mutex_t *m, uintptr_t pc)
{
    rt_object_enter(m, RT_MUTEX, pc);
    if (likely(!is_copy(m))) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, "copied");
    if (!is_copy(m)) return;
    rt_find(RT_MISUSE, pc, "using a copy of a mutex that was locked, or a mutex that was never initialised");
    rt_finding_end();
}

int rt_mutex_lock(pthread_mutex_t *m, uintptr_t pc)
{
    if (unlikely(!rt.active)) return 0;
    enter(m, pc);
    if (unlikely(rt_mutex_held(m))) {
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE) return m->__data.__count++, 0;
        if (kind_of(m) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    }
    rt_point(OP(LOCK, .object = (uint64_t)m), is_free, pc);
    refuse_destroyed(m, pc, "locking");
    rt_mutex_take(m);
    uses(m, pc);
    return rt_mutex_robust_state(m, pc);
}

int rt_mutex_trylock(pthread_mutex_t *m, bool timed, uintptr_t pc)
{
    if (unlikely(!rt.active)) return 0;
    enter(m, pc);
    if (unlikely(rt_mutex_held(m))) {
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE) return m->__data.__count++, 0;
        if (timed && kind_of(m) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
    }
    rt_attempt(pc);
    rt_point_labelled(OP(TRYLOCK, .object = (uint64_t)m), NULL, pc, timed ? "timedlock" : NULL);
    refuse_destroyed(m, pc, "locking");
    if (!rt_mutex_is_free(m)) {
        rt_failed();
        bool given_up = (m->__data.__kind & ROBUST) && m->__data.__nusers == GIVEN_UP; /* somebody else just saw that */
        return given_up ? ENOTRECOVERABLE : timed ? ETIMEDOUT : EBUSY;
    }
    rt.self->failures = 0;
    rt_mutex_take(m);
    uses(m, pc);
    return rt_mutex_robust_state(m, pc);
}

int rt_mutex_unlock(pthread_mutex_t *m, uintptr_t pc)
{
    if (unlikely(!rt.active)) return 0;
    enter(m, pc);
    if (unlikely(!rt_mutex_held(m))) {
        refuse_destroyed(m, pc, "unlocking");
        if (kind_of(m) == PTHREAD_MUTEX_RECURSIVE || kind_of(m) == PTHREAD_MUTEX_ERRORCHECK) return EPERM;
        rt_find(RT_MISUSE, pc,
                rt_mutex_is_free(m) ? "unlocking a mutex that is not locked"
                                    : "unlocking a mutex that another thread holds");
        rt_finding_end();
    }
    if (m->__data.__count > 1) return m->__data.__count--, 0;
    rt_point(OP(UNLOCK, .object = (uint64_t)m), NULL, pc);
    uses(m, pc);
    if (unlikely(m->__data.__nusers == OWNER_DIED) && (m->__data.__kind & ROBUST)) m->__data.__nusers = GIVEN_UP;
    rt_mutex_give(m);
    return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m) { return rt_mutex_lock(m, CALLER); }
EXPORT int pthread_mutex_trylock(pthread_mutex_t *m) { return rt_mutex_trylock(m, false, CALLER); }
EXPORT int pthread_mutex_unlock(pthread_mutex_t *m) { return rt_mutex_unlock(m, CALLER); }

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, rt_mutex_trylock(m, true, CALLER));
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *deadline)
{
    (void)clock;
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    return rt_until(deadline, rt_mutex_trylock(m, true, CALLER));
}

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    int type = PTHREAD_MUTEX_NORMAL;
    int robust = PTHREAD_MUTEX_STALLED;
    rt_call_reads(attr, sizeof *attr, CALLER);
    if (attr) pthread_mutexattr_gettype(attr, &type), pthread_mutexattr_getrobust(attr, &robust);
    rt_object_init(m, RT_MUTEX, 0, CALLER, "mutex init");
    m->__data.__kind = type | (robust == PTHREAD_MUTEX_ROBUST ? ROBUST : 0);
    return 0;
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
    rt_object_destroy(m, RT_MUTEX, CALLER, "mutex destroy");
    refuse_destroyed(m, CALLER, "destroying");
    if (rt.active && !rt_mutex_is_free(m)) {
        rt_find(RT_MISUSE, CALLER, "destroying a mutex that is locked");
        rt_finding_end();
    }
    m->__data.__lock = DESTROYED;
    return 0;
}

/* Spin locks: nobody needs to see the spinning, so they are mutexes without a type. */
static bool is_spin_taken(int state) { return state && state != DESTROYED; }
static bool spin_free(const struct thread *t) { return !is_spin_taken(*(const volatile int *)t->op.object); }

EXPORT int pthread_spin_init(pthread_spinlock_t *s, int shared)
{
    (void)shared;
    rt_object_init((void *)s, RT_NO_OBJECT, 0, CALLER, "spin init");
    *s = 0;
    return 0;
}

EXPORT int pthread_spin_destroy(pthread_spinlock_t *s)
{
    rt_object_destroy((void *)s, RT_NO_OBJECT, CALLER, "spin destroy");
    if (!rt.active) return 0;
    if (is_spin_taken(*s)) {
        rt_find(RT_MISUSE, CALLER, "destroying a spin lock that is locked");
        rt_finding_end();
    }
    *s = DESTROYED;
    return 0;
}

static void uses_spin(pthread_spinlock_t *s, uintptr_t pc)
{
    if (unlikely(*s == DESTROYED)) {
        rt_find(RT_MISUSE, pc, "using a spin lock that was destroyed");
        rt_finding_end();
    }
    if (rt.check_plain) rt_access((uintptr_t)s, sizeof *s, false, true, pc);
}

static void spin_take(pthread_spinlock_t *s)
{
    *s = rt.self->id + 1;
    rt_held_add((uint64_t)s);
    rt_acquire((uint64_t)s);
    rt_effect();
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *s)
{
    if (!rt.active) return 0;
    rt_object_enter((void *)s, RT_NO_OBJECT, CALLER);
    rt_point(OP(LOCK, .object = (uint64_t)s), spin_free, CALLER);
    uses_spin(s, CALLER);
    spin_take(s);
    return 0;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *s)
{
    if (!rt.active) return 0;
    rt_object_enter((void *)s, RT_NO_OBJECT, CALLER);
    rt_attempt(CALLER);
    rt_point(OP(TRYLOCK, .object = (uint64_t)s), NULL, CALLER);
    uses_spin(s, CALLER);
    if (*s) return rt_failed(), EBUSY;
    rt.self->failures = 0;
    spin_take(s);
    return 0;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *s)
{
    if (!rt.active) return 0;
    rt_object_enter((void *)s, RT_NO_OBJECT, CALLER);
    if (*s != rt.self->id + 1) {
        rt_find(RT_MISUSE, CALLER, "unlocking a spin lock that this thread does not hold");
        rt_finding_end();
    }
    rt_point(OP(UNLOCK, .object = (uint64_t)s), NULL, CALLER);
    uses_spin(s, CALLER);
    *s = 0;
    rt_held_remove((uint64_t)s);
    rt_release((uint64_t)s);
    rt_effect();
    return 0;
}
