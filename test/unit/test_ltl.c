/* Automata against the meaning of formulas: random formulas on random lassos. HEDDLE_LTL_ROUNDS=n for a longer run. */
#include "ltl/ltl.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_below.h"

enum { PROPS = 3, LASSOS = 40, MOST_LETTERS = 9 };

static const struct formula *random_formula(struct formulas *c, int depth, bool next)
{
    if (!depth || random_below(6) == 0) return formula_literal(c, (int)random_below(PROPS), random_below(2));
    static const enum formula_kind kinds[] = {F_AND, F_OR, F_UNTIL, F_RELEASE, F_UNTIL, F_RELEASE, F_NEXT};
    enum formula_kind k = kinds[random_below(next ? 7 : 6)];
    const struct formula *a = random_formula(c, depth - 1, next), *b = k == F_NEXT ? NULL : random_formula(c, depth - 1, next);
    if (k == F_UNTIL && random_below(3) == 0) a = formula_make(c, F_TRUE, NULL, NULL);
    if (k == F_RELEASE && random_below(3) == 0) a = formula_make(c, F_FALSE, NULL, NULL);
    return formula_make(c, k, a, b);
}

static void new_context(struct formulas *c, struct arena *arena)
{
    static const char *const names[] = {"p", "q", "r"};
    formulas_init(c, arena);
    for (int i = 0; i < PROPS; i++) proposition_number(c, names[i], NULL, PROPOSITION_EXPR);
}

struct word { letter w[MOST_LETTERS]; size_t len, start; };

static struct word random_word(void)
{
    struct word x = {.len = 1 + random_below(MOST_LETTERS)};
    x.start = random_below((unsigned)x.len);
    for (size_t i = 0; i < x.len; i++) x.w[i] = i && random_below(3) == 0 ? x.w[i - 1] : random_below(1 << PROPS);
    return x;
}

static void fail_on(const struct formulas *c, const struct formula *f, const char *what)
{
    struct str s = {0};
    formula_print(c, f, &s);
    fail_msg("%s: %s", what, str_get(&s));
}

static int rounds(int usual)
{
    const char *more = getenv("HEDDLE_LTL_ROUNDS");
    return more ? atoi(more) : usual;
}

static void check_formula(struct formulas *c, const struct formula *f, bool stutters)
{
    struct buchi yes, no, normal;
    letter all = (1 << PROPS) - 1;
    const struct formula *opposite = formula_not(c, f);
    if (!buchi_of_formula(c, f, &yes) || !buchi_of_formula(c, opposite, &no)) fail_on(c, f, "no automaton");
    if (stutters) {
        assert_true(buchi_si_normal_form(&yes, all, 1 << 16, &normal));
        if (!buchi_is_si_normal_form(&normal, all)) fail_on(c, f, "not in normal form");
    }
    for (int i = 0; i < LASSOS; i++) {
        struct word x = random_word();
        bool holds = formula_holds(c, f, x.w, x.len, x.start);
        if (buchi_accepts_lasso(&yes, x.w, x.len, x.start) != holds) fail_on(c, f, "automaton and formula differ");
        if (buchi_accepts_lasso(&no, x.w, x.len, x.start) == holds) fail_on(c, f, "automaton of the negation and formula differ");
        if (stutters && buchi_accepts_lasso(&normal, x.w, x.len, x.start) != holds) fail_on(c, f, "normal form and formula differ");
    }
    if (stutters) buchi_release(&normal);
    buchi_release(&yes);
    buchi_release(&no);
}

static void automata_mean_their_formulas(void **state)
{
    (void)state;
    for (int i = 0; i < rounds(3000); i++) {
        struct arena arena = {0};
        struct formulas c;
        new_context(&c, &arena);
        bool next = i % 2;
        check_formula(&c, random_formula(&c, 1 + (int)random_below(4), next), !next);
        formulas_release(&c);
        arena_release(&arena);
    }
}

/* Without any simplification of formulas: the text of a formula evaluates like the simplified one. */
static bool raw_holds(const int *code, size_t *at, const struct word *x, size_t i);

