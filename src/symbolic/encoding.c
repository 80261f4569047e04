/* Statements as relations.
 *
 * Locals that are dead after a step are quantified away by it, and values that nobody reads are not even computed:
 * what remains in a relation is what can matter. Stars are fresh variables, quantified expression by expression. */
#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static BDD hold(BDD x) { return bdd_addref(x); } /* until bdds_stop() */

static int slot_var(const struct encoding *e, enum copy kind, int context, int slot)
{
    int var = e->p->shared.at[slot], at = slot * e->contexts + context;
    assert(context >= 0 && context < e->contexts && e->p->vars.at[var].slot == slot);
    switch (kind) {
    case COPY_NOW: return e->now[var];
    case COPY_NEXT: return e->next[var];
    case COPY_ENTRY: return e->entry[var];
    case COPY_IN: return e->in[at];
    case COPY_OUT: return e->out[at];
    case COPY_AUX: return e->aux[at];
    }
    BUG("copy %d", (int)kind);
}

void shared_copy(const struct encoding *e, enum copy kind, int context, int_list *out)
{
    for (int i = 0; i < (int)e->p->shared.len; i++) vec_push(out, slot_var(e, kind, context, i));
}

BDD shared_equal(struct encoding *e, enum copy x, int x_context, enum copy y, int y_context)
{
    BDD all = bddtrue;
    for (int i = (int)e->p->shared.len - 1; i >= 0; i--) {
        BDD a = bdd_ithvar(slot_var(e, x, x_context, i)), b = bdd_ithvar(slot_var(e, y, y_context, i));
        all = b_and(e->b, all, b_same(e->b, a, b));
    }
    return all;
}

/* ---- expressions ---- */

/* written: NULL, or by variable: 'x is its next value, otherwise its present one. */
static BDD build(struct encoding *e, int expr, const bool *written, int *choices)
{
    const struct bp_expr *x = &e->p->exprs.at[expr];
    BDD a = x->op >= EXPR_NOT ? build(e, x->a, written, choices) : bddfalse;
    BDD b = x->op >= EXPR_AND ? build(e, x->b, written, choices) : bddfalse;
    BDD c = x->op == EXPR_ITE ? build(e, x->c, written, choices) : bddfalse;
    switch (x->op) {
    case EXPR_CONST: return x->a ? bddtrue : bddfalse;
    case EXPR_VAR: return bdd_ithvar(e->now[x->a]);
    case EXPR_NEXT: return bdd_ithvar(written && written[x->a] ? e->next[x->a] : e->now[x->a]);
    case EXPR_STAR: assert(*choices < e->choice_count); return bdd_ithvar(e->choice[(*choices)++]);
    case EXPR_NOT: return b_not(e->b, a);
    case EXPR_AND: return b_and(e->b, a, b);
    case EXPR_OR: return b_or(e->b, a, b);
    case EXPR_XOR: return b_keep(e->b, bdd_xor(a, b));
    case EXPR_EQ: return b_same(e->b, a, b);
    case EXPR_IMP: return b_keep(e->b, bdd_imp(a, b));
    case EXPR_ITE: return b_keep(e->b, bdd_ite(a, b, c));
    }
    BUG("expression %d", (int)x->op);
}

static BDD quantify_choices(struct encoding *e, BDD x, int choices)
{
    return choices ? b_exist(e->b, x, b_cube(e->b, e->choice, (size_t)choices)) : x;
}

BDD expr_holds(struct encoding *e, int expr, const bool *written)
{
    int choices = 0;
    if (expr < 0) return bddtrue;
    BDD x = build(e, expr, written, &choices);
    return quantify_choices(e, x, choices);
}

BDD expr_can_be(struct encoding *e, int expr, bool value)
{
    int choices = 0;
    BDD x = build(e, expr, NULL, &choices);
    return quantify_choices(e, value ? x : b_not(e->b, x), choices);
}

BDD var_takes(struct encoding *e, int bdd_var, int expr)
{
    int choices = 0;
    BDD x = b_same(e->b, bdd_ithvar(bdd_var), build(e, expr, NULL, &choices));
    return quantify_choices(e, x, choices);
}

/* ---- steps ---- */

static bool live_at(const struct encoding *e, int node, int var)
{
    return boolprog_is_live(e->p, &e->live, node, var);
}

/* Present values of locals that are dead at the node are quantified away on the way to it. */
static void add_dead(const struct encoding *e, int proc, int node, int_list *quant)
{
    const int_list *locals = &e->p->procs.at[proc].locals;
    for (size_t i = 0; i < locals->len; i++)
        if (!live_at(e, node, locals->at[i])) vec_push(quant, e->now[locals->at[i]]);
}

