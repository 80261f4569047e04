/* Inside src/symbolic: a Boolean program as BDDs.
 *
 * Every program variable has a group of neighbouring BDD variables. For a shared variable: its value now and after the
 * step, its value when the procedure was entered, and per context i the values when the thread's context i started
 * (in), when it ended (out), and a third copy (aux) in which relations of several threads are composed. For a local:
 * now and after; a parameter also at entry and as an argument on its way into a callee. Locals of different procedures
 * share their BDD variables, see layout.c. */
#ifndef HEDDLE_SYMBOLIC_ENCODING_INT_H
#define HEDDLE_SYMBOLIC_ENCODING_INT_H

#include "boolprog/boolprog.h"
#include "symbolic/bdds_int.h"

/* A step inside a procedure: new = rename(exists quant. old and rel). */
struct step_rel { int from, to, edge; BDD rel, quant; bddPair *rename; };

/* A call site; `edge` is -1 for the start of a thread. */
struct call_site {
    int from, to, callee, edge;
    BDD args;        /* guard, and arg = value of the argument */
    BDD enter_quant; /* everything of the caller's frame */
    BDD results;     /* next of the result variables = returned values */
    BDD drop;        /* next of shared variables that take a result: the callee's values do not count */
    BDD back_quant;
    bddPair *back_rename;
};

struct return_rel { int from, edge, proc; BDD rel, quant; };
struct error_rel { int node, edge; BDD bad; }; /* edge -1: a label */

/* What pulls variables together in the order; by thread: for joint states, each thread in one piece. */
enum order_kind { ORDER_BY_ASSIGNMENT, ORDER_BY_STATEMENT, ORDER_BY_THREAD };
struct order_choice { enum order_kind kind; bool reorder; };

struct local_slot { int now, next, entry, arg; };

struct encoding {
    struct bdds *b;
    const struct bp_program *p;
    int contexts, var_count;
    struct bp_liveness live;
    int *now, *next, *entry, *arg; /* by variable, -1: none */
    struct local_slot *slots;  /* by slot of locals: the same, for all procedures */
    int slot_count;
    int *in, *out, *aux;       /* by shared slot * contexts + context (from 0) */
    int *ret;                  /* by number of the result */
    int *choice, choice_count; /* nondeterministic choices of one step */
    int_list block_starts;
    VEC(struct step_rel) steps;
    VEC(struct call_site) sites;
    VEC(struct return_rel) returns;
    VEC(struct error_rel) errors;
    BDD *entered;              /* by procedure: entry values = present values */
    BDD now_shared, not_now_shared; /* as cubes */
    bddPair *arg_to_now, *summary_pair; /* summary_pair: entry -> now, parameter entry -> arg, now -> next */
    BDD initial;               /* shared variables now, before everything */
};

/* layout.c */
size_t most_stars(const struct bp_program *p);
size_t encoding_most_variables(const struct bp_program *p, int contexts); /* that the layout can take */
void encoding_layout_init(struct encoding *e, enum order_kind kind);
void encoding_layout_release(struct encoding *e);

/* order.c: items are whatever becomes a block of neighbouring BDD variables. */
struct order_map { const int *item; int first_result, extra; }; /* by variable; -1: none; extra: in every relation */
struct relations { const struct bp_program *p; VEC(int_list) list; };
void relations_add_edge(struct relations *r, const struct bp_edge *x, enum order_kind kind, const struct order_map *m);
void relations_add_pair(struct relations *r, int x, int y);
void relations_order(struct relations *r, int items, int *order); /* order[i]: the item at place i; releases r */

/* labels: error labels. The program must outlive the encoding. Needs bdds_start() to have been called by it. */
void encoding_init(struct encoding *e, struct bdds *b, const struct bp_program *p, int contexts,
                   const char *const *labels, struct order_choice order);
void encoding_release(struct encoding *e);

/* Call site of a thread's start (thread == threads.len: of init); nodes are numbered behind the program's. */
void encoding_root_site(struct encoding *e, int thread, int from, int to, struct call_site *site);

/* One BDD variable per shared variable, in order of slots. */
enum copy { COPY_NOW, COPY_NEXT, COPY_ENTRY, COPY_IN, COPY_OUT, COPY_AUX };
void shared_copy(const struct encoding *e, enum copy kind, int context, int_list *out); /* appends */
BDD shared_equal(struct encoding *e, enum copy x, int x_context, enum copy y, int y_context);
/* True where all choices can be made so that the expression holds (-1: always), or so that the variable takes it. */
BDD expr_holds(struct encoding *e, int expr, const bool *written);
BDD var_takes(struct encoding *e, int bdd_var, int expr);
/* The expression with all its choices open, quantified: true where it can be `value`. */
BDD expr_can_be(struct encoding *e, int expr, bool value);
/* One point for every shared state in x, a set over now[] of the shared variables only. */
void points_list(const struct bp_program *p, const int *now, BDD x, int node, int round, struct arena *a,
                 explore_points *out);
/* Does x speak of nothing but what a fact of this context may: the borders so far, the entry, the present? Costly. */
bool encoding_is_fact(const struct encoding *e, BDD x, int context);

#endif
