/* What an input is: by --lang, by its ending, by what is in it. What it is not, said so that one knows what to do. */
#define _GNU_SOURCE
#include "cli/input_int.h"

#include "base/tempdir.h"
#include "native/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_AT = 64 << 10 };

static const struct language {
    const char *name, *engine, *ending;
} languages[] = {
    {"promela", "explicit", ".pml"}, {"c", "native", ".c"},       {"c++", "native", ".cc"},
    {"bp", "symbolic", ".bp"},       {"pds", "symbolic", ".pds"},
};

static const struct language *language_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(languages); i++)
        if (!strcmp(languages[i].name, name)) return &languages[i];
    die("--lang takes one of promela, c, c++, bp, pds, not '%s'", name);
}

const char *word_of_language(const char *word, const char *next)
{
    if (!strncmp(word, "--lang=", 7)) return word + 7;
    return strcmp(word, "--lang") ? NULL : next;
}

const char *language_of_ending(const char *path)
{
    const char *dot = strrchr(path_basename(path), '.');
    for (size_t i = 0; dot && i < ARRAY_LEN(languages); i++)
        if (!strcmp(languages[i].ending, dot)) return languages[i].name;
    return NULL;
}

/* ---- by content ---- */

static bool is_word_char(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z'); }

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || !is_word_char(p[-1])) && !is_word_char(p[n])) return true;
    return false;
}

/* The beginning of a text file; NULL if it is none. */
static char *beginning(const char *path)
{
    size_t n;
    char *text = read_beginning(path, &n, LOOK_AT);
    if (n && !memchr(text, 0, n)) return text;
    free(text);
    return NULL;
}

bool mentions_word(const char *path, const char *word)
{
    char *text = beginning(path);
    bool found = text && has_word(text, word);
    free(text);
    return found;
}

static bool has_words(const char *text, const char *const *words)
{
    while (*words && has_word(text, *words)) words++;
    return !*words;
}

/* Words that one language has and the others do not. */
static const char *language_of_text(const char *path)
{
    char *text = beginning(path);
    const char *found = NULL;
    if (!text) return NULL;
    if (has_word(text, "proctype") || has_words(text, (const char *const[]){"init", "chan", NULL})) found = "promela";
    else if (has_words(text, (const char *const[]){"thread", "stack", "target", NULL}) && strstr(text, "->"))
        found = "pds";
    else if (has_words(text, (const char *const[]){"begin", "end", NULL}) &&
             (has_word(text, "decl") || has_word(text, "void") || has_word(text, "bool")))
        found = "bp";
    else if (strstr(text, "#include <") && (strstr(text, "std::") || has_word(text, "class"))) found = "c++";
    else if (has_word(text, "main") && (strstr(text, "#include") || has_word(text, "int"))) found = "c";
    free(text);
    return found;
}

/* ---- what it is not ---- */

static const struct {
    const char *ending, *words;
} others[] = {
    {".rs", "Rust programs cannot be checked"},
    {".go", "Go programs cannot be checked"},
    {".java", "Java programs cannot be checked"},
    {".py", "Python programs cannot be checked"},
    {".tla", "TLA+ is not one of the languages"},
    {".o", "an object file: link it to a program with heddle cc"},
    {".a", "a library: link it to a program with heddle cc"},
    {".so", "a library: link it to a program with heddle cc"},
    {".h", "a header: name the file that includes it"},
    {".trace", "a counterexample: heddle show prints it, heddle replay runs it"},
    {".trail", "a trail of Spin: heddle replay runs it"},
};

static bool is_elf(const char *path)
{
    char magic[4] = {0};
    FILE *f = fopen(path, "r");
    bool elf = f && fread(magic, 1, sizeof magic, f) == sizeof magic && !memcmp(magic, "\177ELF", 4);
    if (f) fclose(f);
    return elf;
}

