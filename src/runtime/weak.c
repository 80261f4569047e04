/* Weak memory: RC11 on the running program (doc/memory-model.md).
 *
 * Every place that is accessed atomically has the list of its writes in the order of modification. Memory itself holds
 * the newest; a read may take an older one, and a write may be put before others, if coherence allows it: nothing later
 * in the list may happen before the access or have been read by what happens before it. What that leaves is shown to
 * the strategy as choices of the step. The order of seq_cst operations is looked at when such a choice was made, and an
 * execution that it forbids ends there: it depends on steps at other places, and choices must not.
 *
 * Nothing is cleared between executions; places of earlier generations count as absent. What memory held when a place
 * was first met is its first write, and happens before everything. A plain write in between starts the list anew.
 *
 * All of it runs on the stack on which decisions are taken: events are numbered, and what a number leaves behind on the
 * program's stack would make states different that are the same (cycle.c). */
#include "runtime/internal.h"

enum { PLACE_BITS = 16, MOST_PLACES = 1 << (PLACE_BITS - 1), MOST_EVENTS = 1 << 20, MOST_LINKS = 1 << 22 };
enum { MOST_OLDER = 63, GRANULE = 16, FIRST_ROOM = 4 };

struct weak_place {
    uint64_t address, generation;
    uint32_t size, count, room, number;
    uint32_t *writes;                 /* events, oldest first */
    uint32_t last[MAX_THREADS];       /* of each thread: its latest event here; 0: none */
};

/* What the strategies need not know of an event. */
struct weak_event {
    uint64_t value[2];
    uint32_t previous;                /* of the same thread at the same place */
    uint32_t jump, rank;              /* an earlier one of these, so that a search takes O(log n) steps; how many */
    uint32_t published;               /* WRITE: 1 + number of the clock that its readers acquire; 0: nothing */
    uint32_t step;
};

#define W rt.weak

void rt_weak_init(void)
{
    W.places = rt_map(NULL, sizeof *W.places << PLACE_BITS, 0);
    W.events = rt_map(NULL, sizeof *W.events * MOST_EVENTS, 0);
    W.details = rt_map(NULL, sizeof *W.details * MOST_EVENTS, 0);
    W.clocks = rt_map(NULL, sizeof *W.clocks * MOST_EVENTS, 0);
    W.published = rt_map(NULL, sizeof *W.published * MOST_EVENTS, 0);
    W.links = rt_map(NULL, sizeof *W.links * MOST_LINKS, 0);
    W.scratch = rt_map(NULL, 4 * MOST_EVENTS, 0);
    W.mixed = rt_map(NULL, sizeof *W.mixed << PLACE_BITS, 0);
    W.slots = rt_map(NULL, sizeof *W.slots * MOST_PLACES, 0);
}

/* Before each execution. Event 0 is none. */
void rt_weak_begin(void)
{
    W.event_count = 1;
    W.place_count = W.link_count = W.published_count = W.sc_count = 0;
    W.on = W.wanted && (rt.recording || rt.shared->weak_seen);
    W.choice = 0;
    rt.awaits = W.on && rt.exploring && rt.shared->config.strategy == SCHED_OPTIMAL;
}

/* Threads may have got numbers since then; their times are zero. */
static void move_clocks(struct rt_bag *b, struct clock *c, uint32_t count, int threads)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!b->saving) rt_clock_clear(&c[i]);
        rt_bag_move(b, c[i].at, sizeof c[i].at[0] * (size_t)threads);
    }
}

static void move_places(struct rt_bag *b)
{
    rt_bag_move(b, W.slots, sizeof *W.slots * W.place_count);
    for (uint32_t i = 0; i < W.place_count; i++) { /* one that was begun anew comes twice */
        struct weak_place *p = &W.places[W.slots[i]];
        rt_bag_move(b, p, sizeof *p);
        p->generation = rt.generation;
    }
}

void rt_weak_move(struct rt_bag *b)
{
    int threads = rt.numbering->next;
    uint32_t counts[] = {W.on, W.event_count, W.place_count, W.link_count, W.published_count, W.sc_count, W.choice};
    rt_bag_move(b, &threads, sizeof threads);
    rt_bag_move(b, counts, sizeof counts);
    W.on = counts[0];
    W.event_count = counts[1];
    W.place_count = counts[2];
    W.link_count = counts[3];
    W.published_count = counts[4];
    W.sc_count = counts[5];
    W.choice = counts[6];
    if (!W.on) return;
    rt_bag_move(b, &W.access, sizeof W.access);
    rt_bag_move(b, W.events, sizeof *W.events * W.event_count);
    rt_bag_move(b, W.details, sizeof *W.details * W.event_count);
    move_clocks(b, W.clocks, W.event_count, threads);
    move_clocks(b, W.published, W.published_count, threads);
    rt_bag_move(b, W.links, sizeof *W.links * W.link_count);
    move_places(b);
}

