/* The calls of uncontrolled.h: reported, then done by the C library; and those that cannot be let through. */
#include "runtime/internal.h"

#include "runtime/uncontrolled.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/types.h>

/* The C library's headers are not included: the parameters here are as wide as theirs, and that is all a call needs. */
#define DEFINE(result, name, parameters, arguments, meaning) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        rt_note(#name, meaning, CALLER); \
        rt.used_files = true; \
        return ((function *)rt_real(#name))arguments; \
    }
UNCONTROLLED_CALLS(DEFINE)

static bool is_ours(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ||
           signal == SIGABRT || signal == SIGSYS || signal == RT_HANG_SIGNAL;
}

/* Handlers for the signals of crashes stay the runtime's: a crash is a finding. */
EXPORT int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
    typedef int function(int, const struct sigaction *, struct sigaction *);
    if (rt.shared && rt.active && action) {
        rt_note("sigaction", is_ours(signal) ? "ignored: a crash is a finding" : SIGNALS, CALLER);
        if (is_ours(signal)) return 0;
    }
    return ((function *)rt_real("sigaction"))(signal, action, old);
}

typedef void handler(int);
handler *signal(int number, handler *h);
EXPORT handler *signal(int number, handler *h)
{
    typedef handler *function(int, handler *);
    if (rt.shared && rt.active) {
        if (h != SIG_IGN && h != SIG_DFL)
            rt_note("signal", is_ours(number) ? "ignored: a crash is a finding" : SIGNALS, CALLER);
        if (is_ours(number)) return SIG_DFL;
    }
    return ((function *)rt_real("signal"))(number, h);
}

EXPORT int pthread_cancel(pthread_t p)
{
    rt_note("pthread_cancel", "the thread is not cancelled", CALLER);
    return rt_thread_of(p) ? 0 : ESRCH;
}
