/* The same error with fewer preemptions.
 *
 * The order of all pairs of steps that depend on each other (same thread, a common shared variable that one of them
 * writes, a thread and its start) is kept. The state after a set of steps that is closed under that order does not
 * depend on how they were interleaved, so a shortest path over such sets, with the thread that moved last, finds the
 * fewest preemptions of any of them. Steps that the error does not depend on may be left out: in each thread they are
 * the last ones. They may also help, because a switch away from a thread that has ended is no preemption; so the path
 * takes as few of them as it can without paying for it. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 2000, MOST_NODES = 50000, MOST_BYTES = 64 << 20 };

struct search_node { const uint8_t *state; int *count; int last, parent, step, preemptions, steps; };

struct run_simplifier {
    const struct bp_program *p;
    const struct bp_run *r;
    const struct limits *limits;
    int stacks;
    int_list *steps_of;    /* by thread: the steps that may be taken, in order */
    int *goal;             /* by thread: how many of them the error needs */
    int *need;             /* [step][thread]: so many steps of that thread come before */
    VEC(struct search_node) nodes;
    int_list heap;         /* nodes, the cheapest first */
    struct map known;
    size_t bytes;          /* of all states */
    struct arena arena;
};

/* ---- dependence ---- */

static void step_accesses(const struct bp_program *p, const int_list *call_sites, const struct run_step *s, size_t at,
                          bool *reads, bool *writes)
{
    const struct bp_edge *e = &p->edges.at[s->edge];
    int_list vars = {0};
    boolprog_expr_vars(p, e->guard, &vars);
    boolprog_expr_vars(p, e->assertion, &vars);
    boolprog_expr_vars(p, e->constrain, &vars);
    for (size_t i = 0; i < e->assigns.len; i++) boolprog_expr_vars(p, e->assigns.at[i].value, &vars);
    for (size_t i = 0; e->kind == EDGE_CALL && i < e->args.len; i++) boolprog_expr_vars(p, e->args.at[i], &vars);
    for (size_t i = 0; i < e->values.len; i++) boolprog_expr_vars(p, e->values.at[i], &vars);
    for (size_t i = 0; i < vars.len; i++)
        if (p->vars.at[vars.at[i]].proc < 0) reads[p->vars.at[vars.at[i]].slot] = true;
    for (size_t i = 0; i < e->assigns.len; i++)
        if (p->vars.at[e->assigns.at[i].var].proc < 0) writes[p->vars.at[e->assigns.at[i].var].slot] = true;
    int site = call_sites->at[at];
    for (size_t i = 0; site >= 0 && i < p->edges.at[site].results.len; i++) {
        int var = p->edges.at[site].results.at[i];
        if (p->vars.at[var].proc < 0) writes[p->vars.at[var].slot] = true;
    }
    vec_release(&vars);
}

/* For every return, the call that it ends; -1 for other steps. */
static void find_call_sites(const struct bp_program *p, const struct bp_run *r, int_list *sites)
{
    struct bp_state s;
    bp_state_init(&s, p, r->init_bits);
    for (size_t i = 0; i < r->steps.len; i++) {
        const struct run_step *x = &r->steps.at[i];
        const struct bp_stack *k = &s.stack[x->thread];
        bool ends = p->edges.at[x->edge].kind == EDGE_RETURN && k->depth > 1;
        vec_push(sites, ends ? k->calls[k->depth - 2] : -1);
        bp_state_step(&s, x->thread, x->edge, x->bits);
    }
    bp_state_release(&s);
}

static bool conflict(const bool *r1, const bool *w1, const bool *r2, const bool *w2, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((w1[i] && (r2[i] || w2[i])) || (r1[i] && w2[i])) return true;
    return false;
}

