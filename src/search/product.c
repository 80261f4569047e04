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
    if (p->claim >= 0)
        count = m->ops->claim_step(m, p->claim, m->ops->claim_initial(m, p->claim), state, false, to, &fault);
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
    if (!c->room.cap) vec_reserve(&c->room, (size_t)m->ops->claim_width(m, c->p->claim) + 1);
    int n = m->ops->claim_step(m, c->p->claim, claim, state, is_timeout(c, state, size), c->room.at, &c->claim_fault);
    for (int i = 0; i < n; i++) {
        if (m->ops->claim_at_end(m, c->p->claim, c->room.at[i])) c->violated = true;
        add_target(c, c->room.at[i]);
    }
}

/* ---- the model's move ---- */

/* Moves are kept with the claim's first target; copies for the other targets follow. */
struct moves {
    struct cycles *c;
    struct product_steps *out;
    struct tail tail;
    bool first; /* they go first (reduction): whoever moves then does so for free */
};

static void add_step(struct moves *k, struct product_step s, const uint8_t *state)
{
    s.at = k->out->bytes.len;
    if (s.size) {
        uint8_t *to;
        if (k->c->bounded) k->tail.last = k->first ? MODEL_NOBODY : s.last;
        vec_reserve(&k->out->bytes, s.at + s.size + TAIL);
        to = k->out->bytes.at + s.at;
        memcpy(to, state, s.size);
        memcpy(to + s.size, &k->tail, TAIL);
        s.size += TAIL;
        k->out->bytes.len += s.size;
        if (k->c->run.store.budget) { /* it arrives while the next step is computed */
            s.hash = store_hash(to, s.size);
            store_prefetch(&k->c->run.store, s.hash);
        }
    }
    vec_push(&k->out->list, s);
}

static bool keep_move(void *ctx, const struct successor *t)
{
    struct moves *k = ctx;
    k->c->run.res->transitions++;
    k->out->fault |= t->fault != NULL;
    add_step(k, (struct product_step){.size = t->state ? t->size : 0, .pid = (uint8_t)t->pid, .last = (uint8_t)t->last,
                                     .fault = t->fault != NULL, .timeout = t->timeout},
             t->state);
    return true;
}

/* A step costs a preemption if another process could have gone on. */
static void set_costs(const struct cycles *c, const uint8_t *node, struct product_steps *steps, int last)
{
    bool could_go_on = false;
    for (size_t i = 0; i < steps->list.len; i++) 
        could_go_on |= steps->list.at[i].pid == last && !steps->list.at[i].timeout;
    if (could_go_on && reduction_frees_switch(c->lenient, c->run.m, node, last)) could_go_on = false;
    for (size_t i = 0; i < steps->list.len; i++) steps->list.at[i].cost = could_go_on && steps->list.at[i].pid != last;
}

static void copy_for_target(struct moves *k, size_t count, int claim)
{
    struct product_steps *out = k->out;
    assert(claim >= 0 && claim < MOST_CLAIM_STATES);
    k->tail.claim = (uint32_t)claim;
    for (size_t i = 0; i < count; i++) {
        struct product_step s = out->list.at[i];
        if (s.size) s.size -= TAIL;
        vec_reserve(&out->bytes, out->bytes.len + s.size + TAIL); /* before the source's address is taken */
        add_step(k, s, out->bytes.at + s.at);
    }
}

bool product_claim(struct cycles *c, const uint8_t *node, uint32_t size)
{
    struct tail t = node_tail(node, size);
    vec_clear(&c->targets);
    c->violated = false;
    c->claim_fault = NULL;
    if (c->p->automaton) automaton_targets(c, node, t.claim);
    else claim_targets(c, node, size - TAIL, t.claim);
    c->here = (struct duty){.accepting = claim_is_accepting(c, t.claim)};
    return c->targets.len && !c->violated && !c->claim_fault;
}

/* Who cannot move has nothing to complain of. */
static void note_fairness(struct cycles *c, const struct product_steps *steps)
{
    struct duty can = {0};
    for (size_t i = 0; i < steps->list.len; i++) duty_moved(&can, steps->list.at[i].pid);
    for (int i = 0; i < 4; i++) c->here.fair[i] = ~can.fair[i];
}

