/* One step of one thread, exactly as written. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

static const struct bp_proc *root_proc(const struct bp_program *p, int thread)
{
    return &p->procs.at[thread < (int)p->threads.len ? p->threads.at[thread].proc : p->init];
}

static int stack_count(const struct bp_program *p) { return (int)p->threads.len + (p->init >= 0); }

static bool from_start(const struct bp_program *p, int thread)
{
    return thread >= (int)p->threads.len || p->threads.at[thread].started < 0;
}

size_t bp_state_init_bits(const struct bp_program *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->shared.len; i++) n += p->vars.at[p->shared.at[i]].init < 0;
    for (int t = 0; t < stack_count(p); t++)
        if (from_start(p, t)) n += root_proc(p, t)->locals.len;
    return n;
}

static void push_frame(struct bp_state *s, int thread, int node)
{
    struct bp_stack *k = &s->stack[thread];
    if (k->depth == k->cap) {
        k->cap = k->cap ? 2 * k->cap : 4;
        k->nodes = xrealloc(k->nodes, (size_t)k->cap * sizeof *k->nodes);
        k->calls = xrealloc(k->calls, (size_t)k->cap * sizeof *k->calls);
        k->locals = xrealloc(k->locals, (size_t)k->cap * (size_t)s->stride + 1);
    }
    k->nodes[k->depth] = node;
    k->calls[k->depth] = -1;
    memset(k->locals + (size_t)k->depth * (size_t)s->stride, 0, (size_t)s->stride);
    k->depth++;
}

static uint8_t *top_locals(const struct bp_state *s, int thread)
{
    const struct bp_stack *k = &s->stack[thread];
    assert(k->depth > 0);
    return k->locals + (size_t)(k->depth - 1) * (size_t)s->stride;
}

void bp_state_init(struct bp_state *s, const struct bp_program *p, const uint8_t *bits)
{
    *s = (struct bp_state){.program = p, .stacks = stack_count(p)};
    for (size_t i = 0; i < p->procs.len; i++) s->stride = MAX(s->stride, (int)p->procs.at[i].locals.len);
    s->shared = xcalloc(p->shared.len + 1, 1);
    s->stack = xcalloc((size_t)s->stacks, sizeof *s->stack);
    for (size_t i = 0; i < p->shared.len; i++) {
        int init = p->vars.at[p->shared.at[i]].init;
        s->shared[i] = init < 0 ? *bits++ : (uint8_t)init;
    }
    for (int t = 0; t < s->stacks; t++) {
        if (!from_start(p, t)) continue;
        s->stack[t].started = true;
        push_frame(s, t, root_proc(p, t)->entry);
        for (size_t i = 0; i < root_proc(p, t)->locals.len; i++) top_locals(s, t)[i] = *bits++;
    }
}

void bp_state_release(struct bp_state *s)
{
    for (int t = 0; t < s->stacks; t++) {
        free(s->stack[t].nodes);
        free(s->stack[t].calls);
        free(s->stack[t].locals);
    }
    free(s->stack);
    free(s->shared);
    *s = (struct bp_state){0};
}

void bp_state_copy(struct bp_state *to, const struct bp_state *from)
{
    memcpy(to->shared, from->shared, from->program->shared.len);
    for (int t = 0; t < from->stacks; t++) {
        const struct bp_stack *f = &from->stack[t];
        to->stack[t].started = f->started;
        to->stack[t].depth = 0;
        for (int i = 0; i < f->depth; i++) {
            push_frame(to, t, f->nodes[i]);
            to->stack[t].calls[i] = f->calls[i];
        }
        if (f->depth) memcpy(to->stack[t].locals, f->locals, (size_t)f->depth * (size_t)from->stride);
    }
}

size_t bp_state_pack(const struct bp_state *s, struct str *out)
{
    size_t before = out->len;
    str_addn(out, (const char *)s->shared, s->program->shared.len);
    for (int t = 0; t < s->stacks; t++) {
        const struct bp_stack *k = &s->stack[t];
        int head[2] = {k->started, k->depth};
        str_addn(out, (const char *)head, sizeof head);
        if (!k->depth) continue;
        str_addn(out, (const char *)k->nodes, (size_t)k->depth * sizeof *k->nodes);
        str_addn(out, (const char *)k->calls, (size_t)k->depth * sizeof *k->calls);
        str_addn(out, (const char *)k->locals, (size_t)k->depth * (size_t)s->stride);
    }
    return out->len - before;
}

void bp_state_unpack(struct bp_state *s, const uint8_t *at)
{
    memcpy(s->shared, at, s->program->shared.len);
    at += s->program->shared.len;
    for (int t = 0; t < s->stacks; t++) {
        struct bp_stack *k = &s->stack[t];
        int head[2];
        memcpy(head, at, sizeof head);
        at += sizeof head;
        k->started = head[0];
        for (k->depth = 0; k->depth < head[1];) push_frame(s, t, 0);
        size_t ints = (size_t)k->depth * sizeof(int), bytes = (size_t)k->depth * (size_t)s->stride;
        if (!k->depth) continue;
        memcpy(k->nodes, at, ints);
        memcpy(k->calls, at + ints, ints);
        memcpy(k->locals, at + 2 * ints, bytes);
        at += 2 * ints + bytes;
    }
}

int bp_state_top(const struct bp_state *s, int thread)
{
    const struct bp_stack *k = &s->stack[thread];
    return k->started && k->depth ? k->nodes[k->depth - 1] : -1;
}

int bp_state_atomic_holder(const struct bp_state *s)
{
    for (int t = 0; t < s->stacks; t++) {
        int top = bp_state_top(s, t);
        if (top >= 0 && s->program->nodes.at[top].atomic) return t;
    }
    return -1;
}

bool bp_state_may_run(const struct bp_state *s, int thread)
{
    int init = s->program->init >= 0 ? (int)s->program->threads.len : -1;
    if (bp_state_top(s, thread) < 0) return false;
    if (init >= 0 && thread != init && s->stack[init].depth) return false;
    int holder = bp_state_atomic_holder(s);
    return holder < 0 || holder == thread;
}

/* ---- expressions ---- */

