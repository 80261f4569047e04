/* A violation that was found, made as short as it can be: breadth first through the product, without reduction.
 *
 * A lasso of n steps visits only nodes that are reached in fewer than n. So when all nodes of fewer steps than the
 * shortest violation known have been expanded, and the shortest closed walk from each of them was looked for, nothing
 * shorter can exist. The walk collects on its way what makes it a violation (an accepting state, with fairness
 * something for every process), so a place of the walk is a node and what was collected; it begins where the stem ends,
 * and an accepting state may be anywhere on it.
 *
 * The numbers of nodes and of places are limited, the same in every run; beyond them the shortest so far is kept. If
 * they do not suffice, steps of processes that are not needed are left out (drop.c), and the search runs once more with
 * the processes that remain. Then it runs within the states around the violation that is known (vicinity.c), and again
 * as long as that moves it. At last the way to the cycle is reordered. */
#include "search/cycles_int.h"
#include "search/vicinity_int.h"

#include "base/components.h"

#include <assert.h>
#include <string.h>

enum { MOST_SPOTS = 300000, MOST_ARCS = 2000000, MOST_PLACES = 6000000, MOST_OF_ONE_WALK = 1000000 };
enum { FEW_SPOTS = 256, SPOTS_PER_CHECK = 1024 };
enum { MOST_NODE_MEGABYTES = 256 };
enum { PAID = 4, FAIR_PROCESSES = 63, NO_SPOT = -1 };
static const uint64_t ACCEPTING = UINT64_C(1) << FAIR_PROCESSES, NOTHING_LEFT = ~UINT64_C(0);

struct arc { uint32_t to; uint8_t pid, last; };
typedef VEC(struct arc) arcs;

/* A node of the product and the preemptions paid for it; in the order of their depths. */
struct spot {
    state_ref ref;
    uint64_t duty;          /* what is done by being there: see struct duty */
    uint32_t depth, parent;
    uint8_t pid, last;      /* who moved from the parent to it */
    size_t arcs;            /* the first one; they end where those of the next begin */
    uint32_t places;        /* of the present walk: the newest, plus 1 */
    int component;
};

/* A place of a closed walk that is looked for. */
struct place { uint32_t spot, before, next; uint64_t duty; uint8_t pid, last; };

enum ending { ENDS_AS_BEFORE, ENDS_IN_CYCLE, ENDS_AT_REST, ENDS_AT_SPOT };

/* Where to look. NULL: everywhere, with all processes. */
struct area { const struct vicinity *within; const bool *movers; };

struct shortening {
    struct cycles c;
    struct area area;           /* nothing else is looked at */
    bool complete;              /* no limit was reached: there is nothing shorter */
    bool wants_fault;           /* the step with a fault was found and not a violation */
    VEC(struct spot) spots;
    VEC(struct arc) arcs;
    size_t expanded;
    VEC(struct place) places;
    size_t places_left;
    struct product_steps steps;
    VEC(int) resting;           /* states of the claim while the model rests */
    size_t best;                /* steps of the shortest violation so far, in the product */
    size_t written;             /* and of the one that can be written with the fewest, which is kept: */
    enum ending ending;
    size_t end;                 /* the spot where its stem ends */
    int faulty;                 /* and whose step has the fault there */
    arcs cycle, candidate;
};

/* ---- the graph ---- */

static const uint8_t *node_of(const struct shortening *s, size_t spot, uint32_t *size, uint32_t *paid)
{
    const uint8_t *key = store_state(&s->c.run.store, s->spots.at[spot].ref, size);
    *size -= PAID;
    memcpy(paid, key + *size, PAID);
    return key;
}

/* The spot of a node, a new one if need be; NO_SPOT: there is no room. */
static int64_t spot_of(struct shortening *s, const uint8_t *node, uint32_t size, uint32_t paid, struct spot as)
{
    struct store *store = &s->c.run.store;
    uint8_t *key = xmalloc(size + PAID);
    memcpy(key, node, size);
    memcpy(key + size, &paid, PAID);
    enum store_answer a = store_add(store, key, size + PAID, store_hash(key, size + PAID), &as.ref);
    free_null((void **)&key);
    if (a == STORE_FULL) return NO_SPOT;
    if (a == STORE_OLD) return (int64_t)node_number(store, as.ref) - 1;
    vec_push(&s->spots, as);
    node_set_number(store, as.ref, s->spots.len);
    return (int64_t)s->spots.len - 1;
}

