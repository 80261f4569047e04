/* The product by all threads, over codes of its nodes, for what is too large for one depth-first search (cycles.c).
 *
 * First all nodes are found, breadth first in rounds, within a bound level by level. A node is its code in a sorted
 * table, with four bytes beside it, and nothing else is kept.
 *
 * Then cycles are looked for without an order of visits (One Way Catch Them Young; Fisler, Fraer, Kamhi, Vardi and
 * Yang, TACAS 2001; for explicit states Cerna and Pelanek, SPIN 2003): from the set of all nodes whatever cannot be
 * reached from an accepting node of the set is taken out, then, again and again, nodes without a predecessor in the
 * set, until nothing more goes. What remains has an accepting cycle: a component of it that no other one leads to has
 * predecessors inside of it alone, and an accepting node, for its nodes are reached from one. With fairness the same is
 * done for each process in turn, with the nodes in which it cannot move and those that its steps lead to instead of the
 * accepting ones; the same component then has something for each of them.
 *
 * A cycle stays in one component of the automaton, so only nodes whose automaton is in one with an accepting state
 * belong to the set at all.
 *
 * Which nodes a round finds, and which remain of a set, does not depend on who came first. That there is an error is
 * all that is found out here, at which level; the run of it is made by another search with one thread (nested.c).
 *
 * Several processes do the same, each with a share of the nodes (ranks.c): what happens to a node happens where it
 * belongs, a pass is over when all that was sent has arrived, and what is counted is counted over all of them.
 * Cycles are looked for whenever the nodes have become four times as many, and at the end of a level. */
#include "search/sweep_int.h"

#include "base/components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARE = 128,         /* nodes that a thread takes at a time */
    FEW = 512,           /* nodes: one thread is done with them before the others are awake */
    NODES_PER_LOOK = 32,
    FIRST_CHECK = 1 << 20, CHECK_FACTOR = 4,
    NO_PROCESS = -1,     /* the duty is to be in an accepting state */
    TELL_PAUSE = 1 << 8, /* to other processes, or enum search_stop */
};

/* ---- lists ---- */

void sweep_list(struct sweep *s, struct keys *k, state_key key)
{
    if (k->len == k->cap) {
        size_t more = MAX(k->cap, (size_t)256);
        if (!budget_take(&s->run->budget, more * sizeof *k->at)) {
            stop(s, STOP_MEMORY);
            return;
        }
        k->cap += more;
        k->at = xrealloc(k->at, k->cap * sizeof *k->at);
    }
    k->at[k->len++] = key;
}

static void keys_release(struct sweep *s, struct keys *k)
{
    budget_give(&s->run->budget, k->cap * sizeof *k->at);
    free(k->at);
    *k = (struct keys){0};
}

/* ---- codes ---- */

static struct tailed_model *tailed(struct model *m) { return (struct tailed_model *)m; }

static uint32_t tailed_parts(struct model *m, const uint8_t *state, const struct model_part **parts)
{
    struct tailed_model *t = tailed(m);
    const struct model_part *of;
    uint32_t count = t->inner->ops->parts(t->inner, state, &of);
    for (size_t i = 0; i < t->known.len; i++)
        if (t->known.at[i].of == of) {
            *parts = t->known.at[i].with;
            return count + 1;
        }
    struct model_part *with = xmalloc((count + 1) * sizeof *with);
    memcpy(with, of, count * sizeof *with);
    with[count] = (struct model_part){of[count - 1].at + of[count - 1].size, TAIL, MODEL_NOBODY};
    vec_push(&t->known, ((struct tailed_parts){of, with}));
    *parts = with;
    return count + 1;
}

static int tailed_process_count(struct model *m, const uint8_t *state)
{
    return tailed(m)->inner->ops->process_count(tailed(m)->inner, state);
}

static size_t tailed_explain(struct model *m, const uint8_t *state, uint8_t *bytes, size_t room)
{
    return tailed(m)->inner->ops->explain(tailed(m)->inner, state, bytes, room);
}

/* Coders ask for nothing else. */
static const struct model_ops tailed_ops = {.parts = tailed_parts, .process_count = tailed_process_count,
                                            .explain = tailed_explain};
static const struct model_ops tailed_ops_of_one_piece = {.process_count = tailed_process_count};

static void tailed_init(struct tailed_model *t, struct model *inner)
{
    t->inner = inner;
    t->m = (struct model){.ops = inner->ops->parts ? &tailed_ops : &tailed_ops_of_one_piece};
}

static void tailed_release(struct tailed_model *t)
{
    for (size_t i = 0; i < t->known.len; i++) free((void *)t->known.at[i].with);
    vec_release(&t->known);
}

/* ---- what becomes of a node that a step leads to ---- */

static uint32_t mark_of(const struct lines *t, struct place p)
{
    uint32_t m;
    memcpy(&m, place_mark(t, p), sizeof m);
    return m;
}

static void set_mark(const struct lines *t, struct place p, uint32_t m) { memcpy(place_mark(t, p), &m, sizeof m); }

