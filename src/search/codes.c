#include "search/codes_int.h"

#include "search/pages_int.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_BITS = 31,       /* of a number */
    FIRST_BLOCK_LOG = 3,
    BLOCKS = MOST_BITS - FIRST_BLOCK_LOG + 1,
    MOST_PLACES = 1 << 18,
    SEEN = 1 << 10,
    LONGEST_SEEN = 24,
    SHORT = 8,            /* bytes of a value */
    SHORT_LOG = 12,
};

/* The distinct values of one part, by number. Blocks double in size and never move. */
struct place {
    uint32_t count, width;
    uint32_t bit[MOST_BITS];         /* of the code, for each bit of the number */
    const uint8_t **block[BLOCKS];
};

/* Number and place of a value, found by its hash. */
struct entry { uint64_t hash; const uint8_t *value; uint32_t size, place, number; };

struct codebook {
    struct budget *budget;
    size_t charged;
    uint32_t words, most_bits, bits;
    bool hashed, full, closed;
    pthread_mutex_t adding;
    struct place **places;
    struct entry *entries;           /* open addressing */
    size_t entry_count, entry_room;
    struct arena values;
};

/* A value that a thread has looked up: no lock is needed for it. */
struct coder_seen {
    uint32_t place, number;
    uint8_t size, bytes[LONGEST_SEEN];
};

/* A short value of a place and its bits in a code of one word. Bits that a place is given later are zero in both. */
struct seen_word { uint64_t value, bits; uint32_t place, size; };

/* ---- the book ---- */

struct codebook *codebook_new(struct budget *budget, uint32_t words, bool hashed)
{
    struct codebook *b = xcalloc(1, sizeof *b);
    b->budget = budget;
    b->words = words + hashed;
    b->hashed = hashed;
    b->most_bits = words == 1 ? CODE_BITS_OF_ONE_WORD : 64 * words;
    b->places = xcalloc(MOST_PLACES, sizeof *b->places);
    pthread_mutex_init(&b->adding, NULL);
    return b;
}

void codebook_free(struct codebook *b)
{
    if (!b) return;
    for (uint32_t i = 0; i < MOST_PLACES && b->places[i]; i++) {
        for (int k = 0; k < BLOCKS; k++) free(b->places[i]->block[k]);
        free(b->places[i]);
    }
    free(b->places);
    free(b->entries);
    arena_release(&b->values);
    budget_give(b->budget, b->charged);
    pthread_mutex_destroy(&b->adding);
    free(b);
}

bool codebook_is_full(const struct codebook *b) { return b->full; }

static bool charge(struct codebook *b, size_t bytes)
{
    if (!budget_take(b->budget, bytes)) return false;
    b->charged += bytes;
    return true;
}

static int block_of(uint32_t number)
{
    return number < 1u << FIRST_BLOCK_LOG ? 0 : 32 - __builtin_clz(number) - FIRST_BLOCK_LOG;
}

static const uint8_t **value_at(const struct place *p, uint32_t number)
{
    int block = block_of(number);
    uint32_t from = block ? 1u << (FIRST_BLOCK_LOG + block - 1) : 0;
    return &p->block[block][number - from];
}

static bool make_room(struct codebook *b, struct place *p, uint32_t number)
{
    int block = block_of(number);
    uint32_t room = 1u << (block ? FIRST_BLOCK_LOG + block - 1 : FIRST_BLOCK_LOG);
    if (p->block[block]) return true;
    if (!charge(b, room * sizeof *p->block[block])) return false;
    __atomic_store_n(&p->block[block], xcalloc(room, sizeof *p->block[block]), __ATOMIC_RELEASE);
    return true;
}

static struct entry *entry_for(const struct codebook *b, uint64_t hash, uint32_t place, const uint8_t *value,
                               uint32_t size)
{
    for (size_t i = hash & (b->entry_room - 1);; i = (i + 1) & (b->entry_room - 1)) {
        struct entry *e = &b->entries[i];
        if (!e->value) return e;
        if (e->hash == hash && e->place == place && e->size == size && !memcmp(e->value, value, size)) return e;
    }
}

