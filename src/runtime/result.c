/* Whether the caller of a function looks at the number that it returns. The order in which threads leave a barrier
 * matters only if one of them looks which is the serial one, and most callers ignore the result.
 *
 * The machine code behind the call is read until it writes eax (or calls a function, which may change it) without
 * having read it before. Both ways are followed where it branches. Whatever is not in the tables here, a return to the
 * next caller, and code that goes on for too long count as a look. */
#include "runtime/internal.h"

#if defined __x86_64__

enum { MOST_INSTRUCTIONS = 48 };
enum { RAX = 0 };
enum use { PASSES, LOOKS, FORGETS }; /* it has nothing to do with eax; it may read it; it overwrites it first */

/* Which of the operands of an instruction with a ModRM byte are read and written, and how long its constant is. */
enum { READS_REG = 1, WRITES_REG = 2, READS_RM = 4, WRITES_RM = 8, IS_VECTOR = 16 };
struct form { uint8_t operands, constant; bool is_known; };

struct code {
    const uint8_t *at;
    bool is_wide, is_short, has_repeat, has_rex;
    uint8_t rex, modrm;
};

static int32_t number(const uint8_t *at, size_t size)
{
    int32_t wide;
    if (size == 1) return (int8_t)*at;
    memcpy(&wide, at, 4);
    return wide;
}

static struct form form_of_one(uint8_t op, uint8_t digit, const struct code *c)
{
    const uint8_t full = c->is_short ? 2 : 4, both = READS_REG | READS_RM;
    switch (op) {
    case 0x01: case 0x09: case 0x21: case 0x29: case 0x31: return (struct form){both | WRITES_RM, 0, true};
    case 0x03: case 0x0b: case 0x23: case 0x2b: case 0x33: return (struct form){both | WRITES_REG, 0, true};
    case 0x38: case 0x39: case 0x3a: case 0x3b: case 0x84: case 0x85: return (struct form){both, 0, true};
    case 0x63: case 0x8b: case 0x8d: return (struct form){READS_RM | WRITES_REG, 0, true};
    case 0x80: case 0x83: return (struct form){READS_RM | (digit == 7 ? 0 : WRITES_RM), 1, true};
    case 0x81: return (struct form){READS_RM | (digit == 7 ? 0 : WRITES_RM), full, true};
    case 0x88: return (struct form){both, 0, true}; /* a byte: the others stay */
    case 0x89: return (struct form){READS_REG | WRITES_RM, 0, true};
    case 0xc1: return (struct form){READS_RM | WRITES_RM, 1, true};
    case 0xc6: return (struct form){READS_RM, 1, digit == 0};
    case 0xc7: return (struct form){WRITES_RM, full, digit == 0};
    case 0xff: return (struct form){READS_RM | WRITES_RM, 0, digit < 2};
    default: return (struct form){0};
    }
}

/* Vector registers have other names: of such an instruction only an address in memory counts. */
static struct form form_of_two(uint8_t op)
{
    switch (op) {
    case 0x10: case 0x11: case 0x28: case 0x29: case 0x6f: case 0x7f: case 0xef: case 0x57: case 0x16: case 0x17:
    case 0xd6: return (struct form){IS_VECTOR, 0, true};
    case 0x1f: return (struct form){0, 0, true};
    case 0xb6: case 0xb7: case 0xbe: case 0xbf: return (struct form){READS_RM | WRITES_REG, 0, true};
    default: return (struct form){0};
    }
}

/* Behind the ModRM byte: the address; whether it is made of rax. */
static bool pass_address(struct code *c)
{
    uint8_t mode = c->modrm >> 6, rm = c->modrm & 7;
    bool uses = false, has_no_base = mode == 0 && rm == 5;
    if (mode == 3) return false;
    if (rm == 4) {
        uint8_t sib = *c->at++;
        has_no_base = mode == 0 && (sib & 7) == 5;
        uses = (sib >> 3 & 7) == RAX && !(c->rex & 2);
        rm = sib & 7;
    }
    uses |= !has_no_base && rm == RAX && !(c->rex & 1);
    c->at += mode == 1 ? 1 : mode == 2 || has_no_base ? 4 : 0;
    return uses;
}

