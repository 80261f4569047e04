/* What a thread can do in joint states, as relations. */
#include "symbolic/stack_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct mover { struct joint *j; struct joint_thread *t; };

static struct move new_move(const struct mover *m, int from, int to, int edge)
{
    (void)m;
    assert(from >= 0 && to >= 0);
    return (struct move){.from = from, .to = to, .edge = edge, .rel = bddtrue, .add = bddtrue, .covers = -1,
                         .uncovers = -1, .returns_to = -1};
}

/* Cubes and renamings are made when all is said. */
static void finish(struct mover *m, struct move *x)
{
    struct bdds *b = &m->j->b;
    x->rel = bdd_addref(x->rel);
    x->add = bdd_addref(x->add);
    x->quant = bdd_addref(b_cube(b, x->dropped.at, x->dropped.len));
    x->rename = x->renamed.len ? b_pair(b, x->renamed.at, x->names.at, x->names.len) : NULL;
    vec_push(&m->t->moves_from[x->from], (int)m->t->moves.len);
    vec_push(&m->t->moves, *x);
}

static void restrict_to(struct mover *m, struct move *x, BDD rel) { x->rel = b_and(&m->j->b, x->rel, rel); }

static void rename_to(struct move *x, int from, int to)
{
    vec_push(&x->renamed, from);
    vec_push(&x->names, to);
}

static bool is_dropped(const struct move *x, int v)
{
    for (size_t i = 0; i < x->dropped.len; i++)
        if (x->dropped.at[i] == v) return true;
    return false;
}

static void drop(struct move *x, int v)
{
    if (!is_dropped(x, v)) vec_push(&x->dropped, v);
}

static void drop_frame(struct move *x, const struct joint *j, const struct frame_level *l)
{
    for (int i = 0; i < l->width; i++) {
        drop(x, l->slots[i].now);
        if (l->slots[i].entry >= 0) drop(x, l->slots[i].entry);
    }
    for (size_t i = 0; i < l->code.len; i++) drop(x, l->code.at[i]);
    for (size_t i = 0; l->remembers && i < j->p->shared.len; i++) drop(x, l->entry_shared[i]);
}

static BDD guard_of(struct mover *m, const struct bp_edge *e)
{
    return b_and(&m->j->b, expr_holds(&m->t->e, e->guard, NULL), expr_holds(&m->t->e, e->assertion, NULL));
}

static bool is_live(const struct mover *m, int node, int var)
{
    return boolprog_is_live(m->j->p, &m->j->live, node, var);
}

/* ---- inside a procedure ---- */

static void add_step(struct mover *m, int edge)
{
    const struct bp_program *p = m->j->p;
    const struct bp_edge *e = &p->edges.at[edge];
    struct encoding *v = &m->t->e;
    struct move x = new_move(m, m->t->place[e->from], m->t->place[e->to], edge);
    bool *written = xcalloc(p->vars.len + 1, sizeof *written);
    int_list useless = {0};
    restrict_to(m, &x, guard_of(m, e));
    for (size_t i = 0; i < e->assigns.len; i++) {
        int var = e->assigns.at[i].var;
        bool live = is_live(m, e->to, var);
        if (!live && e->constrain < 0) continue;
        written[var] = true;
        restrict_to(m, &x, var_takes(v, v->next[var], e->assigns.at[i].value));
        drop(&x, v->now[var]);
        if (live) rename_to(&x, v->next[var], v->now[var]);
        else vec_push(&useless, v->next[var]);
    }
    if (e->constrain >= 0) restrict_to(m, &x, expr_holds(v, e->constrain, written));
    if (useless.len) x.rel = b_exist(&m->j->b, x.rel, b_cube(&m->j->b, useless.at, useless.len));
    const int_list *locals = &p->procs.at[p->nodes.at[e->from].proc].locals;
    for (size_t i = 0; i < locals->len; i++)
        if (!is_live(m, e->to, locals->at[i])) drop(&x, v->now[locals->at[i]]);
    finish(m, &x);
    vec_release(&useless);
    free(written);
}

/* ---- calls ---- */

static bool is_result(const struct bp_edge *call, int var)
{
    for (size_t i = 0; i < call->results.len; i++)
        if (call->results.at[i] == var) return true;
    return false;
}

