/* The interpreter of made-up programs. */
#include <assert.h>
#include <string.h>

#include "machine.h"

static const struct insn *current(const struct machine *m, int t)
{
    const struct program *p = m->program;
    return m->thread[t].pc < p->len[t] ? &p->code[t][m->thread[t].pc] : NULL;
}

/* Local instructions run together with the step before them. */
static void run_local(struct machine *m, int t)
{
    const struct insn *i;
    for (int fuel = 1000; (i = current(m, t)) && fuel; fuel--) {
        int8_t *r = m->thread[t].reg;
        switch (i->kind) {
        case I_assert:
            if (r[i->arg[0]] != i->arg[1])
                m->failed |= 1u << t;
            break;
        case I_assume:
            if (r[i->arg[0]] != i->arg[1])
                return;
            break;
        case I_skipeq:
            if (r[i->arg[0]] == i->arg[1])
                m->thread[t].pc += i->arg[2];
            break;
        case I_skipne:
            if (r[i->arg[0]] != i->arg[1])
                m->thread[t].pc += i->arg[2];
            break;
        case I_backne:
            if (r[i->arg[0]] != i->arg[1])
                m->thread[t].pc -= i->arg[2] + 1;
            break;
        case I_set:
            r[i->arg[0]] = i->arg[1];
            break;
        case I_skipgt:
            if (r[i->arg[0]] > i->arg[1])
                m->thread[t].pc += i->arg[2];
            break;
        case I_addreg:
            r[i->arg[0]] += i->arg[1];
            break;
        case I_sub:
            r[i->arg[0]] = (int8_t)(r[i->arg[0]] - r[i->arg[1]]);
            break;
        default:
            return;
        }
        m->thread[t].pc++;
    }
}

/* Variables that something writes that is no access of eight bytes to them and the one beside them. */
static void note_partial_writes(struct machine *m)
{
    const struct program *p = m->program;
    for (int t = 0; t < p->threads; t++)
        for (int i = 0; i < p->len[t]; i++) {
            int kind = p->code[t][i].kind, v = p->code[t][i].arg[0];
            bool one = kind == I_store || kind == I_storereg || kind == I_add || kind == I_exchange || kind == I_cas;
            if (one || (kind == I_store2 && v % 2))
                m->partly[v / 64] |= UINT64_C(1) << v % 64;
            if (kind == I_store2 && v % 2)
                m->partly[(v + 1) / 64] |= UINT64_C(1) << (v + 1) % 64;
            if (kind == I_casat)
                memset(m->partly, 0xff, sizeof m->partly);
        }
}

/* What eight bytes hold decides about a step only if they are written as a whole (sched_writes_partly()). */
static bool is_written_as_a_whole(const struct machine *m, int v)
{
    return v % 2 == 0 && !(m->partly[v / 64] & UINT64_C(3) << v % 64);
}

void machine_reset(struct machine *m, const struct program *p)
{
    memset(m, 0, sizeof *m);
    m->program = p;
    note_partial_writes(m);
    for (int i = 0; i < OBJECTS; i++) {
        m->mutex[i] = m->writer[i] = -1;
        m->sem[i] = (int8_t)p->sem[i];
    }
    for (int t = 0; t < p->threads; t++)
        if (!(p->created & 1u << t)) {
            m->live |= 1u << t;
            run_local(m, t);
        }
}

enum space { NOWHERE, VAR, MUTEX, RWLOCK, CONDITION, SEMAPHORE, BARRIER, THREAD, CHANNEL };

static uint64_t address(enum space space, int i)
{
    switch (space) {
    case NOWHERE:
        return 0;
    case VAR:
        return 0x1000 + 4 * (uint64_t)i;
    case THREAD:
        return (uint64_t)i;
    default:
        return 0x100000 + 0x100 * (uint64_t)space + 8 * (uint64_t)i;
    }
}

