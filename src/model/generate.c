/* The whole model as C: types, tables, one step function per proctype, initial values. */
#include "model/internal.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void put(struct generator *g, const char *text) { str_add(&g->out, text); }

static const char *c_type(const struct type *t)
{
    if (t->base == TYPE_STRUCT) return NULL;
    switch (layout_field(t).kind) {
    case FIELD_I16: return "i16";
    case FIELD_U16: return "u16";
    case FIELD_I32: return "int";
    case FIELD_U32: return "u32";
    default: return "u8";
    }
}

/* C code of the user's calls types as Spin does: struct NAME for a typedef, P0 for the first proctype, State for all.
 */
static const char *type_prefix(const struct generator *g) { return g->program->uses_c_code ? "" : "T_"; }

static void put_member(struct generator *g, const struct var *v)
{
    if (v->type.base == TYPE_STRUCT)
        str_printf(&g->out, "    struct %s%s %s", type_prefix(g), v->type.user->name, placing_of(v)->c_name);
    else str_printf(&g->out, "    %s %s", c_type(&v->type), placing_of(v)->c_name);
    if (v->is_array) str_printf(&g->out, "[%d]", v->length);
    put(g, ";\n");
}

static void put_members(struct generator *g, const var_list *vars)
{
    for (size_t i = 0; i < vars->len; i++) put_member(g, vars->at[i]);
}

/* What c_state adds to the globals (scope Global) or to a proctype's frame (scope "Local name"). */
static void put_c_state(struct generator *g, const char *scope)
{
    for (size_t i = 0; i < g->program->c_units.len; i++) {
        const struct c_unit *u = &g->program->c_units.at[i];
        if (u->kind == C_UNIT_STATE && u->scope && !strcmp(u->scope, scope)) str_printf(&g->out, "    %s;\n", u->text);
    }
}

/* UnMatched memory is no part of Spin's comparison of states, only of backtracking. Here it is like any other, since
 * what comes next may depend on it. */
static bool is_tracked(const struct c_unit *u) { return u->kind == C_UNIT_TRACK; }

/* The name that "unsigned char *name[3]" declares. */
static const char *declared_name(struct generator *g, const char *declaration)
{
    size_t end = strcspn(declaration, "[:=");
    while (end && !isalnum((unsigned char)declaration[end - 1]) && declaration[end - 1] != '_') end--;
    size_t start = end;
    while (start && (isalnum((unsigned char)declaration[start - 1]) || declaration[start - 1] == '_')) start--;
    return arena_strndup(&g->layout->arena, declaration + start, end - start);
}

/* Through a variable of its own, so that lists in braces work as well. */
static void put_c_state_values(struct generator *g, const char *scope, const char *base)
{
    for (size_t i = 0; i < g->program->c_units.len; i++) {
        const struct c_unit *u = &g->program->c_units.at[i];
        if (u->kind != C_UNIT_STATE || !u->init || strcmp(u->scope, scope)) continue;
        const char *name = declared_name(g, u->text);
        str_printf(&g->out, "    { struct { %s; } v = { %s }; memcpy(&%s->%s, &v.%s, sizeof v.%s); }\n", u->text,
                   u->init, base, name, name, name);
    }
}

static const char *local_scope(struct generator *g, const struct proctype *p)
{
    return arena_printf(&g->layout->arena, "Local %s", p->name);
}

static void put_track_members(struct generator *g)
{
    for (size_t i = 0; i < g->program->c_units.len; i++)
        if (is_tracked(&g->program->c_units.at[i]))
            str_printf(&g->out, "    u8 track_%zu[%s];\n", i, g->program->c_units.at[i].scope);
}

static void put_types(struct generator *g)
{
    struct program *p = g->program;
    for (size_t i = 0; i < p->user_types.len; i++) {
        str_printf(&g->out, "struct %s%s {\n", type_prefix(g), p->user_types.at[i]->name);
        put_members(g, &p->user_types.at[i]->fields);
        put(g, "} __attribute__((packed));\n");
    }
    put(g, "typedef struct State {\n    u64 shape_;\n");
    if (p->uses_c_code) put(g, "    u8 _nr_pr;\n");
    if (p->uses_last) put(g, "    u8 _last;\n");
    if (g->layout->event_offset) put(g, "    u16 event_;\n");
    put_members(g, &p->globals);
    put_c_state(g, "Global");
    put_track_members(g);
    put(g, "} __attribute__((packed)) State;\n#define GLOBALS sizeof(struct State)\n");
    for (size_t i = 0; i < p->proctypes.len; i++) {
        str_printf(&g->out, "typedef struct P%zu {\n    %s _p;\n", i, g->layout->pc_size == 1 ? "u8" : "u16");
        if (p->uses_priority) put(g, "    u8 _priority;\n");
        if (p->uses_c_code) put(g, "    u8 _pid;\n");
        put_members(g, &p->proctypes.at[i]->vars);
        put_c_state(g, local_scope(g, p->proctypes.at[i]));
        str_printf(&g->out, "} __attribute__((packed)) P%zu;\n", i);
    }
}

