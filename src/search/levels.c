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
#include <stdlib.h>
#include <string.h>

static const int widths[] = {10, 26, 58, MODEL_MOST_PROCESSES}; /* processes that marks have room for */

enum {
    AHEAD = 3,
    LOOK_EVERY = 16,
    FEW = 2048, /* states: one thread is done with them before the others are awake */
    MEMO_BYTES = 1 << 20,
    MEMO_BYTES_PER_STATE = 2,
};

/* ---- arrivals ---- */

static struct chunk *chunk_with_room(struct worker *w)
{
    struct chunk *last = w->found.len ? vec_last(&w->found) : NULL;
    if (last && !last->spilled && last->len < w->l->share) return last;
    if (last && spill_is_due(w->l)) vec_last(&w->found) = chunk_spill(w->l, last);
    struct chunk *c = w->spare.len ? vec_pop(&w->spare) : chunk_new(w->l);
    if (!c) return NULL;
    c->len = c->next = 0;
    vec_push(&w->found, c);
    return c;
}

static void push_item(struct worker *w, struct item item, const uint64_t *code, const struct log_entry *log)
{
    struct chunk *c = chunk_with_room(w);
    if (!c) return;
    uint32_t words = w->l->words;
    assert_costly(c->len < CHUNK_ITEMS && (item.pid == MODEL_NOBODY || item.recorded));
    if (w->l->carries) memcpy(c->codes + (size_t)c->len * words, code, words * sizeof *code);
    c->items[c->len++] = item;
    if (!w->l->keep_log) return;
    if (budget_take(&w->l->run->budget, sizeof *log)) vec_push(&w->l->log, *log);
    else stop(w->l, STOP_MEMORY);
}

/* Worker 0 looks at everybody's number now and then. */
static void count_state(struct worker *w) { __atomic_store_n(&w->states, w->states + 1, __ATOMIC_RELAXED); }

static void settle_arrival(struct worker *w, const struct arriving *a, enum arrived answer, const uint64_t *code,
                           const struct log_entry *log)
{
    struct item item = {a->key, (uint8_t)(a->last == ARRIVES_BLOCKED ? MODEL_NOBODY : a->last), true};
    switch (answer) {
    case ARRIVED_KNOWN: return;
    case ARRIVED_FULL: stop(w->l, STOP_MEMORY); return;
    case ARRIVED_WHOLE: item.recorded = false; /* fall through */
    case ARRIVED_NEW: count_state(w); /* fall through */
    case ARRIVED_ALSO: push_item(w, item, code, log); return;
    }
}

/* `count` arrivals of an outbox from number `from` on. */
static void settle_arrivals(struct worker *w, uint32_t part, uint32_t from, uint32_t count)
{
    struct levels *l = w->l;
    uint8_t answers[OUTBOX];
    size_t first = (size_t)part * OUTBOX + from;
    const struct arriving *at = w->outbox[part].at + from;
    const uint64_t *codes = w->outbox_codes + (l->carries ? first * l->words : 0);
    known_arrive(l->known, part, &(struct arrivals){at, count, l->rounds % 2, codes, l->log.len}, answers);
    for (uint32_t i = 0; i < count && !stopped(l); i++)
        if (answers[i] != ARRIVED_KNOWN)
            settle_arrival(w, &at[i], answers[i], codes + (l->carries ? i * l->words : 0),
                           l->keep_log ? &w->outbox_by[first + i] : NULL);
}

/* Who comes to be in the log is known only one by one. */
static void empty_outbox(struct worker *w, uint32_t part)
{
    struct outbox *o = &w->outbox[part];
    if (!w->l->keep_log && !stopped(w->l)) settle_arrivals(w, part, 0, o->len);
    else
        for (uint32_t i = 0; i < o->len && !stopped(w->l); i++) settle_arrivals(w, part, i, 1);
    o->len = 0;
}

