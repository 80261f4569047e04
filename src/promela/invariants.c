/* What the front end promises in promela.h, so that later stages need not check again, of the tree and of the automata.
 * Builds that check everything (assert_costly() in base/base.h) look. */
#include "promela/frontend_int.h"
#include "promela/flow_int.h"

#include <assert.h>

/* What is around an expression or a statement. */
struct place_in { const struct program *program; const struct proctype *proctype; bool formula; };

/* ---- types and variables ---- */

static void assert_type(const struct type *t)
{
    assert(t->base <= TYPE_STRUCT);
    assert((t->base == TYPE_STRUCT) == (t->user != NULL));
    assert(t->base != TYPE_UNSIGNED || (t->bits >= 1 && t->bits <= 31));
    assert(!t->mtype_set || t->base == TYPE_MTYPE);
}

static void assert_channel(const struct channel_type *c)
{
    assert(c->capacity >= 0 && c->capacity <= MAX_CAPACITY);
    assert(c->fields.len > 0 && c->fields.len <= MAX_ARGUMENTS);
    for (size_t i = 0; i < c->fields.len; i++) assert_type(&c->fields.at[i]);
}

static void assert_expr(const struct place_in *in, const struct expr *e);

static void assert_variables(const struct place_in *in, const var_list *vars, bool fields)
{
    for (size_t i = 0; i < vars->len; i++) {
        const struct var *v = vars->at[i];
        assert(v->name && *v->name && v->index == (int)i);
        assert(v->owner == in->proctype); /* of a field, too: it has none */
        assert(v->length >= 1 && v->length <= MAX_ELEMENTS && (v->is_array || v->length == 1));
        assert(v->array_init.len <= (size_t)v->length && (v->is_array || !v->array_init.len));
        assert(!v->channel || v->type.base == TYPE_CHAN);
        assert(!v->init || v->type.base != TYPE_STRUCT);
        assert(!fields || (!v->is_parameter && !v->remote_read));
        assert_type(&v->type);
        if (v->channel) assert_channel(v->channel);
        if (v->init) assert_expr(in, v->init);
        for (size_t k = 0; k < v->array_init.len; k++) assert_expr(in, v->array_init.at[k]);
    }
}

static bool is_field(const struct user_type *t, const struct var *v)
{
    return v->index >= 0 && (size_t)v->index < t->fields.len && t->fields.at[v->index] == v;
}

/* Each part is a field of the one before it. */
static void assert_ref(const struct place_in *in, const struct ref *r, const struct proctype *owner)
{
    assert(r->parts.len >= 1);
    const struct var *first = r->parts.at[0].var;
    assert(!first->owner || first->owner == owner); /* nobody else's local variable */
    assert(first->owner || is_field(&(struct user_type){.fields = in->program->globals}, first));
    for (size_t i = 0; i < r->parts.len; i++) {
        const struct ref_part *part = &r->parts.at[i];
        assert(!part->index || part->var->is_array);
        const struct user_type *around = i ? r->parts.at[i - 1].var->type.user : NULL;
        assert(i == 0 || (around && is_field(around, part->var)));
        if (part->index) assert_expr(in, part->index);
    }
}

/* ---- expressions and statements ---- */

enum { WANTS_A = 1, WANTS_B = 2, WANTS_C = 4, MAY_HAVE_A = 8, OF_FORMULA = 16 };

static unsigned shape_of(enum expr_kind kind)
{
    switch (kind) {
    case EXPR_UNARY: case EXPR_LEN: case EXPR_FULL: case EXPR_EMPTY: case EXPR_NFULL: case EXPR_NEMPTY: case EXPR_POLL:
    case EXPR_EVAL: case EXPR_ENABLED: case EXPR_PC_VALUE: case EXPR_GET_PRIORITY:
        return WANTS_A;
    case EXPR_BINARY: return WANTS_A | WANTS_B;
    case EXPR_CONDITIONAL: return WANTS_A | WANTS_B | WANTS_C;
    case EXPR_REMOTE_LABEL: case EXPR_REMOTE_VAR: return MAY_HAVE_A;
    case EXPR_ALWAYS: case EXPR_EVENTUALLY: case EXPR_NEXT: return WANTS_A | OF_FORMULA;
    case EXPR_UNTIL: case EXPR_WEAK_UNTIL: case EXPR_RELEASE: case EXPR_IMPLIES: case EXPR_EQUIVALENT:
        return WANTS_A | WANTS_B | OF_FORMULA;
    default: return 0;
    }
}

