/* The naive method for models: breadth first, in order of preemptions, over nodes (state, last process), and for a
 * property over nodes (state, claim, last process). Every state is kept whole, every step of every node is executed.
 *
 * A step of q from (s, p) costs one preemption if q is not p and p has a step in s that does not wait for timeout.
 * Nodes of one level are those that can be reached with so many preemptions and not with fewer: whatever a node leads
 * to for free is of its level, whatever costs waits for the next. */
#include "check/verify_graph_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_CLOCK = 256, TICKS_MEMORY = 8192, FIRST_SLOTS = 1024 };
#define MOST_NUMBERS (UINT32_MAX - 2)

/* ---- nodes ---- */

static bool same_place(struct place a, struct place b)
{
    return a.state == b.state && a.claim == b.claim && a.last == b.last;
}

static size_t node_slot(const struct graph *g, struct place p)
{
    uint64_t key[2] = {p.state, (uint64_t)(uint32_t)p.claim << 8 | p.last};
    size_t i = hash_bytes(key, sizeof key, 1) & (g->cap - 1);
    while (g->slots[i] && !same_place(g->nodes.at[g->slots[i] - 1].at, p)) i = (i + 1) & (g->cap - 1);
    return i;
}

static void nodes_grow(struct graph *g)
{
    free(g->slots);
    g->cap = g->cap ? 2 * g->cap : FIRST_SLOTS;
    g->slots = xcalloc(g->cap, sizeof *g->slots);
    for (uint32_t i = 0; i < g->nodes.len; i++) g->slots[node_slot(g, g->nodes.at[i].at)] = i + 1;
}

/* The node of this place; if it is new it is of the present level, and waits to be expanded. */
static uint32_t node_number(struct graph *g, struct place p)
{
    if (2 * (g->nodes.len + 1) > g->cap) nodes_grow(g);
    size_t i = node_slot(g, p);
    if (g->slots[i]) return g->slots[i] - 1;
    vec_push(&g->nodes, ((struct node){.at = p, .level = (int32_t)g->level}));
    g->slots[i] = (uint32_t)g->nodes.len;
    vec_push(&g->now, g->slots[i] - 1);
    g->reached += !g->states.reached.at[p.state];
    g->states.reached.at[p.state] = true;
    return g->slots[i] - 1;
}

/* ---- limits ---- */

bool graph_must_stop(struct graph *g)
{
    if (g->stopped) return true;
    const struct naive_job *job = g->job;
    if (g->ticks % TICKS_MEMORY == 0) g->stopped = limits_reached_memory(job->limits);
    else if (g->ticks % TICKS_CLOCK == 0) g->stopped = limits_reached(job->limits);
    if (g->nodes.len >= MOST_NUMBERS || g->states.ends.len >= MOST_NUMBERS) g->stopped = LIMIT_MEMORY;
    if (g->ticks++ % TICKS_MEMORY == 0 && job->progress && progress_due(job->progress)) {
        char states[32];
        progress_show(job->progress, "verify: %s states", with_commas(states, g->states.ends.len));
    }
    return g->stopped != LIMIT_NONE;
}

/* ---- steps ---- */

static bool keep_step(void *ctx, const struct successor *t)
{
    struct graph *g = ctx;
    struct model_step s = {
        .pid = (uint8_t)t->pid, .last = (uint8_t)t->last, .ends = !t->state, .fails = t->fault != NULL,
        .timeout = t->timeout};
    assert(t->pid >= 0 && t->pid < MODEL_MOST_PROCESSES && t->last >= 0 && t->last < MODEL_MOST_PROCESSES);
    if (t->state) s.state = states_add(&g->states, t->state, t->size);
    vec_push(&g->steps, s);
    return true;
}

/* on_the_way: a step of the model fails. For a property this is an error of another kind than a violation: which of
 * them are met depends on where the claim lets the model go. */
static void met_error(struct graph *g, int64_t preemptions, bool on_the_way)
{
    if (g->job->p && on_the_way != (g->job->wanted == ERRORS_ON_THE_WAY)) return;
    if (g->error_at < 0 || preemptions < g->error_at) g->error_at = preemptions;
}

static bool could_go_on(const struct graph *g, uint8_t pid)
{
    for (size_t i = 0; i < g->steps.len; i++)
        if (g->steps.at[i].pid == pid && !g->steps.at[i].timeout) return true;
    return false;
}

static uint32_t follow(struct graph *g, struct place to, bool costs)
{
    if (!costs) return node_number(g, to);
    vec_push(&g->next, to);
    return 0;
}

/* The model makes a step after the claim has made its own. */
static void take_step(struct graph *g, const struct model_step *s, int32_t claim, bool costs)
{
    uint8_t last = g->job->counts ? s->last : MODEL_NOBODY;
    if (g->job->p && (s->ends || s->fails)) /* nobody goes there, but whoever could is not treated fairly */
        vec_push(&g->edges, ((struct product_edge){0, s->pid, s->last, true}));
    if (s->ends || (g->job->p && s->fails)) return;
    uint32_t to = follow(g, (struct place){s->state, claim, last}, costs);
    if (g->job->p) vec_push(&g->edges, ((struct product_edge){to, s->pid, s->last, costs}));
}

/* Nobody can move: the end, or the claim goes on alone in the last state. */
static void take_end(struct graph *g, struct place at)
{
    struct model *m = g->job->m;
    if (!g->job->p) {
        if (!g->job->no_deadlock && !m->ops->valid_end(m, g->here.at)) met_error(g, g->level, false);
        return;
    }
    for (size_t i = 0; i < g->targets.len && !g->job->p->no_stutter; i++) {
        uint32_t to = follow(g, (struct place){at.state, g->targets.at[i], at.last}, false);
        vec_push(&g->edges, ((struct product_edge){to, MODEL_NOBODY, MODEL_NOBODY, false}));
    }
}

