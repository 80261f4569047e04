/* The properties of infinite executions in a check of a Promela model. */
#include "check/explicit_check_int.h"

#include <assert.h>
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

static void build_violation_trace(struct explicit_check *c, const struct prepared *x)
{
    const struct schedule *s = &c->found.error;
    if (c->found.unbuilt) {
        explicit_report_unbuilt(c, x->p.kind, x->p.text);
        return;
    }
    violation_shorten(c->m, &x->p, &c->search, &c->found);
    struct trace *t = s->violates ? trace_of_violation(c->m, &x->p, s) : trace_of_schedule(c->m, s);
    if (c->m->cut) {
        trace_free(t);
        explicit_report_unbuilt(c, x->p.kind, x->p.text);
        return;
    }
    if (!t) BUG("the execution that violates %s does not do so when it is run again", x->p.name);
    promela_describe(t, c->job->files[0], &c->o->flags);
    if (c->properties.needs_exact && !c->o->flags.exact) vec_push(&t->options, "--exact");
    if (s->violates) property_describe(t, &c->o->flags, x);
    if (c->result->error) {
        add_error(c, x, t);
        return;
    }
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
    if (c->search.bound >= 0) printf("not reduced: a bound was given\n");
    else if (x->p.reduction == REDUCTION_NONE) printf("not reduced: %s\n", x->not_reduced);
    else printf("reduced%s\n", x->p.reduction == REDUCTION_SI ? "" : ", UNSOUNDLY");
}

/* Looked at only where nothing was found and something is claimed. */
static void note_premises(struct explicit_check *c, const struct prepared *x, struct part *p)
{
    if (part_verdict(p) == VERDICT_UNKNOWN) return;
    struct search_options again = c->search;
    again.level_done = NULL;
    const char *premise = premises_never_true(c->m, x, &again, p->reach == REACH_PREEMPTIONS);
    progress_clear(&c->progress);
    if (premise) part_omit(p, LOSS_VACUOUS, "%s", premise);
}

static void check_property(struct explicit_check *c, int number)
{
    struct prepared *x = c->properties.list.at[number];
    bool had_error = c->result->error != NULL;
    search_result_release(&c->found);
    c->passes = -1;
    c->property = x->p.name;
    if (c->talks && c->search.bound >= 0 && c->search.level_done) printf("%s:\n", x->p.name);
    if (c->search.bound >= 0) x->p.reduction = REDUCTION_NONE;
    if (explicit_is_unsound(x->p.reduction))
        fprintf(stderr, "heddle: warning: --por=%s misses errors; it is here to show that\n",
                por_names[c->o->flags.por]);
    cycles_search(c->m, &x->p, &c->search, &c->found);
    progress_clear(&c->progress);
    explicit_copy_counts(c);
    if (c->found.has_error) build_violation_trace(c, x);
    note_premises(c, x, explicit_cover(c, x, x->title));
    explicit_ask(c, number, !had_error && c->result->error);
    if (c->talks) print_property(c, x);
}

void explicit_check_properties(struct explicit_check *c)
{
    assert(!c->properties.list.len || c->search.store == STORE_EXACT);
    if (!c->properties.chosen) c->search.level_done = NULL; /* the ledger is that of safety */
    bool all = c->job->common.all_errors;
    for (size_t i = 0; i < c->properties.list.len && (all || !c->result->error); i++) check_property(c, (int)i);
}
