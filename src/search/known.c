#include "search/known_int.h"

#include "search/lines_int.h"
#include "search/records_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PART_BITS = KEY_BITS - PARTS_LOG, /* of a key; the others are the same for all of a part */
    BITS_PER_STATE = 3,               /* as in Spin */
    BLOCK = 512,                      /* bits: a cache line */
    MANY = 1 << 13,                   /* states of a part */
    AHEAD = 12,                       /* lines that are on their way */
    FEW = 1 << 12,                    /* keys of a list */
    FEW_SHARE = 64,                   /* or so small a share of the table */
    RESTS = 64,                       /* that are taken at a time */
    FORCED_BITS = 1 << 15,
};

/* The states of a level, if they are few: else whoever wants them goes through the table. */
struct few { state_key *at; uint32_t len, room; bool many; };

struct part {
    struct spin lock;
    struct lines lines;
    struct records active, aside;     /* if there are records */
    struct few fresh, before;         /* of this level, of the one before; if there are marks */
    uint64_t left;                    /* states of this level with processes left, if there are marks */
    uint64_t rest;                    /* the record aside, the number in the list or the key that is next */
} __attribute__((aligned(64)));

struct known {
    struct known_plan plan;
    uint32_t mark;                    /* bytes of one */
    bool records;                     /* marks are in them, and not in the table */
    bool odd;                         /* the number of the level is */
    bool has_forced;                  /* some forced states are known: those whose bits are set, and maybe others */
    uint64_t forced[FORCED_BITS / 64];
    struct record_form form;
    struct part *parts;
    uint64_t *bits, blocks;           /* of the field, if there is one */
};

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

static void blur(struct known *k, struct part *s)
{
    struct place p;
    for (bool more = lines_from(&s->lines, 0, &p); more; p.slot++, more = lines_here(&s->lines, &p))
        set_bits(k, place_key(&s->lines, p));
    lines_clear(&s->lines);
}

