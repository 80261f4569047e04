/* Barriers. State in the program's pthread_barrier_t. Who has arrived is known from the threads' pending operations. */
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
    rt_object_init(b, RT_BARRIER, 0, CALLER, "barrier init"); /* nobody has arrived */
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

static void release_all(pthread_barrier_t *b)
{
    rt.outcome.woken = set_of(rt.self->id);
    rt.self->woken = true;
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        if (t->op.kind != SCHED_BARRIER_LEAVE || t->op.object != (uint64_t)b || t->woken) continue;
        t->woken = true;
        rt.outcome.woken |= set_of(t->id);
    }
    assert(!set_any(rt.outcome.woken & ~rt.live));
    state_of(b)->arrived = 0;
    rt_release_round((uint64_t)b, rt.outcome.woken);
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *b)
{
    if (!rt.active) return 0;
    rt_object_enter(b, RT_BARRIER, CALLER);
    int64_t needed = state_of(b)->needed;
    rt_point(OP(BARRIER, .object = (uint64_t)b, .value = needed), NULL, CALLER);
    if (!state_of(b)->needed) {
        rt_find(RT_MISUSE, CALLER, "waiting at a barrier that was never initialised");
        rt_finding_end();
    }
    rt_release((uint64_t)b);
    rt_effect();
    rt.self->woken = false;
    bool last = ++state_of(b)->arrived == state_of(b)->needed;
    if (last) release_all(b);
    rt_point(OP(BARRIER_LEAVE, .object = (uint64_t)b, .value = needed), was_released, CALLER);
    rt_weak_other();
    rt_check_signals();
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}
