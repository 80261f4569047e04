/* What each analysis is good for: the states of a model with all of them, and with each one left out.
 *
 *   ablation SECONDS MODEL.pml    a line "name states" for each row of `columns`; "-" if it takes longer */
#include "promela/promela.h"
#include "search/search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

struct column { const char *name; unsigned without; bool no_reduction, every_state; };

static const struct column columns[] = {
    {"all", 0, false},
    {"-dead", ANALYSIS_DEAD, false},
    {"-d_step", ANALYSIS_D_STEP, false},
    {"-elements", ANALYSIS_ELEMENTS, false},
    {"-scratch", ANALYSIS_SCRATCH, false},
    {"-merging", ANALYSIS_MERGING, false},
    {"-ends", ANALYSIS_ENDS, false},
    {"-started", ANALYSIS_STARTED, false},
    {"-balance", ANALYSIS_BALANCE, false},
    {"-forced", 0, false, true}, /* states in which there is nothing to decide are kept */
    {"-reduction", 0, true},
    {"none", ANALYSIS_DEAD | ANALYSIS_MERGING, true},
};

static void count_states(const char *path, const struct column *c, double seconds)
{
    struct diags diags = {0};
    struct program *program = promela_parse(path, &(struct promela_options){0}, &diags);
    struct model *m = program ? promela_model(program, &(struct model_options){.without = c->without}, &diags) : NULL;
    if (m) {
        struct limits limits = limits_start(seconds, 0);
        struct search_options o = {.kind = SEARCH_DFS, .bound = -1, .all_errors = true, .no_deadlock = true,
                                   .reduce = !c->no_reduction, .limits = &limits,
                                   .depth = c->every_state ? INT_MAX : 0}; /* whoever counts steps passes nothing by */
        struct search_result r;
        search_run(m, &o, &r);
        if (r.stop == STOP_COMPLETE) printf("%s %lu\n", c->name, (unsigned long)r.states);
        else printf("%s -\n", c->name);
        search_result_release(&r);
        m->ops->free(m);
    }
    diags_release(&diags);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: ablation SECONDS MODEL.pml\n");
        return 2;
    }
    for (size_t i = 0; i < ARRAY_LEN(columns); i++) count_states(argv[2], &columns[i], atof(argv[1]));
    return 0;
}
