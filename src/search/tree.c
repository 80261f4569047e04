#include "search/tree_int.h"

#include "search/pages_int.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CHUNK_LOG = 18,
    CHUNK = 1 << CHUNK_LOG,
    CHUNKS = 1 << (NUMBER_BITS - CHUNK_LOG),
    BLOCK = 64,           /* numbers that a stripe takes at a time */
    STRIPES_LOG = 6,
    STRIPES = 1 << STRIPES_LOG,
    FIRST_SLOTS = 512,
    MET_LOG = 13,
    SMALL_FORMS = 4096,   /* bytes: forms of smaller states are found at once */
};

/* Values whose hashes begin alike: a lock for so many of them that two threads rarely meet. */
struct stripe {
    struct spin lock;
    uint32_t *slots;      /* numbers, by the hash of their value; 0: empty */
    uint32_t mask, count;
    uint32_t next, end;   /* numbers that are taken but not used yet */
} __attribute__((aligned(64)));

struct tree {
    struct budget *budget;
    uint64_t *chunks[CHUNKS]; /* values by number; chunks never move */
    uint32_t taken;           /* numbers given to stripes; 0 is the value 0 */
    pthread_mutex_t growing;
    struct stripe stripes[STRIPES];
    struct tree_form *small[SMALL_FORMS];
    struct tree_form *forms[MOST_FORMS];
    uint32_t form_count;
};

/* ---- keys: a one-to-one map of 62 bits ---- */

#define KEY_MASK ((UINT64_C(1) << KEY_BITS) - 1)
static const uint64_t factor[] = {UINT64_C(0x2545f4914f6cdd1d), UINT64_C(0x2d5d5d6c5a3c1335)};
static const uint64_t inverse[] = {UINT64_C(0x59071d96d81ecd35), UINT64_C(0xd0c5e62cf109e71d)}; /* modulo 2^64, and so modulo 2^62 */

static state_key mix(uint64_t top)
{
    for (int i = 0; i < 2; i++) top = (top ^ top >> 31) * factor[i] & KEY_MASK;
    return top ^ top >> 31;
}

static uint64_t unmix(state_key key)
{
    key ^= key >> 31; /* of 62 bits, this undoes itself */
    for (int i = 1; i >= 0; i--) {
        key = key * inverse[i] & KEY_MASK;
        key ^= key >> 31;
    }
    return key;
}

static state_key key_of(uint32_t left, uint32_t right) { return mix((uint64_t)right << NUMBER_BITS | left); }

/* ---- numbers of values ---- */

static uint64_t value_at(const struct tree *t, uint32_t number)
{
    return t->chunks[number >> CHUNK_LOG][number & (CHUNK - 1)];
}

static uint64_t hash_of(uint64_t value)
{
    value = (value ^ value >> 32) * UINT64_C(0x9fb21c651e98df25);
    return value ^ value >> 29;
}

/* Takes a block of numbers out of the budget, with a chunk for them if it is the first in it. */
static bool take_block(struct tree *t, struct stripe *s)
{
    if (!budget_take(t->budget, BLOCK * sizeof(uint64_t))) return false;
    pthread_mutex_lock(&t->growing);
    bool got = t->taken <= (UINT32_MAX >> 1) - BLOCK;
    uint32_t chunk = t->taken >> CHUNK_LOG;
    if (got && !t->chunks[chunk]) {
        uint64_t *pages = pages_alloc(CHUNK * sizeof(uint64_t), chunk > 0);
        __atomic_store_n(&t->chunks[chunk], pages, __ATOMIC_RELEASE);
        got = pages;
    }
    if (got) {
        s->next = t->taken;
        s->end = t->taken += BLOCK;
    }
    pthread_mutex_unlock(&t->growing);
    if (!got) budget_give_up(t->budget, BLOCK * sizeof(uint64_t));
    return got;
}

static bool grow_slots(struct tree *t, struct stripe *s)
{
    uint32_t cap = s->slots ? 2 * (s->mask + 1) : FIRST_SLOTS, *old = s->slots;
    uint32_t *slots = budget_take(t->budget, cap * sizeof *slots) ? calloc(cap, sizeof *slots) : NULL;
    if (!slots) return false;
    for (uint32_t i = 0; old && i <= s->mask; i++) {
        if (!old[i]) continue;
        uint64_t at = hash_of(value_at(t, old[i])) & (cap - 1);
        while (slots[at]) at = (at + 1) & (cap - 1);
        slots[at] = old[i];
    }
    if (old) budget_give(t->budget, (s->mask + 1) * sizeof *old);
    free(old);
    s->slots = slots;
    s->mask = cap - 1;
    return true;
}

