/* Levels, places and BDD variables of the threads in joint states. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- structure ---- */

/* Components have callees before callers, so going down from the root every caller comes before its callees. */
static void find_levels(const struct bp_program *p, struct joint_thread *t, const int *component)
{
    int count = 0;
    for (size_t i = 0; i < p->procs.len; i++) count = MAX(count, component[i] + 1);
    int *by_component = xmalloc(((size_t)count + 1) * sizeof *by_component);
    VEC(int_list) calls = {0};
    for (int i = 0; i < count; i++) by_component[i] = -1, vec_push(&calls, ((int_list){0}));
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].kind == EDGE_CALL)
            vec_push(&calls.at[component[p->nodes.at[p->edges.at[i].from].proc]], component[p->edges.at[i].callee]);
    by_component[component[t->root]] = 0;
    for (int c = component[t->root]; c >= 0; c--)
        for (size_t i = 0; by_component[c] >= 0 && i < calls.at[c].len; i++) {
            int to = calls.at[c].at[i];
            assert(to <= c);
            if (to != c) by_component[to] = MAX(by_component[to], by_component[c] + 1);
        }
    t->level = xcalloc(p->procs.len + 1, sizeof *t->level);
    for (size_t i = 0; i < p->procs.len; i++) {
        t->level[i] = by_component[component[i]];
        t->level_count = MAX(t->level_count, t->level[i] + 1);
    }
    for (size_t i = 0; i < calls.len; i++) vec_release(&calls.at[i]);
    vec_release(&calls);
    free(by_component);
}

static void find_codes(const struct bp_program *p, struct joint_thread *t)
{
    t->codes = xcalloc(p->procs.len + 1, sizeof *t->codes);
    vec_push(&t->codes[t->root], RETURNS_NOWHERE);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        int caller = p->nodes.at[e->from].proc;
        if (e->kind != EDGE_CALL || t->place[e->from] < 0) continue;
        int_list *codes = &t->codes[e->callee];
        bool inside = t->level[caller] == t->level[e->callee], known = false;
        for (size_t k = 0; inside && k < codes->len; k++) known |= codes->at[k] == RETURNS_INSIDE;
        if (!known) vec_push(codes, inside ? RETURNS_INSIDE : (int)i);
    }
}

static int bits_for(size_t values)
{
    int bits = 0;
    while ((size_t)1 << bits < values) bits++;
    return bits;
}

static void find_widths(const struct bp_program *p, struct joint_thread *t, const bool *recursive, bool precise)
{
    t->levels = xcalloc((size_t)t->level_count + 1, sizeof *t->levels);
    for (size_t i = 0; i < p->procs.len; i++) {
        if (t->level[i] < 0) continue;
        struct frame_level *l = &t->levels[t->level[i]];
        l->width = MAX(l->width, (int)p->procs.at[i].locals.len);
        l->code_bits = MAX(l->code_bits, bits_for(t->codes[i].len));
        l->recursive |= recursive[i];
        l->remembers = l->recursive && precise;
    }
    for (int i = 0; i < t->level_count; i++)
        t->levels[i].slots = xcalloc((size_t)t->levels[i].width + 1, sizeof *t->levels[i].slots);
}

static void find_places(const struct bp_program *p, struct joint_thread *t)
{
    t->place = xmalloc((p->nodes.len + 1) * sizeof *t->place);
    for (size_t i = 0; i < p->nodes.len; i++) t->place[i] = -1;
    boolprog_node_order(p, t->root, &t->nodes);
    for (size_t i = 0; i < t->nodes.len; i++) t->place[t->nodes.at[i]] = (int)i;
    t->start = (int)t->nodes.len, vec_push(&t->nodes, -1);
    t->done = (int)t->nodes.len, vec_push(&t->nodes, -1);
}

/* Everything that a step reads or writes, except for the results of a call, which come later. */
static void edge_vars(const struct bp_program *p, const struct bp_edge *e, int_list *vars)
{
    const int conditions[] = {e->guard, e->assertion, e->constrain};
    for (size_t i = 0; i < ARRAY_LEN(conditions); i++) boolprog_expr_vars(p, conditions[i], vars);
    for (size_t i = 0; i < e->assigns.len; i++) {
        vec_push(vars, e->assigns.at[i].var);
        boolprog_expr_vars(p, e->assigns.at[i].value, vars);
    }
    for (size_t i = 0; i < e->args.len; i++) boolprog_expr_vars(p, e->args.at[i], vars);
    for (size_t i = 0; i < e->values.len; i++) boolprog_expr_vars(p, e->values.at[i], vars);
}

static bool touches_shared(const struct bp_program *p, const struct bp_edge *e)
{
    int_list vars = {0};
    bool shared = false;
    edge_vars(p, e, &vars);
    for (size_t i = 0; i < vars.len; i++) shared |= p->vars.at[vars.at[i]].proc < 0;
    vec_release(&vars);
    return shared;
}

