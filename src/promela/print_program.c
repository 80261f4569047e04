/* A whole program as source that reads back in, with macros and inlines expanded. */
#include "promela/frontend_int.h"

#include <string.h>

static void print_body(struct printer *w, const stmt_list *body, bool line_started);
static void print_stmt(struct printer *w, const struct stmt *s);

const char *label_text(const struct printer *w, const struct label *l)
{
    for (const struct relabelled *r = w->relabelled; r; r = r->next)
        if (r->label == l) return r->name;
    return l->name;
}

/* Spin accepts the same label in two expansions of inlines; as plain text it needs two names. */
static const struct relabelled *relabel(const struct proctype *t, struct arena *arena, const struct relabelled *list)
{
    struct map taken = {0};
    for (size_t i = 0; i < t->labels.len; i++) {
        struct label *l = t->labels.at[i];
        const char *name = l->name;
        for (int n = 2; map_get(&taken, name); n++) name = arena_printf(arena, "%s_%d", l->name, n);
        map_put(&taken, name, l);
        if (name == l->name) continue;
        struct relabelled *r = arena_alloc(arena, sizeof *r);
        *r = (struct relabelled){l, name, list};
        list = r;
    }
    map_release(&taken);
    return list;
}

static void start_line(struct printer *w)
{
    for (int i = 0; i < w->indent; i++) str_add(w->out, "    ");
}

static const char *const type_names[] = {
    [TYPE_BIT] = "bit", [TYPE_BOOL] = "bool", [TYPE_BYTE] = "byte", [TYPE_PID] = "pid", [TYPE_SHORT] = "short",
    [TYPE_INT] = "int", [TYPE_UNSIGNED] = "unsigned", [TYPE_MTYPE] = "mtype", [TYPE_CHAN] = "chan",
};

static void print_type(struct printer *w, const struct type *t)
{
    str_add(w->out, t->base == TYPE_STRUCT ? t->user->name : type_names[t->base]);
    if (t->mtype_set) str_printf(w->out, ":%s", t->mtype_set);
}

static void print_channel(struct printer *w, const struct channel_type *c)
{
    str_printf(w->out, " = [%d] of { ", c->capacity);
    for (size_t i = 0; i < c->fields.len; i++) {
        if (i) str_add(w->out, ", ");
        print_type(w, &c->fields.at[i]);
    }
    str_add(w->out, " }");
}

static void print_array_init(struct printer *w, const expr_list *values)
{
    for (size_t i = 0; i < values->len; i++) {
        str_add(w->out, i ? ", " : " = { ");
        print_signed(w, values->at[i]);
    }
    str_add(w->out, " }");
}

static void print_var(struct printer *w, const struct var *v)
{
    str_add(w->out, v->hidden ? "hidden " : v->show ? "show " : v->local ? "local " : "");
    print_type(w, &v->type);
    str_printf(w->out, " %s", v->name);
    if (v->is_array) str_printf(w->out, "[%d]", v->length);
    if (v->type.base == TYPE_UNSIGNED) str_printf(w->out, " : %d", v->type.bits);
    if (v->channel) print_channel(w, v->channel);
    else if (v->array_init.len) print_array_init(w, &v->array_init);
    else if (v->init) {
        str_add(w->out, " = ");
        print_expr(w, v->init);
    }
}

static void print_var_line(struct printer *w, const struct var *v)
{
    start_line(w);
    print_var(w, v);
    str_add(w->out, ";\n");
}

/* xr and xs of a proctype whose channel is `of`, or is not declared by a statement if `of` is NULL. */
static void print_exclusives(struct printer *w, const struct proctype *t, const struct var *of)
{
    for (size_t i = 0; i < w->program->exclusives.len; i++) {
        const struct exclusive *x = &w->program->exclusives.at[i];
        const struct var *v = x->channel->ref.parts.at[0].var;
        bool late = v->owner && !v->hoisted && !v->is_parameter;
        if (x->proctype != t || (of ? v != of : late)) continue;
        if (of) str_add(w->out, ";\n");
        start_line(w);
        str_add(w->out, x->receive ? "xr " : "xs ");
        print_expr(w, x->channel);
        if (!of) str_add(w->out, ";\n");
    }
}

