/* One given schedule; after its end the running thread goes on while it can, then the one with the lowest number.
 *
 * A loose replay passes over the steps that are not possible, so that a schedule can be changed without knowing what
 * the change brings about. */
#include "schedule/internal.h"

static void replay_begin(struct sched *s)
{
    size_t *at = pool_alloc(&s->pool, sizeof *at); /* in a loose replay, the step of the schedule that comes next */
    *at = 0;
    s->own = at;
    s->bound = -1;
}

static struct sched_pick go_on(struct sched *s)
{
    sched_set allowed = fair_allowed(s, s->enabled);
    int last = sched_last(s);
    return pick_step(last >= 0 && set_has(allowed, last) ? last : set_first(allowed), 0);
}

static struct sched_pick pick_loosely(struct sched *s, const struct sched_view *view)
{
    size_t *at = s->own;
    sched_set allowed = fair_allowed(s, s->enabled);
    while (*at < s->config.schedule_len) {
        struct sched_step step = s->config.schedule[(*at)++];
        if (step.thread < 0 || step.thread >= SCHED_MAX_THREADS || !set_has(allowed, step.thread))
            continue;
        return pick_step(step.thread, op_has_choice(&view->next[step.thread], step.choice) ? step.choice : 0);
    }
    return go_on(s);
}

static struct sched_pick replay_pick(struct sched *s, const struct sched_view *view)
{
    if (s->config.loose)
        return pick_loosely(s, view);
    if (s->depth < s->config.schedule_len) {
        const struct sched_step *step = &s->config.schedule[s->depth];
        int thread = step->thread < 0 ? SCHED_MAX_THREADS : step->thread;
        return pick_step(thread, step->choice); /* the frame reports it as a divergence if it is not possible */
    }
    return go_on(s);
}

static bool replay_next(struct sched *s)
{
    s->pruned = true;
    return false;
}

const struct strategy strategy_replay = {"replay", NO_GRAPH, replay_begin, replay_pick, NULL, replay_next,
                                         .ends_may_wait = true};
