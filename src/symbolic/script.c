/* The interpreter does what the BDDs say is possible. */
#include "symbolic/script_int.h"

#include <assert.h>
#include <stdlib.h>

struct player {
    struct bdds *b;
    const struct bp_program *p;
    const struct bp_liveness *live;
    const struct script *script;
    struct bp_state state;
    struct bp_run *run;
};

static void first_state(struct player *y)
{
    const struct bp_program *p = y->p;
    size_t n = 0;
    uint8_t *bits = y->run->init_bits = xcalloc(bp_state_init_bits(p) + 1, 1);
    for (size_t i = 0; i < p->shared.len; i++)
        if (p->vars.at[p->shared.at[i]].init < 0) bits[n++] = y->script->first[i];
    for (int t = 0; t < (int)p->threads.len + (p->init >= 0); t++) {
        if (t < (int)p->threads.len && p->threads.at[t].started >= 0) continue;
        const struct bp_proc *f = &p->procs.at[t < (int)p->threads.len ? p->threads.at[t].proc : p->init];
        const uint8_t *locals = y->script->locals[t];
        for (size_t i = 0; i < f->locals.len; i++) bits[n++] = locals ? locals[f->locals.at[i]] : 0;
    }
    bp_state_init(&y->state, p, bits);
}

static void play_step(struct player *y, int thread, int edge, const struct step_wish *wish)
{
    bool gave_up = false;
    struct step_wish asked = *wish;
    asked.gave_up = &gave_up;
    uint8_t *bits = bp_step_find_bits(&y->state, thread, edge, &asked);
    if (gave_up) b_leave(y->b, CUT_CHOICES);
    if (!bits) BUG("the interpreter cannot do step %zu (%s)", y->run->steps.len, y->p->edges.at[edge].text);
    vec_push(&y->run->steps, ((struct run_step){thread, edge, bits}));
    enum step_outcome outcome = bp_state_step(&y->state, thread, edge, bits);
    if (outcome != (wish->fails ? STEP_FAILS : STEP_DONE))
        BUG("the interpreter disagrees about step %zu", y->run->steps.len);
}

static int node_after(const struct player *y, int thread, const struct bp_edge *e)
{
    if (e->kind == EDGE_CALL) return y->p->procs.at[e->callee].entry;
    if (e->kind != EDGE_RETURN) return e->to;
    const struct bp_stack *k = &y->state.stack[thread];
    return k->depth > 1 ? y->p->edges.at[k->calls[k->depth - 2]].to : -1;
}

/* Shared variables, and the locals that still matter where the step leads. */
static void play_item(struct player *y, const struct script_item *item)
{
    const struct bp_program *p = y->p;
    const struct bp_edge *e = &p->edges.at[item->edge];
    bool *care = xcalloc(p->vars.len + 1, sizeof *care);
    int node = node_after(y, item->thread, e);
    for (size_t i = 0; i < p->vars.len; i++) care[i] = boolprog_is_live(p, y->live, node, (int)i);
    struct step_wish wish = {.value = item->after, .care = care};
    if (e->spawn >= 0) wish.spawned = y->script->locals[e->spawn];
    play_step(y, item->thread, item->edge, &wish);
    free(care);
}

void script_play(struct bdds *b, const struct bp_program *p, const struct bp_liveness *live, const struct script *s,
                 struct bp_run *run)
{
    struct player y = {.b = b, .p = p, .live = live, .script = s, .run = run};
    first_state(&y);
    for (size_t i = 0; i < s->items.len; i++) play_item(&y, &s->items.at[i]);
    run->error_node = s->error_edge < 0 ? s->error_node : -1;
    if (s->error_edge >= 0) play_step(&y, s->error_thread, s->error_edge, &(struct step_wish){.fails = true});
    bp_state_release(&y.state);
}

void script_reverse(struct script *s)
{
    for (size_t i = 0, k = s->items.len; i + 1 < k; i++) {
        struct script_item x = s->items.at[i];
        s->items.at[i] = s->items.at[--k];
        s->items.at[k] = x;
    }
}

void script_release(const struct bp_program *p, struct script *s)
{
    for (size_t i = 0; i < s->items.len; i++) free(s->items.at[i].after);
    for (size_t i = 0; s->locals && i <= p->threads.len; i++) free(s->locals[i]);
    vec_release(&s->items);
    free(s->locals), free(s->first);
}
