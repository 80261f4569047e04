/* From traces to rows, arrows and pictures: what is folded, what is left out, who has to do with whom, what is escaped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "show/show_int.h"

#include <stdlib.h>
#include <string.h>

static struct trace *empty_trace(void)
{
    struct trace *t = trace_new();
    t->input = t->engine = t->message = "x";
    t->kind = "assertion";
    trace_thread_add(t, "main");
    trace_thread_add(t, "T1 worker");
    trace_thread_add(t, "T2 worker");
    return t;
}

static struct trace_step *step(struct trace *t, int thread, const char *action)
{
    struct trace_step *s = trace_step_add(t, thread);
    s->action = action;
    return s;
}

/* A letter per row, with its step or thread: s1 is a step, - a line, p a preemption, q another switch, n a note. */
static char *shape(const struct trace *t, struct row_options o)
{
    struct rows r;
    struct str s = {0};
    rows_init(&r, t, o);
    for (size_t i = 0; i < r.list.len; i++) {
        const struct row *row = &r.list.at[i];
        if (row->kind == ROW_STEP) str_printf(&s, "%s%ld ", row->folded ? "f" : "s", row->step);
        if (row->kind == ROW_PART) str_add(&s, "+ ");
        if (row->kind == ROW_OUTPUT) str_add(&s, "> ");
        if (row->kind == ROW_SWITCH) str_add(&s, row->mark == MARK_PREEMPTION ? "p " : "q ");
        if (row->kind == ROW_LINE) str_add(&s, "- ");
        if (row->kind == ROW_NOTE) str_add(&s, "n ");
    }
    rows_release(&r);
    return s.at ? s.at : xstrdup("");
}

static void has_shape(const struct trace *t, struct row_options o, const char *expected)
{
    char *got = shape(t, o);
    assert_string_equal(got, expected);
    free(got);
}

static void test_switches_and_parts(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    has_shape(t, (struct row_options){0}, "");
    step(t, 0, "a")->output = "one\ntwo\n";
    step(t, 1, "b")->previous_enabled = true;
    step(t, 2, "c");
    struct trace_step *s = step(t, 2, "d; e");
    trace_part_add(t, s, (struct trace_part){.thread = 2, .action = "d"});
    trace_part_add(t, s, (struct trace_part){.thread = 0, .action = "e"});
    vec_push(&t->notes, "note");
    has_shape(t, (struct row_options){0}, "s1 > > p s2 q s3 s4 + n ");
    t->cycle_start = 2;
    has_shape(t, (struct row_options){0}, "s1 > > p s2 q - s3 s4 + - n ");
    t->cycle_start = 4;
    has_shape(t, (struct row_options){0}, "s1 > > p s2 q s3 s4 + - n ");
    trace_free(t);
}

/* How the last row of a trace is marked. */
static enum row_mark last_mark(const struct trace *t)
{
    struct rows r;
    rows_init(&r, t, (struct row_options){0});
    enum row_mark mark = vec_last(&r.list).mark;
    rows_release(&r);
    return mark;
}

static void test_marks(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    step(t, 1, "x -> 0, stale")->stale = true;
    assert_int_equal(last_mark(t), MARK_FAILURE);
    t->kind = "deadlock"; /* the last step is not what is wrong */
    assert_int_equal(last_mark(t), MARK_STALE);
    t->kind = NULL; /* a run that passes */
    t->steps.at[0].stale = false;
    assert_int_equal(last_mark(t), MARK_NONE);
    trace_free(t);
}

/* Twice is told twice; three times is told once. The last step is never folded, nor the beginning of the cycle. */
static void test_repetitions(void **state)
{
    (void)state;
    for (int times = 1; times <= 4; times++) {
        struct trace *t = empty_trace();
        for (int i = 0; i < times; i++) {
            step(t, 0, "a");
            step(t, 0, "b");
        }
        step(t, 0, "end");
        const char *const expected[] = {"s1 s2 s3 ", "s1 s2 s3 s4 s5 ", "s1 s2 - s7 ", "s1 s2 - s9 "};
        has_shape(t, (struct row_options){0}, expected[times - 1]);
        if (times == 3) has_shape(t, (struct row_options){.keep_folded = true}, "s1 s2 - f3 f4 f5 f6 s7 ");
        trace_free(t);
    }
    struct trace *t = empty_trace();
    for (int i = 0; i < 4; i++) step(t, 0, "a");
    has_shape(t, (struct row_options){0}, "s1 - s4 ");
    t->cycle_start = 1;
    has_shape(t, (struct row_options){0}, "s1 - s2 s3 s4 - ");
    t->cycle_start = -1;
    t->steps.at[1].line = 7;
    has_shape(t, (struct row_options){0}, "s1 s2 s3 s4 ");
    trace_change_add(t, &t->steps.at[0], "x", "1");
    has_shape(t, (struct row_options){0}, "s1 s2 s3 s4 ");
    trace_free(t);
}

