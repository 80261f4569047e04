/* The frame around the strategies: ledger, replay, limits, divergence, fairness, estimates; with an executor of a few
 * lines. Whether the strategies visit what they must is judged in test/schedule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedule/schedule.h"

enum { X = 0x1000, Y = 0x1008, Z = 0x1010, MUTEX_A = 0x2000, MUTEX_B = 0x2008 };

/* A program: up to three threads with straight-line code; mutexes are the only objects that block. */
struct script {
    int threads;
    struct sched_op code[3][8];
};
struct state {
    const struct script *script;
    int pc[3];
    int owner[2];
    bool spun;
    int x;
};

static struct sched_op op(enum sched_kind kind, uint64_t object)
{
    return (struct sched_op){.kind = (uint8_t)kind, .object = object, .count = kind <= SCHED_RMW ? 4 : 0};
}

static void look(const struct state *st, struct sched_view *view)
{
    view->live = view->enabled = 0;
    for (int t = 0; t < st->script->threads; t++) {
        const struct sched_op *next = &st->script->code[t][st->pc[t]];
        if (st->pc[t] > 0 && next[-1].kind == SCHED_EXIT)
            continue;
        view->next[t] = *next;
        view->live |= UINT64_C(1) << t;
        bool blocked = next->kind == SCHED_LOCK && st->owner[next->object == MUTEX_B] >= 0;
        blocked |= (next->flags & SCHED_SPIN) && !st->x;
        if (!blocked)
            view->enabled |= UINT64_C(1) << t;
    }
}

static struct sched_outcome act(struct state *st, int t)
{
    struct sched_outcome o = {0};
    const struct sched_op *now = &st->script->code[t][st->pc[t]++];
    int m = now->object == MUTEX_B;
    if (now->kind == SCHED_LOCK)
        st->owner[m] = t;
    if (now->kind == SCHED_UNLOCK)
        st->owner[m] = -1;
    if (now->kind == SCHED_WRITE) {
        o.changed = true;
        st->x |= now->object == X;
    }
    return o;
}

static size_t held;

static void *take(void *context, size_t size)
{
    (void)context;
    held += size;
    return malloc(size);
}

static void give(void *context, void *p, size_t size)
{
    (void)context;
    held -= size;
    free(p);
}

static struct sched_config config(enum sched_strategy strategy, int bound)
{
    return (struct sched_config){
        .strategy = strategy, .bound = bound, .fair_bound = -1, .max_steps = 50, .memory_pool = {take, give, NULL}};
}

/* One execution; its schedule as text, "0011". */
static enum sched_end run_one(struct sched *s, const struct script *script, char *schedule)
{
    struct state st = {.script = script, .owner = {-1, -1}};
    static struct sched_view view;
    struct sched_pick pick;
    for (look(&st, &view); (pick = sched_pick(s, &view)).thread >= 0; look(&st, &view)) {
        *schedule++ = (char)('0' + pick.thread);
        struct sched_outcome o = act(&st, pick.thread);
        sched_executed(s, &o);
    }
    *schedule = 0;
    enum sched_end end = pick.why == SCHED_PICK_STOP           ? SCHED_END_CUTOFF
                         : pick.why != SCHED_PICK_NONE_ENABLED ? SCHED_END_ABANDONED
                         : view.live                           ? SCHED_END_DEADLOCK
                                                               : SCHED_END_NORMAL;
    if (end == SCHED_END_DEADLOCK && sched_is_livelock(&view))
        schedule[1] = 'L';
    sched_finish(s, end);
    return end;
}

static void two_writers(struct script *p)
{
    *p = (struct script){.threads = 2};
    for (int t = 0; t < 2; t++) {
        p->code[t][0] = op(SCHED_WRITE, X);
        p->code[t][1] = op(SCHED_WRITE, Y);
        p->code[t][2] = op(SCHED_EXIT, 0);
    }
}

static void lock_order(struct script *p)
{
    *p = (struct script){.threads = 2};
    for (int t = 0; t < 2; t++) {
        p->code[t][0] = op(SCHED_LOCK, t ? MUTEX_B : MUTEX_A);
        p->code[t][1] = op(SCHED_LOCK, t ? MUTEX_A : MUTEX_B);
        p->code[t][2] = op(SCHED_UNLOCK, MUTEX_A);
        p->code[t][3] = op(SCHED_UNLOCK, MUTEX_B);
        p->code[t][4] = op(SCHED_EXIT, 0);
    }
}

