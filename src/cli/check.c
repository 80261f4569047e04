/* heddle check: choose the engine by the input, parse its options, run it, report. */
#include "cli/input_int.h"

#include "base/archive.h"
#include "base/version.h"
#include "cluster/cluster.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first word that names an input decides the engine, and with it the options that exist. A value of an option
 * can look like an input ("-o x.pml"); an existing readable file that an engine accepts is the better guess. */
static const struct engine *find_engine(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (word_of_language(argv[i], argv[i + 1])) return engine_of_language(word_of_language(argv[i], argv[i + 1]));
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (argv[i][0] != '-' && engine_for(argv[i]) && access(argv[i], R_OK) == 0) return engine_for(argv[i]);
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (argv[i][0] != '-' && engine_for(argv[i])) return engine_for(argv[i]);
    return NULL;
}

static void check_usage(FILE *out)
{
    fprintf(out, "usage: heddle check FILE... [options] [-- program arguments]\n");
    struct option_table tables[8] = {{"options of all engines", common_option_rows, common_option_count, NULL}};
    size_t n = 1;
    for (size_t i = 0; i < engine_count; i++)
        tables[n++] = (struct option_table){engines[i]->title, engines[i]->rows, engines[i]->row_count, NULL};
    options_help(tables, n, out);
}

/* The first option that is spelled otherwise here; NULL if there is none. */
static const char *find_habit(const struct engine *e, const struct option_table tables[2], int argc, char **argv,
                              struct arena *a)
{
    const char *answer = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--") && !answer; i++)
        if (option_wants_next(tables, e ? 2 : 1, argv[i])) i++; /* which is a value */
        else answer = answer_to_habit(argv[i], e, a);
    return answer;
}

static int usage_error(const char *message)
{
    fprintf(stderr, "heddle: error: %s\nTry 'heddle help check'.\n", message);
    return EXIT_BAD_INPUT;
}

