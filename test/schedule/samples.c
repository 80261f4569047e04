/* The referee of samples. On random programs: each strategy that draws at random runs only schedules that the program
 * has, reaches only graphs and failures that the plain search reaches, and each of its schedules can be replayed. On
 * small programs with known interleavings: how often each of them is drawn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"
#include "samples.h"

enum { MOST_EXECUTIONS = 4000, EXECUTIONS = 100, MOST_LENGTH = MAX_STEPS };
static const enum sched_strategy samplers[] = {SCHED_RANDOM, SCHED_PCT, SCHED_POS, SCHED_SURW,
                                              SCHED_RFF,    SCHED_RARE};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

struct outcome { struct key graph; uint32_t failed; bool is_stuck; };
struct drawn { size_t len; struct sched_step steps[MOST_LENGTH]; struct outcome outcome; };

/* One execution of the search on the machine. False: the strategy picked a step that the machine cannot do. */
static bool execute(struct sched *s, const struct program *p, struct drawn *d)
{
    static struct machine m;
    static struct graph g;
    static struct sched_view view;
    struct sched_pick pick;
    machine_reset(&m, p);
    graph_reset(&g, p->threads);
    memset(&view, 0, sizeof view);
    for (machine_view(&m, &view); (pick = sched_pick(s, &view)).thread >= 0; machine_view(&m, &view)) {
        struct sched_outcome outcome;
        struct touch touch;
        if (!machine_enabled(&m, pick.thread))
            return false;
        machine_step(&m, pick.thread, pick.choice, &outcome, &touch);
        graph_push(&g, pick.thread, pick.choice, &outcome, &touch);
        sched_executed(s, &outcome);
    }
    const struct sched_step *steps;
    d->len = sched_schedule(s, &steps);
    memcpy(d->steps, steps, d->len * sizeof *steps);
    d->outcome = (struct outcome){g.hash, m.failed, m.live && !m.ended};
    sched_finish(s, pick.why == SCHED_PICK_STOP ? SCHED_END_CUTOFF
                    : d->outcome.is_stuck       ? SCHED_END_DEADLOCK
                                                : SCHED_END_NORMAL);
    return pick.why == SCHED_PICK_NONE_ENABLED;
}

static bool replays(const struct program *p, const struct drawn *d)
{
    static struct drawn again;
    struct sched_config config = config_for(SCHED_REPLAY, -1);
    config.schedule = d->steps;
    config.schedule_len = d->len;
    struct sched *s = sched_new(&config);
    bool same = sched_start(s) && execute(s, p, &again) && sched_stats(s)->stop == SCHED_STOP_NOT_YET &&
                again.len == d->len && !memcmp(&again.outcome.graph, &d->outcome.graph, sizeof d->outcome.graph) &&
                again.outcome.failed == d->outcome.failed;
    sched_free(s);
    return same;
}

static const char *judge_sampler(const struct program *p, struct findings *found, enum sched_strategy strategy,
                                 uint64_t seed, uint64_t *failures)
{
    static struct drawn d;
    struct sched_config config = config_for(strategy, -1);
    const char *why = NULL;
    config.seed = seed;
    config.max_executions = EXECUTIONS;
    struct sched *s = sched_new(&config);
    while (!why && sched_start(s)) {
        if (!execute(s, p, &d))
            why = "draws a schedule that is not possible";
        else if (!set_find(&found->graphs, d.outcome.graph, false))
            why = "runs something that the referee did not";
        else if (!replays(p, &d))
            why = "draws a schedule that cannot be replayed";
        *failures += d.outcome.failed != 0;
    }
    if (!why && (sched_stats(s)->stop != SCHED_STOP_EXECUTIONS || sched_stats(s)->executions != EXECUTIONS))
        why = "does not run as many executions as it should";
    if (!why && sched_stats(s)->complete)
        why = "says that it covered everything";
    sched_free(s);
    return why;
}

