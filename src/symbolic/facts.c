/* Saturation of one context of one thread: frontier evaluation, node by node in reverse postorder. */
#include "symbolic/facts_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int facts_nodes(const struct facts *f) { return (int)f->e->p->nodes.len + 2; }

struct fact_cell *facts_cell(const struct facts *f, int node, int context, int entered)
{
    assert(entered >= 0 && entered <= context && context < f->contexts);
    assert(node >= 0 && node < facts_nodes(f));
    return &f->cells[((size_t)node * (size_t)f->contexts + (size_t)context) * (size_t)f->contexts + (size_t)entered];
}

struct fact_cell *facts_summary(const struct facts *f, int proc, int context, int entered)
{
    assert(proc >= 0 && proc < (int)f->e->p->procs.len);
    assert(entered >= 0 && entered <= context && context < f->contexts);
    return &f->summaries[((size_t)proc * (size_t)f->contexts + (size_t)context) * (size_t)f->contexts +
                         (size_t)entered];
}

const int_list *facts_layers(const struct facts *f, int node, int context, int entered)
{
    assert(f->keep_layers);
    return &f->layers_of[facts_cell(f, node, context, entered) - f->cells];
}

const struct call_site *facts_site(const struct facts *f, int index)
{
    assert(index >= -1 && index < (int)f->e->sites.len);
    return index < 0 ? &f->root : &f->e->sites.at[index];
}

bool facts_may_switch(const struct facts *f, int node)
{
    return node >= (int)f->e->p->nodes.len || !f->e->p->nodes.at[node].atomic;
}

/* ---- structure ---- */

static void index_structure(struct facts *f)
{
    const struct encoding *e = f->e;
    for (size_t i = 0; i < e->steps.len; i++) vec_push(&f->step_of[e->steps.at[i].from], (int)i);
    for (size_t i = 0; i < e->returns.len; i++) vec_push(&f->return_of[e->returns.at[i].from], (int)i);
    for (size_t i = 0; i < e->sites.len; i++) {
        vec_push(&f->site_of[e->sites.at[i].from], (int)i);
        vec_push(&f->site_to[e->sites.at[i].callee], (int)i);
    }
    vec_push(&f->site_of[f->start], -1);
    vec_push(&f->site_to[f->root.callee], -1);
    vec_push(&f->order, f->start);
    boolprog_node_order(e->p, f->root.callee, &f->order);
    vec_push(&f->order, f->done);
    assert(f->order.len <= (size_t)facts_nodes(f)); /* each at most once */
}

static void make_tables(struct facts *f)
{
    size_t nodes = (size_t)facts_nodes(f), procs = f->e->p->procs.len + 1;
    size_t square = (size_t)f->contexts * (size_t)f->contexts;
    f->step_of = xcalloc(nodes, sizeof *f->step_of);
    f->site_of = xcalloc(nodes, sizeof *f->site_of);
    f->return_of = xcalloc(nodes, sizeof *f->return_of);
    f->site_to = xcalloc(procs, sizeof *f->site_to);
    f->cells = xcalloc(nodes * square, sizeof *f->cells); /* bddfalse is 0 */
    f->summaries = xcalloc(procs * square, sizeof *f->summaries);
    assert(bddfalse == 0);
}

void facts_keep_layers(struct facts *f)
{
    size_t square = (size_t)f->contexts * (size_t)f->contexts;
    f->keep_layers = true;
    f->layers_of = xcalloc((size_t)facts_nodes(f) * square, sizeof *f->layers_of);
}

void facts_init(struct facts *f, struct encoding *e, int thread, int contexts)
{
    assert(contexts > 0 && contexts <= e->contexts && thread >= 0 && thread <= (int)e->p->threads.len);
    b_need(e->b, (e->p->nodes.len + e->p->procs.len + 3) * (size_t)contexts * (size_t)contexts, sizeof *f->cells);
    struct facts fresh = {.e = e, .thread = thread, .contexts = contexts};
    fresh.start = (int)e->p->nodes.len;
    fresh.done = fresh.start + 1;
    encoding_root_site(e, thread, fresh.start, fresh.done, &fresh.root); /* may leave: nothing to release before */
    *f = fresh;
    make_tables(f);
    index_structure(f);
}

void facts_release(struct facts *f)
{
    if (!f->e) return;
    size_t square = (size_t)f->contexts * (size_t)f->contexts;
    if (bdds_usable()) {
        for (size_t i = 0; i < (size_t)facts_nodes(f) * square; i++)
            b_set(&f->cells[i].all, 0), b_set(&f->cells[i].fresh, 0);
        for (size_t i = 0; i < f->e->p->procs.len * square; i++)
            b_set(&f->summaries[i].all, 0), b_set(&f->summaries[i].fresh, 0);
        for (size_t i = 0; i < f->layers.len; i++) bdd_delref(f->layers.at[i].facts);
    }
    for (int i = 0; i < facts_nodes(f); i++) {
        vec_release(&f->step_of[i]);
        vec_release(&f->site_of[i]);
        vec_release(&f->return_of[i]);
    }
    for (size_t i = 0; i < f->e->p->procs.len; i++) vec_release(&f->site_to[i]);
    free(f->step_of), free(f->site_of), free(f->return_of), free(f->site_to);
    free(f->cells);
    free(f->summaries);
    vec_release(&f->order);
    for (size_t i = 0; f->layers_of && i < (size_t)facts_nodes(f) * square; i++) vec_release(&f->layers_of[i]);
    free(f->layers_of);
    vec_release(&f->layers);
    *f = (struct facts){0};
}

/* ---- rules ---- */

