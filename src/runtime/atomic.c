/* Atomic operations of the program: __tsan_atomicN_*. One core runs everything, so plain code between two scheduling
 * points is atomic. The orders decide what happens before what for the race detector, and which write is read (weak.c).
 */
#include "runtime/internal.h"

#include <dlfcn.h>

typedef unsigned __int128 u128;

/* Where the program calls, and from where on its stack all that decides how it goes on is found; NULL: not known. A
 * look that `fails` for no reason says nothing about whether the thread waits in a loop. */
struct site { uintptr_t pc; const void *state; uintptr_t fails; }; /* no padding: it lies on stacks that are compared */
#define CALL_SITE ((struct site){CALLER, NULL, 0})

#if defined __x86_64__
/* A function that reads is entered here: the registers that it would keep for the program are put next to the program's
 * stack before any code of ours can mix them with its own. */
struct entry { uint64_t zero, registers[6]; uintptr_t pc; };
#define SITE ((struct site){((const struct entry *)__builtin_dwarf_cfa())->pc, __builtin_dwarf_cfa(), 0})
#define PUSH(r) "    pushq %" #r "\n    .cfi_adjust_cfa_offset 8\n    .cfi_rel_offset " #r ", 0\n"
#define ENTERED(name) entered_##name
#define ENTRY(name) \
    __asm__(".text\n.weak " #name "\n.type " #name ",@function\n" #name ":\n    .cfi_startproc\n" \
            PUSH(rbp) PUSH(rbx) PUSH(r12) PUSH(r13) PUSH(r14) PUSH(r15) \
            "    pushq $0\n    .cfi_adjust_cfa_offset 8\n    call entered_" #name "\n" \
            "    addq $56, %rsp\n    .cfi_adjust_cfa_offset -56\n    ret\n    .cfi_endproc\n" \
            ".size " #name ",.-" #name "\n");
#define READER __attribute__((used))
#else
#define SITE CALL_SITE
#define ENTERED(name) name
#define ENTRY(name)
#define READER EXPORT
#endif

/* Above the order itself gcc may put hints for lock elision. What is weaker than sequentially consistent is noted. */
static int order_of(int order, enum rt_site_kind kind, uintptr_t address, uintptr_t pc)
{
    order &= 0xff;
    if (unlikely(rt.has_sites) && rt.active) order = rt_order_at(order, kind, address, pc);
    if (likely(order == __ATOMIC_SEQ_CST) || !rt.active || !rt.shared) return order;
    if (rt.shared->weak_count < RT_MAX_WEAK) rt_note_weak_order(order, address, pc);
    if (!rt.weak.on) rt_weak_met();
    return order;
}

static void read_words(uintptr_t address, size_t size, uint64_t *words)
{
    const uint64_t *at = (const uint64_t *)(address & ~7ul);
    words[0] = at[0];
    if ((address & 7) + size > 8) words[1] = at[1];
}

static void announce(const struct sched_op *wanted, struct site site)
{
    uintptr_t pc = site.pc;
    struct sched_op op = *wanted;
    rt_need_readable(op.object, op.count, pc);
    bool looks = op.kind != SCHED_WRITE && !site.fails;
    bool spins = looks && !rt.self->atomic_depth && rt_spins(pc, &op, site.state);
    if (unlikely(op.kind == SCHED_YIELD)) {
        rt_point_labelled(op, NULL, pc, "spin");
        op = *wanted;
        spins = false;
    }
    rt.weak.choice = rt_point(op, spins ? rt_spin_over : NULL, pc);
    rt_check_memory(op.object, op.count, op.kind != SCHED_READ, pc);
    if (rt.follows_words) read_words(op.object, op.count, rt.outcome.before);
}

/* As struct sched_op has it. */
static uint8_t op_order(int order) { return (uint8_t)(1 + (order & 0xff)); }

static void before(enum sched_kind kind, uintptr_t address, size_t size, int order, struct site site)
{
    if (unlikely(!rt.active)) return;
    announce(&(struct sched_op){.kind = (uint8_t)kind,
                                .order = op_order(order),
                                .object = address,
                                .count = (uint32_t)size},
             site);
}

/* Where strategies are told what it leaves in memory, which always has to be readable for that. */
static void before_store(enum sched_kind kind, uintptr_t address, size_t size, u128 value, int order, struct site site)
{
    if (unlikely(!rt.active)) return;
    struct sched_op op = {.kind = (uint8_t)kind, .order = op_order(order), .object = address, .count = (uint32_t)size};
    if (rt.tells_stores && (address & 7) + size <= 8 && rt_stays_readable(address)) {
        op.flags = SCHED_STORES;
        op.value = (int64_t)value;
    }
    announce(&op, site);
}

static void before_compare(uintptr_t address, size_t size, u128 expected, int order, int fail_order, struct site site)
{
    if (unlikely(!rt.active)) return;
    struct sched_op op = {.kind = SCHED_RMW, .object = address, .count = (uint32_t)size};
    if ((address & 7) + size <= 8 && rt_stays_readable(address) && !rt.shared->writes_partly) {
        op.kind = SCHED_CAS;
        op.value = (int64_t)expected;
    }
    memcpy(rt.self->expected, &expected, sizeof rt.self->expected);
    op.order = op_order(order);
    op.fail_order = op_order(fail_order);
    announce(&op, site);
}

/* Inside an atomic section the step is another one. */
static void compare_failed(void)
{
    if (unlikely(!rt.active) || rt.self->atomic_depth) return;
    rt.outcome.failed = rt.self->op.kind == SCHED_CAS;
    if (unlikely(rt.recording)) rt_record_failed_compare();
}

static void after(uintptr_t address, size_t size, bool wrote, bool changed, struct site at)
{
    if (unlikely(!rt.active)) return;
    if (rt.follows_words) {
        read_words(address, size, rt.outcome.after);
        rt.outcome.has_words = true;
    }
    if (rt.check_plain) rt_access(address, size, wrote, true, at.pc);
    if (changed) {
        rt_effect();
        rt_memory_changed(address, size);
    } else {
        rt_unchanged();
        (at.fails ? rt_glanced : rt_read_done)(at.pc, address, rt.weak.choice != 0);
    }
}

/* What an access finds, and how it synchronises: by the write that was chosen for it, or by address. */
static void found(uintptr_t address, void *value, size_t size)
{
    if (unlikely(rt.weak.on) && rt_weak_takes(address))
        memcpy(value, rt_weak_peek(address, (uint32_t)size), size);
}

static void synchronise_load(uintptr_t address, size_t size, int order)
{
    if (unlikely(rt.weak.on) && rt_weak_takes(address)) rt_weak_load(address, (uint32_t)size, order);
    else rt_atomic_acquire(address, order);
}

/* Whether memory is to hold what was stored. */
static bool place_store(uintptr_t address, const void *value, size_t size, int order)
{
    uint64_t wide[2] = {0, 0};
    if (likely(!rt.weak.on) || !rt_weak_takes(address)) return true;
    memcpy(wide, value, size);
    return rt_weak_store(address, (uint32_t)size, order, wide);
}

static bool place_update(uintptr_t address, const void *value, size_t size, int order)
{
    uint64_t wide[2] = {0, 0};
    if (likely(!rt.weak.on) || !rt_weak_takes(address)) return rt_atomic_acquire(address, order), true;
    memcpy(wide, value, size);
    return rt_weak_update(address, (uint32_t)size, order, wide);
}

static void release_store(uintptr_t address, int order)
{
    if (unlikely(rt.weak.on) && rt_weak_takes(address)) rt_weak_released(order);
    else rt_atomic_release_store(address, order);
}

static void release_update(uintptr_t address, int order)
{
    if (unlikely(rt.weak.on) && rt_weak_takes(address)) rt_weak_released(order);
    else rt_atomic_release_update(address, order);
}

static void record(uint64_t value, bool has_old, uint64_t old, size_t size)
{
    if (unlikely(rt.recording) && rt.active) rt_record_value(value, has_old, old, size, true);
}

/* Outside of control, in constructors and in a program that is run by itself, these are the processor's own. */
#define REAL_ATOMICS(bits, type) \
    static type real_load##bits(const volatile type *a) { return __atomic_load_n(a, __ATOMIC_SEQ_CST); } \
    static void real_store##bits(volatile type *a, type value) { __atomic_store_n(a, value, __ATOMIC_SEQ_CST); } \
    static bool real_compare##bits(volatile type *a, type *expected, type value) \
    { \
        return __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
REAL_ATOMICS(8, uint8_t)
REAL_ATOMICS(16, uint16_t)
REAL_ATOMICS(32, uint32_t)
REAL_ATOMICS(64, uint64_t)

/* Not every processor has them for sixteen bytes; compilers call a library that locks, too. */
static bool real_compare128(volatile u128 *a, u128 *expected, u128 value)
{
    static char lock;
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE)) {}
    u128 old = *a;
    bool equal = old == *expected;
    if (equal) *a = value;
    __atomic_clear(&lock, __ATOMIC_RELEASE);
    *expected = old;
    return equal;
}
static u128 real_load128(const volatile u128 *a)
{
    u128 old = 0;
    real_compare128((volatile u128 *)a, &old, 0);
    return old;
}
static void real_store128(volatile u128 *a, u128 value)
{
    for (u128 old = *a; !real_compare128(a, &old, value);) {}
}

