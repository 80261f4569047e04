/* Every verdict of the symbolic engine against the naive referee, which must also see through wrong ones: random
 * programs with assertions and labels, threads from the start, started by others, or in a loop with a limit; recursion
 * goes three calls deep, so that the referee comes to an end; where it does not, the program is made smaller. Then the
 * same number of rounds in all modes, orders and both directions against one explicit search. */
#include "random_bp.h"
#include "symbolic/symbolic.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const no_labels[] = {NULL};
static const char *const some_labels[] = {"A0", "B1", NULL}; /* gotos of the random programs go there */
static struct bp_budget budget = {.most_states = 20000, .most_depth = 8};
static bool thorough; /* every mode in both directions for every program, with one of the orders */

struct tally {
    int agreed, unfinished, errors, fewest, bounded, verified, caught, compared, smaller, unfinished_seeds;
    int passing, others; /* runs that pass without their last preemption; errors beside the first */
    int counted, spoiled; /* proofs by counting threads that are alike; what these have an error of */
    int any_number, larger; /* proofs for any number of threads; looked at with more threads */
};

static struct bp_program *parse(const char *text, int spawn_limit)
{
    struct diags d = {0};
    struct bp_program *p = boolprog_parse("random.bp", text, spawn_limit, &d);
    diags_release(&d);
    return p;
}

/* The starts of threads in main, again and again; NULL if there are none. */
static char *starts_in_loop(const char *text)
{
    static const char head[] = "void main() begin\ndecl l0;\n";
    const char *at = strstr(text, head);
    if (!at) return NULL;
    struct str s = {0};
    at += sizeof head - 1;
    str_addn(&s, text, (size_t)(at - text));
    str_printf(&s, "while (*) do\n%.*sod\nend\n", (int)(strlen(at) - strlen("end\n")), at);
    return s.at;
}

static struct bp_claim claim_of(const struct bp_program *p, const struct symbolic_result *s)
{
    switch (s->verdict) {
    case SYMBOLIC_VERIFIED: return (struct bp_claim){.kind = CLAIM_NO_ERROR};
    case SYMBOLIC_BOUNDED:
        return (struct bp_claim){.kind = CLAIM_NO_ERROR_IN_ROUNDS, .rounds = s->rounds,
                                 .switches = symbolic_covered_switches(p, s->rounds)};
    case SYMBOLIC_ERROR:
        return (struct bp_claim){.kind = CLAIM_ERROR, .rounds = s->error_round, .run = &s->run, .fewest = s->fewest};
    default: fail_msg("no verdict: %s", s->cut);
    }
    abort();
}

/* What is wrong on purpose must not be agreed with. */
static void check_wrong_claims(const struct bp_program *p, const char *const *labels, const struct symbolic_result *s,
                               struct tally *t)
{
    struct bp_claim wrong[3] = {0};
    int n = 0;
    if (s->verdict == SYMBOLIC_ERROR) {
        wrong[n++] = (struct bp_claim){.kind = CLAIM_NO_ERROR};
        wrong[n++] = (struct bp_claim){.kind = CLAIM_NO_ERROR_IN_ROUNDS, .rounds = s->error_round};
        wrong[n++] = (struct bp_claim){.kind = CLAIM_ERROR, .rounds = s->error_round + 1, .run = &s->run};
    } else {
        wrong[n++] = (struct bp_claim){.kind = CLAIM_ERROR, .rounds = s->rounds};
    }
    for (int i = 0; i < n; i++) {
        struct str how = {0};
        enum bp_opinion o = boolprog_verify(p, labels, &wrong[i], budget, &how);
        if (o == OPINION_AGREES) fail_msg("agrees with wrong claim %d: %s", i, str_get(&how));
        t->caught += o == OPINION_DISAGREES;
        str_release(&how);
    }
}

