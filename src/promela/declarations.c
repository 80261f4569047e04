/* Declarations of variables, typedefs and mtypes.
 *
 * At the head of a proctype (and outside of proctypes) a declaration only makes a variable; anywhere else Spin turns it
 * into a statement as well, which sets the variable each time it is passed. */
#include "promela/frontend_int.h"

#include <limits.h>
#include <string.h>

static bool type_of_keyword(enum token_kind kind, enum base_type *type)
{
    switch (kind) {
    case T_BIT: *type = TYPE_BIT; return true;
    case T_BOOL: *type = TYPE_BOOL; return true;
    case T_BYTE: *type = TYPE_BYTE; return true;
    case T_PID: *type = TYPE_PID; return true;
    case T_SHORT: *type = TYPE_SHORT; return true;
    case T_INT: *type = TYPE_INT; return true;
    case T_UNSIGNED: *type = TYPE_UNSIGNED; return true;
    case T_MTYPE: *type = TYPE_MTYPE; return true;
    case T_CHAN: *type = TYPE_CHAN; return true;
    default: return false;
    }
}

bool starts_declaration(const struct parser *p)
{
    enum base_type ignored;
    enum token_kind kind = p->token.kind;
    if (kind == T_HIDDEN || kind == T_SHOW || kind == T_LOCAL || type_of_keyword(kind, &ignored)) return true;
    return kind == T_NAME && map_get(&p->typedefs, p->token.text);
}

static int parse_const_primary(struct parser *p)
{
    const struct mtype_constant *m = p->token.kind == T_NAME ? map_get(&p->mtype_constants, p->token.text) : NULL;
    int value = m ? m->value : p->token.value;
    if (p->token.kind == T_NUMBER || m) {
        advance(p);
        return value;
    }
    if (accept(p, T_TRUE) || accept(p, T_SKIP)) return 1;
    if (accept(p, T_FALSE)) return 0;
    if (p->token.kind == T_MINUS || p->token.kind == T_LPAREN) {
        if (!enter(p, p->most_brackets)) return 1;
        bool negative = accept(p, T_MINUS);
        if (negative) value = (int)-(int64_t)parse_const_primary(p);
        else {
            advance(p);
            value = parse_const_expr(p);
            expect(p, T_RPAREN, "after the constant expression");
        }
        leave(p);
        return value;
    }
    syntax_error(p, "a constant");
    return 1;
}

static int fold(struct parser *p, enum token_kind op, int64_t a, int64_t b, struct pos at)
{
    switch (op) {
    case T_PLUS: return (int)(a + b);
    case T_MINUS: return (int)(a - b);
    case T_STAR: return (int)(a * b);
    default:
        if (b == 0) {
            error_at(p, at, "division by zero in a constant expression");
            return 1;
        }
        return (int)(op == T_SLASH ? a / b : a % b);
    }
}

static int parse_const_product(struct parser *p)
{
    int value = parse_const_primary(p);
    while (p->token.kind == T_STAR || p->token.kind == T_SLASH || p->token.kind == T_PERCENT) {
        struct token op = p->token;
        advance(p);
        value = fold(p, op.kind, value, parse_const_primary(p), op.pos);
    }
    return value;
}

/* const_expr: constants with unary - and + - * / %, in parentheses or not */
int parse_const_expr(struct parser *p)
{
    int value = parse_const_product(p);
    while (p->token.kind == T_PLUS || p->token.kind == T_MINUS) {
        struct token op = p->token;
        advance(p);
        value = fold(p, op.kind, value, parse_const_product(p), op.pos);
    }
    return value;
}

/* A variable as the size of an array or number of processes: its initial value counts. */
static int parse_variable_bound(struct parser *p, int otherwise)
{
    struct token name = p->token;
    struct symbol *s = symbol_find(p, name.text);
    advance(p);
    if (!s || !s->var) {
        error_at(p, name.pos, "undeclared variable '%s' as a bound", name.text);
        hint_name(p, name.text);
        return 1;
    }
    int value = s->var->init && s->var->init->kind == EXPR_CONST ? s->var->init->value : 0;
    if (value <= 0) value = otherwise;
    diag_warning(p->diags, name.pos, "variable '%s' as a bound is taken as %d", name.text, value);
    return value;
}

