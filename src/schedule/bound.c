/* What a step costs: preemptions, what weak memory adds to them, and the fair bound on yields.
 *
 * A preemption is a switch away from a thread that still had an enabled step. A thread that the fair bound holds back
 * counts as disabled here: leaving it is free, otherwise two bounds together could leave nothing to do. Which thread
 * ends the program is free, too. */
#include "schedule/internal.h"

int sched_last(const struct sched *s)
{
    return s->depth ? s->log.at[s->depth - 1].thread : -1;
}

sched_set fair_allowed(const struct sched *s, sched_set enabled)
{
    if (s->config.fair_bound < 0)
        return enabled;
    uint32_t least = UINT32_MAX;
    sched_set allowed = SET_NONE;
    int t;
    FOR_EACH_THREAD(t, enabled)
        if (s->yields[t] < least)
            least = s->yields[t];
    FOR_EACH_THREAD(t, enabled)
        if (s->yields[t] - least <= (uint32_t)s->config.fair_bound)
            allowed |= set_of(t);
    return allowed;
}

bool is_held(const struct sched *s, const struct sched_view *view, int thread)
{
    bool has_done_all = s->config.thread_steps && s->taken[thread] >= s->config.thread_steps;
    return has_done_all && view->next[thread].kind != SCHED_EXIT && view->next[thread].kind != SCHED_END;
}

static sched_set held_of(const struct sched *s, const struct sched_view *view, sched_set threads)
{
    sched_set held = SET_NONE;
    int t;
    if (s->config.thread_steps)
        FOR_EACH_THREAD(t, threads)
            if (is_held(s, view, t))
                held |= set_of(t);
    return held;
}

/* The program ends when nobody else can go on, or may under the fair bound: what its end would cut off is a beginning
 * of what is run instead, and cannot know that the end was possible. */
sched_set may_go_on(struct sched *s, const struct sched_view *view)
{
    sched_set others = view->enabled & ~view->ending, held = held_of(s, view, others);
    s->all_held = set_any(held) && set_equal(held, others);
    if (set_any(held)) {
        s->only_ends = false;
        return others & ~held;
    }
    s->only_ends = set_any(view->enabled & view->ending) && !set_any(fair_allowed(s, view->enabled) & others);
    if (!s->only_ends)
        return others;
    s->stats.unfair |= set_any(others);
    return view->enabled & view->ending;
}

bool is_preemption(const struct sched *s, sched_set allowed, int thread)
{
    int last = sched_last(s);
    return last >= 0 && last != thread && set_has(allowed, last) && !s->only_ends;
}

int surprises_so_far(const struct sched *s)
{
    return s->depth ? s->log.at[s->depth - 1].surprises : 0;
}

bool within_bound(const struct sched *s, sched_set allowed, int thread, int more)
{
    return s->bound < 0 || surprises_so_far(s) + is_preemption(s, allowed, thread) + more <= s->bound;
}

struct sched_pick pick_step(int thread, uint32_t choice)
{
    return (struct sched_pick){.thread = thread, .choice = choice};
}

struct sched_pick pick_nothing(enum sched_why why)
{
    return (struct sched_pick){.thread = -1, .why = why};
}

static bool is_counted(const struct sched_op *op)
{
    return (op->kind == SCHED_CHOOSE || op->kind == SCHED_SIGNAL) && op->count > 1;
}

uint32_t free_choices(const struct sched_op *op)
{
    return is_counted(op) ? op->count : 1;
}

uint32_t op_choices(const struct sched_op *op)
{
    return is_counted(op) ? op->count : 1 + (uint32_t)__builtin_popcountll(op->older);
}

bool op_has_choice(const struct sched_op *op, uint32_t choice)
{
    return !choice || (is_counted(op) ? choice < op->count : choice < 64 && (op->older & BIT(choice)));
}

uint32_t nth_choice(const struct sched_op *op, uint64_t n)
{
    uint64_t left = op->older;
    if (is_counted(op) || !n)
        return (uint32_t)n;
    while (--n)
        left &= left - 1;
    return (uint32_t)__builtin_ctzll(left);
}

int choice_cost(const struct sched_op *op, uint32_t choice)
{
    return choice && !is_counted(op);
}

uint32_t next_choice(struct sched *s, const struct sched_op *op, uint32_t choice, int cost)
{
    if (is_counted(op))
        return choice + 1 < op->count ? choice + 1 : 0;
    uint64_t left = choice < 63 ? op->older & ~(BIT(choice + 1) - 1) : 0;
    if (left && s->bound >= 0 && cost + 1 > s->bound) {
        s->pruned = true;
        return 0;
    }
    return left ? (uint32_t)__builtin_ctzll(left) : 0;
}

uint32_t next_choice_at(struct sched *s, size_t depth)
{
    const struct step *step = &s->log.at[depth];
    return next_choice(s, &step->op, step->choice, step->surprises - choice_cost(&step->op, step->choice));
}

/* splitmix64: any seed is good, one word of state. */
uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
