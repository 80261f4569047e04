/* A program as text that reads back in: one labelled block per node, one branch per edge.
 * The gotos between blocks are steps of their own, without effect; everything else is as it was. */
#include "boolprog/print_int.h"

#include <string.h>

void bp_print_var(const struct bp_program *p, int var, int copy, FILE *out)
{
    const struct bp_var *v = &p->vars.at[var];
    bool quoted = v->name[0] == '{';
    if (copy <= 0 || v->proc >= 0) fputs(v->name, out);
    else if (quoted) fprintf(out, "{%s$%d}", v->name, copy);
    else fprintf(out, "%s$%d", v->name, copy);
}

void bp_print_expr(const struct bp_program *p, int expr, int copy, FILE *out)
{
    static const char *const ops[] = {
        [EXPR_AND] = "&", [EXPR_OR] = "|", [EXPR_XOR] = "^", [EXPR_EQ] = "=", [EXPR_IMP] = "=>"};
    const struct bp_expr *e = &p->exprs.at[expr];
    switch (e->op) {
    case EXPR_CONST: fputs(e->a ? "T" : "F", out); return;
    case EXPR_NEXT: fputc('\'', out); /* fall through */
    case EXPR_VAR: bp_print_var(p, e->a, copy, out); return;
    case EXPR_STAR: fputc('*', out); return;
    case EXPR_NOT:
        fputc('!', out);
        bp_print_expr(p, e->a, copy, out);
        return;
    case EXPR_ITE:
        fputc('(', out);
        bp_print_expr(p, e->a, copy, out);
        fputs(" ? ", out);
        bp_print_expr(p, e->b, copy, out);
        fputs(" : ", out);
        bp_print_expr(p, e->c, copy, out);
        fputc(')', out);
        return;
    default:
        fputc('(', out);
        bp_print_expr(p, e->a, copy, out);
        fprintf(out, " %s ", ops[e->op]);
        bp_print_expr(p, e->b, copy, out);
        fputc(')', out);
    }
}

void bp_print_exprs(const struct bp_program *p, const int_list *exprs, int copy, FILE *out)
{
    for (size_t i = 0; i < exprs->len; i++) {
        if (i) fputs(", ", out);
        bp_print_expr(p, exprs->at[i], copy, out);
    }
}

void bp_print_stars(int n, FILE *out)
{
    for (int i = 0; i < n; i++) fputs(i ? ", *" : "*", out);
}

void bp_print_assigns(const struct bp_program *p, const struct bp_edge *e, int copy, FILE *out)
{
    if (!e->assigns.len) {
        fputs("skip;", out);
        return;
    }
    for (size_t i = 0; i < e->assigns.len; i++) {
        if (i) fputs(", ", out);
        bp_print_var(p, e->assigns.at[i].var, copy, out);
    }
    fputs(" := ", out);
    for (size_t i = 0; i < e->assigns.len; i++) {
        if (i) fputs(", ", out);
        bp_print_expr(p, e->assigns.at[i].value, copy, out);
    }
    if (e->constrain >= 0) {
        fputs(" constrain ", out);
        bp_print_expr(p, e->constrain, copy, out);
    }
    fputc(';', out);
}

void bp_print_header(const struct bp_program *p, const struct bp_proc *f, const char *prefix, FILE *out)
{
    if (f->results) fprintf(out, "\nbool<%d> %s%s(", f->results, prefix, f->name);
    else fprintf(out, "\nvoid %s%s(", prefix, f->name);
    for (size_t i = 0; i < f->params.len; i++) fprintf(out, "%s%s", i ? ", " : "", p->vars.at[f->params.at[i]].name);
    fputs(") begin\n", out);
    for (size_t i = 0; i < f->locals.len; i++) {
        bool param = false;
        for (size_t k = 0; k < f->params.len; k++) param |= f->params.at[k] == f->locals.at[i];
        if (!param) fprintf(out, "  decl %s;\n", p->vars.at[f->locals.at[i]].name);
    }
}

/* ---- the program itself ---- */

static void print_call(const struct bp_program *p, const struct bp_edge *e, FILE *out)
{
    for (size_t i = 0; i < e->results.len; i++) {
        if (i) fputs(", ", out);
        bp_print_var(p, e->results.at[i], 0, out);
    }
    fprintf(out, "%s%s(", e->results.len ? " := " : "", p->procs.at[e->callee].name);
    bp_print_exprs(p, &e->args, 0, out);
    fputs(");", out);
}

static void print_spawn(const struct bp_program *p, const struct bp_edge *e, FILE *out)
{
    const struct bp_proc *f = &p->procs.at[p->threads.at[e->spawn].proc];
    fprintf(out, "start_thread %s(", f->name);
    if (!f->from_label) bp_print_exprs(p, &e->args, 0, out);
    for (size_t i = 0; f->from_label && i < f->params.len; i++)
        fprintf(out, "%s%s", i ? ", " : "", p->vars.at[f->params.at[i]].name);
    fputs(");", out);
}