static inline void arrive_by_key(struct worker *w, state_key key, int last, int processes)
{
    uint32_t part = known_part(key);
    struct outbox *o = &w->outbox[part];
    o->at[o->len++] = (struct arriving){key, (uint16_t)last, (uint16_t)processes};
    if (o->len == OUTBOX) empty_outbox(w, part);
}

static void arrive_with(struct worker *w, state_key key, const struct arriving *a, const uint64_t *code,
                        const struct log_entry *log)
{
    struct levels *l = w->l;
    size_t i = (size_t)known_part(key) * OUTBOX + w->outbox[known_part(key)].len;
    if (l->carries) memcpy(w->outbox_codes + i * l->words, code, l->words * sizeof *code);
    if (l->keep_log) w->outbox_by[i] = *log;
    arrive_by_key(w, key, a->last, a->processes);
}

/* The keys of codes that are longer than one. */
static void find_keys(struct worker *w)
{
    struct tree_batch *b = &w->batch;
    tree_answer(b);
    for (uint32_t i = 0; i < b->len; i++) {
        state_key key = b->requests[i].key;
        if (key == NO_KEY) stop(w->l, STOP_MEMORY);
        else arrive_with(w, key, &w->asking[i], w->scratch, &w->asking_by[i]);
    }
    b->len = 0;
}

static void flush(struct worker *w)
{
    if (w->l->tree) find_keys(w);
    for (uint32_t part = 0; part < KNOWN_PARTS; part++)
        if (w->outbox[part].len) empty_outbox(w, part);
}

static bool too_many(struct worker *w, int processes)
{
    if (w->l->all_free || processes <= widths[w->l->width]) return false;
    w->l->too_many_processes = true;
    stop(w->l, STOP_MEMORY);
    return true;
}

static void arrive(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
{
    struct levels *l = w->l;
    if (last >= processes) last = ARRIVES_FREE; /* it has died, and everybody may move */
    struct arriving a = {.last = (uint16_t)last, .processes = (uint16_t)processes};
    if (!l->tree) {
        arrive_with(w, l->carries ? code[l->words - 1] & KEY_MASK : key_mix(*code), &a, code, log);
        return;
    }
    w->asking[w->batch.len] = a;
    if (l->keep_log) w->asking_by[w->batch.len] = *log;
    tree_ask(&w->batch, &w->reader, code);
    if (w->batch.len == TREE_BATCH) find_keys(w);
}

static bool encode(struct worker *w, const uint8_t *state, uint32_t size, uint64_t *code)
{
    if (coder_encode(&w->learner.coder, state, size, code)) return true;
    stop(w->l, STOP_MEMORY);
    return false;
}

/* ---- errors ---- */

static int compare_sites(struct worker *w, int pid, uint32_t nth)
{
    uint32_t size = w->learner.coder.form->size;
    if (size != w->site_state.len) return size < w->site_state.len ? -1 : 1;
    int order = memcmp(coder_state(&w->learner.coder), w->site_state.at, size);
    if (!order) order = pid != w->site.pid ? (pid < w->site.pid ? -1 : 1) : 0;
    if (!order) order = nth < w->site.nth ? -1 : nth > w->site.nth;
    return order;
}

static void note_error(struct worker *w, int pid, uint32_t nth)
{
    uint32_t size = w->learner.coder.form->size;
    w->errors++;
    if (w->has_error && compare_sites(w, pid, nth) >= 0) return;
    w->has_error = true;
    w->site = (struct error_site){.log_entry = w->log_entry, .pid = pid, .nth = nth, .level = w->l->level};
    vec_clear(&w->site_state);
    vec_reserve(&w->site_state, size);
    memcpy(w->site_state.at, coder_state(&w->learner.coder), size);
    w->site_state.len = size;
}

/* ---- steps ---- */

static int last_of(const struct worker *w, int last) { return w->ample || w->l->all_free ? MODEL_NOBODY : last; }

/* What the step does to the code of every state in which the same decides. */
static void note_step(struct worker *w, const uint64_t *code, int last)
{
    for (uint32_t i = 0; i < w->l->words; i++) vec_push(&w->learnt, code[i] ^ w->learner.coder.code[i]);
    vec_push(&w->learnt, (uint64_t)last);
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct worker *w = ctx;
    w->transitions++;
    uint32_t nth = w->nth++;
    if (run_is_new_fault(w->l->run, t)) note_error(w, t->pid, nth);
    w->learns &= !t->fault && t->state;
    bool after_error = t->fault && w->l->run->opt->known; /* what only comes after another error is none */
    if (!t->state || after_error) return !stopped(w->l);
    if (!encode(w, t->state, t->size, w->scratch)) return false;
    if (w->learns) note_step(w, w->scratch, t->last);
    int processes = w->m->ops->process_count(w->m, t->state);
    if (!too_many(w, processes))
        arrive(w, w->scratch, last_of(w, t->last), processes, &(struct log_entry){w->log_entry, nth, t->pid});
    return !stopped(w->l);
}

static uint32_t execute_anew(struct worker *w, int pid)
{
    const uint8_t *state = coder_state(&w->learner.coder);
    w->nth = 0;
    return w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, w->timeout, on_successor, w);
}

