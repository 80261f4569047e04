/* Every execution graph of weak memory once: program order, reads-from, and the order of the writes of each place
 * (Kokologiannakis, Marmanis, Gladstein, Vafeiadis: Truly stateless, optimal dynamic partial order reduction, 2022).
 *
 * A graph grows by the next event of the first thread that can go on. A read takes any write that is there, a write is
 * put anywhere; what is forbidden does not come up, or ends when it is run. A new write `a` also revisits the reads
 * that were there before it and not before it in (program order | reads-from): such a read r takes `a` instead, and all
 * that was added after r is deleted but for what `a` depends on. It is done only if the deleted events and r were added
 * maximally, so that each graph comes from one other graph only.
 *
 * The events of a graph are listed in the order in which they were added, which need not be one in which they can be
 * run: a read may have got its write later. A graph that is waiting to be visited is a copy of that list; to visit it
 * the program is run in some order that fits, each step with the choice that leads to the write or position wanted.
 * A mutex is a place, too: locking is a read-modify-write of the last unlocking, which is a write. A lock that a
 * revisit makes read from another lock is blocked, and waits for the unlocking to revisit it.
 *
 * A read-modify-write is two events, its read and its write. Where the read was revisited, and not the write, the step
 * is not run before all others: its write is the next event.
 *
 * A thread that is about to repeat a round of a loop that left nothing behind waits (src/runtime/spin.c): what a read
 * of the next round could take, the same read of the last round takes in another graph, in which the rounds before are
 * left out. So a loop has one graph for each way out of it, and one for each write that it waits on.
 *
 * A graph that is waiting decides by itself about all that comes of it, so each can be explored elsewhere (parts.c).
 * Its places travel as numbers: whoever runs the graph sees at each step which place that is. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

enum { INITIAL = UINT32_MAX };
#define NUMBERED (UINT64_C(1) << 62) /* a place that is a number; bit 63 tells mutexes */

struct part {
    uint64_t place;     /* 0: none */
    uint32_t index;     /* how manieth step of its thread, but for the end that the frame takes by itself */
    uint32_t rf;        /* reads: the write, in this list */
    uint32_t pos;       /* writes: rank among the writes of the place */
    uint32_t choice;    /* of other steps; JOIN: how many steps the other thread did; END: of a thread that is not the
                           first that can */
    int16_t thread, other; /* other: CREATE, JOIN: the thread, else -1 */
    uint8_t kind;       /* of the step */
    bool reads, writes;
    bool updates;       /* a read whose step may also write; */
    bool second;        /* that write */
};
struct graph { STACK(struct part) parts; };
struct graphs {
    struct graph now;
    STACK(struct graph) todo;
    uint32_t *clocks;      /* of `now`, a row each: how many steps of each thread come before it or are it */
    size_t clocks_cap;
    uint32_t steps[SCHED_MAX_THREADS]; /* of `now`, those that were run */
    STACK(struct sched_step) plan; /* how `now` is run, as far as it was given, */
    size_t planned;        /* and how far that has come */
    bool numbered;         /* of a part: places of `now` that were not met so far are numbers */
};

static const uint32_t *clock_of(const struct graphs *g, size_t part) { return g->clocks + part * SCHED_MAX_THREADS; }

static void join(uint32_t *into, const uint32_t *from)
{
    for (int t = 0; t < SCHED_MAX_THREADS; t++)
        if (from[t] > into[t])
            into[t] = from[t];
}

/* The last of the first `len` parts that is the thread's, else the one that created it; INITIAL: none. */
static uint32_t last_of(const struct graph *g, size_t len, int thread)
{
    uint32_t creator = INITIAL;
    for (size_t i = len; i-- > 0;) {
        if (g->parts.at[i].thread == thread)
            return (uint32_t)i;
        if (g->parts.at[i].kind == SCHED_CREATE && g->parts.at[i].other == thread)
            creator = (uint32_t)i;
    }
    return creator;
}

static uint32_t creator_of(const struct graph *g, int thread)
{
    for (size_t i = 0; i < g->parts.len; i++)
        if (g->parts.at[i].kind == SCHED_CREATE && g->parts.at[i].other == thread)
            return (uint32_t)i;
    return INITIAL;
}