static uint32_t kind_of_key(state_key key) { return (uint32_t)(key >> KEY_BITS); }

static uint32_t kind_of_mark(uint32_t m) { return m >> KIND_AT; }

static bool find(struct sweeper *w, struct lines *t, state_key key, uint32_t kind)
{
    struct place p;
    if (t->count && lines_find(t, key, &p)) return false;
    if (!lines_add(t, key, &w->s->run->budget, &p)) {
        stop(w->s, STOP_MEMORY);
        return false;
    }
    set_mark(t, p, kind << KIND_AT);
    __atomic_store_n(&w->nodes, w->nodes + 1, __ATOMIC_RELAXED);
    return true;
}

static bool reach(const struct lines *t, state_key key, bool counts)
{
    struct place p;
    if (!t->count || !lines_find(t, key, &p)) return false;
    uint32_t m = mark_of(t, p);
    if (!(m & IN_SET)) return false;
    assert(!counts || (m & COUNT_MASK) < COUNT_MASK);
    set_mark(t, p, (m | REACHED) + counts);
    return !(m & REACHED);
}

static bool lose_predecessor(struct sweeper *w, const struct lines *t, state_key key)
{
    struct place p;
    if (!t->count || !lines_find(t, key, &p)) return false;
    uint32_t m = mark_of(t, p);
    if (!(m & IN_SET)) return false;
    assert(m & COUNT_MASK);
    bool goes = (--m & COUNT_MASK) == 0;
    set_mark(t, p, goes ? m & KIND_MASK : m);
    w->set += goes;
    return goes;
}

static bool do_deed(struct sweeper *w, struct lines *t, state_key with_kind)
{
    state_key key = with_kind & PART_MASK;
    switch (w->s->deed) {
    case DEED_FIND: return find(w, t, key, kind_of_key(with_kind));
    case DEED_REACH: return reach(t, key, true);
    case DEED_REACH_ONLY: return reach(t, key, false);
    case DEED_REMOVE: return lose_predecessor(w, t, key);
    }
    BUG("deed %d", w->s->deed);
}

static uint32_t part_of(state_key key) { return (uint32_t)((key & KEY_MASK) >> PART_BITS); }

static void empty_outbox(struct sweeper *w, uint32_t part)
{
    struct part *p = &w->s->parts[part];
    bool news[NODES_AT_ONCE];
    uint32_t len = w->outbox[part].len;
    spin_lock(&p->lock);
    for (uint32_t i = 0; i < len && p->lines.at; i++) lines_prefetch(&p->lines, w->outbox[part].at[i] & PART_MASK);
    for (uint32_t i = 0; i < len; i++)
        news[i] = !stopped(w->s) && do_deed(w, &p->lines, w->outbox[part].at[i]);
    spin_unlock(&p->lock);
    for (uint32_t i = 0; i < len; i++)
        if (news[i]) sweep_list(w->s, &w->found, w->outbox[part].at[i]);
    w->outbox[part].len = 0;
}

static void deliver(struct sweeper *w, state_key key, bool later)
{
    uint32_t part = part_of(key);
    if (later) {
        sweep_list(w->s, &w->later, key);
        return;
    }
    w->outbox[part].at[w->outbox[part].len++] = key;
    if (w->outbox[part].len == NODES_AT_ONCE) empty_outbox(w, part);
}

static void find_keys(struct sweeper *w)
{
    struct tree_batch *b = &w->batch;
    tree_answer(b);
    for (uint32_t i = 0; i < b->len; i++) {
        if (b->requests[i].key == NO_KEY) stop(w->s, STOP_MEMORY);
        else deliver(w, b->requests[i].key | (state_key)w->asks_kind[i] << KEY_BITS, w->asks_later[i]);
    }
    b->len = 0;
}

static void flush(struct sweeper *w)
{
    if (w->s->tree && !stopped(w->s)) find_keys(w);
    for (uint32_t i = 0; i < PARTS; i++) empty_outbox(w, i);
}

static uint8_t kind_of_node(const struct sweeper *w, const uint8_t *node, uint32_t size)
{
    uint32_t claim = node_tail(node, size).claim;
    bool recurs = !w->s->recurs || w->s->recurs[claim];
    return (recurs ? RECURS : 0) | (claim_is_accepting(&w->c, (int)claim) ? ACCEPTS : 0);
}

/* To a node of this process. */
static void arrive(struct sweeper *w, const uint64_t *code, uint8_t kind, bool later)
{
    if (!w->s->tree) {
        deliver(w, key_mix(*code) | (state_key)kind << KEY_BITS, later);
        return;
    }
    w->asks_kind[w->batch.len] = kind;
    w->asks_later[w->batch.len] = later;
    tree_ask(&w->batch, &w->reader, code);
    if (w->batch.len == TREE_BATCH) find_keys(w);
}

/* What a process is told about a node: kind, whether it is for the next level, code. */
static size_t item_bytes(const struct sweep *s) { return 2 + s->words * sizeof(uint64_t); }