/* What each instruction is for the strategies, what its first argument names, and the size of an access. */
static const struct { uint8_t kind, space, size; } operations[INSN_COUNT] = {
    [I_load] = {SCHED_READ, VAR, 4},        [I_await] = {SCHED_READ, VAR, 4},
    [I_cas2] = {SCHED_CAS, VAR, 8},
    [I_loadat] = {SCHED_READ, VAR, 4},      [I_load2] = {SCHED_READ, VAR, 8},
    [I_store] = {SCHED_WRITE, VAR, 4},      [I_storereg] = {SCHED_WRITE, VAR, 4},
    [I_store2] = {SCHED_WRITE, VAR, 8},     [I_add] = {SCHED_RMW, VAR, 4},
    [I_exchange] = {SCHED_RMW, VAR, 4},
    [I_cas] = {SCHED_CAS, VAR, 4},          [I_casat] = {SCHED_CAS, VAR, 4},
    [I_lock] = {SCHED_LOCK, MUTEX},         [I_unlock] = {SCHED_UNLOCK, MUTEX},
    [I_trylock] = {SCHED_TRYLOCK, MUTEX},   [I_rdlock] = {SCHED_RDLOCK, RWLOCK},
    [I_rdunlock] = {SCHED_RDUNLOCK, RWLOCK}, [I_tryrdlock] = {SCHED_TRYRDLOCK, RWLOCK},
    [I_wrlock] = {SCHED_WRLOCK, RWLOCK},    [I_wrunlock] = {SCHED_WRUNLOCK, RWLOCK},
    [I_trywrlock] = {SCHED_TRYWRLOCK, RWLOCK}, [I_wait] = {SCHED_COND_WAIT, CONDITION},
    [I_timedwait] = {SCHED_COND_WAIT, CONDITION}, [I_earlywait] = {SCHED_COND_WAIT, CONDITION},
    [I_signal] = {SCHED_SIGNAL, CONDITION},
    [I_broadcast] = {SCHED_BROADCAST, CONDITION}, [I_semwait] = {SCHED_SEM_WAIT, SEMAPHORE},
    [I_semtry] = {SCHED_SEM_TRYWAIT, SEMAPHORE}, [I_sempost] = {SCHED_SEM_POST, SEMAPHORE},
    [I_semread] = {SCHED_SEM_READ, SEMAPHORE}, [I_seminit] = {SCHED_INIT, SEMAPHORE},
    [I_barrier] = {SCHED_BARRIER, BARRIER}, [I_arrive] = {SCHED_BARRIER, BARRIER}, [I_yield] = {SCHED_YIELD, NOWHERE},
    [I_surprise] = {SCHED_CHOOSE, NOWHERE},
    [I_choose] = {SCHED_CHOOSE, NOWHERE},   [I_create] = {SCHED_CREATE, THREAD},
    [I_join] = {SCHED_JOIN, THREAD},        [I_global] = {SCHED_GLOBAL, NOWHERE},
    [I_quit] = {SCHED_END, NOWHERE},        [I_assume] = {SCHED_NEVER, NOWHERE},
    [I_wrlockfirst] = {SCHED_WRWAIT, RWLOCK}, [I_rdlocklast] = {SCHED_RDLOCK, RWLOCK},
    [I_tryrdlocklast] = {SCHED_TRYRDLOCK, RWLOCK},
    [I_put] = {SCHED_PUT, CHANNEL},         [I_putsome] = {SCHED_PUT, CHANNEL},
    [I_take] = {SCHED_TAKE, CHANNEL},       [I_taketry] = {SCHED_TAKE, CHANNEL},
    [I_peek] = {SCHED_PEEK, CHANNEL},       [I_peekwait] = {SCHED_PEEK, CHANNEL},
};

static int channel_size(int q) { return q == CHANNEL_LARGE ? CHANNEL_BYTES : SMALL; }

