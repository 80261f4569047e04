/* Runs a strategy on a made-up program and notes what it visited, with the referee's own graphs and counting. */
#ifndef HEDDLE_TEST_EXPLORE_H
#define HEDDLE_TEST_EXPLORE_H

#include "referee.h"

struct observed {
    struct set finals; /* final states */
    bool overlaps;     /* sched_rounds_overlap(): the search was given up */
    struct set graphs, locals, failures, schedules, hashes; /* seen: 1 + how often; hashes: sched_graph() -> graph */
    uint64_t executions, blocked, repeated_schedules;
    bool hash_differs; /* sched_graph() and the referee's graph do not correspond one to one */
    int most_cost, deadlocks, livelocks;
    bool simplify;     /* wanted: cost of a graph becomes that of sched_simplify()'s order, */
    bool simplified_wrongly; /* which does not lead to the same graph, or does not have the cost it claims */
    int failure_cost;  /* with simplify: the least of a failing execution made simpler, -1: none */
    uint64_t order;    /* a hash of all executions in their order */
    uint64_t given, taken; /* parts */
    bool resume;       /* wanted: executions go back to states of those before, */
    uint64_t resumed;  /* so many did */
    bool knows_wrongly; /* an execution that was not run cannot be, or leads to a graph that was not run */
    struct sched_stats stats;
};
void explore_program(struct observed *o, const struct program *p, const struct sched_config *config);
/* The same, but a failing assertion ends the execution there and then, as it does in real programs. */
void explore_until_failures(struct observed *o, const struct program *p, const struct sched_config *config);
/* The same, with parts of the tree given away and explored by other searches, as several processes do it. */
void explore_divided(struct observed *o, const struct program *p, const struct sched_config *config, bool failure_ends);
/* The same, with `known` bytes for what executions showed, and what is known need not be run again; also divided. */
void explore_known(struct observed *o, const struct program *p, const struct sched_config *config, bool failure_ends,
                   bool divided, size_t known);
void observed_clear(struct observed *o);
void observed_release(struct observed *o);
/* The bare loop without any bookkeeping, for measuring. */
struct sched_stats explore_fast(const struct program *p, const struct sched_config *config);
/* The same; looks at the statistics after each execution. */
typedef void explore_watcher(void *context, const struct sched_stats *stats);
struct sched_stats explore_watched(const struct program *p, const struct sched_config *config, explore_watcher *watch,
                                   void *context);
struct sched_config config_for(enum sched_strategy strategy, int bound);

#endif
