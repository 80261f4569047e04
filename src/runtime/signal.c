/* Signals between threads of the program, all of them virtual: dispositions, masks and what is pending are kept here,
 * and the kernel knows nothing of them. Signals from outside never come.
 *
 * Sending one is a step that depends on every other. On its way to another thread the signal is a thread of its own,
 * with one step: to arrive. So it may come any number of steps later, at no other cost than that of switching there.
 * That changes what the thread that gets it is about to do: to run the handler, which it can whenever it is picked, and
 * then what it was about to do before, also if that one blocks. Whoever waits for signals, or stops blocking them, or
 * sends one to himself, has it at once. Cancelling a thread is the same with another handler, and only asynchronous
 * cancellation is on its way. A thread at a condition variable is woken up instead, as POSIX allows, and one at a
 * barrier runs the handler when it has left. */
#include "runtime/internal.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SET_BYTES = 8 }; /* of a sigset_t are used */

static uint64_t bit(int s) { return 1ull << (s - 1); }
static bool is_signal(int s) { return s >= 1 && s < MAX_SIGNALS; }

/* Handlers for the signals of crashes stay the runtime's: a crash is a finding. */
static bool is_ours(int s)
{
    return s == SIGSEGV || s == SIGBUS || s == SIGFPE || s == SIGILL || s == SIGTRAP || s == SIGABRT || s == SIGSYS ||
           s == RT_HANG_SIGNAL;
}

