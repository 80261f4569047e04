/* A search divided among several: what is below a step that a search will take later is a part of its tree, which
 * another process may explore at the same time.
 *
 * A part is the schedule up to there and what of the strategy's own state decides about all below it; its answer is
 * counts and what was found out about the states above. When the search comes to that step it takes the answer instead
 * of going down itself, provided that the step is what was expected when the part was given away. So it does the same
 * as one that is alone, decision by decision, and nothing depends on who explored which part, or when. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct part_head {
    uint32_t strategy, node_size; /* whoever reads it is built alike */
    int32_t bound;
    uint64_t steps;
};

struct answer_head {
    struct sched_level level;
    uint64_t known, max_depth;
    bool pruned, unfair, failed;
};

void bytes_put(struct bytes *b, const void *from, size_t size)
{
    if (!size)
        return;
    if (b->at && size <= b->size - b->pos)
        memcpy(b->at + b->pos, from, size);
    else
        b->short_of = true;
    b->pos += b->short_of ? 0 : size;
}

bool bytes_get(struct bytes *b, void *to, size_t size)
{
    if (size > b->size - b->pos) {
        b->short_of = true;
        return false;
    }
    memcpy(to, b->at + b->pos, size);
    b->pos += size;
    return true;
}

/* Counts of local states, and in a tree limits on executions, are about the search as a whole. */
static bool can_give(const struct sched *s)
{
    return sched_divides(s->config.strategy, s->config.weak, s->config.max_executions) && s->started &&
           !s->config.locals && s->stats.stop == SCHED_STOP_NOT_YET && s->given.len < SCHED_MAX_GIVEN;
}

size_t sched_give(struct sched *s, uint32_t number, void *out, size_t room)
{
    struct bytes b = {.at = out, .size = room};
    struct given g = {.number = number};
    if (!can_give(s) || !s->strategy->parts->choose(s, &g))
        return 0;
    struct part_head head = {(uint32_t)s->config.strategy, s->strategy->parts->node_size, s->bound, g.steps};
    bytes_put(&b, &head, sizeof head);
    for (size_t i = 0; i < g.steps; i++) {
        struct sched_step step = {s->log.at[i].thread, s->log.at[i].choice};
        bytes_put(&b, &step, sizeof step);
    }
    s->strategy->parts->give(s, &g, &b);
    if (b.short_of)
        return 0;
    stack_push(&s->pool, &s->given, g);
    return b.pos;
}

bool part_begin(struct sched *s)
{
    struct bytes b = {.at = (char *)s->config.part, .size = s->config.part_size};
    struct part_head head;
    if (!bytes_get(&b, &head, sizeof head) || head.strategy != (uint32_t)s->config.strategy || !s->strategy->parts ||
        head.node_size != s->strategy->parts->node_size || head.steps > (b.size - b.pos) / sizeof(struct sched_step))
        return false;
    s->bound = head.bound;
    s->floor = head.steps;
    stack_reserve(&s->pool, &s->schedule, s->floor + 1);
    bytes_get(&b, s->schedule.at, s->floor * sizeof *s->schedule.at);
    s->stats.level[s->stats.levels++] = (struct sched_level){.bound = s->bound};
    s->strategy->begin(s);
    s->strategy->parts->take(s, &b);
    return !b.short_of;
}

size_t sched_answer(struct sched *s, bool failed, void *out, size_t room)
{
    struct bytes b = {.at = out, .size = room};
    struct answer_head head = {s->stats.level[0], s->stats.known,  s->stats.max_depth,
                               s->pruned,         s->stats.unfair, failed};
    assert(s->config.part && s->stats.levels == 1);
    if (s->stats.stop != SCHED_STOP_COMPLETE && !failed)
        return 0;
    bytes_put(&b, &head, sizeof head);
    s->strategy->parts->answer(s, &b);
    return b.short_of ? 0 : b.pos;
}

static void add_counts(struct sched *s, const struct answer_head *a)
{
    struct sched_level *level = &s->stats.level[s->stats.levels - 1];
    level->executions += a->level.executions;
    level->blocked += a->level.blocked;
    level->steps += a->level.steps;
    s->stats.executions += a->level.executions;
    s->stats.blocked += a->level.blocked;
    s->stats.steps += a->level.steps;
    s->stats.known += a->known;
    for (int i = 0; i < SCHED_END_COUNT; i++) {
        level->ends[i] += a->level.ends[i];
        s->stats.ends[i] += a->level.ends[i];
    }
    if (a->max_depth > s->stats.max_depth)
        s->stats.max_depth = a->max_depth;
    s->pruned |= a->pruned;
    s->stats.unfair |= a->unfair;
    s->told_to_stop |= a->failed;
}

static void forget(struct sched *s, size_t i, bool cancel)
{
    if (cancel)
        s->config.crew.cancel(s->config.crew.context, s->given.at[i].number);
    memmove(s->given.at + i, s->given.at + i + 1, (s->given.len - i - 1) * sizeof *s->given.at);
    s->given.len--;
}

void parts_cancel(struct sched *s)
{
    while (s->given.len)
        forget(s, s->given.len - 1, true);
}

bool part_is_given(const struct sched *s, size_t depth, uint32_t which)
{
    for (size_t i = 0; i < s->given.len; i++)
        if (s->given.at[i].depth == depth && s->given.at[i].which == which)
            return true;
    return false;
}

bool part_told(struct sched *s, size_t depth, uint32_t which, sched_set expected, struct bytes *own)
{
    struct answer_head head;
    for (size_t i = 0; i < s->given.len; i++) {
        const struct given g = s->given.at[i];
        if (g.depth != depth || g.which != which)
            continue;
        size_t size = 0;
        const void *at = NULL;
        if (set_equal(g.expected, expected))
            at = s->config.crew.answer(s->config.crew.context, g.number, &size);
        forget(s, i, !at);
        *own = (struct bytes){.at = (char *)at, .size = size};
        if (!at || !bytes_get(own, &head, sizeof head))
            return false;
        add_counts(s, &head);
        return true;
    }
    return false;
}
