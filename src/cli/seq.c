/* heddle seq: the sequential program of the CBA reduction; without -k the program itself, as control-flow graphs. */
#include "cli/cli.h"

#include "boolprog/boolprog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct seq_options { int64_t rounds, threads; struct option_list labels; };
#define AT(member) offsetof(struct seq_options, member)
static const struct option rows[] = {
    {"contexts", 'k', OPTION_INT, AT(rounds), "K",
     "simulate K contexts per thread; without it, print the program itself", 1, 100, NULL},
    {"label", 0, OPTION_LIST, AT(labels), "NAME", "reaching this label is an error (default: ERROR, SLIC_ERROR)", 0, 0,
     NULL},
    {"threads", 0, OPTION_INT, AT(threads), "N", "a thread start in a loop starts at most N threads", 1, 60, NULL},
};
#undef AT

static int print_file(const char *path, const struct seq_options *o)
{
    size_t len = 0;
    char *text = read_file(path, &len);
    if (!text) {
        fprintf(stderr, "heddle: error: %s: %s\n", path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    struct diags d = {0};
    size_t n = strlen(path);
    bool pushdown = n > 4 && !strcmp(path + n - 4, ".pds");
    struct pds *s = pushdown ? pds_parse(path, text, &d) : NULL;
    struct bp_program *p = s ? pds_to_program(s) : pushdown ? NULL : boolprog_parse(path, text, (int)o->threads, &d);
    diags_print(&d, stderr);
    VEC(const char *) labels = {0};
    for (size_t i = 0; i < o->labels.len; i++) vec_push(&labels, o->labels.at[i]);
    if (!o->labels.len) vec_push(&labels, "ERROR"), vec_push(&labels, "SLIC_ERROR");
    if (pushdown) vec_push(&labels, "TARGET");
    vec_push(&labels, NULL);
    if (p && o->rounds) boolprog_print_sequential(p, (int)o->rounds, labels.at, stdout);
    else if (s) pds_print(s, stdout);
    else if (p) boolprog_print(p, stdout);
    int status = p ? EXIT_OK : EXIT_BAD_INPUT;
    vec_release(&labels);
    boolprog_free(p);
    pds_free(s);
    diags_release(&d);
    free(text);
    return status;
}

int cmd_seq(int argc, char **argv)
{
    struct seq_options o = {0};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *path = command_word("seq", &table, argc, argv, &arena);
    int status = path ? print_file(path, &o) : EXIT_OK;
    vec_release(&o.labels);
    arena_release(&arena);
    return status;
}
