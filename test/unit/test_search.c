/* Searches against a naive referee on random transition systems, and on systems whose numbers are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mock_model.h"
#include "referee.h"
#include "search/search_int.h"

/* ---- random systems ---- */

enum { SYSTEMS = 1500 };

/* Stores and threads; not all of both, which would only take longer. */
static const struct { enum store_kind store; int workers; } ways[] = {
    {STORE_EXACT, 1}, {STORE_EXACT, 2}, {STORE_COMPACT, 1}, {STORE_BITS, 2}};

static struct search_result run_kind(struct model *m, struct search_options o)
{
    struct search_result r;
    search_run(m, &o, &r);
    return r;
}

struct levels { struct referee *f; int count; };

static void check_level(void *ctx, const struct search_level *l)
{
    struct levels *v = ctx;
    assert_int_equal(l->bound, v->count++);
    assert_int_equal(l->states, states_within(v->f, (int)l->bound));
    assert_true(l->transitions <= v->f->edges.len);
}

static void check_schedule(struct referee *f, const struct search_result *r)
{
    assert_true(r->has_error);
    struct replay *replay = replay_new(f->m);
    const struct successor *t = NULL;
    for (size_t i = 0; i < r->error.choices.len; i++) assert_non_null(t = replay_step(replay, r->error.choices.at[i]));
    if (!r->error.deadlock) {
        assert_non_null(t);
        assert_non_null(t->fault);
    } else {
        uint32_t size;
        const uint8_t *state = replay_state(replay, &size);
        assert_false(f->m->ops->valid_end(f->m, state));
        for (int p = 0; p < f->processes; p++) assert_false(replay_process_enabled(replay, p));
    }
    replay_free(replay);
}

static void check_first_errors(struct referee *f, bool no_deadlock)
{
    static const enum search_kind kinds[] = {SEARCH_ORDERED, SEARCH_DFS, SEARCH_BFS};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        for (size_t way = 0; way < ARRAY_LEN(ways); way++) {
            struct search_result r = run_kind(f->m, (struct search_options){.kind = kinds[i], .store = ways[way].store,
                .workers = ways[way].workers, .bit_field = 1 << 16, .bound = -1, .no_deadlock = no_deadlock,
                .order = (enum step_order)((way + (size_t)f->errors) % 3), .seed = way});
            assert_int_equal(r.errors, f->errors > 0);
            if (f->errors) check_schedule(f, &r);
            if (f->errors && kinds[i] == SEARCH_BFS) {
                assert_true((int)r.error.choices.len >= f->shortest_error);
                assert_true((int)r.error.choices.len <= f->shortest_error + !no_deadlock);
            }
            if (f->errors && kinds[i] == SEARCH_ORDERED) {
                assert_int_equal(r.error_level, f->cheapest_error);
                assert_int_equal(schedule_preemptions(f->m, &r.error), f->cheapest_error);
            }
            search_result_release(&r);
        }
}

static void check_complete(struct referee *f, bool no_deadlock)
{
    static const enum search_kind kinds[] = {SEARCH_ORDERED, SEARCH_DFS, SEARCH_BFS};
    struct levels v = {f, 0};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        for (size_t way = 0; way < ARRAY_LEN(ways); way++) {
            bool counts_levels = kinds[i] == SEARCH_ORDERED;
            v.count = 0;
            struct search_result r = run_kind(f->m, (struct search_options){.kind = kinds[i], .store = ways[way].store,
                .workers = ways[way].workers, .bit_field = 1 << 16, .bound = -1, .no_deadlock = no_deadlock, .all_errors = true,
                .order = (enum step_order)((way + f->edges.len) % 3), .seed = 5 * way,
                .level_done = counts_levels ? check_level : NULL, .ctx = &v});
            assert_int_equal(r.stop, STOP_COMPLETE);
            assert_int_equal(r.states, referee_count(f));
            assert_int_equal(r.transitions, f->edges.len);
            assert_int_equal(r.errors, f->errors);
            search_result_release(&r);
        }
}

