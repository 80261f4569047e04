/* Accesses that a compiler does not instrument: `heddle cc` puts a call before each of them (src/native/observe.c). It
 * stands in the middle of straight code, where every register and flag may be in use. */
#include "runtime/internal.h"

#if defined __x86_64__
void rt_gap_read(uintptr_t at, size_t size, uintptr_t pc);
void rt_gap_write(uintptr_t at, size_t size, uintptr_t pc);
void rt_gap_masked_read(uintptr_t at, size_t shape, uintptr_t pc, const uint8_t *mask);
void rt_gap_masked_write(uintptr_t at, size_t shape, uintptr_t pc, const uint8_t *mask);
void rt_gap_fence(uintptr_t at, size_t size, uintptr_t pc);
void heddle_gap_fence(void);
void heddle_gap_read(void);
void heddle_gap_write(void);
void heddle_gap_masked_read(void);
void heddle_gap_masked_write(void);

/* The area of registers above this frame is larger than the gaps over which stacks are cleared. */
static void announce(uintptr_t at, size_t size, bool write, uintptr_t pc)
{
    if (rt.active) rt_note_depth(rt.self, (uintptr_t)__builtin_frame_address(0));
    rt_range(at, size, write, pc);
}

void rt_gap_read(uintptr_t at, size_t size, uintptr_t pc) { announce(at, size, false, pc); }
void rt_gap_write(uintptr_t at, size_t size, uintptr_t pc) { announce(at, size, true, pc); }

/* A fence in inline assembly. */
void rt_gap_fence(uintptr_t at, size_t size, uintptr_t pc)
{
    (void)at, (void)size;
    if (!rt.active) return;
    rt_note_depth(rt.self, (uintptr_t)__builtin_frame_address(0));
    rt_fence_at(pc);
}

/* The highest bit of each element of the mask says whether the instruction accesses the element. The shape is the size
 * of the vector and of an element (src/native/observe.c). */
static void access_masked(uintptr_t at, size_t shape, bool write, uintptr_t pc, const uint8_t *mask)
{
    size_t size = shape & 0xff, unit = shape >> 8;
    for (size_t i = 0; i < size; i += unit)
        if (mask[i + unit - 1] & 0x80) rt_range(at + i, unit, write, pc);
}

void rt_gap_masked_read(uintptr_t at, size_t shape, uintptr_t pc, const uint8_t *mask)
{
    access_masked(at, shape, false, pc, mask);
}

void rt_gap_masked_write(uintptr_t at, size_t shape, uintptr_t pc, const uint8_t *mask)
{
    access_masked(at, shape, true, pc, mask);
}

/* Behind the return address and the two registers that the caller pushed lies the mask, if there is one.
 * Below the pushed registers lies the area of xsave, whose header has to be zero. It keeps all but the registers of
 * matrices. What was kept is cleared again: registers that are not in use hold leftovers of the runtime, which differ
 * between executions, and the stack has to look the same in all of them (digest.c). */
#define CLEAR_SLOT(at) "movq $0, " #at "(%rsp); "
#define KEEP_ALL_AND_CALL(target) \
    __asm__("pushfq; pushq %rbp; movq %rsp, %rbp\n\t" \
            "pushq %rax; pushq %rcx; pushq %rdx; pushq %r8; pushq %r9; pushq %r10; pushq %r11\n\t" \
            "subq $2816, %rsp; andq $-64, %rsp; xorl %eax, %eax\n\t" \
            "movq %rax, 512(%rsp); movq %rax, 520(%rsp); movq %rax, 528(%rsp); movq %rax, 536(%rsp)\n\t" \
            "movq %rax, 544(%rsp); movq %rax, 552(%rsp); movq %rax, 560(%rsp); movq %rax, 568(%rsp)\n\t" \
            "xorl %edx, %edx; movl $0xe7, %eax; xsave64 (%rsp)\n\t" \
            "movq 16(%rbp), %rdx; leaq 40(%rbp), %rcx; cld; call " #target "\n\t" \
            "xorl %edx, %edx; movl $0xe7, %eax; xrstor64 (%rsp)\n\t" \
            "movq %rsp, %rdi; movl $352, %ecx; xorl %eax, %eax; rep stosq\n\t" \
            "leaq -56(%rbp), %rsp\n\t" \
            "popq %r11; popq %r10; popq %r9; popq %r8; popq %rdx; popq %rcx; popq %rax; popq %rbp; popfq\n\t" \
            CLEAR_SLOT(-8) CLEAR_SLOT(-16) CLEAR_SLOT(-24) CLEAR_SLOT(-32) CLEAR_SLOT(-40) CLEAR_SLOT(-48) \
            CLEAR_SLOT(-56) CLEAR_SLOT(-64) CLEAR_SLOT(-72) "ret")

EXPORT __attribute__((naked)) void heddle_gap_read(void) { KEEP_ALL_AND_CALL(rt_gap_read); }
EXPORT __attribute__((naked)) void heddle_gap_write(void) { KEEP_ALL_AND_CALL(rt_gap_write); }
EXPORT __attribute__((naked)) void heddle_gap_fence(void) { KEEP_ALL_AND_CALL(rt_gap_fence); }
EXPORT __attribute__((naked)) void heddle_gap_masked_read(void) { KEEP_ALL_AND_CALL(rt_gap_masked_read); }
EXPORT __attribute__((naked)) void heddle_gap_masked_write(void) { KEEP_ALL_AND_CALL(rt_gap_masked_write); }
#endif
