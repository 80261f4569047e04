#include "search/known_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRIPES_LOG = 3,
    STRIPES = 1 << STRIPES_LOG,
    FIRST_KEYS = 48,
    FIRST_RECORDS = 32,
    FLAGS_AT = 32 - RECORD_FLAG_BITS, /* in the last word of a record's set */
    BITS_PER_STATE = 3,               /* as in Spin */
    BLOCK = 512,                      /* bits: a cache line */
    MANY = 1 << 14,                   /* states of a part */
};

/* ---- sets of processes ---- */

struct mask mask_rest(const struct mask *m, int processes)
{
    struct mask rest;
    for (int i = 0; i < MASK_WORDS; i++) {
        int bits = MIN(MAX(processes - i * 64, 0), 64);
        rest.word[i] = (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1) & ~m->word[i];
    }
    return rest;
}

int mask_take(struct mask *m)
{
    for (int i = MASK_WORDS - 1; i >= 0; i--)
        if (m->word[i]) {
            int bit = 63 - __builtin_clzll(m->word[i]);
            m->word[i] &= ~(UINT64_C(1) << bit);
            return i * 64 + bit;
        }
    return -1;
}

/* ---- the sorted table of one stripe ---- */

struct keys {
    struct field field;
    uint64_t *at;    /* in it: key + 1 in ascending order, 0: empty */
    uint32_t spread; /* places that keys are spread over; behind them there are some more */
    uint32_t room, count;
};

#define STRIPE_BITS (KEY_BITS - STRIPES_LOG) /* of a key are the same for no stripe */

static uint32_t home_of(const struct keys *s, state_key key)
{
    uint32_t share = (uint32_t)(key >> (STRIPE_BITS - 32));
    return (uint32_t)((uint64_t)share * s->spread >> 32);
}

static uint32_t room_for(uint32_t spread) { return spread + 24 + spread / 64; }

/* The place of the key, or the first one that it can take. */
static uint32_t find_place(const struct keys *s, state_key key)
{
    uint32_t i = home_of(s, key);
    while (i < s->room && s->at[i] && s->at[i] < key + 1) i++;
    return i;
}

static void move_to_end(struct keys *s, uint32_t used)
{
    uint32_t to = s->room;
    for (uint32_t i = used; i-- > 0;) {
        uint64_t word = s->at[i];
        if (!word) continue;
        s->at[i] = 0;
        s->at[--to] = word;
    }
    assert(s->room - to == s->count);
}

/* All keys to their places, in order. False if the last ones do not fit: then all are still there, in order. */
static bool spread_keys(struct keys *s)
{
    uint32_t next = 0;
    for (uint32_t from = s->room - s->count; from < s->room; from++) {
        uint64_t word = s->at[from];
        uint32_t place = MAX(home_of(s, word - 1), next);
        if (place > from) return false;
        s->at[from] = 0;
        s->at[place] = word;
        next = place + 1;
    }
    return true;
}

static bool keys_in_order(const struct keys *s)
{
    uint64_t before = 0, n = 0;
    for (uint32_t i = 0; i < s->room; i++) {
        if (!s->at[i]) continue;
        if (s->at[i] <= before || home_of(s, s->at[i] - 1) > i) return false;
        before = s->at[i], n++;
    }
    return n == s->count;
}

static bool grow_keys(struct keys *s, struct budget *b, uint32_t least)
{
    uint32_t spread = s->at ? s->spread + s->spread / 3 + 32 : FIRST_KEYS;
    for (spread = MAX(spread, least);; spread += spread / 3) {
        uint32_t used = s->room, room = room_for(spread);
        if (room < spread || !field_grow(&s->field, b, room * sizeof *s->at)) return false;
        s->at = (uint64_t *)(void *)s->field.at;
        s->spread = spread;
        s->room = room;
        move_to_end(s, used);
        if (!spread_keys(s)) continue;
        assert_costly(keys_in_order(s));
        return true;
    }
}

