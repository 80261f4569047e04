/* What a step touches, and what a process may still touch: bytes of global variables (an array element where its index
 * is a constant) and ends of channels. A channel is named by its number where that is known, by the local variable that
 * holds it where that is never changed, or not at all. */
#include "model/footprint_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEMORY = 1 << 28 }; /* bytes of footprints: with larger globals there is no reduction */

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
    vec_push(&f->channels, ((struct channel_use){.ref = ref, .ops = ops}));
    return true;
}

static bool is_same_ref(const struct channel_ref *a, const struct channel_ref *b)
{
    return a->local == b->local && a->number == b->number && a->count == b->count;
}

static unsigned most_of(const struct footprint *f, const struct channel_ref *ref)
{
    for (size_t i = 0; i < f->channels.len; i++)
        if (is_same_ref(&f->channels.at[i].ref, ref)) return f->channels.at[i].most;
    return 0;
}

/* As one way through a step. True if that was news. */
static bool add_way(struct footprint *f, const struct channel_use *u)
{
    bool changed = add_channel(f, u->ref, u->ops);
    for (size_t i = 0; i < f->channels.len; i++) {
        struct channel_use *own = &f->channels.at[i];
        if (!is_same_ref(&own->ref, &u->ref)) continue;
        changed |= (own->deep | u->deep) != own->deep || u->most > own->most;
        own->deep |= u->deep;
        own->most = MAX(own->most, u->most);
    }
    return changed;
}

bool keeps_its_channel(const struct var *v)
{
    return v->owner && !v->is_array && v->type.base == TYPE_CHAN && !placing_of(v)->assigned;
}

struct channel_ref channel_ref_of(const struct expr *e)
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
    assert(from >= sizeof(u64)); /* the shape is nobody's variable */
    set_range(write ? f->writes : f->reads, from, size);
}

/* len(q) > 0 and the like: is there a message? */
static bool asks_for_message(const struct expr *e)
{
    bool compares = e->kind == EXPR_BINARY && (e->op == OP_GT || e->op == OP_EQ || e->op == OP_NE || e->op == OP_LE);
    return compares && e->a->kind == EXPR_LEN && e->b->kind == EXPR_CONST && e->b->value == 0;
}

