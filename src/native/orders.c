/* Which memory orders would have ordered a write before a read that did not see it. */
#include "native/native.h"

#include <stdlib.h>

static bool releases(uint8_t order) { return order > __ATOMIC_RELEASE; }
static bool acquires(uint8_t order) { return order > __ATOMIC_RELAXED + 1 && order != __ATOMIC_RELEASE + 1; }

/* The event before which each one was reached first, 1 + its number; breadth first from the write, so that the way has
 * the fewest reads. Later events of the thread are behind an event, and those that read it. */
static void find_ways(const struct rt_shared *s, uint32_t write, uint32_t count, uint32_t *came_from)
{
    uint32_t *queue = xcalloc(count + 1, sizeof *queue), first = 0, last = 0;
    queue[last++] = write;
    while (first < last) {
        uint32_t at = queue[first++];
        for (uint32_t i = 0; i < count; i++) {
            bool later = i > at && s->events[i].thread == s->events[at].thread;
            bool reads = s->events[i].source == at + 1;
            if (i == write || came_from[i] || (!later && !reads)) continue;
            came_from[i] = at + 1;
            queue[last++] = i;
        }
    }
    free(queue);
}

static size_t links_from(const struct rt_shared *shared, uint32_t write, uint32_t event, uint32_t count,
                         struct native_link *out, size_t most)
{
    uint32_t *came_from = xcalloc(count + 1, sizeof *came_from);
    size_t found = 0;
    find_ways(shared, write, count, came_from);
    for (uint32_t at = event; came_from[at] && found < most; at = came_from[at] - 1) {
        uint32_t before = came_from[at] - 1;
        const struct rt_event *w = &shared->events[before], *r = &shared->events[at];
        if (w->thread == r->thread) continue;
        struct native_link link = {before, at, releases(w->order), acquires(r->order)};
        if (!link.releases || !link.acquires) out[found++] = link;
    }
    free(came_from);
    return found;
}

/* Where an early write is among the others is not known. */
static bool writes_to(const struct rt_event *e, uint64_t object)
{
    bool writes = e->kind == SCHED_WRITE || e->kind == SCHED_RMW || (e->kind == SCHED_CAS && !e->failed);
    return e->atomic && e->object == object && writes && !e->stale;
}

size_t native_missing_links(const struct rt_shared *shared, uint32_t event, uint32_t *write, struct native_link *out,
                            size_t most)
{
    const struct rt_event *e = &shared->events[event];
    uint32_t count = MIN(shared->event_count, RT_MAX_EVENTS), newest = e->newest_step;
    if (!newest || newest > count) return 0;
    for (uint32_t i = newest; i > e->source; i--) {
        *write = i - 1;
        bool passed_over = i == newest || writes_to(&shared->events[i - 1], e->object);
        size_t found = passed_over ? links_from(shared, i - 1, event, count, out, most) : 0;
        if (found) return found;
    }
    return 0;
}