void known_blur(struct known *k, uint32_t part)
{
    if (k->bits && k->parts[part].lines.count >= MANY) blur(k, &k->parts[part]);
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

struct known *known_new(struct known_plan plan)
{
    size_t bytes = KNOWN_PARTS * sizeof(struct part);
    if (!budget_take(plan.budget, bytes)) return NULL;
    struct known *k = xcalloc(1, sizeof *k);
    k->parts = aligned_alloc(64, bytes);
    if (!k->parts) die("out of memory");
    memset(k->parts, 0, bytes);
    k->plan = plan;
    k->mark = plan.processes ? mark_bytes(plan.processes) : 0;
    k->records = k->mark && (plan.log || plan.code_words || plan.bits);
    record_form_init(&k->form, PART_BITS, k->mark, plan.code_words, plan.log);
    for (int i = 0; i < KNOWN_PARTS; i++)
        lines_init(&k->parts[i].lines, PART_BITS, k->records ? 0 : k->mark, (state_key)i << PART_BITS);
    k->blocks = plan.bits / (BLOCK / 8);
    if (plan.bits && !(k->bits = k->blocks ? pages_take(plan.budget, k->blocks * (BLOCK / 8)) : NULL)) {
        known_free(k);
        return NULL;
    }
    return k;
}

static void few_release(struct few *f, struct budget *b)
{
    budget_give(b, f->room * sizeof *f->at);
    free(f->at);
    *f = (struct few){0};
}

static void free_part(struct known *k, struct part *s)
{
    struct budget *b = k->plan.budget;
    lines_release(&s->lines, b);
    records_drop(&s->active, &k->form, b);
    records_drop(&s->aside, &k->form, b);
    few_release(&s->fresh, b);
    few_release(&s->before, b);
}

void known_free(struct known *k)
{
    if (!k) return;
    for (int i = 0; i < KNOWN_PARTS; i++) free_part(k, &k->parts[i]);
    pages_give(k->plan.budget, k->bits, k->blocks * (BLOCK / 8));
    budget_give(k->plan.budget, KNOWN_PARTS * sizeof *k->parts);
    free(k->parts);
    free(k);
}

static void lock(const struct known *k, struct part *s)
{
    if (!k->plan.alone) spin_lock(&s->lock);
}

static void unlock(const struct known *k, struct part *s)
{
    if (!k->plan.alone) spin_unlock(&s->lock);
}

static struct part *part_of(const struct known *k, state_key key)
{
    assert_costly(key >> KEY_BITS == 0);
    return &k->parts[known_part(key)];
}

__attribute__((no_sanitize("thread"))) /* a guess without the lock; what is fetched in vain does no harm */
void known_prefetch(const struct known *k, state_key key)
{
    const struct part *s = part_of(k, key);
    if (!k->records) lines_prefetch(&s->lines, key);
    else if (s->active.at) __builtin_prefetch(record_at(&s->active, &k->form, record_home(&s->active, key)));
}

/* The lock of the part in which the state will be shows this to whoever finds the state. */
void known_distrust(struct known *k, state_key key)
{
    uint32_t bit = (uint32_t)key % FORCED_BITS;
    __atomic_or_fetch(&k->forced[bit / 64], UINT64_C(1) << bit % 64, __ATOMIC_RELAXED);
    __atomic_store_n(&k->has_forced, true, __ATOMIC_RELAXED);
}

static bool may_be_forced(const struct known *k, state_key key)
{
    uint32_t bit = (uint32_t)key % FORCED_BITS;
    return __atomic_load_n(&k->has_forced, __ATOMIC_RELAXED) &&
           __atomic_load_n(&k->forced[bit / 64], __ATOMIC_RELAXED) >> bit % 64 & 1;
}

/* ---- arrivals ---- */

static bool few_grow(struct few *f, struct budget *b, uint64_t most)
{
    uint32_t room = f->room ? 2 * f->room : 64;
    if (room > most || !budget_take_if_any(b, (room - f->room) * sizeof *f->at)) return false;
    f->at = xrealloc(f->at, room * sizeof *f->at);
    f->room = room;
    return true;
}

/* For the list of the level's states, until they are many. */
static void note_fresh(struct known *k, struct part *s, state_key key)
{
    struct few *f = &s->fresh;
    if (f->many) return;
    if (f->len == f->room && !few_grow(f, k->plan.budget, MAX((uint64_t)FEW, s->lines.count / FEW_SHARE))) {
        few_release(f, k->plan.budget);
        f->many = true;
        return;
    }
    f->at[f->len++] = key;
}

static bool set_free(const struct known *k, uint8_t *mark, bool odd)
{
    if (mark_flags(mark, k->mark) & (MARK_FREE | MARK_FREE_ODD)) return false;
    mark_add_flags(mark, k->mark, odd ? MARK_FREE_ODD : MARK_FREE);
    return true;
}

/* In a state of this level: is that somebody new? Everybody may move, once that was said: those that arrive in the same
 * round still count as having arrived, those in later ones do not, so that it makes no difference who comes first. */
static bool arrive_also(const struct known *k, uint8_t *mark, uint32_t last, bool odd)
{
    if (last == ARRIVES_BLOCKED) return set_free(k, mark, odd);
    if (mark_has_all(mark, k->mark)) return false;
    if (last == ARRIVES_FREE) return set_free(k, mark, odd);
    bool free_before = mark_flags(mark, k->mark) & (odd ? MARK_FREE : MARK_FREE_ODD);
    return !free_before && mark_put_process(mark, k->mark, (int)last);
}

/* Those of the level before wait for their turn. */
static bool is_of_level(const struct known *k, const uint8_t *mark)
{
    return !(mark_flags(mark, k->mark) & MARK_ODD) == !k->odd;
}

static inline enum arrived arrive_in_lines(struct known *k, struct part *s, const struct arriving *a, bool odd)
{
    struct place p;
    if (s->lines.at && lines_find(&s->lines, a->key, &p)) {
        if (a->unsettled && may_be_forced(k, a->key)) return ARRIVED_UNSETTLED;
        if (!k->mark) return ARRIVED_KNOWN;
        uint8_t *mark = place_mark(&s->lines, p);
        if (a->last != ARRIVES_BLOCKED && mark_has_all(mark, k->mark)) return ARRIVED_KNOWN;
        if (!is_of_level(k, mark) || !arrive_also(k, mark, a->last, odd)) return ARRIVED_KNOWN;
        s->left -= a->last < ARRIVES_FREE && mark_has_all(mark, k->mark);
        return mark_flags(mark, k->mark) & MARK_NO_AMPLE ? ARRIVED_ALSO_NO_AMPLE : ARRIVED_ALSO;
    }
    assert_costly(a->last != ARRIVES_BLOCKED);
    if (a->unsettled) return ARRIVED_UNSETTLED;
    if (k->bits && has_bits(k, a->key)) return ARRIVED_KNOWN;
    if (!lines_add(&s->lines, a->key, k->plan.budget, &p)) return ARRIVED_FULL;
    if (!k->mark) return ARRIVED_WHOLE;
    uint8_t *mark = place_mark(&s->lines, p);
    unsigned flags = (k->odd ? MARK_ODD : 0) | (a->no_ample ? MARK_NO_AMPLE : 0);
    mark_begin(mark, k->mark, a->last == ARRIVES_FREE ? 0 : a->processes, flags);
    if (a->last == ARRIVES_FREE) return ARRIVED_WHOLE;
    mark_put_process(mark, k->mark, a->last);
    if (mark_has_all(mark, k->mark)) return ARRIVED_NEW;
    s->left++;
    note_fresh(k, s, a->key);
    return ARRIVED_NEW;
}

static enum arrived arrive_with_record(struct known *k, struct part *s, const struct arrivals *all, uint32_t i)
{
    const struct arriving *a = &all->at[i];
    struct place p;
    uint8_t *record = s->active.at ? records_find(&s->active, &k->form, a->key) : NULL;
    if (record && load64(record))
        return arrive_also(k, record_mark(record), a->last, all->odd) ? ARRIVED_ALSO : ARRIVED_KNOWN;
    assert_costly(a->last != ARRIVES_BLOCKED);
    if (s->lines.at && lines_find(&s->lines, a->key, &p)) return ARRIVED_KNOWN;
    if (k->bits && has_bits(k, a->key)) return ARRIVED_KNOWN;
    if (a->last == ARRIVES_FREE)
        return lines_add(&s->lines, a->key, k->plan.budget, &p) ? ARRIVED_WHOLE : ARRIVED_FULL;
    record = records_add(&s->active, &k->form, k->plan.budget, a->key, a->processes);
    if (!record) return ARRIVED_FULL;
    mark_put_process(record_mark(record), k->mark, a->last);
    size_t words = k->plan.code_words;
    if (words) memcpy(record_code(&k->form, record), all->codes + i * words, words * sizeof *all->codes);
    if (k->plan.log) store64(record_log(&k->form, record), all->log);
    return ARRIVED_NEW;
}

/* Inline: a compiler may take a call without a result, and without an effect that it knows of, for no call at all. */
static inline __attribute__((always_inline)) void prefetch_arrival(const struct known *k, const struct part *s,
                                                                   state_key key)
{
    if (s->lines.at) lines_prefetch(&s->lines, key);
    if (k->bits) __builtin_prefetch(block_of(k, key));
    if (s->active.at) __builtin_prefetch(record_at(&s->active, &k->form, record_home(&s->active, key)));
}

void known_arrive(struct known *k, uint32_t part, const struct arrivals *a, uint8_t *answers)
{
    struct part *s = &k->parts[part];
    assert_costly(!k->plan.log || a->count == 1);
    lock(k, s);
    for (uint32_t i = 0; i < MIN(a->count, (uint32_t)AHEAD); i++) prefetch_arrival(k, s, a->at[i].key);
    for (uint32_t i = 0; i < a->count; i++) {
        if (i + AHEAD < a->count) prefetch_arrival(k, s, a->at[i + AHEAD].key);
        answers[i] = k->records ? arrive_with_record(k, s, a, i) : arrive_in_lines(k, s, &a->at[i], a->odd);
        if (answers[i] == ARRIVED_FULL) break;
    }
    unlock(k, s);
}

/* The mark of a state that has one, with its part locked. */
static uint8_t *lock_mark(struct known *k, state_key key, struct part **s)
{
    struct place p;
    *s = part_of(k, key);
    lock(k, *s);
    if (k->records) {
        uint8_t *record = records_find(&(*s)->active, &k->form, key);
        assert(load64(record) == key + 1);
        return record_mark(record);
    }
    bool found = lines_find(&(*s)->lines, key, &p);
    assert(found);
    (void)found;
    return place_mark(&(*s)->lines, p);
}

struct mask known_claim(struct known *k, state_key key)
{
    struct part *s;
    uint8_t *mark = lock_mark(k, key, &s);
    struct mask m = mark_mask(mark, k->mark);
    s->left -= !k->records && !mark_has_all(mark, k->mark);
    mark_put_all(mark, k->mark);
    unlock(k, s);
    return mask_rest(&m, mark_processes(k->mark));
}

bool known_mark(struct known *k, state_key key, enum mark_flag flag)
{
    struct part *s;
    uint8_t *mark = lock_mark(k, key, &s);
    bool news = !(mark_flags(mark, k->mark) & flag);
    mark_add_flags(mark, k->mark, flag);
    unlock(k, s);
    return news;
}

/* ---- between two levels ---- */

/* Of states that have a record. They come in order: a table that grew in between would be crowded where they were put
 * already. */
static bool add_keys(struct known *k, struct part *s)
{
    struct place p;
    if (s->active.count && !lines_make_room(&s->lines, s->active.count, k->plan.budget)) return false;
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint64_t word = load64(record_at(&s->active, &k->form, i));
        if (!word) continue;
        lines_find(&s->lines, word - 1, &p);
        if (!lines_add(&s->lines, word - 1, k->plan.budget, &p)) return false;
    }
    return true;
}

