/* Several stacks and K rounds as one stack (CBA paper, Fig. 4), asked with post* or pre* (Thm. 1).
 *
 * A state of the one system is (k, p1 ... pK). The threads run one after another on top of each other's stacks; thread
 * j+1 is pushed when thread j has used up its K contexts. Theorem 1 compares the guesses p2 ... pK at the start with
 * the end, so the question is asked once per guess. */
#include "symbolic/semiring_int.h"
#include "symbolic/symbolic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES = 5000000 };

struct reduction {
    const struct pds *s;
    int rounds, shared, symbols, threads; /* symbols: per thread, with the bottom and the steps of its start */
    int states, tuples;                   /* (rounds + 1) * tuples; tuples = shared ^ rounds */
    int most_stack;
    stack_rules rules;
    const struct semiring *weigh; /* NULL: weights are of no interest */
    const struct limits *limits;
    enum limit cut;
};

/* ---- numbering ---- */

static int state_of(const struct reduction *x, int k, int tuple)
{
    assert(k >= 0 && k <= x->rounds && tuple >= 0 && tuple < x->tuples);
    return k * x->tuples + tuple;
}

static int part(const struct reduction *x, int tuple, int i)
{
    while (i--) tuple /= x->shared;
    return tuple % x->shared;
}

static int with_part(const struct reduction *x, int tuple, int i, int p)
{
    int scale = 1;
    for (int k = 0; k < i; k++) scale *= x->shared;
    return tuple + (p - part(x, tuple, i)) * scale;
}

static int symbol_of(const struct reduction *x, int thread, int a)
{
    assert(thread >= 0 && thread <= x->threads && a >= 0 && a < x->symbols); /* the last thread: what ends the stack */
    return thread * x->symbols + a;
}
static int bottom_of(const struct reduction *x, int thread) { return symbol_of(x, thread, (int)x->s->symbols.len); }
static int start_of(const struct reduction *x, int thread, int step) { return bottom_of(x, thread) + 1 + step; }

static void add(struct reduction *x, int p, int a, int q, int b, int c)
{
    vec_push(&x->rules, ((struct stack_rule){p, a, q, b, c, x->weigh ? x->weigh->one : 0}));
}

/* ---- the rules of Fig. 4 ---- */

static void thread_rules(struct reduction *x, int j)
{
    const struct pds_thread *t = &x->s->threads.at[j];
    for (size_t i = 0; i < t->rules.len; i++) {
        const struct pds_rule *r = &t->rules.at[i];
        int b = r->b < 0 ? -1 : symbol_of(x, j, r->b), c = r->c < 0 ? -1 : symbol_of(x, j, r->c);
        for (int k = 0; k < x->rounds; k++)
            for (int tuple = 0; tuple < x->tuples; tuple++)
                if (part(x, tuple, k) == r->p) {
                    add(x, state_of(x, k, tuple), symbol_of(x, j, r->a), state_of(x, k, with_part(x, tuple, k, r->q)),
                        b, c);
                    if (x->weigh) vec_last(&x->rules).weight = x->weigh->of_rule(r->weight);
                }
    }
}

/* Any time: the next context; after the last one: the next thread, on top. */
static void switch_rules(struct reduction *x, int j)
{
    for (int a = 0; a <= (int)x->s->symbols.len; a++) {
        int symbol = symbol_of(x, j, a); /* the bottom included */
        for (int tuple = 0; tuple < x->tuples; tuple++) {
            for (int k = 0; k < x->rounds; k++)
                add(x, state_of(x, k, tuple), symbol, state_of(x, k + 1, tuple), symbol, -1);
            add(x, state_of(x, x->rounds, tuple), symbol, state_of(x, 0, tuple), start_of(x, j + 1, 0), symbol);
        }
    }
}

/* The start symbol unfolds to the stack at the start above a bottom that stays: stacks are never empty. */
static void start_rules(struct reduction *x, int j)
{
    const int_list *stack = &x->s->threads.at[j].stack;
    int n = (int)stack->len;
    for (int tuple = 0; tuple < x->tuples; tuple++) {
        int s = state_of(x, 0, tuple);
        add(x, s, start_of(x, j, 0), s, start_of(x, j, 1), bottom_of(x, j));
        for (int i = 1; i < n; i++)
            add(x, s, start_of(x, j, i), s, start_of(x, j, i + 1), symbol_of(x, j, stack->at[n - i]));
        add(x, s, start_of(x, j, n), s, symbol_of(x, j, stack->at[0]), -1);
    }
}

static bool reached_limit(struct reduction *x)
{
    if (!x->cut) x->cut = limits_reached_memory(x->limits);
    return x->cut != LIMIT_NONE;
}

