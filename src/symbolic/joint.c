/* Joint states of all threads: flattening, and the closure by rounds. */
#include "symbolic/joint_int.h"

#include "symbolic/encoding_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACES = 4000, MOST_TABLE = 1 << 24, MOST_WORK = 20000000 };

/* A procedure at one place of the calling tree, with its own variables; recursive ones have one for all places. */
struct instance { int proc, first_place; struct encoding e; };

struct flat_edge {
    int from, to, edge, instance, other;
}; /* edge -1: the start of the thread; other: callee or caller */

struct flat {
    int thread, place_count, pc_bits, root, done, start;
    int_list pc;           /* BDD variables, now; next is one above */
    VEC(struct instance *) instances;
    VEC(struct flat_edge) edges;
    int_list atomic;       /* places */
    int_list place_node, place_instance; /* by place; -1: none */
};

struct image { BDD rel, quant, to; bddPair *rename; int from; };

struct joint {
    const struct bp_program *p;
    struct bdds b;
    struct joint_result *r;
    struct encoding base;  /* shared variables only */
    bool *recursive;       /* by procedure: can call itself */
    int *number;           /* by node: its number within its procedure */
    size_t instances;      /* of all threads */
    int count, var_count;
    struct flat *flat;     /* threads, then init */
    VEC(struct image) *images; /* by thread */
    BDD states, shared_cube, not_shared;
    double started;
    bool too_big;
};

/* ---- flattening ---- */

static int take_vars(struct joint *j, int n)
{
    j->var_count += n;
    return j->var_count - n;
}

static int new_place(struct flat *f, int node, int instance, bool atomic)
{
    vec_push(&f->place_node, node);
    vec_push(&f->place_instance, instance);
    if (atomic) vec_push(&f->atomic, f->place_count);
    return f->place_count++;
}

static void number_nodes(struct joint *j)
{
    const struct bp_program *p = j->p;
    int *next = xcalloc(p->procs.len + 1, sizeof *next);
    j->number = xcalloc(p->nodes.len + 1, sizeof *j->number);
    for (size_t n = 0; n < p->nodes.len; n++) j->number[n] = next[p->nodes.at[n].proc]++;
    free(next);
}

static int place_at(const struct joint *j, const struct instance *i, int node)
{
    assert(j->p->nodes.at[node].proc == i->proc);
    return i->first_place + j->number[node];
}

static int instantiate(struct joint *j, struct flat *f, int proc);

static void flatten_edge(struct joint *j, struct flat *f, int index, int edge)
{
    const struct bp_edge *e = &j->p->edges.at[edge];
    struct instance *i = f->instances.at[index];
    int from = place_at(j, i, e->from);
    if (e->kind == EDGE_STEP) {
        vec_push(&f->edges, ((struct flat_edge){from, place_at(j, i, e->to), edge, index, -1}));
    } else if (e->kind == EDGE_CALL) {
        int callee = instantiate(j, f, e->callee);
        if (callee < 0) return;
        int entry = place_at(j, f->instances.at[callee], j->p->procs.at[e->callee].entry);
        vec_push(&f->edges, ((struct flat_edge){from, entry, edge, index, callee}));
    }
}

/* The instance of a procedure for a call; -1 when the program is too big to be expanded. */
static int instantiate(struct joint *j, struct flat *f, int proc)
{
    const struct bp_program *p = j->p;
    for (size_t i = 0; j->recursive[proc] && i < f->instances.len; i++)
        if (f->instances.at[i]->proc == proc) return (int)i;
    if (f->place_count > MOST_PLACES || ++j->instances * p->vars.len > MOST_TABLE) {
        j->too_big = true;
        return -1;
    }
    struct instance *i = xcalloc(1, sizeof *i);
    int index = (int)f->instances.len;
    vec_push(&f->instances, i);
    i->proc = proc;
    i->first_place = f->place_count;
    for (size_t n = 0; n < p->nodes.len; n++) {
        if (p->nodes.at[n].proc != proc) continue;
        int place = new_place(f, (int)n, index, p->nodes.at[n].atomic);
        assert(place == place_at(j, i, (int)n));
        (void)place;
    }
    b_ask(&j->b);
    for (size_t k = 0; k < p->edges.len && !j->too_big; k++)
        if (p->nodes.at[p->edges.at[k].from].proc == proc) flatten_edge(j, f, index, (int)k);
    return index;
}