static bool at_variable_bound(const struct parser *p)
{
    return p->token.kind == T_NAME && peek(p, 0).kind == T_RBRACKET && !map_get(&p->mtype_constants, p->token.text);
}

/* Spin counts 8 elements where the variable has no initial value above 0. */
static int parse_array_bound(struct parser *p)
{
    if (at_variable_bound(p)) return parse_variable_bound(p, 8);
    return parse_const_expr(p);
}

int parse_active_count(struct parser *p)
{
    if (at_variable_bound(p)) return parse_variable_bound(p, 0);
    return parse_const_expr(p);
}

static void parse_array_length(struct parser *p, struct var *v)
{
    struct pos at = p->token.pos;
    v->is_array = true;
    v->length = parse_array_bound(p);
    expect(p, T_RBRACKET, "after the size of the array");
    if (v->length > 0 && v->length <= MAX_ELEMENTS) return;
    if (!p->panic) error_at(p, at, "array '%s' has size %d; it must be from 1 to %d", v->name, v->length, MAX_ELEMENTS);
    v->length = 1;
}

static void parse_width(struct parser *p, struct var *v)
{
    struct token width = p->token;
    if (!expect(p, T_NUMBER, "of bits after ':'")) return;
    if (v->type.base != TYPE_UNSIGNED) error_at(p, width.pos, "only an unsigned variable has a width in bits");
    else if (width.value < 1 || width.value > 31)
        error_at(p, width.pos, "'%s' has a width of %d bits; it must be from 1 to 31", v->name, width.value);
    v->type.bits = width.value;
}

/* basetype: TYPE [ ':' NAME ] | typedef name */
static bool parse_field_type(struct parser *p, struct type *t)
{
    struct token name = p->token;
    struct user_type *user = name.kind == T_NAME ? map_get(&p->typedefs, name.text) : NULL;
    if (user) *t = (struct type){.base = TYPE_STRUCT, .user = user};
    else if (!type_of_keyword(name.kind, &t->base)) {
        syntax_error(p, "a type of a message field");
        return false;
    }
    advance(p);
    if (t->base == TYPE_UNSIGNED) error_at(p, name.pos, "unsigned cannot be the type of a message field");
    if (p->token.kind == T_COLON) {
        advance(p);
        t->mtype_set = p->token.text;
        if (t->base != TYPE_MTYPE) error_at(p, name.pos, "only mtype has named sets");
        expect(p, T_NAME, "of an mtype set after ':'");
    }
    return true;
}

/* ch_init: '[' const_expr ']' 'of' '{' basetype { ',' basetype } '}' */
static struct channel_type *parse_channel_type(struct parser *p)
{
    struct channel_type *c = arena_alloc(p->arena, sizeof *c);
    c->pos = p->token.pos;
    advance(p);
    c->capacity = parse_const_expr(p);
    expect(p, T_RBRACKET, "after the capacity of the channel");
    if (c->capacity < 0 || c->capacity > MAX_CAPACITY)
        error_at(p, c->pos, "a channel holds from 0 to %d messages, not %d", MAX_CAPACITY, c->capacity);
    if (!expect(p, T_OF, "after the capacity of the channel")) return c;
    expect(p, T_LBRACE, "before the types of a message");
    do {
        struct type t = {0};
        if (!parse_field_type(p, &t)) return c;
        arena_push(p->arena, &c->fields, t);
    } while (accept(p, T_COMMA));
    expect(p, T_RBRACE, "after the types of a message");
    channel_declared(p, c);
    return c;
}

/* '{' c_list '}' */
static void parse_array_init(struct parser *p, struct var *v)
{
    struct pos at = p->token.pos;
    advance(p);
    if (!p->hoist) error_at(p, at, "only at the start of its proctype can array '%s' have a list of values", v->name);
    if (!v->is_array) error_at(p, at, "'%s' is no array and cannot have a list of values", v->name);
    do {
        struct pos value = p->token.pos;
        arena_push(p->arena, &v->array_init, expr_const(p, parse_const_primary(p), value));
    } while (accept(p, T_COMMA) && !p->panic);
    expect(p, T_RBRACE, "after the values of the array");
    if (v->is_array && (int)v->array_init.len > v->length)
        error_at(p, at, "%zu values for the %d elements of '%s'", v->array_init.len, v->length, v->name);
}

