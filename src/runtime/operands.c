/* A decoder for the memory operands of x86-64 instructions: prefixes, REX, VEX and EVEX, the four opcode maps as far as
 * compilers and the C library use them. It computes addresses and sizes, not what the instruction does. Segments are
 * ignored: thread-local variables are never protected. An instruction outside the tables is unknown. */
#include "runtime/operands.h"

#include <string.h>

enum { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };
enum access { NONE, READ, WRITE, BOTH };

struct decoder {
    const uint8_t *at, *start;
    const struct operand_registers *r;
    bool is_wide, has_66, has_f2, has_f3, is_vex, is_evex, is_broadcast;
    uint8_t rex_r, rex_x, rex_b, map, opcode, modrm, vector, mask; /* mask: number of the register; 0: none */
};

static uint8_t next(struct decoder *d) { return *d->at++; }
static uint8_t mode(const struct decoder *d) { return d->modrm >> 6; }
static uint8_t digit(const struct decoder *d) { return d->modrm >> 3 & 7; }
static size_t word(const struct decoder *d) { return d->is_wide ? 8 : d->has_66 ? 2 : 4; }
static size_t quad(const struct decoder *d) { return d->is_wide ? 8 : 4; }

/* ---- what comes before the opcode ---- */

static bool is_prefix(struct decoder *d, uint8_t byte)
{
    switch (byte) {
    case 0x66: d->has_66 = true; return true;
    case 0xf2: d->has_f2 = true; return true;
    case 0xf3: d->has_f3 = true; return true;
    case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0xf0: return true;
    default: return false;
    }
}

static void set_simd_prefix(struct decoder *d, uint8_t pp)
{
    d->has_66 = pp == 1;
    d->has_f3 = pp == 2;
    d->has_f2 = pp == 3;
}

static void read_vex(struct decoder *d, bool is_long)
{
    uint8_t first = next(d), last = is_long ? next(d) : first;
    d->is_vex = true;
    d->rex_r = !(first & 0x80);
    d->rex_x = is_long && !(first & 0x40);
    d->rex_b = is_long && !(first & 0x20);
    d->map = is_long ? first & 0x1f : MAP_0F;
    d->is_wide = is_long && last & 0x80;
    d->vector = last & 4 ? 32 : 16;
    set_simd_prefix(d, last & 3);
}

static void read_evex(struct decoder *d)
{
    uint8_t p0 = next(d), p1 = next(d), p2 = next(d);
    d->is_vex = d->is_evex = true;
    d->rex_r = !(p0 & 0x80);
    d->rex_x = !(p0 & 0x40);
    d->rex_b = !(p0 & 0x20);
    d->map = p0 & 7;
    d->is_wide = p1 & 0x80;
    set_simd_prefix(d, p1 & 3);
    d->vector = (uint8_t)(16u << (p2 >> 5 & 3));
    d->is_broadcast = p2 & 0x10;
    d->mask = p2 & 7;
}

static void read_escape(struct decoder *d)
{
    d->map = MAP_0F;
    if (*d->at == 0x38) d->map = MAP_0F38, d->at++;
    else if (*d->at == 0x3a) d->map = MAP_0F3A, d->at++;
}

static void read_opcode(struct decoder *d)
{
    d->vector = 16;
    uint8_t byte = next(d);
    while (is_prefix(d, byte)) byte = next(d);
    if ((byte & 0xf0) == 0x40) {
        d->is_wide = byte & 8;
        d->rex_r = byte & 4;
        d->rex_x = byte & 2;
        d->rex_b = byte & 1;
        byte = next(d);
    }
    if (byte == 0xc5 || byte == 0xc4) read_vex(d, byte == 0xc4);
    else if (byte == 0x62) read_evex(d);
    else if (byte == 0x0f) read_escape(d);
    else {
        d->opcode = byte;
        return;
    }
    d->opcode = next(d);
}

/* ---- sizes ---- */

struct shape { enum access access; size_t size; bool is_loose; };
#define SHAPE(...) ((struct shape){__VA_ARGS__})

