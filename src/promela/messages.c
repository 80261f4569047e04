/* Rules that need the whole program: how many fields the messages of a channel have, and what `run` starts. */
#include "promela/frontend_int.h"

#include <assert.h>
#include <string.h>

static size_t fields_of_type(const struct type *t)
{
    if (t->base != TYPE_STRUCT) return 1;
    size_t count = 0;
    for (size_t i = 0; i < t->user->fields.len && count < MAX_ARGUMENTS; i++) {
        const struct var *f = t->user->fields.at[i];
        count += (size_t)f->length * fields_of_type(&f->type);
    }
    return count;
}

static size_t fields_of_channel(const struct channel_type *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->fields.len; i++) count += fields_of_type(&c->fields.at[i]);
    return count;
}

void channel_declared(struct parser *p, const struct channel_type *c)
{
    size_t fields = fields_of_channel(c);
    if (fields > MAX_ARGUMENTS) error_at(p, c->pos, "more than %d fields in one message", MAX_ARGUMENTS);
    p->most_fields = MAX(p->most_fields, MIN(fields, (size_t)MAX_ARGUMENTS));
}

void message_use(struct parser *p, const struct expr *channel, const expr_list *args, enum message_kind kind)
{
    const struct var *v = expr_var(channel);
    check_channel(p, channel);
    if (v && !p->panic) vec_push(&p->messages, ((struct message_use){v, args->len, channel->pos, kind}));
}

/* The channel that a variable is initialised with is all that it ever holds, unless it is assigned to. A look at a
 * message (poll, ?<..>) may leave out its last fields. */
static bool is_wrong_length(const struct message_use *m)
{
    const struct channel_type *c = m->channel->channel;
    if (!c || m->channel->assigned) return false;
    size_t fields = fields_of_channel(c);
    return m->args > fields || (m->args < fields && m->kind != MESSAGE_LOOK);
}

/* As in Spin only a send that no channel can take is an error by itself; the others are errors when they are executed.
 */
static void check_message(struct parser *p, const struct message_use *m)
{
    if (m->kind == MESSAGE_SEND && m->args > p->most_fields)
        diag_error(p->diags, m->pos, "%zu argument%s for a message, but no channel has more than %zu field%s", m->args,
                   m->args == 1 ? "" : "s", p->most_fields, p->most_fields == 1 ? "" : "s");
    else if (is_wrong_length(m))
        diag_warning(p->diags, m->pos,
                     "%zu argument%s for a message of '%s' with %zu field%s: an error if this is executed", m->args,
                     m->args == 1 ? "" : "s", m->channel->name, fields_of_channel(m->channel->channel),
                     fields_of_channel(m->channel->channel) == 1 ? "" : "s");
}

static size_t parameters_of(const struct proctype *t)
{
    size_t count = 0;
    for (int i = 0; i < t->parameter_count; i++) count += fields_of_type(&t->vars.at[i]->type);
    return count;
}

static void resolve_run(struct parser *p, const struct reference *r)
{
    struct proctype *t = map_get(&p->proctypes, r->name.text);
    assert(r->expr->kind == EXPR_RUN && !r->expr->proctype);
    r->expr->proctype = t;
    if (!t) {
        VEC(const char *) known = {0};
        for (size_t i = 0; i < p->program->proctypes.len; i++) vec_push(&known, p->program->proctypes.at[i]->name);
        diag_error(p->diags, r->name.pos, "there is no proctype '%s'", r->name.text);
        hint_nearest(p, r->name.text, known.at, known.len);
        vec_release(&known);
        return;
    }
    size_t wanted = parameters_of(t);
    if (r->expr->args.len != wanted)
        diag_error(p->diags, r->name.pos, "proctype '%s' takes %zu argument%s, not %zu", t->name, wanted,
                   wanted == 1 ? "" : "s", r->expr->args.len);
}

void messages_check(struct parser *p)
{
    for (size_t i = 0; i < p->messages.len && !p->diags->full; i++) check_message(p, &p->messages.at[i]);
    for (size_t i = 0; i < p->run_uses.len && !p->diags->full; i++) resolve_run(p, &p->run_uses.at[i]);
}

/* Spin calls a program in which nothing runs an error, and it is always a mistake. */
void check_runnable(struct parser *p)
{
    for (size_t i = 0; i < p->program->proctypes.len; i++) {
        const struct proctype *t = p->program->proctypes.at[i];
        if (t->kind == PROC_INIT || (t->kind == PROC_PROCTYPE && t->active > 0)) return;
    }
    diag_error(p->diags, (struct pos){diags_file(p->diags, p->program->path), 0, 0},
               "nothing to run: there is no init and no active proctype");
}