static void parse_initializer(struct parser *p, struct var *v)
{
    if (v->is_parameter) error_at(p, p->token.pos, "parameter '%s' cannot have an initial value", v->name);
    if (p->token.kind == T_LBRACE) parse_array_init(p, v);
    else if (p->token.kind == T_LBRACKET) {
        v->channel = parse_channel_type(p);
        if (v->type.base != TYPE_CHAN) error_at(p, v->pos, "'%s' is not a chan and cannot have a channel", v->name);
        else if (!p->hoist)
            error_at(p, v->pos, "only at the start of its proctype can '%s' be given a channel", v->name);
    } else {
        v->init = parse_expr(p);
        check_initializer(p, v);
        if (v->type.base == TYPE_STRUCT) v->init = NULL; /* said above: it counts for nothing */
    }
}

/* A field of a typedef, a global or a local; complains if the name is taken. */
static void var_register(struct parser *p, struct var *v)
{
    var_list *list = p->user_type ? &p->user_type->fields : p->proctype ? &p->proctype->vars : &p->program->globals;
    v->index = (int)list->len;
    arena_push(p->arena, list, v);
    if (list == &p->program->globals)
        arena_push(p->arena, &p->program->units, ((struct unit){UNIT_VAR, (size_t)v->index, 0, 0}));
    if (p->user_type) {
        const char *key = arena_printf(p->arena, "%s.%s", p->user_type->name, v->name);
        if (map_get(&p->field_index, key)) error_at(p, v->pos, "field '%s' is declared twice", v->name);
        map_put(&p->field_index, key, v);
        return;
    }
    v->owner = p->proctype;
    v->scope = p->scope->depth > 1 ? p->scope->number : 0;
    v->c_name = v->scope ? scoped_name(p, "", v->name) : v->name;
    struct symbol *s = symbol_find(p, v->name);
    if (s) {
        error_at(p, v->pos, "'%s' is already declared as a %s that is visible here", v->name,
                 s->is_label ? "label" : "variable");
        if (s->var)
            diag_hint(p->diags, "see %s:%d; in Promela no name hides another",
                      diags_file_name(p->diags, s->var->pos.file), s->var->pos.line);
        return;
    }
    symbol_make(p, v->name)->var = v;
    if (!p->proctype) return;
    const char *key = arena_printf(p->arena, "%d:%s", p->proctype->index, v->name);
    if (!map_get(&p->remote_vars, key)) map_put(&p->remote_vars, key, v);
}

static void check_name_free(struct parser *p, struct token name)
{
    const char *what = map_get(&p->typedefs, name.text)          ? "a typedef"
                       : map_get(&p->proctypes, name.text)       ? "a proctype"
                       : map_get(&p->inlines, name.text)         ? "an inline"
                       : map_get(&p->mtype_constants, name.text) ? "an mtype constant"
                       : is_predefined(name.text)                ? "predefined"
                                                                 : NULL;
    if (what) error_at(p, name.pos, "'%s' cannot be declared as a variable: it is %s", name.text, what);
}

static int64_t elements_of(const struct var *v)
{
    return v->type.base == TYPE_STRUCT ? v->length * ((const struct typedef_entry *)v->type.user)->elements : v->length;
}

static void check_size(struct parser *p, struct var *v)
{
    if (elements_of(v) <= MAX_ELEMENTS) return;
    if (!p->panic) error_at(p, v->pos, "'%s' has more than %d elements", v->name, MAX_ELEMENTS);
    v->length = 1;
}

/* The statement that Spin makes of a declaration after the first statement. */
static void add_declaration_statement(struct parser *p, struct var *v)
{
    v->hoisted = p->hoist;
    if (p->hoist || !p->sequence || v->is_parameter) return;
    struct stmt *s = arena_alloc(p->arena, sizeof *s);
    s->kind = STMT_DECL;
    s->pos = v->pos;
    s->var = v;
    arena_push(p->arena, p->sequence, s);
}

