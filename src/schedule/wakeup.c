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
            w->nodes.len = 1; /* 0 means none */
        i = (uint32_t)w->nodes.len++;
        stack_reserve(pool, &w->nodes, w->nodes.len);
        stack_reserve(pool, &w->steps, w->nodes.len);
    }
    w->nodes.at[i] =
        (struct wakeup_node){.choice = e->choice, .thread = (int16_t)e->thread, .inert = touches_nothing(e)};
    footprint_of(&w->steps.at[i], e);
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

/* How many of thread t's events are before the sequence or in it. */
static uint32_t events_up_to(const struct hb *h, const struct sequence *v, int t)
{
    uint32_t low = v->from[t], high = (uint32_t)h->thread[t].steps.len;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (hb_clock_of(h, h->thread[t].steps.at[middle])[v->thread] <= v->index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sequence_cut(const struct hb *h, const struct sequence *v, uint32_t *cut)
{
    for (int t = 0; t < h->threads; t++)
        cut[t] = events_up_to(h, v, t);
}

static const uint32_t *last_clock(const struct hb *h, struct sequence *v)
{
    uint32_t cut[SCHED_MAX_THREADS];
    if (!v->has_clock) {
        sequence_cut(h, v, cut);
        hb_clock(h, cut, &v->last, v->clock);
    }
    v->has_clock = true;
    return v->clock;
}

/* The next step of thread t in the sequence, the last one aside. */
static bool next_of(const struct hb *h, const struct sequence *v, int t, uint32_t *step)
{
    if (v->from[t] >= h->thread[t].steps.len)
        return false;
    *step = h->thread[t].steps.at[v->from[t]];
    return hb_clock_of(h, *step)[v->thread] <= v->index;
}

/* Some step of the sequence that touches the same memory or object concerns q. */
static bool concerns_by_access(const struct hb *h, const struct sequence *v, const struct footprint *q)
{
    for (unsigned i = 0; i < q->accesses; i++) {
        const struct access *a = &q->access[i];
        const struct cell *c = &h->cells.at[a->cell];
        for (size_t k = c->list.len; k-- > 0 && c->list.at[k].step > v->start;) {
            const struct cell_entry *other = &c->list.at[k];
            if ((other->bytes & a->bytes) && (other->write || a->write) && sequence_has(h, v, other->step))
                return true;
        }
    }
    return false;
}

static bool has_globals(const struct sequence *v)
{
    return v->has_global || (v->has_last && v->last.kind == SCHED_GLOBAL);
}

static bool concerns(const struct hb *h, const struct sequence *v, const struct footprint *q)
{
    bool global = q->kind == SCHED_GLOBAL || q->kind == SCHED_END;
    bool plain = !global && !(q->flags & SCHED_TIMED) && !set_any(q->woken) && !has_globals(v);
    if (plain && !q->accesses)
        return false;
    struct acts acts = footprint_acts(q);
    if (v->has_last && acts_conflict(event_acts(&v->last), acts))
        return true;
    if (plain)
        return concerns_by_access(h, v, q);
    for (size_t j = v->start + 1; j < h->events.len; j++)
        if (sequence_has(h, v, j) && acts_conflict(event_acts(&h->events.at[j]), acts))
            return true;
    return false;
}

/* The step, which is in the sequence, comes first in it: because it is the earliest, as it is time and again when a
 * branch was made from a sequence that began in the same way, or by its clock. */
static bool can_begin(const struct hb *h, struct sequence *v, int t, uint32_t step)
{
    while (v->first < step && !sequence_has(h, v, v->first))
        v->first++;
    return v->first == step || is_initial(h, v->from, t, hb_clock_of(h, step));
}

/* Thread t has a next step in the sequence: whether it has that choice and can come first (1) or not (0). -1: none. */
static int begins(const struct hb *h, struct sequence *v, int t, uint32_t choice)
{
    uint32_t step;
    if (next_of(h, v, t, &step))
        return h->events.at[step].choice == choice && can_begin(h, v, t, step);
    if (v->has_last && t == v->last.thread)
        return v->last.choice == choice && is_initial(h, v->from, t, last_clock(h, v));
    return -1;
}

bool wakeup_is_weak_initial(const struct hb *h, struct sequence *v, const struct footprint *q)
{
    int how = begins(h, v, q->thread, q->choice);
    return how < 0 ? !concerns(h, v, q) : how;
}

static void remove_first(const struct hb *h, struct sequence *v, int t)
{
    uint32_t step;
    if (next_of(h, v, t, &step))
        v->from[t]++;
    else
        v->has_last = false;
}

/* What is left of the sequence, as a chain below the parent (0: as a branch of the state itself), after `before`. */
static void append(const struct hb *h, struct pool *pool, struct wakeup *w, uint32_t *root, uint32_t parent,
                   uint32_t before, const struct sequence *v)
{
    for (size_t j = v->start + 1; j <= h->events.len; j++) {
        const struct event *e = j < h->events.len ? &h->events.at[j] : &v->last;
        if (j < h->events.len ? !sequence_has(h, v, j) : !v->has_last)
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
        const struct wakeup_node *n = &w->nodes.at[child];
        int how = begins(h, v, n->thread, n->choice);
        if (!how || (how < 0 && (!n->inert || has_globals(v)) && concerns(h, v, &w->steps.at[child]))) {
            before = child;
            child = n->next;
            continue;
        }
        if (how == 1)
            remove_first(h, v, n->thread);
        if (!n->child)
            return 0;
        parent = child;
        before = 0;
        child = n->child;
    }
    append(h, pool, w, root, parent, before, v);
    return !parent;
}
