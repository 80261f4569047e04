/* Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas: Optimal dynamic partial order reduction, 2014): ordered trees of
 * steps still to be explored from a state, to which a sequence is added only if no sequence there covers it already. */
#include <assert.h>

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

/* Event b of the sequence comes before event a in every order of it. */
static bool precedes(const struct hb *h, const struct sequence *v, size_t b, size_t a)
{
    const struct event *e = v->at[b];
    const struct event *later = v->at[a];
    const uint32_t *clock = a + 1 == v->len ? v->last_clock
                                            : hb_clock_of(h, h->thread[later->thread].steps.at[later->index]);
    return e->index < clock[e->thread];
}

/* Where in the sequence the first event of that thread is; v->len: nowhere. */
static size_t first_of(const struct sequence *v, int thread)
{
    size_t i = 0;
    while (i < v->len && (v->removed[i] || v->at[i]->thread != thread))
        i++;
    return i;
}

static bool is_initial(const struct hb *h, const struct sequence *v, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (!v->removed[j] && precedes(h, v, j, i))
            return false;
    return true;
}

/* Whether e can come first in the sequence (1, and *where), does not concern it (2), or neither (0). */
static int weak_initial(const struct hb *h, const struct sequence *v, const struct event *e, size_t *where)
{
    size_t i = v->threads & BIT(e->thread) ? first_of(v, e->thread) : v->len;
    *where = i;
    if (i < v->len)
        return v->at[i]->choice == e->choice && is_initial(h, v, i) ? 1 : 0;
    for (i = 0; i < v->len; i++)
        if (!v->removed[i] && event_conflict(v->at[i], e))
            return 0;
    return 2;
}

bool wakeup_is_weak_initial(const struct hb *h, const struct sequence *v, const struct event *e)
{
    size_t where;
    return weak_initial(h, v, e, &where) != 0;
}

/* Goes down along steps that the sequence has or that do not concern it, leftmost first; at a leaf it is covered. */
void wakeup_insert(const struct hb *h, struct pool *pool, struct wakeup *w, uint32_t *root, struct sequence *v)
{
    uint32_t parent = 0, child = *root;
    while (child) {
        size_t where;
        int how = weak_initial(h, v, &w->nodes.at[child].event, &where);
        if (!how) {
            child = w->nodes.at[child].next;
            continue;
        }
        if (how == 1)
            v->removed[where] = true;
        if (!w->nodes.at[child].child)
            return;
        parent = child;
        child = w->nodes.at[child].child;
    }
    for (size_t i = 0; i < v->len; i++) {
        if (v->removed[i])
            continue;
        uint32_t fresh = wakeup_new(pool, w, v->at[i]);
        *last_link(w, parent ? &w->nodes.at[parent].child : root) = fresh;
        parent = fresh;
    }
}
