#include "search/records_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_RECORDS = 32 };

void record_form_init(struct record_form *f, uint32_t bits, uint32_t mark, uint32_t code_words, bool log)
{
    *f = (struct record_form){bits, mark, code_words, 8 + mark + 8 * code_words + (log ? 8 : 0), log};
}

static size_t bytes_of(const struct records *r, const struct record_form *f)
{
    return r->at ? ((size_t)r->mask + 1) * f->stride : 0;
}

static bool grow(struct records *r, const struct record_form *f, struct budget *b)
{
    uint32_t cap = r->at ? 2 * (r->mask + 1) : FIRST_RECORDS;
    struct records bigger = {.mask = cap - 1, .count = r->count, .shift = f->bits - (uint32_t)__builtin_ctz(cap)};
    size_t bytes = (size_t)cap * f->stride;
    if (!cap || !budget_take(b, bytes)) return false;
    bigger.at = calloc(1, bytes);
    if (!bigger.at) {
        budget_give_up(b, bytes);
        return false;
    }
    for (uint32_t i = 0; r->at && i <= r->mask; i++) {
        const uint8_t *record = record_at(r, f, i);
        if (load64(record)) memcpy(records_find(&bigger, f, load64(record) - 1), record, f->stride);
    }
    budget_give(b, bytes_of(r, f));
    free(r->at);
    *r = bigger;
    return true;
}

void records_drop(struct records *r, const struct record_form *f, struct budget *b)
{
    budget_give(b, bytes_of(r, f));
    free(r->at);
    *r = (struct records){0};
}

uint8_t *records_add(struct records *r, const struct record_form *f, struct budget *b, uint64_t key, int processes)
{
    if (!r->at || 5 * (r->count + 1) > 4 * (r->mask + 1)) {
        if (!grow(r, f, b)) return NULL;
    }
    uint8_t *record = records_find(r, f, key);
    assert(!load64(record));
    store64(record, key + 1);
    mark_begin(record_mark(record), f->mark, processes, 0);
    r->count++;
    assert_costly(r->count <= r->mask); /* or a lookup would not end */
    return record;
}

void records_save(const struct records *r, const struct record_form *f, struct archive *a)
{
    archive_put_word(a, r->at ? (uint64_t)r->mask + 1 : 0);
    archive_put_word(a, r->count);
    archive_put(a, r->at, bytes_of(r, f));
}

bool records_load(struct records *r, const struct record_form *f, struct budget *b, struct archive *a)
{
    uint64_t room = archive_get_below(a, UINT64_C(1) << 31), count = archive_get_word(a);
    if (!room) return !count;
    if (room & (room - 1) || room < FIRST_RECORDS || count >= room) return false;
    size_t bytes = room * f->stride;
    if (!budget_take(b, bytes)) return false;
    *r = (struct records){.at = xcalloc(1, bytes), .mask = (uint32_t)room - 1, .count = (uint32_t)count,
                          .shift = f->bits - (uint32_t)__builtin_ctzll(room)};
    archive_get(a, r->at, bytes);
    uint64_t found = 0;
    for (uint32_t i = 0; i <= r->mask; i++) found += load64(record_at(r, f, i)) != 0;
    return found == count;
}
