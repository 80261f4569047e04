/* Basic statements as C: a guard, then an effect on the state being made.
 *
 * The text around decides what happens when the guard does not hold (`blocked`), how the new state comes into being
 * (g->begin) and where problems go (g->failed); so the same code serves plain statements and those inside a d_step. */
#include "model/internal.h"

#include <string.h>

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

void generate_literal(struct generator *g, const char *text)
{
    put(g, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\') str_printf(&g->out, "\\%c", *p);
        else if (*p < ' ' || *p >= 127 || *p == '?') str_printf(&g->out, "\\%03o", *p);
        else str_addc(&g->out, (char)*p);
    }
    put(g, "\"");
}

/* If what was written can fail, look whether it did. */
static void check(struct generator *g)
{
    if (g->may_fail) str_printf(&g->out, "if (r->fatal) { %s } ", g->failed);
    g->may_fail = false;
}

static void put_guard(struct generator *g, const struct expr *e, const char *blocked)
{
    g->may_fail = false;
    size_t start = g->out.len;
    put(g, "{ int c = ");
    generate_expr(g, e);
    put(g, "; ");
    if (!g->may_fail) { /* the common case reads better without the variable */
        g->out.len = start;
        put(g, "if (!");
        generate_expr(g, e);
        str_printf(&g->out, ") %s; ", blocked);
        return;
    }
    check(g);
    str_printf(&g->out, "if (!c) %s; } ", blocked);
}

/* A statement that starts a process must do so in the new state; only then is its value known. */
static void put_condition(struct generator *g, const struct expr *e, const char *blocked)
{
    if (!expr_contains(e, EXPR_RUN)) {
        put_guard(g, e, blocked);
        put(g, g->begin);
        return;
    }
    char state = g->state;
    put(g, g->begin);
    g->state = 'n';
    put_guard(g, e, blocked);
    g->state = state;
}

static void put_assignment(struct generator *g, const struct stmt *s)
{
    char state = g->state;
    if (expr_contains(s->a, EXPR_RUN)) {
        put(g, g->begin);
        g->state = 'n';
    }
    g->may_fail = false;
    put(g, "{ int v = ");
    generate_expr(g, s->a);
    put(g, "; ");
    check(g);
    if (g->state == 's') put(g, g->begin);
    if (s->blank_target) put(g, "(void)v; ");
    else generate_store(g, &s->ref, "v");
    check(g);
    put(g, "} ");
    g->state = state;
}

/* A declaration in the middle of a body: Spin assigns the scalar, or the first element of an array. */
static void put_declaration(struct generator *g, const struct stmt *s)
{
    struct ref_part part = {s->var, NULL};
    struct ref ref = {.parts = {.at = &part, .len = 1}};
    put(g, g->begin);
    if (s->var->type.base == TYPE_STRUCT) return;
    g->may_fail = false;
    put(g, "{ int v = ");
    if (s->var->init) generate_expr(g, s->var->init);
    else put(g, "0");
    put(g, "; ");
    check(g);
    generate_store(g, &ref, "v");
    put(g, "} ");
}

static bool has_right_length(struct generator *g, const struct stmt *s, size_t fields)
{
    u32 at;
    int kind;
    return channel_constant(s->a, g->layout, &at, &kind) && g->layout->kinds.at[kind].field_count == fields;
}

/* Declares f and k, the frame and the kind of the channel. An index out of range is an error before anything is done
 * with the element that is taken in its place. */
static void put_channel(struct generator *g, const struct expr *channel)
{
    u32 at;
    int kind;
    if (channel_constant(channel, g->layout, &at, &kind)) {
        str_printf(&g->out, "u8 *f = (u8 *)%c + GLOBALS + %u; const struct channel_kind *k = &kinds[%d]; ", g->state,
                   at, kind);
        return;
    }
    put(g, "int c = ");
    generate_expr(g, channel);
    str_printf(&g->out, "; u8 *f = hd_channel(r, H%c, %c, c); ", g->state, g->state);
    str_printf(&g->out, "if (!f || r->fatal) { %s } ", g->failed);
    str_printf(&g->out, "const struct channel_kind *k = &kinds[H%c->channel_kind[c - 1]]; ",
               g->state);
}

