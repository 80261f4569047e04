/* What a verdict is worth: every loss, every reach, and how several parts are joined. The expected words follow from the rules at
 * the head of coverage.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/check.h"

static void expect(const struct coverage *c, enum verdict verdict, const char *words)
{
    char *sentence = coverage_sentence(c);
    assert_int_equal(coverage_verdict(c), verdict);
    assert_string_equal(sentence, words);
    free(sentence);
}

static struct part *reached(struct coverage *c, const char *what, enum reach reach, int64_t bound)
{
    struct part *p = coverage_add(c, what);
    p->reach = reach;
    p->bound = bound;
    p->explored = 1234;
    return p;
}

static void nothing_is_unknown(void **unused)
{
    (void)unused;
    struct coverage c = {0};
    expect(&c, VERDICT_UNKNOWN, "nothing was covered");
    c.everything = true;
    coverage_add(&c, NULL);
    expect(&c, VERDICT_UNKNOWN, "no error in the 0 states explored");
    coverage_release(&c);
}

static void reaches(void **unused)
{
    (void)unused;
    static const struct { enum reach reach; int64_t bound; enum verdict verdict; const char *all, *named; } rows[] = {
        {REACH_ALL, -1, VERDICT_VERIFIED, "no error in any schedule", "ltl p holds in every schedule"},
        {REACH_ALL, 3, VERDICT_VERIFIED, "no error in any schedule", "ltl p holds in every schedule"},
        {REACH_FINITE, 3, VERDICT_BOUNDED, "no error in any run with finitely many preemptions",
         "ltl p holds in every run with finitely many preemptions"},
        {REACH_PREEMPTIONS, 1, VERDICT_BOUNDED, "no error with at most 1 preemption",
         "ltl p holds in every run with at most 1 preemption"},
        {REACH_PREEMPTIONS, 0, VERDICT_BOUNDED, "no error with at most 0 preemptions",
         "ltl p holds in every run with at most 0 preemptions"},
        {REACH_PREEMPTIONS, -1, VERDICT_UNKNOWN, "no error in the 1,234 states explored",
         "ltl p: no error in the 1,234 states explored"},
        {REACH_NOTHING, 2, VERDICT_UNKNOWN, "no error with at most 2 preemptions, and none in the 1,234 states explored",
         "ltl p: no error with at most 2 preemptions, and none in the 1,234 states explored"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int named = 0; named < 2; named++) {
            struct coverage c = {.everything = !named};
            reached(&c, "ltl p", rows[i].reach, rows[i].bound);
            expect(&c, rows[i].verdict, named ? rows[i].named : rows[i].all);
            coverage_release(&c);
        }
}

/* By loss: the most that a completed exploration is worth with it, and whether completed bounds survive. */
static const struct { enum verdict verdict; bool keeps_bound; } worth[] = {
    [LOSS_TIME] = {VERDICT_UNKNOWN, true}, [LOSS_MEMORY] = {VERDICT_UNKNOWN, true},
    [LOSS_INTERRUPTED] = {VERDICT_UNKNOWN, true}, [LOSS_EXECUTIONS] = {VERDICT_UNKNOWN, true},
    [LOSS_MAX_STEPS] = {VERDICT_UNKNOWN, true}, [LOSS_SAMPLING] = {VERDICT_UNKNOWN, true},
    [LOSS_DIVERGED] = {VERDICT_UNKNOWN, true}, [LOSS_DEPTH] = {VERDICT_UNKNOWN, false},
    [LOSS_SWARM] = {VERDICT_UNKNOWN, false},
    [LOSS_HASHES] = {VERDICT_UNKNOWN, false}, [LOSS_BITS] = {VERDICT_UNKNOWN, false},
    [LOSS_REDUCTION] = {VERDICT_UNKNOWN, false}, [LOSS_SWITCHES] = {VERDICT_UNKNOWN, false},
    [LOSS_WAY] = {VERDICT_UNKNOWN, false}, [LOSS_REPEAT] = {VERDICT_UNKNOWN, false},
    [LOSS_UNABLE] = {VERDICT_UNKNOWN, false}, [LOSS_STUCK] = {VERDICT_UNKNOWN, true},
    [LOSS_CONTROL] = {VERDICT_BOUNDED, true}, [LOSS_FOREIGN] = {VERDICT_BOUNDED, true},
    [LOSS_UNOBSERVED] = {VERDICT_BOUNDED, true}, [LOSS_UNAUDITED] = {VERDICT_VERIFIED, true}, [LOSS_YIELDS] = {VERDICT_BOUNDED, true},
    [LOSS_PLAIN_ACCESSES] = {VERDICT_BOUNDED, true}, [LOSS_STARTS] = {VERDICT_BOUNDED, true},
    [LOSS_THREADS] = {VERDICT_BOUNDED, true}, [LOSS_SHARE] = {VERDICT_UNKNOWN, true},
    [LOSS_VALUES] = {VERDICT_BOUNDED, true}, [LOSS_ENDLESS_STEPS] = {VERDICT_BOUNDED, true},
    [LOSS_FAILING_STEPS] = {VERDICT_BOUNDED, true}, [LOSS_WEAK_MEMORY] = {VERDICT_VERIFIED, true},
    [LOSS_MIXED] = {VERDICT_VERIFIED, true}, [LOSS_SPURIOUS] = {VERDICT_VERIFIED, true},
    [LOSS_UNEXPLORED] = {VERDICT_VERIFIED, true},
    [LOSS_WAITING] = {VERDICT_VERIFIED, true},
    [LOSS_FAIRNESS] = {VERDICT_VERIFIED, true}, [LOSS_ENDS] = {VERDICT_VERIFIED, true},
    [LOSS_NO_THREADS] = {VERDICT_UNKNOWN, false}, [LOSS_SEQUENTIAL] = {VERDICT_VERIFIED, true},
    [LOSS_ASSUMED] = {VERDICT_UNKNOWN, false}, [LOSS_NOT_LOOKED_FOR] = {VERDICT_VERIFIED, true},
    [LOSS_NO_CHECKS] = {VERDICT_VERIFIED, true}, [LOSS_VACUOUS] = {VERDICT_VERIFIED, true}, [LOSS_SECOND_OPINION] = {VERDICT_UNKNOWN, false},
};
_Static_assert(ARRAY_LEN(worth) == LOSS_COUNT, "every loss is tested");

