/* Running a compiled model: the host's side of step_int.h.
 *
 * A step is enumerated by calling the process's step function, which emits successors. A successor inside an atomic
 * sequence or at a transient state is not delivered but waits until its process has gone on, and so do complete ones
 * that were made after it; the waiting ones are taken in the order in which they were made, depth first, so that the
 * order of delivery is that of the statements. */
#include "model/driver_int.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A call counts as so many bytes, and as those of its state. */
enum { WORK_PER_CALL = 1 << 9, WORK_PER_LOOK = 1 << 23 };
enum { ROOM_BEHIND = 64 }; /* bytes of each buffer that are no part of the state */
enum { LONG_STEP = 256, POLL_EVERY = 1024, STATEMENTS_PER_LOOK = 1024 };

static struct stepper *stepper_of(struct stepping *r)
{
    return (struct stepper *)((char *)r - offsetof(struct stepper, run));
}

static const struct services silent, printing;

/* A buffer for the state being made: one for the step, and two more for each level of enabled(). */
static u8 *buffer_at(struct stepper *m, size_t level)
{
    while (m->buffers.len <= level) vec_push(&m->buffers, (u8 *)xmalloc(m->model->buffer_size + ROOM_BEHIND));
    return m->buffers.at[level];
}

/* Somebody's patience has come to an end: the step is left where it is, and nothing more is delivered. */
static bool is_cut(struct stepper *m)
{
    m->base.cut |= m->base.interrupted && m->base.interrupted(m->base.interrupt_ctx);
    m->stopped |= m->base.cut;
    return m->base.cut;
}

static bool is_cut_between(struct stepper *m, u32 size)
{
    m->work += WORK_PER_CALL + size;
    if (m->work < WORK_PER_LOOK) return false;
    m->work = 0;
    m->base.between = true;
    bool cut = is_cut(m);
    m->base.between = false;
    return cut;
}

/* ---- delivery ---- */

static const char *fault_text(struct stepper *m, u32 edge)
{
    const struct transition *t = &m->model->transitions[edge];
    m->fault_text.len = 0;
    assert(m->run.problem && t->file);
    str_printf(&m->fault_text, "%s at %s:%d", m->run.problem, path_basename(t->file), t->line);
    return str_get(&m->fault_text);
}

static void deliver(struct stepper *m, const u8 *state, u32 size, const char *fault, u32 edge)
{
    struct successor s = {.state = state, .size = size, .pid = m->starter, .moves = m->path.at,
                          .move_count = (u32)m->path.len, .in_spite = m->in_spite, .timeout = m->run.timeout};
    assert_costly(!m->dry && !m->stopped); /* nobody listens */
    s.last = m->path.len ? vec_last(&m->path).pid : m->starter;
    if (fault) s.fault = fault, s.fault_message = fault_text(m, edge), s.fault_transition = edge;
    if (fault) s.fault_before = m->expanded, s.fault_size = m->expanded_size;
    s.goes_on = fault && !state && !m->run.fatal;
    m->delivered++;
    if (!m->fn(m->ctx, &s)) m->stopped = true;
}

static void push_moves(struct stepper *m, int pid, u32 edge)
{
    assert(pid >= 0 && pid < MODEL_MOST_PROCESSES && edge < m->base.transition_count);
    if (m->offering) vec_push(&m->path, m->send);
    vec_push(&m->path, ((struct move){.transition = edge, .pid = (u8)pid, .receives = m->offering}));
}

/* Most states are small, and a copy of a fixed size is no call. Both buffers have room for it. */
static inline void copy_state(u8 *to, const u8 *from, u32 size)
{
    if (size <= ROOM_BEHIND) memcpy(to, from, ROOM_BEHIND);
    else memcpy(to, from, size);
}

/* With the state being made. */
static inline struct pending *new_pending(struct stepper *m, int pid)
{
    u32 size = m->run.next_shape->size;
    struct pending *p = m->spare.len ? vec_pop(&m->spare) : xcalloc(1, sizeof *p);
    assert_costly(!p->output && pid >= 0);
    if (p->cap < size) p->state = xrealloc(p->state, p->cap = MAX(256, 2 * size));
    copy_state(p->state, m->run.next, size);
    p->size = size;
    p->shape = m->run.next_shape;
    p->pid = pid;
    return p;
}

