/* The program run backwards: a run of it from an error to the start is a run of the original from the start to the
 * error, read from its end.
 *
 * A step becomes a step with the values before and after exchanged: what it assigned is guessed, and a constraint
 * compares. A call that returns becomes a call of the reversed procedure, which takes the results and gives back the
 * arguments. What a thread has on its stack at the error is not known: it starts in a procedure of its own, its bottom,
 * with one copy of every node that it can come to, and where it gets to the entry of a procedure there, any call of it
 * is taken back and the caller's frame is guessed. The thread with the error moves first (it sets `armed`); a thread is
 * home when it is back at its own start, or from the beginning if it never ran. The goal is that all are home in a
 * state in which the program starts. Threads take their turns in the opposite order, so that rounds are rounds. */
#include "boolprog/boolprog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct reverser {
    const struct bp_program *p;
    const char *const *labels;
    struct bp_program *q;
    struct bp_reversal *r;
    int *shared;  /* by variable of p: the shared variable of q */
    int armed;
    int *home;    /* by thread of p */
    int *matched; /* by procedure of p: its reversed procedure, -1: none yet */
    int_list queue; /* procedures of p that are to be reversed */
};

/* A procedure of q in the making. */
struct body {
    int proc, first;     /* of q; its variable that stands for slot 0 of the locals of p */
    bool init;           /* below the init procedure, not below a thread */
    int *node;           /* by node of p: its copy, -1: none */
    int_list given, got; /* variables: results on their way into a call, arguments on their way back */
};

/* ---- expressions ---- */

enum when { AS_WRITTEN, EXCHANGED /* before and after */, LOCALS_AFTER };

static int new_expr(struct reverser *x, enum bp_op op, int a, int b, int c) { return bp_expr_new(x->q, op, a, b, c); }
static int read_var(struct reverser *x, int var) { return new_expr(x, EXPR_VAR, var, 0, 0); }
static int negated(struct reverser *x, int a) { return new_expr(x, EXPR_NOT, a, 0, 0); }
static int star(struct reverser *x) { return new_expr(x, EXPR_STAR, 0, 0, 0); }
static int equal(struct reverser *x, int a, int b) { return new_expr(x, EXPR_EQ, a, b, 0); }
static int both(struct reverser *x, int a, int b) { return bp_and(x->q, a, b); }

static int var_of(const struct reverser *x, const struct body *b, int var)
{
    const struct bp_var *v = &x->p->vars.at[var];
    return v->proc < 0 ? x->shared[var] : b->first + v->slot;
}

static int translate(struct reverser *x, const struct body *b, int expr, enum when when)
{
    if (expr < 0) return -1;
    struct bp_expr e = x->p->exprs.at[expr];
    if (e.op == EXPR_CONST || e.op == EXPR_STAR) return new_expr(x, e.op, e.a, 0, 0);
    if (e.op == EXPR_VAR || e.op == EXPR_NEXT) {
        bool later = e.op == EXPR_NEXT, local = x->p->vars.at[e.a].proc >= 0;
        if (when == EXCHANGED || (when == LOCALS_AFTER && local)) later = !later;
        return new_expr(x, later ? EXPR_NEXT : EXPR_VAR, var_of(x, b, e.a), 0, 0);
    }
    int one = translate(x, b, e.a, when), two = e.op >= EXPR_AND ? translate(x, b, e.b, when) : 0;
    int three = e.op == EXPR_ITE ? translate(x, b, e.c, when) : 0;
    return new_expr(x, e.op, one, two, three);
}

/* ---- building blocks ---- */

static int add_node(struct reverser *x, const struct body *b, struct pos pos, bool atomic)
{
    int n = bp_node_new(x->q, b->proc, pos);
    x->q->nodes.at[n].atomic = atomic;
    return n;
}