static void send_away(struct sweeper *w, int owner, const uint64_t *code, uint8_t kind, bool later)
{
    w->message[0] = kind;
    w->message[1] = later;
    memcpy(w->message + 2, code, w->s->words * sizeof *code);
    exchange_put(w->s->exchange, (int)(w - w->s->sweepers), owner, w->message);
}

static void arrive_from_elsewhere(void *ctx, const uint8_t *items, size_t count)
{
    struct sweep *s = ctx;
    uint64_t *code = xmalloc(s->words * sizeof *code);
    for (size_t i = 0; i < count && !stopped(s); i++, items += item_bytes(s)) {
        memcpy(code, items + 2, s->words * sizeof *code);
        arrive(&s->sweepers[0], code, items[0], items[1]);
    }
    free(code);
}

static void hear(void *ctx, uint32_t what)
{
    struct sweep *s = ctx;
    if (what == TELL_PAUSE) __atomic_store_n(&s->checkpoints.pausing, true, __ATOMIC_RELAXED);
    else stop(s, (enum search_stop)what);
}

static void tell_pause(void *sweep) { exchange_tell(((struct sweep *)sweep)->exchange, TELL_PAUSE); }

/* To the node with these bytes, which resembles the one being expanded. */
static void send(struct sweeper *w, const uint8_t *node, uint32_t size, bool later)
{
    struct sweep *s = w->s;
    if (!coder_encode(&w->coder, node, size, w->code)) {
        if (w->coder.missed) w->misses = true;
        else stop(s, STOP_MEMORY);
        return;
    }
    uint8_t kind = kind_of_node(w, node, size);
    int owner = s->cluster ? code_owner(w->code, s->words, false, s->ranks) : s->rank;
    if (owner == s->rank) arrive(w, w->code, kind, later);
    else send_away(w, owner, w->code, kind, later);
}

/* ---- nodes ---- */

static bool pausing(const struct sweep *s) { return __atomic_load_n(&s->checkpoints.pausing, __ATOMIC_RELAXED); }

/* Whether the threads come to rest; only where they can go on later. */
static bool is_pausing(struct sweep *s)
{
    if (!s->run->opt->checkpoints || s->deed != DEED_FIND) return false;
    return pausing(s) || checkpoint_is_due(&s->checkpoints);
}

static void look(struct sweeper *w)
{
    struct sweep *s = w->s;
    if (w != s->sweepers || ++w->looks % NODES_PER_LOOK) return;
    uint64_t nodes = s->nodes_elsewhere;
    if (s->cluster) exchange_progress(s->exchange);
    for (int i = 0; i < s->count; i++) nodes += __atomic_load_n(&s->sweepers[i].nodes, __ATOMIC_RELAXED);
    s->nodes = nodes;
    if (is_pausing(s)) return;
    for (int i = 0; i < NODES_PER_LOOK; i++)
        if (run_tick(s->run)) stop(s, s->run->res->stop);
}

/* Its bytes are the coder's until it enters another one. */
static void enter(struct sweeper *w, state_key with_kind)
{
    state_key key = with_kind & KEY_MASK;
    uint64_t one_word = key_unmix(key);
    coder_enter(&w->coder, w->s->tree ? tree_read(&w->reader, key) : &one_word);
    w->node = coder_state(&w->coder);
    w->size = w->coder.form->size;
}

static bool expand(struct sweeper *w)
{
    bool goes_on = product_claim(&w->c, w->node, w->size);
    if (goes_on) product_expand_reduced(&w->c, w->node, w->size, &w->steps);
    if (w->c.run.m->cut && w == w->s->sweepers) stop(w->s, w->s->run->res->stop); /* the others do when all stop */
    return goes_on && !stopped(w->s);
}

/* For the first time: all steps, and what ends an execution. */
static void find_successors(struct sweeper *w)
{
    bool goes_on = expand(w);
    w->ends |= w->c.violated || w->c.claim_fault;
    if (!goes_on) return;
    int64_t room = w->c.bounded ? 0 : 1;
    w->ends |= product_faulty(&w->c, &w->steps, room) != MODEL_NOBODY;
    w->ends_later |= product_faulty(&w->c, &w->steps, 1) != MODEL_NOBODY;
    for (size_t i = 0; i < w->steps.list.len && !stopped(w->s); i++) {
        const struct product_step *t = &w->steps.list.at[i];
        if (t->size && !t->fault) send(w, w->steps.bytes.at + t->at, t->size, t->cost);
    }
}

/* Along steps that a cycle can have. */
static void follow_steps(struct sweeper *w, int only)
{
    if (!expand(w)) return;
    for (size_t i = 0; i < w->steps.list.len && !stopped(w->s); i++) {
        const struct product_step *t = &w->steps.list.at[i];
        const uint8_t *node = w->steps.bytes.at + t->at;
        if (!t->size || t->fault || t->cost || !(kind_of_node(w, node, t->size) & RECURS)) continue;
        if (only == NO_PROCESS || t->pid == only || t->last == only) send(w, node, t->size, false);
    }
}

