/* What an ordered search remembers of a state of the present level. Internal to src/search.
 *
 * A mark is a set of processes (those that have arrived in the state or were executed in it) and a few flags: one
 * number of 2, 4 or 8 bytes with the flags on top, or a wide one for as many processes as there can be. A state in
 * which everybody was executed is done with, whatever its flags say. */
#ifndef HEDDLE_MARKS_H
#define HEDDLE_MARKS_H

#include "search/store_int.h"

/* A set of processes. */
enum { MASK_WORDS = 4 };
struct mask { uint64_t word[MASK_WORDS]; };
struct mask mask_rest(const struct mask *m, int processes); /* 0 .. processes-1 without those in m */
int mask_take(struct mask *m); /* takes out the highest, as the model orders them; -1: none is left */

enum mark_flag {
    MARK_ENDED = 1, /* nobody can move, but for timeout, and somebody has seen to that */
    MARK_AMPLE = 2, /* the steps of one process may do, and somebody sees to that */
    MARK_FREE = 4,  /* everybody may move, and somebody sees to that in the round after the one that marked it, */
    MARK_FREE_ODD = 8, /* which was even or odd */
    MARK_ODD = 16,  /* the number of its level is */
    MARK_NO_AMPLE = 32, /* no process is independent */
};
enum { MARK_FLAG_BITS = 6, WIDE_MARK = (MASK_WORDS + 1) * 8 }; /* bytes */

uint32_t mark_bytes(int processes); /* of a mark that has room for so many */
int mark_processes(uint32_t bytes); /* for how many there is room */

/* Wide marks. */
bool wide_mark_has_all(const uint8_t *mark);
struct mask mark_mask(const uint8_t *mark, uint32_t bytes);
/* Processes that the state does not have are done with from the start. */
void mark_begin(uint8_t *mark, uint32_t bytes, int processes, unsigned flags);
void mark_put_all(uint8_t *mark, uint32_t bytes);

static inline uint64_t mark_load(const uint8_t *mark, uint32_t bytes)
{
    uint16_t two;
    uint32_t four;
    switch (bytes) {
    case 2: __builtin_memcpy(&two, mark, 2); return two;
    case 4: __builtin_memcpy(&four, mark, 4); return four;
    default: return load64(mark);
    }
}

static inline void mark_store(uint8_t *mark, uint32_t bytes, uint64_t value)
{
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    switch (bytes) {
    case 2: __builtin_memcpy(mark, &two, 2); return;
    case 4: __builtin_memcpy(mark, &four, 4); return;
    default: store64(mark, value);
    }
}

static inline uint32_t mark_flags_at(uint32_t bytes) { return 8 * bytes - MARK_FLAG_BITS; }
static inline uint64_t mark_everybody(uint32_t bytes) { return (UINT64_C(1) << mark_flags_at(bytes)) - 1; }

static inline bool mark_has_all(const uint8_t *mark, uint32_t bytes)
{
    if (bytes == WIDE_MARK) return wide_mark_has_all(mark);
    return !(~mark_load(mark, bytes) & mark_everybody(bytes));
}

static inline unsigned mark_flags(const uint8_t *mark, uint32_t bytes)
{
    if (bytes == WIDE_MARK) return (unsigned)load64(mark + 8 * MASK_WORDS);
    return (unsigned)(mark_load(mark, bytes) >> mark_flags_at(bytes));
}

static inline void mark_add_flags(uint8_t *mark, uint32_t bytes, unsigned flags)
{
    if (bytes == WIDE_MARK) store64(mark + 8 * MASK_WORDS, load64(mark + 8 * MASK_WORDS) | flags);
    else mark_store(mark, bytes, mark_load(mark, bytes) | (uint64_t)flags << mark_flags_at(bytes));
}

/* True: it was not there. */
static inline bool mark_put_process(uint8_t *mark, uint32_t bytes, int pid)
{
    uint8_t *p = bytes == WIDE_MARK ? mark + 8 * (pid / 64) : mark;
    uint32_t size = bytes == WIDE_MARK ? 8 : bytes;
    uint64_t before = mark_load(p, size), bit = UINT64_C(1) << pid % 64;
    mark_store(p, size, before | bit);
    return !(before & bit);
}

#endif
