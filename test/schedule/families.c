/* Families of programs with a known number of Mazurkiewicz traces. The counts:
 * - n writers of one variable: any order of the writes, n!;
 * - one writer and n readers of one variable: each reader is before or after the write, 2^n;
 * - n critical sections under one lock: any order, n!;
 * - n threads that try one compare-exchange each on one flag: which of them is first, n; those that fail only read;
 * - one writer and n threads that read and assume that they come after it: each does or does not, 2^n;
 * - n threads at one barrier: 1; if they look who is the serial thread: n;
 * - n threads with three steps of their own each, and one that ends the program: 1, whenever it could have ended;
 * - last-zero and indexer: the numbers published for these programs (Flanagan and Godefroid 2005; Abdulla et al. 2014),
 *   which for last-zero with n writers are (n + 3) * 2^(n - 2). */
#include <stdio.h>
#include <string.h>

#include "explore.h"
#include "families.h"

static struct insn *emit(struct program *p, int kind, int a, int b, int c)
{
    int t = p->threads - 1;
    struct insn *i = &p->code[t][p->len[t]++];
    *i = (struct insn){(uint8_t)kind, {(int8_t)a, (int8_t)b, (int8_t)c}};
    return i;
}

static void writers(struct program *p, int n)
{
    for (int i = 0; i < n; i++) {
        p->threads++;
        emit(p, I_store, 0, i + 1, 0);
    }
}

static void readers(struct program *p, int n)
{
    p->threads++;
    emit(p, I_store, 0, 1, 0);
    for (int i = 0; i < n; i++) {
        p->threads++;
        emit(p, I_load, 0, 0, 0);
    }
}

static void sections(struct program *p, int n)
{
    for (int i = 0; i < n; i++) {
        p->threads++;
        emit(p, I_lock, 0, 0, 0);
        emit(p, I_load, 0, 0, 0);
        emit(p, I_storereg, 0, 0, 1);
        emit(p, I_unlock, 0, 0, 0);
    }
}

/* Thread 0 looks from the top of the array for the last zero; thread j sets a[j] = a[j-1] + 1. */
static void last_zero(struct program *p, int n)
{
    p->threads = 1;
    emit(p, I_set, 0, n, 0);
    emit(p, I_loadat, 0, 0, 1);
    emit(p, I_skipeq, 1, 0, 2);
    emit(p, I_addreg, 0, -1, 0);
    emit(p, I_backne, 1, 0, 3);
    for (int j = 1; j <= n; j++) {
        p->threads++;
        emit(p, I_load, j - 1, 0, 0);
        emit(p, I_storereg, j, 0, 1);
    }
}

/* Each thread enters four numbers into a hash table of 128 places, going on to the next place when one is taken. */
static void indexer(struct program *p, int n)
{
    for (int tid = 0; tid < n; tid++) {
        p->threads++;
        for (int m = 1; m <= 4; m++) {
            int w = m * 11 + tid;
            emit(p, I_set, 0, w * 7 % 128, 0);
            emit(p, I_casat, 0, w, 1);
            emit(p, I_skipeq, 1, 1, 2);
            emit(p, I_addreg, 0, 1, 0);
            emit(p, I_backne, 1, 1, 3);
        }
    }
}

static void first_wins(struct program *p, int n)
{
    for (int i = 0; i < n; i++) {
        p->threads++;
        emit(p, I_cas, 0, 0, 1);
    }
}

static void assumers(struct program *p, int n)
{
    readers(p, n);
    for (int t = 1; t <= n; t++)
        p->code[t][p->len[t]++] = (struct insn){I_assume, {0, 1}};
}

static void early_end(struct program *p, int n)
{
    for (int i = 0; i < n; i++) {
        p->threads++;
        for (int k = 0; k < 3; k++)
            emit(p, I_add, i, 1, 0);
    }
    p->threads++;
    emit(p, I_quit, 0, 0, 0);
}

static void meeting(struct program *p, int n)
{
    p->tells_rounds = true;
    p->barrier[0] = n;
    for (int i = 0; i < n; i++) {
        p->threads++;
        emit(p, I_arrive, 0, 0, 0);
    }
}

static void serial(struct program *p, int n)
{
    meeting(p, n);
    for (int t = 0; t < n; t++)
        p->code[t][0].kind = I_barrier;
}

static uint64_t factorial(int n) { return n < 2 ? 1 : (uint64_t)n * factorial(n - 1); }

