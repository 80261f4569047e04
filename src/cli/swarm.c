/* heddle swarm: many small searches of a model that is too large for one. It is `heddle check --swarm` with the
 * options that mean something there, and a limit on time if nothing else ends it. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_SECONDS = 60 };

struct swarm_options {
    int64_t searches, seed, jobs, depth;
    double time;
    size_t memory;
    struct option_maybe_size field;
    struct option_list defines;
    const char *trace, *html;
    bool json, quiet, no_color, no_times, no_deadlock, no_claims, no_por, exact;
};
#define AT(member) offsetof(struct swarm_options, member)
static const struct option rows[] = {
    {"searches", 0, OPTION_INT, AT(searches), "N", "run N searches (default: as many as time allows)", 1,
     UINT32_MAX / 2, NULL},
    {"time", 0, OPTION_SECONDS, AT(time), "SECONDS", "stop after so long (default: 60, with --searches none)", 0, 0,
     NULL},
    {"memory", 0, OPTION_SIZE, AT(memory), "SIZE", "use at most so much memory (suffixes k, M, G)", 0, 0, NULL},
    {"jobs", 'j', OPTION_INT, AT(jobs), "N", "with N threads (default: as many as there are processors)", 1, 256, NULL},
    {"seed", 0, OPTION_INT, AT(seed), "N", "other orders and hashes", 0, INT64_MAX, NULL},
    {"bitstate", 0, OPTION_MAYBE_SIZE, AT(field), "SIZE", "bytes of the largest bit fields (default: 16M)", 0, 0, NULL},
    {"depth", 0, OPTION_INT, AT(depth), "N", "follow no path beyond N steps (default: different limits)", 1,
     INT32_MAX, NULL},
    {"define", 'D', OPTION_LIST, AT(defines), "NAME[=V]", "define a macro for the preprocessor", 0, 0, NULL},
    {"no-deadlock", 0, OPTION_FLAG, AT(no_deadlock), NULL, "an invalid end state is not an error", 0, 0, NULL},
    {"no-claims", 0, OPTION_FLAG, AT(no_claims), NULL, "leave claims and formulas of the model out", 0, 0, NULL},
    {"no-por", 0, OPTION_FLAG, AT(no_por), NULL, "no partial order reduction", 0, 0, NULL},
    {"exact", 0, OPTION_FLAG, AT(exact), NULL, "every statement is a step of its own", 0, 0, NULL},
    {"output", 'o', OPTION_STRING, AT(trace), "FILE", "write the counterexample to FILE", 0, 0, NULL},
    {"html", 0, OPTION_STRING, AT(html), "FILE", "and as a page for a browser", 0, 0, NULL},
    {"json", 0, OPTION_FLAG, AT(json), NULL, "print one JSON object", 0, 0, NULL},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "print the verdict only", 0, 0, NULL},
    {"no-color", 0, OPTION_FLAG, AT(no_color), NULL, "no colours, even on a terminal", 0, 0, NULL},
    {"no-times", 0, OPTION_FLAG, AT(no_times), NULL, "print nothing that differs from run to run", 0, 0, NULL},
};
#undef AT

/* The command line of `check` that does it: the same words, but for the number of searches. */
static int check_as_swarm(const struct swarm_options *o, int argc, char **argv, struct arena *a)
{
    VEC(char *) words = {0};
    vec_push(&words, "check");
    for (int i = 1; i < argc; i++) {
        bool number = !strcmp(argv[i], "--searches");
        if (!number && strncmp(argv[i], "--searches=", 11)) vec_push(&words, argv[i]);
        i += number;
    }
    vec_push(&words, arena_printf(a, "--swarm=%lld", (long long)o->searches));
    if (!o->searches && o->time <= 0) vec_push(&words, arena_printf(a, "--time=%d", USUAL_SECONDS));
    int count = (int)words.len;
    vec_push(&words, NULL);
    int status = cmd_check(count, words.at);
    vec_release(&words);
    return status;
}

int cmd_swarm(int argc, char **argv)
{
    struct swarm_options o = {.seed = -1};
    struct option_table table = {"options", rows, ARRAY_LEN(rows), &o};
    struct arena arena = {0};
    const char *path = command_word("swarm", &table, argc, argv, &arena);
    int status = path ? check_as_swarm(&o, argc, argv, &arena) : EXIT_OK;
    vec_release(&o.defines);
    arena_release(&arena);
    return status;
}
