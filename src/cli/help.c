/* heddle help [COMMAND] */
#include "cli/cli.h"

#include <string.h>

static void print_overview(void)
{
    printf("heddle: a model checker that explores the schedules of a concurrent program in order of preemptions\n\n");
    for (size_t i = 0; i < command_count; i++) {
        struct str left = {0};
        str_printf(&left, "heddle %s %s", commands[i].name, commands[i].usage);
        printf("  %-54s  %s\n", str_get(&left), commands[i].summary);
        str_release(&left);
    }
    printf("\n  heddle help WORD explains a word: ");
    topics_list();
    printf("\n  mpirun -n N heddle check FILE.pml is one check by N processes: heddle help job\n");
    printf("\nExit status: 0 verified or bounded, 1 error found, 2 bad input or usage, 3 unknown.\n");
}

/* Their own --help is the compiler's. */
static void print_compilers(void)
{
    printf("usage: heddle cc [options of the compiler] FILE...\n"
           "       heddle c++ [options of the compiler] FILE...\n"
           "They build programs that heddle check and heddle test can take: CC=\"heddle cc\" CXX=\"heddle c++\" make.\n"
           "All options go on to the compiler that they stand for: $HEDDLE_CC and $HEDDLE_CXX, or cc and c++.\n"
           "A program that was built so runs by itself as if built without them.\n");
}

int cmd_help(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "help")) {
        print_overview();
        return EXIT_OK;
    }
    if (!strcmp(argv[1], "cc") || !strcmp(argv[1], "c++")) {
        print_compilers();
        return EXIT_OK;
    }
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(argv[1], commands[i].name))
            return commands[i].run(2, (char *[]){(char *)commands[i].name, "--help"});
    if (topic_print(argv[1])) return EXIT_OK;
    fprintf(stderr, "heddle: error: no command and no word '%s'; heddle help lists them\n", argv[1]);
    return EXIT_BAD_INPUT;
}
