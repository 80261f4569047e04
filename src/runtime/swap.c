/* --verify=swap: what the program and its threads can notice of a state, kept and compared (schedule/swap.c).
 *
 * Compared are the pages of the program, its heap, the stacks and registers of live threads up to where they called the
 * runtime, their thread-local variables, the memory of descriptors, and what the runtime knows of each thread and of
 * the process as a whole. What kind of operation threads are about to do is compared by the strategy.
 *
 * Blocks of the heap lie one behind the other in the order of allocation, and allocating is no step: two threads that
 * allocate find other addresses in another order. So a block has no name here but how it is reached: a word that points
 * into a block of one state and one that points to the same offset of a block of the other are the same if these two
 * blocks belong together, and what they hold is compared in turn. A block that nothing points to is only counted.
 *
 * The relation promises nothing about what follows from the order of steps in time. So these are not compared:
 * - virtual time, and when a thread that sleeps wakes up: what reads the clock depends on turns;
 * - clocks of the race detector, and the reads by which loops that wait are recognised: they are about the past;
 * - the order of signals to different threads, of which a program sees only who has which;
 * - the inode numbers of FIFOs, which the kernel chooses when an execution makes them.
 *
 * All of this runs on the stack of decisions, so that it leaves nothing behind on those of threads. */
#include "runtime/internal.h"

#include <stdio.h>

extern const char __start_heddle_text[], __stop_heddle_text[];
enum { MOST_BLOCKS = 1 << 16, MOST_PAGES = 1 << 22 };
#define ROOM (256ul << 20)

/* What the runtime knows of a thread, also when it has ended; of a live one; and of the process. */
#define THREAD_FACTS(X) X(finished) X(detached) X(joined) X(ended) X(result) X(creator) X(children) X(nth)
#define LIVE_FACTS(X) \
    X(start) X(argument) X(woken) X(asks_serial) X(may_be_serial) X(signal_came) X(spurious_count) X(signals) \
    X(mask) X(waits_for) X(interruptions) \
    X(interrupted) X(broken) X(cancelled) X(cancel_disabled) X(cancel_asynchronous) X(at_cancellation_point) \
    X(exiting) X(once_count) X(atomic_depth) X(ignores_pipe) X(held_count) X(op.value)
#define PROCESS_FACTS(X) \
    X(random) X(exiting) X(at_exit_count) X(clients_left) X(heap.live_blocks) X(heap.live_bytes) \
    X(signal.pending) X(signal.sent_count)
#define FACT_NAME(member) #member,
static const char *const thread_facts[] = {THREAD_FACTS(FACT_NAME)};
static const char *const live_facts[] = {LIVE_FACTS(FACT_NAME) "op.object", "op.object2"};
static const char *const process_facts[] = {PROCESS_FACTS(FACT_NAME)};
struct thread_facts { uint64_t at[ARRAY_LEN(thread_facts)], live[ARRAY_LEN(live_facts)]; };
struct process_facts { uint64_t at[ARRAY_LEN(process_facts)]; };

/* Memory of a thread that is kept apart from that of the others. */
enum { STACK, LOCALS, KEYS, REGISTERS, THREAD_RANGES };
struct range_kept { const char *low, *data; size_t size; };
struct named_block { uintptr_t from; size_t size; bool freed; uint64_t pc; int mate; /* in the other state, or -1 */ };
struct blocks { struct named_block *at; int count; };

struct swap {
    char *room;
    size_t used;
    bool is_too_large;
    const char **pages;          /* of each hot page: what was there; NULL: what is there at the start */
    size_t page_count;
    struct range_kept heap, files, handlers, threads[MAX_THREADS][THREAD_RANGES];
    struct rt_registers registers[MAX_THREADS]; /* where threads called the runtime, in the present state */
    struct process_facts process;
    struct thread_facts of[MAX_THREADS];
    const uint64_t *held[MAX_THREADS]; /* locks, as many as the facts say */
    const struct block *newest;
    bool is_same_heap;           /* byte by byte, so that blocks are the same where their addresses are */
    struct blocks was, now;
    int *queue, queued;          /* blocks of the present state whose contents are to be compared */
};

static struct rt_swap *report(void) { return &rt.shared->swap; }

void rt_swap_init(void)
{
    struct swap *w = rt_map(NULL, sizeof *w, 0);
    w->room = rt_map(NULL, ROOM, 0);
    w->pages = rt_map(NULL, sizeof *w->pages * MOST_PAGES, 0);
    w->was.at = rt_map(NULL, sizeof *w->was.at * MOST_BLOCKS, 0);
    w->now.at = rt_map(NULL, sizeof *w->now.at * MOST_BLOCKS, 0);
    w->queue = rt_map(NULL, sizeof *w->queue * MOST_BLOCKS, 0);
    rt.swap.all = w;
}

