/* Scheduling points. A thread that comes to an operation others can notice says what it is about to do; the strategy
 * (src/schedule) picks who goes on. The decision is taken in the context of the thread that arrived, so that going on
 * with the same thread costs no switch, but on a stack of its own: what it leaves there must not be found in variables
 * that the program does not initialise, or they would depend on the strategy. */
#include "runtime/internal.h"

static void switch_to(struct thread *to)
{
    struct thread *from = rt.self;
    assert(to->live && !to->finished && to->sp);
    assert_costly(to != from && to == &rt.threads[to->id]);
    rt.self = to;
    if (rt.shared) rt.shared->current = to->id;
    rt_set_tls(to->tls);
    rt_switch(&from->sp, to->sp);
}

/* A compare-exchange would succeed now; its memory can always be read (atomic.c). */
static bool fits(const struct sched_op *op)
{
    uint64_t now = 0;
    memcpy(&now, (const void *)op->object, op->count);
    return now == (uint64_t)op->value;
}

/* Most pending operations are always possible and stay as they are; only the others are looked at. */
static void update_view(void)
{
    sched_set enabled = rt.live & ~rt.conditional, ending = SET_NONE;
    assert_costly(!set_any(rt.live & ~rt.created) && set_any(rt.live));
    int id;
    FOR_EACH_THREAD(id, rt.live & rt.conditional) {
        struct thread *t = &rt.threads[id];
        assert_costly(t->id == id && t->live && !t->finished);
        if (t->op.kind == SCHED_SIGNAL)
            rt.view.next[id].count = (uint32_t)set_count(rt_waiting_on((void *)t->op.object));
        if (t->op.kind == SCHED_END) ending |= set_of(id);
        if (t->op.kind == SCHED_CAS) rt.view.next[id].flags = t->op.flags | (fits(&t->op) ? SCHED_FITS : 0);
        if (rt_weak_concerns(&t->op)) rt_weak_choices(t, &rt.view.next[id]);
        if (!t->enabled || t->enabled(t)) enabled |= set_of(id);
    }
    rt.view.ending = ending;
    rt.view.enabled = enabled;
    rt.view.live = rt.live;
    assert_costly(!set_any(enabled & ~rt.live));
}

static void report_step(void)
{
    if (!rt.step_pending) return;
    rt.step_pending = false;
    if (rt.recording) rt_record_outcome();
    rt_checkpoint_outcome();
    if (rt.sched) sched_executed(rt.sched, &rt.outcome);
}

/* A thread that waits by itself in a loop, and not for something that has a name. */
static bool somebody_spins(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        if ((t->op.flags & SCHED_SPIN) && !t->label) return true;
    }
    return false;
}

/* A thread that assumed something in vain waits for ever; what it leaves undone is no deadlock. */
static bool somebody_assumed(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.live)
        if (rt.threads[id].op.kind == SCHED_NEVER) return true;
    return false;
}

