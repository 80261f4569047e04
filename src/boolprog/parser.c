/* Procedures and declarations: one pass from tokens to graphs; statements are in parse_stmt.c.
 *
 * `cur` is the node where the next statement starts. Where two ways of control meet (the end of an if, the head of a
 * while) their nodes are merged rather than joined by a step, so that a structured program has no steps that the
 * source does not show. goto is a step. */
#include "boolprog/parse_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const struct bp_token *bp_peek(const struct bp_parser *s) { return &s->tokens.at[s->at]; }

bool bp_at_punct(const struct bp_parser *s, char c)
{
    return bp_peek(s)->kind == TOKEN_PUNCT && bp_peek(s)->text[0] == c;
}

bool bp_at_word(const struct bp_parser *s, const char *word)
{
    return bp_peek(s)->kind == TOKEN_NAME && !strcmp(bp_peek(s)->text, word);
}

bool bp_accept_punct(struct bp_parser *s, char c)
{
    if (!bp_at_punct(s, c)) return false;
    s->at++;
    return true;
}

bool bp_accept_word(struct bp_parser *s, const char *word)
{
    if (!bp_at_word(s, word)) return false;
    s->at++;
    return true;
}

void bp_parse_error(struct bp_parser *s, struct pos at, const char *fmt, ...)
{
    if (!s->panic) {
        struct str text = {0};
        va_list ap;
        va_start(ap, fmt);
        str_vprintf(&text, fmt, ap);
        va_end(ap);
        diag_error(s->d, at, "%s", str_get(&text));
        str_release(&text);
    }
    s->panic = true;
}

void bp_expect_punct(struct bp_parser *s, char c, const char *after)
{
    if (s->panic || bp_accept_punct(s, c)) return;
    bp_parse_error(s, bp_peek(s)->pos, "expected '%c' after %s, not '%s'", c, after, bp_peek(s)->text);
}

static const char *const keywords[] = {
    "decl", "begin", "end", "skip", "assume", "assert", "abortif", "constrain", "print", "goto", "if", "then", "elsif",
    "else", "fi", "while", "do", "od", "dead", "enforce", "return", "start_thread", "end_thread", "atomic_begin",
    "atomic_end", "void", "bool", "dfs", "schoose", "T", "F", "true", "false", NULL,
};

bool bp_is_keyword(const char *name)
{
    for (size_t i = 0; keywords[i]; i++)
        if (!strcmp(name, keywords[i])) return strcmp(name, "schoose") && strcmp(name, "T") && strcmp(name, "F") &&
                                              strcmp(name, "true") && strcmp(name, "false");
    return false;
}

bool bp_is_reserved(const char *name)
{
    return bp_is_keyword(name) || !strcmp(name, "schoose") || !strcmp(name, "T") || !strcmp(name, "F") ||
           !strcmp(name, "true") || !strcmp(name, "false");
}

static int lookup(const struct map *m, const char *name) { return (int)(intptr_t)map_get(m, name) - 1; }
static void enter(struct map *m, const char *name, int index) { map_put(m, name, (void *)(intptr_t)(index + 1)); }

static void suggest(struct bp_parser *s, const char *name)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->p->vars.len; i++)
        if (s->p->vars.at[i].proc == -1 || s->p->vars.at[i].proc == s->proc) vec_push(&names, s->p->vars.at[i].name);
    const char *near = nearest_name(name, names.at, names.len);
    if (near) diag_hint(s->d, "did you mean '%s'?", near);
    vec_release(&names);
}

int bp_find_var(struct bp_parser *s, const struct bp_token *t)
{
    int var = s->proc >= 0 ? lookup(&s->locals, t->text) : -1;
    if (var < 0) var = lookup(&s->globals, t->text);
    if (var >= 0 || s->panic) return var;
    /* not a panic: the text is well formed, the next statement starts where it should */
    diag_error(s->d, t->pos, "unknown variable '%s'", t->text);
    suggest(s, t->text);
    return -1;
}

bool bp_is_declared(const struct bp_parser *s, const char *name)
{
    return lookup(&s->locals, name) >= 0 || lookup(&s->globals, name) >= 0;
}

