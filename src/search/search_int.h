/* What the strategies share: the run and its limits, batches of successors, errors and how they are rebuilt.
 * A strategy is one file with one function from this header that explores until run->stopped or nothing is left. */
#ifndef HEDDLE_SEARCH_INT_H
#define HEDDLE_SEARCH_INT_H

#include "search/store_int.h"

/* One visited node on the way to an error, and how it was entered; pid and last are -1 when not recorded. */
struct path_node { state_ref ref; int pid, last; };
typedef VEC(struct path_node) path_nodes;

/* The step that fails: step `nth` (from 0) of process pid in the last state of the path; pid -1: the state itself. */
struct error_site { state_ref ref; uint64_t log_entry; int pid; uint32_t nth; int64_t level; };

struct run {
    struct model *m;
    const struct search_options *opt;
    struct search_result *res;
    struct budget budget;
    struct store store;
    const uint64_t *states; /* how many there are so far: the store's, if the search says nothing else */
    bool stopped;
    double started;
    uint32_t ticks;
    uint64_t longest;       /* no path longer than this is followed */
    struct error_site site; /* of the first error, for searches that keep references */
    bool (*asked)(void *ctx); /* by the model before this run, and afterwards again */
    void *asked_ctx;
};

size_t limit_of_memory(const struct search_options *o); /* bytes, 0: none */
void run_begin(struct run *r); /* from here on long steps keep the limits, too */
void run_end(struct run *r);
void run_stop(struct run *r, enum search_stop why);
void run_publish(struct run *r); /* the counts so far, to the result */
bool run_tick(struct run *r); /* once per expanded state; true: stop */
bool run_count_error(struct run *r); /* true if it is the first one; stops the run unless all errors are wanted */
/* The same for an error after so many steps when the shortest is wanted: true if it is the shortest so far, and from
 * then on only shorter paths are followed. */
bool run_count_shorter(struct run *r, size_t steps);
bool run_is_bad_end(const struct run *r, const uint8_t *state); /* a state without steps: is it an error? */
/* The initial state, in the store. */
bool run_add_initial(struct run *r, uint8_t **state, uint32_t *size, state_ref *ref);

/* Successors wait in a batch until enough are together, so that their places in the store arrive in the cache. */
struct arrival {
    const uint8_t *state;
    uint32_t size;
    uint64_t hash;
    state_ref parent;
    uint64_t log_entry; /* ordered search: the entry it came from */
    int pid, last;
};
enum { BATCH_SIZE = 32 };
struct batch {
    struct arrival items[BATCH_SIZE];
    size_t offsets[BATCH_SIZE];
    size_t len;
    VEC(uint8_t) bytes;
};
void batch_add(struct batch *b, const struct store *store, struct arrival a);
void batch_settle(struct batch *b, const struct store *store); /* call before reading items */

/* The stack of a depth-first search: frames and states as bytes. Its memory is part of the budget. */
struct byte_stack { uint8_t *at; size_t len, cap, charged; };
bool byte_stack_push(struct run *r, struct byte_stack *s, const void *bytes,
                     size_t n); /* false: no memory left, the run is stopped */
void byte_stack_release(struct run *r, struct byte_stack *s);

/* Partial order reduction: the next process below `below` (start with the number of processes) whose steps alone may
 * be an ample set in this state, or -1. */
int reduction_candidate(const struct run *r, const uint8_t *state, int below);

void levels_search(struct run *r); /* ordered, by several threads */
void layers_search(struct run *r); /* breadth first, by several threads */
void ordered_search(struct run *r);
void bfs_search(struct run *r);
void dfs_search(struct run *r);
void bcs_search(struct run *r);

/* Rebuilds the schedule that visits these nodes and ends with the failing step. False: no such schedule (a lossy
 * store mistook a state). */
bool path_schedule(struct run *r, const path_nodes *path, const struct error_site *site, struct schedule *out);
/* The same for a path given as the steps taken: step nth (from 0) of process pid. */
struct pid_step { int pid; uint32_t nth; };
typedef VEC(struct pid_step) pid_steps;
bool steps_schedule(struct model *m, const pid_steps *steps, struct schedule *out);
void path_of_parents(const struct run *r, state_ref last, path_nodes *out);

#endif