/* `define` and `where` say how a function that reads is entered, and from where. Sixteen bytes are entered directly:
 * some arguments are on the stack, and nobody spins on them (rt_spins). */
#define LOAD_FROM(bits, type) \
    static type load##bits(const volatile type *a, int order, struct site at) \
    { \
        before(SCHED_READ, (uintptr_t)a, sizeof *a, order, at); \
        order = order_of(order, RT_SITE_LOAD, (uintptr_t)a, at.pc); \
        type value = *a; \
        found((uintptr_t)a, &value, sizeof *a); \
        synchronise_load((uintptr_t)a, sizeof *a, order); \
        after((uintptr_t)a, sizeof *a, false, false, at); \
        record((uint64_t)value, false, 0, sizeof *a); \
        return value; \
    }

#define LOAD(bits, type, define, name, where) \
    type name(const volatile type *a, int order); \
    define type name(const volatile type *a, int order) \
    { \
        if (unlikely(!rt.active)) return real_load##bits(a); \
        return load##bits(a, order, where); \
    }

#define STORE(bits, type) \
    static void store##bits(volatile type *a, type value, int order, struct site at) \
    { \
        before_store(SCHED_WRITE, (uintptr_t)a, sizeof *a, (u128)value, order, at); \
        order = order_of(order, RT_SITE_STORE, (uintptr_t)a, at.pc); \
        type old = *a; \
        bool newest = place_store((uintptr_t)a, &value, sizeof *a, order); \
        if (newest) *a = value; \
        after((uintptr_t)a, sizeof *a, true, newest && old != value, at); \
        release_store((uintptr_t)a, order); \
        rt_effect(); /* it was no waiting, even if nothing has changed */ \
        record((uint64_t)value, true, (uint64_t)old, sizeof *a); \
    } \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order); \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type value, int order) \
    { \
        if (unlikely(!rt.active)) real_store##bits(a, value); \
        else store##bits(a, value, order, CALL_SITE); \
    }