static void channel_op(const struct insn *i, struct sched_op *op)
{
    bool whole = i->arg[0] == CHANNEL_MESSAGES ? op->kind != SCHED_PEEK : i->kind == I_put;
    bool waits = i->kind == I_put || i->kind == I_take || i->kind == I_peekwait;
    op->flags = (whole ? SCHED_WHOLE : 0) | (waits ? SCHED_WAITS : 0);
    op->count = (uint32_t)(op->kind == SCHED_PUT ? i->arg[2] : op->kind == SCHED_TAKE ? i->arg[1] : 0);
    op->value = channel_size(i->arg[0]);
}

/* A store whose value the strategies are told. */
static bool is_told(const struct machine *m, const struct insn *i)
{
    bool stores = i->kind == I_store || i->kind == I_storereg || i->kind == I_exchange;
    return m->program->tells_stores && (stores || (i->kind == I_store2 && is_written_as_a_whole(m, i->arg[0])));
}

static int stored_value(const struct machine *m, int t, const struct insn *i)
{
    return i->kind == I_storereg ? (int8_t)(m->thread[t].reg[i->arg[1]] + i->arg[2]) : i->arg[1];
}

static void store_op(const struct machine *m, int t, const struct insn *i, struct sched_op *op)
{
    int v = i->arg[0], value = stored_value(m, t, i);
    bool two = i->kind == I_store2;
    op->value = two ? (int64_t)((uint64_t)(uint32_t)value << 32 | (uint32_t)value) : value;
    op->flags |= SCHED_STORES;
    if (m->var[v] == value && (!two || m->var[v + 1] == value))
        op->flags |= SCHED_FITS;
}

static bool pair_is(const struct machine *m, int v, int value) { return m->var[v] == value && m->var[v + 1] == value; }

static void pair_op(const struct machine *m, const struct insn *i, struct sched_op *op)
{
    op->value = (int64_t)((uint64_t)(uint32_t)i->arg[1] << 32 | (uint32_t)i->arg[1]);
    op->kind = is_written_as_a_whole(m, i->arg[0]) ? SCHED_CAS : SCHED_RMW;
    if (op->kind == SCHED_CAS && pair_is(m, i->arg[0], i->arg[1]))
        op->flags |= SCHED_FITS;
}

void machine_op(const struct machine *m, int t, struct sched_op *op)
{
    const struct insn *i = current(m, t);
    *op = (struct sched_op){.kind = SCHED_EXIT};
    if (!i)
        return;
    int a = i->arg[0], b = i->arg[1], space = operations[i->kind].space;
    op->kind = operations[i->kind].kind;
    op->site = (uint64_t)(t * MAX_CODE + m->thread[t].pc + 1);
    op->count = operations[i->kind].size;
    op->object = address(space, a);
    if (i->kind == I_loadat)
        op->object = address(VAR, b + m->thread[t].reg[a]);
    if (i->kind == I_casat)
        op->object = address(VAR, m->thread[t].reg[a] & 127);
    if (i->kind == I_await && m->thread[t].stale)
        op->flags = SCHED_SPIN;
    if (op->kind == SCHED_COND_WAIT) {
        op->object2 = address(MUTEX, b);
        if (m->thread[t].phase == LOCKS_AGAIN) {
            *op = (struct sched_op){.kind = SCHED_LOCK, .object = op->object2};
        } else if (m->thread[t].phase) {
            op->kind = SCHED_COND_RESUME;
            op->flags = i->kind != I_wait ? SCHED_TIMED : 0;
            if (i->kind == I_timedwait)
                op->object2 = 0;
        }
    }
    if (op->kind == SCHED_BARRIER && m->thread[t].phase)
        op->kind = SCHED_BARRIER_LEAVE;
    else if (op->kind == SCHED_BARRIER)
        op->flags = (m->program->tells_rounds ? SCHED_ROUNDS : 0) | (i->kind == I_barrier ? SCHED_ASKS : 0);
    if (i->kind == I_signal)
        op->count = (uint32_t)__builtin_popcount(m->waiting[a]);
    if (i->kind == I_choose)
        op->count = (uint32_t)a;
    if (i->kind == I_surprise) {
        op->count = 1;
        op->flags = SCHED_SURPRISE;
        op->older = m->surprises < MOST_SURPRISES ? 2 : 0;
    }
    if (space == SEMAPHORE)
        op->value = i->kind == I_seminit ? b : m->program->sem[a];
    if (space == BARRIER)
        op->value = m->program->barrier[a];
    if (space == CHANNEL)
        channel_op(i, op);
    if (i->kind == I_wrlockfirst && m->thread[t].phase)
        op->kind = SCHED_WRLOCK;
    if (i->kind >= I_wrlockfirst && op->kind != SCHED_WRWAIT)
        op->flags = SCHED_BEHIND;
    if (i->kind == I_cas)
        op->value = b;
    if (is_told(m, i))
        store_op(m, t, i, op);
    if (i->kind == I_cas2)
        pair_op(m, i, op);
    else if (op->kind == SCHED_CAS && m->var[(op->object - address(VAR, 0)) / 4] == op->value)
        op->flags |= SCHED_FITS;
}