/* 0: there is no memory left. */
static uint32_t add_value(struct tree *t, struct stripe *s, uint64_t value, uint64_t hash)
{
    if (!s->slots || 4 * (s->count + 1) > 3 * (s->mask + 1)) {
        if (!grow_slots(t, s)) return 0;
    }
    if (s->next == s->end && !take_block(t, s)) return 0;
    uint64_t at = hash & s->mask;
    while (s->slots[at]) at = (at + 1) & s->mask;
    uint32_t number = s->next++;
    t->chunks[number >> CHUNK_LOG][number & (CHUNK - 1)] = value;
    s->slots[at] = number;
    s->count++;
    return number;
}

static uint32_t number_in(struct tree *t, uint64_t value)
{
    uint64_t hash = hash_of(value);
    struct stripe *s = &t->stripes[hash >> (64 - STRIPES_LOG)];
    uint32_t number = 0;
    spin_lock(&s->lock);
    if (s->slots)
        for (uint64_t at = hash & s->mask; s->slots[at] && !number; at = (at + 1) & s->mask)
            if (value_at(t, s->slots[at]) == value) number = s->slots[at];
    if (!number) number = add_value(t, s, value, hash);
    spin_unlock(&s->lock);
    return number;
}

/* The number of a word or a pair; 0 is that of 0, and of nothing else unless there is no memory left. */
static inline uint32_t number_of(struct tree_reader *r, uint64_t value)
{
    if (!value) return 0;
    size_t at = hash_of(value) >> 8 & ((1 << MET_LOG) - 1);
    if (r->met[at].value == value) return r->met[at].number;
    uint32_t number = number_in(r->tree, value);
    if (!number) r->full = true;
    else r->met[at].value = value, r->met[at].number = number;
    return number;
}

/* ---- forms ---- */

/* Both halves of a range of words, down to one word; the shorter ways are made longer by nodes with one child. */
static void place_words(struct tree_form *f, uint32_t node, uint32_t depth, uint32_t first, uint32_t count)
{
    if (depth == f->height) {
        assert(count == 1);
        f->place[first] = node;
        return;
    }
    uint32_t left = (count + 1) / 2;
    f->has_two[node] = count > 1;
    place_words(f, 2 * node, depth + 1, first, left);
    if (count > 1) place_words(f, 2 * node + 1, depth + 1, first + left, count - left);
}

