/* Dead values: what will be written before it is read again is cleared, so that states which differ only in it are one.
 *
 * Backward data flow over the control states of a proctype, byte by byte of its frame, so that elements of arrays
 * (where the index is a constant) and fields of structures live and die by themselves. A d_step is one edge, but it is
 * followed inside: what it writes before it reads is not read by it.
 *
 * Globals are followed the same way. One that is dead wherever some process can rest is scratch: no process reads what
 * another, or an earlier step, has left there, so the value between two steps means nothing. Nor does a value that
 * nobody reads at all, and one that is only counted up or down is not read by that. What claims read is no scratch. */
#include "model/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26, MOST_GLOBALS = 1 << 12 }; /* of all sets of a proctype; with more, nothing is cleared */

/* Bytes of a frame, then of the globals. */
struct domain { u32 frame, globals; unsigned without; };

struct flow_through {
    struct domain d;
    VEC(const u8 *) exits;   /* where `break` leads, innermost last: what is live there */
    const struct label **labels;
    u8 **at_label;           /* what is live in front of the statement with the label */
    size_t label_count;
    bool changed;            /* at some label */
};

static size_t size_of(const struct domain *d) { return (size_t)d->frame + d->globals; }

/* The bytes that a reference may mean; true if it means all of them. */
static bool bytes_of(const struct ref *r, const struct domain *d, u32 *from, u32 *size)
{
    const struct var *first = r->parts.at[0].var;
    *from = first->owner ? 0 : d->frame;
    for (size_t i = 0; i < r->parts.len; i++) {
        const struct ref_part *part = &r->parts.at[i];
        const struct placing *p = placing_of(part->var);
        *from += p->offset, *size = p->size;
        bool plain = !part->var->is_array && part->var->type.base != TYPE_STRUCT;
        if (!plain && d->without & ANALYSIS_ELEMENTS) return false;
        if (!part->var->is_array) continue;
        bool known = part->index && part->index->kind == EXPR_CONST;
        if (!known || part->index->value < 0 || part->index->value >= part->var->length) return false;
        *from += (u32)part->index->value * p->element_size;
        *size = p->element_size;
    }
    return true;
}

static bool is_followed(const struct ref *r, const struct domain *d)
{
    return r->parts.len && (r->parts.at[0].var->owner || d->globals);
}

static void set_bytes(u8 *set, const struct ref *r, const struct domain *d, u8 value)
{
    u32 from, size;
    if (!is_followed(r, d)) return;
    bool exact = bytes_of(r, d, &from, &size);
    assert((uint64_t)from + size <= size_of(d));
    if (exact || value) memset(set + from, value, size);
}

/* ---- what is read ---- */

static void read_expr(const struct expr *e, const struct domain *d, u8 *set);

static void read_indexes(const struct ref *r, const struct domain *d, u8 *set)
{
    for (size_t i = 0; i < r->parts.len; i++) read_expr(r->parts.at[i].index, d, set);
}

static void read_expr(const struct expr *e, const struct domain *d, u8 *set)
{
    if (!e) return;
    if (e->kind == EXPR_VAR) set_bytes(set, &e->ref, d, 1);
    read_indexes(&e->ref, d, set);
    read_expr(e->a, d, set);
    read_expr(e->b, d, set);
    read_expr(e->c, d, set);
    for (size_t i = 0; i < e->args.len; i++) read_expr(e->args.at[i], d, set);
}

/* x++ or x-- where nothing of x is live behind it. Whether x is read there makes no difference to anything: the step
 * cannot fail because of the value, and whatever comes of it is not read. */
static bool counts_for_nobody(const struct stmt *s, const struct domain *d, const u8 *behind)
{
    u32 from, size;
    if (s->kind != STMT_ASSIGN || s->blank_target || !is_followed(&s->ref, d) || s->a->kind != EXPR_BINARY)
        return false;
    bool same = s->a->a->kind == EXPR_VAR && s->a->a->ref.parts.at == s->ref.parts.at; /* as x++ is read */
    if (!same || s->a->b->kind != EXPR_CONST || (s->a->op != OP_ADD && s->a->op != OP_SUB)) return false;
    bytes_of(&s->ref, d, &from, &size);
    return !memchr(behind + from, 1, size);
}

