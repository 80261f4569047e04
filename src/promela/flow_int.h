/* Shared by the two passes of flow.c and flow_edges.c. */
#ifndef HEDDLE_FLOW_INTERNAL_H
#define HEDDLE_FLOW_INTERNAL_H

#include "promela/promela.h"

enum element_kind { ELEMENT_STMT, ELEMENT_GOTO, ELEMENT_ELSE, ELEMENT_IF, ELEMENT_DO, ELEMENT_UNLESS, ELEMENT_ATOMIC,
                    ELEMENT_D_STEP, ELEMENT_BLOCK, ELEMENT_JOIN, ELEMENT_BREAK, ELEMENT_END };
enum { IN_ATOMIC = 1, LAST_OF_ATOMIC = 2, IN_D_STEP = 4 };

struct element;
struct exit { struct element *to; }; /* where `break` leads */

/* A run of elements linked by `next`; extent is the last one before joins were added. */
struct sequence { struct element *first, *last, *extent; };

struct element {
    enum element_kind kind;
    struct stmt *stmt;
    struct pos pos;
    int seqno;    /* number in the proctype: the control state in front of it */
    int spin_id;  /* number in the model */
    unsigned status;
    bool done;
    struct element *next;
    VEC(struct sequence *) subs;    /* options, both sides of unless, or the contents of a group */
    VEC(struct sequence *) escapes; /* innermost first */
    VEC(struct label *) labels;
    struct exit *exit;              /* ELEMENT_GOTO made from break */
};

/* A statement whose parts exist but which has no element of its own yet. */
struct plan { struct stmt *stmt; enum element_kind kind; VEC(struct sequence *) subs; struct exit *exit; };

struct builder {
    struct program *program;
    struct diags *diags;
    struct proctype *proctype; /* being built */
    int *counts;               /* numbers used so far, by proctype */
    int next_seqno, next_id, edge_count;
    VEC(struct element *) elements;
    VEC(struct exit *) breaks;
};

void flow_build_edges(struct builder *b, struct proctype *p, struct sequence *body, struct automaton *out);
void flow_element_release(struct element *e);
void assert_flow(const struct program *p, const struct flow *flow); /* for builds that check everything */

#endif
