/* Threads that nobody can tell apart: they run the same code, and nothing in it says who runs it.
 *
 * Two procedures are the same if their graphs are, node by node and edge by edge, with locals in the same slots; names,
 * places in the text and labels that are no errors do not matter. Threads that are started by others are never taken
 * together: each has a variable of its own that says whether it was. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>

struct node_pair { int x, y; };

struct matching {
    const struct bp_program *p;
    const char *const *labels;
    int *proc, *node; /* by procedure or node of one thread: which one of the other it is, -1: not known yet */
    VEC(struct node_pair) open; /* nodes that were said to be the same and are still to be looked at */
};

static bool same_var(const struct matching *m, int x, int y)
{
    const struct bp_var *a = &m->p->vars.at[x], *b = &m->p->vars.at[y];
    return a->proc < 0 || b->proc < 0 ? x == y : a->slot == b->slot;
}

static bool same_expr(const struct matching *m, int x, int y)
{
    if (x < 0 || y < 0) return x == y;
    const struct bp_expr *a = &m->p->exprs.at[x], *b = &m->p->exprs.at[y];
    if (a->op != b->op) return false;
    if (a->op == EXPR_CONST) return a->a == b->a;
    if (a->op == EXPR_VAR || a->op == EXPR_NEXT) return same_var(m, a->a, b->a);
    if (a->op == EXPR_STAR) return true;
    return same_expr(m, a->a, b->a) && (a->op < EXPR_AND || same_expr(m, a->b, b->b)) &&
           (a->op != EXPR_ITE || same_expr(m, a->c, b->c));
}

static bool same_exprs(const struct matching *m, const int_list *x, const int_list *y)
{
    bool same = x->len == y->len;
    for (size_t i = 0; same && i < x->len; i++) same = same_expr(m, x->at[i], y->at[i]);
    return same;
}

static bool same_results(const struct matching *m, const int_list *x, const int_list *y)
{
    bool same = x->len == y->len;
    for (size_t i = 0; same && i < x->len; i++) same = same_var(m, x->at[i], y->at[i]);
    return same;
}

static bool pair_nodes(struct matching *m, int x, int y)
{
    if (x < 0 || y < 0 || m->node[x] >= 0) return x < 0 ? y < 0 : m->node[x] == y;
    m->node[x] = y;
    vec_push(&m->open, ((struct node_pair){x, y}));
    return true;
}

static bool pair_procs(struct matching *m, int x, int y)
{
    const struct bp_proc *a = &m->p->procs.at[x], *b = &m->p->procs.at[y];
    if (m->proc[x] >= 0) return m->proc[x] == y;
    m->proc[x] = y;
    return a->params.len == b->params.len && a->locals.len == b->locals.len && a->results == b->results &&
           same_expr(m, a->enforce, b->enforce) && pair_nodes(m, a->entry, b->entry);
}

static bool same_assigns(const struct matching *m, const struct bp_edge *x, const struct bp_edge *y)
{
    bool same = x->assigns.len == y->assigns.len;
    for (size_t i = 0; same && i < x->assigns.len; i++)
        same = same_var(m, x->assigns.at[i].var, y->assigns.at[i].var) &&
               same_expr(m, x->assigns.at[i].value, y->assigns.at[i].value);
    return same;
}

static bool same_edge(struct matching *m, int x, int y)
{
    const struct bp_edge *a = &m->p->edges.at[x], *b = &m->p->edges.at[y];
    return a->kind == b->kind && a->spawn == b->spawn && a->atomic == b->atomic && same_expr(m, a->guard, b->guard) &&
           same_expr(m, a->assertion, b->assertion) && same_expr(m, a->constrain, b->constrain) &&
           same_assigns(m, a, b) && same_exprs(m, &a->args, &b->args) && same_exprs(m, &a->values, &b->values) &&
           same_results(m, &a->results, &b->results) && pair_nodes(m, a->to, b->to) &&
           (a->kind != EDGE_CALL || pair_procs(m, a->callee, b->callee));
}

static bool same_node(struct matching *m, int x, int y)
{
    const struct bp_node *a = &m->p->nodes.at[x], *b = &m->p->nodes.at[y];
    bool same = a->atomic == b->atomic && a->out.len == b->out.len &&
                boolprog_is_error_node(m->p, x, m->labels) == boolprog_is_error_node(m->p, y, m->labels);
    for (size_t i = 0; same && i < a->out.len; i++) same = same_edge(m, a->out.at[i], b->out.at[i]);
    return same;
}

static bool same_thread(const struct bp_program *p, const char *const *labels, int x, int y)
{
    struct matching m = {.p = p, .labels = labels};
    if (p->threads.at[x].started >= 0 || p->threads.at[y].started >= 0) return false;
    assert(!p->threads.at[x].args.len && !p->threads.at[y].args.len);
    m.proc = xmalloc((p->procs.len + 1) * sizeof *m.proc), m.node = xmalloc((p->nodes.len + 1) * sizeof *m.node);
    for (size_t i = 0; i < p->procs.len; i++) m.proc[i] = -1;
    for (size_t i = 0; i < p->nodes.len; i++) m.node[i] = -1;
    bool same = pair_procs(&m, p->threads.at[x].proc, p->threads.at[y].proc);
    while (same && m.open.len) {
        struct node_pair next = vec_pop(&m.open);
        same = same_node(&m, next.x, next.y);
    }
    free(m.proc), free(m.node);
    vec_release(&m.open);
    return same;
}

void boolprog_crowds(const struct bp_program *p, const char *const *labels, struct bp_crowds *c)
{
    int_list first = {0}; /* by thread of c->seen */
    *c = (struct bp_crowds){.seen = *p, .like = xcalloc(p->threads.len + 1, sizeof *c->like)};
    c->seen.threads.at = NULL, c->seen.threads.len = c->seen.threads.cap = 0;
    for (int i = 0; i < (int)p->threads.len; i++) {
        size_t k = 0;
        while (k < first.len && !same_thread(p, labels, first.at[k], i)) k++;
        c->like[k]++;
        c->largest = MAX(c->largest, c->like[k]);
        if (k < first.len) continue;
        vec_push(&first, i);
        vec_push(&c->seen.threads, p->threads.at[i]);
    }
    vec_release(&first);
}

void boolprog_crowds_release(struct bp_crowds *c)
{
    vec_release(&c->seen.threads);
    free(c->like);
}