static bool is_target(const struct stmt *s, const struct expr *e)
{
    return s->kind == STMT_RECEIVE && e->kind == EXPR_VAR;
}

static bool is_counting(const struct stmt *s)
{
    return s->kind == STMT_FOR_RANGE || s->kind == STMT_FOR_ARRAY || s->kind == STMT_FOR_CHANNEL ||
           s->kind == STMT_SELECT;
}

/* By the statement itself, without what is inside it. */
static void read_here(const struct stmt *s, const struct domain *d, u8 *set)
{
    read_expr(s->a, d, set);
    read_expr(s->b, d, set);
    read_indexes(&s->ref, d, set);
    for (size_t i = 0; i < s->args.len; i++)
        if (is_target(s, s->args.at[i])) read_indexes(&s->args.at[i]->ref, d, set);
        else read_expr(s->args.at[i], d, set);
    if (s->kind != STMT_DECL) return;
    read_expr(s->var->init, d, set);
    for (size_t i = 0; i < s->var->array_init.len; i++) read_expr(s->var->array_init.at[i], d, set);
}

static struct ref plain_ref(struct ref_part *part, struct var *v)
{
    *part = (struct ref_part){.var = v};
    struct ref r = {0};
    r.parts.at = part, r.parts.len = 1;
    return r;
}

static void read_list(const stmt_list *list, const struct domain *d, u8 *set);

/* Everything that may be read in it. */
static void read_all(const struct stmt *s, const struct domain *d, u8 *set)
{
    struct ref_part part;
    read_here(s, d, set);
    if (is_counting(s)) set_bytes(set, &s->ref, d, 1);
    if (s->kind == STMT_FOR_CHANNEL) {
        struct ref counter = plain_ref(&part, s->var);
        set_bytes(set, &counter, d, 1);
    }
    for (size_t i = 0; i < s->options.len; i++) read_list(&s->options.at[i], d, set);
    read_list(&s->body, d, set);
    read_list(&s->escape, d, set);
}

static void read_list(const stmt_list *list, const struct domain *d, u8 *set)
{
    for (size_t i = 0; i < list->len; i++) read_all(list->at[i], d, set);
}

/* ---- what is written ---- */

static bool is_plain(const struct var *v) { return !v->is_array && v->type.base != TYPE_STRUCT; }

/* Surely (value 0) or perhaps (value 1), by the statement itself. */
static void write_here(const struct stmt *s, const struct domain *d, u8 *set, u8 value)
{
    struct ref_part part;
    if (s->kind == STMT_ASSIGN && !s->blank_target) set_bytes(set, &s->ref, d, value);
    if (s->kind == STMT_DECL && (value || is_plain(s->var))) {
        struct ref r = plain_ref(&part, s->var);
        set_bytes(set, &r, d, value);
    }
    for (size_t i = 0; i < s->args.len; i++)
        if (is_target(s, s->args.at[i])) set_bytes(set, &s->args.at[i]->ref, d, value);
}

static void write_list(const stmt_list *list, const struct domain *d, u8 *set);

static void write_all(const struct stmt *s, const struct domain *d, u8 *set)
{
    struct ref_part part;
    write_here(s, d, set, 1);
    if (is_counting(s)) set_bytes(set, &s->ref, d, 1);
    if (s->kind == STMT_FOR_CHANNEL) {
        struct ref counter = plain_ref(&part, s->var);
        set_bytes(set, &counter, d, 1);
    }
    for (size_t i = 0; i < s->options.len; i++) write_list(&s->options.at[i], d, set);
    write_list(&s->body, d, set);
    write_list(&s->escape, d, set);
}

static void write_list(const stmt_list *list, const struct domain *d, u8 *set)
{
    for (size_t i = 0; i < list->len; i++) write_all(list->at[i], d, set);
}

