/* From a component that was found to be accepting to a short lasso: breadth-first searches over the stored nodes.
 *
 * The stem is a shortest way to an accepting node of the component, the cycle goes from there past whatever fairness
 * still asks for, always to the nearest, and back. All steps of the product between stored nodes are used, also those
 * that a reduced search left out, so the lasso is often shorter than what the search saw. */
#include "search/cycles_int.h"

#include <assert.h>

struct hop { state_ref ref; uint8_t pid, last; };
typedef VEC(struct hop) hops;

struct walk {
    struct cycles *c;
    uint64_t first;          /* the component: open nodes with at least this number */
    struct product_steps steps;
    VEC(state_ref) queue;
    bool inside;             /* stay in the component and pay nothing */
    struct duty have;        /* what the cycle has done so far */
    state_ref wanted;        /* a node to come to, or 0: */
    bool wants_duty;         /* something new for `have`, or else an accepting node of the component */
};

/* How a node was reached is kept in its link: the parent, and above the flags who moved. */
enum { PID_AT = LINK_FLAGS_AT + LINK_FLAG_BITS, LAST_AT = PID_AT + 8 };
static_assert(LAST_AT + 8 <= 64, "the link has room for two processes");

static bool is_seen(const struct walk *w, state_ref r) { return store_flags(&w->c->run.store, r) & SEEN; }

static void note_way(struct walk *w, state_ref to, state_ref from, int pid, int last)
{
    struct store *s = &w->c->run.store;
    uint64_t flags = (uint64_t)(store_flags(s, to) | SEEN) << LINK_FLAGS_AT;
    store64(store_record(s, to), from | flags | (uint64_t)pid << PID_AT | (uint64_t)last << LAST_AT);
    vec_push(&w->queue, to);
}

static bool in_component(const struct walk *w, state_ref r)
{
    const struct store *s = &w->c->run.store;
    return !(store_flags(s, r) & DEAD) && node_number(s, r) >= w->first;
}

static bool may_take(const struct walk *w, state_ref from, const struct product_step *t, state_ref to)
{
    const struct store *s = &w->c->run.store;
    if (!to || !node_number(s, to)) return false;
    if (w->inside) return !t->cost && in_component(w, to);
    return !w->c->bounded || node_level(s, to) == node_level(s, from) + t->cost;
}

static bool adds(const struct duty *have, const struct duty *more)
{
    for (int i = 0; i < 4; i++)
        if (more->fair[i] & ~have->fair[i]) return true;
    return more->accepting && !have->accepting;
}

static bool is_accepting_node(const struct walk *w, state_ref r)
{
    uint32_t size;
    const uint8_t *node = store_state(&w->c->run.store, r, &size);
    return in_component(w, r) && claim_is_accepting(w->c, node_tail(node, size).claim);
}

/* Is the walk over with this step? */
static bool step_is_goal(const struct walk *w, const struct product_step *t, state_ref to)
{
    if (w->wanted) return to == w->wanted;
    if (!w->wants_duty) return is_accepting_node(w, to);
    struct duty d = {0};
    if (t->pid != MODEL_NOBODY) {
        duty_moved(&d, t->pid);
        duty_moved(&d, t->last);
    }
    return adds(&w->have, &d);
}

static void add_way(const struct walk *w, state_ref start, state_ref end, hops *out)
{
    size_t from = out->len;
    for (state_ref at = end; at != start;) {
        uint64_t link = load64(store_record(&w->c->run.store, at));
        assert(at && is_seen(w, at));
        vec_push(out, ((struct hop){at, (uint8_t)(link >> PID_AT), (uint8_t)(link >> LAST_AT)}));
        at = link & REF_MASK;
    }
    for (size_t i = from, k = out->len; i + 1 < k; i++) {
        struct hop swapped = out->at[i];
        out->at[i] = out->at[--k];
        out->at[k] = swapped;
    }
}

static void expand(struct walk *w, state_ref at)
{
    uint32_t size;
    const uint8_t *node = store_state(&w->c->run.store, at, &size);
    vec_clear(&w->steps.list);
    if (product_claim(w->c, node, size)) product_expand(w->c, node, size, -1, &w->steps);
}

/* Looks at the steps of one node; true if the goal was reached, with the way there in `out`. */
static bool visit(struct walk *w, state_ref start, state_ref at, hops *out)
{
    expand(w, at);
    if (w->wants_duty && adds(&w->have, &w->c->here)) {
        add_way(w, start, at, out);
        return true;
    }
    for (size_t i = 0; i < w->steps.list.len; i++) {
        const struct product_step *t = &w->steps.list.at[i];
        const uint8_t *node = w->steps.bytes.at + t->at;
        state_ref to = t->size && !t->fault ? store_find(&w->c->run.store, node, t->size, t->hash) : 0;
        if (!may_take(w, at, t, to)) continue;
        if (step_is_goal(w, t, to)) {
            add_way(w, start, at, out);
            vec_push(out, ((struct hop){to, t->pid, t->last}));
            return true;
        }
        if (!is_seen(w, to)) note_way(w, to, at, t->pid, t->last);
    }
    return false;
}

