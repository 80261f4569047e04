/* Expressions and statements as text: as Spin shows them in traces, or as source that reads back in. */
#include "promela/frontend_int.h"

#include <string.h>

static const char *const operators[] = {
    [OP_ADD] = "+", [OP_SUB] = "-", [OP_MUL] = "*", [OP_DIV] = "/", [OP_MOD] = "%", [OP_AND] = "&&", [OP_OR] = "||",
    [OP_BITAND] = "&", [OP_BITOR] = "|", [OP_BITXOR] = "^", [OP_SHL] = "<<", [OP_SHR] = ">>", [OP_LT] = "<",
    [OP_LE] = "<=", [OP_GT] = ">", [OP_GE] = ">=", [OP_EQ] = "==", [OP_NE] = "!=", [OP_NOT] = "!",
    [OP_COMPLEMENT] = "~", [OP_NEGATE] = "-",
};

static void print_list(const struct printer *w, const expr_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        if (i) str_add(w->out, ",");
        print_expr(w, list->at[i]);
    }
}

/* Only here, and in lists of initial values, is -1 a constant and not the negation of one. */
void print_signed(const struct printer *w, const struct expr *e)
{
    if (e->kind == EXPR_CONST && e->value < 0) str_printf(w->out, "%d", e->value);
    else print_expr(w, e);
}

static void print_patterns(const struct printer *w, const expr_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        if (i) str_add(w->out, ",");
        print_signed(w, list->at[i]);
    }
}

void print_ref(const struct printer *w, const struct ref *ref)
{
    for (size_t i = 0; i < ref->parts.len; i++) {
        const struct ref_part *part = &ref->parts.at[i];
        str_printf(w->out, "%s%s", i ? "." : "", part->var->name);
        if (!part->index) continue;
        str_add(w->out, "[");
        print_expr(w, part->index);
        str_add(w->out, "]");
    }
}

static void print_wrapped(const struct printer *w, const char *before, const struct expr *e, const char *after)
{
    str_add(w->out, before);
    print_expr(w, e);
    str_add(w->out, after);
}

static void print_two(const struct printer *w, const struct expr *e, const char *between)
{
    str_add(w->out, "(");
    print_wrapped(w, "", e->a, between);
    print_wrapped(w, "", e->b, ")");
}

static void print_run(const struct printer *w, const struct expr *e)
{
    str_printf(w->out, "run %s(", e->proctype->name);
    print_list(w, &e->args);
    str_add(w->out, ")");
    if (w->source && e->value) str_printf(w->out, " priority %d", e->value);
}

static void print_poll(const struct printer *w, const struct expr *e)
{
    print_wrapped(w, "", e->a, e->random ? "??[" : "?[");
    print_patterns(w, &e->args);
    str_add(w->out, "]");
}

/* A trace shows A[1]@here as the comparison (A[1]._p==here) that Spin makes of it. */
static void print_remote(const struct printer *w, const struct expr *e)
{
    bool label = e->kind == EXPR_REMOTE_LABEL;
    if (label) str_add(w->out, "(");
    str_add(w->out, e->proctype->name);
    if (e->a) print_wrapped(w, "[", e->a, "]");
    if (label) str_printf(w->out, "%s%s)", w->source ? "@" : "._p==", label_text(w, e->label));
    else {
        str_add(w->out, w->source ? ":" : ".");
        print_ref(w, &e->ref);
    }
}

static void print_c_code(const struct printer *w, const char *word, const char *precondition, const char *code)
{
    str_add(w->out, word);
    if (precondition) str_printf(w->out, " [%s]", precondition);
    str_printf(w->out, " {%s}", code);
}

static void print_conditional(const struct printer *w, const struct expr *e)
{
    print_wrapped(w, "( (", e->a, ") -> ");
    print_wrapped(w, "(", e->b, ") : ");
    print_wrapped(w, "(", e->c, ") )");
}

