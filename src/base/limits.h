/* What a check may take: time, memory, and the patience of whoever started it.
 *
 * One `struct limits` is made when a check starts and handed to everything that can take long: every loop without a
 * small bound asks limits_reached() and stops at an answer other than LIMIT_NONE. What was cut short is then registered
 * where verdicts are worded. Limits belong to the whole check, not to a phase of it. */
#ifndef HEDDLE_LIMITS_H
#define HEDDLE_LIMITS_H

#include "base/base.h"

enum limit { LIMIT_NONE, LIMIT_TIME, LIMIT_MEMORY, LIMIT_INTERRUPT };

struct limits {
    double started, deadline; /* of seconds_now(); deadline 0: none */
    double seconds;           /* as asked for */
    size_t memory; /* bytes for the whole process; never 0: what the machine has free if nothing was asked for */
    bool memory_is_given;
};

/* seconds 0: no limit; memory 0: nine tenths of what the machine and the control group have free. */
struct limits limits_start(double seconds, size_t memory);
/* Costs a look at the clock. Memory is the business of whoever allocates, so this never answers LIMIT_MEMORY. */
enum limit limits_reached(const struct limits *l); /* l may be NULL: only interruption counts then */
/* The same with a look at the resident memory of the process, which costs microseconds. */
enum limit limits_reached_memory(const struct limits *l);
/* The same, but no longer than so many seconds from now. */
struct limits limits_within(const struct limits *l, double seconds);
double limits_left(const struct limits *l); /* seconds; at least 0, infinite without a deadline */

int processors_allowed(void); /* how many this process may use, 1 at least */

/* From now on SIGINT and SIGTERM are an answer of limits_reached(). A signal that comes more than a second later kills,
 * so that a program that does not react can still be stopped. */
void limits_catch_signals(void);
/* From now on they end the program at once, with a word about it and the exit status of an unknown answer. Nothing is
 * left behind. For commands that have nothing to say before they are done. */
void limits_end_on_signals(void);
/* From now on they are ignored: the verdict is about to be printed. */
void limits_ignore_signals(void);
bool limits_interrupted(void);

#endif
