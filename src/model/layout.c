/* Where everything lives in a state: sizes, offsets, kinds of channels. */
#include "model/internal.h"

#include <string.h>

struct channel_field layout_field(const struct type *t)
{
    struct channel_field f = {0};
    switch (t->base) {
    case TYPE_BIT:
    case TYPE_BOOL: f.kind = FIELD_U8, f.bits = 1; break;
    case TYPE_SHORT: f.kind = FIELD_I16; break;
    case TYPE_INT: f.kind = FIELD_I32; break;
    case TYPE_UNSIGNED:
        f.kind = t->bits <= 8 ? FIELD_U8 : t->bits <= 16 ? FIELD_U16 : FIELD_U32;
        f.bits = (u8)t->bits;
        break;
    default: f.kind = FIELD_U8; break;
    }
    return f;
}

static u32 field_size(u8 kind)
{
    switch (kind) {
    case FIELD_U8: return 1;
    case FIELD_I16:
    case FIELD_U16: return 2;
    default: return 4;
    }
}

static u32 struct_size(const struct user_type *u)
{
    u32 size = 0;
    for (size_t i = 0; i < u->fields.len; i++) {
        struct var *v = u->fields.at[i];
        size += layout_type_size(&v->type) * (u32)v->length;
    }
    return size;
}

u32 layout_type_size(const struct type *t)
{
    return t->base == TYPE_STRUCT ? struct_size(t->user) : field_size(layout_field(t).kind);
}

void layout_leaves(const struct type *t, u32 offset, const char *path, leaf_fn *fn, void *ctx)
{
    if (t->base != TYPE_STRUCT) {
        fn(ctx, path, offset, t);
        return;
    }
    struct str name = {0};
    for (size_t i = 0; i < t->user->fields.len; i++) {
        struct var *v = t->user->fields.at[i];
        u32 size = layout_type_size(&v->type);
        for (int k = 0; k < v->length; k++) {
            name.len = 0;
            str_printf(&name, "%s.%s", path, v->name);
            if (v->is_array) str_printf(&name, "[%d]", k);
            layout_leaves(&v->type, offset, str_get(&name), fn, ctx);
            offset += size;
        }
    }
    str_release(&name);
}

static void count_leaf(void *ctx, const char *path, u32 offset, const struct type *t)
{
    (void)path, (void)offset, (void)t;
    ++*(int *)ctx;
}

int layout_leaf_count(const struct type *t)
{
    int n = 0;
    layout_leaves(t, 0, "", count_leaf, &n);
    return n;
}

struct field_list { VEC(struct channel_field) at; u32 size; };

static void add_field(void *ctx, const char *path, u32 offset, const struct type *t)
{
    (void)path, (void)offset;
    struct field_list *list = ctx;
    struct channel_field f = layout_field(t);
    f.at = (u16)list->size;
    list->size += field_size(f.kind);
    vec_push(&list->at, f);
}

static bool same_kind(const struct channel_kind *a, const struct channel_kind *b)
{
    return a->capacity == b->capacity && a->field_count == b->field_count && a->slot_size == b->slot_size &&
           !memcmp(a->fields, b->fields, a->field_count * sizeof *a->fields);
}

int layout_kind_of(struct layout *l, const struct channel_type *t)
{
    struct field_list list = {0};
    for (size_t i = 0; i < t->fields.len; i++) layout_leaves(&t->fields.at[i], 0, "", add_field, &list);
    struct channel_kind k = {.capacity = (u32)t->capacity, .slot_size = list.size, .field_count = (u32)list.at.len};
    k.length_size = k.capacity > 255 ? 2 : 1;
    k.frame_size = k.length_size + k.capacity * k.slot_size;
    struct channel_field *fields = arena_alloc(&l->arena, list.at.len * sizeof *fields);
    if (list.at.len) memcpy(fields, list.at.at, list.at.len * sizeof *fields);
    k.fields = fields;
    vec_release(&list.at);
    for (size_t i = 0; i < l->kinds.len; i++)
        if (same_kind(&l->kinds.at[i], &k)) return (int)i;
    vec_push(&l->kinds, k);
    return (int)l->kinds.len - 1;
}

