/* Happens-before: the order of the events of one execution, as vector clocks that grow and shrink with the execution,
 * and the hash of the graph.
 *
 * The graph's hash is the XOR of the hashes of its events, so that it is incremental both ways. An event is hashed as
 * (thread, how manieth of the thread, kind, outcome, clock): the clock says which events happen before it, which is
 * what the published index of the write says too, and it stays right for accesses that overlap only partly and for
 * operations on two objects. Addresses are left out: they may differ between equivalent executions. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __uint128_t m = (__uint128_t)(a ^ UINT64_C(0xa0761d6478bd642f)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static size_t slot_of(const struct hb *h, uint64_t key)
{
    size_t i = hash_mix(key, 0x5851f42d4c957f2d) & h->slot_mask;
    while (h->slots[i] && h->cells.at[h->slots[i] - 1].key != key)
        i = (i + 1) & h->slot_mask;
    return i;
}

static void slots_double(struct hb *h)
{
    pool_free(h->pool, h->slots);
    h->slot_mask = h->slot_mask * 2 + 1;
    h->slots = pool_alloc(h->pool, (h->slot_mask + 1) * sizeof *h->slots);
    for (size_t c = 0; c < h->cells.len; c++)
        h->slots[slot_of(h, h->cells.at[c].key)] = (uint32_t)c + 1;
}

uint32_t hb_cell(struct hb *h, uint64_t key)
{
    size_t i = slot_of(h, key);
    if (h->slots[i])
        return h->slots[i] - 1;
    stack_push(h->pool, &h->cells, ((struct cell){.key = key}));
    h->slots[i] = (uint32_t)h->cells.len;
    if (h->cells.len * 2 > h->slot_mask)
        slots_double(h);
    return (uint32_t)h->cells.len - 1;
}

void hb_init(struct hb *h, struct pool *pool)
{
    h->pool = pool;
    h->stride = 4;
    h->slot_mask = 63;
    h->slots = pool_alloc(pool, (h->slot_mask + 1) * sizeof *h->slots);
}

/* Counts stay far below 2^31: signed comparisons are the ones that every x86-64 has for vectors. */
static void join(const struct hb *h, uint32_t *out, size_t step)
{
    const int32_t *row = (const int32_t *)hb_clock_of(h, step);
    int32_t *to = (int32_t *)out;
    if (h->events.at[step].index < out[h->events.at[step].thread])
        return; /* it was known, and with it all that it knows */
    for (size_t t = 0; t < h->stride; t++)
        to[t] = row[t] > to[t] ? row[t] : to[t];
}

/* All events of the cut that this access must come after; those behind a covering write come before that. */
static void join_access(const struct hb *h, const uint32_t *cut, const struct access *a, uint32_t *out)
{
    const struct cell *c = &h->cells.at[a->cell];
    uint8_t open = a->bytes;
    for (size_t i = c->list.len; i-- > 0 && open;) {
        const struct cell_entry *entry = &c->list.at[i];
        if (!a->write && !entry->write) {
            i = entry->prev_write; /* the next round looks at that write, or ends */
            continue;
        }
        const struct event *e = &h->events.at[entry->step];
        if (!(entry->bytes & a->bytes) || (cut && e->index >= cut[e->thread]))
            continue;
        join(h, out, entry->step);
        if (entry->write)
            open &= (uint8_t)~entry->bytes;
    }
}

/* A global event comes after all that were before it, and everything later after it; the end of the program also after
 * the ends of threads. */
static void join_globals(const struct hb *h, const uint32_t *cut, const struct event *e, uint32_t *out)
{
    for (size_t i = h->globals.len; i-- > 0;) {
        const struct event *global = &h->events.at[h->globals.at[i]];
        if (!cut || global->index < cut[global->thread]) {
            join(h, out, h->globals.at[i]);
            break;
        }
    }
    for (int t = 0; event_is_global(e) && t < h->threads; t++) {
        size_t n = cut ? cut[t] : h->thread[t].steps.len;
        n -= n && e->kind == SCHED_GLOBAL && h->events.at[h->thread[t].steps.at[n - 1]].kind == SCHED_EXIT;
        if (n)
            join(h, out, h->thread[t].steps.at[n - 1]);
    }
}

uint32_t hb_creator(const struct hb *h, int t, const struct event *before)
{
    uint32_t found = h->thread[t].creator, end = before ? h->thread[t].steps.at[before->index] : 0, older;
    if (before && found <= end)
        return 0;
    while (found && (older = h->events.at[found - 1].replaces) > end)
        found = older;
    return found;
}

