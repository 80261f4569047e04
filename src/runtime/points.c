/* What a plain access of the program leads to: checks of the heap, the race detector, and a scheduling point where the
 * code address is known to race (--races=explore) or to touch what other threads touch (--points=all). Such code
 * addresses are learnt by running. An execution that learns one goes on without it, so that all of it has the same
 * points; then the exploration starts anew, so that what is covered in the end is covered with all of them. */
#include "runtime/internal.h"

enum { HOT_BITS = 14, PATIENCE = 2000000, ROUNDS = 50 };
_Static_assert(RT_MAX_HOT <= 1 << (HOT_BITS - 1), "the table of points is at most half full");
#define NEXT_TIME (1ull << 63) /* of a code address that was learnt in this execution */

static uint64_t *hot_slot(uintptr_t pc)
{
    uint64_t h = (pc * 0x9e3779b97f4a7c15ull) >> (64 - HOT_BITS);
    while (rt.hot_set[h] && (rt.hot_set[h] & ~NEXT_TIME) != pc) h = (h + 1) & ((1u << HOT_BITS) - 1);
    return &rt.hot_set[h];
}

void rt_hot_init(void)
{
    if (!rt.hot_set) rt.hot_set = rt_map(NULL, sizeof *rt.hot_set << HOT_BITS, 0);
    for (uint32_t i = 0; i < rt.shared->hot_count; i++) *hot_slot(rt.shared->hot[i]) = rt.shared->hot[i];
    assert(rt.shared->hot_count <= RT_MAX_HOT);
    rt.shared->hot_in_use = rt.shared->hot_count;
}

bool rt_is_hot(uintptr_t pc) { return rt.shared && rt.shared->hot_in_use && *hot_slot(pc) == pc; }

void rt_learn_point(uintptr_t pc)
{
    if (!rt.exploring || *hot_slot(pc)) return;
    assert(pc && !(pc & NEXT_TIME));
    if (rt.shared->hot_count == RT_MAX_HOT) rt_die("too many places in the program access shared memory");
    rt.shared->hot[rt.shared->hot_count++] = pc;
    *hot_slot(pc) = pc | NEXT_TIME;
    assert(rt.shared->hot_in_use <= rt.shared->hot_count);
    rt.shared->relearn = true;
}

/* This execution has learnt a point, so that all are run again with it. A thread that waits in a loop was not woken by
 * writes to what it read there, so that nothing can be said about whether it waits for ever. */
void rt_end_if_learning(void)
{
    if (rt.exploring && rt.shared->relearn) rt_end_execution(SCHED_END_CUTOFF);
}

/* Strategies that ask what memory holds in states that were not run would have to know of all plain accesses. */
static void tell_store(struct sched_op *op, uintptr_t pc)
{
    uint64_t value;
    bool in_word = (op->object & 7) + op->count <= 8;
    if (!rt.tells_stores || rt.follows_words || !in_word || !rt_stays_readable(op->object)) return;
    if (!rt_stored_constant(pc, op->object, op->count, &value)) return;
    op->flags |= SCHED_STORES;
    op->value = (int64_t)value;
}

static void scheduling_point(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    struct sched_op op = {.kind = write ? SCHED_WRITE : SCHED_READ, .object = address, .count = (uint32_t)size};
    bool spins = !write && rt_spins(pc, &op, NULL);
    if (op.kind == SCHED_YIELD) {
        rt_point(op, NULL, pc);
        op = OP(READ, .object = address, .count = (uint32_t)size);
        spins = false;
    }
    if (write) tell_store(&op, pc);
    rt_point(op, spins ? rt_spin_over : NULL, pc);
    rt_check_memory(address, size, write, pc); /* others may have freed it meanwhile */
    if (write) {
        rt_effect();
        if (rt_store_changes_nothing(&op)) rt_unchanged();
        else rt_memory_changed(address, size);
        if (rt.recording) rt_record_write(address, size);
    } else {
        rt_read_done(pc, address, false);
        if (rt.recording) rt_record_read(address, size, false);
    }
}

