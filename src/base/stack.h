/* A stack for functions whose recursion is as deep as their input. */
#ifndef HEDDLE_STACK_H
#define HEDDLE_STACK_H

#include <stddef.h>

/* Calls fn(ctx) on a stack of a gigabyte, whatever the limit of the caller's own stack is, and returns when fn has
 * returned. The system provides memory only for the part that is used. Where there is no room for so large a stack,
 * fn gets a smaller one, at worst the caller's. */
void stack_call(void (*fn)(void *ctx), void *ctx);
/* The size of the stack of the calling thread in bytes. */
size_t stack_size(void);

#endif
