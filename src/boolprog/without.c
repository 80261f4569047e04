/* The same run without its last preemption: up to it, then on with the thread that was preempted, and from there on no
 * thread is left while it can go on. Threads choose as they did in the run where that is possible, and otherwise take
 * the first step there is. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 2000 };

struct seen { size_t at, len; int last; }; /* a state among the bytes, and who moved last */

struct continuation {
    const struct bp_program *program;
    const char *const *labels;
    const struct bp_run *run;
    struct bp_state state;
    bool *used; /* by step of the run: it was made here, too */
    VEC(struct seen) seen;
    struct str bytes;
    int last;
};

static uint8_t *copy_bits(const uint8_t *bits, size_t n) { return memcpy(xcalloc(n + 1, 1), bits, n); }

static size_t last_preemption(const struct bp_program *p, const struct bp_run *r)
{
    struct bp_state s;
    size_t found = SIZE_MAX;
    bp_state_init(&s, p, r->init_bits);
    for (size_t i = 0; i < r->steps.len; i++) {
        const struct run_step *step = &r->steps.at[i];
        int last = i ? r->steps.at[i - 1].thread : step->thread;
        if (last != step->thread && bp_state_enabled(&s, last)) found = i;
        bp_state_step(&s, step->thread, step->edge, step->bits);
    }
    bp_state_release(&s);
    return found;
}

static bool at_error_label(const struct continuation *c)
{
    for (int i = 0; i < c->state.stacks; i++) {
        int top = bp_state_top(&c->state, i);
        if (top >= 0 && boolprog_is_error_node(c->program, top, c->labels) && bp_state_may_run(&c->state, i))
            return true;
    }
    return false;
}

/* The present state with the same thread at work was there before; if not it is noted. */
static bool was_seen(struct continuation *c)
{
    size_t at = c->bytes.len, len = bp_state_pack(&c->state, &c->bytes);
    for (size_t i = 0; i < c->seen.len; i++) {
        const struct seen *s = &c->seen.at[i];
        if (s->len == len && s->last == c->last && !memcmp(c->bytes.at + s->at, c->bytes.at + at, len)) return true;
    }
    vec_push(&c->seen, ((struct seen){at, len, c->last}));
    return false;
}

/* Whoever moved last if he can, else whoever comes next in the run, else anybody; -1: nobody can. */
static int next_thread(const struct continuation *c)
{
    if (bp_state_enabled(&c->state, c->last)) return c->last;
    for (size_t i = 0; i < c->run->steps.len; i++)
        if (!c->used[i] && bp_state_enabled(&c->state, c->run->steps.at[i].thread)) return c->run->steps.at[i].thread;
    for (int i = 0; i < c->state.stacks; i++)
        if (bp_state_enabled(&c->state, i)) return i;
    return -1;
}

static bool is_possible(const struct continuation *c, const struct run_step *step)
{
    struct bp_state after;
    bp_state_init(&after, c->program, c->run->init_bits);
    bp_state_copy(&after, &c->state);
    enum step_outcome outcome = bp_state_step(&after, step->thread, step->edge, step->bits);
    bp_state_release(&after);
    return outcome != STEP_BLOCKED;
}

/* What the thread did next in the run; false if that cannot be done here. */
static bool as_in_run(struct continuation *c, int thread, struct run_step *out)
{
    for (size_t i = 0; i < c->run->steps.len; i++) {
        const struct run_step *step = &c->run->steps.at[i];
        if (c->used[i] || step->thread != thread) continue;
        if (!is_possible(c, step)) return false;
        c->used[i] = true;
        *out = (struct run_step){thread, step->edge, copy_bits(step->bits, bp_step_bits(c->program, step->edge))};
        return true;
    }
    return false;
}

/* A step that does not fail, or if there is none one that does. */
static bool first_possible(const struct continuation *c, int thread, struct run_step *out)
{
    const struct bp_node *node = &c->program->nodes.at[bp_state_top(&c->state, thread)];
    bool *care = xcalloc(c->program->vars.len + 1, sizeof *care);
    uint8_t *value = xcalloc(c->program->vars.len + 1, 1);
    bool found = false;
    for (int fails = 0; fails < 2 && !found; fails++)
        for (size_t i = 0; i < node->out.len && !found; i++) {
            struct step_wish wish = {.value = value, .spawned = value, .care = care, .fails = fails};
            *out = (struct run_step){thread, node->out.at[i],
                                     bp_step_find_bits(&c->state, thread, node->out.at[i], &wish)};
            found = out->bits && is_possible(c, out);
            if (!found) free(out->bits);
        }
    free(care);
    free(value);
    return found;
}

/* True if it comes to an end, or goes round, without an error. */
static bool continue_run(struct continuation *c, struct bp_run *out)
{
    while (out->steps.len < MOST_STEPS) {
        struct run_step step;
        if (at_error_label(c)) return false;
        if (was_seen(c)) return true;
        int thread = next_thread(c);
        if (thread < 0) return true;
        if (!as_in_run(c, thread, &step) && !first_possible(c, thread, &step)) return false;
        vec_push(&out->steps, step);
        if (bp_state_step(&c->state, thread, step.edge, step.bits) != STEP_DONE) return false;
        c->last = thread;
    }
    return false;
}

bool bp_run_without_preemption(const struct bp_program *p, const char *const *labels, const struct bp_run *r,
                               size_t *step, struct bp_run *out)
{
    *out = (struct bp_run){.error_node = -1};
    *step = last_preemption(p, r);
    if (*step == SIZE_MAX || *step >= MOST_STEPS) return false;
    assert(*step > 0);
    struct continuation c = {p, labels, r, .last = r->steps.at[*step - 1].thread};
    c.used = xcalloc(r->steps.len + 1, sizeof *c.used);
    out->init_bits = copy_bits(r->init_bits, bp_state_init_bits(p));
    bp_state_init(&c.state, p, r->init_bits);
    for (size_t i = 0; i < *step; i++) {
        const struct run_step *s = &r->steps.at[i];
        vec_push(&out->steps, ((struct run_step){s->thread, s->edge, copy_bits(s->bits, bp_step_bits(p, s->edge))}));
        bp_state_step(&c.state, s->thread, s->edge, s->bits);
        c.used[i] = true;
    }
    bool passes = continue_run(&c, out);
    bp_state_release(&c.state);
    vec_release(&c.seen);
    str_release(&c.bytes);
    free(c.used);
    if (!passes) bp_run_release(out);
    return passes;
}
