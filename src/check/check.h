/* One check, whatever the input: engines, what they covered, and the only place that turns that into a verdict.
 *
 * An engine never words or decides a verdict. It says for each thing that it looked for how far it came (struct part),
 * and registers everything that was cut short, left out or assumed (enum loss). The rules and the sentences are in
 * coverage.c, on one page. What nobody registered has earned nothing: the zero of everything here is UNKNOWN.
 * A result owns its strings and its trace; result_release() frees them. */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

#include "base/limits.h"
#include "base/options.h"
#include "show/show.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_BOUNDED, VERDICT_VERIFIED, VERDICT_ERROR };

/* Which schedules were explored to the end; the least of several decides. */
enum reach {
    REACH_NOTHING,
    REACH_CONTEXTS,    /* at most `bound` contexts per thread in a round robin */
    REACH_PREEMPTIONS, /* at most `bound` preemptions */
    REACH_FINITE,      /* finitely many preemptions: infinite schedules that preempt for ever were not looked at */
    REACH_ALL,
};

/* What can keep a completed exploration from being a proof; the table of coverage.c says what each of them does. */
enum loss {
    LOSS_TIME, LOSS_MEMORY, LOSS_INTERRUPTED, LOSS_DEPTH, LOSS_SWARM, LOSS_EXECUTIONS, LOSS_MAX_STEPS,
    LOSS_SAMPLING, LOSS_DIVERGED,
    LOSS_HASHES, LOSS_BITS, LOSS_REDUCTION, LOSS_SWITCHES, LOSS_WAY, LOSS_REPEAT, LOSS_UNABLE, LOSS_STUCK,
    LOSS_CONTROL, LOSS_FOREIGN, LOSS_UNOBSERVED, LOSS_YIELDS, LOSS_PLAIN_ACCESSES, LOSS_STARTS, LOSS_VALUES,
    LOSS_THREADS, LOSS_SHARE,
    LOSS_ENDLESS_STEPS, LOSS_FAILING_STEPS,
    LOSS_WEAK_MEMORY, LOSS_MIXED, LOSS_SPURIOUS, LOSS_UNEXPLORED, LOSS_WAITING, LOSS_FAIRNESS, LOSS_ENDS,
    LOSS_NO_THREADS, LOSS_SEQUENTIAL, LOSS_ASSUMED, LOSS_NOT_LOOKED_FOR, LOSS_NO_CHECKS,
    LOSS_VACUOUS, LOSS_UNAUDITED, LOSS_SECOND_OPINION,
    LOSS_COUNT
};
struct omission { enum loss loss; char *detail; }; /* detail: completes the words of the table, may be NULL */

/* One thing that was looked for. */
struct part {
    char *what;            /* "ltl p"; NULL: everything that the engine looks for by itself */
    bool violated;         /* an error was found: nothing is claimed */
    enum reach reach;
    int64_t bound;         /* highest bound completed, -1: none */
    uint64_t explored;     /* how much: states or schedules */
    const char *unit;      /* "state" */
    enum { COUNTS_PREEMPTIONS, COUNTS_STALE, COUNTS_DELAYS } counts; /* the bound: preemptions alone; stale accesses to
                              memory as well; delays of a deterministic scheduler instead */
    bool counts_spurious;  /* it counts what happens for no reason, too */
    int threads,
        switches; /* REACH_CONTEXTS: how many threads there are, and how many switches are covered in any case */
    VEC(struct omission) omissions;
};

/* A memory order that should be another one, or could be. */
struct order_advice { char *place, *what; const char *from, *to; };

struct coverage {
    VEC(struct part) parts;
    bool everything; /* every kind of error that this input can have was looked for: then it may be called "no error" */
};

struct part *coverage_add(struct coverage *c, const char *what); /* valid until the next call; copies */
void part_omit(struct part *p, enum loss loss, const char *format, ...) PRINTF_LIKE(3, 4); /* format may be NULL */
void part_omit_limit(struct part *p, enum limit reached, const struct limits *l);
enum verdict part_verdict(const struct part *p);
int64_t part_bound(
    const struct part *p); /* every schedule with at most so many preemptions (or contexts) was explored; -1: none */