void print_expr(const struct printer *w, const struct expr *e)
{
    switch (e->kind) {
    case EXPR_CONST:
        if (e->text) str_add(w->out, e->text);
        else if (w->source) str_printf(w->out, "%u", (unsigned)e->value); /* below 0: reads back as what it was */
        else str_printf(w->out, "%d", e->value);
        break;
    case EXPR_VAR: print_ref(w, &e->ref); break;
    case EXPR_BLANK: str_add(w->out, "_"); break;
    case EXPR_UNARY:
        /* q! !(x) is not q!!(x), nor a- -(b) the same as a--(b) */
        str_printf(w->out, "%s%s(", w->source ? " " : "", operators[e->op]);
        print_wrapped(w, "", e->a, ")");
        break;
    case EXPR_BINARY: print_two(w, e, operators[e->op]); break;
    case EXPR_CONDITIONAL: print_conditional(w, e); break;
    case EXPR_RUN: print_run(w, e); break;
    case EXPR_LEN: print_wrapped(w, "len(", e->a, ")"); break;
    case EXPR_FULL: print_wrapped(w, "full(", e->a, ")"); break;
    case EXPR_EMPTY: print_wrapped(w, "empty(", e->a, ")"); break;
    case EXPR_NFULL: print_wrapped(w, "nfull(", e->a, ")"); break;
    case EXPR_NEMPTY: print_wrapped(w, "nempty(", e->a, ")"); break;
    case EXPR_POLL: print_poll(w, e); break;
    case EXPR_EVAL: print_wrapped(w, "eval(", e->a, ")"); break;
    case EXPR_ENABLED: print_wrapped(w, "enabled(", e->a, ")"); break;
    case EXPR_PC_VALUE: print_wrapped(w, "pc_value(", e->a, ")"); break;
    case EXPR_GET_PRIORITY: print_wrapped(w, "get_priority(", e->a, ")"); break;
    case EXPR_TIMEOUT: str_add(w->out, "timeout"); break;
    case EXPR_NONPROGRESS: str_add(w->out, "np_"); break;
    case EXPR_PID: str_add(w->out, "_pid"); break;
    case EXPR_LAST: str_add(w->out, "_last"); break;
    case EXPR_NR_PR: str_add(w->out, "_nr_pr"); break;
    case EXPR_PRIORITY: str_add(w->out, "_priority"); break;
    case EXPR_REMOTE_LABEL: case EXPR_REMOTE_VAR: print_remote(w, e); break;
    case EXPR_C_CODE: print_c_code(w, "c_expr", e->text2, e->text); break;
    case EXPR_ALWAYS: print_wrapped(w, "([] (", e->a, "))"); break;
    case EXPR_EVENTUALLY: print_wrapped(w, "(<> (", e->a, "))"); break;
    case EXPR_NEXT: print_wrapped(w, "(X (", e->a, "))"); break;
    case EXPR_UNTIL: print_two(w, e, " U "); break;
    case EXPR_WEAK_UNTIL: print_two(w, e, " W "); break;
    case EXPR_RELEASE: print_two(w, e, " V "); break;
    case EXPR_IMPLIES: print_two(w, e, " -> "); break;
    case EXPR_EQUIVALENT: print_two(w, e, " <-> "); break;
    }
}

static void print_send(const struct printer *w, const struct stmt *s)
{
    print_wrapped(w, "", s->a, s->sorted ? "!!" : "!");
    print_list(w, &s->args);
}

static void print_receive(const struct printer *w, const struct stmt *s)
{
    print_wrapped(w, "", s->a, s->random ? "??" : "?");
    if (s->peek) str_add(w->out, "<");
    print_patterns(w, &s->args);
    if (s->peek) str_add(w->out, ">");
}

/* Traces quote with ', as Spin does. */
static void print_printf(const struct printer *w, const struct stmt *s)
{
    str_add(w->out, w->source ? "printf(\"" : "printf('");
    for (const char *c = s->text2; *c; c++) str_addc(w->out, *c == '"' && !w->source ? '\'' : *c);
    str_add(w->out, w->source ? "\"" : "'");
    for (size_t i = 0; i < s->args.len; i++) print_wrapped(w, ",", s->args.at[i], "");
    str_add(w->out, ")");
}

