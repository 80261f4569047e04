/* States that nobody was in, put together from what is known of their threads (known.c).
 *
 * What a thread does next is decided by its past: the steps that happen before its last one, or before its creation. It
 * is kept under the hash of these. So is whether its last step changed memory, for that too is decided there. Whether a
 * compare-exchange would succeed is decided by the pasts of its thread and of the last write to its place: what changes
 * memory without being a step is ordered with both, or it is a race. */
#include <assert.h>
#include <string.h>

#include "schedule/known_int.h"

void sched_known_whole(struct sched_known *k)
{
    if (!k || !k->composes)
        return;
    k->composes = false;
    k->is_doubted = k->has_composed;
}

/* ---- pasts ---- */

static void add_thread(const struct hb *h, struct sched_hash *x, int t, uint32_t steps)
{
    if (!steps)
        return;
    const struct sched_hash *up_to = &h->events.at[h->thread[t].steps.at[steps - 1]].thread_hash;
    x->lo ^= up_to->lo;
    x->hi ^= up_to->hi;
}

/* Of the event with that hash and clock, itself included. */
static struct sched_hash past_of(const struct hb *h, const struct event *e, const uint32_t *clock,
                                 struct sched_hash hash)
{
    for (int t = 0; t < h->threads; t++)
        add_thread(h, &hash, t, t == e->thread ? e->index : clock[t]);
    return hash;
}

static struct sched_hash past_of_step(const struct hb *h, uint32_t step)
{
    const struct event *e = &h->events.at[step];
    return past_of(h, e, hb_clock_of(h, step), e->hash);
}

/* What the thread goes on from. */
static struct sched_hash past_for(struct sched_hash past, int t)
{
    uint64_t which = UINT64_C(0xd6e8feb86659fd93) * (uint64_t)(t + 1);
    return (struct sched_hash){hash_mix(past.lo, which), hash_mix(past.hi, which ^ past.lo)};
}

static struct sched_hash past_of_thread(const struct hb *h, int t)
{
    struct sched_hash none = {0, 0};
    uint32_t creator = h->thread[t].creator;
    size_t steps = h->thread[t].steps.len;
    if (steps && h->thread[t].steps.at[steps - 1] >= creator)
        return past_for(past_of_step(h, h->thread[t].steps.at[steps - 1]), t);
    return past_for(creator ? past_of_step(h, creator - 1) : none, t);
}

/* The last write to the place, which must be all of it. False: it is not. 1 + the step; 0: nobody wrote there. */
static bool last_write(struct hb *h, const struct access *a, uint32_t *step)
{
    const struct cell *c = &h->cells.at[a->cell];
    *step = 0;
    for (size_t i = c->list.len; i-- > 0;) {
        const struct cell_entry *entry = &c->list.at[i];
        if (!entry->write) {
            i = entry->prev_write; /* the next round looks at that write, or ends */
            continue;
        }
        if (!(entry->bytes & a->bytes))
            continue;
        *step = entry->step + 1;
        return (entry->bytes & a->bytes) == a->bytes;
    }
    return true;
}

/* Under which it is kept whether the thread's compare-exchange would succeed. */
static bool past_of_compare(struct hb *h, int t, const struct sched_op *op, struct sched_hash *past)
{
    struct event e;
    uint32_t write;
    hb_predict(h, NULL, t, op, 0, &e);
    if (!last_write(h, &e.access[0], &write))
        return false;
    struct sched_hash own = past_of_thread(h, t), other = {1, 1};
    if (write)
        other = past_of_step(h, write - 1);
    *past = (struct sched_hash){hash_mix(own.lo, other.lo), hash_mix(own.hi, other.hi)};
    return true;
}

/* ---- what was seen ---- */

