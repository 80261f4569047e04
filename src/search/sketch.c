#include "search/sketch_int.h"

#include <stdlib.h>

void sketch_init(struct sketch *s)
{
    s->len = 0;
    s->limit = UINT64_MAX;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void sketch_compact(struct sketch *s)
{
    qsort(s->hash, s->len, sizeof *s->hash, by_hash);
    if (s->len <= SKETCH_SIZE) return;
    s->len = SKETCH_SIZE;
    s->limit = s->hash[s->len - 1];
}

void overlap_init(struct overlap *o) { *o = (struct overlap){.limit = UINT64_MAX}; }

void overlap_release(struct overlap *o)
{
    vec_release(&o->seen);
    *o = (struct overlap){0};
}

/* Both are sorted; what is beyond the limit of either is dropped. */
void overlap_join(struct overlap *o, const struct overlap *other)
{
    struct overlap merged = {.limit = MIN(o->limit, other->limit), .searches = o->searches + other->searches};
    size_t i = 0, k = 0;
    while (i < o->seen.len || k < other->seen.len) {
        uint64_t known = i < o->seen.len ? o->seen.at[i].hash : UINT64_MAX;
        uint64_t fresh = k < other->seen.len ? other->seen.at[k].hash : UINT64_MAX;
        struct sighting next = {MIN(known, fresh), 0};
        if (i < o->seen.len && known == next.hash) next.searches += o->seen.at[i++].searches;
        if (k < other->seen.len && fresh == next.hash) next.searches += other->seen.at[k++].searches;
        if (next.hash <= merged.limit) vec_push(&merged.seen, next);
    }
    vec_release(&o->seen);
    *o = merged;
}

void overlap_add(struct overlap *o, struct sketch *s)
{
    sketch_compact(s);
    struct overlap one = {.limit = s->limit, .searches = 1};
    for (size_t i = 0; i < s->len; i++) /* two states with one hash count once */
        if (!i || s->hash[i] != s->hash[i - 1]) vec_push(&one.seen, ((struct sighting){s->hash[i], 1}));
    overlap_join(o, &one);
    overlap_release(&one);
}

double overlap_states(const struct overlap *o)
{
    if (o->limit == UINT64_MAX) return (double)o->seen.len;
    return (double)o->seen.len * 0x1p64 / ((double)o->limit + 1);
}

double overlap_share(const struct overlap *o)
{
    double once = 0, twice = 0, seen = (double)o->seen.len, searches = o->searches;
    if (o->searches < 2 || !o->seen.len) return 0;
    for (size_t i = 0; i < o->seen.len; i++) {
        once += o->seen.at[i].searches == 1;
        twice += o->seen.at[i].searches == 2;
    }
    double unseen = (searches - 1) / searches * once * (once - 1) / (2 * (twice + 1));
    return seen / (seen + unseen);
}
