/* Ordered search: all schedules with 0 preemptions, then those with 1, 2, ... until nothing is left; and breadth-first
 * search, which is its level 0 when every switch is free.
 *
 * Think of nodes (s, p): state s, entered by a step that p made last. A step of q from (s, p) costs one preemption if
 * q is not p and p could have gone on in s, else nothing. If levels are completed in order, the lowest cost d(s) of
 * a state is known when it is first seen, and every step of s has to be executed only once: at level d(s) if its
 * process is among those that arrived with d(s), or if one of those is blocked in s; else at level d(s) + 1. So a
 * state of the present level needs a set of the processes that have arrived or been executed in it, a state of an
 * earlier one nothing at all, and the whole search executes each step at most once, whatever the bound. Compare
 * Holzmann and Florian, "Model checking with bounded context switching": there the search is depth-first and has to
 * come back whenever a state is reached cheaper.
 *
 * Nothing depends on who came first. A level goes in rounds: what was found in one is expanded in the next. Which
 * states and arrivals a round finds follows from the one before, so any number of threads, each taking what is next,
 * make the same rounds, levels and counts. When a round has errors, it is finished, and the least of them is reported
 * (by the bytes of its state, the process, the step).
 *
 * No state knows where it came from. When there is an error, a second search with one thread goes the same rounds up to
 * it and keeps a log of arrivals. */
#include "search/levels_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 3,
    FEW = 2048, /* states: one thread is done with them before the others are awake */
};

/* ---- rounds ---- */

/* Codes that others have made may have bits that this worker does not know of. */
static void begin_work(struct worker *w)
{
    uint32_t overflows = w->learner.steps.overflows;
    learner_refresh(&w->learner);
    if (w->round == w->l->rounds) return;
    w->round = w->l->rounds;
    w->overflowing = overflows - w->overflows > 1;
    w->overflows = overflows;
}

/* What was spilled is in memory again; NULL: the search is stopped. */
static struct chunk *fetch_chunk(struct worker *w, struct chunk *stub)
{
    struct chunk *c = w->spare.len ? vec_pop(&w->spare) : chunk_new(w->l);
    if (c && !chunk_read(w->l, stub, c)) {
        vec_push(&w->spare, c);
        c = NULL;
    }
    chunk_free(w->l, stub);
    return c;
}

static void expand_chunk(void *ctx, int worker, uint32_t part)
{
    struct levels *l = ctx;
    struct worker *w = &l->workers[worker];
    struct chunk *c = l->round.at[part];
    if (pausing(l)) return;
    if (c->spilled) c = l->round.at[part] = fetch_chunk(w, c);
    if (!c) return;
    begin_work(w);
    for (uint32_t i = c->next; i < c->len && !stopped(l); i = ++c->next) {
        if (pausing(l)) return;
        const struct item *later = &c->items[MIN(i + AHEAD, c->len - 1)];
        if (l->tree) tree_prefetch(l->tree, later->key);
        if (l->words == 1 && !l->carries) learner_prefetch(&w->learner, key_unmix(later->key), later->pid);
        bool reduces = l->run->opt->reduce && !later->no_ample;
        bool claims = later->recorded && (later->pid == MODEL_NOBODY || reduces);
        if (claims) known_prefetch(l->known, later->key);
        const uint64_t *code = l->carries ? c->codes + (size_t)i * l->words : NULL;
        worker_expand(w, &c->items[i], code, l->keep_log ? l->logged_items++ : 0);
    }
    l->round.at[part] = NULL;
    if (w->spare.len && spill_is_due(l)) chunk_free(l, c);
    else vec_push(&w->spare, c);
}

static void expand_rest(struct worker *w, const struct known_rest *r)
{
    worker_look(w);
    if (stopped(w->l)) return;
    if (w->l->carries) memcpy(w->scratch, r->code, w->l->words * sizeof *w->scratch);
    worker_enter(w, (struct item){.key = r->key}, w->scratch, r->log);
    worker_execute_set(w, mask_rest(&r->done, w->processes));
    worker_settle(w);
}

