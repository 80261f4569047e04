/* The commands. Each takes its own argv (argv[0] is its name) and returns the exit status. */
#ifndef HEDDLE_CLI_H
#define HEDDLE_CLI_H

#include "base/options.h"
#include "trace/result.h"

int cmd_check(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_seq(int argc, char **argv);
int cmd_ltl(int argc, char **argv);
int cmd_help(int argc, char **argv);

/* One row per command (commands.c): feeds the dispatch in main.c and `heddle help`. */
struct command { const char *name; int (*run)(int argc, char **argv); const char *usage, *summary; };
extern const struct command commands[];
extern const size_t command_count;

/* Reads the options of a command that takes one word, and returns the word; NULL if --help was asked for and printed. Ends the
 * program if the usage is bad. */
const char *command_word(const char *name, const struct option_table *table, int argc, char **argv, struct arena *arena);

/* An engine of `heddle check`: which inputs it takes, its options, and how it runs. */
struct check_job {
    const char **files;
    size_t file_count;
    const char **rest; /* the words after -- */
    size_t rest_count;
    struct common_options common;
    void *options; /* the engine's own struct */
    const char *trace_path; /* where to write the counterexample */
    int argc;
    char **argv; /* the whole command line of check, for the trace's options */
};
struct engine {
    const char *name, *title;
    bool (*accepts)(const char *path);
    const struct option *rows;
    size_t row_count, options_size;
    void (*options_init)(void *options);
    /* Fills the result, writes the trace file, prints ledger and counterexample unless quiet or JSON.
     * Returns 0, or an exit status when there is no result because the input was bad (already reported). */
    int (*run)(const struct check_job *job, struct result *result);
    int (*replay)(const struct trace *trace, int argc, char **argv); /* `heddle replay` of one of its traces */
    /* The same error with the fewest preemptions: fills *better (NULL if it cannot be done, or nothing changed) and
     * returns a line that says so (heap). May be NULL. */
    char *(*simplify)(const struct trace *trace, struct trace **better);
};
extern const struct engine *const engines[];
extern const size_t engine_count;

#endif
