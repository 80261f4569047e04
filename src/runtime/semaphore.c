/* POSIX semaphores, unnamed. State in the program's sem_t: the count, and the count it was set up with. */
#include "runtime/internal.h"

#include <limits.h>
#include <semaphore.h>

struct state {
    uint32_t count, initial;
};
static struct state *state_of(sem_t *s) { return (struct state *)s; }
static bool can_take(const struct thread *t) { return ((const struct state *)t->op.object)->count > 0; }

static void take(sem_t *s)
{
    state_of(s)->count--;
    rt_acquire((uint64_t)s);
    rt_effect();
}

static int fail(int code)
{
    errno = code;
    return -1;
}

EXPORT int sem_init(sem_t *s, int shared, unsigned value)
{
    (void)shared;
    if (value > SEM_VALUE_MAX) return fail(EINVAL);
    rt_object_init((uint64_t)s, value, CALLER, "sem init");
    *state_of(s) = (struct state){value, value};
    return 0;
}

EXPORT int sem_destroy(sem_t *s)
{
    rt_object_init((uint64_t)s, 0, CALLER, "sem destroy");
    return 0;
}

EXPORT int sem_wait(sem_t *s)
{
    if (!rt.active) return 0;
    rt_cancellation_point(true);
    struct sched_op op = OP(SEM_WAIT, .object = (uint64_t)s, .value = state_of(s)->initial);
    bool came = rt_point_unless_broken(op, can_take, CALLER, NULL);
    rt_cancellation_point(false);
    if (!came) return fail(EINTR);
    take(s);
    return 0;
}

static int try_wait(sem_t *s, int failure, uintptr_t pc)
{
    if (!rt.active) return 0;
    rt_attempt(pc);
    rt_point_labelled(OP(SEM_TRYWAIT, .object = (uint64_t)s, .value = state_of(s)->initial), NULL, pc,
                      failure == ETIMEDOUT ? "sem-timedwait" : NULL);
    if (state_of(s)->count == 0) {
        rt_failed();
        return fail(failure);
    }
    rt.self->failures = 0;
    take(s);
    return 0;
}

EXPORT int sem_trywait(sem_t *s) { return try_wait(s, EAGAIN, CALLER); }
EXPORT int sem_timedwait(sem_t *s, const struct timespec *deadline)
{
    return (void)deadline, try_wait(s, ETIMEDOUT, CALLER);
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *deadline)
{
    (void)clock, (void)deadline;
    return try_wait(s, ETIMEDOUT, CALLER);
}

EXPORT int sem_post(sem_t *s)
{
    if (!rt.active) return 0;
    rt_point(OP(SEM_POST, .object = (uint64_t)s, .value = state_of(s)->initial), NULL, CALLER);
    if (state_of(s)->count == SEM_VALUE_MAX) return fail(EOVERFLOW);
    rt_release((uint64_t)s);
    rt_effect();
    state_of(s)->count++;
    return 0;
}

EXPORT int sem_getvalue(sem_t *s, int *value)
{
    rt_attempt(CALLER); /* a loop may wait for it to change */
    rt_point(OP(SEM_READ, .object = (uint64_t)s, .value = state_of(s)->initial), NULL, CALLER);
    *value = (int)state_of(s)->count;
    rt_try_again();
    return 0;
}
