/* The search near the start that a default check of a long program runs beside its search bound after bound.
 *
 * BPOR reverses the last race of an execution first. If a loop has ten thousand rounds, it explores switches in the
 * last rounds first, and takes very long to come to the first ones, where a bug is as likely. So the search near the
 * start raises a limit on steps like a bound: it explores the interleavings of the first 8 steps of each thread, then
 * the first 32, then 128 and so on, with at most MOST_BOUND preemptions. A thread that has done its steps is held back,
 * as if it had ended. When nothing else can go on, the rest of the execution runs under a fair schedule (tail.c), so
 * that its end and its assertions are checked. In weak memory the rest is not run.
 *
 * A limit on the steps of the whole execution would not do. If one thread runs alone up to the limit, the operations of
 * the others are never seen, nor their races with what it did.
 *
 * This search only finds errors. It adds nothing to the coverage: the bounds, the counts and the sentence of the
 * verdict are those of the systematic search. If it finds an error, it ends, and the error is kept. The systematic
 * search goes on until it has done the bounds below that error, or for as many steps as the check has run so far.
 *
 * It begins only if the first execution was long, and only after the systematic search has run a few executions. Its
 * share is counted in steps, so it depends on nothing but what both searches did. */
#include "runtime/internal.h"

enum {
    LONG = 500,            /* steps after the first thread was created, of an execution that counts as long */
    ALONE = 4,             /* executions of the systematic search before this one begins */
    FIRST_LIMIT = 8, RISE = 4,
    MOST_BOUND = 2,
    MOST_RUNS = 512,       /* executions for each limit on steps */
    BURST_RUNS = 64,       /* executions at the beginning, over all limits, in one go */
    BURST = 2000000,       /* unless they take this many steps before */
    SHARE = 16,            /* later it has 1/SHARE of the steps of the systematic search */
    COST = 200,            /* steps that an execution costs besides its own */
    KNOWN_COST = 20,       /* the same, if it is not run */
    LAST = 5000000,        /* steps of its own, once the systematic search has ended in vain */
    GRACE = 4000000,       /* steps of the systematic search after an error was found here, at least */
    MEMORY_SHARE = 8
};

static size_t steps_of_tail(void) { return rt.tail.on ? rt.shared->step_count - rt.tail.from : 0; }

void rt_near_note_first(void)
{
    rt.near.length = sched_counted_steps(rt.sched) + steps_of_tail();
    rt.near.has_tails = rt.tail.on ? rt.shared->tails_end : rt.end == SCHED_END_NORMAL;
}

static bool is_wanted(void)
{
    const struct rt_shared *s = rt.shared;
    bool is_free = !rt.near.is_over && !s->findings && !s->unbounded_failed && !s->relearn;
    return s->config.near && rt.near.length > LONG && is_free && rt_is_looking();
}

static void end_limit(void)
{
    if (rt.near.sched) sched_free(rt.near.sched);
    rt.near.sched = NULL;
}

/* Every execution within the limit and the bounds was run, or as many as one limit may have. */
static bool is_done(void)
{
    const struct sched_stats *stats = sched_stats(rt.near.sched);
    return stats->stop != SCHED_STOP_NOT_YET || stats->levels > MOST_BOUND + 1 || rt.near.runs >= MOST_RUNS;
}

/* The next limit, unless no execution is that long. */
static bool raise_limit(void)
{
    size_t limit = rt.near.limit ? rt.near.limit * RISE : FIRST_LIMIT;
    end_limit();
    if (limit >= rt.near.length || limit >= rt.shared->config.max_steps) {
        rt.near.is_over = true;
        return false;
    }
    rt.near.limit = limit;
    rt.near.runs = 0;
    rt.near.sched = rt_sched_near(limit, rt.shared->config.memory / MEMORY_SHARE);
    return true;
}

static void keep_error(void)
{
    struct rt_shared *s = rt.shared;
    s->near.found = true;
    rt.near.is_over = true;
    rt.near.grace = rt.near.systematic + (rt.near.systematic > GRACE ? rt.near.systematic : GRACE);
    end_limit();
}

static void count_one(void)
{
    struct rt_shared *s = rt.shared;
    const struct sched_stats *stats = sched_stats(rt.near.sched);
    rt.near.steps += COST + s->step_count;
    rt.near.runs++;
    rt.near.total++;
    s->near.runs++;
    s->near.limit = rt.near.limit;
    s->near.bound = stats->levels - 1;
}

/* If the program does not repeat itself this search stops, and the systematic search reports it. */
static void run_in_turn(void)
{
    if (sched_start(rt.sched) && !is_done()) {
        rt.shared->heartbeat++;
        rt_run_in_place();
        count_one();
        rt.near.is_over |= sched_stats(rt.sched)->stop == SCHED_STOP_DIVERGED;
    } else {
        rt.near.runs = MOST_RUNS;
    }
}

static void run_one(void)
{
    struct sched *systematic = rt.sched;
    if ((!rt.near.sched || is_done()) && !raise_limit()) return;
    rt.sched = rt.near.sched;
    rt.near.is_turn = true;
    run_in_turn();
    rt.near.is_turn = false;
    rt.sched = systematic;
    if (rt.shared->unbounded_failed) keep_error();
}

static bool may_run(void)
{
    bool is_burst = rt.near.total < BURST_RUNS && rt.near.steps < BURST;
    return is_wanted() && rt.near.executions >= ALONE && (is_burst || rt.near.steps < rt.near.systematic / SHARE);
}

/* The steps that an execution has in common with the one before are probably not run again. */
static size_t cost_of_execution(void)
{
    size_t depth = sched_depth(rt.sched), repeats = sched_repeats(rt.sched);
    if (sched_is_known(rt.sched, NULL)) return KNOWN_COST;
    return COST + (depth > repeats ? depth - repeats : 0) + steps_of_tail();
}

void rt_near_go_on(void)
{
    if (likely(rt.near.is_over) && !rt.shared->near.found) return;
    rt.near.executions++;
    rt.near.systematic += cost_of_execution();
    while (may_run()) run_one();
}

/* The systematic search has ended without an error, but the limit on steps cut executions off: nothing else looks at
 * what they would have done. */
void rt_near_finish(void)
{
    bool was_cut = sched_stats(rt_bounded())->ends[SCHED_END_CUTOFF] && !rt.unbounded.decides;
    while (was_cut && is_wanted() && rt.near.steps < LAST) run_one();
}

/* The bounds below the error are done, or the systematic search has had its time. */
bool rt_near_decides(void)
{
    const struct rt_shared *s = rt.shared;
    if (likely(!s->near.found)) return false;
    const struct sched_stats *stats = sched_stats(rt_bounded());
    int bound = stats->levels ? stats->level[stats->levels - 1].bound : 0;
    return bound >= s->surprises || rt.near.systematic >= rt.near.grace;
}

void rt_near_forget(void)
{
    end_limit();
    rt.near = (struct near){0};
    memset(&rt.shared->near, 0, sizeof rt.shared->near);
}
