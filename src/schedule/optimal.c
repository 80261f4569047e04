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
    size_t asleep_from;           /* where the branches finished here begin among the sleepers */
    size_t races_from, races_len; /* slice of the races of the step taken here */
    uint32_t tree;                /* first branch; the one being explored is the first */
    uint32_t branches, done;      /* in the tree; explored */
    sched_set outcomes;            /* threads all outcomes of whose next steps were branches of this state once */
};
struct optimal {
    STACK(struct optimal_node) nodes;
    STACK(struct footprint) sleepers; /* branches finished in the states on the stack */
    STACK(uint32_t) sleep;        /* which of them sleep in each state */
    step_stack races;
    STACK(uint32_t) before;       /* a row for each state on the stack: how many steps each thread had done */
    struct wakeup wakeup;
    struct sequence v;
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
    n->asleep_from = o->sleepers.len;
    stack_reserve(&s->pool, &o->sleep, o->sleep.len + before->sleep_len);
    for (size_t i = before->sleep_from; i < before->sleep_from + before->sleep_len; i++) {
        const struct footprint *q = &o->sleepers.at[o->sleep.at[i]];
        if (q->thread != e->thread && !acts_conflict(footprint_acts(q), event_acts(e)))
            o->sleep.at[o->sleep.len++] = o->sleep.at[i];
    }
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
        o->view.ending = view->ending;
        o->view.enabled = view->enabled;
        o->view.next[e->thread] = view->next[e->thread];
        if (e->kind == SCHED_CREATE)
            o->view.next[e->other] = view->next[e->other];
    }
    o->view_depth = s->depth;
}

static uint32_t count_branches(const struct optimal *o, uint32_t tree)
{
    uint32_t count = 0;
    for (uint32_t i = tree; i; i = o->wakeup.nodes.at[i].next)
        count++;
    return count;
}

static const uint32_t *steps_before(const struct optimal *o, size_t depth)
{
    return o->before.at + depth * SCHED_MAX_THREADS;
}

static void note_steps(struct sched *s)
{
    struct optimal *o = s->own;
    const struct hb *h = s->hb;
    stack_reserve(&s->pool, &o->before, (s->depth + 1) * SCHED_MAX_THREADS);
    uint32_t *row = o->before.at + s->depth * SCHED_MAX_THREADS;
    for (int t = 0; t < h->threads; t++)
        row[t] = (uint32_t)h->thread[t].steps.len;
    for (int t = h->threads; t < SCHED_MAX_THREADS; t++)
        row[t] = 0; /* created later */
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
            n.branches = count_branches(o, n.tree);
        }
        pass_on_sleep(s, &n);
    }
    assert(o->nodes.len == s->depth);
    note_steps(s);
    stack_push(&s->pool, &o->nodes, n);
    keep_view(s, view);
}

static bool asleep(const struct optimal *o, const struct optimal_node *n, int t, uint32_t choice)
{
    for (size_t i = n->sleep_from; i < n->sleep_from + n->sleep_len; i++) {
        const struct footprint *q = &o->sleepers.at[o->sleep.at[i]];
        if (q->thread == t && q->choice == choice)
            return true;
    }
    return false;
}

/* Any step that does not sleep, the running thread's first. */
static struct sched_pick choose(struct sched *s, const struct sched_view *view)
{
    struct optimal *o = s->own;
    const struct optimal_node *n = &stack_last(&o->nodes);
    int last = sched_last(s), t;
    sched_set order[2] = {last >= 0 ? s->enabled & set_of(last) : SET_NONE, s->enabled};
    for (int round = 0; round < 2; round++)
        FOR_EACH_THREAD(t, order[round])
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
    if (s->depth == s->prefix)
        keep_view(s, view); /* the first new step may fail, and then no other state is seen */
    if (n->tree) {
        const struct wakeup_node *first = &o->wakeup.nodes.at[n->tree];
        pick = pick_step(first->thread, first->choice);
        if (!set_has(view->enabled, pick.thread))
            return pick; /* the frame reports it */
    } else {
        pick = choose(s, view);
        if (pick.thread < 0)
            return pick;
    }
    hb_predict(s->hb, NULL, pick.thread, &view->next[pick.thread], pick.choice, e);
    s->has_predicted = true;
    if (!n->tree) {
        n->tree = wakeup_new(&s->pool, &o->wakeup, e);
        n->branches = 1;
    }
    n->races_from = o->races.len;
    n->races_len = hb_races(s->hb, e, event_may_block(e), &o->races);
    return pick;
}

