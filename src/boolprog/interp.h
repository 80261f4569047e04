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
 * NULL: there are none, or the choices of a constrained assignment depend on each other in too many ways: then *gave_up
 * (may be NULL). Heap, caller frees. */
struct step_wish { const uint8_t *value, *spawned; const bool *care; bool fails, *gave_up; };
uint8_t *bp_step_find_bits(const struct bp_state *s, int thread, int edge, const struct step_wish *wish);

/* Exhaustive search by levels, each state at the lowest level at which it can be reached. A level is a round of a round
 * robin in order of threads (from 1 to `most`), a switch from one thread to another (0 to `most`; the step from the
 * init procedure to the first thread is none), a preemption (0 to `most`), or nothing: all interleavings are level 0.
 * A label counts where its thread may move; by rounds or switches, in a turn of that thread. */
enum explore_by { EXPLORE_ALL, EXPLORE_ROUNDS, EXPLORE_SWITCHES, EXPLORE_PREEMPTIONS };
struct explore_options {
    enum explore_by by;
    int most, most_depth;
    size_t most_states;
    const char *const *labels;
    const struct limits *limits; /* may be NULL */
};
struct explore_point { int node; int round; const uint8_t *shared; };
struct explore_error { int edge, node, level; }; /* a failing assertion, or a label (edge -1) */
struct explore_result { /* one search; released with bp_explore_release() */
    bool depth_cut, states_cut;       /* something was left out: what is missing proves nothing */
    int error_level;                  /* first level with an error, -1: none */
    VEC(struct explore_error) errors; /* each with its first level */
    VEC(struct explore_point) points; /* every (node, shared state) reached, with its first level */
    size_t states;
    struct arena arena;
};
void bp_explore(const struct bp_program *p, const struct explore_options *o, struct explore_result *r);
void bp_explore_release(struct explore_result *r);

/* A run as it is found, checked, simplified and printed. error_node: the label reached, -1: a failing assertion. */
struct run_step { int thread, edge; uint8_t *bits; };
struct bp_run { uint8_t *init_bits; VEC(struct run_step) steps; int error_node; };
void bp_run_release(struct bp_run *r);
/* Plays the run, ends it at its first error and says which label that is. False if it is impossible or has none. */
bool bp_run_finish(const struct bp_program *p, const char *const *labels, struct bp_run *r);
/* NULL if the run is possible and ends with its first error, else what is wrong (heap). */
char *bp_run_check(const struct bp_program *p, const struct bp_run *r, const char *const *labels);
int bp_run_preemptions(const struct bp_program *p, const struct bp_run *r);
/* Reorders the steps, keeping the order of all that depend on each other, and leaves out what the error does not need,
 * for fewer preemptions. Another run can need even fewer. */
void bp_run_simplify(const struct bp_program *p, const char *const *labels, const struct limits *limits,
                     struct bp_run *r);
/* Replaces the run by one with fewer preemptions if an explicit search finds one. True if the search was complete: no
 * run of the program to any error has fewer preemptions than r has then. */
bool bp_run_fewest(const struct bp_program *p, const char *const *labels, size_t most_states,
                   const struct limits *limits, struct bp_run *r);
/* Fills the error of a trace: a failing assertion (edge) or a label that was reached (node), the other one -1. */
void bp_error_to_trace(const struct bp_program *p, int edge, int node, const char *const *labels, struct trace *t);
/* Fills threads, steps, error and final state of a trace. */
void bp_run_to_trace(const struct bp_program *p, const struct bp_run *r, const char *const *labels, struct trace *t);
/* The run of a trace; false if it does not fit the program. */
bool bp_run_from_trace(const struct bp_program *p, const struct trace *t, struct bp_run *r);

/* A second opinion about a finished check, by exhaustive search with the interpreter alone: no BDDs, no summaries, no
 * liveness. It looks at as many states as the budget allows, and at stacks up to a depth; what it could not finish it
 * says. An error that it finds and that was claimed not to exist is always a disagreement. */
enum bp_opinion { OPINION_UNFINISHED, OPINION_AGREES, OPINION_DISAGREES };
enum bp_claim_kind { CLAIM_NO_ERROR, CLAIM_NO_ERROR_IN_ROUNDS, CLAIM_ERROR };
struct bp_claim {
    enum bp_claim_kind kind;
    int rounds;   /* IN_ROUNDS: none with so many contexts per thread; ERROR: none with fewer, one with so many */
    int switches; /* IN_ROUNDS: none in any schedule with at most so many switches */
    const struct bp_run *run; /* ERROR: the run that was printed, or NULL */
    bool fewest;              /* ERROR: no run has fewer preemptions */
};
/* Per search; 0: the default. limits may be NULL. */
struct bp_budget { size_t most_states; int most_depth; const struct limits *limits; };
/* how: one line that says what was compared, or what differs (appended). */
enum bp_opinion boolprog_verify(const struct bp_program *p, const char *const *labels, const struct bp_claim *claim,
                                struct bp_budget budget, struct str *how);

#endif
