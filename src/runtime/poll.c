/* Waiting for several descriptors: poll, select, epoll. One that is polled alone is waited for by its own channel or
 * word; several are watched, so that whoever changes one of them changes the common word `activity`, which a look at
 * all of them reads. A time-out comes when others were let go first. */
#include "runtime/descriptor_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define NO_LIMIT (-1l)

/* What is looked at, and in what way. */
struct look {
    int (*count)(struct look *l); /* how many are ready, with the answer written down */
    struct pollfd *fds;
    unsigned long fd_count;
    struct open_file *epoll;
    struct epoll_event *events;
    int most;
};

static void advance_to(uint64_t when) { if (rt.time < when) rt.time = when; }

/* The earliest timer that could fire, 0: none. */
static uint64_t earliest(uint64_t so_far, const struct open_file *f)
{
    if (!f || f->kind != &rt_timer_kind || !f->expires) return so_far;
    return !so_far || f->expires < so_far ? f->expires : so_far;
}

static uint64_t next_timer(const struct look *l)
{
    uint64_t when = 0;
    for (unsigned long i = 0; i < l->fd_count; i++) when = earliest(when, rt_file(l->fds[i].fd));
    for (uint32_t i = 0; l->epoll && i < l->epoll->watch_count; i++) when = earliest(when, l->epoll->watches[i].file);
    return when;
}

/* What all of it is known by: a channel that is looked at for bytes, or (room) for room, or a word. */
struct target { struct channel *channel; bool room; struct word *word; };

static bool look_at(struct target t, bool waits, uintptr_t pc, const char *label)
{
    if (t.channel) return rt_channel_step(t.channel, SCHED_PEEK, t.room ? t.channel->least_room : 0, waits, pc, label);
    rt_file_step(t.word, false, pc, label);
    return true;
}

static bool wait_for(struct target t, uintptr_t pc, const char *label)
{
    if (t.channel) return look_at(t, true, pc, label);
    return rt_file_wait(t.word, t.word->version, t.word->by_all, pc, label);
}

static int look_until_ready(struct look *l, struct target w, long limit, uintptr_t pc, const char *label)
{
    if (limit >= 0) rt_attempt(pc);
    if (!look_at(w, limit < 0, pc, label)) return errno = EINTR, -1;
    for (;;) {
        int n = l->count(l);
        if (n) return rt.self->failures = 0, n;
        if (limit == 0) return rt_try_again(), 0;
        uint64_t timer = next_timer(l), deadline = limit > 0 ? rt.time + (uint64_t)limit : 0;
        if (timer && (!deadline || timer < deadline)) deadline = timer;
        if (!deadline) {
            if (!wait_for(w, pc, label)) return errno = EINTR, -1;
            continue;
        }
        if (!rt_point_unless_broken(OP(YIELD), NULL, pc, "time-out")) return errno = EINTR, -1;
        look_at(w, false, pc, label);
        n = l->count(l);
        if (n) return n;
        advance_to(deadline);
        n = l->count(l);
        if (n || limit > 0) return n ? n : (rt_try_again(), 0);
    }
}

/* Until something is ready, time is up (limit in nanoseconds), or a handler has run: -1. */
static int wait_until_ready(struct look *l, struct target w, long limit, uintptr_t pc, const char *label)
{
    rt.self->never_restarts = true;
    int n = look_until_ready(l, w, limit, pc, label);
    rt.self->never_restarts = false;
    return n;
}

/* A watched one for this direction and another for that. */
static void watch_file(struct open_file *f)
{
    rt_word_watch(f->kind->word(f, false));
    rt_word_watch(f->kind->word(f, true));
    rt_word_watch(&f->word);
}

/* ---- poll and select ---- */

static int ready_now(const struct pollfd *p)
{
    const struct open_file *f = rt_file(p->fd);
    struct stat st;
    if (p->fd < 0) return 0;
    if (f) return f->kind->ready(f) & (p->events | POLLHUP | POLLERR);
    if (rt_syscall(SYS_fstat, p->fd, (long)&st, 0, 0, 0, 0)) return POLLNVAL;
    return p->events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM);
}

static int count_polled(struct look *l)
{
    int n = 0;
    for (unsigned long i = 0; i < l->fd_count; i++) n += (l->fds[i].revents = (short)ready_now(&l->fds[i])) != 0;
    return n;
}

