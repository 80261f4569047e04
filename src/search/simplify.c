/* The same steps in another order, with the fewest preemptions.
 *
 * Every process keeps its own sequence of steps; what may change is how they interleave. A node is (how far each
 * process is in its sequence, state, who moved last); the cheapest path from the start to the same error is found
 * level by level, as in the ordered search. Orders that are equivalent to the given one (same happens-before) are among
 * those tried, and so are others in which each process still executes the same statements, so the result is at least
 * as good as the best equivalent one. Dependence never has to be computed: a step that is not possible, or that does
 * something else, in the new place does not match its entry in the sequence.
 * Steps that the error does not need are left out if they come after it in the new order. */
#include "search/search_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A step of the given schedule. */
struct event {
    int pid, last;
    bool fault, in_spite;
    struct move *moves;
    uint32_t move_count;
};

struct simplifier {
    struct model *m;
    bool deadlock;
    VEC(struct event) events;
    int slot_of[MODEL_MOST_PROCESSES];   /* dense numbers for the processes that take part, -1: none */
    int processes;
    VEC(uint32_t) sequence[MODEL_MOST_PROCESSES]; /* by slot: its events */
    struct budget budget;
    struct store store;                  /* of nodes; one word: the choice that led here */
    struct frontier now, later;          /* nodes at this level, and one preemption further */
    VEC(uint8_t) node;                   /* the one being expanded, and */
    VEC(uint8_t) next;                   /* a successor being built */
    VEC(uint8_t) found;                  /* successors of the node: struct candidate + node bytes */
    bool goal, full;
    state_ref goal_ref;
};

/* A node: progress of each process (4 bytes), last process (1 byte), then the state. */
static size_t head_size(const struct simplifier *z) { return (size_t)z->processes * 4 + 1; }

static uint32_t progress_of(const uint8_t *node, int slot)
{
    uint32_t n;
    memcpy(&n, node + slot * 4, 4);
    return n;
}

static bool is_ready(const struct simplifier *z, const uint8_t *node, uint32_t event, int pid)
{
    int slot = z->slot_of[pid];
    uint32_t at = progress_of(node, slot);
    return at < z->sequence[slot].len && z->sequence[slot].at[at] == event;
}

static bool same_moves(const struct event *e, const struct successor *s)
{
    if (e->pid != s->pid || e->last != s->last || e->move_count != s->move_count) return false;
    if (e->fault != (s->fault != NULL) || e->in_spite != s->in_spite) return false;
    for (uint32_t i = 0; i < s->move_count; i++)
        if (e->moves[i].pid != s->moves[i].pid || e->moves[i].transition != s->moves[i].transition) return false;
    return true;
}

/* The event that this step is, given how far the processes are; -1: none. */
static long matching_event(const struct simplifier *z, const uint8_t *node, const struct successor *s)
{
    int slot = z->slot_of[s->pid];
    if (slot < 0 || progress_of(node, slot) >= z->sequence[slot].len) return -1;
    uint32_t event = z->sequence[slot].at[progress_of(node, slot)];
    const struct event *e = &z->events.at[event];
    if (!same_moves(e, s)) return -1;
    for (uint32_t i = 0; i < e->move_count; i++)
        if (!is_ready(z, node, event, e->moves[i].pid)) return -1;
    return (long)event;
}

static void each_participant(const struct event *e, void (*fn)(void *ctx, int pid), void *ctx)
{
    bool seen[MODEL_MOST_PROCESSES] = {0};
    seen[e->pid] = true;
    fn(ctx, e->pid);
    for (uint32_t i = 0; i < e->move_count; i++)
        if (!seen[e->moves[i].pid]) {
            seen[e->moves[i].pid] = true;
            fn(ctx, e->moves[i].pid);
        }
}

static void count_progress(void *ctx, int pid)
{
    struct simplifier *z = ctx;
    uint32_t n = progress_of(z->next.at, z->slot_of[pid]) + 1;
    memcpy(z->next.at + z->slot_of[pid] * 4, &n, 4);
}

