/* Programs that create more threads than there can be at a time, or more than --threads allows. The exploration that
 * met too many begins again, and pthread_create() waits while there are as many as the limit says (runtime/room.c).
 *
 * With --threads=N the limit is N. Without, limits of 2, 4, 8 ... are tried, each with a share of schedules, because
 * most errors need few threads. The result is that of the largest limit whose exploration came to its end; if there is
 * none, or time or memory ran out, that of the last. */
#include "check/native_int.h"

#include <stdio.h>

enum {
    FIRST_LIMIT = 2, LAST_LIMIT = 32, SLOTS = 64,
    IN_ALL = 2,       /* different threads for each one at a time, so that small limits are explored to the end */
    SHARE = 10000,    /* schedules for each limit, */
    SHARE_OF_CUT = 16 /* or so many that --max-steps cut off: a program without end has no others */
};

bool check_is_complete(const struct rt_shared *s)
{
    return s->status == RT_FINISHED && !s->diverged && s->stats.stop == SCHED_STOP_COMPLETE &&
           !s->stats.ends[SCHED_END_CUTOFF];
}

/* The share is spent, or all is explored: another limit may show more. */
static bool may_go_on(const struct native_run *run)
{
    const struct rt_shared *s = run->shared;
    return s->status == RT_FINISHED && !s->diverged && !run->stopped && s->stats.stop != SCHED_STOP_MEMORY;
}

static void explore_share(struct check *c, struct rt_config config, const struct limits *limits,
                          struct native_run *run)
{
    uint64_t asked = config.max_executions;
    double started = seconds_now();
    config.max_executions = asked && asked < SHARE ? asked : SHARE;
    config.most_cut = SHARE_OF_CUT;
    c->printed.levels = 0;
    check_explore_once(c, config, limits, run);
    if (c->shows_ledger) check_print_share(c, run, seconds_now() - started);
}

static void try_limits(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run)
{
    struct native_run complete = {0};
    c->has_shares = true;
    for (int n = FIRST_LIMIT; n <= LAST_LIMIT; n *= 2) {
        config.most_threads = n;
        config.most_in_all = IN_ALL * n;
        explore_share(c, config, limits, run);
        if (!may_go_on(run) || n == LAST_LIMIT) break;
        if (check_is_complete(run->shared)) {
            if (complete.shared) native_run_release(&complete);
            complete = *run;
        } else native_run_release(run);
    }
    if (!complete.shared) return;
    bool is_better = may_go_on(run) && !check_is_complete(run->shared);
    native_run_release(is_better ? run : &complete);
    if (is_better) *run = complete;
}

void check_limit_threads(struct check *c, struct rt_config config, const struct limits *limits, struct native_run *run)
{
    native_run_release(run);
    config.holds_back = true;
    config.threads = SLOTS;
    config.most_in_all = RT_MAX_THREADS;
    if (config.most_threads) check_explore_once(c, config, limits, run);
    else try_limits(c, config, limits, run);
    c->most_threads = run->shared->config.most_threads;
    c->most_in_all = run->shared->config.most_in_all;
}

void check_cover_threads(const struct rt_shared *s, struct part *p)
{
    const struct rt_config *c = &s->config;
    if (!c->holds_back) return;
    bool all_numbered = (int)s->numbered + 1 >= c->most_in_all;
    char most[64], in_all[64] = "";
    if (all_numbered) snprintf(in_all, sizeof in_all, " and %d different ones in all executions", c->most_in_all);
    part_omit(p, LOSS_THREADS, "%s at a time%s", counted(most, (uint64_t)c->most_threads, "thread"), in_all);
}
