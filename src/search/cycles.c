/* The product is searched depth first for a strongly connected component that has all it takes (Couvreur's variant of
 * Gabow's algorithm): components are joined as soon as an edge leads back into one that is still open, each remembers
 * what an execution inside of it can do again and again, and the search ends when one has an accepting state and, with
 * fairness, something for every process. One pass, no second search, and no copies of the state for fairness.
 *
 * Reduction: at a node the steps of one process may stand for all steps if they are independent of the others and
 * invisible. The choice is made at the source node (V1 in Siegel, CAV 2019), which is sound for automata in
 * stutter-invariant normal form. The condition on cycles is that each has a node that is expanded in full; the model
 * sees to that (model.h), for a cycle of nodes is one of states. V0 chooses after the claim has moved. V0 and V1 as
 * published look whether a step leads back to the search path instead.
 *
 * Bounded: an execution with finitely many preemptions has none from some point on. Nodes carry who moved last; a level
 * is searched along steps that cost nothing, and steps that cost a preemption wait for the next level.
 *
 * What has more than a million nodes is searched again from the beginning by all threads (sweep.c), in a fifth
 * of the memory. */
#include "search/cycles_int.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* A step to a node that waits to be entered: its reference, and above it who moved. */
enum { PID_AT = REF_BITS, LAST_AT = PID_AT + 8 };
struct frame { size_t base; state_ref ref; };

/* So many are done with before it is worth while to begin with anything else; and what has an error often shows it by
 * then. It is a number and not a time, for every run shall end alike. */
enum { FEW_NODES = 1000000 };

/* A component that is still open: its first node, and whether one of its nodes is accepting. With fairness also what
 * can be done in it, and by the step that led to it. */
struct open_component { uint64_t number; bool accepting; };
struct open_fairness { struct duty inside, entry; };

/* A step with a fault that costs a preemption. */
struct costly_fault { state_ref from; uint8_t pid; };

struct product_search {
    struct cycles c;
    struct product_steps steps;
    VEC(struct frame) frames;
    VEC(uint64_t) stack; /* steps to take from the nodes on the path, the next one last; a frame's from its base on */
    VEC(state_ref) alive;            /* nodes of open components */
    VEC(struct open_component) open;
    VEC(struct open_fairness) fairness; /* beside `open`; empty without fairness */
    struct frontier next;            /* bounded: where the next level begins */
    VEC(struct costly_fault) costly; /* and the faults that it begins with */
    VEC(struct search_level) levels; /* that are complete: told when it is certain that this search is the one */
    uint64_t numbers, most;          /* nodes that were entered, and with how many it gives up */
    size_t charged;
};

struct mover { uint8_t pid, last; }; /* of a step */

static struct duty step_duty(struct mover by)
{
    struct duty d = {0};
    if (by.pid != MODEL_NOBODY) {
        duty_moved(&d, by.pid);
        duty_moved(&d, by.last);
    }
    return d;
}

/* ---- errors ---- */

static void found(struct product_search *s, uint64_t first, state_ref end)
{
    struct run *r = &s->c.run;
    if (!run_count_error(r)) return;
    run_stop(r, STOP_ERROR);
    r->res->has_error = true;
    if (s->c.bounded) r->res->error_level = s->c.level;
    r->res->unbuilt = s->c.lenient;
    if (s->c.lenient) return; /* what it costs is found out by whoever searches again without reduction */
    r->res->unbuilt = !lasso_schedule(&s->c, first, end, &r->res->error);
}

/* The step with a fault: the way to its source, then that step. */
static void found_fault(struct product_search *s, state_ref at, int pid)
{
    struct run *r = &s->c.run;
    uint32_t size;
    const uint8_t *node = store_state(&r->store, at, &size);
    if (!r->res->errors) run_name_fault(r, r->m, node, size - TAIL, pid, ANY_STEP);
    found(s, 0, at);
    if (r->res->unbuilt) return;
    node = store_state(&r->store, at, &size);
    r->res->error.violates = false;
    vec_push(&r->res->error.choices, product_fault(&s->c, node, size, pid));
    r->res->unbuilt = r->m->cut;
}

