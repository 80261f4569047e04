/* Fewer states without losing any error: two static analyses, both off with --exact.
 *
 * Dead values are cleared (liveness.c). Transient states: where a process can only do things that no other process can
 * see or influence, it does them at once, and the state in between is not stored. A loop of such states keeps one that
 * is stored, and so does a state that somebody looks at (P@label, accept, progress). Neither changes which assertions
 * can fail or where processes can block, nor the fewest preemptions needed: a preemption inside a local stretch can be
 * moved behind it.
 */
#include "model/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef void read_fn(void *ctx, const struct var *v);

static void expr_reads(const struct expr *e, read_fn *fn, void *ctx);

static void index_reads(const struct ref *r, read_fn *fn, void *ctx)
{
    for (size_t i = 0; i < r->parts.len; i++) expr_reads(r->parts.at[i].index, fn, ctx);
}

static void expr_reads(const struct expr *e, read_fn *fn, void *ctx)
{
    if (!e) return;
    if (e->kind == EXPR_VAR) fn(ctx, e->ref.parts.at[0].var);
    index_reads(&e->ref, fn, ctx);
    expr_reads(e->a, fn, ctx);
    expr_reads(e->b, fn, ctx);
    expr_reads(e->c, fn, ctx);
    for (size_t i = 0; i < e->args.len; i++) expr_reads(e->args.at[i], fn, ctx);
}

/* ---- transient states ---- */

static void note_global(void *ctx, const struct var *v)
{
    if (!v->owner || v->remote_read) *(bool *)ctx = false;
}

static bool expr_is_local(const struct expr *e)
{
    static const enum expr_kind seen_by_others[] = {
        EXPR_RUN, EXPR_LEN, EXPR_FULL, EXPR_EMPTY, EXPR_NFULL, EXPR_NEMPTY, EXPR_POLL, EXPR_ENABLED, EXPR_PC_VALUE,
        EXPR_GET_PRIORITY, EXPR_TIMEOUT, EXPR_NONPROGRESS, EXPR_LAST, EXPR_NR_PR, EXPR_PRIORITY, EXPR_REMOTE_LABEL,
        EXPR_REMOTE_VAR, EXPR_C_CODE};
    bool local = true;
    for (size_t i = 0; i < ARRAY_LEN(seen_by_others); i++)
        if (expr_contains(e, seen_by_others[i])) return false;
    expr_reads(e, note_global, &local);
    return local;
}

static bool ref_is_local(const struct ref *r)
{
    bool local = true;
    note_global(&local, r->parts.at[0].var);
    for (size_t i = 0; i < r->parts.len; i++)
        if (r->parts.at[i].index && !expr_is_local(r->parts.at[i].index)) return false;
    return local;
}

/* What is printed may be global, as long as looking at it cannot fail: printing changes no state. */
static bool prints_safely(const struct stmt *s)
{
    for (size_t i = 0; i < s->args.len; i++) {
        const struct expr *e = s->args.at[i];
        bool plain = e->kind == EXPR_PRIORITY || e->kind == EXPR_GET_PRIORITY || e->kind == EXPR_NR_PR ||
                     (e->kind == EXPR_VAR && e->ref.parts.len == 1 && !e->ref.parts.at[0].index);
        if (!plain && !expr_is_local(e)) return false;
    }
    return true;
}

static bool stmt_is_local(const struct stmt *s)
{
    switch (s->kind) {
    case STMT_EXPR:
    case STMT_PRINTM:
    case STMT_ASSERT: return expr_is_local(s->a);
    case STMT_ASSIGN: return expr_is_local(s->a) && (s->blank_target || ref_is_local(&s->ref));
    case STMT_DECL: return !s->var->remote_read && (!s->var->init || expr_is_local(s->var->init));
    case STMT_PRINTF: return prints_safely(s);
    default: return false;
    }
}

/* A local statement that begins an atomic sequence is no local step: what follows it in the sequence is part of the
 * step too, and others must be able to move before that. */
static bool is_local_edge(const struct edge *e)
{
    bool local = e->kind == EDGE_SKIP || e->kind == EDGE_ELSE || (e->kind == EDGE_STMT && stmt_is_local(e->stmt));
    return local && !e->keeps_atomic;
}

static bool is_local_state(const struct control *c)
{
    if (!c->edges.len || c->accept || c->progress) return false;
    for (size_t i = 0; i < c->edges.len; i++)
        if (!is_local_edge(&c->edges.at[i])) return false;
    return true;
}

/* A loop of transient states would never be stored and might never end: the state that closes it is kept. Depth first,
 * with a stack of our own, since a proctype can have thousands of states in a row. */
