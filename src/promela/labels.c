/* Labels: goto within a proctype, and remote references to labels and variables across the program.
 *
 * Which label a goto means follows Spin: one whose name was first mentioned in the same block, else one of an enclosing
 * block, else any of the proctype. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

enum { LONGEST_GOTO_CHAIN = 64 };

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

static void remember_for_remote(struct parser *p, struct label *l)
{
    const char *key = arena_printf(p->arena, "%d@%s", p->proctype->index, l->name);
    if (!map_get(&p->remote_labels, key)) map_put(&p->remote_labels, key, l);
}

void label_define(struct parser *p, struct stmt *stmt, struct label_mention name)
{
    struct symbol *s = name.symbol;
    assert(p->proctype && s->is_label);
    int number = vec_last(&p->streams).from ? vec_last(&p->streams).from->number : 0;
    for (const struct label_def *d = s->defined; d; d = d->same_symbol)
        if (d->inline_number == number) {
            error_at(p, name.pos, "label '%s' is defined twice", s->name);
            return;
        }
    struct label *l = arena_alloc(p->arena, sizeof *l);
    *l = (struct label){.name = s->name, .pos = name.pos, .owner = p->proctype, .stmt = stmt};
    arena_push(p->arena, &stmt->labels, l);
    arena_push(p->arena, &p->proctype->labels, l);
    struct label_def *d = arena_alloc(p->arena, sizeof *d);
    *d = (struct label_def){s, l, number, p->d_step, s->defined, map_get(&p->labels, s->name)};
    s->defined = d;
    map_put(&p->labels, s->name, d);
    remember_for_remote(p, l);
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
    if (used->defined) return used->defined;
    for (const struct label_def *d = map_get(&p->labels, used->name); d; d = d->same_name)
        if (!best || encloses(d->symbol->scope, used->scope)) best = d;
    return best;
}

static void report_unknown_label(struct parser *p, const struct goto_use *g)
{
    VEC(const char *) known = {0};
    diag_error(p->diags, g->pos, "undefined label '%s'", g->symbol->name);
    for (size_t i = 0; i < p->proctype->labels.len; i++) vec_push(&known, p->proctype->labels.at[i]->name);
    hint_nearest(p, g->symbol->name, known.at, known.len);
    vec_release(&known);
}

static void resolve_goto(struct parser *p, const struct goto_use *g)
{
    const struct label_def *d = find_label(p, g->symbol);
    if (!d) {
        report_unknown_label(p, g);
        return;
    }
    assert(g->stmt->kind == STMT_GOTO && d->label->owner == p->proctype);
    g->stmt->label = d->label;
    if (g->d_step == d->d_step) return;
    if (g->d_step) diag_error(p->diags, g->pos, "'goto %s' jumps out of a d_step", d->label->name);
    else diag_error(p->diags, g->pos, "'goto %s' jumps into a d_step", d->label->name);
}

/* L: goto M; M: goto L goes nowhere. */
static void check_goto_cycle(struct parser *p, const struct goto_use *g)
{
    const struct stmt *s = g->stmt;
    for (int steps = 0; steps < LONGEST_GOTO_CHAIN && s->kind == STMT_GOTO && s->label; steps++) {
        s = s->label->stmt;
        if (s != g->stmt) continue;
        diag_error(p->diags, g->pos, "this goto leads back to itself and nowhere else");
        return;
    }
}

/* At the end of a proctype. */
void labels_resolve(struct parser *p)
{
    for (size_t i = 0; i < p->gotos.len && !p->diags->full; i++) resolve_goto(p, &p->gotos.at[i]);
    for (size_t i = 0; i < p->gotos.len && !p->diags->full; i++) check_goto_cycle(p, &p->gotos.at[i]);
    vec_clear(&p->gotos);
    map_release(&p->labels);
}

static void resolve_remote_label(struct parser *p, const struct reference *r)
{
    const struct proctype *t = r->expr->proctype;
    struct label *l = map_get(&p->remote_labels, arena_printf(p->arena, "%d@%s", t->index, r->name.text));
    if (!l) {
        diag_error(p->diags, r->name.pos, "proctype '%s' has no label '%s'", t->name, r->name.text);
        return;
    }
    assert(l->owner == t);
    r->expr->label = l;
    l->remote = true;
}

static void resolve_remote_variable(struct parser *p, const struct reference *r)
{
    const struct proctype *t = r->expr->proctype;
    struct var *v = map_get(&p->remote_vars, arena_printf(p->arena, "%d:%s", t->index, r->name.text));
    if (!v) {
        diag_error(p->diags, r->name.pos, "proctype '%s' has no variable '%s'", t->name, r->name.text);
        return;
    }
    assert(v->owner == t);
    v->remote_read = true;
    struct expr *index = scalar_index(p, v, r->index, r->name.pos);
    arena_push(p->arena, &r->expr->ref.parts, ((struct ref_part){v, index}));
    if (v->is_array && !index) diag_error(p->diags, r->name.pos, "array '%s' needs an index", v->name);
    if (v->type.base == TYPE_STRUCT)
        diag_error(p->diags, r->name.pos, "a remote reference cannot name a variable of a typedef");
}

/* At the end of the program. */
void references_resolve(struct parser *p)
{
    for (size_t i = 0; i < p->remote_uses.len && !p->diags->full; i++) {
        const struct reference *r = &p->remote_uses.at[i];
        if (r->expr->kind == EXPR_REMOTE_LABEL) resolve_remote_label(p, r);
        else resolve_remote_variable(p, r);
    }
}
