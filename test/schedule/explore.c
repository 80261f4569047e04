/* The runtime's loop, for programs in memory. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

static void *take(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void give(void *context, void *p, size_t size)
{
    (void)context;
    (void)size;
    free(p);
}

static bool is_surprise(const struct sched_op *op, uint32_t choice) { return (op->flags & SCHED_SURPRISE) && choice; }

struct sched_config config_for(enum sched_strategy strategy, int bound)
{
    return (struct sched_config){.strategy = strategy, .bound = bound, .fair_bound = -1, .max_steps = MAX_STEPS - 1,
                                 .spurious = MOST_SURPRISES, .memory_pool = {take, give, NULL}};
}

void observed_clear(struct observed *o)
{
    struct set *sets[] = {&o->graphs, &o->locals, &o->failures, &o->schedules, &o->hashes, &o->finals};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        set_clear(sets[i]);
    o->executions = o->blocked = o->repeated_schedules = 0;
    o->hash_differs = false;
    o->most_cost = o->deadlocks = o->livelocks = 0;
    o->simplified_wrongly = o->knows_wrongly = false;
    o->failure_cost = -1;
    o->order = o->given = o->taken = o->resumed = 0;
}

void observed_release(struct observed *o)
{
    struct set *sets[] = {&o->graphs, &o->locals, &o->failures, &o->schedules, &o->hashes, &o->finals};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        set_release(sets[i]);
}

struct run { struct machine m; struct graph g; int last, cost; struct key schedule; };

static void run_step(struct observed *o, struct run *r, struct sched_pick pick, struct sched_outcome *outcome)
{
    static const int no_yields[MAX_THREADS];
    struct touch touch;
    uint32_t failed = r->m.failed;
    int8_t pcs[MAX_THREADS];
    for (int u = 0; u < r->m.program->threads; u++)
        pcs[u] = r->m.thread[u].pc;
    bool preempts = referee_preempts(&r->m, referee_may_go_on(&r->m, no_yields, -1), r->last, pick.thread);
    struct sched_op op;
    machine_op(&r->m, pick.thread, &op);
    machine_step(&r->m, pick.thread, pick.choice, outcome, &touch);
    graph_push(&r->g, pick.thread, pick.choice, outcome, &touch);
    r->cost += preempts + is_surprise(&op, pick.choice);
    r->last = pick.thread;
    r->schedule.lo = (r->schedule.lo ^ ((uint64_t)pick.thread << 8 | pick.choice)) * UINT64_C(0x100000001b3) + 1;
    r->schedule.hi = (r->schedule.hi ^ ((uint64_t)pick.thread << 8 | pick.choice)) * UINT64_C(0x9e3779b97f4a7c15) + 7;
    if (!touch.ends_thread && op.kind != SCHED_END)
        set_find(&o->locals, r->g.event[r->g.len - 1].local, true);
    for (int u = 0; u < r->m.program->threads; u++)
        if ((r->m.failed & ~failed) & 1u << u)
            set_find(&o->failures, (struct key){(uint64_t)u + 1, (uint64_t)pcs[u] + 1}, true);
}

static void run_end(struct observed *o, const struct run *r, const struct sched *s)
{
    struct entry *e = set_find(&o->graphs, r->g.hash, true);
    struct sched_hash h = sched_graph(s);
    e->seen++;
    if (r->cost > o->most_cost)
        o->most_cost = r->cost;
    struct entry *known = set_find(&o->hashes, (struct key){h.lo, h.hi}, true);
    if (known->cost >= 0 && known->extra != r->g.hash.lo)
        o->hash_differs = true;
    known->cost = 0;
    known->extra = r->g.hash.lo;
    if (e->extra && e->extra != (h.lo | 1))
        o->hash_differs = true;
    e->extra = h.lo | 1;
    struct entry *path = set_find(&o->schedules, r->schedule, true);
    if (path->cost >= 0)
        o->repeated_schedules++;
    path->cost = 0;
    set_find(&o->finals, (struct key){machine_hash(&r->m), 1}, true);
    o->executions++;
}

/* The machine does what the schedule says: its graph, its preemptions by the rules of the fair bound, its failures. */
static int follow(const struct program *p, const struct sched_step *steps, size_t len, int fair, struct graph *g,
                  uint32_t *failed, int *surprises)
{
    struct machine m;
    int cost = 0, last = -1, yields[MAX_THREADS] = {0};
    machine_reset(&m, p);
    graph_reset(g, p->threads);
    for (size_t i = 0; i < len; i++) {
        int t = steps[i].thread;
        struct sched_op op;
        struct sched_outcome outcome;
        struct touch touch;
        uint32_t allowed = referee_may_go_on(&m, yields, fair);
        machine_op(&m, t, &op);
        if (!machine_enabled(&m, t) || (!(allowed & 1u << t) && op.kind != SCHED_EXIT))
            return -1;
        cost += referee_preempts(&m, allowed, last, t);
        *surprises += is_surprise(&op, steps[i].choice);
        yields[t] += op.kind == SCHED_YIELD;
        machine_step(&m, t, steps[i].choice, &outcome, &touch);
        graph_push(g, t, steps[i].choice, &outcome, &touch);
        last = t;
    }
    *failed = m.failed;
    return cost;
}

