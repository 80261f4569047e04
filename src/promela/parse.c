/* The units of a program, and the way from text to a program. */
#include "promela/frontend_int.h"

#include "base/stack.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static bool starts_unit(enum token_kind kind)
{
    switch (kind) {
    case T_PROCTYPE: case T_D_PROCTYPE: case T_ACTIVE: case T_INIT: case T_NEVER: case T_TRACE: case T_NOTRACE:
    case T_TYPEDEF: case T_INLINE: case T_LTL: case T_END:
        return true;
    default:
        return false;
    }
}

/* Text of an inline never holds a unit: an error in it ends all calls. */
static void leave_inlines(struct parser *p)
{
    if (p->streams.len == 1) return;
    for (; p->streams.len > 1; (void)vec_pop(&p->streams)) vec_last(&p->streams).from->active = false;
    assert(p->streams.len == 1 && !p->streams.at[0].from);
    p->holding = false;
    p->token = (struct token){.kind = T_SEMI};
    advance(p);
}

/* Skips to the next unit. */
static void recover_unit(struct parser *p)
{
    leave_inlines(p);
    while (!starts_unit(p->token.kind)) {
        bool over = p->token.kind == T_SEMI && p->braces == 0;
        advance(p);
        if (over) break;
    }
    p->panic = false;
}

static struct proctype *proctype_new(struct parser *p, enum proctype_kind kind, const char *name, struct pos pos)
{
    struct proctype *t = arena_alloc(p->arena, sizeof *t);
    *t = (struct proctype){.kind = kind, .name = name, .pos = pos, .index = (int)p->program->proctypes.len};
    arena_push(p->arena, &p->program->units, ((struct unit){UNIT_PROCTYPE, p->program->proctypes.len, 0, 0}));
    arena_push(p->arena, &p->program->proctypes, t);
    p->proctype = t;
    return t;
}

/* Opt_priority: [ 'priority' CONST ] */
int parse_priority(struct parser *p)
{
    if (!accept(p, T_PRIORITY)) return 0;
    int value = p->token.value;
    struct pos at = p->token.pos;
    if (!expect(p, T_NUMBER, "after 'priority'")) return 0;
    if (value < 1 || value > 255) error_at(p, at, "a priority is a number from 1 to 255, not %d", value);
    p->program->uses_priority = true;
    return value;
}

/* Opt_enabler: [ 'provided' '(' full_expr ')' ] */
static void parse_provided(struct parser *p, struct proctype *t)
{
    if (!accept(p, T_PROVIDED)) return;
    if (!expect(p, T_LPAREN, "after 'provided'")) return;
    t->provided = parse_full_expr(p);
    check_provided(p, t->provided);
    expect(p, T_RPAREN, "after the condition of 'provided'");
    p->program->uses_provided = true;
}

/* inst: [ 'active' [ '[' const_expr ']' ] ] */
static int parse_active(struct parser *p)
{
    if (!accept(p, T_ACTIVE)) return 0;
    if (!accept(p, T_LBRACKET)) return 1;
    struct pos at = p->token.pos;
    int count = parse_active_count(p);
    expect(p, T_RBRACKET, "after the number of active processes");
    if (count > 255) error_at(p, at, "at most 255 processes can be active, not %d", count);
    return count;
}

/* proc: inst ('proctype' | 'D_proctype') NAME '(' [ decl_lst ] ')' Opt_priority Opt_enabler body */
static void parse_proctype(struct parser *p)
{
    int active = parse_active(p);
    bool deterministic = p->token.kind == T_D_PROCTYPE;
    if (!accept(p, T_D_PROCTYPE) && !expect(p, T_PROCTYPE, "after 'active'")) return;
    struct token name = p->token;
    if (!expect(p, T_NAME, "for the proctype")) return;
    struct proctype *t = proctype_new(p, PROC_PROCTYPE, name.text, name.pos);
    t->deterministic = deterministic;
    t->active = active;
    if (map_get(&p->proctypes, name.text)) error_at(p, name.pos, "proctype '%s' is declared twice", name.text);
    else map_put(&p->proctypes, name.text, t);
    parse_parameters(p, t);
    t->priority = parse_priority(p);
    parse_provided(p, t);
    parse_body(p, t);
}