/* The steps after step i that do not happen after it. */
static void collect_independent(const struct sched *s, size_t i)
{
    struct optimal *o = s->own;
    const struct hb *h = s->hb;
    const struct event *e = &h->events.at[i];
    struct sequence *v = &o->v;
    v->start = i;
    v->first = i + 1;
    v->thread = e->thread;
    v->index = e->index;
    memcpy(v->from, steps_before(o, i), (size_t)h->threads * sizeof *v->from);
    v->has_global = false;
    for (size_t g = h->globals.len; g-- > 0 && h->globals.at[g] > i && !v->has_global;)
        v->has_global = sequence_has(h, v, h->globals.at[g]);
}

/* A step that sleeps in the state before step i, and that was taken later independently of it, can begin every sequence
 * that reverses a race of step i with a step of another thread: a quick look at most of those that come to nothing. */
static bool sleeper_begins(const struct sched *s, size_t i, int t)
{
    const struct optimal *o = s->own;
    const struct hb *h = s->hb;
    const struct event *e = &h->events.at[i];
    const struct optimal_node *n = &o->nodes.at[i];
    const uint32_t *before = steps_before(o, i);
    for (size_t q = n->sleep_from; q < n->sleep_from + n->sleep_len; q++) {
        const struct footprint *sleeper = &o->sleepers.at[o->sleep.at[q]];
        int p = sleeper->thread;
        if (p == t || p == e->thread || before[p] >= h->thread[p].steps.len)
            continue;
        uint32_t step = h->thread[p].steps.at[before[p]];
        const uint32_t *clock = hb_clock_of(h, step);
        if (clock[e->thread] <= e->index && h->events.at[step].choice == sleeper->choice &&
            is_initial(h, before, p, clock))
            return true;
    }
    return false;
}

/* Before the lock was given back by its owner it cannot be taken. */
static bool is_hopeless(const struct event *first, const struct event *second)
{
    bool takes = second->kind == SCHED_LOCK || second->kind == SCHED_WRLOCK || second->kind == SCHED_RDLOCK;
    bool gives = first->kind == SCHED_UNLOCK || first->kind == SCHED_WRUNLOCK;
    return takes && gives && state_number(first->change[0].before) == (uint64_t)first->thread + 1;
}

/* Instead of step i explore what does not depend on it, which was collected, and then the last step, unless a sleeping
 * step can begin that. */
static void add_sequence(struct sched *s, size_t i)
{
    struct optimal *o = s->own;
    struct sequence *v = &o->v;
    struct optimal_node *n = &o->nodes.at[i];
    v->has_last = true;
    v->has_clock = false;
    for (size_t q = n->sleep_from; q < n->sleep_from + n->sleep_len; q++)
        if (wakeup_is_weak_initial(s->hb, v, &o->sleepers.at[o->sleep.at[q]]))
            return;
    n->branches += wakeup_insert(s->hb, &s->pool, &o->wakeup, &n->tree, v);
}

/* What thread t does after the steps collected, with that choice or, if there are fewer there, the first. */
static bool predict_last(struct sched *s, int t, uint32_t choice)
{
    struct optimal *o = s->own;
    struct event *last = &o->v.last;
    uint32_t cut[SCHED_MAX_THREADS];
    sequence_cut(s->hb, &o->v, cut);
    const struct sched_op *op = pending_op(s, &o->view, cut, t);
    if (!hb_predict(s->hb, cut, t, op, 0, last))
        return false;
    if (choice && choice < last->choices)
        hb_predict(s->hb, cut, t, op, choice, last);
    return true;
}

