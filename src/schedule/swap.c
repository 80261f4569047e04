/* Tests the independence relation on which every reduction relies, instead of using it.
 *
 * Executions are drawn at random. Of each, two adjacent steps are kept that the relation calls independent, with the
 * state after both. The next execution does the same steps, but these two in the other order: if they commute, both can
 * be done, they touch the same objects and have the same outcomes, and the state is the one that was kept. From there
 * on the execution is a random one again. So a pair costs one execution.
 *
 * The relation promises this:
 * - neither step enables, disables or changes the other, also not in what it touches;
 * - the same threads are live, enabled and about to do the same;
 * - the runtime finds the same memory and the same objects (struct sched_states).
 *
 * With config.verify the model of the objects is asked in each state which threads are enabled, as strategies do that
 * ask of states not visited yet.
 *
 * The limit on spurious events may take a choice away from the later step of a pair. So the number of choices is not
 * compared if the operation of the step is one of these (doc/schedule.md, Spurious events). The states after both steps
 * must offer the same choices.
 *
 * A difference is believed only if the first order, run once more, leads to the kept state, and the second one differs
 * again; otherwise the program does not repeat itself. The ends of threads and of the program are no part of a pair:
 * the first are picked at once and the second when no other thread can go on, so no strategy asks what commutes with
 * them. But they may wait here, or the last step of a thread would never be beside one of another thread. */
#include <assert.h>

#include "schedule/internal.h"

enum phase { LOOK, SWAP, REPEAT, SWAP_AGAIN };

struct done { struct sched_op op; struct sched_outcome outcome; struct footprint footprint; };

struct swap {
    uint64_t random;
    enum phase phase;
    size_t depth;             /* of the state after the pair; 0: there is none */
    uint64_t candidates;      /* pairs of this execution so far, of which one is kept with equal chances for each */
    STACK(struct sched_step) script; /* up to there */
    struct done pair[2];      /* in the order of the script */
    struct sched_view after;
    bool compared;            /* the execution came to the state after the pair */
    bool differs;             /* the execution is as it was kept up to the pair, and not after it */
    struct sched_swap found;
};

static void swap_begin(struct sched *s)
{
    struct swap *w = s->own = pool_alloc(&s->pool, sizeof *w);
    w->random = s->config.seed;
    s->bound = -1;
}

/* ---- keeping a pair ---- */

static bool is_end(const struct event *e)
{
    return e->kind == SCHED_END || e->kind == SCHED_EXIT;
}

static bool can_be_swapped(const struct sched *s)
{
    if (s->depth < 2)
        return false;
    const struct event *a = &s->hb->events.at[s->depth - 2], *b = &s->hb->events.at[s->depth - 1];
    bool ends = is_end(a) || is_end(b);
    return a->thread != b->thread && !ends && !hb_before(s->hb, s->depth - 2, s->depth - 1);
}

static void note_done(const struct sched *s, size_t step, struct done *out)
{
    out->op = s->log.at[step].op;
    out->outcome = s->log.at[step].outcome;
    footprint_of(&out->footprint, &s->hb->events.at[step]);
}

static void keep(struct sched *s, const struct sched_view *view)
{
    struct swap *w = s->own;
    if (!s->config.states.keep(s->config.states.context))
        return;
    w->depth = s->depth;
    w->script.len = 0;
    for (size_t i = 0; i < s->depth; i++)
        stack_push(&s->pool, &w->script, ((struct sched_step){s->log.at[i].thread, s->log.at[i].choice}));
    note_done(s, s->depth - 2, &w->pair[0]);
    note_done(s, s->depth - 1, &w->pair[1]);
    view_copy(&w->after, view);
}

/* ---- comparing ---- */

/* But for addresses and values: the runtime compares these, which may depend on what was allocated first. */
static bool same_kind(const struct sched_op *a, const struct sched_op *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->count == b->count && a->updates == b->updates;
}

/* The choice of a step of the pair is kept. It is possible in both orders even if the other step uses up the limit on
 * spurious events, because an execution may have as many of these as both steps together. */
static bool same_op(const struct sched_op *a, const struct sched_op *b)
{
    bool same_choices = a->older == b->older || (a->flags & SCHED_SURPRISE);
    return same_kind(a, b) && same_choices && a->object == b->object && a->object2 == b->object2 &&
           a->value == b->value;
}

