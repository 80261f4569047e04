/* Runs: executed once more before anybody sees them, turned into traces and back. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void bp_run_release(struct bp_run *r)
{
    for (size_t i = 0; i < r->steps.len; i++) free(r->steps.at[i].bits);
    vec_release(&r->steps);
    free(r->init_bits);
    *r = (struct bp_run){0};
}

static char *complaint(size_t step, const char *what)
{
    struct str s = {0};
    str_printf(&s, "step %zu %s", step + 1, what);
    return s.at;
}

/* The error label at which a thread stands that may move, if possible this thread; -1: none. */
static int label_reached(const struct bp_state *s, int thread, const char *const *labels)
{
    for (int i = -1; i < s->stacks; i++) {
        int t = i < 0 ? thread : i, top = t < 0 ? -1 : bp_state_top(s, t);
        if (top >= 0 && boolprog_is_error_node(s->program, top, labels) && bp_state_may_run(s, t)) return top;
    }
    return -1;
}

static void cut_after(struct bp_run *r, size_t len)
{
    assert(len <= r->steps.len);
    while (r->steps.len > len) free(vec_pop(&r->steps).bits);
}

bool bp_run_finish(const struct bp_program *p, const char *const *labels, struct bp_run *r)
{
    struct bp_state s;
    enum step_outcome outcome = STEP_DONE;
    bp_state_init(&s, p, r->init_bits);
    size_t done = 0;
    r->error_node = label_reached(&s, -1, labels);
    while (r->error_node < 0 && outcome == STEP_DONE && done < r->steps.len) {
        const struct run_step *step = &r->steps.at[done++];
        outcome = bp_state_step(&s, step->thread, step->edge, step->bits);
        if (outcome == STEP_DONE) r->error_node = label_reached(&s, step->thread, labels);
    }
    bp_state_release(&s);
    bool error = r->error_node >= 0 || outcome == STEP_FAILS;
    if (error) cut_after(r, done);
    return error;
}

char *bp_run_check(const struct bp_program *p, const struct bp_run *r, const char *const *labels)
{
    struct bp_state s;
    char *wrong = NULL;
    bool failed = false;
    bp_state_init(&s, p, r->init_bits);
    for (size_t i = 0; i < r->steps.len && !wrong; i++) {
        const struct run_step *step = &r->steps.at[i];
        if (failed || label_reached(&s, -1, labels) >= 0) wrong = complaint(i, "comes after the error");
        enum step_outcome outcome = bp_state_step(&s, step->thread, step->edge, step->bits);
        if (outcome == STEP_BLOCKED && !wrong) wrong = complaint(i, "is not possible");
        failed = outcome == STEP_FAILS;
    }
    int last = r->steps.len ? vec_last(&r->steps).thread : -1;
    if (!wrong && r->error_node < 0 && !failed) wrong = complaint(r->steps.len, "should fail an assertion");
    if (!wrong && r->error_node >= 0 && (failed || label_reached(&s, last, labels) != r->error_node))
        wrong = complaint(r->steps.len, "should be at an error label");
    bp_state_release(&s);
    return wrong;
}

int bp_run_preemptions(const struct bp_program *p, const struct bp_run *r)
{
    struct bp_state s;
    int count = 0;
    bp_state_init(&s, p, r->init_bits);
    for (size_t i = 0; i < r->steps.len; i++) {
        const struct run_step *step = &r->steps.at[i];
        int last = i ? r->steps.at[i - 1].thread : step->thread;
        count += last != step->thread && bp_state_enabled(&s, last);
        bp_state_step(&s, step->thread, step->edge, step->bits);
    }
    bp_state_release(&s);
    return count;
}

/* ---- to a trace ---- */

static const char *thread_name(const struct bp_program *p, int thread)
{
    return thread < (int)p->threads.len ? p->threads.at[thread].name : p->procs.at[p->init].name;
}

static const char *bit_text(uint8_t value) { return value ? "1" : "0"; }

/* A variable as the source names it, and its value; bits: by slot, of the variables beside it. NULL: the bit before it
 * has spoken for the whole number. old: the same before, of interest is what differs; NULL: everything. */