/* The first searches of a swarm have paths of any length and fields in which nothing is lost here. */
static void check_swarm(struct referee *f, bool no_deadlock, uint64_t seed)
{
    struct search_result r = run_kind(f->m, (struct search_options){.kind = SEARCH_SWARM, .store = STORE_BITS, .workers = 2, .searches = 4,
        .bit_field = 1 << 16, .bound = -1, .no_deadlock = no_deadlock, .seed = seed});
    assert_int_equal(r.errors, f->errors > 0);
    if (f->errors) check_schedule(f, &r);
    else {
        assert_int_equal(r.states, referee_count(f));
        assert_int_equal(r.searches, 4);
        assert_true(r.share == 1);
    }
    search_result_release(&r);
}

static void random_systems(struct mock_mix mix)
{
    int with_errors = 0, with_levels = 0;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct mock *k = mock_random_system(seed, mix);
        struct referee f;
        bool no_deadlock = seed % 3 == 0;
        assert_true(referee_run(&f, &k->model, no_deadlock, 100000));
        check_complete(&f, no_deadlock);
        check_first_errors(&f, no_deadlock);
        if (seed % 8 == 0) check_swarm(&f, no_deadlock, seed);
        with_errors += f.errors > 0;
        with_levels += states_within(&f, 0) < referee_count(&f);
        referee_release(&f);
        k->model.ops->free(&k->model);
    }
    assert_true(with_errors > SYSTEMS / 10); /* else the test tests nothing */
    assert_true(with_levels > SYSTEMS / 20);
}

static void plain_systems(void **state)
{
    (void)state;
    random_systems((struct mock_mix){.fail_percent = 4});
}

static void rendezvous_systems(void **state)
{
    (void)state;
    random_systems((struct mock_mix){.fail_percent = 4, .rendezvous_percent = 30});
}

static void timeout_systems(void **state)
{
    (void)state;
    random_systems((struct mock_mix){.fail_percent = 4, .rendezvous_percent = 15, .timeout_percent = 25});
}

/* ---- bounded context switching, depth first ---- */

static uint64_t nodes_within(struct referee *f, int bound)
{
    uint64_t n = 0;
    for (size_t s = 0; s < referee_count(f); s++)
        for (int last = 0; last < f->processes; last++)
            n += *cost_at(f, s, last) <= bound || (s == 0 && last == 0); /* nobody moved last at the start: stored as 0 */
    return n;
}

static void check_bcs(struct referee *f, int bound)
{
    for (int store = STORE_EXACT; store <= STORE_BITS; store++) {
        struct search_options o = {.kind = SEARCH_BCS, .store = (enum store_kind)store, .bit_field = 1 << 16, .bound = bound,
                                   .all_errors = true};
        struct search_result r = run_kind(f->m, o);
        if (store != STORE_BITS) { /* which has no sets of processes, and may miss */
            assert_true(r.states >= states_within(f, bound));
            if (f->cheapest_error <= bound) assert_true(r.errors > 0);
        }
        assert_true(r.states <= referee_count(f));
        if (r.errors) check_schedule(f, &r);
        search_result_release(&r);
        if (store == STORE_BITS || f->m->uses_timeout) continue; /* to leave who waits for timeout is a preemption to Spin */
        o.bcs = BCS_PAIRS;
        r = run_kind(f->m, o);
        assert_int_equal(r.states, nodes_within(f, bound));
        assert_int_equal(r.errors > 0, f->cheapest_error <= bound);
        search_result_release(&r);
        o.bcs = BCS_NO_PIDS;
        r = run_kind(f->m, o);
        assert_true(r.states <= states_within(f, bound));
        if (r.errors) assert_true(f->cheapest_error <= bound);
        search_result_release(&r);
    }
}

static void bounded_depth_first(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SYSTEMS; seed++) {
        struct mock *k = mock_random_system(seed, (struct mock_mix){.fail_percent = 4, .timeout_percent = seed % 2 ? 10 : 0});
        struct referee f;
        assert_true(referee_run(&f, &k->model, false, 100000));
        for (int bound = 0; bound < 3; bound++) check_bcs(&f, bound);
        referee_release(&f);
        k->model.ops->free(&k->model);
    }
}