/* init: 'init' Opt_priority body */
static void parse_init(struct parser *p)
{
    struct proctype *t = proctype_new(p, PROC_INIT, "init", p->token.pos);
    if (p->seen_init) error_at(p, t->pos, "a program has one init");
    p->seen_init = true;
    advance(p);
    t->active = 1;
    t->priority = parse_priority(p);
    parse_body(p, t);
}

/* Never claims and formulas are chosen by name. */
static void claim_name(struct parser *p, const char *name, struct pos at)
{
    if (map_get(&p->claim_names, name)) error_at(p, at, "claim '%s' is defined twice", name);
    map_put(&p->claim_names, name, p);
}

/* claim: 'never' [ NAME ] body */
static void parse_never(struct parser *p)
{
    struct pos at = p->token.pos;
    advance(p);
    const char *name = arena_printf(p->arena, "never_%d", p->claims++);
    if (p->token.kind == T_NAME) {
        name = p->token.text;
        advance(p);
    }
    claim_name(p, name, at);
    parse_body(p, proctype_new(p, PROC_NEVER, name, at));
}

/* events: ('trace' | 'notrace') body */
static void parse_trace(struct parser *p)
{
    bool no = p->token.kind == T_NOTRACE;
    struct proctype *t = proctype_new(p, no ? PROC_NOTRACE : PROC_TRACE, no ? "notrace" : "trace", p->token.pos);
    if (p->seen_trace) error_at(p, t->pos, "a program has one trace or notrace assertion");
    p->seen_trace = true;
    advance(p);
    parse_body(p, t);
}

/* Formulas may name what is declared after them, so they are read last. */
static void defer_ltl(struct parser *p)
{
    struct stream *file = &p->streams.at[0];
    assert(p->streams.len == 1 && !p->holding);
    vec_push(&p->deferred, file->next);
    advance(p);
    if (p->token.kind == T_NAME) advance(p);
    if (p->token.kind != T_LBRACE) {
        syntax_error(p, "'{' after 'ltl'");
        return;
    }
    int outside = p->braces;
    do advance(p);
    while (p->braces > outside && p->token.kind != T_END);
}

/* ltl: 'ltl' [ NAME ] '{' full_expr [ ';' ] '}' */
static void parse_ltl(struct parser *p, size_t start)
{
    struct stream *file = &p->streams.at[0];
    assert(start > 0 && start < file->len && file->at[start - 1].kind == T_LTL && p->streams.len == 1);
    struct ltl *f = arena_alloc(p->arena, sizeof *f);
    file->next = start;
    p->holding = false;
    p->token = (struct token){.kind = T_SEMI};
    advance(p);
    f->pos = file->at[start - 1].pos;
    f->name = p->token.kind == T_NAME ? p->token.text : arena_printf(p->arena, "ltl_%d", p->formulas++);
    accept(p, T_NAME);
    if (!expect(p, T_LBRACE, "after 'ltl'")) return;
    p->in_ltl = true;
    f->formula = parse_full_expr(p);
    p->in_ltl = false;
    accept(p, T_SEMI);
    f->text = p->token.text;
    expect(p, T_RBRACE, "after the formula");
    p->panic = false;
    claim_name(p, f->name, f->pos);
    arena_push(p->arena, &p->program->ltl, f);
}

bool c_code_allowed(struct parser *p)
{
    p->program->uses_c_code = true;
    if (!p->options || !p->options->no_c_code) return true;
    error_at(p, p->token.pos, "'%s' %s", p->token.text, p->options->no_c_code);
    return false;
}

static void add_c_unit(struct parser *p, struct c_unit u)
{
    arena_push(p->arena, &p->program->units, ((struct unit){UNIT_C, p->program->c_units.len, 0, 0}));
    arena_push(p->arena, &p->program->c_units, u);
}

