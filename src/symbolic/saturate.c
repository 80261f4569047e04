/* post* and pre* by saturation: the efficient versions of Schwoon's thesis (2002), each transition handled once. */
#include "symbolic/automata_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { EPSILON = -1, MOST_TRANSITIONS = 1 << 28 };

/* ---- automata ---- */

void automaton_init(struct stack_automaton *a, int states, int final)
{
    assert(final >= 0 && final < states);
    *a = (struct stack_automaton){.states = states, .final = final};
}

void automaton_release(struct stack_automaton *a)
{
    for (size_t i = 0; i < a->out.len; i++) vec_release(&a->out.at[i]);
    vec_release(&a->out);
    vec_release(&a->list);
    free(a->slots);
    *a = (struct stack_automaton){0};
}

static size_t slot_of(const struct stack_automaton *a, struct stack_transition t)
{
    size_t at = hash_bytes(&t, sizeof t, 0) & (a->cap - 1);
    while (a->slots[at]) {
        const struct stack_transition *x = &a->list.at[a->slots[at] - 1];
        if (x->from == t.from && x->symbol == t.symbol && x->to == t.to) break;
        at = (at + 1) & (a->cap - 1);
    }
    return at;
}

static void grow(struct stack_automaton *a)
{
    free(a->slots);
    a->cap = a->cap ? 2 * a->cap : 256;
    a->slots = xcalloc(a->cap, sizeof *a->slots);
    for (size_t i = 0; i < a->list.len; i++) a->slots[slot_of(a, a->list.at[i])] = (uint32_t)i + 1;
}

bool automaton_add(struct stack_automaton *a, int from, int symbol, int to)
{
    struct stack_transition t = {from, symbol, to};
    assert(from >= 0 && to >= 0 && symbol >= EPSILON && a->list.len < INT32_MAX);
    if (2 * (a->list.len + 1) > a->cap) grow(a);
    size_t at = slot_of(a, t);
    if (a->slots[at]) return false;
    while ((int)a->out.len <= MAX(from, to)) vec_push(&a->out, ((int_list){0}));
    a->states = MAX(a->states, MAX(from, to) + 1);
    vec_push(&a->list, t);
    vec_push(&a->out.at[from], (int)a->list.len - 1);
    a->slots[at] = (uint32_t)a->list.len;
    return true;
}

size_t automaton_put(struct stack_automaton *a, int from, int symbol, int to)
{
    if (automaton_add(a, from, symbol, to)) return a->list.len - 1;
    return a->slots[slot_of(a, (struct stack_transition){from, symbol, to})] - 1;
}

/* ---- rules by what they match ---- */

struct rule_index { int *first, *next; size_t cap; };

static size_t key(const struct rule_index *x, int p, int a)
{
    int pair[2] = {p, a};
    return hash_bytes(pair, sizeof pair, 0) & (x->cap - 1);
}

/* by_left: (p, a); otherwise the right-hand side's (q, b). */
static void index_init(struct rule_index *x, const stack_rules *rules, bool by_left)
{
    for (x->cap = 16; x->cap < rules->len + 1;) x->cap *= 2;
    x->first = xcalloc(x->cap, sizeof *x->first);
    x->next = xcalloc(rules->len + 1, sizeof *x->next);
    for (size_t i = 0; i < rules->len; i++) {
        const struct stack_rule *r = &rules->at[i];
        size_t at = by_left ? key(x, r->p, r->a) : key(x, r->q, r->b);
        x->next[i] = x->first[at];
        x->first[at] = (int)i + 1;
    }
}

static void index_release(struct rule_index *x)
{
    free(x->first);
    free(x->next);
}

/* ---- post* ---- */

struct post {
    struct stack_automaton *a;
    const stack_rules *rules;
    struct rule_index index;
    struct map known;
    struct arena arena;
    VEC(int_list) epsilon_to; /* by state: states with an empty transition to it */
};

/* The state that stands for a call of (p, symbol). */
static int middle_state(struct post *x, int p, int symbol)
{
    const char *name = arena_printf(&x->arena, "%d %d", p, symbol);
    int known = (int)(intptr_t)map_get(&x->known, name);
    if (known) return known - 1;
    int state = x->a->states++;
    map_put(&x->known, name, (void *)(intptr_t)(state + 1));
    return state;
}

/* (p, empty, q) and (q, symbol, r) make (p, symbol, r). */
static void close_epsilon(struct post *x, struct stack_transition t)
{
    if (t.symbol == EPSILON) {
        while ((int)x->epsilon_to.len <= t.to) vec_push(&x->epsilon_to, ((int_list){0}));
        vec_push(&x->epsilon_to.at[t.to], t.from);
        for (size_t i = 0; t.to < (int)x->a->out.len && i < x->a->out.at[t.to].len; i++) {
            struct stack_transition u = x->a->list.at[x->a->out.at[t.to].at[i]];
            automaton_add(x->a, t.from, u.symbol, u.to);
        }
    } else if (t.from < (int)x->epsilon_to.len) {
        for (size_t i = 0; i < x->epsilon_to.at[t.from].len; i++)
            automaton_add(x->a, x->epsilon_to.at[t.from].at[i], t.symbol, t.to);
    }
}

static void apply_rule(struct post *x, const struct stack_rule *r, struct stack_transition t)
{
    if (r->b < 0) {
        automaton_add(x->a, r->q, EPSILON, t.to);
    } else if (r->c < 0) {
        automaton_add(x->a, r->q, r->b, t.to);
    } else {
        int middle = middle_state(x, r->q, r->b);
        automaton_add(x->a, r->q, r->b, middle);
        automaton_add(x->a, middle, r->c, t.to);
    }
}