static void add_bits(struct known *k, struct part *s)
{
    blur(k, s);
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint64_t word = load64(record_at(&s->active, &k->form, i));
        if (word) set_bits(k, word - 1);
    }
}

static uint64_t settle_records(struct known *k, struct part *s)
{
    uint64_t left = 0;
    assert(!s->aside.at);
    if (k->bits && s->lines.count + s->active.count >= MANY) add_bits(k, s);
    else if (!add_keys(k, s)) return UINT64_MAX;
    for (uint32_t i = 0; s->active.at && i <= s->active.mask; i++) {
        uint8_t *record = record_at(&s->active, &k->form, i);
        left += load64(record) && !mark_has_all(record_mark(record), k->mark);
    }
    s->aside = s->active;
    s->active = (struct records){0};
    return left;
}

static uint64_t settle_marks(struct known *k, struct part *s)
{
    uint64_t left = s->left;
    few_release(&s->before, k->plan.budget);
    s->before = s->fresh;
    s->fresh = (struct few){0};
    s->left = s->rest = 0;
    return left;
}

uint64_t known_settle(struct known *k, uint32_t part)
{
    struct part *s = &k->parts[part];
    if (!k->mark) return 0;
    return k->records ? settle_records(k, s) : settle_marks(k, s);
}

void known_begin_level(struct known *k, int64_t level) { k->odd = level % 2; }

