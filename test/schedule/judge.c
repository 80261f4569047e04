/* The judge: compares every strategy with the referee, on random programs, kept ones and families with known counts.
 *
 *   judge --random FROM COUNT     programs with seeds FROM .. FROM+COUNT-1
 *   judge --compare FROM COUNT    the same with compare-exchange, assumptions and ends of the program in most of them
 *   judge --stores FROM COUNT     with stores of few values: one that changes nothing only reads
 *   judge --rounds FROM COUNT     with barriers of which arrivals commute, unless rounds overlap
 *   judge --cyclic FROM COUNT     programs with loops that yield, under a fair bound alone and with preemptions
 *   judge --waiting-rounds FROM COUNT   the same with barriers
 *   judge --large FROM COUNT      programs too large for brute force: the strategies must agree with each other
 *   judge --files FILE...         programs kept as text
 *   judge --delays FROM COUNT     delay bounding against a referee that counts delays (delays.c)
 *   judge --samples FROM COUNT    strategies that draw at random (samples.c)
 *   judge --families              classic families, with their exact numbers
 *   judge --print SEED, --print-c SEED, --show FILE
 *
 * A failing random program is made smaller as long as the same complaint stays, and printed. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "delays.h"
#include "explore.h"
#include "families.h"
#include "estimates.h"
#include "samples.h"

enum { MOST_EXECUTIONS = 6000, MOST_FOR_FILES = 1000000, HIGHEST_BOUND = 4 };

struct judge {
    struct findings found, anywhere;
    struct observed seen, other;
    char why[200];
    uint64_t most; /* executions that the referee may run */
    unsigned only; /* bit per strategy; 0: all */
    uint64_t runs[SCHED_STRATEGY_COUNT], visited[SCHED_STRATEGY_COUNT], needed[SCHED_STRATEGY_COUNT];
    uint64_t programs, skipped, interleavings, held_nobody, ended, rising, given_up, given, taken;
    uint64_t known, explored, resumed, once, overlapping, unnoticed;
    uint64_t with_rounds[2]; /* graphs without and with what arrivals commute */
    uint64_t with_stores[4][2]; /* executions without and with what stores write: optimal, dpor, cb-por, bpor 1 */
};