/* The run without its last preemption is a run, has that one preemption less, and comes to no error. */
static void check_without(const struct bp_program *p, const char *const *labels, const struct bp_run *run,
                          struct tally *t)
{
    size_t step;
    struct bp_run without;
    struct bp_state s;
    if (!bp_run_without_preemption(p, labels, run, &step, &without)) return;
    assert_int_equal(bp_run_preemptions(p, &without), bp_run_preemptions(p, run) - 1);
    bp_state_init(&s, p, without.init_bits);
    for (size_t i = 0; i < without.steps.len; i++) {
        const struct run_step *w = &without.steps.at[i];
        assert_true(i >= step || (w->thread == run->steps.at[i].thread && w->edge == run->steps.at[i].edge));
        assert_int_equal(bp_state_step(&s, w->thread, w->edge, w->bits), STEP_DONE);
        for (int k = 0; k < s.stacks; k++)
            assert_false(bp_state_top(&s, k) >= 0 && boolprog_is_error_node(p, bp_state_top(&s, k), labels) &&
                         bp_state_may_run(&s, k));
    }
    t->passing++;
    bp_state_release(&s);
    bp_run_release(&without);
}

/* What is found when the first error is none any more is another one, of the whole program. */
static void check_rest(const struct bp_program *p, const char *text, const char *const *labels,
                       const struct symbolic_options *o, const struct bp_run *first, struct tally *t)
{
    struct bp_program *rest = parse(text, p->starts_limited);
    struct symbolic_result s;
    boolprog_disarm(rest, first, labels);
    boolprog_assert_valid(rest);
    symbolic_check(rest, o, labels, false, (struct symbolic_ledger){0}, &s);
    if (s.verdict == SYMBOLIC_ERROR && s.has_run) {
        char *wrong = bp_run_check(p, &s.run, labels);
        if (wrong) fail_msg("%s\n%s", wrong, text);
        assert_true(s.run.error_node != first->error_node ||
                    (s.run.error_node < 0 && vec_last(&s.run.steps).edge != vec_last(&first->steps).edge));
        t->others++;
    }
    symbolic_result_release(&s);
    boolprog_free(rest);
}

static void check_one(const struct bp_program *p, const char *text, const char *const *labels, int rounds, bool eager,
                      struct tally *t)
{
    bool hard = boolprog_is_recursive(p) || p->starts_limited; /* no proof, and eight rounds take long */
    struct symbolic_options o = {.rounds = rounds || !hard ? rounds : 2, .no_proof = rounds > 0, .eager = eager};
    struct symbolic_result s;
    struct str how = {0};
    symbolic_check(p, &o, labels, false, (struct symbolic_ledger){0}, &s);
    assert_true(s.verdict != SYMBOLIC_VERIFIED || !p->starts_limited);
    struct bp_claim claim = claim_of(p, &s);
    enum bp_opinion opinion = boolprog_verify(p, labels, &claim, budget, &how);
    if (opinion == OPINION_DISAGREES)
        fail_msg("verdict %d, %d rounds: %s\n%s", (int)s.verdict, rounds, str_get(&how), text);
    if (opinion == OPINION_AGREES) check_wrong_claims(p, labels, &s, t);
    if (s.verdict == SYMBOLIC_ERROR && s.has_run) {
        check_without(p, labels, &s.run, t);
        check_rest(p, text, labels, &o, &s.run, t);
    }
    t->agreed += opinion == OPINION_AGREES;
    t->unfinished += opinion == OPINION_UNFINISHED;
    t->errors += s.verdict == SYMBOLIC_ERROR, t->fewest += s.fewest;
    t->bounded += s.verdict == SYMBOLIC_BOUNDED, t->verified += s.verdict == SYMBOLIC_VERIFIED;
    symbolic_result_release(&s);
    str_release(&how);
}

/* ---- all modes ---- */

struct mode { int method; bool eager, no_proof, reorder; };
static const struct mode modes[] = {{METHOD_AUTO, false, false, false}, {METHOD_TUPLES, false, true, false},
                                    {METHOD_TUPLES, true, true, false}, {METHOD_JOINT, false, false, false},
                                    {METHOD_STEPS, false, false, false}, {METHOD_CROWD, false, false, false},
                                    {METHOD_TUPLES, false, true, true}};
enum { ORDERS = 4 };

static void explore(const struct bp_program *p, enum explore_by by, int most, const char *const *labels,
                    struct explore_result *x)
{
    struct explore_options o = {.by = by, .most = most, .most_depth = budget.most_depth,
                                .most_states = budget.most_states, .labels = labels};
    bp_explore(p, &o, x);
}

