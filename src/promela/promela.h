/* Promela text -> a checked syntax tree -> one automaton per proctype.
 *
 * promela_parse() preprocesses (cc -E, skipped when the text has no directive), parses, expands inlines, resolves
 * every name, label and type, and reports as many errors as it can find in `diags`. The tree that it returns has no
 * unresolved name in it and respects every static rule of Spin 6.5.2, so that later stages need not check again.
 * How statements are executed is decided by the automata that flow_build() makes of it.
 * All memory belongs to the program's arena; promela_free() releases everything. */
#ifndef HEDDLE_PROMELA_H
#define HEDDLE_PROMELA_H

#include "base/diag.h"

struct expr;
struct stmt;
struct var;
struct proctype;
typedef VEC(struct expr *) expr_list;
typedef VEC(struct stmt *) stmt_list;
typedef VEC(struct var *) var_list;

enum base_type { TYPE_BIT, TYPE_BOOL, TYPE_BYTE, TYPE_PID, TYPE_SHORT, TYPE_INT, TYPE_UNSIGNED, TYPE_MTYPE, TYPE_CHAN,
                 TYPE_STRUCT };

/* A typedef. Its fields are variables without owner. */
struct user_type { const char *name; struct pos pos; var_list fields; };

/* The type of one field of a message, or of a variable. */
struct type {
    enum base_type base;
    int bits;                   /* TYPE_UNSIGNED: its width */
    struct user_type *user;     /* TYPE_STRUCT */
    const char *mtype_set;      /* TYPE_MTYPE: the set's name, or NULL for plain mtype */
};

/* [capacity] of { type, type } */
struct channel_type { int capacity; VEC(struct type) fields; struct pos pos; };

struct var {
    const char *name;           /* as written */
    const char *c_name;         /* as c_code calls it: "_5_1_x" if it is in an inner block */
    struct pos pos;
    struct type type;
    bool is_array;
    int length;                 /* 1 unless is_array */
    bool hidden, show, local;   /* the prefixes of the declaration */
    bool is_parameter;
    bool is_for_counter;        /* made by the parser for `for (x in channel)` */
    struct proctype *owner;     /* NULL: global, or a field of a typedef */
    int scope;                  /* number of the block it is declared in, unique in the program; 0: body of owner */
    bool hoisted;               /* declared at the head of its proctype, before any statement: no STMT_DECL sets it */
    struct expr *init;          /* scalar initialiser, or NULL. Kept also when the declaration became a statement */
    expr_list array_init;       /* = { c, c, ... } */
    struct channel_type *channel; /* = [n] of {...}, or NULL */
    int index;                  /* position in its owner's `vars`, the program's `globals` or the typedef's `fields` */
    bool assigned;              /* some statement writes it: assignment, receive, for, select */
    bool claimed;               /* an xr or xs names it */
    bool remote_read;           /* some P:var or P[i]:var reads it */
    void *backend;              /* free for later stages */
};

enum expr_kind {
    EXPR_CONST,      /* value (mtype constants carry their name in `text`) */
    EXPR_VAR,        /* ref */
    EXPR_BLANK,      /* _ as an argument of a receive, or as the target of an assignment */
    EXPR_UNARY,      /* op, a: ! ~ - */
    EXPR_BINARY,     /* op, a, b */
    EXPR_CONDITIONAL,/* (a -> b : c) */
    EXPR_RUN,        /* proctype, args, priority (0: default) */
    EXPR_LEN, EXPR_FULL, EXPR_EMPTY, EXPR_NFULL, EXPR_NEMPTY, /* a: the channel */
    EXPR_POLL,       /* a: channel, args, random: ch?[..] or ch??[..] */
    EXPR_EVAL,       /* a; only as an argument of a receive or poll */
    EXPR_ENABLED, EXPR_PC_VALUE, EXPR_GET_PRIORITY, /* a: the pid */
    EXPR_TIMEOUT, EXPR_NONPROGRESS,                 /* timeout, np_ */
    EXPR_PID, EXPR_LAST, EXPR_NR_PR, EXPR_PRIORITY, /* _pid _last _nr_pr _priority */
    EXPR_REMOTE_LABEL, /* proctype, a: pid or NULL, label */
    EXPR_REMOTE_VAR,   /* proctype, a: pid or NULL, ref (into the proctype's variables) */
    EXPR_C_CODE,       /* c_expr { text }; a: NULL; text; precondition in `text2` ([..] part) or NULL */
    EXPR_ALWAYS, EXPR_EVENTUALLY, EXPR_NEXT,                        /* a; only in ltl formulas */
    EXPR_UNTIL, EXPR_WEAK_UNTIL, EXPR_RELEASE, EXPR_IMPLIES, EXPR_EQUIVALENT, /* a, b; only in ltl formulas */
};