static void copy_clock(struct clock *to, const struct clock *from)
{
    memcpy(to->at, from->at, sizeof to->at[0] * (size_t)rt.numbering->next);
}

static uint64_t slot_of(uint64_t address) { return (address ^ address >> 29) * 0x9e3779b97f4a7c15ull; }

static struct weak_place *find_place(uint64_t address)
{
    uint64_t h = slot_of(address) >> (64 - PLACE_BITS);
    for (;; h++) {
        struct weak_place *p = &W.places[h & ((1u << PLACE_BITS) - 1)];
        if (p->generation != rt.generation || p->address == address) return p;
    }
}

static const struct weak_place *known_place(uint64_t address)
{
    const struct weak_place *p = find_place(address);
    return p->generation == rt.generation ? p : NULL;
}

static uint64_t *mixed_slot(uint64_t address)
{
    uint64_t h = slot_of(address / GRANULE) >> (64 - PLACE_BITS);
    while (W.mixed[h & ((1u << PLACE_BITS) - 1)] && W.mixed[h & ((1u << PLACE_BITS) - 1)] != address / GRANULE) h++;
    return &W.mixed[h & ((1u << PLACE_BITS) - 1)];
}

/* Accesses of different sizes that overlap: the newest value only, in all executions. */
static bool is_mixed(uint64_t address) { return W.has_mixed && *mixed_slot(address); }

static void learn_mixed(uint64_t address)
{
    if (*mixed_slot(address) || W.mixed_count == MOST_PLACES) return;
    *mixed_slot(address) = address / GRANULE;
    W.mixed_count++;
    W.has_mixed = true;
    if (rt.exploring) rt.shared->relearn = true;
}

static void is_mixture(uint64_t address, uint64_t other)
{
    uintptr_t pc = rt.self->atomic_depth ? 0 : rt.self->op_pc; /* inside a section it is no step */
    rt_note_mixed(address, RT_MIXED_SIZES, pc);
    learn_mixed(address);
    learn_mixed(other);
}

static void notice_mixtures(uint64_t address, uint32_t size)
{
    for (uint64_t a = address - 15; a < address + size; a++) {
        const struct weak_place *p = known_place(a);
        if (p && a + p->size > address && (a != address || p->size != size)) is_mixture(address, a);
    }
}

static uint32_t event_new(uint8_t what, const struct weak_place *p)
{
    struct thread *t = rt.self;
    if (W.event_count == MOST_EVENTS) rt_die("an execution has too many atomic operations");
    uint32_t e = W.event_count++;
    W.events[e] = (struct rc11_event){.thread = (uint16_t)t->id,
                                      .what = what,
                                      .index = e,
                                      .epoch = t->clock.at[t->id],
                                      .place = p ? p->number : 0};
    W.details[e] = (struct weak_event){.step = rt.shared->step_count};
    copy_clock(&W.clocks[e], &t->clock);
    W.sc_count += (what & RC11_SC) != 0;
    return e;
}

static void insert(struct weak_place *p, uint32_t at, uint32_t event)
{
    assert(at <= p->count);
    if (p->count == p->room) {
        uint32_t room = p->room ? p->room * 2 : FIRST_ROOM, *fresh = &W.links[W.link_count];
        if (W.link_count + room > MOST_LINKS) rt_die("an execution has too many atomic operations");
        W.link_count += room;
        memcpy(fresh, p->writes, p->count * sizeof *fresh);
        p->writes = fresh;
        p->room = room;
    }
    for (uint32_t i = p->count++; i > at; i--) {
        p->writes[i] = p->writes[i - 1];
        W.events[p->writes[i]].pos = i;
    }
    p->writes[at] = event;
    W.events[event].pos = at;
}

static void read_memory(uint64_t address, uint32_t size, uint64_t *value)
{
    value[0] = value[1] = 0;
    memcpy(value, (const void *)address, size);
}