/* In proportion to the states that it has found. */
static size_t most_remembered(const struct worker *w) { return MEMO_BYTES + MEMO_BYTES_PER_STATE * (size_t)w->states; }

static uint32_t execute_and_learn(struct worker *w, int pid)
{
    w->learns = true;
    vec_clear(&w->learnt);
    uint32_t steps = execute_anew(w, pid);
    if (w->learns && !stopped(w->l) && !w->m->cut) {
        assert(w->learnt.len == steps * (w->l->words + 1));
        learner_learn(&w->learner, pid, w->timeout, w->learnt.at, (uint32_t)w->learnt.len, most_remembered(w));
    }
    w->learns = false;
    return steps;
}

static uint32_t repeat(struct worker *w, int pid, const uint64_t *memory)
{
    uint32_t words = w->l->words, steps = (uint32_t)*memory++;
    const uint64_t *code = w->learner.coder.code;
    if (words == 1 && !w->l->keep_log) { /* nearly always */
        int processes = w->processes;
        bool free = w->ample || w->l->all_free;
        uint64_t from = *code;
        for (uint32_t nth = 0; nth < steps; nth++, memory += 2)
            arrive_by_key(w, key_mix(from ^ memory[0]), free ? MODEL_NOBODY : (int)memory[1], processes);
        w->transitions += steps;
        return steps;
    }
    for (uint32_t nth = 0; nth < steps; nth++, memory += words + 1) {
        for (uint32_t i = 0; i < words; i++) w->scratch[i] = code[i] ^ memory[i];
        arrive(w, w->scratch, last_of(w, (int)memory[words]), w->processes,
               &(struct log_entry){w->log_entry, nth, pid});
    }
    w->transitions += steps;
    return steps;
}

/* For builds that look at everything: the model still says what is remembered. */
struct comparison { struct worker *w; const uint64_t *memory; uint32_t steps; bool same; };

static bool compare_step(void *ctx, const struct successor *t)
{
    struct comparison *x = ctx;
    struct worker *w = x->w;
    uint32_t words = w->l->words;
    const uint64_t *step = x->memory + 1 + (size_t)x->steps * (words + 1);
    x->same &= t->state && !t->fault && x->steps < x->memory[0];
    if (!x->same || !encode(w, t->state, t->size, w->scratch)) return false;
    for (uint32_t i = 0; i < words; i++) x->same &= w->scratch[i] == (w->learner.coder.code[i] ^ step[i]);
    x->same &= step[words] == (uint64_t)t->last;
    x->steps++;
    return x->same;
}

static bool model_agrees(struct worker *w, int pid, const uint64_t *memory)
{
    struct comparison x = {w, memory, 0, true};
    const uint8_t *state = coder_state(&w->learner.coder);
    w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, w->timeout, compare_step, &x);
    return stopped(w->l) || w->m->cut || (x.same && x.steps == memory[0]);
}