/* The last part of a thread that had done so many steps. */
static uint32_t part_before(const struct graph *g, int thread, uint32_t steps)
{
    for (size_t i = g->parts.len; i-- > 0;)
        if (g->parts.at[i].thread == thread && g->parts.at[i].index < steps)
            return (uint32_t)i;
    return creator_of(g, thread);
}

static void join_part(struct graphs *g, uint32_t *row, uint32_t part)
{
    if (part != INITIAL)
        join(row, clock_of(g, part));
}

/* What comes before the part has its row already. */
static void fill_clock(struct sched *s, struct graphs *g, uint32_t i)
{
    size_t need = (g->now.parts.cap + 1) * SCHED_MAX_THREADS;
    if (need > g->clocks_cap)
        g->clocks = pool_grow(&s->pool, g->clocks, &g->clocks_cap, need, sizeof *g->clocks);
    const struct part *p = &g->now.parts.at[i];
    uint32_t *row = g->clocks + (size_t)i * SCHED_MAX_THREADS, before = last_of(&g->now, i, p->thread);
    memset(row, 0, SCHED_MAX_THREADS * sizeof *row);
    join_part(g, row, before == INITIAL ? creator_of(&g->now, p->thread) : before);
    if (p->reads)
        join_part(g, row, p->rf);
    if (p->kind == SCHED_JOIN)
        join_part(g, row, part_before(&g->now, p->other, p->choice));
    row[p->thread] = p->index + 1;
}

static void shift(struct graph *g, uint64_t place, uint32_t from)
{
    for (size_t i = 0; i < g->parts.len; i++)
        if (g->parts.at[i].writes && g->parts.at[i].place == place && g->parts.at[i].pos >= from)
            g->parts.at[i].pos++;
}

static void add_part(struct sched *s, struct graphs *g, const struct part *p)
{
    if (p->writes)
        shift(&g->now, p->place, p->pos);
    stack_push(&s->pool, &g->now.parts, *p);
    fill_clock(s, g, (uint32_t)g->now.parts.len - 1);
}

static uint32_t count_writes(const struct graph *g, uint64_t place)
{
    uint32_t count = 0;
    for (size_t i = 0; i < g->parts.len; i++)
        count += g->parts.at[i].writes && g->parts.at[i].place == place;
    return count;
}

/* The write that is passed over by as many as the choice says; INITIAL: the first one of all. */
static uint32_t write_of_choice(const struct graph *g, uint64_t place, uint32_t choice)
{
    uint32_t count = count_writes(g, place);
    for (size_t i = 0; choice < count && i < g->parts.len; i++)
        if (g->parts.at[i].writes && g->parts.at[i].place == place && g->parts.at[i].pos == count - 1 - choice)
            return (uint32_t)i;
    return INITIAL;
}

static uint32_t rank_behind(const struct graph *g, uint32_t write)
{
    return write == INITIAL ? 0 : g->parts.at[write].pos + 1;
}

static void copy_graph(struct sched *s, struct graph *to, const struct graph *from)
{
    stack_reserve(&s->pool, &to->parts, from->parts.len);
    if (from->parts.len)
        memcpy(to->parts.at, from->parts.at, from->parts.len * sizeof *to->parts.at);
    to->parts.len = from->parts.len;
}

static void postpone(struct sched *s, struct graphs *g, const struct graph *from, const struct part *last)
{
    struct graph copy = {0};
    stack_reserve(&s->pool, &copy.parts, from->parts.len + 1);
    copy_graph(s, &copy, from);
    if (last && last->writes)
        shift(&copy, last->place, last->pos);
    if (last)
        copy.parts.at[copy.parts.len++] = *last;
    stack_push(&s->pool, &g->todo, copy);
}

/* ---- revisits ---- */

static bool in_prefix(const struct graphs *g, const uint32_t *prefix, size_t part)
{
    const struct part *p = &g->now.parts.at[part];
    return p->index < prefix[p->thread];
}

/* With all that was there when it was added, and what the new write depends on, e is what would be added without any
 * choice: a read of the newest write, a write in the last position. */