static void pass_basic(const struct stmt *s, const struct domain *d, u8 *set)
{
    if (counts_for_nobody(s, d, set)) {
        read_indexes(&s->ref, d, set);
        return;
    }
    write_here(s, d, set, 0);
    read_here(s, d, set);
}

/* ---- through a d_step, backwards: `set` is what is live behind, and becomes what is live in front ---- */

static bool join(u8 *into, const u8 *from, size_t n)
{
    bool changed = false;
    for (size_t i = 0; i < n; i++)
        if (from[i] && !into[i]) into[i] = 1, changed = true;
    return changed;
}

static void pass_list(struct flow_through *f, const stmt_list *list, u8 *set);

static u8 *copy_of(const struct flow_through *f, const u8 *set)
{
    u8 *copy = xmalloc(size_of(&f->d) + 1);
    memcpy(copy, set, size_of(&f->d));
    return copy;
}

/* What is live in front of one of the options when `behind` is live behind each. */
static void join_options(struct flow_through *f, const struct stmt *s, const u8 *behind, u8 *into)
{
    for (size_t i = 0; i < s->options.len; i++) {
        u8 *option = copy_of(f, behind);
        pass_list(f, &s->options.at[i], option);
        join(into, option, size_of(&f->d));
        free(option);
    }
}

static void pass_choice(struct flow_through *f, const struct stmt *s, u8 *set)
{
    u8 *behind = copy_of(f, set);
    memset(set, 0, size_of(&f->d));
    join_options(f, s, behind, set);
    free(behind);
}

static void pass_loop(struct flow_through *f, const struct stmt *s, u8 *set)
{
    u8 *behind = copy_of(f, set), *around = xcalloc(size_of(&f->d) + 1, 1);
    vec_push(&f->exits, behind);
    for (bool changed = true; changed;) {
        u8 *before = xcalloc(size_of(&f->d) + 1, 1);
        join_options(f, s, around, before);
        changed = join(around, before, size_of(&f->d));
        free(before);
    }
    f->exits.len--;
    memcpy(set, around, size_of(&f->d));
    free(behind);
    free(around);
}

/* counter = from; while counter <= to { body; counter++ } */
static void pass_counting(struct flow_through *f, const struct stmt *s, u8 *set)
{
    u8 *behind = copy_of(f, set), *around = copy_of(f, set);
    vec_push(&f->exits, behind);
    for (bool changed = true; changed;) {
        u8 *body = copy_of(f, around);
        set_bytes(body, &s->ref, &f->d, 1);
        pass_list(f, &s->body, body);
        set_bytes(body, &s->ref, &f->d, 1);
        read_here(s, &f->d, body);
        changed = join(around, body, size_of(&f->d));
        free(body);
    }
    f->exits.len--;
    memcpy(set, around, size_of(&f->d));
    set_bytes(set, &s->ref, &f->d, 0);
    read_here(s, &f->d, set);
    free(behind);
    free(around);
}

/* Kills nothing. */
static void pass_for_channel(struct flow_through *f, const struct stmt *s, u8 *set)
{
    u8 *behind = copy_of(f, set);
    vec_push(&f->exits, behind);
    read_all(s, &f->d, set);
    for (bool changed = true; changed;) {
        u8 *body = copy_of(f, set);
        pass_list(f, &s->body, body);
        changed = join(set, body, size_of(&f->d));
        free(body);
    }
    f->exits.len--;
    free(behind);
}

static size_t label_number(const struct flow_through *f, const struct label *l)
{
    for (size_t i = 0; i < f->label_count; i++)
        if (f->labels[i] == l) return i;
    BUG("label %s is not listed", l->name);
}

