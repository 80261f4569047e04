/* Random Promela programs: the levels of the ordered search against the naive referee, and the model with merged
 * statements against the plain one. HEDDLE_PROGRAMS=N runs N programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mock_model.h"
#include "referee.h"
#include "check/verify_int.h"
#include "model/model.h"
#include "search/search_int.h"

enum { PROGRAMS = 3000, MOST_STATES = 1500 };

/* ---- the generator ---- */

struct writer { struct str out; uint64_t seed; int depth, processes; bool calm; };

static uint32_t pick(struct writer *w, uint32_t n) { return mock_random(&w->seed, n); }
static const char *variable(struct writer *w) { return (const char *[]){"x", "y", "l", "m"}[pick(w, 4)]; }

static void write_condition(struct writer *w)
{
    switch (pick(w, 5)) {
    case 0: str_printf(&w->out, "(%s == %u)", variable(w), pick(w, 3)); break;
    case 1: str_printf(&w->out, "(%s != %s)", variable(w), variable(w)); break;
    case 2: str_printf(&w->out, "(len(b) < %u)", 1 + pick(w, 2)); break;
    case 3: str_printf(&w->out, "(b?[%u])", pick(w, 2)); break;
    default: str_printf(&w->out, "(%s < 2)", variable(w)); break;
    }
}

/* In a calm program most statements are assignments: others block or fail too early to need preemptions. */
static void write_basic(struct writer *w)
{
    if (w->calm && !pick(w, 4)) {
        str_printf(&w->out, "assert(!(%s == %u && %s == %u))", variable(w), pick(w, 3), variable(w), 1 + pick(w, 2));
        return;
    }
    switch (pick(w, w->calm ? 2 : 9)) {
    case 0: str_printf(&w->out, "%s = (%s + 1) %% 3", variable(w), variable(w)); break;
    case 1: str_printf(&w->out, "%s = %u", variable(w), pick(w, 3)); break;
    case 2: str_printf(&w->out, "b!%u", pick(w, 2)); break;
    case 3: str_printf(&w->out, "b?%s", variable(w)); break;
    case 4: str_printf(&w->out, "r!%s", variable(w)); break;
    case 5: str_printf(&w->out, "r?%s", variable(w)); break;
    case 6: str_printf(&w->out, "assert(!(%s == %u && %s == %u))", variable(w), pick(w, 3), variable(w), 1 + pick(w, 2)); break;
    case 7: str_printf(&w->out, "%s = %s", variable(w), variable(w)); break;
    default: write_condition(w); break;
    }
}

static void write_statements(struct writer *w, uint32_t n);

static void write_options(struct writer *w, const char *begin, const char *end, bool leave)
{
    str_printf(&w->out, "%s\n", begin);
    for (uint32_t i = 0, n = 1 + pick(w, 2); i < n; i++) {
        str_add(&w->out, ":: ");
        write_statements(w, 1 + pick(w, 2));
        str_add(&w->out, "\n");
    }
    if (leave) str_add(&w->out, ":: break\n");
    else if (pick(w, 2)) str_add(&w->out, ":: else -> y = 0\n");
    str_add(&w->out, end);
}

static void write_statement(struct writer *w)
{
    uint32_t kind = w->depth > 2 ? 0 : pick(w, w->calm ? 13 : 14);
    w->depth++;
    switch (kind) {
    case 9: write_options(w, "if", "fi", false); break;
    case 10: write_options(w, "do", "od", true); break;
    case 11:
        str_add(&w->out, "atomic { ");
        write_statements(w, 1 + pick(w, 3));
        str_add(&w->out, " }");
        break;
    case 12: str_printf(&w->out, "d_step { %s = %u; %s = %s }", variable(w), pick(w, 3), variable(w), variable(w)); break;
    case 13: str_add(&w->out, "timeout"); break;
    default: write_basic(w); break;
    }
    w->depth--;
}

static void write_statements(struct writer *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (i) str_add(&w->out, ";\n");
        write_statement(w);
    }
}

