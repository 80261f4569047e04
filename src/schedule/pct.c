/* Probabilistic concurrency testing: random priorities, the highest enabled thread runs; at d-1 random steps the
 * running thread's priority drops below all others. A bug of depth d in a program of n threads and k steps is found
 * with probability at least 1/(n * k^(d-1)) per execution. (Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized
 * scheduler with probabilistic guarantees of finding bugs, 2010.) A yield also drops the priority, or spinning threads
 * would run for ever. */
#include <string.h>

#include "schedule/internal.h"

struct pct {
    uint64_t state;
    uint64_t priority[SCHED_MAX_THREADS]; /* 0: not given yet; higher runs first */
    uint64_t lowest;                      /* given out downwards by drops */
    size_t steps;                         /* longest execution so far: k */
    size_t drops;                         /* d - 1 */
    size_t drop_at[SCHED_MAX_BOUND];
};

enum { PCT_DEFAULT_DROPS = 2 };

static void new_execution(struct pct *p)
{
    memset(p->priority, 0, sizeof p->priority);
    p->lowest = UINT64_C(1) << 32;
    for (size_t i = 0; i < p->drops; i++)
        p->drop_at[i] = 1 + random_next(&p->state) % p->steps;
}

static void pct_begin(struct sched *s)
{
    struct pct *p = pool_alloc(&s->pool, sizeof *p);
    p->state = s->config.seed;
    p->steps = 16;
    p->drops = s->config.bound < 0 ? PCT_DEFAULT_DROPS : (size_t)s->config.bound;
    if (p->drops > SCHED_MAX_BOUND)
        p->drops = SCHED_MAX_BOUND;
    s->own = p;
    s->bound = -1; /* a number of change points, not of preemptions */
    new_execution(p);
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

static struct sched_pick pct_pick(struct sched *s, const struct sched_view *view)
{
    struct pct *p = s->own;
    sched_set allowed = fair_allowed(s, s->enabled);
    uint64_t best = 0;
    int t, chosen = -1;
    drop(s, p);
    FOR_EACH_THREAD(t, allowed) {
        if (p->priority[t] == 0)
            p->priority[t] = (UINT64_C(1) << 33) + (random_next(&p->state) >> 32);
        if (p->priority[t] > best) {
            best = p->priority[t];
            chosen = t;
        }
    }
    const struct sched_op *op = &view->next[chosen];
    return pick_step(chosen, nth_choice(op, random_next(&p->state) % op_choices(op)));
}

static bool pct_next(struct sched *s)
{
    struct pct *p = s->own;
    if (s->depth > p->steps)
        p->steps = s->depth;
    s->prefix = 0;
    s->pruned = true;
    new_execution(p);
    return true;
}

const struct strategy strategy_pct = {"pct", NO_GRAPH, pct_begin, pct_pick, NULL, pct_next};
