/* Elements -> control states and edges.
 *
 * A selection is a state whose edges are the first statements of its options, found recursively; an atomic sequence or
 * a block is a state whose edges are those of its first statement. What a goto, a break or the join behind a selection
 * leads to is found by passing through them, but not out of an atomic sequence: leaving it takes a step. */
#include "promela/flow_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* While edges are made: a state is either a choice between other states, or has one edge of its own. */
struct place {
    bool is_choice, has_edge;
    VEC(int) options;          /* states of the first statements */
    struct edge edge;
    VEC(int) escapes;          /* states that the edge can be left for; outermost first */
    struct element *element;
};

struct maker {
    struct builder *b;
    struct proctype *proctype;
    struct automaton *out;
    struct place *places;      /* by seqno */
};

static struct element *goto_target(const struct element *e)
{
    if (e->exit) return e->exit->to;
    return e->stmt->label ? e->stmt->label->backend : NULL;
}

static void complain(struct maker *m, const struct element *e, const char *what)
{
    diag_error(m->b->diags, e->pos, "%s", what);
}

/* Where control really is when it arrives at e. More hops than there are elements: it goes round in circles. */
static struct element *pass_through(struct maker *m, struct element *e, unsigned status)
{
    for (size_t hops = 0; hops <= m->b->elements.len; hops++) {
        struct element *g;
        switch (e->kind) {
        case ELEMENT_GOTO: g = goto_target(e); break;
        case ELEMENT_JOIN:
        case ELEMENT_BREAK: g = e->next; break;
        case ELEMENT_UNLESS: g = pass_through(m, e->subs.at[0]->first, status); break;
        default: return e;
        }
        if (!g) return e;
        if (g == e) break;
        if ((status & IN_ATOMIC) && !(g->status & IN_ATOMIC)) return e;
        e = g;
    }
    complain(m, e, "this goto leads nowhere: it comes back to itself without a statement in between");
    return e;
}

/* The first statement of an option; a goto there is a step of its own. */
static struct element *first_statement(struct element *e)
{
    for (;;) {
        if (e->kind == ELEMENT_JOIN && e->next) e = e->next;
        else if (e->kind == ELEMENT_UNLESS) e = e->subs.at[0]->first;
        else return e;
    }
}

static void add_sequence(struct maker *m, struct sequence *q);

static void add_escapes(struct maker *m, struct element *e, struct place *p)
{
    if (e->kind == ELEMENT_JOIN) return;
    for (size_t i = e->escapes.len; i-- > 0;)
        vec_push(&p->escapes, pass_through(m, e->escapes.at[i]->first, e->status)->seqno);
    for (size_t i = e->escapes.len; i-- > 0;) add_sequence(m, e->escapes.at[i]);
}

static const char *element_text(struct maker *m, const struct element *e)
{
    struct str s = {0};
    switch (e->kind) {
    case ELEMENT_STMT:
    case ELEMENT_D_STEP: promela_print_stmt(e->stmt, &s); break;
    case ELEMENT_GOTO:
        if (e->exit) str_add(&s, "break");
        else str_printf(&s, "goto %s", e->stmt->label->name);
        break;
    case ELEMENT_ELSE: str_add(&s, "else"); break;
    case ELEMENT_IF: str_add(&s, "if"); break;
    case ELEMENT_DO: str_add(&s, "do"); break;
    case ELEMENT_UNLESS: str_add(&s, "unless"); break;
    case ELEMENT_ATOMIC: str_add(&s, "atomic"); break;
    case ELEMENT_BLOCK: str_add(&s, "sub-sequence"); break;
    case ELEMENT_JOIN: str_add(&s, ".(goto)"); break;
    case ELEMENT_BREAK: str_add(&s, "break"); break;
    case ELEMENT_END: str_add(&s, "-end-"); break;
    }
    const char *text = arena_strdup(&m->b->program->arena, str_get(&s));
    str_release(&s);
    return text;
}

static bool is_skip(const struct element *e)
{
    return e->kind == ELEMENT_STMT && e->stmt->kind == STMT_EXPR && e->stmt->a->kind == EXPR_CONST &&
           e->stmt->a->value == 1;
}

static enum edge_kind edge_kind_of(const struct element *e)
{
    switch (e->kind) {
    case ELEMENT_ELSE: return EDGE_ELSE;
    case ELEMENT_D_STEP: return EDGE_D_STEP;
    case ELEMENT_END: return EDGE_END;
    case ELEMENT_STMT: return is_skip(e) ? EDGE_SKIP : EDGE_STMT;
    default: return EDGE_SKIP;
    }
}

static void add_edge(struct maker *m, struct element *e)
{
    struct place *p = &m->places[e->seqno];
    assert(!p->has_edge && !p->is_choice); /* a place is one or the other, once */
    struct element *to = e->kind == ELEMENT_GOTO ? goto_target(e) : e->next;
    if (to) to = pass_through(m, to, e->status);
    p->has_edge = true;
    p->edge = (struct edge){.kind = edge_kind_of(e), .stmt = e->stmt, .pos = e->pos, .spin_id = e->spin_id,
                            .from = e->seqno, .to = to ? to->seqno : 0, .keeps_atomic = e->status & IN_ATOMIC,
                            .text = element_text(m, e)};
    add_escapes(m, e, p);
}

