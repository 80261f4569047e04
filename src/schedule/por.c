/* What DPOR and BPOR share: the stack of states with backtrack and sleep sets, and the search for races.
 *
 * At every state the pending operation of each thread, enabled or not, is compared with the steps before. Only new
 * pairs need a look: the step just done with the other threads' pending operations, and the pending operation of the
 * thread that moved with all earlier steps. Where they conflict, the strategy's `backtrack` adds threads to be tried
 * before the earlier step (Flanagan and Godefroid 2005; per thread and with reads told from writes as in BPOR). */
#include <assert.h>

#include "schedule/internal.h"

void por_begin(struct sched *s, const struct por_rules *rules)
{
    struct por *p = s->own;
    if (!p)
        p = s->own = pool_alloc(&s->pool, sizeof *p);
    p->nodes.len = 0;
    p->rules = rules;
    p->only = -1;
}

/* Which of the threads asleep before the last step, or done there, sleep on: those that it does not concern. */
void por_pass_on_sleep(struct sched *s, const struct por_node *before, struct por_node *n,
                       const struct sched_view *view)
{
    const struct event *e = &stack_last(&s->hb->events);
    sched_set asleep = before->sleep | before->finished;
    int t;
    for (unsigned i = 0; i < before->dozing_count; i++)
        asleep |= set_of(before->dozing[i].thread);
    asleep &= ~(set_of(e->thread) | e->woken);
    FOR_EACH_THREAD(t, asleep) {
        struct event pending;
        if (!event_is_global(e) && doze_passes_on(s, before, n, t, &view->next[t]))
            continue;
        if (hb_predict(s->hb, NULL, t, &view->next[t], 0, &pending) && !event_conflict(&pending, e))
            n->sleep |= set_of(t);
    }
}

static void races_of(struct sched *s, int u, const struct event *pending)
{
    struct por *p = s->own;
    uint32_t clock[SCHED_MAX_THREADS];
    p->races.len = 0;
    if (!hb_races(s->hb, pending, false, &p->races))
        return;
    hb_clock(s->hb, NULL, pending, clock);
    for (size_t i = 0; i < p->races.len; i++)
        p->rules->backtrack(s, p->races.at[i], u, clock);
}

/* Algorithm 2 of BPOR, lines 4 to 7: of each other thread the last step that conflicts with what u is about to do,
 * whether or not u knows of it. */
static void find_races_plainly(struct sched *s, const struct sched_view *view)
{
    struct hb *h = s->hb;
    struct por *p = s->own;
    int u;
    FOR_EACH_THREAD(u, view->live) {
        struct event pending;
        uint32_t clock[SCHED_MAX_THREADS];
        sched_set seen = set_of(u);
        hb_predict(h, NULL, u, &view->next[u], 0, &pending);
        hb_clock(h, NULL, &pending, clock);
        for (size_t i = h->events.len; i-- > 0;) {
            if (set_has(seen, h->events.at[i].thread) || !event_conflict(&pending, &h->events.at[i]))
                continue;
            seen |= set_of(h->events.at[i].thread);
            p->rules->backtrack(s, i, u, clock);
        }
    }
}

static void find_races(struct sched *s, const struct sched_view *view)
{
    struct hb *h = s->hb;
    uint32_t step = (uint32_t)h->events.len - 1;
    int mover = h->events.at[step].thread, u;
    bool inert = touches_nothing(&h->events.at[step]);
    FOR_EACH_THREAD(u, view->live) {
        struct event pending;
        bool fresh = u == mover || h->thread[u].creator == step + 1;
        if (is_held(s, view, u))
            continue; /* as if it had ended */
        if (inert && !fresh && view->next[u].kind != SCHED_GLOBAL)
            continue;
        hb_predict(h, NULL, u, &view->next[u], 0, &pending);
        if (fresh || event_conflict(&pending, &h->events.at[step]))
            races_of(s, u, &pending);
    }
}

/* u itself, if it can run there and does not sleep. Otherwise a thread whose step in between has to come before u's:
 * the published rule is content with a sleeping u, but then what the sleeping thread races with is never seen here. */