static void take_steps(struct graph *g, struct place at)
{
    bool preempts = g->job->counts && could_go_on(g, at.last);
    for (size_t i = 0; i < g->steps.len; i++) {
        const struct model_step s = g->steps.at[i];
        bool costs = preempts && s.pid != at.last;
        if (s.fails) met_error(g, g->level + costs, true);
        for (size_t k = 0; k < g->targets.len; k++) take_step(g, &s, g->targets.at[k], costs);
    }
}

/* The claim moves first. Where it cannot, nothing that follows is its business. */
static void expand(struct graph *g, uint32_t number)
{
    struct model *m = g->job->m;
    struct place at = g->nodes.at[number].at;
    uint32_t size;
    const uint8_t *bytes = states_at(&g->states, at.state, &size);
    vec_clear(&g->here);
    vec_reserve(&g->here, size); /* the table moves while the steps are listed */
    memcpy(g->here.at, bytes, size);
    g->here.len = size;
    vec_clear(&g->targets);
    vec_clear(&g->steps);
    if (!g->job->p) vec_push(&g->targets, 0);
    else if (claim_moves(g, at.claim)) {
        met_error(g, g->level, false);
        return;
    }
    if (!g->targets.len) return;
    g->nodes.at[number].edges = g->edges.len;
    m->ops->successors(m, g->here.at, size, MODEL_ALL, false, keep_step, g);
    if (g->steps.len) take_steps(g, at);
    else take_end(g, at);
    g->nodes.at[number].edge_count = g->edges.len - g->nodes.at[number].edges;
}

/* ---- levels ---- */

/* With an error that costs as much as the present level nothing better can come. */
static bool is_settled(const struct graph *g)
{
    return g->error_at >= 0 && g->error_at <= g->level && !g->job->goes_on;
}

static void explore_level(struct graph *g)
{
    for (size_t i = 0; i < g->now.len && !is_settled(g) && !graph_must_stop(g); i++) expand(g, g->now.at[i]);
}

static void begin_level(struct graph *g)
{
    vec_clear(&g->now);
    g->level++;
    for (size_t i = 0; i < g->next.len; i++) node_number(g, g->next.at[i]);
    vec_clear(&g->next);
}

void graph_build(struct graph *g)
{
    struct model *m = g->job->m;
    uint8_t *initial = xcalloc(1, m->max_state);
    uint32_t size = m->ops->initial(m, initial);
    g->error_at = -1;
    node_number(
        g, (struct place){states_add(&g->states, initial, size), g->job->p ? claim_begins(g->job) : 0, MODEL_NOBODY});
    free(initial);
    for (;;) {
        explore_level(g);
        if (g->stopped || is_settled(g)) return;
        vec_push(&g->levels, g->reached);
        if (g->level == g->job->most) return;
        g->complete = !g->next.len;
        if (g->complete) return;
        begin_level(g);
    }
}

void graph_release(struct graph *g)
{
    states_release(&g->states);
    vec_release(&g->nodes);
    free(g->slots);
    vec_release(&g->edges);
    vec_release(&g->now);
    vec_release(&g->next);
    vec_release(&g->levels);
    vec_release(&g->here);
    vec_release(&g->steps);
    vec_release(&g->targets);
}

/* ---- the answer ---- */

/* Levels below the present one are complete; errors in it or above may still be missing. */
static void answer_levels(const struct graph *g, struct answer *out)
{
    out->error_at = g->error_at;
    out->none_within = (int64_t)g->levels.len - 1;
    if (g->complete && !g->stopped) out->none_within = ANY_NUMBER;
    if (g->error_at >= 0) out->none_within = MIN(out->none_within, g->error_at - 1);
}

/* Without levels there is one answer for all of them. */
static void forget_levels(struct answer *out)
{
    if (out->error_at >= 0) out->error_at = ANY_NUMBER;
    if (out->none_within < ANY_NUMBER) out->none_within = -1;
}

/* Cycles are looked for in what there is of the graph, so something of the time is kept for that. */
static void build_and_find_cycles(struct graph *g)
{
    const struct naive_job *job = g->job;
    const double share = 0.7;
    struct limits most = limits_within(job->limits, MIN(limits_left(job->limits), 1e9) * share);
    struct naive_job building = *job;
    building.limits = &most;
    g->job = &building;
    graph_build(g);
    g->job = job;
    enum limit stopped = g->stopped;
    g->stopped = LIMIT_NONE;
    int64_t cycle = graph_find_cycle(g);
    if (cycle >= 0) met_error(g, cycle, false);
    if (!g->stopped) g->stopped = stopped;
}

enum limit naive_explore(const struct naive_job *job, struct answer *out, uint64_t *looked_at)
{
    struct graph g = {.job = job};
    if (job->p) build_and_find_cycles(&g);
    else graph_build(&g);
    *out = (struct answer)NO_ANSWER;
    answer_levels(&g, out);
    if (!job->counts) forget_levels(out);
    *looked_at = job->p ? g.nodes.len : g.reached;
    if (!job->p && g.complete && !g.stopped) out->states = g.reached;
    for (size_t i = 0; !job->p && job->counts && i < g.levels.len; i++) vec_push(&out->levels, g.levels.at[i]);
    enum limit stopped = g.stopped;
    graph_release(&g);
    return stopped;
}
