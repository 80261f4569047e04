/* Partial order reduction for context-bounded search (CB-POR): every terminal happens-before graph whose cheapest
 * execution has at most c preemptions, exactly once, without blocked executions (Algorithm 2 with Mark).
 *
 * A state is a happens-before graph, known by its 128-bit hash. It is marked when every terminal graph within the bound
 * that it leads to was visited. Search drives the program through unmarked states only; at a terminal state Mark goes
 * through the prefixes of the graph, which are the cuts of the execution just run, and marks those all of whose
 * successors are marked or beyond the bound. Nothing has to be run for that: the model of the objects says what is
 * enabled in a cut, and what the graph would be after a step that was not taken there.
 *
 * least(cut, t) is the fewest preemptions with which the cut can be reached by an execution that ends with a step of
 * t, by the recursion over the threads that could have been before it, memoised for all bounds; CB(s, t) follows.
 *
 * With rising bounds a graph is run once: a state that has no step left beyond any bound is closed, and stays so. What
 * is left of a level may then be states all of whose steps are closed or beyond the bound, which nobody has looked at
 * since the bound rose: an execution that comes to one is given up, and the state is marked.
 *
 * Deviations: a thread that has nothing left but its end ends at once (see must_exit()), so successors that delay this
 * are not asked for; operations with several outcomes (which waiter is woken) have one successor per outcome. */
#include <assert.h>
#include <string.h>

#include "schedule/internal.h"

enum { UNKNOWN = 255, MOST = 254, DEEPEST = 1 << 17 }; /* DEEPEST: nested cuts that the runtime's stack has room for */

struct graph_entry {
    struct sched_hash key;
    sched_set enabled;
    uint32_t marked;  /* in which level it was marked */
    bool closed;      /* every terminal graph that it leads to was visited, within any bound */
    bool has_enabled;
    uint8_t least[];  /* per thread */
};

struct cbpor {
    char *entries;
    size_t len, cap, item; /* item: size of an entry, for `threads` threads */
    int threads;
    uint32_t *slots;
    size_t slot_mask;
    uint32_t level;
    bool full;             /* no memory for more entries, or cuts too deep */
    int depth;             /* of nested calls of least() */
    struct sched_view view; /* the state last seen */
    STACK(uint32_t) work;  /* cuts to go on marking from */
};

static struct graph_entry *entry_at(const struct cbpor *c, size_t i)
{
    return (struct graph_entry *)(c->entries + i * c->item);
}

static size_t find_slot(const struct cbpor *c, struct sched_hash key)
{
    size_t i = key.lo & c->slot_mask;
    while (c->slots[i]) {
        const struct graph_entry *e = entry_at(c, c->slots[i] - 1);
        if (e->key.lo == key.lo && e->key.hi == key.hi)
            break;
        i = (i + 1) & c->slot_mask;
    }
    return i;
}

static size_t item_size(int threads)
{
    size_t unit = _Alignof(struct graph_entry);
    return (sizeof(struct graph_entry) + (size_t)threads + unit - 1) / unit * unit;
}

/* Room for twice the entries, or for more threads per entry. */
static bool resize(struct sched *s, struct cbpor *c, size_t cap, int threads)
{
    size_t item = item_size(threads), slots = cap * 2;
    if (!pool_has_room(&s->pool, cap * item + slots * sizeof *c->slots)) {
        s->stats.stop = SCHED_STOP_MEMORY;
        c->full = true;
        return false;
    }
    char *fresh = pool_alloc(&s->pool, cap * item);
    for (size_t i = 0; i < c->len; i++) {
        memset(fresh + i * item, UNKNOWN, item);
        memcpy(fresh + i * item, c->entries + i * c->item, sizeof(struct graph_entry) + (size_t)c->threads);
    }
    pool_free(&s->pool, c->entries);
    pool_free(&s->pool, c->slots);
    c->entries = fresh;
    c->item = item;
    c->cap = cap;
    c->threads = threads;
    c->slots = pool_alloc(&s->pool, slots * sizeof *c->slots);
    c->slot_mask = slots - 1;
    for (size_t i = 0; i < c->len; i++)
        c->slots[find_slot(c, entry_at(c, i)->key)] = (uint32_t)i + 1;
    return true;
}

/* The entry of a graph, new if need be; NULL when there is no memory. Valid until the next call. */
static struct graph_entry *entry_of(struct sched *s, struct sched_hash key)
{
    struct cbpor *c = s->own;
    size_t i = find_slot(c, key);
    if (c->slots[i])
        return entry_at(c, c->slots[i] - 1);
    if (c->len == c->cap) {
        if (c->full || !resize(s, c, c->cap * 2, c->threads))
            return NULL;
        i = find_slot(c, key);
    }
    struct graph_entry *e = entry_at(c, c->len++);
    memset(e, 0, sizeof *e);
    memset(e->least, UNKNOWN, (size_t)c->threads);
    e->key = key;
    c->slots[i] = (uint32_t)c->len;
    return e;
}

