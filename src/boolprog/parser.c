/* Statements and procedures: one pass from tokens to graphs.
 *
 * `cur` is the node where the next statement starts. Where two ways of control meet (the end of an if, the head of a
 * while) their nodes are merged rather than joined by a step, so that a structured program has no steps that the
 * source does not show. goto is a step. */
#include "boolprog/parse.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void parse_statements(struct parser *s, const char *const *ends);

const struct token *bp_peek(const struct parser *s) { return &s->tokens.at[s->at]; }

bool bp_at_punct(const struct parser *s, char c) { return bp_peek(s)->kind == TOKEN_PUNCT && bp_peek(s)->text[0] == c; }
bool bp_at_word(const struct parser *s, const char *word)
{
    return bp_peek(s)->kind == TOKEN_NAME && !strcmp(bp_peek(s)->text, word);
}

bool bp_accept_punct(struct parser *s, char c)
{
    if (!bp_at_punct(s, c)) return false;
    s->at++;
    return true;
}

bool bp_accept_word(struct parser *s, const char *word)
{
    if (!bp_at_word(s, word)) return false;
    s->at++;
    return true;
}

void bp_parse_error(struct parser *s, struct pos at, const char *fmt, ...)
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

void bp_expect_punct(struct parser *s, char c, const char *after)
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

static bool is_reserved(const char *name)
{
    return bp_is_keyword(name) || !strcmp(name, "schoose") || !strcmp(name, "T") || !strcmp(name, "F") ||
           !strcmp(name, "true") || !strcmp(name, "false");
}

static int lookup(const struct map *m, const char *name) { return (int)(intptr_t)map_get(m, name) - 1; }
static void enter(struct map *m, const char *name, int index) { map_put(m, name, (void *)(intptr_t)(index + 1)); }

static void suggest(struct parser *s, const char *name)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->p->vars.len; i++)
        if (s->p->vars.at[i].proc == -1 || s->p->vars.at[i].proc == s->proc) vec_push(&names, s->p->vars.at[i].name);
    const char *near = nearest_name(name, names.at, names.len);
    if (near) diag_hint(s->d, "did you mean '%s'?", near);
    vec_release(&names);
}

int bp_find_var(struct parser *s, const struct token *t)
{
    int var = s->proc >= 0 ? lookup(&s->locals, t->text) : -1;
    if (var < 0) var = lookup(&s->globals, t->text);
    if (var >= 0 || s->panic) return var;
    /* not a panic: the text is well formed, the next statement starts where it should */
    diag_error(s->d, t->pos, "unknown variable '%s'", t->text);
    suggest(s, t->text);
    return -1;
}

/* ---- nodes ---- */

static int resolve(struct parser *s, int node)
{
    while (s->alias.at[node] != node) node = s->alias.at[node];
    return node;
}

static int new_node(struct parser *s, struct pos pos)
{
    int n = bp_node_new(s->p, s->proc, pos);
    vec_push(&s->alias, n);
    return n;
}

static int current(struct parser *s)
{
    if (s->cur < 0) s->cur = new_node(s, bp_peek(s)->pos);
    return s->cur;
}

/* From now on a and b are one node; either may be -1 (control does not get there). */
static int merge(struct parser *s, int a, int b)
{
    if (a < 0 || b < 0) return a < 0 ? b : a;
    a = resolve(s, a), b = resolve(s, b);
    s->alias.at[MAX(a, b)] = MIN(a, b);
    return MIN(a, b);
}

/* The source text from token `first` to the one before the present, blanks squeezed. */
static const char *source_text(struct parser *s, size_t first)
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

static struct bp_edge *edge_at(struct parser *s, int edge) { return &s->p->edges.at[edge]; }

static int step(struct parser *s, enum bp_kind kind, int from, int to, size_t first)
{
    int e = bp_edge_new(s->p, kind, from, to, s->tokens.at[first].pos);
    edge_at(s, e)->text = source_text(s, first);
    return e;
}

/* A step from the current node to a fresh one, which becomes the current one. */
static int advance(struct parser *s, enum bp_kind kind, size_t first)
{
    int from = current(s), to = new_node(s, bp_peek(s)->pos);
    s->cur = to;
    return step(s, kind, from, to, first);
}

/* ---- declarations ---- */

