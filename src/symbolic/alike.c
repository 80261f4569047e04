/* Threads that do the same: what one of them can do, all can.
 *
 * Facts relate the borders of a thread's contexts with what its code makes of them, and do not depend on who runs it.
 * So threads with the same code share one set of facts, and each looks at those that begin with a history of its own.
 * The code is the same if, node by node, the relations are the same BDDs: names and places in the text do not matter.
 */
#include "symbolic/rounds_int.h"

#include <assert.h>
#include <stdlib.h>

struct comparison {
    const struct encoding *e;
    const struct facts *x, *y;
    const int *place; /* by node of y: where it stands in the order of y, -1: nowhere */
    const int *other; /* the same for x */
};

static bool same_place(const struct comparison *c, int x, int y)
{
    return c->other[x] >= 0 && c->other[x] == c->place[y];
}

static bool same_entry(const struct comparison *c, int x, int y)
{
    const struct bp_program *p = c->e->p;
    return c->e->entered[x] == c->e->entered[y] && same_place(c, p->procs.at[x].entry, p->procs.at[y].entry);
}

static bool same_step(const struct comparison *c, int x, int y)
{
    const struct step_rel *a = &c->e->steps.at[x], *b = &c->e->steps.at[y];
    return a->rel == b->rel && a->quant == b->quant && a->rename == b->rename && same_place(c, a->to, b->to);
}

static bool same_site(const struct comparison *c, const struct call_site *a, const struct call_site *b)
{
    return a->args == b->args && a->enter_quant == b->enter_quant && a->results == b->results && a->drop == b->drop &&
           a->back_quant == b->back_quant && a->back_rename == b->back_rename && same_place(c, a->to, b->to) &&
           same_entry(c, a->callee, b->callee);
}

static bool same_return(const struct comparison *c, int x, int y)
{
    const struct return_rel *a = &c->e->returns.at[x], *b = &c->e->returns.at[y];
    return a->rel == b->rel && a->quant == b->quant && same_entry(c, a->proc, b->proc);
}

static bool same_node(const struct comparison *c, int x, int y)
{
    const struct facts *f = c->x, *g = c->y;
    bool same = facts_may_switch(f, x) == facts_may_switch(g, y) && f->step_of[x].len == g->step_of[y].len &&
                f->site_of[x].len == g->site_of[y].len && f->return_of[x].len == g->return_of[y].len;
    for (size_t i = 0; same && i < f->step_of[x].len; i++)
        same = same_step(c, f->step_of[x].at[i], g->step_of[y].at[i]);
    for (size_t i = 0; same && i < f->return_of[x].len; i++)
        same = same_return(c, f->return_of[x].at[i], g->return_of[y].at[i]);
    for (size_t i = 0; same && i < f->site_of[x].len; i++)
        same = same_site(c, facts_site(f, f->site_of[x].at[i]), facts_site(g, g->site_of[y].at[i]));
    return same;
}

static int *places_of(const struct facts *f)
{
    int *place = xmalloc((size_t)facts_nodes(f) * sizeof *place);
    for (int i = 0; i < facts_nodes(f); i++) place[i] = -1;
    for (size_t i = 0; i < f->order.len; i++) place[f->order.at[i]] = (int)i;
    return place;
}

static bool same_code(const struct facts *x, const struct facts *y)
{
    if (x->order.len != y->order.len) return false;
    int *place = places_of(y), *other = places_of(x);
    struct comparison c = {x->e, x, y, place, other};
    bool same = true;
    for (size_t i = 0; same && i < x->order.len; i++) same = same_node(&c, x->order.at[i], y->order.at[i]);
    free(place), free(other);
    return same;
}

/* By node: the one in whose place it stands, -1: none. */
static int *twins_of(const struct facts *f, const struct facts *of)
{
    int *twin = places_of(f);
    for (int i = 0; i < facts_nodes(f); i++)
        if (twin[i] >= 0) twin[i] = of->order.at[twin[i]];
    return twin;
}

void rounds_find_alike(struct rounds *r)
{
    r->like = xcalloc((size_t)r->threads, sizeof *r->like);
    r->shared = xcalloc((size_t)r->threads, sizeof *r->shared);
    r->twin = xcalloc((size_t)r->threads, sizeof *r->twin);
    for (int j = 0; j < r->threads; j++) {
        r->like[j] = j;
        for (int i = 0; i < j && r->like[j] == j && !r->eager; i++)
            if (r->like[i] == i && same_code(&r->thread[i], &r->thread[j])) r->like[j] = i;
        if (r->like[j] == j) continue;
        b_need(r->e.b, (size_t)facts_nodes(&r->thread[j]), sizeof **r->twin);
        r->twin[j] = twins_of(&r->thread[j], &r->thread[r->like[j]]);
        r->shared[j] = r->shared[r->like[j]] = true;
    }
}

void rounds_release_alike(struct rounds *r)
{
    for (int j = 0; r->twin && j < r->threads; j++) free(r->twin[j]);
    free(r->twin), free(r->like), free(r->shared);
}

int rounds_twin(const struct rounds *r, int thread, int node)
{
    assert(node >= 0 && node < facts_nodes(&r->thread[thread]));
    return r->twin[thread] ? r->twin[thread][node] : node;
}
