/* The state store: open addressing with one 64-bit word per state, records in chunks that never move. */
#include "search/pages_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    FIRST_SLOTS = 1 << 12,
    BITS_PER_STATE = 3, /* positions set per state in the bit field, as in Spin */
    CHARGE_UNITS = 1 << 14,
    FINGERPRINT_AT = REF_BITS,
};
#define CHUNK_UNITS (UINT64_C(1) << CHUNK_UNITS_LOG)
#define SECOND_SEED UINT64_C(0x9e3779b97f4a7c15)

static size_t slot_bytes(const struct store *s) { return (size_t)(s->slot_mask + 1) * sizeof *s->slots; }

static bool init_bits(struct store *s, size_t bytes)
{
    uint64_t field = 1024;
    while (field <= bytes / 2) field *= 2;
    assert(!(field & (field - 1)) && (field <= bytes || field == 1024)); /* positions are masked */
    s->bits = pages_take(s->budget, field);
    if (!s->bits) return false;
    s->bit_count = field * 8;
    return true;
}

static bool init_slots(struct store *s)
{
    s->slot_mask = FIRST_SLOTS - 1;
    s->slots = pages_take(s->budget, slot_bytes(s));
    return s->slots;
}

bool store_init(struct store *s, struct store_plan plan, struct budget *budget)
{
    assert(plan.records || plan.kind == STORE_BITS);
    assert(budget && (int)plan.kind < STORE_KINDS);
    *s = (struct store){.kind = plan.kind, .words = plan.words, .records = plan.records, .budget = budget, .end = 1,
                        .salt = plan.salt | 1};
    return plan.kind == STORE_BITS ? init_bits(s, plan.bit_field) : init_slots(s);
}

void store_release(struct store *s)
{
    if (s->slots) {
        munmap(s->slots, slot_bytes(s));
        budget_give(s->budget, slot_bytes(s));
    }
    if (s->bits) {
        munmap(s->bits, s->bit_count / 8);
        budget_give(s->budget, s->bit_count / 8);
    }
    for (size_t i = 0; i < s->chunks.len; i++) munmap(s->chunks.at[i], CHUNK_UNITS * UNIT);
    vec_release(&s->chunks);
    if (s->budget) budget_give(s->budget, s->charged * UNIT);
    *s = (struct store){0};
}

uint64_t store_hash(const uint8_t *state, uint32_t size) { return hash_bytes(state, size, 0); }

static uint64_t second_hash(const uint8_t *state, uint32_t size) { return hash_bytes(state, size, SECOND_SEED); }

void store_prefetch(const struct store *s, uint64_t hash)
{
    if (s->kind == STORE_BITS) __builtin_prefetch(&s->bits[(hash * s->salt & (s->bit_count - 1)) / 64]);
    else __builtin_prefetch(&s->slots[hash & s->slot_mask]);
}

void store_prefetch_record(const struct store *s, uint64_t hash)
{
    if (s->kind == STORE_BITS) return;
    for (uint64_t i = hash & s->slot_mask; s->slots[i]; i = (i + 1) & s->slot_mask)
        if (s->slots[i] >> FINGERPRINT_AT == hash >> FINGERPRINT_AT) {
            __builtin_prefetch(store_record(s, s->slots[i] & REF_MASK));
            return;
        }
}

/* After the link and the search's words: size and bytes (exact) or a hash (compact, bits). */
static uint8_t *record_key(const struct store *s, state_ref ref)
{
    return store_record(s, ref) + 8 + 8 * (size_t)s->words;
}

static uint32_t key_size(const struct store *s, uint32_t state_size)
{
    return s->kind == STORE_EXACT ? 4 + state_size : 8;
}

static bool charge_up_to(struct store *s, uint64_t end)
{
    if (end <= s->charged) return true;
    uint64_t wanted = (end + CHARGE_UNITS - 1) / CHARGE_UNITS * CHARGE_UNITS - s->charged;
    if (!budget_take(s->budget, wanted * UNIT)) return false;
    s->charged += wanted;
    return true;
}

