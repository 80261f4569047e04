/* The only file that knows how BuDDy fails and grows.
 *
 * BuDDy keeps its state in globals and calls hooks without an argument, so the one structure in use is known here.
 * A node takes 20 bytes; with one entry (24 bytes) in each of six caches per four nodes some 56 bytes per node. */
#include "symbolic/bdds_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* With small caches one product can take a hundred times as long, and nothing but many nodes makes them grow; but
 * large ones take a twentieth of a second to make. */
enum { FIRST_NODES = 60000, MANY_NODES = 1000000 };
/* Before BuDDy reorders, and asks nobody meanwhile, it looks at every pair of variables for every node that is held. */
enum { BYTES_PER_NODE = 56, CACHE_RATIO = 4, MOST_INCREASE = 4000000, FIRST_REORDER = 500000, MOST_REORDERED = 500 };
static const size_t default_memory = (size_t)4 << 30;

static struct bdds *in_use;
static bool broken; /* an allocation failed: BuDDy's tables may be anything, and it is not touched any more */

void b_leave(struct bdds *b, enum cut why)
{
    assert(why != CUT_NONE);
    longjmp(b->escape, (int)why);
}

static void *given(void *p)
{
    if (p) return p;
    broken = true;
    if (!in_use) die("out of memory");
    b_leave(in_use, CUT_MEMORY);
}

void *bdds_malloc(size_t size) { return given(malloc(MAX(size, (size_t)1))); }
void *bdds_calloc(size_t count, size_t size) { return given(calloc(MAX(count, (size_t)1), MAX(size, (size_t)1))); }
void *bdds_realloc(void *p, size_t size) { return given(realloc(p, MAX(size, (size_t)1))); }

static void on_error(int code)
{
    if (code == BDD_MEMORY) broken = true;
    if (code == BDD_MEMORY || code == BDD_NODENUM) b_leave(in_use, CUT_MEMORY);
    BUG("BuDDy: %s", bdd_errstring(code));
}

static void leave_at(struct bdds *b, enum limit reached)
{
    switch (reached) {
    case LIMIT_NONE: return;
    case LIMIT_TIME: b_leave(b, CUT_TIME);
    case LIMIT_MEMORY: b_leave(b, CUT_MEMORY);
    case LIMIT_INTERRUPT: b_leave(b, CUT_INTERRUPT);
    }
}

void b_ask(struct bdds *b)
{
    bool look = ++b->asked % 1024 == 0; /* at the memory of the whole process */
    leave_at(b, look ? limits_reached_memory(b->limits) : limits_reached(b->limits));
}

void b_need(struct bdds *b, size_t count, size_t size)
{
    size_t memory = b->limits ? b->limits->memory : default_memory, bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > memory || memory_resident() > memory - bytes)
        b_leave(b, CUT_MEMORY);
    b_ask(b);
}

static void check_limits(void)
{
    assert(in_use);
    b_ask(in_use);
    if (progress_due(&in_use->progress))
        progress_show(&in_use->progress, "%s, round %d: %d BDD nodes, %zu MB", in_use->phase, in_use->round,
                      bdd_getnodenum(), memory_resident() >> 20);
    if (!in_use->most_work) return;
    if (b_made() > in_use->most_work) b_leave(in_use, CUT_WORK);
}

static void on_collection(int before, bddGbcStat *stat)
{
    (void)before, (void)stat;
    check_limits();
}

static void on_resize(int before, int after)
{
    assert(after >= before);
    check_limits();
}

/* most: that memory allows */
static size_t first_nodes(const struct bdds *b, size_t most)
{
    if (!b->much_work) return FIRST_NODES;
    return MAX((size_t)FIRST_NODES, MIN((size_t)MANY_NODES, most / 16));
}

void bdds_start(struct bdds *b, int vars)
{
    assert(!in_use && vars >= 0 && vars <= MOST_BDD_VARIABLES);
    size_t memory = b->limits ? b->limits->memory : default_memory, used = memory_resident();
    size_t most = (memory > used ? memory - used : 0) / BYTES_PER_NODE;
    if (most > 1000000000) most = 1000000000;
    int first = (int)MIN(first_nodes(b, most), MAX(most, (size_t)1000));
    in_use = b;
    if (broken) b_leave(b, CUT_MEMORY);
    if (bdd_init(first, first / CACHE_RATIO) < 0) b_leave(b, CUT_MEMORY);
    bdd_error_hook(on_error);
    bdd_gbc_hook(on_collection);
    bdd_resize_hook(on_resize);
    bdd_setmaxincrease(MOST_INCREASE);
    bdd_setmaxnodenum(MAX((int)most, bdd_getallocnum() + 1)); /* more than it has now, or it is an error */
    bdd_setcacheratio(CACHE_RATIO);
    bdd_setvarnum(MAX(vars, 1));
}

/* Called by BuDDy all the time while it reorders. */
static int on_probe(void)
{
    b_ask(in_use);
    return bdd_getnodenum();
}

void bdds_reorder(struct bdds *b, const int *first_of_block, size_t blocks, int vars, bool always)
{
    for (size_t i = 0; i < blocks; i++) {
        int last = i + 1 < blocks ? first_of_block[i + 1] - 1 : vars - 1;
        if (last > first_of_block[i]) bdd_intaddvarblock(first_of_block[i], last, BDD_REORDER_FIXED);
    }
    bdd_reorder_probe(on_probe);
    if (always) bdd_autoreorder(BDD_REORDER_SIFT);
    else if (bdd_varnum() <= MOST_REORDERED) b->reorder_at = FIRST_REORDER;
}

