/* Probabilistic concurrency testing: random priorities, the highest enabled thread runs; at d-1 random steps the
 * running thread's priority drops below all others. A bug of depth d in a program of n threads and k steps is found
 * with probability at least 1/(n * k^(d-1)) per execution. (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized
 * scheduler with probabilistic guarantees of finding bugs, 2010.) A yield also drops the priority, or spinning threads
 * would run for ever.
 *
 * Both parameters are learnt unless a bound gives d-1: k is the length of the longest execution so far (sample.c),
 * and d takes the values 1 to 4 in turn. A bug of depth d is then found with at least a quarter of the probability
 * that the right d gives, so the user need not guess d.
 *
 * Weak memory: accesses take the newest write, but for some steps that are drawn as the others are, none to d-1 of
 * them with equal probability. There one of the at most m older writes is drawn. A bug that takes a schedule of depth
 * d and s < d such accesses is found with probability at least 1/(n * k^(d-1)) * 1/(d * (k*m)^s). */
#include <string.h>

#include "schedule/internal.h"

struct pct {
    struct sample sample; /* which also knows how long executions are: k; first, for sample.c */
    uint64_t priority[SCHED_MAX_THREADS]; /* 0: not given yet; higher runs first */
    uint64_t lowest;                      /* given out downwards by drops */
    size_t drops;                         /* d - 1 */
    size_t drop_at[SCHED_MAX_BOUND];
    size_t stale_count, stale_at[SCHED_MAX_BOUND]; /* steps that are to take an old write */
};

enum { PCT_DEPTHS = 4 };

static void new_execution(const struct sched *s, struct pct *p)
{
    if (s->config.bound < 0)
        p->drops = p->sample.number % PCT_DEPTHS;
    memset(p->priority, 0, sizeof p->priority);
    p->lowest = UINT64_C(1) << 32;
    for (size_t i = 0; i < p->drops; i++)
        p->drop_at[i] = 1 + random_next(&p->sample.state) % p->sample.longest;
    p->stale_count = random_next(&p->sample.state) % (p->drops + 1);
    for (size_t i = 0; i < p->stale_count; i++)
        p->stale_at[i] = random_next(&p->sample.state) % p->sample.longest;
}

static void pct_begin(struct sched *s)
{
    struct pct *p = pool_alloc(&s->pool, sizeof *p);
    sample_begin(s, &p->sample);
    p->drops = s->config.bound < 0 ? 0 : (size_t)s->config.bound;
    if (p->drops > SCHED_MAX_BOUND)
        p->drops = SCHED_MAX_BOUND;
    s->own = p;
    s->bound = -1; /* a number of change points, not of preemptions */
}

static void drop(const struct sched *s, struct pct *p)
{
    int last = sched_last(s);
    if (last < 0)
        return;
    if (s->log.at[s->depth - 1].op.kind == SCHED_YIELD)
        p->priority[last] = p->lowest--;
    for (size_t i = 0; i < p->drops; i++)
        if (p->drop_at[i] == s->depth)
            p->priority[last] = p->lowest--;
}

static bool is_stale_step(const struct pct *p, size_t depth)
{
    for (size_t i = 0; i < p->stale_count; i++)
        if (p->stale_at[i] == depth)
            return true;
    return false;
}

static uint32_t draw_choice(struct pct *p, const struct sched_op *op, size_t depth)
{
    uint32_t count = op_choices(op);
    if (free_choices(op) > 1 || (op->flags & SCHED_SURPRISE))
        return nth_choice(op, random_next(&p->sample.state) % count);
    if (count == 1 || !is_stale_step(p, depth))
        return 0;
    return nth_choice(op, 1 + random_next(&p->sample.state) % (count - 1));
}

static struct sched_pick pct_pick(struct sched *s, const struct sched_view *view)
{
    struct pct *p = s->own;
    sched_set allowed = fair_allowed(s, s->enabled);
    uint64_t best = 0;
    int t, chosen = -1;
    if (sample_is_new(&p->sample))
        new_execution(s, p);
    drop(s, p);
    FOR_EACH_THREAD(t, allowed) {
        if (p->priority[t] == 0)
            p->priority[t] = (UINT64_C(1) << 33) + (random_next(&p->sample.state) >> 32);
        if (p->priority[t] > best) {
            best = p->priority[t];
            chosen = t;
        }
    }
    return pick_step(chosen, draw_choice(p, &view->next[chosen], s->depth));
}

const struct strategy strategy_pct = {
    .name = "pct", .begin = pct_begin, .pick = pct_pick, .next = sample_next_execution, .parts = &sample_parts,
    .samples = true};