int bp_unwanted_var(struct bp_parser *s, size_t number, struct pos pos)
{
    const char *name = arena_printf(&s->p->arena, "{unwanted %zu}", number);
    if (bp_is_declared(s, name)) return lookup(&s->locals, name);
    int var = bp_var_new(s->p, name, s->proc, pos);
    s->p->vars.at[var].hidden = true;
    enter(&s->locals, s->p->vars.at[var].name, var);
    return var;
}

/* ---- nodes ---- */

static int resolve(struct bp_parser *s, int node)
{
    int root = node;
    while (s->alias.at[root] != root) root = s->alias.at[root];
    while (s->alias.at[node] != root) { /* shorter for the next time */
        int next = s->alias.at[node];
        s->alias.at[node] = root;
        node = next;
    }
    return root;
}

int bp_node_add(struct bp_parser *s, struct pos pos)
{
    int n = bp_node_new(s->p, s->proc, pos);
    vec_push(&s->alias, n);
    return n;
}

int bp_current(struct bp_parser *s)
{
    if (s->cur < 0) s->cur = bp_node_add(s, bp_peek(s)->pos);
    return s->cur;
}

/* From now on a and b are one node; either may be -1 (control does not get there). */
int bp_merge(struct bp_parser *s, int a, int b)
{
    if (a < 0 || b < 0) return a < 0 ? b : a;
    a = resolve(s, a), b = resolve(s, b);
    s->alias.at[MAX(a, b)] = MIN(a, b);
    return MIN(a, b);
}

/* The source text from token `first` to the one before the present, blanks squeezed. */
const char *bp_source_text(struct bp_parser *s, size_t first)
{
    struct str out = {0};
    size_t end = s->at > first ? s->tokens.at[s->at - 1].end : s->tokens.at[first].end;
    for (size_t i = s->tokens.at[first].begin; i < end; i++) {
        bool blank = isspace((unsigned char)s->text[i]);
        if (!blank) str_addc(&out, s->text[i]);
        else if (out.len && out.at[out.len - 1] != ' ') str_addc(&out, ' ');
    }
    char *text = arena_strdup(&s->p->arena, str_get(&out));
    str_release(&out);
    return text;
}

struct bp_edge *bp_edge_at(struct bp_parser *s, int edge) { return &s->p->edges.at[edge]; }

int bp_step_add(struct bp_parser *s, enum bp_kind kind, int from, int to, size_t first)
{
    int e = bp_edge_new(s->p, kind, from, to, s->tokens.at[first].pos);
    bp_edge_at(s, e)->text = bp_source_text(s, first);
    return e;
}

/* A step from the current node to a fresh one, which becomes the current one. */
int bp_advance(struct bp_parser *s, enum bp_kind kind, size_t first)
{
    int from = bp_current(s), to = bp_node_add(s, bp_peek(s)->pos);
    s->cur = to;
    return bp_step_add(s, kind, from, to, first);
}

/* ---- declarations ---- */

/* Variables for the bits of what is declared as `name`, the first of them. */
static int new_number(struct bp_parser *s, const struct bp_token *t, struct bp_number n)
{
    struct arena *a = &s->p->arena;
    n.first = (int)s->p->vars.len;
    for (int i = 0; i < n.size * n.width; i++) {
        const char *bit = n.is_int ? arena_printf(a, ".%d", i % n.width) : "";
        const char *element = n.is_array ? arena_printf(a, "[%d]", i / n.width) : "";
        int var = bp_var_new(s->p, arena_printf(a, "{%s%s%s}", t->text, element, bit), s->proc, t->pos);
        s->p->vars.at[var].number = (int)s->p->numbers.len + 1;
    }
    vec_push(&s->p->numbers, n);
    return n.first;
}

/* width: of numbers, 0: Boolean; size: of arrays, 0: none. */
static int declare(struct bp_parser *s, const struct bp_token *t, int width, int size)
{
    struct map *scope = s->proc < 0 ? &s->globals : &s->locals;
    if (lookup(scope, t->text) >= 0) {
        diag_error(s->d, t->pos, "'%s' is declared twice", t->text);
        return lookup(scope, t->text);
    }
    struct bp_number n = {t->text, 0, MAX(width, 1), MAX(size, 1), width > 0, size > 0};
    int var = width || size ? new_number(s, t, n) : bp_var_new(s->p, t->text, s->proc, t->pos);
    enter(scope, t->text, var);
    return var;
}

