/* Error projection: the points of a program that lie on some run to an error.
 *
 * The program is changed so that only runs which have been at one of the wanted points fail: a hidden variable
 * remembers that, and what would have failed before ends without an error. A run that is found takes its points off
 * the list, and when there is none any more the points that are left lie on no such run. Edges keep their numbers; new
 * ones are behind them. Where a thread arrives by a call or a return, a step of its own notes it: it depends on
 * nothing, so it can follow at once in every run. A label at the very start of a thread counts when the thread takes
 * its first step. */
#include "boolprog/boolprog.h"

#include <stdlib.h>

static int not_passed(struct bp_program *p, int passed)
{
    return bp_expr_new(p, EXPR_NOT, bp_expr_new(p, EXPR_VAR, passed, 0, 0), 0, 0);
}

static void note_passing(struct bp_program *p, int edge, int passed)
{
    struct bp_assign a = {passed, bp_const(p, true)};
    vec_push(&p->edges.at[edge].assigns, a);
}

/* A run ends at a label, also one that does not fail: only who has passed comes there. */
static void let_pass(struct bp_program *p, int edge, int passed)
{
    p->edges.at[edge].guard = bp_and(p, p->edges.at[edge].guard, bp_expr_new(p, EXPR_VAR, passed, 0, 0));
}

/* A node in front of this one, from which a step notes the arrival. In front of a label nobody else moves. */
static int arrival(struct bp_program *p, int node, bool wanted, bool label, int passed)
{
    int before = bp_node_new(p, p->nodes.at[node].proc, p->nodes.at[node].pos);
    p->nodes.at[before].atomic = p->nodes.at[node].atomic || label;
    int edge = bp_edge_new(p, EDGE_STEP, before, node, p->nodes.at[node].pos);
    vec_push(&p->nodes.at[before].out, edge);
    if (wanted) note_passing(p, edge, passed);
    else let_pass(p, edge, passed);
    return before;
}

static void note_arrivals(struct bp_program *p, const bool *wanted, const bool *label, int passed)
{
    for (size_t i = 0, edges = p->edges.len; i < edges; i++) {
        int to = p->edges.at[i].to;
        if (p->edges.at[i].kind == EDGE_RETURN || (!wanted[to] && !label[to])) continue;
        if (p->edges.at[i].kind == EDGE_CALL) {
            to = arrival(p, to, wanted[to], label[to], passed);
            p->edges.at[i].to = to;
        } else if (wanted[to]) note_passing(p, (int)i, passed);
        else let_pass(p, (int)i, passed);
    }
    for (size_t i = 0; i < p->procs.len; i++) {
        int entry = p->procs.at[i].entry;
        if (!wanted[entry] && !label[entry]) continue;
        entry = arrival(p, entry, wanted[entry], label[entry] && !boolprog_is_root(p, (int)i), passed);
        p->procs.at[i].entry = entry;
    }
}

/* Who has not passed ends where the assertion fails. */
static void change_assertion(struct bp_program *p, struct bp_edge *e, int passed)
{
    int guard = e->guard, holds = e->assertion, late = not_passed(p, passed);
    int been = bp_expr_new(p, EXPR_VAR, passed, 0, 0);
    e->guard = bp_and(p, guard, bp_expr_new(p, EXPR_OR, holds, been, 0));
    e->assertion = bp_expr_new(p, EXPR_OR, holds, late, 0);
}

void boolprog_require(struct bp_program *p, const bool *wanted, const char *const *labels)
{
    int passed = bp_var_new(p, "passed#", -1, (struct pos){0});
    size_t edges = p->edges.len;
    bool *label = xcalloc(p->nodes.len + 1, sizeof *label);
    p->vars.at[passed].init = 0;
    p->vars.at[passed].hidden = true;
    for (size_t i = 0; i < edges; i++)
        if (p->edges.at[i].assertion >= 0) change_assertion(p, &p->edges.at[i], passed);
    for (size_t i = 0; i < p->nodes.len; i++) label[i] = boolprog_is_error_node(p, (int)i, labels);
    note_arrivals(p, wanted, label, passed);
    free(label);
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