/* ---- components ---- */

static void join_fairness(struct product_search *s, size_t count, struct mover by)
{
    struct duty all = step_duty(by);
    while (s->fairness.len > count) {
        struct open_fairness f = vec_pop(&s->fairness);
        duty_join(&all, &f.inside);
        duty_join(&all, &f.entry);
    }
    duty_join(&vec_last(&s->fairness).inside, &all);
}

/* A step from the node on top to an open one joins all components between them. */
static void join(struct product_search *s, uint64_t number, struct mover by)
{
    bool accepting = false, fair = s->c.p->fair;
    while (vec_last(&s->open).number > number) accepting |= vec_pop(&s->open).accepting;
    struct open_component *o = &vec_last(&s->open);
    o->accepting |= accepting;
    if (fair) join_fairness(s, s->open.len, by);
    if (o->accepting && (!fair || duty_is_fair(&vec_last(&s->fairness).inside))) found(s, o->number, 0);
}

static void close_component(struct product_search *s, uint64_t number)
{
    while (s->alive.len && node_number(&s->c.run.store, vec_last(&s->alive)) >= number)
        store_add_flags(&s->c.run.store, vec_pop(&s->alive), DEAD);
    (void)vec_pop(&s->open);
    if (s->c.p->fair) (void)vec_pop(&s->fairness);
}

/* ---- the stack ---- */

/* The lists grow as they need; what they take is asked from the budget with every node. */
static bool pay_for_lists(struct product_search *s)
{
    size_t now = s->stack.cap * sizeof *s->stack.at + s->frames.cap * sizeof *s->frames.at +
                 s->alive.cap * sizeof *s->alive.at + s->open.cap * sizeof *s->open.at +
                 s->fairness.cap * sizeof *s->fairness.at + s->costly.cap * sizeof *s->costly.at;
    if (now <= s->charged) return true;
    if (!budget_take(&s->c.run.budget, now - s->charged)) return false;
    s->charged = now;
    return true;
}

static void push_step(struct product_search *s, const struct product_step *t)
{
    vec_push(&s->stack, t->ref | (uint64_t)t->pid << PID_AT | (uint64_t)t->last << LAST_AT);
}

/* Looks the targets up and stores those that are new, but not what costs a preemption: that belongs to the next level.
 */
static void look_up(struct product_search *s, struct product_steps *steps)
{
    struct store *store = &s->c.run.store;
    for (size_t i = 0; i < steps->list.len; i++)
        if (steps->list.at[i].size) store_prefetch_record(store, steps->list.at[i].hash);
    for (size_t i = 0; i < steps->list.len; i++) {
        struct product_step *t = &steps->list.at[i];
        const uint8_t *node = steps->bytes.at + t->at;
        if (t->cost && t->size) t->ref = store_find(store, node, t->size, t->hash);
        else if (t->size && store_add(store, node, t->size, t->hash, &t->ref) == STORE_FULL) {
            run_stop(&s->c.run, STOP_MEMORY);
            return;
        }
    }
}

static void expand(struct product_search *s, const uint8_t *node, uint32_t size, int only, struct product_steps *steps)
{
    product_expand(&s->c, node, size, only, steps);
    look_up(s, steps);
}

static void meet(struct product_search *s, state_ref ref, struct mover by)
{
    if (!(store_flags(&s->c.run.store, ref) & DEAD)) join(s, node_number(&s->c.run.store, ref), by);
}

