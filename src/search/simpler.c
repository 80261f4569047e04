/* The schedule of an error made simpler by one method after the other, as long as one of them gets anywhere. Which one
 * does depends on the error: a depth-first search takes detours, which have ways around them; where processes have
 * little to do with each other, most steps can be left out; and few steps can be reordered in all ways there are. */
#include "search/vicinity_int.h"

struct simplifying {
    struct model *m;
    const struct search_options *o;
    struct schedule best;
    long preemptions;
    simpler_fn *found;
    void *ctx;
};

static void copy(struct schedule *to, const struct schedule *from)
{
    *to = *from;
    to->choices = (typeof(to->choices)){0};
    for (size_t i = 0; i < from->choices.len; i++) vec_push(&to->choices, from->choices.at[i]);
}

static bool is_over(const struct simplifying *z)
{
    return z->m->cut || limits_reached(z->o->limits) || (z->o->enough && z->o->enough(z->o->enough_ctx));
}

/* Takes the schedule over; true if it is simpler than the best one so far. */
static bool take(struct simplifying *z, struct schedule *s)
{
    long preemptions = schedule_preemptions(z->m, s);
    size_t steps = s->choices.len, best = z->best.choices.len;
    bool fewer = preemptions < z->preemptions || (preemptions == z->preemptions && steps < best);
    if (preemptions < 0 || !fewer) {
        schedule_release(s);
        return false;
    }
    schedule_release(&z->best);
    z->best = *s;
    z->preemptions = preemptions;
    copy(s, &z->best);
    z->found(z->ctx, s);
    return true;
}

/* What is too long for the other methods. */
static void take_shortcuts(struct simplifying *z)
{
    enum { LONG = 2000, ROUNDS = 4 };
    struct schedule better;
    bool shorter = true;
    for (int i = 0; i < ROUNDS && shorter && z->best.choices.len >= LONG && !is_over(z); i++)
        shorter = schedule_take_shortcuts(z->m, z->o, &z->best, &better) && take(z, &better);
}

static bool drop_steps(struct simplifying *z)
{
    struct schedule better;
    return schedule_drop_steps(z->m, z->o, &z->best, &better) && take(z, &better);
}

static bool avoid_preemptions(struct simplifying *z)
{
    struct schedule better;
    return z->preemptions && schedule_avoid_preemptions(z->m, z->o, &z->best, &better) && take(z, &better);
}

static bool shorten_nearby(struct simplifying *z, enum vicinity_of whom)
{
    enum { FEW_STATES = 20000, MOST_STATES = 320000, ROUNDS = 12 };
    struct schedule better;
    size_t states = FEW_STATES;
    bool any = false;
    for (int i = 0; i < ROUNDS && states <= MOST_STATES && !is_over(z); i++) {
        bool shorter = schedule_shorten(z->m, z->o, whom, states, &z->best, &better) && take(z, &better);
        any |= shorter;
        if (!shorter) states *= 4;
    }
    return any;
}

static bool reorder(struct simplifying *z)
{
    enum { MOST_NODES = 200000 };
    struct limits small = limits_within(z->o->limits, 3600);
    struct schedule better;
    small.memory = z->o->budget ? z->o->budget : USUAL_MEMORY;
    enum simplified how = schedule_simplify(z->m, &z->best, &better, MOST_NODES, &small);
    return how == SIMPLIFIED_SHORTER && take(z, &better);
}

void schedule_make_simple(struct model *m, const struct search_options *o, const struct schedule *from,
                          simpler_fn *found, void *ctx)
{
    enum { ROUNDS = 3 };
    struct simplifying z = {.m = m, .o = o, .found = found, .ctx = ctx};
    copy(&z.best, from);
    z.preemptions = schedule_preemptions(m, from);
    bool goes_on = z.preemptions >= 0;
    if (goes_on) take_shortcuts(&z);
    for (int i = 0; i < ROUNDS && goes_on && !is_over(&z); i++) {
        goes_on = avoid_preemptions(&z);
        if (!is_over(&z)) goes_on |= drop_steps(&z);
        if (!is_over(&z)) goes_on |= avoid_preemptions(&z);
        if (!is_over(&z)) goes_on |= shorten_nearby(&z, OF_THOSE_THAT_MOVE);
        if (!is_over(&z)) goes_on |= shorten_nearby(&z, OF_ALL);
        if (!is_over(&z)) goes_on |= reorder(&z);
    }
    schedule_release(&z.best);
}
