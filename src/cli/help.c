/* heddle help [COMMAND] */
#include "cli/cli.h"

#include <string.h>

static const char overview[] =
    "heddle: a model checker that explores the schedules of a concurrent program in order of preemptions\n\n"
    "  heddle check FILE... [options] [-- program arguments]   look for errors in all schedules\n"
    "  heddle replay TRACE [options]                           run a counterexample again\n"
    "  heddle replay FILE.trail [FILE.pml] [options]           the same for Spin's trails\n"
    "  heddle show TRACE [options]                             print a counterexample\n"
    "  heddle sim FILE.pml [options]                           one execution, at random or by hand\n"
    "  heddle help [COMMAND]\n\n"
    "Exit status: 0 verified or bounded, 1 error found, 2 bad input or usage, 3 unknown.\n";

static const struct { const char *name; int (*run)(int argc, char **argv); } commands[] = {
    {"check", cmd_check}, {"replay", cmd_replay}, {"show", cmd_show}, {"sim", cmd_sim},
};

int cmd_help(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < ARRAY_LEN(commands); i++)
        if (!strcmp(argv[1], commands[i].name)) return commands[i].run(2, (char *[]){(char *)commands[i].name, "--help"});
    if (argc > 1 && strcmp(argv[1], "help")) {
        fprintf(stderr, "heddle: error: no command '%s'\n", argv[1]);
        return EXIT_BAD_INPUT;
    }
    fputs(overview, stdout);
    return EXIT_OK;
}