/* ---- what a state is ---- */

static struct thread_facts facts_of_thread(const struct thread *t)
{
#define FACT(member) (uint64_t)t->member,
    return (struct thread_facts){{THREAD_FACTS(FACT)},
                                 {LIVE_FACTS(FACT) rt_sync_name(t->op.object), rt_sync_name(t->op.object2)}};
#undef FACT
}

static struct process_facts facts_of_process(void)
{
#define FACT(member) (uint64_t)rt.member,
    return (struct process_facts){{PROCESS_FACTS(FACT)}};
#undef FACT
}

/* What comes before is the program's; where that is not known, frames of the runtime are seen as well. */
static void find_registers(struct swap *w, const struct thread *t)
{
    struct rt_registers *r = &w->registers[t->id];
    if (t == rt.self) *r = rt.swap.self;
    else rt_registers_parked(t, r);
    rt_leave_runtime(r, t);
}

static struct range_kept between(const void *low, const void *high)
{
    return (struct range_kept){low, NULL, (size_t)((const char *)high - (const char *)low)};
}

static struct range_kept range_of(struct swap *w, const struct thread *t, int which)
{
    switch (which) {
    case STACK: return between((const void *)(w->registers[t->id].sp & ~7ul), t->stack_high);
    case LOCALS: return between(t->tls_low, t->tls_high);
    case KEYS: return between(t->keys, t->keys + (t->uses_keys ? MAX_KEYS : 0));
    default: return between(&w->registers[t->id], &w->registers[t->id] + 1);
    }
}

static bool has_files(void) { return rt.files.generation == rt.generation && rt.files.base; }

static struct range_kept files(void)
{
    bool has = has_files();
    return between(rt.files.base, rt.files.base + (has ? rt.files.used : 0));
}

static struct range_kept handlers(void)
{
    return between(rt.at_exit + rt.snapshot_at_exit_count, rt.at_exit + rt.at_exit_count);
}

/* ---- keeping one ---- */

static const char *keep_bytes(struct swap *w, const char *low, size_t size)
{
    char *at = w->room + w->used;
    if (ROOM - w->used < size) return w->is_too_large = true, NULL;
    memcpy(at, low, size);
    w->used += (size + 15) & ~15ul;
    return at;
}

static struct range_kept keep_range(struct swap *w, struct range_kept r)
{
    r.data = keep_bytes(w, r.low, r.size);
    return r;
}

static void keep_pages(struct swap *w)
{
    w->page_count = rt.hot_page_count;
    for (size_t i = 0; i < w->page_count; i++) {
        const struct hot_page *h = &rt.hot_pages[i];
        w->pages[i] = memcmp(h->page, h->copy, PAGE) ? keep_bytes(w, h->page, PAGE) : NULL;
    }
}

static void keep_held(struct swap *w, const struct thread *t)
{
    uint64_t *names = (uint64_t *)(void *)(w->room + w->used);
    w->held[t->id] = (const uint64_t *)keep_bytes(w, (const char *)t->held, sizeof t->held[0] * t->held_count);
    for (uint32_t i = 0; w->held[t->id] && i < t->held_count; i++) names[i] = rt_sync_name(t->held[i]);
}

/* So that heddle can show the pair in the order in which it was found. */
static void keep_schedule(void)
{
    struct rt_shared *s = rt.shared;
    s->first_step_count = s->step_count;
    memcpy(s->first_steps, s->steps, sizeof s->steps[0] * s->step_count);
    s->first_announced_count = s->announced_count;
    memcpy(s->first_announced, s->announced, sizeof s->announced[0] * s->announced_count);
    s->first_hot_count = s->hot_in_use;
}

/* A timer goes off when no thread can do anything else: then every step may be what it waited for. */
static bool has_timers(void) { return rt.timers.generation == rt.generation; }

static bool keep(void *context)
{
    struct swap *w = context;
    int id;
    if (has_timers()) return false;
    w->used = 0;
    w->is_too_large = false;
    keep_schedule();
    keep_pages(w);
    w->heap = keep_range(w, between(rt.heap.snapshot_top, rt.heap.top));
    w->newest = rt.heap.newest;
    w->files = keep_range(w, files());
    w->handlers = keep_range(w, handlers());
    w->process = facts_of_process();
    FOR_EACH_THREAD(id, rt.created) w->of[id] = facts_of_thread(&rt.threads[id]);
    FOR_EACH_THREAD(id, rt.live) {
        find_registers(w, &rt.threads[id]);
        keep_held(w, &rt.threads[id]);
        for (int i = 0; i < THREAD_RANGES; i++) w->threads[id][i] = keep_range(w, range_of(w, &rt.threads[id], i));
    }
    return true;
}