/* Both the clock and, as the queue is not paid for from the budget, the memory. */
static bool is_over(const struct walk *w, size_t visited)
{
    enum { NODES_PER_CHECK = 64, NODES_PER_MEMORY_CHECK = 1 << 14 };
    const struct limits *l = w->c->run.opt->limits;
    if (w->c->run.m->cut) return true; /* inside a step */
    if (visited % NODES_PER_MEMORY_CHECK == NODES_PER_MEMORY_CHECK - 1) return limits_reached_memory(l);
    return visited % NODES_PER_CHECK == NODES_PER_CHECK - 1 && limits_reached(l);
}

/* False: a limit was reached on the way. */
static bool walk(struct walk *w, state_ref start, hops *out)
{
    bool done = false;
    vec_clear(&w->queue);
    note_way(w, start, 0, MODEL_NOBODY, MODEL_NOBODY);
    for (size_t i = 0; i < w->queue.len && !done; i++) {
        if (is_over(w, i)) return false;
        done = visit(w, start, w->queue.at[i], out);
    }
    if (w->c->run.m->cut) return false;
    if (!done) BUG("no way through the component that was found");
    for (size_t i = 0; i < w->queue.len; i++) store_clear_flags(&w->c->run.store, w->queue.at[i], SEEN);
    return true;
}

static void note_duties(struct walk *w, const hops *way, size_t from)
{
    for (size_t i = from; i < way->len; i++) {
        expand(w, way->at[i].ref);
        duty_join(&w->have, &w->c->here);
        if (way->at[i].pid == MODEL_NOBODY) continue;
        duty_moved(&w->have, way->at[i].pid);
        duty_moved(&w->have, way->at[i].last);
    }
}

static bool walk_cycle(struct walk *w, state_ref start, hops *way)
{
    size_t from = way->len;
    w->inside = true;
    expand(w, start);
    w->have = w->c->here;
    while (!duty_done(&w->have, w->c->p->fair)) {
        size_t before = way->len;
        w->wants_duty = true;
        if (!walk(w, way->len > from ? vec_last(way).ref : start, way)) return false;
        note_duties(w, way, before);
    }
    w->wants_duty = false;
    w->wanted = start;
    if (way->len > from && vec_last(way).ref == start) return true;
    return walk(w, way->len > from ? vec_last(way).ref : start, way);
}

/* ---- the schedule ---- */

static void add_choice(struct cycles *c, state_ref from, const struct hop *hop, struct schedule *out)
{
    uint32_t size, target_size;
    const uint8_t *node = store_state(&c->run.store, from, &size),
                  *target = store_state(&c->run.store, hop->ref, &target_size);
    if (hop->pid == MODEL_NOBODY) return; /* the model has come to its end */
    vec_push(&out->choices, product_choice(c, node, size, target, target_size, hop->pid, hop->last));
}

static void add_choices(struct cycles *c, state_ref start, const hops *way, size_t cycle, struct schedule *out)
{
    for (size_t i = 0; i < way->len; i++) {
        if (i == cycle) out->cycle_start = out->choices.len;
        add_choice(c, i ? way->at[i - 1].ref : start, &way->at[i], out);
    }
}

static bool find_way(struct walk *w, state_ref start, state_ref end, hops *way, size_t *cycle)
{
    bool there = end ? end == start : is_accepting_node(w, start);
    if (!there && !walk(w, start, way)) return false;
    *cycle = way->len;
    w->wanted = 0;
    return end || walk_cycle(w, way->len ? vec_last(way).ref : start, way);
}

bool lasso_schedule(struct cycles *c, uint64_t first, state_ref end, struct schedule *out)
{
    struct walk w = {.c = c, .first = first, .wanted = end};
    hops way = {0};
    state_ref start = 1; /* the first node that was stored */
    size_t cycle = 0;
    uint64_t transitions = c->run.res->transitions;
    bool built = find_way(&w, start, end, &way, &cycle);
    out->violates = true;
    out->lasso = !end;
    if (built) add_choices(c, start, &way, end ? way.len : cycle, out);
    built &= !c->run.m->cut;
    if (built && out->lasso && way.at[way.len - 1].pid == MODEL_NOBODY) out->cycle_start = out->choices.len;
    assert(!built || out->cycle_start <= out->choices.len);
    c->run.res->transitions = transitions;
    product_steps_release(&w.steps);
    vec_release(&w.queue);
    vec_release(&way);
    return built;
}