static bool grow_entries(struct codebook *b)
{
    size_t old = b->entry_room, room = old ? 2 * old : 256;
    struct entry *before = b->entries;
    if (!charge(b, (room - old) * sizeof *before)) return false;
    b->entries = xcalloc(room, sizeof *before);
    b->entry_room = room;
    for (size_t i = 0; i < old; i++) {
        if (!before[i].value) continue;
        size_t at = before[i].hash & (room - 1);
        while (b->entries[at].value) at = (at + 1) & (room - 1);
        b->entries[at] = before[i];
    }
    free(before);
    return true;
}

static struct place *place_at(struct codebook *b, uint32_t number)
{
    if (!b->places[number] && charge(b, sizeof **b->places))
        __atomic_store_n(&b->places[number], xcalloc(1, sizeof **b->places), __ATOMIC_RELEASE);
    return b->places[number];
}

/* One more bit for a place, if the new number needs it. */
static bool widen(struct codebook *b, struct place *p, uint32_t number)
{
    if (number >> p->width == 0) return true;
    assert(number == 1u << p->width);
    b->full |= b->bits == b->most_bits;
    b->budget->refused |= p->width + 1 == MOST_BITS; /* as good as out of memory: more words would not help */
    if (b->full || p->width + 1 == MOST_BITS) return false;
    p->bit[p->width] = b->bits;
    __atomic_store_n(&p->width, p->width + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&b->bits, b->bits + 1, __ATOMIC_RELEASE);
    return true;
}

static bool add_value(struct codebook *b, uint32_t place, struct entry e, const uint8_t *value)
{
    struct place *p = place_at(b, place);
    if (!p || !make_room(b, p, p->count) || !widen(b, p, p->count)) return false;
    if (!charge(b, e.size)) return false;
    if (4 * (b->entry_count + 1) > 3 * b->entry_room && !grow_entries(b)) return false;
    uint8_t *copy = arena_alloc(&b->values, e.size);
    memcpy(copy, value, e.size);
    e.value = copy;
    e.number = p->count;
    __atomic_store_n(value_at(p, e.number), copy, __ATOMIC_RELEASE);
    p->count++;
    *entry_for(b, e.hash, place, value, e.size) = e;
    b->entry_count++;
    return true;
}

/* The number of a value, UINT32_MAX: no memory, or no bits. */
static uint32_t number_of(struct codebook *b, uint32_t place, const uint8_t *value, uint32_t size)
{
    uint64_t hash = hash_bytes(value, size, place);
    uint32_t number = UINT32_MAX;
    pthread_mutex_lock(&b->adding);
    if (b->entry_room || grow_entries(b)) {
        struct entry *e = entry_for(b, hash, place, value, size);
        if (e->value) number = e->number;
        else if (!b->closed && add_value(b, place, (struct entry){.hash = hash, .size = size, .place = place}, value))
            number = b->places[place]->count - 1;
    }
    pthread_mutex_unlock(&b->adding);
    return number;
}

/* ---- a book that several processes have ---- */

void codebook_close(struct codebook *b) { b->closed = true; }

/* A note: three numbers, the value, and of a first part what the model says to explain it. */
struct note { uint32_t place, size, explained; const uint8_t *value; };

static size_t note_read(const uint8_t *at, size_t left, struct note *n)
{
    uint32_t numbers[3];
    if (left < sizeof numbers) return 0;
    memcpy(numbers, at, sizeof numbers);
    *n = (struct note){numbers[0], numbers[1], numbers[2], at + sizeof numbers};
    size_t bytes = sizeof numbers + (size_t)n->size + n->explained;
    return n->place < MOST_PLACES && bytes <= left ? bytes : 0;
}

static int note_order(const void *a, const void *b)
{
    const struct note *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return memcmp(x->value, y->value, x->size);
}