/* The first round with an error among the first so many, 0: none. */
static int round_in_mode(const struct bp_program *p, const char *text, const char *const *labels, int rounds,
                         const struct mode *m, int order, bool backward, bool *proved)
{
    struct symbolic_options o = {.rounds = rounds, .method = m->method, .eager = m->eager, .no_proof = m->no_proof,
                                 .reorder = m->reorder, .order = order, .backward = backward};
    struct symbolic_result s;
    symbolic_check(p, &o, labels, false, (struct symbolic_ledger){0}, &s);
    bool error = s.verdict == SYMBOLIC_ERROR;
    if (s.verdict == SYMBOLIC_UNKNOWN || (error && !s.has_run) || (s.verdict == SYMBOLIC_BOUNDED && s.rounds != rounds))
        fail_msg("verdict %d, rounds %d, %s\n%s", (int)s.verdict, s.rounds, s.cut, text);
    *proved |= s.verdict == SYMBOLIC_VERIFIED;
    int round = error ? s.error_round : 0;
    symbolic_result_release(&s);
    return round;
}

/* With guesses: they are for all threads, and started ones have more to guess. */
static int most_rounds(const struct bp_program *p) { return p->threads.len > 4 ? 1 : p->threads.len > 3 ? 2 : 3; }

static void check_modes(const struct bp_program *p, const char *text, const char *const *labels, int i, struct tally *t)
{
    struct explore_result x;
    int rounds = 1 + i % 3;
    bool proved = false;
    explore(p, EXPLORE_ROUNDS, rounds, labels, &x);
    bool cut = x.states_cut || x.depth_cut;
    int expected = MAX(x.error_level, 0);
    bp_explore_release(&x);
    if (cut && !expected) {
        t->unfinished++;
        return;
    }
    for (size_t m = 0; m < ARRAY_LEN(modes); m++)
        for (int n = 0; n < 2 * ORDERS; n++) {
            bool backward = n % 2;
            int order = n / 2;
            bool joint = modes[m].method && modes[m].method != METHOD_TUPLES;
            if (joint && boolprog_is_recursive(p)) continue;
            if ((order + (int)m + i / 3) % ORDERS || (!thorough && (n + (int)m + i) % 2)) continue;
            int most = backward || modes[m].eager ? MIN(rounds, most_rounds(p)) : rounds;
            int there = expected <= most ? expected : 0;
            int round = round_in_mode(p, text, labels, most, &modes[m], order, backward, &proved);
            if (cut && round && (round < there || !there)) continue; /* the search may have missed it */
            if (round != there)
                fail_msg("%d rounds, mode %zu, order %d, %s: error in round %d, explicitly %d\n%s", most, m, order,
                         backward ? "backwards" : "forwards", round, there, text);
            t->compared++;
        }
    if (!proved) return;
    explore(p, EXPLORE_ALL, 0, labels, &x);
    if (x.error_level >= 0) fail_msg("verified, but there is a schedule with an error\n%s", text);
    t->unfinished += x.states_cut || x.depth_cut;
    bp_explore_release(&x);
}

/* What is said of any number of threads must be true of two more than were looked at. */
static void check_any_number(const char *text, const char *const *labels, struct tally *t)
{
    for (int slots = 2; slots <= 3; slots++) {
        struct bp_program *p = boolprog_parse_slots("random.bp", text, slots, NULL);
        struct symbolic_result s;
        struct symbolic_options o = {0};
        assert_non_null(p);
        bool proved = symbolic_prove_slots(p, &o, labels, &s);
        symbolic_result_release(&s);
        boolprog_free(p);
        for (int n = 1; proved && n <= slots + 1; n++) {
            struct explore_result x;
            struct bp_program *limited = parse(text, n);
            explore(limited, EXPLORE_ALL, 0, labels, &x);
            if (x.error_level >= 0) fail_msg("%d slots: verified, but %d threads have an error\n%s", slots, n, text);
            t->larger += n > slots && !x.states_cut && !x.depth_cut;
            bp_explore_release(&x);
            boolprog_free(limited);
        }
        t->any_number += proved;
        if (proved) return;
    }
}

