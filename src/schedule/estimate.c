/* Predicts how many executions a search needs to run each happens-before graph once, from a sample (Knuth 1975).
 *
 * With sleep sets, and all threads tried in every state, the tree of schedules has exactly one complete execution of
 * each graph. A random walk from the root that meets d(1), d(2), ... possible steps has the weight d(1) * d(2) * ...
 * if it ends in a complete execution, and 0 if it ends where everything is asleep. The expected weight is the number of
 * complete executions.
 *
 * Most branches of that tree lead nowhere, and a walk that enters one tells little. A sleeping thread wakes up only if
 * another thread takes a step that conflicts with its own next one. Earlier walks show how often each thread touches
 * each object. The walk therefore neither counts nor takes a step that leaves some thread asleep for ever.
 * The threads that few others can wake up come first in the order of siblings, so that steps that concern no other
 * thread have no siblings at all. The first WARM_UP walks are not counted. A walk that shows something new discards
 * all walks counted so far, unless there are SETTLED of them. */
#include "schedule/internal.h"

enum {
    WARM_UP = 64,       /* walks at random that only show what threads touch */
    SETTLED = 256,      /* counted walks after which something new does not discard them */
    LEAST_WALKS = 30,   /* counted walks without which nothing is predicted */
    MOST_ROWS = 1 << 20,
};
#define ALL_OBJECTS UINT64_MAX

struct estimate {
    struct sample sample;
    struct por_node node;  /* which threads sleep in the present state */
    struct tally touches;  /* thread, half: 1 + the latest of its steps that touches it */
    double weight;         /* of the walk so far */
    double sum, squares;   /* of the weights of counted walks */
    uint64_t walks;        /* counted ones */
    bool shows_more;       /* the present walk touches something that no earlier one did */
};

struct candidate { int thread, wakers; uint64_t choices; };
struct candidates { int count; struct candidate at[SCHED_MAX_THREADS]; };

/* Names a half of a cell. A cell is eight bytes of memory, or an object. `write` says whether the access changes it. */
static uint64_t half_name(const struct access *a, int half, bool write)
{
    return (uint64_t)a->cell << 2 | (uint64_t)half << 1 | write;
}

static bool has_half(const struct access *a, int half) { return a->bytes >> 4 * half & 15; }

static void estimate_begin(struct sched *s)
{
    struct estimate *e = pool_alloc(&s->pool, sizeof *e);
    sample_begin(s, &e->sample);
    tally_init(&e->touches, &s->pool, MOST_ROWS);
    e->weight = 1;
    s->own = e;
}

/* ---- what threads touch ---- */

static void note_touch(struct sched *s, int thread, uint64_t object, uint64_t steps)
{
    struct estimate *e = s->own;
    struct tally_row *row = tally_add(&e->touches, &s->pool, (uint64_t)thread, object);
    if (!row || row->count >= steps)
        return;
    row->count = steps;
    e->shows_more = true;
}

static void note_execution(struct sched *s)
{
    for (size_t i = 0; i < s->hb->events.len; i++) {
        const struct event *e = &s->hb->events.at[i];
        for (unsigned k = 0; k < 2 * e->accesses; k++)
            if (has_half(&e->access[k / 2], k % 2))
                note_touch(s, e->thread, half_name(&e->access[k / 2], k % 2, e->access[k / 2].write), e->index + 1);
        if (e->kind == SCHED_GLOBAL) /* and not END, which comes when all others are done or wait */
            note_touch(s, e->thread, ALL_OBJECTS, e->index + 1);
    }
}

/* The thread touches the object in a step after its first `done` ones. */
static bool will_touch(const struct sched *s, int thread, uint64_t object, size_t done)
{
    const struct estimate *e = s->own;
    const struct tally_row *row = tally_find(&e->touches, (uint64_t)thread, object);
    return row && row->count > done;
}

/* A write in weak memory sleeps on when another thread accesses its place: see doze.c. */
static bool is_weak_write(const struct sched *s, const struct sched_op *op)
{
    return s->config.weak && op->kind == SCHED_WRITE && op->order && !op->object2;
}