bool codebook_add(struct codebook *b, struct model *m, const uint8_t *notes, size_t bytes)
{
    VEC(struct note) all = {0};
    bool good = true;
    for (size_t at = 0, length; at < bytes && good; at += length) {
        struct note n;
        good = (length = note_read(notes + at, bytes - at, &n));
        if (good) vec_push(&all, n);
    }
    if (all.len) qsort(all.at, all.len, sizeof *all.at, note_order);
    b->closed = false;
    for (size_t i = 0; i < all.len && good; i++) {
        const struct note *n = &all.at[i];
        if (n->explained) good = m->ops->understand(m, n->value + n->size, n->explained);
        good = good && number_of(b, n->place, n->value, n->size) != UINT32_MAX;
    }
    b->closed = true;
    vec_release(&all);
    return good;
}

static void put_bytes(value_notes *to, const void *bytes, size_t count)
{
    vec_reserve(to, to->len + count);
    memcpy(to->at + to->len, bytes, count);
    to->len += count;
}

/* What was noted twice does no harm. */
static void note_wanted(struct coder *c, uint32_t place, const uint8_t *value, uint32_t size)
{
    uint64_t hash = hash_bytes(value, size, place), *noted = &c->noted[hash & (SEEN - 1)];
    c->missed = true;
    if (*noted == hash) return;
    *noted = hash;
    bool explains = !place && c->m->ops->explain;
    uint32_t numbers[3] = {place, size, explains ? (uint32_t)c->m->ops->explain(c->m, value, NULL, 0) : 0};
    put_bytes(&c->wanted, numbers, sizeof numbers);
    put_bytes(&c->wanted, value, size);
    vec_reserve(&c->wanted, c->wanted.len + numbers[2]);
    if (explains) c->m->ops->explain(c->m, value, c->wanted.at + c->wanted.len, numbers[2]);
    c->wanted.len += numbers[2];
}

void coder_forget_wanted(struct coder *c)
{
    vec_clear(&c->wanted);
    memset(c->noted, 0, SEEN * sizeof *c->noted);
    c->missed = false;
}

/* ---- saved and loaded ---- */

void codebook_save(const struct codebook *b, struct archive *a)
{
    uint32_t places = 0;
    while (places < MOST_PLACES && b->places[places]) places++;
    archive_put_word(a, b->bits);
    archive_put_word(a, places);
    for (uint32_t i = 0; i < places; i++) {
        const struct place *p = b->places[i];
        archive_put_word(a, (uint64_t)p->width << 32 | p->count);
        archive_put(a, p->bit, p->width * sizeof *p->bit);
    }
    archive_put_word(a, b->entry_count);
    for (size_t i = 0; i < b->entry_room; i++) {
        const struct entry *e = &b->entries[i];
        if (!e->value) continue;
        archive_put(a, (uint32_t[]){e->place, e->number, e->size}, 3 * sizeof(uint32_t));
        archive_put(a, e->value, e->size);
    }
}

static bool load_place(struct codebook *b, uint32_t number, struct archive *a)
{
    struct place *p = place_at(b, number);
    uint64_t word = archive_get_word(a);
    if (!p || archive_is_bad(a) || word >> 32 >= MOST_BITS) return false;
    p->width = (uint32_t)(word >> 32);
    p->count = (uint32_t)word;
    archive_get(a, p->bit, p->width * sizeof *p->bit);
    for (uint32_t i = 0; i < p->width; i++)
        if (p->bit[i] >= b->bits) return false;
    return (uint64_t)p->count <= UINT64_C(1) << p->width;
}

static bool load_value(struct codebook *b, uint32_t places, struct archive *a)
{
    uint32_t what[3];
    archive_get(a, what, sizeof what);
    uint32_t place = what[0], number = what[1], size = what[2];
    if (archive_is_bad(a) || place >= places || number >= b->places[place]->count || size > MODEL_MOST_STATE)
        return false;
    if (!make_room(b, b->places[place], number) || !charge(b, size)) return false;
    uint8_t *value = arena_alloc(&b->values, size);
    archive_get(a, value, size);
    if (4 * (b->entry_count + 1) > 3 * b->entry_room && !grow_entries(b)) return false;
    struct entry e = {hash_bytes(value, size, place), value, size, place, number};
    struct entry *to = entry_for(b, e.hash, place, value, size);
    const uint8_t **numbered = value_at(b->places[place], number);
    if (to->value || *numbered) return false; /* a value or a number is there twice */
    *to = e;
    *numbered = value;
    b->entry_count++;
    return !archive_is_bad(a);
}

