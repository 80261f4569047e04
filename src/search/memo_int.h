/* What a thread remembers of steps that it has made. Internal to src/search.
 *
 * Records are found by a slot (which process, what about it) and the part of a code that decides. It is a memory and
 * not a store: when there is no room for more, everything is forgotten and learnt again. */
#ifndef HEDDLE_MEMO_H
#define HEDDLE_MEMO_H

#include "search/store_int.h"

struct memo {
    struct budget *budget;
    uint32_t words;      /* of a code */
    uint64_t *records;   /* slot and length, code, what is remembered */
    size_t used, room;   /* words */
    uint64_t *index;     /* by hash: a record in the lower half, above it half of its hash; 0: empty */
    uint32_t index_mask, count;
    uint32_t overflows;  /* how often it was full */
    bool moved;          /* what was found before is not there any more; whoever looks sets it back */
};
void memo_init(struct memo *m, uint32_t words, struct budget *budget);
void memo_release(struct memo *m);
void memo_forget(struct memo *m);
/* Room for `length` words that belong to the code; valid, as what memo_find() returns, until the next one is added. It
 * may take `most` bytes in all. NULL: so much is never remembered. */
uint64_t *memo_add(struct memo *m, uint32_t slot, const uint64_t *code, uint32_t length, size_t most);

static inline uint64_t memo_hash(uint32_t words, uint32_t slot, const uint64_t *code)
{
    uint64_t h = (slot + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < words; i++) {
        h = (code[i] ^ h) * UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    return h;
}

static inline bool memo_is(const uint64_t *record, uint32_t words, uint32_t slot, const uint64_t *code)
{
    uint64_t differs = (record[0] >> 32) ^ slot;
    for (uint32_t i = 0; i < words; i++) differs |= record[1 + i] ^ code[i];
    return !differs;
}

/* What is remembered, or NULL. `hash` is the memo_hash() of slot and code. The index has half of the hash beside each
 * record, so what is not there is nearly always found missing without a look at any record. */
static inline const uint64_t *memo_find_hashed(const struct memo *m, uint32_t words, uint32_t slot,
                                               const uint64_t *code, uint64_t hash)
{
    uint64_t at;
    if (m->index)
        for (uint64_t i = hash; (at = m->index[i & m->index_mask]); i++) {
            if ((at ^ hash) >> 32) continue;
            const uint64_t *record = m->records + (uint32_t)at;
            if (memo_is(record, words, slot, code)) return record + 1 + words;
        }
    return NULL;
}

static inline const uint64_t *memo_find(const struct memo *m, uint32_t words, uint32_t slot, const uint64_t *code)
{
    return memo_find_hashed(m, words, slot, code, memo_hash(words, slot, code));
}

static inline __attribute__((always_inline)) void memo_prefetch(const struct memo *m, uint64_t hash)
{
    if (m->index) __builtin_prefetch(&m->index[hash & m->index_mask]);
}

#endif
