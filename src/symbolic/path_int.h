/* Inside src/symbolic: from relations back to one run.
 *
 * border.c chooses the shared states at the borders of all contexts of all threads; path.c finds, for one thread and
 * its borders, the steps in between; witness.c puts them together to a script, which the interpreter executes. */
#ifndef HEDDLE_SYMBOLIC_PATH_INT_H
#define HEDDLE_SYMBOLIC_PATH_INT_H

#include "symbolic/rounds_int.h"
#include "symbolic/script_int.h"

/* Shared states at the borders of one thread's contexts: [context][shared slot]. */
struct borders { int contexts; uint8_t **in, **out; };

struct path_item { int edge, context; uint8_t *after; /* by program variable: shared, and locals then on top */ };
struct path {
    VEC(struct path_item) items;
    uint8_t *locals; /* at the thread's start, by variable; NULL: it never ran */
};

void borders_init(struct borders *b, int contexts, size_t shared);
void borders_release(struct borders *b);
/* For all threads, so that thread hit->thread gets to the error. goal: a full assignment of the error fact. */
void choose_borders(struct rounds *r, const struct hit *hit, const uint8_t *goal, struct borders *all);

/* The fact in which the path ends: node -1 stands for any node where the thread may be interrupted. */
struct path_goal { int node, entered; BDD condition; };
void find_path(struct rounds *r, int thread, const struct borders *b, const struct path_goal *goal, struct path *out);
void symbolic_path_release(struct path *p);

/* Some assignment that satisfies x (not false), by BDD variable; variables that do not matter are 0. */
void pick_assignment(BDD x, uint8_t *value);
BDD fix_shared(struct encoding *e, enum copy kind, int context, const uint8_t *values);
void get_shared(const struct encoding *e, enum copy kind, int context, const uint8_t *assignment, uint8_t *values);

void find_witness(struct rounds *r, const struct hit *hit, struct bp_run *run);

#endif
