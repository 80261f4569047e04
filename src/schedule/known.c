/* What executions showed of the program, so that BPOR need not run it again to see the same.
 *
 * Within a bound BPOR comes to one happens-before graph in several orders, and a higher bound comes to it again. But
 * the graph of an execution says what the program does after it. So each state that was reached is kept under the hash
 * of the graph that leads to it: who can go on, and what each thread is about to do. The next execution is followed
 * from state to state as far as they are known; if it ends in a known end, the program is not run at all, otherwise it
 * is run along the steps that were followed. The strategy sees no difference, so the ledger, the order of executions
 * and what is found first are the same.
 *
 * Memory is given out in the order of calls, so a place may have another address in an equivalent execution. The key of
 * a state therefore has the addresses of its past: each state is as some execution saw it with these very addresses,
 * and along the steps that were followed the program's own addresses take the place of those expected.
 *
 * An order of known steps may pass a state nobody was in. What a thread is about to do there follows from its own past,
 * the steps that happen before it, and is kept under the hash of that; which steps are possible follows from the steps
 * done, as ever. So such a state is put together from what is known of its threads (compose.c), unless a thread waits
 * in a loop, or concerns all. That needs addresses that depend on a thread's past only: the runtime tells if they do
 * not (sched_known_whole()).
 *
 * It does not pay where few graphs come again: keeping a state costs about twice what running a step does, and a known
 * execution saves all its steps. Where that does not come out even, all is forgotten.
 *
 * Should a state turn out other than it is kept, the graph does not say what the program does (a loop that waits may be
 * noticed a round later in an equivalent execution): then all that was concluded is dropped, and the search begins
 * again, without this. */
#include <assert.h>
#include <string.h>

#include "schedule/known_int.h"

enum { NO_END = SCHED_END_COUNT };

/* After it come the numbers of the operations of threads 0 to `threads` - 1, two in a word. */
struct state {
    struct sched_hash key;
    sched_set live, enabled, ending, changed;
    uint32_t end, threads;
};
enum { STATE_WORDS = sizeof(struct state) / 8, SMALLEST = 1024, STATE_COST = 2 };
_Static_assert(sizeof(struct state) % 8 == 0, "states are kept in words");

struct sched_known *sched_known_new(const struct sched_config *config, size_t memory)
{
    struct sched_known *k = config->memory_pool.alloc(config->memory_pool.context, sizeof *k);
    if (!k)
        return NULL;
    memset(k, 0, sizeof *k);
    k->config.memory_pool = config->memory_pool;
    k->config.memory = memory;
    k->pool.config = &k->config;
    k->composes = true;
    return k;
}

void sched_known_free(struct sched_known *k)
{
    if (!k)
        return;
    pool_release(&k->pool);
    struct sched_config config = k->config;
    config.memory_pool.release(config.memory_pool.context, k, sizeof *k);
}

bool known_is_on(const struct sched_known *k)
{
    return k && !k->is_off && !k->is_doubted;
}

bool known_is_doubted(const struct sched_known *k)
{
    return k && k->is_doubted;
}

static void do_without(struct sched *s)
{
    s->config.known = NULL;
    s->hb->hashing = needs_hashes(s);
}

static void turn_off(struct sched *s)
{
    struct sched_known *k = s->config.known;
    pool_release(&k->pool);
    k->words.at = NULL;
    k->ops.at = NULL;
    k->words.len = k->words.cap = k->ops.len = k->ops.cap = 0;
    k->states = k->numbers = k->futures = (struct index){0};
    k->pasts.at = NULL;
    k->pasts.len = k->pasts.cap = 0;
    k->is_off = true;
    do_without(s);
}

/* Now and then, between two executions. */
static void look_whether_it_pays(struct sched *s)
{
    enum { ENOUGH = 50000, SHARE = 2 };
    struct sched_known *k = s->config.known;
    if (k->cost < ENOUGH)
        return;
    if (k->cost > k->gain && !s->config.verify) {
        turn_off(s);
        return;
    }
    k->cost /= SHARE;
    k->gain /= SHARE;
}

