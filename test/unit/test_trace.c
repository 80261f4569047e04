/* Trace files: any bytes come back as they were, and what is not in its range is refused, on both sides of the edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/json.h"
#include "trace/trace.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static struct trace *small_trace(const char *output)
{
    struct trace *t = trace_new();
    t->input = t->engine = t->message = "x";
    t->kind = "assertion";
    trace_thread_add(t, "p:0");
    trace_thread_add(t, "q:1");
    struct trace_step *s = trace_step_add(t, 0);
    s->action = output;
    s->output = output;
    return t;
}

static void comes_back(const char *bytes)
{
    char *wrong;
    struct trace *t = small_trace(bytes);
    char *json = trace_to_json(t);
    struct trace *u = trace_of_json("test", json, strlen(json), &wrong);
    if (!u) fail_msg("%s: %s", wrong, json);
    assert_string_equal(u->steps.at[0].output, bytes);
    assert_string_equal(u->steps.at[0].action, bytes);
    trace_free(t);
    trace_free(u);
    free(json);
}

/* All strings of one byte and of two; of three where they begin like a character of three bytes. */
static void test_bytes(void **state)
{
    (void)state;
    for (int a = 1; a < 256; a++) {
        comes_back((char[]){(char)a, 0});
        for (int b = 1; b < 256; b++) comes_back((char[]){(char)a, (char)b, 0});
    }
    for (int a = 0xe0; a < 0xf0; a++)
        for (int b = 0x70; b < 0xd0; b += 3)
            for (int c = 0x70; c < 0xd0; c += 5) comes_back((char[]){(char)a, (char)b, (char)c, 'x', 0});
}

/* The private characters themselves, one below, one above; surrogates; the ends of Unicode; characters cut short. */
static void test_edges_of_utf8(void **state)
{
    static const char *const texts[] = {
        "\xee\xbd\xbf", "\xee\xbe\x80", "\xee\xbf\xbf", "\xef\x80\x80", "\xed\x9f\xbf", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf0\x8f\xbf\xbf",
        "\xf0\x90\x80\x80", "\xf5\x80\x80\x80", "\xc0\x80", "\xe0\x9f\xbf", "\xf0\x90\x80", "\xe2\x82", "\xc3",
        "caf\xc3\xa9 \xff\xee\xbe\x80\xee\xbe", ""};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) comes_back(texts[i]);
}

/* A trace of two threads and one step, with `field` in the step and `top` outside. */
static bool is_accepted(const char *field, const char *top)
{
    struct str json = {0};
    char *wrong;
    str_printf(&json, "{\"format\":1,\"input\":\"x\",\"engine\":\"e\",\"error\":{\"kind\":\"k\",\"message\":\"m\"},"
               "\"threads\":[\"a\",\"b\"]%s,\"steps\":[{\"thread\":0,\"action\":\"\"%s}]}", top, field);
    struct trace *t = trace_of_json("test", json.at, json.len, &wrong);
    bool accepted = t != NULL;
    assert_true(accepted == !wrong);
    if (t) assert_true(trace_count(t).steps == 1);
    trace_free(t);
    free(wrong);
    str_release(&json);
    return accepted;
}

static void test_ranges(void **state)
{
    static const char *const good[] = {
        "", ",\"last\":0", ",\"last\":1", ",\"partner\":1", ",\"line\":0", ",\"line\":2147483647", ",\"choice\":0",
        ",\"choice\":4294967295", ",\"file\":null", ",\"output\":null", ",\"unknown\":[1]",
        ",\"detail\":[-9223372036854775808,9223372036854775807]", ",\"parts\":[{\"thread\":1,\"action\":\"\"}]"};
    static const char *const bad[] = {
        ",\"last\":2", ",\"last\":-1", ",\"last\":null", ",\"last\":0.0", ",\"partner\":2", ",\"partner\":-1",
        ",\"line\":-1", ",\"line\":2147483648", ",\"choice\":-1", ",\"choice\":4294967296", ",\"choice\":\"0\"",
        ",\"file\":0", ",\"output\":1", ",\"detail\":[9223372036854775808]", ",\"detail\":[1.0]", ",\"detail\":{}",
        ",\"parts\":[{\"thread\":2,\"action\":\"\"}]", ",\"parts\":[{\"thread\":1}]", ",\"parts\":[[]]",
        ",\"changes\":[{\"name\":\"x\"}]", ",\"ended\":1", ",\"previous_enabled\":null"};
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        if (!is_accepted(good[i], "")) fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (is_accepted(bad[i], "")) fail_msg("accepted: %s", bad[i]);
    assert_true(is_accepted(",\"picks\":[{\"thread\":1},{\"thread\":0,\"choice\":4294967295}]", ",\"points\":[1]"));
    assert_false(is_accepted(",\"picks\":[{\"thread\":2}]", ""));
    assert_false(is_accepted(",\"picks\":[{\"thread\":0,\"choice\":4294967296}]", ""));
    assert_false(is_accepted(",\"picks\":[{\"choice\":0}]", ""));
    assert_false(is_accepted("", ",\"points\":[0]"));
    assert_true(is_accepted("", ",\"cycle_start\":0"));
    assert_true(is_accepted("", ",\"cycle_start\":1"));
    assert_false(is_accepted("", ",\"cycle_start\":2"));
    assert_false(is_accepted("", ",\"cycle_start\":-1"));
    assert_true(is_accepted("", ",\"cycle_start\":null"));
}

static void shell_word(const char *word, const char *expected)
{
    struct str s = {0};
    str_add_shell(&s, word);
    assert_string_equal(str_get(&s), expected);
    str_release(&s);
}

static void test_shell(void **state)
{
    (void)state;
    shell_word("a/b-c_1.trace", "a/b-c_1.trace");
    shell_word("-o", "./-o");
    shell_word("a b", "'a b'");
    shell_word("it's", "'it'\\''s'");
    shell_word("", "''");
    shell_word("$x", "'$x'");
}

static void test_one_line(void **state)
{
    struct str s = {0};
    (void)state;
    str_add_visible(&s, "a\nb\x1b[1m\tc\x7f\xc3\xa9");
    assert_string_equal(str_get(&s), "a\\nb\\x1b[1m\tc\\x7f\xc3\xa9");
    str_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes), cmocka_unit_test(test_edges_of_utf8), cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_shell), cmocka_unit_test(test_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
