/* Expressions of Boolean programs. From loose to tight: c ? a : b, =>, |, ^, &, = != < <= > >=, + -, ! ~.
 * A `*` or `?` where an operand is expected is a fresh nondeterministic value. */
#include "boolprog/parse_int.h"

#include <stdlib.h>
#include <string.h>

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

static struct bp_value no_value(struct bp_parser *s) { return bp_bool(bp_const(s->p, false)); }

static struct bp_value chosen(int expr)
{
    struct bp_value v = bp_bool(expr);
    v.choice = true;
    return v;
}

static struct bp_value star(struct bp_parser *s)
{
    struct bp_value v = chosen(bp_expr_new(s->p, EXPR_STAR, 0, 0, 0));
    v.star = true;
    return v;
}

static struct bp_value parse_next_value(struct bp_parser *s)
{
    const struct bp_token *quote = bp_peek(s), *name = quote + 1;
    s->at++;
    if (name->kind != TOKEN_NAME) {
        bp_parse_error(s, name->pos, "expected a variable after \"'\"");
        return no_value(s);
    }
    s->at++;
    if (!s->next_allowed) {
        bp_parse_error(s, quote->pos, "'%s is the value after an assignment and means something in its constrain only",
                    name->text);
        return no_value(s);
    }
    int var = bp_find_var(s, name);
    if (var >= 0 && bp_number_of(s->p, var) && bp_number_of(s->p, var)->is_array)
        bp_parse_error(s, name->pos, "'%s is an array: elements after an assignment cannot be named", name->text);
    return var < 0 || s->panic ? no_value(s) : bp_element(s, var, 0, EXPR_NEXT);
}

static struct bp_value parse_indexed(struct bp_parser *s, const struct bp_token *name, int var)
{
    const struct bp_number *n = bp_number_of(s->p, var);
    struct pos pos = bp_peek(s)->pos;
    bool indexed = bp_accept_punct(s, '[');
    if (indexed != (n && n->is_array)) {
        bp_parse_error(s, name->pos, indexed ? "'%s' is no array" : "'%s' is an array", name->text);
        return no_value(s);
    }
    if (!indexed) return bp_element(s, var, 0, EXPR_VAR);
    struct bp_value index = bp_parse_value(s);
    bp_expect_punct(s, ']', "the index");
    n = bp_number_of(s->p, var);
    if (index.kind == VALUE_LITERAL && index.literal >= n->size)
        bp_parse_error(s, pos, "'%s' has %d elements", name->text, n->size);
    if (s->panic || (index.kind != VALUE_LITERAL && !bp_take_index(s, n, &index, pos))) return no_value(s);
    return index.kind == VALUE_LITERAL ? bp_element(s, var, (int)index.literal, EXPR_VAR) : bp_select(s, var, &index);
}

static struct bp_value parse_name(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    s->at++;
    if (!strcmp(t->text, "T") || !strcmp(t->text, "true")) return bp_bool(bp_const(s->p, true));
    if (!strcmp(t->text, "F") || !strcmp(t->text, "false")) return bp_bool(bp_const(s->p, false));
    bool choose = !strcmp(t->text, "choose") && bp_at_punct(s, '[') && !bp_is_declared(s, t->text);
    if (choose || !strcmp(t->text, "schoose")) return chosen(parse_schoose(s));
    if (bp_at_punct(s, '(')) {
        bp_parse_error(s, t->pos, "a call of '%s' cannot be part of an expression", t->text);
        return no_value(s);
    }
    int var = bp_find_var(s, t);
    return var < 0 ? no_value(s) : parse_indexed(s, t, var);
}

static struct bp_value parse_number(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    long n = strlen(t->text) > 6 ? -1 : strtol(t->text, NULL, 10);
    s->at++;
    if (n >= 0 && !(n >> MOST_WIDTH)) return bp_literal(n);
    bp_parse_error(s, t->pos, "%s has more than %d bits", t->text, MOST_WIDTH);
    return no_value(s);
}

static struct bp_value parse_operand(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    if (t->kind == TOKEN_NAME && !bp_is_keyword(t->text)) return parse_name(s);
    if (t->kind == TOKEN_NUMBER) return parse_number(s);
    if (bp_accept_punct(s, '*') || bp_accept_punct(s, '?')) return star(s);
    if (bp_at_punct(s, '\'')) return parse_next_value(s);
    if (bp_accept_punct(s, '(')) {
        struct bp_value v = bp_parse_value(s);
        bp_expect_punct(s, ')', "the expression");
        return v;
    }
    bp_parse_error(s, t->pos, "expected an expression, not '%s'", t->text);
    return no_value(s);
}

/* An operator on Boolean values. */
static struct bp_value combined(struct bp_parser *s, enum bp_op op, struct bp_value a, struct bp_value b,
                                struct pos pos)
{
    if (!bp_convert(s, &a, 0, pos) || !bp_convert(s, &b, 0, pos)) return no_value(s);
    struct bp_value v = bp_bool(new_expr(s, op, a.bits[0], b.bits[0], 0));
    v.choice = a.choice || b.choice;
    v.size = a.size + b.size;
    return v;
}

