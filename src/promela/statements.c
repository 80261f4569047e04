/* Statements and sequences of them. */
#include "promela/frontend_int.h"

#include <string.h>

static struct stmt *parse_statement(struct parser *p);

static struct stmt *stmt_new(struct parser *p, enum stmt_kind kind, struct pos pos)
{
    struct stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = kind;
    s->pos = pos;
    return s;
}

static struct stmt *stmt_condition(struct parser *p, struct expr *e)
{
    struct stmt *s = stmt_new(p, STMT_EXPR, e->pos);
    s->a = e;
    check_condition(p, e);
    return s;
}

static struct stmt *stmt_skip(struct parser *p, struct pos pos) { return stmt_condition(p, expr_const(p, 1, pos)); }

/* After an error: to the end of the statement, without leaving the block. */
static void recover_statement(struct parser *p)
{
    int outside = p->braces;
    for (;; advance(p)) {
        enum token_kind k = p->token.kind;
        if (k == T_END || k == T_PROCTYPE || k == T_ACTIVE || k == T_INIT || k == T_NEVER || k == T_LTL) return;
        if (p->braces > outside) continue;
        if (k == T_SEMI || k == T_ARROW || k == T_SEP || k == T_FI || k == T_OD || k == T_RBRACE) break;
    }
    p->panic = false;
    p->parens = 0;
}

static bool ends_sequence(enum token_kind kind)
{
    return kind == T_RBRACE || kind == T_SEP || kind == T_FI || kind == T_OD || kind == T_END;
}

static bool at_separator(const struct parser *p) { return p->token.kind == T_SEMI || p->token.kind == T_ARROW; }

/* '{' sequence '}' */
static void parse_block(struct parser *p, stmt_list *out, const char *where)
{
    if (!expect(p, T_LBRACE, where)) return;
    p->hoist = false;
    parse_sequence(p, out);
    expect(p, T_RBRACE, "after the statements");
}

static void check_first_label(struct parser *p, const stmt_list *body, const char *where, const char *instead)
{
    const struct stmt *s = body->len ? body->at[0] : NULL;
    bool starts_with_assignment = s && s->kind >= STMT_FOR_RANGE && s->kind <= STMT_SELECT;
    if (!s || !s->labels.len || s->kind == STMT_DO || starts_with_assignment) return;
    error_at(p, s->labels.at[0]->pos, "label '%s' cannot stand at the start of %s", s->labels.at[0]->name, where);
    diag_hint(p->diags, "%s", instead);
}

static struct stmt *parse_compound(struct parser *p, enum stmt_kind kind)
{
    struct stmt *s = stmt_new(p, kind, p->token.pos);
    if (kind != STMT_BLOCK) advance(p);
    parse_block(p, &s->body, "before the statements");
    check_first_label(p, &s->body, "a block", "put the label in front of the block");
    return s;
}

/* 'd_step' '{' sequence '}'; a d_step inside of one is part of it */
static struct stmt *parse_d_step(struct parser *p)
{
    int outside = p->d_step, loops = p->d_step_loops;
    if (!outside) {
        p->d_step = ++p->d_steps;
        p->d_step_loops = p->loops;
    }
    struct stmt *s = parse_compound(p, STMT_D_STEP);
    p->d_step = outside;
    p->d_step_loops = loops;
    return s;
}

/* options: '::' sequence { '::' sequence } */
static void parse_options(struct parser *p, struct stmt *s, enum token_kind end, const char *where)
{
    advance(p);
    if (p->token.kind != T_SEP) syntax_error(p, "'::'");
    while (p->token.kind == T_SEP) {
        stmt_list option = {0};
        advance(p);
        p->hoist = false;
        parse_sequence(p, &option);
        arena_push(p->arena, &s->options, option);
    }
    expect(p, end, where);
}

/* 'if' options 'fi' */
static struct stmt *parse_if(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_IF, p->token.pos);
    parse_options(p, s, T_FI, "after the options of 'if'");
    check_else(p, s);
    return s;
}

/* 'do' options 'od' */
static struct stmt *parse_do(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_DO, p->token.pos);
    p->loops++;
    parse_options(p, s, T_OD, "after the options of 'do'");
    p->loops--;
    check_else(p, s);
    return s;
}

