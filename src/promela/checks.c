/* The static rules of Spin about types, channels and what may stand where. */
#include "promela/frontend_int.h"

#include <ctype.h>
#include <string.h>

/* The first subexpression of a kind, in the order written, or NULL. */
static const struct expr *find_kind(const struct expr *e, enum expr_kind kind)
{
    if (!e || e->kind == kind) return e;
    const struct expr *found = find_kind(e->a, kind);
    if (!found) found = find_kind(e->b, kind);
    if (!found) found = find_kind(e->c, kind);
    for (size_t i = 0; !found && i < e->args.len; i++) found = find_kind(e->args.at[i], kind);
    for (size_t i = 0; !found && i < e->ref.parts.len; i++) found = find_kind(e->ref.parts.at[i].index, kind);
    return found;
}

static bool in_never(const struct parser *p) { return p->proctype && p->proctype->kind == PROC_NEVER; }

bool in_trace(const struct parser *p)
{
    return p->proctype && (p->proctype->kind == PROC_TRACE || p->proctype->kind == PROC_NOTRACE);
}

static bool is_channel(const struct expr *e)
{
    const struct var *v = expr_var(e);
    return v && v->type.base == TYPE_CHAN;
}

void check_channel(struct parser *p, const struct expr *channel)
{
    const struct var *v = expr_var(channel);
    if (p->panic || is_channel(channel)) return;
    if (v) error_at(p, channel->pos, "'%s' is not a channel", v->name);
    else if (channel->kind != EXPR_CONST) error_at(p, channel->pos, "this is not a channel");
}

void check_constant_index(struct parser *p, const struct var *v, const struct expr *index)
{
    if (index->kind != EXPR_CONST || (index->value >= 0 && index->value < v->length)) return;
    diag_warning(p->diags, index->pos, "index %d is outside of '%s[%d]'", index->value, v->name, v->length);
}

void check_complete(struct parser *p, const struct expr *ref)
{
    const struct var *v = expr_var(ref);
    if (!v || v->type.base != TYPE_STRUCT) return;
    error_at(p, ref->pos, "'%s' is of typedef '%s': name one of its fields", v->name, v->type.user->name);
}

void check_readable(struct parser *p, const struct expr *e)
{
    if (e->kind == EXPR_BLANK) error_at(p, e->pos, "'_' can be written, not read");
}

/* Channels may be copied, but not computed with. */
static const struct expr *find_computed_channel(const struct expr *e, bool computed)
{
    switch (e->kind) {
    case EXPR_VAR: return computed && is_channel(e) ? e : NULL;
    case EXPR_UNARY: return find_computed_channel(e->a, true);
    case EXPR_CONDITIONAL: {
        const struct expr *found = find_computed_channel(e->a, true);
        if (!found) found = find_computed_channel(e->b, true);
        return found ? found : find_computed_channel(e->c, true);
    }
    case EXPR_BINARY: {
        const struct expr *found = find_computed_channel(e->a, true);
        return found ? found : find_computed_channel(e->b, true);
    }
    default: return NULL;
    }
}

static const struct mtype_set *set_of(const struct parser *p, const struct expr *e)
{
    const struct mtype_constant *m = e->kind == EXPR_CONST && e->text ? map_get(&p->mtype_constants, e->text) : NULL;
    return m ? m->set : NULL;
}

static void check_value(struct parser *p, const struct var *v, const struct expr *value)
{
    const struct expr *computed = find_computed_channel(value, false);
    const struct mtype_set *set = set_of(p, value);
    if (computed) error_at(p, computed->pos, "a channel cannot be part of an expression");
    if (v->type.base == TYPE_CHAN && value->kind == EXPR_CONST)
        error_at(p, value->pos, "a constant cannot be assigned to channel '%s'", v->name);
    if (set && v->type.mtype_set && strcmp(v->type.mtype_set, set->name))
        error_at(p, value->pos, "'%s' is a constant of mtype:%s, but '%s' is of mtype:%s", value->text, set->name,
                 v->name, v->type.mtype_set);
}