void stacks_touched(const struct joint *j, const struct joint_thread *t, bool *touched)
{
    const struct bp_program *p = j->p;
    int_list vars = {0};
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        if (t->place[e->from] < 0) continue;
        edge_vars(p, e, &vars);
        for (size_t k = 0; k < e->results.len; k++) vec_push(&vars, e->results.at[k]);
    }
    for (size_t i = 0; t->number < (int)p->threads.len && i < p->threads.at[t->number].args.len; i++)
        vec_push(&vars, p->threads.at[t->number].args.at[i]);
    if (t->number < (int)p->threads.len && p->threads.at[t->number].started >= 0)
        vec_push(&vars, p->threads.at[t->number].started);
    for (size_t i = 0; i < vars.len; i++) touched[vars.at[i]] = true;
    vec_release(&vars);
}

/* Does a call of this procedure put its results into shared variables? */
static bool returns_to_shared(const struct bp_program *p, int proc)
{
    for (size_t i = 0; i < p->edges.len; i++)
        for (size_t k = 0; p->edges.at[i].kind == EDGE_CALL && p->edges.at[i].callee == proc &&
                           k < p->edges.at[i].results.len; k++)
            if (p->vars.at[p->edges.at[i].results.at[k]].proc < 0) return true;
    return false;
}

/* Nothing that the thread can do next concerns others; and it does not come back here without resting elsewhere, since
 * every way around leads at some place to one that comes earlier in the order. */
static bool is_passing(const struct bp_program *p, const struct joint_thread *t, int place, const bool *to_shared)
{
    int node = t->nodes.at[place];
    bool passing = node >= 0;
    for (size_t i = 0; passing && i < p->nodes.at[node].out.len; i++) {
        const struct bp_edge *e = &p->edges.at[p->nodes.at[node].out.at[i]];
        int proc = p->nodes.at[node].proc;
        if (e->kind == EDGE_RETURN) passing = !to_shared[proc];
        else passing = t->place[e->to] > place && !p->nodes.at[e->to].atomic;
        if (e->kind == EDGE_CALL)
            passing &= t->level[e->callee] > t->level[proc] && !p->nodes.at[p->procs.at[e->callee].entry].atomic;
        passing &= !touches_shared(p, e);
    }
    return passing;
}

static void find_resting_places(const struct bp_program *p, struct joint_thread *t, bool everywhere)
{
    size_t places = t->nodes.len;
    bool *to_shared = xcalloc(p->procs.len + 1, sizeof *to_shared);
    t->position = xcalloc(places, sizeof *t->position);
    t->passing = xcalloc(places, sizeof *t->passing);
    for (size_t i = 0; i < p->procs.len; i++) to_shared[i] = returns_to_shared(p, (int)i);
    for (size_t i = 0; i < places; i++) t->passing[i] = !everywhere && is_passing(p, t, (int)i, to_shared);
    for (int passing = 0; passing < 2; passing++) /* those where the thread often is get the small numbers */
        for (size_t i = 0; i < places; i++) {
            bool atomic = t->nodes.at[i] >= 0 && p->nodes.at[t->nodes.at[i]].atomic;
            if (atomic) t->position[i] = -1;
            else if (t->passing[i] == passing) t->position[i] = t->position_count++;
        }
    free(to_shared);
}

/* ---- numbers of BDD variables ---- */

static int take(struct joint *j) { return j->var_count++; }

/* With its value at the start of a turn beside it. */
static int take_own(struct joint *j, struct joint_thread *t)
{
    int v = take(j);
    vec_push(&t->own, v);
    vec_push(&t->own_start, take(j));
    return v;
}

/* By thread; by thread and level: its first slot, if slots are items of their own. */
struct items { int *pc, **slot, count; bool whole_threads; };

static void number_items(const struct joint *j, struct items *x)
{
    x->count = (int)j->p->shared.len;
    x->whole_threads = j->q.order == ORDER_BY_THREAD;
    x->pc = xcalloc((size_t)j->count + 1, sizeof *x->pc);
    x->slot = xcalloc((size_t)j->count + 1, sizeof *x->slot);
    for (int t = 0; t < j->count; t++) {
        x->pc[t] = x->count++;
        x->slot[t] = xcalloc((size_t)j->threads[t].level_count + 1, sizeof **x->slot);
        for (int l = 0; l < j->threads[t].level_count; l++)
            x->slot[t][l] = x->count, x->count += x->whole_threads ? 0 : j->threads[t].levels[l].width;
    }
}

static void release_items(const struct joint *j, struct items *x)
{
    for (int t = 0; t < j->count; t++) free(x->slot[t]);
    free(x->slot), free(x->pc);
}

