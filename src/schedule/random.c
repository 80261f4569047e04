/* A uniformly random enabled thread at every step, from a seed (sample.c). */
#include "schedule/internal.h"

static void random_begin(struct sched *s)
{
    s->own = pool_alloc(&s->pool, sizeof(struct sample));
    sample_begin(s, s->own);
}

static struct sched_pick random_pick(struct sched *s, const struct sched_view *view)
{
    struct sample *r = s->own;
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
    return sample_next(s, s->own);
}

static bool random_choose(struct sched *s, struct given *g)
{
    return sample_choose(s, s->own, g);
}

static void random_give(struct sched *s, const struct given *g, struct bytes *out)
{
    sample_give(s->own, g, out);
}

static void random_take(struct sched *s, struct bytes *in)
{
    sample_take(s, s->own, in);
}

static void random_answer(struct sched *s, struct bytes *out)
{
    sample_answer(s->own, out);
}

static const struct part_rules random_parts = {sizeof(struct sample), random_choose, random_give, random_take,
                                               random_answer,         .counts_executions = true};

const struct strategy strategy_random = {"random", NO_GRAPH, random_begin, random_pick, NULL, random_next_execution,
                                         NULL,     &random_parts};