static uint64_t duty_bits(const struct shortening *s, const struct duty *d)
{
    uint64_t fair = s->c.p->fair ? d->fair[0] : NOTHING_LEFT;
    return (fair & ~ACCEPTING) | (d->accepting ? ACCEPTING : 0);
}

static uint64_t moves_bits(int pid, int last)
{
    return (UINT64_C(1) << MIN(pid, FAIR_PROCESSES) | UINT64_C(1) << MIN(last, FAIR_PROCESSES)) & ~ACCEPTING;
}

/* A violation of so many steps, which can be written with fewer; true if it is kept. */
static bool found(struct shortening *s, size_t steps, size_t written, enum ending ending, size_t end)
{
    if (steps > s->best || s->c.run.m->cut) return false; /* cut: what the model said is not all there is */
    s->best = steps;
    if (written >= s->written) return false;
    s->written = written;
    s->ending = ending;
    s->end = end;
    return true;
}

/* ---- the model has come to its end, the claim goes on ---- */

struct rest { uint8_t *node; uint32_t size; bool violated; };

/* Adds where the claim can go from one of its states to the list, once each. */
static void rest_moves(struct shortening *s, struct rest *r, int claim)
{
    struct tail t = node_tail(r->node, r->size);
    t.claim = (uint32_t)claim;
    memcpy(r->node + r->size - TAIL, &t, TAIL);
    product_claim(&s->c, r->node, r->size);
    r->violated |= s->c.violated || s->c.claim_fault;
    for (size_t i = 0; i < s->c.targets.len; i++) {
        size_t k = 0;
        while (k < s->resting.len && s->resting.at[k] != s->c.targets.at[i]) k++;
        if (k == s->resting.len) vec_push(&s->resting, s->c.targets.at[i]);
    }
}

/* All that the claim can come to from here in one step or more. */
static void rest_from(struct shortening *s, struct rest *r, int claim)
{
    vec_clear(&s->resting);
    rest_moves(s, r, claim);
    for (size_t i = 0; i < s->resting.len; i++) rest_moves(s, r, s->resting.at[i]);
}

static bool rest_comes_back(struct shortening *s, struct rest *r, int claim)
{
    rest_from(s, r, claim);
    for (size_t i = 0; i < s->resting.len; i++)
        if (s->resting.at[i] == claim) return true;
    return false;
}

static void look_at_rest(struct shortening *s, size_t spot, const uint8_t *node, uint32_t size)
{
    struct rest r = {memcpy(xmalloc(size), node, size), size, false};
    VEC(int) reached = {0};
    int start = node_tail(node, size).claim;
    rest_from(s, &r, start);
    vec_push(&reached, start);
    for (size_t i = 0; i < s->resting.len; i++) vec_push(&reached, s->resting.at[i]);
    size_t depth = s->spots.at[spot].depth;
    if (r.violated) found(s, depth, depth, ENDS_AT_SPOT, spot);
    for (size_t i = 0; i < reached.len && !r.violated; i++)
        if (claim_is_accepting(&s->c, reached.at[i]) && rest_comes_back(s, &r, reached.at[i]))
            found(s, depth, depth, ENDS_AT_REST, spot);
    vec_release(&reached);
    free_null((void **)&r.node);
}

/* ---- expansion ---- */

static bool add_arcs(struct shortening *s, size_t spot, uint32_t paid)
{
    struct spot as = {.parent = (uint32_t)spot, .depth = s->spots.at[spot].depth + 1};
    for (size_t i = 0; i < s->steps.list.len; i++) {
        const struct product_step *t = &s->steps.list.at[i];
        uint32_t price = paid + (s->c.bounded ? t->cost : 0);
        if (t->fault || (s->c.bounded && price > s->c.level)) continue;
        if (s->area.movers && t->pid != MODEL_NOBODY && !s->area.movers[t->pid]) continue;
        if (s->area.within && !vicinity_has(s->area.within, s->steps.bytes.at + t->at, t->size - TAIL)) continue;
        as.pid = t->pid, as.last = t->last;
        int64_t to = spot_of(s, s->steps.bytes.at + t->at, t->size, price, as);
        if (to == NO_SPOT) return false;
        vec_push(&s->arcs, ((struct arc){(uint32_t)to, t->pid, t->last}));
    }
    return true;
}