static void add_reads(struct footprint *f, const struct expr *e)
{
    if (!e) return;
    if (asks_for_message(e)) {
        add_channel(f, channel_ref_of(e->a->a), OP_LOOKS_AT_HEAD);
        add_reads(f, e->a->a);
        return;
    }
    switch (e->kind) {
    case EXPR_VAR: add_ref(f, &e->ref, false); break;
    case EXPR_LEN: add_channel(f, channel_ref_of(e->a), OP_LOOKS); break;
    case EXPR_FULL:
    case EXPR_NFULL: add_channel(f, channel_ref_of(e->a), OP_LOOKS_AT_ROOM); break;
    case EXPR_EMPTY:
    case EXPR_NEMPTY: add_channel(f, channel_ref_of(e->a), OP_LOOKS_AT_HEAD); break;
    case EXPR_POLL: add_channel(f, channel_ref_of(e->a), e->random ? OP_LOOKS : OP_LOOKS_AT_HEAD); break;
    case EXPR_RUN:
    case EXPR_NR_PR: f->runs = true; break;
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
    unsigned look = s->random ? OP_LOOKS : OP_LOOKS_AT_HEAD, take = s->random ? OP_RECEIVES | OP_SEARCHES : OP_RECEIVES;
    add_channel(f, channel_ref_of(s->a), s->peek ? look : take);
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

/* What one looks at who wants to know whether this could be done. */
static unsigned look_before(unsigned ops)
{
    if (ops == OP_RECEIVES) return OP_LOOKS_AT_HEAD;
    return ops == OP_SENDS ? OP_LOOKS_AT_ROOM : ops & ~(unsigned)OP_ONLY_LOOKS ? OP_LOOKS : 0;
}

/* What matters for other statements beside it also looks at its channel. */
void footprint_add_edge(struct footprint *f, const struct control *at, const struct edge *e)
{
    struct footprint own = {.reads = f->reads, .writes = f->writes};
    if (e->kind == EDGE_STMT || e->kind == EDGE_D_STEP) add_stmt(&own, e->stmt);
    for (size_t i = 0; i < own.channels.len; i++) {
        unsigned ops = own.channels.at[i].ops;
        add_channel(f, own.channels.at[i].ref, precedence_at(at) ? ops | look_before(ops) : ops);
    }
    f->runs |= own.runs, f->ends |= e->kind == EDGE_END;
    vec_release(&own.channels);
}

/* A condition that is waited for, or the contrary of one. */
static void add_condition(struct footprint *f, const struct expr *e, bool holds)
{
    bool compares_length = e->kind == EXPR_BINARY && e->a->kind == EXPR_LEN && e->b->kind == EXPR_CONST;
    unsigned more = holds ? OP_WANTS_MORE : OP_WANTS_LESS, less = holds ? OP_WANTS_LESS : OP_WANTS_MORE, want = 0;
    if (e->kind == EXPR_BINARY && (e->op == OP_AND || e->op == OP_OR)) {
        add_condition(f, e->a, holds);
        add_condition(f, e->b, holds);
        return;
    }
    if (e->kind == EXPR_UNARY && e->op == OP_NOT) {
        add_condition(f, e->a, !holds);
        return;
    }
    if (e->kind == EXPR_NEMPTY || e->kind == EXPR_FULL) want = more;
    else if (e->kind == EXPR_EMPTY || e->kind == EXPR_NFULL) want = less;
    else if (e->kind == EXPR_POLL && !e->random && holds) want = more;
    else if (compares_length && (e->op == OP_GT || e->op == OP_GE)) want = more;
    else if (compares_length && (e->op == OP_LT || e->op == OP_LE)) want = less;
    if (!want) {
        add_reads(f, e);
        return;
    }
    const struct expr *channel = compares_length ? e->a->a : e->a;
    add_channel(f, channel_ref_of(channel), want);
    add_reads(f, channel);
    for (size_t i = 0; i < e->args.len; i++) add_reads(f, e->args.at[i]);
}

/* Before others may go first they must know more: an atomic sequence goes on alone only if the channel can be used, and
 * a d_step that blocks at it is an error. And less, where a process just waits: it may be helped. */
static void add_edge_for_others(struct footprint *f, const struct control *at, const struct edge *e, bool in_atomic)
{
    bool decides = precedence_at(at) || in_atomic || e->kind == EDGE_D_STEP;
    if (!decides && e->kind == EDGE_STMT && e->stmt->kind == STMT_EXPR) {
        add_condition(f, e->stmt->a, true);
        return;
    }
    struct footprint own = {.reads = f->reads, .writes = f->writes};
    if (e->kind == EDGE_STMT || e->kind == EDGE_D_STEP) add_stmt(&own, e->stmt);
    for (size_t i = 0; i < own.channels.len; i++)
        add_channel(f, own.channels.at[i].ref, own.channels.at[i].ops | (decides ? OP_LOOKS : 0));
    f->runs |= own.runs;
    vec_release(&own.channels);
}

/* Where a process can be with the right to go on alone: not where an atomic sequence begins, but behind its first. */
static void find_states_in_atomic(const struct automaton *a, u8 *in_atomic)
{
    memset(in_atomic, 0, (size_t)a->count);
    for (int c = 1; c < a->count; c++)
        for (size_t k = 0; k < a->at[c].edges.len; k++)
            if (a->at[c].edges.at[k].keeps_atomic) in_atomic[a->at[c].edges.at[k].to] = 1;
}

bool footprint_join(struct footprint *into, const struct footprint *from, size_t words)
{
    bool changed = false;
    for (size_t i = 0; i < words; i++) {
        uint64_t r = into->reads[i] | from->reads[i], w = into->writes[i] | from->writes[i];
        changed |= r != into->reads[i] || w != into->writes[i];
        into->reads[i] = r, into->writes[i] = w;
    }
    for (size_t i = 0; i < from->channels.len; i++)
        changed |= add_channel(into, from->channels.at[i].ref, from->channels.at[i].ops);
    bool flags = (from->runs && !into->runs) || (from->ends && !into->ends);
    into->runs |= from->runs, into->ends |= from->ends;
    return changed || flags;
}

struct footprint *footprints_new(struct promela_model *m, int count, size_t words)
{
    struct footprint *f = arena_alloc(&m->arena, (size_t)count * sizeof *f);
    for (int i = 0; i < count; i++) {
        f[i].reads = arena_alloc(&m->arena, words * sizeof *f->reads);
        f[i].writes = arena_alloc(&m->arena, words * sizeof *f->writes);
    }
    return f;
}

/* Does the step go on at the edge's target? */
bool step_goes_on(const struct promela_model *m, const struct automaton *a, const struct edge *e)
{
    return e->to && (e->keeps_atomic || m->merging.transient[a->proctype->index][e->to]);
}

static unsigned count_uses(const stmt_list *list, const struct channel_ref *ref);

static unsigned count_uses_in(const struct stmt *s, const struct channel_ref *ref)
{
    struct channel_ref own = {0};
    unsigned n = count_uses(&s->body, ref) + count_uses(&s->escape, ref);
    for (size_t i = 0; i < s->options.len; i++) n += count_uses(&s->options.at[i], ref);
    if (s->kind == STMT_SEND || s->kind == STMT_RECEIVE || s->kind == STMT_FOR_CHANNEL) own = channel_ref_of(s->a);
    bool uses = (s->kind == STMT_SEND || s->kind == STMT_RECEIVE) && is_same_ref(&own, ref);
    bool repeats = s->kind == STMT_DO || s->kind == STMT_GOTO || s->kind == STMT_FOR_RANGE || s->kind == STMT_FOR_ARRAY;
    if (s->kind == STMT_FOR_CHANNEL || (repeats && (n || s->kind == STMT_GOTO))) n += UNBOUNDED;
    return n + uses;
}

/* No more often than this; a sum over all ways. */
static unsigned count_uses(const stmt_list *list, const struct channel_ref *ref)
{
    unsigned n = 0;
    for (size_t i = 0; i < list->len; i++) n = MIN(n + count_uses_in(list->at[i], ref), UNBOUNDED);
    return n;
}

static const struct footprint nothing;

/* The edge as the beginning of a step that does `then` afterwards. */
static bool add_ways(struct footprint *next, const struct control *at, const struct edge *e,
                     const struct footprint *then)
{
    struct footprint own = {.reads = next->reads, .writes = next->writes};
    bool changed = false;
    footprint_add_edge(&own, at, e);
    for (size_t i = 0; i < own.channels.len; i++) {
        struct channel_use u = own.channels.at[i];
        u.deep = e->kind == EDGE_D_STEP ? u.ops : 0;
        u.most = e->stmt ? count_uses_in(e->stmt, &u.ref) : 0;
        u.most = MIN(u.most + most_of(then, &u.ref), UNBOUNDED);
        changed |= add_way(next, &u);
    }
    for (size_t i = 0; i < then->channels.len; i++) {
        struct channel_use u = then->channels.at[i];
        u.deep = u.ops;
        changed |= add_way(next, &u);
    }
    own.channels.len = 0;
    changed |= footprint_join(next, &own, 0);
    vec_release(&own.channels);
    return changed;
}

static void add_own_edges(const struct automaton *a, int c, bool in_atomic, struct footprint *next,
                          struct footprint *future)
{
    for (size_t k = 0; k < a->at[c].edges.len; k++) {
        add_ways(next, &a->at[c], &a->at[c].edges.at[k], &nothing);
        add_edge_for_others(future, &a->at[c], &a->at[c].edges.at[k], in_atomic);
    }
}

static bool join_all_but_channels(struct footprint *into, const struct footprint *from, size_t words)
{
    struct footprint rest = *from;
    rest.channels.len = 0;
    return footprint_join(into, &rest, words);
}

/* What a step goes through is part of it. */
static bool spread_steps(struct promela_model *m, struct independence *d, const struct automaton *a)
{
    bool changed = false;
    struct footprint *next = d->next[a->proctype->index];
    for (int c = a->count - 1; c > 0; c--)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (!step_goes_on(m, a, e)) continue;
            changed |= join_all_but_channels(&next[c], &next[e->to], d->words);
            changed |= add_ways(&next[c], &a->at[c], e, &next[e->to]);
        }
    return changed;
}

/* ---- what a process may still do ---- */

/* The channel that a local of the new process holds, as its starter can name it. */
static struct channel_ref named_by_starter(const struct channel_ref *r, const struct expr *run)
{
    if (!r->local) return *r;
    bool known = r->local->is_parameter && (size_t)run->proctype->parameter_count == run->args.len;
    for (int i = 0; known && i < run->proctype->parameter_count; i++)
        if (run->proctype->vars.at[i] == r->local) return channel_ref_of(run->args.at[i]);
    return (struct channel_ref){0};
}

static bool add_started(struct promela_model *m, struct independence *d, struct footprint *f, const struct expr *run)
{
    const struct automaton *a = &m->flow.automata.at[run->proctype->index];
    const struct footprint *start = &d->future[run->proctype->index][a->initial];
    bool changed = join_all_but_channels(f, start, d->words);
    for (size_t i = 0; i < start->channels.len; i++) {
        const struct channel_use use = start->channels.at[i]; /* a process may start its like: f may be the same list */
        changed |= add_channel(f, named_by_starter(&use.ref, run), use.ops);
    }
    for (size_t i = 0; i < a->proctype->vars.len; i++) add_reads(f, a->proctype->vars.at[i]->init);
    return changed;
}

static bool add_all_started(struct promela_model *m, struct independence *d, struct footprint *f, const struct expr *e)
{
    if (!e) return false;
    bool changed = e->kind == EXPR_RUN && add_started(m, d, f, e);
    changed |= add_all_started(m, d, f, e->a);
    changed |= add_all_started(m, d, f, e->b);
    changed |= add_all_started(m, d, f, e->c);
    for (size_t i = 0; i < e->args.len; i++) changed |= add_all_started(m, d, f, e->args.at[i]);
    return changed;
}

static bool add_started_by(struct promela_model *m, struct independence *d, struct footprint *f, const struct stmt *s)
{
    bool changed = add_all_started(m, d, f, s->a);
    changed |= add_all_started(m, d, f, s->b);
    if (s->var) changed |= add_all_started(m, d, f, s->var->init);
    for (size_t i = 0; i < s->args.len; i++) changed |= add_all_started(m, d, f, s->args.at[i]);
    for (size_t i = 0; i < s->body.len; i++) changed |= add_started_by(m, d, f, s->body.at[i]);
    for (size_t i = 0; i < s->escape.len; i++) changed |= add_started_by(m, d, f, s->escape.at[i]);
    for (size_t i = 0; i < s->options.len; i++)
        for (size_t k = 0; k < s->options.at[i].len; k++) changed |= add_started_by(m, d, f, s->options.at[i].at[k]);
    return changed;
}

/* From where it is, for ever; what those do that it starts counts as its own. */
static bool spread_future(struct promela_model *m, struct independence *d, bool backwards)
{
    bool changed = false;
    size_t n = m->flow.automata.len;
    for (size_t at = 0; at < n && !model_is_over(m); at++) {
        size_t i = backwards ? n - 1 - at : at;
        const struct automaton *a = &m->flow.automata.at[i];
        for (int c = a->count - 1; c > 0; c--)
            for (size_t k = 0; k < a->at[c].edges.len; k++) {
                const struct edge *e = &a->at[c].edges.at[k];
                if (e->to) changed |= footprint_join(&d->future[i][c], &d->future[i][e->to], d->words);
                if (d->next[i][c].runs && e->stmt) changed |= add_started_by(m, d, &d->future[i][c], e->stmt);
            }
    }
    return changed;
}

/* The channels of all steps from where a step from c may rest: more than those that it waits to receive from. */
static bool spread_ready(struct promela_model *m, struct independence *d, const struct automaton *a)
{
    bool changed = false;
    int p = a->proctype->index;
    for (int c = a->count - 1; c > 0; c--)
        for (size_t k = 0; k < a->at[c].edges.len; k++) {
            const struct edge *e = &a->at[c].edges.at[k];
            if (e->to) changed |= footprint_join(&d->ready[p][c], &d->next[p][e->to], 0);
            if (step_goes_on(m, a, e)) changed |= footprint_join(&d->ready[p][c], &d->ready[p][e->to], 0);
        }
    return changed;
}

static void find_ready(struct promela_model *m, struct independence *d)
{
    size_t n = m->flow.automata.len;
    if (!sends_rendezvous_in_atomic(&m->flow, &m->layout)) return;
    d->ready = arena_alloc(&m->arena, n * sizeof *d->ready);
    for (size_t i = 0; i < n && !model_is_over(m); i++) {
        d->ready[i] = footprints_new(m, m->flow.automata.at[i].count, d->words);
        while (spread_ready(m, d, &m->flow.automata.at[i]) && !model_is_over(m)) {}
    }
}

bool footprints_build(struct promela_model *m, struct independence *d)
{
    size_t n = m->flow.automata.len, states = 0;
    d->words = (m->layout.globals_size + 63) / 64;
    for (size_t i = 0; i < n; i++) states += (size_t)m->flow.automata.at[i].count;
    if (6 * states * d->words * sizeof *d->next[0]->reads > MOST_MEMORY) return false;
    d->next = arena_alloc(&m->arena, n * sizeof *d->next);
    d->future = arena_alloc(&m->arena, n * sizeof *d->future);
    for (size_t i = 0; i < n && !model_is_over(m); i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        d->next[i] = footprints_new(m, a->count, d->words);
        d->future[i] = footprints_new(m, a->count, d->words);
        u8 *in_atomic = xmalloc((size_t)a->count);
        find_states_in_atomic(a, in_atomic);
        for (int c = 1; c < a->count; c++) add_own_edges(a, c, in_atomic[c], &d->next[i][c], &d->future[i][c]);
        free(in_atomic);
        while (spread_steps(m, d, a) && !model_is_over(m)) {}
    }
    bool backwards = false; /* in turn, since proctypes start others that stand before or after them */
    while (!model_is_over(m) && spread_future(m, d, backwards)) backwards = !backwards;
    find_ready(m, d);
    return true;
}

void footprints_release(struct promela_model *m, struct independence *d)
{
    for (size_t i = 0; i < m->flow.automata.len; i++)
        for (int c = 0; d->next[i] && d->future[i] && c < m->flow.automata.at[i].count; c++) {
            vec_release(&d->next[i][c].channels);
            vec_release(&d->future[i][c].channels);
            if (d->ready && d->ready[i]) vec_release(&d->ready[i][c].channels);
        }
}

bool variables_conflict(const struct footprint *a, const struct footprint *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if ((a->writes[i] & (b->reads[i] | b->writes[i])) | (a->reads[i] & b->writes[i])) return true;
    return false;
}

bool may_be_same(const struct channel_ref *a, const struct channel_ref *b)
{
    if (!a->count || !b->count) return true;
    return a->number < b->number + b->count && b->number < a->number + a->count;
}

struct channel_ref channel_resolve(const struct moment *t, const struct channel_ref *r, int pid)
{
    if (!r->local) return *r;
    int number = t->state[t->shape->process_at[pid] + placing_of(r->local)->offset];
    return (struct channel_ref){.number = number, .count = number ? 1 : 0};
}
