/* One check of a real program, shared by `heddle check` and `heddle replay`. Internal to src/check. */
#ifndef HEDDLE_NATIVE_INT_H
#define HEDDLE_NATIVE_INT_H

#include "base/progress.h"
#include "base/tempdir.h"
#include "check/check.h"
#include "native/native.h"

struct native_options {
    int explore, points, races, isolate, memory, volatiles, files;
    int64_t fair_bound, max_steps, executions, jobs;
    double step_time;
    bool spurious, leaks, doctor, locals, digest, suggest_orders;
    const char *cflags, *ldflags, *compiler, *exit, *input;
    struct option_list libraries;
};
extern const struct engine engine_native;

struct check {
    const struct native_options *options;
    struct common_options common;
    const struct limits *limits; /* NULL: none */
    const char **files;
    size_t file_count;
    const char *copies;     /* a directory of copies, which is not to be seen in names of files; NULL: none */
    const char **arguments; /* NULL-terminated */
    struct tempdir journal;   /* of files that the program changes */
    struct tempdir directory; /* of the executable, if it was compiled here */
    char *executable;
    double compile_seconds;
    struct progress progress;
    bool divides;             /* the processes of a job may have parts of the exploration that it is about */
    struct { uint64_t processes, messages, bytes, parts; } job; /* of process 0: what it sent and got, parts that others
                                                                   answered; processes 0: it was alone */
    bool shows_ledger;        /* while the exploration that it is about goes on */
    struct { int levels; uint32_t relearnt; } printed; /* of the ledger */
    struct native_run run;
    struct symbols *symbols;
    struct rt_input input;
    uint8_t exit_accepted[256 / 8]; /* as in struct rt_config */
    const struct rt_site *sites; /* memory orders that explorations are to use, or NULL */
    uint32_t site_count;
};

/* Compiles, or finds the executable, and reads its symbols. Returns 0 or an exit status. */
int check_prepare(struct check *c);
void check_release(struct check *c);
char *check_hash(const struct check *c); /* of what was prepared (heap) */
struct rt_config check_config(const struct check *c);
struct native_program check_program(const struct check *c);
/* Explores the program as the configuration says, with as many threads as it needs. The run is the caller's to release.
 */
void check_explore(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run);
int check_processes(const struct check *c); /* that explore on this machine at a time */
/* native_job.c: explorations by several processes of a job, where they are divided; and what the others do. */
int native_job_explorers(const struct check *c); /* in other processes; 0: it is not divided */
void native_job_run(struct check *c, struct native_run *run, const struct native_program *p,
                    const struct limits *limits);
void native_job_serve(struct check *c);
/* native_progress.c */
void check_show_progress(void *context, const struct rt_shared *s); /* context: the check */
void check_print_ledger(struct check *c, const struct rt_shared *s, int levels); /* the first so many, each once */
bool check_minimises(const struct rt_config *c); /* the first error has the fewest preemptions */
void suggest_orders(struct check *c, struct result *r); /* suggest.c: --suggest-orders, after the check */
void verify_program(struct check *c, struct result *r); /* verify_native.c: --verify, after the check */
const char **check_arguments(const char **words, size_t count);
void check_note_output(struct trace *t, const char *output);

/* native_record.c. Runs the schedule of `from` in a fresh process with everything recorded; its first `steps` steps,
 * then on without preemptions. */
void check_record(struct check *c, const struct rt_shared *from, size_t steps, struct native_run *out);
bool check_same_failure(const struct rt_shared *a, const struct rt_shared *b);
/* Replaces a recorded failure by the same one with fewer preemptions, or as many and fewer steps; false: there is none.
 */
bool check_simplify(struct check *c, struct native_run *recorded);
/* What the last preemption contributes: the same schedule up to it, then on without. NULL: it fails all the same. */
const char *check_explain_preemption(struct check *c, const struct native_run *recorded, struct trace *t);

int native_replay(const struct trace *trace, const struct replay_options *o);
char *native_simplify(const struct trace *trace, struct trace **better); /* as in struct engine */

#endif
