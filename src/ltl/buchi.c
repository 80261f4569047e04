/* Buchi automata with cubes as labels: building, trimming, asking. */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void buchi_release(struct buchi *b)
{
    for (size_t i = 0; i < b->states.len; i++) vec_release(&b->states.at[i].edges);
    vec_release(&b->states);
}

int buchi_add_state(struct buchi *b, bool accepting)
{
    vec_push(&b->states, ((struct buchi_state){.accepting = accepting}));
    return (int)b->states.len - 1;
}

void buchi_add_edge(struct buchi *b, int from, struct cube label, int to)
{
    assert(!cube_is_empty(label) && from >= 0 && from < (int)b->states.len && to >= 0);
    vec_push(&b->states.at[from].edges, ((struct buchi_edge){label, to}));
}

bool buchi_is_sound(const struct buchi *b)
{
    int n = (int)b->states.len;
    bool good = b->initial >= 0 && b->initial < n;
    for (int s = 0; s < n; s++)
        for (size_t k = 0; k < b->states.at[s].edges.len; k++) {
            const struct buchi_edge *e = &b->states.at[s].edges.at[k];
            good &= e->to >= 0 && e->to < n && !cube_is_empty(e->label);
        }
    return good;
}

static int degree(void *ctx, int node) { return (int)((struct buchi *)ctx)->states.at[node].edges.len; }
static int target(void *ctx, int node, int i) { return ((struct buchi *)ctx)->states.at[node].edges.at[i].to; }
struct graph buchi_graph(const struct buchi *b)
{
    return (struct graph){(int)b->states.len, (void *)b, degree, target};
}

letter buchi_letters(const struct buchi *b)
{
    letter used = 0;
    for (size_t s = 0; s < b->states.len; s++)
        for (size_t k = 0; k < b->states.at[s].edges.len; k++)
            used |= b->states.at[s].edges.at[k].label.pos | b->states.at[s].edges.at[k].label.neg;
    return used;
}

/* A proposition that some cube fixes and c leaves open splits c in two. Beyond so many cases the answer is no, which is
 * always safe: an automaton stays larger, or is not reduced. */
enum { MOST_CASES = 1 << 16 };

static bool is_covered(struct cube c, const struct cube *by, size_t count, int *cases)
{
    if (++*cases > MOST_CASES) return false;
    letter open = 0;
    for (size_t i = 0; i < count; i++) {
        if (cube_implies(c, by[i])) return true;
        struct cube both = {c.pos | by[i].pos, c.neg | by[i].neg};
        if (!cube_is_empty(both)) open |= (by[i].pos | by[i].neg) & ~(c.pos | c.neg);
    }
    if (!open) return false;
    letter bit = open & -open;
    return is_covered((struct cube){c.pos | bit, c.neg}, by, count, cases) &&
           is_covered((struct cube){c.pos, c.neg | bit}, by, count, cases);
}

bool cube_covered(struct cube c, const struct cube *by, size_t count)
{
    int cases = 0;
    return is_covered(c, by, count, &cases);
}

/* ---- trimming ---- */

/* live[s]: an accepting run starts in s. */
static bool *live_states(const struct buchi *b)
{
    int n = (int)b->states.len;
    struct graph g = buchi_graph(b);
    int *part = xcalloc((size_t)n + 1, sizeof *part);
    bool *good = xcalloc((size_t)graph_components(&g, part) + 1, sizeof *good),
         *live = xcalloc((size_t)n + 1, sizeof *live);
    int parts = 0;
    for (int s = 0; s < n; s++) parts = MAX(parts, part[s] + 1);
    bool *loops = xcalloc((size_t)parts + 1, sizeof *loops);
    for (int s = 0; s < n; s++)
        for (int k = 0; k < g.degree(g.ctx, s); k++) {
            assert(part[g.target(g.ctx, s, k)] <= part[s]);
            if (part[g.target(g.ctx, s, k)] == part[s]) loops[part[s]] = true;
        }
    for (int s = 0; s < n; s++)
        if (b->states.at[s].accepting && loops[part[s]]) good[part[s]] = true;
    for (int c = 0; c < parts; c++) /* successors have smaller numbers */
        for (int s = 0; s < n; s++)
            for (int k = 0; part[s] == c && k < g.degree(g.ctx, s); k++)
                if (good[part[g.target(g.ctx, s, k)]]) good[c] = true;
    for (int s = 0; s < n; s++) live[s] = good[part[s]];
    free(part);
    free(good);
    free(loops);
    return live;
}