/* ---- comparing ---- */

static struct named_block *block_at(const struct blocks *b, uint64_t address)
{
    int low = 0, high = b->count; /* the newest and highest first */
    while (low < high) {
        int middle = (low + high) / 2;
        if (b->at[middle].from > address) low = middle + 1;
        else high = middle;
    }
    struct named_block *found = low < b->count ? &b->at[low] : NULL;
    return found && address <= found->from + found->size ? found : NULL;
}

/* These belong together: what they hold is compared later. */
static bool pair_blocks(struct swap *w, struct named_block *now, struct named_block *was)
{
    int n = (int)(now - w->now.at), o = (int)(was - w->was.at);
    if (now->mate >= 0 || was->mate >= 0) return now->mate == o && was->mate == n;
    now->mate = o;
    was->mate = n;
    w->queue[w->queued++] = n;
    return now->size == was->size && now->freed == was->freed;
}

static bool same_word(struct swap *w, uint64_t now, uint64_t was)
{
    bool in_heap = now - (uintptr_t)rt.heap.snapshot_top < (size_t)(rt.heap.limit - rt.heap.snapshot_top);
    if (now == was && (!in_heap || w->is_same_heap)) return true;
    struct named_block *n = block_at(&w->now, now), *o = block_at(&w->was, was);
    if (!n || !o) return now == was && !n && !o;
    return now - n->from == was - o->from && pair_blocks(w, n, o);
}

static bool differ(enum rt_swap_where where, int thread, const char *name, const void *address, uint64_t was,
                   uint64_t now)
{
    struct rt_swap *r = report();
    r->where = where;
    r->thread = thread;
    r->address = (uint64_t)address;
    r->was = was;
    r->now = now;
    snprintf(r->name, sizeof r->name, "%s", name);
    return false;
}

/* An address of the runtime's memory or code, which no variable of the program holds. */
static bool is_runtimes(uint64_t word)
{
    if (word - (uintptr_t)__start_heddle_text < (size_t)(__stop_heddle_text - __start_heddle_text)) return true;
    for (int i = 0; i < rt.owned_count; i++)
        if (word - (uintptr_t)rt.owned[i].low < (size_t)(rt.owned[i].high - rt.owned[i].low))
            return rt_stack_owner(word) < 0 && !rt_in_heap(word);
    return false;
}

/* The runtime leaves addresses of its own behind below the frames that called it, and the program's next frame may have
 * a place there that is never used. */
static bool is_left_behind(const void *at, uint64_t now, uint64_t was)
{
    return rt_stack_owner((uintptr_t)at) >= 0 && (is_runtimes(now) || is_runtimes(was));
}

/* Returns the first word that differs, NULL: none does. */
static const char *different_word(struct swap *w, const char *now, const char *was, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t a = 0, b = 0;
        memcpy(&a, now + i, size - i < 8 ? size - i : 8);
        memcpy(&b, was + i, size - i < 8 ? size - i : 8);
        if (same_word(w, a, b) || is_left_behind(now + i, a, b)) continue;
        if (!has_files() || !rt_fifo_holds_number(now + i)) return now + i;
    }
    return NULL;
}

static bool same_bytes(struct swap *w, struct range_kept now, struct range_kept was, enum rt_swap_where where,
                       int thread)
{
    bool same_place = now.size == was.size && (now.low == was.low || where == RT_SWAP_REGISTERS);
    if (!same_place) return differ(where, thread, "its extent", now.low, was.size, now.size);
    if (w->is_same_heap && !memcmp(now.low, was.data, now.size)) return true;
    const char *at = different_word(w, now.low, was.data, now.size);
    uint64_t a = 0, b = 0;
    if (!at) return true;
    size_t offset = (size_t)(at - now.low), size = now.size - offset < 8 ? now.size - offset : 8;
    memcpy(&a, at, size);
    memcpy(&b, was.data + offset, size);
    return differ(where, thread, "", at, b, a);
}

static bool same_pages(struct swap *w)
{
    for (size_t i = 0; i < rt.hot_page_count; i++) {
        const struct hot_page *h = &rt.hot_pages[i];
        const char *was = i < w->page_count && w->pages[i] ? w->pages[i] : h->copy;
        struct range_kept now = {h->page, NULL, PAGE}, then = {h->page, was, PAGE};
        if (!same_bytes(w, now, then, RT_SWAP_MEMORY, -1)) return false;
    }
    return true;
}

