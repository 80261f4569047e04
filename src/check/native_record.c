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
    return config;
}

/* A livelock is shown as far as the schedule goes: nothing would end it. */
void check_record(struct check *c, const struct rt_shared *from, size_t steps, struct native_run *out)
{
    struct rt_config config = recording(from);
    bool to_the_end = steps >= from->first_step_count && from->finding.kind == RT_LIVELOCK && from->first_step_count;
    config.max_steps = to_the_end ? from->first_step_count : (size_t)c->options->max_steps;
    if (to_the_end) config.max_start = 0;
    run_schedule(c, from, config, steps, out);
}

bool check_same_failure(const struct rt_shared *a, const struct rt_shared *b)
{
    return b->findings && a->finding.kind == b->finding.kind;
}

/* The very same: also in the same place, unless it is that of whoever happened to move last. */
static bool is_the_failure(const struct rt_shared *a, const struct rt_shared *b)
{
    bool anywhere = a->finding.kind == RT_DEADLOCK || a->finding.kind == RT_LIVELOCK;
    return check_same_failure(a, b) && (anywhere || a->finding.here.pc == b->finding.here.pc);
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

bool check_simplify(struct check *c, struct native_run *recorded)
{
    struct native_run simpler;
    bool found = reorder(c, recorded->shared, RT_WHAT_FAILS, &simpler) ||
                 reorder(c, recorded->shared, RT_ALL_STEPS, &simpler);
    if (!found) return false;
    native_run_release(recorded);
    *recorded = simpler;
    return true;
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

const char *check_explain_preemption(struct check *c, const struct native_run *recorded, struct trace *t)
{
    const struct rt_shared *s = recorded->shared;
    size_t last = SIZE_MAX, row = 0;
    bool *preempts = native_preemptions(s);
    for (uint32_t i = 0; i < s->event_count; i++)
        if (preempts[i] || s->events[i].stale) last = i;
    free(preempts);
    if (last == SIZE_MAX) return NULL;
    for (size_t i = 0; i < t->steps.len; i++)
        if (trace_step_is_preemption(t, i) || t->steps.at[i].stale || t->steps.at[i].early) row = i;
    const char *what = t->steps.at[row].stale   ? "if step %zu reads the newest value"
                       : t->steps.at[row].early ? "if step %zu writes the newest value"
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
