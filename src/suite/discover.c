/* Files and directories. */
#define _GNU_SOURCE
#include "suite/suite_int.h"

#include "native/native.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test_case *suite_push(struct suite *s, const char *name, const char *file)
{
    vec_push(&s->cases,
             ((struct test_case){.name = arena_strdup(&s->arena, name), .file = arena_strdup(&s->arena, file)}));
    return &vec_last(&s->cases);
}

void suite_remark(struct suite *s, const char *fmt, ...)
{
    struct str line = {0};
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&line, fmt, ap);
    va_end(ap);
    vec_push(&s->remarks, arena_strdup(&s->arena, str_get(&line)));
    str_release(&line);
}

void suite_release(struct suite *s)
{
    for (size_t i = 0; i < s->cases.len; i++) {
        words_release(&s->cases.at[i].options);
        words_release(&s->cases.at[i].arguments);
        words_release(&s->cases.at[i].environment);
    }
    for (size_t i = 0; i < s->traces.len; i++) trace_free(s->traces.at[i]);
    vec_release(&s->cases);
    vec_release(&s->traces);
    vec_release(&s->remarks);
    arena_release(&s->arena);
}

static bool has_ending(const char *path, const char *const *endings)
{
    const char *dot = strrchr(path_basename(path), '.');
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings)) return true;
    return false;
}

static bool is_model(const char *path)
{
    static const char *const endings[] = {".pml", ".prom", ".promela", ".pm",  ".prm",
                                          ".pr",  ".spin", ".bp",      ".pds", NULL};
    return has_ending(path, endings);
}

/* ---- files and directories ---- */

static int add_file(struct suite *s, const char *path, bool asked_for, const char **wrong)
{
    if (is_model(path) || is_source_file(path)) {
        if (!suite_add_expectations(s, path) && (asked_for || is_model(path))) suite_push(s, path, path);
        return 0;
    }
    if (is_checkable_executable(path)) {
        if (!suite_add_framework(s, path)) suite_push(s, path, path);
        return 0;
    }
    if (!asked_for) return 0;
    if (access(path, X_OK)) { /* what it is, is told by its content: the check looks at that */
        if (!suite_add_expectations(s, path)) suite_push(s, path, path);
        return 0;
    }
    *wrong = arena_printf(&s->arena, "%s: neither a model, a C or C++ program, nor an executable built with heddle cc",
                          path);
    return -1;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int add_directory(struct suite *s, const char *path, const char **wrong);

/* Links are not followed: they could lead in circles. */
static int add_entry(struct suite *s, const char *path, const char **wrong)
{
    struct stat st;
    if (lstat(path, &st)) return 0;
    if (S_ISDIR(st.st_mode)) return add_directory(s, path, wrong);
    return S_ISREG(st.st_mode) ? add_file(s, path, false, wrong) : 0;
}

static int add_directory(struct suite *s, const char *path, const char **wrong)
{
    struct words names = {0};
    DIR *d = opendir(path);
    if (!d) {
        *wrong = arena_printf(&s->arena, "%s: %s", path, strerror(errno));
        return -1;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') words_add(&names, e->d_name);
    closedir(d);
    if (names.len) qsort(names.at, names.len, sizeof *names.at, by_name);
    int status = 0;
    for (size_t i = 0; i < names.len && !status; i++) {
        bool here = !strcmp(path, "."), slash = path[strlen(path) - 1] == '/';
        const char *entry = arena_printf(&s->arena, "%s%s%s", path, slash ? "" : "/", names.at[i]);
        status = add_entry(s, here ? entry + 2 : entry, wrong);
    }
    words_release(&names);
    return status;
}

int suite_add(struct suite *s, const char *path, const char **wrong)
{
    struct stat st;
    if (stat(path, &st)) {
        *wrong = arena_printf(&s->arena, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!S_ISDIR(st.st_mode)) return add_file(s, path, true, wrong);
    if (!access(arena_printf(&s->arena, "%s/CTestTestfile.cmake", path), R_OK)) return suite_add_ctest(s, path, wrong);
    return add_directory(s, path, wrong);
}