static void add_thread_relations(struct joint *j, int number, const struct items *x, struct relations *r)
{
    const struct bp_program *p = j->p;
    const struct joint_thread *t = &j->threads[number];
    int *item = xcalloc(p->vars.len + 1, sizeof *item);
    for (size_t i = 0; i < p->shared.len; i++) item[p->shared.at[i]] = (int)i;
    for (size_t i = 0; i < p->procs.len; i++)
        for (size_t k = 0; t->level[i] >= 0 && k < p->procs.at[i].locals.len; k++) {
            int var = p->procs.at[i].locals.at[k];
            item[var] = x->whole_threads ? x->pc[number] : x->slot[number][t->level[i]] + p->vars.at[var].slot;
        }
    struct order_map map = {item, -1, x->pc[number]};
    for (size_t i = 0; i < p->edges.len; i++)
        if (t->level[p->nodes.at[p->edges.at[i].from].proc] >= 0)
            relations_add_edge(r, &p->edges.at[i], j->q.order, &map);
    free(item);
}

static void number_shared(struct joint *j, int slot)
{
    int var = j->p->shared.at[slot];
    j->now[var] = take(j), j->next[var] = take(j), j->start[var] = take(j);
    for (int t = 0; t < j->count; t++)
        for (int l = 0; l < j->threads[t].level_count; l++) {
            struct frame_level *level = &j->threads[t].levels[l];
            if (!level->remembers) continue;
            level->entry_shared[slot] = take_own(j, &j->threads[t]);
            level->arg_shared[slot] = take(j);
        }
}

static void number_slot(struct joint *j, struct joint_thread *t, struct frame_level *l, int slot)
{
    struct local_slot s = {.entry = -1, .arg = -1};
    s.now = take_own(j, t), s.next = take(j);
    if (l->remembers) s.entry = take_own(j, t), s.arg = take(j);
    l->slots[slot] = s;
}

static void number_thread_item(struct joint *j, const struct items *x, int item)
{
    int number = j->count - 1;
    while (x->pc[number] > item) number--;
    struct joint_thread *t = &j->threads[number];
    if (item == x->pc[number]) {
        for (int i = bits_for((size_t)t->position_count); i > 0; i--) vec_push(&t->pc, take_own(j, t));
        for (int l = 0; l < t->level_count; l++) { /* a frame depends on who called: its code is beside it */
            for (int i = 0; i < t->levels[l].code_bits; i++) vec_push(&t->levels[l].code, take_own(j, t));
            for (int i = 0; x->whole_threads && i < t->levels[l].width; i++) number_slot(j, t, &t->levels[l], i);
        }
        return;
    }
    int l = t->level_count - 1;
    while (x->slot[number][l] > item || !t->levels[l].width) l--;
    number_slot(j, t, &t->levels[l], item - x->slot[number][l]);
}

static void number_variables(struct joint *j)
{
    const struct bp_program *p = j->p;
    struct items x = {0};
    struct relations r = {.p = p};
    number_items(j, &x);
    for (int t = 0; t < j->count; t++) add_thread_relations(j, t, &x, &r);
    int *order = xcalloc((size_t)x.count + 1, sizeof *order);
    relations_order(&r, x.count, order);
    for (int i = 0; i < x.count; i++) {
        vec_push(&j->block_starts, j->var_count);
        if (order[i] < (int)p->shared.len) number_shared(j, order[i]);
        else number_thread_item(j, &x, order[i]);
    }
    j->choice_count = (int)most_stars(p);
    if (j->choice_count) vec_push(&j->block_starts, j->var_count);
    j->choice = xcalloc((size_t)j->choice_count + 1, sizeof *j->choice);
    for (int i = 0; i < j->choice_count; i++) j->choice[i] = take(j);
    free(order);
    release_items(j, &x);
}

/* How this thread sees the variables of the program. */
static void set_view(struct joint *j, struct joint_thread *t)
{
    const struct bp_program *p = j->p;
    size_t vars = p->vars.len;
    t->e = (struct encoding){.b = &j->b, .p = p, .contexts = 1, .live = j->live, .choice = j->choice,
                             .choice_count = j->choice_count};
    t->e.now = xcalloc(vars + 1, sizeof(int)), t->e.next = xcalloc(vars + 1, sizeof(int));
    memcpy(t->e.now, j->now, vars * sizeof(int)), memcpy(t->e.next, j->next, vars * sizeof(int));
    for (size_t i = 0; i < p->procs.len; i++)
        for (size_t k = 0; t->level[i] >= 0 && k < p->procs.at[i].locals.len; k++) {
            int var = p->procs.at[i].locals.at[k];
            const struct local_slot *s = &t->levels[t->level[i]].slots[p->vars.at[var].slot];
            assert(p->vars.at[var].slot < t->levels[t->level[i]].width);
            assert(!t->e.now[var] || t->e.now[var] == s->now); /* copies of a procedure share variables and level */
            t->e.now[var] = s->now, t->e.next[var] = s->next;
        }
}

