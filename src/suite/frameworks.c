/* The test cases inside an executable. A framework is recognised by names that its library leaves in the program, and
 * the program is asked to list its tests; each is then checked alone, by the filter that the framework has. */
#define _GNU_SOURCE
#include "suite/suite_int.h"

#include "base/json.h"
#include "base/tempdir.h"
#include "native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LISTING_SECONDS = 20, MOST_LISTING = 8 << 20 };

/* A copy of what was written to a descriptor. */
static char *contents_of(int fd)
{
    off_t len = lseek(fd, 0, SEEK_END);
    if (len < 0 || len > MOST_LISTING) return NULL;
    char *text = xcalloc((size_t)len + 1, 1);
    ssize_t n = pread(fd, text, (size_t)len, 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

char *suite_output_of(struct process *p)
{
    struct limits patience = limits_within(NULL, LISTING_SECONDS);
    int fd = nameless_file("the list of tests");
    p->in = PROCESS_NULL;
    p->out = fd;
    p->err = PROCESS_NULL;
    p->own_group = true;
    int status = process_run(p, &patience);
    char *text = status == PROCESS_NOT_STARTED || status == PROCESS_STOPPED ? NULL : contents_of(fd);
    close(fd);
    return text;
}

static struct test_case *push_test(struct suite *s, const char *path, const char *test)
{
    return suite_push(s, arena_printf(&s->arena, "%s %s", path, test), path);
}

/* ---- GoogleTest: "Suite." and below it "  Test" ---- */

static void add_google_test(struct suite *s, const char *path, char *list)
{
    const char *suite = "";
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        char *comment = strstr(line, "  # ");
        if (comment) *comment = 0;
        if (line[0] != ' ') {
            suite = line[0] && line[strlen(line) - 1] == '.' ? line : "";
        } else if (*suite) {
            const char *test = arena_printf(&s->arena, "%s%s", suite, line + strspn(line, " "));
            words_printf(&push_test(s, path, test)->arguments, "--gtest_filter=%s", test);
        }
    }
}

/* ---- Catch2: a name in each line ---- */

/* Commas, brackets and stars have a meaning in what it takes for a choice of tests. */
static void add_catch(struct suite *s, const char *path, char *list)
{
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        struct str pattern = {0};
        for (const char *c = line; *c; c++) {
            if (strchr(",[]\\\"*", *c)) str_addc(&pattern, '\\');
            str_addc(&pattern, *c);
        }
        words_add(&push_test(s, path, line)->arguments, str_get(&pattern));
        str_release(&pattern);
    }
}

/* ---- cmocka: "ok 1 - name", as it runs; the runtime hands $CMOCKA_TEST_FILTER on to it ---- */

static void add_cmocka(struct suite *s, const char *path, char *list)
{
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const char *dash = strstr(line, " - ");
        if ((strncmp(line, "ok ", 3) && strncmp(line, "not ok ", 7)) || !dash) continue;
        char *name = arena_strndup(&s->arena, dash + 3, strcspn(dash + 3, " "));
        words_printf(&push_test(s, path, name)->environment, "CMOCKA_TEST_FILTER=%s", name);
    }
}

/* ---- Check: "ok 1 - file:case:test: Passed", as it runs ---- */

static bool has_case(const struct suite *s, size_t from, const char *name)
{
    for (size_t i = from; i < s->cases.len; i++)
        if (!strcmp(s->cases.at[i].name, name)) return true;
    return false;
}

static void add_check(struct suite *s, const char *path, char *list)
{
    size_t first = s->cases.len;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const char *dash = strstr(line, " - "), *colon = dash ? strchr(dash, ':') : NULL;
        if ((strncmp(line, "ok ", 3) && strncmp(line, "not ok ", 7)) || !colon) continue;
        char *name = arena_strndup(&s->arena, colon + 1, strcspn(colon + 1, ":"));
        if (has_case(s, first, arena_printf(&s->arena, "%s %s", path, name))) continue;
        struct test_case *c = push_test(s, path, name);
        words_add(&c->environment, "CK_FORK=no");
        words_printf(&c->environment, "CK_RUN_CASE=%s", name);
    }
}

