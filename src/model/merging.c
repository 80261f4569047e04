/* Fewer states without losing any error: two static analyses, both off with --exact.
 *
 * Dead variables: a local that will be written before it is read again is cleared, so that states which differ only in
 * it become one. Transient states: where a process can only do things that no other process can see or influence, it
 * does them at once, and the state in between is not stored. A loop of such states keeps one that is stored, and so
 * does a state that somebody looks at (P@label, accept, progress). Neither changes which assertions can fail or where
 * processes can block, nor the fewest preemptions needed: a preemption inside a local stretch can be moved behind it.
 */
#include "model/internal.h"

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

static void list_reads(const stmt_list *list, read_fn *fn, void *ctx);

/* What a statement may read; with everything inside it. */
static void stmt_reads(const struct stmt *s, read_fn *fn, void *ctx)
{
    expr_reads(s->a, fn, ctx);
    expr_reads(s->b, fn, ctx);
    index_reads(&s->ref, fn, ctx);
    for (size_t i = 0; i < s->args.len; i++)
        if (s->kind == STMT_RECEIVE && s->args.at[i]->kind == EXPR_VAR) index_reads(&s->args.at[i]->ref, fn, ctx);
        else expr_reads(s->args.at[i], fn, ctx);
    if (s->kind == STMT_DECL) {
        expr_reads(s->var->init, fn, ctx);
        for (size_t i = 0; i < s->var->array_init.len; i++) expr_reads(s->var->array_init.at[i], fn, ctx);
    }
    bool counts =
        s->kind == STMT_FOR_RANGE || s->kind == STMT_FOR_ARRAY || s->kind == STMT_FOR_CHANNEL || s->kind == STMT_SELECT;
    if (counts && s->ref.parts.len) fn(ctx, s->ref.parts.at[0].var);
    if (s->kind == STMT_FOR_CHANNEL) fn(ctx, s->var);
    for (size_t i = 0; i < s->options.len; i++) list_reads(&s->options.at[i], fn, ctx);
    list_reads(&s->body, fn, ctx);
    list_reads(&s->escape, fn, ctx);
}

static void list_reads(const stmt_list *list, read_fn *fn, void *ctx)
{
    for (size_t i = 0; i < list->len; i++) stmt_reads(list->at[i], fn, ctx);
}

/* ---- dead variables ---- */

struct liveness { u8 *set; };

static void note_read(void *ctx, const struct var *v)
{
    struct liveness *l = ctx;
    if (v->owner && placing_of(v)->live_bit >= 0) l->set[placing_of(v)->live_bit] = 1;
}

static bool is_whole(const struct ref *r)
{
    const struct var *v = r->parts.at[0].var;
    return r->parts.len == 1 && !v->is_array;
}

static void note_write(const struct ref *r, u8 *set)
{
    const struct var *v = r->parts.at[0].var;
    if (is_whole(r) && v->owner && placing_of(v)->live_bit >= 0) set[placing_of(v)->live_bit] = 0;
}

static void kill_written(const struct stmt *s, u8 *set)
{
    if (s->kind == STMT_ASSIGN && !s->blank_target) note_write(&s->ref, set);
    if (s->kind == STMT_DECL && !s->var->is_array && s->var->type.base != TYPE_STRUCT &&
        placing_of(s->var)->live_bit >= 0)
        set[placing_of(s->var)->live_bit] = 0;
    if (s->kind == STMT_RECEIVE)
        for (size_t i = 0; i < s->args.len; i++)
            if (s->args.at[i]->kind == EXPR_VAR) note_write(&s->args.at[i]->ref, set);
}

/* live before the edge = read by it, or live after it and not overwritten by it */
static void live_before(const struct edge *e, const u8 *after, size_t n, u8 *out)
{
    memcpy(out, after, n);
    if (e->kind == EDGE_STMT) kill_written(e->stmt, out);
    if (e->kind == EDGE_STMT || e->kind == EDGE_D_STEP) stmt_reads(e->stmt, note_read, &(struct liveness){out});
}

static bool merge_sets(u8 *into, const u8 *from, size_t n)
{
    bool changed = false;
    for (size_t i = 0; i < n; i++)
        if (from[i] && !into[i]) into[i] = 1, changed = true;
    return changed;
}

static void number_tracked(const struct automaton *a, struct merging *m)
{
    struct proctype *p = a->proctype;
    for (size_t i = 0; i < p->vars.len; i++) {
        struct var *v = p->vars.at[i];
        if (v->remote_read || v->local) continue;
        placing_of(v)->live_bit = (int)m->tracked[p->index].len;
        vec_push(&m->tracked[p->index], v);
    }
    if (!p->provided) return;
    u8 *always = xcalloc(p->vars.len + 1, 1);
    expr_reads(p->provided, note_read, &(struct liveness){always});
    for (size_t i = 0; i < m->tracked[p->index].len; i++)
        if (always[i]) placing_of(m->tracked[p->index].at[i])->live_bit = -1;
    free_null((void **)&always);
}

