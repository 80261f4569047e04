/* The rest of an execution that --max-steps cut off: it runs to the end of the program under a fair schedule, so that
 * the assertions at the end are looked at. Nothing is explored there, and the strategy does not see these steps: for
 * it, and for what the verdict claims, the execution was cut off.
 *
 * The first execution tries whether the program comes to an end at all. If it does not, no other execution has a tail,
 * because each would take many times as long for nothing. Processes that explore parts know this from the first. There
 * are no tails where the number of threads is limited, because such programs create threads without end, and none in
 * weak memory, because there the strategy takes part in every access. */
#include "runtime/internal.h"

static bool is_allowed(void)
{
    const struct rt_shared *s = rt.shared;
    bool explores = rt.exploring && !rt.recording && !rt.follows_schedule && !rt.swap.all && !rt.tail.off;
    return explores && s->config.tail && !s->config.holds_back && !s->weak_seen && set_count(rt.created) > 1;
}

static bool is_first(void) { return !rt.first.steps && !rt.crew.member; }

bool rt_tail_begins(void)
{
    bool comes_to_end = rt.near.is_turn ? rt.near.has_tails : is_first() || rt.shared->tails_end;
    if (!is_allowed() || !comes_to_end) return false;
    rt_cycle_cut_off();
    rt.tail.on = true;
    rt.tail.from = rt.shared->step_count;
    rt.tail.hash = rt.step_hash;
    return true;
}

/* In turns: a thread goes on until it waits, yields, or has had so many steps. The end of the program comes last. */
struct sched_pick rt_tail_pick(void)
{
    enum { TURN = 100000 };
    const uint32_t steps = rt.shared->step_count, since = steps - rt.tail.from;
    if (since >= rt.shared->config.tail || steps >= RT_MAX_STEPS) rt_end_execution(SCHED_END_CUTOFF);
    int self = rt.self->id;
    sched_set able = rt.view.enabled & ~rt.view.ending;
    if (!set_any(able)) able = rt.view.enabled;
    if (!set_any(able)) return (struct sched_pick){.thread = -1, .why = SCHED_PICK_NONE_ENABLED};
    bool gives_way = rt.self->op.kind == SCHED_YIELD || (rt.self->op.kind == SCHED_COND_RESUME && !rt.self->woken) ||
                     since % TURN == TURN - 1;
    sched_set others = able & ~set_of(self), later = others & ~set_below(self + 1);
    if (set_has(able, self) && !(gives_way && set_any(others))) return (struct sched_pick){.thread = self};
    return (struct sched_pick){.thread = set_first(set_any(later) ? later : others)};
}

bool rt_tail_ended(void)
{
    if (!rt.tail.on) return false;
    if (is_first()) rt.shared->tails_end = rt.end == SCHED_END_NORMAL;
    rt.end = SCHED_END_CUTOFF;
    rt.step_pending = false;
    return true;
}
