/* The referee of delay bounding: runs all interleavings of a made-up program by copying the machine, and counts for
 * each what the deterministic scheduler would have to be delayed by. That scheduler lets the running thread go on, and
 * when it cannot, the next one in the order of numbers. To run the k-th thread after the one that it chooses costs k.
 *
 * For every bound the plain search must run as many schedules as there are with at most that many delays, none of
 * them twice. The reduced one must run at most as many. Both must reach exactly the graphs and failures that these
 * reach. */
#include <stdio.h>
#include <string.h>

#include "delays.h"
#include "explore.h"

enum { MOST_EXECUTIONS = 3000, HIGHEST_BOUND = 4, MOST_DELAYS = 200 };

struct referee {
    const struct program *program;
    struct graph graph;
    struct set graphs, failures; /* with the least number of delays of each */
    uint64_t executions, with[MOST_DELAYS];
    int spent;
};

static int threads_of(const struct referee *r)
{
    return r->program->threads;
}

/* How many enabled threads the scheduler would choose before thread t. */
static int delays_before(const struct referee *r, uint32_t enabled, int last, int t)
{
    int n = threads_of(r), first = last >= 0 && (enabled & 1u << last) ? last : last + 1, delays = 0;
    for (int u = first % n; u != t; u = (u + 1) % n)
        delays += (enabled & 1u << u) != 0;
    return delays;
}

static void lower(struct set *set, struct key key, int cost)
{
    struct entry *e = set_find(set, key, true);
    if (e->cost < 0 || cost < e->cost)
        e->cost = cost;
}

static void explore_all(struct referee *r, const struct machine *m, int last);

static void step(struct referee *r, const struct machine *m, int t, uint32_t choice, int cost)
{
    struct machine after = *m;
    struct sched_outcome outcome;
    struct touch touch;
    machine_step(&after, t, choice, &outcome, &touch);
    graph_push(&r->graph, t, choice, &outcome, &touch);
    r->spent += cost;
    for (int u = 0; u < threads_of(r); u++)
        if ((after.failed & ~m->failed) & 1u << u)
            lower(&r->failures, (struct key){(uint64_t)u + 1, (uint64_t)m->thread[u].pc + 1}, r->spent);
    explore_all(r, &after, t);
    r->spent -= cost;
    graph_pop(&r->graph);
}

/* A thread that has nothing left but its end does it at once, and whoever ends the program costs nothing. */
static void explore_all(struct referee *r, const struct machine *m, int last)
{
    static const int no_yields[MAX_THREADS];
    uint32_t enabled = referee_may_go_on(m, no_yields, -1);
    bool ends = last >= 0 && (enabled & 1u << last) && m->thread[last].pc == m->program->len[last];
    if (!enabled) {
        lower(&r->graphs, r->graph.hash, r->spent);
        r->executions++;
        r->with[r->spent]++;
    }
    for (int t = 0; t < threads_of(r) && r->executions <= MOST_EXECUTIONS; t++) {
        struct sched_op op;
        if (!(enabled & 1u << t) || (ends && t != last))
            continue;
        machine_op(m, t, &op);
        int cost = op.kind == SCHED_END ? 0 : delays_before(r, enabled, last, t);
        bool counted = (op.kind == SCHED_CHOOSE || op.kind == SCHED_SIGNAL) && op.count > 1;
        uint32_t choices = op.flags & SCHED_SURPRISE ? 1 + (op.older != 0) : counted ? op.count : 1;
        for (uint32_t c = 0; c < choices; c++)
            step(r, m, t, c, cost + (op.flags & SCHED_SURPRISE && c));
    }
}

static void referee_begin(struct referee *r, const struct program *p)
{
    struct machine m;
    r->program = p;
    set_clear(&r->graphs);
    set_clear(&r->failures);
    memset(r->with, 0, sizeof r->with);
    r->executions = 0;
    r->spent = 0;
    graph_reset(&r->graph, p->threads);
    machine_reset(&m, p);
    explore_all(r, &m, -1);
}

