/* Barriers. Their state is in the program's pthread_barrier_t. The pending operations show which threads have arrived.
 *
 * POSIX does not say which thread of a round is the serial one. Here it is the first one that leaves. So the order of
 * arrivals makes no difference, and any thread can be the serial one. */
#include "runtime/internal.h"

struct state {
    uint32_t needed, arrived;
};
static struct state *state_of(pthread_barrier_t *b) { return (struct state *)b; }
bool rt_barrier_is_waited_for(const void *b) { return ((const struct state *)b)->arrived; }
static bool was_released(const struct thread *t) { return t->woken; }

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned count)
{
    rt_call_reads(attr, sizeof *attr, CALLER);
    if (count == 0) return EINVAL;
    rt_object_init(b, RT_BARRIER, 0, CALLER, "barrier init"); /* no thread has arrived */
    state_of(b)->needed = count;
    return 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    rt_object_destroy(b, RT_BARRIER, CALLER, "barrier destroy");
    if (state_of(b)->arrived) {
        rt_find(RT_MISUSE, CALLER, "destroying a barrier at which a thread waits");
        rt_finding_end();
    }
    return 0;
}

/* In weak memory CB-POR names a step by its operation, which says what it will find. */
static void set_serial(struct thread *t, int round)
{
    t->may_be_serial = round;
    if (!rt.weak.on || t->op.kind != SCHED_BARRIER_LEAVE) return;
    t->op.flags = round ? SCHED_FITS : 0;
    rt.view.next[t->id] = t->op;
}

/* The lowest thread of a round names it. That is unique: a thread is in no other round before it leaves this one. */
static void release_all(pthread_barrier_t *b)
{
    sched_set round = set_of(rt.self->id);
    bool asks = rt.self->asks_serial;
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        if (t->op.kind != SCHED_BARRIER_LEAVE || t->op.object != (uint64_t)b || t->woken) continue;
        round |= set_of(id);
        asks |= t->asks_serial;
    }
    FOR_EACH_THREAD(id, round) {
        rt.threads[id].woken = true;
        rt.threads[id].asks_serial = asks;
        set_serial(&rt.threads[id], asks ? 1 + set_first(round) : 0);
    }
    state_of(b)->arrived = 0;
    rt_release_round((uint64_t)b, round);
    if (unlikely(rt.recording)) rt_record_wakes(round);
}

/* The first thread that leaves is the serial one. A round has none if all its threads ignore the result. */
static int leave(struct thread *self)
{
    int round = self->may_be_serial, id;
    rt.outcome.failed = self->asks_serial && !round;
    FOR_EACH_THREAD(id, rt.live)
        if (round && rt.threads[id].may_be_serial == round) set_serial(&rt.threads[id], 0);
    self->asks_serial = false;
    return round ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* With --local-states arrivals do not commute: a local state is identified by its history, which orders them. */
static uint8_t flags_of(uintptr_t pc)
{
    bool commutes = !rt.shared->rounds_overlap && !rt.shared->config.locals;
    return (commutes ? SCHED_ROUNDS : 0) | (rt_result_is_ignored(pc) ? 0 : SCHED_ASKS);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!rt.active) return 0;
    rt_object_enter(b, RT_BARRIER, CALLER);
    int64_t needed = state_of(b)->needed;
    uint8_t flags = flags_of(CALLER);
    rt_point(OP(BARRIER, .object = (uint64_t)b, .value = needed, .flags = flags), NULL, CALLER);
    if (!state_of(b)->needed) {
        rt_find(RT_MISUSE, CALLER, "waiting at a barrier that was never initialised");
        rt_finding_end();
    }
    rt_release((uint64_t)b);
    rt_effect();
    rt.self->woken = false;
    rt.self->asks_serial = needed > 1 && (flags & SCHED_ASKS);
    rt.self->may_be_serial = 0;
    if (++state_of(b)->arrived == state_of(b)->needed) release_all(b);
    flags = rt.weak.on && rt.self->may_be_serial ? SCHED_FITS : 0;
    rt_point(OP(BARRIER_LEAVE, .object = (uint64_t)b, .value = needed, .flags = flags), was_released, CALLER);
    int result = needed > 1 ? leave(rt.self) : PTHREAD_BARRIER_SERIAL_THREAD;
    rt_weak_other();
    rt_check_signals();
    return result;
}