/* A loop whose values differ is told by its first and its last round, if there are five; names are no values. */
static void test_loops(void **state)
{
    (void)state;
    static const char *const named[] = {"slot%d = 1", "n: %d -> 11"};
    for (int values = 0; values < 2; values++)
        for (int times = 4; times <= 5; times++) {
            struct trace *t = empty_trace();
            char text[5][40];
            for (int i = 0; i < times; i++) {
                step(t, 0, "lock");
                snprintf(text[i], sizeof text[i], named[values], 8 + i);
                step(t, 0, text[i]);
            }
            step(t, 0, "end");
            const char *const whole[] = {"s1 s2 s3 s4 s5 s6 s7 s8 s9 ", "s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 "};
            has_shape(t, (struct row_options){0}, values && times == 5 ? "s1 s2 - s9 s10 s11 " : whole[times - 4]);
            trace_free(t);
        }
}

static void test_left_out(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    for (int i = 0; i < 6; i++) step(t, 0, names[i]);
    has_shape(t, (struct row_options){.most_steps = 6}, "s1 s2 s3 s4 s5 s6 ");
    has_shape(t, (struct row_options){.most_steps = 5}, "s1 s2 - s5 s6 ");
    has_shape(t, (struct row_options){.most_steps = 1}, "- s6 ");
    trace_free(t);
}

/* Runs of one thread are folded around switches, never through them. */
static void test_runs_are_folded(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    for (int i = 0; i < 30; i++) step(t, i >= 10 && i < 20, names[i % 10]);
    has_shape(t, (struct row_options){.most_steps = 12}, "s1 s2 - s9 s10 q s11 s12 - s19 s20 q s21 s22 - s29 s30 ");
    has_shape(t, (struct row_options){.most_steps = 6}, "s1 - s10 q s11 - s20 q s21 - s30 ");
    t->steps.at[10].previous_enabled = true;
    has_shape(t, (struct row_options){.most_steps = 6}, "s1 - s10 p s11 - s20 q s21 - s30 ");
    has_shape(t, (struct row_options){.most_steps = 5}, "s1 - s10 p s11 - s30 ");
    has_shape(t, (struct row_options){.most_steps = 3}, "s1 - s29 s30 ");
    trace_free(t);
}

/* "message 1>3 " for each arrow: its kind and its steps, counted from 1. */
static void has_arrows(const struct trace *t, const char *expected)
{
    struct arrows a;
    struct str s = {0};
    arrows_init(&a, t);
    for (size_t i = 0; i < a.list.len; i++)
        str_printf(&s, "%s %zu>%zu ", arrow_name(a.list.at[i].kind), a.list.at[i].from + 1, a.list.at[i].to + 1);
    assert_string_equal(str_get(&s), expected);
    str_release(&s);
    arrows_release(&a);
}

static void test_threads_and_locks(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    step(t, 0, "create T1");
    step(t, 0, "create T2");
    step(t, 1, "lock m");
    step(t, 1, "unlock m");
    step(t, 2, "trylock m fails");
    step(t, 2, "lock m");
    step(t, 0, "lock m"); /* nobody has released it since: a trace from elsewhere */
    step(t, 0, "join T1");
    step(t, 0, "join T9");
    has_arrows(t, "create 1>3 create 2>5 lock 4>6 join 4>8 ");
    trace_free(t);
    t = empty_trace();
    step(t, 1, "signal c");
    step(t, 0, "wait c");
    step(t, 0, "wake up c"); /* the signal came before it waited */
    step(t, 0, "wait c");
    step(t, 2, "broadcast c");
    step(t, 0, "wake up c");
    has_arrows(t, "wake 5>6 ");
    trace_free(t);
}

static void wakes(struct trace_step *s, int thread) { vec_push(&s->wakes, thread); }

static void test_semaphores_and_barriers(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    step(t, 0, "sem-wait s"); /* it began with one */
    wakes(step(t, 1, "sem-post s"), 0);
    step(t, 1, "sem-post s");
    step(t, 0, "sem-trywait s fails");
    step(t, 0, "sem-wait s");
    step(t, 2, "sem-wait s");
    has_arrows(t, "wake 2>5 wake 3>6 ");
    trace_free(t);
    t = empty_trace();
    step(t, 0, "sem-wait s"); /* with two: what main gave back did not let T1 in, but T2 */
    step(t, 0, "sem-wait other"); /* nobody ever waited for this one: with what it began is not known */
    step(t, 2, "sem-post other");
    step(t, 0, "sem-post s");
    step(t, 1, "sem-wait s");
    step(t, 1, "sem-wait s");
    wakes(step(t, 1, "sem-post s"), 2);
    step(t, 2, "sem-wait s");
    step(t, 1, "sem-wait other");
    has_arrows(t, "wake 4>6 wake 7>8 ");
    trace_free(t);
    t = empty_trace();
    step(t, 0, "barrier b");
    step(t, 1, "barrier b");
    step(t, 2, "barrier b");
    step(t, 2, "leave b");
    step(t, 0, "leave b");
    step(t, 1, "leave b");
    has_arrows(t, "wake 3>5 wake 3>6 ");
    trace_free(t);
}