/* A loop over plain memory has no scheduling points; someone else must run for it to end. */
static void lose_patience(uintptr_t pc)
{
    struct thread *t = rt.self;
    uint32_t rounds = ++t->idle_rounds;
    if (rounds > ROUNDS) {
        rt_find(RT_LIVELOCK, pc, "a loop without synchronisation goes on and on");
        rt_finding_end();
    }
    rt_point_labelled(OP(YIELD), NULL, pc, "long loop");
    t->idle_rounds = rounds;
}

static inline bool on_own_stack(uintptr_t a) { return rt_on_own_stack(rt.self, (const void *)a); }

/* No other thread was ever created. What main does then has to be the same whichever points are known
 * (checkpoint.c). */
static inline bool is_alone(void) { return set_equal(rt.created, set_of(0)); }

static void writes_plainly(uintptr_t address, size_t size)
{
    rt.self->spurious_key = 0;
    if (rt.self->quiet_count) rt_writes_plainly(address, size);
}

static inline bool is_point(uintptr_t pc)
{
    return unlikely(rt.shared && rt.shared->hot_in_use) && !rt.self->atomic_depth && !is_alone() && rt_is_hot(pc);
}

void rt_plain(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (unlikely(!rt.active)) return;
    struct thread *t = rt.self;
    if (size <= 16 && is_point(pc)) {
        scheduling_point(address, size, write, pc);
    } else {
        rt_check_memory(address, size, write, pc);
        if (write && (t->quiet_count || t->spurious_key) && !on_own_stack(address)) writes_plainly(address, size);
    }
    if (rt.check_plain) rt_access(address, size, write, t->atomic_depth > 0, pc);
    if (unlikely(++t->plain_accesses > PATIENCE)) lose_patience(pc);
}

/* A call announces all its ranges and then accesses them, in the step of the last one. So that step depends on every
 * other: a step of the last range alone would commute with writes to what a copy reads. A loop that waits yields,
 * because one location does not say for what it waits. */
static void range_point(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    struct sched_op op = OP(READ, .object = address, .count = 1);
    bool waits = !write && (rt_spins(pc, &op, NULL) || op.kind == SCHED_YIELD);
    if (waits) rt_point(OP(YIELD), NULL, pc);
    rt_point_labelled(OP(GLOBAL), NULL, pc, write ? "write of a range" : "read of a range");
    rt_check_memory(address, size, write, pc); /* others may have freed it meanwhile */
    if (write) {
        rt_effect();
        rt_memory_changed(address, size);
    } else {
        rt_read_done(pc, address, false);
    }
}

void rt_range(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (unlikely(!rt.active) || !size) return;
    struct thread *t = rt.self;
    if (is_point(pc)) {
        range_point(address, size, write, pc);
    } else {
        rt_check_memory(address, size, write, pc);
        if (write && (t->quiet_count || t->spurious_key) && !on_own_stack(address)) writes_plainly(address, size);
    }
    if (rt.check_plain) rt_access(address, size, write, t->atomic_depth > 0, pc);
}

/* What a function of the runtime reads and writes for its caller. Libraries are not observed, and the runtime's own
 * calls are not the program's. */
static void of_call(const void *p, size_t size, bool write, uintptr_t pc)
{
    if (p && rt.active && rt.shared && rt_is_program_code(pc)) rt_range((uintptr_t)p, size, write, pc);
}

void rt_call_reads(const void *from, size_t size, uintptr_t pc) { of_call(from, size, false, pc); }
void rt_call_writes(void *to, size_t size, uintptr_t pc) { of_call(to, size, true, pc); }

/* The first byte before the others: where the string is gone it has no end either. */
void rt_call_reads_text(const char *text, uintptr_t pc)
{
    if (!text || !rt.active || !rt.shared || !rt_is_program_code(pc)) return;
    rt_check_memory((uintptr_t)text, 1, false, pc);
    rt_range((uintptr_t)text, strlen(text) + 1, false, pc);
}

/* Memory is about to be given back. Where that races with an access it is a step, which depends on every other: on
 * plain accesses as well as on calls on objects that lie there. */
void rt_give_back_point(uintptr_t pc, const char *label)
{
    if (rt.active && is_point(pc)) rt_point_labelled(OP(GLOBAL), NULL, pc, label);
}