static void each_recorded_rest(struct known *k, struct part *s, known_rest_fn *fn, void *ctx)
{
    while (s->aside.at && s->rest <= s->aside.mask) {
        uint8_t *record = record_at(&s->aside, &k->form, (uint32_t)s->rest++), *mark = record_mark(record);
        if (!load64(record) || mark_has_all(mark, k->mark)) continue;
        struct known_rest rest = {.key = load64(record) - 1,
                                  .code = record_code(&k->form, record),
                                  .done = mark_mask(mark, k->mark),
                                  .log = k->plan.log ? load64(record_log(&k->form, record)) : 0};
        if (!fn(ctx, &rest, 1)) return;
    }
    records_drop(&s->aside, &k->form, k->plan.budget);
    s->rest = 0;
}

static bool take_rest(const struct known *k, const struct part *s, struct place p, struct known_rest *rest)
{
    uint8_t *mark = place_mark(&s->lines, p);
    if (mark_has_all(mark, k->mark) || is_of_level(k, mark)) return false;
    *rest = (struct known_rest){.key = place_key(&s->lines, p), .done = mark_mask(mark, k->mark)};
    mark_put_all(mark, k->mark);
    return true;
}

static uint32_t take_from_table(const struct known *k, struct part *s, struct known_rest rests[RESTS])
{
    struct place p;
    uint32_t n = 0;
    bool more = lines_from(&s->lines, s->rest, &p);
    for (; more && n < RESTS; p.slot++, more = lines_here(&s->lines, &p)) n += take_rest(k, s, p, &rests[n]);
    s->rest = n ? rests[n - 1].key + 1 : UINT64_C(1) << KEY_BITS;
    return n;
}

static uint32_t take_from_list(const struct known *k, struct part *s, struct known_rest rests[RESTS])
{
    struct place p;
    uint32_t n = 0;
    while (n < RESTS && s->rest < s->before.len) {
        lines_find(&s->lines, s->before.at[s->rest++], &p);
        n += take_rest(k, s, p, &rests[n]);
    }
    return n;
}

/* Some, with their marks taken. Others add to the table meanwhile, which moves keys up but keeps their order. States of
 * the new level have the other parity. */
static uint32_t take_rests(const struct known *k, struct part *s, struct known_rest rests[RESTS])
{
    lock(k, s);
    uint32_t n = s->before.many ? take_from_table(k, s, rests) : take_from_list(k, s, rests);
    unlock(k, s);
    return n;
}

