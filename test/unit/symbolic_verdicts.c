/* Every verdict of the symbolic engine against the naive referee, which must also see through wrong ones: random
 * programs with assertions and labels, threads from the start, started by others, or in a loop with a limit. */
#include "random_bp.h"
#include "symbolic/symbolic.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const char *const no_labels[] = {NULL};
static const char *const some_labels[] = {"A0", "B1", NULL}; /* gotos of the random programs go there */
static const struct bp_budget budget = {.most_states = 20000, .most_depth = 6};

struct tally { int agreed, unfinished, errors, fewest, bounded, verified, caught; };

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
    t->agreed += opinion == OPINION_AGREES;
    t->unfinished += opinion == OPINION_UNFINISHED;
    t->errors += s.verdict == SYMBOLIC_ERROR, t->fewest += s.fewest;
    t->bounded += s.verdict == SYMBOLIC_BOUNDED, t->verified += s.verdict == SYMBOLIC_VERIFIED;
    symbolic_result_release(&s);
    str_release(&how);
}

static void check_program(char *text, int spawn_limit, int i, struct tally *t)
{
    struct bp_program *p = parse(text, spawn_limit);
    assert_non_null(p);
    assert_int_equal(p->starts_limited, spawn_limit);
    check_one(p, text, i % 2 ? some_labels : no_labels, i % 4, i % 3 == 0, t);
    boolprog_free(p);
    free(text);
}

static void verdicts(void **state)
{
    (void)state;
    struct tally t = {0};
    const char *more = getenv("HEDDLE_RANDOM_PROGRAMS");
    for (int i = 0, n = more ? atoi(more) : 300; i < n; i++) {
        char *text = random_bp(3000000 + (uint64_t)i, 4), *loop = starts_in_loop(text);
        check_program(text, 0, i, &t);
        if (loop) check_program(loop, 2, i, &t);
    }
    print_message("%d agreed, %d unfinished; %d verified, %d bounded, %d errors (%d with the fewest preemptions); "
                  "%d wrong claims caught\n",
                  t.agreed, t.unfinished, t.verified, t.bounded, t.errors, t.fewest, t.caught);
    assert_true(t.unfinished * 5 <= t.agreed && t.fewest * 10 >= t.errors * 8);
    assert_true(t.verified && t.bounded && t.errors && t.caught > t.agreed / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
