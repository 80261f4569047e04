/* Accepting cycles of the product where nothing is known of a visited node but that it was visited: a nested
 * depth-first search (Courcoubetis, Vardi, Wolper and Yannakakis, with the colours of Schwoon and Esparza). A node has
 * two bits: the first search was there, and the second one, which begins at every accepting node when the first one
 * leaves it and looks for a way back to the search path. The path itself is on the stack, bytes and all, so that a
 * cycle that is found is one, whatever the store has lost, and its steps are there to be replayed.
 *
 * Which steps a node has does not depend on what was visited (reduction.c), so both searches see the same graph.
 *
 * Fairness: nodes know whose turn it is. The turn goes from the automaton, which wants an accepting state, to each
 * process, which wants to move or not to be able to, and passes over whoever has what he wants. A node that ends a
 * round is accepting (Choueka's counter).
 *
 * Bounded, in levels: what costs a preemption begins the next level, and the graph of the steps that cost nothing is
 * searched from all these beginnings, with the same bits. How a beginning was reached is not kept: when there is an
 * error, the search runs again until it meets it, and again until it meets what that one began with.
 *
 * Bounded, depth first (--spin-bcs): nodes have the number of preemptions so far. A cycle cannot have any, for the
 * number never falls. As with a bit field in Sec. 3.2 of Holzmann and Florian a state is entered for each number. */
#include "search/cycles_int.h"

#include "search/lines_int.h"
#include "search/tree_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Behind the bytes of a node: whose turn it is with fairness, preemptions so far, and what is remembered of it: that
 * the second search was there, that it waits for the next level, or (neither) that the first search was there. */
struct rider { uint16_t turn : 14, second : 1, waits : 1; uint16_t count; };
enum { RIDER = sizeof(struct rider), ROUND_DONE = MODEL_MOST_PROCESSES + 1, ROUND_MASK = (1 << 14) - 1 };
_Static_assert(RIDER == 4, "the rider is what it says");

/* The step that led to a node of the path, on the stack; the node follows. */
struct entry { uint32_t size, nth; uint8_t pid; };

/* A node on the path of the first search or, above it, of the second. Its steps are not kept: when the search comes
 * back to it, it is expanded again, which takes less time than the memory for them would be worth. */
struct frame {
    size_t entry;
    uint32_t next, end;     /* steps taken, and how many there are */
    bool accepting;
    bool again;             /* the second search begins here: it is the same node as below, and no step led to it */
};

/* A violation, with the steps from the beginning of the present tree. */
struct finding {
    pid_steps steps;
    bool exists, violates, lasso;
    size_t cycle_start;
    const char *fault; /* of the last step, if it fails; as in struct search_result */
    char fault_message[sizeof ((struct search_result *)0)->fault_message];
};

struct nested {
    struct cycles c;
    struct lines hashes;     /* STORE_COMPACT: marks say which search was there; else the run's store */
    VEC(struct frame) frames;
    size_t second;           /* number of the frame with which the second search began, 0: there is none */
    struct byte_stack bytes;
    VEC(uint64_t) places;    /* of frames of the first search, plus 1, by hash of their nodes; 0: empty */
    size_t charged;
    uint64_t visited;        /* by the first search */
    struct product_steps steps; /* of the frame on top, if this many frames there are: */
    size_t expanded;
    VEC(uint32_t) order;     /* in which these are taken, unless it is as they are listed */
    uint64_t salt;           /* of the seed: decides it */
    VEC(uint8_t) node;       /* being expanded */
    bool by_count;           /* bounded, depth first */
    bool bound_cut;
    struct frontier next;    /* bounded, in levels: where the next level begins */
    struct finding found, costly; /* costly: with the first fault that costs a preemption */
    VEC(uint8_t) root;       /* where the tree begins in which something was found, and of which level it is */
    int64_t root_level;
    VEC(uint8_t) wanted;     /* the beginning of a tree of the next level that is looked for; else empty */
};

/* ---- nodes ---- */

static struct entry entry_at(const struct nested *s, size_t at)
{
    struct entry e;
    memcpy(&e, s->bytes.at + at, sizeof e);
    return e;
}

