/* Changing from one thread of the program to another: callee-saved registers, stack pointer, thread pointer. */
#include "runtime/internal.h"

#include <sys/syscall.h>

#if defined __x86_64__

__asm__(".text\n"
        ".globl rt_switch\n.hidden rt_switch\n.type rt_switch,@function\n"
        "rt_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    subq $8, %rsp\n    stmxcsr (%rsp)\n    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n    fldcw 4(%rsp)\n    addq $8, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size rt_switch,.-rt_switch\n"
        ".globl rt_registers_here\n.hidden rt_registers_here\n.type rt_registers_here,@function\n"
        "rt_registers_here:\n"
        "    movq %rbx, (%rdi)\n    movq %rbp, 8(%rdi)\n    movq %r12, 16(%rdi)\n    movq %r13, 24(%rdi)\n"
        "    movq %r14, 32(%rdi)\n    movq %r15, 40(%rdi)\n    movq (%rsp), %rax\n    movq %rax, 48(%rdi)\n"
        "    movq %rax, 56(%rdi)\n    leaq 8(%rsp), %rax\n    movq %rax, 64(%rdi)\n    ret\n"
        ".size rt_registers_here,.-rt_registers_here\n"
        ".globl rt_call_on\n.hidden rt_call_on\n.type rt_call_on,@function\n"
        /* A debugger allows stacks to change at signals only. */
        "rt_call_on:\n"
        "    .cfi_startproc\n    .cfi_signal_frame\n"
        "    pushq %rbp\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset rbp, 0\n"
        "    movq %rsp, %rbp\n    .cfi_def_cfa_register rbp\n"
        "    movq %rdi, %rsp\n    call *%rsi\n"
        "    movq %rbp, %rsp\n    popq %rbp\n    .cfi_def_cfa rsp, 8\n    ret\n"
        "    .cfi_endproc\n"
        ".size rt_call_on,.-rt_call_on\n"
        /* The outermost frame of every thread: unwinding ends here. The function to call is in rbx. */
        ".globl rt_outermost\n.hidden rt_outermost\n.type rt_outermost,@function\n"
        "rt_outermost:\n"
        "    .cfi_startproc\n    .cfi_undefined rip\n"
        "    call *%rbx\n    ud2\n"
        "    .cfi_endproc\n"
        ".size rt_outermost,.-rt_outermost\n");
void rt_outermost(void);

void *rt_make_context(char *stack_high, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack_high & ~(uintptr_t)15) - 2;
    *--sp = (uintptr_t)rt_outermost; /* leaves sp aligned for its call */
    *--sp = 0;                       /* rbp */
    *--sp = (uintptr_t)entry;        /* rbx */
    sp -= 4;
    memset(sp, 0, 4 * sizeof *sp);
    *--sp = 0x037full << 32 | 0x1f80; /* x87 control word and mxcsr as at program start */
    return sp;
}

/* As rt_switch left them: control words, r15 to r12, rbx, rbp, and where to go on. */
void rt_registers_parked(const struct thread *t, struct rt_registers *out)
{
    const uint64_t *sp = t->sp;
    *out = (struct rt_registers){{sp[5], sp[6], sp[4], sp[3], sp[2], sp[1], sp[7]}, sp[7], (uintptr_t)(sp + 8)};
}

uintptr_t rt_get_tls(void)
{
    uintptr_t tls;
    __asm__("movq %%fs:0, %0" : "=r"(tls)); /* the TCB begins with its own address */
    return tls;
}

void rt_set_tls(uintptr_t tls)
{
    enum { ARCH_SET_FS_CODE = 0x1002 };
    if (likely(rt.has_fsgsbase)) __asm__ volatile("wrfsbase %0" ::"r"(tls) : "memory");
    else rt_syscall(SYS_arch_prctl, ARCH_SET_FS_CODE, (long)tls, 0, 0, 0, 0);
}

#elif defined __aarch64__

__asm__(".text\n"
        ".globl rt_switch\n.hidden rt_switch\n.type rt_switch,%function\n"
        "rt_switch:\n"
        "    sub sp, sp, #176\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n    mrs x9, fpcr\n    str x9, [sp, #160]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n    ldr x9, [sp, #160]\n    msr fpcr, x9\n"
        "    add sp, sp, #176\n    ret\n"
        ".size rt_switch,.-rt_switch\n"
        ".globl rt_registers_here\n.hidden rt_registers_here\n.type rt_registers_here,%function\n"
        "rt_registers_here:\n"
        "    stp x19, x20, [x0, #0]\n    stp x21, x22, [x0, #16]\n    stp x23, x24, [x0, #32]\n"
        "    stp x25, x26, [x0, #48]\n    stp x27, x28, [x0, #64]\n    stp x29, x30, [x0, #80]\n"
        "    stp d8, d9, [x0, #96]\n    stp d10, d11, [x0, #112]\n    stp d12, d13, [x0, #128]\n"
        "    stp d14, d15, [x0, #144]\n    mov x9, sp\n    stp x30, x9, [x0, #160]\n    ret\n"
        ".size rt_registers_here,.-rt_registers_here\n"
        ".globl rt_call_on\n.hidden rt_call_on\n.type rt_call_on,%function\n"
        "rt_call_on:\n"
        "    stp x29, x30, [sp, #-16]!\n    mov x29, sp\n"
        "    mov sp, x0\n    blr x1\n"
        "    mov sp, x29\n    ldp x29, x30, [sp], #16\n    ret\n"
        ".size rt_call_on,.-rt_call_on\n"
        ".globl rt_outermost\n.hidden rt_outermost\n.type rt_outermost,%function\n"
        "rt_outermost:\n"
        "    .cfi_startproc\n    .cfi_undefined x30\n"
        "    blr x19\n    brk #0\n"
        "    .cfi_endproc\n"
        ".size rt_outermost,.-rt_outermost\n");
void rt_outermost(void);

void *rt_make_context(char *stack_high, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)((uintptr_t)stack_high & ~(uintptr_t)15) - 176 / 8;
    memset(sp, 0, 176);
    sp[0] = (uintptr_t)entry;         /* x19 */
    sp[11] = (uintptr_t)rt_outermost; /* x30 */
    return sp;
}

/* As rt_switch left them. */
void rt_registers_parked(const struct thread *t, struct rt_registers *out)
{
    const uint64_t *sp = t->sp;
    memcpy(out->kept, sp, sizeof out->kept);
    out->pc = sp[11];
    out->sp = (uintptr_t)(sp + 22);
}

uintptr_t rt_get_tls(void)
{
    uintptr_t tls;
    __asm__("mrs %0, tpidr_el0" : "=r"(tls));
    return tls;
}

void rt_set_tls(uintptr_t tls) { __asm__ volatile("msr tpidr_el0, %0" ::"r"(tls) : "memory"); }

#endif
