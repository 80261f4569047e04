/* Iterative context bounding with work queues: bound c+1 continues where bound c stopped, and no schedule runs twice.
 *
 * A piece of work is a schedule up to and including a preemption. From there the level explores every continuation
 * without preemptions depth first; each preemption it could have done instead becomes work for the next level.
 *
 * Delay bounding (strategy_delay) uses the same queues with another cost. A deterministic scheduler lets the running
 * thread continue, and when it cannot, the next one in the order of thread numbers. A delay skips the thread that this
 * scheduler would choose, so that choosing the k-th thread in its order costs k. The number of schedules with at most
 * d delays is polynomial in the length of executions and does not depend on the number of threads. (Emmi, Qadeer,
 * Rakamaric: Delay-bounded scheduling, 2011.)
 *
 * Different schedules with few delays often lead to equivalent executions. Steps in the same happens-before order
 * lead to the same state, and what the deterministic scheduler does there depends on the state and the running thread
 * alone. The first visit of such a pair has spent the fewest delays, because bounds rise, so everything that a later
 * visit leads to within the bound is explored from the first one. An execution that comes to a visited pair ends
 * there. (The strategy delay-plain does without this.)
 *
 * There is a piece of work for nearly every step of every execution, so a schedule is kept as its turns: the steps
 * at which another thread goes on than before, or which have a choice. Schedules that begin in the same way share
 * them. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

struct icb_node {
    sched_set todo;
    uint32_t choice;
    int thread;
    double weight;
};
struct turn {
    uint32_t parent; /* 0: it is the first; in the list of free ones: the next */
    uint32_t depth, choice, users; /* users: turns after it, work, and the execution at hand */
    int thread;
};
struct path_turn { size_t depth; int thread; uint32_t choice, turn; /* 0: not needed so far */ };
struct icb {
    STACK(struct icb_node) nodes; /* one per step after the work's */
    STACK(struct turn) turns;
    uint32_t free;
    STACK(struct path_turn) work; /* the current piece of it, */
    STACK(struct path_turn) path; /* and how the execution at hand goes on */
    size_t work_len, work_at;     /* steps of it; the turn that is next in this execution */
    STACK(uint32_t) now, later;
    size_t total; /* pieces of work of this level */
    double done;  /* share of them */
    struct tally visited; /* delays: graph and running thread of states, as far as there is memory */
};

static uint32_t turn_new(struct sched *s, struct icb *q, uint32_t parent, const struct path_turn *p)
{
    uint32_t i = q->free;
    if (!q->turns.len)
        stack_push(&s->pool, &q->turns, (struct turn){0}); /* 0 means none */
    if (i)
        q->free = q->turns.at[i].parent;
    else
        i = (uint32_t)q->turns.len, stack_push(&s->pool, &q->turns, (struct turn){0});
    q->turns.at[i] = (struct turn){parent, (uint32_t)p->depth, p->choice, 1, p->thread};
    q->turns.at[parent].users += parent != 0;
    return i;
}

/* A user less; without users it is free, and has itself one use for its parent less. */
static void turn_drop(struct icb *q, uint32_t i)
{
    while (i && --q->turns.at[i].users == 0) {
        uint32_t parent = q->turns.at[i].parent;
        q->turns.at[i].parent = q->free;
        q->free = i;
        i = parent;
    }
}

static void path_cut(struct icb *q, size_t depth)
{
    for (; q->path.len && stack_last(&q->path).depth >= depth; q->path.len--)
        turn_drop(q, stack_last(&q->path).turn);
}

/* The last turn of the execution so far, made if need be. */
static uint32_t path_turn(struct sched *s, struct icb *q)
{
    uint32_t last = q->work.len ? stack_last(&q->work).turn : 0;
    for (size_t i = 0; i < q->path.len; i++) {
        struct path_turn *p = &q->path.at[i];
        if (!p->turn)
            p->turn = turn_new(s, q, last, p);
        last = p->turn;
    }
    return last;
}

static void work_begin(struct sched *s, struct icb *q, uint32_t turn)
{
    size_t len = 0;
    for (uint32_t i = turn; i; i = q->turns.at[i].parent)
        len++;
    stack_reserve(&s->pool, &q->work, len);
    q->work.len = len;
    for (uint32_t i = turn; i; i = q->turns.at[i].parent) {
        const struct turn *t = &q->turns.at[i];
        q->work.at[--len] = (struct path_turn){t->depth, t->thread, t->choice, i};
    }
    q->work_len = q->turns.at[turn].depth + 1;
}