static bool same_facts(struct swap *w, const uint64_t *now, const uint64_t *was, const char *const *names, size_t count,
                       int thread)
{
    for (size_t i = 0; i < count; i++)
        if (!same_word(w, now[i], was[i])) return differ(RT_SWAP_FACT, thread, names[i], NULL, was[i], now[i]);
    return true;
}

static bool same_held(struct swap *w, const struct thread *t)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (!same_word(w, rt_sync_name(t->held[i]), w->held[t->id][i]))
            return differ(RT_SWAP_FACT, t->id, "held", NULL, w->held[t->id][i], t->held[i]);
    return true;
}

static bool same_threads(struct swap *w)
{
    static const enum rt_swap_where where[] = {[STACK] = RT_SWAP_STACK, [LOCALS] = RT_SWAP_LOCALS,
                                               [KEYS] = RT_SWAP_KEYS, [REGISTERS] = RT_SWAP_REGISTERS};
    int id;
    FOR_EACH_THREAD(id, rt.created) {
        struct thread_facts now = facts_of_thread(&rt.threads[id]);
        if (!same_facts(w, now.at, w->of[id].at, thread_facts, ARRAY_LEN(thread_facts), id)) return false;
    }
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        struct thread_facts now = facts_of_thread(t);
        if (!same_facts(w, now.live, w->of[id].live, live_facts, ARRAY_LEN(live_facts), id)) return false;
        if (!same_held(w, t)) return false;
        for (int i = 0; i < THREAD_RANGES; i++)
            if (!same_bytes(w, range_of(w, t, i), w->threads[id][i], where[i], id)) return false;
    }
    return true;
}

static bool same_process(struct swap *w)
{
    struct process_facts now = facts_of_process();
    return same_facts(w, now.at, w->process.at, process_facts, ARRAY_LEN(process_facts), -1) &&
           same_bytes(w, files(), w->files, RT_SWAP_FILES, -1) &&
           same_bytes(w, handlers(), w->handlers, RT_SWAP_HANDLERS, -1);
}

static const char *in_kept_heap(const struct swap *w, uintptr_t address)
{
    return w->heap.data + (address - (uintptr_t)w->heap.low);
}

static bool same_block(struct swap *w, int which)
{
    const struct named_block *n = &w->now.at[which], *o = &w->was.at[n->mate];
    if (n->freed) return true; /* the program has no way to look at it */
    const char *now = (const char *)n->from, *was = in_kept_heap(w, o->from);
    const char *at = different_word(w, now, was, n->size);
    uint64_t a = 0, b = 0;
    if (!at) return true;
    memcpy(&a, at, 8);
    memcpy(&b, was + (at - now), 8);
    return differ(RT_SWAP_HEAP, -1, "", at, b, a);
}

static bool same_blocks(struct swap *w)
{
    for (int done = 0; done < w->queued; done++)
        if (!same_block(w, w->queue[done])) return false;
    return true;
}

static bool is_same(struct swap *w)
{
    return same_process(w) && same_threads(w) && same_pages(w) && same_blocks(w);
}

/* The blocks above what was there at the start, whose addresses depend on turns. */
static void list_blocks(struct swap *w, struct blocks *out, const struct block *newest, bool kept)
{
    out->count = 0;
    for (const struct block *b = newest; b && (const char *)b >= rt.heap.snapshot_top;) {
        const void *here = kept ? in_kept_heap(w, (uintptr_t)b) : (const char *)b;
        struct rt_heap_block it = rt_heap_block(here);
        if (out->count == MOST_BLOCKS) {
            w->is_too_large = true;
            return;
        }
        out->at[out->count++] =
            (struct named_block){(uintptr_t)b + it.header, it.size, it.freed, it.pc, -1};
        b = it.older;
    }
}

static bool is_kept(void *context)
{
    struct swap *w = context;
    int id;
    if (w->is_too_large) return report()->unseen++, true;
    FOR_EACH_THREAD(id, rt.live) find_registers(w, &rt.threads[id]);
    w->queued = 0;
    w->is_same_heap = rt.heap.top == w->heap.low + w->heap.size && rt.heap.newest == w->newest &&
                      !memcmp(w->heap.low, w->heap.data, w->heap.size);
    list_blocks(w, &w->now, rt.heap.newest, false);
    list_blocks(w, &w->was, w->newest, true);
    if (w->is_too_large) return report()->unseen++, true;
    return is_same(w);
}

void rt_swap_found(void)
{
    report()->what = sched_swap(rt.sched);
    if (report()->what.kind == SWAP_PROMISE) keep_schedule(); /* of the execution just run: there is no pair */
}

struct sched_states rt_swap_states(void)
{
    return (struct sched_states){keep, is_kept, rt.swap.all};
}