sched_set por_alternatives(const struct sched *s, size_t step, int u, const uint32_t *clock)
{
    const struct por *p = s->own;
    const struct por_node *n = &p->nodes.at[step];
    sched_set found = SET_NONE;
    if (p->rules->plain) /* Algorithm 3, lines 10 to 14; a thread that sleeps is as good as one that cannot run */
        return set_has(n->allowed & ~n->sleep, u) ? set_of(u) : n->enabled;
    if (set_has(n->enabled & ~n->allowed, u))
        return n->enabled; /* it could run there but for the fair bound: whatever changes that must be tried */
    if (set_has(n->enabled & ~n->sleep, u))
        return set_of(u);
    for (int t = 0; t < s->hb->threads; t++) {
        size_t done = s->hb->thread[t].steps.len, known = clock[t] < done ? clock[t] : done;
        if (known && s->hb->thread[t].steps.at[known - 1] > step)
            found |= set_of(t);
    }
    if (set_any(found & n->enabled & ~n->sleep))
        return found & n->enabled & ~n->sleep;
    return set_has(n->enabled, u) ? SET_NONE : n->enabled;
}

static sched_set releases(const struct sched *s, const struct sched_view *view)
{
    sched_set found = SET_NONE;
    bool spinning = false;
    int t;
    FOR_EACH_THREAD(t, view->live)
        spinning |= (view->next[t].flags & SCHED_SPIN) != 0;
    FOR_EACH_THREAD(t, s->enabled)
        if (kind_may_release(view->next[t].kind, spinning))
            found |= set_of(t);
    return found;
}

/* With both bounds the order of arrivals at a barrier may decide which thread the fair bound holds back, and at what
 * cost. */
void por_set_fair(struct sched *s, bool fair)
{
    struct por *p = s->own;
    p->fair = fair;
    s->hb->rounds_commute &= !fair;
}

/* As long as nobody yields the fair bound means nothing, and the search can do without its conservative points. */
static void watch_for_yields(struct sched *s, const struct sched_view *view)
{
    struct por *p = s->own;
    int t;
    if (s->config.fair_bound < 0 || p->fair)
        return;
    bool yields = false;
    FOR_EACH_THREAD(t, view->live)
        yields |= view->next[t].kind == SCHED_YIELD;
    por_set_fair(s, yields);
    p->restart = yields;
}

void por_arrived(struct sched *s, const struct sched_view *view)
{
    struct por *p = s->own;
    struct por_node n = {
        .enabled = s->enabled, .allowed = fair_allowed(s, s->enabled), .thread = -1,
        .only_ends = s->only_ends};
    assert(p->nodes.len == s->depth);
    watch_for_yields(s, view);
    if (p->fair)
        n.releases = releases(s, view);
    if (s->depth) {
        const struct por_node *before = &stack_last(&p->nodes);
        por_pass_on_sleep(s, before, &n, view);
        if (p->rules->plain)
            find_races_plainly(s, view);
        else
            find_races(s, view);
    }
    stack_push(&s->pool, &p->nodes, n);
}

/* What the first choice that does not sleep costs. */
static int first_cost(const struct por_node *n, int t)
{
    return n->dozing_count && (doze_asleep(n, t) & 1);
}

/* The choice of the thread's step to try after this one (-1: the first), of those that do not sleep; 0: none. */
static uint32_t awake_choice(struct sched *s, struct por_node *n, const struct sched_op *op, int after)
{
    uint64_t asleep = n->dozing_count ? doze_asleep(n, n->thread) : 0;
    bool pruned = s->pruned;
    uint32_t choice;
    if (after < 0 && !(asleep & 1))
        return 0;
    s->pruned = false;
    choice = after < 0 ? 0 : (uint32_t)after;
    do
        choice = next_choice(s, op, choice, surprises_so_far(s) + is_preemption(s, n->allowed, n->thread));
    while (choice && choice < 64 && (asleep & BIT(choice)));
    if (s->pruned)
        n->branch_partial = n->partial = true;
    s->pruned |= pruned;
    return choice;
}

