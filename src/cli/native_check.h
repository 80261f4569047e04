/* One check of a real program, shared by `heddle check` and `heddle replay`. */
#ifndef HEDDLE_NATIVE_CHECK_H
#define HEDDLE_NATIVE_CHECK_H

#include "base/progress.h"
#include "cli/cli.h"
#include "native/native.h"

struct native_options {
    int explore, points, races, isolate;
    int64_t fair_bound, max_steps, executions;
    double step_time;
    bool spurious, leaks, doctor;
    const char *cflags, *compiler;
};
extern const struct engine engine_native;

struct check {
    const struct native_options *options;
    struct common_options common;
    const char **files;
    size_t file_count;
    const char **arguments; /* NULL-terminated */
    char directory[32];     /* temporary; "" if none */
    char *executable;
    double compile_seconds;
    struct progress progress;
    struct native_run run;
    struct symbols *symbols;
};

/* Compiles, or finds the executable, and reads its symbols. Returns 0 or an exit status. */
int check_prepare(struct check *c);
void check_release(struct check *c);
struct rt_config check_config(const struct check *c);
struct native_program check_program(const struct check *c);
const char **check_arguments(const char **words, size_t count);
char *check_hash(const struct check *c); /* of the executable */
void check_note_output(struct trace *t, const char *output);

int native_replay(const struct trace *trace, int argc, char **argv);

#endif
