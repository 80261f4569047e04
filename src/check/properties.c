/* Which properties are checked, and their automata: from ltl blocks, formulas of the command line, never claims, and
 * the labels that stand for acceptance and progress. */
#include "check/explicit_int.h"

#include "promela/promela.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NORMAL_STATES = 1 << 14, MOST_AUTOMATON_STATES = 60000 };
const char *const por_names[] = {"si", "v1", "v0", NULL};

static enum reduction wanted_reduction(const struct promela_flags *f)
{
    if (f->no_por) return REDUCTION_NONE;
    return f->por == 1 ? REDUCTION_V1 : f->por == 2 ? REDUCTION_V0 : REDUCTION_SI;
}

static struct prepared *add_property(struct properties *all, struct program *p, const struct promela_flags *f,
                                     const char *name, const char *kind)
{
    struct prepared *x = xcalloc(1, sizeof *x);
    formulas_init(&x->formulas, &p->arena);
    x->formulas.limits = all->limits;
    bool labels = !strcmp(name, "acceptance") || !strcmp(name, "progress");
    x->title = labels ? !strcmp(name, "progress") ? "progress" : "absence of acceptance cycles"
                      : arena_printf(&p->arena, "%s %s", !strcmp(kind, "ltl") ? "ltl" : "claim", name);
    x->p = (struct property){.name = name,
                             .kind = kind,
                             .claim = -1,
                             .fair = f->fair,
                             .no_stutter = f->no_stutter,
                             .formulas = &x->formulas};
    x->p.number = (int)all->list.len;
    vec_push(&all->list, x);
    return x;
}

/* ---- reduction ---- */

/* The automaton in the form that the reduction needs, or why there is none. */
static void plan_reduction(struct prepared *x, const struct promela_flags *f)
{
    enum reduction how = wanted_reduction(f);
    x->p.automaton = &x->automaton;
    x->p.reduction = REDUCTION_NONE;
    if (how == REDUCTION_NONE) x->not_reduced = "--no-por";
    else if (x->minds_stuttering)
        x->not_reduced = x->not_reduced ? x->not_reduced : "the property depends on how often a state is repeated";
    else if (f->fair) x->not_reduced = "weak fairness";
    else if (how != REDUCTION_SI || buchi_is_stutter_closed(&x->automaton)) x->p.reduction = how;
    else if (buchi_stutter_closed_form(&x->automaton, MOST_NORMAL_STATES, &x->normal)) {
        x->p.automaton = &x->normal;
        x->p.reduction = how;
    } else x->not_reduced = "the normal form of the automaton would be too large";
}

static void judge_stuttering(struct prepared *x)
{
    enum stutter s = buchi_stutter(&x->automaton);
    x->minds_stuttering = s != STUTTER_INVARIANT;
    if (s == STUTTER_UNKNOWN) x->not_reduced = "it is not known whether the property minds stuttering";
}

/* ---- kinds of properties ---- */

static bool from_formula(struct prepared *x, const struct formula *violation, const struct promela_flags *f)
{
    x->p.violation = violation;
    if (!buchi_of_formula(&x->formulas, violation, &x->automaton)) return false;
    if (x->automaton.states.len > MOST_AUTOMATON_STATES) {
        x->formulas.error = "the automaton of the formula is too large";
        return false;
    }
    x->is_safety = buchi_is_safety(&x->automaton);
    if (formula_has_next(violation)) judge_stuttering(x);
    plan_reduction(x, f);
    return true;
}

static bool mentions(const struct expr *e, enum expr_kind kind)
{
    if (!e) return false;
    if (e->kind == kind || mentions(e->a, kind) || mentions(e->b, kind) || mentions(e->c, kind)) return true;
    for (size_t i = 0; i < e->args.len; i++)
        if (mentions(e->args.at[i], kind)) return true;
    return false;
}

