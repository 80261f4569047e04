/* The static rules about types and numbers of arguments. */
#include "promela/frontend.h"

#include <string.h>

void check_initializer(struct parser *p, const struct var *v) { (void)p, (void)v; }

void check_channel(struct parser *p, const struct expr *channel)
{
    const struct var *v = expr_var(channel);
    if (p->panic || (v && v->type.base == TYPE_CHAN)) return;
    if (v) error_at(p, channel->pos, "'%s' is not a channel", v->name);
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

void check_arithmetic(struct parser *p, const struct expr *target) { (void)p, (void)target; }
void check_assignment(struct parser *p, const struct expr *target, const struct expr *value)
{
    (void)p, (void)target, (void)value;
}
void check_message(struct parser *p, const struct expr *channel, const expr_list *args, struct pos at)
{
    (void)args, (void)at;
    check_channel(p, channel);
}
void check_else(struct parser *p, const struct stmt *s) { (void)p, (void)s; }
void check_loop_index(struct parser *p, const struct expr *index, bool in) { (void)p, (void)index, (void)in; }
void check_for_channel(struct parser *p, const struct var *x, const struct expr *channel)
{
    (void)p, (void)x, (void)channel;
}
void check_printf(struct parser *p, const struct stmt *s) { (void)p, (void)s; }
void check_exclusive(struct parser *p, const struct exclusive *x) { (void)p, (void)x; }
void check_event(struct parser *p, const struct stmt *s) { (void)p, (void)s; }
