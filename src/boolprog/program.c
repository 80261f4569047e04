/* The program as a data structure: building blocks, and questions about it. */
#include "boolprog/parse_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int bp_expr_new(struct bp_program *p, enum bp_op op, int a, int b, int c)
{
    struct bp_expr e = {op, a, b, c, 1};
    int operands[3] = {a, b, c}, count = op >= EXPR_ITE ? 3 : op >= EXPR_AND ? 2 : op == EXPR_NOT ? 1 : 0;
    for (int i = 0; i < count; i++) e.depth = MAX(e.depth, p->exprs.at[operands[i]].depth + 1);
    vec_push(&p->exprs, e);
    return (int)p->exprs.len - 1;
}

int bp_const(struct bp_program *p, bool value) { return bp_expr_new(p, EXPR_CONST, value, 0, 0); }

int bp_and(struct bp_program *p, int a, int b)
{
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return bp_expr_new(p, EXPR_AND, a, b, 0);
}

int bp_var_new(struct bp_program *p, const char *name, int proc, struct pos pos)
{
    struct bp_var v = {.name = arena_strdup(&p->arena, name), .proc = proc, .init = -1, .pos = pos};
    int id = (int)p->vars.len;
    if (proc < 0) {
        v.slot = (int)p->shared.len;
        vec_push(&p->shared, id);
    } else {
        v.slot = (int)p->procs.at[proc].locals.len;
        vec_push(&p->procs.at[proc].locals, id);
    }
    vec_push(&p->vars, v);
    return id;
}

int bp_node_new(struct bp_program *p, int proc, struct pos pos)
{
    vec_push(&p->nodes, ((struct bp_node){.proc = proc, .pos = pos}));
    return (int)p->nodes.len - 1;
}

int bp_edge_new(struct bp_program *p, enum bp_kind kind, int from, int to, struct pos pos)
{
    vec_push(&p->edges, ((struct bp_edge){.kind = kind, .from = from, .to = to, .guard = -1, .assertion = -1,
                                          .constrain = -1, .callee = -1, .spawn = -1, .pos = pos, .text = ""}));
    return (int)p->edges.len - 1;
}

static void edge_release(struct bp_edge *e)
{
    vec_release(&e->assigns);
    vec_release(&e->args);
    vec_release(&e->results);
    vec_release(&e->values);
}

void boolprog_free(struct bp_program *p)
{
    if (!p) return;
    for (size_t i = 0; i < p->edges.len; i++) edge_release(&p->edges.at[i]);
    for (size_t i = 0; i < p->nodes.len; i++) {
        vec_release(&p->nodes.at[i].out);
        vec_release(&p->nodes.at[i].labels);
    }
    for (size_t i = 0; i < p->procs.len; i++) {
        vec_release(&p->procs.at[i].params);
        vec_release(&p->procs.at[i].locals);
    }
    for (size_t i = 0; i < p->threads.len; i++) vec_release(&p->threads.at[i].args);
    vec_release(&p->vars);
    vec_release(&p->exprs);
    vec_release(&p->nodes);
    vec_release(&p->edges);
    vec_release(&p->procs);
    vec_release(&p->threads);
    vec_release(&p->slots);
    vec_release(&p->numbers);
    vec_release(&p->shared);
    arena_release(&p->arena);
    free(p);
}

const char *boolprog_error_label(const struct bp_program *p, int node, const char *const *labels)
{
    assert(node >= 0 && node < (int)p->nodes.len);
    const struct bp_node *n = &p->nodes.at[node];
    for (size_t i = 0; i < n->labels.len; i++)
        for (size_t k = 0; labels[k]; k++)
            if (!strcmp(n->labels.at[i], labels[k])) return n->labels.at[i];
    return NULL;
}

bool boolprog_is_error_node(const struct bp_program *p, int node, const char *const *labels)
{
    return boolprog_error_label(p, node, labels) != NULL;
}

