/* The failing schedule that was just recorded, reordered: the strategy's log knows what happened before what. */
#include "runtime/internal.h"

enum { MOST_NODES = 300000 };

/* A thread that fails before its first step does so in the step that creates it: the last step counts. */
static struct sched_goal what_is_needed(void)
{
    const struct rt_shared *s = rt.shared;
    const struct rt_finding *f = &s->finding;
    bool all = s->config.simplify == RT_ALL_STEPS;
    if (f->kind == RT_DEADLOCK || f->kind == RT_LIVELOCK) return (struct sched_goal){~0ull, -1};
    int last = s->events[s->event_count - 1].thread;
    struct sched_goal goal = {all ? ~0ull : 1ull << last | 1ull << f->here.thread, last};
    if (f->kind == RT_RACE && f->other.thread >= 0) goal.threads |= 1ull << f->other.thread;
    return goal;
}

/* A fresh process numbers threads as they are created. */
static void note_creation(const struct sched_step *steps, size_t len)
{
    struct rt_shared *s = rt.shared;
    uint32_t at[MAX_THREADS] = {0}, created = 1; /* at: where to look for the thread's next event */
    s->first_creation_order[0] = 0;
    for (size_t i = 0; i < len; i++) {
        uint32_t *next = &at[steps[i].thread];
        while (*next < s->event_count && s->events[*next].thread != steps[i].thread) ++*next;
        if (*next < s->event_count && s->events[*next].kind == SCHED_CREATE && created < MAX_THREADS)
            s->first_creation_order[created++] = s->events[*next].object;
        ++*next;
    }
    s->first_created = created;
}

void rt_simplify(void)
{
    struct rt_shared *s = rt.shared;
    const struct sched_step *steps;
    size_t len = 0;
    if (!s->event_count || s->events_full) return;
    struct sched_goal goal = what_is_needed();
    rt.view.live = rt.live;
    int preemptions = sched_simplify(rt.sched, &rt.view, &goal, MOST_NODES, &steps, &len);
    if (preemptions < 0 || len > RT_MAX_STEPS) return;
    memcpy(s->first_steps, steps, sizeof *steps * len);
    s->first_step_count = (uint32_t)len;
    note_creation(steps, len);
    s->preemptions = preemptions;
    s->simplified = true;
}