static bool insert_at(struct keys *s, uint32_t i, state_key key)
{
    uint32_t end = i;
    while (end < s->room && s->at[end]) end++;
    if (end == s->room) return false;
    memmove(&s->at[i + 1], &s->at[i], (end - i) * sizeof *s->at);
    s->at[i] = key + 1;
    s->count++;
    assert_costly((!i || s->at[i - 1] < key + 1) && (i + 1 >= s->room || !s->at[i + 1] || s->at[i + 1] > key + 1));
    return true;
}

static bool has_room_for(const struct keys *s, uint32_t more) { return s->count + more <= s->spread - s->spread / 8; }
static bool has_room(const struct keys *s) { return has_room_for(s, 1); }

static uint32_t room_with(const struct keys *s, uint32_t more)
{
    uint64_t spread = ((uint64_t)s->count + more) * 8 / 7 + 64;
    return (uint32_t)MIN(spread + spread / 16, (uint64_t)UINT32_MAX);
}

/* The key is not there yet. False: no memory. */
static bool add_key(struct keys *s, state_key key, struct budget *b)
{
    assert_costly(!s->at || find_place(s, key) == s->room || s->at[find_place(s, key)] != key + 1);
    if (!has_room(s)) {
        if (!grow_keys(s, b, 0)) return false;
    }
    while (!insert_at(s, find_place(s, key), key))
        if (!grow_keys(s, b, 0)) return false;
    return true;
}

/* ---- the records of one stripe ---- */

/* Open addressing, roughly in the order of the keys, so that whoever goes through them comes to the sorted table in
 * order, too. A record begins with key + 1. */
struct records { uint8_t *at; uint32_t mask, count, shift; };

static uint32_t record_home(const struct records *r, state_key key) { return (uint32_t)(key >> r->shift) & r->mask; }

struct stripe {
    struct spin lock;
    struct keys keys;
    struct records active, aside;
    uint32_t rest;   /* the record aside that is next */
} __attribute__((aligned(64)));

struct known {
    struct known_plan plan;
    uint32_t words, stride; /* of a record: 32-bit words of its set, bytes */
    struct stripe *stripes;
    uint64_t *bits, blocks;  /* of the field, if there is one */
};

static uint8_t *record_at(const struct known *k, const struct records *r, uint32_t i)
{
    return r->at + (size_t)i * k->stride;
}

static uint32_t get32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static void put32(uint8_t *p, uint32_t v) { memcpy(p, &v, sizeof v); }

static uint8_t *flags_of(const struct known *k, uint8_t *record) { return record + 8 + 4 * (k->words - 1); }

static uint8_t *code_of(const struct known *k, uint8_t *record) { return record + 8 + 4 * k->words; }

static unsigned get_flags(const struct known *k, uint8_t *record) { return get32(flags_of(k, record)) >> FLAGS_AT; }

static void add_flags(const struct known *k, uint8_t *record, unsigned flags)
{
    uint8_t *p = flags_of(k, record);
    put32(p, get32(p) | (uint32_t)flags << FLAGS_AT);
}

static struct mask get_mask(const struct known *k, uint8_t *record)
{
    struct mask m = {{0}};
    for (uint32_t i = 0; i < MIN(k->words, 8u); i++) {
        uint64_t part = get32(record + 8 + 4 * i);
        if (i + 1 == k->words) part &= (1u << FLAGS_AT) - 1;
        m.word[i / 2] |= part << 32 * (i % 2);
    }
    return m;
}

/* Everybody, also those that are not there. */
static void put_all(const struct known *k, uint8_t *record)
{
    for (uint32_t i = 0; i < k->words; i++)
        put32(record + 8 + 4 * i, get32(record + 8 + 4 * i) | (i + 1 == k->words ? (1u << FLAGS_AT) - 1 : UINT32_MAX));
}

static bool has_all(const struct known *k, uint8_t *record)
{
    for (uint32_t i = 0; i < k->words; i++)
        if ((get32(record + 8 + 4 * i) | (i + 1 == k->words ? ~0u << FLAGS_AT : 0)) != UINT32_MAX) return false;
    return true;
}

static bool put_process(uint8_t *record, int pid)
{
    uint8_t *p = record + 8 + 4 * (pid / 32);
    uint32_t before = get32(p), bit = 1u << pid % 32;
    put32(p, before | bit);
    return !(before & bit);
}