static struct sched_stats run_all(const struct sched_config *c, const struct script *p)
{
    char schedule[64];
    struct sched *s = sched_new(c);
    assert_non_null(s);
    while (sched_start(s))
        if (!sched_is_known(s, NULL))
            run_one(s, p, schedule);
    struct sched_stats stats = *sched_stats(s);
    sched_free(s);
    assert_true(c->known || !held);
    return stats;
}

/* Two threads write X, then Y. The six schedules need 0, 0, 1, 1, 2, 2 preemptions; the four graphs (who is first at X,
 * who is first at Y) need 0, 0, 1, 1, so with reduction bound 1 visits them all. */
static void ledger_of_bounds(void **unused)
{
    (void)unused;
    static const enum sched_strategy rising[] = {SCHED_ICB, SCHED_BPOR, SCHED_CBPOR, SCHED_CBPOR1};
    struct script p;
    two_writers(&p);
    for (size_t i = 0; i < 4; i++) {
        struct sched_config c = config(rising[i], -1);
        c.rising = true;
        bool again = rising[i] == SCHED_BPOR || rising[i] == SCHED_CBPOR1;
        struct sched_stats stats = run_all(&c, &p);
        assert_int_equal(stats.stop, SCHED_STOP_COMPLETE);
        assert_true(stats.complete);
        /* CB-POR goes on as long as a step was beyond the bound, even if all it leads to was reached more cheaply */
        assert_true(stats.levels >= 2 && stats.levels <= (sched_asks_of_cuts(rising[i]) ? 4 : 3));
        for (int bound = 0; bound < stats.levels; bound++) {
            assert_int_equal(stats.level[bound].bound, bound);
            assert_true(stats.level[bound].done);
            assert_int_equal(stats.level[bound].pruned, bound < stats.levels - 1);
        }
        assert_int_equal(stats.level[0].executions, 2);
        /* four within bound 1: these two run the two of bound 0 again, for the others a level has its own only */
        assert_int_equal(stats.level[1].executions, again ? 4 : 2);
        if (rising[i] == SCHED_ICB) { /* each level counts its own schedules only */
            assert_int_equal(stats.levels, 3);
            assert_int_equal(stats.level[2].executions, 2);
            assert_int_equal(stats.executions, 6);
        }
    }
}

/* Three threads that contend for a lock: the next one in the order is not always the next one that can run. */
static void one_lock(struct script *p)
{
    *p = (struct script){.threads = 3};
    for (int t = 0; t < 3; t++) {
        p->code[t][0] = op(SCHED_LOCK, MUTEX_A);
        p->code[t][1] = op(SCHED_WRITE, X);
        p->code[t][2] = op(SCHED_UNLOCK, MUTEX_A);
        p->code[t][3] = op(SCHED_EXIT, 0);
    }
}

/* How many threads before `t` the deterministic scheduler would choose. */
static int delays_of(const struct sched_view *view, int last, int t)
{
    int first = last >= 0 && view->enabled >> last & 1 ? last : (last + 1) % 3, delays = 0;
    for (int u = first; u != t; u = (u + 1) % 3)
        delays += (int)(view->enabled >> u & 1);
    return delays;
}

/* Steps that the frame takes by itself are no choices: a thread that has nothing left but its end. */
static int delays_in(const struct script *p, const char *schedule)
{
    struct state st = {.script = p, .owner = {-1, -1}};
    static struct sched_view view;
    int last = -1, sum = 0;
    for (; *schedule; schedule++) {
        int t = *schedule - '0';
        look(&st, &view);
        if (last < 0 || !(view.enabled >> last & 1) || view.next[last].kind != SCHED_EXIT)
            sum += delays_of(&view, last, t);
        act(&st, t);
        last = t;
    }
    return sum;
}

struct seen_schedules { size_t count; char at[5000][20]; };

static bool was_seen(const struct seen_schedules *seen, const char *schedule)
{
    for (size_t i = 0; i < seen->count; i++)
        if (!strcmp(seen->at[i], schedule))
            return true;
    return false;
}

