/* Concurrent Boolean programs: text in, checked control-flow graphs out.
 *
 * A program is a set of procedures (graphs of nodes and edges over Boolean variables) and a fixed list of threads.
 * One edge is one step of a thread. Promises, once boolprog_parse() has returned a program:
 *   - every name is resolved, arities agree, every thread that can ever run is in `threads`;
 *   - a node that lies inside an atomic section says so; procedures called from inside one are copies of their own;
 *   - a spawn is an ordinary step that sets a hidden shared variable (`started`) and copies the arguments.
 * Everything is owned by the program and freed by boolprog_free(). */
#ifndef HEDDLE_BOOLPROG_H
#define HEDDLE_BOOLPROG_H

#include "base/diag.h"
#include "base/limits.h"

typedef VEC(int) int_list;

enum bp_op {
    EXPR_CONST,
    EXPR_VAR,
    EXPR_NEXT,
    EXPR_STAR,
    EXPR_NOT,
    EXPR_AND,
    EXPR_OR,
    EXPR_XOR,
    EXPR_EQ,
    EXPR_IMP,
    EXPR_ITE
};

/* CONST: a is 0 or 1. VAR and NEXT (the value after the step): a is a variable. Otherwise operands are expressions. */
struct bp_expr { enum bp_op op; int a, b, c, depth; };

struct bp_var {
    const char *name;
    int proc;    /* the procedure as written in the source, -1: shared */
    int slot;    /* index among the shared variables, or among the locals of its procedure */
    int init;    /* shared: 0, 1, or -1 for either */
    bool hidden; /* made by us: started flags and thread arguments */
    struct pos pos;
};

enum bp_kind { EDGE_STEP, EDGE_CALL, EDGE_RETURN, EDGE_SPAWN /* before linking only */ };

struct bp_assign { int var, value; };

struct bp_edge {
    enum bp_kind kind;
    int from, to;      /* nodes; RETURN: to is -1 */
    int guard;         /* expression that must hold, -1: none */
    int assertion;     /* expression that must not be false, -1: none */
    int constrain;     /* expression over values before and after, -1: none */
    VEC(struct bp_assign) assigns;
    int callee;        /* CALL */
    int_list args;     /* CALL: expressions */
    int_list results;  /* CALL: variables that take the results; empty: results are dropped */
    int_list values;   /* RETURN: expressions */
    int spawn;         /* STEP: the thread that it starts, -1: none */
    int atomic;        /* +1 enters an atomic section, -1 leaves it */
    const char *target; /* name of the callee, or of the label of `start_thread goto` */
    bool spawn_label;
    struct pos pos;
    const char *text;  /* the statement as written */
};

struct bp_node {
    int proc;
    bool atomic; /* no switch to another thread here */
    int_list out;
    VEC(const char *) labels;
    struct pos pos;
};

struct bp_proc {
    const char *name;
    int source;      /* index of the procedure as written; copies share it and its variables */
    int_list params, locals; /* locals: all variables of a frame, parameters first */
    int results, entry;
    int enforce;     /* expression assumed at every step, -1: none */
    bool from_label; /* starts at a label, all locals are parameters */
    struct pos pos;
};

struct bp_thread {
    const char *name;
    int proc;
    int started;    /* hidden shared variable, -1: runs from the start */
    int_list args;  /* hidden shared variables that hold its arguments; empty: arguments are arbitrary */
};

struct bp_program {
    struct arena arena;
    const char *file;
    VEC(struct bp_var) vars;
    VEC(struct bp_expr) exprs;
    VEC(struct bp_node) nodes;
    VEC(struct bp_edge) edges;
    VEC(struct bp_proc) procs;
    VEC(struct bp_thread) threads;
    int_list shared;     /* the shared variables */
    int init;            /* procedure that runs alone before the threads, -1: none */
    int starts_limited;  /* > 0: a spawn in a loop starts at most so many threads (--threads) */
};

/* text: NUL-terminated. Returns NULL if there were errors, all of them in d. spawn_limit: see --threads, 0: none. */
struct bp_program *boolprog_parse(const char *file, const char *text, int spawn_limit, struct diags *d);
/* The same within limits: when one is reached it is in *cut, the result is NULL, and d means nothing. */
struct bp_program *boolprog_parse_within(const char *file, const char *text, int spawn_limit,
                                         const struct limits *limits, enum limit *cut, struct diags *d);
enum { BOOLPROG_MOST_TEXT = 256 << 20 }; /* bytes: lines, columns and indices are ints */
void boolprog_free(struct bp_program *p);

/* Prints a program that reads back in and behaves the same. */
void boolprog_print(const struct bp_program *p, FILE *out);
/* Prints the sequential program that simulates k rounds of the threads (the reduction of the CBA paper, Fig. 1).
 * An error of p within k rounds is a failing assertion of it. labels: error labels, NULL-terminated. */
void boolprog_print_sequential(const struct bp_program *p, int k, const char *const *labels, FILE *out);

/* labels: NULL-terminated. Which of them the node has, NULL: none. */
const char *boolprog_error_label(const struct bp_program *p, int node, const char *const *labels);
bool boolprog_is_error_node(const struct bp_program *p, int node, const char *const *labels);
bool boolprog_has_label(const struct bp_program *p, const char *label);
bool boolprog_is_recursive(const struct bp_program *p);
bool *boolprog_recursive(const struct bp_program *p); /* by procedure: it can be called from itself. Caller frees */
/* Locals that may be read before they are written, per node and variable: live[node * vars + var]. Caller frees.
 * NULL if a limit was reached. */
bool *boolprog_liveness(const struct bp_program *p, const struct limits *limits);
/* Every variable that occurs in an expression, appended to out, with repetitions. */
void boolprog_expr_vars(const struct bp_program *p, int expr, int_list *out);

/* What every analysis relies on; builders of programs call it at the end. */
void boolprog_assert_valid(const struct bp_program *p);

/* For builders of programs (the parser, pushdown systems, tests). */
int bp_expr_new(struct bp_program *p, enum bp_op op, int a, int b, int c);
int bp_const(struct bp_program *p, bool value);
int bp_and(struct bp_program *p, int a, int b); /* -1 stands for true */
int bp_var_new(struct bp_program *p, const char *name, int proc, struct pos pos);
int bp_node_new(struct bp_program *p, int proc, struct pos pos);
int bp_edge_new(struct bp_program *p, enum bp_kind kind, int from, int to, struct pos pos);

#endif
