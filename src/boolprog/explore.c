/* Exhaustive search with explicit states: every interleaving, or every one within so many rounds of a round robin.
 *
 * By rounds: a state is expanded in the turn of a thread at most once, in the first round in which it gets there;
 * a later arrival can do nothing that the earlier one could not. */
#include "boolprog/interp.h"

#include <stdlib.h>
#include <string.h>

struct item { const uint8_t *bytes; size_t len; int turn; };

struct explorer {
    const struct bp_program *p;
    const struct explore_options *o;
    struct explore_result *r;
    struct bp_state now, next;
    struct item *slots; /* visited (state, turn) */
    size_t cap, len;
    struct explore_point *points;
    size_t point_cap;
    VEC(struct item) work, later;
    int round;
    struct str packed;
};

static size_t find_slot(const struct explorer *x, const uint8_t *bytes, size_t len, int turn)
{
    size_t at = hash_bytes(bytes, len, (uint64_t)turn) & (x->cap - 1);
    while (x->slots[at].bytes) {
        const struct item *i = &x->slots[at];
        if (i->turn == turn && i->len == len && !memcmp(i->bytes, bytes, len)) break;
        at = (at + 1) & (x->cap - 1);
    }
    return at;
}

static void grow(struct explorer *x)
{
    struct item *old = x->slots;
    size_t cap = x->cap;
    x->cap = cap ? 2 * cap : 1024;
    x->slots = xcalloc(x->cap, sizeof *x->slots);
    for (size_t i = 0; i < cap; i++)
        if (old[i].bytes) x->slots[find_slot(x, old[i].bytes, old[i].len, old[i].turn)] = old[i];
    free(old);
}

/* Remembers that the node was reached with these shared values, if it was not yet. */
static void note_point(struct explorer *x, int node, const uint8_t *shared)
{
    size_t n = x->p->shared.len;
    if (2 * (x->r->points.len + 1) > x->point_cap) {
        struct explore_point *old = x->points;
        size_t cap = x->point_cap;
        x->point_cap = cap ? 2 * cap : 256;
        x->points = xcalloc(x->point_cap, sizeof *x->points);
        for (size_t i = 0; i < cap; i++) {
            if (!old[i].shared) continue;
            size_t to = hash_bytes(old[i].shared, n, (uint64_t)old[i].node) & (x->point_cap - 1);
            while (x->points[to].shared) to = (to + 1) & (x->point_cap - 1);
            x->points[to] = old[i];
        }
        free(old);
    }
    size_t at = hash_bytes(shared, n, (uint64_t)node) & (x->point_cap - 1);
    while (x->points[at].shared) {
        if (x->points[at].node == node && !memcmp(x->points[at].shared, shared, n)) return;
        at = (at + 1) & (x->point_cap - 1);
    }
    x->points[at] =
        (struct explore_point){node, x->round, (uint8_t *)arena_strndup(&x->r->arena, (const char *)shared, n)};
    vec_push(&x->r->points, x->points[at]);
}

static void found_error(struct explorer *x)
{
    if (!x->r->error_round) x->r->error_round = x->round;
}

static void visit(struct explorer *x, const struct bp_state *s, int turn, bool later)
{
    if (2 * (x->len + 1) > x->cap) grow(x);
    x->packed.len = 0;
    bp_state_pack(s, &x->packed);
    size_t at = find_slot(x, (const uint8_t *)x->packed.at, x->packed.len, turn);
    if (x->slots[at].bytes) return;
    if (x->len >= x->o->most_states) {
        x->r->states_cut = true;
        return;
    }
    char *bytes = arena_strndup(&x->r->arena, x->packed.at, x->packed.len);
    struct item i = {(const uint8_t *)bytes, x->packed.len, turn};
    x->slots[at] = i;
    x->len++;
    if (later) vec_push(&x->later, i);
    else vec_push(&x->work, i);
}

