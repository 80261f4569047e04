/* Running the cases, as many beside each other as there are jobs, and judging each by what its check says. */
#define _GNU_SOURCE
#include "suite/suite_int.h"

#include "base/json.h"
#include "base/tempdir.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MILLISECONDS = 10 };

struct job {
    const struct test_case *test;
    size_t number; /* of its case */
    struct process process;
    int out, err;
    char *trace; /* in the temporary directory */
    double started;
    bool runs;
};

struct runner {
    struct suite *suite;
    const struct suite_options *o;
    struct tempdir directory;
    struct job *jobs;
    struct outcome *outcomes; /* by case */
    const char **traces;      /* by case: where its counterexample is kept */
    bool *done;
    size_t next, shown; /* the next case to start; how many outcomes were handed on */
    size_t memory;
};

/* ---- one check ---- */

static void go_to_directory(void *context)
{
    if (chdir(context)) _exit(PROCESS_NOT_STARTED);
}

static char *own_path(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    if (!path) die("cannot find heddle itself: %s", strerror(errno));
    return path;
}

/* A path that means the same from another directory. */
static void add_path(struct words *w, const char *path, bool elsewhere)
{
    char *whole = elsewhere ? realpath(path, NULL) : NULL;
    if (!whole && path[0] == '-') words_printf(w, "./%s", path); /* or it would be taken for an option */
    else words_add(w, whole ? whole : path);
    free(whole);
}

static void add_command(struct runner *r, struct job *j)
{
    const struct test_case *t = j->test;
    struct words *w = &j->process.words;
    char *self = own_path();
    words_add(w, self);
    words_add(w, "check");
    add_path(w, t->file, t->directory != NULL);
    words_printf(w, "--time=%g", r->o->time);
    words_printf(w, "--memory=%zu", r->memory);
    if (r->o->bound) words_printf(w, "--bound=%s", r->o->bound);
    if (r->o->options) words_split(w, r->o->options);
    for (size_t i = 0; i < t->options.len; i++) words_add(w, t->options.at[i]); /* what a test says of itself counts */
    words_add(w, "--json");
    words_printf(w, "--output=%s", j->trace);
    if (t->arguments.len) words_add(w, "--");
    for (size_t i = 0; i < t->arguments.len; i++) words_add(w, t->arguments.at[i]);
    for (size_t i = 0; i < t->environment.len; i++) words_add(&j->process.environment, t->environment.at[i]);
    words_add(&j->process.environment, "GITHUB_ACTIONS=");
    free(self);
}

static void start(struct runner *r, struct job *j)
{
    struct str name = {0};
    *j = (struct job){.test = &r->suite->cases.at[r->next], .number = r->next, .runs = true, .started = seconds_now()};
    r->next++;
    str_printf(&name, "%zu.trace", j->number);
    j->trace = tempdir_file(&r->directory, str_get(&name));
    str_release(&name);
    j->out = nameless_file("the output of a check");
    j->err = nameless_file("the messages of a check");
    j->process = (struct process){.in = PROCESS_NULL, .out = j->out, .err = j->err, .own_group = true,
                                  .tidies = true};
    add_command(r, j);
    if (j->test->directory) {
        j->process.in_child = go_to_directory;
        j->process.context = (void *)j->test->directory;
    }
    if (process_start(&j->process)) die("cannot start a check: %s", strerror(errno));
}

static char *text_in(int fd)
{
    off_t len = lseek(fd, 0, SEEK_END);
    char *text = xcalloc((size_t)MAX(len, 0) + 1, 1);
    ssize_t n = pread(fd, text, (size_t)MAX(len, 0), 0);
    text[n > 0 ? n : 0] = 0;
    return text;
}

/* ---- judging ---- */

static enum outcome_kind judge(const char *expected, const struct said *s)
{
    if (expected && expectation_is_met(expected, s)) return OUTCOME_PASSED;
    if (!strcmp(s->verdict, "unknown")) return OUTCOME_UNKNOWN;
    if (expected || !strcmp(s->verdict, "error")) return OUTCOME_FAILED;
    return OUTCOME_PASSED;
}

static const char *keep(struct suite *s, const json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    if (!text) return NULL;
    char *copy = arena_strdup(&s->arena, text);
    json_unescape(copy);
    return copy;
}

static int64_t number(const json_t *o, const char *key) { return json_integer_value(json_object_get(o, key)); }

static int64_t last_bound(const json_t *root)
{
    const json_t *bounds = json_object_get(root, "bounds");
    size_t n = json_array_size(bounds);
    return n ? number(json_array_get(bounds, n - 1), "bound") : 0;
}

