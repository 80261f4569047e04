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

static void scheduling_point(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    struct sched_op op = {.kind = write ? SCHED_WRITE : SCHED_READ, .object = address, .count = (uint32_t)size};
    bool spins = !write && rt_spins(pc, &op, NULL);
    if (op.kind == SCHED_YIELD) {
        rt_point(op, NULL, pc);
        op = OP(READ, .object = address, .count = (uint32_t)size);
        spins = false;
    }
    rt_point(op, spins ? rt_spin_over : NULL, pc);
    if (write) {
        rt_effect();
        rt_memory_changed(address, size);
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

/* Below where a stack is in use now lies what functions left behind that have returned. Whoever runs has called us, so
 * that all it uses is above this frame. */
static __attribute__((noinline)) void check_stack(int owner, uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    const struct thread *t = &rt.threads[owner];
    const char *what = write ? "write" : "read";
    uintptr_t used_from = t == rt.self ? (uintptr_t)__builtin_frame_address(0) : (uintptr_t)t->sp;
    assert(owner >= 0 && owner < MAX_THREADS && t->id == owner);
    bool gone = owner >= rt.thread_limit || !t->live || t->finished;
    bool elsewhere = !rt_on_own_stack(t, (const void *)used_from);
    if (!gone && (elsewhere || address + size > used_from)) return;
    if (gone) rt_find(RT_MEMORY, pc, "%s of %zu bytes on the stack of a thread that has ended", what, size);
    else rt_find(RT_MEMORY, pc, "%s of %zu bytes of a function that has returned", what, size);
    rt_finding_end();
}

static inline void check_memory(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (rt_in_heap(address)) rt_heap_check(address, size, write, pc);
    else if (unlikely(rt_stack_owner(address) >= 0) && rt.shared)
        check_stack(rt_stack_owner(address), address, size, write, pc);
}

/* Nobody else was ever there. What main does then has to be the same whichever points are known (checkpoint.c). */
static inline bool is_alone(void) { return set_equal(rt.created, set_of(0)); }

void rt_plain(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (unlikely(!rt.active)) return;
    struct thread *t = rt.self;
    check_memory(address, size, write, pc);
    if (unlikely(rt.shared && rt.shared->hot_in_use) && size <= 16 && !t->atomic_depth && !is_alone() && rt_is_hot(pc))
        scheduling_point(address, size, write, pc);
    else if (write && t->quiet_count && !on_own_stack(address)) rt_writes_plainly(address, size);
    if (rt.check_plain) rt_access(address, size, write, t->atomic_depth > 0, pc);
    if (unlikely(++t->plain_accesses > PATIENCE)) lose_patience(pc);
}

void rt_range(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (unlikely(!rt.active) || !size) return;
    if (size <= 16) {
        rt_plain(address, size, write, pc);
        return;
    }
    struct thread *t = rt.self;
    check_memory(address, size, write, pc);
    if (unlikely(rt.shared && rt.shared->hot_in_use) && rt_is_hot(pc) && !t->atomic_depth && !is_alone())
        for (size_t done = 0; done < size; done += 16)
            scheduling_point(address + done, size - done < 16 ? size - done : 16, write, pc);
    else if (write && t->quiet_count && !on_own_stack(address)) rt_writes_plainly(address, size);
    if (rt.check_plain) rt_access(address, size, write, t->atomic_depth > 0, pc);
}
