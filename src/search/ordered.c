/* Ordered search: all schedules with 0 preemptions, then those with 1, 2, ... until nothing is left.
 *
 * Think of nodes (s, p): state s, entered by a step that p made last. A step of q from (s, p) costs one preemption if
 * q is not p and p could have gone on in s, else nothing. If levels are completed in order, the lowest cost d(s) of
 * a state is known when it is first seen, and every step of s has to be executed only once: at level d(s) if its
 * process is among those that arrived with d(s), or if one of those is blocked in s; else at level d(s) + 1. So a
 * state needs no more than a mask of the processes that have been, or are about to be, executed in it, and the whole
 * search executes each step at most once, whatever the bound. Compare Holzmann and Florian, "Model checking with
 * bounded context switching": there the search is depth-first and has to come back whenever a state is reached cheaper.
 *
 * States enter the store in the order of their levels, so a state is of the current level if and only if its
 * reference is not below the first reference of the level.
 *
 * Each record has two sets of processes: *scheduled* (arrived here at the state's level) and *executed*. A state is in
 * the queue when the first has something that the second has not.
 *
 * With a bit field there are no sets to find again: only the first arrival at a state counts, its process is executed
 * at once and the others one level later. Every step is still executed once, some of them a level too late, so the
 * levels are upper bounds. (The paper's replicated storage serves the same end in a search whose counts go up and
 * down; here they only go up, so that the copies for higher counts would never be looked at.) */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXPANDED = 1, /* some step was possible */
    TIMEOUT = 2,  /* nobody can move unless timeout is true */
    DEFERRED = 4, /* waits for the next level */
    QUEUED = 8,   /* waits in this level */
    LOOK_AHEAD = 6,
    MASK_WORDS = 4,
};

/* A set of processes. */
struct mask { uint64_t word[MASK_WORDS]; };
enum which { SCHEDULED, EXECUTED };

/* An arrival, with the entry from which it was made: kept only when a schedule has to be rebuilt from it. */
struct log_entry { state_ref ref; uint64_t from; int pid, last; };

struct ordered {
    struct run *run;
    struct frontier queue;    /* arrivals of this level */
    struct frontier deferred; /* states with processes left for the next level */
    struct batch batch;
    state_ref first_of_level, last_added;
    int64_t level;
    bool too_many_processes;  /* for the masks: begin again with wider ones */
    bool keep_log;
    VEC(struct log_entry) log;
    uint64_t popped;
    VEC(uint64_t) deferred_log; /* log entries of the deferred states, in their order */
    size_t deferred_read;
};

/* The state being expanded. */
struct source {
    struct ordered *o;
    const uint8_t *state;
    uint32_t size;
    state_ref ref;
    uint64_t log_entry;
    int processes;
    uint32_t nth; /* of the step now enumerated, among those of its process */
    bool timeout;
    bool ample;   /* the step comes from an ample set: the switch after it is free */
};

static uint64_t word_of(state_ref ref, int pid) { return ref << 8 | (uint64_t)pid; }

static struct mask mask_of(int pid)
{
    struct mask m = {{0}};
    if (pid != MODEL_NOBODY) m.word[pid / 64] = UINT64_C(1) << pid % 64;
    return m;
}

static const struct mask everybody = {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}};

/* Processes 0 .. n-1 that are not in m. */
static struct mask mask_rest(const struct mask *m, int n)
{
    struct mask rest;
    for (int i = 0; i < MASK_WORDS; i++) {
        int bits = MIN(MAX(n - i * 64, 0), 64);
        rest.word[i] = (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1) & ~m->word[i];
    }
    return rest;
}

static struct mask mask_without(struct mask a, const struct mask *b)
{
    for (int i = 0; i < MASK_WORDS; i++) a.word[i] &= ~b->word[i];
    return a;
}

static struct mask mask_with(struct mask a, const struct mask *b)
{
    for (int i = 0; i < MASK_WORDS; i++) a.word[i] |= b->word[i];
    return a;
}

static bool mask_is_empty(const struct mask *m) { return !(m->word[0] | m->word[1] | m->word[2] | m->word[3]); }

/* Takes the highest process out of the set: the order of the model. */
static int mask_take(struct mask *m)
{
    for (int i = MASK_WORDS - 1; i >= 0; i--)
        if (m->word[i]) {
            int bit = 63 - __builtin_clzll(m->word[i]);
            m->word[i] &= ~(UINT64_C(1) << bit);
            return i * 64 + bit;
        }
    return -1;
}

