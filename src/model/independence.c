/* When may one process go first? If nothing that the others can still do, before it moves, depends on what it does
 * next.
 *
 * For every control state we know what a step from there touches, and what the process may touch from there on, for
 * ever: bytes of global variables (an array element where its index is a constant) and ends of channels. A channel is
 * named by its number where that is known, by the local variable that holds it where that is never changed, or not at
 * all. A step of process p is *independent* in a state if no other process may, from where it is now, touch what p's
 * next step touches in a conflicting way. Then the steps of p alone are an ample set: whatever the others do first, p's
 * steps stay the same, stay enabled, and commute with it. Whether a search may use it also depends on its cycle
 * proviso.
 *
 * Finer than Spin's rule, which needs xr and xs to be written down, and knows variables only as local or global:
 * the two ends of a channel are found to be exclusive in the state at hand. */
#include "model/driver_int.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 1 << 28 }; /* bytes of footprints: with larger globals there is no reduction */
enum channel_op { OP_SENDS = 1, OP_SORTS = 2, OP_RECEIVES = 4, OP_SEARCHES = 8, OP_LOOKS = 16 };

/* Which channel: [number, number + count) if local is NULL, all of them if count is 0; else the value of the local. */
struct channel_ref { const struct var *local; int number, count; };
struct channel_use { struct channel_ref ref; unsigned ops; };

struct footprint {
    uint64_t *reads, *writes;     /* one bit per byte of the globals */
    VEC(struct channel_use) channels;
    bool runs, waits;             /* run, or a look at the number of processes; timeout */
    bool deep;                    /* a channel is used behind the first statement of the step: it may block there */
};

struct independence {
    bool possible;                /* the model has nothing that sees everything */
    size_t words;
    struct footprint **next;      /* [proctype][state]: the step from there */
    struct footprint **future;    /* [proctype][state]: from there on */
    bool **invisible;             /* [proctype][state]: no claim sees the step from there */
};

static void set_range(uint64_t *bits, u32 from, u32 size)
{
    for (u32 i = from; i < from + size; i++) bits[i / 64] |= (uint64_t)1 << (i % 64);
}

/* The bytes of a global that a reference may mean. */
static void ref_range(const struct ref *r, u32 *from, u32 *size)
{
    const struct placing *p = placing_of(r->parts.at[0].var);
    *from = p->offset;
    *size = p->size;
    for (size_t i = 0; i < r->parts.len; i++) {
        const struct ref_part *part = &r->parts.at[i];
        p = placing_of(part->var);
        if (i) *from += p->offset, *size = p->size;
        if (!part->var->is_array) continue;
        bool known = part->index && part->index->kind == EXPR_CONST;
        if (!known || part->index->value < 0 || part->index->value >= part->var->length) return;
        *from += (u32)part->index->value * p->element_size;
        *size = p->element_size;
    }
}

/* True if that was news. */
static bool add_channel(struct footprint *f, struct channel_ref ref, unsigned ops)
{
    for (size_t i = 0; i < f->channels.len; i++) {
        struct channel_use *u = &f->channels.at[i];
        if (u->ref.local == ref.local && u->ref.number == ref.number && u->ref.count == ref.count) {
            bool known = (u->ops & ops) == ops;
            u->ops |= ops;
            return !known;
        }
    }
    vec_push(&f->channels, ((struct channel_use){ref, ops}));
    return true;
}

static bool keeps_its_channel(const struct var *v)
{
    return v->owner && !v->is_array && v->type.base == TYPE_CHAN && !placing_of(v)->assigned;
}

static struct channel_ref channel_ref_of(const struct expr *e)
{
    if (e->kind != EXPR_VAR || e->ref.parts.len != 1) return (struct channel_ref){0};
    const struct ref_part *part = &e->ref.parts.at[0];
    const struct placing *p = placing_of(part->var);
    if (keeps_its_channel(part->var)) return (struct channel_ref){.local = part->var};
    if (part->var->owner || !p->constant_channel) return (struct channel_ref){0};
    bool known = part->index && part->index->kind == EXPR_CONST;
    if (!part->var->is_array || known)
        return (struct channel_ref){.number = p->channel_number + (known ? part->index->value : 0), .count = 1};
    return (struct channel_ref){.number = p->channel_number, .count = part->var->length};
}

static void add_reads(struct footprint *f, const struct expr *e);

static void add_ref(struct footprint *f, const struct ref *r, bool write)
{
    u32 from, size;
    for (size_t i = 0; i < r->parts.len; i++) add_reads(f, r->parts.at[i].index);
    if (!r->parts.len || r->parts.at[0].var->owner) return;
    ref_range(r, &from, &size);
    set_range(write ? f->writes : f->reads, from, size);
}