bool boolprog_has_label(const struct bp_program *p, const char *label)
{
    for (size_t i = 0; i < p->nodes.len; i++)
        if (boolprog_is_error_node(p, (int)i, (const char *[]){label, NULL})) return true;
    return false;
}

int *boolprog_call_components(const struct bp_program *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->procs.len; i++) n = MAX(n, (size_t)p->procs.at[i].source + 1);
    int_list *calls = xcalloc(n + 1, sizeof *calls);
    for (size_t i = 0; i < p->edges.len; i++)
        if (p->edges.at[i].kind == EDGE_CALL)
            vec_push(&calls[p->procs.at[p->nodes.at[p->edges.at[i].from].proc].source],
                     p->procs.at[p->edges.at[i].callee].source);
    int *by_source = bp_components(calls, n), *component = xcalloc(p->procs.len + 1, sizeof *component);
    for (size_t i = 0; i < p->procs.len; i++) component[i] = by_source[p->procs.at[i].source];
    for (size_t i = 0; i < n; i++) vec_release(&calls[i]);
    free(calls), free(by_source);
    return component;
}

bool *boolprog_recursive(const struct bp_program *p)
{
    bool *recursive = xcalloc(p->procs.len + 1, sizeof *recursive);
    int *component = boolprog_call_components(p);
    for (size_t i = 0; i < p->edges.len; i++) {
        const struct bp_edge *e = &p->edges.at[i];
        int caller = p->nodes.at[e->from].proc;
        if (e->kind == EDGE_CALL && component[e->callee] == component[caller])
            recursive[caller] = recursive[e->callee] = true;
    }
    free(component);
    return recursive;
}

bool boolprog_is_recursive(const struct bp_program *p)
{
    bool *recursive = boolprog_recursive(p), any = false;
    for (size_t i = 0; i < p->procs.len; i++) any |= recursive[i];
    free(recursive);
    return any;
}

void boolprog_expr_vars(const struct bp_program *p, int expr, int_list *out)
{
    if (expr < 0) return;
    const struct bp_expr *e = &p->exprs.at[expr];
    if (e->op == EXPR_VAR || e->op == EXPR_NEXT) vec_push(out, e->a);
    if (e->op >= EXPR_NOT) boolprog_expr_vars(p, e->a, out);
    if (e->op >= EXPR_AND) boolprog_expr_vars(p, e->b, out);
    if (e->op == EXPR_ITE) boolprog_expr_vars(p, e->c, out);
}

/* Only EXPR_VAR reads the value before the step; `'x` of an unassigned x reads it too, and is counted as a read. */
static void edge_reads(const struct bp_program *p, const struct bp_edge *e, int_list *out)
{
    boolprog_expr_vars(p, e->guard, out);
    boolprog_expr_vars(p, e->assertion, out);
    boolprog_expr_vars(p, e->constrain, out);
    for (size_t i = 0; i < e->assigns.len; i++) boolprog_expr_vars(p, e->assigns.at[i].value, out);
    for (size_t i = 0; i < e->args.len; i++) boolprog_expr_vars(p, e->args.at[i], out);
    for (size_t i = 0; i < e->values.len; i++) boolprog_expr_vars(p, e->values.at[i], out);
}

/* Iterative, because a graph can be a chain as long as the source. */
static void visit_nodes(const struct bp_program *p, int node, bool *seen, int_list *post)
{
    int_list stack = {0}, at = {0};
    if (!seen[node]) vec_push(&stack, node), vec_push(&at, 0), seen[node] = true;
    while (stack.len) {
        int n = vec_last(&stack), i = vec_last(&at)++;
        const int_list *out = &p->nodes.at[n].out;
        if (i >= (int)out->len) {
            vec_push(post, n);
            (void)vec_pop(&stack), (void)vec_pop(&at);
            continue;
        }
        int to = p->edges.at[out->at[i]].to;
        if (to >= 0 && !seen[to]) vec_push(&stack, to), vec_push(&at, 0), seen[to] = true;
    }
    vec_release(&stack);
    vec_release(&at);
}