static void push_pending(struct stepper *m, int pid, u32 edge, u32 depth, bool complete)
{
    struct pending *p = new_pending(m, pid);
    p->complete = complete;
    p->problem = complete ? m->run.problem : NULL;
    p->in_spite = m->in_spite || (!complete && m->run.problem);
    p->edge = edge;
    p->depth = depth;
    p->move_count = (int)(m->path.len - depth);
    assert(p->move_count >= 1 && p->move_count <= (int)ARRAY_LEN(p->moves));
    for (int i = 0; i < p->move_count; i++) p->moves[i] = m->path.at[depth + (u32)i];
    if (m->run.host == &printing) p->output = xstrdup(str_get(&m->output));
    vec_push(&m->pending, p);
}

/* The next statement prints for another step. */
static void forget_output(struct stepper *m)
{
    m->output.len = m->output_before;
    if (m->output.at) m->output.at[m->output.len] = 0;
}

/* Nearly all steps are one statement that leads to a stored state, and nobody wants to know more about them. */
static inline void emit_plain(struct stepper *m, int pid, u32 edge)
{
    struct move move = {.transition = edge, .pid = (u8)pid};
    struct successor s = {.state = m->run.next, .size = m->run.next_shape->size, .pid = m->starter, .last = pid,
                          .timeout = m->run.timeout, .moves = &move, .move_count = 1};
    m->delivered++;
    if (!m->fn(m->ctx, &s)) m->stopped = true;
}

/* Nor about one whose process goes on, as push_pending() has it. */
static inline void emit_chain(struct stepper *m, int pid, u32 edge)
{
    struct pending *p = new_pending(m, pid);
    p->complete = false;
    p->problem = NULL;
    p->in_spite = m->in_spite;
    p->edge = edge;
    p->depth = (u32)m->path.len;
    p->move_count = 1;
    p->moves[0] = (struct move){.transition = edge, .pid = (u8)pid};
    vec_push(&m->pending, p);
}

static void emit(struct stepping *r, int pid, u32 edge, int chain)
{
    struct stepper *m = stepper_of(r);
    m->emitted++;
    assert_costly(((struct packed_u64 *)r->next)->v == r->next_shape->id && !r->fatal);
    bool inside = m->dry | m->stopped | chain | m->offering | (m->path.len > 0) | (m->pending.len > m->pending_before);
    if (!inside && !r->problem && r->host == &silent) {
        emit_plain(m, pid, edge);
        return;
    }
    if (m->dry || m->stopped) {
        r->problem = m->offered_problem;
        return;
    }
    if (chain && !m->offering && !r->problem && r->host == &silent) {
        emit_chain(m, pid, edge);
        return;
    }
    u32 depth = (u32)m->path.len;
    push_moves(m, pid, edge);
    if (chain && r->problem) deliver(m, NULL, 0, "assertion", edge);
    if (chain || m->pending.len > m->pending_before) push_pending(m, pid, edge, depth, !chain);
    else deliver(m, r->next, r->next_shape->size, r->problem ? "assertion" : NULL, edge);
    forget_output(m);
    r->problem = m->offered_problem;
    m->path.len = depth;
}

static void fault(struct stepping *r, int pid, u32 edge)
{
    struct stepper *m = stepper_of(r);
    assert((r->problem || m->stopped) && edge < m->base.transition_count); /* stopped: the step was cut */
    m->emitted++;
    if (!m->dry && !m->stopped) {
        u32 depth = (u32)m->path.len;
        push_moves(m, pid, edge);
        deliver(m, NULL, 0, "model", edge);
        m->path.len = depth;
        forget_output(m);
    }
    r->problem = m->offered_problem;
    r->fatal = 0;
}

/* Only provided clauses and priorities keep a process from moving that could. */
static bool is_allowed(struct stepper *m, const u8 *state, int pid)
{
    return !m->model->restricted || m->code->allowed(&m->run, state, pid);
}