static size_t immediate(const struct decoder *d)
{
    uint8_t op = d->opcode, low = digit(d);
    if (d->map == MAP_0F3A) return 1;
    if (d->map == MAP_0F)
        return op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ||
               (op >= 0x70 && op <= 0x73);
    if (d->map != MAP_ONE) return 0;
    size_t full = d->has_66 ? 2 : 4;
    switch (op) {
    case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6: case 0x6b: return 1;
    case 0x81: case 0xc7: case 0x69: return full;
    case 0xf6: return low < 2;
    case 0xf7: return low < 2 ? full : 0;
    default: return 0;
    }
}

/* The old floating-point instructions, by opcode and the digit in the second byte: positive sizes are read, negative
 * ones are written. */
static struct shape shape_of_x87(const struct decoder *d)
{
    static const int8_t sizes[8][8] = {
        {4, 4, 4, 4, 4, 4, 4, 4},     {4, 0, -4, -4, 28, 2, -28, -2}, {4, 4, 4, 4, 4, 4, 4, 4},
        {4, -4, -4, -4, 0, 10, 0, -10}, {8, 8, 8, 8, 8, 8, 8, 8},       {8, -8, -8, -8, 108, 0, -108, -2},
        {2, 2, 2, 2, 2, 2, 2, 2},     {2, -2, -2, -2, 10, 8, -10, -8}};
    int size = sizes[d->opcode & 7][digit(d)];
    return size < 0 ? SHAPE(WRITE, (size_t)-size) : SHAPE(size ? READ : NONE, (size_t)size);
}

static struct shape shape_of_one(const struct decoder *d)
{
    uint8_t op = d->opcode, low = digit(d);
    size_t size = op & 1 ? word(d) : 1;
    if (op < 0x40 && (op & 7) < 4) return SHAPE((op & 2) || (op & 0x38) == 0x38 ? READ : BOTH, size);
    if (op >= 0xd8 && op <= 0xdf) return shape_of_x87(d);
    switch (op) {
    case 0x63: return SHAPE(READ, 4);
    case 0x69: case 0x6b: return SHAPE(READ, word(d));
    case 0x80: case 0x81: return SHAPE(low == 7 ? READ : BOTH, size);
    case 0x83: return SHAPE(low == 7 ? READ : BOTH, word(d));
    case 0x84: case 0x85: case 0x8a: case 0x8b: return SHAPE(READ, size);
    case 0x86: case 0x87: case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3: return SHAPE(BOTH, size);
    case 0x88: case 0x89: case 0xc6: case 0xc7: return SHAPE(WRITE, size);
    case 0x8c: return SHAPE(WRITE, 2);
    case 0x8e: return SHAPE(READ, 2);
    case 0x8f: return SHAPE(WRITE, 8);
    case 0xf6: case 0xf7: return SHAPE(low == 2 || low == 3 ? BOTH : READ, size);
    case 0xfe: return SHAPE(BOTH, 1);
    case 0xff: return low < 2 ? SHAPE(BOTH, word(d)) : SHAPE(READ, 8);
    default: return SHAPE(NONE, 0);
    }
}

/* Scalars are told from vectors by the prefix. */
static size_t scalar_or_vector(const struct decoder *d) { return d->has_f3 ? 4 : d->has_f2 ? 8 : d->vector; }
static size_t integer_vector(const struct decoder *d) { return d->has_66 || d->is_vex ? d->vector : 8; }