static void queue_callees(const struct bp_program *p, int node, bool *queued, int_list *procs)
{
    const int_list *out = &p->nodes.at[node].out;
    for (size_t i = 0; i < out->len; i++) {
        const struct bp_edge *e = &p->edges.at[out->at[i]];
        if (e->kind != EDGE_CALL || queued[e->callee]) continue;
        vec_push(procs, e->callee);
        queued[e->callee] = true;
    }
}

void boolprog_node_order(const struct bp_program *p, int root, int_list *order)
{
    bool *seen = xcalloc(p->nodes.len + 1, sizeof *seen), *queued = xcalloc(p->procs.len + 1, sizeof *queued);
    int_list procs = {0}, post = {0};
    vec_push(&procs, root);
    queued[root] = true;
    for (size_t i = 0; i < procs.len; i++) {
        vec_clear(&post);
        visit_nodes(p, p->procs.at[procs.at[i]].entry, seen, &post);
        for (size_t k = post.len; k-- > 0;) {
            vec_push(order, post.at[k]);
            queue_callees(p, post.at[k], queued, &procs);
        }
    }
    free(seen);
    free(queued);
    vec_release(&procs);
    vec_release(&post);
}

int boolprog_most_locals(const struct bp_program *p)
{
    int most = 0;
    for (size_t i = 0; i < p->vars.len; i++)
        if (p->vars.at[i].proc >= 0) most = MAX(most, p->vars.at[i].slot + 1);
    return most;
}

int boolprog_most_results(const struct bp_program *p)
{
    int most = 0;
    for (size_t i = 0; i < p->procs.len; i++) most = MAX(most, p->procs.at[i].results);
    return most;
}

bool boolprog_is_live(const struct bp_program *p, const struct bp_liveness *l, int node, int var)
{
    const struct bp_var *x = &p->vars.at[var];
    if (x->proc < 0) return true;
    if (node < 0 || node >= (int)p->nodes.len || p->procs.at[p->nodes.at[node].proc].source != x->proc) return false;
    return l->live[(size_t)node * l->width + (size_t)x->slot];
}

static bool edge_liveness(const struct bp_program *p, const struct bp_edge *e, struct bp_liveness *l, int_list *reads,
                          bool *written)
{
    bool *before = l->live + (size_t)e->from * l->width, changed = false;
    bool *after = e->to >= 0 ? l->live + (size_t)e->to * l->width : NULL;
    vec_clear(reads);
    edge_reads(p, e, reads);
    memset(written, 0, l->width);
    for (size_t k = 0; k < e->assigns.len; k++)
        if (p->vars.at[e->assigns.at[k].var].proc >= 0) written[p->vars.at[e->assigns.at[k].var].slot] = true;
    for (size_t k = 0; k < e->results.len; k++)
        if (p->vars.at[e->results.at[k]].proc >= 0) written[p->vars.at[e->results.at[k]].slot] = true;
    for (size_t i = 0; after && i < l->width; i++)
        if (after[i] && !before[i] && !written[i]) before[i] = changed = true;
    for (size_t i = 0; i < reads->len; i++) {
        const struct bp_var *x = &p->vars.at[reads->at[i]];
        if (x->proc >= 0 && !before[x->slot]) before[x->slot] = changed = true;
    }
    return changed;
}

