/* Dynamic partial order reduction (Flanagan and Godefroid 2005) with sleep sets, no bound: a persistent set in every
 * state, found while searching. The stack and the search for races are in por.c. */
#include "schedule/internal.h"

static void initialize(struct sched *s, struct por_node *n)
{
    int last = sched_last(s);
    sched_set awake = n->enabled & ~n->sleep;
    if (last >= 0 && set_has(awake, last))
        n->backtrack |= set_of(last);
    else
        n->backtrack |= set_lowest(awake);
}

static void backtrack(struct sched *s, size_t step, int u, const uint32_t *clock)
{
    struct por *p = s->own;
    p->nodes.at[step].backtrack |= por_alternatives(s, step, u, clock);
}

static void begin(struct sched *s, const struct por_rules *rules)
{
    s->bound = s->config.fair_bound = -1;
    por_begin(s, rules);
}

static void dpor_begin(struct sched *s)
{
    static const struct por_rules rules = {initialize, backtrack, false};
    begin(s, &rules);
}

static void dpor_plain_begin(struct sched *s)
{
    static const struct por_rules rules = {initialize, backtrack, true};
    begin(s, &rules);
}

const struct strategy strategy_dpor = {"dpor", CLOCKS, dpor_begin, por_pick, por_arrived,
                                       por_next, por_share, &por_parts};
const struct strategy strategy_dpor_plain = {"dpor-plain", CLOCKS, dpor_plain_begin, por_pick, por_arrived,
                                             por_next, por_share, NULL};
