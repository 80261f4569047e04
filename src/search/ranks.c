/* The ordered and the breadth-first search by several processes, each with a share of the states: the owner of a state
 * is decided by its hash, and whoever comes to a state of another process sends its code there.
 *
 * That a code means the same everywhere takes a common book (codes_int.h). Values that it does not have are rare: what
 * leads to them is postponed to the end of the round, when each process tells all others which values it has met, and
 * all add them in the same order.
 *
 * A round is over when all that was sent has arrived, and not before: which states it finds follows from the one
 * before, so levels and counts are those of one process. Whoever comes to a limit tells the others, and they agree on
 * it at the end of the round.
 *
 * Process 0 runs the check. The others wait for orders, which say what it searches for, and do the same (search_serve).
 */
#include "search/cycles_int.h"
#include "search/levels_int.h"
#include "search/ranks_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOLD_LOG = 15,
    TELL_PAUSE = 1 << 8, /* or enum search_stop */
};

/* ---- codes on their way ---- */

struct arrival { uint16_t last, processes; };

static size_t item_bytes(const struct levels *l)
{
    return sizeof(struct arrival) + l->words * sizeof(uint64_t) + (l->keep_log ? sizeof(struct log_entry) : 0);
}

static inline int word_owner(state_key key, int ranks) { return (int)((key & UINT32_MAX) * (uint64_t)ranks >> 32); }

int code_owner(const uint64_t *code, uint32_t words, bool hashed, int ranks)
{
    uint64_t key = hashed ? code[words - 1] : *code;
    for (uint32_t i = 1; i < words && !hashed; i++) key = key_mix(key & KEY_MASK) ^ code[i] ^ key >> KEY_BITS;
    return word_owner(key_mix(key & KEY_MASK), ranks);
}

static int owner_of(const struct levels *l, const uint64_t *code)
{
    return code_owner(code, l->words, l->carries, l->ranks);
}

/* What of a key its place does not say, who came last, and a bit that is set. */
static inline bool was_told(struct worker *w, state_key key, int last)
{
    static_assert(KEY_BITS - TOLD_LOG + 17 <= 64, "the rest of a key and 16 bits of `last` fit into a word");
    if (!w->told) return false;
    uint64_t *t = &w->told[key >> (KEY_BITS - TOLD_LOG)], word = key << 17 | (uint64_t)(uint16_t)last << 1 | 1;
    if (*t == word) return true;
    *t = word;
    return false;
}