static void all_schedules(const struct script *p, const struct sched_config *c, struct seen_schedules *seen)
{
    struct sched *s = sched_new(c);
    char schedule[64];
    seen->count = 0;
    while (sched_start(s)) {
        run_one(s, p, schedule);
        assert_false(was_seen(seen, schedule)); /* none is run twice */
        if (c->strategy == SCHED_DELAY_PLAIN)
            assert_int_equal(delays_in(p, schedule), sched_stats(s)->level[sched_stats(s)->levels - 1].bound);
        assert_true(seen->count < sizeof seen->at / sizeof *seen->at && strlen(schedule) < sizeof *seen->at);
        strcpy(seen->at[seen->count++], schedule);
    }
    assert_true(sched_stats(s)->complete || c->bound >= 0);
    sched_free(s);
}

/* Delay bounding runs each schedule once, at the bound that is its number of delays, and bound d runs all with d. */
static void delays_are_counted(void **unused)
{
    (void)unused;
    static struct seen_schedules all, delayed;
    void (*const scripts[])(struct script *) = {two_writers, lock_order, one_lock};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        struct script p;
        scripts[i](&p);
        struct sched_config c = config(SCHED_DFS, -1);
        all_schedules(&p, &c, &all);
        for (int bound = -1; bound < 5; bound++) {
            size_t within = 0;
            c = config(SCHED_DELAY_PLAIN, bound);
            all_schedules(&p, &c, &delayed);
            for (size_t k = 0; k < all.count; k++)
                within += bound < 0 || delays_in(&p, all.at[k]) <= bound;
            assert_int_equal(delayed.count, within);
        }
    }
}

static void bounded_is_not_complete(void **unused)
{
    (void)unused;
    struct script p;
    two_writers(&p);
    for (int strategy = 0; strategy < SCHED_STRATEGY_COUNT; strategy++) {
        if (strategy == SCHED_REPLAY || strategy == SCHED_SWAP || strategy == SCHED_DPOR || strategy == SCHED_OPTIMAL ||
            strategy == SCHED_DPOR_PLAIN)
            continue;
        struct sched_config c = config((enum sched_strategy)strategy, 0);
        c.max_executions = 10;
        assert_false(run_all(&c, &p).complete);
    }
}

static void limits_are_kept(void **unused)
{
    (void)unused;
    struct script p;
    two_writers(&p);
    struct sched_config c = config(SCHED_DFS, -1);
    c.max_executions = 3;
    struct sched_stats stats = run_all(&c, &p);
    assert_int_equal(stats.stop, SCHED_STOP_EXECUTIONS);
    assert_int_equal(stats.executions, 3);
    assert_false(stats.complete);
    c = config(SCHED_CBPOR, -1);
    c.memory = 20000;
    stats = run_all(&c, &p);
    assert_int_equal(stats.stop, SCHED_STOP_MEMORY);
    assert_false(stats.complete);
    c = config(SCHED_DFS, -1);
    c.max_steps = 2;
    stats = run_all(&c, &p);
    assert_int_equal(stats.stop, SCHED_STOP_COMPLETE);
    assert_int_equal(stats.ends[SCHED_END_CUTOFF], stats.executions);
    assert_false(stats.complete);
}

static void replay_repeats(void **unused)
{
    (void)unused;
    struct script p;
    lock_order(&p);
    struct sched_config c = config(SCHED_ICB, -1);
    struct sched *s = sched_new(&c);
    char found[64], again[64];
    const struct sched_step *steps;
    struct sched_step kept[16];
    while (assert_true(sched_start(s)), run_one(s, &p, found) != SCHED_END_DEADLOCK)
        ;
    assert_int_equal(sched_preemptions(s), 1); /* each thread holds one lock: exactly one preemption is needed */
    size_t n = sched_schedule(s, &steps);
    assert_int_equal(n, strlen(found));
    memcpy(kept, steps, n * sizeof *steps);
    sched_free(s);
    c = config(SCHED_REPLAY, -1);
    c.schedule = kept;
    c.schedule_len = n;
    s = sched_new(&c);
    assert_true(sched_start(s));
    assert_int_equal(run_one(s, &p, again), SCHED_END_DEADLOCK);
    assert_string_equal(found, again);
    assert_false(sched_start(s));
    sched_free(s);
}

static void replay_that_does_not_fit(void **unused)
{
    (void)unused;
    struct script p;
    char schedule[64];
    const struct sched_step steps[] = {{0, 0}, {0, 0}, {1, 0}, {1, 0}};
    lock_order(&p);
    p.code[0][1] = op(SCHED_LOCK, MUTEX_A); /* the second step now locks against itself */
    struct sched_config c = config(SCHED_REPLAY, -1);
    c.schedule = steps;
    c.schedule_len = 4;
    struct sched *s = sched_new(&c);
    assert_true(sched_start(s));
    run_one(s, &p, schedule);
    assert_int_equal(sched_stats(s)->stop, SCHED_STOP_DIVERGED);
    assert_int_equal(sched_divergence(s).step, 1);
    assert_int_equal(sched_divergence(s).thread, 0);
    assert_false(sched_start(s));
    sched_free(s);
}