static bool add_ltl(struct properties *all, struct program *p, const struct promela_flags *f, const struct ltl *l,
                    struct diags *d)
{
    struct prepared *x = add_property(all, p, f, l->name, "ltl");
    struct str text = {0};
    if (mentions(l->formula, EXPR_TIMEOUT)) {
        diag_error(d, l->pos, "timeout cannot be a proposition");
        return false;
    }
    const struct formula *formula = formula_of_expr(&x->formulas, l->formula);
    if (formula && from_formula(x, formula_not(&x->formulas, formula), f)) {
        premises_find(x, l->formula);
        promela_print_expr(l->formula, &text);
        x->p.text = arena_printf(&p->arena, "%s: %s does not hold", l->name, str_get(&text));
        str_release(&text);
    } else {
        diag_error(d, x->formulas.error_pos.file ? x->formulas.error_pos : l->pos, "%s", x->formulas.error);
        return false;
    }
    if (f->por == 0 && x->minds_stuttering) {
        diag_error(d, l->pos,
                   "property '%s' depends on how often a state is repeated (X): it cannot be checked with --por",
                   l->name);
        return false;
    }
    return true;
}

/* []<> accept is what must not be, and <>[] of no progress. False: a limit was reached. */
static bool add_label_property(struct properties *all, struct program *p, const struct promela_flags *f, bool progress)
{
    struct prepared *x = add_property(all, p, f, progress ? "progress" : "acceptance",
                                      progress ? "non-progress-cycle" : "acceptance-cycle");
    struct formulas *c = &x->formulas;
    int n = proposition_number(c, progress ? "progress" : "accept", NULL,
                               progress ? PROPOSITION_PROGRESS : PROPOSITION_ACCEPT);
    const struct formula *no = formula_make(c, F_FALSE, NULL, NULL), *yes = formula_make(c, F_TRUE, NULL, NULL);
    const struct formula *label = formula_literal(c, n, progress);
    const struct formula *violation = progress ? formula_make(c, F_UNTIL, yes, formula_make(c, F_RELEASE, no, label))
                                               : formula_make(c, F_RELEASE, no, formula_make(c, F_UNTIL, yes, label));
    if (!from_formula(x, violation, f)) {
        if (limits_reached(all->limits) == LIMIT_NONE) BUG("no automaton for labels");
        return false;
    }
    x->p.no_stutter = true; /* as in Spin: an execution that has come to its end is no cycle */
    x->p.text = progress ? "a cycle without a progress label" : "a cycle through an accept label";
    return true;
}

/* With reduction the claim becomes an automaton; without, it runs as it is written. */
static bool add_claim(struct properties *all, struct program *p, const struct promela_flags *f,
                      const struct proctype *claim, const struct flow *flow)
{
    struct prepared *x = add_property(all, p, f, claim->name, "acceptance-cycle");
    x->p.text = arena_printf(&p->arena, "the never claim '%s' is matched", claim->name);
    const char *why = buchi_of_claim(&x->formulas, flow, claim, &x->automaton);
    x->minds_stuttering = true;
    x->not_reduced = why ? arena_printf(&p->arena, "the claim is more than an automaton: %s", why) : NULL;
    if (!why) judge_stuttering(x);
    if (!why) plan_reduction(x, f);
    if (x->p.reduction == REDUCTION_NONE) {
        x->p.automaton = NULL;
        vec_clear(&x->formulas.props.list);
    }
    return true;
}

/* ---- choosing ---- */

static const struct ltl *ltl_named(const struct program *p, const char *name)
{
    for (size_t i = 0; i < p->ltl.len; i++)
        if (!strcmp(p->ltl.at[i]->name, name)) return p->ltl.at[i];
    return NULL;
}

static const struct proctype *claim_named(const struct program *p, const char *name)
{
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_NEVER && !strcmp(p->proctypes.at[i]->name, name))
            return p->proctypes.at[i];
    return NULL;
}

static void report_unknown(const struct program *p, const char *name, bool claim, struct diags *d)
{
    struct str known = {0};
    for (size_t i = 0; !claim && i < p->ltl.len; i++)
        str_printf(&known, "%s%s", known.len ? ", " : "", p->ltl.at[i]->name);
    for (size_t i = 0; claim && i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_NEVER)
            str_printf(&known, "%s%s", known.len ? ", " : "", p->proctypes.at[i]->name);
    diag_error(d, (struct pos){0}, "the model has no %s named '%s'", claim ? "never claim" : "ltl property", name);
    if (known.len) diag_hint(d, "it has: %s", str_get(&known));
    str_release(&known);
}

