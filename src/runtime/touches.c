/* Who accesses what in an audited execution. Two accesses of different threads conflict if they share a byte, one
 * writes, one is not announced, and nothing orders them in every schedule: neither the creation and joining of threads
 * nor a lock that both threads hold. What orders them in this schedule alone is not taken for an order, because only
 * this one execution is looked at. */
#include "runtime/audit_int.h"

enum { HEAD_BITS = 16, MAX_TOUCHES = 1 << 20, MAX_LOCKSETS = 1024, MAX_LOCKS = 8, MAX_READ_LOCKS = 64 };

struct audit_touch {
    uint64_t granule, pc;
    uint32_t next, time;        /* next: index, 0: none */
    uint16_t thread, locks;
    uint8_t mask;
    bool write, is_foreign;
};

struct lockset { uint32_t count; uint64_t at[MAX_LOCKS]; };

struct touches {
    uint32_t heads[1 << HEAD_BITS], count;
    struct clock clocks[MAX_THREADS]; /* of creation and joining only */
    uint32_t lockset_count, read_lock_count;
    struct lockset locksets[MAX_LOCKSETS]; /* the first is empty */
    uint64_t read_locks[MAX_READ_LOCKS];   /* objects that were held for reading: they exclude nothing */
    struct audit_touch list[MAX_TOUCHES];
};

static struct touches *touches(void) { return rt.audit->touches; }

struct touches *touches_new(void) { return rt_map(NULL, sizeof(struct touches), 0); }

void touches_begin(void)
{
    struct touches *t = touches();
    memset(t->heads, 0, sizeof t->heads);
    memset(t->clocks, 0, sizeof t->clocks);
    for (int i = 0; i < MAX_THREADS; i++) t->clocks[i].at[i] = 1;
    t->count = t->lockset_count = 1;
    t->read_lock_count = 0;
}

/* ---- what orders accesses in every schedule ---- */

static void join(struct clock *into, const struct clock *from)
{
    for (int i = 0; i < rt.numbering->next; i++)
        if (into->at[i] < from->at[i]) into->at[i] = from->at[i];
}

void touches_fork(const struct thread *child)
{
    struct clock *clocks = touches()->clocks;
    int self = rt.self->id;
    uint32_t own = clocks[child->id].at[child->id] + 1;
    clocks[child->id] = clocks[self];
    clocks[child->id].at[child->id] = own;
    clocks[self].at[self]++;
}

void touches_join(const struct thread *ended)
{
    join(&touches()->clocks[rt.self->id], &touches()->clocks[ended->id]);
}

static bool excludes(uint64_t lock)
{
    const struct touches *t = touches();
    if (t->read_lock_count == MAX_READ_LOCKS) return false;
    for (uint32_t i = 0; i < t->read_lock_count; i++)
        if (t->read_locks[i] == lock) return false;
    return true;
}

void rt_audit_read_lock(uint64_t lock)
{
    struct touches *t = touches();
    if (excludes(lock)) t->read_locks[t->read_lock_count++] = lock;
}

/* Of the running thread; 0: no locks, also where there is no room for them. */
static uint16_t locks_held(void)
{
    struct touches *t = touches();
    struct lockset s = {.count = rt.self->held_count < MAX_LOCKS ? rt.self->held_count : MAX_LOCKS};
    if (!s.count) return 0;
    memcpy(s.at, rt.self->held, sizeof s.at[0] * s.count);
    for (uint32_t i = t->lockset_count; i-- > 1;)
        if (!memcmp(&t->locksets[i], &s, sizeof s)) return (uint16_t)i;
    if (t->lockset_count == MAX_LOCKSETS) return 0;
    t->locksets[t->lockset_count] = s;
    return (uint16_t)t->lockset_count++;
}

static bool share_a_lock(uint16_t a, uint16_t b)
{
    const struct lockset *x = &touches()->locksets[a], *y = &touches()->locksets[b];
    if (!a || !b) return false;
    for (uint32_t i = 0; i < x->count; i++)
        for (uint32_t k = 0; k < y->count; k++)
            if (x->at[i] == y->at[k] && excludes(x->at[i])) return true;
    return false;
}

/* ---- accesses ---- */

static bool conflicts(const struct audit_touch *a, const struct audit_touch *b)
{
    bool is_ordered = a->time <= touches()->clocks[b->thread].at[a->thread];
    return a->thread != b->thread && (a->mask & b->mask) && (a->write || b->write) &&
           (a->is_foreign || b->is_foreign) && !is_ordered && !share_a_lock(a->locks, b->locks);
}

static bool covers(const struct audit_touch *a, const struct audit_touch *b)
{
    return a->thread == b->thread && a->time == b->time && a->locks == b->locks && a->write == b->write &&
           a->is_foreign == b->is_foreign && !(b->mask & ~a->mask);
}

/* The place that is not observed comes first. */
static void tell(const struct audit_touch *a, const struct audit_touch *b)
{
    if (!a->is_foreign) {
        tell(b, a);
        return;
    }
    unsigned first = (unsigned)__builtin_ctz(a->mask & b->mask);
    audit_conflict(&(struct audit_conflict){a->pc, b->pc, a->granule * 8 + first, a->thread, b->thread, a->write,
                                            b->write});
}

static void add_to_granule(struct audit_touch new)
{
    struct touches *t = touches();
    uint32_t *head = &t->heads[new.granule * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HEAD_BITS)];
    for (uint32_t i = *head; i; i = t->list[i].next) {
        const struct audit_touch *old = &t->list[i];
        if (old->granule != new.granule) continue;
        if (covers(old, &new)) return;
        if (conflicts(old, &new)) tell(old, &new);
    }
    if (t->count == MAX_TOUCHES) rt.shared->audit_incomplete = true;
    else {
        new.next = *head;
        *head = t->count;
        t->list[t->count++] = new;
    }
}

/* The guard does not protect thread-local variables. They matter where a thread reaches those of another one. */
static void see_thread_local(uintptr_t address, uint8_t if_own, uint8_t if_other)
{
    size_t size = rt.audit->locals_size;
    int id;
    if (!size) return;
    FOR_EACH_THREAD(id, rt.live) {
        uintptr_t end = rt.threads[id].tls;
        if (address < end && address >= end - size)
            rt.shared->audit_thread_locals |= id == rt.self->id ? if_own : if_other;
    }
}

void touches_argument(uintptr_t value)
{
    if (rt.follows_touches) see_thread_local(value, RT_LOCALS_OWN_ARGUMENT, RT_LOCALS_OTHER_ARGUMENT);
}

void touches_add(uintptr_t address, size_t size, bool write, bool is_foreign, uintptr_t pc)
{
    const struct thread *self = rt.self;
    struct audit_touch new = {.pc = pc, .thread = (uint16_t)self->id, .write = write, .is_foreign = is_foreign,
                              .time = touches()->clocks[self->id].at[self->id], .locks = locks_held()};
    see_thread_local(address, 0, RT_LOCALS_OTHER_ACCESS);
    for (uintptr_t a = address, end = address + size; a < end; a = (a | 7) + 1) {
        unsigned from = a & 7, upto = end - (a - from) < 8 ? (unsigned)(end - (a - from)) : 8;
        new.granule = a >> 3;
        new.mask = (uint8_t)((1u << upto) - (1u << from));
        add_to_granule(new);
    }
}
