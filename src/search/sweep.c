/* The product by all threads, over codes of its nodes, for what is too large for one depth-first search (cycles.c).
 *
 * First all nodes are found, breadth first in rounds, within a bound level by level. A node is its code in a sorted
 * table, with four bytes beside it, and nothing else is kept.
 *
 * Whenever the nodes have become four times as many, and at the end of a level, cycles are looked for among them
 * (sweep_cycles.c). What one thread does with its nodes is in sweeper.c.
 *
 * Which nodes a round finds, and which remain of a set, does not depend on who came first. That there is an error is
 * all that is found out here, at which level; the run of it is made by another search with one thread (nested.c).
 *
 * Several processes do the same, each with a share of the nodes (ranks.c): what happens to a node happens where it
 * belongs, a pass is over when all that was sent has arrived, and what is counted is counted over all of them. */
#include "search/sweep_int.h"

#include "base/components.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARE = 128, /* nodes that a thread takes at a time */
    FIRST_CHECK = 1 << 20, CHECK_FACTOR = 4,
};

/* ---- passes over a list ---- */

static uint32_t shares(const struct keys *k) { return (uint32_t)((k->len + SHARE - 1) / SHARE); }

/* Enters each node of a share of the round, and does something there; or not, if it is time to rest. */
void sweep_pass_share(struct sweep *s, int worker, uint32_t part, node_deed *act)
{
    struct sweeper *w = &s->sweepers[worker];
    const struct keys *k = s->round;
    if (s->deed == DEED_FIND && pausing(s)) return; /* a pass in search of cycles is made whole, or was for nothing */
    if (s->done) s->done[part] = true;
    for (; part >= shares(k); k++) part -= shares(k);
    coder_refresh(&w->coder);
    for (size_t i = (size_t)part * SHARE; i < MIN(k->len, ((size_t)part + 1) * SHARE) && !stopped(s); i++) {
        sweeper_look(w);
        sweeper_enter(w, k->at[i]);
        act(w, k->at[i]);
    }
}

static void expand_node(struct sweeper *w, state_key key)
{
    if (w->s->deed == DEED_FIND) sweeper_find_successors(w);
    else sweeper_follow_steps(w, NO_PROCESS);
    assert(!w->misses || w->s->deed == DEED_FIND); /* later on all nodes are known, and so are their values */
    if (w->misses) sweep_list(w->s, &w->postponed, key);
    w->misses = false;
}

static void expand_share(void *ctx, int worker, uint32_t part) { sweep_pass_share(ctx, worker, part, expand_node); }

static void look_while_waiting(void *ctx)
{
    struct sweeper *w = ((struct sweep *)ctx)->sweepers;
    w->looks = NODES_PER_LOOK - 1;
    sweeper_look(w);
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
    for (int i = 0; i < s->count; i++) sweeper_flush(&s->sweepers[i]);
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
            sweeper_enter(w, before.at[k]);
            expand_node(w, before.at[k]);
        }
        w->counts.transitions = transitions;
        sweep_keys_release(s, &before);
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
        sweeper_flush(&s->sweepers[0]);
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
uint64_t sweep_sum(struct sweep *s, uint64_t value)
{
    if (s->cluster) ranks_agree(s->cluster, &value, 1, &s->why);
    return value;
}

uint64_t sweep_most(struct sweep *s, uint64_t value)
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

void sweep_share_out(struct sweep *s, uint64_t nodes, uint32_t parts, crew_part *part)
{
    crew_run(nodes < FEW ? s->alone : s->crew, parts, part, look_while_waiting, s);
    flush_all(s);
    settle(s);
}

/* What was found becomes the round. */
uint64_t sweep_next_round(struct sweep *s)
{
    uint64_t all = 0;
    for (int i = 0; i < s->count; i++) {
        swap_keys(&s->round[i], &s->sweepers[i].found);
        s->sweepers[i].found.len = 0;
        all += s->round[i].len;
    }
    all = sweep_sum(s, all);
    return stopped(s) ? 0 : all;
}