static struct rider rider_of(const uint8_t *node, uint32_t size)
{
    struct rider r;
    memcpy(&r, node + size - RIDER, RIDER);
    return r;
}

static void set_rider(uint8_t *node, uint32_t size, struct rider r) { memcpy(node + size - RIDER, &r, RIDER); }

static bool is_accepting(const struct nested *s, const uint8_t *node, uint32_t size)
{
    if (s->c.p->fair) return rider_of(node, size).turn == ROUND_DONE;
    return claim_is_accepting(&s->c, node_tail(node, size - RIDER).claim);
}

/* Whose turn it is after a step of the node being expanded; 0 is the automaton's. */
static uint16_t turn_after(const struct nested *s, uint32_t turn, const struct product_step *t, int processes)
{
    struct duty done = s->c.here;
    if (t->pid != MODEL_NOBODY) duty_moved(&done, t->pid), duty_moved(&done, t->last);
    if (turn == ROUND_DONE) turn = 0;
    if (turn == 0 && done.accepting) turn++;
    while (turn > 0 && turn <= (uint32_t)processes && done.fair[(turn - 1) / 64] >> (turn - 1) % 64 & 1) turn++;
    return (uint16_t)(turn > (uint32_t)processes ? ROUND_DONE : turn);
}

/* ---- what was visited ---- */

enum { FIRST = 1, SECOND = 2, WAITS = 4 };

static enum store_answer add_hash(struct nested *s, uint64_t hash, uint8_t search)
{
    struct place p;
    uint64_t key = hash & KEY_MASK;
    bool there = s->hashes.count && lines_find(&s->hashes, key, &p);
    if (there && *place_mark(&s->hashes, p) & search) return STORE_OLD;
    if (!there) {
        if (!lines_add(&s->hashes, key, &s->c.run.budget, &p)) return STORE_FULL;
        *place_mark(&s->hashes, p) = 0;
    }
    *place_mark(&s->hashes, p) |= search;
    return STORE_NEW;
}

/* The bits for what else is remembered are those of the same node with another rider. */
static enum store_answer add_visit(struct nested *s, uint8_t *node, uint32_t size)
{
    struct rider r = rider_of(node, size);
    state_ref ref;
    enum store_answer a;
    uint64_t hash = store_hash(node, size);
    if (s->c.run.opt->store != STORE_COMPACT) a = store_add(&s->c.run.store, node, size, hash, &ref);
    else {
        struct rider plain = {.turn = r.turn, .count = r.count};
        set_rider(node, size, plain);
        a = add_hash(s, store_hash(node, size), r.second ? SECOND : r.waits ? WAITS : FIRST);
        set_rider(node, size, r);
    }
    if (a == STORE_FULL) run_stop(&s->c.run, STOP_MEMORY);
    s->visited += a == STORE_NEW && !r.second && !r.waits;
    return a;
}

static bool was_visited(struct nested *s, const uint8_t *node, uint32_t size)
{
    struct place p;
    assert(!rider_of(node, size).second);
    uint64_t hash = store_hash(node, size);
    if (s->c.run.opt->store != STORE_COMPACT) return store_has(&s->c.run.store, node, size, hash);
    return s->hashes.count && lines_find(&s->hashes, hash & KEY_MASK, &p) && *place_mark(&s->hashes, p) & FIRST;
}

/* ---- the path of the first search, by node ---- */

static const uint8_t *frame_node(const struct nested *s, size_t frame, uint32_t *size)
{
    size_t at = s->frames.at[frame].entry;
    *size = entry_at(s, at).size;
    return s->bytes.at + at + sizeof(struct entry);
}

static size_t place_of(const struct nested *s, const uint8_t *node, uint32_t size)
{
    uint64_t mask = s->places.len - 1;
    for (uint64_t i = store_hash(node, size) & mask;; i = (i + 1) & mask) {
        uint64_t frame = s->places.at[i];
        uint32_t its_size = 0;
        const uint8_t *its = frame ? frame_node(s, frame - 1, &its_size) : NULL;
        if (!frame || (its_size == size && !memcmp(its, node, size))) return i;
    }
}