/* ivar: NAME [ ':' CONST | '[' const_expr ']' ] [ '=' ( expr | '{' c_list '}' | ch_init ) ] */
static bool parse_variable(struct parser *p, const struct var *common)
{
    struct var *v = arena_alloc(p->arena, sizeof *v);
    *v = *common;
    v->name = p->token.text;
    v->pos = p->token.pos;
    v->length = 1;
    if (p->token.kind == T_NAME) check_name_free(p, p->token);
    if (!expect(p, T_NAME, "to declare")) return false;
    var_register(p, v);
    if (accept(p, T_COLON)) parse_width(p, v);
    else if (accept(p, T_LBRACKET)) parse_array_length(p, v);
    if (v->type.base == TYPE_UNSIGNED && !v->type.bits) {
        if (!p->panic) error_at(p, v->pos, "unsigned '%s' needs a width, as in 'unsigned %s : 3'", v->name, v->name);
        v->type.bits = 16;
    }
    check_variable(p, v);
    check_size(p, v);
    if (accept(p, T_ASSIGN)) parse_initializer(p, v);
    add_declaration_statement(p, v);
    return true;
}

static struct mtype_set *mtype_set_named(struct parser *p, const char *name)
{
    struct mtype_set *set = map_get(&p->mtype_sets, name);
    if (set) return set;
    struct mtype_entry *entry = arena_alloc(p->arena, sizeof *entry);
    set = &entry->set;
    set->name = name;
    entry->index = p->program->mtypes.len;
    map_put(&p->mtype_sets, name, set);
    arena_push(p->arena, &p->program->mtypes, set);
    return set;
}

static void mtype_add(struct parser *p, struct mtype_set *set, struct token name)
{
    if (map_get(&p->mtype_constants, name.text)) {
        error_at(p, name.pos, "mtype constant '%s' is declared twice", name.text);
        return;
    }
    check_name_free(p, name);
    struct symbol *s = symbol_find(p, name.text);
    if (s) error_at(p, name.pos, "'%s' is already declared as a variable", name.text);
    if (set->names.len == 255) error_at(p, name.pos, "an mtype set has at most 255 constants");
    struct mtype_constant *m = arena_alloc(p->arena, sizeof *m);
    arena_push(p->arena, &set->names, name.text);
    arena_push(p->arena, &set->values, (int)set->names.len);
    *m = (struct mtype_constant){set, (int)set->names.len};
    map_put(&p->mtype_constants, name.text, m);
}

/* 'mtype' [ ':' NAME ] [ '=' ] '{' NAME { [ ',' ] NAME } '}'; the values are numbered in the order written */
static void parse_mtype_set(struct parser *p, const char *name)
{
    struct mtype_set *set = mtype_set_named(p, name ? name : "_unnamed_");
    if (p->proctype) error_at(p, p->token.pos, "mtype constants must be declared outside of proctypes");
    accept(p, T_ASSIGN);
    if (!expect(p, T_LBRACE, "before the constants of the mtype")) return;
    VEC(struct token) names = {0};
    while (p->token.kind == T_NAME) {
        vec_push(&names, p->token);
        advance(p);
        while (accept(p, T_COMMA)) {}
    }
    if (!names.len) syntax_error(p, "a name of a constant");
    expect(p, T_RBRACE, "after the constants of the mtype");
    struct unit u = {UNIT_MTYPE, ((struct mtype_entry *)set)->index, set->names.len, 0};
    for (size_t i = names.len; i-- > 0;) mtype_add(p, set, names.at[i]);
    u.count = set->names.len - u.first;
    if (u.count) arena_push(p->arena, &p->program->units, u);
    vec_release(&names);
}

static void parse_visibility(struct parser *p, struct var *common)
{
    if (accept(p, T_HIDDEN)) common->hidden = true;
    else if (accept(p, T_SHOW)) common->show = true;
    else if (accept(p, T_LOCAL)) common->local = true;
}

/* TYPE [ ':' NAME ] | typedef name; false if it turned out to be the declaration of mtype constants */
static bool parse_type(struct parser *p, struct var *common)
{
    struct token type = p->token;
    struct user_type *user = type.kind == T_NAME ? map_get(&p->typedefs, type.text) : NULL;
    if (user) common->type = (struct type){.base = TYPE_STRUCT, .user = user};
    else if (!type_of_keyword(type.kind, &common->type.base)) {
        syntax_error(p, "a type");
        return false;
    }
    advance(p);
    if (accept(p, T_COLON)) {
        common->type.mtype_set = p->token.text;
        if (!expect(p, T_NAME, "of an mtype set after ':'")) return false;
        if (type.kind != T_MTYPE) error_at(p, type.pos, "only mtype has named sets");
    }
    if (type.kind != T_MTYPE || (p->token.kind != T_ASSIGN && p->token.kind != T_LBRACE)) return true;
    parse_mtype_set(p, common->type.mtype_set);
    return false;
}

