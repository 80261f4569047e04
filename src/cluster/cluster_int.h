/* One process of a job. Internal to src/cluster. */
#ifndef HEDDLE_CLUSTER_INT_H
#define HEDDLE_CLUSTER_INT_H

#include "cluster/cluster.h"
#include "cluster/transport_int.h"

struct cluster {
    const struct transport *t;
    struct cluster_counts counts;
    double patience; /* until then they are waited for; 0: for ever */
};

/* Until the call of the transport is done; `busy`, which may be NULL, is called in between, and says whether it found
 * something to do. */
void cluster_await(struct cluster *c, bool (*busy)(void *ctx), void *ctx);
/* Nothing has come for so many looks. */
void cluster_wait_a_little(const struct cluster *c, uint32_t looks);

/* supervisor.c. What the launcher started becomes the parent of what does the work, and sees how it ends. Returns in
 * the child only. */
void supervise(int rank);
void keep_complaints(void); /* what goes to standard error is said only if this process fails by itself */

#endif
