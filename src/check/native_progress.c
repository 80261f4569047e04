/* What is said while a real program is explored: the progress line, and the ledger bound by bound. */
#include "check/native_int.h"

#include <stdio.h>

static const char *bounded_what(const struct rt_shared *s)
{
    if (sched_counts_delays(s->config.strategy)) return s->weak_seen ? "delays, stale accesses" : "delays";
    return s->weak_seen ? "preemptions, stale accesses" : "preemptions";
}

static double runs_of(const struct sched_level *l) { return (double)l->executions + (double)l->blocked; }

/* What the levels before it say of the one being explored, as in advice.c; 0: nothing. */
static double limit_of_level(const struct sched_stats *stats, uint64_t runs)
{
    int n = stats->levels - 1;
    if (n < 3 || n > SCHED_MAX_BOUND || stats->level[n].bound < 0) return 0;
    double limit = level_limit(runs_of(&stats->level[n - 2]), runs_of(&stats->level[n - 1]));
    return limit > (double)runs ? limit : 0;
}

/* "1,200 of about 3,000 (2,500 to 3,500)" */
static void add_estimate(struct str *line, const struct sched_stats *stats, uint64_t runs)
{
    char about[32], least[32], most[32];
    double estimate = stats->estimate, doubt = stats->doubt; /* the program could have overwritten them */
    double limit = limit_of_level(stats, runs);
    if (limit && estimate > limit) {
        str_printf(line, " of probably at most %s", with_commas(about, (uint64_t)limit));
        return;
    }
    if (!(estimate >= (double)runs && estimate < 1e15 && doubt >= 0 && doubt <= 1e5)) return;
    double low = doubt > 0 && estimate / doubt > (double)runs ? estimate / doubt : (double)runs;
    str_printf(line, " of about %s", with_commas(about, (uint64_t)(estimate + 0.5)));
    if (doubt > 1 && estimate * doubt - low >= 1)
        str_printf(line, " (%s to %s)", with_commas(least, (uint64_t)low),
                   with_commas(most, (uint64_t)(estimate * doubt)));
}

/* The prediction of --estimate, which is about searches without a bound. */
static void add_prediction(struct str *line, const struct prediction *p, uint64_t runs)
{
    struct sched_stats predicted = {.estimate = p->executions, .doubt = p->executions / p->least};
    add_estimate(line, &predicted, runs);
}

/* "; without a bound 1,200 of about 3,000 (2,500 to 3,500)" */
static void add_unbounded(struct str *line, const struct check *c, const struct rt_shared *s)
{
    char count[32];
    struct sched_stats own = {.estimate = s->unbounded.estimate, .doubt = s->unbounded.doubt};
    if (!s->unbounded.runs) return;
    str_printf(line, "; without a bound %s", with_commas(count, s->unbounded.runs));
    if (c->predicted.walks) add_prediction(line, &c->predicted, s->unbounded.runs);
    else add_estimate(line, &own, s->unbounded.runs);
}

static void show_line(struct check *c, const struct rt_shared *s)
{
    char count[32], time[32];
    struct str line = {0};
    int levels = s->stats.levels;
    struct sched_level level = {.bound = -1};
    if (levels > 0 && levels <= SCHED_MAX_BOUND + 1) level = s->stats.level[levels - 1];
    uint64_t runs = level.executions + level.blocked;
    double age = seconds_now() - c->progress.started;
    if (level.bound >= 0) str_printf(&line, "%s %d: ", bounded_what(s), level.bound);
    str_printf(&line, "%s", with_commas(count, runs));
    if (c->predicted.walks && level.bound < 0) add_prediction(&line, &c->predicted, runs);
    else add_estimate(&line, &s->stats, runs);
    add_unbounded(&line, c, s);
    progress_show(&c->progress, "%s schedule%s%s, %.0f per second", line.at, runs == 1 ? "" : "s",
                  seconds_words(time, age, &c->common), age > 0 ? (double)s->executions / age : 0);
    str_release(&line);
}

/* " (3 blocked), 4 abandoned": what of the executions of a level did not come to the end of the program. */
static void add_ends(struct str *line, const struct sched_level *l)
{
    char count[32];
    if (l->ends[SCHED_END_ASSUMED]) str_printf(line, " (%s blocked)", with_commas(count, l->ends[SCHED_END_ASSUMED]));
    if (l->blocked) str_printf(line, ", %s abandoned", with_commas(count, l->blocked));
}

static void print_level(const struct check *c, const struct rt_shared *s, int i)
{
    char count[64], time[32];
    const struct sched_level *l = &s->stats.level[i];
    struct str ends = {0};
    add_ends(&ends, l);
    printf("%s: ", c->files[0]);
    if (l->bound >= 0) printf("%s %d: ", bounded_what(s), l->bound);
    else if (s->unbounded.decides) printf("without a bound (%s): ", sched_strategy_name(s->unbounded.strategy));
    double since = i ? s->level_seconds[i - 1] : 0; /* a bound that was interrupted has no time of its own */
    bool is_last = i + 1 == s->stats.levels; /* the others with cut executions have no error of their own */
    bool has_error = s->findings && (is_last || !l->ends[SCHED_END_CUTOFF]);
    printf("%s%s%s%s\n", counted(count, l->executions, "schedule"), str_get(&ends),
           seconds_words(time, MAX(s->level_seconds[i] - since, 0), &c->common),
           l->done ? "" : has_error ? ", error" : ", cut short");
    str_release(&ends);
}