bool codebook_load(struct codebook *b, struct archive *a)
{
    assert(!b->entry_count && !b->bits);
    b->bits = (uint32_t)archive_get_below(a, b->most_bits + 1);
    uint32_t places = (uint32_t)archive_get_below(a, MOST_PLACES + 1);
    for (uint32_t i = 0; i < places; i++)
        if (!load_place(b, i, a)) return false;
    uint64_t values = archive_get_word(a), all = 0;
    for (uint64_t i = 0; i < values; i++)
        if (!load_value(b, places, a)) return false;
    for (uint32_t i = 0; i < places; i++) all += b->places[i]->count;
    return !archive_is_bad(a) && all == values;
}

/* ---- bits ---- */

static void toggle(uint64_t *code, const struct place *p, uint32_t number)
{
    for (uint32_t i = 0; i < MOST_BITS && number >> i; i++)
        code[p->bit[i] / 64] ^= (uint64_t)(number >> i & 1) << p->bit[i] % 64;
}

static uint32_t number_in(const uint64_t *code, const struct place *p)
{
    uint32_t number = 0, width = __atomic_load_n(&p->width, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < width && i < MOST_BITS; i++)
        number |= (uint32_t)(code[p->bit[i] / 64] >> p->bit[i] % 64 & 1) << i;
    return number;
}

static void add_bits(uint64_t *mask, const struct place *p)
{
    uint32_t width = p ? __atomic_load_n(&p->width, __ATOMIC_ACQUIRE) : 0;
    for (uint32_t i = 0; i < width && i < MOST_BITS; i++) mask[p->bit[i] / 64] |= UINT64_C(1) << p->bit[i] % 64;
}

static struct place *place_of(const struct coder *c, uint32_t number)
{
    return __atomic_load_n(&c->book->places[number], __ATOMIC_ACQUIRE);
}

void coder_mask(const struct coder *c, const uint32_t *numbers, int count, uint64_t *mask)
{
    memset(mask, 0, c->words * sizeof *mask);
    for (int i = 0; i < count; i++) add_bits(mask, place_of(c, numbers[i]));
}

/* ---- parts ---- */

enum { PIECE = 8 };

/* Where a model does not say what its states consist of: pieces, and their whole size in front of them. */
static uint32_t cut_in_pieces(struct coder *c, uint32_t size, const struct model_part **parts)
{
    uint32_t count = 1 + (size + PIECE - 1) / PIECE;
    if (count > c->piece_room) {
        c->pieces = xrealloc(c->pieces, count * sizeof *c->pieces);
        c->piece_room = count;
    }
    c->pieces[0] = (struct model_part){0, sizeof size, MODEL_NOBODY};
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = (i - 1) * PIECE;
        c->pieces[i] = (struct model_part){at, MIN(PIECE, size - at), MODEL_NOBODY};
    }
    *parts = c->pieces;
    return count;
}

static uint32_t parts_of(struct coder *c, const uint8_t *state, uint32_t size, const struct model_part **parts)
{
    if (!c->m->ops->parts) return cut_in_pieces(c, size, parts);
    return c->m->ops->parts(c->m, state, parts);
}

/* The bytes of a part; those of the first one, where the model names none, are the size. */
static const uint8_t *bytes_of(const struct coder *c, const uint8_t *state, const struct model_part *p, uint32_t number,
                               const uint32_t *size)
{
    return number || c->m->ops->parts ? state + p->at : (const uint8_t *)size;
}

/* ---- forms ---- */