/* The record of the key, or the empty one where it belongs. */
static uint8_t *find_record(const struct known *k, const struct records *r, state_key key)
{
    for (uint32_t i = record_home(r, key);; i = (i + 1) & r->mask) {
        uint8_t *record = record_at(k, r, i);
        uint64_t word = load64(record);
        if (!word || word == key + 1) return record;
    }
}

static size_t records_bytes(const struct known *k, const struct records *r)
{
    return r->at ? ((size_t)r->mask + 1) * k->stride : 0;
}

static bool grow_records(struct known *k, struct records *r)
{
    uint32_t cap = r->at ? 2 * (r->mask + 1) : FIRST_RECORDS;
    struct records bigger = {.mask = cap - 1, .count = r->count, .shift = STRIPE_BITS - (uint32_t)__builtin_ctz(cap)};
    size_t bytes = (size_t)cap * k->stride;
    if (!cap || !budget_take(k->plan.budget, bytes)) return false;
    bigger.at = calloc(1, bytes);
    if (!bigger.at) {
        budget_give_up(k->plan.budget, bytes);
        return false;
    }
    for (uint32_t i = 0; r->at && i <= r->mask; i++) {
        const uint8_t *record = record_at(k, r, i);
        if (load64(record)) memcpy(find_record(k, &bigger, load64(record) - 1), record, k->stride);
    }
    budget_give(k->plan.budget, records_bytes(k, r));
    free(r->at);
    *r = bigger;
    return true;
}

static void drop_records(struct known *k, struct records *r)
{
    budget_give(k->plan.budget, records_bytes(k, r));
    free(r->at);
    *r = (struct records){0};
}

/* Processes that the state does not have are done with from the start. */
static void put_absent(const struct known *k, uint8_t *record, int processes)
{
    for (uint32_t i = 0; i < k->words; i++) {
        int there = MIN(MAX(processes - (int)(32 * i), 0), 32);
        uint32_t absent = there == 32 ? 0 : UINT32_MAX << there;
        put32(record + 8 + 4 * i, i + 1 == k->words ? absent & ((1u << FLAGS_AT) - 1) : absent);
    }
}

static uint8_t *add_record(struct known *k, struct records *r, state_key key, struct arrival_of who)
{
    if (!r->at || 5 * (r->count + 1) > 4 * (r->mask + 1)) {
        if (!grow_records(k, r)) return NULL;
    }
    uint8_t *record = find_record(k, r, key);
    assert_costly(who.pid >= 0 && who.pid < who.processes && who.processes <= known_processes(k));
    assert(!load64(record));
    store64(record, key + 1);
    put_absent(k, record, who.processes);
    put_process(record, who.pid);
    if (k->plan.code_words) memcpy(code_of(k, record), who.code, k->plan.code_words * sizeof *who.code);
    if (k->plan.log) store64(record + k->stride - 8, who.log);
    r->count++;
    assert_costly(r->count <= r->mask); /* or a lookup would not end */
    return record;
}

/* ---- the field of bits ---- */

static uint64_t *block_of(const struct known *k, state_key key)
{
    return k->bits + (uint64_t)((unsigned __int128)key * k->blocks >> KEY_BITS) * (BLOCK / 64);
}

/* Of 62 mixed bits the last ones say least about the block. */
static unsigned bit_of(state_key key, int i)
{
    return (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - 9 * (i + 1))) % BLOCK;
}

static bool has_bits(const struct known *k, state_key key)
{
    const uint64_t *block = block_of(k, key);
    for (int i = 0; i < BITS_PER_STATE; i++)
        if (!(block[bit_of(key, i) / 64] >> bit_of(key, i) % 64 & 1)) return false;
    return true;
}

/* Parts that are done side by side meet in a block. */
static void set_bits(const struct known *k, state_key key)
{
    uint64_t *block = block_of(k, key);
    for (int i = 0; i < BITS_PER_STATE; i++)
        __atomic_or_fetch(&block[bit_of(key, i) / 64], UINT64_C(1) << bit_of(key, i) % 64, __ATOMIC_RELAXED);
    assert_costly(has_bits(k, key));
}

