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
    SMALL_FORMS = 4096,  /* bytes: forms of smaller states are found at once */
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
    struct tree_form *small[SMALL_FORMS];
    struct tree_form *forms[MOST_FORMS];
    uint32_t form_count;
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

/* ---- forms ---- */

static struct tree_form *form_new(uint32_t size)
{
    struct tree_form *f = xcalloc(1, sizeof *f);
    uint32_t words = (size + 7) / 8;
    f->size = size;
    f->blocks = 2;
    while (f->blocks * BLOCK_WORDS < words) f->blocks *= 2;
    f->block_words = MAX((words + f->blocks - 1) / f->blocks, 1u);
    return f;
}

static struct tree_form *find_form(struct tree *t, uint32_t size)
{
    for (uint32_t i = 0; i < t->form_count; i++)
        if (t->forms[i]->size == size) return t->forms[i];
    if (t->form_count == MOST_FORMS) return NULL;
    struct tree_form *f = form_new(size);
    f->number = (uint16_t)t->form_count;
    __atomic_store_n(&t->forms[t->form_count], f, __ATOMIC_RELEASE);
    t->form_count++;
    return f;
}

const struct tree_form *tree_form_of(struct tree *t, uint32_t size)
{
    struct tree_form *f = size < SMALL_FORMS ? __atomic_load_n(&t->small[size], __ATOMIC_ACQUIRE) : NULL;
    if (f) return f;
    pthread_mutex_lock(&t->growing);
    f = find_form(t, size);
    if (size < SMALL_FORMS) __atomic_store_n(&t->small[size], f, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&t->growing);
    return f;
}