enum verdict coverage_verdict(const struct coverage *c); /* never VERDICT_ERROR */
char *coverage_sentence(const struct coverage *c);       /* what follows the word in the verdict line (heap) */
int64_t coverage_bound(const struct coverage *c);        /* highest bound completed by all parts, -1: none */
void coverage_release(struct coverage *c);

struct level {
    int64_t bound;
    bool complete; /* everything within the bound was explored; else the numbers are how far it came */
    uint64_t states, transitions, executions;
    double seconds;
};

/* What a second, naive method makes of the check (--verify). */
enum verify_outcome { VERIFY_NOT_ASKED, VERIFY_AGREES, VERIFY_UNFINISHED, VERIFY_DISAGREES };
struct verification {
    enum verify_outcome outcome; /* the worst of all things that were compared */
    const char *method;
    char *found;                 /* what it found, in words (heap) */
    uint64_t states;             /* or schedules: how much it looked at */
    double seconds;
};

struct another_error { struct trace *trace; char *path; /* where it was written, NULL: nowhere (heap) */ };

/* --projection: what is on runs to an error. Statements of a program, or heads of a pushdown system (line 0). */
struct projected { int line, column; char *text, *thread, *state, *symbol; }; /* heap, NULL: not of its kind */
struct projection {
    bool known;      /* there was an error, and it was asked for */
    VEC(struct projected) list;
    const char *cut; /* there may be more: why */
    int rounds;      /* there may be more with more contexts per thread than this; 0: no */
};

/* A strategy that ran beside the search: its executions, and the orders of operations that it was the first to show.
 * With an error: when that was found, and the search's executions by then. */
struct team_row {
    const char *strategy;
    uint64_t executions, news, search_executions;
    double seconds;
    bool has_error;
};
/* The search without a bound beside a default check; strategy NULL: there was none. */
struct unbounded_search {
    const char *strategy;
    uint64_t executions, bounded; /* its own, and the other search's */
    bool decides;
};
/* The search near the start of long executions beside a default check; executions 0: there was none. */
struct near_search {
    uint64_t executions, steps; /* steps: its last limit on the steps of each thread, and with it */
    int bound;                  /* the number of preemptions */
    bool has_error;
};

/* How many executions a search needs that runs each happens-before graph once, predicted from random walks. */
struct prediction {
    uint64_t walks;                 /* 0: there is no prediction */
    double executions, least, most; /* the interval has a confidence of 95 % */
    double seconds;                 /* at the rate of the sample */
};

struct result {
    const char *file, *engine;
    struct coverage coverage;
    VEC(struct level) bounds;
    uint64_t states, transitions, executions, blocked, known, resumed, digest, depth, state_bytes, memory_bytes, errors;
    const char *explored_by; /* the strategy in place of the one that was asked for, which did not know an operation of
                                the program; NULL: none */
    /* How the executions of a real program ended. `executions` are the first three, `blocked` are those abandoned. */
    struct { uint64_t complete, waiting, cut, abandoned; bool known; } ends;
    double seconds, compile_seconds;
    struct {
        const char *mode, *order; /* mode NULL: none */
        bool backward;
        int rounds, threads, variables;
        uint64_t nodes;
        const char *weights; /* --weights, NULL: none, or not known */
        bool reached;        /* by a run that weighs something */
        int64_t weight;
        struct projection projection;
    } symbolic;
    /* by NULL: the error was not found by a probe beside the search */
    struct { const char *by; uint64_t states; double seconds, processor_seconds; } probe;
    struct trace *error;       /* the first error, or NULL */
    VEC(struct another_error) others; /* --all-errors: the others that have a run of their own */
    const char *trace_path;    /* where it was written, or NULL */
    char *no_trace; /* an error was found (kind and message are in `error`), but there is no run of it: why (heap) */
    char *no_detail;           /* its run is written, but was not run again for the details of its steps: why (heap) */
    bool maybe_simpler;        /* the error was not found in order of preemptions, */
    int64_t needed;            /* but it is proved that every error has at least so many; 0: nothing is proved */
    VEC(struct team_row) team; /* of a portfolio */
    struct unbounded_search unbounded;
    struct near_search near;
    bool lost_file;            /* a file that was asked for could not be written: exit 2 beside the verdict */
    char *advice;              /* what made the search large, in words, or NULL (heap) */
    char *change;              /* the smallest change of the program that would help, or NULL (heap) */
    char *next;                /* the command to run next, and why, or NULL (heap) */
    VEC(struct order_advice) orders; /* --suggest-orders */
    uint64_t orders_tried;     /* by so many checks */
    const char *orders_note;   /* why there is none, or NULL */
    uint64_t recent[2];        /* states that the last rounds found, and as many before; 0: not known (search.h) */
    struct prediction prediction; /* --estimate */
    double estimate;           /* schedules of the bound at which the run ended; 0: not known */
    /* processes 0: there was one; parts: that others explored, of what goes by parts */
    struct { uint64_t processes, messages, items, bytes, parts; bool by_parts; double idle; } cluster;
    bool no_times;             /* JSON without what differs from run to run: times and memory */
    bool nothing_to_report;    /* something was printed, nothing was checked */
    char *spent_checkpoint;    /* of a check that has come to its end, or NULL (heap) */
    struct verification verification;
};