/* The first whose mark is in the program is taken. */
static const struct framework {
    const char *mark, *arguments[3], *environment[2];
    void (*add)(struct suite *s, const char *path, char *list);
} frameworks[] = {
    {"gtest_list_tests", {"--gtest_list_tests"}, {NULL}, add_google_test},
    {"list-test-names-only", {"--list-test-names-only"}, {NULL}, add_catch},
    {"Catch::", {"--list-tests", "--verbosity", "quiet"}, {NULL}, add_catch},
    {"cmocka_run_group_tests", {NULL}, {"CMOCKA_MESSAGE_OUTPUT=TAP"}, add_cmocka},
    {"CK_RUN_CASE", {NULL}, {"CK_FORK=no", "CK_TAP_LOG_FILE_NAME=-"}, add_check},
};

bool suite_add_framework(struct suite *s, const char *path)
{
    size_t len = 0, before = s->cases.len;
    char *data = read_file(path, &len), *list = NULL;
    for (size_t i = 0; data && i < ARRAY_LEN(frameworks); i++) {
        const struct framework *f = &frameworks[i];
        if (!memmem(data, len, f->mark, strlen(f->mark))) continue;
        struct process p = {0};
        words_printf(&p.words, "%s%s", strchr(path, '/') ? "" : "./", path);
        for (size_t k = 0; k < ARRAY_LEN(f->arguments) && f->arguments[k]; k++) words_add(&p.words, f->arguments[k]);
        for (size_t k = 0; k < ARRAY_LEN(f->environment) && f->environment[k]; k++)
            words_add(&p.environment, f->environment[k]);
        list = suite_output_of(&p);
        if (list) f->add(s, path, list);
        else suite_remark(s, "%s: its tests could not be listed: it is checked as a whole", path);
        process_release(&p);
        break;
    }
    free(data);
    free(list);
    return s->cases.len > before;
}

/* ---- CTest ---- */

static void add_property(struct suite *s, struct test_case *c, const json_t *property)
{
    const char *name = json_string_value(json_object_get(property, "name"));
    const json_t *value = json_object_get(property, "value");
    if (name && !strcmp(name, "WORKING_DIRECTORY") && json_is_string(value))
        c->directory = arena_strdup(&s->arena, json_string_value(value));
    for (size_t i = 0; name && !strcmp(name, "ENVIRONMENT") && i < json_array_size(value); i++)
        if (json_is_string(json_array_get(value, i)))
            words_add(&c->environment, json_string_value(json_array_get(value, i)));
}

static void add_ctest_case(struct suite *s, const json_t *test)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const json_t *command = json_object_get(test, "command"), *properties = json_object_get(test, "properties");
    const char *program = json_string_value(json_array_get(command, 0));
    if (!name) return;
    if (!program || !is_checkable_executable(program)) {
        suite_remark(s, "%s: not an executable built with heddle cc: left out", name);
        return;
    }
    struct test_case *c = suite_push(s, name, program);
    for (size_t i = 1; i < json_array_size(command); i++)
        if (json_is_string(json_array_get(command, i)))
            words_add(&c->arguments, json_string_value(json_array_get(command, i)));
    for (size_t i = 0; i < json_array_size(properties); i++) add_property(s, c, json_array_get(properties, i));
}

int suite_add_ctest(struct suite *s, const char *directory, const char **wrong)
{
    struct process p = {0};
    const char *const words[] = {"ctest", "--test-dir", directory, "--show-only=json-v1"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) words_add(&p.words, words[i]);
    char *text = suite_output_of(&p);
    process_release(&p);
    json_error_t where;
    json_t *root = text ? json_read(text, strlen(text), 0, &where) : NULL;
    const json_t *tests = json_object_get(root, "tests");
    for (size_t i = 0; i < json_array_size(tests); i++) add_ctest_case(s, json_array_get(tests, i));
    *wrong = json_is_array(tests) ? NULL : arena_printf(&s->arena, "%s: ctest does not list its tests", directory);
    json_decref(root);
    free(text);
    return *wrong ? -1 : 0;
}