static bool complain(struct judge *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool complain(struct judge *j, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(j->why, sizeof j->why, fmt, ap);
    va_end(ap);
    return false;
}

/* Every entry that the referee found within the bound was seen. */
static bool covers(struct judge *j, struct set *wanted, struct set *seen, int bound, const char *who, const char *what)
{
    for (size_t i = 0; i < wanted->cap; i++) {
        const struct entry *e = &wanted->at[i];
        if (e->seen && (bound < 0 || e->cost <= bound) && !set_find(seen, e->key, false))
            return complain(j, "%s %d misses a %s reachable with %d preemptions", who, bound, what, e->cost);
    }
    return true;
}

static size_t within(const struct set *wanted, int bound)
{
    size_t n = 0;
    for (size_t i = 0; i < wanted->cap; i++)
        n += wanted->at[i].seen && (bound < 0 || wanted->at[i].cost <= bound);
    return n;
}

/* Nothing beyond the bound, everything within it, honest hashes and counts. */
static bool sound(struct judge *j, const char *who, int bound)
{
    struct observed *o = &j->seen;
    struct findings *f = &j->found;
    if (o->overlaps)
        return complain(j, "%s %d takes rounds to overlap", who, bound);
    if (o->stats.stop != SCHED_STOP_COMPLETE)
        return complain(j, "%s %d stopped for reason %d", who, bound, o->stats.stop);
    if (o->hash_differs)
        return complain(j, "%s %d: sched_graph() is not the graph", who, bound);
    /* CB-POR counts a graph by its cheapest execution, which need not be the one it runs */
    if (bound >= 0 && o->most_cost > bound && strncmp(who, "cb-por", 6))
        return complain(j, "%s %d ran a schedule with %d preemptions", who, bound, o->most_cost);
    if (o->stats.executions != o->executions || o->stats.blocked != o->blocked)
        return complain(j, "%s %d counts wrongly", who, bound);
    if (o->stats.locals != o->locals.len)
        return complain(j, "%s %d counts %llu local states instead of %zu", who, bound,
                        (unsigned long long)o->stats.locals, o->locals.len);
    for (size_t i = 0; i < o->graphs.cap; i++)
        if (o->graphs.at[i].seen && !set_find(&f->graphs, o->graphs.at[i].key, false))
            return complain(j, "%s %d ran something that the referee did not", who, bound);
    return covers(j, &f->graphs, &o->graphs, bound, who, "graph") &&
           covers(j, &f->locals, &o->locals, bound, who, "local state") &&
           covers(j, &f->failures, &o->failures, bound, who, "failure");
}

static bool exact(struct judge *j, const char *who, int bound)
{
    if (j->seen.blocked && strcmp(who, "cb-por1")) /* which gives up where it meets what was visited */
        return complain(j, "%s %d: %llu blocked", who, bound, (unsigned long long)j->seen.blocked);
    size_t want = within(&j->found.graphs, bound);
    if (j->seen.executions != want)
        return complain(j, "%s %d: %llu executions for %zu graphs", who, bound, (unsigned long long)j->seen.executions,
                        want);
    return true;
}

/* What sched_simplify() made of every execution has the fewest preemptions with which the referee saw its graph. */
static bool simplified(struct judge *j, const char *who)
{
    const struct set *graphs = &j->seen.graphs;
    if (!j->seen.simplify)
        return true;
    if (j->seen.simplified_wrongly)
        return complain(j, "%s: a reordered execution is not equivalent, or costs something else", who);
    for (size_t i = 0; i < graphs->cap; i++) {
        const struct entry *e = &graphs->at[i];
        const struct entry *truth = e->seen ? set_find(&j->found.graphs, e->key, false) : NULL;
        if (truth && truth->cost != e->cost)
            return complain(j, "%s: a graph with %d preemptions was reordered to %d", who, truth->cost, e->cost);
    }
    return true;
}

static bool says_complete(struct judge *j, const char *who, int bound)
{
    bool beyond = bound >= 0 && within(&j->found.graphs, bound) < within(&j->found.graphs, -1);
    if (j->seen.stats.complete && beyond)
        return complain(j, "%s %d says that it covered everything", who, bound);
    if (bound < 0 && !j->seen.stats.complete)
        return complain(j, "%s unbounded does not say that it covered everything", who);
    return true;
}

static uint64_t forced_within(const struct findings *f, int bound)
{
    uint64_t n = 0;
    for (int c = 0; c < MOST_COST && (bound < 0 || c <= bound); c++)
        n += f->forced[c];
    return n;
}

static void run(struct judge *j, const struct program *p, enum sched_strategy strategy, int bound)
{
    struct sched_config config = config_for(strategy, bound);
    j->seen.simplify = strategy == SCHED_OPTIMAL && j->programs % 2 == 0 && !p->hides_words;
    explore_program(&j->seen, p, &config);
    j->runs[strategy]++;
    j->visited[strategy] += j->seen.executions + j->seen.blocked;
    j->needed[strategy] += within(&j->found.graphs, bound);
}

static bool plain_search(struct judge *j, const struct program *p, enum sched_strategy strategy, int bound)
{
    const char *who = sched_strategy_name(strategy);
    run(j, p, strategy, bound);
    if (j->seen.executions != forced_within(&j->found, bound))
        return complain(j, "%s %d: %llu executions instead of %llu", who, bound, (unsigned long long)j->seen.executions,
                        (unsigned long long)forced_within(&j->found, bound));
    if (j->seen.repeated_schedules || j->seen.blocked)
        return complain(j, "%s %d repeats itself", who, bound);
    return sound(j, who, bound) && says_complete(j, who, bound);
}

static bool check(struct judge *j, const struct program *p, enum sched_strategy strategy, int bound)
{
    const char *who = sched_strategy_name(strategy);
    if (j->only && !(j->only & 1u << strategy))
        return true;
    if (strategy == SCHED_DFS || strategy == SCHED_ICB || strategy == SCHED_DELAY_PLAIN)
        return plain_search(j, p, strategy, bound);
    run(j, p, strategy, bound);
    bool once = sched_asks_of_cuts(strategy) && !p->hides_words;
    if (p->hides_words) { /* it takes a cas for a write only from when it noticed */
        j->seen.hash_differs = false;
        j->seen.stats.locals = j->seen.locals.len;
    }
    return sound(j, who, bound) && (!once || exact(j, who, bound)) && says_complete(j, who, bound) &&
           simplified(j, who);
}

/* When a failure ends the execution, a strategy need not see all of them; but it must see one if there is one. */
static bool finds_failure(struct judge *j, const struct program *p, enum sched_strategy strategy, int bound)
{
    struct sched_config config = config_for(strategy, bound);
    if (j->only && !(j->only & 1u << strategy))
        return true;
    j->seen.simplify = strategy == SCHED_OPTIMAL;
    explore_until_failures(&j->seen, p, &config);
    if (j->seen.simplify && j->seen.simplified_wrongly)
        return complain(j, "%s: a reordered failing execution does not fail, or costs something else",
                        sched_strategy_name(strategy));
    bool there = within(&j->found.failures, bound) > 0, seen = j->seen.stats.ends[SCHED_END_FAILURE] > 0;
    if (there && !seen)
        return complain(j, "%s %d finds no failure at all", sched_strategy_name(strategy), bound);
    if (seen && j->seen.stats.complete)
        return complain(j, "%s %d says it is complete in spite of failures", sched_strategy_name(strategy), bound);
    return true;
}

/* Bound after bound, the first failing execution that CB-POR runs, reordered, has the fewest preemptions of all. */
static bool finds_cheapest_failure(struct judge *j, const struct program *p)
{
    struct sched_config config = config_for(SCHED_CBPOR, -1);
    struct machine m;
    int least = MOST_COST;
    machine_reset(&m, p);
    if (m.failed || (j->only && !(j->only & 1u << SCHED_CBPOR))) /* failed before the first step: no schedule */
        return true;
    for (size_t i = 0; i < j->found.failures.cap; i++)
        if (j->found.failures.at[i].seen && j->found.failures.at[i].cost < least)
            least = j->found.failures.at[i].cost;
    config.rising = true;
    j->seen.simplify = true;
    explore_until_failures(&j->seen, p, &config);
    if (j->seen.simplified_wrongly)
        return complain(j, "cb-por: a reordered failing execution does not fail, or costs something else");
    if (j->seen.failure_cost != least)
        return complain(j, "cb-por: the first failure has %d preemptions instead of %d", j->seen.failure_cost, least);
    return true;
}

/* Bound after bound, until all was seen: every graph once in all. */
static bool visits_each_graph_once(struct judge *j, const struct program *p)
{
    struct sched_config config = config_for(SCHED_CBPOR, -1);
    if (j->only && !(j->only & 1u << SCHED_CBPOR))
        return true;
    config.rising = true;
    j->seen.simplify = false;
    explore_program(&j->seen, p, &config);
    j->rising += j->seen.executions;
    j->given_up += j->seen.blocked;
    if (j->seen.executions != j->found.graphs.len || !j->seen.stats.complete)
        return complain(j, "cb-por with rising bounds: %llu executions for %zu graphs%s",
                        (unsigned long long)j->seen.executions, j->found.graphs.len,
                        j->seen.stats.complete ? "" : ", and not complete");
    return covers(j, &j->found.graphs, &j->seen.graphs, -1, "cb-por with rising bounds", "graph") &&
           covers(j, &j->found.locals, &j->seen.locals, -1, "cb-por with rising bounds", "local state");
}

static bool same_search(struct judge *j, const char *who, const char *how)
{
    const struct sched_stats *a = &j->seen.stats, *b = &j->other.stats;
    if (a->executions != b->executions || a->blocked != b->blocked || a->steps != b->steps || a->levels != b->levels ||
        a->stop != b->stop || a->complete != b->complete || a->unfair != b->unfair || a->max_depth != b->max_depth ||
        memcmp(a->ends, b->ends, sizeof a->ends))
        return complain(j, "%s: %s it counts %llu and %llu executions, else %llu and %llu", who, how,
                        (unsigned long long)b->executions, (unsigned long long)b->blocked,
                        (unsigned long long)a->executions, (unsigned long long)a->blocked);
    for (int i = 0; i < a->levels; i++)
        if (a->level[i].executions != b->level[i].executions || a->level[i].pruned != b->level[i].pruned ||
            a->level[i].done != b->level[i].done)
            return complain(j, "%s: %s it has another level %d", who, how, a->level[i].bound);
    if (j->seen.order != j->other.order)
        return complain(j, "%s: %s it explores other executions", who, how);
    return true;
}

/* Divided among several, a search does the same as one that is alone: the same executions, in the same order where each
 * part is explored when its turn comes, and the same counts. */
static bool same_when_divided(struct judge *j, const struct program *p, enum sched_strategy strategy, bool failure_ends)
{
    struct sched_config config = config_for(strategy, strategy == SCHED_DPOR ? -1 : 2);
    const char *who = sched_strategy_name(strategy);
    if (j->only && !(j->only & 1u << strategy))
        return true;
    config.rising = strategy == SCHED_BPOR;
    config.fair_bound = j->programs % 2 ? -1 : 1;
    config.seed = j->programs;
    config.max_executions = sched_samples(strategy) ? 70 : 0; /* with some powers of two among them */
    j->seen.simplify = j->other.simplify = false;
    (failure_ends ? explore_until_failures : explore_program)(&j->seen, p, &config);
    explore_divided(&j->other, p, &config, failure_ends);
    j->given += j->other.given;
    j->taken += j->other.taken;
    return same_search(j, who, "divided");
}

static bool has(const struct program *p, int kind)
{
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->len[t]; i++)
            if (p->code[t][i].kind == kind)
                return true;
    return false;
}