static void check_simplified(struct observed *o, const struct run *r, struct sched *s, const struct sched_view *view,
                             const struct sched_config *config, bool failed)
{
    static struct graph g;
    const struct sched_step *steps;
    size_t len = 0;
    uint32_t failures = 0;
    struct sched_goal goal = {~UINT64_C(0), -1};
    if (failed)
        goal = (struct sched_goal){UINT64_C(1) << r->last, r->last};
    int cost = sched_simplify(s, view, &goal, 1000000, &steps, &len), surprises = 0;
    int followed = follow(r->m.program, steps, len, config->fair_bound, &g, &failures, &surprises);
    bool wrong = cost < 0 || followed != cost;
    cost += surprises;
    if (wrong || cost > r->cost)
        o->simplified_wrongly = true;
    else if (failed ? failures != r->m.failed : g.hash.lo != r->g.hash.lo || g.hash.hi != r->g.hash.hi)
        o->simplified_wrongly = true;
    if (!failed)
        set_find(&o->graphs, r->g.hash, true)->cost = cost;
    else if (o->failure_cost < 0 || cost < o->failure_cost)
        o->failure_cost = cost;
}

static enum sched_end end_of(const struct machine *m, struct sched_pick pick)
{
    if (pick.why == SCHED_PICK_STOP)
        return SCHED_END_CUTOFF;
    if (pick.why != SCHED_PICK_NONE_ENABLED)
        return SCHED_END_ABANDONED;
    for (int t = 0; t < m->program->threads; t++) {
        struct sched_op op;
        machine_op(m, t, &op);
        if ((m->live & 1u << t) && op.kind == SCHED_NEVER && !m->ended)
            return SCHED_END_ASSUMED;
    }
    return m->live && !m->ended ? SCHED_END_DEADLOCK : SCHED_END_NORMAL;
}

/* A state on the way that the next executions may go back to. */
static struct { struct run r; size_t depth; bool is_kept; } place;

static void begin_run(struct observed *o, struct run *r, const struct program *p, struct sched *s)
{
    if (o->resume && place.is_kept && place.depth <= sched_repeats(s)) {
        *r = place.r;
        sched_resume(s, place.depth);
        o->resumed++;
        return;
    }
    place.is_kept = false;
    place.depth = o->executions % 7 + 1;
    r->last = -1;
    r->cost = 0;
    r->schedule = (struct key){0, 0};
    machine_reset(&r->m, p);
    graph_reset(&r->g, p->threads);
}

static void keep_place(const struct observed *o, const struct run *r, const struct sched *s)
{
    if (!o->resume || place.is_kept || sched_depth(s) != place.depth)
        return;
    place.r = *r;
    place.is_kept = true;
}