void product_expand(struct cycles *c, const uint8_t *node, uint32_t size, int only, struct product_steps *out)
{
    struct model *m = c->run.m;
    struct tail t = node_tail(node, size);
    vec_clear(&out->list);
    vec_clear(&out->bytes);
    out->fault = false;
    struct moves k = {.c = c, .out = out, .tail = {.claim = (uint32_t)c->targets.at[0]}, .first = only >= 0};
    if (only < 0) run_list_steps(&c->run, node, size - TAIL, keep_move, &k);
    else m->ops->successors(m, node, size - TAIL, only, false, keep_move, &k);
    if (c->p->fair) note_fairness(c, out);
    if (c->bounded && only < 0) set_costs(c, node, out, t.last); /* a step that goes first is free */
    if (!out->list.len && only < 0 && !c->p->no_stutter)
        add_step(&k, (struct product_step){.size = size - TAIL, .pid = MODEL_NOBODY, .last = t.last}, node);
    size_t count = out->list.len;
    for (size_t i = 1; i < c->targets.len; i++) copy_for_target(&k, count, c->targets.at[i]);
}

int product_candidate(const struct cycles *c, const uint8_t *node, int above)
{
    struct model *m = c->run.m;
    bool si = c->p->reduction == REDUCTION_SI;
    if (c->p->reduction == REDUCTION_NONE || !m->ops->invisible) return -1;
    for (int pid = above < 0 ? m->ops->process_count(m, node) - 1 : above - 1; pid >= 0; pid--)
        if (m->ops->invisible(m, node, pid) && (si ? m->ops->independent : m->ops->commutes)(m, node, pid)) return pid;
    return -1;
}

/* Whoever can do nothing but fail does not stand for the others, who may go on without him. */
static bool goes_somewhere(const struct cycles *c, const struct product_steps *steps)
{
    for (size_t i = 0; i < steps->list.len; i++)
        if (!steps->list.at[i].fault || !c->run.opt->leave_faults) return true;
    return false;
}

void product_expand_reduced(struct cycles *c, const uint8_t *node, uint32_t size, struct product_steps *out)
{
    bool si = c->p->reduction == REDUCTION_SI;
    for (int pid = -1; si && (pid = product_candidate(c, node, pid)) >= 0;) {
        product_expand(c, node, size, pid, out);
        if (goes_somewhere(c, out)) return;
    }
    product_expand(c, node, size, -1, out);
}

bool product_leaves_faults(const struct cycles *c, const struct product_steps *s)
{
    if (!c->run.opt->leave_faults) return false;
    c->run.res->faults_left |= s->fault;
    return true;
}

int product_faulty(const struct cycles *c, const struct product_steps *s, int64_t most)
{
    if (product_leaves_faults(c, s)) return MODEL_NOBODY;
    for (size_t i = 0; s->fault && i < s->list.len; i++)
        if (s->list.at[i].fault && s->list.at[i].cost <= most) return s->list.at[i].pid;
    return MODEL_NOBODY;
}

struct tail product_start(const struct cycles *c)
{
    struct model *m = c->run.m;
    int start = c->p->automaton ? c->p->automaton->initial : m->ops->claim_initial(m, c->p->claim);
    assert(start >= 0 && start < MOST_CLAIM_STATES);
    return (struct tail){.claim = (uint32_t)start, .last = c->bounded ? MODEL_NOBODY : 0};
}

void cycles_release(struct cycles *c)
{
    vec_release(&c->targets);
    vec_release(&c->room);
}

/* ---- from nodes back to choices ---- */

struct choice_seek { const uint8_t *state; uint32_t size, index; int pid, last; bool found; };

static bool is_choice(void *ctx, const struct successor *t)
{
    struct choice_seek *k = ctx;
    k->found = t->state && !t->fault && t->pid == k->pid && t->last == k->last && t->size == k->size &&
               !memcmp(t->state, k->state, k->size);
    if (!k->found) k->index++;
    return !k->found;
}

uint32_t product_choice(struct cycles *c, const uint8_t *from, uint32_t from_size, const uint8_t *to, uint32_t to_size,
                        int pid, int last)
{
    struct choice_seek k = {to, to_size - TAIL, 0, pid, last, false};
    c->run.m->ops->successors(c->run.m, from, from_size - TAIL, MODEL_ALL, false, is_choice, &k);
    if (!k.found && !c->run.m->cut) BUG("a step of the lasso is not there");
    return k.index;
}

static bool is_fault(void *ctx, const struct successor *t)
{
    struct choice_seek *k = ctx;
    if (t->fault && t->pid == k->pid) k->found = true;
    else k->index++;
    return !k->found;
}

uint32_t product_fault(struct cycles *c, const uint8_t *node, uint32_t size, int pid)
{
    struct choice_seek k = {.pid = pid};
    c->run.m->ops->successors(c->run.m, node, size - TAIL, MODEL_ALL, false, is_fault, &k);
    assert(k.found || c->run.m->cut);
    return k.index;
}
