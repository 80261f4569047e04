/* Locals that count: a process cannot come back to the same state while one of its variables only grows.
 *
 * A counter is a local variable and a direction. It is moved on by `v = v + k` (k > 0, or the other way round with -)
 * where v cannot overflow, because on every way there from the last change of v a condition has said that v is below
 * some limit. Everything else that writes v spoils the counter. */
#include "model/loops_int.h"

#include <assert.h>
#include <stdlib.h>

enum { MOST_COUNTERS = 64 };

struct counter { const struct var *v; bool up; };

/* The smallest and largest value of a variable; false if it is not a plain number. */
static bool range_of(const struct type *t, int64_t *low, int64_t *high)
{
    *low = 0;
    switch (t->base) {
    case TYPE_BIT:
    case TYPE_BOOL: *high = 1; return true;
    case TYPE_BYTE:
    case TYPE_PID: *high = 255; return true;
    case TYPE_SHORT: *low = INT16_MIN, *high = INT16_MAX; return true;
    case TYPE_INT: *low = INT32_MIN, *high = INT32_MAX; return true;
    case TYPE_UNSIGNED: *high = t->bits < 31 ? (INT64_C(1) << t->bits) - 1 : INT32_MAX; return true;
    default: return false;
    }
}

static bool is_variable(const struct expr *e, const struct var *v)
{
    return e->kind == EXPR_VAR && e->ref.parts.len == 1 && e->ref.parts.at[0].var == v && !v->is_array;
}

/* By how much the statement moves v in the direction of the counter, 0 if it does something else. */
static int64_t step_of(const struct stmt *s, const struct counter *c)
{
    if (s->kind != STMT_ASSIGN || s->blank_target || s->ref.parts.len != 1 || s->ref.parts.at[0].var != c->v) return 0;
    const struct expr *e = s->a;
    if (e->kind != EXPR_BINARY || e->op != (c->up ? OP_ADD : OP_SUB)) return 0;
    return is_variable(e->a, c->v) && e->b->kind == EXPR_CONST && e->b->value > 0 ? e->b->value : 0;
}

static bool writes_list(const stmt_list *list, const struct var *v);

static bool ref_is_of(const struct ref *r, const struct var *v) { return r->parts.len && r->parts.at[0].var == v; }

static bool writes(const struct stmt *s, const struct var *v)
{
    if (ref_is_of(&s->ref, v) || s->var == v) return true;
    for (size_t i = 0; i < s->args.len; i++)
        if (s->kind == STMT_RECEIVE && ref_is_of(&s->args.at[i]->ref, v)) return true;
    for (size_t i = 0; i < s->options.len; i++)
        if (writes_list(&s->options.at[i], v)) return true;
    return writes_list(&s->body, v) || writes_list(&s->escape, v);
}

static bool writes_list(const stmt_list *list, const struct var *v)
{
    for (size_t i = 0; i < list->len; i++)
        if (writes(list->at[i], v)) return true;
    return false;
}

/* The most (going up) or least that v can be if e holds. */
static bool limit_by(const struct expr *v_side, const struct expr *other, bool strict, const struct counter *c,
                     int64_t *limit)
{
    int64_t low, high;
    if (!is_variable(v_side, c->v)) return false;
    if (other->kind == EXPR_CONST) low = high = other->value;
    else if (other->kind != EXPR_VAR || !range_of(&vec_last(&other->ref.parts).var->type, &low, &high)) return false;
    *limit = c->up ? high - strict : low + strict;
    return true;
}

static bool limit_of(const struct expr *e, const struct counter *c, int64_t *limit)
{
    if (e->kind != EXPR_BINARY) return false;
    switch (e->op) {
    case OP_AND: return limit_of(e->a, c, limit) || limit_of(e->b, c, limit);
    case OP_LT:
    case OP_LE: return limit_by(c->up ? e->a : e->b, c->up ? e->b : e->a, e->op == OP_LT, c, limit);
    case OP_GT:
    case OP_GE: return limit_by(c->up ? e->b : e->a, c->up ? e->a : e->b, e->op == OP_GT, c, limit);
    default: return false;
    }
}

