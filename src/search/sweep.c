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
 * Cycles are looked for whenever the nodes have become four times as many, and at the end of a level. */
#include "search/cycles_int.h"

#include "base/components.h"
#include "search/codes_int.h"
#include "search/crew_int.h"
#include "search/lines_int.h"
#include "search/tree_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS_LOG = 6, PARTS = 1 << PARTS_LOG,
    OUTBOX = 64,
    SHARE = 128,         /* nodes that a thread takes at a time */
    FEW = 512,           /* nodes: one thread is done with them before the others are awake */
    NODES_PER_LOOK = 32,
    FIRST_CHECK = 1 << 20, CHECK_FACTOR = 4,
    NO_PROCESS = -1,     /* the duty is to be in an accepting state */
};

/* The table is in parts by the first bits of the key; in a part keys have the others. */
#define PART_BITS (KEY_BITS - PARTS_LOG)
#define PART_MASK ((UINT64_C(1) << PART_BITS) - 1)

/* The mark of a node: whether its automaton is in a component with an accepting state, and in such a state; whether the
 * node is in the set, was reached, and how many predecessors it has in the set. The first two are known when the node
 * is found, and travel with its key. */
enum { KIND_AT = 30, IN_SET = 1u << 29, REACHED = 1u << 28, COUNT_MASK = REACHED - 1 };
enum { RECURS = 1, ACCEPTS = 2 };
#define KIND_MASK (3u << KIND_AT)

struct part { struct spin lock; struct lines lines; } __attribute__((aligned(64)));

/* Keys of nodes to be dealt with. */
struct keys { state_key *at; size_t len, cap; };

/* What happens to the nodes that steps lead to. */
enum deed { DEED_FIND, DEED_REACH, DEED_REACH_ONLY, DEED_REMOVE };

/* The states of the model with the automaton's behind them, as coders see them. */
struct tailed_parts { const struct model_part *of, *with; };
struct tailed_model { struct model m; struct model *inner; VEC(struct tailed_parts) known; };

struct sweep;
struct sweeper {
    struct sweep *s;
    struct cycles c;           /* with its own handle on the model */
    struct search_result counts;
    struct tailed_model model;
    struct coder coder;
    struct tree_reader reader;
    struct tree_batch batch;
    bool asks_later[TREE_BATCH];
    uint8_t asks_kind[TREE_BATCH];
    uint64_t *code;
    struct product_steps steps;
    const uint8_t *node;       /* being expanded: the coder's */
    uint32_t size;
    struct { uint32_t len; state_key at[OUTBOX]; } outbox[PARTS];
    struct keys found, later;
    uint64_t nodes, set;       /* found; that were put into the set or taken out of it in this pass */
    bool ends, ends_later;     /* a violation or fault was met; one that costs a preemption */
    uint32_t looks;
} __attribute__((aligned(64)));

struct sweep {
    const struct cycles *like;
    struct run *run;
    uint32_t words;
    struct codebook *book;
    struct tree *tree;
    struct part parts[PARTS];
    struct crew *crew, *alone;
    struct sweeper *sweepers;
    int count;
    bool *recurs;              /* by state of the automaton: in a component with an accepting one; NULL: all */
    struct keys *round;        /* one list for each sweeper */
    struct keys *later;        /* the same for the next level */
    bool costly_end;
    enum deed deed;
    int duty;                  /* process, or NO_PROCESS */
    uint64_t nodes, checked_at;
    uint32_t why;              /* enum search_stop, STOP_NOT_YET while threads shall go on */
    int64_t level;
};

static bool stopped(const struct sweep *s) { return __atomic_load_n(&s->why, __ATOMIC_RELAXED) != STOP_NOT_YET; }