/* Every call gets its way back: from each return of the callee to behind the call. */
static void add_returns(struct joint *j, struct flat *f)
{
    size_t calls = f->edges.len;
    for (size_t i = 0; i < calls; i++) {
        struct flat_edge c = f->edges.at[i];
        if (c.other < 0 || c.edge < 0) continue;
        b_ask(&j->b);
        for (size_t k = 0; k < j->p->edges.len; k++) {
            const struct bp_edge *e = &j->p->edges.at[k];
            const struct instance *callee = f->instances.at[c.other];
            if (e->kind != EDGE_RETURN || j->p->nodes.at[e->from].proc != callee->proc) continue;
            int to = place_at(j, f->instances.at[c.instance], j->p->edges.at[c.edge].to);
            /* `other` of a return is the call that it ends, counted from 1 and negative */
            vec_push(&f->edges,
                     ((struct flat_edge){place_at(j, callee, e->from), to, (int)k, c.other, -2 - (int)i}));
        }
    }
    for (size_t k = 0; k < j->p->edges.len; k++) {
        const struct bp_edge *e = &j->p->edges.at[k];
        const struct instance *root = f->instances.at[0];
        if (e->kind == EDGE_RETURN && j->p->nodes.at[e->from].proc == root->proc)
            vec_push(&f->edges, ((struct flat_edge){place_at(j, root, e->from), f->done, (int)k, 0, -1}));
    }
}

static void flatten(struct joint *j, int thread)
{
    struct flat *f = &j->flat[thread];
    const struct bp_thread *t = thread < (int)j->p->threads.len ? &j->p->threads.at[thread] : NULL;
    f->thread = thread;
    f->root = instantiate(j, f, t ? t->proc : j->p->init);
    f->done = new_place(f, -1, -1, false);
    f->start = new_place(f, -1, -1, false);
    if (j->too_big) return;
    add_returns(j, f);
    int entry = place_at(j, f->instances.at[0], j->p->procs.at[f->instances.at[0]->proc].entry);
    vec_push(&f->edges, ((struct flat_edge){f->start, entry, -1, 0, 0}));
    for (f->pc_bits = 1; 1 << f->pc_bits < f->place_count;) f->pc_bits++;
}

static void number_variables(struct joint *j)
{
    const struct bp_program *p = j->p;
    size_t vars = p->vars.len;
    int items = order_item_count(p), *order = xcalloc((size_t)items + 1, sizeof *order);
    order_program(p, ORDER_BY_ASSIGNMENT, order);
    j->base = (struct encoding){.b = &j->b, .p = p, .contexts = 1};
    j->base.now = xcalloc(vars + 1, sizeof(int)), j->base.next = xcalloc(vars + 1, sizeof(int));
    b_need(&j->b, p->nodes.len * (size_t)boolprog_most_locals(p), 1);
    if (!boolprog_liveness(p, j->b.limits, &j->base.live)) b_ask(&j->b);
    for (int i = 0; i < items; i++)
        if (order[i] < (int)p->shared.len) {
            int var = p->shared.at[order[i]];
            j->base.now[var] = take_vars(j, 2);
            j->base.next[var] = j->base.now[var] + 1;
        }
    size_t stars = most_stars(p);
    j->base.choice = xcalloc(stars + 1, sizeof(int));
    j->base.choice_count = (int)stars;
    for (int t = 0; t < j->count; t++) {
        struct flat *f = &j->flat[t];
        for (int i = 0; i < f->pc_bits; i++) vec_push(&f->pc, take_vars(j, 1));
        for (size_t k = 0; k < f->instances.len; k++) {
            struct instance *x = f->instances.at[k];
            x->e = j->base;
            x->e.now = xcalloc(vars + 1, sizeof(int)), x->e.next = xcalloc(vars + 1, sizeof(int));
            memcpy(x->e.now, j->base.now, vars * sizeof(int)), memcpy(x->e.next, j->base.next, vars * sizeof(int));
            const int_list *locals = &p->procs.at[x->proc].locals;
            for (int i = 0; i < items; i++)
                for (size_t m = 0; m < locals->len; m++)
                    if (order_item(p, locals->at[m]) == order[i]) {
                        x->e.now[locals->at[m]] = take_vars(j, 2);
                        x->e.next[locals->at[m]] = x->e.now[locals->at[m]] + 1;
                    }
        }
    }
    for (size_t i = 0; i < stars; i++) j->base.choice[i] = take_vars(j, 1);
    free(order);
}

