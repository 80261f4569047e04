/* Inside the symbolic engine of `heddle check`. */
#ifndef HEDDLE_CHECK_SYMBOLIC_INT_H
#define HEDDLE_CHECK_SYMBOLIC_INT_H

#include "boolprog/boolprog.h"
#include "symbolic/symbolic.h"

/* What makes the analysis large, in words (heap), or NULL. */
char *symbolic_advice(const struct bp_program *p, const struct limits *limits);

/* --projection: prints all statements on runs to an error; first: one such run. */
struct projection_input {
    const char *path, *text;
    const struct symbolic_options *options;
    const char *const *labels;
};
void symbolic_projection(const struct bp_program *p, const struct bp_run *first, const struct projection_input *in);

#endif
