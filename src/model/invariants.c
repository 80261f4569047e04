/* What each stage of making a model leaves to the next, and what every step must be like. Builds that check everything
 * (assert_costly() in base/base.h) call this; others never do, since it costs more than the steps themselves. */
#include "model/loops_int.h"

#include <assert.h>
#include <string.h>

static bool is_process(const struct proctype *p) { return p->kind == PROC_PROCTYPE || p->kind == PROC_INIT; }

/* ---- layout ---- */

/* One behind the other from `from` on; what does not fit was reported instead. */
static u32 assert_placings(const var_list *vars, u32 from)
{
    for (size_t i = 0; i < vars->len; i++) {
        const struct placing *p = placing_of(vars->at[i]);
        assert(p && p->offset == from);
        assert(p->element_size == layout_type_size(&vars->at[i]->type));
        assert(vars->at[i]->length >= 1 && p->size == p->element_size * (u32)vars->at[i]->length);
        assert(p->c_name && *p->c_name);
        assert(!p->constant_channel || (vars->at[i]->type.base == TYPE_CHAN && !vars->at[i]->owner && !p->assigned));
        from += p->size;
    }
    return from;
}

static void assert_kind(const struct channel_kind *k)
{
    u32 at = 0;
    assert(k->capacity <= UINT16_MAX && k->field_count <= MOST_FIELDS);
    assert(k->length_size == (k->capacity > UINT8_MAX ? 2 : 1)); /* or a full channel would seem empty */
    assert(k->frame_size == k->length_size + k->capacity * k->slot_size);
    for (u32 i = 0; i < k->field_count; i++) {
        const struct channel_field *f = &k->fields[i];
        assert(f->kind <= FIELD_U32 && f->bits <= 32);
        assert(f->at == at);
        at += f->kind == FIELD_U8 ? 1 : f->kind == FIELD_I16 || f->kind == FIELD_U16 ? 2 : 4;
    }
    assert(at == k->slot_size);
}

static void assert_global_channels(const struct layout *l)
{
    u32 at = l->globals_size;
    assert(l->global_channels.len == l->global_channel_at.len && l->global_channels.len <= MOST_FRAMES);
    for (size_t i = 0; i < l->global_channels.len; i++) {
        assert(l->global_channels.at[i] >= 0 && (size_t)l->global_channels.at[i] < l->kinds.len);
        assert(l->global_channel_at.at[i] == at);
        at += l->kinds.at[l->global_channels.at[i]].frame_size;
    }
}

void assert_layout(const struct program *p, const struct flow *flow, const struct layout *l)
{
    u32 head = sizeof(u64) + (p->uses_c_code ? 1 : 0) + (p->uses_last ? 1 : 0) + (l->event_offset ? 2 : 0);
    assert(l->pc_size == 1 || l->pc_size == 2);
    assert(!l->too_large && !l->too_many_channels);
    assert(!l->last_offset == !p->uses_last && l->last_offset < head && l->event_offset < head);
    assert(assert_placings(&p->globals, head) == l->globals_size);
    for (size_t i = 0; i < p->user_types.len; i++) assert_placings(&p->user_types.at[i]->fields, 0);
    for (size_t i = 0; i < p->proctypes.len; i++) {
        u32 begin = l->pc_size + (p->uses_priority ? 1 : 0) + (p->uses_c_code ? 1 : 0);
        assert(flow->automata.at[i].count - 1 <= (l->pc_size == 1 ? UINT8_MAX : UINT16_MAX));
        assert(assert_placings(&p->proctypes.at[i]->vars, begin) == l->frames[i].size);
    }
    for (size_t i = 0; i < l->kinds.len; i++) assert_kind(&l->kinds.at[i]);
    assert_global_channels(l);
}

/* ---- what the analyses found ---- */

/* A chain of states that are left at once has an end. */
static void assert_chain(const struct automaton *a, const bool *transient, u8 *mark, int state)
{
    enum { UNSEEN, OPEN, DONE };
    mark[state] = OPEN;
    for (size_t k = 0; k < a->at[state].edges.len; k++) {
        int to = a->at[state].edges.at[k].to;
        if (!to || !transient[to] || mark[to] == DONE) continue;
        assert(mark[to] == UNSEEN); /* a loop that is never stored would never end */
        assert_chain(a, transient, mark, to);
    }
    mark[state] = DONE;
}

