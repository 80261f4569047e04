/* Inside src/symbolic: BuDDy with an owner for every reference, and a way out when a limit is hit.
 *
 * Results of b_and() and friends are protected until b_release(mark); what must live longer is put into a cell with
 * b_set(). When memory or time runs out, or the user interrupts, control jumps to `escape`; after that only
 * bdds_stop() may be called. */
#ifndef HEDDLE_SYMBOLIC_BDDS_INT_H
#define HEDDLE_SYMBOLIC_BDDS_INT_H

#include "base/limits.h"
#include "base/progress.h"

#include <bdd.h>
#include <setjmp.h>

enum cut { CUT_NONE, CUT_MEMORY, CUT_TIME, CUT_INTERRUPT, CUT_WORK, CUT_VARIABLES, CUT_CHOICES };

enum { MOST_BDD_VARIABLES = (1 << 21) - 1 }; /* of BuDDy */

struct known_pair { uint64_t hash; size_t n; int *lists; bddPair *pair; }; /* lists: from, then to */

struct bdds {
    jmp_buf escape;
    const struct limits *limits; /* may be NULL */
    unsigned asked;  /* for the limits */
    int reorder_at;  /* so many nodes in use: time for another order; 0: never */
    long most_work;  /* nodes ever made, 0: no limit; unlike time the same in every run */
    bool much_work;  /* is expected: large tables from the start */
    struct progress progress;
    const char *phase; /* for the progress line */
    int round;
    VEC(BDD) temps;
    VEC(struct known_pair) pairs;
};

/* escape, limits and much_work are set. */
void bdds_start(struct bdds *b, int vars);
/* Blocks of variables that move together; always: reorder them again and again, otherwise when there are many nodes. */
void bdds_reorder(struct bdds *b, const int *first_of_block, size_t blocks, int vars, bool always);
void bdds_stop(struct bdds *b);
bool bdds_usable(void); /* started and not out of memory */
const char *cut_text(enum cut cut);
enum limit cut_limit(enum cut cut);
/* Before something outside of BuDDy takes long or takes memory: leaves if it may not. */
void b_ask(struct bdds *b);
void b_need(struct bdds *b, size_t count, size_t size);
void b_leave(struct bdds *b, enum cut why) __attribute__((noreturn));

size_t b_mark(const struct bdds *b);
void b_release(struct bdds *b, size_t mark);
BDD b_keep(struct bdds *b, BDD x); /* protects the result of a plain BuDDy call; also checks the limits */
void b_set(BDD *cell, BDD x);
long b_nodes(void); /* in use now */
long b_made(void);  /* nodes ever made; the same in every run */

static inline BDD b_and(struct bdds *b, BDD x, BDD y) { return b_keep(b, bdd_and(x, y)); }
static inline BDD b_or(struct bdds *b, BDD x, BDD y) { return b_keep(b, bdd_or(x, y)); }
static inline BDD b_diff(struct bdds *b, BDD x, BDD y) { return b_keep(b, bdd_apply(x, y, bddop_diff)); }
static inline BDD b_not(struct bdds *b, BDD x) { return b_keep(b, bdd_not(x)); }
static inline BDD b_same(struct bdds *b, BDD x, BDD y) { return b_keep(b, bdd_biimp(x, y)); }
static inline BDD b_exist(struct bdds *b, BDD x, BDD vars) { return b_keep(b, bdd_exist(x, vars)); }
static inline BDD b_product(struct bdds *b, BDD x, BDD y, BDD vars) { return b_keep(b, bdd_relprod(x, y, vars)); }
static inline BDD b_rename(struct bdds *b, BDD x, bddPair *pair) { return b_keep(b, bdd_replace(x, pair)); }

/* A set of variables as a cube; a renaming from[i] -> to[i], owned by b, the same one for the same lists. */
BDD b_cube(struct bdds *b, const int *vars, size_t n);
bddPair *b_pair(struct bdds *b, const int *from, const int *to, size_t n);

/* BuDDy's allocations, which it does not always check: the Makefile makes it call these, and they jump to `escape`. */
void *bdds_malloc(size_t size);
void *bdds_calloc(size_t count, size_t size);
void *bdds_realloc(void *p, size_t size);

#endif
