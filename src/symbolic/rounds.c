/* The ring of threads. */
#include "symbolic/rounds_int.h"

#include <assert.h>
#include <stdlib.h>

static BDD *effect(const struct rounds *r, int thread, int context)
{
    assert(thread >= 0 && thread < r->threads && context >= 0 && context <= r->completed);
    return &r->effect[(size_t)thread * (size_t)r->contexts + (size_t)context];
}

static BDD *history(const struct rounds *r, int thread, int context)
{
    assert(thread >= 0 && thread < r->threads && context >= 0 && context <= r->completed);
    return &r->history[(size_t)thread * (size_t)r->contexts + (size_t)context];
}

static struct facts *facts_of(const struct rounds *r, int thread) { return &r->thread[r->like[thread]]; }

BDD shared_cube(struct encoding *e, enum copy kind, int first, int count)
{
    int_list vars = {0};
    for (int i = first; i < first + count; i++) shared_copy(e, kind, i, &vars);
    BDD cube = b_cube(e->b, vars.at, vars.len);
    vec_release(&vars);
    return cube;
}

static bddPair *shared_pair(struct encoding *e, enum copy from, enum copy to, int first, int count, bool both)
{
    int_list a = {0}, z = {0};
    for (int i = first; i < first + count; i++) {
        shared_copy(e, from, i, &a);
        shared_copy(e, to, i, &z);
        if (both) shared_copy(e, to, i, &a), shared_copy(e, from, i, &z);
    }
    bddPair *pair = b_pair(e->b, a.at, z.at, a.len);
    vec_release(&a);
    vec_release(&z);
    return pair;
}

void rounds_init(struct rounds *r, struct bdds *b, const struct bp_program *p, int contexts, bool eager,
                 const char *const *labels, struct order_choice order)
{
    *r = (struct rounds){.threads = (int)p->threads.len, .contexts = contexts, .eager = eager};
    encoding_init(&r->e, b, p, contexts, labels, order);
    size_t cells = (size_t)r->threads * (size_t)contexts;
    r->effect = xcalloc(cells, sizeof *r->effect);
    r->history = xcalloc(cells, sizeof *r->history);
    r->entries = xcalloc(p->procs.len + 1, sizeof *r->entries);
    r->suffix = xcalloc((size_t)r->threads, sizeof *r->suffix);
    r->now_to_first_in = shared_pair(&r->e, COPY_NOW, COPY_IN, 0, 1, false);
    r->now_to_out = xcalloc((size_t)contexts, sizeof(bddPair *));
    r->out_to_in_upto = xcalloc((size_t)contexts, sizeof(bddPair *));
    r->swap_upto = xcalloc((size_t)contexts, sizeof(bddPair *));
    for (int k = 0; k < contexts; k++) {
        r->now_to_out[k] = shared_pair(&r->e, COPY_NOW, COPY_OUT, k, 1, false);
        r->out_to_in_upto[k] = shared_pair(&r->e, COPY_OUT, COPY_IN, 0, k + 1, false);
        r->swap_upto[k] = shared_pair(&r->e, COPY_IN, COPY_OUT, 0, k + 1, true);
    }
    r->thread = xcalloc((size_t)r->threads, sizeof *r->thread);
    for (int j = 0; j < r->threads; j++) facts_init(&r->thread[j], &r->e, j, contexts);
    rounds_find_alike(r);
    if (p->init >= 0) facts_init(&r->init, &r->e, r->threads, 1);
    b_set(&r->start, r->e.initial);
}

void rounds_release(struct rounds *r)
{
    for (int j = 0; r->thread && j < r->threads; j++) facts_release(&r->thread[j]);
    facts_release(&r->init);
    free(r->thread);
    rounds_release_alike(r);
    free(r->effect), free(r->history), free(r->suffix), free(r->entries);
    free(r->now_to_out), free(r->out_to_in_upto), free(r->swap_upto);
    encoding_release(&r->e);
    *r = (struct rounds){0};
}

/* ---- what other threads can do between two contexts ---- */

static BDD suffix_end(struct rounds *r, int k)
{
    BDD rel = bddtrue;
    for (int i = 0; i <= k; i++) rel = b_and(r->e.b, rel, shared_equal(&r->e, COPY_OUT, i, COPY_AUX, i));
    return rel;
}

/* One thread more in front of a suffix. */
static BDD suffix_extend(struct rounds *r, BDD rel, int thread, int k)
{
    struct bdds *b = r->e.b;
    BDD first = b_rename(b, *effect(r, thread, k), r->swap_upto[k]); /* its in is called out, its out is called in */
    return b_product(b, first, b_rename(b, rel, r->out_to_in_upto[k]), shared_cube(&r->e, COPY_IN, 0, k + 1));
}

