/* Threads that wait by looking again and again. A thread that comes back to the same read with the same registers and
 * the same stack, having written nothing in between, will do so for ever unless someone else writes to what it reads:
 * it is shown to the strategy as waiting for that. The comparison is exact up to a 64-bit hash, so a loop that counts
 * its rounds is not taken for one that waits. Only the thread's own past decides, never the present contents of memory:
 * equivalent schedules must see the same operations.
 *
 * Plain writes are part of that past where races are errors: what they found is kept, and if all of it is there again
 * they do not count. Nobody can have seen them, for the thread has released nothing since.
 *
 * `rt.awaits`: the strategy explores all that the reads of a round can take, and never runs a second round from the
 * same state (graphs.c). Then each state is remembered at once, and it makes no difference what the reads took or how
 * many locations there are. */
#include "runtime/internal.h"

void rt_effect(void)
{
    if (rt.active) rt.self->quiet_count = rt.self->clock_reads = 0;
}

static bool overlap(uintptr_t a, size_t a_size, uintptr_t b, size_t b_size) { return a < b + b_size && b < a + a_size; }

void rt_writes_plainly(uintptr_t address, size_t size)
{
    struct thread *t = rt.self;
    bool private = rt.shared && rt.shared->config.races == RT_RACES_ERROR && !t->atomic_depth;
    if (!private || (size + 7) / 8 > MAX_WRITTEN - t->written_count) {
        t->quiet_count = 0;
        return;
    }
    for (size_t done = 0; done < size; done += 8) {
        struct plain_write *w = &t->written[t->written_count++];
        *w = (struct plain_write){address + done, (uint32_t)(size - done < 8 ? size - done : 8), 0};
        memcpy(&w->before, (const void *)w->address, w->size);
    }
}

/* The first one from number `from` on that wrote some of the bytes that `w` did, perhaps itself. */
static const struct plain_write *first_there(const struct thread *t, uint32_t from, const struct plain_write *w)
{
    const struct plain_write *v = &t->written[from];
    while (!overlap(v->address, v->size, w->address, w->size)) v++;
    return v;
}

/* Memory is as it was before the writes from number `from` on, as far as they tell. */
static bool is_as_before(const struct thread *t, uint32_t from)
{
    for (uint32_t i = from; i < t->written_count; i++) {
        const struct plain_write *w = &t->written[i], *first = first_there(t, from, w);
        if (first->address != w->address || first->size != w->size) return false;
        if (first == w && memcmp((const void *)w->address, &w->before, w->size)) return false;
    }
    return true;
}

static uint64_t hash_words(uint64_t h, const void *from, const void *upto)
{
    for (const uint64_t *p = from; (const void *)p < upto; p++) {
        h = (h ^ *p) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 32;
    }
    return h;
}

static uint64_t hash_of_stack(const struct thread *t, const void *from)
{
    return hash_words(0xcbf29ce484222325ull, from, t->stack_high) | 1;
}

/* From number i on; quiet_count: none. */
static uint32_t next_look(const struct thread *t, uint32_t i, uintptr_t pc, uintptr_t address)
{
    while (i < t->quiet_count && (t->quiet[i].pc != pc || t->quiet[i].address != address)) i++;
    return i;
}

static struct quiet_read *look_in_state(struct thread *t, uintptr_t pc, uintptr_t address, uint64_t state)
{
    uint32_t i = next_look(t, 0, pc, address);
    while (i < t->quiet_count && t->quiet[i].state != state) i = next_look(t, i + 1, pc, address);
    return i < t->quiet_count ? &t->quiet[i] : NULL;
}

bool rt_spin_over(const struct thread *t)
{
    for (uint32_t i = 0; i < t->quiet_count; i++)
        if (t->quiet[i].when >= t->spin_since && t->quiet[i].changed) return true;
    return false;
}

/* The locations read in the round that ends here, wherever it began: one or two are waited for; with more the thread
 * merely yields. */
static void wait_for_locations(struct thread *t, uint64_t since, struct sched_op *op)
{
    uint64_t second = 0;
    for (uint32_t i = 0; i < t->quiet_count; i++) {
        uint64_t a = t->quiet[i].address;
        if (t->quiet[i].when < since || a == op->object || a == second) continue;
        if ((second || t->quiet[i].size != op->count) && !rt.awaits) {
            *op = OP(YIELD);
            return;
        }
        second = a;
    }
    assert(since <= t->reads && op->count <= 8);
    op->flags |= SCHED_SPIN;
    op->object2 = second;
    t->spin_since = since;
}

