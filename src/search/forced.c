/* Forced states (reduction.c) in the ordered and the breadth-first search: they are passed by and not kept. Successors
 * are put aside while the steps of a state are executed; then each is followed, step by step, until there is something
 * to decide. Where a way ends depends on where it begins and on nothing else, so ways that were gone lately are looked
 * up.
 *
 * A known state is not forced, so a successor is followed only if it is new: it arrives unsettled, and is put aside if
 * it is not known. That is possible where a key says what the state is and this process knows all states (asks_first).
 * A way that is cut because it is too long or goes round ends in a forced state, which is known from then on. It is
 * marked (known_distrust) before it arrives, so that a successor that is the same state is still followed, whichever
 * comes first. */
#include "search/levels_int.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 1 << 14, STEPS_PER_LOOK = 256 };

void worker_forced_init(struct worker *w)
{
    w->ahead = xcalloc(3 * w->l->words, sizeof *w->ahead);
    w->anchor = w->ahead + w->l->words;
    w->begin = w->anchor + w->l->words;
    if (w->l->forces && w->l->words == 1) w->ways = xcalloc(WAYS, sizeof *w->ways);
}

void worker_forced_release(struct worker *w)
{
    vec_release(&w->pending);
    vec_release(&w->pending_codes);
    free(w->ways);
    free(w->ahead);
}

void worker_defer(struct worker *w, const uint64_t *code, int last, int processes, const struct log_entry *log)
{
    vec_push(&w->pending, ((struct successor_code){(uint16_t)last, (uint16_t)processes, *log}));
    for (uint32_t i = 0; i < w->l->words; i++) vec_push(&w->pending_codes, code[i]);
}

/* ---- one step ---- */

struct probe { struct worker *w; uint32_t steps; int last; bool plain; };

static bool on_step(void *ctx, const struct successor *t)
{
    struct probe *x = ctx;
    struct worker *w = x->w;
    x->steps++;
    x->last = t->last;
    x->plain &= t->state && !t->fault;
    x->plain = x->plain && worker_encode(w, t->state, t->size, w->scratch);
    w->learns &= x->plain;
    if (!x->plain) return false;
    if (w->learns) worker_note_step(w, w->scratch, t->last, w->m->ops->process_count(w->m, t->state));
    return true;
}

static struct probe ask_model(struct worker *w, int pid)
{
    struct probe x = {.w = w, .plain = true};
    w->learns = w->learner.decidable;
    vec_clear(&w->learnt);
    const uint8_t *state = coder_state(&w->learner.coder);
    w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, false, on_step, &x);
    worker_learn(w, pid, x.steps);
    return x;
}

/* How many steps the process has in the state at work (if one fails, at least one) and, in w->scratch, where the
 * last of them leads. False: that is not remembered. */
static bool recall_steps(struct worker *w, int pid, struct probe *x)
{
    const uint64_t *memory = learner_steps(&w->learner, pid, false), *code = w->learner.coder.code;
    uint32_t words = w->l->words;
    if (!memory) return false;
    for (uint32_t i = 0; *memory && i < words; i++) w->scratch[i] = code[i] ^ memory[1 + i];
    *x = (struct probe){w, (uint32_t)*memory, *memory ? step_last(memory[1 + words]) : 0, true};
    return true;
}

static struct probe steps_of(struct worker *w, int pid)
{
    struct probe x;
    return recall_steps(w, pid, &x) ? x : ask_model(w, pid);
}

static bool is_only(const struct worker *w, const struct probe *x)
{
    return x->steps == 1 && x->plain && !w->m->cut && !stopped(w->l);
}

/* Steps of all processes are counted until there are two: first of processes that could move where something was to be
 * decided lately, then of those whose steps are remembered. */
struct count { struct probe only; uint32_t steps; int pid; bool more; };

static void count_steps(struct worker *w, int pid, const struct probe *x, struct count *c)
{
    if (!x->steps) return;
    c->more = c->steps || !is_only(w, x);
    if (c->more) w->busy[0] = c->steps ? c->pid : pid, w->busy[1] = pid;
    c->steps += x->steps;
    c->only = *x;
    c->pid = pid;
    memcpy(w->ahead, w->scratch, w->l->words * sizeof *w->ahead);
}

enum answer { NO, YES, UNKNOWN };

static bool recall_in_new_state(struct worker *w, int pid, struct probe *x)
{
    if (skips_lookup(&w->new_states)) return false;
    bool found = recall_steps(w, pid, x);
    note_lookup(&w->new_states, found);
    return found;
}

/* Of the two processes that decided last. */
static enum answer busy_can_move(struct worker *w)
{
    struct probe x = {0}, y = {0};
    int first = w->busy[0], second = w->busy[1];
    if (first >= w->processes || second >= w->processes) return NO;
    if (!recall_in_new_state(w, first, &x)) return UNKNOWN;
    if (x.steps <= 1 && first != second && !recall_steps(w, second, &y)) return UNKNOWN;
    return x.steps + y.steps > 1 ? YES : NO;
}