/* c_decl is in front of the types so that c_state can use it; c_code is behind so that it can use `now`. */
static void put_c_units(struct generator *g, enum c_unit_kind kind)
{
    for (size_t i = 0; i < g->program->c_units.len; i++)
        if (g->program->c_units.at[i].kind == kind) str_printf(&g->out, "%s\n", g->program->c_units.at[i].text);
}

static void put_hidden_c_state(struct generator *g)
{
    for (size_t i = 0; i < g->program->c_units.len; i++) {
        const struct c_unit *u = &g->program->c_units.at[i];
        if (u->kind == C_UNIT_STATE && u->scope && !strcmp(u->scope, "Hidden"))
            str_printf(&g->out, "static %s%s%s;\n", u->text, u->init ? " = " : "", u->init ? u->init : "");
    }
}

/* The initial state can be asked for again, after the model's C code has run: it finds the memory as it was at first.
 */
static void put_track_start(struct generator *g)
{
    put(g, "static void track_start(u8 *n)\n{\n    static int started;\n    (void)started;\n");
    for (size_t i = 0; i < g->program->c_units.len; i++) {
        const struct c_unit *u = &g->program->c_units.at[i];
        if (!is_tracked(u)) continue;
        str_printf(&g->out, "    static u8 first_%zu[%s];\n", i, u->scope);
        str_printf(&g->out, "    if (started) memcpy(%s, first_%zu, %s);\n", u->text, i, u->scope);
        str_printf(&g->out, "    else memcpy(first_%zu, %s, %s);\n", i, u->text, u->scope);
    }
    put(g, "    started = 1;\n    track_save(n);\n}\n");
    put(g, "static inline int ask_enabled(struct stepping *r, const u8 *s, int pid)\n" /* the asked one runs its code,
                                                                                          too */
           "{\n    int result = r->host->enabled(r, s, pid);\n    track_load(s);\n    return result;\n}\n");
}

static void put_tracking(struct generator *g)
{
    put(g, "static void track_load(const u8 *s)\n{\n    (void)s;\n");
    for (size_t i = 0; i < g->program->c_units.len; i++)
        if (is_tracked(&g->program->c_units.at[i]))
            str_printf(&g->out, "    memcpy(%s, ((struct State *)s)->track_%zu, %s);\n", g->program->c_units.at[i].text,
                       i, g->program->c_units.at[i].scope);
    put(g, "}\nstatic void track_save(u8 *n)\n{\n    (void)n;\n");
    for (size_t i = 0; i < g->program->c_units.len; i++)
        if (is_tracked(&g->program->c_units.at[i]))
            str_printf(&g->out, "    memcpy(((struct State *)n)->track_%zu, %s, %s);\n", i,
                       g->program->c_units.at[i].text, g->program->c_units.at[i].scope);
    put(g, "}\n");
    put_track_start(g);
}

static void put_kinds(struct generator *g)
{
    for (size_t i = 0; i < g->layout->kinds.len; i++) {
        const struct channel_kind *k = &g->layout->kinds.at[i];
        str_printf(&g->out, "static const struct channel_field fields_%zu[] = {", i);
        for (u32 f = 0; f < k->field_count; f++)
            str_printf(&g->out, "{%d, %d, %d}, ", k->fields[f].kind, k->fields[f].bits, k->fields[f].at);
        put(g, "{0, 0, 0}};\n");
    }
    put(g, "static const struct channel_kind kinds[] = {\n");
    for (size_t i = 0; i < g->layout->kinds.len; i++) {
        const struct channel_kind *k = &g->layout->kinds.at[i];
        str_printf(&g->out, "    {%u, %u, %u, %u, %u, fields_%zu},\n", k->capacity, k->slot_size, k->length_size,
                   k->frame_size, k->field_count, i);
    }
    put(g, "    {0, 0, 0, 0, 0, 0}};\n");
}

