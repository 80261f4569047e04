/* src/base: whatever is written as JSON can be read; diagnostics keep their hints; what grows keeps its contents. */
#include "base/diag.h"
#include "base/json.h"
#include "base/options.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Written, read by Jansson, and the text of key "s" back (heap). */
static char *through_json(const char *text)
{
    struct json_writer j = {0};
    jw_object(&j, NULL);
    jw_string(&j, "s", text);
    jw_end(&j, '}');
    json_t *root = json_loadb(j.out.at, j.out.len, 0, NULL);
    if (!root) fail_msg("cannot be read: %s", j.out.at);
    char *back = xstrdup(json_string_value(json_object_get(root, "s")));
    json_decref(root);
    jw_release(&j);
    return back;
}

/* All pairs of bytes, alone and inside longer sequences: Jansson, which refuses what is not UTF-8, reads them. */
static void any_bytes(void **state)
{
    (void)state;
    static const char *const around[][2] = {{"", ""}, {"", "\x80"}, {"", "\x80\x80"}, {"\xe2", ""}, {"\xf0", "\x80"}};
    for (size_t i = 0; i < ARRAY_LEN(around); i++)
        for (int a = 1; a < 256; a++)
            for (int b = 1; b < 256; b++) {
                char text[16];
                snprintf(text, sizeof text, "%s%c%c%s", around[i][0], a, b, around[i][1]);
                free(through_json(text));
            }
}

static void kept_text(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "plain", "quote \" back \\ slash / new\nline\ttab\x01\x7f", "\xc3\xa4",
                                        "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc2\x80", "\xe0\xa0\x80",
                                        "\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        char *back = through_json(texts[i]);
        assert_string_equal(back, texts[i]);
        free(back);
    }
    /* a byte, a surrogate, a sequence that is too long */
    char *back = through_json("a\xff" "b\xed\xa0\x80" "c\xc0\x80");
    json_unescape(back);
    assert_string_equal(back, "a\xff" "b\xed\xa0\x80" "c\xc0\x80");
    free(back);
}

static void numbers(void **state)
{
    (void)state;
    struct json_writer j = {0};
    jw_array(&j, NULL);
    jw_double(&j, NULL, NAN);
    jw_double(&j, NULL, INFINITY);
    jw_uint(&j, NULL, UINT64_MAX);
    jw_int(&j, NULL, INT64_MIN);
    jw_end(&j, ']');
    assert_string_equal(j.out.at, "[\n  null,\n  null,\n  18446744073709551615,\n  -9223372036854775808\n]\n");
    jw_release(&j);
    char buf[32];
    assert_string_equal(with_commas(buf, UINT64_MAX), "18,446,744,073,709,551,615");
}

static void hints_of_dropped(void **state)
{
    (void)state;
    struct diags d = {0};
    diag_error(&d, (struct pos){0}, "an error");
    for (int i = 0; i < 60; i++) {
        diag_warning(&d, (struct pos){0}, "warning %d", i);
        diag_hint(&d, "hint %d", i);
    }
    assert_int_equal(d.warnings, 60);
    assert_int_equal(d.errors, 1);
    assert_null(d.list.at[0].hint);
    for (size_t i = 1; i < d.list.len; i++) /* each has its own: the same number in both */
        assert_string_equal(strchr(d.list.at[i].text, ' '), strchr(d.list.at[i].hint, ' '));
    diags_release(&d);
}

static void growing(void **state)
{
    (void)state;
    VEC(uint16_t) v = {0};
    for (unsigned i = 0; i < 1000; i++) vec_push(&v, (uint16_t)i);
    assert_int_equal(v.len, 1000);
    assert_true(v.cap >= 1000);
    assert_int_equal(vec_last(&v), 999);
    for (unsigned i = 1000; i-- > 0;) assert_int_equal(vec_pop(&v), i);
    vec_release(&v);
    struct map m = {0};
    static char keys[300][8];
    for (size_t i = 0; i < 300; i++) {
        snprintf(keys[i], sizeof keys[i], "k%zu", i);
        map_put(&m, keys[i], keys[i]);
    }
    for (size_t i = 0; i < 300; i++) assert_ptr_equal(map_get(&m, keys[i]), keys[i]);
    assert_null(map_get(&m, "other"));
    assert_int_equal(m.len, 300);
    map_release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes), cmocka_unit_test(kept_text), cmocka_unit_test(numbers),
        cmocka_unit_test(hints_of_dropped), cmocka_unit_test(growing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