static void work_end(struct icb *q)
{
    path_cut(q, 0);
    if (q->work.len)
        turn_drop(q, stack_last(&q->work).turn);
    q->work.len = q->work_len = 0;
}

static bool counts_delays(const struct sched *s)
{
    return sched_counts_delays(s->config.strategy);
}

/* The state just reached was visited before with the same running thread. */
static bool was_visited(struct sched *s, struct icb *q)
{
    struct tally *v = &q->visited;
    uint64_t low = hash_mix(s->hb->hash.lo, (uint64_t)sched_last(s) + 1);
    bool grows = v->rows.len == v->rows.cap || v->rows.len * 2 >= v->mask;
    size_t size = 2 * v->rows.cap * sizeof *v->rows.at + 2 * (v->mask + 1) * sizeof *v->slots;
    if (tally_find(v, low, s->hb->hash.hi))
        return true;
    if (!grows || pool_has_room(&s->pool, 4 * size)) /* most of the memory is for work */
        tally_add(v, &s->pool, low, s->hb->hash.hi);
    return false;
}

/* The first thread after the given one in the order of numbers, which begins again at the end. */
static int next_in_order(sched_set among, int after)
{
    int t;
    FOR_EACH_THREAD(t, among)
        if (t > after)
            return t;
    return set_first(among);
}

/* Delays: the thread that runs if nothing is spent. */
static int undelayed(const struct sched *s, sched_set allowed)
{
    int last = sched_last(s);
    return last >= 0 && set_has(allowed, last) ? last : next_in_order(allowed, last);
}

static struct icb *icb_new(struct sched *s)
{
    struct icb *q = pool_alloc(&s->pool, sizeof *q);
    tally_init(&q->visited, &s->pool, UINT32_MAX);
    return q;
}

static void icb_begin(struct sched *s)
{
    struct icb *q = s->own;
    if (!q)
        q = s->own = icb_new(s);
    q->nodes.len = 0;
    assert(q->now.len == 0 && !q->work.len && !q->path.len);
    __typeof__(q->now) empty = q->now;
    q->now = (__typeof__(q->now)){q->later.at, q->later.len, q->later.cap};
    q->later = (__typeof__(q->later)){empty.at, 0, empty.cap};
    q->total = q->now.len;
    q->done = 0;
    if (q->now.len)
        work_begin(s, q, q->now.at[--q->now.len]);
}

static void postpone(struct sched *s, struct icb *q, uint32_t so_far, int t, uint32_t choice)
{
    struct path_turn last = {s->depth, t, choice, 0};
    uint32_t turn = turn_new(s, q, so_far, &last);
    stack_push(&s->pool, &q->later, turn);
    s->pruned = true;
}

/* The schedule so far and a preemption by thread t: to be explored at the next bound. */
static void postpone_preemption(struct sched *s, struct icb *q, int t, const struct sched_op *op)
{
    uint32_t so_far = path_turn(s, q);
    for (uint32_t c = 0; c < free_choices(op); c++)
        postpone(s, q, so_far, t, c);
}

/* The same with the choices of a step that cost as much. */
static void postpone_choices(struct sched *s, struct icb *q, uint32_t so_far, int t, const struct sched_op *op)
{
    for (uint32_t i = free_choices(op); i < op_choices(op); i++)
        postpone(s, q, so_far, t, nth_choice(op, i));
}

/* Each piece of work of the level counts the same. */
static double weight_so_far(const struct icb *q)
{
    return q->nodes.len ? stack_last(&q->nodes).weight : 1.0 / (double)(q->total ? q->total : 1);
}

/* The threads that cost more than nothing here, and of those the ones to put off now. Of delays that is the second in
 * the order alone, which puts off the third when its turn comes. */
static sched_set dearer(const struct sched *s, sched_set allowed, sched_set *now)
{
    sched_set rest = SET_NONE;
    int t;
    if (counts_delays(s) && !s->only_ends) {
        int free = undelayed(s, allowed), second = next_in_order(allowed, free);
        *now = second != free ? set_of(second) : SET_NONE;
        return allowed & ~set_of(free);
    }
    FOR_EACH_THREAD(t, allowed)
        if (is_preemption(s, allowed, t))
            rest |= set_of(t);
    return *now = rest;
}

static struct icb_node icb_node_new(struct sched *s, struct icb *q, const struct sched_view *view)
{
    struct icb_node n = {0};
    sched_set allowed = fair_allowed(s, s->enabled), now, rest = dearer(s, allowed, &now);
    uint32_t branches = 0;
    int t;
    FOR_EACH_THREAD(t, allowed) {
        const struct sched_op *op = &view->next[t];
        if (set_has(now, t)) {
            postpone_preemption(s, q, t, op);
        } else if (!set_has(rest, t)) {
            n.todo |= set_of(t);
            branches += free_choices(op);
            if (op->older)
                postpone_choices(s, q, path_turn(s, q), t, op);
        }
    }
    n.thread = set_first(n.todo);
    n.todo &= ~set_of(n.thread);
    n.weight = weight_so_far(q) / branches;
    return n;
}

