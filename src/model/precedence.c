/* Where it matters for other statements whether a send or receive can be executed: beside `else`, and in the escape of
 * an `unless`, which takes precedence over what it guards. Then a step of somebody at the other end can take these
 * statements away, and neither reduction nor merging may treat that step as if nobody noticed it. */
#include "model/internal.h"

static bool list_has(const stmt_list *list, enum stmt_kind kind);

static bool stmt_has(const struct stmt *s, enum stmt_kind kind)
{
    if (s->kind == kind || list_has(&s->body, kind) || list_has(&s->escape, kind)) return true;
    for (size_t i = 0; i < s->options.len; i++)
        if (list_has(&s->options.at[i], kind)) return true;
    return false;
}

static bool list_has(const stmt_list *list, enum stmt_kind kind)
{
    for (size_t i = 0; i < list->len; i++)
        if (stmt_has(list->at[i], kind)) return true;
    return false;
}

static bool is_decided(const struct edge *e)
{
    return e->kind == EDGE_ELSE || e->escape || (e->kind == EDGE_D_STEP && stmt_has(e->stmt, STMT_ELSE));
}

bool precedence_at(const struct control *c)
{
    for (size_t i = 0; i < c->edges.len; i++)
        if (is_decided(&c->edges.at[i])) return true;
    return false;
}

static bool sends_at(const struct control *c)
{
    for (size_t i = 0; i < c->edges.len; i++)
        if (c->edges.at[i].stmt && stmt_has(c->edges.at[i].stmt, STMT_SEND)) return true;
    return false;
}

/* A receiver becomes ready for a rendezvous by whatever brings it to its receive: even a local statement. */
bool precedence_by_handshake(const struct flow *flow, const struct layout *layout)
{
    bool handshakes = false;
    for (size_t i = 0; i < layout->kinds.len; i++) handshakes |= layout->kinds.at[i].capacity == 0;
    for (size_t i = 0; i < flow->automata.len && handshakes; i++) {
        const struct automaton *a = &flow->automata.at[i];
        for (int c = 1; c < a->count; c++)
            if (precedence_at(&a->at[c]) && sends_at(&a->at[c])) return true;
    }
    return false;
}

/* Inside of an atomic sequence a process goes on alone only if a receiver is ready. If none is, other processes see the
 * state in the middle. So a step that makes its process ready to receive, even a local one, hides that state. */
bool sends_rendezvous_in_atomic(const struct flow *flow, const struct layout *layout)
{
    bool handshakes = false;
    for (size_t i = 0; i < layout->kinds.len; i++) handshakes |= layout->kinds.at[i].capacity == 0;
    for (size_t i = 0; i < flow->automata.len && handshakes; i++) {
        const struct automaton *a = &flow->automata.at[i];
        for (int c = 1; c < a->count; c++)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                const struct edge *e = &a->at[c].edges.at[k];
                if (e->keeps_atomic && e->to && sends_at(&a->at[e->to])) return true;
            }
    }
    return false;
}

bool receives_at(const struct control *c)
{
    for (size_t i = 0; i < c->edges.len; i++)
        if (c->edges.at[i].stmt && stmt_has(c->edges.at[i].stmt, STMT_RECEIVE)) return true;
    return false;
}

static bool is_always_possible(const struct edge *e)
{
    if (e->kind == EDGE_SKIP || e->kind == EDGE_ELSE) return true;
    if (e->kind != EDGE_STMT) return false;
    switch (e->stmt->kind) {
    case STMT_ASSIGN:
    case STMT_DECL:
    case STMT_ASSERT:
    case STMT_PRINTF:
    case STMT_PRINTM: return true;
    default: return false;
    }
}

static bool can_block(const struct control *c)
{
    for (size_t k = 0; k < c->edges.len; k++)
        if (is_always_possible(&c->edges.at[k])) return false;
    return true;
}

/* A rendezvous gives the right to go on alone away. */
bool edge_may_rest(const struct automaton *a, const struct edge *e)
{
    return !e->keeps_atomic || can_block(&a->at[e->to]) || (e->stmt && stmt_has(e->stmt, STMT_SEND));
}
