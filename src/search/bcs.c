/* Bounded context switching as published: Holzmann and Florian, "Model checking with bounded context switching".
 *
 * Depth-first. In each state the process that moved last goes on first (phase 1); then the others may (phase 2), which
 * costs one switch unless the first one was blocked. A state is visited again when it is reached with fewer switches
 * than before, or as cheaply through another process (the paper's CONSTRAINT, Fig. 3).
 *   BCS_FULL     Fig. 3 with the set of processes, and Sec. 3.1: a switch is free also if all steps of phase 1 lead
 *                to states on the stack; with reduction Fig. 5
 *   BCS_NO_PIDS  what Spin 6.5.2 does with -DBCS -DSAFETY -DNOREDUCE: it clears _last before it looks a state up, so
 *                the set of processes is always the same one and only strictly cheaper visits count; errors within the
 *                bound can be missed. Without a stack to look at there is no Sec. 3.1 either, a switch by way of a
 *                rendezvous is never counted, one from a process that waits for timeout is, and blocking inside an
 *                atomic sequence at the bound ends a path
 *   BCS_PAIRS    the same with -DSTORE_LAST: the unit of storage is (state, process that moved last)
 *   BCS_NAIVE    Fig. 2, which the paper begins with: no state is visited again. It shows why the others do it
 *
 * With a bit field (Sec. 3.2) a state is entered once for each count from its own up to the bound.
 *
 * Fig. 5: below the bound the steps of an ample set are explored alone, for free, and after such a *safe* step every
 * switch is free (it makes up for the step having been made out of turn). If they lead only to states on the stack, the
 * state is expanded as if there were no ample set, and the switch is free again. A safe arrival allows whatever another
 * arrival with the same count allows, so it is remembered as one bit beside the set of processes.
 *
 * When the shortest error is wanted (Spin's -DREACH -i), a state is visited again also at a smaller depth. */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A successor on the stack; its bytes follow. */
struct entry {
    uint32_t size;   /* 0: the step ended in a fault, there is no state */
    uint32_t nth;    /* of the steps of its process */
    uint8_t pid, last;
    bool fault;
    bool meets; /* begins with a rendezvous */
    bool goes_on; /* a fault inside the step, which leads somewhere all the same */
    bool stuck; /* ends because it is blocked inside an atomic sequence */
};

enum phase { PHASE_ALL, PHASE_AMPLE, PHASE_SAME, PHASE_OTHERS, PHASE_OVER };

struct frame {
    size_t base, current, next, end; /* entries of this phase, on the byte stack */
    size_t state;                    /* where the state's bytes are: an entry of the frame below */
    uint32_t size;
    state_ref ref;
    uint32_t count;                  /* switches so far */
    uint8_t last;
    enum phase phase;
    bool timeout, moved, left_stack, forced;
    bool credit;                     /* after a safe step, or an ample set that gave way: the next switch is free */
};

struct bcs {
    struct run *run;
    enum bcs_kind kind;
    uint32_t bound;
    bool bound_cut; /* something was not explored because of the bound */
    VEC(struct frame) frames;
    struct byte_stack bytes;
    VEC(uint8_t) expanding, key;
    uint32_t nth;
    uint64_t salt; /* of the seed: decides the order of processes */
};

static struct entry entry_at(const struct bcs *b, size_t at)
{
    struct entry e;
    memcpy(&e, b->bytes.at + at, sizeof e);
    return e;
}

static bool is_stuck(struct model *m, const struct successor *t)
{
    return t->state && t->move_count && m->ops->transition(m, t->moves[t->move_count - 1].transition)->keeps_atomic;
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct bcs *b = ctx;
    b->run->res->transitions++;
    struct entry e = {.size = t->state ? t->size : 0, .nth = b->nth++, .pid = (uint8_t)t->pid, .last = (uint8_t)t->last,
                      .fault = t->fault, .meets = t->move_count > 1 && t->moves[1].receives,
                      .goes_on = t->goes_on, .stuck = is_stuck(b->run->m, t)};
    return byte_stack_push_both(b->run, &b->bytes, &e, sizeof e, t->state, e.size);
}

