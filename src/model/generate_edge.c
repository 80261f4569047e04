/* One edge of an automaton as C: the statement, then the new control state, then handing the state over. */
#include "model/internal.h"

#include <stdlib.h>

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

static bool has_tracking(const struct generator *g)
{
    for (size_t i = 0; i < g->program->c_units.len; i++)
        if (g->program->c_units.at[i].kind == C_UNIT_TRACK) return true;
    return false;
}

/* Runs of bytes that are marked in `bytes`; the whole of a number by its name, which is what compilers like. */
static void put_clear(struct generator *g, const char *base, const struct var *v, const u8 *bytes)
{
    const struct placing *p = placing_of(v);
    bool plain = !v->is_array && v->type.base != TYPE_STRUCT;
    for (u32 i = 0, run; i < p->size; i += run + 1) {
        for (run = 0; i + run < p->size && bytes[p->offset + i + run]; run++) {}
        if (run == p->size && plain) str_printf(&g->out, "%s->%s = 0; ", base, p->c_name);
        else if (run == p->size) str_printf(&g->out, "memset(&%s->%s, 0, %u); ", base, p->c_name, run);
        else if (run) str_printf(&g->out, "memset((u8 *)&%s->%s + %u, 0, %u); ", base, p->c_name, i, run);
    }
}

void generate_clear_local(struct generator *g, const struct var *v, const u8 *bytes) { put_clear(g, "pn", v, bytes); }
void generate_clear_global(struct generator *g, const struct var *v, const u8 *bytes) { put_clear(g, "gn", v, bytes); }

/* What nobody reads again is cleared, so that states that differ only in it are one state. What was dead before the
 * edge is clear already, unless the edge writes it. */
static void put_dead(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    const struct proctype *p = a->proctype;
    const struct liveness *l = &g->merging->liveness;
    if (!l->live || !l->live[p->index]) return;
    u32 frame = g->layout->frames[p->index].size, globals = l->shared ? g->layout->globals_size : 0;
    const u8 *before = l->live[p->index][state], *after = l->live[p->index][e->to];
    u8 *clear = xcalloc(frame + globals + 1, 1);
    liveness_written(g->layout, a, e, clear, l->shared ? clear + frame : NULL);
    for (u32 i = 0; i < frame + globals; i++) clear[i] = !after[i] && (before[i] || clear[i]);
    for (u32 i = 0; i < globals; i++) clear[frame + i] &= !l->shared[i];
    for (size_t i = 0; i < p->vars.len; i++) generate_clear_local(g, p->vars.at[i], clear);
    for (size_t i = 0; globals && i < g->program->globals.len; i++)
        generate_clear_global(g, g->program->globals.at[i], clear + frame);
    free(clear);
}

/* pc, dead variables, _last, tracked memory. */
static void put_arrival(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    if (e->kind != EDGE_END) str_printf(&g->out, "pn->_p = %d; ", e->to);
    if (e->kind != EDGE_END) put_dead(g, a, e, state);
    if (g->program->uses_last) put(g, "gn->_last = (u8)pid; ");
    if (has_tracking(g)) put(g, "track_save(n); ");
}

static int chains(struct generator *g, const struct automaton *a, const struct edge *e)
{
    return e->keeps_atomic || (e->to && g->merging->transient[a->proctype->index][e->to]);
}

static void put_emit(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    put_arrival(g, a, e, state);
    str_printf(&g->out, "r->host->emit(r, pid, %d, %d); moved = 1; ", e->id, chains(g, a, e));
}

static bool has_escapes(const struct control *c)
{
    for (size_t i = 0; i < c->edges.len; i++)
        if (c->edges.at[i].escape) return true;
    return false;
}

static void put_edge_head(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    str_printf(&g->out, "        do { /* %d */ ", e->id);
    if (has_escapes(&a->at[state])) str_printf(&g->out, "if (escape && escape != %d) return; ", e->escape);
}

