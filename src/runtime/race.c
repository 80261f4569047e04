/* Happens-before clocks, and a shadow of memory that finds data races.
 *
 * Every granule of 8 bytes has a list of cells: who accessed which of its bytes, when, and how. A new access races with
 * a cell of another thread that it does not happen after, if they share a byte, one writes and one is not atomic.
 * Unlike a fixed number of cells per granule this loses nothing: a cell is dropped only when every later access that
 * would race with it must also race with the access that replaces it. Nothing is cleared between executions; cells of
 * earlier generations count as absent. */
#include "runtime/internal.h"

#include <sys/mman.h>
#include <sys/syscall.h>

struct touch {
    uint32_t next; /* index, 0: none */
    uint32_t clock;
    uint16_t thread;
    uint8_t mask;
    bool write : 1, atomic : 1;
    uint32_t frames; /* first frame of its stack, when recording */
    uint32_t frame_count;
    uint64_t pc;
};

struct granule {
    uint32_t generation, first;
};

struct sync {
    uint64_t object, generation;
    int owner;
    struct clock clock;
    pthread_mutex_t mutex;
};

enum { PAGE_BITS = 12, DIRECTORY_BITS = 18, TABLE_BITS = 18, GRANULES = 1 << (PAGE_BITS - 3) };
enum { CELLS = 1 << 26, SYNCS = 1 << 16, MOST_TOUCHED = 1 << 18 };

void rt_race_init(void)
{
    rt.race.directory = rt_map(NULL, sizeof(void *) << DIRECTORY_BITS, 0);
    rt.race.cells = rt_map(NULL, sizeof(struct touch) * CELLS, 0);
    rt.race.cell_cap = CELLS;
    rt.race.cell_count = 1;
    rt.race.syncs = rt_map(NULL, sizeof(struct sync) * SYNCS, 0);
    rt.race.sync_cap = SYNCS;
}

/* Granules know the lower half of the generation. */
void rt_race_reset(void)
{
    rt.race.touched_count = rt.race.synced_count = 0;
    if ((uint32_t)(rt.generation + 1) == 0) rt_die("too many executions for one process");
    assert(rt.race.cell_count >= 1 && rt.race.cell_count <= rt.race.cell_cap);
    rt.race.cell_count = 1;
}

/* The same, and what was used is given back: a copy of the process is made faster. */
void rt_race_shrink(void)
{
    size_t used = sizeof(struct touch) * rt.race.cell_count;
    rt_race_reset();
    rt_syscall(SYS_madvise, (long)rt.race.cells, (long)used, MADV_DONTNEED, 0, 0, 0);
}

void rt_race_follow(void)
{
    rt.race.touched = rt_map(NULL, sizeof *rt.race.touched * MOST_TOUCHED, 0);
    rt.race.touched_cap = MOST_TOUCHED;
    rt.race.synced = rt_map(NULL, sizeof *rt.race.synced * SYNCS, 0);
}

bool rt_race_can_move(void) { return rt.race.touched_count <= rt.race.touched_cap; }

/* What other executions left there is of another generation, and so absent. */
static void move_granules(struct rt_bag *b)
{
    const uint32_t generation = (uint32_t)rt.generation, n = rt.race.touched_count;
    struct kept { struct granule *at; uint64_t first; } *k = (struct kept *)(void *)b->at;
    if ((size_t)(b->end - b->at) < n * sizeof *k) {
        b->is_full = true;
        return;
    }
    for (uint32_t i = 0; i < n && b->saving; i++) k[i] = (struct kept){rt.race.touched[i], rt.race.touched[i]->first};
    for (uint32_t i = 0; i < n && !b->saving; i++) {
        rt.race.touched[i] = k[i].at;
        *k[i].at = (struct granule){generation, (uint32_t)k[i].first};
    }
    b->at += n * sizeof *k;
}