static const struct bp_token *parse_new_name(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    if (t->kind == TOKEN_NAME && !bp_is_reserved(t->text)) {
        s->at++;
        return t;
    }
    bp_parse_error(s, t->pos, "expected a name, not '%s'", t->text);
    return NULL;
}

/* [N] behind a name that is declared; 0: nothing. */
static int parse_array_size(struct bp_parser *s)
{
    if (!bp_accept_punct(s, '[')) return 0;
    const struct bp_token *t = bp_peek(s);
    long size = t->kind == TOKEN_NUMBER ? strtol(t->text, NULL, 10) : 0;
    if (size < 1 || size > MOST_ELEMENTS)
        bp_parse_error(s, t->pos, "expected a number of elements from 1 to %d, not '%s'", MOST_ELEMENTS, t->text);
    s->at += !s->panic;
    bp_expect_punct(s, ']', "the number of elements");
    return s->panic ? 0 : (int)size;
}

static void global_init(struct bp_parser *s, int var, int value, struct pos pos)
{
    const struct bp_expr *e = &s->p->exprs.at[value];
    if (var < 0 || s->panic) return;
    if (e->op == EXPR_CONST) s->p->vars.at[var].init = e->a;
    else if (e->op != EXPR_STAR) diag_error(s->d, pos, "the initial value of a shared variable is a constant or *");
}

/* What is declared takes a value, every element of an array the same. */
static void initial_value(struct bp_parser *s, int var, int width, bool head, size_t first)
{
    const struct bp_number *n = bp_number_of(s->p, var);
    int elements = n ? n->size : 1, bits = n ? n->width : 1;
    struct pos pos = s->tokens.at[++s->at].pos;
    struct bp_value value = bp_parse_value(s);
    if (!bp_convert(s, &value, width, pos)) return;
    int edge = s->proc >= 0 && !head ? bp_advance(s, EDGE_STEP, first) : -1;
    for (int i = 0; i < elements * bits; i++) {
        if (s->proc < 0) {
            global_init(s, var + i, value.bits[i % bits], pos);
        } else if (head) {
            vec_push(&s->head_decls, var + i);
            vec_push(&s->head_decls, value.bits[i % bits]);
        } else vec_push(&bp_edge_at(s, edge)->assigns, ((struct bp_assign){var + i, value.bits[i % bits]}));
    }
    if (s->proc < 0) s->in_range = -1; /* no constant, which was reported */
}

/* decl a, b := e; the values of several locals declared in a row at the head of a body are one step. */
void bp_parse_decl(struct bp_parser *s, bool head)
{
    size_t first = s->at++;
    int width = bp_parse_type(s);
    do {
        const struct bp_token *t = s->panic ? NULL : parse_new_name(s);
        int size = t ? parse_array_size(s) : 0;
        if (s->panic) break;
        int var = declare(s, t, width, size);
        if (bp_peek(s)->kind == TOKEN_ASSIGN) initial_value(s, var, width, head, first);
    } while (!s->panic && bp_accept_punct(s, ','));
    bp_expect_punct(s, ';', "the declaration");
}

/* ---- procedures ---- */

static int find_label(const struct bp_parser *s, const char *name)
{
    return lookup(&s->label_map, name);
}

static void unknown_label(struct bp_parser *s, const char *name, struct pos pos)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->labels.len; i++) vec_push(&names, s->labels.at[i].name);
    diag_error(s->d, pos, "no label '%s' in procedure '%s'", name, s->p->procs.at[s->proc].name);
    const char *near = nearest_name(name, names.at, names.len);
    if (near) diag_hint(s->d, "did you mean '%s'?", near);
    vec_release(&names);
}