/* Once it is known to be executable. A look at a message may leave out its last fields. */
static void put_length_check(struct generator *g, const struct stmt *s, size_t fields)
{
    if (has_right_length(g, s, fields)) return;
    str_printf(&g->out, "if (k->field_count %s %zu) { hd_problem(r, \"wrong number of message fields\"); %s } ",
               s->peek ? "<" : "!=", fields, g->failed);
}

static void put_channel_number(struct generator *g, const struct expr *channel)
{
    u32 at;
    int kind, number = channel_constant(channel, g->layout, &at, &kind);
    if (number) str_printf(&g->out, "%d", number);
    else put(g, "c");
}

/* xr and xs. */
static void put_exclusive(struct generator *g, const struct stmt *s)
{
    if (!has_exclusive(g->program)) return;
    str_printf(&g->out, "{ const char *x = exclusive(r, H%c, %c, ", g->state, g->state);
    put_channel_number(g, s->a);
    str_printf(&g->out, ", pid, %d, k->capacity); ", s->kind == STMT_RECEIVE);
    str_printf(&g->out, "if (x) { hd_problem(r, x); %s } } ", g->failed);
    g->edge_may_fail = true;
}

static struct expr *field_access(struct generator *g, const struct expr *base, struct var *field, int element)
{
    struct arena *a = &g->program->arena;
    struct expr *e = arena_alloc(a, sizeof *e);
    *e = *base;
    e->ref.parts.len = e->ref.parts.cap = base->ref.parts.len + 1;
    e->ref.parts.at = arena_alloc(a, e->ref.parts.len * sizeof *e->ref.parts.at);
    memcpy(e->ref.parts.at, base->ref.parts.at, base->ref.parts.len * sizeof *e->ref.parts.at);
    struct ref_part *part = &vec_last(&e->ref.parts);
    part->var = field;
    if (field->is_array) {
        part->index = arena_alloc(a, sizeof *part->index);
        part->index->kind = EXPR_CONST;
        part->index->value = element;
    }
    return e;
}

/* A structure as an argument stands for its basic values, one after the other. */
static void expand_arg(struct generator *g, struct expr *e, expr_list *out)
{
    if (e->kind != EXPR_VAR || ref_type(&e->ref).base != TYPE_STRUCT) {
        vec_push(out, e);
        return;
    }
    const var_list *fields = &ref_type(&e->ref).user->fields;
    for (size_t i = 0; i < fields->len; i++)
        for (int k = 0; k < fields->at[i]->length; k++) expand_arg(g, field_access(g, e, fields->at[i], k), out);
}

static expr_list expand_args(struct generator *g, const expr_list *args)
{
    expr_list out = {0};
    for (size_t i = 0; i < args->len; i++) expand_arg(g, args->at[i], &out);
    return out;
}

/* Tell the trace automaton, if there is one. `values` is the message as an array. */
static void put_event(struct generator *g, const struct stmt *s, const char *values, size_t count)
{
    if (!g->layout->event_offset) return;
    str_printf(&g->out, "event(r, n, %d, ", s->kind == STMT_RECEIVE);
    put_channel_number(g, s->a);
    str_printf(&g->out, ", %s, %zu); ", values, count);
}

static void put_offer(struct generator *g, const struct stmt *s, const expr_list *args)
{
    if (!g->offer) {
        str_printf(&g->out, "hd_problem(r, \"rendezvous inside d_step\"); %s ", g->failed);
        return;
    }
    put_length_check(g, s, args->len);
    for (size_t i = 0; i < args->len; i++) {
        str_printf(&g->out, "r->message[%zu] = hd_fit(&k->fields[%zu], ", i, i);
        generate_expr(g, args->at[i]);
        put(g, "); ");
    }
    check(g);
    put(g, g->begin);
    put_event(g, s, "r->message", args->len);
    put(g, g->offer);
    put_channel_number(g, s->a);
    put(g, g->taken);
}

