/* A simpler schedule near a given one.
 *
 * A depth-first search finds errors at the end of long detours. The states around its path, breadth first from all of
 * them at once, form a small graph. Dijkstra's algorithm finds in it the way to an error with the fewest preemptions,
 * and then the fewest steps. What costs a preemption depends on the process that moved last, so a node of that search
 * is a state and a process. A better way moves the path, and with it the vicinity. The caller asks again for more.
 *
 * With the processes that never move on the path the graph has many times as many states. They can be left out; the
 * error remains.
 *
 * The path may be of any length that fits: its own states come first, and how far the graph goes beyond them is what
 * the limits leave. */
#include "search/vicinity_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NO_SPOT = UINT32_MAX, NO_NODE = UINT32_MAX, EXPANSIONS_PER_LOOK = 256 };

/* What each step costs, and a preemption on top of its step. */
struct price { uint64_t step, preemption; };
static const struct price FEWEST_PREEMPTIONS = {1, UINT64_C(1) << 32}, FEWEST_STEPS = {UINT64_C(1) << 32, 1};

/* to NO_SPOT: the step fails. */
struct arc { uint32_t to, choice; uint8_t pid, last; bool waits; };
/* arcs: the first one; they end where those of the next spot begin. */
struct spot { state_ref ref; uint32_t arcs, nodes; bool bad_end; };
struct node { uint64_t cost; uint32_t spot, from, arc, next; uint8_t last; bool done; };
struct queued { uint64_t cost; uint32_t node; };

struct vicinity {
    struct model *m;
    const struct search_options *o;
    struct budget budget;
    struct store store;          /* one word: the number of the spot, plus 1 */
    struct vicinity_size most;
    struct price price;
    uint32_t goal;               /* the spot that is looked for; NO_SPOT: an error */
    bool leaves_out[MODEL_MOST_PROCESSES]; /* steps of these processes are not in the graph */
    VEC(struct spot) spots;
    VEC(struct arc) arcs;
    size_t expanded;
    VEC(uint8_t) here;
    bool full;
    VEC(struct node) nodes;
    VEC(struct queued) heap;
};

/* ---- the graph ---- */

/* NO_SPOT: there is no room. */
static uint32_t spot_of(struct vicinity *v, const uint8_t *state, uint32_t size)
{
    state_ref ref;
    if (v->spots.len >= v->most.states) {
        ref = store_find(&v->store, state, size, store_hash(state, size));
        return ref ? (uint32_t)load64(store_words(&v->store, ref)) - 1 : NO_SPOT;
    }
    switch (store_add(&v->store, state, size, store_hash(state, size), &ref)) {
    case STORE_FULL: return NO_SPOT;
    case STORE_OLD: return (uint32_t)load64(store_words(&v->store, ref)) - 1;
    case STORE_NEW: break;
    }
    vec_push(&v->spots, ((struct spot){.ref = ref, .nodes = NO_NODE}));
    store64(store_words(&v->store, ref), v->spots.len);
    return (uint32_t)v->spots.len - 1;
}

struct expansion { struct vicinity *v; uint32_t choice; };

static bool add_arc(struct vicinity *v, const struct successor *t, uint32_t choice)
{
    struct arc a = {NO_SPOT, choice, (uint8_t)t->pid, (uint8_t)t->last, t->timeout};
    if (v->leaves_out[t->pid]) return true;
    if (!t->fault) a.to = spot_of(v, t->state, t->size);
    v->full |= !t->fault && a.to == NO_SPOT;
    if (t->fault || a.to != NO_SPOT) vec_push(&v->arcs, a);
    return true;
}

static bool on_successor(void *ctx, const struct successor *t)
{
    struct expansion *x = ctx;
    return add_arc(x->v, t, x->choice++);
}

/* A spot whose successors have no room keeps those that are known: every arc leads to a step that can be made. */
static void expand(struct vicinity *v, size_t number)
{
    struct expansion x = {v, 0};
    uint32_t size;
    const uint8_t *state = store_state(&v->store, v->spots.at[number].ref, &size);
    vec_reserve(&v->here, size);
    memcpy(v->here.at, state, size);
    v->spots.at[number].arcs = (uint32_t)v->arcs.len;
    uint32_t steps = v->m->ops->successors(v->m, v->here.at, size, MODEL_ALL, false, on_successor, &x);
    v->spots.at[number].bad_end = !steps && !v->o->no_deadlock && !v->m->ops->valid_end(v->m, v->here.at);
}

/* False: the path is too long, or a limit was reached. */
static bool add_path(struct vicinity *v, const struct schedule *path, enum vicinity_of whom)
{
    struct replay *r = replay_new(v->m);
    const struct successor *t = NULL;
    bool goes_on = true;
    for (int pid = 0; pid < MODEL_MOST_PROCESSES; pid++) v->leaves_out[pid] = whom == OF_THOSE_THAT_MOVE;
    for (size_t i = 0; goes_on; i++) {
        uint32_t size;
        const uint8_t *state = replay_state(r, &size);
        if (size) goes_on = spot_of(v, state, size) != NO_SPOT;
        if (i == path->choices.len || !goes_on) break;
        goes_on = (t = replay_step(r, path->choices.at[i]));
        if (t) v->leaves_out[t->pid] = false;
    }
    replay_free(r);
    return goes_on && !v->m->cut;
}

