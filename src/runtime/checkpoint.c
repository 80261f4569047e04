/* The start of the program is run once. Until main creates the first thread there is nothing to decide, so all
 * executions begin alike: when the first of them comes to that place, what memory goes back to between two executions
 * is moved from the beginning of main to there (reset.c), and the others begin there. The strategy is told the steps of
 * the start from a list.
 *
 * Where the start did what is not put back (files opened, memory mapped), or made a choice, all is as ever.
 *
 * With executions in processes of their own the first one says whether that is possible. Then the process that makes
 * the others runs the start itself, and stops there: they are copies of it. */
#include "runtime/internal.h"

enum { MOST_STEPS = 1 << 16 };

struct start_step { struct sched_op op; struct sched_outcome outcome; };

struct checkpoint {
    bool recording; /* the first execution is on its way there */
    bool taken;
    struct start_step *steps;
    uint32_t count, announced;
    struct thread thread;
    struct sched_op next;
    uint64_t time, random, step_hash;
    sched_set conditional;
    void *sp;
    char *stack; /* contents, from sp on */
};

void rt_checkpoint_init(void)
{
    const struct rt_config *config = &rt.shared->config;
    if (config->leaks || config->isolate == RT_ISOLATE_MAIN) return; /* leaks of the start are found at the end */
    struct checkpoint *c = rt.checkpoint = rt_map(NULL, sizeof *c, 0);
    c->steps = rt_map(NULL, sizeof *c->steps * MOST_STEPS, 0);
    c->recording = true;
}

bool rt_from_checkpoint(void) { return rt.checkpoint && rt.checkpoint->taken; }

void rt_checkpoint_step(const struct thread *t)
{
    struct checkpoint *c = rt.checkpoint;
    if (likely(!c || !c->recording)) return;
    if (t->op.kind == SCHED_CHOOSE || c->count == MOST_STEPS) c->recording = false;
    else c->steps[c->count++].op = rt.view.next[t->id];
}

void rt_checkpoint_outcome(void)
{
    struct checkpoint *c = rt.checkpoint;
    if (unlikely(c && c->recording && c->count)) c->steps[c->count - 1].outcome = rt.outcome;
}

/* Nothing was done that a later execution would have to do again, or that is known of this execution only. */
static bool is_possible(const struct thread *t)
{
    bool maps = rt.maps.used || rt.maps.brk_most, files = rt.used_files || rt.files.generation == rt.generation;
    bool named = rt.named_generation == rt.generation || rt.timers.generation == rt.generation;
    bool signals = t->signals || t->cancelled || rt.signal.pending;
    return rt.checkpoint && rt.checkpoint->recording && !maps && !files && !named && !signals && !t->held_count &&
           !t->atomic_depth && !rt.exiting && rt_on_own_stack(t, __builtin_frame_address(0));
}

static bool is_forked(void) { return rt.shared->config.isolate == RT_ISOLATE_FORK; }

/* On another stack, while the thread waits in rt_checkpoint(). */
static void take(void)
{
    struct checkpoint *c = rt.checkpoint;
    struct thread *t = rt.self;
    size_t size = (size_t)(t->stack_high - (char *)c->sp);
    assert(set_equal(rt.live, set_of(0)) && set_equal(rt.created, set_of(0)) && t->id == 0);
    if (rt.step_pending) rt_checkpoint_outcome();
    if (!is_forked()) rt_snapshot_again();
    c->recording = false;
    c->taken = true;
    c->thread = *t;
    c->next = rt.view.next[0];
    c->announced = rt.shared->announced_count;
    c->time = rt.time;
    c->random = rt.random;
    c->conditional = rt.conditional;
    c->step_hash = rt.step_hash;
    c->stack = rt_map(NULL, (size + PAGE - 1) & ~(PAGE - 1), 0);
    memcpy(c->stack, c->sp, size);
    if (is_forked()) rt_end_execution(SCHED_END_NORMAL);
    void *ignored;
    rt_switch(&ignored, c->sp);
}

/* In all modes memory that is allocated from now on lies where it would with a checkpoint. */
void rt_checkpoint(void)
{
    struct thread *self = rt.self;
    if (!rt.shared || self->id || self->children) return;
    rt_heap_round_up();
    if (is_forked() && rt.sched) rt.shared->keeps_start = is_possible(self);
    else if (is_possible(self)) rt_switch(&rt.checkpoint->sp, rt_make_context(rt.decision_stack, take));
    else if (rt.checkpoint) rt.checkpoint->recording = false;
}

void rt_checkpoint_fork(void)
{
    struct checkpoint *c = rt.checkpoint;
    if (!c || c->taken || !rt.shared->keeps_start) return;
    struct sched *sched = rt.sched;
    rt.sched = NULL;
    rt_run_execution();
    rt.sched = sched;
    rt.step_pending = false;
    rt_race_shrink();
    rt.live = rt.created = SET_NONE;
    if (!c->taken) rt_die("the start of the program does not repeat itself: try --isolate=main");
}

/* What of a thread is in use; most of it is room for calls, locks and keys. */
static void restore_thread(const struct checkpoint *c, struct thread *t)
{
    const struct thread *k = &c->thread;
    size_t quiet = offsetof(struct thread, quiet), keys = offsetof(struct thread, keys),
           rest = offsetof(struct thread, uses_keys);
    if (t->uses_keys || k->uses_keys) memcpy(t->keys, k->keys, sizeof t->keys);
    memcpy(t, k, offsetof(struct thread, calls) + k->call_count * sizeof k->calls[0]);
    t->call_count = k->call_count;
    t->held_count = 0;
    memcpy((char *)t + quiet, (const char *)k + quiet, keys - quiet);
    memcpy((char *)t + rest, (const char *)k + rest, sizeof *t - rest);
    t->sp = c->sp;
    memcpy(c->sp, c->stack, (size_t)(t->stack_high - (char *)c->sp));
}

void rt_checkpoint_begin(void)
{
    const struct checkpoint *c = rt.checkpoint;
    rt.self = &rt.threads[0];
    restore_thread(c, rt.self);
    rt.live = rt.created = set_of(0);
    rt.conditional = c->conditional;
    rt.time = c->time;
    rt.random = c->random;
    rt.shared->announced_count = c->announced;
    rt.shared->step_count = c->count;
    rt.step_hash = c->step_hash;
}

bool rt_checkpoint_tell(void)
{
    const struct checkpoint *c = rt.checkpoint;
    bool is_told = sched_repeats(rt.sched) >= c->count; /* by the execution before */
    if (is_told) sched_resume(rt.sched, c->count);
    rt.view.live = rt.view.enabled = set_of(0);
    rt.view.ending = SET_NONE;
    for (uint32_t i = is_told ? c->count : 0; i < c->count; i++) {
        rt.view.next[0] = c->steps[i].op;
        struct sched_pick pick = sched_pick(rt.sched, &rt.view);
        if (pick.thread < 0) {
            rt.end = pick.why == SCHED_PICK_STOP ? SCHED_END_CUTOFF : SCHED_END_ABANDONED;
            return false;
        }
        assert(pick.thread == 0 && pick.choice == 0);
        sched_executed(rt.sched, &c->steps[i].outcome);
    }
    rt.view.next[0] = c->next;
    return true;
}