static int check(const char *name, void (*build)(struct program *, int), int n, uint64_t traces)
{
    static struct observed o;
    static struct program p;
    int bad = 0;
    for (int i = 0; i < 2; i++) {
        enum sched_strategy strategy = i ? SCHED_DPOR : SCHED_OPTIMAL;
        struct sched_config config = config_for(strategy, -1);
        memset(&p, 0, sizeof p);
        p.vars = VARS;
        build(&p, n);
        explore_program(&o, &p, &config);
        bool exact = strategy == SCHED_DPOR || (o.executions == traces && !o.blocked);
        if (exact && o.graphs.len == traces && o.stats.complete && !o.hash_differs) {
            printf("ok %s %d with %s: %llu traces\n", name, n, sched_strategy_name(strategy),
                   (unsigned long long)traces);
        } else {
            bad++;
            printf("FAIL %s %d with %s: %llu executions, %llu blocked, %zu graphs instead of %llu\n", name, n,
                   sched_strategy_name(strategy), (unsigned long long)o.executions, (unsigned long long)o.blocked,
                   o.graphs.len, (unsigned long long)traces);
        }
    }
    observed_release(&o);
    return bad;
}

/* Estimates on the way, of one level of `total` runs. */
struct estimates { double total, last, worst; int level; uint64_t told, held; };

static void look_at_estimate(void *context, const struct sched_stats *stats)
{
    struct estimates *e = context;
    const struct sched_level *level = &stats->level[stats->levels - 1];
    double runs = (double)(level->executions + level->blocked), now = stats->estimate;
    if (stats->levels != e->level || runs < e->total / 100 || stats->doubt <= 0)
        return;
    double moved = e->last > 0 ? now / e->last : 1;
    moved = moved < 1 ? 1 / moved : moved;
    e->worst = moved > e->worst ? moved : e->worst;
    e->last = now;
    e->told++;
    e->held += now / stats->doubt <= e->total && e->total <= now * stats->doubt;
}

/* From a hundredth of all runs on the estimate never jumps, and what is said of its error holds in three of four looks:
 * in these trees each subtree is as large as its neighbours, a little larger, or twice as large. */
static int check_estimates(const char *name, void (*build)(struct program *, int), int n, enum sched_strategy strategy)
{
    static struct program p;
    struct sched_config config = config_for(strategy, strategy == SCHED_DPOR ? -1 : 1);
    config.rising = strategy != SCHED_DPOR;
    memset(&p, 0, sizeof p);
    p.vars = VARS;
    build(&p, n);
    struct sched_stats all = explore_fast(&p, &config);
    const struct sched_level *last = &all.level[all.levels - 1];
    struct estimates e = {.total = (double)(last->executions + last->blocked), .level = all.levels};
    explore_watched(&p, &config, look_at_estimate, &e);
    bool good = e.told && e.worst < 1.5 && 4 * e.held >= 3 * e.told;
    printf("%s estimates of %s %d with %s: %.0f runs; at most %.2f times from one to the next, %.0f %% as was said\n",
           good ? "ok" : "FAIL", name, n, sched_strategy_name(strategy), e.total, e.worst,
           100 * (double)e.held / (double)(e.told ? e.told : 1));
    return !good;
}

int judge_families(void)
{
    int bad = check_estimates("sections", sections, 6, SCHED_DPOR);
    bad += check_estimates("readers", readers, 12, SCHED_DPOR);
    bad += check_estimates("last-zero", last_zero, 10, SCHED_DPOR);
    bad += check_estimates("indexer", indexer, 14, SCHED_DPOR);
    bad += check_estimates("last-zero", last_zero, 5, SCHED_BPOR);
    bad += check_estimates("last-zero", last_zero, 4, SCHED_ICB);
    for (int n = 2; n <= 6; n++)
        bad += check("writers", writers, n, factorial(n)) + check("sections", sections, n, factorial(n));
    for (int n = 1; n <= 8; n++)
        bad += check("readers", readers, n, UINT64_C(1) << n) + check("assume", assumers, n, UINT64_C(1) << n) +
               check("first-wins", first_wins, n, (uint64_t)n) + check("early-end", early_end, n, 1) +
               check("meeting", meeting, n, 1) + check("serial", serial, n, n > 1 ? (uint64_t)n : 1);
    bad += check("last-zero", last_zero, 5, 64) + check("last-zero", last_zero, 10, 3328);
    bad += check("last-zero", last_zero, 11, 7168);
    bad += check("indexer", indexer, 12, 8) + check("indexer", indexer, 13, 64) + check("indexer", indexer, 14, 512);
    return bad;
}