void assert_merging(const struct program *p, const struct flow *flow, const struct layout *l, const struct merging *m)
{
    for (size_t i = 0; i < p->proctypes.len; i++) {
        const struct automaton *a = &flow->automata.at[i];
        struct arena arena = {0};
        u8 *mark = arena_alloc(&arena, (size_t)a->count);
        assert(m->transient[i] && !m->transient[i][0]);
        for (int c = 1; c < a->count; c++) {
            assert(!m->transient[i][c] || (!a->at[c].accept && !a->at[c].progress && a->at[c].edges.len));
            if (m->transient[i][c] && !mark[c] && a->count < 10000) assert_chain(a, m->transient[i], mark, c);
        }
        arena_release(&arena);
        if (!m->liveness.live || !m->liveness.live[i]) continue;
        for (size_t v = 0; v < a->proctype->vars.len; v++) { /* what others look at is alive wherever its owner is */
            const struct placing *at = placing_of(a->proctype->vars.at[v]);
            for (int c = 1; a->proctype->vars.at[v]->remote_read && c < a->count; c++)
                assert(!memchr(m->liveness.live[i][c] + at->offset, 0, at->size));
        }
    }
    assert(!p->uses_c_code || !m->liveness.live); /* nobody knows what C code reads */
    assert(!m->liveness.shared || m->liveness.live);
    assert(!m->liveness.shared || l->globals_size >= sizeof(u64));
}

static void assert_loops(const struct automaton *a, const struct loops *l)
{
    assert(l->count == a->count && l->begin[a->count] == l->hop_count);
    for (int c = 1; c < l->count; c++) {
        assert(l->begin[c] <= l->begin[c + 1]);
        for (size_t h = l->begin[c]; h < l->begin[c + 1]; h++) assert(l->hops[h].from == c);
    }
    for (size_t h = 0; h < l->hop_count; h++) {
        const struct hop *hop = &l->hops[h];
        assert(hop->to >= 1 && hop->to < l->count);
        assert(hop->first.ops == 0 || hop->first.ops == OP_SENDS || hop->first.ops == OP_RECEIVES);
        assert(!hop->first.ops || hop->may_count); /* what it surely uses, it may use */
    }
    for (size_t i = 0; i < l->channels.len; i++) assert(keeps_its_channel(l->channels.at[i]));
}

/* What the next step touches is part of what the process touches from there on. */
static void assert_future(const struct footprint *next, const struct footprint *future, size_t words)
{
    for (size_t w = 0; w < words; w++) {
        assert(!(next->writes[w] & ~future->writes[w]));
        assert(!(next->reads[w] & ~future->reads[w]));
    }
    assert(!next->runs || future->runs);
    for (size_t i = 0; i < next->channels.len; i++) {
        unsigned ends = next->channels.at[i].ops & (OP_SENDS | OP_RECEIVES), found = 0;
        for (size_t k = 0; k < future->channels.len; k++)
            if (may_be_same(&next->channels.at[i].ref, &future->channels.at[k].ref) || next->channels.at[i].ref.local)
                found |= future->channels.at[k].ops;
        assert(!(ends & ~found));
    }
}

void assert_independence(const struct promela_model *m)
{
    const struct independence *d = m->independence;
    if (!d->possible) return;
    assert(d->words * 64 >= m->layout.globals_size);
    assert(!m->program->uses_c_code && !m->restricted);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        for (int c = 1; is_process(a->proctype) && c < a->count; c++)
            assert_future(&d->next[i][c], &d->future[i][c], d->words);
        assert_loops(a, &d->loops[i]);
    }
}

/* The compiled text has the sizes that its writer had in mind. */
void assert_code(const struct promela_model *m)
{
    const struct code *c = m->code;
    assert(c && c->start && c->allowed);
    assert(m->program->uses_c_code ? c->globals_size >= m->layout.globals_size
                                   : c->globals_size == m->layout.globals_size);
    for (size_t i = 0; i < m->program->proctypes.len; i++) {
        const struct proctype *p = m->program->proctypes.at[i];
        assert(m->program->uses_c_code ? c->frame_sizes[i] >= m->layout.frames[i].size
                                       : c->frame_sizes[i] == m->layout.frames[i].size);
        assert(!c->step[i] == !is_process(p) && !c->offer[i] == !is_process(p));
        assert(!c->claim[i] == (p->kind != PROC_NEVER));
    }
}

/* ---- states ---- */

static bool is_zero(const u8 *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i]) return false;
    return true;
}

/* Equal states must be equal bytes: what is behind the last message is zero. */
static void assert_channel(const u8 *frame, const struct channel_kind *k)
{
    u32 n = hd_length(frame, k);
    assert(n <= k->capacity);
    assert(is_zero(frame + k->length_size + n * k->slot_size, (k->capacity - n) * k->slot_size));
    for (u32 slot = 0; slot < n; slot++)
        for (u32 i = 0; i < k->field_count; i++) {
            int value = hd_field(frame, k, slot, i);
            assert(hd_fit(&k->fields[i], value) == value);
        }
}

