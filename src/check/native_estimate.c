/* --estimate: how many executions a search needs to run each happens-before graph once. A sample of random walks
 * predicts it before the check begins (src/schedule/estimate.c). */
#include "check/native_int.h"

#include <stdio.h>

enum { WALKS = 10000 };
#define SHARE_OF_TIME 0.1 /* of --time, */
#define MOST_SECONDS 1.0  /* and at most so long */

static struct rt_config sample_config(const struct check *c)
{
    struct rt_config config = check_config(c);
    config.endless = config.all_errors = config.sites = config.digest = config.locals = config.rising = false;
    config.strategy = SCHED_ESTIMATE;
    config.bound = -1;
    config.audit = RT_AUDIT_OFF;
    config.processes = 1;
    config.tail = 0;
    config.max_executions = WALKS;
    return config;
}

static double seconds_of_sample(const struct check *c)
{
    double share = c->common.time ? c->common.time * SHARE_OF_TIME : MOST_SECONDS;
    return MIN(share, MOST_SECONDS);
}

static bool has_result(const struct rt_shared *s)
{
    bool ended = s->status == RT_FINISHED || s->status == RT_LIMIT;
    return ended && s->stats.estimate >= 1 && s->stats.doubt >= 1;
}

static void print_prediction(const struct check *c, const struct prediction *p)
{
    char about[64], least[32], most[32], time[32];
    printf("%s: estimate: the search needs about %s (95 %% confidence: %s to %s)%s; %llu sampled\n", c->files[0],
           counted(about, (uint64_t)(p->executions + 0.5), "execution"), with_commas(least, (uint64_t)(p->least + 0.5)),
           with_commas(most, (uint64_t)(p->most + 0.5)), seconds_words(time, p->seconds, &c->common),
           (unsigned long long)p->walks);
}

static const char *why_there_is_none(const struct rt_shared *s)
{
    if (s->status == RT_FOUND) return "an execution of the sample failed";
    return "the sample has too few complete executions";
}

void check_estimate(struct check *c, struct result *r)
{
    struct limits limits = limits_within(c->limits, seconds_of_sample(c));
    struct native_run run;
    double started = seconds_now();
    check_explore(c, sample_config(c), &limits, &run);
    const struct sched_stats *stats = &run.shared->stats;
    uint64_t walks = stats->executions + stats->blocked;
    if (has_result(run.shared)) {
        double rate = (double)walks / (seconds_now() - started);
        r->prediction = (struct prediction){.walks = walks,
                                            .executions = stats->estimate,
                                            .least = MAX(stats->estimate / stats->doubt, 1),
                                            .most = stats->estimate * stats->doubt,
                                            .seconds = stats->estimate / rate};
        c->predicted = r->prediction;
    }
    bool talk = !c->common.quiet && !c->common.json;
    if (talk && r->prediction.walks) print_prediction(c, &r->prediction);
    else if (talk) printf("%s: estimate: none, because %s\n", c->files[0], why_there_is_none(run.shared));
    native_run_release(&run);
}
