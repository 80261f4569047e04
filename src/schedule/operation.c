/* What every kind of operation touches and does, in one place: the model of the synchronisation objects.
 *
 * Two events are dependent if one thread did both, or they touch the same object and one of them writes. What counts
 * as a write depends on the outcome: an attempt to lock that fails, or a signal that nobody waits for, only reads; a
 * reader's lock and unlock are reads of the rwlock, although they change the number of readers, because they commute.
 * Because the state of an object in any cut follows from the events in it, the model answers whether a pending
 * operation would be enabled, and with what outcome, in states that no execution went through yet.
 *
 * States: mutex: owner + 1; rwlock: writer + 1, plus READER per reader, plus WAITER per writer that waits; condition
 * variable: set of threads waiting; semaphore: count; barrier: number of arrivals; channel: bytes put in so far,
 * and beside it bytes taken so far. */
#include <assert.h>

#include "schedule/internal.h"

enum { READER = 2 * SCHED_MAX_THREADS };
#define WAITER (UINT64_C(1) << 40)

static bool in_cut(const struct hb *h, const uint32_t *cut, uint32_t step)
{
    const struct event *e = &h->events.at[step];
    return !cut || e->index < cut[e->thread];
}

static const struct event *last_event(const struct hb *h, const uint32_t *cut, int t)
{
    size_t n = cut ? cut[t] : h->thread[t].steps.len;
    return n ? &h->events.at[h->thread[t].steps.at[n - 1]] : NULL;
}

static bool was_woken(const struct hb *h, const uint32_t *cut, int t)
{
    const struct event *last = last_event(h, cut, t);
    return last && last->waker && in_cut(h, cut, last->waker - 1);
}

/* The program was ended by one thread for all. */
static bool has_ended(const struct hb *h, const uint32_t *cut)
{
    for (size_t i = h->globals.len; i-- > 0;)
        if (h->events.at[h->globals.at[i]].kind == SCHED_END && in_cut(h, cut, h->globals.at[i]))
            return true;
    return false;
}

bool hb_spurious_left(const struct hb *h, const uint32_t *cut)
{
    int count = 0;
    for (size_t i = 0; i < h->spurious.len; i++)
        count += in_cut(h, cut, h->spurious.at[i]);
    return count < h->most_spurious;
}

static bool has_exited(const struct hb *h, const uint32_t *cut, int t)
{
    const struct event *last = last_event(h, cut, t);
    uint32_t next;
    if (!last || last->kind != SCHED_EXIT)
        return false;
    return !(next = hb_creator(h, t, last)) || !in_cut(h, cut, next - 1); /* the number may have been given out again */
}

/* The state after the last write in the cut, and the readers that came and went since. */
static cell_state state_in(const struct hb *h, const uint32_t *cut, uint32_t cell, cell_state initial)
{
    const struct cell *c = &h->cells.at[cell];
    cell_state readers = SET_NONE;
    if (!cut && (!c->list.len || stack_last(&c->list).write || stack_last(&c->list).prev_write))
        return c->list.len ? c->state : initial;
    for (size_t i = c->list.len; i-- > 0;) {
        const struct cell_entry *entry = &c->list.at[i];
        if (!in_cut(h, cut, entry->step))
            continue;
        const struct event *e = &h->events.at[entry->step];
        unsigned k = 0;
        while (e->access[k].cell != cell)
            k++;
        if (entry->write)
            return e->change[k].after + readers;
        readers += e->change[k].after - e->change[k].before;
    }
    return initial + readers;
}

static struct change *touch(struct hb *h, const uint32_t *cut, struct event *e, uint64_t object, uint64_t initial)
{
    assert(e->accesses < EVENT_ACCESSES);
    struct access *a = &e->access[e->accesses];
    struct change *c = &e->change[e->accesses++];
    *a = (struct access){hb_cell(h, object << 1 | 1), 1, false};
    c->before = c->after = state_in(h, cut, a->cell, number_state(initial));
    return c;
}

static void set(struct event *e, struct change *c, cell_state state)
{
    e->access[c - e->change].write = true;
    c->after = state;
}

