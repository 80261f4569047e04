/* A failing schedule made simpler by trying: with fewer preemptions, or as many and fewer steps, and the same failure.
 * An equivalent order with fewer preemptions (simplify.c) keeps all conflicts of the execution, needed or not. Here
 * conflicts may change, so each attempt is an execution.
 *
 * One kind of attempt takes a range of the schedule and puts the steps of each thread there together. The first range
 * is the whole schedule. Ranges get shorter, as in delta debugging (Zeller, Hildebrandt 2002), and at last each goes
 * from one block of steps of a thread to its next one. Another kind cuts the schedule off and goes on without
 * preemptions. A third takes the newest value in a step that did not. Steps that are not possible any more are passed
 * over. The number of steps of all attempts is limited, so the result does not depend on time. */
#include "runtime/internal.h"

enum { MOST_TRIED_STEPS = 1 << 20, LEAST_RANGE = 3 /* blocks */ };

struct shortener {
    struct sched_step *best, *attempt; /* best: the failing execution up to its last step */
    uint32_t *blocks;                  /* where each block begins in `best`: steps of one thread in a row */
    size_t count, attempt_count, block_count;
    int cost;                          /* preemptions and the like of the best */
    uint64_t tried_steps;
    enum rt_finding_kind kind;         /* of the failure, */
    uint64_t site;                     /* and which of that kind */
};

static void run_attempt(void)
{
    rt_run_execution();
    struct sched_surprises n = sched_surprises(rt.sched);
    rt.shared->surprises = n.preemptions + n.stale_reads + n.early_writes + n.spurious;
    sched_finish(rt.sched, rt.end);
    rt_reset();
}

static void keep_best(struct shortener *z)
{
    struct rt_shared *s = rt.shared;
    z->cost = s->surprises;
    z->count = s->step_count;
    memcpy(z->best, s->steps, z->count * sizeof *z->best);
    z->block_count = 0;
    for (size_t i = 0; i < z->count; i++)
        if (!i || z->best[i].thread != z->best[i - 1].thread) z->blocks[z->block_count++] = (uint32_t)i;
}

static bool is_better(const struct shortener *z)
{
    const struct rt_shared *s = rt.shared;
    bool same = rt.found.kind == z->kind && rt.found.site == z->site && s->step_count <= RT_MAX_STEPS;
    return same && (s->surprises < z->cost || (s->surprises == z->cost && s->step_count < z->count));
}

static bool may_try(const struct shortener *z) { return !rt.shared->stop && z->tried_steps < MOST_TRIED_STEPS; }

static bool try(struct shortener *z)
{
    rt.shared->relearn = false;
    rt_follow_loosely(z->attempt, z->attempt_count, run_attempt);
    z->tried_steps += rt.shared->step_count + 1;
    if (!is_better(z)) return false;
    keep_best(z);
    return true;
}

/* ---- attempts ---- */

static size_t end_of_block(const struct shortener *z, size_t block)
{
    return block < z->block_count ? z->blocks[block] : z->count;
}

static void add_steps(struct shortener *z, size_t from, size_t to)
{
    memcpy(z->attempt + z->attempt_count, z->best + from, (to - from) * sizeof *z->best);
    z->attempt_count += to - from;
}

static void add_steps_of(struct shortener *z, int thread, size_t from_block, size_t to_block)
{
    for (size_t b = from_block; b < to_block; b++)
        if (z->best[z->blocks[b]].thread == thread) add_steps(z, z->blocks[b], end_of_block(z, b + 1));
}

/* The steps of each thread are put together, threads in the order in which they come first. */
static bool try_together(struct shortener *z, size_t from_block, size_t to_block)
{
    sched_set done = SET_NONE;
    z->attempt_count = 0;
    add_steps(z, 0, z->blocks[from_block]);
    for (size_t b = from_block; b < to_block; b++) {
        int thread = z->best[z->blocks[b]].thread;
        if (!set_has(done, thread)) add_steps_of(z, thread, b, to_block);
        done |= set_of(thread);
    }
    bool changes = (size_t)set_count(done) < to_block - from_block;
    add_steps(z, end_of_block(z, to_block), z->count);
    return changes && try(z);
}