bool machine_enabled(const struct machine *m, int t)
{
    const struct insn *i = current(m, t);
    if (!(m->live & 1u << t) || m->ended)
        return false;
    if (!i)
        return true;
    int a = i->arg[0];
    switch (i->kind) {
    case I_lock:
        return m->mutex[a] < 0;
    case I_rdlock:
        return m->writer[a] < 0;
    case I_wrlock:
        return m->writer[a] < 0 && !m->readers[a];
    case I_wait:
        return !m->thread[t].phase || (m->mutex[i->arg[1]] < 0 && (m->woken & 1u << t));
    case I_timedwait:
        return m->thread[t].phase != LOCKS_AGAIN || m->mutex[i->arg[1]] < 0;
    case I_earlywait:
        return !m->thread[t].phase || m->mutex[i->arg[1]] < 0;
    case I_semwait:
        return m->sem[a] > 0;
    case I_barrier:
    case I_arrive:
        return !m->thread[t].phase || (m->woken & 1u << t);
    case I_join:
        return m->thread[a].pc > m->program->len[a];
    case I_await:
        return !m->thread[t].stale || m->thread[t].news;
    case I_assume:
        return false;
    case I_wrlockfirst:
        return !m->thread[t].phase || (m->writer[a] < 0 && !m->readers[a]);
    case I_rdlocklast:
        return m->writer[a] < 0 && !m->waiters[a];
    case I_put:
        return channel_size(a) - (m->written[a] - m->taken[a]) >= i->arg[2];
    case I_take:
    case I_peekwait:
        return m->written[a] != m->taken[a];
    default:
        return true;
    }
}

void machine_view(const struct machine *m, struct sched_view *view)
{
    view->live = m->live;
    view->enabled = view->ending = 0;
    for (int t = 0; t < m->program->threads; t++) {
        if (!(m->live & 1u << t)) {
            view->next[t].kind = SCHED_NONE;
            continue;
        }
        machine_op(m, t, &view->next[t]);
        if (machine_enabled(m, t))
            view->enabled |= UINT64_C(1) << t;
        if (view->next[t].kind == SCHED_END)
            view->ending |= UINT64_C(1) << t;
    }
}

static void touch_add(struct touch *touch, int what, bool write)
{
    assert(touch->count < 24);
    touch->at[touch->count].what = what;
    touch->all |= UINT64_C(1) << what % 61;
    touch->writes |= (uint64_t)write << what % 61;
    touch->at[touch->count++].write = write;
}

static void assign(struct machine *m, int v, int value, struct sched_outcome *o)
{
    o->changed |= m->var[v] != (int8_t)value;
    m->var[v] = (int8_t)value;
}

/* A write that changed anything is news for everybody who waits for one of its locations. */
static void tell(struct machine *m, int t, int first, int last)
{
    for (int u = 0; u < m->program->threads; u++) {
        const struct insn *i = current(m, u);
        if (u != t && i && i->kind == I_await && i->arg[0] >= first && i->arg[0] <= last)
            m->thread[u].news = 1;
    }
}

