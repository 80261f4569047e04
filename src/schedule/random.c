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
    const struct sched_op *op = &view->next[t];
    uint32_t choice = nth_choice(op, random_next(&r->state) % op_choices(op));
    return pick_step(t, within_bound(s, allowed, t, choice_cost(op, choice)) ? choice : 0);
}

const struct strategy strategy_random = {
    .name = "random", .begin = random_begin, .pick = random_pick, .next = sample_next_execution, .parts = &sample_parts,
    .samples = true};
