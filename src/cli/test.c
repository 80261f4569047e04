/* heddle test: many checks, one summary. */
#include "cli/cli.h"

#include "base/json.h"
#include "suite/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_SECONDS = 60, MOST_JOBS = 256 };

struct test_options {
    int64_t jobs;
    double time;
    size_t memory;
    const char *bound, *check, *junit, *sarif, *baseline, *traces;
    bool json, github, no_times, update, quiet, list;
};
#define AT(member) offsetof(struct test_options, member)
static const struct option rows[] = {
    {"jobs", 'j', OPTION_INT, AT(jobs), "N", "run N checks beside each other (default: one per core)", 1, MOST_JOBS,
     NULL},
    {"time", 0, OPTION_SECONDS, AT(time), "S", "of each check (default: 60)", 0, 0, NULL},
    {"memory", 0, OPTION_SIZE, AT(memory), "SIZE", "of each check (default: what is free, shared out)", 0, 0, NULL},
    {"bound", 'b', OPTION_STRING, AT(bound), "N", "check with at most N preemptions", 0, 0, NULL},
    {"check", 0, OPTION_STRING, AT(check), "OPTIONS", "more options for every check", 0, 0, NULL},
    {"list", 0, OPTION_FLAG, AT(list), NULL, "print the tests, and stop", 0, 0, NULL},
    {"baseline", 0, OPTION_STRING, AT(baseline), "FILE", "what FILE lists is known to fail", 0, 0, NULL},
    {"update", 0, OPTION_FLAG, AT(update), NULL, "write what fails now to the file of --baseline", 0, 0, NULL},
    {"traces", 0, OPTION_STRING, AT(traces), "DIR", "where counterexamples go (default: the working directory)", 0, 0,
     NULL},
    {"junit", 0, OPTION_STRING, AT(junit), "FILE", "write the results to FILE as JUnit does", 0, 0, NULL},
    {"sarif", 0, OPTION_STRING, AT(sarif), "FILE", "write the errors to FILE in SARIF 2.1.0", 0, 0, NULL},
    {"github", 0, OPTION_FLAG, AT(github), NULL, "print annotations for GitHub Actions (there it is the default)", 0, 0,
     NULL},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, NULL},
    {"no-times", 0, OPTION_FLAG, AT(no_times), NULL, "print no times: the same input gives the same output", 0, 0,
     NULL},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "print what did not pass, and the sum", 0, 0, NULL},
};
#undef AT

struct test_run {
    struct test_options o;
    struct suite suite;
    struct outcomes outcomes;
    struct baseline known;
    size_t count[OUTCOME_KINDS];
};

static void print_outcome(void *context, const struct outcome *o)
{
    struct test_run *t = context;
    struct outcome judged = *o;
    if (!t->o.update) baseline_apply(&t->known, &judged);
    if (t->o.json || (t->o.quiet && judged.kind == OUTCOME_PASSED)) return;
    struct str name = {0}, verdict = {0};
    str_add_visible(&name, o->name);
    str_add_visible(&verdict, o->verdict);
    printf("%-8s", outcome_word(judged.kind));
    if (!t->o.no_times) printf("%7.2f s  ", o->seconds);
    printf("%s: %s", str_get(&name), str_get(&verdict));
    if (o->expected && judged.kind != OUTCOME_PASSED) printf(" (expected: %s)", o->expected);
    putchar('\n');
    if (t->o.github) report_github(&judged, stdout);
    fflush(stdout);
    str_release(&name);
    str_release(&verdict);
}

static void print_json(const struct test_run *t)
{
    struct json_writer j = {0};
    jw_object(&j, NULL);
    for (int k = OUTCOME_KINDS - 1; k >= 0; k--) jw_uint(&j, outcome_word(k), t->count[k]);
    jw_array(&j, "tests");
    for (size_t i = 0; i < t->outcomes.len; i++) {
        const struct outcome *o = &t->outcomes.at[i];
        jw_object(&j, NULL);
        jw_string(&j, "name", o->name);
        jw_string(&j, "file", o->file);
        jw_string(&j, "outcome", outcome_word(o->kind));
        jw_string(&j, "verdict", o->verdict);
        jw_string(&j, "expected", o->expected);
        jw_string(&j, "kind", o->error_kind);
        jw_string(&j, "location", o->location);
        if (!t->o.no_times) jw_double(&j, "seconds", o->seconds);
        jw_end(&j, '}');
    }
    jw_end(&j, ']');
    jw_end(&j, '}');
    fputs(str_get(&j.out), stdout);
    jw_release(&j);
}

static void print_sum(const struct test_run *t)
{
    printf("heddle: %zu passed, %zu failed", t->count[OUTCOME_PASSED], t->count[OUTCOME_FAILED]);
    static const enum outcome_kind more[] = {OUTCOME_UNKNOWN, OUTCOME_BROKEN, OUTCOME_KNOWN};
    for (size_t i = 0; i < ARRAY_LEN(more); i++)
        if (t->count[more[i]])
            printf(", %zu %s", t->count[more[i]], more[i] == OUTCOME_KNOWN ? "known to fail" : outcome_word(more[i]));
    if (t->outcomes.len < t->suite.cases.len)
        printf(", %zu not run (interrupted)", t->suite.cases.len - t->outcomes.len);
    putchar('\n');
}

