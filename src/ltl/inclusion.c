/* Is every word of a also one of b? By the words' graphs, in the manner of Ramsey-based universality checks.
 *
 * A finite word is known by what it does: between which states of a it leads (and whether past an accepting one), and
 * the same for all pairs of states of b. There are finitely many such profiles, closed under appending a letter. A
 * lasso u v^omega of a that b rejects shows in the profiles of u and v alone, so trying all pairs decides inclusion.
 * Exponential in b; meant for claims that people write. */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STATES = 64, MOST_PROFILES = 40000, PROFILES_PER_LOOK = 16 };

struct inclusion {
    const struct buchi *a, *b;
    letter mentioned;
    size_t letters, rows, stride;     /* stride: uint64_t words of one profile */
    VEC(uint64_t) words;              /* profiles: from and to, past an accepting state, then two rows per state of b */
    VEC(uint32_t) slots;              /* profile + 1 */
    size_t count;
    uint64_t *letter_rows;            /* [letter * 2 * rows]: what one letter does in b */
    bool too_many;
};

static letter spread(size_t index, letter mentioned)
{
    letter a = 0;
    for (; mentioned; mentioned &= mentioned - 1, index >>= 1)
        if (index & 1) a |= mentioned & -mentioned;
    return a;
}

static uint64_t *profile_at(const struct inclusion *x, size_t i) { return &x->words.at[i * x->stride]; }
static int from_of(const uint64_t *p) { return (int)(p[0] >> 32); }
static int to_of(const uint64_t *p) { return (int)(p[0] & 0xffffffff); }
static bool accepting_of(const uint64_t *p) { return p[1]; }

static void grow_slots(struct inclusion *x)
{
    size_t n = x->slots.len ? 2 * x->slots.len : 4096;
    vec_clear(&x->slots);
    vec_reserve(&x->slots, n);
    memset(x->slots.at, 0, n * sizeof *x->slots.at);
    x->slots.len = n;
    for (size_t i = 0; i < x->count; i++) {
        size_t k = hash_bytes(profile_at(x, i), x->stride * 8, 0) & (n - 1);
        while (x->slots.at[k]) k = (k + 1) & (n - 1);
        x->slots.at[k] = (uint32_t)i + 1;
    }
}

static void add_profile(struct inclusion *x, const uint64_t *p)
{
    if (2 * (x->count + 1) > x->slots.len) grow_slots(x);
    size_t k = hash_bytes(p, x->stride * 8, 0) & (x->slots.len - 1);
    for (; x->slots.at[k]; k = (k + 1) & (x->slots.len - 1))
        if (!memcmp(profile_at(x, x->slots.at[k] - 1), p, x->stride * 8)) return;
    if (x->count == MOST_PROFILES) {
        x->too_many = true;
        return;
    }
    vec_reserve(&x->words, (x->count + 1) * x->stride);
    memcpy(x->words.at + x->count * x->stride, p, x->stride * 8);
    x->words.len += x->stride;
    x->slots.at[k] = (uint32_t)++x->count;
}

static void find_letter_rows(struct inclusion *x)
{
    x->letter_rows = xcalloc(x->letters * 2 * x->rows + 1, sizeof *x->letter_rows);
    for (size_t l = 0; l < x->letters; l++)
        for (size_t s = 0; s < x->rows; s++)
            for (size_t k = 0; k < x->b->states.at[s].edges.len; k++) {
                const struct buchi_edge *e = &x->b->states.at[s].edges.at[k];
                if (!cube_has(e->label, spread(l, x->mentioned))) continue;
                x->letter_rows[(l * x->rows + s) * 2] |= UINT64_C(1) << e->to;
                if (x->b->states.at[e->to].accepting) x->letter_rows[(l * x->rows + s) * 2 + 1] |= UINT64_C(1) << e->to;
            }
}

/* The rows of a word with one more letter. */
static void append(const struct inclusion *x, const uint64_t *rows, size_t l, uint64_t *out)
{
    const uint64_t *step = &x->letter_rows[l * x->rows * 2];
    for (size_t s = 0; s < x->rows; s++) {
        uint64_t to = 0, past = 0;
        for (uint64_t left = rows[2 * s]; left; left &= left - 1) {
            size_t mid = (size_t)__builtin_ctzll(left);
            to |= step[2 * mid];
            past |= rows[2 * s + 1] >> mid & 1 ? step[2 * mid] : step[2 * mid + 1];
        }
        out[2 * s] = to;
        out[2 * s + 1] = past;
    }
}

