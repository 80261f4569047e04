/* The portfolio of a default check: beside the systematic search, which goes bound after bound, a scout runs strategies
 * that look further away (src/runtime/scout.c).
 *
 * The systematic search alone decides what was covered: its bounds and counts are the same with a scout and without.
 * The scout is a second process of the program with a launcher of its own. It starts when a bound has taken a while, so
 * small checks never see one. Where the search leaves a processor free, the scout takes that one. Otherwise it soon
 * gives way so much that it gets about a twentieth of the search's time.
 *
 * An error of the scout is recorded and written to the trace file at once, and then simplified. The systematic search
 * goes on below the number of preemptions of that error for as long as the check has run, at least a second. It finds a
 * simpler error, or proves how many preemptions are needed, or its time is over. */
#include "check/native_int.h"

#include <string.h>

#define PATIENCE 0.2 /* processor time of a bound, in seconds, before a scout starts */
#define LEAST_GRACE 1.0
enum { MEMORY_SHARE = 8, QUARTER = 5, TWENTIETH = 19 };

bool portfolio_is_wanted(const struct check_job *job)
{
    const struct native_options *o = job->options;
    bool counts_all = o->locals || o->digest || o->suggest_orders || job->common.all_errors;
    bool in_place = o->isolate == RT_ISOLATE_RESET || o->isolate == RT_ISOLATE_START || o->isolate == RT_ISOLATE_MAIN;
    return !o->portfolio_off && o->explore == EXPLORE_DEFAULT && job->common.bound < 0 && !counts_all && in_place &&
           job->common.verify == VERIFY_NOT;
}

const struct limits *portfolio_begin(struct check *c, const struct check_job *job, struct result *r)
{
    if (!portfolio_is_wanted(job)) return c->limits;
    c->portfolio = (struct portfolio){.wanted = true, .job = job, .result = r, .limits = *c->limits,
                                      .scout_limits = *c->limits, .started = seconds_now()};
    c->portfolio.scout_limits.memory /= MEMORY_SHARE;
    return &c->portfolio.limits;
}

/* ---- the scout ---- */

/* A step of niceness divides the share of a processor by 1.25, so five steps leave a quarter beside one process. */
static int niceness(int processes)
{
    int steps = 0;
    if (processes < processors_allowed()) return QUARTER;
    for (double weight = 1; weight > processes / (double)TWENTIETH; weight /= 1.25) steps++;
    return steps;
}

static struct rt_config scouting(const struct portfolio *p)
{
    struct rt_config config = p->search->config;
    config.scouts = true;
    config.niceness = niceness(config.processes);
    config.processes = 1;
    config.far = 0;
    config.rising = false;
    config.bound = -1;
    config.max_executions = config.most_cut = 0;
    config.audit = RT_AUDIT_OFF;
    config.memory = p->scout_limits.memory / RT_MAX_TEAM;
    config.journal[0] = 0;
    if (config.isolate != RT_ISOLATE_MAIN) config.isolate = RT_ISOLATE_START; /* nothing depends on costs */
    return config;
}

static void start_scout(struct check *c, const struct rt_config *config)
{
    struct portfolio *p = &c->portfolio;
    struct native_program program = check_program(c);
    native_run_init(&p->scout, config);
    symbols_functions(c->symbols, p->scout.shared);
    native_tell_foreign(&c->foreign, p->scout.shared);
    native_start(&p->scout, &program);
    p->state = SCOUT_RUNS;
}

/* A bound has taken its time. A program that changes files or starts processes has no scout, because the two would
 * disturb each other. */
static bool is_late(struct portfolio *p)
{
    const struct rt_shared *s = p->search->shared;
    double now = native_seconds(p->search);
    int bound = s->stats.levels;
    if (bound != p->bound || now < p->bound_since) p->bound = bound, p->bound_since = now;
    return s->status == RT_RUNNING && now - p->bound_since > PATIENCE && !s->went_outside;
}

/* ---- an error of the scout ---- */

static int cost_of(const struct check *c, const struct native_run *run)
{
    struct trace *t = native_trace(run, c->symbols);
    struct trace_counts n = trace_count(t);
    trace_free(t);
    return (int)(n.preemptions + n.stale_reads + n.early_writes + n.spurious);
}

/* The search goes on below the cost of the error, for as long as the check has run. */
static void give_grace(struct portfolio *p)
{
    double now = seconds_now(), ran = now - p->started;
    p->limits = limits_within(&p->limits, ran > LEAST_GRACE ? ran : LEAST_GRACE);
}

/* Meanwhile nothing watches the search, so this must not take long. */
static void simplify(struct check *c)
{
    const double most = 10;
    const struct limits *given = c->limits;
    struct limits less = limits_within(given, most);
    c->limits = &less;
    check_simplify(c, &c->portfolio.found);
    c->limits = given;
}

/* A false alarm would fail differently when it is run again, and is forgotten. */
static void take_error(struct check *c)
{
    struct portfolio *p = &c->portfolio;
    p->found_after = seconds_now() - p->started;
    p->search_executions = p->search->shared->stats.executions + p->search->shared->stats.blocked;
    check_record_soon(c, p->scout.shared, &p->found);
    bool was_cut = p->found.stopped && p->found.shared->status != RT_FOUND;
    p->state = SCOUT_IS_OVER;
    if (!was_cut && !check_same_failure(p->scout.shared, p->found.shared)) return;
    p->state = SCOUT_FOUND;
    if (was_cut) return;
    check_keep_trace(c, p->job, p->result, &p->found);
    simplify(c);
    p->cost = cost_of(c, &p->found);
    give_grace(p);
}