/* A jump that leaves an atomic sequence ends it; one into another continues it. */
static void patch_jumps(struct sequence *q)
{
    for (struct element *f = q->first; f; f = f->next) {
        if (f->kind == ELEMENT_GOTO) {
            struct element *g = goto_target(f);
            bool inside = g && (g->status & (IN_ATOMIC | LAST_OF_ATOMIC));
            if ((f->status & (IN_ATOMIC | LAST_OF_ATOMIC)) && !inside)
                f->status = (f->status & ~(unsigned)IN_ATOMIC) | LAST_OF_ATOMIC;
            if ((f->status & LAST_OF_ATOMIC) && inside)
                f->status = (f->status & ~(unsigned)LAST_OF_ATOMIC) | IN_ATOMIC;
        } else if (f->kind == ELEMENT_IF || f->kind == ELEMENT_DO || f->kind == ELEMENT_UNLESS) {
            for (size_t i = 0; i < f->subs.len; i++) patch_jumps(f->subs.at[i]);
        }
        if (f == q->extent) break;
    }
}

static void add_group(struct maker *m, struct element *e)
{
    struct sequence *q = e->subs.at[0];
    assert(e->subs.len == 1);
    patch_jumps(q);
    q->last->next = e->next;
    if (e->kind == ELEMENT_D_STEP) {
        add_edge(m, e);
        return;
    }
    struct place *p = &m->places[e->seqno];
    p->is_choice = true;
    vec_push(&p->options, first_statement(q->first)->seqno);
    add_sequence(m, q);
}

static bool is_never_true(const struct element *e)
{
    return e->kind == ELEMENT_STMT && e->stmt->kind == STMT_EXPR && e->stmt->a->kind == EXPR_CONST &&
           e->stmt->a->value == 0 && !e->escapes.len;
}

static void add_choice(struct maker *m, struct element *e)
{
    struct place *p = &m->places[e->seqno];
    p->is_choice = true;
    for (size_t i = 0; i < e->subs.len; i++) {
        struct element *g = first_statement(e->subs.at[i]->first);
        if (!is_never_true(g)) vec_push(&p->options, g->seqno);
    }
    for (size_t i = 0; i < e->subs.len; i++) add_sequence(m, e->subs.at[i]);
}

static void add_element(struct maker *m, struct element *e)
{
    switch (e->kind) {
    case ELEMENT_UNLESS: add_sequence(m, e->subs.at[0]); break;
    case ELEMENT_IF:
    case ELEMENT_DO: add_choice(m, e); break;
    case ELEMENT_ATOMIC:
    case ELEMENT_BLOCK:
    case ELEMENT_D_STEP: add_group(m, e); break;
    default: add_edge(m, e); break;
    }
}

static void add_sequence(struct maker *m, struct sequence *q)
{
    for (struct element *e = q->first; e; e = e->next) {
        if (!e->done) {
            e->done = true;
            assert(e->seqno > 0 && e->seqno < m->out->count && !m->places[e->seqno].element);
            m->places[e->seqno].element = e;
            add_element(m, e);
        }
        if (e == q->last) break;
    }
}

static void inherit_labels(struct control *to, const struct control *from)
{
    to->end |= from->end;
    to->accept |= from->accept;
    to->progress |= from->progress;
}

/* The states of the statements that a choice can begin with, choices inside choices opened up. */
static void open_choice(struct maker *m, int state, int depth, struct control *c)
{
    struct place *p = &m->places[state];
    assert(depth < m->out->count);
    for (size_t i = 0; i < p->options.len; i++) {
        int v = p->options.at[i];
        struct place *q = &m->places[v];
        if (q->is_choice) {
            for (size_t k = 0; k < q->options.len; k++)
                inherit_labels(&m->out->at[q->options.at[k]], &m->out->at[v]);
            open_choice(m, v, depth + 1, c);
        } else if (q->has_edge) {
            vec_push(&c->edges, q->edge);
            if (q->edge.to) inherit_labels(&m->out->at[q->edge.to], &m->out->at[v]);
        }
    }
}

static bool has_edge_id(const struct control *c, int spin_id)
{
    for (size_t i = 0; i < c->edges.len; i++)
        if (c->edges.at[i].spin_id == spin_id) return true;
    return false;
}

/* Edges of escapes stand in front of the others: the first escape that can move excludes all that follows. */
static void prepend_escapes(struct maker *m, int state)
{
    struct control *c = &m->out->at[state];
    size_t own = c->edges.len;
    for (size_t i = 0; i < own; i++) {
        struct place *p = &m->places[c->edges.at[c->edges.len - own + i].from];
        for (size_t k = p->escapes.len; k-- > 0;) {
            struct control *from = &m->out->at[p->escapes.at[k]];
            for (size_t j = 0; j < from->edges.len; j++) {
                struct edge copy = from->edges.at[j];
                if (has_edge_id(c, copy.spin_id)) continue;
                copy.escape = p->escapes.at[k];
                vec_push(&c->edges, copy);
                memmove(&c->edges.at[1], &c->edges.at[0], (c->edges.len - 1) * sizeof copy);
                c->edges.at[0] = copy;
            }
        }
    }
}

