/* The order of seq_cst operations as the engine looks at it (src/schedule/rc11.c), compared with the axioms as the
 * referee has them, at every graph that the referee comes through on its way: those whose newest event, and nothing
 * before it, may be forbidden. Reads programs without plain places and mutexes, one a line; prints those where the two
 * differ, and at the end how many graphs were compared and how many of them forbidden. */
#include <inttypes.h>

#include "../litmus.h"
#include "schedule/schedule.h"

enum { MOST_GRAPHS = 300 };

/* A graph as the engine has it: a read-modify-write is one event, event 0 is none. */
struct translation {
    struct rc11_event event[MAX_EVENTS + 1];
    uint32_t clocks[(MAX_EVENTS + 1) * MAX_THREADS];
    uint32_t number[MAX_EVENTS]; /* of each event of the referee */
    uint32_t count;
};

static uint64_t compared, forbidden;
static bool differs;

static void add_event(struct translation *t, const struct event *e, uint32_t epoch)
{
    static const uint8_t what[] = {[EVENT_READ] = RC11_READ, [EVENT_WRITE] = RC11_WRITE, [EVENT_FENCE] = RC11_FENCE};
    struct rc11_event *x = &t->event[t->count];
    *x = (struct rc11_event){.thread = e->thread < 0 ? RC11_INITIAL : (uint16_t)e->thread, .index = t->count};
    x->what = (uint8_t)(what[e->kind] | (e->order == ORDER_SC ? RC11_SC : 0));
    x->epoch = epoch;
    x->place = (uint32_t)(e->place + 1);
    if (e->kind == EVENT_READ)
        x->rf = t->number[e->from];
    t->count++;
}

static void translate_events(struct translation *t, const struct graph *g)
{
    uint32_t done[MAX_THREADS] = {0};
    t->count = 1;
    for (int i = 0; i < g->events; i++) {
        const struct event *e = &g->event[i];
        bool is_second_half = e->kind == EVENT_WRITE && e->is_exclusive;
        t->number[i] = t->count - is_second_half;
        if (is_second_half)
            t->event[t->number[i]].what |= RC11_WRITE;
        else
            add_event(t, e, e->thread < 0 ? 0 : ++done[e->thread]);
    }
    for (int p = 0; p < MAX_PLACES; p++)
        for (int i = 0; i < g->writes[p]; i++)
            t->event[t->number[g->mo[p][i]]].pos = (uint32_t)i;
}

/* Each event has a time of its own, so that the clocks say exactly what happens before what. */
static void translate_order(struct translation *t, const struct graph *g, const uint64_t *hb)
{
    for (int i = 0; i < g->events; i++)
        for (int j = 0; j < g->events; j++) {
            if (g->event[j].thread < 0 || !(i == j || hb[j] >> i & 1))
                continue;
            uint32_t *known = &t->clocks[t->number[i] * MAX_THREADS + (uint32_t)g->event[j].thread];
            uint32_t epoch = t->event[t->number[j]].epoch;
            *known = epoch > *known ? epoch : *known;
        }
}

static void compare(const struct graph *g, const uint64_t *hb, bool allowed)
{
    struct translation t = {0};
    uint8_t room[4 * (MAX_EVENTS + 1)];
    translate_events(&t, g);
    translate_order(&t, g, hb);
    struct rc11_graph engine = {t.event, t.count, t.clocks, MAX_THREADS};
    bool is_fence = g->event[g->events - 1].kind == EVENT_FENCE; /* the engine does not ask then */
    compared++;
    forbidden += !allowed;
    differs |= allowed != (is_fence || rc11_sc_consistent(&engine, room));
}

static void ignore(void *context, const struct graph *g, const struct outcome *o) { (void)context, (void)g, (void)o; }

int main(void)
{
    static char line[1 << 16];
    bool any = false;
    rc11_watcher = compare;
    while (fgets(line, sizeof line, stdin)) {
        struct litmus p;
        const char *at = line;
        if (litmus_parse(&p, &at))
            return 2;
        differs = false;
        litmus_graphs(&p, MOST_GRAPHS, ignore, NULL);
        if (differs)
            printf("differs %s", line);
        any |= differs;
    }
    printf("compared %" PRIu64 " forbidden %" PRIu64 "\n", compared, forbidden);
    return any;
}
