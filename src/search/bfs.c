/* Breadth-first search: the first error found has the fewest steps, or one more (a failing step is seen when its source
 * is expanded, a state without steps only when it is expanded itself). */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>

struct bfs {
    struct run *run;
    struct frontier queue;
    struct batch batch;
    uint64_t left_in_layer; /* states of this depth still in the queue */
    uint64_t depth;
};

struct source { struct bfs *b; state_ref ref; uint32_t nth_of_pid; int pid; };

static void flush(struct bfs *b)
{
    struct run *r = b->run;
    batch_settle(&b->batch, &r->store);
    for (size_t i = 0; i < b->batch.len && !r->stopped; i++) {
        const struct arrival *a = &b->batch.items[i];
        state_ref ref;
        enum store_answer answer = store_add(&r->store, a->state, a->size, a->hash, &ref);
        if (answer == STORE_NEW) store_set_parent(&r->store, ref, a->parent);
        bool full = answer == STORE_FULL;
        if (answer == STORE_NEW) full = !frontier_push(&b->queue, (struct frontier_item){ref, a->state, a->size});
        if (full) run_stop(r, STOP_MEMORY);
    }
    b->batch.len = 0;
    vec_clear(&b->batch.bytes);
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct source *s = ctx;
    struct run *r = s->b->run;
    r->res->transitions++;
    if (t->pid != s->pid) {
        s->pid = t->pid;
        s->nth_of_pid = 0;
    }
    uint32_t nth = s->nth_of_pid++;
    if (t->fault && run_count_error(r)) r->site = (struct error_site){.ref = s->ref, .pid = t->pid, .nth = nth};
    if (!t->state || r->stopped) return !r->stopped;
    batch_add(&s->b->batch, &r->store, (struct arrival){.state = t->state, .size = t->size, .parent = s->ref});
    if (s->b->batch.len == BATCH_SIZE) flush(s->b);
    return !r->stopped;
}

/* True if the steps of one process will do. */
static bool expand_reduced(struct source *s, const struct frontier_item *item)
{
    struct run *r = s->b->run;
    for (int pid = r->m->ops->process_count(r->m, item->state);
         (pid = reduction_candidate(r, item->state, pid)) >= 0;)
        if (r->m->ops->successors(r->m, item->state, item->size, pid, false, on_successor, s) || r->stopped)
            return true;
    return false;
}

static void expand(struct bfs *b, struct frontier_item item)
{
    struct run *r = b->run;
    struct source s = {.b = b, .ref = item.word, .pid = -1};
    if (store_keeps_states(&r->store)) item.state = store_state(&r->store, s.ref, &item.size);
    if (expand_reduced(&s, &item) || r->stopped) return;
    s.pid = -1;
    uint32_t steps = r->m->ops->successors(r->m, item.state, item.size, MODEL_ALL, false, on_successor, &s);
    if (!steps && run_is_bad_end(r, item.state) && run_count_error(r))
        r->site = (struct error_site){.ref = s.ref, .pid = -1};
}

/* A layer ends when the states counted at its start have been expanded. Its successors are all known only after the
 * batch is flushed. */
static bool next_layer(struct bfs *b)
{
    flush(b);
    if (!b->queue.len || b->run->stopped) return false;
    if (b->run->opt->depth && b->depth + 1 >= (uint64_t)b->run->opt->depth) {
        b->run->res->depth_cut = true;
        return false;
    }
    b->left_in_layer = b->queue.len;
    b->depth++;
    return true;
}

static void explore(struct bfs *b)
{
    while (b->left_in_layer || next_layer(b)) {
        if (run_tick(b->run)) return;
        assert_costly(b->left_in_layer <= b->queue.len);
        b->left_in_layer--;
        expand(b, frontier_pop(&b->queue));
    }
    if (!b->run->stopped) run_stop(b->run, STOP_COMPLETE);
}

void bfs_search(struct run *r)
{
    struct bfs b = {.run = r};
    struct store_plan plan = {r->opt->store, 0, true, r->opt->bit_field};
    if (!store_init(&r->store, plan, &r->budget)) run_stop(r, STOP_MEMORY);
    frontier_init(&b.queue, !store_keeps_states(&r->store), &r->budget);
    uint8_t *state = NULL;
    uint32_t size;
    state_ref ref;
    if (!r->stopped && run_add_initial(r, &state, &size, &ref)) {
        if (!frontier_push(&b.queue, (struct frontier_item){ref, state, size})) run_stop(r, STOP_MEMORY);
        else b.left_in_layer = 1;
        explore(&b);
    }
    free(state);
    r->res->depth = b.depth;
    if (r->res->errors) {
        path_nodes path = {0};
        path_of_parents(r, r->site.ref, &path);
        r->res->has_error = path_schedule(r, &path, &r->site, &r->res->error);
        vec_release(&path);
    }
    frontier_release(&b.queue);
    vec_release(&b.batch.bytes);
}