/* What is known of the program is not run again, and the search does the same all the same: also with little memory for
 * it, and divided. */
static bool same_when_known(struct judge *j, const struct program *p, int bound, bool failure_ends)
{
    struct sched_config config = config_for(SCHED_BPOR, bound);
    bool divided = j->programs % 3 == 0, little = j->programs % 5 == 0;
    if (j->only && !(j->only & 1u << SCHED_BPOR))
        return true;
    config.rising = true;
    config.fair_bound = j->programs % 7 ? -1 : 1;
    j->seen.simplify = j->other.simplify = false;
    explore_known(&j->seen, p, &config, failure_ends, divided, 0);
    explore_known(&j->other, p, &config, failure_ends, divided, little ? 40000 : 100 << 20);
    j->known += j->other.stats.known;
    j->explored += j->other.stats.executions;
    if (j->other.knows_wrongly)
        return complain(j, "bpor: what it knows is not so");
    uint64_t runs = j->other.stats.executions - j->other.stats.known;
    bool all_known = !divided && !little && !failure_ends && !has(p, I_await) && !has(p, I_global) && !has(p, I_quit) &&
                     !has(p, I_cas) && !has(p, I_cas2) && !has(p, I_casat) && !p->tells_stores &&
                     !(p->tells_rounds && has(p, I_yield)); /* BPOR makes nothing of rounds if yields count */
    if (all_known && !j->other.deadlocks && runs != j->other.graphs.len)
        return complain(j, "bpor runs %llu executions for %zu graphs", (unsigned long long)runs, j->other.graphs.len);
    j->once += all_known;
    return same_search(j, "bpor", "with what it knows");
}

/* Going back to a state on the way instead of the beginning changes nothing. */
static bool same_when_resumed(struct judge *j, const struct program *p, enum sched_strategy strategy, bool failure_ends)
{
    bool rises = strategy == SCHED_BPOR || strategy == SCHED_CBPOR;
    struct sched_config config = config_for(strategy, strategy == SCHED_DPOR || strategy == SCHED_OPTIMAL ? -1 : 2);
    if (j->only && !(j->only & 1u << strategy))
        return true;
    config.rising = rises;
    j->seen.simplify = j->other.simplify = false;
    size_t known = strategy == SCHED_BPOR && j->programs % 8 < 4 ? 100 << 20 : 0;
    explore_known(&j->seen, p, &config, failure_ends, false, known);
    j->other.resume = true;
    explore_known(&j->other, p, &config, failure_ends, false, known);
    j->other.resume = false;
    j->resumed += j->other.resumed;
    return same_search(j, sched_strategy_name(strategy), "resumed on the way");
}

