/* The preprocessor: cc -E on the text, with the user's -D definitions, as Spin does. Skipped if no line is a directive
 * or continued by a backslash, and nothing is defined, which makes small models start at once. */
#define _GNU_SOURCE
#include "promela/frontend_int.h"

#include "base/compiler.h"
#include "base/process.h"
#include "base/tempdir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* cc reads the text from its standard input, so that text in memory and text on disk go the same way. */
static void add_command(struct words *w, const char *path, const struct promela_options *options)
{
    const char *slash = strrchr(path, '/'), *compiler = compiler_choose(LANGUAGE_C, NULL);
    words_split(w, compiler);
    words_split(w, "-std=gnu99 -w -E -x c -fdiagnostics-color=never");
    words_add(w, compiler_is_clang(compiler) ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret");
    /* In one word each: compilers replace a word that begins with @ by the contents of a file. */
    words_printf(w, "-iquote%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    for (size_t i = 0; options && i < options->define_count; i++) words_printf(w, "-D%s", options->defines[i]);
    words_add(w, "-");
}

static char *contents(int fd)
{
    struct str s = {0};
    char buf[65536];
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, buf, sizeof buf, at)) > 0; at += n) str_addn(&s, buf, (size_t)n);
    if (n < 0) die("cannot read a temporary file: %m"); /* half a model would be another model */
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
    if (!any) diag_error(diags, (struct pos){diags_file(diags, path), 0, 0}, "the preprocessor failed");
}

static char *run_preprocessor(const char *path, int in, const struct promela_options *options, struct diags *diags)
{
    struct process p = {.in = in, .out = nameless_file("out"), .err = nameless_file("err"), .own_group = true};
    add_command(&p.words, path, options);
    int status = process_run(&p, options ? options->limits : NULL);
    char *text = contents(p.out), *messages = contents(p.err);
    struct pos whole = {diags_file(diags, path), 0, 0};
    if (status == PROCESS_NOT_STARTED) {
        diag_error(diags, whole, "cannot run the preprocessor '%s -E'", p.words.at[0]);
        diag_hint(diags, "only models with # directives, lines that end in a backslash, or -D need it");
    } else if (status == PROCESS_STOPPED) diag_error(diags, whole, "stopped while preprocessing");
    else if (status > 128) diag_error(diags, whole, "the preprocessor is killed by signal %d", status - 128);
    else if (status) report(diags, path, messages);
    free(messages);
    close(p.out);
    close(p.err);
    process_release(&p);
    if (!status) return text;
    free(text);
    return NULL;
}

static int text_file(const char *path, const char *text, size_t len)
{
    int fd = nameless_file("in");
    FILE *f = fdopen(dup(fd), "w");
    if (f) fprintf(f, "# 1 \"%s\"\n", path);
    bool written = f && fwrite(text, 1, len, f) == len;
    if (!f || fclose(f) || !written) die("cannot write a temporary file: %m");
    lseek(fd, 0, SEEK_SET);
    return fd;
}

char *preprocess(const char *path, const char *text, size_t len, const struct promela_options *options,
                 struct diags *diags)
{
    if (!has_directive(text) && !has_continued_line(text) && (!options || !options->define_count)) return xstrdup(text);
    int in = text_file(path, text, len);
    char *ready = run_preprocessor(path, in, options, diags);
    close(in);
    return ready;
}
