/* Concurrent Boolean programs: text in, checked control-flow graphs out.
 *
 * A program is a set of procedures (graphs of nodes and edges over Boolean variables) and a fixed list of threads.
 * One edge is one step of a thread. Promises, once boolprog_parse() has returned a program:
 *   - every name is resolved, arities agree, every thread that can ever run is in `threads`;
 *   - a node that lies inside an atomic section says so; procedures called from inside one are copies of their own;
 *   - a spawn is an ordinary step that sets a hidden shared variable (`started`) and copies the arguments.
 * Everything is owned by the program and freed by boolprog_free(). */
#ifndef HEDDLE_BOOLPROG_H
#define HEDDLE_BOOLPROG_H

#include "base/diag.h"
#include "base/limits.h"
#include "trace/trace.h"

typedef VEC(int) int_list;

enum bp_op {
    EXPR_CONST,
    EXPR_VAR,
    EXPR_NEXT,
    EXPR_STAR,
    EXPR_NOT,
    EXPR_AND,
    EXPR_OR,
    EXPR_XOR,
    EXPR_EQ,
    EXPR_IMP,
    EXPR_ITE
};

/* CONST: a is 0 or 1. VAR and NEXT (the value after the step): a is a variable. Otherwise operands are expressions. */
struct bp_expr { enum bp_op op; int a, b, c, depth; };

struct bp_var {
    const char *name;
    int proc;    /* the procedure as written in the source, -1: shared */
    int slot;    /* index among the shared variables, or among the locals of its procedure */
    int init;    /* shared: 0, 1, or -1 for either */
    bool hidden; /* made by us: started flags and thread arguments */
    int number;  /* 1 + index of the number or array that it is a bit of, 0: none */
    struct pos pos;
};

/* `size` elements of `width` bits, lowest first, from variable `first` on. */
struct bp_number { const char *name; int first, width, size; bool is_int, is_array; };

enum bp_kind { EDGE_STEP, EDGE_CALL, EDGE_RETURN, EDGE_SPAWN /* before linking only */ };

struct bp_assign { int var, value; };

struct bp_edge {
    enum bp_kind kind;
    int from, to;      /* nodes; RETURN: to is -1 */
    int guard;         /* expression that must hold, -1: none */
    int assertion;     /* expression that must not be false, -1: none */
    int constrain;     /* expression over values before and after, -1: none */
    VEC(struct bp_assign) assigns;
    int callee;        /* CALL */
    int_list args;     /* CALL: expressions */
    int_list results;  /* CALL: variables that take the results; empty: results are dropped */
    int_list values;   /* RETURN: expressions */
    int spawn;         /* STEP: the thread that it starts, -1: none */
    int atomic;        /* +1 enters an atomic section, -1 leaves it */
    const char *target; /* name of the callee, or of the label of `start_thread goto` */
    bool spawn_label;
    struct pos pos;
    const char *text;  /* the statement as written */
};

struct bp_node {
    int proc;
    bool atomic; /* no switch to another thread here */
    int_list out;
    VEC(const char *) labels;
    struct pos pos;
};

struct bp_proc {
    const char *name;
    int source;      /* index of the procedure as written; copies share it and its variables */
    int_list params, locals; /* locals: all variables of a frame, parameters first */
    int results, entry;
    int result_width; /* of each result as written, 0: Boolean; before linking only */
    int enforce;     /* expression assumed at every step, -1: none */
    bool from_label; /* starts at a label, all locals are parameters */
    struct pos pos;
};

struct bp_thread {
    const char *name;
    int proc;
    int started;    /* hidden shared variable, -1: runs from the start */
    int_list args;  /* hidden shared variables that hold its arguments; empty: arguments are arbitrary */
};

/* Threads first ... first + count - 1 stand for some of the threads that one spawn has started, any of them: which
 * ones, and what the others do, is left open. */
struct bp_slots { int first, count; };

struct bp_program {
    struct arena arena;
    const char *file;
    VEC(struct bp_var) vars;
    VEC(struct bp_expr) exprs;
    VEC(struct bp_node) nodes;
    VEC(struct bp_edge) edges;
    VEC(struct bp_proc) procs;
    VEC(struct bp_thread) threads;
    VEC(struct bp_number) numbers;
    int_list shared;     /* the shared variables */
    int init;            /* procedure that runs alone before the threads, -1: none */
    int starts_limited;  /* > 0: a spawn in a loop starts at most so many threads (--threads) */
    VEC(struct bp_slots) slots; /* of programs made by boolprog_parse_slots() only */
};

