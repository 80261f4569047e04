/* State outside of the program's memory that its threads share: a stream, the offset and the contents of a file, what
 * the C library keeps for the whole process. The library or the kernel makes each call on it atomic, so two of them
 * never race; but their order may decide what they return.
 *
 * A call site becomes a scheduling point when an execution shows that another thread uses the same state without an
 * order between the two calls, one of which changes it. Then the exploration starts anew with the new points, as for
 * --races=explore (points.c). At a point, calls that change the state synchronise with the calls after them. A program
 * whose threads do not share such state has no additional step. */
#include "runtime/internal.h"

/* The C library's own functions are looked up once. */
void *rt_real_once(enum rt_call call, const char *name)
{
    if (unlikely(!rt.real[call])) rt.real[call] = rt_real(name);
    return rt.real[call];
}

/* No other thread could notice: the first thread has started no other yet, or all were joined, by it or by a thread
 * that was joined itself. */
bool rt_is_alone(void)
{
    if (rt.self->id) return false;
    for (int i = 1; i < rt.thread_limit && i < rt.numbering->next; i++)
        if (set_has(rt.created, i) && !(rt.threads[i].finished && rt.threads[i].joined)) return false;
    return true;
}

bool rt_state_is_shared(void) { return rt.active && rt.shared && !rt_is_alone(); }

void rt_state_step(uint64_t object, uint64_t object2, bool writes, uintptr_t pc, const char *label)
{
    if (!rt_is_hot(pc)) return;
    struct sched_op op = {.kind = writes ? SCHED_RMW : SCHED_READ, .object = object, .object2 = object2, .count = 1};
    rt_point_labelled(op, NULL, pc, label);
    rt_acquire(object);
    if (object2) rt_acquire(object2);
    if (writes) rt_release(object);
    if (writes && object2) rt_release(object2);
}

void rt_state_use(const void *state, bool writes, uintptr_t pc, const char *label)
{
    if (!rt_state_is_shared()) return;
    rt_state_step((uint64_t)state, 0, writes, pc, label);
    rt_access_state((uintptr_t)state, 1, writes, pc);
    rt_effect();
    rt_cycle_forget();
}
