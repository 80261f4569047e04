/* Virtual time: a sleep is a yield and costs nothing; clocks advance by sleeping, by time-outs, and a little by being
 * read (more and more, while a thread does nothing but read the clock: it waits for time to pass). */
#include "runtime/internal.h"

#include <sched.h>
#include <sys/auxv.h>
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
    if (rt.active) rt.self->quiet_count = 0; /* the next round of a loop may find that its time is up */
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
    if (rt.active) rt.self->never_restarts = true;
    bool whole = rt_point_unless_broken(OP(YIELD), NULL, pc, "sleep");
    if (rt.active) rt.self->never_restarts = false;
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

/* The kernel writes what remains only if the sleep was broken off. */
static void tell_remaining(struct timespec *remaining, const struct timespec *time, uintptr_t pc)
{
    if (!remaining) return;
    rt_call_writes(remaining, sizeof *remaining, pc);
    *remaining = *time;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *remaining)
{
    rt_call_reads(time, sizeof *time, CALLER);
    if (!rt_is_time(time)) return errno = EINVAL, -1;
    bool whole = sleep_for(in_nanoseconds(time), CALLER);
    if (!whole) tell_remaining(remaining, time, CALLER);
    return whole ? 0 : (errno = EINTR, -1);
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *remaining)
{
    rt_call_reads(time, sizeof *time, CALLER);
    if (clock == CLOCK_THREAD_CPUTIME_ID || !rt_is_time(time)) return EINVAL;
    rt_set_alarm(time, flags & TIMER_ABSTIME);
    bool whole = sleep_here(CALLER);
    if (!whole && !(flags & TIMER_ABSTIME)) tell_remaining(remaining, time, CALLER);
    return whole ? 0 : EINTR;
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *remaining)
{
    rt_call_reads(time, sizeof *time, CALLER);
    bool whole = sleep_for(in_nanoseconds(time), CALLER);
    if (!whole) tell_remaining(remaining, time, CALLER);
    return whole ? 0 : -1;
}

static void tell_time(struct timespec *out, uintptr_t pc)
{
    rt_call_writes(out, sizeof *out, pc);
    uint64_t now = read_clock();
    *out = (struct timespec){(time_t)(now / NANO), (long)(now % NANO)};
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out) { return (void)clock, tell_time(out, CALLER), 0; }

EXPORT int timespec_get(struct timespec *out, int base)
{
    if (base != TIME_UTC) return 0;
    tell_time(out, CALLER);
    return base;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    (void)zone;
    rt_call_writes(out, sizeof *out, CALLER);
    uint64_t now = read_clock();
    *out = (struct timeval){(time_t)(now / NANO), (suseconds_t)(now % NANO / 1000)};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    rt_call_writes(out, sizeof *out, CALLER);
    time_t now = (time_t)(read_clock() / NANO);
    if (out) *out = now;
    return now;
}

EXPORT clock_t clock(void) { return (clock_t)(read_clock() / 1000 % (1ull << 40)); }

EXPORT clock_t times(struct tms *out)
{
    rt_call_writes(out, sizeof *out, CALLER);
    clock_t ticks = (clock_t)(read_clock() / (NANO / 100));
    if (out) *out = (struct tms){.tms_utime = ticks};
    return ticks;
}

/* Random numbers from outside are the same in every execution. rand() and random() already are: their state is memory.
 */
static uint64_t system_random(void)
{
    rt_unexplored(RT_ONE_RANDOM);
    return rt_random();
}

/* What the kernel gave the process at its start. */
unsigned long rt_getauxval(unsigned long type) __asm__("getauxval");
EXPORT unsigned long rt_getauxval(unsigned long type)
{
    static const unsigned char bytes[16] = "heddle's numbers";
    if (type != AT_RANDOM || !rt.active || !rt.shared) return REAL(getauxval)(type);
    rt_unexplored(RT_ONE_RANDOM);
    return (unsigned long)bytes;
}

/* There is one processor. */
static void note_processor(uintptr_t pc)
{
    if (rt.active && rt_is_program_code(pc)) rt_unexplored(RT_ONE_PROCESSOR);
}

EXPORT int sched_getcpu(void) { return note_processor(CALLER), 0; }

EXPORT int getcpu(unsigned *processor, unsigned *node)
{
    note_processor(CALLER);
    rt_call_writes(processor, sizeof *processor, CALLER);
    rt_call_writes(node, sizeof *node, CALLER);
    if (processor) *processor = 0;
    if (node) *node = 0;
    return 0;
}

static void fill(void *buffer, size_t size, uintptr_t pc)
{
    rt_call_writes(buffer, size, pc);
    unsigned char *p = buffer;
    for (size_t i = 0; i < size; i++) p[i] = (unsigned char)(system_random() >> 56);
}

EXPORT ssize_t getrandom(void *buffer, size_t size, unsigned flags)
{
    return (void)flags, fill(buffer, size, CALLER), (ssize_t)size;
}
EXPORT int getentropy(void *buffer, size_t size) { return fill(buffer, size, CALLER), 0; }
uint32_t arc4random(void);
void arc4random_buf(void *buffer, size_t size);
uint32_t arc4random_uniform(uint32_t bound);
EXPORT uint32_t arc4random(void) { return (uint32_t)(system_random() >> 32); }
EXPORT void arc4random_buf(void *buffer, size_t size) { fill(buffer, size, CALLER); }
EXPORT uint32_t arc4random_uniform(uint32_t bound) { return bound ? (uint32_t)(system_random() >> 32) % bound : 0; }
unsigned std_random_device_getval(void *device) __asm__("_ZNSt13random_device9_M_getvalEv");
EXPORT unsigned std_random_device_getval(void *device) { return (void)device, (unsigned)(system_random() >> 32); }
