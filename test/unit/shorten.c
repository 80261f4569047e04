/* Violations are as short as they can be: random small programs and automata, compared with the shortest run found by
 * going through all runs of 0, 1, 2, ... steps. Runs of the product give an upper limit, for that is what is searched;
 * runs of the program alone, judged by the automaton, a lower one, for the same run can often be written shorter.
 *
 * A program is a few states and operations; each operation is a process of its own that may be enabled in some states
 * and leads to one. */
#include "search/search.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_below.h"

enum { MOST_STATES = 8, OPS = 3, NONE = 255, MOST_STEPS = 24, ENDLESS = MOST_STEPS + 1 };

struct mock {
    struct model base;
    int states;
    uint8_t to[OPS][MOST_STATES]; /* NONE: not enabled */
    uint8_t label[MOST_STATES];   /* the propositions that hold */
};

static uint32_t initial(struct model *m, uint8_t *state)
{
    (void)m;
    state[0] = 0;
    return 1;
}

static uint32_t successors(struct model *base, const uint8_t *state, uint32_t size, int pid, bool timeout,
                           successor_fn *fn, void *ctx)
{
    struct mock *m = (struct mock *)base;
    uint32_t count = 0;
    (void)size, (void)timeout;
    for (int op = 0; op < OPS; op++) {
        if ((pid != MODEL_ALL && pid != op) || m->to[op][*state] == NONE) continue;
        struct successor s = {.state = &m->to[op][*state], .size = 1, .pid = op, .last = op};
        count++;
        if (!fn(ctx, &s)) break;
    }
    return count;
}

static int process_count(struct model *m, const uint8_t *state)
{
    (void)m, (void)state;
    return OPS;
}
static bool valid_end(struct model *m, const uint8_t *state)
{
    (void)m, (void)state;
    return true;
}
static bool first_label(struct model *m, const uint8_t *state) { return ((struct mock *)m)->label[*state] & 1; }
static bool second_label(struct model *m, const uint8_t *state) { return ((struct mock *)m)->label[*state] & 2; }

static const struct model_ops ops = {.initial = initial, .successors = successors, .process_count = process_count,
    .valid_end = valid_end, .accepts = first_label, .progresses = second_label};

static void random_program(struct mock *m)
{
    *m = (struct mock){.base = {.ops = &ops, .max_state = 1}, .states = 3 + (int)random_below(MOST_STATES - 2)};
    for (int o = 0; o < OPS; o++)
        for (int q = 0; q < m->states; q++)
            m->to[o][q] = random_below(5) < 2 ? (uint8_t)random_below((unsigned)m->states) : NONE;
    for (int q = 0; q < m->states; q++) m->label[q] = (uint8_t)random_below(4);
}

static void random_automaton(struct buchi *b)
{
    *b = (struct buchi){0};
    int states = 2 + (int)random_below(3);
    for (int s = 0; s < states; s++) buchi_add_state(b, random_below(3) == 0);
    for (int s = 0; s < states; s++)
        for (int k = 0; k < 4; k++) {
            letter l = random_below(4), any = random_below(8) ? 3 : 0;
            buchi_add_edge(b, s, (struct cube){l & any, ~l & any}, (int)random_below((unsigned)states));
        }
}

/* ---- the referee ---- */

struct referee {
    const struct mock *m;
    const struct buchi *b;
    bool fair;
    int64_t level; /* no more preemptions, and none in a cycle; -1: any number */
    int most;   /* steps of the runs that are looked at */
    long runs;  /* looked at so far; too many are not worth the time */
    bool found;
    uint8_t state[MOST_STEPS + 2], op[MOST_STEPS + 2];
    int claim[MOST_STEPS + 2];
};
enum { MOST_RUNS = 200000 };

static bool is_end(const struct mock *m, int q)
{
    for (int o = 0; o < OPS; o++)
        if (m->to[o][q] != NONE) return false;
    return true;
}

/* Steps from `start` on, and back: nobody who can always move is left out. */
static bool is_fair_cycle(const struct referee *r, int start, int end)
{
    for (int o = 0; o < OPS; o++) {
        bool done = false;
        for (int i = start; i < end; i++) done |= r->op[i] == o || r->m->to[o][r->state[i]] == NONE;
        if (!done) return false;
    }
    return true;
}

