/* The explicit interpreter of Boolean programs: the referee of the symbolic engine, which shares no code with it.
 *
 * A run is a list of (thread, edge, bits): one edge is one step, the bits are its nondeterministic choices in the order
 * guard, assertion, values or arguments, constrain, initial values of the locals of a new frame. Thread number
 * `threads.len` is the init procedure, which runs before all others. Nothing here is approximate: either a step is
 * possible exactly as written, or it is not. */
#ifndef HEDDLE_BOOLPROG_INTERP_H
#define HEDDLE_BOOLPROG_INTERP_H

#include "boolprog/boolprog.h"
#include "trace/trace.h"

struct bp_stack { bool started; int depth, cap; int *nodes, *calls; uint8_t *locals; };
struct bp_state {
    const struct bp_program *program;
    int stride, stacks; /* bytes of locals per frame; threads, plus one if there is an init procedure */
    uint8_t *shared;
    struct bp_stack *stack;
};

enum step_outcome { STEP_DONE, STEP_BLOCKED, STEP_FAILS /* the assertion is false */ };

/* bits: one byte each. For the values of shared variables without an initial value, then uninitialised locals of the
 * threads that exist from the start, in order of threads (init last). */
size_t bp_state_init_bits(const struct bp_program *p);
void bp_state_init(struct bp_state *s, const struct bp_program *p, const uint8_t *bits);
void bp_state_release(struct bp_state *s);
void bp_state_copy(struct bp_state *to, const struct bp_state *from); /* to: initialised */
size_t bp_state_pack(const struct bp_state *s, struct str *out);      /* appends; equal bytes = equal states */
void bp_state_unpack(struct bp_state *s, const uint8_t *bytes);

int bp_state_top(const struct bp_state *s, int thread); /* node on top of the stack, -1: finished or not started */
int bp_state_atomic_holder(const struct bp_state *s);           /* the thread inside an atomic section, -1: none */
bool bp_state_may_run(const struct bp_state *s, int thread);    /* started, not finished, not kept out by another */
bool bp_state_enabled(const struct bp_state *s, int thread);    /* may run, and some step is possible */
size_t bp_step_bits(const struct bp_program *p, int edge);
enum step_outcome bp_state_step(struct bp_state *s, int thread, int edge, const uint8_t *bits);
/* Bits for which the step ends with these values (by variable, of the frame then on top) of the variables in `care`.
 * fails: the assertion is to be false. spawned: initial locals of the thread that it starts, by variable.
 * NULL: there are none. Heap, caller frees. */
struct step_wish { const uint8_t *value, *spawned; const bool *care; bool fails; };
uint8_t *bp_step_find_bits(const struct bp_state *s, int thread, int edge, const struct step_wish *wish);

/* Exhaustive search. rounds > 0: round robin in order of threads, so many contexts each; 0: all interleavings. */
struct explore_options { int rounds, most_depth; size_t most_states; const char *const *labels; };
struct explore_point { int node; int round; const uint8_t *shared; };
struct explore_result { /* one search; released with bp_explore_release() */
    bool depth_cut, states_cut;
    int error_round;                  /* first round with an error (1 if not by rounds), 0: no error */
    VEC(struct explore_point) points; /* every (node, shared state) reached, with its first round */
    size_t states;
    struct arena arena;
};
void bp_explore(const struct bp_program *p, const struct explore_options *o, struct explore_result *r);
void bp_explore_release(struct explore_result *r);

/* A run as it is found, checked, simplified and printed. */
struct run_step { int thread, edge; uint8_t *bits; };
struct bp_run { uint8_t *init_bits; VEC(struct run_step) steps; int error_node; /* label reached, -1: assertion */ };
void bp_run_release(struct bp_run *r);
/* NULL if the run is possible and ends in an error, else what is wrong (heap). */
char *bp_run_check(const struct bp_program *p, const struct bp_run *r, const char *const *labels);
/* Reorders the steps, keeping the order of all that depend on each other, to the fewest preemptions. */
void bp_run_simplify(const struct bp_program *p, struct bp_run *r);
/* Fills threads, steps, error and final state of a trace. */
void bp_run_to_trace(const struct bp_program *p, const struct bp_run *r, struct trace *t);
/* The run of a trace; false if it does not fit the program. */
bool bp_run_from_trace(const struct bp_program *p, const struct trace *t, struct bp_run *r);

#endif