static BDD guard_of(struct encoding *e, const struct bp_edge *x)
{
    BDD guard = expr_holds(e, x->guard, NULL);
    return x->assertion < 0 ? guard : b_and(e->b, guard, expr_holds(e, x->assertion, NULL));
}

static void encode_step(struct encoding *e, int edge)
{
    const struct bp_edge *x = &e->p->edges.at[edge];
    assert(e->p->nodes.at[x->from].proc == e->p->nodes.at[x->to].proc);
    size_t mark = b_mark(e->b);
    BDD rel = guard_of(e, x);
    int_list quant = {0}, from = {0}, to = {0};
    bool *written = xcalloc(e->p->vars.len + 1, sizeof *written);
    for (size_t i = 0; i < x->assigns.len; i++) {
        int var = x->assigns.at[i].var;
        bool matters = live_at(e, x->to, var);
        if (!matters && x->constrain < 0) continue;
        written[var] = true;
        rel = b_and(e->b, rel, var_takes(e, e->next[var], x->assigns.at[i].value));
        vec_push(&quant, e->now[var]);
        vec_push(&from, e->next[var]);
        vec_push(&to, e->now[var]);
    }
    if (x->constrain >= 0) rel = b_and(e->b, rel, expr_holds(e, x->constrain, written));
    add_dead(e, e->p->nodes.at[x->from].proc, x->to, &quant);
    if (x->constrain >= 0) { /* values computed only for the constraint */
        int_list useless = {0};
        for (size_t i = 0; i < x->assigns.len; i++)
            if (!live_at(e, x->to, x->assigns.at[i].var)) vec_push(&useless, e->next[x->assigns.at[i].var]);
        rel = b_exist(e->b, rel, b_cube(e->b, useless.at, useless.len));
        vec_release(&useless);
    }
    struct step_rel s = {.from = x->from, .to = x->to, .edge = edge, .rel = hold(rel)};
    s.quant = hold(b_cube(e->b, quant.at, quant.len));
    s.rename = from.len ? b_pair(e->b, from.at, to.at, from.len) : NULL;
    vec_push(&e->steps, s);
    free(written);
    vec_release(&quant);
    vec_release(&from);
    vec_release(&to);
    b_release(e->b, mark);
}

static void encode_return(struct encoding *e, int edge)
{
    const struct bp_edge *x = &e->p->edges.at[edge];
    int proc = e->p->nodes.at[x->from].proc;
    size_t mark = b_mark(e->b);
    BDD rel = guard_of(e, x);
    assert((int)x->values.len == e->p->procs.at[proc].results);
    for (size_t i = 0; i < x->values.len; i++) rel = b_and(e->b, rel, var_takes(e, e->ret[i], x->values.at[i]));
    int_list quant = {0};
    for (size_t i = 0; i < e->p->procs.at[proc].locals.len; i++)
        vec_push(&quant, e->now[e->p->procs.at[proc].locals.at[i]]);
    struct return_rel r = {.from = x->from, .edge = edge, .proc = proc, .rel = hold(rel)};
    r.quant = hold(b_cube(e->b, quant.at, quant.len));
    vec_push(&e->returns, r);
    vec_release(&quant);
    b_release(e->b, mark);
}

/* ---- calls ---- */

static bool param_matters(const struct encoding *e, int proc, int var)
{
    return live_at(e, e->p->procs.at[proc].entry, var);
}

static void site_quant(struct encoding *e, struct call_site *s, int caller, const int_list *results)
{
    const struct bp_program *p = e->p;
    int_list enter = {0}, back = {0}, from = {0}, to = {0};
    for (size_t i = 0; caller >= 0 && i < p->procs.at[caller].locals.len; i++) {
        int var = p->procs.at[caller].locals.at[i];
        vec_push(&enter, e->now[var]);
        if (e->entry[var] >= 0) vec_push(&enter, e->entry[var]);
    }
    shared_copy(e, COPY_ENTRY, 0, &enter);
    shared_copy(e, COPY_NOW, 0, &back);
    shared_copy(e, COPY_NEXT, 0, &from);
    shared_copy(e, COPY_NOW, 0, &to);
    const struct bp_proc *f = &p->procs.at[s->callee];
    for (size_t i = 0; i < f->params.len; i++) vec_push(&back, e->arg[f->params.at[i]]);
    for (int i = 0; i < f->results; i++) vec_push(&back, e->ret[i]);
    for (size_t i = 0; i < results->len; i++) {
        int var = results->at[i];
        if (p->vars.at[var].proc < 0 || !live_at(e, s->to, var)) continue;
        vec_push(&back, e->now[var]);
        vec_push(&from, e->next[var]);
        vec_push(&to, e->now[var]);
    }
    if (caller >= 0) add_dead(e, caller, s->to, &back);
    s->enter_quant = hold(b_cube(e->b, enter.at, enter.len));
    s->back_quant = hold(b_cube(e->b, back.at, back.len));
    s->back_rename = b_pair(e->b, from.at, to.at, from.len);
    vec_release(&enter);
    vec_release(&back);
    vec_release(&from);
    vec_release(&to);
}