static void blur(struct known *k, struct stripe *s)
{
    for (uint32_t i = 0; i < s->keys.room; i++) {
        if (s->keys.at[i]) set_bits(k, s->keys.at[i] - 1);
        s->keys.at[i] = 0;
    }
    s->keys.count = 0;
}

void known_blur(struct known *k, uint32_t part)
{
    if (k->bits && k->stripes[part].keys.count >= MANY) blur(k, &k->stripes[part]);
}

double known_omission(const struct known *k)
{
    double sum = 0;
    for (uint64_t i = 0; i < k->blocks; i++) {
        int set = 0;
        for (int w = 0; w < BLOCK / 64; w++) set += __builtin_popcountll(k->bits[i * (BLOCK / 64) + (uint64_t)w]);
        double share = set / (double)BLOCK;
        sum += share * share * share;
    }
    return k->blocks ? sum / (double)k->blocks : 0;
}

/* ---- all of them ---- */

static const uint32_t widths[] = {1, 2, 9}; /* words of a record: sets of 27, 59 and all processes */

/* NULL: the budget is too small. */
struct known *known_new(struct known_plan plan)
{
    size_t bytes = STRIPES * sizeof(struct stripe);
    if (!budget_take(plan.budget, bytes)) return NULL;
    struct known *k = xcalloc(1, sizeof *k);
    k->stripes = aligned_alloc(64, bytes);
    if (!k->stripes) die("out of memory");
    memset(k->stripes, 0, bytes);
    k->plan = plan;
    for (size_t i = 0; i < ARRAY_LEN(widths) && !k->words; i++)
        if (plan.processes <= (int)(32 * widths[i]) - RECORD_FLAG_BITS) k->words = widths[i];
    assert(k->words);
    k->stride = 8 + 4 * k->words + 8 * plan.code_words + (plan.log ? 8 : 0);
    k->blocks = plan.bits / (BLOCK / 8);
    if (plan.bits && !(k->bits = k->blocks ? pages_take(plan.budget, k->blocks * (BLOCK / 8)) : NULL)) {
        known_free(k);
        return NULL;
    }
    return k;
}

int known_processes(const struct known *k) { return (int)(32 * k->words) - RECORD_FLAG_BITS; }

static void free_stripe(struct known *k, struct stripe *s)
{
    field_release(&s->keys.field, k->plan.budget);
    drop_records(k, &s->active);
    drop_records(k, &s->aside);
}

void known_free(struct known *k)
{
    if (!k) return;
    for (int i = 0; i < STRIPES; i++) free_stripe(k, &k->stripes[i]);
    pages_give(k->plan.budget, k->bits, k->blocks * (BLOCK / 8));
    budget_give(k->plan.budget, STRIPES * sizeof *k->stripes);
    free(k->stripes);
    free(k);
}

static void lock(const struct known *k, struct stripe *s)
{
    if (!k->plan.alone) spin_lock(&s->lock);
}

static void unlock(const struct known *k, struct stripe *s)
{
    if (!k->plan.alone) spin_unlock(&s->lock);
}

static struct stripe *stripe_of(const struct known *k, state_key key)
{
    assert_costly(key >> KEY_BITS == 0);
    return &k->stripes[key >> STRIPE_BITS];
}

__attribute__((no_sanitize("thread"))) /* a guess without the lock; what is fetched in vain does no harm */
void known_prefetch(const struct known *k, state_key key)
{
    const struct stripe *s = stripe_of(k, key);
    __builtin_prefetch(&s->keys.at[home_of(&s->keys, key)]);
    if (k->bits) __builtin_prefetch(block_of(k, key));
    if (s->active.at) __builtin_prefetch(record_at(k, &s->active, record_home(&s->active, key)));
}