/* before[i * n + j]: step j has to come before step i. Transitively closed. */
static bool *dependences(const struct bp_program *p, const struct bp_run *r)
{
    size_t n = r->steps.len, vars = p->shared.len + 1;
    bool *reads = xcalloc(n * vars, 1), *writes = xcalloc(n * vars, 1), *before = xcalloc(n * n + 1, 1);
    int_list sites = {0};
    find_call_sites(p, r, &sites);
    for (size_t i = 0; i < n; i++) {
        const struct run_step *s = &r->steps.at[i];
        step_accesses(p, &sites, s, i, reads + i * vars, writes + i * vars);
        for (size_t j = 0; j < i; j++) {
            const struct run_step *t = &r->steps.at[j];
            bool starts = p->edges.at[t->edge].spawn == s->thread, init = t->thread == (int)p->threads.len;
            if (t->thread == s->thread || starts || init ||
                conflict(reads + i * vars, writes + i * vars, reads + j * vars, writes + j * vars, p->shared.len)) {
                before[i * n + j] = true;
                for (size_t k = 0; k < j; k++) before[i * n + k] |= before[j * n + k];
            }
        }
    }
    free(reads), free(writes);
    vec_release(&sites);
    return before;
}

/* ---- search ---- */

static bool cheaper(const struct run_simplifier *s, int a, int b)
{
    const struct search_node *x = &s->nodes.at[a], *y = &s->nodes.at[b];
    return x->preemptions != y->preemptions ? x->preemptions < y->preemptions : x->steps < y->steps;
}

static void heap_swap(struct run_simplifier *s, size_t i, size_t k)
{
    int x = s->heap.at[i];
    s->heap.at[i] = s->heap.at[k], s->heap.at[k] = x;
}

static void heap_push(struct run_simplifier *s, int node)
{
    vec_push(&s->heap, node);
    for (size_t i = s->heap.len - 1; i > 0 && cheaper(s, s->heap.at[i], s->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
        heap_swap(s, i, (i - 1) / 2);
}

static int heap_pop(struct run_simplifier *s)
{
    int first = s->heap.at[0];
    s->heap.at[0] = vec_last(&s->heap);
    s->heap.len--;
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->heap.len; k++)
            if (cheaper(s, s->heap.at[k], s->heap.at[least])) least = k;
        if (least == i) return first;
        heap_swap(s, i, least);
        i = least;
    }
}

/* The step from its parent has been added; the node is new or cheaper than it was known to be. */
static void add_node(struct run_simplifier *s, const struct bp_state *state, struct search_node n)
{
    struct str key = {0}, packed = {0};
    for (int t = 0; t < s->stacks; t++) str_printf(&key, "%d ", n.count[t]);
    str_printf(&key, "/ %d", n.last);
    int known = (int)(intptr_t)map_get(&s->known, str_get(&key)) - 1, *count = n.count;
    vec_push(&s->nodes, n);
    int index = (int)s->nodes.len - 1;
    if (known >= 0 && !cheaper(s, index, known)) {
        s->nodes.len--;
    } else {
        bp_state_pack(state, &packed);
        s->bytes += packed.len;
        struct search_node *x = &s->nodes.at[index];
        x->state = (uint8_t *)arena_strndup(&s->arena, packed.at, packed.len);
        x->count = arena_alloc(&s->arena, (size_t)s->stacks * sizeof *x->count);
        memcpy(x->count, count, (size_t)s->stacks * sizeof *x->count);
        map_put(&s->known, arena_strdup(&s->arena, str_get(&key)), (void *)(intptr_t)(index + 1));
        heap_push(s, index);
    }
    str_release(&key);
    str_release(&packed);
}

static bool ready(const struct run_simplifier *s, const int *count, int step)
{
    for (int t = 0; t < s->stacks; t++)
        if (s->need[step * s->stacks + t] > count[t]) return false;
    return true;
}

static void expand(struct run_simplifier *s, int index, struct bp_state *now)
{
    struct search_node n = s->nodes.at[index];
    int *count = xmalloc((size_t)s->stacks * sizeof *count);
    for (int t = 0; t < s->stacks; t++) {
        if (n.count[t] >= (int)s->steps_of[t].len) continue;
        int step = s->steps_of[t].at[n.count[t]];
        if (!ready(s, n.count, step)) continue;
        bp_state_unpack(now, n.state);
        if (!bp_state_may_run(now, t)) continue;
        bool preempts = n.last >= 0 && n.last != t && bp_state_enabled(now, n.last);
        const struct run_step *x = &s->r->steps.at[step];
        if (bp_state_step(now, t, x->edge, x->bits) == STEP_BLOCKED) continue;
        memcpy(count, n.count, (size_t)s->stacks * sizeof *count);
        count[t]++;
        add_node(s, now, (struct search_node){.count = count, .last = t, .parent = index, .step = step,
                                              .preemptions = n.preemptions + preempts, .steps = n.steps + 1});
    }
    free(count);
}