static void site_results(struct encoding *e, struct call_site *s, const int_list *results)
{
    BDD rel = bddtrue, drop = bddtrue;
    for (size_t i = 0; i < results->len; i++) {
        int var = results->at[i];
        if (!live_at(e, s->to, var)) continue;
        rel = b_and(e->b, rel, b_same(e->b, bdd_ithvar(e->next[var]), bdd_ithvar(e->ret[i])));
        if (e->p->vars.at[var].proc < 0) drop = b_and(e->b, drop, bdd_ithvar(e->next[var]));
    }
    s->results = hold(rel);
    s->drop = hold(drop);
}

static void encode_call(struct encoding *e, int edge)
{
    const struct bp_edge *x = &e->p->edges.at[edge];
    struct call_site s = {.from = x->from, .to = x->to, .callee = x->callee, .edge = edge};
    size_t mark = b_mark(e->b);
    BDD args = expr_holds(e, x->guard, NULL);
    const struct bp_proc *f = &e->p->procs.at[x->callee];
    assert(x->args.len == f->params.len && x->results.len <= (size_t)f->results);
    for (size_t i = 0; i < x->args.len; i++)
        if (param_matters(e, x->callee, f->params.at[i]))
            args = b_and(e->b, args, var_takes(e, e->arg[f->params.at[i]], x->args.at[i]));
    s.args = hold(args);
    site_results(e, &s, &x->results);
    site_quant(e, &s, e->p->nodes.at[x->from].proc, &x->results);
    vec_push(&e->sites, s);
    b_release(e->b, mark);
}

void encoding_root_site(struct encoding *e, int thread, int from, int to, struct call_site *site)
{
    const struct bp_program *p = e->p;
    const struct bp_thread *t = thread < (int)p->threads.len ? &p->threads.at[thread] : NULL;
    *site = (struct call_site){.from = from, .to = to, .callee = t ? t->proc : p->init, .edge = -1};
    size_t mark = b_mark(e->b);
    BDD args = t && t->started >= 0 ? bdd_ithvar(e->now[t->started]) : bddtrue;
    const struct bp_proc *f = &p->procs.at[site->callee];
    for (size_t i = 0; t && i < t->args.len; i++)
        if (param_matters(e, site->callee, f->params.at[i]))
            args =
                b_and(e->b, args, b_same(e->b, bdd_ithvar(e->arg[f->params.at[i]]), bdd_ithvar(e->now[t->args.at[i]])));
    site->args = hold(args);
    int_list none = {0};
    site_results(e, site, &none);
    site_quant(e, site, -1, &none);
    b_release(e->b, mark);
}

/* ---- the whole program ---- */

static void encode_errors(struct encoding *e, const char *const *labels)
{
    const struct bp_program *p = e->p;
    for (size_t i = 0; i < p->nodes.len; i++)
        if (boolprog_is_error_node(p, (int)i, labels)) vec_push(&e->errors, ((struct error_rel){(int)i, -1, bddtrue}));
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *x = &p->edges.at[i];
        if (x->assertion < 0) continue;
        size_t mark = b_mark(e->b);
        BDD bad = b_and(e->b, expr_holds(e, x->guard, NULL), expr_can_be(e, x->assertion, false));
        vec_push(&e->errors, ((struct error_rel){x->from, (int)i, hold(bad)}));
        b_release(e->b, mark);
    }
}

static void encode_others(struct encoding *e, const int_list *now)
{
    int_list others = {0};
    bool *shared = xcalloc((size_t)e->var_count + 1, sizeof *shared);
    for (size_t i = 0; i < now->len; i++) shared[now->at[i]] = true;
    for (int v = 0; v < e->var_count; v++)
        if (!shared[v]) vec_push(&others, v);
    free(shared);
    e->not_now_shared = hold(b_cube(e->b, others.at, others.len));
    vec_release(&others);
}

