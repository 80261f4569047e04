/* One check of a real program, shared by `heddle check` and `heddle replay`. Internal to src/check. */
#ifndef HEDDLE_NATIVE_INT_H
#define HEDDLE_NATIVE_INT_H

#include "base/progress.h"
#include "base/tempdir.h"
#include "check/check.h"
#include "native/native.h"

enum { EXPLORE_DEFAULT = -1 }; /* no --explore */
struct native_options {
    int explore, portfolio_off, points, races, isolate, memory, volatiles, files;
    const char *audit;      /* NULL: within a budget; empty: without one; "off" */
    int64_t fair_bound, max_steps, executions, jobs;
    double step_time;
    int64_t threads;
    bool sequential, leaks, doctor, locals, digest, suggest_orders, estimate;
    const char *spurious, *cflags, *ldflags, *compiler, *exit, *input;
    struct option_list libraries;
};
extern const struct engine engine_native;

/* native_portfolio.c: the other strategies of a default check. */
struct portfolio {
    bool wanted;
    enum { SCOUT_WAITS, SCOUT_RUNS, SCOUT_FOUND, SCOUT_IS_OVER } state; /* FOUND: an error that was run again */
    const struct check_job *job;
    struct result *result;
    struct native_run *search;       /* the systematic one, while it runs */
    struct limits limits;            /* of the search: an error of the scout moves the deadline */
    struct limits scout_limits;
    double started;
    int bound;                       /* rows of the ledger when it was last looked at, */
    double bound_since;              /* processor time of the search when the last of them began */
    struct native_run scout, found;  /* found: the recorded error */
    int cost;                        /* preemptions and the like of the error */
    double found_after;              /* seconds since `started`, */
    uint64_t search_executions;      /* and executions of the search by then */
};

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
    int spurious;
    int most_threads;         /* at a time, with which creators were held back; 0: none was */
    int most_in_all;          /* as in struct rt_config */
    bool has_shares;          /* the program creates so many threads that several limits are tried, one after another */
    struct progress progress;
    bool divides;             /* the processes of a job may have parts of the exploration that it is about */
    struct { uint64_t processes, messages, bytes, parts; } job; /* of process 0: what it sent and got, parts that others
                                                                   answered; processes 0: it was alone */
    bool shows_ledger;        /* while the exploration that it is about goes on */
    struct { int levels; uint32_t relearnt; } printed; /* of the ledger */
    struct portfolio portfolio;
    struct prediction predicted; /* --estimate; walks 0: there is none */
    char *hash;               /* of the program, once it was needed */
    struct { uint64_t executions; double since; bool is_told; } slow; /* since when there were as many executions */
    struct native_run run;
    struct symbols *symbols;
    struct native_foreign foreign;
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
/* native_portfolio.c. The limits are those of the search beside which the portfolio runs. */
bool portfolio_is_wanted(const struct check_job *job);
const struct limits *portfolio_begin(struct check *c, const struct check_job *job, struct result *r);
void portfolio_watch(struct check *c); /* a few times per second while the search runs */
void portfolio_end(struct check *c, struct result *r); /* the search has ended */
void portfolio_release(struct check *c);
/* native_audit.c: what calls into foreign code access unannounced */
bool check_audit_parse(const char *text, enum rt_audit *audit);
void check_cover_audit(const struct check *c, struct part *p);
void check_print_audit(const struct check *c);
/* native_threads.c: explores a program that has more threads at a time than there can be, or than are wanted */
void check_cover_threads(const struct rt_shared *s, struct part *p);
bool check_is_complete(const struct rt_shared *s);
void check_limit_threads(struct check *c, struct rt_config config, const struct limits *limits,
                         struct native_run *run);