static struct stmt *parse_break(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_BREAK, p->token.pos);
    if (!p->loops) error_at(p, s->pos, "'break' outside of a loop");
    else if (p->d_step && p->loops == p->d_step_loops) error_at(p, s->pos, "'break' leaves the d_step that it is in");
    advance(p);
    return s;
}

static struct stmt *parse_goto(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_GOTO, p->token.pos);
    advance(p);
    struct token name = p->token;
    if (expect(p, T_NAME, "of a label after 'goto'")) goto_use(p, s, name);
    return s;
}

/* ':' expr '..' expr ')' */
static void parse_range(struct parser *p, struct stmt *s)
{
    s->a = parse_expr(p);
    expect(p, T_DOTDOT, "between the bounds");
    s->b = parse_expr(p);
    expect(p, T_RPAREN, "after the bounds");
    if (p->panic || s->a->kind != EXPR_CONST || s->b->kind != EXPR_CONST || s->a->value <= s->b->value) return;
    error_at(p, s->a->pos, "the range %d..%d is empty", s->a->value, s->b->value);
}

static void parse_in_collection(struct parser *p, struct stmt *s, struct expr *index)
{
    struct expr *over = parse_collection(p);
    const struct var *v = expr_var(over), *x = expr_var(index);
    expect(p, T_RPAREN, "after what 'for' runs over");
    if (!v || !x) return;
    if (x->type.base == TYPE_STRUCT) {
        s->kind = STMT_FOR_CHANNEL;
        s->a = over;
        s->var = make_for_counter(p, over);
        check_for_channel(p, x, over);
        return;
    }
    s->kind = STMT_FOR_ARRAY;
    s->array_ref = over->ref;
    if (!v->is_array || vec_last(&over->ref.parts).index) error_at(p, over->pos, "'%s' is not a whole array", v->name);
}

/* 'for' '(' varref ( ':' expr '..' expr | 'in' varref ) ')' [ ';' ] '{' sequence '}' */
static struct stmt *parse_for(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_FOR_RANGE, p->token.pos);
    advance(p);
    if (!expect(p, T_LPAREN, "after 'for'")) return s;
    struct expr *index = parse_collection(p);
    bool in = p->token.kind == T_NAME && !strcmp(p->token.text, "in");
    check_loop_index(p, index, in);
    s->ref = index->ref;
    if (in) {
        advance(p);
        parse_in_collection(p, s, index);
    } else if (expect(p, T_COLON, "or 'in' after the variable of 'for'")) parse_range(p, s);
    accept(p, T_SEMI);
    p->loops++;
    parse_block(p, &s->body, "before the statements of 'for'");
    p->loops--;
    return s;
}

/* Spin's lexer rewrites a select with literal bounds on one line, outside of inlines, into plain options. */
static bool select_is_literal(const struct parser *p)
{
    struct token t[7];
    for (size_t i = 0; i < ARRAY_LEN(t); i++) t[i] = peek(p, i);
    static const enum token_kind want[] = {T_LPAREN, T_NAME, T_COLON, T_NUMBER, T_DOTDOT, T_NUMBER, T_RPAREN};
    for (size_t i = 0; i < ARRAY_LEN(t); i++)
        if (t[i].kind != want[i] || (i > 0 && t[i].line_before)) return false;
    return p->streams.len == 1 && t[3].literal && t[5].literal && !strchr(t[1].text, '_');
}

/* 'select' '(' varref ':' expr '..' expr ')' */
static struct stmt *parse_select(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_SELECT, p->token.pos);
    s->select_literal = select_is_literal(p);
    advance(p);
    if (!expect(p, T_LPAREN, "after 'select'")) return s;
    struct expr *index = parse_collection(p);
    check_loop_index(p, index, false);
    s->ref = index->ref;
    if (expect(p, T_COLON, "after the variable of 'select'")) parse_range(p, s);
    return s;
}

/* 'printf' '(' STRING { ',' expr } ')' */
static struct stmt *parse_printf(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_PRINTF, p->token.pos);
    advance(p);
    expect(p, T_LPAREN, "after 'printf'");
    s->text2 = p->token.text;
    if (!expect(p, T_STRING, "as the first argument of printf")) return s;
    s->text = decode_string(p->arena, s->text2);
    while (!p->panic && accept(p, T_COMMA)) arena_push(p->arena, &s->args, parse_expr(p));
    expect(p, T_RPAREN, "after the arguments of printf");
    check_printf(p, s);
    return s;
}

