/* A run: limits, counts, and the choice of the strategy. */
#include "search/ranks_int.h"

#include <assert.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS_PER_CHECK = 64, /* one look at the clock for so many states */
};

void run_stop(struct run *r, enum search_stop why)
{
    assert(why != STOP_NOT_YET && (why != STOP_ERROR || r->res->errors));
    if (r->stopped) return;
    bool claims_all = why == STOP_COMPLETE || why == STOP_BOUND;
    r->stopped = true;
    r->res->stop = claims_all && r->budget.refused ? STOP_MEMORY : why;
}

void run_publish(struct run *r)
{
    r->res->states = r->states ? *r->states : r->store.count;
    r->res->memory = __atomic_load_n(&r->budget.peak, __ATOMIC_RELAXED); /* threads may be at work */
    r->res->seconds = seconds_now() - r->started;
    r->res->state_bytes = r->m->max_state;
    r->res->oversized = r->store.oversized;
}

static void run_keep(struct run *r, enum limit reached)
{
    switch (reached) {
    case LIMIT_NONE: break;
    case LIMIT_TIME: run_stop(r, STOP_TIME); break;
    case LIMIT_MEMORY: run_stop(r, STOP_MEMORY); break;
    case LIMIT_INTERRUPT: run_stop(r, STOP_INTERRUPTED); break;
    }
}

static bool run_ask_enough(struct run *r)
{
    bool enough = r->opt->enough && r->opt->enough(r->opt->enough_ctx);
    if (enough) run_stop(r, STOP_ENOUGH);
    return enough;
}

bool run_tick(struct run *r)
{
    if (++r->ticks % TICKS_PER_CHECK) return r->stopped;
    run_publish(r);
    run_keep(r, limits_reached(r->opt->limits));
    if (!r->stopped) run_ask_enough(r);
    if (!r->stopped && r->opt->tick) r->opt->tick(r->opt->ctx, r->res);
    return r->stopped;
}

/* Inside a long step the model asks; its states are not in the budget. That an error was found is no reason to stop,
 * for its way is looked for with the same model. */
static bool is_over(void *ctx)
{
    struct run *r = ctx;
    const struct limits *l = r->opt->limits;
    enum limit reached = r->m->between ? limits_reached(l) : limits_reached_memory(l);
    run_keep(r, reached);
    return reached != LIMIT_NONE || run_ask_enough(r);
}

void run_begin(struct run *r)
{
    r->asked = r->m->interrupted;
    r->asked_ctx = r->m->interrupt_ctx;
    model_ask(r->m, is_over, r);
}

void run_end(struct run *r)
{
    assert(!r->m->cut || r->stopped); /* a step that was cut must never look like all there is */
    model_ask(r->m, r->asked, r->asked_ctx);
    run_publish(r);
}

bool run_count_error(struct run *r)
{
    bool first = r->res->errors++ == 0;
    if (!r->opt->all_errors) run_stop(r, STOP_ERROR);
    return first;
}

bool run_count_shorter(struct run *r, size_t steps)
{
    if (!r->opt->shorten) return run_count_error(r);
    if (r->res->has_error && steps > r->longest) return false;
    if (!r->res->has_error) r->res->first_steps = steps;
    r->res->errors = 1;
    if (steps > 0) r->longest = steps - 1;
    else run_stop(r, STOP_ERROR);
    schedule_release(&r->res->error);
    return true;
}

size_t limit_of_memory(const struct search_options *o) { return o->limits ? o->limits->memory : 0; }

size_t run_memory(const struct search_options *o)
{
    size_t limit = limit_of_memory(o), used = memory_resident();
    if (o->budget) return o->budget;
    size_t share = !limit || !o->limits->memory_is_given ? limit : limit > 2 * used ? limit - used : limit / 2;
    return share - MIN(o->beside, share / 2);
}

bool run_is_bad_end(const struct run *r, const uint8_t *state)
{
    if (r->opt->no_deadlock || (r->opt->known && r->opt->known->deadlock)) return false;
    return !r->m->ops->valid_end(r->m, state);
}

bool run_is_new_fault(const struct run *r, const struct successor *t)
{
    if (!t->fault) return false;
    for (size_t i = 0; r->opt->known && i < r->opt->known->transitions.len; i++)
        if (r->opt->known->transitions.at[i] == t->fault_transition) return false;
    return true;
}

uint32_t run_list_steps(const struct run *r, const uint8_t *state, uint32_t size, successor_fn *fn, void *ctx)
{
    struct model *m = r->m;
    uint32_t steps = 0;
    int processes = r->opt->urgent ? m->ops->process_count(m, state) : 0;
    for (int pid = processes - 1; pid >= 0; pid--)
        if (r->opt->urgent[pid]) steps += m->ops->successors(m, state, size, pid, false, fn, ctx);
    return steps ? steps : m->ops->successors(m, state, size, MODEL_ALL, false, fn, ctx);
}

struct faulty_step { struct search_result *res; uint32_t nth, steps; };

static bool note_fault(void *ctx, const struct successor *t)
{
    struct faulty_step *x = ctx;
    bool other = x->nth == ANY_STEP ? !t->fault : x->steps++ != x->nth;
    if (other) return true;
    x->res->fault = t->fault;
    snprintf(x->res->fault_message, sizeof x->res->fault_message, "%s", t->fault_message ? t->fault_message : "");
    return false;
}

