/* Fewer states by direct simulation: q simulates p if it can follow every step of p, and is accepting whenever p is.
 *
 * States that simulate each other become one; a step is dropped where another one leads to a state that can do more.
 * A state on no cycle is passed at most once, so whether it is accepting does not matter: both ways are tried. (To call
 * it accepting when it simulates and not accepting when it is simulated would be wrong: that relation is not
 * transitive, and joins states of different languages.) */
#include "ltl/ltl_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIMULATED = 400 }; /* the relation takes quadratic room and more time */

struct simulation {
    struct buchi *b;
    int n;
    bool *at;        /* at[p * n + q]: q simulates p */
    bool *transient; /* on no cycle */
};

static void find_transient(struct simulation *s)
{
    struct graph g = buchi_graph(s->b);
    int *part = xcalloc((size_t)s->n + 1, sizeof *part), *size = xcalloc((size_t)s->n + 1, sizeof *size);
    graph_components(&g, part);
    for (int p = 0; p < s->n; p++) size[part[p]]++;
    for (int p = 0; p < s->n; p++) {
        s->transient[p] = size[part[p]] == 1;
        for (size_t k = 0; k < s->b->states.at[p].edges.len; k++)
            if (s->b->states.at[p].edges.at[k].to == p) s->transient[p] = false;
    }
    free(part);
    free(size);
}

static bool may_simulate(const struct simulation *s, int p, int q)
{
    return !s->b->states.at[p].accepting || s->b->states.at[q].accepting;
}

/* Every letter of the edge leads from q to something that simulates where it leads from p. */
static bool follows(const struct simulation *s, const struct buchi_edge *e, int q, struct cube *room)
{
    const struct buchi_state *state = &s->b->states.at[q];
    size_t count = 0;
    assert(e->to >= 0 && e->to < s->n && q >= 0 && q < s->n);
    for (size_t k = 0; k < state->edges.len; k++)
        if (s->at[e->to * s->n + state->edges.at[k].to]) room[count++] = state->edges.at[k].label;
    return cube_covered(e->label, room, count);
}

static bool still_simulates(const struct simulation *s, int p, int q, struct cube *room)
{
    for (size_t k = 0; k < s->b->states.at[p].edges.len; k++)
        if (!follows(s, &s->b->states.at[p].edges.at[k], q, room)) return false;
    return true;
}

static size_t most_edges(const struct buchi *b)
{
    size_t most = 1;
    for (size_t p = 0; p < b->states.len; p++) most = MAX(most, b->states.at[p].edges.len);
    return most;
}

/* False: a limit was reached, and the relation is still too large to be used. */
static bool compute(struct simulation *s)
{
    bool cut = false;
    struct cube *room = xcalloc(most_edges(s->b), sizeof *room);
    for (int p = 0; p < s->n; p++)
        for (int q = 0; q < s->n; q++) s->at[p * s->n + q] = may_simulate(s, p, q);
    for (bool changed = true; changed && !cut;) {
        changed = false;
        for (int p = 0; p < s->n && !(cut = limits_reached(s->b->limits)); p++)
            for (int q = 0; q < s->n; q++)
                if (p != q && s->at[p * s->n + q] && !still_simulates(s, p, q, room))
                    s->at[p * s->n + q] = false, changed = true;
    }
    free(room);
    return !cut;
}

/* Where there is a choice, a state that lies on a cycle stands for its class. */
static int representative(const struct simulation *s, int p)
{
    int best = p;
    for (int q = s->n - 1; q >= 0; q--)
        if (s->at[p * s->n + q] && s->at[q * s->n + p] && (s->transient[best] || !s->transient[q])) best = q;
    return best;
}

static bool merge_classes(struct simulation *s)
{
    int *instead = xcalloc((size_t)s->n + 1, sizeof *instead);
    bool merged = false;
    for (int p = 0; p < s->n; p++) merged |= (instead[p] = representative(s, p)) != p;
    for (int p = 0; p < s->n; p++) assert(instead[instead[p]] == instead[p]); /* a class agrees on who stands for it */
    for (int p = 0; p < s->n; p++)
        for (size_t k = 0; k < s->b->states.at[p].edges.len; k++) {
            struct buchi_edge *e = &s->b->states.at[p].edges.at[k];
            e->to = instead[e->to];
        }
    s->b->initial = instead[s->b->initial];
    free(instead);
    return merged;
}

