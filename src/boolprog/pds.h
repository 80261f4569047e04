/* Concurrent pushdown systems: text in, rules out; and the Boolean program that behaves the same.
 *
 * Threads share a state (the p of a rule) and have a stack each. A rule p a -> q w replaces the top symbol a of its
 * thread's stack by at most two symbols w. One rule is one step. The question is whether the target state can be
 * reached, if wanted with a given symbol on top of one thread's stack. Owned by the pds, freed by pds_free(). */
#ifndef HEDDLE_BOOLPROG_PDS_H
#define HEDDLE_BOOLPROG_PDS_H

#include "boolprog/boolprog.h"

typedef VEC(const char *) name_list;
struct pds_rule { int p, a, q, b, c; struct pos pos; }; /* b and c: -1 if absent */
struct pds_thread { const char *name; VEC(struct pds_rule) rules; int_list stack; /* top first */ struct pos pos; };
struct pds {
    struct arena arena;
    const char *file;
    name_list states, symbols;
    VEC(struct pds_thread) threads;
    int init, target, target_thread, target_symbol; /* thread and symbol: -1 if any */
    struct pos target_pos;
};

struct pds *pds_parse(const char *file, const char *text, struct diags *d); /* NULL after errors */
/* The same within limits: when one is reached it is in *cut, the result is NULL, and d means nothing. */
struct pds *pds_parse_within(const char *file, const char *text, const struct limits *limits, enum limit *cut,
                             struct diags *d);
void pds_free(struct pds *s);
void pds_print(const struct pds *s, FILE *out);
/* Reaching the target is reaching the label TARGET. */
struct bp_program *pds_to_program(const struct pds *s);

#endif