void check_initializer(struct parser *p, const struct var *v)
{
    const struct expr *run = find_kind(v->init, EXPR_RUN);
    if (p->panic) return;
    if (run && p->proctype) error_at(p, run->pos, "'run' cannot be part of an initial value");
    const struct expr *variable = p->user_type ? find_kind(v->init, EXPR_VAR) : NULL;
    if (variable) error_at(p, variable->pos, "the initial value of a field cannot name a variable");
    check_value(p, v, v->init);
    if (v->type.base != TYPE_STRUCT) return;
    if (p->hoist)
        diag_warning(p->diags, v->init->pos, "'%s' is of typedef '%s': this value is ignored", v->name,
                     v->type.user->name);
    else error_at(p, v->init->pos, "'%s' is of typedef '%s' and cannot be given a value", v->name, v->type.user->name);
}

/* Names of the variables of a reference, the same for all elements of an array. */
static void add_base_name(struct str *out, const struct ref *ref, size_t parts)
{
    for (size_t i = 0; i < parts; i++)
        str_printf(out, ".%s%s", ref->parts.at[i].var->name, ref->parts.at[i].index ? "[]" : "");
}

/* a[a[1]] = .. cannot be undone by Spin's verifier. */
static void check_self_index(struct parser *p, const struct expr *target)
{
    for (size_t i = 0; i < target->ref.parts.len; i++) {
        const struct expr *index = target->ref.parts.at[i].index;
        if (!index || index->kind != EXPR_VAR) continue;
        struct str outer = {0}, inner = {0};
        add_base_name(&outer, &target->ref, i + 1);
        add_base_name(&inner, &index->ref, index->ref.parts.len);
        if (!strcmp(str_get(&outer), str_get(&inner)))
            error_at(p, index->pos, "array '%s' is indexed by itself", target->ref.parts.at[i].var->name);
        str_release(&outer);
        str_release(&inner);
    }
}

void check_arithmetic(struct parser *p, const struct expr *target)
{
    if (is_channel(target)) error_at(p, target->pos, "channel '%s' is not a number", expr_var(target)->name);
}

static void check_target(struct parser *p, const struct expr *target)
{
    const char *name = target->kind == EXPR_PID     ? "_pid"
                       : target->kind == EXPR_LAST  ? "_last"
                       : target->kind == EXPR_NR_PR ? "_nr_pr"
                                                    : NULL;
    if (name) error_at(p, target->pos, "%s cannot be assigned to", name);
    if (in_never(p)) diag_warning(p->diags, target->pos, "the never claim has a side effect");
    check_self_index(p, target);
}

void check_assignment(struct parser *p, const struct expr *target, const struct expr *value)
{
    struct var *v = expr_var(target);
    if (p->panic) return;
    check_target(p, target);
    if (v) v->assigned = true;
    if (v && target->ref.parts.len == 1) check_value(p, v, value);
}

/* A process is started by a statement of its own or by an assignment: the number of processes may be at its limit. */
void check_condition(struct parser *p, const struct expr *e)
{
    const struct expr *run = find_kind(e, EXPR_RUN);
    if (!run || p->panic) return;
    const struct expr *other = NULL;
    for (size_t i = 0; !other && i < run->args.len; i++) other = find_kind(run->args.at[i], EXPR_RUN);
    if (other) error_at(p, other->pos, "more than one run in one expression");
    else if (run != e) error_at(p, run->pos, "a run in a larger expression: make it a statement of its own");
}

void check_no_run(struct parser *p, const expr_list *args)
{
    for (size_t i = 0; i < args->len; i++) {
        const struct expr *run = find_kind(args->at[i], EXPR_RUN);
        if (run) error_at(p, run->pos, "'run' cannot be part of a message");
    }
}