static struct shape shape_of_move(const struct decoder *d)
{
    bool is_scalar = d->has_f3 || d->has_f2;
    switch (d->opcode) {
    case 0x10: return SHAPE(READ, scalar_or_vector(d), !is_scalar);
    case 0x11: return SHAPE(WRITE, scalar_or_vector(d));
    case 0x12: case 0x16: return SHAPE(READ, d->has_f3 ? d->vector : 8);
    case 0x13: case 0x17: return SHAPE(WRITE, 8);
    case 0x28: return SHAPE(READ, d->vector, true);
    case 0x29: case 0x2b: return SHAPE(WRITE, d->vector);
    case 0x2a: return SHAPE(READ, is_scalar ? quad(d) : 8);
    case 0x2c: case 0x2d: return SHAPE(READ, d->has_f3 ? 4 : 8);
    case 0x2e: case 0x2f: return SHAPE(READ, d->has_66 ? 8 : 4);
    case 0x6e: return SHAPE(READ, quad(d));
    case 0x6f: return SHAPE(READ, d->has_f3 || d->has_f2 ? d->vector : integer_vector(d), true);
    case 0x7e: return d->has_f3 ? SHAPE(READ, 8) : SHAPE(WRITE, quad(d));
    case 0x7f: return SHAPE(WRITE, d->has_f3 || d->has_f2 ? d->vector : integer_vector(d));
    case 0xd6: return SHAPE(WRITE, 8);
    case 0xe7: return SHAPE(WRITE, integer_vector(d));
    default: return SHAPE(NONE, 0);
    }
}

static struct shape shape_of_state(const struct decoder *d)
{
    static const struct shape shapes[8] = {{WRITE, 512}, {READ, 512}, {READ, 4}, {WRITE, 4},
                                           {WRITE, 576}, {READ, 576}, {NONE, 0}, {NONE, 0}};
    return shapes[digit(d)];
}

static struct shape shape_of_0f_integer(const struct decoder *d)
{
    switch (d->opcode) {
    case 0xa3: case 0xaf: case 0xb8: case 0xbc: case 0xbd: return SHAPE(READ, word(d));
    case 0xa4: case 0xa5: case 0xab: case 0xac: case 0xad: case 0xb3: case 0xbb: case 0xb1: case 0xc1:
        return SHAPE(BOTH, word(d));
    case 0xba: return SHAPE(digit(d) == 4 ? READ : BOTH, word(d));
    case 0xae: return shape_of_state(d);
    case 0xb0: case 0xc0: return SHAPE(BOTH, 1);
    case 0xb6: case 0xbe: return SHAPE(READ, 1);
    case 0xb7: case 0xbf: case 0xc4: return SHAPE(READ, 2);
    case 0xc2: return SHAPE(READ, scalar_or_vector(d));
    case 0xc3: return SHAPE(WRITE, quad(d));
    case 0xc6: return SHAPE(READ, d->vector);
    case 0xc7: return SHAPE(digit(d) == 1 ? BOTH : NONE, d->is_wide ? 16 : 8);
    default: return SHAPE(NONE, 0);
    }
}

static struct shape shape_of_0f(const struct decoder *d)
{
    uint8_t op = d->opcode;
    struct shape s = shape_of_move(d);
    if (s.access) return s;
    if (op == 0x0d || (op >= 0x18 && op <= 0x1f)) return s; /* hints */
    if (op >= 0x40 && op <= 0x4f) return SHAPE(READ, word(d));
    if (op >= 0x50 && op <= 0x5f) return SHAPE(READ, scalar_or_vector(d));
    if (op == 0x14 || op == 0x15) return SHAPE(READ, d->vector);
    if (op >= 0x60 && op <= 0x76) return SHAPE(READ, integer_vector(d), true);
    if (op >= 0x90 && op <= 0x9f) return SHAPE(WRITE, 1);
    if (op >= 0xd0) return SHAPE(READ, d->has_f2 ? d->vector : integer_vector(d), true);
    return shape_of_0f_integer(d);
}