/* The frame of the node, plus 1; 0: it is not on the path. */
static uint64_t frame_of(const struct nested *s, const uint8_t *node, uint32_t size)
{
    return s->places.at[place_of(s, node, size)];
}

static bool grow_places(struct nested *s)
{
    size_t room = MAX(s->places.len * 2, (size_t)1024);
    if (!budget_take(&s->c.run.budget, (room - s->places.len) * sizeof *s->places.at)) return false;
    vec_reserve(&s->places, room);
    s->places.len = room;
    memset(s->places.at, 0, room * sizeof *s->places.at);
    size_t placed = s->second ? s->second : s->frames.len - 1; /* not the one that needs the room */
    for (size_t i = 0; i < placed; i++) {
        uint32_t size;
        const uint8_t *node = frame_node(s, i, &size);
        s->places.at[place_of(s, node, size)] = i + 1;
    }
    return true;
}

/* The last one to come is the first to go, so that its place can simply be emptied. */
static void change_place(struct nested *s, uint64_t to)
{
    uint32_t size;
    const uint8_t *node = frame_node(s, s->frames.len - 1, &size);
    uint64_t *place = &s->places.at[place_of(s, node, size)];
    assert(*place == (to ? 0 : s->frames.len));
    *place = to;
}

/* ---- errors ---- */

/* The steps to the top of the stack; those in which the automaton moves alone are none of the model's. Returns how many
 * lead to the node of frame `upto`. */
static size_t path_steps(const struct nested *s, size_t upto, pid_steps *steps)
{
    size_t before = 0;
    for (size_t i = 0; i < s->frames.len; i++) {
        struct entry e = entry_at(s, s->frames.at[i].entry);
        if (i && !s->frames.at[i].again && e.pid != MODEL_NOBODY)
            vec_push(steps, ((struct pid_step){e.pid, e.nth}));
        if (i == upto) before = steps->len;
    }
    return before;
}

static void keep_root(struct nested *s)
{
    uint32_t size;
    const uint8_t *node = frame_node(s, 0, &size);
    vec_clear(&s->root);
    vec_reserve(&s->root, size);
    memcpy(s->root.at, node, size);
    s->root.len = size;
    s->root_level = s->c.level;
}

static void found(struct nested *s, struct finding f)
{
    f.exists = true;
    s->found = f;
    run_count_error(&s->c.run);
    run_stop(&s->c.run, STOP_ERROR);
}

static void name_fault(struct nested *s, struct finding *f, const struct pid_step *step)
{
    struct search_result *res = s->c.run.res;
    run_name_fault(&s->c.run, s->c.run.m, s->node.at, (uint32_t)s->node.len - TAIL - RIDER, step->pid, step->nth);
    f->fault = res->fault;
    memcpy(f->fault_message, res->fault_message, sizeof f->fault_message);
    res->fault = NULL;
}

/* A finite execution; `step` is NULL or its last step, which has a fault or leads to the node that is wanted. */
static void found_end(struct nested *s, const struct pid_step *step, bool costly)
{
    struct finding f = {.violates = !step, .exists = true};
    if (costly && s->costly.exists) return;
    path_steps(s, 0, &f.steps);
    if (step) vec_push(&f.steps, *step);
    if (step && !s->wanted.len) name_fault(s, &f, step);
    keep_root(s);
    if (costly) s->costly = f;
    else found(s, f);
}

/* From the top of the stack there is a step to the node of a frame of the first search. */
static void found_cycle(struct nested *s, size_t frame, struct pid_step step)
{
    struct finding f = {.violates = true, .lasso = true};
    f.cycle_start = path_steps(s, frame, &f.steps);
    if (step.pid != MODEL_NOBODY) vec_push(&f.steps, step);
    keep_root(s);
    found(s, f);
}

/* ---- steps ---- */

static void push_entry(struct nested *s, const struct product_step *t, uint32_t nth, struct rider r)
{
    struct entry e = {.size = t->size + RIDER, .nth = nth, .pid = t->pid};
    if (!byte_stack_reserve(&s->c.run, &s->bytes, sizeof e + e.size)) return;
    byte_stack_push_both(&s->c.run, &s->bytes, &e, sizeof e, s->steps.bytes.at + t->at, t->size);
    byte_stack_push(&s->c.run, &s->bytes, &r, RIDER);
}

