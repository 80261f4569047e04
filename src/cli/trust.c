/* Traces and checkpoints are data: what they ask for that could do harm needs the user's consent. Here is what that
 * means for inputs, which are told by their contents; the rest is in check/trust.c. */
#define _GNU_SOURCE
#include "cli/input_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The contents of a file may be printed if there is an error in them, so it must be of the kind that is expected. What
 * is missing will be missed later. */
bool input_is_plain(const char *path, const struct engine *e)
{
    struct stat s;
    char *real = realpath(path, NULL);
    bool plain = !real || (!stat(real, &s) && S_ISREG(s.st_mode) && engine_for(real) == e);
    free(real);
    return plain;
}

static bool has_text(const char *path, const char *text)
{
    struct stat s;
    size_t len = 0;
    bool regular = !stat(path, &s) && S_ISREG(s.st_mode);
    char *there = regular ? read_file(path, &len) : NULL;
    bool same = there && len == strlen(text) && !memcmp(there, text, len);
    free(there);
    return same;
}

/* Whether the text that a trace brings along is that of the file which it names, here or beside the trace. */
static bool has_file_of_text(const struct trace *t, const char *directory)
{
    struct str beside = {0};
    if (!t->given || !strcmp(t->given, "-")) return false;
    str_printf(&beside, "%s/%s", directory, t->given);
    bool same = has_text(t->given, t->text) || has_text(beside.at, t->text);
    str_release(&beside);
    return same;
}

/* What the trace asks for that could do harm (heap), or NULL. */
static char *refusal(const struct trace *t, const char *directory, bool from_file)
{
    struct str s = {0};
    const struct engine *e = engine_named(t->engine);
    if (from_file && t->text && !has_file_of_text(t, directory)) str_add(&s, "source text of its own");
    else if (!t->text && e && !input_is_plain(t->input, e)) str_printf(&s, "%s, which is no source file", t->input);
    return s.at ? s.at : trust_refusal(t, directory);
}

void trust_or_refuse(const struct trace *t, struct trust_request q)
{
    if (q.trusted) return;
    char *refused = refusal(t, q.directory, q.path != NULL);
    struct str what = {0}, path = {0};
    if (!refused) return;
    str_add_visible(&what, refused);
    if (q.path) str_add_shell(&path, q.path);
    if (q.path) die("%s asks for %s: look at it, then %s --trust %s", q.path, what.at, q.command, path.at);
    die("this schedule asks for %s: look at it, then add --trust", what.at);
}
