/* Which program it is, told by what was written and not by where it lies: the contents of the source files and of the
 * headers that are not the system's, as the compiler finds them. An executable would tell the directory, too, in which
 * it was built, and a trace that goes to somebody else with its program would not fit. */
#include "native/native.h"

#include "base/tempdir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A rule for make that has all files behind its colon; NULL: the compiler could not make one. */
static char *rule_of(const struct native_build *b, const char *compiler, const struct limits *limits)
{
    int fd = nameless_file("the names of source files");
    struct process p = {.in = PROCESS_NULL, .out = fd, .err = PROCESS_NULL, .own_group = true};
    char *headers = header_directory(), *rule = NULL;
    words_split(&p.words, compiler);
    words_split(&p.words, b->cflags);
    words_split(&p.words, "-MM -MT x -w -D__HEDDLE__=1");
    if (headers) words_add(&p.words, "-idirafter"), words_add(&p.words, headers);
    native_add_files(b, &p.words);
    if (!process_run(&p, limits)) {
        off_t len = lseek(fd, 0, SEEK_END);
        rule = xcalloc((size_t)MAX(len, 0) + 1, 1);
        if (pread(fd, rule, (size_t)MAX(len, 0), 0) != len) free_null((void **)&rule);
    }
    process_release(&p);
    close(fd);
    free(headers);
    return rule;
}

/* The next name of a rule, as make reads it: spaces have a backslash before them, dollars are doubled. */
static bool next_name(const char **at, struct str *name)
{
    const char *c = *at;
    while (isspace((unsigned char)*c) || (*c == '\\' && isspace((unsigned char)c[1]) && c[1] != ' ')) c++;
    name->len = 0;
    for (; *c && !isspace((unsigned char)*c); c++) {
        if (*c == '\\' && (c[1] == ' ' || c[1] == '#' || c[1] == '\\')) c++;
        else if (*c == '$' && c[1] == '$') c++;
        str_addc(name, *c);
    }
    *at = c;
    return name->len;
}

char *native_sources_hash(const struct native_build *b, const char *compiler, const struct limits *limits)
{
    struct str name = {0}, all = {0};
    char *rule = rule_of(b, compiler, limits);
    bool complete = rule != NULL;
    for (const char *at = rule; complete && next_name(&at, &name);) {
        size_t len;
        if (!strcmp(name.at, "x:")) continue; /* one rule for each file */
        char *text = read_file(name.at, &len);
        complete = text != NULL;
        str_printf(&all, "%zu ", complete ? len : 0);
        if (complete) str_addn(&all, text, len);
        free(text);
    }
    char *hash = complete ? hash_text(str_get(&all), all.len) : NULL;
    free(rule);
    str_release(&name);
    str_release(&all);
    return hash;
}
