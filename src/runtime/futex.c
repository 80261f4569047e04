/* Futexes used by hand or by the C++ library (atomic::wait, future, latch, barrier), by way of syscall(2).
 * To the strategies a futex is a condition variable with a mutex of its own, both named by an address that is not the
 * program's: comparing the word and going to sleep happen with that mutex held, and so does waking. */
#include "runtime/internal.h"

#include <linux/futex.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t queue_of(const uint32_t *word) { return (uint64_t)word | 1ull << 62; }
static uint64_t guard_of(const uint32_t *word) { return (uint64_t)word | 1ull << 61; }
static bool guard_free(const struct thread *t) { return *rt_sync_owner(t->op.object) == 0; }

static bool can_resume(const struct thread *t)
{
    return (t->woken || (t->op.flags & SCHED_TIMED)) && *rt_sync_owner(t->op.object2) == 0;
}

static void enter(const uint32_t *word, uintptr_t pc, const char *label)
{
    rt_point_labelled(OP(LOCK, .object = guard_of(word)), guard_free, pc, label);
    assert(!*rt_sync_owner(guard_of(word)) || rt.self->atomic_depth);
    *rt_sync_owner(guard_of(word)) = rt.self->id + 1;
}

static void leave(const uint32_t *word, uintptr_t pc, const char *label)
{
    rt_point_labelled(OP(UNLOCK, .object = guard_of(word)), NULL, pc, label);
    assert(*rt_sync_owner(guard_of(word)) == rt.self->id + 1);
    *rt_sync_owner(guard_of(word)) = 0;
}

static long sleep_on(uint32_t *word, bool timed, uintptr_t pc)
{
    if (rt_happens_spuriously(pc, NULL, true)) return 0;
    if (timed) rt_attempt(pc);
    struct sched_op op = OP(COND_WAIT, .object = queue_of(word), .object2 = guard_of(word));
    rt_point_labelled(op, NULL, pc, "futex wait");
    *rt_sync_owner(guard_of(word)) = 0;
    rt.self->woken = false;
    op.kind = SCHED_COND_RESUME;
    op.flags = timed ? SCHED_TIMED : 0;
    rt_point_labelled(op, can_resume, pc, "futex resume");
    *rt_sync_owner(guard_of(word)) = rt.self->id + 1;
    if (rt.self->woken) {
        rt.self->failures = 0;
        rt_acquire(queue_of(word));
        return 0;
    }
    rt_failed();
    if (!timed) return 0;
    if (rt.time < rt.self->wakes_at) rt.time = rt.self->wakes_at;
    return -ETIMEDOUT;
}

static long futex_wait(uint32_t *word, uint32_t value, bool timed, uintptr_t pc)
{
    rt_need_readable((uint64_t)word, sizeof *word, pc);
    enter(word, pc, "futex enter");
    rt_effect();
    rt_point_labelled(OP(READ, .object = (uint64_t)word, .count = 4), NULL, pc, "futex compare");
    rt_check_memory((uint64_t)word, sizeof *word, false, pc);
    if (rt.weak.on && rt_weak_takes((uint64_t)word)) { /* the system sees the newest, and the thread nothing older */
        rt.weak.choice = 0;
        rt_weak_load((uint64_t)word, sizeof *word, __ATOMIC_RELAXED);
    }
    long result = *(volatile uint32_t *)word == value ? sleep_on(word, timed, pc) : -EAGAIN;
    leave(word, pc, "futex leave");
    rt_check_signals();
    return result;
}

static uint32_t wake_one(uint32_t *word, uintptr_t pc)
{
    sched_set waiting = rt_waiting_on((void *)queue_of(word));
    struct sched_op op = OP(SIGNAL, .object = queue_of(word), .count = (uint32_t)set_count(waiting));
    uint32_t which = rt_point_labelled(op, NULL, pc, "futex wake");
    for (waiting = rt_waiting_on((void *)queue_of(word)); which; which--) waiting &= ~set_lowest(waiting);
    assert(!set_any(waiting & ~rt.live) && !set_has(waiting, rt.self->id));
    rt.outcome.woken = set_lowest(waiting);
    if (set_any(waiting)) rt.threads[set_first(waiting)].woken = true;
    return set_any(waiting);
}