/* The same for the same places, whoever of them came last. */
static uint64_t where_all_wait(void)
{
    uint64_t sum = 0;
    int id;
    FOR_EACH_THREAD(id, rt.live)
        sum += (rt.threads[id].op_pc + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return sum;
}

static void nobody_can_go_on(void)
{
    assert(set_any(rt.live)); /* or it would be the end */
    if (somebody_assumed()) rt_end_execution(SCHED_END_ASSUMED);
    rt.end = SCHED_END_DEADLOCK;
    bool spinning = somebody_spins();
    const struct thread *who = set_has(rt.live, rt.self->id) ? rt.self : &rt.threads[set_first(rt.live)];
    rt_find(spinning ? RT_LIVELOCK : RT_DEADLOCK, who->op_pc,
            spinning ? "no thread makes progress" : "no thread can go on");
    rt.found.here.thread = who->id;
    if (rt.recording) rt.found.here.stack = who->op_stack;
    rt.found.site = where_all_wait();
    rt_finding_end();
}

/* No condition variable is obliged to wake up without a signal: that does not save a program from a deadlock. */
static bool only_spurious_wake_ups(void)
{
    if (!rt.shared || !rt.shared->config.spurious || !set_any(rt.view.enabled)) return false;
    int id;
    FOR_EACH_THREAD(id, rt.view.enabled) {
        const struct thread *t = &rt.threads[id];
        if (t->op.kind != SCHED_COND_RESUME || t->woken || !t->only_spurious) return false;
    }
    return true;
}

static void no_step(const struct sched_pick *pick)
{
    if (pick->why == SCHED_PICK_NONE_ENABLED) nobody_can_go_on();
    if (pick->why == SCHED_PICK_STOP) {
        rt_cycle_cut_off();
        rt_end_execution(SCHED_END_CUTOFF);
    }
    rt_end_execution(SCHED_END_ABANDONED);
}

/* Without heddle: the running thread goes on while it can, others take turns when it cannot or yields. */
static struct sched_pick pick_alone(void)
{
    int self = rt.self->id;
    bool yields = rt.self->op.kind == SCHED_YIELD || (rt.self->op.kind == SCHED_COND_RESUME && !rt.self->woken);
    sched_set others = rt.view.enabled & ~set_of(self), later = others & ~set_below(self + 1);
    if (set_has(rt.view.enabled, self) && !(yields && set_any(others))) return (struct sched_pick){.thread = self};
    if (!set_any(others)) return (struct sched_pick){.thread = -1, .why = SCHED_PICK_NONE_ENABLED};
    return (struct sched_pick){.thread = set_first(set_any(later) ? later : others)};
}

static void note_step(const struct sched_pick *pick)
{
    struct rt_shared *s = rt.shared;
    uint32_t n = s->step_count;
    assert_costly(pick->thread >= 0 && pick->thread < rt.thread_limit);
    if (n < RT_MAX_STEPS) s->steps[n] = (struct sched_step){pick->thread, pick->choice};
    s->step_count = n + 1;
    s->heartbeat++;
    const struct sched_op *op = &rt.threads[pick->thread].op;
    rt.step_hash = (rt.step_hash ^ (uint64_t)pick->thread << 8 ^ op->kind ^ op->object << 16) * 0x9e3779b97f4a7c15ull;
    rt.step_hash ^= rt.step_hash >> 29;
}

static void decide(void)
{
    report_step();
    update_view();
    if (unlikely(set_any(rt.timers.waiting)) && rt_let_time_pass()) update_view();
    if (unlikely(rt.branch.on)) rt_branch_point();
    if (unlikely(rt.way.target) && rt.way.target == rt.shared->step_count) rt_waypoint();
    if (unlikely(only_spurious_wake_ups())) nobody_can_go_on();
    struct sched_pick pick = rt.sched ? sched_pick(rt.sched, &rt.view) : pick_alone();
    if (unlikely(pick.thread < 0)) no_step(&pick);
    assert(set_has(rt.view.enabled, pick.thread));
    struct thread *t = &rt.threads[pick.thread];
    assert_costly(rt.view.next[t->id].kind == t->op.kind && t->op.kind != SCHED_NONE);
    assert_costly(t->started || t == rt.self);
    t->choice = pick.choice;
    if (rt.shared) {
        note_step(&pick);
        rt_cycle_step(t, pick.preemption);
    }
    if (rt.recording) rt_record_step(t, &pick);
    rt_checkpoint_step(t);
    rt.outcome = (struct sched_outcome){.changed = true};
    rt.step_pending = true;
    rt.picked = t;
}

/* Which exceptions of floating-point numbers happened: the program can ask, and strategies use such numbers, too. */
static inline uint64_t float_flags(void)
{
#if defined __x86_64__
    return __builtin_ia32_stmxcsr();
#else
    uint64_t flags;
    __asm__ volatile("mrs %0, fpsr" : "=r"(flags));
    return flags;
#endif
}

static inline void set_float_flags(uint64_t flags)
{
#if defined __x86_64__
    __builtin_ia32_ldmxcsr((uint32_t)flags);
#else
    __asm__ volatile("msr fpsr, %0" ::"r"(flags));
#endif
}

static struct thread *pick_thread(void)
{
    uint64_t flags = float_flags();
    assert_costly(!((uintptr_t)rt.decision_stack & 15));
    rt_call_on(rt.decision_stack, decide);
    if (unlikely(float_flags() != flags)) set_float_flags(flags);
    return rt.picked;
}

void rt_prepare(struct sched_op op, enabled_test *enabled, uintptr_t pc)
{
    struct thread *t = rt.self;
    assert(op.kind > SCHED_NONE && op.kind < SCHED_KIND_COUNT && set_has(rt.live, t->id));
    if (unlikely(op.kind >= SCHED_PUT && op.kind <= SCHED_PEEK)) rt_channel_prepare(&op);
    t->op = op;
    t->enabled = enabled;
    bool changes = op.kind == SCHED_SIGNAL || op.kind == SCHED_CAS || op.kind == SCHED_END || rt_weak_concerns(&op);
    if (enabled || changes) rt.conditional |= set_of(t->id);
    else rt.conditional &= ~set_of(t->id);
    t->op_pc = pc;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    if (frame < t->deepest) t->deepest = frame;
    t->frame = frame;
    t->plain_accesses = 0;
    t->idle_rounds = 0;
    rt.view.next[t->id] = op;
    if (unlikely(rt.recording)) t->op_stack = rt_stack_of(t, pc);
}

/* The creator of a new thread is waiting for it to come to its first operation. */
static void back_to_creator(void)
{
    assert(rt.self->creator >= 0 && rt.threads[rt.self->creator].live);
    rt.self->started = true;
    switch_to(&rt.threads[rt.self->creator]);
}

/* For a debugger: a step begins, on the stack of the thread that takes it. */
EXPORT __attribute__((noinline)) void heddle_step(void) { __asm__ volatile(""); }

static void show_step(void)
{
    heddle_step_number = rt.shared->step_count;
    heddle_step_thread = rt.self->id;
    heddle_step();
}

/* Says what comes next, and comes back when this thread is picked. */
static void wait_for_turn(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    self->label = label;
    rt_prepare(op, enabled, pc);
    if (op.kind == SCHED_YIELD && rt.shared && self->started) rt_cycle_yield(pc);
    if (unlikely(!self->started)) {
        back_to_creator(); /* comes back when picked */
    } else {
        struct thread *next = pick_thread();
        if (next != self) switch_to(next);
    }
    assert_costly(rt.self == self && rt.active); /* whoever comes back here was picked */
    self->label = NULL;
    if (unlikely(rt.recording)) show_step();
}

/* Objects that are used have to be there. Not so those that a thread has but to leave: a condition variable may go once
 * its waiters were woken, and a barrier once all have arrived. */
static inline void refuse_freed(const struct sched_op *op, uintptr_t pc)
{
    bool is_object = op->kind >= SCHED_LOCK && op->kind <= SCHED_BARRIER && op->kind != SCHED_COND_RESUME;
    if (is_object && unlikely(rt_in_heap(op->object))) rt_heap_check(op->object, 1, true, pc);
}

uint32_t rt_point_labelled(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    if (unlikely(!rt.active)) return 0;
    if (unlikely(self->atomic_depth) && (!enabled || enabled(self)) && op.kind != SCHED_CHOOSE) return 0;
    wait_for_turn(op, enabled, pc, label);
    while (unlikely(self->interrupted)) {
        self->interrupted = false;
        rt_run_handlers();
        if (op.flags & SCHED_SPIN) { /* it looks again: the handler may have changed what it waits for */
            op.flags &= (uint8_t)~SCHED_SPIN;
            op.object2 = 0;
            enabled = NULL;
        }
        wait_for_turn(op, enabled, pc, label);
    }
    refuse_freed(&op, pc);
    return self->choice;
}

bool rt_point_unless_broken(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    if (!rt.active || (self->atomic_depth && (!enabled || enabled(self)))) return true;
    self->broken = false;
    wait_for_turn(op, enabled, pc, label);
    while (unlikely(self->interrupted)) {
        self->interrupted = false;
        self->op = op;
        bool waited = !enabled || !enabled(self); /* else the handler came before the call had to wait */
        rt_run_handlers();
        if (self->broken && waited) return false;
        wait_for_turn(op, enabled, pc, label);
    }
    refuse_freed(&op, pc);
    return true;
}

uint32_t rt_point(struct sched_op op, enabled_test *enabled, uintptr_t pc)
{
    return rt_point_labelled(op, enabled, pc, NULL);
}

void rt_attempt(uintptr_t pc)
{
    enum { PATIENCE = 2 };
    struct thread *self = rt.self;
    if (self->attempt_pc != pc) self->failures = 0;
    self->attempt_pc = pc;
    if (self->failures < PATIENCE) return;
    self->tries_again = true;
    rt_point_labelled(OP(YIELD), NULL, pc, "try again");
    self->tries_again = false;
}

void rt_run_new(struct thread *t)
{
    assert(!t->started && t->creator == rt.self->id);
    switch_to(t);
}

void rt_switch_away(void)
{
    assert(rt.self->finished && !set_has(rt.live, rt.self->id));
    switch_to(pick_thread());
    __builtin_unreachable();
}