static void put_send(struct generator *g, const struct stmt *s, const char *blocked)
{
    u32 at;
    int kind;
    expr_list args = expand_args(g, &s->args);
    bool known = channel_constant(s->a, g->layout, &at, &kind);
    bool rendezvous = known && g->layout->kinds.at[kind].capacity == 0;
    g->may_fail = false;
    put(g, "{ ");
    put_channel(g, s->a);
    put_exclusive(g, s);
    if (rendezvous) {
        put_offer(g, s, &args);
    } else {
        if (!known) {
            put(g, "if (k->capacity == 0) { ");
            put_offer(g, s, &args);
            put(g, "} ");
        }
        str_printf(&g->out, "if (hd_length(f, k) >= k->capacity) %s; ", blocked);
        put_length_check(g, s, args.len);
        put(g, "const int m[] = {");
        for (size_t i = 0; i < args.len; i++) {
            generate_expr(g, args.at[i]);
            put(g, ", ");
        }
        put(g, args.len ? "}; " : "0}; ");
        check(g);
        put(g, g->begin);
        str_printf(&g->out, "hd_send(n + (f - (u8 *)%c), k, m, %d); ", g->state, s->sorted);
        put_event(g, s, "m", args.len);
    }
    put(g, "} ");
    vec_release(&args);
}

static bool is_compared(const struct expr *arg) { return arg->kind == EXPR_CONST || arg->kind == EXPR_EVAL; }

static void put_search(struct generator *g, const expr_list *args, const char *blocked)
{
    str_printf(&g->out, "u32 slot = hd_find(f, k, 1, %zu, (const u8[]){", args->len);
    for (size_t i = 0; i < args->len; i++) put(g, is_compared(args->at[i]) ? "1, " : "0, ");
    put(g, "}, (const int[]){");
    for (size_t i = 0; i < args->len; i++) {
        if (is_compared(args->at[i])) generate_expr(g, args->at[i]);
        else put(g, "0");
        put(g, ", ");
    }
    put(g, "}); ");
    check(g);
    str_printf(&g->out, "if (!slot--) %s; ", blocked);
}

/* Fields that the message does not have are not compared. */
static void put_comparisons(struct generator *g, const struct stmt *s, const expr_list *args, const char *value,
                            const char *blocked)
{
    bool sure = has_right_length(g, s, args->len);
    for (size_t i = 0; i < args->len; i++) {
        if (!is_compared(args->at[i])) continue;
        put(g, "if (");
        if (!sure) str_printf(&g->out, "%zu < k->field_count && ", i);
        str_printf(&g->out, value, i);
        put(g, " != ");
        generate_expr(g, args->at[i]);
        str_printf(&g->out, ") %s; ", blocked);
    }
    check(g);
}

/* Stored one after the other, so that an index sees the fields in front of it. */
static void put_stores(struct generator *g, const expr_list *args, const char *value)
{
    char state = g->state, text[32];
    g->state = 'n';
    for (size_t i = 0; i < args->len; i++) {
        if (args->at[i]->kind != EXPR_VAR) continue;
        snprintf(text, sizeof text, value, i);
        generate_store(g, &args->at[i]->ref, text);
    }
    check(g);
    g->state = state;
}

static void put_receive(struct generator *g, const struct stmt *s, const char *blocked)
{
    expr_list args = expand_args(g, &s->args);
    g->may_fail = false;
    put(g, "{ ");
    put_channel(g, s->a);
    put_exclusive(g, s);
    if (s->peek)
        str_printf(&g->out, "if (k->capacity == 0) { hd_problem(r, \"a rendezvous channel cannot be polled\"); %s } ",
                   g->failed);
    else str_printf(&g->out, "if (k->capacity == 0) %s; ", blocked);
    if (s->random) {
        put_search(g, &args, blocked);
    } else {
        str_printf(&g->out, "if (!hd_length(f, k)) %s; const u32 slot = 0; ", blocked);
        put_comparisons(g, s, &args, "hd_field(f, k, 0, %zu)", blocked);
    }
    put_length_check(g, s, args.len);
    str_printf(&g->out, "int m[%zu]; ", args.len + 1);
    for (size_t i = 0; i < args.len; i++)
        if (args.at[i]->kind == EXPR_VAR || g->layout->event_offset)
            str_printf(&g->out, "m[%zu] = hd_field(f, k, slot, %zu); ", i, i);
    str_printf(&g->out, "(void)m; (void)slot; %s", g->begin);
    put_stores(g, &args, "m[%zu]");
    if (!s->peek) put_event(g, s, "m", args.len);
    if (!s->peek) str_printf(&g->out, "hd_remove(n + (f - (u8 *)%c), k, slot); ", g->state);
    put(g, "} ");
    vec_release(&args);
}