/* role and origin: what step of the original it stands for. */
static int add_edge(struct reverser *x, const struct body *b, enum bp_kind kind, int from, int to,
                    enum bp_reversed role, int origin)
{
    struct pos pos = origin >= 0 ? x->p->edges.at[origin].pos : x->q->nodes.at[from].pos;
    int e = bp_edge_new(x->q, kind, from, to, pos);
    if (origin >= 0) x->q->edges.at[e].text = arena_strdup(&x->q->arena, x->p->edges.at[origin].text);
    vec_push(&x->q->nodes.at[from].out, e);
    vec_push(&x->r->edges, ((struct bp_reversed_edge){role, origin, -1, -1, b->first, b->init}));
    assert(x->r->edges.len == x->q->edges.len);
    return e;
}

static void set_guard(struct reverser *x, int edge, int guard) { x->q->edges.at[edge].guard = guard; }

static void assign(struct reverser *x, int edge, int var, int value)
{
    vec_push(&x->q->edges.at[edge].assigns, ((struct bp_assign){var, value}));
}

static void body_init(const struct reverser *x, struct body *b)
{
    b->first = (int)x->q->vars.len;
    b->node = xmalloc((x->p->nodes.len + 1) * sizeof *b->node);
    for (size_t i = 0; i < x->p->nodes.len; i++) b->node[i] = -1;
}

static int new_proc(struct reverser *x, const char *name, struct pos pos, struct body *b)
{
    b->proc = (int)x->q->procs.len;
    vec_push(&x->q->procs, ((struct bp_proc){.name = arena_strdup(&x->q->arena, name), .source = b->proc,
                                             .enforce = -1, .pos = pos}));
    return b->proc;
}

static int add_local(struct reverser *x, const struct body *b, const char *name)
{
    return bp_var_new(x->q, name, b->proc, (struct pos){0});
}

/* Room for what passes between this procedure and those that it calls. */
static void add_passing(struct reverser *x, struct body *b)
{
    int results = boolprog_most_results(x->p), params = 0;
    for (size_t i = 0; i < x->p->procs.len; i++) params = MAX(params, (int)x->p->procs.at[i].params.len);
    for (int i = 0; i < results; i++) vec_push(&b->given, add_local(x, b, "given"));
    for (int i = 0; i < params; i++) vec_push(&b->got, add_local(x, b, "got"));
}

static void body_release(struct body *b)
{
    free(b->node);
    vec_release(&b->given), vec_release(&b->got);
}

static int matched_proc(struct reverser *x, int proc)
{
    if (x->matched[proc] < 0) {
        struct body b = {0};
        const struct bp_proc *f = &x->p->procs.at[proc];
        x->matched[proc] = new_proc(x, f->name, f->pos, &b);
        for (int i = 0; i < f->results; i++) {
            int var = add_local(x, &b, "result");
            vec_push(&x->q->procs.at[b.proc].params, var);
        }
        x->q->procs.at[b.proc].results = (int)f->params.len;
        vec_push(&x->queue, proc);
    }
    return x->matched[proc];
}

/* ---- steps taken back ---- */

static void take_back_step(struct reverser *x, const struct body *b, int edge)
{
    const struct bp_edge *e = &x->p->edges.at[edge];
    int back = add_edge(x, b, EDGE_STEP, b->node[e->to], b->node[e->from], REVERSED_STEP, edge);
    enum when when = e->assigns.len ? EXCHANGED : AS_WRITTEN;
    int holds = both(x, translate(x, b, e->guard, when), translate(x, b, e->assertion, when));
    for (size_t i = 0; i < e->assigns.len; i++) {
        int var = var_of(x, b, e->assigns.at[i].var);
        assign(x, back, var, star(x));
        holds = both(x, holds, equal(x, read_var(x, var), translate(x, b, e->assigns.at[i].value, EXCHANGED)));
    }
    holds = both(x, holds, translate(x, b, e->constrain, EXCHANGED));
    if (e->assigns.len) x->q->edges.at[back].constrain = holds;
    else set_guard(x, back, holds);
}