/* All of them, also if there is to be a rest: they are put aside no more. */
static bool expand_some_rests(void *ctx, const struct known_rest *rests, uint32_t count)
{
    struct worker *w = ctx;
    struct levels *l = w->l;
    for (uint32_t i = 0; i < count; i++) {
        if (l->words == 1 && i + AHEAD < count)
            learner_prefetch(&w->learner, key_unmix(rests[i + AHEAD].key), MODEL_NOBODY);
        expand_rest(w, &rests[i]);
    }
    return !stopped(l) && !pausing(l);
}

static void expand_part(void *ctx, int worker, uint32_t part)
{
    struct levels *l = ctx;
    if (pausing(l)) return;
    begin_work(&l->workers[worker]);
    known_each_rest(l->known, part, expand_some_rests, &l->workers[worker]);
}

static void settle_part(void *ctx, int worker, uint32_t part)
{
    struct levels *l = ctx;
    (void)worker;
    uint64_t left = known_settle(l->known, part);
    if (left == UINT64_MAX) stop(l, STOP_MEMORY);
    else __atomic_add_fetch(&l->left, left, __ATOMIC_RELAXED);
}

static void blur_part(void *ctx, int worker, uint32_t part)
{
    (void)worker;
    known_blur(((struct levels *)ctx)->known, part);
}

static void look_while_waiting(void *ctx)
{
    struct levels *l = ctx;
    l->workers[0].looks = LOOK_EVERY - 1;
    worker_look(&l->workers[0]);
}

static void free_chunks(struct levels *l, struct chunk **chunks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (chunks[i]) chunk_free(l, chunks[i]);
}

bool worker_error_is_less(const struct worker *a, const struct worker *b)
{
    if (a->site_state.len != b->site_state.len) return a->site_state.len < b->site_state.len;
    int order = memcmp(a->site_state.at, b->site_state.at, a->site_state.len);
    if (!order) order = a->site.pid - b->site.pid;
    return order ? order < 0 : a->site.nth < b->site.nth;
}

/* The least of all workers' is worker 0's. */
static void merge_errors(struct levels *l)
{
    struct worker *first = &l->workers[0];
    for (int i = 1; i < l->count; i++) {
        struct worker *w = &l->workers[i];
        if (w->has_error && (!first->has_error || worker_error_is_less(w, first))) {
            first->has_error = true;
            first->site = w->site;
            vec_clear(&first->site_state);
            vec_reserve(&first->site_state, w->site_state.len);
            memcpy(first->site_state.at, w->site_state.at, w->site_state.len);
            first->site_state.len = w->site_state.len;
        }
        w->has_error = false;
        first->errors += w->errors;
        w->errors = 0;
    }
}

/* Of an error that another process of the job found, the state may mean nothing here. */
static void name_error(struct levels *l)
{
    struct worker *w = &l->workers[0];
    struct run *r = l->run;
    r->res->error.deadlock = w->site.pid < 0;
    if (w->site.pid >= 0 && !l->cluster)
        run_name_fault(r, w->m, w->site_state.at, (uint32_t)w->site_state.len, w->site.pid, w->site.nth);
}

/* The least error is the run's; the first round that has one decides. */
static void gather_errors(struct levels *l)
{
    struct run *r = l->run;
    merge_errors(l);
    struct worker *w = &l->workers[0];
    if (l->cluster && l->all.with_error && !stopped(l)) ranks_merge_errors(l);
    bool has_error = w->has_error;
    w->has_error = false;
    r->res->errors += w->errors;
    w->errors = 0;
    if (!has_error || r->res->error_level >= 0) return;
    r->site = w->site;
    r->res->error_level = w->site.level;
    name_error(l);
    if (r->opt->all_errors) return;
    r->res->errors = 1;
    stop(l, STOP_ERROR);
}

/* A round that was cut short says nothing about growth. */
static void note_growth(struct levels *l)
{
    uint64_t *by = l->found_by;
    memmove(by + 1, by, sizeof l->found_by - sizeof *by);
    by[0] = levels_found(l);
    if (++l->level_rounds <= 2 * RECENT_ROUNDS) return;
    l->run->res->recent[0] = by[0] - by[RECENT_ROUNDS];
    l->run->res->recent[1] = by[RECENT_ROUNDS] - by[2 * RECENT_ROUNDS];
}

