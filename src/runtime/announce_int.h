/* The words of calls_int.h as code: what a row means. */
#ifndef HEDDLE_RUNTIME_ANNOUNCE_INT_H
#define HEDDLE_RUNTIME_ANNOUNCE_INT_H

#include "runtime/internal.h"

#include <wchar.h>

#define R(p, n) rt_range((uintptr_t)(p), n, false, pc);
#define W(p, n) rt_call_changes(p, n, is_done, pc);
#define R_IF(p, n) if (p) R(p, n)
#define W_IF(p, n) if (p) W(p, n)
#define S(s) rt_string(s, SIZE_MAX, pc);
#define S_IF(s) if (s) S(s)
#define N(s, n) rt_string(s, n, pc);
#define WS(s) W(s, SIZE(s))
#define SIZE(s) rt_part(s, SIZE_MAX)
#define PART(s, n) rt_part(s, n)
#define UPTO(p, c, n) rt_part_upto(p, c, n)
#define WIDE(s) rt_wide_part(s, SIZE_MAX)
#define WIDE_PART(s, n) rt_wide_part(s, n)

#define READS(f) use = rt_stream_enter(f, RT_STREAM_READS, pc, label);
#define PRINTS(f) use = rt_stream_enter(f, RT_STREAM_PRINTS, pc, label);
#define LOOKS(f) use = rt_stream_enter(f, RT_STREAM_LOOKS, pc, label);
#define CHANGES(f) use = rt_stream_enter(f, RT_STREAM_CHANGES, pc, label);
/* The accesses of a row before and after its function runs. */
#define BEFORE(...) { const bool is_done = false; (void)is_done; __VA_ARGS__ }
#define AFTER(...) { const bool is_done = true; (void)is_done; __VA_ARGS__ }

#define UNLOCKED(f) rt_stream_unlocked(f, true, pc);
#define LOOKS_UNLOCKED(f) rt_stream_unlocked(f, false, pc);
#define USES(x) rt_state_use(&x, true, pc, label);
#define OWNS(x) owns(&x, true, pc);
#define ASKS(x) owns(&x, false, pc);
#define FILLS(p, n) rt_touch(p, n);
#define LOOKS_UP if (rt_watches(pc)) rt_path_step(false, pc, label);
#define FOUND(c) rt_path_outcome(c);
#define BUFFER(f, p, n) rt_stream_buffer(f, p, n, NULL, NULL, pc);
#define GROWS(f, p, n) rt_stream_buffer(f, NULL, 0, p, n, pc);

static inline size_t rt_part_upto(const void *p, int c, size_t n)
{
    const unsigned char *s = p;
    size_t i = 0;
    while (i < n && s[i] != (unsigned char)c) i++;
    return i < n ? i + 1 : n;
}

static inline size_t rt_part(const char *s, size_t n) { return rt_part_upto(s, 0, n); }

static inline size_t rt_wide_part(const wchar_t *s, size_t n)
{
    size_t i = 0;
    while (i < n && s[i]) i++;
    return (i < n ? i + 1 : n) * sizeof *s;
}

/* The first byte before the others: where the string is gone it has no end either. */
static inline void rt_string(const char *s, size_t n, uintptr_t pc)
{
    if (rt_in_heap((uintptr_t)s) && n) rt_heap_check((uintptr_t)s, 1, false, pc);
    rt_range((uintptr_t)s, rt_part(s, n), false, pc);
}

/* A write by a library function. If it is done already, what it found is not known, so that it counts as a change: the
 * thread does not wait in a loop with such a call. */
static inline void rt_call_changes(const void *p, size_t size, bool is_done, uintptr_t pc)
{
    rt_range((uintptr_t)p, size, true, pc);
    if (is_done && rt.active && !rt_on_own_stack(rt.self, p)) rt_effect();
}

static inline bool rt_watches(uintptr_t pc) { return rt.active && rt.shared && rt_is_program_code(pc); }

/* The library's function; the audit compares what it does with what its row says. */
static inline void *rt_library(enum rt_call call, const char *name, bool watched, uintptr_t pc)
{
    void *function = rt_real_once(call, name);
    return watched ? rt_audited(name, function, pc) : function;
}

#define DEFINE_FUNCTION(result, name, parameters, arguments, state, before, after) \
    __typeof__(result) call_##name parameters __asm__(#name); \
    EXPORT __typeof__(result) call_##name parameters \
    { \
        typedef __typeof__(result) function parameters; \
        const uintptr_t pc = CALLER; \
        const char *const label = #name; \
        struct rt_use use = {0}; \
        (void)label; \
        state \
        const bool watched = rt_watches(pc); \
        if (watched) BEFORE(before) \
        function *library = rt_library(CALL_##name, #name, watched, pc); \
        __typeof__(result) r = library arguments; \
        if (watched) AFTER(after) \
        if (use.stream) rt_stream_leave(&use); \
        return r; \
    }
#define DEFINE_PROCEDURE(name, parameters, arguments, state, before, after) \
    void call_##name parameters __asm__(#name); \
    EXPORT void call_##name parameters \
    { \
        typedef void function parameters; \
        const uintptr_t pc = CALLER; \
        const char *const label = #name; \
        struct rt_use use = {0}; \
        (void)label; \
        state \
        const bool watched = rt_watches(pc); \
        if (watched) BEFORE(before) \
        function *library = rt_library(CALL_##name, #name, watched, pc); \
        library arguments; \
        if (watched) AFTER(after) \
        if (use.stream) rt_stream_leave(&use); \
    }

#endif
