/* Explicit-state searches over a `struct model`: what can be asked, and what a search found out.
 *
 * A search never prints and never decides a verdict: it says how far it came, why it stopped, and with which schedule
 * the first error happens. A *schedule* is a list of choices: choice i is the position of step i among all steps that
 * the model offers in that state (MODEL_ALL), so it can be replayed by code that knows nothing of the search.
 * The caller owns options, model and result; search_result_release() frees what a result holds. */
#ifndef HEDDLE_SEARCH_H
#define HEDDLE_SEARCH_H

#include "base/limits.h"
#include "ltl/ltl.h"
#include "model/model.h"
#include "trace/trace.h"

/* Whoever adds one of these says in check/explicit.c what it has earned when it comes to its end. */
enum search_kind { SEARCH_ORDERED, SEARCH_DFS, SEARCH_BFS, SEARCH_BCS, SEARCH_SWARM, SEARCH_DIRECTED, SEARCH_KINDS };
/* In which order a depth-first search tries the steps of a state: as the model lists them, the other way round, or one
 * that the seed and the states that they lead to decide. */
enum step_order { STEPS_LISTED, STEPS_REVERSED, STEPS_SEEDED };
enum store_kind { STORE_EXACT, STORE_COMPACT, STORE_BITS };
enum { STORE_KINDS = STORE_BITS + 1 };
/* The published algorithm and its variants: see bcs.c. */
enum bcs_kind { BCS_FULL, BCS_NO_PIDS, BCS_PAIRS, BCS_NAIVE, BCS_KINDS };
enum search_stop {
    STOP_NOT_YET,
    STOP_COMPLETE,    /* nothing is left to explore */
    STOP_BOUND,       /* everything within the bound was explored */
    STOP_ERROR,       /* at the first error */
    STOP_TIME,
    STOP_MEMORY,
    STOP_INTERRUPTED,
    STOP_ENOUGH,      /* options->enough said so */
};

/* Cumulative counts when a level was completed. */
struct search_level { int64_t bound; uint64_t states, transitions; double seconds; };

struct schedule {
    VEC(uint32_t) choices;
    bool deadlock; /* the error is the state after the last step, not the last step */
    bool violates; /* the error is that a property is violated by the whole */
    bool lasso;    /* after the last step it goes on with step cycle_start; if there is none, the last state remains */
    size_t cycle_start;
};

enum { RECENT_ROUNDS = 4 };

/* Cumulative counts when a round was completed. An arrival is a state that was come to, known or not. */
struct search_round { int64_t level; uint64_t states, transitions, arrivals; double seconds; };

/* What the processes of a job sent to each other since they began, all of them together. */
struct search_traffic { uint64_t processes, messages, items, bytes; double idle; };

struct search_result {
    enum search_stop stop;
    bool depth_cut;         /* some path was not followed beyond the depth limit */
    int64_t bound;          /* highest level completed, -1: none; ordered and BCS searches only */
    uint64_t states, pairs, transitions, depth, errors;
    uint64_t state_bytes;   /* largest state */
    uint64_t code_bytes;    /* ordered and breadth-first searches: of what stands for a state */
    /* Exact ordered and breadth-first searches: states found by the last few rounds of the level at which the search
     * ended, and by as many before these. 0: there were not so many. */
    uint64_t recent[2];
    uint64_t level_states;  /* ordered and breadth-first searches: found at the present level so far */
    size_t memory;          /* most bytes in use at a time */
    size_t memory_elsewhere; /* the same, of all other processes */
    struct search_traffic traffic; /* processes 0: this one did it alone */
    double omission;        /* lossy stores: chance that a new state was taken for a known one, else 0 */
    bool lossless;          /* STORE_COMPACT: all states were short enough to be kept as they are */
    uint64_t searches;      /* SEARCH_SWARM: so many came to their end, */
    double share;           /* and saw this share of all states, as far as their overlap tells; 0: it does not */
    double seconds;
    bool bad_checkpoint;    /* STOP_MEMORY, because what was to be resumed is of another model, or damaged */
    bool bits_of_others;    /* the same, because another number of processes wrote the field of bits in it */
    uint64_t spilled;       /* states on their way that went to files */
    int spill_error;        /* errno of what could not be written or read there, 0: none */
    bool faults_left;       /* options->leave_faults, and there were some */
    bool oversized;         /* STOP_MEMORY because of one state that is larger than the store can keep */
    bool has_error;
    bool unbuilt; /* the error is there, but a limit was reached before its schedule was built; or it was found
                     in levels with reduction, and there may be more preemptions to it than it seems */
    const char *fault; /* kind of the first error if a statement fails; NULL: none does, or it is not known */
    char fault_message[256]; /* as in struct successor, perhaps cut */
    uint64_t first_steps;   /* length of the first error found, if a shorter one was looked for */
    int64_t error_level;    /* ordered search: preemptions with which the first error is reached, else -1 */
    struct schedule error;  /* the first error */
};