static void note_end(struct check *c)
{
    struct portfolio *p = &c->portfolio;
    struct rt_config config = p->scout.config;
    if (p->scout.shared->status == RT_FOUND) {
        take_error(c);
    } else if (p->scout.shared->status == RT_MORE_THREADS && config.threads < RT_MAX_THREADS) {
        config.threads = MIN(config.threads * 2, RT_MAX_THREADS);
        native_run_release(&p->scout);
        start_scout(c, &config);
    } else {
        p->state = SCOUT_IS_OVER;
    }
}

/* The bounds below the error are done: no schedule with fewer preemptions fails. */
static void end_search_at(struct portfolio *p)
{
    const struct sched_stats *stats = &p->search->shared->stats;
    int levels = stats->levels;
    if (levels > 0 && levels <= SCHED_MAX_BOUND + 1 && stats->level[levels - 1].bound >= p->cost)
        p->limits = limits_within(&p->limits, 0);
}

void portfolio_watch(struct check *c)
{
    struct portfolio *p = &c->portfolio;
    struct native_program program = check_program(c);
    if (!p->wanted) return;
    if (p->state == SCOUT_WAITS && is_late(p)) {
        struct rt_config config = scouting(p);
        start_scout(c, &config);
    } else if (p->state == SCOUT_RUNS && native_ended(&p->scout, &program, &p->scout_limits, 0)) {
        note_end(c);
    } else if (p->state == SCOUT_FOUND) {
        end_search_at(p);
    }
}

/* ---- after the search ---- */

static void report_team(struct portfolio *p)
{
    const struct rt_shared *s = p->scout.shared;
    for (uint32_t i = 0; s && i < MIN(s->team_count, RT_MAX_TEAM); i++) {
        const struct rt_team_row *t = &s->team[i];
        if ((unsigned)t->strategy >= SCHED_STRATEGY_COUNT || !t->executions) continue;
        struct team_row row = {.strategy = sched_strategy_name(t->strategy), .executions = t->executions,
                               .news = t->news, .has_error = t->has_error && p->state == SCOUT_FOUND,
                               .seconds = p->found_after, .search_executions = p->search_executions};
        vec_push(&p->result->team, row);
    }
}

/* Every schedule within the bounds that are done was explored. With limits on the number of threads, nothing is known
 * of schedules with more threads. */
static int64_t proved_bound(const struct check *c)
{
    const struct sched_stats *stats = &c->run.shared->stats;
    int64_t needed = 0;
    for (int i = 0; i < stats->levels && !c->has_shares; i++)
        if (stats->level[i].bound >= 0 && stats->level[i].done) needed = stats->level[i].bound + 1;
    return needed;
}

static void report_unbounded(const struct check *c, struct result *r)
{
    const struct rt_shared *s = c->run.shared;
    if (!s->unbounded.runs || (unsigned)s->unbounded.strategy >= SCHED_STRATEGY_COUNT) return;
    r->unbounded.strategy = sched_strategy_name(s->unbounded.strategy);
    r->unbounded.executions = s->unbounded.runs;
    r->unbounded.bounded = s->unbounded.decides ? s->unbounded.bounded_runs : s->stats.executions + s->stats.blocked;
    r->unbounded.decides = s->unbounded.decides;
}

static void report_near(const struct check *c, struct result *r)
{
    const struct rt_shared *s = c->run.shared;
    r->near = (struct near_search){.executions = s->near.runs, .steps = s->near.limit, .bound = s->near.bound,
                                   .has_error = s->near.found && s->unbounded.found};
}

/* Neither the scout nor the search without a bound finds the simplest error, but the scout's is simplified already. */
static void prefer_scout(struct rt_shared *s)
{
    if (!s->unbounded.found) return;
    s->status = RT_LIMIT;
    s->findings = 0;
    s->unbounded.found = false;
}

void portfolio_end(struct check *c, struct result *r)
{
    struct portfolio *p = &c->portfolio;
    struct native_program program = check_program(c);
    if (p->state == SCOUT_FOUND) prefer_scout(c->run.shared);
    report_unbounded(c, r);
    report_near(c, r);
    if (c->run.shared->unbounded.found) {
        r->maybe_simpler = true;
        r->needed = proved_bound(c);
    }
    if (!p->wanted) return;
    bool search_found = c->run.shared->status == RT_FOUND;
    p->wanted = false;
    if (p->state == SCOUT_RUNS && !search_found && native_ended(&p->scout, &program, NULL, 0)) note_end(c);
    process_kill(&p->scout.child);
    if (search_found && p->state == SCOUT_FOUND) p->state = SCOUT_IS_OVER;
    report_team(p);
    if (p->state != SCOUT_FOUND) return;
    p->found.shared->config.scouts = false; /* the search is over, and it may change files that are put back */
    memcpy(p->found.shared->config.journal, c->run.config.journal, sizeof c->run.config.journal);
    p->result->maybe_simpler = true;
    p->result->needed = proved_bound(c);
}

void portfolio_release(struct check *c)
{
    native_run_release(&c->portfolio.scout);
    native_run_release(&c->portfolio.found);
}
