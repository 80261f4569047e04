#include "search/memo_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WORDS = 1 << 10 };

void memo_init(struct memo *m, uint32_t words, struct budget *budget)
{
    *m = (struct memo){.budget = budget, .words = words};
}

static size_t bytes_of(size_t words, size_t index) { return words * sizeof(uint64_t) + index * sizeof(uint64_t); }

static size_t index_size(const struct memo *m) { return m->index ? (size_t)m->index_mask + 1 : 0; }

void memo_release(struct memo *m)
{
    if (!m->budget) return;
    budget_give(m->budget, bytes_of(m->room, index_size(m)));
    free(m->records);
    free(m->index);
    *m = (struct memo){0};
}

void memo_forget(struct memo *m)
{
    m->moved = true;
    m->used = 1; /* 0 means that there is none */
    m->count = 0;
    if (m->index) memset(m->index, 0, index_size(m) * sizeof *m->index);
}

static void put_in_index(struct memo *m, size_t at)
{
    const uint64_t *record = m->records + at;
    uint64_t hash = memo_hash(m->words, (uint32_t)(record[0] >> 32), record + 1), i = hash;
    while (m->index[i & m->index_mask]) i++;
    m->index[i & m->index_mask] = hash >> 32 << 32 | at;
}

static size_t length_at(const struct memo *m, size_t at) { return 1 + m->words + (uint32_t)m->records[at]; }

/* Four words of a record and more for each place of the index: it is never more than half full. */
static bool grow(struct memo *m, size_t most)
{
    size_t room = m->room ? 2 * m->room : FIRST_WORDS, index = room / 2, old = bytes_of(m->room, index_size(m));
    if (bytes_of(room, index) > most || room > UINT32_MAX) return false;
    if (!budget_take(m->budget, bytes_of(room, index) - old)) return false;
    m->records = xrealloc(m->records, room * sizeof *m->records);
    free(m->index);
    m->index = xcalloc(index, sizeof *m->index);
    m->index_mask = (uint32_t)index - 1;
    m->room = room;
    m->moved = true;
    if (!m->used) m->used = 1;
    for (size_t at = 1; at < m->used; at += length_at(m, at)) put_in_index(m, at);
    return true;
}

uint64_t *memo_add(struct memo *m, uint32_t slot, const uint64_t *code, uint32_t length, size_t most)
{
    size_t needed = 1 + m->words + (size_t)length;
    while (m->used + needed > m->room || 2 * (m->count + 1) > index_size(m))
        if (!grow(m, most)) {
            if (1 + needed > m->room) return NULL;
            m->overflows++;
            memo_forget(m);
        }
    uint64_t *record = m->records + m->used;
    record[0] = (uint64_t)slot << 32 | length;
    memcpy(record + 1, code, m->words * sizeof *code);
    put_in_index(m, m->used);
    m->used += needed;
    m->count++;
    return record + 1 + m->words;
}
