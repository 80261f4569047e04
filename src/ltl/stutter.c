/* Stuttering: the normal form in which reduction is sound, and whether a language minds stuttering at all.
 *
 * The normal form is Definition 12 of Siegel, "What's wrong with on-the-fly partial order reduction" (CAV 2019), made
 * as in its appendix: a state remembers the letter it was entered with and waits while that letter is repeated; words
 * that end in one letter for ever are accepted by states of their own. States without an accepting run are left out. */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- is a^omega accepted? ---- */

static void only_letter(const struct buchi *b, letter a, struct buchi *out)
{
    *out = (struct buchi){.initial = b->initial, .limits = b->limits};
    for (size_t s = 0; s < b->states.len; s++) buchi_add_state(out, b->states.at[s].accepting);
    for (size_t s = 0; s < b->states.len; s++)
        for (size_t k = 0; k < b->states.at[s].edges.len; k++)
            if (cube_has(b->states.at[s].edges.at[k].label, a))
                buchi_add_edge(out, (int)s, (struct cube){0}, b->states.at[s].edges.at[k].to);
}

static bool accepts_for_ever(const struct buchi *b, int from, letter a)
{
    struct buchi from_here = {.states = {b->states.at, b->states.len, b->states.cap}, .initial = from};
    return buchi_accepts_lasso(&from_here, &a, 1, 0);
}

/* ---- the normal form ---- */

static letter spread(size_t index, letter mentioned)
{
    letter a = 0;
    for (; mentioned; mentioned &= mentioned - 1, index >>= 1)
        if (index & 1) a |= mentioned & -mentioned;
    return a;
}

struct normal {
    const struct buchi *b;
    letter mentioned;
    size_t letters;
    bool *for_ever;  /* [state * letters + letter]: that letter for ever is accepted from the state */
    struct buchi *out;
};

/* States of the result: 0 is the start, then (q, a, 0), (q, a, 1), (a, 2). */
static int waiting(const struct normal *n, int q, size_t a, int again)
{
    return 1 + (int)(((size_t)q * n->letters + a) * 2) + again;
}
static int for_ever(const struct normal *n, size_t a) { return 1 + (int)(n->b->states.len * n->letters * 2 + a); }

static void add_edges_from(struct normal *n, int from, int q, size_t except)
{
    for (size_t b = 0; b < n->letters; b++) {
        if (b == except) continue;
        letter l = spread(b, n->mentioned);
        struct cube label = {l, n->mentioned & ~l};
        const struct buchi_state *s = &n->b->states.at[q];
        for (size_t k = 0; k < s->edges.len; k++) {
            bool double_edge = false;
            if (!cube_has(s->edges.at[k].label, l)) continue;
            for (size_t m = 0; m < k; m++)
                double_edge |= s->edges.at[m].to == s->edges.at[k].to && cube_has(s->edges.at[m].label, l);
            if (!double_edge) buchi_add_edge(n->out, from, label, waiting(n, s->edges.at[k].to, b, 0));
        }
        if (n->for_ever[(size_t)q * n->letters + b]) buchi_add_edge(n->out, from, label, for_ever(n, b));
    }
}

static void add_waiting(struct normal *n, int q, size_t a)
{
    letter l = spread(a, n->mentioned);
    struct cube same = {l, n->mentioned & ~l};
    bool accepting = n->b->states.at[q].accepting;
    add_edges_from(n, waiting(n, q, a, 0), q, a);
    buchi_add_edge(n->out, waiting(n, q, a, 0), same, waiting(n, q, a, accepting));
    n->out->states.at[waiting(n, q, a, 0)].accepting = accepting;
    if (!accepting) return;
    add_edges_from(n, waiting(n, q, a, 1), q, a);
    buchi_add_edge(n->out, waiting(n, q, a, 1), same, waiting(n, q, a, 1));
}

/* False: a limit was reached. */
static bool find_for_ever(struct normal *n)
{
    for (size_t a = 0; a < n->letters; a++) {
        if (limits_reached(n->b->limits)) return false;
        struct buchi one;
        only_letter(n->b, spread(a, n->mentioned), &one);
        for (size_t q = 0; q < n->b->states.len; q++)
            n->for_ever[q * n->letters + a] = accepts_for_ever(&one, (int)q, 0);
        buchi_release(&one);
    }
    return true;
}