/* ---- rendezvous ---- */

/* A process does not meet itself. The receivers are asked in the order in which processes are tried. A trace assertion
 * that the send violates is an error of each rendezvous; a send that no process receives is no event. */
static int offer(struct stepping *r, int pid, u32 edge, u32 channel)
{
    struct stepper *m = stepper_of(r);
    const struct shape *before = r->shape, *middle = r->next_shape;
    const u8 *state = r->next;
    struct move outer = m->send;
    u32 before_offer = m->emitted;
    assert_costly(!m->offering); /* a receiver does not offer in its turn */
    assert_costly(channel >= 1 && channel <= middle->channel_count);
    assert_costly(!m->model->layout.kinds.at[middle->channel_kind[channel - 1]].capacity);
    r->shape = middle;
    r->next = buffer_at(m, ++m->buffer_level);
    m->send = (struct move){.transition = edge, .pid = (u8)pid};
    m->offering = true;
    m->offered_problem = r->problem;
    for (int q = (int)middle->process_count - 1; q >= 0; q--)
        if (q != pid && is_allowed(m, state, q)) {
            m->reached[middle->process_type[q]][state_pc(m->model, middle, state, q)] = 1;
            m->code->offer[middle->process_type[q]](r, state, middle->process_at[q], q, channel);
        }
    r->problem = m->offered_problem = NULL;
    m->offering = false;
    m->send = outer;
    r->next = buffer_at(m, --m->buffer_level);
    r->shape = before;
    return m->emitted != before_offer;
}

/* ---- frames ---- */

static struct shape_node *node_of(const struct shape *h) { return (struct shape_node *)h; }

static void set_shape(struct stepping *r, u8 *state, const struct shape *h)
{
    struct stepper *m = stepper_of(r);
    assert_costly(h->size <= m->model->buffer_size);
    r->next_shape = h;
    ((struct packed_u64 *)state)->v = h->id;
    if (h->size > m->base.max_state) m->base.max_state = h->size;
}

static bool push_frame(struct stepping *r, u8 *state, int frame)
{
    struct stepper *m = stepper_of(r);
    u32 at = r->next_shape->size, size = m->model->shapes.frame_sizes[frame];
    assert_costly(at <= m->model->buffer_size);
    if (at + size > m->model->buffer_size) { /* the buffers hold every state that may be */
        hd_problem(r, "the state grows too large");
        return false;
    }
    struct shape_node *n = shapes_push(&m->model->shapes, node_of(r->next_shape), frame);
    memset(state + at, 0, n->shape.size - at);
    set_shape(r, state, &n->shape);
    return true;
}

static int start(struct stepping *r, u8 *state, int proctype)
{
    if (r->next_shape->process_count >= MODEL_MOST_PROCESSES) return -1;
    return push_frame(r, state, proctype) ? (int)r->next_shape->process_count - 1 : -1;
}

static int channel(struct stepping *r, u8 *state, int kind)
{
    if (r->next_shape->channel_count >= MOST_FRAMES) return hd_problem(r, "too many channels");
    int frame = stepper_of(r)->model->shapes.process_types + kind;
    return push_frame(r, state, frame) ? (int)r->next_shape->channel_count : 0;
}

static void die_process(struct stepping *r, u8 *state, int pid)
{
    assert(pid == (int)r->next_shape->process_count - 1); /* the youngest, or another would die */
    set_shape(r, state, &shapes_pop_process(&stepper_of(r)->model->shapes, node_of(r->next_shape))->shape);
}

/* ---- asking ---- */

static int ask(struct stepper *m, const u8 *state, const struct shape *h, int pid)
{
    struct stepping *r = &m->run, saved = *r;
    u32 emitted = m->emitted;
    size_t path = m->path.len, pending = m->pending.len;
    m->emitted = 0;
    m->dry++;
    r->shape = h;
    r->next = buffer_at(m, ++m->buffer_level);
    m->code->step[h->process_type[pid]](r, state, h->process_at[pid], pid);
    m->buffer_level--;
    m->dry--;
    assert(m->path.len == path && m->pending.len == pending); /* a question leaves nothing behind */
    int result = m->emitted > 0;
    m->emitted = emitted;
    *r = saved;
    return result;
}