static void divergence_is_found(void **unused)
{
    (void)unused;
    for (int strategy = 0; strategy < SCHED_STRATEGY_COUNT; strategy++) {
        struct script p;
        char schedule[64];
        if (sched_samples((enum sched_strategy)strategy) || strategy == SCHED_REPLAY)
            continue; /* these repeat nothing */
        two_writers(&p);
        struct sched_config c = config((enum sched_strategy)strategy, -1);
        struct sched *s = sched_new(&c);
        assert_true(sched_start(s));
        run_one(s, &p, schedule);
        p.code[0][0] = op(SCHED_READ, Y); /* the program is another one now */
        for (int i = 0; i < 10 && sched_start(s); i++)
            run_one(s, &p, schedule);
        if (strategy == SCHED_ICB || sched_stats(s)->stop != SCHED_STOP_DIVERGED) {
            /* a prefix of length 0 repeats nothing: the search then simply goes on with the new program */
            assert_int_not_equal(sched_stats(s)->stop, SCHED_STOP_MEMORY);
        } else {
            assert_int_equal(sched_divergence(s).found.kind, SCHED_READ);
            assert_int_equal(sched_divergence(s).expected.kind, SCHED_WRITE);
        }
        sched_free(s);
    }
}

static void seeds_decide(void **unused)
{
    (void)unused;
    static const enum sched_strategy random[] = {SCHED_RANDOM, SCHED_PCT, SCHED_POS,
                                                SCHED_SURW,   SCHED_RFF, SCHED_RARE};
    for (size_t i = 0; i < sizeof random / sizeof *random; i++) {
        char text[2][40][64];
        int different = 0;
        for (int round = 0; round < 2; round++) {
            struct script p;
            lock_order(&p);
            struct sched_config c = config(random[i], -1);
            c.seed = 7;
            c.max_executions = 40;
            struct sched *s = sched_new(&c);
            for (int k = 0; sched_start(s); k++)
                run_one(s, &p, text[round][k]);
            assert_int_equal(sched_stats(s)->executions, 40);
            assert_true(sched_stats(s)->ends[SCHED_END_DEADLOCK] > 0);
            sched_free(s);
        }
        for (int k = 0; k < 40; k++) {
            assert_string_equal(text[0][k], text[1][k]);
            different += strcmp(text[0][k], text[0][0]) != 0;
        }
        assert_true(different > 0);
    }
}

/* Thread 1 waits in a loop for X; thread 0 writes it or does not. */
static void spinning_is_waiting(void **unused)
{
    (void)unused;
    for (int writes = 0; writes < 2; writes++)
        for (int strategy = 0; strategy < SCHED_STRATEGY_COUNT; strategy++) {
            struct script p = {.threads = 2};
            if (sched_samples((enum sched_strategy)strategy) || strategy == SCHED_REPLAY)
                continue;
            p.code[0][0] = op(writes ? SCHED_WRITE : SCHED_READ, X);
            p.code[0][1] = op(SCHED_EXIT, 0);
            p.code[1][0] = op(SCHED_READ, Y);
            p.code[1][1] = op(SCHED_READ, X);
            p.code[1][1].flags = SCHED_SPIN;
            p.code[1][2] = op(SCHED_EXIT, 0);
            struct sched_config c = config((enum sched_strategy)strategy, -1);
            struct sched *s = sched_new(&c);
            char schedule[64] = "";
            while (sched_start(s)) {
                enum sched_end end = run_one(s, &p, schedule);
                bool gives_up = strategy == SCHED_DPOR || strategy == SCHED_BPOR ||
                                sched_is_for_interleavings((enum sched_strategy)strategy);
                if (end == SCHED_END_ABANDONED && gives_up)
                    continue; /* everything that could go on sleeps, or was visited */
                assert_int_equal(end, writes ? SCHED_END_NORMAL : SCHED_END_DEADLOCK);
                assert_int_equal(schedule[strlen(schedule) + 1] == 'L', !writes);
            }
            assert_true(sched_stats(s)->complete);
            sched_free(s);
        }
}

