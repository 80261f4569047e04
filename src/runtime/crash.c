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

static uintptr_t *pc_in(ucontext_t *u)
{
#if defined __x86_64__
    return (uintptr_t *)&u->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t *)&u->uc_mcontext.pc;
#endif
}

/* Where the program called the runtime, if the fault is in a function of that: an atomic operation, say. */
static uintptr_t place_of_call(ucontext_t *u)
{
#if defined __x86_64__
    const greg_t *g = u->uc_mcontext.gregs;
    struct rt_registers r = {.kept = {(uint64_t)g[REG_RBX], (uint64_t)g[REG_RBP], (uint64_t)g[REG_R12],
                                      (uint64_t)g[REG_R13], (uint64_t)g[REG_R14], (uint64_t)g[REG_R15]},
                             .pc = (uintptr_t)g[REG_RIP] + 1, .sp = (uintptr_t)g[REG_RSP]};
#else
    struct rt_registers r = {.pc = u->uc_mcontext.pc + 1, .sp = u->uc_mcontext.sp};
    for (int i = 0; i < 12; i++) r.kept[i] = u->uc_mcontext.regs[19 + i];
#endif
    uintptr_t pc = *pc_in(u);
    return rt_leave_runtime(&r, rt.self) && r.pc != pc + 1 ? r.pc : pc;
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

static const char *remark(int signal)
{
    return rt_is_handled(signal) ? " (the program's handler for it is not run)" : "";
}

void rt_find_segmentation_fault(uintptr_t address, uintptr_t pc)
{
    const char *handler = remark(SIGSEGV);
    if (address < PAGE)
        rt_find(RT_CRASH, pc, "segmentation fault: null pointer (address %zu)%s", (size_t)address, handler);
    else rt_find(RT_CRASH, pc, "segmentation fault at address %#zx%s", (size_t)address, handler);
}

static void describe(int signal, const siginfo_t *info, uintptr_t pc)
{
    uintptr_t address = (uintptr_t)info->si_addr;
    const char *text = "signal";
    for (size_t i = 0; i < ARRAY_LEN(fatal); i++)
        if (fatal[i].signal == signal) text = fatal[i].text;
    if (signal == SIGSEGV && near_stack_end(rt.self, address)) rt_find(RT_CRASH, place(pc), "stack overflow");
    else if (signal == SIGSEGV) rt_find_segmentation_fault(address, place(pc));
    else rt_find(RT_CRASH, place(pc), "%s%s", text, remark(signal));
}

static void on_fatal(int signal, siginfo_t *info, void *context)
{
    if (rt_audit_signal(signal, info, context)) return;
    if (*pc_in(context) == (uintptr_t)rt_peek) {
        *pc_in(context) = (uintptr_t)rt_peek_failed;
        return;
    }
    if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && rt_page_fault((uintptr_t)info->si_addr)) return;
    if (signal == SIGTRAP && rt_foreign_trap(context, pc_in(context))) return;
    if (signal == RT_HANG_SIGNAL && (rt.branch.is_waiting || (!rt.active && rt.crew.shared)))
        return; /* it waits for another process */
    if (!rt.active || rt.in_finding) rt_syscall(SYS_exit_group, 128 + signal, 0, 0, 0, 0, 0);
    uintptr_t pc = place_of_call(context);
    if (signal != RT_HANG_SIGNAL && is_deciding(context)) rt_die("internal error: the strategy crashed");
    if (signal == RT_HANG_SIGNAL) rt_find(RT_LIVELOCK, place(pc), "no scheduling point is reached any more");
    else describe(signal, info, pc);
    rt_finding_end();
}

/* Where a handler returns to. While calls are audited only the runtime may make system calls (guard.c), so that this
 * is not the C library's. Unwinders know it by its bytes. */
#if defined __x86_64__
enum { HAS_RESTORER = 0x04000000 };
void rt_return_from_signal(void);
__asm__(".text\n"
        "    nop\n"
        ".globl rt_return_from_signal\n.hidden rt_return_from_signal\n.type rt_return_from_signal,@function\n"
        "rt_return_from_signal:\n"
        "    movq $15, %rax\n    syscall\n"
        ".size rt_return_from_signal,.-rt_return_from_signal\n");
#else
enum { HAS_RESTORER = 0 };
#define rt_return_from_signal NULL
#endif

/* As the kernel has it. */
struct kernel_action {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* By system call: the C library's wrapper is one that programs may have replaced, and refuses some signals. */
static void handle(int signal)
{
    struct kernel_action action = {.handler = on_fatal,
                                   .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | HAS_RESTORER,
                                   .restorer = rt_return_from_signal};
    rt_syscall(SYS_rt_sigaction, signal, (long)&action, 0, sizeof action.mask, 0, 0);
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
