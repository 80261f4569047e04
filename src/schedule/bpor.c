/* Bounded partial order reduction (BPOR): dynamic partial order reduction that loses nothing within a preemption bound,
 * a fair bound, or both. The stack, the sleep sets and the search for races are in por.c. */
#include <assert.h>

#include "schedule/internal.h"

/* A thread whose next operation may enable others brings all enabled ones with it if yields are counted (Definition
 * 4.7, requirement 2): a thread enabled earlier makes the others dearer. */
static sched_set with_releases(const struct por_node *n, sched_set threads)
{
    return set_any(threads & n->releases) ? n->enabled : threads;
}

/* What Lemmas 2 and 3, and 5 and 6, ask of the thread that is tried first: no other one that is awake is cheaper. */
static bool is_cheapest(const struct sched *s, sched_set awake, sched_set allowed, int thread)
{
    int t;
    FOR_EACH_THREAD(t, awake)
        if (!is_preemption(s, allowed, t) && is_preemption(s, allowed, thread))
            return false;
    return true;
}

static void initialize(struct sched *s, struct por_node *n)
{
    int last = sched_last(s);
    sched_set awake = n->allowed & ~n->sleep;
    if (!set_any(awake))
        awake = n->enabled & ~n->sleep;
    if (last >= 0 && set_has(awake, last))
        n->backtrack = set_of(last);
    else
        n->backtrack = set_lowest(awake);
    assert(!set_any(awake) || is_cheapest(s, awake, n->allowed, set_first(n->backtrack)));
    n->backtrack = with_releases(n, n->backtrack);
}

static void add_conservative(struct por *p, size_t step, sched_set threads)
{
    struct por_node *n = &p->nodes.at[step];
    n->conservative |= with_releases(n, threads);
    if (p->rules->plain)
        n->backtrack |= n->conservative;
}

/* In the state before that step the thread waits at a barrier at which others arrive later. */
static bool waits_for_round(const struct hb *h, size_t step, int t)
{
    size_t n = h->thread[t].steps.len;
    while (n && h->thread[t].steps.at[n - 1] >= step)
        n--;
    const struct event *last = n ? &h->events.at[h->thread[t].steps.at[n - 1]] : NULL;
    if (!last || last->kind != SCHED_BARRIER || !(last->flags & SCHED_ROUNDS))
        return false;
    return h->cells.at[last->access[0].cell].list.at[hb_round_of(h, last).to - 1].step >= step;
}

static bool somebody_waits_for_round(const struct hb *h, size_t step)
{
    bool waits = false;
    for (int t = 0; h->has_rounds && t < h->threads && !waits; t++)
        waits = waits_for_round(h, step, t);
    return waits;
}

/* Where a thread waits at a barrier there is another order of arrivals, which are no race. The thread that arrives last
 * goes on for free, so that an execution may be cheaper if it had been this one. */
static void backtrack(struct sched *s, size_t step, int u, const uint32_t *clock)
{
    struct por *p = s->own;
    struct por_node *n = &p->nodes.at[step];
    n->backtrack |= with_releases(n, por_alternatives(s, step, u, clock));
    if (s->bound < 0)
        return;
    bool both = p->fair, waited = false;
    for (size_t j = step; j > 0;) {
        j = s->log.at[j - 1].block;
        n = &p->nodes.at[j];
        bool all = both || waited || !set_has(n->enabled, u);
        add_conservative(p, j, all ? n->enabled : por_alternatives(s, j, u, clock));
        waited = somebody_waits_for_round(s->hb, j);
        if (!waited && (!both || set_has(n->allowed, u)))
            break;
    }
}

static size_t block_start_before(const struct sched *s, size_t step)
{
    while (step-- > 0)
        if (step == 0 || s->log.at[step - 1].thread != s->log.at[step].thread)
            break;
    return step;
}

/* Before step i, which conflicts with what u is about to do, and at the start of the block before, there is a backtrack
 * point for u or for all. Where u sleeps, a thread whose step comes before u's will do. */