/* The results of the call are taken out of the caller, in one go with the return of the callee. */
static int take_back_results(struct reverser *x, const struct body *b, int edge)
{
    const struct bp_edge *e = &x->p->edges.at[edge];
    if (!e->results.len) return b->node[e->to];
    int with = add_node(x, b, e->pos, true);
    int back = add_edge(x, b, EDGE_STEP, b->node[e->to], with, REVERSED_RESULTS, edge);
    for (size_t i = 0; i < e->results.len; i++) {
        int var = var_of(x, b, e->results.at[i]);
        assign(x, back, b->given.at[i], read_var(x, var));
        assign(x, back, var, star(x));
    }
    return with;
}

static void take_back_call(struct reverser *x, const struct body *b, int edge)
{
    const struct bp_edge *e = &x->p->edges.at[edge];
    int callee = matched_proc(x, e->callee), from = take_back_results(x, b, edge);
    int with = add_node(x, b, e->pos, true);
    int call = add_edge(x, b, EDGE_CALL, from, with, REVERSED_CALL, edge);
    x->q->edges.at[call].callee = callee;
    for (int i = 0; i < x->p->procs.at[e->callee].results; i++) {
        int value = e->results.len ? read_var(x, b->given.at[i]) : star(x);
        vec_push(&x->q->edges.at[call].args, value);
    }
    int holds = translate(x, b, e->guard, AS_WRITTEN);
    for (size_t i = 0; i < e->args.len; i++) {
        vec_push(&x->q->edges.at[call].results, b->got.at[i]);
        int arg = translate(x, b, e->args.at[i], AS_WRITTEN);
        holds = both(x, holds, equal(x, read_var(x, b->got.at[i]), arg));
    }
    int compare = add_edge(x, b, EDGE_STEP, with, b->node[e->from], REVERSED_NOTHING, edge);
    set_guard(x, compare, holds);
}

static void copy_nodes(struct reverser *x, struct body *b, int proc)
{
    for (size_t i = 0; i < x->p->nodes.len; i++)
        if (x->p->nodes.at[i].proc == proc)
            b->node[i] = add_node(x, b, x->p->nodes.at[i].pos, x->p->nodes.at[i].atomic);
}

static void take_back_edges(struct reverser *x, const struct body *b)
{
    for (size_t i = 0; i < x->p->edges.len; i++) {
        const struct bp_edge *e = &x->p->edges.at[i];
        if (b->node[e->from] < 0) continue;
        if (e->kind == EDGE_STEP) take_back_step(x, b, (int)i);
        else if (e->kind == EDGE_CALL) take_back_call(x, b, (int)i);
    }
}

/* ---- procedures that are called and return ---- */

static int results_equal(struct reverser *x, const struct body *b, const struct bp_edge *e, const int_list *params)
{
    int holds = translate(x, b, e->guard, AS_WRITTEN);
    for (size_t i = 0; i < e->values.len && params; i++)
        holds = both(x, holds, equal(x, read_var(x, params->at[i]), translate(x, b, e->values.at[i], AS_WRITTEN)));
    return holds;
}

static void reverse_proc(struct reverser *x, int proc)
{
    const struct bp_proc *f = &x->p->procs.at[proc];
    struct body b = {.proc = x->matched[proc]};
    body_init(x, &b);
    for (size_t i = 0; i < f->locals.len; i++) add_local(x, &b, x->p->vars.at[f->locals.at[i]].name);
    add_passing(x, &b);
    copy_nodes(x, &b, proc);
    int entry = x->q->procs.at[b.proc].entry = add_node(x, &b, f->pos, true);
    for (size_t i = 0; i < x->p->edges.len; i++) {
        const struct bp_edge *e = &x->p->edges.at[i];
        if (e->kind != EDGE_RETURN || b.node[e->from] < 0) continue;
        int back = add_edge(x, &b, EDGE_STEP, entry, b.node[e->from], REVERSED_RETURN, (int)i);
        set_guard(x, back, results_equal(x, &b, e, &x->q->procs.at[b.proc].params));
    }
    take_back_edges(x, &b);
    int out = add_edge(x, &b, EDGE_RETURN, b.node[f->entry], -1, REVERSED_ENTER, -1);
    x->r->edges.at[out].proc = proc;
    for (size_t i = 0; i < f->params.len; i++) {
        int value = read_var(x, var_of(x, &b, f->params.at[i]));
        vec_push(&x->q->edges.at[out].values, value);
    }
    body_release(&b);
}

