/* post* and pre* by saturation: the efficient versions of Schwoon's thesis (2002), each transition handled once. */
#include "symbolic/pushdown.h"

#include <stdlib.h>
#include <string.h>

enum { EPSILON = -1 };

/* ---- automata ---- */

void automaton_init(struct automaton *a, int states, int final)
{
    *a = (struct automaton){.states = states, .final = final};
}

void automaton_release(struct automaton *a)
{
    for (size_t i = 0; i < a->out.len; i++) vec_release(&a->out.at[i]);
    vec_release(&a->out);
    vec_release(&a->list);
    free(a->slots);
    *a = (struct automaton){0};
}

static size_t slot_of(const struct automaton *a, struct transition t)
{
    size_t at = hash_bytes(&t, sizeof t, 0) & (a->cap - 1);
    while (a->slots[at]) {
        const struct transition *x = &a->list.at[a->slots[at] - 1];
        if (x->from == t.from && x->symbol == t.symbol && x->to == t.to) break;
        at = (at + 1) & (a->cap - 1);
    }
    return at;
}

static void grow(struct automaton *a)
{
    free(a->slots);
    a->cap = a->cap ? 2 * a->cap : 256;
    a->slots = xcalloc(a->cap, sizeof *a->slots);
    for (size_t i = 0; i < a->list.len; i++) a->slots[slot_of(a, a->list.at[i])] = (int)i + 1;
}

bool automaton_add(struct automaton *a, int from, int symbol, int to)
{
    struct transition t = {from, symbol, to};
    if (2 * (a->list.len + 1) > a->cap) grow(a);
    size_t at = slot_of(a, t);
    if (a->slots[at]) return false;
    while ((int)a->out.len <= MAX(from, to)) vec_push(&a->out, ((int_list){0}));
    a->states = MAX(a->states, MAX(from, to) + 1);
    vec_push(&a->list, t);
    vec_push(&a->out.at[from], (int)a->list.len - 1);
    a->slots[at] = (int)a->list.len;
    return true;
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
    struct automaton *a;
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
static void close_epsilon(struct post *x, struct transition t)
{
    if (t.symbol == EPSILON) {
        while ((int)x->epsilon_to.len <= t.to) vec_push(&x->epsilon_to, ((int_list){0}));
        vec_push(&x->epsilon_to.at[t.to], t.from);
        for (size_t i = 0; t.to < (int)x->a->out.len && i < x->a->out.at[t.to].len; i++) {
            struct transition u = x->a->list.at[x->a->out.at[t.to].at[i]];
            automaton_add(x->a, t.from, u.symbol, u.to);
        }
    } else if (t.from < (int)x->epsilon_to.len) {
        for (size_t i = 0; i < x->epsilon_to.at[t.from].len; i++)
            automaton_add(x->a, x->epsilon_to.at[t.from].at[i], t.symbol, t.to);
    }
}

static void apply_rule(struct post *x, const struct stack_rule *r, struct transition t)
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

void post_star(struct automaton *a, const stack_rules *rules, int p_states)
{
    struct post x = {.a = a, .rules = rules};
    index_init(&x.index, rules, true);
    for (size_t i = 0; i < a->list.len; i++) { /* the list is the worklist: everything added is handled once */
        struct transition t = a->list.at[i];
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
}

/* ---- pre* ---- */

/* Half of a push was matched: what is left is (p, a) -> (state, symbol). By state and symbol. */
struct half { int p, a, symbol, next; };

void pre_star(struct automaton *a, const stack_rules *rules)
{
    struct rule_index index;
    VEC(struct half) halves = {0};
    int_list first_half = {0};
    index_init(&index, rules, false);
    for (size_t i = 0; i < rules->len; i++)
        if (rules->at[i].b < 0) automaton_add(a, rules->at[i].p, rules->at[i].a, rules->at[i].q);
    for (size_t i = 0; i < a->list.len; i++) {
        struct transition t = a->list.at[i];
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
                struct transition u = a->list.at[a->out.at[t.to].at[m]];
                if (u.symbol == r->c) automaton_add(a, r->p, r->a, u.to);
            }
        }
    }
    vec_release(&halves);
    vec_release(&first_half);
    index_release(&index);
}

/* ---- intersection ---- */

bool automata_meet(const struct automaton *a, const struct automaton *b, int state)
{
    int width = b->states + 1;
    bool *seen = xcalloc((size_t)(a->states + 1) * (size_t)width, 1), found = false;
    VEC(struct transition) work = {0}; /* from: state of a, to: state of b */
    vec_push(&work, ((struct transition){state, 0, state}));
    while (work.len && !found) {
        struct transition t = vec_pop(&work);
        bool *mark = &seen[(size_t)t.from * (size_t)width + (size_t)t.to];
        if (*mark) continue;
        *mark = true;
        found = t.from == a->final && t.to == b->final;
        for (size_t i = 0; t.from < (int)a->out.len && i < a->out.at[t.from].len; i++) {
            struct transition x = a->list.at[a->out.at[t.from].at[i]];
            if (x.symbol == EPSILON) vec_push(&work, ((struct transition){x.to, 0, t.to}));
            for (size_t k = 0; x.symbol != EPSILON && t.to < (int)b->out.len && k < b->out.at[t.to].len; k++) {
                struct transition y = b->list.at[b->out.at[t.to].at[k]];
                if (y.symbol == x.symbol) vec_push(&work, ((struct transition){x.to, 0, y.to}));
            }
        }
    }
    vec_release(&work);
    free(seen);
    return found;
}
