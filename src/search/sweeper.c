/* One thread of sweep.c: what it does with the nodes that it has, and where those go that its steps lead to. */
#include "search/sweep_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TELL_PAUSE = 1 << 8 }; /* to other processes, or enum search_stop */

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

void sweep_keys_release(struct sweep *s, struct keys *k)
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

int tailed_process_count(struct model *m, const uint8_t *state)
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

void tailed_init(struct tailed_model *t, struct model *inner)
{
    t->inner = inner;
    t->m = (struct model){.ops = inner->ops->parts ? &tailed_ops : &tailed_ops_of_one_piece};
}

void tailed_release(struct tailed_model *t)
{
    for (size_t i = 0; i < t->known.len; i++) free((void *)t->known.at[i].with);
    vec_release(&t->known);
}

/* ---- what becomes of a node that a step leads to ---- */

static uint32_t kind_of_key(state_key key) { return (uint32_t)(key >> KEY_BITS); }

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

void sweeper_deliver(struct sweeper *w, state_key key, bool later)
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
        else sweeper_deliver(w, b->requests[i].key | (state_key)w->asks_kind[i] << KEY_BITS, w->asks_later[i]);
    }
    b->len = 0;
}

void sweeper_flush(struct sweeper *w)
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
        sweeper_deliver(w, key_mix(*code) | (state_key)kind << KEY_BITS, later);
        return;
    }
    w->asks_kind[w->batch.len] = kind;
    w->asks_later[w->batch.len] = later;
    tree_ask(&w->batch, &w->reader, code);
    if (w->batch.len == TREE_BATCH) find_keys(w);
}

/* What a process is told about a node: kind, whether it is for the next level, code. */
size_t sweep_item_bytes(const struct sweep *s) { return 2 + s->words * sizeof(uint64_t); }

static void send_away(struct sweeper *w, int owner, const uint64_t *code, uint8_t kind, bool later)
{
    w->message[0] = kind;
    w->message[1] = later;
    memcpy(w->message + 2, code, w->s->words * sizeof *code);
    exchange_put(w->s->exchange, (int)(w - w->s->sweepers), owner, w->message);
}

void sweep_arrive_from_elsewhere(void *ctx, const uint8_t *items, size_t count)
{
    struct sweep *s = ctx;
    uint64_t *code = xmalloc(s->words * sizeof *code);
    for (size_t i = 0; i < count && !stopped(s); i++, items += sweep_item_bytes(s)) {
        memcpy(code, items + 2, s->words * sizeof *code);
        arrive(&s->sweepers[0], code, items[0], items[1]);
    }
    free(code);
}

void sweep_hear(void *ctx, uint32_t what)
{
    struct sweep *s = ctx;
    if (what == TELL_PAUSE) __atomic_store_n(&s->checkpoints.pausing, true, __ATOMIC_RELAXED);
    else stop(s, (enum search_stop)what);
}

void sweep_tell_pause(void *sweep) { exchange_tell(((struct sweep *)sweep)->exchange, TELL_PAUSE); }

/* To the node with these bytes, which resembles the one being expanded. */
void sweeper_send(struct sweeper *w, const uint8_t *node, uint32_t size, bool later)
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

/* Whether the threads come to rest; only where they can go on later. */
static bool is_pausing(struct sweep *s)
{
    if (!s->run->opt->checkpoints || s->deed != DEED_FIND) return false;
    return pausing(s) || checkpoint_is_due(&s->checkpoints);
}

void sweeper_look(struct sweeper *w)
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
void sweeper_enter(struct sweeper *w, state_key with_kind)
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
void sweeper_find_successors(struct sweeper *w)
{
    bool goes_on = expand(w);
    w->ends |= w->c.violated || w->c.claim_fault;
    if (!goes_on) return;
    int64_t room = w->c.bounded ? 0 : 1;
    w->ends |= product_faulty(&w->c, &w->steps, room) != MODEL_NOBODY;
    w->ends_later |= product_faulty(&w->c, &w->steps, 1) != MODEL_NOBODY;
    for (size_t i = 0; i < w->steps.list.len && !stopped(w->s); i++) {
        const struct product_step *t = &w->steps.list.at[i];
        if (t->size && !t->fault) sweeper_send(w, w->steps.bytes.at + t->at, t->size, t->cost);
    }
}

/* Along steps that a cycle can have. */
void sweeper_follow_steps(struct sweeper *w, int only)
{
    if (!expand(w)) return;
    for (size_t i = 0; i < w->steps.list.len && !stopped(w->s); i++) {
        const struct product_step *t = &w->steps.list.at[i];
        const uint8_t *node = w->steps.bytes.at + t->at;
        if (!t->size || t->fault || t->cost || !(kind_of_node(w, node, t->size) & RECURS)) continue;
        if (only == NO_PROCESS || t->pid == only || t->last == only) sweeper_send(w, node, t->size, false);
    }
}