bool boolprog_liveness(const struct bp_program *p, const struct limits *limits, struct bp_liveness *l)
{
    *l = (struct bp_liveness){.width = (size_t)boolprog_most_locals(p)};
    l->live = xcalloc(p->nodes.len * l->width + 1, 1);
    bool *written = xcalloc(l->width + 1, 1), changed = true, cut = false;
    int_list reads = {0};
    while (changed && !cut) {
        changed = false;
        for (size_t i = p->edges.len; i-- > 0 && !cut;) {
            changed |= edge_liveness(p, &p->edges.at[i], l, &reads, written);
            cut = i % 256 == 0 && limits_reached(limits);
        }
    }
    vec_release(&reads);
    free(written);
    if (cut) free_null((void **)&l->live);
    return !cut;
}

/* ---- invariants ---- */

static void assert_vars(const struct bp_program *p)
{
    for (size_t i = 0; i < p->vars.len; i++) {
        const struct bp_var *v = &p->vars.at[i];
        assert(v->slot >= 0 && v->init >= -1 && v->init <= 1);
        assert(v->proc >= 0 || (v->slot < (int)p->shared.len && p->shared.at[v->slot] == (int)i));
    }
    for (size_t i = 0; i < p->exprs.len; i++) {
        const struct bp_expr *e = &p->exprs.at[i];
        assert(e->op < EXPR_NOT || e->a < (int)i); /* operands come first: no cycles */
        assert((e->op != EXPR_VAR && e->op != EXPR_NEXT) || (e->a >= 0 && e->a < (int)p->vars.len));
    }
}

bool boolprog_is_root(const struct bp_program *p, int proc)
{
    bool root = p->init == proc;
    for (size_t i = 0; i < p->threads.len; i++) root |= p->threads.at[i].proc == proc;
    return root;
}

static void assert_edge(const struct bp_program *p, int id)
{
    const struct bp_edge *e = &p->edges.at[id];
    int nodes = (int)p->nodes.len, exprs = (int)p->exprs.len;
    (void)nodes, (void)exprs;
    assert(e->kind == EDGE_STEP || e->kind == EDGE_CALL || e->kind == EDGE_RETURN);
    assert(e->from >= 0 && e->from < nodes && (e->kind == EDGE_RETURN ? e->to == -1 : e->to >= 0 && e->to < nodes));
    assert(e->to < 0 || p->nodes.at[e->to].proc == p->nodes.at[e->from].proc);
    assert(e->guard < exprs && e->assertion < exprs && e->constrain < exprs);
    assert(e->constrain < 0 || (e->kind == EDGE_STEP && e->assertion < 0));
    assert(e->spawn < (int)p->threads.len && (e->spawn < 0 || p->threads.at[e->spawn].started >= 0));
    if (e->kind == EDGE_CALL) {
        assert(e->callee >= 0 && e->callee < (int)p->procs.len);
        assert(e->args.len == p->procs.at[e->callee].params.len);
        assert(!e->results.len || (int)e->results.len == p->procs.at[e->callee].results);
    }
    if (e->kind == EDGE_RETURN) assert((int)e->values.len == p->procs.at[p->nodes.at[e->from].proc].results);
}

void boolprog_assert_valid(const struct bp_program *p)
{
    assert_vars(p);
    size_t out = 0;
    for (size_t i = 0; i < p->edges.len; i++) assert_edge(p, (int)i);
    for (size_t i = 0; i < p->nodes.len; i++) {
        assert(p->nodes.at[i].proc >= 0 && p->nodes.at[i].proc < (int)p->procs.len);
        out += p->nodes.at[i].out.len;
    }
    assert(out == p->edges.len); /* every edge leaves one node */
    (void)out;
    for (size_t i = 0; i < p->procs.len; i++) assert(p->nodes.at[p->procs.at[i].entry].proc == (int)i);
    for (size_t i = 0; i < p->threads.len; i++) {
        const struct bp_thread *t = &p->threads.at[i];
        assert(t->proc >= 0 && t->proc < (int)p->procs.len && t->started < (int)p->vars.len);
        assert(!t->args.len || t->args.len == p->procs.at[t->proc].params.len);
        (void)t;
    }
    assert(p->threads.len && p->init < (int)p->procs.len);
}