static bool is_handled(int s)
{
    const struct sigaction *a = &rt.signal.action[s];
    return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

bool rt_is_handled(int s) { return is_handled(s); }

static bool is_ignored(int s)
{
    void (*h)(int) = rt.signal.action[s].sa_handler;
    return h == SIG_IGN || (h == SIG_DFL && (s == SIGCHLD || s == SIGURG || s == SIGWINCH || s == SIGCONT));
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits = 0;
    for (int s = 1; s < MAX_SIGNALS; s++)
        if (sigismember(set, s) == 1) bits |= bit(s);
    return bits;
}

static void to_set(uint64_t bits, sigset_t *set)
{
    sigemptyset(set);
    for (int s = 1; s < MAX_SIGNALS; s++)
        if (bits & bit(s)) sigaddset(set, s);
}

/* ---- what a thread does about what has come ---- */

/* The oldest one that was sent; MAX_SENT: there is none. */
static uint32_t find_sent(int number, int target)
{
    struct signals *all = &rt.signal;
    for (uint32_t i = 0; i < all->sent_count; i++)
        if (all->sent[i].number == number && all->sent[i].target == target) return i;
    return MAX_SENT;
}

static struct sent_signal take_sent(uint32_t at)
{
    struct signals *all = &rt.signal;
    assert(at < all->sent_count);
    struct sent_signal x = all->sent[at];
    memmove(all->sent + at, all->sent + at + 1, (--all->sent_count - at) * sizeof *all->sent);
    return x;
}

/* All come from the program itself, timers from the kernel. */
static siginfo_t info_of(const struct sent_signal *x)
{
    siginfo_t info = {.si_signo = x->number, .si_code = x->code};
    bool from_program = x->code == SI_USER || x->code == SI_QUEUE || x->code == SI_TKILL;
    if (from_program) info.si_pid = getpid(), info.si_uid = getuid();
    if (x->code != SI_USER && x->code != SI_TKILL) info.si_value = x->value;
    return info;
}

static int take(struct thread *t, uint64_t which, siginfo_t *info)
{
    uint64_t own = t->signals & which, common = rt.signal.pending & which;
    if (!own && !common) return 0;
    int s = 1 + __builtin_ctzll(own ? own : common), target = own ? t->id : -1;
    struct sent_signal x = take_sent(find_sent(s, target));
    if (find_sent(s, target) == MAX_SENT) *(own ? &t->signals : &rt.signal.pending) &= ~bit(s);
    if (info) *info = info_of(&x);
    rt_acquire(SIGNAL_CLOCK);
    return s;
}

int rt_take_signal(uint64_t which, siginfo_t *info) { return take(rt.self, which, info); }
uint64_t rt_signal_set(const sigset_t *set) { return bits_of(set); }

static void run_handler(struct thread *t, int s, siginfo_t *info)
{
    assert(s > 0 && s < MAX_SIGNALS && t == rt.self);
    if (!(rt.signal.action[s].sa_flags & SA_RESTART) || t->never_restarts) t->broken = true;
    struct sigaction a = rt.signal.action[s];
    uint64_t mask = t->mask;
    int kept = errno;
    if (a.sa_handler == SIG_IGN) return;
    t->mask |= bits_of(&a.sa_mask) | (a.sa_flags & SA_NODEFER ? 0 : bit(s));
    if (t->has_other_stack && a.sa_flags & SA_ONSTACK)
        rt_note("sigaltstack", "the handler runs on the thread's own stack all the same", (uintptr_t)a.sa_handler);
    if (a.sa_flags & SA_RESETHAND) rt.signal.action[s].sa_handler = SIG_DFL;
    t->interruptions++;
    if (a.sa_flags & SA_SIGINFO) a.sa_sigaction(s, info, NULL);
    else a.sa_handler(s);
    t->mask = mask;
    errno = kept;
}

bool rt_must_cancel(const struct thread *t)
{
    return t->cancelled && !t->cancel_disabled && (t->at_cancellation_point || t->cancel_asynchronous) && !t->exiting;
}

void rt_run_handlers(void)
{
    struct thread *t = rt.self;
    rt_effect();
    siginfo_t info;
    for (int s; (s = take(t, ~t->mask, &info));) run_handler(t, s, &info);
    if (rt_must_cancel(t)) rt_cancel_self();
}

static bool has_work(const struct thread *t)
{
    return ((t->signals | rt.signal.pending) & ~t->mask) || rt_must_cancel(t);
}

void rt_check_signals(void)
{
    if (rt.active && has_work(rt.self)) rt_run_handlers();
}

/* ---- sending ---- */

/* OPTIMAL and CBPOR look at what a thread does next as something that only its own steps change, and at a number as one
 * thread; OPTIMAL does not know all operations in weak memory. Heddle starts the program again with their plainer
 * relatives. */
void rt_need_plain_strategy(void)
{
    enum sched_strategy s = rt.shared ? rt.shared->config.strategy : SCHED_DFS;
    sched_known_whole(rt.known);
    if (!rt.exploring) return;
    rt.shared->needs_plain = true;
    if (!sched_asks_of_cuts(s)) return;
    rt.shared->status = RT_PLAINER;
    rt_syscall(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* What the other thread is about to do becomes: to run its handlers. */
static void interrupt(struct thread *t)
{
    if (t == rt.self || t->interrupted || t->op.kind == SCHED_BARRIER_LEAVE) return;
    if (!has_work(t) && !t->signal_came) return;
    if (t->op.kind == SCHED_COND_RESUME) {
        t->op.flags |= SCHED_TIMED;
    } else {
        assert(t->live && !t->finished);
        t->interrupted = true;
        t->op = t->may_break_off ? OP(GLOBAL) : OP(LOCAL); /* the former looks whether the call had to wait */
        t->enabled = NULL;
        t->label = "interrupted";
        rt.conditional &= ~set_of(t->id);
    }
    rt.view.next[t->id] = t->op;
}

/* Who handles what was sent to the program if the one for whom it was meant has ended. */
static struct thread *who_else(void)
{
    int id;
    FOR_EACH_THREAD(id, rt.live)
        if (rt.signal.pending & ~rt.threads[id].mask) return &rt.threads[id];
    return NULL;
}

static void *arrive(void *target)
{
    struct thread *t = target;
    rt.self->mask = ~0ull;
    rt_point_labelled(OP(GLOBAL), NULL, rt.self->op_pc, "arrives");
    if (t->finished) t = who_else();
    if (t) interrupt(t);
    return NULL;
}

/* The number of a thread that nobody joins is not given out again: there must not be too many. */
static void set_out(struct thread *t, const char *name, uintptr_t pc)
{
    enum { MOST = 64 };
    struct thread_start start = {arrive, t, true, pc};
    pthread_t way;
    if (t == rt.self || t->interrupted || !has_work(t)) return;
    if (rt.self->sent++ >= MOST) {
        rt_note("signal", "there are so many that it arrives at once", pc);
        interrupt(t);
        return;
    }
    rt_create(&way, &start);
    rt_print(rt_thread_of(way)->name, sizeof t->name, "%s", name);
}

static void end_by_signal(int s, uintptr_t pc)
{
    rt_find(RT_CRASH, pc, "the program is ended by signal %d (%s)", s, sigabbrev_np(s) ? sigabbrev_np(s) : "?");
    rt_finding_end();
}

static struct thread *who_takes(int s)
{
    int id;
    FOR_EACH_THREAD(id, rt.live) {
        struct thread *t = &rt.threads[id];
        if (!(t->mask & bit(s)) || (t->waits_for & bit(s))) return t;
    }
    return NULL;
}

/* Of a signal below SIGRTMIN one waits at most, the first. What was sent to a thread that ended with this number is
 * gone. */
static bool is_queued(struct sent_signal x, uint64_t pending)
{
    uint32_t at;
    if (pending & bit(x.number)) return x.number < SIGRTMIN || rt.signal.sent_count < MAX_SENT;
    while ((at = find_sent(x.number, x.target)) != MAX_SENT) take_sent(at);
    return rt.signal.sent_count < MAX_SENT;
}

static int queue(struct thread *t, struct sent_signal x, uintptr_t pc)
{
    uint64_t *pending = t ? &t->signals : &rt.signal.pending;
    x.target = t ? t->id : -1;
    if (!is_queued(x, *pending)) {
        rt_note("signal", "more than 256 of them wait: this one is not sent", pc);
        return EAGAIN;
    }
    bool is_there = *pending & bit(x.number) && x.number < SIGRTMIN;
    if (!is_there) rt.signal.sent[rt.signal.sent_count++] = x;
    *pending |= bit(x.number);
    return 0;
}

/* The handle of a thread that has ended is valid until the thread is joined. */
static void refuse_ended(const struct thread *t, uintptr_t pc, const char *label)
{
    if (!t || t == rt.self || !(t->reaped || (t->detached && rt_has_ended(t)))) return;
    rt_find(RT_MISUSE, pc, "%s() of a %s", label,
            t->reaped ? "thread that was joined" : "detached thread that has ended");
    rt_finding_end();
}

/* Of calls that are no steps otherwise: whether the thread has ended depends on what others do. */
void rt_refuse_ended(pthread_t p, uintptr_t pc, const char *label)
{
    const struct thread *t = rt.active && rt_is_program_code(pc) ? rt_thread_of(p) : NULL;
    if (!t || t == rt.self) return;
    rt_point_labelled(OP(GLOBAL), NULL, pc, label);
    refuse_ended(t, pc, label);
}

/* A handler can interrupt its thread between any two instructions. It runs at scheduling points only, which the verdict
 * says where a signal goes to a thread that did not send it. */
static void note_handler(const struct thread *to, int s)
{
    int id;
    if (!is_handled(s) || to == rt.self) return;
    FOR_EACH_THREAD(id, rt.live) {
        const struct thread *t = &rt.threads[id];
        if (t != rt.self && (!to || to == t) && (~t->mask | t->was_unmasked) & bit(s)) rt_unexplored(RT_PLAIN_HANDLERS);
    }
}

/* To one thread, or (NULL) to whichever does not block it: the first one, as Linux prefers it. */
static int send(struct thread *t, const struct sent_signal *x, uintptr_t pc, const char *label)
{
    int s = x->number;
    if (!is_signal(s)) return EINVAL;
    if (t != rt.self) rt_need_plain_strategy();
    rt_point_labelled(OP(GLOBAL), NULL, pc, label);
    rt.signal.changed = true;
    rt_release(SIGNAL_CLOCK);
    rt_effect();
    refuse_ended(t, pc, label);
    if (t && t->finished) return 0; /* as if it had come just before */
    if (is_ours(s)) end_by_signal(s, pc);
    struct thread *to = t ? t : who_takes(s);
    note_handler(to, s);
    bool waited_for = to && (to->waits_for & bit(s));
    if (is_ignored(s) && !waited_for) return 0;
    if (!is_handled(s) && !waited_for && to && !(to->mask & bit(s))) end_by_signal(s, pc);
    int status = queue(t, *x, pc);
    if (status) return status;
    if (waited_for) to->signal_came = true;
    rt_signal_files_changed();
    if (waited_for) interrupt(to);
    else if (to) set_out(to, sigabbrev_np(s) ? sigabbrev_np(s) : "signal", pc);
    return 0;
}

static int send_to_thread(pthread_t p, const struct sent_signal *x, uintptr_t pc, const char *label)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    if (!x->number) return rt_refuse_ended(p, pc, label), 0;
    int status = send(t, x, pc, label);
    rt_check_signals();
    return status;
}

EXPORT int pthread_kill(pthread_t p, int s)
{
    return send_to_thread(p, &(struct sent_signal){.number = s, .code = SI_TKILL}, CALLER, "pthread_kill");
}

static int send_by_errno(struct thread *t, const struct sent_signal *x, uintptr_t pc, const char *label)
{
    int status = x->number ? send(t, x, pc, label) : 0;
    rt_check_signals();
    return status ? errno = status, -1 : 0;
}

static bool controls(void) { return rt.shared && rt.active; }

void rt_send_to_self(int s, uintptr_t pc)
{
    if (!is_ignored(s)) send_by_errno(rt.self, &(struct sent_signal){.number = s, .code = SI_USER}, pc, "signal");
}

void rt_send_to_program(const struct sent_signal *x, uintptr_t pc)
{
    if (is_signal(x->number)) send_by_errno(NULL, x, pc, "signal");
}

EXPORT int raise(int s)
{
    struct sent_signal x = {.number = s, .code = SI_TKILL};
    if (controls()) return send_by_errno(rt.self, &x, CALLER, "raise");
    return ((int (*)(int))rt_real("raise"))(s);
}

EXPORT int kill(pid_t pid, int s)
{
    struct sent_signal x = {.number = s, .code = SI_USER};
    if (controls() && (pid == getpid() || pid == 0)) return send_by_errno(NULL, &x, CALLER, "kill");
    rt_note("kill", "goes to another process", CALLER);
    return ((int (*)(pid_t, int))rt_real("kill"))(pid, s);
}

EXPORT int killpg(pid_t group, int s)
{
    struct sent_signal x = {.number = s, .code = SI_USER};
    if (controls() && (group == getpgrp() || group == 0)) return send_by_errno(NULL, &x, CALLER, "killpg");
    rt_note("killpg", "goes to other processes", CALLER);
    return ((int (*)(pid_t, int))rt_real("killpg"))(group, s);
}

/* The kernel has the runtime's own, on which write faults are answered. */
EXPORT int sigaltstack(const stack_t *restrict new, stack_t *restrict old)
{
    if (rt.active && new) rt.self->has_other_stack = !(new->ss_flags & SS_DISABLE);
    rt_call_reads(new, sizeof *new, CALLER);
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) *old = (stack_t){.ss_flags = SS_DISABLE};
    return 0;
}

EXPORT int pthread_sigqueue(pthread_t p, int s, const union sigval value)
{
    struct sent_signal x = {.number = s, .code = SI_QUEUE, .value = value};
    return send_to_thread(p, &x, CALLER, "pthread_sigqueue");
}

EXPORT int sigqueue(pid_t pid, int s, const union sigval value)
{
    struct sent_signal x = {.number = s, .code = SI_QUEUE, .value = value};
    if (controls() && pid == getpid()) return send_by_errno(NULL, &x, CALLER, "sigqueue");
    rt_note("sigqueue", "goes to another process", CALLER);
    return ((int (*)(pid_t, int, union sigval))rt_real("sigqueue"))(pid, s, value);
}

/* ---- waiting ---- */

static bool signal_came(const struct thread *t) { return t->signal_came; }

/* Nobody writes to this place: only a signal makes the thread go on. */
static void wait_here(uintptr_t pc, const char *label)
{
    struct thread *t = rt.self;
    t->signal_came = false;
    uint64_t place = 1ull << 60 | (uint64_t)(t->id + 1) << 4;
    rt_point_labelled(OP(READ, .object = place, .count = 4, .flags = SCHED_SPIN), signal_came, pc, label);
}

static int wait_for(uint64_t set, siginfo_t *info, bool timed, uintptr_t pc)
{
    struct thread *t = rt.self;
    rt_cancellation_point(true);
    int s;
    if (rt_has_signal_files()) rt_point_labelled(OP(GLOBAL), NULL, pc, "sigwait"); /* others may take it */
    t->waits_for = set;
    while (!(s = take(t, set, info))) {
        if (timed) {
            rt_attempt(pc);
            rt_point_labelled(OP(YIELD), NULL, pc, "sigtimedwait");
            if ((s = take(t, set, info))) break;
            rt_try_again();
            break;
        }
        wait_here(pc, "sigwait");
    }
    t->waits_for = 0;
    rt_cancellation_point(false);
    rt_effect();
    return s;
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict out)
{
    rt_call_reads(set, SET_BYTES, CALLER);
    int s = wait_for(bits_of(set), NULL, false, CALLER);
    rt_call_writes(out, sizeof *out, CALLER);
    *out = s;
    return 0;
}

static int wait_with_info(const sigset_t *set, siginfo_t *info, bool timed, uintptr_t pc)
{
    siginfo_t told;
    rt_call_reads(set, SET_BYTES, pc);
    int s = wait_for(bits_of(set), &told, timed, pc);
    if (!s || !info) return s;
    rt_call_writes(info, sizeof *info, pc);
    *info = told;
    return s;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return wait_with_info(set, info, false, CALLER);
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info, const struct timespec *restrict time)
{
    rt_call_reads(time, sizeof *time, CALLER);
    int s = wait_with_info(set, info, time != NULL, CALLER);
    return s ? s : (errno = EAGAIN, -1);
}

static int suspend(uint64_t mask, uintptr_t pc, const char *label)
{
    struct thread *t = rt.self;
    uint64_t kept = t->mask;
    uint32_t before = t->interruptions;
    rt_cancellation_point(true);
    t->mask = mask;
    rt_check_signals();
    while (t->interruptions == before) wait_here(pc, label);
    t->mask = kept;
    rt_cancellation_point(false);
    rt_check_signals();
    return errno = EINTR, -1;
}

EXPORT int sigsuspend(const sigset_t *set)
{
    if (!controls()) return ((int (*)(const sigset_t *))rt_real("sigsuspend"))(set);
    rt_call_reads(set, SET_BYTES, CALLER);
    return suspend(bits_of(set), CALLER, "sigsuspend");
}

EXPORT int pause(void)
{
    if (!controls()) return ((int (*)(void))rt_real("pause"))();
    return suspend(rt.self->mask, CALLER, "pause");
}

/* ---- dispositions and masks ---- */

EXPORT int sigaction(int s, const struct sigaction *action, struct sigaction *old)
{
    typedef int function(int, const struct sigaction *, struct sigaction *);
    if (!rt.shared && rt.active) return ((function *)rt_real("sigaction"))(s, action, old);
    if (!is_signal(s) || s == SIGKILL || s == SIGSTOP) return errno = EINVAL, -1;
    if (!rt.active) ((function *)rt_real("sigaction"))(s, action, NULL); /* it is not known yet who will be asked */
    rt_call_reads(action, sizeof *action, CALLER);
    if (action && is_ours(s) && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)
        rt_note("sigaction", "ignored: a crash is a finding", CALLER);
    if (rt.active && rt.shared && !rt_is_alone()) rt_point_labelled(OP(GLOBAL), NULL, CALLER, "sigaction");
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) *old = rt.signal.action[s];
    if (action) rt.signal.action[s] = *action;
    rt.signal.changed = true;
    if (rt.active) rt_effect();
    return 0;
}

