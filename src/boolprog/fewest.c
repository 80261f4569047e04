/* A run with the fewest preemptions of all: explicit search, level by level, for programs that are small enough.
 *
 * Level n has the states that can be reached with n preemptions and not with fewer, each with the thread that moved
 * last. Only levels below that of the run at hand are searched: either one of them has an error, and the first such
 * level is the fewest, or the run at hand has the fewest already. Nothing is claimed once anything had to be left
 * out. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 12 }; /* of one step, or of the initial state, that are tried in all combinations */
enum { MOST_BYTES = 64 << 20 };

/* How a state was reached: by a step of thread `last` from the parent, or at the start (-1). */
struct way { const uint8_t *state; size_t len; int last, parent, edge; const uint8_t *bits; bool fails; };

struct fewest {
    const struct bp_program *p;
    const char *const *labels;
    size_t most_states;
    const struct limits *limits;
    VEC(struct way) ways;
    int_list work, later;      /* ways of this level; of the next one, unless they are found again in this one */
    int *slots;                /* hash of (state, last): index + 1 of a way that was expanded or waits to be */
    size_t cap, len, bytes;    /* bytes: of all states, which are as large as the stacks are deep */
    struct bp_state now, next;
    struct str packed;
    struct arena arena;
    bool cut;
    int found;                 /* the way that ends in an error, -1: none yet */
};

static size_t find_slot(const struct fewest *f, const struct way *w)
{
    size_t at = hash_bytes(w->state, w->len, (uint64_t)(w->last + 1)) & (f->cap - 1);
    while (f->slots[at]) {
        const struct way *x = &f->ways.at[f->slots[at] - 1];
        if (x->last == w->last && x->len == w->len && !memcmp(x->state, w->state, w->len)) break;
        at = (at + 1) & (f->cap - 1);
    }
    return at;
}

static void grow(struct fewest *f)
{
    int *old = f->slots;
    size_t cap = f->cap;
    f->cap = cap ? 2 * cap : 1024;
    f->slots = xcalloc(f->cap, sizeof *f->slots);
    for (size_t i = 0; i < cap; i++)
        if (old[i]) f->slots[find_slot(f, &f->ways.at[old[i] - 1])] = old[i];
    free(old);
}

/* True if the state was not known with this thread as the last one. */
static bool remember(struct fewest *f, int way)
{
    if (2 * (f->len + 1) > f->cap) grow(f);
    size_t at = find_slot(f, &f->ways.at[way]);
    if (f->slots[at]) return false;
    f->slots[at] = way + 1;
    f->len++;
    return true;
}

static int add_way(struct fewest *f, const struct bp_state *s, struct way w, size_t bits)
{
    if (f->ways.len >= f->most_states || f->bytes > MOST_BYTES) {
        f->cut = true;
        return -1;
    }
    f->packed.len = 0;
    bp_state_pack(s, &f->packed);
    w.state = (const uint8_t *)arena_strndup(&f->arena, f->packed.at, f->packed.len);
    w.len = f->packed.len;
    f->bytes += w.len;
    w.bits = (const uint8_t *)arena_strndup(&f->arena, (const char *)w.bits, bits);
    vec_push(&f->ways, w);
    return (int)f->ways.len - 1;
}

static bool at_error_label(const struct fewest *f, const struct bp_state *s)
{
    for (int t = 0; t < s->stacks; t++) {
        int top = bp_state_top(s, t);
        if (top >= 0 && boolprog_is_error_node(f->p, top, f->labels) && bp_state_may_run(s, t)) return true;
    }
    return false;
}

static void arrive(struct fewest *f, int way, const struct bp_state *s)
{
    if (f->ways.at[way].fails || at_error_label(f, s)) f->found = way;
    else if (remember(f, way)) vec_push(&f->work, way);
}

static void take(struct fewest *f, struct way w, const struct bp_state *s, size_t bits, bool preempts)
{
    int way = add_way(f, s, w, bits);
    if (way < 0) return;
    bool known = f->cap && f->slots[find_slot(f, &f->ways.at[way])];
    if (known && !w.fails) f->ways.len--;
    else if (preempts) vec_push(&f->later, way);
    else arrive(f, way, s);
}