enum verdict result_verdict(const struct result *r);
void result_release(struct result *r);
/* ", 0.25 s" in a line about progress, or nothing with --no-times. */
const char *seconds_words(char buffer[32], double seconds, const struct common_options *o);
void result_print_verification(const struct result *r, FILE *out); /* one line, or nothing if nobody asked */
void result_print_verdict(const struct result *r, FILE *out); /* the last line on stdout */
void result_print_others(const struct result *r, FILE *out); /* a line and a command for each other error */
/* How large the level after these two is at most, told by how they grow; 0: nothing is known. */
double level_limit(double before, double last);
bool result_was_cut(const struct result *r, enum loss loss); /* some part registered it */
size_t result_complete_bounds(const struct result *r);
bool result_wants_advice(const struct result *r, bool no_times); /* it was cut short, or took long */
void result_print_advice(const struct result *r, bool no_times, FILE *out); /* then; at most 3 lines */
char *result_words(const struct result *r); /* that line without "heddle: " (heap) */
char *error_words(const struct trace *t);   /* the same of one error that has a run (heap) */
void result_print_orders(const struct result *r, FILE *out); /* a line for each memory order to change */
void result_print_json(const struct result *r, FILE *out);
int result_exit_status(const struct result *r);
void result_is_out(struct result *r); /* all was printed: what is needed no more is removed */
/* Writes the trace of the error to where the job wants it, and fills trace_path. What explains the error (may be NULL)
 * is one of its notes in the files; on the screen it is a line of its own. */
struct check_job;
void result_write_trace(struct result *r, struct trace *t, const char *why, const struct check_job *job);
/* The same for another error, which it takes over: model.trace has the first one, model.NAME.trace this one; without a
 * name its number. */
void result_add_error(struct result *r, struct trace *t, const char *name, const struct check_job *job);
/* Says that a file could not be written (errno says why): an error if the user asked for it, else a warning. */
void result_lost_file(struct result *r, const char *path, bool asked_for);
/* The two answers of a replay: the error happened again, or this is why it did not. They take their argument over. */
int result_print_reproduced(struct trace *t);
int result_print_not_reproduced(char *why);

