/* Where a process can do nothing that concerns any other process: a static analysis, by control state.
 *
 * All edges of the control state must be local statements (their guards are then changed by nobody else, so a disabled
 * one stays disabled), must leave and enter no label that somebody looks at, and must not begin an atomic sequence.
 * A step goes on through transient states, whose statements are local by definition; what counts is where it stops. */
#include "model/driver.h"

static bool whole_program_allows(const struct program *p)
{
    return !p->uses_priority && !p->uses_provided && !p->uses_enabled && !p->uses_pc_value && !p->uses_last && !p->uses_c_code;
}

static bool is_watched(const struct automaton *a, int state)
{
    if (a->at[state].accept || a->at[state].progress) return true;
    for (size_t i = 0; i < a->proctype->labels.len; i++)
        if (a->proctype->labels.at[i]->remote && flow_label_state(a->proctype->labels.at[i]) == state) return true;
    return false;
}

/* Every place where a step to `state` can stop. Transient states form no loops. */
static bool stops_unwatched(const struct automaton *a, const bool *transient, int state)
{
    if (!state || is_watched(a, state)) return false;
    for (size_t k = 0; transient[state] && k < a->at[state].edges.len; k++)
        if (!stops_unwatched(a, transient, a->at[state].edges.at[k].to)) return false;
    return true;
}

static bool is_independent(const struct automaton *a, const bool *transient, int state)
{
    const struct control *c = &a->at[state];
    if (!c->edges.len || c->inside_atomic || is_watched(a, state)) return false;
    for (size_t k = 0; k < c->edges.len; k++) {
        const struct edge *e = &c->edges.at[k];
        bool local = e->kind == EDGE_SKIP || e->kind == EDGE_ELSE || (e->kind == EDGE_STMT && stmt_is_local(e->stmt));
        if (!local || e->keeps_atomic || !stops_unwatched(a, transient, e->to)) return false;
    }
    return true;
}

void independence_build(struct promela_model *m)
{
    m->independent = arena_alloc(&m->arena, m->flow.automata.len * sizeof *m->independent);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        m->independent[i] = arena_alloc(&m->arena, (size_t)a->count * sizeof **m->independent);
        for (int s = 1; s < a->count && whole_program_allows(m->program); s++)
            m->independent[i][s] = is_independent(a, m->merging.transient[i], s);
    }
}

bool state_independent(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = (struct promela_model *)base;
    const struct shape *h = state_shape(m, state);
    return m->independent[h->process_type[pid]][state_pc(m, h, state, pid)];
}
