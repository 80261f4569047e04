/* What checking and replaying a Promela model share: properties and their automata. Internal to src/check. */
#ifndef HEDDLE_EXPLICIT_INT_H
#define HEDDLE_EXPLICIT_INT_H

#include "check/check.h"
#include "search/search.h"

/* Which properties of infinite executions are checked, and how. */
extern const char *const por_names[];
#define PROPERTY_ROW(type, member, name, kind, field, arg, help) \
    {name, 0, kind, offsetof(type, member.field), arg, help, 0, 0, NULL}
#define PROPERTY_FLAG_ROWS(type, member) \
    PROPERTY_ROW(type, member, "ltl", OPTION_LIST, ltl, "NAME|FORMULA", \
                 "check this ltl property (default: all of the model)"), \
    PROPERTY_ROW(type, member, "claim", OPTION_LIST, claims, "NAME", \
                 "check this never claim (default: all of the model)"), \
    PROPERTY_ROW(type, member, "no-claims", OPTION_FLAG, no_claims, NULL, \
                 "assertions and end states only, no never claim, no ltl"), \
    PROPERTY_ROW(type, member, "acceptance", OPTION_FLAG, acceptance, NULL, "no cycle passes an accept label"), \
    PROPERTY_ROW(type, member, "progress", OPTION_FLAG, progress, NULL, "every cycle passes a progress label"), \
    PROPERTY_ROW(type, member, "fair", OPTION_FLAG, fair, NULL, "weak fairness: who can always move does move"), \
    PROPERTY_ROW(type, member, "no-stutter", OPTION_FLAG, no_stutter, NULL, \
                 "executions that end are not infinite ones"), \
    {"por", 0, OPTION_MAYBE_CHOICE, offsetof(type, member.por), "HOW", \
     "partial order reduction (the default where it is sound; v0, v1: unsound)", 0, 0, por_names}, \
    PROPERTY_ROW(type, member, "no-por", OPTION_FLAG, no_por, NULL, "no partial order reduction")

/* What stands before the arrow of an implication in a property. The automaton accepts executions where it is true. */
struct premise {
    const char *text; /* the sentence about it, if that is never so */
    const struct formula *violation;
    struct buchi automaton;
};
/* A property ready to be checked, and what it is made of. */
struct prepared {
    struct property p;
    struct formulas formulas;
    struct buchi automaton, normal;
    VEC(struct premise) premises;
    struct proctype *evaluator; /* the claim that says which propositions hold, NULL: none needed */
    const char *title;          /* "ltl p" */
    const char *not_reduced;    /* why there is no reduction, NULL: there is */
    bool is_safety;
    bool minds_stuttering;      /* or it is not known that it does not: the model must not leave out states */
};
struct properties {
    VEC(struct prepared *) list;
    const struct limits *limits; /* on making automata */
    enum limit reached;  /* there is no model because of this one */
    bool chosen;         /* by the user: nothing else is checked */
    bool left_out;       /* the model has properties that are not in the list */
    bool needs_exact;
    bool accept_labels, progress_labels; /* processes have such labels, and nothing in the list looks at them */
};
/* Makes automata of the properties that the flags ask for and adds what evaluates them to the program. */
bool properties_prepare(struct program *p, const struct promela_flags *flags, const struct limits *limits,
                        struct properties *out, struct diags *d);
void properties_connect(struct properties *all, struct model *m);
void properties_release(struct properties *all);

/* vacuity.c */
bool model_has_assertions(struct model *m); /* or statements of which it cannot be told */
bool model_has_assertions_only_unreached(struct model *m); /* by any search so far */
struct expr;
void premises_find(struct prepared *x, const struct expr *formula); /* of which the property was made */
/* What is to be said about a premise that is true in no execution (bounded: none within the bound), or NULL. */
const char *premises_never_true(struct model *m, const struct prepared *x, const struct search_options *options,
                                bool bounded);
void premises_release(struct prepared *x);

bool is_property_name(const char *word); /* anything else after --ltl is a formula */
bool promela_accepts(const char *path);
/* Prints a stage between the text and the run: the program read back, its automata, or the C made of them. */
extern const char *const dump_names[];
bool promela_dump(const char *path, const struct promela_flags *flags, int what);
/* As promela_load(), with the properties that the flags ask for. Release the properties before the model. */
struct model *promela_load_with(const char *path, const struct promela_flags *flags, const struct limits *limits,
                                struct properties *properties);
struct model *promela_load_again(const char *path, const struct promela_flags *flags, const struct limits *limits,
                                 struct properties *properties); /* silently */
/* Records the input, its hash and the flags in a trace. */
void promela_describe(struct trace *t, const struct model *m, const char *path, const struct promela_flags *flags);
void property_describe(struct trace *t, const struct promela_flags *flags, const struct prepared *p);

int explicit_replay(const struct trace *trace, const struct replay_options *o);
char *explicit_simplify(const struct trace *trace, const struct replay_options *o, struct trace **better);
char *explicit_distrusts(const struct trace *t, const char *directory);

/* What makes the state space of a model large (heap), NULL if nothing stands out. */
char *explicit_advice(struct model *m, const struct limits *limits);

#endif