static bool is_maximal(const struct graphs *g, size_t e, const uint32_t *prefix)
{
    const struct part *parts = g->now.parts.at, *p = &parts[e];
    uint32_t seen = p->reads ? p->rf : (uint32_t)e;
    if (p->reads && p->rf != INITIAL && p->rf > e && !in_prefix(g, prefix, p->rf))
        return false;
    if (!p->reads && !p->writes)
        return (p->kind != SCHED_CHOOSE && p->kind != SCHED_END) || !p->choice;
    for (size_t i = 0; i < g->now.parts.len; i++) {
        if (i > e && !in_prefix(g, prefix, i))
            continue;
        if (parts[i].reads && parts[i].rf == e)
            return false;
        if (parts[i].writes && parts[i].place == p->place && rank_behind(&g->now, seen) <= parts[i].pos)
            return false;
    }
    return true;
}

static bool may_revisit(const struct graphs *g, size_t r, const uint32_t *prefix)
{
    for (size_t e = r; e < g->now.parts.len; e++)
        if ((e == r || !in_prefix(g, prefix, e)) && !is_maximal(g, e, prefix))
            return false;
    return true;
}

/* What is left for the revisit: new numbers for what is kept, INITIAL for what is deleted. */
static void keep(struct sched *s, const struct graphs *g, size_t r, const uint32_t *prefix, struct graph *out)
{
    uint32_t *number = pool_alloc(&s->pool, (g->now.parts.len + 1) * sizeof *number);
    stack_reserve(&s->pool, &out->parts, g->now.parts.len + 1);
    for (size_t i = 0; i < g->now.parts.len; i++) {
        number[i] = INITIAL;
        if (i > r && !in_prefix(g, prefix, i))
            continue;
        number[i] = (uint32_t)out->parts.len;
        out->parts.at[out->parts.len++] = g->now.parts.at[i];
    }
    for (size_t i = 0; i < out->parts.len; i++) {
        struct part *p = &out->parts.at[i];
        if (p->reads && p->rf != INITIAL && i != number[r])
            p->rf = number[p->rf];
        if (!p->writes)
            continue;
        uint32_t rank = 0;
        for (size_t k = 0; k < g->now.parts.len; k++)
            rank += number[k] != INITIAL && g->now.parts.at[k].writes && g->now.parts.at[k].place == p->place &&
                    g->now.parts.at[k].pos < p->pos;
        p->pos = rank + UINT32_MAX / 2; /* told from ranks not yet changed below */
    }
    for (size_t i = 0; i < out->parts.len; i++)
        if (out->parts.at[i].writes)
            out->parts.at[i].pos -= UINT32_MAX / 2;
    pool_free(&s->pool, number);
}

/* Behind the writes that the thread of this part has made or read there, among the first `len` parts. */
static uint32_t lowest_position(const struct graph *g, size_t len, const struct part *a)
{
    uint32_t lowest = 0;
    for (size_t i = 0; i < len; i++) {
        const struct part *p = &g->parts.at[i];
        if (p->thread != a->thread || p->place != a->place || !(p->reads || p->writes))
            continue;
        uint32_t rank = p->writes ? p->pos + 1 : rank_behind(g, p->rf);
        lowest = rank > lowest ? rank : lowest;
    }
    return lowest;
}

/* A mutex is told from memory at the same address. */
static uint64_t mutex_place(const struct sched_op *op) { return op->object | UINT64_C(1) << 63; }

/* A lock that reads from a lock, which has to be unlocked first. */
static bool is_blocked(const struct graph *g, size_t i)
{
    const struct part *p = &g->parts.at[i];
    return p->kind == SCHED_LOCK && p->reads && p->rf != INITIAL && g->parts.at[p->rf].kind == SCHED_LOCK;
}

/* The write that an update reads, in the graph that is kept, where it has the same thread and index. */
static uint32_t same_part(const struct graph *g, const struct part *p)
{
    for (size_t i = 0; i < g->parts.len; i++)
        if (g->parts.at[i].thread == p->thread && g->parts.at[i].index == p->index && g->parts.at[i].writes)
            return (uint32_t)i;
    return INITIAL;
}