static void stop(struct sweep *s, enum search_stop why)
{
    uint32_t none = STOP_NOT_YET;
    __atomic_compare_exchange_n(&s->why, &none, (uint32_t)why, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* ---- lists ---- */

static void keys_push(struct sweep *s, struct keys *k, state_key key)
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

/* Coders ask for nothing else. */
static const struct model_ops tailed_ops = {.parts = tailed_parts, .process_count = tailed_process_count};
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
    bool news[OUTBOX];
    uint32_t len = w->outbox[part].len;
    spin_lock(&p->lock);
    for (uint32_t i = 0; i < len && p->lines.at; i++) lines_prefetch(&p->lines, w->outbox[part].at[i] & PART_MASK);
    for (uint32_t i = 0; i < len; i++)
        news[i] = !stopped(w->s) && do_deed(w, &p->lines, w->outbox[part].at[i]);
    spin_unlock(&p->lock);
    for (uint32_t i = 0; i < len; i++)
        if (news[i]) keys_push(w->s, &w->found, w->outbox[part].at[i]);
    w->outbox[part].len = 0;
}

static void deliver(struct sweeper *w, state_key key, bool later)
{
    uint32_t part = part_of(key);
    if (later) {
        keys_push(w->s, &w->later, key);
        return;
    }
    w->outbox[part].at[w->outbox[part].len++] = key;
    if (w->outbox[part].len == OUTBOX) empty_outbox(w, part);
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

/* To the node with these bytes, which resembles the one being expanded. */
static void send(struct sweeper *w, const uint8_t *node, uint32_t size, bool later)
{
    if (!coder_encode(&w->coder, node, size, w->code)) {
        stop(w->s, STOP_MEMORY);
        return;
    }
    uint8_t kind = kind_of_node(w, node, size);
    if (!w->s->tree) {
        deliver(w, key_mix(*w->code) | (state_key)kind << KEY_BITS, later);
        return;
    }
    w->asks_kind[w->batch.len] = kind;
    w->asks_later[w->batch.len] = later;
    tree_ask(&w->batch, &w->reader, w->code);
    if (w->batch.len == TREE_BATCH) find_keys(w);
}

/* ---- nodes ---- */

static void look(struct sweeper *w)
{
    struct sweep *s = w->s;
    if (w != s->sweepers || ++w->looks % NODES_PER_LOOK) return;
    uint64_t nodes = 0;
    for (int i = 0; i < s->count; i++) nodes += __atomic_load_n(&s->sweepers[i].nodes, __ATOMIC_RELAXED);
    s->nodes = nodes;
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

/* Enters each node of a share of the round, and does something there. */
static void pass_share(struct sweep *s, int worker, uint32_t part, node_deed *act)
{
    struct sweeper *w = &s->sweepers[worker];
    const struct keys *k = s->round;
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
    (void)key;
    if (w->s->deed == DEED_FIND) find_successors(w);
    else follow_steps(w, NO_PROCESS);
}

static void expand_share(void *ctx, int worker, uint32_t part) { pass_share(ctx, worker, part, expand_node); }

static void look_while_waiting(void *ctx)
{
    struct sweeper *w = ((struct sweep *)ctx)->sweepers;
    w->looks = NODES_PER_LOOK - 1;
    look(w);
}

static void share_out(struct sweep *s, uint64_t nodes, uint32_t parts, crew_part *part)
{
    crew_run(nodes < FEW ? s->alone : s->crew, parts, part, look_while_waiting, s);
    for (int i = 0; i < s->count; i++) flush(&s->sweepers[i]);
}

static void swap_keys(struct keys *a, struct keys *b)
{
    struct keys k = *a;
    *a = *b;
    *b = k;
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
        x->fn(w, t, p, place_key(p) | (state_key)part << PART_BITS);
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
    return all;
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
    keys_push(w->s, &w->found, key);
}

static void begin_at_accepting(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    uint32_t m = mark_of(t, p);
    if (m & IN_SET && kind_of_mark(m) & ACCEPTS) begin_at(w, t, p, key);
}

static void list_set(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & IN_SET) keys_push(w->s, &w->found, key);
}

static void list_reached(struct sweeper *w, struct lines *t, struct place p, state_key key)
{
    if (mark_of(t, p) & REACHED) keys_push(w->s, &w->found, key);
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
    keys_push(w->s, &w->found, key);
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
    for (int i = 0; i < s->count; i++) gone += s->sweepers[i].set;
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
    uint64_t most = 0;
    for (int i = 0; i < s->count; i++) most = MAX(most, s->sweepers[i].set);
    return (int)most;
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
    s->checked_at = s->nodes;
    if (there) stop(s, STOP_ERROR);
}

/* ---- nodes, level by level ---- */

static void publish(struct sweep *s)
{
    s->nodes = 0;
    s->run->res->transitions = 0;
    for (int i = 0; i < s->count; i++) {
        s->nodes += s->sweepers[i].nodes;
        s->run->res->transitions += s->sweepers[i].counts.transitions;
        s->run->res->faults_left |= s->sweepers[i].counts.faults_left;
    }
}

static void end_round(struct sweep *s)
{
    for (int i = 0; i < s->count; i++) {
        if (s->sweepers[i].ends) stop(s, STOP_ERROR);
        s->costly_end |= s->sweepers[i].ends_later;
    }
    publish(s);
}

static void find_nodes(struct sweep *s)
{
    s->deed = DEED_FIND;
    for (uint64_t n; (n = next_round(s));) {
        if (s->nodes >= MAX((uint64_t)FIRST_CHECK, CHECK_FACTOR * s->checked_at)) look_for_cycle(s);
        if (stopped(s)) return;
        s->run->res->depth++;
        share_out(s, n, all_shares(s), expand_share);
        if (!stopped(s)) end_round(s);
    }
}

static void begin_level(struct sweep *s)
{
    s->level++;
    if (s->costly_end) stop(s, STOP_ERROR);
    for (int i = 0; i < s->count; i++) {
        struct sweeper *w = &s->sweepers[i];
        swap_keys(&s->later[i], &w->later);
        for (size_t k = 0; k < s->later[i].len && !stopped(s); k++) deliver(w, s->later[i].at[k], false);
        flush(w);
        keys_release(s, &s->later[i]);
    }
    publish(s);
}

static bool has_later(const struct sweep *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->sweepers[i].later.len) return true;
    return s->costly_end;
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
    if (!first) model_ask(own, asks_sweeper, s);
    w->c = (struct cycles){.p = s->like->p, .bounded = s->like->bounded, .lenient = s->like->lenient,
                           .run = {.m = own, .opt = s->run->opt, .res = &w->counts}};
    tailed_init(&w->model, own);
    coder_init(&w->coder, s->book, &w->model.m);
    w->code = xcalloc(s->words, sizeof *w->code);
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
    for (int i = 0; i < PARTS; i++) lines_init(&s->parts[i].lines, PART_BITS, sizeof(uint32_t));
    s->sweepers = aligned_alloc(64, (size_t)threads * sizeof *s->sweepers);
    if (!s->sweepers) die("out of memory");
    while (s->count < threads && sweeper_init(s, &s->sweepers[s->count], !s->count)) s->count++;
    s->round = xcalloc((size_t)s->count, sizeof *s->round);
    s->later = xcalloc((size_t)s->count, sizeof *s->later);
    s->crew = crew_new(s->count);
    s->alone = crew_new(1);
    s->recurs = s->like->p->automaton ? find_recurring(s->like->p->automaton) : NULL;
    s->run->states = &s->nodes;
}

static void release(struct sweep *s)
{
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
    coder_refresh(&w->coder);
    send(w, node, size + TAIL, false);
    flush(w);
    free(node);
}

/* One try, with codes of so many words. False: they do not suffice. */
static bool try_words(const struct cycles *like, struct run *r, uint32_t words)
{
    struct sweep s = {.like = like, .run = r, .words = words};
    begin(&s, MAX(r->opt->workers, 1));
    if (!stopped(&s)) enter_initial(&s);
    if (!stopped(&s)) explore(&s);
    publish(&s);
    bool full = codebook_is_full(s.book);
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
    run_begin(&run);
    for (uint32_t words = 1; !try_words(like, &run, words); words *= 2) {
        assert(!run.stopped || run.res->stop != STOP_ERROR);
        *run.res = (struct search_result){.bound = -1, .error_level = -1};
        run.stopped = false;
        run.budget.refused = false;
    }
    run_end(&run);
}