/* The bits have no room for the fairness of all processes there can be. */
static bool has_too_many_processes(const struct duty *here)
{
    return (here->fair[1] & here->fair[2] & here->fair[3]) != NOTHING_LEFT || !(here->fair[0] & ACCEPTING);
}

/* What is wrong at a spot is noted, or what follows it. From a state in which a step can fail that costs nothing,
 * nothing else follows: the search ended there, too. False: there is no room. */
static bool expand(struct shortening *s, size_t spot)
{
    uint32_t size, paid;
    const uint8_t *node = node_of(s, spot, &size, &paid);
    size_t depth = s->spots.at[spot].depth;
    s->spots.at[spot].arcs = s->arcs.len;
    bool goes_on = product_claim(&s->c, node, size);
    if (!s->wants_fault && (s->c.violated || s->c.claim_fault)) found(s, depth, depth, ENDS_AT_SPOT, spot);
    if (!goes_on) return true;
    product_expand(&s->c, node, size, -1, &s->steps);
    if (s->c.p->fair && has_too_many_processes(&s->c.here)) return false;
    s->spots.at[spot].duty = duty_bits(s, &s->c.here);
    int faulty = product_faulty(&s->c, &s->steps, s->c.bounded ? s->c.level - paid : 0);
    if (faulty != MODEL_NOBODY && s->wants_fault && found(s, depth + 1, depth + 1, ENDS_AT_SPOT, spot))
        s->faulty = faulty;
    bool ends = product_faulty(&s->c, &s->steps, 0) != MODEL_NOBODY;
    if (ends || !s->steps.list.len) return true;
    if (s->steps.list.at[0].pid != MODEL_NOBODY) return add_arcs(s, spot, paid);
    if (!s->wants_fault) look_at_rest(s, spot, node, size);
    return true;
}

/* ---- closed walks ---- */

static size_t arcs_end(const struct shortening *s, size_t spot)
{
    return spot + 1 < s->expanded ? s->spots.at[spot + 1].arcs : s->arcs.len;
}

static int arc_count(void *ctx, int spot)
{
    struct shortening *s = ctx;
    return (int)(arcs_end(s, (size_t)spot) - s->spots.at[spot].arcs);
}

static int arc_target(void *ctx, int spot, int i)
{
    struct shortening *s = ctx;
    uint32_t to = s->arcs.at[s->spots.at[spot].arcs + (size_t)i].to;
    return to < s->expanded ? (int)to : spot; /* what is not expanded closes nothing */
}

/* Spots whose component can be a violation keep its number, the others have -1. */
static void find_components(struct shortening *s)
{
    struct graph g = {(int)s->expanded, s, arc_count, arc_target};
    int *component = xcalloc(s->expanded + 1, sizeof *component);
    int count = graph_components(&g, component);
    uint64_t *duty = xcalloc((size_t)count + 1, sizeof *duty);
    for (size_t i = 0; i < s->expanded; i++) {
        duty[component[i]] |= s->spots.at[i].duty;
        for (size_t k = s->spots.at[i].arcs; s->c.p->fair && k < arcs_end(s, i); k++)
            duty[component[i]] |= moves_bits(s->arcs.at[k].pid, s->arcs.at[k].last);
    }
    for (size_t i = 0; i < s->expanded; i++)
        s->spots.at[i].component = duty[component[i]] == NOTHING_LEFT ? component[i] : -1;
    free_null((void **)&component);
    free_null((void **)&duty);
}

/* ---- folding ----
 * The claim may need several rounds of a cycle of the model to come back to where it was, and may wait before the cycle
 * begins for it. The same infinite run is then written down with fewer steps. */

/* The steps of a violation: step i leads from spot at[i].to to at[i + 1].to; the cycle begins at `start`. */
struct run_of_spots { VEC(struct arc) at; size_t start; };

static void list_spots(const struct shortening *s, size_t end, const arcs *cycle, struct run_of_spots *r)
{
    for (size_t i = end;; i = s->spots.at[i].parent) {
        vec_push(&r->at, ((struct arc){(uint32_t)i, s->spots.at[i].pid, s->spots.at[i].last}));
        if (!i) break;
    }
    for (size_t i = 0, k = r->at.len; i + 1 < k; i++) {
        struct arc swapped = r->at.at[i];
        r->at.at[i] = r->at.at[--k];
        r->at.at[k] = swapped;
    }
    r->start = r->at.len - 1;
    for (size_t i = 0; cycle && i < cycle->len; i++) vec_push(&r->at, cycle->at[i]);
}

