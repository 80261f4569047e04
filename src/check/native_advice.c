/* The next step after a check of a real program that proved nothing or took long, in at most three lines: what
 * multiplies the schedules, the smallest change of the program that helps, and the command to run next. Everything is
 * counted on one execution, the first one, which is recorded again for this. */
#include "check/native_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- what multiplies the schedules ---- */

static const char *kind_of_object(uint8_t kind)
{
    switch (kind) {
    case SCHED_LOCK: case SCHED_TRYLOCK: case SCHED_UNLOCK: case SCHED_RDLOCK: case SCHED_TRYRDLOCK:
    case SCHED_RDUNLOCK: case SCHED_WRLOCK: case SCHED_TRYWRLOCK: case SCHED_WRUNLOCK: case SCHED_WRWAIT: return "lock";
    case SCHED_COND_WAIT: case SCHED_COND_RESUME: case SCHED_SIGNAL: case SCHED_BROADCAST: return "condition variable";
    case SCHED_SEM_WAIT: case SCHED_SEM_TRYWAIT: case SCHED_SEM_POST: case SCHED_SEM_READ: return "semaphore";
    case SCHED_PUT: case SCHED_TAKE: case SCHED_PEEK: return "channel";
    case SCHED_BARRIER: case SCHED_BARRIER_LEAVE: return "barrier";
    case SCHED_READ: case SCHED_WRITE: case SCHED_RMW: case SCHED_CAS: return "variable";
    default: return "object";
    }
}

static void say_line(const struct native_busiest *b, struct str *s)
{
    char count[32];
    if (b->place.file && b->line_operations > 1)
        str_printf(s, "; %s:%d makes %s of them", path_basename(b->place.file), b->place.line,
                   with_commas(count, b->line_operations));
}

static char *say_multiplier(const struct native_busiest *b, const char *name)
{
    struct str s = {0};
    char pairs[32], operations[32];
    str_printf(&s, "%s %s: %s operations of %d thread%s in one schedule", kind_of_object(b->kind), name,
               with_commas(operations, b->operations), b->threads, b->threads == 1 ? "" : "s");
    if (b->pairs)
        str_printf(&s, ", %s pairs that can come in either order, more than of anything else",
                   with_commas(pairs, b->pairs));
    say_line(b, &s);
    return s.at;
}

/* ---- the smallest change ---- */

enum { FEW_ROUNDS = 3, FEW_THREADS = 3 };

/* Pairs grow with the square of the rounds. */
static void say_fewer_rounds(const struct native_busiest *b, struct str *s)
{
    char rounds[32], before[32], after[32];
    uint64_t few = b->rounds > 2 * FEW_ROUNDS ? FEW_ROUNDS : b->rounds / 2;
    double share = (double)few / (double)b->rounds;
    str_printf(s, "smallest change: run %s:%d %llu time%s in a thread instead of %s", path_basename(b->place.file),
               b->place.line, (unsigned long long)few, few == 1 ? "" : "s", with_commas(rounds, b->rounds));
    if (b->pairs)
        str_printf(s, ": about %s pairs instead of %s",
                   with_commas(after, (uint64_t)(share * share * (double)b->pairs)), with_commas(before, b->pairs));
}

/* Of threads that do the same, pairs grow with the square of their number, too. */
static void say_fewer_threads(const struct native_busiest *b, struct str *s)
{
    char before[32], after[32];
    int few = b->threads > FEW_THREADS ? FEW_THREADS : b->threads - 1;
    double share = (double)few * (few - 1) / ((double)b->threads * (b->threads - 1));
    str_printf(s, "smallest change: %d threads that use it instead of %d: about %s pairs instead of %s", few,
               b->threads, with_commas(after, (uint64_t)(share * (double)b->pairs)), with_commas(before, b->pairs));
}

