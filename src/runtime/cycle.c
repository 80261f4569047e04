/* Livelocks in which threads are busy. If a thread that lets others go first finds everything as it was when it did so
 * before (memory, stacks, what everybody is about to do), then what happened in between can happen for ever. That is a
 * finding if every thread that could go on at some time in between did: a fair scheduler may do the same. Where the
 * user bounds preemptions there must be none in between, or it could not go on for ever; nor where nobody gave way but
 * by trying locks again, because std::lock() does that: two of them could get in each other's way for ever, which
 * everybody accepts who uses it. The states of an execution are kept, and when they are too many every other one:
 * threads that go round in turns that never repeat themselves come to one of a few states again and again, but not to
 * one that was chosen beforehand.
 *
 * Reads that take an old write each time do not go on for ever: writes become visible in the end. An execution that
 * comes again to where it was by such reads ends there, however many preemptions it took: what it could do now it could
 * have done then, with fewer. Not if it wrote atomically in between: memory is as it was, but who reads old writes may
 * find more of them.
 *
 * Under a bound on yields alone an execution that outlives the limit is a livelock by Algorithm 4 of BPOR, lines 2 and
 * 3. Here it is one only if nothing but yielding was left: no thread began or ended in its second half, all that did
 * anything in it yielded, and no read was stale. */
#include "runtime/internal.h"

/* Hashing stops after so many bytes in one execution: a long one has been compared often enough by then. */
enum { MOST_BYTES = 64 << 20, LANES = 4 };

static uint64_t hash_words(uint64_t seed, const void *from, const void *upto)
{
    const uint64_t *p = from, *end = upto;
    uint64_t h[LANES] = {seed, seed + 1, seed + 2, seed + 3};
    for (; p + LANES <= end; p += LANES)
        for (int i = 0; i < LANES; i++) {
            h[i] = (h[i] ^ p[i]) * 0x9e3779b97f4a7c15ull;
            h[i] ^= h[i] >> 29;
        }
    for (; p < end; p++) h[0] = (h[0] ^ *p) * 0x9e3779b97f4a7c15ull, h[0] ^= h[0] >> 29;
    for (int i = 1; i < LANES; i++) h[0] = (h[0] ^ h[i]) * 0xd6e8feb86659fd93ull, h[0] ^= h[0] >> 32;
    rt.cycle.hashed += (uint64_t)((const char *)upto - (const char *)from);
    return h[0];
}

/* What the program has there; if that is not known, frames of the runtime as well. */
static uint64_t hash_stack(uint64_t h, const struct thread *t)
{
    struct rt_registers r;
    if (t == rt.self) rt_registers_here(&r);
    else rt_registers_parked(t, &r);
    rt_leave_runtime(&r, t);
    h = hash_words(h, &r, &r + 1);
    return hash_words(h, (const void *)(r.sp & ~7ul), t->stack_high);
}

static uint64_t hash_thread(uint64_t h, const struct thread *t)
{
    enum { PATIENCE = 2 }; /* more failures make no difference: rt_attempt() */
    uint64_t words[] = {t->op.kind, t->op.flags, t->op.object,  t->op.object2,
                        t->woken,   t->signals,  t->signal_came, t->failures < PATIENCE ? t->failures : PATIENCE,
                        t->mask};
    h = hash_words(h, words, words + ARRAY_LEN(words));
    return hash_stack(h, t);
}

static uint64_t hash_of_everything(void)
{
    heddle_step_number = 0; /* what a debugger is told lies among the program's variables */
    heddle_step_thread = 0;
    uint64_t words[] = {(uint64_t)rt.self->id, rt.random, rt.cycle.read_clock ? rt.time : 0, rt.signal.pending,
                        rt.signal.sent_count};
    uint64_t h = hash_words(1, words, words + ARRAY_LEN(words));
    sched_set sets[] = {rt.live, rt.created};
    h = hash_words(h, (uint64_t *)sets, (uint64_t *)(sets + ARRAY_LEN(sets)));
    int id;
    FOR_EACH_THREAD(id, rt.live) h = hash_thread(h, &rt.threads[id]);
    for (size_t i = 0; i < rt.hot_page_count; i++) h = hash_words(h, rt.hot_pages[i].page, rt.hot_pages[i].page + PAGE);
    return hash_words(h, rt.heap.snapshot_top, rt.heap.top);
}

