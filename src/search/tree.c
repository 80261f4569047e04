#include "search/tree_int.h"

#include "search/pages_int.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK_BYTES_LOG = 24,
    MOST_CHUNKS = 1 << 12,
    GIVEN = 64,          /* numbers that a stripe takes at a time */
    STRIPES_LOG = 5,
    STRIPES = 1 << STRIPES_LOG,
    FIRST_SLOTS = 64,
    MET_LOG = 11,
};

/* Numbers by the hash of their value. One that has grown stays where it is until the end: others may still look there.
 */
struct slots {
    struct slots *before;
    uint32_t mask;
    uint32_t at[];       /* 0: empty */
};

/* Values whose hashes begin alike, with a lock for whoever adds one. */
struct stripe {
    struct spin lock;
    struct slots *slots;
    uint32_t count;
    uint32_t next, end;  /* numbers that are taken but not used yet */
} __attribute__((aligned(64)));

/* Distinct values of one size, numbered; 0 is the value 0. */
struct numbers {
    struct tree *tree;
    uint32_t words;      /* of a value: 1 or BLOCK_WORDS */
    uint32_t chunk_log;  /* values in a chunk */
    uint32_t taken;      /* numbers given to stripes */
    uint64_t *chunks[MOST_CHUNKS]; /* values by number; chunks never move */
    struct stripe stripes[STRIPES];
};

struct tree {
    struct budget *budget;
    size_t charged;
    pthread_mutex_t growing;
    struct numbers blocks, pairs;
    uint32_t width;       /* blocks of a code, 2 at least; its nodes are numbered as in a heap: 1 is the top, and the
                             blocks are width .. 2 * width - 1 */
    uint32_t block_words; /* of a code in one of them */
};

/* ---- numbers of values ---- */

static inline uint64_t *value_at(const struct numbers *n, uint32_t number)
{
    return n->chunks[number >> n->chunk_log] + (size_t)(number & ((1u << n->chunk_log) - 1)) * n->words;
}

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_of(const uint64_t *value, uint32_t words)
{
    if (words == 1) return fold(value[0] ^ UINT64_C(0x9fb21c651e98df25), UINT64_C(0xd6e8feb86659fd93)) | 1;
    return (fold(value[0] ^ UINT64_C(0x9fb21c651e98df25), value[1] ^ UINT64_C(0xd6e8feb86659fd93)) ^
            fold(value[2] ^ UINT64_C(0xa0761d6478bd642f), value[3] ^ UINT64_C(0xe7037ed1a0b428db))) | 1;
}

static inline bool is_value(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    if (words == 1) return a[0] == b[0];
    return !((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]));
}

static bool charge(struct tree *t, size_t bytes)
{
    if (!budget_take(t->budget, bytes)) return false;
    __atomic_add_fetch(&t->charged, bytes, __ATOMIC_RELAXED);
    return true;
}

/* With a chunk for them if they are the first in it. */
static bool take_numbers(struct numbers *n, struct stripe *s)
{
    struct tree *t = n->tree;
    if (!charge(t, GIVEN * n->words * sizeof(uint64_t))) return false;
    pthread_mutex_lock(&t->growing);
    uint32_t chunk = n->taken >> n->chunk_log;
    bool got = n->taken <= (UINT32_MAX >> 1) - GIVEN && chunk < MOST_CHUNKS;
    if (got && !n->chunks[chunk]) {
        uint64_t *pages = pages_alloc(1 << CHUNK_BYTES_LOG, chunk > 0);
        __atomic_store_n(&n->chunks[chunk], pages, __ATOMIC_RELEASE);
        got = pages;
    }
    if (got) {
        s->next = n->taken;
        s->end = n->taken += GIVEN;
    } else {
        t->budget->refused = true;
    }
    pthread_mutex_unlock(&t->growing);
    return got;
}

static void put_number(struct slots *slots, uint64_t hash, uint32_t number)
{
    uint64_t at = hash >> 1 & slots->mask;
    while (slots->at[at]) at = (at + 1) & slots->mask;
    __atomic_store_n(&slots->at[at], number, __ATOMIC_RELEASE);
}

static bool grow_slots(struct numbers *n, struct stripe *s)
{
    struct slots *old = s->slots;
    uint32_t cap = old ? 2 * (old->mask + 1) : FIRST_SLOTS;
    size_t bytes = sizeof(struct slots) + (size_t)cap * sizeof *old->at;
    struct slots *slots = charge(n->tree, bytes) ? calloc(1, bytes) : NULL;
    if (!slots) {
        n->tree->budget->refused = true;
        return false;
    }
    slots->before = old;
    slots->mask = cap - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++)
        if (old->at[i]) put_number(slots, hash_of(value_at(n, old->at[i]), n->words), old->at[i]);
    __atomic_store_n(&s->slots, slots, __ATOMIC_RELEASE);
    return true;
}