static bool can_resume(struct judge *j, const struct program *p)
{
    static const enum sched_strategy all[] = {SCHED_BPOR, SCHED_DPOR, SCHED_DFS, SCHED_ICB, SCHED_OPTIMAL, SCHED_CBPOR};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!same_when_resumed(j, p, all[i], j->programs % 3 == 0))
            return false;
    return true;
}

static bool is_dividable(struct judge *j, const struct program *p)
{
    static const enum sched_strategy all[] = {SCHED_BPOR,   SCHED_DPOR, SCHED_DFS, SCHED_ICB,
                                              SCHED_RANDOM, SCHED_PCT,  SCHED_POS, SCHED_DELAY_PLAIN,
                                              SCHED_SURW,   SCHED_RFF,  SCHED_RARE};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!same_when_divided(j, p, all[i], false) || !same_when_divided(j, p, all[i], true))
            return false;
    return true;
}

static int highest_cost(const struct set *graphs)
{
    int most = 0;
    for (size_t i = 0; i < graphs->cap; i++)
        if (graphs->at[i].seen && graphs->at[i].cost > most)
            most = graphs->at[i].cost;
    return most;
}

/* A search under a fair bound that held nobody back (`unfair` is not set) covered everything that there is. */
static bool fair_bound_counts_only_where_it_holds_back(struct judge *j, const struct program *p)
{
    for (int fair = 0; fair <= 2; fair++)
        for (int bound = -1; bound <= 1; bound++) {
            char who[40];
            struct sched_config config = config_for(SCHED_BPOR, bound);
            config.fair_bound = fair;
            j->seen.simplify = false;
            explore_program(&j->seen, p, &config);
            if (j->seen.stats.unfair || j->seen.stats.stop != SCHED_STOP_COMPLETE)
                continue;
            j->held_nobody++;
            snprintf(who, sizeof who, "bpor-fair-%d that held nobody back", fair);
            if (!covers(j, &j->found.locals, &j->seen.locals, bound, who, "local state") ||
                !covers(j, &j->found.graphs, &j->seen.graphs, bound, who, "graph") ||
                !covers(j, &j->found.failures, &j->seen.failures, bound, who, "failure"))
                return false;
        }
    return true;
}

/* Whatever can be seen when the program may end at any time, can when it ends last, and no dearer. */
static bool ending_last_loses_nothing(struct judge *j, const struct program *p)
{
    referee_run(&j->anywhere, p, j->most, true, true);
    if (j->anywhere.too_many)
        return true;
    struct set *anywhere[] = {&j->anywhere.locals, &j->anywhere.failures};
    struct set *last[] = {&j->found.locals, &j->found.failures};
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < anywhere[k]->cap; i++) {
            const struct entry *e = &anywhere[k]->at[i];
            const struct entry *found = e->seen ? set_find(last[k], e->key, false) : NULL;
            if (e->seen && (!found || found->cost > e->cost))
                return complain(j, "a %s is lost when the program ends last", k ? "failure" : "local state");
        }
    j->ended++;
    return true;
}

/* A search that did not notice that rounds overlap reached all final states and failures within its bound. */
static bool notices_overlap(struct judge *j, const struct program *p, enum sched_strategy strategy, int bound,
                            struct set *finals)
{
    struct sched_config config = config_for(strategy, bound);
    const char *who = sched_strategy_name(strategy);
    if (j->only && !(j->only & 1u << strategy))
        return true;
    j->seen.simplify = false;
    explore_program(&j->seen, p, &config);
    if (j->seen.overlaps)
        return true;
    if (bound < 0)
        return complain(j, "%s does not notice that rounds overlap", who);
    j->unnoticed++;
    return covers(j, finals, &j->seen.finals, bound, who, "final state, rounds overlap,") &&
           covers(j, &j->found.failures, &j->seen.failures, bound, who, "failure, rounds overlap,");
}

/* What the strategies that take arrivals for independent do. */
static bool judge_told(struct judge *j, const struct program *p)
{
    j->programs++;
    j->interleavings += j->found.executions;
    if (j->found.state_differs)
        return complain(j, "equivalent executions end in different states");
    if (!check(j, p, SCHED_DPOR, -1) || !check(j, p, SCHED_OPTIMAL, -1))
        return false;
    for (int bound = -1; bound <= HIGHEST_BOUND; bound++)
        if (!check(j, p, SCHED_CBPOR, bound) || !check(j, p, SCHED_BPOR, bound))
            return false;
    if (!visits_each_graph_once(j, p))
        return false;
    if (j->found.failures.len && (!finds_failure(j, p, SCHED_OPTIMAL, -1) || !finds_failure(j, p, SCHED_DPOR, -1) ||
                                  !finds_failure(j, p, SCHED_BPOR, 1) || !finds_failure(j, p, SCHED_CBPOR, 1) ||
                                  !finds_cheapest_failure(j, p)))
        return false;
    if (has(p, I_yield) && !fair_bound_counts_only_where_it_holds_back(j, p))
        return false;
    bool fails = j->programs % 3 == 0;
    if (!same_when_known(j, p, j->programs % 2 ? -1 : 3, j->programs % 4 == 1))
        return false;
    return same_when_divided(j, p, SCHED_DPOR, fails) && same_when_divided(j, p, SCHED_BPOR, fails) &&
           same_when_resumed(j, p, SCHED_BPOR, fails) && same_when_resumed(j, p, SCHED_DPOR, fails) &&
           same_when_resumed(j, p, SCHED_OPTIMAL, fails) && same_when_resumed(j, p, SCHED_CBPOR, fails);
}

