/* --verify for real programs: every schedule is run, bound after bound, without reduction.
 *
 * The naive method runs the same program with the same bound on yields and the same scheduling points; only the choice
 * of schedules is another one. So it must find an error within the same number of preemptions, or none. Where
 * executions were cut off
 * (--max-steps), or the program does not repeat itself, a bound is not complete and nothing is said about it. */
#include "check/native_int.h"
#include "check/verify_int.h"

#include <assert.h>

static struct answer answer_of_check(const struct check *c, const struct result *r, const struct part *p)
{
    struct answer a = NO_ANSWER;
    bool all = p->reach == REACH_ALL && part_verdict(p) != VERDICT_UNKNOWN;
    a.none_within = all ? ANY_NUMBER : p->counts == COUNTS_DELAYS ? -1 : part_bound(p);
    if (!r->error) return a;
    struct trace_counts counts = trace_count(r->error);
    a.error_at = counts.preemptions + counts.stale_reads + counts.early_writes + counts.spurious;
    if (c->run.shared->finding.kind == RT_LIVELOCK) a.none_within = -1; /* whose rounds may be fewer */
    else if (check_minimises(&c->run.shared->config)) a.none_within = a.error_at - 1;
    else if (c->common.all_errors || all) a.none_within = -1; /* bounds were completed in spite of errors */
    return a;
}

/* These do not know the bound on yields, so they may find what it forbids. */
static bool ignores_fair_bound(enum sched_strategy s)
{
    return s == SCHED_DPOR || s == SCHED_DPOR_PLAIN || sched_asks_of_cuts(s);
}

static struct rt_config naive_config(const struct check *c, const struct answer *check)
{
    struct rt_config config = check_config(c);
    int64_t most = MAX(check->error_at, check->none_within);
    if (ignores_fair_bound(config.strategy)) config.fair_bound = -1;
    config.strategy = config.strategy == SCHED_ICB ? SCHED_DFS : SCHED_ICB;
    config.rising = true;
    config.bound = most <= SCHED_MAX_BOUND ? (int)most : -1;
    config.max_executions = 0;
    config.all_errors = config.locals = config.digest = false;
    return config;
}

static struct answer answer_of_run(const struct native_run *run)
{
    const struct rt_shared *s = run->shared;
    struct answer a = NO_ANSWER;
    if (s->diverged || s->status == RT_UNABLE) return a;
    for (int i = 0; i < s->stats.levels && s->stats.level[i].done && !s->stats.level[i].ends[SCHED_END_CUTOFF]; i++)
        a.none_within = s->stats.level[i].bound;
    if (s->stats.complete) a.none_within = ANY_NUMBER;
    if (s->status != RT_FOUND) return a;
    a.error_at = s->surprises;
    a.none_within = MIN(a.none_within, a.error_at - 1);
    return a;
}

static const char *what_stopped(const struct native_run *run, const struct limits *l, char room[64])
{
    const struct rt_shared *s = run->shared;
    if (s->diverged) return "the program does not repeat itself";
    if (s->status == RT_UNABLE) return "the program cannot be explored";
    if (run->stopped) return verify_stopped(run->stopped, l, room);
    if (s->status == RT_LIMIT) return verify_stopped(LIMIT_TIME, l, room);
    if (s->stats.stop == SCHED_STOP_MEMORY) return verify_stopped(LIMIT_MEMORY, l, room);
    return s->stats.ends[SCHED_END_CUTOFF] ? "executions were cut off by --max-steps" : NULL;
}

void verify_program(struct check *c, struct result *r)
{
    struct limits limits = verify_limits(c->limits);
    struct native_run run = {0};
    r->verification.method = "every schedule, without reduction";
    if (!verify_has_time(r, &limits)) return;
    double started = seconds_now();
    assert(r->coverage.parts.len);
    struct question q = {
        .property = -1, .owns_error = r->error != NULL, .check = answer_of_check(c, r, &r->coverage.parts.at[0])};
    char room[64], count[64];
    struct str explored = {0};
    check_explore(c, naive_config(c, &q.check), &limits, &run);
    struct answer naive = answer_of_run(&run);
    naive.counts_stale = q.check.counts_stale = r->coverage.parts.at[0].counts == COUNTS_STALE;
    uint64_t executions = run.shared->stats.executions;
    str_add(&explored, counted(count, executions, "schedule"));
    r->verification.states = executions;
    verify_settle(r, &q, &naive, str_get(&explored), what_stopped(&run, &limits, room));
    r->verification.seconds = seconds_now() - started;
    str_release(&explored);
    native_run_release(&run);
}
