/* The graph that the naive method builds of a model, or of the product of a model and a property. Internal to
 * src/check. */
#ifndef HEDDLE_VERIFY_GRAPH_INT_H
#define HEDDLE_VERIFY_GRAPH_INT_H

#include "check/verify_int.h"
#include "search/search.h"

/* Whole states, each once, in the order in which they were met. */
struct states {
    VEC(uint8_t) bytes;
    VEC(size_t) ends;
    VEC(bool) reached;   /* some node has it */
    uint32_t *slots;     /* number + 1; 0: free */
    size_t cap;
};
/* verify_states.c. The number of the state, which is added if it is new. */
uint32_t states_add(struct states *s, const uint8_t *bytes, uint32_t size);
const uint8_t *states_at(const struct states *s, uint32_t number, uint32_t *size); /* valid until states_add */
void states_release(struct states *s);

/* A state, where the claim is in it (0: there is none), and who moved last (MODEL_NOBODY if that does not count). */
struct place { uint32_t state; int32_t claim; uint8_t last; };
struct node { struct place at; int32_t level; size_t edges, edge_count; };
struct product_edge { uint32_t to; uint8_t pid, last; bool costs; }; /* costs: a preemption; then `to` means nothing */

/* One step of the model from the state being looked at. */
struct model_step { uint32_t state; uint8_t pid, last; bool ends, fails, timeout; };

struct graph {
    const struct naive_job *job;
    struct states states;
    VEC(struct node) nodes;
    uint32_t *slots;         /* of nodes, number + 1 */
    size_t cap;
    VEC(struct product_edge) edges;  /* kept for properties only */
    VEC(uint32_t) now;       /* nodes of this level that were not expanded yet */
    VEC(struct place) next;  /* where the next level begins */
    int64_t level;
    bool complete;           /* nothing is left */
    int64_t error_at;        /* fewest preemptions of an error met so far, -1: none */
    uint64_t reached;        /* states that have a node */
    VEC(uint64_t) levels;    /* `reached` when a level was complete */
    enum limit stopped;
    uint64_t ticks;
    /* of the node being expanded */
    VEC(uint8_t) here;
    VEC(struct model_step) steps;
    VEC(int) targets;        /* of the claim */
};

void graph_build(struct graph *g);
void graph_release(struct graph *g);
bool graph_must_stop(struct graph *g); /* asks the limits now and then */

/* verify_cycles.c. Where the claim can go from here, in g->targets; true: this is a violation already. */
bool claim_moves(struct graph *g, int32_t claim);
int32_t claim_begins(const struct naive_job *job);
/* The fewest preemptions with which a cycle is reached that must not be; -1: there is none in the graph. */
int64_t graph_find_cycle(struct graph *g);

#endif
