/* Where visited states are kept. Internal to src/search.
 *
 * A store answers one question, "is this state new?", and remembers a little about each state under a reference.
 * References grow in the order in which states were added, so states of one level form one range.
 *   exact      the bytes of the state
 *   compact    a 64-bit hash of the state instead of its bytes: lossy
 *   bits       a few bits of a big field per state: lossy, and there is a reference only when the state is new
 * A record is: link (parent's reference, flags), optional words for the search's own use, then the key.
 * All memory is asked from a budget first; a full store is an answer and not a failure. */
#ifndef HEDDLE_STORE_H
#define HEDDLE_STORE_H

#include "search/search.h"

struct budget {
    size_t limit, used, peak;
    bool refused; /* once; whoever was refused cannot have seen everything */
};
bool budget_take(struct budget *b, size_t bytes);
bool budget_take_if_any(struct budget *b, size_t bytes); /* for what can be done without: no refusal is noted */
void budget_give(struct budget *b, size_t bytes);
void budget_give_up(struct budget *b, size_t bytes); /* the machine did not have what the budget allowed */

typedef uint64_t state_ref; /* below 2^40, 0: none */
enum { REF_BITS = 40 };
#define REF_MASK ((UINT64_C(1) << REF_BITS) - 1)

enum store_answer { STORE_NEW, STORE_OLD, STORE_FULL };

struct store {
    enum store_kind kind;
    uint32_t words;          /* 64-bit words of each record that belong to the search */
    bool records;            /* false: only STORE_BITS, and nothing but the bits is kept */
    struct budget *budget;
    uint64_t count;
    uint64_t *slots;         /* fingerprint << 40 | reference; a power of two, 0: empty */
    uint64_t slot_mask;
    VEC(uint8_t *) chunks;
    uint64_t end, charged;   /* units of 4 bytes: used, and taken from the budget */
    uint64_t *bits;
    uint64_t bit_count, bits_set;
    uint64_t salt;           /* odd: where the bits of a hash are */
    bool oversized;          /* it is full because of a state larger than a chunk, not because of the budget */
};

struct store_plan { enum store_kind kind; uint32_t words; bool records; size_t bit_field; uint64_t salt; };
bool store_init(struct store *s, struct store_plan plan, struct budget *budget); /* false: the budget is too small */
void store_release(struct store *s);

uint64_t store_hash(const uint8_t *state, uint32_t size);
/* Looking a state up touches two random places. Say first where it will be looked for, a little later ask for the
 * record that seems to be it, and then the lookup finds both in the cache. */
void store_prefetch(const struct store *s, uint64_t hash);
void store_prefetch_record(const struct store *s, uint64_t hash);
/* *ref is the state's reference, 0 if it has none (bits). A new record's link and words are zero. */
enum store_answer store_add(struct store *s, const uint8_t *state, uint32_t size, uint64_t hash, state_ref *ref);
state_ref store_find(const struct store *s, const uint8_t *state, uint32_t size,
                     uint64_t hash); /* 0: not there; not for bits */
bool store_has(const struct store *s, const uint8_t *state, uint32_t size, uint64_t hash);
/* Is this the state that ref was given for? Certain in an exact store, likely in the others. */
bool store_is(const struct store *s, state_ref ref, const uint8_t *state, uint32_t size);
const uint8_t *store_state(const struct store *s, state_ref ref, uint32_t *size); /* exact stores only */
double store_omission(const struct store *s);
static inline bool store_keeps_states(const struct store *s) { return s->kind == STORE_EXACT; }

/* Chunks are allocated whole but touched, and charged, only as they fill. */
enum { UNIT = 4, CHUNK_UNITS_LOG = 22 };
static inline uint8_t *store_record(const struct store *s, state_ref ref)
{
    assert_costly(ref && ref < s->end);
    return s->chunks.at[ref >> CHUNK_UNITS_LOG] + (ref & ((1u << CHUNK_UNITS_LOG) - 1)) * UNIT;
}

static inline uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

static inline void store64(uint8_t *p, uint64_t v) { __builtin_memcpy(p, &v, sizeof v); }

/* The link: parent in the low 40 bits, flags of the search in the next four. */
enum { LINK_FLAGS_AT = REF_BITS, LINK_FLAG_BITS = 4 };
static inline state_ref store_parent(const struct store *s, state_ref ref)
{
    return load64(store_record(s, ref)) & REF_MASK;
}
static inline void store_set_parent(struct store *s, state_ref ref, state_ref parent)
{
    uint8_t *r = store_record(s, ref);
    assert_costly(parent < ref); /* it was there before, so that every way back ends */
    store64(r, (load64(r) & ~REF_MASK) | parent);
}
static inline unsigned store_flags(const struct store *s, state_ref ref)
{
    return (unsigned)(load64(store_record(s, ref)) >> LINK_FLAGS_AT) & ((1u << LINK_FLAG_BITS) - 1);
}
static inline void store_add_flags(struct store *s, state_ref ref, unsigned flags)
{
    uint8_t *r = store_record(s, ref);
    assert_costly(flags < 1u << LINK_FLAG_BITS);
    store64(r, load64(r) | (uint64_t)flags << LINK_FLAGS_AT);
}
static inline void store_clear_flags(struct store *s, state_ref ref, unsigned flags)
{
    uint8_t *r = store_record(s, ref);
    store64(r, load64(r) & ~((uint64_t)flags << LINK_FLAGS_AT));
}
static inline uint8_t *store_words(const struct store *s, state_ref ref) { return store_record(s, ref) + 8; }

/* First in, first out: a word and the bytes of a state per item. */
struct frontier_chunk;
struct frontier {
    struct frontier_chunk *head, *tail;
    size_t read_at;
    uint64_t len;
    struct budget *budget;
};
struct frontier_item { uint64_t word; const uint8_t *state; uint32_t size; };
void frontier_init(struct frontier *f, struct budget *budget);
bool frontier_push(struct frontier *f, struct frontier_item item); /* false: out of memory */
struct frontier_item frontier_pop(struct frontier *f); /* its bytes live until the next pop */
void frontier_release(struct frontier *f);

#endif