static void final_states(struct judge *j, struct set *states);
static bool judge_program(struct judge *j, const struct program *given);

static bool judge_overlap(struct judge *j, const struct program *p)
{
    static struct set finals;
    struct program untold = *p;
    untold.tells_rounds = false;
    referee_run(&j->found, &untold, j->most, true, false);
    if (j->found.too_many) {
        j->skipped++;
        return true;
    }
    j->overlapping++;
    final_states(j, &finals);
    for (int bound = -1; bound <= 2; bound++)
        if (!notices_overlap(j, p, SCHED_CBPOR, bound, &finals) || !notices_overlap(j, p, SCHED_BPOR, bound, &finals))
            return false;
    return notices_overlap(j, p, SCHED_DPOR, -1, &finals) && notices_overlap(j, p, SCHED_OPTIMAL, -1, &finals) &&
           judge_program(j, &untold);
}

static bool judge_program(struct judge *j, const struct program *given)
{
    struct program copy = *given, *p = &copy;
    p->hides_words = p->sem[2] == 2 && p->sem[3] == 2 && !p->tells_rounds;
    referee_run(&j->found, p, j->most, j->programs % 8 != 0, false);
    if (j->found.too_many) {
        j->skipped++;
        return true;
    }
    if (j->found.overlaps && p->tells_rounds)
        return judge_overlap(j, given);
    if (p->tells_rounds)
        return judge_told(j, p);
    j->programs++;
    j->interleavings += j->found.executions;
    if (j->found.state_differs)
        return complain(j, "equivalent executions end in different states");
    if (has(p, I_quit) && !ending_last_loses_nothing(j, p))
        return false;
    if (p->hides_words) /* with DPOR and BPOR a cas that fails is always known to */
        return !(has(p, I_cas) || has(p, I_cas2) || p->tells_stores) ||
               (check(j, p, SCHED_OPTIMAL, -1) && check(j, p, SCHED_CBPOR, 1) && check(j, p, SCHED_CBPOR1, 1));
    if (!check(j, p, SCHED_DPOR, -1) || !check(j, p, SCHED_OPTIMAL, -1) || !check(j, p, SCHED_DPOR_PLAIN, -1))
        return false;
    /* Bounds that no graph needs change little: for three of four programs they are left out. */
    int highest = j->programs % 4 ? highest_cost(&j->found.graphs) + 1 : HIGHEST_BOUND;
    for (int bound = -1; bound <= highest && bound <= HIGHEST_BOUND; bound++)
        if (!check(j, p, SCHED_CBPOR, bound) || !check(j, p, SCHED_BPOR, bound) || !check(j, p, SCHED_CBPOR1, bound) ||
            !check(j, p, SCHED_BPOR_PLAIN, bound))
            return false;
    if (!visits_each_graph_once(j, p))
        return false;
    if (j->found.failures.len && (!finds_failure(j, p, SCHED_OPTIMAL, -1) || !finds_failure(j, p, SCHED_DPOR, -1) ||
                                  !finds_failure(j, p, SCHED_BPOR, 1) || !finds_failure(j, p, SCHED_CBPOR, 1) ||
                                  !finds_failure(j, p, SCHED_BPOR_PLAIN, 1) || !finds_failure(j, p, SCHED_CBPOR1, 1) ||
                                  !finds_failure(j, p, SCHED_DPOR_PLAIN, -1) ||
                                  !finds_cheapest_failure(j, p)))
        return false;
    if (has(p, I_yield) && !fair_bound_counts_only_where_it_holds_back(j, p))
        return false;
    if (!same_when_known(j, p, j->programs % 2 ? -1 : 3, j->programs % 4 == 1))
        return false;
    if (j->programs % 4 == 0 && !is_dividable(j, p))
        return false;
    if (j->programs % 4 == 2 && !can_resume(j, p))
        return false;
    if (j->programs % 8) /* the plain searches take long and are simple */
        return true;
    for (int bound = -1; bound <= HIGHEST_BOUND; bound++)
        if (!check(j, p, SCHED_DFS, bound))
            return false;
    return check(j, p, SCHED_ICB, -1) && check(j, p, SCHED_ICB, 1) && check(j, p, SCHED_DELAY_PLAIN, -1);
}

/* Final states, each with the fewest preemptions, whatever counts as dependent. */
static void final_states(struct judge *j, struct set *states)
{
    set_clear(states);
    for (size_t i = 0; i < j->found.graphs.cap; i++) {
        const struct entry *graph = &j->found.graphs.at[i];
        if (!graph->seen)
            continue;
        struct entry *e = set_find(states, (struct key){graph->extra, 1}, true);
        if (e->cost < 0 || graph->cost < e->cost)
            e->cost = graph->cost;
    }
}

static bool same_costs(const struct set *a, const struct set *b)
{
    for (size_t i = 0; i < a->cap; i++) {
        const struct entry *e = a->at[i].seen ? set_find((struct set *)b, a->at[i].key, false) : NULL;
        if (a->at[i].seen && (!e || e->cost != a->at[i].cost))
            return false;
    }
    return a->len == b->len;
}

/* The coarser graphs have the same final states and failures, none dearer; no strategy runs more for them, all in all.
 */
