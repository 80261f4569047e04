/* What searches by several processes have in common (ranks.c). Internal to src/search. */
#ifndef HEDDLE_RANKS_H
#define HEDDLE_RANKS_H

#include "cluster/cluster.h"
#include "search/codes_int.h"
#include "search/search_int.h"

/* Whose state a code is, by other bits than those by which tables are sorted. hashed: its last word is a hash. */
int code_owner(const uint64_t *code, uint32_t words, bool hashed, int ranks);

/* By all: what the coders of all have noted comes into all their books. False: as codebook_add(). */
struct noting { struct coder *const *coders; int count; };
bool ranks_share_values(struct cluster *c, struct noting n, struct codebook *b, struct model *m);

/* By all: the values of all are summed, and all stop if one of them has. *why: enum search_stop. */
enum { STOPS = STOP_ENOUGH + 1 };
void ranks_agree(struct cluster *c, uint64_t *values, int count, uint32_t *why);

/* By all: what the models have met, and the memory that it took. */
void ranks_join_results(struct cluster *c, struct run *r);

/* Process 0 says what it searches for, and the others do the same. */
void ranks_order_search(struct model *m, const struct search_options *o);
void ranks_order_sweep(struct model *m, const struct search_options *o, const struct property *p);

#endif
