/* Which memory an x86-64 instruction accesses: its operands, from the bytes of the instruction and the registers. */
#ifndef HEDDLE_OPERANDS_H
#define HEDDLE_OPERANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The registers as the instruction encodes them: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15; the mask registers
 * of AVX-512 if `has_masks`. */
struct operand_registers { uint64_t general[16], rip, flags, masks[8]; bool has_masks; };

/* `is_loose`: a vector load that may read beyond what the function needs, as searches for the end of a string do, or an
 * access under a mask that is not known or has holes. */
struct operand { uintptr_t address; size_t size; bool reads, writes, is_loose; };

enum operand_string { STRING_NONE, STRING_MOVE, STRING_STORE, STRING_OTHER };

struct operands {
    bool is_known;              /* else only the fault itself tells where memory is accessed */
    uint8_t count, length;      /* length: of a string instruction */
    struct operand at[2];
    enum operand_string string;
    uint8_t unit;               /* of a string instruction, in bytes */
    bool is_repeated;
};

void operands_decode(const uint8_t *code, const struct operand_registers *r, struct operands *out);

#endif
