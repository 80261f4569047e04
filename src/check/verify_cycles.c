/* The naive method for properties: how the claim moves, and cycles as components of the whole graph (Tarjan 1972, once,
 * after everything is there).
 *
 * A cycle that must not be is a component with a step inside of it, an accepting state, and with fairness for every
 * process a step that it takes part in or a state in which it has none. Where preemptions are counted only free steps
 * belong to cycles: an execution with finitely many preemptions has none from some point on. */
#include "check/verify_graph_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- the claim ---- */

int32_t claim_begins(const struct naive_job *job)
{
    if (job->p->automaton) return job->p->automaton->initial;
    return job->m->ops->claim_initial(job->m, job->p->claim);
}

static bool automaton_moves(struct graph *g, int32_t claim)
{
    const struct buchi *b = g->job->p->automaton;
    const struct buchi_state *s = &b->states.at[claim];
    letter now = property_letter(g->job->m, g->job->p, g->here.at);
    for (size_t i = 0; i < s->edges.len; i++) {
        if (!cube_has(s->edges.at[i].label, now)) continue;
        if (buchi_accepts_all(b, s->edges.at[i].to)) return true;
        vec_push(&g->targets, s->edges.at[i].to);
    }
    return false;
}

static bool stop_at_first(void *ctx, const struct successor *t)
{
    (void)t;
    *(bool *)ctx = true;
    return false;
}

/* What `timeout` means in a claim: no process can move without it. */
static bool is_timeout(const struct graph *g)
{
    struct model *m = g->job->m;
    bool moves = false;
    for (int pid = 0; pid < m->ops->process_count(m, g->here.at) && !moves; pid++)
        m->ops->successors(m, g->here.at, (uint32_t)g->here.len, pid, false, stop_at_first, &moves);
    return !moves;
}

static bool written_claim_moves(struct graph *g, int32_t claim)
{
    struct model *m = g->job->m;
    int number = g->job->p->claim;
    const char *fault = NULL;
    vec_reserve(&g->targets, (size_t)m->ops->claim_width(m, number) + 1);
    int n = m->ops->claim_step(m, number, claim, g->here.at, m->uses_timeout && is_timeout(g), g->targets.at, &fault);
    g->targets.len = (size_t)n;
    for (int i = 0; i < n; i++)
        if (m->ops->claim_at_end(m, number, g->targets.at[i])) return true;
    return fault != NULL;
}

bool claim_moves(struct graph *g, int32_t claim)
{
    return g->job->p->automaton ? automaton_moves(g, claim) : written_claim_moves(g, claim);
}

static bool accepts(const struct graph *g, int32_t claim)
{
    const struct property *p = g->job->p;
    return p->automaton ? p->automaton->states.at[claim].accepting
                        : g->job->m->ops->claim_accepts(g->job->m, p->claim, claim);
}

/* ---- components ---- */

struct visit { uint32_t node; size_t edge; };
struct components {
    struct graph *g;
    uint32_t *number, *low;  /* by node; number 0: not visited */
    uint32_t *component;     /* 0: still open */
    uint32_t numbers, count;
    VEC(struct visit) path;
    VEC(uint32_t) open;
    int64_t best;            /* level of the first component that must not be */
};

struct processes { bool in[MODEL_MOST_PROCESSES + 1]; };

/* Whoever has a step here could complain of being left out; everybody else is treated fairly. */
static void note_node(const struct graph *g, const struct node *n, struct processes *fair)
{
    struct processes can = {{0}};
    for (size_t i = 0; i < n->edge_count; i++) can.in[g->edges.at[n->edges + i].pid] = true;
    for (int pid = 0; pid < MODEL_MOST_PROCESSES; pid++) fair->in[pid] |= !can.in[pid];
}

static bool is_inside(const struct components *c, const struct product_edge *e)
{
    return !e->costs && c->component[e->to] == c->count;
}

static bool everybody(const struct processes *p)
{
    for (int pid = 0; pid < MODEL_MOST_PROCESSES; pid++)
        if (!p->in[pid]) return false;
    return true;
}

/* The component just closed: nodes open[from] and what follows. */
static bool is_forbidden(const struct components *c, size_t from)
{
    const struct graph *g = c->g;
    struct processes fair = {{0}};
    bool accepting = false, cycle = false;
    for (size_t i = from; i < c->open.len; i++) {
        const struct node *n = &g->nodes.at[c->open.at[i]];
        accepting |= accepts(g, n->at.claim);
        if (g->job->p->fair) note_node(g, n, &fair);
        for (size_t k = 0; k < n->edge_count; k++) {
            const struct product_edge *e = &g->edges.at[n->edges + k];
            if (!is_inside(c, e)) continue;
            cycle = true;
            fair.in[e->pid] = fair.in[e->last] = true;
        }
    }
    return cycle && accepting && (!g->job->p->fair || everybody(&fair));
}

static void close_component(struct components *c, uint32_t root)
{
    size_t from = c->open.len;
    c->count++;
    do c->component[c->open.at[--from]] = c->count;
    while (c->open.at[from] != root);
    int64_t level = c->g->nodes.at[root].level;
    if ((c->best < 0 || level < c->best) && is_forbidden(c, from)) c->best = level;
    c->open.len = from;
}

static void enter(struct components *c, uint32_t node)
{
    assert(!c->number[node]);
    c->number[node] = c->low[node] = ++c->numbers;
    vec_push(&c->open, node);
    vec_push(&c->path, ((struct visit){node, 0}));
}

static void leave(struct components *c)
{
    uint32_t node = vec_pop(&c->path).node;
    if (c->low[node] == c->number[node]) close_component(c, node);
    if (!c->path.len) return;
    uint32_t parent = vec_last(&c->path).node;
    c->low[parent] = MIN(c->low[parent], c->low[node]);
}

static void follow(struct components *c)
{
    struct visit *v = &vec_last(&c->path);
    const struct node *n = &c->g->nodes.at[v->node];
    if (v->edge == n->edge_count) {
        leave(c);
        return;
    }
    const struct product_edge *e = &c->g->edges.at[n->edges + v->edge++];
    if (e->costs) return;
    if (!c->number[e->to]) enter(c, e->to);
    else if (!c->component[e->to]) c->low[v->node] = MIN(c->low[v->node], c->number[e->to]);
}

int64_t graph_find_cycle(struct graph *g)
{
    size_t n = g->nodes.len + 1;
    struct components c = {.g = g, .number = xcalloc(n, sizeof *c.number), .low = xcalloc(n, sizeof *c.low),
                           .component = xcalloc(n, sizeof *c.component), .best = -1};
    for (uint32_t i = 0; i < g->nodes.len; i++) {
        if (!c.number[i]) enter(&c, i);
        while (c.path.len && !graph_must_stop(g)) follow(&c);
        if (g->stopped) break;
    }
    if (g->stopped) vec_clear(&g->levels); /* cycles may be missing in all of them */
    free(c.number);
    free(c.low);
    free(c.component);
    vec_release(&c.path);
    vec_release(&c.open);
    return c.best;
}