/* Nothing comes between an update and the write that it reads. The runtime would not notice: it puts updates there. */
static bool is_atomic(const struct graph *g)
{
    for (size_t i = 0; i < g->parts.len; i++)
        for (size_t w = i + 1; g->parts.at[i].updates && w < g->parts.len; w++)
            if (g->parts.at[w].second && g->parts.at[w].thread == g->parts.at[i].thread &&
                g->parts.at[w].index == g->parts.at[i].index &&
                g->parts.at[w].pos != rank_behind(g, g->parts.at[i].rf))
                return false;
    return true;
}

static void revisit(struct sched *s, struct graphs *g, size_t r, struct part a, uint32_t read_by_a,
                    const uint32_t *prefix)
{
    struct graph kept = {0};
    keep(s, g, r, prefix, &kept);
    uint32_t lowest = lowest_position(&kept, kept.parts.len, &a), highest = count_writes(&kept, a.place);
    if (a.second || a.kind == SCHED_UNLOCK) {
        uint32_t read = read_by_a == INITIAL ? INITIAL : same_part(&kept, &g->now.parts.at[read_by_a]);
        lowest = highest = rank_behind(&kept, read);
    }
    uint32_t seen = lowest_position(&kept, r, &g->now.parts.at[r]); /* before the read; all these are kept */
    lowest = seen > lowest ? seen : lowest;
    for (uint32_t pos = lowest; pos <= highest; pos++) {
        a.pos = pos;
        postpone(s, g, &kept, &a);
        struct graph *made = &stack_last(&g->todo);
        struct part *read = &made->parts.at[r]; /* all before it are kept */
        read->rf = (uint32_t)made->parts.len - 1;
        read->updates = read->kind != SCHED_READ;
        if (!is_atomic(made))
            pool_free(&s->pool, made->parts.at), g->todo.len--;
    }
    pool_free(&s->pool, kept.parts.at);
}

/* The write of the thread's next step: which reads could take it. `behind`: the write that it has to follow directly,
 * if it is that of an update or unlocks. */
static void revisit_all(struct sched *s, struct graphs *g, struct part a, uint32_t behind)
{
    uint32_t prefix[SCHED_MAX_THREADS] = {0};
    uint32_t before = last_of(&g->now, g->now.parts.len, a.thread);
    if (before != INITIAL)
        memcpy(prefix, clock_of(g, before), sizeof prefix);
    for (size_t r = g->now.parts.len; r-- > 0;) {
        const struct part *p = &g->now.parts.at[r];
        if (p->reads && p->place == a.place && !in_prefix(g, prefix, r) && may_revisit(g, r, prefix))
            revisit(s, g, r, a, behind, prefix);
    }
}

/* ---- running a graph ---- */

/* A read whose step is not run yet: whether it writes, and that write, come next. */
static bool is_unfinished(const struct graph *g, size_t i)
{
    const struct part *p = &g->parts.at[i];
    for (size_t k = i + 1; p->updates && k < g->parts.len; k++)
        if (g->parts.at[k].thread == p->thread && g->parts.at[k].index == p->index)
            return false;
    return p->updates;
}

static bool step_is_done(const uint32_t *done, const struct part *p) { return done[p->thread] > p->index; }

static bool is_ready(const struct graph *g, const struct part *p, const uint32_t *done)
{
    uint32_t creator = creator_of(g, p->thread);
    if (done[p->thread] != p->index || (p->reads && p->rf != INITIAL && !step_is_done(done, &g->parts.at[p->rf])))
        return false;
    if (creator != INITIAL && !step_is_done(done, &g->parts.at[creator]))
        return false;
    return p->kind != SCHED_JOIN || done[p->other] >= p->choice;
}

static uint32_t choice_for(const struct graph *g, const struct part *p, const uint32_t *done)
{
    uint32_t choice = 0, behind = p->reads ? rank_behind(g, p->rf) : p->pos;
    if (!p->reads && !p->writes)
        return p->kind == SCHED_CHOOSE ? p->choice : 0;
    for (size_t i = 0; i < g->parts.len; i++) {
        const struct part *w = &g->parts.at[i];
        choice += w->writes && w->place == p->place && step_is_done(done, w) && w->pos >= behind;
    }
    return choice;
}