static void assert_names(const struct place_in *in, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_VAR: assert_ref(in, &e->ref, in->proctype); break;
    case EXPR_RUN: assert(e->proctype && e->proctype->kind == PROC_PROCTYPE && !in->formula); break;
    case EXPR_REMOTE_LABEL: assert(e->label && e->label->owner == e->proctype && e->label->remote); break;
    case EXPR_REMOTE_VAR:
        assert_ref(in, &e->ref, e->proctype);
        assert(e->ref.parts.at[0].var->owner && e->ref.parts.at[0].var->remote_read);
        break;
    case EXPR_C_CODE: assert(e->text && in->program->uses_c_code); break;
    case EXPR_TIMEOUT: assert(in->program->uses_timeout); break;
    case EXPR_LAST: assert(in->program->uses_last); break;
    case EXPR_ENABLED: assert(in->program->uses_enabled); break;
    case EXPR_PC_VALUE: assert(in->program->uses_pc_value); break;
    case EXPR_NONPROGRESS: assert(in->program->uses_np); break;
    default: break;
    }
}

static void assert_expr(const struct place_in *in, const struct expr *e)
{
    unsigned shape = shape_of(e->kind);
    assert(e->kind <= EXPR_EQUIVALENT && (unsigned)e->op <= OP_NEGATE);
    assert(shape & MAY_HAVE_A || !e->a == !(shape & WANTS_A));
    assert(!e->b == !(shape & WANTS_B) && !e->c == !(shape & WANTS_C));
    assert(!(shape & OF_FORMULA) || in->formula);
    assert(e->args.len <= MAX_ARGUMENTS);
    assert_names(in, e);
    if (e->a) assert_expr(in, e->a);
    if (e->b) assert_expr(in, e->b);
    if (e->c) assert_expr(in, e->c);
    for (size_t i = 0; i < e->args.len; i++) assert_expr(in, e->args.at[i]);
}

static void assert_list(const struct place_in *in, const stmt_list *list);

static bool is_basic(enum stmt_kind kind)
{
    switch (kind) {
    case STMT_EXPR: case STMT_ASSIGN: case STMT_DECL: case STMT_SEND: case STMT_RECEIVE: case STMT_ASSERT:
    case STMT_PRINTF: case STMT_PRINTM: case STMT_C_CODE: case STMT_SET_PRIORITY:
        return true;
    default: return false;
    }
}

static void assert_parts(const struct place_in *in, const struct stmt *s)
{
    switch (s->kind) {
    case STMT_IF: case STMT_DO: assert(s->options.len > 0); break;
    case STMT_GOTO: assert(s->label && s->label->owner == in->proctype); break;
    case STMT_DECL: assert(s->var && s->var->owner == in->proctype && !s->var->hoisted); break;
    case STMT_FOR_CHANNEL: assert(s->a && s->var && s->var->is_for_counter); break;
    case STMT_FOR_RANGE: case STMT_SELECT: assert(s->a && s->b && s->ref.parts.len); break;
    case STMT_FOR_ARRAY: assert(s->ref.parts.len && s->array_ref.parts.len); break;
    case STMT_ASSIGN: assert(s->a && (s->blank_target || s->ref.parts.len)); break;
    case STMT_SEND: case STMT_RECEIVE: assert(s->a && s->args.len <= MAX_ARGUMENTS); break;
    case STMT_UNLESS: assert(s->body.len && s->escape.len); break;
    case STMT_EXPR: case STMT_ASSERT: case STMT_PRINTM: assert(s->a); break;
    case STMT_C_CODE: assert(s->text && in->program->uses_c_code); break;
    default: break;
    }
}

static void assert_stmt(const struct place_in *in, const struct stmt *s)
{
    assert(s->kind <= STMT_SET_PRIORITY);
    assert(!is_basic(s->kind) || (!s->body.len && !s->escape.len && !s->options.len));
    assert_parts(in, s);
    for (size_t i = 0; i < s->labels.len; i++)
        assert(s->labels.at[i]->stmt == s && s->labels.at[i]->owner == in->proctype);
    if (s->a) assert_expr(in, s->a);
    if (s->b) assert_expr(in, s->b);
    if (s->ref.parts.len) assert_ref(in, &s->ref, in->proctype);
    if (s->array_ref.parts.len) assert_ref(in, &s->array_ref, in->proctype);
    for (size_t i = 0; i < s->args.len; i++) assert_expr(in, s->args.at[i]);
    for (size_t i = 0; i < s->options.len; i++) {
        assert(s->options.at[i].len > 0);
        assert_list(in, &s->options.at[i]);
    }
    assert_list(in, &s->body);
    assert_list(in, &s->escape);
}

