/* The product by all threads (sweep.c, sweeper.c, sweep_cycles.c, sweep_saved.c). Internal to src/search. */
#ifndef HEDDLE_SWEEP_H
#define HEDDLE_SWEEP_H

#include "search/checkpoint_int.h"
#include "search/codes_int.h"
#include "search/crew_int.h"
#include "search/cycles_int.h"
#include "search/lines_int.h"
#include "search/ranks_int.h"
#include "search/tree_int.h"

#include <string.h>

enum {
    PARTS_LOG = 6, PARTS = 1 << PARTS_LOG, NODES_AT_ONCE = 64,
    FEW = 512,           /* nodes: one thread is done with them before the others are awake */
    NODES_PER_LOOK = 32,
    NO_PROCESS = -1,     /* the duty is to be in an accepting state */
};

/* The table is in parts by the first bits of the key; in a part keys have the others. */
#define PART_BITS (KEY_BITS - PARTS_LOG)
#define PART_MASK ((UINT64_C(1) << PART_BITS) - 1)

/* The mark of a node: whether its automaton is in a component with an accepting state, and in such a state; whether the
 * node is in the set, was reached, and how many predecessors it has in the set. The first two are known when the node
 * is found, and travel with its key. */
enum { KIND_AT = 30, IN_SET = 1u << 29, REACHED = 1u << 28, COUNT_MASK = REACHED - 1 };
enum { RECURS = 1, ACCEPTS = 2 };
#define KIND_MASK (3u << KIND_AT)

struct part { struct spin lock; struct lines lines; } __attribute__((aligned(64)));

/* Keys of nodes to be dealt with. */
struct keys { state_key *at; size_t len, cap; };

/* What happens to the nodes that steps lead to. */
enum deed { DEED_FIND, DEED_REACH, DEED_REACH_ONLY, DEED_REMOVE };

/* The states of the model with the automaton's behind them, as coders see them. */
struct tailed_parts { const struct model_part *of, *with; };
struct tailed_model { struct model m; struct model *inner; VEC(struct tailed_parts) known; };

struct sweep;
struct sweeper {
    struct sweep *s;
    struct cycles c;           /* with its own handle on the model */
    struct search_result counts;
    struct tailed_model model;
    struct coder coder;
    struct tree_reader reader;
    struct tree_batch batch;
    bool asks_later[TREE_BATCH];
    uint8_t asks_kind[TREE_BATCH];
    uint64_t *code;
    struct product_steps steps;
    const uint8_t *node;       /* being expanded: the coder's */
    uint32_t size;
    struct { uint32_t len; state_key at[NODES_AT_ONCE]; } outbox[PARTS];
    struct keys found, later;
    struct keys postponed;     /* of several processes: what leads to values that their books lack */
    bool misses;
    uint8_t *message;
    uint64_t nodes, set;       /* found; that were put into the set or taken out of it in this pass */
    bool ends, ends_later;     /* a violation or fault was met; one that costs a preemption */
    uint32_t looks;
} __attribute__((aligned(64)));

struct sweep {
    const struct cycles *like;
    struct run *run;
    uint32_t words;
    struct codebook *book;
    struct tree *tree;
    struct part parts[PARTS];
    struct crew *crew, *alone;
    struct sweeper *sweepers;
    int count;
    bool *recurs;              /* by state of the automaton: in a component with an accepting one; NULL: all */
    struct keys *round;        /* one list for each sweeper */
    struct keys *later;        /* the same for the next level */
    bool costly_end;
    enum deed deed;
    int duty;                  /* process, or NO_PROCESS */
    uint64_t nodes, checked_at;
    uint32_t why;              /* enum search_stop, STOP_NOT_YET while threads shall go on */
    int64_t level;
    struct cluster *cluster;   /* NULL: there is one process */
    struct exchange *exchange;
    int rank, ranks;
    struct checkpointing checkpoints;
    uint8_t *done;             /* by share of the round: its nodes were expanded */
    bool mid_round;            /* the round was begun by another process */
    uint64_t nodes_elsewhere;  /* when all were last counted */
    bool full;                 /* the books of all are */
};