/* An order in which the graph can be run, that of the list where possible. */
static void make_plan(struct sched *s, struct graphs *g)
{
    uint32_t done[SCHED_MAX_THREADS] = {0};
    bool more = true;
    g->plan.len = 0;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < g->now.parts.len; i++) {
            const struct part *p = &g->now.parts.at[i];
            if (p->second || is_unfinished(&g->now, i) || !is_ready(&g->now, p, done))
                continue;
            struct sched_step step = {p->thread, choice_for(&g->now, p, done)};
            stack_push(&s->pool, &g->plan, step);
            fill_clock(s, g, i);
            done[p->thread]++;
            for (uint32_t k = i + 1; p->updates && k < g->now.parts.len; k++)
                if (g->now.parts.at[k].second && g->now.parts.at[k].thread == p->thread &&
                    g->now.parts.at[k].index == p->index)
                    fill_clock(s, g, k);
            more = true;
        }
    }
    for (uint32_t i = 0; i < g->now.parts.len; i++)
        if (is_unfinished(&g->now, i))
            fill_clock(s, g, i);
    memcpy(g->steps, done, sizeof done);
}

static bool can_do(const struct sched_view *view, struct sched_pick pick)
{
    return set_has(view->enabled, pick.thread) && op_has_choice(&view->next[pick.thread], pick.choice);
}

static struct sched_pick take(struct graphs *g, const struct sched_view *view, int t, uint32_t choice)
{
    struct sched_pick pick = pick_step(t, choice);
    g->steps[t]++;
    return can_do(view, pick) ? pick : pick_nothing(SCHED_PICK_REDUNDANT);
}

static struct part part_of(const struct graphs *g, int t, const struct sched_op *op)
{
    return (struct part){.thread = (int16_t)t, .other = -1, .index = g->steps[t], .kind = op->kind, .rf = INITIAL};
}

/* The write of a lock or an update whose read is there. */
static struct part write_of(const struct part *read)
{
    struct part write = *read;
    write.reads = write.updates = false;
    write.writes = write.second = true;
    write.rf = INITIAL;
    return write;
}

/* The read of an update is there: its write, if it has one, and with it the step. */
static struct sched_pick finish_update(struct sched *s, struct graphs *g, const struct sched_view *view, uint32_t read)
{
    struct part p = g->now.parts.at[read];
    uint32_t choice = choice_for(&g->now, &p, g->steps);
    if (choice > 63 || !(view->next[p.thread].updates & BIT(choice))) {
        g->now.parts.at[read].updates = false;
        return take(g, view, p.thread, choice);
    }
    struct part write = write_of(&p);
    revisit_all(s, g, write, p.rf);
    write.pos = rank_behind(&g->now, p.rf);
    add_part(s, g, &write);
    return take(g, view, p.thread, choice);
}

/* The update could also read a write that another update reads already. Such a graph is not allowed, but the other
 * update may read this one's write instead. So the graph itself is not run. */
static void update_earlier(struct sched *s, struct graphs *g, struct part read, uint64_t choices)
{
    int choice;
    FOR_EACH_BIT(choice, choices) {
        read.rf = write_of_choice(&g->now, read.place, (uint32_t)choice);
        add_part(s, g, &read);
        revisit_all(s, g, write_of(&read), read.rf);
        g->now.parts.len--;
    }
}

static struct sched_pick new_read(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    const struct sched_op *op = &view->next[t];
    struct part p = part_of(g, t, op);
    p.place = op->object;
    p.reads = true;
    p.updates = op->kind != SCHED_READ;
    int choice;
    FOR_EACH_BIT(choice, op->older) {
        p.rf = write_of_choice(&g->now, p.place, (uint32_t)choice);
        postpone(s, g, &g->now, &p);
    }
    if (p.updates)
        update_earlier(s, g, p, op->taken);
    p.rf = write_of_choice(&g->now, p.place, 0);
    add_part(s, g, &p);
    return p.updates ? finish_update(s, g, view, (uint32_t)g->now.parts.len - 1) : take(g, view, t, 0);
}

