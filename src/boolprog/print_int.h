/* Inside src/boolprog: writing programs as text. */
#ifndef HEDDLE_BOOLPROG_PRINT_INT_H
#define HEDDLE_BOOLPROG_PRINT_INT_H

#include "boolprog/boolprog.h"

/* copy > 0: shared variables are written as name$copy. */
void bp_print_var(const struct bp_program *p, int var, int copy, FILE *out);
void bp_print_expr(const struct bp_program *p, int expr, int copy, FILE *out);
/* "x, y := e, f constrain c;" or "skip;" */
void bp_print_assigns(const struct bp_program *p, const struct bp_edge *e, int copy, FILE *out);
void bp_print_exprs(const struct bp_program *p, const int_list *exprs, int copy, FILE *out); /* with commas */
void bp_print_stars(int n, FILE *out);                                                       /* *, *, * */
void bp_print_header(const struct bp_program *p, const struct bp_proc *f, const char *prefix, FILE *out);

#endif
