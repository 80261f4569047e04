/* Generalised automata: fewer states, and their conversion to plain ones. */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void general_release(struct general *g)
{
    for (size_t i = 0; i < g->states.len; i++) vec_release(&g->states.at[i].edges);
    vec_release(&g->states);
}

static int degree(void *ctx, int node) { return (int)((struct general *)ctx)->states.at[node].edges.len; }
static int target(void *ctx, int node, int i) { return ((struct general *)ctx)->states.at[node].edges.at[i].to; }

struct parts { int count; int *of; uint64_t *marks; bool *useful; };

static void find_parts(const struct general *g, struct parts *p)
{
    int n = (int)g->states.len;
    p->of = xcalloc((size_t)n + 1, sizeof *p->of);
    p->count = graph_components(&(struct graph){n, (void *)g, degree, target}, p->of);
    p->marks = xcalloc((size_t)p->count + 1, sizeof *p->marks);
    p->useful = xcalloc((size_t)p->count + 1, sizeof *p->useful);
    uint64_t all = g->mark_count == 64 ? ~UINT64_C(0) : (UINT64_C(1) << g->mark_count) - 1;
    bool *loops = xcalloc((size_t)p->count + 1, sizeof *loops);
    for (int s = 0; s < n; s++)
        for (size_t k = 0; k < g->states.at[s].edges.len; k++) {
            const struct general_edge *e = &g->states.at[s].edges.at[k];
            if (p->of[s] == p->of[e->to]) p->marks[p->of[s]] |= e->marks, loops[p->of[s]] = true;
        }
    for (int c = 0; c < p->count; c++) p->useful[c] = loops[c] && p->marks[c] == all;
    free(loops);
}

static void release_parts(struct parts *p)
{
    free(p->of);
    free(p->marks);
    free(p->useful);
}

/* Components are numbered with successors first, so one pass finds what reaches an accepting one. */
static bool *reaches_useful(const struct general *g, const struct parts *p)
{
    bool *reaches = xcalloc((size_t)p->count + 1, sizeof *reaches);
    for (int c = 0; c < p->count; c++) reaches[c] = p->useful[c];
    for (int c = 0; c < p->count; c++)
        for (size_t s = 0; s < g->states.len; s++)
            for (size_t k = 0; p->of[s] == c && k < g->states.at[s].edges.len; k++) {
                assert(p->of[g->states.at[s].edges.at[k].to] <= c);
                if (reaches[p->of[g->states.at[s].edges.at[k].to]]) reaches[c] = true;
            }
    return reaches;
}

/* Edges into states without an accepting run go; marks that cannot matter are cleared. */
static void clear_useless(struct general *g)
{
    struct parts p;
    find_parts(g, &p);
    bool *reaches = reaches_useful(g, &p);
    for (size_t s = 0; s < g->states.len; s++) {
        size_t kept = 0;
        struct general_state *state = &g->states.at[s];
        for (size_t k = 0; k < state->edges.len; k++) {
            struct general_edge e = state->edges.at[k];
            if (!reaches[p.of[e.to]]) continue;
            if (p.of[s] != p.of[e.to] || !p.useful[p.of[s]]) e.marks = 0;
            state->edges.at[kept++] = e;
        }
        state->edges.len = kept;
    }
    free(reaches);
    release_parts(&p);
}

static int compare_edges(const void *a, const void *b) { return memcmp(a, b, sizeof(struct general_edge)); }

/* In a fixed order, without those that another one makes needless. */
static void tidy_edges(struct general_state *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->edges.len; i++) {
        bool needless = false;
        struct general_edge *e = &s->edges.at[i];
        for (size_t k = 0; k < s->edges.len && !needless; k++) {
            const struct general_edge *o = &s->edges.at[k];
            bool weaker = o->to == e->to && cube_implies(e->label, o->label) && !(e->marks & ~o->marks);
            bool equal = weaker && cube_implies(o->label, e->label) && o->marks == e->marks;
            needless = k != i && weaker && (!equal || k < i);
        }
        if (needless) s->edges.at[i].to = -1;
    }
    for (size_t i = 0; i < s->edges.len; i++)
        if (s->edges.at[i].to >= 0) s->edges.at[kept++] = s->edges.at[i];
    s->edges.len = kept;
    if (kept) qsort(s->edges.at, kept, sizeof *s->edges.at, compare_edges);
}

static bool equal_states(const struct general_state *a, const struct general_state *b)
{
    return a->edges.len == b->edges.len &&
           (!a->edges.len || !memcmp(a->edges.at, b->edges.at, a->edges.len * sizeof *a->edges.at));
}

