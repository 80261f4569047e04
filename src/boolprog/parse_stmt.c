/* Statements: steps from the current node to the next one. */
#include "boolprog/parse_int.h"

#include <ctype.h>
#include <string.h>

static void parse_call(struct bp_parser *s, int edge, const struct bp_token *name)
{
    bp_edge_at(s, edge)->target = name->text;
    bp_edge_at(s, edge)->pos = name->pos;
    s->at++;
    bp_expect_punct(s, '(', "the procedure's name");
    if (bp_accept_punct(s, ')')) return;
    do {
        int arg = bp_parse_expr(s);
        vec_push(&bp_edge_at(s, edge)->args, arg);
    } while (!s->panic && bp_accept_punct(s, ','));
    bp_expect_punct(s, ')', "the arguments");
}

static void finish_text(struct bp_parser *s, int edge, size_t first)
{
    bp_edge_at(s, edge)->text = bp_source_text(s, first);
}

static void assign_values(struct bp_parser *s, int edge, const int_list *targets, const int_list *values,
                          struct pos pos)
{
    if (s->panic) return;
    if (targets->len != values->len) {
        diag_error(s->d, pos, "%zu variables cannot take %zu values", targets->len, values->len);
        return;
    }
    for (size_t i = 0; i < targets->len; i++)
        if (targets->at[i] >= 0)
            vec_push(&bp_edge_at(s, edge)->assigns, ((struct bp_assign){targets->at[i], values->at[i]}));
}

static void check_distinct(struct bp_parser *s, const int_list *targets, struct pos pos)
{
    for (size_t i = 0; i < targets->len; i++)
        for (size_t k = 0; k < i; k++)
            if (targets->at[i] >= 0 && targets->at[i] == targets->at[k])
                diag_error(s->d, pos, "'%s' is assigned twice in one step", s->p->vars.at[targets->at[i]].name);
}

/* Words before which the ';' of `skip` may be missing. */
static bool at_closing_word(const struct bp_parser *s)
{
    static const char *const words[] = {"end", "fi", "od", "else", "elsif"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (bp_at_word(s, words[i])) return true;
    return false;
}

/* `_` takes a value that nobody wants: a variable that is never read. */
static int parse_target(struct bp_parser *s, size_t number)
{
    const struct bp_token *t = bp_peek(s);
    s->at++;
    return strcmp(t->text, "_") || bp_is_declared(s, "_") ? bp_find_var(s, t) : bp_unwanted_var(s, number, t->pos);
}

static void parse_assignment(struct bp_parser *s, size_t first)
{
    int_list targets = {0}, values = {0};
    struct pos pos = bp_peek(s)->pos;
    do {
        const struct bp_token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME || bp_is_reserved(t->text)) {
            bp_parse_error(s, t->pos, "expected a variable, not '%s'", t->text);
            break;
        }
        int target = parse_target(s, targets.len);
        vec_push(&targets, target);
    } while (bp_accept_punct(s, ','));
    if (!s->panic && bp_peek(s)->kind != TOKEN_ASSIGN)
        bp_parse_error(s, bp_peek(s)->pos, "expected ':=', not '%s'", bp_peek(s)->text);
    check_distinct(s, &targets, pos);
    if (!s->panic) s->at++;
    const struct bp_token *t = bp_peek(s);
    int edge = bp_advance(s, EDGE_STEP, first);
    if (!s->panic && t->kind == TOKEN_NAME && !bp_is_reserved(t->text) && t[1].kind == TOKEN_PUNCT &&
        t[1].text[0] == '(') {
        bp_edge_at(s, edge)->kind = EDGE_CALL;
        parse_call(s, edge, t);
        for (size_t i = 0; i < targets.len; i++) vec_push(&bp_edge_at(s, edge)->results, targets.at[i]);
    } else {
        do vec_push(&values, bp_parse_expr(s));
        while (!s->panic && bp_accept_punct(s, ','));
        assign_values(s, edge, &targets, &values, pos);
        if (!s->panic && bp_accept_word(s, "constrain")) {
            s->next_allowed = true;
            int e = bp_parse_expr(s);
            bp_edge_at(s, edge)->constrain = e;
            s->next_allowed = false;
        }
    }
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the assignment");
    vec_release(&targets);
    vec_release(&values);
}