static uint32_t execute(struct worker *w, int pid)
{
    if (pid >= w->processes) return 0; /* it has died */
    const uint64_t *memory = learner_steps(&w->learner, pid, w->timeout);
    assert_costly(!memory || model_agrees(w, pid, memory));
    if (memory) return repeat(w, pid, memory);
    return w->learner.decidable ? execute_and_learn(w, pid) : execute_anew(w, pid);
}

static uint32_t execute_set(struct worker *w, struct mask set)
{
    uint32_t steps = 0;
    for (int pid; (pid = mask_take(&set)) >= 0 && !stopped(w->l);) steps += execute(w, pid);
    return steps;
}

static uint32_t execute_all(struct worker *w)
{
    uint32_t steps = 0;
    for (int pid = w->processes - 1; pid >= 0 && !stopped(w->l); pid--) steps += execute(w, pid);
    return steps;
}

static bool one_is_enough(void *ctx, const struct successor *t)
{
    (void)ctx, (void)t;
    return false;
}

static bool can_move(struct worker *w, int pid)
{
    const uint64_t *memory = learner_steps(&w->learner, pid, w->timeout);
    if (memory) return *memory > 0;
    const uint8_t *state = coder_state(&w->learner.coder);
    return w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, w->timeout, one_is_enough, NULL) > 0;
}

static bool somebody_can_move(struct worker *w)
{
    for (int pid = w->processes - 1; pid >= 0; pid--)
        if (can_move(w, pid)) return true;
    return false;
}

/* ---- expansion ---- */

static int candidate_below(struct worker *w, int pid)
{
    if (!w->l->run->opt->reduce || !w->m->ops->independent) return -1;
    while (--pid >= 0)
        if (w->m->ops->independent(w->m, coder_state(&w->learner.coder), pid)) return pid;
    return -1;
}

/* True if the steps of one process will do (reduction.c). A state can be here several times in a level; the first that
 * comes takes the steps, whatever process it came for. */
static bool expand_reduced(struct worker *w)
{
    struct levels *l = w->l;
    int pid = candidate_below(w, w->processes);
    if (pid < 0) return false;
    bool first = !w->item.recorded || known_mark(l->known, w->item.key, MARK_AMPLE);
    unsigned flags;
    for (; pid >= 0 && !stopped(l); pid = candidate_below(w, pid)) {
        w->ample = true;
        bool moves = first ? execute(w, pid) > 0 : can_move(w, pid);
        w->ample = false;
        if (!moves) continue;
        if (w->item.recorded) known_claim(l->known, w->item.key, &flags);
        return true;
    }
    return false;
}

static void end_of_execution(struct worker *w)
{
    if (!stopped(w->l) && run_is_bad_end(w->l->run, coder_state(&w->learner.coder))) note_error(w, -1, 0);
}

/* A state in which everybody may move, and which is here only once. */
static void expand_whole(struct worker *w)
{
    if (execute_all(w) || stopped(w->l)) return;
    if (w->m->uses_timeout) {
        w->timeout = true;
        if (execute_all(w)) return;
    }
    end_of_execution(w);
}

/* Nobody can move unless timeout is true: then those that wait for it are asked as if they had been able to all the
 * time. */
static bool needs_timeout(struct worker *w)
{
    if (!w->m->uses_timeout || w->timeout || somebody_can_move(w)) return false;
    known_mark(w->l->known, w->item.key, MARK_TIMEOUT);
    return w->timeout = true;
}

static bool goes_on(struct worker *w, int pid)
{
    return execute(w, pid) || stopped(w->l) || (needs_timeout(w) && execute(w, pid)) || stopped(w->l);
}

static bool is_free_to_leave(struct worker *w, int pid)
{
    bool reduced = w->l->run->opt->reduce;
    return reduced && reduction_frees_switch(reduced, w->m, coder_state(&w->learner.coder), pid);
}

