/* The processes of one job, each on some machine: `mpirun -n 16 heddle check model.pml` is one check.
 *
 * Process 0 runs the check; the others take part in its searches. They exchange two kinds of things: items, in
 * batches, to one of them, in any order (an *exchange*); and numbers and bytes that all of them give and all of them
 * get, in the same order (sum, gather, broadcast). Only the main thread of a process may call what is not said to be
 * for others.
 *
 * Nothing here knows MPI: what carries the bytes is a `struct transport` (transport_int.h) from a shared object that is
 * loaded only when there is more than one process. */
#ifndef HEDDLE_CLUSTER_H
#define HEDDLE_CLUSTER_H

#include "base/base.h"

enum { CLUSTER_MOST = 1 << 15 }; /* processes */

struct cluster;
/* To be called first of all. If this process is one of several of a job, it takes part in it from now on. Returns what
 * makes that impossible (heap), NULL: nothing. */
char *cluster_join(void);
/* Instead, for commands that nobody can help with: the others end here. */
void cluster_stand_aside(void);
void cluster_last_words(const char *text); /* what is said if this process is killed */
void cluster_leave(void); /* when all are done; a process that ends without ends the job */
struct cluster *cluster_joined(void); /* NULL: this process is alone */
int cluster_rank(const struct cluster *c);
int cluster_size(const struct cluster *c);
int cluster_neighbours(const struct cluster *c); /* how many of them share this machine, this one included */
int cluster_processors(void); /* of this machine, for this process alone */
void cluster_wait_until(double deadline); /* of seconds_now(): soon afterwards nobody is waited for any more */
bool cluster_is_other(void); /* of several, and not the first: says nothing, and writes nothing */

/* What this process has sent, and how long it had nothing to do but to wait for others, since it joined. */
struct cluster_counts { uint64_t batches, items, bytes; double idle; };
struct cluster_counts cluster_counts(const struct cluster *c);

/* By all, in the same order. */
void cluster_sum(struct cluster *c, uint64_t *values, int count);
void cluster_broadcast(struct cluster *c, int from, void *bytes, size_t count);
typedef VEC(uint8_t) byte_list;
/* What each has, one after the other in the order of ranks. */
void cluster_gather(struct cluster *c, const void *bytes, size_t count, byte_list *all);

/* By all: whether all have the same. */
bool cluster_is_same(struct cluster *c, const void *bytes, size_t count);

/* Process 0 gives orders, the others wait for them: false, when process 0 leaves. */
void cluster_order(struct cluster *c, const void *bytes, size_t count);
bool cluster_await_order(struct cluster *c, byte_list *order);

/* ---- letters ---- */

/* Bytes, one at least, to one process; they are copied. Not while there is an exchange. */
void cluster_post(struct cluster *c, int to, const void *bytes, size_t count);
bool cluster_fetch(struct cluster *c, int *from, byte_list *letter); /* false: none has come */
void cluster_settle_post(
    struct cluster *c); /* by all: everything posted was sent, and what is fetched by nobody is gone */

/* ---- items on their way ---- */

struct exchange_plan {
    int workers;  /* threads that put items */
    size_t item;  /* bytes */
    void (*arrive)(void *ctx, const uint8_t *items, size_t count); /* on the main thread */
    void (*told)(void *ctx, uint32_t what);                        /* likewise: exchange_tell() */
    void *ctx;
};
struct exchange;
struct exchange *exchange_new(struct cluster *c, struct exchange_plan plan); /* by all */
void exchange_free(struct exchange *x);
/* By a thread: an item for process `to`, which is not this one. Waits while too many are on their way. */
void exchange_put(struct exchange *x, int worker, int to, const void *item);
void exchange_progress(struct exchange *x); /* something of what came arrives, something of what waits is sent */
void exchange_tell(struct exchange *x, uint32_t what); /* all others, soon */
/* By all: everything that was put arrives. Nothing may be put before all have met again, for instance in cluster_sum().
 */
void exchange_settle(struct exchange *x);

#endif