static void step_all_choices(struct explorer *x, int thread, int edge, int turn)
{
    size_t n = bp_step_bits(x->p, edge);
    uint8_t *bits = xcalloc(n + 1, 1);
    if (n > 20) {
        x->r->states_cut = true;
        n = 0;
    }
    for (uint64_t number = 0; number < (uint64_t)1 << n; number++) {
        for (size_t i = 0; i < n; i++) bits[i] = (number >> i) & 1;
        bp_state_copy(&x->next, &x->now);
        enum step_outcome outcome = bp_state_step(&x->next, thread, edge, bits);
        if (outcome == STEP_FAILS) found_error(x);
        if (outcome != STEP_DONE) continue;
        if (x->next.stack[thread].depth > x->o->most_depth) x->r->depth_cut = true;
        else visit(x, &x->next, turn, false);
    }
    free(bits);
}

static void run_thread(struct explorer *x, int thread, int turn)
{
    int top = bp_state_top(&x->now, thread);
    bool initialising = x->p->init >= 0 && x->now.stack[x->p->threads.len].depth > 0;
    if (top < 0 || (initialising && thread != (int)x->p->threads.len)) return;
    note_point(x, top, x->now.shared);
    if (boolprog_is_error_node(x->p, top, x->o->labels)) found_error(x);
    if (!bp_state_may_run(&x->now, thread)) return;
    for (size_t i = 0; i < x->p->nodes.at[top].out.len; i++)
        step_all_choices(x, thread, x->p->nodes.at[top].out.at[i], turn);
}

static void expand(struct explorer *x, struct item i)
{
    bp_state_unpack(&x->now, i.bytes);
    int threads = (int)x->p->threads.len, init = x->p->init >= 0 ? threads : -1;
    if (init >= 0 && x->now.stack[init].depth) {
        run_thread(x, init, i.turn);
    } else if (!x->o->rounds) {
        for (int t = 0; t < threads; t++) run_thread(x, t, 0);
    } else {
        run_thread(x, i.turn, i.turn);
        if (bp_state_atomic_holder(&x->now) < 0) visit(x, &x->now, i.turn + 1, i.turn + 1 == threads);
    }
}

static void start(struct explorer *x)
{
    size_t n = bp_state_init_bits(x->p);
    uint8_t *bits = xcalloc(n + 1, 1);
    if (n > 20) {
        x->r->states_cut = true;
        n = 0;
    }
    for (uint64_t number = 0; number < (uint64_t)1 << n; number++) {
        for (size_t i = 0; i < n; i++) bits[i] = (number >> i) & 1;
        struct bp_state s;
        bp_state_init(&s, x->p, bits);
        if (!x->now.program) {
            bp_state_init(&x->now, x->p, bits);
            bp_state_init(&x->next, x->p, bits);
        }
        visit(x, &s, 0, false);
        bp_state_release(&s);
    }
    free(bits);
}

/* Turn `threads` of a round is turn 0 of the next; it has a number of its own because turn 0 may still be busy. */
static void start_round(struct explorer *x)
{
    for (size_t i = 0; i < x->later.len; i++) {
        bp_state_unpack(&x->now, x->later.at[i].bytes);
        visit(x, &x->now, 0, false);
    }
    vec_clear(&x->later);
}

void bp_explore(const struct bp_program *p, const struct explore_options *o, struct explore_result *r)
{
    *r = (struct explore_result){0};
    struct explorer x = {.p = p, .o = o, .r = r, .round = 1};
    start(&x);
    for (; x.round <= MAX(1, o->rounds); x.round++) {
        while (x.work.len) expand(&x, vec_pop(&x.work));
        start_round(&x);
    }
    r->states = x.len; /* (state, turn) pairs when by rounds */
    bp_state_release(&x.now);
    bp_state_release(&x.next);
    free(x.slots);
    free(x.points);
    vec_release(&x.work);
    vec_release(&x.later);
    str_release(&x.packed);
}

void bp_explore_release(struct explore_result *r)
{
    vec_release(&r->points);
    arena_release(&r->arena);
}