/* ---- passes over a list ---- */

static uint32_t shares(const struct keys *k) { return (uint32_t)((k->len + SHARE - 1) / SHARE); }

typedef void node_deed(struct sweeper *w, state_key key);

/* Enters each node of a share of the round, and does something there; or not, if it is time to rest. */
static void pass_share(struct sweep *s, int worker, uint32_t part, node_deed *act)
{
    struct sweeper *w = &s->sweepers[worker];
    const struct keys *k = s->round;
    if (pausing(s)) return;
    if (s->done) s->done[part] = true;
    for (; part >= shares(k); k++) part -= shares(k);
    coder_refresh(&w->coder);
    for (size_t i = (size_t)part * SHARE; i < MIN(k->len, ((size_t)part + 1) * SHARE) && !stopped(s); i++) {
        look(w);
        enter(w, k->at[i]);
        act(w, k->at[i]);
    }
}

static void expand_node(struct sweeper *w, state_key key)
{
    if (w->s->deed == DEED_FIND) find_successors(w);
    else follow_steps(w, NO_PROCESS);
    assert(!w->misses || w->s->deed == DEED_FIND); /* later on all nodes are known, and so are their values */
    if (w->misses) sweep_list(w->s, &w->postponed, key);
    w->misses = false;
}

static void expand_share(void *ctx, int worker, uint32_t part) { pass_share(ctx, worker, part, expand_node); }

static void look_while_waiting(void *ctx)
{
    struct sweeper *w = ((struct sweep *)ctx)->sweepers;
    w->looks = NODES_PER_LOOK - 1;
    look(w);
}

static void swap_keys(struct keys *a, struct keys *b)
{
    struct keys k = *a;
    *a = *b;
    *b = k;
}

/* ---- several processes ---- */

static void flush_all(struct sweep *s)
{
    for (int i = 0; i < s->count; i++) flush(&s->sweepers[i]);
}

static void share_values(struct sweep *s)
{
    struct coder **coders = xcalloc((size_t)s->count, sizeof *coders);
    for (int i = 0; i < s->count; i++) coders[i] = &s->sweepers[i].coder;
    if (!ranks_share_values(s->cluster, (struct noting){coders, s->count}, s->book, s->run->m)) stop(s, STOP_MEMORY);
    free(coders);
}

/* To find a node twice changes nothing; its steps were counted. */
static void redo_postponed(struct sweep *s)
{
    for (int i = 0; i < s->count; i++) {
        struct sweeper *w = &s->sweepers[i];
        struct keys before = {0};
        uint64_t transitions = w->counts.transitions;
        swap_keys(&before, &w->postponed);
        coder_refresh(&w->coder);
        for (size_t k = 0; k < before.len && !stopped(s); k++) {
            enter(w, before.at[k]);
            expand_node(w, before.at[k]);
        }
        w->counts.transitions = transitions;
        keys_release(s, &before);
    }
}

static uint64_t count_wanted(const struct sweep *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->count; i++) n += s->sweepers[i].coder.wanted.len > 0;
    return n;
}

/* All that was sent has arrived, and all have stopped if one has. */
static void settle(struct sweep *s)
{
    for (bool again = s->cluster; again;) {
        flush_all(s);
        if (stopped(s)) exchange_tell(s->exchange, s->why);
        exchange_settle(s->exchange);
        flush(&s->sweepers[0]);
        uint64_t sums[2] = {count_wanted(s), codebook_is_full(s->book)};
        ranks_agree(s->cluster, sums, ARRAY_LEN(sums), &s->why);
        s->full = sums[1];
        again = sums[0] && !stopped(s);
        if (!again) return;
        share_values(s);
        redo_postponed(s);
    }
}

/* Of all processes, which stop if one has. */
static uint64_t sum(struct sweep *s, uint64_t value)
{
    if (s->cluster) ranks_agree(s->cluster, &value, 1, &s->why);
    return value;
}

static uint64_t most(struct sweep *s, uint64_t value)
{
    byte_list all = {0};
    if (!s->cluster) return value;
    cluster_gather(s->cluster, &value, sizeof value, &all);
    for (size_t i = 0; i < all.len; i += sizeof value) {
        uint64_t other;
        memcpy(&other, all.at + i, sizeof other);
        value = MAX(value, other);
    }
    vec_release(&all);
    return value;
}

/* ---- rounds ---- */

static void share_out(struct sweep *s, uint64_t nodes, uint32_t parts, crew_part *part)
{
    crew_run(nodes < FEW ? s->alone : s->crew, parts, part, look_while_waiting, s);
    flush_all(s);
    settle(s);
}

/* What was found becomes the round. */
static uint64_t next_round(struct sweep *s)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++) {
        swap_keys(&s->round[i], &s->sweepers[i].found);
        s->sweepers[i].found.len = 0;
        all += s->round[i].len;
    }
    all = sum(s, all);
    return stopped(s) ? 0 : all;
}