/* Without the sets of processes errors are lost: that is why there are sets. It takes many systems to see it. */
static void what_is_missed_without_sets(void **state)
{
    (void)state;
    int missed[BCS_NAIVE + 1] = {0};
    for (uint64_t seed = 1; seed <= 4 * SYSTEMS; seed++) {
        struct mock *k = mock_random_system(seed, (struct mock_mix){.fail_percent = 4});
        struct referee f;
        assert_true(referee_run(&f, &k->model, false, 100000));
        for (int kind = BCS_FULL; kind <= BCS_NAIVE && f.errors && f.cheapest_error < 3; kind++) {
            struct search_options o = {.kind = SEARCH_BCS, .bound = f.cheapest_error, .bcs = (enum bcs_kind)kind};
            struct search_result r = run_kind(&k->model, o);
            missed[kind] += !r.errors;
            search_result_release(&r);
        }
        referee_release(&f);
        k->model.ops->free(&k->model);
    }
    printf("# errors missed: no-pids %d, naive %d\n", missed[BCS_NO_PIDS], missed[BCS_NAIVE]);
    assert_int_equal(missed[BCS_FULL] + missed[BCS_PAIRS], 0);
    assert_true(missed[BCS_NO_PIDS] > 0);
    assert_true(missed[BCS_NAIVE] > 0);
}

/* ---- systems with known numbers ---- */

/* n processes that each make `steps` steps and end: (steps + 1)^n states. */
static struct mock *counters(int n, int steps)
{
    struct mock *k = mock_new(n);
    for (int p = 0; p < n; p++)
        for (int i = 0; i < steps; i++) vec_push(&k->rules, mock_rule(p, i, i + 1));
    k->valid_end[steps] = true;
    return k;
}

struct counted { uint64_t states[64]; };
static void count_level(void *ctx, const struct search_level *l) { ((struct counted *)ctx)->states[l->bound] = l->states; }

/* Two processes of n steps each. Without preemption: one runs to its end, then the other: 4n states. With one: one
 * pauses anywhere, the other runs to its end. All (n+1)^2 are reached with one. */
static void two_counters(void **unused)
{
    (void)unused;
    struct mock *k = counters(2, 4);
    struct counted c = {0};
    struct search_result r = run_kind(&k->model, (struct search_options){.bound = -1, .level_done = count_level, .ctx = &c});
    assert_int_equal(r.stop, STOP_COMPLETE);
    assert_int_equal(c.states[0], 16);
    assert_int_equal(c.states[1], 25);
    assert_int_equal(r.states, 25);
    assert_int_equal(r.errors, 0);
    search_result_release(&r);
    k->model.ops->free(&k->model);
}

static void bound_is_kept(void **unused)
{
    (void)unused;
    struct mock *k = counters(2, 4);
    struct search_result r = run_kind(&k->model, (struct search_options){.bound = 0});
    assert_int_equal(r.stop, STOP_BOUND);
    assert_int_equal(r.bound, 0);
    assert_int_equal(r.states, 16);
    search_result_release(&r);
    k->model.ops->free(&k->model);
}

/* Process i waits for the shared value to say that it is its turn. */
static void many_processes(void **unused)
{
    (void)unused;
    struct mock *k = mock_new(MOCK_MOST);
    for (int p = 0; p < MOCK_MOST; p++) {
        struct mock_rule r = mock_rule(p, 0, 1);
        r.guard = (uint8_t)(1 << p % MOCK_VALUES);
        for (int v = 0; v < MOCK_VALUES; v++) r.next[v] = (uint8_t)((v + 1) % MOCK_VALUES);
        r.partner = p ? p - 1 : -1;
        r.partner_from = 1;
        r.partner_to = 2;
        vec_push(&k->rules, r);
    }
    k->valid_end[1] = k->valid_end[2] = true;
    struct search_result r = run_kind(&k->model, (struct search_options){.bound = -1});
    assert_int_equal(r.stop, STOP_COMPLETE);
    assert_int_equal(r.bound, 0);
    assert_int_equal(r.states, MOCK_MOST + 1);
    search_result_release(&r);
    k->model.ops->free(&k->model);
}