static bool is_wanted(const struct nested *s, const uint8_t *node, uint32_t size)
{
    return s->wanted.len == size && !memcmp(s->wanted.at, node, size);
}

static bool waits_already(struct nested *s, uint8_t *node, uint32_t size)
{
    struct rider r = rider_of(node, size), waiting = r;
    waiting.waits = true;
    set_rider(node, size, waiting);
    bool known = add_visit(s, node, size) == STORE_OLD;
    set_rider(node, size, r);
    return known;
}

/* The node on top of the stack was reached by a step that costs a preemption: it begins a tree of the next level. */
static void put_off(struct nested *s, size_t at)
{
    struct entry e = entry_at(s, at);
    uint8_t *node = s->bytes.at + at + sizeof e;
    struct run *r = &s->c.run;
    if (is_wanted(s, node, e.size)) {
        found_end(s, &(struct pid_step){e.pid, e.nth}, false);
        return;
    }
    if (was_visited(s, node, e.size) || waits_already(s, node, e.size) || r->stopped) return;
    if (!frontier_push(&s->next, (struct frontier_item){0, node, e.size})) run_stop(r, STOP_MEMORY);
}

static bool costs_now(const struct nested *s, const struct product_step *t) { return t->cost && !s->by_count; }

/* Position of a step among those of its process; the list has the steps once for each target of the automaton. */
static uint32_t position(const struct product_steps *steps, size_t i, size_t moves)
{
    uint32_t nth = 0;
    for (size_t k = i - i % moves; k < i; k++) nth += steps->list.at[k].pid == steps->list.at[i].pid;
    return nth;
}

static bool take_fault(struct nested *s, size_t moves)
{
    if (product_leaves_faults(&s->c, &s->steps)) return false;
    for (size_t i = 0; s->steps.fault && i < moves; i++) {
        const struct product_step *t = &s->steps.list.at[i];
        struct rider here = rider_of(s->node.at, (uint32_t)s->node.len);
        bool beyond = s->by_count && here.count + t->cost > s->c.run.opt->bound;
        if (!t->fault || beyond) continue;
        bool costly = costs_now(s, t);
        found_end(s, &(struct pid_step){t->pid, position(&s->steps, i, moves)}, costly);
        if (!costly) return true;
    }
    return false;
}

/* ---- frames ---- */

static bool pay_for_frames(struct nested *s)
{
    size_t now = s->frames.cap * sizeof *s->frames.at;
    if (now > s->charged && !budget_take(&s->c.run.budget, now - s->charged)) return false;
    s->charged = MAX(now, s->charged);
    return s->places.len >= 2 * s->frames.len || grow_places(s);
}

/* A copy: the stack may move. */
static void keep_node(struct nested *s, const uint8_t *node, uint32_t size)
{
    vec_clear(&s->node);
    vec_reserve(&s->node, size);
    memcpy(s->node.at, node, size);
    s->node.len = size;
}