static void find_dead(const struct automaton *a, struct arena *arena, struct merging *m)
{
    number_tracked(a, m);
    size_t n = m->tracked[a->proctype->index].len;
    u8 **live = arena_alloc(arena, (size_t)a->count * sizeof *live), *scratch = arena_alloc(arena, n + 1);
    u8 *nothing = arena_alloc(arena, n + 1);
    for (int c = 0; c < a->count; c++) live[c] = arena_alloc(arena, n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = a->count - 1; c > 0; c--)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                const struct edge *e = &a->at[c].edges.at[k];
                live_before(e, e->to ? live[e->to] : nothing, n, scratch);
                changed |= merge_sets(live[c], scratch, n);
            }
    }
    for (int c = 0; c < a->count; c++)
        for (size_t i = 0; i < n; i++) {
            bool tracked = placing_of(m->tracked[a->proctype->index].at[i])->live_bit >= 0;
            live[c][i] = tracked && !live[c][i]; /* from here on: dead */
        }
    m->dead[a->proctype->index] = live;
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
static bool is_local_state(const struct control *c)
{
    if (!c->edges.len || c->accept || c->progress) return false;
    for (size_t i = 0; i < c->edges.len; i++) {
        const struct edge *e = &c->edges.at[i];
        bool local = e->kind == EDGE_SKIP || e->kind == EDGE_ELSE || (e->kind == EDGE_STMT && stmt_is_local(e->stmt));
        if (!local || e->keeps_atomic) return false;
    }
    return true;
}

/* A loop of transient states would never be stored and might never end: the state that closes it is kept. Depth first,
 * with a stack of our own, since a proctype can have thousands of states in a row. */
enum { UNSEEN, ON_STACK, LEFT };
struct visit { int state; size_t edge; };

static void break_loops(const struct automaton *a, bool *transient, u8 *mark, int start)
{
    VEC(struct visit) stack = {0};
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

/* Whoever looks at labels must see that a process is there, and that it was at none between two of them, or between
 * two visits of one. Where it goes on to a state without a label, that state shows that it has left. */
static void keep_labels(const struct automaton *a, bool *transient)
{
    bool *watched = xcalloc((size_t)a->count, sizeof *watched);
    bool *comes = xcalloc((size_t)a->count, sizeof *comes), any = false;
    for (size_t i = 0; i < a->proctype->labels.len; i++)
        if (a->proctype->labels.at[i]->remote) watched[flow_label_state(a->proctype->labels.at[i])] = true;
    for (int c = 1; c < a->count; c++)
        if (watched[c]) transient[c] = false, any = true;
    if (any) find_ways_to_labels(a, transient, watched, comes);
    for (int c = 1; c < a->count; c++)
        for (size_t k = 0; watched[c] && k < a->at[c].edges.len; k++) {
            int to = a->at[c].edges.at[k].to;
            if (to && transient[to] && comes[to]) transient[to] = false;
        }
    free(watched);
    free(comes);
}

static void find_transient(const struct automaton *a, struct merging *m)
{
    bool *transient = m->transient[a->proctype->index];
    if (a->proctype->provided) return;
    for (int c = 1; c < a->count; c++) transient[c] = is_local_state(&a->at[c]);
    keep_labels(a, transient);
    u8 *mark = xcalloc((size_t)a->count, 1);
    for (int c = 1; c < a->count; c++)
        if (transient[c] && !mark[c]) break_loops(a, transient, mark, c);
    free_null((void **)&mark);
}

void merging_build(struct program *p, const struct flow *flow, const struct layout *layout, bool enabled,
                   struct arena *arena, struct merging *m)
{
    size_t n = p->proctypes.len;
    m->transient = arena_alloc(arena, n * sizeof *m->transient);
    m->dead = arena_alloc(arena, n * sizeof *m->dead);
    m->tracked = arena_alloc(arena, n * sizeof *m->tracked);
    for (size_t i = 0; i < n; i++)
        m->transient[i] = arena_alloc(arena, (size_t)flow->automata.at[i].count * sizeof **m->transient);
    if (!enabled || p->uses_c_code) return;
    for (size_t i = 0; i < n; i++) find_dead(&flow->automata.at[i], arena, m);
    if (p->uses_enabled || p->uses_pc_value || p->uses_last || precedence_by_handshake(flow, layout)) return;
    for (size_t i = 0; i < n; i++) find_transient(&flow->automata.at[i], m);
}

void merging_release(struct merging *m, size_t proctypes)
{
    for (size_t i = 0; i < proctypes; i++) vec_release(&m->tracked[i]);
}