static void pass_stmt(struct flow_through *f, const struct stmt *s, u8 *set)
{
    switch (s->kind) {
    case STMT_IF: pass_choice(f, s, set); break;
    case STMT_DO: pass_loop(f, s, set); break;
    case STMT_ATOMIC:
    case STMT_D_STEP:
    case STMT_BLOCK:
    case STMT_UNLESS: pass_list(f, &s->body, set); break; /* there is no escape from a d_step */
    case STMT_FOR_RANGE:
    case STMT_FOR_ARRAY: pass_counting(f, s, set); break;
    case STMT_SELECT:
        set_bytes(set, &s->ref, &f->d, 0);
        read_here(s, &f->d, set);
        break;
    case STMT_FOR_CHANNEL: pass_for_channel(f, s, set); break;
    case STMT_GOTO: memcpy(set, f->at_label[label_number(f, s->label)], size_of(&f->d)); break;
    case STMT_BREAK:
        if (f->exits.len) memcpy(set, vec_last(&f->exits), size_of(&f->d));
        else memset(set, 1, size_of(&f->d));
        break;
    case STMT_ELSE: break;
    default: pass_basic(s, &f->d, set); break;
    }
    for (size_t i = 0; i < s->labels.len; i++)
        f->changed |= join(f->at_label[label_number(f, s->labels.at[i])], set, size_of(&f->d));
}

static void pass_list(struct flow_through *f, const stmt_list *list, u8 *set)
{
    for (size_t i = list->len; i-- > 0;) pass_stmt(f, list->at[i], set);
}

static void pass_d_step(const struct automaton *a, const struct domain *d, const struct stmt *s, u8 *set)
{
    size_t n = a->proctype->labels.len;
    assert(s->kind == STMT_D_STEP);
    struct flow_through f = {.d = *d, .label_count = n};
    f.labels = xcalloc(n + 1, sizeof *f.labels);
    f.at_label = xcalloc(n + 1, sizeof *f.at_label);
    for (size_t i = 0; i < n; i++) f.labels[i] = a->proctype->labels.at[i], f.at_label[i] = xcalloc(size_of(d) + 1, 1);
    u8 *behind = copy_of(&f, set);
    do {
        f.changed = false;
        memcpy(set, behind, size_of(d));
        pass_list(&f, &s->body, set);
    } while (f.changed);
    assert(!f.exits.len);
    for (size_t i = 0; i < n; i++) free(f.at_label[i]);
    free(behind);
    free(f.labels);
    free(f.at_label);
    vec_release(&f.exits);
}

/* ---- over the automaton ---- */

static void pass_edge(const struct automaton *a, const struct domain *d, const struct edge *e, u8 *set)
{
    if (e->kind == EDGE_D_STEP && d->without & ANALYSIS_D_STEP) read_all(e->stmt, d, set);
    else if (e->kind == EDGE_D_STEP) pass_d_step(a, d, e->stmt, set);
    if (e->kind == EDGE_STMT) pass_basic(e->stmt, d, set);
}

static u8 **find_live(struct promela_model *m, const struct automaton *a, const struct domain *d, struct arena *arena)
{
    size_t n = size_of(d);
    u8 **live = arena_alloc(arena, (size_t)a->count * sizeof *live), *scratch = xcalloc(n + 1, 1);
    for (int c = 0; c < a->count; c++) live[c] = arena_alloc(arena, n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = a->count - 1; c > 0 && !model_is_over(m); c--)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                const struct edge *e = &a->at[c].edges.at[k];
                memcpy(scratch, live[e->to], n); /* nothing is live at 0, the end */
                pass_edge(a, d, e, scratch);
                changed |= join(live[c], scratch, n);
            }
    }
    for (size_t i = 0; i < n; i++) assert_costly(!live[0][i]);
    free(scratch);
    return live;
}

/* What somebody else looks at, or looks at at any time. */
static void keep_watched(const struct automaton *a, const struct domain *d, u8 **live)
{
    const struct proctype *p = a->proctype;
    for (int c = 0; c < a->count; c++) {
        for (size_t i = 0; i < p->vars.len; i++) {
            const struct placing *at = placing_of(p->vars.at[i]);
            const struct var *v = p->vars.at[i];
            if (v->remote_read || v->local || v->claimed) memset(live[c] + at->offset, 1, at->size);
        }
        read_expr(p->provided, d, live[c]);
    }
}

