/* A sample of the states that a search saw, by their hashes, and what the samples of several searches tell about all
 * states. Internal to src/search.
 *
 * Of each search the SKETCH_SIZE smallest hashes are kept, so that all searches sample alike: below the smallest of
 * their limits every sample has all that its search saw. How many states were seen by one search only, and by two,
 * says how many were seen by none (Chao's estimate for incidences): at least about (m-1)/m * f1 (f1 - 1) / (2 (f2 +
 * 1)). */
#ifndef HEDDLE_SKETCH_H
#define HEDDLE_SKETCH_H

#include "base/base.h"

enum { SKETCH_SIZE = 4096 };
struct sketch {
    uint64_t hash[2 * SKETCH_SIZE];
    size_t len;
    uint64_t limit; /* no larger hash is kept */
};
void sketch_init(struct sketch *s);
void sketch_compact(struct sketch *s); /* sorted, SKETCH_SIZE at most */
static inline void sketch_add(struct sketch *s, uint64_t hash)
{
    if (hash > s->limit) return;
    s->hash[s->len++] = hash;
    if (s->len == 2 * SKETCH_SIZE) sketch_compact(s);
}

struct sighting { uint64_t hash; uint32_t searches; }; /* by how many it was seen */
struct overlap {
    VEC(struct sighting) seen; /* sorted by hash */
    uint64_t limit;
    uint32_t searches;
};
void overlap_init(struct overlap *o);
void overlap_add(struct overlap *o, struct sketch *s); /* of another search */
void overlap_join(struct overlap *o, const struct overlap *other); /* of other searches */
double overlap_states(const struct overlap *o);        /* seen by any search */
double overlap_share(const struct overlap *o);         /* of all states, at most; 0: nothing is known */
void overlap_release(struct overlap *o);

#endif
