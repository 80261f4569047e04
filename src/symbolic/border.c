/* Choosing the shared states at which control passes from thread to thread, for an error of one of them. */
#include "symbolic/path_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void borders_init(struct borders *b, int contexts, size_t shared)
{
    assert(contexts >= 0);
    b->contexts = contexts;
    b->in = xcalloc((size_t)contexts + 1, sizeof *b->in);
    b->out = xcalloc((size_t)contexts + 1, sizeof *b->out);
    for (int i = 0; i < contexts; i++) b->in[i] = xcalloc(shared + 1, 1), b->out[i] = xcalloc(shared + 1, 1);
}

void borders_release(struct borders *b)
{
    for (int i = 0; i < b->contexts; i++) free(b->in[i]), free(b->out[i]);
    free(b->in);
    free(b->out);
}

void pick_assignment(BDD x, uint8_t *value)
{
    assert(x != bddfalse);
    while (x != bddtrue) {
        bool high = bdd_low(x) == bddfalse;
        value[bdd_var(x)] = high;
        x = high ? bdd_high(x) : bdd_low(x);
    }
}

BDD fix_shared(struct encoding *e, enum copy kind, int context, const uint8_t *values)
{
    int_list vars = {0};
    BDD x = bddtrue;
    shared_copy(e, kind, context, &vars);
    for (size_t i = 0; i < vars.len; i++)
        x = b_and(e->b, x, values[i] ? bdd_ithvar(vars.at[i]) : bdd_nithvar(vars.at[i]));
    vec_release(&vars);
    return x;
}

void get_shared(const struct encoding *e, enum copy kind, int context, const uint8_t *assignment, uint8_t *values)
{
    int_list vars = {0};
    shared_copy(e, kind, context, &vars);
    for (size_t i = 0; i < vars.len; i++) values[i] = assignment[vars.at[i]];
    vec_release(&vars);
}

static BDD fix_all(struct encoding *e, enum copy kind, int contexts, uint8_t *const *values)
{
    BDD x = bddtrue;
    for (int i = 0; i < contexts; i++) x = b_and(e->b, x, fix_shared(e, kind, i, values[i]));
    return x;
}

static void get_all(const struct encoding *e, enum copy kind, int contexts, const uint8_t *assignment, uint8_t **values)
{
    for (int i = 0; i < contexts; i++) get_shared(e, kind, i, assignment, values[i]);
}

/* Of all solutions one in which the thread does nothing in as many contexts as can be: shorter counterexamples. */
static void pick_idle(struct encoding *e, BDD x, int contexts, uint8_t *value)
{
    for (int i = contexts - 1; i >= 0; i--) {
        BDD idle = b_and(e->b, x, shared_equal(e, COPY_IN, i, COPY_OUT, i));
        if (idle != bddfalse) x = idle;
    }
    pick_assignment(x, value);
}

struct ring { struct rounds *r; const struct hit *hit; struct borders *all; uint8_t *value; uint8_t **last; };

/* The out of the last thread in the rounds before: aux. */
static void choose_last(struct ring *g)
{
    struct encoding *e = &g->r->e;
    int j = g->hit->thread, k = g->hit->context;
    BDD x = b_and(e->b, rounds_suffix(g->r, j, k - 1), fix_all(e, COPY_OUT, k, g->all[j].out));
    x = b_and(e->b, x, b_and(e->b, rounds_prefix(g->r, j, k), fix_all(e, COPY_IN, k + 1, g->all[j].in)));
    pick_assignment(x, g->value);
    get_all(e, COPY_AUX, k, g->value, g->last);
}

static void copy_borders(struct encoding *e, int contexts, uint8_t **to, uint8_t **from)
{
    for (int i = 0; i < contexts; i++) memcpy(to[i], from[i], e->p->shared.len);
}