/* Threads may have got numbers since then; their times are zero. */
static void move_sync(struct rt_bag *b, struct sync *s, int threads)
{
    rt_bag_move(b, &s->object, sizeof s->object);
    rt_bag_move(b, &s->owner, sizeof s->owner);
    rt_bag_move(b, &s->mutex, sizeof s->mutex);
    if (!b->saving) rt_clock_clear(&s->clock);
    rt_bag_move(b, s->clock.at, sizeof s->clock.at[0] * (size_t)threads);
    s->generation = rt.generation;
}

void rt_race_move(struct rt_bag *b)
{
    int threads = rt.numbering->next;
    rt_bag_move(b, &threads, sizeof threads);
    rt_bag_move(b, &rt.race.cell_count, sizeof rt.race.cell_count);
    rt_bag_move(b, &rt.race.cells[1], sizeof rt.race.cells[0] * (rt.race.cell_count - 1));
    rt_bag_move(b, &rt.race.touched_count, sizeof rt.race.touched_count);
    move_granules(b);
    rt_bag_move(b, &rt.race.synced_count, sizeof rt.race.synced_count);
    rt_bag_move(b, rt.race.synced, sizeof rt.race.synced[0] * rt.race.synced_count);
    for (uint32_t i = 0; i < rt.race.synced_count; i++) move_sync(b, &rt.race.syncs[rt.race.synced[i]], threads);
}

static struct granule *granules_of_page(uintptr_t address, bool make)
{
    assert_costly(rt.race.directory);
    uintptr_t page = address >> PAGE_BITS;
    void **directory = &rt.race.directory[page >> TABLE_BITS & ((1ul << DIRECTORY_BITS) - 1)];
    if (unlikely(!*directory)) {
        if (!make) return NULL;
        *directory = rt_map(NULL, sizeof(void *) << TABLE_BITS, 0);
    }
    void **table = (void **)*directory + (page & ((1ul << TABLE_BITS) - 1));
    if (unlikely(!*table)) {
        if (!make) return NULL;
        *table = rt_map(NULL, sizeof(struct granule) * GRANULES, 0);
    }
    return *table;
}

/* Numbers of threads are only ever handed out, so entries beyond the last one were never anything but zero. */
void rt_clock_clear(struct clock *c) { memset(c->at, 0, sizeof c->at[0] * (size_t)rt.numbering->next); }

static void copy(struct clock *to, const struct clock *from)
{
    memcpy(to->at, from->at, sizeof to->at[0] * (size_t)rt.numbering->next);
}

static struct sync *sync_of(uint64_t object)
{
    uint64_t h = (object ^ object >> 29) * 0x9e3779b97f4a7c15ull >> 40;
    for (uint32_t tries = 0; tries < rt.race.sync_cap; tries++, h++) {
        struct sync *s = &rt.race.syncs[h & (rt.race.sync_cap - 1)];
        if (s->generation == rt.generation && s->object == object) return s;
        if (s->generation != rt.generation) {
            s->object = object;
            s->generation = rt.generation;
            if (rt.race.synced) rt.race.synced[rt.race.synced_count++] = (uint32_t)(s - rt.race.syncs);
            s->owner = 0;
            s->mutex = (pthread_mutex_t){0};
            rt_clock_clear(&s->clock);
            return s;
        }
    }
    rt_die("the program uses too many synchronisation objects");
}

/* What was released to the object so far; NULL: nothing. */
const struct clock *rt_released_to(uint64_t object)
{
    uint64_t h = (object ^ object >> 29) * 0x9e3779b97f4a7c15ull >> 40;
    for (uint32_t tries = 0; tries < rt.race.sync_cap; tries++, h++) {
        const struct sync *s = &rt.race.syncs[h & (rt.race.sync_cap - 1)];
        if (s->generation != rt.generation) return NULL;
        if (s->object == object) return &s->clock;
    }
    return NULL;
}

int *rt_sync_owner(uint64_t object) { return &sync_of(object)->owner; }

pthread_mutex_t *rt_mutex_beside(void *object) { return &sync_of((uint64_t)object)->mutex; }

uint64_t rt_sync_name(uint64_t address)
{
    size_t which = (address - (uintptr_t)rt.race.syncs) / sizeof(struct sync);
    return which < rt.race.sync_cap ? rt.race.syncs[which].object : address;
}

