/* Sets of threads. Everything that has to do with schedules, and the runtime, is compiled twice: for programs of up to
 * 64 threads a set is one word and costs what a word costs; for up to 1,024 (SCHED_WIDE) it is a vector of words, which
 * the compiler knows `|`, `&` and `~` of, but no truth value: what is not written with the functions below does not
 * compile there. A set is never to be compared or tested in another way. */
#ifndef HEDDLE_SCHEDULE_SET_INT_H
#define HEDDLE_SCHEDULE_SET_INT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef SCHED_WIDE
enum { SCHED_MAX_THREADS = 1024, SET_WORDS = SCHED_MAX_THREADS / 64 };
typedef uint64_t sched_set __attribute__((vector_size(SET_WORDS * 8), aligned(16)));
#define SET_WORD(s, w) ((s)[w])
#define SET_NONE ((sched_set){0})
#else
enum { SCHED_MAX_THREADS = 64, SET_WORDS = 1 };
typedef uint64_t sched_set;
#define SET_WORD(s, w) (s)
#define SET_NONE ((sched_set)0)
#endif

#define BIT(n) (UINT64_C(1) << (n))

/* The numbers of the bits of a word. */
#define FOR_EACH_BIT(n, word) \
    for (uint64_t n##_left = (word); n##_left && (n = __builtin_ctzll(n##_left), 1); n##_left &= n##_left - 1)

/* The threads of a set, in order. */
#ifdef SCHED_WIDE
struct set_walk { sched_set set; int from; };
static inline bool set_walk_on(struct set_walk *w, int *t)
{
    for (int i = w->from / 64; i < SET_WORDS; i++) {
        uint64_t left = w->set[i] & (i == w->from / 64 ? ~UINT64_C(0) << w->from % 64 : ~UINT64_C(0));
        if (left)
            return *t = i * 64 + __builtin_ctzll(left), w->from = *t + 1, true;
    }
    return false;
}
#define FOR_EACH_THREAD(t, set) for (struct set_walk t##_left = {(set), 0}; set_walk_on(&t##_left, &t);)
#else
#define FOR_EACH_THREAD(t, set) FOR_EACH_BIT(t, set)
#endif

static inline sched_set set_of(int t)
{
    sched_set s = SET_NONE;
    SET_WORD(s, t / 64) = BIT(t % 64);
    return s;
}
static inline bool set_has(sched_set s, int t) { return SET_WORD(s, t / 64) >> t % 64 & 1; }
static inline bool set_any(sched_set s)
{
    uint64_t any = 0;
    for (int w = 0; w < SET_WORDS; w++)
        any |= SET_WORD(s, w);
    return any != 0;
}
static inline bool set_equal(sched_set a, sched_set b) { return !set_any(a ^ b); }
static inline int set_count(sched_set s)
{
    int n = 0;
    for (int w = 0; w < SET_WORDS; w++)
        n += __builtin_popcountll(SET_WORD(s, w));
    return n;
}
/* The lowest of a set that is not empty. */
static inline int set_first(sched_set s)
{
    int w = 0;
    while (w < SET_WORDS - 1 && !SET_WORD(s, w))
        w++;
    return w * 64 + __builtin_ctzll(SET_WORD(s, w));
}
/* That alone, or nothing of nothing. */
static inline sched_set set_lowest(sched_set s) { return set_any(s) ? set_of(set_first(s)) : s; }
/* 1 + the highest of a set that is not empty. */
static inline int set_end(sched_set s)
{
    int w = SET_WORDS - 1;
    while (w > 0 && !SET_WORD(s, w))
        w--;
    return w * 64 + 64 - __builtin_clzll(SET_WORD(s, w));
}
/* All below n. */
static inline sched_set set_below(int n)
{
    sched_set s = SET_NONE;
    for (int w = 0; w < SET_WORDS && w * 64 < n; w++)
        SET_WORD(s, w) = n - w * 64 < 64 ? BIT(n - w * 64) - 1 : ~UINT64_C(0);
    return s;
}

#endif