void generate_taken_message(struct generator *g, const struct stmt *s, const char *blocked)
{
    expr_list args = expand_args(g, &s->args);
    g->may_fail = false;
    put(g, "{ ");
    put_channel(g, s->a);
    put(g, "(void)f; (void)k; if ((u32)");
    put_channel_number(g, s->a);
    str_printf(&g->out, " != channel) %s; ", blocked);
    put_comparisons(g, s, &args, "r->message[%zu]", blocked);
    put_length_check(g, s, args.len);
    put(g, g->begin);
    put_stores(g, &args, "r->message[%zu]");
    put_event(g, s, "r->message", args.len);
    put(g, "} ");
    vec_release(&args);
}

static const char *assertion_text(struct generator *g, const struct stmt *s)
{
    struct str t = {0};
    promela_print_expr(s->a, &t);
    const char *text = arena_strdup(&g->program->arena, str_get(&t));
    str_release(&t);
    return text;
}

static void put_assertion(struct generator *g, const struct stmt *s)
{
    g->may_fail = false;
    put(g, "{ int c = ");
    generate_expr(g, s->a);
    put(g, "; ");
    check(g);
    str_printf(&g->out, "%shd_assert(r, c, ", g->begin);
    generate_literal(g, assertion_text(g, s));
    put(g, "); } ");
}

static void put_printf(struct generator *g, const struct stmt *s)
{
    g->may_fail = false;
    str_printf(&g->out, "%sif (r->host->print) r->host->print(r, pid, ", g->begin);
    generate_literal(g, s->text);
    put(g, ", (const int[]){");
    for (size_t i = 0; i < s->args.len; i++) {
        generate_expr(g, s->args.at[i]);
        put(g, ", ");
    }
    str_printf(&g->out, "0}, %zu); ", s->args.len);
    check(g);
}

static void put_printm(struct generator *g, const struct expr *e)
{
    const char *set = e->kind == EXPR_VAR ? ref_type(&e->ref).mtype_set : NULL;
    str_printf(&g->out, "%sif (r->host->printm) r->host->printm(r, ", g->begin);
    if (set) generate_literal(g, set);
    else put(g, "0");
    put(g, ", ");
    generate_expr(g, e);
    put(g, "); ");
}

/* If the condition in front of it does not hold, the code has no meaning. */
static void put_c_code(struct generator *g, const struct stmt *s)
{
    if (s->text2) {
        struct expr precondition = {.kind = EXPR_C_CODE, .pos = s->pos, .text = s->text2};
        put(g, "if (!");
        generate_expr(g, &precondition);
        put(g, ") { hd_problem(r, ");
        generate_literal(
            g, arena_printf(&g->program->arena, "the condition in front of c_code does not hold: %s", s->text2));
        str_printf(&g->out, "); %s } ", g->failed);
    }
    put(g, g->begin);
    str_printf(&g->out, "c_text_%d(gn, Hn, pn); ", generate_c_function(g, "void", s->text));
}

static void put_priority(struct generator *g, const struct stmt *s)
{
    g->may_fail = g->edge_may_fail = true;
    str_printf(&g->out, "%shd_set_priority(r, n, ", g->begin);
    generate_expr(g, s->a);
    put(g, ", ");
    generate_expr(g, s->b);
    put(g, ", PC_SIZE); ");
    check(g);
}

void generate_effect(struct generator *g, const struct stmt *s, const char *blocked)
{
    switch (s->kind) {
    case STMT_EXPR: put_condition(g, s->a, blocked); break;
    case STMT_ASSIGN: put_assignment(g, s); break;
    case STMT_DECL: put_declaration(g, s); break;
    case STMT_SEND: put_send(g, s, blocked); break;
    case STMT_RECEIVE: put_receive(g, s, blocked); break;
    case STMT_ASSERT: put_assertion(g, s); break;
    case STMT_PRINTF: put_printf(g, s); break;
    case STMT_PRINTM:
        put_printm(g, s->a);
        break;
    case STMT_C_CODE: put_c_code(g, s); break;
    case STMT_SET_PRIORITY: put_priority(g, s); break;
    default: BUG("statement %d is not basic", s->kind);
    }
}
