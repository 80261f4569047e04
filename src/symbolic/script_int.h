/* Inside src/symbolic: a run as BDDs know it (edges and the values after them), and the interpreter's word for it. */
#ifndef HEDDLE_SYMBOLIC_SCRIPT_INT_H
#define HEDDLE_SYMBOLIC_SCRIPT_INT_H

#include "boolprog/boolprog.h"
#include "symbolic/bdds_int.h"

struct script_item { int thread, edge; uint8_t *after; /* by variable: shared, and locals of the frame then on top */ };

struct script {
    uint8_t *first;   /* the shared state before everything, by slot */
    uint8_t **locals; /* by thread, init last: its locals when it starts, by variable; NULL: it never runs */
    VEC(struct script_item) items;
    int error_thread, error_edge, error_node; /* error_edge -1: the label at error_node */
};

/* Executes it; values of variables that are dead afterwards do not matter. Leaves when a choice cannot be found. */
void script_play(struct bdds *b, const struct bp_program *p, const struct bp_liveness *live, const struct script *s,
                 struct bp_run *run);
void script_reverse(struct script *s); /* the items, from the last to the first */
void script_release(const struct bp_program *p, struct script *s);

#endif
