/* The counterexample of a check of a Promela model, as simple as can be told. */
#include "check/explicit_check_int.h"

#include <stdlib.h>
#include <string.h>

enum { SIMPLIFY_NODES = 2000000, LONG_SCHEDULE = 200 };
#define SIMPLIFY_MEMORY ((size_t)256 << 20) /* more would take too long */

static bool counts_preemptions(const struct explicit_check *c)
{
    return c->search.kind == SEARCH_ORDERED && c->search.store == STORE_EXACT;
}

static void keep_simpler(void *check, struct schedule *s)
{
    struct explicit_check *c = check;
    schedule_release(&c->found.error);
    c->found.error = *s;
}

/* A depth-first search can find an error after a hundred thousand steps of which it needs twenty. */
static void shorten_long(struct explicit_check *c)
{
    struct search_options o = c->search;
    o.budget = MIN(c->job->limits.memory / 8, SIMPLIFY_MEMORY / 4);
    if (c->o->probe == PROBE_ON && c->found.error.choices.len >= LONG_SCHEDULE)
        schedule_make_simple(c->m, &o, &c->found.error, keep_simpler, c);
}

static void simplify(struct explicit_check *c)
{
    struct schedule better;
    struct limits small = c->job->limits;
    char steps[64], preemptions[64];
    long before = schedule_preemptions(c->m, &c->found.error);
    size_t steps_before = c->found.error.choices.len;
    struct str why = {0};
    small.memory = MIN(small.memory, SIMPLIFY_MEMORY);
    shorten_long(c);
    if (c->found.error.choices.len < steps_before)
        str_printf(&why, "shortened: the search found it with %s in %s; ",
                   counted(preemptions, (uint64_t)before, "preemption"), counted(steps, steps_before, "step"));
    if (c->o->shorten)
        str_printf(&why, "shortened: the first one found had %s; ", counted(steps, c->found.first_steps, "step"));
    switch (schedule_simplify(c->m, &c->found.error, &better, SIMPLIFY_NODES, &small)) {
    case SIMPLIFIED_SHORTER:
        if (why.len) str_add(&why, "its steps are reordered");
        else
            str_printf(&why, "reordered: the search found it with %s in %s",
                       counted(preemptions, (uint64_t)before, "preemption"), counted(steps, steps_before, "step"));
        schedule_release(&c->found.error);
        c->found.error = better;
        break;
    case SIMPLIFIED_MINIMAL_ALREADY:
        str_add(&why, "no other order of these steps has fewer preemptions (tried)");
        break;
    case SIMPLIFIED_GAVE_UP: str_add(&why, "too long to look for a simpler order of the same steps"); break;
    }
    c->why = why.at;
}

void explicit_explain_level(struct explicit_check *c)
{
    struct str why = {0};
    int64_t level = c->found.error_level;
    c->passes = level - 1;
    if (level > 0)
        str_printf(&why, "every schedule with at most %lld preemption%s passes (all were checked)",
                   (long long)level - 1, level == 2 ? "" : "s");
    c->why = why.at;
}

/* With reduction the level of an error is a lower bound. If its schedule needs more preemptions than that, whether a
 * simpler one exists is found out without reduction. */
static void settle_reduced(struct explicit_check *c)
{
    simplify(c);
    long fewest = schedule_preemptions(c->m, &c->found.error);
    struct search_result again = {0};
    if (c->m->cut) return;
    if (fewest > c->found.error_level) {
        struct search_options full = c->search;
        full.reduce = false;
        full.bound = fewest - 1;
        full.all_errors = false;
        full.level_done = NULL;
        explicit_limit_rest(c, &full);
        search_run(c->m, &full, &again);
    }
    if (again.has_error) {
        schedule_release(&c->found.error);
        c->found.error = again.error;
        c->found.fault = again.fault;
        memcpy(c->found.fault_message, again.fault_message, sizeof again.fault_message);
        again.error = (struct schedule){0};
        fewest = again.error_level;
    }
    bool settled =
        fewest == c->found.error_level || again.has_error || again.stop == STOP_BOUND || again.stop == STOP_COMPLETE;
    c->at_least = settled ? -1 : (long)MAX(c->found.error_level, again.bound + 1);
    c->found.error_level = fewest;
    if (settled) {
        free(c->why);
        explicit_explain_level(c);
    }
    search_result_release(&again);
}

/* The run without the last preemption, beside the one that fails if it passes; what came of it goes where nothing else
 * explains the error. x: the property, NULL: assertions and end states. */