/* Steps that fail are errors, now or with the next level. False: the search has ended. */
static bool take_faults(struct product_search *s, const struct product_steps *steps)
{
    state_ref here = vec_last(&s->frames).ref;
    int free_fault = product_faulty(&s->c, steps, 0), fault = product_faulty(&s->c, steps, 1);
    if (free_fault != MODEL_NOBODY) {
        found_fault(s, here, free_fault);
        return false;
    }
    if (fault != MODEL_NOBODY) vec_push(&s->costly, ((struct costly_fault){here, (uint8_t)fault}));
    return true;
}

/* Known targets are dealt with at once, new ones wait on the stack, costly ones for the next level. Backwards, so that
 * the first step is on top. */
static void take_steps(struct product_search *s, const struct product_steps *steps)
{
    struct run *r = &s->c.run;
    if (!take_faults(s, steps)) return;
    for (size_t i = steps->list.len; i-- > 0 && !r->stopped;) {
        const struct product_step *t = &steps->list.at[i];
        if (t->fault) continue;
        if (t->cost && !t->ref) {
            if (!frontier_push(&s->next, (struct frontier_item){0, steps->bytes.at + t->at, t->size}))
                run_stop(r, STOP_MEMORY);
        } else if (t->cost) continue;
        else if (node_number(&r->store, t->ref)) meet(s, t->ref, (struct mover){t->pid, t->last});
        else push_step(s, t);
    }
}

/* ---- reduction ---- */

static void find_known(struct product_search *s, struct product_steps *steps)
{
    for (size_t i = 0; i < steps->list.len; i++) {
        struct product_step *t = &steps->list.at[i];
        if (t->size) t->ref = store_find(&s->c.run.store, steps->bytes.at + t->at, t->size, t->hash);
    }
}

/* The steps of process pid among those given: there are some, and none leads back to the search path. */
static bool stay_off_path(const struct product_search *s, const struct product_steps *steps, size_t from, size_t to,
                          int pid)
{
    bool any = false;
    for (size_t i = from; i < to; i++) {
        const struct product_step *t = &steps->list.at[i];
        if (t->pid != pid) continue;
        if (t->ref && store_flags(&s->c.run.store, t->ref) & ON_PATH) return false;
        any = true;
    }
    return any;
}

/* One ample set for the node: where the choice is made in V1. */
static bool expand_v1(struct product_search *s, const uint8_t *node, uint32_t size)
{
    for (int pid = -1; (pid = product_candidate(&s->c, node, pid)) >= 0;) {
        expand(s, node, size, pid, &s->steps);
        if (stay_off_path(s, &s->steps, 0, s->steps.list.len, pid)) return true;
    }
    return false;
}

static int choose_v0(const struct product_search *s, const uint8_t *node, size_t from, size_t to)
{
    for (int pid = -1; (pid = product_candidate(&s->c, node, pid)) >= 0;)
        if (stay_off_path(s, &s->steps, from, to, pid)) return pid;
    return -1;
}

/* V0: an ample set for each state that the claim can go to. Unsound, for demonstration only. */
static void expand_v0(struct product_search *s, const uint8_t *node, uint32_t size)
{
    product_expand(&s->c, node, size, -1, &s->steps);
    find_known(s, &s->steps);
    size_t moves = s->steps.list.len / s->c.targets.len, kept = 0;
    for (size_t k = 0; k < s->c.targets.len; k++) {
        int chosen = choose_v0(s, node, k * moves, (k + 1) * moves);
        for (size_t i = k * moves; i < (k + 1) * moves; i++)
            if (chosen < 0 || s->steps.list.at[i].pid == chosen) s->steps.list.at[kept++] = s->steps.list.at[i];
    }
    s->steps.list.len = kept;
    look_up(s, &s->steps);
}

static void expand_reduced(struct product_search *s, const uint8_t *node, uint32_t size)
{
    enum reduction how = s->c.p->reduction;
    if (how == REDUCTION_V0) expand_v0(s, node, size);
    else if (how == REDUCTION_V1 && expand_v1(s, node, size)) return;
    else {
        product_expand_reduced(&s->c, node, size, &s->steps);
        look_up(s, &s->steps);
    }
}