/* model.pml -> model.trace in the working directory, where the user looks for it and may write. */
static char *default_trace_path(const char *input)
{
    const char *base = path_basename(input), *dot = strrchr(base, '.');
    struct str s = {0};
    str_addn(&s, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    str_add(&s, ".trace");
    return s.at;
}

static enum outcome_kind outcome_kind_of(const struct result *r)
{
    switch (result_verdict(r)) {
    case VERDICT_VERIFIED:
    case VERDICT_BOUNDED: return OUTCOME_PASSED;
    case VERDICT_ERROR: return OUTCOME_FAILED;
    case VERDICT_UNKNOWN: return OUTCOME_UNKNOWN;
    }
    BUG("verdict %d", result_verdict(r));
}

static void write_report(const struct check_job *job, struct result *r, const struct outcomes *o, bool sarif)
{
    const char *path = sarif ? job->common.sarif : job->common.junit;
    if (path && report_file(path, o, job->common.no_times, sarif)) result_lost_file(r, path, true);
}

static struct outcome outcome_of(const struct result *r, const struct trace *t, const char *words)
{
    struct outcome o = {.name = r->file, .file = r->file, .kind = outcome_kind_of(r), .verdict = words,
                        .seconds = r->seconds, .trace = t == r->error && r->no_trace ? NULL : t};
    if (t) o.error_kind = t->kind, o.message = t->message, o.location = t->location;
    return o;
}

/* For other programs: files, annotations, and the line that editors find errors by. */
static void report_to_others(const struct check_job *job, struct result *r)
{
    char *words = result_words(r);
    bool github = job->common.github || wants_github();
    struct outcomes all = {0};
    vec_push(&all, outcome_of(r, r->error, words));
    write_report(job, r, &all, false); /* one check is one test case, however many errors it has */
    for (size_t i = 0; i < r->others.len; i++) {
        const struct trace *t = r->others.at[i].trace;
        vec_push(&all, outcome_of(r, t, error_words(t)));
    }
    write_report(job, r, &all, true);
    for (size_t i = 0; i < all.len; i++) {
        report_compiler_line(&all.at[i], stderr);
        if (github) report_github(&all.at[i], job->common.json ? stderr : stdout);
    }
    for (size_t i = 0; i < all.len; i++) free((char *)all.at[i].verdict);
    vec_release(&all);
}

static int report(const struct check_job *job, struct result *r)
{
    if (r->nothing_to_report) return EXIT_OK;
    limits_ignore_signals();
    report_to_others(job, r);
    r->no_times = job->common.no_times;
    if (job->common.json) result_print_json(r, stdout);
    else {
        if (!job->common.quiet) result_print_others(r, stdout);
        result_print_orders(r, stdout);
        if (!job->common.quiet) result_print_advice(r, job->common.no_times, stdout);
        if (!job->common.quiet) result_print_verification(r, stdout);
        result_print_verdict(r, stdout);
    }
    return result_exit_status(r);
}

/* input: as the user named it. */
static int run_engine(const struct engine *e, struct check_job *job, const char *input)
{
    for (size_t i = 0; i < job->file_count; i++)
        if (access(job->files[i], R_OK) != 0) {
            fprintf(stderr, "heddle: error: %s: %s\n", job->files[i], strerror(errno));
            return EXIT_BAD_INPUT;
        }
    char *path = default_trace_path(job->files[0]);
    job->trace_path = job->common.trace_path ? job->common.trace_path : path;
    struct result r = {.file = input, .engine = e->name};
    job->limits = limits_start(job->common.time, job->common.memory);
    if (cluster_joined() && !job->limits.memory_is_given)
        job->limits.memory /= (size_t)cluster_neighbours(cluster_joined());
    if (cluster_joined() && job->limits.deadline > 0) cluster_wait_until(job->limits.deadline);
    int status = e->run(job, &r);
    bool ran = !status;
    if (ran) status = report(job, &r);
    if (ran) result_is_out(&r);
    result_release(&r);
    free(path);
    return status;
}

/* Inputs by names that an engine can read; copies are gone afterwards. */
static int run_on_files(const struct engine *e, struct check_job *job, const struct option_words *words)
{
    struct tempdir copies = {0};
    VEC(const char *) files = {0};
    for (size_t i = 0; i < words->len; i++) vec_push(&files, input_as_file(words->at[i], job->common.lang, &copies));
    job->files = files.at, job->file_count = files.len;
    char *text = copies.path && files.len == 1 ? read_file(files.at[0], &(size_t){0}) : NULL;
    job->input_needs_trust = text ? !strcmp(words->at[0], "-") : !input_is_plain(files.at[0], e);
    job->text = text, job->copies = copies.path, job->given = words->at[0];
    int status = run_engine(e, job, words->at[0]);
    for (size_t i = 0; i < files.len; i++) free((char *)files.at[i]);
    vec_release(&files);
    free(text);
    tempdir_remove(&copies);
    return status;
}

/* What can be told before anything runs. */
static int refuse(const struct engine *e, const struct option_words *words, const char *error, const char *habit)
{
    if (habit || error) return usage_error(habit ? habit : error);
    if (!words->len) return usage_error("no input file");
    if (e) return 0;
    char *complaint = input_complaint(words->at[0]);
    int status = usage_error(complaint);
    free(complaint);
    return status;
}

/* ---- a check that was left ---- */

/* The directory after the last --resume, NULL: there is none. */
static const char *resume_directory(int argc, char **argv)
{
    const char *found = NULL;
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strncmp(argv[i], "--resume=", 9)) found = argv[i] + 9;
        else if (!strcmp(argv[i], "--resume") && i + 1 < argc) found = argv[i + 1];
    }
    return found;
}

static int check_with(int argc, char **argv, struct archive *resume);

static bool has_word(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], word)) return true;
    return false;
}

