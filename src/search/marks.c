#include "search/marks_int.h"

#include <assert.h>
#include <string.h>

struct mask mask_rest(const struct mask *m, int processes)
{
    struct mask rest;
    for (int i = 0; i < MASK_WORDS; i++) {
        int bits = MIN(MAX(processes - i * 64, 0), 64);
        rest.word[i] = (bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1) & ~m->word[i];
    }
    return rest;
}

int mask_take(struct mask *m)
{
    for (int i = MASK_WORDS - 1; i >= 0; i--)
        if (m->word[i]) {
            int bit = 63 - __builtin_clzll(m->word[i]);
            m->word[i] &= ~(UINT64_C(1) << bit);
            return i * 64 + bit;
        }
    return -1;
}

int mark_processes(uint32_t bytes)
{
    return bytes == WIDE_MARK ? MODEL_MOST_PROCESSES : (int)mark_flags_at(bytes);
}

uint32_t mark_bytes(int processes)
{
    for (uint32_t bytes = 2; bytes <= 8; bytes *= 2)
        if (processes <= mark_processes(bytes)) return bytes;
    return WIDE_MARK;
}

bool wide_mark_has_all(const uint8_t *mark)
{
    for (int i = 0; i < MASK_WORDS; i++)
        if (load64(mark + 8 * i) != UINT64_MAX) return false;
    return true;
}

struct mask mark_mask(const uint8_t *mark, uint32_t bytes)
{
    struct mask m = {{0}};
    if (bytes == WIDE_MARK) memcpy(m.word, mark, sizeof m.word);
    else m.word[0] = mark_load(mark, bytes) & mark_everybody(bytes);
    return m;
}

void mark_begin(uint8_t *mark, uint32_t bytes, int processes, unsigned flags)
{
    assert_costly(processes <= mark_processes(bytes));
    if (bytes != WIDE_MARK) {
        uint64_t there = processes < 64 ? (UINT64_C(1) << processes) - 1 : UINT64_MAX;
        mark_store(mark, bytes, (mark_everybody(bytes) & ~there) | (uint64_t)flags << mark_flags_at(bytes));
        return;
    }
    struct mask none = {{0}}, there = mask_rest(&none, processes);
    for (int i = 0; i < MASK_WORDS; i++) store64(mark + 8 * i, ~there.word[i]);
    store64(mark + 8 * MASK_WORDS, flags);
}

void mark_put_all(uint8_t *mark, uint32_t bytes)
{
    if (bytes == WIDE_MARK) memset(mark, 0xff, 8 * MASK_WORDS);
    else mark_store(mark, bytes, mark_load(mark, bytes) | mark_everybody(bytes));
}
