/* What may happen for no reason: a wait on a condition variable or a futex returns without a signal, a weak
 * compare-exchange fails although it finds what it expects. Before such a call the strategy chooses whether that
 * happens: it costs as much as a preemption, and an execution has at most config.spurious of these events
 * (doc/schedule.md, Spurious events).
 *
 * Most programs call again: `while (!ready) wait()`. A thread that comes back to the same call in the same state,
 * having done nothing in between that others can see, has shown that the place checks again. Such a place is learnt
 * like a scheduling point (points.c): the exploration starts anew, and nothing happens there for no reason any more. */
#include "runtime/internal.h"

enum { MOST_LEARNT = RT_MAX_HOT / 2 };
#define SPURIOUS_KEY (1ull << 62) /* tells these from addresses of code */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

/* A place is a call with its two callers: functions that wait for others share theirs. */
static uint64_t key_of(uintptr_t pc)
{
    const struct thread *t = rt.self;
    uint64_t h = mix(mix(1, pc), rt_place_in_program(pc));
    for (uint32_t i = 1; i <= 2 && i <= t->call_count; i++) h = mix(h, t->calls[t->call_count - i].pc);
    return (h & (SPURIOUS_KEY - 1)) | SPURIOUS_KEY;
}

static bool is_learnt(uint64_t key, bool waits)
{
    if (!rt_is_hot(key)) return false;
    if (waits) rt.shared->spurious_skipped = true;
    return true;
}

static void learn(uint64_t key)
{
    rt.self->spurious_key = 0;
    if (rt.shared->hot_count < MOST_LEARNT) rt_learn_point(key);
}

bool rt_happens_spuriously(uintptr_t pc, const void *state_from, bool waits)
{
    struct thread *t = rt.self;
    if (!rt.active || !rt.shared || t->atomic_depth) return false;
    if (!rt.shared->config.spurious) return rt.shared->spurious_limited = true, false;
    uint64_t key = key_of(pc), state = 0;
    if (is_learnt(key, waits)) return false;
    if (t->spurious_key || t->spurious_count < rt.shared->config.spurious) state = rt_state_of_program(state_from);
    if (t->spurious_key == key && t->spurious_state == state) learn(key);
    if (t->spurious_count >= rt.shared->config.spurious) return rt.shared->spurious_limited = true, false;
    rt.shared->spurious_offered = true;
    struct sched_op op = OP(CHOOSE, .count = 1, .flags = SCHED_SURPRISE, .older = 2);
    if (!rt_point_labelled(op, NULL, pc, waits ? "spurious wake-up" : "spurious failure")) return false;
    t->spurious_count++;
    t->spurious_key = key;
    t->spurious_state = state;
    return true;
}

/* Whether one more is possible in this execution. */
bool rt_spurious_left(void)
{
    int id, count = 0;
    FOR_EACH_THREAD(id, rt.created) count += rt.threads[id].spurious_count;
    if (count < rt.shared->config.spurious) return true;
    rt.shared->spurious_limited = true;
    return false;
}

/* The thread is about to do this: others may see it, unless it only looks. */
void rt_spurious_step(const struct sched_op *op)
{
    bool only_looks = op->kind == SCHED_READ || op->kind == SCHED_LOCK || op->kind == SCHED_UNLOCK ||
                      op->kind == SCHED_CHOOSE || op->kind == SCHED_YIELD;
    if (!only_looks) rt.self->spurious_key = 0;
}
