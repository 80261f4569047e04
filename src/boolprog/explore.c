/* Exhaustive search with explicit states, level by level: naive on purpose, because it judges others.
 *
 * A state is expanded in the turn of a thread at most once, at the first level at which it gets there; a later arrival
 * can do nothing that the earlier one could not. Without rounds the turn is that of the thread that moved last. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* turn: by rounds whose turn it is; otherwise 1 + the thread that moved last, 0 before the first step.
 * later: waits for the next level, and is another item there. */
struct item { const uint8_t *bytes; size_t len; int turn; bool later; };

enum { MOST_CHOICES = 20 }; /* of one step: a million combinations */

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
    int level;
    uint64_t expanded;
    bool stop; /* a limit was reached */
    struct str packed;
};

static size_t find_slot(const struct explorer *x, const uint8_t *bytes, size_t len, int turn, bool later)
{
    size_t at = hash_bytes(bytes, len, 2 * (uint64_t)turn + later) & (x->cap - 1);
    while (x->slots[at].bytes) {
        const struct item *i = &x->slots[at];
        if (i->turn == turn && i->later == later && i->len == len && !memcmp(i->bytes, bytes, len)) break;
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
        if (old[i].bytes) x->slots[find_slot(x, old[i].bytes, old[i].len, old[i].turn, old[i].later)] = old[i];
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
        (struct explore_point){node, x->level, (uint8_t *)arena_strndup(&x->r->arena, (const char *)shared, n)};
    vec_push(&x->r->points, x->points[at]);
}

static void found_error(struct explorer *x, int edge, int node, bool later)
{
    int level = x->level + later;
    struct explore_error *known = NULL;
    assert(edge < (int)x->p->edges.len && node < (int)x->p->nodes.len && (edge >= 0 || node >= 0));
    if (level > x->o->most) return;
    for (size_t i = 0; i < x->r->errors.len && !known; i++)
        if (x->r->errors.at[i].edge == edge && x->r->errors.at[i].node == node) known = &x->r->errors.at[i];
    if (known) known->level = MIN(known->level, level);
    else vec_push(&x->r->errors, ((struct explore_error){edge, node, level}));
    if (x->r->error_level < 0 || level < x->r->error_level) x->r->error_level = level;
}

static void visit(struct explorer *x, const struct bp_state *s, int turn, bool later)
{
    if (later && x->level == x->o->most) return;
    if (2 * (x->len + 1) > x->cap) grow(x);
    x->packed.len = 0;
    bp_state_pack(s, &x->packed);
    size_t at = find_slot(x, (const uint8_t *)x->packed.at, x->packed.len, turn, later);
    if (x->slots[at].bytes) return;
    if (x->len >= x->o->most_states) {
        x->r->states_cut = true;
        return;
    }
    char *bytes = arena_strndup(&x->r->arena, x->packed.at, x->packed.len);
    struct item i = {(const uint8_t *)bytes, x->packed.len, turn, later};
    x->slots[at] = i;
    x->len++;
    if (later) vec_push(&x->later, i);
    else vec_push(&x->work, i);
}

static void step_all_choices(struct explorer *x, int thread, int edge, int turn, bool later)
{
    size_t n = bp_step_bits(x->p, edge);
    uint8_t *bits = xcalloc(n + 1, 1);
    if (n > MOST_CHOICES) {
        x->r->states_cut = true;
        n = 0;
    }
    for (uint64_t number = 0; number < (uint64_t)1 << n; number++) {
        for (size_t i = 0; i < n; i++) bits[i] = (number >> i) & 1;
        bp_state_copy(&x->next, &x->now);
        enum step_outcome outcome = bp_state_step(&x->next, thread, edge, bits);
        if (outcome == STEP_FAILS) found_error(x, edge, x->p->edges.at[edge].from, later);
        if (outcome != STEP_DONE) continue;
        if (x->next.stack[thread].depth > x->o->most_depth) x->r->depth_cut = true;
        else visit(x, &x->next, turn, later);
    }
    free(bits);
}

/* later: the thread's step belongs to the next level. */
static void run_thread(struct explorer *x, int thread, int turn, bool later)
{
    int top = bp_state_top(&x->now, thread);
    bool initialising = x->p->init >= 0 && x->now.stack[x->p->threads.len].depth > 0;
    if (top < 0 || (initialising && thread != (int)x->p->threads.len)) return;
    note_point(x, top, x->now.shared);
    if (!bp_state_may_run(&x->now, thread)) return;
    if (boolprog_is_error_node(x->p, top, x->o->labels))
        found_error(x, -1, top, later && x->o->by == EXPLORE_SWITCHES);
    for (size_t i = 0; i < x->p->nodes.at[top].out.len; i++)
        step_all_choices(x, thread, x->p->nodes.at[top].out.at[i], turn, later);
}

/* Whether the move of this thread after that of another counts. */
static bool costs(const struct explorer *x, int last, int thread)
{
    if (last < 0 || last == thread || last >= (int)x->p->threads.len) return false;
    if (x->o->by == EXPLORE_SWITCHES) return true;
    return x->o->by == EXPLORE_PREEMPTIONS && bp_state_enabled(&x->now, last);
}

static void expand(struct explorer *x, struct item i)
{
    bool look = ++x->expanded % 4096 == 0; /* at the memory as well */
    if (x->expanded % 64 == 0 && (look ? limits_reached_memory(x->o->limits) : limits_reached(x->o->limits)))
        x->r->states_cut = x->stop = true;
    bp_state_unpack(&x->now, i.bytes);
    int threads = (int)x->p->threads.len, init = x->p->init >= 0 ? threads : -1;
    if (init >= 0 && x->now.stack[init].depth) {
        run_thread(x, init, i.turn, false);
    } else if (x->o->by == EXPLORE_ROUNDS) {
        run_thread(x, i.turn, i.turn, false);
        bool last = i.turn + 1 == threads;
        if (bp_state_atomic_holder(&x->now) < 0) visit(x, &x->now, last ? 0 : i.turn + 1, last);
    } else {
        for (int t = 0; t < threads; t++)
            run_thread(x, t, x->o->by == EXPLORE_ALL ? 0 : t + 1, costs(x, i.turn - 1, t));
    }
}

static void start(struct explorer *x)
{
    size_t n = bp_state_init_bits(x->p);
    uint8_t *bits = xcalloc(n + 1, 1);
    if (n > MOST_CHOICES) {
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

static void start_level(struct explorer *x)
{
    for (size_t i = 0; i < x->later.len; i++) {
        bp_state_unpack(&x->now, x->later.at[i].bytes);
        visit(x, &x->now, x->later.at[i].turn, false);
    }
    vec_clear(&x->later);
}

void bp_explore(const struct bp_program *p, const struct explore_options *o, struct explore_result *r)
{
    *r = (struct explore_result){.error_level = -1};
    struct explorer x = {.p = p, .o = o, .r = r, .level = o->by == EXPLORE_ROUNDS};
    assert(o->most_depth > 0 && o->most >= x.level && (o->by != EXPLORE_ALL || o->most == 0));
    start(&x);
    for (; x.level <= o->most; x.level++) {
        while (x.work.len && !x.stop) expand(&x, vec_pop(&x.work));
        if (x.level < o->most && !x.stop) start_level(&x);
    }
    r->states = x.len; /* (state, turn) pairs unless all interleavings are one level */
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
    vec_release(&r->errors);
    arena_release(&r->arena);
}