/* Without frames of the runtime, unless it is not known how to get out of them. */
static uint64_t hash_from_here(const struct thread *t)
{
    struct rt_registers r;
    rt_registers_here(&r);
    rt_leave_runtime(&r, t);
    return hash_words(hash_words(0xcbf29ce484222325ull, &r, &r + 1), (const void *)(r.sp & ~7ul), t->stack_high) | 1;
}

static struct quiet_read *new_quiet(struct thread *t)
{
    if (t->quiet_count == MAX_QUIET) t->quiet_count = 0;
    if (!t->quiet_count) t->written_count = 0;
    return &t->quiet[t->quiet_count++];
}

/* How floating-point numbers are rounded. */
static uint64_t floating_state(void)
{
#if defined __x86_64__
    uint32_t vectors;
    uint16_t stack;
    __asm__ volatile("stmxcsr %0" : "=m"(vectors));
    __asm__ volatile("fnstcw %0" : "=m"(stack));
    enum { CONTROL = 0xffc0 }; /* the other bits are exceptions */
    return (uint64_t)(vectors & CONTROL) << 16 | stack;
#else
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
#endif
}

uint64_t rt_state_of_program(const void *state_from)
{
    uint64_t state = state_from ? hash_of_stack(rt.self, state_from) : hash_from_here(rt.self);
    return (state ^ floating_state() * 0x9e3779b97f4a7c15ull) | 1;
}

bool rt_spins(uintptr_t pc, struct sched_op *op, const void *state_from)
{
    struct thread *t = rt.self;
    t->look = NULL;
    if (op->count > 8 || !rt_on_own_stack(t, __builtin_frame_address(0))) return false;
    uint64_t state = 0; /* it takes time to find out, and is of interest the second time */
    if (rt.awaits || next_look(t, 0, pc, op->object) < t->quiet_count)
        state = rt_state_of_program(state_from);
    struct quiet_read *q = state ? look_in_state(t, pc, op->object, state) : NULL;
    t->look = q ? q : new_quiet(t);
    if (q && is_as_before(t, q->written)) {
        wait_for_locations(t, q->when, op);
        if (rt.shared) rt_unexplored(RT_WAITING_LOOPS);
        return true;
    }
    *t->look = (struct quiet_read){.pc = pc, .address = op->object, .size = op->count, .state = state,
                                   .when = ++t->reads, .written = t->written_count};
    return false;
}

static bool overlaps(const struct quiet_read *q, uintptr_t address, size_t size)
{
    return overlap(q->address, q->size, address, size);
}

/* Two looks at the same place that took different writes: that was no round in which nothing changed. */
static bool saw_a_change(const struct thread *t, const struct quiet_read *q)
{
    for (uint32_t i = 0; i < t->quiet_count; i++) {
        const struct quiet_read *other = &t->quiet[i];
        bool took_the_same = q->source && other->source == q->source;
        if (other != q && other->changed && !took_the_same && overlaps(other, q->address, q->size)) return true;
    }
    return false;
}

void rt_read_done(uintptr_t pc, uintptr_t address, bool stale)
{
    struct thread *t = rt.self;
    struct quiet_read *q = t->look;
    t->look = NULL;
    if (!q || q >= t->quiet + t->quiet_count || q->pc != pc || q->address != address) return;
    q->changed = stale;
    q->source = rt_weak_source(address);
    q->when = ++t->reads;
    if (rt.awaits || !saw_a_change(t, q)) return;
    t->quiet[0] = *q;
    t->quiet_count = 1;
}

/* A look by something that fails for no reason is no round of its own; but if it saw a change, all begins anew. */
void rt_glanced(uintptr_t pc, uintptr_t address, bool stale)
{
    struct thread *t = rt.self;
    if (rt.awaits) return;
    uint32_t i = next_look(t, 0, pc, address);
    while (i < t->quiet_count && !t->quiet[i].changed) i = next_look(t, i + 1, pc, address);
    if (i < t->quiet_count && !stale) t->quiet_count = 0;
}

void rt_memory_changed(uintptr_t address, size_t size)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        for (uint32_t i = 0; t != rt.self && i < t->quiet_count; i++) {
            struct quiet_read *q = &t->quiet[i];
            if (overlaps(q, address, size)) q->changed = true;
        }
    }
}