static void print_options(struct printer *w, const struct stmt *s)
{
    str_add(w->out, s->kind == STMT_IF ? "if\n" : "do\n");
    for (size_t i = 0; i < s->options.len; i++) {
        start_line(w);
        str_add(w->out, ":: ");
        print_body(w, &s->options.at[i], true);
    }
    start_line(w);
    str_add(w->out, s->kind == STMT_IF ? "fi" : "od");
}

static void print_block(struct printer *w, const char *word, const stmt_list *body)
{
    str_printf(w->out, "%s{\n", word);
    print_body(w, body, false);
    start_line(w);
    str_add(w->out, "}");
}

static void print_loop(struct printer *w, const struct stmt *s)
{
    print_stmt_head(w, s);
    print_block(w, " ", &s->body);
}

/* A condition in its own parentheses would gain a pair each time it is read and printed. */
static void print_plain(struct printer *w, const struct stmt *s)
{
    bool skip = s->kind == STMT_EXPR && s->a->kind == EXPR_CONST && s->a->value == 1 && !s->a->text;
    if (skip) str_add(w->out, s->labels.len ? "" : "skip"); /* a trace assertion has labels alone, but no skip */
    else if (s->kind == STMT_EXPR) print_expr(w, s->a);
    else print_stmt_head(w, s);
}

static void print_declaration(struct printer *w, const struct stmt *s)
{
    print_var(w, s->var);
    print_exclusives(w, s->var->owner, s->var);
}

static void print_unless(struct printer *w, const struct stmt *s)
{
    if (s->body_block) print_block(w, "", &s->body);
    else print_stmt(w, s->body.at[0]);
    if (s->escape_block) {
        print_block(w, " unless ", &s->escape);
        return;
    }
    str_add(w->out, " unless ");
    print_stmt(w, s->escape.at[0]);
}

static void print_stmt(struct printer *w, const struct stmt *s)
{
    for (size_t i = 0; i < s->labels.len; i++) str_printf(w->out, "%s: ", label_text(w, s->labels.at[i]));
    switch (s->kind) {
    case STMT_IF: case STMT_DO: print_options(w, s); break;
    case STMT_ATOMIC: print_block(w, "atomic ", &s->body); break;
    case STMT_D_STEP: print_block(w, "d_step ", &s->body); break;
    case STMT_BLOCK: print_block(w, "", &s->body); break;
    case STMT_UNLESS: print_unless(w, s); break;
    case STMT_FOR_RANGE: case STMT_FOR_ARRAY: case STMT_FOR_CHANNEL: print_loop(w, s); break;
    case STMT_DECL: print_declaration(w, s); break;
    default: print_plain(w, s);
    }
}

static void print_body(struct printer *w, const stmt_list *body, bool line_started)
{
    w->indent++;
    for (size_t i = 0; i < body->len; i++) {
        if (i || !line_started) start_line(w);
        print_stmt(w, body->at[i]);
        str_add(w->out, ";\n");
    }
    w->indent--;
}

static void print_parameters(struct printer *w, const struct proctype *t)
{
    str_add(w->out, "(");
    for (int i = 0; i < t->parameter_count; i++) {
        if (i) str_add(w->out, "; ");
        print_var(w, t->vars.at[i]);
    }
    str_add(w->out, ")");
}