static void memory_limit(void **unused)
{
    (void)unused;
    struct mock *k = counters(9, 3); /* 262,144 states */
    static const enum search_kind kinds[] = {SEARCH_ORDERED, SEARCH_DFS, SEARCH_BFS};
    for (size_t i = 0; i < 2 * ARRAY_LEN(kinds); i++) {
        int workers = i >= ARRAY_LEN(kinds);
        enum search_kind kind = kinds[i % ARRAY_LEN(kinds)];
        struct search_result r = run_kind(&k->model, (struct search_options){.kind = kind, .workers = workers, .bound = -1, .limits = &(struct limits){.memory = 1 << 20}});
        assert_int_equal(r.stop, STOP_MEMORY);
        assert_true(r.memory <= 1 << 20);
        assert_true(r.states > 10000);
        if (kind == SEARCH_ORDERED) assert_true(r.bound >= 0);
        search_result_release(&r);
        r = run_kind(&k->model, (struct search_options){.kind = kind, .workers = workers, .bound = -1, .limits = &(struct limits){.memory = 100}});
        assert_int_equal(r.stop, STOP_MEMORY);
        assert_int_equal(r.bound, -1);
        search_result_release(&r);
    }
    k->model.ops->free(&k->model);
}

static void growth(void **unused)
{
    (void)unused;
    struct mock *k = counters(9, 3);
    for (int way = STORE_EXACT; way <= STORE_BITS + 1; way++)
        for (int kind = SEARCH_ORDERED; kind <= SEARCH_BFS; kind++) {
            int store = way > STORE_BITS ? STORE_EXACT : way;
            struct search_result r = run_kind(&k->model, (struct search_options){.kind = (enum search_kind)kind,
                .workers = 1 + way % 2, .store = (enum store_kind)store, .bit_field = 1 << 26, .bound = -1});
            assert_int_equal(r.stop, STOP_COMPLETE);
            assert_true(store == STORE_BITS ? r.states > 262000 : r.states == 262144);
            assert_true((r.omission > 0) == (store != STORE_EXACT && !r.lossless));
            search_result_release(&r);
        }
    k->model.ops->free(&k->model);
}

/* Nine processes with three steps each: as many states at a distance as (1 + x + x^2 + x^3)^9 says, and nothing at 28. */
static void rounds_are_counted(void **unused)
{
    (void)unused;
    struct mock *k = counters(9, 3);
    for (int workers = 1; workers <= 3; workers += 2) {
        struct search_result r = run_kind(&k->model, (struct search_options){.kind = SEARCH_BFS, .workers = workers, .bound = -1});
        assert_int_equal(r.recent[0], 45 + 9 + 1 + 0);
        assert_int_equal(r.recent[1], 2598 + 1206 + 486 + 165);
        search_result_release(&r);
    }
    k->model.ops->free(&k->model);
    k = counters(2, 3); /* 8 rounds: too few */
    struct search_result r = run_kind(&k->model, (struct search_options){.kind = SEARCH_BFS, .workers = 1, .bound = -1});
    assert_int_equal(r.recent[1], 0);
    search_result_release(&r);
    k->model.ops->free(&k->model);
}

static void depth_limit(void **unused)
{
    (void)unused;
    struct mock *k = counters(2, 4);
    for (int way = 0; way < 4; way++) {
        int kind = way < 2 ? SEARCH_DFS : SEARCH_BFS;
        struct search_result r = run_kind(&k->model, (struct search_options){.kind = (enum search_kind)kind, .workers = way % 2, .bound = -1, .depth = 3});
        assert_true(r.depth_cut);
        assert_int_equal(r.states, 10); /* i + j <= 3 */
        search_result_release(&r);
        r = run_kind(&k->model, (struct search_options){.kind = (enum search_kind)kind, .workers = way % 2, .bound = -1, .depth = 9});
        assert_false(r.depth_cut);
        assert_int_equal(r.states, 25);
        assert_int_equal(r.depth, 8);
        search_result_release(&r);
    }
    k->model.ops->free(&k->model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_systems), cmocka_unit_test(rendezvous_systems), cmocka_unit_test(timeout_systems), cmocka_unit_test(bounded_depth_first), cmocka_unit_test(what_is_missed_without_sets),
        cmocka_unit_test(two_counters), cmocka_unit_test(bound_is_kept), cmocka_unit_test(many_processes),
        cmocka_unit_test(memory_limit), cmocka_unit_test(growth), cmocka_unit_test(rounds_are_counted), cmocka_unit_test(depth_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
