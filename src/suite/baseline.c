/* What is known to fail, kept in a file that people can read and edit: a line for each, in the order of the cases. */
#include "suite/suite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int baseline_read(struct baseline *b, const char *path)
{
    char *text = read_file(path, NULL);
    if (!text) return -1;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (line[0] == '#') continue;
        vec_push(&b->keys, xstrdup(line));
        vec_push(&b->seen, false);
    }
    free(text);
    return 0;
}

void baseline_apply(struct baseline *b, struct outcome *o)
{
    struct str key = {0};
    outcome_key(o, &key);
    for (size_t i = 0; i < b->keys.len && o->kind != OUTCOME_PASSED; i++) {
        if (strcmp(b->keys.at[i], str_get(&key))) continue;
        b->seen.at[i] = true;
        o->kind = OUTCOME_KNOWN;
    }
    str_release(&key);
}

int baseline_write(const struct outcomes *o, const char *path)
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
    return file_finish(f, path);
}

void baseline_release(struct baseline *b)
{
    for (size_t i = 0; i < b->keys.len; i++) free(b->keys.at[i]);
    vec_release(&b->keys);
    vec_release(&b->seen);
}
