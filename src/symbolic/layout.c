/* Numbers of BDD variables: related program variables near each other, the copies of one variable together. */
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

static int source_count(const struct bp_program *p)
{
    int most = -1;
    for (size_t i = 0; i < p->procs.len; i++) most = MAX(most, p->procs.at[i].source);
    return most + 1;
}

struct items { int count; int *ret_first; }; /* program variables, then returned values by source procedure */

static void group_of_edge(const struct encoding *e, const struct bp_edge *x, int_list *g)
{
    const struct bp_program *p = e->p;
    boolprog_expr_vars(p, x->guard, g);
    boolprog_expr_vars(p, x->assertion, g);
    boolprog_expr_vars(p, x->constrain, g);
    for (size_t i = 0; i < x->assigns.len; i++) {
        vec_push(g, x->assigns.at[i].var);
        boolprog_expr_vars(p, x->assigns.at[i].value, g);
    }
}

/* Relations that a statement makes: one group per assignment, one for what ties all together. */
static void add_groups(const struct encoding *e, const struct bp_edge *x, const struct items *items, int_list **groups,
                       size_t *count)
{
    const struct bp_program *p = e->p;
    int_list g = {0};
    group_of_edge(e, x, &g);
    int_list *at = *groups + *count;
    if (g.len) *at++ = g;
    else vec_release(&g);
    for (size_t i = 0; i < x->args.len && x->kind == EDGE_CALL; i++) {
        int_list a = {0};
        vec_push(&a, p->procs.at[x->callee].params.at[i]);
        boolprog_expr_vars(p, x->args.at[i], &a);
        *at++ = a;
    }
    for (size_t i = 0; i < x->results.len; i++) {
        int_list r = {0};
        vec_push(&r, x->results.at[i]);
        vec_push(&r, items->ret_first[p->procs.at[x->callee].source] + (int)i);
        *at++ = r;
    }
    for (size_t i = 0; i < x->values.len; i++) {
        int_list v = {0};
        vec_push(&v, items->ret_first[p->procs.at[p->nodes.at[x->from].proc].source] + (int)i);
        boolprog_expr_vars(p, x->values.at[i], &v);
        *at++ = v;
    }
    *count = (size_t)(at - *groups);
}

static void choose_order(const struct encoding *e, const struct items *items, int *order)
{
    const struct bp_program *p = e->p;
    size_t most = 0, count = 0;
    for (size_t i = 0; i < p->edges.len; i++)
        most += 1 + p->edges.at[i].args.len + p->edges.at[i].results.len + p->edges.at[i].values.len;
    for (size_t i = 0; i < p->threads.len; i++) most += p->threads.at[i].args.len;
    int_list *groups = xcalloc(most + 1, sizeof *groups);
    for (size_t i = 0; i < p->edges.len; i++) add_groups(e, &p->edges.at[i], items, &groups, &count);
    for (size_t i = 0; i < p->threads.len; i++)
        for (size_t k = 0; k < p->threads.at[i].args.len; k++) {
            vec_push(&groups[count], p->threads.at[i].args.at[k]);
            vec_push(&groups[count], p->procs.at[p->threads.at[i].proc].params.at[k]);
            count++;
        }
    assert(count <= most);
    force_order(groups, count, items->count, order);
    for (size_t i = 0; i < count; i++) vec_release(&groups[i]);
    free(groups);
}

static int take(struct encoding *e) { return e->var_count++; }

static bool *find_params(const struct bp_program *p)
{
    bool *param = xcalloc(p->vars.len + 1, sizeof *param);
    for (size_t i = 0; i < p->procs.len; i++)
        for (size_t k = 0; k < p->procs.at[i].params.len; k++) param[p->procs.at[i].params.at[k]] = true;
    return param;
}

static void number_var(struct encoding *e, int var, bool is_param)
{
    const struct bp_var *x = &e->p->vars.at[var];
    bool shared = x->proc < 0;
    assert(e->now[var] < 0 && (!shared || (x->slot >= 0 && x->slot < (int)e->p->shared.len)));
    e->now[var] = take(e);
    e->next[var] = take(e);
    if (shared || is_param) e->entry[var] = take(e);
    if (!shared && e->entry[var] >= 0) e->arg[var] = take(e);
    for (int i = 0; shared && i < e->contexts; i++) {
        int at = x->slot * e->contexts + i;
        e->in[at] = take(e);
        e->out[at] = take(e);
        e->aux[at] = take(e);
    }
}

static int *minus_ones(size_t n)
{
    int *a = xmalloc((n + 1) * sizeof *a);
    memset(a, -1, (n + 1) * sizeof *a);
    return a;
}

size_t encoding_most_variables(const struct bp_program *p, int contexts)
{
    size_t n = 4 * p->vars.len + 3 * p->shared.len * (size_t)contexts + most_stars(p);
    for (size_t i = 0; i < p->procs.len; i++) n += (size_t)p->procs.at[i].results;
    return n;
}

void encoding_layout_init(struct encoding *e)
{
    const struct bp_program *p = e->p;
    size_t vars = p->vars.len, copies = p->shared.len * (size_t)e->contexts;
    int sources = source_count(p);
    struct items items = {(int)vars, xcalloc((size_t)sources + 1, sizeof(int))};
    e->ret = xcalloc((size_t)sources + 1, sizeof *e->ret);
    for (int s = 0; s < sources; s++) {
        int results = 0;
        for (size_t i = 0; i < p->procs.len; i++)
            if (p->procs.at[i].source == s) results = p->procs.at[i].results;
        items.ret_first[s] = items.count;
        items.count += results;
        e->ret[s] = minus_ones((size_t)results);
    }
    e->now = minus_ones(vars), e->next = minus_ones(vars), e->entry = minus_ones(vars), e->arg = minus_ones(vars);
    e->in = minus_ones(copies), e->out = minus_ones(copies), e->aux = minus_ones(copies);
    int *order = xcalloc((size_t)items.count + 1, sizeof *order);
    choose_order(e, &items, order);
    bool *param = find_params(p);
    for (int i = 0; i < items.count; i++) {
        vec_push(&e->block_starts, e->var_count);
        int item = order[i], s = 0;
        if (item < (int)vars) {
            number_var(e, item, param[item]);
            continue;
        }
        while (s + 1 < sources && items.ret_first[s + 1] <= item) s++;
        assert(e->ret[s][item - items.ret_first[s]] < 0);
        e->ret[s][item - items.ret_first[s]] = take(e);
    }
    for (size_t i = 0; i < vars; i++) assert(e->now[i] >= 0 && e->next[i] >= 0); /* the order has everybody once */
    for (size_t i = 0; i < copies; i++) assert(e->in[i] >= 0 && e->out[i] >= 0 && e->aux[i] >= 0);
    size_t stars = most_stars(p);
    e->choice = xcalloc(stars + 1, sizeof *e->choice);
    e->choice_count = (int)stars;
    if (stars) vec_push(&e->block_starts, e->var_count);
    for (size_t i = 0; i < stars; i++) e->choice[i] = take(e);
    free(param);
    free(order);
    free(items.ret_first);
}

void encoding_layout_release(struct encoding *e)
{
    int sources = source_count(e->p);
    for (int s = 0; s < sources; s++) free(e->ret[s]);
    free(e->ret);
    free(e->now), free(e->next), free(e->entry), free(e->arg);
    free(e->in), free(e->out), free(e->aux);
    free(e->choice);
    vec_release(&e->block_starts);
}
