/* Expressions, references to variables, and the arguments of messages and processes. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

struct expr *expr_new(struct parser *p, enum expr_kind kind, struct pos pos)
{
    struct expr *e = arena_alloc(p->arena, sizeof *e);
    e->kind = kind;
    e->pos = pos;
    return e;
}

struct expr *expr_const(struct parser *p, int value, struct pos pos)
{
    struct expr *e = expr_new(p, EXPR_CONST, pos);
    e->value = value;
    return e;
}

struct expr *expr_binary(struct parser *p, enum op op, struct expr *a, struct expr *b)
{
    struct expr *e = expr_new(p, EXPR_BINARY, a->pos);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

static struct expr *expr_with(struct parser *p, enum expr_kind kind, struct pos pos, struct expr *a)
{
    struct expr *e = expr_new(p, kind, pos);
    e->a = a;
    return e;
}

/* The loosest binding first; all are left-associative. */
static const struct binary { enum token_kind token; int level; enum expr_kind kind; enum op op; } binaries[] = {
    {T_IMPLIES, 1, EXPR_IMPLIES, 0}, {T_EQUIVALENT, 1, EXPR_EQUIVALENT, 0},
    {T_OR, 2, EXPR_BINARY, OP_OR}, {T_AND, 3, EXPR_BINARY, OP_AND},
    {T_UNTIL, 4, EXPR_UNTIL, 0}, {T_WEAK_UNTIL, 4, EXPR_WEAK_UNTIL, 0}, {T_RELEASE, 4, EXPR_RELEASE, 0},
    {T_BITOR, 5, EXPR_BINARY, OP_BITOR}, {T_BITXOR, 6, EXPR_BINARY, OP_BITXOR}, {T_BITAND, 7, EXPR_BINARY, OP_BITAND},
    {T_EQ, 8, EXPR_BINARY, OP_EQ}, {T_NE, 8, EXPR_BINARY, OP_NE},
    {T_LT, 9, EXPR_BINARY, OP_LT}, {T_GT, 9, EXPR_BINARY, OP_GT}, {T_LE, 9, EXPR_BINARY, OP_LE},
    {T_GE, 9, EXPR_BINARY, OP_GE}, {T_SHL, 10, EXPR_BINARY, OP_SHL}, {T_SHR, 10, EXPR_BINARY, OP_SHR},
    {T_PLUS, 11, EXPR_BINARY, OP_ADD}, {T_MINUS, 11, EXPR_BINARY, OP_SUB}, {T_STAR, 12, EXPR_BINARY, OP_MUL},
    {T_SLASH, 12, EXPR_BINARY, OP_DIV}, {T_PERCENT, 12, EXPR_BINARY, OP_MOD},
};

static const struct binary *binary_of(enum token_kind kind)
{
    for (size_t i = 0; i < ARRAY_LEN(binaries); i++)
        if (binaries[i].token == kind) return &binaries[i];
    return NULL;
}

/* What an expression refers to, or NULL if it is no variable. */
struct var *expr_var(const struct expr *e)
{
    assert(e->kind != EXPR_VAR || e->ref.parts.len > 0);
    return e->kind == EXPR_VAR ? vec_last(&e->ref.parts).var : NULL;
}

static bool is_probe(const struct expr *e)
{
    return e->kind == EXPR_FULL || e->kind == EXPR_EMPTY || e->kind == EXPR_NFULL || e->kind == EXPR_NEMPTY;
}

/* A full(), empty(), nfull() or nempty() may be joined by && and ||, but never be negated or computed with: the
 * partial order reduction counts on that. */
static const struct expr *probe_in(const struct expr *e)
{
    if (is_probe(e)) return e;
    if (e->kind != EXPR_BINARY || (e->op != OP_AND && e->op != OP_OR)) return NULL;
    const struct expr *found = probe_in(e->a);
    return found ? found : probe_in(e->b);
}

