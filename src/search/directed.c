/* Directed search: of the states that wait it takes the one that looks closest to an error (greedy best-first).
 *
 * Two measures are offered. For deadlocks a state is close if few processes can move in it; this is known once the
 * state is expanded, so a state waits with the number of its parent. For assertions a state is close if some process
 * has few statements left to one, along its control graph. States that are equally close are taken last in, first out,
 * so the search goes deep. Compare Edelkamp, Leue and Lluch-Lafuente, "Directed explicit-state model checking in the
 * validation of communication protocols" (2004). */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CLOSENESSES = 256, FARTHEST = CLOSENESSES - 1, NOT_LISTED = -1 };

/* A state that waits, and the next one that is as close. */
struct waiting { state_ref ref; int64_t next; };

struct directed {
    struct run *run;
    VEC(struct waiting) waiting;
    int64_t first[CLOSENESSES], spare; /* NOT_LISTED: none */
    size_t charged;
    VEC(uint8_t) here;      /* the state being expanded */
    state_ref from;
    VEC(state_ref) fresh;   /* its new successors */
    VEC(uint8_t) closeness; /* of these, to an assertion */
    VEC(struct { int *to; int states; }) distances; /* by proctype and control state: statements to an assertion */
    int pid, movers;        /* whose step is enumerated, and how many processes had one */
    uint32_t nth;
    bool for_assertions, fails;
    struct pid_step fault;  /* the first step that fails, if one does */
};

/* ---- distances in the control graph ---- */

static bool is_assertion(const struct transition *t) { return t->text && !strncmp(t->text, "assert", 6); }

static void make_room(struct directed *d, int proctype, int states)
{
    while ((int)d->distances.len <= proctype) vec_push(&d->distances, ((typeof(*d->distances.at)){NULL, 0}));
    typeof(d->distances.at) p = &d->distances.at[proctype];
    if (p->states >= states) return;
    p->to = xrealloc(p->to, (size_t)states * sizeof *p->to);
    for (int i = p->states; i < states; i++) p->to[i] = FARTHEST;
    p->states = states;
}

/* One more statement; true if some state is closer than it was. */
static bool relax(struct directed *d, const struct transition *t)
{
    int *to = d->distances.at[t->proctype].to, through = is_assertion(t) ? 0 : MIN(to[t->to] + 1, FARTHEST);
    if (through >= to[t->from]) return false;
    to[t->from] = through;
    return true;
}

static void measure_distances(struct directed *d)
{
    struct model *m = d->run->m;
    for (uint32_t i = 0; i < m->transition_count; i++) {
        const struct transition *t = m->ops->transition(m, i);
        make_room(d, t->proctype, MAX(t->from, t->to) + 1);
    }
    for (bool closer = true; closer;) {
        closer = false;
        for (uint32_t i = 0; i < m->transition_count; i++) closer |= relax(d, m->ops->transition(m, i));
    }
}

static int distance(const struct directed *d, const uint8_t *state)
{
    struct model *m = d->run->m;
    int least = FARTHEST;
    for (int pid = m->ops->process_count(m, state) - 1; pid >= 0; pid--) {
        int type = m->ops->process_type(m, state, pid), at = m->ops->control_state(m, state, pid);
        bool known = type < (int)d->distances.len && at < d->distances.at[type].states;
        if (known) least = MIN(least, d->distances.at[type].to[at]);
    }
    return least;
}

/* ---- the states that wait ---- */

static void wait(struct directed *d, state_ref ref, int closeness)
{
    int64_t slot = d->spare;
    struct waiting w = {ref, d->first[closeness]};
    if (slot != NOT_LISTED) {
        d->spare = d->waiting.at[slot].next;
        d->waiting.at[slot] = w;
    } else {
        slot = (int64_t)d->waiting.len;
        vec_push(&d->waiting, w);
    }
    d->first[closeness] = slot;
    size_t now = d->waiting.cap * sizeof *d->waiting.at;
    if (now <= d->charged) return;
    if (budget_take(&d->run->budget, now - d->charged)) d->charged = now;
    else run_stop(d->run, STOP_MEMORY);
}

static state_ref take_closest(struct directed *d)
{
    for (int c = 0; c < CLOSENESSES; c++) {
        int64_t slot = d->first[c];
        if (slot == NOT_LISTED) continue;
        d->first[c] = d->waiting.at[slot].next;
        d->waiting.at[slot].next = d->spare;
        d->spare = slot;
        return d->waiting.at[slot].ref;
    }
    return 0;
}

