/* The reduction of the CBA paper (Fig. 1) as text: k rounds of n threads as a sequential program.
 *
 * Shared variables exist k times; context i works on copy i, and `k$` (a bit vector, 0 to k) is the present context of
 * the thread that runs. Copy 1 starts with the initial values, the others with guesses that are kept; after all
 * threads ran, one after another, the program assumes that every round ended where the next was guessed to start.
 * An error only sets a flag and ends its thread (k$ = k), so that the guesses are checked before it counts.
 * A deviation: threads end by returning from all their procedures instead of a jump out of them. */
#include "boolprog/print_int.h"

#include <stdlib.h>
#include <string.h>

struct sequencer { const struct bp_program *p; int k, width; const char *const *labels; FILE *out; bool init; };

/* Procedures get a prefix, so that none of them is taken for a thread or for main. */
static const char *prefix(const struct sequencer *s) { return s->init ? "init$" : "k$"; }

static void k_equals(const struct sequencer *s, int value)
{
    fputs("assume(", s->out);
    for (int b = 0; b < s->width; b++) fprintf(s->out, "%s%sk$%d", b ? " & " : "", value >> b & 1 ? "" : "!", b);
    fputs("); ", s->out);
}

static void set_k(const struct sequencer *s, int value)
{
    for (int b = 0; b < s->width; b++) fprintf(s->out, "%sk$%d", b ? ", " : "", b);
    fputs(" := ", s->out);
    for (int b = 0; b < s->width; b++) fprintf(s->out, "%s%d", b ? ", " : "", value >> b & 1);
    fputs("; ", s->out);
}

static void leave(const struct sequencer *s, const struct bp_proc *f)
{
    fputs("return ", s->out);
    bp_print_stars(f->results, s->out);
    fputs(";\n", s->out);
}

static void fail_here(const struct sequencer *s, const struct bp_proc *f)
{
    fputs("error$ := 1; ", s->out);
    set_k(s, s->k);
    leave(s, f);
}

static void assume(const struct sequencer *s, int expr, int copy, bool negated)
{
    if (expr < 0) return;
    fputs(negated ? "assume(!" : "assume(", s->out);
    bp_print_expr(s->p, expr, copy, s->out);
    fputs("); ", s->out);
}

/* Results go through temporaries: the context in which the callee returned decides which copy they belong to. */
static void print_call(const struct sequencer *s, const struct bp_proc *caller, const struct bp_edge *e,
                       const char *name, int copy)
{
    const struct bp_program *p = s->p;
    for (size_t i = 0; i < e->results.len; i++) fprintf(s->out, "%sresult$%zu", i ? ", " : "", i);
    fprintf(s->out, "%s%s%s(", e->results.len ? " := " : "", prefix(s), p->procs.at[e->callee].name);
    bp_print_exprs(p, &e->args, copy, s->out);
    fprintf(s->out, "); goto %s$out", name);
    for (int i = 0; i < (s->init ? 1 : s->k); i++) fprintf(s->out, ", %s$back%d", name, i);
    fprintf(s->out, ";\n    %s$out: ", name);
    k_equals(s, s->k);
    leave(s, caller);
    for (int i = 0; i < (s->init ? 1 : s->k); i++) {
        fprintf(s->out, "    %s$back%d: ", name, i);
        k_equals(s, i);
        for (size_t r = 0; r < e->results.len; r++)
            fputs(r ? ", " : "", s->out), bp_print_var(p, e->results.at[r], i + 1, s->out);
        if (e->results.len) fputs(" := ", s->out);
        for (size_t r = 0; r < e->results.len; r++) fprintf(s->out, "%sresult$%zu", r ? ", " : "", r);
        fprintf(s->out, "%sgoto N%d;\n", e->results.len ? "; " : "", e->to);
    }
}