void reject_probe(struct parser *p, const struct expr *e)
{
    const struct expr *probe = probe_in(e);
    if (!probe || p->panic) return;
    error_at(p, probe->pos, "full, empty, nfull and nempty can only be combined with && and ||");
    diag_hint(p->diags, "nfull(q) is the negation of full(q), nempty(q) of empty(q)");
}

static bool count_operator(struct parser *p)
{
    if (++p->operators <= p->most_operators) return true;
    if (!p->panic) error_at(p, p->token.pos, "more than %d operators in one statement", p->most_operators);
    p->panic = true;
    return false;
}

static struct expr *parse_unary(struct parser *p);

static struct expr *parse_binary(struct parser *p, struct expr *left, int level)
{
    const struct binary *b;
    while ((b = binary_of(p->token.kind)) && b->level >= level && count_operator(p)) {
        advance(p);
        struct expr *right = parse_binary(p, parse_unary(p), b->level + 1);
        if (b->kind != EXPR_BINARY || (b->op != OP_AND && b->op != OP_OR)) {
            reject_probe(p, left);
            reject_probe(p, right);
        }
        struct expr *e = expr_binary(p, b->op, left, right);
        e->kind = b->kind;
        left = e;
    }
    return left;
}

struct expr *parse_full_expr(struct parser *p)
{
    if (!enter(p, p->most_brackets)) return expr_const(p, 0, p->token.pos);
    struct expr *e = parse_binary(p, parse_unary(p), 1);
    leave(p);
    return e;
}

struct expr *parse_expr(struct parser *p)
{
    struct expr *e = parse_full_expr(p);
    reject_probe(p, e);
    return e;
}

/* The rest of an expression that began with a reference already read. */
struct expr *parse_expr_after(struct parser *p, struct expr *left)
{
    return parse_binary(p, parse_after_varref(p, left), 1);
}

static struct expr *parse_prefix(struct parser *p, enum expr_kind kind, enum op op)
{
    struct pos at = p->token.pos;
    advance(p);
    if (!enter(p, p->most_brackets)) return expr_const(p, 0, at);
    struct expr *e = expr_with(p, kind, at, parse_unary(p));
    leave(p);
    e->op = op;
    reject_probe(p, e->a);
    return e;
}

/* '(' expr ')' | '(' expr '->' expr ':' expr ')' */
static struct expr *parse_parenthesis(struct parser *p)
{
    struct pos at = p->token.pos;
    advance(p);
    struct expr *e = parse_full_expr(p);
    if (accept(p, T_ARROW)) {
        e = expr_with(p, EXPR_CONDITIONAL, at, e);
        e->b = parse_expr(p);
        expect(p, T_COLON, "between the two values of a conditional expression");
        e->c = parse_expr(p);
        reject_probe(p, e->a);
    }
    expect(p, T_RPAREN, "after the expression");
    return e;
}

/* word '(' expr ')' */
static struct expr *parse_call(struct parser *p, enum expr_kind kind)
{
    struct token word = p->token;
    if (kind != EXPR_GET_PRIORITY) check_claim_word(p, &word);
    advance(p);
    if (!expect(p, T_LPAREN, "after the name of the function")) return expr_const(p, 0, word.pos);
    struct expr *e = expr_with(p, kind, word.pos, parse_expr(p));
    expect(p, T_RPAREN, "after the argument");
    return e;
}

/* word '(' varref ')' */
static struct expr *parse_channel_call(struct parser *p, enum expr_kind kind)
{
    struct token word = p->token;
    advance(p);
    if (!expect(p, T_LPAREN, "after the name of the function")) return expr_const(p, 0, word.pos);
    struct expr *e = expr_with(p, kind, word.pos, parse_varref(p));
    expect(p, T_RPAREN, "after the channel");
    check_channel(p, e->a);
    return e;
}