static enum arrived arrive_anew(struct known *k, struct stripe *s, state_key key, struct arrival_of who)
{
    struct keys *keys = &s->keys;
    uint32_t i = keys->at ? find_place(keys, key) : 0;
    if (i < keys->room && keys->at[i] == key + 1) return ARRIVED_KNOWN;
    if (k->bits && has_bits(k, key)) return ARRIVED_KNOWN;
    if (who.pid == MODEL_NOBODY && i < keys->room && !keys->at[i] && has_room(keys)) {
        keys->at[i] = key + 1;
        keys->count++;
        return ARRIVED_WHOLE;
    }
    if (who.pid == MODEL_NOBODY) return add_key(keys, key, k->plan.budget) ? ARRIVED_WHOLE : ARRIVED_FULL;
    return add_record(k, &s->active, key, who) ? ARRIVED_NEW : ARRIVED_FULL;
}

static bool set_free(struct known *k, uint8_t *record, bool odd)
{
    if (get_flags(k, record) & (RECORD_FREE | RECORD_FREE_ODD)) return false;
    add_flags(k, record, odd ? RECORD_FREE_ODD : RECORD_FREE);
    return true;
}

/* In a state with a record: is that somebody new? */
static bool arrive_also(struct known *k, uint8_t *record, struct arrival_of who)
{
    if (who.pid == MODEL_NOBODY) return !has_all(k, record) && set_free(k, record, who.odd);
    bool free_before = get_flags(k, record) & (who.odd ? RECORD_FREE : RECORD_FREE_ODD);
    return !free_before && put_process(record, who.pid);
}

enum arrived known_arrive(struct known *k, state_key key, struct arrival_of who)
{
    struct stripe *s = stripe_of(k, key);
    lock(k, s);
    uint8_t *record = s->active.at ? find_record(k, &s->active, key) : NULL;
    enum arrived answer;
    if (record && load64(record)) answer = arrive_also(k, record, who) ? ARRIVED_ALSO : ARRIVED_KNOWN;
    else answer = arrive_anew(k, s, key, who);
    unlock(k, s);
    return answer;
}

/* The record of a state that has one, with its stripe locked. */
static uint8_t *lock_record(struct known *k, state_key key, struct stripe **s)
{
    *s = stripe_of(k, key);
    lock(k, *s);
    uint8_t *record = find_record(k, &(*s)->active, key);
    assert(load64(record) == key + 1);
    return record;
}

struct mask known_claim(struct known *k, state_key key)
{
    struct stripe *s;
    uint8_t *record = lock_record(k, key, &s);
    struct mask m = get_mask(k, record);
    put_all(k, record);
    unlock(k, s);
    return mask_rest(&m, known_processes(k));
}

bool known_mark(struct known *k, state_key key, enum record_flag flag)
{
    struct stripe *s;
    uint8_t *record = lock_record(k, key, &s);
    bool news = !(get_flags(k, record) & flag);
    add_flags(k, record, flag);
    unlock(k, s);
    return news;
}

bool known_set_free(struct known *k, state_key key, bool odd)
{
    struct stripe *s;
    bool news = set_free(k, lock_record(k, key, &s), odd);
    unlock(k, s);
    return news;
}

unsigned known_flags(struct known *k, state_key key)
{
    struct stripe *s;
    unsigned flags = get_flags(k, lock_record(k, key, &s));
    unlock(k, s);
    return flags;
}

/* ---- between two levels ---- */

uint32_t known_parts(void) { return STRIPES; }

/* Of states that have a record. They come in order: a table that grew in between would be crowded where they were put
 * already. */
static bool add_keys(struct known *k, struct stripe *s)
{
    uint32_t more = s->active.count;
    if (more && !has_room_for(&s->keys, more) && !grow_keys(&s->keys, k->plan.budget, room_with(&s->keys, more)))
        return false;
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint64_t word = load64(record_at(k, &s->active, i));
        if (word && !add_key(&s->keys, word - 1, k->plan.budget)) return false;
    }
    assert_costly(!s->keys.at || keys_in_order(&s->keys));
    return true;
}

static void add_bits(struct known *k, struct stripe *s)
{
    blur(k, s);
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint64_t word = load64(record_at(k, &s->active, i));
        if (word) set_bits(k, word - 1);
    }
}