static void tell_round(struct levels *l)
{
    const struct search_options *o = l->run->opt;
    struct search_round done = {.level = l->level, .seconds = seconds_now() - l->run->started};
    if (!o->round_done) return;
    for (int i = 0; i < l->count; i++) {
        done.transitions += l->workers[i].transitions;
        done.arrivals += l->workers[i].arrivals;
    }
    done.states = levels_found(l);
    o->round_done(o->ctx, &done);
}

/* Everything that was found by the last piece of work becomes the next round. */
static void end_round(struct levels *l)
{
    if (l->run->stopped) stop(l, l->run->res->stop); /* inside a long step */
    vec_clear(&l->round);
    for (int i = 0; i < l->count; i++) {
        struct worker *w = &l->workers[i];
        if (!stopped(l)) worker_flush(w); /* of several processes: it was, and nothing has come since */
        w->batch.len = 0;
        for (int k = 0; k < KNOWN_PARTS; k++) w->outbox[k].len = 0;
        for (size_t k = 0; k < w->found.len; k++) vec_push(&l->round, w->found.at[k]);
        vec_clear(&w->found);
    }
    if (!stopped(l)) note_growth(l);
    if (!stopped(l)) tell_round(l);
    gather_errors(l);
    spill_end_round(l);
    l->rounds++;
}

/* Side by side, if there is enough to do. */
static void share_out(struct levels *l, uint64_t states, uint32_t parts, crew_part *part)
{
    bool few = states < FEW && l->share == CHUNK_ITEMS;
    crew_run(few ? l->alone : l->crew, parts, part, look_while_waiting, l);
}

static void drop_done_chunks(struct levels *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->round.len; i++)
        if (l->round.at[i]) l->round.at[kept++] = l->round.at[i];
    l->round.len = kept;
}

/* All arrivals are settled, all threads at rest: what there is now is all that there is to go on from. */
static void rest(struct levels *l)
{
    for (int i = 0; i < l->count && !stopped(l); i++) worker_flush(&l->workers[i]);
    merge_errors(l);
    drop_done_chunks(l);
    if (!stopped(l)) checkpoint_write(&l->checkpoints);
    l->checkpoints.pausing = false;
}

/* A piece of work, until it is done by all, with rests in between. */
static void work_through(struct levels *l, void (*piece)(struct levels *l))
{
    for (;;) {
        piece(l);
        bool rests = l->cluster ? ranks_settle(l) : pausing(l) && !stopped(l);
        if (!rests) return;
        rest(l);
    }
}

static void expand_round(struct levels *l)
{
    share_out(l, (uint64_t)l->round.len * l->share, (uint32_t)l->round.len, expand_chunk);
}

/* What costs the preemption that this level has and the last one had not. */
static void expand_rests(struct levels *l) { share_out(l, l->left, KNOWN_PARTS, expand_part); }

/* In whichever process. */
static bool has_round(const struct levels *l) { return l->cluster ? l->all.items : l->round.len; }

static void explore_level(struct levels *l)
{
    while ((has_round(l) || l->mid_round) && !stopped(l)) {
        l->mid_round = false;
        if (l->all_free && l->run->opt->depth && l->rounds > (uint64_t)l->run->opt->depth) {
            l->run->res->depth_cut = true;
            return;
        }
        if (l->all_free) l->run->res->depth = l->rounds - 1;
        work_through(l, expand_round);
        end_round(l);
        if (l->run->opt->store == STORE_BITS) share_out(l, FEW, KNOWN_PARTS, blur_part);
    }
}

static void publish(struct levels *l)
{
    l->states = levels_found(l);
    l->run->res->code_bytes = l->words * sizeof(uint64_t);
    l->run->res->transitions = l->transitions_elsewhere;
    for (int i = 0; i < l->count; i++) l->run->res->transitions += l->workers[i].transitions;
}

static void finish_level(struct levels *l)
{
    struct run *r = l->run;
    l->left = 0;
    share_out(l, levels_found(l) - l->level_states, KNOWN_PARTS, settle_part);
    uint64_t left = l->cluster ? ranks_sum(l, l->left) : l->left;
    if (stopped(l)) return;
    publish(l);
    r->res->bound = l->level;
    struct search_level done = {l->level, l->states, r->res->transitions, seconds_now() - r->started};
    if (r->opt->level_done && !l->all_free && done.bound > l->told) r->opt->level_done(r->opt->ctx, &done);
    if (!left) stop(l, STOP_COMPLETE);
    else if (l->level == r->opt->bound) stop(l, STOP_BOUND);
}