static void wake(struct machine *m, uint32_t threads, struct sched_outcome *o, struct touch *touch)
{
    m->woken |= threads;
    o->woken |= threads;
    for (int u = 0; u < m->program->threads; u++)
        if (threads & 1u << u)
            touch_add(touch, TOUCH_TOKEN + u, true);
}

static int nth_bit(uint32_t mask, uint32_t n)
{
    while (n--)
        mask &= mask - 1;
    return __builtin_ctz(mask);
}

/* Of the eight bytes around a variable. */
static uint64_t word(const struct machine *m, int v)
{
    assert(v + 1 < VARS + 4);
    return (uint32_t)m->var[v & ~1] | (uint64_t)(uint32_t)m->var[v | 1] << 32;
}

static void step_memory(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    int a = i->arg[0], b = i->arg[1];
    int8_t *r = m->thread[t].reg;
    if (i->kind == I_loadat)
        a = b + r[a];
    if (i->kind == I_casat)
        a = r[a] & 127;
    bool fails = (i->kind == I_cas && m->var[a] != b) || (i->kind == I_casat && m->var[a] != 0);
    fails |= i->kind == I_cas2 && is_written_as_a_whole(m, a) && !pair_is(m, a, b);
    o->failed = fails;
    o->has_words = !m->program->hides_words;
    o->before[0] = word(m, a);
    o->before[1] = word(m, a + 1);
    bool idle = is_told(m, i) && m->var[a] == stored_value(m, t, i) &&
                (i->kind != I_store2 || m->var[a + 1] == stored_value(m, t, i));
    touch_add(touch, TOUCH_VAR + a,
              i->kind != I_load && i->kind != I_load2 && i->kind != I_await && i->kind != I_loadat && !fails && !idle);
    if (i->kind == I_load2 || i->kind == I_store2 || i->kind == I_cas2)
        touch_add(touch, TOUCH_VAR + a + 1, i->kind != I_load2 && !idle && !fails);
    switch (i->kind) {
    case I_load:
        r[b] = m->var[a];
        break;
    case I_loadat:
        r[i->arg[2]] = m->var[a];
        break;
    case I_load2:
        r[b] = (int8_t)(m->var[a] + 16 * m->var[a + 1]);
        break;
    case I_store:
        assign(m, a, b, o);
        break;
    case I_casat:
        r[i->arg[2]] = m->var[a] == 0;
        if (m->var[a] == 0)
            assign(m, a, b, o);
        break;
    case I_storereg:
        assign(m, a, r[b] + i->arg[2], o);
        break;
    case I_store2:
        assign(m, a, b, o);
        assign(m, a + 1, b, o);
        break;
    case I_cas2:
        r[i->arg[3]] = pair_is(m, a, b);
        if (pair_is(m, a, b))
            assign(m, a, i->arg[2], o), assign(m, a + 1, i->arg[2], o);
        break;
    case I_exchange:
        r[i->arg[2]] = m->var[a];
        assign(m, a, b, o);
        break;
    case I_add:
        r[i->arg[2]] = m->var[a];
        assign(m, a, m->var[a] + b, o);
        break;
    case I_cas:
        r[i->arg[3]] = m->var[a] == b;
        if (m->var[a] == b)
            assign(m, a, i->arg[2], o);
        break;
    }
    o->after[0] = word(m, a);
    o->after[1] = word(m, a + 1);
    if (o->changed)
        tell(m, t, a, i->kind == I_store2 || i->kind == I_cas2 ? a + 1 : a);
}

