/* Signals that end programs: a write to a protected page is answered (reset.c), everything else is a finding of this
 * execution. Handlers run on a stack of their own, so that an overflow of the program's is one of them. */
#include "runtime/internal.h"

#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <ucontext.h>

static const struct {
    int signal;
    const char *text;
} fatal[] = {
    {SIGSEGV, "segmentation fault"}, {SIGBUS, "bus error"}, {SIGFPE, "arithmetic exception (division by zero)"},
    {SIGILL, "illegal instruction"}, {SIGTRAP, "trap"},     {SIGSYS, "bad system call"},
    {SIGABRT, "abort() is called"},
};

static uintptr_t pc_of(const ucontext_t *u)
{
#if defined __x86_64__
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)u->uc_mcontext.pc;
#endif
}

/* While the strategy decides, the fault is ours. */
static bool is_deciding(const ucontext_t *u)
{
#if defined __x86_64__
    uintptr_t sp = (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#else
    uintptr_t sp = (uintptr_t)u->uc_mcontext.sp;
#endif
    return (uintptr_t)rt.decision_stack - sp <= DECISION_STACK;
}

static bool near_stack_end(const struct thread *t, uintptr_t a)
{
    return a >= (uintptr_t)t->stack_low && a < (uintptr_t)t->stack_low + 17 * PAGE;
}

/* A call through a null or wild pointer: the place worth showing is the caller. */
static uintptr_t place(uintptr_t pc)
{
    const struct thread *t = rt.self;
    return pc < PAGE && t->call_count ? t->calls[t->call_count - 1].pc : pc;
}

static void describe(int signal, const siginfo_t *info, uintptr_t pc)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    const char *text = "signal";
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        if (fatal[i].signal == signal) text = fatal[i].text;
    if (signal == SIGSEGV && near_stack_end(rt.self, address)) rt_find(RT_CRASH, place(pc), "stack overflow");
    else if (signal == SIGSEGV && address < PAGE)
        rt_find(RT_CRASH, place(pc), "segmentation fault: null pointer (address %zu)", (size_t)address);
    else if (signal == SIGSEGV) rt_find(RT_CRASH, place(pc), "segmentation fault at address %#zx", (size_t)address);
    else rt_find(RT_CRASH, place(pc), "%s", text);
}

static void on_fatal(int signal, siginfo_t *info, void *context)
{
    if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && rt_page_fault((uintptr_t)info->si_addr)) return;
    if (signal == RT_HANG_SIGNAL && (rt.branch.is_waiting || (!rt.active && rt.crew.shared)))
        return; /* it waits for another process */
    if (!rt.active || rt.in_finding) rt_syscall(SYS_exit_group, 128 + signal, 0, 0, 0, 0, 0);
    uintptr_t pc = pc_of(context);
    if (signal != RT_HANG_SIGNAL && is_deciding(context)) rt_die("internal error: the strategy crashed");
    if (signal == RT_HANG_SIGNAL) rt_find(RT_LIVELOCK, place(pc), "no scheduling point is reached any more");
    else describe(signal, info, pc);
    rt_finding_end();
}

/* By system call: the C library's wrapper is one that programs may have replaced, and refuses some signals. */
static void handle(int signal)
{
    typedef int install(int, const struct sigaction *, struct sigaction *);
    struct sigaction action = {.sa_sigaction = on_fatal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    ((install *)rt_real("sigaction"))(signal, &action, NULL);
}

void rt_crash_init(void)
{
    enum { SIZE = 256 << 10 };
    stack_t stack = {.ss_sp = rt_map(NULL, SIZE, 0), .ss_size = SIZE};
    rt_syscall(SYS_sigaltstack, (long)&stack, 0, 0, 0, 0, 0);
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        if (!rt.shared->config.stop_at_end) handle(fatal[i].signal);
    handle(RT_HANG_SIGNAL);
}