static void enter_initial(struct levels *l)
{
    struct model *m = l->run->m;
    uint8_t *state = xcalloc(1, m->max_state);
    uint32_t size = m->ops->initial(m, state);
    assert(size <= m->max_state);
    struct worker *w = &l->workers[0];
    int processes = m->ops->process_count(m, state);
    bool first = !l->rank && !stopped(l) && !worker_cannot_mark(w, processes);
    if (l->cluster) { /* all have its values before it is anywhere */
        if (first) worker_encode(w, state, size, w->scratch);
        worker_cannot_encode(w);
        ranks_settle(l);
    }
    if (first && !stopped(l) && worker_encode(w, state, size, w->scratch))
        worker_defer(w, w->scratch, MODEL_NOBODY, processes, &(struct log_entry){0, 0, NO_STEP});
    worker_settle(w);
    if (l->cluster) ranks_settle(l);
    free(state);
    end_round(l);
}

/* From the beginning, or from where a checkpoint was written. */
static void explore(struct levels *l)
{
    for (;;) {
        if (!l->between) {
            explore_level(l);
            if (!stopped(l)) finish_level(l);
            if (stopped(l)) return;
            known_begin_level(l->known, ++l->level);
            l->between = true;
        }
        work_through(l, expand_rests);
        l->level_states = levels_found(l);
        l->level_rounds = 0;
        memset(l->run->res->recent, 0, sizeof l->run->res->recent);
        end_round(l);
        l->between = false;
    }
}

/* ---- begin and end ---- */

/* The model asks inside a long step; worker 0's handle is the run's, which asks for itself unless there are
 * checkpoints. */
static bool asks_worker(void *ctx) { return stopped(ctx); }

struct known_plan levels_known_plan(const struct levels *l)
{
    const struct search_options *o = l->run->opt;
    return (struct known_plan){.budget = &l->run->budget, .processes = l->all_free ? 0 : most_processes(l),
                               .log = l->keep_log, .alone = l->alone_at_work,
                               .code_words = l->carries ? l->words : 0,
                               .bits = o->store == STORE_BITS ? o->bit_field : 0};
}

static void begin(struct levels *l, struct run *r, int workers)
{
    l->run = r;
    l->asked = r->m->interrupted;
    l->asked_ctx = r->m->interrupt_ctx;
    bool exact = r->opt->store == STORE_EXACT;
    l->carries = r->opt->store == STORE_BITS || (!exact && l->words > 1);
    l->forces = reduction_forces(r);
    l->book = codebook_new(&r->budget, l->words, l->carries);
    if (exact && l->words > 1) l->tree = tree_new(&r->budget, l->words);
    l->words += l->carries;
    l->alone_at_work = workers == 1;
    l->asks_first = l->forces && l->words == 1 && !l->carries && !l->keep_log && !r->opt->cluster;
    l->known = known_new(levels_known_plan(l));
    l->workers = aligned_alloc(64, (size_t)workers * sizeof *l->workers);
    if (!l->workers) die("out of memory");
    memset(l->workers, 0, (size_t)workers * sizeof *l->workers);
    for (l->count = 0; l->count < workers; l->count++) {
        struct worker *w = &l->workers[l->count];
        w->m = l->count ? (r->m->ops->another ? r->m->ops->another(r->m) : NULL) : r->m;
        if (!w->m) break;
        if (checkpoints_of(l)) model_ask(w->m, checkpoint_cuts_step, &l->checkpoints);
        else if (l->count) model_ask(w->m, asks_worker, l);
        w->l = l;
        learner_init(&w->learner, l->book, w->m, &r->budget);
        w->scratch = xcalloc(l->words, sizeof *w->scratch);
        w->outbox_codes = xcalloc((size_t)KNOWN_PARTS * OUTBOX * (l->carries ? l->words : 1), sizeof *w->outbox_codes);
        w->outbox_by = l->keep_log ? xcalloc(KNOWN_PARTS * OUTBOX, sizeof *w->outbox_by) : NULL;
        worker_forced_init(w);
        if (l->tree) {
            tree_reader_init(&w->reader, l->tree);
            tree_batch_init(&w->batch, l->tree);
        }
    }
    ranks_begin(l);
    l->checkpoints = (struct checkpointing){.run = r,
                                            .cluster = l->cluster,
                                            .rank = l->rank,
                                            .why = &l->why,
                                            .search = l,
                                            .tell_pause = ranks_tell_pause,
                                            .put_head = levels_put_head,
                                            .put = levels_put,
                                            .saved_at = seconds_now()};
    l->crew = crew_new(l->count);
    if (l->cluster) crew_look_often(l->crew);
    l->alone = crew_new(1);
    spill_open(l);
    l->share = MIN(r->opt->share ? r->opt->share : CHUNK_ITEMS, (uint32_t)CHUNK_ITEMS);
    r->states = &l->states;
    assert(l->count >= 1 && l->share >= 1 && l->share <= CHUNK_ITEMS);
    if (!l->known || (exact && l->words > 1 && !l->tree)) stop(l, STOP_MEMORY);
    assert(!l->carries || !l->tree);
}