static uint32_t all_shares(const struct sweep *s)
{
    uint32_t n = 0;
    for (int i = 0; i < s->count; i++) n += shares(&s->round[i]);
    return n;
}

static void expand_rounds(struct sweep *s)
{
    for (uint64_t n; (n = next_round(s));) share_out(s, n, all_shares(s), expand_share);
}

/* ---- passes over the table ---- */

/* Calls fn(w, t, p, key) for every node of a part; fn may change its mark. */
typedef void each_fn(struct sweeper *w, struct lines *t, struct place p, state_key key);
struct each { struct sweep *s; each_fn *fn; };

static void each_in_part(void *ctx, int worker, uint32_t part)
{
    struct each *x = ctx;
    struct lines *t = &x->s->parts[part].lines;
    struct sweeper *w = &x->s->sweepers[worker];
    struct place p;
    coder_refresh(&w->coder);
    for (bool there = t->count && lines_from(t, 0, &p); there && !stopped(x->s); p.slot++, there = lines_here(t, &p)) {
        look(w);
        x->fn(w, t, p, place_key(t, p) | (state_key)part << PART_BITS);
    }
}

/* Returns what all of them counted. Steps that fn takes are delivered later, when nobody is in the table. */
static uint64_t each_node(struct sweep *s, each_fn *fn)
{
    struct each x = {s, fn};
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++) s->sweepers[i].set = 0;
    crew_run(s->nodes < FEW ? s->alone : s->crew, PARTS, each_in_part, NULL, &x);
    for (int i = 0; i < s->count; i++) all += s->sweepers[i].set;
    return sum(s, all);
}

static void put_in_set(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p) & KIND_MASK;
    bool in = kind_of_mark(m) & RECURS;
    (void)key;
    set_mark(t, p, in ? m | IN_SET : m);
    w->set += in;
}

static void forget_reached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    (void)w, (void)key;
    set_mark(t, p, mark_of(t, p) & (KIND_MASK | IN_SET));
}

static void begin_at(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    set_mark(t, p, mark_of(t, p) | REACHED);
    sweep_list(w->s, &w->found, key);
}

static void begin_at_accepting(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    if (m & IN_SET && kind_of_mark(m) & ACCEPTS) begin_at(w, t, p, key);
}

static void list_set(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & IN_SET) sweep_list(w->s, &w->found, key);
}

static void list_reached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & REACHED) sweep_list(w->s, &w->found, key);
}

static void drop_unreached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    (void)key;
    if (!(m & IN_SET) || m & REACHED) return;
    set_mark(t, p, m & KIND_MASK);
    w->set++;
}

static void drop_without_predecessor(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    if (!(m & IN_SET) || m & COUNT_MASK) return;
    set_mark(t, p, m & KIND_MASK);
    w->set++;
    sweep_list(w->s, &w->found, key);
}

/* ---- cycles ---- */

/* Where the process cannot move, and where its steps lead to. */
static void do_duty(struct sweeper *w, state_key key)
{
    int duty = w->s->duty;
    follow_steps(w, duty);
    bool rests = !stopped(w->s) && w->c.here.fair[duty / 64] >> duty % 64 & 1;
    if (rests) deliver(w, key, false);
}

static void do_duty_share(void *ctx, int worker, uint32_t part) { pass_share(ctx, worker, part, do_duty); }

static void begin_at_duty(struct sweep *s)
{
    if (s->duty == NO_PROCESS) {
        each_node(s, begin_at_accepting);
        return;
    }
    each_node(s, list_set);
    uint64_t n = next_round(s);
    s->deed = DEED_REACH_ONLY;
    if (n) share_out(s, n, all_shares(s), do_duty_share);
    for (int i = 0; i < s->count; i++) s->sweepers[i].found.len = 0;
    each_node(s, list_reached);
}

/* Takes out what cannot be reached from where the duty is done, and what has no predecessor then. Returns how many. */
static uint64_t narrow(struct sweep *s)
{
    each_node(s, forget_reached);
    begin_at_duty(s);
    s->deed = DEED_REACH;
    expand_rounds(s);
    uint64_t gone = each_node(s, drop_unreached);
    gone += each_node(s, drop_without_predecessor);
    s->deed = DEED_REMOVE;
    for (int i = 0; i < s->count; i++) s->sweepers[i].set = 0;
    expand_rounds(s);
    uint64_t removed = 0;
    for (int i = 0; i < s->count; i++) removed += s->sweepers[i].set;
    gone += sum(s, removed);
    return stopped(s) ? 0 : gone;
}

static void note_processes(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (!(mark_of(t, p) & IN_SET)) return;
    enter(w, key);
    w->set = MAX(w->set, (uint64_t)tailed_process_count(&w->model.m, w->node));
}

static int processes_in_set(struct sweep *s)
{
    if (!s->like->p->fair) return 0;
    each_node(s, note_processes);
    uint64_t processes = 0;
    for (int i = 0; i < s->count; i++) processes = MAX(processes, s->sweepers[i].set);
    return (int)most(s, processes);
}