static int declare(struct parser *s, const struct token *t)
{
    struct map *scope = s->proc < 0 ? &s->globals : &s->locals;
    if (t->kind != TOKEN_NAME || is_reserved(t->text)) {
        bp_parse_error(s, t->pos, "expected a name, not '%s'", t->text);
        return -1;
    }
    s->at++;
    if (lookup(scope, t->text) >= 0) {
        diag_error(s->d, t->pos, "'%s' is declared twice", t->text);
        return lookup(scope, t->text);
    }
    int var = bp_var_new(s->p, t->text, s->proc, t->pos);
    enter(scope, s->p->vars.at[var].name, var);
    return var;
}

static void global_init(struct parser *s, int var, int value, struct pos pos)
{
    const struct bp_expr *e = &s->p->exprs.at[value];
    if (var < 0 || s->panic) return;
    if (e->op == EXPR_CONST) s->p->vars.at[var].init = e->a;
    else if (e->op != EXPR_STAR) diag_error(s->d, pos, "the initial value of a shared variable must be 0, 1 or *");
}

/* decl a, b := e; the values of several locals declared in a row at the head of a body are one step. */
static void parse_decl(struct parser *s, bool head)
{
    size_t first = s->at++;
    do {
        int var = declare(s, bp_peek(s));
        if (s->panic || bp_peek(s)->kind != TOKEN_ASSIGN) continue;
        struct pos pos = s->tokens.at[++s->at].pos;
        int value = bp_parse_expr(s);
        if (s->proc < 0) {
            global_init(s, var, value, pos);
        } else if (var >= 0 && head) {
            vec_push(&s->head_decls, var);
            vec_push(&s->head_decls, value);
        } else if (var >= 0) {
            int e = advance(s, EDGE_STEP, first);
            vec_push(&edge_at(s, e)->assigns, ((struct bp_assign){var, value}));
        }
    } while (!s->panic && bp_accept_punct(s, ','));
    bp_expect_punct(s, ';', "the declaration");
}

/* ---- statements ---- */

static void parse_call(struct parser *s, int edge, const struct token *name)
{
    edge_at(s, edge)->target = name->text;
    edge_at(s, edge)->pos = name->pos;
    s->at++;
    bp_expect_punct(s, '(', "the procedure's name");
    if (bp_accept_punct(s, ')')) return;
    do {
        int arg = bp_parse_expr(s);
        vec_push(&edge_at(s, edge)->args, arg);
    } while (!s->panic && bp_accept_punct(s, ','));
    bp_expect_punct(s, ')', "the arguments");
}

static void finish_text(struct parser *s, int edge, size_t first) { edge_at(s, edge)->text = source_text(s, first); }

static void assign_values(struct parser *s, int edge, const int_list *targets, const int_list *values, struct pos pos)
{
    if (s->panic) return;
    if (targets->len != values->len) {
        diag_error(s->d, pos, "%zu variables cannot take %zu values", targets->len, values->len);
        return;
    }
    for (size_t i = 0; i < targets->len; i++)
        if (targets->at[i] >= 0)
            vec_push(&edge_at(s, edge)->assigns, ((struct bp_assign){targets->at[i], values->at[i]}));
}

static void check_distinct(struct parser *s, const int_list *targets, struct pos pos)
{
    for (size_t i = 0; i < targets->len; i++)
        for (size_t k = 0; k < i; k++)
            if (targets->at[i] >= 0 && targets->at[i] == targets->at[k])
                diag_error(s->d, pos, "'%s' is assigned twice in one step", s->p->vars.at[targets->at[i]].name);
}

