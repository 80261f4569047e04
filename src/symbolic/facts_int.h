/* Inside src/symbolic: what is known about one thread, saturated context by context (rules R1', R2', R3', R7').
 *
 * A fact about node n in context k of a frame entered in context a relates: in[1..k] and out[1..k-1], the shared
 * states at the borders of the thread's contexts so far; the shared state and parameters at the entry of the frame's
 * procedure; the shared state and locals now. The published rules carry three k-tuples of shared states; of the middle
 * one, the tuple at procedure entry, only component a is information: those below are out[1..a-1], those above
 * in[a+1..k]. So one copy of the shared variables is stored instead of k. */
#ifndef HEDDLE_SYMBOLIC_FACTS_INT_H
#define HEDDLE_SYMBOLIC_FACTS_INT_H

#include "symbolic/encoding_int.h"

struct fact_cell { BDD all, fresh; };

/* What was new at a node when it was processed, in order: enough to find out later why a fact holds. */
struct layer { int node, context, entered; BDD facts; };

struct facts {
    struct encoding *e;
    int thread, contexts;   /* contexts: as many as can be stored */
    int start, done;        /* pseudo nodes of the frame below the thread's procedure */
    struct call_site root;
    struct fact_cell *cells;     /* [node][context][entered], contexts from 0 */
    struct fact_cell *summaries; /* [procedure][context][entered] */
    int_list *step_of, *site_of, *return_of, *site_to; /* by node; site_to: by callee. Indices into the encoding */
    int_list order;         /* nodes of the procedures that the thread can reach, callers first */
    bool keep_layers;
    VEC(struct layer) layers;
    int_list *layers_of;    /* by cell, in order */
};

void facts_init(struct facts *f, struct encoding *e, int thread, int contexts);
void facts_keep_layers(struct facts *f); /* before the first context */
void facts_release(struct facts *f);
int facts_nodes(const struct facts *f); /* program nodes and the two pseudo nodes */
struct fact_cell *facts_cell(const struct facts *f, int node, int context, int entered);
const int_list *facts_layers(const struct facts *f, int node, int context, int entered);
struct fact_cell *facts_summary(const struct facts *f, int proc, int context, int entered);
void facts_add(struct facts *f, int node, int context, int entered, BDD x);
const struct call_site *facts_site(const struct facts *f, int index); /* -1: the root site */
/* Applies all rules inside this context until nothing is new. */
void facts_saturate(struct facts *f, int context);
bool facts_may_switch(const struct facts *f, int node);

#endif
