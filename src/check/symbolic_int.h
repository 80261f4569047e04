/* Inside the symbolic engine of `heddle check`. */
#ifndef HEDDLE_CHECK_SYMBOLIC_INT_H
#define HEDDLE_CHECK_SYMBOLIC_INT_H

#include "boolprog/boolprog.h"
#include "check/check.h"
#include "symbolic/symbolic.h"

/* What makes the analysis large, in words (heap), or NULL. */
char *symbolic_advice(const struct bp_program *p, const struct limits *limits);

/* --projection: all statements on runs to an error; first: one such run. */
struct projection_input {
    const char *path, *text;
    const struct symbolic_options *options;
    const char *const *labels;
};
void symbolic_projection(const struct bp_program *p, const struct bp_run *first, const struct projection_input *in,
                         struct projection *out);
/* All (thread, state, top symbol) on runs to the target. */
void pushdown_projection(const struct pds *s, const struct pushdown_result *r, struct projection *out);
void projection_print(const char *file, bool is_pds, const struct projection *x);

#endif
