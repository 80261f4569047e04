/* All interleavings, the plain way. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "referee.h"

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static struct key key_add(struct key k, uint64_t x)
{
    k.lo = scramble(k.lo ^ scramble(x + 1));
    k.hi = scramble(k.hi + scramble(x ^ UINT64_C(0x123456789abcdef)) + 7);
    return k;
}

struct entry *set_find(struct set *s, struct key k, bool add)
{
    if (s->len * 2 >= s->cap) {
        struct set bigger = {calloc(s->cap ? s->cap * 2 : 256, sizeof *s->at), s->cap ? s->cap * 2 : 256, 0};
        for (size_t i = 0; i < s->cap; i++)
            if (s->at[i].seen)
                *set_find(&bigger, s->at[i].key, true) = s->at[i];
        free(s->at);
        *s = bigger;
    }
    size_t i = k.lo & (s->cap - 1);
    for (; s->at[i].seen; i = (i + 1) & (s->cap - 1))
        if (s->at[i].key.lo == k.lo && s->at[i].key.hi == k.hi)
            return &s->at[i];
    if (!add)
        return NULL;
    s->at[i] = (struct entry){.key = k, .cost = -1, .seen = 1};
    s->len++;
    return &s->at[i];
}

void set_clear(struct set *s)
{
    if (s->len)
        memset(s->at, 0, s->cap * sizeof *s->at);
    s->len = 0;
}

void set_release(struct set *s)
{
    free(s->at);
    *s = (struct set){0};
}

void graph_reset(struct graph *g, int threads)
{
    g->len = 0;
    g->overlaps = false;
    g->threads = threads;
    memset(g->count, 0, sizeof g->count);
    g->hash = (struct key){0, 0};
}

static bool dependent(const struct touch *a, const struct touch *b)
{
    if (!(a->writes & b->all) && !(b->writes & a->all))
        return false;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (a->at[i].what == b->at[j].what && (a->at[i].write || b->at[j].write))
                return true;
    return false;
}

void graph_push(struct graph *g, int thread, uint32_t choice, const struct sched_outcome *o, const struct touch *touch)
{
    assert(g->len < MAX_STEPS);
    __typeof__(g->event[0]) *e = &g->event[g->len];
    e->thread = thread;
    e->index = g->count[thread];
    e->touch = *touch;
    memset(e->clock, 0, sizeof e->clock);
    for (int i = g->len - 1; i >= 0; i--) {
        const __typeof__(g->event[0]) *b = &g->event[i];
        if (b->index < e->clock[b->thread] || (b->thread != thread && !dependent(&b->touch, touch)))
            continue;
        for (int t = 0; t < g->threads; t++)
            if (b->clock[t] > e->clock[t])
                e->clock[t] = b->clock[t];
    }
    e->clock[thread] = (uint16_t)(++g->count[thread]);
    for (int i = 0; touch->arrives && i < g->len; i++) {
        const __typeof__(g->event[0]) *b = &g->event[i];
        bool earlier = b->touch.arrives == touch->arrives && b->touch.round < touch->round;
        g->overlaps |= earlier && b->index >= e->clock[b->thread];
    }
    struct key k = {(uint64_t)thread + 1, (uint64_t)e->index + 1};
    k = key_add(k, choice * 2 + o->failed);
    for (int t = 0; t < g->threads; t += 4) /* clocks are short: four at a time */
        k = key_add(k, (uint64_t)e->clock[t] << 48 | (uint64_t)e->clock[t + 1] << 32 | (uint64_t)e->clock[t + 2] << 16 |
                           e->clock[t + 3]);
    e->hash = e->local = k;
    for (int i = 0; i < g->len; i++)
        if (g->event[i].index < e->clock[g->event[i].thread]) {
            e->local.lo ^= g->event[i].hash.lo;
            e->local.hi ^= g->event[i].hash.hi;
        }
    e->counts = !touch->ends_thread;
    if (e->counts) {
        g->hash.lo ^= k.lo;
        g->hash.hi ^= k.hi;
    }
    g->len++;
}

