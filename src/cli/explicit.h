/* What the commands on Promela models share: check, replay and sim. Internal to src/cli. */
#ifndef HEDDLE_EXPLICIT_H
#define HEDDLE_EXPLICIT_H

#include "cli/cli.h"
#include "search/search.h"

/* Options that decide what the model is; a trace records them. */
struct promela_flags { bool exact, no_c_code; struct option_list defines; };
#define PROMELA_FLAG_ROWS(type, member) \
    {"exact", 0, OPTION_FLAG, offsetof(type, member.exact), NULL, \
     "plain interleaving: no merging of statements, no resetting of dead variables", 0, 0, NULL}, \
    {"define", 'D', OPTION_LIST, offsetof(type, member.defines), "NAME[=V]", "define a macro of the preprocessor", 0, 0, NULL}, \
    {"no-c-code", 0, OPTION_FLAG, offsetof(type, member.no_c_code), NULL, "refuse models with embedded C", 0, 0, NULL}

bool promela_accepts(const char *path);
/* Parses and compiles; reports errors on stderr and returns NULL. Warnings about what is not checked go there too. */
struct model *promela_load(const char *path, const struct promela_flags *flags);
/* Records the input, its hash and the flags in a trace. */
void promela_describe(struct trace *t, const char *path, const struct promela_flags *flags);
char *input_hash(const char *path); /* heap; NULL if it cannot be read */

/* Prints a counterexample and the lines below it. */
struct report { const char *trace_path, *why; bool color; size_t most_steps; };
void report_trace(const struct trace *t, struct report r);
int terminal_width(void);
bool wants_color(bool no_color);

int explicit_replay(const struct trace *trace, int argc, char **argv);
char *explicit_simplify(const struct trace *trace, struct trace **better);

#endif
