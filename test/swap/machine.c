/* The swap check on made-up programs in memory (test/schedule/machine.h), whose state can be compared byte by byte.
 *
 *   machine FROM COUNT [EXECUTIONS [first]]     programs with the seeds FROM .. FROM+COUNT-1, or up to the first that
 *                                               differs
 *
 * Prints the pair of steps that does not commute with the program, and at the end how many pairs were compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct states { struct machine now, kept; };

/* Without news for threads that are not waiting for any: the machine does not look at them. */
static void look(const struct machine *m, struct machine *seen)
{
    memcpy(seen, m, sizeof *seen);
    for (int t = 0; t < MAX_THREADS; t++)
        seen->thread[t].news &= seen->thread[t].stale;
}

static bool keep(void *context)
{
    struct states *x = context;
    look(&x->now, &x->kept);
    return true;
}

static bool is_kept(void *context)
{
    const struct states *x = context;
    struct machine now;
    look(&x->now, &now);
    return !memcmp(&now, &x->kept, sizeof now);
}

static void *take(void *context, size_t size)
{
    (void)context;
    return malloc(size);
}

static void give(void *context, void *p, size_t size)
{
    (void)context;
    (void)size;
    free(p);
}

static enum sched_end end_of(const struct machine *m, struct sched_pick pick)
{
    if (pick.why == SCHED_PICK_STOP)
        return SCHED_END_CUTOFF;
    if (pick.why != SCHED_PICK_NONE_ENABLED)
        return SCHED_END_ABANDONED;
    return m->live && !m->ended ? SCHED_END_DEADLOCK : SCHED_END_NORMAL;
}

static void run(struct sched *s, const struct program *p, struct states *x)
{
    static struct sched_view view;
    struct sched_pick pick;
    struct sched_outcome outcome;
    struct touch touch;
    machine_reset(&x->now, p);
    machine_view(&x->now, &view);
    while ((pick = sched_pick(s, &view)).thread >= 0) {
        machine_step(&x->now, pick.thread, pick.choice, &outcome, &touch);
        sched_executed(s, &outcome);
        machine_view(&x->now, &view);
    }
    sched_finish(s, end_of(&x->now, pick));
}

static void report(uint64_t seed, const struct program *p, const struct sched_swap *d)
{
    static const char *const words[] = {
        [SWAP_DISABLED] = "disables a step",    [SWAP_PENDING] = "changes a step",
        [SWAP_OUTCOME] = "changes the outcome", [SWAP_FOOTPRINT] = "changes what is touched",
        [SWAP_LIVE] = "other threads live",     [SWAP_ENABLED] = "other threads are enabled",
        [SWAP_NEXT] = "another next operation", [SWAP_STATE] = "another state",
        [SWAP_ENDED] = "one order ends early",  [SWAP_PROMISE] = "the outcome is not as predicted"};
    static char text[10000];
    program_print(p, text, sizeof text);
    printf("program %llu: T%d %s, T%d %s do not commute after %zu steps: %s (T%d)\n%s", (unsigned long long)seed,
           d->threads[0], sched_kind_name(d->ops[0].kind), d->threads[1], sched_kind_name(d->ops[1].kind),
           d->depth < 2 ? d->depth : d->depth - 2, words[d->kind], d->thread, text);
}

static void make(struct program *p, uint64_t seed)
{
    void (*const makers[])(struct program *, uint64_t) = {
        program_generate, program_generate_large,  program_generate_channels, program_generate_compare,
        program_generate, program_generate_cyclic, program_generate_writers_first, program_generate_waiting,
        program_generate_stores, program_generate_rounds};
    const uint64_t count = sizeof makers / sizeof *makers;
    makers[seed % count](p, seed / count);
}

/* Returns whether all pairs commute. Where rounds of a barrier overlap arrivals do not, and the search begins anew. */
static bool judge(struct program p, uint64_t seed, uint64_t executions, uint64_t *pairs)
{
    static struct states x;
    struct sched_config config = {.strategy = SCHED_SWAP, .bound = -1, .fair_bound = -1, .max_steps = MAX_STEPS - 1,
                                  .max_executions = executions,
                                  .seed = seed, .verify = true, .states = {keep, is_kept, &x},
                                  .memory_pool = {take, give, NULL}};
    struct sched *s = sched_new(&config);
    while (!sched_rounds_overlap(s) && sched_start(s))
        run(s, &p, &x);
    bool overlaps = sched_rounds_overlap(s);
    enum sched_stop stop = sched_stats(s)->stop;
    *pairs += sched_stats(s)->swaps;
    if (overlaps) {
        sched_free(s);
        p.tells_rounds = false;
        return judge(p, seed, executions, pairs);
    }
    if (stop == SCHED_STOP_DIFFERS) {
        struct sched_swap d = sched_swap(s);
        report(seed, &p, &d);
    } else if (stop != SCHED_STOP_EXECUTIONS) {
        printf("program %llu: stopped for reason %d\n", (unsigned long long)seed, stop);
    }
    sched_free(s);
    return stop == SCHED_STOP_EXECUTIONS;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fprintf(stderr, "usage: machine FROM COUNT [EXECUTIONS [first]]\n"), 2;
    uint64_t from = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10), pairs = 0, bad = 0;
    uint64_t executions = argc > 3 ? strtoull(argv[3], NULL, 10) : 100;
    for (uint64_t seed = from; seed < from + count && !(bad && argc > 4); seed++) {
        struct program p;
        make(&p, seed);
        bad += !judge(p, seed, executions, &pairs);
    }
    printf("%llu programs, %llu pairs, %llu programs differ\n", (unsigned long long)count, (unsigned long long)pairs,
           (unsigned long long)bad);
    return bad > 0;
}