/* one_decl: [ 'hidden' | 'show' | 'local' ] type ivar { ',' ivar } */
void parse_declaration(struct parser *p)
{
    struct var common = {.is_parameter = p->in_parameters};
    parse_visibility(p, &common);
    if (!parse_type(p, &common)) return;
    while (parse_variable(p, &common) && accept(p, T_COMMA)) {}
}

/* '(' [ one_decl { ';' one_decl } ] ')' */
void parse_parameters(struct parser *p, struct proctype *t)
{
    scope_open_parameters(p);
    if (!expect(p, T_LPAREN, "after the name of the proctype")) return;
    p->in_parameters = true;
    while (!p->panic && p->token.kind != T_RPAREN) {
        parse_declaration(p);
        if (!accept(p, T_SEMI)) break;
    }
    p->in_parameters = false;
    expect(p, T_RPAREN, "after the parameters");
    t->parameter_count = (int)t->vars.len;
}

static void summarise_typedef(struct parser *p, struct typedef_entry *t)
{
    t->depth = 1;
    for (size_t i = 0; i < t->type.fields.len; i++) {
        const struct var *f = t->type.fields.at[i];
        const struct typedef_entry *inner = f->type.base == TYPE_STRUCT ? (struct typedef_entry *)f->type.user : NULL;
        t->elements = MIN(t->elements + elements_of(f), (int64_t)MAX_ELEMENTS + 1);
        t->has_array |= f->is_array || (inner && inner->has_array);
        t->has_channel |= f->type.base == TYPE_CHAN || (inner && inner->has_channel);
        if (inner) t->depth = MAX(t->depth, inner->depth + 1);
    }
    if (t->elements > MAX_ELEMENTS)
        error_at(p, t->type.pos, "typedef '%s' has more than %d elements", t->type.name, MAX_ELEMENTS);
    if (t->depth > MAX_TYPEDEF_DEPTH)
        error_at(p, t->type.pos, "typedefs nested more than %d levels deep", MAX_TYPEDEF_DEPTH);
}

/* utype: 'typedef' NAME '{' one_decl { ';' one_decl } '}' */
void parse_typedef(struct parser *p)
{
    advance(p);
    struct token name = p->token;
    if (name.kind == T_NAME) check_name_free(p, name);
    if (!expect(p, T_NAME, "for the typedef")) return;
    struct typedef_entry *entry = arena_alloc(p->arena, sizeof *entry);
    struct user_type *t = &entry->type;
    *t = (struct user_type){.name = name.text, .pos = name.pos};
    p->user_type = t;
    p->in_sequence = true;
    if (expect(p, T_LBRACE, "after the name of the typedef"))
        while (starts_declaration(p)) {
            parse_declaration(p);
            if (!accept(p, T_SEMI)) break;
        }
    p->in_sequence = false;
    p->user_type = NULL;
    summarise_typedef(p, entry);
    if (!t->fields.len) syntax_error(p, "a field of the typedef");
    expect(p, T_RBRACE, "after the fields of the typedef");
    arena_push(p->arena, &p->program->units, ((struct unit){UNIT_TYPEDEF, p->program->user_types.len, 0, 0}));
    arena_push(p->arena, &p->program->user_types, t);
    map_put(&p->typedefs, t->name, t);
}

/* The hidden counter of `for (x in channel)`. */
struct var *make_for_counter(struct parser *p, const struct expr *channel)
{
    const struct var *c = expr_var(channel);
    struct var *v = arena_alloc(p->arena, sizeof *v);
    bool wide = c && c->channel && c->channel->capacity > 255;
    *v = (struct var){.length = 1, .is_for_counter = true, .pos = channel->pos};
    v->type.base = wide ? TYPE_SHORT : TYPE_BYTE;
    v->name = scoped_name(p, "_f0r_t3mp", "");
    struct symbol *s = symbol_find(p, v->name);
    if (s) return s->var;
    var_register(p, v);
    return v;
}