/* The rows of the ledger that are complete and were not printed yet. Where more scheduling points were learnt since,
 * they begin again. */
void check_print_ledger(struct check *c, const struct rt_shared *s, int levels)
{
    if (c->printed.relearnt != s->relearnt && c->printed.levels) {
        printf("%s: more places where threads can be switched came to light: from the beginning\n", c->files[0]);
        c->printed.levels = 0;
    }
    c->printed.relearnt = s->relearnt;
    while (c->printed.levels < levels) print_level(c, s, c->printed.levels++);
}

/* The search that was not needed. How far it came depends on time if there was a limit, or if several processes ran. */
void check_print_unbounded(const struct check *c, const struct result *r)
{
    char count[64];
    if (c->common.no_times || !r->unbounded.strategy) return;
    uint64_t runs = r->unbounded.decides ? r->unbounded.bounded : r->unbounded.executions;
    printf("%s: given up %s: %s\n", c->files[0], r->unbounded.decides ? "within bounds" : "without a bound",
           counted(count, runs, "schedule"));
}

/* Its share follows from what the first process ran, which differs from run to run if there are several. */
void check_print_near(const struct check *c, const struct result *r)
{
    char count[64], steps[32];
    if (!r->near.executions || (c->common.no_times && !r->near.has_error)) return;
    printf("%s: near the start, %s steps of each thread, preemptions %d: %s%s\n", c->files[0],
           with_commas(steps, r->near.steps), r->near.bound, counted(count, r->near.executions, "schedule"),
           r->near.has_error ? ", error" : "");
}

/* How far the others came differs from run to run, unless one of them found the error. */
void check_print_team(const struct check *c, const struct result *r)
{
    char count[64], news[64];
    if (c->common.no_times && !r->maybe_simpler) return;
    for (size_t i = 0; i < r->team.len; i++)
        printf("%s: %s: %s, %s%s\n", c->files[0], r->team.at[i].strategy,
               counted(count, r->team.at[i].executions, "schedule"), counted(news, r->team.at[i].news, "new order"),
               r->team.at[i].has_error ? ", error" : "");
}

void check_print_share(const struct check *c, const struct native_run *run, double seconds)
{
    const struct rt_shared *s = run->shared;
    char count[64], time[32];
    if (c->common.quiet || c->common.json) return;
    printf("%s: threads %d: %s%s%s\n", c->files[0], s->config.most_threads,
           counted(count, s->stats.executions, "schedule"), seconds_words(time, seconds, &c->common),
           s->findings ? ", error" : check_is_complete(s) ? "" : ", cut short");
}

/* Which thread is where, while an execution takes so long that few of them can be explored. */
static void tell_slow(struct check *c, const struct rt_shared *s)
{
    char steps[32];
    int thread = s->current; /* the program could have overwritten it */
    struct source_place p;
    struct str who = {0};
    str_printf(&who, thread ? "T%d" : "main", thread);
    progress_clear(&c->progress);
    fprintf(stderr, "heddle: one schedule takes more than a second: %s steps so far, %s",
            with_commas(steps, s->step_count), str_get(&who));
    if (symbols_place(c->symbols, s->current_pc - 1, &p)) fprintf(stderr, " at %s:%d", p.file, p.line);
    fputs("; fewer rounds of its loop, or less data, mean more schedules\n", stderr);
    str_release(&who);
}

static void watch_for_slow(struct check *c, const struct rt_shared *s)
{
    double now = seconds_now();
    bool talks = !c->common.quiet && !c->common.json && c->shows_ledger;
    if (!c->slow.since || s->executions != c->slow.executions) {
        c->slow.since = now;
        c->slow.executions = s->executions;
    } else if (talks && !c->slow.is_told && s->step_count && now - c->slow.since > 1) {
        c->slow.is_told = true;
        tell_slow(c, s);
    }
}

/* In short runs the ledger comes with the verdict. */
void check_show_progress(void *context, const struct rt_shared *s)
{
    struct check *c = context;
    const double soon = 2;
    int levels = s->stats.levels;
    bool talks = !c->common.quiet && !c->common.json && c->shows_ledger && !c->has_shares;
    if (talks && levels <= SCHED_MAX_BOUND + 1 && levels - 1 > c->printed.levels &&
        seconds_now() - c->progress.started > soon) {
        progress_clear(&c->progress);
        check_print_ledger(c, s, levels - 1);
        fflush(stdout);
    }
    watch_for_slow(c, s);
    if (progress_due(&c->progress)) show_line(c, s);
}