static void pass_arguments(struct mover *m, struct move *x, const struct bp_edge *e)
{
    const struct bp_proc *f = &m->j->p->procs.at[e->callee];
    struct encoding *v = &m->t->e;
    for (size_t i = 0; i < e->args.len; i++) {
        int var = f->params.at[i];
        if (!is_live(m, f->entry, var)) continue;
        restrict_to(m, x, var_takes(v, v->next[var], e->args.at[i]));
        rename_to(x, v->next[var], v->now[var]);
    }
}

/* The new frame: where it returns to, and what it remembers. */
static void add_frame(struct mover *m, struct move *x, int proc, int code)
{
    const struct bp_program *p = m->j->p;
    const struct frame_level *l = &m->t->levels[m->t->level[proc]];
    struct bdds *b = &m->j->b;
    x->add = code_is(m->j, m->t, proc, code);
    for (size_t i = 0; i < l->code.len; i++) vec_push(&x->added, l->code.at[i]);
    if (!l->remembers) return;
    for (size_t i = 0; i < p->procs.at[proc].params.len; i++) {
        int var = p->procs.at[proc].params.at[i];
        const struct local_slot *s = &l->slots[p->vars.at[var].slot];
        if (!is_live(m, p->procs.at[proc].entry, var)) continue;
        x->add = b_and(b, x->add, b_same(b, bdd_ithvar(s->entry), bdd_ithvar(s->now)));
        vec_push(&x->added, s->entry);
    }
    for (size_t i = 0; i < p->shared.len; i++) {
        x->add = b_and(b, x->add, b_same(b, bdd_ithvar(l->entry_shared[i]), bdd_ithvar(m->j->now[p->shared.at[i]])));
        vec_push(&x->added, l->entry_shared[i]);
    }
}

/* Of the caller remains what is read after the call. */
static void drop_dead(struct mover *m, struct move *x, const struct bp_edge *e)
{
    const int_list *locals = &m->j->p->procs.at[m->j->p->nodes.at[e->from].proc].locals;
    for (size_t i = 0; i < locals->len; i++)
        if (!is_live(m, e->to, locals->at[i]) || is_result(e, locals->at[i])) drop(x, m->t->e.now[locals->at[i]]);
}

static void add_outer_call(struct mover *m, int edge)
{
    const struct bp_edge *e = &m->j->p->edges.at[edge];
    struct move x = new_move(m, m->t->place[e->from], m->t->place[m->j->p->procs.at[e->callee].entry], edge);
    restrict_to(m, &x, guard_of(m, e));
    pass_arguments(m, &x, e);
    drop_dead(m, &x, e);
    drop_frame(&x, m->j, &m->t->levels[m->t->level[e->callee]]); /* not active, but facts of turns may speak of it */
    add_frame(m, &x, e->callee, edge);
    finish(m, &x);
}

/* What is covered: the caller's frame as far as it is read later, and what the callee will remember of the call. */
static int add_covered(struct mover *m, int edge)
{
    const struct bp_program *p = m->j->p;
    const struct bp_edge *e = &p->edges.at[edge];
    int caller = p->nodes.at[e->from].proc;
    const struct frame_level *l = &m->t->levels[m->t->level[caller]];
    struct bdds *b = &m->j->b;
    struct covered c = {.edge = edge};
    bool *kept = xcalloc((size_t)m->j->var_count + 1, sizeof *kept);
    int_list others = {0}, args = {0};
    BDD rel = guard_of(m, e);
    for (int i = 0; i < l->width; i++) {
        kept[l->slots[i].now] = true;
        if (l->remembers) kept[l->slots[i].entry] = true;
    }
    for (size_t i = 0; i < l->code.len; i++) kept[l->code.at[i]] = true;
    for (size_t i = 0; l->remembers && i < p->shared.len; i++) {
        kept[l->entry_shared[i]] = true;
        rel = b_and(b, rel, b_same(b, bdd_ithvar(l->arg_shared[i]), bdd_ithvar(m->j->now[p->shared.at[i]])));
        vec_push(&args, l->arg_shared[i]);
    }
    const struct bp_proc *f = &p->procs.at[e->callee];
    for (size_t i = 0; l->remembers && i < e->args.len; i++) {
        const struct local_slot *s = &l->slots[p->vars.at[f->params.at[i]].slot];
        if (!is_live(m, f->entry, f->params.at[i])) continue;
        rel = b_and(b, rel, var_takes(&m->t->e, s->arg, e->args.at[i]));
    }
    for (int i = 0; l->remembers && i < l->width; i++) vec_push(&args, l->slots[i].arg); /* a return renames them all */
    for (size_t i = 0; i < args.len; i++) kept[args.at[i]] = true;
    const int_list *locals = &p->procs.at[caller].locals;
    for (size_t i = 0; i < locals->len; i++)
        if (!is_live(m, e->to, locals->at[i]) || is_result(e, locals->at[i])) kept[m->t->e.now[locals->at[i]]] = false;
    for (int v = 0; v < m->j->var_count; v++)
        if (!kept[v]) vec_push(&others, v);
    c.rel = bdd_addref(rel);
    c.quant = bdd_addref(b_cube(b, others.at, others.len));
    c.args = bdd_addref(b_cube(b, args.at, args.len));
    vec_push(&m->t->covered, c);
    vec_release(&others), vec_release(&args);
    free(kept);
    return (int)m->t->covered.len - 1;
}

