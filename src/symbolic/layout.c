/* Numbers of BDD variables: related program variables near each other, the copies of one variable together.
 *
 * A fact is about one frame, so the locals of all procedures share slots: slot i is local i of whichever procedure the
 * frame belongs to. Where caller and callee meet, the callee's values are copies of their own: arguments, results. */
#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static size_t count_stars(const struct bp_program *p, int expr)
{
    if (expr < 0) return 0;
    const struct bp_expr *e = &p->exprs.at[expr];
    return (e->op == EXPR_STAR) + (e->op >= EXPR_NOT ? count_stars(p, e->a) : 0) +
           (e->op >= EXPR_AND ? count_stars(p, e->b) : 0) + (e->op == EXPR_ITE ? count_stars(p, e->c) : 0);
}

/* Stars are quantified expression by expression, so one expression's worth of variables is enough. */
size_t most_stars(const struct bp_program *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        most = MAX(most, count_stars(p, e->guard));
        most = MAX(most, count_stars(p, e->assertion));
        most = MAX(most, count_stars(p, e->constrain));
        for (size_t k = 0; k < e->assigns.len; k++) most = MAX(most, count_stars(p, e->assigns.at[k].value));
        for (size_t k = 0; k < e->args.len; k++) most = MAX(most, count_stars(p, e->args.at[k]));
        for (size_t k = 0; k < e->values.len; k++) most = MAX(most, count_stars(p, e->values.at[k]));
    }
    return most;
}

static int take(struct encoding *e) { return e->var_count++; }

/* By slot of locals: a parameter of some procedure. */
static bool *find_params(const struct bp_program *p)
{
    bool *param = xcalloc((size_t)boolprog_most_locals(p) + 1, sizeof *param);
    for (size_t i = 0; i < p->procs.len; i++)
        for (size_t k = 0; k < p->procs.at[i].params.len; k++)
            param[p->vars.at[p->procs.at[i].params.at[k]].slot] = true;
    return param;
}

static void number_shared(struct encoding *e, int slot)
{
    int var = e->p->shared.at[slot];
    assert(e->now[var] < 0);
    e->now[var] = take(e);
    e->next[var] = take(e);
    e->entry[var] = take(e);
    for (int i = 0; i < e->contexts; i++) {
        int at = slot * e->contexts + i;
        e->in[at] = take(e);
        e->out[at] = take(e);
        e->aux[at] = take(e);
    }
}

static struct local_slot number_local(struct encoding *e, bool is_param)
{
    struct local_slot c = {.entry = -1, .arg = -1};
    c.now = take(e);
    c.next = take(e);
    if (is_param) c.entry = take(e), c.arg = take(e);
    return c;
}

static int *minus_ones(size_t n)
{
    int *a = xmalloc((n + 1) * sizeof *a);
    memset(a, -1, (n + 1) * sizeof *a);
    return a;
}

size_t encoding_most_variables(const struct bp_program *p, int contexts)
{
    return 4 * (p->shared.len + (size_t)boolprog_most_locals(p)) + 3 * p->shared.len * (size_t)contexts +
           most_stars(p) + (size_t)boolprog_most_results(p);
}

/* Items are shared variables, slots of locals, returned values. */
static void choose_order(const struct bp_program *p, enum order_kind kind, int count, int *order)
{
    struct relations r = {.p = p};
    int *item = xcalloc(p->vars.len + 1, sizeof *item);
    for (size_t i = 0; i < p->vars.len; i++)
        item[i] = p->vars.at[i].slot + (p->vars.at[i].proc < 0 ? 0 : (int)p->shared.len);
    struct order_map map = {item, (int)p->shared.len + boolprog_most_locals(p), -1};
    for (size_t i = 0; i < p->edges.len; i++) relations_add_edge(&r, &p->edges.at[i], kind, &map);
    for (size_t i = 0; i < p->threads.len; i++)
        for (size_t k = 0; k < p->threads.at[i].args.len; k++)
            relations_add_pair(&r, item[p->threads.at[i].args.at[k]],
                               item[p->procs.at[p->threads.at[i].proc].params.at[k]]);
    relations_order(&r, count, order);
    free(item);
}

static void number_items(struct encoding *e, enum order_kind kind)
{
    int shared = (int)e->p->shared.len, locals = boolprog_most_locals(e->p);
    int count = shared + locals + boolprog_most_results(e->p);
    int *order = xcalloc((size_t)count + 1, sizeof *order);
    bool *param = find_params(e->p);
    choose_order(e->p, kind, count, order);
    for (int i = 0; i < count; i++) {
        int item = order[i];
        vec_push(&e->block_starts, e->var_count);
        if (item < shared) number_shared(e, item);
        else if (item < shared + locals) e->slots[item - shared] = number_local(e, param[item - shared]);
        else e->ret[item - shared - locals] = take(e);
    }
    free(order);
    free(param);
}

static void number_choices(struct encoding *e)
{
    size_t stars = most_stars(e->p);
    e->choice = xcalloc(stars + 1, sizeof *e->choice);
    e->choice_count = (int)stars;
    if (stars) vec_push(&e->block_starts, e->var_count);
    for (size_t i = 0; i < stars; i++) e->choice[i] = take(e);
}

void encoding_layout_init(struct encoding *e, enum order_kind kind)
{
    const struct bp_program *p = e->p;
    size_t vars = p->vars.len, copies = p->shared.len * (size_t)e->contexts;
    e->slot_count = boolprog_most_locals(p);
    e->slots = xcalloc((size_t)e->slot_count + 1, sizeof *e->slots);
    e->now = minus_ones(vars), e->next = minus_ones(vars), e->entry = minus_ones(vars), e->arg = minus_ones(vars);
    e->in = minus_ones(copies), e->out = minus_ones(copies), e->aux = minus_ones(copies);
    e->ret = minus_ones((size_t)boolprog_most_results(p));
    number_items(e, kind);
    number_choices(e);
    for (size_t i = 0; i < vars; i++) {
        if (p->vars.at[i].proc >= 0) {
            const struct local_slot *s = &e->slots[p->vars.at[i].slot];
            e->now[i] = s->now, e->next[i] = s->next, e->entry[i] = s->entry, e->arg[i] = s->arg;
        }
        assert(e->now[i] >= 0 && e->next[i] >= 0); /* the order has everybody once */
    }
    for (size_t i = 0; i < copies; i++) assert(e->in[i] >= 0 && e->out[i] >= 0 && e->aux[i] >= 0);
}

void encoding_layout_release(struct encoding *e)
{
    free(e->ret), free(e->slots);
    free(e->now), free(e->next), free(e->entry), free(e->arg);
    free(e->in), free(e->out), free(e->aux);
    free(e->choice);
    vec_release(&e->block_starts);
}