/* Can the automaton get from one state to another while the program rests? In at least one step. */
static bool rests_to(const struct referee *r, int from, int to, bool *seen)
{
    for (size_t k = 0; k < r->b->states.at[from].edges.len; k++) {
        const struct buchi_edge *e = &r->b->states.at[from].edges.at[k];
        if (!cube_has(e->label, r->m->label[r->state[r->most]])) continue;
        if (e->to == to) return true;
        if (seen[e->to]) continue;
        seen[e->to] = true;
        if (rests_to(r, e->to, to, seen)) return true;
    }
    return false;
}

static bool rests_badly(const struct referee *r)
{
    int from = r->claim[r->most];
    for (int q = 0; q < (int)r->b->states.len; q++) {
        bool there[8] = {false}, back[8] = {false};
        if (q != from && !rests_to(r, from, q, there)) continue;
        if (r->b->states.at[q].accepting && rests_to(r, q, q, back)) return true;
    }
    return false;
}

static bool decides(const struct referee *r)
{
    const struct buchi_state *s = &r->b->states.at[r->claim[r->most]];
    letter now = r->m->label[r->state[r->most]];
    for (size_t k = 0; k < s->edges.len; k++)
        if (cube_has(s->edges.at[k].label, now) && buchi_accepts_all(r->b, s->edges.at[k].to)) return true;
    return false;
}

static int preemptions(const struct referee *r, int steps)
{
    int count = 0;
    for (int i = 1; i < steps; i++) count += r->op[i] != r->op[i - 1] && r->m->to[r->op[i - 1]][r->state[i]] != NONE;
    return count;
}

/* With levels a cycle goes on without a preemption when it begins again. */
static bool closes(const struct referee *r, int start)
{
    int n = r->most;
    if (r->state[start] != r->state[n] || r->claim[start] != r->claim[n]) return false;
    return r->level < 0 || (start && r->op[start - 1] == r->op[n - 1] && preemptions(r, n) == preemptions(r, start));
}

static bool product_run_is_bad(const struct referee *r)
{
    int n = r->most;
    if (r->level >= 0 && preemptions(r, n) > r->level) return false;
    if (decides(r) || (is_end(r->m, r->state[n]) && rests_badly(r))) return true;
    for (int start = 0; start < n; start++) {
        bool accepting = false;
        if (!closes(r, start)) continue;
        for (int i = start; i < n; i++) accepting |= r->b->states.at[r->claim[i]].accepting;
        if (accepting && (!r->fair || is_fair_cycle(r, start, n))) return true;
    }
    return false;
}

static void all_product_runs(struct referee *r, int n)
{
    if (r->runs++ > MOST_RUNS || r->found) return;
    if (n == r->most) {
        r->found = product_run_is_bad(r);
        return;
    }
    const struct buchi_state *s = &r->b->states.at[r->claim[n]];
    for (int o = 0; o < OPS; o++)
        for (size_t k = 0; k < s->edges.len && r->m->to[o][r->state[n]] != NONE; k++) {
            if (!cube_has(s->edges.at[k].label, r->m->label[r->state[n]])) continue;
            r->op[n] = (uint8_t)o;
            r->state[n + 1] = r->m->to[o][r->state[n]];
            r->claim[n + 1] = s->edges.at[k].to;
            all_product_runs(r, n + 1);
        }
}

static bool run_is_bad(const struct referee *r, int start, int end)
{
    letter w[MOST_STEPS + 2];
    for (int i = 0; i <= end; i++) w[i] = r->m->label[r->state[i]];
    if (start == end) return is_end(r->m, r->state[end]) && buchi_accepts_lasso(r->b, w, (size_t)end + 1, (size_t)end);
    return r->state[start] == r->state[end] && buchi_accepts_lasso(r->b, w, (size_t)end, (size_t)start) &&
           (!r->fair || is_fair_cycle(r, start, end));
}

static void all_runs(struct referee *r, int n)
{
    if (r->runs++ > MOST_RUNS || r->found) return;
    for (int start = 0; n == r->most && start <= n; start++) r->found |= run_is_bad(r, start, n);
    for (int o = 0; n < r->most && o < OPS; o++) {
        if (r->m->to[o][r->state[n]] == NONE) continue;
        r->op[n] = (uint8_t)o;
        r->state[n + 1] = r->m->to[o][r->state[n]];
        all_runs(r, n + 1);
    }
}