/* Without a REX prefix number 4 of a register of one byte is ah, which is part of rax. */
static bool is_high_byte(const struct code *c, uint8_t op, bool is_two, bool is_rm, uint8_t digit)
{
    static const uint8_t bytes[] = {0x38, 0x3a, 0x80, 0x84, 0x88, 0xc6};
    if (c->has_rex || digit != 4) return false;
    if (is_two) return is_rm && (op == 0xb6 || op == 0xbe);
    return memchr(bytes, op, sizeof bytes);
}

static enum use use_of(struct code *c, uint8_t op, bool is_two)
{
    c->modrm = *c->at++;
    struct form f = is_two ? form_of_two(op) : form_of_one(op, c->modrm >> 3 & 7, c);
    bool is_register = c->modrm >> 6 == 3;
    uint8_t digit = c->modrm >> 3 & 7, low = c->modrm & 7;
    bool is_high = is_high_byte(c, op, is_two, false, digit);
    if (is_high || (is_register && is_high_byte(c, op, is_two, true, low))) return LOOKS;
    bool reg = digit == RAX && !(c->rex & 4) && (f.operands & (READS_REG | WRITES_REG));
    bool rm = is_register && low == RAX && !(c->rex & 1) && !(f.operands & IS_VECTOR);
    bool clears = is_register && reg && rm && !is_two && (op == 0x31 || op == 0x33 || op == 0x29 || op == 0x2b);
    if (!f.is_known || pass_address(c)) return LOOKS;
    c->at += f.constant;
    if (!reg && !rm) return PASSES;
    if (c->is_short) return LOOKS; /* two of its bytes stay */
    if (clears) return FORGETS;
    if ((reg && (f.operands & READS_REG)) || (rm && (f.operands & READS_RM))) return LOOKS;
    return FORGETS;
}

static void pass_prefixes(struct code *c)
{
    *c = (struct code){.at = c->at};
    for (;; c->at++)
        if (*c->at == 0x66) c->is_short = true;
        else if (*c->at == 0xf2 || *c->at == 0xf3) c->has_repeat = true;
        else if (*c->at != 0x64 && *c->at != 0x2e) break;
    c->has_rex = (*c->at & 0xf0) == 0x40;
    if (c->has_rex) c->rex = *c->at++ & 15;
}

static bool is_ignored(const uint8_t *at, int *left);

/* Both ways; what a way finds takes of the same number of instructions. */
static bool ignore_both(const uint8_t *one, const uint8_t *other, int *left)
{
    return is_ignored(one, left) && is_ignored(other, left);
}

static bool is_ignored(const uint8_t *at, int *left)
{
    struct code c = {.at = at};
    while ((*left)-- > 0) {
        pass_prefixes(&c);
        uint8_t op = *c.at++;
        bool is_two = op == 0x0f;
        if (is_two) op = *c.at++;
        if (!is_two && op == 0xe8) return true;
        if (!is_two && op == 0xeb) c.at += 1 + number(c.at, 1);
        else if (!is_two && op == 0xe9) c.at += 4 + number(c.at, 4);
        else if (!is_two && op >= 0x70 && op <= 0x7f) return ignore_both(c.at + 1, c.at + 1 + number(c.at, 1), left);
        else if (is_two && op >= 0x80 && op <= 0x8f) return ignore_both(c.at + 4, c.at + 4 + number(c.at, 4), left);
        else if (!is_two && op == 0x90 && !c.rex) continue;
        else if (!is_two && op == 0xc9) continue;
        else if (is_two && op == 0x1e && *c.at == 0xfa) c.at++; /* endbr64 */
        else if (!is_two && op >= 0x50 && op <= 0x5f) {
            if ((op & 7) == RAX && !(c.rex & 1)) return op >= 0x58 && !c.is_short;
        } else if (!is_two && op >= 0xb8 && op <= 0xbf) {
            if ((op & 7) == RAX && !(c.rex & 1)) return !c.is_short;
            c.at += c.rex & 8 ? 8 : c.is_short ? 2 : 4;
        } else {
            enum use use = use_of(&c, op, is_two);
            if (use != PASSES) return use == FORGETS;
        }
    }
    return false;
}

bool rt_result_is_ignored(uintptr_t pc)
{
    int left = MOST_INSTRUCTIONS;
    return pc && is_ignored((const uint8_t *)pc, &left);
}

#else

bool rt_result_is_ignored(uintptr_t pc)
{
    (void)pc;
    return false;
}

#endif