/* What step_int.h cannot know: the sizes of this model. */
static void put_support(struct generator *g)
{
    str_printf(&g->out, "#define Hs (r->shape)\n#define Hn (r->next_shape)\n#define PC_SIZE %u\n", g->layout->pc_size);
    if (!g->program->uses_np) return;
    put(g, "static int non_progress(const struct shape *h, const u8 *s)\n{\n    for (u32 i = 0; i < h->process_count; "
           "i++)\n"
           "        switch ((u32)h->process_type[i] << 16 | (u32)hd_pc(h, s, (int)i, PC_SIZE)) {\n");
    for (size_t i = 0; i < g->flow->automata.len; i++)
        for (int c = 1; c < g->flow->automata.at[i].count; c++)
            if (g->flow->automata.at[i].at[c].progress)
                str_printf(&g->out, "        case %zuu << 16 | %du: return 0;\n", i, c);
    put(g, "        default: break;\n        }\n    return 1;\n}\n");
}

static void put_initial_element(struct generator *g, const struct var *v, const char *place, const char *new_channel)
{
    if (v->channel) {
        str_printf(&g->out, "    %s = (u8)", place);
        str_printf(&g->out, new_channel, layout_kind_of(g->layout, v->channel));
        put(g, ";\n");
    } else {
        put(g, "    { int v = ");
        generate_expr(g, v->init);
        put(g, "; ");
        generate_store_at(g, place, v, "v");
        put(g, " }\n");
    }
}

/* The last value of a list that is too short serves all remaining elements. */
static void put_initial_list(struct generator *g, const struct var *v, const char *place)
{
    int listed = MIN((int)v->array_init.len, v->length);
    for (int i = 0; i < listed; i++)
        str_printf(&g->out, "    %s[%d] = %d;\n", place, i, v->array_init.at[i]->value);
    str_printf(&g->out, "    for (int i = %d; i < %d; i++) %s[i] = %d;\n", listed, v->length, place,
               v->array_init.at[listed - 1]->value);
}

static void put_initial(struct generator *g, const struct var *v, const char *place, const char *new_channel);

static void put_initial_fields(struct generator *g, const struct var *v, const char *place, const char *new_channel)
{
    const var_list *fields = &v->type.user->fields;
    for (size_t i = 0; i < fields->len; i++) {
        struct str field = {0};
        str_printf(&field, "%s.%s", place, placing_of(fields->at[i])->c_name);
        put_initial(g, fields->at[i], str_get(&field), new_channel);
        str_release(&field);
    }
}

/* What a declaration gives the variable at `place`; new_channel is C that makes a channel of kind %d. A value after the
 * name of a variable of a typedef is ignored, as Spin does: only its fields have initial values. */
static void put_initial(struct generator *g, const struct var *v, const char *place, const char *new_channel)
{
    if (!layout_has_initial(v)) return;
    if (v->array_init.len) {
        put_initial_list(g, v, place);
        return;
    }
    struct str element = {0};
    int i = g->unique++;
    str_add(&element, place);
    if (v->is_array) {
        str_printf(&g->out, "    for (int i%d = 0; i%d < %d; i%d++) {\n", i, i, v->length, i);
        str_printf(&element, "[i%d]", i);
    }
    if (v->type.base == TYPE_STRUCT) put_initial_fields(g, v, str_get(&element), new_channel);
    else put_initial_element(g, v, str_get(&element), new_channel);
    if (v->is_array) put(g, "    }\n");
    str_release(&element);
}

static const char *member_text(struct generator *g, const char *base, const struct var *v)
{
    return arena_printf(&g->layout->arena, "%s->%s", base, placing_of(v)->c_name);
}

/* A parameter of a typedef takes one argument for each of its fields. */
static int argument_count(const struct proctype *p)
{
    int n = 0;
    for (int i = 0; i < p->parameter_count; i++) n += layout_leaf_count(&p->vars.at[i]->type);
    return n;
}

static void put_run_head(struct generator *g, const struct proctype *p, const char *end)
{
    str_printf(&g->out, "static int run_%d(struct stepping *r, u8 *n, int caller, int priority", p->index);
    for (int i = 0, count = argument_count(p); i < count; i++) str_printf(&g->out, ", int a%d", i);
    str_printf(&g->out, ")%s", end);
}

