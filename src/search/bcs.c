/* Bounded context switching as published: Holzmann and Florian, "Model checking with bounded context switching".
 *
 * Depth-first. In each state the process that moved last goes on first (phase 1); then the others may (phase 2), which
 * costs one switch unless the first one was blocked. A state is visited again when it is reached with fewer switches
 * than before, or as cheaply through another process (the paper's CONSTRAINT, Fig. 3).
 *   BCS_FULL     Fig. 3 with the set of processes, and Sec. 3.1: a switch is free also if all steps of phase 1 lead
 *                to states on the stack
 *   BCS_NO_PIDS  what Spin 6.5.2 does with -DBCS -DSAFETY -DNOREDUCE: it clears _last before it looks a state up, so the
 *                set of processes is always the same one and only strictly cheaper visits count; errors within the
 *                bound can be missed. Without a stack to look at there is no Sec. 3.1 either, a switch by way of a
 *                rendezvous is never counted, and blocking inside an atomic sequence at the bound ends a path
 *   BCS_PAIRS    the same with -DSTORE_LAST: the unit of storage is (state, process that moved last)
 * With a bit field (Sec. 3.2) a state is entered once for each count from its own up to the bound. */
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
    bool stuck; /* ends because it is blocked inside an atomic sequence */
};

enum phase { PHASE_ALL, PHASE_SAME, PHASE_OTHERS, PHASE_OVER };

struct frame {
    size_t base, current, next, end; /* entries of this phase, on the byte stack */
    size_t state;                    /* where the state's bytes are: an entry of the frame below */
    uint32_t size;
    state_ref ref;
    uint32_t count;                  /* switches so far */
    uint8_t last;
    enum phase phase;
    bool timeout, moved, left_stack, forced;
};

struct bcs {
    struct run *run;
    enum bcs_kind kind;
    uint32_t bound;
    bool bound_cut; /* something was not explored because of the bound */
    VEC(struct frame) frames;
    VEC(uint8_t) bytes, expanding, key;
    size_t charged;
    uint32_t nth;
};

static struct entry entry_at(const struct bcs *b, size_t at)
{
    struct entry e;
    memcpy(&e, b->bytes.at + at, sizeof e);
    return e;
}

static bool push_bytes(struct bcs *b, const void *p, size_t n)
{
    size_t need = b->bytes.len + n;
    if (need > b->bytes.cap) {
        size_t cap = MAX(need, b->bytes.cap * 2 + 4096);
        if (!budget_take(&b->run->budget, cap - b->charged)) {
            run_stop(b->run, STOP_MEMORY);
            return false;
        }
        b->charged = cap;
        vec_reserve(&b->bytes, cap);
    }
    if (n) memcpy(b->bytes.at + b->bytes.len, p, n);
    b->bytes.len = need;
    return true;
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
                      .stuck = is_stuck(b->run->m, t)};
    return push_bytes(b, &e, sizeof e) && push_bytes(b, t->state, e.size);
}

/* ---- what a record says: fewest switches, times on the stack, processes that arrived with that many ---- */

enum { MASK_WORDS = (MODEL_MOST_PROCESSES + 63) / 64 };

static uint64_t first_word(const struct bcs *b, state_ref ref) { return load64(store_words(&b->run->store, ref)); }

static uint32_t fewest(const struct bcs *b, state_ref ref) { return (uint32_t)first_word(b, ref); }

static uint32_t times_on_stack(const struct bcs *b, state_ref ref) { return (uint32_t)(first_word(b, ref) >> 32); }

static void set_record(struct bcs *b, state_ref ref, uint32_t count, uint32_t on_stack)
{
    store64(store_words(&b->run->store, ref), count | (uint64_t)on_stack << 32);
}

/* Adds a process to those that arrived; false if it was among them. */
static bool add_process(struct bcs *b, state_ref ref, int pid)
{
    uint8_t *byte = store_words(&b->run->store, ref) + 8 + pid / 8, bit = (uint8_t)(1 << pid % 8);
    bool fresh = !(*byte & bit);
    *byte |= bit;
    return fresh;
}

static void clear_processes(struct bcs *b, state_ref ref)
{
    memset(store_words(&b->run->store, ref) + 8, 0, 8 * MASK_WORDS);
}

/* The paper's CONSTRAINT for a state that is known; updates what is known. */
static bool visit_again(struct bcs *b, state_ref ref, uint32_t count, int last)
{
    if (count < fewest(b, ref)) {
        set_record(b, ref, count, times_on_stack(b, ref));
        if (b->kind == BCS_FULL) {
            clear_processes(b, ref);
            add_process(b, ref, last);
        }
        return true;
    }
    return b->kind == BCS_FULL && count == fewest(b, ref) && add_process(b, ref, last);
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
    b->run->res->pairs += b->run->store.count - states;
    b->run->store.count = states + (b->run->store.count - states == b->bound - count + 1);
    return answer;
}

static enum arrival_kind arrive(struct bcs *b, const uint8_t *state, uint32_t size, uint32_t count, int last,
                                state_ref *ref)
{
    *ref = 0;
    if (b->run->store.kind == STORE_BITS) return arrive_in_bits(b, state, size, count);
    set_key(b, state, size, (uint32_t)last, b->kind == BCS_PAIRS ? 1 : 0);
    switch (add_key(b, ref)) {
    case STORE_FULL: run_stop(b->run, STOP_MEMORY); return ARRIVED_FULL;
    case STORE_NEW:
        set_record(b, *ref, count, 0);
        if (b->kind == BCS_FULL) add_process(b, *ref, last);
        return ARRIVED_VISIT;
    case STORE_OLD: break;
    }
    bool on_stack = times_on_stack(b, *ref) > 0;
    return visit_again(b, *ref, count, last) ? ARRIVED_VISIT : on_stack ? ARRIVED_ON_STACK : ARRIVED_KNOWN;
}

