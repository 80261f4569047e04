/* The referee: runs all interleavings of a made-up program with no reduction at all, by copying the machine, and notes
 * for every terminal happens-before graph, every local state and every failure the fewest preemptions with which it
 * occurs.
 *
 * It uses nothing of src/schedule but the operations' encoding: happens-before is computed from what the machine says
 * it touched, preemptions are counted here. */
#ifndef HEDDLE_TEST_REFEREE_H
#define HEDDLE_TEST_REFEREE_H

#include "machine.h"

struct key {
    uint64_t lo, hi;
};
struct entry {
    struct key key;
    int cost;
    uint32_t seen;
    uint64_t extra;
};
struct set {
    struct entry *at;
    size_t cap, len;
};
struct entry *set_find(struct set *s, struct key k, bool add); /* NULL: not there; a new one has cost -1 */
void set_clear(struct set *s);
void set_release(struct set *s);

/* The happens-before graph of one execution, grown and shrunk step by step. */
struct graph {
    int len, threads;
    bool overlaps; /* some arrival at a barrier need not come after an earlier round, in this graph or those before */
    struct {
        int thread, index;
        struct touch touch;
        uint16_t clock[MAX_THREADS];
        struct key hash, local;
        bool counts; /* the end of a thread does not: whether it comes before the end of the program is no difference */
    } event[MAX_STEPS];
    int count[MAX_THREADS];
    struct key hash;
};
void graph_reset(struct graph *g, int threads);
void graph_push(struct graph *g, int thread, uint32_t choice, const struct sched_outcome *o, const struct touch *touch);
void graph_pop(struct graph *g);

enum { MOST_COST = 200 };
struct findings {
    struct set graphs, locals, failures;    /* with the least cost of each; extra of a graph: hash of the final state */
    uint64_t executions, forced[MOST_COST]; /* by cost: executions in which every thread ends as soon as it can */
    bool overlaps; /* of some graph: then it is no graph if arrivals are told */
    bool too_many, state_differs; /* state_differs: one graph, two final states: the dependence relation is wrong */
};
uint64_t machine_hash(const struct machine *m);
/* A program ends (quit) when nobody else can go on or may under the fair bound; with `end_anywhere` whenever it can, in
 * order to see that this loses nothing but where it ended.
 * exit_at_once: leave out executions in which a thread that has nothing left to do does not end at once, as the frame
 * does. That this loses nothing is tested by running some programs without it. */
void referee_run(struct findings *f, const struct program *p, uint64_t most_executions, bool exit_at_once,
                 bool end_anywhere);
uint32_t referee_may_go_on(const struct machine *m, const int *yields, int fair); /* bit per thread */
/* Thread t goes on, which is or is not a preemption of the last one; who ends the program is none. */
bool referee_preempts(const struct machine *m, uint32_t may_go_on, int last, int t);
/* Only executions with at most so many preemptions and so many more yields than the least yielding enabled thread;
 * leaving a thread that yielded too often is no preemption. -1: no bound. Too many steps count as too many executions.
 */
struct limits {
    int preemptions, fair, steps;
};
void referee_run_within(struct findings *f, const struct program *p, uint64_t most_executions, struct limits limits);
void findings_clear(struct findings *f);
void findings_release(struct findings *f);

#endif
