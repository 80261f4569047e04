/* Promela expressions with temporal operators -> formulas. What has no temporal operator in it and is no connective is
 * a proposition, identified by its text; comparisons and their opposites become one. */
#include "ltl/ltl.h"

#include <string.h>

int proposition_number(struct formulas *c, const char *text, struct expr *expr, enum proposition_source source)
{
    for (size_t i = 0; i < c->props.list.len; i++)
        if (c->props.list.at[i].source == source && !strcmp(c->props.list.at[i].text, text)) return (int)i;
    if (c->props.list.len == LTL_MOST_PROPOSITIONS) {
        c->error = "a formula may have at most 62 different propositions";
        return -1;
    }
    vec_push(&c->props.list, ((struct proposition){arena_strdup(c->arena, text), expr, source}));
    return (int)c->props.list.len - 1;
}

static bool is_temporal(enum expr_kind k)
{
    return k == EXPR_ALWAYS || k == EXPR_EVENTUALLY || k == EXPR_NEXT || k == EXPR_UNTIL || k == EXPR_WEAK_UNTIL ||
           k == EXPR_RELEASE || k == EXPR_IMPLIES || k == EXPR_EQUIVALENT;
}

static const struct expr *temporal_in(const struct expr *e)
{
    const struct expr *found = NULL;
    if (!e) return NULL;
    if (is_temporal(e->kind)) return e;
    if (!(found = temporal_in(e->a)) && !(found = temporal_in(e->b))) found = temporal_in(e->c);
    for (size_t i = 0; !found && i < e->args.len; i++) found = temporal_in(e->args.at[i]);
    for (size_t i = 0; !found && i < e->ref.parts.len; i++) found = temporal_in(e->ref.parts.at[i].index);
    return found;
}

/* x != 1 is the negation of x == 1, and so on. */
static struct expr *plain_form(struct formulas *c, const struct expr *e, bool *negated)
{
    struct expr *x = arena_alloc(c->arena, sizeof *x);
    *x = *e;
    *negated = true;
    if (e->kind == EXPR_BINARY && e->op == OP_NE) x->op = OP_EQ;
    else if (e->kind == EXPR_BINARY && e->op == OP_GE) x->op = OP_LT;
    else if (e->kind == EXPR_BINARY && e->op == OP_LE) x->op = OP_GT;
    else if (e->kind == EXPR_NEMPTY) x->kind = EXPR_EMPTY;
    else if (e->kind == EXPR_NFULL) x->kind = EXPR_FULL;
    else *negated = false;
    return x;
}

static const struct formula *proposition(struct formulas *c, const struct expr *e)
{
    const struct expr *inside = temporal_in(e);
    if (inside) {
        c->error = "a temporal operator inside of an arithmetic expression";
        c->error_pos = inside->pos;
        return NULL;
    }
    bool negated;
    struct str text = {0};
    struct expr *plain = plain_form(c, e, &negated);
    promela_print_expr(plain, &text);
    int number = proposition_number(c, str_get(&text), plain, PROPOSITION_EXPR);
    str_release(&text);
    if (number < 0) c->error_pos = e->pos;
    return number < 0 ? NULL : formula_literal(c, number, negated);
}

static const struct formula *equivalent(struct formulas *c, const struct formula *a, const struct formula *b)
{
    return formula_make(c, F_OR, formula_make(c, F_AND, a, b),
                        formula_make(c, F_AND, formula_not(c, a), formula_not(c, b)));
}

static const struct formula *combine(struct formulas *c, const struct expr *e, const struct formula *a,
                                     const struct formula *b)
{
    const struct formula *yes = formula_make(c, F_TRUE, NULL, NULL), *no = formula_make(c, F_FALSE, NULL, NULL);
    switch (e->kind) {
    case EXPR_UNARY: return formula_not(c, a);
    case EXPR_BINARY: return formula_make(c, e->op == OP_AND ? F_AND : F_OR, a, b);
    case EXPR_ALWAYS: return formula_make(c, F_RELEASE, no, a);
    case EXPR_EVENTUALLY: return formula_make(c, F_UNTIL, yes, a);
    case EXPR_NEXT: return formula_make(c, F_NEXT, a, NULL);
    case EXPR_UNTIL: return formula_make(c, F_UNTIL, a, b);
    case EXPR_RELEASE: return formula_make(c, F_RELEASE, a, b);
    case EXPR_WEAK_UNTIL: return formula_make(c, F_RELEASE, b, formula_make(c, F_OR, a, b));
    case EXPR_IMPLIES: return formula_make(c, F_OR, formula_not(c, a), b);
    case EXPR_EQUIVALENT: return equivalent(c, a, b);
    default: BUG("no operator of formulas: %d", e->kind);
    }
}

const struct formula *formula_of_expr(struct formulas *c, const struct expr *e)
{
    if (e->kind == EXPR_CONST) return formula_make(c, e->value ? F_TRUE : F_FALSE, NULL, NULL);
    bool connective = is_temporal(e->kind) || (e->kind == EXPR_UNARY && e->op == OP_NOT) ||
                      (e->kind == EXPR_BINARY && (e->op == OP_AND || e->op == OP_OR));
    if (!connective) return proposition(c, e);
    const struct formula *a = formula_of_expr(c, e->a), *b = NULL;
    if (!a) return NULL;
    if (e->b && !(b = formula_of_expr(c, e->b))) return NULL;
    return combine(c, e, a, b);
}
