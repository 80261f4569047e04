/* Never claims and special labels, as searches for cycles see them. */
#include "model/driver_int.h"

#include <assert.h>

void claims_list(struct promela_model *m)
{
    m->claims = arena_alloc(&m->arena, (m->flow.automata.len + 1) * sizeof *m->claims);
    for (size_t i = 0; i < m->flow.automata.len; i++)
        if (m->flow.automata.at[i].proctype->kind == PROC_NEVER) m->claims[m->claim_count++] = &m->flow.automata.at[i];
    assert((size_t)m->claim_count <= m->flow.automata.len);
}

static const struct automaton *claim_at(struct model *base, int claim)
{
    struct promela_model *m = model_of(base);
    assert(claim >= 0 && claim < m->claim_count);
    return m->claims[claim];
}

int claim_count(struct model *base) { return model_of(base)->claim_count; }
const char *claim_name(struct model *base, int claim) { return claim_at(base, claim)->proctype->name; }
int claim_initial(struct model *base, int claim) { return claim_at(base, claim)->initial; }
int claim_states(struct model *base, int claim) { return claim_at(base, claim)->count; }

int claim_width(struct model *base, int claim)
{
    const struct automaton *a = claim_at(base, claim);
    size_t width = 1;
    for (int c = 1; c < a->count; c++) width = MAX(width, a->at[c].edges.len);
    return (int)width;
}

bool claim_accepts(struct model *base, int claim, int control) { return claim_at(base, claim)->at[control].accept; }
bool claim_at_end(struct model *base, int claim, int control) { return claim_at(base, claim)->final == control; }

int claim_step(struct model *base, int claim, int control, const uint8_t *state, bool timeout, int *to,
               const char **fault)
{
    struct promela_model *m = model_of(base);
    struct stepper *s = (struct stepper *)base;
    struct stepping *r = &s->run;
    assert_costly(control >= 1 && control < claim_at(base, claim)->count);
    r->shape = state_shape(m, state);
    r->timeout = timeout;
    r->problem = NULL;
    r->fatal = 0;
    int n = s->code->claim[claim_at(base, claim)->proctype->index](r, state, control, to);
    assert_costly(n >= 0 && n <= claim_width(base, claim)); /* the caller has room for no more */
    for (int i = 0; i < n; i++) assert_costly(to[i] >= 1 && to[i] < claim_at(base, claim)->count);
    *fault = r->problem;
    r->problem = NULL;
    r->fatal = 0;
    return n;
}

static bool some_process(struct model *base, const uint8_t *state, bool (*has_label)(const struct control *c))
{
    struct promela_model *m = model_of(base);
    const struct shape *h = state_shape(m, state);
    for (u32 i = 0; i < h->process_count; i++)
        if (has_label(&m->flow.automata.at[h->process_type[i]].at[state_pc(m, h, state, (int)i)])) return true;
    return false;
}

static bool has_accept(const struct control *c) { return c->accept; }
static bool has_progress(const struct control *c) { return c->progress; }
bool state_accepts(struct model *base, const uint8_t *state) { return some_process(base, state, has_accept); }
bool state_progresses(struct model *base, const uint8_t *state) { return some_process(base, state, has_progress); }