size_t known_memory(const struct sched_known *k)
{
    return k ? k->pool.used + sizeof *k : 0;
}

/* ---- tables ---- */

static uint64_t op_hash(const struct sched_op *op)
{
    uint64_t h = hash_mix(op->object, op->object2 ^ (uint64_t)op->kind << 56 ^ (uint64_t)op->flags << 48 ^ op->count);
    return hash_mix(h ^ op->older, (uint64_t)op->value ^ op->taken << 32 ^ op->updates);
}

static bool same_op(const struct sched_op *a, const struct sched_op *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->order == b->order && a->fail_order == b->fail_order &&
           a->count == b->count && a->object == b->object && a->object2 == b->object2 && a->value == b->value &&
           a->older == b->older && a->taken == b->taken && a->updates == b->updates;
}

static bool has_key(const struct sched_known *k, uint32_t at, struct sched_hash key)
{
    return k->words.at[at] == key.lo && k->words.at[at + 1] == key.hi;
}

static uint32_t *slot_of_state(const struct sched_known *k, struct sched_hash key)
{
    size_t i = key.lo & k->states.mask;
    while (k->states.slots[i] && !has_key(k, k->states.slots[i] - 1, key))
        i = (i + 1) & k->states.mask;
    return &k->states.slots[i];
}

uint32_t *known_future_slot(const struct sched_known *k, struct sched_hash past)
{
    size_t i = past.lo & k->futures.mask;
    while (k->futures.slots[i]) {
        const struct future *f = &k->pasts.at[k->futures.slots[i] - 1];
        if (f->past.lo == past.lo && f->past.hi == past.hi)
            break;
        i = (i + 1) & k->futures.mask;
    }
    return &k->futures.slots[i];
}

static uint32_t *slot_of_op(const struct sched_known *k, const struct sched_op *op)
{
    size_t i = op_hash(op) & k->numbers.mask;
    while (k->numbers.slots[i] && !same_op(&k->ops.at[k->numbers.slots[i] - 1], op))
        i = (i + 1) & k->numbers.mask;
    return &k->numbers.slots[i];
}

/* A table that is at most half full; false: there is no room for a larger one. */
bool known_keep_loose(struct sched_known *k, struct index *x)
{
    struct index old = *x;
    if (x->slots && 2 * x->count < x->mask)
        return true;
    size_t slots = old.slots ? 2 * (old.mask + 1) : SMALLEST;
    if (!pool_has_room(&k->pool, slots * sizeof *x->slots))
        return false;
    *x = (struct index){pool_alloc(&k->pool, slots * sizeof *x->slots), slots - 1, old.count};
    for (size_t i = 0; old.slots && i <= old.mask; i++) {
        uint32_t at = old.slots[i];
        if (at && x == &k->states)
            *slot_of_state(k, (struct sched_hash){k->words.at[at - 1], k->words.at[at]}) = at;
        else if (at && x == &k->futures)
            *known_future_slot(k, k->pasts.at[at - 1].past) = at;
        else if (at)
            *slot_of_op(k, &k->ops.at[at - 1]) = at;
    }
    pool_free(&k->pool, old.slots);
    return true;
}

uint32_t known_number(struct sched_known *k, int thread, const struct sched_op *op)
{
    uint32_t *last = &k->last[thread], *slot;
    if (*last && same_op(&k->ops.at[*last - 1], op))
        return *last;
    if (!known_keep_loose(k, &k->numbers))
        return 0;
    slot = slot_of_op(k, op);
    if (!*slot) {
        if (!HAS_ROOM(k, &k->ops, 1))
            return 0;
        stack_push(&k->pool, &k->ops, *op);
        *slot = (uint32_t)k->ops.len;
        k->numbers.count++;
    }
    return *last = *slot;
}

static bool find(const struct sched_known *k, struct sched_hash key, struct state *out, uint32_t *at)
{
    uint32_t found = k->states.slots ? *slot_of_state(k, key) : 0;
    if (!found)
        return false;
    *at = found - 1;
    memcpy(out, k->words.at + *at, sizeof *out);
    return true;
}

