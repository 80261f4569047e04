/* Condition variables. Who waits is known from the threads' pending operations; nothing is stored in the object. To the
 * race detector a signal orders nothing: a waiter may wake up without one, what orders is the mutex. */
#include "runtime/internal.h"

sched_set rt_waiting_on(const void *cond)
{
    sched_set mask = SET_NONE;
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        if (t->op.kind == SCHED_COND_RESUME && t->op.object == (uint64_t)cond && !t->woken) mask |= set_of(t->id);
    }
    return mask;
}

static bool can_resume(const struct thread *t)
{
    const pthread_mutex_t *m = (const pthread_mutex_t *)t->op.object2;
    return (t->woken || (t->op.flags & SCHED_TIMED)) && (!m || rt_mutex_is_free(m));
}

static bool can_lock(const struct thread *t) { return rt_mutex_is_free((const pthread_mutex_t *)t->op.object); }

static int signal_one(pthread_cond_t *c, uintptr_t pc);

/* Stops waiting: woken or not. A time-out is a step that the strategy may choose like any other. Time may be up for a
 * thread while another one has the mutex: it gets the mutex later, and is not there for a signal sent in between. */
static bool resume(pthread_cond_t *c, pthread_mutex_t *m, bool timed, bool keeps, uintptr_t pc)
{
    struct thread *self = rt.self;
    uint64_t takes = timed || keeps ? 0 : (uint64_t)m;
    uint8_t flags = timed ? SCHED_TIMED : 0;
    self->woken = false;
    rt_point(OP(COND_RESUME, .object = (uint64_t)c, .object2 = takes, .flags = flags), can_resume, pc);
    bool woken = self->woken;
    if (!woken) rt_failed();
    else self->failures = 0;
    if (!takes && !keeps) { /* cleanup handlers run with the mutex: nobody is cancelled before he has it */
        bool cancels = rt_must_cancel(self);
        self->at_cancellation_point = false;
        rt_point(OP(LOCK, .object = (uint64_t)m), can_lock, pc);
        self->at_cancellation_point = cancels;
    }
    return woken;
}

/* Who was signalled, and cancelled, has been signalled, or lets somebody else have the signal and is cancelled. */
static void decide_about_signal(pthread_cond_t *c, uintptr_t pc)
{
    rt.self->at_cancellation_point = false;
    bool passes_on = rt_point_labelled(OP(CHOOSE, .count = 2), NULL, pc, NULL);
    if (passes_on) signal_one(c, pc);
    rt.self->at_cancellation_point = passes_on;
}

/* A wait that returns without a signal gives the mutex away and takes it again. Whether the thread is among those that
 * wait in between makes no difference: a signal that it gets is no spurious wake-up. */
static void wake_up_at_once(pthread_mutex_t *m, bool keeps, uintptr_t pc)
{
    bool cancels = rt.self->at_cancellation_point;
    if (keeps) return;
    rt_point(OP(UNLOCK, .object = (uint64_t)m), NULL, pc);
    rt_mutex_give(m);
    rt.self->at_cancellation_point = false;
    rt_point(OP(LOCK, .object = (uint64_t)m), can_lock, pc);
    rt.self->at_cancellation_point = cancels;
    rt_mutex_take(m);
}

/* Threads that wait at the same time have to have one mutex. */
static void refuse_other_mutex(const pthread_cond_t *c, const pthread_mutex_t *m, uintptr_t pc)
{
    int id;
    FOR_EACH_THREAD(id, rt_waiting_on(c)) {
        if (!rt.threads[id].waits_with || rt.threads[id].waits_with == m) continue;
        rt_find(RT_MISUSE, pc, "waiting on a condition variable on which a thread waits with another mutex");
        rt_finding_end();
    }
    rt.self->waits_with = m;
}

/* Returns whether it was woken. */
static bool wait_for_signal(pthread_cond_t *c, pthread_mutex_t *m, bool timed, bool keeps, uintptr_t pc)
{
    rt_point_labelled(OP(COND_WAIT, .object = (uint64_t)c, .object2 = keeps ? 0 : (uint64_t)m), NULL, pc,
                      timed ? "timedwait" : NULL);
    refuse_other_mutex(c, m, pc);
    if (!keeps) rt_mutex_give(m);
    bool woken = resume(c, m, timed, keeps, pc);
    if (!keeps) rt_mutex_take(m);
    return woken;
}

