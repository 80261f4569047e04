/* The only file that knows how BuDDy fails and grows.
 *
 * BuDDy keeps its state in globals and calls hooks without an argument, so the one structure in use is known here.
 * A node takes 20 bytes; with one entry (24 bytes) in each of six caches per four nodes some 56 bytes per node. */
#include "symbolic/bdds.h"

#include "base/limits.h"

#include <stdlib.h>

enum { BYTES_PER_NODE = 56, FIRST_NODES = 60000, CACHE_RATIO = 4 };
static const size_t default_memory = (size_t)4 << 30;

static struct bdds *in_use;

static void leave(enum cut why) { longjmp(in_use->escape, (int)why); }

static void on_error(int code)
{
    if (code == BDD_MEMORY || code == BDD_NODENUM) leave(CUT_MEMORY);
    BUG("BuDDy: %s", bdd_errstring(code));
}

static void check_limits(void)
{
    if (limits_interrupted()) leave(CUT_INTERRUPT);
    if (in_use->deadline && seconds_now() > in_use->deadline) leave(CUT_TIME);
    if (progress_due(&in_use->progress))
        progress_show(&in_use->progress, "%s, round %d: %d BDD nodes, %zu MB", in_use->phase, in_use->round,
                      bdd_getnodenum(), memory_resident() >> 20);
    if (!in_use->most_work) return;
    bddStat stat;
    bdd_stats(&stat);
    if (stat.produced > in_use->most_work) leave(CUT_WORK);
}

static void on_collection(int before, bddGbcStat *stat)
{
    (void)before, (void)stat;
    check_limits();
}

static void on_resize(int before, int after) { (void)before, (void)after; }

void bdds_start(struct bdds *b, int vars, size_t memory, double deadline)
{
    size_t most = (memory ? memory : default_memory) / BYTES_PER_NODE;
    if (most > 1000000000) most = 1000000000;
    int first = (int)MIN((size_t)FIRST_NODES, MAX(most, (size_t)1000));
    in_use = b;
    b->deadline = deadline;
    if (bdd_init(first, first / CACHE_RATIO) < 0) leave(CUT_MEMORY);
    bdd_error_hook(on_error);
    bdd_gbc_hook(on_collection);
    bdd_resize_hook(on_resize);
    bdd_setmaxincrease(50000000);
    bdd_setmaxnodenum((int)MAX(most, (size_t)first));
    bdd_setcacheratio(CACHE_RATIO);
    bdd_setvarnum(MAX(vars, 1));
}

/* The copies of one program variable move together. */
void bdds_reorder(struct bdds *b, const int *first_of_block, size_t blocks, int vars)
{
    (void)b;
    for (size_t i = 0; i < blocks; i++) {
        int last = i + 1 < blocks ? first_of_block[i + 1] - 1 : vars - 1;
        if (last > first_of_block[i]) bdd_intaddvarblock(first_of_block[i], last, BDD_REORDER_FIXED);
    }
    bdd_autoreorder(BDD_REORDER_SIFT);
}

void bdds_stop(struct bdds *b)
{
    for (size_t i = 0; i < b->pairs.len; i++) bdd_freepair(b->pairs.at[i]);
    vec_release(&b->pairs);
    vec_release(&b->temps);
    progress_clear(&b->progress);
    if (bdd_isrunning()) bdd_done();
    in_use = NULL;
}

const char *cut_text(enum cut cut)
{
    switch (cut) {
    case CUT_MEMORY: return "out of memory (--memory)";
    case CUT_TIME: return "out of time (--time)";
    case CUT_INTERRUPT: return "interrupted";
    case CUT_WORK: return "too much work";
    case CUT_NONE: break;
    }
    BUG("cut %d", (int)cut);
}

size_t b_mark(const struct bdds *b) { return b->temps.len; }

void b_release(struct bdds *b, size_t mark)
{
    while (b->temps.len > mark) bdd_delref(vec_pop(&b->temps));
}

BDD b_keep(struct bdds *b, BDD x)
{
    vec_push(&b->temps, bdd_addref(x));
    check_limits();
    return x;
}

void b_set(BDD *cell, BDD x)
{
    bdd_addref(x);
    bdd_delref(*cell);
    *cell = x;
}

long b_nodes(void) { return bdd_getnodenum(); }

BDD b_cube(struct bdds *b, const int *vars, size_t n)
{
    BDD cube = bddtrue;
    for (size_t i = 0; i < n; i++) cube = b_and(b, cube, bdd_ithvar(vars[i]));
    return cube;
}

bddPair *b_pair(struct bdds *b, const int *from, const int *to, size_t n)
{
    bddPair *pair = bdd_newpair();
    vec_push(&b->pairs, pair);
    for (size_t i = 0; i < n; i++) bdd_setpair(pair, from[i], to[i]);
    return pair;
}
