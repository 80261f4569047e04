/* How a process can go round: its control states and the steps between them, with what a step is known to do. */
#ifndef HEDDLE_LOOPS_INT_H
#define HEDDLE_LOOPS_INT_H

#include "model/footprint_int.h"

/* A step from one control state in which the process can rest to the next. */
struct hop {
    int from, to;
    struct channel_use first;     /* the end of a channel that it surely uses; no ops: none */
    const struct channel_use *may; /* what it may use */
    size_t may_count;
    uint64_t counts, spoils;      /* counters (counters.c) that it surely moves on; that it may set otherwise */
};

struct loops {
    int count;                    /* control states are 1 .. count - 1 */
    struct hop *hops;             /* by `from` */
    size_t *begin;                /* [state]: its first one; count + 1 entries */
    size_t hop_count;
    int *cost;                    /* [state]: how much reduction is lost where the process never goes first */
    bool *always;                 /* [state]: where loops are cut if nothing is known of the others */
    VEC(const struct var *) channels; /* locals that hold the same channel from the start */
};

enum { MOST_HOPS = 1 << 16 };     /* of one proctype; with more, all of its states are sticky */

void loops_build(struct promela_model *m, const struct automaton *a, const struct footprint *next, struct loops *out);

/* counters.c: locals that only go up (or down) in guarded steps of one and do not overflow. For edge k of state c:
 * counts[c][k] the counters that it moves on, spoils[c][k] those that it writes otherwise. */
struct counters { uint64_t **counts, **spoils; };
void counters_find(const struct automaton *a, struct counters *out);
void counters_release(const struct automaton *a, struct counters *c);

#endif