/* All that costs at most so much was seen, and nothing else. */
static const char *compare(const struct set *wanted, struct set *seen, int bound)
{
    size_t within = 0;
    for (size_t i = 0; i < wanted->cap; i++) {
        const struct entry *e = &wanted->at[i];
        if (!e->seen || (bound >= 0 && e->cost > bound))
            continue;
        within++;
        if (!set_find(seen, e->key, false))
            return "misses";
    }
    return seen->len == within ? NULL : "goes beyond the bound with";
}

/* The reduced search is complete as soon as all graphs are covered, which may be at a lower bound. */
static const char *judge_counts(const struct referee *r, struct observed *o, bool is_plain, uint64_t within)
{
    bool is_all = within == r->executions;
    if (o->stats.complete != is_all && (is_plain || is_all || compare(&r->graphs, &o->graphs, -1)))
        return "is wrong about whether it covered everything";
    if (o->repeated_schedules || o->executions > within)
        return "runs too many schedules";
    if (is_plain && (o->executions != within || o->blocked))
        return "runs another number of schedules";
    for (int i = 0; i < o->stats.levels && is_plain; i++)
        if (o->stats.level[i].executions != r->with[i])
            return "has another number of schedules in a level";
    return NULL;
}

static const char *judge_bound(const struct referee *r, struct observed *o, enum sched_strategy strategy, int bound)
{
    struct sched_config config = config_for(strategy, bound);
    uint64_t within = 0;
    const char *why;
    explore_program(o, r->program, &config);
    for (int d = 0; d < MOST_DELAYS && (bound < 0 || d <= bound); d++)
        within += r->with[d];
    if (o->stats.stop != SCHED_STOP_COMPLETE)
        return "does not come to its end";
    if ((why = judge_counts(r, o, strategy == SCHED_DELAY_PLAIN, within)))
        return why;
    if ((why = compare(&r->graphs, &o->graphs, bound)) || (why = compare(&r->failures, &o->failures, bound)))
        return why;
    return NULL;
}

int judge_delays(uint64_t from, uint64_t count)
{
    static struct referee r;
    static struct observed o;
    uint64_t judged = 0, schedules = 0, failures = 0, dearest = 0, runs[2] = {0}, given_up = 0;
    int bad = 0;
    for (uint64_t seed = from; seed < from + count && bad < 5; seed++) {
        struct program p;
        const char *why = NULL;
        (seed % 4 ? program_generate : program_generate_surprises)(&p, seed);
        referee_begin(&r, &p);
        if (r.executions > MOST_EXECUTIONS)
            continue;
        for (int bound = -1; bound <= HIGHEST_BOUND && !why; bound++)
            for (int i = 0; i < 2 && !why; i++) {
                enum sched_strategy strategy = i ? SCHED_DELAY : SCHED_DELAY_PLAIN;
                if ((why = judge_bound(&r, &o, strategy, bound)))
                    printf("FAIL judge --delays %llu 1: %s %d %s\n", (unsigned long long)seed,
                           sched_strategy_name(strategy), bound, why);
                runs[i] += o.executions;
                given_up += o.blocked;
            }
        bad += why != NULL;
        judged++;
        schedules += r.executions;
        failures += r.failures.len;
        for (uint64_t d = dearest; d < MOST_DELAYS; d++)
            dearest = r.with[d] ? d : dearest;
    }
    if (!bad)
        printf("%s %llu random programs from %llu with delays (%llu schedules, %llu failures, up to %llu delays)\n",
               judged && failures && dearest > HIGHEST_BOUND ? "ok" : "FAIL: too easy:", (unsigned long long)judged,
               (unsigned long long)from, (unsigned long long)schedules, (unsigned long long)failures,
               (unsigned long long)dearest);
    printf("# delay ran %llu executions and gave up %llu, delay-plain ran %llu\n", (unsigned long long)runs[1],
           (unsigned long long)given_up, (unsigned long long)runs[0]);
    set_release(&r.graphs);
    set_release(&r.failures);
    observed_release(&o);
    return bad;
}