static const char *upper(struct suite *s, const char *word)
{
    char *copy = arena_strdup(&s->arena, word);
    for (char *c = copy; *c; c++) *c = (char)toupper((unsigned char)*c);
    return copy;
}

static const char *verdict_line(struct suite *s, const json_t *root, const struct outcome *o, const struct said *said)
{
    const json_t *error = json_object_get(root, "error");
    if (!o->error_kind) {
        const char *covered = keep(s, root, "covered");
        return arena_printf(&s->arena, "%s %s", upper(s, said->verdict), covered ? covered : "");
    }
    static const struct { const char *key, *word; bool always; } counts[] = {
        {"preemptions", "preemption", true}, {"stale_reads", "stale read", false},
        {"early_writes", "early write", false}, {"spurious", "spurious event", false}, {"steps", "step", true}};
    const char *text = "";
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        long long n = number(error, counts[i].key);
        if (n || counts[i].always)
            text = arena_printf(&s->arena, "%s%s%lld %s%s", text, *text ? ", " : "", n, counts[i].word,
                                n == 1 ? "" : "s");
    }
    return arena_printf(&s->arena, "ERROR %s: %s (%s)", o->error_kind, o->message, text);
}

static void judge_json(struct suite *s, const json_t *root, struct outcome *o)
{
    const json_t *error = json_object_get(root, "error");
    struct said said = {.verdict = keep(s, root, "verdict"),
                        .kind = "",
                        .preemptions = number(error, "preemptions"),
                        .contexts = last_bound(root) + 1};
    if (!said.verdict) return;
    o->error_kind = keep(s, error, "kind");
    o->message = o->error_kind ? keep(s, error, "message") : NULL;
    o->location = o->error_kind ? keep(s, error, "location") : NULL;
    if (o->error_kind && !o->message) o->message = "";
    if (o->error_kind) said.kind = o->error_kind;
    o->verdict = verdict_line(s, root, o, &said);
    o->kind = judge(o->expected, &said);
}

/* "a.c:3" of "a.c:3:7: error: ...", NULL if the line does not begin so. */
static const char *place_of(struct suite *s, const char *line)
{
    const char *error = strstr(line, "error: "), *colon = strchr(line, ':');
    while (colon && error && colon < error && !isdigit((unsigned char)colon[1])) colon = strchr(colon + 1, ':');
    if (!colon || !error || colon > error) return NULL;
    size_t digits = strspn(colon + 1, "0123456789");
    return colon[1 + digits] == ':' ? arena_strndup(&s->arena, line, (size_t)(colon - line) + 1 + digits) : NULL;
}

/* The first line that says where something is wrong, or the last that says that something is, or the last at all. */
static const char *complaint(struct suite *s, const char *text, int status, const char **place)
{
    const char *found = NULL;
    for (const char *line = text; *line && !*place;) {
        size_t len = strcspn(line, "\n");
        const char *copy = arena_strndup(&s->arena, line, len);
        *place = place_of(s, copy);
        if (len && (!found || *place || strstr(copy, "error: ") || !strstr(found, "error: "))) found = copy;
        line += len + (line[len] == '\n');
    }
    return found ? found : arena_printf(&s->arena, "the check ended with status %d and said nothing", status);
}

/* Names of traces have no directories in them, and are no longer than file systems allow. */
static void add_trace_name(struct str *s, const char *name)
{
    enum { MOST_NAME = 150, KEPT = 100 };
    size_t from = s->len;
    for (const char *c = name; *c; c++) str_addc(s, isalnum((unsigned char)*c) || strchr(".-_", *c) ? *c : '_');
    if (s->len - from <= MOST_NAME) return;
    char *hash = hash_text(name, strlen(name));
    s->len = from + KEPT;
    str_printf(s, "-%s", hash);
    free(hash);
}

/* Names that would be the same are numbered, in the order of the cases. */
static void name_traces(struct runner *r)
{
    struct map used = {0};
    for (size_t i = 0; i < r->suite->cases.len; i++) {
        struct str path = {0};
        str_printf(&path, "%s/", r->o->trace_directory);
        add_trace_name(&path, r->suite->cases.at[i].name);
        size_t base = path.len, number = 1;
        while (map_get(&used, str_get(&path))) {
            path.len = base;
            str_printf(&path, "~%zu", ++number);
        }
        const char *name = arena_strdup(&r->suite->arena, str_get(&path));
        map_put(&used, name, r);
        r->traces[i] = arena_printf(&r->suite->arena, "%s.trace", name);
        str_release(&path);
    }
    map_release(&used);
}

