/* A model as searches see it: states are byte strings, steps lead from one to the next.
 *
 * Front ends produce a `struct model`; searches see only this.
 *
 * A *state* is what a search stores: a byte string of some length; two states are equal if and only if their bytes are.
 * A *step* is what one process does between two stored states: usually one statement, two in a rendezvous (the
 * sender's, then the receiver's), more in an atomic sequence or a merged chain of local statements. A step belongs to
 * the process that started it. The model enumerates steps in a fixed order: processes from the highest pid down, the
 * statements of one process in the order written; so does Spin.
 * Errors inside a step (a failing assertion, an index out of range) are reported with the step. What is an error of a
 * whole state (no step possible and not a valid end) is the search's to decide with `valid_end`. */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H

#include "base/limits.h"

enum {
    MODEL_ALL = -1,
    MODEL_MOST_PROCESSES = 255,
    MODEL_NOBODY = MODEL_MOST_PROCESSES, /* who moved last before the first step */
    MODEL_MOST_STATE = (1 << 24) - 4096, /* bytes of a state: what a store can take as one record */
};
#define MODEL_UNUSED "-" /* the value of a variable that will be written before it is read again */

/* One statement executed by one process. */
struct move {
    uint32_t transition;
    uint8_t pid;
    bool receives; /* the second half of a rendezvous */
};

struct successor {
    const uint8_t *state; /* valid during the call only. NULL: a fault ended the execution inside the step */
    uint32_t size;
    int pid;              /* who made the step */
    int last;             /* who moved last in it: pid, or the receiver of a rendezvous */
    bool timeout;         /* nobody could move but for timeout: to leave one who waits for it is no preemption */
    const struct move *moves;
    uint32_t move_count;
    const char *fault;    /* kind of error as in the JSON ("assertion", "model"), or NULL */
    const char *fault_message; /* e.g. "n == 2 at counter.pml:21" */
    uint32_t fault_transition;
    const uint8_t *fault_before; /* the state in which the failing statement was, inside of the step if it has several;
                                    NULL: not known */
    uint32_t fault_size;
    bool goes_on; /* the fault is inside the step, and what the step leads to in spite of it is reported as well */
    bool in_spite; /* as which it is reported here: an assertion inside the step has failed */
};

/* Return false to stop the enumeration. */
typedef bool successor_fn(void *ctx, const struct successor *s);
typedef void value_fn(void *ctx, const char *name, const char *value);

/* What is known of a transition without running it. */
struct transition {
    int proctype;
    int from, to;      /* control states; to is 0 at the end of a process */
    int spin_id;       /* its number in Spin's .trail files */
    const char *file;
    int line;
    const char *text;  /* "x = (x+1)" */
    bool keeps_atomic; /* the process is inside an atomic sequence afterwards */
};

/* A piece of a state that steps read and change as a whole: global variables, the frame of a process or channel. */
struct model_part {
    uint32_t at, size;
    int owner; /* whose frame it is; MODEL_NOBODY: no process's */
};

/* Whether a process where it is may be independent, and go first. */
enum first_move { FIRST_NEVER, FIRST_MAYBE, FIRST_SURELY };

