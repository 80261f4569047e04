/* What a plain store of a constant is about to write: the compiler puts the call that announces a store right before
 * it, so that the instruction is found where the call returns to. */
#include "runtime/internal.h"

#if defined __x86_64__
enum { OPERAND_SIZE = 0x66, REX_W = 0x48, MOVE_BYTE = 0xc6, MOVE = 0xc7, RIP_RELATIVE = 0x05 };

/* mov $constant, place(%rip). Stores by way of a register say nothing here, for the call may have changed it. */
bool rt_stored_constant(uintptr_t pc, uintptr_t address, size_t size, uint64_t *value)
{
    const uint8_t *code = (const uint8_t *)pc;
    size_t wide = 4, constant;
    int32_t distance, given = 0;
    if (*code == OPERAND_SIZE) wide = 2, code++;
    else if (*code == REX_W) wide = 8, code++;
    if (*code == MOVE_BYTE && wide == 4) wide = 1;
    else if (*code != MOVE) return false;
    if (code[1] != RIP_RELATIVE || wide != size) return false;
    constant = wide == 8 ? 4 : wide;
    memcpy(&distance, code + 2, sizeof distance);
    memcpy(&given, code + 6, constant);
    if ((uintptr_t)code + 6 + constant + (uintptr_t)(intptr_t)distance != address) return false;
    *value = wide == 8 ? (uint64_t)(int64_t)given : (uint64_t)(uint32_t)given;
    return true;
}
#else
bool rt_stored_constant(uintptr_t pc, uintptr_t address, size_t size, uint64_t *value)
{
    (void)pc, (void)address, (void)size, (void)value;
    return false;
}
#endif