static void try_edge(struct fewest *f, int parent, int thread, int edge, bool preempts)
{
    size_t n = bp_step_bits(f->p, edge);
    uint8_t *bits = xcalloc(n + 1, 1);
    if (n > MOST_CHOICES) f->cut = true;
    for (uint64_t number = 0; n <= MOST_CHOICES && f->found < 0 && !f->cut && number < (uint64_t)1 << n; number++) {
        for (size_t i = 0; i < n; i++) bits[i] = (number >> i) & 1;
        bp_state_copy(&f->next, &f->now);
        enum step_outcome outcome = bp_state_step(&f->next, thread, edge, bits);
        if (outcome == STEP_BLOCKED) continue;
        struct way w = {.last = thread, .parent = parent, .edge = edge, .bits = bits, .fails = outcome == STEP_FAILS};
        take(f, w, &f->next, n, preempts);
    }
    free(bits);
}

static void expand(struct fewest *f, int way)
{
    struct way w = f->ways.at[way];
    bp_state_unpack(&f->now, w.state);
    for (int t = 0; t < f->now.stacks && f->found < 0 && !f->cut; t++) {
        if (!bp_state_may_run(&f->now, t)) continue;
        bool preempts = w.last >= 0 && w.last != t && bp_state_enabled(&f->now, w.last);
        const int_list *out = &f->p->nodes.at[bp_state_top(&f->now, t)].out;
        for (size_t i = 0; i < out->len; i++) try_edge(f, way, t, out->at[i], preempts);
    }
}

static void start(struct fewest *f)
{
    size_t n = bp_state_init_bits(f->p);
    uint8_t *bits = xcalloc(n + 1, 1);
    bp_state_init(&f->now, f->p, bits);
    bp_state_init(&f->next, f->p, bits);
    f->cut = n > MOST_CHOICES;
    for (uint64_t number = 0; !f->cut && f->found < 0 && number < (uint64_t)1 << n; number++) {
        struct bp_state s;
        for (size_t i = 0; i < n; i++) bits[i] = (number >> i) & 1;
        bp_state_init(&s, f->p, bits);
        take(f, (struct way){.last = -1, .parent = -1, .edge = -1, .bits = bits}, &s, n, false);
        bp_state_release(&s);
    }
    free(bits);
}

static void search_level(struct fewest *f)
{
    for (size_t i = 0; i < f->work.len && f->found < 0 && !f->cut; i++) {
        expand(f, f->work.at[i]);
        f->cut |= limits_reached(f->limits) != LIMIT_NONE;
    }
}

static void start_level(struct fewest *f)
{
    vec_clear(&f->work);
    for (size_t i = 0; i < f->later.len && f->found < 0; i++) {
        bp_state_unpack(&f->next, f->ways.at[f->later.at[i]].state);
        arrive(f, f->later.at[i], &f->next);
    }
    vec_clear(&f->later);
}

static void adopt(const struct fewest *f, struct bp_run *r)
{
    int_list back = {0};
    int way = f->found;
    for (; f->ways.at[way].parent >= 0; way = f->ways.at[way].parent) vec_push(&back, way);
    bp_run_release(r);
    size_t n = bp_state_init_bits(f->p);
    r->init_bits = xcalloc(n + 1, 1);
    memcpy(r->init_bits, f->ways.at[way].bits, n);
    while (back.len) {
        const struct way *w = &f->ways.at[vec_pop(&back)];
        size_t bits = bp_step_bits(f->p, w->edge);
        uint8_t *copy = xcalloc(bits + 1, 1);
        memcpy(copy, w->bits, bits);
        vec_push(&r->steps, ((struct run_step){w->last, w->edge, copy}));
    }
    vec_release(&back);
    if (!bp_run_finish(f->p, f->labels, r)) BUG("a run without an error from the explicit search");
}

bool bp_run_fewest(const struct bp_program *p, const char *const *labels, size_t most_states,
                   const struct limits *limits, struct bp_run *r)
{
    int most = bp_run_preemptions(p, r);
    if (!most) return true;
    struct fewest f = {.p = p, .labels = labels, .most_states = most_states, .limits = limits, .found = -1};
    start(&f);
    for (int level = 0; level < most && f.found < 0 && !f.cut; level++) {
        if (level) start_level(&f);
        search_level(&f);
    }
    if (f.found >= 0) adopt(&f, r);
    bool complete = f.found >= 0 || !f.cut;
    assert(bp_run_preemptions(p, r) <= most && (f.found < 0 || bp_run_preemptions(p, r) < most));
    bp_state_release(&f.now), bp_state_release(&f.next);
    vec_release(&f.ways), vec_release(&f.later), vec_release(&f.work);
    free(f.slots);
    str_release(&f.packed);
    arena_release(&f.arena);
    return complete;
}