/* After the edge v is known to leave room for `most` in the direction of the counter. */
static bool leaves_room(const struct edge *e, const struct counter *c, int64_t most, bool before)
{
    int64_t low, high, limit;
    if (e->kind != EDGE_STMT && e->kind != EDGE_D_STEP) return before;
    if (writes(e->stmt, c->v)) return false;
    bool guard = e->kind == EDGE_STMT && e->stmt->kind == STMT_EXPR && range_of(&c->v->type, &low, &high) &&
                 limit_of(e->stmt->a, c, &limit);
    return before || (guard && (c->up ? limit + most <= high : limit - most >= low));
}

/* room[state]: on every way there it is known. The greatest solution. */
static void find_room(const struct automaton *a, const struct counter *c, int64_t most, bool *room)
{
    assert(most > 0 && a->initial > 0 && a->initial < a->count);
    for (int s = 1; s < a->count; s++) room[s] = s != a->initial;
    for (bool changed = true; changed;) {
        changed = false;
        for (int s = 1; s < a->count; s++)
            for (size_t k = 0; k < a->at[s].edges.len; k++) {
                const struct edge *e = &a->at[s].edges.at[k];
                if (!e->to || !room[e->to] || leaves_room(e, c, most, room[s])) continue;
                room[e->to] = false;
                changed = true;
            }
    }
}

static int64_t longest_step(const struct automaton *a, const struct counter *c)
{
    int64_t most = 0;
    for (int s = 1; s < a->count; s++)
        for (size_t k = 0; k < a->at[s].edges.len; k++) {
            const struct edge *e = &a->at[s].edges.at[k];
            if (e->kind == EDGE_STMT) most = MAX(most, step_of(e->stmt, c));
        }
    return most;
}

static void mark(const struct automaton *a, const struct counter *c, const bool *room, uint64_t bit,
                 struct counters *out)
{
    for (int s = 1; s < a->count; s++)
        for (size_t k = 0; k < a->at[s].edges.len; k++) {
            const struct edge *e = &a->at[s].edges.at[k];
            if ((e->kind != EDGE_STMT && e->kind != EDGE_D_STEP) || !writes(e->stmt, c->v)) continue;
            bool counts = e->kind == EDGE_STMT && room[s] && step_of(e->stmt, c);
            *(counts ? &out->counts[s][k] : &out->spoils[s][k]) |= bit;
        }
}

void counters_find(const struct automaton *a, struct counters *out)
{
    int found = 0;
    bool *room = xcalloc((size_t)a->count, sizeof *room);
    out->counts = xcalloc((size_t)a->count, sizeof *out->counts);
    out->spoils = xcalloc((size_t)a->count, sizeof *out->spoils);
    for (int s = 1; s < a->count; s++) {
        out->counts[s] = xcalloc(a->at[s].edges.len + 1, sizeof **out->counts);
        out->spoils[s] = xcalloc(a->at[s].edges.len + 1, sizeof **out->spoils);
    }
    for (size_t i = 0; i < a->proctype->vars.len && found < MOST_COUNTERS; i++)
        for (int up = 0; up < 2 && found < MOST_COUNTERS; up++) {
            struct counter c = {a->proctype->vars.at[i], up};
            assert(c.v->owner == a->proctype); /* others cannot write it */
            int64_t most = longest_step(a, &c);
            if (!most || c.v->is_array) continue;
            find_room(a, &c, most, room);
            mark(a, &c, room, UINT64_C(1) << found++, out);
        }
    free(room);
}

void counters_release(const struct automaton *a, struct counters *c)
{
    for (int s = 1; s < a->count; s++) {
        free(c->counts[s]);
        free(c->spoils[s]);
    }
    free(c->counts);
    free(c->spoils);
}