/* ---- relations ---- */

static BDD at_place(struct joint *j, const struct flat *f, int place)
{
    assert(place >= 0 && place < f->place_count && f->place_count <= 1 << f->pc_bits);
    BDD x = bddtrue;
    for (int i = 0; i < f->pc_bits; i++)
        x = b_and(&j->b, x, place >> i & 1 ? bdd_ithvar(f->pc.at[i]) : bdd_nithvar(f->pc.at[i]));
    return x;
}

struct image_parts { BDD rel; int_list quant, from, to; };

static void assign(struct joint *j, struct image_parts *x, const struct encoding *to, int var,
                   const struct encoding *in, int value)
{
    struct encoding *source = (struct encoding *)in;
    x->rel = b_and(&j->b, x->rel, var_takes(source, to->next[var], value));
    vec_push(&x->quant, to->now[var]);
    vec_push(&x->from, to->next[var]);
    vec_push(&x->to, to->now[var]);
}

static void forget_locals(struct image_parts *x, const struct joint *j, const struct instance *i, int node)
{
    const int_list *locals = &j->p->procs.at[i->proc].locals;
    for (size_t k = 0; k < locals->len; k++)
        if (node < 0 || !boolprog_is_live(j->p, &j->base.live, node, locals->at[k]))
            vec_push(&x->quant, i->e.now[locals->at[k]]);
}

static void build_step(struct joint *j, struct image_parts *x, struct instance *i, const struct bp_edge *e)
{
    bool *written = xcalloc(j->p->vars.len + 1, sizeof *written);
    for (size_t k = 0; k < e->assigns.len; k++) {
        written[e->assigns.at[k].var] = true;
        assign(j, x, &i->e, e->assigns.at[k].var, &i->e, e->assigns.at[k].value);
    }
    if (e->constrain >= 0) x->rel = b_and(&j->b, x->rel, expr_holds(&i->e, e->constrain, written));
    free(written);
    /* dead locals: not those just written, whose old value is quantified already and whose new value is renamed */
    const int_list *locals = &j->p->procs.at[i->proc].locals;
    for (size_t k = 0; k < locals->len; k++) {
        bool assigned = false;
        for (size_t m = 0; m < e->assigns.len; m++) assigned |= e->assigns.at[m].var == locals->at[k];
        if (!assigned && !boolprog_is_live(j->p, &j->base.live, e->to, locals->at[k]))
            vec_push(&x->quant, i->e.now[locals->at[k]]);
    }
}

/* Parameters take the arguments, other locals of the callee are arbitrary. */
static void build_call(struct joint *j, struct image_parts *x, struct instance *caller, struct instance *callee,
                       const struct bp_edge *e)
{
    const struct bp_proc *f = &j->p->procs.at[callee->proc];
    for (size_t k = 0; k < e->args.len; k++) assign(j, x, &callee->e, f->params.at[k], &caller->e, e->args.at[k]);
    for (size_t k = 0; k < f->locals.len; k++) {
        bool param = false;
        for (size_t m = 0; m < f->params.len; m++) param |= f->params.at[m] == f->locals.at[k];
        if (!param) vec_push(&x->quant, callee->e.now[f->locals.at[k]]);
    }
}