/* Who arrived goes on for free. If it cannot, or might not have been able to, everybody may move for free, in the next
 * round. */
static void expand_for(struct worker *w, int pid)
{
    bool moves = goes_on(w, pid);
    if (stopped(w->l)) return;
    if (moves && !is_free_to_leave(w, pid)) return;
    struct arriving a = {.last = ARRIVES_BLOCKED, .processes = (uint16_t)w->processes};
    arrive_with(w, w->item.key, &a, w->learner.coder.code, &(struct log_entry){w->log_entry, 0, SAME_STATE});
}

/* All that are left. If nobody at all can move, it is the end, which is noted once. */
static void expand_free(struct worker *w)
{
    unsigned flags;
    struct mask left = known_claim(w->l->known, w->item.key, &flags);
    w->timeout = flags & MARK_TIMEOUT;
    needs_timeout(w);
    if (execute_set(w, left) || stopped(w->l)) return;
    if (!somebody_can_move(w) && known_mark(w->l->known, w->item.key, MARK_ENDED)) end_of_execution(w);
}

static void expand_recorded(struct worker *w, int pid)
{
    if (pid == MODEL_NOBODY) expand_free(w);
    else expand_for(w, pid);
}

/* code: if keys do not say it. */
static void enter_state(struct worker *w, struct item item, const uint64_t *code, uint64_t log_entry)
{
    struct levels *l = w->l;
    struct coder *c = &w->learner.coder;
    uint64_t one_word = key_unmix(item.key);
    coder_enter(c, l->carries ? code : l->tree ? tree_read(&w->reader, item.key) : &one_word);
    w->item = item;
    w->log_entry = log_entry;
    w->timeout = false;
    w->processes = c->form->processes;
    if (w->processes < 0) w->processes = w->m->ops->process_count(w->m, coder_state(c));
    assert_costly(l->all_free || w->processes <= widths[l->width]);
}

/* Codes that others have made may have bits that this worker does not know of. */
static void begin_work(struct worker *w)
{
    learner_refresh(&w->learner);
}

static uint64_t found_so_far(const struct levels *l)
{
    uint64_t n = 0;
    for (int i = 0; i < l->count; i++) n += __atomic_load_n(&l->workers[i].states, __ATOMIC_RELAXED);
    return n;
}

/* Worker 0 looks at the limits for all. */
static void look(struct worker *w)
{
    struct levels *l = w->l;
    if (w != l->workers || ++w->looks % LOOK_EVERY) return;
    l->states = found_so_far(l);
    l->run->res->level_states = l->states - l->level_states;
    if (checkpoints_of(l) && (pausing(l) || checkpoint_is_due(l))) return;
    for (int i = 0; i < LOOK_EVERY; i++)
        if (run_tick(l->run)) stop(l, l->run->res->stop);
}

static void expand(struct worker *w, const struct item *item, const uint64_t *code, uint64_t log_entry)
{
    look(w);
    enter_state(w, *item, code, log_entry);
    if (expand_reduced(w) || stopped(w->l)) return;
    if (item->recorded) expand_recorded(w, item->pid);
    else expand_whole(w);
}

/* ---- rounds ---- */

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
        bool claims = later->recorded && (later->pid == MODEL_NOBODY || l->run->opt->reduce);
        if (claims) known_prefetch(l->known, later->key);
        const uint64_t *code = l->carries ? c->codes + (size_t)i * l->words : NULL;
        expand(w, &c->items[i], code, l->keep_log ? l->logged_items++ : 0);
    }
    l->round.at[part] = NULL;
    if (w->spare.len && spill_is_due(l)) chunk_free(l, c);
    else vec_push(&w->spare, c);
}