static void find_resting(const struct automaton *a, bool *rests)
{
    rests[a->initial] = true;
    for (int c = 1; c < a->count; c++)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (edge_may_rest(a, e)) rests[e->to] = true;
        }
}

static bool is_claim(const struct automaton *a)
{
    return a->proctype->kind != PROC_PROCTYPE && a->proctype->kind != PROC_INIT;
}

/* What the first values of locals are made of is read by whoever starts the process. */
static void read_first_values(const struct proctype *p, const struct domain *d, u8 *shared)
{
    u8 *read = xcalloc(size_of(d) + 1, 1);
    for (size_t i = 0; i < p->vars.len; i++) {
        read_expr(p->vars.at[i]->init, d, read);
        for (size_t k = 0; k < p->vars.at[i]->array_init.len; k++) read_expr(p->vars.at[i]->array_init.at[k], d, read);
    }
    join(shared, read + d->frame, d->globals);
    free(read);
}

/* Globals that some process may read while it rests, or a claim. */
static void find_shared(const struct automaton *a, const struct domain *d, u8 *const *live, u8 *shared)
{
    read_first_values(a->proctype, d, shared);
    bool *rests = xcalloc((size_t)a->count, sizeof *rests);
    find_resting(a, rests);
    for (int c = 1; c < a->count; c++) {
        if (rests[c] || is_claim(a)) join(shared, live[c] + d->frame, d->globals);
        for (size_t k = 0; is_claim(a) && k < a->at[c].edges.len; k++) {
            u8 *read = xcalloc(size_of(d) + 1, 1);
            if (a->at[c].edges.at[k].stmt) read_all(a->at[c].edges.at[k].stmt, d, read);
            join(shared, read + d->frame, d->globals);
            free(read);
        }
    }
    free(rests);
}

/* Only numbers are cleared: a channel has its number for as long as it lives. */
static void keep_channels(const struct program *p, u8 *shared)
{
    for (size_t i = 0; i < p->globals.len; i++) {
        const struct var *v = p->globals.at[i];
        const struct placing *at = placing_of(v);
        bool has_channels = v->type.base == TYPE_CHAN || v->type.base == TYPE_STRUCT;
        if (has_channels || v->show) memset(shared + at->offset, 1, at->size);
    }
}

void liveness_written(const struct layout *l, const struct automaton *a, const struct edge *e, u8 *frame, u8 *globals)
{
    struct domain d = {l->frames[a->proctype->index].size, globals ? l->globals_size : 0, 0};
    u8 *set = xcalloc(size_of(&d) + 1, 1);
    if (e->kind == EDGE_STMT || e->kind == EDGE_D_STEP) write_all(e->stmt, &d, set);
    memcpy(frame, set, d.frame);
    if (globals) memcpy(globals, set + d.frame, d.globals);
    free(set);
}

void liveness_build(struct promela_model *m, const struct program *p, const struct flow *flow,
                    const struct layout *l, unsigned without, struct arena *arena, struct liveness *out)
{
    size_t n = flow->automata.len;
    u32 globals = l->globals_size <= MOST_GLOBALS && !(without & ANALYSIS_SCRATCH) ? l->globals_size : 0;
    u8 *shared = arena_alloc(arena, globals + 1);
    out->live = arena_alloc(arena, n * sizeof *out->live);
    if (globals) keep_channels(p, shared);
    for (size_t i = 0; i < n && !model_is_over(m); i++) {
        const struct automaton *a = &flow->automata.at[i];
        struct domain d = {l->frames[i].size, globals, without};
        bool fits = (uint64_t)size_of(&d) * (uint64_t)a->count <= MOST_BYTES;
        if (!fits) memset(shared, 1, globals);
        if (!fits) continue;
        out->live[i] = find_live(m, a, &d, arena);
        keep_watched(a, &d, out->live[i]);
        find_shared(a, &d, out->live[i], shared);
    }
    out->shared = globals ? shared : NULL;
}