static bool has_cycle(struct sweep *s)
{
    uint64_t left = each_node(s, put_in_set);
    int processes = processes_in_set(s);
    for (bool narrows = true; narrows && left && !stopped(s);) {
        narrows = false;
        for (s->duty = NO_PROCESS; s->duty < processes && left && !stopped(s); s->duty++) {
            uint64_t gone = narrow(s);
            narrows |= gone > 0;
            assert(gone <= left);
            left -= gone;
        }
    }
    return left && !stopped(s);
}

/* A limit was reached while cycles were looked for: nothing of that is kept, and whoever goes on begins with it. */
static void leave_before_cycles(struct sweep *s)
{
    sum(s, 0); /* all have the same reason */
    uint32_t why = s->why;
    if (why != STOP_TIME && why != STOP_INTERRUPTED) return;
    s->why = STOP_NOT_YET; /* what is written is whole */
    checkpoint_write(&s->checkpoints);
    s->why = why;
}

static void look_for_cycle(struct sweep *s)
{
    struct keys *waiting = xcalloc((size_t)s->count, sizeof *waiting);
    uint64_t *transitions = xcalloc((size_t)s->count, sizeof *transitions);
    for (int i = 0; i < s->count; i++) {
        waiting[i] = s->round[i]; /* that it has is the next round of the search for nodes */
        s->round[i] = (struct keys){0};
        transitions[i] = s->sweepers[i].counts.transitions;
    }
    bool there = has_cycle(s);
    for (int i = 0; i < s->count; i++) {
        keys_release(s, &s->round[i]);
        s->round[i] = waiting[i];
        s->sweepers[i].counts.transitions = transitions[i];
    }
    free(waiting);
    free(transitions);
    s->deed = DEED_FIND;
    if (there) stop(s, STOP_ERROR);
    if (s->run->opt->checkpoints) leave_before_cycles(s);
    s->checked_at = s->nodes;
}

/* ---- nodes, level by level ---- */

/* Of all processes. */
static void publish(struct sweep *s)
{
    uint64_t sums[3] = {0};
    for (int i = 0; i < s->count; i++) {
        sums[0] += s->sweepers[i].nodes;
        sums[1] += s->sweepers[i].counts.transitions;
        sums[2] += s->sweepers[i].counts.faults_left;
    }
    uint64_t own = sums[0];
    if (s->cluster) ranks_agree(s->cluster, sums, ARRAY_LEN(sums), &s->why);
    s->nodes = sums[0];
    s->nodes_elsewhere = sums[0] - own;
    s->run->res->transitions = sums[1];
    s->run->res->faults_left |= sums[2] > 0;
}

static void end_round(struct sweep *s)
{
    uint64_t ends = 0, later = 0;
    for (int i = 0; i < s->count; i++) {
        ends += s->sweepers[i].ends;
        later += s->sweepers[i].ends_later;
    }
    if (sum(s, ends) && !stopped(s)) stop(s, STOP_ERROR);
    s->costly_end |= sum(s, later) > 0;
    publish(s);
}

/* What is left of the round. Returns how much that is in all processes. */
static uint64_t drop_done(struct sweep *s)
{
    uint64_t left = 0;
    uint32_t part = 0;
    for (int i = 0; i < s->count; i++) {
        struct keys *k = &s->round[i];
        size_t kept = 0, len = k->len;
        for (size_t at = 0; at < len; at += SHARE, part++) {
            size_t n = MIN(len - at, (size_t)SHARE);
            if (s->done[part]) continue;
            memmove(k->at + kept, k->at + at, n * sizeof *k->at);
            kept += n;
        }
        k->len = kept;
        left += kept;
    }
    return sum(s, left);
}

/* All that was found has arrived, all threads are at rest: what there is now is all that there is to go on from. */
static uint64_t rest(struct sweep *s)
{
    uint64_t left = drop_done(s);
    s->mid_round = true;
    if (!stopped(s)) checkpoint_write(&s->checkpoints);
    s->checkpoints.pausing = s->mid_round = false;
    sum(s, 0); /* all stop if one does */
    return stopped(s) ? 0 : left;
}

/* A round, with rests in between. */
static void expand_round(struct sweep *s, uint64_t nodes)
{
    while (nodes && !stopped(s)) {
        uint32_t parts = all_shares(s);
        s->done = s->run->opt->checkpoints ? xcalloc(parts + 1, sizeof *s->done) : NULL;
        share_out(s, nodes, parts, expand_share);
        bool rests = s->done && sum(s, pausing(s)) && !stopped(s);
        nodes = rests ? rest(s) : 0;
        free(s->done);
        s->done = NULL;
    }
    if (!stopped(s)) end_round(s);
}

static uint64_t nodes_of_round(struct sweep *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->count; i++) n += s->round[i].len;
    return sum(s, n);
}

