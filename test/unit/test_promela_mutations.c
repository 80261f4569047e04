/* Every good and bad test file, changed at random but the same way each time: no crash, no hang, and whatever is still
 * a program reads back from its printed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <glob.h>

#include "../fuzz/read_text.h"

enum { ROUNDS = 200, MOST_EDITS = 4, LONGEST = 4000 };

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t n) { return n ? next_random(state) % n : 0; }

/* Deletes, doubles or replaces a stretch, or puts a stretch of another file in its place. */
static void edit(struct str *text, const struct str *other, uint64_t *random)
{
    static const char *const snippets[] = {
        ";", "{", "}", "(", ")", "::", "->", "[", "]", "=", "!", "?", " goto ", " do ", " od ", " if ", " fi ",
        "atomic {", " unless ", "else", "0", "2147483647", ",", ".", "run ", "d_step {", "inline f(a) {", "for (", "_",
        "skip;", "\"", "'", "/*",
    };
    size_t at = below(random, text->len), len = below(random, MIN((size_t)20, text->len - at + 1));
    struct str out = {0};
    str_addn(&out, str_get(text), at);
    size_t from = below(random, other->len);
    switch (below(random, 4)) {
    case 0: break;
    case 1: str_addn(&out, text->at + at, len); str_addn(&out, text->at + at, len); break;
    case 2: str_add(&out, snippets[below(random, ARRAY_LEN(snippets))]); break;
    case 3: str_addn(&out, str_get(other) + from, MIN((size_t)40, other->len - from)); break;
    }
    str_add(&out, text->at + at + len);
    str_release(text);
    *text = out;
}

static void mutate_all(glob_t *files, uint64_t *random)
{
    for (size_t i = 0; i < files->gl_pathc; i++) {
        struct str text = {0}, other = {0};
        char *a = read_file(files->gl_pathv[i], NULL);
        char *b = read_file(files->gl_pathv[below(random, files->gl_pathc)], NULL);
        str_add(&text, a);
        str_add(&other, b);
        for (size_t n = 1 + below(random, MOST_EDITS); n-- && text.len < LONGEST;) edit(&text, &other, random);
        read_text(str_get(&text), text.len);
        free(a);
        free(b);
        str_release(&text);
        str_release(&other);
    }
}

static void test_mutations(void **state)
{
    (void)state;
    glob_t files;
    uint64_t random = 88172645463325252u;
    assert_int_equal(glob("test/parse/good/*.pml", 0, NULL, &files), 0);
    assert_int_equal(glob("test/parse/bad/*.pml", GLOB_APPEND, NULL, &files), 0);
    for (int round = 0; round < ROUNDS; round++) mutate_all(&files, &random);
    globfree(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mutations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
