/* The comparison of --verify on made-up answers: what must be found out, and what may not be blamed on anybody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/verify_int.h"

enum { NONE = -1 };
#define ANY ANY_NUMBER

static struct answer answer(int64_t error_at, int64_t none_within)
{
    return (struct answer){.error_at = error_at, .none_within = none_within};
}

static void verdicts_and_preemptions(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int64_t check_error, check_none, naive_error, naive_none;
        enum verify_outcome outcome;
        enum difference difference;
    } rows[] = {
        {"both verify", NONE, ANY, NONE, ANY, VERIFY_AGREES, NO_DIFFERENCE},
        {"wrong VERIFIED", NONE, ANY, 3, 2, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"wrong VERIFIED of a property", NONE, ANY, ANY, NONE, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"wrong VERIFIED, the naive method not finished", NONE, ANY, 3, 1, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"VERIFIED, not finished", NONE, ANY, NONE, 4, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"VERIFIED, hardly begun", NONE, ANY, NONE, NONE, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"BOUNDED at the bound", NONE, 2, NONE, 2, VERIFY_AGREES, NO_DIFFERENCE},
        {"BOUNDED, and more is known", NONE, 2, NONE, ANY, VERIFY_AGREES, NO_DIFFERENCE},
        {"BOUNDED, and an error above the bound", NONE, 2, 3, 2, VERIFY_AGREES, NO_DIFFERENCE},
        {"wrong BOUNDED: an error at the bound", NONE, 2, 2, 1, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"wrong BOUNDED: an error below the bound", NONE, 2, 0, NONE, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"BOUNDED, not finished", NONE, 2, NONE, 1, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"ERROR with the fewest", 1, 0, 1, 0, VERIFY_AGREES, NO_DIFFERENCE},
        {"ERROR at 0", 0, NONE, 0, NONE, VERIFY_AGREES, NO_DIFFERENCE},
        {"ERROR, but there is one with fewer", 2, 1, 1, 0, VERIFY_DISAGREES, DIFFERENT_PREEMPTIONS},
        {"ERROR, but that few are not enough", 1, 0, 2, 1, VERIFY_DISAGREES, DIFFERENT_PREEMPTIONS},
        {"ERROR that does not say it has the fewest", 5, NONE, 1, 0, VERIFY_AGREES, NO_DIFFERENCE},
        {"the same with fewer than possible", 1, NONE, 2, 1, VERIFY_DISAGREES, DIFFERENT_PREEMPTIONS},
        {"ERROR that does not exist", 1, 0, NONE, ANY, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"ERROR that does not exist with so many", 1, 0, NONE, 1, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"ERROR of a property that does not exist", ANY, NONE, NONE, ANY, VERIFY_DISAGREES, DIFFERENT_VERDICTS},
        {"ERROR of a property", ANY, NONE, ANY, NONE, VERIFY_AGREES, NO_DIFFERENCE},
        {"ERROR of a property, not finished", ANY, NONE, NONE, 3, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"ERROR, not finished", 2, 1, NONE, 1, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"ERROR, found, but not whether fewer would do", 2, 1, 2, NONE, VERIFY_UNFINISHED, NO_DIFFERENCE},
        {"UNKNOWN: nothing is said", NONE, NONE, 1, 0, VERIFY_UNFINISHED, NO_DIFFERENCE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct answer check = answer(rows[i].check_error, rows[i].check_none);
        struct answer naive = answer(rows[i].naive_error, rows[i].naive_none);
        struct comparison c = answers_compare(&check, &naive);
        if (c.outcome != rows[i].outcome || c.difference != rows[i].difference) fail_msg("%s", rows[i].name);
    }
}

static void levels(struct answer *a, size_t count, const uint64_t *states)
{
    for (size_t i = 0; i < count; i++) vec_push(&a->levels, states[i]);
}

static void numbers_of_states(void **unused)
{
    (void)unused;
    static const uint64_t right[] = {3, 7, 9}, wrong[] = {3, 8, 9}, longer[] = {3, 7, 9, 9};
    static const struct {
        const char *name;
        const uint64_t *check;
        size_t check_levels;
        uint64_t check_states;
        size_t naive_levels;
        uint64_t naive_states;
        enum verify_outcome outcome;
        int64_t level;
    } rows[] = {
        {"the same", right, 3, 9, 3, 9, VERIFY_AGREES, -1},
        {"one level differs", wrong, 3, 9, 3, 9, VERIFY_DISAGREES, 1},
        {"a level differs, the rest is not finished", wrong, 2, 0, 2, 0, VERIFY_DISAGREES, 1},
        {"it would differ, but that far nobody went", wrong, 2, 0, 1, 0, VERIFY_UNFINISHED, -1},
        {"the whole differs", right, 2, 10, 2, 9, VERIFY_DISAGREES, -1},
        {"a level that adds nothing", longer, 4, 9, 3, 9, VERIFY_AGREES, -1},
        {"the whole is not known", right, 3, 9, 3, 0, VERIFY_UNFINISHED, -1},
        {"nothing was counted by the check", right, 0, 0, 3, 9, VERIFY_AGREES, -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct answer check = answer(NONE, 1), naive = answer(NONE, ANY);
        levels(&check, rows[i].check_levels, rows[i].check);
        levels(&naive, rows[i].naive_levels, right);
        check.states = rows[i].check_states;
        naive.states = rows[i].naive_states;
        struct comparison c = answers_compare(&check, &naive);
        if (c.outcome != rows[i].outcome || c.level != rows[i].level) fail_msg("%s", rows[i].name);
        answer_release(&check);
        answer_release(&naive);
    }
}

/* ---- what a difference does to the verdict ---- */