static void find_nodes(struct sweep *s)
{
    s->deed = DEED_FIND;
    if (s->mid_round) {
        s->mid_round = false;
        expand_round(s, nodes_of_round(s));
    }
    for (uint64_t n; (n = next_round(s));) {
        if (s->nodes >= MAX((uint64_t)FIRST_CHECK, CHECK_FACTOR * s->checked_at)) look_for_cycle(s);
        if (stopped(s)) return;
        s->run->res->depth++;
        expand_round(s, n);
    }
}

static void begin_level(struct sweep *s)
{
    s->deed = DEED_FIND;
    s->level++;
    if (s->costly_end) stop(s, STOP_ERROR);
    for (int i = 0; i < s->count; i++) {
        struct sweeper *w = &s->sweepers[i];
        swap_keys(&s->later[i], &w->later);
        for (size_t k = 0; k < s->later[i].len && !stopped(s); k++) deliver(w, s->later[i].at[k], false);
        flush(w);
        keys_release(s, &s->later[i]);
    }
    settle(s);
    publish(s);
}

static bool has_later(struct sweep *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->count; i++) n += s->sweepers[i].later.len;
    return sum(s, n) || s->costly_end;
}

static void end_level(struct sweep *s)
{
    struct run *r = s->run;
    r->res->bound = s->level;
    struct search_level done = {s->level, s->nodes, r->res->transitions, seconds_now() - r->started};
    if (r->opt->level_done) r->opt->level_done(r->opt->ctx, &done);
    if (!has_later(s)) stop(s, STOP_COMPLETE);
    else if (s->level == r->opt->bound) stop(s, STOP_BOUND);
}

static void explore(struct sweep *s)
{
    bool bounded = s->like->bounded;
    for (;;) {
        find_nodes(s);
        if (!stopped(s) && s->nodes > s->checked_at) look_for_cycle(s);
        if (!stopped(s) && bounded) end_level(s);
        else if (!stopped(s)) stop(s, STOP_COMPLETE);
        if (stopped(s)) return;
        begin_level(s);
    }
}

/* ---- begin and end ---- */

static int edge_count(void *ctx, int state) { return (int)((const struct buchi *)ctx)->states.at[state].edges.len; }

static int edge_target(void *ctx, int state, int i)
{
    return ((const struct buchi *)ctx)->states.at[state].edges.at[i].to;
}

static bool *find_recurring(const struct buchi *b)
{
    size_t n = b->states.len;
    int *component = xcalloc(n + 1, sizeof *component);
    bool *good = xcalloc(n + 1, sizeof *good), *recurs = xcalloc(n + 1, sizeof *recurs);
    struct graph g = {(int)n, (void *)b, edge_count, edge_target};
    graph_components(&g, component);
    for (size_t i = 0; i < n; i++)
        if (b->states.at[i].accepting) good[component[i]] = true;
    for (size_t i = 0; i < n; i++) recurs[i] = good[component[i]];
    free(component);
    free(good);
    return recurs;
}

static bool asks_sweeper(void *ctx) { return stopped(ctx); }

static bool sweeper_init(struct sweep *s, struct sweeper *w, bool first)
{
    struct model *m = s->run->m;
    *w = (struct sweeper){.s = s};
    struct model *own = first ? m : m->ops->another ? m->ops->another(m) : NULL;
    if (!own) return false;
    if (s->run->opt->checkpoints) model_ask(own, checkpoint_cuts_step, &s->checkpoints);
    else if (!first) model_ask(own, asks_sweeper, s);
    w->c = (struct cycles){.p = s->like->p, .bounded = s->like->bounded, .lenient = s->like->lenient,
                           .run = {.m = own, .opt = s->run->opt, .res = &w->counts}};
    tailed_init(&w->model, own);
    coder_init(&w->coder, s->book, &w->model.m);
    w->code = xcalloc(s->words, sizeof *w->code);
    w->message = xcalloc(1, item_bytes(s));
    if (s->tree) {
        tree_reader_init(&w->reader, s->tree);
        tree_batch_init(&w->batch, s->tree);
    }
    return true;
}

static void sweeper_release(struct sweep *s, struct sweeper *w)
{
    struct model *m = s->run->m;
    keys_release(s, &w->found);
    keys_release(s, &w->later);
    keys_release(s, &w->postponed);
    free(w->message);
    product_steps_release(&w->steps);
    free(w->code);
    coder_release(&w->coder);
    tree_reader_release(&w->reader);
    tree_batch_release(&w->batch);
    tailed_release(&w->model);
    cycles_release(&w->c);
    m->max_state = MAX(m->max_state, w->c.run.m->max_state);
    m->met_inside |= w->c.run.m->met_inside;
    if (w->c.run.m != m) w->c.run.m->ops->free(w->c.run.m);
}