static void keep_trace(struct runner *r, const struct job *j, struct outcome *o)
{
    char *wrong = NULL;
    struct trace *t = o->kind == OUTCOME_FAILED && o->error_kind ? trace_read(j->trace, &wrong) : NULL;
    free(wrong);
    unlink(j->trace);
    if (!t) return;
    vec_push(&r->suite->traces, t);
    o->trace = t;
    const char *path = r->traces[j->number];
    if (trace_write(t, path)) fprintf(stderr, "heddle: warning: cannot write %s: %s\n", path, strerror(errno));
}

static void finish(struct runner *r, struct job *j)
{
    struct outcome *o = &r->outcomes[j->number];
    char *out = text_in(j->out), *err = text_in(j->err);
    *o = (struct outcome){.name = j->test->name,
                          .file = j->test->file,
                          .expected = j->test->expected,
                          .seconds = seconds_now() - j->started};
    json_t *root = json_read(out, strlen(out), 0, &(json_error_t){0});
    if (root) judge_json(r->suite, root, o);
    if (!o->verdict || j->process.status == EXIT_BAD_INPUT) {
        o->kind = OUTCOME_BROKEN;
        o->location = NULL;
        o->verdict = complaint(r->suite, err, j->process.status, &o->location);
    }
    json_decref(root);
    keep_trace(r, j, o);
    r->done[j->number] = true;
    process_release(&j->process);
    close(j->out);
    close(j->err);
    free(j->trace);
    free(out);
    free(err);
    j->runs = false;
}

/* ---- all of them ---- */

static void hand_on(struct runner *r)
{
    for (; r->shown < r->suite->cases.len && r->done[r->shown]; r->shown++)
        if (r->o->done) r->o->done(r->o->context, &r->outcomes[r->shown]);
}

/* Cases that say what cannot be understood have their outcome already. */
static void pass_over_wrong(struct runner *r)
{
    for (; r->next < r->suite->cases.len && r->suite->cases.at[r->next].wrong; r->next++) {
        const struct test_case *t = &r->suite->cases.at[r->next];
        const char *place = arena_printf(&r->suite->arena, "%s:%d", t->file, t->line);
        r->outcomes[r->next] = (struct outcome){
            .name = t->name, .file = t->file, .expected = t->expected, .kind = OUTCOME_BROKEN, .location = place,
            .verdict = arena_printf(&r->suite->arena, "%s: error: %s", place, t->wrong)};
        r->done[r->next] = true;
    }
}

static bool start_what_fits(struct runner *r)
{
    bool busy = false;
    for (int i = 0; i < r->o->jobs; i++) {
        pass_over_wrong(r);
        if (!r->jobs[i].runs && r->next < r->suite->cases.len && !limits_interrupted()) start(r, &r->jobs[i]);
        busy |= r->jobs[i].runs;
    }
    return busy;
}

static void abandon(struct job *j)
{
    if (!j->runs) return;
    process_stop(&j->process);
    process_release(&j->process);
    close(j->out);
    close(j->err);
    free(j->trace);
    j->runs = false;
}

bool suite_run(struct suite *s, const struct suite_options *o, struct outcomes *out)
{
    struct limits whole = limits_start(0, 0);
    struct runner r = {.suite = s, .o = o, .memory = o->memory ? o->memory : whole.memory / (size_t)o->jobs};
    r.jobs = xcalloc((size_t)o->jobs, sizeof *r.jobs);
    r.outcomes = xcalloc(s->cases.len + 1, sizeof *r.outcomes);
    r.done = xcalloc(s->cases.len + 1, sizeof *r.done);
    r.traces = xcalloc(s->cases.len + 1, sizeof *r.traces);
    name_traces(&r);
    tempdir_require(&r.directory);
    if (mkdir(o->trace_directory, 0777) && errno != EEXIST) die("%s: %s", o->trace_directory, strerror(errno));
    while (start_what_fits(&r) && !limits_interrupted()) {
        for (int i = 0; i < o->jobs; i++)
            if (r.jobs[i].runs && process_wait(&r.jobs[i].process, WAIT_MILLISECONDS)) finish(&r, &r.jobs[i]);
        hand_on(&r);
    }
    hand_on(&r);
    for (int i = 0; i < o->jobs; i++) process_ask(&r.jobs[i].process); /* all of them, before it waits for one */
    for (int i = 0; i < o->jobs; i++) abandon(&r.jobs[i]);
    for (size_t i = 0; i < s->cases.len; i++)
        if (r.done[i]) vec_push(out, r.outcomes[i]);
    tempdir_remove(&r.directory);
    free(r.jobs);
    free(r.outcomes);
    free(r.traces);
    free(r.done);
    return out->len == s->cases.len;
}
