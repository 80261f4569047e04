/* What a program says to a verifier: heddle.h, and the functions that the software verification competition defined. */
#include "runtime/internal.h"

#define __HEDDLE__ 1
#include "../../include/heddle.h"

static uint32_t choose(uint32_t count, uintptr_t pc)
{
    if (!rt.active || count < 2) return 0;
    uint32_t value = rt_point(OP(CHOOSE, .count = count), NULL, pc);
    rt_effect();
    if (rt.recording) rt_record_value(value, false, 0, 4, false);
    return value;
}

static bool never(const struct thread *t)
{
    (void)t;
    return false;
}

/* The thread stays here, and the others go on: what they do does not depend on whether it came this far. */
void rt_assumption_failed(uintptr_t pc)
{
    if (rt.self->atomic_depth) rt_end_execution(SCHED_END_ASSUMED); /* nobody may see half of an atomic section */
    rt_point_labelled(OP(NEVER), never, pc, "assume fails");
    __builtin_unreachable();
}

static void assume(bool condition, uintptr_t pc)
{
    if (!condition && rt.active) rt_assumption_failed(pc);
}

bool rt_is_in(const struct rt_code *code, uintptr_t pc)
{
    for (uint32_t i = 0; i < code->count; i++)
        if (pc >= code->at[i].low && pc < code->at[i].high) return true;
    return false;
}

EXPORT unsigned heddle_nondet(unsigned n) { return choose(n, CALLER); }
EXPORT void heddle_assume(int condition) { assume(condition, CALLER); }
EXPORT void heddle_yield(void) { rt_point(OP(YIELD), NULL, CALLER); }

EXPORT void heddle_assert_failed(const char *condition, const char *file, unsigned line)
{
    rt_find(RT_ASSERTION, CALLER, "%s at %s:%u", condition, file, line);
    rt_finding_end();
}

void __VERIFIER_assume(int condition);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_error(void);
void __VERIFIER_assert(int condition) __attribute__((weak));
void reach_error(void) __attribute__((weak));

EXPORT void __VERIFIER_assume(int condition) { assume(condition, CALLER); }

/* Strategies that reduce follow the state of each object by the steps on it, and do not see those in a section. */
void rt_section_shows(void)
{
    enum sched_strategy s = rt.shared ? rt.shared->config.strategy : SCHED_DFS;
    if (!rt.exploring || s == SCHED_DFS || s == SCHED_ICB || s == SCHED_DELAY_PLAIN || sched_samples(s)) return;
    rt_die("an atomic section locks, unlocks, posts or signals what other threads use after it: try --explore=icb");
}

static uint64_t hash_of_held(const struct thread *t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->held_count; i++) sum += t->held[i] * 0x9e3779b97f4a7c15ull;
    return sum;
}

/* An atomic section is one step that depends on every other; what happens inside is not shown to the strategy. */
EXPORT void __VERIFIER_atomic_begin(void)
{
    if (!rt.active) return;
    if (!rt.self->atomic_depth) {
        rt_point_labelled(OP(GLOBAL), NULL, CALLER, "atomic");
        rt.self->held_outside = hash_of_held(rt.self);
    }
    rt.self->atomic_depth++;
    rt_acquire((uint64_t)&rt);
    rt_effect();
}

EXPORT void __VERIFIER_atomic_end(void)
{
    if (!rt.active || !rt.self->atomic_depth) return;
    if (!--rt.self->atomic_depth && rt.self->held_outside != hash_of_held(rt.self)) rt_section_shows();
    rt_release((uint64_t)&rt);
}

static void error_reached(uintptr_t pc)
{
    rt_find(RT_ASSERTION, pc, "reach_error() is reached");
    rt_finding_end();
}

EXPORT void __VERIFIER_error(void) { error_reached(CALLER); }
EXPORT void reach_error(void) { error_reached(CALLER); }

EXPORT void __VERIFIER_assert(int condition)
{
    if (condition) return;
    rt_find(RT_ASSERTION, CALLER, "__VERIFIER_assert() fails");
    rt_finding_end();
}

/* Wide types cannot be tried exhaustively. A few values that programs compare with are, and the coverage says so. */
static int64_t some_value(int64_t lowest, int64_t highest, uintptr_t pc)
{
    int64_t values[] = {0, 1, -1, 2, highest, lowest};
    uint32_t count = 0;
    for (size_t i = 0; i < ARRAY_LEN(values); i++)
        if (values[i] >= lowest && values[i] <= highest) values[count++] = values[i];
    rt_note("__VERIFIER_nondet", "only 0, 1, -1, 2 and the extreme values are tried", pc);
    return values[choose(count, pc)];
}

#define NONDET(name, type, low, high) \
    type __VERIFIER_nondet_##name(void); \
    EXPORT type __VERIFIER_nondet_##name(void) { return (type)some_value((int64_t)(low), (int64_t)(high), CALLER); }
NONDET(char, char, -128, 127)
NONDET(uchar, unsigned char, 0, 255)
NONDET(short, short, -32768, 32767)
NONDET(ushort, unsigned short, 0, 65535)
NONDET(int, int, INT32_MIN, INT32_MAX)
NONDET(uint, unsigned, 0, UINT32_MAX)
NONDET(unsigned, unsigned, 0, UINT32_MAX)
NONDET(long, long, INT64_MIN, INT64_MAX)
NONDET(ulong, unsigned long, 0, INT64_MAX)
NONDET(longlong, long long, INT64_MIN, INT64_MAX)
NONDET(ulonglong, unsigned long long, 0, INT64_MAX)
NONDET(u8, uint8_t, 0, 255)
NONDET(u16, uint16_t, 0, 65535)
NONDET(u32, uint32_t, 0, UINT32_MAX)
NONDET(size_t, size_t, 0, INT64_MAX)
NONDET(loff_t, long, INT64_MIN, INT64_MAX)
NONDET(float, float, -2, 2)
NONDET(double, double, -2, 2)

_Bool __VERIFIER_nondet_bool(void);
EXPORT _Bool __VERIFIER_nondet_bool(void) { return choose(2, CALLER); }
_Bool __VERIFIER_nondet__Bool(void);
EXPORT _Bool __VERIFIER_nondet__Bool(void) { return choose(2, CALLER); }
void *__VERIFIER_nondet_pointer(void);
EXPORT void *__VERIFIER_nondet_pointer(void) { return (void *)(uintptr_t)choose(2, CALLER); }