/* More levels of enabled() than processes: somebody asks, perhaps through others, about itself. */
static int enabled(struct stepping *r, const u8 *state, int pid)
{
    struct stepper *m = stepper_of(r);
    const struct shape *h = state_shape(m->model, state);
    if (pid < 0 || pid >= (int)h->process_count) return 0;
    if (m->dry >= (int)h->process_count) m->asks_itself = true;
    int result = m->asks_itself ? 0 : ask(m, state, h, pid);
    if (m->dry == 0 && m->asks_itself) {
        m->asks_itself = false;
        return hd_problem(r, "enabled() asks whether it is itself true");
    }
    return result;
}

/* ---- long d_steps ---- */

/* A d_step is deterministic, so that it goes on for ever if it comes to the same state at the same place twice. The
 * state is kept at every look whose number is a power of two, and compared at each (Brent). C code has state that
 * nobody sees. */
static bool repeats(struct stepper *m, const u8 *state, int place)
{
    u32 look = m->run.rounds / ROUNDS_PER_LOOK, size = m->run.next_shape->size;
    assert(look >= 1 && m->run.rounds % ROUNDS_PER_LOOK == 0);
    struct round *kept = &m->kept_round;
    bool same = look > 1 && kept->place == place && kept->state.len == size && !memcmp(kept->state.at, state, size);
    if ((look & (look - 1)) == 0) {
        vec_reserve(&kept->state, size);
        memcpy(kept->state.at, state, size);
        kept->state.len = size;
        kept->place = place;
    }
    return same && !m->model->program->uses_c_code;
}

static int goes_round(struct stepping *r, const u8 *state, int place)
{
    struct stepper *m = stepper_of(r);
    if (is_cut(m)) return 1;
    if (!repeats(m, state, place)) return 0;
    hd_problem(r, "a loop inside d_step does not end");
    return 1;
}

static const struct services silent = {.emit = emit,
                                       .offer = offer,
                                       .fault = fault,
                                       .start = start,
                                       .channel = channel,
                                       .die = die_process,
                                       .enabled = enabled,
                                       .goes_round = goes_round};
static const struct services printing = {.emit = emit,
                                         .offer = offer,
                                         .fault = fault,
                                         .start = start,
                                         .channel = channel,
                                         .die = die_process,
                                         .enabled = enabled,
                                         .goes_round = goes_round,
                                         .print = model_print,
                                         .printm = model_print_mtype,
                                         .truncated = model_truncated};

/* ---- steps ---- */

static void run_process(struct stepper *m, const u8 *state, const struct shape *h, int pid)
{
    struct stepping *r = &m->run;
    int type = h->process_type[pid];
    r->shape = h;
    r->next = m->buffers.at[0];
    m->expanded = state;
    m->expanded_size = h->size;
    assert(m->buffer_level == 0);
    m->reached[type][state_pc(m->model, h, state, pid)] = 1;
    if (is_allowed(m, state, pid)) m->code->step[type](r, state, h->process_at[pid], pid);
    else r->problem = NULL, r->fatal = 0;
}

static struct inner_state *inner_slot(struct inner_state *table, size_t len, const struct inner_state *x)
{
    size_t i = x->hash & (len - 1);
    assert(len && !(len & (len - 1)));
    for (; table[i].state; i = (i + 1) & (len - 1))
        if (table[i].hash == x->hash && table[i].pid == x->pid && table[i].size == x->size &&
            !memcmp(table[i].state, x->state, x->size))
            break;
    return &table[i];
}

static void grow_part(struct inner_part *t)
{
    size_t n = t->cap ? 2 * t->cap : 16;
    struct inner_state *bigger = xcalloc(n, sizeof *bigger);
    for (size_t i = 0; i < t->cap; i++)
        if (t->at[i].state) *inner_slot(bigger, n, &t->at[i]) = t->at[i];
    free(t->at);
    t->at = bigger;
    t->cap = n;
}

