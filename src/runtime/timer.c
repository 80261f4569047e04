/* Timers that send signals or start threads: alarm, setitimer, timer_create. Each that is set is a thread that waits
 * for its time, which is virtual: it comes when all others wait, sleep or yield, the earliest first. Most timers are
 * watchdogs, which are not to bark because a schedule is slow; that one may come earlier is left out, and said. */
#include "runtime/internal.h"

#include <sys/time.h>

#define NANO 1000000000ull
enum { THE_ALARM = 0 }; /* alarm() and setitimer(ITIMER_REAL) are one */

static struct timer *timer_at(size_t i)
{
    if (rt.timers.generation != rt.generation) {
        memset(rt.timers.at, 0, sizeof rt.timers.at);
        rt.timers.generation = rt.generation;
        rt.timers.waiting = SET_NONE;
        rt.timers.at[THE_ALARM] = (struct timer){.used = true, .signal = SIGALRM};
    }
    return i < MAX_TIMERS ? &rt.timers.at[i] : NULL;
}

static bool never(const struct thread *t) { return (void)t, false; }

/* Nobody writes to this place: rt_let_time_pass() puts another operation there. */
static void wait_for_time(uintptr_t pc)
{
    uint64_t place = 1ull << 59 | (uint64_t)(rt.self->id + 1) << 4;
    rt.timers.waiting |= set_of(rt.self->id);
    rt_point_labelled(OP(READ, .object = place, .count = 4, .flags = SCHED_SPIN), never, pc, "timer");
}

static void ring(struct timer *t)
{
    struct sent_signal x = {.number = t->signal, .code = SI_TIMER, .value = t->value};
    if (t == timer_at(THE_ALARM)) x.code = SI_KERNEL;
    if (t->function) t->function(t->value);
    else if (t->signal) rt_send_to_program(&x, 0);
}

static void *timer_main(void *argument)
{
    struct timer *t = argument;
    uint32_t set = t->set;
    rt.self->mask = ~0ull;
    do {
        rt.self->wakes_at = t->expires;
        wait_for_time(t->pc);
        if (t->set != set) return NULL; /* it was set anew, or not to ring any more */
        t->expires += t->interval;
        ring(t);
    } while (t->set == set && t->interval);
    return NULL;
}

/* Others wait for time, or for something that never comes. */
static bool time_may_pass(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.view.enabled) {
        const struct thread *t = &rt.threads[id];
        bool times_out = t->op.kind == SCHED_COND_RESUME && (t->op.flags & SCHED_TIMED) && !t->woken;
        if (t->op.kind != SCHED_YIELD && !times_out) return false;
    }
    return true;
}

bool rt_let_time_pass(void)
{
    bool any = rt.timers.generation == rt.generation && set_any(rt.timers.waiting & rt.live);
    if (!any || !time_may_pass()) return false;
    struct thread *first = NULL;
    int id;
    FOR_EACH_THREAD(id, rt.timers.waiting & rt.live)
        if (!first || rt.threads[id].wakes_at < first->wakes_at) first = &rt.threads[id];
    rt_need_plain_strategy();
    rt.timers.waiting &= ~set_of(first->id);
    first->op = OP(LOCAL);
    first->enabled = NULL;
    rt.conditional &= ~set_of(first->id);
    rt.view.next[first->id] = first->op;
    return true;
}

static uint64_t nanoseconds(const struct timespec *t) { return (uint64_t)t->tv_sec * NANO + (uint64_t)t->tv_nsec; }
static uint64_t left_of(const struct timer *t) { return t->armed && t->expires > rt.time ? t->expires - rt.time : 0; }

static void arm(struct timer *t, uint64_t first, uint64_t interval, uintptr_t pc, const char *name)
{
    struct thread_start start = {timer_main, t, true, pc};
    pthread_t thread;
    t->set++;
    t->armed = first != 0;
    if (!first || (!t->signal && !t->function)) return;
    rt_note(name, "its time comes only when all others wait", pc);
    t->expires = rt.time + first;
    t->interval = interval;
    t->pc = pc;
    rt_create(&thread, &start);
    memcpy(rt_thread_of(thread)->name, "timer", sizeof "timer");
}