static const struct graph_entry *known(const struct cbpor *c, struct sched_hash key)
{
    size_t i = find_slot(c, key);
    return c->slots[i] ? entry_at(c, c->slots[i] - 1) : NULL;
}

static bool is_closed(const struct cbpor *c, struct sched_hash key)
{
    const struct graph_entry *e = known(c, key);
    return e && e->closed;
}

/* Nothing is left to do there within the bound. */
static bool is_marked(const struct cbpor *c, struct sched_hash key)
{
    const struct graph_entry *e = known(c, key);
    return e && (e->marked == c->level || e->closed);
}

static const struct sched_op *next_op(const struct sched *s, const uint32_t *cut, int t)
{
    const struct cbpor *c = s->own;
    return pending_op(s, &c->view, cut, t);
}

static sched_set enabled_in(struct sched *s, const uint32_t *cut, struct sched_hash key)
{
    struct graph_entry *e = entry_of(s, key);
    if (e && e->has_enabled)
        return e->enabled;
    sched_set ending, enabled = enabled_in_cut(s, &((struct cbpor *)s->own)->view, cut, &ending);
    enabled = set_any(enabled) ? enabled : ending;
    if (e) {
        e->enabled = enabled;
        e->has_enabled = true;
    }
    return enabled;
}

static const struct event *last_of(const struct hb *h, const uint32_t *cut, int t)
{
    return &h->events.at[h->thread[t].steps.at[cut[t] - 1]];
}

static struct sched_hash without_last(const struct hb *h, struct sched_hash key, const uint32_t *cut, int t)
{
    const struct event *e = last_of(h, cut, t);
    return (struct sched_hash){key.lo ^ e->hash.lo, key.hi ^ e->hash.hi};
}

/* The threads whose last event in the cut happens before no other event of it. */
static sched_set frontier(const struct hb *h, const uint32_t *cut)
{
    sched_set threads = SET_NONE, covered = SET_NONE;
    for (int t = 0; t < h->threads; t++) {
        if (!cut[t])
            continue;
        const uint32_t *clock = hb_clock_of(h, h->thread[t].steps.at[cut[t] - 1]);
        threads |= set_of(t);
        for (int u = 0; u < h->threads; u++)
            if (u != t && cut[u] && clock[u] >= cut[u])
                covered |= set_of(u);
    }
    return threads & ~covered;
}

static int cost(struct sched *s, uint32_t *cut, struct sched_hash key, int t);

/* Fewest preemptions of an execution of the cut whose last step is thread t's, which is in the frontier. */
static int least(struct sched *s, uint32_t *cut, struct sched_hash key, int t)
{
    const struct graph_entry *known = entry_of(s, key);
    if (!known)
        return 0; /* out of memory: the search ends anyway */
    if (known->least[t] != UNKNOWN)
        return known->least[t];
    struct cbpor *c = s->own;
    if (c->depth == DEEPEST) {
        s->stats.stop = SCHED_STOP_MEMORY;
        c->full = true;
        return 0;
    }
    struct sched_hash before = without_last(s->hb, key, cut, t);
    c->depth++;
    cut[t]--;
    int best = cost(s, cut, before, t);
    cut[t]++;
    best += event_is_surprise(last_of(s->hb, cut, t));
    c->depth--;
    struct graph_entry *e = entry_of(s, key);
    if (e)
        e->least[t] = (uint8_t)best;
    return best;
}

/* CB(s, t): fewest preemptions of an execution that reaches the cut and goes on with t. */
static int cost(struct sched *s, uint32_t *cut, struct sched_hash key, int t)
{
    sched_set last = frontier(s->hb, cut);
    int best = MOST, u;
    if (!set_any(last))
        return 0;
    sched_set enabled = next_op(s, cut, t)->kind == SCHED_END ? SET_NONE : enabled_in(s, cut, key); /* to end is free */
    FOR_EACH_THREAD(u, last) {
        int c = least(s, cut, key, u) + (u != t && set_has(enabled, u));
        if (c < best)
            best = c;
    }
    return best;
}

/* more: what the choice costs beside that. */
static bool beyond_bound(struct sched *s, uint32_t *cut, struct sched_hash key, int t, int more)
{
    if (s->bound < 0 || cost(s, cut, key, t) + more <= s->bound)
        return false;
    s->pruned = true;
    return true;
}