/* ---- nodes ---- */

static void enter(struct product_search *s, state_ref ref, struct mover by)
{
    struct run *r = &s->c.run;
    uint32_t size;
    const uint8_t *node = store_state(&r->store, ref, &size);
    node_set_number(&r->store, ref, ++s->numbers);
    if (s->c.bounded) node_set_level(&r->store, ref, s->c.level);
    store_add_flags(&r->store, ref, ON_PATH);
    vec_push(&s->alive, ref);
    vec_push(&s->frames, ((struct frame){s->stack.len, ref}));
    r->res->depth = MAX(r->res->depth, s->frames.len);
    if (s->numbers > s->most || !pay_for_lists(s)) run_stop(r, STOP_MEMORY);
    bool goes_on = !r->stopped && product_claim(&s->c, node, size);
    if (goes_on) expand_reduced(s, node, size);
    if (r->stopped) return;
    vec_push(&s->open, ((struct open_component){s->numbers, s->c.here.accepting}));
    if (s->c.p->fair) vec_push(&s->fairness, ((struct open_fairness){s->c.here, step_duty(by)}));
    if (s->c.violated || s->c.claim_fault) found(s, 0, ref);
    else if (goes_on) take_steps(s, &s->steps);
}

static void leave(struct product_search *s)
{
    struct frame f = vec_pop(&s->frames);
    assert(s->stack.len == f.base);
    store_clear_flags(&s->c.run.store, f.ref, ON_PATH);
    if (vec_last(&s->open).number == node_number(&s->c.run.store, f.ref)) close_component(s, vec_last(&s->open).number);
}

static void advance(struct product_search *s)
{
    uint64_t step = vec_pop(&s->stack);
    state_ref ref = step & REF_MASK;
    struct mover by = {(uint8_t)(step >> PID_AT), (uint8_t)(step >> LAST_AT)};
    if (node_number(&s->c.run.store, ref)) meet(s, ref, by);
    else enter(s, ref, by);
}

static void explore(struct product_search *s)
{
    while (s->frames.len && !run_tick(&s->c.run)) {
        if (s->stack.len > vec_last(&s->frames).base) advance(s);
        else leave(s);
    }
}

static void start_at(struct product_search *s, const uint8_t *node, uint32_t size)
{
    struct run *r = &s->c.run;
    state_ref ref;
    switch (store_add(&r->store, node, size, store_hash(node, size), &ref)) {
    case STORE_FULL: run_stop(r, STOP_MEMORY); return;
    case STORE_OLD: return;
    case STORE_NEW: enter(s, ref, (struct mover){MODEL_NOBODY, MODEL_NOBODY});
    }
    explore(s);
}

static void explore_levels(struct product_search *s)
{
    struct run *r = &s->c.run;
    while (!r->stopped) {
        r->res->bound = s->c.level;
        struct search_level done = {s->c.level, r->store.count, r->res->transitions, seconds_now() - r->started};
        vec_push(&s->levels, done);
        if (!s->next.len && !s->costly.len) run_stop(r, STOP_COMPLETE);
        else if (s->c.level == r->opt->bound) run_stop(r, STOP_BOUND);
        s->c.level++;
        for (size_t i = 0; i < s->costly.len && !r->stopped; i++)
            found_fault(s, s->costly.at[i].from, s->costly.at[i].pid);
        vec_clear(&s->costly);
        struct frontier now = s->next;
        frontier_init(&s->next, &r->budget);
        while (now.len && !r->stopped) {
            struct frontier_item item = frontier_pop(&now);
            start_at(s, item.state, item.size);
        }
        frontier_release(&now);
    }
}