static int judge_feasibility(uint64_t from, uint64_t count)
{
    static struct findings found;
    uint64_t judged = 0, failures = 0;
    int bad = 0;
    for (uint64_t seed = from; seed < from + count && bad < 5; seed++) {
        struct program p;
        program_generate(&p, seed);
        referee_run(&found, &p, MOST_EXECUTIONS, true, false);
        if (found.too_many)
            continue;
        judged++;
        for (int i = 0; i < SAMPLERS; i++) {
            const char *why = judge_sampler(&p, &found, samplers[i], seed, &failures);
            if (why && ++bad)
                printf("FAIL judge --samples %llu 1: %s %s\n", (unsigned long long)seed,
                       sched_strategy_name(samplers[i]), why);
        }
    }
    if (!bad)
        printf("%s %llu random programs from %llu with samples (%llu schedules that fail)\n",
               judged && failures ? "ok" : "FAIL: too easy:", (unsigned long long)judged, (unsigned long long)from,
               (unsigned long long)failures);
    findings_release(&found);
    return bad;
}

/* ---- distributions ---- */

struct family {
    const char *name, *program;
    int threads[2];    /* whose accesses to variable 0 are interesting */
    int each, orders;  /* so many of each thread; (2 each)! / each!^2 */
    double surw, rest; /* chi-square of `surw` is at most the former, that of `random` at least the latter */
};

/* With 20 orders chi-square has 19 degrees of freedom: a uniform sample stays below 41 in 997 cases of 1,000. Where
 * other steps than the accesses matter, the executions that draw all places make it larger. */
static const struct family families[] = {
    {"two threads", "thread\n store 0 1\n store 0 1\n store 0 1\n thread\n store 0 2\n store 0 2\n store 0 2\n", {0, 1},
     3, 20, 41, 1000},
    {"created threads",
     "thread\n create 1\n store 5 1\n store 6 1\n create 2\n thread created\n store 0 1\n store 0 1\n store 0 1\n"
     "thread created\n store 0 2\n store 0 2\n store 0 2\n", {1, 2}, 3, 20, 200, 20000},
    {"noise before one of them",
     "thread\n store 1 1\n store 1 1\n store 1 1\n store 1 1\n store 1 1\n store 1 1\n store 0 1\n store 0 1\n"
     "thread\n store 0 2\n store 0 2\n", {0, 1}, 2, 6, 250, 10000},
};

/* The order of the interesting accesses as a number: a bit for each, which says whose it is. */
static unsigned order_of(const struct family *f, const struct program *p, const struct drawn *d)
{
    unsigned order = 0;
    int at[MAX_THREADS] = {0};
    for (size_t i = 0; i < d->len; i++) {
        int t = d->steps[i].thread, pc = at[t]++;
        if (pc < p->len[t] && p->code[t][pc].kind == I_store && !p->code[t][pc].arg[0])
            order = order << 1 | (t == f->threads[1]);
    }
    return order;
}

static double chi_square(const struct family *f, enum sched_strategy strategy, int executions)
{
    static struct drawn d;
    enum { MOST_ORDERS = 64 };
    int count[MOST_ORDERS] = {0}, different = 0;
    double expected = (double)executions / f->orders, sum = 0;
    struct program p;
    struct sched_config config = config_for(strategy, -1);
    config.seed = 1;
    config.max_executions = (uint64_t)executions;
    if (!program_parse(&p, f->program))
        return -1;
    struct sched *s = sched_new(&config);
    while (sched_start(s) && execute(s, &p, &d))
        count[order_of(f, &p, &d) % MOST_ORDERS]++;
    sched_free(s);
    for (int i = 0; i < MOST_ORDERS; i++) {
        different += count[i] != 0;
        sum += count[i] ? (count[i] - expected) * (count[i] - expected) / expected : 0;
    }
    return sum + (f->orders - different) * expected;
}

static int judge_distributions(void)
{
    enum { DRAWN = 6000 };
    int bad = 0;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        const struct family *f = &families[i];
        double surw = chi_square(f, SCHED_SURW, DRAWN), walk = chi_square(f, SCHED_RANDOM, DRAWN);
        bool good = surw >= 0 && surw <= f->surw && walk >= f->rest;
        printf("%s orders of accesses, %s: chi-square %.1f with surw, %.1f with random\n", good ? "ok" : "FAIL",
               f->name, surw, walk);
        bad += !good;
    }
    return bad;
}

int judge_samples(uint64_t from, uint64_t count)
{
    int bad = judge_feasibility(from, count);
    return bad + judge_distributions();
}
