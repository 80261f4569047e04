/* Expressions as C. Every value is an int; what a variable cannot hold is cut off when it is stored.
 * `g->state` says which state is read: `s`, the one before the step, or `n`, the one being made. In the generated code
 * gs/gn are the globals and ps/pn the executing process's frame in them, Hs/Hn their shapes. */
#include "model/internal.h"

#include <limits.h>

struct type ref_type(const struct ref *r) { return r->parts.at[r->parts.len - 1].var->type; }

bool expr_contains(const struct expr *e, enum expr_kind kind)
{
    if (!e) return false;
    if (e->kind == kind) return true;
    for (size_t i = 0; i < e->args.len; i++)
        if (expr_contains(e->args.at[i], kind)) return true;
    for (size_t i = 0; i < e->ref.parts.len; i++)
        if (expr_contains(e->ref.parts.at[i].index, kind)) return true;
    return expr_contains(e->a, kind) || expr_contains(e->b, kind) || expr_contains(e->c, kind);
}

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

static void put_constant(struct generator *g, int value)
{
    if (value == INT_MIN) put(g, "(-2147483647 - 1)");
    else str_printf(&g->out, value < 0 ? "(%d)" : "%d", value);
}

static void put_index(struct generator *g, const struct ref_part *part)
{
    if (!part->var->is_array) return;
    const struct expr *i = part->index;
    int length = part->var->length;
    if (!i) {
        put(g, "[0]");
    } else if (i->kind == EXPR_CONST && i->value >= 0 && i->value < length) {
        str_printf(&g->out, "[%d]", i->value);
    } else {
        g->may_fail = g->edge_may_fail = true;
        put(g, "[hd_index(r, ");
        char state = g->state;
        generate_expr(g, i);
        g->state = state;
        str_printf(&g->out, ", %d)]", length);
    }
}

static void put_parts(struct generator *g, const struct ref *ref)
{
    for (size_t i = 0; i < ref->parts.len; i++) {
        const struct ref_part *part = &ref->parts.at[i];
        str_printf(&g->out, "%s%s", i ? "." : "", placing_of(part->var)->c_name);
        put_index(g, part);
    }
}

/* The place in `state`; its indices are read in g->state. */
void generate_ref(struct generator *g, const struct ref *ref, char state)
{
    str_printf(&g->out, "%c%c->", ref->parts.at[0].var->owner ? 'p' : 'g', state);
    put_parts(g, ref);
}

static void put_truncation_check(struct generator *g, const char *place, const struct var *v, const char *value)
{
    str_printf(&g->out, " if (r->host->truncated && (int)%s != (%s)) r->host->truncated(r, ", place, value);
    generate_literal(g, v->name);
    str_printf(&g->out, ", %s, (int)%s);", value, place);
}

void generate_store_at(struct generator *g, const char *place, const struct var *v, const char *value)
{
    const struct type *t = &v->type;
    switch (t->base) {
    case TYPE_BIT:
    case TYPE_BOOL: str_printf(&g->out, "%s = (u8)((%s) & 1);", place, value); break;
    case TYPE_UNSIGNED:
        str_printf(&g->out, "%s = (%s) & 0x%xu;", place, value, t->bits >= 32 ? 0xffffffffu : (1u << t->bits) - 1);
        break;
    default: str_printf(&g->out, "%s = (%s);", place, value); break;
    }
    if (g->warn && t->base != TYPE_INT) put_truncation_check(g, place, v, value);
}

/* value must be an int expression without side effects on what it is stored to. */
void generate_store(struct generator *g, const struct ref *ref, const char *value)
{
    struct str before = g->out;
    g->out = (struct str){0};
    generate_ref(g, ref, 'n');
    struct str place = g->out;
    g->out = before;
    generate_store_at(g, str_get(&place), ref->parts.at[ref->parts.len - 1].var, value);
    str_release(&place);
}

static const char *operator_text(enum op op)
{
    static const char *const text[] = {[OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_AND] = "&&", [OP_OR] = "||",
                                       [OP_BITAND] = "&", [OP_BITOR] = "|", [OP_BITXOR] = "^", [OP_LT] = "<",
                                       [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_EQ] = "==", [OP_NE] = "!=",
                                       [OP_NOT] = "!", [OP_COMPLEMENT] = "~", [OP_NEGATE] = "-"};
    return text[op];
}

static void put_call2(struct generator *g, const char *name, const struct expr *e, const char *tail)
{
    put(g, name);
    generate_expr(g, e->a);
    put(g, ", ");
    generate_expr(g, e->b);
    put(g, tail);
}

static void put_division(struct generator *g, const struct expr *e)
{
    bool safe = e->b->kind == EXPR_CONST && e->b->value != 0 && e->b->value != -1;
    if (safe) {
        put(g, "(");
        generate_expr(g, e->a);
        str_printf(&g->out, e->op == OP_DIV ? " / " : " %% ");
        generate_expr(g, e->b);
        put(g, ")");
        return;
    }
    g->may_fail = g->edge_may_fail = true;
    put_call2(g, e->op == OP_DIV ? "hd_divide(r, " : "hd_modulo(r, ", e, ")");
}