static void note_met(struct levels *l, struct model *by)
{
    struct model *m = l->run->m;
    m->max_state = MAX(m->max_state, by->max_state);
    m->met_inside |= by->met_inside;
    if (m->ops->reached) m->ops->reached(by, NULL, 0);
}

static void release_worker(struct levels *l, struct worker *w)
{
    struct model *m = l->run->m;
    free_chunks(l, w->found.at, w->found.len);
    free_chunks(l, w->spare.at, w->spare.len);
    vec_release(&w->found);
    vec_release(&w->spare);
    vec_release(&w->site_state);
    vec_release(&w->learnt);
    worker_forced_release(w);
    free(w->scratch);
    free(w->outbox_codes);
    free(w->outbox_by);
    learner_release(&w->learner);
    tree_reader_release(&w->reader);
    tree_batch_release(&w->batch);
    if (w->m != m) w->m->ops->free(w->m);
    else m->interrupted = l->asked, m->interrupt_ctx = l->asked_ctx;
}

static void release(struct levels *l)
{
    crew_free(l->crew);
    crew_free(l->alone);
    spill_close(l);
    ranks_end(l);
    free_chunks(l, l->round.at, l->round.len);
    vec_release(&l->round);
    for (int i = 0; i < l->count; i++) release_worker(l, &l->workers[i]);
    free(l->workers);
    budget_give(&l->run->budget, l->log.len * sizeof *l->log.at);
    vec_release(&l->log);
    known_free(l->known);
    tree_free(l->tree);
    codebook_free(l->book);
}

/* With hashes: some two of n states share one of 62 bits with probability of at most n^2 / 2^63. */
static double omission(const struct levels *l)
{
    double n = (double)l->states, clashes = l->carries ? MIN(1.0, n * n / 9223372036854775808.0) : 0;
    return l->known ? MAX(clashes, known_omission(l->known)) : 0;
}

static void finish(struct levels *l)
{
    for (int i = 1; i < l->count; i++) note_met(l, l->workers[i].m);
    if (l->cluster) ranks_join_results(l->cluster, l->run);
    publish(l);
    run_publish(l->run);
    l->run->res->omission = omission(l);
    l->run->res->lossless = l->run->opt->store == STORE_COMPACT && !l->carries;
    assert(l->why != STOP_NOT_YET && l->states == levels_found(l));
    l->run->states = &l->run->store.count;
    l->run->store.count = l->states;
    run_stop(l->run, (enum search_stop)l->why);
    release(l);
}

/* From the arrival at which the error was found back to the beginning. */
static void schedule_from_log(struct run *r, struct levels *l, const struct error_site *site)
{
    pid_steps steps = {0};
    if (site->pid >= 0) vec_push(&steps, ((struct pid_step){site->pid, site->nth}));
    struct log_entry e;
    for (uint64_t at = site->log_entry; (e = ranks_log_entry(l, at)).pid != NO_STEP; at = e.from)
        if (e.pid != SAME_STATE) vec_push(&steps, ((struct pid_step){e.pid, e.nth}));
    for (size_t i = 0, k = steps.len; i + 1 < k; i++) {
        struct pid_step swapped = steps.at[i];
        steps.at[i] = steps.at[--k];
        steps.at[k] = swapped;
    }
    if (!l->rank) r->res->has_error = reduced_schedule(r, &steps, site->pid < 0, &r->res->error);
    vec_release(&steps);
}

