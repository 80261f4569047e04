/* States for people: every variable by name, and what printf prints. */
#include "model/driver_int.h"

#include <assert.h>
#include <string.h>

/* Each set of mtype names counts for itself, so a value alone does not tell its name. */
static const char *mtype_name(const struct program *p, const char *set, int value)
{
    for (size_t i = 0; i < p->mtypes.len; i++) {
        if (strcmp(p->mtypes.at[i]->name, set ? set : "_unnamed_")) continue;
        for (size_t k = 0; k < p->mtypes.at[i]->names.len; k++)
            if (p->mtypes.at[i]->values.at[k] == value) return p->mtypes.at[i]->names.at[k];
    }
    return NULL;
}

static void put_value(const struct program *p, const struct type *t, int value, struct str *out)
{
    const char *name = t->base == TYPE_MTYPE ? mtype_name(p, t->mtype_set, value) : NULL;
    if (name) str_add(out, name);
    else if (t->base == TYPE_BOOL) str_add(out, value ? "true" : "false");
    else str_printf(out, "%d", value);
}

struct listing {
    struct promela_model *m;
    const u8 *state, *base;
    value_fn *fn;
    void *ctx;
    const struct shape *shape;
    const u8 *live; /* bytes from `base` on that may be read again, NULL: all */
};

/* Cleared because it will not be read again before it is written (liveness.c). */
static bool is_unused(const struct listing *l, u32 offset) { return l->live && !l->live[offset]; }

static void put_leaf(void *ctx, const char *path, u32 offset, const struct type *t)
{
    struct listing *l = ctx;
    if (is_unused(l, offset)) {
        l->fn(l->ctx, path, MODEL_UNUSED);
        return;
    }
    struct channel_field f = layout_field(t);
    struct str text = {0};
    put_value(l->m->program, t, hd_load(l->base + offset, &f), &text);
    l->fn(l->ctx, path, str_get(&text));
    str_release(&text);
}

struct message_writer {
    const struct program *p;
    const u8 *slot;
    const struct channel_kind *kind;
    u32 field;
    struct str *out;
};

static void put_message_field(void *ctx, const char *path, u32 offset, const struct type *t)
{
    struct message_writer *w = ctx;
    (void)path, (void)offset;
    if (w->field == w->kind->field_count) return; /* the variable may hold a channel of another type by now */
    const struct channel_field *f = &w->kind->fields[w->field];
    if (w->field++) str_addc(w->out, ',');
    put_value(w->p, t, hd_load(w->slot + f->at, f), w->out);
}

static void put_channel(struct listing *l, const char *name, int number, const struct channel_type *type)
{
    struct str text = {0};
    if (number < 1 || number > (int)l->shape->channel_count) {
        l->fn(l->ctx, name, "no channel");
        return;
    }
    const struct channel_kind *k = &l->m->layout.kinds.at[l->shape->channel_kind[number - 1]];
    const u8 *frame = l->state + l->shape->channel_at[number - 1];
    u32 n = k->capacity ? hd_length(frame, k) : 0;
    assert(n <= k->capacity);
    for (u32 slot = 0; slot < n; slot++) {
        struct message_writer w = {l->m->program, hd_slot(frame, k, slot), k, 0, &text};
        str_addc(&text, '[');
        for (size_t i = 0; i < type->fields.len; i++) layout_leaves(&type->fields.at[i], 0, "", put_message_field, &w);
        while (w.field < k->field_count) put_message_field(&w, "", 0, &(struct type){TYPE_INT});
        str_addc(&text, ']');
    }
    l->fn(l->ctx, name, n ? str_get(&text) : "empty");
    str_release(&text);
}

static void put_variable(struct listing *l, const struct var *v, const char *prefix)
{
    const struct placing *p = placing_of(v);
    struct str name = {0};
    for (int i = 0; i < v->length; i++) {
        name.len = 0;
        str_printf(&name, "%s%s", prefix, v->name);
        if (v->is_array) str_printf(&name, "[%d]", i);
        u32 at = p->offset + (u32)i * p->element_size;
        bool declares = v->type.base == TYPE_CHAN && v->channel;
        if (declares && is_unused(l, at)) l->fn(l->ctx, str_get(&name), MODEL_UNUSED);
        else if (declares && v->channel->capacity) put_channel(l, str_get(&name), l->base[at], v->channel);
        else if (!declares) layout_leaves(&v->type, at, str_get(&name), put_leaf, l);
    }
    str_release(&name);
}

/* What may be read again by a process where it is, NULL: all. */
static const u8 *live_at(const struct listing *l, u32 pid)
{
    int type = l->shape->process_type[pid];
    u8 ***live = l->m->merging.liveness.live;
    return live && live[type] ? live[type][state_pc(l->m, l->shape, l->state, (int)pid)] : NULL;
}

void model_values(struct model *base, const uint8_t *state, value_fn *fn, void *ctx)
{
    struct promela_model *m = model_of(base);
    assert(state_shape(m, state));
    struct listing l = {m, state, state, fn, ctx, state_shape(m, state), m->merging.liveness.shared};
    for (size_t i = 0; i < m->program->globals.len; i++) put_variable(&l, m->program->globals.at[i], "");
    struct str prefix = {0};
    for (u32 pid = 0; pid < l.shape->process_count; pid++) {
        const struct proctype *p = m->program->proctypes.at[l.shape->process_type[pid]];
        prefix.len = 0;
        str_printf(&prefix, "%s(%u):", p->name, pid);
        l.base = state + l.shape->process_at[pid];
        l.live = live_at(&l, pid);
        for (size_t i = 0; i < p->vars.len; i++) put_variable(&l, p->vars.at[i], str_get(&prefix));
    }
    str_release(&prefix);
}

static void put_mtype(struct stepper *m, const char *set, int value)
{
    const char *name = mtype_name(m->model->program, set, value);
    if (name) str_add(&m->output, name);
    else str_printf(&m->output, "%d", value);
}

static void put_conversion(struct stepper *m, char c, int value)
{
    switch (c) {
    case 'c': str_printf(&m->output, "%c", value); break;
    case 'o': str_printf(&m->output, "%o", (unsigned)value); break;
    case 'u': str_printf(&m->output, "%u", (unsigned)value); break;
    case 'x': str_printf(&m->output, "%x", (unsigned)value); break;
    case 'e': put_mtype(m, NULL, value); break;
    default: str_printf(&m->output, "%d", value); break;
    }
}

void model_print(struct stepping *r, int pid, const char *format, const int *args, int count)
{
    struct stepper *m = (struct stepper *)((char *)r - offsetof(struct stepper, run));
    int next = 0;
    (void)pid;
    if (m->dry) return;
    for (const char *p = format; *p; p++) {
        if (*p != '%' || !p[1]) {
            str_addc(&m->output, *p);
        } else if (*++p == '%') {
            str_addc(&m->output, '%');
        } else {
            put_conversion(m, *p, next < count ? args[next] : 0);
            next++;
        }
    }
}

void model_print_mtype(struct stepping *r, const char *set, int value)
{
    struct stepper *m = (struct stepper *)((char *)r - offsetof(struct stepper, run));
    if (!m->dry) put_mtype(m, set, value);
}

void model_truncated(struct stepping *r, const char *name, int value, int stored)
{
    struct stepper *m = (struct stepper *)((char *)r - offsetof(struct stepper, run));
    if (!m->dry) str_printf(&m->output, "warning: %d does not fit into %s, which becomes %d\n", value, name, stored);
}