bool buchi_si_normal_form(const struct buchi *b, letter mentioned, size_t most_states, struct buchi *out)
{
    *out = (struct buchi){.limits = b->limits};
    int bits = __builtin_popcountll(mentioned);
    if (bits > 16 || (2 * b->states.len + 1) << bits > most_states) return false;
    struct normal n = {.b = b, .mentioned = mentioned, .letters = (size_t)1 << bits, .out = out};
    n.for_ever = xcalloc(b->states.len * n.letters + 1, sizeof *n.for_ever);
    if (!find_for_ever(&n)) {
        free(n.for_ever);
        return false;
    }
    for (size_t i = 0; i < 1 + (2 * b->states.len + 1) * n.letters; i++) buchi_add_state(out, false);
    add_edges_from(&n, 0, b->initial, n.letters);
    for (size_t a = 0; a < n.letters; a++) {
        letter l = spread(a, mentioned);
        for (size_t q = 0; q < b->states.len; q++) add_waiting(&n, (int)q, a);
        buchi_add_edge(out, for_ever(&n, a), (struct cube){l, mentioned & ~l}, for_ever(&n, a));
        out->states.at[for_ever(&n, a)].accepting = true;
    }
    free(n.for_ever);
    buchi_trim(out);
    return true;
}

/* ---- Definition 12, checked ---- */

static int edges_with(const struct buchi_state *s, struct cube label, int *to)
{
    int count = 0;
    for (size_t k = 0; k < s->edges.len; k++)
        if (s->edges.at[k].label.pos == label.pos && s->edges.at[k].label.neg == label.neg)
            *to = s->edges.at[k].to, count++;
    return count;
}

static bool has_edge(const struct buchi_state *s, const struct buchi_edge *e)
{
    for (size_t k = 0; k < s->edges.len; k++)
        if (s->edges.at[k].to == e->to && !memcmp(&s->edges.at[k].label, &e->label, sizeof e->label)) return true;
    return false;
}

static bool same_edges(const struct buchi_state *a, const struct buchi_state *b)
{
    for (size_t k = 0; k < a->edges.len; k++)
        if (!has_edge(b, &a->edges.at[k])) return false;
    return a->edges.len == b->edges.len;
}

static bool state_is_normal(const struct buchi *b, int s, struct cube own)
{
    const struct buchi_state *state = &b->states.at[s];
    int next = -1;
    if (edges_with(state, own, &next) != 1) return false;
    if (next == s) return true;
    return state->accepting && !b->states.at[next].accepting && same_edges(state, &b->states.at[next]);
}

bool buchi_is_si_normal_form(const struct buchi *b, letter mentioned)
{
    struct cube *own = xcalloc(b->states.len + 1, sizeof *own);
    bool *entered = xcalloc(b->states.len + 1, sizeof *entered), good = true;
    for (size_t s = 0; s < b->states.len; s++)
        for (size_t k = 0; k < b->states.at[s].edges.len; k++) {
            const struct buchi_edge *e = &b->states.at[s].edges.at[k];
            if ((e->label.pos | e->label.neg) != mentioned) good = false;
            if (entered[e->to] && memcmp(&own[e->to], &e->label, sizeof e->label)) good = false;
            own[e->to] = e->label;
            entered[e->to] = true;
        }
    good = good && !entered[b->initial];
    for (int s = 0; s < (int)b->states.len; s++)
        if (s != b->initial && good) good = entered[s] && state_is_normal(b, s, own[s]);
    free(own);
    free(entered);
    return good;
}

/* ---- stutter invariance of any automaton ---- */

