/* The steps of a proctype between the control states in which it can rest: its first one, and where a step can end. A
 * step that goes on (atomic, merged statements) leads from its first state to its last, and to all in between where it
 * can block. */
#include "model/loops_int.h"

#include <assert.h>
#include <stdlib.h>

struct loop_builder {
    struct promela_model *m;
    struct arena *arena;
    const struct automaton *a;
    const struct footprint *next;  /* [state] */
    struct counters counters;
    uint64_t *must, *may_spoil;    /* [state]: of a step that goes on there */
    int *seen;
    VEC(int) work, ends;
    VEC(struct hop) hops;
};

static bool is_transient(const struct loop_builder *b, int state)
{
    return b->m->merging.transient[b->a->proctype->index][state];
}

static bool rests_behind(const struct loop_builder *b, const struct edge *e)
{
    return e->keeps_atomic ? edge_may_rest(b->a, e) : !is_transient(b, e->to);
}

static uint64_t counted_by(const struct loop_builder *b, int state, size_t k)
{
    const struct edge *e = &b->a->at[state].edges.at[k];
    uint64_t own = b->counters.counts[state][k];
    return e->to && !rests_behind(b, e) ? own | b->must[e->to] : own;
}

static uint64_t spoiled_by(const struct loop_builder *b, int state, size_t k)
{
    const struct edge *e = &b->a->at[state].edges.at[k];
    uint64_t own = b->counters.spoils[state][k];
    return step_goes_on(b->m, b->a, e) ? own | b->may_spoil[e->to] : own;
}

/* What a step does from a state on in which it does not rest: surely (the greatest solution), and perhaps (the least).
 * Where a merged statement blocks, it does so for ever. */
static void find_counting(struct loop_builder *b)
{
    for (int c = 1; c < b->a->count; c++) b->must[c] = UINT64_MAX;
    for (bool changed = true; changed && !model_is_over(b->m);) {
        changed = false;
        for (int c = b->a->count - 1; c > 0; c--) {
            uint64_t must = UINT64_MAX, spoils = 0;
            for (size_t k = 0; k < b->a->at[c].edges.len; k++) {
                must &= counted_by(b, c, k);
                spoils |= spoiled_by(b, c, k);
            }
            assert(!(must & ~b->must[c]) && !(b->may_spoil[c] & ~spoils)); /* one shrinks, the other grows: it ends */
            changed |= must != b->must[c] || spoils != b->may_spoil[c];
            b->must[c] = must, b->may_spoil[c] = spoils;
        }
    }
}

/* Where steps over the edge can end. */
static void find_ends(struct loop_builder *b, const struct edge *over, int stamp)
{
    b->ends.len = 0;
    assert(!b->work.len && stamp > 0);
    if (!over->to) return;
    if (rests_behind(b, over)) vec_push(&b->ends, over->to);
    if (!step_goes_on(b->m, b->a, over)) return;
    vec_push(&b->work, over->to);
    b->seen[over->to] = stamp;
    while (b->work.len) {
        const struct control *c = &b->a->at[vec_pop(&b->work)];
        for (size_t k = 0; k < c->edges.len; k++) {
            const struct edge *e = &c->edges.at[k];
            if (!e->to || b->seen[e->to] == stamp) continue;
            if (rests_behind(b, e)) vec_push(&b->ends, e->to);
            if (!step_goes_on(b->m, b->a, e)) continue;
            b->seen[e->to] = stamp;
            vec_push(&b->work, e->to);
        }
    }
}

static struct channel_use first_use(const struct edge *e)
{
    const struct stmt *s = e->kind == EDGE_STMT || e->kind == EDGE_D_STEP ? first_basic(e->stmt) : NULL;
    if (s && s->kind == STMT_SEND) return (struct channel_use){channel_ref_of(s->a), OP_SENDS};
    if (s && s->kind == STMT_RECEIVE && !s->peek) return (struct channel_use){channel_ref_of(s->a), OP_RECEIVES};
    return (struct channel_use){.ops = 0};
}

static void add_hops(struct loop_builder *b, int from, size_t k, int stamp)
{
    const struct control *at = &b->a->at[from];
    const struct edge *e = &at->edges.at[k];
    find_ends(b, e, stamp);
    if (!b->ends.len) return;
    struct footprint uses = {0};
    uses.reads = uses.writes = xcalloc(b->m->independence->words, sizeof *uses.reads);
    footprint_add_edge(&uses, at, e);
    if (step_goes_on(b->m, b->a, e)) footprint_join(&uses, &b->next[e->to], 0);
    struct channel_use *may = arena_alloc(b->arena, (uses.channels.len + 1) * sizeof *may);
    for (size_t i = 0; i < uses.channels.len; i++) may[i] = uses.channels.at[i];
    for (size_t i = 0; i < b->ends.len; i++)
        vec_push(&b->hops, ((struct hop){from, b->ends.at[i], first_use(e), may, uses.channels.len,
                                         counted_by(b, from, k), spoiled_by(b, from, k)}));
    free(uses.reads);
    vec_release(&uses.channels);
}

static void find_resting(const struct loop_builder *b, bool *rests)
{
    rests[b->a->initial] = true;
    for (int c = 1; c < b->a->count; c++)
        for (size_t k = 0; k < b->a->at[c].edges.len; k++) {
            const struct edge *e = &b->a->at[c].edges.at[k];
            if (e->to && rests_behind(b, e)) rests[e->to] = true;
        }
}

static void find_hops(struct loop_builder *b, struct loops *out)
{
    int stamp = 0;
    bool *rests = xcalloc((size_t)b->a->count, sizeof *rests);
    find_resting(b, rests);
    for (int c = 1; c < b->a->count; c++) {
        out->begin[c] = b->hops.len;
        for (size_t k = 0; rests[c] && k < b->a->at[c].edges.len && b->hops.len <= MOST_HOPS && !b->m->over; k++)
            add_hops(b, c, k, ++stamp);
    }
    out->begin[b->a->count] = b->hops.len;
    free(rests);
}

void loops_build(struct promela_model *m, const struct automaton *a, const struct footprint *next, struct loops *out)
{
    size_t n = (size_t)a->count;
    struct loop_builder b = {.m = m, .arena = &m->arena, .a = a, .next = next};
    b.must = xcalloc(n, sizeof *b.must);
    b.may_spoil = xcalloc(n, sizeof *b.may_spoil);
    b.seen = xcalloc(n, sizeof *b.seen);
    out->count = a->count;
    out->begin = arena_alloc(&m->arena, (n + 1) * sizeof *out->begin);
    counters_find(a, &b.counters);
    find_counting(&b);
    find_hops(&b, out);
    out->hop_count = b.hops.len;
    out->hops = arena_alloc(&m->arena, (b.hops.len + 1) * sizeof *out->hops);
    for (size_t i = 0; i < b.hops.len; i++) out->hops[i] = b.hops.at[i];
    for (size_t i = 0; i < a->proctype->vars.len; i++)
        if (keeps_its_channel(a->proctype->vars.at[i])) vec_push(&out->channels, a->proctype->vars.at[i]);
    counters_release(a, &b.counters);
    vec_release(&b.hops);
    vec_release(&b.work);
    vec_release(&b.ends);
    free(b.must);
    free(b.may_spoil);
    free(b.seen);
}
