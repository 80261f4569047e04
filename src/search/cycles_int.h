/* The product search and the making of its counterexample. Internal to src/search. */
#ifndef HEDDLE_CYCLES_INT_H
#define HEDDLE_CYCLES_INT_H

#include "search/search_int.h"

/* A node's bytes: the model's state, then the automaton's state and, in a bounded search, who moved last. */
enum { TAIL = 4, MOST_CLAIM_STATES = 1 << 24 };
struct tail { uint32_t claim : 24, last : 8; };
_Static_assert(sizeof(struct tail) == TAIL, "the tail is what it says");

/* What an infinite execution must pass again and again: an accepting state, and with fairness for each process a
 * state in which it cannot move or a step that it makes. */
struct duty { bool accepting; uint64_t fair[4]; };
static inline void duty_join(struct duty *a, const struct duty *b)
{
    a->accepting |= b->accepting;
    for (int i = 0; i < 4; i++) a->fair[i] |= b->fair[i];
}
static inline bool duty_is_fair(const struct duty *d)
{
    return (d->fair[0] & d->fair[1] & d->fair[2] & d->fair[3]) == ~UINT64_C(0);
}
static inline bool duty_done(const struct duty *d, bool fair) { return d->accepting && (!fair || duty_is_fair(d)); }
static inline void duty_moved(struct duty *d, int pid) { d->fair[pid / 64] |= UINT64_C(1) << pid % 64; }

/* One step of the product, in a list that is reused: bytes of the target node are in `bytes`. */
struct product_step {
    size_t at;
    uint32_t size;    /* 0: a fault ended the execution inside the step */
    uint64_t hash;
    state_ref ref;     /* of the target, once it was looked up; 0: not stored */
    uint8_t pid, last; /* MODEL_NOBODY: the claim moved alone */
    uint8_t cost;
    bool fault, timeout;
};
struct product_steps { VEC(struct product_step) list; VEC(uint8_t) bytes; bool fault; /* in one of them */ };

struct cycles {
    struct run run;
    const struct property *p;
    bool bounded;
    bool lenient;               /* bounded and reduced: levels are lower bounds (reduction.c) */
    int64_t level;
    VEC(int) targets;           /* of the claim in the node being expanded, found by product_claim() */
    VEC(int) room;              /* for claim_step */
    struct duty here;           /* of the node being expanded */
    bool violated;              /* the claim accepts everything from here on */
    const char *claim_fault;
};

/* Where the claim can go from a node, and whether that is a violation already. False: there is nothing to expand. */
bool product_claim(struct cycles *c, const uint8_t *node, uint32_t size);
/* After that: the steps of the node; with `only` >= 0 those in which that process moves. */
void product_expand(struct cycles *c, const uint8_t *node, uint32_t size, int only, struct product_steps *out);
/* The next process below `above` (-1: all) that may go first, as the reduction of the property wants it; -1: none. */
int product_candidate(const struct cycles *c, const uint8_t *node, int above);
/* The same as product_expand() for all processes, or for one that may go first if there is one (REDUCTION_SI). */
void product_expand_reduced(struct cycles *c, const uint8_t *node, uint32_t size, struct product_steps *out);
struct tail node_tail(const uint8_t *node, uint32_t size);
bool claim_is_accepting(const struct cycles *c, int claim_state);
void product_steps_release(struct product_steps *s);
struct tail product_start(const struct cycles *c); /* of the first node */
/* Which step of the model leads from one node to another, made by these processes; and which one has a fault. */
uint32_t product_choice(struct cycles *c, const uint8_t *from, uint32_t from_size, const uint8_t *to, uint32_t to_size,
                        int pid, int last);
uint32_t product_fault(struct cycles *c, const uint8_t *node, uint32_t size, int pid);
/* Steps that fail are no errors here (search_options.leave_faults); it is noted that there were some. */
bool product_leaves_faults(const struct cycles *c, const struct product_steps *s);
/* Whose step has a fault and costs at most so much; MODEL_NOBODY: nobody's, or nobody minds. */
int product_faulty(const struct cycles *c, const struct product_steps *s, int64_t most);
void cycles_release(struct cycles *c);

/* Flags and words of a stored node. Number 0: it waits to be entered. */
enum { ON_PATH = 1, DEAD = 2, SEEN = 4 };
static inline uint64_t node_number(const struct store *s, state_ref r) { return load64(store_words(s, r)); }
static inline void node_set_number(struct store *s, state_ref r, uint64_t number)
{
    store64(store_words(s, r), number);
}
/* Bounded searches have a second word. */
static inline int64_t node_level(const struct store *s, state_ref r) { return (int64_t)load64(store_words(s, r) + 8); }
static inline void node_set_level(struct store *s, state_ref r, int64_t level)
{
    store64(store_words(s, r) + 8, (uint64_t)level);
}

struct cycles cycles_plan(struct model *m, const struct property *p, const struct search_options *options,
                          struct search_result *result);
/* The search of all threads (sweep.c), with the property and the run of this one: it says that there is a violation and
 * at which level, and has no schedule of it. */
void sweep_search(const struct cycles *like);
/* The search that keeps next to nothing of a node (nested.c), with the property and the run of this one. */
void nested_search(const struct cycles *like);

/* Is this a violation? Told by running it, by code that knows nothing of the search. */
bool schedule_violates(struct model *m, const struct property *p, const struct schedule *s);

/* The shortest lasso through the component of nodes that are alive and numbered from `first` on, or the shortest way
 * to the node `end` if that is not 0. */
bool lasso_schedule(struct cycles *c, uint64_t first, state_ref end,
                    struct schedule *out); /* false: a limit was reached */

#endif