/* Words in which letters are repeated more often: (q, a) may wait for more a. Acceptance is on entering q. */
static void insertion_closure(const struct buchi *b, letter mentioned, struct buchi *out)
{
    struct normal n = {
        .b = b, .mentioned = mentioned, .letters = (size_t)1 << __builtin_popcountll(mentioned), .out = out};
    *out = (struct buchi){.limits = b->limits};
    for (size_t i = 0; i < 1 + 2 * b->states.len * n.letters; i++) buchi_add_state(out, false);
    n.for_ever = xcalloc(b->states.len * n.letters + 1, sizeof *n.for_ever);
    add_edges_from(&n, 0, b->initial, n.letters);
    for (size_t q = 0; q < b->states.len; q++)
        for (size_t a = 0; a < n.letters; a++) {
            letter l = spread(a, mentioned);
            struct cube same = {l, mentioned & ~l};
            out->states.at[waiting(&n, (int)q, a, 0)].accepting = b->states.at[q].accepting;
            for (int again = 0; again < 2; again++) {
                add_edges_from(&n, waiting(&n, (int)q, a, again), (int)q, n.letters);
                buchi_add_edge(out, waiting(&n, (int)q, a, again), same, waiting(&n, (int)q, a, 1));
            }
        }
    free(n.for_ever);
    buchi_trim(out);
}

struct stretch { int at; bool accepting; };

/* The states that a+ leads to from q, and whether an accepting one can be met on the way: bit 1 reached, bit 2 so. */
static void by_repetition(const struct buchi *b, int q, letter a, unsigned char *met)
{
    VEC(struct stretch) queue = {0};
    memset(met, 0, b->states.len);
    vec_push(&queue, ((struct stretch){q, false}));
    while (queue.len) {
        struct stretch now = vec_pop(&queue);
        for (size_t k = 0; k < b->states.at[now.at].edges.len; k++) {
            const struct buchi_edge *e = &b->states.at[now.at].edges.at[k];
            bool accepting = now.accepting || b->states.at[e->to].accepting;
            if (!cube_has(e->label, a) || met[e->to] & (accepting ? 2 : 1)) continue;
            met[e->to] |= accepting ? 2 : 1;
            vec_push(&queue, ((struct stretch){e->to, accepting}));
        }
    }
    vec_release(&queue);
}

/* Words in which repeated letters are fewer: one a stands for a+. States are (q, was an accepting state met). */
static void deletion_closure(const struct buchi *b, letter mentioned, struct buchi *out)
{
    size_t letters = (size_t)1 << __builtin_popcountll(mentioned);
    unsigned char *met = xcalloc(b->states.len + 1, 1);
    *out = (struct buchi){.initial = 2 * b->initial, .limits = b->limits};
    for (size_t q = 0; q < 2 * b->states.len; q++) buchi_add_state(out, q & 1);
    for (size_t q = 0; q < b->states.len; q++)
        for (size_t a = 0; a < letters; a++) {
            letter l = spread(a, mentioned);
            struct cube label = {l, mentioned & ~l};
            by_repetition(b, (int)q, l, met);
            for (size_t to = 0; to < b->states.len; to++)
                for (int again = 0; again < 2 && met[to]; again++) {
                    if (met[to] & 1) buchi_add_edge(out, (int)(2 * q) + again, label, (int)(2 * to));
                    if (met[to] & 2) buchi_add_edge(out, (int)(2 * q) + again, label, (int)(2 * to) + 1);
                }
        }
    free(met);
    buchi_trim(out);
}

enum stutter buchi_stutter(const struct buchi *b)
{
    letter mentioned = buchi_letters(b);
    if (buchi_is_stutter_closed(b)) return STUTTER_INVARIANT;
    if (__builtin_popcountll(mentioned) > 6 || b->states.len > 64) return STUTTER_UNKNOWN;
    struct buchi longer, shorter;
    insertion_closure(b, mentioned, &longer);
    deletion_closure(b, mentioned, &shorter);
    int more = buchi_included(&longer, b, mentioned);
    int fewer = more == 1 ? buchi_included(&shorter, b, mentioned) : more;
    buchi_release(&longer);
    buchi_release(&shorter);
    if (more == 0 || fewer == 0) return STUTTER_SENSITIVE;
    return more == 1 && fewer == 1 ? STUTTER_INVARIANT : STUTTER_UNKNOWN;
}
