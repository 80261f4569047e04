/* Reduced and full search of the product agree: all small programs against all small automata in stutter-invariant
 * normal form, and the two published schemes are caught missing errors. HEDDLE_POR_ROUNDS=n tries n random larger pairs.
 *
 * A program is a few states and operations; each operation is a process of its own that may be enabled in some states
 * and leads to one. What is independent and invisible is found by its definition, on the whole program. */
#include "search/search.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_below.h"

enum { MOST_STATES = 4, MOST_OPS = 3, NONE = 255 };

struct mock {
    struct model base;
    int states, ops;
    uint8_t to[MOST_OPS][MOST_STATES]; /* NONE: not enabled */
    uint8_t label[MOST_STATES];        /* the propositions that hold */
    bool ample[MOST_OPS][MOST_STATES], invisible[MOST_OPS];
    bool down; /* what cuts cycles: ample steps lead to a higher state, or to a lower one */
};

static uint32_t initial(struct model *m, uint8_t *state)
{
    (void)m;
    state[0] = 0;
    return 1;
}

static uint32_t successors(struct model *base, const uint8_t *state, uint32_t size, int pid, bool timeout, successor_fn *fn, void *ctx)
{
    struct mock *m = (struct mock *)base;
    uint32_t count = 0;
    (void)size, (void)timeout;
    for (int op = 0; op < m->ops; op++) {
        if ((pid != MODEL_ALL && pid != op) || m->to[op][*state] == NONE) continue;
        struct successor s = {.state = &m->to[op][*state], .size = 1, .pid = op, .last = op};
        count++;
        if (!fn(ctx, &s)) break;
    }
    return count;
}

static int process_count(struct model *m, const uint8_t *state)
{
    (void)state;
    return ((struct mock *)m)->ops;
}
static bool first_label(struct model *m, const uint8_t *state) { return ((struct mock *)m)->label[*state] & 1; }
static bool second_label(struct model *m, const uint8_t *state) { return ((struct mock *)m)->label[*state] & 2; }
static bool commutes(struct model *m, const uint8_t *state, int pid) { return ((struct mock *)m)->ample[pid][*state]; }
static bool independent(struct model *base, const uint8_t *state, int pid)
{
    const struct mock *m = (struct mock *)base;
    int to = m->to[pid][*state];
    return m->ample[pid][*state] && (m->down ? to < *state : to > *state);
}
static bool invisible(struct model *m, const uint8_t *state, int pid)
{
    (void)state;
    return ((struct mock *)m)->invisible[pid];
}

static const struct model_ops ops = {.initial = initial, .successors = successors, .process_count = process_count,
    .accepts = first_label, .progresses = second_label, .commutes = commutes, .independent = independent, .invisible = invisible};

/* Definition 10 */
static bool commute(const struct mock *m, int a, int b)
{
    for (int q = 0; q < m->states; q++) {
        if (m->to[a][q] == NONE || m->to[b][q] == NONE) continue;
        int ab = m->to[b][m->to[a][q]], ba = m->to[a][m->to[b][q]];
        if (ab == NONE || ba == NONE || ab != ba) return false;
    }
    return true;
}

/* C1 for the set {op}: whatever is enabled before op happens commutes with it. */
static bool may_go_first(const struct mock *m, int op, int q)
{
    bool seen[MOST_STATES] = {[0] = false};
    int stack[MOST_STATES], len = 0;
    if (m->to[op][q] == NONE) return false;
    seen[q] = true;
    stack[len++] = q;
    while (len) {
        int at = stack[--len];
        for (int o = 0; o < m->ops; o++) {
            if (o == op || m->to[o][at] == NONE) continue;
            if (!commute(m, o, op)) return false;
            int next = m->to[o][at];
            if (!seen[next]) seen[next] = true, stack[len++] = next;
        }
    }
    return true;
}

/* True if there is anything to reduce. */
static bool analyse(struct mock *m)
{
    bool any = false;
    m->base = (struct model){.ops = &ops, .max_state = 1};
    for (int o = 0; o < m->ops; o++) {
        m->invisible[o] = true;
        for (int q = 0; q < m->states; q++)
            if (m->to[o][q] != NONE && m->label[q] != m->label[m->to[o][q]]) m->invisible[o] = false;
        for (int q = 0; q < m->states; q++) any |= (m->ample[o][q] = may_go_first(m, o, q)) && m->invisible[o];
    }
    return any;
}

struct checker { struct formulas formulas; struct arena arena; struct property p; };

