/* The steps of one thread between given borders.
 *
 * The thread is analysed once more with its borders as constants, and every batch of new facts is kept in order. A fact
 * of one batch follows from facts of earlier batches, so walking back to ever earlier ones ends at the start. */
#include "symbolic/path_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct fact { int node, context, entered; size_t layer; uint8_t *value; /* by BDD variable: entry and now */ };

struct walker {
    struct rounds *r;
    struct encoding *e;
    struct facts f;
    int_list *steps_into, *sites_into; /* by node */
    const struct borders *borders;
    struct path *out;
};

static BDD literal(int var, uint8_t value) { return value ? bdd_ithvar(var) : bdd_nithvar(var); }

static bool live_local(const struct walker *w, int node, int var)
{
    const struct bp_program *p = w->e->p;
    return p->vars.at[var].proc >= 0 && boolprog_is_live(p, &w->e->live, node, var);
}

/* ---- conditions on facts ---- */

static int proc_of(const struct walker *w, int node)
{
    return node < (int)w->e->p->nodes.len ? w->e->p->nodes.at[node].proc : -1;
}

/* Values at the frame's entry; the frame below the thread's procedure has none. */
static BDD entry_condition(struct walker *w, const struct fact *x)
{
    int proc = proc_of(w, x->node);
    if (proc < 0) return bddtrue;
    const struct bp_program *p = w->e->p;
    BDD c = bddtrue;
    for (size_t i = 0; i < p->shared.len; i++) {
        int v = w->e->entry[p->shared.at[i]];
        c = b_and(w->e->b, c, literal(v, x->value[v]));
    }
    for (size_t i = 0; i < p->procs.at[proc].params.len; i++) {
        int var = p->procs.at[proc].params.at[i], v = w->e->entry[var];
        if (live_local(w, p->procs.at[proc].entry, var)) c = b_and(w->e->b, c, literal(v, x->value[v]));
    }
    return c;
}

/* Present values of shared and live local variables, except those for which skip[var]. */
static BDD now_condition(struct walker *w, const struct fact *x, bool shared, const bool *skip)
{
    const struct bp_program *p = w->e->p;
    BDD c = bddtrue;
    for (size_t i = 0; i < p->vars.len; i++) {
        bool matters = p->vars.at[i].proc < 0 ? shared : live_local(w, x->node, (int)i);
        if (matters && !(skip && skip[i])) c = b_and(w->e->b, c, literal(w->e->now[i], x->value[w->e->now[i]]));
    }
    return c;
}

/* How many of these come before that one. */
static size_t layers_before(const int_list *layers, size_t before)
{
    size_t low = 0, high = layers->len;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((size_t)layers->at[middle] < before) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The last batch before `before` with a fact like this; false if there is none. What is new in a batch follows from
 * something that was new since the batch before it at the same place, so the search is short. */
static bool find_fact(struct walker *w, int node, int context, int entered, BDD condition, size_t before,
                      struct fact *found)
{
    assert(before <= w->f.layers.len);
    const int_list *layers = facts_layers(&w->f, node, context, entered);
    for (size_t i = layers_before(layers, before); i-- > 0;) {
        size_t mark = b_mark(w->e->b), at = (size_t)layers->at[i];
        BDD x = b_and(w->e->b, w->f.layers.at[at].facts, condition);
        if (x != bddfalse) {
            *found = (struct fact){node, context, entered, at, xcalloc((size_t)w->e->var_count + 1, 1)};
            pick_assignment(x, found->value);
        }
        b_release(w->e->b, mark);
        if (x != bddfalse) return true;
    }
    return false;
}

/* ---- one step back ---- */

static uint8_t *values_after(const struct walker *w, const struct fact *x)
{
    size_t n = w->e->p->vars.len;
    uint8_t *v = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) v[i] = x->value[w->e->now[i]];
    return v;
}

static void emit(struct walker *w, int edge, const struct fact *after)
{
    assert(edge >= 0 && edge < (int)w->e->p->edges.len);
    assert(!w->out->items.len || after->context <= vec_last(&w->out->items).context); /* backwards */
    vec_push(&w->out->items, ((struct path_item){edge, after->context, values_after(w, after)}));
}

