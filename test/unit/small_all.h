/* All small programs and all small automata in stutter-invariant normal form, up to renaming, one after the other. */
#ifndef HEDDLE_SMALL_ALL_H
#define HEDDLE_SMALL_ALL_H

#include "small_por.h"

typedef VEC(struct small_automaton) automata;

/* Definition 12: states other than the first are entered with one letter, `own`. */
static bool is_normal(const struct small_automaton *a, const uint8_t *own)
{
    for (int s = 1; s < a->states; s++) {
        unsigned next = a->to[s][own[s]];
        if (!next || next & (next - 1)) return false;
        if (next >> s & 1) continue;
        int other = __builtin_ctz(next);
        if (!(a->accepting >> s & 1) || a->accepting >> other & 1) return false;
        if (memcmp(a->to[s], a->to[other], sizeof a->to[s])) return false;
    }
    return true;
}

/* Given the letters, an automaton in normal form is a graph in which nothing leads to the first state. */
static void add_normal_with(automata *out, int states, int letters, const uint8_t *own)
{
    int width = states - 1;
    for (uint64_t i = 0; i < UINT64_C(1) << (width * states + width); i++) {
        struct small_automaton a = {.states = states, .letters = letters};
        uint64_t rest = i;
        a.accepting = (uint8_t)((rest & ((1u << width) - 1)) << 1);
        rest >>= width;
        for (int s = 0; s < states; s++)
            for (int t = 1; t < states; t++, rest >>= 1)
                if (rest & 1) a.to[s][own[t]] |= (uint8_t)(1u << t);
        if (is_normal(&a, own) && is_trim(&a) && is_chosen_automaton(&a)) vec_push(out, a);
    }
}

static void add_normal(automata *out, int states, int letters)
{
    size_t from = out->len, kept = from;
    for (unsigned i = 0; i < 27; i++) {
        uint8_t own[MOST_S] = {0, (uint8_t)(i % 3), (uint8_t)(i / 3 % 3), (uint8_t)(i / 9)};
        bool fits = true;
        for (int s = 1; s < MOST_S; s++) fits &= own[s] < (s < states ? letters : 1);
        if (fits) add_normal_with(out, states, letters, own);
    }
    for (size_t i = from; i < out->len; i++) { /* a graph can fit several letters only where they do not matter */
        bool known = false;
        for (size_t k = from; k < kept && !known; k++) known = !memcmp(&out->at[k], &out->at[i], sizeof out->at[i]);
        if (!known) out->at[kept++] = out->at[i];
    }
    out->len = kept;
}

/* ---- enumerating programs ---- */

/* Those of one size of which something can be reduced: by their operations alone, and with labels. */
struct programs {
    int states, ops, letters;
    unsigned long every, offset; /* of all ways to choose operations these */
    bool (*may_reduce)(struct small_program *p), (*may_reduce_labelled)(struct small_program *p);
};
typedef void program_fn(void *ctx, const struct small_program *p);

static void with_labels(const struct programs *x, struct small_program *p, unsigned same, program_fn *fn, void *ctx)
{
    int labellings = 1;
    for (int q = 0; q < p->states; q++) labellings *= x->letters;
    for (int i = 0; i < labellings; i++) {
        for (int q = 0, rest = i; q < p->states; q++, rest /= x->letters) p->label[q] = (uint8_t)(rest % x->letters);
        if (x->may_reduce_labelled(p) && is_chosen_labelling(p, same)) fn(ctx, p);
    }
}

static void set_operation(struct small_program *p, int op, int number)
{
    for (int q = 0; q < p->states; q++, number /= p->states + 1)
        p->to[op][q] = number % (p->states + 1) == p->states ? NONE : (uint8_t)(number % (p->states + 1));
}

/* Operations in ascending order; the last number is the one that is never enabled. */
static void add_operations(const struct programs *x, struct small_program *p, int op, int from, unsigned long *count,
                           program_fn *fn, void *ctx)
{
    unsigned same;
    int never = 1;
    for (int q = 0; q < p->states; q++) never *= p->states + 1;
    if (op == p->ops) {
        if ((*count)++ % x->every != x->offset || !all_reachable(p) || !x->may_reduce(p)) return;
        if (is_chosen_program(p, &same)) with_labels(x, p, same, fn, ctx);
        return;
    }
    for (int i = from; i < never - 1; i++) {
        set_operation(p, op, i);
        add_operations(x, p, op + 1, i, count, fn, ctx);
    }
}

static void for_programs(const struct programs *x, program_fn *fn, void *ctx)
{
    struct small_program p = {.states = x->states, .ops = x->ops};
    unsigned long count = 0;
    memset(p.to, NONE, sizeof p.to);
    add_operations(x, &p, 0, 0, &count, fn, ctx);
}

#endif
