/* Depth-first search in Spin's order: a state's successors are explored one after the other, each with everything
 * below it, in the order in which the model lists them.
 *
 * The stack is one array of bytes. A frame lists the successors of a state that were new when the state was expanded;
 * the entry being explored is itself a state on the path, so the path is on the stack and no parents are needed.
 * When the shortest error is wanted, each state is stored with the depth at which it was entered, and entered again
 * when it is found at a smaller depth. */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A successor on the stack; its bytes follow. */
struct entry {
    uint64_t hash;
    uint32_t size; /* 0: the step ended in a fault, there is no state */
    uint32_t nth;  /* its position among the steps of its process */
    uint8_t pid;
    bool fault;
};

/* The entries of a state; the one at `current` is being explored unless next is still base. */
struct frame { size_t base, current, next, end; };

struct dfs {
    struct run *run;
    VEC(struct frame) frames;
    struct byte_stack bytes;
    VEC(uint8_t) expanding; /* a copy: the stack may move while successors are pushed on it */
    struct state_bytes first;        /* the state of the first frame */
    struct state_bytes way, scratch; /* while forced states are passed by */
    uint64_t salt;          /* of the seed: decides the order of steps */
    VEC(uint8_t) ordered;   /* the entries of a frame, while they change places */
    VEC(size_t) places;
    int pid;         /* whose step is now enumerated, and its position among the steps of that process */
    uint32_t nth;
};

static struct entry entry_at(const struct dfs *d, size_t at)
{
    struct entry e;
    memcpy(&e, d->bytes.at + at, sizeof e);
    return e;
}

/* All successors go on the stack first, so that their slots are on their way to the cache when keep_new() asks. */
static bool on_successor(void *ctx, const struct successor *t)
{
    struct dfs *d = ctx;
    d->run->res->transitions++;
    if (t->pid != d->pid) {
        d->pid = t->pid;
        d->nth = 0;
    }
    struct entry e = {.pid = (uint8_t)t->pid, .nth = d->nth++, .fault = t->fault};
    if (t->state) {
        e.size = t->size;
        e.hash = store_hash(t->state, t->size);
        store_prefetch(&d->run->store, e.hash);
    }
    return byte_stack_push_both(d->run, &d->bytes, &e, sizeof e, t->state, e.size);
}

static uint64_t depth_of(const struct dfs *d, state_ref ref) { return load64(store_words(&d->run->store, ref)); }

/* Does this successor of the state on top lead nowhere new? */
static bool is_known(const struct dfs *d, size_t at, const struct entry *e)
{
    const struct store *s = &d->run->store;
    const uint8_t *state = d->bytes.at + at + sizeof *e;
    if (!d->run->opt->shorten) return store_has(s, state, e->size, e->hash);
    state_ref ref = store_find(s, state, e->size, e->hash);
    return ref && depth_of(d, ref) <= d->frames.len + 1;
}

/* The entry leads on to where something is to be decided. */
static void push_followed(struct dfs *d, const uint8_t *bytes)
{
    struct entry e;
    memcpy(&e, bytes, sizeof e);
    if (e.size) {
        vec_reserve(&d->way, e.size);
        memcpy(d->way.at, bytes + sizeof e, e.size);
        d->way.len = e.size;
        reduction_follow(d->run, &d->way, &d->scratch);
        e.size = (uint32_t)d->way.len;
        e.hash = store_hash(d->way.at, e.size);
        store_prefetch(&d->run->store, e.hash);
    }
    byte_stack_push_both(d->run, &d->bytes, &e, sizeof e, d->way.at, e.size);
}

static void pass_forced(struct dfs *d, size_t begin)
{
    size_t n = d->bytes.len - begin;
    if (!n) return;
    uint8_t *found = memcpy(xmalloc(n), d->bytes.at + begin, n);
    d->bytes.len = begin;
    for (size_t at = 0; at < n && !d->run->stopped;) {
        struct entry e;
        memcpy(&e, found + at, sizeof e);
        push_followed(d, found + at);
        at += sizeof e + e.size;
    }
    free(found);
}