/* The caller's locals are as it left them, unless its variables were used by other frames meanwhile: then arbitrary. */
static void build_return(struct joint *j, struct image_parts *x, struct flat *f, const struct flat_edge *fe,
                         const struct bp_edge *e)
{
    struct instance *callee = f->instances.at[fe->instance];
    forget_locals(x, j, callee, -1);
    if (fe->other >= -1) return; /* the thread ends */
    const struct flat_edge *call = &f->edges.at[-2 - fe->other];
    struct instance *caller = f->instances.at[call->instance];
    const struct bp_edge *site = &j->p->edges.at[call->edge];
    if (j->recursive[caller->proc] && j->recursive[callee->proc] && caller != callee) forget_locals(x, j, caller, -1);
    for (size_t k = 0; k < site->results.len; k++) {
        int var = site->results.at[k];
        x->rel = b_and(&j->b, x->rel, var_takes(&callee->e, caller->e.next[var], e->values.at[k]));
        bool listed = false;
        for (size_t m = 0; m < x->quant.len; m++) listed |= x->quant.at[m] == caller->e.now[var];
        if (!listed) vec_push(&x->quant, caller->e.now[var]);
        vec_push(&x->from, caller->e.next[var]);
        vec_push(&x->to, caller->e.now[var]);
    }
}

static void build_start(struct joint *j, struct image_parts *x, struct flat *f)
{
    const struct bp_thread *t = &j->p->threads.at[f->thread];
    const struct instance *root = f->instances.at[0];
    const struct bp_proc *proc = &j->p->procs.at[root->proc];
    x->rel = bdd_ithvar(j->base.now[t->started]);
    for (size_t k = 0; k < t->args.len; k++) {
        int var = proc->params.at[k];
        x->rel =
            b_and(&j->b, x->rel, b_same(&j->b, bdd_ithvar(root->e.next[var]), bdd_ithvar(j->base.now[t->args.at[k]])));
        vec_push(&x->quant, root->e.now[var]);
        vec_push(&x->from, root->e.next[var]);
        vec_push(&x->to, root->e.now[var]);
    }
}

static void build_image(struct joint *j, int thread, const struct flat_edge *fe)
{
    struct flat *f = &j->flat[thread];
    const struct bp_edge *e = fe->edge >= 0 ? &j->p->edges.at[fe->edge] : NULL;
    size_t mark = b_mark(&j->b);
    struct image_parts x = {.rel = bddtrue};
    if (!e) {
        if (thread >= (int)j->p->threads.len || j->p->threads.at[thread].started < 0) return;
        build_start(j, &x, f);
    } else {
        struct instance *i = f->instances.at[fe->instance];
        x.rel = b_and(&j->b, expr_holds(&i->e, e->guard, NULL), expr_holds(&i->e, e->assertion, NULL));
        if (e->kind == EDGE_STEP) build_step(j, &x, i, e);
        else if (e->kind == EDGE_CALL) build_call(j, &x, i, f->instances.at[fe->other], e);
        else build_return(j, &x, f, fe, e);
    }
    for (size_t i = 0; i < f->pc.len; i++) vec_push(&x.quant, f->pc.at[i]);
    struct image m = {.from = fe->from};
    m.rel = bdd_addref(b_and(&j->b, x.rel, at_place(j, f, fe->from)));
    m.quant = bdd_addref(b_cube(&j->b, x.quant.at, x.quant.len));
    m.to = bdd_addref(at_place(j, f, fe->to));
    m.rename = x.from.len ? b_pair(&j->b, x.from.at, x.to.at, x.from.len) : NULL;
    vec_push(&j->images[thread], m);
    vec_release(&x.quant), vec_release(&x.from), vec_release(&x.to);
    b_release(&j->b, mark);
}

/* ---- closure ---- */

static BDD no_other_atomic(struct joint *j, int thread)
{
    BDD x = bddtrue;
    for (int t = 0; t < j->count; t++)
        for (size_t i = 0; t != thread && i < j->flat[t].atomic.len; i++)
            x = b_diff(&j->b, x, at_place(j, &j->flat[t], j->flat[t].atomic.at[i]));
    return x;
}

/* Where one step of the thread leads from these states. */
static BDD after_step(struct joint *j, int thread, BDD states)
{
    BDD next = bddfalse;
    for (size_t i = 0; i < j->images[thread].len; i++) {
        const struct image *m = &j->images[thread].at[i];
        BDD x = b_product(&j->b, states, m->rel, m->quant);
        if (x == bddfalse) continue;
        if (m->rename) x = b_rename(&j->b, x, m->rename);
        next = b_or(&j->b, next, b_and(&j->b, x, m->to));
    }
    return next;
}

