/* The steps of an execution in the equivalent order that has the fewest preemptions.
 *
 * A node is a cut of the execution (how many steps of each thread were done; the cut is closed under happens-before)
 * and the thread that moved last. Steps cost what they cost in any execution: one if the thread before could have gone
 * on. Nodes are taken level by level, so the first one that meets the goal is reached as cheaply as possible. Whether a
 * thread could have gone on in a cut that was never run is asked of the model of the objects (operation.c).
 * This is CB(s, t) of CB-POR computed forwards, for one execution and without hashes. */
#include <string.h>

#include "schedule/internal.h"

enum { NOBODY = -1 };

struct simple_node {
    uint32_t parent;  /* 1 + node, 0: none */
    int cost;
    int16_t last;     /* thread, NOBODY at the beginning */
    bool done;
};
struct simplifier {
    struct sched *s;
    const struct sched_view *end;
    struct sched_goal goal;
    size_t most_nodes;
    size_t threads;
    STACK(struct simple_node) nodes;
    STACK(uint32_t) cuts;          /* a row for each node */
    uint32_t *slots;               /* 1 + node */
    size_t slot_mask;
    step_stack now, later;         /* nodes at this level, and one preemption further */
    uint32_t *yields;              /* by step: yields of its thread up to it */
    bool fair;                     /* the execution kept to the fair bound, so its reordering shall */
};

static const uint32_t *cut_of(const struct simplifier *z, size_t node) { return z->cuts.at + node * z->threads; }

static uint64_t node_hash(const struct simplifier *z, const uint32_t *cut, int last)
{
    uint64_t x = (uint64_t)last + 2;
    for (size_t t = 0; t < z->threads; t++) {
        x = (x ^ cut[t]) * UINT64_C(0x9e3779b97f4a7c15);
        x ^= x >> 29;
    }
    return x;
}

static size_t find_slot(const struct simplifier *z, const uint32_t *cut, int last)
{
    size_t i = node_hash(z, cut, last) & z->slot_mask;
    for (; z->slots[i]; i = (i + 1) & z->slot_mask) {
        size_t node = z->slots[i] - 1;
        if (z->nodes.at[node].last == last && !memcmp(cut_of(z, node), cut, z->threads * sizeof *cut))
            break;
    }
    return i;
}

static void slots_double(struct simplifier *z)
{
    struct pool *pool = &z->s->pool;
    pool_free(pool, z->slots);
    z->slot_mask = z->slot_mask * 2 + 1;
    z->slots = pool_alloc(pool, (z->slot_mask + 1) * sizeof *z->slots);
    for (size_t i = 0; i < z->nodes.len; i++)
        z->slots[find_slot(z, cut_of(z, i), z->nodes.at[i].last)] = (uint32_t)i + 1;
}

/* The node is reached at this cost; put where it waits, if that is cheaper than before. */
static void reach(struct simplifier *z, const uint32_t *cut, int last, uint32_t parent, int cost, step_stack *level)
{
    struct pool *pool = &z->s->pool;
    size_t slot = find_slot(z, cut, last), node = z->slots[slot];
    if (node && z->nodes.at[node - 1].cost <= cost)
        return;
    if (!node) {
        stack_reserve(pool, &z->cuts, (z->nodes.len + 1) * z->threads);
        memcpy(z->cuts.at + z->nodes.len * z->threads, cut, z->threads * sizeof *cut);
        stack_push(pool, &z->nodes, ((struct simple_node){.last = (int16_t)last}));
        z->slots[slot] = (uint32_t)(node = z->nodes.len);
    }
    z->nodes.at[node - 1].parent = parent;
    z->nodes.at[node - 1].cost = cost;
    stack_push(pool, level, (uint32_t)node - 1);
    if (z->nodes.len * 2 > z->slot_mask)
        slots_double(z);
}

/* Those of the enabled threads that the fair bound lets go on, as in fair_allowed(). */
static sched_set allowed_in(const struct simplifier *z, const uint32_t *cut, sched_set enabled)
{
    uint32_t yields[SCHED_MAX_THREADS], least = UINT32_MAX;
    sched_set allowed = SET_NONE;
    int t;
    if (z->s->config.fair_bound < 0)
        return enabled;
    FOR_EACH_THREAD(t, enabled) {
        yields[t] = cut[t] ? z->yields[z->s->hb->thread[t].steps.at[cut[t] - 1]] : 0;
        least = yields[t] < least ? yields[t] : least;
    }
    FOR_EACH_THREAD(t, enabled)
        if (yields[t] - least <= (uint32_t)z->s->config.fair_bound)
            allowed |= set_of(t);
    return allowed;
}

/* The threads of the goal, but for one, have done all their steps. */
static bool others_done(const struct simplifier *z, const uint32_t *cut, int but)
{
    int t;
    FOR_EACH_THREAD(t, z->goal.threads & ~(but < 0 ? SET_NONE : set_of(but)))
        if (t < (int)z->threads && cut[t] < z->s->hb->thread[t].steps.len)
            return false;
    return true;
}