static void losses(void **unused)
{
    (void)unused;
    for (int loss = 0; loss < LOSS_COUNT; loss++) {
        struct coverage c = {.everything = true};
        part_omit(reached(&c, NULL, REACH_ALL, 5), (enum loss)loss, "DETAIL");
        char *sentence = coverage_sentence(&c);
        assert_int_equal(coverage_verdict(&c), worth[loss].verdict);
        assert_int_equal(coverage_bound(&c), worth[loss].keeps_bound ? 5 : -1);
        if (loss != LOSS_WAY) assert_non_null(strstr(sentence, "DETAIL")); /* whatever is lost is said */
        free(sentence);
        coverage_release(&c);
    }
}

static void reservations(void **unused)
{
    (void)unused;
    struct coverage c = {.everything = true};
    struct part *p = reached(&c, NULL, REACH_ALL, 2);
    part_omit(p, LOSS_YIELDS, "1 time more than another that could run");
    part_omit(p, LOSS_CONTROL, NULL);
    part_omit(p, LOSS_SEQUENTIAL, NULL);
    expect(&c, VERDICT_BOUNDED,
           "no error in any schedule, where a thread yields at most 1 time more than another that could run, "
           "as far as it is under control (see the warnings) (nothing concurrent was checked: no thread was created)");
    coverage_release(&c);
}

static void several_parts(void **unused)
{
    (void)unused;
    struct coverage c = {.everything = true};
    reached(&c, "absence of deadlocks", REACH_ALL, 7);
    reached(&c, "ltl p", REACH_ALL, -1);
    expect(&c, VERDICT_VERIFIED, "no error in any schedule");
    assert_int_equal(coverage_bound(&c), 7);
    reached(&c, "ltl q", REACH_PREEMPTIONS, 2);
    expect(&c, VERDICT_BOUNDED, "no error with at most 2 preemptions");
    assert_int_equal(coverage_bound(&c), 2);
    c.everything = false;
    expect(&c, VERDICT_BOUNDED, "absence of deadlocks, ltl p and ltl q hold in every run with at most 2 preemptions");
    struct limits limits = {.seconds = 3};
    part_omit_limit(reached(&c, "ltl r", REACH_NOTHING, -1), LIMIT_TIME, &limits);
    expect(&c, VERDICT_UNKNOWN,
           "absence of deadlocks, ltl p and ltl q hold in every run with at most 2 preemptions; ltl r: no error in the "
           "1,234 states explored; stopped by the time limit of 3 s");
    assert_int_equal(coverage_bound(&c), -1);
    coverage_release(&c);
}

static void one_line(void **unused)
{
    (void)unused;
    struct coverage c = {.everything = true};
    part_omit(reached(&c, NULL, REACH_ALL, -1), LOSS_WEAK_MEMORY, "new\nline.c:%d uses memory_order_relaxed", 3);
    expect(&c, VERDICT_VERIFIED,
           "no error in any schedule (interleavings only: new\\nline.c:3 uses memory_order_relaxed)");
    coverage_release(&c);
}

static void sizes(void **unused)
{
    (void)unused;
    const struct { size_t bytes; const char *words; } all[] = {
        {1, "1 B"}, {1023, "1023 B"}, {1024, "1 KB"}, {1536, "1.5 KB"}, {500 << 10, "500 KB"},
        {(1 << 20) - 1, "1024 KB"}, {1 << 20, "1 MB"}, {(size_t)3 << 30, "3072 MB"}};
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct coverage c = {.everything = true};
        struct limits l = {.memory = all[i].bytes, .memory_is_given = true};
        struct part *p = reached(&c, NULL, REACH_NOTHING, -1);
        p->explored = 1;
        part_omit_limit(p, LIMIT_MEMORY, &l);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "no error in the 1 state explored; stopped by the memory limit of %s",
                 all[i].words);
        expect(&c, VERDICT_UNKNOWN, wanted);
        coverage_release(&c);
    }
}

static void contexts(void **unused)
{
    (void)unused;
    struct coverage c = {.everything = true};
    struct part *p = reached(&c, NULL, REACH_CONTEXTS, 2);
    p->threads = 3, p->switches = 1;
    expect(&c, VERDICT_BOUNDED, "no error with at most 2 contexts per thread in a round robin of 3 threads (covers all schedules "
                                "with at most 1 switch)");
    part_omit(p, LOSS_STUCK, "out of room");
    expect(&c, VERDICT_UNKNOWN, "no error with at most 2 contexts per thread in a round robin; out of room");
    coverage_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_unknown), cmocka_unit_test(reaches), cmocka_unit_test(losses),
        cmocka_unit_test(reservations), cmocka_unit_test(several_parts), cmocka_unit_test(contexts),
        cmocka_unit_test(one_line),     cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