/* 'printm' '(' ( varref | CONST ) ')' */
static struct stmt *parse_printm(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_PRINTM, p->token.pos);
    advance(p);
    expect(p, T_LPAREN, "after 'printm'");
    s->a = parse_expr(p);
    if (!p->panic && s->a->kind != EXPR_CONST && s->a->kind != EXPR_VAR)
        error_at(p, s->a->pos, "printm prints a variable or a constant");
    expect(p, T_RPAREN, "after the argument of printm");
    return s;
}

/* 'assert' full_expr */
static struct stmt *parse_assert(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_ASSERT, p->token.pos);
    advance(p);
    s->a = parse_full_expr(p);
    return s;
}

/* 'set_priority' '(' expr ',' expr ')' */
static struct stmt *parse_set_priority(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_SET_PRIORITY, p->token.pos);
    p->program->uses_priority = true;
    advance(p);
    expect(p, T_LPAREN, "after 'set_priority'");
    s->a = parse_expr(p);
    expect(p, T_COMMA, "after the process number");
    s->b = parse_expr(p);
    expect(p, T_RPAREN, "after the priority");
    return s;
}

/* ('c_code' | 'c_decl') [ '[' text ']' ] '{' text '}' */
static struct stmt *parse_c_code(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_C_CODE, p->token.pos);
    c_code_allowed(p);
    advance(p);
    if (p->token.kind == T_PRECONDITION) {
        s->text2 = p->token.text;
        advance(p);
    }
    s->text = p->token.text;
    expect(p, T_CODE, "after c_code");
    return s;
}

static struct stmt *parse_else(struct parser *p)
{
    struct stmt *s = stmt_new(p, STMT_ELSE, p->token.pos);
    advance(p);
    return s;
}

static struct stmt *assign(struct parser *p, struct expr *target, struct expr *value)
{
    struct stmt *s = stmt_new(p, STMT_ASSIGN, target->pos);
    s->ref = target->ref;
    s->blank_target = target->kind == EXPR_BLANK;
    s->a = value;
    check_assignment(p, target, value);
    return s;
}

/* 'return' full_expr, in an inline that was called as x = f(..) */
static struct stmt *parse_return(struct parser *p)
{
    struct token word = p->token;
    struct expr *target = vec_last(&p->streams).result;
    advance(p);
    struct expr *value = parse_full_expr(p);
    if (target) return assign(p, target, value);
    if (!p->panic) error_at(p, word.pos, "'return' outside of an inline that was called as 'x = name(..)'");
    return stmt_skip(p, word.pos);
}

static struct stmt *parse_increment(struct parser *p, struct expr *target)
{
    enum op op = p->token.kind == T_INCR ? OP_ADD : OP_SUB;
    check_readable(p, target);
    check_arithmetic(p, target);
    struct expr *value = expr_binary(p, op, target, expr_const(p, 1, p->token.pos));
    advance(p);
    return assign(p, target, value);
}

/* varref ('!' | '!!') margs */
static struct stmt *parse_send(struct parser *p, struct expr *channel)
{
    struct stmt *s = stmt_new(p, STMT_SEND, channel->pos);
    s->sorted = p->token.kind == T_SEND_SORTED;
    s->a = channel;
    advance(p);
    parse_send_args(p, &s->args);
    message_use(p, channel, &s->args, MESSAGE_SEND);
    check_no_run(p, &s->args);
    return s;
}

/* varref ('?' | '??') ( rargs | '<' rargs '>' ) */
static struct stmt *parse_receive(struct parser *p, struct expr *channel)
{
    struct stmt *s = stmt_new(p, STMT_RECEIVE, channel->pos);
    s->random = p->token.kind == T_RECEIVE_RANDOM;
    s->a = channel;
    advance(p);
    s->peek = accept(p, T_LT);
    parse_receive_args(p, &s->args);
    if (s->peek) expect(p, T_GT, "after the arguments of the receive");
    message_use(p, channel, &s->args, s->peek ? MESSAGE_LOOK : MESSAGE_RECEIVE);
    check_receive_targets(p, &s->args);
    return s;
}