/* ---- what a record says: fewest switches, times on the stack, a safe arrival with that many switches, smallest depth,
 * processes that arrived with that many switches ---- */

enum { MASK_WORDS = (MODEL_MOST_PROCESSES + 63) / 64, DEPTH_AT = 8, MASK_AT = 16 };
#define SAFE_ARRIVAL (UINT64_C(1) << 63)

static uint32_t record_words(const struct bcs *b)
{
    return b->kind == BCS_FULL ? MASK_AT / 8 + MASK_WORDS : b->run->opt->shorten ? MASK_AT / 8 : DEPTH_AT / 8;
}

static uint8_t *record(const struct bcs *b, state_ref ref) { return store_words(&b->run->store, ref); }

static uint64_t first_word(const struct bcs *b, state_ref ref) { return load64(record(b, ref)); }

static uint32_t fewest(const struct bcs *b, state_ref ref) { return (uint32_t)first_word(b, ref); }

static uint32_t times_on_stack(const struct bcs *b, state_ref ref)
{
    return (uint32_t)((first_word(b, ref) & ~SAFE_ARRIVAL) >> 32);
}

static void change_times_on_stack(struct bcs *b, state_ref ref, int by)
{
    store64(record(b, ref), first_word(b, ref) + ((uint64_t)(int64_t)by << 32));
}

/* Adds a process to those that arrived; false if it was among them. */
static bool add_process(struct bcs *b, state_ref ref, int pid)
{
    uint8_t *byte = record(b, ref) + MASK_AT + pid / 8, bit = (uint8_t)(1 << pid % 8);
    bool fresh = !(*byte & bit);
    *byte |= bit;
    return fresh;
}

/* How a state is reached. */
struct way { uint32_t count, depth; int last; bool safe; };

static void note_cheapest(struct bcs *b, state_ref ref, struct way w)
{
    store64(record(b, ref), w.count | (uint64_t)times_on_stack(b, ref) << 32 | (w.safe ? SAFE_ARRIVAL : 0));
    if (b->kind != BCS_FULL) return;
    memset(record(b, ref) + MASK_AT, 0, 8 * MASK_WORDS);
    add_process(b, ref, w.last);
}

/* As cheap as the cheapest so far: does it allow more? */
static bool note_as_cheap(struct bcs *b, state_ref ref, struct way w)
{
    uint64_t first = first_word(b, ref);
    if (b->kind != BCS_FULL || (first & SAFE_ARRIVAL)) return false;
    if (w.safe) store64(record(b, ref), first | SAFE_ARRIVAL);
    return add_process(b, ref, w.last) || w.safe;
}

static bool note_shallower(struct bcs *b, state_ref ref, struct way w)
{
    if (!b->run->opt->shorten || w.depth >= load64(record(b, ref) + DEPTH_AT)) return false;
    store64(record(b, ref) + DEPTH_AT, w.depth);
    return true;
}

static void note_first(struct bcs *b, state_ref ref, struct way w)
{
    note_cheapest(b, ref, w);
    if (b->run->opt->shorten) store64(record(b, ref) + DEPTH_AT, w.depth);
}

/* The paper's CONSTRAINT for a state that is known; updates what is known. */
static bool visit_again(struct bcs *b, state_ref ref, struct way w)
{
    if (b->kind == BCS_NAIVE) return false;
    bool shallower = note_shallower(b, ref, w);
    if (w.count < fewest(b, ref)) {
        note_cheapest(b, ref, w);
        return true;
    }
    return (w.count == fewest(b, ref) && note_as_cheap(b, ref, w)) || shallower;
}

/* ---- entering states ---- */

enum arrival_kind { ARRIVED_FULL, ARRIVED_VISIT, ARRIVED_ON_STACK, ARRIVED_KNOWN };

static void set_key(struct bcs *b, const uint8_t *state, uint32_t size, uint32_t extra, uint32_t extra_size)
{
    vec_reserve(&b->key, (size_t)size + 4);
    memcpy(b->key.at, state, size);
    memcpy(b->key.at + size, &extra, 4);
    b->key.len = size + extra_size;
}

