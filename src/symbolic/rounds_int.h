/* Inside src/symbolic: all threads, round by round (rules R8 to R12 and the Checker, for any number of threads).
 *
 * effect[j][k] relates in[1..k] and out[1..k] of thread j. Before thread j runs its context k, entry_history() says
 * which in[1..k], out[1..k-1] some execution of all threads can produce: around the ring from thread j to the last one
 * with k-1 contexts each, then from the first one to thread j with k contexts each. The lazy analysis starts from
 * exactly these; the eager one starts from anything and intersects afterwards. */
#ifndef HEDDLE_SYMBOLIC_ROUNDS_INT_H
#define HEDDLE_SYMBOLIC_ROUNDS_INT_H

#include "symbolic/facts_int.h"
#include "symbolic/symbolic.h"

struct rounds {
    struct encoding e;
    int threads, contexts; /* contexts: the most that can be done */
    int completed;         /* rounds; they are run one after the other */
    bool eager;
    struct facts init;     /* init procedure, if there is one */
    struct facts *thread;
    int *like;             /* by thread: with whose facts its own are kept */
    bool *shared;          /* by thread: those are not its alone */
    int **twin;            /* by thread, NULL: its own; by node: where those facts are, -1: nowhere */
    BDD start;             /* shared states (now) in which the threads start */
    BDD *effect;           /* [thread][context] */
    BDD *history;          /* [thread][context]: what entry_history() said */
    BDD *entries;          /* [procedure], eager analysis of one thread only: see sequential.c */
    BDD *suffix;           /* [thread], during a round: of the round before */
    bddPair *now_to_first_in;
    bddPair **now_to_out, **out_to_in_upto, **swap_upto; /* by context; upto: of all contexts below it as well */
};

void rounds_init(struct rounds *r, struct bdds *b, const struct bp_program *p, int contexts, bool eager,
                 const char *const *labels, struct order_choice order);
void rounds_release(struct rounds *r);

struct hit { int thread, context, entered, error; }; /* error: index into e.errors */

/* The init procedure alone. True if it reaches an error. */
bool rounds_init_phase(struct rounds *r, struct hit *hit);
/* Round `context` (from 0) of all threads. True if some thread reaches an error in it. */
bool rounds_run(struct rounds *r, int context, struct hit *hit);
/* What the threads behind `thread` make of its out[0..context]: a relation of out and aux. */
BDD rounds_suffix(struct rounds *r, int thread, int context);
/* What the threads before `thread` make of a start and of aux[0..context-1], the out of the last one: aux and in. */
BDD rounds_prefix(struct rounds *r, int thread, int context);
/* Starts context k of a thread from these in[0..k], out[0..k-1]. */
void rounds_begin_context(struct rounds *r, struct facts *f, int k, BDD allowed);
BDD rounds_effect(const struct rounds *r, int thread, int context);
/* Facts of a thread at a node that some execution produces. */
BDD rounds_exact(struct rounds *r, int thread, int node, int context, int entered);

/* alike.c */
void rounds_find_alike(struct rounds *r);
void rounds_release_alike(struct rounds *r);
int rounds_twin(const struct rounds *r, int thread, int node);

/* sequential.c */
void sequential_enter_all(struct facts *f);
void sequential_find_entries(struct rounds *r, struct facts *f);

/* Cubes and renamings over the contexts 0..upto-1. */
BDD shared_cube(struct encoding *e, enum copy kind, int first, int count);

#endif
