/* The symbolic engine: context-bounded analysis of concurrent Boolean programs with BDDs.
 *
 * symbolic_check() explores rounds 1, 2, 3, ... of the round robin over all threads (one context per thread and round)
 * and stops at an error, at a proof that no round can add anything, or at a limit. It promises: an error is reported
 * with a run that the explicit interpreter has executed, or without one if a limit did not allow to build it; VERIFIED
 * only after the proof; what a limit cut short is UNKNOWN with the rounds that are complete. BuDDy is used behind
 * bdds.c only; one check at a time. */
#ifndef HEDDLE_SYMBOLIC_H
#define HEDDLE_SYMBOLIC_H

#include "base/limits.h"
#include "base/options.h"
#include "boolprog/boolprog.h"

struct symbolic_options {
    int64_t rounds;   /* -k: stop after so many, 0: no limit of the user's */
    bool eager;       /* guess all shared states, check afterwards */
    bool no_proof;    /* do not try to prove that further rounds add nothing */
    bool reorder;     /* dynamic variable reordering */
    int order;        /* 0: by trial; 1 + the kind of variable order that is to be taken */
    bool backward;    /* from the errors to the start */
    int method;       /* enum symbolic_method */
    int64_t threads;  /* a spawn in a loop starts at most so many threads, 0: it is an error */
    struct option_list labels; /* --label */
    int saturation;   /* .pds: 1 post*, 2 pre*, instead of BDDs */
    bool projection;  /* .pds: all nodes on runs to the target */
    int weights;      /* .pds: enum pushdown_weights */
    bool progress;    /* a line on the terminal while it runs */
    const struct limits *limits; /* NULL: none */
};

/* What rounds are computed with: see run() in check.c. Joint states are for programs without recursion only; by steps:
 * joint states, whose turns are never one relation (turns.c); crowd: as auto, but threads that are alike are counted
 * (crowd.c) however few there are. */
enum symbolic_method { METHOD_AUTO, METHOD_JOINT, METHOD_TUPLES, METHOD_STEPS, METHOD_CROWD };

enum symbolic_verdict { SYMBOLIC_UNKNOWN, SYMBOLIC_VERIFIED, SYMBOLIC_BOUNDED, SYMBOLIC_ERROR };

struct symbolic_round { int round; double states; long nodes; double seconds; };

/* Called after every complete round. */
struct symbolic_ledger { void (*round)(void *arg, const struct symbolic_round *r); void *arg; };

struct symbolic_result {
    enum symbolic_verdict verdict;
    int rounds;            /* complete */
    VEC(struct symbolic_round) ledger;
    const char *cut;       /* UNKNOWN: what cut it short; ERROR: why there is no run */
    enum limit limit;      /* the limit behind it, if it was one */
    int error_round;       /* ERROR: the first round in which there is one, otherwise 0 */
    int error_edge, error_node; /* ERROR: the assertion that fails, or the label that is reached; the other is -1;
                                   both: not known, there is no run */
    bool has_run, fewest;  /* ERROR: fewest: no run to any error has fewer preemptions */
    struct bp_run run;
    bool no_assertion_reached; /* in any of the rounds, nor, if VERIFIED, in any schedule; false: some is, or unknown */
    const char *mode;      /* "joint", "crowd", "lazy" or "eager": what the answer comes from */
    const char *order;     /* of BDD variables */
    int variables;         /* of BDDs */
    long nodes;            /* of BDDs, made in the attempt that gave the answer */
    bool any_number;       /* VERIFIED for any number of threads, although --threads limits the program */
    const char *proof_note; /* why there was no proof for all schedules, or NULL */
    explore_points points; /* with want_points: what bp_explore() reports, found symbolically */
    struct arena arena;
};

void symbolic_check(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                    bool want_points, struct symbolic_ledger ledger, struct symbolic_result *r);
/* Of a program with slots (boolprog_parse_slots()): no number of threads in their place leads to an error. False: that
 * is not known. Fills verdict, mode, order, variables, nodes, limit, no_assertion_reached. */
bool symbolic_prove_slots(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                          struct symbolic_result *r);
/* Every schedule with at most so many switches is one of `rounds` rounds: each switch needs at most one more round, and
 * the first none if only the first thread is there at the start. */
int symbolic_covered_switches(const struct bp_program *p, int rounds);
/* An error that another method found in this round, after a check of the program was cut short. */
void symbolic_set_error(const struct bp_program *p, const char *const *labels, int round, struct symbolic_result *r);
void symbolic_result_release(struct symbolic_result *r);

/* Pushdown systems by saturation: explicit states, for one stack or, after the reduction of the CBA paper (Fig. 4),
 * for K rounds of several. Independent of the BDD engine, and its referee on .pds files. */
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

/* The weights of all runs to the target with at most so many contexts per thread, combined: the least sum of the
 * weights of rules, or whether there is a run. exists: there is one. */
enum pushdown_weights { WEIGHTS_NONE, WEIGHTS_SHORTEST, WEIGHTS_REACHABILITY };
struct pushdown_weight { const char *cut; enum limit limit; bool exists; int64_t weight; };
struct pushdown_weight pushdown_weigh(const struct pds *s, int rounds, enum pushdown_weights which,
                                      const struct limits *limits);

#endif
