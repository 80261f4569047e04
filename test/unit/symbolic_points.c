/* The referee: (program point, shared state, first round) found symbolically and by explicit search must be equal. */
#include "random_bp.h"
#include "symbolic/symbolic.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { ROUNDS = 3 };

static const char *const no_labels[] = {NULL};
static size_t shared_len;

static int by_point(const void *a, const void *b)
{
    const struct explore_point *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    int c = memcmp(x->shared, y->shared, shared_len);
    return c ? c : x->round - y->round;
}

static bool contains(const struct explore_point *all, size_t n, const struct explore_point *x)
{
    return bsearch(x, all, n, sizeof *all, by_point) != NULL;
}

static bool subset(const struct explore_point *a, size_t n, const struct explore_point *b, size_t m)
{
    for (size_t i = 0; i < n; i++)
        if (!contains(b, m, &a[i])) return false;
    return true;
}

/* Every point of a is in b, not later. */
static bool not_later(const struct explore_point *a, size_t n, const struct explore_point *b, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        struct explore_point x = a[i];
        for (x.round = 1; x.round <= a[i].round && !contains(b, m, &x);) x.round++;
        if (x.round > a[i].round) return false;
    }
    return true;
}

static void print_missing(const struct bp_program *p, const char *where, const struct explore_point *a, size_t n,
                          const struct explore_point *b, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        if (contains(b, m, &a[i])) continue;
        print_message("%s only: line %d (%s) round %d:", where, p->nodes.at[a[i].node].pos.line,
                      p->procs.at[p->nodes.at[a[i].node].proc].name, a[i].round);
        for (size_t k = 0; k < shared_len; k++)
            print_message(" %s=%d", p->vars.at[p->shared.at[k]].name, a[i].shared[k]);
        print_message("\n");
    }
}

struct tally { int programs, compared, cut, verified, errors; };

/* By tuples, lazily and eagerly, and by joint states: those are for programs without recursion. */
enum mode { LAZY, EAGER, JOINT };
static const char *const mode_words[] = {"lazy", "eager", "joint"};

static struct symbolic_options mode_options(enum mode mode)
{
    return (struct symbolic_options){.rounds = ROUNDS, .eager = mode == EAGER, .no_proof = mode != JOINT,
                                     .method = mode == JOINT ? METHOD_JOINT : METHOD_TUPLES};
}

static void find_points(const struct bp_program *p, enum mode mode, struct symbolic_result *s)
{
    struct symbolic_options o = mode_options(mode);
    symbolic_check(p, &o, NULL, true, (struct symbolic_ledger){0}, s);
    assert_int_equal(s->verdict, SYMBOLIC_BOUNDED);
    if (s->points.len) qsort(s->points.at, s->points.len, sizeof *s->points.at, by_point);
}

static bool same_points(const struct symbolic_result *s, const struct explore_point *b, size_t m)
{
    return subset(s->points.at, s->points.len, b, m) && subset(b, m, s->points.at, s->points.len);
}

/* Deeper and deeper until both agree; a set that is cut by its depth may be smaller, never different otherwise.
 * The last search is left in r. */