static bool back_switch(struct walker *w, const struct fact *x, struct fact *before)
{
    if (x->context <= x->entered || !facts_may_switch(&w->f, x->node)) return false;
    size_t shared = w->e->p->shared.len;
    uint8_t *now = xcalloc(shared + 1, 1);
    get_shared(w->e, COPY_NOW, 0, x->value, now);
    bool at_border = !memcmp(now, w->borders->in[x->context], shared), found = false;
    free(now);
    if (!at_border) return false;
    BDD c = b_and(w->e->b, now_condition(w, x, false, NULL), entry_condition(w, x));
    c = b_and(w->e->b, c, fix_shared(w->e, COPY_NOW, 0, w->borders->out[x->context - 1]));
    found = find_fact(w, x->node, x->context - 1, x->entered, c, x->layer, before);
    return found;
}

static bool back_step(struct walker *w, const struct fact *x, const struct step_rel *s, struct fact *before)
{
    const struct bp_program *p = w->e->p;
    const struct bp_edge *edge = &p->edges.at[s->edge];
    bool *written = xcalloc(p->vars.len + 1, sizeof *written);
    BDD c = b_and(w->e->b, s->rel, entry_condition(w, x));
    for (size_t i = 0; i < edge->assigns.len; i++) {
        int var = edge->assigns.at[i].var;
        written[var] = true;
        if (p->vars.at[var].proc >= 0 && !live_local(w, x->node, var)) continue;
        c = b_and(w->e->b, c, literal(w->e->next[var], x->value[w->e->now[var]]));
    }
    c = b_and(w->e->b, c, now_condition(w, x, true, written));
    free(written);
    return find_fact(w, s->from, x->context, x->entered, c, x->layer, before);
}

/* The entry of the call that this caller makes: arguments and shared state are known. */
static BDD call_entry(struct walker *w, const struct call_site *s, const struct fact *caller)
{
    const struct bp_program *p = w->e->p;
    const struct bp_proc *f = &p->procs.at[s->callee];
    BDD entry = bddtrue;
    for (size_t i = 0; i < p->shared.len; i++) {
        int var = p->shared.at[i];
        entry = b_and(w->e->b, entry, literal(w->e->entry[var], caller->value[w->e->now[var]]));
    }
    for (size_t i = 0; i < f->params.len; i++) {
        int var = f->params.at[i];
        if (!live_local(w, f->entry, var)) continue;
        entry = b_and(w->e->b, entry, literal(w->e->entry[var], caller->value[w->e->arg[var]]));
    }
    return entry;
}

/* A caller waiting at the site and the end of the call that it waited for: both from earlier batches. */
static bool back_return(struct walker *w, const struct fact *x, const struct call_site *s, const struct return_rel *ret,
                        int called, struct fact *caller, struct fact *end)
{
    const struct bp_program *p = w->e->p;
    struct bdds *b = w->e->b;
    bool *result = xcalloc(p->vars.len + 1, sizeof *result);
    const int_list *results = s->edge >= 0 ? &p->edges.at[s->edge].results : NULL;
    BDD c = b_and(b, s->args, entry_condition(w, x)), returned = bddtrue;
    for (size_t i = 0; results && i < results->len; i++) {
        int var = results->at[i];
        result[var] = true;
        if (p->vars.at[var].proc >= 0 && !live_local(w, x->node, var)) continue;
        returned = b_and(b, returned, literal(w->e->ret[i], x->value[w->e->now[var]]));
    }
    c = b_and(b, c, now_condition(w, x, false, result));
    BDD after = bddtrue; /* what the callee left behind, unless a result replaced it */
    for (size_t i = 0; i < p->shared.len; i++) {
        int var = p->shared.at[i];
        if (!result[var]) after = b_and(b, after, literal(w->e->now[var], x->value[w->e->now[var]]));
    }
    BDD end_condition = b_and(b, b_and(b, ret->rel, returned), after);
    free(result);
    const int_list *layers = facts_layers(&w->f, ret->from, x->context, called);
    for (size_t i = layers_before(layers, x->layer); i-- > 0;) {
        size_t mark = b_mark(b), at = (size_t)layers->at[i];
        BDD ends = b_and(b, w->f.layers.at[at].facts, end_condition);
        BDD summary = ends == bddfalse ? ends : b_product(b, ends, bddtrue, ret->quant);
        if (summary != bddfalse)
            summary = b_exist(b, b_rename(b, summary, w->e->summary_pair), shared_cube(w->e, COPY_NEXT, 0, 1));
        BDD both = b_and(b, summary, c);
        if (both != bddfalse && find_fact(w, s->from, called, x->entered, both, x->layer, caller)) {
            *end = (struct fact){ret->from, x->context, called, at, xcalloc((size_t)w->e->var_count + 1, 1)};
            pick_assignment(b_and(b, ends, call_entry(w, s, caller)), end->value);
            b_release(b, mark);
            return true;
        }
        b_release(b, mark);
    }
    return false;
}