enum op { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_AND, OP_OR, OP_BITAND, OP_BITOR, OP_BITXOR, OP_SHL, OP_SHR, OP_LT,
          OP_LE, OP_GT, OP_GE, OP_EQ, OP_NE, OP_NOT, OP_COMPLEMENT, OP_NEGATE };

/* x, x[i], x.f[i].g: one part per name. */
struct ref_part { struct var *var; struct expr *index; /* NULL unless an array */ };
struct ref { VEC(struct ref_part) parts; };

struct label {
    const char *name;
    struct pos pos;
    struct proctype *owner;
    struct stmt *stmt;
    bool remote;   /* some P@label refers to it */
    void *backend; /* free for later stages */
};

struct expr {
    enum expr_kind kind;
    struct pos pos;
    enum op op;
    int value;                  /* EXPR_CONST; EXPR_RUN: priority */
    struct expr *a, *b, *c;
    expr_list args;
    struct ref ref;
    struct proctype *proctype;
    struct label *label;
    bool random;                /* EXPR_POLL: ?? */
    const char *text, *text2;
};

enum stmt_kind {
    STMT_EXPR,       /* a as a condition; `skip` is the constant 1 */
    STMT_ASSIGN,     /* ref (or blank) = a. x++ and x-- come as x = x + 1, x = x - 1 */
    STMT_DECL,       /* a declaration that is a statement: var; assigns its init or 0. As in Spin it sets only element 0
                      * of an array and nothing of a typedef variable, but is a step all the same */
    STMT_SEND,       /* channel a, args, sorted: ! or !! */
    STMT_RECEIVE,    /* channel a, args; random: ??; peek: ?<..> */
    STMT_IF, STMT_DO,/* options */
    STMT_GOTO,       /* label */
    STMT_BREAK,
    STMT_ATOMIC, STMT_D_STEP, STMT_BLOCK, /* body */
    STMT_UNLESS,     /* body (one or more statements), escape; body_block, escape_block */
    /* A label in front of for and select names the loop after the first assignment, as in Spin. */
    STMT_FOR_RANGE,  /* for (ref : a .. b) body */
    STMT_FOR_ARRAY,  /* for (ref in array), array_ref; body */
    STMT_FOR_CHANNEL,/* for (ref in channel a), counter var; body */
    STMT_SELECT,     /* select (ref : a .. b); select_literal */
    STMT_ASSERT,     /* a */
    STMT_PRINTF,     /* text with escapes decoded, args; text2: as written */
    STMT_PRINTM,     /* a */
    STMT_ELSE,
    STMT_C_CODE,     /* text, precondition text2 or NULL */
    STMT_SET_PRIORITY, /* a: pid, b: value; text: not NULL if written as _priority = b */
};

struct stmt {
    enum stmt_kind kind;
    struct pos pos;
    VEC(struct label *) labels;  /* in front of it, outermost first */
    struct expr *a, *b;
    struct ref ref;
    struct var *var;
    expr_list args;
    bool sorted, random, peek, blank_target;
    struct label *label;         /* STMT_GOTO */
    stmt_list body, escape;
    VEC(stmt_list) options;      /* in the order written; `else` may stand anywhere */
    const char *text, *text2;
    bool from_inline;            /* STMT_BLOCK: the body of an inline call */
    bool body_block, escape_block; /* STMT_UNLESS: written as { .. }, which changes Spin's numbering of states */
    bool select_literal;         /* Spin's lexer would rewrite this select, see doc/promela.md */
    struct ref array_ref;
    void *backend;
};

enum proctype_kind { PROC_PROCTYPE, PROC_INIT, PROC_NEVER, PROC_TRACE, PROC_NOTRACE };

struct proctype {
    enum proctype_kind kind;
    const char *name;            /* "init" for init; never claims as Spin names them */
    struct pos pos;
    bool deterministic;          /* D_proctype */
    int active;                  /* number of instances at the start; 1 for init */
    int priority;                /* 0: none given */
    struct expr *provided;
    var_list vars;               /* parameters first, then all locals of all blocks in order of declaration */
    int parameter_count;
    stmt_list body;
    VEC(struct label *) labels;
    int index;                   /* in `proctypes` */
    void *backend;
};

struct ltl { const char *name; struct expr *formula; struct pos pos; const char *text; /* as written */ };
struct mtype_set { const char *name; /* "_unnamed_" for plain mtype, as Spin prints it */ VEC(const char *) names;
                   VEC(int) values; };

/* xr / xs: the process holds the exclusive right to receive from or send to the channel. */
struct exclusive { struct proctype *proctype; struct expr *channel; bool receive; struct pos pos; };