static void parse_assignment(struct parser *s, size_t first)
{
    int_list targets = {0}, values = {0};
    struct pos pos = bp_peek(s)->pos;
    do {
        const struct token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME || is_reserved(t->text)) {
            bp_parse_error(s, t->pos, "expected a variable, not '%s'", t->text);
            break;
        }
        s->at++;
        vec_push(&targets, bp_find_var(s, t));
    } while (bp_accept_punct(s, ','));
    if (!s->panic && bp_peek(s)->kind != TOKEN_ASSIGN) bp_parse_error(s, bp_peek(s)->pos, "expected ':=', not '%s'", bp_peek(s)->text);
    check_distinct(s, &targets, pos);
    if (!s->panic) s->at++;
    const struct token *t = bp_peek(s);
    int edge = advance(s, EDGE_STEP, first);
    if (!s->panic && t->kind == TOKEN_NAME && !is_reserved(t->text) && t[1].kind == TOKEN_PUNCT && t[1].text[0] == '(') {
        edge_at(s, edge)->kind = EDGE_CALL;
        parse_call(s, edge, t);
        for (size_t i = 0; i < targets.len; i++) vec_push(&edge_at(s, edge)->results, targets.at[i]);
    } else {
        do vec_push(&values, bp_parse_expr(s));
        while (!s->panic && bp_accept_punct(s, ','));
        assign_values(s, edge, &targets, &values, pos);
        if (!s->panic && bp_accept_word(s, "constrain")) {
            s->next_allowed = true;
            int e = bp_parse_expr(s);
            edge_at(s, edge)->constrain = e;
            s->next_allowed = false;
        }
    }
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the assignment");
    vec_release(&targets);
    vec_release(&values);
}

static void parse_goto(struct parser *s, size_t first)
{
    int from = current(s);
    do {
        const struct token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER) {
            bp_parse_error(s, t->pos, "expected a label, not '%s'", t->text);
            break;
        }
        s->at++;
        int e = step(s, EDGE_STEP, from, -1, first);
        edge_at(s, e)->text = arena_printf(&s->p->arena, "goto %s", t->text);
        vec_push(&s->jumps, ((struct jump){e, t->text, t->pos}));
    } while (bp_accept_punct(s, ','));
    bp_expect_punct(s, ';', "the labels");
    s->cur = -1;
}

static int negation(struct parser *s, int e) { return bp_expr_new(s->p, EXPR_NOT, e, 0, 0); }

/* if, and every elsif: the condition is one step into the branch, its negation one step to what follows. */
static void parse_if(struct parser *s)
{
    static const char *const ends[] = {"elsif", "else", "fi", NULL};
    int join = -1;
    for (;;) {
        size_t first = s->at;
        int head = current(s), cond = bp_parse_expr(s);
        bp_accept_word(s, "then");
        int yes = advance(s, EDGE_STEP, first);
        edge_at(s, yes)->guard = cond;
        edge_at(s, yes)->text = arena_printf(&s->p->arena, "if %s", source_text(s, first));
        parse_statements(s, ends);
        join = merge(s, join, s->cur);
        s->cur = new_node(s, bp_peek(s)->pos);
        int no = step(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
        edge_at(s, no)->guard = not_cond;
        edge_at(s, no)->text = arena_printf(&s->p->arena, "else of %s", edge_at(s, yes)->text);
        if (!bp_accept_word(s, "elsif")) break;
    }
    if (bp_accept_word(s, "else")) parse_statements(s, (const char *const[]){"fi", NULL});
    s->cur = merge(s, join, s->cur);
    if (!s->panic && !bp_accept_word(s, "fi")) bp_parse_error(s, bp_peek(s)->pos, "expected 'fi', not '%s'", bp_peek(s)->text);
    bp_accept_punct(s, ';');
}

static void parse_while(struct parser *s)
{
    size_t first = s->at;
    int head = current(s), cond = bp_parse_expr(s);
    int yes = advance(s, EDGE_STEP, first);
    edge_at(s, yes)->guard = cond;
    edge_at(s, yes)->text = arena_printf(&s->p->arena, "while %s", source_text(s, first));
    if (!s->panic && !bp_accept_word(s, "do")) bp_parse_error(s, bp_peek(s)->pos, "expected 'do', not '%s'", bp_peek(s)->text);
    parse_statements(s, (const char *const[]){"od", NULL});
    if (s->cur >= 0) merge(s, head, s->cur);
    s->cur = new_node(s, bp_peek(s)->pos);
    int no = step(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
    edge_at(s, no)->guard = not_cond;
    edge_at(s, no)->text = arena_printf(&s->p->arena, "end of %s", edge_at(s, yes)->text);
    if (!s->panic && !bp_accept_word(s, "od")) bp_parse_error(s, bp_peek(s)->pos, "expected 'od', not '%s'", bp_peek(s)->text);
    bp_accept_punct(s, ';');
}

static void parse_return(struct parser *s, size_t first)
{
    int edge = step(s, EDGE_RETURN, current(s), -1, first);
    if (!bp_at_punct(s, ';')) {
        do {
            int e = bp_parse_expr(s);
            vec_push(&edge_at(s, edge)->values, e);
        } while (!s->panic && bp_accept_punct(s, ','));
    }
    int results = s->p->procs.at[s->proc].results;
    if (!s->panic && (int)edge_at(s, edge)->values.len != results)
        diag_error(s->d, s->tokens.at[first].pos, "'%s' returns %d values, not %zu", s->p->procs.at[s->proc].name, results,
                   edge_at(s, edge)->values.len);
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the results");
    s->cur = -1;
}

static void parse_start_thread(struct parser *s, size_t first)
{
    int edge = advance(s, EDGE_SPAWN, first);
    const struct token *t = bp_peek(s);
    if (bp_accept_word(s, "goto")) {
        t = bp_peek(s);
        if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER) bp_parse_error(s, t->pos, "expected a label, not '%s'", t->text);
        else s->at++;
        edge_at(s, edge)->target = t->text;
        edge_at(s, edge)->pos = t->pos;
        edge_at(s, edge)->spawn_label = true;
    } else if (t->kind == TOKEN_NAME && !is_reserved(t->text)) {
        parse_call(s, edge, t);
    } else {
        bp_parse_error(s, t->pos, "expected a procedure or goto after start_thread, not '%s'", t->text);
    }
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "start_thread");
}

