/* Tokens of Boolean programs. Keywords are names; the parser knows them. */
#include "boolprog/parse_int.h"

#include <ctype.h>
#include <string.h>

struct bp_lexer {
    const char *text;
    size_t at, line_start;
    int file, line;
    struct arena *arena;
    struct diags *d;
};

static struct pos here(const struct bp_lexer *l, size_t at)
{
    return (struct pos){l->file, l->line, (int)(at - l->line_start) + 1};
}

static void newline(struct bp_lexer *l)
{
    l->line++;
    l->line_start = l->at + 1;
}

static void skip_comment(struct bp_lexer *l)
{
    struct pos start = here(l, l->at);
    for (l->at += 2; l->text[l->at] && !(l->text[l->at] == '*' && l->text[l->at + 1] == '/'); l->at++)
        if (l->text[l->at] == '\n') newline(l);
    if (l->text[l->at]) l->at += 2;
    else diag_error(l->d, start, "comment without an end");
}

static void skip_blanks(struct bp_lexer *l)
{
    for (;;) {
        char c = l->text[l->at];
        if (c == '\n') {
            newline(l);
            l->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            l->at++;
        } else if (c == '/' && l->text[l->at + 1] == '/') {
            while (l->text[l->at] && l->text[l->at] != '\n') l->at++;
        } else if (c == '/' && l->text[l->at + 1] == '*') {
            skip_comment(l);
        } else {
            return;
        }
    }
}

static bool name_start(char c) { return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '#'; }
static bool name_part(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '#' || c == '\''; }

/* {x==0}: a name as predicate abstraction prints it; braces inside must match. */
static bool quoted_name(struct bp_lexer *l)
{
    size_t at = l->at;
    int depth = 0;
    do {
        if (!l->text[at] || l->text[at] == '\n') return false;
        depth += (l->text[at] == '{') - (l->text[at] == '}');
        at++;
    } while (depth);
    l->at = at;
    return true;
}

static enum token_kind operator_kind(const char *s, size_t *len)
{
    static const struct { const char *text; enum token_kind kind; } table[] = {
        {":=", TOKEN_ASSIGN}, {"=>", TOKEN_IMPLIES}, {"==", TOKEN_EQ}, {"!=", TOKEN_NE}, {"&&", TOKEN_AND},
        {"||", TOKEN_OR}, {"<=", TOKEN_LE}, {">=", TOKEN_GE}, {"=", TOKEN_EQ}, {"&", TOKEN_AND}, {"|", TOKEN_OR},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (!strncmp(s, table[i].text, strlen(table[i].text))) {
            *len = strlen(table[i].text);
            return table[i].kind;
        }
    *len = 1;
    return TOKEN_PUNCT;
}

static bool next_token(struct bp_lexer *l, struct bp_token *t)
{
    char c = l->text[l->at];
    size_t begin = l->at, len = 0;
    *t = (struct bp_token){.pos = here(l, begin), .begin = begin};
    if (name_start(c)) {
        while (name_part(l->text[l->at])) l->at++;
        t->kind = TOKEN_NAME;
    } else if (isdigit((unsigned char)c)) {
        while (isdigit((unsigned char)l->text[l->at])) l->at++;
        t->kind = TOKEN_NUMBER;
    } else if (c == '{' && quoted_name(l)) {
        t->kind = TOKEN_NAME;
    } else if (strchr(":=!&|~^()[]<>,;?*'+-", c)) {
        t->kind = operator_kind(l->text + l->at, &len);
        l->at += len;
    } else {
        l->at++;
        if (isprint((unsigned char)c)) diag_error(l->d, t->pos, "unknown character '%c'", c);
        else diag_error(l->d, t->pos, "unknown byte 0x%02x", (unsigned char)c);
        return false;
    }
    t->end = l->at;
    t->text = arena_strndup(l->arena, l->text + begin, l->at - begin);
    return true;
}

enum limit boolprog_lex(const char *text, int file, const struct limits *limits, struct arena *arena, struct diags *d,
                        token_list *out)
{
    enum limit cut = LIMIT_NONE;
    struct bp_lexer l = {.text = text, .file = file, .line = 1, .arena = arena, .d = d};
    for (skip_blanks(&l); l.text[l.at] && !cut; skip_blanks(&l)) {
        struct bp_token t;
        if (out->len % 4096 == 0) cut = limits_reached_memory(limits);
        if (next_token(&l, &t)) vec_push(out, t);
    }
    vec_push(out, ((struct bp_token){
                      .kind = TOKEN_END, .pos = here(&l, l.at), .text = "end of file", .begin = l.at, .end = l.at}));
    return cut;
}