/* ---- bottoms ---- */

/* By procedure of p: a thread with this root can come to it. */
static bool *reachable_procs(const struct bp_program *p, int root)
{
    bool *reached = xcalloc(p->procs.len + 1, sizeof *reached);
    int_list order = {0};
    boolprog_node_order(p, root, &order);
    for (size_t i = 0; i < order.len; i++) reached[p->nodes.at[order.at[i]].proc] = true;
    vec_release(&order);
    return reached;
}

/* Any call of the procedure is taken back: the caller's frame takes its place. */
static void take_back_entry(struct reverser *x, const struct body *b, int edge)
{
    const struct bp_edge *e = &x->p->edges.at[edge];
    const struct bp_proc *f = &x->p->procs.at[e->callee], *caller = &x->p->procs.at[x->p->nodes.at[e->from].proc];
    int back = add_edge(x, b, EDGE_STEP, b->node[f->entry], b->node[e->from], REVERSED_UNCOVER, edge);
    int holds = translate(x, b, e->guard, LOCALS_AFTER);
    for (size_t i = 0; i < caller->locals.len; i++) assign(x, back, var_of(x, b, caller->locals.at[i]), star(x));
    for (size_t i = 0; i < e->args.len; i++) {
        int param = read_var(x, var_of(x, b, f->params.at[i]));
        holds = both(x, holds, equal(x, param, translate(x, b, e->args.at[i], LOCALS_AFTER)));
    }
    x->q->edges.at[back].constrain = holds;
}

static void start_at_error(struct reverser *x, const struct body *b, int begin, int node, int edge, int guard)
{
    int start = add_edge(x, b, EDGE_STEP, begin, b->node[node], REVERSED_ERROR, edge);
    int may = both(x, negated(x, read_var(x, x->armed)), guard);
    x->r->edges.at[start].node = node;
    if (edge >= 0) {
        const struct bp_edge *e = &x->p->edges.at[edge];
        may = both(x, may, translate(x, b, e->guard, AS_WRITTEN));
        may = both(x, may, negated(x, translate(x, b, e->assertion, AS_WRITTEN)));
    }
    set_guard(x, start, may);
    assign(x, start, x->armed, bp_const(x->q, true));
}

static void start_at_errors(struct reverser *x, const struct body *b, int begin, int guard)
{
    for (size_t i = 0; i < x->p->nodes.len; i++)
        if (b->node[i] >= 0 && boolprog_is_error_node(x->p, (int)i, x->labels))
            start_at_error(x, b, begin, (int)i, -1, guard);
    for (size_t i = 0; i < x->p->edges.len; i++)
        if (x->p->edges.at[i].assertion >= 0 && b->node[x->p->edges.at[i].from] >= 0)
            start_at_error(x, b, begin, x->p->edges.at[i].from, (int)i, guard);
}

/* Nodes and steps of everything that can be on top of a stack with this root. */
static void fill_bottom(struct reverser *x, struct body *b, int root)
{
    bool *reached = reachable_procs(x->p, root);
    body_init(x, b);
    for (int i = 0; i < boolprog_most_locals(x->p); i++) add_local(x, b, "local");
    add_passing(x, b);
    for (size_t i = 0; i < x->p->procs.len; i++)
        if (reached[i]) copy_nodes(x, b, (int)i);
    take_back_edges(x, b);
    for (size_t i = 0; i < x->p->edges.len; i++)
        if (x->p->edges.at[i].kind == EDGE_CALL && b->node[x->p->edges.at[i].from] >= 0) take_back_entry(x, b, (int)i);
    free(reached);
}

