/* What a program checked with Heddle may say to it. Without Heddle none of this is needed: a program that includes this
 * header must be built with `heddle cc`, `heddle c++` or `heddle check`. */
#ifndef HEDDLE_H
#define HEDDLE_H

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

#endif