static void add_reads(struct footprint *f, const struct expr *e)
{
    if (!e) return;
    switch (e->kind) {
    case EXPR_VAR: add_ref(f, &e->ref, false); break;
    case EXPR_LEN:
    case EXPR_FULL:
    case EXPR_EMPTY:
    case EXPR_NFULL:
    case EXPR_NEMPTY:
    case EXPR_POLL: add_channel(f, channel_ref_of(e->a), OP_LOOKS); break;
    case EXPR_RUN:
    case EXPR_NR_PR: f->runs = true; break;
    case EXPR_TIMEOUT: f->waits = true; break;
    default: break;
    }
    add_reads(f, e->a);
    add_reads(f, e->b);
    add_reads(f, e->c);
    for (size_t i = 0; i < e->args.len; i++) add_reads(f, e->args.at[i]);
}

static void add_list(struct footprint *f, const stmt_list *list);

static void add_receive(struct footprint *f, const struct stmt *s)
{
    add_channel(f, channel_ref_of(s->a), s->peek ? OP_LOOKS : s->random ? OP_RECEIVES | OP_SEARCHES : OP_RECEIVES);
    for (size_t i = 0; i < s->args.len; i++)
        if (s->args.at[i]->kind == EXPR_VAR) add_ref(f, &s->args.at[i]->ref, true);
        else add_reads(f, s->args.at[i]);
    add_reads(f, s->a);
}

static void add_stmt(struct footprint *f, const struct stmt *s)
{
    if (s->kind == STMT_RECEIVE) {
        add_receive(f, s);
        return;
    }
    add_reads(f, s->a);
    add_reads(f, s->b);
    for (size_t i = 0; i < s->args.len; i++) add_reads(f, s->args.at[i]);
    if (s->kind == STMT_SEND) add_channel(f, channel_ref_of(s->a), s->sorted ? OP_SENDS | OP_SORTS : OP_SENDS);
    if (s->kind == STMT_FOR_CHANNEL) add_channel(f, channel_ref_of(s->a), OP_SENDS | OP_RECEIVES | OP_LOOKS);
    if (s->kind == STMT_DECL) add_reads(f, s->var->init);
    bool counts =
        s->kind == STMT_FOR_RANGE || s->kind == STMT_FOR_ARRAY || s->kind == STMT_FOR_CHANNEL || s->kind == STMT_SELECT;
    if ((s->kind == STMT_ASSIGN && !s->blank_target) || counts) add_ref(f, &s->ref, true);
    if (counts) add_ref(f, &s->ref, false);
    for (size_t i = 0; i < s->options.len; i++) add_list(f, &s->options.at[i]);
    add_list(f, &s->body);
    add_list(f, &s->escape);
}

static void add_list(struct footprint *f, const stmt_list *list)
{
    for (size_t i = 0; i < list->len; i++) add_stmt(f, list->at[i]);
}

/* Looking at a channel is added where more depends on whether it can be used than the edge itself. */
static void add_edge_with(struct footprint *f, const struct edge *e, unsigned looks)
{
    struct footprint own = {.reads = f->reads, .writes = f->writes};
    if (e->kind == EDGE_STMT || e->kind == EDGE_D_STEP) add_stmt(&own, e->stmt);
    for (size_t i = 0; i < own.channels.len; i++)
        add_channel(f, own.channels.at[i].ref, own.channels.at[i].ops | looks);
    f->runs |= own.runs, f->waits |= own.waits;
    vec_release(&own.channels);
}

/* What matters for other statements beside it also looks at its channel. */
static void add_edge(struct footprint *f, const struct control *at, const struct edge *e)
{
    add_edge_with(f, e, precedence_at(at) ? OP_LOOKS : 0);
}

/* Before others may go first they must know more: an atomic sequence goes on alone only if the channel can be used, and
 * a d_step that blocks at it is an error. */
static void add_edge_for_others(struct footprint *f, const struct control *at, const struct edge *e, bool in_atomic)
{
    add_edge_with(f, e, precedence_at(at) || in_atomic || e->kind == EDGE_D_STEP ? OP_LOOKS : 0);
}

/* Where a process can be with the right to go on alone: not where an atomic sequence begins, but behind its first. */
static void find_states_in_atomic(const struct automaton *a, u8 *in_atomic)
{
    memset(in_atomic, 0, (size_t)a->count);
    for (int c = 1; c < a->count; c++)
        for (size_t k = 0; k < a->at[c].edges.len; k++)
            if (a->at[c].edges.at[k].keeps_atomic) in_atomic[a->at[c].edges.at[k].to] = 1;
}