static void join_end_of(const struct hb *h, const uint32_t *cut, int t, uint32_t *out)
{
    size_t n = cut && cut[t] ? cut[t] : h->thread[t].steps.len;
    if (n)
        join(h, out, h->thread[t].steps.at[n - 1]);
}

static bool is_arrival(const struct hb *h, const struct cell *c, size_t i, uint32_t round)
{
    const struct event *e = &h->events.at[c->list.at[i].step];
    return e->kind == SCHED_BARRIER && e->round == round;
}

struct round hb_round_of(const struct hb *h, const struct event *arrival)
{
    const struct cell *c = &h->cells.at[arrival->access[0].cell];
    struct round r = {arrival->change[0].pos, arrival->change[0].pos + 1};
    while (r.from && is_arrival(h, c, r.from - 1, arrival->round))
        r.from--;
    while (r.to < c->list.len && is_arrival(h, c, r.to, arrival->round))
        r.to++;
    return r;
}

/* A thread leaves a barrier after all have arrived. These pairs are never enabled together, so they are no races. */
static void join_round(const struct hb *h, const uint32_t *cut, const struct event *arrival, uint32_t *out)
{
    const struct cell *c = &h->cells.at[arrival->access[0].cell];
    struct round r = hb_round_of(h, arrival);
    for (size_t i = r.from; i < r.to; i++) {
        const struct event *e = &h->events.at[c->list.at[i].step];
        if (!cut || e->index < cut[e->thread])
            join(h, out, c->list.at[i].step);
    }
}

/* An arrival commutes with those of its round only if all of the round before come before it (doc/schedule.md). */
static void note_round(struct hb *h, const struct event *e, const uint32_t *clock)
{
    const struct cell *c = &h->cells.at[e->access[0].cell];
    h->has_rounds = true;
    for (size_t i = c->list.len; i-- > 0;) {
        const struct event *other = &h->events.at[c->list.at[i].step];
        if (other->kind != SCHED_BARRIER || other->round + 1 < e->round)
            return;
        h->rounds_overlap |= other->round != e->round && other->index >= clock[other->thread];
    }
}

void hb_clock(const struct hb *h, const uint32_t *cut, const struct event *e, uint32_t *out)
{
    const struct event *before = NULL;
    uint32_t creator;
    memset(out, 0, h->stride * sizeof *out);
    if (e->index) {
        uint32_t step = h->thread[e->thread].steps.at[e->index - 1];
        before = &h->events.at[step];
        memcpy(out, hb_clock_of(h, step), h->stride * sizeof *out);
    }
    if ((!before || before->kind == SCHED_EXIT) && (creator = hb_creator(h, e->thread, before)))
        join(h, out, creator - 1);
    if (before && before->waker && !e->failed && e->kind == SCHED_COND_RESUME)
        join(h, out, before->waker - 1);
    if (e->kind == SCHED_BARRIER_LEAVE)
        join_round(h, cut, before, out);
    if (e->kind == SCHED_JOIN)
        join_end_of(h, cut, e->other, out);
    for (unsigned i = 0; i < e->accesses; i++)
        join_access(h, cut, &e->access[i], out);
    if ((h->globals.len && e->kind != SCHED_EXIT) || event_is_global(e))
        join_globals(h, cut, e, out);
    out[e->thread] = e->index + 1;
}

struct sched_hash hb_event_hash(const struct hb *h, const struct event *e, const uint32_t *clock)
{
    uint32_t low = (uint32_t)e->failed << 24 | (uint32_t)e->kind << 16 | (uint32_t)e->thread;
    uint64_t label = (uint64_t)e->choice << 32 | low;
    struct sched_hash x = {hash_mix(label, e->index), hash_mix(e->index + UINT64_C(0x9e3779b97f4a7c15), label)};
    for (int t = 0; t < h->threads; t++) {
        if (!clock[t])
            continue; /* threads not heard of must not count: their number may grow later */
        uint64_t word = (uint64_t)clock[t] << 16 | (uint64_t)t;
        x.lo = hash_mix(x.lo, word);
        x.hi = hash_mix(x.hi + UINT64_C(0x8ebc6af09c88c6e3), word ^ UINT64_C(0x589965cc75374cc3));
    }
    return x;
}

static void xor_into(struct sched_hash *x, struct sched_hash y)
{
    x->lo ^= y.lo;
    x->hi ^= y.hi;
}

