/* The order of seq_cst accesses and fences in RC11 (Lahav, Vafeiadis, Kang, Hur, Dreyer 2017):
 *
 *     scb      = po | po-to-another-place ; hb ; po-to-another-place | hb between accesses of one place | mo | fr
 *     psc_base = ([SC accesses] | [SC fences] ; hb?) ; scb ; ([SC accesses] | hb? ; [SC fences])
 *     psc_F    = [SC fences] ; (hb | hb ; eco ; hb) ; [SC fences]
 *
 * and psc_base | psc_F has no cycle. The newest event comes before nothing in hb and is read by nobody, so all that it
 * adds begins with mo or fr from it: it closes a cycle only through itself, or through a fence that happens before it
 * and comes to the newest event first; all such fences come to the same through it. A fence as the newest event, and an
 * access that takes or is the newest write, have nothing behind them and close none. */
#include <string.h>

#include "schedule/internal.h"

struct scratch { uint8_t *scb, *between, *out, *seen; }; /* a mark for each event */

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

/* From scb or eco to what it leads to in psc: a mark each. */
static void to_sc(const struct rc11_graph *g, const uint8_t *scb, const uint8_t *between, uint8_t *out)
{
    for (uint32_t f = 0; f < g->count; f++) {
        out[f] = scb[f] && is_sc_access(&g->events[f]);
        if (!is_sc_fence(&g->events[f]))
            continue;
        out[f] = between[f];
        for (uint32_t b = 0; b < g->count && !out[f]; b++)
            out[f] = between[b] && rc11_before(g, b, f);
    }
}

/* Behind a fence: hb ; eco, which hb? follows to another fence. */
static void add_eco(const struct rc11_graph *g, uint32_t y, uint8_t *between)
{
    for (uint32_t z = 0; z < g->count; z++)
        between[z] |= eco(g, &g->events[y], &g->events[z]);
}

/* What follows x in psc, which is an SC access or fence. */
static void successors(const struct rc11_graph *g, uint32_t x, struct scratch *s)
{
    bool fence = is_sc_fence(&g->events[x]);
    memset(s->scb, 0, g->count);
    for (uint32_t a = 0; a < g->count; a++)
        if (a == x || (fence && rc11_before(g, x, a)))
            add_scb(g, a, s->scb);
    memcpy(s->between, s->scb, g->count);
    for (uint32_t y = 0; fence && y < g->count; y++)
        if (rc11_before(g, x, y)) {
            s->between[y] = 1;
            add_eco(g, y, s->between);
        }
    to_sc(g, s->scb, s->between, s->out);
}

/* What a fence before the newest event, or else that event itself, comes to through it. */
static void successors_of_newest(const struct rc11_graph *g, bool from_fence, struct scratch *s)
{
    const struct rc11_event *newest = &g->events[g->count - 1];
    for (uint32_t b = 0; b < g->count; b++)
        s->scb[b] = is_overwritten(g, newest, &g->events[b]);
    memcpy(s->between, s->scb, g->count);
    if (from_fence)
        add_eco(g, g->count - 1, s->between);
    to_sc(g, s->scb, s->between, s->out);
}

static bool is_goal(const struct rc11_graph *g, uint32_t e, bool from_fence)
{
    return from_fence ? is_sc_fence(&g->events[e]) && rc11_before(g, e, g->count - 1) : e == g->count - 1;
}

static bool has_cycle(const struct rc11_graph *g, bool from_fence, struct scratch *s)
{
    enum { TODO = 1, DONE = 2 };
    bool more = true;
    memset(s->seen, 0, g->count);
    successors_of_newest(g, from_fence, s);
    while (more) {
        more = false;
        for (uint32_t i = 0; i < g->count; i++) {
            if (s->out[i] && is_goal(g, i, from_fence))
                return true;
            s->seen[i] = s->out[i] && !s->seen[i] ? TODO : s->seen[i];
        }
        for (uint32_t x = 0; x < g->count && !more; x++) {
            if (s->seen[x] != TODO)
                continue;
            successors(g, x, s);
            s->seen[x] = DONE;
            more = true;
        }
    }
    return false;
}

bool rc11_sc_consistent(const struct rc11_graph *g, uint8_t *room)
{
    struct scratch s = {room, room + g->count, room + 2 * g->count, room + 3 * g->count};
    bool behind_fence = false;
    for (uint32_t i = 0; i + 1 < g->count && !behind_fence; i++)
        behind_fence = is_goal(g, i, true);
    if (is_sc_access(&g->events[g->count - 1]) && has_cycle(g, false, &s))
        return false;
    return !behind_fence || !has_cycle(g, true, &s);
}