static void build_next(struct simplifier *z, const struct event *e, const struct successor *s)
{
    size_t head = head_size(z), state = s->state ? s->size : 0;
    vec_reserve(&z->next, head + state);
    memcpy(z->next.at, z->node.at, head);
    each_participant(e, count_progress, z);
    z->next.at[head - 1] = (uint8_t)s->last;
    if (state) memcpy(z->next.at + head, s->state, state);
    z->next.len = head + state;
}

struct candidate { uint32_t choice, size; int pid; };

struct expansion { struct simplifier *z; uint32_t choice; int last; bool last_enabled; };

static bool on_successor(void *ctx, const struct successor *s)
{
    struct expansion *x = ctx;
    struct simplifier *z = x->z;
    uint32_t choice = x->choice++;
    x->last_enabled |= s->pid == x->last && !s->timeout;
    long event = matching_event(z, z->node.at, s);
    if (event < 0) return true;
    build_next(z, &z->events.at[event], s);
    struct candidate c = {choice, (uint32_t)z->next.len, s->pid};
    vec_reserve(&z->found, z->found.len + sizeof c + c.size);
    memcpy(z->found.at + z->found.len, &c, sizeof c);
    memcpy(z->found.at + z->found.len + sizeof c, z->next.at, c.size);
    z->found.len += sizeof c + c.size;
    return true;
}

/* Whether a step was a preemption is known only when all steps of the node have been seen. */
static void push_found(struct simplifier *z, const struct expansion *x, state_ref from)
{
    for (size_t at = 0; at < z->found.len && !z->full;) {
        struct candidate c;
        memcpy(&c, z->found.at + at, sizeof c);
        bool costs = c.pid != x->last && x->last_enabled;
        struct frontier_item item = {from | (uint64_t)c.choice << REF_BITS, z->found.at + at + sizeof c, c.size};
        z->full |= !frontier_push(costs ? &z->later : &z->now, item);
        at += sizeof c + c.size;
    }
}

static bool is_goal(const struct simplifier *z, bool has_steps)
{
    const struct event *final = z->events.len ? &vec_last(&z->events) : NULL;
    if (z->deadlock) return !has_steps && !z->m->ops->valid_end(z->m, z->node.at + head_size(z));
    int slot = z->slot_of[final->pid];
    return progress_of(z->node.at, slot) == z->sequence[slot].len;
}

static void expand(struct simplifier *z, state_ref ref)
{
    size_t head = head_size(z);
    struct expansion x = {.z = z, .last = z->node.at[head - 1]};
    vec_clear(&z->found);
    if (!z->deadlock && is_goal(z, true)) {
        z->goal = true;
        z->goal_ref = ref;
        return;
    }
    if (z->node.len == head) return; /* a fault that is not the one looked for */
    uint32_t steps = z->m->ops->successors(z->m, z->node.at + head, (uint32_t)(z->node.len - head), MODEL_ALL, false,
                                           on_successor, &x);
    if (z->deadlock && is_goal(z, steps > 0)) {
        z->goal = true;
        z->goal_ref = ref;
        return;
    }
    push_found(z, &x, ref);
}

/* Takes the next node of this level; skips those that were reached before, which was cheaper or as cheap. */
static void visit(struct simplifier *z, struct frontier_item item)
{
    state_ref ref;
    switch (store_add(&z->store, item.state, item.size, store_hash(item.state, item.size), &ref)) {
    case STORE_OLD: return;
    case STORE_FULL: z->full = true; return;
    case STORE_NEW: break;
    }
    store_set_parent(&z->store, ref, item.word & REF_MASK);
    store64(store_words(&z->store, ref), item.word >> REF_BITS);
    vec_reserve(&z->node, item.size);
    memcpy(z->node.at, item.state, item.size);
    z->node.len = item.size;
    expand(z, ref);
}

static bool goes_on(const struct simplifier *z, size_t most_nodes, const struct limits *l)
{
    enum { NODES_PER_CHECK = 64 };
    if (z->store.count % NODES_PER_CHECK == 0 && limits_reached(l)) return false;
    return z->now.len && !z->goal && !z->full && z->store.count < most_nodes;
}

