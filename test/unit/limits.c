/* Limits in every phase of an explicit search, and levels beyond 16 bits, on a model that counts to a number.
 *
 * In state n < last process n % 2 can go to n + 1 and the other one stays where it is, so that every step forward but
 * the first needs a preemption. In the last state both stay; it is an accepting one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "ltl/ltl.h"
#include "search/search.h"

/* What the last state does. */
enum ending { STAYS, FAILS, BLOCKS };
struct counter {
    struct model base;
    uint32_t last;
    enum ending ending;
    struct limits *limits; /* their deadline passes in the call with this number, which asks whether to go on */
    uint32_t calls, late_at;
};

static bool is_interrupted(struct counter *c)
{
    if (!c->limits || ++c->calls < c->late_at) return false;
    c->limits->deadline = 1;
    c->base.cut |= c->base.interrupted && c->base.interrupted(c->base.interrupt_ctx);
    return c->base.cut;
}

static uint32_t number(const uint8_t *state)
{
    uint32_t n;
    memcpy(&n, state, sizeof n);
    return n;
}

static uint32_t initial(struct model *m, uint8_t *state)
{
    (void)m;
    memset(state, 0, 4);
    return 4;
}

static uint32_t successors(struct model *m, const uint8_t *state, uint32_t size, int pid, bool timeout,
                           successor_fn *fn, void *ctx)
{
    struct counter *c = (struct counter *)m;
    uint32_t n = number(state), count = 0;
    (void)size, (void)timeout;
    if (is_interrupted(c)) return 1;
    if (n == c->last && c->ending == BLOCKS) return 0;
    for (int p = 1; p >= 0; p--) {
        if (pid != MODEL_ALL && pid != p) continue;
        uint32_t next = n < c->last && (int)(n % 2) == p ? n + 1 : n;
        struct move move = {0, (uint8_t)p, false};
        struct successor s = {
            .state = (const uint8_t *)&next, .size = 4, .pid = p, .last = p, .moves = &move, .move_count = 1};
        if (n == c->last && c->ending == FAILS) s.fault = "assertion", s.fault_message = "no";
        count++;
        if (!fn(ctx, &s)) break;
    }
    return count;
}

static int process_count(struct model *m, const uint8_t *state) { return (void)m, (void)state, 2; }
static bool valid_end(struct model *m, const uint8_t *state)
{
    return (void)state, ((const struct counter *)m)->ending != BLOCKS;
}
static bool accepts(struct model *m, const uint8_t *state) { return number(state) == ((struct counter *)m)->last; }
static bool progresses(struct model *m, const uint8_t *state) { return (void)m, (void)state, false; }

static const struct transition *transition(struct model *m, uint32_t id)
{
    static const struct transition only = {.to = 1};
    return (void)m, (void)id, &only;
}

static const struct model_ops ops = {.transition = transition,
                                     .initial = initial,
                                     .successors = successors,
                                     .process_count = process_count,
                                     .valid_end = valid_end,
                                     .accepts = accepts,
                                     .progresses = progresses};

/* The property "never for ever in the last state": <> [] accept is its violation. */
struct fixture {
    struct counter counter;
    struct arena arena;
    struct formulas formulas;
    struct buchi automaton;
    struct property p;
};

static void set_up(struct fixture *f, uint32_t last)
{
    *f = (struct fixture){.counter = {{.ops = &ops, .max_state = 4, .transition_count = 1}, last}};
    formulas_init(&f->formulas, &f->arena);
    int n = proposition_number(&f->formulas, "accept", NULL, PROPOSITION_ACCEPT);
    const struct formula *no = formula_make(&f->formulas, F_FALSE, NULL, NULL),
                         *yes = formula_make(&f->formulas, F_TRUE, NULL, NULL);
    const struct formula *always = formula_make(&f->formulas, F_RELEASE, no, formula_literal(&f->formulas, n, false));
    f->p = (struct property){.name = "p", .kind = "ltl", .text = "p", .claim = -1, .formulas = &f->formulas};
    f->p.violation = formula_make(&f->formulas, F_UNTIL, yes, always);
    assert_true(buchi_of_formula(&f->formulas, f->p.violation, &f->automaton));
    f->p.automaton = &f->automaton;
    vec_push(&f->p.target_of, 0);
}