static struct shape shape_of_0f38(const struct decoder *d)
{
    uint8_t op = d->opcode, kind = op & 0x0f;
    size_t vector = integer_vector(d);
    bool extends = (op >= 0x20 && op <= 0x25) || (op >= 0x30 && op <= 0x35);
    if (extends) return SHAPE(READ, vector >> (kind == 0 || kind == 3 || kind == 5 ? 1 : kind == 2 ? 3 : 2));
    switch (op) {
    case 0x18: case 0x58: return SHAPE(READ, 4);
    case 0x19: case 0x59: return SHAPE(READ, 8);
    case 0x1a: case 0x5a: return SHAPE(READ, 16);
    case 0x78: return SHAPE(READ, 1);
    case 0x79: return SHAPE(READ, 2);
    case 0x2e: case 0x2f: case 0x8e: return SHAPE(WRITE, vector, true);
    case 0xf0: return SHAPE(READ, d->has_f2 ? 1 : word(d));
    case 0xf1: return d->has_f2 ? SHAPE(READ, word(d)) : SHAPE(WRITE, word(d));
    case 0xf2: case 0xf3: case 0xf5: case 0xf6: case 0xf7: return SHAPE(READ, quad(d));
    default: break;
    }
    bool is_gather = (op >= 0x90 && op <= 0x93) || (op >= 0xa0 && op <= 0xa3);
    return is_gather ? SHAPE(NONE, 0) : SHAPE(READ, vector, true);
}

static struct shape shape_of_0f3a(const struct decoder *d)
{
    switch (d->opcode) {
    case 0x14: return SHAPE(WRITE, 1);
    case 0x15: return SHAPE(WRITE, 2);
    case 0x16: return SHAPE(WRITE, quad(d));
    case 0x17: return SHAPE(WRITE, 4);
    case 0x19: case 0x39: return SHAPE(WRITE, 16);
    case 0x1b: case 0x3b: return SHAPE(WRITE, 32);
    case 0x1d: return SHAPE(WRITE, d->vector / 2u);
    case 0x18: case 0x38: return SHAPE(READ, 16);
    case 0x1a: case 0x3a: return SHAPE(READ, 32);
    case 0x0a: case 0x21: return SHAPE(READ, 4);
    case 0x0b: return SHAPE(READ, 8);
    case 0x20: return SHAPE(READ, 1);
    case 0x22: case 0xf0: return SHAPE(READ, quad(d));
    default: return SHAPE(READ, integer_vector(d), true);
    }
}

static struct shape shape_of(const struct decoder *d)
{
    struct shape s = d->map == MAP_ONE    ? shape_of_one(d)
                     : d->map == MAP_0F   ? shape_of_0f(d)
                     : d->map == MAP_0F38 ? shape_of_0f38(d)
                     : d->map == MAP_0F3A ? shape_of_0f3a(d)
                                          : SHAPE(NONE, 0);
    if (d->is_broadcast && s.access == READ) s = SHAPE(READ, quad(d));
    if (d->mask) s.is_loose = true;
    return s;
}

/* ---- addresses ---- */

static int64_t displacement(struct decoder *d, size_t size, size_t scale)
{
    int32_t wide;
    int8_t narrow;
    if (size == 1) return memcpy(&narrow, d->at, 1), d->at += 1, narrow * (int64_t)scale;
    return memcpy(&wide, d->at, 4), d->at += 4, wide;
}

static uintptr_t address_of(struct decoder *d, size_t size)
{
    const uint64_t *general = d->r->general;
    uint8_t rm = d->modrm & 7;
    uint64_t base = 0;
    bool has_base = true;
    if (rm == 4) {
        uint8_t sib = next(d), index = (sib >> 3 & 7) | (d->rex_x ? 8 : 0);
        rm = sib & 7;
        if (index != 4) base = general[index] << (sib >> 6);
        if (rm == 5 && mode(d) == 0) has_base = false;
    } else if (rm == 5 && mode(d) == 0) {
        int64_t offset = displacement(d, 4, 1);
        return (uintptr_t)((int64_t)d->r->rip + (d->at - d->start) + (int64_t)immediate(d) + offset);
    }
    if (has_base) base += general[rm | (d->rex_b ? 8 : 0)];
    if (mode(d) == 1) return (uintptr_t)((int64_t)base + displacement(d, 1, d->is_evex ? size : 1));
    if (mode(d) == 2 || !has_base) return (uintptr_t)((int64_t)base + displacement(d, 4, 1));
    return base;
}

/* ---- masks ---- */