/* The graph after thread t did its next step in the cut. */
static struct sched_hash after(struct sched *s, const uint32_t *cut, struct sched_hash key, int t, uint32_t choice,
                               uint32_t *choices)
{
    struct event e;
    uint32_t clock[SCHED_MAX_THREADS];
    hb_predict(s->hb, cut, t, next_op(s, cut, t), choice, &e);
    hb_clock(s->hb, cut, &e, clock);
    struct sched_hash h = hb_event_hash(s->hb, &e, clock);
    *choices = e.choices;
    return (struct sched_hash){key.lo ^ h.lo, key.hi ^ h.hi};
}

/* The threads whose steps are asked for: only the one that is about to end, if there is one. */
static sched_set asked(const struct sched *s, const uint32_t *cut, sched_set enabled)
{
    int t;
    FOR_EACH_THREAD(t, enabled)
        if (cut[t] && next_op(s, cut, t)->kind == SCHED_EXIT)
            return set_of(t);
    return enabled;
}

/* A step to an unmarked graph within the bound, the running thread's first. */
static struct sched_pick unmarked_step(struct sched *s, uint32_t *cut, struct sched_hash key, int last)
{
    struct cbpor *c = s->own;
    sched_set threads = asked(s, cut, enabled_in(s, cut, key));
    for (int i = -1; i < s->hb->threads; i++) {
        int t = i < 0 ? last : i;
        if (t < 0 || !set_has(threads, t) || beyond_bound(s, cut, key, t, 0))
            continue;
        for (uint32_t choice = 0, choices = 1; choice < choices; choice++) {
            int more = choice_cost(next_op(s, cut, t), choice);
            if (!is_marked(c, after(s, cut, key, t, choice, &choices)) &&
                !(more && beyond_bound(s, cut, key, t, more)))
                return pick_step(t, choice);
        }
    }
    return pick_nothing(SCHED_PICK_REDUNDANT);
}

/* All steps from the cut lead to closed graphs, whatever they cost. */
static bool only_closed_follow(struct sched *s, const uint32_t *cut, struct sched_hash key)
{
    int t;
    FOR_EACH_THREAD(t, asked(s, cut, enabled_in(s, cut, key)))
        for (uint32_t choice = 0, choices = 1; choice < choices; choice++)
            if (!is_closed(s->own, after(s, cut, key, t, choice, &choices)))
                return false;
    return true;
}

static void mark(struct sched *s, const uint32_t *cut, struct sched_hash key, bool closed)
{
    struct cbpor *c = s->own;
    struct graph_entry *e = entry_of(s, key);
    if (!e)
        return;
    e->marked = c->level;
    e->closed |= closed;
    for (int t = 0; t < s->hb->threads; t++)
        stack_push(&s->pool, &c->work, cut[t]);
}

/* The graph is exhausted, and closed if it is a terminal one: so may be its predecessors now, and theirs. */
static void mark_all(struct sched *s, const uint32_t *full, bool terminal)
{
    struct cbpor *c = s->own;
    uint32_t cut[SCHED_MAX_THREADS];
    size_t n = (size_t)s->hb->threads;
    int t;
    c->work.len = 0;
    mark(s, full, s->hb->hash, terminal);
    while (c->work.len && !c->full) {
        c->work.len -= n;
        memcpy(cut, c->work.at + c->work.len, n * sizeof *cut);
        struct sched_hash key = hb_cut_hash(s->hb, cut);
        FOR_EACH_THREAD(t, frontier(s->hb, cut)) {
            struct sched_hash before = without_last(s->hb, key, cut, t);
            int more = event_is_surprise(last_of(s->hb, cut, t));
            cut[t]--;
            bool closes = !is_closed(c, before) && is_closed(c, key) && only_closed_follow(s, cut, before);
            if (closes || (!is_marked(c, before) && !beyond_bound(s, cut, before, t, more) &&
                           unmarked_step(s, cut, before, -1).thread < 0))
                mark(s, cut, before, closes);
            cut[t]++;
        }
    }
}

static void cbpor_begin(struct sched *s)
{
    struct cbpor *c = s->own;
    if (!c) {
        c = s->own = pool_alloc(&s->pool, sizeof *c);
        resize(s, c, 1024, 4);
    }
    c->level++;
    s->config.fair_bound = -1;
}

static void full_cut(const struct sched *s, uint32_t *cut)
{
    for (int t = 0; t < s->hb->threads; t++)
        cut[t] = (uint32_t)s->hb->thread[t].steps.len;
}

static void note_threads(struct sched *s)
{
    struct cbpor *c = s->own;
    if (s->hb->threads > c->threads)
        resize(s, c, c->cap, (int)s->hb->stride);
}