/* Failing statements that are no longer errors, nor gone beyond; and whether bad ends are none. */
struct known_errors { VEC(uint32_t) transitions; bool deadlock; };

struct cluster;

/* Ordered and breadth-first searches can leave what another process needs to go on: now and then, and when a limit on
 * time or an interruption ends them. */
struct archive;
struct search_checkpoints {
    const char *path;
    double interval;         /* seconds; longer if writing takes long */
    struct archive *resume;  /* go on from here, behind what the preface read; NULL: from the beginning */
    void (*preface)(void *ctx, struct archive *a); /* writes what comes first */
    void (*failed)(void *ctx, int error);          /* one could not be written; the search goes on */
    void *ctx;
};

/* What the processes of a job have left beside the checkpoint, but for those of the checkpoint with this number. */
void checkpoint_forget(const char *path, uint64_t but);

struct search_options {
    enum search_kind kind;
    enum store_kind store;
    int workers;            /* threads of ordered and breadth-first searches; 0: one */
    uint32_t share;         /* states that a thread takes at a time, 0: as many as are worth its while */
    size_t bit_field;       /* bytes for STORE_BITS */
    size_t budget;          /* bytes for states and stacks, 0: what the limits leave, */
    size_t beside;          /* without the bytes that something else may take while the search runs */
    /* By number: where one of these processes can move, the others do not. Depth-first, directed and nested searches
     * without reduction. An error is real, but the end of such a search proves nothing. NULL: every process can. */
    const bool *urgent;
    bool for_assertions;    /* SEARCH_DIRECTED: it looks for them, and else for deadlocks */
    enum step_order order;  /* depth-first and nested searches; SEARCH_BCS: of processes */
    uint64_t seed;          /* of that order, and of the positions in a bit field; 0: the usual ones */
    uint32_t searches;      /* SEARCH_SWARM: how many, 0: until a limit is reached */
    struct sketch *sketch;  /* depth-first searches: gets a sample of the states; may be NULL */
    int64_t bound;          /* -1: none; SEARCH_BCS needs one */
    int64_t depth;          /* longest path followed, 0: no limit; not with ordered search */
    const struct limits *limits; /* NULL: none */
    bool all_errors;
    bool no_deadlock;       /* a state without steps is never an error */
    bool shorten; /* depth-first and BCS searches: after an error go on for a shorter one; not with STORE_BITS */
    bool reduce;            /* partial order reduction (reduction.c); levels are then lower bounds */
    enum bcs_kind bcs;      /* SEARCH_BCS only */
    const struct search_checkpoints *checkpoints; /* may be NULL */
    const char *spill;      /* ordered and breadth-first searches: a directory for states on their way; may be NULL */
    size_t spill_from;      /* when so many bytes are in use; 0: half of the limit */
    struct cluster *cluster; /* the same: with the processes of this job; may be NULL */
    bool keep_links;        /* the same: every state knows how it was reached, and one thread does all */
    const struct known_errors *known; /* ordered search only; may be NULL */
    bool leave_faults;      /* properties: executions in which a step fails are not judged, and no errors either */
    /* Called when a level is complete, and every few thousand states with the counts so far. Both may be NULL. */
    void (*level_done)(void *ctx, const struct search_level *level);
    void (*tick)(void *ctx, const struct search_result *so_far);
    void (*round_done)(void *ctx, const struct search_round *round); /* ordered and breadth-first; may be NULL */
    void *ctx;
    bool (*enough)(void *ctx); /* the search asks it as often as the limits, and stops if it says true; may be NULL */
    void *enough_ctx;
};

