/* Expressions of Boolean programs. From loose to tight: c ? a : b, =>, |, ^, &, = !=, ! ~.
 * A `*` or `?` where an operand is expected is a fresh nondeterministic value. */
#include "boolprog/parse_int.h"

#include <string.h>

static int parse_implies(struct bp_parser *s);

static int checked(struct bp_parser *s, int expr)
{
    if (s->p->exprs.at[expr].depth <= MOST_EXPR_DEPTH) return expr;
    bp_parse_error(s, bp_peek(s)->pos, "expression is nested too deeply");
    return bp_const(s->p, false);
}

static int new_expr(struct bp_parser *s, enum bp_op op, int a, int b, int c)
{
    return checked(s, bp_expr_new(s->p, op, a, b, c));
}

/* schoose[a, b], or choose[a, b]: true if a, else false if b, else either. Longer lists go on in the same way. */
static int parse_schoose(struct bp_parser *s)
{
    int_list conditions = {0};
    bp_expect_punct(s, '[', "'schoose'");
    do vec_push(&conditions, bp_parse_expr(s));
    while (!s->panic && bp_accept_punct(s, ','));
    bp_expect_punct(s, ']', "the conditions of 'schoose'");
    int value = new_expr(s, EXPR_STAR, 0, 0, 0);
    for (size_t i = conditions.len; i-- > 0;)
        value = new_expr(s, EXPR_ITE, conditions.at[i], bp_const(s->p, i % 2 == 0), value);
    vec_release(&conditions);
    return value;
}

static int parse_next_value(struct bp_parser *s)
{
    const struct bp_token *quote = bp_peek(s), *name = quote + 1;
    s->at++;
    if (name->kind != TOKEN_NAME) {
        bp_parse_error(s, name->pos, "expected a variable after \"'\"");
        return bp_const(s->p, false);
    }
    s->at++;
    if (!s->next_allowed) {
        bp_parse_error(s, quote->pos, "'%s is the value after an assignment and means something in its constrain only",
                    name->text);
        return bp_const(s->p, false);
    }
    int var = bp_find_var(s, name);
    return var < 0 ? bp_const(s->p, false) : new_expr(s, EXPR_NEXT, var, 0, 0);
}

static int parse_name(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    s->at++;
    if (!strcmp(t->text, "T") || !strcmp(t->text, "true")) return bp_const(s->p, true);
    if (!strcmp(t->text, "F") || !strcmp(t->text, "false")) return bp_const(s->p, false);
    bool choose = !strcmp(t->text, "choose") && bp_at_punct(s, '['); /* otherwise a name like any other */
    if (choose || !strcmp(t->text, "schoose")) return parse_schoose(s);
    if (bp_at_punct(s, '(')) {
        bp_parse_error(s, t->pos, "a call of '%s' cannot be part of an expression", t->text);
        return bp_const(s->p, false);
    }
    int var = bp_find_var(s, t);
    return var < 0 ? bp_const(s->p, false) : new_expr(s, EXPR_VAR, var, 0, 0);
}

static int parse_operand(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    if (t->kind == TOKEN_NAME && !bp_is_keyword(t->text)) return parse_name(s);
    if (t->kind == TOKEN_NUMBER && (!strcmp(t->text, "0") || !strcmp(t->text, "1"))) {
        s->at++;
        return bp_const(s->p, t->text[0] == '1');
    }
    if (bp_accept_punct(s, '*') || bp_accept_punct(s, '?')) return bp_expr_new(s->p, EXPR_STAR, 0, 0, 0);
    if (bp_at_punct(s, '\'')) return parse_next_value(s);
    if (bp_accept_punct(s, '(')) {
        int e = bp_parse_expr(s);
        bp_expect_punct(s, ')', "the expression");
        return e;
    }
    if (t->kind == TOKEN_NUMBER) bp_parse_error(s, t->pos, "%s is not a Boolean value", t->text);
    else bp_parse_error(s, t->pos, "expected an expression, not '%s'", t->text);
    return bp_const(s->p, false);
}

static int parse_unary(struct bp_parser *s)
{
    bool negated = false;
    while (bp_accept_punct(s, '!') || bp_accept_punct(s, '~')) negated = !negated;
    int e = parse_operand(s);
    return negated ? new_expr(s, EXPR_NOT, e, 0, 0) : e;
}

static bool accept_kind(struct bp_parser *s, enum token_kind kind)
{
    if (bp_peek(s)->kind != kind) return false;
    s->at++;
    return true;
}

static int parse_equality(struct bp_parser *s)
{
    int e = parse_unary(s);
    while (!s->panic) {
        if (accept_kind(s, TOKEN_EQ)) e = new_expr(s, EXPR_EQ, e, parse_unary(s), 0);
        else if (accept_kind(s, TOKEN_NE)) e = new_expr(s, EXPR_XOR, e, parse_unary(s), 0);
        else break;
    }
    return e;
}

static int parse_and(struct bp_parser *s)
{
    int e = parse_equality(s);
    while (!s->panic && accept_kind(s, TOKEN_AND)) e = new_expr(s, EXPR_AND, e, parse_equality(s), 0);
    return e;
}

static int parse_xor(struct bp_parser *s)
{
    int e = parse_and(s);
    while (!s->panic && bp_accept_punct(s, '^')) e = new_expr(s, EXPR_XOR, e, parse_and(s), 0);
    return e;
}

static int parse_or(struct bp_parser *s)
{
    int e = parse_xor(s);
    while (!s->panic && accept_kind(s, TOKEN_OR)) e = new_expr(s, EXPR_OR, e, parse_xor(s), 0);
    return e;
}

static int parse_implies(struct bp_parser *s)
{
    int e = parse_or(s);
    if (s->panic || !accept_kind(s, TOKEN_IMPLIES)) return e;
    if (++s->depth > MOST_NESTING) bp_parse_error(s, bp_peek(s)->pos, "expression is nested too deeply");
    else e = new_expr(s, EXPR_IMP, e, parse_implies(s), 0);
    s->depth--;
    return e;
}

int bp_parse_expr(struct bp_parser *s)
{
    if (s->panic) return bp_const(s->p, false);
    if (++s->depth > MOST_NESTING) {
        bp_parse_error(s, bp_peek(s)->pos, "expression is nested too deeply");
        s->depth--;
        return bp_const(s->p, false);
    }
    int e = parse_implies(s);
    if (!s->panic && bp_accept_punct(s, '?')) {
        int yes = bp_parse_expr(s);
        bp_expect_punct(s, ':', "the first branch of '?'");
        e = new_expr(s, EXPR_ITE, e, yes, bp_parse_expr(s));
    }
    s->depth--;
    return e;
}
