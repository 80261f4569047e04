/* The commands of heddle. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

const struct command commands[] = {
    {"check", cmd_check, "FILE... [options] [-- program arguments]", "look for errors in all schedules", true},
    {"test", cmd_test, "[DIR|BINARY|FILE...] [options]", "many checks, one summary", false},
    {"replay", cmd_replay, "TRACE [options]", "run a counterexample again (also Spin's .trail files)", false},
    {"show", cmd_show, "TRACE [options]", "print a counterexample", false},
    {"sim", cmd_sim, "FILE.pml [options]", "one execution, at random or by hand", false},
    {"swarm", cmd_swarm, "FILE.pml [options]", "many small searches of a model too large for one", true},
    {"cc", cmd_cc, "...", "compiler for C programs to be checked (CC=\"heddle cc\" make)", false},
    {"c++", cmd_cxx, "...", "the same for C++", false},
    {"ltl", cmd_ltl, "FORMULA [--si] [--never|--dot|--hoa]", "the automaton of a formula", false},
    {"seq", cmd_seq, "FILE.bp [-k K]", "the sequential program of a context-bounded analysis", false},
    {"help", cmd_help, "[COMMAND|WORD]", "this page, the options of a command, or what a word means", false},
};
const size_t command_count = ARRAY_LEN(commands);

static const char *usage_of(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(commands[i].name, name)) return commands[i].usage;
    BUG("no command %s", name);
}

bool wants_github(void)
{
    const char *actions = getenv("GITHUB_ACTIONS");
    return actions && !strcmp(actions, "true");
}

bool command_words(const char *name, const struct option_table *table, int argc, char **argv, struct arena *arena,
                   struct option_words *words)
{
    struct option_words rest = {0};
    const char *error = NULL, *usage = usage_of(name);
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            printf("usage: heddle %s %s\n", name, usage);
            options_help(table, 1, stdout);
            return false;
        }
    if (options_parse(table, 1, argc, argv, words, &rest, arena, &error)) die("%s", error);
    if (rest.len) die("usage: heddle %s %s", name, usage);
    return true;
}

const char *command_word(const char *name, const struct option_table *table, int argc, char **argv, struct arena *arena)
{
    struct option_words words = {0};
    if (!command_words(name, table, argc, argv, arena, &words)) return NULL;
    if (words.len != 1) die("usage: heddle %s %s", name, usage_of(name));
    const char *word = arena_strdup(arena, words.at[0]);
    vec_release(&words);
    return word;
}
