/* Advice after a search that was cut short: one estimate of the level that it was in, in one sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "check/check.h"

struct row { uint64_t size[5]; double estimate; uint64_t recent[2]; const char *wanted; };

static void add_levels(struct result *r, const struct row *row, bool native)
{
    for (int i = 0; i < 5 && row->size[i]; i++) {
        bool last = i == 4 || !row->size[i + 1];
        struct level l = {.bound = i, .complete = !last};
        *(native ? &l.executions : &l.states) = row->size[i];
        vec_push(&r->bounds, l);
    }
}

/* The first line of advice (heap); the last level of the row is the one that was cut short. */
static char *advice_of(const struct row *row, const char *engine)
{
    struct result r = {.file = "x", .engine = engine, .estimate = row->estimate,
                       .recent = {row->recent[0], row->recent[1]}};
    part_omit(coverage_add(&r.coverage, NULL), LOSS_TIME, "1 s");
    add_levels(&r, row, !strcmp(engine, "native"));
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    result_print_advice(&r, true, out);
    fclose(out);
    text[strcspn(text, "\n")] = 0;
    result_release(&r);
    return text;
}

static void expect(const struct row *rows, size_t n, const char *engine)
{
    for (size_t i = 0; i < n; i++) {
        char *text = advice_of(&rows[i], engine);
        assert_string_equal(text, rows[i].wanted);
        free(text);
    }
}

/* Counts are cumulative: 1, 10 and 100 were added, so the next bound should add 1,000 at most. */
static void schedules(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        /* the tree is said to be much larger than the growth of the levels allows */
        {{1, 11, 111, 611}, 69549761, {0},
         "advice   500 of probably at most 1,000 schedules of this bound were run (50 %)"},
        {{1, 11, 111, 611}, 0, {0}, "advice   500 of probably at most 1,000 schedules of this bound were run (50 %)"},
        {{1, 11, 111, 611}, 800, {0}, "advice   500 of about 800 schedules of this bound were run (62 %)"},
        /* the level has outgrown what was expected of it */
        {{1, 11, 111, 2111}, 8000, {0}, "advice   2,000 of about 8,000 schedules of this bound were run (25 %)"},
        {{1, 11, 511}, 1000, {0}, "advice   500 of about 1,000 schedules of this bound were run (50 %)"},
    };
    expect(rows, ARRAY_LEN(rows), "native");
}

static void states(void **unused)
{
    (void)unused;
    static const struct row rows[] = {
        {{1, 11, 111, 611}, 0, {500, 400},
         "advice   500 of probably at most 1,000 states of this bound were found (50 %)"},
        {{1, 11, 111, 2111}, 0, {500, 400},
         "advice   the last rounds found 500 states, as many rounds before them 400: no end in sight of this bound"},
        {{500}, 0, {100, 200}, "advice   the last rounds found 100 states, as many rounds before them 200"},
    };
    expect(rows, ARRAY_LEN(rows), "explicit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(schedules), cmocka_unit_test(states)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