static uint64_t rank(const struct nested *s, uint32_t number)
{
    if (s->c.run.opt->order == STEPS_REVERSED) return UINT32_MAX - number;
    uint64_t x = (s->steps.list.at[number].hash + s->salt) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

/* Insertion: there are few. Steps to the same node stay as they are listed, so the order is the same each time. */
static void order_steps(struct nested *s)
{
    vec_clear(&s->order);
    if (s->c.run.opt->order == STEPS_LISTED) return;
    for (uint32_t i = 0; i < s->steps.list.len; i++) {
        vec_push(&s->order, i);
        for (size_t k = i; k > 0 && rank(s, s->order.at[k - 1]) > rank(s, s->order.at[k]); k--) {
            uint32_t number = s->order.at[k];
            s->order.at[k] = s->order.at[k - 1];
            s->order.at[k - 1] = number;
        }
    }
}

/* The steps of the node on top; false: the automaton does not go on. */
static bool list_steps(struct nested *s)
{
    struct cycles *c = &s->c;
    uint32_t size;
    const uint8_t *node = frame_node(s, s->frames.len - 1, &size);
    keep_node(s, node, size);
    s->expanded = s->frames.len;
    vec_clear(&s->steps.list);
    if (!product_claim(c, s->node.at, size - RIDER)) return false;
    product_expand_reduced(c, s->node.at, size - RIDER, &s->steps);
    order_steps(s);
    return true;
}

static size_t move_count(const struct nested *s) { return s->steps.list.len / MAX(s->c.targets.len, (size_t)1); }

static void expand(struct nested *s)
{
    struct cycles *c = &s->c;
    uint64_t transitions = c->run.res->transitions;
    bool goes_on = list_steps(s);
    if (s->second) c->run.res->transitions = transitions; /* they were counted */
    if (c->run.stopped) return;
    if (c->violated || c->claim_fault) found_end(s, NULL, false);
    else if (goes_on && !take_fault(s, move_count(s))) vec_last(&s->frames).end = (uint32_t)s->steps.list.len;
}

/* The node of this entry becomes the top of the path. */
static void enter(struct nested *s, size_t entry, bool again)
{
    struct entry e = entry_at(s, entry);
    const uint8_t *node = s->bytes.at + entry + sizeof e;
    vec_push(&s->frames, ((struct frame){entry, 0, 0, is_accepting(s, node, e.size), again}));
    s->c.run.res->depth = MAX(s->c.run.res->depth, s->frames.len);
    if (!pay_for_frames(s)) run_stop(&s->c.run, STOP_MEMORY);
    if (s->c.run.stopped) return;
    if (!s->second) change_place(s, s->frames.len);
    expand(s);
}

/* Does the entry on top of the stack lead to a node that may be new? If it closes a cycle, that was it. */
static bool leads_on(struct nested *s, size_t at)
{
    struct entry e = entry_at(s, at);
    uint8_t *node = s->bytes.at + at + sizeof e;
    struct rider r = rider_of(node, e.size), plain = {.turn = r.turn, .count = r.count};
    set_rider(node, e.size, plain);
    uint64_t frame = frame_of(s, node, e.size);
    set_rider(node, e.size, r);
    bool closes = frame && (s->second || vec_last(&s->frames).accepting || s->frames.at[frame - 1].accepting);
    if (closes) found_cycle(s, frame - 1, (struct pid_step){e.pid, e.nth});
    return !frame;
}

static struct rider rider_after(const struct nested *s, const struct product_step *t)
{
    struct rider here = rider_of(s->node.at, (uint32_t)s->node.len), to = {.second = s->second > 0};
    int processes = s->c.run.m->ops->process_count(s->c.run.m, s->node.at);
    to.count = (uint16_t)(here.count + (s->by_count ? t->cost : 0));
    if (s->c.p->fair && !t->cost) to.turn = turn_after(s, here.turn, t, processes) & ROUND_MASK;
    return to;
}

static void take_step(struct nested *s, size_t number)
{
    const struct product_step *t = &s->steps.list.at[number];
    struct rider to = rider_after(s, t);
    size_t at = s->bytes.len;
    if (t->fault || (t->cost && s->second)) return; /* no cycle has such a step */
    if (s->by_count && to.count > s->c.run.opt->bound) {
        s->bound_cut = true;
        return;
    }
    bool later = costs_now(s, t);
    push_entry(s, t, position(&s->steps, number, move_count(s)), to);
    if (s->c.run.stopped) return;
    if (later) put_off(s, at);
    else if (leads_on(s, at)) {
        struct entry e = entry_at(s, at);
        if (add_visit(s, s->bytes.at + at + sizeof e, e.size) == STORE_NEW) {
            enter(s, at, false);
            return;
        }
    }
    s->bytes.len = at;
}

static void advance(struct nested *s)
{
    uint64_t transitions = s->c.run.res->transitions;
    if (s->expanded != s->frames.len) {
        list_steps(s);
        s->c.run.res->transitions = transitions;
    }
    if (s->c.run.stopped) return;
    uint32_t next = vec_last(&s->frames).next++;
    take_step(s, s->order.len ? s->order.at[next] : next);
}

/* The second search begins where the first one is about to leave an accepting node. */
static void begin_second(struct nested *s)
{
    size_t below = vec_last(&s->frames).entry, at = s->bytes.len;
    struct entry e = entry_at(s, below);
    keep_node(s, s->bytes.at + below + sizeof e, e.size);
    struct rider r = rider_of(s->node.at, e.size);
    r.second = true;
    set_rider(s->node.at, e.size, r);
    s->second = s->frames.len;
    bool pushed = byte_stack_push_both(&s->c.run, &s->bytes, &e, sizeof e, s->node.at, e.size);
    if (pushed && add_visit(s, s->bytes.at + at + sizeof e, e.size) != STORE_FULL) enter(s, at, true);
}

static void pop_frame(struct nested *s)
{
    s->bytes.len = vec_pop(&s->frames).entry;
    s->expanded = 0;
}

static void leave(struct nested *s)
{
    bool ends_second = s->second && s->frames.len - 1 == s->second;
    if (!s->second && vec_last(&s->frames).accepting) {
        begin_second(s);
        return;
    }
    if (s->second) pop_frame(s);
    if (s->second && !ends_second) return;
    s->second = 0; /* and the node where it began is done with */
    change_place(s, 0);
    pop_frame(s);
}

static void explore(struct nested *s)
{
    while (s->frames.len && !run_tick(&s->c.run)) {
        struct frame *f = &vec_last(&s->frames);
        if (f->next < f->end) advance(s);
        else leave(s);
    }
}

static void start_at(struct nested *s, const uint8_t *node, uint32_t size)
{
    struct entry e = {.size = size, .pid = MODEL_NOBODY};
    s->bytes.len = 0;
    if (!byte_stack_push_both(&s->c.run, &s->bytes, &e, sizeof e, node, size)) return;
    if (add_visit(s, s->bytes.at + sizeof e, size) == STORE_NEW) enter(s, 0, false);
    explore(s);
}

/* ---- levels ---- */

static void end_level(struct nested *s)
{
    struct run *r = &s->c.run;
    r->res->bound = s->c.level;
    struct search_level done = {s->c.level, s->visited, r->res->transitions, seconds_now() - r->started};
    if (r->opt->level_done && !s->wanted.len) r->opt->level_done(r->opt->ctx, &done);
    if (!s->next.len && !s->costly.exists) run_stop(r, STOP_COMPLETE);
    else if (s->c.level == r->opt->bound) run_stop(r, STOP_BOUND);
    s->c.level++;
    if (r->stopped || !s->costly.exists) return;
    found(s, s->costly);
    s->costly = (struct finding){0}; /* its steps are the finding's now */
}

static void explore_levels(struct nested *s)
{
    struct run *r = &s->c.run;
    while (!r->stopped) {
        end_level(s);
        struct frontier now = s->next;
        frontier_init(&s->next, &r->budget);
        while (now.len && !r->stopped) {
            struct frontier_item item = frontier_pop(&now);
            start_at(s, item.state, item.size);
        }
        frontier_release(&now);
    }
}

/* ---- begin and end ---- */

static bool init_store(struct nested *s)
{
    const struct search_options *o = s->c.run.opt;
    lines_init(&s->hashes, KEY_BITS, 1, 0);
    if (o->store == STORE_COMPACT) return true;
    struct store_plan plan = {o->store, 0, o->store != STORE_BITS, o->bit_field, s->salt};
    return store_init(&s->c.run.store, plan, &s->c.run.budget);
}

static void explore_all(struct nested *s)
{
    struct run *r = &s->c.run;
    uint8_t *node = xcalloc(1, r->m->max_state + TAIL + RIDER);
    uint32_t size = r->m->ops->initial(r->m, node);
    struct tail t = product_start(&s->c);
    memcpy(node + size, &t, TAIL);
    start_at(s, node, size + TAIL + RIDER);
    free(node);
    if (s->c.bounded && !s->by_count && !r->stopped) explore_levels(s);
    if (s->by_count && !r->stopped) r->res->bound = r->opt->bound;
    run_stop(r, s->bound_cut ? STOP_BOUND : STOP_COMPLETE);
}

/* Bits: as store_omission() says. Hashes of 62 bits: some two of n nodes share one with probability of at most
 * n^2 / 2^63. */
static double omission(const struct nested *s)
{
    double n = (double)s->hashes.count;
    return s->c.run.opt->store == STORE_COMPACT ? MIN(1.0, n * n / 9223372036854775808.0)
                                                : store_omission(&s->c.run.store);
}

static void release(struct nested *s)
{
    struct run *r = &s->c.run;
    budget_give(&r->budget, s->charged + s->places.len * sizeof *s->places.at);
    frontier_release(&s->next);
    product_steps_release(&s->steps);
    vec_release(&s->frames);
    vec_release(&s->places);
    vec_release(&s->order);
    vec_release(&s->node);
    vec_release(&s->wanted);
    byte_stack_release(r, &s->bytes);
    lines_release(&s->hashes, &r->budget);
    store_release(&r->store);
    cycles_release(&s->c);
    assert(r->budget.used == 0);
}

/* One search, to its end or to the node `wanted`, which begins a tree of a level. */
static void search_once(struct nested *s, const struct cycles *like, const uint8_t *wanted, size_t wanted_size)
{
    *s = (struct nested){.c = {.p = like->p, .bounded = like->bounded, .lenient = like->lenient, .run = like->run},
                         .by_count = like->run.opt->kind == SEARCH_BCS,
                         .salt = like->run.opt->seed * UINT64_C(0xbf58476d1ce4e5b9)};
    struct run *r = &s->c.run;
    r->states = &s->visited;
    vec_reserve(&s->wanted, wanted_size + 1);
    if (wanted_size) memcpy(s->wanted.at, wanted, wanted_size);
    s->wanted.len = wanted_size;
    frontier_init(&s->next, &r->budget);
    run_begin(r);
    if (init_store(s)) explore_all(s);
    else run_stop(r, STOP_MEMORY);
    run_end(r);
    r->res->omission = omission(s);
    release(s);
}

static void put_in_front(pid_steps *steps, const pid_steps *first)
{
    pid_steps all = {0};
    for (size_t i = 0; i < first->len; i++) vec_push(&all, first->at[i]);
    for (size_t i = 0; i < steps->len; i++) vec_push(&all, steps->at[i]);
    vec_release(steps);
    *steps = all;
}

/* How the tree began in which the violation was found: level by level, by the same search again. */
static bool find_way_to_root(struct nested *s, const struct cycles *like)
{
    struct finding *f = &s->found;
    while (s->root_level > 0) {
        struct search_result result = {.bound = -1, .error_level = -1};
        struct cycles quiet = *like;
        struct nested again;
        quiet.run.res = &result;
        search_once(&again, &quiet, s->root.at, s->root.len);
        bool there = again.found.exists && !again.found.violates && again.root_level == s->root_level - 1;
        if (there) {
            put_in_front(&f->steps, &again.found.steps);
            f->cycle_start += again.found.steps.len;
        }
        vec_release(&s->root);
        s->root = (typeof(s->root)){again.root.at, again.root.len, again.root.cap};
        s->root_level = again.root_level;
        vec_release(&again.found.steps);
        vec_release(&again.costly.steps);
        if (!there) return false;
    }
    return true;
}

static void report(struct nested *s, const struct cycles *like)
{
    struct search_result *res = like->run.res;
    struct finding *f = &s->found;
    if (!f->exists) return;
    bool built = find_way_to_root(s, like) && steps_schedule(like->run.m, &f->steps, &res->error);
    res->has_error = true;
    res->unbuilt = !built;
    res->fault = f->fault;
    memcpy(res->fault_message, f->fault_message, sizeof res->fault_message);
    res->error.violates = f->violates;
    res->error.lasso = f->lasso;
    res->error.cycle_start = f->lasso ? f->cycle_start : 0;
}

void nested_search(const struct cycles *like)
{
    struct nested s;
    search_once(&s, like, NULL, 0);
    report(&s, like);
    vec_release(&s.root);
    vec_release(&s.found.steps);
    vec_release(&s.costly.steps);
}