static struct sched_pick new_write(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    const struct sched_op *op = &view->next[t];
    struct part p = part_of(g, t, op);
    p.place = op->object;
    p.writes = true;
    revisit_all(s, g, p, INITIAL);
    uint32_t count = count_writes(&g->now, p.place);
    int choice;
    FOR_EACH_BIT(choice, op->older) {
        p.pos = count - (uint32_t)choice;
        postpone(s, g, &g->now, &p);
    }
    p.pos = count;
    add_part(s, g, &p);
    return take(g, view, t, 0);
}

/* The read of a lock is there: the lock itself, which is run if it is the mutex's turn. */
static struct sched_pick finish_lock(struct sched *s, struct graphs *g, const struct sched_view *view, uint32_t read)
{
    struct part p = g->now.parts.at[read], write = write_of(&p);
    revisit_all(s, g, write, p.rf);
    if (rank_behind(&g->now, p.rf) != count_writes(&g->now, p.place))
        return pick_nothing(SCHED_PICK_REDUNDANT); /* another lock has read the same */
    write.pos = rank_behind(&g->now, p.rf);
    add_part(s, g, &write);
    return take(g, view, p.thread, 0);
}

static struct part lock_of(const struct graphs *g, const struct sched_view *view, int t)
{
    struct part p = part_of(g, t, &view->next[t]);
    p.place = mutex_place(&view->next[t]);
    p.reads = p.updates = true;
    return p;
}

/* The lock could also have come before any that are there. Each of them took the mutex when it was free, so that
 * nothing comes of it but what it revisits. */
static void lock_earlier(struct sched *s, struct graphs *g, struct part lock)
{
    uint32_t count = count_writes(&g->now, lock.place);
    for (uint32_t choice = 1; choice <= count; choice++) {
        lock.rf = write_of_choice(&g->now, lock.place, choice);
        if (lock.rf != INITIAL && g->now.parts.at[lock.rf].kind != SCHED_UNLOCK)
            continue;
        add_part(s, g, &lock);
        revisit_all(s, g, write_of(&lock), lock.rf);
        g->now.parts.len--;
    }
}

/* The mutex is free. */
static struct sched_pick new_lock(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    struct part p = lock_of(g, view, t);
    lock_earlier(s, g, p);
    p.rf = write_of_choice(&g->now, p.place, 0);
    add_part(s, g, &p);
    return finish_lock(s, g, view, (uint32_t)g->now.parts.len - 1);
}

static bool has_unfinished(const struct graph *g, int thread)
{
    for (size_t i = 0; i < g->parts.len; i++)
        if (g->parts.at[i].thread == thread && is_unfinished(g, i))
            return true;
    return false;
}

/* The threads that would repeat a round. */
static sched_set awaiting(const struct sched_view *view)
{
    sched_set threads = SET_NONE;
    int t;
    FOR_EACH_THREAD(t, view->live)
        if ((view->next[t].flags & SCHED_SPIN) && view->next[t].order)
            threads |= set_of(t);
    return threads;
}

/* At the end: whoever has a mutex will not unlock it, because it assumed something in vain, waits in a loop, or the
 * program has ended. The locks that wait for it are not in the graph, and could have come first. */
static void graphs_arrived(struct sched *s, const struct sched_view *view)
{
    struct graphs *g = s->own;
    int t;
    if (g->planned < g->plan.len || (set_any(view->enabled) && set_any(view->enabled & ~awaiting(view))))
        return;
    FOR_EACH_THREAD(t, view->live)
        if (view->next[t].kind == SCHED_LOCK && !has_unfinished(&g->now, t))
            lock_earlier(s, g, lock_of(g, view, t));
}

/* Who waits for it gets it by a revisit. Otherwise it waits for ever, but what others do then may revisit what they did
 * before, so that the mutex is still to be unlocked. */
static struct sched_pick new_unlock(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    struct part p = part_of(g, t, &view->next[t]);
    p.place = mutex_place(&view->next[t]);
    p.writes = true;
    uint32_t lock = write_of_choice(&g->now, p.place, 0);
    revisit_all(s, g, p, lock);
    p.pos = rank_behind(&g->now, lock);
    add_part(s, g, &p);
    return take(g, view, t, 0);
}