static bool add_footprint(struct footprint *into, const struct footprint *from, size_t words)
{
    bool changed = false;
    for (size_t i = 0; i < words; i++) {
        uint64_t r = into->reads[i] | from->reads[i], w = into->writes[i] | from->writes[i];
        changed |= r != into->reads[i] || w != into->writes[i];
        into->reads[i] = r, into->writes[i] = w;
    }
    for (size_t i = 0; i < from->channels.len; i++)
        changed |= add_channel(into, from->channels.at[i].ref, from->channels.at[i].ops);
    bool flags = (from->runs && !into->runs) || (from->waits && !into->waits);
    into->runs |= from->runs, into->waits |= from->waits;
    return changed || flags;
}

static struct footprint *footprints_new(struct promela_model *m, int count, size_t words)
{
    struct footprint *f = arena_alloc(&m->arena, (size_t)count * sizeof *f);
    for (int i = 0; i < count; i++) {
        f[i].reads = arena_alloc(&m->arena, words * sizeof *f->reads);
        f[i].writes = arena_alloc(&m->arena, words * sizeof *f->writes);
    }
    return f;
}

/* Does the step go on at the edge's target? */
static bool goes_on(const struct promela_model *m, const struct automaton *a, const struct edge *e)
{
    return e->to && (e->keeps_atomic || m->merging.transient[a->proctype->index][e->to]);
}

static void add_own_edges(const struct automaton *a, int c, bool in_atomic, struct footprint *next,
                          struct footprint *future)
{
    for (size_t k = 0; k < a->at[c].edges.len; k++) {
        const struct edge *e = &a->at[c].edges.at[k];
        struct footprint own = {.reads = next->reads, .writes = next->writes};
        add_edge(&own, &a->at[c], e);
        next->deep |= own.channels.len && e->kind == EDGE_D_STEP;
        add_footprint(next, &own, 0);
        vec_release(&own.channels);
        add_edge_for_others(future, &a->at[c], e, in_atomic);
    }
}

/* What a step goes through is part of it. */
static bool spread_steps(struct promela_model *m, struct independence *d, const struct automaton *a)
{
    bool changed = false;
    struct footprint *next = d->next[a->proctype->index];
    for (int c = a->count - 1; c > 0; c--)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (!goes_on(m, a, e)) continue;
            bool deep = next[c].deep || next[e->to].channels.len;
            changed |= add_footprint(&next[c], &next[e->to], d->words) || deep != next[c].deep;
            next[c].deep = deep;
        }
    return changed;
}

/* Run can start anything that the program starts anywhere: what those processes may do counts as the runner's future.
 */
static bool spread_future(struct promela_model *m, struct independence *d)
{
    bool changed = false;
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        for (int c = a->count - 1; c > 0; c--)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                int to = a->at[c].edges.at[k].to;
                if (to) changed |= add_footprint(&d->future[i][c], &d->future[i][to], d->words);
            }
    }
    return changed;
}

static bool stmt_looks_inside(const struct stmt *s);

static bool list_looks_inside(const stmt_list *l)
{
    for (size_t i = 0; i < l->len; i++)
        if (stmt_looks_inside(l->at[i])) return true;
    return false;
}

static bool is_remote(const struct expr *e)
{
    return e && (expr_contains(e, EXPR_REMOTE_LABEL) || expr_contains(e, EXPR_REMOTE_VAR));
}

/* P@label or P:variable somewhere in it. */
static bool stmt_looks_inside(const struct stmt *s)
{
    if (is_remote(s->a) || is_remote(s->b) || (s->var && is_remote(s->var->init))) return true;
    for (size_t i = 0; i < s->args.len; i++)
        if (is_remote(s->args.at[i])) return true;
    for (size_t i = 0; i < s->ref.parts.len; i++)
        if (is_remote(s->ref.parts.at[i].index)) return true;
    for (size_t i = 0; i < s->options.len; i++)
        if (list_looks_inside(&s->options.at[i])) return true;
    return list_looks_inside(&s->body) || list_looks_inside(&s->escape);
}

/* Processes that look inside others; what claims look at is a question of visibility. */
static bool sees_everything(const struct program *p)
{
    if (p->uses_last || p->uses_priority || p->uses_enabled || p->uses_pc_value || p->uses_np || p->uses_provided ||
        p->uses_c_code)
        return true;
    for (size_t i = 0; i < p->proctypes.len; i++) {
        if (p->proctypes.at[i]->kind == PROC_TRACE || p->proctypes.at[i]->kind == PROC_NOTRACE) return true;
        if (p->proctypes.at[i]->kind != PROC_NEVER && list_looks_inside(&p->proctypes.at[i]->body)) return true;
    }
    return false;
}