static bool write_down(struct sched_known *k, const struct state *n, const struct sched_view *view)
{
    size_t words = STATE_WORDS + (n->threads + 1) / 2, at = k->words.len;
    if (at + words > UINT32_MAX - 1 || !known_keep_loose(k, &k->states) || !HAS_ROOM(k, &k->words, words))
        return false;
    stack_reserve(&k->pool, &k->words, at + words);
    memcpy(k->words.at + at, n, sizeof *n);
    uint32_t *numbers = (uint32_t *)(k->words.at + at + STATE_WORDS);
    int t;
    FOR_EACH_THREAD(t, n->live)
        if (!(numbers[t] = known_number(k, t, &view->next[t])))
            return false;
    k->words.len = at + words;
    *slot_of_state(k, n->key) = (uint32_t)at + 1;
    k->states.count++;
    return true;
}

/* ---- while the program runs ---- */

static struct sched_hash step_key(struct sched_hash event, const struct sched_op *op)
{
    uint64_t place = op->object ^ op->object2 * UINT64_C(0x9e3779b97f4a7c15);
    return (struct sched_hash){hash_mix(event.lo, place), hash_mix(event.hi ^ place, event.lo)};
}

static struct mark mark_after(const struct mark *before, struct sched_hash event, const struct step *step, bool changed)
{
    struct sched_hash key = step_key(event, &step->op);
    struct mark m = {{before->key.lo ^ key.lo, before->key.hi ^ key.hi}, before->changed & ~set_of(step->thread)};
    if (changed)
        m.changed |= set_of(step->thread);
    return m;
}

void known_step(struct sched *s, bool changed)
{
    if (!s->config.known)
        return;
    if (!s->marks.len)
        stack_push(&s->pool, &s->marks, ((struct mark){0}));
    assert(s->marks.len >= s->depth);
    s->marks.len = s->depth;
    struct mark m = mark_after(&stack_last(&s->marks), stack_last(&s->hb->events).hash, &s->log.at[s->depth - 1],
                               changed);
    stack_push(&s->pool, &s->marks, m);
}

/* What may differ are addresses of what is not yet touched. */
static bool is_as_known(const struct sched_known *k, const struct state *n, uint32_t at, const struct sched_view *view)
{
    const uint32_t *numbers = (const uint32_t *)(k->words.at + at + STATE_WORDS);
    int t;
    if (!set_equal(n->live, view->live) || !set_equal(n->enabled, view->enabled) || !set_equal(n->ending, view->ending))
        return false;
    FOR_EACH_THREAD(t, view->live) {
        const struct sched_op *op = &k->ops.at[numbers[t] - 1];
        if (op->kind != view->next[t].kind || op->flags != view->next[t].flags || op->older != view->next[t].older)
            return false;
    }
    return true;
}

bool known_arrived(struct sched *s, const struct sched_view *view)
{
    struct sched_known *k = s->config.known;
    struct state n;
    uint32_t at;
    if (!k || s->following)
        return true;
    if (!s->marks.len)
        stack_push(&s->pool, &s->marks, ((struct mark){0}));
    const struct mark *m = &s->marks.at[s->depth];
    if (find(k, m->key, &n, &at))
        return is_as_known(k, &n, at, view);
    if (k->full)
        return true;
    k->cost += STATE_COST;
    uint32_t threads = set_any(view->live) ? (uint32_t)set_end(view->live) : 0;
    n = (struct state){m->key, view->live, view->enabled, view->ending, m->changed, NO_END, threads};
    k->full = !write_down(k, &n, view);
    return compose_note(s, view);
}

/* Other ends are seen each time. */
void known_end(struct sched *s, enum sched_end end)
{
    struct sched_known *k = s->config.known;
    struct state n;
    uint32_t at;
    if (!k || s->following || (end != SCHED_END_NORMAL && end != SCHED_END_ASSUMED) || s->marks.len <= s->depth)
        return;
    if (!find(k, s->marks.at[s->depth].key, &n, &at) || set_any(n.enabled))
        return;
    n.end = end;
    memcpy(k->words.at + at, &n, sizeof n);
}