/* Three to five threads that are alike, and now and then as many of another kind: counted, they are verified if no
 * schedule has an error, and only then. */
static void check_crowd(int i, struct tally *t)
{
    char *text = random_bp_crowd(5000000 + (uint64_t)i, 1 + i % 3, 3 + i / 3 % 3);
    struct bp_program *p = parse(text, 0);
    const char *const *labels = i % 2 ? some_labels : no_labels;
    struct symbolic_options o = {.method = METHOD_CROWD, .order = i % ORDERS};
    struct symbolic_result s;
    struct explore_result x;
    assert_non_null(p);
    explore(p, EXPLORE_ALL, 0, labels, &x);
    bool error = x.error_level >= 0, unknown = !error && (x.states_cut || x.depth_cut);
    symbolic_check(p, &o, labels, false, (struct symbolic_ledger){0}, &s);
    bool counted = s.verdict == SYMBOLIC_VERIFIED && !strcmp(s.mode, "crowd");
    if (error ? s.verdict == SYMBOLIC_VERIFIED : !unknown && !counted)
        fail_msg("%s, but verdict %d, mode %s\n%s", error ? "an error" : "no error", (int)s.verdict, s.mode, text);
    t->counted += counted && !unknown, t->spoiled += error;
    symbolic_result_release(&s);
    bp_explore_release(&x);
    boolprog_free(p);
    free(text);
}

/* Whether the referee came to an end. */
static bool check_program(char *text, int spawn_limit, int i, struct tally *t)
{
    struct bp_program *p = parse(text, spawn_limit);
    int before = t->unfinished;
    assert_non_null(p);
    assert_int_equal(p->starts_limited, spawn_limit);
    check_one(p, text, i % 2 ? some_labels : no_labels, i % 4, i % 3 == 0, t);
    check_modes(p, text, i % 2 ? some_labels : no_labels, i, t);
    boolprog_free(p);
    free(text);
    return t->unfinished == before;
}

/* Smaller and smaller until the referee comes to an end, the smallest with more time, at last with fewer threads; what
 * it could not finish was compared as far as it went. */
static void check_seed(int i, bool loop, struct tally *t)
{
    for (int size = 4; size >= 0; size--) {
        char *text = random_bp_kind(3000000 + (uint64_t)i, MAX(size, 1), false, true);
        if (!loop && i % 5 == 4) text = random_bp_with_twin(text);
        int starts = !loop ? 0 : size ? 1 + i % 2 : 1;
        if (loop) {
            char *plain = text;
            text = starts_in_loop(plain);
            free(plain);
        }
        size_t most = budget.most_states;
        if (size <= 1) budget.most_states *= 20;
        bool finished = !text || check_program(text, starts, i, t);
        budget.most_states = most;
        if (finished) return;
        t->unfinished = 0, t->smaller++;
    }
    t->unfinished_seeds++;
}

/* Small, so that the search comes to an end with more threads. */
static void check_starts(int i, struct tally *t)
{
    char *plain = random_bp_kind(4000000 + (uint64_t)i, 1 + i % 3, false, true), *text = starts_in_loop(plain);
    if (text) check_any_number(text, i % 2 ? some_labels : no_labels, t);
    free(plain);
    free(text);
}

