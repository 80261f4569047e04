/* Predictions of --explore=estimate against the number of graphs that the plain search counts. */
#include <stdio.h>
#include <stdlib.h>

#include "estimates.h"
#include "explore.h"

enum { MOST_EXECUTIONS = 20000, WALKS = 600 };

struct totals { uint64_t programs, within, none; double graphs, predicted; };

static void judge_program_estimate(struct totals *t, struct findings *found, uint64_t seed)
{
    struct program p;
    program_generate(&p, seed);
    referee_run(found, &p, MOST_EXECUTIONS, true, false);
    if (found->too_many || !found->graphs.len)
        return;
    struct sched_config config = config_for(SCHED_ESTIMATE, -1);
    config.seed = seed;
    config.max_executions = WALKS;
    struct sched_stats stats = explore_fast(&p, &config);
    double graphs = (double)found->graphs.len;
    t->programs++;
    t->none += stats.doubt <= 0;
    t->within += stats.doubt > 0 && graphs >= stats.estimate / stats.doubt * 0.999 &&
                 graphs <= stats.estimate * stats.doubt * 1.001;
    t->graphs += graphs;
    t->predicted += stats.estimate;
    if (getenv("SHOW"))
        printf("%llu: %.0f graphs, predicted %.2f (factor %.3f)\n", (unsigned long long)seed, graphs, stats.estimate,
               stats.doubt);
}

int judge_estimates(uint64_t from, uint64_t count)
{
    static struct findings found;
    struct totals t = {0};
    for (uint64_t seed = from; seed < from + count; seed++)
        judge_program_estimate(&t, &found, seed);
    bool good = t.programs && t.within * 10 >= t.programs * 9 && t.predicted > 0.8 * t.graphs &&
                t.predicted < 1.25 * t.graphs;
    printf("%s estimates of %llu random programs from %llu: %llu within the interval, %llu without a prediction; "
           "%.0f graphs in all, %.0f predicted\n",
           good ? "ok" : "FAIL", (unsigned long long)t.programs, (unsigned long long)from,
           (unsigned long long)t.within, (unsigned long long)t.none, t.graphs, t.predicted);
    findings_release(&found);
    return !good;
}
