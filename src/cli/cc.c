/* heddle cc, heddle c++: the compilers for programs to be checked. $HEDDLE_CC and $HEDDLE_CXX say which ones they stand
 * for. */
#include "cli/cli.h"

#include "base/compiler.h"
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

static int pass_through(const char *variable, enum language language, int argc, char **argv)
{
    const char *compiler = compiler_choose(language, getenv(variable));
    struct words w = {0};
    for (int i = 1; i < argc; i++) words_add(&w, argv[i]);
    int status = native_cc(compiler, &w, NULL);
    if (status == PROCESS_NOT_STARTED) fprintf(stderr, "heddle: error: %s: cannot be started\n", compiler);
    if (status > 128) fprintf(stderr, "heddle: error: %s: killed by signal %d\n", compiler, status - 128);
    words_release(&w);
    return status;
}

int cmd_cc(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], NATIVE_ASSEMBLE)) return native_assemble(argc - 1, argv + 1);
    return pass_through("HEDDLE_CC", LANGUAGE_C, argc, argv);
}
int cmd_cxx(int argc, char **argv) { return pass_through("HEDDLE_CXX", LANGUAGE_CXX, argc, argv); }
