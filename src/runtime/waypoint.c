/* States on the way that are kept in this process: short executions are resumed at the branch.
 *
 * Most executions repeat the beginning of the one before. At a scheduling point on the way everything that this
 * execution changed so far is copied (a few kilobytes: used parts of stacks, pages that differ from the start, the heap
 * above it, the shadow of memory as far as it was touched, what the runtime knows of threads). If the next execution
 * begins with the same steps, memory goes back to the start as ever (reset.c), the copy is laid over it, and the
 * decision is taken that comes next. The strategy counts the steps left out as done.
 *
 * One function says what a state is, for both directions (everything()): what is kept and what is put back cannot
 * differ. Of the runtime's own struct all is kept but what the table says; what belongs to one execution by its
 * generation counts as absent in the next one, so that what was left behind after the state need not be known.
 *
 * Where to keep one: shortly before the place where this execution leaves the one before, if that was far to run, for
 * the next ones leave it there, too, or in steps shortly before; and now and then in what was not run before. All costs
 * are measured, and what is spent in vain is kept below a fiftieth of the time. Every so often an execution is run from
 * the start all the same: so a program that does not repeat itself is noticed.
 *
 * Not with files, descriptors or mappings of its own, nor where something outside of control was called. What is too
 * large for that, or not possible, branch.c may resume by copies of the process. */
#include "runtime/internal.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST = 12,            /* states kept at a time */
    ROOM = 4 << 20,       /* bytes of each */
    STACK = 64 << 10,
    SHARE = 50,           /* one of so many parts of the time may be spent in vain, */
    FIRST_CREDIT = 1 << 20, /* and at first so many ticks: less than a millisecond */
    APART = 32,           /* in what was not run before: so many times the cost of keeping one from the last */
    FROM_START = 64,      /* one of so many executions */
    FORCED_EVERY = 4,     /* --isolate=keep: steps */
    FEW = 8,              /* steps: the first ones after going back say nothing of what a step costs */
    USES = 256,           /* uses are counted in parts of so many */
};

struct waypoint {
    size_t depth;
    void *sp;             /* on the stack of decisions */
    uint64_t generation;
    uint32_t uses;
    char *data;
    size_t size;
};

struct waypoints {
    struct waypoint kept[MOST]; /* by depth */
    int count;
    const struct sched *sched;  /* whose executions they are of */
    char *stack_high, *rooms;
    struct waypoint *making;
    bool refused;               /* the last attempt to keep one */
    uint64_t executions;
    size_t from;                /* this execution began after so many steps, */
    size_t branch;              /* and left the one before after so many */
    /* Ticks of the processor's counter. */
    bool is_timed;
    uint64_t began;             /* this execution, if that is of interest */
    uint64_t step_cost;         /* of a step that is repeated, times 16 */
    uint64_t save_cost, restore_cost;
    uint64_t last, execution;   /* when the last execution began; what they take */
    uint64_t uses;              /* of a state, on average, times USES */
    int64_t credit;
};

static struct waypoints *way(void) { return rt.way.all; }
static bool is_forced(void) { return rt.shared->config.isolate == RT_ISOLATE_KEEP; }

/* Mapped in all modes, so that whatever is mapped later lies where it does in the others. */
void rt_waypoints_init(void)
{
    struct waypoints *w = rt_map(NULL, sizeof *w, 0);
    w->stack_high = (char *)rt_map(NULL, STACK, 0) + STACK;
    w->rooms = rt_map(NULL, (size_t)MOST * ROOM, 0);
    w->uses = USES;
    w->credit = FIRST_CREDIT;
    rt_race_follow();
    if (rt.shared->config.isolate == RT_ISOLATE_RESET || is_forced()) rt.way.all = w;
}

void rt_waypoints_forget(void)
{
    if (!way()) return;
    way()->count = 0;
    way()->sched = NULL;
    rt.way.target = 0;
}

bool rt_waypoints_refused(void) { return !way() || way()->refused; }

/* ---- what a state is ---- */

void rt_bag_move(struct rt_bag *b, void *p, size_t size)
{
    if ((size_t)(b->end - b->at) < size) {
        assert(b->saving);
        b->is_full = true;
        return;
    }
    if (b->saving) memcpy(b->at, p, size);
    else memcpy(p, b->at, size);
    b->at += (size + 7) & ~7ul;
}

/* From each of these members on, up to the next: whether it is a part of the state. What is no part of it is the same
 * in all executions, is known beyond them, or is moved by itself below. */