static bool complete(const struct run_simplifier *s, const struct search_node *n)
{
    for (int t = 0; t < s->stacks; t++)
        if (n->count[t] < s->goal[t]) return false;
    return true;
}

/* The cheapest node with all that the error needs, or -1. */
static int search(struct run_simplifier *s)
{
    struct bp_state now;
    int *none = xcalloc((size_t)s->stacks + 1, sizeof *none), found = -1;
    bp_state_init(&now, s->p, s->r->init_bits);
    add_node(s, &now, (struct search_node){.count = none, .last = -1, .parent = -1, .step = -1});
    free(none);
    while (found < 0 && s->heap.len && s->nodes.len < MOST_NODES && s->bytes < MOST_BYTES &&
           !limits_reached(s->limits)) {
        int index = heap_pop(s);
        if (complete(s, &s->nodes.at[index])) found = index;
        else expand(s, index, &now);
    }
    bp_state_release(&now);
    return found;
}

static void adopt(struct run_simplifier *s, struct bp_run *r, int last)
{
    VEC(struct run_step) steps = {0};
    bool *kept = xcalloc(r->steps.len + 1, sizeof *kept);
    for (int i = last; s->nodes.at[i].parent >= 0; i = s->nodes.at[i].parent) {
        assert(!kept[s->nodes.at[i].step]);
        kept[s->nodes.at[i].step] = true;
        vec_push(&steps, r->steps.at[s->nodes.at[i].step]);
    }
    for (size_t i = 0; i < r->steps.len; i++)
        if (!kept[i]) free(r->steps.at[i].bits);
    vec_clear(&r->steps);
    for (size_t i = steps.len; i-- > 0;) vec_push(&r->steps, steps.at[i]);
    vec_release(&steps);
    free(kept);
}

/* optional: steps that the error does not depend on may be taken; otherwise they are left out. */
static bool try_simplify(const struct bp_program *p, struct bp_run *r, const struct limits *limits, const bool *before,
                         bool optional)
{
    size_t n = r->steps.len;
    struct run_simplifier s = {.p = p, .r = r, .limits = limits, .stacks = (int)p->threads.len + (p->init >= 0)};
    s.steps_of = xcalloc((size_t)s.stacks, sizeof *s.steps_of);
    s.goal = xcalloc((size_t)s.stacks, sizeof *s.goal);
    s.need = xcalloc(n * (size_t)s.stacks, sizeof *s.need);
    for (size_t i = 0; i < n; i++) {
        int thread = r->steps.at[i].thread;
        bool needed = i == n - 1 || before[(n - 1) * n + i];
        if (!needed && !optional) continue;
        for (size_t j = 0; j < i; j++)
            s.need[i * (size_t)s.stacks + (size_t)r->steps.at[j].thread] += before[i * n + j];
        assert(!needed || s.goal[thread] == (int)s.steps_of[thread].len); /* what is needed comes first */
        s.goal[thread] += needed;
        vec_push(&s.steps_of[thread], (int)i);
    }
    int last = search(&s);
    if (last >= 0) adopt(&s, r, last);
    for (int t = 0; t < s.stacks; t++) vec_release(&s.steps_of[t]);
    free(s.steps_of), free(s.goal), free(s.need);
    vec_release(&s.nodes), vec_release(&s.heap);
    map_release(&s.known);
    arena_release(&s.arena);
    return last >= 0;
}

/* Without optional steps there is less to search, but a thread may be left inside an atomic section for good. */
void bp_run_simplify(const struct bp_program *p, const char *const *labels, const struct limits *limits,
                     struct bp_run *r)
{
    if (r->steps.len < 2 || r->steps.len > MOST_STEPS) return;
    bool *before = dependences(p, r);
    if (!try_simplify(p, r, limits, before, true)) try_simplify(p, r, limits, before, false);
    free(before);
    if (!bp_run_finish(p, labels, r)) BUG("a run without an error after its steps were reordered");
}
