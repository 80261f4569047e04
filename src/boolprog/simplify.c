/* The same error with the fewest preemptions.
 *
 * Steps that the error does not depend on are dropped. The others keep the order of all pairs that depend on each other
 * (same thread, a common shared variable that one of them writes, a thread and its start). The state after a set of
 * steps that is closed under that order does not depend on how they were interleaved, so a shortest path over such
 * sets, with the thread that moved last, finds the fewest preemptions. */
#include "boolprog/interp.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 50000 };

struct search_node { const uint8_t *state; int *count; int last, parent, step, cost; bool done; };

struct simplifier {
    const struct bp_program *p;
    const struct bp_run *r;
    int stacks;
    bool *kept;            /* by step */
    int_list *steps_of;    /* by thread: kept steps in order */
    int *need;             /* [step][thread]: so many steps of that thread come before */
    VEC(struct search_node) nodes;
    VEC(int) queue[2];     /* of this cost, of one more */
    struct map known;
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

static int add_node(struct simplifier *s, const struct bp_state *state, const int *count, int last, int parent,
                    int step, int cost)
{
    struct str key = {0};
    for (int t = 0; t < s->stacks; t++) str_printf(&key, "%d ", count[t]);
    str_printf(&key, "/ %d", last);
    int known = (int)(intptr_t)map_get(&s->known, str_get(&key)) - 1;
    if (known >= 0 && s->nodes.at[known].cost <= cost) {
        str_release(&key);
        return -1;
    }
    struct str packed = {0};
    bp_state_pack(state, &packed);
    struct search_node n = {.last = last, .parent = parent, .step = step, .cost = cost};
    n.state = (uint8_t *)arena_strndup(&s->arena, packed.at, packed.len);
    n.count = arena_alloc(&s->arena, (size_t)s->stacks * sizeof *n.count);
    memcpy(n.count, count, (size_t)s->stacks * sizeof *n.count);
    vec_push(&s->nodes, n);
    map_put(&s->known, arena_strdup(&s->arena, str_get(&key)), (void *)(intptr_t)s->nodes.len);
    str_release(&key);
    str_release(&packed);
    return (int)s->nodes.len - 1;
}

static bool ready(const struct simplifier *s, const int *count, int step)
{
    for (int t = 0; t < s->stacks; t++)
        if (s->need[step * s->stacks + t] > count[t]) return false;
    return true;
}

static void expand(struct simplifier *s, int index, struct bp_state *now)
{
    struct search_node n = s->nodes.at[index];
    int *count = xmalloc((size_t)s->stacks * sizeof *count);
    for (int t = 0; t < s->stacks; t++) {
        if (n.count[t] >= (int)s->steps_of[t].len) continue;
        int step = s->steps_of[t].at[n.count[t]];
        if (!ready(s, n.count, step)) continue;
        bp_state_unpack(now, n.state);
        if (!bp_state_may_run(now, t)) continue;
        int cost = n.cost + (n.last >= 0 && n.last != t && bp_state_enabled(now, n.last));
        const struct run_step *x = &s->r->steps.at[step];
        if (bp_state_step(now, t, x->edge, x->bits) == STEP_BLOCKED) continue;
        memcpy(count, n.count, (size_t)s->stacks * sizeof *count);
        count[t]++;
        int added = add_node(s, now, count, t, index, step, cost);
        if (added >= 0) vec_push(&s->queue[cost > n.cost], added);
    }
    free(count);
}

static bool complete(const struct simplifier *s, const struct search_node *n)
{
    for (int t = 0; t < s->stacks; t++)
        if (n->count[t] < (int)s->steps_of[t].len) return false;
    return true;
}

/* 0-1 breadth-first search; the index of the last node, or -1. */
static int search(struct simplifier *s)
{
    struct bp_state now;
    int *none = xcalloc((size_t)s->stacks + 1, sizeof *none), found = -1;
    bp_state_init(&now, s->p, s->r->init_bits);
    vec_push(&s->queue[0], add_node(s, &now, none, -1, -1, -1, 0));
    free(none);
    while (found < 0 && s->nodes.len < MOST_NODES && (s->queue[0].len || s->queue[1].len)) {
        if (!s->queue[0].len) {
            for (size_t i = 0; i < s->queue[1].len; i++) vec_push(&s->queue[0], s->queue[1].at[i]);
            vec_clear(&s->queue[1]);
        }
        int index = vec_pop(&s->queue[0]);
        if (complete(s, &s->nodes.at[index])) found = index;
        else expand(s, index, &now);
    }
    bp_state_release(&now);
    return found;
}

static void adopt(struct simplifier *s, struct bp_run *r, int last)
{
    VEC(struct run_step) steps = {0};
    for (int i = last; s->nodes.at[i].parent >= 0; i = s->nodes.at[i].parent)
        vec_push(&steps, r->steps.at[s->nodes.at[i].step]);
    for (size_t i = 0; i < r->steps.len; i++)
        if (!s->kept[i]) free(r->steps.at[i].bits);
    vec_clear(&r->steps);
    for (size_t i = steps.len; i-- > 0;) vec_push(&r->steps, steps.at[i]);
    vec_release(&steps);
}

static bool try_simplify(const struct bp_program *p, struct bp_run *r, const bool *before, bool drop)
{
    size_t n = r->steps.len;
    struct simplifier s = {.p = p, .r = r, .stacks = (int)p->threads.len + (p->init >= 0)};
    s.kept = xcalloc(n, 1);
    s.steps_of = xcalloc((size_t)s.stacks, sizeof *s.steps_of);
    s.need = xcalloc(n * (size_t)s.stacks, sizeof *s.need);
    for (size_t i = 0; i < n; i++) {
        s.kept[i] = !drop || i == n - 1 || before[(n - 1) * n + i];
        if (!s.kept[i]) continue;
        for (size_t j = 0; j < i; j++)
            s.need[i * (size_t)s.stacks + (size_t)r->steps.at[j].thread] += s.kept[j] && before[i * n + j];
        vec_push(&s.steps_of[r->steps.at[i].thread], (int)i);
    }
    int last = search(&s);
    if (last >= 0) adopt(&s, r, last);
    for (int t = 0; t < s.stacks; t++) vec_release(&s.steps_of[t]);
    free(s.kept), free(s.steps_of), free(s.need);
    vec_release(&s.nodes), vec_release(&s.queue[0]), vec_release(&s.queue[1]);
    map_release(&s.known);
    arena_release(&s.arena);
    return last >= 0;
}

/* Dropping can leave a thread inside an atomic section for good; then all steps are kept. */
void bp_run_simplify(const struct bp_program *p, struct bp_run *r)
{
    enum { MOST_STEPS = 2000 };
    if (r->steps.len < 2 || r->steps.len > MOST_STEPS) return;
    bool *before = dependences(p, r);
    if (!try_simplify(p, r, before, true)) try_simplify(p, r, before, false);
    free(before);
}
