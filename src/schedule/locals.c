/* The local states that the executions went through, counted: what one thread can know after a step, which is all that
 * happened before it. (BPOR measures coverage so: a failing assertion of a thread depends on its local state only.)
 * The past of a step is a cut, so its hash is at hand. */
#include "schedule/internal.h"

struct locals { struct sched_hash *slots; size_t mask, count; };

static size_t find_slot(const struct locals *l, struct sched_hash key)
{
    size_t i = key.lo & l->mask;
    while ((l->slots[i].lo || l->slots[i].hi) && (l->slots[i].lo != key.lo || l->slots[i].hi != key.hi))
        i = (i + 1) & l->mask;
    return i;
}

static bool make_larger(struct sched *s, struct locals *l)
{
    struct locals larger = {.mask = l->mask ? l->mask * 2 + 1 : 1023, .count = l->count};
    if (!pool_has_room(&s->pool, (larger.mask + 1) * sizeof *l->slots)) {
        s->stats.stop = SCHED_STOP_MEMORY;
        return false;
    }
    larger.slots = pool_alloc(&s->pool, (larger.mask + 1) * sizeof *l->slots);
    for (size_t i = 0; l->mask && i <= l->mask; i++)
        if (l->slots[i].lo || l->slots[i].hi)
            larger.slots[find_slot(&larger, l->slots[i])] = l->slots[i];
    pool_free(&s->pool, l->slots);
    *l = larger;
    return true;
}

/* The step just done leads its thread to a local state; that a thread or the program ended is none. */
void locals_note(struct sched *s)
{
    struct locals *l = s->locals;
    const struct hb *h = s->hb;
    if (!l)
        l = s->locals = pool_alloc(&s->pool, sizeof *l);
    if (stack_last(&h->events).kind == SCHED_EXIT || stack_last(&h->events).kind == SCHED_END)
        return;
    if (l->count * 2 >= l->mask && !make_larger(s, l))
        return;
    struct sched_hash key = hb_cut_hash(h, hb_clock_of(h, h->events.len - 1));
    size_t slot = find_slot(l, key);
    l->count += !l->slots[slot].lo && !l->slots[slot].hi;
    l->slots[slot] = key;
    s->stats.locals = l->count;
}
