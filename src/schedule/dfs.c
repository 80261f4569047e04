/* Every schedule, within a preemption bound if there is one: depth first, the running thread first. */
#include "schedule/internal.h"

struct dfs_node {
    sched_set todo;   /* threads not tried yet */
    uint32_t choice, next; /* of the step taken, and after it */
    int thread;
    double weight;
};
struct dfs {
    STACK(struct dfs_node) nodes;
    double done; /* share of the tree */
    int only;    /* of a part: the thread to try in its first state */
};

static void dfs_begin(struct sched *s)
{
    if (!s->own)
        s->own = pool_alloc(&s->pool, sizeof(struct dfs));
    ((struct dfs *)s->own)->nodes.len = 0;
    ((struct dfs *)s->own)->done = 0;
    ((struct dfs *)s->own)->only = -1;
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
    if (d->only >= 0 && s->depth == s->floor)
        n.todo = set_of(d->only);
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

/* The next threads in the deepest state, as long as others have explored what is below them. */
static void skip_explored(struct sched *s, struct dfs_node *n, size_t depth)
{
    struct dfs *d = s->own;
    struct bytes none;
    while (!n->next && set_any(n->todo) && s->given.len && !s->told_to_stop &&
           part_told(s, depth, (uint32_t)set_first(n->todo), SET_NONE, &none)) {
        n->todo &= ~set_lowest(n->todo);
        d->done += n->weight;
    }
}

/* Back to the deepest step with something else to try. */
static bool dfs_next(struct sched *s)
{
    struct dfs *d = s->own;
    d->done += weight_so_far(d);
    while (d->nodes.len) {
        struct dfs_node *n = &stack_last(&d->nodes);
        n->next = n->thread >= 0 ? next_choice_at(s, d->nodes.len - 1) : 0;
        skip_explored(s, n, d->nodes.len - 1);
        if (n->thread >= 0 && (set_any(n->todo) || n->next)) {
            s->prefix = d->nodes.len - 1;
            return true;
        }
        d->nodes.len--;
    }
    return false;
}

/* A part is a thread in the first state that has one left. */
static bool dfs_choose(struct sched *s, struct given *g)
{
    const struct dfs *d = s->own;
    int t;
    for (g->depth = 0; g->depth < d->nodes.len; g->depth++) {
        FOR_EACH_THREAD(t, d->nodes.at[g->depth].todo) {
            if (part_is_given(s, g->depth, (uint32_t)t))
                continue;
            g->steps = g->depth;
            g->which = (uint32_t)t;
            return true;
        }
    }
    return false;
}

static void dfs_give(struct sched *s, const struct given *g, struct bytes *out)
{
    (void)s;
    bytes_put(out, &g->which, sizeof g->which);
}

static void dfs_take(struct sched *s, struct bytes *in)
{
    uint32_t which = 0;
    bytes_get(in, &which, sizeof which);
    ((struct dfs *)s->own)->only = (int)which;
}

static void dfs_answer(struct sched *s, struct bytes *out)
{
    (void)s, (void)out;
}

static const struct part_rules dfs_parts = {sizeof(struct dfs_node), dfs_choose, dfs_give, dfs_take, dfs_answer};

static double dfs_share(const struct sched *s)
{
    return ((const struct dfs *)s->own)->done;
}

const struct strategy strategy_dfs = {"dfs",    NO_GRAPH,  dfs_begin, dfs_pick, NULL,
                                      dfs_next, dfs_share,
                                      &dfs_parts};
