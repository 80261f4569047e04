/* The choice of a compiler. */
#define _GNU_SOURCE
#include "base/compiler.h"

#include "base/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a build with CC="heddle cc" the variable names ourselves. */
static bool is_heddle(const char *compiler)
{
    struct words w = {0};
    words_split(&w, compiler);
    bool found = w.len && !strncmp(path_basename(w.at[0]), "heddle", strlen("heddle"));
    words_release(&w);
    return found;
}

static bool is_blank(const char *text) { return !text || !text[strspn(text, " \t\n")]; }

const char *compiler_choose(enum language language, const char *wanted)
{
    static const struct { const char *variable, *standard; } choices[] = {
        [LANGUAGE_C] = {"CC", "cc"},
        [LANGUAGE_CXX] = {"CXX", "c++"},
    };
    if (!is_blank(wanted)) return wanted;
    const char *variable = getenv(choices[language].variable);
    return is_blank(variable) || is_heddle(variable) ? choices[language].standard : variable;
}

/* The file that a command name stands for (heap), or NULL. */
static char *find_program(const char *name)
{
    const char *path = strchr(name, '/') ? NULL : getenv("PATH");
    if (!path) return realpath(name, NULL);
    for (char *real; *path; path += *path == ':') {
        size_t len = strcspn(path, ":");
        struct str candidate = {0};
        str_printf(&candidate, "%.*s/%s", (int)len, path, name);
        real = access(candidate.at, X_OK) == 0 ? realpath(candidate.at, NULL) : NULL;
        str_release(&candidate);
        if (real) return real;
        path += len;
    }
    return NULL;
}

/* Any word may name it: "ccache clang". Links are followed. */
bool compiler_is_clang(const char *compiler)
{
    struct words w = {0};
    bool found = false;
    words_split(&w, compiler);
    for (size_t i = 0; i < w.len && !found && w.at[i][0] != '-'; i++) {
        char *real = find_program(w.at[i]);
        found = strstr(path_basename(w.at[i]), "clang") || (real && strstr(path_basename(real), "clang"));
        free(real);
    }
    words_release(&w);
    return found;
}

void compiler_identify(const char *compiler, struct str *out)
{
    struct words w = {0};
    struct stat st;
    words_split(&w, compiler);
    for (size_t i = 0; i < w.len; i++) {
        char *real = w.at[i][0] == '-' ? NULL : find_program(w.at[i]);
        str_printf(out, "%s\n", w.at[i]);
        if (real && !stat(real, &st))
            str_printf(out, "%s %lld %llu %lld.%09ld\n", real, (long long)st.st_size, (unsigned long long)st.st_ino,
                       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
        free(real);
    }
    words_release(&w);
}
