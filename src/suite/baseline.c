/* What is known to fail, kept in a file that people can read and edit: a line for each, in the order of the cases. */
#include "suite/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int baseline_read(struct baseline *b, const char *path)
{
    char *text = read_file(path, NULL);
    if (!text) return -1;
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n"))
        if (line[0] != '#') vec_push(&b->lines, ((struct known_failure){.key = xstrdup(line)}));
    free(text);
    return 0;
}

static bool is_of_test(const char *key, const char *other)
{
    size_t name = strcspn(other, "\t");
    return strcspn(key, "\t") == name && !strncmp(key, other, name);
}

void baseline_apply(struct baseline *b, struct outcome *o)
{
    struct str key = {0};
    bool passed = o->kind == OUTCOME_PASSED;
    outcome_key(o, &key);
    for (size_t i = 0; i < b->lines.len; i++) {
        struct known_failure *k = &b->lines.at[i];
        k->run |= is_of_test(k->key, str_get(&key));
        if (passed || strcmp(k->key, str_get(&key))) continue;
        k->seen = true;
        o->kind = OUTCOME_KNOWN;
    }
    str_release(&key);
}

int baseline_write(const struct baseline *b, const struct outcomes *o, const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f) return -1;
    fputs("# What is known to fail: heddle test --baseline FILE. One line each: the test, a tab, what fails.\n", f);
    for (size_t i = 0; i < o->len; i++) {
        struct str key = {0};
        if (o->at[i].kind == OUTCOME_PASSED) continue;
        outcome_key(&o->at[i], &key);
        fprintf(f, "%s\n", str_get(&key));
        str_release(&key);
    }
    for (size_t i = 0; i < b->lines.len; i++)
        if (!b->lines.at[i].run) fprintf(f, "%s\n", b->lines.at[i].key);
    return file_finish(f, path);
}

void baseline_release(struct baseline *b)
{
    for (size_t i = 0; i < b->lines.len; i++) free(b->lines.at[i].key);
    vec_release(&b->lines);
}