/* ccode: ('c_code' | 'c_decl') [ '[' text ']' ] '{' text '}' */
static void parse_c_fragment(struct parser *p)
{
    struct c_unit u = {.kind = p->token.kind == T_C_DECL ? C_UNIT_DECL : C_UNIT_CODE, .pos = p->token.pos};
    c_code_allowed(p);
    advance(p);
    accept(p, T_PRECONDITION);
    u.text = p->token.text;
    if (expect(p, T_CODE, "after c_code or c_decl")) add_c_unit(p, u);
}

static const char *parse_string(struct parser *p, const char *where)
{
    const char *text = p->token.text;
    return expect(p, T_STRING, where) ? text : "";
}

/* cstate: ('c_state' | 'c_track') STRING STRING [ STRING ] */
static void parse_c_state(struct parser *p)
{
    struct c_unit u = {.kind = p->token.kind == T_C_STATE ? C_UNIT_STATE : C_UNIT_TRACK, .pos = p->token.pos};
    c_code_allowed(p);
    advance(p);
    u.text = parse_string(p, "after c_state or c_track");
    u.scope = parse_string(p, "as the second part of c_state or c_track");
    if (p->token.kind == T_STRING) u.init = parse_string(p, "");
    add_c_unit(p, u);
}

static void parse_unit(struct parser *p)
{
    scope_reset(p);
    p->proctype = NULL;
    p->hoist = true;
    p->in_sequence = false;
    switch (p->token.kind) {
    case T_SEMI: case T_ARROW: advance(p); break;
    case T_ACTIVE: case T_PROCTYPE: case T_D_PROCTYPE: parse_proctype(p); break;
    case T_INIT: parse_init(p); break;
    case T_NEVER: parse_never(p); break;
    case T_TRACE: case T_NOTRACE: parse_trace(p); break;
    case T_LTL: defer_ltl(p); break;
    case T_TYPEDEF: parse_typedef(p); break;
    case T_INLINE: parse_inline_definition(p); break;
    case T_C_CODE: case T_C_DECL: parse_c_fragment(p); break;
    case T_C_STATE: case T_C_TRACK: parse_c_state(p); break;
    default:
        if (starts_declaration(p)) parse_declaration(p);
        else syntax_error(p, "a declaration, a proctype or another unit of a program");
    }
}

static void parse_units(struct parser *p)
{
    while (p->token.kind != T_END && !p->diags->full) {
        leave_inlines(p);
        parse_unit(p);
        if (p->panic) recover_unit(p);
    }
    p->proctype = NULL;
    for (size_t i = 0; i < p->deferred.len && !p->diags->full; i++) parse_ltl(p, p->deferred.at[i]);
}

static void parser_release(struct parser *p)
{
    vec_release(&p->streams);
    map_release(&p->labels);
    map_release(&p->remote_labels);
    map_release(&p->remote_vars);
    map_release(&p->field_index);
    map_release(&p->receivers);
    map_release(&p->senders);
    vec_release(&p->messages);
    vec_release(&p->gotos);
    vec_release(&p->remote_uses);
    vec_release(&p->run_uses);
    vec_release(&p->deferred);
    map_release(&p->symbols);
    map_release(&p->unknown);
    map_release(&p->claim_names);
    map_release(&p->proctypes);
    map_release(&p->typedefs);
    map_release(&p->inlines);
    map_release(&p->mtype_constants);
    map_release(&p->mtype_sets);
}

static void parse_program(struct program *program, const struct promela_options *options, struct diags *diags)
{
    token_list tokens = {0};
    struct parser p = {.program = program, .arena = &program->arena, .diags = diags, .options = options};
    p.most_brackets = (int)MIN(stack_size() / STACK_PER_LEVEL, (size_t)MAX_BRACKETS);
    p.most_operators = (int)MIN(stack_size() / STACK_PER_OPERATOR, (size_t)MAX_OPERATORS);
    lex(program->path, program->preprocessed, p.arena, diags, &tokens);
    struct scope global = {.open = true};
    p.scope = p.global_scope = &global;
    vec_push(&p.streams, ((struct stream){.at = tokens.at, .len = tokens.len}));
    p.token = (struct token){.kind = T_SEMI};
    advance(&p);
    parse_units(&p);
    if (!p.diags->errors) check_runnable(&p);
    messages_check(&p);
    references_resolve(&p);
    assert(diags->errors || (!p.nesting && !p.panic && !p.gotos.len && p.streams.len == 1));
    parser_release(&p);
    vec_release(&tokens);
}