static void check_state(struct maker *m, int state)
{
    struct control *c = &m->out->at[state];
    int elses = 0;
    for (size_t i = 0; i < c->edges.len; i++) {
        struct edge *e = &c->edges.at[i];
        elses += e->kind == EDGE_ELSE;
        if (e->kind == EDGE_SKIP && e->to == state && m->places[e->from].element->kind == ELEMENT_STMT &&
            m->proctype->kind == PROC_PROCTYPE)
            diag_error(m->b->diags, e->pos, "this statement loops back to itself unconditionally");
    }
    if (elses > 1) diag_error(m->b->diags, c->pos, "this selection has more than one 'else' to choose from");
}

static bool must_be_reached(const struct element *e)
{
    switch (e->kind) {
    case ELEMENT_STMT: return !is_skip(e);
    case ELEMENT_D_STEP:
    case ELEMENT_IF:
    case ELEMENT_DO:
    case ELEMENT_END: return true;
    default: return false;
    }
}

static void set_labels(struct control *c, const struct element *e)
{
    for (size_t i = 0; i < e->labels.len; i++) {
        const char *name = e->labels.at[i]->name;
        c->end |= !strncmp(name, "end", 3);
        c->accept |= !strncmp(name, "accept", 6);
        c->progress |= !strncmp(name, "progress", 8);
    }
}

static void name_states(struct maker *m)
{
    for (int i = 1; i < m->out->count; i++) {
        struct element *e = m->places[i].element;
        if (!e) continue;
        struct control *c = &m->out->at[i];
        c->pos = e->pos;
        c->text = element_text(m, e);
        c->needs_reaching = must_be_reached(e);
        c->inside_atomic = e->status & (IN_ATOMIC | LAST_OF_ATOMIC);
        set_labels(c, e);
    }
}

static void number_edges(struct maker *m)
{
    for (int i = 1; i < m->out->count; i++)
        for (size_t k = 0; k < m->out->at[i].edges.len; k++) m->out->at[i].edges.at[k].id = m->b->edge_count++;
}

/* An end label on a join marks the state behind it. */
static void pass_end_labels(struct maker *m)
{
    for (int i = 1; i < m->out->count; i++) {
        struct place *p = &m->places[i];
        if (p->element && p->element->kind == ELEMENT_JOIN && m->out->at[i].end && p->edge.to)
            m->out->at[p->edge.to].end = true;
    }
}

static void fill_edges(struct maker *m)
{
    for (int i = 1; i < m->out->count; i++)
        if (m->places[i].is_choice) open_choice(m, i, 0, &m->out->at[i]);
        else if (m->places[i].has_edge) vec_push(&m->out->at[i].edges, m->places[i].edge);
    for (int i = 1; i < m->out->count; i++) prepend_escapes(m, i);
    pass_end_labels(m);
    for (int i = 1; i < m->out->count; i++) check_state(m, i);
    number_edges(m);
}

void flow_build_edges(struct builder *b, struct proctype *p, struct sequence *body, struct automaton *out)
{
    struct maker m = {.b = b, .proctype = p, .out = out};
    out->count = b->counts[p->index];
    out->at = arena_alloc(&b->program->arena, (size_t)out->count * sizeof *out->at);
    assert(body->last->kind == ELEMENT_END && b->counts[p->index] > 0);
    out->final = body->last->seqno;
    m.places = xcalloc((size_t)out->count, sizeof *m.places);
    add_sequence(&m, body);
    out->initial = pass_through(&m, body->first, body->first->status)->seqno;
    name_states(&m);
    out->at[out->final].end = true;
    fill_edges(&m);
    for (int i = 0; i < out->count; i++) {
        vec_release(&m.places[i].options);
        vec_release(&m.places[i].escapes);
    }
    free(m.places);
}

void flow_element_release(struct element *e)
{
    vec_release(&e->subs);
    vec_release(&e->escapes);
    vec_release(&e->labels);
}

void flow_release(struct flow *flow)
{
    for (size_t i = 0; i < flow->automata.len; i++)
        for (int k = 0; k < flow->automata.at[i].count; k++) vec_release(&flow->automata.at[i].at[k].edges);
    vec_release(&flow->automata);
}

void flow_print(const struct flow *flow, FILE *out)
{
    for (size_t i = 0; i < flow->automata.len; i++) {
        const struct automaton *a = &flow->automata.at[i];
        fprintf(out, "%s starts %d ends %d\n", a->proctype->name, a->initial, a->final);
        for (int s = 1; s < a->count; s++)
            for (size_t k = 0; k < a->at[s].edges.len; k++) {
                const struct edge *e = &a->at[s].edges.at[k];
                fprintf(out, "  %d -> %d  [%d%s%s] line %d  %s\n", s, e->to, e->spin_id,
                        e->keeps_atomic ? " atomic" : "", e->escape ? " escape" : "", e->pos.line, e->text);
            }
    }
}
