/* Threads that wait by looking again and again. A thread that comes back to the same read with the same registers and
 * the same stack, having written nothing in between, will do so for ever unless someone else writes to what it reads:
 * it is shown to the strategy as waiting for that. The comparison is exact up to a 64-bit hash, so a loop that counts
 * its rounds is not taken for one that waits. Only the thread's own past decides, never the present contents of memory:
 * equivalent schedules must see the same operations. */
#include "runtime/internal.h"

void rt_effect(void)
{
    if (rt.active) rt.self->quiet_count = rt.self->clock_reads = 0;
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

static int find_quiet(const struct thread *t, uintptr_t pc, uintptr_t address)
{
    for (uint32_t i = 0; i < t->quiet_count; i++)
        if (t->quiet[i].pc == pc && t->quiet[i].address == address) return (int)i;
    return -1;
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
        if (second || t->quiet[i].size != op->count) {
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

bool rt_spins(uintptr_t pc, struct sched_op *op, const void *state_from)
{
    struct thread *t = rt.self;
    if (op->count > 8 || !rt_on_own_stack(t, __builtin_frame_address(0))) return false;
    int i = find_quiet(t, pc, op->object);
    if (i < 0) {
        if (t->quiet_count == MAX_QUIET) t->quiet_count = 0;
        t->quiet[t->quiet_count++] = (struct quiet_read){pc, op->object, op->count, 0, ++t->reads, false};
        return false;
    }
    uint64_t state = state_from ? hash_of_stack(t, state_from) : hash_from_here(t);
    if (t->quiet[i].state == state) {
        wait_for_locations(t, t->quiet[i].when, op);
        return true;
    }
    assert_costly(i < MAX_QUIET && t->quiet_count <= MAX_QUIET);
    t->quiet_count = (uint32_t)i;
    t->quiet[t->quiet_count++] = (struct quiet_read){pc, op->object, op->count, state, ++t->reads, false};
    return false;
}

static bool overlaps(const struct quiet_read *q, uintptr_t address, size_t size)
{
    return address < q->address + q->size && q->address < address + size;
}

/* Two looks at the same place of which only the second saw a change: that was no round in which nothing changed. */
static bool saw_a_change(const struct thread *t, const struct quiet_read *q)
{
    for (uint32_t i = 0; i < t->quiet_count; i++)
        if (&t->quiet[i] != q && t->quiet[i].changed && overlaps(&t->quiet[i], q->address, q->size)) return true;
    return false;
}

void rt_read_done(uintptr_t pc, uintptr_t address, bool stale)
{
    struct thread *t = rt.self;
    int i = find_quiet(t, pc, address);
    if (i < 0) return;
    t->quiet[i].changed = stale;
    t->quiet[i].when = ++t->reads;
    if (!saw_a_change(t, &t->quiet[i])) return;
    t->quiet[0] = t->quiet[i];
    t->quiet_count = 1;
}

/* A look by something that fails for no reason is no round of its own; but if it saw a change, all begins anew. */
void rt_glanced(uintptr_t pc, uintptr_t address, bool stale)
{
    struct thread *t = rt.self;
    int i = find_quiet(t, pc, address);
    if (i >= 0 && t->quiet[i].changed && !stale) t->quiet_count = 0;
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