static void place_begin(struct weak_place *p, uint64_t address, uint32_t size)
{
    if (W.place_count == MOST_PLACES) rt_die("an execution uses too many atomic variables");
    *p = (struct weak_place){.address = address, .generation = rt.generation, .size = size, .number = ++W.place_count};
    W.slots[W.place_count - 1] = (uint32_t)(p - W.places);
    uint32_t first = event_new(RC11_WRITE, p);
    W.events[first].thread = RC11_INITIAL;
    W.details[first].step = 0;
    read_memory(address, size, W.details[first].value);
    insert(p, 0, first);
    const struct clock *released = rt_released_to(address); /* by what wrote there and is no atomic access */
    if (!released) return;
    copy_clock(&W.published[W.published_count++], released);
    W.details[first].published = W.published_count;
}

static uint32_t newest(const struct weak_place *p) { return p->writes[p->count - 1]; }

static bool same_value(const uint64_t *a, const uint64_t *b) { return a[0] == b[0] && a[1] == b[1]; }

/* The place of the access that is being executed. */
static struct weak_place *place_of(uint64_t address, uint32_t size)
{
    struct weak_place *p = find_place(address);
    uint64_t now[2];
    if (p->generation != rt.generation) {
        notice_mixtures(address, size);
        p = find_place(address);
        place_begin(p, address, size);
    } else if (unlikely(p->size != size)) {
        is_mixture(address, address);
        p->size = size > p->size ? size : p->size;
    }
    read_memory(address, size, now);
    if (unlikely(!same_value(now, W.details[newest(p)].value))) {
        if (W.choice) rt_end_execution(SCHED_END_ABANDONED);
        place_begin(p, address, size);
    }
    return p;
}

static uint32_t seen_by(uint32_t event)
{
    return W.events[event].what & RC11_WRITE ? event : W.events[event].rf;
}

/* Of the list of a thread's events at a place, from `event` back: the latest one that a clock knows. */
static uint32_t latest_until(uint32_t event, uint32_t clock)
{
    while (event && W.events[event].epoch > clock) {
        uint32_t jump = W.details[event].jump;
        event = jump && W.events[jump].epoch > clock ? jump : W.details[event].previous;
    }
    return event;
}

/* Lengths of jumps follow the digits of skew binary numbers (Myers 1983). */
static void append_to_list(uint32_t event, uint32_t previous)
{
    struct weak_event *e = &W.details[event];
    uint32_t near = W.details[previous].jump, far = W.details[near].jump;
    bool same = W.details[previous].rank - W.details[near].rank == W.details[near].rank - W.details[far].rank;
    e->previous = previous;
    e->rank = previous ? W.details[previous].rank + 1 : 1;
    e->jump = previous && near && same ? far : previous;
}

/* The latest write of the list that must not be passed over: it happens before what thread t is about to do, or was
 * read by what does. */
static uint32_t floor_of(const struct weak_place *p, const struct thread *t)
{
    uint32_t best = p->writes[0];
    int u;
    FOR_EACH_THREAD(u, rt.created) {
        uint32_t e = p->last[u];
        if (u != t->id) e = latest_until(e, t->clock.at[u]);
        if (e && W.events[seen_by(e)].pos > W.events[best].pos) best = seen_by(e);
    }
    return best;
}

static bool is_update(uint32_t event) { return (W.events[event].what & (RC11_READ | RC11_WRITE)) == 3; }

static bool would_write(const struct thread *t, uint32_t write)
{
    if (t->op.kind == SCHED_READ) return false;
    return !t->op.fail_order || same_value(W.details[write].value, t->expected);
}

/* Which writes the pending operation of t may pass over, as in struct sched_op. A thread that looks again and again for
 * a change sees something newer than the last time. */
void rt_weak_choices(const struct thread *t, struct sched_op *op)
{
    const struct weak_place *p = known_place(op->object);
    uint64_t now[2];
    op->older = op->taken = op->updates = 0;
    if (is_mixed(op->object)) op->order = 0; /* memory as a whole, and no place of its own */
    if (!p || op->count != p->size || is_mixed(op->object)) {
        if (op->fail_order) read_memory(op->object, op->count, now);
        op->updates = op->kind != SCHED_READ && (!op->fail_order || same_value(now, t->expected));
        return;
    }
    op->updates = would_write(t, newest(p));
    uint32_t most = p->count - 1 - W.events[floor_of(p, t)].pos;
    if (most && (op->flags & SCHED_SPIN)) most--;
    if (most > MOST_OLDER) {
        most = MOST_OLDER;
        rt.shared->weak_truncated = true;
    }
    for (uint32_t k = 1; k <= most; k++) {
        bool writes = would_write(t, p->writes[p->count - 1 - k]);
        bool splits = writes && is_update(p->writes[p->count - k]); /* that reads the write before it */
        if (writes) op->updates |= 1ull << k;
        if (!splits) op->older |= 1ull << k;
        else if (op->kind != SCHED_WRITE) op->taken |= 1ull << k;
    }
}

