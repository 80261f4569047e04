/* Small transition systems behind the model interface, made of tables: for tests of everything that sees a model.
 *
 * A state is one shared value and one control location per process. A rule belongs to a process, applies at one
 * location when the shared value is in its guard, and may need a partner (a rendezvous), wait for timeout, or fail. */
#ifndef MOCK_MODEL_H
#define MOCK_MODEL_H

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

enum { MOCK_VALUES = 8, MOCK_LOCATIONS = 5, MOCK_MOST = 100 };

struct mock_rule {
    int pid, from, to;
    uint8_t guard;             /* bit v: applies when the shared value is v */
    uint8_t next[MOCK_VALUES]; /* the new shared value */
    int partner, partner_from, partner_to; /* partner -1: none */
    bool waits_for_timeout, fails, ends; /* ends: there is no state after the failure */
};

struct mock {
    struct model model;
    int processes;
    VEC(struct mock_rule) rules;
    bool valid_end[MOCK_LOCATIONS];
    struct transition *transitions;
    char texts[64][32];
};

static inline struct mock *mock_of(struct model *m) { return (struct mock *)m; }

static inline uint32_t mock_initial(struct model *m, uint8_t *state)
{
    memset(state, 0, m->max_state);
    return m->max_state;
}

static inline bool mock_applies(const struct mock_rule *r, const uint8_t *state, bool timeout)
{
    if (state[1 + r->pid] != r->from || !(r->guard >> state[0] & 1) || (r->waits_for_timeout && !timeout)) return false;
    return r->partner < 0 || state[1 + r->partner] == r->partner_from;
}

static inline uint32_t mock_process(struct mock *k, const uint8_t *state, int pid, bool timeout, successor_fn *fn, void *ctx,
                             bool *go_on)
{
    uint32_t n = 0;
    for (size_t i = 0; i < k->rules.len && *go_on; i++) {
        const struct mock_rule *r = &k->rules.at[i];
        if (r->pid != pid || !mock_applies(r, state, timeout)) continue;
        uint8_t next[1 + MOCK_MOST];
        memcpy(next, state, k->model.max_state);
        next[0] = r->next[state[0]];
        next[1 + pid] = (uint8_t)r->to;
        if (r->partner >= 0) next[1 + r->partner] = (uint8_t)r->partner_to;
        struct move moves[2] = {{(uint32_t)i, (uint8_t)pid, false}, {(uint32_t)i, (uint8_t)r->partner, true}};
        struct successor s = {.state = r->fails && r->ends ? NULL : next, .size = k->model.max_state, .pid = pid,
            .last = r->partner >= 0 ? r->partner : pid, .moves = moves, .move_count = r->partner >= 0 ? 2 : 1, .timeout = timeout,
            .fault = r->fails ? "assertion" : NULL, .fault_message = "it failed", .fault_transition = (uint32_t)i};
        n++;
        *go_on = fn(ctx, &s);
    }
    return n;
}

static inline uint32_t mock_all(struct mock *k, const uint8_t *state, bool timeout, successor_fn *fn, void *ctx)
{
    uint32_t n = 0;
    bool go_on = true;
    for (int pid = k->processes - 1; pid >= 0 && go_on; pid--) n += mock_process(k, state, pid, timeout, fn, ctx, &go_on);
    return n;
}

static inline uint32_t mock_successors(struct model *m, const uint8_t *state, uint32_t size, int pid, bool timeout,
                                       successor_fn *fn, void *ctx)
{
    struct mock *k = mock_of(m);
    bool go_on = true;
    (void)size;
    if (pid != MODEL_ALL) return mock_process(k, state, pid, timeout, fn, ctx, &go_on);
    uint32_t n = mock_all(k, state, false, fn, ctx);
    return n ? n : mock_all(k, state, true, fn, ctx);
}

static inline int mock_process_count(struct model *m, const uint8_t *state)
{
    (void)state;
    return mock_of(m)->processes;
}

