/* Optimal dynamic partial order reduction: every Mazurkiewicz trace is run exactly once and no execution is given up
 * (Abdulla, Aronis, Jonsson, Sagonas 2014: source sets and wakeup trees).
 *
 * After each execution, for every race in it (two conflicting steps of different threads that could be the other way
 * round) the sequence that shows the other order is added to the wakeup tree of the state before the first step,
 * unless a sleeping thread could begin it. Operations that block, and outcomes that depend on the state of an object,
 * go beyond the published algorithm:
 * - whether the second step would be enabled, and with what outcome, without the first one and all that came after it
 *   is asked of the model of the objects; for operations that can block the first step need not be the last
 *   conflicting one (a lock races with the earlier lock, not with the unlock between them);
 * - operations still pending at the end, in a deadlock above all, take part as if they came next;
 * - a step that has several outcomes (which waiter a signal wakes) is treated like a race with its other outcomes. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct optimal_node {
    size_t sleep_from, sleep_len; /* slice of the sleep stack */
    size_t races_from, races_len; /* slice of the races of the step taken here */
    uint32_t tree;                /* first branch; the one being explored is the first */
    uint32_t done;                /* branches explored */
};
struct optimal {
    STACK(struct optimal_node) nodes;
    STACK(struct event) sleep;
    step_stack races;
    struct wakeup wakeup;
    struct sequence v;
    STACK(const struct event *) items;
    STACK(bool) removed;
    struct sched_view view; /* the state last seen; at the end of the execution it is used */
    size_t view_depth;
};

static void optimal_begin(struct sched *s)
{
    if (!s->own)
        s->own = pool_alloc(&s->pool, sizeof(struct optimal));
    s->bound = s->config.fair_bound = -1;
}

/* Those asleep before the step, and the branches finished there, that the step does not concern. */
static void pass_on_sleep(struct sched *s, struct optimal_node *n)
{
    struct optimal *o = s->own;
    const struct optimal_node *before = &stack_last(&o->nodes);
    const struct event *e = &stack_last(&s->hb->events);
    n->sleep_from = o->sleep.len;
    stack_reserve(&s->pool, &o->sleep, o->sleep.len + before->sleep_len);
    for (size_t i = before->sleep_from; i < before->sleep_from + before->sleep_len; i++)
        if (o->sleep.at[i].thread != e->thread && !event_conflict(&o->sleep.at[i], e))
            event_copy(&o->sleep.at[o->sleep.len++], &o->sleep.at[i]);
    n->sleep_len = o->sleep.len - n->sleep_from;
}

/* Only what the last step changed, unless the steps before it were repeated. */
static void keep_view(struct sched *s, const struct sched_view *view)
{
    struct optimal *o = s->own;
    if (s->depth <= s->prefix + 1) {
        view_copy(&o->view, view);
    } else {
        const struct event *e = &stack_last(&s->hb->events);
        o->view.live = view->live;
        o->view.enabled = view->enabled;
        o->view.next[e->thread] = view->next[e->thread];
        if (e->kind == SCHED_CREATE)
            o->view.next[e->other] = view->next[e->other];
    }
    o->view_depth = s->depth;
}

static void optimal_arrived(struct sched *s, const struct sched_view *view)
{
    struct optimal *o = s->own;
    struct optimal_node n = {.races_from = o->races.len};
    if (s->depth) {
        struct optimal_node *before = &stack_last(&o->nodes);
        if (before->tree) { /* its subtree is what remains to be done from here */
            n.tree = o->wakeup.nodes.at[before->tree].child;
            o->wakeup.nodes.at[before->tree].child = 0;
        }
        pass_on_sleep(s, &n);
    }
    assert(o->nodes.len == s->depth);
    stack_push(&s->pool, &o->nodes, n);
    keep_view(s, view);
}

static bool asleep(const struct optimal *o, const struct optimal_node *n, int t, uint32_t choice)
{
    for (size_t i = n->sleep_from; i < n->sleep_from + n->sleep_len; i++)
        if (o->sleep.at[i].thread == t && o->sleep.at[i].choice == choice)
            return true;
    return false;
}

