/* Types, and what procedures take and give: read before everything else, because a call may come before its callee and
 * the type of a number as an argument is that of the parameter. Whatever does not look right is passed over: the parser
 * proper reports it. */
#include "boolprog/parse_int.h"

#include <stdlib.h>
#include <string.h>

static bool is_punct(const struct bp_token *t, char c) { return t->kind == TOKEN_PUNCT && t->text[0] == c; }
static bool is_word(const struct bp_token *t, const char *w) { return t->kind == TOKEN_NAME && !strcmp(t->text, w); }

bool bp_at_int(const struct bp_parser *s) { return bp_at_word(s, "int") && is_punct(bp_peek(s) + 1, '('); }

int bp_parse_type(struct bp_parser *s)
{
    if (!bp_at_int(s)) {
        bp_accept_word(s, "bool");
        return 0;
    }
    s->at += 2;
    const struct bp_token *t = bp_peek(s);
    long width = t->kind == TOKEN_NUMBER ? strtol(t->text, NULL, 10) : 0;
    if (width < 1 || width > MOST_WIDTH)
        bp_parse_error(s, t->pos, "expected a number of bits from 1 to %d, not '%s'", MOST_WIDTH, t->text);
    s->at += !s->panic;
    bp_expect_punct(s, ')', "the number of bits");
    return s->panic ? 0 : (int)width;
}

/* bool, int(N) or nothing; the token behind it. */
static const struct bp_token *skip_type(const struct bp_token *t, int *width)
{
    *width = 0;
    if (is_word(t, "bool")) return t + 1;
    if (!is_word(t, "int") || !is_punct(t + 1, '(') || t[2].kind != TOKEN_NUMBER || !is_punct(t + 3, ')')) return t;
    *width = (int)strtol(t[2].text, NULL, 10);
    return t + 4;
}

static bool read_params(const struct bp_token *t, struct bp_signature *x)
{
    if (is_punct(t, ')')) return is_word(t + 1, "begin");
    for (;;) {
        int width;
        t = skip_type(t, &width);
        if (t->kind != TOKEN_NAME) return false;
        vec_push(&x->params, width);
        t++;
        if (is_punct(t, ')')) return is_word(t + 1, "begin");
        if (!is_punct(t, ',')) return false;
        t++;
    }
}

/* A procedure whose header starts here: its name, NULL: there is none. */
static const struct bp_token *read_header(const struct bp_token *t, struct bp_signature *x)
{
    const struct bp_token *name = skip_type(t, &x->result_width);
    x->results = name > t;
    if (is_word(t, "void")) name = t + 1;
    else if (name == t) return NULL;
    if (is_punct(name, '<') && name[1].kind == TOKEN_NUMBER && is_punct(name + 2, '>')) {
        x->results = (int)strtol(name[1].text, NULL, 10);
        name += 3;
    }
    return name->kind == TOKEN_NAME && is_punct(name + 1, '(') && read_params(name + 2, x) ? name : NULL;
}

void bp_read_signatures(struct bp_parser *s)
{
    for (size_t i = 0; i + 3 < s->tokens.len; i++) {
        struct bp_signature x = {0};
        const struct bp_token *t = &s->tokens.at[i], *name = t->kind == TOKEN_NAME ? read_header(t, &x) : NULL;
        if (!name || map_get(&s->signature_map, name->text)) {
            vec_release(&x.params);
            continue;
        }
        vec_push(&s->signatures, x);
        map_put(&s->signature_map, name->text, (void *)(intptr_t)s->signatures.len);
    }
}

const struct bp_signature *bp_signature_of(const struct bp_parser *s, const char *name)
{
    intptr_t index = (intptr_t)map_get(&s->signature_map, name);
    return index ? &s->signatures.at[index - 1] : NULL;
}

void bp_signatures_release(struct bp_parser *s)
{
    for (size_t i = 0; i < s->signatures.len; i++) vec_release(&s->signatures.at[i].params);
    vec_release(&s->signatures);
    map_release(&s->signature_map);
}
