/* Which earlier steps an operation races with, and what could be done in cuts of the execution. */
#include <assert.h>

#include "schedule/internal.h"

static bool unknown_to(const struct hb *h, uint32_t step, int thread)
{
    return h->events.at[step].thread != thread && !hb_in_past_of(h, step, thread);
}

/* Without `beyond` only the last conflicting step of each thread: the ones before it happen before it. */
static void races_on(const struct hb *h, const struct event *e, const struct access *a, bool beyond, step_stack *out)
{
    const struct cell *c = &h->cells.at[a->cell];
    uint8_t open = a->bytes;
    sched_set all = set_below(h->threads), seen = beyond ? SET_NONE : set_of(e->thread);
    for (size_t i = c->list.len; i-- > 0 && open && !set_equal(seen, all);) {
        const struct cell_entry *entry = &c->list.at[i];
        if (!a->write && !entry->write) {
            i = entry->prev_write;
            continue;
        }
        if (!(entry->bytes & a->bytes))
            continue;
        bool unknown = unknown_to(h, entry->step, e->thread);
        if (unknown && !set_has(seen, h->events.at[entry->step].thread))
            stack_push(h->pool, out, entry->step);
        seen |= beyond ? SET_NONE : set_of(h->events.at[entry->step].thread);
        if (entry->write && !(beyond && unknown))
            open &= (uint8_t)~entry->bytes;
    }
}

static void races_with_global(const struct hb *h, const struct event *e, step_stack *out)
{
    if (e->kind != SCHED_GLOBAL) {
        uint32_t last = stack_last(&h->globals);
        if ((h->events.at[last].kind == SCHED_END) == (e->kind == SCHED_END) && unknown_to(h, last, e->thread))
            stack_push(h->pool, out, last);
        return;
    }
    for (int t = 0; t < h->threads; t++) {
        size_t steps = h->thread[t].steps.len;
        steps -= steps && h->events.at[h->thread[t].steps.at[steps - 1]].kind == SCHED_EXIT;
        if (t != e->thread && steps && unknown_to(h, h->thread[t].steps.at[steps - 1], e->thread))
            stack_push(h->pool, out, h->thread[t].steps.at[steps - 1]);
    }
}

size_t hb_races(const struct hb *h, const struct event *e, bool beyond, step_stack *out)
{
    size_t before = out->len;
    for (unsigned i = 0; i < e->accesses; i++)
        races_on(h, e, &e->access[i], beyond, out);
    if ((e->flags & SCHED_TIMED) && !e->failed) /* had the wake-up come later, it would have timed out */
        stack_push(h->pool, out, h->events.at[stack_last(&h->thread[e->thread].steps)].waker - 1);
    if ((h->globals.len && e->kind != SCHED_EXIT) || e->kind == SCHED_GLOBAL)
        races_with_global(h, e, out);
    return out->len - before;
}

const struct sched_op *pending_op(const struct sched *s, const struct sched_view *view, const uint32_t *cut, int t)
{
    const struct hb *h = s->hb;
    if (cut[t] < h->thread[t].steps.len)
        return &s->log.at[h->thread[t].steps.at[cut[t]]].op;
    return set_has(view->live, t) ? &view->next[t] : NULL;
}

static bool exists(const struct hb *h, const uint32_t *cut, int t)
{
    const struct event *last = cut[t] ? &h->events.at[h->thread[t].steps.at[cut[t] - 1]] : NULL;
    if (last && last->kind != SCHED_EXIT)
        return true;
    uint32_t creator = hb_creator(h, t, last);
    return !creator || h->events.at[creator - 1].index < cut[h->events.at[creator - 1].thread];
}

sched_set enabled_in_cut(const struct sched *s, const struct sched_view *view, const uint32_t *cut, sched_set *ending)
{
    sched_set enabled = SET_NONE;
    *ending = SET_NONE;
    for (int t = 0; t < s->hb->threads; t++) {
        struct event e;
        const struct sched_op *op = pending_op(s, view, cut, t);
        if (op && op->kind != SCHED_NONE && exists(s->hb, cut, t) && hb_predict(s->hb, cut, t, op, 0, &e))
            *(op->kind == SCHED_END ? ending : &enabled) |= set_of(t);
    }
    return enabled;
}