static uint32_t wake_all(uint32_t *word, uintptr_t pc)
{
    rt_point_labelled(OP(BROADCAST, .object = queue_of(word)), NULL, pc, "futex wake all");
    sched_set waiting = rt_waiting_on((void *)queue_of(word));
    rt.outcome.woken = waiting;
    int id;
    FOR_EACH_THREAD(id, waiting) rt.threads[id].woken = true;
    return (uint32_t)set_count(waiting);
}

static long futex_wake(uint32_t *word, uint32_t count, uintptr_t pc)
{
    enum { MANY = 64 };
    uint32_t woken = 0;
    enter(word, pc, "futex enter");
    rt_release(queue_of(word));
    rt_effect();
    if (count >= MANY) woken = wake_all(word, pc);
    else
        for (uint32_t i = 0; i < count; i++) woken += wake_one(word, pc);
    leave(word, pc, "futex leave");
    /* then the library lets go of a promise (key.c), by code that is not instrumented */
    if (unlikely(rt.self->makes_ready)) rt_point_labelled(OP(GLOBAL), NULL, pc, "let go");
    return woken;
}

long rt_futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout, uintptr_t pc)
{
    switch (op & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
        rt_call_reads(timeout, sizeof *timeout, pc);
        if (timeout) rt_set_alarm(timeout, (op & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET);
        return futex_wait(word, value, timeout != NULL, pc);
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET: return futex_wake(word, value, pc);
    }
    rt_note("futex", "only wait and wake are under control; this operation fails with ENOSYS", pc);
    return -ENOSYS;
}

static void note_number(long number, uintptr_t pc)
{
    char name[32];
    rt_print(name, sizeof name, "syscall %ld", number);
    rt_note(name, "a system call made directly goes past Heddle", pc);
}

/* Calls that are under control by name; -ENOSYS: not one of them. */
static long by_name(long number, const long *a, uintptr_t pc)
{
    long result;
    switch (number) {
    case SYS_close: result = close((int)a[0]); break;
    case SYS_read:
        result = read((int)a[0], (void *)a[1], (size_t)a[2]);
        if (result > 0) rt_call_writes((void *)a[1], (size_t)result, pc);
        break;
    case SYS_write:
        rt_call_reads((const void *)a[1], (size_t)a[2], pc);
        result = write((int)a[0], (const void *)a[1], (size_t)a[2]);
        break;
    case SYS_getrandom:
        rt_call_writes((void *)a[0], (size_t)a[1], pc);
        result = getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]);
        break;
    case SYS_gettid: result = gettid(); break;
    case SYS_sched_yield: result = sched_yield(); break;
    case SYS_clock_gettime:
        rt_range((uintptr_t)a[1], sizeof(struct timespec), true, pc);
        result = clock_gettime((clockid_t)a[0], (struct timespec *)a[1]);
        break;
    default: return -ENOSYS;
    }
    return result < 0 ? -errno : result;
}

static bool is_harmless(long number)
{
    return number == SYS_getpid || number == SYS_getcpu;
}

long syscall(long number, ...);
EXPORT long syscall(long number, ...)
{
    va_list ap;
    long a[6];
    va_start(ap, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(ap, long);
    va_end(ap);
    long result;
    if (number == SYS_futex && rt.active) {
        result = rt_futex((uint32_t *)a[0], (int)a[1], (uint32_t)a[2], (const struct timespec *)a[3], CALLER);
    } else if (rt.active && (result = by_name(number, a, CALLER)) != -ENOSYS) {
        /* done */
    } else {
        if (rt.active && !is_harmless(number)) note_number(number, CALLER);
        result = rt_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    if (result >= 0 || result < -4095) return result;
    errno = (int)-result;
    return -1;
}