static void tear_down(struct fixture *f)
{
    vec_release(&f->p.target_of);
    buchi_release(&f->automaton);
    formulas_release(&f->formulas);
    arena_release(&f->arena);
}

/* Process 0 makes the first step for free, every later step forward is a switch from a process that could stay: last -
 * 1 preemptions. */
static void more_levels_than_16_bits(void **unused)
{
    (void)unused;
    static const uint32_t lasts[] = {65535, 65536, 65537, 70000};
    for (size_t i = 0; i < ARRAY_LEN(lasts); i++) {
        struct fixture f;
        struct search_result r;
        set_up(&f, lasts[i]);
        cycles_search(&f.counter.base, &f.p, &(struct search_options){.bound = 1000000}, &r);
        assert_true(r.has_error && !r.unbuilt);
        assert_int_equal(r.error_level, lasts[i] - 1);
        search_result_release(&r);
        tear_down(&f);
    }
}

/* The deadline passes while the search is at work; it is noticed only after the violation was found. */
struct late { struct limits *limits; uint64_t at; };
static void pass_deadline(void *ctx, const struct search_result *so_far)
{
    struct late *l = ctx;
    if (so_far->states >= l->at) l->limits->deadline = 1;
}

static void found_but_not_built(void **unused)
{
    (void)unused;
    struct fixture f;
    struct search_result r;
    struct limits limits = {.memory = SIZE_MAX};
    bool seen = false;
    set_up(&f, 1000);
    for (uint64_t at = 10; at < 3000; at += 10) {
        struct late late = {&limits, at};
        limits.deadline = 0;
        cycles_search(&f.counter.base, &f.p,
                      &(struct search_options){.bound = -1, .limits = &limits, .tick = pass_deadline, .ctx = &late},
                      &r);
        assert_true(r.stop == STOP_TIME ? !r.has_error : r.has_error); /* never silently neither */
        if (r.unbuilt) assert_true(r.has_error && r.stop == STOP_ERROR);
        else if (r.has_error) assert_true(r.error.choices.len > 0);
        seen |= r.unbuilt;
        search_result_release(&r);
    }
    assert_true(seen);
    tear_down(&f);
}

/* The deadline passes in any call of the model: once there is an error, its kind is known. */
static void kind_is_known(void **unused)
{
    (void)unused;
    static const enum search_kind kinds[] = {SEARCH_ORDERED, SEARCH_DFS, SEARCH_BFS, SEARCH_BCS};
    struct fixture f;
    bool unbuilt = false;
    set_up(&f, 20);
    for (uint32_t i = 0; i < 2 * ARRAY_LEN(kinds) * 300; i++) {
        struct limits limits = {.memory = SIZE_MAX};
        struct search_options o = {.kind = kinds[i / 2 % ARRAY_LEN(kinds)], .bound = -1, .limits = &limits};
        struct search_result r;
        if (o.kind == SEARCH_BCS) o.bound = 100;
        f.counter.ending = i % 2 ? FAILS : BLOCKS;
        f.counter.limits = &limits, f.counter.calls = 0, f.counter.late_at = 1 + i / (2 * ARRAY_LEN(kinds));
        search_run(&f.counter.base, &o, &r);
        if (r.errors && f.counter.ending == FAILS) assert_true(r.fault && !strcmp(r.fault, "assertion"));
        if (r.errors && f.counter.ending == BLOCKS) assert_true(!r.fault && r.error.deadlock);
        unbuilt |= r.errors && !r.has_error;
        search_result_release(&r);
    }
    assert_true(unbuilt);
    tear_down(&f);
}