static void touch_memory(struct hb *h, struct event *e, uint64_t address, uint32_t size, bool write)
{
    assert(size >= 1 && size <= 16);
    for (uint64_t at = address; at < address + size;) {
        uint64_t end = (at | 7) + 1 < address + size ? (at | 7) + 1 : address + size;
        uint8_t bytes = (uint8_t)(((1u << (end - at)) - 1) << (at & 7));
        assert(e->accesses < EVENT_ACCESSES);
        e->change[e->accesses] = (struct change){0};
        e->access[e->accesses++] = (struct access){hb_cell(h, at >> 3 << 1), bytes, write};
        at = end;
    }
}

/* One of the bytes that are still open was there before the entry, or after it; they are known then. */
static void take_bytes(const struct hb *h, uint32_t cell, const struct cell_entry *entry, bool after, uint8_t *open,
                       struct change *found)
{
    const struct event *e = &h->events.at[entry->step];
    unsigned k = 0;
    while (e->access[k].cell != cell)
        k++;
    for (unsigned i = 0; i < 8; i++)
        if (*open & entry->bytes & 1u << i)
            found->before |= (after ? e->change[k].after : e->change[k].before) & number_state(UINT64_C(0xff) << 8 * i);
    found->has_contents &= e->change[k].has_contents;
    *open &= (uint8_t)~entry->bytes;
}

/* What memory holds in the cut: what the last writes there left, else what the first access to it found. The bytes
 * that stay `open` were accessed by nobody. */
static struct change contents_in(const struct hb *h, const uint32_t *cut, const struct access *a, uint8_t *open)
{
    const struct cell *c = &h->cells.at[a->cell];
    struct change found = {.has_contents = true};
    *open = a->bytes;
    for (size_t i = c->list.len; i-- > 0 && *open;) {
        const struct cell_entry *entry = &c->list.at[i];
        if (!entry->write)
            i = entry->prev_write; /* the next round looks at that write, or ends */
        else if ((entry->bytes & *open) && in_cut(h, cut, entry->step))
            take_bytes(h, a->cell, entry, true, open, &found);
    }
    for (size_t i = 0; i < c->list.len && *open; i++)
        if (c->list.at[i].bytes & *open)
            take_bytes(h, a->cell, &c->list.at[i], false, open, &found);
    return found;
}

static uint64_t mask_of(uint8_t bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask |= bytes >> i & 1 ? UINT64_C(0xff) << 8 * i : 0;
    return mask;
}

static uint64_t bytes_of(const struct access *a, uint64_t word)
{
    return word & mask_of(a->bytes);
}

/* Bytes that no step accessed are what they were when a step first looked at the word around them. */
static void take_untouched(const struct hb *h, const struct access *a, uint8_t *open, struct change *found)
{
    const struct cell *c = &h->cells.at[a->cell];
    struct cell_entry all = c->list.at[0];
    all.bytes = *open;
    take_bytes(h, a->cell, &all, false, open, found);
}

/* Whether memory holds the operation's value in the cut. Of the present state the runtime knows it; of others only what
 * the steps of this execution found and left in memory. */
static bool holds_value(struct hb *h, const uint32_t *cut, const struct sched_op *op, const struct access *a)
{
    uint8_t open = a->bytes;
    struct change found = {0};
    if (h->follows_words)
        found = contents_in(h, cut, a, &open);
    if (open == a->bytes)
        return op->flags & SCHED_FITS;
    if (open)
        take_untouched(h, a, &open, &found);
    h->lost_words |= !found.has_contents;
    return state_number(found.before) == bytes_of(a, (uint64_t)op->value << 8 * (op->object & 7));
}

bool hb_note_words(struct hb *h, struct event *e, const struct sched_outcome *o)
{
    bool as_left = true;
    if (!h->follows_words || !o->has_words)
        return true;
    for (unsigned i = 0; i < e->looks && i < 2; i++) {
        uint8_t open;
        struct change before = contents_in(h, NULL, &e->access[i], &open);
        e->change[i] = (struct change){number_state(o->before[i]), number_state(o->after[i]), .has_contents = true};
        as_left &= open || !before.has_contents || state_number(before.before) == bytes_of(&e->access[i], o->before[i]);
    }
    return as_left;
}

static bool looks_at(const struct event *e, const struct access *a)
{
    for (unsigned i = 0; i < e->looks; i++)
        if (e->access[i].cell == a->cell && (e->access[i].bytes & a->bytes))
            return true;
    return false;
}

/* Another thread changed these bytes since thread t last looked at them. What t has learnt elsewhere in between makes
 * no difference: it is about to look at them again. */
