/* Numbers of a fixed width and arrays, in terms of Boolean expressions: what is analysed knows bits only.
 *
 * A number wraps around. Every bit of a result is an expression of its own, so a nondeterministic choice that several
 * bits depend on would be made once for each: choices are whole values only, and take part in no arithmetic. */
#include "boolprog/parse_int.h"

#include <string.h>

enum { MOST_SIZE = 100000 }; /* of the trees for the bits of one value */

static int make(struct bp_parser *s, enum bp_op op, int a, int b, int c) { return bp_expr_new(s->p, op, a, b, c); }

struct bp_value bp_bool(int expr)
{
    return (struct bp_value){.kind = VALUE_BOOL, .width = 1, .bits = {expr}, .size = 1};
}

struct bp_value bp_literal(long n) { return (struct bp_value){.kind = VALUE_LITERAL, .literal = n, .size = 1}; }

int bp_bits_for(long n)
{
    int bits = 1;
    while (n >> bits) bits++;
    return bits;
}

static struct bp_value failed(struct bp_parser *s, struct pos pos, const char *what)
{
    bp_parse_error(s, pos, "%s", what);
    return bp_bool(bp_const(s->p, false));
}

static int type_width(const struct bp_value *v)
{
    return v->kind == VALUE_LITERAL ? bp_bits_for(v->literal) : v->width;
}

static bool is_number(const struct bp_value *v) { return v->kind != VALUE_BOOL || v->digit; }

const char *bp_type_words(struct bp_parser *s, const struct bp_value *v)
{
    if (v->kind == VALUE_BOOL) return "a Boolean value";
    if (v->kind == VALUE_LITERAL) return arena_printf(&s->p->arena, "%ld", v->literal);
    return arena_printf(&s->p->arena, "int(%d)", v->width);
}

/* The value with so many bits, as part of a larger expression or to be assigned. */
static bool widen(struct bp_parser *s, struct bp_value *v, int width)
{
    if (type_width(v) > width || width > MOST_WIDTH) return false;
    for (int i = 0; i < width; i++) {
        if (v->kind == VALUE_LITERAL) v->bits[i] = bp_const(s->p, v->literal >> i & 1);
        else if (i >= v->width) v->bits[i] = bp_const(s->p, false);
    }
    v->kind = VALUE_NUMBER, v->width = width;
    return true;
}

/* A choice as a whole is one for each bit. */
bool bp_convert(struct bp_parser *s, struct bp_value *v, int width, struct pos pos)
{
    if (s->panic) return false;
    if (!width) { /* Boolean */
        if (v->kind == VALUE_LITERAL && v->literal <= 1) *v = bp_bool(bp_const(s->p, v->literal));
        if (v->kind == VALUE_BOOL) return true;
        bp_parse_error(s, pos, "%s is not a Boolean value", bp_type_words(s, v));
        return false;
    }
    if (v->star) {
        for (int i = 0; i < width; i++) v->bits[i] = make(s, EXPR_STAR, 0, 0, 0);
        v->kind = VALUE_NUMBER, v->width = width;
        return true;
    }
    if (!is_number(v)) bp_parse_error(s, pos, "a Boolean value is no number; (b ? 1 : 0) is");
    else if (!widen(s, v, width)) bp_parse_error(s, pos, "%s does not fit into int(%d)", bp_type_words(s, v), width);
    return !s->panic;
}

/* Two numbers of the same width. */
static bool match(struct bp_parser *s, struct bp_value *a, struct bp_value *b, struct pos pos)
{
    int width = MAX(type_width(a), type_width(b));
    if (s->panic) return false;
    if (a->choice || b->choice) failed(s, pos, "a choice takes part in no arithmetic: assign it to a variable first");
    else if (!is_number(a) || !is_number(b)) failed(s, pos, "a number and a Boolean value do not match");
    else if (!widen(s, a, width) || !widen(s, b, width)) failed(s, pos, "number of more than 16 bits");
    else if ((a->size + b->size) * 3 * width > MOST_SIZE) failed(s, pos, "too much arithmetic for one expression");
    return !s->panic;
}