static void compare(const struct bp_program *p, const char *text, struct tally *t, struct explore_result *r)
{
    struct symbolic_result lazy, other;
    shared_len = p->shared.len;
    find_points(p, LAZY, &lazy);
    for (enum mode mode = EAGER; mode <= (boolprog_is_recursive(p) ? EAGER : JOINT); mode++) {
        find_points(p, mode, &other);
        if (!same_points(&lazy, other.points.at, other.points.len)) {
            print_missing(p, "lazy", lazy.points.at, lazy.points.len, other.points.at, other.points.len);
            print_missing(p, mode_words[mode], other.points.at, other.points.len, lazy.points.at, lazy.points.len);
            fail_msg("lazy and %s differ\n%s", mode_words[mode], text);
        }
        symbolic_result_release(&other);
    }
    bool equal = false, last = false;
    for (int depth = 4; !last; depth += 4) {
        struct explore_options x = {.by = EXPLORE_ROUNDS, .most = ROUNDS, .most_depth = depth, .most_states = 25000,
                                    .labels = no_labels};
        bp_explore(p, &x, r);
        bool cut = r->depth_cut || r->states_cut;
        if (r->points.len) qsort(r->points.at, r->points.len, sizeof *r->points.at, by_point);
        equal = same_points(&lazy, r->points.at, r->points.len);
        if (!not_later(r->points.at, r->points.len, lazy.points.at, lazy.points.len) || (!equal && !cut)) {
            print_message("%zu symbolic, %zu explicit\n%s\n", lazy.points.len, r->points.len, text);
            print_missing(p, "symbolic", lazy.points.at, lazy.points.len, r->points.at, r->points.len);
            print_missing(p, "explicit", r->points.at, r->points.len, lazy.points.at, lazy.points.len);
            fail();
        }
        last = equal || r->states_cut || depth >= 16;
        if (!last) bp_explore_release(r);
    }
    t->compared += equal;
    t->cut += !equal;
    symbolic_result_release(&lazy);
}

/* Whether and in which round an error exists, and that the run found for it is one. */
static void compare_error(const struct bp_program *p, const char *text, enum mode mode, const struct explore_result *r)
{
    struct symbolic_options o = mode_options(mode);
    struct symbolic_result s;
    symbolic_check(p, &o, NULL, false, (struct symbolic_ledger){0}, &s);
    bool cut = r->depth_cut || r->states_cut;
    int found = s.verdict == SYMBOLIC_ERROR ? s.error_round : -1, explicitly = r->error_level;
    if (found != explicitly && !(cut && found >= 0 && (explicitly < 0 || found < explicitly))) {
        print_message("%s: error in round %d, explicitly %d\n%s\n", mode_words[mode], found, explicitly, text);
        fail();
    }
    if (found > 0) { /* bp_run_check() was satisfied inside; the trace must lead back to the same run */
        struct trace *t = trace_new();
        struct bp_run again;
        bp_run_to_trace(p, &s.run, no_labels, t);
        assert_true(bp_run_from_trace(p, t, &again));
        char *wrong = bp_run_check(p, &again, no_labels);
        if (wrong) fail_msg("%s", wrong);
        bp_run_release(&again);
        trace_free(t);
    }
    symbolic_result_release(&s);
}

/* All schedules: VERIFIED and ERROR must be what the search through all interleavings says. */
static void compare_all_schedules(const struct bp_program *p, const char *text, struct tally *t)
{
    struct symbolic_options o = {0};
    struct symbolic_result s;
    struct explore_options x = {.most_depth = 6, .most_states = 10000, .labels = no_labels};
    struct explore_result r;
    bp_explore(p, &x, &r);
    bool cut = r.depth_cut || r.states_cut, error = r.error_level >= 0;
    o.rounds = cut || boolprog_is_recursive(p) ? ROUNDS : 0;
    symbolic_check(p, &o, NULL, false, (struct symbolic_ledger){0}, &s);
    bool wrong = s.verdict == SYMBOLIC_VERIFIED ? error : s.verdict == SYMBOLIC_ERROR ? !error && !cut : o.rounds == 0;
    if (wrong) {
        print_message("verdict %d, error in some schedule: %d\n%s\n", (int)s.verdict, error, text);
        fail();
    }
    t->verified += s.verdict == SYMBOLIC_VERIFIED;
    t->errors += s.verdict == SYMBOLIC_ERROR;
    bp_explore_release(&r);
    symbolic_result_release(&s);
}

/* What is printed, read again: the program itself, and the sequential program of the reduction. */
static struct bp_program *reread(const struct bp_program *p, int k, const char *text)
{
    char *printed = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&printed, &len);
    if (k) boolprog_print_sequential(p, k, no_labels, out);
    else boolprog_print(p, out);
    fclose(out);
    struct diags d = {0};
    struct bp_program *again = boolprog_parse("printed.bp", printed, 0, &d);
    if (!again) {
        diags_file_text(&d, diags_file(&d, "printed.bp"), printed);
        diags_print(&d, stderr);
        fail_msg("does not read back in:\n%s\n%s", text, printed);
    }
    diags_release(&d);
    free(printed);
    return again;
}