/* 'run' NAME '(' [ arg ] ')' Opt_priority */
static struct expr *parse_run(struct parser *p)
{
    struct expr *e = expr_new(p, EXPR_RUN, p->token.pos);
    if (!p->proctype) error_at(p, e->pos, "'run' outside of a proctype");
    else if (p->d_step) error_at(p, e->pos, "'run' inside of d_step; use atomic");
    advance(p);
    struct token name = p->token;
    if (!expect(p, T_NAME, "of a proctype after 'run'")) return e;
    e->text = name.text;
    if (!expect(p, T_LPAREN, "after the name of the proctype")) return e;
    if (p->token.kind != T_RPAREN) parse_args(p, &e->args);
    expect(p, T_RPAREN, "after the arguments of run");
    e->value = parse_priority(p);
    vec_push(&p->run_uses, ((struct reference){e, name, NULL}));
    return e;
}

/* 'c_expr' [ '[' text ']' ] '{' text '}' */
static struct expr *parse_c_expr(struct parser *p)
{
    struct expr *e = expr_new(p, EXPR_C_CODE, p->token.pos);
    c_code_allowed(p);
    advance(p);
    if (p->token.kind == T_PRECONDITION) {
        e->text2 = p->token.text;
        advance(p);
    }
    e->text = p->token.text;
    if (expect(p, T_CODE, "after c_expr")) check_c_expr(p, e);
    return e;
}

/* proctype [ '[' expr ']' ] ( '@' NAME | ':' NAME [ '[' expr ']' ] ) */
static struct expr *parse_remote(struct parser *p)
{
    struct expr *e = expr_new(p, EXPR_REMOTE_LABEL, p->token.pos), *index = NULL;
    e->proctype = map_get(&p->proctypes, p->token.text);
    advance(p);
    if (accept(p, T_LBRACKET)) {
        e->a = parse_expr(p);
        expect(p, T_RBRACKET, "after the process number");
    }
    if (accept(p, T_COLON)) e->kind = EXPR_REMOTE_VAR;
    else if (!expect(p, T_AT, "or ':' after the name of a proctype")) return expr_const(p, 0, e->pos);
    struct token name = p->token;
    const char *what = e->kind == EXPR_REMOTE_VAR ? "of a variable" : "of a label";
    if (!expect(p, T_NAME, what)) return expr_const(p, 0, e->pos);
    if (e->kind == EXPR_REMOTE_VAR && accept(p, T_LBRACKET)) {
        index = parse_expr(p);
        expect(p, T_RBRACKET, "after the index");
    }
    vec_push(&p->remote_uses, ((struct reference){e, name, index}));
    return e;
}

static const struct { const char *name; enum expr_kind kind; } predefined[] = {
    {"_", EXPR_BLANK}, {"_pid", EXPR_PID}, {"_last", EXPR_LAST}, {"_nr_pr", EXPR_NR_PR}, {"_priority", EXPR_PRIORITY},
};

bool is_predefined(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(predefined); i++)
        if (!strcmp(predefined[i].name, name)) return true;
    return false;
}

static struct expr *parse_predefined(struct parser *p)
{
    for (size_t i = 0; i < ARRAY_LEN(predefined); i++) {
        if (strcmp(predefined[i].name, p->token.text)) continue;
        struct expr *e = expr_new(p, predefined[i].kind, p->token.pos);
        if (e->kind == EXPR_LAST) p->program->uses_last = true;
        if (e->kind == EXPR_PRIORITY) p->program->uses_priority = true;
        advance(p);
        return e;
    }
    return NULL;
}

static struct var *find_field(const struct parser *p, const struct user_type *type, const char *name)
{
    return map_get(&p->field_index, arena_printf(p->arena, "%s.%s", type->name, name));
}

static void report_unknown_field(struct parser *p, const struct user_type *type, struct token name)
{
    error_at(p, name.pos, "typedef '%s' has no field '%s'", type->name, name.text);
    VEC(const char *) known = {0};
    for (size_t i = 0; i < type->fields.len; i++) vec_push(&known, type->fields.at[i]->name);
    hint_nearest(p, name.text, known.at, known.len);
    vec_release(&known);
}

