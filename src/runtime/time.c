/* Virtual time: a sleep is a yield and costs nothing; clocks advance by sleeping, by time-outs, and a little by being
 * read (more and more, while a thread does nothing but read the clock: it waits for time to pass). */
#include "runtime/internal.h"

#include <sys/random.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <unistd.h>

#define NANO 1000000000ull

static uint64_t in_nanoseconds(const struct timespec *t) { return (uint64_t)t->tv_sec * NANO + (uint64_t)t->tv_nsec; }

static uint64_t read_clock(void)
{
    uint32_t doublings = 0;
    rt.cycle.read_clock = true;
    rt_depends_on_turns();
    if (rt.active && rt.self->clock_reads < 64) doublings = ++rt.self->clock_reads;
    rt.time += 1000ull << (doublings > 3 ? (doublings < 27 ? doublings - 3 : 24) : 0);
    return rt.time;
}

bool rt_is_time(const struct timespec *t) { return t->tv_nsec >= 0 && t->tv_nsec < (long)NANO; }

/* Whoever timed out finds the clock at the deadline. That it is none is seen only by who has to wait. */
int rt_until(const struct timespec *deadline, int status)
{
    if (status == ETIMEDOUT && !rt_is_time(deadline)) return EINVAL;
    if (status == ETIMEDOUT && rt.time < in_nanoseconds(deadline)) rt.time = in_nanoseconds(deadline);
    return status;
}

/* When it ends is not kept on the stack, which would look different each time (cycle.c). */
static bool sleep_here(uintptr_t pc)
{
    rt_cancellation_point(true);
    bool whole = rt_point_unless_broken(OP(YIELD), NULL, pc, "sleep");
    rt_cancellation_point(false);
    if (whole && rt.active && rt.time < rt.self->wakes_at) rt.time = rt.self->wakes_at;
    return whole;
}

static __attribute__((noinline)) void set_alarm(uint64_t from, uint64_t duration)
{
    if (rt.active) rt.self->wakes_at = from + duration;
}

void rt_set_alarm(const struct timespec *time, bool absolute)
{
    set_alarm(absolute ? 0 : rt.time, in_nanoseconds(time));
}

static bool sleep_for(uint64_t duration, uintptr_t pc)
{
    set_alarm(rt.time, duration);
    return sleep_here(pc);
}

EXPORT unsigned sleep(unsigned seconds) { return sleep_for(seconds * NANO, CALLER) ? 0 : seconds; }
EXPORT int usleep(useconds_t microseconds)
{
    return sleep_for(microseconds * 1000ull, CALLER) ? 0 : (errno = EINTR, -1);
}
EXPORT int sched_yield(void) { return (void)rt_point(OP(YIELD), NULL, CALLER), 0; }

/* std::lock() between two attempts (include/heddle/mutex). That two of them could get in each other's way for ever is
 * accepted by all who use it. */
EXPORT int heddle_back_off(void);
EXPORT int heddle_back_off(void)
{
    if (!rt.active) return sched_yield();
    rt_cycle_give_way();
    rt_point(OP(YIELD), NULL, CALLER);
    return 0;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *remaining)
{
    if (!rt_is_time(time)) return errno = EINVAL, -1;
    bool whole = sleep_for(in_nanoseconds(time), CALLER);
    if (remaining) *remaining = whole ? (struct timespec){0} : *time;
    return whole ? 0 : (errno = EINTR, -1);
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *remaining)
{
    (void)clock;
    if (!rt_is_time(time)) return EINVAL;
    rt_set_alarm(time, flags & TIMER_ABSTIME);
    bool whole = sleep_here(CALLER);
    if (remaining) *remaining = whole ? (struct timespec){0} : *time;
    return whole ? 0 : EINTR;
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *remaining)
{
    bool whole = sleep_for(in_nanoseconds(time), CALLER);
    if (remaining) *remaining = whole ? (struct timespec){0} : *time;
    return whole ? 0 : -1;
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    uint64_t now = read_clock();
    *out = (struct timespec){(time_t)(now / NANO), (long)(now % NANO)};
    return 0;
}

EXPORT int timespec_get(struct timespec *out, int base)
{
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, out);
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    uint64_t now = read_clock();
    *out = (struct timeval){(time_t)(now / NANO), (suseconds_t)(now % NANO / 1000)};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    time_t now = (time_t)(read_clock() / NANO);
    if (out) *out = now;
    return now;
}

EXPORT clock_t clock(void) { return (clock_t)(read_clock() / 1000 % (1ull << 40)); }

EXPORT clock_t times(struct tms *out)
{
    clock_t ticks = (clock_t)(read_clock() / (NANO / 100));
    if (out) *out = (struct tms){.tms_utime = ticks};
    return ticks;
}

/* Random numbers from outside are the same in every execution. rand() and random() already are: their state is memory.
 */
static void fill(void *buffer, size_t size)
{
    unsigned char *p = buffer;
    for (size_t i = 0; i < size; i++) p[i] = (unsigned char)(rt_random() >> 56);
}

EXPORT ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    return (void)flags, fill(buffer, size), (ssize_t)size;
}
EXPORT int getentropy(void *buffer, size_t size) { return fill(buffer, size), 0; }
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t size);
uint32_t arc4random_uniform(uint32_t bound);
EXPORT uint32_t arc4random(void) { return (uint32_t)(rt_random() >> 32); }
EXPORT void arc4random_buf(void *buffer, size_t size) { fill(buffer, size); }
EXPORT uint32_t arc4random_uniform(uint32_t bound) { return bound ? (uint32_t)(rt_random() >> 32) % bound : 0; }
unsigned std_random_device_getval(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
EXPORT unsigned std_random_device_getval(void *device) { return (void)device, (unsigned)(rt_random() >> 32); }
