/* Bounded partial order reduction. */
#include "schedule/internal.h"

static void initialize(struct sched *s, struct por_node *n)
{
    int last = sched_last(s);
    uint64_t awake = n->enabled & ~n->sleep;
    if (last >= 0 && (awake & BIT(last)))
        n->backtrack |= BIT(last);
    else if (awake)
        n->backtrack |= awake & -awake;
}

static void backtrack(struct sched *s, size_t step, int u, const uint32_t *clock)
{
    struct por *p = s->own;
    p->nodes.at[step].backtrack |= por_alternatives(s, step, u, clock);
    if (s->bound < 0)
        return;
    size_t j = step;
    while (j-- > 0)
        if (j == 0 || s->log.at[j - 1].thread != s->log.at[j].thread) {
            struct por_node *n = &p->nodes.at[j];
            n->conservative |= n->enabled & BIT(u) ? BIT(u) : n->enabled;
            break;
        }
}

static const struct por_rules rules = {initialize, backtrack};

static void bpor_begin(struct sched *s)
{
    por_begin(s, &rules);
}

const struct strategy strategy_bpor = {"bpor", true, bpor_begin, por_pick, por_arrived, por_next};
