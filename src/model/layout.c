/* Where everything lives in a state: sizes, offsets, kinds of channels. */
#include "model/internal.h"

#include <assert.h>
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
    assert(f.at == list->size);
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
    assert(list.at.len <= MOST_FIELDS && t->capacity >= 0 && t->capacity <= UINT16_MAX);
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

/* C code of the user's knows variables by the names that Spin gives them. */
static const char *c_name(struct layout *l, const struct program *p, const struct var *v)
{
    if (p->uses_c_code) return v->c_name ? v->c_name : v->name;
    return arena_printf(&l->arena, "v%d_%s", v->index, v->name);
}

/* Offsets stay below the largest state; the first variable for which that leaves no room is remembered. */
static u32 add_size(struct layout *l, u32 offset, uint64_t size, const struct var *v)
{
    assert(offset <= MODEL_MOST_STATE && v);
    if (offset + size <= MODEL_MOST_STATE) return offset + (u32)size;
    if (!l->too_large) l->too_large = v;
    return offset;
}

static u32 place(struct layout *l, const struct program *p, struct var *v, u32 offset)
{
    struct placing *g = arena_alloc(&l->arena, sizeof *g);
    assert(!v->backend && v->length >= 1); /* placed once */
    g->offset = offset;
    g->element_size = layout_type_size(&v->type);
    g->size = g->element_size * (u32)v->length;
    g->c_name = c_name(l, p, v);
    v->backend = g;
    return add_size(l, offset, (uint64_t)g->element_size * (u32)v->length, v);
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

bool layout_has_initial(const struct var *v)
{
    if (v->type.base != TYPE_STRUCT) return v->init || v->channel || v->array_init.len;
    for (size_t i = 0; i < v->type.user->fields.len; i++)
        if (layout_has_initial(v->type.user->fields.at[i])) return true;
    return false;
}

static void add_global_channels(struct layout *l, const struct var *v, u32 *at)
{
    if (!layout_has_initial(v)) return;
    for (int k = 0; k < v->length && l->global_channels.len <= MOST_FRAMES; k++) {
        if (v->type.base == TYPE_STRUCT) {
            for (size_t i = 0; i < v->type.user->fields.len; i++)
                add_global_channels(l, v->type.user->fields.at[i], at);
        } else if (v->channel) {
            int kind = layout_kind_of(l, v->channel);
            vec_push(&l->global_channels, kind);
            vec_push(&l->global_channel_at, *at);
            *at = add_size(l, *at, l->kinds.at[kind].frame_size, v);
        }
    }
}

/* Channels of global variables exist from the start, one after the other behind the globals. */
static void place_global_channels(struct layout *l, const struct program *p)
{
    u32 at = l->globals_size;
    for (size_t i = 0; i < p->globals.len; i++) {
        struct var *v = p->globals.at[i];
        placing_of(v)->channel_number = (int)l->global_channels.len + 1;
        placing_of(v)->constant_channel = v->type.base == TYPE_CHAN && v->channel; /* until an assignment is seen */
        add_global_channels(l, v, &at);
        if (l->global_channels.len > MOST_FRAMES && !l->too_many_channels) l->too_many_channels = v;
    }
}

/* So that all kinds of channels are known before code is written. */
static void find_kinds(struct layout *l, const var_list *vars)
{
    for (size_t i = 0; i < vars->len; i++)
        if (vars->at[i]->channel) layout_kind_of(l, vars->at[i]->channel);
}

static void place_frames(struct layout *l, const struct program *p)
{
    l->frames = arena_alloc(&l->arena, p->proctypes.len * sizeof *l->frames);
    for (size_t i = 0; i < p->proctypes.len; i++) {
        u32 at = l->pc_size;
        if (p->uses_priority) l->priority_offset = at, at += 1;
        if (p->uses_c_code) at += 1; /* _pid */
        l->frames[i].size = place_all(l, p, &p->proctypes.at[i]->vars, at);
        find_kinds(l, &p->proctypes.at[i]->vars);
    }
    for (size_t i = 0; i < p->user_types.len; i++) find_kinds(l, &p->user_types.at[i]->fields);
}

static void place_globals(struct layout *l, const struct program *p)
{
    l->globals_size = sizeof(u64);
    if (p->uses_c_code) l->globals_size += 1; /* _nr_pr */
    if (p->uses_last) l->last_offset = l->globals_size, l->globals_size += 1;
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_TRACE || p->proctypes.at[i]->kind == PROC_NOTRACE)
            l->event_offset = l->globals_size, l->globals_size += 2;
    l->globals_size = place_all(l, p, &p->globals, l->globals_size);
    place_global_channels(l, p);
}

/* What the tables of a compiled model can number. */
static void check_numbers(const struct program *p, const struct flow *flow, const struct layout *l, struct diags *diags)
{
    if (p->proctypes.len > MOST_TYPES)
        diag_error(diags, p->proctypes.at[MOST_TYPES]->pos, "the model has %zu proctypes; at most %d are possible",
                   p->proctypes.len, (int)MOST_TYPES);
    for (size_t i = 0; i < flow->automata.len; i++)
        if (flow->automata.at[i].count - 1 > MOST_CONTROL)
            diag_error(diags, p->proctypes.at[i]->pos, "'%s' has %d control states; at most %d are possible",
                       p->proctypes.at[i]->name, flow->automata.at[i].count - 1, (int)MOST_CONTROL);
    if (l->too_many_channels)
        diag_error(diags, l->too_many_channels->pos, "more than %d channels; their numbers are bytes",
                   (int)MOST_FRAMES);
    if (l->too_large)
        diag_error(diags, l->too_large->pos, "with '%s' a state of this model has more than %d bytes",
                   l->too_large->name, (int)MODEL_MOST_STATE);
    if (l->kinds.len > MOST_TYPES)
        diag_error(diags, p->proctypes.at[0]->pos, "the model has %zu kinds of channels; at most %d are possible",
                   l->kinds.len, (int)MOST_TYPES);
}

int layout_build(struct program *p, const struct flow *flow, struct layout *l, struct diags *diags)
{
    int errors = diags->errors;
    assert(flow->automata.len == p->proctypes.len && !errors);
    l->pc_size = 1;
    for (size_t i = 0; i < flow->automata.len; i++)
        if (flow->automata.at[i].count > 256) l->pc_size = 2;
    for (size_t i = 0; i < p->user_types.len; i++) place_all(l, p, &p->user_types.at[i]->fields, 0);
    place_globals(l, p);
    place_frames(l, p);
    for (size_t i = 0; i < p->proctypes.len; i++) find_assigned(&p->proctypes.at[i]->body);
    for (size_t i = 0; p->uses_c_code && i < p->globals.len; i++)
        placing_of(p->globals.at[i])->constant_channel = false;
    check_numbers(p, flow, l, diags);
    return diags->errors == errors ? 0 : -1;
}

void layout_release(struct layout *l)
{
    vec_release(&l->kinds);
    vec_release(&l->global_channels);
    vec_release(&l->global_channel_at);
    arena_release(&l->arena);
}