/* The next thread to try in the state at the end of the stack, or -1. */
static int por_candidate(struct sched *s, struct por_node *n)
{
    const struct por *p = s->own;
    int last = sched_last(s), t;
    if (p->only >= 0 && s->depth == s->floor) /* what else there is to try there is another part */
        return set_has(n->done, p->only) ? -1 : p->only;
    for (;;) {
        sched_set todo = n->backtrack & ~n->done & ~n->sleep;
        if (!set_any(todo) && n->partial) {
            todo = set_lowest(n->conservative & ~n->done & ~n->sleep);
            n->backtrack |= todo;
        }
        if (!set_any(todo))
            return -1;
        t = last >= 0 && set_has(todo, last) ? last : set_first(todo);
        if (set_has(n->allowed, t) && within_bound(s, n->allowed, t, first_cost(n, t)))
            return t;
        n->done |= set_of(t);
        n->partial = true;
        s->pruned |= set_has(n->allowed, t);
    }
}

struct sched_pick por_pick(struct sched *s, const struct sched_view *view)
{
    struct por *p = s->own;
    struct por_node *n = &p->nodes.at[s->depth];
    assert(p->nodes.len == s->depth + 1);
    if (n->next_choice) {
        n->choice = n->next_choice;
    } else {
        if (!set_any(n->backtrack))
            p->rules->initialize(s, n);
        int t = por_candidate(s, n);
        if (t < 0)
            return pick_nothing(n->partial ? SCHED_PICK_BOUND : SCHED_PICK_REDUNDANT);
        n->done |= set_of(t);
        n->thread = t;
        n->branch_partial = false;
        n->choice = awake_choice(s, n, &view->next[t], -1);
    }
    n->next_choice = awake_choice(s, n, &view->next[n->thread], (int)n->choice);
    return pick_step(n->thread, n->choice);
}

/* The state at that depth, the end of the stack, has another thread to try, here and not elsewhere. */
static bool has_more(struct sched *s, size_t depth)
{
    struct por *p = s->own;
    struct por_node *n = &p->nodes.at[depth];
    size_t real = s->depth;
    if (n->next_choice)
        return true;
    if (n->thread < 0)
        return false; /* the frame moved on by itself, or nothing could be done */
    s->depth = depth;
    s->only_ends = n->only_ends;
    int t;
    do
        t = por_candidate(s, n);
    while (t >= 0 && por_take_answer(s, depth, t) && !p->restart && !s->told_to_stop);
    s->depth = real;
    return t >= 0;
}

/* All below the step at that depth was tried: whether its thread may sleep while the others there are tried. */
static void branch_done(struct sched *s, size_t depth, bool partial)
{
    struct por *p = s->own;
    struct por_node *n = &p->nodes.at[depth];
    const struct step *step = &s->log.at[depth];
    n->partial |= partial;
    n->branch_partial |= partial;
    if (n->next_choice)
        return;
    if (!n->branch_partial)
        n->finished |= set_of(step->thread);
}

/* How much of the tree is done: the deepest state has one branch done more than is noted above. As long as there is one
 * thread there are no branches. */
double por_share(const struct sched *s)
{
    const struct por *p = s->own;
    double share = 0, weight = 1;
    for (size_t d = s->alone ? s->alone - 1 : 0; d < p->nodes.len; d++) {
        const struct por_node *n = &p->nodes.at[d];
        int known = set_count((n->backtrack | n->done) & ~n->sleep);
        int done = set_count(n->done & ~n->sleep) - (d + 1 < p->nodes.len);
        if (known < 1)
            continue; /* the frame took this step by itself */
        share += weight * done / known;
        weight /= known;
    }
    return share;
}

/* Of a part whoever gave it away searches again. */
static bool begin_again(struct sched *s)
{
    struct por *p = s->own;
    parts_cancel(s);
    if (s->config.part)
        return false;
    p->restart = false;
    p->nodes.len = 0;
    s->prefix = 0;
    s->seen_initial = false;
    return true;
}

bool por_next(struct sched *s)
{
    struct por *p = s->own;
    if (p->restart)
        return begin_again(s);
    if (s->end == SCHED_END_ABANDONED && p->nodes.len == s->depth && s->depth)
        branch_done(s, s->depth - 1, false); /* the step itself was not allowed: nothing follows it */
    while (p->nodes.len) {
        size_t depth = p->nodes.len - 1;
        bool more = has_more(s, depth);
        if (p->restart)
            return begin_again(s);
        if (more || s->told_to_stop) {
            s->prefix = depth;
            return more;
        }
        if (s->config.part && depth == s->floor)
            break;
        bool partial = p->nodes.at[depth].partial;
        p->nodes.len--;
        if (p->nodes.len)
            branch_done(s, depth - 1, partial);
    }
    return false;
}