/* Thread 0 yields three times while thread 1 has not yielded: with fair bound 1 it gets two yields ahead at most. */
static void fair_bound_holds_back(void **unused)
{
    (void)unused;
    struct script p = {.threads = 2};
    char schedule[64];
    for (int i = 0; i < 3; i++)
        p.code[0][i] = op(SCHED_YIELD, 0);
    p.code[0][3] = op(SCHED_EXIT, 0);
    p.code[1][0] = op(SCHED_WRITE, X);
    p.code[1][1] = op(SCHED_EXIT, 0);
    struct sched_config c = config(SCHED_DFS, -1);
    c.fair_bound = 1;
    struct sched *s = sched_new(&c);
    int executions = 0;
    for (; sched_start(s); executions++) {
        run_one(s, &p, schedule);
        assert_true(strncmp(schedule, "000", 3) != 0);
    }
    assert_int_equal(executions, 3); /* thread 1 moves after none, one or two yields */
    sched_free(s);
}

/* `unfair` says whether it held anybody back: not with as many yields as the bound allows. */
/* What a store of eight bytes finds there decides about it: whoever else writes there has to write all of them. */
static void partial_writes_are_noticed(void **unused)
{
    static const struct { enum sched_kind kind; uint64_t object; uint32_t size; bool partly; } others[] = {
        {SCHED_WRITE, X, 8, false},      {SCHED_WRITE, X, 16, false}, {SCHED_WRITE, X, 4, true},
        {SCHED_WRITE, X + 4, 8, true},   {SCHED_RMW, X + 7, 1, true}, {SCHED_READ, X, 4, false},
        {SCHED_WRITE, X - 4, 4, false},  {SCHED_WRITE, X + 8, 4, false}};
    (void)unused;
    for (size_t i = 0; i < 2 * sizeof others / sizeof *others; i++) {
        struct script p = {.threads = 2};
        char schedule[64];
        struct sched_config c = config(i % 2 ? SCHED_DPOR : SCHED_OPTIMAL, -1);
        p.code[0][0] = op(SCHED_WRITE, X);
        p.code[0][0].flags = SCHED_STORES;
        p.code[0][0].count = 8;
        p.code[1][0] = op(others[i / 2].kind, others[i / 2].object);
        p.code[1][0].count = others[i / 2].size;
        p.code[0][1] = p.code[1][1] = op(SCHED_EXIT, 0);
        struct sched *s = sched_new(&c);
        assert_true(sched_start(s));
        assert_false(sched_writes_partly(s));
        run_one(s, &p, schedule);
        assert_int_equal(sched_writes_partly(s), others[i / 2].partly);
        sched_free(s);
    }
}

static void fair_bound_that_holds_nobody_back(void **unused)
{
    (void)unused;
    static const enum sched_strategy strategies[] = {SCHED_DFS, SCHED_ICB, SCHED_BPOR};
    for (int i = 0; i < 3; i++)
        for (int yields = 0; yields <= 3; yields++) {
            struct script p = {.threads = 2};
            for (int k = 0; k < yields; k++)
                p.code[0][k] = op(SCHED_YIELD, 0);
            p.code[0][yields] = op(SCHED_WRITE, X);
            p.code[0][yields + 1] = op(SCHED_EXIT, 0);
            p.code[1][0] = op(SCHED_WRITE, X);
            p.code[1][1] = op(SCHED_EXIT, 0);
            struct sched_config c = config(strategies[i], -1);
            c.fair_bound = 1;
            struct sched_stats stats = run_all(&c, &p);
            assert_int_equal(stats.unfair, yields > 1);
            assert_true(stats.complete);
        }
}

/* Nothing in a schedule that is given is believed. */
static void replay_of_nonsense(void **unused)
{
    (void)unused;
    static const struct sched_step nonsense[] = {{2, 0},  {63, 0},        {64, 0}, {65, 0},        {INT32_MAX, 0},
                                                 {-1, 0}, {INT32_MIN, 0}, {0, 1},  {1, UINT32_MAX}};
    struct script p;
    two_writers(&p);
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        const struct sched_step steps[] = {{0, 0}, nonsense[i]};
        struct sched_config c = config(SCHED_REPLAY, -1);
        c.schedule = steps;
        c.schedule_len = 2;
        struct sched_stats stats = run_all(&c, &p);
        assert_int_equal(stats.stop, SCHED_STOP_DIVERGED);
        assert_false(stats.complete);
    }
}

