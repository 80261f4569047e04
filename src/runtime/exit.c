/* The ends of an execution: exit and its handlers, abort, failed assertions. */
#include "runtime/internal.h"

#undef __assert_fail /* the runtime's own assertions have another name: see the Makefile */
void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));

#include <err.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int __cxa_atexit(void (*call)(void *), void *argument, void *module);

static int add_handler(struct exit_handler h)
{
    if (rt.at_exit_count == MAX_ATEXIT) rt_die("the program has too many exit handlers and static objects");
    rt.at_exit[rt.at_exit_count++] = h;
    return 0;
}

EXPORT int __cxa_atexit(void (*call)(void *), void *argument, void *module)
{
    (void)module;
    return add_handler((struct exit_handler){call, argument, false});
}

EXPORT int on_exit(void (*call)(int, void *), void *argument)
{
    return add_handler((struct exit_handler){(void (*)(void *))(uintptr_t)call, argument, true});
}

static void run_handlers(int status)
{
    while (rt.at_exit_count > 0) {
        struct exit_handler h = rt.at_exit[--rt.at_exit_count];
        if (h.takes_status) ((void (*)(int, void *))(uintptr_t)h.call)(status, h.argument);
        else h.call(h.argument);
    }
}

/* Destructors written as such in the program; the first entry is the compiler's own. */
extern void (*__fini_array_start[])(void) __attribute__((weak));
extern void (*__fini_array_end[])(void) __attribute__((weak));

static void run_destructors(void)
{
    for (long i = __fini_array_end - __fini_array_start; i-- > 1;) __fini_array_start[i]();
}

void rt_flush(void)
{
    rt_streams_end();
    REAL(fflush)(NULL);
}

/* A test says by its status that it failed. The parent of a process sees eight bits of it. */
static void check_status(int status, const char *how, uintptr_t pc)
{
    unsigned seen = status & 0xff;
    if (rt.shared->config.exit_accepted[seen / 8] >> seen % 8 & 1) return;
    rt_find(RT_EXIT, pc, how, status);
    rt_finding_end();
}

void rt_execution_over(int status, const char *how, uintptr_t pc)
{
    rt.exit_status = status;
    if (!rt.shared) ((void (*)(int))rt_real("exit"))(status);
    if (rt.recording) rt_flush();
    check_status(status, how, pc);
    rt_check_blocked();
    if (rt.shared->config.leaks) rt_heap_leaks();
    rt_end_execution(SCHED_END_NORMAL);
}

/* C leaves open what happens if two threads call exit(), and main() returning calls it. A status of failure says more
 * than that. */
static void begin_exit(int status, const char *how, uintptr_t pc)
{
    if (rt.exiting && rt.exit_thread != rt.self->id) {
        check_status(rt.exit_status, rt.exit_how, rt.exit_pc);
        check_status(status, how, pc);
        const char *what = pc ? "exit() is called" : "main() returns";
        if (rt.exit_thread) rt_find(RT_MISUSE, pc, "%s while T%d calls exit()", what, rt.exit_thread);
        else rt_find(RT_MISUSE, pc, "%s while main calls exit()", what);
        rt_finding_end();
    }
    rt.exit_status = status;
    rt.exit_thread = rt.self->id;
    rt.exit_how = how;
    rt.exit_pc = pc;
}

/* Other threads run on while the handlers run, until the last step of all. */
void rt_exit(int status, const char *how, uintptr_t pc)
{
    if (!rt.active) ((void (*)(int))rt_real("exit"))(status);
    begin_exit(status, how, pc);
    if (!rt.exiting) {
        rt.exiting = true;
        rt_run_tls_destructors(rt.self);
        run_handlers(status);
        run_destructors();
    }
    rt_point_labelled(OP(END), NULL, pc, "exit");
    rt_execution_over(status, how, pc);
}

EXPORT void exit(int status) { rt_exit(status, "exit(%d) is called", CALLER); }

static __attribute__((noreturn)) void exit_at_once(int status, const char *how, uintptr_t pc)
{
    if (rt.active && rt.shared) {
        rt_point_labelled(OP(END), NULL, pc, "exit");
        if (rt.recording) rt_flush();
        check_status(status, how, pc);
        rt_check_blocked();
        rt_end_execution(SCHED_END_NORMAL);
    }
    rt_syscall(SYS_exit_group, status, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

EXPORT void _exit(int status) { exit_at_once(status, "_exit(%d) is called", CALLER); }
EXPORT void _Exit(int status) { exit_at_once(status, "_Exit(%d) is called", CALLER); }
EXPORT void quick_exit(int status) { exit_at_once(status, "quick_exit(%d) is called", CALLER); }

/* Programs of the software verification competition state an assumption by calling abort() in a function of that name.
 * No call returns there, so the address to return to may belong to what follows the function. */
static bool is_assumption(uintptr_t pc)
{
    return rt.active && rt.shared && rt_is_in(&rt.shared->assumptions, pc - 1);
}

EXPORT void abort(void)
{
    if (is_assumption(CALLER)) rt_assumption_failed(CALLER);
    rt_find(RT_CRASH, CALLER, "abort() is called");
    rt_finding_end();
}

EXPORT void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    (void)function;
    rt_find(RT_ASSERTION, CALLER, "%s at %s:%u", expression, file, line);
    rt_finding_end();
}

void __assert_perror_fail(int error, const char *file, unsigned line, const char *function);
EXPORT void __assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
    (void)function;
    rt_find(RT_ASSERTION, CALLER, "assert_perror(%d) at %s:%u", error, file, line);
    rt_finding_end();
}

/* An assertion of ours: the program has nothing to do with it. */
void rt_assertion_failed(const char *expression, const char *file, unsigned line, const char *function)
{
    char message[RT_TEXT];
    rt_print(message, sizeof message, "internal error: %s at %s:%u (%s)", expression, file, line, function);
    rt_die(message);
}

/* The C library would end the program from inside. */
#define ENDS_WITH_MESSAGE(name, message) \
    EXPORT void v##name(int status, const char *format, va_list ap) \
    { \
        message(format, ap); \
        rt_exit(status, "v" #name "(%d) is called", CALLER); \
    } \
    EXPORT void name(int status, const char *format, ...) \
    { \
        va_list ap; \
        va_start(ap, format); \
        message(format, ap); \
        rt_exit(status, #name "(%d) is called", CALLER); \
    }
ENDS_WITH_MESSAGE(err, vwarn)
ENDS_WITH_MESSAGE(errx, vwarnx)

EXPORT void error(int status, int code, const char *format, ...)
{
    va_list ap;
    int kept = errno;
    va_start(ap, format);
    errno = code;
    if (code) vwarn(format, ap);
    else vwarnx(format, ap);
    errno = kept;
    va_end(ap);
    if (status) rt_exit(status, "error(%d) is called", CALLER);
}
