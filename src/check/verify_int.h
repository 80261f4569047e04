/* --verify: a finished check is asked again by a second, naive method, and the two answers are compared. Internal to
 * src/check.
 *
 * The naive methods share no code with the searches that they judge: no store, no reduction, no merging of statements,
 * no sets of processes. They are slow and simple, and what they do not finish within their budget they say. */
#ifndef HEDDLE_VERIFY_INT_H
#define HEDDLE_VERIFY_INT_H

#include "base/progress.h"
#include "check/check.h"

/* ---- verify.c: comparing ---- */

#define ANY_NUMBER INT64_MAX

/* What somebody, the check or the naive method, says about one thing that was looked for. The zero does not say
 * nothing: use NO_ANSWER. Preemptions are counted; ANY_NUMBER stands where they are not. */
struct answer {
    int64_t error_at; /* there is an error with so many preemptions; ANY_NUMBER: it is not said with how many; -1: none
                         known */
    int64_t none_within;  /* no error with at most so many; ANY_NUMBER: none at all; -1: this is not said */
    bool counts_stale;    /* stale accesses to memory are counted like preemptions */
    uint64_t states;      /* how many there are in all, 0: not said */
    VEC(uint64_t) levels; /* how many can be reached with at most 0, 1, 2, ... preemptions; empty: not said */
};
#define NO_ANSWER {.error_at = -1, .none_within = -1}
void answer_release(struct answer *a);
void answer_words(const struct answer *a, struct str *out); /* "an error with 1 preemption at the least" */

/* A difference in what exists: one has an error that the other one excludes altogether. Other differences are about
 * numbers, and say nothing against an error that both found. */
enum difference { NO_DIFFERENCE, DIFFERENT_STATES, DIFFERENT_PREEMPTIONS, DIFFERENT_VERDICTS };
struct comparison {
    enum verify_outcome outcome;
    enum difference difference;
    int64_t level; /* DIFFERENT_STATES: of this level, -1: of the whole */
};
struct comparison answers_compare(const struct answer *check, const struct answer *naive);
bool answer_is_empty(const struct answer *check); /* nothing that could be wrong */

/* ---- and settling ---- */

/* One thing that the check looked for, and what it says about it. */
struct question {
    size_t part;          /* of the coverage */
    int property;         /* its number, -1: what the engine looks for by itself */
    bool owns_error;      /* the error of the result is its error */
    bool on_the_way; /* a property whose search met a failing assertion: nothing was found out about the property */
    struct answer check;
};
/* What is left of the limits; a budget of its own where the user gave none. */
struct limits verify_limits(const struct limits *l);
bool verify_has_time(struct result *r, const struct limits *l); /* false: there was none, and that is registered */
/* Registers what the naive method answered, with how much it looked at ("1,234 states") and what stopped it. Everything
 * the user has to know about a disagreement happens here. */
void verify_settle(struct result *r, const struct question *q, const struct answer *naive, const char *explored,
                   const char *stopped);
/* The same when the naive method comes with its own comparison. denies_error: the error of the result does not exist.
 */
void verify_note(struct result *r, size_t part, enum verify_outcome outcome, bool denies_error, const char *words);
const char *verify_stopped(enum limit reached, const struct limits *l, char room[64]); /* NULL: nothing did */

/* ---- verify_graph.c, verify_cycles.c: models ---- */

struct model;
struct property;
struct naive_job {
    struct model *m;
    const struct property *p; /* NULL: assertions and end states */
    enum { ERRORS_OF_PROPERTY, ERRORS_ON_THE_WAY } wanted; /* with a property */
    bool no_deadlock;
    bool counts;              /* preemptions; without, every step is free */
    bool goes_on;             /* after the first error */
    int64_t most;             /* levels of preemptions that matter */
    const struct limits *limits;
    struct progress *progress;
};
/* Explores and answers. Returns what stopped it; *looked_at: how many states (or nodes of the product). */
enum limit naive_explore(const struct naive_job *job, struct answer *out, uint64_t *looked_at);

/* The questions of a check of a Promela model, one after the other. */
struct promela_flags;
struct verify_models {
    const char *path;
    const struct promela_flags *flags;
    bool no_deadlock, bounded, all_errors, talks;
    const struct limits *limits;
    const struct question *questions;
    size_t count;
};
void verify_models(const struct verify_models *v, struct result *r);
void verify_swap_models(const struct verify_models *v, struct result *r); /* --verify=swap; no questions */

#endif