static void add_inner_call(struct mover *m, int edge)
{
    const struct bp_edge *e = &m->j->p->edges.at[edge];
    struct move x = new_move(m, m->t->place[e->from], m->t->place[m->j->p->procs.at[e->callee].entry], edge);
    x.covers = add_covered(m, edge);
    restrict_to(m, &x, guard_of(m, e));
    pass_arguments(m, &x, e);
    drop_frame(&x, m->j, &m->t->levels[m->t->level[e->callee]]);
    add_frame(m, &x, e->callee, RETURNS_INSIDE);
    finish(m, &x);
}

/* ---- returns ---- */

static void pass_results(struct mover *m, struct move *x, const struct bp_edge *ret, const struct bp_edge *call)
{
    struct encoding *v = &m->t->e;
    for (size_t i = 0; i < call->results.len; i++) {
        int var = call->results.at[i];
        if (!is_live(m, call->to, var)) continue;
        restrict_to(m, x, var_takes(v, v->next[var], ret->values.at[i]));
        drop(x, v->now[var]);
        rename_to(x, v->next[var], v->now[var]);
    }
}

/* Back to the call with this code. */
static void add_return(struct mover *m, int edge, int code)
{
    const struct bp_program *p = m->j->p;
    const struct bp_edge *e = &p->edges.at[edge];
    int proc = p->nodes.at[e->from].proc;
    const struct bp_edge *call = code >= 0 ? &p->edges.at[code] : NULL;
    struct move x = new_move(m, m->t->place[e->from], call ? m->t->place[call->to] : m->t->done, edge);
    restrict_to(m, &x, b_and(&m->j->b, guard_of(m, e), code_is(m->j, m->t, proc, code)));
    drop_frame(&x, m->j, &m->t->levels[m->t->level[proc]]);
    if (call) pass_results(m, &x, e, call);
    x.returns_to = call ? code : -1;
    finish(m, &x);
}

/* Back to a frame that a call inside the recursion has covered. */
static void add_inner_return(struct mover *m, int edge, int covered)
{
    const struct bp_program *p = m->j->p;
    const struct bp_edge *e = &p->edges.at[edge], *call = &p->edges.at[m->t->covered.at[covered].edge];
    int proc = p->nodes.at[e->from].proc;
    const struct frame_level *l = &m->t->levels[m->t->level[proc]];
    struct move x = new_move(m, m->t->place[e->from], m->t->place[call->to], edge);
    x.uncovers = covered;
    restrict_to(m, &x, b_and(&m->j->b, guard_of(m, e), code_is(m->j, m->t, proc, RETURNS_INSIDE)));
    drop_frame(&x, m->j, l);
    if (l->remembers) { /* what it remembers is compared with what was covered */
        vec_clear(&x.dropped);
        for (int i = 0; i < l->width; i++) drop(&x, l->slots[i].now), rename_to(&x, l->slots[i].entry, l->slots[i].arg);
        for (size_t i = 0; i < l->code.len; i++) drop(&x, l->code.at[i]);
        for (size_t i = 0; i < p->shared.len; i++) rename_to(&x, l->entry_shared[i], l->arg_shared[i]);
    }
    pass_results(m, &x, e, call);
    finish(m, &x);
}

