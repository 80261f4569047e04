/* The stream of tokens that the parser reads, with Promela's implied semicolons and the text of inlines, and the errors
 * about it. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

void *arena_regrow(struct arena *arena, void *at, size_t *cap, size_t item)
{
    size_t bigger = *cap ? 2 * *cap : 4;
    assert(!at == !*cap && bigger <= SIZE_MAX / item);
    void *copy = arena_alloc(arena, bigger * item);
    if (at) memcpy(copy, at, *cap * item);
    *cap = bigger;
    return copy;
}

static bool names_variable(const struct parser *p, const char *name)
{
    return !map_get(&p->proctypes, name) && !map_get(&p->inlines, name) && !map_get(&p->typedefs, name);
}

/* A line that ends after one of these ends a statement. */
static bool ends_statement(const struct parser *p, const struct token *t)
{
    switch (t->kind) {
    case T_RBRACE: case T_RPAREN: case T_RBRACKET: case T_OD: case T_FI: case T_ELSE: case T_BREAK: case T_CODE:
    case T_NUMBER: case T_SKIP: case T_TRUE: case T_FALSE: case T_INCR: case T_DECR:
        return true;
    case T_NAME: return names_variable(p, t->text);
    default: return false;
    }
}

static bool semicolon_implied(const struct parser *p, const struct token *next)
{
    enum token_kind before = p->previous.kind;
    switch (next->kind) {
    case T_SEMI: case T_ARROW: case T_UNLESS: case T_END:
        return false;
    case T_PROCTYPE: case T_INIT: case T_NEVER: case T_SEP: case T_FI: case T_OD: case T_RBRACE: case T_COMMA:
    case T_RPAREN:
        return before == T_ELSE && next->kind != T_FI;
    default:
        break;
    }
    if (before == T_RBRACE || before == T_ELSE) return true;
    return p->in_sequence && p->parens == 0 && next->line_before && ends_statement(p, &p->previous);
}

/* The next token of the innermost stream; a finished inline is left here. */
static struct token fetch(struct parser *p)
{
    struct stream *s = &vec_last(&p->streams);
    while (s->next == s->len && s->from) {
        assert(s->from->active);
        s->from->active = false;
        (void)vec_pop(&p->streams);
        s = &vec_last(&p->streams);
    }
    assert(s->len > 0 && s->at[s->len - 1].kind == (s->from ? T_RBRACE : T_END));
    return s->next < s->len ? s->at[s->next++] : s->at[s->len - 1];
}

static void track_brackets(struct parser *p, enum token_kind left_behind)
{
    switch (left_behind) {
    case T_LPAREN: p->parens++; break;
    case T_RPAREN: p->parens--; break;
    case T_LBRACE: scope_open(p); break;
    case T_RBRACE: scope_close(p); break;
    default: break;
    }
}

/* The next token as written; for inlines, whose text is no statement yet. */
struct token raw_next(struct parser *p)
{
    p->holding = false;
    return fetch(p);
}

void advance(struct parser *p)
{
    track_brackets(p, p->token.kind);
    p->previous = p->token;
    if (p->holding) {
        p->holding = false;
        p->token = p->held;
        return;
    }
    assert(!p->holding);
    struct token next = fetch(p);
    if (semicolon_implied(p, &next)) {
        p->held = next;
        p->holding = true;
        next = (struct token){.kind = T_SEMI, .pos = next.pos};
    }
    p->token = next;
}

/* peek(p, 0) is the token after the current one, as written. */
struct token peek(const struct parser *p, size_t ahead)
{
    if (p->holding) {
        if (ahead == 0) return p->held;
        ahead--;
    }
    for (size_t i = p->streams.len; i-- > 0;) {
        const struct stream *s = &p->streams.at[i];
        if (s->next + ahead < s->len) return s->at[s->next + ahead];
        ahead -= s->len - s->next;
    }
    const struct stream *file = &p->streams.at[0];
    return file->at[file->len - 1];
}

bool accept(struct parser *p, enum token_kind kind)
{
    if (p->token.kind != kind) return false;
    advance(p);
    return true;
}

bool expect(struct parser *p, enum token_kind kind, const char *where)
{
    if (accept(p, kind)) return true;
    if (kind == T_NAME || kind == T_NUMBER || kind == T_STRING)
        syntax_error(p, arena_printf(p->arena, "a %s %s", token_spelling(kind), where));
    else syntax_error(p, arena_printf(p->arena, "'%s' %s", token_spelling(kind), where));
    return false;
}

static const char *token_text(struct parser *p, const struct token *t)
{
    switch (t->kind) {
    case T_END: return "the end of the file";
    case T_NUMBER: return arena_printf(p->arena, "%d", t->value);
    case T_STRING: return "a string";
    case T_CODE: case T_PRECONDITION: return "C code";
    case T_RBRACE: return "'}'";
    default: return arena_printf(p->arena, "'%.60s'", t->text ? t->text : token_spelling(t->kind));
    }
}

/* Where the text came through inlines, say from where the outermost one was called. */
static void hint_call(struct parser *p)
{
    if (p->streams.len < 2) return;
    const struct stream *outer = &p->streams.at[1];
    diag_hint(p->diags, "in inline '%s' called at %s:%d", outer->from->name,
              diags_file_name(p->diags, outer->call.file), outer->call.line);
}

void error_at(struct parser *p, struct pos at, const char *fmt, ...)
{
    va_list ap;
    struct str text = {0};
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    diag_error(p->diags, at, "%s", str_get(&text));
    str_release(&text);
    hint_call(p);
}

static void hint_keyword(struct parser *p)
{
    static const char *const words[] = {
#define X(token, spelling) spelling,
        KEYWORDS(X)
#undef X
    };
    const struct token *word = p->token.kind == T_NAME ? &p->token : &p->previous;
    if (word->kind != T_NAME) return;
    hint_nearest(p, word->text, words, ARRAY_LEN(words));
}

/* One message per place that went wrong: the next ones wait until recover() has found solid ground. */
void syntax_error(struct parser *p, const char *wanted)
{
    if (p->panic) return;
    p->panic = true;
    const struct token *seen = p->token.kind == T_SEMI && p->holding ? &p->held : &p->token;
    error_at(p, seen->pos, "expected %s, but found %s", wanted, token_text(p, seen));
    hint_keyword(p);
}

bool enter(struct parser *p, int most)
{
    if (++p->nesting <= most) return true;
    if (!p->panic) error_at(p, p->token.pos, "nested more than %d levels deep", most);
    p->panic = true;
    p->nesting--;
    return false;
}

void leave(struct parser *p)
{
    assert(p->nesting > 0);
    p->nesting--;
}