void run_name_fault(struct run *r, struct model *m, const uint8_t *state, uint32_t size, int pid, uint32_t nth)
{
    struct model asks = *m;
    model_ask(m, NULL, NULL);
    for (int timeout = 0; timeout < 2 && !r->res->fault; timeout++) {
        struct faulty_step x = {r->res, nth, 0};
        m->ops->successors(m, state, size, pid, timeout, note_fault, &x);
    }
    model_ask(m, asks.interrupted, asks.interrupt_ctx);
    m->cut = asks.cut;
}

void known_errors_add(struct known_errors *k, struct model *m, const struct schedule *s)
{
    struct replay *r = replay_new(m);
    const struct successor *t = NULL;
    for (size_t i = 0; i < s->choices.len; i++) t = replay_step(r, s->choices.at[i]);
    if (s->deadlock) k->deadlock = true;
    else if (t) vec_push(&k->transitions, t->fault_transition);
    replay_free(r);
}

bool run_add_initial(struct run *r, uint8_t **state, uint32_t *size, state_ref *ref)
{
    struct state_bytes first = {.at = xcalloc(1, r->m->max_state), .cap = r->m->max_state}, scratch = {0};
    first.len = r->m->ops->initial(r->m, first.at);
    assert(first.len <= r->m->max_state);
    if (reduction_forces(r)) reduction_follow(r, &first, &scratch);
    vec_release(&scratch);
    *state = first.at;
    *size = (uint32_t)first.len;
    if (store_add(&r->store, *state, *size, store_hash(*state, *size), ref) != STORE_FULL) return true;
    run_stop(r, STOP_MEMORY);
    return false;
}

bool byte_stack_reserve(struct run *r, struct byte_stack *s, size_t n)
{
    size_t need = s->len + n;
    if (need <= s->cap) return true;
    size_t cap = s->cap ? s->cap : 4096; /* doubled, as vec_reserve() does: what is charged is what is taken */
    while (cap < need) cap *= 2;
    if (!budget_take(&r->budget, cap - s->charged)) {
        run_stop(r, STOP_MEMORY);
        return false;
    }
    s->charged = cap;
    vec_reserve(s, cap);
    assert(s->cap == s->charged);
    return true;
}

bool byte_stack_push(struct run *r, struct byte_stack *s, const void *bytes, size_t n)
{
    if (!byte_stack_reserve(r, s, n)) return false;
    assert_costly(s->len + n <= s->charged);
    if (n) memcpy(s->at + s->len, bytes, n);
    s->len += n;
    return true;
}

bool byte_stack_push_both(struct run *r, struct byte_stack *s, const void *head, size_t n, const void *bytes, size_t m)
{
    return byte_stack_reserve(r, s, n + m) && byte_stack_push(r, s, head, n) && byte_stack_push(r, s, bytes, m);
}

void byte_stack_release(struct run *r, struct byte_stack *s)
{
    vec_release(s);
    budget_give(&r->budget, s->charged);
}

void search_run(struct model *m, const struct search_options *options, struct search_result *result)
{
    static void (*const strategies[])(struct run *) = {
        [SEARCH_ORDERED] = levels_search, [SEARCH_DFS] = dfs_search, [SEARCH_BFS] = layers_search,
        [SEARCH_BCS] = bcs_search, [SEARCH_SWARM] = swarm_search, [SEARCH_DIRECTED] = directed_search};
    *result = (struct search_result){.bound = -1, .error_level = -1};
    struct run r = {.m = m,
                    .opt = options,
                    .res = result,
                    .budget = {.limit = run_memory(options)},
                    .started = seconds_now(),
                    .longest = options->depth ? (uint64_t)options->depth : UINT64_MAX};
    assert(options->kind < SEARCH_KINDS && (int)options->store < STORE_KINDS && options->bcs < BCS_KINDS);
    assert(options->kind != SEARCH_BCS || options->bound >= 0);
    assert(!options->cluster || (options->kind != SEARCH_DFS && options->kind != SEARCH_BCS));
    if (options->cluster && !cluster_is_other()) ranks_order_search(m, options);
    run_begin(&r);
    strategies[options->kind](&r);
    run_end(&r);
    assert(result->stop != STOP_NOT_YET);
    assert(!result->has_error || result->errors);
    assert(result->stop != STOP_BOUND || (options->bound >= 0 && result->bound == options->bound));
    assert(!r.budget.limit || result->memory <= r.budget.limit);
    if (r.store.kind != STORE_EXACT) result->omission = store_omission(&r.store); /* a swarm has no store of its own */
    store_release(&r.store);
    assert(r.budget.used == 0);
    /* the next search has what this one had, unless both have a share of their own */
    if (r.budget.peak > GIVEN_BACK && !options->budget) malloc_trim(0);
}

void schedule_release(struct schedule *s)
{
    vec_release(&s->choices);
    *s = (struct schedule){0};
}

void search_result_release(struct search_result *r)
{
    schedule_release(&r->error);
    *r = (struct search_result){0};
}