/* The pending operation is one of those that have such choices. */
bool rt_weak_concerns(const struct sched_op *op)
{
    return W.on && op->order &&
           (op->kind == SCHED_READ || op->kind == SCHED_WRITE || op->kind == SCHED_RMW || op->kind == SCHED_CAS);
}

static bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
static bool releases(int order) { return order >= __ATOMIC_RELEASE; }

static void join(struct clock *into, const struct clock *from)
{
    int n = rt.numbering->next;
    for (int i = 0; i < n; i++)
        if (into->at[i] < from->at[i]) into->at[i] = from->at[i];
}

static void acquire_from(uint32_t write, int order)
{
    struct thread *t = rt.self;
    uint32_t published = W.details[write].published;
    if (published) join(acquires(order) ? &t->clock : &t->acquired, &W.published[published - 1]);
}

/* What readers of the write acquire: all before it, or before the last release fence, and what the release sequence
 * that an update continues has. */
/* Code that is not instrumented has read the newest write of the place. */
void rt_weak_acquire_newest(uint64_t address)
{
    const struct weak_place *p = W.on ? known_place(address) : NULL;
    if (p) acquire_from(newest(p), __ATOMIC_ACQUIRE);
}

static void publish(uint32_t write, int order, uint32_t continued)
{
    const struct thread *t = rt.self;
    uint32_t before = continued ? W.details[continued].published : 0;
    const struct clock *own = releases(order) ? &t->clock : t->has_fence ? &t->fence : NULL;
    if (!own) {
        W.details[write].published = before;
        return;
    }
    struct clock *c = &W.published[W.published_count++];
    copy_clock(c, own);
    if (before) join(c, &W.published[before - 1]);
    W.details[write].published = W.published_count;
}

static void enter(struct weak_place *p, uint32_t event)
{
    int t = rt.self->id;
    append_to_list(event, p->last[t]);
    p->last[t] = event;
}

/* The choice made passes over writes: then seq_cst operations may forbid it. */
static void check_sc(void)
{
    struct rc11_graph g = {W.events, W.event_count, W.clocks[0].at, MAX_THREADS};
    if (!W.choice || W.sc_count < 2 || rc11_sc_consistent(&g, W.scratch)) return;
    rt_end_execution(SCHED_END_ABANDONED);
}

static uint8_t sc_bit(int order) { return order == __ATOMIC_SEQ_CST ? RC11_SC : 0; }

/* The write that the choice leads to. A place that was met, or started anew, in this very step has but one. */
static uint32_t chosen_write(const struct weak_place *p)
{
    if (W.choice >= p->count) rt_end_execution(SCHED_END_ABANDONED);
    return p->writes[p->count - 1 - W.choice];
}

/* Before the event has entered the list. */
static void record(const struct weak_place *p, uint32_t event, int order)
{
    if (likely(!rt.recording)) return;
    if (W.events[event].what & RC11_READ) rt_record_source(W.details[W.events[event].rf].step, order);
    if (W.choice) rt_record_stale(W.details[newest(p)].step, W.details[newest(p)].value[0]);
}

static void peek(void)
{
    uint32_t write = chosen_write(place_of(W.access.address, W.access.size));
    memcpy(W.access.value, W.details[write].value, sizeof W.access.value);
}

static void load(void)
{
    struct weak_place *p = place_of(W.access.address, W.access.size);
    uint32_t write = chosen_write(p);
    acquire_from(write, W.access.order);
    uint32_t e = event_new((uint8_t)(RC11_READ | sc_bit(W.access.order)), p);
    W.events[e].rf = write;
    enter(p, e);
    check_sc();
    record(p, e, W.access.order);
}