static bool names_are_distinct(const struct program *p, struct diags *d)
{
    bool good = true;
    for (size_t i = 0; i < p->ltl.len; i++)
        if (ltl_named(p, p->ltl.at[i]->name) != p->ltl.at[i] || claim_named(p, p->ltl.at[i]->name)) {
            diag_error(d, p->ltl.at[i]->pos, "there is another claim named '%s'", p->ltl.at[i]->name);
            good = false;
        }
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_NEVER && claim_named(p, p->proctypes.at[i]->name) != p->proctypes.at[i]) {
            diag_error(d, p->proctypes.at[i]->pos, "there is another claim named '%s'", p->proctypes.at[i]->name);
            good = false;
        }
    return good;
}

static bool is_wanted(const struct option_list *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++)
        if (!strcmp(names->at[i], name)) return true;
    return false;
}

static bool names_are_known(const struct program *p, const struct promela_flags *f, struct diags *d)
{
    int errors = d->errors;
    for (size_t i = 0; i < f->ltl.len; i++) {
        if (is_property_name(f->ltl.at[i]) && !ltl_named(p, f->ltl.at[i])) report_unknown(p, f->ltl.at[i], false, d);
    }
    for (size_t i = 0; i < f->claims.len; i++)
        if (!claim_named(p, f->claims.at[i])) report_unknown(p, f->claims.at[i], true, d);
    return d->errors == errors;
}

/* The claims and formulas of the model that nobody named are checked too, unless something else was asked for. Accept
 * labels are asked for together with the claims, as with pan -a. */
static bool wants_unnamed(const struct promela_flags *f)
{
    if (f->no_claims || f->ltl.len || f->claims.len) return false;
    return f->acceptance || !f->progress;
}

static bool add_chosen(struct properties *all, struct program *p, const struct promela_flags *f,
                       const struct flow *flow, struct diags *d)
{
    bool good = true, unnamed = wants_unnamed(f);
    size_t proctypes = p->proctypes.len;
    size_t formulas = 0; /* of the command line: they were added behind those of the model */
    for (size_t i = 0; i < f->ltl.len; i++) formulas += !is_property_name(f->ltl.at[i]);
    assert(formulas <= p->ltl.len);
    for (size_t i = 0; i < p->ltl.len; i++) {
        bool wanted = unnamed || i >= p->ltl.len - formulas || is_wanted(&f->ltl, p->ltl.at[i]->name);
        if (wanted) good &= add_ltl(all, p, f, p->ltl.at[i], d);
        all->left_out |= !wanted;
    }
    for (size_t i = 0; i < proctypes; i++) {
        if (p->proctypes.at[i]->kind != PROC_NEVER) continue;
        bool wanted = unnamed || is_wanted(&f->claims, p->proctypes.at[i]->name);
        if (wanted) good &= add_claim(all, p, f, p->proctypes.at[i], flow);
        all->left_out |= !wanted;
    }
    if (f->acceptance) good &= add_label_property(all, p, f, false);
    if (f->progress) good &= add_label_property(all, p, f, true);
    return good;
}

/* Does some process have a label that begins like this? Such labels are looked at on request only. */
static bool has_labels(const struct program *p, const char *prefix)
{
    for (size_t i = 0; i < p->proctypes.len; i++) {
        const struct proctype *t = p->proctypes.at[i];
        for (size_t k = 0; t->kind != PROC_NEVER && k < t->labels.len; k++)
            if (!strncmp(t->labels.at[k]->name, prefix, strlen(prefix))) return true;
    }
    return false;
}

/* ---- evaluating propositions ---- */

static void *arena_array(struct arena *a, size_t count, size_t item)
{
    return arena_alloc(a, MAX(count, (size_t)1) * item);
}

/* :: (proposition) -> skip, where the skip is a control state of its own that tells which one held */
static void fill_option(struct program *p, stmt_list *option, struct expr *guard, struct pos pos)
{
    struct expr *yes = arena_alloc(&p->arena, sizeof *yes);
    *yes = (struct expr){.kind = EXPR_CONST, .value = 1, .pos = pos};
    *option = (stmt_list){arena_array(&p->arena, 2, sizeof(struct stmt *)), 2, 2};
    for (size_t i = 0; i < 2; i++) {
        option->at[i] = arena_alloc(&p->arena, sizeof(struct stmt));
        *option->at[i] = (struct stmt){.kind = STMT_EXPR, .a = i ? yes : guard, .pos = pos};
    }
}