static void print_edge(const struct sequencer *s, const struct bp_proc *f, int edge, int context)
{
    const struct bp_edge *e = &s->p->edges.at[edge];
    char name[64];
    snprintf(name, sizeof name, "E%d$%d", edge, context);
    fprintf(s->out, "    %s: ", name);
    k_equals(s, context);
    assume(s, e->guard, context + 1, false);
    assume(s, e->assertion, context + 1, false);
    if (e->kind == EDGE_CALL) {
        print_call(s, f, e, name, context + 1);
    } else if (e->kind == EDGE_RETURN) {
        fputs("return ", s->out);
        bp_print_exprs(s->p, &e->values, context + 1, s->out);
        fputs(";\n", s->out);
    } else {
        bp_print_assigns(s->p, e, context + 1, s->out);
        fprintf(s->out, " goto N%d;\n", e->to);
    }
    if (e->assertion < 0) return;
    fprintf(s->out, "    %s$fails: ", name);
    k_equals(s, context);
    assume(s, e->guard, context + 1, false);
    assume(s, e->assertion, context + 1, true);
    fail_here(s, f);
}

static void print_switches(const struct sequencer *s, int node)
{
    for (int i = 0; i < s->k; i++) {
        fprintf(s->out, "    S%d$%d: ", node, i);
        k_equals(s, i);
        set_k(s, i + 1);
        fprintf(s->out, "goto N%d;\n", node);
    }
}

static void print_node(const struct sequencer *s, const struct bp_proc *f, int node)
{
    const struct bp_node *n = &s->p->nodes.at[node];
    int contexts = s->init ? 1 : s->k;
    bool label = boolprog_is_error_node(s->p, node, s->labels), switches = !n->atomic && !s->init;
    fprintf(s->out, "  N%d: goto O%d", node, node);
    for (int i = 0; switches && i < s->k; i++) fprintf(s->out, ", S%d$%d", node, i);
    if (label)
        for (int i = 0; i < contexts; i++) fprintf(s->out, ", L%d$%d", node, i);
    for (size_t k = 0; k < n->out.len; k++)
        for (int i = 0; i < contexts; i++) {
            fprintf(s->out, ", E%d$%d", n->out.at[k], i);
            if (s->p->edges.at[n->out.at[k]].assertion >= 0) fprintf(s->out, ", E%d$%d$fails", n->out.at[k], i);
        }
    fprintf(s->out, ";\n    O%d: ", node);
    k_equals(s, s->k);
    leave(s, f);
    if (switches) print_switches(s, node);
    for (int i = 0; label && i < contexts; i++) {
        fprintf(s->out, "    L%d$%d: ", node, i);
        k_equals(s, i);
        fail_here(s, f);
    }
    for (size_t k = 0; k < n->out.len; k++)
        for (int i = 0; i < contexts; i++) print_edge(s, f, n->out.at[k], i);
}

static void print_proc(const struct sequencer *s, int proc)
{
    const struct bp_proc *f = &s->p->procs.at[proc];
    size_t results = 0;
    bp_print_header(s->p, f, prefix(s), s->out);
    for (size_t i = 0; i < s->p->edges.len; i++)
        if (s->p->nodes.at[s->p->edges.at[i].from].proc == proc) results = MAX(results, s->p->edges.at[i].results.len);
    for (size_t i = 0; i < results; i++) fprintf(s->out, "  decl result$%zu;\n", i);
    fprintf(s->out, "  goto N%d;\n", f->entry);
    for (size_t n = 0; n < s->p->nodes.len; n++)
        if (s->p->nodes.at[n].proc == proc) print_node(s, f, (int)n);
    fputs("end\n", s->out);
}

/* The thread may stay idle, and starts in any context in which it was started. */
static void print_thread(const struct sequencer *s, int thread)
{
    const struct bp_thread *t = &s->p->threads.at[thread];
    const struct bp_proc *f = &s->p->procs.at[t->proc];
    fprintf(s->out, "\nvoid run$%d() begin\n  goto idle", thread);
    for (int i = 0; i < s->k; i++) fprintf(s->out, ", run%d", i);
    fputs(";\n  idle: return;\n", s->out);
    for (int i = 0; i < s->k; i++) {
        fprintf(s->out, "  run%d: ", i);
        set_k(s, i);
        if (t->started >= 0) {
            fputs("assume(", s->out);
            bp_print_var(s->p, t->started, i + 1, s->out);
            fputs("); ", s->out);
        }
        fprintf(s->out, "%s%s(", prefix(s), f->name);
        if (!t->args.len) bp_print_stars((int)f->params.len, s->out);
        for (size_t a = 0; a < t->args.len; a++)
            fputs(a ? ", " : "", s->out), bp_print_var(s->p, t->args.at[a], i + 1, s->out);
        fputs("); return;\n", s->out);
    }
    fputs("end\n", s->out);
}