static void put_parameter(struct generator *g, const struct var *v, const char *place, int *next)
{
    assert(!v->is_array);
    if (v->type.base != TYPE_STRUCT) {
        char argument[32];
        snprintf(argument, sizeof argument, "a%d", (*next)++);
        put(g, "    ");
        generate_store_at(g, place, v, argument);
        put(g, "\n");
        return;
    }
    const var_list *fields = &v->type.user->fields;
    for (size_t i = 0; i < fields->len; i++)
        put_parameter(g, fields->at[i],
                      arena_printf(&g->layout->arena, "%s.%s", place, placing_of(fields->at[i])->c_name), next);
}

/* A declaration further down is a statement: until then its variable is 0, but the fields of a typedef have their
 * values. */
static void put_locals(struct generator *g, const struct proctype *p)
{
    int next = 0;
    for (size_t i = 0; i < p->vars.len; i++) {
        const struct var *v = p->vars.at[i];
        if ((int)i < p->parameter_count) put_parameter(g, v, member_text(g, "pn", v), &next);
        else if (v->hoisted || v->type.base == TYPE_STRUCT)
            put_initial(g, v, member_text(g, "pn", v), "r->host->channel(r, n, %d)");
    }
    assert(next == argument_count(p));
}

static void put_dead_at_start(struct generator *g, const struct automaton *a)
{
    const struct proctype *p = a->proctype;
    u8 **live = g->merging->liveness.live ? g->merging->liveness.live[p->index] : NULL;
    if (!live) return;
    u32 n = g->layout->frames[p->index].size;
    u8 *dead = xcalloc(n + 1, 1);
    for (u32 i = 0; i < n; i++) dead[i] = !live[a->initial][i];
    for (size_t i = 0; i < p->vars.len; i++) generate_clear_local(g, p->vars.at[i], dead);
    free(dead);
}

static void put_run(struct generator *g, const struct automaton *a)
{
    struct proctype *p = a->proctype;
    g->proctype = p;
    g->state = 'n';
    put_run_head(g, p, "\n{\n");
    put(g, "    struct State *gn = (struct State *)n;\n    (void)gn, (void)caller, (void)priority;\n");
    str_printf(&g->out, "    int pid = r->host->start(r, n, %d);\n", p->index);
    put(g, "    if (pid < 0) return hd_problem(r, \"too many processes\");\n");
    str_printf(&g->out, "    struct P%d *pn = (struct P%d *)(n + r->next_shape->process_at[pid]);\n", p->index,
               p->index);
    str_printf(&g->out, "    pn->_p = %d;\n", a->initial);
    if (g->program->uses_priority) put(g, "    pn->_priority = (u8)priority;\n");
    if (g->program->uses_c_code) put(g, "    pn->_pid = (u8)pid;\n    gn->_nr_pr = (u8)Hn->process_count;\n");
    put_locals(g, p);
    put_c_state_values(g, local_scope(g, p), "pn");
    put_dead_at_start(g, a);
    put(g, "    return pid;\n}\n");
}

/* What is written there means nothing between two steps. */
static void put_scratch_at_start(struct generator *g)
{
    const u8 *shared = g->merging->liveness.shared;
    u8 *scratch = xcalloc(g->layout->globals_size + 1, 1);
    for (u32 i = 0; shared && i < g->layout->globals_size; i++) scratch[i] = !shared[i];
    for (size_t i = 0; shared && i < g->program->globals.len; i++)
        generate_clear_global(g, g->program->globals.at[i], scratch);
    free(scratch);
}

static void put_start(struct generator *g)
{
    struct program *p = g->program;
    g->proctype = NULL;
    g->state = 'n';
    put(g, "static void model_start(struct stepping *r, u8 *n)\n{\n    struct State *gn = (struct State *)n;\n"
           "    int channel = 1;\n    (void)gn, (void)channel;\n");
    for (size_t i = 0; i < p->globals.len; i++) /* the channels are there already, in the order of the variables */
        put_initial(g, p->globals.at[i], member_text(g, "gn", p->globals.at[i]), "channel++ /* of kind %d */");
    for (size_t i = 0; i < p->proctypes.len; i++)
        if (p->proctypes.at[i]->kind == PROC_TRACE || p->proctypes.at[i]->kind == PROC_NOTRACE)
            str_printf(&g->out, "    gn->event_ = %d;\n", g->flow->automata.at[i].initial);
    put_c_state_values(g, "Global", "gn");
    put(g, "    track_start(n);\n");
    for (size_t i = 0; i < p->proctypes.len; i++)
        for (int k = 0; k < p->proctypes.at[i]->active; k++) {
            int priority = p->proctypes.at[i]->priority;
            str_printf(&g->out, "    run_%zu(r, n, %d, %d", i, (int)NO_PID, priority ? priority : 1);
            for (int a = 0, count = argument_count(p->proctypes.at[i]); a < count; a++) put(g, ", 0");
            put(g, ");\n");
        }
    put_scratch_at_start(g);
    put(g, "}\n");
}