#define FROM(member, kept) {offsetof(struct runtime, member), kept}
static const struct { size_t from; bool kept; } rows[] = {
    FROM(shared, false),
    FROM(self, true),
    FROM(threads, false),
    FROM(live, true),
    FROM(follows_words, false),
    FROM(view, false),
    FROM(outcome, true),
    FROM(main, false),
    FROM(picked, true),
    FROM(root_tls, false),
    FROM(exit_status, true),
    FROM(has_fsgsbase, false),
    FROM(time, true),
    FROM(generation, false),
    FROM(heap, true),
    FROM(weak, false),
    FROM(at_exit_count, true),
    FROM(snapshot_at_exit_count, false),
    FROM(clients_left, true),
    FROM(undo, false),
    FROM(timers, true),
    FROM(named, false),
    FROM(named_generation, true),
    FROM(files, false),
    FROM(keys_changed, true),
    FROM(cycle, false),
    FROM(step_hash, true),
    FROM(first, false),
};

static void move_runtime(struct rt_bag *b)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        size_t end = i + 1 < ARRAY_LEN(rows) ? rows[i + 1].from : sizeof rt;
        assert(rows[i].from < end);
        if (rows[i].kept) rt_bag_move(b, (char *)&rt + rows[i].from, end - rows[i].from);
    }
}

/* Something that belongs to the execution in which the state was kept belongs to this one. */
static void renew(const struct rt_bag *b, uint64_t *generation)
{
    if (*generation == b->generation) *generation = rt.generation;
}

/* Of threads that are there. */
static void move_view(struct rt_bag *b)
{
    struct sched_view *v = &rt.view;
    int id;
    rt_bag_move(b, &v->live, sizeof v->live);
    rt_bag_move(b, &v->enabled, sizeof v->enabled);
    rt_bag_move(b, &v->ending, sizeof v->ending);
    FOR_EACH_THREAD(id, rt.created) rt_bag_move(b, &v->next[id], sizeof v->next[id]);
}

/* Members that are large and seldom used. */
static void move_rest_of_runtime(struct rt_bag *b)
{
    rt_bag_move(b, rt.at_exit, sizeof rt.at_exit[0] * (size_t)rt.at_exit_count);
    if (rt.keys_changed) rt_bag_move(b, rt.keys, sizeof rt.keys);
    bool signals = rt.signal.changed;
    rt_bag_move(b, &signals, sizeof signals);
    if (signals) rt_bag_move(b, &rt.signal, sizeof rt.signal);
    bool named = rt.named_generation == b->generation;
    if (named) rt_bag_move(b, rt.named, sizeof rt.named);
    renew(b, &rt.clients_generation);
    renew(b, &rt.timers.generation);
    renew(b, &rt.named_generation);
}

/* All but what is known of rounds beyond one execution. */
static void move_cycle(struct rt_bag *b)
{
    struct cycle *c = &rt.cycle, known = {.no_more_rounds = c->no_more_rounds, .vain_rounds = c->vain_rounds};
    size_t states = offsetof(struct cycle, since);
    assert(!offsetof(struct cycle, kept));
    rt_bag_move(b, (char *)c + states, sizeof *c - states);
    rt_bag_move(b, c->kept, sizeof c->kept[0] * c->count);
    c->no_more_rounds = known.no_more_rounds;
    c->vain_rounds = known.vain_rounds;
}

/* Memory is as at the start when a state is put back: those that differ from it are all. */
static void save_pages(struct rt_bag *b)
{
    uint32_t none = ~0u;
    for (uint32_t i = 0; i < rt.hot_page_count; i++) {
        const struct hot_page *h = &rt.hot_pages[i];
        if (!memcmp(h->page, h->copy, PAGE)) continue;
        rt_bag_move(b, &i, sizeof i);
        rt_bag_move(b, h->page, PAGE);
    }
    rt_bag_move(b, &none, sizeof none);
}

static void put_pages_back(struct rt_bag *b)
{
    uint32_t i;
    for (rt_bag_move(b, &i, sizeof i); i != ~0u; rt_bag_move(b, &i, sizeof i)) {
        assert(i < rt.hot_page_count);
        rt_bag_move(b, rt.hot_pages[i].page, PAGE);
    }
}

static void move_offsets(struct rt_bag *b)
{
    for (int i = 0; i < rt.kept_file_count; i++) {
        const struct kept_file *k = &rt.kept_files[i];
        if (k->offset < 0) continue;
        long at = b->saving ? rt_syscall(SYS_lseek, k->fd, 0, SEEK_CUR, 0, 0, 0) : 0;
        rt_bag_move(b, &at, sizeof at);
        if (!b->saving && at != k->offset) rt_syscall(SYS_lseek, k->fd, at, SEEK_SET, 0, 0, 0);
    }
}

static void move_shared(struct rt_bag *b)
{
    struct rt_shared *s = rt.shared;
    uint64_t of_others[] = {s->step_count, s->announced_count, (uint64_t)s->current};
    rt_bag_move(b, of_others, sizeof of_others);
    s->step_count = (uint32_t)of_others[0];
    s->announced_count = (uint32_t)of_others[1];
    s->current = (int)of_others[2];
}

