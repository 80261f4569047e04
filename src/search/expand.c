/* One worker of the ordered and the breadth-first search (levels.c says how they go): what states lead to, and which of
 * what they lead to is new. */
#include "search/levels_int.h"

#include <assert.h>
#include <string.h>

enum {
    MEMO_BYTES = 5 << 20,
    MEMO_BYTES_PER_STATE = 4,
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
    struct item item = {a->key, (uint8_t)(a->last == ARRIVES_BLOCKED ? MODEL_NOBODY : a->last), true, a->no_ample};
    switch (answer) {
    case ARRIVED_ALSO_NO_AMPLE:
        item.no_ample = true;
        push_item(w, item, code, log);
        return;
    case ARRIVED_KNOWN: return;
    case ARRIVED_FULL: stop(w->l, STOP_MEMORY); return;
    case ARRIVED_UNSETTLED:
        worker_defer(w, (uint64_t[]){key_unmix(a->key)}, a->last, a->processes, &(struct log_entry){0, 0, NO_STEP});
        return;
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

static inline void arrive_by_key(struct worker *w, state_key key, struct arriving a)
{
    uint32_t part = known_part(key);
    struct outbox *o = &w->outbox[part];
    a.key = key;
    o->at[o->len++] = a;
    if (o->len == OUTBOX) empty_outbox(w, part);
}

static void arrive_with(struct worker *w, state_key key, const struct arriving *a, const uint64_t *code,
                        const struct log_entry *log)
{
    struct levels *l = w->l;
    size_t i = (size_t)known_part(key) * OUTBOX + w->outbox[known_part(key)].len;
    if (l->carries) memcpy(w->outbox_codes + i * l->words, code, l->words * sizeof *code);
    if (l->keep_log) w->outbox_by[i] = *log;
    arrive_by_key(w, key, *a);
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

static void empty_outboxes(struct worker *w)
{
    if (w->l->tree) find_keys(w);
    for (uint32_t part = 0; part < KNOWN_PARTS; part++)
        if (w->outbox[part].len) empty_outbox(w, part);
}

/* What turns out to be unsettled arrives once more, and then it is settled. */
void worker_flush(struct worker *w)
{
    empty_outboxes(w);
    if (!w->pending.len) return;
    worker_settle(w);
    empty_outboxes(w);
    assert(stopped(w->l) || !w->pending.len);
}

bool worker_cannot_mark(struct worker *w, int processes)
{
    if (w->l->all_free || processes <= most_processes(w->l)) return false;
    w->l->too_many_processes = true;
    stop(w->l, STOP_MEMORY);
    return true;
}

void worker_arrive(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
{
    if (!w->l->cluster || !ranks_send(w, code, last, processes, log))
        worker_arrive_here(w, code, last, processes, log);
}

void worker_arrive_here(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
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

void worker_arrive_settled(struct worker *w, uint64_t code, int last, int processes)
{
    if (last >= processes) last = ARRIVES_FREE;
    arrive_by_key(w, key_mix(code), (struct arriving){.last = (uint16_t)last, .processes = (uint16_t)processes,
                                                      .no_ample = w->no_ample});
}

bool worker_encode(struct worker *w, const uint8_t *state, uint32_t size, uint64_t *code)
{
    if (coder_encode(&w->learner.coder, state, size, code)) return true;
    if (w->learner.coder.missed) w->misses = true;
    else stop(w->l, STOP_MEMORY);
    return false;
}

/* ---- what has to wait for values that all processes have ---- */

bool worker_cannot_encode(struct worker *w)
{
    bool misses = w->misses;
    w->misses = false;
    return misses;
}

static void postpone(struct worker *w, struct postponed p, const uint64_t *code)
{
    size_t words = w->l->words;
    if (!budget_take(&w->l->run->budget, sizeof p + words * sizeof *code)) {
        stop(w->l, STOP_MEMORY);
        return;
    }
    vec_push(&w->postponed.list, p);
    for (size_t i = 0; i < words; i++) vec_push(&w->postponed.codes, code[i]);
}

void worker_postpone_way(struct worker *w, const uint64_t *code, const struct successor_code *way)
{
    postpone(w, (struct postponed){.is_way = true, .way = *way}, code);
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
void worker_note_step(struct worker *w, const uint64_t *code, int last, int processes)
{
    for (uint32_t i = 0; i < w->l->words; i++) vec_push(&w->learnt, code[i] ^ w->learner.coder.code[i]);
    vec_push(&w->learnt, step_word(last >= processes ? ARRIVES_FREE : last, processes)); /* it may have died */
}

static void go_on(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
{
    w->arrivals++;
    if (w->l->asks_first) {
        if (last >= processes) last = ARRIVES_FREE;
        arrive_by_key(w, key_mix(*code), (struct arriving){.last = (uint16_t)last, .processes = (uint16_t)processes,
                                                           .unsettled = true});
    } else if (w->l->forces) worker_defer(w, code, last, processes, log);
    else worker_arrive(w, code, last, processes, log);
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct worker *w = ctx;
    w->transitions++;
    uint32_t nth = w->nth++;
    if (run_is_new_fault(w->l->run, t)) note_error(w, t->pid, nth);
    w->learns &= !t->fault && t->state;
    /* what only comes after another error is none */
    bool after_error = (t->fault || t->in_spite) && w->l->run->opt->known;
    if (!t->state || after_error) return !stopped(w->l);
    if (!worker_encode(w, t->state, t->size, w->scratch)) {
        w->learns = false;
        return !stopped(w->l);
    }
    int processes = w->m->ops->process_count(w->m, t->state);
    if (w->learns) worker_note_step(w, w->scratch, t->last, processes);
    if (!worker_cannot_mark(w, processes))
        go_on(w, w->scratch, last_of(w, t->last), processes, &(struct log_entry){w->log_entry, nth, t->pid});
    return !stopped(w->l);
}

/* Steps that lead to states with new values are counted now, and lead there later. */
static uint32_t execute_anew(struct worker *w, int pid)
{
    const uint8_t *state = coder_state(&w->learner.coder);
    w->nth = 0;
    uint32_t steps = w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, w->timeout, on_successor, w);
    if (worker_cannot_encode(w))
        postpone(w, (struct postponed){.log_entry = w->log_entry, .pid = (uint8_t)pid, .timeout = w->timeout,
                                       .ample = w->ample}, w->learner.coder.code);
    return steps;
}

/* In proportion to the states that it has found. */
static size_t most_remembered(const struct worker *w) { return MEMO_BYTES + MEMO_BYTES_PER_STATE * (size_t)w->states; }

/* What was noted of the steps of pid is remembered, if all could be noted. */
void worker_learn(struct worker *w, int pid, uint32_t steps)
{
    if (w->learns && !stopped(w->l) && !w->m->cut) {
        assert(w->learnt.len == steps * (w->l->words + 1));
        learner_learn(&w->learner, pid, w->timeout, w->learnt.at, (uint32_t)w->learnt.len, most_remembered(w));
    }
    w->learns = false;
}

static uint32_t execute_and_learn(struct worker *w, int pid)
{
    w->learns = true;
    vec_clear(&w->learnt);
    uint32_t steps = execute_anew(w, pid);
    worker_learn(w, pid, steps);
    return steps;
}

static uint32_t repeat(struct worker *w, int pid, const uint64_t *memory)
{
    uint32_t words = w->l->words, steps = (uint32_t)*memory++;
    const uint64_t *code = w->learner.coder.code;
    if (words == 1 && !w->l->keep_log && (!w->l->forces || w->l->asks_first)) { /* nearly always */
        bool free = w->ample || w->l->all_free, sends = w->l->cluster, unsettled = w->l->asks_first;
        uint64_t from = *code;
        for (uint32_t nth = 0; nth < steps; nth++, memory += 2) {
            state_key key = key_mix(from ^ memory[0]);
            int last = free ? MODEL_NOBODY : step_last(memory[1]), processes = step_processes(memory[1]);
            if (!sends || !ranks_send_word(w, from ^ memory[0], key, last, processes))
                arrive_by_key(w, key, (struct arriving){.last = (uint16_t)last, .processes = (uint16_t)processes,
                                                        .unsettled = unsettled});
        }
        w->transitions += steps;
        w->arrivals += steps;
        return steps;
    }
    for (uint32_t nth = 0; nth < steps; nth++, memory += words + 1) {
        for (uint32_t i = 0; i < words; i++) w->scratch[i] = code[i] ^ memory[i];
        go_on(w, w->scratch, last_of(w, step_last(memory[words])), step_processes(memory[words]),
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
    if (!x->same || !worker_encode(w, t->state, t->size, w->scratch)) return false;
    for (uint32_t i = 0; i < words; i++) x->same &= w->scratch[i] == (w->learner.coder.code[i] ^ step[i]);
    int processes = w->m->ops->process_count(w->m, t->state);
    x->same &= step[words] == step_word(t->last >= processes ? ARRIVES_FREE : t->last, processes);
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
    if (skips_lookup(&w->habits[pid])) return execute_anew(w, pid);
    const uint64_t *memory = learner_steps(&w->learner, pid, w->timeout);
    assert_costly(!memory || model_agrees(w, pid, memory));
    note_lookup(&w->habits[pid], memory || !w->learner.decidable);
    if (memory) return repeat(w, pid, memory);
    return w->learner.decidable ? execute_and_learn(w, pid) : execute_anew(w, pid);
}

/* Whoever arrives twice changes nothing; what was counted stays. */
void worker_redo(struct worker *w, const struct postponed *p, const uint64_t *code)
{
    uint64_t transitions = w->transitions, errors = w->errors;
    if (p->is_way) worker_defer(w, code, p->way.last, p->way.processes, &p->way.log);
    else {
        worker_enter_code(w, code);
        w->log_entry = p->log_entry;
        w->timeout = p->timeout;
        w->ample = p->ample;
        execute(w, p->pid);
        w->ample = false;
    }
    worker_settle(w);
    w->transitions = transitions;
    w->errors = errors;
}

uint32_t worker_execute_set(struct worker *w, struct mask set)
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
    return learner_independent(&w->learner, pid);
}

/* True if the steps of one process will do (reduction.c). A state can be here several times in a level; the first that
 * comes takes the steps, whatever process it came for. */
static bool expand_reduced(struct worker *w)
{
    struct levels *l = w->l;
    int pid = w->item.no_ample ? -1 : candidate_below(w, w->processes);
    assert_costly(!w->item.no_ample || candidate_below(w, w->processes) < 0);
    if (pid < 0) return false;
    bool first = !w->item.recorded || known_mark(l->known, w->item.key, MARK_AMPLE);
    for (; pid >= 0 && !stopped(l); pid = candidate_below(w, pid)) {
        w->ample = true;
        bool moves = first ? execute(w, pid) > 0 : can_move(w, pid);
        w->ample = false;
        if (!moves) continue;
        if (w->item.recorded) known_claim(l->known, w->item.key);
        return true;
    }
    return false;
}

static void end_of_execution(struct worker *w)
{
    if (!stopped(w->l) && run_is_bad_end(w->l->run, coder_state(&w->learner.coder))) note_error(w, -1, 0);
}

/* Unless timeout is true. To leave one who waits for that is no preemption, so they may go on whoever moved last. */
static void nobody_moves(struct worker *w)
{
    w->timeout = true;
    if (w->m->uses_timeout && (execute_all(w) || stopped(w->l))) return;
    end_of_execution(w);
}

/* A state in which everybody may move, and which is here only once. */
static void expand_whole(struct worker *w)
{
    if (!execute_all(w) && !stopped(w->l)) nobody_moves(w);
}

static bool is_free_to_leave(struct worker *w, int pid)
{
    return w->l->run->opt->reduce && pid < w->processes && learner_may_depend(&w->learner, pid);
}

/* Nobody at all can move: that is seen to once, in this round, so that it makes no difference whether somebody arrived
 * alone or together with one after whom everybody may move. */
static bool is_at_rest(struct worker *w)
{
    if (somebody_can_move(w)) return false;
    known_claim(w->l->known, w->item.key); /* there is nothing to be done for anybody at a later level */
    if (known_mark(w->l->known, w->item.key, MARK_ENDED)) nobody_moves(w);
    return true;
}

/* Who arrived goes on for free. If it cannot, or might not have been able to, everybody may move for free, in the next
 * round. */
static void expand_for(struct worker *w, int pid)
{
    bool moves = execute(w, pid) > 0;
    if (stopped(w->l)) return;
    if (moves ? !is_free_to_leave(w, pid) : is_at_rest(w)) return;
    struct arriving a = {.last = ARRIVES_BLOCKED, .processes = (uint16_t)w->processes};
    arrive_with(w, w->item.key, &a, w->learner.coder.code, &(struct log_entry){w->log_entry, 0, SAME_STATE});
}

/* All that are left. */
static void expand_free(struct worker *w)
{
    struct mask left = known_claim(w->l->known, w->item.key);
    if (!worker_execute_set(w, left) && !stopped(w->l)) is_at_rest(w);
}

static void expand_recorded(struct worker *w, int pid)
{
    if (pid == MODEL_NOBODY) expand_free(w);
    else expand_for(w, pid);
}

/* code: if keys do not say it. */
void worker_enter(struct worker *w, struct item item, const uint64_t *code, uint64_t log_entry)
{
    struct levels *l = w->l;
    struct coder *c = &w->learner.coder;
    uint64_t one_word = key_unmix(item.key);
    coder_enter(c, l->carries ? code : l->tree ? tree_read(&w->reader, item.key) : &one_word);
    w->item = item;
    w->log_entry = (uint64_t)l->rank << RANK_SHIFT | log_entry;
    w->timeout = false;
    w->processes = c->form->processes;
    if (w->processes < 0) w->processes = w->m->ops->process_count(w->m, coder_state(c));
    assert_costly(l->all_free || w->processes <= most_processes(l));
}

/* In all processes, as far as this one knows. */
uint64_t levels_found(const struct levels *l)
{
    uint64_t n = l->states_elsewhere;
    for (int i = 0; i < l->count; i++) n += __atomic_load_n(&l->workers[i].states, __ATOMIC_RELAXED);
    return n;
}

/* Worker 0 looks at the limits for all. */
void worker_look(struct worker *w)
{
    struct levels *l = w->l;
    if (w != l->workers || ++w->looks % LOOK_EVERY) return;
    if (l->cluster) ranks_look(l);
    l->states = levels_found(l);
    l->run->res->level_states = l->states - l->level_states;
    if (checkpoints_of(l) && (pausing(l) || checkpoint_is_due(&l->checkpoints))) return;
    for (int i = 0; i < LOOK_EVERY; i++)
        if (run_tick(l->run)) stop(l, l->run->res->stop);
}

void worker_expand(struct worker *w, const struct item *item, const uint64_t *code, uint64_t log_entry)
{
    worker_look(w);
    worker_enter(w, *item, code, log_entry);
    bool reduced = expand_reduced(w);
    if (!reduced && !stopped(w->l)) {
        if (item->recorded) expand_recorded(w, item->pid);
        else expand_whole(w);
    }
    worker_settle(w);
}