static bool is_same_site(const struct error_site *a, const struct error_site *b)
{
    return a->level == b->level && a->pid == b->pid && a->nth == b->nth;
}

/* A round that was cut short reports an error that need not be the least of that round; this one is. */
static void adopt_error(struct run *r, const struct run *again)
{
    r->site = again->site;
    r->res->fault = again->res->fault;
    memcpy(r->res->fault_message, again->res->fault_message, sizeof r->res->fault_message);
}

/* Repeat the search with one thread and a log of arrivals, up to the first round that has an error. */
static void rebuild(struct run *r, const struct levels *first)
{
    struct search_options first_error = *r->opt;
    first_error.all_errors = false;
    first_error.level_done = NULL;
    first_error.round_done = NULL;
    struct search_result result = {.bound = -1, .error_level = -1};
    struct run again = {.m = r->m, .opt = &first_error, .res = &result, .budget = {.limit = r->budget.limit},
                        .started = r->started};
    struct levels l = {.all_free = first->all_free, .words = first->words - first->carries,
                       .width = first->width, .keep_log = true};
    run_begin(&again); /* a long step that is cut stops this search, and not the one that is over */
    begin(&l, &again, 1);
    if (!stopped(&l) || l.cluster) enter_initial(&l);
    if (!stopped(&l)) explore(&l);
    if (result.errors && l.why == STOP_ERROR) { /* not in a round that a limit cut short: it may have another error */
        schedule_from_log(r, &l, &again.site);
        assert(first->why != STOP_ERROR || is_same_site(&again.site, &r->site));
        adopt_error(r, &again);
    }
    finish(&l);
    run_end(&again);
    r->budget.peak = MAX(r->budget.peak, again.budget.peak);
    search_result_release(&result);
}

/* For the first time, or after it was found that sets of processes or codes need more room. */
static void begin_again(struct run *r)
{
    struct search_result *result = r->res;
    *result = (struct search_result){.bound = -1, .error_level = -1};
    *r = (struct run){.m = r->m, .opt = r->opt, .res = result, .budget = {.limit = r->budget.limit},
                      .started = r->started, .longest = r->longest, .asked = r->asked, .asked_ctx = r->asked_ctx};
}

static void search(struct run *r, bool all_free)
{
    struct levels l;
    uint32_t width = 0, words = 1;
    int64_t told = -1;
    struct levels_head head;
    struct archive *from = r->opt->checkpoints ? r->opt->checkpoints->resume : NULL;
    if (from && !levels_get_head(from, &head)) r->res->bad_checkpoint = true;
    else if (from) words = head.words, width = head.width;
    for (bool again = true; again; from = NULL) {
        bool logs = r->opt->keep_links;
        l = (struct levels){.all_free = all_free, .words = words, .width = width, .told = told, .keep_log = logs};
        begin(&l, r, logs ? 1 : MAX(r->opt->workers, 1)); /* may add a word */
        if (r->res->bad_checkpoint) stop(&l, STOP_MEMORY);
        if ((!stopped(&l) || l.cluster) && !from) enter_initial(&l);
        else if (!stopped(&l)) levels_get(&l, from, head);
        if (l.cluster) r->res->bad_checkpoint |= ranks_sum(&l, r->res->bad_checkpoint) > 0;
        if (!stopped(&l)) explore(&l);
        bool full = l.cluster ? l.all.full : codebook_is_full(l.book);
        again = l.too_many_processes || full;
        if (logs && !again && r->res->errors) schedule_from_log(r, &l, &r->site);
        finish(&l);
        width += l.too_many_processes;
        words <<= full;
        told = MAX(told, r->res->bound);
        if (again) begin_again(r);
    }
    if (r->res->errors && !r->opt->keep_links) rebuild(r, &l);
    if (all_free) r->res->bound = r->res->error_level = -1;
}

void levels_search(struct run *r) { search(r, false); }
void layers_search(struct run *r) { search(r, true); }