void graph_pop(struct graph *g)
{
    const __typeof__(g->event[0]) *e = &g->event[--g->len];
    g->count[e->thread]--;
    if (e->counts) {
        g->hash.lo ^= e->hash.lo;
        g->hash.hi ^= e->hash.hi;
    }
}

uint64_t machine_hash(const struct machine *m)
{
    struct key k = {1, 2};
    for (int i = 0; i <= m->program->vars; i++)
        k = key_add(k, (uint8_t)m->var[i]);
    for (int i = 0; i < OBJECTS; i++) {
        k = key_add(k, (uint64_t)(uint8_t)m->mutex[i] << 32 | (uint64_t)(uint8_t)m->writer[i] << 16 |
                           (uint64_t)(uint8_t)m->readers[i] << 8 | (uint8_t)m->sem[i]);
        k = key_add(k, (uint64_t)m->waiting[i] << 32 | m->arrived[i]);
    }
    for (int t = 0; t < m->program->threads; t++) {
        int len = m->program->len[t],
            pc = m->thread[t].pc < len ? m->thread[t].pc : len; /* having ended is no difference */
        for (int r = 0; r < REGS; r++)
            k = key_add(k,
                        (uint64_t)pc << 16 | (uint64_t)(uint8_t)m->thread[t].phase << 8 | (uint8_t)m->thread[t].reg[r]);
    }
    return key_add(k, m->failed).lo;
}

struct search {
    struct findings *f;
    struct graph graph;
    uint64_t most;
    int preemptions;
    bool exit_at_once, end_anywhere;
    struct limits limits;
    int yields[MAX_THREADS];
    int late_exits; /* threads that ended later than they could have */
};

static void lower(struct set *set, struct key k, int cost)
{
    struct entry *e = set_find(set, k, true);
    if (e->cost < 0 || cost < e->cost)
        e->cost = cost;
}

static void terminal(struct search *s, const struct machine *m)
{
    struct entry *e = set_find(&s->f->graphs, s->graph.hash, true);
    uint64_t state = machine_hash(m);
    if (e->cost >= 0 && e->extra != state)
        s->f->state_differs = true;
    e->extra = state;
    if (e->cost < 0 || s->preemptions < e->cost)
        e->cost = s->preemptions;
    s->f->executions++;
    if (!s->late_exits)
        s->f->forced[s->preemptions]++;
    if (s->f->executions > s->most)
        s->f->too_many = true;
}

/* Those that the fair bound lets go on. */
static uint32_t allowed(uint32_t enabled, const int *yields, int fair)
{
    int least = MAX_STEPS;
    uint32_t result = 0;
    if (fair < 0)
        return enabled;
    for (int t = 0; t < MAX_THREADS; t++)
        if ((enabled & 1u << t) && yields[t] < least)
            least = yields[t];
    for (int t = 0; t < MAX_THREADS; t++)
        if ((enabled & 1u << t) && yields[t] - least <= fair)
            result |= 1u << t;
    return result;
}

uint32_t referee_may_go_on(const struct machine *m, const int *yields, int fair)
{
    uint32_t others = 0, quitting = 0;
    for (int t = 0; t < m->program->threads; t++) {
        struct sched_op op;
        machine_op(m, t, &op);
        if (machine_enabled(m, t))
            *(op.kind == SCHED_END ? &quitting : &others) |= 1u << t;
    }
    bool somebody = allowed(others | quitting, yields, fair) & others;
    return allowed(somebody ? others : quitting, yields, fair);
}

bool referee_preempts(const struct machine *m, uint32_t may_go_on, int last, int t)
{
    struct sched_op op;
    machine_op(m, t, &op);
    return last >= 0 && t != last && (may_go_on & 1u << last) && op.kind != SCHED_END;
}