/* A checkpoint is data, as a trace is: it is of a model, and writes files only where it is expected to. */
static void refuse_command(const char *directory, const struct option_words *words, int argc, char **argv)
{
    char *refused = NULL;
    if (!has_word(argc, argv, "--trust")) refused = command_distrusts(words->at, words->len, directory, input_is_plain);
    if (refused)
        die("the checkpoint in %s asks for %s: look at it, then heddle check --resume %s --trust", directory, refused,
            directory);
}

/* The command line of the checkpoint, and behind it that of now, whose options win. */
static int go_on(const char *directory, int argc, char **argv)
{
    char *why = NULL;
    struct option_words words = {0};
    struct archive *a = command_load(directory, &words, &why);
    if (!a) {
        fprintf(stderr, "heddle: error: %s\n", why);
        free(why);
        return EXIT_BAD_INPUT;
    }
    refuse_command(directory, &words, argc, argv);
    VEC(char *) all = {0};
    vec_push(&all, argv[0]);
    for (size_t i = 0; i < words.len; i++) vec_push(&all, (char *)words.at[i]);
    for (int i = 1; i < argc; i++) vec_push(&all, argv[i]);
    vec_push(&all, NULL);
    int status = check_with((int)all.len - 1, all.at, a);
    for (size_t i = 0; i < words.len; i++) free((char *)words.at[i]);
    vec_release(&words);
    vec_release(&all);
    archive_close(a);
    return status;
}

/* NULL, or why the processes of the job cannot do this check: each reads the input by itself. */
static const char *bad_for_job(int argc, char **argv)
{
    struct str all = {0};
    bool reads_input = false;
    str_add(&all, HEDDLE_VERSION);
    for (int i = 1; i < argc; i++) {
        char *hash = argv[i][0] == '-' ? NULL : hash_file(argv[i]);
        str_printf(&all, "|%s|%s", argv[i], hash ? hash : "");
        reads_input |= !strcmp(argv[i], "-");
        free(hash);
    }
    bool same = cluster_is_same(cluster_joined(), all.at, all.len);
    str_release(&all);
    if (!same) return "the processes of the job do not have the same options, or see different files";
    return reads_input ? "a job cannot read standard input, which only its first process has: name a file" : NULL;
}

int cmd_check(int argc, char **argv)
{
    const char *wrong = cluster_joined() ? bad_for_job(argc, argv) : NULL;
    if (wrong) return usage_error(wrong);
    limits_catch_signals();
    const char *directory = resume_directory(argc, argv);
    return directory ? go_on(directory, argc, argv) : check_with(argc, argv, NULL);
}

static int check_with(int argc, char **argv, struct archive *resume)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            check_usage(stdout);
            return EXIT_OK;
        }
    const struct engine *e = find_engine(argc, argv);
    struct arena arena = {0};
    struct check_job job = {.common = COMMON_OPTIONS_DEFAULT, .argc = argc, .argv = argv, .resume = resume};
    struct option_words words = {0}, rest = {0};
    struct option_table tables[2] = {{"", common_option_rows, common_option_count, &job.common}};
    if (e) {
        job.options = xcalloc(1, e->options_size);
        if (e->options_init) e->options_init(job.options);
        tables[1] = (struct option_table){"", e->rows, e->row_count, job.options};
    }
    const char *error = NULL, *habit = find_habit(e, tables, argc, argv, &arena);
    if (!habit) options_parse(tables, e ? 2 : 1, argc, argv, &words, &rest, &arena, &error);
    if (!e && words.len) error = NULL; /* which options there are depends on the input */
    int status = refuse(e, &words, error, habit);
    if (!status) {
        job.rest = rest.at, job.rest_count = rest.len;
        for (int i = 1; i < argc && strcmp(argv[i], "--") && !strcmp(e->name, "explicit"); i++)
            warn_about_macro(argv[i], words.at[0]);
        status = run_on_files(e, &job, &words);
    }
    vec_release(&words);
    vec_release(&rest);
    free(job.options);
    arena_release(&arena);
    return status;
}