static void parse_dead(struct parser *s, size_t first)
{
    int edge = advance(s, EDGE_STEP, first);
    do {
        const struct token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME) {
            bp_parse_error(s, t->pos, "expected a variable, not '%s'", t->text);
            break;
        }
        s->at++;
        int var = bp_find_var(s, t), star = bp_expr_new(s->p, EXPR_STAR, 0, 0, 0);
        if (var >= 0) vec_push(&edge_at(s, edge)->assigns, ((struct bp_assign){var, star}));
    } while (bp_accept_punct(s, ','));
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the variables");
}

enum condition { COND_ASSUME, COND_ASSERT, COND_ABORTIF };

static void parse_condition(struct parser *s, size_t first, enum condition kind)
{
    int cond = bp_parse_expr(s), edge = advance(s, EDGE_STEP, first);
    if (kind == COND_ASSERT) edge_at(s, edge)->assertion = cond;
    else {
        int guard = kind == COND_ABORTIF ? negation(s, cond) : cond;
        edge_at(s, edge)->guard = guard;
    }
    bp_expect_punct(s, ';', "the condition");
}

static void parse_print(struct parser *s, size_t first)
{
    bp_expect_punct(s, '(', "'print'");
    while (!s->panic && !bp_at_punct(s, ')') && bp_peek(s)->kind != TOKEN_END) {
        bp_parse_expr(s);
        if (!bp_accept_punct(s, ',')) break;
    }
    bp_expect_punct(s, ')', "the arguments");
    advance(s, EDGE_STEP, first);
    bp_expect_punct(s, ';', "print(...)");
}

static void atomic_step(struct parser *s, size_t first, int change)
{
    int e = advance(s, EDGE_STEP, first);
    edge_at(s, e)->atomic = change;
}

static void parse_atomic_block(struct parser *s, size_t first)
{
    atomic_step(s, first, +1);
    parse_statements(s, (const char *const[]){"end", NULL});
    size_t last = s->at;
    if (!s->panic && !bp_accept_word(s, "end")) bp_parse_error(s, bp_peek(s)->pos, "expected 'end', not '%s'", bp_peek(s)->text);
    if (s->cur >= 0) {
        int e = advance(s, EDGE_STEP, last);
        edge_at(s, e)->atomic = -1;
        edge_at(s, e)->text = "end of atomic";
    }
    bp_accept_punct(s, ';');
}