/* 0: there is no memory left. */
static uint32_t add_value(struct numbers *n, struct stripe *s, const uint64_t *value, uint64_t hash)
{
    if (!s->slots || 4 * (s->count + 1) > 3 * (s->slots->mask + 1)) {
        if (!grow_slots(n, s)) return 0;
    }
    if (s->next == s->end && !take_numbers(n, s)) return 0;
    uint32_t number = s->next++;
    memcpy(value_at(n, number), value, n->words * sizeof *value);
    put_number(s->slots, hash, number);
    s->count++;
    return number;
}

static uint32_t look_up(const struct numbers *n, const struct stripe *s, const uint64_t *value, uint64_t hash)
{
    const struct slots *slots = __atomic_load_n(&s->slots, __ATOMIC_ACQUIRE);
    if (!slots) return 0;
    for (uint64_t at = hash >> 1 & slots->mask;; at = (at + 1) & slots->mask) {
        uint32_t number = __atomic_load_n(&slots->at[at], __ATOMIC_ACQUIRE);
        if (!number || is_value(value_at(n, number), value, n->words)) return number;
    }
}

static struct stripe *stripe_of(struct numbers *n, uint64_t hash) { return &n->stripes[hash >> (64 - STRIPES_LOG)]; }

static uint32_t number_in(struct numbers *n, const uint64_t *value, uint64_t hash)
{
    struct stripe *s = stripe_of(n, hash);
    uint32_t number = look_up(n, s, value, hash);
    if (number) return number;
    spin_lock(&s->lock);
    number = look_up(n, s, value, hash);
    if (!number) number = add_value(n, s, value, hash);
    spin_unlock(&s->lock);
    return number;
}

/* ---- the tables ---- */

static bool numbers_init(struct numbers *n, struct tree *t, uint32_t words)
{
    n->tree = t;
    n->words = words;
    n->chunk_log = CHUNK_BYTES_LOG - (words == 1 ? 3 : 5);
    if (!take_numbers(n, &n->stripes[0])) return false;
    n->stripes[0].next++; /* past the number 0, whose value is 0 */
    return true;
}

_Static_assert(BLOCK_WORDS * sizeof(uint64_t) == 1 << 5, "a chunk is filled by whole blocks");

static void numbers_release(struct numbers *n)
{
    for (int i = 0; i < STRIPES; i++)
        for (struct slots *s = n->stripes[i].slots, *before; s; s = before) {
            before = s->before;
            free(s);
        }
    for (int i = 0; i < MOST_CHUNKS && n->chunks[i]; i++) munmap(n->chunks[i], 1 << CHUNK_BYTES_LOG);
}

struct tree *tree_new(struct budget *budget, uint32_t words)
{
    assert(words >= 2 && !(words & (words - 1)));
    struct tree *t = xcalloc(1, sizeof *t);
    t->budget = budget;
    t->width = MAX(words / BLOCK_WORDS, 2u);
    t->block_words = words / t->width;
    pthread_mutex_init(&t->growing, NULL);
    if (numbers_init(&t->blocks, t, BLOCK_WORDS) && numbers_init(&t->pairs, t, 1)) return t;
    tree_free(t);
    return NULL;
}

void tree_free(struct tree *t)
{
    if (!t) return;
    numbers_release(&t->blocks);
    numbers_release(&t->pairs);
    budget_give(t->budget, t->charged);
    pthread_mutex_destroy(&t->growing);
    free(t);
}

/* ---- saved and loaded ---- */

static void save_numbers(const struct numbers *n, struct archive *a)
{
    archive_put_word(a, n->taken);
    for (uint32_t from = 0; from < n->taken; from += GIVEN)
        archive_put(a, value_at(n, from), GIVEN * n->words * sizeof(uint64_t));
}