/* Rows get longer when a thread with a higher number comes. */
static void make_room(struct hb *h, int threads, size_t events)
{
    size_t stride = h->stride;
    if (threads > h->threads)
        h->threads = threads;
    while (stride < (size_t)h->threads)
        stride *= 2;
    size_t need = (events + 1) * stride;
    if (stride == h->stride && need <= h->clocks_cap)
        return;
    size_t cap = need > h->clocks_cap ? need * 2 : h->clocks_cap;
    uint32_t *fresh = pool_alloc(h->pool, cap * sizeof *fresh);
    for (size_t i = 0; i < h->events.len; i++)
        memcpy(fresh + i * stride, h->clocks + i * h->stride, h->stride * sizeof *fresh);
    pool_free(h->pool, h->clocks);
    h->clocks = fresh;
    h->clocks_cap = cap;
    h->stride = stride;
}

void hb_expect_threads(struct hb *h, int threads)
{
    if (threads > h->threads)
        make_room(h, threads, h->events.len);
}

static void enter_cells(struct hb *h, struct event *e, uint32_t step)
{
    for (unsigned i = 0; i < e->accesses; i++) {
        const struct access *a = &e->access[i];
        struct cell *c = &h->cells.at[a->cell];
        uint32_t prev = 0;
        if (c->list.len)
            prev = stack_last(&c->list).write ? (uint32_t)c->list.len : stack_last(&c->list).prev_write;
        e->change[i].pos = (uint32_t)c->list.len;
        stack_push(h->pool, &c->list, ((struct cell_entry){step, prev, a->bytes, a->write}));
        c->state = e->change[i].after;
    }
}

static void leave_cells(struct hb *h, const struct event *e)
{
    for (unsigned i = e->accesses; i-- > 0;) {
        struct cell *c = &h->cells.at[e->access[i].cell];
        assert(c->list.len == e->change[i].pos + 1u);
        c->list.len--;
        c->state = e->change[i].before;
    }
}

static void set_waker(struct hb *h, const struct event *e, uint32_t waker)
{
    int t;
    FOR_EACH_THREAD(t, e->woken)
        h->events.at[stack_last(&h->thread[t].steps)].waker = waker;
}

static void enter_creation(struct hb *h, struct event *e, uint32_t step)
{
    if (e->kind != SCHED_CREATE)
        return;
    e->replaces = h->thread[e->other].creator;
    h->thread[e->other].creator = step + 1;
}

static void add_hash(struct hb *h, struct event *e, const uint32_t *clock)
{
    e->hash = e->thread_hash = hb_event_hash(h, e, clock);
    if (e->index)
        xor_into(&e->thread_hash, h->events.at[stack_last(&h->thread[e->thread].steps)].thread_hash);
    xor_into(&h->hash, e->hash);
}

void hb_append(struct hb *h, const struct event *e)
{
    uint32_t step = (uint32_t)h->events.len;
    make_room(h, (e->other > e->thread ? e->other : e->thread) + 1, step + 1);
    uint32_t *clock = h->clocks + step * h->stride;
    hb_clock(h, NULL, e, clock);
    if (h->rounds_commute && e->kind == SCHED_BARRIER && (e->flags & SCHED_ROUNDS))
        note_round(h, e, clock);
    stack_push_event(h->pool, &h->events, e);
    struct event *own = &stack_last(&h->events);
    if (h->hashing)
        add_hash(h, own, clock);
    enter_cells(h, own, step);
    stack_push(h->pool, &h->thread[e->thread].steps, step);
    if (event_is_global(own))
        stack_push(h->pool, &h->globals, step);
    if (event_is_surprise(e))
        stack_push(h->pool, &h->spurious, step);
    set_waker(h, own, step + 1);
    enter_creation(h, own, step);
}

void hb_truncate(struct hb *h, size_t len)
{
    while (h->events.len > len) {
        const struct event *e = &stack_last(&h->events);
        set_waker(h, e, 0);
        if (e->kind == SCHED_CREATE)
            h->thread[e->other].creator = e->replaces;
        h->thread[e->thread].steps.len--;
        leave_cells(h, e);
        h->globals.len -= event_is_global(e);
        h->spurious.len -= event_is_surprise(e);
        if (h->hashing)
            xor_into(&h->hash, e->hash);
        h->events.len--;
    }
}

struct sched_hash hb_cut_hash(const struct hb *h, const uint32_t *cut)
{
    struct sched_hash x = {0, 0};
    for (int t = 0; t < h->threads; t++)
        if (cut[t])
            xor_into(&x, h->events.at[h->thread[t].steps.at[cut[t] - 1]].thread_hash);
    return x;
}