static bool judge_stores(struct judge *j, const struct program *p)
{
    static struct set finals, told;
    static const enum sched_strategy all[] = {SCHED_OPTIMAL, SCHED_DPOR, SCHED_CBPOR, SCHED_BPOR};
    struct program silent = *p;
    silent.tells_stores = false;
    silent.hides_words = false;
    referee_run(&j->found, &silent, j->most, true, false);
    if (j->found.too_many) {
        j->skipped++;
        return true;
    }
    size_t graphs = j->found.graphs.len;
    final_states(j, &finals);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < 2; i++) {
            struct sched_config config = config_for(all[k], all[k] == SCHED_BPOR ? 1 : -1);
            struct sched_stats stats = explore_fast(i ? p : &silent, &config);
            j->with_stores[k][i] += stats.executions + stats.blocked;
        }
    referee_run(&j->found, p, j->most, true, false);
    final_states(j, &told);
    if (j->found.graphs.len > graphs || !same_costs(&finals, &told))
        return complain(j, "stores that are told: %zu graphs instead of %zu, or other final states",
                        j->found.graphs.len, graphs);
    return judge_program(j, p);
}

/* The coarser graphs have the same final states and failures, none dearer, if rounds do not overlap. */
static bool judge_rounds(struct judge *j, const struct program *p)
{
    static struct set finals, told;
    struct program untold = *p;
    untold.tells_rounds = false;
    referee_run(&j->found, &untold, j->most, true, false);
    if (j->found.too_many) {
        j->skipped++;
        return true;
    }
    size_t graphs = j->found.graphs.len;
    final_states(j, &finals);
    referee_run(&j->found, p, j->most, true, false);
    if (j->found.overlaps)
        return judge_program(j, p);
    final_states(j, &told);
    if (j->found.graphs.len > graphs || !same_costs(&finals, &told))
        return complain(j, "rounds that are told: %zu graphs instead of %zu, or other final states",
                        j->found.graphs.len, graphs);
    j->with_rounds[0] += graphs;
    j->with_rounds[1] += j->found.graphs.len;
    return judge_program(j, p) && (j->programs % 4 || judge_program(j, &untold));
}

