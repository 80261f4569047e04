/* A failure after many steps, with fewer: most errors in a loop of ten thousand rounds are there in the first round,
 * but a search that goes depth first meets the last round first. The bounded search is repeated with small limits on
 * the steps of an execution, which grow until it finds the same failure; then the least such limit is searched for.
 * The number of preemptions is that of the failure, so that it is not exceeded.
 *
 * What is spent is counted in steps and not in seconds, so that the same failure is shown on a slow machine. Only a
 * machine that is slower by far meets the limit on time. */
#include "check/native_int.h"

enum { LONG = 32, FIRST_LIMIT = 16, GROWTH = 4, SECONDS = 5 };

/* Steps of all executions of one search: as many as the check has made, within these limits. */
enum { LEAST_EFFORT = 100000, MOST_EFFORT = 200000, MOST_EXECUTIONS = 20000 };

/* The steps before there is a second thread, which do not count for the limit. */
static size_t steps_of_start(const struct rt_shared *s)
{
    size_t n = 0;
    while (n < s->event_count && s->events[n].kind != SCHED_CREATE) n++;
    return n < s->event_count ? n : 0;
}

static uint64_t most_executions(const struct check *c, size_t limit)
{
    uint64_t spent = c->run.shared ? c->run.shared->stats.steps : 0;
    uint64_t effort = MIN(MAX(spent, (uint64_t)LEAST_EFFORT), (uint64_t)MOST_EFFORT);
    return MIN(effort / limit + 1, (uint64_t)MOST_EXECUTIONS);
}

static struct rt_config short_search(const struct check *c, const struct rt_shared *failure, size_t limit)
{
    struct rt_config config = check_config(c);
    config.endless = config.all_errors = config.sites = config.digest = config.locals = false;
    config.strategy = SCHED_BPOR;
    config.rising = true;
    config.bound = MAX(failure->surprises, failure->preemptions);
    config.audit = RT_AUDIT_OFF;
    config.threads = failure->config.threads;
    config.most_threads = failure->config.most_threads;
    config.most_in_all = failure->config.most_in_all;
    config.holds_back = failure->config.holds_back;
    config.max_steps = limit;
    config.max_start = MIN(config.max_start, RT_MAX_STEPS - limit);
    config.tail = 0;
    config.max_executions = most_executions(c, limit);
    return config;
}

/* The failure within the limit, in place of the recorded one. */
static bool find_within(struct check *c, struct native_run *recorded, size_t limit, const struct limits *limits)
{
    struct native_run search, shorter;
    if (limits_reached(limits)) return false;
    check_explore(c, short_search(c, recorded->shared, limit), limits, &search);
    bool found = check_reproduces(c, search.shared, recorded->shared, &shorter);
    native_run_release(&search);
    if (!found) return false;
    native_run_release(recorded);
    *recorded = shorter;
    return true;
}

static size_t steps_without_start(const struct rt_shared *s)
{
    size_t start = steps_of_start(s);
    return s->first_step_count > start ? s->first_step_count - start : 0;
}

/* It has no `too_few` steps at most, as far as the searches can tell. */
static void find_fewest(struct check *c, struct native_run *recorded, size_t too_few, const struct limits *limits)
{
    while (too_few + 1 < steps_without_start(recorded->shared)) {
        size_t middle = too_few + (steps_without_start(recorded->shared) - too_few) / 2;
        if (!find_within(c, recorded, middle, limits)) too_few = middle;
    }
}

bool check_is_long(const struct native_run *recorded)
{
    const struct rt_shared *s = recorded->shared;
    return s->finding.kind != RT_LIVELOCK && steps_without_start(s) > LONG;
}

bool check_shorten(struct check *c, struct native_run *recorded)
{
    const struct rt_shared *s = recorded->shared;
    size_t too_few = 0;
    if (!check_is_long(recorded)) return false;
    struct limits limits = limits_within(c->limits, SECONDS);
    for (size_t limit = FIRST_LIMIT; limit < steps_without_start(s); limit *= GROWTH) {
        if (find_within(c, recorded, limit, &limits)) {
            find_fewest(c, recorded, too_few, &limits);
            return true;
        }
        too_few = limit;
    }
    return false;
}