/* A long step may loop: states inside it that were seen before are not continued. */
static bool seen_inside(struct stepper *m, const struct pending *p)
{
    struct inner_state x = {p->state, p->size, p->pid, hash_bytes(p->state, p->size, (uint64_t)p->pid)};
    struct inner_part *t = &m->visited.part[x.hash >> 56 & (INNER_PARTS - 1)]; /* slots go by the lower bits */
    if (2 * (t->len + 1) > t->cap) grow_part(t);
    struct inner_state *slot = inner_slot(t->at, t->cap, &x);
    if (slot->state) return true;
    *slot = x;
    slot->state = memcpy(arena_alloc(&m->visited.bytes, x.size), x.state, x.size);
    t->len++, m->visited.len++;
    assert(2 * t->len <= t->cap); /* or a lookup would not end */
    return false;
}

static void forget_inside(struct stepper *m)
{
    if (!m->visited.len) return;
    arena_release(&m->visited.bytes);
    for (int i = 0; i < INNER_PARTS; i++) free(m->visited.part[i].at);
    m->visited = (struct inner_states){0};
}

static void reverse_pending(struct stepper *m, size_t from)
{
    for (size_t i = from, k = m->pending.len; i + 1 < k; i++) {
        struct pending *swap = m->pending.at[i];
        m->pending.at[i] = m->pending.at[--k];
        m->pending.at[k] = swap;
    }
}

static void spare_pending(struct stepper *m, struct pending *p)
{
    if (p->output) free_null((void **)&p->output);
    vec_push(&m->spare, p);
}

static void drop_pending(struct stepper *m) { spare_pending(m, vec_pop(&m->pending)); }

static void continue_one(struct stepper *m)
{
    struct pending *p = vec_pop(&m->pending);
    assert_costly(p->depth <= m->path.cap && p->state && p->size == p->shape->size && p->size <= p->cap);
    m->path.len = p->depth;
    m->in_spite = p->in_spite;
    for (int i = 0; i < p->move_count; i++) vec_push(&m->path, p->moves[i]);
    size_t from = m->pending_before = m->pending.len;
    m->output.len = 0;
    if (p->output) str_add(&m->output, p->output);
    m->output_before = m->output.len;
    if (p->complete) {
        m->expanded = NULL; /* it was put off, and its state is gone */
        m->run.problem = p->problem;
        deliver(m, p->state, p->size, p->problem ? "assertion" : NULL, p->edge);
        m->run.problem = NULL;
    } else {
        m->emitted = 0;
        run_process(m, p->state, p->shape, p->pid);
        if (!m->emitted) deliver(m, p->state, p->size, NULL, 0); /* it blocks here: the right to go on alone is lost */
        if (m->pending.len > from + 1) reverse_pending(m, from);
    }
    spare_pending(m, p);
}

static void enumerate(struct stepper *m, const u8 *state, const struct shape *h, int pid)
{
    m->starter = pid;
    m->path.len = 0;
    m->in_spite = false;
    if (m->output.len) m->output_before = 0, forget_output(m);
    m->pending_before = 0;
    run_process(m, state, h, pid);
    if (!m->pending.len) return;
    if (m->pending.len > 1) reverse_pending(m, 0);
    for (u32 length = 1; m->pending.len && !m->stopped; length++) {
        if (length % STATEMENTS_PER_LOOK == 0 && is_cut(m)) break;
        if (length >= LONG_STEP && !vec_last(&m->pending)->complete && seen_inside(m, vec_last(&m->pending))) {
            m->base.met_inside = true;
            drop_pending(m);
        } else continue_one(m);
    }
    while (m->pending.len) drop_pending(m);
    forget_inside(m);
    assert_costly(!m->visited.len && !m->offering && !m->dry && m->buffer_level == 0);
}

/* The first stepper looks after the loader; the others follow. */
static void refresh_code(struct stepper *m)
{
    if (m->first && loader_poll(m->model->loader, m->calls))
        __atomic_store_n(&m->model->code, loader_code(m->model->loader), __ATOMIC_RELEASE);
    m->code = __atomic_load_n(&m->model->code, __ATOMIC_ACQUIRE);
    assert(m->code->globals_size == m->model->shapes.root->shape.size); /* better code of the same model */
}