/* What stripes had taken and not used is lost to them; such numbers have the value 0. */
static bool load_numbers(struct numbers *n, struct archive *a)
{
    uint64_t taken = archive_get_word(a);
    if (taken % GIVEN || n->taken != GIVEN) return false;
    for (uint32_t from = 0; from < taken; from += GIVEN) {
        struct stripe given = {0};
        if (from && !take_numbers(n, &given)) return false;
        archive_get(a, value_at(n, from), GIVEN * n->words * sizeof(uint64_t));
        if (archive_is_bad(a)) return false;
    }
    for (int i = 0; i < STRIPES; i++) n->stripes[i].next = n->stripes[i].end = 0;
    static const uint64_t zero[BLOCK_WORDS];
    for (uint32_t number = 1; number < taken; number++) {
        const uint64_t *value = value_at(n, number);
        if (is_value(value, zero, n->words)) continue;
        uint64_t hash = hash_of(value, n->words);
        struct stripe *s = stripe_of(n, hash);
        if ((!s->slots || 4 * (s->count + 1) > 3 * (s->slots->mask + 1)) && !grow_slots(n, s)) return false;
        put_number(s->slots, hash, number);
        s->count++;
    }
    return true;
}

void tree_save(const struct tree *t, struct archive *a)
{
    save_numbers(&t->blocks, a);
    save_numbers(&t->pairs, a);
}

bool tree_load(struct tree *t, struct archive *a) { return load_numbers(&t->blocks, a) && load_numbers(&t->pairs, a); }

/* ---- reading ---- */

void tree_reader_init(struct tree_reader *r, const struct tree *t)
{
    *r = (struct tree_reader){.tree = t, .numbers = xmalloc(2 * t->width * sizeof *r->numbers),
                              .words = xcalloc(t->width * t->block_words, sizeof *r->words)};
    memset(r->numbers, 0xff, 2 * t->width * sizeof *r->numbers); /* no number is that of a part of its code */
}

void tree_reader_release(struct tree_reader *r)
{
    free(r->numbers);
    free(r->words);
    *r = (struct tree_reader){0};
}

static void read_node(struct tree_reader *r, uint32_t node, uint32_t number)
{
    const struct tree *t = r->tree;
    if (r->numbers[node] == number) return; /* as in the code before */
    r->numbers[node] = number;
    if (node >= t->width) {
        const uint64_t *value = value_at(&t->blocks, number);
        uint64_t *words = r->words + (size_t)(node - t->width) * t->block_words;
        for (uint32_t i = 0; i < t->block_words; i++) words[i] = value[i];
        return;
    }
    uint64_t value = *value_at(&t->pairs, number);
    read_node(r, 2 * node, (uint32_t)value);
    read_node(r, 2 * node + 1, (uint32_t)(value >> 32));
}

static uint32_t left_of(uint64_t top) { return (uint32_t)(top & ((1u << NUMBER_BITS) - 1)); }
static uint32_t right_of(uint64_t top) { return (uint32_t)(top >> NUMBER_BITS); }

const uint64_t *tree_read(struct tree_reader *r, state_key key)
{
    uint64_t top = key_unmix(key);
    read_node(r, 2, left_of(top));
    read_node(r, 3, right_of(top));
    r->reads = true;
    return r->words;
}

void tree_prefetch(const struct tree *t, state_key key)
{
    uint64_t top = key_unmix(key);
    const struct numbers *n = t->width == 2 ? &t->blocks : &t->pairs;
    __builtin_prefetch(value_at(n, left_of(top)));
    __builtin_prefetch(value_at(n, right_of(top)));
}

/* ---- keys of codes ---- */

void tree_batch_init(struct tree_batch *b, struct tree *t)
{
    *b = (struct tree_batch){.tree = t, .met = xcalloc((size_t)1 << MET_LOG, sizeof *b->met)};
    for (int i = 0; i < TREE_BATCH; i++) {
        b->requests[i].numbers = xmalloc(2 * (size_t)t->width * sizeof *b->requests[i].numbers);
        b->requests[i].lookups = xmalloc((size_t)t->width * sizeof *b->requests[i].lookups);
    }
}

void tree_batch_release(struct tree_batch *b)
{
    for (int i = 0; i < TREE_BATCH; i++) {
        free(b->requests[i].numbers);
        free(b->requests[i].lookups);
    }
    free(b->met);
    *b = (struct tree_batch){0};
}

static void prefetch_slot(struct numbers *n, uint64_t hash)
{
    const struct slots *slots = __atomic_load_n(&stripe_of(n, hash)->slots, __ATOMIC_ACQUIRE);
    if (slots) __builtin_prefetch(&slots->at[hash >> 1 & slots->mask]);
}

static void prefetch_value(struct numbers *n, uint64_t hash)
{
    const struct slots *slots = __atomic_load_n(&stripe_of(n, hash)->slots, __ATOMIC_ACQUIRE);
    if (!slots) return;
    uint32_t number = __atomic_load_n(&slots->at[hash >> 1 & slots->mask], __ATOMIC_ACQUIRE);
    if (number) __builtin_prefetch(value_at(n, number));
}