static void parse_simple(struct parser *s, size_t first)
{
    const struct token *t = bp_peek(s);
    if (bp_accept_word(s, "skip")) {
        advance(s, EDGE_STEP, first);
        bp_expect_punct(s, ';', "'skip'");
    } else if (bp_accept_word(s, "atomic_begin") || bp_accept_word(s, "atomic_end")) {
        atomic_step(s, first, !strcmp(t->text, "atomic_begin") ? 1 : -1);
        bp_expect_punct(s, ';', "the statement");
    } else if (bp_accept_word(s, "end_thread")) {
        advance(s, EDGE_STEP, first);
        bp_expect_punct(s, ';', "'end_thread'");
        s->cur = -1; /* the thread stays at a node without a way out */
    } else if (t->kind == TOKEN_NAME && !is_reserved(t->text)) {
        bool call = t[1].kind == TOKEN_PUNCT && t[1].text[0] == '(';
        if (!call) {
            parse_assignment(s, first);
            return;
        }
        int edge = advance(s, EDGE_CALL, first);
        parse_call(s, edge, t);
        finish_text(s, edge, first);
        bp_expect_punct(s, ';', "the call");
    } else {
        bp_parse_error(s, t->pos, "expected a statement, not '%s'", t->text);
    }
}

static void parse_statement(struct parser *s)
{
    size_t first = s->at;
    if (bp_accept_word(s, "goto")) parse_goto(s, first);
    else if (bp_accept_word(s, "if")) parse_if(s);
    else if (bp_accept_word(s, "while")) parse_while(s);
    else if (bp_accept_word(s, "return")) parse_return(s, first);
    else if (bp_accept_word(s, "assume") || bp_accept_word(s, "constrain")) parse_condition(s, first, COND_ASSUME);
    else if (bp_accept_word(s, "assert")) parse_condition(s, first, COND_ASSERT);
    else if (bp_accept_word(s, "abortif")) parse_condition(s, first, COND_ABORTIF);
    else if (bp_accept_word(s, "print")) parse_print(s, first);
    else if (bp_accept_word(s, "dead")) parse_dead(s, first);
    else if (bp_accept_word(s, "start_thread")) parse_start_thread(s, first);
    else if (bp_at_word(s, "decl")) parse_decl(s, false);
    else if (bp_at_word(s, "atomic") && s->tokens.at[s->at + 1].kind == TOKEN_NAME &&
             !strcmp(s->tokens.at[s->at + 1].text, "begin")) {
        s->at += 2;
        parse_atomic_block(s, first);
    } else if (bp_accept_word(s, "begin")) {
        parse_statements(s, (const char *const[]){"end", NULL});
        if (!s->panic && !bp_accept_word(s, "end")) bp_parse_error(s, bp_peek(s)->pos, "expected 'end', not '%s'", bp_peek(s)->text);
        bp_accept_punct(s, ';');
    } else parse_simple(s, first);
}

static bool is_async_label(const char *name)
{
    if (strncmp(name, "ASYNC_", 6) || !name[6]) return false;
    for (name += 6; *name; name++)
        if (!isdigit((unsigned char)*name)) return false;
    return true;
}

/* Any number of labels; true if one of them turns the call that follows into the start of a thread. */
static bool parse_labels(struct parser *s)
{
    bool async = false;
    for (;;) {
        const struct token *t = bp_peek(s);
        bool named = t->kind == TOKEN_NUMBER || (t->kind == TOKEN_NAME && !is_reserved(t->text));
        if (!named || t[1].kind != TOKEN_PUNCT || t[1].text[0] != ':') return async;
        for (size_t i = 0; i < s->labels.len; i++)
            if (!strcmp(s->labels.at[i].name, t->text))
                diag_error(s->d, t->pos, "label '%s' is used twice in this procedure", t->text);
        vec_push(&s->labels, ((struct label){t->text, current(s), t->pos}));
        async |= is_async_label(t->text);
        s->at += 2;
    }
}

/* After an error: on to behind the next ';', or to a word that ends a list of statements. */
static void recover(struct parser *s)
{
    static const char *const stops[] = {"end", "fi", "od", "else", "elsif", "void", "bool", NULL};
    s->panic = false;
    while (bp_peek(s)->kind != TOKEN_END && !bp_at_punct(s, ';')) {
        for (size_t i = 0; stops[i]; i++)
            if (bp_at_word(s, stops[i])) return;
        s->at++;
    }
    bp_accept_punct(s, ';');
}

static bool at_end_of_list(const struct parser *s, const char *const *ends)
{
    for (size_t i = 0; ends[i]; i++)
        if (bp_at_word(s, ends[i])) return true;
    return bp_peek(s)->kind == TOKEN_END || bp_at_word(s, "void") || bp_at_word(s, "bool");
}

