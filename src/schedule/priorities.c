/* Random priorities of pending operations, as partial order sampling draws them (pos.c). An operation keeps its
 * priority until its thread executes it, or until another thread executes an operation that conflicts with it. So the
 * order of two conflicting operations is drawn anew at each of them, and the order of others is never drawn twice. */
#include <string.h>

#include "schedule/internal.h"

static bool writes(const struct sched_op *op)
{
    return op->kind != SCHED_READ;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a && b && a < b + b_size && b < a + a_size;
}

static bool same_memory(const struct sched_op *a, const struct sched_op *b)
{
    return overlap(a->object, a->count, b->object, b->count) || overlap(a->object2, a->count, b->object, b->count) ||
           overlap(a->object, a->count, b->object2, b->count) || overlap(a->object2, a->count, b->object2, b->count);
}

static bool same_object(const struct sched_op *a, const struct sched_op *b)
{
    return a->object && (a->object == b->object || a->object == b->object2 ||
                         (a->object2 && (a->object2 == b->object || a->object2 == b->object2)));
}

bool ops_conflict(const struct sched_op *a, const struct sched_op *b)
{
    if (a->kind == SCHED_GLOBAL || b->kind == SCHED_GLOBAL)
        return true;
    if (op_is_memory(a) != op_is_memory(b))
        return false;
    return op_is_memory(a) ? (writes(a) || writes(b)) && same_memory(a, b) : same_object(a, b);
}

void priorities_begin(struct priorities *p)
{
    memset(p, 0, sizeof *p);
}

/* The operation that was executed at that depth, and those that conflict with it, are drawn anew. */
static void forget(const struct sched *s, struct priorities *p, const struct sched_view *view, size_t depth)
{
    const struct step *step = &s->log.at[depth];
    int t;
    p->of[step->thread] = 0;
    p->gives_way[step->thread] = step->op.kind == SCHED_YIELD;
    FOR_EACH_THREAD(t, view->live)
        if (t != step->thread && ops_conflict(&step->op, &view->next[t]))
            p->of[t] = 0;
}

/* A thread that has yielded comes after all that have not. */
static uint64_t draw(struct priorities *p, int t, uint64_t *random)
{
    uint64_t drawn = 1 + (random_next(random) >> 2);
    return p->gives_way[t] ? drawn : drawn | BIT(63);
}

void priorities_follow(const struct sched *s, struct priorities *p, const struct sched_view *view)
{
    for (; p->depth < s->depth; p->depth++)
        forget(s, p, view, p->depth);
}

int priorities_highest(struct priorities *p, sched_set among, uint64_t *random)
{
    int t, best = -1;
    FOR_EACH_THREAD(t, among) {
        if (!p->of[t])
            p->of[t] = draw(p, t, random);
        if (best < 0 || p->of[t] > p->of[best])
            best = t;
    }
    return best;
}
