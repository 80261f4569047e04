/* Properties of infinite executions: the product of a model and an automaton, searched for accepting cycles.
 *
 * A *property* is an automaton for what must not happen. It reads the state of the model through propositions, or is a
 * never claim that the model runs itself. The claim moves first, then the model; where the model has come to its end
 * the claim goes on alone (unless stuttering is off). A violation is a lasso, or a finite execution after which the
 * automaton accepts everything. The caller owns the property; its automaton and formulas must outlive the search. */
#ifndef HEDDLE_CYCLES_H
#define HEDDLE_CYCLES_H

#include "ltl/ltl.h"
#include "search/search.h"

/* Which reduction: none, the sound one, and two published ones that miss errors. */
enum reduction { REDUCTION_NONE, REDUCTION_SI, REDUCTION_V1, REDUCTION_V0, REDUCTIONS };

struct property {
    const char *name, *kind;   /* kind as in the JSON: "ltl", "acceptance-cycle", "non-progress-cycle", "claim" */
    const char *text;          /* what is reported as violated */
    const struct buchi *automaton; /* NULL: the claim runs itself */
    const struct formulas *formulas;
    const struct formula *violation; /* the automaton accepts what satisfies this; NULL: no formula is known */
    int claim;                 /* number of the claim that evaluates the propositions or is the property; -1: none */
    VEC(int) target_of;        /* by proposition: control state that the claim goes to where it holds; 0: a label */
    enum reduction reduction;
    bool fair, no_stutter;
};

/* Explores until a violation or to the end. With options->bound >= 0 level by level of preemptions up to that bound. */
void cycles_search(struct model *m, const struct property *p, const struct search_options *options, struct search_result *result);

/* The counterexample, after the schedule was run again and found to violate the property by code that knows nothing
 * of the search. NULL if it does not. */
struct trace *trace_of_violation(struct model *m, const struct property *p, const struct schedule *s);

/* Which propositions hold in a state. */
letter property_letter(struct model *m, const struct property *p, const uint8_t *state);

#endif