/* Jumps get their targets, merged nodes become one, enforce joins every guard, every edge joins its node. */
static void finish_proc(struct bp_parser *s, size_t first_edge, int entry)
{
    struct bp_program *p = s->p;
    for (size_t i = 0; i < s->jumps.len; i++) {
        int label = find_label(s, s->jumps.at[i].name);
        if (label >= 0) bp_edge_at(s, s->jumps.at[i].edge)->to = s->labels.at[label].node;
        else unknown_label(s, s->jumps.at[i].name, s->jumps.at[i].pos);
    }
    for (size_t i = 0; i < s->labels.len; i++) {
        struct bp_node *n = &p->nodes.at[resolve(s, s->labels.at[i].node)];
        if (!n->labels.len) n->pos = s->labels.at[i].pos;
        vec_push(&n->labels, s->labels.at[i].name);
    }
    for (size_t i = first_edge; i < p->edges.len; i++) {
        struct bp_edge *e = &p->edges.at[i];
        if (e->kind == EDGE_SPAWN && e->spawn_label && e->target && find_label(s, e->target) < 0)
            unknown_label(s, e->target, e->pos);
        if (e->to < 0 && e->kind != EDGE_RETURN) e->to = e->from; /* a jump to nowhere, already reported */
        e->from = resolve(s, e->from);
        if (e->to >= 0) e->to = resolve(s, e->to);
        if (p->procs.at[s->proc].enforce >= 0) {
            int guard = bp_and(p, p->procs.at[s->proc].enforce, e->guard);
            p->edges.at[i].guard = guard;
        }
        vec_push(&p->nodes.at[e->from].out, (int)i);
    }
    p->procs.at[s->proc].entry = resolve(s, entry);
}

/* How many results, of which width. */
static int parse_result_count(struct bp_parser *s, int *width)
{
    *width = 0;
    if (bp_accept_word(s, "void")) return 0;
    if (!bp_at_word(s, "bool") && !bp_at_int(s)) {
        bp_parse_error(s, bp_peek(s)->pos, "expected 'decl' or a procedure ('void' or 'bool'), not '%s'",
                       bp_peek(s)->text);
        return 0;
    }
    *width = bp_parse_type(s);
    if (!bp_accept_punct(s, '<')) return 1;
    const struct bp_token *t = bp_peek(s);
    long n = t->kind == TOKEN_NUMBER ? strtol(t->text, NULL, 10) : -1;
    if (n < 0 || n > 10000) bp_parse_error(s, t->pos, "expected the number of results, not '%s'", t->text);
    s->at += !s->panic;
    bp_expect_punct(s, '>', "the number of results");
    return (int)n;
}

static void parse_param(struct bp_parser *s)
{
    int width = bp_parse_type(s);
    const struct bp_token *t = s->panic ? NULL : parse_new_name(s);
    if (!t) return;
    int var = declare(s, t, width, 0);
    for (int i = 0; i < MAX(width, 1); i++) vec_push(&s->p->procs.at[s->proc].params, var + i);
}

