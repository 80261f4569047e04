/* Inside src/symbolic: a proof that covers every schedule.
 *
 * The set of joint states of all threads (shared variables, and per thread its position and locals, calls expanded in
 * place) is closed round by round under the steps of each thread. When a round adds nothing, no schedule of any length
 * leaves the set. For programs without recursion the set is exact; a procedure that can call itself is represented
 * once, and returns to any of its callers with arbitrary locals, so the set can only be too large. Work is limited:
 * the analysis by contexts does not need this proof to find errors. */
#ifndef HEDDLE_SYMBOLIC_JOINT_INT_H
#define HEDDLE_SYMBOLIC_JOINT_INT_H

#include "symbolic/bdds_int.h"
#include "symbolic/symbolic.h"

enum joint_outcome { JOINT_PROVED, JOINT_ERROR, JOINT_GAVE_UP };
struct joint_result {
    enum joint_outcome outcome;
    bool exact;            /* no recursion */
    bool asserted;         /* an assertion is reached in the set, which can be too large */
    int rounds;            /* PROVED: rounds after which nothing is new; ERROR: round of the error */
    enum cut cut;          /* GAVE_UP */
    VEC(struct symbolic_round) ledger;
};

void joint_prove(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                 struct joint_result *r);
void joint_release(struct joint_result *r);

#endif
