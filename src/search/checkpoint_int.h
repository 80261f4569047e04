/* A search that is left for later (checkpoint.c). Internal to src/search.
 *
 * While threads are at work, the first one asks whether it is time. Then all come to rest, whoever shares out the work
 * calls checkpoint_write(), and they go on; or not, if a limit was reached. */
#ifndef HEDDLE_CHECKPOINT_H
#define HEDDLE_CHECKPOINT_H

#include "cluster/cluster.h"
#include "search/search_int.h"

struct archive;
struct checkpointing {
    const struct run *run;
    struct cluster *cluster;  /* NULL: there is one process */
    int rank;
    uint32_t *why;            /* the search has stopped: enum search_stop */
    void *search;
    void (*tell_pause)(void *search); /* to the other processes */
    void (*put_head)(void *search, struct archive *a); /* what is to be known before the rest is read */
    void (*put)(void *search, struct archive *a);
    bool pausing;             /* threads come to rest, and go on later */
    uint64_t limit_met;       /* microseconds of seconds_now() when it was found that a limit is reached, 0: none */
    uint64_t serial;          /* of the last checkpoint, of several processes */
    double saved_at, saving_seconds; /* the last checkpoint: when it was written, and how long that took */
};

bool checkpoint_is_due(struct checkpointing *c);
void checkpoint_write(struct checkpointing *c);
/* What a long step of the model asks while there are checkpoints: a step that is cut could not go on later, so it is
 * given a moment. */
bool checkpoint_cuts_step(void *checkpointing);
/* Handles on one model; the first one is the last to be put, with what all of them have met. */
void checkpoint_put_model(struct model *first, struct model *m, struct archive *a);
struct archive *checkpoint_open_share(const struct checkpointing *c, uint64_t serial, int rank); /* NULL: not there */

#endif
