/* Finding test cases. */
#ifndef HEDDLE_SUITE_INT_H
#define HEDDLE_SUITE_INT_H

#include "suite/suite.h"

struct test_case *suite_push(struct suite *s, const char *name, const char *file); /* copies; valid until the next */
void suite_remark(struct suite *s, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* What a check said of itself. */
struct said {
    const char *verdict, *kind;
    int64_t preemptions, contexts;
};
bool expectation_is_met(const char *expected, const struct said *s);
/* A case for each expectation in the first lines of a file; returns how many. */
int suite_add_expectations(struct suite *s, const char *path);

/* The test cases of a framework in an executable: false if it has none, or they cannot be listed. */
bool suite_add_framework(struct suite *s, const char *path);
/* The tests of a build directory of CMake. Returns 0, or -1 and a message. */
int suite_add_ctest(struct suite *s, const char *directory, const char **wrong);
/* What a program prints on standard output (heap, caller frees); NULL if it cannot be started or takes too long. */
char *suite_output_of(struct process *p);

#endif