/* ---- instead of running it ---- */

static void read_view(const struct sched_known *k, const struct state *n, uint32_t at, struct sched_view *view)
{
    const uint32_t *numbers = (const uint32_t *)(k->words.at + at + STATE_WORDS);
    int t;
    view->live = n->live;
    view->enabled = n->enabled;
    view->ending = n->ending;
    FOR_EACH_THREAD(t, n->live)
        view->next[t] = k->ops.at[numbers[t] - 1];
}

/* The step picked leads to a state that is known, or can be put together: it is done, and this is how an execution ends
 * there that nobody goes on with. */
static bool step_on(struct sched *s, enum sched_end *end)
{
    const struct step *step = &s->log.at[s->depth];
    struct sched_known *k = s->config.known;
    struct event *e = &s->predicted;
    struct state next;
    uint32_t clock[SCHED_MAX_THREADS], at;
    *end = (enum sched_end)NO_END;
    if (!hb_predict(s->hb, NULL, step->thread, &step->op, step->choice, e))
        return false;
    hb_clock(s->hb, NULL, e, clock);
    struct sched_hash hash = hb_event_hash(s->hb, e, clock);
    struct mark m = mark_after(&s->marks.at[s->depth], hash, step, false);
    s->has_predicted = true;
    if (!find(k, m.key, &next, &at))
        return compose_step(s, clock, hash, &k->view);
    struct sched_outcome outcome = {
        .failed = e->failed, .changed = set_has(next.changed, step->thread), .woken = e->woken};
    sched_executed(s, &outcome);
    read_view(k, &next, at, &k->view);
    *end = (enum sched_end)next.end;
    return true;
}

/* How an execution ends that nobody goes on with; NO_END: that has to be seen. */
static enum sched_end end_at(enum sched_end kept, enum sched_why why)
{
    if (why == SCHED_PICK_NONE_ENABLED)
        return kept;
    return why == SCHED_PICK_STOP ? (enum sched_end)NO_END : SCHED_END_ABANDONED;
}

/* Where the execution differs from the one before; false: nothing is known of that state. */
static bool read_branch(struct sched *s, enum sched_end *end)
{
    struct sched_known *k = s->config.known;
    struct state n, first;
    uint32_t at;
    *end = (enum sched_end)NO_END;
    if (s->marks.len <= s->prefix)
        return false;
    if (!find(k, s->marks.at[s->prefix].key, &n, &at))
        return find(k, s->marks.at[0].key, &first, &at) && compose_state(s, first.live, &k->view);
    read_view(k, &n, at, &k->view);
    *end = (enum sched_end)n.end;
    return true;
}

/* From there. How it ends, or NO_END: the program is to be run, first along the steps up to `script`. */
static enum sched_end follow(struct sched *s)
{
    struct sched_known *k = s->config.known;
    enum sched_end end;
    s->script = s->prefix;
    if (!read_branch(s, &end))
        return (enum sched_end)NO_END;
    for (;;) {
        struct sched_pick pick = sched_pick(s, &k->view);
        s->arrived = s->depth;
        s->script = s->depth + (pick.thread >= 0);
        if (pick.thread < 0)
            return end_at(end, pick.why);
        if (!step_on(s, &end))
            return (enum sched_end)NO_END;
    }
}

void known_follow(struct sched *s)
{
    s->is_known = false;
    if (s->config.known && s->config.known->is_off)
        do_without(s); /* another search has seen that it does not pay */
    if (s->config.known)
        look_whether_it_pays(s);
    if (!s->config.known || s->prefix < s->floor)
        return;
    sched_move_to(s, s->prefix);
    s->following = true;
    enum sched_end end = follow(s);
    s->in_step = false;
    if (end != (enum sched_end)NO_END) {
        s->stats.known += end != SCHED_END_ABANDONED;
        s->config.known->gain += s->depth;
        sched_finish(s, end);
        s->is_known = true;
    } else {
        s->log.len = s->prefix;
        hb_truncate(s->hb, s->prefix);
        s->depth = 0;
        memset(s->yields, 0, sizeof s->yields);
    }
    s->following = false;
}