static int all_home(struct reverser *x)
{
    int all = -1;
    for (size_t i = 0; i < x->p->threads.len; i++) all = both(x, all, read_var(x, x->home[i]));
    return all;
}

static int is_initial(struct reverser *x)
{
    int all = -1;
    for (size_t i = 0; i < x->p->shared.len; i++) {
        int var = x->p->shared.at[i], init = x->p->vars.at[var].init;
        if (init < 0) continue;
        int value = read_var(x, x->shared[var]);
        all = both(x, all, init ? value : negated(x, value));
    }
    return all;
}

static void add_goal(struct reverser *x, const struct body *b, int from, int guard)
{
    int goal = add_node(x, b, x->q->nodes.at[from].pos, false);
    vec_push(&x->q->nodes.at[goal].labels, BOOLPROG_REVERSED_GOAL);
    set_guard(x, add_edge(x, b, EDGE_STEP, from, goal, REVERSED_NOTHING, -1), guard);
}

/* When all are home, the init procedure is taken back by one of them. */
static void add_end(struct reverser *x, const struct body *b, int from)
{
    int all = both(x, all_home(x), read_var(x, x->armed));
    if (x->p->init < 0) {
        add_goal(x, b, from, both(x, all, is_initial(x)));
        return;
    }
    int before = add_node(x, b, (struct pos){0}, true), after = add_node(x, b, (struct pos){0}, true);
    int last = add_edge(x, b, EDGE_STEP, from, before, REVERSED_NOTHING, -1);
    set_guard(x, last, all);
    assign(x, last, x->armed, bp_const(x->q, false)); /* nobody else does the same */
    int callee = matched_proc(x, x->p->init), call = add_edge(x, b, EDGE_CALL, before, after, REVERSED_CALL, -1);
    x->q->edges.at[call].callee = callee;
    for (int i = 0; i < x->p->procs.at[x->p->init].results; i++) {
        int value = star(x);
        vec_push(&x->q->edges.at[call].args, value);
    }
    add_goal(x, b, after, is_initial(x));
}

/* A thread that has run, but not to the error, is anywhere outside of atomic sections, or has ended. */
static void start_anywhere(struct reverser *x, const struct body *b, int begin, int thread)
{
    const struct bp_program *p = x->p;
    int guard = both(x, read_var(x, x->armed), negated(x, read_var(x, x->home[thread])));
    for (size_t i = 0; i < p->nodes.len; i++)
        if (b->node[i] >= 0 && !p->nodes.at[i].atomic)
            set_guard(x, add_edge(x, b, EDGE_STEP, begin, b->node[i], REVERSED_NOTHING, -1), guard);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        if (e->kind != EDGE_RETURN || p->nodes.at[e->from].proc != p->threads.at[thread].proc) continue;
        int back = add_edge(x, b, EDGE_STEP, begin, b->node[e->from], REVERSED_RETURN, (int)i);
        set_guard(x, back, both(x, guard, results_equal(x, b, e, NULL)));
    }
}

/* From the entry of its procedure home: it was started, with the arguments that it has. */
static int go_home(struct reverser *x, const struct body *b, int thread)
{
    const struct bp_thread *t = &x->p->threads.at[thread];
    const struct bp_proc *f = &x->p->procs.at[t->proc];
    int home = add_node(x, b, f->pos, false), holds = -1;
    int back = add_edge(x, b, EDGE_STEP, b->node[f->entry], home, REVERSED_START, -1);
    if (t->started >= 0) holds = read_var(x, x->shared[t->started]);
    for (size_t i = 0; i < t->args.len; i++) {
        int param = read_var(x, var_of(x, b, f->params.at[i]));
        holds = both(x, holds, equal(x, param, read_var(x, x->shared[t->args.at[i]])));
    }
    set_guard(x, back, holds);
    assign(x, back, x->home[thread], bp_const(x->q, true));
    x->r->edges.at[back].proc = t->proc;
    return home;
}