static void write_program(struct writer *w)
{
    str_add(&w->out, "byte x, y;\nchan b = [1] of { byte };\nchan r = [0] of { byte };\n");
    w->processes = 2 + (int)pick(w, 2);
    for (int p = 0; p < w->processes; p++) {
        str_printf(&w->out, "active proctype p%d()\n{ byte l, m;\n", p);
        write_statements(w, 2 + pick(w, 3));
        str_add(&w->out, "\n}\n");
    }
}

/* NULL: not a valid program (two reachable `else` and the like); the generator does not know all rules. */
static struct model *compile(const char *text, size_t len, bool exact)
{
    struct diags d = {0};
    struct program *p = promela_parse_text("random.pml", text, len, &(struct promela_options){0}, &d);
    struct model *m = p ? promela_model(p, &(struct model_options){.exact = exact, .no_compiler = true}, &d) : NULL;
    diags_release(&d);
    return m;
}

/* ---- the checks ---- */

struct levels { struct referee *f; int count; };

static void check_level(void *ctx, const struct search_level *l)
{
    struct levels *v = ctx;
    assert_int_equal(l->bound, v->count++);
    assert_int_equal(l->states, states_within(v->f, (int)l->bound));
}

static void check_levels(struct referee *f)
{
    for (int way = 0; way < 2 * (SEARCH_BFS + 1); way++) {
        int kind = way / 2;
        struct levels v = {f, 0};
        struct search_options o = {.kind = (enum search_kind)kind, .workers = way % 2, .bound = -1, .all_errors = true, .no_deadlock = f->no_deadlock,
                                   .level_done = check_level, .ctx = &v};
        struct search_result r;
        search_run(f->m, &o, &r);
        assert_int_equal(r.stop, STOP_COMPLETE);
        assert_int_equal(r.states, referee_count(f));
        assert_int_equal(r.transitions, f->edges.len);
        assert_int_equal(r.errors, f->errors);
        search_result_release(&r);
    }
}

/* ---- which states are within a bound, and not only how many: the model notes whose steps are asked for ---- */

enum { FEW_STATES = 400 };
static struct { struct referee *f; const struct model_ops *ops; bool asked[FEW_STATES]; } spy;

static uint32_t spy_successors(struct model *m, const uint8_t *state, uint32_t size, int pid, bool timeout, successor_fn *fn, void *ctx)
{
    size_t i = referee_index(spy.f, state, size);
    if (i < FEW_STATES) spy.asked[i] = true;
    return spy.ops->successors(m, state, size, pid, timeout, fn, ctx);
}

static void check_level_sets(struct referee *f)
{
    size_t states = referee_count(f);
    if (states > FEW_STATES) return;
    spy.f = f;
    spy.ops = f->m->ops;
    struct model_ops ops = *spy.ops;
    ops.successors = spy_successors;
    ops.touched = NULL; /* or steps are remembered, and nobody is asked */
    f->m->ops = &ops;
    static int turn; /* one thread and two take turns: it is the programs that take the time */
    int workers = 1 + turn++ % 2;
    for (int bound = 0; bound < 4; bound++) {
        struct search_options o = {.kind = SEARCH_ORDERED, .workers = workers, .bound = bound, .all_errors = true, .no_deadlock = f->no_deadlock};
        struct search_result r;
        memset(spy.asked, 0, sizeof spy.asked);
        search_run(f->m, &o, &r);
        for (size_t i = 0; i < states; i++) /* where nobody is left there is nobody to ask for */
            if (ops.process_count(f->m, f->states.at[i].bytes)) assert_int_equal(spy.asked[i], state_cost(f, i) <= bound);
        search_result_release(&r);
    }
    f->m->ops = spy.ops;
    assert_int_equal(referee_count(f), states);
}