static bool chunk_for(struct store *s, uint64_t ref)
{
    while (s->chunks.len <= ref >> CHUNK_UNITS_LOG) {
        uint8_t *chunk = pages_alloc(CHUNK_UNITS * UNIT, s->chunks.len > 0);
        if (!chunk) {
            s->budget->refused = true;
            return false;
        }
        vec_push(&s->chunks, chunk);
    }
    return true;
}

_Static_assert(CHUNK_UNITS * UNIT - MODEL_MOST_STATE >= 1024, "every state that a model makes fits into one chunk");

/* Room for a record that does not cross the end of a chunk; 0 when there is none. */
static state_ref record_alloc(struct store *s, uint32_t state_size)
{
    uint64_t units = (8 + 8 * (uint64_t)s->words + key_size(s, state_size) + UNIT - 1) / UNIT;
    uint64_t left = CHUNK_UNITS - (s->end & (CHUNK_UNITS - 1));
    state_ref ref = units <= left ? s->end : s->end + left;
    if (units > CHUNK_UNITS) s->oversized = true;
    if (units > CHUNK_UNITS || ref + units > REF_MASK) return 0;
    if (!charge_up_to(s, ref + units) || !chunk_for(s, ref)) return 0;
    assert(s->end <= ref && ref + units <= s->charged);
    s->end = ref + units;
    return ref;
}

static state_ref record_new(struct store *s, const uint8_t *state, uint32_t size, uint64_t hash)
{
    state_ref ref = record_alloc(s, size);
    if (!ref) return 0;
    uint8_t *key = record_key(s, ref);
    if (s->kind == STORE_EXACT) {
        memcpy(key, &size, 4);
        memcpy(key + 4, state, size);
    } else {
        store64(key, hash);
    }
    return ref;
}

/* States are short, and a call of memcmp takes longer than most comparisons. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, uint32_t size)
{
    for (; size >= 8; a += 8, b += 8, size -= 8)
        if (load64(a) != load64(b)) return false;
    for (; size; size--)
        if (*a++ != *b++) return false;
    return true;
}

bool store_is(const struct store *s, state_ref ref, const uint8_t *state, uint32_t size)
{
    const uint8_t *key = record_key(s, ref);
    if (s->kind != STORE_EXACT) return load64(key) == store_hash(state, size);
    uint32_t stored;
    memcpy(&stored, key, 4);
    return stored == size && same_bytes(key + 4, state, size);
}

const uint8_t *store_state(const struct store *s, state_ref ref, uint32_t *size)
{
    assert(s->kind == STORE_EXACT);
    const uint8_t *key = record_key(s, ref);
    memcpy(size, key, 4);
    return key + 4;
}

/* The slot of the state, or the empty one where it belongs. */
static uint64_t *find_slot(const struct store *s, const uint8_t *state, uint32_t size, uint64_t hash)
{
    uint64_t fingerprint = hash >> FINGERPRINT_AT;
    for (uint64_t i = hash & s->slot_mask;; i = (i + 1) & s->slot_mask) {
        uint64_t word = s->slots[i];
        if (!word || (word >> FINGERPRINT_AT == fingerprint && store_is(s, word & REF_MASK, state, size)))
            return &s->slots[i];
    }
}

static void reinsert(struct store *s, uint64_t word, uint64_t hash)
{
    uint64_t i = hash & s->slot_mask;
    while (s->slots[i]) i = (i + 1) & s->slot_mask;
    s->slots[i] = word;
}

static uint64_t record_hash(const struct store *s, state_ref ref)
{
    if (s->kind == STORE_COMPACT) return load64(record_key(s, ref));
    uint32_t size;
    const uint8_t *state = store_state(s, ref, &size);
    return store_hash(state, size);
}

static uint64_t slots_in_use(const struct store *s)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i <= s->slot_mask; i++) n += s->slots[i] != 0;
    return n;
}

static void rehash(struct store *s, const uint64_t *old, uint64_t old_mask)
{
    enum { AHEAD = 16 };
    for (uint64_t i = 0; i <= old_mask; i++) {
        uint64_t later = old[(i + AHEAD) & old_mask];
        if (later) __builtin_prefetch(store_record(s, later & REF_MASK));
        if (old[i]) reinsert(s, old[i], record_hash(s, old[i] & REF_MASK));
    }
}