static bool same_state(const struct shortening *s, uint32_t a, uint32_t b)
{
    uint32_t size_a, size_b, paid;
    const uint8_t *at_a = node_of(s, a, &size_a, &paid), *at_b = node_of(s, b, &size_b, &paid);
    return a == b || (size_a == size_b && !memcmp(at_a, at_b, size_a - TAIL));
}

static bool same_step(const struct shortening *s, const struct run_of_spots *r, size_t i, size_t k)
{
    const struct arc *a = &r->at.at[i + 1], *b = &r->at.at[k + 1];
    return a->pid == b->pid && a->last == b->last && same_state(s, a[-1].to, b[-1].to) && same_state(s, a->to, b->to);
}

static bool has_period(const struct shortening *s, const struct run_of_spots *r, size_t period)
{
    size_t end = r->at.len - 1;
    if ((end - r->start) % period) return false;
    for (size_t i = r->start; i + period < end; i++)
        if (!same_step(s, r, i, i + period)) return false;
    return true;
}

static void fold(const struct shortening *s, struct run_of_spots *r)
{
    size_t period = 1;
    while (!has_period(s, r, period)) period++;
    r->at.len = r->start + period + 1;
    while (r->start && same_step(s, r, r->start - 1, r->at.len - 2)) r->start--, r->at.len--;
}

/* ---- closed walks, one by one ---- */

/* Somebody was there earlier and had collected no less. */
static bool is_no_news(const struct shortening *s, uint32_t spot, uint64_t duty)
{
    for (uint32_t p = s->spots.at[spot].places; p; p = s->places.at[p - 1].next)
        if (!(duty & ~s->places.at[p - 1].duty)) return true;
    return false;
}

static void add_place(struct shortening *s, struct place p)
{
    p.next = s->spots.at[p.spot].places;
    vec_push(&s->places, p);
    s->spots.at[p.spot].places = (uint32_t)s->places.len;
}

static size_t written_steps(const struct shortening *s, size_t end, const arcs *cycle)
{
    struct run_of_spots r = {0};
    list_spots(s, end, cycle, &r);
    fold(s, &r);
    size_t steps = r.at.len - 1;
    vec_release(&r.at);
    return steps;
}

static void note_cycle(struct shortening *s, uint32_t start, size_t at, struct arc back)
{
    vec_clear(&s->candidate);
    vec_push(&s->candidate, back);
    for (; at; at = s->places.at[at].before)
        vec_push(&s->candidate, ((struct arc){s->places.at[at].spot, s->places.at[at].pid, s->places.at[at].last}));
    for (size_t i = 0, k = s->candidate.len; i + 1 < k; i++) {
        struct arc swapped = s->candidate.at[i];
        s->candidate.at[i] = s->candidate.at[--k];
        s->candidate.at[k] = swapped;
    }
    size_t steps = s->spots.at[start].depth + s->candidate.len;
    if (!found(s, steps, written_steps(s, start, &s->candidate), ENDS_IN_CYCLE, start)) return;
    arcs kept = s->candidate;
    s->candidate = s->cycle;
    s->cycle = kept;
}

/* Goes on from one place; true if that closes the walk. */
static bool walk_on(struct shortening *s, uint32_t start, size_t at)
{
    struct place here = s->places.at[at];
    for (size_t k = s->spots.at[here.spot].arcs; k < arcs_end(s, here.spot); k++) {
        struct arc a = s->arcs.at[k];
        if (a.to >= s->expanded || s->spots.at[a.to].component != s->spots.at[start].component) continue;
        uint64_t duty = here.duty | s->spots.at[a.to].duty | (s->c.p->fair ? moves_bits(a.pid, a.last) : 0);
        if (a.to == start && duty == NOTHING_LEFT) {
            note_cycle(s, start, at, a);
            return true;
        }
        struct place next = {.spot = a.to, .before = (uint32_t)at, .duty = duty, .pid = a.pid, .last = a.last};
        if (!is_no_news(s, a.to, duty)) add_place(s, next);
    }
    return false;
}

static bool is_over(struct shortening *s, size_t done)
{
    const struct search_options *o = s->c.run.opt;
    if (done % SPOTS_PER_CHECK) return s->c.run.stopped;
    if (o->enough && o->enough(o->enough_ctx)) return true;
    return s->c.run.stopped || limits_reached_memory(o->limits) != LIMIT_NONE;
}