int rt_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, bool timed, uint64_t deadline, uintptr_t pc)
{
    if (!rt.active) return rt_wait_before_main(), 0;
    rt_object_enter(c, RT_COND, pc);
    rt_object_enter(m, RT_MUTEX, pc);
    if (!rt_mutex_held(m)) {
        rt_find(RT_MISUSE, pc, "waiting on a condition variable without holding its mutex");
        rt_finding_end();
    }
    unsigned depth = m->__data.__count;
    bool keeps = depth > 1; /* a recursive mutex is unlocked once */
    if (timed) rt_attempt(pc);
    rt_cancellation_point(true);
    bool spurious = rt_happens_spuriously(pc, NULL, true), woken = false;
    if (spurious) wake_up_at_once(m, keeps, pc);
    else woken = wait_for_signal(c, m, timed, keeps, pc);
    m->__data.__count = depth;
    int robust = rt_mutex_robust_state(m, pc);
    if (woken && rt_must_cancel(rt.self)) decide_about_signal(c, pc);
    rt_check_signals(); /* with the mutex held, in cleanup handlers too */
    rt_cancellation_point(false);
    if (woken || spurious || !timed) return robust;
    if (rt.time < deadline) rt.time = deadline;
    return robust ? robust : ETIMEDOUT;
}

static uint64_t in_nanoseconds(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * 1000000000ull + (uint64_t)t->tv_nsec;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) { return rt_cond_wait(c, m, false, 0, CALLER); }

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *deadline)
{
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    if (!rt_is_time(deadline)) return EINVAL;
    return rt_cond_wait(c, m, true, in_nanoseconds(deadline), CALLER);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                  const struct timespec *deadline)
{
    (void)clock;
    rt_call_reads(deadline, sizeof *deadline, CALLER);
    if (!rt_is_time(deadline)) return EINVAL;
    return rt_cond_wait(c, m, true, in_nanoseconds(deadline), CALLER);
}

static void wake(sched_set mask)
{
    assert(!set_any(mask & ~rt.live) && !set_has(mask, rt.self->id));
    rt.outcome.woken = mask;
    int id;
    FOR_EACH_THREAD(id, mask) rt.threads[id].woken = true;
}

static sched_set nth_of(sched_set threads, uint32_t n)
{
    while (n--) threads &= ~set_lowest(threads);
    return set_lowest(threads);
}

static int signal_one(pthread_cond_t *c, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(c, RT_COND, pc);
    uint32_t waiting = (uint32_t)set_count(rt_waiting_on(c));
    uint32_t which = rt_point(OP(SIGNAL, .object = (uint64_t)c, .count = waiting), NULL, pc);
    assert_costly(!which || which < (uint32_t)set_count(rt_waiting_on(c)));
    rt_effect();
    wake(nth_of(rt_waiting_on(c), which));
    return 0;
}

static int signal_all(pthread_cond_t *c, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_object_enter(c, RT_COND, pc);
    rt_point(OP(BROADCAST, .object = (uint64_t)c), NULL, pc);
    rt_effect();
    wake(rt_waiting_on(c));
    return 0;
}

EXPORT int pthread_cond_signal(pthread_cond_t *c) { return signal_one(c, CALLER); }
EXPORT int pthread_cond_broadcast(pthread_cond_t *c) { return signal_all(c, CALLER); }

EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr)
{
    rt_call_reads(attr, sizeof *attr, CALLER);
    rt_object_init(c, RT_COND, 0, CALLER, "cond init");
    return 0;
}

EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
    rt_object_destroy(c, RT_COND, CALLER, "cond destroy");
    if (rt.active && set_any(rt_waiting_on(c))) {
        rt_find(RT_MISUSE, CALLER, "destroying a condition variable on which a thread waits");
        rt_finding_end();
    }
    return 0;
}