static bool same_access(const struct access *a, const struct access *b)
{
    return a->cell == b->cell && a->bytes == b->bytes && a->write == b->write;
}

static bool same_footprint(const struct footprint *a, const struct footprint *b)
{
    bool same = a->accesses == b->accesses && set_equal(a->woken, b->woken);
    for (unsigned i = 0; same && i < a->accesses; i++)
        same = same_access(&a->access[i], &b->access[i]);
    return same;
}

static void differ(struct sched *s, enum sched_swap_kind kind, int thread, const struct sched_op *first,
                   const struct sched_op *second)
{
    struct swap *w = s->own;
    if (w->differs)
        return;
    w->differs = true;
    w->found = (struct sched_swap){.kind = kind, .depth = w->depth, .thread = thread};
    for (int i = 0; i < 2; i++) {
        w->found.threads[i] = w->pair[i].footprint.thread;
        w->found.ops[i] = w->pair[i].op;
    }
    if (first && second) {
        w->found.first = *first;
        w->found.second = *second;
    }
}

/* The step of the pair that is about to be done is the one that it was in the first order. */
static void compare_pending(struct sched *s, const struct sched_view *view, const struct done *was)
{
    int t = was->footprint.thread;
    if (!set_has(view->enabled, t))
        differ(s, SWAP_DISABLED, t, &was->op, &view->next[t]);
    else if (!same_op(&was->op, &view->next[t]))
        differ(s, SWAP_PENDING, t, &was->op, &view->next[t]);
}

static void compare_done(struct sched *s, size_t step, const struct done *was)
{
    struct done now;
    note_done(s, step, &now);
    int t = was->footprint.thread;
    bool same = now.outcome.failed == was->outcome.failed && now.outcome.changed == was->outcome.changed &&
                set_equal(now.outcome.woken, was->outcome.woken);
    if (!same)
        differ(s, SWAP_OUTCOME, t, &was->op, &now.op);
    else if (!same_footprint(&now.footprint, &was->footprint))
        differ(s, SWAP_FOOTPRINT, t, &was->op, &now.op);
}

/* A thread is seen to wait in a loop if its stack is as it was a round ago. If it shares variables on its stack, steps
 * of other threads can hide that. Then the thread goes round once more, which leaves nothing behind. */
static bool only_waiting_differs(const struct sched_op *a, const struct sched_op *b)
{
    struct sched_op same = *b;
    same.flags ^= SCHED_SPIN;
    return (a->flags ^ b->flags) == SCHED_SPIN && a->kind <= SCHED_CAS && same_kind(a, &same);
}

static bool same_next(const struct sched_op *a, const struct sched_op *b)
{
    return only_waiting_differs(a, b) || (same_kind(a, b) && a->older == b->older);
}

static void compare_views(struct sched *s, const struct sched_view *was, const struct sched_view *now)
{
    sched_set lives = (was->live & ~now->live) | (now->live & ~was->live);
    sched_set enabled = (was->enabled & ~now->enabled) | (now->enabled & ~was->enabled);
    int t;
    if (set_any(lives))
        differ(s, SWAP_LIVE, set_first(lives), NULL, NULL);
    else if (set_any(enabled))
        differ(s, SWAP_ENABLED, set_first(enabled), &was->next[set_first(enabled)], &now->next[set_first(enabled)]);
    else
        FOR_EACH_THREAD(t, now->live)
            if (!same_next(&was->next[t], &now->next[t]))
                differ(s, SWAP_NEXT, t, &was->next[t], &now->next[t]);
}

static void compare_after(struct sched *s, const struct sched_view *view)
{
    struct swap *w = s->own;
    const struct sched_states *states = &s->config.states;
    bool swapped = w->phase != REPEAT;
    compare_done(s, w->depth - 1, &w->pair[!swapped]);
    compare_done(s, w->depth - 2, &w->pair[swapped]);
    compare_views(s, &w->after, view);
    if (!w->differs && !states->is_kept(states->context))
        differ(s, SWAP_STATE, -1, NULL, NULL);
}