/* How many rules there will be, with everything that is a table here counted as if it were rules. */
static double size_of(const struct pds *s, int rounds, bool projection, double tuples)
{
    double size = tuples * (rounds + 1);
    for (size_t j = 0; j < s->threads.len; j++) {
        size += (double)s->threads.at[j].rules.len * rounds * tuples;
        size += (double)(s->symbols.len + 1) * tuples * (rounds + 1);
        size += (double)(s->threads.at[j].stack.len + 1) * tuples;
    }
    if (projection) size += (double)s->threads.len * (double)s->states.len * (double)s->symbols.len;
    return size;
}

static bool build(struct reduction *x, bool projection)
{
    const struct pds *s = x->s;
    double tuples = 1;
    for (int i = 0; i < x->rounds; i++) tuples *= (double)s->states.len;
    for (size_t j = 0; j < s->threads.len; j++) x->most_stack = MAX(x->most_stack, (int)s->threads.at[j].stack.len);
    if (size_of(s, x->rounds, projection, tuples) > MOST_RULES) return false;
    x->shared = (int)s->states.len;
    x->threads = (int)s->threads.len;
    x->symbols = (int)s->symbols.len + 1 + x->most_stack + 1;
    x->tuples = (int)tuples;
    x->states = (x->rounds + 1) * x->tuples;
    for (int j = 0; j < x->threads && !reached_limit(x); j++) {
        thread_rules(x, j);
        switch_rules(x, j);
        start_rules(x, j);
    }
    assert(x->cut || x->rules.len <= MOST_RULES);
    return true;
}

/* ---- the question ---- */

static int first_tuple(const struct reduction *x, int guess) { return x->s->init + guess * x->shared; }

/* (p2 ... pK, p): the guesses moved down by one, the last state on top. */
static int last_tuple(const struct reduction *x, int guess, int p) { return with_part(x, guess, x->rounds - 1, p); }

/* Accepts <last, e_(n+1) c_n ... c_1> for all stacks, or for those with the wanted symbol on top. Final: all read. */
static void target_automaton(const struct reduction *x, int last, bool any, struct stack_automaton *a)
{
    int n = x->threads, read = x->states; /* behind it: at the top of thread j, inside it */
    automaton_init(a, x->states + 2 * n + 2, read);
    automaton_add(a, state_of(x, 0, last), start_of(x, n, 0), read + 2 * n - 1);
    for (int j = n - 1; j >= 0; j--) {
        int top = read + 2 * j + 1, inside = top + 1 + 2 * n, below = j ? read + 2 * j - 1 : read;
        int symbol = any ? -1 : x->s->threads.at[j].target_symbol;
        for (int i = 0; i < (int)x->s->symbols.len; i++) {
            if (symbol < 0 || i == symbol) automaton_add(a, top, symbol_of(x, j, i), inside);
            automaton_add(a, inside, symbol_of(x, j, i), inside);
        }
        if (symbol < 0) automaton_add(a, top, bottom_of(x, j), below);
        automaton_add(a, inside, bottom_of(x, j), below);
    }
}

static void start_automaton(const struct reduction *x, int guess, struct stack_automaton *a)
{
    automaton_init(a, x->states + 1, x->states);
    automaton_add(a, state_of(x, 0, first_tuple(x, guess)), start_of(x, 0, 0), x->states);
}

static void ask_forward(struct reduction *x, int guess, struct pushdown_result *r)
{
    struct stack_automaton post, target;
    start_automaton(x, guess, &post);
    x->cut = post_star(&post, &x->rules, x->states, x->limits);
    for (int p = 0; p < x->shared && !reached_limit(x); p++) {
        int last = last_tuple(x, guess, p);
        target_automaton(x, last, true, &target);
        r->reached[p] |= automata_meet(&post, &target, state_of(x, 0, last));
        automaton_release(&target);
    }
    int last = last_tuple(x, guess, x->s->target);
    target_automaton(x, last, false, &target);
    r->found |= automata_meet(&post, &target, state_of(x, 0, last));
    automaton_release(&target);
    automaton_release(&post);
}

