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
    if (unlikely(rt.audits_call)) rt_audit_switch();
    rt.self = to;
    if (rt.shared) rt.shared->current = to->id;
    rt_set_tls(to->tls);
    rt_switch(&from->sp, to->sp);
}

/* Memory, which can always be read (atomic.c), holds what a compare-exchange expects, or a store writes. It is read
 * here and not by memcpy(), which would be foreign code for an audit. */
static bool fits(const struct sched_op *op)
{
    uint64_t word = *(const uint64_t *)(op->object & ~7ul) >> (op->object & 7) * 8;
    return !((word ^ (uint64_t)op->value) << (64 - op->count * 8));
}

static bool asks_memory(const struct sched_op *op)
{
    bool writes = op->kind == SCHED_WRITE || op->kind == SCHED_RMW;
    return op->kind == SCHED_CAS || (writes && (op->flags & SCHED_STORES));
}

bool rt_store_changes_nothing(const struct sched_op *op) { return (op->flags & SCHED_STORES) && fits(op); }

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
        if (asks_memory(&t->op)) rt.view.next[id].flags = t->op.flags | (fits(&t->op) ? SCHED_FITS : 0);
        if (t->op.flags & SCHED_SURPRISE) rt.view.next[id].older = rt_spurious_left() ? t->op.older : 0;
        if (rt_weak_concerns(&t->op)) rt_weak_choices(t, &rt.view.next[id]);
        if (!t->enabled || rt_is_unmapped(&t->op) || t->enabled(t)) enabled |= set_of(id);
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
    if (rt.sched && !rt.tail.on) sched_executed(rt.sched, &rt.outcome);
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