static bool cell_add(struct bdds *b, struct fact_cell *c, BDD x)
{
    BDD fresh = b_diff(b, x, c->all);
    if (fresh == bddfalse) return false;
    b_set(&c->all, b_or(b, c->all, fresh));
    b_set(&c->fresh, b_or(b, c->fresh, fresh));
    assert_costly(bdd_imp(c->fresh, c->all) == bddtrue);
    return true;
}

void facts_add(struct facts *f, int node, int context, int entered, BDD x)
{
    assert_costly(encoding_is_fact(f->e, x, context));
    cell_add(f->e->b, facts_cell(f, node, context, entered), x);
}

/* R1': a step inside the procedure. */
static void apply_step(struct facts *f, const struct step_rel *s, int context, int entered, BDD fresh)
{
    struct bdds *b = f->e->b;
    assert(fresh != bddfalse);
    BDD x = b_product(b, fresh, s->rel, s->quant);
    if (s->rename) x = b_rename(b, x, s->rename);
    facts_add(f, s->to, context, entered, x);
}

/* R7': the callee is entered in every state in which it is called, and in no other. */
static void apply_enter(struct facts *f, const struct call_site *s, int context, BDD fresh)
{
    struct bdds *b = f->e->b;
    BDD x = b_product(b, fresh, s->args, s->enter_quant);
    x = b_rename(b, x, f->e->arg_to_now);
    facts_add(f, f->e->p->procs.at[s->callee].entry, context, context, b_and(b, x, f->e->entered[s->callee]));
}

/* R2': caller and callee agree on history and state at the call; the caller goes on with what the callee left. */
static void apply_back(struct facts *f, const struct call_site *s, int context, int entered, BDD caller, BDD summary)
{
    struct bdds *b = f->e->b;
    if (caller == bddfalse || summary == bddfalse) return;
    BDD callee = b_rename(b, summary, f->e->summary_pair);
    callee = b_and(b, b_exist(b, callee, s->drop), s->results);
    BDD x = b_product(b, b_and(b, caller, s->args), callee, s->back_quant);
    facts_add(f, s->to, context, entered, b_rename(b, x, s->back_rename));
}

/* R3': what leaves the procedure joins its summary. */
static void apply_return(struct facts *f, const struct return_rel *r, int context, int entered, BDD fresh)
{
    BDD x = b_product(f->e->b, fresh, r->rel, r->quant);
    cell_add(f->e->b, facts_summary(f, r->proc, context, entered), x);
}

static void note_layer(struct facts *f, int node, int context, int entered, BDD fresh)
{
    vec_push(&f->layers_of[facts_cell(f, node, context, entered) - f->cells], (int)f->layers.len);
    vec_push(&f->layers, ((struct layer){node, context, entered, bdd_addref(fresh)}));
}

static void process_node(struct facts *f, int node, int context, int entered)
{
    struct fact_cell *c = facts_cell(f, node, context, entered);
    size_t mark = b_mark(f->e->b);
    BDD fresh = b_keep(f->e->b, c->fresh);
    b_set(&c->fresh, bddfalse);
    if (f->keep_layers) note_layer(f, node, context, entered, fresh);
    for (size_t i = 0; i < f->step_of[node].len; i++)
        apply_step(f, &f->e->steps.at[f->step_of[node].at[i]], context, entered, fresh);
    for (size_t i = 0; i < f->return_of[node].len; i++)
        apply_return(f, &f->e->returns.at[f->return_of[node].at[i]], context, entered, fresh);
    for (size_t i = 0; i < f->site_of[node].len; i++) {
        const struct call_site *s = facts_site(f, f->site_of[node].at[i]);
        apply_enter(f, s, context, fresh);
        apply_back(f, s, context, entered, fresh, facts_summary(f, s->callee, context, context)->all);
    }
    b_release(f->e->b, mark);
}

/* New results of a procedure entered in context `called`, for all callers that were waiting there since. */
static void process_summary(struct facts *f, int proc, int context, int called)
{
    struct fact_cell *c = facts_summary(f, proc, context, called);
    size_t mark = b_mark(f->e->b);
    BDD fresh = b_keep(f->e->b, c->fresh);
    b_set(&c->fresh, bddfalse);
    for (size_t i = 0; i < f->site_to[proc].len; i++) {
        const struct call_site *s = facts_site(f, f->site_to[proc].at[i]);
        for (int entered = 0; entered <= called; entered++)
            apply_back(f, s, context, entered, facts_cell(f, s->from, called, entered)->all, fresh);
    }
    b_release(f->e->b, mark);
}

static bool has_fresh(const struct facts *f, int context)
{
    bool fresh = false;
    for (int node = 0; node < facts_nodes(f); node++)
        for (int entered = 0; entered <= context; entered++)
            fresh |= facts_cell(f, node, context, entered)->fresh != bddfalse;
    for (int proc = 0; proc < (int)f->e->p->procs.len; proc++)
        for (int entered = 0; entered <= context; entered++)
            fresh |= facts_summary(f, proc, context, entered)->fresh != bddfalse;
    return fresh;
}

void facts_saturate(struct facts *f, int context)
{
    assert(context >= 0 && context < f->contexts);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < f->order.len; i++)
            for (int entered = 0; entered <= context; entered++) {
                if (facts_cell(f, f->order.at[i], context, entered)->fresh == bddfalse) continue;
                changed = true;
                process_node(f, f->order.at[i], context, entered);
            }
        for (size_t proc = 0; proc < f->e->p->procs.len; proc++)
            for (int called = 0; called <= context; called++) {
                if (facts_summary(f, (int)proc, context, called)->fresh == bddfalse) continue;
                changed = true;
                process_summary(f, (int)proc, context, called);
            }
    }
    assert_costly(!has_fresh(f, context)); /* also at nodes that the order may have left out */
}
