/* Partial order sampling: every pending operation has a random priority, and the highest enabled one runs. After it,
 * the pending operations that conflict with it draw new priorities, and only those (priorities.c). A bug that depends
 * on the order of a few conflicting operations is found with a probability that does not depend on how many other
 * operations there are. (Yuan, Yang, Gu: Partial order aware concurrency sampling, 2018.)
 *
 * Weak memory: an access takes the newest write three times out of four, else one of the older writes. */
#include "schedule/internal.h"

struct pos {
    struct sample sample;
    struct priorities priorities;
};

static void pos_begin(struct sched *s)
{
    struct pos *p = pool_alloc(&s->pool, sizeof *p);
    sample_begin(s, &p->sample);
    s->own = p;
}

static struct sched_pick pos_pick(struct sched *s, const struct sched_view *view)
{
    struct pos *p = s->own;
    if (sample_is_new(&p->sample))
        priorities_begin(&p->priorities);
    priorities_follow(s, &p->priorities, view);
    int t = priorities_highest(&p->priorities, fair_allowed(s, s->enabled), &p->sample.state);
    return pick_step(t, sample_choice(&p->sample, &view->next[t]));
}

const struct strategy strategy_pos = {
    .name = "pos", .begin = pos_begin, .pick = pos_pick, .next = sample_next_execution, .parts = &sample_parts,
    .samples = true};