static const char *c_name(struct layout *l, const struct program *p, const struct var *v)
{
    if (!p->uses_c_code) return arena_printf(&l->arena, "v%d_%s", v->index, v->name);
    return v->scope ? arena_printf(&l->arena, "%s_%d", v->name, v->scope) : arena_strdup(&l->arena, v->name);
}

static u32 place(struct layout *l, const struct program *p, struct var *v, u32 offset)
{
    struct placing *g = arena_alloc(&l->arena, sizeof *g);
    g->offset = offset;
    g->element_size = layout_type_size(&v->type);
    g->size = g->element_size * (u32)v->length;
    g->c_name = c_name(l, p, v);
    g->live_bit = -1;
    v->backend = g;
    return offset + g->size;
}

static u32 place_all(struct layout *l, const struct program *p, const var_list *vars, u32 offset)
{
    for (size_t i = 0; i < vars->len; i++) offset = place(l, p, vars->at[i], offset);
    return offset;
}

static void forget_constant(const struct ref *r)
{
    struct placing *g = r->parts.len ? placing_of(r->parts.at[0].var) : NULL;
    if (!g) return;
    g->constant_channel = false;
    g->assigned = true;
}

/* A channel variable that is assigned or received into does not have a known channel. */
static void find_assigned(const stmt_list *list)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct stmt *s = list->at[i];
        forget_constant(&s->ref);
        if (s->kind == STMT_DECL) placing_of(s->var)->assigned = true;
        for (size_t k = 0; s->kind == STMT_RECEIVE && k < s->args.len; k++) forget_constant(&s->args.at[k]->ref);
        for (size_t k = 0; k < s->options.len; k++) find_assigned(&s->options.at[k]);
        find_assigned(&s->body);
        find_assigned(&s->escape);
    }
}

/* Channels of global variables exist from the start, one after the other behind the globals. */
static void place_global_channels(struct layout *l, const struct program *p)
{
    u32 at = l->globals_size;
    for (size_t i = 0; i < p->globals.len; i++) {
        struct var *v = p->globals.at[i];
        if (v->type.base != TYPE_CHAN || !v->channel) continue;
        int kind = layout_kind_of(l, v->channel);
        placing_of(v)->channel_number = (int)l->global_channels.len + 1;
        placing_of(v)->constant_channel = true; /* until an assignment is seen */
        for (int k = 0; k < v->length; k++) {
            vec_push(&l->global_channels, kind);
            vec_push(&l->global_channel_at, at);
            at += l->kinds.at[kind].frame_size;
        }
    }
}

int layout_build(struct program *p, const struct flow *flow, struct layout *l, struct diags *diags)
{
    l->pc_size = 1;
    for (size_t i = 0; i < flow->automata.len; i++)
        if (flow->automata.at[i].count > 255) l->pc_size = 2;
    for (size_t i = 0; i < p->user_types.len; i++) place_all(l, p, &p->user_types.at[i]->fields, 0);
    l->globals_size = sizeof(u32);
    if (p->uses_last) l->last_offset = l->globals_size, l->globals_size += 1;
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_TRACE || p->proctypes.at[i]->kind == PROC_NOTRACE)
            l->event_offset = l->globals_size, l->globals_size += 2;
    l->globals_size = place_all(l, p, &p->globals, l->globals_size);
    place_global_channels(l, p);
    if (l->global_channels.len > MOST_FRAMES) {
        diag_error(diags, (struct pos){0}, "the model has %zu channels; at most %d are possible", l->global_channels.len,
                   (int)MOST_FRAMES);
        return -1;
    }
    l->frames = arena_alloc(&l->arena, p->proctypes.len * sizeof *l->frames);
    for (size_t i = 0; i < p->proctypes.len; i++) {
        u32 at = l->pc_size;
        if (p->uses_priority) l->priority_offset = at, at += 1;
        l->frames[i].size = place_all(l, p, &p->proctypes.at[i]->vars, at);
    }
    for (size_t i = 0; i < p->proctypes.len; i++) find_assigned(&p->proctypes.at[i]->body);
    for (size_t i = 0; p->uses_c_code && i < p->globals.len; i++) placing_of(p->globals.at[i])->constant_channel = false;
    return 0;
}

void layout_release(struct layout *l)
{
    vec_release(&l->kinds);
    vec_release(&l->global_channels);
    vec_release(&l->global_channel_at);
    arena_release(&l->arena);
}