/* text: NUL-terminated. Returns NULL if there were errors, all of them in d. spawn_limit: see --threads, 0: none. */
struct bp_program *boolprog_parse(const char *file, const char *text, int spawn_limit, struct diags *d);
/* The same within limits: when one is reached it is in *cut, the result is NULL, and d means nothing. */
struct bp_program *boolprog_parse_within(const char *file, const char *text, int spawn_limit,
                                         const struct limits *limits, enum limit *cut, struct diags *d);
/* The program in which a spawn that can happen any number of times either fills one of so many slots, or starts a
 * thread that is not looked at and does nothing. NULL: not possible, or a limit was reached. */
struct bp_program *boolprog_parse_slots(const char *file, const char *text, int slots, const struct limits *limits);
enum { BOOLPROG_MOST_TEXT = 256 << 20 }; /* bytes: lines, columns and indices are ints */
void boolprog_free(struct bp_program *p);

/* Prints a program that reads back in and behaves the same. */
void boolprog_print(const struct bp_program *p, FILE *out);
/* Prints the sequential program that simulates k rounds of the threads (the reduction of the CBA paper, Fig. 1).
 * An error of p within k rounds is a failing assertion of it. labels: error labels, NULL-terminated. */
void boolprog_print_sequential(const struct bp_program *p, int k, const char *const *labels, FILE *out);

/* labels: NULL-terminated. Which of them the node has, NULL: none. */
const char *boolprog_error_label(const struct bp_program *p, int node, const char *const *labels);
bool boolprog_is_error_node(const struct bp_program *p, int node, const char *const *labels);
bool boolprog_has_label(const struct bp_program *p, const char *label);
bool boolprog_is_recursive(const struct bp_program *p);
bool boolprog_is_root(const struct bp_program *p, int proc); /* of a thread, or what runs before all threads */
/* By procedure: those that can call each other have the same number, and so have copies of one procedure as written,
 * which share its variables; callees have smaller numbers than callers. Caller frees. */
int *boolprog_call_components(const struct bp_program *p);
bool *boolprog_recursive(const struct bp_program *p); /* by procedure: it can be called from itself. Caller frees */
/* Nodes that a thread with this procedure can come to, reverse postorder, callers before callees; appended. */
void boolprog_node_order(const struct bp_program *p, int root, int_list *order);
/* Threads that run the same code, so that nobody can tell them apart: `seen` is p with one of each kind, and beside p
 * owns the list of its threads only; like: by thread of it, how many p has. */
struct bp_crowds { struct bp_program seen; int *like, largest; };
void boolprog_crowds(const struct bp_program *p, const char *const *labels, struct bp_crowds *c);
void boolprog_crowds_release(struct bp_crowds *c);
int boolprog_most_locals(const struct bp_program *p);  /* of one frame */
int boolprog_most_results(const struct bp_program *p); /* of one procedure */
/* Which locals may be read before they are written, per node and slot (heap). False if a limit was reached. */
struct bp_liveness { size_t width; bool *live; };
bool boolprog_liveness(const struct bp_program *p, const struct limits *limits, struct bp_liveness *l);
/* Shared variables are always live, locals at nodes of their own procedure only. */
bool boolprog_is_live(const struct bp_program *p, const struct bp_liveness *l, int node, int var);
/* Every variable that occurs in an expression, appended to out, with repetitions. */
void boolprog_expr_vars(const struct bp_program *p, int expr, int_list *out);

/* What every analysis relies on; builders of programs call it at the end. */
void boolprog_assert_valid(const struct bp_program *p);

/* For builders of programs (the parser, pushdown systems, tests). */
int bp_expr_new(struct bp_program *p, enum bp_op op, int a, int b, int c);
int bp_const(struct bp_program *p, bool value);
int bp_and(struct bp_program *p, int a, int b); /* -1 stands for true */
int bp_var_new(struct bp_program *p, const char *name, int proc, struct pos pos);
int bp_node_new(struct bp_program *p, int proc, struct pos pos);
int bp_edge_new(struct bp_program *p, enum bp_kind kind, int from, int to, struct pos pos);

/* ---- backwards ---- */

/* The program run backwards: it reaches the label BOOLPROG_REVERSED_GOAL with so many rounds exactly if p reaches one
 * of its errors with as many. Every edge of it says which step of p it takes back, if any. */
#define BOOLPROG_REVERSED_GOAL "$start"
enum bp_reversed {
    REVERSED_NOTHING,
    REVERSED_ERROR,   /* chooses the error: a failing assertion (origin) or a label (node) */
    REVERSED_STEP,    /* origin: a step, a spawn included */
    REVERSED_RESULTS, /* the caller's frame is as it was after the call */
    REVERSED_CALL,    /* the same, if there were no results; origin -1: of the init procedure */
    REVERSED_RETURN,  /* origin: a return */
    REVERSED_ENTER,   /* of `proc`, by the call that the frame below waits for */
    REVERSED_UNCOVER, /* origin: a call that did not return; the frame is the callee's before and the caller's after */
    REVERSED_START    /* the thread, or init, was at the entry of `proc` with nothing below */
};
struct bp_reversed_edge { enum bp_reversed role; int origin, node, proc, first; bool init; };
/* first: the variable that is slot 0 of the frame in p; shared: by variable of p. Thread i is thread n - 1 - i of p. */
struct bp_reversal { struct bp_program *program; VEC(struct bp_reversed_edge) edges; int *shared; };
void boolprog_reverse(const struct bp_program *p, const char *const *labels, struct bp_reversal *r);
void boolprog_reversal_release(struct bp_reversal *r);