static void execute(struct observed *o, const struct program *p, const struct sched_config *config, struct sched *s,
                    bool failure_ends, enum sched_end *how)
{
    static struct run r;
    static struct sched_view view;
    struct sched_pick pick;
    view = (struct sched_view){0};
    begin_run(o, &r, p, s);
    for (;;) {
        struct sched_outcome outcome;
        keep_place(o, &r, s);
        machine_view(&r.m, &view);
        pick = sched_pick(s, &view);
        if (pick.thread < 0)
            break;
        run_step(o, &r, pick, &outcome);
        if (failure_ends && r.m.failed && r.g.len % 2) /* in the step: before it is reported */
            break;
        sched_executed(s, &outcome);
        if (failure_ends && r.m.failed) /* after the step */
            break;
    }
    enum sched_end end = *how = failure_ends && r.m.failed ? SCHED_END_FAILURE : end_of(&r.m, pick);
    if (end == SCHED_END_ABANDONED)
        o->blocked++;
    else
        run_end(o, &r, s);
    o->order = (o->order ^ r.schedule.lo) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)end;
    o->deadlocks += end == SCHED_END_DEADLOCK;
    o->livelocks += end == SCHED_END_DEADLOCK && sched_is_livelock(&view);
    sched_finish(s, end);
    if (o->simplify && end != SCHED_END_ABANDONED && end != SCHED_END_CUTOFF)
        check_simplified(o, &r, s, &view, config, end == SCHED_END_FAILURE);
}

/* Somebody who explores parts when they are asked for, in the same process; now and then not. */
enum { MOST_PARTS = 64, PART_ROOM = 1 << 20 };
struct helper {
    struct observed *o;
    const struct program *program;
    const struct sched_config *config;
    bool failure_ends;
    struct { char *part; size_t size; bool used; } parts[MOST_PARTS];
    char *answer;
    uint64_t random;
};

static uint64_t roll(struct helper *h)
{
    h->random = h->random * UINT64_C(6364136223846793005) + 1442695040888963407;
    return h->random >> 33;
}

static void give_away(struct helper *h, struct sched *s)
{
    uint32_t i = 0;
    if (!h || roll(h) % 3)
        return;
    while (i < MOST_PARTS && h->parts[i].used)
        i++;
    if (i == MOST_PARTS)
        return;
    if (!h->parts[i].part)
        h->parts[i].part = malloc(PART_ROOM);
    h->parts[i].size = sched_give(s, i, h->parts[i].part, PART_ROOM);
    h->parts[i].used = h->parts[i].size > 0;
    h->o->given += h->parts[i].used;
}

/* An execution that was not run: the machine can do it, and comes to a graph that was run. */
static void execute_known(struct observed *o, const struct program *p, const struct sched_config *config,
                          const struct sched *s, enum sched_end end)
{
    static struct graph g;
    const struct sched_step *steps;
    size_t len = sched_schedule(s, &steps);
    uint32_t failed;
    uint64_t schedule = 0;
    int surprises = 0;
    int cost = follow(p, steps, len, config->strategy == SCHED_BPOR ? config->fair_bound : -1, &g, &failed, &surprises);
    cost += cost < 0 ? 0 : surprises;
    if (cost < 0 || (end != SCHED_END_ABANDONED && !set_find(&o->graphs, g.hash, false)))
        o->knows_wrongly = true;
    for (size_t i = 0; i < len; i++)
        schedule = (schedule ^ ((uint64_t)steps[i].thread << 8 | steps[i].choice)) * UINT64_C(0x100000001b3) + 1;
    o->order = (o->order ^ schedule) * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)end;
    *(end == SCHED_END_ABANDONED ? &o->blocked : &o->executions) += 1;
}

static bool wants_first_failure(const struct sched_config *config)
{
    return config->rising || sched_samples(config->strategy);
}