static bool has_points(const struct sched *s, size_t i, int u, const uint32_t *clock)
{
    const struct por *p = s->own;
    const struct por_node *n = &p->nodes.at[i];
    bool here = set_has(n->backtrack | n->sleep, u) || set_equal(n->backtrack & n->enabled, n->enabled) ||
                set_any(por_alternatives(s, i, u, clock) & n->backtrack);
    if (s->bound < 0 || i == 0 || !here)
        return here;
    n = &p->nodes.at[block_start_before(s, i)];
    sched_set points = n->backtrack | n->conservative;
    return set_has(points | n->sleep, u) || set_equal(points & n->enabled, n->enabled);
}

/* Step i is in u's past, or comes before another step that u's pending operation comes after: exempt by the
 * optimisation to the transitive reduction. */
static bool is_covered(const struct sched *s, size_t i, int u, const uint32_t *clock)
{
    const struct hb *h = s->hb;
    bool covered = hb_in_past_of(h, i, u) || h->events.at[i].thread == u;
    for (size_t k = i + 1; k < h->events.len && !covered; k++)
        covered = hb_before(h, i, k) && h->events.at[k].index < clock[h->events.at[k].thread];
    return covered;
}

/* Definition 5.4 with the reading of Definition 4.7: with a release all enabled threads are tried. */
static bool releases_bring_all(const struct por *p)
{
    for (size_t i = 0; p->fair && i < p->nodes.len; i++) {
        const struct por_node *n = &p->nodes.at[i];
        sched_set tried = n->backtrack | n->conservative;
        if (set_any(tried & n->releases) && !set_equal(tried & n->enabled, n->enabled))
            return false;
    }
    return true;
}

/* Definitions 5.1 to 5.4 of BPOR, as far as they concern the state just reached, found the plain way: for every thread
 * u and every other thread v the last step of v that conflicts with what u is about to do. */
static bool postcondition(struct sched *s, const struct sched_view *view)
{
    struct hb *h = s->hb;
    int u;
    if (!releases_bring_all(s->own))
        return false;
    FOR_EACH_THREAD(u, view->live) {
        struct event pending;
        uint32_t clock[SCHED_MAX_THREADS];
        sched_set seen = SET_NONE;
        if (is_held(s, view, u))
            continue;
        hb_predict(h, NULL, u, &view->next[u], 0, &pending);
        hb_clock(h, NULL, &pending, clock);
        for (size_t i = h->events.len; i-- > 0;) {
            const struct event *e = &h->events.at[i];
            if (set_has(seen, e->thread) || !event_conflict(&pending, e) || is_covered(s, i, u, clock))
                continue;
            seen |= set_of(e->thread);
            if (!has_points(s, i, u, clock))
                return false;
        }
    }
    return true;
}

/* With both bounds: where the set of threads that may go on changed, any order may be the cheaper one. */
static void bpor_arrived(struct sched *s, const struct sched_view *view)
{
    struct por *p = s->own;
    por_arrived(s, view);
    assert(!s->config.verify || p->restart || postcondition(s, view));
    assert(s->bound < 0 || surprises_so_far(s) <= s->bound);
    if (s->bound < 0 || !p->fair || !s->depth)
        return;
    const struct step *step = &s->log.at[s->depth - 1];
    if (!set_equal(p->nodes.at[s->depth].allowed, p->nodes.at[s->depth - 1].allowed) || step->op.kind == SCHED_YIELD) {
        add_conservative(p, s->depth - 1, p->nodes.at[s->depth - 1].enabled);
        add_conservative(p, s->depth, p->nodes.at[s->depth].enabled);
    }
}

static void bpor_begin(struct sched *s)
{
    static const struct por_rules rules = {initialize, backtrack, false};
    por_begin(s, &rules);
}

static void bpor_plain_begin(struct sched *s)
{
    static const struct por_rules rules = {initialize, backtrack, true};
    por_begin(s, &rules);
}

const struct strategy strategy_bpor = {"bpor", CLOCKS, bpor_begin, por_pick, bpor_arrived,
                                       por_next, por_share, &por_parts};
const struct strategy strategy_bpor_plain = {"bpor-plain", CLOCKS, bpor_plain_begin, por_pick, bpor_arrived,
                                             por_next, por_share, NULL};