enum { UNSEEN, ON_STACK, LEFT };
struct visit { int state; size_t edge; };

static void break_loops(const struct automaton *a, bool *transient, u8 *mark, int start)
{
    VEC(struct visit) stack = {0};
    assert(mark[start] == UNSEEN && transient[start]);
    vec_push(&stack, ((struct visit){start, 0}));
    mark[start] = ON_STACK;
    while (stack.len) {
        struct visit *v = &vec_last(&stack);
        if (v->edge == a->at[v->state].edges.len) {
            mark[v->state] = LEFT;
            stack.len--;
            continue;
        }
        int to = a->at[v->state].edges.at[v->edge++].to;
        if (!to || !transient[to]) continue;
        if (mark[to] == ON_STACK) transient[to] = false;
        if (mark[to] != UNSEEN) continue;
        mark[to] = ON_STACK;
        vec_push(&stack, ((struct visit){to, 0}));
    }
    vec_release(&stack);
}

/* From which states the process can come to a watched state by local steps alone. */
static void find_ways_to_labels(const struct automaton *a, const bool *transient, const bool *watched, bool *comes)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = a->count - 1; c > 0; c--)
            for (size_t k = 0; k < a->at[c].edges.len && !comes[c]; k++) {
                int to = a->at[c].edges.at[k].to;
                comes[c] = to && (watched[to] || (transient[to] && comes[to]));
                changed |= comes[c];
            }
    }
}

/* Whoever looks at labels must see that a process is there, and that it is not there yet: after a step that others can
 * see, or after it was at another label. Between such a step and the label the state that comes first is kept. Where
 * the process goes on to a state without a label, that state shows that it has left. */
static void keep_labels(const struct automaton *a, bool *transient)
{
    bool *watched = xcalloc((size_t)a->count, sizeof *watched);
    bool *comes = xcalloc((size_t)a->count, sizeof *comes), any = false;
    for (size_t i = 0; i < a->proctype->labels.len; i++)
        if (a->proctype->labels.at[i]->remote) watched[flow_label_state(a->proctype->labels.at[i])] = true;
    for (int c = 1; c < a->count; c++) watched[c] |= a->at[c].progress; /* who stays where there is none makes none */
    for (int c = 1; c < a->count; c++)
        if (watched[c]) transient[c] = false, any = true;
    if (any) find_ways_to_labels(a, transient, watched, comes);
    for (int c = 1; any && c < a->count; c++)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            bool seen = watched[c] || !is_local_edge(e);
            if (seen && e->to && transient[e->to] && comes[e->to]) transient[e->to] = false;
        }
    free(watched);
    free(comes);
}

/* A step that makes the process ready to receive is its own: where a rendezvous is sent inside of an atomic sequence,
 * other processes see whether it was done. */
static bool leads_to_receive(const struct automaton *a, const struct control *c)
{
    for (size_t k = 0; k < c->edges.len; k++)
        if (c->edges.at[k].to && receives_at(&a->at[c->edges.at[k].to])) return true;
    return false;
}

static void find_transient(const struct automaton *a, bool awaited, struct merging *m)
{
    bool *transient = m->transient[a->proctype->index];
    if (a->proctype->provided) return;
    for (int c = 1; c < a->count; c++)
        transient[c] = is_local_state(&a->at[c]) && !(awaited && leads_to_receive(a, &a->at[c]));
    keep_labels(a, transient);
    u8 *mark = xcalloc((size_t)a->count, 1);
    for (int c = 1; c < a->count; c++)
        if (transient[c] && !mark[c]) break_loops(a, transient, mark, c);
    free_null((void **)&mark);
}

void merging_build(struct promela_model *built, struct program *p, const struct flow *flow,
                   const struct layout *layout, unsigned without, struct arena *arena, struct merging *m)
{
    size_t n = p->proctypes.len;
    assert(flow->automata.len == n && !m->transient);
    m->transient = arena_alloc(arena, n * sizeof *m->transient);
    for (size_t i = 0; i < n; i++)
        m->transient[i] = arena_alloc(arena, (size_t)flow->automata.at[i].count * sizeof **m->transient);
    if (p->uses_c_code) return;
    if (!(without & ANALYSIS_DEAD)) liveness_build(built, p, flow, layout, without, arena, &m->liveness);
    if (without & ANALYSIS_MERGING) return;
    if (p->uses_enabled || p->uses_pc_value || p->uses_last || precedence_by_handshake(flow, layout)) return;
    bool awaited = sends_rendezvous_in_atomic(flow, layout);
    for (size_t i = 0; i < n && !model_is_over(built); i++) find_transient(&flow->automata.at[i], awaited, m);
}