/* Once per name: the second message would say nothing new. */
static void report_unknown_name(struct parser *p, struct token name)
{
    if (map_get(&p->unknown, name.text)) return;
    map_put(&p->unknown, name.text, p);
    const char *what = map_get(&p->proctypes, name.text)  ? "a proctype"
                       : map_get(&p->inlines, name.text)  ? "an inline"
                       : map_get(&p->typedefs, name.text) ? "a typedef"
                                                          : NULL;
    if (what) {
        error_at(p, name.pos, "'%s' is %s, not a variable", name.text, what);
        return;
    }
    error_at(p, name.pos, "undeclared variable '%s'", name.text);
    hint_name(p, name.text);
}

/* As in Spin a variable that is no array has an element 0, which is the variable itself. */
struct expr *scalar_index(struct parser *p, const struct var *v, struct expr *index, struct pos at)
{
    if (v->is_array || !index) return index;
    if (index->kind != EXPR_CONST || index->value) error_at(p, at, "'%s' is not an array", v->name);
    return NULL;
}

/* NAME [ '[' expr ']' ] */
static void parse_ref_part(struct parser *p, struct expr *e, struct var *v)
{
    struct ref_part part = {v, NULL};
    struct pos at = p->token.pos;
    if (accept(p, T_LBRACKET)) {
        part.index = parse_expr(p);
        expect(p, T_RBRACKET, "after the index");
        if (v) part.index = scalar_index(p, v, part.index, at);
        if (v && v->is_array) check_constant_index(p, v, part.index);
    }
    if (v) arena_push(p->arena, &e->ref.parts, part);
}

/* A reference with nothing checked about missing indices or fields. */
static struct expr *parse_loose_varref(struct parser *p)
{
    struct token name = p->token;
    if (name.kind != T_NAME) {
        syntax_error(p, "a variable");
        return expr_const(p, 0, name.pos);
    }
    struct expr *e = parse_predefined(p);
    if (e) return e;
    e = expr_new(p, EXPR_VAR, name.pos);
    struct symbol *s = symbol_find(p, name.text);
    struct var *v = s ? s->var : NULL;
    if (!v) report_unknown_name(p, name);
    advance(p);
    parse_ref_part(p, e, v);
    while (accept(p, T_DOT)) {
        name = p->token;
        if (!expect(p, T_NAME, "of a field after '.'")) break;
        struct user_type *type = v && v->type.base == TYPE_STRUCT ? v->type.user : NULL;
        if (v && !type) error_at(p, name.pos, "'%s' is not of a typedef and has no fields", v->name);
        v = type ? find_field(p, type, name.text) : NULL;
        if (type && !v) report_unknown_field(p, type, name);
        parse_ref_part(p, e, v);
    }
    return v ? e : expr_const(p, 0, e->pos);
}

static void check_indices(struct parser *p, const struct expr *e, bool last_may_lack)
{
    if (e->kind != EXPR_VAR) return;
    for (size_t i = 0; i < e->ref.parts.len; i++) {
        const struct ref_part *part = &e->ref.parts.at[i];
        if (!part->var->is_array || part->index) continue;
        if (last_may_lack && i + 1 == e->ref.parts.len) continue;
        error_at(p, e->pos, "array '%s' needs an index", part->var->name);
    }
}

/* varref: NAME [ '[' expr ']' ] { '.' NAME [ '[' expr ']' ] } */
struct expr *parse_varref(struct parser *p)
{
    struct expr *e = parse_loose_varref(p);
    check_indices(p, e, false);
    check_complete(p, e);
    return e;
}

/* The same, or a whole variable of a typedef. */
struct expr *parse_varref_or_struct(struct parser *p)
{
    struct expr *e = parse_loose_varref(p);
    check_indices(p, e, false);
    return e;
}

/* What `for (x in a)` runs over: an array without its index, or a channel. */
struct expr *parse_collection(struct parser *p)
{
    struct expr *e = parse_loose_varref(p);
    check_indices(p, e, true);
    return e;
}