static struct result result_with(bool error)
{
    struct result r = {0};
    struct part *p = coverage_add(&r.coverage, NULL);
    r.coverage.everything = true;
    p->reach = error ? REACH_NOTHING : REACH_ALL;
    if (!error) return r;
    r.error = trace_new();
    r.error->kind = r.error->message = "assertion";
    r.errors = 1;
    return r;
}

static void settle(struct result *r, struct answer check, struct answer naive)
{
    struct question q = {.property = -1, .owns_error = r->error != NULL, .check = check};
    verify_settle(r, &q, &naive, "7 states", NULL);
}

static void agreement_changes_nothing(void **unused)
{
    (void)unused;
    struct result r = result_with(false);
    settle(&r, answer(NONE, ANY), answer(NONE, ANY));
    assert_int_equal(result_verdict(&r), VERDICT_VERIFIED);
    assert_int_equal(r.verification.outcome, VERIFY_AGREES);
    assert_string_equal(r.verification.found, "7 states, no error with any number of preemptions");
    settle(&r, answer(NONE, ANY), answer(NONE, 0)); /* the worst of all questions counts */
    assert_int_equal(result_verdict(&r), VERDICT_VERIFIED);
    assert_int_equal(r.verification.outcome, VERIFY_UNFINISHED);
    settle(&r, answer(NONE, ANY), answer(NONE, ANY));
    assert_int_equal(r.verification.outcome, VERIFY_UNFINISHED);
    result_release(&r);
}

static void a_wrong_verified_is_unknown(void **unused)
{
    (void)unused;
    struct result r = result_with(false);
    settle(&r, answer(NONE, ANY), answer(1, 0));
    char *sentence = coverage_sentence(&r.coverage);
    assert_int_equal(result_verdict(&r), VERDICT_UNKNOWN);
    assert_int_equal(result_exit_status(&r), EXIT_UNKNOWN);
    assert_string_equal(
        sentence,
        "a second, naive method disagrees: the check says no error with any number of preemptions, "
        "the naive method (7 states) says an error with 1 preemption at the least; please report this together with "
        "the input");
    free(sentence);
    result_release(&r);
}

static void an_error_stays_unless_it_is_denied(void **unused)
{
    (void)unused;
    struct result r = result_with(true);
    settle(&r, answer(2, 1), answer(1, 0)); /* both have an error: only the number is wrong */
    assert_int_equal(result_verdict(&r), VERDICT_ERROR);
    assert_int_equal(r.verification.outcome, VERIFY_DISAGREES);
    settle(&r, answer(2, 1), answer(NONE, ANY));
    assert_int_equal(result_verdict(&r), VERDICT_UNKNOWN);
    assert_null(r.error);
    result_release(&r);
}

static void a_wrong_number_of_states_is_unknown(void **unused)
{
    (void)unused;
    struct result r = result_with(false);
    struct answer check = answer(NONE, ANY), naive = answer(NONE, ANY);
    levels(&check, 2, (const uint64_t[]){3, 8});
    levels(&naive, 2, (const uint64_t[]){3, 7});
    settle(&r, check, naive);
    char *sentence = coverage_sentence(&r.coverage);
    assert_int_equal(result_verdict(&r), VERDICT_UNKNOWN);
    assert_non_null(strstr(sentence, "the check says 8 states with at most 1 preemption, the naive method (7 states) "
                                     "says 7 states with at most 1 preemption;"));
    free(sentence);
    answer_release(&check);
    answer_release(&naive);
    result_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_and_preemptions),
        cmocka_unit_test(numbers_of_states),
        cmocka_unit_test(agreement_changes_nothing),
        cmocka_unit_test(a_wrong_verified_is_unknown),
        cmocka_unit_test(an_error_stays_unless_it_is_denied),
        cmocka_unit_test(a_wrong_number_of_states_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
