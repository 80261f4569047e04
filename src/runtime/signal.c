/* Signals between threads of the program: pthread_kill and the calls that wait for signals. A signal is a word of the
 * thread it is sent to; signals from outside never come. Handlers are not run: that is reported. */
#include "runtime/internal.h"

#include <signal.h>

static uint64_t word_of(const struct thread *t) { return 1ull << 60 | (uint64_t)(t->id + 1) << 4; }
static bool signal_came(const struct thread *t) { return t->signal_came; }

static int take_signal(struct thread *t, const sigset_t *set)
{
    for (int s = 1; s < 64; s++)
        if ((t->signals >> s & 1) && sigismember(set, s) == 1) {
            t->signals &= ~(1ull << s);
            return s;
        }
    return 0;
}

static int wait_for_signal(const sigset_t *set, uintptr_t pc)
{
    struct thread *t = rt.self;
    struct sched_op op = OP(READ, .object = word_of(t), .count = 4);
    for (;;) {
        t->signal_came = false;
        rt_point_labelled(op, op.flags ? signal_came : NULL, pc, "sigwait");
        int s = take_signal(t, set);
        if (s) return rt_effect(), rt_acquire(word_of(t)), s;
        op.flags = SCHED_SPIN;
    }
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict out)
{
    *out = wait_for_signal(set, CALLER);
    return 0;
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    int s = wait_for_signal(set, CALLER);
    if (info) *info = (siginfo_t){.si_signo = s};
    return s;
}

EXPORT int pthread_kill(pthread_t p, int number)
{
    struct thread *t = rt_thread_of(p);
    if (!t) return ESRCH;
    if (!number) return 0;
    if (number < 1 || number > 63) return EINVAL;
    rt_point_labelled(OP(WRITE, .object = word_of(t), .count = 4), NULL, CALLER, "pthread_kill");
    rt_release(word_of(t));
    rt_effect();
    bool waits = t->op.kind == SCHED_READ && t->op.object == word_of(t);
    if (!waits) rt_note("pthread_kill", "if the thread has a handler for the signal, it is not run", CALLER);
    t->signals |= 1ull << number;
    t->signal_came = true;
    return 0;
}