static bool judge_cyclic(struct judge *j, const struct program *p)
{
    static const struct limits cases[] = {{-1, 0, 40}, {-1, 1, 40}, {0, 0, 40}, {0, 1, 40},
                                          {1, 0, 40},  {1, 1, 40},  {2, 1, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char who[40];
        bool plain = j->programs % 4 == 0 && !p->tells_rounds;
        struct sched_config config = config_for(plain ? SCHED_BPOR_PLAIN : SCHED_BPOR, cases[i].preemptions);
        config.fair_bound = cases[i].fair;
        referee_run_within(&j->found, p, j->most, cases[i]);
        if (j->found.too_many) {
            j->skipped++;
            continue;
        }
        j->programs++;
        j->interleavings += j->found.executions;
        if (i == 1 && !same_when_divided(j, p, SCHED_PCT, false)) /* executions have different lengths */
            return false;
        snprintf(who, sizeof who, "bpor-fair-%d-preemptions-%d", cases[i].fair, cases[i].preemptions);
        j->seen.simplify = !p->tells_rounds || !has(p, I_yield); /* else BPOR has graphs of its own */
        explore_program(&j->seen, p, &config);
        if (!simplified(j, who))
            return false;
        j->runs[SCHED_BPOR]++;
        j->visited[SCHED_BPOR] += j->seen.executions + j->seen.blocked;
        j->needed[SCHED_BPOR] += j->found.graphs.len;
        for (size_t k = 0; k < j->seen.graphs.cap; k++)
            if (j->seen.graphs.at[k].seen && !set_find(&j->found.graphs, j->seen.graphs.at[k].key, false))
                return complain(j, "%s ran something beyond the bounds", who);
        if (!covers(j, &j->found.locals, &j->seen.locals, -1, who, "local state") ||
            !covers(j, &j->found.graphs, &j->seen.graphs, -1, who, "graph") ||
            !covers(j, &j->found.failures, &j->seen.failures, -1, who, "failure"))
            return false;
    }
    return true;
}

static bool same_graphs(struct judge *j, const char *who, int bound)
{
    struct set *a = &j->seen.graphs, *b = &j->other.graphs;
    for (size_t i = 0; i < a->cap; i++)
        if (a->at[i].seen && !set_find(b, a->at[i].key, false))
            return complain(j, "%s with bound %d: the first finds a graph that the second does not", who, bound);
    if (a->len != b->len)
        return complain(j, "%s with bound %d: the second finds a graph that the first does not", who, bound);
    return true;
}

/* Without the referee, for larger programs: the strategies must agree with each other. */
static bool judge_large(struct judge *j, const struct program *p)
{
    enum { MOST_GRAPHS = 4000 };
    int done = -1; /* the highest bound that was judged */
    for (int bound = -1; bound <= 3; bound++) {
        struct sched_config config = config_for(SCHED_CBPOR, bound);
        config.max_executions = MOST_GRAPHS;
        j->seen.simplify = false;
        explore_program(&j->seen, p, &config);
        if (j->seen.stats.stop == SCHED_STOP_EXECUTIONS) {
            j->skipped++;
            continue;
        }
        if (j->seen.blocked || j->seen.graphs.len != j->seen.executions || j->seen.hash_differs)
            return complain(j, "cb-por repeats or blocks with bound %d", bound);
        j->programs++;
        j->interleavings += j->seen.executions;
        config = config_for(SCHED_BPOR, bound);
        explore_program(&j->other, p, &config);
        if (!same_graphs(j, "cb-por and bpor", bound))
            return false;
        done = bound;
        for (int i = 0; bound < 0 && i < 2; i++) {
            config = config_for(i ? SCHED_DPOR : SCHED_OPTIMAL, bound);
            explore_program(&j->other, p, &config);
            if (!i && (j->other.blocked || j->other.graphs.len != j->other.executions))
                return complain(j, "optimal repeats or blocks");
            if (!same_graphs(j, i ? "cb-por and dpor" : "cb-por and optimal", bound))
                return false;
        }
    }
    return done < 0 || same_when_known(j, p, done, false);
}

/* With a limit on the steps of each thread: BPOR comes to the graphs that all schedules within the bound come to. */
static bool judge_held(struct judge *j, const struct program *p)
{
    for (size_t limit = 1; limit <= 3; limit++)
        for (int bound = -1; bound <= 2; bound++) {
            struct sched_config config = config_for(SCHED_DFS, bound);
            config.thread_steps = limit;
            config.graphs = true;
            config.max_executions = j->most;
            explore_program(&j->seen, p, &config);
            if (j->seen.stats.stop == SCHED_STOP_EXECUTIONS) {
                j->skipped++;
                continue;
            }
            j->programs++;
            j->interleavings += j->seen.executions;
            config.strategy = SCHED_BPOR;
            config.verify = true;
            explore_program(&j->other, p, &config);
            if (!same_graphs(j, "dfs and bpor with few steps of each thread", bound))
                return false;
        }
    return true;
}

static void remove_insn(struct program *p, int t, int at)
{
    for (int i = 0; i < p->len[t]; i++) { /* a jump over it gets shorter */
        struct insn *insn = &p->code[t][i];
        bool forward = insn->kind == I_skipeq || insn->kind == I_skipne || insn->kind == I_skipgt;
        bool back = insn->kind == I_backne;
        if ((forward && i < at && i + insn->arg[2] >= at) || (back && i > at && i - insn->arg[2] <= at))
            insn->arg[2]--;
    }
    memmove(&p->code[t][at], &p->code[t][at + 1], (size_t)(p->len[t] - at - 1) * sizeof p->code[t][0]);
    p->len[t]--;
}

/* Leaves out instructions as long as the same strategy still complains in the same way (its first word). */
static void make_smaller(struct judge *j, struct program *p, bool judge_one(struct judge *, const struct program *))
{
    char first[200];
    sscanf(j->why, "%199s", first);
    for (bool again = true; again;) {
        again = false;
        for (int t = 0; t < p->threads; t++)
            for (int i = p->len[t] - 1; i >= 0; i--) {
                struct program smaller = *p;
                remove_insn(&smaller, t, i);
                if (!judge_one(j, &smaller) && !strncmp(j->why, first, strlen(first))) {
                    *p = smaller;
                    again = true;
                }
            }
    }
    judge_one(j, p);
}

static void report(struct judge *j, const char *name, struct program *p,
                   bool judge_one(struct judge *, const struct program *))
{
    static char text[20000];
    char first_why[200];
    strcpy(first_why, j->why);
    make_smaller(j, p, judge_one);
    program_print(p, text, sizeof text);
    printf("FAIL %s: %s\n# made smaller: %s\n%s", name, first_why, j->why, text);
}

struct kind {
    const char *option, *name;
    bool (*judge_one)(struct judge *, const struct program *);
    void (*generate)(struct program *, uint64_t);
};
static const struct kind kinds[] = {
    {"--random", "random programs", judge_program, program_generate},
    {"--compare", "random programs that compare, assume and end", judge_program, program_generate_compare},
    {"--surprises", "random programs in which something happens for no reason", judge_program,
     program_generate_surprises},
    {"--channels", "random programs with channels", judge_program, program_generate_channels},
    {"--writers-first", "random programs with locks that prefer writers", judge_program,
     program_generate_writers_first},
    {"--rounds", "random programs with barriers", judge_rounds, program_generate_rounds},
    {"--stores", "random programs with stores of few values", judge_stores, program_generate_stores},
    {"--held", "random programs of which each thread does a few steps", judge_held, program_generate},
    {"--cyclic", "random pairs of cyclic program and bounds", judge_cyclic, program_generate_cyclic},
    {"--waiting-rounds", "random pairs of cyclic program with barriers and bounds", judge_cyclic,
     program_generate_cyclic_rounds},
    {"--large", "random pairs of larger program and bound", judge_large, program_generate_large},
};

static int judge_random(struct judge *j, const struct kind *kind, uint64_t from, uint64_t count)
{
    int bad = 0;
    for (uint64_t seed = from; seed < from + count && bad < 5; seed++) {
        struct program p;
        char name[60];
        kind->generate(&p, seed);
        if (kind->judge_one(j, &p))
            continue;
        snprintf(name, sizeof name, "judge %s %llu 1", kind->option, (unsigned long long)seed);
        report(j, name, &p, kind->judge_one);
        bad++;
    }
    if (!bad)
        printf("ok %llu %s from %llu agree (%llu interleavings or graphs; %llu too large)\n",
               (unsigned long long)j->programs, kind->name, (unsigned long long)from,
               (unsigned long long)j->interleavings, (unsigned long long)j->skipped);
    for (int s = 0; s < SCHED_STRATEGY_COUNT; s++)
        if (j->runs[s])
            printf("# %-8s %9llu executions for %9llu graphs in %llu searches\n",
                   sched_strategy_name((enum sched_strategy)s), (unsigned long long)j->visited[s],
                   (unsigned long long)j->needed[s], (unsigned long long)j->runs[s]);
    if (j->rising)
        printf("# cb-por, bound after bound: %llu executions, %llu given up\n", (unsigned long long)j->rising,
               (unsigned long long)j->given_up);
    if (j->resumed)
        printf("# %llu executions resumed on the way\n", (unsigned long long)j->resumed);
    if (j->explored)
        printf("# bpor, bound after bound: %llu executions, %llu not run again; each graph once in %llu searches\n",
               (unsigned long long)j->explored, (unsigned long long)j->known, (unsigned long long)j->once);
    if (j->given)
        printf("# %llu parts given away, %llu explored elsewhere\n", (unsigned long long)j->given,
               (unsigned long long)j->taken);
    if (j->ended)
        printf("# %llu programs that may end early\n", (unsigned long long)j->ended);
    for (int k = 0; k < 4 && j->with_stores[0][0]; k++)
        printf("# told what stores write: %llu executions instead of %llu\n", (unsigned long long)j->with_stores[k][1],
               (unsigned long long)j->with_stores[k][0]);
    if (j->with_rounds[0])
        printf("# told that arrivals commute: %llu graphs instead of %llu; rounds overlap in %llu programs, "
               "not noticed by %llu searches with a bound\n", (unsigned long long)j->with_rounds[1],
               (unsigned long long)j->with_rounds[0], (unsigned long long)j->overlapping,
               (unsigned long long)j->unnoticed);
    if (j->held_nobody)
        printf("# %llu searches under a fair bound that held nobody back\n", (unsigned long long)j->held_nobody);
    return bad;
}

static bool read_program(struct program *p, const char *path)
{
    static char text[20000];
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    return program_parse(p, text);
}

/* cyclic-... and large-... are judged as such. */
static bool (*judge_by_name(const char *name))(struct judge *, const struct program *)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(name, kinds[i].option + 2, strlen(kinds[i].option + 2)))
            return kinds[i].judge_one;
    return judge_program;
}