static void free_forms(struct coder *c)
{
    for (struct code_form *f = c->forms, *next; f; f = next) {
        next = f->next;
        if (!c->m->ops->parts) free((void *)f->parts);
        free(f->head);
        free(f->own);
        free(f->masks);
        free(f);
    }
    c->forms = NULL;
    c->form = c->state_form = NULL;
}

static bool is_same(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    uint64_t differs = 0;
    for (uint32_t i = 0; i < words; i++) differs |= a[i] ^ b[i];
    return !differs;
}

/* The first part of a code, as it is in states; says how large they are if the model names no parts. */
static uint32_t read_head(struct coder *c, const uint64_t *code, uint8_t *state)
{
    const struct place *p = place_of(c, 0);
    const uint8_t *value = *value_at(p, number_in(code, p));
    uint32_t size = 0;
    memcpy(c->m->ops->parts ? state : (uint8_t *)&size, value, c->m->ops->parts ? sizeof(uint64_t) : sizeof size);
    return size;
}

static void mask_own(struct coder *c, struct code_form *f)
{
    f->own = xcalloc((size_t)MAX(f->processes, 1) * c->words, sizeof *f->own);
    for (int pid = 0; pid < f->processes; pid++)
        memcpy(f->own + (size_t)pid * c->words, c->head_mask, c->words * sizeof *f->own);
    for (uint32_t i = 1; i < f->count; i++)
        if (f->parts[i].owner != MODEL_NOBODY && f->parts[i].owner < f->processes)
            add_bits(f->own + (size_t)f->parts[i].owner * c->words, place_of(c, i));
}

static void mask_parts(struct coder *c, struct code_form *f)
{
    f->masks = xcalloc(f->count, sizeof *f->masks);
    for (uint32_t i = 0; i < f->count; i++) add_bits(&f->masks[i], place_of(c, i));
}

static struct code_form *form_new(struct coder *c, const uint64_t *head)
{
    struct code_form *f = xcalloc(1, sizeof *f);
    const struct model_part *parts;
    uint8_t first[sizeof(uint64_t)];
    f->size = read_head(c, head, first);
    f->count = parts_of(c, first, f->size, &parts);
    if (c->m->ops->parts) {
        f->parts = parts;
        f->size = parts[f->count - 1].at + parts[f->count - 1].size;
        f->processes = c->m->ops->process_count(c->m, first);
    } else {
        f->parts = memcpy(xmalloc(f->count * sizeof *parts), parts, f->count * sizeof *parts);
        f->processes = -1; /* its bytes say */
    }
    f->head = memcpy(xmalloc(c->words * sizeof *head), head, c->words * sizeof *head);
    mask_own(c, f);
    if (c->words == 1) mask_parts(c, f);
    f->next = c->forms;
    c->forms = f;
    return f;
}

static struct code_form *form_of(struct coder *c, const uint64_t *head)
{
    for (struct code_form *f = c->forms; f; f = f->next)
        if (is_same(f->head, head, c->words)) return f;
    return form_new(c, head);
}

/* ---- one thread's view ---- */

void coder_init(struct coder *c, struct codebook *b, struct model *m)
{
    *c = (struct coder){.book = b, .m = m, .words = b->words};
    c->head_mask = xcalloc(c->words, sizeof *c->head_mask);
    c->code = xcalloc(c->words, sizeof *c->code);
    c->seen = xcalloc(SEEN, sizeof *c->seen);
    c->noted = xcalloc(SEEN, sizeof *c->noted);
    if (c->words > 1) return;
    c->words_of = xcalloc((size_t)1 << SHORT_LOG, sizeof *c->words_of);
    c->values_of = xcalloc((size_t)1 << SHORT_LOG, sizeof *c->values_of);
}

void coder_release(struct coder *c)
{
    if (!c->m) return;
    free_forms(c);
    free(c->head_mask);
    free(c->code);
    free(c->seen);
    free(c->noted);
    free(c->words_of);
    free(c->values_of);
    vec_release(&c->wanted);
    free(c->state);
    free(c->pieces);
    *c = (struct coder){0};
}