/* A spawn that may start one of several threads is several edges; it is printed once. */
static bool printed_before(const struct bp_program *p, const struct bp_node *n, size_t i)
{
    const struct bp_edge *e = &p->edges.at[n->out.at[i]];
    for (size_t k = 0; k < i && e->spawn >= 0; k++) {
        const struct bp_edge *x = &p->edges.at[n->out.at[k]];
        if (x->spawn >= 0 && x->to == e->to && p->threads.at[x->spawn].proc == p->threads.at[e->spawn].proc)
            return true;
    }
    return false;
}

static void print_edge(const struct bp_program *p, const struct bp_edge *e, FILE *out)
{
    bool from_atomic = p->nodes.at[e->from].atomic, to_atomic = e->to >= 0 && p->nodes.at[e->to].atomic;
    bool dead_end = e->to >= 0 && !p->nodes.at[e->to].out.len;
    if (e->guard >= 0 && e->spawn < 0) {
        fputs("assume(", out);
        bp_print_expr(p, e->guard, 0, out);
        fputs("); ", out);
    }
    if (e->kind == EDGE_RETURN) {
        fputs("return ", out);
        bp_print_exprs(p, &e->values, 0, out);
        fputs(";\n", out);
        return;
    }
    if (e->assertion >= 0) {
        fputs("assert(", out);
        bp_print_expr(p, e->assertion, 0, out);
        fputs(");", out);
    } else if (e->kind == EDGE_CALL) print_call(p, e, out);
    else if (e->spawn >= 0) print_spawn(p, e, out);
    else if (dead_end) fputs("end_thread;", out);
    else if (from_atomic != to_atomic) fputs(to_atomic ? "atomic_begin;" : "atomic_end;", out);
    else bp_print_assigns(p, e, 0, out);
    if (dead_end) fputc('\n', out);
    else fprintf(out, " goto N%d;\n", e->to);
}

/* Guards are steps of their own in the text: inside a step they are kept together by an atomic section. */
static void print_branch(const struct bp_program *p, const struct bp_edge *e, FILE *out)
{
    bool inside = p->nodes.at[e->from].atomic;
    bool guarded = e->guard >= 0 && e->spawn < 0 && !inside;
    bool plain = e->kind == EDGE_STEP && e->spawn < 0 && e->assertion < 0 && !e->assigns.len && e->constrain < 0;
    if (!guarded || plain) {
        print_edge(p, e, out);
        return;
    }
    if (e->kind == EDGE_STEP && e->assertion < 0) {
        fputs("atomic_begin; assume(", out);
        bp_print_expr(p, e->guard, 0, out);
        fputs("); ", out);
        bp_print_assigns(p, e, 0, out);
        fprintf(out, " atomic_end; goto N%d;\n", e->to);
        return;
    }
    print_edge(p, e, out);
}

static void print_node(const struct bp_program *p, int node, FILE *out)
{
    const struct bp_node *n = &p->nodes.at[node];
    for (size_t i = 0; i < n->labels.len; i++) fprintf(out, "  %s:\n", n->labels.at[i]);
    fprintf(out, "  N%d:", node);
    if (!n->out.len) {
        fputs(" end_thread;\n", out);
        return;
    }
    if (n->out.len > 1) {
        fputs(" goto ", out);
        for (size_t i = 0, k = 0; i < n->out.len; i++)
            if (!printed_before(p, n, i)) fprintf(out, "%sE%d", k++ ? ", " : "", n->out.at[i]);
        fputs(";\n", out);
    }
    for (size_t i = 0; i < n->out.len; i++) {
        if (printed_before(p, n, i)) continue;
        if (n->out.len > 1) fprintf(out, "    E%d:", n->out.at[i]);
        fputc(' ', out);
        print_branch(p, &p->edges.at[n->out.at[i]], out);
    }
}

void boolprog_print(const struct bp_program *p, FILE *out)
{
    for (size_t i = 0; i < p->shared.len; i++) {
        const struct bp_var *v = &p->vars.at[p->shared.at[i]];
        if (!v->hidden) fprintf(out, v->init < 0 ? "decl %s;\n" : "decl %s := %d;\n", v->name, v->init);
    }
    for (size_t i = 0; i < p->procs.len; i++) {
        const struct bp_proc *f = &p->procs.at[i];
        bp_print_header(p, f, "", out);
        fprintf(out, "  goto N%d;\n", f->entry);
        for (size_t n = 0; n < p->nodes.len; n++)
            if (p->nodes.at[n].proc == (int)i) print_node(p, (int)n, out);
        fputs("end\n", out);
    }
}