uint32_t stepper_successors(struct model *base, const uint8_t *state, uint32_t size, int pid, bool timeout,
                            successor_fn *fn, void *ctx)
{
    struct stepper *m = (struct stepper *)base;
    const struct shape *h = state_shape(m->model, state);
    m->stopped = false;
    if (is_cut_between(m, size)) return base->cut;
    if (++m->calls % POLL_EVERY == 0) refresh_code(m);
    m->fn = fn, m->ctx = ctx;
    struct watched_step watched = {m->model, state, size, 0, pid, INT_MAX, fn, ctx};
    if (CHECKS_EVERYTHING) {
        assert_state(m->model, state, size);
        watched.hash = hash_bytes(state, size, 0);
        m->fn = assert_step, m->ctx = &watched;
    }
    m->delivered = 0;
    m->run.timeout = pid != MODEL_ALL && timeout;
    if (pid != MODEL_ALL) {
        if (pid < (int)h->process_count) enumerate(m, state, h, pid);
        return m->delivered + base->cut;
    }
    for (int round = 0; round < 1 + base->uses_timeout && !m->delivered && !m->stopped; round++) {
        m->run.timeout = round;
        watched.latest = INT_MAX;
        for (int q = (int)h->process_count - 1; q >= 0 && !m->stopped; q--) enumerate(m, state, h, q);
    }
    return m->delivered + base->cut;
}

int stepper_first_statements(struct model *base, const uint8_t *state, uint32_t size, int pid)
{
    struct stepper *m = (struct stepper *)base;
    struct stepping *r = &m->run;
    const struct shape *h = state_shape(m->model, state);
    if (pid >= (int)h->process_count) return 0;
    if (!m->model->ends[h->process_type[pid]][state_pc(m->model, h, state, pid)]) return -1;
    m->stopped = false;
    if (is_cut_between(m, size)) return -1;
    if (++m->calls % POLL_EVERY == 0) refresh_code(m);
    r->timeout = 0;
    m->emitted = 0;
    m->dry = 1;
    run_process(m, state, h, pid);
    m->dry = 0;
    r->problem = NULL;
    r->fatal = 0;
    return base->cut ? -1 : (int)m->emitted;
}

uint32_t stepper_initial(struct model *base, uint8_t *state)
{
    struct stepper *m = (struct stepper *)base;
    struct stepping *r = &m->run;
    u8 *n = buffer_at(m, 0);
    memset(n, 0, m->model->shapes.root->shape.size);
    r->shape = r->next_shape = &m->model->shapes.root->shape;
    set_shape(r, n, r->shape);
    for (size_t i = 0; i < m->model->layout.global_channels.len; i++)
        channel(r, n, m->model->layout.global_channels.at[i]);
    assert(r->next_shape->channel_count == m->model->layout.global_channels.len || r->fatal);
    m->code->start(r, n);
    assert(r->next_shape->size <= m->model->buffer_size);
    memcpy(state, n, r->next_shape->size);
    return r->next_shape->size;
}

void stepper_want_output(struct model *base, bool wanted)
{
    ((struct stepper *)base)->run.host = wanted ? &printing : &silent;
}

void stepper_init(struct stepper *m, struct promela_model *model)
{
    m->model = model;
    assert(model->buffer_size >= model->shapes.root->shape.size && model->nothing && model->independence);
    m->code = __atomic_load_n(&model->code, __ATOMIC_ACQUIRE);
    m->run.host = &silent;
    m->run.nothing = model->nothing;
    buffer_at(m, 0);
}

void stepper_release(struct stepper *m)
{
    for (size_t i = 0; i < m->spare.len; i++) {
        free(m->spare.at[i]->state);
        free(m->spare.at[i]);
    }
    for (size_t i = 0; i < m->buffers.len; i++) free(m->buffers.at[i]);
    vec_release(&m->buffers);
    vec_release(&m->kept_round.state);
    vec_release(&m->spare);
    vec_release(&m->pending);
    vec_release(&m->path);
    forget_inside(m);
    str_release(&m->output);
    str_release(&m->fault_text);
}