static void print_assign(const struct printer *w, const struct stmt *s)
{
    if (s->blank_target) str_add(w->out, "_");
    else print_ref(w, &s->ref);
    print_wrapped(w, " = ", s->a, "");
}

/* What a declaration does when it is passed. */
static void print_declaration_step(const struct printer *w, const struct var *v)
{
    if (v->type.base == TYPE_STRUCT) return;
    str_printf(w->out, "%s%s = ", v->name, v->is_array ? "[0]" : "");
    if (v->init) print_expr(w, v->init);
    else str_add(w->out, "0");
}

/* A bound in parentheses keeps a select that is not literal from being read as one. */
static void print_range(const struct printer *w, const struct stmt *s, const char *word)
{
    str_printf(w->out, "%s (", word);
    print_ref(w, &s->ref);
    bool plain = s->kind != STMT_SELECT || s->select_literal;
    print_wrapped(w, plain ? " : " : " : (", s->a, plain ? " .. " : ") .. ");
    print_wrapped(w, "", s->b, ")");
}

static void print_for_in(const struct printer *w, const struct stmt *s)
{
    str_add(w->out, "for (");
    print_ref(w, &s->ref);
    str_add(w->out, " in ");
    if (s->kind == STMT_FOR_ARRAY) print_ref(w, &s->array_ref);
    else print_expr(w, s->a);
    str_add(w->out, ")");
}

static void print_set_priority(const struct printer *w, const struct stmt *s)
{
    if (s->text) {
        print_wrapped(w, "_priority = ", s->b, "");
        return;
    }
    print_wrapped(w, "set_priority(", s->a, ", ");
    print_wrapped(w, "", s->b, ")");
}

void print_stmt_head(const struct printer *w, const struct stmt *s)
{
    switch (s->kind) {
    case STMT_EXPR: print_wrapped(w, "(", s->a, ")"); break;
    case STMT_ASSIGN: print_assign(w, s); break;
    case STMT_DECL: print_declaration_step(w, s->var); break;
    case STMT_SEND: print_send(w, s); break;
    case STMT_RECEIVE: print_receive(w, s); break;
    case STMT_IF: str_add(w->out, "IF"); break;
    case STMT_DO: str_add(w->out, "DO"); break;
    case STMT_GOTO: str_printf(w->out, "goto %s", label_text(w, s->label)); break;
    case STMT_BREAK: str_add(w->out, "break"); break;
    case STMT_ATOMIC: str_add(w->out, "ATOMIC"); break;
    case STMT_D_STEP: str_printf(w->out, "D_STEP%d", s->pos.line); break;
    case STMT_BLOCK: str_add(w->out, "sub-sequence"); break;
    case STMT_UNLESS: str_add(w->out, "unless"); break;
    case STMT_FOR_RANGE: print_range(w, s, "for"); break;
    case STMT_FOR_ARRAY: case STMT_FOR_CHANNEL: print_for_in(w, s); break;
    case STMT_SELECT: print_range(w, s, "select"); break;
    case STMT_ASSERT: print_wrapped(w, "assert(", s->a, ")"); break;
    case STMT_PRINTF: print_printf(w, s); break;
    case STMT_PRINTM: print_wrapped(w, "printm(", s->a, ")"); break;
    case STMT_ELSE: str_add(w->out, "else"); break;
    case STMT_C_CODE: print_c_code(w, "c_code", s->text2, s->text); break;
    case STMT_SET_PRIORITY: print_set_priority(w, s); break;
    }
}

void promela_print_expr(const struct expr *e, struct str *out) { print_expr(&(struct printer){.out = out}, e); }
void promela_print_stmt(const struct stmt *s, struct str *out) { print_stmt_head(&(struct printer){.out = out}, s); }
