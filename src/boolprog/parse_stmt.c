/* Statements: steps from the current node to the next one. */
#include "boolprog/parse_int.h"

#include <ctype.h>
#include <string.h>

static bool takes_numbers(const struct bp_signature *f)
{
    bool numbers = false;
    for (size_t i = 0; f && i < f->params.len; i++) numbers |= f->params.at[i] > 0;
    return numbers;
}

/* One argument, of the type of the parameter if that is known. */
static void parse_argument(struct bp_parser *s, int edge, const struct bp_signature *f, size_t number)
{
    struct pos pos = bp_peek(s)->pos;
    struct bp_value v = bp_parse_value(s);
    if (f && number >= f->params.len && takes_numbers(f)) return; /* reported when all are counted */
    int width = f && number < f->params.len ? f->params.at[number] : 0;
    if (!bp_convert(s, &v, width, pos)) return;
    for (int i = 0; i < MAX(width, 1); i++) vec_push(&bp_edge_at(s, edge)->args, v.bits[i]);
}

/* Boolean arguments are counted by the linker, which knows every procedure. */
static void parse_call(struct bp_parser *s, int edge, const struct bp_token *name)
{
    const struct bp_signature *f = bp_signature_of(s, name->text);
    size_t count = 0;
    bp_edge_at(s, edge)->target = name->text;
    bp_edge_at(s, edge)->pos = name->pos;
    s->at++;
    bp_expect_punct(s, '(', "the procedure's name");
    if (!bp_accept_punct(s, ')')) {
        do parse_argument(s, edge, f, count++);
        while (!s->panic && bp_accept_punct(s, ','));
        bp_expect_punct(s, ')', "the arguments");
    }
    if (!s->panic && takes_numbers(f) && count != f->params.len)
        bp_parse_error(s, name->pos, "'%s' takes %zu arguments, not %zu", name->text, f->params.len, count);
    if (s->panic) bp_edge_at(s, edge)->target = NULL; /* reported */
}

static void finish_text(struct bp_parser *s, int edge, size_t first)
{
    bp_edge_at(s, edge)->text = bp_source_text(s, first);
}

