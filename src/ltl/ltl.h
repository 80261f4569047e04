/* Formulas of linear temporal logic -> Buchi automata.
 *
 * A formula is kept in negation normal form, simplified as it is built, and shared: two formulas are equal if and only
 * if their pointers are. Propositions are numbered; a *letter* says which of them hold, bit i for proposition i, so a
 * label of an automaton is a conjunction of literals (a cube).
 * Memory of formulas and propositions belongs to the arena given at the start; an automaton owns its own. */
#ifndef HEDDLE_LTL_H
#define HEDDLE_LTL_H

#include "base/limits.h"
#include "promela/promela.h"

enum { LTL_MOST_PROPOSITIONS = 62 };
typedef uint64_t letter;

enum proposition_source { PROPOSITION_EXPR, PROPOSITION_ACCEPT, PROPOSITION_PROGRESS };
struct proposition {
    const char *text;
    struct expr *expr;                /* PROPOSITION_EXPR */
    enum proposition_source source;   /* the others: some process is at a label of that kind */
};
struct propositions { VEC(struct proposition) list; };

enum formula_kind { F_FALSE, F_TRUE, F_LITERAL, F_AND, F_OR, F_NEXT, F_UNTIL, F_RELEASE };
struct formula {
    enum formula_kind kind;
    int proposition;         /* F_LITERAL */
    bool negated;            /* F_LITERAL */
    const struct formula *a, *b;
    const struct formula *negation; /* NULL until it was asked for */
    int id;                  /* in order of creation */
    bool has_next;
    bool is_tail;            /* only the far future matters: true now if and only if true later */
    bool is_or_of_always, is_and_of_eventually; /* all parts are that, or tails */
};

struct formulas {
    struct arena *arena;
    struct propositions props;
    VEC(struct formula *) all;
    VEC(struct formula *) slots; /* open addressing, by contents */
    const struct limits *limits; /* NULL: none */
    const char *error;           /* why the last formula could not be made */
    struct pos error_pos;
};
void formulas_init(struct formulas *c, struct arena *arena);
void formulas_release(struct formulas *c);
/* NULL: c->error says why. */
const struct formula *formula_of_expr(struct formulas *c, const struct expr *e);
const struct formula *formula_not(struct formulas *c, const struct formula *f);
const struct formula *formula_make(struct formulas *c, enum formula_kind kind, const struct formula *a,
                                   const struct formula *b);
const struct formula *formula_literal(struct formulas *c, int proposition, bool negated);
int proposition_number(struct formulas *c, const char *text, struct expr *expr, enum proposition_source source);
bool formula_has_next(const struct formula *f);
void formula_print(const struct formulas *c, const struct formula *f, struct str *out);
/* Does the formula hold on w[0] .. w[start-1] (w[start] .. w[len-1])^omega? By the definition, with no automaton. */
bool formula_holds(const struct formulas *c, const struct formula *f, const letter *w, size_t len, size_t start);

struct cube { letter pos, neg; };    /* all of pos hold and none of neg; both 0: true */
struct buchi_edge { struct cube label; int to; };
struct buchi_state { VEC(struct buchi_edge) edges; bool accepting; };
/* Whatever makes an automaton smaller, or finds out something about it, gives up when a limit is reached. */
struct buchi { VEC(struct buchi_state) states; int initial; const struct limits *limits; /* NULL: none */ };

static inline bool cube_has(struct cube c, letter a) { return (a & c.pos) == c.pos && !(a & c.neg); }
static inline bool cube_implies(struct cube a, struct cube b) { return !(b.pos & ~a.pos) && !(b.neg & ~a.neg); }
static inline bool cube_is_empty(struct cube c) { return c.pos & c.neg; }

/* The automaton of the words that satisfy f. False with c->error if it grows beyond all measure. */
bool buchi_of_formula(struct formulas *c, const struct formula *f, struct buchi *out);
void buchi_release(struct buchi *b);
int buchi_add_state(struct buchi *b, bool accepting);
void buchi_add_edge(struct buchi *b, int from, struct cube label, int to);
void buchi_simplify(struct buchi *b);
/* Removes what cannot be part of an accepting run; keeps every other edge as it is. */
void buchi_trim(struct buchi *b);
bool buchi_accepts_lasso(const struct buchi *b, const letter *w, size_t len, size_t start);
/* Everything is accepted from here. */
bool buchi_accepts_all(const struct buchi *b, int state);
/* Every accepting state accepts everything: a violation shows in a finite run. */
bool buchi_is_safety(const struct buchi *b);
letter buchi_letters(const struct buchi *b); /* the propositions that its labels mention */

/* Runs can be stretched and shortened where a letter is repeated, step by step: enough for reduction to be sound. */
bool buchi_is_stutter_closed(const struct buchi *b);
/* Such an automaton for the same language, if that does not mind stuttering: the normal form, made smaller where it
 * stays closed. False: it would have more than most_states. */
bool buchi_stutter_closed_form(const struct buchi *b, size_t most_states, struct buchi *out);
/* Stutter-invariant normal form over the propositions in `mentioned`. False: it would have more than most_states. */
bool buchi_si_normal_form(const struct buchi *b, letter mentioned, size_t most_states, struct buchi *out);
bool buchi_is_si_normal_form(const struct buchi *b, letter mentioned);
enum stutter { STUTTER_INVARIANT, STUTTER_SENSITIVE, STUTTER_UNKNOWN };
enum stutter buchi_stutter(const struct buchi *b);
/* Is every word of a one of b? -1: gave up. */
int buchi_included(const struct buchi *a, const struct buchi *b, letter mentioned);

/* The automaton of a never claim, where it is one that only looks at the state. NULL, or the reason why not. */
struct flow;
const char *buchi_of_claim(struct formulas *c, const struct flow *flow, const struct proctype *claim,
                           struct buchi *out);

void buchi_print_never(const struct buchi *b, const struct propositions *p, const char *title, FILE *out);
void buchi_print_dot(const struct buchi *b, const struct propositions *p, const char *title, FILE *out);
void buchi_print_hoa(const struct buchi *b, const struct propositions *p, const char *title, FILE *out);

#endif