static const char *value_text(const struct bp_program *p, int var, const uint8_t *bits, const uint8_t *old,
                              struct trace *t, const char **name)
{
    const struct bp_var *v = &p->vars.at[var];
    *name = arena_strdup(&t->arena, v->name);
    if (!v->number) return bit_text(bits[v->slot]);
    const struct bp_number *n = &p->numbers.at[v->number - 1];
    int element = (var - n->first) / n->width, first = n->first + element * n->width;
    unsigned value = 0;
    for (int i = 0; i < n->width; i++) {
        int slot = p->vars.at[first + i].slot;
        if (first + i < var && (!old || old[slot] != bits[slot])) return NULL;
        value |= (unsigned)bits[slot] << i;
    }
    *name = n->is_array ? arena_printf(&t->arena, "%s[%d]", n->name, element) : arena_strdup(&t->arena, n->name);
    return arena_printf(&t->arena, "%u", value);
}

static void note_change(struct trace *t, const struct bp_program *p, int var, const uint8_t *bits, const uint8_t *old)
{
    const char *name, *value = value_text(p, var, bits, old, t, &name);
    if (value) trace_change_add(t, &vec_last(&t->steps), name, value);
}

static void note_changes(struct trace *t, const struct bp_state *before, const struct bp_state *after, int thread)
{
    const struct bp_program *p = before->program;
    for (size_t i = 0; i < p->shared.len; i++)
        if (before->shared[i] != after->shared[i] && !p->vars.at[p->shared.at[i]].hidden)
            note_change(t, p, p->shared.at[i], after->shared, before->shared);
    const struct bp_stack *b = &before->stack[thread], *a = &after->stack[thread];
    int depth = a->depth;
    if (depth == 0) return;
    const struct bp_proc *f = &p->procs.at[p->nodes.at[a->nodes[depth - 1]].proc];
    const uint8_t *now = a->locals + (size_t)(depth - 1) * (size_t)after->stride;
    const uint8_t *old = depth <= b->depth ? b->locals + (size_t)(depth - 1) * (size_t)before->stride : NULL;
    for (size_t i = 0; i < f->locals.len; i++) {
        bool param = false;
        for (size_t k = 0; k < f->params.len; k++) param |= f->params.at[k] == f->locals.at[i];
        if (old ? old[i] != now[i] : param) note_change(t, p, f->locals.at[i], now, old);
    }
}

/* The calls in which the thread is when it makes the step: the procedures, and where each calls the next. */
static void note_stack(const struct bp_program *p, const struct bp_stack *b, int line, struct trace *t,
                       struct trace_step *s)
{
    for (int i = b->depth - 1; b->depth > 1 && i >= 0; i--) {
        int at = i == b->depth - 1 ? line : p->edges.at[b->calls[i]].pos.line;
        const char *name = p->procs.at[p->nodes.at[b->nodes[i]].proc].name;
        trace_frame_add(t, s, (struct trace_frame){name, p->file, at});
    }
}

static void describe(const struct bp_program *p, const struct bp_state *before, struct trace *t,
                     const struct run_step *r)
{
    const struct bp_edge *e = &p->edges.at[r->edge];
    struct trace_step *s = trace_step_add(t, r->thread);
    s->file = arena_strdup(&t->arena, p->file);
    s->line = e->pos.line;
    const char *proc = p->procs.at[p->nodes.at[e->from].proc].name;
    if (e->kind == EDGE_RETURN && before->stack[r->thread].depth > 1)
        s->action = arena_printf(&t->arena, "%s  (leaves %s)", e->text, proc);
    else if (e->kind == EDGE_CALL)
        s->action = arena_printf(&t->arena, "%s  (enters %s)", e->text, p->procs.at[e->callee].name);
    else s->action = arena_strdup(&t->arena, e->text);
    s->choice = r->edge;
    note_stack(p, &before->stack[r->thread], e->pos.line, t, s);
    for (size_t i = 0; i < bp_step_bits(p, r->edge); i++) vec_push(&s->detail, r->bits[i]);
}

static void note_rounds(const struct bp_program *p, struct trace *t)
{
    struct str s = {0};
    int round = 1, last = -1;
    size_t from = 0;
    for (size_t i = 0; i <= t->steps.len; i++) {
        bool end = i == t->steps.len;
        int thread = end ? -1 : t->steps.at[i].thread;
        bool next = !end && thread < last && last < (int)p->threads.len;
        if (end || next) {
            if (i > from) str_printf(&s, "%sround %d: steps %zu-%zu", s.len ? ", " : "", round, from + 1, i);
            from = i;
            round++;
        }
        last = thread;
    }
    if (s.len) vec_push(&t->notes, arena_printf(&t->arena, "%s", s.at));
    str_release(&s);
}