/* True if some two states were the same. */
static bool merge_equal(struct general *g)
{
    int n = (int)g->states.len;
    int *instead = xcalloc((size_t)n + 1, sizeof *instead);
    uint64_t *hash = xcalloc((size_t)n + 1, sizeof *hash);
    bool merged = false;
    for (int s = 0; s < n; s++) {
        const struct general_state *state = &g->states.at[s];
        hash[s] = state->edges.len ? hash_bytes(state->edges.at, state->edges.len * sizeof *state->edges.at, 0) : 0;
        instead[s] = s;
        for (int k = 0; k < s; k++)
            if (instead[k] == k && hash[k] == hash[s] && equal_states(&g->states.at[k], state)) {
                instead[s] = k;
                merged = true;
                break;
            }
    }
    for (int s = 0; s < n; s++)
        for (size_t k = 0; k < g->states.at[s].edges.len; k++) {
            struct general_edge *e = &g->states.at[s].edges.at[k];
            e->to = instead[e->to];
        }
    g->initial = instead[g->initial];
    free(instead);
    free(hash);
    return merged;
}

static void drop_unreachable(struct general *g)
{
    int n = (int)g->states.len, kept = 0;
    int *number = xmalloc(((size_t)n + 1) * sizeof *number);
    VEC(int) queue = {0};
    memset(number, -1, ((size_t)n + 1) * sizeof *number);
    number[g->initial] = 0;
    vec_push(&queue, g->initial);
    for (size_t i = 0; i < queue.len; i++)
        for (size_t k = 0; k < g->states.at[queue.at[i]].edges.len; k++) {
            int to = g->states.at[queue.at[i]].edges.at[k].to;
            if (number[to] < 0) number[to] = (int)queue.len, vec_push(&queue, to);
        }
    struct general out = {.mark_count = g->mark_count};
    for (size_t i = 0; i < queue.len; i++) {
        vec_push(&out.states, g->states.at[queue.at[i]]);
        g->states.at[queue.at[i]] = (struct general_state){0};
        for (size_t k = 0; k < vec_last(&out.states).edges.len; k++) {
            struct general_edge *e = &vec_last(&out.states).edges.at[k];
            e->to = number[e->to];
        }
        kept++;
    }
    assert(kept > 0);
    general_release(g);
    *g = out;
    free(number);
    vec_release(&queue);
}

void general_simplify(struct general *g)
{
    bool again;
    do {
        clear_useless(g);
        for (size_t s = 0; s < g->states.len; s++) tidy_edges(&g->states.at[s]);
        again = merge_equal(g);
        drop_unreachable(g);
    } while (again);
}

/* ---- degeneralisation ---- */

struct node { int state, level; };

struct flattening {
    const struct general *g;
    struct parts parts;
    VEC(struct node) nodes;
    int *number;       /* [state * (marks + 1) + level] */
    struct buchi *out;
};

static int node_of(struct flattening *f, int state, int level)
{
    int *n = &f->number[state * (f->g->mark_count + 1) + level];
    if (*n >= 0) return *n;
    vec_push(&f->nodes, ((struct node){state, level}));
    return *n = buchi_add_state(f->out, level == f->g->mark_count && f->parts.useful[f->parts.of[state]]);
}

/* Marks are waited for in turn; who has them all starts anew. */
static int next_level(const struct flattening *f, int from, int level, const struct general_edge *e)
{
    int marks = f->g->mark_count;
    bool same = f->parts.of[from] == f->parts.of[e->to];
    if (!f->parts.useful[f->parts.of[e->to]]) return 0;
    if (!same) return marks ? 0 : marks;
    if (level == marks) level = 0;
    while (level < marks && e->marks >> level & 1) level++;
    return level;
}

void general_to_buchi(const struct general *g, struct buchi *out)
{
    struct flattening f = {.g = g, .out = out};
    size_t cells = g->states.len * (size_t)(g->mark_count + 1);
    *out = (struct buchi){.limits = out->limits};
    f.number = xmalloc((cells + 1) * sizeof *f.number);
    memset(f.number, -1, (cells + 1) * sizeof *f.number);
    find_parts(g, &f.parts);
    out->initial = node_of(&f, g->initial, 0);
    for (size_t i = 0; i < f.nodes.len; i++) {
        int state = f.nodes.at[i].state, level = f.nodes.at[i].level;
        for (size_t k = 0; k < g->states.at[state].edges.len; k++) {
            const struct general_edge *e = &g->states.at[state].edges.at[k];
            int to = node_of(&f, e->to, next_level(&f, state, level, e));
            buchi_add_edge(out, (int)i, e->label, to);
        }
    }
    release_parts(&f.parts);
    free(f.number);
    vec_release(&f.nodes);
}
