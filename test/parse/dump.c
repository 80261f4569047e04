/* Reads Promela and prints it back, or the diagnostics: the front end alone, for the tests.
 * Usage: parse-dump [-q] [-w] [-DNAME=V]... FILE. -q prints nothing; -w shows warnings too. Exit 0 or 2. */
#include "promela/promela.h"

#include <string.h>

int main(int argc, char **argv)
{
    const char *defines[64], *path = NULL;
    struct promela_options options = {.defines = defines};
    bool quiet = false, warnings = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-q")) quiet = true;
        else if (!strcmp(argv[i], "-w")) warnings = true;
        else if (!strcmp(argv[i], "--no-c-code")) options.no_c_code = "is refused by --no-c-code";
        else if (!strncmp(argv[i], "-D", 2) && options.define_count < 64) defines[options.define_count++] = argv[i] + 2;
        else path = argv[i];
    }
    if (!path) die("usage: parse-dump FILE");
    struct diags diags = {0};
    struct program *program = promela_parse(path, &options, &diags);
    if (!program || warnings) diags_print(&diags, stderr);
    if (program && !quiet) promela_print(program, stdout);
    int status = program ? EXIT_OK : EXIT_BAD_INPUT;
    promela_free(program);
    diags_release(&diags);
    return status;
}
