/* heddle cc, heddle c++: the compilers for programs to be checked. $HEDDLE_CC and $HEDDLE_CXX say which ones they stand
 * for. */
#include "cli/cli.h"

#include "native/native.h"

#include <stdlib.h>
#include <string.h>

static int pass_through(const char *variable, const char *standard, int argc, char **argv)
{
    const char *wanted = getenv(variable), *compiler = wanted && *wanted ? wanted : standard;
    struct words w = {0};
    for (int i = 1; i < argc; i++) words_add(&w, argv[i]);
    int status = native_cc(compiler, &w);
    if (status == 127) fprintf(stderr, "heddle: error: %s: cannot be started\n", compiler);
    words_release(&w);
    return status;
}

int cmd_cc(int argc, char **argv) { return pass_through("HEDDLE_CC", "cc", argc, argv); }
int cmd_cxx(int argc, char **argv) { return pass_through("HEDDLE_CXX", "c++", argc, argv); }