static void store(void)
{
    struct weak_place *p = place_of(W.access.address, W.access.size);
    uint32_t e = event_new((uint8_t)(RC11_WRITE | sc_bit(W.access.order)), p);
    if (W.choice >= p->count) rt_end_execution(SCHED_END_ABANDONED);
    memcpy(W.details[e].value, W.access.value, sizeof W.details[e].value);
    record(p, e, W.access.order);
    insert(p, p->count - W.choice, e);
    enter(p, e);
    publish(e, W.access.order, 0);
    rt_cycle_wrote();
    check_sc();
}

static void update(void)
{
    struct weak_place *p = place_of(W.access.address, W.access.size);
    uint32_t write = chosen_write(p);
    acquire_from(write, W.access.order);
    uint32_t e = event_new((uint8_t)(RC11_READ | RC11_WRITE | sc_bit(W.access.order)), p);
    W.events[e].rf = write;
    memcpy(W.details[e].value, W.access.value, sizeof W.details[e].value);
    record(p, e, W.access.order);
    insert(p, W.events[write].pos + 1, e);
    enter(p, e);
    publish(e, W.access.order, write);
    rt_cycle_wrote();
    check_sc();
}

static void elsewhere(void (*act)(void)) { rt_call_on(rt.decision_stack, act); }

static void access_elsewhere(void (*act)(void), uint64_t address, uint32_t size, int order)
{
    W.access.address = address;
    W.access.size = size;
    W.access.order = order;
    elsewhere(act);
}

const uint64_t *rt_weak_peek(uint64_t address, uint32_t size)
{
    access_elsewhere(peek, address, size, 0);
    return W.access.value;
}

void rt_weak_load(uint64_t address, uint32_t size, int order) { access_elsewhere(load, address, size, order); }

bool rt_weak_store(uint64_t address, uint32_t size, int order, const uint64_t *value)
{
    memcpy(W.access.value, value, sizeof W.access.value);
    access_elsewhere(store, address, size, order);
    return !W.choice;
}

bool rt_weak_update(uint64_t address, uint32_t size, int order, const uint64_t *value)
{
    memcpy(W.access.value, value, sizeof W.access.value);
    access_elsewhere(update, address, size, order);
    return !W.choice;
}

/* Which write the read that was just executed took; 0: the newest, as memory has it. */
uint32_t rt_weak_source(uint64_t address)
{
    const struct rc11_event *e = &W.events[W.event_count - 1];
    const struct weak_place *p = W.on && !is_mixed(address) ? known_place(address) : NULL;
    bool is_the_read = p && e->place == p->number && e->thread == rt.self->id && (e->what & RC11_READ);
    return is_the_read ? e->rf : 0;
}

/* After the race detector has seen the access: what follows is not released. */
void rt_weak_released(int order)
{
    struct thread *t = rt.self;
    if (releases(order)) t->clock.at[t->id]++;
}

static void fence(void) { event_new((uint8_t)(RC11_FENCE | sc_bit(W.access.order)), NULL); }

void rt_weak_fence(int order)
{
    W.access.order = order;
    if (W.on) elsewhere(fence);
}

/* Something else that orders threads, on the side of who gives and of who takes: a lock, the start of a thread, its
 * end. It lies between accesses at other places. */
void rt_weak_other(void) { rt_weak_fence(__ATOMIC_RELAXED); }

/* Else the access takes the newest value, and synchronises by address. */
bool rt_weak_takes(uint64_t address) { return W.on && !is_mixed(address); }

/* Nobody else is there, or will ever look at what was before. */
static bool is_alone(void)
{
    bool alone = set_equal(rt.live, set_of(rt.self->id));
    int id;
    FOR_EACH_THREAD(id, rt.created & ~set_of(rt.self->id)) alone &= rt.threads[id].joined;
    return alone;
}

/* Memory has but the newest value for a plain access, which is all that there is if it races with nothing. On a stack
 * the first write of a variable is not told from a later one of another that lay there. */
void rt_weak_plain(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (!W.on || is_alone() || (write && rt_on_own_stack(rt.self, (const void *)address))) return;
    for (uint64_t a = address - 15; a < address + size; a++) {
        const struct weak_place *p = known_place(a);
        if (p && a + p->size > address) rt_note_mixed(a, RT_MIXED_PLAIN, pc);
    }
}

/* An operation weaker than seq_cst, and somebody for whom that makes a difference. */
void rt_weak_met(void)
{
    struct rt_shared *s = rt.shared;
    if (is_alone() || !W.wanted || s->weak_seen || !rt.exploring) return;
    s->weak_seen = true;
    s->relearn = true;
    rt_end_execution(SCHED_END_ABANDONED); /* it begins anew */
}
