/* When may one process go first? If nothing that the others can still do, before it moves, depends on what it does
 * next.
 *
 * For every control state we know what a step from there touches, and what the process may touch from there on, for
 * ever (footprint.c). A step of process p *commutes* in a state if no other process may, from where it is now, touch
 * what p's next step touches in a conflicting way. Then the steps of p alone are an ample set: whatever the others do
 * first, p's steps stay the same, stay enabled, and commute with it. So that no cycle is closed in which somebody is
 * forgotten, every loop is cut somewhere, and there nobody goes first (sticky.c).
 *
 * Finer than Spin's rule, which needs xr and xs to be written down, and knows variables only as local or global:
 * the two ends of a channel are found to be exclusive in the state at hand. */
#include "model/loops_int.h"

#include <assert.h>
#include <stdlib.h>

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

/* Who holds a channel is known from the processes that there are, as long as it is always the same channel. */
static bool claims_change(const struct program *p)
{
    for (size_t i = 0; i < p->exclusives.len; i++) {
        struct channel_ref r = channel_ref_of(p->exclusives.at[i].channel);
        if (!r.local && r.count != 1) return true;
    }
    return false;
}

/* A right to a channel begins and ends with its process. */
static bool ends_claim(const struct program *p, const struct proctype *t)
{
    for (size_t i = 0; i < p->exclusives.len; i++)
        if (p->exclusives.at[i].proctype == t) return true;
    return false;
}

/* Processes that look inside others; what claims look at is a question of visibility. */
static bool sees_everything(const struct program *p)
{
    if (p->uses_last || p->uses_priority || p->uses_enabled || p->uses_pc_value || p->uses_np || p->uses_provided ||
        p->uses_c_code || claims_change(p))
        return true;
    for (size_t i = 0; i < p->proctypes.len; i++) {
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
        if (step_goes_on(m, a, e) && shows[e->to]) return true;
    }
    return false;
}

