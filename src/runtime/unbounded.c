/* The search without a bound that a default check runs beside its search bound after bound.
 *
 * Rising bounds find the simplest error first, but they come to one graph again and again: below a bound BPOR needs
 * many more executions than there are graphs, above all in weak memory. Without a bound one execution for each
 * graph is about enough, but such a search says nothing about bounds before it has covered everything. So a check
 * does both, in turns. What comes to its end first decides: either way everything was covered. Small checks never
 * get so far as to begin the second search.
 *
 * The search without a bound is `optimal` in weak memory, else DPOR. `optimal` does not know everything that
 * programs do; DPOR takes its place then. Neither knows the bound on yields. Where an execution is too long without
 * it, BPOR begins in their place.
 *
 * An error of the search without a bound ends it, for it need not be the simplest one. It is kept where the first
 * error goes, but not counted. The search by bounds goes on alone. If it finds an error, that one takes the place;
 * if it comes to a limit, heddle reports the one that was kept.
 *
 * With several processes (crew.c) the search by bounds is divided, and the other one is not: it also runs while the
 * first process waits for others.
 *
 * The turns depend on nothing but the numbers of executions of both searches. With several processes one search can
 * overtake its turn; then the other one catches up before anything is decided. So which search decides, and the
 * ledger, are the same however many processes there are. */
#include "runtime/internal.h"

enum {
    ALONE = 50,         /* executions of the search by bounds before the other one begins */
    SHARE = 8,          /* executions without a bound for each one of the search by bounds, */
    CAREFUL = 30000,    /* until the search without a bound has run this many; then one for each */
    MEMORY_SHARE = 8    /* it may use 1/MEMORY_SHARE of the memory limit in addition */
};

static uint64_t runs_of(const struct sched *s)
{
    const struct sched_stats *stats = sched_stats(s);
    return stats->executions + stats->blocked;
}

/* How many executions the search without a bound may have had when the other one has had so many. */
static uint64_t allowance(uint64_t bounded)
{
    uint64_t after = bounded > ALONE ? bounded - ALONE : 0;
    return after <= CAREFUL / SHARE ? SHARE * after : CAREFUL + (after - CAREFUL / SHARE);
}

static bool is_wanted(void)
{
    const struct rt_config *c = &rt.shared->config;
    return c->unbounded && !c->max_executions && !rt.unbounded.is_over;
}

static void turn_to(bool unbounded)
{
    rt.unbounded.is_turn = unbounded;
    rt.sched = unbounded ? rt.unbounded.sched : rt.unbounded.bounded;
}

static void begin(void)
{
    bool is_weak = rt.weak.wanted && rt.shared->weak_seen;
    bool may_be_optimal = is_weak && !rt.shared->needs_plain;
    if (rt.unbounded.strategy != SCHED_BPOR) rt.unbounded.strategy = may_be_optimal ? SCHED_OPTIMAL : SCHED_DPOR;
    rt.unbounded.bounded = rt.sched;
    rt.unbounded.sched = rt_sched_unbounded(rt.unbounded.strategy, rt.shared->config.memory / MEMORY_SHARE);
}

static void end(void)
{
    turn_to(false);
    sched_free(rt.unbounded.sched);
    rt.unbounded.sched = NULL;
}

/* It has not covered everything, and never will. Another strategy may. */
static void give_up(void)
{
    const struct sched_stats *stats = sched_stats(rt.unbounded.sched);
    bool is_cut = stats->ends[SCHED_END_CUTOFF] && stats->stop != SCHED_STOP_KIND; /* which ends executions, too */
    end();
    bool was_last = rt.unbounded.strategy != SCHED_OPTIMAL && !(rt.unbounded.strategy == SCHED_DPOR && is_cut);
    rt.unbounded.is_over = was_last || rt.shared->unbounded_failed;
    if (is_cut) rt.unbounded.strategy = SCHED_BPOR;
    else rt.shared->needs_plain = true;
}

void rt_unbounded_forget(void)
{
    if (rt.unbounded.sched) end();
    rt.unbounded = (struct unbounded){0};
    rt.shared->unbounded_failed = false;
}

/* The program does something that `optimal` does not know. */
static bool must_be_plainer(void) { return rt.unbounded.strategy == SCHED_OPTIMAL && rt.shared->needs_plain; }

/* Executions that are too long keep it from covering everything. */
static bool is_in_vain(void)
{
    const struct sched_stats *stats = sched_stats(rt.unbounded.sched);
    bool has_stopped = stats->stop != SCHED_STOP_NOT_YET && !stats->complete;
    return rt.shared->unbounded_failed || stats->ends[SCHED_END_CUTOFF] || has_stopped || must_be_plainer();
}

bool rt_has_diverged(void)
{
    bool was_misled = rt.unbounded.is_turn && must_be_plainer();
    return sched_stats(rt.sched)->stop == SCHED_STOP_DIVERGED && !was_misled;
}

