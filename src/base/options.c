/* The option parser: rows in, filled structs out. */
#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const verify_names[] = {[VERIFY_RESULT] = "result", [VERIFY_SWAP] = "swap", NULL};

#define ROW(...) {__VA_ARGS__}
#define AT(member) offsetof(struct common_options, member)
const struct option common_option_rows[] = {
    ROW("bound", 'b', OPTION_INT, AT(bound), "N", "stop after all schedules with at most N preemptions", 0, 1000000000,
        NULL),
    ROW("time", 0, OPTION_SECONDS, AT(time), "S", "stop after S seconds", 0, 0, NULL),
    ROW("memory", 0, OPTION_SIZE, AT(memory), "SIZE", "use at most SIZE bytes (k, M and G are understood)", 0, 0, NULL),
    ROW("lang", 0, OPTION_STRING, AT(lang), "LANGUAGE",
        "the input is promela, c, c++, bp or pds, whatever it is called (- is standard input)", 0, 0, NULL),
    ROW("output", 'o', OPTION_STRING, AT(trace_path), "TRACE", "write the counterexample to TRACE", 0, 0, NULL),
    ROW("html", 0, OPTION_STRING, AT(html), "FILE", "write the counterexample to FILE as a page for a browser", 0, 0,
        NULL),
    ROW("svg", 0, OPTION_STRING, AT(svg), "FILE", "the same as a message sequence chart", 0, 0, NULL),
    ROW("mermaid", 0, OPTION_STRING, AT(mermaid), "FILE", "the same as a sequence diagram of Mermaid", 0, 0, NULL),
    ROW("dot", 0, OPTION_STRING, AT(dot), "FILE", "the same as a graph for dot", 0, 0, NULL),
    ROW("json", 0, OPTION_FLAG, AT(json), NULL, "print one JSON object instead of text", 0, 0, NULL),
    ROW("junit", 0, OPTION_STRING, AT(junit), "FILE", "write the result to FILE as JUnit does", 0, 0, NULL),
    ROW("sarif", 0, OPTION_STRING, AT(sarif), "FILE", "write the error to FILE in SARIF 2.1.0", 0, 0, NULL),
    ROW("github", 0, OPTION_FLAG, AT(github), NULL, "print an annotation for GitHub Actions (there it is the default)",
        0, 0, NULL),
    ROW("no-times", 0, OPTION_FLAG, AT(no_times), NULL, "print no times: the same input gives the same output", 0, 0,
        NULL),
    ROW("all-errors", 0, OPTION_FLAG, AT(all_errors), NULL, "do not stop at the first error; a trace for each", 0, 0,
        NULL),
    ROW("verify", 0, OPTION_MAYBE_CHOICE, AT(verify), "WHAT",
        "afterwards check the result again by a second, naive method and compare (within what is left of the limits; "
        "without --time for at most 60 s, without --memory in a quarter of it); "
        "swap: test instead whether steps that the reductions take for independent commute",
        0, 0, verify_names),
    ROW("seed", 0, OPTION_INT, AT(seed), "N", "seed of random choices", 0, INT64_MAX, NULL),
    ROW("quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "print the verdict only", 0, 0, NULL),
    ROW("verbose", 'v', OPTION_FLAG, AT(verbose), NULL, "print more about the run", 0, 0, NULL),
    ROW("no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL),
};
const size_t common_option_count = ARRAY_LEN(common_option_rows);
#undef AT
#undef ROW

static const char *parse_int(const struct option *o, const char *text, int64_t *out, struct arena *a)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 10);
    if (end == text || *end) return arena_printf(a, "option --%s needs a whole number, not '%s'", o->name, text);
    if (errno || v < o->min || v > o->max)
        return arena_printf(a, "option --%s must be between %lld and %lld, not %s", o->name, (long long)o->min,
                            (long long)o->max, text);
    *out = v;
    return NULL;
}