/* _priority = .. is set_priority(_pid, ..), and printed as written */
static struct stmt *assign_priority(struct parser *p, struct expr *target)
{
    struct stmt *s = stmt_new(p, STMT_SET_PRIORITY, target->pos);
    s->text = "_priority";
    s->a = expr_new(p, EXPR_PID, target->pos);
    s->b = parse_full_expr(p);
    return s;
}

/* varref '=' ( full_expr | inline call ) */
static struct stmt *parse_assignment(struct parser *p, struct expr *target)
{
    advance(p);
    if (p->token.kind == T_NAME && inline_named(p, p->token.text)) return parse_inline_call(p, target);
    if (target->kind == EXPR_PRIORITY) return assign_priority(p, target);
    return assign(p, target, parse_full_expr(p));
}

/* A statement that begins with a variable. */
static struct stmt *parse_variable_statement(struct parser *p)
{
    struct expr *e = parse_varref(p);
    bool poll = peek(p, 0).kind == T_LBRACKET;
    switch (p->token.kind) {
    case T_ASSIGN: return parse_assignment(p, e);
    case T_INCR: case T_DECR: return parse_increment(p, e);
    case T_BANG: case T_SEND_SORTED: return parse_send(p, e);
    case T_QUESTION: case T_RECEIVE_RANDOM:
        if (!poll) return parse_receive(p, e);
        break;
    default: break;
    }
    return stmt_condition(p, parse_expr_after(p, e));
}

static struct stmt *parse_name_statement(struct parser *p)
{
    const char *name = p->token.text;
    if (inline_named(p, name)) return parse_inline_call(p, NULL);
    bool variable = !map_get(&p->mtype_constants, name) && !map_get(&p->proctypes, name);
    return variable ? parse_variable_statement(p) : stmt_condition(p, parse_full_expr(p));
}

static struct stmt *parse_basic(struct parser *p)
{
    switch (p->token.kind) {
    case T_NAME: return parse_name_statement(p);
    case T_IF: return parse_if(p);
    case T_DO: return parse_do(p);
    case T_FOR: return parse_for(p);
    case T_SELECT: return parse_select(p);
    case T_BREAK: return parse_break(p);
    case T_GOTO: return parse_goto(p);
    case T_ATOMIC: return parse_compound(p, STMT_ATOMIC);
    case T_D_STEP: return parse_d_step(p);
    case T_LBRACE: return parse_compound(p, STMT_BLOCK);
    case T_ELSE: return parse_else(p);
    case T_ASSERT: return parse_assert(p);
    case T_PRINTF: return parse_printf(p);
    case T_PRINTM: return parse_printm(p);
    case T_SET_PRIORITY: return parse_set_priority(p);
    case T_C_CODE: case T_C_DECL: return parse_c_code(p);
    case T_RETURN: return parse_return(p);
    default: break;
    }
    if (ends_sequence(p->token.kind) || at_separator(p)) syntax_error(p, "a statement");
    return stmt_condition(p, parse_full_expr(p));
}

static bool at_label(const struct parser *p)
{
    return p->token.kind == T_NAME && peek(p, 0).kind == T_COLON && !map_get(&p->proctypes, p->token.text);
}

/* stmnt: { NAME ':' } [ basic statement ]; a label alone stands before a skip */
static struct stmt *parse_statement(struct parser *p)
{
    VEC(struct label_mention) names = {0};
    struct pos at = p->token.pos;
    struct stmt *s;
    p->operators = 0;
    while (at_label(p)) {
        vec_push(&names, label_mention(p, p->token));
        advance(p);
        advance(p);
    }
    bool alone = names.len && (at_separator(p) || ends_sequence(p->token.kind) || p->token.kind == T_UNLESS);
    if (alone) s = stmt_skip(p, at);
    else {
        if (names.len && (starts_declaration(p) || p->token.kind == T_XR || p->token.kind == T_XS))
            error_at(p, at, "label '%s' stands before a declaration", names.at[0].symbol->name);
        int d_step = p->d_step;
        s = parse_basic(p);
        p->d_step = d_step;
    }
    for (size_t i = 0; i < names.len; i++) label_define(p, s, names.at[i]);
    vec_release(&names);
    check_place(p, s, alone);
    p->hoist = false;
    return s;
}