/* What one bit of the mask stands for, in moves and comparisons of integers; 0: not known. */
static size_t lane_of(const struct decoder *d)
{
    uint8_t op = d->opcode;
    bool is_move = d->map == MAP_0F && (op == 0x6f || op == 0x7f);
    bool is_float_move = d->map == MAP_0F && (op == 0x10 || op == 0x11 || op == 0x28 || op == 0x29);
    if ((is_move && d->has_f2) || (d->map == MAP_0F3A && (op == 0x3e || op == 0x3f))) return d->is_wide ? 2 : 1;
    bool has_large_lanes = is_move || is_float_move || (d->map == MAP_0F3A && (op == 0x1e || op == 0x1f));
    return has_large_lanes && !d->is_broadcast ? quad(d) : 0;
}

/* From the first lane of the mask to the last one. A comparison may still read more than the function needs. */
static void keep_lanes(const struct decoder *d, struct operands *o)
{
    struct operand *it = &o->at[0];
    size_t lane = d->mask && d->r->has_masks ? lane_of(d) : 0, lanes = lane ? it->size / lane : 0;
    if (!lanes) return;
    uint64_t mask = d->r->masks[d->mask] & (lanes < 64 ? (UINT64_C(1) << lanes) - 1 : UINT64_MAX);
    if (!mask) {
        o->count = 0;
        return;
    }
    unsigned first = (unsigned)__builtin_ctzll(mask), end = 64 - (unsigned)__builtin_clzll(mask);
    bool has_holes = (mask >> first) & ((mask >> first) + 1);
    it->address += first * lane;
    it->size = (end - first) * lane;
    if (it->writes) it->is_loose = has_holes;
}

/* ---- string instructions ---- */

static void add(struct operands *o, uintptr_t address, size_t size, enum access access, bool is_loose)
{
    o->at[o->count++] = (struct operand){address, size, access & READ, access & WRITE, is_loose};
}

/* A move and a store know how much they will access; the others may stop earlier, and count one unit. */
static bool decode_string(struct decoder *d, struct operands *o)
{
    enum { RCX = 1, RSI = 6, RDI = 7, BACKWARDS = 1 << 10 };
    static const enum access source[16] = {[4] = READ, READ, READ, READ, [12] = READ, READ},
                             target[16] = {[4] = WRITE, WRITE, READ, READ, [10] = WRITE, WRITE, [14] = READ, READ};
    uint8_t op = d->opcode;
    if (d->map != MAP_ONE || op < 0xa4 || op > 0xaf || op == 0xa8 || op == 0xa9) return false;
    const uint64_t *general = d->r->general;
    o->unit = (uint8_t)(op & 1 ? word(d) : 1);
    o->is_repeated = d->has_f2 || d->has_f3;
    bool is_whole = (op & 0xfe) == 0xa4 || (op & 0xfe) == 0xaa, is_backwards = d->r->flags & BACKWARDS;
    size_t units = o->is_repeated && is_whole ? general[RCX] : 1, size = units * o->unit;
    size_t back = is_backwards && units ? size - o->unit : 0;
    o->string = is_backwards ? STRING_OTHER : (op & 0xfe) == 0xa4 ? STRING_MOVE
                                          : (op & 0xfe) == 0xaa   ? STRING_STORE : STRING_OTHER;
    o->length = (uint8_t)(d->at - d->start);
    if (source[op & 15] && size) add(o, general[RSI] - back, size, source[op & 15], false);
    if (target[op & 15] && size) add(o, general[RDI] - back, size, target[op & 15], false);
    return true;
}

void operands_decode(const uint8_t *code, const struct operand_registers *r, struct operands *out)
{
    struct decoder d = {.at = code, .start = code, .r = r};
    *out = (struct operands){0};
    read_opcode(&d);
    out->is_known = decode_string(&d, out);
    if (out->is_known) return;
    d.modrm = next(&d);
    struct shape s = shape_of(&d);
    if (mode(&d) == 3 || !s.access) return;
    out->is_known = true;
    add(out, address_of(&d, s.size), s.size, s.access, s.is_loose && s.size >= 16);
    keep_lanes(&d, out);
}