/* Threads behind the failing one take part in the rounds before only. */
static void choose_behind(struct ring *g)
{
    struct encoding *e = &g->r->e;
    int k = g->hit->context;
    for (int j = g->hit->thread + 1; j < g->r->threads; j++) {
        copy_borders(e, k, g->all[j].in, g->all[j - 1].out);
        BDD x = b_and(e->b, rounds_effect(g->r, j, k - 1), fix_all(e, COPY_IN, k, g->all[j].in));
        x = b_and(e->b, x, b_and(e->b, rounds_suffix(g->r, j, k - 1), fix_all(e, COPY_AUX, k, g->last)));
        pick_idle(e, x, k, g->value);
        get_all(e, COPY_OUT, k, g->value, g->all[j].out);
    }
}

/* Threads before it: backwards, which in lead to the known one; then forwards, choosing. */
static void choose_before(struct ring *g)
{
    struct encoding *e = &g->r->e;
    int fail = g->hit->thread, k = g->hit->context;
    BDD *back = xcalloc((size_t)fail + 1, sizeof *back); /* over out: what thread j may leave behind */
    if (!fail) {
        free(back);
        return;
    }
    back[fail - 1] = fix_all(e, COPY_OUT, k + 1, g->all[fail].in);
    for (int j = fail - 1; j > 0; j--) {
        BDD x = b_product(e->b, rounds_effect(g->r, j, k), back[j], shared_cube(e, COPY_OUT, 0, k + 1));
        back[j - 1] = b_rename(e->b, x, g->r->swap_upto[k]);
    }
    BDD first = b_rename(e->b, g->r->start, g->r->now_to_first_in);
    for (int i = 0; i < k; i++) first = b_and(e->b, first, fix_shared(e, COPY_IN, i + 1, g->last[i]));
    for (int j = 0; j < fail; j++) {
        if (j) copy_borders(e, k + 1, g->all[j].in, g->all[j - 1].out);
        BDD in = j ? fix_all(e, COPY_IN, k + 1, g->all[j].in) : first;
        pick_idle(e, b_and(e->b, b_and(e->b, rounds_effect(g->r, j, k), in), back[j]), k + 1, g->value);
        get_all(e, COPY_IN, k + 1, g->value, g->all[j].in);
        get_all(e, COPY_OUT, k + 1, g->value, g->all[j].out);
    }
    free(back);
}

static bool same_shared(const struct rounds *r, const uint8_t *a, const uint8_t *b)
{
    return !memcmp(a, b, r->e.p->shared.len);
}

/* What one thread leaves behind is what the next one finds, around the ring and up to the failing context. */
static bool borders_meet(const struct rounds *r, const struct hit *hit, const struct borders *all)
{
    bool meet = true;
    for (int j = 0; j < r->threads; j++) {
        int contexts = j < hit->thread ? hit->context + 1 : hit->context; /* that end */
        for (int i = 0; i < contexts && j + 1 < r->threads && i < all[j + 1].contexts; i++)
            meet &= same_shared(r, all[j].out[i], all[j + 1].in[i]);
        for (int i = 0; j + 1 == r->threads && i + 1 < all[0].contexts && i < contexts; i++)
            meet &= same_shared(r, all[j].out[i], all[0].in[i + 1]);
    }
    return meet;
}

void choose_borders(struct rounds *r, const struct hit *hit, const uint8_t *goal, struct borders *all)
{
    struct encoding *e = &r->e;
    size_t mark = b_mark(e->b);
    int k = hit->context;
    struct borders last;
    borders_init(&last, k, e->p->shared.len);
    struct ring g = {r, hit, all, xcalloc((size_t)e->var_count + 1, 1), last.out};
    for (int j = 0; j < r->threads; j++) borders_init(&all[j], j <= hit->thread ? k + 1 : k, e->p->shared.len);
    get_all(e, COPY_IN, k + 1, goal, all[hit->thread].in);
    get_all(e, COPY_OUT, k, goal, all[hit->thread].out);
    if (k) choose_last(&g);
    if (k) choose_behind(&g);
    choose_before(&g);
    assert(borders_meet(r, hit, all));
    free(g.value);
    borders_release(&last);
    b_release(e->b, mark);
}