void known_each_rest(struct known *k, uint32_t part, known_rest_fn *fn, void *ctx)
{
    struct part *s = &k->parts[part];
    struct known_rest rests[RESTS];
    if (k->records) {
        each_recorded_rest(k, s, fn, ctx);
        return;
    }
    for (uint32_t n; k->mark && (n = take_rests(k, s, rests)) && fn(ctx, rests, n);) {}
}

/* ---- saved and loaded ---- */

void known_save(const struct known *k, struct archive *a)
{
    archive_put_word(a, (uint64_t)k->form.stride << 1 | k->records);
    archive_put_word(a, k->blocks);
    archive_put_word(a, k->has_forced);
    archive_put(a, k->forced, sizeof k->forced);
    archive_put(a, k->bits, k->blocks * (BLOCK / 8));
    for (int i = 0; i < KNOWN_PARTS; i++) {
        const struct part *s = &k->parts[i];
        lines_save(&s->lines, a);
        records_save(&s->active, &k->form, a);
        records_save(&s->aside, &k->form, a);
        archive_put_word(a, k->records ? s->rest : 0);
        archive_put_word(a, s->left);
    }
}

static bool load_part(struct known *k, struct part *s, struct archive *a)
{
    struct budget *b = k->plan.budget;
    if (!lines_load(&s->lines, a, b)) return false;
    if (!records_load(&s->active, &k->form, b, a) || !records_load(&s->aside, &k->form, b, a)) return false;
    s->rest = archive_get_word(a);
    s->left = archive_get_word(a);
    s->fresh.many = s->before.many = true;
    return true;
}

bool known_load(struct known *k, struct archive *a)
{
    uint64_t form = (uint64_t)k->form.stride << 1 | k->records;
    if (archive_get_word(a) != form || archive_get_word(a) != k->blocks) return false;
    k->has_forced = archive_get_word(a);
    archive_get(a, k->forced, sizeof k->forced);
    archive_get(a, k->bits, k->blocks * (BLOCK / 8));
    for (int i = 0; i < KNOWN_PARTS; i++)
        if (!load_part(k, &k->parts[i], a)) return false;
    return !archive_is_bad(a);
}

/* ---- taken over from another one ---- */

static bool take_line(struct known *k, state_key key, const uint8_t *mark)
{
    struct part *s = part_of(k, key);
    struct place p;
    if (s->lines.at) lines_find(&s->lines, key, &p);
    if (!lines_add(&s->lines, key, k->plan.budget, &p)) return false;
    if (!k->mark || k->records) return true;
    memcpy(place_mark(&s->lines, p), mark, k->mark);
    s->left += is_of_level(k, mark) && !mark_has_all(mark, k->mark);
    return true;
}

static bool take_record(struct known *k, struct records *to, state_key key, const uint8_t *record)
{
    uint8_t *own = records_add(to, &k->form, k->plan.budget, key, 0);
    if (own) memcpy(own + 8, record + 8, k->form.stride - 8);
    return own;
}

static bool take_records(struct known *k, const struct part *from, bool aside, key_here_fn *key_here, void *ctx)
{
    const struct records *r = aside ? &from->aside : &from->active;
    for (uint64_t i = aside ? from->rest : 0; r->at && i <= r->mask; i++) {
        uint8_t *record = record_at(r, &k->form, (uint32_t)i);
        if (!load64(record)) continue;
        state_key key = key_here(ctx, load64(record) - 1, k->form.code_words ? record_code(&k->form, record) : NULL);
        if (key == NO_KEY) continue;
        struct part *s = part_of(k, key);
        if (!take_record(k, aside ? &s->aside : &s->active, key, record)) return false;
    }
    return true;
}

bool known_take(struct known *k, const struct known *from, key_here_fn *key_here, void *ctx)
{
    struct place p;
    assert(!k->bits && k->form.stride == from->form.stride && k->records == from->records);
    k->has_forced |= from->has_forced;
    for (int i = 0; i < FORCED_BITS / 64; i++) k->forced[i] |= from->forced[i];
    for (int i = 0; i < KNOWN_PARTS; i++) {
        const struct part *s = &from->parts[i];
        bool more = s->lines.at && lines_from(&s->lines, 0, &p);
        for (; more; p.slot++, more = lines_here(&s->lines, &p)) {
            state_key key = key_here(ctx, place_key(&s->lines, p), NULL);
            if (key != NO_KEY && !take_line(k, key, place_mark(&s->lines, p))) return false;
        }
        if (!take_records(k, s, false, key_here, ctx) || !take_records(k, s, true, key_here, ctx)) return false;
        k->parts[i].fresh.many = k->parts[i].before.many = true;
    }
    return true;
}
