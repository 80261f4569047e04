/* Inside src/symbolic: what a run of the reversed program says about the program. */
#ifndef HEDDLE_SYMBOLIC_BACKWARD_INT_H
#define HEDDLE_SYMBOLIC_BACKWARD_INT_H

#include "symbolic/script_int.h"

/* s: released with script_release(p, s). */
void backward_script(const struct bp_program *p, const struct bp_reversal *r, const struct bp_run *run,
                     struct script *s);

#endif