/* Any step that does not sleep, the running thread's first. */
static struct sched_pick choose(struct sched *s, const struct sched_view *view)
{
    struct optimal *o = s->own;
    const struct optimal_node *n = &stack_last(&o->nodes);
    int last = sched_last(s), t;
    uint64_t order[2] = {last >= 0 ? view->enabled & BIT(last) : 0, view->enabled};
    for (int round = 0; round < 2; round++)
        FOR_EACH_BIT(t, order[round])
            for (uint32_t c = 0; c < op_choices(&view->next[t]); c++)
                if (!asleep(o, n, t, c))
                    return pick_step(t, c);
    return pick_nothing(SCHED_PICK_REDUNDANT);
}

static struct sched_pick optimal_pick(struct sched *s, const struct sched_view *view)
{
    struct optimal *o = s->own;
    struct optimal_node *n = &o->nodes.at[s->depth];
    struct sched_pick pick;
    struct event *e = &s->predicted;
    assert(o->nodes.len == s->depth + 1);
    if (n->tree) {
        const struct event *first = &o->wakeup.nodes.at[n->tree].event;
        pick = pick_step(first->thread, first->choice);
        if (!(view->enabled & BIT(pick.thread)))
            return pick; /* the frame reports it */
    } else {
        pick = choose(s, view);
        if (pick.thread < 0)
            return pick;
    }
    hb_predict(s->hb, NULL, pick.thread, &view->next[pick.thread], pick.choice, e);
    s->has_predicted = true;
    if (!n->tree)
        n->tree = wakeup_new(&s->pool, &o->wakeup, e);
    n->races_from = o->races.len;
    n->races_len = hb_races(s->hb, e, event_may_block(e), &o->races);
    return pick;
}

/* All that was done before step i, and after it what does not happen after it: the sequence's steps and the cut. */
static void collect_independent(struct sched *s, size_t i, uint32_t *cut)
{
    struct optimal *o = s->own;
    const struct hb *h = s->hb;
    const struct event *e = &h->events.at[i];
    o->v.len = 0;
    o->v.threads = 0;
    memset(cut, 0, (size_t)h->threads * sizeof *cut);
    for (size_t j = 0; j < i; j++)
        cut[h->events.at[j].thread]++;
    for (size_t j = i + 1; j < h->events.len; j++)
        if (hb_clock_of(h, j)[e->thread] <= e->index) {
            cut[h->events.at[j].thread]++;
            o->v.threads |= BIT(h->events.at[j].thread);
            o->v.at[o->v.len++] = &h->events.at[j];
        }
}

/* Explore, before step i, what does not depend on it and then this step of thread t. */
static void add_sequence(struct sched *s, size_t i, int t, uint32_t choice, bool any_choice)
{
    struct optimal *o = s->own;
    struct hb *h = s->hb;
    struct optimal_node *n = &o->nodes.at[i];
    uint32_t cut[SCHED_MAX_THREADS], clock[SCHED_MAX_THREADS];
    struct event last;
    collect_independent(s, i, cut);
    if (!hb_predict(h, cut, t, pending_op(s, &o->view, cut, t), 0, &last))
        return;
    if (!any_choice || choice < last.choices)
        hb_predict(h, cut, t, pending_op(s, &o->view, cut, t), choice, &last);
    hb_clock(h, cut, &last, clock);
    o->v.at[o->v.len++] = &last;
    o->v.threads |= BIT(t);
    o->v.last_clock = clock;
    memset(o->v.removed, 0, o->v.len * sizeof *o->v.removed);
    for (size_t q = n->sleep_from; q < n->sleep_from + n->sleep_len; q++)
        if (wakeup_is_weak_initial(h, &o->v, &o->sleep.at[q]))
            return;
    wakeup_insert(h, &s->pool, &o->wakeup, &n->tree, &o->v);
}

/* For each thread how many of its events happen before all steps that are new in this execution. */
static void known_to_new_steps(const struct sched *s, uint32_t *least)
{
    memset(least, 0xff, (size_t)s->hb->threads * sizeof *least);
    for (size_t j = s->prefix; j < s->hb->events.len; j++)
        for (int t = 0; t < s->hb->threads; t++)
            if (hb_clock_of(s->hb, j)[t] < least[t])
                least[t] = hb_clock_of(s->hb, j)[t];
}

