/* What steps touch, and where loops are cut: shared by the files that decide who may go first. */
#ifndef HEDDLE_FOOTPRINT_INT_H
#define HEDDLE_FOOTPRINT_INT_H

#include "model/driver_int.h"

/* What is done with a channel. Looks: at whether there is a message and which is the first (head), at whether there is
 * room, at anything else. A look may also be all that a statement waits for: then one that wants more is only helped by
 * whoever sends, and one that wants less by whoever receives. */
enum channel_op {
    OP_SENDS = 1,
    OP_SORTS = 2,
    OP_RECEIVES = 4,
    OP_SEARCHES = 8,
    OP_LOOKS = 16,
    OP_LOOKS_AT_HEAD = 32,
    OP_LOOKS_AT_ROOM = 64,
    OP_WANTS_MORE = 128,
    OP_WANTS_LESS = 256,
    OP_ONLY_LOOKS = OP_LOOKS | OP_LOOKS_AT_HEAD | OP_LOOKS_AT_ROOM | OP_WANTS_MORE | OP_WANTS_LESS,
};

/* Which channel: [number, number + count) if local is NULL, all of them if count is 0; else the value of the local. */
struct channel_ref { const struct var *local; int number, count; };
/* In a step: `deep` is what is done behind its first statement, and on no way is it done more than `most` times. */
struct channel_use { struct channel_ref ref; unsigned ops, deep, most; };
enum { UNBOUNDED = 16 };

struct footprint {
    uint64_t *reads, *writes;     /* one bit per byte of the globals */
    VEC(struct channel_use) channels;
    bool runs;                    /* run, or a look at the number of processes */
    bool ends;                    /* the process dies */
};

struct loops;
struct cut;
enum { CUT_SLOTS = 1 << 10 };

struct independence {
    bool possible;                /* the model has nothing that sees everything */
    bool traces;                  /* there is a trace or notrace: what happens on the channels in it has an order */
    struct footprint traced;      /* those channels */
    size_t words;
    struct footprint **next;      /* [proctype][state]: the step from there */
    struct footprint **future;    /* [proctype][state]: from there on */
    struct footprint **ready;     /* [proctype][state]: the channels from which the process may wait to receive after
                                     the step from there; NULL: no rendezvous is sent inside of an atomic sequence */
    bool **invisible;             /* [proctype][state]: no claim sees the step from there */
    struct loops *loops;          /* [proctype] */
    bool one_cut;                 /* where loops are cut depends on the processes that there are, on no channel */
    int *first_place;             /* [proctype]: the number of its control state 0 among all; one more at the end */
    struct cut *_Atomic cuts[CUT_SLOTS]; /* known ones, by a hash; added to, never changed */
};

/* A state being looked at. */
struct moment { struct promela_model *m; const struct shape *shape; const u8 *state; };

bool footprints_build(struct promela_model *m, struct independence *d); /* false: too large */
void footprints_release(struct promela_model *m, struct independence *d);
struct footprint *footprints_new(struct promela_model *m, int count, size_t words);
void footprint_add_edge(struct footprint *f, const struct control *at, const struct edge *e);
bool footprint_join(struct footprint *into, const struct footprint *from, size_t words); /* true if that was news */
bool variables_conflict(const struct footprint *a, const struct footprint *b, size_t words);
struct channel_ref channel_ref_of(const struct expr *e);
bool keeps_its_channel(const struct var *v); /* a local that holds the same channel from the start */
bool may_be_same(const struct channel_ref *a, const struct channel_ref *b);
/* With the value of the local in it. */
struct channel_ref channel_resolve(const struct moment *t, const struct channel_ref *r, int pid);
bool step_goes_on(const struct promela_model *m, const struct automaton *a, const struct edge *e); /* at its target */

void sticky_build(struct promela_model *m, struct independence *d);
void sticky_release(struct promela_model *m, struct independence *d);
/* In the present state the process is where a loop is cut: it must not go first. */
bool sticky_at(struct independence *d, const struct moment *t, int pid);

#endif