static void checker_init(struct checker *c)
{
    *c = (struct checker){0};
    formulas_init(&c->formulas, &c->arena);
    proposition_number(&c->formulas, "first", NULL, PROPOSITION_ACCEPT);
    proposition_number(&c->formulas, "second", NULL, PROPOSITION_PROGRESS);
    c->p = (struct property){.name = "p", .kind = "ltl", .text = "p", .claim = -1, .formulas = &c->formulas};
    vec_push(&c->p.target_of, 0);
    vec_push(&c->p.target_of, 0);
}

static void checker_release(struct checker *c)
{
    vec_release(&c->p.target_of);
    formulas_release(&c->formulas);
    arena_release(&c->arena);
}

static bool has_error(struct checker *c, struct mock *m, const struct buchi *b, enum reduction how)
{
    struct search_options o = {.bound = -1};
    struct search_result r;
    c->p.automaton = b;
    c->p.reduction = how;
    cycles_search(&m->base, &c->p, &o, &r);
    bool found = r.has_error;
    search_result_release(&r);
    return found;
}

/* ---- all programs, all automata ---- */

static bool program(struct mock *m, int states, int operations, unsigned long number, unsigned labels)
{
    *m = (struct mock){.states = states, .ops = operations};
    for (int o = 0; o < operations; o++)
        for (int q = 0; q < states; q++, number /= (unsigned)states + 1) {
            unsigned t = number % ((unsigned)states + 1);
            m->to[o][q] = t == (unsigned)states ? NONE : (uint8_t)t;
        }
    for (int q = 0; q < states; q++) m->label[q] = labels >> q & 1;
    return !number && analyse(m);
}

static void automaton(struct buchi *b, int states, unsigned long number)
{
    static const struct cube letters[] = {{0, 1}, {1, 0}};
    *b = (struct buchi){0};
    for (int s = 0; s < states; s++, number /= 2) buchi_add_state(b, number & 1);
    for (int s = 0; s < states; s++)
        for (int t = 0; t < states; t++)
            for (size_t l = 0; l < 2; l++, number /= 2)
                if (number & 1) buchi_add_edge(b, s, letters[l], t);
}

static uint64_t structure(const struct buchi *b)
{
    uint64_t h = hash_bytes(&b->initial, sizeof b->initial, b->states.len);
    for (size_t s = 0; s < b->states.len; s++)
        for (size_t k = 0; k < b->states.at[s].edges.len; k++) {
            const struct buchi_edge *e = &b->states.at[s].edges.at[k];
            uint64_t key[] = {s, e->label.pos, e->label.neg, (uint64_t)e->to, b->states.at[s].accepting};
            h = hash_bytes(key, sizeof key, h);
        }
    return h;
}

typedef VEC(struct buchi) buchi_list;

/* The normal forms of all automata of two states over one proposition, each once. */
static void normal_forms(buchi_list *out)
{
    VEC(uint64_t) seen = {0};
    for (unsigned long i = 0; i < 1024; i++) {
        struct buchi b, normal;
        automaton(&b, 2, i);
        assert_true(buchi_si_normal_form(&b, 1, 1000, &normal));
        assert_true(buchi_is_si_normal_form(&normal, 1));
        bool known = normal.states.len == 1;
        for (size_t k = 0; k < seen.len; k++) known |= seen.at[k] == structure(&normal);
        vec_push(&seen, structure(&normal));
        if (known) buchi_release(&normal);
        else vec_push(out, normal);
        buchi_release(&b);
    }
    vec_release(&seen);
}

static bool reduced_error(struct checker *c, struct mock *m, const struct buchi *b, bool down)
{
    m->down = down;
    return has_error(c, m, b, REDUCTION_SI);
}

static void compare(struct checker *c, struct mock *m, const struct buchi *b, int *errors)
{
    bool full = has_error(c, m, b, REDUCTION_NONE), reduced = reduced_error(c, m, b, false);
    *errors += full;
    if (full) reduced &= reduced_error(c, m, b, true);
    if (full == reduced) return;
    for (int o = 0; o < m->ops; o++)
        for (int q = 0; q < m->states; q++) fprintf(stderr, "op %d: %d -> %d (label %d)\n", o, q, m->to[o][q], m->label[q]);
    buchi_print_hoa(b, &c->formulas.props, "missed", stderr);
    fail_msg("full search: %d, reduced search: %d", full, reduced);
}

