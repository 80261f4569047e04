/* Promela text -> tokens with positions. Line markers of the preprocessor set the file and line; C code in braces is
 * one token; the operators of formulas are recognised only between the braces of an ltl block. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(T_GT <= UINT8_MAX, "the kind of a token is a byte");

struct lexer {
    const char *at, *line_start;
    int file, line;
    bool line_before;
    const char *formula;        /* start of the formula of the ltl block */
    int ltl_braces;             /* 0: outside; 1: after the word ltl; n + 1: inside n braces */
    struct map names;           /* interned spellings */
    struct map keywords;        /* spelling -> token kind */
    struct arena *arena;
    struct diags *diags;
    token_list *out;
};

static const struct { const char *spelling; enum token_kind kind; } keywords[] = {
#define X(token, spelling) {spelling, T_##token},
    KEYWORDS(X)
#undef X
};

static const struct { const char *spelling; enum token_kind kind; } signs[] = {
#define X(token, spelling) {spelling, T_##token},
    SIGNS(X)
#undef X
};

static const struct { const char *spelling; enum token_kind kind; } formula_words[] = {
    {"U", T_UNTIL}, {"V", T_RELEASE}, {"W", T_WEAK_UNTIL}, {"X", T_NEXT}, {"always", T_ALWAYS},
    {"eventually", T_EVENTUALLY}, {"until", T_UNTIL}, {"stronguntil", T_UNTIL}, {"weakuntil", T_WEAK_UNTIL},
    {"release", T_RELEASE}, {"next", T_NEXT}, {"implies", T_IMPLIES}, {"equivalent", T_EQUIVALENT},
};

static const struct { const char *spelling; enum token_kind kind; } formula_signs[] = {
    {"[]", T_ALWAYS}, {"<>", T_EVENTUALLY}, {"<->", T_EQUIVALENT}, {"->", T_IMPLIES},
};

const char *token_spelling(enum token_kind kind)
{
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        if (keywords[i].kind == kind) return keywords[i].spelling;
    for (size_t i = 0; i < ARRAY_LEN(signs); i++)
        if (signs[i].kind == kind) return signs[i].spelling;
    switch (kind) {
    case T_NAME: return "name";
    case T_NUMBER: return "number";
    case T_STRING: return "string";
    case T_END: return "end of file";
    default: return "operator of a formula";
    }
}

static struct pos here(const struct lexer *x)
{
    return (struct pos){x->file, x->line, (int)(x->at - x->line_start) + 1};
}

static void newline(struct lexer *x)
{
    x->at++;
    x->line++;
    x->line_start = x->at;
}

static struct token *add(struct lexer *x, enum token_kind kind, struct pos pos)
{
    struct token t = {.kind = kind, .pos = pos, .line_before = x->line_before};
    x->line_before = false;
    vec_push(x->out, t);
    return &vec_last(x->out);
}

static const char *intern(struct lexer *x, const char *start, size_t len)
{
    char small[128];
    char *key = len < sizeof small ? memcpy(small, start, len) : arena_strndup(x->arena, start, len);
    if (key == small) small[len] = 0;
    const char *known = map_get(&x->names, key);
    if (known) return known;
    char *copy = key == small ? arena_strndup(x->arena, start, len) : key;
    map_put(&x->names, copy, copy);
    return copy;
}

/* # 12 "file" flags */
static void lex_line_marker(struct lexer *x)
{
    char *end;
    const char *p = x->at + 1;
    if (!strncmp(p, "line", 4)) p += 4;
    while (*p == ' ' || *p == '\t') p++;
    long line = strtol(p, &end, 10);
    bool odd = end == p || line < 0 || line > INT_MAX - 1 || !strchr(" \t\r\n", *end);
    if (odd) {
        if (strncmp(p, "ident", 5) && strncmp(p, "pragma", 6))
            diag_error(x->diags, here(x), "malformed preprocessor line");
        x->at += strcspn(x->at, "\n");
        return;
    }
    while (*end == ' ' || *end == '\t') end++;
    if (*end == '"') {
        struct str name = {0};
        for (end++; *end && *end != '"' && *end != '\n'; end++) {
            if (*end == '\\' && end[1] && end[1] != '\n') end++;
            str_addc(&name, *end);
        }
        x->file = diags_file(x->diags, str_get(&name));
        str_release(&name);
    }
    x->at += strcspn(x->at, "\n");
    x->line = (int)line - 1;
}