static void begin(struct sweep *s, int threads)
{
    s->book = codebook_new(&s->run->budget, s->words, false);
    if (s->words > 1) s->tree = tree_new(&s->run->budget, s->words);
    if (s->words > 1 && !s->tree) stop(s, STOP_MEMORY);
    for (int i = 0; i < PARTS; i++) lines_init(&s->parts[i].lines, PART_BITS, sizeof(uint32_t), 0);
    s->sweepers = aligned_alloc(64, (size_t)threads * sizeof *s->sweepers);
    if (!s->sweepers) die("out of memory");
    while (s->count < threads && sweeper_init(s, &s->sweepers[s->count], !s->count)) s->count++;
    s->round = xcalloc((size_t)s->count, sizeof *s->round);
    s->later = xcalloc((size_t)s->count, sizeof *s->later);
    s->crew = crew_new(s->count);
    s->alone = crew_new(1);
    s->checkpoints = (struct checkpointing){.run = s->run, .why = &s->why, .search = s, .tell_pause = tell_pause,
                                            .put_head = sweep_put_head, .put = sweep_put, .saved_at = seconds_now()};
    s->recurs = s->like->p->automaton ? find_recurring(s->like->p->automaton) : NULL;
    s->run->states = &s->nodes;
    s->ranks = 1;
    s->cluster = s->run->opt->cluster;
    if (!s->cluster || s->like->p->number < 0) {
        s->cluster = NULL;
        return;
    }
    s->checkpoints.cluster = s->cluster;
    s->checkpoints.rank = s->rank = cluster_rank(s->cluster);
    s->ranks = cluster_size(s->cluster);
    codebook_close(s->book);
    crew_look_often(s->crew);
    s->exchange = exchange_new(s->cluster, (struct exchange_plan){.workers = s->count, .item = item_bytes(s),
                                                                 .arrive = arrive_from_elsewhere, .told = hear,
                                                                 .ctx = s});
}

static void release(struct sweep *s)
{
    exchange_free(s->exchange);
    crew_free(s->crew);
    crew_free(s->alone);
    for (int i = 0; i < s->count; i++) {
        keys_release(s, &s->round[i]);
        keys_release(s, &s->later[i]);
        sweeper_release(s, &s->sweepers[i]);
    }
    for (int i = 0; i < PARTS; i++) lines_release(&s->parts[i].lines, &s->run->budget);
    free(s->sweepers);
    free(s->round);
    free(s->later);
    free(s->recurs);
    tree_free(s->tree);
    codebook_free(s->book);
}

static void enter_initial(struct sweep *s)
{
    struct sweeper *w = &s->sweepers[0];
    struct model *m = s->run->m;
    uint8_t *node = xcalloc(1, m->max_state + TAIL);
    uint32_t size = m->ops->initial(m, node);
    struct tail t = product_start(&w->c);
    memcpy(node + size, &t, TAIL);
    s->deed = DEED_FIND;
    for (int tries = s->cluster ? 2 : 1; tries > 0; tries--) { /* all have its values before it is anywhere */
        coder_refresh(&w->coder);
        if (!s->rank && !stopped(s)) send(w, node, size + TAIL, false);
        flush(w);
        w->misses = false;
        settle(s);
    }
    free(node);
}

/* One try, with codes of so many words. False: they do not suffice. */
static bool try_words(const struct cycles *like, struct run *r, uint32_t words, const struct sweep_head *resumed)
{
    struct sweep s = {.like = like, .run = r, .words = words};
    begin(&s, MAX(r->opt->workers, 1));
    if (r->res->bad_checkpoint) stop(&s, STOP_MEMORY);
    if ((!stopped(&s) || s.cluster) && !resumed) enter_initial(&s);
    else if (!stopped(&s)) sweep_get(&s, r->opt->checkpoints->resume, *resumed);
    if (s.cluster) r->res->bad_checkpoint |= sum(&s, r->res->bad_checkpoint) > 0;
    if (!stopped(&s)) publish(&s);
    if (!stopped(&s)) explore(&s);
    publish(&s);
    if (s.cluster) ranks_join_results(s.cluster, r);
    bool full = s.cluster ? s.full : codebook_is_full(s.book);
    r->res->states = s.nodes;
    if (!full && s.why == STOP_ERROR) {
        r->res->errors = 1;
        r->res->error_level = like->bounded ? s.level : -1;
    }
    if (!full) run_stop(r, (enum search_stop)s.why);
    run_publish(r);
    r->states = NULL;
    r->store.count = s.nodes;
    release(&s);
    return !full;
}

void sweep_search(const struct cycles *like)
{
    struct run run = like->run;
    struct sweep_head head = {.words = 1};
    struct archive *from = run.opt->checkpoints ? run.opt->checkpoints->resume : NULL;
    if (run.opt->cluster && like->p->number >= 0 && !cluster_is_other()) ranks_order_sweep(run.m, run.opt, like->p);
    run_begin(&run);
    if (from && !sweep_get_head(from, &head)) run.res->bad_checkpoint = true;
    for (uint32_t words = head.words; !try_words(like, &run, words, from ? &head : NULL); words *= 2, from = NULL) {
        assert(!run.stopped || run.res->stop != STOP_ERROR);
        *run.res = (struct search_result){.bound = -1, .error_level = -1};
        run.stopped = false;
        run.budget.refused = false;
    }
    run_end(&run);
}