static void verdicts(void **state)
{
    (void)state;
    struct tally t = {0};
    const char *more = getenv("HEDDLE_RANDOM_PROGRAMS"), *first = getenv("HEDDLE_FIRST_PROGRAM");
    thorough = more != NULL;
    if (thorough) budget.most_states = 50000;
    int from = first ? atoi(first) : 0, count = more ? atoi(more) : 60;
    if (!more) check_seed(323, false, &t); /* two threads took back the init procedure */
    for (int i = from; i < from + count; i++) {
        check_seed(i, false, &t);
        check_seed(i, true, &t);
        for (int k = 0; k < 3; k++) check_starts(3 * i + k, &t), check_crowd(3 * i + k, &t);
    }
    print_message("%d agreed, %d unfinished, %d made smaller; %d verified, %d bounded, %d errors (%d with the fewest "
                  "preemptions); %d wrong claims caught; %d times another mode, order or direction; %d verified for "
                  "any number of threads, %d of them searched with more than were looked at; %d runs pass without "
                  "their last preemption; %d errors beside the first; ",
                  t.agreed, t.unfinished_seeds, t.smaller, t.verified, t.bounded, t.errors, t.fewest, t.caught,
                  t.compared, t.any_number, t.larger, t.passing, t.others);
    print_message("of programs with threads that are alike %d verified by counting, %d with an error\n", t.counted,
                  t.spoiled);
    assert_true(!t.unfinished_seeds && t.smaller * 4 <= t.agreed && t.fewest * 10 >= t.errors * 8);
    assert_true((first || t.passing) && t.others && t.counted && t.spoiled); /* first: few of them, perhaps */
    assert_true(t.any_number && t.larger && t.verified && t.bounded && t.errors && t.caught > t.agreed / 2);
}

/* ---- who is alike ---- */

static const char head[] = "decl g := 0; decl h := 0;\n"
                           "bool f(p) begin return !p; end\nbool e(p) begin return p; end\n"
                           "bool ff(q) begin return !q; end\n";
static const char one[] = "void thread1() begin\n decl l; decl m;\n l := F;\n L: if (g) l := h; fi\n"
                          " assert(l | g);\n m := f(l);\n atomic begin g := m constrain ('g | h); end\n"
                          " assume(m ? * : T);\n g := schoose[l, m];\n end\n";

/* The thread once more, with these words in place of those. */
static int largest_crowd(const char *from, const char *to, const char *label)
{
    const char *labels[] = {label, NULL}, *at = strstr(one, from);
    struct str s = {0};
    struct bp_crowds c;
    assert_non_null(at);
    str_printf(&s, "%s%svoid thread2%.*s%s%s", head, one, (int)(at - one) - 12, one + 12, to, at + strlen(from));
    struct bp_program *p = parse(s.at, 0);
    if (!p) fail_msg("does not parse:\n%s", s.at);
    boolprog_crowds(p, labels, &c);
    int largest = c.largest;
    assert_int_equal(c.seen.threads.len, largest == 1 ? 2 : 1);
    assert_int_equal(c.like[0], largest);
    boolprog_crowds_release(&c);
    boolprog_free(p);
    str_release(&s);
    return largest;
}

static void alike(void **state)
{
    (void)state;
    static const char *const same[][2] = {{"F;", "0;"}, {"L:", "K:"}, {"f(l)", "ff(l)"}, {"g);\n", "g); "}};
    static const char *const differ[][2] = {
        {"F;", "T;"}, {"if (g)", "if (h)"}, {"if (g)", "if (!g)"}, {"if (g)", "if (*)"}, {"l := h;", "l := m;"},
        {"l := h;", "m := h;"}, {"l := h; fi", "skip; fi"}, {"assert(l | g)", "assert(l & g)"},
        {"assert(l | g)", "assume(l | g)"}, {"assert(l | g)", "assert(g | l)"}, {"f(l)", "e(l)"}, {"f(l)", "f(m)"},
        {"m := f", "l := f"}, {"m := f", "g := f"}, {" atomic begin", " begin"}, {"('g | h)", "(g | h)"},
        {" constrain ('g | h)", ""}, {"m ? * : T", "m ? T : T"}, {"m ? * : T", "m ? * : F"}, {"[l, m]", "[m, l]"},
        {"decl m;\n", "decl m; decl n;\n"}, {"L: if", "L: skip; if"}};
    for (size_t i = 0; i < ARRAY_LEN(same); i++)
        if (largest_crowd(same[i][0], same[i][1], "M") != 2) fail_msg("%s and %s differ", same[i][0], same[i][1]);
    for (size_t i = 0; i < ARRAY_LEN(differ); i++)
        if (largest_crowd(differ[i][0], differ[i][1], "M") != 1) fail_msg("%s as %s", differ[i][0], differ[i][1]);
    assert_int_equal(largest_crowd("L:", "K:", "L"), 1); /* one of them has an error there */
    assert_int_equal(largest_crowd("L:", "L:", "L"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(alike), cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
