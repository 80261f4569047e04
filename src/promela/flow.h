/* Syntax tree -> one automaton per proctype.
 *
 * A control state is a place between statements; an edge is one statement that can be executed there. Control states
 * and edges carry the numbers that Spin gives them, because its .trail files and pc_value() speak in those numbers and
 * because the number of stored states depends on which places count as states: `goto` and `break` are passed through
 * on the way to the next statement, except where they are all that an option consists of; a declaration inside a block
 * is an assignment and therefore a step; a label in front of `goto` is a place of its own.
 * Memory belongs to the arena of the program. */
#ifndef HEDDLE_FLOW_H
#define HEDDLE_FLOW_H

#include "promela/promela.h"

enum edge_kind {
    EDGE_SKIP,   /* goto, break, skip: no effect */
    EDGE_ELSE,   /* executable if no other edge of the state is */
    EDGE_STMT,   /* one basic statement */
    EDGE_D_STEP, /* stmt is the d_step */
    EDGE_END,    /* the process dies, if it is the youngest */
};

struct edge {
    enum edge_kind kind;
    struct stmt *stmt;    /* NULL for EDGE_END */
    struct pos pos;
    int spin_id;
    int from, to;         /* to is 0 for EDGE_END */
    bool keeps_atomic;    /* afterwards the process still has the exclusive right to move */
    int escape;           /* from `unless`: state whose edges these are; edges of one escape exclude all later ones */
    const char *text;
    int id;               /* unique in the whole model */
};

struct control {
    VEC(struct edge) edges;
    bool end, accept, progress;
    bool needs_reaching;  /* listed as unreached if no execution comes here */
    struct pos pos;       /* of the statement that gave the state its number */
    const char *text;
    bool inside_atomic;
};

struct automaton {
    struct proctype *proctype;
    int initial;
    int final;            /* the state in which the process waits to die */
    int count;            /* states are 1 .. count-1 */
    struct control *at;
};

/* Control state that stands for a label in pc comparisons (P@label). */
int flow_label_state(const struct label *l);

struct flow {
    VEC(struct automaton) automata; /* by index of the proctype */
    int edge_count;
};

/* False if an error was reported. */
bool flow_build(struct program *p, struct flow *flow, struct diags *diags);
void flow_release(struct flow *flow);
void flow_print(const struct flow *flow, FILE *out);

#endif