BDD rounds_suffix(struct rounds *r, int thread, int context)
{
    BDD rel = suffix_end(r, context);
    for (int j = r->threads - 1; j > thread; j--) rel = suffix_extend(r, rel, j, context);
    return rel;
}

/* All of them at once; nothing to say before the first context. */
static void all_suffixes(struct rounds *r, int k, BDD *suffix)
{
    if (k < 0) return;
    suffix[r->threads - 1] = suffix_end(r, k);
    for (int j = r->threads - 1; j > 0; j--) suffix[j - 1] = suffix_extend(r, suffix[j], j, k);
}

/* From out of the last thread (aux, contexts 0..k-1) to in of thread j (contexts 0..k). */
static BDD prefix_start(struct rounds *r, int k)
{
    struct encoding *e = &r->e;
    BDD rel = b_rename(e->b, r->start, r->now_to_first_in);
    for (int i = 0; i < k; i++) rel = b_and(e->b, rel, shared_equal(e, COPY_IN, i + 1, COPY_AUX, i));
    return rel;
}

static BDD prefix_extend(struct rounds *r, BDD rel, int thread, int k)
{
    struct bdds *b = r->e.b;
    BDD x = b_product(b, rel, *effect(r, thread, k), shared_cube(&r->e, COPY_IN, 0, k + 1));
    return b_rename(b, x, r->out_to_in_upto[k]);
}

BDD rounds_prefix(struct rounds *r, int thread, int context)
{
    BDD rel = prefix_start(r, context);
    for (int j = 0; j < thread; j++) rel = prefix_extend(r, rel, j, context);
    return rel;
}

BDD rounds_effect(const struct rounds *r, int thread, int context) { return *effect(r, thread, context); }

static BDD entry_history(struct rounds *r, BDD prefix, BDD suffix, int k)
{
    if (k == 0) return prefix;
    return b_product(r->e.b, prefix, suffix, shared_cube(&r->e, COPY_AUX, 0, k));
}

/* ---- one context of one thread ---- */

/* R10 and R12 for the first context, R8 and R9 for the others: resume wherever the thread could be interrupted. */
void rounds_begin_context(struct rounds *r, struct facts *f, int k, BDD allowed)
{
    struct encoding *e = &r->e;
    BDD same = shared_equal(e, COPY_NOW, 0, COPY_IN, k);
    if (k == 0) {
        facts_add(f, f->start, 0, 0, b_and(e->b, allowed, same));
        return;
    }
    BDD resume = b_and(e->b, allowed, same);
    for (size_t i = 0; i < f->order.len; i++) {
        int node = f->order.at[i];
        if (!facts_may_switch(f, node)) continue;
        for (int entered = 0; entered < k; entered++) {
            size_t mark = b_mark(e->b);
            BDD before = facts_cell(f, node, k - 1, entered)->all;
            if (before == bddfalse) continue;
            facts_add(f, node, k, entered, b_and(e->b, b_rename(e->b, before, r->now_to_out[k - 1]), resume));
            b_release(e->b, mark);
        }
    }
}

/* Everything of a frame but the shared state now. */
static BDD quant_frame(struct encoding *e)
{
    int_list vars = {0};
    for (int i = 0; i < e->slot_count; i++) {
        vec_push(&vars, e->slots[i].now);
        if (e->slots[i].entry >= 0) vec_push(&vars, e->slots[i].entry);
    }
    shared_copy(e, COPY_ENTRY, 0, &vars);
    BDD cube = b_cube(e->b, vars.at, vars.len);
    vec_release(&vars);
    return cube;
}

/* R11: the effect of the thread so far, wherever it may be interrupted. */
static void collect_effect(struct rounds *r, int thread, int k)
{
    struct bdds *b = r->e.b;
    const struct facts *f = facts_of(r, thread);
    BDD all = bddfalse, quant = quant_frame(&r->e);
    for (size_t i = 0; i < f->order.len; i++)
        for (int entered = 0; facts_may_switch(f, f->order.at[i]) && entered <= k; entered++) {
            BDD x = facts_cell(f, f->order.at[i], k, entered)->all;
            if (x != bddfalse) all = b_or(b, all, b_exist(b, x, quant));
        }
    if (r->shared[thread]) all = b_and(b, all, *history(r, thread, k));
    b_set(effect(r, thread, k), b_rename(b, all, r->now_to_out[k]));
}

static bool is_sequential(const struct rounds *r) { return r->eager && r->threads == 1 && r->contexts == 1; }

