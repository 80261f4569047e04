/* What the readers of assembler text share: assembly.c (where statements of the program's own are), instructions.c
 * (what one instruction means), frame.c (whether anybody but a function knows where its variables are). */
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

#endif