struct model;
struct archive;
struct model_ops {
    /* Writes the initial state to a buffer of at least max_state bytes; returns its size. */
    uint32_t (*initial)(struct model *m, uint8_t *state);
    /* Calls fn for each step that process pid (or every process, with MODEL_ALL) can make in `state`; returns how
     * many there were (so 0: blocked). With MODEL_ALL, `timeout` is found out and the argument ignored: the steps
     * that wait for it are offered when there are no others. For one pid the caller says whether it is true. */
    uint32_t (*successors)(struct model *m, const uint8_t *state, uint32_t size, int pid, bool timeout,
                           successor_fn *fn, void *ctx);
    /* How many first statements of steps pid can execute in `state` while timeout is false. Each of them begins at
     * least one step, so this is a lower bound that costs less than the steps, and zero is exact. -1: not known. May
     * be NULL. */
    int (*first_statements)(struct model *m, const uint8_t *state, uint32_t size, int pid);
    int (*process_count)(struct model *m, const uint8_t *state); /* pids 0 .. n-1 exist */
    bool (*valid_end)(struct model *m, const uint8_t *state);
    const struct transition *(*transition)(struct model *m, uint32_t id);
    const char *(*proctype_name)(struct model *m, int proctype);
    int (*process_type)(struct model *m, const uint8_t *state, int pid);
    /* All variables with their values as text, in a fixed order: globals, channels, then locals by process. */
    void (*values)(struct model *m, const uint8_t *state, value_fn *fn, void *ctx);
    /* What the statements of `printf` in the last enumerated step printed; "" unless output was wanted. */
    void (*want_output)(struct model *m, bool wanted);
    const char *(*output)(struct model *m);
    /* Calls fn(ctx, proctype name, "file:line, state n, \"text\"") for what was never reached since the start. */
    void (*unreached)(struct model *m, value_fn *fn, void *ctx);
    void (*free)(struct model *m);
    /* The same model for another thread: its own enumeration, everything else shared. To be freed before the model.
     * NULL, as a function or as its answer: there can be one only. */
    struct model *(*another)(struct model *m);
    /* Where the process is: the `from` of the transitions it may try next. */
    int (*control_state)(struct model *m, const uint8_t *state, int pid);
    /* Never claims (those written in the model, then those made from formulas), by number from 0. claim_step finds the
     * control states that the claim can go to while the model is in `state` (room for claim_width of them in `to`) and
     * returns how many; *fault is set if an assertion in the claim fails. A claim at its end has been violated. */
    int (*claim_count)(struct model *m);
    const char *(*claim_name)(struct model *m, int claim);
    int (*claim_initial)(struct model *m, int claim);
    int (*claim_states)(struct model *m, int claim);  /* control states are 1 .. n-1 */
    int (*claim_width)(struct model *m, int claim);
    bool (*claim_accepts)(struct model *m, int claim, int control);
    bool (*claim_at_end)(struct model *m, int claim, int control);
    int (*claim_step)(struct model *m, int claim, int control, const uint8_t *state, bool timeout, int *to,
                      const char **fault);
    /* Labels of control states: some process is at an accept or progress label in `state`. */
    bool (*accepts)(struct model *m, const uint8_t *state);
    bool (*progresses)(struct model *m, const uint8_t *state);
    /* Partial order reduction: whatever the other processes do before pid moves, the steps that pid can make now (while
     * timeout is false) stay the same, stay possible and commute with it. So if pid has any step, its steps alone are
     * an ample set, provided that the search sees to it that no cycle is closed without all processes having had their
     * turn. */
    bool (*commutes)(struct model *m, const uint8_t *state, int pid);
    /* The same, and the model has seen to it: there is no cycle of states in each of which the process that moves is
     * independent. A search may take the first independent process that has a step, in every state, in whatever order
     * it comes. */
    bool (*independent)(struct model *m, const uint8_t *state, int pid);
    /* Which parts (their numbers, ascending) decide which processes are independent. The answer is the same for all
     * states whose first part is. */
    int (*independence_parts)(struct model *m, const uint8_t *state, uint32_t *numbers);
    /* The same by where processes are, for a search that asks about every state. Places are the control states of all
     * proctypes, by number; there are few enough for a table, or 0. place() says where pid is, and whether it can be
     * independent there; that depends on the first part and pid's own alone. It never is
     * where another process is at a place that hinders its own; else FIRST_SURELY is the whole answer. */
    int (*places)(struct model *m);
    int (*place)(struct model *m, const uint8_t *state, int pid, enum first_move *first);
    bool (*hinders)(struct model *m, int place, int other);
    /* The steps that pid can make change nothing that a claim looks at: no variable or channel in it, no label. */
    bool (*invisible)(struct model *m, const uint8_t *state, int pid);
    /* Whether pid can move here may depend on a step with which an independent process went first: on a message that it
     * sent, on room that it made, on its death. Where it can, it might not have been able to without. Depends on the
     * first part and pid's own alone. */
    bool (*may_depend)(struct model *m, const uint8_t *state, int pid);
    /* The parts of a state, in the order of their bytes, which they cover. The list is the same for all states whose
     * first part is, and stays where it is. */
    uint32_t (*parts)(struct model *m, const uint8_t *state, const struct model_part **parts);
    /* What another process needs to understand states with the same first part: as bytes, at most `room` of them;
     * returns how many there are. understand() is false if they are none of this model. Threads may be at work. */
    size_t (*explain)(struct model *m, const uint8_t *state, uint8_t *bytes, size_t room);
    bool (*understand)(struct model *m, const uint8_t *bytes, size_t count);
    /* What was reached so far, as bytes that add_reached() of the same model in another process takes. */
    size_t (*reached)(struct model *m, uint8_t *bytes, size_t room);
    void (*add_reached)(struct model *m, const uint8_t *bytes, size_t count);
    /* Which parts (their numbers, ascending) decide what steps pid can make in `state`, and are all that these can
     * change; -1: they may look at or change anything. The answer depends on the first part and pid's own alone. */
    int (*touched)(struct model *m, const uint8_t *state, int pid, uint32_t *numbers);
    /* What another process needs to go on with states that this one made, and what was reached. With NULL for the
     * archive only: what this handle has reached counts for the model. load() is false if the model is another one, or
     * the archive is bad. For models that are portable. */
    void (*save)(struct model *m, struct archive *a);
    bool (*load)(struct model *m, struct archive *a);
};

