/* Threads that go round and round while something grows: no state comes twice, so that cycle.c sees no livelock, and a
 * bound on preemptions ends every execution. What cycle.c notices instead is a round: everybody is about to do what he
 * was about to do before, where he was about to do it, and all who could go on did. Such an execution is tried again
 * with the round repeated for a quarter of a million steps. If it never leaves the round it is a livelock, and a few
 * rounds are reported. Not where an execution was cut off by the limit on steps: there a loop that takes its time
 * cannot be told from one that comes to no end. */
#include "runtime/internal.h"

/* The execution as it was up to the end of its round, and that over and over. */
static void repeat_round(struct sched_step *steps, size_t count, uint32_t from, uint32_t upto)
{
    assert(from < upto && upto <= count);
    memcpy(steps, rt.shared->steps, upto * sizeof *steps);
    for (size_t i = upto; i < count; i++) steps[i] = steps[i - (upto - from)];
}

/* So many steps that more than half of them are rounds, whole ones. */
static size_t worth_reporting(uint32_t from, uint32_t upto)
{
    size_t length = upto - from, rounds = 3;
    while (rounds * length <= from) rounds++;
    return from + rounds * length;
}

static void run_in_vain(void)
{
    rt_run_execution();
    sched_finish(rt.sched, rt.end);
    rt_reset();
}

/* Whether it never leaves the round. What comes to the end and still is no livelock is expensive: not often. */
static bool never_ends(const struct sched_step *steps, size_t count)
{
    enum { OFTEN = 3 };
    rt_follow(steps, count, run_in_vain);
    bool found = rt.found.kind == RT_LIVELOCK;
    rt.cycle.vain_rounds += !found && rt.shared->step_count > count / 2;
    rt.cycle.no_more_rounds = found || rt.cycle.vain_rounds == OFTEN;
    return found;
}

static bool is_wanted(void)
{
    return rt.cycle.round_upto && !rt.cycle.no_more_rounds && !rt.branch.unwound && !rt.found.kind &&
           !sched_stats(rt.sched)->ends[SCHED_END_CUTOFF];
}

bool rt_rounds_go_on(void)
{
    const size_t most = RT_MAX_STEPS / 4;
    if (likely(!is_wanted())) return false;
    uint32_t from = rt.cycle.round_from, upto = rt.cycle.round_upto;
    size_t few = worth_reporting(from, upto);
    if (few > rt.shared->config.max_steps || few > most) return false;
    struct sched_step *steps = rt_pool_alloc(NULL, most * sizeof *steps);
    if (!steps) return false;
    repeat_round(steps, most, from, upto);
    bool found = never_ends(steps, most);
    if (found) rt_follow(steps, few, rt_run_in_place);
    rt_pool_free(NULL, steps, most * sizeof *steps);
    rt.cycle.round_upto = 0;
    return found && rt.found.kind == RT_LIVELOCK;
}