static bool at_entry(const struct walker *w, const struct fact *x)
{
    const struct bp_program *p = w->e->p;
    int proc = proc_of(w, x->node);
    if (proc < 0) return x->node == w->f.start && x->context == 0;
    if (x->node != p->procs.at[proc].entry || x->context != x->entered) return false;
    for (size_t i = 0; i < p->vars.len; i++) {
        int v = w->e->entry[i];
        bool param = false;
        for (size_t k = 0; k < p->procs.at[proc].params.len; k++) param |= p->procs.at[proc].params.at[k] == (int)i;
        bool matters = p->vars.at[i].proc < 0 || (param && live_local(w, x->node, (int)i));
        if (matters && x->value[v] != x->value[w->e->now[i]]) return false;
    }
    return true;
}

static void walk_frame(struct walker *w, struct fact *x);

static void replace(struct fact *x, struct fact y)
{
    free(x->value);
    *x = y;
}

static bool step_back_call(struct walker *w, struct fact *x, const struct call_site *s)
{
    struct fact caller, end;
    for (size_t r = 0; r < w->e->returns.len; r++) {
        const struct return_rel *ret = &w->e->returns.at[r];
        if (ret->proc != s->callee) continue;
        for (int called = x->entered; called <= x->context; called++) {
            if (!back_return(w, x, s, ret, called, &caller, &end)) continue;
            emit(w, ret->edge, x);
            walk_frame(w, &end); /* now the entry of the call */
            if (s->edge >= 0) emit(w, s->edge, &end);
            else w->out->locals = values_after(w, &end);
            free(end.value);
            replace(x, caller);
            return true;
        }
    }
    return false;
}

static bool step_back(struct walker *w, struct fact *x)
{
    struct fact before;
    if (back_switch(w, x, &before)) {
        replace(x, before);
        return true;
    }
    for (size_t i = 0; i < w->steps_into[x->node].len; i++) {
        const struct step_rel *s = &w->e->steps.at[w->steps_into[x->node].at[i]];
        if (!back_step(w, x, s, &before)) continue;
        emit(w, s->edge, x);
        replace(x, before);
        return true;
    }
    for (size_t i = 0; i < w->sites_into[x->node].len; i++)
        if (step_back_call(w, x, facts_site(&w->f, w->sites_into[x->node].at[i]))) return true;
    return false;
}

/* Back to the entry of the frame that x belongs to; x becomes the entry. */
static void walk_frame(struct walker *w, struct fact *x)
{
    while (!at_entry(w, x)) {
        size_t mark = b_mark(w->e->b), layer = x->layer;
        if (!step_back(w, x)) BUG("a fact without a reason: node %d, context %d", x->node, x->context);
        assert(x->layer < layer); /* so that it ends */
        b_release(w->e->b, mark);
    }
}

