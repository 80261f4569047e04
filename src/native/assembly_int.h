/* What the readers of assembler text share: assembly.c (where statements of the program's own are), instructions.c
 * (what one instruction means), frame.c (whether anybody but a function knows where its variables are), marks.c (where
 * functions are). */
#ifndef HEDDLE_NATIVE_ASSEMBLY_INT_H
#define HEDDLE_NATIVE_ASSEMBLY_INT_H

#include "base/base.h"

/* Cut up in place: the name without prefixes and labels, and what lies between commas. */
struct instruction {
    const char *name;                 /* "" where there is none */
    const char *operands[6];
    int count;
};
void instruction_split(struct instruction *i, char *text);
/* 0: nothing; a code of assembly.c; or one of these two: memory of the function's own frame, by its stack pointer or by
 * its base pointer. */
enum { IN_FRAME_BY_STACK = 's', IN_FRAME_BY_BASE = 'b' };
char instruction_meaning(const struct instruction *i);
/* The same of an instruction that the compiler wrote: 'T' does not repeat, 'V' accesses memory by a mask or indices,
 * 'X' keeps registers in so much memory as the processor decides. */
char instruction_is_unseen(const struct instruction *i);
bool instruction_is_call(const struct instruction *i);
bool instruction_jumps(const struct instruction *i);

/* What a function, as far as it was read, does with addresses of its own frame. Sets: see frame.c. */
struct frame_use {
    unsigned holds;    /* registers that have had such an address */
    unsigned leaks;    /* what went where it cannot be followed: registers, or an address of the frame itself */
    unsigned carried[2]; /* what the registers are made of that calls overwrite */
    bool base_is_any;  /* the base pointer is a register like others */
    bool entered;      /* past the straight beginning, where registers are saved */
};
void frame_see(struct frame_use *u, const struct instruction *i);
void frame_see_label(struct frame_use *u);
bool frame_is_private(const struct frame_use *u, char meaning); /* meaning: how it is accessed, as above */

/* simulate.c */
enum { SIMULATED_REGISTERS = 16 };
enum { FROM_FRAME = 1, FROM_RESULT = 2, FROM_CONSTANT = 4, FROM_ELSEWHERE = 8, FROM_THREAD = 16 };
/* A value: an address and all that is computed from it keeps where it is from. RESULT: the first argument, which may be
 * the place of a structure that is returned; ELSEWHERE: a symbol of another file, which may be a constant. */
struct simulated { uint64_t number; uint8_t from; };
struct simulated_slot { uint64_t at; struct simulated value; };
struct announcement { uint64_t at; size_t size; bool write; };
struct stores { uint64_t offset; unsigned count; };
struct simulation {
    struct simulated registers[SIMULATED_REGISTERS];
    unsigned writes[SIMULATED_REGISTERS]; /* in the whole function, of registers that calls leave alone */
    VEC(struct stores) stores;            /* to places of its frame, by their offset from the base pointer */
    uint64_t base, lowest;                /* what the base pointer is, and the stack pointer in the middle of it */
    bool has_base;
    size_t replaced; /* size of a volatile access, or of a load that clang leaves behind its atomic one; 0: none */
    VEC(struct simulated_slot) frame;
    VEC(struct announcement) announced; /* since the last place that code can come to from elsewhere */
    struct map constants, variables;    /* symbols that this file defines */
    uint64_t count, labels, memory;     /* of unknown values, of labels, of changes of other memory */
    bool announces, enters;             /* the function tells of accesses, of being entered */
};
/* What an instruction accesses outside of the frame and was not announced. */
struct sim_access { const char *operand; size_t size; uint8_t from; bool reads, writes; };
void simulation_clear(struct simulation *s);
void simulation_count(struct simulation *s, const struct instruction *i);
void simulation_begin(struct simulation *s); /* of a function */
void simulation_label(struct simulation *s);
void simulation_step(struct simulation *s, const struct instruction *i, struct sim_access *out);
size_t instruction_string_unit(const struct instruction *i);
size_t instruction_masked_unit(const struct instruction *i);
/* What lies at the operand, or (a register) where it points, is known to the function alone, or does not change. */
bool simulation_is_private(const struct simulation *s, const char *operand, bool write);
bool simulation_string(const struct simulation *s, bool destination, size_t unit);
bool simulation_returns_result(const struct simulation *s);
void simulation_release(struct simulation *s);

/* marks.c: the text for the assembler, with labels around functions, what observe.c adds to them, and a table of them
 * (assembler directives). Entries of the section: two addresses and a kind, each of eight bytes. */
#define MARKS_SECTION ".debug_heddle"
enum mark_kind { MARK_OBSERVED, MARK_FUNCTION, MARK_ASSEMBLY };
struct body_line { char *text; bool inside; struct str before; };
struct open_mark { char *name, *section; unsigned number; };
struct marks {
    bool by_clang;
    unsigned count;
    char *section;             /* the directive of the current one; NULL: .text */
    char *typed;               /* the name that was last said to be a function's */
    VEC(struct open_mark) open, closed; /* functions of the body */
    struct open_mark assembly; /* while in_assembly */
    bool in_assembly;
    VEC(struct body_line) body; /* lines of functions that have begun and not all ended */
    size_t entry;               /* the line behind the name of the first of them */
    bool plain_access, wide_access; /* of the body: not announced, of a size that compilers instrument, or not */
    bool atomic_access;
    bool leaves_atomics;        /* the body that ended last is instrumented, but not all of its atomic instructions */
    bool result_access, returns_result, has_assembly;
    struct simulation simulation;
    VEC(char *) names;         /* keys of its maps */
    struct str table;
};
bool marks_is_beginning(const char *word); /* of statements of the program's own */
bool marks_is_end(const char *word);
void marks_begin(struct marks *m, const char *text); /* of the whole file */
/* inside: the line is a statement of the program's own in assembly. */
void marks_see(struct marks *m, const char *line, bool inside, struct str *out);
void marks_end(struct marks *m, struct str *out);
void marks_assembly(struct str *out, const char *text);
/* observe.c */
/* Fills `before` of all lines of the body; false: it is a function that is not instrumented. */
bool observe_body(struct marks *m);

#endif
