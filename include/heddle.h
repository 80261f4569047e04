/* What a program checked with Heddle may say to it. `heddle cc`, `heddle c++` and `heddle check` define __HEDDLE__; in
 * an ordinary build nothing has to be linked: nothing is chosen or assumed, and heddle_assert() is assert(). */
#ifndef HEDDLE_H
#define HEDDLE_H

#ifdef __HEDDLE__

#ifdef __cplusplus
extern "C" {
#endif

/* One of 0, 1, ..., n-1: all of them are tried. */
unsigned heddle_nondet(unsigned n);

/* Executions in which the condition is false are of no interest and end here. */
void heddle_assume(int condition);

/* This thread cannot go on usefully before others have run. */
void heddle_yield(void);

void heddle_assert_failed(const char *condition, const char *file, unsigned line);
#define heddle_assert(condition) ((condition) ? (void)0 : heddle_assert_failed(#condition, __FILE__, __LINE__))

#ifdef __cplusplus
}
#endif

#else

#include <assert.h>

static inline unsigned heddle_nondet(unsigned n) { return (void)n, 0; }
static inline void heddle_assume(int condition) { (void)condition; }
static inline void heddle_yield(void) {}
#define heddle_assert(condition) assert(condition)

#endif

#endif