static bool has_ended(const struct sched *s) { return sched_stats(s)->stop == SCHED_STOP_COMPLETE; }

/* Whose turn it is; false: one of them decides. */
static bool take_turn(void)
{
    const struct sched *bounded = rt.unbounded.bounded, *unbounded = rt.unbounded.sched;
    bool may_go_on = runs_of(unbounded) < allowance(runs_of(bounded));
    if (has_ended(unbounded) && runs_of(unbounded) <= allowance(runs_of(bounded))) {
        rt.unbounded.decides = true;
        return false;
    }
    if (has_ended(bounded) && (has_ended(unbounded) || !may_go_on)) {
        end();
        rt.unbounded.is_over = true;
        return false;
    }
    turn_to(has_ended(bounded) || (may_go_on && !has_ended(unbounded)));
    return true;
}

static bool has_begun(void)
{
    if (rt.unbounded.sched && is_in_vain()) give_up();
    if (!rt.unbounded.sched && is_wanted() && runs_of(rt.sched) >= ALONE && !has_ended(rt.sched)) begin();
    return rt.unbounded.sched;
}

bool rt_unbounded_another(void)
{
    bool more;
    if (rt_branch_started(&more) && more) return true;
    while (rt_is_looking() && !rt_has_diverged()) {
        if (!has_begun()) return !has_ended(rt.sched) && sched_start(rt.sched);
        if (!take_turn()) return false;
        if (sched_start(rt.sched)) return true;
        if (!has_ended(rt.sched) && !rt.unbounded.is_turn) return false;
    }
    return false;
}

/* New scheduling points are for the loop of the exploration, which begins anew with them. */
static bool can_go_on(void)
{
    const struct sched *s = rt.unbounded.sched;
    return s && !has_ended(s) && !is_in_vain() && !rt.shared->relearn && rt_is_looking();
}

static bool run_one(void)
{
    if (!sched_start(rt.sched)) return false;
    rt.shared->heartbeat++;
    if (sched_is_known(rt.sched, NULL)) return true;
    rt_run_in_place();
    rt_rounds_go_on();
    return true;
}

bool rt_unbounded_meanwhile(void)
{
    enum { FEW = 16 };
    int runs = 0;
    if (rt.unbounded.is_turn || !can_go_on()) return false;
    turn_to(true);
    while (runs < FEW && can_go_on() && run_one()) runs++;
    if (!rt_has_diverged()) turn_to(false);
    return runs;
}

/* ---- what is told ---- */

struct sched *rt_bounded(void) { return rt.unbounded.sched ? rt.unbounded.bounded : rt.sched; }

static void add_row(struct sched_stats *to, const struct sched_level *row)
{
    to->level[to->levels++] = *row;
    to->executions += row->executions;
    to->blocked += row->blocked;
    to->steps += row->steps;
    for (int i = 0; i < SCHED_END_COUNT; i++) to->ends[i] += row->ends[i];
}

/* The levels that the search by bounds had done by its turn, and everything. */
static void decide(struct sched_stats *out)
{
    const struct sched_stats bounded = *out, *own = sched_stats(rt.unbounded.sched);
    *out = *own;
    out->executions = out->blocked = out->steps = 0;
    memset(out->ends, 0, sizeof out->ends);
    out->levels = 0;
    out->known += bounded.known;
    out->memory += bounded.memory;
    out->max_depth = out->max_depth > bounded.max_depth ? out->max_depth : bounded.max_depth;
    for (int i = 0; i < bounded.levels && i < SCHED_MAX_BOUND; i++) {
        const struct sched_level *row = &bounded.level[i];
        uint64_t after = out->executions + out->blocked + row->executions + row->blocked;
        bool is_early = after <= ALONE || allowance(after) < own->executions + own->blocked;
        if (row->done && is_early) add_row(out, row);
    }
    add_row(out, &own->level[0]);
}

void rt_unbounded_publish(void)
{
    struct rt_shared *s = rt.shared;
    if (!rt.unbounded.sched) return;
    const struct sched_stats *own = sched_stats(rt.unbounded.sched);
    s->unbounded.strategy = rt.unbounded.strategy;
    s->unbounded.runs = runs_of(rt.unbounded.sched);
    s->unbounded.estimate = own->estimate;
    s->unbounded.doubt = own->doubt;
    s->unbounded.decides = rt.unbounded.decides;
    if (!rt.unbounded.decides) return;
    s->unbounded.bounded_runs = runs_of(rt.unbounded.bounded);
    decide(&s->stats);
}

/* At a limit the first process looks at what others have found; it need not be the simplest error either. */
void rt_unbounded_last_words(void)
{
    struct rt_shared *s = rt.shared;
    bool had_two = rt.unbounded.sched, had_error = s->findings;
    if (rt_has_diverged()) return;
    if (had_two) turn_to(false);
    if (s->stop) rt_crew_last_words();
    s->unbounded.found = !had_error && s->findings && had_two;
}
