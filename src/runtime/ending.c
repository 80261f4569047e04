/* Threads that are blocked when the program ends. The program ends last (doc/schedule.md, The end of the program), so
 * every other thread has ended, waits, or is held back by the fair bound.
 *
 * A thread can never go on if it waits for a lock whose owner has ended, or whose owners cannot go on themselves; the
 * same holds if it waits for the end of such a thread. These threads are the largest set that is closed in this way. A
 * program that ends before somebody joins them has a deadlock all the same. Any other blocked thread might have been
 * woken by the thread that ended the program, so it is only noted, unless it is detached and waits for work. */
#include "runtime/internal.h"

/* The lock that the thread waits for, 0: it waits for something else. Labelled waits look like locks, but have no owner
 * that holds them. */
static uint64_t awaited_lock(const struct thread *t)
{
    switch (t->op.kind) {
    case SCHED_LOCK: case SCHED_RDLOCK: case SCHED_WRLOCK: return t->label ? 0 : t->op.object;
    case SCHED_COND_RESUME: return t->woken ? t->op.object2 : 0;
    default: return 0;
    }
}

static bool holds(const struct thread *t, uint64_t lock)
{
    for (uint32_t i = 0; i < t->held_count; i++)
        if (t->held[i] == lock) return true;
    return false;
}

static sched_set holders_of(uint64_t lock)
{
    sched_set found = SET_NONE;
    int id;
    FOR_EACH_THREAD(id, rt.live)
        if (holds(&rt.threads[id], lock)) found |= set_of(id);
    return found;
}

/* The live threads without which this one cannot go on. */
static sched_set awaited_threads(const struct thread *t)
{
    return t->op.kind == SCHED_JOIN ? set_of((int)t->op.object) : holders_of(awaited_lock(t));
}

static sched_set who_can_never_go_on(sched_set blocked)
{
    sched_set stuck = SET_NONE, before;
    int id;
    FOR_EACH_THREAD(id, blocked)
        if (rt.threads[id].op.kind == SCHED_JOIN || awaited_lock(&rt.threads[id])) stuck |= set_of(id);
    do {
        before = stuck;
        FOR_EACH_THREAD(id, before)
            if (set_any(awaited_threads(&rt.threads[id]) & ~stuck)) stuck &= ~set_of(id);
    } while (!set_equal(before, stuck));
    return stuck;
}

static bool waits_for_the_dead(sched_set stuck)
{
    int id;
    FOR_EACH_THREAD(id, stuck)
        if (!set_any(awaited_threads(&rt.threads[id]))) return true;
    return false;
}

static void found_deadlock(sched_set stuck)
{
    const struct thread *first = &rt.threads[set_first(stuck)];
    rt_find(RT_DEADLOCK, first->op_pc,
            waits_for_the_dead(stuck) ? "a thread waits for a lock whose owner has ended"
                                      : "threads wait for each other's locks and the program ends");
    rt.found.here.thread = first->id;
    if (rt.recording) rt.found.here.stack = first->op_stack;
    rt.found.site = rt_where_they_wait(stuck);
    rt_finding_end();
}

/* A thread that joins another one does not wait for anything of its own. */
static bool is_notable(const struct thread *t)
{
    bool works_on_demand = t->detached && !awaited_lock(t);
    return t->op.kind != SCHED_JOIN && !works_on_demand && !rt_is_own_code((uintptr_t)t->start);
}

void rt_check_blocked(void)
{
    sched_set blocked = rt.live & ~rt.view.enabled & ~set_of(rt.self->id);
    int id;
    if (rt.self->op.kind != SCHED_END || !set_any(blocked)) return;
    FOR_EACH_THREAD(id, blocked)
        if (rt.threads[id].op.kind == SCHED_NEVER || rt_is_held_back(&rt.threads[id])) blocked &= ~set_of(id);
    sched_set stuck = who_can_never_go_on(blocked);
    if (set_any(stuck)) found_deadlock(stuck);
    FOR_EACH_THREAD(id, blocked)
        if (is_notable(&rt.threads[id])) rt_note_waiting(&rt.threads[id]);
}