static bool changed_meanwhile(const struct hb *h, const uint32_t *cut, int t, const struct access *a)
{
    const struct cell *c = &h->cells.at[a->cell];
    for (size_t i = c->list.len; i-- > 0;) {
        const struct event *e = &h->events.at[c->list.at[i].step];
        if (!(c->list.at[i].bytes & a->bytes) || !in_cut(h, cut, c->list.at[i].step))
            continue;
        if (e->thread == t && looks_at(e, a))
            return e->choice != 0; /* then it has not seen the newest one yet */
        if (c->list.at[i].write && e->changed && e->thread != t)
            return true;
    }
    return false;
}

/* Steps a and b that commute must not decide whether b and c do (doc/schedule.md). So whoever changes what an operation
 * finds that asks memory has to write all of its bytes: then that write conflicts with all that the operation does. */
static void note_bytes(struct hb *h, const struct sched_op *op, const struct access *a)
{
    struct cell *c = &h->cells.at[a->cell];
    bool asks = op_asks_memory(op);
    uint16_t noted = (uint16_t)(asks << 8 | a->bytes);
    if (c->noted == noted)
        return;
    c->noted = noted;
    for (unsigned i = 0; i < 8; i++) {
        if (!(a->bytes & 1u << i))
            continue;
        c->asks[i] |= asks ? a->bytes : 0;
        c->writes[i] = c->writes[i] ? c->writes[i] & a->bytes : a->bytes;
        h->writes_partly |= (c->asks[i] & ~c->writes[i]) != 0;
    }
}

static bool predict_memory(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    bool enabled = !(op->flags & SCHED_SPIN);
    touch_memory(h, e, op->object, op->count, op->kind != SCHED_READ);
    e->looks = e->accesses;
    for (unsigned i = 0; h->asks_memory && op->kind != SCHED_READ && i < e->accesses; i++)
        note_bytes(h, op, &e->access[i]);
    if (h->asks_memory && op_asks_memory(op)) {
        assert(e->accesses == 1);
        bool holds = holds_value(h, cut, op, &e->access[0]);
        e->failed = op->kind == SCHED_CAS && !holds;
        e->changed = e->access[0].write = (op->kind == SCHED_CAS) == holds;
    }
    if (op->object2)
        touch_memory(h, e, op->object2, op->count, e->access[0].write && !(op->flags & SCHED_SPIN));
    for (unsigned i = 0; i < e->accesses && !enabled; i++)
        enabled = changed_meanwhile(h, cut, t, &e->access[i]);
    return enabled;
}

static bool predict_resume(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    bool woken = was_woken(h, cut, t), free = true;
    if (op->object2) {
        struct change *mutex = touch(h, cut, e, op->object2, 0);
        free = !state_number(mutex->before);
        set(e, mutex, number_state((uint64_t)t + 1));
    }
    if (!woken && (op->flags & SCHED_TIMED)) {
        struct change *condition = touch(h, cut, e, op->object, 0);
        set(e, condition, condition->before & ~set_of(t));
        e->failed = true;
    }
    return free && (woken || e->failed);
}

static void predict_signal(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    struct change *a = touch(h, cut, e, op->object, 0);
    sched_set waiting = a->before;
    if (!set_any(waiting))
        return;
    if (op->kind == SCHED_BROADCAST) {
        e->woken = waiting;
    } else {
        e->choices = (uint32_t)set_count(waiting);
        assert(e->choice < e->choices);
        for (uint32_t skip = e->choice; skip; skip--)
            waiting &= ~set_of(set_first(waiting));
        e->woken = set_of(set_first(waiting));
    }
    set(e, a, a->before & ~e->woken);
}