static void close_under(struct joint *j, int thread)
{
    size_t mark = b_mark(&j->b);
    BDD frontier = b_and(&j->b, j->states, no_other_atomic(j, thread)), reached = frontier;
    b_keep(&j->b, frontier);
    while (frontier != bddfalse) {
        BDD next = after_step(j, thread, frontier);
        frontier = b_diff(&j->b, next, reached);
        reached = b_or(&j->b, reached, frontier);
        BDD keep[2] = {bdd_addref(frontier), bdd_addref(reached)};
        b_release(&j->b, mark);
        b_keep(&j->b, frontier), b_keep(&j->b, reached);
        bdd_delref(keep[0]), bdd_delref(keep[1]);
    }
    b_set(&j->states, b_or(&j->b, j->states, reached));
    b_release(&j->b, mark);
}

static bool has_error(struct joint *j, int thread, const char *const *labels)
{
    struct flat *f = &j->flat[thread];
    size_t start = b_mark(&j->b);
    BDD states = b_and(&j->b, j->states, no_other_atomic(j, thread)); /* where the thread can move */
    bool found = false;
    for (int place = 0; !found && place < f->place_count; place++) {
        int node = f->place_node.at[place];
        if (node < 0) continue;
        bool label = boolprog_is_error_node(j->p, node, labels);
        const int_list *out = &j->p->nodes.at[node].out;
        size_t mark = b_mark(&j->b);
        found = label && b_and(&j->b, states, at_place(j, f, place)) != bddfalse;
        for (size_t i = 0; i < out->len && !found; i++) {
            const struct bp_edge *e = &j->p->edges.at[out->at[i]];
            if (e->assertion < 0) continue;
            BDD here = b_and(&j->b, states, at_place(j, f, place));
            j->r->asserted |= here != bddfalse;
            struct encoding *in = &f->instances.at[f->place_instance.at[place]]->e;
            BDD bad = b_and(&j->b, expr_holds(in, e->guard, NULL), expr_can_be(in, e->assertion, false));
            found = b_and(&j->b, here, bad) != bddfalse;
        }
        b_release(&j->b, mark);
    }
    b_release(&j->b, start);
    return found;
}

static void set_initial(struct joint *j)
{
    const struct bp_program *p = j->p;
    BDD x = bddtrue;
    for (size_t i = 0; i < p->shared.len; i++) {
        int init = p->vars.at[p->shared.at[i]].init, v = j->base.now[p->shared.at[i]];
        if (init >= 0) x = b_and(&j->b, x, init ? bdd_ithvar(v) : bdd_nithvar(v));
    }
    for (int t = 0; t < j->count; t++) {
        struct flat *f = &j->flat[t];
        bool spawned = t < (int)p->threads.len && p->threads.at[t].started >= 0;
        int entry = place_at(j, f->instances.at[0], p->procs.at[f->instances.at[0]->proc].entry);
        x = b_and(&j->b, x, at_place(j, f, spawned ? f->start : entry));
    }
    b_set(&j->states, x);
}

static void end_round(struct joint *j, int round)
{
    BDD shared = b_exist(&j->b, j->states, j->not_shared);
    double states = j->p->shared.len ? bdd_satcountset(shared, j->shared_cube) : 1;
    struct symbolic_round r = {round, states, b_nodes(), seconds_now() - j->started};
    vec_push(&j->r->ledger, r);
}

static void make_cubes(struct joint *j)
{
    int_list shared = {0}, others = {0};
    bool *is_shared = xcalloc((size_t)j->var_count + 1, sizeof *is_shared);
    for (size_t i = 0; i < j->p->shared.len; i++) is_shared[j->base.now[j->p->shared.at[i]]] = true;
    for (int v = 0; v < j->var_count; v++)
        if (is_shared[v]) vec_push(&shared, v);
        else vec_push(&others, v);
    free(is_shared);
    b_set(&j->shared_cube, b_cube(&j->b, shared.at, shared.len));
    b_set(&j->not_shared, b_cube(&j->b, others.at, others.len));
    vec_release(&shared), vec_release(&others);
}