static void search(struct helper *h, struct observed *o, const struct program *p, const struct sched_config *config,
                   struct sched *s, bool failure_ends)
{
    enum sched_end end = SCHED_END_NORMAL;
    while (sched_start(s)) {
        if (sched_is_known(s, &end))
            execute_known(o, p, config, s, end);
        else
            execute(o, p, config, s, failure_ends, &end);
        if (wants_first_failure(config) && end == SCHED_END_FAILURE)
            break;
        if (sched_rounds_overlap(s))
            break;
        give_away(h, s);
    }
}

static const void *answer_part(void *context, uint32_t number, size_t *size)
{
    struct helper *h = context;
    struct sched_config config = *h->config;
    if (roll(h) % 4 == 0)
        return NULL; /* then cancelled */
    config.part = h->parts[number].part;
    config.part_size = h->parts[number].size;
    struct sched *s = sched_new(&config);
    search(h, h->o, h->program, &config, s, h->failure_ends);
    /* here, or in a part of this one */
    bool failed = wants_first_failure(&config) && sched_stats(s)->ends[SCHED_END_FAILURE];
    if (!h->answer)
        h->answer = malloc(PART_ROOM);
    *size = sched_answer(s, failed, h->answer, PART_ROOM);
    sched_free(s);
    h->parts[number].used = false;
    h->o->taken++;
    return *size ? h->answer : NULL;
}

static void cancel_part(void *context, uint32_t number)
{
    struct helper *h = context;
    h->parts[number].used = false;
}

static void explore(struct observed *o, const struct program *p, const struct sched_config *config, bool failure_ends,
                    bool divided, size_t known)
{
    struct sched_config own = *config;
    struct helper h = {o, p, &own, failure_ends, .random = p->threads * 77u + (unsigned)p->len[0]};
    observed_clear(o);
    place.is_kept = false;
    own.graphs = own.verify = true;
    own.locals = !divided;
    if (divided)
        own.crew = (struct sched_crew){answer_part, cancel_part, &h};
    if (known)
        own.known = sched_known_new(&own, known);
    struct sched *s = sched_new(&own);
    search(divided ? &h : NULL, o, p, &own, s, failure_ends);
    o->stats = *sched_stats(s);
    o->overlaps = sched_rounds_overlap(s);
    sched_free(s);
    sched_known_free(own.known);
    for (int i = 0; i < MOST_PARTS; i++)
        free(h.parts[i].part);
    free(h.answer);
}

void explore_divided(struct observed *o, const struct program *p, const struct sched_config *config, bool failure_ends)
{
    explore(o, p, config, failure_ends, true, 0);
}

void explore_known(struct observed *o, const struct program *p, const struct sched_config *config, bool failure_ends,
                   bool divided, size_t known)
{
    explore(o, p, config, failure_ends, divided, known);
}

void explore_program(struct observed *o, const struct program *p, const struct sched_config *config)
{
    explore(o, p, config, false, false, 0);
}

void explore_until_failures(struct observed *o, const struct program *p, const struct sched_config *config)
{
    explore(o, p, config, true, false, 0);
}

struct sched_stats explore_fast(const struct program *p, const struct sched_config *config)
{
    return explore_watched(p, config, NULL, NULL);
}

struct sched_stats explore_watched(const struct program *p, const struct sched_config *config, explore_watcher *watch,
                                   void *context)
{
    struct sched_view view = {0};
    struct sched *s = sched_new(config);
    while (sched_start(s)) {
        struct machine m;
        struct sched_pick pick;
        struct sched_outcome outcome;
        struct touch touch;
        machine_reset(&m, p);
        machine_view(&m, &view);
        while ((pick = sched_pick(s, &view)).thread >= 0) {
            machine_step(&m, pick.thread, pick.choice, &outcome, &touch);
            sched_executed(s, &outcome);
            machine_view(&m, &view);
        }
        sched_finish(s, end_of(&m, pick));
        if (watch)
            watch(context, sched_stats(s));
    }
    struct sched_stats stats = *sched_stats(s);
    sched_free(s);
    return stats;
}