typedef void handler(int);
handler *signal(int s, handler *h);
EXPORT handler *signal(int s, handler *h)
{
    typedef handler *function(int, handler *);
    if (!rt.shared && rt.active) return ((function *)rt_real("signal"))(s, h);
    struct sigaction action = {.sa_handler = h, .sa_flags = SA_RESTART}, old;
    return sigaction(s, &action, &old) ? SIG_ERR : old.sa_handler;
}

static int change_mask(int how, const sigset_t *set, sigset_t *old, uintptr_t pc)
{
    rt_call_reads(set, SET_BYTES, pc);
    rt_call_writes(old, SET_BYTES, pc);
    struct thread *t = rt.self;
    uint64_t bits = set ? bits_of(set) & ~bit(SIGKILL) & ~bit(SIGSTOP) : 0;
    if (old) to_set(t->mask, old);
    if (!set) return 0;
    if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK) return EINVAL;
    if (!rt_is_alone()) t->was_unmasked |= ~t->mask;
    t->mask = how == SIG_BLOCK ? t->mask | bits : how == SIG_UNBLOCK ? t->mask & ~bits : bits;
    rt_check_signals();
    return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    if (controls()) return change_mask(how, set, old, CALLER);
    return ((int (*)(int, const sigset_t *, sigset_t *))rt_real("pthread_sigmask"))(how, set, old);
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    int status = controls() ? change_mask(how, set, old, CALLER) : pthread_sigmask(how, set, old);
    return status ? errno = status, -1 : 0;
}