/* Words before which the ';' of `skip` may be missing. */
static bool at_closing_word(const struct bp_parser *s)
{
    static const char *const words[] = {"end", "fi", "od", "else", "elsif"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (bp_at_word(s, words[i])) return true;
    return false;
}

/* What takes a value: a variable, or an element of an array; unwanted: `_`, a variable that is never read. */
struct target { int var, width, element; bool unwanted, selected; struct bp_value index; struct pos pos; };
typedef VEC(struct target) target_list;

static void parse_target_index(struct bp_parser *s, const struct bp_token *name, struct target *t)
{
    const struct bp_number *n = bp_number_of(s->p, t->var);
    struct pos pos = bp_peek(s)->pos;
    bool indexed = bp_accept_punct(s, '[');
    if (indexed != (n && n->is_array))
        bp_parse_error(s, name->pos, indexed ? "'%s' is no array" : "'%s' is an array", name->text);
    if (n && n->is_int) t->width = n->width;
    if (s->panic || !indexed) return;
    t->index = bp_parse_value(s);
    bp_expect_punct(s, ']', "the index");
    n = bp_number_of(s->p, t->var);
    t->selected = t->index.kind != VALUE_LITERAL;
    if (t->selected) bp_take_index(s, n, &t->index, pos);
    else if (t->index.literal >= n->size) bp_parse_error(s, pos, "'%s' has %d elements", name->text, n->size);
    else t->element = (int)t->index.literal;
}

static struct target parse_target(struct bp_parser *s)
{
    const struct bp_token *t = bp_peek(s);
    struct target x = {.pos = t->pos, .var = -1};
    s->at++;
    x.unwanted = !strcmp(t->text, "_") && !bp_is_declared(s, "_");
    if (!x.unwanted) x.var = bp_find_var(s, t);
    if (x.var >= 0) parse_target_index(s, t, &x);
    return x;
}

static int target_bit(const struct bp_parser *s, const struct target *t, int element, int bit)
{
    const struct bp_number *n = bp_number_of(s->p, t->var);
    return n ? n->first + element * n->width + bit : t->var;
}

static void add_assign(struct bp_parser *s, int edge, int var, int value)
{
    vec_push(&bp_edge_at(s, edge)->assigns, ((struct bp_assign){var, value}));
}

/* With an index that is not known every element takes its own value or the new one. */
static void assign_selected(struct bp_parser *s, int edge, const struct target *t, const struct bp_value *v)
{
    int size = bp_number_of(s->p, t->var)->size, width = bp_number_of(s->p, t->var)->width;
    for (int k = 0; k < size; k++) {
        int here = bp_index_is(s, &t->index, k);
        for (int i = 0; i < width; i++) {
            int var = target_bit(s, t, k, i), old = bp_expr_new(s->p, EXPR_VAR, var, 0, 0);
            add_assign(s, edge, var, bp_expr_new(s->p, EXPR_ITE, here, v->bits[i], old));
        }
    }
}

static void assign_value(struct bp_parser *s, int edge, const struct target *t, struct bp_value v, struct pos pos,
                         size_t number)
{
    if (t->unwanted) {
        if (v.kind == VALUE_BOOL) add_assign(s, edge, bp_unwanted_var(s, number, t->pos), v.bits[0]);
        return;
    }
    if (t->var < 0 || !bp_convert(s, &v, t->width, pos)) return;
    if (t->selected) assign_selected(s, edge, t, &v);
    else
        for (int i = 0; i < MAX(t->width, 1); i++) add_assign(s, edge, target_bit(s, t, t->element, i), v.bits[i]);
}

static void check_distinct(struct bp_parser *s, const struct bp_edge *e, struct pos pos)
{
    for (size_t i = 0; i < e->assigns.len; i++)
        for (size_t k = 0; k < i; k++)
            if (e->assigns.at[i].var == e->assigns.at[k].var) {
                const struct bp_number *n = bp_number_of(s->p, e->assigns.at[i].var);
                const char *name = n ? n->name : s->p->vars.at[e->assigns.at[i].var].name;
                diag_error(s->d, pos, n && n->is_array ? "'%s' may be assigned twice in one step"
                                                       : "'%s' is assigned twice in one step", name);
                return;
            }
}

static void parse_values(struct bp_parser *s, int edge, const target_list *targets, struct pos pos)
{
    size_t count = 0;
    do {
        struct pos at = bp_peek(s)->pos;
        struct bp_value v = bp_parse_value(s);
        if (!s->panic && count < targets->len) assign_value(s, edge, &targets->at[count], v, at, count);
        count++;
    } while (!s->panic && bp_accept_punct(s, ','));
    if (s->panic) return;
    if (count != targets->len)
        diag_error(s->d, pos, "%zu variables cannot take %zu values", targets->len, count);
    else check_distinct(s, bp_edge_at(s, edge), pos);
}

static void take_result(struct bp_parser *s, int edge, int var, struct pos pos)
{
    const int_list *known = &bp_edge_at(s, edge)->results;
    for (size_t i = 0; i < known->len; i++)
        if (known->at[i] == var)
            diag_error(s->d, pos, "'%s' is assigned twice in one step", s->p->vars.at[var].name);
    vec_push(&bp_edge_at(s, edge)->results, var);
}

/* Results are of the type that the procedure says; of Boolean ones the linker counts. */
static void take_results(struct bp_parser *s, int edge, const target_list *targets, const char *name)
{
    const struct bp_signature *f = bp_signature_of(s, name);
    int width = f ? f->result_width : 0;
    for (size_t k = 0; k < targets->len; k++) {
        const struct target *t = &targets->at[k];
        if (s->panic || (!t->unwanted && t->var < 0)) return;
        if (t->selected) bp_parse_error(s, t->pos, "a result goes to a variable, or to an element by a constant index");
        else if (!t->unwanted && t->width != width)
            bp_parse_error(s, t->pos, "the results of '%s' are of another type", name);
        for (int i = 0; i < MAX(width, 1) && !s->panic; i++) {
            size_t number = k * MOST_WIDTH + (size_t)i;
            int var = t->unwanted ? bp_unwanted_var(s, number, t->pos) : target_bit(s, t, t->element, i);
            take_result(s, edge, var, t->pos);
        }
    }
}

static void parse_targets(struct bp_parser *s, target_list *targets)
{
    do {
        const struct bp_token *t = bp_peek(s);
        if (t->kind != TOKEN_NAME || bp_is_reserved(t->text)) {
            bp_parse_error(s, t->pos, "expected a variable, not '%s'", t->text);
            return;
        }
        struct target target = parse_target(s);
        vec_push(targets, target);
    } while (!s->panic && bp_accept_punct(s, ','));
    if (!s->panic && bp_peek(s)->kind != TOKEN_ASSIGN)
        bp_parse_error(s, bp_peek(s)->pos, "expected ':=', not '%s'", bp_peek(s)->text);
    if (!s->panic) s->at++;
}

static void parse_assignment(struct bp_parser *s, size_t first)
{
    target_list targets = {0};
    struct pos pos = bp_peek(s)->pos;
    parse_targets(s, &targets);
    const struct bp_token *t = bp_peek(s);
    int edge = bp_advance(s, EDGE_STEP, first);
    if (!s->panic && t->kind == TOKEN_NAME && !bp_is_reserved(t->text) && t[1].kind == TOKEN_PUNCT &&
        t[1].text[0] == '(') {
        bp_edge_at(s, edge)->kind = EDGE_CALL;
        parse_call(s, edge, t);
        take_results(s, edge, &targets, t->text);
    } else if (!s->panic) {
        parse_values(s, edge, &targets, pos);
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
        int head = bp_current(s), cond = bp_parse_expr(s), in_range = bp_check_indices(s, head, first);
        bp_accept_word(s, "then");
        int yes = bp_advance(s, EDGE_STEP, first);
        int guard = bp_and(s->p, in_range, cond);
        bp_edge_at(s, yes)->guard = guard;
        bp_edge_at(s, yes)->text = arena_printf(&s->p->arena, "if %s", bp_source_text(s, first));
        bp_parse_statements(s, ends);
        join = bp_merge(s, join, s->cur);
        s->cur = bp_node_add(s, bp_peek(s)->pos);
        int no = bp_step_add(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
        guard = bp_and(s->p, in_range, not_cond);
        bp_edge_at(s, no)->guard = guard;
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
    int head = bp_current(s), cond = bp_parse_expr(s), in_range = bp_check_indices(s, head, first);
    int yes = bp_advance(s, EDGE_STEP, first), guard = bp_and(s->p, in_range, cond);
    bp_edge_at(s, yes)->guard = guard;
    bp_edge_at(s, yes)->text = arena_printf(&s->p->arena, "while %s", bp_source_text(s, first));
    if (!s->panic && !bp_accept_word(s, "do"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'do', not '%s'", bp_peek(s)->text);
    bp_parse_statements(s, (const char *const[]){"od", NULL});
    if (s->cur >= 0) bp_merge(s, head, s->cur);
    s->cur = bp_node_add(s, bp_peek(s)->pos);
    int no = bp_step_add(s, EDGE_STEP, head, s->cur, first), not_cond = negation(s, cond);
    guard = bp_and(s->p, in_range, not_cond);
    bp_edge_at(s, no)->guard = guard;
    bp_edge_at(s, no)->text = arena_printf(&s->p->arena, "end of %s", bp_edge_at(s, yes)->text);
    if (!s->panic && !bp_accept_word(s, "od"))
        bp_parse_error(s, bp_peek(s)->pos, "expected 'od', not '%s'", bp_peek(s)->text);
    bp_accept_punct(s, ';');
}

static void parse_return(struct bp_parser *s, size_t first)
{
    int edge = bp_step_add(s, EDGE_RETURN, bp_current(s), -1, first), count = 0;
    int width = s->p->procs.at[s->proc].result_width, results = s->p->procs.at[s->proc].results / MAX(width, 1);
    if (!bp_at_punct(s, ';')) {
        do {
            struct pos pos = bp_peek(s)->pos;
            struct bp_value v = bp_parse_value(s);
            if (bp_convert(s, &v, width, pos))
                for (int i = 0; i < MAX(width, 1); i++) vec_push(&bp_edge_at(s, edge)->values, v.bits[i]);
            count++;
        } while (!s->panic && bp_accept_punct(s, ','));
    }
    if (!s->panic && count != results)
        diag_error(s->d, s->tokens.at[first].pos, "'%s' returns %d values, not %d", s->p->procs.at[s->proc].name,
                   results, count);
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
        const struct bp_number *n = var < 0 ? NULL : bp_number_of(s->p, var);
        for (int i = 0; var >= 0 && i < (n ? n->size * n->width : 1); i++) add_assign(s, edge, var + i, star);
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
        bp_parse_value(s);
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
    return bp_peek(s)->kind == TOKEN_END || bp_at_word(s, "void") || bp_at_word(s, "bool") || bp_at_int(s);
}

/* Of a statement whose steps begin with this one. */
static void check_indices_since(struct bp_parser *s, size_t edge, int node, size_t first)
{
    size_t end = s->p->edges.len;
    int in_range = bp_check_indices(s, node, first);
    for (; edge < end; edge++) {
        if (bp_edge_at(s, (int)edge)->from != node) continue;
        int guard = bp_and(s->p, in_range, bp_edge_at(s, (int)edge)->guard);
        bp_edge_at(s, (int)edge)->guard = guard;
    }
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
        size_t edges = s->p->edges.len, first = s->at;
        int node = s->cur;
        parse_statement(s);
        if (s->in_range >= 0 && s->p->edges.len > edges)
            check_indices_since(s, edges, node < 0 ? bp_edge_at(s, (int)edges)->from : node, first);
        s->in_range = -1;
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
