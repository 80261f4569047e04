/* trace and notrace as C: an automaton that watches the sends and receives of the channels that it names. */
#include "model/internal.h"

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

static const struct automaton *event_automaton(const struct generator *g)
{
    for (size_t i = 0; i < g->flow->automata.len; i++) {
        enum proctype_kind kind = g->flow->automata.at[i].proctype->kind;
        if (kind == PROC_TRACE || kind == PROC_NOTRACE) return &g->flow->automata.at[i];
    }
    return NULL;
}

static bool is_event(const struct edge *e, enum stmt_kind kind)
{
    return e->kind == EDGE_STMT && e->stmt->kind == kind;
}

/* Only what happens on channels that are named with the same direction counts. */
static void put_scope(struct generator *g, const struct automaton *a, enum stmt_kind kind)
{
    put(g, "(0");
    for (int c = 1; c < a->count; c++)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (!is_event(e, kind)) continue;
            put(g, " || c == ");
            generate_expr(g, e->stmt->a);
        }
    put(g, ")");
}

static bool is_compared(const struct expr *arg) { return arg->kind == EXPR_CONST || arg->kind == EXPR_EVAL; }

static void put_event_edge(struct generator *g, const struct automaton *a, const struct edge *e)
{
    bool negated = a->proctype->kind == PROC_NOTRACE;
    bool receive = is_event(e, STMT_RECEIVE);
    if (!receive && !is_event(e, STMT_SEND)) return;
    str_printf(&g->out, "        if (receives == %d && c == ", receive);
    generate_expr(g, e->stmt->a);
    for (size_t i = 0; i < e->stmt->args.len; i++) {
        if (!is_compared(e->stmt->args.at[i])) continue;
        str_printf(&g->out, " && %zu < count && m[%zu] == ", i, i);
        generate_expr(g, e->stmt->args.at[i]);
    }
    str_printf(&g->out, ") { gn->event_ = %d; ", e->to);
    if (negated && e->to == a->final) put(g, "hd_assert(r, 0, \"notrace: all events matched\"); ");
    put(g, "return; }\n");
}

void generate_event(struct generator *g)
{
    const struct automaton *a = event_automaton(g);
    if (!a) return;
    g->state = 'n';
    g->proctype = NULL;
    put(g, "static void event(struct stepping *r, u8 *n, int receives, int c, const int *m, int count)\n{\n"
           "    struct State *gn = (struct State *)n;\n    int pid = -1;\n    (void)pid;\n    if (!(receives ? ");
    put_scope(g, a, STMT_RECEIVE);
    put(g, " : ");
    put_scope(g, a, STMT_SEND);
    put(g, ")) return;\n    switch (gn->event_) {\n");
    for (int c = 1; c < a->count; c++) {
        if (!a->at[c].edges.len) continue;
        str_printf(&g->out, "    case %d:\n", c);
        for (size_t k = 0; k < a->at[c].edges.len; k++) put_event_edge(g, a, &a->at[c].edges.at[k]);
        put(g, "        break;\n");
    }
    str_printf(&g->out, "    default: break;\n    }\n    gn->event_ = %d;\n", a->final);
    if (a->proctype->kind == PROC_TRACE) put(g, "    hd_assert(r, 0, \"trace: no event matches\");\n");
    put(g, "}\n");
}
