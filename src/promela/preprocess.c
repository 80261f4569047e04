/* The preprocessor: cc -E on the text, with the user's -D definitions, as Spin does. Skipped if no line is a directive or
 * continued by a backslash, and nothing is defined, which makes small models start at once. */
#define _GNU_SOURCE
#include "promela/frontend.h"

#include <ctype.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Line markers of an earlier run of cc -E are no reason to run it again. */
static bool is_directive(const char *line)
{
    line += strspn(line, " \t");
    if (*line != '#') return false;
    line += 1 + strspn(line + 1, " \t");
    return !isdigit((unsigned char)*line);
}

static bool has_continued_line(const char *text) { return strstr(text, "\\\n") || strstr(text, "\\\r\n"); }

static bool has_directive(const char *text)
{
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (is_directive(line)) return true;
    }
    return false;
}

typedef VEC(char *) word_list;

static void add_word(word_list *words, const char *word) { vec_push(words, xstrdup(word)); }

static void words_release(word_list *words)
{
    for (size_t i = 0; i < words->len; i++) free(words->at[i]);
    vec_release(words);
}

/* cc reads the text from its standard input, so that text in memory and text on disk go the same way. */
static word_list command_for(const char *path, const struct promela_options *options)
{
    word_list words = {0};
    const char *slash = strrchr(path, '/');
    static const char *const fixed[] = {"cc", "-std=gnu99", "-w", "-E", "-x", "c", "-fno-diagnostics-show-caret",
                                        "-fdiagnostics-color=never", "-iquote"};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++) add_word(&words, fixed[i]);
    vec_push(&words, slash ? strndup(path, (size_t)(slash - path) + 1) : xstrdup("."));
    for (size_t i = 0; options && i < options->define_count; i++) {
        add_word(&words, "-D");
        add_word(&words, options->defines[i]);
    }
    add_word(&words, "-");
    vec_push(&words, NULL);
    return words;
}

static int run(char **words, FILE *in, FILE *out, FILE *err)
{
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, fileno(in), 0);
    posix_spawn_file_actions_adddup2(&files, fileno(out), 1);
    posix_spawn_file_actions_adddup2(&files, fileno(err), 2);
    pid_t child;
    int status, failed = posix_spawnp(&child, words[0], &files, NULL, words, environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed) {
        errno = failed;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static char *contents(FILE *f, size_t *len)
{
    struct str s = {0};
    char buf[65536];
    size_t n;
    rewind(f);
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) str_addn(&s, buf, n);
    if (len) *len = s.len;
    return s.at ? s.at : xstrdup("");
}

/* file:line:column: error: text */
static bool report_line(struct diags *diags, char *line)
{
    char *error = strstr(line, "error: ");
    if (!error) return false;
    int file_len = 0, row = 0, col = 0;
    struct pos at = {0};
    if (sscanf(line, "%*[^:]%n:%d:%d", &file_len, &row, &col) >= 1 && file_len) {
        line[file_len] = 0;
        at = (struct pos){diags_file(diags, line), row, col};
    }
    diag_error(diags, at, "preprocessor: %s", strchr(error, ' ') + 1);
    return true;
}

static void report(struct diags *diags, const char *path, char *messages)
{
    bool any = false;
    for (char *rest = NULL, *line = strtok_r(messages, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        any |= report_line(diags, line);
    if (!any) diag_error(diags, (struct pos){diags_file(diags, path), 0, 0}, "the preprocessor 'cc -E' failed");
}

static char *run_preprocessor(const char *path, FILE *in, const struct promela_options *options, struct diags *diags)
{
    FILE *out = tmpfile(), *err = tmpfile();
    if (!out || !err) die("cannot create a temporary file: %m");
    word_list words = command_for(path, options);
    int status = run(words.at, in, out, err);
    char *text = contents(out, NULL), *messages = contents(err, NULL);
    if (status < 0) {
        diag_error(diags, (struct pos){diags_file(diags, path), 0, 0}, "cannot run the preprocessor 'cc -E': %m");
        diag_hint(diags, "only models with # directives, lines that end in a backslash, or -D need it");
    } else if (status > 0) report(diags, path, messages);
    free(messages);
    words_release(&words);
    fclose(out);
    fclose(err);
    if (!status) return text;
    free(text);
    return NULL;
}

char *preprocess(const char *path, const char *text, size_t len, const struct promela_options *options,
                 struct diags *diags)
{
    if (!has_directive(text) && !has_continued_line(text) && (!options || !options->define_count)) return xstrdup(text);
    FILE *in = tmpfile();
    if (!in) die("cannot create a temporary file: %m");
    fprintf(in, "# 1 \"%s\"\n", path);
    fwrite(text, 1, len, in);
    rewind(in);
    char *ready = run_preprocessor(path, in, options, diags);
    fclose(in);
    return ready;
}
