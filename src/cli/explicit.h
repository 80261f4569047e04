/* What the commands on Promela models share: check, replay and sim. Internal to src/cli. */
#ifndef HEDDLE_EXPLICIT_H
#define HEDDLE_EXPLICIT_H

#include "cli/cli.h"
#include "search/cycles.h"

/* Options that decide what the model is; a trace records them. */
struct promela_flags {
    bool exact, no_c_code;
    struct option_list defines;
    struct option_list ltl, claims; /* properties, by name or as formulas */
    bool acceptance, progress, fair, no_stutter, no_por, no_claims;
    int por; /* 0: asked for, else an index into por_names; -1: not mentioned */
};
#define PROMELA_FLAG_ROWS(type, member) \
    {"exact", 0, OPTION_FLAG, offsetof(type, member.exact), NULL, \
     "plain interleaving: no merging of statements, no resetting of dead variables", 0, 0, NULL}, \
    {"define", 'D', OPTION_LIST, offsetof(type, member.defines), "NAME[=V]", "define a macro of the preprocessor", 0, 0, NULL}, \
    {"no-c-code", 0, OPTION_FLAG, offsetof(type, member.no_c_code), NULL, "refuse models with embedded C", 0, 0, NULL}

/* Which properties of infinite executions are checked, and how. */
extern const char *const por_names[];
#define PROPERTY_FLAG_ROWS(type, member) \
    {"ltl", 0, OPTION_LIST, offsetof(type, member.ltl), "NAME|FORMULA", "check this ltl property (default: all of the model)", 0, 0, NULL}, \
    {"claim", 0, OPTION_LIST, offsetof(type, member.claims), "NAME", "check this never claim (default: all of the model)", 0, 0, NULL}, \
    {"no-claims", 0, OPTION_FLAG, offsetof(type, member.no_claims), NULL, "assertions and end states only, no never claim, no ltl", 0, 0, NULL}, \
    {"acceptance", 0, OPTION_FLAG, offsetof(type, member.acceptance), NULL, "no cycle passes an accept label", 0, 0, NULL}, \
    {"progress", 0, OPTION_FLAG, offsetof(type, member.progress), NULL, "every cycle passes a progress label", 0, 0, NULL}, \
    {"fair", 0, OPTION_FLAG, offsetof(type, member.fair), NULL, "weak fairness: who can always move does move", 0, 0, NULL}, \
    {"no-stutter", 0, OPTION_FLAG, offsetof(type, member.no_stutter), NULL, "executions that end are not infinite ones", 0, 0, NULL}, \
    {"por", 0, OPTION_MAYBE_CHOICE, offsetof(type, member.por), "HOW", "partial order reduction (the default where it is sound; v0, v1: unsound)", 0, 0, por_names}, \
    {"no-por", 0, OPTION_FLAG, offsetof(type, member.no_por), NULL, "no partial order reduction", 0, 0, NULL}

/* A property ready to be checked, and what it is made of. */
struct prepared {
    struct property p;
    struct formulas formulas;
    struct buchi automaton, normal;
    struct proctype *evaluator; /* the claim that says which propositions hold, NULL: none needed */
    const char *not_reduced;    /* why there is no reduction, NULL: there is */
    bool is_safety;
    bool minds_stuttering;      /* or it is not known that it does not: the model must not leave out states */
};
struct properties { VEC(struct prepared *) list; bool chosen; /* by the user */ bool needs_exact; };
/* Makes automata of the properties that the flags ask for and adds what evaluates them to the program. */
bool properties_prepare(struct program *p, const struct promela_flags *flags, struct properties *out, struct diags *d);
void properties_connect(struct properties *all, struct model *m);
void properties_release(struct properties *all);

bool promela_accepts(const char *path);
/* Prints a stage between the text and the run: the program read back, its automata, or the C made of them. */
extern const char *const dump_names[];
bool promela_dump(const char *path, const struct promela_flags *flags, int what);
/* Parses and compiles; reports errors on stderr and returns NULL. Warnings about what is not checked go there too. */
struct model *promela_load(const char *path, const struct promela_flags *flags);
/* The same with the properties that the flags ask for. Release the properties before the model. */
struct model *promela_load_with(const char *path, const struct promela_flags *flags, struct properties *properties);
/* Records the input, its hash and the flags in a trace. */
void promela_describe(struct trace *t, const char *path, const struct promela_flags *flags);
void property_describe(struct trace *t, const struct promela_flags *flags, const struct prepared *p);

/* Prints a counterexample and the lines below it. */
struct report { const char *trace_path, *why; bool color; size_t most_steps; };
void report_trace(const struct trace *t, struct report r);
int terminal_width(void);
bool wants_color(bool no_color);

int explicit_replay(const struct trace *trace, int argc, char **argv);
char *explicit_simplify(const struct trace *trace, struct trace **better);

#endif
