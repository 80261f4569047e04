/* Atomic operations of the program: __tsan_atomicN_*. One core runs everything, so plain code between two scheduling
 * points is atomic. Interleavings only: what weak memory orders allow beyond them is not explored; the orders decide
 * what happens before what for the race detector. */
#include "runtime/internal.h"

typedef unsigned __int128 u128;

/* True if the operation is an announced step (not before main, not inside an atomic section). */
static void before(enum sched_kind kind, uintptr_t address, size_t size, uintptr_t pc)
{
    if (unlikely(!rt.active)) return;
    struct sched_op op = {.kind = (uint8_t)kind, .object = address, .count = (uint32_t)size};
    bool spins = kind != SCHED_WRITE && !rt.self->atomic_depth && rt_spins(pc, &op);
    if (unlikely(op.kind == SCHED_YIELD)) {
        rt_point_labelled(op, NULL, pc, "spin");
        op = (struct sched_op){.kind = (uint8_t)kind, .object = address, .count = (uint32_t)size};
        spins = false;
    }
    rt_point(op, spins ? rt_spin_over : NULL, pc);
    if (rt_in_heap(address)) rt_heap_check(address, size, kind != SCHED_READ, pc);
}

static void after(uintptr_t address, size_t size, bool wrote, bool changed, uintptr_t pc)
{
    if (unlikely(!rt.active)) return;
    if (rt.check_plain) rt_access(address, size, wrote, true, pc);
    if (changed) {
        rt_effect();
        rt_memory_changed(address, size);
    } else {
        rt_unchanged();
        rt_read_done(pc, address);
    }
}

static void record(uint64_t value, bool has_old, uint64_t old, size_t size)
{
    if (unlikely(rt.recording) && rt.active) rt_record_value(value, has_old, old, size, true);
}

#define LOAD(bits, type) \
    type __tsan_atomic##bits##_load(const volatile type *a, int order); \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *a, int order) \
    { \
        before(SCHED_READ, (uintptr_t)a, sizeof *a, CALLER); \
        type value = *a; \
        rt_atomic_order_load((uint64_t)a, order); \
        after((uintptr_t)a, sizeof *a, false, false, CALLER); \
        record((uint64_t)value, false, 0, sizeof *a); \
        return value; \
    }

#define STORE(bits, type) \
    void __tsan_atomic##bits##_store(volatile type *a, type value, int order); \
    EXPORT void __tsan_atomic##bits##_store(volatile type *a, type value, int order) \
    { \
        before(SCHED_WRITE, (uintptr_t)a, sizeof *a, CALLER); \
        type old = *a; \
        *a = value; \
        rt_atomic_order_store((uint64_t)a, order); \
        after((uintptr_t)a, sizeof *a, true, true, CALLER); \
        rt.outcome.changed = old != value; \
        record((uint64_t)value, true, (uint64_t)old, sizeof *a); \
    }

#define UPDATE(bits, type, name, expression) \
    type __tsan_atomic##bits##_##name(volatile type *a, type v, int order); \
    EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v, int order) \
    { \
        before(SCHED_RMW, (uintptr_t)a, sizeof *a, CALLER); \
        type old = *a, updated = (type)(expression); \
        *a = updated; \
        rt_atomic_order_update((uint64_t)a, order); \
        after((uintptr_t)a, sizeof *a, true, updated != old, CALLER); \
        record((uint64_t)updated, true, (uint64_t)old, sizeof *a); \
        return old; \
    }

#define COMPARE(bits, type) \
    static type compare##bits(volatile type *a, type expected, type value, int order, int fail_order, uintptr_t pc) \
    { \
        before(SCHED_RMW, (uintptr_t)a, sizeof *a, pc); \
        type old = *a; \
        bool equal = old == expected; \
        if (equal) *a = value; \
        if (equal) rt_atomic_order_update((uint64_t)a, order); \
        else rt_atomic_order_load((uint64_t)a, fail_order); \
        after((uintptr_t)a, sizeof *a, equal, equal && old != value, pc); \
        if (equal) record((uint64_t)value, true, (uint64_t)old, sizeof *a); \
        else record((uint64_t)old, false, 0, sizeof *a); \
        if (!equal && unlikely(rt.recording)) rt_record_failed_compare(); \
        return old; \
    } \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *expected, type v, int o, int f); \
    EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile type *a, type *expected, type v, int o, int f) \
    { \
        type wanted = *expected, old = compare##bits(a, wanted, v, o, f, CALLER); \
        if (old == wanted) return 1; \
        *expected = old; \
        return 0; \
    } \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *expected, type v, int o, int f); \
    EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile type *a, type *expected, type v, int o, int f) \
    { \
        type wanted = *expected, old = compare##bits(a, wanted, v, o, f, CALLER); \
        if (old == wanted) return 1; \
        *expected = old; \
        return 0; \
    } \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v, int o, int f); \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *a, type expected, type v, int o, int f) \
    { \
        return compare##bits(a, expected, v, o, f, CALLER); \
    }

#define ALL(bits, type) \
    LOAD(bits, type) \
    STORE(bits, type) \
    UPDATE(bits, type, exchange, v) \
    UPDATE(bits, type, fetch_add, old + v) \
    UPDATE(bits, type, fetch_sub, old - v) \
    UPDATE(bits, type, fetch_and, old & v) \
    UPDATE(bits, type, fetch_or, old | v) \
    UPDATE(bits, type, fetch_xor, old ^ v) \
    UPDATE(bits, type, fetch_nand, ~(old & v)) \
    COMPARE(bits, type)

ALL(8, uint8_t)
ALL(16, uint16_t)
ALL(32, uint32_t)
ALL(64, uint64_t)
ALL(128, u128)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order) { rt_fence(order); }
EXPORT void __tsan_atomic_signal_fence(int order) { (void)order; }