void bp_error_to_trace(const struct bp_program *p, int edge, int node, const char *const *labels, struct trace *t)
{
    const char *name = path_basename(p->file);
    assert(edge < 0 || node < 0);
    if (edge < 0 && node < 0) {
        t->location = arena_strdup(&t->arena, p->file);
        t->kind = "label", t->message = arena_printf(&t->arena, "an error label or a failing assertion in %s", name);
        return;
    }
    int line = node >= 0 ? p->nodes.at[node].pos.line : p->edges.at[edge].pos.line;
    t->location = arena_printf(&t->arena, "%s:%d", p->file, line);
    t->kind = node >= 0 ? "label" : "assertion";
    if (node < 0) t->message = arena_printf(&t->arena, "%s at %s:%d", p->edges.at[edge].text, name, line);
    else t->message = arena_printf(&t->arena, "%s reached at %s:%d", boolprog_error_label(p, node, labels), name, line);
}

void bp_run_to_trace(const struct bp_program *p, const struct bp_run *r, const char *const *labels, struct trace *t)
{
    struct bp_state now, before;
    bp_state_init(&now, p, r->init_bits);
    bp_state_init(&before, p, r->init_bits);
    int stacks = now.stacks;
    for (int i = 0; i < stacks; i++) trace_thread_add(t, thread_name(p, i));
    for (size_t i = 0; i < r->steps.len; i++) {
        const struct run_step *s = &r->steps.at[i];
        describe(p, &now, t, s);
        if (i) vec_last(&t->steps).previous_enabled = bp_state_enabled(&now, r->steps.at[i - 1].thread);
        bp_state_copy(&before, &now);
        bp_state_step(&now, s->thread, s->edge, s->bits);
        note_changes(t, &before, &now, s->thread);
        vec_last(&t->steps).ended = !now.stack[s->thread].depth;
    }
    for (size_t i = 0; r->steps.len && i < bp_state_init_bits(p); i++)
        vec_push(&t->steps.at[0].detail, r->init_bits[i]);
    for (size_t i = 0; i < p->shared.len; i++) {
        if (p->vars.at[p->shared.at[i]].hidden) continue;
        const char *name, *value = value_text(p, p->shared.at[i], now.shared, NULL, t, &name);
        if (value) vec_push(&t->final_state, ((struct trace_change){name, value}));
    }
    if (labels) bp_error_to_trace(p, r->error_node < 0 ? vec_last(&r->steps).edge : -1, r->error_node, labels, t);
    note_rounds(p, t);
    bp_state_release(&now);
    bp_state_release(&before);
}

/* ---- and back ---- */

static bool take_bits(const struct trace_step *s, size_t from, size_t n, uint8_t **bits)
{
    *bits = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        if (from + i >= s->detail.len || s->detail.at[from + i] < 0 || s->detail.at[from + i] > 1) return false;
        (*bits)[i] = (uint8_t)s->detail.at[from + i];
    }
    return true;
}

bool bp_run_from_trace(const struct bp_program *p, const struct trace *t, struct bp_run *r)
{
    int stacks = (int)p->threads.len + (p->init >= 0);
    *r = (struct bp_run){.error_node = -1};
    for (size_t i = 0; i < t->steps.len; i++) {
        const struct trace_step *s = &t->steps.at[i];
        if (s->choice < 0 || s->choice >= (int64_t)p->edges.len || s->thread >= stacks) return false;
        uint8_t *bits;
        bool ok = take_bits(s, 0, bp_step_bits(p, (int)s->choice), &bits);
        vec_push(&r->steps, ((struct run_step){s->thread, (int)s->choice, bits}));
        if (ok && i == 0) ok = take_bits(s, bp_step_bits(p, (int)s->choice), bp_state_init_bits(p), &r->init_bits);
        if (!ok) return false;
    }
    if (!r->init_bits) r->init_bits = xcalloc(bp_state_init_bits(p) + 1, 1);
    return true;
}