bool ranks_send(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
{
    struct levels *l = w->l;
    int owner = owner_of(l, code), worker = (int)(w - l->workers);
    if (owner == l->rank) return false;
    if (stopped(l) || was_told(w, key_mix(*code & KEY_MASK), last)) return true;
    struct arrival a = {(uint16_t)last, (uint16_t)processes};
    uint8_t *item = l->message + (size_t)worker * item_bytes(l), *at = item + sizeof a;
    memcpy(item, &a, sizeof a);
    memcpy(at, code, l->words * sizeof *code);
    if (l->keep_log) memcpy(at + l->words * sizeof *code, log, sizeof *log);
    exchange_put(l->exchange, worker, owner, item);
    return true;
}

bool ranks_send_word(struct worker *w, uint64_t code, state_key key, int last, int processes)
{
    struct levels *l = w->l;
    int owner = word_owner(key, l->ranks);
    if (owner == l->rank) return false;
    if (stopped(l) || was_told(w, key, last)) return true;
    struct { struct arrival a; uint64_t code; } __attribute__((packed)) item = {{(uint16_t)last, (uint16_t)processes},
                                                                               code};
    assert_costly(sizeof item == item_bytes(l));
    exchange_put(l->exchange, (int)(w - l->workers), owner, &item);
    return true;
}

static void arrive(void *ctx, const uint8_t *items, size_t count)
{
    struct levels *l = ctx;
    uint64_t code[64], *words = l->words <= ARRAY_LEN(code) ? code : xmalloc(l->words * sizeof *code);
    for (size_t i = 0; i < count && !stopped(l); i++, items += item_bytes(l)) {
        struct arrival a;
        struct log_entry log = {0};
        memcpy(&a, items, sizeof a);
        memcpy(words, items + sizeof a, l->words * sizeof *code);
        if (l->keep_log) memcpy(&log, items + sizeof a + l->words * sizeof *code, sizeof log);
        assert_costly(owner_of(l, words) == l->rank);
        if (!worker_cannot_mark(&l->workers[0], a.processes))
            worker_arrive_here(&l->workers[0], words, a.last, a.processes, &log);
    }
    if (words != code) free(words);
}

static void hear(void *ctx, uint32_t what)
{
    struct levels *l = ctx;
    if (what == TELL_PAUSE) __atomic_store_n(&l->checkpoints.pausing, true, __ATOMIC_RELAXED);
    else stop(l, (enum search_stop)what);
    l->has_told |= what != TELL_PAUSE;
}

static void tell_stop(struct levels *l)
{
    if (!stopped(l) || l->has_told) return;
    l->has_told = true;
    exchange_tell(l->exchange, l->why);
}

void ranks_look(struct levels *l)
{
    enum { PROGRESS_EVERY = 8 }; /* looks: batches take longer than that to be filled */
    if (!stopped(l) && ++l->looks % PROGRESS_EVERY) return;
    exchange_progress(l->exchange);
    tell_stop(l);
}

void ranks_tell_pause(void *levels) { exchange_tell(((struct levels *)levels)->exchange, TELL_PAUSE); }

/* ---- begin and end ---- */

void ranks_begin(struct levels *l)
{
    l->cluster = l->run->opt->cluster;
    l->ranks = 1;
    if (!l->cluster) return;
    l->rank = cluster_rank(l->cluster);
    l->ranks = cluster_size(l->cluster);
    codebook_close(l->book);
    l->message = xcalloc((size_t)l->count, item_bytes(l));
    l->exchange = exchange_new(l->cluster, (struct exchange_plan){.workers = l->count, .item = item_bytes(l),
                                                                 .arrive = arrive, .told = hear, .ctx = l});
    for (int i = 0; i < l->count && l->words == 1 && !l->keep_log; i++)
        l->workers[i].told = xcalloc((size_t)1 << TOLD_LOG, sizeof *l->workers[i].told);
}

static void forget_postponed(struct levels *l, struct postponements *p)
{
    budget_give(&l->run->budget, p->list.len * (sizeof *p->list.at + l->words * sizeof(uint64_t)));
    vec_release(&p->list);
    vec_release(&p->codes);
}

void ranks_end(struct levels *l)
{
    for (int i = 0; i < l->count && l->cluster; i++) {
        forget_postponed(l, &l->workers[i].postponed);
        free(l->workers[i].told);
    }
    exchange_free(l->exchange);
    free(l->message);
}

/* ---- values ---- */

bool ranks_share_values(struct cluster *cluster, struct noting n, struct codebook *b, struct model *m)
{
    byte_list mine = {0}, all = {0};
    for (int i = 0; i < n.count; i++) {
        struct coder *c = n.coders[i];
        vec_reserve(&mine, mine.len + c->wanted.len + 1);
        if (c->wanted.len) memcpy(mine.at + mine.len, c->wanted.at, c->wanted.len);
        mine.len += c->wanted.len;
        coder_forget_wanted(c);
    }
    cluster_gather(cluster, mine.at, mine.len, &all);
    bool added = codebook_add(b, m, all.at, all.len);
    vec_release(&mine);
    vec_release(&all);
    return added;
}

static void share_values(struct levels *l)
{
    struct coder **coders = xcalloc((size_t)l->count, sizeof *coders);
    for (int i = 0; i < l->count; i++) coders[i] = &l->workers[i].learner.coder;
    if (!ranks_share_values(l->cluster, (struct noting){coders, l->count}, l->book, l->run->m)) stop(l, STOP_MEMORY);
    free(coders);
}

struct redo { struct levels *l; struct postponements *of; /* by worker */ };

static void redo_part(void *ctx, int worker, uint32_t part)
{
    struct redo *r = ctx;
    const struct postponements *p = &r->of[part];
    struct worker *w = &r->l->workers[worker];
    for (size_t i = 0; i < p->list.len && !stopped(r->l); i++) {
        worker_look(w);
        worker_redo(w, &p->list.at[i], p->codes.at + i * r->l->words);
    }
}

/* Others may wait for room for what they send. */
static void progress_meanwhile(void *ctx) { exchange_progress(((struct redo *)ctx)->l->exchange); }

static void redo_postponed(struct levels *l)
{
    struct redo r = {l, xcalloc((size_t)l->count, sizeof *r.of)};
    for (int i = 0; i < l->count; i++) {
        r.of[i] = l->workers[i].postponed;
        l->workers[i].postponed = (struct postponements){0};
    }
    crew_run(l->crew, (uint32_t)l->count, redo_part, progress_meanwhile, &r);
    for (int i = 0; i < l->count; i++) forget_postponed(l, &r.of[i]);
    free(r.of);
}

/* ---- what all agree on ---- */

enum { SUM_WANTED, SUM_PAUSING, SUM_TOO_MANY, SUM_FULL, SUM_ITEMS, SUM_STATES, SUM_TRANSITIONS, SUM_WITH_ERROR, SUMS };

static uint64_t items_of(const struct levels *l)
{
    uint64_t n = 0;
    for (int i = 0; i < l->count; i++) n += l->workers[i].found.len;
    return n;
}

static void count_own(const struct levels *l, uint64_t sums[SUMS])
{
    memset(sums, 0, SUMS * sizeof *sums);
    for (int i = 0; i < l->count; i++) {
        const struct worker *w = &l->workers[i];
        sums[SUM_WANTED] += w->learner.coder.wanted.len > 0;
        sums[SUM_STATES] += w->states;
        sums[SUM_TRANSITIONS] += w->transitions;
        sums[SUM_WITH_ERROR] += w->has_error;
    }
    sums[SUM_PAUSING] = pausing(l);
    sums[SUM_TOO_MANY] = l->too_many_processes;
    sums[SUM_FULL] = codebook_is_full(l->book);
    sums[SUM_ITEMS] = items_of(l);
}

/* One reason for all, of those that a process can have by itself first. */
static void agree_to_stop(const uint64_t whys[STOPS], uint32_t *why)
{
    static const enum search_stop order[] = {STOP_MEMORY, STOP_INTERRUPTED, STOP_TIME, STOP_ENOUGH, STOP_ERROR,
                                             STOP_BOUND, STOP_COMPLETE};
    for (size_t i = ARRAY_LEN(order); i-- > 0;)
        if (whys[order[i]]) *why = order[i];
}

void ranks_agree(struct cluster *c, uint64_t *values, int count, uint32_t *why)
{
    uint64_t sums[32] = {0};
    assert(count + STOPS <= (int)ARRAY_LEN(sums));
    if (count) memcpy(sums, values, (size_t)count * sizeof *sums);
    sums[count + (int)*why] = 1;
    cluster_sum(c, sums, count + STOPS);
    if (count) memcpy(values, sums, (size_t)count * sizeof *sums);
    agree_to_stop(sums + count, why);
}

static void agree(struct levels *l, const uint64_t sums[SUMS])
{
    uint64_t own[SUMS];
    count_own(l, own);
    l->too_many_processes = sums[SUM_TOO_MANY];
    l->all = (struct totals){sums[SUM_ITEMS], sums[SUM_STATES], sums[SUM_TRANSITIONS], sums[SUM_WITH_ERROR],
                             sums[SUM_FULL]};
    l->states_elsewhere = sums[SUM_STATES] - own[SUM_STATES];
    l->transitions_elsewhere = sums[SUM_TRANSITIONS] - own[SUM_TRANSITIONS];
    l->has_told |= stopped(l);
}

static void flush(struct levels *l)
{
    for (int i = 0; i < l->count && !stopped(l); i++) worker_flush(&l->workers[i]);
}

bool ranks_settle(struct levels *l)
{
    for (;;) {
        uint64_t sums[SUMS];
        flush(l);
        tell_stop(l);
        exchange_settle(l->exchange);
        if (!stopped(l)) worker_flush(&l->workers[0]);
        count_own(l, sums);
        ranks_agree(l->cluster, sums, SUMS, &l->why);
        agree(l, sums);
        if (stopped(l)) return false;
        if (!sums[SUM_WANTED]) return sums[SUM_PAUSING];
        share_values(l);
        redo_postponed(l);
    }
}

uint64_t ranks_sum(struct levels *l, uint64_t value)
{
    if (l->run->budget.refused) stop(l, STOP_MEMORY);
    ranks_agree(l->cluster, &value, 1, &l->why);
    return value;
}

/* ---- errors ---- */

struct site { struct error_site at; uint64_t bytes, errors; };

static void take_site(struct worker *w, const struct site *s, const uint8_t *state)
{
    w->has_error = true;
    w->site = s->at;
    vec_clear(&w->site_state);
    vec_reserve(&w->site_state, s->bytes);
    memcpy(w->site_state.at, state, s->bytes);
    w->site_state.len = s->bytes;
}

void ranks_merge_errors(struct levels *l)
{
    struct worker *w = &l->workers[0], least = {0}, other = {0};
    byte_list mine = {0}, all = {0};
    struct site s = {w->site, w->has_error ? w->site_state.len : UINT64_MAX, w->errors};
    vec_reserve(&mine, sizeof s + w->site_state.len);
    memcpy(mine.at, &s, sizeof s);
    mine.len = sizeof s;
    if (w->has_error) memcpy(mine.at + sizeof s, w->site_state.at, w->site_state.len);
    if (w->has_error) mine.len += w->site_state.len;
    cluster_gather(l->cluster, mine.at, mine.len, &all);
    w->errors = 0;
    for (size_t at = 0; at < all.len;) {
        memcpy(&s, all.at + at, sizeof s);
        at += sizeof s;
        w->errors += s.errors;
        if (s.bytes == UINT64_MAX) continue;
        take_site(&other, &s, all.at + at);
        if (!least.has_error || worker_error_is_less(&other, &least)) take_site(&least, &s, all.at + at);
        at += s.bytes;
    }
    if (least.has_error) take_site(w, &(struct site){least.site, least.site_state.len, 0}, least.site_state.at);
    vec_release(&least.site_state);
    vec_release(&other.site_state);
    vec_release(&mine);
    vec_release(&all);
}

struct log_entry ranks_log_entry(struct levels *l, uint64_t at)
{
    int rank = (int)(at >> RANK_SHIFT);
    uint64_t index = at & ((UINT64_C(1) << RANK_SHIFT) - 1);
    struct log_entry e = {0};
    if (rank == l->rank) e = l->log.at[index];
    if (l->cluster) cluster_broadcast(l->cluster, rank, &e, sizeof e);
    return e;
}

/* ---- at the end ---- */

struct share { uint64_t memory, largest, met_inside; struct cluster_counts counts; };

static void add_traffic(struct search_traffic *t, const struct cluster_counts *c)
{
    t->processes++;
    t->messages += c->batches;
    t->items += c->items;
    t->bytes += c->bytes;
    t->idle += c->idle;
}

void ranks_join_results(struct cluster *c, struct run *run)
{
    struct model *m = run->m;
    struct search_result *r = run->res;
    int size = cluster_size(c);
    struct share s = {run->budget.peak, m->max_state, m->met_inside, cluster_counts(c)};
    byte_list mine = {0}, all = {0};
    size_t reached = m->ops->reached ? m->ops->reached(m, NULL, 0) : 0;
    vec_reserve(&mine, sizeof s + reached);
    memcpy(mine.at, &s, sizeof s);
    if (reached) m->ops->reached(m, mine.at + sizeof s, reached);
    mine.len = sizeof s + reached;
    cluster_gather(c, mine.at, mine.len, &all);
    assert(all.len == (size_t)size * mine.len);
    r->memory_elsewhere = 0;
    r->traffic = (struct search_traffic){0};
    for (int i = 0; i < size; i++) {
        const uint8_t *at = all.at + (size_t)i * mine.len;
        memcpy(&s, at, sizeof s);
        if (i != cluster_rank(c)) r->memory_elsewhere += s.memory;
        add_traffic(&r->traffic, &s.counts);
        m->max_state = MAX(m->max_state, (uint32_t)s.largest);
        m->met_inside |= s.met_inside;
        if (reached) m->ops->add_reached(m, at + sizeof s, reached);
    }
    vec_release(&mine);
    vec_release(&all);
}

/* ---- orders ---- */

struct order {
    uint32_t kind, store, share;
    int64_t bound, depth;
    uint64_t bit_field, known;
    uint64_t searches, seed; /* of a swarm */
    bool all_errors, no_deadlock, reduce, keep_links, has_known, deadlock_known, leave_faults;
    uint64_t model; /* what it consists of: files that it includes may not be the same everywhere */
    bool checkpoints, resumes;
    bool sweeps; /* a property is looked at: sweep.c */
    int property;
    enum reduction reduction;
    bool fair, no_stutter;
};

static uint64_t model_hash(struct model *m)
{
    uint64_t hash = m->transition_count;
    for (uint32_t i = 0; i < m->transition_count; i++) {
        const struct transition *t = m->ops->transition(m, i);
        int where[] = {t->proctype, t->from, t->to, t->line};
        hash = hash_bytes(where, sizeof where, hash_bytes(t->text, strlen(t->text), hash));
    }
    return hash;
}

static void give_order(struct model *m, const struct search_options *o, struct order x)
{
    byte_list order = {0};
    const struct known_errors *k = o->known;
    x.model = model_hash(m);
    x.kind = o->kind, x.store = o->store, x.share = o->share, x.bound = o->bound, x.depth = o->depth;
    x.searches = o->searches, x.seed = o->seed;
    x.bit_field = o->bit_field, x.all_errors = o->all_errors, x.no_deadlock = o->no_deadlock, x.reduce = o->reduce;
    x.keep_links = o->keep_links, x.leave_faults = o->leave_faults, x.checkpoints = o->checkpoints;
    x.resumes = o->checkpoints && o->checkpoints->resume;
    x.has_known = k, x.deadlock_known = k && k->deadlock, x.known = k ? k->transitions.len : 0;
    vec_reserve(&order, sizeof x + x.known * sizeof(uint32_t));
    memcpy(order.at, &x, sizeof x);
    if (x.known) memcpy(order.at + sizeof x, k->transitions.at, x.known * sizeof(uint32_t));
    order.len = sizeof x + x.known * sizeof(uint32_t);
    cluster_order(o->cluster, order.at, order.len);
    vec_release(&order);
}

void ranks_order_search(struct model *m, const struct search_options *o) { give_order(m, o, (struct order){0}); }

void ranks_order_sweep(struct model *m, const struct search_options *o, const struct property *p)
{
    give_order(m, o, (struct order){.sweeps = true, .property = p->number, .reduction = p->reduction, .fair = p->fair,
                                 .no_stutter = p->no_stutter});
}

static void sweep_along(struct model *m, const struct order *x, const struct search_options *o, struct property p)
{
    struct search_result result = {.bound = -1, .error_level = -1};
    p.reduction = x->reduction, p.fair = x->fair, p.no_stutter = x->no_stutter;
    struct cycles plan = cycles_plan(m, &p, o, &result);
    sweep_search(&plan);
    search_result_release(&result);
}

static void search_along(struct model *m, const struct search_options *o)
{
    struct search_result result;
    search_run(m, o, &result);
    search_result_release(&result);
}

static void carry_out(struct model *m, const struct search_options *own, const struct property *const *properties,
                      const byte_list *order)
{
    struct order x;
    struct known_errors known = {0};
    assert(order->len >= sizeof x);
    memcpy(&x, order->at, sizeof x);
    if (x.model != model_hash(m)) die("the model is not the one that the first process of the job has");
    known.deadlock = x.deadlock_known;
    vec_reserve(&known.transitions, x.known);
    if (x.known) memcpy(known.transitions.at, order->at + sizeof x, x.known * sizeof(uint32_t));
    known.transitions.len = x.known;
    struct search_options o = *own;
    o.kind = (enum search_kind)x.kind, o.store = (enum store_kind)x.store, o.share = x.share;
    o.bound = x.bound, o.depth = x.depth, o.bit_field = x.bit_field, o.leave_faults = x.leave_faults;
    o.all_errors = x.all_errors, o.no_deadlock = x.no_deadlock, o.reduce = x.reduce, o.keep_links = x.keep_links;
    o.known = x.has_known ? &known : NULL;
    o.searches = (uint32_t)x.searches, o.seed = x.seed;
    struct search_checkpoints anew = own->checkpoints ? *own->checkpoints : (struct search_checkpoints){0};
    anew.resume = NULL;
    if (!x.checkpoints) o.checkpoints = NULL;
    else if (!x.resumes) o.checkpoints = &anew;
    o.level_done = NULL;
    o.tick = NULL;
    o.round_done = NULL;
    if (x.sweeps) sweep_along(m, &x, &o, *properties[x.property]);
    else search_along(m, &o);
    vec_release(&known.transitions);
}

void search_serve(struct model *m, const struct search_options *own, const struct property *const *properties)
{
    byte_list order = {0};
    while (cluster_await_order(own->cluster, &order)) carry_out(m, own, properties, &order);
    vec_release(&order);
}