/* Counts before what they count. */
static void everything(struct rt_bag *b, void *sp)
{
    move_runtime(b);
    move_view(b);
    move_rest_of_runtime(b);
    move_cycle(b);
    rt_threads_move(b);
    rt_bag_move(b, sp, (size_t)(rt.decision_stack - (char *)sp));
    if (b->saving) save_pages(b);
    else put_pages_back(b);
    rt_heap_move(b);
    rt_race_move(b);
    rt_weak_move(b);
    move_offsets(b);
    move_shared(b);
}

/* ---- keeping one ---- */

/* Of the last ones. One during which another process had the processor says nothing, nor one that met new memory. */
static uint64_t mean(uint64_t before, uint64_t now)
{
    if (now < before) return (before + now) / 2;
    if (before && now > 4 * before) now = 4 * before;
    return before ? before - before / 8 + now / 8 : now;
}

static void add_credit(int64_t ticks)
{
    struct waypoints *w = way();
    int64_t most = (int64_t)(w->save_cost * 256) + FIRST_CREDIT;
    w->credit += ticks;
    if (w->credit > most) w->credit = most;
}

/* On a stack of its own, while the decision waits. */
static void make(void)
{
    struct waypoint *p = way()->making;
    uint64_t began = rt_ticks();
    struct rt_bag b = {p->data, p->data + ROOM, true, false, rt.generation};
    everything(&b, p->sp);
    p->generation = rt.generation;
    p->size = (size_t)(b.at - p->data);
    way()->refused = b.is_full;
    uint64_t took = rt_ticks() - began;
    way()->save_cost = mean(way()->save_cost, took);
    add_credit(-(int64_t)took);
    void *ignored;
    rt_switch(&ignored, p->sp);
}

/* As branch.c has it. */
static bool is_possible(void)
{
    bool outside = rt.shared->note_count;
    bool files = rt.used_files || rt.files.generation == rt.generation || rt_has_undo();
    bool maps = rt.maps.used || rt.maps.brk_most;
    return !outside && !files && !maps && !rt.exiting && rt_heap_can_move() && rt_race_can_move();
}

/* The one that is missed least: its neighbours are nearest to each other. */
static void drop_one(struct waypoints *w)
{
    int least = 0;
    size_t gap = SIZE_MAX;
    for (int i = 0; i + 1 < w->count; i++) {
        size_t before = i ? w->kept[i - 1].depth : 0, here = w->kept[i + 1].depth - before;
        if (here < gap) gap = here, least = i;
    }
    struct waypoint out = w->kept[least];
    memmove(&w->kept[least], &w->kept[least + 1], sizeof out * (size_t)(w->count - least - 1));
    w->kept[--w->count] = out; /* its room is used again */
}

static char *free_room(const struct waypoints *w)
{
    for (int i = 0; i < MOST; i++) {
        bool used = false;
        char *room = w->rooms + (size_t)i * ROOM;
        for (int k = 0; k < w->count; k++) used |= w->kept[k].data == room;
        if (!used) return room;
    }
    return NULL;
}

static size_t deepest(const struct waypoints *w) { return w->count ? w->kept[w->count - 1].depth : 0; }

/* So many steps cost as much as to keep a state so many times. */
static size_t steps_worth(const struct waypoints *w, uint64_t times)
{
    return w->step_cost ? (size_t)(times * w->save_cost * 16 / w->step_cost) + 1 : 1;
}

static void next_target(size_t depth)
{
    struct waypoints *w = way();
    if (is_forced()) rt.way.target = depth + FORCED_EVERY;
    else if (depth < w->branch) rt.way.target = w->branch + steps_worth(w, APART);
    else rt.way.target = depth + steps_worth(w, APART);
}

static void keep(size_t depth)
{
    struct waypoints *w = way();
    if (w->count == MOST) drop_one(w);
    char *room = free_room(w);
    assert(room && w->sched == rt.sched && depth > deepest(w));
    w->kept[w->count] = (struct waypoint){.depth = depth, .data = room};
    w->making = &w->kept[w->count];
    rt_switch(&w->making->sp, rt_make_context(w->stack_high, make));
}

/* The time since the beginning was spent on steps of the execution before. */
static void learn_step_cost(size_t depth)
{
    struct waypoints *w = way();
    if (w->is_timed && depth <= w->branch && depth > w->from + FEW)
        w->step_cost = mean(w->step_cost, (rt_ticks() - w->began) * 16 / (depth - w->from));
    w->is_timed = false;
}