static bool controls(void) { return rt.active && rt.shared; }

EXPORT unsigned alarm(unsigned seconds)
{
    if (!controls()) return 0;
    struct timer *t = timer_at(THE_ALARM);
    unsigned left = (unsigned)((left_of(t) + NANO - 1) / NANO);
    arm(t, seconds * NANO, 0, CALLER, "alarm");
    return left;
}

unsigned call_ualarm(unsigned first, unsigned interval) __asm__("ualarm");
EXPORT unsigned call_ualarm(unsigned first, unsigned interval)
{
    if (!controls()) return 0;
    arm(timer_at(THE_ALARM), first * 1000ull, interval * 1000ull, CALLER, "ualarm");
    return 0;
}

int call_setitimer(int which, const struct itimerval *new, struct itimerval *old) __asm__("setitimer");
EXPORT int call_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
    rt_call_reads(new, sizeof *new, CALLER);
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) *old = (struct itimerval){0};
    if (!controls() || !new) return 0;
    uint64_t first = (uint64_t)new->it_value.tv_sec * NANO + (uint64_t)new->it_value.tv_usec * 1000;
    uint64_t interval = (uint64_t)new->it_interval.tv_sec * NANO + (uint64_t)new->it_interval.tv_usec * 1000;
    if (which == ITIMER_REAL) arm(timer_at(THE_ALARM), first, interval, CALLER, "setitimer");
    else if (first) rt_note("setitimer", "its time never comes, and no signal", CALLER);
    return 0;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict out)
{
    (void)clock;
    size_t i = THE_ALARM + 1;
    if (!controls()) return errno = EAGAIN, -1;
    while (i < MAX_TIMERS && timer_at(i)->used) i++;
    if (i == MAX_TIMERS) return errno = EAGAIN, -1;
    struct timer t = {.used = true, .signal = SIGALRM};
    rt_call_reads(event, sizeof *event, CALLER);
    if (event) t.value = event->sigev_value;
    if (event && event->sigev_notify != SIGEV_SIGNAL) t.signal = 0;
    else if (event) t.signal = event->sigev_signo;
    if (event && event->sigev_notify == SIGEV_THREAD) t.function = event->sigev_notify_function;
    *timer_at(i) = t;
    rt_call_writes(out, sizeof *out, CALLER);
    *out = (timer_t)i;
    return 0;
}

static struct timer *timer_of(timer_t timer)
{
    struct timer *t = controls() ? timer_at((size_t)timer) : NULL;
    return t && t->used && t != timer_at(THE_ALARM) ? t : NULL;
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *out)
{
    const struct timer *t = timer_of(timer);
    if (!t) return errno = EINVAL, -1;
    uint64_t left = left_of(t);
    rt_call_writes(out, sizeof *out, CALLER);
    *out = (struct itimerspec){{(time_t)(t->interval / NANO), (long)(t->interval % NANO)},
                               {(time_t)(left / NANO), (long)(left % NANO)}};
    return 0;
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict new,
                         struct itimerspec *restrict old)
{
    struct timer *t = timer_of(timer);
    if (!t) return errno = EINVAL, -1;
    rt_call_reads(new, sizeof *new, CALLER);
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) timer_gettime(timer, old);
    uint64_t first = nanoseconds(&new->it_value);
    if (first && (flags & TIMER_ABSTIME)) first = first > rt.time ? first - rt.time : 1;
    arm(t, first, nanoseconds(&new->it_interval), CALLER, "timer_settime");
    return 0;
}

EXPORT int timer_getoverrun(timer_t timer) { return (void)timer, 0; }

EXPORT int timer_delete(timer_t timer)
{
    struct timer *t = timer_of(timer);
    if (!t) return errno = EINVAL, -1;
    t->set++;
    t->used = t->armed = false;
    return 0;
}