static struct bp_value parse_unary(struct bp_parser *s)
{
    bool negated = false;
    struct pos pos = bp_peek(s)->pos;
    while (bp_accept_punct(s, '!') || bp_accept_punct(s, '~')) negated = !negated;
    struct bp_value v = parse_operand(s);
    return negated ? combined(s, EXPR_NOT, v, bp_literal(0), pos) : v;
}

static bool accept_kind(struct bp_parser *s, enum token_kind kind)
{
    if (bp_peek(s)->kind != kind) return false;
    s->at++;
    return true;
}

static struct bp_value parse_sum(struct bp_parser *s)
{
    struct bp_value v = parse_unary(s);
    while (!s->panic && (bp_at_punct(s, '+') || bp_at_punct(s, '-'))) {
        struct pos pos = bp_peek(s)->pos;
        bool minus = bp_at_punct(s, '-');
        s->at++;
        v = bp_add(s, v, parse_unary(s), minus, pos);
    }
    return v;
}

static bool accept_relation(struct bp_parser *s, enum bp_relation *r)
{
    if (accept_kind(s, TOKEN_EQ)) *r = RELATION_EQ;
    else if (accept_kind(s, TOKEN_NE)) *r = RELATION_NE;
    else if (accept_kind(s, TOKEN_LE)) *r = RELATION_LE;
    else if (accept_kind(s, TOKEN_GE)) *r = RELATION_GE;
    else if (bp_accept_punct(s, '<')) *r = RELATION_LT;
    else if (bp_accept_punct(s, '>')) *r = RELATION_GT;
    else return false;
    return true;
}

/* Of Boolean values = and != only; 0 and 1 are what they are compared with. */
static bool compares_numbers(enum bp_relation r, const struct bp_value *a, const struct bp_value *b)
{
    if (a->kind == VALUE_NUMBER || b->kind == VALUE_NUMBER) return true;
    bool literals = a->kind == VALUE_LITERAL && b->kind == VALUE_LITERAL;
    return r > RELATION_NE || (literals && (a->literal > 1 || b->literal > 1));
}

static struct bp_value parse_equality(struct bp_parser *s)
{
    struct bp_value v = parse_sum(s);
    enum bp_relation r;
    for (;;) {
        struct pos pos = bp_peek(s)->pos;
        if (s->panic || !accept_relation(s, &r)) return v;
        struct bp_value right = parse_sum(s);
        if (compares_numbers(r, &v, &right)) v = bp_compare(s, r, v, right, pos);
        else v = combined(s, r == RELATION_EQ ? EXPR_EQ : EXPR_XOR, v, right, pos);
    }
}

static struct bp_value parse_and(struct bp_parser *s)
{
    struct bp_value v = parse_equality(s);
    for (struct pos pos = bp_peek(s)->pos; !s->panic && accept_kind(s, TOKEN_AND); pos = bp_peek(s)->pos)
        v = combined(s, EXPR_AND, v, parse_equality(s), pos);
    return v;
}

static struct bp_value parse_xor(struct bp_parser *s)
{
    struct bp_value v = parse_and(s);
    for (struct pos pos = bp_peek(s)->pos; !s->panic && bp_accept_punct(s, '^'); pos = bp_peek(s)->pos)
        v = combined(s, EXPR_XOR, v, parse_and(s), pos);
    return v;
}

static struct bp_value parse_or(struct bp_parser *s)
{
    struct bp_value v = parse_xor(s);
    for (struct pos pos = bp_peek(s)->pos; !s->panic && accept_kind(s, TOKEN_OR); pos = bp_peek(s)->pos)
        v = combined(s, EXPR_OR, v, parse_xor(s), pos);
    return v;
}

static struct bp_value parse_implies(struct bp_parser *s)
{
    struct bp_value v = parse_or(s);
    struct pos pos = bp_peek(s)->pos;
    if (s->panic || !accept_kind(s, TOKEN_IMPLIES)) return v;
    if (++s->depth > MOST_NESTING) bp_parse_error(s, bp_peek(s)->pos, "expression is nested too deeply");
    else v = combined(s, EXPR_IMP, v, parse_implies(s), pos);
    s->depth--;
    return v;
}

struct bp_value bp_parse_value(struct bp_parser *s)
{
    if (s->panic) return no_value(s);
    if (++s->depth > MOST_NESTING) {
        bp_parse_error(s, bp_peek(s)->pos, "expression is nested too deeply");
        s->depth--;
        return no_value(s);
    }
    struct bp_value v = parse_implies(s);
    struct pos pos = bp_peek(s)->pos;
    if (!s->panic && bp_accept_punct(s, '?')) {
        struct bp_value yes = bp_parse_value(s);
        bp_expect_punct(s, ':', "the first branch of '?'");
        v = bp_choose(s, v, yes, bp_parse_value(s), pos);
        checked(s, v.bits[0]);
    }
    s->depth--;
    return v;
}

int bp_parse_expr(struct bp_parser *s)
{
    struct pos pos = bp_peek(s)->pos;
    struct bp_value v = bp_parse_value(s);
    return bp_convert(s, &v, 0, pos) ? v.bits[0] : bp_const(s->p, false);
}
