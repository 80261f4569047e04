/* Counters with a descriptor: eventfd, and timerfd in virtual time. A timer that is set fires when somebody who waits
 * for it has let others go first: it may as well have been late. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

#define NANO 1000000000ull

static struct word *word(struct open_file *f, bool writing) { return (void)writing, &f->word; }

static ssize_t take_counter(struct open_file *f, char *to, size_t size)
{
    if (size < sizeof f->counter) return -EINVAL;
    if (!f->counter) return -EAGAIN;
    uint64_t value = f->semaphore ? 1 : f->counter;
    f->counter -= value;
    memcpy(to, &value, sizeof value);
    rt_acquire((uint64_t)&f->word);
    rt_word_changed(&f->word);
    return sizeof value;
}

static ssize_t put_counter(struct open_file *f, const char *from, size_t size)
{
    uint64_t value;
    if (size < sizeof value) return -EINVAL;
    memcpy(&value, from, sizeof value);
    if (value == UINT64_MAX) return -EINVAL;
    if (f->counter > UINT64_MAX - 1 - value) return -EAGAIN;
    f->counter += value;
    f->puts++;
    rt_release((uint64_t)&f->word);
    rt_word_changed(&f->word);
    return sizeof value;
}

static int ready_counter(const struct open_file *f)
{
    return (f->counter ? POLLIN | POLLRDNORM : 0) | (f->counter < UINT64_MAX - 1 ? POLLOUT | POLLWRNORM : 0);
}

const struct file_kind rt_counter_kind = {"eventfd", take_counter, put_counter, ready_counter, word, NULL};

EXPORT int eventfd(unsigned initial, int flags)
{
    if (!rt.active || !rt.shared) return REAL(eventfd)(initial, flags);
    rt_file_all(CALLER, "eventfd");
    struct open_file *f = rt_file_new(&rt_counter_kind, O_RDWR | (flags & EFD_NONBLOCK ? O_NONBLOCK : 0));
    f->counter = initial;
    f->semaphore = flags & EFD_SEMAPHORE;
    return rt_file_open(f, flags & EFD_CLOEXEC);
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    if (!rt_file_for(fd, CALLER, "eventfd_read")) return REAL(eventfd_read)(fd, value);
    return rt_file_read(fd, value, sizeof *value, false, CALLER) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    if (!rt_file_for(fd, CALLER, "eventfd_write")) return REAL(eventfd_write)(fd, value);
    return rt_file_write(fd, &value, sizeof value, false, CALLER) == sizeof value ? 0 : -1;
}

/* ---- timers ---- */

static ssize_t take_timer(struct open_file *f, char *to, size_t size)
{
    uint64_t times = 1;
    if (size < sizeof times) return -EINVAL;
    if (!f->expires) return -EAGAIN;
    if (!(f->status_flags & O_NONBLOCK) && rt.time < f->expires) rt.time = f->expires;
    if (rt.time < f->expires) return -EAGAIN;
    if (f->interval) times += (rt.time - f->expires) / f->interval;
    f->expires = f->interval ? f->expires + times * f->interval : 0;
    memcpy(to, &times, sizeof times);
    rt_word_changed(&f->word);
    return sizeof times;
}

static int ready_timer(const struct open_file *f) { return f->expires && rt.time >= f->expires ? POLLIN : 0; }

const struct file_kind rt_timer_kind = {"timerfd", take_timer, NULL, ready_timer, word, NULL};

EXPORT int timerfd_create(int clock, int flags)
{
    if (!rt.active || !rt.shared) return REAL(timerfd_create)(clock, flags);
    rt_file_all(CALLER, "timerfd");
    int status_flags = O_RDONLY | (flags & TFD_NONBLOCK ? O_NONBLOCK : 0);
    return rt_file_open(rt_file_new(&rt_timer_kind, status_flags), flags & TFD_CLOEXEC);
}

static uint64_t in_nanoseconds(struct timespec t) { return (uint64_t)t.tv_sec * NANO + (uint64_t)t.tv_nsec; }
static struct timespec as_timespec(uint64_t n) { return (struct timespec){(time_t)(n / NANO), (long)(n % NANO)}; }

static void tell(const struct open_file *f, struct itimerspec *out)
{
    uint64_t left = f->expires > rt.time ? f->expires - rt.time : f->expires ? 1 : 0;
    *out = (struct itimerspec){as_timespec(f->interval), as_timespec(left)};
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    struct open_file *f = rt_file_for(fd, CALLER, "timerfd_settime");
    if (!f) return REAL(timerfd_settime)(fd, flags, new, old);
    if (f->kind != &rt_timer_kind) return errno = EINVAL, -1;
    rt_call_reads(new, sizeof *new, CALLER);
    rt_file_step(&f->word, true, CALLER, "timerfd_settime");
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) tell(f, old);
    uint64_t value = in_nanoseconds(new->it_value);
    f->expires = !value ? 0 : flags & TFD_TIMER_ABSTIME ? value : rt.time + value;
    f->interval = in_nanoseconds(new->it_interval);
    if (value) rt_unexplored(RT_LATE_TIMERS);
    f->puts++;
    rt_word_changed(&f->word);
    return 0;
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct open_file *f = rt_file_for(fd, CALLER, "timerfd_gettime");
    if (!f) return REAL(timerfd_gettime)(fd, out);
    rt_file_step(&f->word, false, CALLER, "timerfd_gettime");
    rt_call_writes(out, sizeof *out, CALLER);
    return tell(f, out), 0;
}