/* The second step would do in the place of the first what it did: a plain access is possible anywhere and always
 * touches the same, and where one could lock another can; unless the program has ended. */
static bool is_the_same_there(const struct sequence *v, const struct event *first, const struct event *second)
{
    bool plain = second->kind <= SCHED_RMW && !(second->flags & (SCHED_SPIN | SCHED_STORES));
    return (plain || (first->kind == SCHED_LOCK && second->kind == SCHED_LOCK)) && !v->has_global;
}

static void reverse_race(struct sched *s, size_t i, const struct event *second)
{
    struct optimal *o = s->own;
    const struct event *first = &s->hb->events.at[i];
    if (is_hopeless(first, second) || sleeper_begins(s, i, second->thread))
        return;
    collect_independent(s, i);
    if (is_the_same_there(&o->v, first, second))
        event_copy(&o->v.last, second);
    else if (!predict_last(s, second->thread, second->choice))
        return;
    add_sequence(s, i);
}

static bool collected_none(const struct sched *s)
{
    const struct optimal *o = s->own;
    for (size_t j = o->v.first; j < s->hb->events.len; j++)
        if (sequence_has(s->hb, &o->v, j))
            return false;
    return true;
}

/* The other outcomes of step k. If nothing is independent of it and they were branches once, they need no second look.
 */
static void other_outcomes(struct sched *s, size_t k)
{
    struct optimal_node *n = &((struct optimal *)s->own)->nodes.at[k];
    const struct event *e = &s->hb->events.at[k];
    collect_independent(s, k);
    if (set_has(n->outcomes, e->thread) && collected_none(s))
        return;
    for (uint32_t c = 0; c < e->choices; c++) {
        if (c == e->choice)
            continue;
        collect_independent(s, k);
        if (predict_last(s, e->thread, c))
            add_sequence(s, k);
    }
    n->outcomes |= set_of(e->thread);
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
        o->view.live &= ~set_of(h->events.at[len - 1].thread);
    for (size_t k = 0; k < len; k++) {
        const struct event *e = &h->events.at[k];
        for (size_t r = 0; r < o->nodes.at[k].races_len; r++) {
            size_t i = o->races.at[o->nodes.at[k].races_from + r];
            if (!is_old(s, least, i, k))
                reverse_race(s, i, e);
        }
        if (e->choices > 1 && !is_old(s, least, k, k))
            other_outcomes(s, k);
    }
    FOR_EACH_THREAD(t, o->view.live) {
        struct event pending;
        size_t from = o->races.len;
        hb_predict(h, NULL, t, &o->view.next[t], 0, &pending);
        hb_races(h, &pending, event_may_block(&pending), &o->races);
        for (size_t r = from; r < o->races.len; r++)
            reverse_race(s, o->races.at[r], &pending);
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
    stack_push(&s->pool, &o->sleep, (uint32_t)o->sleepers.len);
    stack_push(&s->pool, &o->sleepers, o->wakeup.steps.at[branch]);
    n->sleep_len++;
    n->done++;
    n->branches--;
    wakeup_free(&o->wakeup, branch);
}

static double share_done(const struct sched *s)
{
    const struct optimal *o = s->own;
    double share = 0, weight = 1;
    for (size_t d = 0; d < o->nodes.len; d++) {
        const struct optimal_node *n = &o->nodes.at[d];
        uint32_t known = n->done + n->branches;
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
                return true;
            }
        }
        o->sleep.len = n->sleep_from;
        o->sleepers.len = n->asleep_from;
        o->races.len = n->races_from;
        o->nodes.len--;
    }
    return false;
}

const struct strategy strategy_optimal = {"optimal",    CLOCKS,          optimal_begin,
                                          optimal_pick, optimal_arrived, optimal_next, share_done};