static bool until_two(void *ctx, const struct successor *t)
{
    uint32_t *steps = ctx;
    (void)t;
    return ++*steps < 2;
}

/* Few new states are forced, and steps that are learnt in them are remembered in vain: so the model is asked whether
 * there are two steps at all, and not where they lead. */
static bool learns_in_vain(const struct worker *w)
{
    return w->forced.skips && (w->overflowing || w->new_states.skips);
}

/* A lower bound that costs less; zero is exact. -1: not known. */
static int count_first_statements(struct worker *w, int pid)
{
    const uint8_t *state = coder_state(&w->learner.coder);
    if (!w->m->ops->first_statements) return -1;
    return w->m->ops->first_statements(w->m, state, w->learner.coder.form->size, pid);
}

static uint32_t count_up_to_two(struct worker *w, int pid)
{
    const uint8_t *state = coder_state(&w->learner.coder);
    uint32_t steps = 0;
    int first = count_first_statements(w, pid);
    if (first == 0 || first >= 2) return (uint32_t)first;
    w->m->ops->successors(w->m, state, w->learner.coder.form->size, pid, false, until_two, &steps);
    return steps;
}

static uint32_t count_at_least(struct worker *w, int pid)
{
    int first = count_first_statements(w, pid);
    return first >= 0 ? (uint32_t)first : count_up_to_two(w, pid);
}

/* Of all processes together, those first that could move lately. */
static bool counts_two(struct worker *w, uint32_t (*count)(struct worker *w, int pid))
{
    uint32_t steps = 0, before = 0;
    for (int i = -1; i < w->processes && steps < 2 && !stopped(w->l); i++, before = steps) {
        int pid = i < 0 ? w->busy[0] : w->processes - 1 - i;
        if (pid >= w->processes || (i >= 0 && pid == w->busy[0])) continue;
        steps += count(w, pid);
        if (steps > before && steps >= 2) w->busy[1] = pid;
    }
    return steps >= 2;
}

static bool model_has_two_steps(struct worker *w)
{
    return counts_two(w, count_at_least) || counts_two(w, count_up_to_two);
}

/* By the only step that is possible at all. */
static bool has_one_step(struct worker *w, int *last)
{
    struct count c = {0};
    struct probe x;
    enum answer two = busy_can_move(w);
    bool all = two != UNKNOWN;
    for (int pid = w->processes - 1; pid >= 0 && two == NO && all && !c.more; pid--)
        if (recall_steps(w, pid, &x)) count_steps(w, pid, &x, &c);
        else all = false;
    if (two == YES || c.more || (!all && learns_in_vain(w) && model_has_two_steps(w))) return false;
    if (!all) c = (struct count){0};
    for (int pid = w->processes - 1; pid >= 0 && !all && !c.more && !stopped(w->l); pid--) {
        x = steps_of(w, pid);
        count_steps(w, pid, &x, &c);
    }
    if (c.more || !c.steps || stopped(w->l)) return false;
    *last = c.only.last;
    return true;
}

/* True if the state at work is forced; then w->ahead is where it leads to. A step that was taken because it could have
 * been taken at any time is free, and so is the switch after it. */
static bool is_forced(struct worker *w, int *last)
{
    int pid = learner_independent(&w->learner, w->processes);
    w->no_ample = pid < 0;
    for (; pid >= 0 && !stopped(w->l); pid = learner_independent(&w->learner, pid)) {
        struct probe x;
        if (!recall_in_new_state(w, pid, &x)) {
            uint32_t steps = learns_in_vain(w) ? count_up_to_two(w, pid) : 1;
            if (steps == 1) x = steps_of(w, pid);
            else x = (struct probe){.steps = steps};
        }
        if (!x.steps) continue;
        if (!is_only(w, &x)) return false; /* *last stays as it is: what was looked up leaves it, too */
        memcpy(w->ahead, w->scratch, w->l->words * sizeof *w->ahead);
        *last = MODEL_NOBODY;
        return true;
    }
    return has_one_step(w, last);
}

/* ---- ways ---- */

void worker_enter_code(struct worker *w, const uint64_t *code)
{
    struct coder *c = &w->learner.coder;
    learner_refresh(&w->learner); /* the code may have bits that were given away just now */
    coder_enter(c, code);
    w->processes = c->form->processes;
    if (w->processes < 0) w->processes = w->m->ops->process_count(w->m, coder_state(c));
    w->timeout = false;
}