static enum store_answer add_key(struct bcs *b, state_ref *ref)
{
    return store_add(&b->run->store, b->key.at, (uint32_t)b->key.len, store_hash(b->key.at, (uint32_t)b->key.len), ref);
}

static void note_new_state(struct bcs *b, const uint8_t *state, uint32_t size)
{
    if (b->run->opt->sketch) sketch_add(b->run->opt->sketch, store_hash(state, size));
}

/* One entry for the count itself and one for each higher count, as far as they are not there. */
static enum arrival_kind arrive_in_bits(struct bcs *b, const uint8_t *state, uint32_t size, uint32_t count)
{
    state_ref ref;
    enum arrival_kind answer = ARRIVED_KNOWN;
    uint64_t states = b->run->store.count;
    for (uint32_t c = count; c <= b->bound; c++) {
        set_key(b, state, size, c, 4);
        if (add_key(b, &ref) == STORE_OLD) break;
        answer = ARRIVED_VISIT;
    }
    /* copies are not states; a visit that found copies of higher counts is not the first one */
    uint64_t copies = b->run->store.count - states;
    bool is_new = copies == b->bound - count + 1;
    b->run->res->pairs += copies;
    b->run->store.count = states + is_new;
    if (is_new) note_new_state(b, state, size);
    return answer;
}

static enum arrival_kind arrive(struct bcs *b, const uint8_t *state, uint32_t size, struct way w, state_ref *ref)
{
    *ref = 0;
    if (b->run->store.kind == STORE_BITS) return arrive_in_bits(b, state, size, w.count);
    set_key(b, state, size, (uint32_t)w.last, b->kind == BCS_PAIRS ? 1 : 0);
    switch (add_key(b, ref)) {
    case STORE_FULL: run_stop(b->run, STOP_MEMORY); return ARRIVED_FULL;
    case STORE_NEW:
        note_first(b, *ref, w);
        note_new_state(b, state, size);
        return ARRIVED_VISIT;
    case STORE_OLD: break;
    }
    bool on_stack = times_on_stack(b, *ref) > 0;
    return visit_again(b, *ref, w) ? ARRIVED_VISIT : on_stack ? ARRIVED_ON_STACK : ARRIVED_KNOWN;
}

static bool may_reduce(const struct bcs *b, uint32_t count)
{
    return b->kind == BCS_FULL && b->run->opt->reduce && count < b->bound;
}

static void push_frame(struct bcs *b, size_t state, uint32_t size, state_ref ref, struct way w)
{
    if (ref) change_times_on_stack(b, ref, 1);
    size_t top = b->bytes.len;
    enum phase phase = w.last == MODEL_NOBODY ? PHASE_ALL : may_reduce(b, w.count) ? PHASE_AMPLE : PHASE_SAME;
    vec_push(&b->frames, ((struct frame){.base = top,
                                         .current = top,
                                         .next = top,
                                         .end = top,
                                         .state = state,
                                         .size = size,
                                         .ref = ref,
                                         .count = w.count,
                                         .last = (uint8_t)w.last,
                                         .phase = phase,
                                         .credit = w.safe}));
    b->run->res->depth = MAX(b->run->res->depth, b->frames.len - 1);
}

static void pop_frame(struct bcs *b)
{
    struct frame f = vec_pop(&b->frames);
    b->bytes.len = f.base;
    if (f.ref) change_times_on_stack(b, f.ref, -1);
}

/* ---- phases ---- */

static bool is_spins(const struct bcs *b) { return b->kind == BCS_NO_PIDS || b->kind == BCS_PAIRS; }

static void execute(struct bcs *b, int pid, bool timeout, uint32_t size)
{
    b->nth = 0;
    b->run->m->ops->successors(b->run->m, b->expanding.at, size, pid, timeout, on_successor, b);
}

/* The steps of one process that is independent of the others, that of phase 1 if possible. */
static void list_ample(struct bcs *b, const struct frame *f, int processes)
{
    const struct model *m = b->run->m;
    if (!m->ops->commutes) return;
    if (f->last < processes && m->ops->commutes(b->run->m, b->expanding.at, f->last))
        execute(b, f->last, f->timeout, f->size);
    for (int pid = processes - 1; b->bytes.len == f->base && pid >= 0; pid--)
        if (m->ops->commutes(b->run->m, b->expanding.at, pid)) execute(b, pid, f->timeout, f->size);
}