static void add_returns(struct mover *m, int edge)
{
    int proc = m->j->p->nodes.at[m->j->p->edges.at[edge].from].proc;
    for (size_t i = 0; i < m->t->codes[proc].len; i++)
        if (m->t->codes[proc].at[i] != RETURNS_INSIDE) add_return(m, edge, m->t->codes[proc].at[i]);
    for (size_t i = 0; i < m->t->covered.len; i++)
        if (m->j->p->edges.at[m->t->covered.at[i].edge].callee == proc) add_inner_return(m, edge, (int)i);
}

/* ---- all ---- */

static void add_start(struct mover *m)
{
    const struct bp_program *p = m->j->p;
    const struct bp_thread *t = m->t->number < (int)p->threads.len ? &p->threads.at[m->t->number] : NULL;
    struct encoding *v = &m->t->e;
    const struct bp_proc *f = &p->procs.at[m->t->root];
    struct move x = new_move(m, m->t->start, m->t->place[f->entry], -1);
    if (t && t->started >= 0) x.rel = bdd_ithvar(v->now[t->started]);
    for (size_t i = 0; t && i < t->args.len; i++) {
        int var = f->params.at[i];
        if (!is_live(m, f->entry, var)) continue;
        restrict_to(m, &x, b_same(&m->j->b, bdd_ithvar(v->next[var]), bdd_ithvar(v->now[t->args.at[i]])));
        rename_to(&x, v->next[var], v->now[var]);
    }
    drop_frame(&x, m->j, &m->t->levels[m->t->level[m->t->root]]);
    add_frame(m, &x, m->t->root, RETURNS_NOWHERE);
    finish(m, &x);
}

static void add_errors(struct mover *m)
{
    const struct bp_program *p = m->j->p;
    struct encoding *v = &m->t->e;
    for (size_t place = 0; place < m->t->nodes.len; place++) {
        int node = m->t->nodes.at[place];
        if (node < 0) continue;
        if (boolprog_is_error_node(p, node, m->j->q.labels))
            vec_push(&m->t->errors, ((struct place_error){(int)place, -1, bddtrue}));
        for (size_t i = 0; i < p->nodes.at[node].out.len; i++) {
            int edge = p->nodes.at[node].out.at[i];
            const struct bp_edge *e = &p->edges.at[edge];
            if (e->assertion < 0) continue;
            BDD bad = b_and(&m->j->b, expr_holds(v, e->guard, NULL), expr_can_be(v, e->assertion, false));
            vec_push(&m->t->errors, ((struct place_error){(int)place, edge, bdd_addref(bad)}));
        }
    }
}

static void add_edge(struct mover *m, int edge, bool returns)
{
    const struct bp_program *p = m->j->p;
    const struct bp_edge *e = &p->edges.at[edge];
    int level = m->t->level[p->nodes.at[e->from].proc];
    if (level < 0 || m->t->place[e->from] < 0 || (e->kind == EDGE_RETURN) != returns) return;
    size_t mark = b_mark(&m->j->b);
    if (e->kind == EDGE_STEP) add_step(m, edge);
    else if (e->kind == EDGE_RETURN) add_returns(m, edge);
    else if (m->t->level[e->callee] == level) add_inner_call(m, edge);
    else add_outer_call(m, edge);
    b_release(&m->j->b, mark);
}

void moves_init(struct joint *j, struct joint_thread *t)
{
    struct mover m = {j, t};
    size_t mark = b_mark(&j->b);
    t->moves_from = xcalloc(t->nodes.len, sizeof *t->moves_from);
    add_start(&m);
    for (size_t i = 0; i < j->p->edges.len; i++) add_edge(&m, (int)i, false);
    for (size_t i = 0; i < j->p->edges.len; i++) add_edge(&m, (int)i, true); /* they need to know what is covered */
    add_errors(&m);
    b_release(&j->b, mark);
}