/* False: something else follows from the same past. */
static bool note(struct sched_known *k, struct sched_hash past, uint32_t what, bool changed)
{
    if (!known_keep_loose(k, &k->futures) || !what)
        return true;
    uint32_t *slot = known_future_slot(k, past);
    if (*slot)
        return k->pasts.at[*slot - 1].what == what && k->pasts.at[*slot - 1].changed == changed;
    if (!HAS_ROOM(k, &k->pasts, 1))
        return true;
    struct future f = {past, what, changed};
    stack_push(&k->pool, &k->pasts, f);
    *slot = (uint32_t)k->pasts.len;
    k->futures.count++;
    return true;
}

/* Without what others have to do with. */
static uint32_t number_of_own(struct sched_known *k, int t, const struct sched_op *op)
{
    struct sched_op own = *op;
    own.flags &= (uint8_t)~SCHED_FITS;
    if (op->kind == SCHED_SIGNAL)
        own.count = 0;
    if (op->flags & SCHED_SURPRISE)
        own.older = 0;
    return known_number(k, t, &own);
}

static bool note_thread(struct sched *s, const struct sched_view *view, int t, bool changed)
{
    struct sched_known *k = s->config.known;
    const struct sched_op *op = &view->next[t];
    return !set_has(view->live, t) || note(k, past_of_thread(s->hb, t), number_of_own(k, t, op), changed);
}

static bool note_compares(struct sched *s, const struct sched_view *view)
{
    int t;
    FOR_EACH_THREAD(t, view->live) {
        struct sched_hash past;
        const struct sched_op *op = &view->next[t];
        if (!op_asks_memory(op) || !past_of_compare(s->hb, t, op, &past))
            continue;
        if (!note(s->config.known, past, op->flags & SCHED_FITS ? 2 : 1, false))
            return false;
    }
    return true;
}

static bool note_all(struct sched *s, const struct sched_view *view)
{
    struct hb *h = s->hb;
    int t;
    if (!h->events.len) {
        FOR_EACH_THREAD(t, view->live)
            if (!note_thread(s, view, t, false))
                return false;
        return note_compares(s, view);
    }
    const struct event *last = &stack_last(&h->events);
    return note_thread(s, view, last->thread, last->changed) &&
           (last->kind != SCHED_CREATE || note_thread(s, view, last->other, false)) && note_compares(s, view);
}

bool compose_note(struct sched *s, const struct sched_view *view)
{
    struct sched_known *k = s->config.known;
    if (!k->composes || k->full || note_all(s, view))
        return true;
    k->composes = false;
    return !k->has_composed;
}

/* ---- what follows ---- */

static const struct future *future_of(const struct sched_known *k, struct sched_hash past)
{
    uint32_t found = k->futures.slots ? *known_future_slot(k, past) : 0;
    return found ? &k->pasts.at[found - 1] : NULL;
}

static bool look_up_compare(struct sched *s, int t, struct sched_op *op)
{
    struct sched_hash past;
    const struct future *f = NULL;
    op->flags &= (uint8_t)~SCHED_FITS;
    if (past_of_compare(s->hb, t, op, &past))
        f = future_of(s->config.known, past);
    if (f && f->what == 2)
        op->flags |= SCHED_FITS;
    return f;
}

/* Whether the thread can go on, and what of its operation depends on others; false: that is not known. */
static bool settle(struct sched *s, struct sched_view *view, int t)
{
    struct sched_op *op = &view->next[t];
    struct event e;
    if (op_asks_memory(op) && !look_up_compare(s, t, op))
        return false;
    view->enabled &= ~set_of(t);
    view->ending &= ~set_of(t);
    if (hb_predict(s->hb, NULL, t, op, 0, &e))
        view->enabled |= set_of(t);
    if (op->flags & SCHED_SURPRISE)
        op->older = hb_spurious_left(s->hb, NULL) ? 2 : 0;
    if (op->kind == SCHED_SIGNAL)
        op->count = set_any(e.woken) ? e.choices : 0;
    if (op->kind == SCHED_END)
        view->ending |= set_of(t);
    return true;
}

static bool is_memory(int kind)
{
    return kind == SCHED_READ || kind == SCHED_WRITE || kind == SCHED_RMW || kind == SCHED_CAS;
}

