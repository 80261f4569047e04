/* What holds only because nothing was put to the test: a premise that is never true, an assertion that nobody comes to.
 * That is no error, but says nothing about the model either, and its author should know.
 *
 * Premises: an implication is looked at where it must hold by itself, with nothing but [] and && around it. If the
 * property holds with "false" behind the arrow too, the premise is never true in an execution that was looked at.
 * That takes another search, which ends at the first execution in which the premise is true, so usually soon. The
 * propositions, and what evaluates them, are those of the property. */
#include "check/explicit_int.h"

#include "promela/promela.h"

#include <assert.h>
#include <string.h>

/* ---- premises ---- */

static void add_premise(struct prepared *x, const struct expr *premise, bool always)
{
    struct formulas *c = &x->formulas;
    size_t propositions = c->props.list.len;
    const struct formula *f = formula_of_expr(c, premise);
    assert(f && c->props.list.len == propositions); /* it is a part of a formula that was made already */
    struct premise p = {.violation = always ? formula_make(c, F_UNTIL, formula_make(c, F_TRUE, NULL, NULL), f) : f};
    if (!buchi_of_formula(c, p.violation, &p.automaton)) {
        buchi_release(&p.automaton);
        return;
    }
    struct str text = {0};
    promela_print_expr(premise, &text);
    p.text = arena_printf(c->arena, "the premise %s of %s %s", str_get(&text), x->title,
                          always ? "was never true" : "held in no run");
    str_release(&text);
    vec_push(&x->premises, p);
}

static void find(struct prepared *x, const struct expr *e, bool always)
{
    if (e->kind == EXPR_ALWAYS) find(x, e->a, true);
    else if (e->kind == EXPR_IMPLIES) add_premise(x, e->a, always);
    else if (e->kind == EXPR_BINARY && e->op == OP_AND) {
        find(x, e->a, always);
        find(x, e->b, always);
    }
}

void premises_find(struct prepared *x, const struct expr *formula)
{
    assert(x->p.violation && !x->premises.len);
    find(x, formula, false);
}

/* bounded: the claim that is made goes no further than the bound, so this need not either. */
static bool is_never_true(struct model *m, const struct prepared *x, const struct premise *premise,
                          const struct search_options *options, bool bounded)
{
    struct property p = x->p;
    p.number = -1;
    struct search_result r = {0};
    p.automaton = &premise->automaton;
    p.violation = premise->violation;
    if (p.reduction != REDUCTION_NONE && !buchi_is_stutter_closed(p.automaton)) p.reduction = REDUCTION_NONE;
    cycles_search(m, &p, options, &r);
    bool never = !r.errors && (r.stop == STOP_COMPLETE || (r.stop == STOP_BOUND && bounded));
    search_result_release(&r);
    return never;
}

const char *premises_never_true(struct model *m, const struct prepared *x, const struct search_options *options,
                                bool bounded)
{
    for (size_t i = 0; i < x->premises.len; i++)
        if (is_never_true(m, x, &x->premises.at[i], options, bounded)) return x->premises.at[i].text;
    return NULL;
}

void premises_release(struct prepared *x)
{
    for (size_t i = 0; i < x->premises.len; i++) buchi_release(&x->premises.at[i].automaton);
    vec_release(&x->premises);
}

/* ---- assertions ---- */

static bool begins(const char *text, const char *word) { return !strncmp(text, word, strlen(word)); }

/* Statements that can have an assertion inside count too. */
static bool may_assert(const char *text)
{
    return begins(text, "assert(") || begins(text, "D_STEP") || begins(text, "c_code") || begins(text, "c_expr");
}

bool model_has_assertions(struct model *m)
{
    for (uint32_t i = 0; i < m->transition_count; i++)
        if (may_assert(m->ops->transition(m, i)->text)) return true;
    return false;
}

static void count_unreached(void *ctx, const char *proctype, const char *what)
{
    const char *text = strchr(what, '"');
    (void)proctype;
    assert(text);
    *(size_t *)ctx += may_assert(text + 1);
}

bool model_has_assertions_only_unreached(struct model *m)
{
    size_t all = 0, unreached = 0;
    for (uint32_t i = 0; i < m->transition_count; i++) all += may_assert(m->ops->transition(m, i)->text);
    if (all) m->ops->unreached(m, count_unreached, &unreached);
    return all && unreached == all;
}
