/* From the errors back to the start: the reversed program is checked forwards, and its run is read from the end. */
#include "symbolic/backward_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct walker {
    const struct bp_program *p;
    const struct bp_reversal *r;
    struct bp_state state; /* of the reversed program */
    struct script *script; /* items from the last to the first */
    bool *in_init;         /* by thread of the reversed program: it takes back the init procedure */
    uint8_t **returned;    /* by thread: the values after the call whose return comes next */
};

static int forward_thread(const struct walker *w, int thread)
{
    int threads = (int)w->p->threads.len;
    return w->in_init[thread] ? threads : threads - 1 - thread;
}

/* By variable of p: shared ones, and the locals of this procedure, if any, as they are in the frame on top. */
static uint8_t *values_now(const struct walker *w, int thread, int proc, int first)
{
    const struct bp_program *p = w->p, *q = w->r->program;
    const struct bp_stack *k = &w->state.stack[thread];
    uint8_t *value = xcalloc(p->vars.len + 1, 1);
    for (size_t i = 0; i < p->shared.len; i++)
        value[p->shared.at[i]] = w->state.shared[q->vars.at[w->r->shared[p->shared.at[i]]].slot];
    const uint8_t *frame = k->locals + (size_t)(k->depth - 1) * (size_t)w->state.stride;
    for (size_t i = 0; proc >= 0 && i < p->procs.at[proc].locals.len; i++) {
        int var = p->procs.at[proc].locals.at[i];
        value[var] = frame[q->vars.at[first + p->vars.at[var].slot].slot];
    }
    return value;
}

static void add_item(struct walker *w, int thread, int edge, uint8_t *after)
{
    vec_push(&w->script->items, ((struct script_item){forward_thread(w, thread), edge, after}));
}

static void note_start(struct walker *w, int thread, uint8_t *locals)
{
    uint8_t **at = &w->script->locals[forward_thread(w, thread)];
    free(*at);
    *at = locals;
}

static void note_returned(struct walker *w, int thread, uint8_t *after)
{
    free(w->returned[thread]);
    w->returned[thread] = after;
}

static void note_error(struct walker *w, int thread, const struct bp_reversed_edge *e)
{
    w->in_init[thread] = e->init;
    w->script->error_thread = forward_thread(w, thread);
    w->script->error_edge = e->origin;
    w->script->error_node = e->node;
}

static void note_entered(struct walker *w, int thread, const struct bp_reversed_edge *e)
{
    const struct bp_stack *k = &w->state.stack[thread];
    assert(k->depth > 1);
    int call = w->r->edges.at[k->calls[k->depth - 2]].origin;
    uint8_t *values = values_now(w, thread, e->proc, e->first);
    if (call < 0) note_start(w, thread, values);
    else add_item(w, thread, call, values);
}

static void take_return(struct walker *w, int thread, const struct bp_reversed_edge *e)
{
    uint8_t *after = w->returned[thread];
    w->returned[thread] = NULL;
    if (w->state.stack[thread].depth == 1) { /* the thread has ended */
        free(after);
        after = values_now(w, thread, -1, 0);
    }
    assert(after);
    add_item(w, thread, e->origin, after);
}

static void take_back(struct walker *w, int thread, const struct bp_reversed_edge *e)
{
    const struct bp_edge *origin = e->origin >= 0 ? &w->p->edges.at[e->origin] : NULL;
    int proc = origin ? w->p->nodes.at[origin->from].proc : -1;
    switch (e->role) {
    case REVERSED_NOTHING: break;
    case REVERSED_ERROR: note_error(w, thread, e); break;
    case REVERSED_STEP: add_item(w, thread, e->origin, values_now(w, thread, proc, e->first)); break;
    case REVERSED_RESULTS: note_returned(w, thread, values_now(w, thread, proc, e->first)); break;
    case REVERSED_CALL:
        if (!origin) w->in_init[thread] = true;
        if (!origin || !origin->results.len) note_returned(w, thread, values_now(w, thread, proc, e->first));
        break;
    case REVERSED_RETURN: take_return(w, thread, e); break;
    case REVERSED_ENTER: note_entered(w, thread, e); break;
    case REVERSED_UNCOVER:
        add_item(w, thread, e->origin, values_now(w, thread, origin->callee, e->first));
        break;
    case REVERSED_START: note_start(w, thread, values_now(w, thread, e->proc, e->first)); break;
    }
}

void backward_script(const struct bp_program *p, const struct bp_reversal *r, const struct bp_run *run,
                     struct script *s)
{
    size_t threads = p->threads.len;
    *s = (struct script){.first = xcalloc(p->shared.len + 1, 1), .error_edge = -1, .error_node = -1};
    s->locals = xcalloc(threads + 1, sizeof *s->locals);
    struct walker w = {.p = p, .r = r, .script = s};
    w.in_init = xcalloc(threads + 1, sizeof *w.in_init);
    w.returned = xcalloc(threads + 1, sizeof *w.returned);
    bp_state_init(&w.state, r->program, run->init_bits);
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct run_step *step = &run->steps.at[i];
        take_back(&w, step->thread, &r->edges.at[step->edge]);
        if (bp_state_step(&w.state, step->thread, step->edge, step->bits) != STEP_DONE)
            BUG("step %zu backwards is not possible", i);
    }
    for (size_t i = 0; i < p->shared.len; i++)
        s->first[i] = w.state.shared[r->program->vars.at[r->shared[p->shared.at[i]]].slot];
    script_reverse(s);
    for (size_t i = 0; i < threads; i++) free(w.returned[i]);
    free(w.returned), free(w.in_init);
    bp_state_release(&w.state);
}