/* What the step did may decide whether the thread, which is about to do this, can go on, or how. */
static bool may_concern(const struct event *e, const struct sched_op *did, const struct sched_op *op, int t)
{
    if (is_memory(op->kind))
        return op_asks_memory(op) && is_memory(did->kind) && op->object >> 3 <= (did->object + did->count) >> 3 &&
               did->object >> 3 <= op->object >> 3;
    return set_has(e->woken, t) || e->kind == SCHED_EXIT || op->object == did->object || op->object == did->object2 ||
           (op->object2 && (op->object2 == did->object || op->object2 == did->object2));
}

/* The state after the step, of which the threads' operations are known. Those that wait in a loop are another matter:
 * when that is noticed depends on more than the graph. */
static bool settle_after(struct sched *s, const struct sched_op *did, struct sched_view *view)
{
    const struct event *e = &stack_last(&s->hb->events);
    int t;
    FOR_EACH_THREAD(t, view->live) {
        const struct sched_op *op = &view->next[t];
        if ((op->flags & SCHED_SPIN) || op->kind == SCHED_GLOBAL)
            return false;
        bool is_new = t == e->thread || t == e->other;
        if ((is_new || (op->flags & SCHED_SURPRISE) || may_concern(e, did, op, t)) && !settle(s, view, t))
            return false;
    }
    return true;
}

static bool look_up(struct sched_known *k, struct sched_hash past, int t, struct sched_view *view, bool *changed)
{
    const struct future *f = future_of(k, past_for(past, t));
    if (!f)
        return false;
    view->next[t] = k->ops.at[f->what - 1];
    view->live |= set_of(t);
    *changed = f->changed;
    return true;
}

static void leave(struct sched_view *view, int t)
{
    view->live &= ~set_of(t);
    view->enabled &= ~set_of(t);
    view->ending &= ~set_of(t);
}

static bool is_live(const struct hb *h, sched_set first, int t)
{
    uint32_t creator = h->thread[t].creator;
    size_t steps = h->thread[t].steps.len;
    uint32_t last = steps ? h->thread[t].steps.at[steps - 1] : 0;
    bool has_moved = steps && last >= creator;
    return has_moved ? h->events.at[last].kind != SCHED_EXIT : creator || set_has(first, t);
}

bool compose_state(struct sched *s, sched_set first, struct sched_view *view)
{
    struct sched_known *k = s->config.known;
    if (!k->composes || s->hb->globals.len)
        return false;
    view->live = view->enabled = view->ending = SET_NONE;
    for (int t = 0; t < s->hb->threads; t++) {
        if (!is_live(s->hb, first, t))
            continue;
        const struct future *f = future_of(k, past_of_thread(s->hb, t));
        if (!f)
            return false;
        view->next[t] = k->ops.at[f->what - 1];
        view->live |= set_of(t);
        if (view->next[t].flags & SCHED_SPIN || view->next[t].kind == SCHED_GLOBAL || !settle(s, view, t))
            return false;
    }
    k->has_composed = true;
    return true;
}

bool compose_step(struct sched *s, const uint32_t *clock, struct sched_hash hash, struct sched_view *view)
{
    struct sched_known *k = s->config.known;
    const struct event *e = &s->predicted;
    struct sched_hash past = past_of(s->hb, e, clock, hash);
    bool changed = false, ignored;
    if (!k->composes || event_is_global(e) || s->hb->globals.len)
        return false;
    struct sched_op did = view->next[e->thread];
    if (e->kind == SCHED_EXIT)
        leave(view, e->thread);
    else if (!look_up(k, past, e->thread, view, &changed))
        return false;
    if (e->kind == SCHED_CREATE && !look_up(k, past, e->other, view, &ignored))
        return false;
    struct sched_outcome outcome = {.failed = e->failed, .changed = changed, .woken = e->woken};
    k->has_composed = true;
    sched_executed(s, &outcome);
    return settle_after(s, &did, view);
}