/* A record has room for two sets of this many processes; 0 if the store has no room for sets. */
static int mask_width(const struct ordered *o) { return (int)o->run->store.words * 32; }
static bool has_masks(const struct ordered *o) { return o->run->store.words > 0; }

static uint8_t *mask_place(const struct ordered *o, state_ref ref, enum which which)
{
    return store_words(&o->run->store, ref) + (size_t)which * o->run->store.words * 4;
}

static struct mask mask_load(const struct ordered *o, state_ref ref, enum which which)
{
    struct mask m = {{0}};
    const uint8_t *p = mask_place(o, ref, which);
    switch (o->run->store.words) {
    case 1: memcpy(&m, p, 4); break;
    case 2: memcpy(&m, p, 8); break;
    case 8: memcpy(&m, p, 32); break;
    default: BUG("no sets of %d processes", mask_width(o));
    }
    return m;
}

static void mask_save(struct ordered *o, state_ref ref, enum which which, const struct mask *m)
{
    uint8_t *p = mask_place(o, ref, which);
    switch (o->run->store.words) {
    case 1: memcpy(p, m, 4); break;
    case 2: memcpy(p, m, 8); break;
    case 8: memcpy(p, m, 32); break;
    default: BUG("no sets of %d processes", mask_width(o));
    }
}

/* Everybody may move in this state; false if that was known. */
static bool schedule_all(struct ordered *o, state_ref ref)
{
    struct mask all, now = mask_load(o, ref, SCHEDULED);
    memset(&all, 0xff, sizeof all);
    bool fresh = memcmp(&now, &all, (size_t)mask_width(o) / 8) != 0;
    mask_save(o, ref, SCHEDULED, &all);
    return fresh;
}

/* Schedules a process in a state; false if it was already. */
static bool schedule(struct ordered *o, state_ref ref, int pid)
{
    if (pid == MODEL_NOBODY) return schedule_all(o, ref);
    uint8_t *byte = mask_place(o, ref, SCHEDULED) + pid / 8, bit = (uint8_t)(1 << pid % 8);
    assert(pid < mask_width(o));
    bool fresh = !(*byte & bit);
    *byte |= bit;
    return fresh;
}

static bool charge(struct ordered *o, size_t bytes)
{
    if (budget_take(&o->run->budget, bytes)) return true;
    run_stop(o->run, STOP_MEMORY);
    return false;
}

/* A state is in the queue once, whoever arrived; but a log has an entry for each arrival. */
static void enqueue(struct ordered *o, const struct arrival *a, state_ref ref)
{
    struct store *store = &o->run->store;
    if (!o->keep_log && store_flags(store, ref) & QUEUED) return;
    store_add_flags(store, ref, QUEUED);
    struct frontier_item item = {word_of(ref, a->last), a->state, a->size};
    if (!frontier_push(&o->queue, item)) run_stop(o->run, STOP_MEMORY);
    else if (o->keep_log && charge(o, sizeof(struct log_entry)))
        vec_push(&o->log, ((struct log_entry){ref, a->log_entry, a->pid, a->last}));
}

static void arrive(struct ordered *o, const struct arrival *a)
{
    state_ref ref;
    switch (store_add(&o->run->store, a->state, a->size, a->hash, &ref)) {
    case STORE_FULL: run_stop(o->run, STOP_MEMORY); return;
    case STORE_NEW:
        store_set_parent(&o->run->store, ref, a->parent);
        assert_costly(ref > o->last_added); /* the states of a level are one range */
        o->last_added = ref;
        if (has_masks(o)) schedule(o, ref, a->last);
        enqueue(o, a, ref);
        return;
    case STORE_OLD:
        if (has_masks(o) && ref >= o->first_of_level && schedule(o, ref, a->last)) enqueue(o, a, ref);
        return;
    }
}

static void flush(struct ordered *o)
{
    batch_settle(&o->batch, &o->run->store);
    for (size_t i = 0; i < o->batch.len && !o->run->stopped; i++) arrive(o, &o->batch.items[i]);
    o->batch.len = 0;
    vec_clear(&o->batch.bytes);
}

static void note_error(struct ordered *o, const struct source *s, int pid, uint32_t nth)
{
    struct run *r = o->run;
    if (!run_count_error(r)) return;
    r->site = (struct error_site){s->ref, s->log_entry, pid, nth, o->level};
}