struct archive;
/* An engine of `heddle check`: which inputs it takes, its options, and how it runs. */
struct check_job {
    const char **files;
    size_t file_count;
    const char **rest; /* the words after -- */
    size_t rest_count;
    struct common_options common;
    struct limits limits;
    void *options; /* the engine's own struct */
    const char *trace_path; /* where to write the counterexample */
    /* The input was not a file of that name: its text, and the directory where it lies for now. NULL: it was. */
    const char *text, *copies;
    const char *given; /* how the first input was named */
    bool input_needs_trust; /* to be read again by a replay */
    int argc;
    char **argv; /* the whole command line of check, for the trace's options */
    struct archive *resume; /* a checkpoint to go on from, behind its command line; NULL: none */
};
/* Options of `heddle replay` that engines know; gdb: the native one alone; trust: the trace may have anything run. */
struct replay_options { bool no_color, quiet, gdb, trust; };
struct report replay_style(const struct replay_options *o);
struct engine {
    const char *name, *title;
    bool (*accepts)(const char *path);
    const struct option *rows;
    size_t row_count, options_size;
    void (*options_init)(void *options);
    /* Fills the result, writes the trace file, prints ledger and counterexample unless quiet or JSON.
     * Returns 0, or an exit status when there is no result because the input was bad (already reported). */
    int (*run)(const struct check_job *job, struct result *result);
    /* `heddle replay` of one of its traces */
    int (*replay)(const struct trace *trace, const struct replay_options *o);
    /* The same error with the fewest preemptions: fills *better (NULL if it cannot be done, or nothing changed) and
     * returns a line that says so (heap); NULL: the input is bad, as was said. May be NULL. */
    char *(*simplify)(const struct trace *trace, const struct replay_options *o, struct trace **better);
    /* What a trace that lies in `directory` asks for that could do harm, in words (heap); NULL: nothing, apart from its
     * input and, in a model, embedded C. May be NULL. */
    char *(*distrusts)(const struct trace *trace, const char *directory);
};
extern const struct engine *const engines[];
extern const size_t engine_count;
const struct engine *engine_named(const char *name); /* or NULL */

/* trust.c: the same for a trace of any engine. */
char *trust_refusal(const struct trace *t, const char *directory);
char *trust_directory_of(const char *path); /* where a file lies (heap) */
/* Whether a replay takes a copy of the text in the trace for this input. A copy may have an ending that the input has
 * not. */
bool trust_is_copied(const char *word, const char *copy);

/* Checkpoints know the command line of the check that they are of, and the directory in which it was given. */
char *checkpoint_path(const char *directory); /* heap */
void command_save(const struct check_job *job, struct archive *a);
/* Opens a checkpoint and reads that command line: its words without heddle's name, each to be freed. NULL, and why
 * (heap). */
struct archive *command_load(const char *directory, struct option_words *words, char **why);
/* What the command line of a checkpoint in `directory` asks for that could do harm, in words (heap); NULL: nothing.
 * is_input: whether a file is what such an engine takes; NULL: they are. */
typedef bool is_input_of(const char *path, const struct engine *e);
char *command_distrusts(const char *const *words, size_t count, const char *directory, is_input_of *is_input);

/* Promela models outside of a check. Options that decide what the model is; a trace records them. */
struct promela_flags {
    bool exact, no_c_code, no_cache;
    const char *distrust; /* what is said of embedded C, which is refused then; NULL: it is not */
    struct option_list defines;
    struct option_list ltl, claims; /* properties, by name or as formulas */
    bool acceptance, progress, fair, no_stutter, no_por, no_claims;
    int por; /* 0: asked for, else an index into por_names; -1: not mentioned */
};
#define PROMELA_FLAG_ROWS(type, member) \
    {"exact", 0, OPTION_FLAG, offsetof(type, member.exact), NULL, \
     "plain interleaving: no merging of statements, no resetting of dead variables", 0, 0, NULL}, \
    {"define", 'D', OPTION_LIST, offsetof(type, member.defines), "NAME[=V]", "define a macro of the preprocessor", 0, \
     0, NULL}, \
    {"no-c-code", 0, OPTION_FLAG, offsetof(type, member.no_c_code), NULL, "refuse models with embedded C", 0, 0, NULL}
/* Parses and compiles; reports errors on stderr and returns NULL. Warnings about what is not checked go there too. */
struct model *promela_load(const char *path, const struct promela_flags *flags);
/* Spin's trail on its model, as a whole: prints, writes a trace to `output` if that is not NULL, returns the exit
 * status. */
int promela_replay_trail(const char *trail, const char *path, const struct promela_flags *flags, const char *output,
                         struct report how);

#endif