/* A shortest closed walk from this spot, if it makes a violation as short as the best; false: no more patience. */
static bool walk_from(struct shortening *s, uint32_t start)
{
    size_t most = s->best - s->spots.at[start].depth, layer_end = 1;
    vec_clear(&s->places);
    add_place(s, (struct place){.spot = start, .duty = s->spots.at[start].duty});
    bool goes_on = true, closed = false;
    for (size_t at = 0, steps = 1; at < s->places.len && goes_on && !closed; at++) {
        if (at == layer_end) layer_end = s->places.len, steps++;
        if (steps > most) break;
        closed = walk_on(s, start, at);
        goes_on = s->places.len < MIN(s->places_left, MOST_OF_ONE_WALK) && !is_over(s, at + 1);
    }
    s->places_left -= MIN(s->places_left, s->places.len);
    for (size_t i = 0; i < s->places.len; i++) s->spots.at[s->places.at[i].spot].places = 0;
    return goes_on;
}

static bool close_walks(struct shortening *s)
{
    find_components(s);
    for (size_t i = 0; i < s->expanded && s->spots.at[i].depth < s->best; i++)
        if (s->spots.at[i].component >= 0 && !walk_from(s, (uint32_t)i)) return false;
    return true;
}

/* ---- the search ---- */

static bool has_room(const struct shortening *s) { return s->spots.len < MOST_SPOTS && s->arcs.len < MOST_ARCS; }

/* Layer by layer; cycles are looked for when there are twice as many spots as the last time, and at the end. */
static void explore(struct shortening *s)
{
    size_t next_look = FEW_SPOTS, layer_end = 1;
    bool goes_on = true;
    while (goes_on && s->expanded < s->spots.len && s->spots.at[s->expanded].depth + s->wants_fault < s->best) {
        goes_on = expand(s, s->expanded);
        if (goes_on) s->expanded++;
        else s->arcs.len = s->spots.at[s->expanded].arcs;
        goes_on &= has_room(s);
        if (is_over(s, s->expanded)) return;
        if (!goes_on || s->expanded < layer_end) continue;
        layer_end = s->spots.len;
        if (s->wants_fault || s->expanded < next_look) continue;
        next_look = 2 * s->expanded;
        if (!close_walks(s)) return;
    }
    s->complete = (s->wants_fault || close_walks(s)) && goes_on;
}

static void begin(struct shortening *s)
{
    struct model *m = s->c.run.m;
    uint8_t *node = xcalloc(1, m->max_state + TAIL);
    uint32_t size = m->ops->initial(m, node);
    struct tail t = product_start(&s->c);
    memcpy(node + size, &t, TAIL);
    spot_of(s, node, size + TAIL, 0, (struct spot){0});
    free_null((void **)&node);
}

/* ---- the schedule ---- */

static void build(struct shortening *s, struct schedule *out)
{
    uint32_t size, target_size, paid;
    struct run_of_spots r = {0};
    *out = (struct schedule){.violates = !s->wants_fault, .lasso = s->ending != ENDS_AT_SPOT};
    list_spots(s, s->end, s->ending == ENDS_IN_CYCLE ? &s->cycle : NULL, &r);
    if (s->ending == ENDS_IN_CYCLE) fold(s, &r);
    assert(r.at.len + s->wants_fault == s->written + 1);
    out->cycle_start = out->lasso ? r.start : 0;
    for (size_t i = 0; i + 1 < r.at.len; i++) {
        const struct arc *a = &r.at.at[i + 1];
        const uint8_t *node = node_of(s, a[-1].to, &size, &paid), *target = node_of(s, a->to, &target_size, &paid);
        vec_push(&out->choices, product_choice(&s->c, node, size, target, target_size, a->pid, a->last));
    }
    const uint8_t *node = node_of(s, s->end, &size, &paid);
    if (s->wants_fault) vec_push(&out->choices, product_fault(&s->c, node, size, s->faulty));
    vec_release(&r.at);
}

static void release(struct shortening *s)
{
    product_steps_release(&s->steps);
    vec_release(&s->spots);
    vec_release(&s->arcs);
    vec_release(&s->places);
    vec_release(&s->resting);
    vec_release(&s->cycle);
    vec_release(&s->candidate);
    cycles_release(&s->c);
}

/* Bytes for nodes; other lists are as long as they may be. */
static size_t memory_of(const struct search_options *o)
{
    size_t limit = limit_of_memory(o), most = (size_t)MOST_NODE_MEGABYTES << 20;
    return o->budget ? o->budget : limit ? MIN(limit, most) : most;
}

