/* A failing schedule of a real program in fresh processes: once more with everything recorded, reordered so that it has
 * the fewest preemptions, and without its last preemption. */
#include "check/native_int.h"

#include <stdlib.h>
#include <string.h>

/* For one execution. */
static const double patience = 60;

static void run_schedule(struct check *c, const struct rt_shared *from, struct rt_config config, size_t steps,
                         struct native_run *out)
{
    struct native_program program = check_program(c);
    native_run_init(out, &config);
    native_schedule(from, out->shared);
    out->shared->weak_seen = config.weak_memory; /* then choices of the schedule are possible in every mode */
    if (steps < out->shared->config.schedule_len) out->shared->config.schedule_len = steps;
    out->stopped = limits_reached(c->limits);
    if (out->stopped) return;
    struct limits limits = limits_within(c->limits, patience);
    native_run(out, &program, &limits, NULL, NULL);
}

static struct rt_config recording(const struct rt_shared *from)
{
    struct rt_config config = from->config;
    config.mode = RT_RECORD;
    config.isolate = RT_ISOLATE_RESET;
    config.simplify = RT_AS_IT_IS;
    config.shortens = false;
    config.audit = from->finding.kind == RT_MEMORY && config.audit != RT_AUDIT_OFF ? RT_AUDIT_EVERY : RT_AUDIT_OFF;
    return config;
}

/* A livelock is shown as far as the schedule goes: nothing would end it. But where the schedule ends before threads
 * repeat their loops, they go on until they do. */
void check_record(struct check *c, const struct rt_shared *from, size_t steps, struct native_run *out)
{
    struct rt_config config = recording(from);
    bool is_whole = from->finding.kind == RT_LIVELOCK && !from->finding.awaits;
    bool to_the_end = steps >= from->first_step_count && is_whole && from->first_step_count;
    config.max_steps = to_the_end ? from->first_step_count : (size_t)c->options->max_steps;
    if (to_the_end) config.max_start = 0;
    if (from->status == RT_FOUND && from->first_step_count > config.max_steps) /* it failed after it was cut off */
        config.max_steps = from->first_step_count, config.max_start = RT_MAX_STEPS - config.max_steps;
    run_schedule(c, from, config, steps, out);
}

void check_record_soon(struct check *c, const struct rt_shared *from, struct native_run *out)
{
    const double moment = 0.4; /* a limit on time may be overrun by less than a second */
    const struct limits *given = c->limits;
    struct limits more = limits_within(NULL, moment);
    if (given) more.memory = given->memory;
    if (limits_left(given) < moment) c->limits = &more;
    check_record(c, from, SIZE_MAX, out);
    c->limits = given;
}

bool check_same_failure(const struct rt_shared *a, const struct rt_shared *b)
{
    return b->findings && a->finding.kind == b->finding.kind;
}

/* The very same: also in the same place, unless it is that of whichever thread happened to move last. */
static bool is_the_failure(const struct rt_shared *a, const struct rt_shared *b)
{
    const struct rt_finding *x = &a->finding, *y = &b->finding;
    bool anywhere = x->kind == RT_DEADLOCK || x->kind == RT_LIVELOCK;
    bool other_way = x->kind == RT_RACE && x->here.pc == y->other.pc && x->other.pc == y->here.pc;
    return check_same_failure(a, b) && (anywhere || other_way || x->here.pc == y->here.pc);
}

static bool is_simpler(const struct rt_shared *a, const struct rt_shared *b)
{
    if (a->preemptions != b->preemptions) return a->preemptions < b->preemptions;
    return a->first_step_count < b->first_step_count;
}

/* Lets the program reorder its own execution, and runs the result: it counts only if it fails in the same way. */
static bool reorder(struct check *c, const struct rt_shared *from, enum rt_simplify how, struct native_run *out)
{
    struct native_run reordered;
    struct rt_config config = recording(from);
    config.simplify = how;
    run_schedule(c, from, config, SIZE_MAX, &reordered);
    bool done = reordered.shared->simplified;
    if (done) check_record(c, reordered.shared, SIZE_MAX, out);
    native_run_release(&reordered);
    if (!done) return false;
    if (is_the_failure(from, out->shared) && is_simpler(out->shared, from)) return true;
    native_run_release(out);
    return false;
}

/* Lets the program try schedules that differ. */
static bool shorten(struct check *c, const struct rt_shared *from, struct native_run *out)
{
    struct native_run shorter;
    struct rt_config config = recording(from);
    if (from->finding.kind == RT_LIVELOCK || !from->preemptions) return false;
    config.mode = RT_EXPLORE;
    config.shortens = true;
    config.audit = RT_AUDIT_OFF;
    run_schedule(c, from, config, SIZE_MAX, &shorter);
    bool done = shorter.shared->status == RT_FOUND && is_the_failure(from, shorter.shared);
    if (done) check_record(c, shorter.shared, SIZE_MAX, out);
    native_run_release(&shorter);
    if (!done) return false;
    if (is_the_failure(from, out->shared) && is_simpler(out->shared, from)) return true;
    native_run_release(out);
    return false;
}