/* Six steps are needed: with five every execution is cut off, and no bound is done. */
static void what_is_cut_off_is_not_done(void **unused)
{
    (void)unused;
    static const enum sched_strategy strategies[] = {SCHED_DFS, SCHED_ICB, SCHED_BPOR, SCHED_CBPOR};
    struct script p;
    two_writers(&p);
    for (int i = 0; i < 4; i++)
        for (size_t steps = 5; steps <= 7; steps++) {
            struct sched_config c = config(strategies[i], 1);
            c.max_steps = steps;
            struct sched_stats stats = run_all(&c, &p);
            assert_true(stats.levels > 0);
            for (int k = 0; k < stats.levels; k++)
                assert_int_equal(stats.level[k].done, steps >= 6);
            assert_false(stats.complete && steps < 6);
        }
}

static void estimate_ends_exact(void **unused)
{
    (void)unused;
    struct script p;
    lock_order(&p);
    static const enum sched_strategy trees[] = {SCHED_DFS, SCHED_OPTIMAL, SCHED_DPOR};
    for (int i = 0; i < 3; i++) {
        struct sched_config c = config(trees[i], -1);
        struct sched_stats stats = run_all(&c, &p);
        assert_true(stats.estimate == (double)(stats.executions + stats.blocked));
        c.max_executions = stats.executions - 1; /* on the way the estimate is not wild */
        double early = run_all(&c, &p).estimate;
        assert_true(early >= 1 && early <= 10 * (double)(stats.executions + stats.blocked));
    }
}

/* The ledger of a search with rising bounds, without and with what executions showed; how many were not run. */
static uint64_t not_run(const struct script *p, size_t memory, const struct script *before)
{
    struct sched_config c = config(SCHED_BPOR, -1);
    c.rising = true;
    struct sched_stats plain = run_all(&c, p);
    c.known = sched_known_new(&c, memory);
    if (before)
        run_all(&c, before);
    struct sched_stats stats = run_all(&c, p);
    sched_known_free(c.known);
    assert_int_equal(held, 0);
    assert_int_equal(stats.stop, SCHED_STOP_COMPLETE);
    assert_int_equal(stats.levels, plain.levels);
    for (int i = 0; i < stats.levels; i++) {
        assert_int_equal(stats.level[i].executions, plain.level[i].executions);
        assert_int_equal(stats.level[i].blocked, plain.level[i].blocked);
        assert_int_equal(stats.level[i].pruned, plain.level[i].pruned);
    }
    return stats.known;
}

/* Two writers to one place: both orders of the first bound are known at the second, where nothing else is left. */
static void what_is_known_is_not_run(void **unused)
{
    (void)unused;
    struct script p;
    two_writers(&p);
    assert_true(not_run(&p, 1 << 20, NULL) > 0);
    assert_int_equal(not_run(&p, 1, NULL), 0); /* no room for anything */
}

/* Where a state is not as it is known, that is noticed, and everything is run. */
static void what_was_known_wrongly_is_dropped(void **unused)
{
    (void)unused;
    struct script other = {.threads = 2,
                           .code = {{op(SCHED_WRITE, X), op(SCHED_WRITE, Y), op(SCHED_EXIT, 0)},
                                    {op(SCHED_WRITE, Z), op(SCHED_WRITE, Y), op(SCHED_EXIT, 0)}}};
    struct script p = other;
    assert_true(not_run(&p, 1 << 20, &other) > 0);
    p.code[1][1].kind = SCHED_READ; /* what the other program showed is not so */
    assert_int_equal(not_run(&p, 1 << 20, &other), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ledger_of_bounds),
        cmocka_unit_test(delays_are_counted),
        cmocka_unit_test(bounded_is_not_complete),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(replay_repeats),
        cmocka_unit_test(replay_that_does_not_fit),
        cmocka_unit_test(divergence_is_found),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(spinning_is_waiting),
        cmocka_unit_test(fair_bound_holds_back),
        cmocka_unit_test(fair_bound_that_holds_nobody_back),
        cmocka_unit_test(partial_writes_are_noticed),
        cmocka_unit_test(replay_of_nonsense),
        cmocka_unit_test(what_is_cut_off_is_not_done),
        cmocka_unit_test(estimate_ends_exact),
        cmocka_unit_test(what_is_known_is_not_run),
        cmocka_unit_test(what_was_known_wrongly_is_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