static struct program *parse_preprocessed(const char *path, char *text, const struct promela_options *options,
                                          struct diags *diags)
{
    struct program *program = xcalloc(1, sizeof *program);
    program->path = arena_strdup(&program->arena, path);
    program->preprocessed = text;
    int errors = diags->errors;
    parse_program(program, options, diags);
    if (CHECKS_EVERYTHING && diags->errors == errors) assert_program(program);
    if (diags->errors == errors) return program;
    promela_free(program);
    return NULL;
}

/* A zero byte would end the text early; no text has one. */
static bool check_text(const char *path, const char *text, size_t len, struct diags *diags)
{
    const char *zero = memchr(text, 0, len);
    if (!zero) return true;
    struct pos at = {diags_file(diags, path), 1, 0};
    for (const char *c = text; c < zero; c++) at.line += *c == '\n';
    diag_error(diags, at, "this is not text: it has a zero byte");
    return false;
}

/* A bracket too many or too few would be noticed only outside of the formula. */
static bool brackets_match(const char *formula, int file, struct diags *diags)
{
    VEC(size_t) open = {0};
    bool good = true;
    for (size_t i = 0; formula[i] && good; i++) {
        char c = formula[i], before = open.len ? formula[vec_last(&open)] : 0;
        bool closes = c == ')' || c == ']' || c == '}';
        if (c == '(' || c == '[' || c == '{') vec_push(&open, i);
        else if (closes && before == (c == ')' ? '(' : c == ']' ? '[' : '{')) open.len--;
        else if (closes) {
            diag_error(diags, (struct pos){file, 1, (int)i + 1}, "this '%c' closes nothing", c);
            good = false;
        }
    }
    if (good && open.len) {
        size_t last = vec_last(&open);
        diag_error(diags, (struct pos){file, 1, (int)last + 1}, "this '%c' is not closed", formula[last]);
        good = false;
    }
    vec_release(&open);
    return good;
}

/* Behind the text, so that the model's macros and names are known in it; messages show the formula alone. */
static bool add_formula(struct str *text, size_t number, const char *formula, struct diags *diags)
{
    const char *name = arena_printf(&diags->arena, "formula_%zu", number + 1);
    int file = diags_file(diags, name);
    diags_file_text(diags, file, formula);
    str_printf(text, "\nltl %s {\n# 1 \"%s\"\n%s\n}\n", name, name, formula);
    return brackets_match(formula, file, diags);
}

struct program *promela_parse_text(const char *path, const char *text, size_t len,
                                   const struct promela_options *options, struct diags *diags)
{
    if (!check_text(path, text, len, diags)) return NULL;
    struct str whole = {0};
    bool good = true;
    str_addn(&whole, text, len);
    for (size_t i = 0; options && i < options->formula_count; i++)
        good &= add_formula(&whole, i, options->formulas[i], diags);
    char *ready = good ? preprocess(path, str_get(&whole), whole.len, options, diags) : NULL;
    str_release(&whole);
    return ready ? parse_preprocessed(path, ready, options, diags) : NULL;
}

struct program *promela_parse(const char *path, const struct promela_options *options, struct diags *diags)
{
    size_t len;
    char *text = read_file(path, &len);
    if (!text) {
        diag_error(diags, (struct pos){diags_file(diags, path), 0, 0}, "cannot read: %m");
        return NULL;
    }
    struct program *program = promela_parse_text(path, text, len, options, diags);
    free(text);
    return program;
}

void promela_free(struct program *p)
{
    if (!p) return;
    free(p->preprocessed);
    arena_release(&p->arena);
    free(p);
}