static struct trace_step *channel(struct trace *t, int thread, const char *action, const char *contents)
{
    struct trace_step *s = step(t, thread, action);
    trace_change_add(t, s, "c", contents);
    return s;
}

static void test_messages(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    channel(t, 0, "c!1", "[1]");
    channel(t, 0, "c!2", "[1][2]");
    channel(t, 1, "c?<x>", "[1][2]");
    channel(t, 1, "c?x", "[2]");
    channel(t, 2, "c?x", "empty");
    step(t, 0, "(x!=1)");
    step(t, 0, "r!1")->partner = 2;
    has_arrows(t, "message 1>4 message 2>5 rendezvous 7>7 ");
    trace_free(t);
    t = empty_trace();
    channel(t, 0, "c!1", "[1]");
    channel(t, 0, "c!2", "[1][2]");
    channel(t, 1, "c??2", "[1]"); /* out of turn */
    channel(t, 2, "c?x", "empty");
    channel(t, 0, "c!3", "[3]");
    channel(t, 1, "c!!2", "[2][3]"); /* sorted */
    channel(t, 2, "c?x", "[3]");
    has_arrows(t, "message 2>3 message 1>4 message 6>7 ");
    trace_free(t);
}

static void test_messages_inside_longer_steps(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    channel(t, 0, "D_STEP2", "[1][2]");
    struct trace_step *s = channel(t, 1, "c?x; c!7", "[2][7]"); /* an atomic sequence */
    trace_part_add(t, s, (struct trace_part){1, NULL, 0, "c?x"});
    trace_part_add(t, s, (struct trace_part){1, NULL, 0, "c!7"});
    channel(t, 2, "c?y", "[7]");
    channel(t, 2, "c?y", "empty");
    has_arrows(t, "message 1>2 message 1>3 message 2>4 ");
    trace_free(t);
    t = empty_trace();
    channel(t, 0, "c!1", "[1]");
    channel(t, 1, "c!2", "[2]"); /* another channel of that name: nobody took the first message */
    channel(t, 2, "c?x", "empty");
    has_arrows(t, "");
    trace_free(t);
}

static char *picture(enum picture p, const struct trace *t)
{
    char *text = NULL, *wrong = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    assert_int_equal(picture_print(p, t, f, (struct picture_style){0}, &wrong), 0);
    fclose(f);
    return text;
}

/* No picture has a string of the trace in its own language. */
static void test_escapes(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    t->message = "</title><b>";
    trace_thread_add(t, "<i>\"\\");
    step(t, 3, "</script><b>\"; x -> y; end\xff\x01")->output = "<b>";
    vec_push(&t->notes, "<b>\n\"");
    for (int p = 0; p < PICTURES; p++) {
        char *text = picture(p, t);
        if (p != PICTURE_DOT) assert_null(strstr(text, "<b>"));
        if (p != PICTURE_DOT) assert_null(strstr(text, "<i>"));
        assert_null(strchr(text, '\xff'));
        assert_null(strchr(text, '\x01'));
        free(text);
    }
    char *dot = picture(PICTURE_DOT, t);
    assert_non_null(strstr(dot, "label=\"1  <i>\\\"\\\\: </script><b>\\\"; x -> y; end\xef\xbf\xbd\\\\x01\""));
    free(dot);
    trace_free(t);
}

static void test_too_long(void **state)
{
    (void)state;
    struct trace *t = empty_trace();
    char *wrong = NULL;
    for (int i = 0; i < 2001; i++) step(t, i % 2, i % 3 ? "a" : "b");
    FILE *nowhere = fopen("/dev/null", "w");
    assert_int_equal(picture_print(PICTURE_MERMAID, t, nowhere, (struct picture_style){.most_steps = 2001}, &wrong),
                     -1);
    assert_non_null(strstr(wrong, "--steps N"));
    free(wrong);
    assert_int_equal(picture_print(PICTURE_MERMAID, t, nowhere, (struct picture_style){.most_steps = 2000}, &wrong), 0);
    assert_int_equal(picture_print(PICTURE_MERMAID, t, nowhere, (struct picture_style){0}, &wrong), 0);
    fclose(nowhere);
    trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_switches_and_parts),
        cmocka_unit_test(test_marks), cmocka_unit_test(test_repetitions), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_runs_are_folded),
        cmocka_unit_test(test_threads_and_locks), cmocka_unit_test(test_semaphores_and_barriers),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_messages_inside_longer_steps), cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