static const char *what_is_wrong(const char *path)
{
    struct stat s;
    const char *dot = strrchr(path_basename(path), '.');
    if (!strcmp(path, "-")) return "standard input needs --lang=promela|c|c++|bp|pds";
    if (stat(path, &s)) return strerror(errno);
    if (S_ISDIR(s.st_mode)) return "a directory: heddle test checks everything in it";
    if (!S_ISREG(s.st_mode)) return "not a file (for standard input: - with --lang)";
    if (access(path, R_OK)) return strerror(errno);
    if (!s.st_size) return "is empty";
    for (size_t i = 0; dot && i < ARRAY_LEN(others); i++)
        if (!strcmp(dot, others[i].ending)) return others[i].words;
    if (is_elf(path)) return "not built with heddle cc: build it again, e.g. with CC=\"heddle cc\" make";
    return "not known to be Promela, C, C++ or a Boolean program; --lang=promela|c|c++|bp|pds says what it is";
}

char *input_complaint(const char *path)
{
    struct str s = {0};
    str_printf(&s, "%s: %s", path, what_is_wrong(path));
    return s.at;
}

/* ---- which engine ---- */

static bool has_promela_ending(const char *path)
{
    const char *dot = strrchr(path_basename(path), '.');
    return dot && (!strcmp(dot, ".prm") || !strcmp(dot, ".pr") || !strcmp(dot, ".spin"));
}

static bool is_plain_file(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode);
}

const struct engine *engine_for(const char *path)
{
    for (size_t i = 0; i < engine_count; i++)
        if (engines[i]->accepts(path)) return engines[i];
    if (has_promela_ending(path)) return engine_named("explicit");
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        const char *dot = strrchr(path_basename(path), '.');
        if (dot && !strcmp(dot, others[i].ending)) return NULL;
    }
    const char *language = is_plain_file(path) ? language_of_text(path) : NULL;
    return language ? engine_named(language_named(language)->engine) : NULL;
}

const struct engine *engine_of_language(const char *language) { return engine_named(language_named(language)->engine); }

/* ---- files that need another name ---- */

/* Engines tell C from C++, and Boolean programs from pushdown systems, by the ending. */
static bool needs_ending(const char *path, const struct language *l)
{
    const char *dot = strrchr(path_basename(path), '.');
    if (!strcmp(l->engine, "explicit")) return false;
    if (!strcmp(l->name, "c++")) return !is_cxx_file(path);
    return !dot || strcmp(dot, l->ending);
}

static void copy_to(FILE *from, const char *name, const char *to)
{
    char buffer[1 << 16];
    FILE *f = fopen(to, "w");
    if (!f) die("%s: %s", to, strerror(errno));
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from));) fwrite(buffer, 1, n, f);
    if (ferror(from)) die("%s: %s", name, strerror(errno));
    if (file_finish(f, to)) die("%s: %s", to, strerror(errno));
}

char *input_as_file(const char *path, const char *language, struct tempdir *d)
{
    bool is_stdin = !strcmp(path, "-");
    if (is_stdin && !language) die("-: standard input needs --lang=promela|c|c++|bp|pds");
    const char *guessed = language || is_stdin || engine_for(path) == NULL ? language : language_of_text(path);
    bool known = false;
    for (size_t i = 0; i < engine_count && !is_stdin && !language; i++) known |= engines[i]->accepts(path);
    if (known || !guessed) return xstrdup(path);
    const struct language *l = language_named(guessed);
    if (!is_stdin && !needs_ending(path, l)) return xstrdup(path);
    if (!d->path) tempdir_require(d);
    struct str name = {0};
    str_printf(&name, "%s%s", is_stdin ? "stdin" : path_basename(path), l->ending);
    char *copy = tempdir_file(d, str_get(&name));
    FILE *from = is_stdin ? stdin : fopen(path, "r");
    if (!from) die("%s: %s", path, strerror(errno));
    copy_to(from, path, copy);
    if (!is_stdin) fclose(from);
    str_release(&name);
    return copy;
}