static char *say_change(const struct native_busiest *b)
{
    struct str s = {0};
    if (b->place.file && b->rounds > 1) say_fewer_rounds(b, &s);
    else if (b->threads > 2 && b->pairs) say_fewer_threads(b, &s);
    else str_add(&s, "smallest change: split the test, so that each thread makes one operation");
    return s.at;
}

/* A loop that waits and a loop that takes its time look alike. */
static char *say_long_loop(const struct native_busiest *b)
{
    struct str s = {0};
    char rounds[32];
    str_add(&s, "executions reached --max-steps: --explore=fair reports a livelock if threads only yield and "
                "retry; ");
    if (b && b->place.file && b->rounds > 1)
        str_printf(&s, "for a long loop, run fewer rounds: %s:%d ran %s times in one thread",
                   path_basename(b->place.file), b->place.line, with_commas(rounds, b->rounds));
    else str_add(&s, "for a long loop, raise --max-steps or run fewer rounds");
    return s.at;
}

/* ---- the next command ---- */

/* An option of the command that another value takes the place of: "--time", "-b" or "--bound". */
static bool is_option(const char *word, const char *name, bool *has_value)
{
    size_t n = strlen(name);
    *has_value = !strcmp(word, name);
    if (*has_value) return true;
    return !strncmp(word, name, n) && (word[n] == '=' || (name[1] != '-' && word[n]));
}

static bool is_dropped(const char *word, const char *const *drop, bool *has_value)
{
    for (size_t i = 0; drop && drop[i]; i++)
        if (is_option(word, drop[i], has_value)) return true;
    return false;
}

/* The command of this check with another option, without those of which it takes the place (NULL-terminated). */
static char *command_with(const struct check_job *job, const char *option, const char *const *drop)
{
    struct str s = {0};
    int i = 1;
    str_add(&s, "heddle check");
    for (; i < job->argc && strcmp(job->argv[i], "--"); i++) {
        bool has_value;
        if (is_dropped(job->argv[i], drop, &has_value)) {
            i += has_value;
            continue;
        }
        str_addc(&s, ' ');
        str_add_shell_word(&s, job->argv[i]);
    }
    str_printf(&s, " %s", option);
    for (; i < job->argc; i++) {
        str_addc(&s, ' ');
        str_add_shell_word(&s, job->argv[i]);
    }
    return s.at;
}

static char *reasoned(char *command, const char *reason)
{
    struct str s = {0};
    str_printf(&s, "%s (%s)", command, reason);
    free(command);
    return s.at;
}

/* The bound at which time ran out, and the time that it needs if the estimate of its schedules is right; 0: not known,
 * or too long. */
static long enough_seconds(const struct result *r)
{
    enum { MOST_SECONDS = 600, SPREAD = 2 };
    size_t n = result_complete_bounds(r);
    if (n >= r->bounds.len || !result_was_cut(r, LOSS_TIME)) return 0;
    uint64_t before = n ? r->bounds.at[n - 1].executions : 0, run = r->bounds.at[n].executions - before;
    double since = n ? r->bounds.at[n - 1].seconds : 0;
    if (!run || r->estimate < (double)run) return 0;
    double seconds = since + SPREAD * (r->seconds - since) * r->estimate / (double)run;
    return seconds < MOST_SECONDS ? (long)seconds + 1 : 0;
}

/* cut: some executions were cut off, so that the bound cannot be finished, however long it takes. */
static char *next_after_limit(const struct check_job *job, const struct result *r, bool samples, bool cut)
{
    static const char *const bound[] = {"-b", "--bound", "--executions", NULL}, *const time[] = {"--time", NULL},
                            *const sampling[] = {"--explore", "--seed", "--executions", "-b", "--bound", NULL};
    size_t done = result_complete_bounds(r);
    char option[64];
    long seconds = job->common.no_times || samples || cut ? 0 : enough_seconds(r);
    if (seconds) {
        snprintf(option, sizeof option, "--time %ld", seconds);
        return reasoned(command_with(job, option, time), "should finish this bound");
    }
    if (samples) return reasoned(command_with(job, "-b 1", sampling), "all schedules with at most 1 preemption");
    if (!done)
        return reasoned(command_with(job, "--explore=pos", sampling), "looks for errors in schedules drawn at random");
    snprintf(option, sizeof option, "-b %lld", (long long)r->bounds.at[done - 1].bound);
    return reasoned(command_with(job, option, bound), "ends with an answer");
}