/* ---- pushdown systems ---- */

/* Concurrent pushdown systems: text in, rules out; and the Boolean program that behaves the same.
 *
 * Threads share a state (the p of a rule) and have a stack each. A rule p a -> q w replaces the top symbol a of its
 * thread's stack by at most two symbols w. One rule is one step. The question is whether the target state can be
 * reached, if wanted with given symbols on top of some threads' stacks. Owned by the pds, freed by pds_free(). */
typedef VEC(const char *) name_list;
struct pds_rule { int p, a, q, b, c; long weight; struct pos pos; }; /* b and c: -1 if absent */
struct pds_thread {
    const char *name;
    VEC(struct pds_rule) rules;
    int_list stack;    /* top first */
    int target_symbol; /* on top of it at the target, -1: any */
    struct pos pos;
};
struct pds {
    struct arena arena;
    const char *file;
    name_list states, symbols;
    VEC(struct pds_thread) threads;
    int init, target;
    int target_thread; /* one whose stack the target looks at; it is the last one; -1: there is none */
    bool weighted;     /* some rule says what it weighs */
    struct pos target_pos;
};

struct pds *pds_parse(const char *file, const char *text, struct diags *d); /* NULL after errors */
/* The same within limits: when one is reached it is in *cut, the result is NULL, and d means nothing. */
struct pds *pds_parse_within(const char *file, const char *text, const struct limits *limits, enum limit *cut,
                             struct diags *d);
void pds_free(struct pds *s);
void pds_print(const struct pds *s, FILE *out);
/* Reaching the target is reaching the label TARGET. */
struct bp_program *pds_to_program(const struct pds *s);

/* ---- the interpreter and runs ---- */

/* The explicit interpreter of Boolean programs: the referee of the symbolic engine, which shares no code with it.
 *
 * A run is a list of (thread, edge, bits): one edge is one step, the bits are its nondeterministic choices in the order
 * guard, assertion, values or arguments, constrain, initial values of the locals of a new frame. Thread number
 * `threads.len` is the init procedure, which runs before all others. Nothing here is approximate: either a step is
 * possible exactly as written, or it is not. */
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
typedef VEC(struct explore_point) explore_points;
struct explore_error { int edge, node, level; }; /* a failing assertion, or a label (edge -1) */
struct explore_result { /* one search; released with bp_explore_release() */
    bool depth_cut, states_cut;       /* something was left out: what is missing proves nothing */
    int error_level;                  /* first level with an error, -1: none */
    VEC(struct explore_error) errors; /* each with its first level */
    explore_points points;            /* every (node, shared state) reached, with its first level */
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
/* The run without its last preemption, which is before *step. False if there is none, or it is not seen to pass. */
bool bp_run_without_preemption(const struct bp_program *p, const char *const *labels, const struct bp_run *r,
                               size_t *step, struct bp_run *out);
/* What remains of the program when the run ends at this error, which is none any more. */
void boolprog_disarm(struct bp_program *p, const struct bp_run *error, const char *const *labels);
/* Only runs that have been at one of the wanted nodes (by node) fail; others end where they would have. New nodes and
 * edges are behind those that were there. */
void boolprog_require(struct bp_program *p, const bool *wanted, const char *const *labels);
/* Marks the nodes that the run has been at, of the first so many. */
void bp_run_visited(const struct bp_program *p, const struct bp_run *r, size_t nodes, bool *visited);
/* Fills the error of a trace: a failing assertion (edge) or a label that was reached (node), the other one -1; both -1:
 * it is not known which of them. */
void bp_error_to_trace(const struct bp_program *p, int edge, int node, const char *const *labels, struct trace *t);
/* Fills threads, steps, final state and, unless the run passes (labels: NULL), the error of a trace. */
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
/* Per search; 0: the default. limits and explored may be NULL; to *explored the states looked at are added. */
struct bp_budget { size_t most_states; int most_depth; const struct limits *limits; uint64_t *explored; };
/* how: one line that says what was compared, or what differs (appended). */
enum bp_opinion boolprog_verify(const struct bp_program *p, const char *const *labels, const struct bp_claim *claim,
                                struct bp_budget budget, struct str *how);

#endif
