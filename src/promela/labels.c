/* Labels, and names that may point forward: goto within a proctype, run and remote references across the program.
 *
 * Which label a goto means follows Spin: one whose name was first mentioned in the same block, else one of an enclosing
 * block, else any of the proctype; the newest first. */
#include "promela/frontend.h"

#include <string.h>

static struct symbol *label_symbol(struct parser *p, struct token name)
{
    struct symbol *s = symbol_find(p, name.text);
    if (s && s->var) error_at(p, name.pos, "'%s' is a variable and cannot be a label", name.text);
    if (!s) s = symbol_make(p, name.text);
    s->is_label = true;
    return s;
}

struct label_mention label_mention(struct parser *p, struct token name)
{
    return (struct label_mention){label_symbol(p, name), name.pos};
}

void label_define(struct parser *p, struct stmt *stmt, struct label_mention name)
{
    int number = vec_last(&p->streams).from ? vec_last(&p->streams).from->number : 0;
    for (struct label_def *d = p->labels.at; d < p->labels.at + p->labels.len; d++)
        if (d->symbol == name.symbol && d->inline_number == number) {
            error_at(p, name.pos, "label '%s' is defined twice", name.symbol->name);
            return;
        }
    struct label *l = arena_alloc(p->arena, sizeof *l);
    *l = (struct label){.name = name.symbol->name, .pos = name.pos, .owner = p->proctype, .stmt = stmt};
    arena_push(p->arena, &stmt->labels, l);
    arena_push(p->arena, &p->proctype->labels, l);
    vec_push(&p->labels, ((struct label_def){name.symbol, l, number, p->d_step}));
}

void goto_use(struct parser *p, struct stmt *stmt, struct token name)
{
    vec_push(&p->gotos, ((struct goto_use){label_symbol(p, name), stmt, name.pos, p->d_step}));
}

static bool encloses(const struct scope *outer, const struct scope *inner)
{
    while (inner && inner != outer) inner = inner->parent;
    return inner == outer;
}

static const struct label_def *find_label(const struct parser *p, const struct symbol *used)
{
    const struct label_def *best = NULL;
    for (size_t i = p->labels.len; i-- > 0;) {
        const struct label_def *d = &p->labels.at[i];
        if (d->symbol->name != used->name) continue;
        if (d->symbol->scope == used->scope) return d;
        if (encloses(d->symbol->scope, used->scope) || !best) best = d;
    }
    return best;
}

static void report_unknown_label(struct parser *p, const struct goto_use *g)
{
    diag_error(p->diags, g->pos, "undefined label '%s'", g->symbol->name);
    VEC(const char *) known = {0};
    for (size_t i = 0; i < p->labels.len; i++) vec_push(&known, p->labels.at[i].symbol->name);
    const char *near = nearest_name(g->symbol->name, known.at, known.len);
    if (near) diag_hint(p->diags, "did you mean '%s'?", near);
    vec_release(&known);
}

static void resolve_goto(struct parser *p, const struct goto_use *g)
{
    const struct label_def *d = find_label(p, g->symbol);
    if (!d) {
        report_unknown_label(p, g);
        return;
    }
    g->stmt->label = d->label;
    if (g->d_step == d->d_step) return;
    if (g->d_step) diag_error(p->diags, g->pos, "'goto %s' jumps out of a d_step", d->label->name);
    else diag_error(p->diags, g->pos, "'goto %s' jumps into a d_step", d->label->name);
}

/* At the end of a proctype. */
void labels_resolve(struct parser *p)
{
    for (size_t i = 0; i < p->gotos.len && !p->diags->full; i++) resolve_goto(p, &p->gotos.at[i]);
    vec_clear(&p->gotos);
    vec_clear(&p->labels);
}

static void resolve_remote_label(struct parser *p, const struct reference *r)
{
    struct proctype *t = r->expr->proctype;
    for (size_t i = t->labels.len; i-- > 0;) {
        if (t->labels.at[i]->name != r->name.text) continue;
        r->expr->label = t->labels.at[i];
        t->labels.at[i]->remote = true;
        return;
    }
    diag_error(p->diags, r->name.pos, "proctype '%s' has no label '%s'", t->name, r->name.text);
}

static void resolve_remote_variable(struct parser *p, const struct reference *r)
{
    struct proctype *t = r->expr->proctype;
    for (size_t i = 0; i < t->vars.len; i++) {
        struct var *v = t->vars.at[i];
        if (v->name != r->name.text) continue;
        v->remote_read = true;
        arena_push(p->arena, &r->expr->ref.parts, ((struct ref_part){v, r->index}));
        if (v->is_array && !r->index) diag_error(p->diags, r->name.pos, "array '%s' needs an index", v->name);
        if (!v->is_array && r->index) diag_error(p->diags, r->name.pos, "'%s' is not an array", v->name);
        if (v->type.base == TYPE_STRUCT)
            diag_error(p->diags, r->name.pos, "a remote reference cannot name a variable of a typedef");
        return;
    }
    diag_error(p->diags, r->name.pos, "proctype '%s' has no variable '%s'", t->name, r->name.text);
}

static void resolve_run(struct parser *p, const struct reference *r)
{
    struct proctype *t = map_get(&p->proctypes, r->name.text);
    r->expr->proctype = t;
    if (!t) diag_error(p->diags, r->name.pos, "there is no proctype '%s'", r->name.text);
}

/* At the end of the program. */
void references_resolve(struct parser *p)
{
    for (size_t i = 0; i < p->run_uses.len && !p->diags->full; i++) resolve_run(p, &p->run_uses.at[i]);
    for (size_t i = 0; i < p->remote_uses.len && !p->diags->full; i++) {
        const struct reference *r = &p->remote_uses.at[i];
        if (r->expr->kind == EXPR_REMOTE_LABEL) resolve_remote_label(p, r);
        else resolve_remote_variable(p, r);
    }
}