/* Spin's order is that of falling numbers. STEPS_SEEDED: with whom it begins depends on the state. */
static int nth_process(const struct bcs *b, const struct frame *f, int nth, int processes)
{
    switch (b->run->opt->order) {
    case STEPS_REVERSED: return nth;
    case STEPS_SEEDED: nth += (int)((store_hash(b->expanding.at, f->size) ^ b->salt) % (uint64_t)processes); break;
    case STEPS_LISTED: break;
    }
    return processes - 1 - nth % processes;
}

static void list_others(struct bcs *b, const struct frame *f, int processes)
{
    bool may = f->phase == PHASE_ALL || f->forced || f->count < b->bound;
    if (!may) b->bound_cut = true;
    for (int nth = 0; may && nth < processes && !b->run->stopped; nth++) {
        int pid = nth_process(b, f, nth, processes);
        if (f->phase == PHASE_ALL || pid != f->last) execute(b, pid, f->timeout, f->size);
    }
}

/* Lists the steps of the phase that the frame is in. */
static void list_steps(struct bcs *b)
{
    struct frame *f = &vec_last(&b->frames);
    struct model *m = b->run->m;
    vec_reserve(&b->expanding, f->size);
    memcpy(b->expanding.at, b->bytes.at + f->state, f->size);
    b->bytes.len = f->base;
    int processes = m->ops->process_count(m, b->expanding.at);
    if (f->phase == PHASE_AMPLE) {
        list_ample(b, f, processes);
        if (b->bytes.len == f->base) f->phase = PHASE_SAME;
    }
    if (f->phase == PHASE_SAME && f->last < processes) execute(b, f->last, f->timeout, f->size);
    else if (f->phase == PHASE_ALL || f->phase == PHASE_OTHERS) list_others(b, f, processes);
    f->current = f->next = f->base;
    f->end = b->bytes.len;
    f->moved |= f->end > f->base;
}

/* Paths for the counterexample: the step being explored in each frame. */
static void note_error(struct bcs *b, bool deadlock)
{
    pid_steps steps = {0};
    for (size_t i = 0; i < b->frames.len; i++) {
        const struct frame *f = &b->frames.at[i];
        if (f->next == f->base) continue;
        struct entry e = entry_at(b, f->current);
        vec_push(&steps, ((struct pid_step){e.pid, e.nth}));
    }
    if (run_count_shorter(b->run, steps.len)) {
        const struct frame *f = &vec_last(&b->frames);
        b->run->res->fault = NULL;
        if (!deadlock)
            run_name_fault(b->run, b->run->m, b->bytes.at + f->state, f->size, vec_last(&steps).pid,
                           vec_last(&steps).nth);
        b->run->res->has_error = steps_schedule(b->run->m, &steps, &b->run->res->error);
        b->run->res->error.deadlock = deadlock;
    }
    vec_release(&steps);
}

/* Nobody moved in any phase. Who waits for timeout may be left for free, but not in Spin. */
static void nobody_moved(struct bcs *b, struct frame *f)
{
    if (!f->timeout && b->run->m->uses_timeout) {
        f->timeout = true;
        f->phase = is_spins(b) && f->last != MODEL_NOBODY ? PHASE_SAME : PHASE_ALL;
        list_steps(b);
    } else {
        f->phase = PHASE_OVER;
        if (run_is_bad_end(b->run, b->expanding.at)) note_error(b, true);
    }
}

static bool is_free_to_leave(const struct bcs *b, const struct frame *f)
{
    bool reduced = b->kind == BCS_FULL && b->run->opt->reduce;
    return reduction_frees_switch(reduced, b->run->m, b->bytes.at + f->state, f->last);
}

