/* What the strategies share: the run and its limits, batches of successors, errors and how they are rebuilt.
 * A strategy is one file with one function from this header that explores until run->stopped or nothing is left. */
#ifndef HEDDLE_SEARCH_INT_H
#define HEDDLE_SEARCH_INT_H

#include "search/sketch_int.h"
#include "search/store_int.h"

/* The step that fails: step `nth` (from 0) of process pid in the last state of the path; pid -1: the state itself. */
struct error_site { uint64_t log_entry; int pid; uint32_t nth; int64_t level; };

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

enum { GIVEN_BACK = 1 << 20 }; /* bytes: less is not worth a call */
size_t limit_of_memory(const struct search_options *o); /* bytes, 0: none */
/* For states, tables and queues: what is left of the limit beside what the process has already. */
size_t run_memory(const struct search_options *o);
void run_begin(struct run *r); /* from here on long steps keep the limits, too */
void run_end(struct run *r);
void run_stop(struct run *r, enum search_stop why);
void run_publish(struct run *r); /* the counts so far, to the result */
bool run_tick(struct run *r); /* once per expanded state; true: stop */
bool run_count_error(struct run *r); /* true if it is the first one; stops the run unless all errors are wanted */
/* The same for an error after so many steps when the shortest is wanted: true if it is the shortest so far, and from
 * then on only shorter paths are followed. */
bool run_count_shorter(struct run *r, size_t steps);
/* Notes in the result what fails when this step is made: its kind and message, where they are not known yet. Whether
 * there will be a schedule depends on limits, but a step that was made once can be made again. */
enum { ANY_STEP = UINT32_MAX };
void run_name_fault(struct run *r, struct model *m, const uint8_t *state, uint32_t size, int pid, uint32_t nth);
bool run_is_bad_end(const struct run *r, const uint8_t *state); /* a state without steps: is it an error? */
bool run_is_new_fault(const struct run *r, const struct successor *t); /* the step fails, which is not known yet */
/* The initial state, or where it leads to if it is forced, in the store. */
bool run_add_initial(struct run *r, uint8_t **state, uint32_t *size, state_ref *ref);

/* Lists the steps of the state: of the urgent processes if one of them has any, and else of all. */
uint32_t run_list_steps(const struct run *r, const uint8_t *state, uint32_t size, successor_fn *fn, void *ctx);

/* The stack of a depth-first search: frames and states as bytes. Its memory is part of the budget. */
struct byte_stack { uint8_t *at; size_t len, cap, charged; };
bool byte_stack_reserve(struct run *r, struct byte_stack *s, size_t n); /* false: no memory, and the run is stopped */
bool byte_stack_push(struct run *r, struct byte_stack *s, const void *bytes,
                     size_t n); /* false: no memory left, the run is stopped */
bool byte_stack_push_both(struct run *r, struct byte_stack *s, const void *head, size_t n, const void *bytes,
                          size_t m); /* or none */
void byte_stack_release(struct run *r, struct byte_stack *s);

/* Partial order reduction: the next process below `below` (start with the number of processes) whose steps alone may
 * be an ample set in this state, or -1. */
int reduction_candidate(const struct run *r, const uint8_t *state, int below);
/* Nobody may be made to pay for a switch away from pid, though it can go on. */
bool reduction_frees_switch(bool reduced, struct model *m, const uint8_t *state, int pid);

/* Forced states, which are passed by. */
enum { FORCED_MOST = 4096 }; /* steps in a row: one in so many is kept, so that limits are looked at */
struct state_bytes { uint8_t *at; size_t len, cap; }; /* as VEC(uint8_t) */
bool reduction_forces(const struct run *r); /* the search passes forced states by */
/* The process whose step is the only one that is to be taken, or -1; where it leads to is in `next`. */
int reduction_forced(const struct run *r, const uint8_t *state, uint32_t size, struct state_bytes *next);
void reduction_follow(const struct run *r, struct state_bytes *state, struct state_bytes *scratch); /* to the end */
struct way_walked { struct state_bytes anchor; uint32_t steps; };
/* From this state, if it is forced; false where a way is cut. */
bool way_goes_on(struct way_walked *w, const uint8_t *state, size_t size);

void levels_search(struct run *r); /* ordered */
void layers_search(struct run *r); /* breadth first */
void dfs_search(struct run *r);
void bcs_search(struct run *r);
void swarm_search(struct run *r);
void directed_search(struct run *r);

/* The schedule that takes these steps: step nth (from 0) of process pid. False: there is no such step. */
struct pid_step { int pid; uint32_t nth; };
typedef VEC(struct pid_step) pid_steps;
bool steps_schedule(struct model *m, const pid_steps *steps, struct schedule *out);
/* With the forced ones between them, if the search passes those by; ends: and comes to an end, else the last step
 * fails. */
bool reduced_schedule(const struct run *r, const pid_steps *steps, bool ends, struct schedule *out);

#endif