uint64_t known_settle(struct known *k, uint32_t part)
{
    struct stripe *s = &k->stripes[part];
    uint64_t left = 0;
    assert(!s->aside.at);
    if (k->bits && s->keys.count + s->active.count >= MANY) add_bits(k, s);
    else if (!add_keys(k, s)) return UINT64_MAX;
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint8_t *record = record_at(k, &s->active, i);
        left += load64(record) && !has_all(k, record);
    }
    s->aside = s->active;
    s->active = (struct records){0};
    return left;
}

void known_each_rest(struct known *k, uint32_t part, bool (*fn)(void *ctx, const struct known_rest *r), void *ctx)
{
    struct stripe *s = &k->stripes[part];
    while (s->aside.at && s->rest <= s->aside.mask) {
        uint8_t *record = record_at(k, &s->aside, s->rest++);
        if (!load64(record) || has_all(k, record)) continue;
        struct known_rest rest = {.key = load64(record) - 1,
                                  .code = code_of(k, record),
                                  .done = get_mask(k, record),
                                  .flags = get_flags(k, record),
                                  .log = k->plan.log ? load64(record + k->stride - 8) : 0};
        if (!fn(ctx, &rest)) return;
    }
    drop_records(k, &s->aside);
    s->rest = 0;
}

/* ---- saved and loaded ---- */

static void save_records(const struct known *k, const struct records *r, struct archive *a)
{
    archive_put_word(a, r->at ? (uint64_t)r->mask + 1 : 0);
    archive_put_word(a, r->count);
    archive_put(a, r->at, records_bytes(k, r));
}

static bool load_records(struct known *k, struct records *r, struct archive *a)
{
    uint64_t room = archive_get_below(a, UINT64_C(1) << 31), count = archive_get_word(a);
    if (!room) return !count;
    if (room & (room - 1) || room < FIRST_RECORDS || count >= room) return false;
    size_t bytes = room * k->stride;
    if (!budget_take(k->plan.budget, bytes)) return false;
    *r = (struct records){.at = xcalloc(1, bytes), .mask = (uint32_t)room - 1, .count = (uint32_t)count,
                          .shift = STRIPE_BITS - (uint32_t)__builtin_ctzll(room)};
    archive_get(a, r->at, bytes);
    uint64_t found = 0;
    for (uint32_t i = 0; i <= r->mask; i++) found += load64(record_at(k, r, i)) != 0;
    return found == count;
}

static bool load_keys(struct known *k, struct keys *s, struct archive *a)
{
    uint64_t spread = archive_get_below(a, UINT32_MAX), count = archive_get_word(a);
    if (!spread) return !count;
    s->room = room_for((uint32_t)spread);
    s->spread = (uint32_t)spread;
    s->count = (uint32_t)count;
    if (!field_grow(&s->field, k->plan.budget, s->room * sizeof *s->at)) return false;
    s->at = (uint64_t *)(void *)s->field.at;
    archive_get(a, s->at, s->room * sizeof *s->at);
    return !archive_is_bad(a) && keys_in_order(s);
}

void known_save(const struct known *k, struct archive *a)
{
    archive_put_word(a, k->stride);
    archive_put_word(a, k->blocks);
    archive_put(a, k->bits, k->blocks * (BLOCK / 8));
    for (int i = 0; i < STRIPES; i++) {
        const struct stripe *s = &k->stripes[i];
        archive_put_word(a, s->keys.spread);
        archive_put_word(a, s->keys.count);
        archive_put(a, s->keys.at, s->keys.room * sizeof *s->keys.at);
        save_records(k, &s->active, a);
        save_records(k, &s->aside, a);
        archive_put_word(a, s->rest);
    }
}

bool known_load(struct known *k, struct archive *a)
{
    if (archive_get_word(a) != k->stride || archive_get_word(a) != k->blocks) return false;
    archive_get(a, k->bits, k->blocks * (BLOCK / 8));
    for (int i = 0; i < STRIPES; i++) {
        struct stripe *s = &k->stripes[i];
        if (!load_keys(k, &s->keys, a)) return false;
        if (!load_records(k, &s->active, a) || !load_records(k, &s->aside, a)) return false;
        s->rest = (uint32_t)archive_get_word(a);
    }
    return !archive_is_bad(a);
}