static bool raw_until(const int *code, size_t *at, const struct word *x, size_t i, bool release)
{
    size_t left = *at, after = 0;
    bool found = false, blocked = false;
    for (size_t n = 0; n < 2 * x->len + 2; n++) {
        size_t a = left;
        bool va = raw_holds(code, &a, x, i), vb;
        size_t b = a;
        vb = raw_holds(code, &b, x, i);
        after = b;
        if (release) va = !va, vb = !vb;
        if (!found && !blocked) {
            if (vb) found = true;
            else if (!va) blocked = true;
        }
        i = i + 1 < x->len ? i + 1 : x->start;
    }
    *at = after;
    return release ? !found : found;
}

static bool raw_holds(const int *code, size_t *at, const struct word *x, size_t i)
{
    int op = code[(*at)++];
    if (op < 2 * PROPS) return (x->w[i] >> (op / 2) & 1) != (op & 1);
    if (op == 10) return raw_until(code, at, x, i, false);
    if (op == 11) return raw_until(code, at, x, i, true);
    bool a = raw_holds(code, at, x, i), b = raw_holds(code, at, x, i);
    return op == 12 ? a && b : a || b;
}

static const struct formula *random_code(struct formulas *c, int depth, int *code, size_t *len)
{
    if (!depth) {
        int op = (int)random_below(2 * PROPS);
        code[(*len)++] = op;
        return formula_literal(c, op / 2, op & 1);
    }
    static const enum formula_kind kinds[] = {F_UNTIL, F_RELEASE, F_AND, F_OR};
    int op = (int)random_below(4);
    code[(*len)++] = 10 + op;
    const struct formula *a = random_code(c, depth - 1, code, len), *b = random_code(c, (int)random_below((unsigned)depth), code, len);
    return formula_make(c, kinds[op], a, b);
}

static void simplification_keeps_the_meaning(void **state)
{
    (void)state;
    for (int i = 0; i < rounds(3000); i++) {
        struct arena arena = {0};
        struct formulas c;
        int code[64];
        size_t len = 0;
        new_context(&c, &arena);
        const struct formula *f = random_code(&c, 3, code, &len);
        for (int k = 0; k < LASSOS / 2; k++) {
            struct word x = random_word();
            size_t at = 0;
            if (raw_holds(code, &at, &x, 0) != formula_holds(&c, f, x.w, x.len, x.start)) fail_on(&c, f, "simplified wrongly to");
        }
        formulas_release(&c);
        arena_release(&arena);
    }
}

/* The words of a formula without X do not mind stuttering; for others the verdict is checked on pairs of words. */
static void stuttering_is_recognised(void **state)
{
    (void)state;
    int sensitive = 0;
    for (int i = 0; i < rounds(3000) / 10; i++) {
        struct arena arena = {0};
        struct formulas c;
        struct buchi b;
        new_context(&c, &arena);
        bool next = i % 2;
        const struct formula *f = random_formula(&c, 1 + (int)random_below(3), next);
        assert_true(buchi_of_formula(&c, f, &b));
        enum stutter answer = b.states.len > 6 ? STUTTER_UNKNOWN : buchi_stutter(&b);
        if (!next && answer == STUTTER_SENSITIVE) fail_on(&c, f, "called sensitive to stuttering");
        sensitive += answer == STUTTER_SENSITIVE;
        for (int k = 0; k < LASSOS && answer == STUTTER_INVARIANT; k++) {
            struct word x = random_word(), y = x;
            if (x.len == MOST_LETTERS) continue;
            size_t at = random_below((unsigned)x.len);
            memmove(y.w + at + 1, y.w + at, (x.len - at) * sizeof *y.w);
            y.len++;
            y.start += at < x.start;
            if (formula_holds(&c, f, x.w, x.len, x.start) != formula_holds(&c, f, y.w, y.len, y.start))
                fail_on(&c, f, "called insensitive to stuttering");
        }
        buchi_release(&b);
        formulas_release(&c);
        arena_release(&arena);
    }
    assert_true(sensitive > 2);
}