/* Where one descriptor alone can be waited for. */
static bool has_own_target(const struct pollfd *p, struct target *t)
{
    struct open_file *f = rt_file(p->fd);
    short in = POLLIN | POLLRDNORM, out = POLLOUT | POLLWRNORM;
    struct word *reading = f->kind->word(f, false), *writing = f->kind->word(f, true);
    if (f->in && f->peer_error) return false; /* there is nothing to wait for */
    if (f->in && (p->events & in) && !(p->events & ~in)) return *t = (struct target){.channel = f->in}, true;
    if (f->out && (p->events & out) && !(p->events & ~out)) return *t = (struct target){f->out, .room = true}, true;
    if (f->in || f->out || reading != writing) return false;
    return *t = (struct target){.word = reading}, true;
}

/* What to wait for. What was not watched before is from now on. */
static struct target target_of_all(struct pollfd *fds, unsigned long count, uintptr_t pc)
{
    struct target t = {.word = &rt_descriptors()->activity};
    unsigned long used = 0, last = 0;
    bool news = false;
    for (unsigned long i = 0; i < count; i++) {
        struct open_file *f = rt_file(fds[i].fd);
        used += fds[i].fd >= 0;
        if (!f) continue;
        last = i;
        news |= !f->kind->word(f, false)->watched || !f->kind->word(f, true)->watched || !f->word.watched;
    }
    if (used == 1 && has_own_target(&fds[last], &t)) return t;
    if (news) {
        rt_file_all(pc, "poll begins");
        for (unsigned long i = 0; i < count; i++)
            if (rt_file(fds[i].fd)) watch_file(rt_file(fds[i].fd));
    }
    return t;
}

static bool some_are_ours(const struct pollfd *fds, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        if (rt_file(fds[i].fd)) return true;
    return false;
}

static void announce_polled(struct pollfd *fds, unsigned long count, bool write, uintptr_t pc)
{
    for (unsigned long i = 0; i < count; i++) {
        if (write) rt_call_writes(&fds[i].revents, sizeof fds[i].revents, pc);
        else rt_call_reads(&fds[i], offsetof(struct pollfd, revents), pc);
    }
}

static int poll_here(struct pollfd *fds, unsigned long count, long limit, uintptr_t pc)
{
    struct look l = {.count = count_polled, .fds = fds, .fd_count = count};
    rt_cancellation_point(true);
    int n = wait_until_ready(&l, target_of_all(fds, count, pc), limit, pc, "poll");
    rt_cancellation_point(false);
    return n;
}

static bool controls(void) { return rt.active && rt.shared; }

/* Nothing at all to wait for: a way to sleep. */
static bool only_sleeps(const struct pollfd *fds, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++)
        if (fds[i].fd >= 0) return false;
    return true;
}

static long in_nanoseconds(const struct timespec *t) { return t ? t->tv_sec * 1000000000l + t->tv_nsec : NO_LIMIT; }