static void lex_comment(struct lexer *x)
{
    struct pos start = here(x);
    for (x->at += 2; *x->at && strncmp(x->at, "*/", 2);) {
        if (*x->at == '\n') {
            newline(x);
            x->line_before = true;
        } else x->at++;
    }
    if (*x->at) x->at += 2;
    else diag_error(x->diags, start, "this comment is not closed");
}

/* Spin reads over the end of a comment that never began. */
static bool at_stray_end(const struct lexer *x)
{
    return !strncmp(x->at, "*/", 2) && x->at[2] != '*' && x->at[2] != '/';
}

static void lex_stray_end(struct lexer *x)
{
    diag_warning(x->diags, here(x), "this '*/' closes no comment");
    x->at += 2;
}

static char unescape(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'f': return '\f';
    case 'a': return '\a';
    case 'b': return '\b';
    case 'v': return '\v';
    default: return c;
    }
}

/* "text" as written between the quotes: what the escapes mean is the business of printf. */
static void lex_string(struct lexer *x)
{
    struct pos start = here(x);
    const char *from = ++x->at;
    while (*x->at && *x->at != '"' && *x->at != '\n') x->at += *x->at == '\\' && x->at[1] && x->at[1] != '\n' ? 2 : 1;
    if (*x->at != '"') diag_error(x->diags, start, "this string is not closed");
    add(x, T_STRING, start)->text = arena_strndup(x->arena, from, (size_t)(x->at - from));
    if (*x->at == '"') x->at++;
}

static void lex_char(struct lexer *x)
{
    struct pos start = here(x);
    char c = *++x->at;
    if (c == '\\' && x->at[1] && x->at[1] != '\n') c = unescape(*++x->at);
    if (!*x->at || *x->at == '\n' || x->at[1] != '\'') {
        diag_error(x->diags, start, "this character constant is not closed");
        return;
    }
    x->at += 2;
    add(x, T_NUMBER, start)->value = c;
}

static void lex_number(struct lexer *x)
{
    struct pos start = here(x);
    char *end;
    errno = 0;
    long value = strtol(x->at, &end, 10);
    if (errno || value > INT_MAX)
        diag_warning(x->diags, start, "this number is out of range and read as %d", (int)value);
    struct token *t = add(x, T_NUMBER, start);
    t->value = (int)value;
    t->literal = true;
    x->at = end;
}

/* \#include is for the compiler of the code, not for the preprocessor of the model. */
static void drop_backslash(struct lexer *x)
{
    const char *p = x->at + strspn(x->at, " \t");
    if (p[0] == '\\' && p[1] == '#') x->at = p + 1;
}

/* Appends one character of C code and moves on; a line marker inside the code is dropped. */
static void copy_code_char(struct lexer *x, struct str *code)
{
    bool line_end = *x->at == '\n';
    str_addc(code, *x->at);
    if (!line_end) {
        x->at++;
        return;
    }
    newline(x);
    while (*x->at == '#' && (x->at[1] == ' ' || !strncmp(x->at, "#line", 5))) {
        lex_line_marker(x);
        if (*x->at) newline(x);
    }
    drop_backslash(x);
}

static void copy_code_quoted(struct lexer *x, struct str *code, char quote)
{
    copy_code_char(x, code);
    while (*x->at && *x->at != quote && *x->at != '\n') {
        if (*x->at == '\\' && x->at[1]) copy_code_char(x, code);
        copy_code_char(x, code);
    }
    if (*x->at == quote) copy_code_char(x, code);
}