static void encode_entries(struct encoding *e)
{
    const struct bp_program *p = e->p;
    int_list from = {0}, to = {0}, now = {0};
    size_t mark = b_mark(e->b);
    e->entered = xcalloc(p->procs.len + 1, sizeof *e->entered);
    BDD same = shared_equal(e, COPY_ENTRY, 0, COPY_NOW, 0);
    for (size_t i = 0; i < p->procs.len; i++) {
        BDD rel = same;
        for (size_t k = 0; k < p->procs.at[i].params.len; k++) {
            int var = p->procs.at[i].params.at[k];
            if (param_matters(e, (int)i, var))
                rel = b_and(e->b, rel, b_same(e->b, bdd_ithvar(e->entry[var]), bdd_ithvar(e->now[var])));
        }
        e->entered[i] = hold(rel);
    }
    shared_copy(e, COPY_NOW, 0, &now);
    e->now_shared = hold(b_cube(e->b, now.at, now.len));
    encode_others(e, &now);
    for (int i = 0; i < e->slot_count; i++)
        if (e->slots[i].arg >= 0) vec_push(&from, e->slots[i].arg), vec_push(&to, e->slots[i].now);
    e->arg_to_now = b_pair(e->b, from.at, to.at, from.len);
    vec_clear(&from), vec_clear(&to);
    for (size_t i = 0; i < p->shared.len; i++) {
        int var = p->shared.at[i];
        vec_push(&from, e->entry[var]), vec_push(&to, e->now[var]);
        vec_push(&from, e->now[var]), vec_push(&to, e->next[var]);
    }
    for (int i = 0; i < e->slot_count; i++)
        if (e->slots[i].arg >= 0) vec_push(&from, e->slots[i].entry), vec_push(&to, e->slots[i].arg);
    e->summary_pair = b_pair(e->b, from.at, to.at, from.len);
    vec_release(&from), vec_release(&to), vec_release(&now);
    b_release(e->b, mark);
}

static void encode_initial(struct encoding *e)
{
    size_t mark = b_mark(e->b);
    BDD all = bddtrue;
    for (size_t i = 0; i < e->p->shared.len; i++) {
        int var = e->p->shared.at[i], init = e->p->vars.at[var].init;
        if (init >= 0) all = b_and(e->b, all, init ? bdd_ithvar(e->now[var]) : bdd_nithvar(e->now[var]));
    }
    e->initial = hold(all);
    b_release(e->b, mark);
}

void encoding_init(struct encoding *e, struct bdds *b, const struct bp_program *p, int contexts,
                   const char *const *labels, struct order_choice order)
{
    assert(contexts > 0);
    *e = (struct encoding){0}; /* nothing to release yet */
    if (encoding_most_variables(p, contexts) > MOST_BDD_VARIABLES) b_leave(b, CUT_VARIABLES);
    b_need(b, p->nodes.len * (size_t)boolprog_most_locals(p), 1);
    struct bp_liveness live;
    if (!boolprog_liveness(p, b->limits, &live)) b_ask(b);
    *e = (struct encoding){.b = b, .p = p, .contexts = contexts, .live = live};
    encoding_layout_init(e, order.kind);
    assert((size_t)e->var_count <= encoding_most_variables(p, contexts));
    bdds_start(b, e->var_count);
    bdds_reorder(b, e->block_starts.at, e->block_starts.len, e->var_count, order.reorder);
    for (size_t i = 0; i < p->edges.len; i++) {
        if (p->edges.at[i].kind == EDGE_STEP) encode_step(e, (int)i);
        else if (p->edges.at[i].kind == EDGE_CALL) encode_call(e, (int)i);
        else encode_return(e, (int)i);
    }
    assert(e->steps.len + e->sites.len + e->returns.len == p->edges.len);
    encode_errors(e, labels);
    encode_entries(e);
    encode_initial(e);
}

static void allow_shared(const struct encoding *e, enum copy kind, int contexts, bool *allowed)
{
    int_list vars = {0};
    for (int i = 0; i < contexts; i++) shared_copy(e, kind, i, &vars);
    for (size_t i = 0; i < vars.len; i++) allowed[vars.at[i]] = true;
    vec_release(&vars);
}

bool encoding_is_fact(const struct encoding *e, BDD x, int context)
{
    bool *allowed = xcalloc((size_t)e->var_count + 1, sizeof *allowed), good = true;
    allow_shared(e, COPY_IN, context + 1, allowed);
    allow_shared(e, COPY_OUT, context, allowed);
    for (size_t i = 0; i < e->p->vars.len; i++) {
        allowed[e->now[i]] = true;
        if (e->entry[i] >= 0) allowed[e->entry[i]] = true;
    }
    int *nodes = bdd_varprofile(x); /* by variable; bdd_support() does not survive that BuDDy is started again */
    for (int v = 0; v < e->var_count; v++) good &= allowed[v] || !nodes[v];
    free(nodes);
    free(allowed);
    return good;
}

void encoding_release(struct encoding *e)
{
    if (!e->p) return;
    encoding_layout_release(e);
    vec_release(&e->steps);
    vec_release(&e->sites);
    vec_release(&e->returns);
    vec_release(&e->errors);
    free(e->entered);
    free(e->live.live);
    *e = (struct encoding){0};
}