void explicit_compare_without_preemption(struct explicit_check *c, const struct prepared *x, struct trace *t)
{
    struct schedule without;
    size_t step;
    if (x && x->p.fair) return; /* who never preempts is not fair */
    if (!schedule_without_preemption(c->m, &c->found.error, &step, &without)) return;
    struct trace *run = trace_of_run(c->m, &without), *fails = NULL;
    if (x && c->found.error.violates) fails = trace_of_violation(c->m, &x->p, &without);
    bool passes = run && !run->kind && !fails && !c->m->cut;
    struct str why = {0};
    if (passes) t->other = run;
    else trace_free(run);
    trace_free(fails);
    schedule_release(&without);
    if ((c->why && *c->why) || c->m->cut) return;
    str_printf(&why, passes ? "without the preemption before step %zu the same schedule passes (tried)"
                            : "it fails without the preemption before step %zu, too (tried)", step + 1);
    free(c->why);
    c->why = why.at;
}

void explicit_write_files(struct explicit_check *c, struct trace *t)
{
    result_write_trace(c->result, t, c->why, c->job);
    if (c->o->trail && trail_write(c->m, t, c->o->trail)) result_lost_file(c->result, c->o->trail, true);
}

/* An error that is certain, but a limit was reached before there was a run of it. */
void explicit_report_unbuilt(struct explicit_check *c, const char *kind, const char *message)
{
    enum limit reached = limits_reached_memory(&c->job->limits);
    struct str why = {0};
    if (c->result->error) return;
    struct trace *t = trace_new();
    t->kind = arena_strdup(&t->arena, kind);
    t->message = arena_strdup(&t->arena, message);
    str_printf(&why, "found, but %s before its run was built",
               reached == LIMIT_TIME ? "out of time" : reached == LIMIT_INTERRUPT ? "interrupted" : "out of memory");
    c->result->error = t;
    c->result->no_trace = why.at;
}

void explicit_report_unbuilt_error(struct explicit_check *c)
{
    if (c->found.fault) explicit_report_unbuilt(c, c->found.fault, c->found.fault_message);
    else if (c->found.error.deadlock) explicit_report_unbuilt(c, "deadlock", "no process can move");
    else explicit_report_unbuilt(c, "error", "a statement fails");
}

/* The error that was found, with the fewest preemptions that can be told, as a trace; NULL: a limit was reached. */
static struct trace *simplest_trace(struct explicit_check *c)
{
    double until;
    if (c->probed.exists) {
        explicit_patience_begin(c, &until);
        explicit_explain_probe(c);
    } else if (counts_preemptions(c) && c->search.reduce) settle_reduced(c);
    else if (counts_preemptions(c)) explicit_explain_level(c);
    else simplify(c);
    struct trace *t = trace_of_schedule(c->m, &c->found.error);
    bool cut = c->m->cut;
    if (c->probed.exists) explicit_patience_end(c);
    if (cut) {
        trace_free(t);
        return NULL;
    }
    if (!t) BUG("the schedule of an error does not fail when it is replayed");
    t->at_least = c->at_least;
    promela_describe(t, c->m, c->job->files[0], &c->o->flags);
    return t;
}

void explicit_build_trace(struct explicit_check *c)
{
    struct trace *t = simplest_trace(c);
    if (!t) {
        explicit_report_unbuilt_error(c);
        return;
    }
    c->result->error = t;
    explicit_compare_without_preemption(c, NULL, t);
    explicit_write_files(c, t);
}

/* --all-errors: the search runs again, without those that have a trace, until it finds no more. Errors are the same if
 * it is the same statement that fails, and ends are all the same. */
void explicit_build_other_traces(struct explicit_check *c)
{
    enum { MOST_TRACES = 100 };
    struct explicit_check again = {.job = c->job, .o = c->o, .result = c->result, .m = c->m, .search = c->search,
                                   .progress = c->progress, .at_least = -1};
    struct known_errors known = {0};
    again.search.kind = SEARCH_ORDERED;
    again.search.workers = 0;
    again.search.depth = 0;
    again.search.all_errors = again.search.shorten = false;
    again.search.level_done = NULL;
    again.search.ctx = &again;
    again.search.known = &known;
    known_errors_add(&known, c->m, &c->found.error);
    while (c->result->others.len + 1 < MOST_TRACES) {
        search_run(c->m, &again.search, &again.found);
        if (!again.found.has_error) break;
        struct trace *t = simplest_trace(&again); /* which may turn out to be yet another error */
        if (!t) break;
        known_errors_add(&known, c->m, &again.found.error);
        result_add_error(c->result, t, NULL, c->job);
        free_null((void **)&again.why);
        search_result_release(&again.found);
    }
    progress_clear(&again.progress);
    search_result_release(&again.found);
    vec_release(&known.transitions);
}
