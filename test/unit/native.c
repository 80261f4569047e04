/* Parts of the engine for real programs that need no program: splitting flags, schedules in other numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "native/native.h"

#include <stdlib.h>
#include <string.h>

static void flags_are_split_like_a_shell_does(void **state)
{
    (void)state;
    struct words w = {0};
    words_split(&w, "  -O2 -DNAME=\"two words\"\t'-DX= y' \"\" ");
    assert_int_equal(w.len, 4);
    assert_string_equal(w.at[0], "-O2");
    assert_string_equal(w.at[1], "-DNAME=two words");
    assert_string_equal(w.at[2], "-DX= y");
    assert_string_equal(w.at[3], "");
    words_release(&w);
}

static void kinds_of_files(void **state)
{
    (void)state;
    assert_true(is_source_file("a.c") && is_source_file("dir.d/a.cc") && is_source_file("x.cpp") && is_source_file("x.S"));
    assert_false(is_source_file("a.o") || is_source_file("a.c.gz") || is_source_file("c") || is_source_file("a.c/b"));
    assert_true(is_cxx_file("a.cxx"));
    assert_false(is_cxx_file("a.c"));
}

/* Thread 5 was created first (after main), thread 2 second: a fresh process will call them 1 and 2. */
static void schedules_are_renumbered_by_creation(void **state)
{
    (void)state;
    struct rt_shared *from = calloc(1, sizeof *from), *to = calloc(1, sizeof *to);
    assert_true(from && to);
    from->first_created = 3;
    from->first_creation_order[0] = 0;
    from->first_creation_order[1] = 5;
    from->first_creation_order[2] = 2;
    const struct sched_step steps[] = {{0, 0}, {5, 3}, {2, 0}, {5, 1}};
    memcpy(from->first_steps, steps, sizeof steps);
    from->first_step_count = 4;
    native_schedule(from, to);
    assert_int_equal(to->config.schedule_len, 4);
    const int expected[] = {0, 1, 2, 1};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(to->first_steps[i].thread, expected[i]);
        assert_int_equal(to->first_steps[i].choice, steps[i].choice);
    }
    free(from);
    free(to);
}

static void schedules_come_back_from_traces(void **state)
{
    (void)state;
    struct rt_shared *to = calloc(1, sizeof *to);
    struct trace *t = trace_new();
    trace_thread_add(t, "main");
    struct trace_step *s = trace_step_add(t, 0);
    const int64_t first[] = {RT_TRACE_HOT, 2, 111, 222, 0, 7};
    for (size_t i = 0; i < ARRAY_LEN(first); i++) vec_push(&s->detail, first[i]);
    s = trace_step_add(t, 0);
    const int64_t second[] = {1, 0, 2, 4};
    for (size_t i = 0; i < ARRAY_LEN(second); i++) vec_push(&s->detail, second[i]);
    native_schedule_of_trace(t, to);
    assert_int_equal(to->hot_count, 2);
    assert_int_equal(to->hot[1], 222);
    assert_int_equal(to->config.schedule_len, 3);
    assert_int_equal(to->first_steps[0].choice, 7);
    assert_int_equal(to->first_steps[2].thread, 2);
    assert_int_equal(to->first_steps[2].choice, 4);
    trace_free(t);
    free(to);
}

/* What anybody could write into a trace file must not be believed. */
static void lying_traces_do_no_harm(void **state)
{
    (void)state;
    struct rt_shared *to = calloc(1, sizeof *to);
    struct trace *t = trace_new();
    trace_thread_add(t, "main");
    struct trace_step *s = trace_step_add(t, 0);
    const int64_t lie[] = {RT_TRACE_HOT, INT64_MAX, 1};
    for (size_t i = 0; i < ARRAY_LEN(lie); i++) vec_push(&s->detail, lie[i]);
    native_schedule_of_trace(t, to);
    assert_int_equal(to->hot_count, 1);
    assert_int_equal(to->config.schedule_len, 0);
    trace_free(t);
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_split_like_a_shell_does), cmocka_unit_test(kinds_of_files),
        cmocka_unit_test(schedules_are_renumbered_by_creation), cmocka_unit_test(schedules_come_back_from_traces),
        cmocka_unit_test(lying_traces_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