/* A variable received twice in one message would get one of the values in no defined order. */
void check_receive_targets(struct parser *p, const expr_list *args)
{
    for (size_t i = 0; i < args->len; i++) {
        const struct expr *e = args->at[i];
        struct var *v = expr_var(e);
        if (v) v->assigned = true;
        if (!v || e->ref.parts.len != 1 || v->is_array) continue;
        for (size_t k = i + 1; k < args->len; k++)
            if (expr_var(args->at[k]) == v && args->at[k]->ref.parts.len == 1) {
                error_at(p, args->at[k]->pos, "'%s' receives more than one field", v->name);
                return;
            }
    }
}

static bool is_channel_event(const struct expr *e)
{
    return find_kind(e, EXPR_FULL) || find_kind(e, EXPR_EMPTY) || find_kind(e, EXPR_NFULL) || find_kind(e, EXPR_NEMPTY);
}

static bool guard_uses_channel(const struct stmt *s)
{
    return s->kind == STMT_SEND || s->kind == STMT_RECEIVE || (s->kind == STMT_EXPR && is_channel_event(s->a));
}

/* At most one else per selection; beside sends and receives it is allowed but rarely what is meant. */
void check_else(struct parser *p, const struct stmt *s)
{
    const struct stmt *other = NULL;
    bool channels = false;
    for (size_t i = 0; i < s->options.len; i++) {
        if (!s->options.at[i].len) continue;
        const struct stmt *guard = s->options.at[i].at[0];
        if (guard->kind != STMT_ELSE) channels |= guard_uses_channel(guard);
        else if (other) error_at(p, guard->pos, "a second 'else' in one selection");
        else other = guard;
    }
    if (!other || !channels) return;
    if (p->program->exclusives.len)
        error_at(p, other->pos, "'else' beside sends or receives cannot be combined with xr and xs");
    else diag_warning(p->diags, other->pos, "'else' beside sends or receives is true when these are not executable");
}

/* The variable of for and select is a plain one; only `for (x in channel)` has a typedef. */
void check_loop_index(struct parser *p, const struct expr *index, bool in)
{
    struct var *v = expr_var(index);
    if (p->panic) return;
    if (v) v->assigned = true;
    bool typedef_ok = in && v && v->type.base == TYPE_STRUCT && index->ref.parts.len == 1;
    bool plain = v && index->ref.parts.len == 1 && !v->is_array && v->type.base < TYPE_CHAN;
    if (!plain && !typedef_ok && index->kind != EXPR_CONST) error_at(p, index->pos, "this cannot count a loop");
}

void check_for_channel(struct parser *p, const struct var *x, const struct expr *channel)
{
    const struct var *v = expr_var(channel);
    const struct channel_type *c = v ? v->channel : NULL;
    if (!is_channel(channel) || !c || c->capacity <= 0)
        error_at(p, channel->pos, "'for (%s in ..)' wants a buffered channel with its declaration", x->name);
    else if (c->fields.len != 1 || c->fields.at[0].base != TYPE_STRUCT || c->fields.at[0].user != x->type.user)
        error_at(p, channel->pos, "the messages of '%s' must be of typedef '%s' for this", v->name, x->type.user->name);
}

static size_t count_conversions(const char *format)
{
    size_t count = 0;
    for (const char *c = format; *c; c++) {
        if (*c != '%') continue;
        if (c[1] == '%') c++;
        else count++;
        if (!*c) break;
    }
    return count;
}

void check_printf(struct parser *p, const struct stmt *s)
{
    size_t wanted = count_conversions(s->text);
    if (!p->panic && wanted != s->args.len)
        diag_warning(p->diags, s->pos, "printf has %zu conversions but %zu arguments", wanted, s->args.len);
}

static bool has_channel(const struct type *t)
{
    return t->base == TYPE_CHAN || (t->base == TYPE_STRUCT && ((const struct typedef_entry *)t->user)->has_channel);
}