static int judge_files(struct judge *j, int n, char **paths)
{
    int bad = 0;
    j->most = MOST_FOR_FILES;
    for (int i = 0; i < n; i++) {
        struct program p;
        const char *name = strrchr(paths[i], '/') ? strrchr(paths[i], '/') + 1 : paths[i];
        if (!read_program(&p, paths[i]))
            bad++, printf("FAIL %s: cannot be read\n", name);
        else if (!judge_by_name(name)(j, &p))
            bad++, printf("FAIL %s: %s\n", name, j->why);
        else if (!j->programs)
            bad++, printf("FAIL %s: too large for the referee\n", name);
        else
            printf("ok %s\n", name);
        j->programs = 0;
    }
    return bad;
}

/* With --print-c also the numbers that the engine for real programs must find. */
static int print_program(struct judge *j, const char *how, uint64_t seed)
{
    static char text[200000];
    struct program p;
    program_generate(&p, seed);
    if (!strcmp(how, "--print")) {
        program_print(&p, text, sizeof text);
    } else {
        struct sched_config config = config_for(SCHED_OPTIMAL, -1);
        if (!program_fits_c(&p)) {
            fprintf(stderr, "program %llu cannot be printed as C\n", (unsigned long long)seed);
            return 1;
        }
        p.tells_stores = p.tells_rounds = true; /* as that engine does */
        explore_program(&j->seen, &p, &config);
        if (j->seen.overlaps) {
            p.tells_rounds = false;
            explore_program(&j->seen, &p, &config);
        }
        printf("/* random program %llu: traces %llu, deadlocks %d */\n", (unsigned long long)seed,
               (unsigned long long)j->seen.executions, j->seen.deadlocks);
        program_print_c(&p, text, sizeof text);
    }
    fputs(text, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    static struct judge j = {.most = MOST_EXECUTIONS};
    int bad = 2;
    if (getenv("ONLY"))
        for (int s = 0; s < SCHED_STRATEGY_COUNT; s++)
            if (strstr(getenv("ONLY"), sched_strategy_name((enum sched_strategy)s)))
                j.only |= 1u << s;
    for (size_t i = 0; argc == 4 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(argv[1], kinds[i].option))
            bad = judge_random(&j, &kinds[i], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 4 && !strcmp(argv[1], "--delays"))
        bad = judge_delays(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 4 && !strcmp(argv[1], "--samples"))
        bad = judge_samples(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 4 && !strcmp(argv[1], "--estimates"))
        bad = judge_estimates(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    if (argc == 4 && bad != 2)
        ;
    else if (argc > 2 && !strcmp(argv[1], "--files"))
        bad = judge_files(&j, argc - 2, argv + 2);
    else if (argc == 2 && !strcmp(argv[1], "--families"))
        bad = judge_families();
    else if (argc == 3 && !strncmp(argv[1], "--print", 7))
        bad = print_program(&j, argv[1], strtoull(argv[2], NULL, 10));
    else
        fprintf(stderr, "usage: judge --random|--compare|--surprises|"
                        "--channels|--writers-first|--stores|--held|--rounds|--cyclic|--waiting-rounds|--large|"
                        "--delays|--samples|--estimates FROM COUNT | "
                        "--files FILE... | --families | --print SEED | --print-c SEED\n");
    findings_release(&j.found);
    findings_release(&j.anywhere);
    observed_release(&j.seen);
    observed_release(&j.other);
    return bad != 0;
}
