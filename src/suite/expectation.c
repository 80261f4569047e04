/* What a file says must come out of it, in comments among its first lines:
 *
 *   expect: WHAT                  WHAT is a verdict or a kind of error: "verified", "assertion";
 *   expect: WHAT, N preemptions   with exactly so many;
 *   expect: error N               with so many contexts per thread (Boolean programs);
 *   expect with OPTIONS: ...      of a check with these options, and behind -- with arguments of the program.
 *
 * Anything else is refused: what is read over would be a test that can not fail. So are options that write files or
 * decide what is printed, for that is the business of whoever runs the tests. */
#define _GNU_SOURCE
#include "suite/suite_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { EXPECTATION_BYTES = 4096 };

/* ---- options ---- */

const char *suite_refused_option(struct arena *a, const struct words *options)
{
    static const char *const refused[] = {
        "output", "html", "svg", "mermaid", "dot", "json", "junit", "sarif", "github", "no-times", "quiet", "verbose",
        "no-color", "trail", "checkpoint", "checkpoint-every", "resume", "spill", "dump", "doctor", "help"};
    for (size_t i = 0; i < options->len; i++) {
        const char *word = options->at[i], *name = word + 2;
        if (word[0] != '-') continue;
        if (word[1] != '-' && word[1] && strchr("oqvh", word[1]))
            return arena_printf(a, "-%c is not for tests: what is written and printed is said to heddle test", word[1]);
        for (size_t k = 0; word[1] == '-' && k < ARRAY_LEN(refused); k++)
            if (strcspn(name, "=") == strlen(refused[k]) && !strncmp(name, refused[k], strlen(refused[k])))
                return arena_printf(a, "--%s is not for tests: what is written and printed is said to heddle test",
                                    refused[k]);
    }
    return NULL;
}

static void split_options(struct test_case *c, const char *text)
{
    struct words all = {0};
    bool own = false;
    words_split(&all, text);
    for (size_t i = 0; i < all.len; i++) {
        if (!own && !strcmp(all.at[i], "--")) own = true;
        else words_add(own ? &c->arguments : &c->options, all.at[i]);
    }
    words_release(&all);
}

/* ---- what is expected ---- */

static bool same_word(const char *a, const char *b, size_t len) { return strlen(a) == len && !strncasecmp(a, b, len); }

static size_t first_word(const char *expected) { return strcspn(expected, ", \t"); }

static bool is_known_word(const char *expected)
{
    static const char *const verdicts[] = {"verified", "bounded", "error", "unknown"};
    size_t len = first_word(expected);
    for (size_t i = 0; i < ARRAY_LEN(verdicts); i++)
        if (same_word(verdicts[i], expected, len)) return true;
    for (size_t i = 0; error_kinds[i].name; i++)
        if (same_word(error_kinds[i].name, expected, len)) return true;
    return false;
}

/* The number behind the first word, and whether it counts contexts; -1: there is none. NULL: all is well. */
static const char *read_number(const char *expected, long long *number, bool *contexts)
{
    static const char form[] = "after a verdict or a kind of error there may be ', N preemptions', and after 'error' "
                               "a number of contexts";
    size_t len = first_word(expected);
    const char *rest = expected + len, *digits = rest + strspn(rest, ", \t");
    char *end;
    *number = -1;
    if (!*rest) return NULL;
    *contexts = *rest != ',';
    if (!isdigit((unsigned char)*digits)) return form;
    *number = strtoll(digits, &end, 10);
    end += strspn(end, " \t");
    if (*contexts) return *end || !same_word("error", expected, len) ? form : NULL;
    return !strcmp(end, "preemption") || !strcmp(end, "preemptions") ? NULL : form;
}

static const char *wrong_with(struct arena *a, const struct test_case *c)
{
    long long number;
    bool contexts;
    if (!is_known_word(c->expected)) return "what it expects is neither a verdict nor a kind of error";
    const char *wrong = read_number(c->expected, &number, &contexts);
    return wrong ? wrong : suite_refused_option(a, &c->options);
}

bool expectation_is_met(const char *expected, const struct said *s)
{
    long long number;
    bool contexts = false, error = !strcmp(s->verdict, "error");
    size_t len = first_word(expected);
    if (!same_word(s->verdict, expected, len) && !(error && same_word(s->kind, expected, len))) return false;
    if (read_number(expected, &number, &contexts)) return false;
    return number < 0 || number == (contexts ? s->contexts : s->preemptions);
}

/* ---- finding them ---- */

struct found { const char *begin, *options, *options_end, *value, *value_end; };

/* Nothing but what comments begin with stands before it on its line, or a gap that no sentence has. */
static bool stands_apart(const char *text, const char *at)
{
    if (at >= text + 2 && strchr(" \t", at[-1]) && strchr(" \t", at[-2])) return true;
    while (at > text && strchr(" \t/*#", at[-1])) at--;
    return at == text || at[-1] == '\n' || at[-1] == '\r';
}

/* The colon that ends the options is followed by a space: one inside of them need not be. */
static const char *colon_after(const char *rest, const char *end, bool with)
{
    if (!with) return rest < end && *rest == ':' ? rest : NULL;
    for (const char *c = rest; c < end; c++)
        if (*c == ':' && (c + 1 == end || isspace((unsigned char)c[1]))) return c;
    return memchr(rest, ':', (size_t)(end - rest));
}

static bool next_expectation(const char *text, const char *from, struct found *f)
{
    for (const char *p = from; (p = strstr(p, "expect")); p += 6) {
        const char *end = p + strcspn(p, "\r\n"), *rest = p + 6;
        bool with = !strncmp(rest, " with ", 6);
        const char *colon = colon_after(rest, end, with);
        if (!colon || !stands_apart(text, p)) continue;
        const char *value = colon + 1 + strspn(colon + 1, " \t"), *stop = value;
        while (stop < end && strncmp(stop, "*/", 2)) stop++;
        while (stop > value && strchr(" \t", stop[-1])) stop--;
        *f = (struct found){p, with ? rest + 6 : NULL, colon, value, stop};
        return true;
    }
    return false;
}

static char *first_lines(const char *path)
{
    size_t n;
    char *text = read_beginning(path, &n, EXPECTATION_BYTES);
    for (size_t i = 0; i < n; i++)
        if (!text[i]) text[i] = ' ';
    return text;
}

static void add_case(struct suite *s, const char *path, const struct found *f, int line)
{
    struct arena *a = &s->arena;
    const char *options = f->options ? arena_strndup(a, f->options, (size_t)(f->options_end - f->options)) : NULL;
    struct test_case *c = suite_push(s, options ? arena_printf(a, "%s %s", path, options) : path, path);
    c->expected = arena_strndup(a, f->value, (size_t)(f->value_end - f->value));
    if (options) split_options(c, options);
    c->wrong = wrong_with(a, c);
    c->line = line;
}

int suite_add_expectations(struct suite *s, const char *path)
{
    char *text = first_lines(path);
    struct found f;
    int count = 0, line = 1;
    for (const char *at = text; next_expectation(text, at, &f); count++) {
        for (; at < f.begin; at++) line += *at == '\n';
        add_case(s, path, &f, line);
        at = f.value_end;
    }
    free(text);
    return count;
}