static void put_allowed(struct generator *g)
{
    struct program *p = g->program;
    g->state = 's';
    g->only_asks = true;
    put(g, "static int provided_at(struct stepping *r, const u8 *s, int pid)\n{\n    struct State *gs = (struct State "
           "*)s;\n"
           "    (void)gs;\n    track_load(s);\n    switch (Hs->process_type[pid]) {\n");
    for (size_t i = 0; i < p->proctypes.len; i++) {
        if (!p->proctypes.at[i]->provided) continue;
        g->proctype = p->proctypes.at[i];
        str_printf(&g->out,
                   "    case %zu: { struct P%zu *ps = (struct P%zu *)(s + Hs->process_at[pid]); (void)ps; return ", i,
                   i, i);
        generate_expr(g, p->proctypes.at[i]->provided);
        put(g, "; }\n");
    }
    g->only_asks = false;
    put(g, "    default: return 1;\n    }\n}\n");
    put(g, "static int model_allowed(struct stepping *r, const u8 *s, int pid)\n{\n    if (!provided_at(r, s, pid)) "
           "return "
           "0;\n");
    if (p->uses_priority)
        put(g,
            "    for (u32 i = 0; i < Hs->process_count; i++)\n"
            "        if ((int)i != pid && hd_priority(Hs, s, (int)i, PC_SIZE) > hd_priority(Hs, s, pid, PC_SIZE) &&\n"
            "            provided_at(r, s, (int)i) && ask_enabled(r, s, (int)i)) return 0;\n");
    put(g, "    return 1;\n}\n");
}

static void put_step_head(struct generator *g, const struct automaton *a, const char *name, const char *extra)
{
    int i = a->proctype->index;
    str_printf(&g->out, "static void %s_%d(struct stepping *r, const u8 *s, u32 off, int pid%s)\n{\n", name, i, extra);
    str_printf(&g->out,
               "    struct State *gs = (struct State *)s, *gn;\n    struct P%d *ps = (struct P%d *)(s + off), *pn;\n",
               i, i);
    put(g, "    u8 *n;\n    int moved = 0, escape = 0;\n    (void)gs, (void)gn, (void)pn, (void)n, (void)moved, "
           "(void)escape;\n");
    put(g, "    switch (ps->_p) {\n");
}

static void put_step(struct generator *g, const struct automaton *a)
{
    g->proctype = a->proctype;
    put_step_head(g, a, "step", "");
    for (int c = 1; c < a->count; c++) {
        if (!a->at[c].edges.len) continue;
        str_printf(&g->out, "    case %d:\n", c);
        for (size_t k = 0; k < a->at[c].edges.len; k++) generate_edge(g, a, &a->at[c].edges.at[k], c);
        put(g, "        break;\n");
    }
    put(g, "    default: break;\n    }\n}\n");
}

static void put_offer(struct generator *g, const struct automaton *a)
{
    g->proctype = a->proctype;
    put_step_head(g, a, "offer", ", u32 channel");
    for (int c = 1; c < a->count; c++) {
        size_t start = g->out.len;
        str_printf(&g->out, "    case %d:\n", c);
        size_t empty = g->out.len;
        for (size_t k = 0; k < a->at[c].edges.len; k++) generate_offered_edge(g, a, &a->at[c].edges.at[k], c);
        if (g->out.len == empty) g->out.len = start;
        else put(g, "        break;\n");
    }
    g->out.at[g->out.len] = 0;
    put(g, "    default: break;\n    }\n    (void)channel;\n}\n");
}

