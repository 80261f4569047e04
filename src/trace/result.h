/* What a check found out: the verdict line, the exit status and the JSON object of DESIGN, for every engine alike. */
#ifndef HEDDLE_RESULT_H
#define HEDDLE_RESULT_H

#include "trace/trace.h"

enum verdict { VERDICT_VERIFIED, VERDICT_BOUNDED, VERDICT_ERROR, VERDICT_UNKNOWN };

struct level { int64_t bound; uint64_t states, transitions, executions; double seconds; };

struct result {
    const char *file, *engine;
    enum verdict verdict;
    int64_t bound;             /* highest bound completed, -1: none */
    VEC(struct level) bounds;
    uint64_t states, transitions, executions, blocked, depth, state_bytes, memory_bytes, errors;
    double seconds, compile_seconds;
    char *covered;             /* UNKNOWN: what was covered and what cut it short (heap) */
    char *coverage;            /* BOUNDED: replaces "no error with at most N preemptions" where that is not the
                                  statement (heap, may be NULL) */
    struct trace *error;       /* the first error, or NULL */
    const char *trace_path;    /* where it was written, or NULL */
    bool nothing_to_report;    /* something was printed, nothing was checked */
};

void result_release(struct result *r);
void result_print_verdict(const struct result *r, FILE *out); /* the last line on stdout */
void result_print_json(const struct result *r, FILE *out);
int result_exit_status(const struct result *r);

#endif