/* ---- expansion ---- */

/* The way to the state being expanded, then the step that fails unless the state itself is the error. */
static void note_error(struct directed *d, const struct pid_step *fault)
{
    struct run *r = d->run;
    pid_steps back = {0}, steps = {0};
    if (!run_count_error(r)) return;
    if (fault) run_name_fault(r, r->m, d->here.at, (uint32_t)d->here.len, fault->pid, fault->nth);
    if (fault) vec_push(&back, *fault);
    for (state_ref at = d->from; store_parent(&r->store, at); at = store_parent(&r->store, at)) {
        uint64_t step = load64(store_words(&r->store, at));
        vec_push(&back, ((struct pid_step){(int)(step >> 32), (uint32_t)step}));
    }
    while (back.len) vec_push(&steps, vec_pop(&back));
    r->res->has_error = reduced_schedule(r, &steps, !fault, &r->res->error);
    vec_release(&back);
    vec_release(&steps);
}

static void keep_fresh(struct directed *d, const struct successor *t, uint32_t nth)
{
    struct run *r = d->run;
    state_ref ref;
    switch (store_add(&r->store, t->state, t->size, store_hash(t->state, t->size), &ref)) {
    case STORE_OLD: return;
    case STORE_FULL: run_stop(r, STOP_MEMORY); return;
    case STORE_NEW: break;
    }
    store_set_parent(&r->store, ref, d->from);
    store64(store_words(&r->store, ref), (uint64_t)t->pid << 32 | nth);
    vec_push(&d->fresh, ref);
    if (d->for_assertions) vec_push(&d->closeness, (uint8_t)distance(d, t->state));
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct directed *d = ctx;
    d->run->res->transitions++;
    if (t->pid != d->pid) d->pid = t->pid, d->nth = 0, d->movers++;
    uint32_t nth = d->nth++;
    if (t->fault && !d->fails) d->fails = true, d->fault = (struct pid_step){t->pid, nth};
    if (t->state) keep_fresh(d, t, nth);
    return !d->run->stopped;
}

/* In the order in which they are listed the last is taken first: backwards, the first is. */
static void let_wait(struct directed *d)
{
    int few = MIN(d->movers, FARTHEST);
    for (size_t i = d->fresh.len; i-- > 0 && !d->run->stopped;)
        wait(d, d->fresh.at[i], d->for_assertions ? d->closeness.at[i] : few);
}

static void expand(struct directed *d, state_ref ref)
{
    struct run *r = d->run;
    uint32_t size;
    const uint8_t *state = store_state(&r->store, ref, &size);
    vec_reserve(&d->here, size);
    memcpy(d->here.at, state, size);
    d->here.len = size;
    d->from = ref;
    d->pid = -1, d->movers = 0, d->fails = false;
    vec_clear(&d->fresh);
    vec_clear(&d->closeness);
    uint32_t steps = run_list_steps(r, d->here.at, size, on_successor, d);
    if (r->stopped) return;
    if (d->fails) note_error(d, &d->fault);
    else if (!steps && run_is_bad_end(r, d->here.at)) note_error(d, NULL);
    let_wait(d);
}

static void release(struct directed *d)
{
    budget_give(&d->run->budget, d->charged);
    for (size_t i = 0; i < d->distances.len; i++) free(d->distances.at[i].to);
    vec_release(&d->distances);
    vec_release(&d->waiting);
    vec_release(&d->here);
    vec_release(&d->fresh);
    vec_release(&d->closeness);
}

void directed_search(struct run *r)
{
    struct directed d = {.run = r, .spare = NOT_LISTED,
                         .for_assertions = r->opt->for_assertions && r->m->ops->control_state};
    uint8_t *state = NULL;
    uint32_t size;
    state_ref ref;
    assert(!r->opt->reduce && r->opt->store == STORE_EXACT);
    for (int c = 0; c < CLOSENESSES; c++) d.first[c] = NOT_LISTED;
    if (d.for_assertions) measure_distances(&d);
    if (!store_init(&r->store, (struct store_plan){STORE_EXACT, 1, true, 0, 0}, &r->budget)) run_stop(r, STOP_MEMORY);
    if (!r->stopped && run_add_initial(r, &state, &size, &ref)) expand(&d, ref);
    while (!run_tick(r) && (ref = take_closest(&d))) expand(&d, ref);
    if (!r->stopped) run_stop(r, STOP_COMPLETE);
    free(state);
    release(&d);
}
