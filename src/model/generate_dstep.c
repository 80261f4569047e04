/* A d_step as C: straight code with jumps. Where it offers a choice the first executable option is taken; only its
 * first statement may block, anything that blocks later is an error of the model. */
#include "model/internal.h"

#include <string.h>

/* Where `break` leads, innermost last; and the number that makes this copy's C labels unique. */
struct d_step { struct generator *g; int copy; VEC(int) exits; const struct stmt *done_first; };

static void put(struct d_step *d, const char *text) { str_add(&d->g->out, text); }

static void put_list(struct d_step *d, const stmt_list *list, const char *blocked);
static void put_stmt(struct d_step *d, const struct stmt *s, const char *blocked);

static const char *never_blocks(struct d_step *d)
{
    return arena_printf(&d->g->program->arena, "{ hd_problem(r, \"a statement inside d_step blocks\"); %s }",
                        d->g->failed);
}

static bool starts_with_else(const stmt_list *option) { return option->len && option->at[0]->kind == STMT_ELSE; }

static void put_option(struct d_step *d, const stmt_list *option, const char *again)
{
    int next = d->g->unique++;
    put_list(d, option, arena_printf(&d->g->program->arena, "goto D%d", next));
    str_printf(&d->g->out, "%s D%d: ; ", again, next);
}

static void put_options(struct d_step *d, const struct stmt *s, const char *again)
{
    for (size_t i = 0; i < s->options.len; i++)
        if (!starts_with_else(&s->options.at[i])) put_option(d, &s->options.at[i], again);
    for (size_t i = 0; i < s->options.len; i++)
        if (starts_with_else(&s->options.at[i])) put_option(d, &s->options.at[i], again);
}

static void put_selection(struct d_step *d, const struct stmt *s, const char *blocked)
{
    int end = d->g->unique++;
    put(d, "{ ");
    put_options(d, s, arena_printf(&d->g->program->arena, "goto D%d;", end));
    str_printf(&d->g->out, "%s; D%d: ; } ", blocked, end);
}

/* In front of every jump back: a loop may be long, or endless. */
static const char *look_around(struct d_step *d)
{
    return arena_printf(&d->g->program->arena, "if (hd_goes_round(r, n, %d)) { %s } ", d->g->unique++, d->g->failed);
}

/* Only in the first round can a loop be what the d_step waits for. */
static void put_loop(struct d_step *d, const struct stmt *s, const char *blocked)
{
    int loop = d->g->unique++, end = d->g->unique++;
    vec_push(&d->exits, end);
    str_printf(&d->g->out, "{ int again%d = 0; D%d: ; ", loop, loop);
    put_options(d, s, arena_printf(&d->g->program->arena, "again%d = 1; %s goto D%d;", loop, look_around(d), loop));
    str_printf(&d->g->out, "if (!again%d) { %s; } %s D%d: ; } ", loop, blocked, never_blocks(d), end);
    d->exits.len--;
}

static struct expr plus_one(const struct stmt *s, struct expr *counter, struct expr *one)
{
    *counter = (struct expr){.kind = EXPR_VAR, .ref = s->ref, .pos = s->pos};
    *one = (struct expr){.kind = EXPR_CONST, .value = 1};
    return (struct expr){.kind = EXPR_BINARY, .op = OP_ADD, .a = counter, .b = one, .pos = s->pos};
}

static void put_assign(struct d_step *d, const struct stmt *s, struct expr *value)
{
    struct stmt assign = {.kind = STMT_ASSIGN, .pos = s->pos, .ref = s->ref, .a = value};
    generate_effect(d->g, &assign, "");
}

/* from .. to, one body per round */
static void put_counting(struct d_step *d, const struct stmt *s, struct expr *from, struct expr *to)
{
    int loop = d->g->unique++, end = d->g->unique++;
    struct expr counter, one, next = plus_one(s, &counter, &one);
    struct expr more = {.kind = EXPR_BINARY, .op = OP_LE, .a = &counter, .b = to, .pos = s->pos};
    struct stmt test = {.kind = STMT_EXPR, .a = &more, .pos = s->pos};
    put_assign(d, s, from);
    str_printf(&d->g->out, "{ D%d: ; ", loop);
    generate_effect(d->g, &test, arena_printf(&d->g->program->arena, "goto D%d", end));
    vec_push(&d->exits, end);
    put_list(d, &s->body, never_blocks(d));
    d->exits.len--;
    put_assign(d, s, &next);
    str_printf(&d->g->out, "%s goto D%d; D%d: ; } ", look_around(d), loop, end);
}