/* Thread t's next step of the execution can be done in the cut: all that happens before it is there. */
static bool is_ready(const struct simplifier *z, const uint32_t *cut, int t)
{
    const struct hb *h = z->s->hb;
    if (cut[t] >= h->thread[t].steps.len)
        return false;
    const uint32_t *clock = hb_clock_of(h, h->thread[t].steps.at[cut[t]]);
    for (int u = 0; u < (int)z->threads; u++)
        if (u != t && clock[u] > cut[u])
            return false;
    bool final = t == z->goal.last && cut[t] + 1 == h->thread[t].steps.len;
    return !final || others_done(z, cut, t);
}

/* Who may move: the thread that has nothing left but to end, if it moved last, else all that can. */
static sched_set movers(const struct simplifier *z, const uint32_t *cut, int last, sched_set enabled, sched_set allowed)
{
    if (last >= 0 && set_has(enabled, last) && pending_op(z->s, z->end, cut, last)->kind == SCHED_EXIT)
        return set_of(last);
    return z->fair ? allowed : enabled;
}

static void expand(struct simplifier *z, uint32_t node)
{
    uint32_t cut[SCHED_MAX_THREADS];
    int last = z->nodes.at[node].last, cost = z->nodes.at[node].cost, t;
    memcpy(cut, cut_of(z, node), z->threads * sizeof *cut);
    sched_set ending, enabled = enabled_in_cut(z->s, z->end, cut, &ending);
    if (!set_any(allowed_in(z, cut, enabled | ending) & enabled)) /* as in may_go_on() */
        enabled = ending;
    bool ends = set_equal(enabled, ending);
    sched_set allowed = allowed_in(z, cut, enabled);
    FOR_EACH_THREAD(t, movers(z, cut, last, enabled, allowed)) {
        if (!is_ready(z, cut, t))
            continue;
        bool preempts = last >= 0 && t != last && set_has(allowed, last) && !ends;
        cut[t]++;
        reach(z, cut, t, node + 1, cost + preempts, preempts ? &z->later : &z->now);
        cut[t]--;
    }
}

static bool is_goal(const struct simplifier *z, uint32_t node)
{
    bool last = z->goal.last < 0 || z->nodes.at[node].last == z->goal.last;
    return last && others_done(z, cut_of(z, node), -1);
}

/* The first node found that meets the goal, or -1. */
static long search(struct simplifier *z)
{
    while (z->now.len && z->nodes.len < z->most_nodes && pool_has_room(&z->s->pool, 0)) {
        uint32_t node = z->now.at[--z->now.len];
        if (!z->nodes.at[node].done) {
            z->nodes.at[node].done = true;
            if (is_goal(z, node))
                return node;
            expand(z, node);
        }
        if (!z->now.len) {
            step_stack empty = z->now;
            z->now = z->later;
            z->later = empty;
        }
    }
    return -1;
}

static void note_yields(struct simplifier *z)
{
    const struct hb *h = z->s->hb;
    z->yields = pool_alloc(&z->s->pool, (h->events.len + 1) * sizeof *z->yields);
    z->fair = true;
    for (size_t i = 0; i < h->events.len; i++) {
        const struct event *e = &h->events.at[i];
        uint32_t before = e->index ? z->yields[h->thread[e->thread].steps.at[e->index - 1]] : 0;
        z->yields[i] = before + (e->kind == SCHED_YIELD);
        z->fair &= e->kind == SCHED_EXIT || set_has(z->s->log.at[i].allowed, e->thread); /* to end is never forbidden */
    }
}

/* Which step led to each node on the way to this one. */
static size_t collect(struct simplifier *z, long node)
{
    struct sched *s = z->s;
    size_t len = 0;
    for (size_t n = (size_t)node; z->nodes.at[n].parent; n = z->nodes.at[n].parent - 1)
        len++;
    stack_reserve(&s->pool, &s->schedule, len);
    size_t at = len;
    for (size_t n = (size_t)node; z->nodes.at[n].parent; n = z->nodes.at[n].parent - 1) {
        int t = z->nodes.at[n].last;
        uint32_t step = s->hb->thread[t].steps.at[cut_of(z, n)[t] - 1];
        s->schedule.at[--at] = (struct sched_step){t, s->log.at[step].choice};
    }
    return len;
}

static void release(struct simplifier *z)
{
    struct pool *pool = &z->s->pool;
    void *blocks[] = {z->nodes.at, z->cuts.at, z->slots, z->now.at, z->later.at, z->yields};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        pool_free(pool, blocks[i]);
}

int sched_simplify(struct sched *s, const struct sched_view *end, const struct sched_goal *goal, size_t most_nodes,
                   const struct sched_step **steps, size_t *len)
{
    struct simplifier z = {.s = s, .end = end, .goal = *goal, .most_nodes = most_nodes, .slot_mask = 1023};
    uint32_t nothing[SCHED_MAX_THREADS] = {0};
    if (!s->hb || s->hb->events.len != s->log.len)
        return -1; /* the program did not repeat itself */
    z.threads = (size_t)(s->hb->threads ? s->hb->threads : 1);
    z.slots = pool_alloc(&s->pool, (z.slot_mask + 1) * sizeof *z.slots);
    note_yields(&z);
    reach(&z, nothing, NOBODY, 0, 0, &z.now);
    long found = search(&z);
    int cost = found < 0 ? -1 : z.nodes.at[found].cost;
    if (found >= 0) {
        *len = collect(&z, found);
        *steps = s->schedule.at;
    }
    release(&z);
    return cost;
}