static void next_phase(struct bcs *b)
{
    struct frame *f = &vec_last(&b->frames);
    if (f->phase == PHASE_AMPLE && f->left_stack) {
        f->phase = PHASE_OVER;
    } else if (f->phase == PHASE_AMPLE) {
        f->credit = true;
        f->phase = PHASE_SAME;
        list_steps(b);
    } else if (f->phase == PHASE_SAME) {
        f->forced = f->credit || !f->moved || !f->left_stack || is_free_to_leave(b, f);
        f->phase = PHASE_OTHERS;
        list_steps(b);
    } else if (!f->moved) {
        nobody_moved(b, f);
    } else {
        f->phase = PHASE_OVER;
    }
}

static bool counts(const struct bcs *b, const struct frame *f, const struct entry *e)
{
    return f->phase == PHASE_OTHERS && !f->forced && !(e->meets && is_spins(b));
}

/* At the bound, Spin takes a process other than the first that blocks inside an atomic sequence for one that has moved,
 * and neither stores the state nor goes on from it. */
static bool spin_drops(const struct bcs *b, const struct entry *e, uint32_t count)
{
    return is_spins(b) && e->stuck && e->last > 0 && count >= b->bound;
}

/* With a bit field nobody knows what is on the stack. In phase 1 the answer is then that nothing is, which makes
 * switches dearer; for an ample set, that all is, which makes it give way to a full expansion. */
static bool leaves_stack(const struct bcs *b, const struct frame *f, enum arrival_kind answer)
{
    if (is_spins(b)) return true;
    if (answer == ARRIVED_KNOWN) return f->phase != PHASE_AMPLE || b->run->store.kind != STORE_BITS;
    return answer == ARRIVED_VISIT;
}

static void advance(struct bcs *b)
{
    struct frame *f = &vec_last(&b->frames);
    f->current = f->next;
    struct entry e = entry_at(b, f->current);
    f->next = f->current + sizeof e + e.size;
    if (e.fault) note_error(b, false);
    if (!e.size || b->run->stopped) {
        f->left_stack |= !(is_spins(b) && e.goes_on); /* Spin goes by states that were looked up */
        return;
    }
    struct way w = {.count = f->count + counts(b, f, &e), .depth = (uint32_t)b->frames.len, .last = e.last,
                    .safe = f->phase == PHASE_AMPLE};
    size_t state = f->current + sizeof e;
    state_ref ref;
    if (spin_drops(b, &e, w.count)) return;
    if (w.depth > b->run->longest) {
        b->run->res->depth_cut = true;
        f->left_stack = true;
        return;
    }
    enum arrival_kind answer = arrive(b, b->bytes.at + state, e.size, w, &ref);
    f->left_stack |= leaves_stack(b, f, answer);
    if (answer != ARRIVED_VISIT) return;
    push_frame(b, state, e.size, ref, w);
    list_steps(b);
}

static void explore(struct bcs *b)
{
    while (b->frames.len && !run_tick(b->run)) {
        struct frame *f = &vec_last(&b->frames);
        if (f->next < f->end) advance(b);
        else if (f->phase != PHASE_OVER) next_phase(b);
        else pop_frame(b);
    }
    if (b->run->stopped) return;
    b->run->res->bound = b->bound;
    run_stop(b->run, b->bound_cut ? STOP_BOUND : STOP_COMPLETE);
}

void bcs_search(struct run *r)
{
    struct bcs b = {.run = r, .kind = r->opt->bcs, .bound = (uint32_t)r->opt->bound,
                    .salt = r->opt->seed * UINT64_C(0xbf58476d1ce4e5b9)};
    struct store_plan plan = {r->opt->store, record_words(&b), r->opt->store != STORE_BITS, r->opt->bit_field, b.salt};
    if (!store_init(&r->store, plan, &r->budget)) run_stop(r, STOP_MEMORY);
    uint8_t *state = xcalloc(1, r->m->max_state);
    uint32_t size = r->m->ops->initial(r->m, state);
    state_ref ref;
    if (!r->stopped && byte_stack_push(r, &b.bytes, state, size) &&
        arrive(&b, state, size, (struct way){0}, &ref) == ARRIVED_VISIT) {
        push_frame(&b, 0, size, ref, (struct way){.last = MODEL_NOBODY});
        list_steps(&b);
        explore(&b);
    }
    free(state);
    vec_release(&b.frames);
    vec_release(&b.expanding);
    vec_release(&b.key);
    byte_stack_release(r, &b.bytes);
}