uint32_t sweep_all_shares(const struct sweep *s)
{
    uint32_t n = 0;
    for (int i = 0; i < s->count; i++) n += shares(&s->round[i]);
    return n;
}

void sweep_expand_rounds(struct sweep *s)
{
    for (uint64_t n; (n = sweep_next_round(s));) sweep_share_out(s, n, sweep_all_shares(s), expand_share);
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
    if (sweep_sum(s, ends) && !stopped(s)) stop(s, STOP_ERROR);
    s->costly_end |= sweep_sum(s, later) > 0;
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
    return sweep_sum(s, left);
}

/* All that was found has arrived, all threads are at rest: what there is now is all that there is to go on from. */
static uint64_t rest(struct sweep *s)
{
    uint64_t left = drop_done(s);
    s->mid_round = true;
    if (!stopped(s)) checkpoint_write(&s->checkpoints);
    s->checkpoints.pausing = s->mid_round = false;
    sweep_sum(s, 0); /* all stop if one does */
    return stopped(s) ? 0 : left;
}

/* A round, with rests in between. */
static void expand_round(struct sweep *s, uint64_t nodes)
{
    while (nodes && !stopped(s)) {
        uint32_t parts = sweep_all_shares(s);
        s->done = s->run->opt->checkpoints ? xcalloc(parts + 1, sizeof *s->done) : NULL;
        sweep_share_out(s, nodes, parts, expand_share);
        bool rests = s->done && sweep_sum(s, pausing(s)) && !stopped(s);
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
    return sweep_sum(s, n);
}

static void find_nodes(struct sweep *s)
{
    s->deed = DEED_FIND;
    if (s->mid_round) {
        s->mid_round = false;
        expand_round(s, nodes_of_round(s));
    }
    for (uint64_t n; (n = sweep_next_round(s));) {
        if (s->nodes >= MAX((uint64_t)FIRST_CHECK, CHECK_FACTOR * s->checked_at)) sweep_look_for_cycle(s);
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
        for (size_t k = 0; k < s->later[i].len && !stopped(s); k++) sweeper_deliver(w, s->later[i].at[k], false);
        sweeper_flush(w);
        sweep_keys_release(s, &s->later[i]);
    }
    settle(s);
    publish(s);
}

static bool has_later(struct sweep *s)
{
    uint64_t n = 0;
    for (int i = 0; i < s->count; i++) n += s->sweepers[i].later.len;
    return sweep_sum(s, n) || s->costly_end;
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
        if (!stopped(s) && s->nodes > s->checked_at) sweep_look_for_cycle(s);
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
    w->message = xcalloc(1, sweep_item_bytes(s));
    if (s->tree) {
        tree_reader_init(&w->reader, s->tree);
        tree_batch_init(&w->batch, s->tree);
    }
    return true;
}

static void sweeper_release(struct sweep *s, struct sweeper *w)
{
    struct model *m = s->run->m;
    sweep_keys_release(s, &w->found);
    sweep_keys_release(s, &w->later);
    sweep_keys_release(s, &w->postponed);
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
    s->checkpoints = (struct checkpointing){.run = s->run, .why = &s->why, .search = s, .tell_pause = sweep_tell_pause,
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
    struct exchange_plan plan = {.workers = s->count, .item = sweep_item_bytes(s), .told = sweep_hear,
                                 .arrive = sweep_arrive_from_elsewhere, .ctx = s};
    s->exchange = exchange_new(s->cluster, plan);
}

static void release(struct sweep *s)
{
    exchange_free(s->exchange);
    crew_free(s->crew);
    crew_free(s->alone);
    for (int i = 0; i < s->count; i++) {
        sweep_keys_release(s, &s->round[i]);
        sweep_keys_release(s, &s->later[i]);
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
        if (!s->rank && !stopped(s)) sweeper_send(w, node, size + TAIL, false);
        sweeper_flush(w);
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
    if (s.cluster) r->res->bad_checkpoint |= sweep_sum(&s, r->res->bad_checkpoint) > 0;
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