static inline bool stopped(const struct sweep *s) { return __atomic_load_n(&s->why, __ATOMIC_RELAXED) != STOP_NOT_YET; }

static inline void stop(struct sweep *s, enum search_stop why)
{
    uint32_t none = STOP_NOT_YET;
    __atomic_compare_exchange_n(&s->why, &none, (uint32_t)why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline bool pausing(const struct sweep *s)
{
    return __atomic_load_n(&s->checkpoints.pausing, __ATOMIC_RELAXED);
}

static inline uint32_t mark_of(const struct lines *t, struct place p)
{
    uint32_t m;
    memcpy(&m, place_mark(t, p), sizeof m);
    return m;
}

static inline void set_mark(const struct lines *t, struct place p, uint32_t m)
{
    memcpy(place_mark(t, p), &m, sizeof m);
}

static inline uint32_t kind_of_mark(uint32_t m) { return m >> KIND_AT; }

/* sweeper.c */
void sweep_list(struct sweep *s, struct keys *k, state_key key); /* at its end; without memory the search stops */
void sweep_keys_release(struct sweep *s, struct keys *k);
void tailed_init(struct tailed_model *t, struct model *inner);
void tailed_release(struct tailed_model *t);
int tailed_process_count(struct model *m, const uint8_t *state);
void sweeper_look(struct sweeper *w); /* the first one looks at the limits for all */
void sweeper_enter(struct sweeper *w, state_key with_kind); /* a node; its bytes are there until the next one */
void sweeper_find_successors(struct sweeper *w); /* for the first time: all steps, and what ends an execution */
void sweeper_follow_steps(struct sweeper *w, int only); /* that a cycle can have: all, or those of one process */
void sweeper_send(struct sweeper *w, const uint8_t *node, uint32_t size, bool later);
void sweeper_deliver(struct sweeper *w, state_key key, bool later); /* a node of this process */
void sweeper_flush(struct sweeper *w); /* what is on its way arrives */
size_t sweep_item_bytes(const struct sweep *s); /* of what processes tell each other */
void sweep_arrive_from_elsewhere(void *sweep, const uint8_t *items, size_t count);
void sweep_hear(void *sweep, uint32_t what);
void sweep_tell_pause(void *sweep);

/* sweep.c */
typedef void node_deed(struct sweeper *w, state_key key);
/* Enters each node of a share of the round, and does something there; or not, if it is time to rest. */
void sweep_pass_share(struct sweep *s, int worker, uint32_t part, node_deed *act);
uint32_t sweep_all_shares(const struct sweep *s);
void sweep_share_out(struct sweep *s, uint64_t nodes, uint32_t parts, crew_part *part);
uint64_t sweep_next_round(struct sweep *s); /* what was found becomes the round: how much that is */
void sweep_expand_rounds(struct sweep *s);  /* until nothing is found */
uint64_t sweep_sum(struct sweep *s, uint64_t value); /* of all processes, which stop if one has */
uint64_t sweep_most(struct sweep *s, uint64_t value);

/* sweep_cycles.c: among all nodes that were found. The search stops if there is one. */
void sweep_look_for_cycle(struct sweep *s);

/* sweep_saved.c: what is to be known before the rest is loaded, and the rest. */
struct sweep_head { uint32_t words, processes; uint64_t serial; };
void sweep_put_head(void *sweep, struct archive *a);
void sweep_put(void *sweep, struct archive *a);
bool sweep_get_head(struct archive *a, struct sweep_head *h); /* false: the archive is bad */
/* Everything as it was, but for the number of threads and processes. If that cannot be, the search is stopped. */
void sweep_get(struct sweep *s, struct archive *a, struct sweep_head h);

#endif