void check_exclusive(struct parser *p, const struct exclusive *x)
{
    const struct var *v = expr_var(x->channel);
    if (p->panic) return;
    if (!v || !has_channel(&v->type)) {
        error_at(p, x->pos, "%s%s%s is not a channel", v ? "'" : "", v ? v->name : "this", v ? "'" : "");
        return;
    }
    x->channel->ref.parts.at[0].var->claimed = true;
    struct map *claims = x->receive ? &p->receivers : &p->senders;
    const struct proctype *other = v->owner ? NULL : map_get(claims, v->name);
    if (!v->owner) map_put(claims, v->name, x->proctype);
    if (other && other != x->proctype)
        error_at(p, x->pos, "both '%s' and '%s' claim '%s' exclusively", other->name, x->proctype->name, v->name);
}

/* A trace assertion is made of sends and receives. */
static bool is_event(const struct stmt *s)
{
    switch (s->kind) {
    case STMT_SEND: return !s->sorted;
    case STMT_RECEIVE: return !s->random && !s->peek;
    case STMT_IF: case STMT_DO: case STMT_GOTO: case STMT_BREAK: case STMT_DECL: case STMT_SELECT: case STMT_FOR_RANGE:
    case STMT_FOR_ARRAY: case STMT_FOR_CHANNEL: case STMT_UNLESS:
        return true;
    default: return false;
    }
}

void check_place(struct parser *p, const struct stmt *s, bool label_alone)
{
    if (p->panic) return;
    if (in_trace(p) && !is_event(s) && !label_alone) error_at(p, s->pos, "this is no event of a trace assertion");
    if (in_never(p) && (s->kind == STMT_SEND || s->kind == STMT_RECEIVE))
        error_at(p, s->pos, "a never claim cannot send or receive");
}

void check_claim_word(struct parser *p, const struct token *word)
{
    if (!p->proctype || in_never(p)) return;
    if (word->kind == T_NP) error_at(p, word->pos, "np_ is for never claims only");
    else diag_warning(p->diags, word->pos, "%s is meant for never claims", word->text);
}

/* provided() is evaluated before the process takes a step, and sees only what is global. */
void check_provided(struct parser *p, const struct expr *e)
{
    const struct expr *bad = NULL;
    if (e->kind == EXPR_VAR && e->ref.parts.at[0].var->owner) bad = e;
    if (e->kind == EXPR_RUN || e->kind == EXPR_REMOTE_LABEL || e->kind == EXPR_REMOTE_VAR) bad = e;
    if (bad) error_at(p, bad->pos, "the condition of 'provided' cannot use this: it must depend on globals only");
    if (bad) return;
    if (e->a) check_provided(p, e->a);
    if (e->b) check_provided(p, e->b);
    if (e->c) check_provided(p, e->c);
}

static bool has_array(const struct var *v)
{
    return v->is_array || (v->type.base == TYPE_STRUCT && ((const struct typedef_entry *)v->type.user)->has_array);
}

void check_variable(struct parser *p, const struct var *v)
{
    if (p->panic) return;
    if (v->hidden && (p->proctype || p->user_type)) error_at(p, v->pos, "only a global variable can be hidden");
    else if (v->hidden && v->type.base == TYPE_CHAN) error_at(p, v->pos, "a channel cannot be hidden");
    else if (v->hidden && v->type.base <= TYPE_BOOL) error_at(p, v->pos, "a bit or bool variable cannot be hidden");
    if (v->is_parameter && has_array(v))
        error_at(p, v->pos, "parameter '%s' cannot be or have an array", v->name);
}

static bool assigns(const char *code)
{
    for (const char *c = strchr(code, '='); c; c = strchr(c, '=')) {
        bool compares = c[1] == '=' || (c > code && strchr("=!<>\"'", c[-1]));
        if (!compares) return true;
        c += c[1] == '=' ? 2 : 1;
    }
    return false;
}

void check_c_expr(struct parser *p, const struct expr *e)
{
    if (!e->text) return;
    if (strchr(e->text, ';') || strstr(e->text, "++") || strstr(e->text, "--") || assigns(e->text))
        error_at(p, e->pos, "c_expr has a side effect: it can only compute a value");
}