static struct tree_form *form_new(uint32_t size)
{
    struct tree_form *f = xcalloc(1, sizeof *f);
    uint32_t words = f->words = (size + 7) / 8;
    f->size = size;
    f->height = 1; /* the top always has a left child */
    while (1u << f->height < words) f->height++;
    f->place = xcalloc(words, sizeof *f->place);
    f->has_two = xcalloc((size_t)1 << f->height, 1);
    place_words(f, 1, 0, 0, words);
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

/* ---- the table ---- */

struct tree *tree_new(struct budget *budget)
{
    struct tree *t = xcalloc(1, sizeof *t);
    t->budget = budget;
    pthread_mutex_init(&t->growing, NULL);
    if (!take_block(t, &t->stripes[0])) {
        tree_free(t);
        return NULL;
    }
    t->stripes[0].next++; /* past the number 0, whose value is 0 */
    return t;
}

void tree_free(struct tree *t)
{
    if (!t) return;
    for (int i = 0; i < STRIPES; i++) {
        if (t->stripes[i].slots) budget_give(t->budget, (t->stripes[i].mask + 1) * sizeof *t->stripes[i].slots);
        free(t->stripes[i].slots);
    }
    for (int i = 0; i < CHUNKS && t->chunks[i]; i++) munmap(t->chunks[i], CHUNK * sizeof(uint64_t));
    budget_give(t->budget, t->taken * sizeof(uint64_t));
    for (uint32_t i = 0; i < t->form_count; i++) {
        free(t->forms[i]->place);
        free(t->forms[i]->has_two);
        free(t->forms[i]);
    }
    pthread_mutex_destroy(&t->growing);
    free(t);
}

uint64_t tree_numbers(const struct tree *t)
{
    uint64_t n = 0;
    for (int i = 0; i < STRIPES; i++) n += t->stripes[i].count;
    return n;
}

/* ---- one thread's state ---- */

void tree_reader_init(struct tree_reader *r, struct tree *t)
{
    *r = (struct tree_reader){.tree = t};
    r->met = xcalloc((size_t)1 << MET_LOG, sizeof *r->met);
}

void tree_reader_release(struct tree_reader *r)
{
    free(r->met);
    free(r->numbers);
    free(r->words);
    free(r->changes);
    *r = (struct tree_reader){0};
}

static void make_room(struct tree_reader *r, const struct tree_form *f)
{
    size_t nodes = (size_t)2 << f->height;
    if (nodes <= r->room) return;
    r->numbers = xrealloc(r->numbers, nodes * sizeof *r->numbers);
    r->words = xrealloc(r->words, nodes * sizeof *r->words);
    r->changes = xrealloc(r->changes, nodes * sizeof *r->changes);
    r->room = nodes;
}

/* Nothing of the state is known: no number is that of a part of it. */
static void begin(struct tree_reader *r, const struct tree_form *f)
{
    make_room(r, f);
    r->form = f;
    memset(r->numbers, 0xff, ((size_t)2 << f->height) * sizeof *r->numbers);
}

static void read_node(struct tree_reader *r, uint32_t node, uint32_t number, uint32_t first, uint32_t count,
                      uint32_t depth)
{
    const struct tree_form *f = r->form;
    if (r->numbers[node] == number) return; /* as in the state before */
    r->numbers[node] = number;
    uint64_t value;
    for (; depth < f->height && count == 1; depth++) r->numbers[node *= 2] = number;
    value = value_at(r->tree, number);
    if (depth == f->height) {
        r->words[first] = value;
        return;
    }
    uint32_t left = (count + 1) / 2;
    read_node(r, 2 * node, (uint32_t)value, first, left, depth + 1);
    read_node(r, 2 * node + 1, (uint32_t)(value >> 32), first + left, count - left, depth + 1);
}

const uint8_t *tree_read(struct tree_reader *r, const struct tree_form *f, state_key key)
{
    if (r->form != f) begin(r, f);
    uint64_t top = unmix(key);
    uint32_t left = (f->words + 1) / 2;
    read_node(r, 2, (uint32_t)(top & ((1u << NUMBER_BITS) - 1)), 0, left, 1);
    if (f->words > 1) read_node(r, 3, (uint32_t)(top >> NUMBER_BITS), left, f->words - left, 1);
    return (const uint8_t *)r->words;
}

static inline uint64_t word_at(const uint8_t *state, uint32_t size, uint32_t i)
{
    if (8 * i + 8 <= size) return load64(state + 8 * i);
    uint64_t last = 0;
    memcpy(&last, state + 8 * i, size - 8 * i);
    return last;
}

/* The words that are not as in the reader's state, with their numbers. */
static uint32_t find_changes(struct tree_reader *r, const struct tree_form *f, const uint8_t *state, uint32_t size)
{
    uint32_t n = 0;
    bool same_form = r->form == f;
    for (uint32_t i = 0; i < f->words; i++) {
        uint64_t word = word_at(state, size, i);
        if (same_form && word == r->words[i]) continue;
        r->changes[n++] = (struct tree_change){f->place[i], number_of(r, word)};
    }
    return n;
}

/* From the numbers of children to those of their parents. Both lists are in the order of the nodes. */
static uint32_t climb(struct tree_reader *r, const struct tree_form *f, uint32_t n)
{
    uint32_t out = 0;
    struct tree_change *c = r->changes;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t node = c[i].node, parent = node / 2, number = c[i].number;
        if (f->has_two[parent]) {
            bool both = i + 1 < n && c[i + 1].node == (node ^ 1);
            uint32_t other = both ? c[++i].number : r->numbers[node ^ 1];
            uint64_t value = node & 1 ? (uint64_t)number << 32 | other : (uint64_t)other << 32 | number;
            number = number_of(r, value);
        }
        c[out++] = (struct tree_change){parent, number};
    }
    return out;
}

state_key tree_key(struct tree_reader *r, const uint8_t *state, uint32_t size, const struct tree_form **form)
{
    const struct tree_form *f = r->form && r->form->size == size ? r->form : tree_form_of(r->tree, size);
    assert(size > 0);
    *form = f;
    if (!f) return NO_KEY;
    make_room(r, f);
    uint32_t n = find_changes(r, f, state, size);
    for (uint32_t depth = f->height; depth > 1; depth--) n = climb(r, f, n);
    bool known = r->form == f;
    uint32_t left = known ? r->numbers[2] : 0, right = known && f->words > 1 ? r->numbers[3] : 0;
    for (uint32_t i = 0; i < n; i++)
        if (r->changes[i].node == 2) left = r->changes[i].number;
        else right = r->changes[i].number;
    return r->full ? NO_KEY : key_of(left, right);
}