static void step_lock(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    int a = i->arg[0];
    int8_t *result =
        i->kind == I_trylock || i->kind == I_tryrdlock || i->kind == I_trywrlock || i->kind == I_tryrdlocklast
            ? &m->thread[t].reg[i->arg[1]]
            : NULL;
    bool got = true, write = true;
    switch (i->kind) {
    case I_lock:
    case I_trylock:
        got = write = m->mutex[a] < 0;
        if (got)
            m->mutex[a] = (int8_t)t;
        break;
    case I_unlock:
        m->mutex[a] = -1;
        break;
    case I_rdlock:
    case I_tryrdlock:
        got = m->writer[a] < 0;
        write = false;
        m->readers[a] += got;
        break;
    case I_rdlocklast:
    case I_tryrdlocklast:
        got = m->writer[a] < 0 && !m->waiters[a];
        write = false;
        m->readers[a] += got;
        break;
    case I_rdunlock:
        m->readers[a]--;
        write = false;
        break;
    case I_wrlockfirst:
        if (m->thread[t].phase)
            m->writer[a] = (int8_t)t;
        m->waiters[a] += m->thread[t].phase ? -1 : 1;
        m->thread[t].phase ^= 1;
        break;
    case I_wrlock:
    case I_trywrlock:
        got = m->writer[a] < 0 && !m->readers[a];
        if (got)
            m->writer[a] = (int8_t)t;
        break;
    case I_wrunlock:
        m->writer[a] = -1;
        break;
    }
    if (result)
        *result = got;
    o->failed = !got;
    touch_add(touch, (i->kind <= I_trylock ? TOUCH_MUTEX : TOUCH_RW) + a, write);
}

/* Returns whether the instruction is finished. */
static bool step_condition(struct machine *m, int t, const struct insn *i, uint32_t choice, struct sched_outcome *o,
                           struct touch *touch)
{
    int c = i->arg[0];
    uint32_t me = 1u << t;
    if (i->kind == I_signal || i->kind == I_broadcast) {
        uint32_t chosen = m->waiting[c];
        if (chosen && i->kind == I_signal)
            chosen = 1u << nth_bit(chosen, choice);
        touch_add(touch, TOUCH_COND + c, chosen != 0);
        m->waiting[c] &= (uint16_t)~chosen;
        wake(m, chosen, o, touch);
        return true;
    }
    bool stops_only = i->kind == I_timedwait && m->thread[t].phase == WAITS;
    if (!stops_only)
        touch_add(touch, TOUCH_MUTEX + i->arg[1], true);
    if (!m->thread[t].phase) {
        touch_add(touch, TOUCH_COND + c, true);
        m->waiting[c] |= (uint16_t)me;
        m->woken &= ~me;
        m->mutex[i->arg[1]] = -1;
        m->thread[t].phase = WAITS;
        return false;
    }
    if (m->thread[t].phase == WAITS) {
        o->failed = !(m->woken & me);
        if (o->failed)
            touch_add(touch, TOUCH_COND + c, true);
        m->waiting[c] &= (uint16_t)~me;
        if (i->kind != I_wait)
            m->thread[t].reg[i->arg[2]] = !o->failed;
    }
    m->thread[t].phase = stops_only ? LOCKS_AGAIN : 0;
    if (!stops_only)
        m->mutex[i->arg[1]] = (int8_t)t;
    return !stops_only;
}

static void step_semaphore(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    int a = i->arg[0];
    bool write = true;
    switch (i->kind) {
    case I_semwait:
        m->sem[a]--;
        break;
    case I_sempost:
        m->sem[a]++;
        break;
    case I_seminit:
        m->sem[a] = i->arg[1];
        break;
    case I_semread:
        m->thread[t].reg[i->arg[1]] = m->sem[a];
        write = false;
        break;
    case I_semtry:
        write = m->sem[a] > 0;
        o->failed = !write;
        m->thread[t].reg[i->arg[1]] = write;
        m->sem[a] -= write;
        break;
    }
    touch_add(touch, TOUCH_SEM + a, write);
}

enum { FIRST = 64 };

static int touch_byte(int q, int position) { return TOUCH_BYTES + CHANNEL_BYTES * q + position; }

static int put_bytes(struct machine *m, const struct insn *i, struct touch *touch)
{
    int q = i->arg[0], n = i->arg[2], room = channel_size(q) - (m->written[q] - m->taken[q]);
    if (m->written[q] + n > channel_size(q))
        touch_add(touch, TOUCH_TAKING + q, false); /* whether it fits depends on who took something */
    if (room < n)
        n = q == CHANNEL_MESSAGES ? 0 : room;
    touch_add(touch, TOUCH_PUTTING + q, n > 0);
    for (int k = 0; k < n; k++) {
        assert(m->written[q] < CHANNEL_BYTES);
        touch_add(touch, touch_byte(q, m->written[q]), true);
        m->channel[q][m->written[q]++] = (int8_t)(i->arg[1] | (k ? 0 : FIRST));
    }
    return n;
}