static bool replace(struct native_run *recorded, struct native_run *simpler)
{
    native_run_release(recorded);
    *recorded = *simpler;
    return true;
}

bool check_simplify(struct check *c, struct native_run *recorded)
{
    struct native_run simpler;
    bool any = shorten(c, recorded->shared, &simpler) && replace(recorded, &simpler);
    bool found = reorder(c, recorded->shared, RT_WHAT_FAILS, &simpler) ||
                 reorder(c, recorded->shared, RT_ALL_STEPS, &simpler);
    return (found && replace(recorded, &simpler)) || any;
}

bool check_reproduces(struct check *c, const struct rt_shared *found, const struct rt_shared *wanted,
                      struct native_run *out)
{
    if (found->status != RT_FOUND || !is_the_failure(wanted, found)) return false;
    run_schedule(c, found, recording(wanted), SIZE_MAX, out);
    if (is_the_failure(wanted, out->shared) && is_simpler(out->shared, wanted)) return true;
    native_run_release(out);
    return false;
}

/* Preemptions, stale reads and early writes of a recorded execution; *weak: how many of them are not preemptions. */
static int cost_of(struct check *c, const struct native_run *run, long *weak)
{
    struct trace *t = native_trace(run, c->symbols);
    struct trace_counts n = trace_count(t);
    trace_free(t);
    *weak = n.stale_reads + n.early_writes;
    return (int)(n.preemptions + *weak);
}

/* The bounded search among interleavings, which are all executions of the memory model, too. It takes no longer than
 * the check that has found the error, and not very long in any case. */
static void search_interleavings(struct check *c, const struct rt_shared *found, int bound, struct native_run *out)
{
    enum { LEAST = 1000, MOST = 20000 };
    struct rt_config config = check_config(c);
    config.weak_memory = config.endless = config.all_errors = config.sites = config.digest = config.locals = false;
    config.strategy = SCHED_BPOR;
    config.rising = true;
    config.bound = bound;
    config.threads = found->config.threads;
    config.most_threads = found->config.most_threads;
    config.most_in_all = found->config.most_in_all;
    config.holds_back = found->config.holds_back;
    uint64_t spent = c->run.shared ? c->run.shared->stats.executions : 0;
    config.max_executions = MIN(MAX(spent, (uint64_t)LEAST), (uint64_t)MOST);
    check_explore(c, config, c->limits, out);
}

bool check_prefer_interleaving(struct check *c, struct native_run *recorded)
{
    const struct rt_shared *s = recorded->shared;
    struct native_run search, plain;
    long weak = 0, still_weak = 0;
    int cost = s->config.weak_memory && s->finding.kind != RT_LIVELOCK ? cost_of(c, recorded, &weak) : 0;
    if (!weak || limits_reached(c->limits)) return false;
    search_interleavings(c, s, cost, &search);
    bool found = search.shared->status == RT_FOUND && is_the_failure(s, search.shared);
    if (found) run_schedule(c, search.shared, recording(s), SIZE_MAX, &plain);
    native_run_release(&search);
    if (!found) return false;
    found = is_the_failure(s, plain.shared) && cost_of(c, &plain, &still_weak) <= cost && !still_weak;
    native_run_release(found ? recorded : &plain);
    if (found) *recorded = plain;
    return found;
}

/* NULL if it is too long to be read beside another one. */
static struct trace *run_to_compare(const struct native_run *run, struct symbols *symbols)
{
    enum { MOST_STEPS = 2000 };
    struct trace *t = native_trace(run, symbols);
    if (t->steps.len <= MOST_STEPS) return t;
    trace_free(t);
    return NULL;
}

static bool is_spurious(const struct rt_event *e) { return (e->flags & SCHED_SURPRISE) && e->choice; }

const char *check_explain_preemption(struct check *c, const struct native_run *recorded, struct trace *t)
{
    const struct rt_shared *s = recorded->shared;
    size_t last = SIZE_MAX, row = 0;
    bool *preempts = native_preemptions(s);
    for (uint32_t i = 0; i < s->event_count; i++)
        if (preempts[i] || s->events[i].stale || is_spurious(&s->events[i])) last = i;
    free(preempts);
    if (last == SIZE_MAX) return NULL;
    for (size_t i = 0; i < t->steps.len; i++)
        if (trace_step_is_preemption(t, i) || t->steps.at[i].stale || t->steps.at[i].early || t->steps.at[i].spurious)
            row = i;
    const char *what = t->steps.at[row].stale      ? "if step %zu reads the newest value"
                       : t->steps.at[row].early    ? "if step %zu writes the newest value"
                       : t->steps.at[row].spurious ? "without the spurious event of step %zu"
                                                   : "without the preemption before step %zu";
    struct native_run without;
    check_record(c, s, last, &without);
    bool passes = without.shared->status == RT_FINISHED && !without.shared->findings;
    if (passes) t->other = run_to_compare(&without, c->symbols);
    native_run_release(&without);
    if (!passes) return NULL;
    const char *without_it = arena_printf(&t->arena, what, row + 1);
    return arena_printf(&t->arena, "%s the same schedule passes (tried)", without_it);
}