/* c_code and c_decl outside of proctypes, c_state and c_track, in the order written. */
enum c_unit_kind { C_UNIT_CODE, C_UNIT_DECL, C_UNIT_STATE, C_UNIT_TRACK };
struct c_unit { enum c_unit_kind kind; struct pos pos; const char *text; /* code, or the first string */
                const char *scope; /* c_state: second string; c_track: size */
                const char *init; /* third string or NULL */ };

/* What the program is made of, in the order written. */
enum unit_kind { UNIT_VAR, UNIT_TYPEDEF, UNIT_MTYPE, UNIT_PROCTYPE, UNIT_C };
struct unit { enum unit_kind kind; size_t index; /* in globals, user_types, mtypes, proctypes or c_units */
              size_t first, count; /* UNIT_MTYPE: which of the set's names it declares */ };

struct program {
    struct arena arena;
    const char *path;
    char *preprocessed;          /* the text that was parsed */
    var_list globals;
    VEC(struct user_type *) user_types;
    VEC(struct mtype_set *) mtypes;
    VEC(struct proctype *) proctypes; /* in order of declaration, with init, never, trace and notrace in their place */
    VEC(struct unit) units;
    VEC(struct ltl *) ltl;
    VEC(struct exclusive) exclusives;
    VEC(struct c_unit) c_units;
    bool uses_last, uses_priority, uses_enabled, uses_pc_value, uses_timeout, uses_np, uses_provided, uses_unless,
        uses_c_code;
};

struct promela_options {
    const char *const *defines;  /* "NAME" or "NAME=V", as after -D */
    size_t define_count;
    const char *no_c_code;       /* c_code and its kin are an error, of which these are the words; NULL: they are not */
    const char *const *formulas; /* more ltl properties, beside those of the text: named formula_1, formula_2, ... */
    size_t formula_count;
    const struct limits *limits; /* of the preprocessor; may be NULL */
};

/* NULL if there was an error; warnings do not prevent a tree. */
struct program *promela_parse(const char *path, const struct promela_options *options, struct diags *diags);
/* The same for text in memory (no preprocessing if it has no directive); for fuzzing and tests. */
struct program *promela_parse_text(const char *path, const char *text, size_t len,
                                   const struct promela_options *options, struct diags *diags);
void promela_free(struct program *p);

/* Text of an expression or statement as Spin prints it in traces, e.g. "(x==1)", "ch!3,y". */
void promela_print_expr(const struct expr *e, struct str *out);
void promela_print_stmt(const struct stmt *s, struct str *out);
/* The whole program in a form that reads back in: inlines and macros expanded, names qualified where blocks need it. */
void promela_print(const struct program *p, FILE *out);

/* ---- automata ----
 *
 * A control state is a place between statements; an edge is one statement that can be executed there. Control states
 * and edges carry the numbers that Spin gives them, because its .trail files and pc_value() speak in those numbers and
 * because the number of stored states depends on which places count as states: `goto` and `break` are passed through
 * on the way to the next statement, except where they are all that an option consists of; a declaration inside a block
 * is an assignment and therefore a step; a label in front of `goto` is a place of its own.
 * Memory belongs to the arena of the program. */
enum edge_kind {
    EDGE_SKIP,   /* goto, break, skip: no effect */
    EDGE_ELSE,   /* executable if no other edge of the state is */
    EDGE_STMT,   /* one basic statement */
    EDGE_D_STEP, /* stmt is the d_step */
    EDGE_END,    /* the process dies, if it is the youngest */
};

struct edge {
    enum edge_kind kind;
    struct stmt *stmt;    /* NULL for EDGE_END, and for EDGE_SKIP where a selection or a loop is left */
    struct pos pos;
    int spin_id;
    int from, to;         /* to is 0 for EDGE_END */
    bool keeps_atomic;    /* afterwards the process still has the exclusive right to move */
    int escape;           /* from `unless`: state whose edges these are; edges of one escape exclude all later ones */
    const char *text;
    int id;               /* unique in the whole model */
};

struct control {
    VEC(struct edge) edges;
    bool end, accept, progress;
    bool needs_reaching;  /* listed as unreached if no execution comes here */
    struct pos pos;       /* of the statement that gave the state its number */
    const char *text;
    bool inside_atomic;
};

struct automaton {
    struct proctype *proctype;
    int initial;
    int final;            /* the state in which the process waits to die */
    int count;            /* states are 1 .. count-1 */
    struct control *at;
};

/* Control state that stands for a label in pc comparisons (P@label). */
int flow_label_state(const struct label *l);

struct flow {
    VEC(struct automaton) automata; /* by index of the proctype */
    int edge_count;
};

/* False if an error was reported. */
bool flow_build(struct program *p, struct flow *flow, struct diags *diags);
void flow_release(struct flow *flow);
void flow_print(const struct flow *flow, FILE *out);

#endif