static int error_round(const struct bp_program *p, bool eager)
{
    struct symbolic_options o = {.rounds = ROUNDS, .no_proof = true, .eager = eager};
    struct symbolic_result s;
    symbolic_check(p, &o, NULL, false, (struct symbolic_ledger){0}, &s);
    int round = s.verdict == SYMBOLIC_ERROR ? s.error_round : 0;
    symbolic_result_release(&s);
    return round;
}

static void compare_printed(const struct bp_program *p, const char *text, bool eager)
{
    int round = error_round(p, eager);
    struct bp_program *same = reread(p, 0, text);
    if (error_round(same, eager) != round) fail_msg("the printed program differs:\n%s", text);
    boolprog_free(same);
    for (int k = 1; k <= 2; k++) {
        struct bp_program *sequential = reread(p, k, text);
        bool error = error_round(sequential, eager) != 0;
        if (error != (round > 0 && round <= k)) fail_msg("k = %d: the sequential program differs:\n%s", k, text);
        boolprog_free(sequential);
    }
}

static void agree_text(char *text, uint64_t seed, int i, struct tally *t)
{
    struct diags d = {0};
    struct bp_program *p = boolprog_parse("random.bp", text, 0, &d);
    if (!p) {
        diags_file_text(&d, diags_file(&d, "random.bp"), text);
        diags_print(&d, stderr);
        fail_msg("seed %llu does not parse", (unsigned long long)seed);
    }
    struct explore_result r;
    compare(p, text, t, &r);
    compare_error(p, text, i % 2 ? EAGER : LAZY, &r);
    if (!boolprog_is_recursive(p)) compare_error(p, text, JOINT, &r);
    bp_explore_release(&r);
    compare_all_schedules(p, text, t);
    if (i % 3 == 0) compare_printed(p, text, i % 2);
    t->programs++;
    boolprog_free(p);
    diags_release(&d);
    free(text);
}

/* One in four has two threads with the same code. */
static void agree_one(uint64_t seed, int i, int size, struct tally *t)
{
    char *text = random_bp(seed, size);
    agree_text(i % 4 == 3 ? random_bp_with_twin(text) : text, seed, i, t);
}

static void agree(uint64_t first, int count, int size)
{
    struct tally t = {0};
    for (int i = 0; i < count; i++) agree_one(first + (uint64_t)i, i, size, &t);
    print_message("%d programs (%d verified, %d with errors), %d comparisons equal, %d cut by depth or size\n",
                  t.programs, t.verified, t.errors, t.compared, t.cut);
    assert_true(t.cut * 5 <= t.compared);
    assert_true(t.verified * 20 >= t.programs && t.errors * 20 >= t.programs);
}

static int wanted(int normally)
{
    const char *more = getenv("HEDDLE_RANDOM_PROGRAMS");
    return more ? atoi(more) : normally;
}

static void small_programs(void **state) { (void)state; agree(1, wanted(700), 4); }
/* A procedure called inside and outside of atomic sections, at different depths: its copies share variables. */
static void found_before(void **state)
{
    static const uint64_t seeds[] = {1000746, 1001063};
    struct tally t = {0};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(seeds); i++) agree_one(seeds[i], (int)i, 7, &t);
}

/* Deep enough for calls to be taken as one move. */
static void nested_calls(void **state)
{
    struct tally t = {0};
    (void)state;
    for (int i = 0; i < wanted(30); i++) agree_text(random_bp_nested((uint64_t)i), (uint64_t)i, i, &t);
    print_message("%d programs (%d verified, %d with errors), %d comparisons equal, %d cut by depth or size\n",
                  t.programs, t.verified, t.errors, t.compared, t.cut);
    assert_true(t.cut * 5 <= t.compared && t.verified && t.errors);
}

static void larger_programs(void **state) { (void)state; agree(1000000, wanted(60), 7); }

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(found_before), cmocka_unit_test(small_programs),
                                       cmocka_unit_test(nested_calls), cmocka_unit_test(larger_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