/* A poll if the reference is followed by ?[..] or ??[..]; otherwise a value that is read. */
struct expr *parse_after_varref(struct parser *p, struct expr *ref)
{
    enum token_kind kind = p->token.kind;
    if ((kind != T_QUESTION && kind != T_RECEIVE_RANDOM) || peek(p, 0).kind != T_LBRACKET) {
        check_readable(p, ref);
        return ref;
    }
    struct expr *e = expr_with(p, EXPR_POLL, ref->pos, ref);
    e->random = kind == T_RECEIVE_RANDOM;
    advance(p);
    advance(p);
    parse_receive_args(p, &e->args);
    expect(p, T_RBRACKET, "after the arguments of the poll");
    message_use(p, e->a, &e->args, MESSAGE_LOOK);
    return e;
}

static struct expr *parse_name(struct parser *p)
{
    struct token name = p->token;
    const struct mtype_constant *m = map_get(&p->mtype_constants, name.text);
    if (m) {
        struct expr *e = expr_const(p, m->value, name.pos);
        e->text = name.text;
        advance(p);
        return e;
    }
    if (map_get(&p->proctypes, name.text)) return parse_remote(p);
    return parse_after_varref(p, parse_varref(p));
}

static struct expr *parse_number(struct parser *p, int value)
{
    struct expr *e = expr_const(p, value, p->token.pos);
    advance(p);
    return e;
}

static struct expr *parse_plain(struct parser *p, enum expr_kind kind, bool *used)
{
    struct expr *e = expr_new(p, kind, p->token.pos);
    if (kind == EXPR_NONPROGRESS) check_claim_word(p, &p->token);
    *used = true;
    advance(p);
    return e;
}

static struct expr *parse_unary(struct parser *p)
{
    struct program *g = p->program;
    switch (p->token.kind) {
    case T_BANG: return parse_prefix(p, EXPR_UNARY, OP_NOT);
    case T_MINUS: return parse_prefix(p, EXPR_UNARY, OP_NEGATE);
    case T_TILDE: return parse_prefix(p, EXPR_UNARY, OP_COMPLEMENT);
    case T_ALWAYS: return parse_prefix(p, EXPR_ALWAYS, 0);
    case T_EVENTUALLY: return parse_prefix(p, EXPR_EVENTUALLY, 0);
    case T_NEXT: return parse_prefix(p, EXPR_NEXT, 0);
    case T_LPAREN: return parse_parenthesis(p);
    case T_NUMBER: return parse_number(p, p->token.value);
    case T_TRUE: case T_SKIP: return parse_number(p, 1);
    case T_FALSE: return parse_number(p, 0);
    case T_NAME: return parse_name(p);
    case T_RUN: return parse_run(p);
    case T_LEN: return parse_channel_call(p, EXPR_LEN);
    case T_FULL: return parse_channel_call(p, EXPR_FULL);
    case T_EMPTY: return parse_channel_call(p, EXPR_EMPTY);
    case T_NFULL: return parse_channel_call(p, EXPR_NFULL);
    case T_NEMPTY: return parse_channel_call(p, EXPR_NEMPTY);
    case T_ENABLED: g->uses_enabled = true; return parse_call(p, EXPR_ENABLED);
    case T_PC_VALUE: g->uses_pc_value = true; return parse_call(p, EXPR_PC_VALUE);
    case T_GET_PRIORITY: g->uses_priority = true; return parse_call(p, EXPR_GET_PRIORITY);
    case T_TIMEOUT: return parse_plain(p, EXPR_TIMEOUT, &g->uses_timeout);
    case T_NP: return parse_plain(p, EXPR_NONPROGRESS, &g->uses_np);
    case T_C_EXPR: return parse_c_expr(p);
    default:
        syntax_error(p, "an expression");
        return expr_const(p, 0, p->token.pos);
    }
}