/* Values before the step (copies), after it (the state itself), and the choices not yet used. */
struct eval {
    const struct bp_program *program;
    const uint8_t *shared, *locals, *shared_after, *locals_after, *bits;
};

static uint8_t read_var(const struct eval *v, int var, bool after)
{
    const struct bp_var *x = &v->program->vars.at[var];
    if (x->proc < 0) return (after ? v->shared_after : v->shared)[x->slot];
    return (after ? v->locals_after : v->locals)[x->slot];
}

/* Every operand is evaluated, so that an expression always takes the same number of bits. */
static bool eval(struct eval *v, int expr)
{
    const struct bp_expr *e = &v->program->exprs.at[expr];
    bool a = e->op >= EXPR_NOT ? eval(v, e->a) : false;
    bool b = e->op >= EXPR_AND ? eval(v, e->b) : false;
    bool c = e->op == EXPR_ITE ? eval(v, e->c) : false;
    switch (e->op) {
    case EXPR_CONST: return e->a;
    case EXPR_VAR: return read_var(v, e->a, false);
    case EXPR_NEXT: return read_var(v, e->a, true);
    case EXPR_STAR: return *v->bits++;
    case EXPR_NOT: return !a;
    case EXPR_AND: return a & b;
    case EXPR_OR: return a | b;
    case EXPR_XOR: return a != b;
    case EXPR_EQ: return a == b;
    case EXPR_IMP: return !a | b;
    case EXPR_ITE: return a ? b : c;
    }
    BUG("expression %d", e->op);
}

static size_t stars(const struct bp_program *p, int expr)
{
    if (expr < 0) return 0;
    const struct bp_expr *e = &p->exprs.at[expr];
    return (e->op == EXPR_STAR) + (e->op >= EXPR_NOT ? stars(p, e->a) : 0) + (e->op >= EXPR_AND ? stars(p, e->b) : 0) +
           (e->op == EXPR_ITE ? stars(p, e->c) : 0);
}

static size_t fresh_locals(const struct bp_proc *f) { return f->locals.len - f->params.len; }

size_t bp_step_bits(const struct bp_program *p, int edge)
{
    const struct bp_edge *e = &p->edges.at[edge];
    size_t n = stars(p, e->guard) + stars(p, e->assertion) + stars(p, e->constrain);
    for (size_t i = 0; i < e->assigns.len; i++) n += stars(p, e->assigns.at[i].value);
    for (size_t i = 0; i < e->args.len && e->kind == EDGE_CALL; i++) n += stars(p, e->args.at[i]);
    for (size_t i = 0; i < e->values.len; i++) n += stars(p, e->values.at[i]);
    if (e->kind == EDGE_CALL) n += fresh_locals(&p->procs.at[e->callee]);
    if (e->spawn >= 0) n += fresh_locals(&p->procs.at[p->threads.at[e->spawn].proc]);
    return n;
}

/* ---- steps ---- */

static void write_var(struct bp_state *s, int thread, int var, uint8_t value)
{
    const struct bp_var *x = &s->program->vars.at[var];
    assert(value <= 1 && (x->proc < 0 || x->slot < s->stride));
    if (x->proc < 0) s->shared[x->slot] = value;
    else top_locals(s, thread)[x->slot] = value;
}