void search_run(struct model *m, const struct search_options *options, struct search_result *result);
/* For processes of a job other than the first: takes part in its searches, until the first one leaves. Limits, threads
 * and checkpoints are its own, properties by their number. */
struct property;
void search_serve(struct model *m, const struct search_options *own, const struct property *const *properties);
void search_result_release(struct search_result *r);
void known_errors_add(struct known_errors *k, struct model *m, const struct schedule *s); /* what it ends in */

/* One step of a schedule being replayed. */
struct replay;
struct replay *replay_new(struct model *m);
void replay_free(struct replay *r);
const uint8_t *replay_state(const struct replay *r, uint32_t *size);
/* Takes the given choice; returns NULL if there is no such step, or the model is cut: it is asked now and then whether
 * to go on. What is returned lives until the next call. */
const struct successor *replay_step(struct replay *r, uint32_t choice);
const char *replay_output(const struct replay *r); /* of the step just taken, if the model was asked for it */
bool replay_process_enabled(struct replay *r, int pid); /* could it go on in the current state? */
bool replay_leaving_preempts(struct replay *r, int pid); /* it could, and not only because of timeout */

/* The counterexample of a schedule, by replaying it. NULL if the schedule does not end in an error. */
struct trace *trace_of_schedule(struct model *m, const struct schedule *s);
/* The same for a schedule that need not end in an error: then the trace has no kind. NULL if it cannot be run. */
struct trace *trace_of_run(struct model *m, const struct schedule *s);
void schedule_release(struct schedule *s);
/* The schedule in a trace written earlier. */
void schedule_of_trace(const struct trace *t, struct schedule *s);

long schedule_preemptions(struct model *m, const struct schedule *s); /* counted by replaying it */

/* The same up to its last preemption, which is before *step (from 0), and from there on without any: to an end, a cycle
 * (both lassos) or a fault. False: it has no preemption, or it is too long to tell; `out` needs no release then. */
bool schedule_without_preemption(struct model *m, const struct schedule *s, size_t *step, struct schedule *out);

/* Spin's .trail files: a line depth:pid:statement for each statement executed. Writing returns -1 with errno. Reading
 * finds the schedule of the model that executes these statements; NULL, or what is wrong (heap, caller frees). Where
 * the verifier merged statements, those after the last line are left out, or (for an error that is a state or a failing
 * statement) executed up to it; and a cycle may close only when it was gone through twice. The schedule `violates` if
 * the trail is about a claim or a cycle: then it may also be that. */
int trail_write(struct model *m, const struct trace *t, const char *path);
char *trail_unreadable(const char *path); /* why it is not a trail of any model, or NULL */
enum trail_end { TRAIL_AS_WRITTEN, TRAIL_TO_THE_END, TRAIL_CYCLE_TWICE };
char *trail_schedule(struct model *m, const char *path, enum trail_end end, struct schedule *out);

/* Reorders the steps of a schedule so that the same error has the fewest preemptions. */
enum simplified { SIMPLIFIED_SHORTER, SIMPLIFIED_MINIMAL_ALREADY, SIMPLIFIED_GAVE_UP };
enum simplified schedule_simplify(struct model *m, const struct schedule *from, struct schedule *to, size_t most_nodes,
                                  const struct limits *limits);

/* Makes the schedule of an error simpler, within o->budget bytes (0: 64 MB) and a fixed amount of work: leaves out
 * steps that are not needed, looks for ways around detours (vicinity.c), reorders steps. Whatever has fewer
 * preemptions, or as many and fewer steps, is given to `found`, which takes it over. o->enough and o->limits may cut it
 * short. `from` is not read after the first of these calls. */
