/* Forced states (reduction.c) in the ordered and the breadth-first search: nobody arrives there. What a state
 * leads to is put aside while its steps are executed; then each successor is followed, step by step, until there
 * is something to decide. Where a way ends depends on where it begins and on nothing else, so ways that were gone
 * lately are looked up. */
#include "search/levels_int.h"

#include <stdlib.h>
#include <string.h>

enum { WAYS = 1 << 14 };

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
    if (w->learns) worker_note_step(w, w->scratch, t->last);
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
 * last of them leads. */
static struct probe steps_of(struct worker *w, int pid)
{
    const uint64_t *memory = learner_steps(&w->learner, pid, false), *code = w->learner.coder.code;
    uint32_t words = w->l->words;
    if (!memory) return ask_model(w, pid);
    for (uint32_t i = 0; *memory && i < words; i++) w->scratch[i] = code[i] ^ memory[1 + i];
    return (struct probe){w, (uint32_t)*memory, *memory ? (int)memory[1 + words] : 0, true};
}

static bool is_only(const struct worker *w, const struct probe *x)
{
    return x->steps == 1 && x->plain && !w->m->cut && !stopped(w->l);
}

/* By the only step that is possible at all. */
static bool has_one_step(struct worker *w, int *last)
{
    struct probe only = {0};
    for (int pid = w->processes - 1; pid >= 0 && !stopped(w->l); pid--) {
        struct probe x = steps_of(w, pid);
        if (!x.steps) continue;
        if (only.steps || !is_only(w, &x)) return false;
        only = x;
        memcpy(w->ahead, w->scratch, w->l->words * sizeof *w->ahead);
    }
    if (!only.steps || stopped(w->l)) return false;
    *last = only.last;
    return true;
}

/* True if the state at work is forced; then w->ahead is where it leads to. A step that was taken because it could have
 * been taken at any time is free, and so is the switch after it. */
static bool is_forced(struct worker *w, int *last)
{
    for (int pid = w->processes; (pid = learner_independent(&w->learner, pid)) >= 0 && !stopped(w->l);) {
        struct probe x = steps_of(w, pid);
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

/* Its end is in `code`, and who moved last in *last. True if there was a way to go. */
static bool follow(struct worker *w, uint64_t *code, int *last)
{
    size_t bytes = w->l->words * sizeof *code;
    uint32_t steps = 0;
    worker_enter_code(w, code);
    while (steps < FORCED_MOST && (!steps || memcmp(w->anchor, code, bytes))) { /* as way_goes_on() has it */
        if (!(steps & (steps - 1))) memcpy(w->anchor, code, bytes);
        if (!is_forced(w, last)) break;
        memcpy(code, w->ahead, bytes);
        worker_enter_code(w, code);
        steps++;
    }
    if (w->misses) note_values_ahead(w);
    return steps;
}

static bool follow_known(struct worker *w, uint64_t *code, int *last)
{
    struct way *x = w->ways ? &w->ways[key_mix(*code) % WAYS] : NULL;
    if (x && x->is_set && x->from == *code) {
        if (x->moved) w->processes = x->processes, *last = x->last, *code = x->to;
        return x->moved;
    }
    uint64_t from = *code;
    bool moved = follow(w, code, last);
    if (x && !stopped(w->l) && !w->m->cut && !w->misses)
        *x = (struct way){from, *code, (uint16_t)w->processes, (uint8_t)*last, moved, true};
    return moved;
}

void worker_settle(struct worker *w)
{
    for (size_t i = 0; i < w->pending.len && !stopped(w->l); i++) {
        struct successor_code *s = &w->pending.at[i];
        uint64_t *code = w->pending_codes.at + i * w->l->words;
        int last = s->last;
        memcpy(w->begin, code, w->l->words * sizeof *code);
        bool moved = w->l->forces && follow_known(w, code, &last);
        if (worker_cannot_encode(w)) {
            worker_postpone_way(w, w->begin, s);
            continue;
        }
        int processes = moved ? w->processes : s->processes;
        if (stopped(w->l) || (moved && worker_cannot_mark(w, processes))) break;
        worker_arrive(w, code, w->l->all_free ? MODEL_NOBODY : last, processes, &s->log);
    }
    vec_clear(&w->pending);
    vec_clear(&w->pending_codes);
}
