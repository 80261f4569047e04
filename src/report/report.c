/* What the writers share, and the two that write single lines. */
#include "report/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_word(enum outcome_kind kind)
{
    static const char *const words[] = {[OUTCOME_BROKEN] = "broken",
                                        [OUTCOME_UNKNOWN] = "unknown",
                                        [OUTCOME_FAILED] = "failed",
                                        [OUTCOME_KNOWN] = "known",
                                        [OUTCOME_PASSED] = "passed"};
    static_assert(ARRAY_LEN(words) == OUTCOME_KINDS, "every outcome has a word");
    return words[kind];
}

const struct error_kind error_kinds[] = {
    {"assertion", "an assertion fails"},
    {"deadlock", "nobody can go on"},
    {"acceptance-cycle", "a cycle through an accepting state"},
    {"non-progress-cycle", "a cycle without progress"},
    {"ltl", "a formula does not hold"},
    {"claim", "a never claim comes to its end"},
    {"race", "two threads access the same memory without synchronisation"},
    {"crash", "the program crashes"},
    {"memory", "use after free, double free, overflow or leak"},
    {"livelock", "threads go round and round without progress"},
    {"misuse", "an object is used as it must not be"},
    {"exit", "the program ends with a status that is not accepted"},
    {"label", "an error label is reached"},
    {"model", "a statement of the model fails"},
    {NULL, NULL},
};

/* "a.c:12" -> 12 and the length of "a.c"; false if it is not of that form. */
static bool split_location(const char *location, size_t *file_len, int *line)
{
    const char *colon = location ? strrchr(location, ':') : NULL;
    char *end;
    if (!colon || colon == location) return false;
    long n = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || n < 1 || n > INT_MAX) return false;
    *file_len = (size_t)(colon - location);
    *line = (int)n;
    return true;
}

/* Messages may call a file of another directory by its last name only. */
int outcome_place(const struct outcome *o, struct str *file)
{
    size_t len;
    int line = 0;
    if (!split_location(o->location, &len, &line)) len = 0;
    bool is_input =
        !len || (strlen(path_basename(o->file)) == len && !strncmp(path_basename(o->file), o->location, len));
    if (is_input) str_add(file, o->file);
    else str_addn(file, o->location, len);
    return line;
}

/* How long " at FILE:LINE" is here; 0: there is no such thing. A name with blanks in it is known by the location. */
static size_t place_length(const char *text, const char *location, int *line)
{
    size_t file_len;
    if (strncmp(text, " at ", 4)) return 0;
    struct str word = {0};
    if (split_location(location, &file_len, line) && !strncmp(text + 4, location, file_len + 1)) {
        const char *digits = text + 4 + file_len + 1;
        size_t count = strspn(digits, "0123456789");
        *line = atoi(digits);
        if (count) return 4 + file_len + 1 + count;
    }
    str_addn(&word, text + 4, strcspn(text + 4, " "));
    size_t len = split_location(str_get(&word), &file_len, line) ? 4 + word.len : 0;
    str_release(&word);
    return len;
}

/* The message without the places in it; only_line: only without that one at its end. */
static void add_message(struct str *out, const struct outcome *o, int only_line)
{
    struct str text = {0};
    for (const char *c = o->message ? o->message : ""; *c;) {
        int line;
        size_t len = place_length(c, o->location, &line);
        if (len && (!only_line || (only_line == line && !c[len]))) c += len;
        else str_addc(&text, *c++);
    }
    str_add_visible(out, str_get(&text));
    str_release(&text);
}

/* Without places: they move with every edit of the file. */
void outcome_key(const struct outcome *o, struct str *out)
{
    str_add_visible(out, o->name);
    str_printf(out, "\t%s: ", o->error_kind ? o->error_kind : outcome_word(o->kind));
    add_message(out, o, 0);
}

/* ---- GitHub ---- */

/* Characters that end a command, or one of its properties. */
static void add_command_text(struct str *s, const char *text, bool property)
{
    struct str clean = {0};
    str_add_utf8(&clean, text);
    for (const char *c = str_get(&clean); *c; c++)
        if (*c == '%' || *c == '\r' || *c == '\n' || (property && (*c == ':' || *c == ',')))
            str_printf(s, "%%%02X", (unsigned char)*c);
        else str_addc(s, *c);
    str_release(&clean);
}

void report_github(const struct outcome *o, FILE *out)
{
    struct str s = {0}, file = {0};
    if (o->kind == OUTCOME_PASSED || o->kind == OUTCOME_KNOWN) return;
    int line = outcome_place(o, &file);
    str_printf(&s, "::%s file=", o->kind == OUTCOME_UNKNOWN ? "warning" : "error");
    add_command_text(&s, str_get(&file), true);
    str_release(&file);
    if (line) str_printf(&s, ",line=%d", line);
    str_add(&s, ",title=");
    add_command_text(&s, o->name, true);
    str_add(&s, "::");
    add_command_text(&s, o->verdict, false);
    if (o->expected) {
        str_add(&s, " (expected: ");
        add_command_text(&s, o->expected, false);
        str_addc(&s, ')');
    }
    fprintf(out, "%s\n", str_get(&s));
    str_release(&s);
}

/* ---- compilers ---- */

void report_compiler_line(const struct outcome *o, FILE *out)
{
    struct str s = {0}, file = {0};
    if (!o->error_kind) return;
    int line = outcome_place(o, &file);
    str_add_visible(&s, str_get(&file));
    str_release(&file);
    if (line) str_printf(&s, ":%d", line);
    str_printf(&s, ": error: %s: ", o->error_kind);
    bool two_places = !strcmp(o->error_kind, "race");
    if (line && !two_places) add_message(&s, o, line);
    else str_add_visible(&s, o->message);
    fprintf(out, "%s\n", str_get(&s));
    str_release(&s);
}

int report_file(const char *path, const struct outcomes *o, bool no_times, bool sarif)
{
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    if (sarif) report_sarif(o, f);
    else report_junit(o, no_times, f);
    return file_finish(f, path);
}