/* What no longer fails is to be taken out of the list, or it would hide the next time. */
static void print_mended(const struct test_run *t)
{
    for (size_t i = 0; i < t->known.lines.len; i++) {
        const struct known_failure *k = &t->known.lines.at[i];
        if (k->run && !k->seen) fprintf(stderr, "heddle: warning: no longer fails: %s\n", k->key);
    }
}

/* What is known of tests that were not run this time stays known. */
static void update_baseline(struct test_run *t)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->outcomes.len; i++) {
        struct outcome copy = t->outcomes.at[i];
        baseline_apply(&t->known, &copy);
    }
    if (baseline_write(&t->known, &t->outcomes, t->o.baseline)) die("%s: %s", t->o.baseline, strerror(errno));
    for (size_t i = 0; i < t->known.lines.len; i++) kept += !t->known.lines.at[i].run;
    if (kept)
        fprintf(stderr, "heddle: %zu line%s of %s stay%s: of tests that were not run\n", kept, kept == 1 ? "" : "s",
                t->o.baseline, kept == 1 ? "s" : "");
}

static bool write_file(const struct test_run *t, const char *path, bool sarif)
{
    if (!path || !report_file(path, &t->outcomes, t->o.no_times, sarif)) return true;
    fprintf(stderr, "heddle: error: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static int status_of(const struct test_run *t)
{
    if (t->count[OUTCOME_BROKEN]) return EXIT_BAD_INPUT;
    if (t->count[OUTCOME_FAILED]) return EXIT_ERROR_FOUND;
    return t->count[OUTCOME_UNKNOWN] || t->outcomes.len < t->suite.cases.len ? EXIT_UNKNOWN : EXIT_OK;
}

static int run_suite(struct test_run *t)
{
    struct suite_options o = {.jobs = (int)t->o.jobs,
                              .time = t->o.time,
                              .memory = t->o.memory,
                              .bound = t->o.bound,
                              .options = t->o.check,
                              .trace_directory = t->o.traces,
                              .done = print_outcome,
                              .context = t};
    limits_catch_signals();
    suite_run(&t->suite, &o, &t->outcomes);
    limits_ignore_signals();
    if (t->o.update) update_baseline(t);
    for (size_t i = 0; i < t->outcomes.len; i++) {
        if (!t->o.update) baseline_apply(&t->known, &t->outcomes.at[i]);
        t->count[t->outcomes.at[i].kind]++;
    }
    if (!t->o.update) print_mended(t);
    bool written = write_file(t, t->o.junit, false);
    written &= write_file(t, t->o.sarif, true);
    if (t->o.json) print_json(t);
    else print_sum(t);
    return written ? status_of(t) : EXIT_BAD_INPUT;
}

static int list_tests(const struct test_run *t)
{
    for (size_t i = 0; i < t->suite.cases.len; i++) {
        const struct test_case *c = &t->suite.cases.at[i];
        printf("%s%s%s\n", c->name, c->expected ? ": " : "", c->expected ? c->expected : "");
    }
    return EXIT_OK;
}

static void find_tests(struct test_run *t, const struct option_words *words)
{
    const char *wrong = NULL;
    for (size_t i = 0; i < words->len; i++)
        if (suite_add(&t->suite, words->at[i], &wrong)) die("%s", wrong);
    if (!words->len && suite_add(&t->suite, ".", &wrong)) die("%s", wrong);
    for (size_t i = 0; i < t->suite.remarks.len; i++) fprintf(stderr, "heddle: %s\n", t->suite.remarks.at[i]);
    if (!t->suite.cases.len) die("nothing to check was found");
}

static void check_options(struct test_options *o, struct arena *a)
{
    struct words all = {0};
    if (o->check) words_split(&all, o->check);
    const char *refused = suite_refused_option(a, &all);
    if (refused) die("--check: %s", refused);
    words_release(&all);
    if (o->update && !o->baseline) die("--update needs --baseline FILE");
    if (!o->jobs) o->jobs = MIN(MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), MOST_JOBS);
    if (!o->time) o->time = DEFAULT_SECONDS;
    if (!o->traces) o->traces = ".";
    o->github |= wants_github();
}

int cmd_test(int argc, char **argv)
{
    struct test_run t = {0};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &t.o};
    struct arena arena = {0};
    struct option_words words = {0};
    if (!command_words("test", &table, argc, argv, &arena, &words)) return EXIT_OK;
    check_options(&t.o, &arena);
    if (t.o.baseline && baseline_read(&t.known, t.o.baseline) && !(t.o.update && errno == ENOENT))
        die("%s: %s", t.o.baseline, strerror(errno));
    find_tests(&t, &words);
    int status = t.o.list ? list_tests(&t) : run_suite(&t);
    suite_release(&t.suite);
    baseline_release(&t.known);
    vec_release(&t.outcomes);
    vec_release(&words);
    arena_release(&arena);
    return status;
}