/* Of a message that is longer the rest is lost. */
static int take_bytes(struct machine *m, const struct insn *i, struct touch *touch)
{
    int q = i->arg[0], end = m->written[q], there = end - m->taken[q], result = 0;
    bool messages = q == CHANNEL_MESSAGES;
    touch_add(touch, TOUCH_TAKING + q, there > 0);
    for (int k = 0; there && (k < i->arg[1] || messages); k++) {
        int at = m->taken[q];
        if (at == end || (k && messages && (m->channel[q][at] & FIRST)))
            break;
        touch_add(touch, touch_byte(q, at), false);
        m->taken[q]++;
        if (k < i->arg[1])
            result = result * 3 + (m->channel[q][at] & ~FIRST) + 1;
    }
    if (end - m->taken[q] == 0 && there < i->arg[1] && !(messages && there)) /* more would have been taken */
        touch_add(touch, touch_byte(q, end), false);
    return result;
}

static void step_channel(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    int q = i->arg[0];
    int8_t *r = m->thread[t].reg;
    o->changed = true;
    switch (i->kind) {
    case I_put:
        put_bytes(m, i, touch);
        break;
    case I_putsome:
        r[i->arg[3]] = (int8_t)put_bytes(m, i, touch);
        o->failed = !r[i->arg[3]];
        break;
    case I_take:
    case I_taketry:
        o->failed = m->written[q] == m->taken[q];
        r[i->arg[2]] = (int8_t)take_bytes(m, i, touch);
        break;
    default:
        touch_add(touch, TOUCH_PUTTING + q, false);
        touch_add(touch, TOUCH_TAKING + q, false);
        o->failed = m->written[q] == m->taken[q];
        if (i->kind == I_peek)
            r[i->arg[1]] = !o->failed;
    }
}

static int touch_arrival(int b, int t, int round)
{
    assert(round < ROUNDS);
    return TOUCH_ARRIVAL + (b * MAX_THREADS + t) * ROUNDS + round;
}

static void arrive(struct machine *m, int t, const struct insn *i, struct touch *touch)
{
    int b = i->arg[0];
    touch_add(touch, TOUCH_BARRIER + b, !m->program->tells_rounds);
    touch_add(touch, touch_arrival(b, t, m->rounds[b]), true);
    touch->arrives = b + 1;
    touch->round = m->rounds[b];
    m->arrived[b] |= (uint16_t)(1u << t);
    m->woken &= ~(1u << t);
    m->thread[t].phase = 1;
    m->at_barrier[t].round = m->rounds[b];
    m->at_barrier[t].asks = i->kind == I_barrier;
    m->at_barrier[t].left = 0;
}

static void end_round(struct machine *m, int b)
{
    int8_t asks = 0;
    for (int u = 0; u < m->program->threads; u++)
        asks |= m->arrived[b] >> u & 1 ? m->at_barrier[u].asks : 0;
    for (int u = 0; u < m->program->threads; u++)
        if (m->arrived[b] & 1u << u) {
            m->at_barrier[u].mates = m->arrived[b];
            m->at_barrier[u].asks = asks;
        }
    m->woken |= m->arrived[b];
    m->arrived[b] = 0;
    m->rounds[b]++;
}

static void leave(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    bool first = !m->at_barrier[t].left;
    int b = i->arg[0], round = m->at_barrier[t].round;
    for (int u = 0; u < m->program->threads; u++)
        if (m->at_barrier[t].mates & 1u << u) {
            touch_add(touch, touch_arrival(b, u, round), false);
            if (first && m->at_barrier[t].asks)
                m->at_barrier[u].left = 1;
        }
    if (m->at_barrier[t].asks) {
        touch_add(touch, TOUCH_FIRST + b * ROUNDS + round, first);
        o->failed = !first;
    }
    if (i->kind == I_barrier)
        m->thread[t].reg[i->arg[1]] = first;
    m->thread[t].phase = 0;
    memset(&m->at_barrier[t], 0, sizeof m->at_barrier[t]);
}