/* a + b + c needs no brackets around a + b. Compilers read a chain in a loop, but brackets by recursion. */
static void put_chain(struct generator *g, const struct expr *e)
{
    if (e->a->kind == EXPR_BINARY && e->a->op == e->op) put_chain(g, e->a);
    else generate_expr(g, e->a);
    str_printf(&g->out, " %s ", operator_text(e->op));
    generate_expr(g, e->b);
}

static void put_binary(struct generator *g, const struct expr *e)
{
    switch (e->op) {
    case OP_DIV:
    case OP_MOD: put_division(g, e); break;
    case OP_SHL: put_call2(g, "hd_shift(", e, ", 1)"); break;
    case OP_SHR: put_call2(g, "hd_shift(", e, ", 0)"); break;
    default:
        put(g, "(");
        put_chain(g, e);
        put(g, ")");
    }
}

static void put_run(struct generator *g, const struct expr *e)
{
    g->may_fail = g->edge_may_fail = true;
    str_printf(&g->out, "run_%d(r, n, pid, %d", e->proctype->index, e->value ? e->value : 1);
    for (size_t i = 0; i < e->args.len; i++) {
        put(g, ", ");
        generate_expr(g, e->args.at[i]);
    }
    put(g, ")");
}

static void put_channel_call(struct generator *g, const char *function, const struct expr *channel)
{
    g->may_fail = g->edge_may_fail = true;
    str_printf(&g->out, "%s(r, kinds, H%c, %c, ", function, g->state, g->state);
    generate_expr(g, channel);
    put(g, ")");
}

static bool is_compared(const struct expr *arg) { return arg->kind == EXPR_CONST || arg->kind == EXPR_EVAL; }

static void put_poll(struct generator *g, const struct expr *e)
{
    g->may_fail = g->edge_may_fail = true;
    str_printf(&g->out, "hd_channel_poll(r, kinds, H%c, %c, ", g->state, g->state);
    generate_expr(g, e->a);
    str_printf(&g->out, ", %d, %zu, (const u8[]){", e->random, e->args.len);
    for (size_t i = 0; i < e->args.len; i++) put(g, is_compared(e->args.at[i]) ? "1," : "0,");
    put(g, "}, (const int[]){");
    for (size_t i = 0; i < e->args.len; i++) {
        if (is_compared(e->args.at[i])) generate_expr(g, e->args.at[i]);
        else put(g, "0");
        put(g, ",");
    }
    put(g, "})");
}

static void put_remote_pid(struct generator *g, const struct expr *e)
{
    if (e->a) generate_expr(g, e->a);
    else str_printf(&g->out, "hd_first_of(H%c, %d)", g->state, e->proctype->index);
}

static void put_remote(struct generator *g, const struct expr *e)
{
    if (e->kind == EXPR_REMOTE_LABEL) {
        str_printf(&g->out, "(hd_remote_pc(H%c, %c, %d, ", g->state, g->state, e->proctype->index);
        put_remote_pid(g, e);
        str_printf(&g->out, ", PC_SIZE) == %d)", flow_label_state(e->label));
        return;
    }
    g->may_fail = g->edge_may_fail = true;
    str_printf(&g->out, "((int)((struct P%d *)hd_remote_frame(r, H%c, %c, %d, ", e->proctype->index, g->state, g->state,
               e->proctype->index);
    put_remote_pid(g, e);
    put(g, "))->");
    put_parts(g, &e->ref);
    put(g, ")");
}

static void put_frame_call(struct generator *g, const char *call, const struct expr *e)
{
    str_printf(&g->out, call, g->state, g->state);
    generate_expr(g, e->a);
    put(g, ", PC_SIZE)");
}

static void put_variable(struct generator *g, const struct expr *e)
{
    const struct ref_part *first = &e->ref.parts.at[0];
    const struct placing *p = placing_of(first->var);
    if (p->constant_channel && !first->var->is_array) {
        str_printf(&g->out, "%d", p->channel_number);
        return;
    }
    put(g, "((int)");
    generate_ref(g, &e->ref, g->state);
    put(g, ")");
}

/* C text of the user's becomes a function of its own, where `now`, pptr(), _this and Pname mean what they mean to Spin.
 */
int generate_c_function(struct generator *g, const char *type, const char *text)
{
    int id = g->unique++;
    str_printf(&g->helpers, "static %s c_text_%d(struct State *now_, const struct shape *shape_, void *_this)\n{\n",
               type, id);
    str_add(&g->helpers, "    heddle_now = now_;\n    heddle_shape = shape_;\n    (void)_this;\n");
    if (g->proctype)
        str_printf(&g->helpers, "    struct P%d *P%s = _this; (void)P%s;\n", g->proctype->index, g->proctype->name,
                   g->proctype->name);
    str_printf(&g->helpers, "    %s\n}\n", text);
    return id;
}