/* A frame with these values of the parameters; the other locals take the bits that follow. */
static void enter_frame(struct bp_state *s, int thread, int proc, const uint8_t *args, const uint8_t *bits)
{
    const struct bp_proc *f = &s->program->procs.at[proc];
    push_frame(s, thread, f->entry);
    uint8_t *locals = top_locals(s, thread);
    bool *given = xcalloc(f->locals.len + 1, sizeof *given);
    for (size_t i = 0; i < f->params.len; i++) {
        int slot = s->program->vars.at[f->params.at[i]].slot;
        assert(slot < (int)f->locals.len && slot < s->stride);
        locals[slot] = args[i];
        given[slot] = true;
    }
    for (size_t i = 0; i < f->locals.len; i++)
        if (!given[i]) locals[i] = *bits++;
    free(given);
}

static void spawn(struct bp_state *s, int thread, const uint8_t *bits)
{
    const struct bp_thread *t = &s->program->threads.at[thread];
    uint8_t *args = xcalloc(t->args.len + 1, 1);
    for (size_t i = 0; i < t->args.len; i++) args[i] = s->shared[s->program->vars.at[t->args.at[i]].slot];
    assert(!s->stack[thread].started);
    s->stack[thread].started = true;
    enter_frame(s, thread, t->proc, args, bits);
    free(args);
}

static void call(struct bp_state *s, int thread, int edge, struct eval *v)
{
    const struct bp_edge *e = &s->program->edges.at[edge];
    uint8_t *args = xcalloc(e->args.len + 1, 1);
    for (size_t i = 0; i < e->args.len; i++) args[i] = eval(v, e->args.at[i]);
    s->stack[thread].calls[s->stack[thread].depth - 1] = edge;
    enter_frame(s, thread, e->callee, args, v->bits);
    free(args);
}

static void return_step(struct bp_state *s, int thread, const struct bp_edge *e, struct eval *v)
{
    struct bp_stack *k = &s->stack[thread];
    uint8_t *values = xcalloc(e->values.len + 1, 1);
    for (size_t i = 0; i < e->values.len; i++) values[i] = eval(v, e->values.at[i]);
    if (--k->depth > 0) {
        assert(k->calls[k->depth - 1] >= 0); /* the frame below waits for this one */
        const struct bp_edge *site = &s->program->edges.at[k->calls[k->depth - 1]];
        assert(site->kind == EDGE_CALL && site->results.len <= e->values.len);
        for (size_t i = 0; i < site->results.len; i++) write_var(s, thread, site->results.at[i], values[i]);
        k->calls[k->depth - 1] = -1;
        k->nodes[k->depth - 1] = site->to;
    }
    free(values);
}

static bool plain_step(struct bp_state *s, int thread, const struct bp_edge *e, struct eval *v)
{
    uint8_t *values = xcalloc(e->assigns.len + 1, 1);
    for (size_t i = 0; i < e->assigns.len; i++) values[i] = eval(v, e->assigns.at[i].value);
    for (size_t i = 0; i < e->assigns.len; i++) write_var(s, thread, e->assigns.at[i].var, values[i]);
    free(values);
    if (e->constrain >= 0 && !eval(v, e->constrain)) return false;
    s->stack[thread].nodes[s->stack[thread].depth - 1] = e->to;
    if (e->spawn >= 0) spawn(s, e->spawn, v->bits);
    return true;
}

/* The state is unspecified after STEP_BLOCKED. */
enum step_outcome bp_state_step(struct bp_state *s, int thread, int edge, const uint8_t *bits)
{
    const struct bp_program *p = s->program;
    assert(thread >= 0 && thread < stack_count(p) && edge >= 0 && edge < (int)p->edges.len);
    const struct bp_edge *e = &p->edges.at[edge];
    if (!bp_state_may_run(s, thread) || e->from != bp_state_top(s, thread)) return STEP_BLOCKED;
    size_t shared = p->shared.len;
    uint8_t *before = xmalloc(shared + (size_t)s->stride + 1);
    memcpy(before, s->shared, shared);
    memcpy(before + shared, top_locals(s, thread), (size_t)s->stride);
    struct eval v = {p, before, before + shared, s->shared, top_locals(s, thread), bits};
    enum step_outcome outcome = STEP_DONE;
    if (e->guard >= 0 && !eval(&v, e->guard)) outcome = STEP_BLOCKED;
    else if (e->assertion >= 0 && !eval(&v, e->assertion)) outcome = STEP_FAILS;
    else if (e->kind == EDGE_CALL) call(s, thread, edge, &v);
    else if (e->kind == EDGE_RETURN) return_step(s, thread, e, &v);
    else if (!plain_step(s, thread, e, &v)) outcome = STEP_BLOCKED;
    free(before);
    return outcome;
}