/* The sum depends only on the places, not on which thread reached its place last. */
uint64_t rt_where_they_wait(sched_set threads)
{
    uint64_t sum = 0;
    int id;
    FOR_EACH_THREAD(id, threads)
        sum += (rt.threads[id].op_pc + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return sum;
}

static void nobody_can_go_on(void)
{
    assert(set_any(rt.live)); /* or it would be the end */
    if (somebody_assumed() || rt_somebody_is_held_back()) rt_end_execution(SCHED_END_ASSUMED);
    rt_socket_deadlock();
    bool spinning = somebody_spins();
    if (spinning) rt_end_if_learning();
    rt.end = SCHED_END_DEADLOCK;
    const struct thread *who = set_has(rt.live, rt.self->id) ? rt.self : &rt.threads[set_first(rt.live)];
    rt_find(spinning ? RT_LIVELOCK : RT_DEADLOCK, who->op_pc,
            spinning ? "no thread makes progress" : "no thread can go on");
    rt.found.here.thread = who->id;
    rt.found.awaits = spinning && rt.awaits;
    if (rt.recording) rt.found.here.stack = who->op_stack;
    rt.found.site = rt_where_they_wait(rt.live);
    rt_finding_end();
}

static void no_step(const struct sched_pick *pick)
{
    if (pick->why == SCHED_PICK_NONE_ENABLED) nobody_can_go_on();
    if (pick->why == SCHED_PICK_STOP) {
        rt_cycle_cut_off();
        rt_end_execution(SCHED_END_CUTOFF);
    }
    rt_end_execution(pick->why == SCHED_PICK_AWAIT ? SCHED_END_ASSUMED : SCHED_END_ABANDONED);
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
    s->current_pc = rt.threads[pick->thread].op_pc;
    const struct sched_op *op = &rt.threads[pick->thread].op;
    rt.step_hash = (rt.step_hash ^ (uint64_t)pick->thread << 8 ^ op->kind ^ op->object << 16) * 0x9e3779b97f4a7c15ull;
    rt.step_hash ^= rt.step_hash >> 29;
}

static struct sched_pick pick_step(void)
{
    if (unlikely(rt.tail.on)) return rt_tail_pick();
    if (unlikely(rt.branch.on)) rt_branch_point();
    if (unlikely(rt.way.target) && rt.way.target == rt.shared->step_count) rt_waypoint();
    if (unlikely(!rt.sched)) return pick_alone();
    struct sched_pick pick = sched_pick(rt.sched, &rt.view);
    return unlikely(pick.thread < 0) && pick.why == SCHED_PICK_STOP && rt_tail_begins() ? rt_tail_pick() : pick;
}

static void decide(void)
{
    report_step();
    update_view();
    if (unlikely(set_any(rt.timers.waiting)) && rt_let_time_pass()) update_view();
    struct sched_pick pick = pick_step();
    if (unlikely(pick.thread < 0)) no_step(&pick);
    assert(set_has(rt.view.enabled, pick.thread));
    struct thread *t = &rt.threads[pick.thread];
    assert_costly(rt.view.next[t->id].kind == t->op.kind && t->op.kind != SCHED_NONE);
    assert_costly(t->started || t == rt.self);
    t->choice = pick.choice;
    if (rt.shared) {
        note_step(&pick);
        if (likely(!rt.tail.on)) rt_cycle_step(t, pick.preemption);
    }
    if (rt.recording) rt_record_step(t, &pick);
    rt_checkpoint_step(t);
    if (unlikely(rt.scout)) rt_scout_step(t);
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
    if (unlikely(rt.swap.all)) rt_registers_here(&rt.swap.self);
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
    op.site = pc;
    t->op = op;
    t->enabled = enabled;
    if (unlikely(t->spurious_key)) rt_spurious_step(&op);
    bool changes = op.kind == SCHED_SIGNAL || asks_memory(&op) || op.kind == SCHED_END || rt_weak_concerns(&op) ||
                   (op.flags & SCHED_SURPRISE);
    if (enabled || changes) rt.conditional |= set_of(t->id);
    else rt.conditional &= ~set_of(t->id);
    t->op_pc = pc;
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    rt_note_depth(t, frame);
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

/* What a switch to another thread leaves below the frames in use must not be found in variables that the program does
 * not initialise, or two orders of steps would differ in it. */
static __attribute__((noinline)) void clear_below(void)
{
    enum { FRAMES = 2048 };
    char frames[FRAMES];
    memset(frames, 0, sizeof frames);
    __asm__ volatile("" ::"r"(frames) : "memory");
}

/* Says what comes next, and comes back when this thread is picked. */
static inline void wait_for_turn(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    self->label = label;
    rt_prepare(op, enabled, pc);
    if (op.kind == SCHED_YIELD && rt.shared && self->started && !rt.tail.on) rt_cycle_yield(pc);
    if (unlikely(!self->started)) {
        back_to_creator(); /* comes back when picked */
    } else {
        struct thread *next = pick_thread();
        if (next != self) switch_to(next);
    }
    assert_costly(rt.self == self && rt.active); /* whoever comes back here was picked */
    self->label = NULL;
    if (unlikely(rt.swap.all)) clear_below();
    if (unlikely(rt.recording)) show_step();
}

/* The threads that wait are known from their operations. */
static bool is_possible(const struct sched_op *op, enabled_test *enabled)
{
    struct thread *self = rt.self;
    struct sched_op kept = self->op;
    self->op = *op;
    bool possible = !enabled || enabled(self);
    self->op = kept;
    return possible;
}

/* What the strategies would have to know of, for it changes what other threads can do after the section. */
static bool shows_outside(const struct sched_op *op)
{
    switch (op->kind) {
    case SCHED_SEM_WAIT: case SCHED_SEM_TRYWAIT: case SCHED_SEM_POST: case SCHED_INIT: return true;
    case SCHED_SIGNAL: case SCHED_BROADCAST: return set_any(rt_waiting_on((const void *)op->object));
    default: return false;
    }
}

static void refuse_in_section(const struct sched_op *op, uintptr_t pc)
{
    if (op->kind == SCHED_COND_WAIT || (op->kind == SCHED_BARRIER && op->value > 1)) {
        rt_find(RT_MISUSE, pc, "waiting for a signal or at a barrier inside an atomic section");
        rt_finding_end();
    }
    if (shows_outside(op)) rt_section_shows();
}

/* An operation inside an atomic section is part of it. One that has to wait stops the section until it is possible:
 * that is a step which depends on every other, as the section is. */
static __attribute__((noinline)) void go_on_in_section(struct sched_op op, enabled_test *enabled, uintptr_t pc)
{
    struct thread *self = rt.self;
    refuse_in_section(&op, pc);
    if (!is_possible(&op, enabled)) {
        struct sched_op wait = OP(GLOBAL, .object = op.object, .object2 = op.object2);
        rt_need_plain_strategy(); /* others ask in advance whether a step is possible, and a global one always is */
        wait_for_turn(wait, enabled, pc, "atomic waits");
        while (unlikely(self->interrupted)) {
            self->interrupted = false;
            rt_run_handlers();
            wait_for_turn(wait, enabled, pc, "atomic waits");
        }
    }
    rt_object_used(&op, pc);
}

uint32_t rt_point_labelled(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    if (unlikely(!rt.active)) return 0;
    if (unlikely(self->atomic_depth) && op.kind != SCHED_CHOOSE) return go_on_in_section(op, enabled, pc), 0;
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
    rt_object_used(&op, pc);
    return self->choice;
}

static bool wait_unless_broken(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
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
    rt_object_used(&op, pc);
    return true;
}

bool rt_point_unless_broken(struct sched_op op, enabled_test *enabled, uintptr_t pc, const char *label)
{
    struct thread *self = rt.self;
    if (!rt.active) return true;
    if (unlikely(self->atomic_depth)) return go_on_in_section(op, enabled, pc), true;
    self->may_break_off = true;
    bool done = wait_unless_broken(op, enabled, pc, label);
    self->may_break_off = false;
    return done;
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