/* Nobody can do anything but end the program: any of these threads may. */
static void end_otherwise(struct sched *s, struct graphs *g, const struct sched_view *view, sched_set others)
{
    int t;
    FOR_EACH_THREAD(t, others) {
        struct part p = part_of(g, t, &view->next[t]);
        assert(p.kind == SCHED_END);
        p.choice = 1;
        postpone(s, g, &g->now, &p);
    }
}

static struct sched_pick new_other(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    const struct sched_op *op = &view->next[t];
    struct part p = part_of(g, t, op);
    if (op->kind == SCHED_CREATE || op->kind == SCHED_JOIN)
        p.other = (int16_t)op->object;
    if (op->kind == SCHED_JOIN)
        p.choice = g->steps[p.other];
    for (uint32_t c = 1; op->kind == SCHED_CHOOSE && c < op_choices(op); c++) {
        p.choice = c;
        postpone(s, g, &g->now, &p);
        p.choice = 0;
    }
    if (op->kind == SCHED_END)
        end_otherwise(s, g, view, s->enabled & ~set_of(t));
    add_part(s, g, &p);
    return take(g, view, t, 0);
}

static struct sched_pick new_event(struct sched *s, struct graphs *g, const struct sched_view *view, int t)
{
    const struct sched_op *op = &view->next[t];
    switch (op->kind) {
    case SCHED_READ: case SCHED_RMW: case SCHED_CAS:
        if (op->order)
            return new_read(s, g, view, t);
        break;
    case SCHED_WRITE:
        if (op->order)
            return new_write(s, g, view, t);
        break;
    case SCHED_LOCK:
        return new_lock(s, g, view, t);
    case SCHED_UNLOCK:
        return new_unlock(s, g, view, t);
    case SCHED_CREATE: case SCHED_JOIN: case SCHED_EXIT: case SCHED_YIELD: case SCHED_CHOOSE: case SCHED_END:
    case SCHED_LOCAL:
        return new_other(s, g, view, t);
    default:
        break;
    }
    s->stats.stop = SCHED_STOP_KIND;
    s->divergence = (struct sched_divergence){.step = s->depth, .thread = t, .found = *op};
    return pick_nothing(SCHED_PICK_STOP);
}

static uint32_t steps_planned(const struct graphs *g, int thread)
{
    uint32_t steps = 0;
    for (size_t i = 0; i < g->planned; i++)
        steps += g->plan.at[i].thread == thread;
    return steps;
}

/* The place of the thread's step with that index, which it is about to do, is known now, wherever it occurs. */
static void meet_place(struct graphs *g, const struct sched_op *op, int thread, uint32_t index)
{
    uint64_t number = 0;
    for (size_t i = 0; i < g->now.parts.len && !number; i++)
        if (g->now.parts.at[i].thread == thread && g->now.parts.at[i].index == index)
            number = g->now.parts.at[i].place;
    if (!(number & NUMBERED))
        return; /* none, or met before */
    uint64_t place = op->kind == SCHED_LOCK || op->kind == SCHED_UNLOCK ? mutex_place(op) : op->object;
    for (size_t i = 0; i < g->now.parts.len; i++)
        if (g->now.parts.at[i].place == number)
            g->now.parts.at[i].place = place;
}

/* Those of the step that comes next in the plan, and behind it those of steps that are half done. */
static void meet_places(struct graphs *g, const struct sched_view *view)
{
    if (g->planned < g->plan.len) {
        int t = g->plan.at[g->planned].thread;
        meet_place(g, &view->next[t], t, steps_planned(g, t));
        return;
    }
    for (uint32_t i = 0; i < g->now.parts.len; i++) {
        const struct part *p = &g->now.parts.at[i];
        if (is_unfinished(&g->now, i))
            meet_place(g, &view->next[p->thread], p->thread, p->index);
    }
    g->numbered = false;
}