static void assert_list(const struct place_in *in, const stmt_list *list)
{
    for (size_t i = 0; i < list->len; i++) assert_stmt(in, list->at[i]);
}

static void assert_proctype(const struct program *program, const struct proctype *p)
{
    struct place_in in = {program, p, false};
    assert(p->name && p->active >= 0 && p->active <= 255 && p->priority >= 0 && p->priority <= 255);
    assert(!p->provided || program->uses_provided);
    assert(p->parameter_count >= 0 && (size_t)p->parameter_count <= p->vars.len);
    for (size_t i = 0; i < p->vars.len; i++) assert(p->vars.at[i]->is_parameter == ((int)i < p->parameter_count));
    for (size_t i = 0; i < p->labels.len; i++) assert(p->labels.at[i]->owner == p && p->labels.at[i]->stmt);
    assert_variables(&in, &p->vars, false);
    if (p->provided) assert_expr(&in, p->provided);
    assert_list(&in, &p->body);
}

void assert_program(const struct program *p)
{
    struct place_in outside = {p, NULL, false}, formula = {p, NULL, true};
    assert(p->path && p->preprocessed && p->proctypes.len);
    assert_variables(&outside, &p->globals, false);
    for (size_t i = 0; i < p->user_types.len; i++) assert_variables(&outside, &p->user_types.at[i]->fields, true);
    for (size_t i = 0; i < p->mtypes.len; i++) assert(p->mtypes.at[i]->names.len == p->mtypes.at[i]->values.len);
    for (size_t i = 0; i < p->proctypes.len; i++) {
        assert(p->proctypes.at[i]->index == (int)i);
        assert_proctype(p, p->proctypes.at[i]);
    }
    for (size_t i = 0; i < p->ltl.len; i++) {
        assert(p->ltl.at[i]->name && p->ltl.at[i]->formula);
        assert_expr(&formula, p->ltl.at[i]->formula);
    }
    for (size_t i = 0; i < p->exclusives.len; i++) assert(p->exclusives.at[i].channel);
}

/* ---- automata ---- */

static void assert_edge(const struct automaton *a, const struct edge *e)
{
    assert(e->from >= 1 && e->from < a->count && e->to >= 0 && e->to < a->count);
    assert((e->kind == EDGE_END) == (e->to == 0)); /* control is somewhere, unless the process has ended */
    assert(e->stmt || e->kind == EDGE_END || e->kind == EDGE_SKIP);
    assert(e->kind != EDGE_STMT || is_basic(e->stmt->kind));
    assert(e->kind != EDGE_D_STEP || e->stmt->kind == STMT_D_STEP);
    assert(e->escape >= 0 && e->escape < a->count);
    assert(!e->keeps_atomic || e->to);
    assert(e->text && e->spin_id >= 0);
}

/* Escapes stand in front: the first that can move excludes what follows. */
static void assert_control(const struct automaton *a, const struct control *c)
{
    bool own = false;
    int elses = 0;
    for (size_t i = 0; i < c->edges.len; i++) {
        const struct edge *e = &c->edges.at[i];
        assert_edge(a, e);
        assert(!own || !e->escape);
        own |= !e->escape;
        elses += e->kind == EDGE_ELSE;
        assert(e->kind != EDGE_END || a->final == e->from);
    }
    assert(elses <= 1);
}

void assert_flow(const struct program *p, const struct flow *flow)
{
    int id = 0;
    assert(flow->automata.len == p->proctypes.len);
    for (size_t i = 0; i < flow->automata.len; i++) {
        const struct automaton *a = &flow->automata.at[i];
        assert(a->proctype == p->proctypes.at[i] && a->count >= 2);
        assert(a->initial >= 1 && a->initial < a->count && a->final >= 1 && a->final < a->count);
        assert(a->at[a->final].end && !a->at[0].edges.len);
        for (int c = 1; c < a->count; c++) {
            assert_control(a, &a->at[c]);
            for (size_t k = 0; k < a->at[c].edges.len; k++) assert(a->at[c].edges.at[k].id == id++);
        }
        for (size_t k = 0; k < a->proctype->labels.len; k++) {
            const struct label *l = a->proctype->labels.at[k];
            assert(!l->remote || (flow_label_state(l) >= 1 && flow_label_state(l) < a->count));
        }
    }
    assert(id == flow->edge_count);
}