/* The same for a step that fails on the way to a violation of a property. */
static void kind_is_known_for_properties(void **unused)
{
    (void)unused;
    struct fixture f;
    bool seen = false;
    set_up(&f, 20);
    f.counter.ending = FAILS;
    for (uint32_t i = 0; i < 2 * 300; i++) {
        struct limits limits = {.memory = SIZE_MAX};
        struct search_options o = {.store = i % 2 ? STORE_COMPACT : STORE_EXACT, .bound = -1, .limits = &limits};
        struct search_result r;
        f.counter.limits = &limits, f.counter.calls = 0, f.counter.late_at = 1 + i / 2;
        cycles_search(&f.counter.base, &f.p, &o, &r);
        if (r.has_error && !r.error.violates) assert_true(r.fault && !strcmp(r.fault, "assertion"));
        seen |= r.has_error && !r.error.violates;
        search_result_release(&r);
    }
    assert_true(seen);
    tear_down(&f);
}

static void deadline_in_the_past(void **unused)
{
    (void)unused;
    struct fixture f;
    struct limits limits = {.deadline = 1, .memory = SIZE_MAX};
    set_up(&f, 100000);
    for (int kind = 0; kind < SEARCH_KINDS; kind++) {
        struct search_result r;
        search_run(&f.counter.base,
                   &(struct search_options){
                       .kind = (enum search_kind)kind, .bound = kind == SEARCH_BCS ? 1000000 : -1, .limits = &limits},
                   &r);
        assert_int_equal(r.stop, STOP_TIME);
        assert_true(r.states < 1000);
        search_result_release(&r);
    }
    tear_down(&f);
}

static void no_time_to_simplify(void **unused)
{
    (void)unused;
    struct fixture f;
    struct limits limits = {.deadline = 1, .memory = SIZE_MAX}, small = {.memory = 100};
    struct schedule from = {.deadlock = true}, to;
    set_up(&f, 1000);
    for (int i = 0; i < 1000; i++) vec_push(&from.choices, i % 2 ? 0u : 1u);
    assert_int_equal(schedule_simplify(&f.counter.base, &from, &to, 1000000, &limits), SIMPLIFIED_GAVE_UP);
    assert_int_equal(schedule_simplify(&f.counter.base, &from, &to, 1000000, &small), SIMPLIFIED_GAVE_UP);
    schedule_release(&from);
    tear_down(&f);
}

static void left(void **unused)
{
    (void)unused;
    struct limits none = limits_start(0, 0), some = limits_start(1000, 5000), past = {.deadline = 1};
    assert_true(none.memory > 0 && !none.memory_is_given && limits_left(&none) > 1e9);
    assert_true(some.memory == 5000 && some.memory_is_given && limits_left(&some) <= 1000 && limits_left(&some) > 900);
    assert_true(limits_left(&past) == 0 && limits_reached(&past) == LIMIT_TIME);
    assert_int_equal(limits_reached(&none), LIMIT_NONE);
    assert_int_equal(limits_reached(NULL), LIMIT_NONE);
    assert_int_equal(limits_reached_memory(&some), LIMIT_MEMORY);
    struct limits within = limits_within(&some, 5), over = limits_within(&past, 5), fresh = limits_within(NULL, 5);
    assert_true(limits_left(&within) <= 5 && limits_left(&within) > 4);
    assert_int_equal(limits_reached(&over), LIMIT_TIME);
    assert_true(limits_left(&fresh) <= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_levels_than_16_bits), cmocka_unit_test(found_but_not_built),
        cmocka_unit_test(kind_is_known), cmocka_unit_test(kind_is_known_for_properties),
        cmocka_unit_test(deadline_in_the_past), cmocka_unit_test(no_time_to_simplify), cmocka_unit_test(left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