static bool is_zero(const uint64_t *v) { return !(v[0] | v[1] | v[2] | v[3]); }

/* Block `i` of a code; false if it is as in the reader's. */
static bool changed_block(const struct tree_reader *r, const uint64_t *code, uint32_t i, uint64_t value[BLOCK_WORDS])
{
    uint32_t words = r->tree->block_words;
    uint64_t differs = !r->reads;
    memset(value, 0, BLOCK_WORDS * sizeof *value);
    for (uint32_t k = 0; k < words; k++) {
        value[k] = code[i * words + k];
        differs |= value[k] ^ r->words[i * words + k];
    }
    return differs;
}

void tree_ask(struct tree_batch *b, const struct tree_reader *r, const uint64_t *code)
{
    assert(b->len < TREE_BATCH);
    struct tree_request *q = &b->requests[b->len++];
    uint32_t width = b->tree->width;
    q->lookup_count = 0;
    q->key = 0;
    if (r->reads) memcpy(q->numbers, r->numbers, 2 * width * sizeof *q->numbers);
    for (uint32_t i = 0; i < width; i++) {
        struct tree_lookup *c = &q->lookups[q->lookup_count];
        if (!changed_block(r, code, i, c->value)) continue;
        c->node = width + i;
        c->number = 0;
        c->hash = is_zero(c->value) ? 0 : hash_of(c->value, BLOCK_WORDS);
        if (c->hash) prefetch_slot(&b->tree->blocks, c->hash);
        q->lookup_count++;
    }
}

static size_t met_place(uint64_t hash) { return hash >> 1 & ((1 << MET_LOG) - 1); }

/* All requests have what they look for on its way; now they get it. */
static void answer_lookups(struct tree_batch *b, struct numbers *n)
{
    for (uint32_t i = 0; i < b->len; i++)
        for (uint32_t k = 0; k < b->requests[i].lookup_count; k++)
            if (b->requests[i].lookups[k].hash) prefetch_value(n, b->requests[i].lookups[k].hash);
    for (uint32_t i = 0; i < b->len; i++) {
        struct tree_request *q = &b->requests[i];
        for (uint32_t k = 0; k < q->lookup_count; k++) {
            struct tree_lookup *c = &q->lookups[k];
            if (c->hash) {
                c->number = number_in(n, c->value, c->hash);
                if (!c->number) q->key = NO_KEY;
                if (n->words == 1) b->met[met_place(c->hash)] = (struct tree_met){c->value[0], c->number};
            }
            q->numbers[c->node] = c->number;
        }
    }
}

/* The number of a pair, or where it will be looked for. */
static void expect_pair(struct tree_batch *b, struct tree_lookup *c)
{
    c->number = 0;
    c->hash = 0;
    if (!c->value[0]) return;
    uint64_t hash = hash_of(c->value, 1);
    const struct tree_met *m = &b->met[met_place(hash)];
    if (m->value == c->value[0]) {
        c->number = m->number;
    } else {
        c->hash = hash;
        prefetch_slot(&b->tree->pairs, hash);
    }
}

/* From what has changed to its parents, unless it is just below the top. */
static bool climb(struct tree_batch *b, struct tree_request *q)
{
    uint32_t out = 0, n = q->lookup_count;
    if (!n || q->lookups[0].node < 4) {
        q->lookup_count = 0;
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t parent = q->lookups[i].node / 2;
        if (out && q->lookups[out - 1].node == parent) continue;
        struct tree_lookup *c = &q->lookups[out++];
        c->node = parent;
        c->value[0] = (uint64_t)q->numbers[2 * parent + 1] << 32 | q->numbers[2 * parent];
        expect_pair(b, c);
    }
    q->lookup_count = out;
    return true;
}

void tree_answer(struct tree_batch *b)
{
    answer_lookups(b, &b->tree->blocks);
    for (bool higher = true; higher;) {
        higher = false;
        for (uint32_t i = 0; i < b->len; i++) higher |= climb(b, &b->requests[i]);
        if (higher) answer_lookups(b, &b->tree->pairs);
    }
    for (uint32_t i = 0; i < b->len; i++) {
        struct tree_request *q = &b->requests[i];
        if (q->key != NO_KEY) q->key = key_mix((uint64_t)q->numbers[3] << NUMBER_BITS | q->numbers[2]);
    }
}