/* Keeps what is reachable, in the order in which it is reached. */
static void keep_reachable(struct buchi *b)
{
    int n = (int)b->states.len;
    int *number = xmalloc(((size_t)n + 1) * sizeof *number);
    VEC(int) queue = {0};
    struct buchi out = {.limits = b->limits};
    memset(number, -1, ((size_t)n + 1) * sizeof *number);
    number[b->initial] = 0;
    vec_push(&queue, b->initial);
    for (size_t i = 0; i < queue.len; i++)
        for (int k = 0; k < degree(b, queue.at[i]); k++) {
            int to = target(b, queue.at[i], k);
            if (number[to] < 0) number[to] = (int)queue.len, vec_push(&queue, to);
        }
    for (size_t i = 0; i < queue.len; i++) {
        struct buchi_state s = b->states.at[queue.at[i]];
        b->states.at[queue.at[i]] = (struct buchi_state){0};
        for (size_t k = 0; k < s.edges.len; k++) s.edges.at[k].to = number[s.edges.at[k].to];
        vec_push(&out.states, s);
    }
    buchi_release(b);
    *b = out;
    free(number);
    vec_release(&queue);
}

void buchi_trim(struct buchi *b)
{
    assert_costly(buchi_is_sound(b));
    bool *live = live_states(b);
    for (size_t s = 0; s < b->states.len; s++) {
        size_t kept = 0;
        struct buchi_state *state = &b->states.at[s];
        for (size_t k = 0; k < state->edges.len; k++)
            if (live[state->edges.at[k].to]) state->edges.at[kept++] = state->edges.at[k];
        state->edges.len = kept;
    }
    free(live);
    keep_reachable(b);
    assert_costly(buchi_is_sound(b) && b->initial == 0);
}

/* ---- asking ---- */

/* Nodes of the product with a lasso: state * len + position. */
struct lasso { const struct buchi *b; const letter *w; size_t len, start; VEC(int) targets; VEC(size_t) first; };

static int lasso_degree(void *ctx, int node)
{
    struct lasso *l = ctx;
    return (int)(l->first.at[node + 1] - l->first.at[node]);
}

static int lasso_target(void *ctx, int node, int i)
{
    struct lasso *l = ctx;
    return l->targets.at[l->first.at[node] + (size_t)i];
}

static void build_lasso(struct lasso *l)
{
    vec_push(&l->first, 0);
    for (size_t s = 0; s < l->b->states.len; s++)
        for (size_t i = 0; i < l->len; i++) {
            const struct buchi_state *state = &l->b->states.at[s];
            size_t next = i + 1 < l->len ? i + 1 : l->start;
            for (size_t k = 0; k < state->edges.len; k++)
                if (cube_has(state->edges.at[k].label, l->w[i]))
                    vec_push(&l->targets, (int)((size_t)state->edges.at[k].to * l->len + next));
            vec_push(&l->first, l->targets.len);
        }
}

bool buchi_accepts_lasso(const struct buchi *b, const letter *w, size_t len, size_t start)
{
    struct lasso l = {.b = b, .w = w, .len = len, .start = start};
    assert(start < len);
    build_lasso(&l);
    struct graph g = {(int)(b->states.len * len), &l, lasso_degree, lasso_target};
    int *part = xcalloc((size_t)g.count + 1, sizeof *part);
    bool *reached = xcalloc((size_t)g.count + 1, sizeof *reached), accepts = false;
    graph_components(&g, part);
    VEC(int) queue = {0};
    vec_push(&queue, b->initial * (int)len);
    reached[queue.at[0]] = true;
    while (queue.len && !accepts) {
        int node = vec_pop(&queue);
        for (int k = 0; k < lasso_degree(&l, node); k++) {
            int to = lasso_target(&l, node, k);
            if (!reached[to]) reached[to] = true, vec_push(&queue, to);
        }
    }
    bool *loops = xcalloc((size_t)g.count + 1, sizeof *loops); /* by component: it has an inner edge */
    for (int n = 0; n < g.count; n++)
        for (int k = 0; k < lasso_degree(&l, n); k++)
            if (part[lasso_target(&l, n, k)] == part[n]) loops[part[n]] = true;
    for (int n = 0; n < g.count && !accepts; n++)
        accepts = reached[n] && b->states.at[n / (int)len].accepting && loops[part[n]];
    vec_release(&queue);
    vec_release(&l.targets);
    vec_release(&l.first);
    free(part);
    free(reached);
    free(loops);
    return accepts;
}

bool buchi_accepts_all(const struct buchi *b, int state)
{
    const struct buchi_state *s = &b->states.at[state];
    if (!s->accepting) return false;
    for (size_t k = 0; k < s->edges.len; k++)
        if (s->edges.at[k].to == state && !s->edges.at[k].label.pos && !s->edges.at[k].label.neg) return true;
    return false;
}

bool buchi_is_safety(const struct buchi *b)
{
    for (int s = 0; s < (int)b->states.len; s++)
        if (b->states.at[s].accepting && !buchi_accepts_all(b, s)) return false;
    return true;
}