bool coder_refresh(struct coder *c)
{
    uint32_t bits = __atomic_load_n(&c->book->bits, __ATOMIC_ACQUIRE);
    if (bits == c->bits) return false;
    free_forms(c);
    c->bits = bits;
    coder_mask(c, (uint32_t[]){0}, 1, c->head_mask);
    return true;
}

void coder_enter(struct coder *c, const uint64_t *code)
{
    c->has_state = false;
    if (c->words == 1 && c->form && (*code & *c->head_mask) == *c->form->head) {
        *c->code = *code;
        return;
    }
    uint64_t head[8], *masked = c->words <= ARRAY_LEN(head) ? head : xmalloc(c->words * sizeof *head);
    for (uint32_t i = 0; i < c->words; i++) {
        c->code[i] = code[i];
        masked[i] = code[i] & c->head_mask[i];
    }
    if (!c->form || !is_same(c->form->head, masked, c->words)) c->form = form_of(c, masked);
    if (masked != head) free(masked);
}

/* A value of up to eight bytes as a number; the bytes behind it are not read. */
static inline uint64_t load_short(const uint8_t *value, uint32_t size)
{
    uint64_t word = 0;
    uint32_t four;
    uint16_t two;
    switch (size) {
    case 1: return *value;
    case 2: memcpy(&two, value, 2); return two;
    case 4: memcpy(&four, value, 4); return four;
    case 8: return load64(value);
    default: memcpy(&word, value, size); return word;
    }
}

