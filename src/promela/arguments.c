/* Arguments of send, receive, poll and run. A variable of a typedef stands for all of its fields in order, as Spin
 * expands it; an array field for all of its elements. */
#include "promela/frontend_int.h"

#include <string.h>

static void expand_fields(struct parser *p, const struct expr *base, const struct user_type *type, expr_list *out);

static struct expr *extended(struct parser *p, const struct expr *base, struct var *field, struct expr *index)
{
    struct expr *e = expr_new(p, EXPR_VAR, base->pos);
    for (size_t i = 0; i < base->ref.parts.len; i++) arena_push(p->arena, &e->ref.parts, base->ref.parts.at[i]);
    arena_push(p->arena, &e->ref.parts, ((struct ref_part){field, index}));
    return e;
}

static void expand_field(struct parser *p, const struct expr *base, struct var *field, expr_list *out)
{
    if (field->type.base == TYPE_STRUCT) {
        if (field->is_array) error_at(p, base->pos, "'%s' is an array of a typedef: send its parts", field->name);
        else expand_fields(p, extended(p, base, field, NULL), field->type.user, out);
        return;
    }
    for (int i = 0; i < field->length && out->len < MAX_ARGUMENTS; i++)
        arena_push(p->arena, out, extended(p, base, field, field->is_array ? expr_const(p, i, base->pos) : NULL));
}

static void expand_fields(struct parser *p, const struct expr *base, const struct user_type *type, expr_list *out)
{
    for (size_t i = 0; i < type->fields.len && out->len < MAX_ARGUMENTS; i++)
        expand_field(p, base, type->fields.at[i], out);
    if (out->len >= MAX_ARGUMENTS && !p->panic) {
        error_at(p, base->pos, "more than %d fields in one message", MAX_ARGUMENTS);
        p->panic = true;
    }
}

static bool is_whole_struct(const struct expr *e)
{
    const struct var *v = expr_var(e);
    return v && v->type.base == TYPE_STRUCT && (!v->is_array || vec_last(&e->ref.parts).index);
}

static bool at_variable(struct parser *p)
{
    return p->token.kind == T_NAME && !map_get(&p->mtype_constants, p->token.text) &&
           !map_get(&p->proctypes, p->token.text);
}

/* Either a whole variable of a typedef, which is expanded, or an expression. */
static void parse_arg(struct parser *p, expr_list *out)
{
    if (!at_variable(p)) {
        arena_push(p->arena, out, parse_expr(p));
        return;
    }
    struct expr *e = parse_varref_or_struct(p);
    bool any_value = e->kind == EXPR_BLANK && in_trace(p); /* an event with any value here */
    if (is_whole_struct(e)) expand_fields(p, e, expr_var(e)->type.user, out);
    else if (any_value) arena_push(p->arena, out, e);
    else {
        e = parse_expr_after(p, e);
        reject_probe(p, e);
        arena_push(p->arena, out, e);
    }
}

/* arg: expr { ',' expr } */
void parse_args(struct parser *p, expr_list *out)
{
    do parse_arg(p, out);
    while (!p->panic && accept(p, T_COMMA));
}

/* margs: arg | expr '(' arg ')' */
void parse_send_args(struct parser *p, expr_list *out)
{
    parse_arg(p, out);
    if (accept(p, T_LPAREN)) {
        parse_args(p, out);
        expect(p, T_RPAREN, "after the arguments of the message");
    } else if (accept(p, T_COMMA)) parse_args(p, out);
}

static struct expr *parse_eval(struct parser *p)
{
    struct expr *e = expr_new(p, EXPR_EVAL, p->token.pos);
    advance(p);
    expect(p, T_LPAREN, "after 'eval'");
    e->a = parse_expr(p);
    expect(p, T_RPAREN, "after the argument of eval");
    return e;
}

static bool at_constant(const struct parser *p, const struct mtype_constant *m)
{
    enum token_kind k = p->token.kind;
    return m || k == T_NUMBER || k == T_TRUE || k == T_FALSE || k == T_SKIP;
}

/* [ '-' ] CONST */
static void parse_pattern_constant(struct parser *p, expr_list *out)
{
    struct pos at = p->token.pos;
    bool negative = accept(p, T_MINUS);
    const struct mtype_constant *m = p->token.kind == T_NAME ? map_get(&p->mtype_constants, p->token.text) : NULL;
    if (!at_constant(p, m)) {
        syntax_error(p, "a variable, a constant or eval() to receive into");
        return;
    }
    int64_t value = m ? m->value : p->token.kind == T_NUMBER ? p->token.value : p->token.kind != T_FALSE;
    struct expr *e = expr_const(p, (int)(negative ? -value : value), at);
    if (m && !negative) e->text = p->token.text;
    advance(p);
    arena_push(p->arena, out, e);
}

/* rarg: varref | 'eval' '(' expr ')' | [ '-' ] CONST */
static void parse_receive_arg(struct parser *p, expr_list *out)
{
    if (p->token.kind == T_EVAL) arena_push(p->arena, out, parse_eval(p));
    else if (!at_variable(p)) parse_pattern_constant(p, out);
    else {
        struct expr *e = parse_varref_or_struct(p);
        if (is_whole_struct(e)) expand_fields(p, e, expr_var(e)->type.user, out);
        else arena_push(p->arena, out, e);
    }
}

/* rargs: rarg [ ',' rargs | '(' rargs ')' ] | '(' rargs ')' */
void parse_receive_args(struct parser *p, expr_list *out)
{
    if (!enter(p, p->most_brackets)) return;
    if (accept(p, T_LPAREN)) {
        parse_receive_args(p, out);
        expect(p, T_RPAREN, "after the arguments of the message");
    } else {
        parse_receive_arg(p, out);
        while (!p->panic && accept(p, T_COMMA) && p->token.kind != T_LPAREN) parse_receive_arg(p, out);
        if (!p->panic && p->token.kind == T_LPAREN) parse_receive_args(p, out);
    }
    leave(p);
}