static void all_small_programs(void **state)
{
    (void)state;
    struct checker c;
    buchi_list forms = {0};
    int programs = 0, errors = 0;
    checker_init(&c);
    normal_forms(&forms);
    assert_true(forms.len > 50);
    for (int operations = 1; operations <= 2; operations++)
        for (unsigned labels = 0; labels < 4; labels++)
            for (unsigned long i = 0; i < 81; i++) {
                struct mock m;
                if (!program(&m, 2, operations, i, labels)) continue;
                programs++;
                for (size_t k = 0; k < forms.len; k++) compare(&c, &m, &forms.at[k], &errors);
            }
    assert_true(programs > 50 && errors > 100);
    for (size_t k = 0; k < forms.len; k++) buchi_release(&forms.at[k]);
    vec_release(&forms);
    checker_release(&c);
}

/* ---- larger ones, at random ---- */

static void random_program(struct mock *m)
{
    do {
        *m = (struct mock){.states = 2 + (int)random_below(3), .ops = 2 + (int)random_below(2)};
        for (int o = 0; o < m->ops; o++)
            for (int q = 0; q < m->states; q++) m->to[o][q] = random_below(4) ? (uint8_t)random_below((unsigned)m->states) : NONE;
        for (int q = 0; q < m->states; q++) m->label[q] = (uint8_t)random_below(3); /* three letters */
    } while (!analyse(m));
}

static void random_automaton(struct buchi *b)
{
    *b = (struct buchi){0};
    int states = 2 + (int)random_below(3);
    for (int s = 0; s < states; s++) buchi_add_state(b, random_below(3) == 0);
    for (int s = 0; s < states; s++)
        for (int k = 0; k < 4; k++) {
            letter l = random_below(3);
            buchi_add_edge(b, s, (struct cube){l, 3 & ~l}, (int)random_below((unsigned)states));
        }
}

static void random_larger_programs(void **state)
{
    (void)state;
    struct checker c;
    const char *more = getenv("HEDDLE_POR_ROUNDS");
    int errors = 0, rounds = more ? atoi(more) : 8000;
    checker_init(&c);
    for (int i = 0; i < rounds; i++) {
        struct mock m;
        struct buchi b, normal;
        random_program(&m);
        random_automaton(&b);
        assert_true(buchi_si_normal_form(&b, 3, 1000, &normal));
        compare(&c, &m, &normal, &errors);
        buchi_release(&b);
        buchi_release(&normal);
    }
    assert_true(errors > rounds / 20);
    checker_release(&c);
}

/* ---- the published counterexamples are found again ---- */

static void make_b1(struct buchi *b)
{
    *b = (struct buchi){0};
    buchi_add_state(b, false);
    buchi_add_state(b, true);
    buchi_add_edge(b, 0, (struct cube){0, 1}, 0);
    buchi_add_edge(b, 0, (struct cube){0, 1}, 1);
    buchi_add_edge(b, 1, (struct cube){1, 0}, 1);
}

static void make_b2(struct buchi *b)
{
    static const struct { int from, p, to; } edges[] = {{0, 0, 2}, {0, 0, 1}, {1, 0, 2}, {2, 0, 1}, {1, 1, 3}, {3, 1, 3}};
    *b = (struct buchi){0};
    for (int i = 0; i < 4; i++) buchi_add_state(b, i == 3);
    for (size_t i = 0; i < ARRAY_LEN(edges); i++) buchi_add_edge(b, edges[i].from, (struct cube){(letter)edges[i].p, (letter)!edges[i].p}, edges[i].to);
}

static int missed(struct checker *c, const struct buchi *b, enum reduction how)
{
    int count = 0;
    for (unsigned labels = 0; labels < 4; labels++)
        for (unsigned long i = 0; i < 81; i++) {
            struct mock m;
            if (program(&m, 2, 2, i, labels)) count += has_error(c, &m, b, REDUCTION_NONE) && !has_error(c, &m, b, how);
        }
    return count;
}

static void published_flaws(void **state)
{
    (void)state;
    struct checker c;
    struct buchi b1, b2, n1, n2;
    checker_init(&c);
    make_b1(&b1);
    make_b2(&b2);
    assert_true(missed(&c, &b1, REDUCTION_V0) > 0);
    assert_int_equal(missed(&c, &b1, REDUCTION_V1), 0);
    assert_true(missed(&c, &b2, REDUCTION_V0) > 0);
    assert_true(missed(&c, &b2, REDUCTION_V1) > 0);
    assert_true(buchi_si_normal_form(&b1, 1, 1000, &n1) && buchi_si_normal_form(&b2, 1, 1000, &n2));
    assert_int_equal(missed(&c, &n1, REDUCTION_SI), 0);
    assert_int_equal(missed(&c, &n2, REDUCTION_SI), 0);
    struct buchi *all[] = {&b1, &b2, &n1, &n2};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) buchi_release(all[i]);
    checker_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_small_programs), cmocka_unit_test(random_larger_programs),
                                       cmocka_unit_test(published_flaws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
