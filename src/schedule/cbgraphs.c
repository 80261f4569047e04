/* Bounded search over the execution graphs of weak memory: every graph whose cheapest execution is within the bound,
 * once. This is what CB-POR promises; its algorithm asks for the outcome of steps in states that were not run, and what
 * may be read there only the runtime knows. So this one goes forward only: depth first through the pairs of a graph and
 * the thread that moved last, each as cheaply as it was met. The graph decides what the program does next, so that a
 * pair that was met before, no dearer, leads to nothing new. A graph is closed when it is complete or all its steps
 * lead to closed ones, whatever they cost: no execution goes there again, so that each complete graph is run once.
 *
 * A graph is known by its hash: of its steps, each with the write that it read or the steps before it on its mutex or
 * the like, and of the order of the writes of each place. Preemptions and choices that pass over writes cost one each,
 * as everywhere. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct met { struct sched_hash key; uint32_t level; int cost; };
struct candidate { struct sched_op op; int thread; };
struct cb_node {
    size_t candidates_from, candidates;
    sched_set allowed;
    int last, surprises;
    bool only_ends;
};
struct written { uint64_t place; uint32_t step; }; /* in the order of the list; of each place, oldest first */
struct cbgraphs {
    struct met *slots;
    size_t mask, count;
    uint32_t level;
    bool full;
    STACK(struct cb_node) nodes;
    STACK(struct candidate) candidates;
    STACK(struct written) writes; /* of the graph at hand */
    STACK(struct written) touched; /* the same of mutexes and the like, in the order of the steps */
    bool after_global;            /* some step concerned all others: from there on the order counts */
    STACK(uint64_t) names;        /* of its steps: thread and index */
    struct sched_hash steps;      /* hash of its steps */
    size_t depth;                 /* how many */
    uint32_t indices[SCHED_MAX_THREADS];
    struct sched_pick next;       /* found while going back: to be taken first */
    bool has_next;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    __uint128_t m = (__uint128_t)(a ^ UINT64_C(0xa0761d6478bd642f)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static struct sched_hash with(struct sched_hash h, uint64_t x)
{
    uint64_t y = x ^ UINT64_C(0x589965cc75374cc3);
    return (struct sched_hash){mix(h.lo, x), mix(h.hi + UINT64_C(0x9e3779b97f4a7c15), y)};
}

/* ---- the graph at hand ---- */

static void graph_clear(struct cbgraphs *g)
{
    g->writes.len = g->touched.len = g->names.len = g->depth = 0;
    g->after_global = false;
    g->steps = (struct sched_hash){0, 0};
    memset(g->indices, 0, sizeof g->indices);
}

static bool is_access(const struct sched_op *op)
{
    return op->kind == SCHED_READ || op->kind == SCHED_WRITE || op->kind == SCHED_RMW || op->kind == SCHED_CAS;
}

/* What it touches beside memory, as in struct hb; memory that is not accessed atomically as one place counts as such,
 * too, in units that accesses do not cross. A global step touches all. */
static unsigned objects_of(const struct sched_op *op, uint64_t *out)
{
    unsigned count = 0;
    bool lonely = op->kind == SCHED_CREATE || op->kind == SCHED_JOIN || op->kind == SCHED_EXIT ||
                  op->kind == SCHED_YIELD || op->kind == SCHED_CHOOSE || op->kind == SCHED_END ||
                  op->kind == SCHED_LOCAL || op->kind == SCHED_NEVER || op->kind == SCHED_BARRIER_LEAVE;
    if (lonely || (is_access(op) && op->order))
        return 0;
    uint64_t tag = is_access(op) ? UINT64_C(1) << 62 : UINT64_C(1) << 63, unit = is_access(op) ? 16 : 1;
    if (op->object)
        out[count++] = op->object / unit * unit | tag;
    if (op->object2)
        out[count++] = op->object2 / unit * unit | tag;
    return count;
}

static bool reads(const struct sched_op *op) { return is_access(op) && op->kind != SCHED_WRITE; }
static bool writes(const struct sched_op *op, uint32_t choice)
{
    if (op->kind == SCHED_RMW && !op->order)
        return true;
    return op->kind == SCHED_WRITE || (reads(op) && op->kind != SCHED_READ && choice < 64 && op->updates & BIT(choice));
}

/* Where in the list a write goes that passes over so many of its place: behind the one that it would read. */
static size_t position(const struct cbgraphs *g, uint64_t place, uint32_t choice)
{
    size_t i = g->writes.len;
    for (uint32_t passed = 0; i > 0; i--)
        if (g->writes.at[i - 1].place == place && passed++ == choice)
            break;
    return i;
}

static uint64_t name_of(const struct cbgraphs *g, int thread)
{
    return (uint64_t)g->indices[thread] << 16 | (uint64_t)thread;
}

/* The last step on the object, 0: none. */
static uint64_t name_before(const struct cbgraphs *g, uint64_t object)
{
    for (size_t i = g->touched.len; i-- > 0;)
        if (g->touched.at[i].place == object)
            return g->names.at[g->touched.at[i].step] + 1;
    return 0;
}

static void graph_add(struct sched *s, struct cbgraphs *g, int thread, const struct sched_op *op, uint32_t choice)
{
    uint64_t name = name_of(g, thread), source = 0;
    size_t at = is_access(op) ? position(g, op->object, choice) : 0;
    if (reads(op) && at && g->writes.at[at - 1].place == op->object)
        source = g->names.at[g->writes.at[at - 1].step] + 1;
    struct sched_hash h = with(with((struct sched_hash){1, 2}, name), (uint64_t)op->kind << 32 | writes(op, choice));
    if (op->kind == SCHED_BARRIER_LEAVE && (op->flags & SCHED_FITS))
        h = with(h, UINT64_C(1) << 63); /* the first one, so that the others come after it */
    h = with(h, reads(op) ? source : is_access(op) ? 0 : (uint64_t)choice + 1);
    uint64_t objects[2];
    unsigned touched = objects_of(op, objects);
    for (unsigned i = 0; i < touched; i++)
        h = with(h, name_before(g, objects[i]));
    if (op->kind == SCHED_GLOBAL || g->after_global)
        h = with(with(h, g->steps.lo), g->steps.hi); /* all before it, and all after it */
    g->after_global |= op->kind == SCHED_GLOBAL;
    g->steps.lo ^= h.lo;
    g->steps.hi ^= h.hi;
    for (unsigned i = 0; i < touched; i++)
        stack_push(&s->pool, &g->touched, ((struct written){objects[i], (uint32_t)g->names.len}));
    if (writes(op, choice)) {
        stack_push(&s->pool, &g->writes, ((struct written){0, 0}));
        memmove(&g->writes.at[at + 1], &g->writes.at[at], (g->writes.len - 1 - at) * sizeof *g->writes.at);
        g->writes.at[at] = (struct written){op->object, (uint32_t)g->names.len};
    }
    stack_push(&s->pool, &g->names, name);
    g->indices[thread]++;
    g->depth++;
}

/* The order of the writes of each place: each with the one before it. Places are told apart by their first writes. */
static struct sched_hash graph_hash(const struct cbgraphs *g)
{
    struct sched_hash sum = g->steps;
    for (size_t i = 0; i < g->writes.len; i++) {
        size_t before = i;
        while (before > 0 && g->writes.at[before - 1].place != g->writes.at[i].place)
            before--;
        uint64_t previous = before ? g->names.at[g->writes.at[before - 1].step] + 1 : 0;
        struct sched_hash h = with(with((struct sched_hash){3, 4}, g->names.at[g->writes.at[i].step]), previous);
        sum.lo ^= h.lo;
        sum.hi ^= h.hi;
    }
    return sum;
}

static void graph_of_log(struct sched *s, struct cbgraphs *g, size_t depth)
{
    if (g->depth > depth)
        graph_clear(g);
    while (g->depth < depth) {
        const struct step *step = &s->log.at[g->depth];
        graph_add(s, g, step->thread, &step->op, step->choice);
    }
}

/* ---- what was met ---- */

static size_t find_slot(const struct cbgraphs *g, struct sched_hash key)
{
    size_t i = key.lo & g->mask;
    while (g->slots[i].level && (g->slots[i].key.lo != key.lo || g->slots[i].key.hi != key.hi))
        i = (i + 1) & g->mask;
    return i;
}

static bool make_room(struct sched *s, struct cbgraphs *g)
{
    size_t mask = g->mask ? g->mask * 2 + 1 : 1023;
    if (!pool_has_room(&s->pool, (mask + 1) * sizeof *g->slots)) {
        s->stats.stop = SCHED_STOP_MEMORY;
        g->full = true;
        return false;
    }
    struct met *old = g->slots;
    size_t old_mask = g->mask;
    g->slots = pool_alloc(&s->pool, (mask + 1) * sizeof *g->slots);
    g->mask = mask;
    for (size_t i = 0; old && i <= old_mask; i++)
        if (old[i].level)
            g->slots[find_slot(g, old[i].key)] = old[i];
    pool_free(&s->pool, old);
    return true;
}

enum { FOR_EVER = -1 };

/* It was met as cheaply at this level, or there is nothing new behind it at any. */
static bool was_met(const struct cbgraphs *g, struct sched_hash key, int cost)
{
    const struct met *m = &g->slots[find_slot(g, key)];
    return m->level && (m->cost == FOR_EVER || (m->level == g->level && m->cost <= cost));
}

static void note_met(struct sched *s, struct cbgraphs *g, struct sched_hash key, int cost)
{
    if (g->count * 2 >= g->mask && !make_room(s, g))
        return;
    struct met *m = &g->slots[find_slot(g, key)];
    g->count += !m->level;
    *m = (struct met){key, g->level, cost};
}

static struct sched_hash with_last(struct sched_hash graph, int thread) { return with(graph, (uint64_t)thread + 1); }

/* ---- the search ---- */

static int cost_of(const struct cb_node *n, const struct candidate *c, uint32_t choice)
{
    bool preempts = n->last >= 0 && n->last != c->thread && set_has(n->allowed, n->last) && !n->only_ends;
    return n->surprises + preempts + choice_cost(&c->op, choice);
}

/* A step from the node, whose graph is at hand, to something not met yet. */
static bool find_step(struct sched *s, struct cbgraphs *g, const struct cb_node *n, struct sched_pick *pick)
{
    size_t depth = g->depth;
    bool found = false;
    for (size_t i = 0; i < n->candidates && !found; i++) {
        const struct candidate c = g->candidates.at[n->candidates_from + i];
        for (uint32_t k = 0; k < op_choices(&c.op) && !found; k++) {
            uint32_t choice = nth_choice(&c.op, k);
            int cost = cost_of(n, &c, choice);
            graph_add(s, g, c.thread, &c.op, choice);
            struct sched_hash graph = graph_hash(g), pair = with_last(graph, c.thread);
            bool known = was_met(g, graph, 0) || was_met(g, pair, cost);
            if (!known && s->bound >= 0 && cost > s->bound)
                s->pruned |= !g->slots[find_slot(g, pair)].level;
            else
                found = !known;
            if (found) {
                *pick = pick_step(c.thread, choice);
                note_met(s, g, pair, cost);
            }
            graph_of_log(s, g, depth);
        }
    }
    return found;
}

static void cbgraphs_begin(struct sched *s)
{
    struct cbgraphs *g = s->own;
    if (!g) {
        g = s->own = pool_alloc(&s->pool, sizeof *g);
        make_room(s, g);
    }
    g->level++;
    g->nodes.len = g->candidates.len = 0;
    g->has_next = false;
    graph_clear(g);
    s->config.fair_bound = -1;
}

static struct sched_pick cbgraphs_pick(struct sched *s, const struct sched_view *view)
{
    struct cbgraphs *g = s->own;
    struct sched_pick pick;
    int last = sched_last(s), t;
    while (g->nodes.len < s->depth) { /* steps that the frame took by itself */
        struct cb_node forced = {.candidates_from = g->candidates.len};
        stack_push(&s->pool, &g->nodes, forced);
    }
    if (g->nodes.len == s->depth) {
        struct cb_node n = {.candidates_from = g->candidates.len, .allowed = fair_allowed(s, s->enabled), .last = last,
                            .surprises = surprises_so_far(s), .only_ends = s->only_ends};
        for (int i = -1; i < SCHED_MAX_THREADS; i++) {
            t = i < 0 ? last : i;
            if (t < 0 || !set_has(s->enabled, t) || (i >= 0 && t == last))
                continue;
            stack_push(&s->pool, &g->candidates, ((struct candidate){view->next[t], t}));
            n.candidates++;
        }
        stack_push(&s->pool, &g->nodes, n);
    }
    graph_of_log(s, g, s->depth);
    if (g->full)
        return pick_nothing(SCHED_PICK_STOP);
    if (g->has_next) {
        g->has_next = false;
        return g->next;
    }
    const struct cb_node n = g->nodes.at[s->depth];
    return find_step(s, g, &n, &pick) ? pick : pick_nothing(SCHED_PICK_REDUNDANT);
}

/* Where nobody can go on the graph is complete. */
static void cbgraphs_arrived(struct sched *s, const struct sched_view *view)
{
    struct cbgraphs *g = s->own;
    if (set_any(view->enabled) && !sched_is_cut(s))
        return;
    graph_of_log(s, g, s->depth);
    note_met(s, g, graph_hash(g), FOR_EVER);
}

static bool leads_to_closed(struct sched *s, struct cbgraphs *g, int thread, const struct sched_op *op, uint32_t choice)
{
    size_t depth = g->depth;
    graph_add(s, g, thread, op, choice);
    bool closed = g->slots[find_slot(g, graph_hash(g))].cost == FOR_EVER;
    graph_of_log(s, g, depth);
    return closed;
}

/* All steps from the node, whose graph is at hand, do; the frame's own is the only one there. */
static bool is_closed(struct sched *s, struct cbgraphs *g, const struct cb_node *n)
{
    const struct step *taken = &s->log.at[g->depth];
    if (!n->candidates)
        return g->depth < s->log.len && leads_to_closed(s, g, taken->thread, &taken->op, taken->choice);
    for (size_t i = 0; i < n->candidates; i++) {
        const struct candidate c = g->candidates.at[n->candidates_from + i];
        for (uint32_t k = 0; k < op_choices(&c.op); k++)
            if (!leads_to_closed(s, g, c.thread, &c.op, nth_choice(&c.op, k)))
                return false;
    }
    return true;
}

static bool cbgraphs_next(struct sched *s)
{
    struct cbgraphs *g = s->own;
    graph_of_log(s, g, s->depth);
    if (s->end != SCHED_END_ABANDONED || g->nodes.len == s->depth)
        note_met(s, g, graph_hash(g), FOR_EVER); /* it ended there, or was not allowed */
    for (; g->nodes.len; g->nodes.len--) {
        struct cb_node *n = &stack_last(&g->nodes);
        struct sched_pick pick;
        graph_of_log(s, g, g->nodes.len - 1);
        if (n->candidates && find_step(s, g, n, &pick)) {
            g->next = pick;
            g->has_next = true;
            s->prefix = g->nodes.len - 1;
            g->candidates.len = n->candidates_from + n->candidates;
            return true;
        }
        if (is_closed(s, g, n))
            note_met(s, g, graph_hash(g), FOR_EVER);
        g->candidates.len = n->candidates_from;
    }
    s->prefix = 0;
    return false;
}

const struct strategy strategy_cbgraphs = {"cb-por",      NO_GRAPH,         cbgraphs_begin,
                                           cbgraphs_pick, cbgraphs_arrived, cbgraphs_next};