static void add_evaluator(struct program *p, struct prepared *x)
{
    const struct propositions *props = &x->formulas.props;
    struct pos pos = {1, 1, 0};
    struct stmt *choice = arena_alloc(&p->arena, sizeof *choice);
    struct proctype *t = arena_alloc(&p->arena, sizeof *t);
    size_t count = 0;
    for (size_t i = 0; i < props->list.len; i++) count += props->list.at[i].source == PROPOSITION_EXPR;
    if (!count) return;
    *choice = (struct stmt){.kind = STMT_IF, .pos = pos};
    choice->options.at = arena_array(&p->arena, count, sizeof *choice->options.at);
    for (size_t i = 0; i < props->list.len; i++)
        if (props->list.at[i].source == PROPOSITION_EXPR)
            fill_option(p, &choice->options.at[choice->options.len++], props->list.at[i].expr, pos);
    choice->options.cap = count;
    *t = (struct proctype){.kind = PROC_NEVER, .pos = pos, .index = (int)p->proctypes.len};
    t->name = arena_printf(&p->arena, "%s (propositions)", x->p.name);
    t->body = (stmt_list){arena_array(&p->arena, 1, sizeof(struct stmt *)), 1, 1};
    t->body.at[0] = choice;
    void *longer = arena_array(&p->arena, p->proctypes.len + 1, sizeof *p->proctypes.at);
    memcpy(longer, p->proctypes.at, p->proctypes.len * sizeof *p->proctypes.at);
    p->proctypes.at = longer;
    p->proctypes.at[p->proctypes.len++] = t;
    p->proctypes.cap = p->proctypes.len;
    x->evaluator = t;
}

static int claim_number(struct model *m, const char *name)
{
    for (int i = 0; i < m->ops->claim_count(m); i++)
        if (!strcmp(m->ops->claim_name(m, i), name)) return i;
    BUG("the model lost its claim %s", name);
}

/* The edges of the evaluator's first state are the propositions in their order. */
static void connect(struct prepared *x, struct model *m)
{
    if (!x->p.automaton) x->p.claim = claim_number(m, x->p.name);
    if (x->evaluator) x->p.claim = claim_number(m, x->evaluator->name);
    uint32_t next = 0;
    for (size_t i = 0; x->p.automaton && i < x->formulas.props.list.len; i++) {
        int target = 0;
        if (x->formulas.props.list.at[i].source == PROPOSITION_EXPR) {
            const struct transition *t;
            do {
                assert(next < m->transition_count); /* the evaluator has one for each of them */
                t = m->ops->transition(m, next++);
            } while (t->proctype != x->evaluator->index || t->from != m->ops->claim_initial(m, x->p.claim));
            target = t->to;
        }
        vec_push(&x->p.target_of, target);
    }
    assert(!x->p.automaton || x->p.target_of.len == x->formulas.props.list.len);
}

void properties_connect(struct properties *all, struct model *m)
{
    for (size_t i = 0; i < all->list.len; i++) connect(all->list.at[i], m);
}

bool properties_prepare(struct program *p, const struct promela_flags *flags, const struct limits *limits,
                        struct properties *out, struct diags *d)
{
    struct flow flow = {0};
    *out = (struct properties){.limits = limits,
                               .chosen = flags->ltl.len || flags->claims.len || flags->acceptance || flags->progress};
    out->accept_labels = !flags->acceptance && has_labels(p, "accept");
    out->progress_labels = !flags->progress && has_labels(p, "progress");
    bool good = names_are_distinct(p, d) && names_are_known(p, flags, d) && flow_build(p, &flow, d) &&
                add_chosen(out, p, flags, &flow, d);
    flow_release(&flow);
    /* Merging hides states in which others cannot move (they wait for timeout, or for a rendezvous with the process
     * that is at a local statement), and who cannot move now and then is not owed a turn. */
    out->needs_exact = flags->fair;
    for (size_t i = 0; i < out->list.len && good; i++) {
        out->needs_exact |= out->list.at[i]->minds_stuttering;
        if (out->list.at[i]->p.automaton) add_evaluator(p, out->list.at[i]);
    }
    return good;
}

void properties_release(struct properties *all)
{
    for (size_t i = 0; i < all->list.len; i++) {
        struct prepared *x = all->list.at[i];
        buchi_release(&x->automaton);
        buchi_release(&x->normal);
        premises_release(x);
        formulas_release(&x->formulas);
        vec_release(&x->p.target_of);
        free(x);
    }
    vec_release(&all->list);
}