static void explore_all(struct product_search *s)
{
    struct model *m = s->c.run.m;
    uint8_t *node = xcalloc(1, m->max_state + TAIL);
    uint32_t size = m->ops->initial(m, node);
    struct tail t = product_start(&s->c);
    memcpy(node + size, &t, TAIL);
    start_at(s, node, size + TAIL);
    free(node);
    if (s->c.bounded) explore_levels(s);
    else run_stop(&s->c.run, STOP_COMPLETE);
}

static void release(struct product_search *s)
{
    struct run *r = &s->c.run;
    budget_give(&r->budget, s->charged);
    frontier_release(&s->next);
    product_steps_release(&s->steps);
    vec_release(&s->frames);
    vec_release(&s->stack);
    vec_release(&s->alive);
    vec_release(&s->open);
    vec_release(&s->fairness);
    vec_release(&s->costly);
    cycles_release(&s->c);
}

static void search_depth_first(struct product_search *s)
{
    struct run *r = &s->c.run;
    frontier_init(&s->next, &r->budget);
    run_begin(r);
    if (store_init(&r->store, (struct store_plan){STORE_EXACT, s->c.bounded ? 2 : 1, true, 0}, &r->budget))
        explore_all(s);
    else run_stop(r, STOP_MEMORY);
    run_end(r);
    release(s);
    store_release(&r->store);
    if (r->budget.peak > GIVEN_BACK) malloc_trim(0); /* the next search has what this one had */
}

/* By all threads; if there is a violation, a run of it is looked for by one, which is the same for any number. */
static void search_all_at_once(const struct cycles *plan)
{
    struct search_result *res = plan->run.res;
    *res = (struct search_result){.bound = -1, .error_level = -1};
    sweep_search(plan);
    if (!res->errors) return;
    res->has_error = res->unbuilt = true;
    if (plan->lenient) return;
    struct search_result way = {.bound = -1, .error_level = -1};
    struct search_options with_hashes = *plan->run.opt;
    struct cycles again = *plan;
    with_hashes.store = STORE_COMPACT;
    with_hashes.level_done = NULL;
    again.run.opt = &with_hashes;
    again.run.res = &way;
    nested_search(&again);
    res->unbuilt = !way.has_error || way.unbuilt;
    res->error = way.error;
    res->fault = way.fault;
    memcpy(res->fault_message, way.fault_message, sizeof res->fault_message);
}

struct cycles cycles_plan(struct model *m, const struct property *p, const struct search_options *options,
                          struct search_result *result)
{
    bool bounded = options->bound >= 0;
    return (struct cycles){.p = p, .bounded = bounded, .lenient = bounded && p->reduction == REDUCTION_SI,
                           .run = {.m = m, .opt = options, .res = result, .budget = {.limit = run_memory(options)},
                                   .started = seconds_now()}};
}

void cycles_search(struct model *m, const struct property *p, const struct search_options *options,
                   struct search_result *result)
{
    *result = (struct search_result){.bound = -1, .error_level = -1};
    struct product_search s = {.c = cycles_plan(m, p, options, result)};
    struct cycles plan = s.c;
    bool path = p->reduction == REDUCTION_V0 || p->reduction == REDUCTION_V1;
    if (options->store != STORE_EXACT || options->kind == SEARCH_BCS) {
        nested_search(&plan);
        return;
    }
    s.most = path ? UINT64_MAX : FEW_NODES;
    bool resumes = options->checkpoints && options->checkpoints->resume;
    bool at_once = options->kind == SEARCH_BFS || resumes; /* only what is too large can be resumed */
    if (!at_once) search_depth_first(&s);
    bool too_large = s.numbers > s.most || (result->stop == STOP_MEMORY && !path);
    too_large = at_once || (too_large && !result->errors && !limits_reached(options->limits));
    for (size_t i = 0; i < s.levels.len && !too_large && options->level_done; i++)
        options->level_done(options->ctx, &s.levels.at[i]);
    vec_release(&s.levels);
    if (too_large) search_all_at_once(&plan);
}