/* Sets for this many processes; if not, the search has to begin again with wider ones. */
static bool fits_masks(struct ordered *o, int processes)
{
    if (!has_masks(o) || processes <= mask_width(o)) return true;
    o->too_many_processes = true;
    run_stop(o->run, STOP_MEMORY);
    return false;
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct source *s = ctx;
    struct ordered *o = s->o;
    o->run->res->transitions++;
    uint32_t nth = s->nth++;
    if (t->fault) note_error(o, s, t->pid, nth);
    if (!t->state || o->run->stopped) return !o->run->stopped;
    if (!fits_masks(o, t->last + 1)) return false;
    batch_add(&o->batch, &o->run->store, (struct arrival){.state = t->state, .size = t->size, .parent = s->ref,
              .log_entry = s->log_entry, .pid = t->pid, .last = s->ample ? MODEL_NOBODY : t->last});
    if (o->batch.len == BATCH_SIZE) flush(o);
    return !o->run->stopped;
}

static uint32_t execute(struct source *s, int pid)
{
    if (pid >= s->processes) return 0; /* it has died */
    struct model *m = s->o->run->m;
    s->nth = 0;
    return m->ops->successors(m, s->state, s->size, pid, s->timeout, on_successor, s);
}

/* Executes a set of processes in the model's order; says whether one of them was blocked. */
static uint32_t execute_set(struct source *s, struct mask set, bool *blocked)
{
    uint32_t steps = 0;
    for (int pid; (pid = mask_take(&set)) >= 0 && !s->o->run->stopped;) {
        uint32_t n = execute(s, pid);
        steps += n;
        if (!n && blocked) *blocked = true;
    }
    return steps;
}

static void defer(struct source *s, int pid)
{
    struct ordered *o = s->o;
    struct store *store = &o->run->store;
    if (store_flags(store, s->ref) & DEFERRED) return;
    store_add_flags(store, s->ref, DEFERRED);
    struct frontier_item item = {word_of(s->ref, pid), s->state, s->size};
    if (!frontier_push(&o->deferred, item)) run_stop(o->run, STOP_MEMORY);
    else if (o->keep_log && charge(o, sizeof(uint64_t))) vec_push(&o->deferred_log, s->log_entry);
}

static void expand_set(struct source *s, struct mask arrived, struct mask executed, int pid);

/* All processes have been executed, none had a step: those that wait for timeout have one now, or it is the end. */
static void nobody_moved(struct source *s, struct mask arrived, int pid)
{
    struct run *r = s->o->run;
    if (!s->timeout && r->m->uses_timeout) {
        s->timeout = true;
        store_add_flags(&r->store, s->ref, TIMEOUT);
        expand_set(s, arrived, mask_of(MODEL_NOBODY), pid);
    } else if (run_is_bad_end(r, s->state)) {
        note_error(s->o, s, -1, 0);
    }
}

/* Processes that arrived go on for free. If one of them cannot, everybody may move for free. */
static void expand_set(struct source *s, struct mask arrived, struct mask executed, int pid)
{
    struct ordered *o = s->o;
    struct store *store = &o->run->store;
    bool blocked = pid == MODEL_NOBODY;
    uint32_t steps = execute_set(s, arrived, &blocked);
    executed = mask_with(executed, &arrived);
    struct mask rest = mask_rest(&executed, s->processes);
    if (blocked) {
        steps += execute_set(s, rest, NULL);
        executed = everybody; /* also those that have died, should one of them arrive later */
    }
    if (has_masks(o)) mask_save(o, s->ref, EXECUTED, &executed);
    if (o->run->stopped) return;
    if (!blocked && !mask_is_empty(&rest)) defer(s, pid);
    if (steps) store_add_flags(store, s->ref, EXPANDED);
    else if (!(store_flags(store, s->ref) & EXPANDED)) nobody_moved(s, arrived, pid);
}

/* True if the steps of one process will do: then the state is done with. */
static bool expand_reduced(struct source *s)
{
    struct ordered *o = s->o;
    struct store *store = &o->run->store;
    if (s->timeout || store_flags(store, s->ref) & EXPANDED) return false;
    for (int pid = s->processes; (pid = reduction_candidate(o->run, s->state, pid)) >= 0;) {
        s->ample = true;
        uint32_t steps = execute(s, pid);
        s->ample = false;
        if (!steps && !o->run->stopped) continue;
        struct mask all;
        memset(&all, 0xff, sizeof all);
        if (has_masks(o)) mask_save(o, s->ref, EXECUTED, &all);
        store_add_flags(store, s->ref, EXPANDED);
        return true;
    }
    return false;
}