/* An error of the init procedure itself: no thread has run. */
static void add_init_bottom(struct reverser *x, struct body *outer, int begin)
{
    struct body b = {.proc = outer->proc, .init = true};
    fill_bottom(x, &b, x->p->init);
    start_at_errors(x, &b, begin, all_home(x));
    int entry = b.node[x->p->procs.at[x->p->init].entry], out = add_node(x, &b, (struct pos){0}, false);
    int back = add_edge(x, &b, EDGE_STEP, entry, out, REVERSED_START, -1);
    x->r->edges.at[back].proc = x->p->init;
    add_goal(x, &b, out, is_initial(x));
    body_release(&b);
}

static void reverse_thread(struct reverser *x, int thread, bool first)
{
    const struct bp_thread *t = &x->p->threads.at[thread];
    struct body b = {0};
    new_proc(x, t->name, x->p->procs.at[t->proc].pos, &b);
    int begin = x->q->procs.at[b.proc].entry = add_node(x, &b, x->p->procs.at[t->proc].pos, false);
    fill_bottom(x, &b, t->proc);
    start_at_errors(x, &b, begin, negated(x, read_var(x, x->home[thread])));
    if (x->p->threads.len > 1) start_anywhere(x, &b, begin, thread);
    add_end(x, &b, go_home(x, &b, thread));
    if (first && x->p->init >= 0) add_init_bottom(x, &b, begin);
    vec_push(&x->q->threads, ((struct bp_thread){.name = arena_strdup(&x->q->arena, t->name), .proc = b.proc,
                                                 .started = -1}));
    body_release(&b);
}

/* ---- all ---- */

static void copy_shared(struct reverser *x)
{
    const struct bp_program *p = x->p;
    for (size_t i = 0; i < p->shared.len; i++) {
        int var = bp_var_new(x->q, p->vars.at[p->shared.at[i]].name, -1, p->vars.at[p->shared.at[i]].pos);
        x->shared[p->shared.at[i]] = var;
    }
    x->armed = bp_var_new(x->q, "armed", -1, (struct pos){0});
    x->q->vars.at[x->armed].init = 0;
    for (size_t i = 0; i < p->threads.len; i++) {
        x->home[i] = bp_var_new(x->q, "home", -1, (struct pos){0});
        if (p->threads.len == 1 && p->init < 0) x->q->vars.at[x->home[i]].init = 0; /* it has the error */
    }
}

void boolprog_reverse(const struct bp_program *p, const char *const *labels, struct bp_reversal *r)
{
    *r = (struct bp_reversal){.program = xcalloc(1, sizeof *r->program)};
    struct reverser x = {.p = p, .labels = labels, .q = r->program, .r = r};
    x.q->init = -1;
    x.q->file = arena_strdup(&x.q->arena, p->file);
    x.q->starts_limited = p->starts_limited;
    x.shared = xcalloc(p->vars.len + 1, sizeof *x.shared);
    x.home = xcalloc(p->threads.len + 1, sizeof *x.home);
    x.matched = xmalloc((p->procs.len + 1) * sizeof *x.matched);
    for (size_t i = 0; i < p->procs.len; i++) x.matched[i] = -1;
    copy_shared(&x);
    for (size_t i = p->threads.len; i-- > 0;) reverse_thread(&x, (int)i, i + 1 == p->threads.len);
    for (size_t i = 0; i < x.queue.len; i++) reverse_proc(&x, x.queue.at[i]); /* which finds more of them */
    r->shared = x.shared;
    vec_release(&x.queue);
    free(x.home), free(x.matched);
    boolprog_assert_valid(x.q);
}

void boolprog_reversal_release(struct bp_reversal *r)
{
    boolprog_free(r->program);
    vec_release(&r->edges);
    free(r->shared);
}
