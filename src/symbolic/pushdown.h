/* Pushdown systems by saturation: explicit states, for one stack or, after the reduction of the CBA paper (Fig. 4),
 * for K rounds of several. Independent of the BDD engine, and its referee on .pds files. */
#ifndef HEDDLE_SYMBOLIC_PUSHDOWN_H
#define HEDDLE_SYMBOLIC_PUSHDOWN_H

#include "base/limits.h"
#include "boolprog/pds.h"

/* A pushdown system with one stack: rules (p, a) -> (q, b c), b and c -1 if absent. */
struct stack_rule { int p, a, q, b, c; };
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
/* Configurations reachable from those accepted by `a` / from which they are reachable: saturates in place.
 * post*: `a` must have no transition into the first `p_states` states. At a limit they stop, unfinished. */
enum limit post_star(struct stack_automaton *a, const stack_rules *rules, int p_states, const struct limits *limits);
enum limit pre_star(struct stack_automaton *a, const stack_rules *rules, const struct limits *limits);
/* Some configuration that starts in this state is accepted by both. */
bool automata_meet(const struct stack_automaton *a, const struct stack_automaton *b, int state);

struct pushdown_result {
    const char *cut;    /* not finished: why; what was not found then may be there all the same */
    enum limit limit;   /* the limit behind it, if it was one */
    bool *reached;      /* forward: by shared state, after K rounds (heap) */
    bool found;         /* the target */
    bool *projection;   /* [thread][state][symbol]: on some run to the target (heap, NULL if not wanted) */
};
/* K rounds of all threads; forward (post*) or backward (pre*). */
void pushdown_check(const struct pds *s, int rounds, bool backward, bool projection, const struct limits *limits,
                    struct pushdown_result *r);
void pushdown_release(struct pushdown_result *r);

#endif