static void print_main(const struct sequencer *s)
{
    const struct bp_program *p = s->p;
    fputs("\nvoid main() begin\n", s->out);
    for (int i = 2; i <= s->k; i++)
        for (size_t v = 0; v < p->shared.len; v++) {
            fputs("  ", s->out);
            bp_print_var(p, p->shared.at[v], i, s->out);
            fputs(" := ", s->out);
            bp_print_var(p, p->shared.at[v], s->k + i, s->out);
            fputs(";\n", s->out);
        }
    fputs("  error$ := 0;\n", s->out);
    if (p->init >= 0) {
        fputs("  ", s->out);
        set_k(s, 0);
        fprintf(s->out, "init$%s(", p->procs.at[p->init].name);
        bp_print_stars((int)p->procs.at[p->init].params.len, s->out);
        fputs(");\n  if (!error$)\n", s->out);
    }
    for (size_t t = 0; t < p->threads.len; t++) fprintf(s->out, "  run$%zu();\n", t);
    if (p->init >= 0) fputs("  fi\n", s->out);
    for (int i = 1; i < s->k; i++)
        for (size_t v = 0; v < p->shared.len; v++) {
            fputs("  assume(", s->out);
            bp_print_var(p, p->shared.at[v], i, s->out);
            fputs(" = ", s->out);
            bp_print_var(p, p->shared.at[v], s->k + i + 1, s->out);
            fputs(");\n", s->out);
        }
    fputs("  assert(!error$);\nend\n", s->out);
}

static void print_globals(const struct sequencer *s)
{
    const struct bp_program *p = s->p;
    for (int b = 0; b < s->width; b++) fprintf(s->out, "decl k$%d;\n", b);
    fputs("decl error$;\n", s->out);
    for (size_t v = 0; v < p->shared.len; v++) {
        int var = p->shared.at[v], init = p->vars.at[var].init;
        for (int i = 1; i <= s->k; i++) {
            fputs(i > 1 ? ", " : "decl ", s->out);
            bp_print_var(p, var, i, s->out);
            if (i == 1 && init >= 0) fprintf(s->out, " := %d", init);
        }
        for (int i = 2; i <= s->k; i++) fputs(", ", s->out), bp_print_var(p, var, s->k + i, s->out);
        fputs(";\n", s->out);
    }
}

/* By procedure; the init procedure itself included. Caller frees. */
static bool *called_by_init(const struct bp_program *p)
{
    bool *reached = xcalloc(p->procs.len + 1, sizeof *reached), changed = p->init >= 0;
    if (p->init >= 0) reached[p->init] = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < p->edges.len; i++) {
            const struct bp_edge *e = &p->edges.at[i];
            if (e->kind != EDGE_CALL || !reached[p->nodes.at[e->from].proc] || reached[e->callee]) continue;
            reached[e->callee] = changed = true;
        }
    }
    return reached;
}

void boolprog_print_sequential(const struct bp_program *p, int k, const char *const *labels, FILE *out)
{
    struct sequencer s = {.p = p, .k = k, .labels = labels, .out = out};
    for (s.width = 1; 1 << s.width <= k;) s.width++;
    fprintf(out, "// %s: %d round%s of %zu thread%s as a sequential program\n", path_basename(p->file), k,
            k == 1 ? "" : "s", p->threads.len, p->threads.len == 1 ? "" : "s");
    fprintf(out, "// x$1 to x$%d: copies of the shared variable x per context; guesses above\n", k);
    print_globals(&s);
    for (size_t i = 0; i < p->procs.len; i++) print_proc(&s, (int)i);
    s.init = true;
    bool *twice = called_by_init(p);
    for (size_t i = 0; i < p->procs.len; i++)
        if (twice[i]) print_proc(&s, (int)i);
    free(twice);
    s.init = false;
    for (size_t t = 0; t < p->threads.len; t++) print_thread(&s, (int)t);
    print_main(&s);
}