/* Values are added when all processes have met, which takes long: those that the way will need are noted at once. */
static void note_values_ahead(struct worker *w)
{
    enum { AHEAD = 512 };
    struct run view = *w->l->run;
    struct coder *c = &w->learner.coder;
    struct state_bytes state = {0}, next = {0};
    view.m = w->m;
    vec_reserve(&state, c->form->size);
    memcpy(state.at, coder_state(c), c->form->size);
    state.len = c->form->size;
    for (int i = 0; i < AHEAD && reduction_forced(&view, state.at, (uint32_t)state.len, &next) >= 0; i++) {
        struct state_bytes behind = state;
        state = next;
        next = behind;
        coder_encode(c, state.at, (uint32_t)state.len, w->scratch);
    }
    vec_release(&state);
    vec_release(&next);
}

/* A state can lead to many ways of thousands of steps, each of which may ask all processes. */
static bool is_late(struct worker *w)
{
    struct model *m = w->m;
    if (++w->way_steps % STEPS_PER_LOOK == 0) {
        m->between = true;
        m->cut |= m->interrupted && m->interrupted(m->interrupt_ctx);
        m->between = false;
    }
    return m->cut || stopped(w->l);
}

static struct way *way_from(const struct worker *w, uint64_t code)
{
    return w->ways ? &w->ways[key_mix(code) % WAYS] : NULL;
}

/* The rest of a way, if it was gone lately. */
static bool take_known_way(struct worker *w, uint64_t *code, int *last, uint32_t *steps)
{
    const struct way *x = way_from(w, *code);
    if (!x || !x->is_set || x->from != *code || (*steps && *steps + x->steps >= FORCED_MOST)) return false;
    if (x->steps) *last = x->last, *code = x->to;
    w->processes = x->processes;
    w->no_ample = x->no_ample;
    *steps += x->steps;
    return true;
}

/* From the first states on the way, whose codes are in the trail. */
struct trail { uint64_t code[32]; uint32_t len; };
static void keep_ways(struct worker *w, const struct trail *t, uint64_t to, int last, uint32_t steps, bool is_cut)
{
    bool keeps = w->ways && (steps || !w->l->asks_first); /* else the state itself is known soon */
    if (!keeps || stopped(w->l) || w->m->cut || w->misses) return;
    for (uint32_t i = 0; i < t->len && (!i || (i < steps && !is_cut)); i++)
        *way_from(w, t->code[i]) = (struct way){t->code[i], to, (uint16_t)w->processes,
                                                (uint16_t)(is_cut ? FORCED_MOST : steps - i), (uint8_t)last,
                                                w->no_ample, true};
}

/* Its end is in `code`, and who moved last in *last. True if there was a way to go. */
static bool follow(struct worker *w, uint64_t *code, int *last)
{
    size_t bytes = w->l->words * sizeof *code;
    struct trail trail = {.len = 0};
    uint32_t steps = 0;
    bool forced = true;
    if (take_known_way(w, code, last, &steps)) return steps;
    w->no_ample = false;
    worker_enter_code(w, code);
    while (steps < FORCED_MOST && (!steps || memcmp(w->anchor, code, bytes))) { /* as way_goes_on() has it */
        if (!(steps & (steps - 1))) memcpy(w->anchor, code, bytes);
        if (steps < ARRAY_LEN(trail.code)) trail.code[trail.len++] = *code;
        forced = !is_late(w) && is_forced(w, last);
        if (!forced) break;
        memcpy(code, w->ahead, bytes);
        steps++;
        if (take_known_way(w, code, last, &steps)) {
            forced = false;
            break;
        }
        worker_enter_code(w, code);
    }
    if (w->misses) note_values_ahead(w);
    note_lookup(&w->forced, steps);
    if (forced && w->l->words == 1 && !w->l->carries) known_distrust(w->l->known, key_mix(*code));
    if (forced) w->no_ample = false;
    keep_ways(w, &trail, *code, *last, steps, forced);
    return steps;
}

void worker_settle(struct worker *w)
{
    for (size_t i = 0; i < w->pending.len && !stopped(w->l); i++) {
        struct successor_code *s = &w->pending.at[i];
        uint64_t *code = w->pending_codes.at + i * w->l->words;
        int last = s->last;
        memcpy(w->begin, code, w->l->words * sizeof *code);
        bool moved = w->l->forces && follow(w, code, &last);
        if (worker_cannot_encode(w)) {
            worker_postpone_way(w, w->begin, s);
            continue;
        }
        int processes = moved ? w->processes : s->processes;
        if (stopped(w->l) || (moved && worker_cannot_mark(w, processes))) break;
        if (w->l->all_free) last = MODEL_NOBODY;
        if (w->l->asks_first) worker_arrive_settled(w, *code, last, processes);
        else worker_arrive(w, code, last, processes, &s->log);
    }
    vec_clear(&w->pending);
    vec_clear(&w->pending_codes);
}
