/* One check of a Promela model, while it runs: shared by the files explicit*.c. Internal to src/check. */
#ifndef HEDDLE_EXPLICIT_CHECK_INT_H
#define HEDDLE_EXPLICIT_CHECK_INT_H

#include "check/explicit_int.h"
#include "check/verify_int.h"

enum when_full { FULL_STOP, FULL_COMPACT, FULL_BITS };

struct explicit_options {
    struct promela_flags flags;
    int search;
    int spin_bcs; /* -1: not wanted */
    int dump;     /* -1: not wanted */
    int order;
    int64_t swarm; /* searches, 0: as many as time allows; -1: not wanted */
    bool no_deadlock, hash_compact, shorten, trust;
    struct option_maybe_size bitstate;
    int64_t depth, jobs;
    const char *trail;
    const char *plan; /* what of the network is known; NULL: not wanted */
    const char *checkpoint, *resume, *spill; /* directories */
    int when_full, links, probe;
    double checkpoint_every;
};

/* What a search had to say that has come to its end. */
struct finished {
    struct search_result found;
    uint64_t levels;      /* in the ledger then */
    char *premise;        /* that is never true; NULL: there is none */
    bool met_inside;      /* as the model has it */
    VEC(uint8_t) reached; /* transitions, as the model has them */
};

struct explicit_check {
    const struct check_job *job;
    const struct explicit_options *o;
    struct result *result;
    struct model *m;
    struct properties properties;
    struct search_options search;
    struct search_result found;
    struct progress progress;
    bool talks; /* prints a ledger and more */
    const char *property; /* the one being checked, NULL: safety */
    bool reduces;         /* what is being searched */
    char *why;
    int64_t passes; /* every schedule with at most so many preemptions was found to pass when an error was explained;
                       -1: none */
    VEC(struct question) questions; /* for --verify: what was asked and answered */
    struct search_checkpoints checkpoints;
    bool checkpoint_failed;         /* one could not be written */
    VEC(struct finished) finished;  /* searches without an error that a checkpoint need not have */
    size_t searches;                /* begun so far */
    struct probe *probe;           /* beside the search that runs, or NULL */
    /* Safety is looked at before properties; a probe for the first property runs beside that search, too. */
    struct probe *ahead;           /* this one, or NULL */
    struct probe_finding ahead_found; /* it exists if the search was ended for it; then this is the violation: */
    struct schedule ahead_error;
    double rest_ends, rest_ends_processor; /* explicit_limit_rest() */
    long at_least;                 /* as in struct trace, of the error of c->found */
    struct probe_finding probed;   /* it found the error of c->found, and not the search: then it exists */
    VEC(struct level) before;      /* levels that another process has completed, and that were not printed yet */
};

/* explicit.c */
extern const char *const explicit_search_titles[];
int explicit_run(const struct check_job *job, struct result *result);
void explicit_level_done(void *check, const struct search_level *l);
void explicit_use_less(struct explicit_check *c); /* of each state, for memory is full: says so */

/* explicit_probe.c. Cheap searches that go deep, beside the one that is about to run (x: its property, or NULL); after
 * it, an error that only they have found becomes that of c->found. */
enum { PROBE_ON, PROBE_OFF };
void explicit_probe_begin(struct explicit_check *c, const struct prepared *x);
void explicit_probe_end(struct explicit_check *c);
/* The violation that was found while safety was looked at becomes that of c->found. False: there is none. */
bool explicit_take_ahead(struct explicit_check *c);
/* The search for something simpler than an error that is known ends after as much time as the check has run. */
void explicit_limit_rest(struct explicit_check *c, struct search_options *o);
/* What is said of an error that a probe has found. */
void explicit_explain_probe(struct explicit_check *c);
void explicit_print_probe(const struct explicit_check *c);
/* Until explicit_patience_end() only processor time ends a long step: an error that is known must not be lost because a
 * limit was reached, and every step of its schedule was made before. */
void explicit_patience_begin(struct explicit_check *c, double *until);
void explicit_patience_end(struct explicit_check *c);

/* explicit_plan.c */
const char *explicit_plan(struct explicit_check *c); /* instead of the check; NULL, or what is wrong */

/* explicit_options.c. What contradicts itself is refused before anything runs; NULL if all is well. */
extern const char *const explicit_bcs_names[];
const char *explicit_bad_options(const struct check_job *job, const struct explicit_options *o);
const char *explicit_bad_for_claims(const struct explicit_check *c); /* once the model is read */

/* explicit_cover.c. x: the property of the search that has just ended, NULL: assertions and end states. */
struct part *explicit_cover(struct explicit_check *c, const struct prepared *x, const char *what);
void explicit_cover_safety(struct explicit_check *c);
bool explicit_is_complete(const struct search_result *r);
bool explicit_is_unbuilt(const struct explicit_check *c);
bool explicit_is_unsound(enum reduction reduction);
bool explicit_finds_fewest(const struct explicit_check *c); /* preemptions of a violation of a property */
void explicit_copy_counts(struct explicit_check *c);
/* What a second method is asked about the part that was covered last; owns_error: the error of the result was found
 * there. */
struct question *explicit_ask(struct explicit_check *c, int property, bool owns_error);
void explicit_ask_safety(struct explicit_check *c);
void explicit_verify(struct explicit_check *c);
void explicit_questions_release(struct explicit_check *c);

/* explicit_trace.c */
void explicit_explain_level(struct explicit_check *c);
void explicit_compare_without_preemption(struct explicit_check *c, const struct prepared *x, struct trace *t);
void explicit_write_files(struct explicit_check *c, struct trace *t);
void explicit_report_unbuilt(struct explicit_check *c, const char *kind, const char *message);
void explicit_report_unbuilt_error(struct explicit_check *c);
void explicit_build_trace(struct explicit_check *c);
void explicit_build_other_traces(struct explicit_check *c);

/* explicit_properties.c */
void explicit_check_properties(struct explicit_check *c);

/* explicit_checkpoint.c. NULL, or why there can be none. */
const char *explicit_plan_checkpoints(struct explicit_check *c);
/* Before a search: what it found if another process has finished it, which is c->found then; NULL: it is to be run.
 * After it, what it found stays; there are no checkpoints any more if it was the last one, or nobody can go on. */
const struct finished *explicit_recall(struct explicit_check *c);
void explicit_remember(struct explicit_check *c, const char *premise, bool last);
void explicit_checkpoints_release(struct explicit_check *c);

#endif