static void parse_statements(struct parser *s, const char *const *ends)
{
    if (s->panic) return;
    if (++s->depth > MOST_NESTING) bp_parse_error(s, bp_peek(s)->pos, "statements are nested too deeply");
    while (!s->panic && !at_end_of_list(s, ends)) {
        size_t before = s->at;
        bool async = parse_labels(s);
        if (at_end_of_list(s, ends)) break; /* a label at the end of a list marks the place after it */
        size_t edges = s->p->edges.len;
        parse_statement(s);
        if (async && !s->panic && s->p->edges.len > edges && edge_at(s, (int)edges)->kind == EDGE_CALL) {
            edge_at(s, (int)edges)->kind = EDGE_SPAWN;
            if (edge_at(s, (int)edges)->results.len)
                diag_error(s->d, edge_at(s, (int)edges)->pos, "an asynchronous call has no result");
        }
        if (s->panic && s->depth < MOST_NESTING) recover(s);
        if (s->at == before) s->at++;
    }
    s->depth--;
}

/* ---- procedures ---- */

static int find_label(const struct parser *s, const char *name)
{
    for (size_t i = 0; i < s->labels.len; i++)
        if (!strcmp(s->labels.at[i].name, name)) return (int)i;
    return -1;
}

static void unknown_label(struct parser *s, const char *name, struct pos pos)
{
    VEC(const char *) names = {0};
    for (size_t i = 0; i < s->labels.len; i++) vec_push(&names, s->labels.at[i].name);
    diag_error(s->d, pos, "no label '%s' in procedure '%s'", name, s->p->procs.at[s->proc].name);
    const char *near = nearest_name(name, names.at, names.len);
    if (near) diag_hint(s->d, "did you mean '%s'?", near);
    vec_release(&names);
}