static inline bool mock_valid_end(struct model *m, const uint8_t *state)
{
    struct mock *k = mock_of(m);
    for (int p = 0; p < k->processes; p++)
        if (!k->valid_end[state[1 + p]]) return false;
    return true;
}

static inline const struct transition *mock_transition(struct model *m, uint32_t id)
{
    static const struct transition nothing = {.file = "mock.pml", .line = 1, .text = "step", .spin_id = 1};
    struct mock *k = mock_of(m);
    if (!k->transitions) return &nothing;
    return &k->transitions[id];
}

static inline const char *mock_proctype_name(struct model *m, int proctype)
{
    (void)m;
    (void)proctype;
    return "p";
}

static inline int mock_process_type(struct model *m, const uint8_t *state, int pid)
{
    (void)m;
    (void)state;
    (void)pid;
    return 0;
}

static inline void mock_values(struct model *m, const uint8_t *state, value_fn *fn, void *ctx)
{
    char value[8];
    (void)m;
    snprintf(value, sizeof value, "%d", state[0]);
    fn(ctx, "v", value);
}

static inline void mock_free(struct model *m)
{
    struct mock *k = mock_of(m);
    vec_release(&k->rules);
    free(k->transitions);
    free(k);
}

static const struct model_ops mock_ops = {
    .initial = mock_initial, .successors = mock_successors, .process_count = mock_process_count,
    .valid_end = mock_valid_end, .transition = mock_transition, .proctype_name = mock_proctype_name,
    .process_type = mock_process_type, .values = mock_values, .free = mock_free,
};

static inline struct mock *mock_new(int processes)
{
    struct mock *k = xcalloc(1, sizeof *k);
    k->processes = processes;
    k->model = (struct model){.ops = &mock_ops, .max_state = 1 + (uint32_t)processes};
    return k;
}

static inline struct mock_rule mock_rule(int pid, int from, int to)
{
    struct mock_rule r = {.pid = pid, .from = from, .to = to, .guard = 0xff, .partner = -1};
    for (int v = 0; v < MOCK_VALUES; v++) r.next[v] = (uint8_t)v;
    return r;
}

/* A deterministic stream of numbers: tests must not depend on the C library's. */
static inline uint32_t mock_random(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

struct mock_mix { int fail_percent, timeout_percent, rendezvous_percent; };

static inline struct mock *mock_random_system(uint64_t seed, struct mock_mix mix)
{
    uint64_t s = seed * 7919 + 17;
    struct mock *k = mock_new(2 + (int)mock_random(&s, 3));
    int rules = 4 + (int)mock_random(&s, 14);
    for (int l = 0; l < MOCK_LOCATIONS; l++) k->valid_end[l] = mock_random(&s, 4) != 0;
    for (int i = 0; i < rules; i++) {
        int pid = (int)mock_random(&s, (uint32_t)k->processes), from = (int)mock_random(&s, MOCK_LOCATIONS);
        struct mock_rule r = mock_rule(pid, from, (int)mock_random(&s, MOCK_LOCATIONS));
        if (i < k->processes) r.pid = i, r.from = 0;
        r.guard = (uint8_t)(1 + mock_random(&s, 255));
        if (mock_random(&s, 2)) for (int v = 0; v < MOCK_VALUES; v++) r.next[v] = (uint8_t)mock_random(&s, MOCK_VALUES);
        r.fails = (int)mock_random(&s, 100) < mix.fail_percent;
        r.ends = r.fails && mock_random(&s, 2);
        r.waits_for_timeout = (int)mock_random(&s, 100) < mix.timeout_percent;
        k->model.uses_timeout |= r.waits_for_timeout;
        if ((int)mock_random(&s, 100) < mix.rendezvous_percent) {
            r.partner = (r.pid + 1 + (int)mock_random(&s, (uint32_t)k->processes - 1)) % k->processes;
            r.partner_from = (int)mock_random(&s, MOCK_LOCATIONS);
            r.partner_to = (int)mock_random(&s, MOCK_LOCATIONS);
        }
        vec_push(&k->rules, r);
    }
    k->model.transition_count = (uint32_t)k->rules.len;
    return k;
}

#endif
