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

size_t native_missing_links(const struct rt_shared *shared, uint32_t event, struct native_link *out, size_t most)
{
    uint32_t count = MIN(shared->event_count, RT_MAX_EVENTS), write = shared->events[event].newest_step - 1;
    size_t found = 0;
    if (!shared->events[event].newest_step || write >= count) return 0;
    uint32_t *came_from = xcalloc(count + 1, sizeof *came_from);
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