/* The proof once more, in one step: no thread leaves the set. */
static bool is_closed(struct joint *j, int thread)
{
    BDD after = after_step(j, thread, b_and(&j->b, j->states, no_other_atomic(j, thread)));
    return bdd_imp(after, j->states) == bddtrue;
}

static void close_all(struct joint *j, const char *const *labels)
{
    int threads = (int)j->p->threads.len;
    if (j->p->init >= 0) {
        close_under(j, threads);
        if (has_error(j, threads, labels)) j->r->outcome = JOINT_ERROR, j->r->rounds = 1;
        b_set(&j->states, b_and(&j->b, j->states, at_place(j, &j->flat[threads], j->flat[threads].done)));
        if (j->r->outcome == JOINT_ERROR) return;
    }
    for (int round = 1;; round++) {
        BDD before = b_keep(&j->b, j->states);
        j->b.round = round;
        for (int t = 0; t < threads; t++) {
            close_under(j, t);
            if (!has_error(j, t, labels)) continue;
            j->r->outcome = JOINT_ERROR, j->r->rounds = round;
            return;
        }
        if (before == j->states) {
            for (int t = 0; t < threads; t++) assert_costly(is_closed(j, t));
            j->r->outcome = JOINT_PROVED, j->r->rounds = MAX(1, round - 1);
            return;
        }
        end_round(j, round);
    }
}

static void prove(struct joint *j, const struct symbolic_options *o, const char *const *labels)
{
    number_variables(j);
    if (j->var_count > MOST_BDD_VARIABLES) b_leave(&j->b, CUT_VARIABLES);
    bdds_start(&j->b, j->var_count);
    j->b.most_work = MOST_WORK;
    j->b.phase = "proof for all schedules";
    progress_start(&j->b.progress, o->progress);
    make_cubes(j);
    for (int t = 0; t < j->count; t++)
        for (size_t i = 0; i < j->flat[t].edges.len; i++) build_image(j, t, &j->flat[t].edges.at[i]);
    set_initial(j);
    close_all(j, labels);
}

static void release(struct joint *j)
{
    bdds_stop(&j->b);
    for (int t = 0; t < j->count; t++) {
        struct flat *f = &j->flat[t];
        for (size_t i = 0; i < f->instances.len; i++) {
            free(f->instances.at[i]->e.now), free(f->instances.at[i]->e.next);
            free(f->instances.at[i]);
        }
        vec_release(&f->instances), vec_release(&f->edges), vec_release(&f->atomic), vec_release(&f->pc);
        vec_release(&f->place_node), vec_release(&f->place_instance), vec_release(&j->images[t]);
    }
    free(j->flat), free(j->images), free(j->recursive), free(j->number);
    free(j->base.now), free(j->base.next), free(j->base.live.live), free(j->base.choice);
    free(j);
}

void joint_prove(const struct bp_program *p, const struct symbolic_options *o, const char *const *labels,
                 struct joint_result *r)
{
    *r = (struct joint_result){.outcome = JOINT_GAVE_UP, .exact = !boolprog_is_recursive(p)};
    struct joint *j = xcalloc(1, sizeof *j);
    j->p = p;
    j->r = r;
    j->started = seconds_now();
    j->b.limits = o->limits;
    j->recursive = boolprog_recursive(p);
    number_nodes(j);
    j->count = (int)p->threads.len + (p->init >= 0);
    j->flat = xcalloc((size_t)j->count, sizeof *j->flat);
    j->images = xcalloc((size_t)j->count, sizeof *j->images);
    int cut = setjmp(j->b.escape);
    for (int t = 0; !cut && t < j->count && !j->too_big; t++) flatten(j, t);
    if (j->too_big) cut = CUT_WORK;
    if (!cut) prove(j, o, labels);
    r->cut = (enum cut)cut;
    release(j);
}

void joint_release(struct joint_result *r) { vec_release(&r->ledger); }