static bool may_wake(const struct sched *s, int thread, const struct event *sleeping, size_t done)
{
    if (will_touch(s, thread, ALL_OBJECTS, done) || event_is_global(sleeping))
        return true;
    for (unsigned i = 0; i < 2 * sleeping->accesses; i++) {
        const struct access *a = &sleeping->access[i / 2];
        if (!has_half(a, i % 2))
            continue;
        if (will_touch(s, thread, half_name(a, i % 2, true), done))
            return true;
        if (a->write && will_touch(s, thread, half_name(a, i % 2, false), done))
            return true;
    }
    return false;
}

/* How many threads may wake up this one, if it sleeps before its pending step; `mover` is about to do one step more. */
static int count_wakers(const struct sched *s, const struct sched_view *view, int sleeper, int mover)
{
    struct event pending;
    int wakers = 0;
    if (is_weak_write(s, &view->next[sleeper]))
        return 0;
    hb_predict(s->hb, NULL, sleeper, &view->next[sleeper], 0, &pending);
    for (int t = 0; t < SCHED_MAX_THREADS && t < s->hb->threads; t++)
        wakers += t != sleeper && may_wake(s, t, &pending, s->hb->thread[t].steps.len + (t == mover));
    return wakers;
}

/* ---- the walk ---- */

static void estimate_arrived(struct sched *s, const struct sched_view *view)
{
    struct estimate *e = s->own;
    struct por_node before = e->node;
    e->node = (struct por_node){.thread = -1};
    if (s->depth)
        por_pass_on_sleep(s, &before, &e->node, view);
}

static uint64_t count_choices(struct sched *s, const struct sched_view *view, int thread)
{
    const struct estimate *e = s->own;
    const struct sched_op *op = &view->next[thread];
    uint64_t asleep = doze_asleep(&e->node, thread), count = 0;
    for (uint32_t i = 0, n = op_choices(op); i < n; i++) {
        uint32_t choice = nth_choice(op, i);
        bool sleeps = asleep == ~UINT64_C(0) || (choice < 64 && asleep >> choice & 1);
        count += !sleeps && within_bound(s, e->node.allowed, thread, choice_cost(op, choice));
    }
    return count;
}

static uint32_t awake_choice(struct sched *s, const struct sched_view *view, int thread, uint64_t nth)
{
    const struct estimate *e = s->own;
    const struct sched_op *op = &view->next[thread];
    uint64_t asleep = doze_asleep(&e->node, thread);
    for (uint32_t i = 0;; i++) {
        uint32_t choice = nth_choice(op, i);
        bool sleeps = choice < 64 && asleep >> choice & 1;
        if (!sleeps && within_bound(s, e->node.allowed, thread, choice_cost(op, choice)) && nth-- == 0)
            return choice;
    }
}

/* Threads with few wakers first; among these the one that ran last, then by number. */
static void add_candidate(struct candidates *c, struct candidate new)
{
    int i = c->count++;
    for (; i && c->at[i - 1].wakers > new.wakers; i--)
        c->at[i] = c->at[i - 1];
    c->at[i] = new;
}

static void list_candidates(struct sched *s, const struct sched_view *view, struct candidates *c)
{
    const struct estimate *e = s->own;
    int last = sched_last(s), t;
    sched_set awake = e->node.allowed & ~e->node.sleep;
    c->count = 0;
    for (int turn = 0; turn < 2; turn++) {
        FOR_EACH_THREAD(t, awake) {
            uint64_t choices = (t == last) == (turn == 0) ? count_choices(s, view, t) : 0;
            if (choices)
                add_candidate(c, (struct candidate){t, count_wakers(s, view, t, -1), choices});
        }
    }
}