static void extend(struct inclusion *x, int from, int at, bool accepting, const uint64_t *rows, uint64_t *made)
{
    for (size_t k = 0; k < x->a->states.at[at].edges.len && !x->too_many; k++) {
        const struct buchi_edge *e = &x->a->states.at[at].edges.at[k];
        for (size_t l = 0; l < x->letters && !x->too_many; l++) {
            if (!cube_has(e->label, spread(l, x->mentioned))) continue;
            made[0] = (uint64_t)from << 32 | (uint64_t)e->to;
            made[1] = accepting || x->a->states.at[e->to].accepting;
            append(x, rows, l, made + 2);
            add_profile(x, made);
        }
    }
}

static void find_profiles(struct inclusion *x)
{
    uint64_t *made = xcalloc(x->stride, sizeof *made), *base = xcalloc(x->stride, sizeof *base);
    for (size_t s = 0; s < x->rows; s++) base[2 + 2 * s] = UINT64_C(1) << s;
    for (int from = 0; from < (int)x->a->states.len; from++) extend(x, from, from, false, base + 2, made);
    for (size_t i = 0; i < x->count && !x->too_many; i++) {
        if (i % PROFILES_PER_LOOK == 0 && limits_reached(x->b->limits)) x->too_many = true;
        memcpy(base, profile_at(x, i), x->stride * 8); /* the array moves */
        extend(x, from_of(base), to_of(base), accepting_of(base), base + 2, made);
    }
    free(made);
    free(base);
}

/* Is v^omega accepted by b from one of the states in `start`, where rows say what v does? */
static bool accepts_power(const struct inclusion *x, uint64_t start, const uint64_t *rows)
{
    uint64_t reach[MOST_STATES], reached = start;
    for (size_t s = 0; s < x->rows; s++) reach[s] = rows[2 * s];
    for (size_t m = 0; m < x->rows; m++)
        for (size_t s = 0; s < x->rows; s++)
            if (reach[s] >> m & 1) reach[s] |= reach[m];
    for (uint64_t left = start; left; left &= left - 1) reached |= reach[__builtin_ctzll(left)];
    for (uint64_t left = reached; left; left &= left - 1) {
        size_t s = (size_t)__builtin_ctzll(left);
        for (uint64_t past = rows[2 * s + 1]; past; past &= past - 1) {
            size_t t = (size_t)__builtin_ctzll(past);
            if (t == s || reach[t] >> s & 1) return true;
        }
    }
    return false;
}

struct stem { int at; uint64_t reached; };

/* 1, 0, or -1 if a limit was reached. */
static int all_lassos(const struct inclusion *x)
{
    VEC(struct stem) stems = {0};
    vec_push(&stems, ((struct stem){x->a->initial, UINT64_C(1) << x->b->initial}));
    for (size_t i = 0; i < x->count; i++) {
        const uint64_t *p = profile_at(x, i);
        struct stem s = {to_of(p), p[2 + 2 * x->b->initial]};
        bool known = from_of(p) != x->a->initial;
        for (size_t k = 0; k < stems.len && !known; k++)
            known = stems.at[k].at == s.at && stems.at[k].reached == s.reached;
        if (!known) vec_push(&stems, s);
    }
    bool good = true, cut = false;
    for (size_t i = 0; i < x->count && good && !cut; i++) {
        cut = i % PROFILES_PER_LOOK == 0 && limits_reached(x->b->limits);
        const uint64_t *p = profile_at(x, i);
        if (from_of(p) != to_of(p) || !accepting_of(p)) continue;
        for (size_t k = 0; k < stems.len && good; k++)
            good = stems.at[k].at != from_of(p) || accepts_power(x, stems.at[k].reached, p + 2);
    }
    vec_release(&stems);
    return cut ? -1 : good;
}

int buchi_included(const struct buchi *a, const struct buchi *b, letter mentioned)
{
    struct inclusion x = {
        .a = a, .b = b, .mentioned = mentioned, .rows = b->states.len, .stride = 2 + 2 * b->states.len};
    assert(!((buchi_letters(a) | buchi_letters(b)) & ~mentioned));
    if (b->states.len > MOST_STATES || __builtin_popcountll(mentioned) > 8) return -1;
    x.letters = (size_t)1 << __builtin_popcountll(mentioned);
    find_letter_rows(&x);
    find_profiles(&x);
    int result = x.too_many ? -1 : all_lassos(&x);
    vec_release(&x.words);
    vec_release(&x.slots);
    free(x.letter_rows);
    return result;
}