void check_explore_once(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run);
/* native_progress.c */
void check_print_share(const struct check *c, const struct native_run *run, double seconds);
void check_show_progress(void *context, const struct rt_shared *s); /* context: the check */
void check_watch(void *context, const struct rt_shared *s); /* the same, with a look at the portfolio */
void check_print_team(const struct check *c, const struct result *r);
void check_print_unbounded(const struct check *c, const struct result *r);
void check_print_near(const struct check *c, const struct result *r);
void check_print_ledger(struct check *c, const struct rt_shared *s, int levels); /* the first so many, each once */
bool check_minimises(const struct rt_config *c); /* the first error has the fewest preemptions */
void suggest_orders(struct check *c, struct result *r); /* suggest.c: --suggest-orders, after the check */
void verify_program(struct check *c, struct result *r); /* verify_native.c: --verify, after the check */
void verify_swaps(struct check *c, struct result *r); /* verify_swap.c: --verify=swap, after the check */
const char **check_arguments(const char **words, size_t count);
void check_note_output(struct trace *t, const char *output);

/* native_estimate.c: predicts the number of executions before the check begins */
void check_estimate(struct check *c, struct result *r);

/* native_foreign.c */
void cover_foreign(struct check *c, struct part *p);
void print_foreign_functions(struct check *c); /* warnings */

/* native_record.c. Runs the schedule of `from` in a fresh process with everything recorded; its first `steps` steps,
 * then on without preemptions. */
void check_record(struct check *c, const struct rt_shared *from, size_t steps, struct native_run *out);
/* The whole schedule. An error must not get lost: if hardly any time is left, it takes a moment more. */
void check_record_soon(struct check *c, const struct rt_shared *from, struct native_run *out);
/* Writes the trace of a recorded failure, in case that nothing better comes of it. */
void check_keep_trace(struct check *c, const struct check_job *job, struct result *r,
                      const struct native_run *recorded);
bool check_same_failure(const struct rt_shared *a, const struct rt_shared *b);
/* Replaces a recorded failure by the same one with fewer preemptions, or as many and fewer steps; false: there is none.
 */
bool check_simplify(struct check *c, struct native_run *recorded);
/* Runs the schedule of `found` with everything recorded; false, with nothing to release, unless it is the wanted
 * failure with fewer preemptions, or as many and fewer steps. */
bool check_reproduces(struct check *c, const struct rt_shared *found, const struct rt_shared *wanted,
                      struct native_run *out);
/* native_shorten.c: replaces a recorded failure of many steps by the same one with fewer steps and no more preemptions;
 * false: none was found. */
bool check_shorten(struct check *c, struct native_run *recorded);
bool check_is_long(const struct native_run *recorded); /* whether shortening it is worth the time */
/* Replaces a recorded failure that has stale reads or early writes by an interleaving that fails in the same way and
 * costs no more, which is easier to understand; false: none was found. */
bool check_prefer_interleaving(struct check *c, struct native_run *recorded);
/* What the last preemption contributes: the same schedule up to it, then on without. NULL: it fails all the same. */
const char *check_explain_preemption(struct check *c, const struct native_run *recorded, struct trace *t);

/* The command line of the check that a trace is of. Returns what is wrong with it, or NULL; to be released anyway. */
struct native_command {
    struct common_options common;
    struct native_options options;
    struct option_words words, rest;
    struct arena arena;
};
const char *native_command_of_trace(const struct trace *t, struct native_command *c);
void native_command_release(struct native_command *c);

/* As in struct engine. */
int native_replay(const struct trace *trace, const struct replay_options *o);
char *native_simplify(const struct trace *trace, const struct replay_options *o, struct trace **better);
char *native_distrusts(const struct trace *t, const char *directory); /* native_trust.c */
/* native_advice.c: fills what `result` says about the next step after a check that proved nothing, or took long. */
void native_advise(struct check *c, const struct check_job *job, struct result *r);
void native_cover_waiting(const struct check *c, struct part *p); /* native_waiting.c */
void native_cover_unexplored(const struct rt_shared *s, struct part *p); /* native_unexplored.c */

#endif
