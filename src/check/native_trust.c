/* What a trace of a real program asks for that needs --trust: a replay compiles and runs what the trace names. Source
 * files are the user's own and can be read; a program cannot, and flags can make a compiler run another program, load a
 * plug-in or read any file. Each list below is complete: what is not on it is refused. */
#define _GNU_SOURCE
#include "check/native_int.h"
#include "check/trust_int.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(word, list[i])) return true;
    return false;
}

static bool is_made_of(const char *text, const char *letters) { return !text[strspn(text, letters)]; }

/* Flags that only change how the source is read or how good the code is. */
static bool is_plain_flag(const char *word)
{
    static const char *const known[] = {
        "-O", "-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-Oz", "-Ofast", "-g", "-g0", "-g1", "-g2", "-g3", "-w",
        "-pthread", "-pedantic", "-mcx16", "-fno-strict-aliasing", "-fstrict-aliasing", "-fwrapv", "-ftrapv",
        "-fno-strict-overflow", "-fno-delete-null-pointer-checks", "-fno-inline", "-fno-inline-functions",
        "-fno-builtin", "-fsigned-char", "-funsigned-char", "-fshort-enums", "-fcommon", "-fno-common", "-fexceptions",
        "-fno-exceptions", "-frtti", "-fno-rtti", "-fpic", "-fPIC", "-fpie", "-fPIE", "-fomit-frame-pointer",
        "-fno-omit-frame-pointer", "-ffast-math", "-fms-extensions", "-fgnu89-inline", "-fopenmp", "-fcoroutines"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789+-:=";
    if (!strncmp(word, "-std=", 5)) return is_made_of(word + 5, letters);
    if (!strncmp(word, "-W", 2)) return is_made_of(word + 2, letters); /* without a comma: -Wl,... is for the linker */
    return is_one_of(word, known, ARRAY_LEN(known));
}

static bool is_plain_library(const char *name)
{
    static const char *const known[] = {"m", "pthread", "rt", "dl", "atomic", "gomp", "omp"};
    return is_one_of(name, known, ARRAY_LEN(known));
}

/* A flag whose value is in the same word or in the next one; *i moves over it. */
static const char *value_of(const struct words *w, size_t *i)
{
    const char *word = w->at[*i];
    if (word[2]) return word + 2;
    return *i + 1 < w->len ? w->at[++*i] : "";
}

/* Compilers replace a word that begins with @ by what the file of that name says. */
static bool is_header_directory(const char *path, const char *above)
{
    return path[0] != '@' && trust_is_below(path, above);
}

static bool is_harmless(const struct words *w, size_t *i, const char *directory)
{
    const char *word = w->at[*i];
    if (!strncmp(word, "-D", 2)) return trust_is_define(value_of(w, i), true);
    if (!strncmp(word, "-U", 2)) return trust_is_define(value_of(w, i), true) && !strchr(w->at[*i], '=');
    if (!strncmp(word, "-I", 2)) return is_header_directory(value_of(w, i), directory);
    if (!strncmp(word, "-l", 2)) return is_plain_library(value_of(w, i));
    return is_plain_flag(word);
}

static char *refuse_flags(const char *option, const char *flags, const char *directory)
{
    struct str refused = {0};
    struct words w = {0};
    words_split(&w, flags);
    for (size_t i = 0, first = 0; i < w.len && !refused.len; first = ++i)
        if (!is_harmless(&w, &i, directory))
            str_printf(&refused, "the compiler's flag %s in %s=%s", w.at[first], option, flags);
    words_release(&w);
    return refused.at;
}

/* gcc, clang++-14 and the like, which are looked for where the user's programs are. */
static bool is_known_compiler(const char *name)
{
    static const char *const known[] = {"cc", "c++", "gcc", "g++", "clang", "clang++"};
    size_t len = strcspn(name, "-");
    if (name[len] && !is_made_of(name + len + 1, "0123456789.")) return false;
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (strlen(known[i]) == len && !strncmp(name, known[i], len)) return true;
    return false;
}

/* A source file in a language of this engine, wherever links lead. What is missing will be missed later. */
static bool is_plain_source(const char *path)
{
    struct stat s;
    char *real = realpath(path, NULL);
    bool plain = !real || (is_source_file(real) && is_source_file(path) && !stat(real, &s) && S_ISREG(s.st_mode));
    free(real);
    return plain;
}

static char *refuse_files(const struct trace *t, const struct option_words *words)
{
    struct str s = {0};
    for (size_t i = 0; i < words->len && !s.len; i++)
        if (t->text && trust_is_copied(words->at[i], path_basename(t->input))) continue;
        else if (!is_plain_source(words->at[i])) str_printf(&s, "%s, which is no source file", words->at[i]);
    return s.at;
}

/* A number cannot name a file or a command. */
static char *refuse_arguments(const struct option_words *rest)
{
    struct str s = {0};
    for (size_t i = 0; i < rest->len && !s.len; i++)
        if (!is_made_of(rest->at[i], "0123456789.-+")) str_printf(&s, "the program's argument %s", rest->at[i]);
    return s.at;
}

static char *refuse_options(const struct native_options *o, const char *directory)
{
    struct str s = {0};
    if (o->compiler && !is_known_compiler(o->compiler)) str_printf(&s, "the compiler %s (--cc)", o->compiler);
    else if (o->input && !trust_is_below(o->input, directory)) str_printf(&s, "the file %s (--input)", o->input);
    else if (o->files) str_add(&s, "changes of files that last (--files=real)");
    for (size_t i = 0; i < o->libraries.len && !s.len; i++)
        if (!is_plain_library(o->libraries.at[i])) str_printf(&s, "the library %s (-l)", o->libraries.at[i]);
    if (s.len) return s.at;
    char *refused = refuse_flags("--cflags", o->cflags, directory);
    return refused ? refused : refuse_flags("--ldflags", o->ldflags, directory);
}

char *native_distrusts(const struct trace *t, const char *directory)
{
    struct native_command c = {0};
    bool readable = !native_command_of_trace(t, &c); /* bad options are refused in any case */
    char *refused = readable ? refuse_files(t, &c.words) : NULL;
    if (!refused) refused = refuse_options(&c.options, directory);
    if (!refused) refused = refuse_arguments(&c.rest);
    native_command_release(&c);
    return refused;
}