static void parse_goto(struct bp_parser *s, size_t first)
{
    int from = bp_current(s);
    do {
        const struct bp_token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER) {
            bp_parse_error(s, t->pos, "expected a label, not '%s'", t->text);
            break;
        }
        s->at++;
        int e = bp_step_add(s, EDGE_STEP, from, -1, first);
        bp_edge_at(s, e)->text = arena_printf(&s->p->arena, "goto %s", t->text);
        vec_push(&s->jumps, ((struct bp_jump){e, t->text, t->pos}));
    } while (bp_accept_punct(s, ','));
    bp_expect_punct(s, ';', "the labels");
    s->cur = -1;
}

static int negation(struct bp_parser *s, int e) { return bp_expr_new(s->p, EXPR_NOT, e, 0, 0); }

/* if, and every elsif: the condition is one step into the branch, its negation one step to what follows. */
static void parse_if(struct bp_parser *s)
{
    static const char *const ends[] = {"elsif", "else", "fi", NULL};
    int join = -1;
    for (;;) {
        size_t first = s->at;
        int head = bp_current(s), cond = bp_parse_expr(s);
        bp_accept_word(s, "then");
        int yes = bp_advance(s, EDGE_STEP, first);
        bp_edge_at(s, yes)->guard = cond;
        bp_edge_at(s, yes)->text = arena_printf(&s->p->arena, "if %s", bp_source_text(s, first));
        bp_parse_statements(s, ends);
        join = bp_merge(s, join, s->cur);
        s->cur = bp_node_add(s, bp_peek(s)->pos);
        int no = bp_step_add(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
        bp_edge_at(s, no)->guard = not_cond;
        bp_edge_at(s, no)->text = arena_printf(&s->p->arena, "else of %s", bp_edge_at(s, yes)->text);
        if (!bp_accept_word(s, "elsif")) break;
    }
    if (bp_accept_word(s, "else")) bp_parse_statements(s, (const char *const[]){"fi", NULL});
    s->cur = bp_merge(s, join, s->cur);
    if (!s->panic && !bp_accept_word(s, "fi"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'fi', not '%s'", bp_peek(s)->text);
    bp_accept_punct(s, ';');
}

static void parse_while(struct bp_parser *s)
{
    size_t first = s->at;
    int head = bp_current(s), cond = bp_parse_expr(s);
    int yes = bp_advance(s, EDGE_STEP, first);
    bp_edge_at(s, yes)->guard = cond;
    bp_edge_at(s, yes)->text = arena_printf(&s->p->arena, "while %s", bp_source_text(s, first));
    if (!s->panic && !bp_accept_word(s, "do"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'do', not '%s'", bp_peek(s)->text);
    bp_parse_statements(s, (const char *const[]){"od", NULL});
    if (s->cur >= 0) bp_merge(s, head, s->cur);
    s->cur = bp_node_add(s, bp_peek(s)->pos);
    int no = bp_step_add(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
    bp_edge_at(s, no)->guard = not_cond;
    bp_edge_at(s, no)->text = arena_printf(&s->p->arena, "end of %s", bp_edge_at(s, yes)->text);
    if (!s->panic && !bp_accept_word(s, "od"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'od', not '%s'", bp_peek(s)->text);
    bp_accept_punct(s, ';');
}

static void parse_return(struct bp_parser *s, size_t first)
{
    int edge = bp_step_add(s, EDGE_RETURN, bp_current(s), -1, first);
    if (!bp_at_punct(s, ';')) {
        do {
            int e = bp_parse_expr(s);
            vec_push(&bp_edge_at(s, edge)->values, e);
        } while (!s->panic && bp_accept_punct(s, ','));
    }
    int results = s->p->procs.at[s->proc].results;
    if (!s->panic && (int)bp_edge_at(s, edge)->values.len != results)
        diag_error(s->d, s->tokens.at[first].pos, "'%s' returns %d values, not %zu", s->p->procs.at[s->proc].name,
                   results, bp_edge_at(s, edge)->values.len);
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the results");
    s->cur = -1;
}

static void parse_start_thread(struct bp_parser *s, size_t first)
{
    int edge = bp_advance(s, EDGE_SPAWN, first);
    const struct bp_token *t = bp_peek(s);
    if (bp_accept_word(s, "goto")) {
        t = bp_peek(s);
        if (t->kind != TOKEN_NAME && t->kind != TOKEN_NUMBER)
            bp_parse_error(s, t->pos, "expected a label, not '%s'", t->text);
        else s->at++;
        bp_edge_at(s, edge)->target = t->text;
        bp_edge_at(s, edge)->pos = t->pos;
        bp_edge_at(s, edge)->spawn_label = true;
    } else if (t->kind == TOKEN_NAME && !bp_is_reserved(t->text)) {
        parse_call(s, edge, t);
    } else {
        bp_parse_error(s, t->pos, "expected a procedure or goto after start_thread, not '%s'", t->text);
    }
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "start_thread");
}

static void parse_dead(struct bp_parser *s, size_t first)
{
    int edge = bp_advance(s, EDGE_STEP, first);
    do {
        const struct bp_token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME) {
            bp_parse_error(s, t->pos, "expected a variable, not '%s'", t->text);
            break;
        }
        s->at++;
        int var = bp_find_var(s, t), star = bp_expr_new(s->p, EXPR_STAR, 0, 0, 0);
        if (var >= 0) vec_push(&bp_edge_at(s, edge)->assigns, ((struct bp_assign){var, star}));
    } while (bp_accept_punct(s, ','));
    finish_text(s, edge, first);
    bp_expect_punct(s, ';', "the variables");
}

enum condition { COND_ASSUME, COND_ASSERT, COND_ABORTIF };

static void parse_condition(struct bp_parser *s, size_t first, enum condition kind)
{
    int cond = bp_parse_expr(s), edge = bp_advance(s, EDGE_STEP, first);
    if (kind == COND_ASSERT) bp_edge_at(s, edge)->assertion = cond;
    else {
        int guard = kind == COND_ABORTIF ? negation(s, cond) : cond;
        bp_edge_at(s, edge)->guard = guard;
    }
    bp_expect_punct(s, ';', "the condition");
}

static void parse_print(struct bp_parser *s, size_t first)
{
    bp_expect_punct(s, '(', "'print'");
    while (!s->panic && !bp_at_punct(s, ')') && bp_peek(s)->kind != TOKEN_END) {
        bp_parse_expr(s);
        if (!bp_accept_punct(s, ',')) break;
    }
    bp_expect_punct(s, ')', "the arguments");
    bp_advance(s, EDGE_STEP, first);
    bp_expect_punct(s, ';', "print(...)");
}

static void atomic_step(struct bp_parser *s, size_t first, int change)
{
    int e = bp_advance(s, EDGE_STEP, first);
    bp_edge_at(s, e)->atomic = change;
}

static void parse_atomic_block(struct bp_parser *s, size_t first)
{
    atomic_step(s, first, +1);
    bp_parse_statements(s, (const char *const[]){"end", NULL});
    size_t last = s->at;
    if (!s->panic && !bp_accept_word(s, "end"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'end', not '%s'", bp_peek(s)->text);
    if (s->cur >= 0) {
        int e = bp_advance(s, EDGE_STEP, last);
        bp_edge_at(s, e)->atomic = -1;
        bp_edge_at(s, e)->text = "end of atomic";
    }
    bp_accept_punct(s, ';');
}

static void parse_simple(struct bp_parser *s, size_t first)
{
    const struct bp_token *t = bp_peek(s);
    if (bp_accept_word(s, "skip")) {
        bp_advance(s, EDGE_STEP, first);
        if (!at_closing_word(s)) bp_expect_punct(s, ';', "'skip'");
    } else if (bp_accept_word(s, "atomic_begin") || bp_accept_word(s, "atomic_end")) {
        atomic_step(s, first, !strcmp(t->text, "atomic_begin") ? 1 : -1);
        bp_expect_punct(s, ';', "the statement");
    } else if (bp_accept_word(s, "end_thread")) {
        bp_advance(s, EDGE_STEP, first);
        bp_expect_punct(s, ';', "'end_thread'");
        s->cur = -1; /* the thread stays at a node without a way out */
    } else if (t->kind == TOKEN_NAME && !bp_is_reserved(t->text)) {
        bool call = t[1].kind == TOKEN_PUNCT && t[1].text[0] == '(';
        if (!call) {
            parse_assignment(s, first);
            return;
        }
        int edge = bp_advance(s, EDGE_CALL, first);
        parse_call(s, edge, t);
        finish_text(s, edge, first);
        bp_expect_punct(s, ';', "the call");
    } else {
        bp_parse_error(s, t->pos, "expected a statement, not '%s'", t->text);
    }
}

static void parse_statement(struct bp_parser *s)
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
    else if (bp_at_word(s, "decl")) bp_parse_decl(s, false);
    else if (bp_at_word(s, "atomic") && s->tokens.at[s->at + 1].kind == TOKEN_NAME &&
             !strcmp(s->tokens.at[s->at + 1].text, "begin")) {
        s->at += 2;
        parse_atomic_block(s, first);
    } else if (bp_accept_word(s, "begin")) {
        bp_parse_statements(s, (const char *const[]){"end", NULL});
        if (!s->panic && !bp_accept_word(s, "end"))
            bp_parse_error(s, bp_peek(s)->pos, "expected 'end', not '%s'", bp_peek(s)->text);
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
static bool parse_labels(struct bp_parser *s)
{
    bool async = false;
    for (;;) {
        const struct bp_token *t = bp_peek(s);
        bool named = t->kind == TOKEN_NUMBER || (t->kind == TOKEN_NAME && !bp_is_reserved(t->text));
        if (!named || t[1].kind != TOKEN_PUNCT || t[1].text[0] != ':') return async;
        int known = (int)(intptr_t)map_get(&s->label_map, t->text) - 1;
        if (known >= 0 && s->labels.at[known].node == bp_current(s)) { /* said twice of the same statement */
            s->at += 2;
            continue;
        }
        if (known >= 0) diag_error(s->d, t->pos, "label '%s' is used twice in this procedure", t->text);
        vec_push(&s->labels, ((struct bp_label){t->text, bp_current(s), t->pos}));
        map_put(&s->label_map, t->text, (void *)(intptr_t)s->labels.len);
        async |= is_async_label(t->text);
        s->at += 2;
    }
}

/* After an error: on to behind the next ';', or to a word that ends a list of statements. */
void bp_recover(struct bp_parser *s)
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

static bool at_end_of_list(const struct bp_parser *s, const char *const *ends)
{
    for (size_t i = 0; ends[i]; i++)
        if (bp_at_word(s, ends[i])) return true;
    return bp_peek(s)->kind == TOKEN_END || bp_at_word(s, "void") || bp_at_word(s, "bool");
}

void bp_parse_statements(struct bp_parser *s, const char *const *ends)
{
    if (s->panic) return;
    if (++s->depth > MOST_NESTING) bp_parse_error(s, bp_peek(s)->pos, "statements are nested too deeply");
    while (!s->panic && !at_end_of_list(s, ends)) {
        size_t before = s->at;
        if (s->p->edges.len % 1024 == 0 && !s->cut && (s->cut = limits_reached_memory(s->limits)))
            s->at = s->tokens.len - 1; /* the end of the text: whatever is reported now is not printed */
        if (s->cut) break;
        bool async = parse_labels(s);
        if (at_end_of_list(s, ends)) break; /* a label at the end of a list marks the place after it */
        size_t edges = s->p->edges.len;
        parse_statement(s);
        if (async && !s->panic && s->p->edges.len > edges && bp_edge_at(s, (int)edges)->kind == EDGE_CALL) {
            bp_edge_at(s, (int)edges)->kind = EDGE_SPAWN;
            if (bp_edge_at(s, (int)edges)->results.len)
                diag_error(s->d, bp_edge_at(s, (int)edges)->pos, "an asynchronous call has no result");
        }
        if (s->panic && s->depth < MOST_NESTING) bp_recover(s);
        if (s->at == before) s->at++;
    }
    s->depth--;
}