struct attempt { bool shorter, complete; };

static struct attempt shorten_once(struct model *m, const struct property *p, const struct search_options *options,
                                   struct search_result *found_by_search, struct area area)
{
    struct schedule *known = &found_by_search->error, shorter;
    struct search_result unused = {0};
    struct attempt answer = {false, false};
    struct shortening s = {.wants_fault = !known->violates, .best = known->choices.len, .area = area,
                           .written = known->choices.len + 1, .places_left = MOST_PLACES,
                           .c = {.p = p, .bounded = options->bound >= 0, .level = found_by_search->error_level,
                                 .run = {.m = m, .opt = options, .res = &unused, .started = seconds_now(),
                                         .budget = {.limit = memory_of(options)}}}};
    run_begin(&s.c.run);
    if (store_init(&s.c.run.store, (struct store_plan){STORE_EXACT, 1, true, 0}, &s.c.run.budget)) {
        begin(&s);
        explore(&s);
        answer.complete = s.complete;
        if (s.ending != ENDS_AS_BEFORE) {
            size_t before = known->choices.len;
            build(&s, &shorter);
            answer.shorter = !m->cut && shorter.choices.len < before;
            schedule_release(m->cut ? &shorter : known);
            if (!m->cut) *known = shorter;
        }
    }
    run_end(&s.c.run);
    release(&s);
    store_release(&s.c.run.store);
    return answer;
}

static void note_movers(struct model *m, const struct schedule *s, bool *movers)
{
    struct replay *r = replay_new(m);
    const struct successor *t = NULL;
    for (size_t i = 0; i < s->choices.len && (t = replay_step(r, s->choices.at[i])); i++) movers[t->pid] = true;
    replay_free(r);
}

/* All states of a violation are kept when it is judged. */
static bool fits_into_memory(const struct model *m, const struct schedule *s)
{
    return s->choices.len <= (size_t)USUAL_MEMORY / (m->max_state + sizeof(void *) * 4);
}

/* With fairness nobody may be left out. */
static void shorten_with_few(struct model *m, const struct property *p, const struct search_options *options,
                             struct search_result *found)
{
    bool movers[MODEL_MOST_PROCESSES] = {0};
    struct schedule fewer;
    if (p->fair || !found->error.violates || !fits_into_memory(m, &found->error)) return;
    if (violation_drop_processes(m, p, options, &found->error, &fewer)) {
        schedule_release(&found->error);
        found->error = fewer;
    }
    note_movers(m, &found->error, movers);
    shorten_once(m, p, options, found, (struct area){.movers = movers});
}

static void shorten_nearby(struct model *m, const struct property *p, const struct search_options *options,
                           struct search_result *found)
{
    enum { MOST_ROUNDS = 4, STATES_NEARBY = 40000 };
    bool shorter = true;
    for (int i = 0; i < MOST_ROUNDS && shorter && !m->cut; i++) {
        struct vicinity *nearby = vicinity_new(m, options, STATES_NEARBY, &found->error);
        if (!nearby) return;
        shorter = shorten_once(m, p, options, found, (struct area){.within = nearby}).shorter;
        vicinity_free(nearby);
    }
}

static void reorder_stem(struct model *m, const struct property *p, const struct search_options *options,
                         struct schedule *error)
{
    enum { STATES = 100000 };
    struct schedule other;
    if (p->fair || !error->violates || options->bound >= 0 || m->cut) return;
    if (!schedule_reorder_stem(m, options, STATES, error, &other)) return;
    bool fewer = schedule_preemptions(m, &other) < schedule_preemptions(m, error);
    bool takes = fewer && schedule_violates(m, p, &other) && !m->cut;
    schedule_release(takes ? error : &other);
    if (takes) *error = other;
}

void violation_shorten(struct model *m, const struct property *p, const struct search_options *options,
                       struct search_result *found_by_search)
{
    enum { LONG = 1000 };
    if (!found_by_search->has_error || found_by_search->unbuilt) return;
    if (found_by_search->error.choices.len >= LONG) shorten_with_few(m, p, options, found_by_search);
    struct attempt a = shorten_once(m, p, options, found_by_search, (struct area){0});
    if (!a.complete && !m->cut) {
        shorten_with_few(m, p, options, found_by_search);
        shorten_nearby(m, p, options, found_by_search);
    }
    reorder_stem(m, p, options, &found_by_search->error);
}