static void push_frame(struct bcs *b, size_t state, uint32_t size, state_ref ref, uint32_t count, uint8_t last)
{
    if (ref) set_record(b, ref, fewest(b, ref), times_on_stack(b, ref) + 1);
    size_t top = b->bytes.len;
    vec_push(&b->frames, ((struct frame){.base = top, .current = top, .next = top, .end = top, .state = state,
             .size = size, .ref = ref, .count = count, .last = last, .phase = last == NO_PID ? PHASE_ALL : PHASE_SAME}));
    b->run->res->depth = MAX(b->run->res->depth, b->frames.len - 1);
}

static void pop_frame(struct bcs *b)
{
    struct frame f = vec_pop(&b->frames);
    b->bytes.len = f.base;
    if (f.ref) set_record(b, f.ref, fewest(b, f.ref), times_on_stack(b, f.ref) - 1);
}

/* ---- phases ---- */

static void execute(struct bcs *b, int pid, bool timeout, uint32_t size)
{
    b->nth = 0;
    b->run->m->ops->successors(b->run->m, b->expanding.at, size, pid, timeout, on_successor, b);
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
    if (f->phase == PHASE_SAME) {
        if (f->last < processes) execute(b, f->last, f->timeout, f->size);
    } else {
        bool may = f->phase == PHASE_ALL || f->forced || f->count < b->bound;
        if (!may) b->bound_cut = true;
        for (int pid = processes - 1; may && pid >= 0 && !b->run->stopped; pid--)
            if (pid != f->last) execute(b, pid, f->timeout, f->size);
    }
    f->current = f->next = f->base;
    f->end = b->bytes.len;
    f->moved |= f->end > f->base;
}

/* Paths for the counterexample: the step being explored in each frame. */
static void note_error(struct bcs *b, bool deadlock)
{
    if (!run_count_error(b->run)) return;
    pid_steps steps = {0};
    for (size_t i = 0; i < b->frames.len; i++) {
        const struct frame *f = &b->frames.at[i];
        if (f->next == f->base) continue;
        struct entry e = entry_at(b, f->current);
        vec_push(&steps, ((struct pid_step){e.pid, e.nth}));
    }
    b->run->res->has_error = steps_schedule(b->run->m, &steps, &b->run->res->error);
    b->run->res->error.deadlock = deadlock;
    vec_release(&steps);
}

/* Nobody moved in any phase. */
static void nobody_moved(struct bcs *b, struct frame *f)
{
    if (!f->timeout && b->run->m->uses_timeout) {
        f->timeout = true;
        f->phase = f->last == NO_PID ? PHASE_ALL : PHASE_SAME;
        list_steps(b);
    } else {
        f->phase = PHASE_OVER;
        if (run_is_bad_end(b->run, b->expanding.at)) note_error(b, true);
    }
}

static void next_phase(struct bcs *b)
{
    struct frame *f = &vec_last(&b->frames);
    if (f->phase == PHASE_SAME) {
        f->forced = !f->moved || !f->left_stack;
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
    return f->phase == PHASE_OTHERS && !f->forced && !(e->meets && b->kind != BCS_FULL);
}

/* At the bound, Spin takes a process other than the first that blocks inside an atomic sequence for one that has moved,
 * and neither stores the state nor goes on from it. */
static bool spin_drops(const struct bcs *b, const struct entry *e, uint32_t count)
{
    return b->kind != BCS_FULL && e->stuck && e->last > 0 && count >= b->bound;
}

static void advance(struct bcs *b)
{
    struct frame *f = &vec_last(&b->frames);
    f->current = f->next;
    struct entry e = entry_at(b, f->current);
    f->next = f->current + sizeof e + e.size;
    if (e.fault) note_error(b, false);
    if (!e.size || b->run->stopped) {
        f->left_stack |= b->kind == BCS_FULL; /* Spin goes by states that were looked up */
        return;
    }
    uint32_t count = f->count + counts(b, f, &e);
    size_t state = f->current + sizeof e;
    state_ref ref;
    if (spin_drops(b, &e, count)) return;
    enum arrival_kind answer = arrive(b, b->bytes.at + state, e.size, count, e.last, &ref);
    if (answer != ARRIVED_ON_STACK || b->kind != BCS_FULL) f->left_stack = true;
    if (answer != ARRIVED_VISIT) return;
    if (b->run->opt->depth && b->frames.len > (size_t)b->run->opt->depth) {
        b->run->res->depth_cut = true;
        return;
    }
    push_frame(b, state, e.size, ref, count, e.last);
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
    struct bcs b = {.run = r, .kind = r->opt->bcs, .bound = r->opt->bound < 0 ? 0 : (uint32_t)r->opt->bound};
    uint32_t words = b.kind == BCS_FULL ? 1 + MASK_WORDS : 1;
    struct store_plan plan = {r->opt->store, words, r->opt->store != STORE_BITS, r->opt->bit_field};
    if (!store_init(&r->store, plan, &r->budget)) run_stop(r, STOP_MEMORY);
    uint8_t *state = xcalloc(1, r->m->max_state);
    uint32_t size = r->m->ops->initial(r->m, state);
    state_ref ref;
    if (!r->stopped && push_bytes(&b, state, size) && arrive(&b, state, size, 0, 0, &ref) == ARRIVED_VISIT) {
        push_frame(&b, 0, size, ref, 0, NO_PID);
        list_steps(&b);
        explore(&b);
    }
    free(state);
    vec_release(&b.frames);
    vec_release(&b.bytes);
    vec_release(&b.expanding);
    vec_release(&b.key);
    budget_give(&r->budget, b.charged);
}