static int shortest(const struct mock *m, const struct property *p, int64_t level, void (*all)(struct referee *, int))
{
    struct referee r = {.m = m, .b = p->automaton, .fair = p->fair, .level = level};
    r.claim[0] = p->automaton->initial;
    for (; r.most <= MOST_STEPS && r.runs <= MOST_RUNS; r.most++) {
        all(&r, 0);
        if (r.found) return r.most;
    }
    return ENDLESS;
}

/* ---- what is compared with it ---- */

/* The schedule, run by itself, is a violation of so many steps. */
static void assert_violates(const struct mock *m, const struct buchi *b, const struct schedule *s, bool fair)
{
    struct referee r = {.m = m, .b = b, .fair = fair, .most = (int)s->choices.len};
    assert_true(r.most <= MOST_STEPS);
    for (int i = 0; i < r.most; i++) {
        int op = 0;
        for (uint32_t skip = s->choices.at[i]; skip || m->to[op][r.state[i]] == NONE; op++)
            skip -= m->to[op][r.state[i]] != NONE;
        r.op[i] = (uint8_t)op;
        r.state[i + 1] = m->to[op][r.state[i]];
    }
    if (s->lasso) assert_true(run_is_bad(&r, (int)s->cycle_start, r.most));
}

struct tally { int violations, finite, exact, equal, shortened; };

static void compare(const struct mock *m, struct property *p, int64_t bound, struct tally *t)
{
    struct search_options o = {.bound = bound};
    struct search_result r;
    cycles_search((struct model *)m, p, &o, &r);
    if (r.has_error) {
        size_t before = r.error.choices.len;
        violation_shorten((struct model *)m, p, &o, &r);
        int steps = (int)r.error.choices.len, upper = shortest(m, p, r.error_level, all_product_runs);
        assert_true(steps <= (int)before);
        assert_violates(m, p->automaton, &r.error, p->fair);
        if (upper != ENDLESS) assert_true(steps <= upper);
        t->equal += steps == upper;
        t->violations++;
        t->shortened += steps < (int)before;
        t->finite += !r.error.lasso;
        if (r.error.lasso) {
            int lower = shortest(m, p, -1, all_runs);
            assert_true(lower == ENDLESS || steps >= lower);
            t->exact += steps == lower;
        }
    }
    search_result_release(&r);
}

static void with_fairness(bool fair, int64_t bound)
{
    struct tally t = {0};
    struct formulas formulas = {0};
    struct arena arena = {0};
    formulas_init(&formulas, &arena);
    proposition_number(&formulas, "first", NULL, PROPOSITION_ACCEPT);
    proposition_number(&formulas, "second", NULL, PROPOSITION_PROGRESS);
    struct property p = {.name = "p", .kind = "ltl", .text = "p", .claim = -1, .formulas = &formulas, .fair = fair};
    vec_push(&p.target_of, 0);
    vec_push(&p.target_of, 0);
    for (int i = 0; i < 1500; i++) {
        struct mock m;
        struct buchi b;
        random_program(&m);
        random_automaton(&b);
        p.automaton = &b;
        compare(&m, &p, bound, &t);
        buchi_release(&b);
    }
    print_message("%d violations, %d finite, %d shortened, %d as short as in the product, %d lassos as short as any\n",
                  t.violations, t.finite, t.shortened, t.equal, t.exact);
    assert_true(t.violations > 300 && t.finite > 10 && t.shortened > 20);
    assert_true(t.exact > (t.violations - t.finite) * 9 / 10);
    vec_release(&p.target_of);
    formulas_release(&formulas);
    arena_release(&arena);
}

static void lassos(void **unused)
{
    (void)unused;
    with_fairness(false, -1);
}

static void fair_lassos(void **unused)
{
    (void)unused;
    with_fairness(true, -1);
}

static void bounded_lassos(void **unused)
{
    (void)unused;
    with_fairness(false, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lassos), cmocka_unit_test(fair_lassos),
                                       cmocka_unit_test(bounded_lassos)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