static const char *parse_size(const struct option *o, const char *text, size_t *out, struct arena *a)
{
    char *end;
    errno = 0;
    double v = strtod(text, &end);
    double unit = 1;
    if (*end == 'k' || *end == 'K') unit = 1024.0, end++;
    else if (*end == 'M' || *end == 'm') unit = 1048576.0, end++;
    else if (*end == 'G' || *end == 'g') unit = 1073741824.0, end++;
    if (*end == 'B' || *end == 'b') end++;
    if (end == text || *end || !(v > 0) || v * unit > 1e18)
        return arena_printf(a, "option --%s needs a size such as 500M or 4G, not '%s'", o->name, text);
    *out = (size_t)(v * unit);
    return NULL;
}

static const char *parse_choice(const struct option *o, const char *text, int *out, struct arena *a)
{
    size_t n = 0;
    for (; o->choices[n]; n++)
        if (!strcmp(o->choices[n], text)) {
            *out = (int)n;
            return NULL;
        }
    struct str list = {0};
    for (size_t i = 0; i < n; i++) str_printf(&list, "%s%s", i ? ", " : "", o->choices[i]);
    const char *message = arena_printf(a, "option --%s takes one of %s, not '%s'", o->name, str_get(&list), text);
    str_release(&list);
    return message;
}

static const char *parse_seconds(const struct option *o, const char *text, double *out, struct arena *a)
{
    char *end;
    double v = strtod(text, &end);
    if (end == text || *end || !(v > 0))
        return arena_printf(a, "option --%s needs a number of seconds above zero, not '%s'", o->name, text);
    if (v > OPTION_MOST_SECONDS)
        return arena_printf(a, "option --%s: at most %d seconds, not '%s'", o->name, OPTION_MOST_SECONDS, text);
    *out = v;
    return NULL;
}

static const char *set_value(const struct option *o, void *member, const char *value, struct arena *a)
{
    switch (o->kind) {
    case OPTION_FLAG: *(bool *)member = true; return NULL;
    case OPTION_UNFLAG: *(bool *)member = false; return NULL;
    case OPTION_INT: return parse_int(o, value, member, a);
    case OPTION_SECONDS: return parse_seconds(o, value, member, a);
    case OPTION_SIZE: return parse_size(o, value, member, a);
    case OPTION_STRING: *(const char **)member = value; return NULL;
    case OPTION_LIST: vec_push((struct option_list *)member, value); return NULL;
    case OPTION_CHOICE: return parse_choice(o, value, member, a);
    case OPTION_MAYBE_STRING: *(const char **)member = value ? value : ""; return NULL;
    case OPTION_MAYBE_SIZE:
        ((struct option_maybe_size *)member)->given = true;
        return value ? parse_size(o, value, &((struct option_maybe_size *)member)->size, a) : NULL;
    case OPTION_MAYBE_CHOICE: return parse_choice(o, value ? value : o->choices[0], member, a);
    }
    BUG("option kind %d", o->kind);
}

static bool takes_value(const struct option *o)
{
    return o->kind != OPTION_FLAG && o->kind != OPTION_UNFLAG;
}

static bool value_is_optional(const struct option *o)
{
    return o->kind == OPTION_MAYBE_SIZE || o->kind == OPTION_MAYBE_CHOICE || o->kind == OPTION_MAYBE_STRING;
}

struct found { const struct option *row; void *base; };

static struct found find_long(const struct option_table *t, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i].len; j++)
            if (strlen(t[i].rows[j].name) == len && !strncmp(t[i].rows[j].name, name, len))
                return (struct found){&t[i].rows[j], t[i].base};
    return (struct found){0};
}

static struct found find_letter(const struct option_table *t, size_t n, char letter)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i].len; j++)
            if (t[i].rows[j].letter == letter) return (struct found){&t[i].rows[j], t[i].base};
    return (struct found){0};
}

bool option_wants_next(const struct option_table *tables, size_t n, const char *word)
{
    if (word[0] != '-' || !word[1]) return false;
    struct found f = word[1] == '-' ? find_long(tables, n, word + 2, strlen(word + 2))
                     : !word[2]     ? find_letter(tables, n, word[1])
                                    : (struct found){0};
    return f.row && takes_value(f.row) && !value_is_optional(f.row);
}