/* Drops the entries from `begin` on that lead to states visited before and are no errors. */
static void keep_new(struct dfs *d, size_t begin)
{
    size_t to = begin;
    for (size_t at = begin; at < d->bytes.len; at += sizeof(struct entry) + entry_at(d, at).size)
        store_prefetch_record(&d->run->store, entry_at(d, at).hash);
    for (size_t at = begin; at < d->bytes.len;) {
        struct entry e = entry_at(d, at);
        size_t bytes = sizeof e + e.size;
        if (e.fault || !is_known(d, at, &e)) {
            memmove(d->bytes.at + to, d->bytes.at + at, bytes);
            to += bytes;
        }
        at += bytes;
    }
    d->bytes.len = to;
}

/* ---- the order of steps ---- */

static uint64_t rank(const struct dfs *d, size_t at)
{
    uint64_t x = (entry_at(d, at).hash + d->salt) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static bool comes_later(const struct dfs *d, size_t a, size_t b)
{
    return d->run->opt->order == STEPS_REVERSED ? a < b : rank(d, a) > rank(d, b);
}

/* Insertion: there are few. Steps to the same state stay as they are listed. */
static void sort_places(struct dfs *d)
{
    for (size_t i = 1; i < d->places.len; i++)
        for (size_t k = i; k > 0 && comes_later(d, d->places.at[k - 1], d->places.at[k]); k--) {
            size_t place = d->places.at[k];
            d->places.at[k] = d->places.at[k - 1];
            d->places.at[k - 1] = place;
        }
}

static void reorder(struct dfs *d, size_t begin)
{
    if (d->run->opt->order == STEPS_LISTED || d->bytes.len == begin) return;
    d->places.len = 0;
    for (size_t at = begin; at < d->bytes.len; at += sizeof(struct entry) + entry_at(d, at).size)
        vec_push(&d->places, at);
    sort_places(d);
    vec_reserve(&d->ordered, d->bytes.len - begin);
    size_t to = 0;
    for (size_t i = 0; i < d->places.len; i++) {
        size_t bytes = sizeof(struct entry) + entry_at(d, d->places.at[i]).size;
        memcpy(d->ordered.at + to, d->bytes.at + d->places.at[i], bytes);
        to += bytes;
    }
    assert(to == d->bytes.len - begin);
    memcpy(d->bytes.at + begin, d->ordered.at, to);
}

/* The entries being explored, from the bottom of the stack to the top. */
static void path_steps(const struct dfs *d, pid_steps *steps)
{
    for (size_t i = 0; i < d->frames.len; i++) {
        const struct frame *f = &d->frames.at[i];
        struct entry e = f->next > f->base ? entry_at(d, f->current) : (struct entry){0};
        if (f->next > f->base) vec_push(steps, ((struct pid_step){e.pid, e.nth}));
    }
}

static void name_fault(struct dfs *d)
{
    struct entry e = entry_at(d, vec_last(&d->frames).current), from;
    const uint8_t *state = d->first.at;
    uint32_t size = (uint32_t)d->first.len;
    if (d->frames.len > 1) {
        size_t at = d->frames.at[d->frames.len - 2].current;
        from = entry_at(d, at);
        state = d->bytes.at + at + sizeof from, size = from.size;
    }
    d->run->res->fault = NULL;
    run_name_fault(d->run, d->run->m, state, size, e.pid, e.nth);
}

static void note_error(struct dfs *d, bool deadlock)
{
    pid_steps steps = {0};
    path_steps(d, &steps);
    if (run_count_shorter(d->run, steps.len)) {
        if (deadlock) d->run->res->fault = NULL;
        else name_fault(d);
        d->run->res->has_error = reduced_schedule(d->run, &steps, deadlock, &d->run->res->error);
    }
    vec_release(&steps);
}

static uint32_t list_steps(struct dfs *d, uint32_t size, int pid)
{
    struct model *m = d->run->m;
    d->pid = -1;
    return m->ops->successors(m, d->expanding.at, size, pid, false, on_successor, d);
}

/* The steps of one process if they will do, else those of all. */
static uint32_t list_successors(struct dfs *d, uint32_t size)
{
    const struct run *r = d->run;
    for (int pid = r->m->ops->process_count(r->m, d->expanding.at);
         (pid = reduction_candidate(r, d->expanding.at, pid)) >= 0;) {
        uint32_t steps = list_steps(d, size, pid);
        if (steps) return steps;
    }
    d->pid = -1;
    return run_list_steps(r, d->expanding.at, size, on_successor, d);
}

/* Enters a state: lists its successors in a new frame. */
static void expand(struct dfs *d, const uint8_t *state, uint32_t size, state_ref ref)
{
    struct run *r = d->run;
    size_t begin = d->bytes.len;
    assert(d->frames.len <= r->longest || r->res->has_error);
    r->res->depth = MAX(r->res->depth, d->frames.len);
    if (r->opt->shorten) store64(store_words(&r->store, ref), d->frames.len);
    vec_reserve(&d->expanding, size);
    memcpy(d->expanding.at, state, size);
    uint32_t steps = list_successors(d, size);
    if (steps && d->frames.len >= r->longest) {
        r->res->depth_cut = true;
        d->bytes.len = begin;
    }
    if (reduction_forces(r)) pass_forced(d, begin);
    keep_new(d, begin);
    reorder(d, begin);
    vec_push(&d->frames, ((struct frame){begin, begin, begin, d->bytes.len}));
    if (!steps && run_is_bad_end(r, d->expanding.at)) note_error(d, true);
}

static void leave(struct dfs *d)
{
    assert_costly(vec_last(&d->frames).end == d->bytes.len);
    d->bytes.len = vec_pop(&d->frames).base;
}

/* Explores the next successor of the state on top. */
static void advance(struct dfs *d)
{
    struct frame *f = &vec_last(&d->frames);
    f->current = f->next;
    assert_costly(f->current >= f->base && f->end == d->bytes.len);
    struct entry e = entry_at(d, f->current);
    f->next = f->current + sizeof e + e.size;
    assert_costly(f->next <= f->end && (e.size || e.fault));
    if (e.fault) note_error(d, false);
    if (!e.size || d->run->stopped) return;
    state_ref ref = 0;
    const uint8_t *state = d->bytes.at + f->current + sizeof e;
    switch (store_add(&d->run->store, state, e.size, e.hash, &ref)) {
    case STORE_OLD:
        if (!d->run->opt->shorten || depth_of(d, ref) <= d->frames.len) return;
        break;
    case STORE_FULL: run_stop(d->run, STOP_MEMORY); return;
    case STORE_NEW:
        if (d->run->opt->sketch) sketch_add(d->run->opt->sketch, e.hash);
        break;
    }
    expand(d, state, e.size, ref);
}

static void explore(struct dfs *d)
{
    while (d->frames.len && !run_tick(d->run)) {
        struct frame *f = &vec_last(&d->frames);
        if (f->next < f->end) advance(d);
        else leave(d);
    }
    if (!d->run->stopped) run_stop(d->run, STOP_COMPLETE);
}

void dfs_search(struct run *r)
{
    struct dfs d = {.run = r, .salt = r->opt->seed * UINT64_C(0xbf58476d1ce4e5b9)};
    struct store_plan plan = {r->opt->store, r->opt->shorten, r->opt->store != STORE_BITS, r->opt->bit_field, d.salt};
    if (!store_init(&r->store, plan, &r->budget)) run_stop(r, STOP_MEMORY);
    uint8_t *state = NULL;
    uint32_t size;
    state_ref ref;
    if (!r->stopped && run_add_initial(r, &state, &size, &ref)) {
        if (r->opt->sketch) sketch_add(r->opt->sketch, store_hash(state, size));
        d.first = (struct state_bytes){state, size, size};
        expand(&d, state, size, ref);
        explore(&d);
    }
    free(state);
    vec_release(&d.frames);
    vec_release(&d.expanding);
    vec_release(&d.way);
    vec_release(&d.scratch);
    vec_release(&d.ordered);
    vec_release(&d.places);
    byte_stack_release(r, &d.bytes);
}