static void join(struct clock *into, const struct clock *from)
{
    int n = rt.numbering->next;
    for (int i = 0; i < n; i++)
        if (into->at[i] < from->at[i]) into->at[i] = from->at[i];
}

void rt_acquire(uint64_t object)
{
    if (!rt.active) return;
    join(&rt.self->clock, &sync_of(object)->clock);
    rt_weak_other();
}

void rt_release(uint64_t object)
{
    if (!rt.active) return;
    struct thread *t = rt.self;
    rt_weak_other();
    join(&sync_of(object)->clock, &t->clock);
    t->clock.at[t->id]++;
    assert_costly(t->clock.at[t->id] > sync_of(object)->clock.at[t->id]); /* what follows is not released */
}

void rt_release_behind(uint64_t object, uint64_t first)
{
    if (!rt.active) return;
    const struct clock *before = rt_released_to(first);
    rt_release(object);
    if (before && first != object) join(&sync_of(object)->clock, before);
}

/* What was released so far is acquired by these threads, and forgotten: the next round starts from nothing. */
void rt_release_round(uint64_t object, sched_set threads)
{
    struct sync *s = sync_of(object);
    assert(!set_any(threads & ~rt.created));
    int id;
    FOR_EACH_THREAD(id, threads) join(&rt.threads[id].clock, &s->clock);
    rt_clock_clear(&s->clock);
}

void rt_clock_fork(struct thread *child)
{
    struct thread *t = rt.self;
    assert(child != t && child->id < rt.numbering->next);
    if (unlikely(rt.audit != NULL)) rt_audit_fork(child);
    copy(&child->clock, &t->clock);
    child->clock.at[child->id]++; /* nobody knew of it, or its creator knows all that had its number before */
    rt_weak_other();
    t->clock.at[t->id]++;
}

void rt_clock_join(const struct thread *ended)
{
    assert(ended->finished);
    assert(ended != rt.self);
    if (unlikely(rt.follows_touches)) rt_audit_join(ended);
    join(&rt.self->clock, &ended->clock);
    rt_weak_other();
}

/* Strategies that are told what stores write take stores of the same value for the same, so a read may take another of
 * them in an equivalent execution. As long as they are told, atomic operations order nothing here: what is no race
 * then is none in any equivalent execution. If something races then that they may have ordered, the exploration starts
 * anew, with the order of atomic operations and without telling. Accesses that are steps may race. */
static void check_told_stores(uintptr_t pc, uintptr_t other_pc)
{
    if (!rt.tells_stores || !rt.skipped_order || (rt_is_hot(pc) && rt_is_hot(other_pc))) return;
    rt.shared->stores_order = true;
    rt.shared->relearn = true;
    rt_end_execution(SCHED_END_ABANDONED);
}

static bool acquires(int order) { return order != __ATOMIC_RELAXED && order != __ATOMIC_RELEASE; }
static bool releases(int order) { return order >= __ATOMIC_RELEASE; }

/* What was read takes effect before the access itself: a plain write that happens before the store that is read from
 * does not race with the load. */
void rt_atomic_acquire(uint64_t address, int order)
{
    if (!rt.active) return;
    if (rt.tells_stores) {
        rt.skipped_order = true;
        return;
    }
    struct thread *t = rt.self;
    join(acquires(order) ? &t->clock : &t->acquired, &sync_of(address)->clock);
}

static void publish(struct sync *s, struct thread *t, int order)
{
    assert(t->id < rt.numbering->next);
    if (releases(order)) {
        join(&s->clock, &t->clock);
        t->clock.at[t->id]++;
    } else if (t->has_fence) {
        join(&s->clock, &t->fence);
    }
}

/* After the access itself: whoever reads what was stored comes after the store, too. A store ends release sequences
 * (since C++20 also those of its own thread). A relaxed store after a release fence publishes what was before the
 * fence. */
void rt_atomic_release_store(uint64_t address, int order)
{
    if (!rt.active || rt.tells_stores) return;
    struct sync *s = sync_of(address);
    rt_clock_clear(&s->clock);
    publish(s, rt.self, order);
}