static void put_for_channel(struct d_step *d, const struct stmt *s)
{
    int loop = d->g->unique++, end = d->g->unique++;
    struct expr item = {.kind = EXPR_VAR, .ref = s->ref, .pos = s->pos}, *args[] = {&item};
    struct expr len = {.kind = EXPR_LEN, .a = s->a, .pos = s->pos};
    expr_list list = {.at = args, .len = 1};
    struct stmt take = {.kind = STMT_RECEIVE, .a = s->a, .args = list, .pos = s->pos};
    struct stmt give = {.kind = STMT_SEND, .a = s->a, .args = list, .pos = s->pos};
    const char *counter = placing_of(s->var)->c_name;
    str_printf(&d->g->out, "pn->%s = 0; { D%d: ; if (!(pn->%s < ", counter, loop, counter);
    generate_expr(d->g, &len);
    str_printf(&d->g->out, ")) goto D%d; ", end);
    generate_effect(d->g, &take, never_blocks(d));
    generate_effect(d->g, &give, never_blocks(d));
    vec_push(&d->exits, end);
    put_list(d, &s->body, never_blocks(d));
    d->exits.len--;
    str_printf(&d->g->out, "pn->%s++; %s goto D%d; D%d: ; } ", counter, look_around(d), loop, end);
}

static int label_number(const struct label *l)
{
    for (size_t i = 0; i < l->owner->labels.len; i++)
        if (l->owner->labels.at[i] == l) return (int)i;
    BUG("label %s is not listed", l->name);
}

static void put_for(struct d_step *d, const struct stmt *s)
{
    struct expr zero = {.kind = EXPR_CONST, .value = 0}, top = {.kind = EXPR_CONST};
    switch (s->kind) {
    case STMT_FOR_RANGE: put_counting(d, s, s->a, s->b); break;
    case STMT_FOR_ARRAY:
        top.value = vec_last(&s->array_ref.parts).var->length - 1;
        put_counting(d, s, &zero, &top);
        break;
    case STMT_SELECT: put_assign(d, s, s->a); break; /* the first choice is to stop at the first value */
    default: put_for_channel(d, s); break;
    }
}

static void put_stmt(struct d_step *d, const struct stmt *s, const char *blocked)
{
    for (size_t i = 0; i < s->labels.len; i++)
        str_printf(&d->g->out, "L%d_%d: ; ", d->copy, label_number(s->labels.at[i]));
    if (s == d->done_first) return;
    switch (s->kind) {
    case STMT_IF: put_selection(d, s, blocked); break;
    case STMT_DO: put_loop(d, s, blocked); break;
    case STMT_ATOMIC:
    case STMT_D_STEP:
    case STMT_BLOCK:
    case STMT_UNLESS: put_list(d, &s->body, blocked); break;
    case STMT_FOR_RANGE:
    case STMT_FOR_ARRAY:
    case STMT_FOR_CHANNEL:
    case STMT_SELECT: put_for(d, s); break;
    case STMT_GOTO: str_printf(&d->g->out, "%s goto L%d_%d; ", look_around(d), d->copy, label_number(s->label)); break;
    case STMT_BREAK: str_printf(&d->g->out, "goto D%d; ", vec_last(&d->exits)); break;
    case STMT_ELSE: break;
    default: generate_effect(d->g, s, blocked); break;
    }
}

static void put_list(struct d_step *d, const stmt_list *list, const char *blocked)
{
    for (size_t i = 0; i < list->len; i++) put_stmt(d, list->at[i], i ? never_blocks(d) : blocked);
}

const struct stmt *first_basic(const struct stmt *s)
{
    switch (s->kind) {
    case STMT_ATOMIC:
    case STMT_D_STEP:
    case STMT_BLOCK:
    case STMT_UNLESS: return s->body.len ? first_basic(s->body.at[0]) : NULL;
    case STMT_IF:
    case STMT_DO:
    case STMT_FOR_RANGE:
    case STMT_FOR_ARRAY:
    case STMT_FOR_CHANNEL:
    case STMT_SELECT:
    case STMT_GOTO:
    case STMT_BREAK:
    case STMT_ELSE: return NULL;
    default: return s;
    }
}

void generate_d_step(struct generator *g, const struct stmt *s, const char *blocked, bool first_is_done)
{
    struct d_step d = {.g = g, .copy = g->unique++, .done_first = first_is_done ? first_basic(s) : NULL};
    const char *begin = g->begin, *offer = g->offer;
    char state = g->state;
    g->begin = "";
    g->offer = NULL;
    g->state = 'n';
    str_add(&g->out, "r->rounds = 0; ");
    put_list(&d, &s->body, blocked);
    g->begin = begin;
    g->offer = offer;
    g->state = state;
    vec_release(&d.exits);
}