static bool predict_lock(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    struct change *a = touch(h, cut, e, op->object, 0);
    uint64_t waiters = state_number(a->before) & ~(WAITER - 1), held = state_number(a->before) - waiters;
    bool free = !held, no_writer = held % READER == 0 && !(waiters && (op->flags & SCHED_BEHIND));
    switch (op->kind) {
    case SCHED_LOCK:
    case SCHED_WRLOCK:
        if (waiters && (op->flags & SCHED_BEHIND))
            waiters -= WAITER;
        set(e, a, number_state((uint64_t)t + 1 + waiters));
        return free;
    case SCHED_WRWAIT:
        set(e, a, number_state(held + waiters + WAITER));
        return true;
    case SCHED_TRYLOCK:
        e->failed = !free;
        if (free)
            set(e, a, number_state((uint64_t)t + 1));
        return true;
    case SCHED_TRYWRLOCK: /* when it fails it still must be ordered with the readers' unlocks: a write */
        e->failed = !free;
        set(e, a, free ? number_state((uint64_t)t + 1 + waiters) : a->before);
        return true;
    case SCHED_UNLOCK:
    case SCHED_WRUNLOCK:
        set(e, a, number_state(waiters));
        return true;
    case SCHED_RDUNLOCK:
        a->after = a->before - number_state(READER);
        return true;
    default: /* RDLOCK, TRYRDLOCK */
        e->failed = op->kind == SCHED_TRYRDLOCK && !no_writer;
        if (!e->failed)
            a->after = a->before + number_state(READER);
        return no_writer || e->failed;
    }
}

static bool predict_semaphore(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    struct change *a = touch(h, cut, e, op->object, (uint64_t)op->value);
    bool some = state_number(a->before) > 0;
    if (op->kind == SCHED_SEM_POST)
        set(e, a, a->before + number_state(1));
    else if (op->kind == SCHED_SEM_WAIT || (op->kind == SCHED_SEM_TRYWAIT && some))
        set(e, a, a->before - number_state(1));
    e->failed = op->kind == SCHED_SEM_TRYWAIT && !some;
    return some || op->kind != SCHED_SEM_WAIT;
}

/* A channel is a queue with two ends, each a cell of its own, and what was put in at once is a cell, too, named by the
 * position of its first byte: writers are in order among themselves, and so are readers; who takes bytes comes after
 * those who put them in, and who finds too few before the next who puts some in. Who puts in what would fit even if
 * nobody had taken anything has nothing to do with readers. */
static uint64_t taking_end(const struct sched_op *op) { return op->object + 1; }

static void touch_bytes(struct hb *h, struct event *e, const struct sched_op *op, uint64_t position, bool write)
{
    assert(e->accesses < EVENT_ACCESSES);
    uint32_t cell = hb_cell(h, sched_channel_part(op->object, position) << 1 | 1);
    e->change[e->accesses] = (struct change){0};
    e->access[e->accesses++] = (struct access){cell, 1, write};
}

/* Who put in the byte at the position: where his bytes begin and end. */
static struct change who_put(const struct hb *h, const uint32_t *cut, uint32_t cell, uint64_t position)
{
    const struct cell *c = &h->cells.at[cell];
    for (size_t i = c->list.len; i-- > 0;) {
        const struct event *e = &h->events.at[c->list.at[i].step];
        if (c->list.at[i].write && in_cut(h, cut, c->list.at[i].step) && state_number(e->change[0].before) <= position)
            return e->change[0];
    }
    assert(!"bytes that nobody put in");
    return (struct change){0};
}

static bool predict_put(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    struct change *end = touch(h, cut, e, op->object, 0);
    uint64_t written = state_number(end->before), room = op->count;
    if (written + op->count > (uint64_t)op->value)
        room = (uint64_t)op->value - (written - state_number(touch(h, cut, e, taking_end(op), 0)->before));
    uint64_t size = op->count < room ? op->count : room;
    e->failed = (op->flags & SCHED_CLOSED) || size < (op->flags & SCHED_WHOLE ? op->count : 1);
    if (!e->failed || (op->flags & SCHED_WAITS)) {
        set(e, end, number_state(written + (e->failed ? 0 : size)));
        touch_bytes(h, e, op, written, true);
    }
    return !e->failed;
}

static bool predict_take(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    struct change *end = touch(h, cut, e, taking_end(op), 0);
    uint32_t putting_end = hb_cell(h, op->object << 1 | 1);
    uint64_t taken = state_number(end->before), written = state_number(state_in(h, cut, putting_end, SET_NONE));
    if (written == taken) {
        touch_bytes(h, e, op, written, false);
        if (op->flags & SCHED_WAITS)
            set(e, end, end->before);
        return e->failed = !(op->flags & SCHED_CLOSED), !e->failed;
    }
    uint64_t size = written - taken < op->count ? written - taken : op->count;
    struct change last = who_put(h, cut, putting_end, op->flags & SCHED_WHOLE ? taken : taken + size - 1);
    if (op->flags & SCHED_WHOLE)
        size = state_number(last.after) - taken;
    set(e, end, number_state(taken + size));
    touch_bytes(h, e, op, state_number(last.before), false);
    if (size < op->count && !(op->flags & SCHED_WHOLE))
        touch_bytes(h, e, op, written, false);
    return true;
}