void rt_waypoint(void)
{
    struct waypoints *w = way();
    size_t depth = sched_depth(rt.sched);
    assert(depth == rt.way.target);
    learn_step_cost(depth);
    next_target(depth);
    if (depth <= deepest(w)) return;
    if (!is_possible()) {
        w->refused = true;
        return;
    }
    if (!is_forced() && w->credit < (int64_t)w->save_cost) return;
    uint64_t before = rt.generation;
    keep(depth);
    if (rt.generation == before && !w->refused && w->making) w->count++; /* not when it is resumed */
    w->making = NULL;
}

/* ---- resuming ---- */

/* What is saved by beginning there and not at the start. */
static int64_t gain_of(const struct waypoints *w, size_t depth)
{
    return (int64_t)(depth * w->step_cost / 16) - (int64_t)w->restore_cost;
}

/* What did not pay once would never be tried again. */
static void hope(struct waypoints *w)
{
    if (w->uses < USES) w->uses++;
    w->save_cost -= w->save_cost / 128;
    w->restore_cost -= w->restore_cost / 128;
}

/* By a state so far from the one that this execution began with, as often as it will be used. */
static bool is_worth_keeping(const struct waypoints *w, size_t from, size_t place)
{
    int64_t once = from ? (int64_t)((place - from) * w->step_cost / 16) : gain_of(w, place);
    return once * (int64_t)w->uses / USES > (int64_t)w->save_cost;
}

/* The next executions will leave this one where it leaves the one before, or shortly before that. */
static void choose_target(size_t from)
{
    struct waypoints *w = way();
    size_t back = steps_worth(w, 1) / 2, place = w->branch > back ? w->branch - back : 0;
    w->from = from;
    w->is_timed = false;
    rt.way.target = 0;
    if (!w->branch || rt.branch.on) return; /* the first one, or resumed in another way */
    if (is_forced()) {
        rt.way.target = from - from % FORCED_EVERY + FORCED_EVERY;
        return;
    }
    if (!from) hope(w);
    bool is_new = !w->step_cost || (!from && w->count), pays = place > from && is_worth_keeping(w, from, place);
    rt.way.target = pays || is_new ? place : w->branch + steps_worth(w, APART);
    w->is_timed = pays || is_new;
}

static void count_uses(struct waypoints *w, int from)
{
    for (int i = from; i < w->count; i++) {
        w->uses = w->uses - w->uses / 8 + (w->kept[i].uses < 64 ? w->kept[i].uses : 64) * USES / 8;
        if (w->uses < USES / 4) w->uses = USES / 4;
    }
    w->count = from;
}

static void note_time(struct waypoints *w)
{
    uint64_t now = rt_ticks();
    if (w->last) w->execution = mean(w->execution, now - w->last);
    w->last = now;
    add_credit((int64_t)(w->execution / SHARE));
}

/* The program begins to run. */
void rt_waypoints_begin(void)
{
    if (way() && way()->is_timed) way()->began = rt_ticks();
}

/* The deepest one that the execution comes by; those beyond are of no use any more. */
static struct waypoint *choose(void)
{
    struct waypoints *w = way();
    rt.way.target = 0;
    if (w && w->sched != rt.sched) rt_waypoints_forget(); /* the steps of the last execution are others */
    if (!w || rt.follows_schedule || !rt.sched) return NULL;
    note_time(w);
    w->sched = rt.sched;
    w->branch = sched_repeats(rt.sched);
    int count = w->count;
    while (count && w->kept[count - 1].depth > w->branch) count--;
    count_uses(w, count);
    bool from_start = ++w->executions % FROM_START == 0 || rt.branch.on;
    struct waypoint *p = count && !from_start ? &w->kept[count - 1] : NULL;
    if (p && !is_forced() && gain_of(w, p->depth) < 0) p = NULL;
    choose_target(p ? p->depth : 0);
    return p;
}

static void put_back(const struct waypoint *p)
{
    uint64_t began = rt_ticks();
    struct rt_bag b = {p->data, p->data + p->size, false, false, p->generation};
    everything(&b, p->sp);
    assert(b.at == b.end && !b.is_full);
    way()->restore_cost = mean(way()->restore_cost, rt_ticks() - began);
    add_credit(gain_of(way(), p->depth));
}

bool rt_waypoint_go_on(void)
{
    struct waypoint *p = choose();
    if (!p) return false;
    assert(!set_any(rt.live | rt.created) && !rt.active);
    p->uses++;
    rt.generation++;
    put_back(p);
    rt.end = SCHED_END_NORMAL;
    rt.found.kind = RT_NONE;
    rt.shared->resumed++;
    sched_resume(rt.sched, p->depth);
    rt.active = true;
    rt_set_tls(rt.self->tls);
    rt_waypoints_begin();
    rt_switch(&rt.root_sp, p->sp);
    return true;
}