/* ---- what claims see ---- */

static bool is_watched(const struct automaton *a, int state)
{
    if (a->at[state].accept || a->at[state].progress) return true;
    for (size_t i = 0; i < a->proctype->labels.len; i++)
        if (a->proctype->labels.at[i]->remote && flow_label_state(a->proctype->labels.at[i]) == state) return true;
    return false;
}

static bool writes_watched_local(const struct stmt *s)
{
    if (s->ref.parts.len && s->ref.parts.at[0].var->remote_read) return true;
    if (s->var && s->var->remote_read) return true;
    for (size_t i = 0; i < s->args.len; i++)
        if (s->kind == STMT_RECEIVE && s->args.at[i]->kind == EXPR_VAR &&
            s->args.at[i]->ref.parts.at[0].var->remote_read)
            return true;
    for (size_t i = 0; i < s->body.len; i++)
        if (writes_watched_local(s->body.at[i])) return true;
    for (size_t i = 0; i < s->options.len; i++)
        for (size_t k = 0; k < s->options.at[i].len; k++)
            if (writes_watched_local(s->options.at[i].at[k])) return true;
    return false;
}

/* Can a step from c, wherever it stops, change a label or a local variable that is looked at? */
static bool may_show(struct promela_model *m, const struct automaton *a, int c, const bool *shows)
{
    if (shows[c] || is_watched(a, c)) return true;
    for (size_t k = 0; k < a->at[c].edges.len; k++) {
        const struct edge *e = &a->at[c].edges.at[k];
        if (!e->to || is_watched(a, e->to) || (e->stmt && writes_watched_local(e->stmt))) return true;
        if (goes_on(m, a, e) && shows[e->to]) return true;
    }
    return false;
}

static void find_showing(struct promela_model *m, const struct automaton *a, bool *shows)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int c = a->count - 1; c > 0; c--)
            if (!shows[c] && may_show(m, a, c, shows)) shows[c] = changed = true;
    }
}

static bool channels_touch(const struct footprint *a, const struct footprint *b);

static void find_invisible(struct promela_model *m, struct independence *d)
{
    struct footprint *seen_by_claims = footprints_new(m, 1, d->words);
    size_t n = m->flow.automata.len;
    for (size_t i = 0; i < n; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        for (int c = 1; a->proctype->kind == PROC_NEVER && c < a->count; c++)
            for (size_t k = 0; k < a->at[c].edges.len; k++) add_edge(seen_by_claims, &a->at[c], &a->at[c].edges.at[k]);
    }
    d->invisible = arena_alloc(&m->arena, n * sizeof *d->invisible);
    for (size_t i = 0; i < n; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        bool *shows = xcalloc((size_t)a->count, sizeof *shows);
        find_showing(m, a, shows);
        d->invisible[i] = arena_alloc(&m->arena, (size_t)a->count * sizeof **d->invisible);
        for (int c = 1; c < a->count; c++) {
            bool touches = d->next[i][c].runs || channels_touch(&d->next[i][c], seen_by_claims);
            for (size_t w = 0; w < d->words; w++) touches |= d->next[i][c].writes[w] & seen_by_claims->reads[w];
            d->invisible[i][c] = !touches && !shows[c];
        }
        free(shows);
    }
    vec_release(&seen_by_claims->channels);
}

void independence_build(struct promela_model *m)
{
    struct independence *d = arena_alloc(&m->arena, sizeof *d);
    m->independence = d;
    size_t n = m->flow.automata.len, states = 0;
    d->words = (m->layout.globals_size + 63) / 64;
    for (size_t i = 0; i < n; i++) states += (size_t)m->flow.automata.at[i].count;
    bool fits = 4 * states * d->words * sizeof *d->next[0]->reads <= MOST_MEMORY;
    d->possible = fits && !sees_everything(m->program) && !precedence_by_handshake(&m->flow, &m->layout);
    if (!d->possible) return;
    d->next = arena_alloc(&m->arena, n * sizeof *d->next);
    d->future = arena_alloc(&m->arena, n * sizeof *d->future);
    for (size_t i = 0; i < n; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        d->next[i] = footprints_new(m, a->count, d->words);
        d->future[i] = footprints_new(m, a->count, d->words);
        u8 *in_atomic = xmalloc((size_t)a->count);
        find_states_in_atomic(a, in_atomic);
        for (int c = 1; c < a->count; c++) add_own_edges(a, c, in_atomic[c], &d->next[i][c], &d->future[i][c]);
        free(in_atomic);
        while (spread_steps(m, d, a)) {}
    }
    while (spread_future(m, d)) {}
    find_invisible(m, d);
}