static void find_showing(struct promela_model *m, const struct automaton *a, bool *shows)
{
    for (bool changed = true; changed && !model_is_over(m);) {
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
            for (size_t k = 0; k < a->at[c].edges.len; k++)
                footprint_add_edge(seen_by_claims, &a->at[c], &a->at[c].edges.at[k]);
    }
    d->invisible = arena_alloc(&m->arena, n * sizeof *d->invisible);
    for (size_t i = 0; i < n && !model_is_over(m); i++) {
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

static bool is_trace(const struct proctype *p) { return p->kind == PROC_TRACE || p->kind == PROC_NOTRACE; }

static void find_traced(struct promela_model *m, struct independence *d)
{
    d->traced = *footprints_new(m, 1, d->words);
    for (size_t i = 0; i < m->flow.automata.len; i++) {
        const struct automaton *a = &m->flow.automata.at[i];
        d->traces |= is_trace(a->proctype);
        for (int c = 1; is_trace(a->proctype) && c < a->count; c++)
            footprint_join(&d->traced, &d->next[i][c], d->words);
    }
}

static void number_places(struct promela_model *m, struct independence *d)
{
    size_t n = m->flow.automata.len;
    d->one_cut = true;
    d->first_place = arena_alloc(&m->arena, (n + 1) * sizeof *d->first_place);
    for (size_t i = 0; i < n; i++) {
        d->one_cut &= !d->loops[i].channels.len;
        d->first_place[i + 1] = d->first_place[i] + m->flow.automata.at[i].count;
    }
}

void independence_build(struct promela_model *m)
{
    assert(!m->independence && m->transitions);
    struct independence *d = arena_alloc(&m->arena, sizeof *d);
    m->independence = d;
    d->possible = !sees_everything(m->program) && !precedence_by_handshake(&m->flow, &m->layout) &&
                  footprints_build(m, d);
    if (!d->possible) return;
    if (!m->over) find_traced(m, d);
    if (!m->over) find_invisible(m, d);
    if (!m->over) sticky_build(m, d);
    if (!m->over) number_places(m, d);
}

void independence_release(struct promela_model *m)
{
    struct independence *d = m->independence;
    if (!d || !d->possible) return;
    vec_release(&d->traced.channels);
    footprints_release(m, d);
    sticky_release(m, d);
}

/* ---- in a state ---- */

/* A claim's channels are global, so a local one of the process may be any of them. */
static bool channels_touch(const struct footprint *a, const struct footprint *b)
{
    for (size_t i = 0; i < a->channels.len; i++)
        for (size_t k = 0; k < b->channels.len; k++) {
            const struct channel_ref *r = &a->channels.at[i].ref;
            bool changes = a->channels.at[i].ops & ~(unsigned)OP_ONLY_LOOKS;
            if (changes && (r->local || may_be_same(r, &b->channels.at[k].ref))) return true;
        }
    return false;
}

static bool is_within(unsigned ops, unsigned these) { return !(ops & ~these); }

/* What p sees of the channel stays the same whatever `theirs` do to it, and they are not disturbed by p. One channel,
 * known, with room or messages as needed for the whole step: then the two ends commute. What a step looks at after it
 * has changed it is not followed. */
static bool ends_commute(const struct channel_use *use, unsigned theirs, u32 length, u32 capacity)
{
    unsigned mine = use->ops;
    assert_costly(length <= capacity && capacity > 0 && use->most < UNBOUNDED);
    if (use->deep & OP_ONLY_LOOKS) return false;
    unsigned mine_does = mine & ~(unsigned)OP_ONLY_LOOKS, they_do = theirs & ~(unsigned)OP_ONLY_LOOKS;
    bool only_sent = is_within(they_do, OP_SENDS), only_taken = is_within(they_do, OP_RECEIVES);
    if (mine & OP_LOOKS && they_do) return false;
    if (mine & OP_LOOKS_AT_HEAD && !(length ? only_sent : only_taken)) return false;
    if (mine & OP_LOOKS_AT_ROOM && !(length < capacity ? only_taken : only_sent)) return false;
    if (!mine_does) return true;
    unsigned look = theirs & OP_ONLY_LOOKS, most = MAX(use->most, 1);
    if (mine_does == OP_SENDS) return only_taken && length + most <= capacity && is_within(look, OP_WANTS_MORE);
    if (mine_does == OP_RECEIVES) return only_sent && length >= most && is_within(look, OP_WANTS_LESS);
    return false;
}

static bool uses_conflict(const struct moment *t, const struct channel_use *mine, const struct channel_ref *at,
                          unsigned theirs)
{
    if (is_within(mine->ops | theirs, OP_ONLY_LOOKS)) return false;
    if (t->m->without & ANALYSIS_ENDS) return true;
    bool known = at->count == 1 && at->number >= 1 && at->number <= (int)t->shape->channel_count;
    if (!known || mine->most >= UNBOUNDED) return true;
    const struct channel_kind *k = &t->m->layout.kinds.at[t->shape->channel_kind[at->number - 1]];
    if (k->capacity == 0) return true;
    return !ends_commute(mine, theirs, hd_length(t->state + t->shape->channel_at[at->number - 1], k), k->capacity);
}

static bool may_be_rendezvous(const struct moment *t, const struct channel_ref *at)
{
    bool known = at->count == 1 && at->number >= 1 && at->number <= (int)t->shape->channel_count;
    return !known || !t->m->layout.kinds.at[t->shape->channel_kind[at->number - 1]].capacity;
}

/* Two names of one channel in a step: then nothing is counted right. */
static bool has_other_name(const struct moment *t, const struct footprint *mine, int p, size_t use)
{
    struct channel_ref at = channel_resolve(t, &mine->channels.at[use].ref, p);
    for (size_t i = 0; i < mine->channels.len; i++) {
        struct channel_ref other = channel_resolve(t, &mine->channels.at[i].ref, p);
        if (i != use && may_be_same(&at, &other)) return true;
    }
    return false;
}

static bool channels_conflict(const struct moment *t, const struct footprint *mine, int p,
                              const struct footprint *theirs, int q)
{
    for (size_t i = 0; i < mine->channels.len; i++) {
        struct channel_ref at = channel_resolve(t, &mine->channels.at[i].ref, p);
        unsigned ops = 0;
        for (size_t k = 0; k < theirs->channels.len; k++) {
            struct channel_ref other = channel_resolve(t, &theirs->channels.at[k].ref, q);
            if (may_be_same(&at, &other)) ops |= theirs->channels.at[k].ops;
        }
        if (ops && (uses_conflict(t, &mine->channels.at[i], &at, ops) || has_other_name(t, mine, p, i))) return true;
    }
    return false;
}

static bool is_event(const struct moment *t, const struct channel_use *u, int pid)
{
    const struct footprint *traced = &t->m->independence->traced;
    struct channel_ref at = channel_resolve(t, &u->ref, pid);
    for (size_t i = 0; u->ops & (OP_SENDS | OP_RECEIVES) && i < traced->channels.len; i++)
        if (may_be_same(&at, &traced->channels.at[i].ref)) return true;
    return false;
}

static bool has_event(const struct moment *t, const struct footprint *f, int pid)
{
    for (size_t i = 0; i < f->channels.len; i++)
        if (is_event(t, &f->channels.at[i], pid)) return true;
    return false;
}

/* The order of events matters to a trace or notrace, and what its expressions read when they happen. */
static bool events_conflict(const struct moment *t, const struct footprint *mine, int p, const struct footprint *theirs,
                            int q)
{
    const struct independence *d = t->m->independence;
    bool my_event = has_event(t, mine, p), their_event = has_event(t, theirs, q);
    return (my_event && their_event) || (my_event && variables_conflict(&d->traced, theirs, d->words)) ||
           (their_event && variables_conflict(mine, &d->traced, d->words));
}

/* May the other process be sending a rendezvous inside of an atomic sequence when the step makes pid ready to receive
 * it? Such a send is one that also looks at its channel. */
static bool ready_conflicts(const struct moment *t, const struct footprint *ready, int pid,
                            const struct footprint *theirs, int q)
{
    for (size_t i = 0; i < ready->channels.len; i++) {
        if (!(ready->channels.at[i].ops & OP_RECEIVES)) continue;
        struct channel_ref at = channel_resolve(t, &ready->channels.at[i].ref, pid);
        for (size_t k = 0; k < theirs->channels.len; k++) {
            unsigned ops = theirs->channels.at[k].ops;
            struct channel_ref other = channel_resolve(t, &theirs->channels.at[k].ref, q);
            if (ops & OP_SENDS && ops & OP_LOOKS && may_be_same(&at, &other) && may_be_rendezvous(t, &at)) return true;
        }
    }
    return false;
}

/* A step of a process of this type that commutes in no state. */
static bool never_commutes(const struct program *p, const struct footprint *mine, int type)
{
    return mine->runs || (p->exclusives.len && mine->ends && ends_claim(p, p->proctypes.at[type]));
}

/* The step does not commute with what another process may do, whatever channels the two have. */
static bool surely_conflict(const struct promela_model *m, const struct footprint *mine, const struct footprint *theirs)
{
    if (mine->ends && theirs->runs) return true; /* the process that ends first frees its number */
    bool claims = m->program->exclusives.len;
    if (theirs->runs && (m->without & ANALYSIS_STARTED || (claims && mine->channels.len))) return true;
    return variables_conflict(mine, theirs, m->independence->words);
}

static bool commutes_at(const struct moment *t, int pid)
{
    const struct independence *d = t->m->independence;
    assert_costly(pid >= 0 && pid < (int)t->shape->process_count);
    int type = t->shape->process_type[pid], pc = state_pc(t->m, t->shape, t->state, pid);
    const struct footprint *mine = &d->next[type][pc], *ready = d->ready ? &d->ready[type][pc] : NULL;
    if (never_commutes(t->m->program, mine, type)) return false;
    for (int q = 0; q < (int)t->shape->process_count; q++) {
        if (q == pid) continue;
        int at = state_pc(t->m, t->shape, t->state, q);
        const struct footprint *theirs = &d->future[t->shape->process_type[q]][at];
        if (ready && ready_conflicts(t, ready, pid, theirs, q)) return false;
        if (d->traces && events_conflict(t, mine, pid, theirs, q)) return false;
        if (surely_conflict(t->m, mine, theirs) || channels_conflict(t, mine, pid, theirs, q)) return false;
    }
    return true;
}

bool state_commutes(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    struct moment t = {m, state_shape(m, state), state};
    return m->independence->possible && commutes_at(&t, pid);
}

bool state_independent(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    struct moment t = {m, state_shape(m, state), state};
    return m->independence->possible && commutes_at(&t, pid) && !sticky_at(m->independence, &t, pid);
}

/* ---- by where processes are ---- */

enum { MOST_PLACES = 1 << 12 };

int model_places(struct model *base)
{
    const struct promela_model *m = model_of(base);
    if (!m->independence->possible) return 0;
    int places = m->independence->first_place[m->flow.automata.len];
    return places <= MOST_PLACES ? places : 0;
}

int state_place(struct model *base, const uint8_t *state, int pid, enum first_move *first)
{
    struct promela_model *m = model_of(base);
    struct independence *d = m->independence;
    struct moment t = {m, state_shape(m, state), state};
    int type = t.shape->process_type[pid], pc = state_pc(m, t.shape, state, pid);
    const struct footprint *mine = &d->next[type][pc];
    bool never = never_commutes(m->program, mine, type) || (d->one_cut && sticky_at(d, &t, pid));
    bool all = d->one_cut && !d->ready && !d->traces && !mine->channels.len;
    *first = never ? FIRST_NEVER : all ? FIRST_SURELY : FIRST_MAYBE;
    return d->first_place[type] + pc;
}

static const struct footprint *at_place(const struct promela_model *m, struct footprint *const *which, int place)
{
    const int *first = m->independence->first_place;
    int type = 0;
    while (first[type + 1] <= place) type++;
    return &which[type][place - first[type]];
}

bool place_hinders(struct model *base, int place, int other)
{
    const struct promela_model *m = model_of(base);
    const struct independence *d = m->independence;
    return surely_conflict(m, at_place(m, d->next, place), at_place(m, d->future, other));
}

bool state_invisible(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    const struct shape *h = state_shape(m, state);
    return m->independence->possible && m->independence->invisible[h->process_type[pid]][state_pc(m, h, state, pid)];
}

/* Ends of a channel commute though one may be what the other waits for; and who is older dies after who is younger. */
bool state_may_depend(struct model *base, const uint8_t *state, int pid)
{
    struct promela_model *m = model_of(base);
    const struct shape *h = state_shape(m, state);
    if (!m->independence->possible) return false;
    const struct footprint *next = &m->independence->next[h->process_type[pid]][state_pc(m, h, state, pid)];
    return next->channels.len || next->ends;
}
