/* POSIX semaphores. State in the program's sem_t: the count, and the count it was set up with. Named ones are names of
 * this process, and gone with the execution. */
#include "runtime/internal.h"

#include <limits.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>

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
    rt_object_init(s, RT_SEMAPHORE, value, CALLER, "sem init");
    *state_of(s) = (struct state){value, value};
    return 0;
}

static bool is_waited_for(const sem_t *s)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        const struct sched_op *op = &rt.threads[id].op;
        if (op->kind == SCHED_SEM_WAIT && op->object == (uint64_t)s) return state_of((sem_t *)s)->count == 0;
    }
    return false;
}

EXPORT int sem_destroy(sem_t *s)
{
    rt_object_destroy(s, RT_SEMAPHORE, CALLER, "sem destroy");
    if (rt.active && is_waited_for(s)) {
        rt_find(RT_MISUSE, CALLER, "destroying a semaphore for which a thread waits");
        rt_finding_end();
    }
    return 0;
}

EXPORT int sem_wait(sem_t *s)
{
    if (!rt.active) return 0;
    rt_object_enter(s, RT_SEMAPHORE, CALLER);
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
    rt_object_enter(s, RT_SEMAPHORE, pc);
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

static int timed_wait(sem_t *s, const struct timespec *deadline, uintptr_t pc)
{
    rt_call_reads(deadline, sizeof *deadline, pc);
    if (!rt_is_time(deadline)) return fail(EINVAL);
    rt_cancellation_point(true);
    int result = try_wait(s, ETIMEDOUT, pc);
    rt_cancellation_point(false);
    return result ? fail(rt_until(deadline, ETIMEDOUT)) : 0;
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *deadline) { return timed_wait(s, deadline, CALLER); }

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *deadline)
{
    (void)clock;
    return timed_wait(s, deadline, CALLER);
}

EXPORT int sem_post(sem_t *s)
{
    if (!rt.active) return 0;
    rt_object_enter(s, RT_SEMAPHORE, CALLER);
    rt_point(OP(SEM_POST, .object = (uint64_t)s, .value = state_of(s)->initial), NULL, CALLER);
    if (state_of(s)->count == SEM_VALUE_MAX) return fail(EOVERFLOW);
    rt_release((uint64_t)s);
    rt_effect();
    state_of(s)->count++;
    return 0;
}

EXPORT int sem_getvalue(sem_t *s, int *value)
{
    rt_object_enter(s, RT_SEMAPHORE, CALLER);
    rt_attempt(CALLER); /* a loop may wait for it to change */
    rt_point(OP(SEM_READ, .object = (uint64_t)s, .value = state_of(s)->initial), NULL, CALLER);
    rt_call_writes(value, sizeof *value, CALLER);
    *value = (int)state_of(s)->count;
    rt_try_again();
    return 0;
}

static struct named_semaphore *find_named(const char *name)
{
    if (rt.named_generation != rt.generation) memset(rt.named, 0, sizeof rt.named);
    rt.named_generation = rt.generation;
    for (int i = 0; i < MAX_NAMED; i++)
        if (rt.named[i].semaphore && !strcmp(rt.named[i].name, name)) return &rt.named[i];
    return NULL;
}

static sem_t *open_named(const char *name, int flags, unsigned value)
{
    struct named_semaphore *n = find_named(name);
    if (n && (flags & O_CREAT) && (flags & O_EXCL)) return errno = EEXIST, SEM_FAILED;
    if (n) return n->semaphore;
    if (!(flags & O_CREAT)) return errno = ENOENT, SEM_FAILED;
    if (strlen(name) >= sizeof n->name) return errno = ENAMETOOLONG, SEM_FAILED;
    for (n = rt.named; n < rt.named + MAX_NAMED && n->semaphore; n++) {}
    if (n == rt.named + MAX_NAMED) rt_die("the program has too many named semaphores");
    strcpy(n->name, name);
    n->semaphore = malloc(sizeof(sem_t));
    rt_forget_range((uintptr_t)n->semaphore, sizeof(sem_t)); /* the system orders those that open it */
    rt_object_name(n->semaphore, RT_SEMAPHORE);
    *state_of(n->semaphore) = (struct state){value, value};
    return n->semaphore;
}

/* Which of two threads makes a semaphore that both open is of no importance to anybody else. */
EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list ap;
    unsigned value = 0;
    va_start(ap, flags);
    if (flags & O_CREAT) (void)va_arg(ap, unsigned), value = va_arg(ap, unsigned);
    va_end(ap);
    if (!rt.active) return errno = ENOSYS, SEM_FAILED;
    rt_call_reads_text(name, CALLER);
    rt_point_labelled(OP(GLOBAL), NULL, CALLER, "sem_open");
    rt_effect();
    return open_named(name, flags, value);
}

EXPORT int sem_close(sem_t *s) { return (void)s, 0; }

EXPORT int sem_unlink(const char *name)
{
    if (!rt.active) return 0;
    rt_call_reads_text(name, CALLER);
    rt_point_labelled(OP(GLOBAL), NULL, CALLER, "sem_unlink");
    rt_effect();
    struct named_semaphore *n = find_named(name);
    if (!n) return fail(ENOENT);
    n->semaphore = NULL;
    return 0;
}