static void put_c_expr(struct generator *g, const struct expr *e)
{
    int id = generate_c_function(g, "int", arena_printf(&g->program->arena, "return (%s);", e->text));
    str_printf(&g->out, "c_text_%d(g%c, H%c, ", id, g->state, g->state);
    if (g->proctype) str_printf(&g->out, "p%c)", g->state);
    else put(g, "0)");
}

/* A look at a channel by a process, which xr and xs may forbid. */
static bool looks_at_channel(const struct generator *g, const struct expr *e)
{
    bool looks = (e->kind >= EXPR_LEN && e->kind <= EXPR_NEMPTY) || e->kind == EXPR_POLL;
    return looks && g->proctype && !g->only_asks && has_exclusive(g->program);
}

static void put_look(struct generator *g, const struct expr *e)
{
    bool room = e->kind == EXPR_FULL || e->kind == EXPR_NFULL;
    generate_look(g, e->a, e->kind != EXPR_NFULL, e->kind != EXPR_NEMPTY);
    if (e->kind == EXPR_POLL) put_poll(g, e);
    else if (e->kind == EXPR_LEN) put_channel_call(g, "hd_channel_length", e->a);
    else if (room) put_channel_call(g, e->kind == EXPR_FULL ? "hd_channel_full" : "!hd_channel_full", e->a);
    else put_channel_call(g, e->kind == EXPR_EMPTY ? "!hd_channel_length" : "!!hd_channel_length", e->a);
    put(g, ")");
}

void generate_expr(struct generator *g, const struct expr *e)
{
    if (looks_at_channel(g, e)) {
        put_look(g, e);
        return;
    }
    switch (e->kind) {
    case EXPR_CONST: put_constant(g, e->value); break;
    case EXPR_VAR: put_variable(g, e); break;
    case EXPR_BLANK: put(g, "0"); break;
    case EXPR_UNARY:
        str_printf(&g->out, "(%s", operator_text(e->op));
        generate_expr(g, e->a);
        put(g, ")");
        break;
    case EXPR_BINARY: put_binary(g, e); break;
    case EXPR_CONDITIONAL:
        put(g, "(");
        generate_expr(g, e->a);
        put(g, " ? ");
        generate_expr(g, e->b);
        put(g, " : ");
        generate_expr(g, e->c);
        put(g, ")");
        break;
    case EXPR_RUN: put_run(g, e); break;
    case EXPR_LEN: put_channel_call(g, "hd_channel_length", e->a); break;
    case EXPR_FULL: put_channel_call(g, "hd_channel_full", e->a); break;
    case EXPR_NFULL: put_channel_call(g, "!hd_channel_full", e->a); break;
    case EXPR_EMPTY: put_channel_call(g, "!hd_channel_length", e->a); break;
    case EXPR_NEMPTY: put_channel_call(g, "!!hd_channel_length", e->a); break;
    case EXPR_POLL: put_poll(g, e); break;
    case EXPR_EVAL: generate_expr(g, e->a); break;
    case EXPR_ENABLED:
        g->may_fail = g->edge_may_fail = true;
        str_printf(&g->out, "ask_enabled(r, %c, ", g->state);
        generate_expr(g, e->a);
        put(g, ")");
        break;
    case EXPR_PC_VALUE: put_frame_call(g, "hd_pc(H%c, %c, ", e); break;
    case EXPR_GET_PRIORITY: put_frame_call(g, "hd_priority(H%c, %c, ", e); break;
    case EXPR_TIMEOUT: put(g, "r->timeout"); break;
    case EXPR_NONPROGRESS: str_printf(&g->out, "non_progress(H%c, %c)", g->state, g->state); break;
    case EXPR_PID: put(g, "pid"); break;
    case EXPR_LAST: str_printf(&g->out, "((int)g%c->_last)", g->state); break;
    case EXPR_NR_PR: str_printf(&g->out, "((int)H%c->process_count)", g->state); break;
    case EXPR_PRIORITY: str_printf(&g->out, "((int)p%c->_priority)", g->state); break;
    case EXPR_REMOTE_LABEL:
    case EXPR_REMOTE_VAR: put_remote(g, e); break;
    case EXPR_C_CODE: put_c_expr(g, e); break;
    default: BUG("expression %d cannot be executed", e->kind);
    }
}

/* The number of a channel that is known before the model runs, or 0. */
int channel_constant(const struct expr *e, const struct layout *l, u32 *at, int *kind)
{
    if (e->kind != EXPR_VAR || e->ref.parts.len != 1) return 0;
    const struct ref_part *p = &e->ref.parts.at[0];
    const struct placing *place = placing_of(p->var);
    if (!place->constant_channel) return 0;
    int element = 0;
    if (p->var->is_array) {
        if (!p->index || p->index->kind != EXPR_CONST) return 0;
        element = p->index->value;
        if (element < 0 || element >= p->var->length) return 0;
    }
    int number = place->channel_number + element;
    *at = l->global_channel_at.at[number - 1] - l->globals_size;
    *kind = l->global_channels.at[number - 1];
    return number;
}