static bool expand_rest(void *ctx, const struct known_rest *r)
{
    struct worker *w = ctx;
    look(w);
    if (stopped(w->l)) return false;
    if (w->l->carries) memcpy(w->scratch, r->code, w->l->words * sizeof *w->scratch);
    enter_state(w, (struct item){.key = r->key}, w->scratch, r->log);
    w->timeout = r->flags & MARK_TIMEOUT;
    execute_set(w, mask_rest(&r->done, w->processes));
    return !stopped(w->l) && !pausing(w->l);
}

static void expand_part(void *ctx, int worker, uint32_t part)
{
    struct levels *l = ctx;
    if (pausing(l)) return;
    begin_work(&l->workers[worker]);
    known_each_rest(l->known, part, expand_rest, &l->workers[worker]);
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
    look(&l->workers[0]);
}

static void free_chunks(struct levels *l, struct chunk **chunks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (chunks[i]) chunk_free(l, chunks[i]);
}

static bool is_less(const struct worker *a, const struct worker *b)
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
        if (w->has_error && (!first->has_error || is_less(w, first))) {
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

/* The least error is the run's; the first round that has one decides. */
static void gather_errors(struct levels *l)
{
    struct run *r = l->run;
    merge_errors(l);
    struct worker *w = &l->workers[0];
    bool has_error = w->has_error;
    w->has_error = false;
    r->res->errors += w->errors;
    w->errors = 0;
    if (!has_error || r->res->error_level >= 0) return;
    r->site = w->site;
    r->res->error_level = w->site.level;
    if (r->opt->all_errors) return;
    r->res->errors = 1;
    stop(l, STOP_ERROR);
}

/* A round that was cut short says nothing about growth. */
static void note_growth(struct levels *l)
{
    uint64_t *by = l->found_by;
    memmove(by + 1, by, sizeof l->found_by - sizeof *by);
    by[0] = found_so_far(l);
    if (++l->level_rounds <= 2 * RECENT_ROUNDS) return;
    l->run->res->recent[0] = by[0] - by[RECENT_ROUNDS];
    l->run->res->recent[1] = by[RECENT_ROUNDS] - by[2 * RECENT_ROUNDS];
}

/* Everything that was found by the last piece of work becomes the next round. */
static void end_round(struct levels *l)
{
    if (l->run->stopped) stop(l, l->run->res->stop); /* inside a long step */
    vec_clear(&l->round);
    for (int i = 0; i < l->count; i++) {
        struct worker *w = &l->workers[i];
        if (!stopped(l)) flush(w);
        w->batch.len = 0;
        for (int k = 0; k < KNOWN_PARTS; k++) w->outbox[k].len = 0;
        for (size_t k = 0; k < w->found.len; k++) vec_push(&l->round, w->found.at[k]);
        vec_clear(&w->found);
    }
    if (!stopped(l)) note_growth(l);
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
    for (int i = 0; i < l->count && !stopped(l); i++) flush(&l->workers[i]);
    merge_errors(l);
    drop_done_chunks(l);
    if (!stopped(l)) checkpoint_write(l);
    l->pausing = false;
}

static void expand_round(struct levels *l)
{
    for (;;) {
        share_out(l, (uint64_t)l->round.len * l->share, (uint32_t)l->round.len, expand_chunk);
        if (!l->pausing || stopped(l)) return;
        rest(l);
    }
}

/* What costs the preemption that this level has and the last one had not. */
static void expand_rests(struct levels *l)
{
    for (;;) {
        share_out(l, l->left, KNOWN_PARTS, expand_part);
        if (!l->pausing || stopped(l)) return;
        rest(l);
    }
}

static void explore_level(struct levels *l)
{
    while ((l->round.len || l->mid_round) && !stopped(l)) {
        l->mid_round = false;
        if (l->all_free && l->run->opt->depth && l->rounds > (uint64_t)l->run->opt->depth) {
            l->run->res->depth_cut = true;
            return;
        }
        if (l->all_free) l->run->res->depth = l->rounds - 1;
        expand_round(l);
        end_round(l);
        if (l->run->opt->store == STORE_BITS) share_out(l, FEW, KNOWN_PARTS, blur_part);
    }
}

static void publish(struct levels *l)
{
    l->states = found_so_far(l);
    l->run->res->transitions = 0;
    for (int i = 0; i < l->count; i++) l->run->res->transitions += l->workers[i].transitions;
}

static void finish_level(struct levels *l)
{
    struct run *r = l->run;
    l->left = 0;
    share_out(l, found_so_far(l) - l->level_states, KNOWN_PARTS, settle_part);
    if (stopped(l)) return;
    publish(l);
    r->res->bound = l->level;
    struct search_level done = {l->level, l->states, r->res->transitions, seconds_now() - r->started};
    if (r->opt->level_done && !l->all_free) r->opt->level_done(r->opt->ctx, &done);
    if (!l->left) stop(l, STOP_COMPLETE);
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
    if (!too_many(w, processes) && encode(w, state, size, w->scratch))
        arrive(w, w->scratch, MODEL_NOBODY, processes, &(struct log_entry){0, 0, NO_STEP});
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
        expand_rests(l);
        l->level_states = found_so_far(l);
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

static void begin(struct levels *l, struct run *r, int workers)
{
    l->run = r;
    l->saved_at = seconds_now();
    l->asked = r->m->interrupted;
    l->asked_ctx = r->m->interrupt_ctx;
    bool exact = r->opt->store == STORE_EXACT;
    l->carries = r->opt->store == STORE_BITS || (!exact && l->words > 1);
    l->book = codebook_new(&r->budget, l->words, l->carries);
    if (exact && l->words > 1) l->tree = tree_new(&r->budget, l->words);
    l->words += l->carries;
    l->known = known_new((struct known_plan){.budget = &r->budget, .processes = l->all_free ? 0 : widths[l->width],
                                            .log = l->keep_log, .alone = workers == 1,
                                            .code_words = l->carries ? l->words : 0,
                                            .bits = r->opt->store == STORE_BITS ? r->opt->bit_field : 0});
    l->workers = aligned_alloc(64, (size_t)workers * sizeof *l->workers);
    if (!l->workers) die("out of memory");
    memset(l->workers, 0, (size_t)workers * sizeof *l->workers);
    for (l->count = 0; l->count < workers; l->count++) {
        struct worker *w = &l->workers[l->count];
        w->m = l->count ? (r->m->ops->another ? r->m->ops->another(r->m) : NULL) : r->m;
        if (!w->m) break;
        if (checkpoints_of(l)) model_ask(w->m, checkpoint_cuts_step, l);
        else if (l->count) model_ask(w->m, asks_worker, l);
        w->l = l;
        learner_init(&w->learner, l->book, w->m, &r->budget);
        w->scratch = xcalloc(l->words, sizeof *w->scratch);
        w->outbox_codes = xcalloc((size_t)KNOWN_PARTS * OUTBOX * (l->carries ? l->words : 1), sizeof *w->outbox_codes);
        w->outbox_by = l->keep_log ? xcalloc(KNOWN_PARTS * OUTBOX, sizeof *w->outbox_by) : NULL;
        if (l->tree) {
            tree_reader_init(&w->reader, l->tree);
            tree_batch_init(&w->batch, l->tree);
        }
    }
    l->crew = crew_new(l->count);
    l->alone = crew_new(1);
    spill_open(l);
    l->share = MIN(r->opt->share ? r->opt->share : CHUNK_ITEMS, (uint32_t)CHUNK_ITEMS);
    r->states = &l->states;
    assert(l->count >= 1 && l->share >= 1 && l->share <= CHUNK_ITEMS);
    if (!l->known || (exact && l->words > 1 && !l->tree)) stop(l, STOP_MEMORY);
    assert(!l->carries || !l->tree);
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
    free(w->scratch);
    free(w->outbox_codes);
    free(w->outbox_by);
    learner_release(&w->learner);
    tree_reader_release(&w->reader);
    tree_batch_release(&w->batch);
    m->max_state = MAX(m->max_state, w->m->max_state);
    m->met_inside |= w->m->met_inside;
    if (w->m != m) w->m->ops->free(w->m);
    else m->interrupted = l->asked, m->interrupt_ctx = l->asked_ctx;
}

static void release(struct levels *l)
{
    crew_free(l->crew);
    crew_free(l->alone);
    spill_close(l);
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
    publish(l);
    run_publish(l->run);
    l->run->res->omission = omission(l);
    l->run->res->lossless = l->run->opt->store == STORE_COMPACT && !l->carries;
    assert(l->why != STOP_NOT_YET && l->states == found_so_far(l));
    l->run->states = &l->run->store.count;
    l->run->store.count = l->states;
    run_stop(l->run, (enum search_stop)l->why);
    release(l);
}

/* From the arrival at which the error was found back to the beginning. */
static void schedule_from_log(struct run *r, const struct levels *l, const struct error_site *site)
{
    pid_steps steps = {0};
    if (site->pid >= 0) vec_push(&steps, ((struct pid_step){site->pid, site->nth}));
    for (uint64_t at = site->log_entry; l->log.at[at].pid != NO_STEP; at = l->log.at[at].from)
        if (l->log.at[at].pid != SAME_STATE)
            vec_push(&steps, ((struct pid_step){l->log.at[at].pid, l->log.at[at].nth}));
    for (size_t i = 0, k = steps.len; i + 1 < k; i++) {
        struct pid_step swapped = steps.at[i];
        steps.at[i] = steps.at[--k];
        steps.at[k] = swapped;
    }
    r->res->has_error = steps_schedule(r->m, &steps, &r->res->error);
    r->res->error.deadlock = site->pid < 0;
    vec_release(&steps);
}

/* The same search with one thread, up to the same error, with a log of arrivals. */
static void rebuild(struct run *r, const struct levels *first)
{
    struct search_options first_error = *r->opt;
    first_error.all_errors = false;
    first_error.level_done = NULL;
    struct search_result result = {.bound = -1, .error_level = -1};
    struct run again = {.m = r->m, .opt = &first_error, .res = &result, .budget = {.limit = r->budget.limit},
                        .started = r->started};
    struct levels l = {.all_free = first->all_free, .words = first->words - first->carries,
                       .width = first->width, .keep_log = true};
    begin(&l, &again, 1);
    if (!stopped(&l)) enter_initial(&l);
    if (!stopped(&l)) explore(&l);
    if (result.errors) {
        schedule_from_log(r, &l, &again.site);
        assert(again.site.level == r->site.level && again.site.pid == r->site.pid && again.site.nth == r->site.nth);
    }
    finish(&l);
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
    struct archive *from = r->opt->checkpoints ? r->opt->checkpoints->resume : NULL;
    if (from && !checkpoint_widths(from, &words, &width, ARRAY_LEN(widths))) r->res->bad_checkpoint = true;
    for (bool again = true; again; from = NULL) {
        bool logs = r->opt->keep_links;
        l = (struct levels){.all_free = all_free, .words = words, .width = width, .keep_log = logs};
        begin(&l, r, logs ? 1 : MAX(r->opt->workers, 1)); /* may add a word */
        if (r->res->bad_checkpoint) stop(&l, STOP_MEMORY);
        if (!stopped(&l) && !from) enter_initial(&l);
        else if (!stopped(&l)) checkpoint_load(&l, from);
        if (!stopped(&l)) explore(&l);
        bool full = codebook_is_full(l.book);
        again = l.too_many_processes || full;
        if (logs && !again && r->res->errors) schedule_from_log(r, &l, &r->site);
        finish(&l);
        width += l.too_many_processes;
        words <<= full;
        if (again) begin_again(r);
    }
    if (r->res->errors && !r->opt->keep_links) rebuild(r, &l);
    if (all_free) r->res->bound = r->res->error_level = -1;
}

void levels_search(struct run *r) { search(r, false); }
void layers_search(struct run *r) { search(r, true); }
