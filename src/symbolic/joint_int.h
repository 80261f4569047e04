/* Inside src/symbolic: rounds by joint states of all threads, up to a proof that covers every schedule.
 *
 * The set of joint states (shared variables, and per thread its position and the frames of its stack) is closed round
 * by round under the steps of each thread; what round k adds is what needs k contexts per thread. When a round adds
 * nothing, no schedule of any length leaves the set. For programs without recursion the set is exact, and an error in
 * it has a run. Of procedures that can call themselves only the newest frame is in the state: what lies below it is
 * any frame that a call has covered (with `precise`: in the state and with the arguments with which this one was
 * entered), so the set can only be too large. */
#ifndef HEDDLE_SYMBOLIC_JOINT_INT_H
#define HEDDLE_SYMBOLIC_JOINT_INT_H

#include "symbolic/bdds_int.h"
#include "symbolic/encoding_int.h"
#include "symbolic/symbolic.h"

struct joint_request {
    const struct bp_program *p;
    const struct symbolic_options *o;
    const char *const *labels;
    int most_rounds;   /* 0: until nothing is new */
    bool want_points;  /* see symbolic_check() */
    bool precise;
    enum order_kind order;
    bool steps;        /* a turn is taken step by step, not as one relation */
    long most_work;    /* nodes made, 0: no limit */
    const int *like;   /* by thread: so many threads are like this one, which stands for all; NULL: each for itself */
    int counter_bits;  /* of what counts those, see crowd.c */
};

enum joint_outcome { JOINT_GAVE_UP, JOINT_PROVED, JOINT_BOUNDED, JOINT_ERROR };

struct joint_result {
    enum joint_outcome outcome;
    bool exact;            /* no recursion, nothing that stands for several threads */
    bool counts_all;       /* threads that are alike are counted without a limit */
    bool asserted;         /* an assertion is reached in the set, which can be too large */
    int rounds;            /* complete; ERROR: round of the error */
    enum cut cut;          /* GAVE_UP; ERROR: why there is no run */
    int error_edge, error_node; /* ERROR: see symbolic.h */
    bool has_run;          /* ERROR, exact */
    struct bp_run run;
    long nodes;            /* made */
    int variables, turns;  /* of BDDs; that were taken */
    VEC(struct symbolic_round) ledger;
    explore_points points;
    struct arena arena;
};

void joint_rounds(const struct joint_request *q, struct joint_result *r);
void joint_release(struct joint_result *r);

#endif