/* A never claim only looks: the states it can go to from control state pc while the model is in s. */
static void put_claim(struct generator *g, const struct automaton *a)
{
    g->proctype = NULL;
    g->state = 's';
    str_printf(&g->out, "static int claim_%d(struct stepping *r, const u8 *s, int pc, int *to)\n{\n",
               a->proctype->index);
    put(g, "    struct State *gs = (struct State *)s;\n    int n = 0, pid = -1;\n    (void)gs, (void)pid, (void)r;\n");
    put(g, "    track_load(s);\n    switch (pc) {\n");
    for (int c = 1; c < a->count; c++) {
        if (!a->at[c].edges.len) continue;
        str_printf(&g->out, "    case %d:\n", c);
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (e->kind == EDGE_END) continue;
            put(g, "        if (");
            if (e->kind == EDGE_ELSE) put(g, "!n");
            else if (e->kind == EDGE_STMT && e->stmt->kind == STMT_EXPR) generate_expr(g, e->stmt->a);
            else put(g, "1");
            put(g, ") ");
            if (e->kind == EDGE_STMT && e->stmt->kind == STMT_ASSERT) {
                put(g, "{ hd_assert(r, ");
                generate_expr(g, e->stmt->a);
                put(g, ", ");
                generate_literal(g, e->text);
                str_printf(&g->out, "); to[n++] = %d; }\n", e->to);
            } else {
                str_printf(&g->out, "to[n++] = %d;\n", e->to);
            }
        }
        put(g, "        break;\n");
    }
    put(g, "    default: break;\n    }\n    return n;\n}\n");
}

static bool runs(const struct proctype *p) { return p->kind == PROC_PROCTYPE || p->kind == PROC_INIT; }

static void put_table(struct generator *g, const char *type, const char *name, const char *function)
{
    str_printf(&g->out, "static %s *const %s[] = {", type, name);
    for (size_t i = 0; i < g->flow->automata.len; i++)
        if (runs(g->flow->automata.at[i].proctype)) str_printf(&g->out, "%s_%zu, ", function, i);
        else put(g, "0, ");
    put(g, "0};\n");
}

static void put_exports(struct generator *g)
{
    put_table(g, "step_function", "step_table", "step");
    put_table(g, "offer_function", "offer_table", "offer");
    put(g, "static claim_function *const claim_table[] = {");
    for (size_t i = 0; i < g->flow->automata.len; i++)
        if (g->flow->automata.at[i].proctype->kind == PROC_NEVER) str_printf(&g->out, "claim_%zu, ", i);
        else put(g, "0, ");
    put(g, "0};\n");
    put(g, "static const u32 frame_sizes[] = {");
    for (size_t i = 0; i < g->flow->automata.len; i++) str_printf(&g->out, "sizeof(struct P%zu), ", i);
    put(g, "0};\n");
    put(g,
        "const struct code heddle_model = {.step = step_table, .offer = offer_table, .start = model_start,\n"
        "    .allowed = model_allowed, .claim = claim_table, .globals_size = GLOBALS, .frame_sizes = frame_sizes};\n");
}

void generate_model(struct generator *g)
{
    const struct flow *flow = g->flow;
    put(g, model_step_text());
    put_c_units(g, C_UNIT_DECL);
    put_types(g);
    if (g->program->uses_c_code)
        put(g, "static struct State *heddle_now;\nstatic const struct shape *heddle_shape;\n#define now (*heddle_now)\n"
               "#define pptr(pid) ((void *)((u8 *)heddle_now + heddle_shape->process_at[pid]))\n"
               "static int Printf(const char *format, ...) { (void)format; return 0; } /* speaks only when Spin "
               "replays a trail */\n");
    put_hidden_c_state(g);
    put_c_units(g, C_UNIT_CODE);
    put_tracking(g);
    put_kinds(g);
    put_support(g);
    generate_event(g);
    generate_exclusive(g);
    for (size_t i = 0; i < flow->automata.len; i++)
        if (runs(flow->automata.at[i].proctype)) put_run_head(g, flow->automata.at[i].proctype, ";\n");
    struct str front = g->out;
    g->out = (struct str){0};
    for (size_t i = 0; i < flow->automata.len; i++)
        if (runs(flow->automata.at[i].proctype)) {
            put_run(g, &flow->automata.at[i]);
            put_step(g, &flow->automata.at[i]);
            put_offer(g, &flow->automata.at[i]);
        } else if (flow->automata.at[i].proctype->kind == PROC_NEVER) {
            put_claim(g, &flow->automata.at[i]);
        }
    put_start(g);
    put_allowed(g);
    put_exports(g);
    struct str back = g->out;
    g->out = front;
    put(g, str_get(&g->helpers));
    put(g, str_get(&back));
    str_release(&back);
    str_release(&g->helpers);
}
