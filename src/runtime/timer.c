/* Timers that send signals or start threads: time is virtual, and theirs never comes. Most are watchdogs, which are not
 * to bark because a schedule is slow; whoever waits for one is told that it is outside control. */
#include "runtime/internal.h"

#include <sys/time.h>

static void note(const char *name, uintptr_t pc) { rt_note(name, "its time never comes, and no signal", pc); }

EXPORT unsigned alarm(unsigned seconds)
{
    if (seconds) note("alarm", CALLER);
    return 0;
}

unsigned call_ualarm(unsigned first, unsigned interval) __asm__("ualarm");
EXPORT unsigned call_ualarm(unsigned first, unsigned interval)
{
    (void)interval;
    if (first) note("ualarm", CALLER);
    return 0;
}

int call_setitimer(int which, const struct itimerval *new, struct itimerval *old) __asm__("setitimer");
EXPORT int call_setitimer(int which, const struct itimerval *new, struct itimerval *old)
{
    (void)which;
    if (new && (new->it_value.tv_sec || new->it_value.tv_usec)) note("setitimer", CALLER);
    if (old) *old = (struct itimerval){0};
    return 0;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict out)
{
    (void)clock, (void)event;
    note("timer_create", CALLER);
    *out = (timer_t)1;
    return 0;
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict new,
                         struct itimerspec *restrict old)
{
    (void)timer, (void)flags, (void)new;
    if (old) *old = (struct itimerspec){0};
    return 0;
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *out)
{
    (void)timer;
    *out = (struct itimerspec){0};
    return 0;
}

EXPORT int timer_getoverrun(timer_t timer) { return (void)timer, 0; }
EXPORT int timer_delete(timer_t timer) { return (void)timer, 0; }
