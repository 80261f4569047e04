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
    to->config.mode = RT_RECORD;
    from->first_announced_count = 3;
    from->first_announced[0] = 0;
    from->first_announced[1] = 5;
    from->first_announced[2] = 2;
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

/* A trace with one step that has so many picks, all of one thread. */
static struct trace *trace_of_picks(size_t count, int thread)
{
    struct trace *t = trace_new();
    trace_thread_add(t, "main");
    struct trace_step *s = trace_step_add(t, 0);
    for (size_t i = 0; i < count; i++) vec_push(&s->picks, ((struct trace_pick){thread, 0}));
    return t;
}

static bool is_accepted(struct trace *t)
{
    struct rt_shared *to = calloc(1, sizeof *to);
    assert_non_null(to);
    bool good = !native_schedule_of_trace(t, to);
    trace_free(t);
    free(to);
    return good;
}

static void schedules_come_back_from_traces(void **state)
{
    (void)state;
    struct rt_shared *to = calloc(1, sizeof *to);
    assert_non_null(to);
    struct trace *t = trace_of_picks(1, 0);
    vec_push(&t->points, 111);
    vec_push(&t->points, 222);
    struct trace_step *s = trace_step_add(t, 0);
    vec_push(&s->picks, ((struct trace_pick){1, 0}));
    vec_push(&s->picks, ((struct trace_pick){2, 4}));
    assert_null(native_schedule_of_trace(t, to));
    assert_int_equal(to->hot_count, 2);
    assert_int_equal(to->hot[1], 222);
    assert_int_equal(to->config.schedule_len, 3);
    assert_int_equal(to->first_steps[0].thread, 0);
    assert_int_equal(to->first_steps[2].thread, 2);
    assert_int_equal(to->first_steps[2].choice, 4);
    trace_free(t);
    free(to);
}

static void schedules_of_traces_are_not_believed(void **state)
{
    (void)state;
    assert_true(is_accepted(trace_of_picks(1, RT_MAX_THREADS - 1)));
    assert_false(is_accepted(trace_of_picks(1, RT_MAX_THREADS)));
    assert_false(is_accepted(trace_of_picks(1, RT_MAX_THREADS + 1)));
    assert_false(is_accepted(trace_of_picks(1, -1)));
    assert_true(is_accepted(trace_of_picks(0, 0))); /* one thread that fails before there is anything to schedule */
    struct trace *two = trace_of_picks(0, 0);
    trace_thread_add(two, "T1");
    assert_false(is_accepted(two));
    assert_true(is_accepted(trace_of_picks(RT_MAX_STEPS - 1, 0)));
    assert_true(is_accepted(trace_of_picks(RT_MAX_STEPS, 0)));
    assert_false(is_accepted(trace_of_picks(RT_MAX_STEPS + 1, 0)));
    for (size_t more = 0; more < 2; more++) {
        struct trace *t = trace_of_picks(1, 0);
        for (size_t i = 0; i < RT_MAX_HOT + more; i++) vec_push(&t->points, i + 1);
        assert_int_equal(is_accepted(t), more == 0);
    }
}

/* T1 is left while it could go on, then while it waits, then while the fair bound holds it back. */
static void preemptions_follow_from_what_was_recorded(void **state)
{
    (void)state;
    struct rt_shared *s = calloc(1, sizeof *s);
    assert_non_null(s);
    const struct rt_event events[] = {
        {.thread = 1, .kind = SCHED_WRITE, .enabled = {{7}}}, {.thread = 2, .kind = SCHED_WRITE, .enabled = {{6}}},
        {.thread = 1, .kind = SCHED_YIELD, .enabled = {{2}}}, {.thread = 2, .kind = SCHED_WRITE, .enabled = {{4}}},
        {.thread = 1, .kind = SCHED_YIELD, .enabled = {{2}}}, {.thread = 2, .kind = SCHED_WRITE, .enabled = {{6}}},
    };
    const bool unfair[] = {false, true, false, false, false, true}, fair[] = {false, true, false, false, false, false};
    memcpy(s->events, events, sizeof events);
    s->event_count = ARRAY_LEN(events);
    for (int bound = -1; bound <= 1; bound++) {
        s->config.fair_bound = bound;
        bool *found = native_preemptions(s);
        assert_memory_equal(found, bound < 0 ? unfair : fair, sizeof fair);
        free(found);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_split_like_a_shell_does), cmocka_unit_test(kinds_of_files),
        cmocka_unit_test(schedules_are_renumbered_by_creation), cmocka_unit_test(schedules_come_back_from_traces),
        cmocka_unit_test(schedules_of_traces_are_not_believed),
        cmocka_unit_test(preemptions_follow_from_what_was_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