/* a + b + carry, and a - b as a + !b + 1. */
struct bp_value bp_add(struct bp_parser *s, struct bp_value a, struct bp_value b, bool minus, struct pos pos)
{
    if (a.kind == VALUE_LITERAL && b.kind == VALUE_LITERAL) {
        long n = minus ? a.literal - b.literal : a.literal + b.literal;
        return n < 0 || n >> MOST_WIDTH ? failed(s, pos, "number out of range") : bp_literal(n);
    }
    if (!match(s, &a, &b, pos)) return bp_bool(bp_const(s->p, false));
    struct bp_value sum = {.kind = VALUE_NUMBER, .width = a.width, .size = (a.size + b.size) * 3 * a.width};
    int carry = bp_const(s->p, minus);
    for (int i = 0; i < a.width; i++) {
        int y = minus ? make(s, EXPR_NOT, b.bits[i], 0, 0) : b.bits[i];
        int half = make(s, EXPR_XOR, a.bits[i], y, 0);
        sum.bits[i] = make(s, EXPR_XOR, half, carry, 0);
        carry = make(s, EXPR_ITE, half, carry, a.bits[i]);
    }
    return sum;
}

static int equal(struct bp_parser *s, const struct bp_value *a, const struct bp_value *b)
{
    int all = -1;
    for (int i = 0; i < a->width; i++) all = bp_and(s->p, all, make(s, EXPR_EQ, a->bits[i], b->bits[i], 0));
    return all;
}

static int less(struct bp_parser *s, const struct bp_value *a, const struct bp_value *b)
{
    int x = bp_const(s->p, false);
    for (int i = 0; i < a->width; i++)
        x = make(s, EXPR_ITE, make(s, EXPR_XOR, a->bits[i], b->bits[i], 0), b->bits[i], x);
    return x;
}

struct bp_value bp_compare(struct bp_parser *s, enum bp_relation relation, struct bp_value a, struct bp_value b,
                           struct pos pos)
{
    if (!match(s, &a, &b, pos)) return bp_bool(bp_const(s->p, false));
    bool swapped = relation == RELATION_GT || relation == RELATION_LE;
    bool negated = relation == RELATION_NE || relation == RELATION_LE || relation == RELATION_GE;
    int x = relation == RELATION_EQ || relation == RELATION_NE ? equal(s, &a, &b)
            : swapped                                          ? less(s, &b, &a)
                                                               : less(s, &a, &b);
    struct bp_value v = bp_bool(negated ? make(s, EXPR_NOT, x, 0, 0) : x);
    v.size = (a.size + b.size) * 3 * a.width;
    return v;
}

/* c ? a : b of numbers; a choice of a or b is one for each bit, that of c would not be. */
struct bp_value bp_choose(struct bp_parser *s, struct bp_value c, struct bp_value a, struct bp_value b, struct pos pos)
{
    int width = MAX(a.star ? 1 : type_width(&a), b.star ? 1 : type_width(&b));
    bool literals = a.kind == VALUE_LITERAL && b.kind == VALUE_LITERAL;
    bool numbers = a.kind == VALUE_NUMBER || b.kind == VALUE_NUMBER || (a.kind == VALUE_LITERAL && a.literal > 1) ||
                   (b.kind == VALUE_LITERAL && b.literal > 1);
    if (!bp_convert(s, &c, 0, pos) || !bp_convert(s, &a, numbers ? width : 0, pos) ||
        !bp_convert(s, &b, numbers ? width : 0, pos))
        return bp_bool(bp_const(s->p, false));
    bool digit = !numbers && literals;
    if (numbers && c.choice) return failed(s, pos, "a choice of numbers: assign the condition to a variable first");
    struct bp_value v = {.kind = a.kind, .width = a.width, .choice = a.choice || b.choice || c.choice, .digit = digit};
    v.size = a.size + b.size + c.size;
    for (int i = 0; i < v.width; i++) v.bits[i] = make(s, EXPR_ITE, c.bits[0], a.bits[i], b.bits[i]);
    return v;
}