static bool parse_header(struct bp_parser *s)
{
    struct bp_program *p = s->p;
    bp_accept_word(s, "dfs");
    int width, results = parse_result_count(s, &width);
    const struct bp_token *t = bp_peek(s);
    if (!s->panic && (t->kind != TOKEN_NAME || bp_is_reserved(t->text)))
        bp_parse_error(s, t->pos, "expected the name of a procedure, not '%s'", t->text);
    if (s->panic) return false;
    s->at++;
    s->proc = (int)p->procs.len;
    vec_push(&p->procs,
             ((struct bp_proc){.name = t->text, .source = s->proc, .results = results * MAX(width, 1),
                               .result_width = width, .enforce = -1, .pos = t->pos}));
    if (lookup(&s->procs, t->text) >= 0) diag_error(s->d, t->pos, "procedure '%s' is defined twice", t->text);
    else enter(&s->procs, t->text, s->proc);
    bp_expect_punct(s, '(', "the procedure's name");
    if (!s->panic && !bp_accept_punct(s, ')')) {
        do parse_param(s);
        while (!s->panic && bp_accept_punct(s, ','));
        bp_expect_punct(s, ')', "the parameters");
    }
    if (!s->panic && !bp_accept_word(s, "begin"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'begin', not '%s'", bp_peek(s)->text);
    return !s->panic;
}

static void parse_head(struct bp_parser *s)
{
    size_t first = s->at;
    while (!s->panic && (bp_at_word(s, "decl") || bp_at_word(s, "enforce"))) {
        if (bp_at_word(s, "decl")) {
            bp_parse_decl(s, true);
            continue;
        }
        s->at++;
        int e = bp_parse_expr(s), both = bp_and(s->p, s->p->procs.at[s->proc].enforce, e);
        if (s->p->exprs.at[both].depth > MOST_EXPR_DEPTH)
            bp_parse_error(s, bp_peek(s)->pos, "too many conditions of 'enforce' in one procedure");
        s->p->procs.at[s->proc].enforce = both;
        if (s->in_range >= 0) bp_parse_error(s, bp_peek(s)->pos, "an index of 'enforce' must be in range by its type");
        s->in_range = -1;
        bp_expect_punct(s, ';', "the condition");
    }
    if (s->panic) bp_recover(s);
    if (!s->head_decls.len) return;
    int in_range = bp_check_indices(s, bp_current(s), first), edge = bp_advance(s, EDGE_STEP, first);
    bp_edge_at(s, edge)->guard = in_range;
    struct str text = {0};
    for (size_t i = 0; i < s->head_decls.len; i += 2) {
        vec_push(&bp_edge_at(s, edge)->assigns, ((struct bp_assign){s->head_decls.at[i], s->head_decls.at[i + 1]}));
        const struct bp_number *n = bp_number_of(s->p, s->head_decls.at[i]);
        if (n && n->first != s->head_decls.at[i]) continue;
        const char *name = n ? n->name : s->p->vars.at[s->head_decls.at[i]].name;
        str_printf(&text, "%s%s", i ? ", " : "initial values of ", name);
    }
    bp_edge_at(s, edge)->text = arena_strdup(&s->p->arena, str_get(&text));
    str_release(&text);
}

/* Falling off the end is a return; results that were not given are arbitrary. */
static void implicit_return(struct bp_parser *s)
{
    int e = bp_step_add(s, EDGE_RETURN, s->cur, -1, s->at);
    bp_edge_at(s, e)->text = "return";
    for (int i = 0; i < s->p->procs.at[s->proc].results; i++) {
        int star = bp_expr_new(s->p, EXPR_STAR, 0, 0, 0);
        vec_push(&bp_edge_at(s, e)->values, star);
    }
}

static void parse_proc(struct bp_parser *s)
{
    size_t first_edge = s->p->edges.len;
    if (!parse_header(s)) return;
    int entry = s->cur = bp_node_add(s, bp_peek(s)->pos);
    parse_head(s);
    bp_parse_statements(s, (const char *const[]){"end", NULL});
    if (s->cur >= 0) implicit_return(s);
    if (!s->panic && !bp_accept_word(s, "end"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'end' of procedure '%s', not '%s'", s->p->procs.at[s->proc].name,
                       bp_peek(s)->text);
    finish_proc(s, first_edge, entry);
    bp_accept_punct(s, ';');
}

/* After an error outside of procedures: on to what looks like the start of one. */
static void recover_top(struct bp_parser *s)
{
    s->panic = false;
    while (bp_peek(s)->kind != TOKEN_END && !bp_at_word(s, "void") && !bp_at_word(s, "bool") &&
           !bp_at_word(s, "decl") && !bp_at_int(s))
        s->at++;
}

enum limit boolprog_parse_procs(struct bp_program *p, const char *text, const struct limits *limits, struct diags *d)
{
    struct bp_parser s = {.p = p, .text = text, .d = d, .proc = -1, .cur = -1, .in_range = -1, .limits = limits};
    s.cut = boolprog_lex(text, diags_file(d, p->file), limits, &p->arena, d, &s.tokens);
    bp_read_signatures(&s);
    while (bp_peek(&s)->kind != TOKEN_END && !d->full && !s.cut) {
        size_t before = s.at;
        s.proc = s.cur = s.in_range = -1;
        s.depth = 0;
        map_release(&s.locals);
        map_release(&s.label_map);
        s.locals = s.label_map = (struct map){0};
        vec_clear(&s.labels);
        vec_clear(&s.jumps);
        vec_clear(&s.head_decls);
        if (bp_at_word(&s, "decl")) bp_parse_decl(&s, true);
        else parse_proc(&s);
        if (s.panic) recover_top(&s);
        if (s.at == before) s.at++;
    }
    map_release(&s.globals);
    map_release(&s.locals);
    map_release(&s.procs);
    bp_signatures_release(&s);
    vec_release(&s.tokens);
    map_release(&s.label_map);
    vec_release(&s.labels);
    vec_release(&s.jumps);
    vec_release(&s.alias);
    vec_release(&s.head_decls);
    return s.cut;
}
