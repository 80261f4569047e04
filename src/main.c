/* heddle: subcommand -> function. */
#include "cli/cli.h"

#include "base/startup.h"
#include "base/version.h"
#include "cluster/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Whichever way a command ends: what it said must have arrived, or its exit status would vouch for what nobody saw. */
static void check_output(void)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return;
    fprintf(stderr, "heddle: error: cannot write to standard output%s%s\n", errno ? ": " : "",
            errno ? strerror(errno) : "");
    fflush(stderr);
    _Exit(EXIT_BAD_INPUT);
}

static int print_version(void)
{
#ifdef __clang__
    const char *compiler = "clang " __clang_version__;
#else
    const char *compiler = "gcc " __VERSION__;
#endif
    printf("heddle %s\nengines:", HEDDLE_VERSION);
    for (size_t i = 0; i < engine_count; i++) printf(" %s", engines[i]->name);
    printf("\nbuilt with %s\nlicence: %s\n", compiler, HEDDLE_LICENSE);
    return EXIT_OK;
}

/* Of several processes of a job, the first runs the command; the others help it to check, and with nothing else. */
static int run_command(const struct command *c, int argc, char **argv)
{
    char *why = NULL;
    if (!c->has_helpers) cluster_stand_aside();
    else if ((why = cluster_join())) {
        fprintf(stderr, "heddle: error: %s\n", why);
        free(why);
        return EXIT_BAD_INPUT;
    }
    int status = c->run(argc, argv);
    bool helps = cluster_is_other();
    cluster_leave();
    return helps ? EXIT_OK : status; /* the first one says how it ended */
}

static bool is_command(const char *word)
{
    for (size_t i = 0; i < command_count; i++)
        if (!strcmp(word, commands[i].name)) return true;
    return false;
}

int main(int argc, char **argv)
{
    atexit(check_output); /* the first, hence called last, when temporary files are gone */
    startup();
    if (argc < 2 || !is_command(argv[1])) cluster_stand_aside();
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        cmd_help(1, argv);
        return argc < 2 ? EXIT_BAD_INPUT : EXIT_OK;
    }
    if (!strcmp(argv[1], "--version")) return print_version();
    const char *names[32];
    for (size_t i = 0; i < command_count && i < ARRAY_LEN(names); i++) {
        names[i] = commands[i].name;
        if (!strcmp(argv[1], commands[i].name)) return run_command(&commands[i], argc - 1, argv + 1);
    }
    const char *near = nearest_name(argv[1], names, MIN(command_count, ARRAY_LEN(names)));
    fprintf(stderr, "heddle: error: unknown command '%s'%s%s%s\n", argv[1], near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "");
    return EXIT_BAD_INPUT;
}