/* Asked once per transition that is handled. */
static enum limit ask(const struct limits *limits, size_t handled, const struct stack_automaton *a)
{
    if (a->list.len >= MOST_TRANSITIONS) return LIMIT_MEMORY;
    return handled % 1024 ? LIMIT_NONE : limits_reached_memory(limits);
}

enum limit post_star(struct stack_automaton *a, const stack_rules *rules, int p_states, const struct limits *limits)
{
    enum limit cut = LIMIT_NONE;
    struct post x = {.a = a, .rules = rules};
    for (size_t i = 0; i < a->list.len; i++) assert(a->list.at[i].to >= p_states);
    index_init(&x.index, rules, true);
    for (size_t i = 0; i < a->list.len && !cut; i++) { /* the list is the worklist: everything added is handled once */
        cut = ask(limits, i, a);
        struct stack_transition t = a->list.at[i];
        close_epsilon(&x, t);
        if (t.symbol == EPSILON || t.from >= p_states) continue;
        for (int k = x.index.first[key(&x.index, t.from, t.symbol)]; k; k = x.index.next[k - 1]) {
            const struct stack_rule *r = &rules->at[k - 1];
            if (r->p == t.from && r->a == t.symbol) apply_rule(&x, r, t);
        }
    }
    for (size_t i = 0; i < x.epsilon_to.len; i++) vec_release(&x.epsilon_to.at[i]);
    vec_release(&x.epsilon_to);
    map_release(&x.known);
    arena_release(&x.arena);
    index_release(&x.index);
    return cut;
}

/* ---- pre* ---- */

/* Half of a push was matched: what is left is (p, a) -> (state, symbol). By state and symbol. */
struct half { int p, a, symbol, next; };

enum limit pre_star(struct stack_automaton *a, const stack_rules *rules, const struct limits *limits)
{
    enum limit cut = LIMIT_NONE;
    struct rule_index index;
    VEC(struct half) halves = {0};
    int_list first_half = {0};
    index_init(&index, rules, false);
    for (size_t i = 0; i < rules->len; i++)
        if (rules->at[i].b < 0) automaton_add(a, rules->at[i].p, rules->at[i].a, rules->at[i].q);
    for (size_t i = 0; i < a->list.len && !cut; i++) {
        struct stack_transition t = a->list.at[i];
        cut = ask(limits, i, a);
        for (int h = t.from < (int)first_half.len ? first_half.at[t.from] : 0; h; h = halves.at[h - 1].next)
            if (halves.at[h - 1].symbol == t.symbol) automaton_add(a, halves.at[h - 1].p, halves.at[h - 1].a, t.to);
        for (int k = index.first[key(&index, t.from, t.symbol)]; k; k = index.next[k - 1]) {
            const struct stack_rule *r = &rules->at[k - 1];
            if (r->q != t.from || r->b != t.symbol || r->b < 0) continue;
            if (r->c < 0) {
                automaton_add(a, r->p, r->a, t.to);
                continue;
            }
            while ((int)first_half.len <= t.to) vec_push(&first_half, 0);
            vec_push(&halves, ((struct half){r->p, r->a, r->c, first_half.at[t.to]}));
            first_half.at[t.to] = (int)halves.len;
            for (size_t m = 0; t.to < (int)a->out.len && m < a->out.at[t.to].len && a->out.at[t.to].at[m] <= (int)i;
                 m++) {
                struct stack_transition u = a->list.at[a->out.at[t.to].at[m]];
                if (u.symbol == r->c) automaton_add(a, r->p, r->a, u.to);
            }
        }
    }
    vec_release(&halves);
    vec_release(&first_half);
    index_release(&index);
    return cut;
}

/* ---- intersection ---- */

struct pair_set { uint64_t *slots; size_t cap, len; }; /* 0: empty */

static bool pair_add(struct pair_set *x, uint64_t pair)
{
    if (2 * (x->len + 1) > x->cap) {
        struct pair_set bigger = {.cap = x->cap ? 2 * x->cap : 256};
        bigger.slots = xcalloc(bigger.cap, sizeof *bigger.slots);
        for (size_t i = 0; i < x->cap; i++)
            if (x->slots[i]) pair_add(&bigger, x->slots[i]);
        free(x->slots);
        *x = bigger;
    }
    size_t at = hash_bytes(&pair, sizeof pair, 0) & (x->cap - 1);
    while (x->slots[at] && x->slots[at] != pair) at = (at + 1) & (x->cap - 1);
    if (x->slots[at]) return false;
    x->slots[at] = pair;
    x->len++;
    return true;
}

bool automata_meet(const struct stack_automaton *a, const struct stack_automaton *b, int state)
{
    struct pair_set seen = {0};
    VEC(struct stack_transition) work = {0}; /* from: state of a, to: state of b */
    bool found = false;
    vec_push(&work, ((struct stack_transition){state, 0, state}));
    while (work.len && !found) {
        struct stack_transition t = vec_pop(&work);
        if (!pair_add(&seen, ((uint64_t)t.from << 32 | (uint32_t)t.to) + 1)) continue;
        found = t.from == a->final && t.to == b->final;
        for (size_t i = 0; t.from < (int)a->out.len && i < a->out.at[t.from].len; i++) {
            struct stack_transition x = a->list.at[a->out.at[t.from].at[i]];
            if (x.symbol == EPSILON) vec_push(&work, ((struct stack_transition){x.to, 0, t.to}));
            for (size_t k = 0; x.symbol != EPSILON && t.to < (int)b->out.len && k < b->out.at[t.to].len; k++) {
                struct stack_transition y = b->list.at[b->out.at[t.to].at[k]];
                if (y.symbol == x.symbol) vec_push(&work, ((struct stack_transition){x.to, 0, y.to}));
            }
        }
    }
    vec_release(&work);
    free(seen.slots);
    return found;
}