/* The pair commutes: it is forgotten, and from here on another one is looked for. */
static void settle(struct sched *s)
{
    struct swap *w = s->own;
    if (w->differs || w->phase != SWAP)
        return;
    s->stats.swaps++;
    w->phase = LOOK;
    w->depth = 0;
    w->candidates = 0;
}

/* The model says the same of the present state as the runtime. */
static void check_enabled(struct sched *s, const struct sched_view *view)
{
    int t;
    FOR_EACH_THREAD(t, view->live) {
        struct event e;
        bool enabled = hb_predict(s->hb, NULL, t, &view->next[t], 0, &e);
        if (enabled == (bool)set_has(view->enabled, t))
            continue;
        struct step step = {.op = view->next[t], .thread = t};
        swap_note_broken_promise(s, &step);
        s->stats.stop = SCHED_STOP_DIFFERS;
        return;
    }
}

static void swap_arrived(struct sched *s, const struct sched_view *view)
{
    struct swap *w = s->own;
    if (s->config.verify)
        check_enabled(s, view);
    if (w->phase == LOOK) {
        if (can_be_swapped(s) && random_next(&w->random) % ++w->candidates == 0)
            keep(s, view);
    } else if (s->depth == w->depth) {
        w->compared = true;
        compare_after(s, view);
        settle(s);
    } else if (s->depth + 2 >= w->depth && s->depth < w->depth) {
        bool is_second = (s->depth + 1 == w->depth) == (w->phase == REPEAT);
        compare_pending(s, view, &w->pair[is_second]);
    }
}

/* ---- the strategy ---- */

static struct sched_pick random_step(struct sched *s, const struct sched_view *view)
{
    struct swap *w = s->own;
    sched_set left = s->enabled;
    for (uint64_t skip = random_next(&w->random) % (uint64_t)set_count(left); skip; skip--)
        left &= ~set_lowest(left);
    int t = set_first(left);
    return pick_step(t, nth_choice(&view->next[t], random_next(&w->random) % op_choices(&view->next[t])));
}

static struct sched_pick swap_pick(struct sched *s, const struct sched_view *view)
{
    const struct swap *w = s->own;
    if (s->stats.stop == SCHED_STOP_DIFFERS || w->differs || (w->phase != LOOK && s->depth >= w->depth))
        return pick_nothing(SCHED_PICK_REDUNDANT);
    if (w->phase == LOOK)
        return random_step(s, view);
    size_t i = s->depth;
    if (w->phase != REPEAT && i + 2 >= w->depth)
        i = i + 2 == w->depth ? i + 1 : i - 1;
    return pick_step(w->script.at[i].thread, w->script.at[i].choice);
}

/* What comes after an execution that tried the pair in the other order, or checked that the program repeats itself. */
static void next_phase(struct sched *s)
{
    struct swap *w = s->own;
    if (!w->compared && w->phase != REPEAT)
        differ(s, SWAP_ENDED, w->pair[1].footprint.thread, NULL, NULL);
    bool as_expected = w->phase == REPEAT ? w->compared && !w->differs : w->differs;
    if (!as_expected)
        s->stats.stop = SCHED_STOP_DIVERGED;
    else if (w->phase == SWAP_AGAIN)
        s->stats.stop = SCHED_STOP_DIFFERS;
    w->phase++;
}

static bool swap_next(struct sched *s)
{
    struct swap *w = s->own;
    s->prefix = 0;
    s->pruned = true; /* chance never covers everything */
    if (w->phase != LOOK)
        next_phase(s);
    else if (w->depth)
        w->phase = SWAP;
    w->compared = w->differs = false;
    w->candidates = 0;
    return true;
}

void swap_note_broken_promise(struct sched *s, const struct step *step)
{
    ((struct swap *)s->own)->found = (struct sched_swap){
        .kind = SWAP_PROMISE, .depth = s->depth, .thread = step->thread, .threads = {step->thread, step->thread},
        .ops = {step->op, step->op}};
}

struct sched_swap sched_swap(const struct sched *s)
{
    assert(s->strategy == &strategy_swap && s->stats.stop == SCHED_STOP_DIFFERS);
    return ((const struct swap *)s->own)->found;
}

const struct strategy strategy_swap = {"swap", CLOCKS, swap_begin, swap_pick, swap_arrived, swap_next,
                                       .samples = true, .ends_may_wait = true};
