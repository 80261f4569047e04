/* Error projection: the points of a program that lie on some run to an error.
 *
 * The program is changed so that only runs which have been at one of the wanted points fail: a hidden variable remembers
 * that, and what would have failed before ends without an error. A run that is found takes its points off the list, and
 * when there is none any more the points that are left lie on no such run. Edges keep their numbers; new ones are behind
 * them. Where a thread arrives by a call or a return, a step of its own notes it: it depends on nothing, so it can follow
 * at once in every run. */
#include "boolprog/boolprog.h"

#include <assert.h>

static int not_passed(struct bp_program *p, int passed)
{
    return bp_expr_new(p, EXPR_NOT, bp_expr_new(p, EXPR_VAR, passed, 0, 0), 0, 0);
}

static void note_passing(struct bp_program *p, int edge, int passed)
{
    struct bp_assign a = {passed, bp_const(p, true)};
    vec_push(&p->edges.at[edge].assigns, a);
}

/* A node in front of this one, from which a step notes the arrival. */
static int arrival(struct bp_program *p, int node, int passed)
{
    int before = bp_node_new(p, p->nodes.at[node].proc, p->nodes.at[node].pos);
    p->nodes.at[before].atomic = p->nodes.at[node].atomic;
    int edge = bp_edge_new(p, EDGE_STEP, before, node, p->nodes.at[node].pos);
    vec_push(&p->nodes.at[before].out, edge);
    note_passing(p, edge, passed);
    return before;
}

static void note_arrivals(struct bp_program *p, const bool *wanted, int passed)
{
    for (size_t i = 0, edges = p->edges.len; i < edges; i++) {
        int to = p->edges.at[i].to;
        if (p->edges.at[i].kind == EDGE_RETURN || !wanted[to]) continue;
        if (p->edges.at[i].kind == EDGE_STEP) {
            note_passing(p, (int)i, passed);
        } else {
            to = arrival(p, to, passed);
            p->edges.at[i].to = to;
        }
    }
    for (size_t i = 0; i < p->procs.len; i++)
        if (wanted[p->procs.at[i].entry]) p->procs.at[i].entry = arrival(p, p->procs.at[i].entry, passed);
}

/* Who has not passed ends where the assertion fails. */
static void change_assertion(struct bp_program *p, struct bp_edge *e, int passed)
{
    int guard = e->guard, holds = e->assertion, late = not_passed(p, passed);
    int been = bp_expr_new(p, EXPR_VAR, passed, 0, 0);
    e->guard = bp_and(p, guard, bp_expr_new(p, EXPR_OR, holds, been, 0));
    e->assertion = bp_expr_new(p, EXPR_OR, holds, late, 0);
}

/* The label becomes an assertion, and nobody comes further. */
static void change_label(struct bp_program *p, int node, int passed)
{
    for (size_t i = 0; i < p->nodes.at[node].out.len; i++) {
        struct bp_edge *e = &p->edges.at[p->nodes.at[node].out.at[i]];
        e->guard = bp_and(p, e->guard, bp_const(p, false));
    }
    p->nodes.at[node].labels.len = 0;
    int edge = bp_edge_new(p, EDGE_STEP, node, node, p->nodes.at[node].pos);
    p->edges.at[edge].guard = bp_expr_new(p, EXPR_VAR, passed, 0, 0);
    p->edges.at[edge].assertion = bp_const(p, false);
    vec_push(&p->nodes.at[node].out, edge);
}

void boolprog_require(struct bp_program *p, const bool *wanted, const char *const *labels)
{
    int passed = bp_var_new(p, "passed#", -1, (struct pos){0});
    size_t edges = p->edges.len, nodes = p->nodes.len;
    p->vars.at[passed].init = 0;
    p->vars.at[passed].hidden = true;
    for (size_t i = 0; i < edges; i++)
        if (p->edges.at[i].assertion >= 0) change_assertion(p, &p->edges.at[i], passed);
    note_arrivals(p, wanted, passed);
    for (size_t i = 0; i < nodes; i++)
        if (boolprog_is_error_node(p, (int)i, labels)) change_label(p, (int)i, passed);
    boolprog_assert_valid(p);
}

void bp_run_visited(const struct bp_program *p, const struct bp_run *r, size_t nodes, bool *visited)
{
    for (size_t i = 0; i < r->steps.len; i++) {
        const struct bp_edge *e = &p->edges.at[r->steps.at[i].edge];
        if (e->from < (int)nodes) visited[e->from] = true;
        bool fails = r->error_node < 0 && i + 1 == r->steps.len;
        if (e->kind == EDGE_STEP && e->to < (int)nodes && !fails) visited[e->to] = true;
    }
    if (r->error_node >= 0) visited[r->error_node] = true;
}
