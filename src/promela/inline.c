/* Inlines: a call is replaced by the tokens of the body with the parameters replaced by the tokens of the arguments,
 * and these are fed to the parser as if they stood in the file. Names in an argument are never mistaken for parameters,
 * since a body is replaced once. Tokens of the body keep their positions, which are what traces show. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

typedef VEC(token_list) argument_list;

struct inline_def *inline_named(const struct parser *p, const char *name) { return map_get(&p->inlines, name); }

/* Tokens up to the bracket that closes the current one, both included, without looking for statements. */
static void take_block(struct parser *p, token_list *out)
{
    int depth = 0;
    do {
        if (p->token.kind == T_LBRACE) depth++;
        if (p->token.kind == T_RBRACE) depth--;
        arena_push(p->arena, out, p->token);
        if (depth) p->token = raw_next(p);
    } while (depth && p->token.kind != T_END);
    if (depth) syntax_error(p, "'}' at the end of the inline");
}

static void parse_inline_params(struct parser *p, struct inline_def *d)
{
    expect(p, T_LPAREN, "after the name of the inline");
    while (p->token.kind == T_NAME) {
        arena_push(p->arena, &d->params, p->token.text);
        advance(p);
        if (!accept(p, T_COMMA)) break;
    }
    expect(p, T_RPAREN, "after the parameters of the inline");
}

/* ns: 'inline' NAME '(' [ NAME { ',' NAME } ] ')' '{' text '}' */
void parse_inline_definition(struct parser *p)
{
    struct inline_def *d = arena_alloc(p->arena, sizeof *d);
    advance(p);
    d->name = p->token.text;
    d->pos = p->token.pos;
    d->number = ++p->inline_count;
    if (!expect(p, T_NAME, "for the inline")) return;
    if (map_get(&p->inlines, d->name)) error_at(p, d->pos, "inline '%s' is defined twice", d->name);
    parse_inline_params(p, d);
    if (p->panic) return;
    if (p->token.kind != T_LBRACE) {
        syntax_error(p, "'{' before the body of the inline");
        return;
    }
    take_block(p, &d->body);
    map_put(&p->inlines, d->name, d);
    p->token = (struct token){.kind = T_SEMI};
    advance(p);
}

/* The tokens of one argument: up to a comma or ) outside of brackets. */
static void take_argument(struct parser *p, token_list *out)
{
    int depth = 0;
    for (;; p->token = raw_next(p)) {
        enum token_kind k = p->token.kind;
        if (k == T_END || (depth == 0 && (k == T_COMMA || k == T_RPAREN))) return;
        if (k == T_LPAREN || k == T_LBRACKET || k == T_LBRACE) depth++;
        if (k == T_RPAREN || k == T_RBRACKET || k == T_RBRACE) depth--;
        arena_push(p->arena, out, p->token);
    }
}

static void take_arguments(struct parser *p, argument_list *out)
{
    if (p->token.kind == T_RPAREN) return;
    for (;;) {
        token_list one = {0};
        take_argument(p, &one);
        if (!one.len) syntax_error(p, "an argument of the inline");
        arena_push(p->arena, out, one);
        if (p->token.kind != T_COMMA || p->panic) return;
        p->token = raw_next(p);
    }
}

static const token_list *argument_for(const struct parser *p, const struct inline_def *d, const argument_list *args,
                                      const struct token *t)
{
    if (t->kind != T_NAME || map_get(&p->mtype_constants, t->text)) return NULL;
    for (size_t i = 0; i < d->params.len; i++)
        if (d->params.at[i] == t->text) return &args->at[i];
    return NULL;
}

static void add_argument(struct parser *p, token_list *out, const token_list *arg, const struct token *in_place_of)
{
    for (size_t i = 0; i < arg->len; i++) {
        struct token copy = arg->at[i];
        copy.pos = in_place_of->pos;
        copy.line_before = i == 0 && in_place_of->line_before;
        arena_push(p->arena, out, copy);
    }
}

static bool too_much(struct parser *p, size_t tokens, struct pos at)
{
    if (tokens <= MAX_EXPANDED) return false;
    if (!p->expansion_ended) error_at(p, at, "inlines expand to more than %d tokens", MAX_EXPANDED);
    p->expansion_ended = p->panic = true;
    return true;
}

/* The body with the arguments in place; nothing, after an error, if that is too long. */
static token_list substitute(struct parser *p, const struct inline_def *d, const argument_list *args, struct pos at)
{
    token_list out = {0};
    assert(!d->active && args->len == d->params.len);
    for (size_t i = 0; i < d->body.len; i++) {
        const struct token *t = &d->body.at[i];
        const token_list *arg = argument_for(p, d, args, t);
        if (too_much(p, p->expanded + out.len + (arg ? arg->len : 1), at)) return (token_list){0};
        if (arg) add_argument(p, &out, arg, t);
        else arena_push(p->arena, &out, *t);
    }
    p->expanded += out.len;
    return out;
}

static bool may_expand(struct parser *p, const struct inline_def *d, size_t args, struct pos at)
{
    if (p->panic) return false;
    if (args != d->params.len) error_at(p, at, "inline '%s' has %zu parameters, not %zu", d->name, d->params.len, args);
    else if (d->active) error_at(p, at, "inline '%s' calls itself", d->name);
    else if (p->streams.len > MAX_INLINE_DEPTH)
        error_at(p, at, "inlines nested more than %d levels deep", MAX_INLINE_DEPTH);
    else return true;
    p->panic = true;
    return false;
}

/* NAME '(' [ argument { ',' argument } ] ')', followed by the expanded body as one block */
struct stmt *parse_inline_call(struct parser *p, struct expr *result)
{
    struct token name = p->token;
    struct inline_def *d = inline_named(p, name.text);
    argument_list args = {0};
    p->hoist = false;
    advance(p);
    if (p->token.kind != T_LPAREN) syntax_error(p, "'(' after the name of the inline");
    else {
        p->token = raw_next(p);
        take_arguments(p, &args);
        if (p->token.kind != T_RPAREN) syntax_error(p, "')' after the arguments of the inline");
    }
    token_list body = {0};
    if (may_expand(p, d, args.len, name.pos)) body = substitute(p, d, &args, name.pos);
    if (body.len) {
        assert(!p->holding && body.len >= 2);
        d->active = true;
        vec_push(&p->streams, ((struct stream){body.at, body.len, 0, d, name.pos, result}));
        p->token = (struct token){.kind = T_SEMI};
        advance(p);
    }
    return parse_expanded_inline(p);
}