static const char *unknown_option(const struct option_table *t, size_t n, const char *word, struct arena *a)
{
    const char *names[256];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i].len && count < ARRAY_LEN(names); j++) names[count++] = t[i].rows[j].name;
    const char *name = word + strspn(word, "-");
    const char *near = nearest_name(arena_strndup(a, name, strcspn(name, "=")), names, count);
    return near ? arena_printf(a, "unknown option %s (did you mean --%s?)", word, near)
                : arena_printf(a, "unknown option %s", word);
}

static bool is_complete(const struct option *o)
{
    bool chooses = o->kind == OPTION_CHOICE || o->kind == OPTION_MAYBE_CHOICE;
    return o->name && *o->name && o->help && (!takes_value(o) || chooses || o->arg) && (!chooses || o->choices) &&
           (o->kind != OPTION_INT || o->min <= o->max);
}

/* Rows that the parser can work with: complete, and each found by its name and by its letter. */
static void check_tables(const struct option_table *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < t[i].len; j++) {
            const struct option *o = &t[i].rows[j];
            assert(is_complete(o) && t[i].base);
            assert(find_long(t, n, o->name, strlen(o->name)).row == o);
            assert(!o->letter || find_letter(t, n, o->letter).row == o);
        }
}

int options_parse(const struct option_table *tables, size_t n, int argc, char **argv, struct option_words *words,
                  struct option_words *rest, struct arena *arena, const char **error)
{
    *error = NULL;
    check_tables(tables, n);
    for (int i = 1; i < argc && !*error; i++) {
        const char *w = argv[i];
        if (w[0] != '-' || !w[1]) {
            vec_push(words, w);
            continue;
        }
        if (!strcmp(w, "--")) {
            for (i++; i < argc; i++) vec_push(rest, argv[i]);
            break;
        }
        bool is_long = w[1] == '-';
        size_t name_len = strcspn(w + 2, "=");
        struct found f = is_long ? find_long(tables, n, w + 2, name_len) : find_letter(tables, n, w[1]);
        const char *value = is_long ? (w[2 + name_len] ? w + 3 + name_len : NULL) : (w[2] ? w + 2 : NULL);
        if (!f.row || (value && !takes_value(f.row))) {
            *error = f.row && is_long ? arena_printf(arena, "option --%s takes no value", f.row->name)
                                      : unknown_option(tables, n, w, arena);
            break;
        }
        if (takes_value(f.row) && !value && !value_is_optional(f.row)) {
            if (i + 1 >= argc) {
                *error = arena_printf(arena, "option %s needs a value (%s)", w, f.row->arg);
                break;
            }
            value = argv[++i];
        }
        *error = set_value(f.row, (char *)f.base + f.row->offset, value, arena);
    }
    return *error ? -1 : 0;
}

static void help_row(const struct option *o, FILE *out)
{
    struct str left = {0};
    if (o->letter) str_printf(&left, "-%c, ", o->letter);
    str_printf(&left, "--%s", o->name);
    if (o->kind == OPTION_CHOICE || o->kind == OPTION_MAYBE_CHOICE) {
        str_add(&left, o->kind == OPTION_MAYBE_CHOICE ? "[=" : "=");
        for (size_t i = 0; o->choices[i]; i++) str_printf(&left, "%s%s", i ? "|" : "", o->choices[i]);
        if (o->kind == OPTION_MAYBE_CHOICE) str_addc(&left, ']');
    } else if (value_is_optional(o)) {
        str_printf(&left, "[=%s]", o->arg);
    } else if (takes_value(o)) {
        str_printf(&left, " %s", o->arg);
    }
    if (left.len > 28) fprintf(out, "  %s\n  %-28s  %s\n", str_get(&left), "", o->help);
    else fprintf(out, "  %-28s  %s\n", str_get(&left), o->help);
    str_release(&left);
}

void options_help(const struct option_table *tables, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (!tables[i].len) continue;
        fprintf(out, "\n%s:\n", tables[i].title);
        for (size_t j = 0; j < tables[i].len; j++) help_row(&tables[i].rows[j], out);
    }
}