/* True if a thread of the set sleeps for ever after the step of `mover`: no complete execution follows. */
static bool leads_nowhere(struct sched *s, const struct sched_view *view, int mover, sched_set asleep)
{
    struct event step, pending;
    int t;
    hb_predict(s->hb, NULL, mover, &view->next[mover], 0, &step);
    FOR_EACH_THREAD(t, asleep) {
        if (t == mover || event_is_global(&step))
            continue;
        hb_predict(s->hb, NULL, t, &view->next[t], 0, &pending);
        bool sleeps_on = is_weak_write(s, &view->next[t]) || !event_conflict(&pending, &step);
        if (sleeps_on && !count_wakers(s, view, t, mover))
            return true;
    }
    return false;
}

/* Keeps the steps that may lead to a complete execution; returns how many there are, choices counted. */
static uint64_t count_steps(struct sched *s, const struct sched_view *view, struct candidates *c)
{
    const struct estimate *e = s->own;
    sched_set asleep = e->node.sleep;
    uint64_t steps = 0;
    for (int i = 0; i < c->count; i++) {
        if (leads_nowhere(s, view, c->at[i].thread, asleep))
            c->at[i].choices = 0;
        steps += c->at[i].choices;
        asleep |= set_of(c->at[i].thread);
    }
    return steps;
}

/* Takes the step. The threads that come before it in the order of siblings sleep from then on. */
static struct sched_pick take_step(struct sched *s, const struct sched_view *view, const struct candidates *c,
                                   uint64_t nth)
{
    struct estimate *e = s->own;
    int i = 0;
    for (; nth >= c->at[i].choices; i++) {
        nth -= c->at[i].choices;
        e->node.finished |= set_of(c->at[i].thread);
    }
    return pick_step(c->at[i].thread, awake_choice(s, view, c->at[i].thread, nth));
}

static struct sched_pick estimate_pick(struct sched *s, const struct sched_view *view)
{
    struct estimate *e = s->own;
    struct candidates c;
    e->node.allowed = fair_allowed(s, s->enabled);
    if (e->sample.number < WARM_UP)
        return strategy_random.pick(s, view);
    list_candidates(s, view, &c);
    uint64_t steps = count_steps(s, view, &c);
    if (!steps)
        return pick_nothing(SCHED_PICK_REDUNDANT);
    e->weight *= (double)steps;
    return take_step(s, view, &c, random_next(&e->sample.state) % steps);
}

/* ---- the result ---- */

static void count_walk(struct estimate *e, double weight)
{
    if (e->shows_more && e->walks < SETTLED)
        e->sum = e->squares = 0, e->walks = 0;
    else
        e->sum += weight, e->squares += weight * weight, e->walks++;
}

/* Newton's method; the runtime is linked without the library of mathematics. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 2000 && root * root > x * 1.000001; i++)
        root = (root + x / root) / 2;
    return root;
}

/* The interval of three standard errors around the mean, as a factor. Two would do for 95 % if the weights were
 * normally distributed, but a few walks have weights far above the others. */
static void tell(struct sched *s)
{
    const struct estimate *e = s->own;
    double n = (double)e->walks, mean = n > 0 ? e->sum / n : 0;
    s->stats.estimate = mean;
    s->stats.doubt = 0;
    if (n < LEAST_WALKS || mean <= 0)
        return;
    double variance = (e->squares / n - mean * mean) * n / (n - 1);
    double error = square_root((variance > 0 ? variance : 0) / n);
    s->stats.doubt = 1 + 3 * error / mean;
}

static bool estimate_next(struct sched *s)
{
    struct estimate *e = s->own;
    bool is_complete = s->end != SCHED_END_ABANDONED;
    e->shows_more = false;
    note_execution(s);
    if (e->sample.number >= WARM_UP)
        count_walk(e, is_complete ? e->weight : 0);
    tell(s);
    e->weight = 1;
    e->node = (struct por_node){0};
    return sample_next_execution(s);
}

const struct strategy strategy_estimate = {
    .name = "estimate", .graph = CLOCKS, .begin = estimate_begin, .pick = estimate_pick, .arrived = estimate_arrived,
    .next = estimate_next, .samples = true};