/* From the entry of a frame to whoever called it; false at the bottom. */
static bool leave_frame(struct walker *w, struct fact *x)
{
    const struct bp_program *p = w->e->p;
    int proc = proc_of(w, x->node);
    if (proc < 0) return false;
    for (size_t i = 0; i < w->f.site_to[proc].len; i++) {
        const struct call_site *s = facts_site(&w->f, w->f.site_to[proc].at[i]);
        size_t mark = b_mark(w->e->b);
        BDD c = s->args;
        for (size_t k = 0; k < p->shared.len; k++)
            c = b_and(w->e->b, c, literal(w->e->now[p->shared.at[k]], x->value[w->e->entry[p->shared.at[k]]]));
        for (size_t k = 0; k < p->procs.at[proc].params.len; k++) {
            int var = p->procs.at[proc].params.at[k];
            if (live_local(w, x->node, var)) c = b_and(w->e->b, c, literal(w->e->arg[var], x->value[w->e->entry[var]]));
        }
        struct fact caller;
        bool found = false;
        for (int entered = 0; !found && entered <= x->entered; entered++)
            found = find_fact(w, s->from, x->entered, entered, c, x->layer, &caller);
        b_release(w->e->b, mark);
        if (!found) continue;
        if (s->edge >= 0) emit(w, s->edge, x);
        else w->out->locals = values_after(w, x);
        replace(x, caller);
        return true;
    }
    BUG("a procedure without a caller");
}

/* ---- the whole thread ---- */

static void index_into(struct walker *w)
{
    size_t nodes = (size_t)facts_nodes(&w->f);
    w->steps_into = xcalloc(nodes, sizeof *w->steps_into);
    w->sites_into = xcalloc(nodes, sizeof *w->sites_into);
    for (size_t i = 0; i < w->e->steps.len; i++) vec_push(&w->steps_into[w->e->steps.at[i].to], (int)i);
    for (int i = -1; i < (int)w->e->sites.len; i++) vec_push(&w->sites_into[facts_site(&w->f, i)->to], i);
}

static void release_walker(struct walker *w)
{
    for (int i = 0; i < facts_nodes(&w->f); i++) vec_release(&w->steps_into[i]), vec_release(&w->sites_into[i]);
    free(w->steps_into), free(w->sites_into);
    facts_release(&w->f);
}

static void analyse_again(struct walker *w, int thread, int contexts)
{
    facts_init(&w->f, w->e, thread, contexts);
    facts_keep_layers(&w->f);
    index_into(w);
    for (int k = 0; k < contexts; k++) {
        size_t mark = b_mark(w->e->b);
        BDD allowed = fix_shared(w->e, COPY_IN, k, w->borders->in[k]);
        for (int i = 0; i < k; i++) {
            allowed = b_and(w->e->b, allowed, fix_shared(w->e, COPY_IN, i, w->borders->in[i]));
            allowed = b_and(w->e->b, allowed, fix_shared(w->e, COPY_OUT, i, w->borders->out[i]));
        }
        rounds_begin_context(w->r, &w->f, k, allowed);
        facts_saturate(&w->f, k);
        b_release(w->e->b, mark);
    }
}

static bool find_goal(struct walker *w, int contexts, const struct path_goal *goal, struct fact *x)
{
    for (size_t i = 0; i < w->f.layers.len; i++) {
        const struct layer *l = &w->f.layers.at[i];
        if (l->context != contexts - 1) continue;
        if (goal->node >= 0 ? l->node != goal->node || l->entered != goal->entered : !facts_may_switch(&w->f, l->node))
            continue;
        if (find_fact(w, l->node, l->context, l->entered, goal->condition, i + 1, x)) return true;
    }
    return false;
}

static void reverse(struct path *p)
{
    for (size_t i = 0, k = p->items.len; i + 1 < k; i++) {
        struct path_item t = p->items.at[i];
        p->items.at[i] = p->items.at[--k];
        p->items.at[k] = t;
    }
}

void find_path(struct rounds *r, int thread, const struct borders *b, const struct path_goal *goal, struct path *out)
{
    *out = (struct path){0};
    if (!b->contexts) return;
    struct walker w = {.r = r, .e = &r->e, .borders = b, .out = out};
    struct fact x;
    analyse_again(&w, thread, b->contexts);
    if (!find_goal(&w, b->contexts, goal, &x)) BUG("thread %d does not get from border to border", thread);
    do walk_frame(&w, &x);
    while (leave_frame(&w, &x));
    free(x.value);
    release_walker(&w);
    reverse(out);
}

void symbolic_path_release(struct path *p)
{
    for (size_t i = 0; i < p->items.len; i++) free(p->items.at[i].after);
    vec_release(&p->items);
    free(p->locals);
}