static void print_proctype_head(struct printer *w, const struct proctype *t)
{
    switch (t->kind) {
    case PROC_PROCTYPE:
        if (t->active) str_printf(w->out, "active [%d] ", t->active);
        str_printf(w->out, "%s %s", t->deterministic ? "D_proctype" : "proctype", t->name);
        print_parameters(w, t);
        break;
    case PROC_NEVER: str_printf(w->out, "never %s", t->name); break;
    case PROC_INIT: case PROC_TRACE: case PROC_NOTRACE: str_add(w->out, t->name); break;
    }
    if (t->priority) str_printf(w->out, " priority %d", t->priority);
    if (!t->provided) return;
    str_add(w->out, " provided (");
    print_expr(w, t->provided);
    str_add(w->out, ")");
}

static void print_proctype(struct printer *w, const struct proctype *t)
{
    print_proctype_head(w, t);
    str_add(w->out, " {\n");
    w->indent++;
    for (size_t i = (size_t)t->parameter_count; i < t->vars.len; i++)
        if (t->vars.at[i]->hoisted) print_var_line(w, t->vars.at[i]);
    print_exclusives(w, t, NULL);
    w->indent--;
    print_body(w, &t->body, false);
    str_add(w->out, "}\n");
}

static void print_typedef(struct printer *w, const struct user_type *t)
{
    str_printf(w->out, "typedef %s {\n", t->name);
    w->indent++;
    for (size_t i = 0; i < t->fields.len; i++) print_var_line(w, t->fields.at[i]);
    w->indent--;
    str_add(w->out, "}\n");
}

/* The constants are numbered from the last one written to the first. */
static void print_mtype(struct printer *w, const struct mtype_set *set, const struct unit *u)
{
    str_add(w->out, "mtype");
    if (strcmp(set->name, "_unnamed_")) str_printf(w->out, ":%s", set->name);
    str_add(w->out, " = { ");
    for (size_t i = u->count; i-- > 0;) str_printf(w->out, "%s%s", set->names.at[u->first + i], i ? ", " : "");
    str_add(w->out, " }\n");
}

static void print_c_unit(struct printer *w, const struct c_unit *u)
{
    if (u->kind == C_UNIT_CODE || u->kind == C_UNIT_DECL) {
        str_printf(w->out, "%s {%s}\n", u->kind == C_UNIT_CODE ? "c_code" : "c_decl", u->text);
        return;
    }
    str_printf(w->out, "%s \"%s\" \"%s\"", u->kind == C_UNIT_STATE ? "c_state" : "c_track", u->text, u->scope);
    if (u->init) str_printf(w->out, " \"%s\"", u->init);
    str_add(w->out, "\n");
}

static void print_unit(struct printer *w, const struct unit *u)
{
    const struct program *g = w->program;
    switch (u->kind) {
    case UNIT_VAR: print_var_line(w, g->globals.at[u->index]); break;
    case UNIT_TYPEDEF: print_typedef(w, g->user_types.at[u->index]); break;
    case UNIT_MTYPE: print_mtype(w, g->mtypes.at[u->index], u); break;
    case UNIT_PROCTYPE: print_proctype(w, g->proctypes.at[u->index]); break;
    case UNIT_C: print_c_unit(w, &g->c_units.at[u->index]); break;
    }
}

static void print_ltl(struct printer *w, const struct ltl *f)
{
    str_printf(w->out, "ltl %s { ", f->name);
    print_expr(w, f->formula);
    str_add(w->out, " }\n");
}

void promela_print(const struct program *p, FILE *out)
{
    struct str text = {0};
    struct arena arena = {0};
    struct printer w = {.out = &text, .source = true, .program = p};
    for (size_t i = 0; i < p->proctypes.len; i++) w.relabelled = relabel(p->proctypes.at[i], &arena, w.relabelled);
    for (size_t i = 0; i < p->units.len; i++) print_unit(&w, &p->units.at[i]);
    for (size_t i = 0; i < p->ltl.len; i++) print_ltl(&w, p->ltl.at[i]);
    fputs(str_get(&text), out);
    str_release(&text);
    arena_release(&arena);
}