static void look_around(struct sched *s, const struct sched_view *view)
{
    struct cbpor *c = s->own;
    view_copy(&c->view, view);
    note_threads(s);
}

/* A state without successors, or one beyond which the search will not go, is exhausted. */
static void cbpor_arrived(struct sched *s, const struct sched_view *view)
{
    uint32_t cut[SCHED_MAX_THREADS];
    look_around(s, view);
    if (!set_any(view->enabled) || sched_is_cut(s)) {
        full_cut(s, cut);
        mark_all(s, cut, true);
    }
}

static struct sched_pick cbpor_pick(struct sched *s, const struct sched_view *view)
{
    struct cbpor *c = s->own;
    uint32_t cut[SCHED_MAX_THREADS];
    look_around(s, view);
    full_cut(s, cut);
    if (c->full)
        return pick_nothing(SCHED_PICK_STOP);
    struct sched_pick pick = unmarked_step(s, cut, s->hb->hash, sched_last(s));
    assert(pick.thread >= 0 || c->full || c->level > 1); /* Theorem 4: without lower bounds it is never blocked */
    if (pick.thread < 0 && !c->full)
        mark_all(s, cut, false);
    return pick;
}

/* Back to the longest prefix that is not exhausted. */
static bool cbpor_next(struct sched *s)
{
    struct cbpor *c = s->own;
    if (!is_marked(c, s->hb->hash)) { /* the program failed or ended in the last step: as good as a terminal state */
        uint32_t cut[SCHED_MAX_THREADS];
        full_cut(s, cut);
        mark_all(s, cut, true);
    }
    for (s->prefix = s->depth; is_marked(c, s->hb->hash); s->prefix--) {
        if (!s->prefix) {
            s->pruned &= !is_closed(c, s->hb->hash);
            return false;
        }
        hb_truncate(s->hb, s->prefix - 1);
    }
    return !c->full;
}

const struct strategy strategy_cbpor = {"cb-por",   CLOCKS_AND_HASHES, cbpor_begin,
                                        cbpor_pick, cbpor_arrived,     cbpor_next};

/* ---- Algorithm 1: every graph within the bound is visited once, also those that are the beginning of others. A run
 * that comes to nothing but visited graphs is given up, so there are more runs than with Algorithm 2; nothing has to be
 * marked. ---- */

static void note_visited(struct sched *s, struct sched_hash key)
{
    struct graph_entry *e = entry_of(s, key);
    if (e)
        e->marked = ((struct cbpor *)s->own)->level;
}

/* Where a thread is about to end it does so at once, so a state that leads here by such an end leads nowhere else. */
static void visit(struct sched *s)
{
    uint32_t cut[SCHED_MAX_THREADS];
    int t;
    full_cut(s, cut);
    note_visited(s, s->hb->hash);
    FOR_EACH_THREAD(t, frontier(s->hb, cut))
        if (cut[t] > 1 && s->hb->events.at[s->hb->thread[t].steps.at[cut[t] - 1]].kind == SCHED_EXIT)
            note_visited(s, without_last(s->hb, s->hb->hash, cut, t));
}

static void cbpor1_arrived(struct sched *s, const struct sched_view *view)
{
    look_around(s, view);
    visit(s);
}

static struct sched_pick cbpor1_pick(struct sched *s, const struct sched_view *view)
{
    struct cbpor *c = s->own;
    uint32_t cut[SCHED_MAX_THREADS];
    look_around(s, view);
    full_cut(s, cut);
    return c->full ? pick_nothing(SCHED_PICK_STOP) : unmarked_step(s, cut, s->hb->hash, sched_last(s));
}

/* Back to the longest prefix with a step to a graph not visited. The last state has none, or cannot be gone on from. */
static bool cbpor1_next(struct sched *s)
{
    struct cbpor *c = s->own;
    uint32_t cut[SCHED_MAX_THREADS];
    struct sched_hash key = s->hb->hash;
    visit(s);
    full_cut(s, cut);
    for (s->prefix = s->depth; s->prefix > 0 && !c->full;) {
        int t = s->hb->events.at[--s->prefix].thread;
        key = without_last(s->hb, key, cut, t);
        cut[t]--;
        if (unmarked_step(s, cut, key, -1).thread >= 0) {
            hb_truncate(s->hb, s->prefix);
            return true;
        }
    }
    return false;
}

const struct strategy strategy_cbpor1 = {"cb-por1",   CLOCKS_AND_HASHES, cbpor_begin,
                                         cbpor1_pick, cbpor1_arrived,    cbpor1_next};
