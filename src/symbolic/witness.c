/* One run out of the paths of all threads, executed by the interpreter on the way. */
#include "symbolic/path_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct run_builder {
    struct rounds *r;
    const struct bp_program *p;
    const struct hit *hit;
    struct borders *borders;
    struct path *paths; /* threads, then init */
    struct bp_state state;
    struct bp_run *run;
};

static void first_state(struct run_builder *b, const uint8_t *shared)
{
    const struct bp_program *p = b->p;
    size_t n = 0;
    uint8_t *bits = b->run->init_bits = xcalloc(bp_state_init_bits(p) + 1, 1);
    for (size_t i = 0; i < p->shared.len; i++)
        if (p->vars.at[p->shared.at[i]].init < 0) bits[n++] = shared[i];
    for (int t = 0; t < (int)p->threads.len + (p->init >= 0); t++) {
        if (t < (int)p->threads.len && p->threads.at[t].started >= 0) continue;
        const struct bp_proc *f = &p->procs.at[t < (int)p->threads.len ? p->threads.at[t].proc : p->init];
        const uint8_t *locals = b->paths[t].locals;
        for (size_t i = 0; i < f->locals.len; i++) bits[n++] = locals ? locals[f->locals.at[i]] : 0;
    }
    bp_state_init(&b->state, p, bits);
}

static void add_step(struct run_builder *b, int thread, int edge, const struct step_wish *wish)
{
    bool gave_up = false;
    struct step_wish asked = *wish;
    asked.gave_up = &gave_up;
    uint8_t *bits = bp_step_find_bits(&b->state, thread, edge, &asked);
    if (gave_up) b_leave(b->r->e.b, CUT_CHOICES);
    if (!bits) BUG("the interpreter cannot do step %zu (%s)", b->run->steps.len, b->p->edges.at[edge].text);
    vec_push(&b->run->steps, ((struct run_step){thread, edge, bits}));
    enum step_outcome outcome = bp_state_step(&b->state, thread, edge, bits);
    if (outcome != (wish->fails ? STEP_FAILS : STEP_DONE))
        BUG("the interpreter disagrees about step %zu", b->run->steps.len);
}

/* Shared variables, and the locals that still matter where the step leads. */
static void add_item(struct run_builder *b, int thread, const struct path_item *item)
{
    const struct bp_program *p = b->p;
    const struct bp_edge *e = &p->edges.at[item->edge];
    bool *care = xcalloc(p->vars.len + 1, sizeof *care);
    int node = e->to;
    if (e->kind == EDGE_CALL) node = p->procs.at[e->callee].entry;
    if (e->kind == EDGE_RETURN) {
        const struct bp_stack *k = &b->state.stack[thread];
        node = k->depth > 1 ? p->edges.at[k->calls[k->depth - 2]].to : -1;
    }
    for (size_t i = 0; i < p->vars.len; i++)
        care[i] = boolprog_is_live(p, &b->r->e.live, node, (int)i);
    struct step_wish wish = {.value = item->after, .care = care};
    if (e->spawn >= 0) wish.spawned = b->paths[e->spawn].locals;
    add_step(b, thread, item->edge, &wish);
    free(care);
}

static void add_context(struct run_builder *b, int thread, int context)
{
    const struct path *path = &b->paths[thread];
    for (size_t i = 0; i < path->items.len; i++)
        if (path->items.at[i].context == context) add_item(b, thread, &path->items.at[i]);
}

static void add_error(struct run_builder *b)
{
    const struct error_rel *x = &b->r->e.errors.at[b->hit->error];
    b->run->error_node = x->edge < 0 ? x->node : -1;
    if (x->edge >= 0) add_step(b, b->hit->thread, x->edge, &(struct step_wish){.fails = true});
}

/* The init procedure from some initial state to the state in which the threads start, or to its error. */
static void init_path(struct run_builder *b, const struct path_goal *goal, BDD from, uint8_t *first)
{
    struct encoding *e = &b->r->e;
    uint8_t *value = xcalloc((size_t)e->var_count + 1, 1);
    struct borders border;
    borders_init(&border, 1, b->p->shared.len);
    pick_assignment(b_and(e->b, from, goal->condition), value);
    get_shared(e, COPY_IN, 0, value, border.in[0]);
    memcpy(first, border.in[0], b->p->shared.len);
    find_path(b->r, b->r->threads, &border, goal, &b->paths[b->r->threads]);
    borders_release(&border);
    free(value);
}

static void thread_paths(struct run_builder *b, const uint8_t *goal_value)
{
    struct encoding *e = &b->r->e;
    const struct error_rel *x = &e->errors.at[b->hit->error];
    choose_borders(b->r, b->hit, goal_value, b->borders);
    for (int j = 0; j < b->r->threads; j++) {
        struct path_goal goal = {-1, 0, bddtrue};
        if (j == b->hit->thread) goal = (struct path_goal){x->node, b->hit->entered, x->bad};
        else if (b->borders[j].contexts)
            goal.condition = fix_shared(e, COPY_NOW, 0, b->borders[j].out[b->borders[j].contexts - 1]);
        find_path(b->r, j, &b->borders[j], &goal, &b->paths[j]);
    }
}

/* Everything before the first step: paths of all threads, and the first shared state. */
static void all_paths(struct run_builder *b, uint8_t *first)
{
    struct encoding *e = &b->r->e;
    const struct error_rel *x = &e->errors.at[b->hit->error];
    if (b->hit->thread == b->r->threads) {
        struct path_goal goal = {x->node, b->hit->entered, x->bad};
        init_path(b, &goal, facts_cell(&b->r->init, x->node, 0, b->hit->entered)->all, first);
        return;
    }
    uint8_t *value = xcalloc((size_t)e->var_count + 1, 1);
    pick_assignment(b_and(e->b, rounds_exact(b->r, b->hit->thread, x->node, b->hit->context, b->hit->entered), x->bad),
                    value);
    thread_paths(b, value);
    memcpy(first, b->borders[0].in[0], b->p->shared.len);
    if (b->p->init >= 0) {
        struct path_goal goal = {b->r->init.done, 0, fix_shared(e, COPY_NOW, 0, first)};
        init_path(b, &goal, facts_cell(&b->r->init, b->r->init.done, 0, 0)->all, first);
    }
    free(value);
}

void find_witness(struct rounds *r, const struct hit *hit, struct bp_run *run)
{
    size_t mark = b_mark(r->e.b), threads = (size_t)r->threads;
    struct run_builder b = {.r = r, .p = r->e.p, .hit = hit, .run = run};
    b.borders = xcalloc(threads, sizeof *b.borders);
    b.paths = xcalloc(threads + 1, sizeof *b.paths);
    uint8_t *first = xcalloc(b.p->shared.len + 1, 1);
    all_paths(&b, first);
    first_state(&b, first);
    add_context(&b, r->threads, 0);
    for (int k = 0; hit->thread < r->threads && k <= hit->context; k++)
        for (int j = 0; j < r->threads; j++) add_context(&b, j, k);
    add_error(&b);
    bp_state_release(&b.state);
    for (size_t i = 0; i <= threads; i++) symbolic_path_release(&b.paths[i]);
    for (size_t i = 0; i < threads; i++) borders_release(&b.borders[i]);
    free(b.borders), free(b.paths), free(first);
    b_release(r->e.b, mark);
}
