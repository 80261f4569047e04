/* The commands of heddle. */
#include "cli/cli.h"

const struct command commands[] = {
    {"check", cmd_check, "FILE... [options] [-- program arguments]", "look for errors in all schedules"},
    {"replay", cmd_replay, "TRACE [options]", "run a counterexample again (also Spin's .trail files)"},
    {"show", cmd_show, "TRACE [options]", "print a counterexample"},
    {"sim", cmd_sim, "FILE.pml [options]", "one execution, at random or by hand"},
    {"cc", cmd_cc, "...", "compiler for C programs to be checked (CC=\"heddle cc\" make)"},
    {"c++", cmd_cxx, "...", "the same for C++"},
    {"ltl", cmd_ltl, "FORMULA [--si] [--never|--dot|--hoa]", "the automaton of a formula"},
    {"seq", cmd_seq, "FILE.bp [-k K]", "the sequential program of a context-bounded analysis"},
    {"help", cmd_help, "[COMMAND]", "this page, or the options of a command"},
};
const size_t command_count = ARRAY_LEN(commands);