static void explore(struct search *s, const struct machine *m, int last)
{
    uint32_t enabled = 0;
    for (int t = 0; t < m->program->threads; t++)
        if (machine_enabled(m, t))
            enabled |= 1u << t;
    if (!enabled)
        terminal(s, m);
    if (!s->end_anywhere)
        enabled = referee_may_go_on(m, s->yields, s->limits.fair);
    if (s->graph.len >= s->limits.steps)
        s->f->too_many = true;
    bool may_exit = last >= 0 && (enabled & 1u << last) && m->thread[last].pc == m->program->len[last];
    for (int t = 0; t < m->program->threads && !s->f->too_many; t++) {
        struct sched_op op;
        if (!(enabled & 1u << t))
            continue;
        machine_op(m, t, &op);
        bool surprises = op.flags & SCHED_SURPRISE;
        bool counted = (op.kind == SCHED_CHOOSE || op.kind == SCHED_SIGNAL) && op.count > 1;
        uint32_t choices = surprises ? 1 + (op.older != 0) : counted ? op.count : 1;
        bool preempts = referee_preempts(m, enabled, last, t);
        bool late = may_exit && t != last;
        if ((late && s->exit_at_once) ||
            (s->limits.preemptions >= 0 && s->preemptions + preempts > s->limits.preemptions))
            continue;
        for (uint32_t c = 0; c < choices; c++) {
            int cost = preempts + (surprises && c);
            if (s->limits.preemptions >= 0 && s->preemptions + cost > s->limits.preemptions)
                continue;
            struct machine after = *m;
            struct sched_outcome outcome;
            struct touch touch;
            machine_step(&after, t, c, &outcome, &touch);
            graph_push(&s->graph, t, c, &outcome, &touch);
            s->preemptions += cost;
            s->late_exits += late;
            if (!touch.ends_thread && op.kind != SCHED_END)
                lower(&s->f->locals, s->graph.event[s->graph.len - 1].local, s->preemptions);
            for (int u = 0; u < m->program->threads; u++)
                if ((after.failed & ~m->failed) & 1u << u)
                    lower(&s->f->failures, (struct key){(uint64_t)u + 1, (uint64_t)m->thread[u].pc + 1},
                          s->preemptions);
            s->yields[t] += op.kind == SCHED_YIELD;
            explore(s, &after, t);
            s->yields[t] -= op.kind == SCHED_YIELD;
            s->late_exits -= late;
            s->preemptions -= cost;
            graph_pop(&s->graph);
        }
    }
}

void findings_clear(struct findings *f)
{
    set_clear(&f->graphs);
    set_clear(&f->locals);
    set_clear(&f->failures);
    f->executions = 0;
    memset(f->forced, 0, sizeof f->forced);
    f->too_many = f->state_differs = false;
}

void findings_release(struct findings *f)
{
    set_release(&f->graphs);
    set_release(&f->locals);
    set_release(&f->failures);
}

static void search_run(struct search *s, const struct program *p)
{
    struct machine m;
    findings_clear(s->f);
    graph_reset(&s->graph, p->threads);
    machine_reset(&m, p);
    explore(s, &m, -1);
    s->f->overlaps = s->graph.overlaps;
}

void referee_run(struct findings *f, const struct program *p, uint64_t most_executions, bool exit_at_once,
                 bool end_anywhere)
{
    static struct search s;
    s = (struct search){
        .f = f, .most = most_executions, .exit_at_once = exit_at_once, .end_anywhere = end_anywhere,
        .limits = {-1, -1, MAX_STEPS - 1}};
    search_run(&s, p);
}

void referee_run_within(struct findings *f, const struct program *p, uint64_t most_executions, struct limits limits)
{
    static struct search s;
    s = (struct search){.f = f, .most = most_executions, .exit_at_once = true, .limits = limits};
    search_run(&s, p);
}
