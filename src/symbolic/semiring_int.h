/* Inside src/symbolic: weights of rules, and what is asked of all runs together.
 *
 * A bounded idempotent semiring: `combine` joins the weights of several runs and cannot go on to change its result
 * forever, `extend` goes from one part of a run to the next, and distributes over combine; `one` is the weight of doing
 * nothing, `zero` of a run that does not exist. To add one: a row in the table of weights.c, a word in
 * check/symbolic.c. */
#ifndef HEDDLE_SYMBOLIC_SEMIRING_INT_H
#define HEDDLE_SYMBOLIC_SEMIRING_INT_H

#include "symbolic/automata_int.h"

typedef int64_t weight;

struct semiring {
    weight zero, one;
    weight (*combine)(weight x, weight y);
    weight (*extend)(weight x, weight y);
    weight (*of_rule)(long written); /* what a rule that says weight=N weighs */
};
const struct semiring *semiring_of(enum pushdown_weights which);

/* Saturates backwards as pre_star() does, with the combined weight of all runs on every transition. *weights: by
 * transition of `a` (heap). Transitions that were there weigh one. */
enum limit weighted_pre_star(struct stack_automaton *a, const stack_rules *rules, const struct semiring *s,
                             const struct limits *limits, weight **weights);

#endif