/* A read-modify-write continues them. */
void rt_atomic_release_update(uint64_t address, int order)
{
    if (rt.active && !rt.tells_stores) publish(sync_of(address), rt.self, order);
}

/* Fences synchronise by what is read between them only: not with each other because one comes first, not even
 * sequentially consistent ones. A relaxed one does nothing, and is no event between two others either, which would
 * order seq_cst accesses around it (rc11.c: add_detours). */
void rt_fence(int order)
{
    if (!rt.active || order == __ATOMIC_RELAXED) return;
    struct thread *t = rt.self;
    if (acquires(order)) join(&t->clock, &t->acquired);
    rt_weak_fence(order);
    if (!releases(order)) return;
    copy(&t->fence, &t->clock);
    t->has_fence = true;
    t->clock.at[t->id]++;
}

static bool happened_before(const struct touch *c)
{
    return c->thread == rt.self->id || c->clock <= rt.self->clock.at[c->thread];
}

static bool races(const struct touch *c, uint8_t mask, bool write, bool atomic)
{
    return (c->mask & mask) && (c->write || write) && !(c->atomic && atomic) && !happened_before(c);
}

/* Every later access that races with `old` also races with the new one: it is not ordered after the new one, for then
 * it would be after `old` as well. Two atomic writes need not be ordered. */
static bool replaces(const struct touch *old, uint8_t mask, bool write, bool atomic)
{
    bool covers = (old->mask & ~mask) == 0 && (!atomic || old->atomic);
    return covers && (write ? happened_before(old) : old->thread == rt.self->id && !old->write);
}

static void found_race(const struct touch *c, uintptr_t address, size_t size, bool write, bool atomic, uintptr_t pc)
{
    if (rt_is_character_cache(address)) return;
    check_told_stores(pc, c->pc);
    if (rt.shared && rt.shared->config.races == RT_RACES_EXPLORE && rt.exploring) {
        rt_learn_point(c->pc);
        rt_learn_point(pc);
        return;
    }
    if (!rt.shared || rt.shared->config.races != RT_RACES_ERROR) return;
    uintptr_t base = address & ~(uintptr_t)7;
    struct rt_place other = {.thread = c->thread,
                             .write = c->write,
                             .atomic = c->atomic,
                             .pc = c->pc,
                             .address = base + (unsigned)__builtin_ctz(c->mask),
                             .size = (uint64_t)__builtin_popcount(c->mask),
                             .stack = {c->frames, c->frame_count}};
    rt_find_race(pc, address, size, write, atomic, &other);
    rt_finding_end();
}

/* --points=all: two threads touch this memory and one of them writes, in whatever order. */
static bool shared_by_threads(const struct touch *c, int self, uint8_t mask, bool write)
{
    return rt.learn_shared && c->thread != self && (c->mask & mask) && (c->write || write);
}

static struct touch *cell_new(void)
{
    if (unlikely(rt.race.cell_count == rt.race.cell_cap)) rt_die("an execution touches too much memory");
    return &rt.race.cells[rt.race.cell_count++];
}

static void first_touch(struct granule *g)
{
    *g = (struct granule){(uint32_t)rt.generation, 0};
    uint32_t n = rt.race.touched_count++;
    if (n < rt.race.touched_cap) rt.race.touched[n] = g;
}