static bool is_over(const struct vicinity *v)
{
    return v->m->cut || limits_reached(v->o->limits) || (v->o->enough && v->o->enough(v->o->enough_ctx));
}

/* All states of the path, then those around it. False: a limit was reached. */
static bool explore(struct vicinity *v, const struct schedule *path, enum vicinity_of whom)
{
    if (!add_path(v, path, whom)) return false;
    size_t own = v->spots.len;
    while (v->expanded < v->spots.len && v->arcs.len < v->most.arcs && !(v->full && v->expanded >= own)) {
        if (v->expanded % EXPANSIONS_PER_LOOK == 0 && is_over(v)) return false;
        expand(v, v->expanded++);
    }
    return v->expanded >= own && !v->m->cut;
}

static uint32_t arcs_end(const struct vicinity *v, uint32_t spot)
{
    return spot + 1 < v->expanded ? v->spots.at[spot + 1].arcs : (uint32_t)v->arcs.len;
}

/* ---- the way ---- */

static void push(struct vicinity *v, struct queued q)
{
    vec_push(&v->heap, q);
    size_t at = v->heap.len - 1;
    for (; at && v->heap.at[(at - 1) / 2].cost > q.cost; at = (at - 1) / 2) v->heap.at[at] = v->heap.at[(at - 1) / 2];
    v->heap.at[at] = q;
}

static struct queued pop(struct vicinity *v)
{
    struct queued least = v->heap.at[0], moved = vec_pop(&v->heap);
    size_t at = 0, count = v->heap.len;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && v->heap.at[child + 1].cost < v->heap.at[child].cost) child++;
        if (v->heap.at[child].cost >= moved.cost) break;
        v->heap.at[at] = v->heap.at[child];
    }
    if (count) v->heap.at[at] = moved;
    return least;
}

static struct node *node_at(struct vicinity *v, uint32_t spot, uint8_t last)
{
    for (uint32_t n = v->spots.at[spot].nodes; n != NO_NODE; n = v->nodes.at[n].next)
        if (v->nodes.at[n].last == last) return &v->nodes.at[n];
    return NULL;
}

/* spot NO_SPOT: the error itself. */
static void reach(struct vicinity *v, struct node n)
{
    struct node *known = n.spot == NO_SPOT ? NULL : node_at(v, n.spot, n.last);
    if (known && known->cost <= n.cost) return;
    if (known) {
        n.next = known->next;
        *known = n;
        push(v, (struct queued){n.cost, (uint32_t)(known - v->nodes.at)});
        return;
    }
    uint32_t number = (uint32_t)v->nodes.len;
    if (n.spot != NO_SPOT) {
        n.next = v->spots.at[n.spot].nodes;
        v->spots.at[n.spot].nodes = number;
    }
    vec_push(&v->nodes, n);
    push(v, (struct queued){n.cost, number});
}

/* Can the process that moved last go on here, and not only because of timeout? */
static bool leaving_preempts(const struct vicinity *v, uint32_t spot, uint8_t last)
{
    for (uint32_t a = v->spots.at[spot].arcs; a < arcs_end(v, spot); a++)
        if (v->arcs.at[a].pid == last) return !v->arcs.at[a].waits;
    return false;
}

static void go_on(struct vicinity *v, uint32_t number)
{
    struct node here = v->nodes.at[number];
    if (here.spot >= v->expanded) return;
    bool costs = leaving_preempts(v, here.spot, here.last);
    for (uint32_t a = v->spots.at[here.spot].arcs; a < arcs_end(v, here.spot); a++) {
        const struct arc *arc = &v->arcs.at[a];
        uint64_t cost = here.cost + v->price.step + (costs && arc->pid != here.last ? v->price.preemption : 0);
        reach(v, (struct node){.cost = cost, .spot = arc->to, .from = number, .arc = a, .last = arc->last});
    }
}

static uint32_t last_of_path(struct vicinity *v, const struct schedule *path)
{
    struct replay *r = replay_new(v->m);
    uint32_t size;
    for (size_t i = 0; i < path->choices.len; i++) replay_step(r, path->choices.at[i]);
    const uint8_t *state = replay_state(r, &size);
    uint32_t spot = spot_of(v, state, size);
    replay_free(r);
    return spot;
}

static bool is_goal(const struct vicinity *v, uint32_t spot)
{
    if (v->goal != NO_SPOT) return spot == v->goal;
    return spot == NO_SPOT || v->spots.at[spot].bad_end;
}