static void put_edge_tail(struct generator *g, const struct edge *e)
{
    if (e->escape) str_printf(&g->out, "escape = %d; ", e->escape);
    put(g, "} while (0);\n");
    /* What failed while it was found out that the edge is blocked is an error of this edge, not of the next one. */
    if (g->edge_may_fail)
        str_printf(&g->out, "        if (r->fatal) { r->host->fault(r, pid, %d); moved = 1; }\n", e->id);
}

/* C to be put where a rendezvous is offered; the channel's number and g->taken follow. */
static const char *offer_text(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    struct str before = g->out;
    g->out = (struct str){0};
    put_arrival(g, a, e, state);
    str_printf(&g->out, "if (r->host->offer(r, pid, %d, ", e->id);
    const char *text = arena_strdup(&g->program->arena, str_get(&g->out));
    str_release(&g->out);
    g->out = before;
    return text;
}

static void put_d_step(struct generator *g, const struct edge *e)
{
    const struct stmt *first = first_basic(e->stmt);
    if (first && first->kind == STMT_EXPR && !expr_contains(first->a, EXPR_RUN)) {
        generate_effect(g, first, "break"); /* a cheap look before the state is copied */
        generate_d_step(g, e->stmt, "break", true);
        return;
    }
    put(g, g->begin);
    generate_d_step(g, e->stmt, "break", false);
}

static void put_body(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    switch (e->kind) {
    case EDGE_SKIP: put(g, g->begin); break;
    case EDGE_ELSE: str_printf(&g->out, "if (moved) break; %s", g->begin); break;
    case EDGE_END:
        str_printf(&g->out, "if (pid != (int)Hs->process_count - 1) break; %sr->host->die(r, n, pid); ", g->begin);
        if (g->program->uses_c_code) put(g, "gn->_nr_pr = (u8)Hn->process_count; ");
        break;
    case EDGE_D_STEP: put_d_step(g, e); break;
    case EDGE_STMT:
        g->offer = offer_text(g, a, e, state);
        g->taken = e->escape ? arena_printf(&g->program->arena, ")) moved = 1, escape = %d; break; ", e->escape)
                             : ")) moved = 1; break; ";
        generate_effect(g, e->stmt, "break");
        g->offer = NULL;
        break;
    }
}

static void prepare_generator(struct generator *g, const struct edge *e)
{
    g->state = 's';
    g->may_fail = g->edge_may_fail = false;
    g->begin = has_tracking(g) ? "n = hd_begin(r, s); gn = (struct State *)n; pn = (void *)(n + off); track_load(s); "
                               : "n = hd_begin(r, s); gn = (struct State *)n; pn = (void *)(n + off); ";
    g->failed = arena_printf(&g->program->arena, "r->host->fault(r, pid, %d); moved = 1; break;", e->id);
}

void generate_edge(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    prepare_generator(g, e);
    put_edge_head(g, a, e, state);
    if (has_tracking(g)) put(g, "track_load(s); ");
    put_body(g, a, e, state);
    put_emit(g, a, e, state);
    put_edge_tail(g, e);
}

/* An edge that can take the message of a rendezvous: a receive, or a d_step that begins with one. */
void generate_offered_edge(struct generator *g, const struct automaton *a, const struct edge *e, int state)
{
    const struct stmt *first = e->kind == EDGE_STMT || e->kind == EDGE_D_STEP ? first_basic(e->stmt) : NULL;
    u32 at;
    int kind;
    if (!first || first->kind != STMT_RECEIVE || first->peek) return;
    if (channel_constant(first->a, g->layout, &at, &kind) && g->layout->kinds.at[kind].capacity) return;
    prepare_generator(g, e);
    put_edge_head(g, a, e, state);
    if (has_tracking(g)) put(g, "track_load(s); ");
    generate_taken_message(g, first, "break");
    if (e->kind == EDGE_D_STEP) generate_d_step(g, e->stmt, "break", true);
    put_emit(g, a, e, state);
    put_edge_tail(g, e);
}
