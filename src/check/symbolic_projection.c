/* --projection of a Boolean program: the statements on runs to an error, each on a run that the interpreter has
 * executed, and after the last of them the claim that there are no more, which is a check like any other. */
#include "check/symbolic_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct search {
    const struct bp_program *program; /* as written */
    const struct projection_input *in;
    bool *on_run; /* by node */
};

/* What comes next at the node; NULL: nothing. */
static const struct bp_edge *statement(const struct bp_program *p, size_t node)
{
    const struct bp_node *n = &p->nodes.at[node];
    return n->out.len ? &p->edges.at[n->out.at[0]] : NULL;
}

static bool same_statement(const struct bp_program *p, size_t x, size_t y)
{
    const struct bp_edge *a = statement(p, x), *b = statement(p, y);
    return a && b && a->pos.line == b->pos.line && a->pos.col == b->pos.col && !strcmp(a->text, b->text);
}

/* Copies of a procedure are one procedure as written. */
static void spread(struct search *x)
{
    const struct bp_program *p = x->program;
    for (size_t i = 0; i < p->nodes.len; i++)
        for (size_t k = 0; !x->on_run[i] && k < p->nodes.len; k++)
            x->on_run[i] = x->on_run[k] && same_statement(p, i, k);
}

/* One more run; false: there is none, or it is not known, then *cut says why. *rounds: where they ended. */
static bool find_run(struct search *x, const char **cut, int *rounds)
{
    size_t nodes = x->program->nodes.len;
    enum limit limit = LIMIT_NONE;
    struct diags d = {0};
    const struct symbolic_options *o = x->in->options;
    struct bp_program *p = boolprog_parse_within(x->in->path, x->in->text, (int)o->threads, o->limits, &limit, &d);
    diags_release(&d);
    *cut = "a limit was reached";
    if (!p) return false;
    bool *wanted = xcalloc(nodes + 1, sizeof *wanted);
    for (size_t i = 0; i < nodes; i++) wanted[i] = !x->on_run[i];
    boolprog_require(p, wanted, x->in->labels);
    struct symbolic_result s;
    symbolic_check(p, o, x->in->labels, false, (struct symbolic_ledger){0}, &s);
    bool found = s.verdict == SYMBOLIC_ERROR && s.has_run;
    if (found) bp_run_visited(p, &s.run, nodes, x->on_run), spread(x);
    if (s.verdict == SYMBOLIC_VERIFIED || s.verdict == SYMBOLIC_BOUNDED) *cut = NULL;
    else if (s.cut) *cut = s.cut;
    *rounds = s.verdict == SYMBOLIC_BOUNDED ? s.rounds : 0;
    symbolic_result_release(&s);
    free(wanted);
    boolprog_free(p);
    return found;
}

struct line { const struct bp_edge *edge; };

static int by_place(const void *x, const void *y)
{
    const struct pos a = ((const struct line *)x)->edge->pos, b = ((const struct line *)y)->edge->pos;
    return a.line != b.line ? (a.line > b.line) - (a.line < b.line) : (a.col > b.col) - (a.col < b.col);
}

/* In the order of the text, each once. */
static void list_statements(const struct search *x, struct projection *out)
{
    const struct bp_program *p = x->program;
    VEC(struct line) lines = {0};
    for (size_t i = 0; i < p->nodes.len; i++)
        if (x->on_run[i] && statement(p, i)) vec_push(&lines, ((struct line){statement(p, i)}));
    if (lines.len) qsort(lines.at, lines.len, sizeof *lines.at, by_place);
    for (size_t i = 0; i < lines.len; i++) {
        const struct bp_edge *e = lines.at[i].edge;
        if (!i || by_place(&lines.at[i - 1], &lines.at[i]) || strcmp(lines.at[i - 1].edge->text, e->text))
            vec_push(&out->list, ((struct projected){e->pos.line, e->pos.col, .text = xstrdup(e->text)}));
    }
    vec_release(&lines);
}

void symbolic_projection(const struct bp_program *p, const struct bp_run *first, const struct projection_input *in,
                         struct projection *out)
{
    struct search x = {p, in, xcalloc(p->nodes.len + 1, sizeof(bool))};
    bp_run_visited(p, first, p->nodes.len, x.on_run);
    spread(&x);
    while (find_run(&x, &out->cut, &out->rounds)) continue;
    out->known = true;
    list_statements(&x, out);
    free(x.on_run);
}

void pushdown_projection(const struct pds *s, const struct pushdown_result *r, struct projection *out)
{
    out->known = true;
    out->cut = r->cut;
    for (size_t t = 0; t < s->threads.len && r->projection; t++)
        for (size_t p = 0; p < s->states.len; p++)
            for (size_t a = 0; a < s->symbols.len; a++)
                if (r->projection[(t * s->states.len + p) * s->symbols.len + a])
                    vec_push(&out->list, ((struct projected){.thread = xstrdup(s->threads.at[t].name),
                                                             .state = xstrdup(s->states.at[p]),
                                                             .symbol = xstrdup(s->symbols.at[a])}));
}

void projection_print(const char *file, bool is_pds, const struct projection *x)
{
    const char *where = is_pds ? "on a run to the target" : "on a run to an error";
    for (size_t i = 0; i < x->list.len; i++) {
        const struct projected *p = &x->list.at[i];
        if (p->line) printf("%s: %s:%d: %s\n", where, file, p->line, p->text);
        else printf("%s: %s %s %s\n", where, p->thread, p->state, p->symbol);
    }
    if (x->cut) printf("%s: not all are listed: %s\n", where, x->cut);
    else if (x->rounds)
        printf("%s: no other with at most %d contexts per thread in a round robin\n", where, x->rounds);
}
