/* The properties of infinite executions in a check of a Promela model. */
#include "check/explicit_check_int.h"

#include <string.h>

static bool is_same_error(const struct trace *a, const struct trace *b)
{
    return !strcmp(a->kind, b->kind) && !strcmp(a->message, b->message);
}

/* After the first error. One that was met on the way to a violation may have a trace already. */
static void add_error(struct explicit_check *c, const struct prepared *x, struct trace *t)
{
    const struct result *r = c->result;
    bool known = !c->found.error.violates && is_same_error(t, r->error);
    for (size_t i = 0; !c->found.error.violates && i < r->others.len; i++)
        known |= is_same_error(t, r->others.at[i].trace);
    if (known) trace_free(t);
    else result_add_error(c->result, t, c->found.error.violates ? x->p.name : NULL, c->job);
}

/* A limit was reached before there was a run of it. A statement can fail on the way to a violation. */
static void report_unbuilt(struct explicit_check *c, const struct prepared *x)
{
    if (c->found.fault) explicit_report_unbuilt_error(c);
    else explicit_report_unbuilt(c, x->p.kind, x->p.text);
}

static void build_violation_trace(struct explicit_check *c, const struct prepared *x)
{
    const struct schedule *s = &c->found.error;
    if (c->found.unbuilt) {
        report_unbuilt(c, x);
        return;
    }
    double until;
    if (c->probed.exists) explicit_patience_begin(c, &until);
    if (c->search.bound >= 0 && !explicit_finds_fewest(c)) c->found.error_level = schedule_preemptions(c->m, s);
    if (!c->probed.exists) violation_shorten(c->m, &x->p, &c->search, &c->found); /* a probe has done it */
    if (!explicit_finds_fewest(c)) c->found.error_level = -1; /* that nothing cheaper fails is not known */
    struct trace *t = s->violates ? trace_of_violation(c->m, &x->p, s) : trace_of_schedule(c->m, s);
    bool cut = c->m->cut;
    if (c->probed.exists) explicit_patience_end(c);
    if (cut) {
        trace_free(t);
        report_unbuilt(c, x);
        return;
    }
    if (!t) BUG("the execution that violates %s does not do so when it is run again", x->p.name);
    promela_describe(t, c->m, c->job->files[0], &c->o->flags);
    if (c->properties.needs_exact && !c->o->flags.exact) vec_push(&t->options, "--exact");
    if (s->violates) property_describe(t, &c->o->flags, x);
    if (c->result->error) {
        add_error(c, x, t);
        return;
    }
    if (c->probed.exists) explicit_explain_probe(c);
    if (c->found.error_level >= 0) explicit_explain_level(c);
    explicit_compare_without_preemption(c, x, t);
    c->result->error = t;
    explicit_write_files(c, t);
}

static void print_property(const struct explicit_check *c, const struct prepared *x)
{
    char states[64], time[32];
    printf("%s: %s%s; ", x->title, counted(states, c->found.states, "state"),
           seconds_words(time, c->found.seconds, &c->job->common));
    if (x->is_safety) printf("a safety property; ");
    if (c->found.has_error) printf(c->found.error.violates ? "violated; " : "an error on the way; ");
    else if (c->found.faults_left) printf("executions in which a statement fails were left out; ");
    if (x->p.reduction == REDUCTION_NONE) printf("not reduced: %s\n", x->not_reduced);
    else printf("reduced%s\n", x->p.reduction == REDUCTION_SI ? "" : ", UNSOUNDLY");
}

/* Looked at only where nothing was found and something is claimed. Returns the one that is never true. */
static const char *note_premises(struct explicit_check *c, const struct prepared *x, struct part *p,
                                 const struct finished *before)
{
    if (part_verdict(p) == VERDICT_UNKNOWN) return NULL;
    struct search_options again = c->search;
    again.level_done = NULL;
    again.checkpoints = NULL;
    const char *premise = before ? before->premise
                                 : premises_never_true(c->m, x, &again, p->reach == REACH_PREEMPTIONS);
    progress_clear(&c->progress);
    if (premise) part_omit(p, LOSS_VACUOUS, "%s", premise);
    return premise;
}