static bool better(const struct simulation *s, const struct buchi_edge *e, size_t i, const struct buchi_edge *o,
                   size_t k)
{
    if (i == k || !cube_implies(e->label, o->label) || !s->at[e->to * s->n + o->to]) return false;
    bool also_back = cube_implies(o->label, e->label) && s->at[o->to * s->n + e->to];
    return !also_back || k < i;
}

static bool drop_little_brothers(struct simulation *s)
{
    bool dropped = false;
    for (int p = 0; p < s->n; p++) {
        struct buchi_state *state = &s->b->states.at[p];
        bool *gone = xcalloc(state->edges.len + 1, sizeof *gone);
        size_t kept = 0;
        for (size_t i = 0; i < state->edges.len; i++)
            for (size_t k = 0; k < state->edges.len && !gone[i]; k++)
                gone[i] = better(s, &state->edges.at[i], i, &state->edges.at[k], k);
        for (size_t i = 0; i < state->edges.len; i++)
            if (!gone[i]) state->edges.at[kept++] = state->edges.at[i];
        dropped |= kept < state->edges.len;
        state->edges.len = kept;
        free(gone);
    }
    return dropped;
}

/* Two cubes that differ in the sign of one literal are one without it. */
static bool join_cubes(struct buchi_state *state)
{
    for (size_t i = 0; i < state->edges.len; i++)
        for (size_t k = i + 1; k < state->edges.len; k++) {
            struct buchi_edge *a = &state->edges.at[i], *b = &state->edges.at[k];
            letter differ = (a->label.pos ^ b->label.pos) & (a->label.neg ^ b->label.neg);
            bool one = a->to == b->to && differ && !(differ & (differ - 1)) &&
                       (a->label.pos | differ) == (b->label.pos | differ) &&
                       (a->label.neg | differ) == (b->label.neg | differ);
            if (!one) continue;
            a->label.pos &= ~differ;
            a->label.neg &= ~differ;
            state->edges.at[k] = vec_pop(&state->edges);
            return true;
        }
    return false;
}

static void mark_transient(struct simulation *s, bool accepting)
{
    for (int p = 0; p < s->n; p++)
        if (s->transient[p]) s->b->states.at[p].accepting = accepting;
}

static bool simplify_once(struct buchi *b, bool transient_accepts)
{
    buchi_trim(b);
    struct simulation s = {.b = b, .n = (int)b->states.len};
    if (s.n > MOST_SIMULATED) return false;
    s.at = xcalloc((size_t)s.n * (size_t)s.n + 1, sizeof *s.at);
    s.transient = xcalloc((size_t)s.n + 1, sizeof *s.transient);
    find_transient(&s);
    mark_transient(&s, transient_accepts);
    bool known = compute(&s);
    bool changed = known && merge_classes(&s); /* either of the two, never both: the relation was computed before */
    if (!changed) changed = known && drop_little_brothers(&s);
    for (int p = 0; p < s.n; p++)
        while (join_cubes(&b->states.at[p])) changed = true;
    if (!changed) mark_transient(&s, false);
    free(s.at);
    free(s.transient);
    return changed;
}

void buchi_simplify(struct buchi *b)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int accepts = 1; accepts >= 0; accepts--)
            while (!limits_reached(b->limits) && simplify_once(b, accepts)) changed = true;
    }
    buchi_trim(b);
}

bool *buchi_followers(const struct buchi *b)
{
    struct simulation s = {.b = (struct buchi *)b, .n = (int)b->states.len}; /* only read */
    if (s.n > MOST_SIMULATED) return NULL;
    size_t n = (size_t)s.n;
    bool *follows_from = xcalloc(n * n + 1, sizeof *follows_from);
    s.at = xcalloc(n * n + 1, sizeof *s.at);
    if (!compute(&s)) {
        free(s.at);
        free(follows_from);
        return NULL;
    }
    struct cube *room = xcalloc(most_edges(b), sizeof *room);
    for (int p = 0; p < s.n; p++)
        for (int q = 0; q < s.n; q++) follows_from[p * s.n + q] = still_simulates(&s, p, q, room);
    free(room);
    free(s.at);
    return follows_from;
}
