/* The commands. Each takes its own argv (argv[0] is its name) and returns the exit status. */
#ifndef HEDDLE_CLI_H
#define HEDDLE_CLI_H

#include "check/check.h"

const struct engine *engine_for(const char *path); /* that takes such an input, or NULL */
int cmd_check(int argc, char **argv);
int cmd_test(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);
int cmd_sim(int argc, char **argv);
int cmd_swarm(int argc, char **argv);
int cmd_seq(int argc, char **argv);
int cmd_ltl(int argc, char **argv);
int cmd_help(int argc, char **argv);

bool topic_print(const char *name); /* false if there is no such word */
void topics_list(void);

/* One row per command (commands.c): feeds the dispatch in main.c and `heddle help`. */
struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *summary;
    bool has_helpers; /* other processes of a job have a part in it */
};
extern const struct command commands[];
extern const size_t command_count;

/* Reads the options and words of a command; false if --help was asked for and printed. Ends the program if the usage is
 * bad. */
bool command_words(const char *name, const struct option_table *table, int argc, char **argv, struct arena *arena,
                   struct option_words *words);
bool wants_github(void); /* this runs in a workflow of GitHub Actions */
/* Reads the options of a command that takes one word, and returns the word; NULL if --help was asked for and printed.
 * Ends the program if the usage is bad. */
const char *command_word(const char *name, const struct option_table *table, int argc, char **argv,
                         struct arena *arena);

#endif
