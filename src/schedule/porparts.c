/* Parts of the tree of DPOR and BPOR: a thread that is to be tried in a state, with all choices of its step.
 *
 * All that decides about what is below are the states on the way, with the threads that sleep there, and which of the
 * threads tried before in that state may sleep. The last is not known while one of them is being tried, and is guessed:
 * nothing will be cut off below it, unless something was already. What comes back are threads to try in the states on
 * the way, which are only ever added, and whether something was cut off. */
#include <assert.h>

#include "schedule/internal.h"

struct por_added { sched_set backtrack, conservative; };
struct por_answer { sched_set finished; bool partial, fair, restart; };

bool por_is_partial(const struct por *p, size_t depth)
{
    if (p->nodes.at[depth].branch_partial)
        return true;
    for (size_t d = depth + 1; d < p->nodes.len; d++)
        if (p->nodes.at[d].partial)
            return true;
    return false;
}

/* The threads that will be tried in the state at that depth and that nobody was given. */
static sched_set to_give(struct sched *s, size_t depth)
{
    const struct por *p = s->own;
    const struct por_node *n = &p->nodes.at[depth];
    sched_set left = n->backtrack & ~n->done & ~n->sleep & n->allowed, found = SET_NONE;
    size_t real = s->depth;
    bool only_ends = s->only_ends;
    int t;
    if (n->thread < 0 || (p->only >= 0 && depth <= s->floor))
        return SET_NONE;
    s->depth = depth;
    s->only_ends = n->only_ends;
    FOR_EACH_THREAD(t, left)
        if (!part_is_given(s, depth, (uint32_t)t) && within_bound(s, n->allowed, t, n->dozing_count != 0))
            found |= set_of(t);
    s->depth = real;
    s->only_ends = only_ends;
    return found;
}

/* Those that will be tried before, as far as is known, and may sleep then. */
static sched_set will_be_finished(const struct sched *s, size_t depth, int thread)
{
    const struct por *p = s->own;
    const struct por_node *n = &p->nodes.at[depth];
    if (por_is_partial(p, depth))
        return n->finished;
    sched_set before = set_of(n->thread);
    for (size_t i = 0; i < s->given.len; i++)
        if (s->given.at[i].depth == depth && (int)s->given.at[i].which != thread)
            before |= set_of((int)s->given.at[i].which);
    return n->finished | before;
}

/* The first state with something to give: below it is the most. */
static bool por_choose(struct sched *s, struct given *g)
{
    const struct por *p = s->own;
    if (p->restart)
        return false;
    for (size_t d = 0; d < p->nodes.len; d++) {
        sched_set found = to_give(s, d);
        if (!set_any(found))
            continue;
        int last = d ? s->log.at[d - 1].thread : -1;
        int t = last >= 0 && set_has(found, last) ? last : set_first(found);
        g->steps = g->depth = d;
        g->which = (uint32_t)t;
        g->expected = will_be_finished(s, d, t);
        return true;
    }
    return false;
}

static void por_give(struct sched *s, const struct given *g, struct bytes *out)
{
    const struct por *p = s->own;
    for (size_t d = 0; d <= g->depth; d++) {
        struct por_node n = p->nodes.at[d];
        n.done = SET_NONE;
        n.finished = d == g->depth ? g->expected : SET_NONE;
        n.partial = n.branch_partial = false;
        n.next_choice = 0;
        bytes_put(out, &n, sizeof n);
    }
    bytes_put(out, &g->which, sizeof g->which);
    bytes_put(out, &p->fair, sizeof p->fair);
}

static void por_take(struct sched *s, struct bytes *in)
{
    struct por *p = s->own;
    uint32_t which = 0;
    p->nodes.len = s->floor + 1;
    stack_reserve(&s->pool, &p->nodes, p->nodes.len);
    bytes_get(in, p->nodes.at, p->nodes.len * sizeof *p->nodes.at);
    bytes_get(in, &which, sizeof which);
    bool fair = false;
    bytes_get(in, &fair, sizeof fair);
    por_set_fair(s, fair);
    p->only = (int)which;
    stack_last(&p->nodes).backtrack |= set_of((int)which);
}

static void por_answer(struct sched *s, struct bytes *out)
{
    const struct por *p = s->own;
    const struct por_node *first = &p->nodes.at[s->floor];
    struct por_answer answer = {first->finished & set_of(p->only), first->partial, p->fair, p->restart};
    bytes_put(out, &answer, sizeof answer);
    for (size_t d = 0; d <= s->floor; d++) {
        struct por_added added = {p->nodes.at[d].backtrack, p->nodes.at[d].conservative};
        bytes_put(out, &added, sizeof added);
    }
}

bool por_take_answer(struct sched *s, size_t depth, int thread)
{
    struct por *p = s->own;
    struct por_node *n = &p->nodes.at[depth];
    struct bytes own;
    struct por_answer answer = {0};
    if (!s->given.len || !part_told(s, depth, (uint32_t)thread, n->finished, &own))
        return false;
    bytes_get(&own, &answer, sizeof answer);
    for (size_t d = 0; d <= depth; d++) {
        struct por_added added = {0};
        bytes_get(&own, &added, sizeof added);
        p->nodes.at[d].backtrack |= added.backtrack;
        p->nodes.at[d].conservative |= added.conservative;
    }
    assert(!own.short_of);
    n->thread = thread;
    n->done |= set_of(thread);
    n->finished |= answer.finished;
    n->partial |= answer.partial;
    n->branch_partial = answer.partial;
    p->restart |= answer.restart;
    por_set_fair(s, p->fair | answer.fair);
    return true;
}

const struct part_rules por_parts = {sizeof(struct por_node), por_choose, por_give, por_take, por_answer};
