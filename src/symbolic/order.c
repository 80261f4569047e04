/* Which program variables are neighbours in the BDD order: FORCE (Aloul, Markov, Sakallah 2003), that is, every
 * relation pulls the variables that it relates together, again and again, and the total span decides.
 *
 * What a relation is has two answers, and neither is best for all programs. A parallel assignment of many bits is one
 * relation per bit, so bits that are copied become neighbours; statements that are guarded by much are one relation as
 * a whole. */
#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>

struct point { double at; int item; };

static int by_place(const void *a, const void *b)
{
    const struct point *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return x->item - y->item;
}

static double center(const int_list *group, const int *place)
{
    double sum = 0;
    for (size_t i = 0; i < group->len; i++) sum += place[group->at[i]];
    return sum / (double)group->len;
}

static double total_span(const int_list *groups, size_t count, const int *place)
{
    double span = 0;
    for (size_t g = 0; g < count; g++) {
        assert(groups[g].len);
        int low = place[groups[g].at[0]], high = low;
        for (size_t i = 1; i < groups[g].len; i++) {
            low = MIN(low, place[groups[g].at[i]]);
            high = MAX(high, place[groups[g].at[i]]);
        }
        span += high - low;
    }
    return span;
}

static void pull(const int_list *groups, size_t count, int *place, int items, struct point *points, int *degree)
{
    for (int i = 0; i < items; i++) points[i] = (struct point){0, i}, degree[i] = 0;
    for (size_t g = 0; g < count; g++) {
        double c = center(&groups[g], place);
        for (size_t i = 0; i < groups[g].len; i++) points[groups[g].at[i]].at += c, degree[groups[g].at[i]]++;
    }
    for (int i = 0; i < items; i++) points[i].at = degree[i] ? points[i].at / degree[i] : place[i];
    qsort(points, (size_t)items, sizeof *points, by_place);
    for (int i = 0; i < items; i++) place[points[i].item] = i;
}

/* Groups must not be empty. */
static void force_order(const int_list *groups, size_t count, int items, int *order)
{
    int *place = xcalloc((size_t)items + 1, sizeof *place), *degree = xcalloc((size_t)items + 1, sizeof *degree);
    struct point *points = xcalloc((size_t)items + 1, sizeof *points);
    for (int i = 0; i < items; i++) place[i] = order[i] = i;
    double best = total_span(groups, count, place);
    for (int round = 0; round < 50; round++) {
        pull(groups, count, place, items, points, degree);
        double span = total_span(groups, count, place);
        if (span >= best) continue;
        best = span;
        for (int i = 0; i < items; i++) order[place[i]] = i;
    }
    free(place);
    free(degree);
    free(points);
}

/* ---- relations of a program ---- */

enum { SMALL = 4 }; /* variables of a subexpression that is a relation of its own */

static void add_vars(const struct relations *r, int expr, const struct order_map *m, int_list *items)
{
    size_t first = items->len;
    boolprog_expr_vars(r->p, expr, items);
    for (size_t i = first; i < items->len; i++) items->at[i] = m->item[items->at[i]];
}

static void add_relation(struct relations *r, const struct order_map *m, int_list *items)
{
    if (items->len && m->extra >= 0) vec_push(items, m->extra);
    if (items->len > 1) vec_push(&r->list, *items);
    else vec_release(items);
    *items = (int_list){0};
}

/* An item takes the value of an expression. */
static void add_value(struct relations *r, const struct order_map *m, int item, int expr)
{
    int_list items = {0};
    vec_push(&items, item);
    add_vars(r, expr, m, &items);
    add_relation(r, m, &items);
}

void relations_add_pair(struct relations *r, int x, int y)
{
    int_list items = {0};
    vec_push(&items, x);
    vec_push(&items, y);
    vec_push(&r->list, items);
}

struct few { int count, items[SMALL]; }; /* count > SMALL: too many */

static void few_add(struct few *f, int item)
{
    for (int i = 0; i < f->count && i < SMALL; i++)
        if (f->items[i] == item) return;
    if (f->count < SMALL) f->items[f->count] = item;
    f->count = MIN(f->count + 1, SMALL + 1);
}

static void few_join(struct few *f, const struct few *x)
{
    for (int i = 0; i < x->count && i < SMALL; i++) few_add(f, x->items[i]);
    if (x->count > SMALL) f->count = SMALL + 1;
}

/* Every small subexpression is a relation. */
static struct few add_parts(struct relations *r, const struct order_map *m, int expr)
{
    struct few f = {0};
    if (expr < 0) return f;
    const struct bp_expr *e = &r->p->exprs.at[expr];
    int operands[3] = {e->op >= EXPR_NOT ? e->a : -1, e->op >= EXPR_AND ? e->b : -1, e->op == EXPR_ITE ? e->c : -1};
    if (e->op == EXPR_VAR || e->op == EXPR_NEXT) few_add(&f, m->item[e->a]);
    for (int i = 0; i < 3; i++) {
        struct few x = add_parts(r, m, operands[i]);
        few_join(&f, &x);
    }
    if (e->op < EXPR_AND || f.count < 2 || f.count > SMALL) return f;
    int_list items = {0};
    for (int i = 0; i < f.count; i++) vec_push(&items, f.items[i]);
    add_relation(r, m, &items);
    return f;
}

static void add_whole(struct relations *r, const struct bp_edge *x, const struct order_map *m)
{
    int_list items = {0};
    add_vars(r, x->guard, m, &items);
    add_vars(r, x->assertion, m, &items);
    add_vars(r, x->constrain, m, &items);
    for (size_t i = 0; i < x->assigns.len; i++) {
        vec_push(&items, m->item[x->assigns.at[i].var]);
        add_vars(r, x->assigns.at[i].value, m, &items);
    }
    add_relation(r, m, &items);
}

static void add_each(struct relations *r, const struct bp_edge *x, const struct order_map *m)
{
    const int conditions[] = {x->guard, x->assertion, x->constrain};
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) {
        int_list items = {0};
        add_parts(r, m, conditions[i]);
        add_vars(r, conditions[i], m, &items);
        add_relation(r, m, &items);
    }
    for (size_t i = 0; i < x->assigns.len; i++) {
        add_parts(r, m, x->assigns.at[i].value);
        add_value(r, m, m->item[x->assigns.at[i].var], x->assigns.at[i].value);
    }
}

void relations_add_edge(struct relations *r, const struct bp_edge *x, enum order_kind kind, const struct order_map *m)
{
    const struct bp_program *p = r->p;
    if (kind == ORDER_BY_STATEMENT) add_whole(r, x, m);
    else add_each(r, x, m);
    for (size_t i = 0; i < x->args.len && x->kind == EDGE_CALL; i++)
        add_value(r, m, m->item[p->procs.at[x->callee].params.at[i]], x->args.at[i]);
    for (size_t i = 0; i < x->values.len && m->first_result >= 0; i++)
        add_value(r, m, m->first_result + (int)i, x->values.at[i]);
    for (size_t i = 0; i < x->results.len && m->first_result >= 0; i++)
        relations_add_pair(r, m->item[x->results.at[i]], m->first_result + (int)i);
}

void relations_order(struct relations *r, int items, int *order)
{
    force_order(r->list.at, r->list.len, items, order);
    for (size_t i = 0; i < r->list.len; i++) vec_release(&r->list.at[i]);
    vec_release(&r->list);
}