typedef void simpler_fn(void *ctx, struct schedule *s);
void schedule_make_simple(struct model *m, const struct search_options *o, const struct schedule *from,
                          simpler_fn *found, void *ctx);

/* ---- properties of infinite executions: the product of a model and an automaton, searched for accepting cycles ----
 *
 * A *property* is an automaton for what must not happen. It reads the state of the model through propositions, or is a
 * never claim that the model runs itself. The claim moves first, then the model; where the model has come to its end
 * the claim goes on alone (unless stuttering is off). A violation is a lasso, or a finite execution after which the
 * automaton accepts everything. The caller owns the property; its automaton and formulas must outlive the search. */

/* Which reduction: none, the sound one, and two published ones that miss errors. */
enum reduction { REDUCTION_NONE, REDUCTION_SI, REDUCTION_V1, REDUCTION_V0, REDUCTIONS };

struct property {
    const char *name, *kind;   /* kind as in the JSON: "ltl", "acceptance-cycle", "non-progress-cycle", "claim" */
    const char *text;          /* what is reported as violated */
    const struct buchi *automaton; /* NULL: the claim runs itself */
    const struct formulas *formulas;
    const struct formula *violation; /* the automaton accepts what satisfies this; NULL: no formula is known */
    int number;                /* that other processes know it by; -1: they do not */
    int claim;                 /* number of the claim that evaluates the propositions or is the property; -1: none */
    VEC(int) target_of;        /* by proposition: control state that the claim goes to where it holds; 0: a label */
    enum reduction reduction;
    bool fair, no_stutter;
};

/* Explores until a violation or to the end. With options->bound >= 0 level by level of preemptions up to that bound, or
 * depth first (SEARCH_BCS). With a lossy store, and depth first, by a nested search (nested.c). With a bound and
 * REDUCTION_SI levels are lower bounds: where there is no violation, there is none within the bound. */
void cycles_search(struct model *m, const struct property *p, const struct search_options *options,
                   struct search_result *result);

/* Replaces the violation by a shortest one, or a shorter one, if one is found within reason and the limits; the number
 * of preemptions of a bounded search does not grow. What was counted stays as it is. */
void violation_shorten(struct model *m, const struct property *p, const struct search_options *options,
                       struct search_result *found);

/* The counterexample, after the schedule was run again and found to violate the property by code that knows nothing
 * of the search. NULL if it does not. */
struct trace *trace_of_violation(struct model *m, const struct property *p, const struct schedule *s);

/* ---- probes: cheap searches that go deep, beside one that does not ----
 *
 * A probe only ever finds errors. Nothing that it visits is entered in the store of the search beside it, and what it
 * reaches does not count for the model. Its own threads take turns, so together they use one processor, and after the
 * first moments they have a low priority. probe_start() copies the options; the property, its automaton and the limits
 * must outlive the probe. It returns NULL if the model can be run by one thread only, or the limit on memory is low. */
struct probe;
size_t probe_memory(const struct search_options *beside); /* bytes that all its threads may take together */
struct probe *probe_start(struct model *m, const struct search_options *beside, const struct property *p);

/* The error that a probe has found, and what is known of it so far. */
struct probe_finding {
    bool exists;
    bool settled;           /* it does not become simpler any more */
    double worked;          /* seconds of a processor that were spent on making it simpler */
    const char *by;         /* "depth-first search", ... */
    long preemptions;
    uint64_t steps, states; /* states: visited by the probes until then */
    double seconds, processor_seconds; /* of the clock and of the process when it was found */
    double own_seconds;     /* of a processor that the probes had used then */
};
struct probe_finding probe_look(struct probe *p); /* from any thread, costs next to nothing while there is no error */
/* Stops the threads and frees the probe. The schedule of the error, if there is one, is the caller's. */
struct probe_finding probe_end(struct probe *p, struct schedule *error);

/* Which propositions hold in a state. */
letter property_letter(struct model *m, const struct property *p, const uint8_t *state);

#endif