static void check_first_error(struct referee *f)
{
    static int turn;
    int workers = 1 + turn++ / 4 % 2;
    for (int kind = SEARCH_ORDERED; kind <= SEARCH_BCS; kind++) {
        struct search_options o = {.kind = (enum search_kind)kind, .workers = workers, .bound = kind == SEARCH_BCS ? 50 : -1,
                                   .no_deadlock = f->no_deadlock};
        struct search_result r;
        search_run(f->m, &o, &r);
        assert_int_equal(r.errors > 0, f->errors > 0);
        if (r.errors) {
            struct trace *t = trace_of_schedule(f->m, &r.error);
            assert_non_null(t);
            if (kind == SEARCH_ORDERED) assert_int_equal(trace_count(t).preemptions, f->cheapest_error);
            else assert_true(trace_count(t).preemptions >= f->cheapest_error);
            if (kind == SEARCH_ORDERED || kind == SEARCH_BFS) { /* the error is named before there is a schedule of it */
                assert_string_equal(r.fault ? r.fault : "deadlock", t->kind);
                if (r.fault) assert_string_equal(r.fault_message, t->message);
            }
            trace_free(t);
        }
        search_result_release(&r);
    }
}

/* Reduction loses no error, and the level of an error is at most its number of preemptions. */
static void check_reduction(struct referee *f)
{
    static int turn;
    int workers = turn++ / 2 % 2;
    for (int kind = SEARCH_ORDERED; kind <= SEARCH_BFS; kind++) {
        struct search_options o = {.kind = (enum search_kind)kind, .workers = workers, .bound = -1, .no_deadlock = f->no_deadlock,
                                   .reduce = true};
        struct search_result r;
        search_run(f->m, &o, &r);
        assert_int_equal(r.errors > 0, f->errors > 0);
        assert_true(r.states <= referee_count(f));
        if (r.errors && kind == SEARCH_ORDERED) assert_true(r.error_level <= f->cheapest_error);
        search_result_release(&r);
    }
}

struct ledger { VEC(struct search_level) levels; };

static void note_level(void *ctx, const struct search_level *l) { vec_push(&((struct ledger *)ctx)->levels, *l); }

static void assert_same_runs(const struct search_result *a, const struct ledger *la, const struct search_result *b,
                             const struct ledger *lb)
{
    assert_int_equal(a->stop, b->stop);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->transitions, b->transitions);
    assert_int_equal(a->errors, b->errors);
    assert_int_equal(a->error_level, b->error_level);
    assert_int_equal(a->depth, b->depth);
    assert_int_equal(la->levels.len, lb->levels.len);
    for (size_t i = 0; i < la->levels.len; i++) {
        assert_int_equal(la->levels.at[i].states, lb->levels.at[i].states);
        assert_int_equal(la->levels.at[i].transitions, lb->levels.at[i].transitions);
    }
    assert_int_equal(a->error.choices.len, b->error.choices.len);
    for (size_t i = 0; i < a->error.choices.len; i++) assert_int_equal(a->error.choices.at[i], b->error.choices.at[i]);
}

/* Whatever the number of threads, and however work is shared out: the same levels, counts and counterexample. */
static void check_workers(struct referee *f)
{
    static unsigned turn;
    unsigned way = turn++ % 16; /* half of them are enough: starting threads takes time */
    if (way >= 8) return;
    struct ledger one = {0}, many = {0};
    struct search_options o = {.kind = way & 1 ? SEARCH_BFS : SEARCH_ORDERED, .bound = -1, .no_deadlock = f->no_deadlock,
                               .reduce = way & 2, .all_errors = way & 4, .level_done = note_level, .ctx = &one};
    struct search_result r, s;
    o.workers = 1;
    search_run(f->m, &o, &r);
    o.workers = 2 + (int)(turn / 8 % 7);
    o.share = 1 + turn / 56 % 5;
    o.ctx = &many;
    search_run(f->m, &o, &s);
    assert_same_runs(&r, &one, &s, &many);
    search_result_release(&r);
    search_result_release(&s);
    vec_release(&one.levels);
    vec_release(&many.levels);
}

static uint64_t spilled; /* states, by all programs */