static struct stretch both(struct stretch a, const struct stretch *b)
{
    return (struct stretch){a.stepped | b->stepped, a.enabled | b->enabled, a.chosen || b->chosen,
                            a.preempted || b->preempted, a.stale || b->stale, a.wrote || b->wrote,
                            a.gave_way || b->gave_way};
}

static void keep_every_other(struct cycle *c)
{
    for (uint32_t i = 0; i < c->count / 2; i++) {
        struct stretch before = both(c->kept[2 * i].before, &c->kept[2 * i + 1].before);
        c->kept[i] = c->kept[2 * i + 1];
        c->kept[i].before = before;
    }
    c->count /= 2;
}

static void keep(struct cycle_state now)
{
    struct cycle *c = &rt.cycle;
    if (c->count == ARRAY_LEN(c->kept)) keep_every_other(c);
    now.before = c->since;
    c->kept[c->count++] = now;
    c->since = (struct stretch){0};
}

static void found_cycle(uintptr_t pc, uint32_t from)
{
    rt_end_if_learning();
    if (rt_somebody_is_held_back()) rt_end_execution(SCHED_END_ASSUMED);
    rt_find(RT_LIVELOCK, pc, "the same state comes again after %u steps in which no thread makes progress",
            rt.shared->step_count - from);
    assert(from < rt.shared->step_count);
    rt.found.cycle_from = from + 1;
    rt_finding_end();
}

void rt_cycle_begin(void)
{
    struct cycle *c = &rt.cycle;
    c->count = c->life_at = c->stale_at = c->gave_way_at = c->round_upto = 0;
    c->hashed = 0;
    c->since = (struct stretch){0};
    c->read_clock = false;
    memset(c->stepped_at, 0, sizeof c->stepped_at);
    memset(c->yielded_at, 0, sizeof c->yielded_at);
}

/* Nothing is known of what lies outside the process. */
void rt_cycle_forget(void) { rt.cycle.count = 0; }

void rt_cycle_wrote(void) { rt.cycle.since.wrote = true; }

void rt_cycle_step(const struct thread *t, bool preempts)
{
    struct cycle *c = &rt.cycle;
    uint32_t now = rt.shared->step_count;
    assert_costly(now > c->stepped_at[t->id]);
    c->since.stepped |= set_of(t->id);
    c->since.enabled |= rt.view.enabled;
    c->since.preempted |= preempts;
    bool is_usual = (t->op.flags & SCHED_SURPRISE) && !t->choice;
    /* the value may have been the unlucky one each time */
    if (t->op.kind == SCHED_CHOOSE && !is_usual) c->since.chosen = true;
    if (t->op.kind == SCHED_YIELD) c->yielded_at[t->id] = now;
    if (t->op.kind == SCHED_YIELD && !t->tries_again) {
        c->since.gave_way = true;
        c->gave_way_at = now;
    }
    if (t->choice && rt_weak_concerns(&t->op)) {
        c->since.stale = true;
        c->stale_at = now;
    }
    if (t->op.kind == SCHED_CREATE || t->op.kind == SCHED_EXIT) c->life_at = now;
    c->stepped_at[t->id] = now;
}

/* Every thread that could go on did. */
static bool was_fair(const struct stretch *s) { return !set_any(s->enabled & rt.live & ~s->stepped); }

static bool can_go_on_for_ever(const struct stretch *s)
{
    bool may_preempt = rt.shared->config.endless && s->gave_way;
    return was_fair(s) && !s->stale && !s->chosen && (may_preempt || !s->preempted);
}

static void came_again(uint32_t from, const struct stretch *since, uintptr_t pc)
{
    if (since->stale && !since->wrote && was_fair(since)) rt_end_execution(SCHED_END_ABANDONED);
    if (can_go_on_for_ever(since)) found_cycle(pc, from);
}

static bool all_yielded(sched_set threads, uint32_t since)
{
    int t;
    FOR_EACH_THREAD(t, threads)
        if (rt.cycle.yielded_at[t] <= since) return false;
    return true;
}