/* A block without label stands for its statements. */
static bool take_sequence(struct parser *p, struct stmt *s, stmt_list *out)
{
    if (s->kind == STMT_BLOCK && !s->labels.len) {
        *out = s->body;
        return true;
    }
    arena_push(p->arena, out, s);
    return false;
}

/* The block that `label: { .. } unless ..` becomes: the label belongs to the whole. */
static struct stmt *lift_label(struct parser *p, struct stmt *unless, struct stmt *labelled)
{
    struct stmt *block = stmt_new(p, STMT_BLOCK, labelled->pos);
    block->labels.at = labelled->labels.at;
    block->labels.len = block->labels.cap = labelled->labels.len;
    for (size_t i = 0; i < block->labels.len; i++) block->labels.at[i]->stmt = block;
    labelled->labels.at = NULL;
    labelled->labels.len = labelled->labels.cap = 0;
    unless->body_block = take_sequence(p, labelled, &unless->body);
    arena_push(p->arena, &block->body, unless);
    return block;
}

/* stmnt 'unless' stmnt */
static struct stmt *parse_unless(struct parser *p, struct stmt *normal)
{
    struct stmt *s = stmt_new(p, STMT_UNLESS, normal->pos);
    bool block = normal->kind == STMT_BLOCK || normal->kind == STMT_ATOMIC || normal->kind == STMT_D_STEP;
    advance(p);
    p->program->uses_unless = true;
    s->escape_block = take_sequence(p, parse_statement(p), &s->escape);
    check_first_label(p, &s->escape, "the escape of 'unless'", "one cannot jump to the guard of an escape");
    if (p->d_step) error_at(p, s->pos, "'unless' inside of d_step");
    if (normal->labels.len && block) return lift_label(p, s, normal);
    s->body_block = take_sequence(p, normal, &s->body);
    check_first_label(p, &s->body, "an 'unless' statement", "write 'label: { statement unless statement }'");
    return s;
}

/* ('xr' | 'xs') varref { ',' varref } */
static void parse_exclusive(struct parser *p)
{
    bool receive = p->token.kind == T_XR;
    advance(p);
    do {
        struct exclusive x = {.proctype = p->proctype, .receive = receive, .pos = p->token.pos};
        x.channel = parse_collection(p);
        check_exclusive(p, &x);
        arena_push(p->arena, &p->program->exclusives, x);
    } while (!p->panic && accept(p, T_COMMA));
}

/* step: one_decl | exclusive | stmnt [ 'unless' stmnt ] */
static void parse_step(struct parser *p, stmt_list *out)
{
    if (starts_declaration(p)) {
        parse_declaration(p);
        return;
    }
    if (p->token.kind == T_XR || p->token.kind == T_XS) {
        parse_exclusive(p);
        return;
    }
    struct stmt *s = parse_statement(p);
    if (p->token.kind == T_UNLESS && !p->panic) s = parse_unless(p, s);
    arena_push(p->arena, out, s);
}

/* sequence: step { (';' | '->') step } */
void parse_sequence(struct parser *p, stmt_list *out)
{
    stmt_list *outside = p->sequence;
    if (!enter(p, MIN(MAX_NESTING, p->most_brackets))) return;
    p->sequence = out;
    do {
        parse_step(p, out);
        if (p->panic) recover_statement(p);
        else if (!at_separator(p) && !ends_sequence(p->token.kind)) {
            syntax_error(p, "';'");
            recover_statement(p);
        }
        while (at_separator(p)) advance(p);
    } while (!ends_sequence(p->token.kind) && !p->panic && !p->diags->full);
    p->sequence = outside;
    leave(p);
}

/* body: '{' sequence '}' */
void parse_body(struct parser *p, struct proctype *owner)
{
    p->in_sequence = true;
    p->hoist = true;
    p->loops = 0;
    if (expect(p, T_LBRACE, "before the statements")) {
        parse_sequence(p, &owner->body);
        p->in_sequence = false;
        expect(p, T_RBRACE, "after the statements");
    }
    p->in_sequence = false;
    labels_resolve(p);
}

/* The block that an inline call became; its brackets are those of the definition. */
struct stmt *parse_expanded_inline(struct parser *p)
{
    if (p->panic) return stmt_skip(p, p->token.pos);
    struct stmt *s = parse_compound(p, STMT_BLOCK);
    s->from_inline = true;
    return s;
}