/* With all that waits in files, and with links: the same run. */
static uint64_t check_spill(struct referee *f)
{
    static unsigned turn;
    if (turn++ % 8) return 0;
    struct ledger plain = {0}, in_files = {0}, linked = {0};
    struct search_options o = {.kind = turn & 8 ? SEARCH_BFS : SEARCH_ORDERED, .bound = -1, .no_deadlock = f->no_deadlock,
                               .share = 1, .level_done = note_level, .ctx = &plain};
    struct search_result r, s, t;
    search_run(f->m, &o, &r);
    o.spill = "/tmp";
    o.spill_from = 1;
    o.ctx = &in_files;
    search_run(f->m, &o, &s);
    assert_same_runs(&r, &plain, &s, &in_files);
    assert_int_equal(s.spill_error, 0);
    o.spill = NULL;
    o.keep_links = true;
    o.ctx = &linked;
    search_run(f->m, &o, &t);
    assert_same_runs(&r, &plain, &t, &linked);
    uint64_t count = s.spilled;
    search_result_release(&r);
    search_result_release(&s);
    search_result_release(&t);
    vec_release(&plain.levels);
    vec_release(&in_files.levels);
    vec_release(&linked.levels);
    return count;
}

/* Fig. 5 of Holzmann and Florian: the reduced bounded search loses no error within the bound. */
static void check_reduced_bounds(struct referee *f)
{
    for (int bound = 0; bound < 4; bound++) {
        struct search_options o = {.kind = SEARCH_BCS, .bound = bound, .no_deadlock = f->no_deadlock, .reduce = true};
        struct search_result r;
        search_run(f->m, &o, &r);
        if (f->cheapest_error <= bound) assert_true(r.errors > 0);
        if (r.errors) {
            struct trace *t = trace_of_schedule(f->m, &r.error);
            assert_non_null(t);
            trace_free(t);
        } else if (r.stop == STOP_COMPLETE) {
            assert_int_equal(f->errors, 0);
        }
        search_result_release(&r);
    }
}

/* The naive method of --verify, which has a table and levels of its own. */
static void check_naive(struct referee *f)
{
    for (int all = 0; all < 2; all++) {
        struct naive_job job = {.m = f->m, .no_deadlock = f->no_deadlock, .counts = true, .goes_on = all, .most = ANY_NUMBER};
        struct answer a;
        uint64_t looked_at;
        assert_int_equal(naive_explore(&job, &a, &looked_at), LIMIT_NONE);
        assert_int_equal(a.error_at, f->errors ? f->cheapest_error : -1);
        assert_true(a.none_within == (f->errors ? f->cheapest_error - 1 : ANY_NUMBER));
        for (size_t i = 0; i < a.levels.len; i++) assert_int_equal(a.levels.at[i], states_within(f, (int)i));
        if (all) assert_int_equal(a.states, referee_count(f));
        answer_release(&a);
    }
}

/* Going on after an error ends with a shortest one; with reduction, with one that is not shorter. */
static void check_shortest(struct referee *f)
{
    for (int i = 0; i < 4; i++) {
        struct search_options o = {.kind = i < 2 ? SEARCH_DFS : SEARCH_BCS, .bound = 50, .no_deadlock = f->no_deadlock, .shorten = true,
                                   .reduce = i % 2, .store = i % 2 ? STORE_COMPACT : STORE_EXACT};
        struct search_result r;
        search_run(f->m, &o, &r);
        assert_int_equal(r.errors > 0, f->errors > 0);
        if (r.errors) {
            assert_true(r.error.choices.len <= r.first_steps);
            if (o.reduce) assert_true((int)r.error.choices.len >= f->shortest_error);
            else assert_int_equal(r.error.choices.len, f->shortest_error);
            struct trace *t = trace_of_schedule(f->m, &r.error);
            assert_non_null(t);
            trace_free(t);
        }
        search_result_release(&r);
    }
}

/* The cheapest error of the plain and of the merged model must be the same; -1: none, -2: too many states, or
 * no program. */