/* One more delay than the last turn of the work took: the thread after it in the order, if that was not the first. */
static void postpone_next_delay(struct sched *s, struct icb *q, const struct sched_view *view, int t)
{
    sched_set allowed = fair_allowed(s, s->enabled);
    int next = next_in_order(allowed, t);
    if (next == undelayed(s, allowed))
        return;
    for (uint32_t c = 0; c < free_choices(&view->next[next]); c++)
        postpone(s, q, q->work.len > 1 ? q->work.at[q->work.len - 2].turn : 0, next, c);
}

/* A step of the piece of work: a turn, or the thread before goes on. The last one is a preemption or a delay, which can
 * be made dearer still, or such a choice. */
static struct sched_pick work_step(struct sched *s, struct icb *q, const struct sched_view *view)
{
    if (!s->depth)
        q->work_at = 0;
    if (q->work_at >= q->work.len || q->work.at[q->work_at].depth != s->depth)
        return pick_step(sched_last(s), 0);
    const struct path_turn *turn = &q->work.at[q->work_at++];
    const struct sched_op *op = &view->next[turn->thread];
    if (q->work_at == q->work.len && !turn->choice && op->older)
        postpone_choices(s, q, q->work.len > 1 ? q->work.at[q->work.len - 2].turn : 0, turn->thread, op);
    if (q->work_at == q->work.len && !turn->choice && counts_delays(s))
        postpone_next_delay(s, q, view, turn->thread);
    return pick_step(turn->thread, turn->choice);
}

static struct sched_pick icb_pick(struct sched *s, const struct sched_view *view)
{
    struct icb *q = s->own;
    if (s->depth < q->work_len)
        return work_step(s, q, view);
    size_t at = s->depth - q->work_len;
    while (q->nodes.len < at) { /* steps that the frame took by itself */
        struct icb_node forced = {.thread = -1, .weight = weight_so_far(q)};
        stack_push(&s->pool, &q->nodes, forced);
    }
    if (q->nodes.len == at && s->config.strategy == SCHED_DELAY && was_visited(s, q))
        return pick_nothing(SCHED_PICK_REDUNDANT);
    if (q->nodes.len == at) {
        struct icb_node fresh = icb_node_new(s, q, view);
        stack_push(&s->pool, &q->nodes, fresh);
    } else {
        struct icb_node *n = &q->nodes.at[at];
        if (n->choice + 1 < free_choices(&view->next[n->thread])) {
            n->choice++;
        } else {
            n->thread = set_first(n->todo);
            n->todo &= ~set_of(n->thread);
            n->choice = 0;
        }
    }
    struct path_turn step = {s->depth, q->nodes.at[at].thread, q->nodes.at[at].choice, 0};
    if (step.thread != sched_last(s) || step.choice)
        stack_push(&s->pool, &q->path, step);
    return pick_step(step.thread, step.choice);
}

/* ---- parts: pieces of work, those to be done last first ---- */

static bool icb_choose(struct sched *s, struct given *g)
{
    const struct icb *q = s->own;
    if (s->config.part)
        return false; /* its work is one piece */
    for (g->which = 0; g->which < q->now.len; g->which++)
        if (!part_is_given(s, 0, g->which))
            return true;
    return false;
}

static size_t chain_length(const struct icb *q, uint32_t turn)
{
    size_t len = 0;
    for (; turn; turn = q->turns.at[turn].parent)
        len++;
    return len;
}

/* The turn that is `up` turns above the last one of the piece of work. */
static uint32_t turn_above(const struct icb *q, uint32_t turn, size_t up)
{
    while (up--)
        turn = q->turns.at[turn].parent;
    return turn;
}

static void icb_give(struct sched *s, const struct given *g, struct bytes *out)
{
    const struct icb *q = s->own;
    uint32_t last = q->now.at[g->which];
    size_t len = chain_length(q, last);
    bytes_put(out, &len, sizeof len);
    for (size_t i = len; i-- > 0;)
        bytes_put(out, &q->turns.at[turn_above(q, last, i)], sizeof(struct turn));
}

