/* Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, 2014): ordered trees of
 * steps still to be explored from a state, to which a sequence is added only if no sequence there covers it already. */
#include <string.h>

#include "schedule/internal.h"

uint32_t wakeup_new(struct pool *pool, struct wakeup *w, const struct event *e)
{
    uint32_t i = w->free;
    if (i) {
        w->free = w->nodes.at[i].next;
    } else {
        if (!w->nodes.len)
            stack_push(pool, &w->nodes, (struct wakeup_node){0}); /* 0 means none */
        stack_push(pool, &w->nodes, (struct wakeup_node){0});
        i = (uint32_t)w->nodes.len - 1;
    }
    w->nodes.at[i].child = w->nodes.at[i].next = 0;
    event_copy(&w->nodes.at[i].event, e);
    return i;
}

static uint32_t *last_link(struct wakeup *w, uint32_t *list)
{
    while (*list)
        list = &w->nodes.at[*list].next;
    return list;
}

/* With all below it, which is left over only if the program failed before that could be done. */
void wakeup_free(struct wakeup *w, uint32_t i)
{
    w->nodes.at[i].next = 0;
    while (i) {
        struct wakeup_node *n = &w->nodes.at[i];
        uint32_t next = n->next;
        if (n->child) {
            *last_link(w, &n->child) = next;
            next = n->child;
        }
        n->child = 0;
        n->next = w->free;
        w->free = i;
        i = next;
    }
}

static const uint32_t *last_clock(const struct hb *h, struct sequence *v)
{
    uint32_t cut[SCHED_MAX_THREADS];
    if (!v->has_clock) {
        memcpy(cut, v->to, (size_t)h->threads * sizeof *cut);
        hb_clock(h, cut, &v->last, v->clock);
    }
    v->has_clock = true;
    return v->clock;
}

static bool has_event(const struct sequence *v, const struct event *e)
{
    return e->index >= v->from[e->thread] && e->index < v->to[e->thread];
}

/* Some step of the sequence that touches the same memory or object concerns e. */
static bool concerns_by_access(const struct hb *h, const struct sequence *v, const struct event *e)
{
    for (unsigned i = 0; i < e->accesses; i++) {
        const struct access *a = &e->access[i];
        const struct cell *c = &h->cells.at[a->cell];
        for (size_t k = c->list.len; k-- > 0 && c->list.at[k].step >= v->start;) {
            const struct cell_entry *other = &c->list.at[k];
            if ((other->bytes & a->bytes) && (other->write || a->write) && has_event(v, &h->events.at[other->step]))
                return true;
        }
    }
    return false;
}

static bool concerns(const struct hb *h, const struct sequence *v, const struct event *e)
{
    bool plain = e->kind != SCHED_GLOBAL && !h->globals.len && !(e->flags & SCHED_TIMED) && !e->woken;
    if (v->has_last && event_conflict(&v->last, e))
        return true;
    if (plain)
        return concerns_by_access(h, v, e);
    for (size_t j = v->start; j < h->events.len; j++)
        if (has_event(v, &h->events.at[j]) && event_conflict(&h->events.at[j], e))
            return true;
    return false;
}

/* Whether e can come first in the sequence (1), does not concern it (2), or neither (0). */
static int weak_initial(const struct hb *h, struct sequence *v, const struct event *e)
{
    int t = e->thread;
    if (v->from[t] < v->to[t]) {
        uint32_t step = h->thread[t].steps.at[v->from[t]];
        return h->events.at[step].choice == e->choice && is_initial(h, v->from, t, hb_clock_of(h, step));
    }
    if (v->has_last && t == v->last.thread)
        return v->last.choice == e->choice && is_initial(h, v->from, t, last_clock(h, v));
    return concerns(h, v, e) ? 0 : 2;
}

bool wakeup_is_weak_initial(const struct hb *h, struct sequence *v, const struct event *e)
{
    return weak_initial(h, v, e) != 0;
}

static void remove_first(struct sequence *v, int t)
{
    if (v->from[t] < v->to[t])
        v->from[t]++;
    else
        v->has_last = false;
}

/* What is left of the sequence, as a chain below the parent (0: as a branch of the state itself), after `before`. */
static void append(const struct hb *h, struct pool *pool, struct wakeup *w, uint32_t *root, uint32_t parent,
                   uint32_t before, const struct sequence *v)
{
    for (size_t j = v->start; j <= h->events.len; j++) {
        const struct event *e = j < h->events.len ? &h->events.at[j] : &v->last;
        if (j < h->events.len ? !has_event(v, e) : !v->has_last)
            continue;
        uint32_t fresh = wakeup_new(pool, w, e);
        *(before ? &w->nodes.at[before].next : parent ? &w->nodes.at[parent].child : root) = fresh;
        parent = fresh;
        before = 0;
    }
}

/* Goes down along steps that the sequence has or that do not concern it, leftmost first; at a leaf it is covered. */
uint32_t wakeup_insert(const struct hb *h, struct pool *pool, struct wakeup *w, uint32_t *root, struct sequence *v)
{
    uint32_t parent = 0, before = 0, child = *root;
    while (child) {
        const struct event *e = &w->nodes.at[child].event;
        int how = weak_initial(h, v, e);
        if (!how) {
            before = child;
            child = w->nodes.at[child].next;
            continue;
        }
        if (how == 1)
            remove_first(v, e->thread);
        if (!w->nodes.at[child].child)
            return 0;
        parent = child;
        before = 0;
        child = w->nodes.at[child].child;
    }
    append(h, pool, w, root, parent, before, v);
    return !parent;
}