static bool try_ranges(struct shortener *z, size_t size)
{
    bool any = false;
    for (size_t b = 0; may_try(z) && b + LEAST_RANGE <= z->block_count; b += size / 2)
        while (may_try(z) && b + LEAST_RANGE <= z->block_count &&
               try_together(z, b, b + size < z->block_count ? b + size : z->block_count))
            any = true;
    return any;
}

/* The next block of the same thread, or the number of blocks. */
static size_t next_of_thread(const struct shortener *z, size_t block)
{
    size_t next = block + 1;
    while (next < z->block_count && z->best[z->blocks[next]].thread != z->best[z->blocks[block]].thread) next++;
    return next;
}

/* The block comes directly before the next one of its thread. */
static bool try_later(struct shortener *z, size_t block, size_t next)
{
    z->attempt_count = 0;
    add_steps(z, 0, z->blocks[block]);
    add_steps(z, end_of_block(z, block + 1), z->blocks[next]);
    add_steps(z, z->blocks[block], end_of_block(z, block + 1));
    add_steps(z, z->blocks[next], z->count);
    return try(z);
}

static bool try_joining(struct shortener *z)
{
    bool any = false;
    for (size_t b = 0; may_try(z) && b < z->block_count; b++) {
        size_t next = next_of_thread(z, b);
        while (may_try(z) && next < z->block_count && (try_together(z, b, next + 1) || try_later(z, b, next))) {
            any = true;
            next = next_of_thread(z, b);
        }
    }
    return any;
}

static bool try_without_end(struct shortener *z)
{
    bool any = false;
    for (size_t less = z->count; less && may_try(z); less /= 2) {
        if (less >= z->count) continue;
        z->attempt_count = 0;
        add_steps(z, 0, z->count - less);
        any |= try(z);
    }
    return any;
}

static bool try_newest(struct shortener *z)
{
    bool any = false;
    for (size_t i = 0; i < z->count && may_try(z); i++) {
        if (!z->best[i].choice) continue;
        z->attempt_count = 0;
        add_steps(z, 0, z->count);
        z->attempt[i].choice = 0;
        any |= try(z);
    }
    return any;
}

static bool try_all(struct shortener *z)
{
    bool any = try_without_end(z);
    for (size_t size = z->block_count; size > LEAST_RANGE; size /= 2) any |= try_ranges(z, size);
    any |= try_joining(z);
    return any | try_newest(z);
}

/* ---- from beginning to end ---- */

static void *room(size_t count, size_t size)
{
    return rt_map(NULL, (count * size + PAGE - 1) & ~(size_t)(PAGE - 1), 0);
}

static struct shortener *begin(void)
{
    struct shortener *z = room(1, sizeof *z);
    z->best = room(RT_MAX_STEPS, sizeof *z->best);
    z->attempt = room(RT_MAX_STEPS, sizeof *z->attempt);
    z->blocks = room(RT_MAX_STEPS, sizeof *z->blocks);
    z->count = rt.shared->config.schedule_len;
    memcpy(z->best, rt.shared->first_steps, z->count * sizeof *z->best);
    return z;
}

void rt_shorten(void)
{
    rt_snapshot();
    rt_checkpoint_init();
    rt.shared->status = RT_RUNNING;
    rt_crew_init();
    rt_waypoints_init();
    struct shortener *z = begin();
    rt_follow_loosely(z->best, z->count, run_attempt);
    z->kind = rt.found.kind;
    z->site = rt.found.site;
    if (z->kind != RT_NONE && rt.shared->step_count <= RT_MAX_STEPS) {
        keep_best(z);
        while (may_try(z) && try_all(z)) {
        }
        rt_follow_loosely(z->best, z->count, rt_run_in_place); /* as in an exploration */
    }
    rt.shared->status = rt.shared->findings ? RT_FOUND : RT_FINISHED;
}
