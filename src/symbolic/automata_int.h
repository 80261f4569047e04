/* Inside src/symbolic: pushdown systems with one stack, and finite automata that stand for sets of their stacks. */
#ifndef HEDDLE_SYMBOLIC_AUTOMATA_INT_H
#define HEDDLE_SYMBOLIC_AUTOMATA_INT_H

#include "symbolic/symbolic.h"

/* A pushdown system with one stack: rules (p, a) -> (q, b c), b and c -1 if absent. */
struct stack_rule { int p, a, q, b, c; int64_t weight; };
typedef VEC(struct stack_rule) stack_rules;

/* A finite automaton over stack symbols; its first states are the states of the system. Symbol -1 is the empty word. */
struct stack_transition { int from, symbol, to; };
struct stack_automaton {
    VEC(struct stack_transition) list;
    int states;
    uint32_t *slots; size_t cap; /* hash of the transitions */
    VEC(int_list) out;        /* by state: indices into list */
    int final;
};
void automaton_init(struct stack_automaton *a, int states, int final);
void automaton_release(struct stack_automaton *a);
bool automaton_add(struct stack_automaton *a, int from, int symbol, int to); /* false if it was there */
size_t automaton_put(struct stack_automaton *a, int from, int symbol, int to); /* its index, added if necessary */
/* Configurations reachable from those accepted by `a` / from which they are reachable: saturates in place.
 * post*: `a` must have no transition into the first `p_states` states. At a limit they stop, unfinished. */
enum limit post_star(struct stack_automaton *a, const stack_rules *rules, int p_states, const struct limits *limits);
enum limit pre_star(struct stack_automaton *a, const stack_rules *rules, const struct limits *limits);
/* Some configuration that starts in this state is accepted by both. */
bool automata_meet(const struct stack_automaton *a, const struct stack_automaton *b, int state);

#endif
