/* At most so many threads at a time (--threads=N). A thread that is about to create another one waits until there are
 * fewer than N. To the strategies this is a semaphore that counts free places: a wait before each creation, a post
 * before a created thread ends. The semaphore orders nothing for the race detector or for weak memory, because the
 * program knows nothing of it.
 *
 * An execution in which all other threads wait for a thread that is held back is of no interest: with more threads it
 * goes on. It ends like one in which an assumption fails, and is no deadlock. The first exploration holds no thread
 * back: the check begins again with the limit if some execution has more than N threads.
 *
 * Numbers of threads are limited, too, because a program may create threads without end that are never joined. */
#include "runtime/internal.h"

#include <sys/syscall.h>

#define ROOM (1ull << 57 | 8) /* the name of the semaphore */

static int limit(void)
{
    return rt.shared && rt.shared->config.holds_back ? rt.shared->config.most_threads : 0;
}

static bool is_room(const struct thread *unused)
{
    int id, taken = 0;
    (void)unused;
    FOR_EACH_THREAD(id, rt.live) taken += rt.threads[id].entering + rt.threads[id].has_room;
    return taken < limit();
}

static bool never(const struct thread *unused) { return (void)unused, false; }

bool rt_is_held_back(const struct thread *t)
{
    if (t->op.object != ROOM) return false;
    return t->op.kind == SCHED_NEVER || (t->op.kind == SCHED_SEM_WAIT && !is_room(t));
}

bool rt_somebody_is_held_back(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.live)
        if (rt_is_held_back(&rt.threads[id])) return rt.shared->held_back = true;
    return false;
}

void rt_room_wait(uintptr_t pc)
{
    if (!limit() || rt.self->atomic_depth) return;
    rt_point_labelled(OP(SEM_WAIT, .object = ROOM, .value = limit() - 1), is_room, pc, RT_ROOM_LABEL);
    rt_effect();
    rt.self->entering++;
}

/* The numbers of threads are used up: see struct numbering. The creator stops here for good. */
void rt_room_ends(int next, uintptr_t pc)
{
    if (!limit() || next < rt.shared->config.most_in_all) return;
    rt.shared->held_back = true;
    rt_point_labelled(OP(NEVER, .object = ROOM), never, pc, RT_ROOM_LABEL);
    __builtin_unreachable();
}

void rt_room_enter(struct thread *t)
{
    struct thread *creator = rt.self;
    t->has_room = creator->entering > 0;
    creator->entering -= t->has_room;
}

void rt_room_leave(void)
{
    if (!limit() || !rt.self->has_room) return;
    rt_point_labelled(OP(SEM_POST, .object = ROOM, .value = limit() - 1), NULL, 0, "room for another");
    rt_effect();
    rt.self->has_room = false;
}

void rt_too_crowded(void)
{
    if (rt.crew.member) rt_crew_give_up();
    rt.shared->status = RT_CROWDED;
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

void rt_room_check(void)
{
    if (!rt.shared || !rt.exploring) return;
    const struct rt_config *c = &rt.shared->config;
    if (c->most_threads && !c->holds_back && set_count(rt.live) > c->most_threads) rt_too_crowded();
}
