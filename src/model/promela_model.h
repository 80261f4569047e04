/* A Promela program as a model: translated to C, compiled in memory, run behind the interface of model.h. */
#ifndef HEDDLE_PROMELA_MODEL_H
#define HEDDLE_PROMELA_MODEL_H

#include "model/model.h"
#include "promela/promela.h"

struct model_options {
    bool exact;       /* plain interleaving: no merging of statements, no resetting of dead variables */
    bool no_compiler; /* libtcc alone, no `cc -O2` in the background */
    const struct limits *limits; /* of a C compiler that must be waited for; may be NULL */
    bool warn;        /* the output of a step says when a value did not fit its variable */
};

/* Takes over the program. NULL if an error was reported in diags. */
struct model *promela_model(struct program *p, const struct model_options *options, struct diags *diags);

/* The stages between, as text. */
void promela_print_automata(struct program *p, FILE *out, struct diags *diags);
void promela_print_c(struct program *p, const struct model_options *options, FILE *out, struct diags *diags);

#endif