bool bdds_usable(void) { return bdd_isrunning() && !broken; }

void bdds_stop(struct bdds *b)
{
    for (size_t i = 0; i < b->pairs.len; i++) {
        if (!broken) bdd_freepair(b->pairs.at[i].pair);
        free(b->pairs.at[i].lists);
    }
    vec_release(&b->pairs);
    vec_release(&b->temps);
    b->reorder_at = 0;
    progress_clear(&b->progress);
    if (bdds_usable()) bdd_done();
    in_use = NULL;
}

const char *cut_text(enum cut cut)
{
    switch (cut) {
    case CUT_MEMORY: return "out of memory (--memory)";
    case CUT_TIME: return "out of time (--time)";
    case CUT_INTERRUPT: return "interrupted";
    case CUT_WORK: return "too much work";
    case CUT_VARIABLES: return "more than 2,097,151 BDD variables are needed";
    case CUT_CHOICES: return "too many choices of one step depend on each other";
    case CUT_NONE: break;
    }
    BUG("cut %d", (int)cut);
}

enum limit cut_limit(enum cut cut)
{
    switch (cut) {
    case CUT_MEMORY: return LIMIT_MEMORY;
    case CUT_TIME: return LIMIT_TIME;
    case CUT_INTERRUPT: return LIMIT_INTERRUPT;
    default: return LIMIT_NONE;
    }
}

size_t b_mark(const struct bdds *b) { return b->temps.len; }

void b_release(struct bdds *b, size_t mark)
{
    assert(mark <= b->temps.len);
    while (b->temps.len > mark) bdd_delref(vec_pop(&b->temps));
}

/* Nodes that nobody needs count as well, until they are collected. */
static void reorder(struct bdds *b)
{
    bdd_gbc();
    if (bdd_getnodenum() > b->reorder_at) bdd_reorder(BDD_REORDER_SIFT);
    b->reorder_at = MAX(b->reorder_at, 4 * MIN(bdd_getnodenum(), 100000000));
}

BDD b_keep(struct bdds *b, BDD x)
{
    assert(x >= 0); /* BuDDy's own errors are negative numbers */
    vec_push(&b->temps, bdd_addref(x));
    check_limits();
    if (b->reorder_at && bdd_getnodenum() > b->reorder_at) reorder(b);
    return x;
}

void b_set(BDD *cell, BDD x)
{
    assert(x >= 0 && *cell >= 0);
    bdd_addref(x);
    bdd_delref(*cell);
    *cell = x;
}

long b_nodes(void) { return bdd_getnodenum(); }

long b_made(void)
{
    bddStat stat;
    if (!bdds_usable()) return 0;
    bdd_stats(&stat);
    return stat.produced;
}

static int deepest_first(const void *x, const void *y)
{
    return bdd_var2level(*(const int *)y) - bdd_var2level(*(const int *)x);
}

static bool is_variable(int x) { return x >= 0 && x < bdd_varnum(); }

/* From the deepest variable up: each one is a node on top of what is there. */
BDD b_cube(struct bdds *b, const int *vars, size_t n)
{
    BDD cube = bddtrue;
    int *sorted = xmalloc((n + 1) * sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        assert(is_variable(vars[i])); /* -1: a copy that this variable does not have */
        sorted[i] = vars[i];
    }
    qsort(sorted, n, sizeof *sorted, deepest_first);
    for (size_t i = 0; i < n; i++) cube = b_and(b, bdd_ithvar(sorted[i]), cube);
    free(sorted);
    return cube;
}

static bool all_differ(const int *vars, size_t n)
{
    bool *seen = xcalloc((size_t)bdd_varnum() + 1, sizeof *seen), differ = true;
    for (size_t i = 0; i < n; i++) {
        differ &= !seen[vars[i]];
        seen[vars[i]] = true;
    }
    free(seen);
    return differ;
}

static bddPair *find_pair(const struct bdds *b, uint64_t hash, const int *from, const int *to, size_t n)
{
    for (size_t i = 0; i < b->pairs.len; i++) {
        const struct known_pair *k = &b->pairs.at[i];
        if (k->hash == hash && k->n == n && !memcmp(k->lists, from, n * sizeof *from) &&
            !memcmp(k->lists + n, to, n * sizeof *to))
            return k->pair;
    }
    return NULL;
}

bddPair *b_pair(struct bdds *b, const int *from, const int *to, size_t n)
{
    static const int none[1];
    if (!n) from = to = none;
    uint64_t hash = hash_bytes(to, n * sizeof *to, hash_bytes(from, n * sizeof *from, n));
    bddPair *known = find_pair(b, hash, from, to, n);
    if (known) return known;
    for (size_t i = 0; i < n; i++) assert(is_variable(from[i]) && is_variable(to[i]));
    assert_costly(all_differ(from, n) && all_differ(to, n)); /* or two variables would become one */
    /* a pair is a table of all variables */
    if (b->pairs.len % 64 == 0) b_need(b, 64 * (size_t)bdd_varnum(), sizeof(BDD));
    bddPair *pair = bdd_newpair();
    if (!pair) b_leave(b, CUT_MEMORY);
    struct known_pair k = {hash, n, xmalloc((2 * n + 1) * sizeof(int)), pair};
    memcpy(k.lists, from, n * sizeof *from);
    memcpy(k.lists + n, to, n * sizeof *to);
    vec_push(&b->pairs, k);
    for (size_t i = 0; i < n; i++) bdd_setpair(pair, from[i], to[i]);
    return pair;
}