/* Jumps get their targets, merged nodes become one, enforce joins every guard, every edge joins its node. */
static void finish_proc(struct parser *s, size_t first_edge, int entry)
{
    struct bp_program *p = s->p;
    for (size_t i = 0; i < s->jumps.len; i++) {
        int label = find_label(s, s->jumps.at[i].name);
        if (label >= 0) edge_at(s, s->jumps.at[i].edge)->to = s->labels.at[label].node;
        else unknown_label(s, s->jumps.at[i].name, s->jumps.at[i].pos);
    }
    for (size_t i = 0; i < s->labels.len; i++)
        vec_push(&p->nodes.at[resolve(s, s->labels.at[i].node)].labels, s->labels.at[i].name);
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

static int parse_result_count(struct parser *s)
{
    if (bp_accept_word(s, "void")) return 0;
    if (!bp_accept_word(s, "bool")) {
        bp_parse_error(s, bp_peek(s)->pos, "expected 'decl' or a procedure ('void' or 'bool'), not '%s'", bp_peek(s)->text);
        return 0;
    }
    if (!bp_accept_punct(s, '<')) return 1;
    const struct token *t = bp_peek(s);
    long n = t->kind == TOKEN_NUMBER ? strtol(t->text, NULL, 10) : -1;
    if (n < 0 || n > 10000) bp_parse_error(s, t->pos, "expected the number of results, not '%s'", t->text);
    s->at += !s->panic;
    bp_expect_punct(s, '>', "the number of results");
    return (int)n;
}

static bool parse_header(struct parser *s)
{
    struct bp_program *p = s->p;
    bp_accept_word(s, "dfs");
    int results = parse_result_count(s);
    const struct token *t = bp_peek(s);
    if (!s->panic && (t->kind != TOKEN_NAME || is_reserved(t->text)))
        bp_parse_error(s, t->pos, "expected the name of a procedure, not '%s'", t->text);
    if (s->panic) return false;
    s->at++;
    s->proc = (int)p->procs.len;
    vec_push(&p->procs, ((struct bp_proc){.name = t->text, .source = s->proc, .results = results, .enforce = -1, .pos = t->pos}));
    if (lookup(&s->procs, t->text) >= 0) diag_error(s->d, t->pos, "procedure '%s' is defined twice", t->text);
    else enter(&s->procs, t->text, s->proc);
    bp_expect_punct(s, '(', "the procedure's name");
    if (!s->panic && !bp_accept_punct(s, ')')) {
        do {
            bp_accept_word(s, "bool");
            int var = declare(s, bp_peek(s));
            if (var >= 0) vec_push(&p->procs.at[s->proc].params, var);
        } while (!s->panic && bp_accept_punct(s, ','));
        bp_expect_punct(s, ')', "the parameters");
    }
    if (!s->panic && !bp_accept_word(s, "begin")) bp_parse_error(s, bp_peek(s)->pos, "expected 'begin', not '%s'", bp_peek(s)->text);
    return !s->panic;
}

static void parse_head(struct parser *s)
{
    size_t first = s->at;
    while (!s->panic && (bp_at_word(s, "decl") || bp_at_word(s, "enforce"))) {
        if (bp_at_word(s, "decl")) {
            parse_decl(s, true);
            continue;
        }
        s->at++;
        int e = bp_parse_expr(s), both = bp_and(s->p, s->p->procs.at[s->proc].enforce, e);
        s->p->procs.at[s->proc].enforce = both;
        bp_expect_punct(s, ';', "the condition");
    }
    if (s->panic) recover(s);
    if (!s->head_decls.len) return;
    int edge = advance(s, EDGE_STEP, first);
    struct str text = {0};
    for (size_t i = 0; i < s->head_decls.len; i += 2) {
        vec_push(&edge_at(s, edge)->assigns, ((struct bp_assign){s->head_decls.at[i], s->head_decls.at[i + 1]}));
        str_printf(&text, "%s%s", i ? ", " : "initial values of ", s->p->vars.at[s->head_decls.at[i]].name);
    }
    edge_at(s, edge)->text = arena_strdup(&s->p->arena, str_get(&text));
    str_release(&text);
}

/* Falling off the end is a return; results that were not given are arbitrary. */
static void implicit_return(struct parser *s)
{
    int e = step(s, EDGE_RETURN, s->cur, -1, s->at);
    edge_at(s, e)->text = "return";
    for (int i = 0; i < s->p->procs.at[s->proc].results; i++) {
        int star = bp_expr_new(s->p, EXPR_STAR, 0, 0, 0);
        vec_push(&edge_at(s, e)->values, star);
    }
}

static void parse_proc(struct parser *s)
{
    size_t first_edge = s->p->edges.len;
    if (!parse_header(s)) return;
    int entry = s->cur = new_node(s, bp_peek(s)->pos);
    parse_head(s);
    parse_statements(s, (const char *const[]){"end", NULL});
    if (s->cur >= 0) implicit_return(s);
    if (!s->panic && !bp_accept_word(s, "end"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'end' of procedure '%s', not '%s'", s->p->procs.at[s->proc].name, bp_peek(s)->text);
    finish_proc(s, first_edge, entry);
    bp_accept_punct(s, ';');
}

/* After an error outside of procedures: on to what looks like the start of one. */
static void recover_top(struct parser *s)
{
    s->panic = false;
    while (bp_peek(s)->kind != TOKEN_END && !bp_at_word(s, "void") && !bp_at_word(s, "bool") && !bp_at_word(s, "decl")) s->at++;
}

void boolprog_parse_procs(struct bp_program *p, const char *text, struct diags *d)
{
    struct parser s = {.p = p, .text = text, .d = d, .proc = -1, .cur = -1};
    boolprog_lex(text, diags_file(d, p->file), &p->arena, d, &s.tokens);
    while (bp_peek(&s)->kind != TOKEN_END && !d->full) {
        size_t before = s.at;
        s.proc = s.cur = -1;
        s.depth = 0;
        map_release(&s.locals);
        s.locals = (struct map){0};
        vec_clear(&s.labels);
        vec_clear(&s.jumps);
        vec_clear(&s.head_decls);
        if (bp_at_word(&s, "decl")) parse_decl(&s, true);
        else parse_proc(&s);
        if (s.panic) recover_top(&s);
        if (s.at == before) s.at++;
    }
    map_release(&s.globals);
    map_release(&s.locals);
    map_release(&s.procs);
    vec_release(&s.tokens);
    vec_release(&s.labels);
    vec_release(&s.jumps);
    vec_release(&s.alias);
    vec_release(&s.head_decls);
}
