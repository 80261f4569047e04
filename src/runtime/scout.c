/* The scout of a portfolio: a process beside the systematic search that runs the program with strategies that look
 * further away. It proves nothing; it only looks for an error, and heddle runs the schedule of an error again.
 *
 * The strategies of the team take turns. A round gives every strategy at least one share, and a few more shares in
 * proportion to what the strategy contributed in the round before. A share is a number of executions that doubles from
 * round to round up to a limit, so every strategy has its first execution early. The limit is higher for the strategy
 * `rare`, because it finds more the more it has seen, while the others are as likely to find an error in their first
 * executions as in later ones.
 *
 * A contribution is an order that no execution had shown before: an operation on an object comes directly after a
 * certain write of the object (a reads-from pair), or a write comes after a certain read (a conflict). Operations are
 * named by their places in the code. Turns depend on nothing else but the seed. So the n-th execution of a scout is
 * always the same one. */
#include "runtime/internal.h"

#include <sys/resource.h>
#include <sys/syscall.h>

enum { EXTRA_SHARES = 4, SHARE = 64, LONGEST_SHARE = 512 };

/* One row for each strategy, in the order of their turns. */
static const struct { enum sched_strategy strategy; uint64_t longest_share; } team[] = {
    {SCHED_POS, SHARE},    {SCHED_RARE, LONGEST_SHARE}, {SCHED_SURW, SHARE}, {SCHED_RFF, SHARE},
    {SCHED_RANDOM, SHARE}, {SCHED_PCT, SHARE},          {SCHED_DELAY, SHARE}};
enum { TEAM = sizeof team / sizeof team[0] };
_Static_assert((int)TEAM <= (int)RT_MAX_TEAM, "each has a row in the memory shared with heddle");

enum { PLACES = 1 << 12, PAIRS = 1 << 16 };

/* What was done last with an object in this execution. */
struct last_use { uint64_t generation, object, write, read; };

struct scout {
    struct { struct sched *sched; bool is_done; uint64_t shares, news; } members[TEAM];
    struct last_use uses[PLACES]; /* one object of those that share a place, the latest */
    uint64_t pairs[PAIRS];        /* a set of hashes; it takes no more when it is three quarters full */
    uint32_t pair_count;
    bool gives_way;               /* to other processes */
    uint64_t news;                /* pairs that this execution was the first to show */
};

/* ---- what an execution contributes ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static void note_pair(struct scout *s, uint64_t first, uint64_t second, bool is_conflict)
{
    uint64_t pair = mix(mix(first + 1) + 2 * second + is_conflict) | 1;
    uint32_t i = (uint32_t)(pair >> 40) % PAIRS;
    while (s->pairs[i] && s->pairs[i] != pair) i = (i + 1) % PAIRS;
    if (s->pairs[i] || s->pair_count >= PAIRS / 4 * 3) return;
    s->pairs[i] = pair;
    s->pair_count++;
    s->news++;
}

static bool only_reads(enum sched_kind kind)
{
    return kind == SCHED_READ || kind == SCHED_PEEK || kind == SCHED_SEM_READ || kind == SCHED_JOIN;
}

void rt_scout_step(const struct thread *t)
{
    struct scout *s = rt.scout;
    if (!t->op.object) return;
    struct last_use *u = &s->uses[(mix(t->op.object) >> 20) % PLACES];
    if (u->generation != rt.generation || u->object != t->op.object)
        *u = (struct last_use){.generation = rt.generation, .object = t->op.object};
    note_pair(s, u->write, t->op_pc, false);
    if (only_reads(t->op.kind)) {
        u->read = t->op_pc;
        return;
    }
    if (u->read) note_pair(s, u->read, t->op_pc, true);
    u->write = t->op_pc;
    u->read = 0;
}

/* ---- the team ---- */

static void begin_team(struct scout *s)
{
    for (int i = 0; i < TEAM; i++) {
        rt.shared->config.strategy = team[i].strategy;
        rt.shared->team[i].strategy = team[i].strategy;
        if (s->members[i].sched) sched_free(s->members[i].sched);
        s->members[i].sched = rt_sched_new(NULL, 0);
        s->members[i].is_done = false;
    }
    rt.shared->team_count = TEAM;
}

/* New scheduling points were learnt: all strategies begin again, with these. */
static void begin_again(struct scout *s)
{
    rt.shared->relearn = false;
    rt_hot_init();
    begin_team(s);
}

/* The first executions run as fast as the search, because many errors are found by them. Then the scout gives way. */
static void give_way(struct scout *s)
{
    const uint64_t soon = 50000000; /* nanoseconds of processor time */
    struct timespec t;
    if (s->gives_way) return;
    rt_syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&t, 0, 0, 0, 0);
    if ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec < soon) return;
    s->gives_way = true;
    long now = 20 - rt_syscall(SYS_getpriority, PRIO_PROCESS, 0, 0, 0, 0, 0);
    rt_syscall(SYS_setpriority, PRIO_PROCESS, 0, now + rt.shared->config.niceness, 0, 0, 0);
}

static bool is_over(void) { return rt.shared->stop || rt.shared->findings; }

static void run_once(struct scout *s, int member)
{
    struct rt_team_row *row = &rt.shared->team[member];
    rt.shared->config.strategy = team[member].strategy;
    rt.sched = s->members[member].sched;
    s->news = 0;
    if (!sched_start(rt.sched)) {
        s->members[member].is_done = true;
        return;
    }
    rt_run_in_place();
    rt_rounds_go_on();
    give_way(s);
    rt.shared->executions++;
    row->executions++;
    row->news += s->news;
    s->members[member].news += s->news;
    row->has_error = rt.shared->findings > 0;
    if (rt.shared->relearn && !rt.shared->findings) begin_again(s);
}

static void run_shares(struct scout *s, int member, uint64_t length)
{
    uint64_t longest = team[member].longest_share, executions = s->members[member].shares;
    executions *= length < longest ? length : longest;
    s->members[member].news = 0;
    for (uint64_t i = 0; i < executions && !is_over() && !s->members[member].is_done; i++) run_once(s, member);
}

/* False: no strategy has anything left to do. */
static bool divide_shares(struct scout *s)
{
    uint64_t all = 0;
    bool any = false;
    for (int i = 0; i < TEAM; i++) all += s->members[i].news;
    for (int i = 0; i < TEAM; i++) {
        s->members[i].shares = 1 + (all ? EXTRA_SHARES * s->members[i].news / all : 0);
        any |= !s->members[i].is_done;
    }
    return any;
}

void rt_scout(void)
{
    struct scout *s;
    rt_snapshot();
    rt_checkpoint_init();
    rt.shared->status = RT_RUNNING;
    rt_crew_init();
    rt_waypoints_init();
    s = rt.scout = rt_map(NULL, sizeof *s, 0);
    begin_team(s);
    for (uint64_t length = 1; !is_over() && divide_shares(s); length *= 1 + (length < LONGEST_SHARE))
        for (int i = 0; i < TEAM; i++) run_shares(s, i, length);
    rt.shared->status = rt.shared->findings ? RT_FOUND : RT_FINISHED;
}