void independence_release(struct promela_model *m)
{
    struct independence *d = m->independence;
    if (!d || !d->possible) return;
    for (size_t i = 0; i < m->flow.automata.len; i++)
        for (int c = 0; c < m->flow.automata.at[i].count; c++) {
            vec_release(&d->next[i][c].channels);
            vec_release(&d->future[i][c].channels);
        }
}

/* ---- in a state ---- */

struct moment { struct promela_model *m; const struct shape *shape; const u8 *state; };

static struct channel_ref resolve(const struct moment *t, const struct channel_ref *r, int pid)
{
    if (!r->local) return *r;
    int number = t->state[t->shape->process_at[pid] + placing_of(r->local)->offset];
    return (struct channel_ref){.number = number, .count = number ? 1 : 0};
}

static bool may_be_same(const struct channel_ref *a, const struct channel_ref *b)
{
    if (!a->count || !b->count) return true;
    return a->number < b->number + b->count && b->number < a->number + a->count;
}

/* A claim's channels are global, so a local one of the process may be any of them. */
static bool channels_touch(const struct footprint *a, const struct footprint *b)
{
    for (size_t i = 0; i < a->channels.len; i++)
        for (size_t k = 0; k < b->channels.len; k++) {
            const struct channel_ref *r = &a->channels.at[i].ref;
            if (a->channels.at[i].ops != OP_LOOKS && (r->local || may_be_same(r, &b->channels.at[k].ref))) return true;
        }
    return false;
}

/* What must not be between p's use of a channel and somebody else's. One channel, known, with room or messages as
 * needed: then the two ends commute. */
static bool uses_conflict(const struct moment *t, const struct channel_use *mine, const struct channel_ref *at,
                          unsigned theirs, bool single)
{
    if (mine->ops == OP_LOOKS) return theirs & ~(unsigned)OP_LOOKS;
    if (!single || at->count != 1 || at->number < 1 || at->number > (int)t->shape->channel_count) return true;
    const struct channel_kind *k = &t->m->layout.kinds.at[t->shape->channel_kind[at->number - 1]];
    if (k->capacity == 0) return true;
    u32 length = hd_length(t->state + t->shape->channel_at[at->number - 1], k);
    if (mine->ops == OP_SENDS) return theirs != OP_RECEIVES || length >= k->capacity;
    if (mine->ops == OP_RECEIVES) return theirs != OP_SENDS || length == 0;
    return true;
}

static bool channels_conflict(const struct moment *t, const struct footprint *mine, int p,
                              const struct footprint *theirs, int q)
{
    bool single = mine->channels.len == 1 && !mine->deep;
    for (size_t i = 0; i < mine->channels.len; i++) {
        struct channel_ref at = resolve(t, &mine->channels.at[i].ref, p);
        unsigned ops = 0;
        for (size_t k = 0; k < theirs->channels.len; k++) {
            struct channel_ref other = resolve(t, &theirs->channels.at[k].ref, q);
            if (may_be_same(&at, &other)) ops |= theirs->channels.at[k].ops;
        }
        if (ops && uses_conflict(t, &mine->channels.at[i], &at, ops, single)) return true;
    }
    return false;
}

static bool variables_conflict(const struct footprint *a, const struct footprint *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if ((a->writes[i] & (b->reads[i] | b->writes[i])) | (a->reads[i] & b->writes[i])) return true;
    return false;
}

bool state_independent(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    const struct independence *d = m->independence;
    if (!d->possible) return false;
    struct moment t = {m, state_shape(m, state), state};
    const struct footprint *mine = &d->next[t.shape->process_type[pid]][state_pc(m, t.shape, state, pid)];
    if (mine->runs || mine->waits) return false;
    for (int q = 0; q < (int)t.shape->process_count; q++) {
        if (q == pid) continue;
        const struct footprint *theirs = &d->future[t.shape->process_type[q]][state_pc(m, t.shape, state, q)];
        if (theirs->runs) return false; /* what it will start is not known in this state */
        if (variables_conflict(mine, theirs, d->words) || channels_conflict(&t, mine, pid, theirs, q)) return false;
    }
    return true;
}

bool state_invisible(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    const struct shape *h = state_shape(m, state);
    return m->independence->possible && m->independence->invisible[h->process_type[pid]][state_pc(m, h, state, pid)];
}