/* The node of the error, NO_NODE: there is no room to find it. */
static uint32_t find_error(struct vicinity *v, uint64_t most)
{
    reach(v, (struct node){.spot = 0, .from = NO_NODE, .last = MODEL_NOBODY});
    while (v->heap.len && v->nodes.len < v->most.nodes) {
        struct queued q = pop(v);
        struct node *n = &v->nodes.at[q.node];
        if (q.cost >= most) return NO_NODE;
        if (n->done || q.cost > n->cost) continue;
        n->done = true;
        if (is_goal(v, n->spot)) return q.node;
        go_on(v, q.node);
    }
    return NO_NODE;
}

static void build(const struct vicinity *v, uint32_t error, struct schedule *out)
{
    *out = (struct schedule){.deadlock = v->nodes.at[error].spot != NO_SPOT};
    for (uint32_t n = error; v->nodes.at[n].from != NO_NODE; n = v->nodes.at[n].from)
        vec_push(&out->choices, v->arcs.at[v->nodes.at[n].arc].choice);
    for (size_t i = 0, k = out->choices.len; i + 1 < k; i++) {
        uint32_t swapped = out->choices.at[i];
        out->choices.at[i] = out->choices.at[--k];
        out->choices.at[k] = swapped;
    }
}

static struct vicinity_size size_of(size_t memory, size_t states)
{
    return (struct vicinity_size){MIN(states, memory / 8 / sizeof(struct spot)), memory / 4 / sizeof(struct arc),
                                  memory / 4 / (sizeof(struct node) + sizeof(struct queued))};
}

static void begin(struct vicinity *v, struct model *m, const struct search_options *o, size_t states)
{
    size_t memory = o->budget ? o->budget : USUAL_MEMORY;
    *v = (struct vicinity){.m = m, .o = o, .budget = {.limit = memory * 3 / 8}, .most = size_of(memory, states),
                           .price = FEWEST_PREEMPTIONS, .goal = NO_SPOT};
    v->full = !store_init(&v->store, (struct store_plan){STORE_EXACT, 1, true, 0, 0}, &v->budget);
}

static void release(struct vicinity *v)
{
    store_release(&v->store);
    vec_release(&v->spots);
    vec_release(&v->arcs);
    vec_release(&v->here);
    vec_release(&v->nodes);
    vec_release(&v->heap);
}

struct vicinity *vicinity_new(struct model *m, const struct search_options *o, size_t states,
                              const struct schedule *path)
{
    struct vicinity *v = xmalloc(sizeof *v);
    begin(v, m, o, states);
    if (!v->full && explore(v, path, OF_ALL)) return v;
    vicinity_free(v);
    return NULL;
}

void vicinity_free(struct vicinity *v)
{
    release(v);
    free(v);
}

bool vicinity_has(const struct vicinity *v, const uint8_t *state, uint32_t size)
{
    return store_has(&v->store, state, size, store_hash(state, size));
}

static uint64_t price_of(const struct vicinity *v, long preemptions, size_t steps)
{
    return (uint64_t)preemptions * v->price.preemption + steps * v->price.step;
}

bool schedule_shorten(struct model *m, const struct search_options *o, enum vicinity_of whom, size_t states,
                      const struct schedule *from, struct schedule *to)
{
    struct vicinity v;
    uint32_t error = NO_NODE;
    long preemptions = schedule_preemptions(m, from);
    *to = (struct schedule){0};
    if (preemptions < 0) return false;
    begin(&v, m, o, states);
    if (!v.full && explore(&v, from, whom)) error = find_error(&v, price_of(&v, preemptions, from->choices.len));
    if (error != NO_NODE) build(&v, error, to);
    release(&v);
    return error != NO_NODE;
}

/* The steps before the cycle, or all. */
static struct schedule stem_of(const struct schedule *s)
{
    struct schedule stem = {0};
    size_t steps = s->lasso ? s->cycle_start : s->choices.len;
    for (size_t i = 0; i < steps; i++) vec_push(&stem.choices, s->choices.at[i]);
    return stem;
}

bool schedule_reorder_stem(struct model *m, const struct search_options *o, size_t states, const struct schedule *from,
                           struct schedule *to)
{
    struct vicinity v;
    uint32_t end = NO_NODE;
    struct schedule stem = stem_of(from);
    long preemptions = schedule_preemptions(m, &stem);
    *to = (struct schedule){0};
    begin(&v, m, o, states);
    v.price = FEWEST_STEPS;
    if (preemptions > 0 && !v.full && explore(&v, &stem, OF_THOSE_THAT_MOVE)) {
        v.goal = last_of_path(&v, &stem);
        end = find_error(&v, price_of(&v, preemptions, stem.choices.len));
    }
    if (end != NO_NODE) {
        build(&v, end, to);
        to->deadlock = false, to->violates = from->violates, to->lasso = from->lasso;
        to->cycle_start = from->lasso ? to->choices.len : 0;
        for (size_t i = stem.choices.len; i < from->choices.len; i++) vec_push(&to->choices, from->choices.at[i]);
    }
    schedule_release(&stem);
    release(&v);
    return end != NO_NODE;
}