static void assert_leaf(void *ctx, const char *path, u32 offset, const struct type *t)
{
    (void)path;
    struct channel_field f = layout_field(t);
    int value = hd_load((const u8 *)ctx + offset, &f);
    assert(hd_fit(&f, value) == value);
}

static void assert_values(const var_list *vars, const u8 *frame)
{
    for (size_t i = 0; i < vars->len; i++) {
        const struct placing *p = placing_of(vars->at[i]);
        for (int k = 0; k < vars->at[i]->length; k++)
            layout_leaves(&vars->at[i]->type, p->offset + (u32)k * p->element_size, "", assert_leaf, (void *)frame);
    }
}

/* Dead values are cleared on the way: an edge relies on it for those that it does not write. */
static void assert_dead(const var_list *vars, const u8 *frame, const u8 *live)
{
    for (size_t i = 0; live && i < vars->len; i++) {
        const struct placing *p = placing_of(vars->at[i]);
        for (u32 at = p->offset; at < p->offset + p->size; at++) assert(live[at] || !frame[at]);
    }
}

static void assert_process(const struct promela_model *m, const struct shape *h, const u8 *state, u32 pid)
{
    int type = h->process_type[pid], pc = state_pc(m, h, state, (int)pid);
    const struct proctype *p = m->program->proctypes.at[type];
    const u8 *frame = state + h->process_at[pid];
    u8 ***live = m->merging.liveness.live;
    assert(is_process(p));
    assert(pc >= 1 && pc < m->flow.automata.at[type].count);
    const struct code *code = __atomic_load_n(&m->code, __ATOMIC_ACQUIRE); /* better code may take its place */
    assert(h->process_at[pid] >= code->globals_size && h->process_at[pid] + code->frame_sizes[type] <= h->size);
    if (m->program->uses_c_code) return; /* which writes what it likes */
    assert(!m->program->uses_priority || frame[m->layout.priority_offset] >= 1);
    assert_values(&p->vars, frame);
    assert_dead(&p->vars, frame, live && live[type] ? live[type][pc] : NULL);
}

void assert_state(const struct promela_model *m, const u8 *state, u32 size)
{
    const struct shape *h = state_shape(m, state);
    assert(h && h->size == size && size <= m->buffer_size);
    assert(h->process_count <= MODEL_MOST_PROCESSES && h->channel_count <= MOST_FRAMES);
    assert(h->channel_count >= m->layout.global_channels.len); /* these never end */
    for (u32 pid = 0; pid < h->process_count; pid++) assert_process(m, h, state, pid);
    for (u32 i = 0; i < h->channel_count; i++) {
        assert(h->channel_kind[i] < m->layout.kinds.len);
        assert_channel(state + h->channel_at[i], &m->layout.kinds.at[h->channel_kind[i]]);
    }
    if (m->program->uses_c_code) return;
    assert_values(&m->program->globals, state);
    assert_dead(&m->program->globals, state, m->merging.liveness.shared);
}

/* ---- steps ---- */

static void assert_moves(const struct promela_model *m, const struct watched_step *w, const struct successor *s)
{
    const struct shape *h = state_shape(m, w->state);
    const struct transition *first = &m->transitions[s->moves[0].transition];
    assert(s->moves[0].pid == s->pid && !s->moves[0].receives);
    assert(first->proctype == h->process_type[s->pid]);
    assert(first->from == state_pc(m, h, w->state, s->pid));
    for (u32 i = 0; i < s->move_count; i++) {
        assert(s->moves[i].transition < m->transition_count);
        assert(!s->moves[i].receives || s->moves[i].pid != s->moves[i - 1].pid); /* nobody meets himself */
    }
    assert(s->last == s->moves[s->move_count - 1].pid);
}

/* Between the model and whoever asked for the steps of a state. */
bool assert_step(void *ctx, const struct successor *s)
{
    struct watched_step *w = ctx;
    const struct promela_model *m = w->model;
    assert(w->pid == MODEL_ALL || s->pid == w->pid);
    assert(s->pid <= w->latest); /* from the highest pid down */
    w->latest = s->pid;
    assert(s->moves && s->move_count >= 1);
    assert_moves(m, w, s);
    assert(s->state || s->fault); /* without a state after it, it is an error */
    assert(!s->fault == !s->fault_message && (!s->fault || s->fault_transition < m->transition_count));
    assert(!s->goes_on || !s->state);
    if (s->state) assert_state(m, s->state, s->size);
    assert(hash_bytes(w->state, w->size, 0) == w->hash); /* what is expanded belongs to the search */
    return w->fn(w->ctx, s);
}