static void access_granule(struct granule *g, uint8_t mask, uintptr_t address, size_t size, bool write, bool atomic,
                           uintptr_t pc)
{
    struct thread *t = rt.self;
    assert(mask && t->clock.at[t->id]); /* a time of 0 would be before everything */
    if (g->generation != (uint32_t)rt.generation) first_touch(g);
    struct touch *reuse = NULL;
    for (uint32_t *link = &g->first; *link;) {
        struct touch *c = &rt.race.cells[*link];
        assert_costly(*link < rt.race.cell_count && c->mask && c->next != *link);
        assert_costly(c->thread < rt.numbering->next && c->clock <= rt.threads[c->thread].clock.at[c->thread]);
        if (unlikely(races(c, mask, write, atomic))) found_race(c, address, size, write, atomic, pc);
        if (unlikely(shared_by_threads(c, t->id, mask, write))) rt_learn_point(c->pc), rt_learn_point(pc);
        if (unlikely(c->atomic && !atomic && (c->mask & mask))) rt_weak_plain(address, size, write, pc);
        if (replaces(c, mask, write, atomic)) {
            *link = c->next;
            reuse = c;
        } else {
            link = &c->next;
        }
    }
    struct touch *c = reuse ? reuse : cell_new();
    struct rt_stack stack = rt.recording ? rt_stack_of(t, pc) : (struct rt_stack){0};
    *c = (struct touch){g->first, t->clock.at[t->id], (uint16_t)t->id, mask, write, atomic, stack.first, stack.len, pc};
    g->first = (uint32_t)(c - rt.race.cells);
}

void rt_access(uintptr_t address, size_t size, bool write, bool atomic, uintptr_t pc)
{
    if (unlikely(rt.follows_touches)) rt_audit_access(address, size, write, pc);
    for (size_t done = 0; done < size;) {
        uintptr_t a = address + done;
        unsigned offset = a & 7;
        size_t part = 8 - offset < size - done ? 8 - offset : size - done;
        uint8_t mask = (uint8_t)(((1u << part) - 1) << offset);
        assert_costly(part >= 1 && part <= 8 - offset);
        struct granule *page = granules_of_page(a, true);
        access_granule(&page[(a & (PAGE - 1)) >> 3], mask, a, part, write, atomic, pc);
        done += part;
    }
}

/* Calls of two threads on the same state, of which one changes it, and no order between them: both call sites become
 * scheduling points. */
static void learn_state(uintptr_t address, uint8_t mask, bool write, uintptr_t pc)
{
    const struct granule *g = &granules_of_page(address, true)[(address & (PAGE - 1)) >> 3];
    if (g->generation != (uint32_t)rt.generation) return;
    for (uint32_t i = g->first; i; i = rt.race.cells[i].next) {
        const struct touch *c = &rt.race.cells[i];
        if (!(c->mask & mask) || !(c->write || write) || happened_before(c)) continue;
        check_told_stores(pc, c->pc);
        rt_learn_point(c->pc);
        rt_learn_point(pc);
    }
}

void rt_access_state(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    for (uintptr_t a = address; a < address + size;) {
        uintptr_t end = (a | 7) + 1 < address + size ? (a | 7) + 1 : address + size;
        learn_state(a, (uint8_t)(((1u << (end - a)) - 1) << (a & 7)), write, pc);
        a = end;
    }
    rt_access(address, size, write, true, pc);
}

static void check_granule(const struct granule *g, uintptr_t address, bool write, uintptr_t pc)
{
    if (g->generation != (uint32_t)rt.generation) return;
    for (uint32_t i = g->first; i; i = rt.race.cells[i].next)
        if (races(&rt.race.cells[i], 0xff, write, false))
            found_race(&rt.race.cells[i], address, 8, write, false, pc);
}

/* Giving memory back is like writing to it, and protecting it against writing like reading it, but nothing needs to be
 * remembered: a later access is an error anyway. */
void rt_access_last(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    for (uintptr_t a = address & ~(uintptr_t)7; a < address + size;) {
        const struct granule *page = granules_of_page(a, false);
        uintptr_t end = (a | (PAGE - 1)) + 1;
        for (; page && a < end && a < address + size; a += 8) check_granule(&page[(a & (PAGE - 1)) >> 3], a, write, pc);
        a = end;
    }
}

/* The memory has a new life (malloc): earlier accesses were to something else. */
void rt_forget_range(uintptr_t address, size_t size)
{
    for (uintptr_t a = address & ~(uintptr_t)7; a < address + size;) {
        struct granule *page = granules_of_page(a, false);
        uintptr_t end = (a | (PAGE - 1)) + 1;
        if (end > address + size) end = address + size;
        for (; page && a < end; a += 8) page[(a & (PAGE - 1)) >> 3].first = 0;
        a = end;
    }
}
