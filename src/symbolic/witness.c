/* One run out of the paths of all threads. */
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
};

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

static void add_context(struct run_builder *b, int thread, int context, struct script *s)
{
    struct path *path = &b->paths[thread];
    for (size_t i = 0; i < path->items.len; i++) {
        struct path_item *x = &path->items.at[i];
        if (x->context != context) continue;
        vec_push(&s->items, ((struct script_item){thread, x->edge, x->after}));
        x->after = NULL;
    }
}

static void release_builder(struct run_builder *b)
{
    for (int i = 0; i <= b->r->threads; i++) symbolic_path_release(&b->paths[i]);
    for (int i = 0; i < b->r->threads; i++) borders_release(&b->borders[i]);
    free(b->borders), free(b->paths);
}

void find_witness(struct rounds *r, const struct hit *hit, struct bp_run *run)
{
    size_t mark = b_mark(r->e.b), threads = (size_t)r->threads;
    struct run_builder b = {.r = r, .p = r->e.p, .hit = hit};
    const struct error_rel *x = &r->e.errors.at[hit->error];
    struct script s = {.first = xcalloc(b.p->shared.len + 1, 1), .locals = xcalloc(threads + 1, sizeof *s.locals),
                       .error_thread = hit->thread, .error_edge = x->edge, .error_node = x->node};
    b.borders = xcalloc(threads, sizeof *b.borders);
    b.paths = xcalloc(threads + 1, sizeof *b.paths);
    all_paths(&b, s.first);
    for (size_t i = 0; i <= threads; i++) s.locals[i] = b.paths[i].locals, b.paths[i].locals = NULL;
    add_context(&b, r->threads, 0, &s);
    for (int k = 0; hit->thread < r->threads && k <= hit->context; k++)
        for (int j = 0; j < r->threads; j++) add_context(&b, j, k, &s);
    release_builder(&b);
    script_play(r->e.b, b.p, &r->e.live, &s, run);
    script_release(b.p, &s);
    b_release(r->e.b, mark);
}