static char *next_after_cuts(const struct check *c, const struct check_job *job)
{
    static const char *const steps[] = {"--max-steps", NULL};
    char option[64];
    int64_t more = c->options->max_steps * 10;
    if (more > RT_MAX_STEPS) return NULL;
    snprintf(option, sizeof option, "--max-steps=%lld", (long long)more);
    return reasoned(command_with(job, option, steps), "lets executions be ten times as long");
}

static char *next_command(const struct check *c, const struct check_job *job, const struct result *r)
{
    const struct rt_shared *s = c->run.shared;
    static const char *const isolate[] = {"--isolate", NULL};
    if (result_was_cut(r, LOSS_NO_THREADS)) return command_with(job, "--sequential", NULL);
    if (result_was_cut(r, LOSS_UNABLE))
        return reasoned(command_with(job, "--doctor", NULL), "lists what is outside control");
    if (result_was_cut(r, LOSS_DIVERGED) || result_was_cut(r, LOSS_REPEAT))
        return reasoned(command_with(job, "--isolate=fork", isolate), "a new process for each schedule");
    if (result_verdict(r) != VERDICT_UNKNOWN || result_was_cut(r, LOSS_ASSUMED)) return NULL;
    bool samples = sched_samples(s->config.strategy), cut = s->stats.ends[SCHED_END_CUTOFF];
    if (cut && !samples && !result_complete_bounds(r)) return next_after_cuts(c, job);
    return next_after_limit(job, r, samples, cut);
}

/* ---- all of it ---- */

/* A schedule that takes long is counted as far as this. */
enum { MOST_STEPS = 20000 };

/* The check's own limits have been reached: a limit on time may be overrun by less than half a second. */
static bool find_busiest(struct check *c, struct native_busiest *b, char **name)
{
    const struct native_options *given_options = c->options;
    const struct limits *given = c->limits, own = limits_within(NULL, given && given->deadline > 0 ? 0.3 : 5);
    struct native_options short_enough = *given_options;
    struct native_run first;
    short_enough.max_steps = MIN(short_enough.max_steps, MOST_STEPS);
    c->options = &short_enough;
    c->limits = &own;
    check_record(c, c->run.shared, 0, &first);
    c->limits = given;
    c->options = given_options;
    bool found = !first.stopped && native_find_busiest(&first, c->symbols, b);
    *name = found ? native_object_name(&first, c->symbols, b->object) : NULL;
    native_run_release(&first);
    return found;
}

/* Something else than the number of schedules keeps the check from an answer. */
static bool has_other_trouble(const struct result *r)
{
    static const enum loss troubles[] = {LOSS_NO_THREADS, LOSS_UNABLE, LOSS_DIVERGED, LOSS_REPEAT, LOSS_ASSUMED};
    for (size_t i = 0; i < ARRAY_LEN(troubles); i++)
        if (result_was_cut(r, troubles[i])) return true;
    return false;
}

void native_advise(struct check *c, const struct check_job *job, struct result *r)
{
    struct native_busiest b;
    char *name = NULL;
    bool found = !has_other_trouble(r) && find_busiest(c, &b, &name);
    bool cut = c->run.shared->stats.ends[SCHED_END_CUTOFF] && result_verdict(r) == VERDICT_UNKNOWN;
    if (found) r->advice = say_multiplier(&b, name);
    if (cut) r->change = say_long_loop(found ? &b : NULL);
    else if (found) r->change = say_change(&b);
    else if (result_was_cut(r, LOSS_ASSUMED))
        r->change = xstrdup("smallest change: weaken the assumption, or choose among more values");
    r->next = next_command(c, job, r);
    free(name);
}