/* A race of two repeated steps whose sequence has no new step in it was seen to before. */
static bool is_old(const struct sched *s, const uint32_t *least, size_t i, size_t k)
{
    const struct event *e = &s->hb->events.at[i];
    return k < s->prefix && e->index < least[e->thread];
}

static void reverse_races(struct sched *s)
{
    struct optimal *o = s->own;
    struct hb *h = s->hb;
    size_t len = h->events.len;
    uint32_t least[SCHED_MAX_THREADS];
    int t;
    known_to_new_steps(s, least);
    if (o->view_depth < s->depth) /* the last step failed: what its thread would do next is not known */
        o->view.live &= ~BIT(h->events.at[len - 1].thread);
    stack_reserve(&s->pool, &o->items, len + 1);
    stack_reserve(&s->pool, &o->removed, len + 1);
    o->v.at = o->items.at;
    o->v.removed = o->removed.at;
    for (size_t k = 0; k < len; k++) {
        const struct event *e = &h->events.at[k];
        for (size_t r = 0; r < o->nodes.at[k].races_len; r++) {
            size_t i = o->races.at[o->nodes.at[k].races_from + r];
            if (!is_old(s, least, i, k))
                add_sequence(s, i, e->thread, e->choice, true);
        }
        for (uint32_t c = 0; c < e->choices; c++)
            if (c != e->choice && !is_old(s, least, k, k))
                add_sequence(s, k, e->thread, c, false);
    }
    FOR_EACH_BIT(t, o->view.live) {
        struct event pending;
        size_t from = o->races.len;
        hb_predict(h, NULL, t, &o->view.next[t], 0, &pending);
        hb_races(h, &pending, event_may_block(&pending), &o->races);
        for (size_t r = from; r < o->races.len; r++)
            add_sequence(s, o->races.at[r], t, 0, true);
        o->races.len = from;
    }
}

/* The first branch is explored: it sleeps from now on. */
static void finish_branch(struct sched *s, struct optimal_node *n)
{
    struct optimal *o = s->own;
    uint32_t branch = n->tree;
    assert(o->sleep.len == n->sleep_from + n->sleep_len);
    n->tree = o->wakeup.nodes.at[branch].next;
    stack_push_event(&s->pool, &o->sleep, &o->wakeup.nodes.at[branch].event);
    n->sleep_len++;
    n->done++;
    wakeup_free(&o->wakeup, branch);
}

static uint32_t branches_left(const struct optimal *o, const struct optimal_node *n)
{
    uint32_t count = 0;
    for (uint32_t i = n->tree; i; i = o->wakeup.nodes.at[i].next)
        count++;
    return count;
}

static double share_done(const struct optimal *o)
{
    double share = 0, weight = 1;
    for (size_t d = 0; d < o->nodes.len; d++) {
        const struct optimal_node *n = &o->nodes.at[d];
        uint32_t known = n->done + branches_left(o, n);
        if (!known)
            continue; /* the frame took this step by itself */
        share += weight * n->done / known;
        weight /= known;
    }
    return share;
}

static bool optimal_next(struct sched *s)
{
    struct optimal *o = s->own;
    if (s->end != SCHED_END_ABANDONED)
        reverse_races(s);
    while (o->nodes.len) {
        struct optimal_node *n = &stack_last(&o->nodes);
        size_t depth = o->nodes.len - 1;
        if (depth < s->depth && n->tree) {
            finish_branch(s, n);
            o->races.len = n->races_from;
            if (n->tree) {
                s->prefix = depth;
                s->share = share_done(o);
                return true;
            }
        }
        o->sleep.len = n->sleep_from;
        o->races.len = n->races_from;
        o->nodes.len--;
    }
    return false;
}

const struct strategy strategy_optimal = {"optimal",    CLOCKS,          optimal_begin,
                                          optimal_pick, optimal_arrived, optimal_next};