/* The answer is known before it is announced: the step that waited gave it. */
static int poll_called(struct pollfd *fds, unsigned long count, long limit, uintptr_t pc)
{
    int n = poll_here(fds, count, limit, pc);
    if (n >= 0) announce_polled(fds, count, true, pc);
    return n;
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int timeout)
{
    announce_polled(fds, count, false, CALLER);
    if (controls() && (some_are_ours(fds, count) || (only_sleeps(fds, count) && timeout >= 0)))
        return poll_called(fds, count, timeout < 0 ? NO_LIMIT : timeout * 1000000l, CALLER);
    rt_note("poll", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(poll)(fds, count, timeout);
}

/* With another mask of signals meanwhile. */
static uint64_t exchange_mask(const sigset_t *set, uintptr_t pc)
{
    sigset_t old;
    uint64_t kept = rt.self->mask;
    rt_call_reads(set, sizeof(uint64_t), pc); /* the kernel's part of it */
    if (set) pthread_sigmask(SIG_SETMASK, set, &old);
    return kept;
}

static int restore_mask(uint64_t mask, int result)
{
    int kept = errno;
    rt.self->mask = mask;
    rt_check_signals();
    errno = kept;
    return result;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *timeout, const sigset_t *set)
{
    announce_polled(fds, count, false, CALLER);
    rt_call_reads(timeout, sizeof *timeout, CALLER);
    if (controls() && some_are_ours(fds, count)) {
        uint64_t mask = exchange_mask(set, CALLER);
        return restore_mask(mask, poll_called(fds, count, in_nanoseconds(timeout), CALLER));
    }
    rt_note("ppoll", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(ppoll)(fds, count, timeout, set);
}

/* The kernel copies whole words of the sets. */
static void announce_sets(int n, fd_set *const sets[3], bool write, uintptr_t pc)
{
    size_t size = ((size_t)(n < 0 ? 0 : n) + 63) / 64 * 8;
    for (int i = 0; i < 3; i++) {
        if (write) rt_call_writes(sets[i], size, pc);
        else rt_call_reads(sets[i], size, pc);
    }
}

static int select_here(int n, fd_set *in, fd_set *out, fd_set *other, long limit, uintptr_t pc)
{
    struct pollfd fds[FD_SETSIZE];
    unsigned long count = 0;
    announce_sets(n, (fd_set *[]){in, out, other}, false, pc);
    for (int fd = 0; fd < n && fd < FD_SETSIZE; fd++) {
        int events = (in && FD_ISSET(fd, in) ? POLLIN : 0) | (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
                     (other && FD_ISSET(fd, other) ? POLLPRI : 0);
        if (events) fds[count++] = (struct pollfd){.fd = fd, .events = (short)events};
    }
    if (!some_are_ours(fds, count) && !(count == 0 && limit >= 0)) return -2;
    int result = poll_here(fds, count, limit, pc), bits = 0;
    if (result < 0) return result;
    announce_sets(n, (fd_set *[]){in, out, other}, true, pc);
    if (in) FD_ZERO(in);
    if (out) FD_ZERO(out);
    if (other) FD_ZERO(other);
    for (unsigned long i = 0; i < count; i++) {
        int fd = fds[i].fd;
        if (in && (fds[i].events & POLLIN) && (fds[i].revents & (POLLIN | POLLHUP | POLLERR))) FD_SET(fd, in), bits++;
        if (out && (fds[i].events & POLLOUT) && (fds[i].revents & (POLLOUT | POLLERR))) FD_SET(fd, out), bits++;
    }
    return bits;
}

EXPORT int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
    rt_call_reads(timeout, sizeof *timeout, CALLER);
    long limit = timeout ? timeout->tv_sec * 1000000000l + timeout->tv_usec * 1000l : NO_LIMIT;
    int result = controls() ? select_here(n, in, out, other, limit, CALLER) : -2;
    if (result != -2) return result;
    rt_note("select", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(select)(n, in, out, other, timeout);
}

EXPORT int pselect(int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout, const sigset_t *set)
{
    rt_call_reads(timeout, sizeof *timeout, CALLER);
    if (controls()) {
        uint64_t mask = exchange_mask(set, CALLER);
        int result = restore_mask(mask, select_here(n, in, out, other, in_nanoseconds(timeout), CALLER));
        if (result != -2) return result;
    }
    rt_note("pselect", "may block the whole program; what comes in does not repeat", CALLER);
    return REAL(pselect)(n, in, out, other, timeout, set);
}

/* ---- epoll ---- */

static uint32_t puts_to(const struct open_file *f)
{
    return f->puts + f->word.by_all + (f->in ? f->in->puts + f->in->word.by_all : 0);
}
static uint32_t takes_from(const struct open_file *f) { return f->out ? f->out->takes + f->out->word.by_all : 0; }

/* What to tell of one that is watched. Edges: only if something came since it was told before. */
static uint32_t news_of(const struct watch *w)
{
    uint32_t ready = (uint32_t)w->file->kind->ready(w->file) & (w->events | EPOLLHUP | EPOLLERR);
    if (w->off || !w->file->references) return 0;
    if ((w->events & EPOLLET) && w->puts == puts_to(w->file) && w->takes == takes_from(w->file)) return 0;
    return ready;
}

static void told(struct watch *w)
{
    w->puts = puts_to(w->file);
    w->takes = takes_from(w->file);
    if (w->events & EPOLLONESHOT) w->off = true;
}

static int count_watched(struct look *l)
{
    int n = 0;
    for (uint32_t i = 0; i < l->epoll->watch_count && n < l->most; i++) {
        struct watch *w = &l->epoll->watches[i];
        uint32_t events = w->file ? news_of(w) : 0;
        if (!events) continue;
        l->events[n].events = events;
        l->events[n++].data.u64 = w->data;
        told(w);
    }
    return n;
}

static int ready_epoll(const struct open_file *f)
{
    for (uint32_t i = 0; i < f->watch_count; i++)
        if (f->watches[i].file && news_of(&f->watches[i])) return POLLIN;
    return 0;
}

static struct word *word_of_epoll(struct open_file *f, bool writing)
{
    return (void)f, (void)writing, &rt_descriptors()->activity;
}

const struct file_kind rt_epoll_kind = {"epoll", NULL, NULL, ready_epoll, word_of_epoll, NULL};

static int make_epoll(bool close_on_exec, uintptr_t pc)
{
    rt_file_all(pc, "epoll_create");
    struct open_file *f = rt_file_new(&rt_epoll_kind, O_RDWR);
    f->watches = rt_file_memory(sizeof *f->watches * MAX_WATCHES);
    return rt_file_open(f, close_on_exec);
}

EXPORT int epoll_create1(int flags)
{
    if (controls()) return make_epoll(flags & EPOLL_CLOEXEC, CALLER);
    return REAL(epoll_create1)(flags);
}

EXPORT int epoll_create(int size)
{
    if (controls()) return make_epoll(false, CALLER);
    return REAL(epoll_create)(size);
}

static struct watch *find_watch(struct open_file *ep, const struct open_file *f, int fd)
{
    for (uint32_t i = 0; i < ep->watch_count; i++)
        if (ep->watches[i].file == f && (!f || ep->watches[i].fd == fd)) return &ep->watches[i];
    return NULL;
}

static int change_watch(struct open_file *ep, int what, int fd, const struct epoll_event *event, uintptr_t pc)
{
    struct open_file *f = rt_file(fd);
    if (!f) {
        if (rt_syscall(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0) < 0) return EBADF;
        rt_note("epoll_ctl", "what comes from this descriptor is not seen: it is not under control", pc);
        return 0;
    }
    rt_file_all(pc, "epoll_ctl");
    struct watch *w = find_watch(ep, f, fd);
    if (what == EPOLL_CTL_ADD ? w != NULL : !w) return what == EPOLL_CTL_ADD ? EEXIST : ENOENT;
    if (what == EPOLL_CTL_DEL) return *w = (struct watch){0}, 0;
    if (!w) w = find_watch(ep, NULL, -1);
    if (!w && ep->watch_count == MAX_WATCHES) rt_die("the program watches too many descriptors");
    if (!w) w = &ep->watches[ep->watch_count++];
    *w = (struct watch){.file = f, .fd = fd, .events = event->events, .data = event->data.u64, .puts = puts_to(f) - 1};
    watch_file(f);
    rt_word_changed_by_all(&rt_descriptors()->activity);
    return 0;
}

EXPORT int epoll_ctl(int ep, int what, int fd, struct epoll_event *event)
{
    struct open_file *f = rt_file(ep);
    if (!f) return REAL(epoll_ctl)(ep, what, fd, event);
    if (what != EPOLL_CTL_DEL) rt_call_reads(event, sizeof *event, CALLER);
    int error = f->kind == &rt_epoll_kind ? change_watch(f, what, fd, event, CALLER) : EINVAL;
    return error ? errno = error, -1 : 0;
}

/* Whoever waits takes something away from others who wait. */
static bool hands_out(const struct open_file *ep)
{
    for (uint32_t i = 0; i < (uint32_t)ep->watch_count; i++)
        if (ep->watches[i].file && ep->watches[i].events & (EPOLLET | EPOLLONESHOT)) return true;
    return false;
}

static int wait_for_events(int ep, struct epoll_event *events, int most, long limit, uintptr_t pc)
{
    struct look l = {.count = count_watched, .epoll = rt_file(ep), .events = events, .most = most};
    if (l.epoll->kind != &rt_epoll_kind || most <= 0) return errno = EINVAL, -1;
    rt_touch(events, sizeof *events * (size_t)most);
    if (hands_out(l.epoll)) rt_need_plain_strategy();
    rt_cancellation_point(true);
    int n = wait_until_ready(&l, (struct target){.word = &rt_descriptors()->activity}, limit, pc, "epoll_wait");
    rt_cancellation_point(false);
    if (n > 0) rt_call_writes(events, sizeof *events * (size_t)n, pc);
    return n;
}

EXPORT int epoll_wait(int ep, struct epoll_event *events, int most, int timeout)
{
    long limit = timeout < 0 ? NO_LIMIT : timeout * 1000000l;
    if (rt_file(ep)) return wait_for_events(ep, events, most, limit, CALLER);
    return REAL(epoll_wait)(ep, events, most, timeout);
}

EXPORT int epoll_pwait(int ep, struct epoll_event *events, int most, int timeout, const sigset_t *set)
{
    if (!rt_file(ep)) return REAL(epoll_pwait)(ep, events, most, timeout, set);
    long limit = timeout < 0 ? NO_LIMIT : timeout * 1000000l;
    uint64_t mask = exchange_mask(set, CALLER);
    return restore_mask(mask, wait_for_events(ep, events, most, limit, CALLER));
}
