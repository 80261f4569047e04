/* The order of seq_cst accesses and fences in RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer 2017):
 *
 *     scb      = po | po-to-another-place ; hb ; po-to-another-place | hb between accesses of one place | mo | fr
 *     psc_base = ([SC accesses] | [SC fences] ; hb?) ; scb ; ([SC accesses] | hb? ; [SC fences])
 *     psc_F    = [SC fences] ; (hb | hb ; eco ; hb) ; [SC fences]
 *
 * and psc_base | psc_F has no cycle. Adding an event that is read by nobody yet closes a cycle only through itself or
 * through a fence that happens before it. */
#include <string.h>

#include "schedule/internal.h"

bool rc11_before(const struct rc11_graph *g, uint32_t a, uint32_t b)
{
    const struct rc11_event *x = &g->events[a], *y = &g->events[b];
    if (x->thread == RC11_INITIAL || y->thread == RC11_INITIAL)
        return x->thread == RC11_INITIAL && y->thread != RC11_INITIAL;
    return x->thread == y->thread ? x->index < y->index : x->epoch <= g->clocks[b * g->stride + x->thread];
}

static bool in_order(const struct rc11_event *a, const struct rc11_event *b)
{
    return a->thread == b->thread && a->thread != RC11_INITIAL && a->index < b->index;
}

static bool is_sc_access(const struct rc11_event *e) { return (e->what & RC11_SC) && !(e->what & RC11_FENCE); }
static bool is_sc_fence(const struct rc11_event *e) { return (e->what & RC11_SC) && (e->what & RC11_FENCE); }

static uint32_t rank(const struct rc11_graph *g, const struct rc11_event *e)
{
    return e->what & RC11_WRITE ? e->pos : g->events[e->rf].pos;
}

/* mo or fr: b is a write behind what a wrote or read. */
static bool is_overwritten(const struct rc11_graph *g, const struct rc11_event *a, const struct rc11_event *b)
{
    return a->place && a->place == b->place && (b->what & RC11_WRITE) && b->pos > rank(g, a);
}

/* Extended coherence: (rf | mo | fr)+ */
static bool eco(const struct rc11_graph *g, const struct rc11_event *a, const struct rc11_event *b)
{
    if (!a->place || a->place != b->place || a == b)
        return false;
    bool reads_it = (a->what & RC11_WRITE) && !(b->what & RC11_WRITE);
    return reads_it ? rank(g, b) >= rank(g, a) : rank(g, b) > rank(g, a);
}

/* po-to-another-place ; hb ; po-to-another-place. Of the events behind `a` the first one at another place knows the
 * least and so comes before the most; from the first event z of a thread that comes after it, every later one can be
 * reached but those at z's place that directly follow z. */
static void add_detours(const struct rc11_graph *g, uint32_t a, uint8_t *out)
{
    uint32_t first = g->count;
    struct { uint32_t z; bool found, left; } at[SCHED_MAX_THREADS] = {0};
    for (uint32_t i = a + 1; i < g->count && first == g->count; i++)
        if (in_order(&g->events[a], &g->events[i]) &&
            (!g->events[i].place || g->events[i].place != g->events[a].place))
            first = i;
    for (uint32_t i = 0; first < g->count && i < g->count; i++) {
        const struct rc11_event *e = &g->events[i];
        if (e->thread == RC11_INITIAL || !rc11_before(g, first, i))
            continue;
        if (!at[e->thread].found) {
            at[e->thread].found = true;
            at[e->thread].z = i;
            continue;
        }
        uint32_t place = g->events[at[e->thread].z].place;
        at[e->thread].left |= !place || e->place != place;
        out[i] |= at[e->thread].left;
    }
}

static void add_scb(const struct rc11_graph *g, uint32_t a, uint8_t *out)
{
    const struct rc11_event *x = &g->events[a];
    for (uint32_t b = 0; b < g->count; b++) {
        const struct rc11_event *y = &g->events[b];
        bool same = x->place && x->place == y->place;
        out[b] |= in_order(x, y) || is_overwritten(g, x, y) || (same && rc11_before(g, a, b));
    }
    add_detours(g, a, out);
}

/* What follows x in psc, which is an SC access or fence: a mark each. */
static void successors(const struct rc11_graph *g, uint32_t x, uint8_t *between, uint8_t *out)
{
    bool fence = is_sc_fence(&g->events[x]);
    memset(between, 0, g->count);
    memset(out, 0, g->count);
    for (uint32_t a = 0; a < g->count; a++)
        if (a == x || (fence && rc11_before(g, x, a)))
            add_scb(g, a, between);
    for (uint32_t b = 0; b < g->count; b++)
        if (between[b] && is_sc_access(&g->events[b]))
            out[b] = 1;
    for (uint32_t y = 0; fence && y < g->count; y++) /* hb ; eco, then hb? to a fence, which is no access itself */
        for (uint32_t z = 0; rc11_before(g, x, y) && z < g->count; z++)
            between[z] |= eco(g, &g->events[y], &g->events[z]);
    for (uint32_t f = 0; f < g->count; f++) {
        if (!is_sc_fence(&g->events[f]))
            continue;
        out[f] = between[f] || (fence && rc11_before(g, x, f));
        for (uint32_t b = 0; b < g->count && !out[f]; b++)
            out[f] = between[b] && rc11_before(g, b, f);
    }
}

static bool reaches_itself(const struct rc11_graph *g, uint32_t root, uint8_t *scratch)
{
    enum { TODO = 1, DONE = 2 };
    uint8_t *between = scratch, *next = scratch + g->count, *seen = next + g->count;
    bool more = true;
    memset(seen, 0, g->count);
    seen[root] = TODO;
    while (more) {
        more = false;
        for (uint32_t x = 0; x < g->count; x++) {
            if (seen[x] != TODO)
                continue;
            successors(g, x, between, next);
            if (next[root])
                return true;
            seen[x] = DONE;
            more = true;
            for (uint32_t i = 0; i < g->count; i++)
                seen[i] = next[i] && !seen[i] ? TODO : seen[i];
        }
    }
    return false;
}

bool rc11_sc_consistent(const struct rc11_graph *g, uint32_t added, uint8_t *scratch)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const struct rc11_event *e = &g->events[i];
        bool concerned = added == g->count || i == added || ((e->what & RC11_FENCE) && rc11_before(g, i, added));
        if ((e->what & RC11_SC) && concerned && reaches_itself(g, i, scratch))
            return false;
    }
    return true;
}