/* For rounds.c: the first one of an execution. One without preemptions goes on by itself if it can. */
static void notice_round(uint32_t from, const struct stretch *since)
{
    struct cycle *c = &rt.cycle;
    bool wanted = rt.shared->config.endless && !c->round_upto && !c->read_clock && !rt.shared->note_count;
    if (!wanted || !since->preempted || !can_go_on_for_ever(since) || !all_yielded(since->stepped, from)) return;
    c->round_from = from;
    c->round_upto = rt.shared->step_count;
}

/* With every state of this execution that is the same, the latest first. */
static void compare(const struct cycle_state *now, uintptr_t pc)
{
    struct cycle *c = &rt.cycle;
    struct stretch since = c->since;
    for (uint32_t i = c->count; i-- > 0; since = both(since, &c->kept[i].before)) {
        const struct cycle_state *then = &c->kept[i];
        if (then->step == now->step) continue;
        if (now->has_hash && then->has_hash && then->hash == now->hash) came_again(then->step, &since, pc);
        if (then->places == now->places) notice_round(then->step, &since);
    }
}

static bool all_on_own_stacks(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        if (!rt_on_own_stack(t, t == rt.self ? __builtin_frame_address(0) : t->sp)) return false;
    }
    return true;
}

static uint64_t hash_of_places(void)
{
    uint64_t h = (uint64_t)rt.self->id;
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        uint64_t words[] = {(uint64_t)id, t->op.kind, t->op.object, t->op.object2, t->op_pc};
        h = hash_words(h, words, words + ARRAY_LEN(words));
    }
    return h;
}

void rt_cycle_yield(uintptr_t pc)
{
    if (rt.swap.all) return; /* a livelock is about the way to a state, which is what differs */
    struct cycle_state now = {.step = rt.shared->step_count, .places = hash_of_places()};
    bool all_is_seen = rt.hot_pages && !rt.shared->note_count && !rt.maps.used && !rt.maps.brk;
    now.has_hash = all_is_seen && rt.cycle.hashed < MOST_BYTES && all_on_own_stacks();
    if (now.has_hash) now.hash = hash_of_everything();
    compare(&now, pc);
    keep(now);
}

void rt_cycle_give_way(void)
{
    rt_cycle_forget();
    rt.cycle.life_at = rt.shared ? rt.shared->step_count : 0;
}

static bool only_yields(void)
{
    const struct cycle *c = &rt.cycle;
    uint32_t half = rt.shared->step_count / 2;
    bool some = false;
    int t;
    FOR_EACH_THREAD(t, rt.live) {
        if (c->stepped_at[t] > half && c->yielded_at[t] <= half) return false;
        some |= c->yielded_at[t] > half;
    }
    bool by_itself = c->gave_way_at > half;
    return some && by_itself && c->life_at <= half && c->stale_at <= half && !rt.shared->note_count;
}

/* All that could go on in the second half did. */
static bool second_half_was_fair(void)
{
    const struct cycle *c = &rt.cycle;
    struct stretch s = c->since;
    uint32_t half = rt.shared->step_count / 2;
    for (uint32_t i = c->count; i-- > 0 && c->kept[i].step > half;) s = both(s, &c->kept[i].before);
    return was_fair(&s);
}

static void too_long(const char *message, uint32_t steps)
{
    rt_end_if_learning();
    if (rt_somebody_is_held_back()) return;
    rt_find(RT_LIVELOCK, rt.self->op_pc, message, steps);
    rt_finding_end();
}

void rt_cycle_cut_off(void)
{
    const struct rt_config *c = &rt.shared->config;
    const uint32_t steps = rt.shared->step_count, round = rt.cycle.round_upto - rt.cycle.round_from;
    bool fair_alone = c->strategy == SCHED_BPOR && !c->rising && c->bound < 0 && c->fair_bound >= 0;
    if (!sched_is_cut(rt.sched) || !only_yields()) return;
    if (rt.follows_schedule && rt.cycle.round_upto && second_half_was_fair())
        too_long("threads give way to each other for ever, in the same %u steps again and again", round);
    if (fair_alone)
        too_long("threads yield to each other for %u steps (--max-steps) and come to no end", steps);
}