/* The turns of the work are the first ones here, in their order. */
static void icb_take(struct sched *s, struct bytes *in)
{
    struct icb *q = s->own;
    size_t len = 0;
    uint32_t last = 0;
    struct turn t;
    bytes_get(in, &len, sizeof len);
    for (size_t i = 0; i < len && bytes_get(in, &t, sizeof t); i++) {
        struct path_turn p = {t.depth, t.thread, t.choice, 0};
        last = turn_new(s, q, last, &p);
        assert(last == i + 1);
        q->turns.at[last].users++; /* until the answer is written */
    }
    q->total = 1;
    if (last)
        work_begin(s, q, last);
}

/* All turns, free ones among them, and which of them are work for the next level. */
static void icb_answer(struct sched *s, struct bytes *out)
{
    const struct icb *q = s->own;
    bytes_put(out, &q->turns.len, sizeof q->turns.len);
    bytes_put(out, &q->later.len, sizeof q->later.len);
    bytes_put(out, q->turns.at, q->turns.len * sizeof *q->turns.at);
    bytes_put(out, q->later.at, q->later.len * sizeof *q->later.at);
}

/* The turn of the answer, made here with those before it if need be; `here` says what it became. */
static uint32_t turn_here(struct sched *s, struct icb *q, const struct turn *told, uint32_t *here, uint32_t i)
{
    if (!i || here[i])
        return here[i];
    uint32_t parent = turn_here(s, q, told, here, told[i].parent);
    struct path_turn p = {told[i].depth, told[i].thread, told[i].choice, 0};
    return here[i] = turn_new(s, q, parent, &p);
}

static void icb_merge(struct sched *s, struct icb *q, uint32_t piece, struct bytes *own)
{
    size_t turns = 0, later = 0, len = chain_length(q, piece);
    bytes_get(own, &turns, sizeof turns);
    bytes_get(own, &later, sizeof later);
    const struct turn *told = (const struct turn *)(own->at + own->pos);
    const uint32_t *work = (const uint32_t *)(told + turns);
    uint32_t *here = pool_alloc(&s->pool, (turns + 1) * sizeof *here);
    for (size_t i = 0; i < len; i++)
        here[i + 1] = turn_above(q, piece, len - 1 - i);
    for (size_t i = 0; i < later; i++) {
        uint32_t turn = turn_here(s, q, told, here, work[i]);
        stack_push(&s->pool, &q->later, turn);
        q->turns.at[turn].users++;
    }
    for (size_t i = len + 1; i < turns; i++)
        turn_drop(q, here[i]); /* the use that each has when it is new */
    turn_drop(q, piece);
    pool_free(&s->pool, here);
}

/* The work at the end of the queue was done elsewhere, as long as that is so. */
static void skip_explored(struct sched *s, struct icb *q)
{
    struct bytes own;
    while (q->now.len && s->given.len && !s->told_to_stop &&
           part_told(s, 0, (uint32_t)q->now.len - 1, SET_NONE, &own)) {
        q->done += 1.0 / (double)(q->total ? q->total : 1);
        icb_merge(s, q, q->now.at[--q->now.len], &own);
    }
}

static const struct part_rules icb_parts = {sizeof(struct turn), icb_choose, icb_give, icb_take, icb_answer};

static bool icb_next(struct sched *s)
{
    struct icb *q = s->own;
    q->done += weight_so_far(q);
    for (; q->nodes.len; q->nodes.len--) {
        const struct icb_node *n = &stack_last(&q->nodes);
        size_t depth = q->work_len + q->nodes.len - 1;
        if (n->thread >= 0 && (set_any(n->todo) || n->choice + 1 < free_choices(&s->log.at[depth].op))) {
            path_cut(q, depth);
            s->prefix = depth;
            return true;
        }
    }
    work_end(q);
    s->prefix = 0;
    skip_explored(s, q);
    if (!q->now.len)
        return false;
    work_begin(s, q, q->now.at[--q->now.len]);
    return true;
}

static double icb_share(const struct sched *s)
{
    return ((const struct icb *)s->own)->done;
}

const struct strategy strategy_icb = {
    .name = "icb", .begin = icb_begin, .pick = icb_pick, .next = icb_next, .share = icb_share, .parts = &icb_parts,
    .rises = true};
/* Not divided: whether a state was visited before depends on all executions before this one. */
const struct strategy strategy_delay = {
    .name = "delay", .graph = CLOCKS_AND_HASHES, .begin = icb_begin, .pick = icb_pick, .next = icb_next,
    .share = icb_share, .rises = true};
const struct strategy strategy_delay_plain = {
    .name = "delay-plain", .begin = icb_begin, .pick = icb_pick, .next = icb_next, .share = icb_share,
    .parts = &icb_parts, .rises = true};