static int judge(struct model *m, bool no_deadlock)
{
    struct referee f;
    int cheapest = -2;
    if (!m) return cheapest;
    if (referee_run(&f, m, no_deadlock, MOST_STATES)) {
        check_levels(&f);
        check_level_sets(&f);
        check_first_error(&f);
        check_reduction(&f);
        check_workers(&f);
        spilled += check_spill(&f);
        check_reduced_bounds(&f);
        check_shortest(&f);
        check_naive(&f);
        cheapest = f.errors ? f.cheapest_error : -1;
    }
    referee_release(&f);
    m->ops->free(m);
    return cheapest;
}

/* Once the local statement before x = 2 was executed together with x = 1, because it begins an atomic sequence. */
static void atomic_after_local(void **state)
{
    static const char text[] = "byte x;\n"
        "active proctype p() { d_step { x = 0; x = x }; assert(x != 1) }\n"
        "active proctype q() { byte l; x = 1; atomic { l = 1; x = 2 } }\n";
    (void)state;
    assert_int_equal(judge(compile(text, strlen(text), true), true), judge(compile(text, strlen(text), false), true));
    assert_int_equal(judge(compile(text, strlen(text), false), true), 2);
}

/* Says once that it is enough, when it is asked for the last time of `left`. */
static bool is_enough_once(void *left) { return --*(int *)left == 0; }

/* The search is told to stop in the middle of a round that has errors already: the error that it reports, rebuilt from the whole round, is real. */
static void error_in_a_round_that_is_cut(void **state)
{
    static const char text[] = "byte a[6];\n"
        "#define SUM (a[0] + a[1] + a[2] + a[3] + a[4] + a[5])\n"
        "active [6] proctype p() { byte me = 5 - _pid; do :: a[me] < 4 -> a[me]++ :: assert(SUM < 4) od }\n";
    struct model *m = compile(text, strlen(text), false);
    int cut = 0;
    (void)state;
    assert_non_null(m);
    for (int asked = 1; asked < 80; asked++) {
        int left = asked;
        struct search_options o = {.kind = SEARCH_BFS, .workers = 1, .bound = -1, .no_deadlock = true,
                                   .reduce = true, .enough = is_enough_once, .enough_ctx = &left};
        struct search_result r;
        search_run(m, &o, &r);
        cut += r.stop == STOP_ENOUGH && r.has_error;
        if (r.has_error) {
            struct trace *t = trace_of_schedule(m, &r.error);
            assert_non_null(t);
            assert_string_equal(t->kind, "assertion");
            assert_string_equal(r.fault, "assertion");
            trace_free(t);
        }
        search_result_release(&r);
    }
    printf("# %d searches were cut in a round with errors\n", cut);
    assert_true(cut > 0);
    m->ops->free(m);
}

static void random_programs(void **state)
{
    (void)state;
    const char *wanted = getenv("HEDDLE_PROGRAMS");
    int programs = wanted ? atoi(wanted) : PROGRAMS, judged = 0, preempted = 0, errors = 0;
    for (int i = 0; i < programs; i++) {
        struct writer w = {.seed = (uint64_t)i * 104729 + 1, .calm = i % 2};
        write_program(&w);
        if (getenv("HEDDLE_SHOW")) fprintf(stderr, "/* %d */ %s\n", i, str_get(&w.out));
        bool no_deadlock = i % 4 != 0;
        int plain = judge(compile(w.out.at, w.out.len, true), no_deadlock);
        int merged = judge(compile(w.out.at, w.out.len, false), no_deadlock);
        if (plain != merged && plain != -2 && merged != -2) {
            printf("program %d: cheapest error %d, with merging %d\n%s\n", i, plain, merged, str_get(&w.out));
            fail();
        }
        judged += plain != -2;
        errors += plain >= 0;
        preempted += plain > 0;
        str_release(&w.out);
    }
    printf("# %d programs judged, %d with errors, %d of them need preemptions\n", judged, errors, preempted);
    assert_true(spilled > 0);
    assert_true(judged > programs / 2 && errors > programs / 20 && preempted > programs / 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(atomic_after_local), cmocka_unit_test(error_in_a_round_that_is_cut),
                                       cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