struct model {
    const struct model_ops *ops;
    uint32_t max_state;        /* no state produced so far was larger than this, and the initial one is not */
    uint32_t transition_count;
    bool uses_timeout;         /* some statement waits for timeout */
    /* Asked now and then inside a long step (an atomic sequence, a d_step) and between steps; may be NULL. Once it has
     * said true, `cut` is set and the enumeration ends at once: steps are missing, and its count only says that the
     * state is not known to be blocked. The search that asks must remember that it stopped, before it believes that
     * there is nothing left. */
    bool (*interrupted)(void *ctx);
    void *interrupt_ctx;
    bool between; /* it is asked between two steps: after much work on large states, or on many. The memory of a search
                     is in its budget then, and only time and interruption matter. */
    bool cut;
    bool is_portable;          /* states mean the same in another process: save() and load() */
    bool met_inside;           /* paths inside of one step met: it may go round in an atomic sequence for ever */
    bool apart;                /* what this handle reaches does not count for the model */
    double compile_seconds;
};

static inline void model_ask(struct model *m, bool (*interrupted)(void *ctx), void *ctx)
{
    m->interrupted = interrupted;
    m->interrupt_ctx = ctx;
    m->cut = false;
}

/* ---- a Promela program as a model: translated to C and compiled in memory ---- */

struct program;
struct diags;

/* Analyses that make fewer states; bench/ablation.c measures what each is good for. */
enum analysis {
    ANALYSIS_DEAD = 1,      /* dead values are cleared; the next three are parts of it */
    ANALYSIS_D_STEP = 2,    /* also what dies inside a d_step */
    ANALYSIS_ELEMENTS = 4,  /* elements of arrays and fields by themselves */
    ANALYSIS_SCRATCH = 8,   /* globals that nobody reads */
    ANALYSIS_MERGING = 16,  /* statements that nobody sees belong to the step before */
    ANALYSIS_ENDS = 32,     /* reduction: the two ends of a channel commute */
    ANALYSIS_STARTED = 64,  /* reduction: what a started process will do is known */
    ANALYSIS_BALANCE = 128, /* reduction: loops are cut for the processes in a state, not for each proctype by itself */
};

struct model_options {
    bool exact;       /* plain interleaving: no merging of statements, no resetting of dead variables */
    bool no_compiler; /* libtcc alone, no `cc -O2` in the background */
    bool cache;       /* what `cc -O2` makes is kept for later runs (base/cache.h) */
    const struct limits *limits; /* of building the model; may be NULL */
    enum limit *reached; /* gets the one that made an end of it; may be NULL */
    bool warn;        /* the output of a step says when a value did not fit its variable */
    unsigned without; /* analyses left out, for measurements */
};

/* Takes over the program. NULL if an error was reported in diags. */
struct model *promela_model(struct program *p, const struct model_options *options, struct diags *diags);

/* The stages between, as text. */
void promela_print_automata(struct program *p, FILE *out, struct diags *diags);
void promela_print_c(struct program *p, const struct model_options *options, FILE *out, struct diags *diags);

#endif