static void expand(struct source *s, int pid)
{
    struct ordered *o = s->o;
    s->timeout = store_flags(&o->run->store, s->ref) & TIMEOUT;
    store_clear_flags(&o->run->store, s->ref, QUEUED);
    if (expand_reduced(s) || o->run->stopped) return;
    if (!has_masks(o)) {
        expand_set(s, mask_of(pid), mask_of(MODEL_NOBODY), pid);
        return;
    }
    struct mask executed = mask_load(o, s->ref, EXECUTED);
    struct mask arrived = o->keep_log ? mask_of(pid) : mask_load(o, s->ref, SCHEDULED);
    arrived = mask_without(arrived, &executed);
    if (pid == MODEL_NOBODY || !mask_is_empty(&arrived)) expand_set(s, arrived, executed, pid);
}

/* The processes that did not arrive at the state's own level. */
static void expand_deferred(struct source *s, int pid)
{
    struct ordered *o = s->o;
    s->timeout = store_flags(&o->run->store, s->ref) & TIMEOUT;
    struct mask executed = has_masks(o) ? mask_load(o, s->ref, EXECUTED) : mask_of(pid);
    execute_set(s, mask_rest(&executed, s->processes), NULL);
}

static struct source source_of(struct ordered *o, struct frontier_item item, uint64_t log_entry)
{
    struct source s = {.o = o, .state = item.state, .size = item.size, .ref = item.word >> 8, .log_entry = log_entry};
    assert_costly(s.ref && s.ref <= o->last_added);
    if (store_keeps_states(&o->run->store)) s.state = store_state(&o->run->store, s.ref, &s.size);
    s.processes = o->run->m->ops->process_count(o->run->m, s.state);
    fits_masks(o, s.processes);
    return s;
}

static void prefetch_ahead(const struct ordered *o)
{
    uint64_t word;
    if (!o->queue.with_bytes && frontier_peek_word(&o->queue, LOOK_AHEAD, &word))
        __builtin_prefetch(store_record(&o->run->store, word >> 8));
}

/* What costs the preemption that this level has and the last one had not. */
static void execute_deferred(struct ordered *o)
{
    struct frontier deferred = o->deferred;
    frontier_init(&o->deferred, deferred.with_bytes, deferred.budget);
    uint64_t entries = o->deferred_log.len;
    while (deferred.len && !run_tick(o->run)) {
        struct frontier_item item = frontier_pop(&deferred);
        uint64_t entry = o->keep_log ? o->deferred_log.at[o->deferred_read++] : 0;
        struct source s = source_of(o, item, entry);
        if (!o->run->stopped) expand_deferred(&s, (int)(item.word & 0xff));
    }
    assert(!o->keep_log || o->run->stopped || o->deferred_read == entries);
    (void)entries;
    frontier_release(&deferred);
}

static void explore_level(struct ordered *o)
{
    for (;;) {
        while (o->queue.len && !run_tick(o->run)) {
            prefetch_ahead(o);
            struct frontier_item item = frontier_pop(&o->queue);
            struct source s = source_of(o, item, o->popped++);
            if (!o->run->stopped) expand(&s, (int)(item.word & 0xff));
        }
        if (o->run->stopped || !o->batch.len) return;
        flush(o);
    }
}

static void finish_level(struct ordered *o)
{
    struct run *r = o->run;
    assert(!o->queue.len && !o->batch.len && o->level == r->res->bound + 1);
    r->res->bound = o->level;
    struct search_level l = {o->level, r->store.count, r->res->transitions, seconds_now() - r->started};
    if (r->opt->level_done && !o->keep_log) r->opt->level_done(r->opt->ctx, &l);
}

static void enter_initial(struct ordered *o)
{
    struct run *r = o->run;
    uint8_t *state;
    uint32_t size;
    state_ref ref;
    struct arrival a = {.pid = MODEL_NOBODY, .last = MODEL_NOBODY};
    if (run_add_initial(r, &state, &size, &ref)) {
        a.state = state;
        a.size = size;
        o->last_added = ref;
        enqueue(o, &a, ref);
    }
    free(state);
}