EXPORT int sigpending(sigset_t *set)
{
    if (!controls()) return ((int (*)(sigset_t *))rt_real("sigpending"))(set);
    rt_call_writes(set, SET_BYTES, CALLER);
    to_set((rt.self->signals | rt.signal.pending) & rt.self->mask, set);
    return 0;
}

/* ---- cancelling ---- */

/* Inside these a thread can be cancelled also while it waits. */
void rt_cancellation_point(bool enters)
{
    if (!rt.active) return;
    rt.self->at_cancellation_point = enters;
    if (enters && rt_must_cancel(rt.self)) rt_cancel_self();
}

/* Calls that can be cancelled, and that wait for no other thread: open(), write(), puts(). They become scheduling
 * points once an execution shows that a thread which makes one is cancelled. They are learnt like a place in the
 * program. */
static uintptr_t calls_key(void) { return (uintptr_t)rt_cancellable_call; }

void rt_cancellable_call(uintptr_t pc, const char *label)
{
    struct thread *t = rt.self;
    if (!rt.active || !rt.shared || t->cancel_disabled || t->exiting || t->atomic_depth) return;
    t->was_cancellable = true;
    if (t->cancelled) rt_learn_point(calls_key());
    if (!rt_is_hot(calls_key())) return;
    rt_point_labelled(OP(LOCAL), NULL, pc, label);
    rt_cancellation_point(true);
    rt_cancellation_point(false);
}