/* Upper bound, so that what is too large is refused before it is built. */
static bool too_many_variables(const struct joint *j)
{
    size_t n = 3 * j->p->shared.len + most_stars(j->p);
    for (int t = 0; t < j->count; t++)
        for (int l = 0; l < j->threads[t].level_count; l++) {
            const struct frame_level *level = &j->threads[t].levels[l];
            n += 6 * (size_t)level->width + 128 + (level->remembers ? 3 * j->p->shared.len : 0);
        }
    return n > MOST_BDD_VARIABLES;
}

static void thread_init(struct joint *j, int number, const int *component, const bool *recursive)
{
    const struct bp_program *p = j->p;
    struct joint_thread *t = &j->threads[number];
    t->number = number;
    t->root = number < (int)p->threads.len ? p->threads.at[number].proc : p->init;
    find_levels(p, t, component);
    find_places(p, t);
    find_codes(p, t);
    find_widths(p, t, recursive, j->q.precise);
    find_resting_places(p, t, j->q.want_points);
    for (int l = 0; l < t->level_count; l++)
        if (t->levels[l].remembers) {
            t->levels[l].entry_shared = xcalloc(p->shared.len + 1, sizeof(int));
            t->levels[l].arg_shared = xcalloc(p->shared.len + 1, sizeof(int));
        }
}

void stacks_init(struct joint *j)
{
    const struct bp_program *p = j->p;
    int *component = boolprog_call_components(p);
    bool *recursive = boolprog_recursive(p);
    for (int t = 0; t < j->count; t++) thread_init(j, t, component, recursive);
    free(component), free(recursive);
    if (too_many_variables(j)) b_leave(&j->b, CUT_VARIABLES);
    b_need(&j->b, p->nodes.len * (size_t)boolprog_most_locals(p) + 2 * p->vars.len * (size_t)j->count * sizeof(int), 1);
    if (!boolprog_liveness(p, j->b.limits, &j->live)) b_ask(&j->b);
    j->now = xcalloc(p->vars.len + 1, sizeof(int)), j->next = xcalloc(p->vars.len + 1, sizeof(int));
    j->start = xcalloc(p->vars.len + 1, sizeof(int));
    number_variables(j);
    crowds_number(j);
    for (int t = 0; t < j->count; t++) set_view(j, &j->threads[t]);
}

static void thread_release(const struct joint *j, struct joint_thread *t)
{
    for (int l = 0; t->levels && l < t->level_count; l++) {
        free(t->levels[l].slots), free(t->levels[l].entry_shared), free(t->levels[l].arg_shared);
        vec_release(&t->levels[l].code);
    }
    for (size_t i = 0; t->codes && i < j->p->procs.len; i++) vec_release(&t->codes[i]);
    for (size_t i = 0; t->moves_from && i < t->nodes.len; i++) vec_release(&t->moves_from[i]);
    for (size_t i = 0; i < t->moves.len; i++) {
        struct move *m = &t->moves.at[i];
        vec_release(&m->dropped), vec_release(&m->added), vec_release(&m->renamed), vec_release(&m->names);
    }
    vec_release(&t->moves), vec_release(&t->covered), vec_release(&t->errors);
    vec_release(&t->nodes), vec_release(&t->pc), vec_release(&t->own), vec_release(&t->own_start);
    free(t->levels), free(t->codes), free(t->moves_from), free(t->level), free(t->place);
    free(t->remembered), free(t->at), free(t->rests), free(t->position), free(t->passing);
    free(t->procs), free(t->inside), free(t->exits);
    free(t->states), free(t->facts), free(t->e.now), free(t->e.next);
}

void stacks_release(struct joint *j)
{
    for (int t = 0; t < j->count; t++) thread_release(j, &j->threads[t]);
    vec_release(&j->block_starts);
    free(j->threads), free(j->now), free(j->next), free(j->start), free(j->choice), free(j->live.live);
}

BDD code_is(struct joint *j, const struct joint_thread *t, int proc, int code)
{
    const struct frame_level *l = &t->levels[t->level[proc]];
    size_t number = 0;
    while (number < t->codes[proc].len && t->codes[proc].at[number] != code) number++;
    assert(number < t->codes[proc].len);
    BDD x = bddtrue;
    for (int i = 0; i < l->code_bits; i++)
        x = b_and(&j->b, x, number >> i & 1 ? bdd_ithvar(l->code.at[i]) : bdd_nithvar(l->code.at[i]));
    return x;
}