static void explore_levels(struct ordered *o)
{
    struct run *r = o->run;
    enter_initial(o);
    while (!r->stopped) {
        execute_deferred(o);
        explore_level(o);
        if (r->stopped) return;
        finish_level(o);
        if (!o->deferred.len) run_stop(r, STOP_COMPLETE);
        else if (o->level == r->opt->bound) run_stop(r, STOP_BOUND);
        o->first_of_level = o->last_added + 1;
        o->level++;
    }
}

static void path_of_log(const struct ordered *o, uint64_t entry, path_nodes *out)
{
    for (;; entry = o->log.at[entry].from) {
        const struct log_entry *e = &o->log.at[entry];
        assert(entry < o->log.len && (e->last == MODEL_NOBODY || e->from < entry || o->run->opt->reduce));
        vec_push(out, ((struct path_node){e->ref, e->pid, e->last}));
        if (e->last == MODEL_NOBODY) break;
    }
    for (size_t i = 0, j = out->len - 1; i < j; i++, j--) {
        struct path_node swapped = out->at[i];
        out->at[i] = out->at[j];
        out->at[j] = swapped;
    }
}

static bool rebuild(struct ordered *o)
{
    struct run *r = o->run;
    path_nodes path = {0};
    if (o->keep_log) path_of_log(o, r->site.log_entry, &path);
    else path_of_parents(r, r->site.ref, &path);
    schedule_release(&r->res->error);
    bool built = path_schedule(r, &path, &r->site, &r->res->error);
    vec_release(&path);
    return built;
}

static void explore(struct ordered *o, uint32_t words)
{
    struct run *r = o->run;
    struct store_plan plan = {r->opt->store, r->opt->store == STORE_BITS ? 0 : words, true, r->opt->bit_field};
    if (!store_init(&r->store, plan, &r->budget)) run_stop(r, STOP_MEMORY);
    frontier_init(&o->queue, !store_keeps_states(&r->store), &r->budget);
    frontier_init(&o->deferred, !store_keeps_states(&r->store), &r->budget);
    if (!r->stopped) explore_levels(o);
    if (r->res->errors) r->res->has_error = rebuild(o);
}

static void release(struct ordered *o)
{
    frontier_release(&o->queue);
    frontier_release(&o->deferred);
    budget_give(&o->run->budget, o->log.len * sizeof(struct log_entry) + o->deferred_log.len * sizeof(uint64_t));
    vec_release(&o->batch.bytes);
    vec_release(&o->log);
    vec_release(&o->deferred_log);
}

/* The search as it is from the start, in a run that has not begun. */
static struct run fresh_run(const struct run *r, struct search_result *result)
{
    *result = (struct search_result){.bound = -1, .error_level = -1};
    return (struct run){.m = r->m, .opt = r->opt, .res = result, .budget = {.limit = r->budget.limit},
                        .started = r->started};
}

/* Parent links lead to the first arrival at a state. If the failing step is free only for a later one, the path of
 * parents costs too much; then the search runs once more, up to that error, and keeps its log of arrivals. */
static void rebuild_from_log(struct run *r, uint32_t words)
{
    struct search_options first_error = *r->opt;
    first_error.all_errors = false;
    first_error.level_done = NULL;
    struct search_result result;
    struct run again = fresh_run(r, &result);
    again.opt = &first_error;
    struct ordered o = {.run = &again, .keep_log = true};
    explore(&o, words);
    if (result.has_error) {
        schedule_release(&r->res->error);
        r->res->error = result.error;
        result.error = (struct schedule){0};
    }
    r->budget.peak = MAX(r->budget.peak, again.budget.peak);
    release(&o);
    store_release(&again.store);
    search_result_release(&result);
}

void ordered_search(struct run *r)
{
    static const uint32_t widths[] = {1, 2, 8}; /* words of a record: two sets of 32, 64, 256 processes */
    uint32_t words = 0;
    for (size_t i = 0; i < ARRAY_LEN(widths); i++) {
        words = widths[i];
        struct ordered o = {.run = r};
        explore(&o, words);
        release(&o);
        if (!o.too_many_processes) break;
        store_release(&r->store);
        *r = fresh_run(r, r->res);
    }
    if (!r->res->errors) return;
    assert(r->site.ref && r->site.level >= 0 && (r->opt->bound < 0 || r->site.level <= r->opt->bound));
    r->res->error_level = r->site.level;
    if (r->opt->store == STORE_BITS || r->opt->reduce) return;
    if (schedule_preemptions(r->m, &r->res->error) > r->site.level) rebuild_from_log(r, words);
}
