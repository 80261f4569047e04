/* A naive judge of searches: all states in a list, and shortest paths on the graph of (state, last process) by iterating
 * until nothing changes. Shares nothing with the searches but the model. */
#ifndef REFEREE_H
#define REFEREE_H

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { UNREACHED = 1 << 20 };
struct referee_state { uint8_t *bytes; uint32_t size; };
struct arc { size_t from, to; int pid, last; bool fails, waits; };
struct referee {
    struct model *m;
    VEC(struct referee_state) states;
    VEC(struct arc) edges; /* to is SIZE_MAX when there is no state after it */
    VEC(int) cost;       /* [state * (processes + 1) + last + 1] */
    VEC(bool) enabled;
    int processes;
    uint64_t errors;
    int cheapest_error, shortest_error;
    bool no_deadlock;
};

static inline size_t referee_count(const struct referee *f) { return f->states.len; }

static inline size_t referee_index(struct referee *f, const uint8_t *state, uint32_t size)
{
    for (size_t i = 0; i < f->states.len; i++)
        if (f->states.at[i].size == size && !memcmp(f->states.at[i].bytes, state, size)) return i;
    vec_push(&f->states, ((struct referee_state){memcpy(xmalloc(size), state, size), size}));
    return f->states.len - 1;
}

struct collect { struct referee *f; size_t from; };

static inline bool collect_edge(void *ctx, const struct successor *s)
{
    struct collect *c = ctx;
    size_t to = s->state ? referee_index(c->f, s->state, s->size) : SIZE_MAX;
    vec_push(&c->f->edges, ((struct arc){c->from, to, s->pid, s->last, s->fault, s->timeout}));
    return true;
}

static inline int *cost_at(struct referee *f, size_t state, int last) { return &f->cost.at[state * (size_t)(f->processes + 1) + (size_t)(last + 1)]; }

/* enabled[state * (processes + 1) + pid + 1]: the process has a step there; pid -1: somebody has. */
static inline void list_enabled(struct referee *f)
{
    for (size_t i = 0; i < f->states.len * (size_t)(f->processes + 1); i++) vec_push(&f->enabled, false);
    for (size_t i = 0; i < f->edges.len; i++) {
        size_t at = f->edges.at[i].from * (size_t)(f->processes + 1);
        f->enabled.at[at] = f->enabled.at[at + (size_t)f->edges.at[i].pid + 1] = true;
    }
}

static inline bool has_step(const struct referee *f, size_t state, int pid)
{
    return f->enabled.at[state * (size_t)(f->processes + 1) + (size_t)(pid + 1)];
}

/* Where one step waits for timeout all do, and whoever is left did not run. */
static inline int step_cost(struct referee *f, const struct arc *e, int last)
{
    return !e->waits && last >= 0 && last != e->pid && has_step(f, e->from, last);
}

static inline void relax(struct referee *f)
{
    *cost_at(f, 0, -1) = 0;
    list_enabled(f);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->edges.len; i++)
            for (int last = -1; last < f->processes; last++) {
                const struct arc *e = &f->edges.at[i];
                if (e->to == SIZE_MAX || *cost_at(f, e->from, last) == UNREACHED) continue;
                int cost = *cost_at(f, e->from, last) + step_cost(f, e, last), *best = cost_at(f, e->to, e->last);
                if (cost < *best) *best = cost, changed = true;
            }
    }
}

static inline int state_cost(struct referee *f, size_t state)
{
    int best = UNREACHED;
    for (int last = -1; last < f->processes; last++) best = MIN(best, *cost_at(f, state, last));
    return best;
}

static inline void find_errors(struct referee *f)
{
    f->cheapest_error = UNREACHED;
    for (size_t i = 0; i < f->edges.len; i++) {
        const struct arc *e = &f->edges.at[i];
        if (!e->fails) continue;
        f->errors++;
        for (int last = -1; last < f->processes; last++)
            f->cheapest_error = MIN(f->cheapest_error, *cost_at(f, e->from, last) + step_cost(f, e, last));
    }
    for (size_t s = 0; s < referee_count(f) && !f->no_deadlock; s++) {
        if (has_step(f, s, -1) || f->m->ops->valid_end(f->m, f->states.at[s].bytes)) continue;
        f->errors++;
        f->cheapest_error = MIN(f->cheapest_error, state_cost(f, s));
    }
}

static inline void find_shortest(struct referee *f)
{
    VEC(int) depth = {0};
    for (size_t i = 0; i < referee_count(f); i++) vec_push(&depth, i ? UNREACHED : 0);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->edges.len; i++) {
            const struct arc *e = &f->edges.at[i];
            if (e->to != SIZE_MAX && depth.at[e->from] + 1 < depth.at[e->to]) depth.at[e->to] = depth.at[e->from] + 1, changed = true;
        }
    }
    f->shortest_error = UNREACHED;
    for (size_t i = 0; i < f->edges.len; i++)
        if (f->edges.at[i].fails) f->shortest_error = MIN(f->shortest_error, depth.at[f->edges.at[i].from] + 1);
    for (size_t s = 0; s < referee_count(f) && !f->no_deadlock; s++)
        if (!has_step(f, s, -1) && !f->m->ops->valid_end(f->m, f->states.at[s].bytes))
            f->shortest_error = MIN(f->shortest_error, depth.at[s]);
    vec_release(&depth);
}

/* False if there are more states than the referee has patience for. */
static inline bool referee_run(struct referee *f, struct model *m, bool no_deadlock, size_t most_states)
{
    *f = (struct referee){.m = m, .no_deadlock = no_deadlock};
    uint8_t *initial = xcalloc(1, m->max_state);
    referee_index(f, initial, m->ops->initial(m, initial));
    free(initial);
    for (size_t i = 0; i < f->states.len && i < most_states; i++) {
        struct referee_state s = f->states.at[i];
        f->processes = MAX(f->processes, m->ops->process_count(m, s.bytes));
        m->ops->successors(m, s.bytes, s.size, MODEL_ALL, false, collect_edge, &(struct collect){f, i});
    }
    if (f->states.len > most_states) return false;
    for (size_t i = 0; i < f->states.len * (size_t)(f->processes + 1); i++) vec_push(&f->cost, UNREACHED);
    relax(f);
    find_errors(f);
    find_shortest(f);
    return true;
}

static inline void referee_release(struct referee *f)
{
    for (size_t i = 0; i < f->states.len; i++) free(f->states.at[i].bytes);
    vec_release(&f->states);
    vec_release(&f->edges);
    vec_release(&f->cost);
    vec_release(&f->enabled);
}

static inline uint64_t states_within(struct referee *f, int bound)
{
    uint64_t n = 0;
    for (size_t i = 0; i < referee_count(f); i++) n += state_cost(f, i) <= bound;
    return n;
}

#endif