static struct sched_pick graphs_pick(struct sched *s, const struct sched_view *view)
{
    struct graphs *g = s->own;
    if (g->numbered)
        meet_places(g, view);
    while (g->planned < g->plan.len) {
        struct sched_step step = g->plan.at[g->planned++];
        struct sched_pick pick = pick_step(step.thread, step.choice);
        return can_do(view, pick) ? pick : pick_nothing(SCHED_PICK_REDUNDANT);
    }
    sched_set threads = s->enabled;
    for (uint32_t i = 0; i < g->now.parts.len; i++) {
        if (!is_unfinished(&g->now, i))
            continue;
        if (!is_blocked(&g->now, i))
            return (g->now.parts.at[i].kind == SCHED_LOCK ? finish_lock : finish_update)(s, g, view, i);
        threads &= ~set_of(g->now.parts.at[i].thread);
    }
    sched_set loops = awaiting(view);
    if (set_any(threads & ~loops))
        return new_event(s, g, view, set_first(threads & ~loops));
    return pick_nothing(set_any(threads) ? SCHED_PICK_AWAIT : SCHED_PICK_REDUNDANT);
}

/* ---- parts ---- */

/* That of the first part with that place; 0 stays none. */
static uint64_t number_of_place(const struct graph *g, uint64_t place)
{
    for (size_t i = 0; place && i < g->parts.len; i++)
        if (g->parts.at[i].place == place)
            return NUMBERED | i;
    return 0;
}

/* The one that was postponed first: more comes of it than of the others, as a rule. */
static bool graphs_choose(struct sched *s, struct given *g)
{
    const struct graphs *own = s->own;
    for (uint32_t i = 0; i < own->todo.len; i++) {
        if (part_is_given(s, 0, i))
            continue;
        g->which = i;
        return true;
    }
    return false;
}

static void graphs_give(struct sched *s, const struct given *g, struct bytes *out)
{
    const struct graph *graph = &((struct graphs *)s->own)->todo.at[g->which];
    uint64_t len = graph->parts.len;
    bytes_put(out, &len, sizeof len);
    for (size_t i = 0; i < len; i++) {
        struct part p = graph->parts.at[i];
        p.place = number_of_place(graph, p.place);
        bytes_put(out, &p, sizeof p);
    }
}

static void graphs_take(struct sched *s, struct bytes *in)
{
    struct graphs *g = s->own;
    uint64_t len = 0;
    if (!bytes_get(in, &len, sizeof len) || len > (in->size - in->pos) / sizeof(struct part)) {
        in->short_of = true;
        return;
    }
    stack_reserve(&s->pool, &g->now.parts, len);
    bytes_get(in, g->now.parts.at, len * sizeof *g->now.parts.at);
    g->now.parts.len = len;
    g->numbered = true;
    make_plan(s, g);
}

static void graphs_answer(struct sched *s, struct bytes *out)
{
    (void)s, (void)out;
}

static const struct part_rules graphs_parts = {sizeof(struct part), graphs_choose, graphs_give, graphs_take,
                                               graphs_answer};

static void graphs_begin(struct sched *s)
{
    struct graphs *g = s->own;
    if (!g)
        g = s->own = pool_alloc(&s->pool, sizeof *g);
    g->now.parts.len = g->todo.len = g->plan.len = g->planned = 0;
    g->numbered = false;
    memset(g->steps, 0, sizeof g->steps);
    s->bound = s->config.fair_bound = -1;
}

/* The last graphs, as long as others have explored what comes of them. */
static void skip_explored(struct sched *s, struct graphs *g)
{
    struct bytes none;
    while (g->todo.len && s->given.len && !s->told_to_stop &&
           part_told(s, 0, (uint32_t)g->todo.len - 1, SET_NONE, &none))
        pool_free(&s->pool, g->todo.at[--g->todo.len].parts.at);
}

static bool graphs_next(struct sched *s)
{
    struct graphs *g = s->own;
    s->prefix = 0;
    skip_explored(s, g);
    if (!g->todo.len)
        return false;
    pool_free(&s->pool, g->now.parts.at);
    g->now = g->todo.at[--g->todo.len];
    g->planned = 0;
    make_plan(s, g);
    return true;
}

const struct strategy strategy_graphs = {"optimal",   NO_GRAPH,       graphs_begin, graphs_pick,
                                         graphs_arrived, graphs_next, NULL,         &graphs_parts};
