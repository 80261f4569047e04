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

static void disarm_label(struct bp_program *p, struct pos place, const char *const *labels)
{
    for (size_t i = 0; i < p->nodes.len; i++) {
        struct bp_node *n = &p->nodes.at[i];
        if (!boolprog_is_error_node(p, (int)i, labels) || !same_place(n->pos, place)) continue;
        n->labels.len = 0;
        for (size_t k = 0; k < n->out.len; k++) {
            struct bp_edge *e = &p->edges.at[n->out.at[k]];
            e->guard = bp_and(p, e->guard, bp_const(p, false));
        }
    }
}

void boolprog_disarm(struct bp_program *p, const struct bp_run *error, const char *const *labels)
{
    if (error->error_node >= 0) disarm_label(p, p->nodes.at[error->error_node].pos, labels);
    else disarm_assertion(p, p->edges.at[vec_last(&error->steps).edge].pos);
}