static void copy_code_comment(struct lexer *x, struct str *code)
{
    if (x->at[1] == '/') {
        while (*x->at && *x->at != '\n') copy_code_char(x, code);
        return;
    }
    copy_code_char(x, code);
    do copy_code_char(x, code);
    while (*x->at && strncmp(x->at, "*/", 2));
    for (int i = 0; i < 2 && *x->at; i++) copy_code_char(x, code);
}

/* The text between an opening bracket and the one that closes it. */
static void lex_code(struct lexer *x, enum token_kind kind, char open, char close)
{
    struct pos start = here(x);
    struct str code = {0};
    x->at++;
    drop_backslash(x);
    for (int depth = 1; *x->at;) {
        if (*x->at == '"' || *x->at == '\'') {
            copy_code_quoted(x, &code, *x->at);
            continue;
        }
        if (*x->at == '/' && (x->at[1] == '*' || x->at[1] == '/')) {
            copy_code_comment(x, &code);
            continue;
        }
        if (*x->at == open) depth++;
        if (*x->at == close && --depth == 0) break;
        copy_code_char(x, &code);
    }
    if (*x->at) x->at++;
    else diag_error(x->diags, start, "this '%c' is not closed", open);
    add(x, kind, start)->text = arena_strdup(x->arena, str_get(&code));
    str_release(&code);
}

static void skip_blanks(struct lexer *x)
{
    while (*x->at && strchr(" \t\r\f\v\n", *x->at)) {
        if (*x->at == '\n') newline(x);
        else x->at++;
    }
}

static void lex_code_block(struct lexer *x)
{
    skip_blanks(x);
    if (*x->at == '[') lex_code(x, T_PRECONDITION, '[', ']');
    skip_blanks(x);
    if (*x->at == '{') lex_code(x, T_CODE, '{', '}');
}

/* What a C compiler makes of the escapes in a string. */
char *decode_string(struct arena *arena, const char *written)
{
    char *out = arena_alloc(arena, strlen(written) + 1), *o = out;
    for (const char *s = written; *s; s++) {
        if (*s != '\\' || !s[1]) *o++ = *s;
        else if (*++s >= '0' && *s <= '7') {
            int value = 0, digits = 0;
            for (; digits < 3 && *s >= '0' && *s <= '7'; digits++) value = 8 * value + *s++ - '0';
            if (value) *o++ = (char)value;
            s--;
        } else *o++ = unescape(*s);
    }
    return out;
}

static enum token_kind formula_word(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(formula_words); i++)
        if (!strcmp(formula_words[i].spelling, name)) return formula_words[i].kind;
    return T_NAME;
}

static void lex_word(struct lexer *x)
{
    struct pos start = here(x);
    const char *from = x->at;
    while (isalnum((unsigned char)*x->at) || *x->at == '_') x->at++;
    const char *name = intern(x, from, (size_t)(x->at - from));
    enum token_kind kind = T_NAME;
    if (x->ltl_braces > 1) kind = formula_word(name);
    uintptr_t keyword = (uintptr_t)map_get(&x->keywords, name);
    if (kind == T_NAME && keyword) kind = (enum token_kind)keyword;
    add(x, kind, start)->text = name;
    if (kind == T_LTL) x->ltl_braces = 1;
    if (kind == T_C_CODE || kind == T_C_EXPR || kind == T_C_DECL) lex_code_block(x);
}

/* Text without line markers and without white space at its ends. */
static const char *clean_formula(struct lexer *x, const char *from, const char *to)
{
    struct str text = {0};
    for (const char *line = from; line < to;) {
        const char *end = memchr(line, '\n', (size_t)(to - line));
        end = end ? end + 1 : to;
        if (*line != '#') str_addn(&text, line, (size_t)(end - line));
        line = end;
    }
    const char *start = str_get(&text) + strspn(str_get(&text), " \t\r\n");
    size_t len = strlen(start);
    while (len && isspace((unsigned char)start[len - 1])) len--;
    const char *copy = arena_strndup(x->arena, start, len);
    str_release(&text);
    return copy;
}