static inline struct seen_word *seen_word_at(struct seen_word *table, uint32_t place, uint64_t word)
{
    uint64_t h = (word ^ (place + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
    return &table[(h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93) >> (64 - SHORT_LOG)];
}

/* The short value of a part whose bits are given. */
static inline uint64_t short_value(struct coder *c, uint32_t place, uint64_t bits, uint32_t size)
{
    struct seen_word *s = seen_word_at(c->values_of, place, bits);
    if (s->bits == bits && s->place == place && s->size == size) return s->value;
    const struct place *p = place_of(c, place);
    *s = (struct seen_word){load_short(*value_at(p, number_in(&bits, p)), size), bits, place, size};
    return s->value;
}

/* Parts lie one behind the other, so what is written behind a short one is written over by the next. */
static void change_state(struct coder *c, uint64_t differs)
{
    const struct code_form *f = c->form;
    for (uint32_t i = 1; i < f->count; i++) {
        if (!(differs & f->masks[i])) continue;
        uint8_t *to = c->state + f->parts[i].at;
        uint32_t size = f->parts[i].size;
        const struct place *p = place_of(c, i);
        if (size > SHORT) memcpy(to, *value_at(p, number_in(c->code, p)), size);
        else {
            uint64_t value = short_value(c, i, *c->code & f->masks[i], size);
            memcpy(to, &value, size);
        }
    }
}

static void write_state(struct coder *c)
{
    const struct code_form *f = c->form;
    if (f->size > c->room) {
        c->room = 2 * f->size;
        c->state = xrealloc(c->state, c->room);
    }
    read_head(c, c->code, c->state);
    for (uint32_t i = 1; i < f->count; i++) {
        const struct place *p = place_of(c, i);
        memcpy(c->state + f->parts[i].at, *value_at(p, number_in(c->code, p)), f->parts[i].size);
    }
}

const uint8_t *coder_state(struct coder *c)
{
    if (c->has_state) return c->state;
    if (c->words == 1 && c->state_form == c->form) change_state(c, *c->code ^ c->state_code);
    else write_state(c);
    c->state_form = c->form;
    c->state_code = *c->code;
    c->has_state = true;
    return c->state;
}

static uint32_t look_up(struct coder *c, uint32_t place, const uint8_t *value, uint32_t size)
{
    if (size > LONGEST_SEEN) return number_of(c->book, place, value, size);
    struct coder_seen *s = &c->seen[hash_bytes(value, size, place) & (SEEN - 1)];
    if (s->size == size && s->place == place && !memcmp(s->bytes, value, size)) return s->number;
    uint32_t number = number_of(c->book, place, value, size);
    if (number == UINT32_MAX) return number;
    s->size = (uint8_t)size;
    s->place = place;
    s->number = number;
    memcpy(s->bytes, value, size);
    return number;
}

/* A small seed is nearly part of a short value: one value of one place would often have the hash of another. */
static void toggle_hash(const struct coder *c, uint32_t place, const uint8_t *value, uint32_t size, uint64_t *code)
{
    uint64_t seed = ((uint64_t)place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (c->book->hashed) code[c->words - 1] ^= hash_bytes(value, size, seed);
}

static bool add_part(struct coder *c, uint32_t place, const uint8_t *value, uint32_t size, uint64_t *code)
{
    bool is_short = c->words == 1 && size <= SHORT;
    uint64_t word = is_short ? load_short(value, size) : 0, bits = 0;
    struct seen_word *s = is_short ? seen_word_at(c->words_of, place, word) : NULL;
    if (s && s->value == word && s->place == place && s->size == size) {
        *code ^= s->bits;
        return true;
    }
    uint32_t number = look_up(c, place, value, size);
    if (number == UINT32_MAX && c->book->closed) note_wanted(c, place, value, size);
    if (number == UINT32_MAX) return c->book->closed; /* what else is new is noted, too */
    if (s) {
        toggle(&bits, place_of(c, place), number);
        *s = (struct seen_word){word, bits, place, size};
        *code ^= bits;
        return true;
    }
    toggle(code, place_of(c, place), number);
    toggle_hash(c, place, value, size, code);
    return true;
}

static void remove_part(struct coder *c, uint32_t place, const uint8_t *value, uint32_t size, uint64_t *code)
{
    const struct place *p = place_of(c, place);
    toggle(code, p, number_in(c->code, p));
    toggle_hash(c, place, value, size, code);
}

static bool encode_whole(struct coder *c, const uint8_t *state, uint32_t size, uint64_t *code)
{
    const struct model_part *parts;
    uint32_t count = parts_of(c, state, size, &parts);
    if (count > MOST_PLACES) return false;
    assert(!c->m->ops->parts || parts[count - 1].at + parts[count - 1].size == size);
    memset(code, 0, c->words * sizeof *code);
    for (uint32_t i = 0; i < count; i++)
        if (!add_part(c, i, bytes_of(c, state, &parts[i], i, &size), parts[i].size, code)) return false;
    return !c->missed;
}

static bool has_same_form(const struct coder *c, const uint8_t *state, uint32_t size)
{
    if (!c->form || !c->has_state || size != c->form->size) return false;
    return !c->m->ops->parts || load64(state) == load64(c->state);
}

/* The first byte from `at` on in which they differ, or `size`. A step changes few of many parts. */
static uint32_t next_difference(const uint8_t *a, const uint8_t *b, uint32_t at, uint32_t size)
{
    for (; at + 8 <= size; at += 8) {
        uint64_t differs = load64(a + at) ^ load64(b + at);
        if (differs) return at + (uint32_t)__builtin_ctzll(differs) / 8;
    }
    while (at < size && a[at] == b[at]) at++;
    return at;
}

bool coder_encode(struct coder *c, const uint8_t *state, uint32_t size, uint64_t *code)
{
    c->missed = false;
    if (!has_same_form(c, state, size)) return encode_whole(c, state, size, code);
    const struct code_form *f = c->form;
    memcpy(code, c->code, c->words * sizeof *code);
    uint32_t at = f->count > 1 ? f->parts[1].at : size;
    for (uint32_t i = 1; (at = next_difference(state, c->state, at, size)) < size; i++) {
        while (f->parts[i].at + f->parts[i].size <= at) i++;
        const struct model_part *part = &f->parts[i];
        at = part->at + part->size;
        if (c->words == 1) *code &= ~f->masks[i];
        else remove_part(c, i, c->state + part->at, part->size, code);
        if (!add_part(c, i, state + part->at, part->size, code)) return false;
    }
    return !c->missed;
}
