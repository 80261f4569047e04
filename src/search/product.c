/* Steps of the product of a model and a property: the claim moves, then the model. */
#include "search/cycles_int.h"

#include <assert.h>
#include <string.h>

void product_steps_release(struct product_steps *s)
{
    vec_release(&s->list);
    vec_release(&s->bytes);
}

struct tail node_tail(const uint8_t *node, uint32_t size)
{
    struct tail t;
    assert(size > TAIL);
    memcpy(&t, node + size - TAIL, sizeof t);
    return t;
}

letter property_letter(struct model *m, const struct property *p, const uint8_t *state)
{
    letter a = 0;
    int to[LTL_MOST_PROPOSITIONS + 1], count = 0;
    const char *fault;
    if (p->claim >= 0) count = m->ops->claim_step(m, p->claim, m->ops->claim_initial(m, p->claim), state, false, to, &fault);
    int next = 0; /* both lists are in the order of the propositions */
    for (size_t i = 0; i < p->target_of.len; i++) {
        bool holds = false;
        if (p->target_of.at[i] > 0) holds = next < count && to[next] == p->target_of.at[i] && ++next;
        else if (p->formulas->props.list.at[i].source == PROPOSITION_ACCEPT) holds = m->ops->accepts(m, state);
        else if (p->formulas->props.list.at[i].source == PROPOSITION_PROGRESS) holds = m->ops->progresses(m, state);
        if (holds) a |= UINT64_C(1) << i;
    }
    return a;
}

bool claim_is_accepting(const struct cycles *c, int claim_state)
{
    if (c->p->automaton) return c->p->automaton->states.at[claim_state].accepting;
    return c->run.m->ops->claim_accepts(c->run.m, c->p->claim, claim_state);
}

/* ---- the claim's move ---- */

static void add_target(struct cycles *c, int to)
{
    for (size_t i = 0; i < c->targets.len; i++)
        if (c->targets.at[i] == to) return;
    vec_push(&c->targets, to);
}

static void automaton_targets(struct cycles *c, const uint8_t *state, int claim)
{
    letter a = property_letter(c->run.m, c->p, state);
    const struct buchi *b = c->p->automaton;
    const struct buchi_state *s = &b->states.at[claim];
    for (size_t k = 0; k < s->edges.len; k++) {
        if (!cube_has(s->edges.at[k].label, a)) continue;
        if (buchi_accepts_all(b, s->edges.at[k].to)) c->violated = true;
        add_target(c, s->edges.at[k].to);
    }
}

static bool count_steps(void *ctx, const struct successor *s)
{
    (void)s;
    *(bool *)ctx = true;
    return false;
}

/* timeout is true where no process can move without it. */
static bool is_timeout(struct cycles *c, const uint8_t *state, uint32_t size)
{
    struct model *m = c->run.m;
    bool any = false;
    if (!m->uses_timeout) return false;
    for (int pid = m->ops->process_count(m, state) - 1; pid >= 0 && !any; pid--)
        m->ops->successors(m, state, size, pid, false, count_steps, &any);
    return !any;
}

static void claim_targets(struct cycles *c, const uint8_t *state, uint32_t size, int claim)
{
    struct model *m = c->run.m;
    vec_reserve(&c->room, (size_t)m->ops->claim_width(m, c->p->claim) + 1);
    int n = m->ops->claim_step(m, c->p->claim, claim, state, is_timeout(c, state, size), c->room.at, &c->claim_fault);
    for (int i = 0; i < n; i++) {
        if (m->ops->claim_at_end(m, c->p->claim, c->room.at[i])) c->violated = true;
        add_target(c, c->room.at[i]);
    }
}

/* ---- the model's move ---- */

static bool keep_move(void *ctx, const struct successor *t)
{
    struct cycles *c = ctx;
    struct product_step s = {.at = c->moves.bytes.len, .size = t->state ? t->size : 0, .pid = (uint8_t)t->pid, .last = (uint8_t)t->last,
                             .fault = t->fault};
    c->run.res->transitions++;
    duty_moved(&c->here, t->pid); /* for now: who can move */
    if (s.size) {
        vec_reserve(&c->moves.bytes, s.at + s.size);
        memcpy(c->moves.bytes.at + s.at, t->state, s.size);
        c->moves.bytes.len += s.size;
    }
    vec_push(&c->moves.list, s);
    return true;
}

/* A step costs a preemption if another process could have gone on. */
static void set_costs(struct cycles *c, int last)
{
    bool could_go_on = false;
    for (size_t i = 0; i < c->moves.list.len; i++) could_go_on |= c->moves.list.at[i].pid == last;
    for (size_t i = 0; i < c->moves.list.len; i++) c->moves.list.at[i].cost = could_go_on && c->moves.list.at[i].pid != last;
}

static void add_product_step(struct cycles *c, const struct product_step *move, int claim, struct product_steps *out)
{
    struct product_step s = *move;
    struct tail t = {.claim = (uint16_t)claim, .last = c->bounded ? s.last : 0};
    s.at = out->bytes.len;
    if (s.size) {
        vec_reserve(&out->bytes, s.at + s.size + TAIL);
        memcpy(out->bytes.at + s.at, c->moves.bytes.at + move->at, s.size);
        memcpy(out->bytes.at + s.at + s.size, &t, TAIL);
        s.size += TAIL;
        out->bytes.len += s.size;
        s.hash = store_hash(out->bytes.at + s.at, s.size);
        store_prefetch(&c->run.store, s.hash);
    }
    vec_push(&out->list, s);
}

static void find_targets(struct cycles *c, const uint8_t *node, uint32_t size)
{
    struct tail t = node_tail(node, size);
    vec_clear(&c->targets);
    c->violated = false;
    c->claim_fault = NULL;
    if (c->p->automaton) automaton_targets(c, node, t.claim);
    else claim_targets(c, node, size - TAIL, t.claim);
}

void product_expand(struct cycles *c, const uint8_t *node, uint32_t size, int only, struct product_steps *out)
{
    struct model *m = c->run.m;
    struct tail t = node_tail(node, size);
    vec_clear(&out->list);
    vec_clear(&out->bytes);
    vec_clear(&c->moves.list);
    vec_clear(&c->moves.bytes);
    c->here = (struct duty){.accepting = claim_is_accepting(c, t.claim)};
    find_targets(c, node, size);
    if (!c->targets.len || c->violated || c->claim_fault) return;
    m->ops->successors(m, node, size - TAIL, only < 0 ? MODEL_ALL : only, false, keep_move, c);
    for (int i = 0; i < 4; i++) c->here.fair[i] = ~c->here.fair[i]; /* who cannot has nothing to complain of */
    if (c->bounded) set_costs(c, t.last);
    if (!c->moves.list.len && only < 0 && !c->p->no_stutter) {
        vec_reserve(&c->moves.bytes, size);
        memcpy(c->moves.bytes.at, node, size - TAIL);
        vec_push(&c->moves.list, ((struct product_step){.size = size - TAIL, .pid = NOBODY, .last = t.last}));
    }
    for (size_t k = 0; k < c->targets.len; k++)
        for (size_t i = 0; i < c->moves.list.len; i++) add_product_step(c, &c->moves.list.at[i], c->targets.at[k], out);
}
