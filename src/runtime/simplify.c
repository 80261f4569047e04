/* The failing schedule that was just recorded, reordered: the strategy's log knows what happened before what. */
#include "runtime/internal.h"

enum { MOST_NODES = 300000 };

/* A thread that fails before its first step does so in the step that creates it: the last step counts. */
static struct sched_goal what_is_needed(void)
{
    const struct rt_shared *s = rt.shared;
    const struct rt_finding *f = &s->finding;
    bool all = s->config.simplify == RT_ALL_STEPS;
    int last = s->events[s->event_count - 1].thread;
    bool ended = s->events[s->event_count - 1].kind == SCHED_END;
    if (f->kind == RT_DEADLOCK || f->kind == RT_LIVELOCK) return (struct sched_goal){~SET_NONE, ended ? last : -1};
    assert(last >= 0 && last < MAX_THREADS && f->here.thread >= 0);
    struct sched_goal goal = {all ? ~SET_NONE : set_of(last) | set_of(f->here.thread), last};
    if (f->kind == RT_RACE && f->other.thread >= 0) goal.threads |= set_of(f->other.thread);
    return goal;
}

/* A thread comes to its next operation, with which it may announce another one. */
static void arrive(int t, const uint32_t *next)
{
    struct rt_shared *s = rt.shared;
    bool executed = next[t] < s->event_count, waits = !executed && t != rt.self->id && set_has(rt.live, t);
    bool creates = executed ? s->events[next[t]].kind == SCHED_CREATE : waits && rt.threads[t].op.kind == SCHED_CREATE;
    if (creates && s->first_announced_count < MAX_THREADS)
        s->first_announced[s->first_announced_count++] = executed ? s->events[next[t]].object : rt.threads[t].op.object;
}

static uint32_t event_of(int thread, uint32_t from)
{
    while (from < rt.shared->event_count && rt.shared->events[from].thread != thread) from++;
    return from;
}

/* The order in which a fresh process would number the threads. A created one comes to its first operation at once. */
static void note_announcements(const struct sched_step *steps, size_t len)
{
    struct rt_shared *s = rt.shared;
    uint32_t next[MAX_THREADS]; /* each thread's next event */
    for (int t = 0; t < MAX_THREADS; t++) next[t] = event_of(t, 0);
    s->first_announced[0] = 0;
    s->first_announced_count = 1;
    arrive(0, next);
    for (size_t i = 0; i < len; i++) {
        int t = steps[i].thread;
        assert(next[t] < s->event_count);
        const struct rt_event *e = &s->events[next[t]];
        next[t] = event_of(t, next[t] + 1);
        if (e->kind == SCHED_CREATE) arrive((int)e->object, next);
        arrive(t, next);
    }
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
    assert(len <= s->event_count); /* steps may be left out, none is made up */
    memcpy(s->first_steps, steps, sizeof *steps * len);
    s->first_step_count = (uint32_t)len;
    note_announcements(steps, len);
    s->preemptions = preemptions;
    s->simplified = true;
}