static bool predict_peek(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    uint64_t written = state_number(touch(h, cut, e, op->object, 0)->before);
    uint64_t there = written - state_number(touch(h, cut, e, taking_end(op), 0)->before);
    e->failed = !(op->flags & SCHED_CLOSED) && (op->count ? (uint64_t)op->value - there < op->count : !there);
    return !e->failed;
}

static bool predict_channel(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    bool possible = (op->kind == SCHED_PUT    ? predict_put
                     : op->kind == SCHED_TAKE ? predict_take
                                              : predict_peek)(h, cut, op, e);
    e->changed = !e->failed && op->kind != SCHED_PEEK;
    if (op->object2 && op->kind != SCHED_PEEK)
        touch_memory(h, e, op->object2, 4, e->changed);
    return possible || !(op->flags & SCHED_WAITS) || (op->flags & SCHED_CLOSED);
}

/* A barrier for one thread holds no thread up, and may have been used before there were other threads. */
static bool holds_up(const struct sched_op *op) { return op->value > 1; }

/* With SCHED_ROUNDS arrivals commute, although they change the count. All arrivals of earlier rounds come before this
 * one, so it is of the same round in every cut. */
static void predict_arrival(struct hb *h, const uint32_t *cut, const struct sched_op *op, struct event *e)
{
    struct change *a = touch(h, cut, e, op->object, 0);
    uint64_t arrived = state_number(a->before);
    e->round = holds_up(op) ? (uint32_t)(arrived / (uint64_t)op->value) : 0;
    a->after = number_state(arrived + holds_up(op));
    if (!h->rounds_commute || !(op->flags & SCHED_ROUNDS))
        set(e, a, a->after);
}

static uint64_t serial_token(const struct sched_op *op, uint32_t round)
{
    return sched_channel_part(op->object, round); /* another one than those of rounds that threads still leave */
}

/* The first thread to leave takes the token, and the others find it taken. There is none if no thread looks. */
static bool predict_leave(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    if (!holds_up(op))
        return true;
    const struct event *arrival = last_event(h, cut, t);
    const struct cell *c = &h->cells.at[arrival->access[0].cell];
    struct round r = hb_round_of(h, arrival);
    int64_t arrived = 0;
    bool asks = false, left = false;
    for (size_t i = r.from; i < r.to; i++) {
        const struct event *other = &h->events.at[c->list.at[i].step];
        if (!in_cut(h, cut, c->list.at[i].step))
            continue;
        arrived++;
        asks |= (other->flags & SCHED_ASKS) != 0;
        left |= other->index + 1 < (cut ? cut[other->thread] : h->thread[other->thread].steps.len);
    }
    if (asks) {
        e->change[0] = (struct change){0};
        e->access[e->accesses++] = (struct access){hb_cell(h, serial_token(op, arrival->round) << 1 | 1), 1, !left};
        e->failed = left;
    }
    return arrived == op->value;
}

static bool predict_wait(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    struct change *condition = touch(h, cut, e, op->object, 0);
    set(e, condition, condition->before | set_of(t));
    if (op->object2)
        set(e, touch(h, cut, e, op->object2, 0), SET_NONE);
    return true;
}