/* Keeps track of where an ltl block ends; its last brace carries the text of the formula. */
static void follow_ltl_braces(struct lexer *x, struct token *t)
{
    if (!x->ltl_braces) return;
    if (t->kind == T_LBRACE && x->ltl_braces++ == 1) x->formula = x->at;
    if (t->kind != T_RBRACE || --x->ltl_braces > 1) return;
    if (x->formula) t->text = clean_formula(x, x->formula, x->at - 1);
    x->formula = NULL;
    x->ltl_braces = 0;
}

/* Spin reads --> as ->, outside of formulas. */
static bool lex_long_arrow(struct lexer *x)
{
    if (x->ltl_braces > 1 || strncmp(x->at, "-->", 3)) return false;
    add(x, T_ARROW, here(x));
    x->at += 3;
    return true;
}

static bool lex_sign(struct lexer *x)
{
    struct pos start = here(x);
    if (lex_long_arrow(x)) return true;
    for (size_t i = 0; x->ltl_braces > 1 && i < ARRAY_LEN(formula_signs); i++) {
        size_t len = strlen(formula_signs[i].spelling);
        if (strncmp(x->at, formula_signs[i].spelling, len)) continue;
        x->at += len;
        add(x, formula_signs[i].kind, start);
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        if (*x->at != signs[i].spelling[0]) continue;
        size_t len = strlen(signs[i].spelling);
        if (strncmp(x->at, signs[i].spelling, len)) continue;
        x->at += len;
        follow_ltl_braces(x, add(x, signs[i].kind, start));
        return true;
    }
    return false;
}

static void lex_stray(struct lexer *x)
{
    unsigned char c = (unsigned char)*x->at;
    if (isprint(c)) diag_error(x->diags, here(x), "'%c' has no meaning here", c);
    else diag_error(x->diags, here(x), "byte %d (hexadecimal %02x) has no meaning here", c, c);
    while ((unsigned char)*x->at >= 0x80) x->at++;
    if (c < 0x80) x->at++;
}

static bool at_line_start(const struct lexer *x)
{
    return x->line_start + strspn(x->line_start, " \t") == x->at;
}

static void lex_one(struct lexer *x)
{
    char c = *x->at;
    if (c == '\n') {
        newline(x);
        x->line_before = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') x->at++;
    else if (c == '#' && at_line_start(x)) lex_line_marker(x);
    else if (!strncmp(x->at, "/*", 2)) lex_comment(x);
    else if (at_stray_end(x)) lex_stray_end(x);
    else if (!strncmp(x->at, "//", 2)) x->at += strcspn(x->at, "\n");
    else if (c == '"') lex_string(x);
    else if (c == '\'') lex_char(x);
    else if (isdigit((unsigned char)c)) lex_number(x);
    else if (isalpha((unsigned char)c) || c == '_') lex_word(x);
    else if (!lex_sign(x)) lex_stray(x);
}

void lex(const char *path, const char *text, struct arena *arena, struct diags *diags, token_list *out)
{
    struct lexer x = {.at = text, .line_start = text, .file = diags_file(diags, path), .line = 1, .arena = arena,
                      .diags = diags, .out = out};
    for (size_t i = 0; i < ARRAY_LEN(keywords); i++)
        map_put(&x.keywords, keywords[i].spelling, (void *)(uintptr_t)keywords[i].kind);
    while (*x.at && !diags->full) {
        const char *before = x.at;
        lex_one(&x);
        assert(x.at > before); /* or it would never end */
    }
    assert(diags->full || x.at == text + strlen(text));
    if (diags->full) vec_clear(out);
    x.line_before = true;
    add(&x, T_END, here(&x));
    map_release(&x.names);
    map_release(&x.keywords);
}