const struct tree_form *tree_form_at(const struct tree *t, uint16_t number)
{
    return __atomic_load_n(&t->forms[number], __ATOMIC_ACQUIRE);
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

struct tree *tree_new(struct budget *budget)
{
    struct tree *t = xcalloc(1, sizeof *t);
    t->budget = budget;
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
    for (uint32_t i = 0; i < t->form_count; i++) free(t->forms[i]);
    pthread_mutex_destroy(&t->growing);
    free(t);
}

uint64_t tree_memory(const struct tree *t) { return t->charged; }

/* ---- reading ---- */

void tree_reader_init(struct tree_reader *r, const struct tree *t) { *r = (struct tree_reader){.tree = t}; }

void tree_reader_release(struct tree_reader *r)
{
    free(r->numbers);
    free(r->words);
    *r = (struct tree_reader){0};
}

/* Nothing of the state is known: no number is that of a part of it. */
static void begin(struct tree_reader *r, const struct tree_form *f)
{
    if (f->blocks > r->room) {
        r->room = f->blocks;
        r->numbers = xrealloc(r->numbers, 2 * r->room * sizeof *r->numbers);
        r->words = xrealloc(r->words, BLOCK_WORDS * r->room * sizeof *r->words);
    }
    r->form = f;
    memset(r->numbers, 0xff, 2 * (size_t)f->blocks * sizeof *r->numbers);
}

static void read_node(struct tree_reader *r, uint32_t node, uint32_t number)
{
    const struct tree_form *f = r->form;
    if (r->numbers[node] == number) return; /* as in the state before */
    r->numbers[node] = number;
    if (node >= f->blocks) {
        const uint64_t *value = value_at(&r->tree->blocks, number);
        uint64_t *words = r->words + (size_t)(node - f->blocks) * f->block_words;
        for (uint32_t i = 0; i < f->block_words; i++) words[i] = value[i];
        return;
    }
    uint64_t value = *value_at(&r->tree->pairs, number);
    read_node(r, 2 * node, (uint32_t)value);
    read_node(r, 2 * node + 1, (uint32_t)(value >> 32));
}

static uint32_t left_of(uint64_t top) { return (uint32_t)(top & ((1u << NUMBER_BITS) - 1)); }
static uint32_t right_of(uint64_t top) { return (uint32_t)(top >> NUMBER_BITS); }

const uint8_t *tree_read(struct tree_reader *r, const struct tree_form *f, state_key key)
{
    if (r->form != f) begin(r, f);
    uint64_t top = key_unmix(key);
    read_node(r, 2, left_of(top));
    read_node(r, 3, right_of(top));
    return (const uint8_t *)r->words;
}

void tree_prefetch(const struct tree *t, const struct tree_form *form, state_key key)
{
    uint64_t top = key_unmix(key);
    const struct numbers *n = form->blocks == 2 ? &t->blocks : &t->pairs;
    __builtin_prefetch(value_at(n, left_of(top)));
    __builtin_prefetch(value_at(n, right_of(top)));
}

/* ---- keys of states ---- */

void tree_batch_init(struct tree_batch *b, struct tree *t)
{
    *b = (struct tree_batch){.tree = t, .met = xcalloc((size_t)1 << MET_LOG, sizeof *b->met)};
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

static struct tree_request *add_request(struct tree_batch *b, const struct tree_form *f)
{
    assert(b->len < TREE_BATCH);
    struct tree_request *q = &b->requests[b->len++];
    q->form = f;
    q->lookup_count = 0;
    q->key = 0;
    if (f->blocks <= q->room) return q;
    q->room = f->blocks;
    q->numbers = xrealloc(q->numbers, 2 * (size_t)q->room * sizeof *q->numbers);
    q->lookups = xrealloc(q->lookups, (size_t)q->room * sizeof *q->lookups);
    return q;
}

static void copy_numbers(struct tree_request *q, const struct tree_reader *r)
{
    for (uint32_t i = 2; i < 2 * r->form->blocks; i += 2) {
        q->numbers[i] = r->numbers[i];
        q->numbers[i + 1] = r->numbers[i + 1];
    }
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

/* Block `i` of a state, with zeros behind its end; false if it is as in the reader's state. */
static inline bool changed_block(const struct tree_reader *r, const struct tree_form *f, const uint8_t *state,
                                 uint32_t i, uint64_t value[BLOCK_WORDS])
{
    uint32_t words = f->block_words, bytes = words * 8, at = i * bytes;
    const uint8_t *from = state + at;
    value[0] = value[1] = value[2] = value[3] = 0;
    if (at + bytes <= f->size) {
        value[0] = load64(from);
        if (words > 1) value[1] = load64(from + 8);
        if (words > 2) value[2] = load64(from + 16);
        if (words > 3) value[3] = load64(from + 24);
    } else if (at < f->size) {
        memcpy(value, from, f->size - at);
    }
    if (r->form != f) return true;
    const uint64_t *mine = r->words + i * words;
    uint64_t differs = value[0] ^ mine[0];
    if (words > 1) differs |= value[1] ^ mine[1];
    if (words > 2) differs |= value[2] ^ mine[2];
    if (words > 3) differs |= value[3] ^ mine[3];
    return differs;
}

static bool is_zero(const uint64_t *v) { return !(v[0] | v[1] | v[2] | v[3]); }

bool tree_ask(struct tree_batch *b, const struct tree_reader *r, const uint8_t *state, uint32_t size)
{
    const struct tree_form *f = r->form && r->form->size == size ? r->form : tree_form_of(b->tree, size);
    assert(size > 0);
    if (!f) return false;
    struct tree_request *q = add_request(b, f);
    if (r->form == f) copy_numbers(q, r);
    for (uint32_t i = 0; i < f->blocks; i++) {
        struct tree_lookup *c = &q->lookups[q->lookup_count];
        if (!changed_block(r, f, state, i, c->value)) continue;
        c->node = f->blocks + i;
        c->number = 0;
        c->hash = is_zero(c->value) ? 0 : hash_of(c->value, BLOCK_WORDS);
        if (c->hash) prefetch_slot(&b->tree->blocks, c->hash);
        q->lookup_count++;
    }
    return true;
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