/* ---- variables ---- */

const struct bp_number *bp_number_of(const struct bp_program *p, int var)
{
    return p->vars.at[var].number ? &p->numbers.at[p->vars.at[var].number - 1] : NULL;
}

/* Element number so many of what starts with this variable. */
struct bp_value bp_element(struct bp_parser *s, int var, int element, enum bp_op op)
{
    const struct bp_number *n = bp_number_of(s->p, var);
    if (!n) return bp_bool(make(s, op, var, 0, 0));
    struct bp_value v = {.kind = n->is_int ? VALUE_NUMBER : VALUE_BOOL, .width = n->width, .size = 1};
    for (int i = 0; i < n->width; i++) v.bits[i] = make(s, op, n->first + element * n->width + i, 0, 0);
    return v;
}

/* By the bits of the index from the highest down; what does not exist is false. */
static int select_bit(struct bp_parser *s, const struct bp_number *n, const struct bp_value *index, int level, int from,
                      int bit)
{
    if (from >= n->size) return bp_const(s->p, false);
    if (level < 0) return make(s, EXPR_VAR, n->first + from * n->width + bit, 0, 0);
    int low = select_bit(s, n, index, level - 1, from, bit);
    int high = select_bit(s, n, index, level - 1, from + (1 << level), bit);
    return make(s, EXPR_ITE, index->bits[level], high, low);
}

struct bp_value bp_select(struct bp_parser *s, int var, const struct bp_value *index)
{
    const struct bp_number *n = bp_number_of(s->p, var);
    struct bp_value v = {.kind = n->is_int ? VALUE_NUMBER : VALUE_BOOL, .width = n->width};
    v.size = index->size * 2 * n->size;
    for (int i = 0; i < n->width; i++) v.bits[i] = select_bit(s, n, index, index->width - 1, 0, i);
    return v;
}

/* The index is this number. */
int bp_index_is(struct bp_parser *s, const struct bp_value *index, int element)
{
    struct bp_value k = bp_literal(element), i = *index;
    return widen(s, &k, i.width) ? equal(s, &i, &k) : bp_const(s->p, false);
}

/* An index that is no constant: of a width of its own, and remembered if it may be out of range. */
bool bp_take_index(struct bp_parser *s, const struct bp_number *n, struct bp_value *index, struct pos pos)
{
    if (s->panic) return false;
    if (index->kind == VALUE_BOOL) index->kind = VALUE_NUMBER;
    if (index->choice) bp_parse_error(s, pos, "a choice is no index: assign it to a variable first");
    else if (index->size * 2 * n->size > MOST_SIZE) bp_parse_error(s, pos, "too much arithmetic for one expression");
    if (s->panic || 1L << index->width <= n->size) return !s->panic;
    struct bp_value size = bp_literal(n->size), i = *index;
    int width = MAX(i.width, bp_bits_for(n->size));
    widen(s, &size, width), widen(s, &i, width);
    s->in_range = bp_and(s->p, s->in_range, less(s, &i, &size));
    return true;
}

int bp_check_indices(struct bp_parser *s, int node, size_t first)
{
    int in_range = s->in_range;
    if (in_range < 0) return -1;
    int edge = bp_step_add(s, EDGE_STEP, node, node, first), out = make(s, EXPR_NOT, s->in_range, 0, 0);
    int never = bp_const(s->p, false);
    bp_edge_at(s, edge)->guard = out;
    bp_edge_at(s, edge)->assertion = never;
    bp_edge_at(s, edge)->text = arena_printf(&s->p->arena, "index out of range: %s", bp_source_text(s, first));
    s->in_range = -1;
    return in_range;
}