/* Reduction within a bound needs levels that are lower bounds. */
static void plan_bounded(const struct explicit_check *c, struct prepared *x)
{
    if (c->search.bound < 0 || x->p.reduction == REDUCTION_NONE || x->p.reduction == REDUCTION_SI) return;
    x->not_reduced = "a bound was given";
    x->p.reduction = REDUCTION_NONE;
}

static void run_cycles(struct explicit_check *c, const struct prepared *x)
{
    c->reduces = x->p.reduction != REDUCTION_NONE;
    cycles_search(c->m, &x->p, &c->search, &c->found);
    c->checkpoints.resume = NULL;
    progress_clear(&c->progress);
}

/* Within a bound a reduced search proves that there is no violation. What it finds instead may need more preemptions
 * than its level says, and is looked for again without reduction. */
static void count_preemptions(struct explicit_check *c, struct prepared *x, size_t levels)
{
    bool talks = c->talks;
    const struct search_checkpoints *checkpoints = c->search.checkpoints; /* who goes on begins with the reduced one */
    x->p.reduction = REDUCTION_NONE;
    x->not_reduced = "there is a violation, and its preemptions are counted";
    c->result->bounds.len = levels;
    c->talks = false;
    c->search.checkpoints = NULL;
    search_result_release(&c->found);
    run_cycles(c, x);
    c->talks = talks;
    c->search.checkpoints = checkpoints;
}

static void search_property(struct explicit_check *c, struct prepared *x)
{
    size_t levels = c->result->bounds.len;
    explicit_probe_begin(c, x);
    run_cycles(c, x);
    explicit_probe_end(c);
    bool full = c->found.stop == STOP_MEMORY && !c->found.errors;
    if (full && c->o->when_full && c->search.store == STORE_EXACT) {
        c->result->bounds.len = levels;
        explicit_use_less(c);
        run_cycles(c, x);
    }
    if (c->found.errors && x->p.reduction == REDUCTION_SI && explicit_finds_fewest(c)) count_preemptions(c, x, levels);
}

/* title: what is looked at */
static void check_property_once(struct explicit_check *c, int number, const char *title)
{
    struct prepared *x = c->properties.list.at[number];
    bool had_error = c->result->error != NULL;
    search_result_release(&c->found);
    c->passes = c->at_least = -1;
    const struct finished *before = explicit_recall(c);
    c->probed = (struct probe_finding){0};
    if (!before && !explicit_take_ahead(c)) search_property(c, x);
    if (c->found.bad_checkpoint) return;
    explicit_copy_counts(c);
    if (c->found.has_error) build_violation_trace(c, x);
    const char *premise = note_premises(c, x, explicit_cover(c, x, title), before);
    explicit_remember(c, premise, (size_t)number + 1 == c->properties.list.len);
    explicit_ask(c, number, !had_error && c->result->error);
    if (c->talks) print_property(c, x);
}

/* An error on the way says nothing about the property: with --all-errors it is looked for in executions without one,
 * from the beginning if safety was looked at before. */
static void check_property(struct explicit_check *c, int number)
{
    struct prepared *x = c->properties.list.at[number];
    c->property = x->p.name;
    if (c->talks && c->search.bound >= 0 && c->search.level_done) printf("%s:\n", x->p.name);
    plan_bounded(c, x);
    if (explicit_is_unsound(x->p.reduction))
        fprintf(stderr, "heddle: warning: --por=%s misses errors; it is here to show that\n",
                por_names[c->o->flags.por]);
    c->search.leave_faults = c->search.all_errors && !c->properties.chosen;
    check_property_once(c, number, x->title);
    if (!c->search.all_errors || !c->found.has_error || c->found.error.violates) return;
    struct str title = {0};
    str_printf(&title, "%s where no statement fails", x->title);
    c->search.leave_faults = true;
    check_property_once(c, number, str_get(&title));
    str_release(&title);
}

void explicit_check_properties(struct explicit_check *c)
{
    if (!c->properties.chosen) c->search.level_done = NULL; /* the ledger is that of safety */
    bool all = c->job->common.all_errors;
    for (size_t i = 0; i < c->properties.list.len && (all || !c->result->error) && !c->found.bad_checkpoint; i++)
        check_property(c, (int)i);
}
