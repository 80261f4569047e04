/* To look for another error than one that is known: a run ends where that one is, and nothing is wrong with it.
 *
 * Edges and their choices stay what they are, so that a run of what is left is a run of the whole program. Statements
 * of procedures that were copied are the same statement. */
#include "boolprog/boolprog.h"

static bool same_place(struct pos a, struct pos b) { return a.line == b.line && a.col == b.col; }

static void disarm_assertion(struct bp_program *p, struct pos place)
{
    for (size_t i = 0; i < p->edges.len; i++) {
        struct bp_edge *e = &p->edges.at[i];
        if (e->assertion < 0 || !same_place(e->pos, place)) continue;
        e->guard = bp_and(p, e->guard, e->assertion);
        e->assertion = -1;
    }
}

/* Instead of the node: whoever comes there keeps all others from moving. */
static int dead_end(struct bp_program *p, int node)
{
    int end = bp_node_new(p, p->nodes.at[node].proc, p->nodes.at[node].pos);
    p->nodes.at[end].atomic = true;
    return end;
}

static void close_ways_to(struct bp_program *p, int node)
{
    int proc = p->nodes.at[node].proc;
    for (size_t i = 0, edges = p->edges.len; i < edges; i++) {
        if (p->edges.at[i].to != node) continue;
        if (p->edges.at[i].kind == EDGE_STEP) {
            p->edges.at[i].guard = bp_and(p, p->edges.at[i].guard, bp_const(p, false));
        } else {
            int end = dead_end(p, node);
            p->edges.at[i].to = end;
        }
    }
    if (p->procs.at[proc].entry == node && !boolprog_is_root(p, proc)) p->procs.at[proc].entry = dead_end(p, node);
}

static void disarm_label(struct bp_program *p, struct pos place, const char *const *labels)
{
    for (size_t i = 0, nodes = p->nodes.len; i < nodes; i++) {
        if (!boolprog_is_error_node(p, (int)i, labels) || !same_place(p->nodes.at[i].pos, place)) continue;
        p->nodes.at[i].labels.len = 0;
        for (size_t k = 0; k < p->nodes.at[i].out.len; k++) {
            struct bp_edge *e = &p->edges.at[p->nodes.at[i].out.at[k]];
            e->guard = bp_and(p, e->guard, bp_const(p, false));
        }
        close_ways_to(p, (int)i);
    }
}

void boolprog_disarm(struct bp_program *p, const struct bp_run *error, const char *const *labels)
{
    if (error->error_node >= 0) disarm_label(p, p->nodes.at[error->error_node].pos, labels);
    else disarm_assertion(p, p->edges.at[vec_last(&error->steps).edge].pos);
}
