/* A never claim as an automaton over propositions, where it only looks at the state of the model.
 *
 * Each step of a claim evaluates one guard, so guards become labels and control states become states. The end of the
 * claim accepts everything that follows. What is more than that (assertions, timeout, _last, ...) has no automaton;
 * such a claim runs as it is. */
#include "ltl/ltl.h"
#include "promela/promela.h"

#include <string.h>

typedef VEC(struct cube) cube_list;

static const char *unsuitable(const struct expr *e)
{
    static const struct { enum expr_kind kind; const char *why;
    } rows[] = {{EXPR_TIMEOUT, "it waits for timeout"},    {EXPR_LAST, "it looks at _last"},
                {EXPR_NONPROGRESS, "it looks at np_"},     {EXPR_ENABLED, "it asks for enabled()"},
                {EXPR_PC_VALUE, "it asks for pc_value()"}, {EXPR_C_CODE, "it has embedded C"}};
    if (!e) return NULL;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (e->kind == rows[i].kind) return rows[i].why;
    const struct expr *parts[] = {e->a, e->b, e->c};
    const char *why = NULL;
    for (size_t i = 0; i < ARRAY_LEN(parts) && !why; i++) why = unsuitable(parts[i]);
    for (size_t i = 0; i < e->args.len && !why; i++) why = unsuitable(e->args.at[i]);
    for (size_t i = 0; i < e->ref.parts.len && !why; i++) why = unsuitable(e->ref.parts.at[i].index);
    return why;
}

enum { MOST_CUBES = 4096 };

/* Disjunctive normal form of a formula without temporal operators. */
static void cubes_of(const struct formula *f, cube_list *out)
{
    letter bit = f->kind == F_LITERAL ? UINT64_C(1) << f->proposition : 0;
    cube_list a = {0}, b = {0};
    switch (f->kind) {
    case F_TRUE: vec_push(out, (struct cube){0}); break;
    case F_LITERAL: vec_push(out, ((struct cube){f->negated ? 0 : bit, f->negated ? bit : 0})); break;
    case F_OR:
        cubes_of(f->a, out);
        cubes_of(f->b, out);
        break;
    case F_AND:
        cubes_of(f->a, &a);
        cubes_of(f->b, &b);
        for (size_t i = 0; i < a.len; i++)
            for (size_t k = 0; k < b.len && out->len < MOST_CUBES; k++) {
                struct cube c = {a.at[i].pos | b.at[k].pos, a.at[i].neg | b.at[k].neg};
                if (!cube_is_empty(c)) vec_push(out, c);
            }
        break;
    default: break;
    }
    vec_release(&a);
    vec_release(&b);
}

static const struct formula *guard_of(struct formulas *c, const struct edge *e, const struct formula *others,
                                      const char **why)
{
    if (e->kind == EDGE_ELSE) return formula_not(c, others);
    if (e->kind == EDGE_SKIP || e->kind == EDGE_END) return formula_make(c, F_TRUE, NULL, NULL);
    if (e->kind != EDGE_STMT || e->stmt->kind != STMT_EXPR) {
        *why = "it has statements that are not conditions";
        return NULL;
    }
    if ((*why = unsuitable(e->stmt->a))) return NULL;
    const struct formula *f = formula_of_expr(c, e->stmt->a);
    if (!f) *why = c->error;
    return f;
}

static const char *add_edges(struct formulas *c, const struct automaton *a, int from, struct buchi *out)
{
    const char *why = NULL;
    const struct formula *others = formula_make(c, F_FALSE, NULL, NULL);
    for (int pass = 0; pass < 2; pass++) /* else means: none of the others */
        for (size_t k = 0; k < a->at[from].edges.len; k++) {
            const struct edge *e = &a->at[from].edges.at[k];
            if ((e->kind == EDGE_ELSE) != (pass == 1) || e->kind == EDGE_END) continue;
            const struct formula *guard = guard_of(c, e, others, &why);
            if (!guard) return why;
            others = formula_make(c, F_OR, others, guard);
            cube_list cubes = {0};
            cubes_of(guard, &cubes);
            bool too_many = cubes.len >= MOST_CUBES;
            for (size_t i = 0; i < cubes.len; i++) buchi_add_edge(out, from, cubes.at[i], e->to);
            vec_release(&cubes);
            if (too_many) return "its guards are too complex";
        }
    return NULL;
}

const char *buchi_of_claim(struct formulas *c, const struct flow *flow, const struct proctype *claim, struct buchi *out)
{
    const struct automaton *a = &flow->automata.at[claim->index];
    *out = (struct buchi){.initial = a->initial, .limits = c->limits};
    for (int s = 0; s < a->count; s++) buchi_add_state(out, s > 0 && (a->at[s].accept || s == a->final));
    buchi_add_edge(out, a->final, (struct cube){0}, a->final);
    const char *why = NULL;
    for (int s = 1; s < a->count && !why; s++)
        if (s != a->final) why = add_edges(c, a, s, out);
    if (!why) buchi_trim(out);
    if (why) buchi_release(out);
    return why;
}
