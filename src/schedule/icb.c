/* Iterative context bounding with work queues: bound c+1 goes on where bound c stopped, no schedule is run twice.
 *
 * A piece of work is a schedule up to and including a preemption. From there the level explores every continuation
 * without preemptions depth first; each preemption it could have done instead becomes work for the next level. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct icb_node {
    uint64_t todo;
    uint32_t choice;
    int thread;
    double weight;
};
struct work { struct sched_step *steps; size_t len; };
struct icb {
    STACK(struct icb_node) nodes; /* one per step after the work's */
    STACK(struct work) now, later;
    struct work current;
    size_t total; /* pieces of work of this level */
    double done;  /* share of them */
};

static void icb_begin(struct sched *s)
{
    struct icb *q = s->own;
    if (!q)
        q = s->own = pool_alloc(&s->pool, sizeof *q);
    q->nodes.len = 0;
    assert(q->now.len == 0 && !q->current.len);
    __typeof__(q->now) empty = q->now;
    q->now = (__typeof__(q->now)){q->later.at, q->later.len, q->later.cap};
    q->later = (__typeof__(q->later)){empty.at, 0, empty.cap};
    q->total = q->now.len;
    q->done = 0;
    if (q->now.len)
        q->current = q->now.at[--q->now.len];
}

/* The schedule so far and a preemption by thread t: to be explored at the next bound. */
static void postpone(struct sched *s, struct icb *q, int t, uint32_t choices)
{
    for (uint32_t c = 0; c < choices; c++) {
        struct work w = {pool_alloc(&s->pool, (s->depth + 1) * sizeof *w.steps), s->depth + 1};
        for (size_t i = 0; i < s->depth; i++)
            w.steps[i] = (struct sched_step){s->log.at[i].thread, s->log.at[i].choice};
        w.steps[s->depth] = (struct sched_step){t, c};
        stack_push(&s->pool, &q->later, w);
    }
    s->pruned = true;
}

/* Each piece of work of the level counts the same. */
static double weight_so_far(const struct icb *q)
{
    return q->nodes.len ? stack_last(&q->nodes).weight : 1.0 / (double)(q->total ? q->total : 1);
}

static struct icb_node icb_node_new(struct sched *s, struct icb *q, const struct sched_view *view)
{
    struct icb_node n = {0};
    uint64_t allowed = fair_allowed(s, s->enabled);
    uint32_t branches = 0;
    int t;
    FOR_EACH_BIT(t, allowed) {
        uint32_t choices = op_choices(&view->next[t]);
        if (is_preemption(s, allowed, t)) {
            postpone(s, q, t, choices);
        } else {
            n.todo |= BIT(t);
            branches += choices;
        }
    }
    n.thread = __builtin_ctzll(n.todo);
    n.todo &= ~BIT(n.thread);
    n.weight = weight_so_far(q) / branches;
    return n;
}

static struct sched_pick icb_pick(struct sched *s, const struct sched_view *view)
{
    struct icb *q = s->own;
    if (s->depth < q->current.len)
        return pick_step(q->current.steps[s->depth].thread, q->current.steps[s->depth].choice);
    size_t at = s->depth - q->current.len;
    while (q->nodes.len < at) { /* steps that the frame took by itself */
        struct icb_node forced = {.thread = -1, .weight = weight_so_far(q)};
        stack_push(&s->pool, &q->nodes, forced);
    }
    if (q->nodes.len == at) {
        struct icb_node fresh = icb_node_new(s, q, view);
        stack_push(&s->pool, &q->nodes, fresh);
    } else {
        struct icb_node *n = &q->nodes.at[at];
        if (n->choice + 1 < op_choices(&view->next[n->thread])) {
            n->choice++;
        } else {
            n->thread = __builtin_ctzll(n->todo);
            n->todo &= ~BIT(n->thread);
            n->choice = 0;
        }
    }
    return pick_step(q->nodes.at[at].thread, q->nodes.at[at].choice);
}

static bool icb_next(struct sched *s)
{
    struct icb *q = s->own;
    q->done += weight_so_far(q);
    for (; q->nodes.len; q->nodes.len--) {
        const struct icb_node *n = &stack_last(&q->nodes);
        size_t depth = q->current.len + q->nodes.len - 1;
        if (n->thread >= 0 && (n->todo || n->choice + 1 < op_choices(&s->log.at[depth].op))) {
            s->prefix = depth;
            return true;
        }
    }
    pool_free(&s->pool, q->current.steps);
    q->current = (struct work){NULL, 0};
    s->prefix = 0;
    if (!q->now.len)
        return false;
    q->current = q->now.at[--q->now.len];
    return true;
}

static double icb_share(const struct sched *s)
{
    return ((const struct icb *)s->own)->done;
}

const struct strategy strategy_icb = {"icb", NO_GRAPH, icb_begin, icb_pick, NULL, icb_next, icb_share};