static bool step_barrier(struct machine *m, int t, const struct insn *i, struct sched_outcome *o, struct touch *touch)
{
    int b = i->arg[0];
    if (m->thread[t].phase) {
        leave(m, t, i, o, touch);
        return true;
    }
    arrive(m, t, i, touch);
    if (__builtin_popcount(m->arrived[b]) == m->program->barrier[b])
        end_round(m, b);
    return false;
}

void machine_step(struct machine *m, int t, uint32_t choice, struct sched_outcome *o, struct touch *touch)
{
    const struct insn *i = current(m, t);
    bool finished = true;
    *o = (struct sched_outcome){0};
    touch->count = touch->arrives = touch->round = 0;
    touch->all = touch->writes = 0;
    touch->ends_thread = !i;
    if (i)
        touch_add(touch, TOUCH_GLOBAL, i->kind == I_global || i->kind == I_quit);
    touch_add(touch, TOUCH_TOKEN + t, false);
    if (!i) {
        m->live &= ~(1u << t);
        m->thread[t].pc++; /* beyond the end: has ended */
        touch_add(touch, TOUCH_TOKEN + 2 * MAX_THREADS + t, true);
        return;
    }
    switch (i->kind) {
    case I_load:
    case I_store:
    case I_storereg:
    case I_add:
    case I_exchange:
    case I_cas:
    case I_load2:
    case I_store2:
    case I_cas2:
    case I_casat:
    case I_loadat:
        step_memory(m, t, i, o, touch);
        break;
    case I_await:
        step_memory(m, t, i, o, touch);
        finished = m->var[i->arg[0]] == i->arg[1];
        m->thread[t].stale = !finished;
        m->thread[t].news = 0;
        break;
    case I_lock:
    case I_unlock:
    case I_trylock:
    case I_rdlock:
    case I_rdunlock:
    case I_tryrdlock:
    case I_wrlock:
    case I_wrunlock:
    case I_trywrlock:
    case I_rdlocklast:
    case I_tryrdlocklast:
        step_lock(m, t, i, o, touch);
        break;
    case I_wrlockfirst:
        step_lock(m, t, i, o, touch);
        finished = !m->thread[t].phase;
        break;
    case I_wait:
    case I_timedwait:
    case I_earlywait:
    case I_signal:
    case I_broadcast:
        finished = step_condition(m, t, i, choice, o, touch);
        break;
    case I_semwait:
    case I_semtry:
    case I_sempost:
    case I_semread:
    case I_seminit:
        step_semaphore(m, t, i, o, touch);
        break;
    case I_put:
    case I_putsome:
    case I_take:
    case I_taketry:
    case I_peek:
    case I_peekwait:
        step_channel(m, t, i, o, touch);
        break;
    case I_barrier:
    case I_arrive:
        finished = step_barrier(m, t, i, o, touch);
        break;
    case I_surprise:
        m->surprises += choice != 0;
        m->thread[t].reg[i->arg[0]] = (int8_t)choice;
        break;
    case I_choose:
        m->thread[t].reg[i->arg[1]] = (int8_t)choice;
        break;
    case I_create:
        m->live |= 1u << i->arg[0];
        run_local(m, i->arg[0]);
        touch_add(touch, TOUCH_TOKEN + i->arg[0], true);
        break;
    case I_join:
        touch_add(touch, TOUCH_TOKEN + 2 * MAX_THREADS + i->arg[0], false);
        break;
    case I_quit: /* what comes after it is never reached */
        m->ended = true;
        finished = false;
        break;
    }
    if (!finished)
        return;
    m->thread[t].pc++;
    run_local(m, t);
}
