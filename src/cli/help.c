/* heddle help [COMMAND] */
#include "cli/cli.h"

#include <string.h>

static const char overview[] =
    "heddle: a model checker that explores the schedules of a concurrent program in order of preemptions\n\n"
    "  heddle check FILE... [options] [-- program arguments]\n"
    "  heddle show TRACE [options]\n"
    "  heddle cc ... | heddle c++ ...   compilers for programs to be checked (CC=\"heddle cc\" make)\n"
    "  heddle help [COMMAND]\n";

int cmd_help(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "check")) return cmd_check(2, (char *[]){"check", "--help"});
    fputs(overview, stdout);
    return EXIT_OK;
}
