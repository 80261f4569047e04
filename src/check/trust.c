/* A trace is data, and may come from a stranger; so may a checkpoint. What they ask for is compared with a list of what
 * can do no harm, and everything else needs the user's consent (--trust). The engines know their own options; here is
 * what their lists have in common. */
#define _GNU_SOURCE
#include "check/trust_int.h"

#include "check/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *trust_directory_of(const char *path)
{
    size_t len = (size_t)(path_basename(path) - path);
    struct str directory = {0};
    if (len) str_addn(&directory, path, len);
    else str_addc(&directory, '.');
    return directory.at;
}

/* The file itself if it exists, else the directory in which it would be made. A link that leads nowhere is neither. */
static char *resolve(const char *path)
{
    struct stat s;
    char *real = realpath(path, NULL);
    if (real || !lstat(path, &s)) return real;
    char *directory = trust_directory_of(path);
    real = realpath(directory, NULL);
    free(directory);
    return real;
}

bool trust_is_below(const char *path, const char *directory)
{
    char *real = resolve(path), *above = realpath(directory, NULL);
    size_t len = above ? strlen(above) : 0;
    bool below = real && above && !strncmp(real, above, len) &&
                 (!real[len] || real[len] == '/' || above[len - 1] == '/');
    free(real);
    free(above);
    return below;
}

/* A macro with a value can redirect a call of the program to any function (puts to system), so programs get numbers
 * only. In Promela there are no functions to call, but a value can be the file name in an #include. */
bool trust_is_define(const char *define, bool numbers_only)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *value = define + strspn(define, letters);
    if (value == define || (*define >= '0' && *define <= '9')) return false;
    if (!*value) return true;
    if (*value++ != '=') return false;
    if (!numbers_only) return !value[strcspn(value, "\"<>/\\#\n")];
    value += *value == '-';
    return *value >= '0' && *value <= '9' && !value[strspn(value, letters)];
}

bool trust_is_copied(const char *word, const char *copy)
{
    const char *name = path_basename(word), *dot = strrchr(copy, '.');
    if (word[0] == '-') return !word[1];
    return !strcmp(name, copy) || (dot && strlen(name) == (size_t)(dot - copy) && !strncmp(name, copy, strlen(name)));
}

char *trust_refusal(const struct trace *t, const char *directory)
{
    const struct engine *e = engine_named(t->engine);
    return e && e->distrusts ? e->distrusts(t, directory) : NULL;
}