/* Of read-modify-writes only an exchange leaves the same whatever it finds. */
#define IS_EXCHANGE(expression) (sizeof #expression == sizeof "v")
#define UPDATE_FROM(bits, type, name, expression) \
    static type name(volatile type *a, type v, int order, struct site at) \
    { \
        if (unlikely(!rt.active)) { \
            type old = *a; \
            while (!real_compare##bits(a, &old, (type)(expression))) {} \
            return old; \
        } \
        if (IS_EXCHANGE(expression)) before_store(SCHED_RMW, (uintptr_t)a, sizeof *a, (u128)v, order, at); \
        else before(SCHED_RMW, (uintptr_t)a, sizeof *a, order, at); \
        order = order_of(order, RT_SITE_UPDATE, (uintptr_t)a, at.pc); \
        type old = *a; \
        found((uintptr_t)a, &old, sizeof *a); \
        type updated = (type)(expression); \
        bool newest = place_update((uintptr_t)a, &updated, sizeof *a, order); \
        if (newest) *a = updated; \
        after((uintptr_t)a, sizeof *a, true, newest && updated != old, at); \
        if (updated != old) rt_effect(); /* others may read it even if it is not the newest */ \
        release_update((uintptr_t)a, order); \
        record((uint64_t)updated, true, (uint64_t)old, sizeof *a); \
        return old; \
    }

#define JOIN(a, b) a##b
#define FROM(name) JOIN(from_, name)
#define UPDATE(bits, type, define, name, where, expression) \
    UPDATE_FROM(bits, type, FROM(name), expression) \
    type name(volatile type *a, type v, int order); \
    define type name(volatile type *a, type v, int order) { return FROM(name)(a, v, order, where); }

#define COMPARE(bits, type) \
    static type compare##bits(volatile type *a, type expected, type value, int order, int fail_order, struct site at) \
    { \
        if (unlikely(!rt.active)) { \
            real_compare##bits(a, &expected, value); \
            return expected; \
        } \
        before_compare((uintptr_t)a, sizeof *a, (u128)expected, order, fail_order, at); \
        order = order_of(order, RT_SITE_UPDATE, (uintptr_t)a, at.pc); \
        fail_order = order_of(fail_order, RT_SITE_FAILURE, (uintptr_t)a, at.pc); \
        type old = *a; \
        found((uintptr_t)a, &old, sizeof *a); \
        bool equal = old == expected, newest = true; \
        if (equal) newest = place_update((uintptr_t)a, &value, sizeof *a, order); \
        else synchronise_load((uintptr_t)a, sizeof *a, fail_order); \
        if (equal && newest) *a = value; \
        after((uintptr_t)a, sizeof *a, equal, equal && newest && old != value, at); \
        if (equal && old != value) rt_effect(); \
        if (equal) release_update((uintptr_t)a, order); \
        if (equal) record((uint64_t)value, true, (uint64_t)old, sizeof *a); \
        else record((uint64_t)old, false, 0, sizeof *a); \
        if (!equal) compare_failed(); \
        return old; \
    }

/* What is expected is plain memory, read here and written if it is not found. */
#define EXPECTED(bits, type) \
    static type expected##bits(const type *expected, uintptr_t pc) \
    { \
        rt_plain((uintptr_t)expected, sizeof *expected, false, pc); \
        return *expected; \
    } \
    static int unexpected##bits(type *expected, type old, uintptr_t pc) \
    { \
        rt_plain((uintptr_t)expected, sizeof *expected, true, pc); \
        *expected = old; \
        return 0; \
    }

#define EXCHANGE(bits, type, define, name, where) \
    int name(volatile type *a, type *expected, type v, int o, int f); \
    define int name(volatile type *a, type *expected, type v, int o, int f) \
    { \
        struct site at = where; \
        type wanted = expected##bits(expected, at.pc), old = compare##bits(a, wanted, v, o, f, at); \
        return old == wanted || unexpected##bits(expected, old, at.pc); \
    }

#define WEAK_EXCHANGE(bits, type, define, name, where) \
    int name(volatile type *a, type *expected, type v, int o, int f); \
    define int name(volatile type *a, type *expected, type v, int o, int f) \
    { \
        struct site at = where; \
        at.fails = rt_happens_spuriously(at.pc, at.state, false); \
        type wanted = expected##bits(expected, at.pc); \
        type old = at.fails ? load##bits(a, f, at) : compare##bits(a, wanted, v, o, f, at); \
        if (old == wanted && !at.fails) return 1; \
        uint64_t key = old == wanted ? rt.self->spurious_key : 0; \
        unexpected##bits(expected, old, at.pc); \
        if (unlikely(key)) rt.self->spurious_key = key; /* memory is as it was */ \
        return 0; \
    }

/* clang calls these for weak and for strong ones. */
static inline void note_weak_exchanges(void)
{
    if (likely(rt.active && rt.shared) && unlikely(!(rt.shared->unexplored & 1u << RT_WEAK_EXCHANGES)))
        rt_unexplored(RT_WEAK_EXCHANGES);
}

#define EXCHANGE_VALUE(bits, type, define, name, where) \
    type name(volatile type *a, type expected, type v, int o, int f); \
    define type name(volatile type *a, type expected, type v, int o, int f) \
    { \
        note_weak_exchanges(); \
        return compare##bits(a, expected, v, o, f, where); \
    }

/* All functions of one size that read, each with the macro that defines it. */
#define READERS(X, bits, type) \
    X(LOAD, bits, type, __tsan_atomic##bits##_load) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_exchange, v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_add, old + v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_sub, old - v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_and, old & v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_or, old | v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_xor, old ^ v) \
    X(UPDATE, bits, type, __tsan_atomic##bits##_fetch_nand, ~(old & v)) \
    X(EXCHANGE, bits, type, __tsan_atomic##bits##_compare_exchange_strong) \
    X(WEAK_EXCHANGE, bits, type, __tsan_atomic##bits##_compare_exchange_weak) \
    X(EXCHANGE_VALUE, bits, type, __tsan_atomic##bits##_compare_exchange_val)
#define WITH_ENTRY(define, bits, type, name, ...) \
    define(bits, type, READER, ENTERED(name), SITE __VA_OPT__(, ) __VA_ARGS__) ENTRY(name)
#define DIRECTLY(define, bits, type, name, ...) define(bits, type, EXPORT, name, CALL_SITE __VA_OPT__(, ) __VA_ARGS__)
#define ALL(bits, type, how) \
    STORE(bits, type) \
    LOAD_FROM(bits, type) \
    UPDATE_FROM(bits, type, exchange##bits, v) \
    COMPARE(bits, type) \
    EXPECTED(bits, type) \
    READERS(how, bits, type)

ALL(8, uint8_t, WITH_ENTRY)
ALL(16, uint16_t, WITH_ENTRY)
ALL(32, uint32_t, WITH_ENTRY)
ALL(64, uint64_t, WITH_ENTRY)
ALL(128, u128, DIRECTLY)

/* Functions of libatomic: clang calls them for sixteen bytes unless it may assume an instruction for that, and both
 * compilers for sizes that no processor has. For those the library takes a lock, and so does the runtime, a lock for
 * each object. The memory to and from which values are copied is plain. */
#define LIBRARY(name) __asm__("__atomic_" #name)
void library_load(size_t size, volatile void *a, void *to, int order) LIBRARY(load);
void library_store(size_t size, volatile void *a, void *from, int order) LIBRARY(store);
void library_exchange(size_t size, volatile void *a, void *from, void *to, int order) LIBRARY(exchange);
int library_compare(size_t size, volatile void *a, void *expected, void *from, int o, int f) LIBRARY(compare_exchange);

static bool is_sized(size_t size, volatile void *a)
{
    return size && size <= sizeof(u128) && !(size & (size - 1)) && !((uintptr_t)a & (size - 1));
}

/* A lock orders more than an order weaker than seq_cst does, which the verdict says. */
static void large_enter(volatile void *a, int order, uintptr_t pc)
{
    static const char missing[] = "an atomic variable has a size for which a library locks: link with -latomic";
    if (!dlsym(RTLD_NEXT, "__atomic_load")) rt_die(missing);
    if (!rt.active || !rt.shared) return;
    if (order != __ATOMIC_SEQ_CST) rt_note_mixed((uintptr_t)a, RT_MIXED_LARGE, pc);
    rt_mutex_lock(rt_mutex_beside((void *)a), pc);
}

static void large_leave(volatile void *a, uintptr_t pc)
{
    if (rt.active && rt.shared) rt_mutex_unlock(rt_mutex_beside((void *)a), pc);
}

static void copy_plainly(void *to, const void *from, size_t size, uintptr_t pc)
{
    rt_call_reads(from, size, pc);
    rt_call_writes(to, size, pc);
    memcpy(to, from, size);
}

static void large_load(size_t size, volatile void *a, void *to, int order, uintptr_t pc)
{
    large_enter(a, order, pc);
    copy_plainly(to, (const void *)a, size, pc);
    large_leave(a, pc);
}

static void large_store(size_t size, volatile void *a, const void *from, int order, uintptr_t pc)
{
    large_enter(a, order, pc);
    copy_plainly((void *)a, from, size, pc);
    large_leave(a, pc);
}

/* `to` may be `from`. */
static void large_exchange(size_t size, volatile void *a, const void *from, void *to, int order, uintptr_t pc)
{
    char *value = __builtin_alloca(size);
    rt_call_reads(from, size, pc);
    memcpy(value, from, size);
    large_enter(a, order, pc);
    copy_plainly(to, (const void *)a, size, pc);
    rt_call_writes((void *)a, size, pc);
    memcpy((void *)a, value, size);
    large_leave(a, pc);
}

static int large_compare(size_t size, volatile void *a, void *expected, const void *from, int order, uintptr_t pc)
{
    large_enter(a, order, pc);
    rt_call_reads((const void *)a, size, pc);
    rt_call_reads(expected, size, pc);
    bool same = !memcmp((const void *)a, expected, size);
    if (same) copy_plainly((void *)a, from, size, pc);
    else copy_plainly(expected, (const void *)a, size, pc);
    large_leave(a, pc);
    return same;
}

#define FOR_SIZE(size, X) \
    switch (size) { \
    case 1: X(8, uint8_t) \
    case 2: X(16, uint16_t) \
    case 4: X(32, uint32_t) \
    case 8: X(64, uint64_t) \
    default: X(128, u128) \
    }

EXPORT void library_load(size_t size, volatile void *a, void *to, int order)
{
    struct site at = CALL_SITE;
    u128 value = 0;
    if (!is_sized(size, a)) return large_load(size, a, to, order, at.pc);
#define X(bits, type) value = rt.active ? load##bits(a, order, at) : real_load##bits(a); break;
    FOR_SIZE(size, X)
#undef X
    rt_plain((uintptr_t)to, size, true, at.pc);
    memcpy(to, &value, size);
}

EXPORT void library_store(size_t size, volatile void *a, void *from, int order)
{
    struct site at = CALL_SITE;
    if (!is_sized(size, a)) return large_store(size, a, from, order, at.pc);
    rt_plain((uintptr_t)from, size, false, at.pc);
#define X(bits, type) { \
        type value; \
        memcpy(&value, from, sizeof value); \
        if (rt.active) store##bits(a, value, order, at); \
        else real_store##bits(a, value); \
        break; \
    }
    FOR_SIZE(size, X)
#undef X
}

EXPORT void library_exchange(size_t size, volatile void *a, void *from, void *to, int order)
{
    struct site at = CALL_SITE;
    u128 value = 0;
    if (!is_sized(size, a)) return large_exchange(size, a, from, to, order, at.pc);
    rt_plain((uintptr_t)from, size, false, at.pc);
    memcpy(&value, from, size);
#define X(bits, type) value = exchange##bits(a, (type)value, order, at); break;
    FOR_SIZE(size, X)
#undef X
    rt_plain((uintptr_t)to, size, true, at.pc);
    memcpy(to, &value, size);
}

EXPORT int library_compare(size_t size, volatile void *a, void *expected, void *from, int order, int f)
{
    struct site at = CALL_SITE;
    u128 wanted = 0, value = 0, old = 0;
    if (!is_sized(size, a)) return large_compare(size, a, expected, from, order, at.pc);
    rt_plain((uintptr_t)expected, size, false, at.pc);
    rt_plain((uintptr_t)from, size, false, at.pc);
    memcpy(&wanted, expected, size);
    memcpy(&value, from, size);
#define X(bits, type) old = compare##bits(a, (type)wanted, (type)value, order, f, at); break;
    FOR_SIZE(size, X)
#undef X
    if (old == wanted) return 1;
    rt_plain((uintptr_t)expected, size, true, at.pc);
    memcpy(expected, &old, size);
    return 0;
}

#define LIBRARY_UPDATE(name, expression) \
    u128 library_##name(volatile u128 *a, u128 v, int order) LIBRARY(name##_16); \
    UPDATE(128, u128, EXPORT, library_##name, CALL_SITE, expression)
LIBRARY_UPDATE(fetch_add, old + v)
LIBRARY_UPDATE(fetch_sub, old - v)
LIBRARY_UPDATE(fetch_and, old & v)
LIBRARY_UPDATE(fetch_or, old | v)
LIBRARY_UPDATE(fetch_xor, old ^ v)
LIBRARY_UPDATE(fetch_nand, ~(old & v))

/* --volatile=atomic: as programs mean it that were written before C had atomics. The program does the access itself. */
void rt_volatile(uintptr_t address, size_t size, bool write, uintptr_t pc)
{
    if (!rt.active) return;
    enum sched_kind kind = write ? SCHED_WRITE : SCHED_READ;
    struct site at = {pc, NULL, 0};
    announce(&(struct sched_op){.kind = (uint8_t)kind, .object = address, .count = (uint32_t)size}, at);
    int order = write ? order_of(__ATOMIC_RELEASE, RT_SITE_STORE, address, pc)
                      : order_of(__ATOMIC_ACQUIRE, RT_SITE_LOAD, address, pc);
    if (!write) rt_atomic_acquire(address, order);
    after(address, size, write, write, at);
    if (write) rt.outcome.has_words = false; /* it is still to come */
    if (write) rt_atomic_release_store(address, order);
    if (unlikely(rt.recording) && write) rt_record_write(address, size);
    else if (unlikely(rt.recording)) rt_record_read(address, size, true);
}

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
    if (unlikely(!rt.active)) __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else rt_fence(order_of(order, RT_SITE_FENCE, 0, CALLER));
}
void rt_fence_at(uintptr_t pc) { rt_fence(order_of(__ATOMIC_SEQ_CST, RT_SITE_FENCE, 0, pc)); }
EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }
