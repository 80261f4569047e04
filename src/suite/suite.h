/* Many checks: finding what can be checked, running it beside each other, and judging what came out.
 *
 * A case is one `heddle check` in a process of its own, so that one that goes wrong takes nothing with it. What it says
 * is read from its JSON. Cases and outcomes stand in the order in which they were found, whichever ends first. */
#ifndef HEDDLE_SUITE_H
#define HEDDLE_SUITE_H

#include "base/process.h"
#include "report/report.h"

struct test_case {
    const char *name, *file;
    const char *expected;      /* what the file says must come out, NULL: nothing */
    int line;                  /* where it says so */
    const char *wrong;         /* with what it says: then nothing is run; NULL: nothing */
    const char *directory;     /* to run in, NULL: this one */
    struct words options;      /* for check */
    struct words arguments;    /* for the program */
    struct words environment;
};

struct suite {
    struct arena arena;        /* all strings of cases and outcomes */
    VEC(struct test_case) cases;
    VEC(struct trace *) traces; /* owned; outcomes point to them */
    VEC(const char *) remarks; /* what was found and left out, and why */
};

/* Adds what a word of the command line stands for: a model, a program, an executable with or without the test cases
 * of a framework in it, a directory, a build directory of CTest. Returns 0, or -1 and a message (in the arena). */
int suite_add(struct suite *s, const char *path, const char **wrong);
void suite_release(struct suite *s);

/* Why these options are not for tests, in words; NULL: they are. */
const char *suite_refused_option(struct arena *a, const struct words *options);

struct suite_options {
    int jobs;
    double time;             /* of each case, seconds */
    size_t memory;           /* of each case, bytes; 0: shared out */
    const char *bound;       /* as given, NULL: none */
    const char *options;     /* more words for every check, NULL: none */
    const char *trace_directory;
    void (*done)(void *context, const struct outcome *o); /* called in order */
    void *context;
};
/* False if it was interrupted; `out` then has what was finished. */
bool suite_run(struct suite *s, const struct suite_options *o, struct outcomes *out);

/* What is known to fail: a line for each, as outcome_key() writes it. Fails that are listed become OUTCOME_KNOWN. A
 * line is `seen` if its test fails so, and `run` if its test was run at all. */
struct known_failure { char *key; bool seen, run; };
struct baseline { VEC(struct known_failure) lines; };
int baseline_read(struct baseline *b, const char *path); /* 0, or -1 with errno */
void baseline_apply(struct baseline *b, struct outcome *o);
/* What fails now, and of what was known the lines whose tests were not run. 0, or -1 with errno. */
int baseline_write(const struct baseline *b, const struct outcomes *o, const char *path);
void baseline_release(struct baseline *b);

#endif
