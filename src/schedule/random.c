/* A uniformly random enabled thread at every step, from a seed. */
#include "schedule/internal.h"

struct random { uint64_t state; };

static void random_begin(struct sched *s)
{
    struct random *r = pool_alloc(&s->pool, sizeof *r);
    r->state = s->config.seed;
    s->own = r;
}

static struct sched_pick random_pick(struct sched *s, const struct sched_view *view)
{
    struct random *r = s->own;
    sched_set allowed = fair_allowed(s, s->enabled), within = SET_NONE;
    int t;
    FOR_EACH_THREAD(t, allowed)
        if (within_bound(s, allowed, t, 0))
            within |= set_of(t);
    uint64_t skip = random_next(&r->state) % (uint64_t)set_count(within);
    while (skip--)
        within &= ~set_lowest(within);
    t = set_first(within);
    return pick_step(t, nth_choice(&view->next[t], random_next(&r->state) % op_choices(&view->next[t])));
}

static bool random_next_execution(struct sched *s)
{
    s->prefix = 0;
    s->pruned = true; /* chance never covers everything */
    return true;
}

const struct strategy strategy_random = {"random", NO_GRAPH, random_begin, random_pick, NULL, random_next_execution};
