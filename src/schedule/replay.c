/* One given schedule; after its end the running thread goes on while it can, then the one with the lowest number. */
#include "schedule/internal.h"

static void replay_begin(struct sched *s)
{
    s->bound = -1;
}

static struct sched_pick replay_pick(struct sched *s, const struct sched_view *view)
{
    (void)view;
    if (s->depth < s->config.schedule_len) {
        const struct sched_step *step = &s->config.schedule[s->depth];
        int thread = step->thread < 0 ? SCHED_MAX_THREADS : step->thread;
        return pick_step(thread, step->choice); /* the frame reports it as a divergence if it is not possible */
    }
    sched_set allowed = fair_allowed(s, s->enabled);
    int last = sched_last(s);
    return pick_step(last >= 0 && set_has(allowed, last) ? last : set_first(allowed), 0);
}

static bool replay_next(struct sched *s)
{
    s->pruned = true;
    return false;
}

const struct strategy strategy_replay = {"replay", NO_GRAPH, replay_begin, replay_pick, NULL, replay_next};
