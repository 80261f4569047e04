/* What is said while a real program is explored: the progress line, and the ledger bound by bound. */
#include "check/native_int.h"

#include <stdio.h>

static const char *bounded_what(const struct rt_shared *s)
{
    return s->weak_seen ? "preemptions, stale accesses" : "preemptions";
}

/* "1,200 of about 3,000 (2,500 to 3,500)" */
static void add_estimate(struct str *line, const struct sched_stats *stats, uint64_t runs)
{
    char about[32], least[32], most[32];
    double estimate = stats->estimate, doubt = stats->doubt; /* the program could have overwritten them */
    if (!(estimate >= (double)runs && estimate < 1e15 && doubt >= 0 && doubt <= 1e5)) return;
    double low = doubt > 0 && estimate / doubt > (double)runs ? estimate / doubt : (double)runs;
    str_printf(line, " of about %s", with_commas(about, (uint64_t)(estimate + 0.5)));
    if (doubt > 1 && estimate * doubt - low >= 1)
        str_printf(line, " (%s to %s)", with_commas(least, (uint64_t)low),
                   with_commas(most, (uint64_t)(estimate * doubt)));
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
    add_estimate(&line, &s->stats, runs);
    progress_show(&c->progress, "%s schedule%s%s, %.0f per second", line.at, runs == 1 ? "" : "s",
                  seconds_words(time, age, &c->common), age > 0 ? (double)s->executions / age : 0);
    str_release(&line);
}

static void print_level(const struct check *c, const struct rt_shared *s, int i)
{
    char count[64], time[32];
    const struct sched_level *l = &s->stats.level[i];
    printf("%s: ", c->files[0]);
    if (l->bound >= 0) printf("%s %d: ", bounded_what(s), l->bound);
    bool is_last = i + 1 == s->stats.levels; /* the others with cut executions have no error of their own */
    bool has_error = s->findings && (is_last || !l->ends[SCHED_END_CUTOFF]);
    printf("%s%s%s\n", counted(count, l->executions, "schedule"),
           seconds_words(time, s->level_seconds[i] - (i ? s->level_seconds[i - 1] : 0), &c->common),
           l->done ? "" : has_error ? ", error" : ", cut short");
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

/* In short runs the ledger comes with the verdict. */
void check_show_progress(void *context, const struct rt_shared *s)
{
    struct check *c = context;
    const double soon = 2;
    int levels = s->stats.levels;
    bool talks = !c->common.quiet && !c->common.json && c->shows_ledger;
    if (talks && levels <= SCHED_MAX_BOUND + 1 && levels - 1 > c->printed.levels &&
        seconds_now() - c->progress.started > soon) {
        progress_clear(&c->progress);
        check_print_ledger(c, s, levels - 1);
        fflush(stdout);
    }
    if (progress_due(&c->progress)) show_line(c, s);
}
