/* Inside the symbolic engine of `heddle check`. */
#ifndef HEDDLE_CHECK_SYMBOLIC_INT_H
#define HEDDLE_CHECK_SYMBOLIC_INT_H

#include "boolprog/boolprog.h"

/* What makes the analysis large, in words (heap), or NULL. */
char *symbolic_advice(const struct bp_program *p, const struct limits *limits);

#endif
