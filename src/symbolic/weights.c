/* Weighted pushdown systems (Reps, Schwoon, Jha, Melski: Weighted pushdown systems and their application to
 * interprocedural dataflow analysis, 2005): pre* with weights, a transition being looked at again whenever its weight
 * has changed. */
#include "symbolic/semiring_int.h"

#include <assert.h>
#include <stdlib.h>

/* ---- semirings ---- */

static weight least(weight x, weight y) { return MIN(x, y); }
static weight sum(weight x, weight y) { return x == INT64_MAX || y == INT64_MAX ? INT64_MAX : x + y; }
static weight as_written(long n) { return n; }
static weight either(weight x, weight y) { return x | y; }
static weight both(weight x, weight y) { return x & y; }
static weight present(long n) { (void)n; return 1; }

const struct semiring *semiring_of(enum pushdown_weights which)
{
    static const struct semiring table[] = {
        [WEIGHTS_SHORTEST] = {INT64_MAX, 0, least, sum, as_written},
        [WEIGHTS_REACHABILITY] = {0, 1, either, both, present},
    };
    assert(which == WEIGHTS_SHORTEST || which == WEIGHTS_REACHABILITY);
    return &table[which];
}

/* ---- saturation ---- */

/* The first half of the right-hand side of a push, matched by a transition: by the state in between. */
struct matched { int rule, transition, next; };

struct weigher {
    struct stack_automaton *a;
    const stack_rules *rules;
    const struct semiring *s;
    VEC(weight) weights;    /* by transition */
    VEC(bool) seen, queued; /* by transition */
    int_list queue;
    VEC(struct matched) matches;
    int_list first_match;   /* by state, 1 + index, 0: none */
    int_list *by_right;     /* rules, by state and first symbol of the right-hand side, hashed */
    size_t buckets;
};

static size_t bucket(const struct weigher *x, int q, int b)
{
    int pair[2] = {q, b};
    return hash_bytes(pair, sizeof pair, 0) % x->buckets;
}

static void note(struct weigher *x)
{
    while (x->weights.len < x->a->list.len) {
        vec_push(&x->weights, x->s->zero);
        vec_push(&x->seen, false);
        vec_push(&x->queued, false);
    }
}

static void improve(struct weigher *x, int from, int symbol, int to, weight w)
{
    if (w == x->s->zero) return;
    size_t at = automaton_put(x->a, from, symbol, to);
    note(x);
    weight joined = x->s->combine(x->weights.at[at], w);
    if (joined == x->weights.at[at]) return;
    x->weights.at[at] = joined;
    if (!x->queued.at[at]) vec_push(&x->queue, (int)at);
    x->queued.at[at] = true;
}

/* rule, then its two symbols by these transitions. */
static void improve_push(struct weigher *x, int rule, int first, int second)
{
    const struct stack_rule *r = &x->rules->at[rule];
    weight w = x->s->extend(r->weight, x->s->extend(x->weights.at[first], x->weights.at[second]));
    improve(x, r->p, r->a, x->a->list.at[second].to, w);
}

static void match_first(struct weigher *x, int rule, int transition, bool again)
{
    int state = x->a->list.at[transition].to;
    while ((int)x->first_match.len <= state) vec_push(&x->first_match, 0);
    if (!again) {
        vec_push(&x->matches, ((struct matched){rule, transition, x->first_match.at[state]}));
        x->first_match.at[state] = (int)x->matches.len;
    }
    for (size_t i = 0; state < (int)x->a->out.len && i < x->a->out.at[state].len; i++) {
        int second = x->a->out.at[state].at[i];
        if (x->a->list.at[second].symbol == x->rules->at[rule].c) improve_push(x, rule, transition, second);
    }
}

static void look_at(struct weigher *x, int transition)
{
    struct stack_transition t = x->a->list.at[transition];
    const int_list *rules = &x->by_right[bucket(x, t.from, t.symbol)];
    bool again = x->seen.at[transition];
    x->seen.at[transition] = true;
    for (size_t i = 0; i < rules->len; i++) {
        const struct stack_rule *r = &x->rules->at[rules->at[i]];
        if (r->q != t.from || r->b != t.symbol) continue;
        if (r->c >= 0) match_first(x, rules->at[i], transition, again);
        else improve(x, r->p, r->a, t.to, x->s->extend(r->weight, x->weights.at[transition]));
    }
    for (int m = t.from < (int)x->first_match.len ? x->first_match.at[t.from] : 0; m; m = x->matches.at[m - 1].next) {
        struct matched first = x->matches.at[m - 1];
        if (x->rules->at[first.rule].c == t.symbol) improve_push(x, first.rule, first.transition, transition);
    }
}

static void start(struct weigher *x)
{
    x->buckets = 2 * x->rules->len + 1;
    x->by_right = xcalloc(x->buckets, sizeof *x->by_right);
    note(x);
    for (size_t i = 0; i < x->a->list.len; i++) {
        x->weights.at[i] = x->s->one;
        x->queued.at[i] = true;
        vec_push(&x->queue, (int)i);
    }
    for (size_t i = 0; i < x->rules->len; i++) {
        const struct stack_rule *r = &x->rules->at[i];
        if (r->b >= 0) vec_push(&x->by_right[bucket(x, r->q, r->b)], (int)i);
        else improve(x, r->p, r->a, r->q, r->weight);
    }
}

enum limit weighted_pre_star(struct stack_automaton *a, const stack_rules *rules, const struct semiring *s,
                             const struct limits *limits, weight **weights)
{
    struct weigher x = {.a = a, .rules = rules, .s = s};
    enum limit cut = LIMIT_NONE;
    start(&x);
    for (size_t handled = 0; handled < x.queue.len && !cut; handled++) { /* those that wait are at the end */
        int transition = x.queue.at[handled];
        x.queued.at[transition] = false;
        look_at(&x, transition);
        if (handled % 1024 == 0) cut = limits_reached_memory(limits);
    }
    *weights = x.weights.at;
    for (size_t i = 0; i < x.buckets; i++) vec_release(&x.by_right[i]);
    free(x.by_right);
    vec_release(&x.seen), vec_release(&x.queued), vec_release(&x.queue);
    vec_release(&x.matches), vec_release(&x.first_match);
    return cut;
}
