/* What came of one or many checks, for other programs: JUnit, SARIF, annotations of GitHub, compilers' error lines.
 *
 * Nothing here decides anything: an outcome says what was decided, and each writer escapes it for its own format. */
#ifndef HEDDLE_REPORT_H
#define HEDDLE_REPORT_H

#include "trace/trace.h"

enum outcome_kind {
    OUTCOME_BROKEN,  /* it could not be checked: bad input */
    OUTCOME_UNKNOWN, /* a limit came first */
    OUTCOME_FAILED,
    OUTCOME_KNOWN,   /* fails, and is known to */
    OUTCOME_PASSED,
    OUTCOME_KINDS
};
const char *outcome_word(enum outcome_kind kind);

/* What an error can be, as traces and --json call it, and in words; the last one has no name. */
struct error_kind { const char *name, *description; };
extern const struct error_kind error_kinds[];

/* Strings belong to whoever made it. */
struct outcome {
    const char *name, *file;
    enum outcome_kind kind;
    const char *verdict;       /* the line without "heddle: "; what is wrong, if it is broken */
    const char *error_kind, *message, *location; /* of an error; NULL: none */
    const char *expected;      /* what it was to be, NULL: nothing was said about it */
    const struct trace *trace; /* of an error; may be NULL */
    double seconds;
};
struct outcomes { struct outcome *at; size_t len, cap; };

/* With no_times what is written for the same outcomes is the same, byte by byte. */
void report_junit(const struct outcomes *o, bool no_times, FILE *out);
void report_sarif(const struct outcomes *o, FILE *out);
void report_github(const struct outcome *o, FILE *out);        /* one line, or nothing if it passed */
void report_compiler_line(const struct outcome *o, FILE *out); /* "file:line: error: ...", as compilers do */
/* Opens the file for one of the above: 0, or -1 with errno and no file. */
int report_file(const char *path, const struct outcomes *o, bool no_times, bool sarif);
/* As text in a fixed order: what is wrong with it, for comparison with what is known. */
void outcome_key(const struct outcome *o, struct str *out);
/* Where it fails: a file that can be opened from here, and the line, 0: not known. */
int outcome_place(const struct outcome *o, struct str *file);

#endif