static bool find_error(struct rounds *r, int thread, int k, struct hit *hit)
{
    for (size_t i = 0; i < r->e.errors.len; i++)
        for (int entered = 0; entered <= k; entered++) {
            const struct error_rel *x = &r->e.errors.at[i];
            size_t mark = b_mark(r->e.b);
            bool found = b_and(r->e.b, rounds_exact(r, thread, x->node, k, entered), x->bad) != bddfalse;
            b_release(r->e.b, mark);
            *hit = (struct hit){thread, k, entered, (int)i};
            if (found) return true;
        }
    return false;
}

bool rounds_init_phase(struct rounds *r, struct hit *hit)
{
    assert(!r->completed);
    if (r->e.p->init < 0) return false;
    struct encoding *e = &r->e;
    size_t mark = b_mark(e->b);
    BDD same = shared_equal(e, COPY_NOW, 0, COPY_IN, 0);
    facts_add(&r->init, r->init.start, 0, 0, b_and(e->b, e->initial, same));
    facts_saturate(&r->init, 0);
    b_set(&r->start, b_exist(e->b, facts_cell(&r->init, r->init.done, 0, 0)->all, shared_cube(e, COPY_IN, 0, 1)));
    bool found = find_error(r, r->threads, 0, hit);
    b_release(e->b, mark);
    return found;
}

static bool run_lazily(struct rounds *r, int k, const BDD *suffix, struct hit *hit)
{
    BDD prefix = prefix_start(r, k);
    for (int j = 0; j < r->threads; j++) {
        BDD allowed = entry_history(r, prefix, suffix[j], k);
        b_set(history(r, j, k), allowed);
        rounds_begin_context(r, facts_of(r, j), k, allowed);
        facts_saturate(facts_of(r, j), k);
        if (find_error(r, j, k, hit)) return true;
        collect_effect(r, j, k);
        if (j + 1 < r->threads) prefix = prefix_extend(r, prefix, j, k);
    }
    return false;
}

/* All threads from all shared states first; the Checker then finds out what of it was real. */
static bool run_eagerly(struct rounds *r, int k, const BDD *suffix, struct hit *hit)
{
    BDD start = k == 0 ? prefix_start(r, 0) : bddtrue;
    for (int j = 0; j < r->threads; j++) {
        rounds_begin_context(r, &r->thread[j], k, j == 0 ? start : bddtrue);
        if (is_sequential(r) && k == 0) sequential_enter_all(&r->thread[j]);
        facts_saturate(&r->thread[j], k);
        if (is_sequential(r) && k == 0) sequential_find_entries(r, &r->thread[j]);
        collect_effect(r, j, k);
    }
    BDD prefix = prefix_start(r, k);
    for (int j = 0; j < r->threads; j++) {
        b_set(history(r, j, k), entry_history(r, prefix, suffix[j], k));
        if (find_error(r, j, k, hit)) return true;
        if (j + 1 < r->threads) prefix = prefix_extend(r, prefix, j, k);
    }
    return false;
}

/* Every execution of k + 1 rounds is one of k rounds that goes on. */
static bool history_grows(struct rounds *r, int thread, int k)
{
    if (!k) return true;
    struct bdds *b = r->e.b;
    BDD before = b_exist(b, *history(r, thread, k), shared_cube(&r->e, COPY_IN, k, 1));
    before = b_exist(b, before, shared_cube(&r->e, COPY_OUT, k - 1, 1));
    return bdd_imp(before, *history(r, thread, k - 1)) == bddtrue;
}

bool rounds_run(struct rounds *r, int context, struct hit *hit)
{
    assert(context < r->contexts && context == r->completed); /* it rests on the effects of all rounds before */
    size_t mark = b_mark(r->e.b);
    all_suffixes(r, context - 1, r->suffix);
    bool found = r->eager ? run_eagerly(r, context, r->suffix, hit) : run_lazily(r, context, r->suffix, hit);
    for (int j = 0; j < r->threads && !found; j++) assert_costly(history_grows(r, j, context));
    r->completed += !found;
    b_release(r->e.b, mark);
    return found;
}

BDD rounds_exact(struct rounds *r, int thread, int node, int context, int entered)
{
    bool init = thread >= r->threads;
    int twin = init ? node : rounds_twin(r, thread, node);
    if (twin < 0) return bddfalse;
    BDD x = facts_cell(init ? &r->init : facts_of(r, thread), twin, context, entered)->all;
    if (init || x == bddfalse || (!r->eager && !r->shared[thread])) return x;
    if (is_sequential(r) && node < (int)r->e.p->nodes.len)
        x = b_and(r->e.b, x, r->entries[r->e.p->nodes.at[node].proc]);
    return b_and(r->e.b, x, *history(r, thread, context));
}