static bool predict_kind(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, struct event *e)
{
    switch (op->kind) {
    case SCHED_READ:
    case SCHED_WRITE:
    case SCHED_RMW:
    case SCHED_CAS:
        return predict_memory(h, cut, t, op, e);
    case SCHED_LOCK: case SCHED_TRYLOCK: case SCHED_UNLOCK: case SCHED_RDLOCK: case SCHED_TRYRDLOCK:
    case SCHED_RDUNLOCK: case SCHED_WRLOCK: case SCHED_TRYWRLOCK: case SCHED_WRUNLOCK: case SCHED_WRWAIT:
        return predict_lock(h, cut, t, op, e);
    case SCHED_COND_WAIT:
        return predict_wait(h, cut, t, op, e);
    case SCHED_COND_RESUME:
        return predict_resume(h, cut, t, op, e);
    case SCHED_SIGNAL:
    case SCHED_BROADCAST:
        predict_signal(h, cut, op, e);
        return true;
    case SCHED_SEM_WAIT: case SCHED_SEM_TRYWAIT: case SCHED_SEM_POST: case SCHED_SEM_READ:
        return predict_semaphore(h, cut, op, e);
    case SCHED_PUT: case SCHED_TAKE: case SCHED_PEEK:
        return predict_channel(h, cut, op, e);
    case SCHED_BARRIER:
        predict_arrival(h, cut, op, e);
        return true;
    case SCHED_BARRIER_LEAVE:
        return predict_leave(h, cut, t, op, e);
    case SCHED_INIT:
        set(e, touch(h, cut, e, op->object, 0), number_state((uint64_t)op->value));
        return true;
    case SCHED_CREATE:
        e->other = (int)op->object;
        return true;
    case SCHED_JOIN:
        e->other = (int)op->object;
        return has_exited(h, cut, e->other);
    case SCHED_CHOOSE:
        e->choices = op->flags & SCHED_SURPRISE ? 1u + hb_spurious_left(h, cut) : free_choices(op);
        return true;
    default:
        assert(op->kind == SCHED_EXIT || op->kind == SCHED_YIELD || op->kind == SCHED_LOCAL ||
               op->kind == SCHED_GLOBAL || op->kind == SCHED_END || op->kind == SCHED_NEVER);
        return op->kind != SCHED_NEVER;
    }
}

bool hb_predict(struct hb *h, const uint32_t *cut, int t, const struct sched_op *op, uint32_t choice, struct event *e)
{
    e->thread = t;
    e->index = cut ? cut[t] : (uint32_t)h->thread[t].steps.len;
    e->kind = op->kind;
    e->flags = op->flags;
    e->failed = false;
    e->changed = op->kind == SCHED_WRITE || op->kind == SCHED_RMW || op->kind == SCHED_CAS;
    e->choice = choice;
    e->choices = 1;
    e->waker = 0;
    e->woken = SET_NONE;
    e->other = -1;
    e->round = 0;
    e->accesses = e->looks = 0;
    bool enabled = predict_kind(h, cut, t, op, e);
    return enabled && !(h->globals.len && has_ended(h, cut));
}

/* Operations that can be disabled by others: only for these must a race be sought behind the last write. */
bool event_may_block(const struct event *e)
{
    return e->kind == SCHED_LOCK || e->kind == SCHED_RDLOCK || e->kind == SCHED_WRLOCK ||
           e->kind == SCHED_COND_RESUME || e->kind == SCHED_SEM_WAIT || (e->flags & (SCHED_SPIN | SCHED_WAITS));
}

bool kind_may_release(int kind, bool somebody_spins)
{
    switch (kind) {
    case SCHED_WRITE: case SCHED_RMW: case SCHED_CAS:
        return somebody_spins;
    case SCHED_UNLOCK: case SCHED_RDUNLOCK: case SCHED_WRUNLOCK: case SCHED_COND_WAIT: case SCHED_SIGNAL:
    case SCHED_BROADCAST: case SCHED_SEM_POST: case SCHED_BARRIER: case SCHED_CREATE: case SCHED_EXIT: case SCHED_INIT:
    case SCHED_GLOBAL: case SCHED_PUT: case SCHED_TAKE:
        return true;
    default:
        return false;
    }
}

/* A wake-up that came in time, and the resume that would otherwise have timed out. */
static bool wakes_timed(const struct acts *waker, const struct acts *resume)
{
    return set_has(waker->woken, resume->thread) && (resume->flags & SCHED_TIMED);
}

bool acts_conflict_slow(struct acts a, struct acts b)
{
    if (a.kind == SCHED_END || b.kind == SCHED_END)
        return a.kind == b.kind; /* which of them ends the program; otherwise it comes last anyway */
    if (a.kind == SCHED_GLOBAL || b.kind == SCHED_GLOBAL)
        return a.kind != SCHED_EXIT && b.kind != SCHED_EXIT; /* whoever ended cannot be disturbed any more */
    for (unsigned i = 0; i < a.accesses; i++)
        for (unsigned j = 0; j < b.accesses; j++) {
            const struct access *x = &a.access[i], *y = &b.access[j];
            if (x->cell == y->cell && (x->bytes & y->bytes) && (x->write || y->write))
                return true;
        }
    return wakes_timed(&a, &b) || wakes_timed(&b, &a);
}