/* A run of two automata at once: which symbols can stand on top at a state so that both accept. */
static void project(struct reduction *x, const struct stack_automaton *post, const struct stack_automaton *pre,
                    struct pushdown_result *r)
{
    for (int state = 0; state < x->rounds * x->tuples && !x->cut; state++) {
        int k = state / x->tuples, p = part(x, state % x->tuples, k);
        for (int j = 0; j < x->threads; j++)
            for (int a = 0; a < (int)x->s->symbols.len; a++) {
                size_t row = (size_t)j * (size_t)x->shared + (size_t)p;
                bool *cell = &r->projection[row * x->s->symbols.len + (size_t)a];
                if (*cell || reached_limit(x)) continue;
                struct stack_automaton one; /* accepts configurations of this state that start with this symbol */
                automaton_init(&one, pre->states + 1, pre->final);
                for (size_t i = 0; i < pre->list.len; i++) {
                    struct stack_transition t = pre->list.at[i];
                    if (t.from == state && t.symbol == symbol_of(x, j, a))
                        automaton_add(&one, state, t.symbol, t.to + x->states);
                    automaton_add(&one, t.from + x->states, t.symbol, t.to + x->states);
                }
                one.final = pre->final + x->states;
                *cell = automata_meet(post, &one, state);
                automaton_release(&one);
            }
    }
}

static void ask_backward(struct reduction *x, int guess, bool projection, struct pushdown_result *r)
{
    struct stack_automaton pre, start, post;
    target_automaton(x, last_tuple(x, guess, x->s->target), false, &pre);
    x->cut = pre_star(&pre, &x->rules, x->limits);
    start_automaton(x, guess, &start);
    bool found = automata_meet(&start, &pre, state_of(x, 0, first_tuple(x, guess)));
    r->found |= found;
    if (projection && found && !x->cut) {
        start_automaton(x, guess, &post);
        x->cut = post_star(&post, &x->rules, x->states, x->limits);
        project(x, &post, &pre, r);
        automaton_release(&post);
    }
    automaton_release(&pre);
    automaton_release(&start);
}

static void ask_weight(struct reduction *x, int guess, struct pushdown_weight *r)
{
    struct stack_automaton pre;
    weight *weights = NULL;
    target_automaton(x, last_tuple(x, guess, x->s->target), false, &pre);
    x->cut = weighted_pre_star(&pre, &x->rules, x->weigh, x->limits, &weights);
    for (size_t i = 0; i < pre.list.len && !x->cut; i++) {
        struct stack_transition t = pre.list.at[i];
        if (t.from == state_of(x, 0, first_tuple(x, guess)) && t.symbol == start_of(x, 0, 0) && t.to == pre.final)
            r->weight = x->weigh->combine(r->weight, weights[i]);
    }
    free(weights);
    automaton_release(&pre);
}

static const char *cut_words(enum limit cut)
{
    switch (cut) {
    case LIMIT_NONE: return NULL;
    case LIMIT_TIME: return "out of time (--time)";
    case LIMIT_MEMORY: return "out of memory (--memory)";
    case LIMIT_INTERRUPT: return "interrupted";
    }
    BUG("limit %d", (int)cut);
}

void pushdown_check(const struct pds *s, int rounds, bool backward, bool projection, const struct limits *limits,
                    struct pushdown_result *r)
{
    struct reduction x = {.s = s, .rounds = rounds, .limits = limits};
    assert(rounds > 0);
    *r = (struct pushdown_result){0};
    r->reached = xcalloc(s->states.len + 1, 1);
    bool small = build(&x, projection);
    if (!small) r->cut = "the reduced system is too large for explicit saturation";
    if (small && projection) r->projection = xcalloc(s->threads.len * s->states.len * s->symbols.len + 1, 1);
    int guesses = small ? x.tuples / x.shared : 0;
    for (int guess = 0; guess < guesses && !reached_limit(&x); guess++) {
        if (backward || projection) ask_backward(&x, guess, projection, r);
        if (!backward && !x.cut) ask_forward(&x, guess, r);
    }
    if (x.cut) r->cut = cut_words(x.cut), r->limit = x.cut;
    vec_release(&x.rules);
}

struct pushdown_weight pushdown_weigh(const struct pds *s, int rounds, enum pushdown_weights which,
                                      const struct limits *limits)
{
    struct reduction x = {.s = s, .rounds = rounds, .limits = limits, .weigh = semiring_of(which)};
    struct pushdown_weight r = {.weight = x.weigh->zero};
    assert(rounds > 0);
    bool small = build(&x, false);
    if (!small) r.cut = "the reduced system is too large for explicit saturation";
    int guesses = small ? x.tuples / x.shared : 0;
    for (int guess = 0; guess < guesses && !reached_limit(&x); guess++) ask_weight(&x, guess, &r);
    if (x.cut) r.cut = cut_words(x.cut), r.limit = x.cut;
    r.exists = r.weight != x.weigh->zero;
    vec_release(&x.rules);
    return r;
}

void pushdown_release(struct pushdown_result *r)
{
    free(r->reached);
    free(r->projection);
}