static void search_levels(struct simplifier *z, size_t most_nodes, const struct limits *l)
{
    while (z->now.len && !z->goal && !z->full) {
        while (goes_on(z, most_nodes, l)) visit(z, frontier_pop(&z->now));
        if (z->now.len) return;
        frontier_release(&z->now);
        z->now = z->later;
        frontier_init(&z->later, &z->budget);
    }
}

static void add_participant(void *ctx, int pid)
{
    struct simplifier *z = ctx;
    if (z->slot_of[pid] < 0) z->slot_of[pid] = z->processes++;
    vec_push(&z->sequence[z->slot_of[pid]], (uint32_t)z->events.len);
}

/* False if a limit was reached inside of a long step. */
static bool collect_events(struct simplifier *z, const struct schedule *from)
{
    struct replay *r = replay_new(z->m);
    memset(z->slot_of, -1, sizeof z->slot_of);
    for (size_t i = 0; i < from->choices.len; i++) {
        const struct successor *s = replay_step(r, from->choices.at[i]);
        if (z->m->cut) break;
        assert(s);
        struct event e = {s->pid, s->last, s->fault, s->in_spite, NULL, s->move_count};
        e.moves = xmalloc(s->move_count * sizeof *s->moves);
        if (s->move_count) memcpy(e.moves, s->moves, s->move_count * sizeof *s->moves);
        each_participant(&e, add_participant, z);
        vec_push(&z->events, e);
    }
    replay_free(r);
    return !z->m->cut;
}

static void push_initial(struct simplifier *z)
{
    size_t head = head_size(z);
    vec_reserve(&z->next, head + z->m->max_state);
    memset(z->next.at, 0, head);
    z->next.at[head - 1] = MODEL_NOBODY;
    uint32_t size = z->m->ops->initial(z->m, z->next.at + head);
    z->full = !frontier_push(&z->now, (struct frontier_item){0, z->next.at, (uint32_t)head + size});
}

static void collect_choices(const struct simplifier *z, struct schedule *to)
{
    to->deadlock = z->deadlock;
    for (state_ref at = z->goal_ref; store_parent(&z->store, at); at = store_parent(&z->store, at))
        vec_push(&to->choices, (uint32_t)load64(store_words(&z->store, at)));
    for (size_t i = 0, j = to->choices.len; i + 1 < j; i++, j--) {
        uint32_t swapped = to->choices.at[i];
        to->choices.at[i] = to->choices.at[j - 1];
        to->choices.at[j - 1] = swapped;
    }
}

static void release(struct simplifier *z)
{
    for (size_t i = 0; i < z->events.len; i++) free(z->events.at[i].moves);
    for (int i = 0; i < z->processes; i++) vec_release(&z->sequence[i]);
    vec_release(&z->events);
    vec_release(&z->node);
    vec_release(&z->next);
    vec_release(&z->found);
    frontier_release(&z->now);
    frontier_release(&z->later);
    store_release(&z->store);
}

enum simplified schedule_simplify(struct model *m, const struct schedule *from, struct schedule *to, size_t most_nodes,
                                  const struct limits *limits)
{
    struct simplifier z = {.m = m, .deadlock = from->deadlock, .budget = {.limit = limits ? limits->memory : 0}};
    *to = (struct schedule){0};
    bool whole = collect_events(&z, from);
    frontier_init(&z.now, &z.budget);
    frontier_init(&z.later, &z.budget);
    if (whole && store_init(&z.store, (struct store_plan){STORE_EXACT, 1, true, 0}, &z.budget)) {
        push_initial(&z);
        search_levels(&z, most_nodes, limits);
    }
    if (z.goal) collect_choices(&z, to);
    enum simplified answer = SIMPLIFIED_GAVE_UP;
    if (z.goal && !m->cut) {
        long before = schedule_preemptions(m, from), after = schedule_preemptions(m, to);
        bool better = after < before || to->choices.len < from->choices.len;
        assert(after <= before || m->cut);
        if (!m->cut) answer = better ? SIMPLIFIED_SHORTER : SIMPLIFIED_MINIMAL_ALREADY;
    }
    if (answer != SIMPLIFIED_SHORTER) schedule_release(to);
    release(&z);
    return answer;
}
