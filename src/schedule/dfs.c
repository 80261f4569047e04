/* Every schedule, within a preemption bound if there is one: depth first, the running thread first. */
#include "schedule/internal.h"

struct dfs_node {
    sched_set todo;   /* threads not tried yet */
    uint32_t choice, next; /* of the step taken, and after it */
    int thread;
    double weight;
};
struct dfs { STACK(struct dfs_node) nodes; double done; /* share of the tree */ };

static void dfs_begin(struct sched *s)
{
    if (!s->own)
        s->own = pool_alloc(&s->pool, sizeof(struct dfs));
    ((struct dfs *)s->own)->nodes.len = 0;
    ((struct dfs *)s->own)->done = 0;
}

/* The threads that may go next here; notes in s->pruned that the bound left some out. */
static sched_set candidates(struct sched *s, sched_set enabled)
{
    sched_set allowed = fair_allowed(s, enabled), within = SET_NONE;
    int t;
    FOR_EACH_THREAD(t, allowed) {
        if (within_bound(s, allowed, t, 0))
            within |= set_of(t);
        else
            s->pruned = true;
    }
    return within;
}

static double weight_so_far(const struct dfs *d)
{
    return d->nodes.len ? stack_last(&d->nodes).weight : 1;
}

static struct dfs_node node_new(struct sched *s, const struct dfs *d, const struct sched_view *view)
{
    struct dfs_node n = {.todo = candidates(s, s->enabled)};
    int last = sched_last(s), t;
    uint32_t branches = 0;
    FOR_EACH_THREAD(t, n.todo)
        branches += op_choices(&view->next[t]);
    n.thread = last >= 0 && set_has(n.todo, last) ? last : set_first(n.todo);
    n.todo &= ~set_of(n.thread);
    n.weight = weight_so_far(d) / branches;
    return n;
}

static struct sched_pick dfs_pick(struct sched *s, const struct sched_view *view)
{
    struct dfs *d = s->own;
    while (d->nodes.len < s->depth) { /* steps that the frame took by itself */
        struct dfs_node forced = {.thread = -1, .weight = weight_so_far(d)};
        stack_push(&s->pool, &d->nodes, forced);
    }
    if (d->nodes.len == s->depth) {
        struct dfs_node fresh = node_new(s, d, view);
        stack_push(&s->pool, &d->nodes, fresh);
    } else {
        struct dfs_node *n = &d->nodes.at[s->depth];
        n->choice = n->next;
        if (!n->choice) {
            n->thread = set_first(n->todo);
            n->todo &= ~set_of(n->thread);
        }
    }
    const struct dfs_node *n = &d->nodes.at[s->depth];
    return pick_step(n->thread, n->choice);
}

/* Back to the deepest step with something else to try. */
static bool dfs_next(struct sched *s)
{
    struct dfs *d = s->own;
    d->done += weight_so_far(d);
    while (d->nodes.len) {
        struct dfs_node *n = &stack_last(&d->nodes);
        n->next = n->thread >= 0 ? next_choice_at(s, d->nodes.len - 1) : 0;
        if (n->thread >= 0 && (set_any(n->todo) || n->next)) {
            s->prefix = d->nodes.len - 1;
            return true;
        }
        d->nodes.len--;
    }
    return false;
}

static double dfs_share(const struct sched *s)
{
    return ((const struct dfs *)s->own)->done;
}

const struct strategy strategy_dfs = {"dfs", NO_GRAPH, dfs_begin, dfs_pick, NULL, dfs_next, dfs_share};