static void inclusion_agrees_with_lassos(void **state)
{
    (void)state;
    int proper = 0;
    for (int i = 0; i < rounds(3000) / 10; i++) {
        struct arena arena = {0};
        struct formulas c;
        struct buchi a, b;
        new_context(&c, &arena);
        const struct formula *f = random_formula(&c, 2, true), *g = random_formula(&c, 2, true);
        if (i % 2) g = formula_make(&c, F_OR, f, g);
        assert_true(buchi_of_formula(&c, f, &a) && buchi_of_formula(&c, g, &b));
        int included = buchi_included(&a, &b, (1 << PROPS) - 1);
        if (i % 2) assert_int_not_equal(included, 0);
        proper += included == 0;
        bool witness = false;
        for (int k = 0; k < 400; k++) {
            struct word x = random_word();
            witness |= formula_holds(&c, f, x.w, x.len, x.start) && !formula_holds(&c, g, x.w, x.len, x.start);
        }
        if (witness && included == 1) fail_on(&c, f, "called included");
        buchi_release(&a);
        buchi_release(&b);
        formulas_release(&c);
        arena_release(&arena);
    }
    assert_true(proper > 2);
}

/* The automata of the paper on stutter-invariant normal forms: B1 and B2 have one language, B3 and B4 another. */
static const struct cube is_p = {1, 0}, not_p = {0, 1};

static void make_b2(struct buchi *b)
{
    *b = (struct buchi){0};
    for (int i = 0; i < 4; i++) buchi_add_state(b, i == 3);
    buchi_add_edge(b, 0, not_p, 2);
    buchi_add_edge(b, 0, not_p, 1);
    buchi_add_edge(b, 1, not_p, 2);
    buchi_add_edge(b, 2, not_p, 1);
    buchi_add_edge(b, 1, is_p, 3);
    buchi_add_edge(b, 3, is_p, 3);
}

static void published_automata(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct formulas c;
    struct buchi b1, b2, b3, n1, n2, b4;
    new_context(&c, &arena);
    const struct formula *p = formula_literal(&c, 0, false), *np = formula_literal(&c, 0, true);
    const struct formula *no = formula_make(&c, F_FALSE, NULL, NULL), *yes = formula_make(&c, F_TRUE, NULL, NULL);
    const struct formula *always_p = formula_make(&c, F_RELEASE, no, p);
    buchi_of_formula(&c, formula_make(&c, F_AND, np, formula_make(&c, F_UNTIL, np, always_p)), &b1);
    make_b2(&b2);
    assert_int_equal(buchi_included(&b1, &b2, 1), 1);
    assert_int_equal(buchi_included(&b2, &b1, 1), 1);
    assert_int_equal(buchi_stutter(&b2), STUTTER_INVARIANT);
    assert_true(buchi_si_normal_form(&b2, 1, 1000, &n2) && buchi_si_normal_form(&b1, 1, 1000, &n1));
    assert_true(buchi_is_si_normal_form(&n2, 1) && buchi_is_si_normal_form(&n1, 1) && !buchi_is_si_normal_form(&b2, 1));
    assert_true(buchi_included(&n2, &b1, 1) == 1 && buchi_included(&b1, &n2, 1) == 1);
    buchi_of_formula(&c, formula_make(&c, F_UNTIL, yes, formula_make(&c, F_RELEASE, no, np)), &b3);
    assert_int_equal(b3.states.len, 2);
    assert_true(buchi_si_normal_form(&b3, 1, 1000, &b4));
    assert_int_equal(b4.states.len, 4);
    size_t edges = 0;
    for (size_t s = 0; s < b4.states.len; s++) edges += b4.states.at[s].edges.len;
    assert_int_equal(edges, 9);
    assert_true(buchi_included(&b3, &b4, 1) == 1 && buchi_included(&b4, &b3, 1) == 1);
    struct buchi *all[] = {&b1, &b2, &b3, &n1, &n2, &b4};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) buchi_release(all[i]);
    formulas_release(&c);
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(automata_mean_their_formulas), cmocka_unit_test(simplification_keeps_the_meaning),
        cmocka_unit_test(stuttering_is_recognised),     cmocka_unit_test(inclusion_agrees_with_lassos),
        cmocka_unit_test(published_automata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