static bool grow_slots(struct store *s)
{
    uint64_t *old = s->slots, old_mask = s->slot_mask;
    uint64_t cap = (old_mask + 1) * (old_mask < (1 << 20) ? 4 : 2);
    uint64_t *fresh = pages_take(s->budget, cap * sizeof *old);
    if (!fresh) return false;
    s->slots = fresh;
    s->slot_mask = cap - 1;
    rehash(s, old, old_mask);
    assert_costly(slots_in_use(s) == s->count); /* none was lost */
    munmap(old, (old_mask + 1) * sizeof *old);
    budget_give(s->budget, (old_mask + 1) * sizeof *old);
    return true;
}

static enum store_answer add_record(struct store *s, const uint8_t *state, uint32_t size, uint64_t hash, state_ref *ref)
{
    uint64_t *slot = find_slot(s, state, size, hash);
    if (*slot) {
        *ref = *slot & REF_MASK;
        return STORE_OLD;
    }
    if (s->count * 4 >= (s->slot_mask + 1) * 3) {
        if (!grow_slots(s)) return STORE_FULL;
        slot = find_slot(s, state, size, hash);
    }
    *ref = record_new(s, state, size, hash);
    if (!*ref) return STORE_FULL;
    assert(!*slot && *ref <= REF_MASK);
    *slot = hash >> FINGERPRINT_AT << FINGERPRINT_AT | *ref;
    s->count++;
    assert(s->count <= s->slot_mask); /* or a lookup would not end */
    return STORE_NEW;
}

static bool all_bits(const struct store *s, uint64_t hash, uint64_t stride)
{
    for (int i = 0; i < BITS_PER_STATE; i++, hash += stride) {
        uint64_t at = hash & (s->bit_count - 1);
        if (!(s->bits[at / 64] >> at % 64 & 1)) return false;
    }
    return true;
}

static void set_bits(struct store *s, uint64_t hash, uint64_t stride)
{
    for (int i = 0; i < BITS_PER_STATE; i++, hash += stride) {
        uint64_t at = hash & (s->bit_count - 1), bit = UINT64_C(1) << at % 64;
        s->bits_set += !(s->bits[at / 64] & bit);
        s->bits[at / 64] |= bit;
    }
    assert_costly(s->bits_set <= s->bit_count && all_bits(s, hash - BITS_PER_STATE * stride, stride));
}

static enum store_answer add_bits(struct store *s, const uint8_t *state, uint32_t size, uint64_t hash, state_ref *ref)
{
    uint64_t stride = second_hash(state, size) | 1;
    *ref = 0;
    hash *= s->salt;
    if (all_bits(s, hash, stride)) return STORE_OLD;
    if (s->records && !(*ref = record_new(s, state, size, hash))) return STORE_FULL;
    set_bits(s, hash, stride);
    s->count++;
    return STORE_NEW;
}

enum store_answer store_add(struct store *s, const uint8_t *state, uint32_t size, uint64_t hash, state_ref *ref)
{
    assert(size > 0);
    assert_costly(hash == store_hash(state, size));
    return s->kind == STORE_BITS ? add_bits(s, state, size, hash, ref) : add_record(s, state, size, hash, ref);
}

state_ref store_find(const struct store *s, const uint8_t *state, uint32_t size, uint64_t hash)
{
    assert(s->kind != STORE_BITS);
    return *find_slot(s, state, size, hash) & REF_MASK;
}

bool store_has(const struct store *s, const uint8_t *state, uint32_t size, uint64_t hash)
{
    if (s->kind == STORE_BITS) return all_bits(s, hash * s->salt, second_hash(state, size) | 1);
    return *find_slot(s, state, size, hash);
}

/* Bits: every position of a new state is set already with the share of bits that are set now, which is the worst it
 * ever was. Compact: some two of n states share a 64-bit hash with probability of at most n^2 / 2^65. */
double store_omission(const struct store *s)
{
    double n = (double)s->count, share = s->bit_count ? (double)s->bits_set / (double)s->bit_count : 0;
    switch (s->kind) {
    case STORE_EXACT: return 0;
    case STORE_COMPACT: return MIN(1.0, n * n / 36893488147419103232.0);
    case STORE_BITS: return share * share * share;
    }
    BUG("store kind %d", s->kind);
}
