/* What known.c and compose.c share: what executions showed of the program. */
#ifndef HEDDLE_SCHEDULE_KNOWN_INT_H
#define HEDDLE_SCHEDULE_KNOWN_INT_H

#include "schedule/internal.h"

struct index { uint32_t *slots; size_t mask, count; }; /* 1 + where it is */

/* What follows from a past: what a thread does after it, or whether its compare-exchange would succeed. */
struct future {
    struct sched_hash past;
    uint32_t what;   /* 1 + number of the operation; of a compare-exchange 1: it fails, 2: it does not */
    bool changed;    /* the last step of the past changed memory */
};

struct sched_known {
    struct sched_config config; /* the allocator, and how much of it */
    struct pool pool;
    bool full, is_off;
    bool composes;              /* states may be put together from what is known of their threads, */
    bool has_composed, is_doubted; /* were, and should not have been */
    uint64_t cost, gain;        /* lately, in steps */
    STACK(uint64_t) words;      /* states */
    STACK(struct sched_op) ops; /* that somebody was about to do */
    STACK(struct future) pasts;
    struct index states, numbers, futures;
    uint32_t last[SCHED_MAX_THREADS]; /* 1 + number of what the thread was about to do when last seen */
    struct sched_view view;
};

#define HAS_ROOM(k, s, n) \
    ((s)->cap >= (s)->len + (n) || pool_has_room(&(k)->pool, 2 * ((s)->cap + (n) + 16) * sizeof *(s)->at))

bool known_keep_loose(struct sched_known *k, struct index *x); /* room for one more */
uint32_t known_number(struct sched_known *k, int thread, const struct sched_op *op); /* 1 + its number; 0: no room */
uint32_t *known_future_slot(const struct sched_known *k, struct sched_hash past);
/* The program is in a new state, and this follows from what was done. False: before it was something else. */
bool compose_note(struct sched *s, const struct sched_view *view);
/* The step picked, predicted in s->predicted, is done, and the view becomes that of the state after it. False: that is
 * not known, whether or not the step was done. */
bool compose_step(struct sched *s, const uint32_t *clock, struct sched_hash hash, struct sched_view *view);
/* The state after all steps done so far, of a program that begins with these threads. */
bool compose_state(struct sched *s, sched_set first, struct sched_view *view);

#endif