EXPORT int pthread_cancel(pthread_t p)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    if (t != rt.self) rt_need_plain_strategy();
    rt_point_labelled(OP(GLOBAL), NULL, CALLER, "cancel");
    rt_release(SIGNAL_CLOCK);
    rt_effect();
    refuse_ended(t, CALLER, "pthread_cancel");
    if (t != rt.self && t->was_cancellable) rt_learn_point(calls_key());
    if (t != rt.self && t->was_asynchronous) rt_unexplored(RT_PLAIN_CANCELLATION);
    if (t->finished) return 0;
    t->cancelled = true;
    if (t->cancel_asynchronous) set_out(t, "cancellation", CALLER);
    else interrupt(t);
    if (t == rt.self && rt_must_cancel(t)) rt_cancel_self();
    return 0;
}

EXPORT int pthread_setcancelstate(int state, int *old)
{
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
    if (!rt.active) return 0;
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) *old = rt.self->cancel_disabled ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    rt.self->cancel_disabled = state == PTHREAD_CANCEL_DISABLE;
    if (rt_must_cancel(rt.self)) rt_cancel_self();
    return 0;
}

EXPORT int pthread_setcanceltype(int type, int *old)
{
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
    if (!rt.active) return 0;
    rt_call_writes(old, sizeof *old, CALLER);
    if (old) *old = rt.self->cancel_asynchronous ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    rt.self->cancel_asynchronous = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    rt.self->was_asynchronous |= rt.self->cancel_asynchronous;
    if (rt_must_cancel(rt.self)) rt_cancel_self();
    return 0;
}

EXPORT void pthread_testcancel(void)
{
    if (!rt.active) return;
    rt_attempt(CALLER); /* a loop may wait for nothing else */
    rt_point_labelled(OP(LOCAL), NULL, CALLER, "testcancel");
    rt_try_again();
    rt_cancellation_point(true);
    rt_cancellation_point(false);
}

EXPORT int fsync(int fd)
{
    rt_cancellable_call(CALLER, "fsync");
    return REAL(fsync)(fd);
}

EXPORT int fdatasync(int fd)
{
    rt_cancellable_call(CALLER, "fdatasync");
    return REAL(fdatasync)(fd);
}

EXPORT int msync(void *from, size_t size, int flags)
{
    rt_cancellable_call(CALLER, "msync");
    return REAL(msync)(from, size, flags);
}
