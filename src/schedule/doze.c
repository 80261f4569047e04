/* Sleep, choice by choice, for weak memory.
 *
 * A thread sleeps in a state if all that its next step leads to was seen. A step of another thread at the same place
 * wakes it up, but not altogether: an access that does not read what that step wrote could have been done before it, to
 * the same graph, with another choice. So a write stays asleep, for where it is put among the others is a choice of
 * whoever comes second; a read is awake for the new write only. That is so between accesses of one place as a whole;
 * any other step that touches it (what a futex looks at, an access of another size, one round of a loop that waits for
 * two places) has no such choices, and wakes it up. */
#include "schedule/internal.h"

static bool is_access(const struct sched_op *op)
{
    return op->kind == SCHED_READ || op->kind == SCHED_WRITE || op->kind == SCHED_RMW || op->kind == SCHED_CAS;
}

static bool is_weak_access(const struct sched_op *op)
{
    bool unclear = op->kind == SCHED_RMW && op->fail_order; /* whether it writes */
    return is_access(op) && op->order && !op->object2 && !unclear;
}

/* Both are at one place, as a whole. */
static bool same_place(const struct sched_op *a, const struct sched_op *b)
{
    return is_weak_access(a) && is_weak_access(b) && a->object == b->object && a->count == b->count;
}

static bool touches(const struct sched_op *a, uint64_t place, uint32_t size)
{
    bool first = a->object < place + size && place < a->object + a->count;
    return first || (a->object2 && a->object2 < place + size && place < a->object2 + a->count);
}

/* Both access memory that they have in common, and one of them may change it. */
static bool conflict(const struct sched_op *weak, const struct sched_op *other)
{
    return is_access(other) && touches(other, weak->object, weak->count) &&
           (weak->kind != SCHED_READ || other->kind != SCHED_READ);
}

/* What of the choices of op sleeps on after the step, which made its choice: choices are counted from the newest write,
 * and a write that was put before others is among them. */
static uint64_t asleep_after(uint64_t asleep, const struct sched_op *op, const struct step *step)
{
    if (step->op.kind == SCHED_READ || (step->op.kind == SCHED_CAS && step->outcome.failed))
        return asleep;
    uint64_t newer = step->choice < 64 ? BIT(step->choice) - 1 : ~UINT64_C(0);
    uint64_t older = asleep & ~newer;
    uint64_t split = op->kind == SCHED_WRITE ? older & -older & BIT(step->choice & 63) : 0;
    return (asleep & newer) | older << 1 | split;
}

static uint64_t all_choices(const struct sched_op *op) { return op->older | 1; }

uint64_t doze_asleep(const struct por_node *n, int thread)
{
    for (unsigned i = 0; i < n->dozing_count; i++)
        if (n->dozing[i].thread == thread)
            return n->dozing[i].asleep;
    return set_has(n->sleep, thread) ? ~UINT64_C(0) : 0;
}

bool doze_passes_on(struct sched *s, const struct por_node *before, struct por_node *n, int thread,
                    const struct sched_op *op)
{
    const struct step *step = &s->log.at[s->depth - 1];
    uint64_t asleep = set_has(before->finished, thread) ? ~UINT64_C(0) : doze_asleep(before, thread);
    if (!s->config.weak || !is_weak_access(op) || (op->flags & SCHED_SPIN))
        return false;
    if (same_place(op, &step->op))
        asleep = asleep_after(asleep, op, step);
    else if (conflict(op, &step->op))
        return false;
    if (!(all_choices(op) & ~asleep)) {
        n->sleep |= set_of(thread);
    } else if (asleep && n->dozing_count < POR_DOZING) {
        n->dozing[n->dozing_count].thread = (int16_t)thread;
        n->dozing[n->dozing_count++].asleep = asleep;
    }
    return true;
}
